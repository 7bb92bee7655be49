//! `fornax model-worker`, which compiles one model after the other for the PJRT plugin: frames in, frames out.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};

const MODEL: &str = "module @m { func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { \
                     %0 = stablehlo.sine %x : tensor<4xf32> return %0 : tensor<4xf32> } }";

/// A process that compiles one model after the other.
pub struct ModelWorker(Child);

impl ModelWorker {
    pub fn start(variables: &[(&str, &str)]) -> ModelWorker {
        let mut command = Command::new(fornax_tests::binary());
        command.arg("model-worker").envs(variables.iter().copied());
        ModelWorker(command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap())
    }

    fn send(&mut self, bytes: &[u8]) {
        let input = self.0.stdin.as_mut().unwrap();
        input.write_all(&(bytes.len() as u32).to_le_bytes()).unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    fn receive(&mut self) -> Vec<u8> {
        let output = self.0.stdout.as_mut().unwrap();
        let mut length = [0; 4];
        output.read_exact(&mut length).unwrap();
        let mut bytes = vec![0; u32::from_le_bytes(length) as usize];
        output.read_exact(&mut bytes).unwrap();
        bytes
    }

    /// What kind of answer comes, and its body.
    pub fn ask(&mut self, flags: &[&str], model: &str) -> (String, Vec<u8>) {
        self.send(serde_json::to_string(flags).unwrap().as_bytes());
        self.send(model.as_bytes());
        let kind = self.receive();
        (String::from_utf8(kind).unwrap(), self.receive())
    }

    /// Ends it as whoever started it does, which is no failure.
    pub fn end(mut self) {
        drop(self.0.stdin.take());
        assert!(self.0.wait().unwrap().success());
    }
}

#[test]
fn one_model_after_the_other_and_errors_do_not_end_it() {
    let mut worker = ModelWorker::start(&[]);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("m.mlir"), MODEL).unwrap();
    let flags = [fornax_tests::ONE_CPU];
    let (kind, module) = worker.ask(&flags, MODEL);
    assert_eq!(kind, "module");
    std::fs::write(folder.path().join("m.fnx"), &module).unwrap();
    let run = ["run-module", "--module=m.fnx", "--input=4xf32=0", "--expected-output=4xf32=0"];
    fornax_tests::fornax(folder.path(), &run).ok();
    let (kind, lines) = worker.ask(&flags, "module { func.func @main() { nonsense } }");
    let said = String::from_utf8(lines).unwrap();
    assert!(kind == "error" && said.contains(r#""code":"FX01"#) && said.contains(r#""line":1"#), "{said}");
    let (kind, lines) = worker.ask(&["--f32-matmul=tf33"], MODEL);
    let said = String::from_utf8(lines).unwrap();
    assert!(kind == "error" && said.contains("FX0801") && said.contains("did you mean tf32?"), "{said}");
    assert_eq!(worker.ask(&flags, MODEL), ("module".to_string(), module));
    worker.end();
}
