//! `fornax verify`: programs that are right agree with the reference, faults planted in a module are found and named,
//! and a reproducer is a model that `fornax verify` takes.

use std::path::Path;

use fornax_tests::{Run, fornax, root};

/// Products, one with a constant, a loop of unknown length, a branch, pi inside a kernel.
const MODEL: &str = r#"module @m {
  func.func public @main(%x: tensor<6x8xf32>, %w: tensor<8x5xf32>, %n: tensor<i32>)
      -> (tensor<6x5xf32>, tensor<5xi32>) {
    %table = stablehlo.constant dense<[1.0, -2.0, 3.25, 0.5, 7.0]> : tensor<5xf32>
    %pi = stablehlo.constant dense<3.14159274> : tensor<6x5xf32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %f0 = stablehlo.constant dense<0.0> : tensor<f32>
    %k = stablehlo.constant dense<[[1.5, 2.0, 0.0, 0.25, 0.0], [0.0, 1.0, 0.5, 0.0, 0.125], [3.0, 0.0, 2.5, 1.0, 0.0],
      [0.0, 0.75, 0.0, 1.0, 4.0], [0.5, 0.0, 6.0, 0.0, 1.0]]> : tensor<5x5xf32>
    %d = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<6x8xf32>, tensor<8x5xf32>) -> tensor<6x5xf32>
    %0 = stablehlo.dot_general %d, %k, contracting_dims = [1] x [0]
        : (tensor<6x5xf32>, tensor<5x5xf32>) -> tensor<6x5xf32>
    %1 = stablehlo.broadcast_in_dim %table, dims = [1] : (tensor<5xf32>) -> tensor<6x5xf32>
    %2:2 = stablehlo.while(%i = %zero, %a = %0) : tensor<i32>, tensor<6x5xf32>
     cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %next = stablehlo.add %i, %one : tensor<i32>
      %t = stablehlo.tanh %a : tensor<6x5xf32>
      %b = stablehlo.add %t, %1 : tensor<6x5xf32>
      stablehlo.return %next, %b : tensor<i32>, tensor<6x5xf32>
    }
    %s = stablehlo.reduce(%2#1 init: %f0) applies stablehlo.add across dimensions = [0, 1]
        : (tensor<6x5xf32>, tensor<f32>) -> tensor<f32>
    %p = stablehlo.compare GT, %s, %f0 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = "stablehlo.if"(%p) ({
      %m = stablehlo.multiply %2#1, %pi : tensor<6x5xf32>
      stablehlo.return %m : tensor<6x5xf32>
    }, {
      stablehlo.return %2#1 : tensor<6x5xf32>
    }) : (tensor<i1>) -> tensor<6x5xf32>
    %4 = stablehlo.iota dim = 0 : tensor<5xi32>
    %5 = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %6 = stablehlo.add %4, %5 : tensor<5xi32>
    return %3, %6 : tensor<6x5xf32>, tensor<5xi32>
  }
}
"#;

fn prepared(folder: &Path) -> Vec<u8> {
    std::fs::write(folder.join("m.mlir"), MODEL).unwrap();
    fornax(
        folder,
        &["verify", "prepare", "m.mlir", "--input=6x8xf32=0.5", "--input=8x5xf32=0.25", "--input=i32=3", "-o", "m.fnx"],
    )
    .ok();
    std::fs::read(folder.join("m.fnx")).unwrap()
}

/// The hashes of a module file as its bytes are now.
fn sealed(mut file: Vec<u8>) -> Vec<u8> {
    let number = |file: &[u8], at: usize| u64::from_le_bytes(file[at..at + 8].try_into().unwrap()) as usize;
    let sections = u32::from_le_bytes(file[24..28].try_into().unwrap()) as usize;
    for at in (0..sections).map(|n| 64 + 96 * n) {
        let (offset, length) = (number(&file, at + 8), number(&file, at + 16));
        let hash = blake3::hash(&file[offset..offset + length]);
        file[at + 64..at + 96].copy_from_slice(hash.as_bytes());
    }
    let hash = blake3::hash(&file[64..64 + 96 * sections]);
    file[32..64].copy_from_slice(hash.as_bytes());
    file
}

fn positions(file: &[u8], pattern: &[u8]) -> Vec<usize> {
    (0..file.len() - pattern.len()).filter(|&at| file[at..].starts_with(pattern)).collect()
}

fn measure(folder: &Path, file: Vec<u8>) -> Run {
    std::fs::write(folder.join("bad.fnx"), file).unwrap();
    fornax(folder, &["verify", "measure", "bad.fnx", "--reproducer=found", "--verify=off"])
}

