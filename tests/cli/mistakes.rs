//! What is said to typical mistakes: every line of `tests/mistakes/cases.txt`, with its exit code and stderr, is kept
//! in `expected.txt`, so that a change of a message is read before it lands. `make bless` writes it.
//!
//! The machine has no GPU: doubles without devices stand for its drivers. What differs between builds and machines is
//! cut out.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use fornax_tests::{fornax, fornax_with, link_double, root};

/// Longer, and a mistake costs patience.
const LIMIT: Duration = Duration::from_secs(60);
/// Characters of a line of a message, at most: one that is longer is not read.
const LINE_MAX: usize = 400;

const ADD: &str = "func.func public @predict(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.add %x, %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
";

/// A function of `ADD` with another line in the place of its sum.
fn with_line(line: &str) -> String {
    ADD.replace("  %0 = stablehlo.add %x, %x : tensor<2x3xf32>", line)
}

/// The bytes of a .npy file of f64.
fn npy_f64() -> Vec<u8> {
    let mut header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }".to_string();
    header.push_str(&" ".repeat(128 - 10 - header.len() - 1));
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
    bytes.extend(header.bytes());
    bytes.extend([0; 48]);
    bytes
}

fn safetensors() -> Vec<u8> {
    let header = r#"{"other":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}}"#;
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.bytes());
    bytes.extend([0; 12]);
    bytes
}

/// Everything that the lines name.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let write = |name: &str, bytes: &[u8]| std::fs::write(path.join(name), bytes).unwrap();
    std::fs::create_dir(path.join("folder")).unwrap();
    std::fs::create_dir(path.join("lib")).unwrap();
    for (double, library) in [
        ("libfornax_fake_cuda.so", "libcuda.so.1"),
        ("libfornax_fake_hip.so", "libamdhip64.so.7"),
        ("libfornax_fake_opencl.so", "libOpenCL.so.1"),
    ] {
        link_double(&path.join("lib"), double, library);
    }
    let two: String = ["f", "g"].iter().map(|name| ADD.replace("predict", name).replace("2x3", "2")).collect();
    let sized = ADD.replace("2x3", "?x3");
    let recursive = "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  \
                     %0 = call @main(%x) : (tensor<f32>) -> tensor<f32>\n  \
                     return %0 : tensor<f32>\n}\n";
    for (name, text) in [
        ("m.mlir", ADD.to_string()),
        ("extra.mlir", ADD.to_string()),
        ("two.mlir", two),
        ("sized.mlir", sized),
        (
            "weights.mlir",
            ADD.replace("%x: tensor<2x3xf32>", "%x: tensor<2x3xf32>, %b: tensor<2x3xf32>").replace("%x, %x", "%x, %b"),
        ),
        ("empty.mlir", String::new()),
        ("text.txt", "just words\n".into()),
        ("model.py", "import jax\n\ndef predict(x):\n    return x + x\n".into()),
        ("truncated.mlir", ADD[..60].into()),
        ("syntax.mlir", with_line("  %0 = stablehlo.add %x %x : tensor<2x3xf32>")),
        ("types.mlir", with_line("  %0 = stablehlo.add %x, %x : tensor<2x3xf16>")),
        ("operand.mlir", with_line("  %0 = stablehlo.add %x, %y : tensor<2x3xf32>")),
        (
            "shapes.mlir",
            with_line(
                "  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] \
                 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>",
            ),
        ),
        ("unknown-op.mlir", with_line("  %0 = stablehlo.addd %x, %x : tensor<2x3xf32>")),
        (
            "unknown-dialect.mlir",
            with_line("  %0 = \"mhlo.add\"(%x, %x) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>"),
        ),
        (
            "custom-call.mlir",
            with_line("  %0 = stablehlo.custom_call @my_kernel(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>"),
        ),
        ("undefined.mlir", with_line("  %0 = call @other(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>")),
        ("no-function.mlir", "module {}\n".into()),
        ("private.mlir", ADD.replace("public", "private")),
        ("recursive.mlir", recursive.into()),
        ("huge.mlir", ADD.replace("2x3xf32", "1000000x1000000x1000000xf32")),
        ("broken.json", "{\"args\": [{\"name\": \"x\"".into()),
    ] {
        write(name, text.as_bytes());
    }
    write("x.npy", &std::fs::read(root().join("tests/numeric/softmax_f32/in_0.npy")).unwrap());
    write("f64.npy", &npy_f64());
    write("weights.safetensors", &safetensors());
    write("broken.npz", b"PK\x03\x04 no archive");
    write("llama.gguf", b"GGUF\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00");
    write("net.onnx", b"\x08\x08\x12\x07pytorch\x1a\x052.4.0:\x05\x0a\x03foo");
    write(
        "net.pt2",
        b"PK\x03\x04\x00\x00\x08\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\
          \x10\x00\x12\x00archive/data.pkl",
    );
    for line in [
        &["m.mlir", "-o", "m.fnx"][..],
        &["two.mlir", "-o", "two.fnx"],
        &["sized.mlir", "-o", "sized.fnx"],
        &["weights.mlir", "--parameter-args=1", "-o", "weights.fnx"],
        &["m.mlir", "--target=cuda:sm_80", "--cuda-use-ptxas=false", "-o", "cuda.fnx"],
    ] {
        fornax(path, &[&["compile", "-q"], line].concat()).ok();
    }
    let module = std::fs::read(path.join("m.fnx")).unwrap();
    write("short.fnx", &module[..module.len() / 2]);
    let mut old = module.clone();
    old[10] = 1;
    write("old.fnx", &old);
    let mut flipped = module;
    let last = flipped.len() - 1;
    flipped[last] ^= 1;
    write("flipped.fnx", &flipped);
    folder
}

