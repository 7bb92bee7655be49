//! `compile --emit`: a module as a header and an object, as a crate, and as a program.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use fornax_tests::{ONE_CPU, binary, fornax, root};

use crate::c_programs::{Installed, has_compilers};

/// A model with sizes of run time, several outputs, narrow and complex types, and names that C and Rust keep.
const MODEL: &str = r#"module {
  func.func public @main(%x: tensor<?x3xf32>, %y: tensor<3xi8>) -> (tensor<?x3xf32>, tensor<3xi8>) {
    %two = stablehlo.add %x, %x : tensor<?x3xf32>
    %more = stablehlo.add %y, %y : tensor<3xi8>
    return %two, %more : tensor<?x3xf32>, tensor<3xi8>
  }
  func.func public @load(%x: tensor<2xf16>, %z: tensor<complex<f32>>, %b: tensor<2xi1>)
      -> (tensor<2xf16>, tensor<complex<f32>>, tensor<2xi1>) {
    %0 = stablehlo.add %x, %x : tensor<2xf16>
    %1 = stablehlo.multiply %z, %z : tensor<complex<f32>>
    %2 = stablehlo.not %b : tensor<2xi1>
    return %0, %1, %2 : tensor<2xf16>, tensor<complex<f32>>, tensor<2xi1>
  }
}"#;

const C_PROGRAM: &str = r#"
#include "small-model.h"
#include <stdio.h>
int main(void) {
    fornax_session *session = NULL;
    fornax_tensor *twice = NULL;
    const float x[6] = {1, 2, 3, 4, 5, 6};
    const uint64_t shape[2] = {2, 3};
    const int8_t y[3] = {1, -2, 100};
    int8_t more[3];
    const uint16_t half[2] = {0x3c00, 0xc000};
    const float z[2] = {0, 1};
    const uint8_t b[2] = {1, 0};
    uint16_t halves[2];
    float square[2];
    uint8_t bits[2];
    fornax_error *error = small_model_load("cpu", NULL, &session);
    if (!error) error = small_model_main(session, x, shape, y, &twice, more);
    if (!error) error = small_model_load_(session, half, z, b, halves, square, bits);
    if (error) {
        printf("%s\n", fornax_error_message(error));
        return 1;
    }
    const float *values = (const float *)fornax_tensor_data(twice);
    printf("%d x %d: %g %g\n", (int)fornax_tensor_shape(twice)[0], (int)fornax_tensor_shape(twice)[1], values[0],
           values[5]);
    printf("%d %d %d\n", more[0], more[1], more[2]);
    printf("%04x %04x, %g %g, %d %d\n", halves[0], halves[1], square[0], square[1], bits[0], bits[1]);
    fornax_tensor_free(twice);
    fornax_session_free(session);
    return 0;
}
"#;

const RUST_PROGRAM: &str = r#"
fn main() -> fornax_runtime::Result<()> {
    let mut model = small_model::SmallModel::load()?;
    let (twice, more) = model.main(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3], &[1, -2, 100])?;
    println!("{}: {:?}", twice.ty(), twice.values::<f32>()?);
    println!("{more:?}");
    Ok(())
}
"#;

/// The model alone in its second function's types, for programs without sizes of run time.
fn written(folder: &Path) {
    std::fs::write(folder.join("model.mlir"), MODEL).unwrap();
}

#[test]
fn c_has_a_function_for_each() {
    if !has_compilers() {
        return;
    }
    let installed = Installed::new();
    written(installed.path());
    installed.ok(&format!("fornax compile {ONE_CPU} --emit=c model.mlir -o small-model.h"));
    std::fs::write(installed.path().join("main.c"), C_PROGRAM).unwrap();
    for compiler in ["cc -std=c99", "c++ -x c++ -std=c++11"] {
        let language_end = if compiler.starts_with("c++") { "-x none" } else { "" };
        installed.ok(&format!(
            "{compiler} -Wall -Wextra -Werror main.c {language_end} small-model.o \
             $(pkg-config --cflags --libs fornax) -o program"
        ));
        let printed = installed.ok("./program");
        assert_eq!(printed, "2 x 3: 2 12\n2 -4 -56\n4000 c400, -1 0, 0 1\n", "{compiler}");
    }
}

/// Libraries of a crate that cargo built for these tests, the newest first: some may be of other features.
fn libraries(name: &str) -> Vec<PathBuf> {
    let test = std::env::current_exe().unwrap();
    let entries = std::fs::read_dir(test.parent().unwrap()).unwrap().map(|entry| entry.unwrap());
    let named = entries.filter(|entry| {
        let file = entry.file_name().to_string_lossy().into_owned();
        file.starts_with(&format!("lib{name}-")) && file.ends_with(".rlib")
    });
    let mut found: Vec<_> = named.map(|entry| (entry.metadata().unwrap().modified().unwrap(), entry.path())).collect();
    found.sort();
    found.into_iter().rev().map(|row| row.1).collect()
}

