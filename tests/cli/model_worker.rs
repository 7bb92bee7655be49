//! `fornax model-worker`, which compiles one model after the other for the PJRT plugin: frames in, frames out.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};

const MODEL: &str = "module @m { func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { \
                     %0 = stablehlo.sine %x : tensor<4xf32> return %0 : tensor<4xf32> } }";

fn send(worker: &mut Child, bytes: &[u8]) {
    let input = worker.stdin.as_mut().unwrap();
    input.write_all(&(bytes.len() as u32).to_le_bytes()).unwrap();
    input.write_all(bytes).unwrap();
    input.flush().unwrap();
}

fn receive(worker: &mut Child) -> Vec<u8> {
    let output = worker.stdout.as_mut().unwrap();
    let mut length = [0; 4];
    output.read_exact(&mut length).unwrap();
    let mut bytes = vec![0; u32::from_le_bytes(length) as usize];
    output.read_exact(&mut bytes).unwrap();
    bytes
}

/// What kind of answer comes, and its body.
fn ask(worker: &mut Child, flags: &[&str], model: &str) -> (String, Vec<u8>) {
    send(worker, serde_json::to_string(flags).unwrap().as_bytes());
    send(worker, model.as_bytes());
    let kind = receive(worker);
    (String::from_utf8(kind).unwrap(), receive(worker))
}

#[test]
fn one_model_after_the_other_and_errors_do_not_end_it() {
    let mut worker = Command::new(fornax_tests::binary())
        .arg("model-worker")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("m.mlir"), MODEL).unwrap();
    let flags = [fornax_tests::ONE_CPU];
    let (kind, module) = ask(&mut worker, &flags, MODEL);
    assert_eq!(kind, "module");
    std::fs::write(folder.path().join("m.fnx"), &module).unwrap();
    let run = ["run-module", "--module=m.fnx", "--input=4xf32=0", "--expected-output=4xf32=0"];
    fornax_tests::fornax(folder.path(), &run).ok();
    let (kind, lines) = ask(&mut worker, &flags, "module { func.func @main() { nonsense } }");
    let said = String::from_utf8(lines).unwrap();
    assert!(kind == "error" && said.contains(r#""code":"FX01"#) && said.contains(r#""line":1"#), "{said}");
    let (kind, lines) = ask(&mut worker, &["--f32-matmul=tf33"], MODEL);
    let said = String::from_utf8(lines).unwrap();
    assert!(kind == "error" && said.contains("FX0801") && said.contains("did you mean tf32?"), "{said}");
    assert_eq!(ask(&mut worker, &flags, MODEL), ("module".to_string(), module));
    drop(worker.stdin.take());
    assert!(worker.wait().unwrap().success());
}
