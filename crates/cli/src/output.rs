//! Text on stdout. A reader that stops reading (`fornax list-targets | head`) ends the program quietly as SIGPIPE
//! would, and a full disk is an error with its code, where `println!` would panic.

use std::fmt::Arguments;
use std::io::{Error, ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::sync::OnceLock;

use crate::messages;

/// What a shell says of a program that SIGPIPE ended: 128 and the number of the signal.
const EXIT_SIGPIPE: i32 = 128 + 13;

/// Prints a line to stdout.
macro_rules! say {
    ($($text:tt)*) => { $crate::output::line(format_args!($($text)*)) };
}
pub(crate) use say;

/// What `say!` calls.
pub fn line(text: Arguments) {
    check_open();
    let mut out = std::io::stdout().lock();
    done(out.write_fmt(text).and_then(|()| out.write_all(b"\n")));
}

/// Writes bytes as they are, and all that is buffered.
pub fn bytes(bytes: &[u8]) {
    check_open();
    let mut out = std::io::stdout().lock();
    done(out.write_all(bytes).and_then(|()| out.flush()));
}

/// Writes what is still buffered, before the program ends.
pub fn finish() {
    done(std::io::stdout().lock().flush());
}

/// Ends the program where it was started with stdout closed (`>&-`): what it prints would be lost without a word. Rust
/// puts `/dev/null` in the place of a closed stdout before `main`, open for reading and writing; a shell's `>
/// /dev/null` is open for writing only.
fn check_open() {
    static OPEN: OnceLock<bool> = OnceLock::new();
    let is_open = || {
        let (Ok(null), Ok(out)) = (std::fs::metadata("/dev/null"), std::fs::metadata("/proc/self/fd/1")) else {
            return true;
        };
        let is_null = null.rdev() == out.rdev() && null.ino() == out.ino() && null.dev() == out.dev();
        !(is_null
            && rustix::fs::fcntl_getfl(std::io::stdout()).is_ok_and(|flags| flags.contains(rustix::fs::OFlags::RDWR)))
    };
    if !*OPEN.get_or_init(is_open) {
        refuse("it is closed");
    }
}

fn done(result: Result<(), Error>) {
    let Err(error) = result else { return };
    if error.kind() == ErrorKind::BrokenPipe {
        std::process::exit(EXIT_SIGPIPE);
    }
    refuse(&error.to_string());
}

fn refuse(why: &str) {
    messages::error(&format!(
        "error[FX0802]: cannot write to stdout: {why}\n  help: what was printed before is not complete"
    ));
    std::process::exit(1);
}
