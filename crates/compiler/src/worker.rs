//! Code generation in worker processes: a fatal error of a backend ends the worker, not the compiler.
//!
//! The worker is this same binary, started with one hidden argument. Both sides speak frames over the pipe: a u32
//! length (little endian) and that many bytes of JSON; one request, one reply, in turn. A worker that dies or is
//! silent for `JOB_LIMIT` becomes an error that names the kernel, and the next job gets a fresh worker.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use fornax_backend::{CodegenOptions, KernelBinary, KernelSource, compile_one, generic_form, hex, machine_spec};
use fornax_import::dialects::Refusal;
use fornax_targets::Target;
use serde::{Deserialize, Serialize};

/// The hidden argument that turns the binary into a worker.
const WORKER_ARGUMENT: &str = "codegen-worker";

/// A kernel that takes longer than this is given up.
const JOB_LIMIT: Duration = Duration::from_secs(300);

/// No frame is longer (bytes): protects the reader from a broken peer.
const FRAME_LIMIT: u32 = 1 << 30;

/// Where kernels are compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Worker {
    /// In child processes running this binary.
    Process(PathBuf),
    /// In this process: a backend's fatal error ends it. For debuggers.
    InProcess,
}

#[derive(Serialize, Deserialize)]
enum Request {
    Kernel {
        target: String,
        kernel: KernelSource,
        options: CodegenOptions,
        /// [`Target::device_library`], which is not part of the target's name.
        device_library: Option<PathBuf>,
    },
    /// A model of an upstream dialect, to be written in generic text.
    Model {
        #[serde(with = "hex")]
        source: Vec<u8>,
    },
}

#[derive(Serialize, Deserialize)]
enum Reply {
    Compiled(KernelBinary),
    Generic(String),
    /// MLIR refuses the model: (line, column, message).
    Refused(Vec<(u32, u32, String)>),
    Failed {
        code: String,
        message: String,
    },
}

/// Why one kernel did not compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobError {
    /// The backend reported an error.
    Failed { code: String, message: String },
    /// The worker died: its last words.
    Crashed { status: String, stderr: String },
    /// The system, or somebody, ended the worker by a signal that no backend sends itself.
    Killed { signal: i32 },
    /// No reply within the limit.
    TimedOut { seconds: u64 },
    /// The worker could not be started or spoken to.
    Unavailable { cause: String },
}

/// What a worker is asked for one kernel, the bytes of a frame: all that its answer depends on besides the worker's own
/// program and the device library's files.
///
/// # Errors
/// Text that JSON cannot have: a folder's name that is no Unicode.
pub(crate) fn kernel_request(
    target: &Target,
    kernel: &KernelSource,
    options: CodegenOptions,
) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(&Request::Kernel {
        target: target.spec(),
        kernel: kernel.clone(),
        options,
        device_library: target.device_library.clone(),
    })
}

/// The worker's side: answers requests from `input` on `output` until the pipe closes.
///
/// # Errors
/// An I/O error of the pipe itself.
pub fn serve(input: &mut dyn Read, output: &mut dyn Write) -> std::io::Result<()> {
    while let Some(bytes) = read_frame(input)? {
        let reply = match serde_json::from_slice::<Request>(&bytes) {
            Ok(request) => answer(&request),
            Err(error) => {
                Reply::Failed { code: "FX0907".into(), message: format!("malformed worker request: {error}") }
            }
        };
        write_frame(output, &serde_json::to_vec(&reply)?)?;
    }
    Ok(())
}

fn answer(request: &Request) -> Reply {
    let failed = |code: &str, message: String| Reply::Failed { code: code.into(), message };
    let (target, kernel, options, library) = match request {
        Request::Model { source } => return generic(source),
        Request::Kernel { target, kernel, options, device_library } => (target, kernel, *options, device_library),
    };
    match Target::from_spec(target) {
        Err(error) => failed(error.code(), error.to_string()),
        Ok(target) => match compile_one(&Target { device_library: library.clone(), ..target }, kernel, options) {
            Ok(binary) => Reply::Compiled(binary),
            Err(error) => failed(error.code(), error.to_string()),
        },
    }
}

fn generic(source: &[u8]) -> Reply {
    match generic_form(source) {
        Ok(text) => Reply::Generic(text),
        Err(said) => Reply::Refused(said.into_iter().map(|d| (d.line, d.column, d.message)).collect()),
    }
}