#[test]
fn loops_branches_and_tuples_agree() {
    let folder = tempfile::tempdir().unwrap();
    prepared(folder.path());
    let shown = fornax(folder.path(), &["verify", "measure", "m.fnx", "--device=cpu"]).ok().stdout;
    assert!(shown.contains("@main on cpu://: ") && shown.contains("agree with the reference"), "{shown}");
    for seed in ["--seed=1", "--seed=2"] {
        fornax(
            folder.path(),
            &["verify", "m.mlir", "--input=6x8xf32=random:3", "--input=8x5xf32=random:4", "--input=i32=2", seed],
        )
        .ok();
    }
    // Nothing fits into no room: nothing is compared, and that is said.
    let run = fornax(folder.path(), &["verify", "m.mlir", "--room=10", "--input=6x8xf32=1"]).ok();
    assert!(run.stdout.contains("not compared (--room)"), "{}", run.stdout);
}

#[test]
fn a_damaged_constant_is_found_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = prepared(folder.path());
    let row: Vec<u8> = [3.0f32, 0.0, 2.5, 1.0, 0.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    // The constants are the last section.
    let at = *positions(&file, &row).last().unwrap();
    file[at + 3] ^= 0x80;
    // By default it does not come so far.
    std::fs::write(folder.path().join("bad.fnx"), &file).unwrap();
    fornax(folder.path(), &["verify", "measure", "bad.fnx"]).fails(2, "FX0606");
    let run = measure(folder.path(), file).fails(6, "FX0811");
    for wanted in [
        "operand",
        "first at [2, 0]",
        "stablehlo.dot_general at m.mlir:",
        "a constant is damaged",
        "reproducer: fornax verify found",
    ] {
        assert!(run.stderr.contains(wanted), "no {wanted} in {}", run.stderr);
    }
    // The kernel itself is right.
    fornax(folder.path(), &["verify", "found"]).ok();
}

#[test]
fn a_wrong_kernel_is_found_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = prepared(folder.path());
    // Pi is in the code of one kernel (and in the record, which must stay).
    let pi = 3.141_592_74_f32.to_le_bytes();
    let image = positions(&file, b"\x7fELF")[0];
    let places: Vec<usize> = positions(&file, &pi).into_iter().filter(|&at| at > image).take(1).collect();
    assert!(!places.is_empty());
    for at in places {
        file[at..at + 4].copy_from_slice(&3.0f32.to_le_bytes());
    }
    let run = measure(folder.path(), sealed(file)).fails(6, "FX0811");
    for wanted in [
        "stablehlo.multiply at m.mlir:",
        "of 30 elements differ; first at [0, 0]: expected",
        "relative 4.5",
        "kernel `loop_",
    ] {
        assert!(run.stderr.contains(wanted), "no {wanted} in {}", run.stderr);
    }
    for name in ["model.mlir", "input_0.npy", "expected_0.npy", "found_0.npy", "report.txt"] {
        assert!(folder.path().join("found").join(name).exists(), "no {name}");
    }
    fornax(folder.path(), &["verify", "found"]).ok();
}

#[test]
fn sizes_of_run_time_agree_and_are_reproduced() {
    let folder = tempfile::tempdir().unwrap();
    let model = "func.func public @main(%x: tensor<?x4xf32>, %w: tensor<4x3xf32>) -> tensor<?x3xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] \
      : (tensor<?x4xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
  %1 = stablehlo.tanh %0 : tensor<?x3xf32>
  return %1 : tensor<?x3xf32>
}";
    std::fs::write(folder.path().join("m.mlir"), model).unwrap();
    for rows in ["1", "7", "33"] {
        let input = format!("--input={rows}x4xf32=random:1");
        fornax(folder.path(), &["verify", "m.mlir", &input]).ok();
    }
    // A tolerance of nothing makes a finding of what is only rounded otherwise, and so a reproducer.
    let run =
        fornax(folder.path(), &["verify", "m.mlir", "--tolerance=0", "--reproducer=r", "--input=7x4xf32=random:1"]);
    if run.code == 6 {
        let text = std::fs::read_to_string(folder.path().join("r/model.mlir")).unwrap();
        assert!(text.contains("fornax.dims"), "{text}");
        fornax(folder.path(), &["verify", "r"]).ok();
    }
}

#[test]
fn what_cannot_be_compared_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let model = root().join("tests/model/softmax.mlir").display().to_string();
    fornax(folder.path(), &["verify"]).fails(1, "FX0801");
    fornax(folder.path(), &["verify", "nothing.mlir"]).fails(1, "FX0803");
    fornax(folder.path(), &["verify", &model, "--input=3xf32=1"]).fails(1, "FX0801");
    fornax(folder.path(), &["verify", &model, "--tolerance=much"]).fails(1, "FX0801");
    fornax(folder.path(), &["verify", &model, "--function=f"]).fails(1, "FX0910");
    fornax(folder.path(), &["compile", "--quiet", &model, "-o", "m.fnx"]).ok();
    fornax(folder.path(), &["verify", "measure", "m.fnx"]).fails(1, "FX0801");
    fornax(folder.path(), &["verify", &model]).ok();
}
