//! Compilers that stay: processes `fornax model-worker`, which compile one model after the other. Starting one takes
//! longer than compiling a small model, and JAX compiles hundreds of them.
//!
//! A worker that dies, or is silent for `REPLY_LIMIT`, gives no answer: the model is then compiled by a process of its
//! own, which says what is wrong with it.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::{input, messages};
use crate::error::{Failure, Result};

/// Longest time for one model.
const REPLY_LIMIT: Duration = Duration::from_secs(900);
/// No frame is longer (bytes): the limit of the other side.
const FRAME_LIMIT: u32 = 1 << 30;

/// Workers that wait for a model. One that works is not among them.
pub struct Pool {
    idle: Mutex<Vec<Worker>>,
    /// The process that started them: after a fork, the pipes are the parent's.
    owner: u32,
}

struct Worker {
    child: Child,
    input: UnixStream,
    frames: Receiver<Vec<u8>>,
}

impl Pool {
    pub fn new() -> Pool {
        Pool { idle: Mutex::default(), owner: std::process::id() }
    }

    /// The module of a model, or what the compiler says against it; `None` where no worker could answer.
    pub fn compile(&self, program: &Path, arguments: &[&str], model: &[u8]) -> Option<Result<Vec<u8>>> {
        if std::process::id() != self.owner {
            return None;
        }
        let waiting = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut worker = match waiting {
            Some(worker) => worker,
            None => Worker::start(program)?,
        };
        let answer = worker.ask(arguments, model);
        match answer {
            Some(_) => self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(worker),
            None => worker.end(),
        }
        answer
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if std::process::id() == self.owner {
            let idle = self.idle.get_mut().unwrap_or_else(PoisonError::into_inner);
            idle.drain(..).for_each(Worker::end);
        }
    }
}

impl Worker {
    fn start(program: &Path) -> Option<Worker> {
        let (input, given) = input::pair().ok()?;
        let started =
            Command::new(program).arg("model-worker").stdin(given).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut child = started.ok()?;
        let mut output = child.stdout.take()?;
        let (sender, frames) = channel();
        let reader = move || {
            while let Some(frame) = read_frame(&mut output) {
                if sender.send(frame).is_err() {
                    break;
                }
            }
        };
        let thread = std::thread::Builder::new().name("fornax-compiler".into()).spawn(reader);
        thread.ok().map(|_| Worker { child, input, frames })
    }

    /// One model and the answer.
    fn ask(&mut self, arguments: &[&str], model: &[u8]) -> Option<Result<Vec<u8>>> {
        let flags = serde_json::to_vec(arguments).ok()?;
        write_frame(&mut self.input, &flags)?;
        write_frame(&mut self.input, model)?;
        let kind = self.frames.recv_timeout(REPLY_LIMIT).ok()?;
        let body = self.frames.recv_timeout(REPLY_LIMIT).ok()?;
        match kind.as_slice() {
            b"module" => Some(Ok(body)),
            b"error" => Some(Err(refusal(&body))),
            _ => None,
        }
    }

    fn end(mut self) {
        // It may be gone already, or hang: its exit status says nothing more.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn refusal(lines: &[u8]) -> Failure {
    messages::failure(&String::from_utf8_lossy(lines), "an error")
}

fn write_frame(output: &mut impl Write, bytes: &[u8]) -> Option<()> {
    let length = u32::try_from(bytes.len()).ok().filter(|length| *length <= FRAME_LIMIT)?;
    output.write_all(&length.to_le_bytes()).ok()?;
    output.write_all(bytes).ok()?;
    output.flush().ok()
}

fn read_frame(input: &mut impl Read) -> Option<Vec<u8>> {
    let mut length = [0; 4];
    input.read_exact(&mut length).ok()?;
    let length = u32::from_le_bytes(length);
    if length > FRAME_LIMIT {
        return None;
    }
    let mut bytes = vec![0; length as usize];
    input.read_exact(&mut bytes).ok()?;
    Some(bytes)
}