/// The bytes of the next frame; `None` where the pipe is closed.
///
/// # Errors
/// Those of the pipe; a frame of more than `FRAME_LIMIT`.
pub fn read_frame(input: &mut dyn Read) -> std::io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    match input.read_exact(&mut length) {
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = u32::from_le_bytes(length);
    if length > FRAME_LIMIT {
        return Err(std::io::Error::other(format!("frame of {length} bytes")));
    }
    let mut bytes = vec![0; length as usize];
    input.read_exact(&mut bytes)?;
    Ok(Some(bytes))
}

/// Writes a frame.
///
/// # Errors
/// Those of the pipe; a frame of more than `FRAME_LIMIT`.
pub fn write_frame(output: &mut dyn Write, bytes: &[u8]) -> std::io::Result<()> {
    let length = u32::try_from(bytes.len()).ok().filter(|&n| n <= FRAME_LIMIT);
    let length = length.ok_or_else(|| std::io::Error::other("frame too long"))?;
    output.write_all(&length.to_le_bytes())?;
    output.write_all(bytes)?;
    output.flush()
}

/// The compiler's side: one worker, started on the first job and again after each death.
pub struct Connection<'a> {
    worker: &'a Worker,
    running: Option<Running>,
}

struct Running {
    child: Child,
    input: ChildStdin,
    frames: Receiver<Vec<u8>>,
    stderr: Receiver<String>,
}

impl<'a> Connection<'a> {
    pub fn new(worker: &'a Worker) -> Self {
        Connection { worker, running: None }
    }

    /// Compiles one kernel.
    pub fn compile(
        &mut self,
        target: &Target,
        kernel: &KernelSource,
        options: CodegenOptions,
    ) -> Result<KernelBinary, JobError> {
        let Worker::Process(program) = self.worker else {
            return compile_one(target, kernel, options)
                .map_err(|e| JobError::Failed { code: e.code().into(), message: e.to_string() });
        };
        let reply = kernel_request(target, kernel, options)
            .map_err(unavailable)
            .and_then(|bytes| self.exchange(program, &bytes));
        if machine_spec(target).is_spirv() {
            // LLVM writes one such module a process.
            self.end();
        }
        match reply? {
            Reply::Compiled(binary) => Ok(binary),
            Reply::Failed { code, message } => Err(JobError::Failed { code, message }),
            _ => Err(unavailable("the worker answered another question")),
        }
    }

    /// A model in generic text, or what MLIR says against it.
    pub fn generic_form(&mut self, source: &[u8]) -> Result<Result<String, Vec<Refusal>>, JobError> {
        let reply = match self.worker {
            Worker::Process(program) => {
                let request = Request::Model { source: source.to_vec() };
                self.exchange(program, &serde_json::to_vec(&request).map_err(unavailable)?)?
            }
            Worker::InProcess => generic(source),
        };
        match reply {
            Reply::Generic(text) => Ok(Ok(text)),
            Reply::Refused(said) => {
                let refusal = |(line, column, message)| Refusal { line, column, message };
                Ok(Err(said.into_iter().map(refusal).collect()))
            }
            Reply::Failed { code, message } => Err(JobError::Failed { code, message }),
            Reply::Compiled(_) => Err(unavailable("the worker answered another question")),
        }
    }

    /// Lets the worker end; the next job starts another.
    fn end(&mut self) {
        if let Some(running) = self.running.take() {
            let Running { mut child, input, .. } = running;
            drop(input);
            // The worker ends when its input closes; its status says nothing more.
            let _ = child.wait();
        }
    }

    /// One request and its reply.
    fn exchange(&mut self, program: &Path, request: &[u8]) -> Result<Reply, JobError> {
        let mut running = match self.running.take() {
            Some(running) => running,
            None => Running::start(program)?,
        };
        // A worker that died mid-write shows itself in the reply below.
        let sent = write_frame(&mut running.input, request);
        let reply = match running.frames.recv_timeout(JOB_LIMIT) {
            Ok(frame) => frame,
            Err(RecvTimeoutError::Timeout) => {
                running.kill();
                return Err(JobError::TimedOut { seconds: JOB_LIMIT.as_secs() });
            }
            Err(RecvTimeoutError::Disconnected) => return Err(running.last_words(sent)),
        };
        self.running = Some(running);
        serde_json::from_slice(&reply).map_err(unavailable)
    }
}

impl Drop for Connection<'_> {
    fn drop(&mut self) {
        self.end();
    }
}

fn unavailable(cause: impl std::fmt::Display) -> JobError {
    JobError::Unavailable { cause: cause.to_string() }
}

