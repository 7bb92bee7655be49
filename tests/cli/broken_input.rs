//! Broken input of every kind: a coded error, the right exit code, no crash, and no half-written output.

use std::path::Path;

use fornax_tests::fornax;

const MODEL: &str = "\
func.func public @predict(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = stablehlo.sine %x : tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
func.func public @other(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = stablehlo.add %x, %x : tensor<2xi32>
  return %0 : tensor<2xi32>
}
";

fn compiled(folder: &Path) {
    std::fs::write(folder.join("m.mlir"), MODEL).unwrap();
    fornax(folder, &["compile", "--quiet", "m.mlir", "-o", "m.fnx"]).ok();
}

#[test]
fn models_that_are_none() {
    let folder = tempfile::tempdir().unwrap();
    let types = doubling("!a", "tuple<i1, i1>", ("tuple<", ">"));
    let attributes = doubling("#a", "[1, 1]", ("[", "]"));
    let cases: &[(&str, &[u8], &str)] = &[
        ("empty.mlir", b"", "FX0103"),
        ("binary.mlir", &[0, 159, 146, 150, 255, 7, 0, 0], "FX0103"),
        ("bytecode.mlir", b"ML\xefR\x06", "FX0121"),
        ("words.mlir", b"this is not MLIR", "FX01"),
        ("cut.mlir", MODEL.split_at(90).0.as_bytes(), "FX01"),
        (
            "op.mlir",
            b"func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n  \
              %0 = stablehlo.sinus %x : tensor<2xf32>\n  \
              return %0 : tensor<2xf32>\n\
              }",
            "FX01",
        ),
        (
            "type.mlir",
            b"func.func @f(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<2xf32> {\n  \
              %0 = \"stablehlo.add\"(%x, %y) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>\n  \
              return %0 : tensor<2xf32>\n\
              }",
            "FX02",
        ),
        ("deep.mlir", &b"[".repeat(100_000), "FX01"),
        ("types.mlir", types.as_bytes(), "FX0117"),
        ("attributes.mlir", attributes.as_bytes(), "FX0117"),
    ];
    for (name, bytes, code) in cases {
        std::fs::write(folder.path().join(name), bytes).unwrap();
        let run = fornax(folder.path(), &["compile", "--quiet", name, "-o", "out.fnx"]).fails(1, code);
        assert!(run.stderr.contains(name), "{name}: {}", run.stderr);
        assert!(!folder.path().join("out.fnx").exists(), "{name}");
    }
    fornax(folder.path(), &["compile", "missing.mlir", "-o", "out.fnx"]).fails(1, "FX0803");
}

/// Forty lines of aliases, each twice the one before.
fn doubling(alias: &str, first: &str, (open, close): (&str, &str)) -> String {
    let mut text = format!("{alias}0 = {first}\n");
    for n in 1..40 {
        text += &format!("{alias}{n} = {open}{alias}{0}, {alias}{0}{close}\n", n - 1);
    }
    text + MODEL
}

#[test]
fn a_source_error_shows_the_line() {
    let folder = tempfile::tempdir().unwrap();
    let text = "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n  \
                %0 = stablehlo.sinee %x : tensor<2xf32>\n  \
                return %0 : tensor<2xf32>\n\
                }\n";
    std::fs::write(folder.path().join("m.mlir"), text).unwrap();
    let run = fornax(folder.path(), &["compile", "m.mlir", "-o", "o.fnx"]).fails(1, "m.mlir:2:");
    assert!(run.stderr.contains("stablehlo.sinee %x"), "{}", run.stderr);
    assert!(run.stderr.contains("stablehlo.sine"), "did you mean: {}", run.stderr);
}

#[test]
fn modules_that_are_none() {
    let folder = tempfile::tempdir().unwrap();
    compiled(folder.path());
    let whole = std::fs::read(folder.path().join("m.fnx")).unwrap();
    std::fs::write(folder.path().join("empty.fnx"), b"").unwrap();
    std::fs::write(
        folder.path().join("text.fnx"),
        b"hello, I am not a module at all, but long enough to hold a header of sixty-four bytes",
    )
    .unwrap();
    for length in [1, 63, 64, 200, whole.len() / 2, whole.len() - 1] {
        std::fs::write(folder.path().join(format!("cut{length}.fnx")), &whole[..length]).unwrap();
    }
    let names = std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    for name in names.filter(|n| n.ends_with(".fnx") && n != "m.fnx") {
        let module = format!("--module={name}");
        fornax(folder.path(), &["run-module", &module, "--input=3x5xf32=0"]).fails(2, "FX06");
        fornax(folder.path(), &["inspect", &name]).fails(2, "FX06");
    }
    for at in (0..whole.len()).step_by(whole.len() / 61 + 1) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        std::fs::write(folder.path().join("flipped.fnx"), bytes).unwrap();
        let run =
            fornax(folder.path(), &["run-module", "--module=flipped.fnx", "--function=predict", "--input=3x5xf32=0"]);
        assert!(run.code == 2 || run.code == 0, "byte {at}: {run:?}");
    }
}

#[test]
fn calls_that_do_not_fit() {
    let folder = tempfile::tempdir().unwrap();
    compiled(folder.path());
    let run = |arguments: &[&str]| {
        let mut all = vec!["run-module", "--module=m.fnx"];
        all.extend(arguments);
        fornax(folder.path(), &all)
    };
    let missing = run(&["--function=nothing", "--input=3x5xf32=0"]).fails(1, "FX07");
    assert!(missing.stderr.contains("predict") && missing.stderr.contains("other"), "{}", missing.stderr);
    let ambiguous = run(&["--input=3x5xf32=0"]).fails(1, "FX0");
    assert!(ambiguous.stderr.contains("predict"), "{}", ambiguous.stderr);
    run(&["--function=predict"]).fails(1, "FX0");
    run(&["--function=predict", "--input=3x5xf32=0", "--input=f32=1"]).fails(1, "FX0");
    run(&["--function=predict", "--input=3x5xf64=0"]).fails(1, "FX0");
    run(&["--function=predict", "--input=5x3xf32=0"]).fails(1, "FX0");
    run(&["--function=predict", "--input=3x5xf32=1 2 3"]).fails(1, "FX08");
    run(&["--function=predict", "--input=3x5xf99=1"]).fails(1, "FX08");
    run(&["--function=predict", "--input=@none.npy"]).fails(1, "FX08");
    run(&["--function=predict", "--input=3x5xf32=0", "--output=@no/such/folder/y.npy"]).fails(1, "FX08");
    run(&["--device=cuda0", "--function=predict", "--input=3x5xf32=0"]).fails(1, "FX0717");
    run(&["--no-such-flag"]).fails(1, "--no-such-flag");
}

#[test]
fn an_unwritable_module_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("m.mlir"), MODEL).unwrap();
    fornax(folder.path(), &["compile", "--quiet", "m.mlir", "-o", "no/such/m.fnx"]).fails(1, "FX0802");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn what_is_not_supported_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let text = "func.func public @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n  \
                %0 = stablehlo.custom_call @mystery(%x) : (tensor<4xf32>) -> tensor<4xf32>\n  \
                return %0 : tensor<4xf32>\n\
                }\n";
    std::fs::write(folder.path().join("call.mlir"), text).unwrap();
    let run = fornax(folder.path(), &["compile", "--quiet", "call.mlir", "-o", "o.fnx"]).fails(1, "FX03");
    assert!(
        run.stderr.contains("`@mystery` is not one of the ") && run.stderr.contains("call.mlir:2:"),
        "{}",
        run.stderr
    );
}
