//! Text on stdout. A reader that stops reading (`fornax list-targets | head`) ends the program quietly as SIGPIPE would, and a
//! full disk is an error with its code, where `println!` would panic.

use std::fmt::Arguments;
use std::io::{Error, ErrorKind, Write};

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
    let mut out = std::io::stdout().lock();
    done(out.write_fmt(text).and_then(|()| out.write_all(b"\n")));
}

/// Writes bytes as they are, and all that is buffered.
pub fn bytes(bytes: &[u8]) {
    let mut out = std::io::stdout().lock();
    done(out.write_all(bytes).and_then(|()| out.flush()));
}

/// Writes what is still buffered, before the program ends.
pub fn finish() {
    done(std::io::stdout().lock().flush());
}

fn done(result: Result<(), Error>) {
    let Err(error) = result else { return };
    if error.kind() == ErrorKind::BrokenPipe {
        std::process::exit(EXIT_SIGPIPE);
    }
    messages::error(&format!(
        "error[FX0802]: cannot write to stdout: {error}\n  help: what was printed before is not complete"
    ));
    std::process::exit(1);
}