/// Words of a line; the cases quote nothing.
fn answer(folder: &Path, line: &str) -> String {
    let arguments: Vec<&str> = line.split(' ').skip(1).collect();
    let library = folder.join("lib").display().to_string();
    let variables = [("LD_LIBRARY_PATH", library.as_str()), ("FORNAX_FAKE_ARCH", ""), ("COLUMNS", "120")];
    let run = fornax_with(folder, &arguments, &variables, LIMIT);
    assert!(run.code != 101 && run.code >= 0, "`{line}` panics or is ended by a signal: {}", run.stderr);
    let long = run.stderr.lines().find(|line| line.chars().count() > LINE_MAX);
    assert!(long.is_none(), "`{line}`: a line of more than {LINE_MAX} characters: {long:?}");
    let mut text = format!("$ {line}\nexit {}\n", run.code);
    let version = env!("CARGO_PKG_VERSION");
    for line in run.stderr.lines() {
        let line = match line.split_once("this machine has: cpu:// (") {
            Some((before, _)) => format!("{before}this machine has: cpu:// (…)"),
            None => line.to_string(),
        };
        let line = line.replace(&folder.display().to_string(), "DIR").replace(version, "VERSION");
        writeln!(text, "{}", line.trim_end()).unwrap();
    }
    text
}

#[test]
fn what_is_said_to_a_hundred_mistakes() {
    let folder = folder();
    let cases = std::fs::read_to_string(root().join("tests/mistakes/cases.txt")).unwrap();
    let mut text = String::from("Answers to tests/mistakes/cases.txt, written by `make bless`.\n");
    let mut count = 0;
    for line in cases.lines().filter(|line| !line.is_empty() && !line.starts_with("# ")) {
        match line.strip_prefix("## ") {
            Some(title) => writeln!(text, "\n## {title}").unwrap(),
            None => {
                count += 1;
                let answer = answer(folder.path(), line);
                assert!(!answer.contains("\nexit 0\n"), "it is taken: {answer}");
                assert!(answer.contains("error[FX"), "no code: {answer}");

                writeln!(text, "\n{}", answer.trim_end()).unwrap();
            }
        }
    }
    assert!(count >= 100, "only {count} mistakes");
    let path = root().join("tests/mistakes/expected.txt");
    if std::env::var_os("FORNAX_BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    let differ = expected.lines().zip(text.lines()).find(|(a, b)| a != b);
    assert!(expected == text, "answers changed, first {differ:?}; if they are better: make bless");
}
