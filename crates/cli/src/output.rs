//! Lines on stdout. A reader that stops reading (`fornax list-targets | head`) ends the program quietly, and a full disk
//! is an error with its code, where `println!` would panic.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};

/// Prints a line to stdout.
macro_rules! say {
    ($($text:tt)*) => { $crate::output::line(format_args!($($text)*)) };
}
pub(crate) use say;

/// What `say!` calls.
pub fn line(text: Arguments) {
    let mut out = std::io::stdout().lock();
    if let Err(error) = out.write_fmt(text).and_then(|()| out.write_all(b"\n")) {
        if error.kind() == ErrorKind::BrokenPipe {
            std::process::exit(0);
        }
        eprintln!("error[FX0802]: cannot write to stdout: {error}");
        std::process::exit(1);
    }
}