#[test]
fn rust_has_a_method_for_each() {
    let folder = tempfile::tempdir().unwrap();
    written(folder.path());
    fornax(folder.path(), &["compile", ONE_CPU, "--emit=rust", "model.mlir", "-o", "small-model"]).ok();
    let manifest = std::fs::read_to_string(folder.path().join("small-model/Cargo.toml")).unwrap();
    assert!(manifest.contains("name = \"small_model\"") && manifest.contains("fornax-runtime = "), "{manifest}");
    std::fs::write(folder.path().join("main.rs"), RUST_PROGRAM).unwrap();
    // As cargo would, but with the runtime that was built for these tests: its own build takes a minute.
    let parts = std::env::current_exe().unwrap().parent().unwrap().display().to_string();
    let (mut printed, mut said) = (None, String::new());
    for runtime in libraries("fornax_runtime") {
        let script = format!(
            "set -e; e='--edition=2024 -L dependency={parts} --extern fornax_runtime={}'
             rustc $e --crate-type=rlib --crate-name=small_model small-model/src/lib.rs
             rustc $e --extern small_model=libsmall_model.rlib main.rs -o program",
            runtime.display(),
        );
        let done = Command::new("bash").args(["-c", &script]).current_dir(folder.path()).output().unwrap();
        if done.status.success() {
            let run = Command::new(folder.path().join("program")).output().unwrap();
            printed = Some(String::from_utf8(run.stdout).unwrap());
            break;
        }
        said.push_str(&String::from_utf8_lossy(&done.stderr));
    }
    let wanted = "2x3xf32: [2.0, 4.0, 6.0, 8.0, 10.0, 12.0]\n[2, -4, -56]\n";
    assert_eq!(printed.unwrap_or_else(|| panic!("{said}")), wanted);
    let source = std::fs::read_to_string(folder.path().join("small-model/src/lib.rs")).unwrap();
    let method = "pub fn load_(&mut self, input_0: &[half::f16], input_1: &[[f32; 2]], input_2: &[bool]) -> \
                  Result<(Vec<half::f16>, Vec<[f32; 2]>, Vec<bool>)>";
    assert!(source.contains(method), "{source}");
}

#[test]
fn a_program_is_its_own_module() {
    let folder = tempfile::tempdir().unwrap();
    let model = root().join("runtime/examples/sines.mlir");
    let model = model.to_str().unwrap();
    fornax(folder.path(), &["compile", ONE_CPU, "--emit=exe", model, "-o", "sines"]).ok();
    let program = folder.path().join("sines");
    assert_eq!(std::fs::metadata(&program).unwrap().permissions().mode() & 0o777, 0o755);
    let run = |arguments: &[&str]| {
        let done = Command::new(&program).args(arguments).current_dir(folder.path()).output().unwrap();
        (
            done.status.code(),
            String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr),
        )
    };
    let (code, printed) = run(&["--input=4xf32=0 1 2 3"]);
    assert_eq!((code, printed.as_str()), (Some(0), "result[0]: 4xf32=0.841471 0.14112 -0.958924 0.656987\n"));
    let (code, printed) = run(&["--input=5xf32=0"]);
    assert!(code == Some(1) && printed.contains("error[FX0713]"), "{printed}");
    // Whatever opens modules opens it, and a program made from it holds one module.
    fornax(folder.path(), &["verify-file", "sines"]).ok();
    let again = ["compile", ONE_CPU, "--emit=exe", "--emit-runtime=sines", model, "-o", "again"];
    fornax(folder.path(), &again).ok();
    let size = |name: &str| std::fs::metadata(folder.path().join(name)).unwrap().len();
    assert_eq!(size("again"), size("sines"));
    assert!(size("sines") > std::fs::metadata(binary()).unwrap().len());
}

#[test]
fn what_cannot_be_written_is_said() {
    let folder = tempfile::tempdir().unwrap();
    written(folder.path());
    let emit = |arguments: &[&str]| fornax(folder.path(), &[&["compile", ONE_CPU, "model.mlir"], arguments].concat());
    emit(&["--emit=c", "-o", "-"]).fails(1, "FX0801");
    emit(&["--emit=exe", "--emit-runtime=model.mlir", "-o", "out"]).fails(1, "FX0801");
    emit(&["--emit=exe", "--emit-runtime=nowhere", "-o", "out"]).fails(1, "FX0801");
    emit(&["--emit=c", "-o", "nowhere/out"]).fails(1, "FX0802");
    emit(&["--emit=rust", "-o", "model.mlir/out"]).fails(1, "FX0802");
    assert!(!folder.path().join("out").exists());
}
