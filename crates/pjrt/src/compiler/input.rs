//! The input of a process as a socket. To write to a pipe whose reader is gone raises SIGPIPE, which ends a program
//! that does not ignore it, as programs in C do; a write to such a socket is an error and no more.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Stdio;

/// Our end, and what the process gets as its input.
pub fn pair() -> io::Result<(UnixStream, Stdio)> {
    let (ours, given) = UnixStream::pair()?;
    Ok((ours, Stdio::from(OwnedFd::from(given))))
}
