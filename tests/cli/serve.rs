//! `serve`: requests over HTTP, against the same model written out in f64.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use fornax_tests::{binary, fornax};
use serde_json::{Value, json};

use crate::chat::TEMPLATE;
use crate::generate::{compiled, compiled_for};

/// A server that ends with the test.
pub struct Server {
    child: Child,
    address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const MODEL: [&str; 4] = ["serve", "--module=m.fnx", "--parameters=model", "--port=0"];

impl Server {
    pub fn start(folder: &Path, flags: &[&str]) -> Server {
        let mut command = Command::new(binary());
        command.args(MODEL).args(flags).current_dir(folder).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("serving m at http://").and_then(|rest| rest.strip_suffix("/v1"));
        let address = address.unwrap_or_else(|| panic!("{line:?}")).to_string();
        Server { child, address }
    }

    /// Status and body.
    pub fn post(&self, path: &str, headers: &str, body: &Value) -> (u16, String) {
        let body = body.to_string();
        let kind = format!("Content-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
        self.send(&format!("POST {path}"), &format!("{headers}{kind}{body}"))
    }

    pub fn get(&self, path: &str) -> String {
        self.send(&format!("GET {path}"), "\r\n").1
    }

    /// Status and body; `rest` is what follows the first headers.
    fn send(&self, what: &str, rest: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let host = &self.address;
        let head = format!("{what} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{rest}");
        stream.write_all(head.as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_string())
    }

    /// Asks it to end; its exit code.
    pub fn end(mut self, signal: &str) -> Option<i32> {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        self.child.wait().unwrap().code()
    }
}

fn words(ids: &[usize]) -> String {
    ids.iter().map(|id| format!("w{id}")).collect::<Vec<String>>().join(" ")
}

#[test]
fn texts_are_those_of_the_model() {
    let dir = tempfile::tempdir().unwrap();
    let model = compiled(dir.path());
    std::fs::write(dir.path().join("model/chat_template.jinja"), TEMPLATE).unwrap();
    let server = Server::start(dir.path(), &["--max-sequences=2", "--api-key=secret"]);
    let prompts: [&[usize]; 4] = [&[3, 17, 5], &[3, 17, 5, 22, 9, 1], &[3, 17, 5, 22, 9, 2], &[7]];
    let key = "Authorization: Bearer secret\r\n";
    std::thread::scope(|scope| {
        for prompt in prompts {
            let (server, wanted) = (&server, words(&model.greedy(prompt, 5)));
            scope.spawn(move || {
                let body = json!({ "model": "m", "prompt": words(prompt), "max_tokens": 5, "temperature": 0 });
                let (status, reply) = server.post("/v1/completions", key, &body);
                assert_eq!(status, 200, "{reply}");
                let reply: Value = serde_json::from_str(&reply).unwrap();
                assert_eq!(reply["choices"][0]["text"], wanted);
            });
        }
    });
    let mut body = json!({ "model": "m", "messages": [{ "role": "user", "content": words(prompts[1]) }] });
    body["temperature"] = json!(0);
    body["max_completion_tokens"] = json!(2);
    body["stream"] = json!(true);
    let (status, events) = server.post("/v1/chat/completions", key, &body);
    assert_eq!(status, 200, "{events}");
    for id in model.greedy(prompts[1], 2) {
        assert!(events.contains(&format!("w{id}")), "no w{id}: {events}");
    }
    assert!(events.contains("data: [DONE]"), "{events}");
    assert_eq!(server.post("/v1/chat/completions", "", &body).0, 401);
    assert_eq!(server.end("-TERM"), Some(0));
}

/// Three texts a call: five requests at a time take two calls a step, and as many as there are slots run by default.
#[test]
fn texts_of_a_batch_do_not_depend_on_each_other() {
    let dir = tempfile::tempdir().unwrap();
    let model = compiled_for(dir.path(), 3);
    let prompts: [&[usize]; 7] =
        [&[3, 17, 5], &[3, 17, 5, 22, 9, 1], &[3, 17, 5, 22, 9, 2], &[7], &[1, 2, 3, 4, 5, 6, 7, 8], &[20, 7], &[9]];
    let ask = |server: &Server, prompt: &[usize], more: Value| {
        let mut body = json!({ "model": "m", "prompt": words(prompt), "max_tokens": 5 });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let (status, reply) = server.post("/v1/completions", "", &body);
        assert_eq!(status, 200, "{reply}");
        serde_json::from_str::<Value>(&reply).unwrap()["choices"][0]["text"].as_str().unwrap().to_string()
    };
    let warm = |seed: usize| json!({ "temperature": 2, "seed": seed });
    let server = Server::start(dir.path(), &[]);
    // One after the other: each has the model for itself.
    let alone: Vec<String> = (0..7).map(|at| ask(&server, prompts[at], warm(at))).collect();
    assert_eq!(server.end("-TERM"), Some(0));
    for flags in [&[][..], &["--max-sequences=5"]] {
        let server = Server::start(dir.path(), flags);
        std::thread::scope(|scope| {
            for (at, prompt) in prompts.iter().enumerate() {
                let (server, wanted, alone) = (&server, words(&model.greedy(prompt, 5)), &alone[at]);
                scope.spawn(move || {
                    assert_eq!(ask(server, prompt, json!({ "temperature": 0 })), wanted);
                    assert_eq!(ask(server, prompt, warm(at)), *alone, "{prompt:?}");
                });
            }
        });
        assert_eq!(server.end("-TERM"), Some(0));
    }
}

#[test]
fn what_cannot_be_served_is_said() {
    let dir = tempfile::tempdir().unwrap();
    compiled(dir.path());
    let server = Server::start(dir.path(), &[]);
    let port = format!("--port={}", server.address.rsplit(':').next().unwrap());
    fornax(dir.path(), &[&MODEL[..3], &[port.as_str()]].concat()).fails(1, "FX1201");
    let long = json!({ "model": "m", "prompt": "w1 ".repeat(17) });
    let (status, error) = server.post("/v1/completions", "", &long);
    assert!(status == 400 && error.contains("context_length_exceeded"), "{status}: {error}");
    assert_eq!(server.end("-INT"), Some(0));
    fornax(dir.path(), &[&MODEL[..], &["--max-sequences=0"]].concat()).fails(1, "FX0801");
    std::fs::remove_file(dir.path().join("model/tokenizer.json")).unwrap();
    fornax(dir.path(), &MODEL).fails(1, "FX1101");
}