impl Running {
    fn start(program: &Path) -> Result<Running, JobError> {
        let mut child = Command::new(program)
            .arg(WORKER_ARGUMENT)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(unavailable)?;
        let (Some(input), Some(mut output), Some(mut errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(unavailable("the worker has no pipes"));
        };
        let (frame_sender, frames) = channel();
        std::thread::spawn(move || {
            while let Ok(Some(frame)) = read_frame(&mut output) {
                if frame_sender.send(frame).is_err() {
                    break;
                }
            }
        });
        let (stderr_sender, stderr) = channel();
        std::thread::spawn(move || {
            let mut text = Vec::new();
            let _ = errors.read_to_end(&mut text);
            let _ = stderr_sender.send(String::from_utf8_lossy(&text).into_owned());
        });
        Ok(Running { child, input, frames, stderr })
    }

    fn kill(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    fn last_words(mut self, sent: std::io::Result<()>) -> JobError {
        drop(self.input);
        let status = match self.child.wait() {
            Ok(status) => match killed_by(status) {
                Some(signal) => return JobError::Killed { signal },
                None => status.to_string(),
            },
            Err(error) => error.to_string(),
        };
        let mut stderr = self.stderr.recv_timeout(Duration::from_secs(5)).unwrap_or_default();
        if let Err(error) = sent {
            stderr = format!("{stderr}{error}");
        }
        let first_lines: Vec<&str> = stderr.lines().filter(|l| !l.trim().is_empty()).take(4).collect();
        JobError::Crashed { status, stderr: first_lines.join("\n") }
    }
}

/// Signals from outside: interrupt, kill, termination, limit of processor time.
const FROM_OUTSIDE: &[i32] = &[2, 9, 15, 24];

/// The signal from outside that ended a process.
#[cfg(unix)]
fn killed_by(status: ExitStatus) -> Option<i32> {
    use std::os::unix::process::ExitStatusExt;

    status.signal().filter(|signal| FROM_OUTSIDE.contains(signal))
}

#[cfg(not(unix))]
fn killed_by(_: ExitStatus) -> Option<i32> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job() -> (Target, KernelSource) {
        let target = Target::from_spec("cuda:sm_80").unwrap();
        (target, KernelSource { name: "k".into(), mlir: "module {}".into() })
    }

    #[test]
    fn a_worker_that_dies_is_an_error_and_the_next_job_gets_another() {
        let (target, kernel) = job();
        // `false` ends at once, as a backend's abort would.
        let worker = Worker::Process(PathBuf::from("false"));
        let mut connection = Connection::new(&worker);
        for _ in 0..2 {
            let error = connection.compile(&target, &kernel, CodegenOptions::default()).unwrap_err();
            assert!(matches!(error, JobError::Crashed { .. }), "{error:?}");
        }
        let worker = Worker::Process(PathBuf::from("no-such-program-here"));
        let error = Connection::new(&worker).compile(&target, &kernel, CodegenOptions::default()).unwrap_err();
        assert!(matches!(error, JobError::Unavailable { .. }), "{error:?}");
    }

    /// Who is out of memory is not told to report a fault.
    #[cfg(unix)]
    #[test]
    fn a_worker_that_the_system_kills_is_no_fault_of_ours() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("killed");
        std::fs::write(&script, "#!/bin/sh\nkill -9 $$\n").unwrap();
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
        let (target, kernel) = job();
        let worker = Worker::Process(script);
        let error = Connection::new(&worker).compile(&target, &kernel, CodegenOptions::default()).unwrap_err();
        assert_eq!(error, JobError::Killed { signal: 9 });
        let shown = crate::errors::CompileError::kernel("k", "cuda:sm_80", &error, None);
        assert_eq!((shown.code.as_str(), shown.fault), ("FX0911", crate::errors::Fault::Environment));
        assert!(shown.message.contains("signal 9") && shown.message.contains("out of memory"), "{}", shown.message);
        assert!(!shown.message.contains("fault of Fornax"), "{}", shown.message);
    }

    #[test]
    fn a_crash_is_reported_with_its_reproducer() {
        let crash =
            JobError::Crashed { status: "signal: 6 (SIGABRT)".into(), stderr: "LLVM ERROR: Cannot select".into() };
        let error = crate::errors::CompileError::kernel("k", "cuda:sm_80", &crash, Some("fornax-reproducer-1.mlir"));
        assert_eq!(error.code, "FX0902");
        assert!(error.message.contains("fornax-reproducer-1.mlir") && error.message.contains("Cannot select"));
    }
}
