//! Files that a command reads whole: models, locks, lists of flags. A device is refused and a pipe ends somewhere, so
//! that no file is read for ever.

use std::fs::File;
use std::io::{Error, ErrorKind, Read};
use std::os::fd::AsFd;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use anyhow::{Context, Result};
use fornax_runtime::mapping::STREAM_BYTES;

/// The name that stands for stdin.
pub const STDIN: &str = "-";

/// The bytes of a file, or of stdin where the path is `-`.
///
/// # Errors
/// FX0803 for what cannot be read, for folders and devices, and for pipes of more than [`STREAM_BYTES`].
pub fn read(path: &Path) -> Result<Vec<u8>> {
    let (name, opened) = match path == Path::new(STDIN) {
        true => ("stdin".into(), std::io::stdin().as_fd().try_clone_to_owned().map(File::from)),
        false => (path.display().to_string(), File::open(path)),
    };
    let read = opened.and_then(|file| read_bounded(file, STREAM_BYTES));
    read.with_context(|| format!("error[FX0803]: cannot read {name}"))
}

/// As [`read`], as text.
///
/// # Errors
/// As [`read`]; FX0803 for bytes that are not UTF-8.
pub fn read_text(path: &Path) -> Result<String> {
    let text = String::from_utf8(read(path)?).map_err(|_| Error::new(ErrorKind::InvalidData, "it is not UTF-8 text"));
    text.with_context(|| format!("error[FX0803]: cannot read {}", path.display()))
}

fn read_bounded(mut file: File, most: u64) -> std::io::Result<Vec<u8>> {
    let data = file.metadata()?;
    let kind = data.file_type();
    let refuse = |what: &str| Err(Error::new(ErrorKind::InvalidInput, what.to_string()));
    if kind.is_dir() {
        return refuse("it is a folder");
    }
    // A terminal is a device too, and a model may be typed.
    if (kind.is_char_device() || kind.is_block_device()) && !std::io::IsTerminal::is_terminal(&file) {
        return refuse("it is a device, not a file");
    }
    let mut bytes = Vec::new();
    if kind.is_file() {
        file.read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return refuse(&format!("more than {most} bytes come from the pipe: write them to a file"));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_ends_is_refused() {
        for (path, why) in [("/dev/zero", "a device"), ("/", "a folder"), ("no such file", "No such file")] {
            let error = format!("{:#}", read(Path::new(path)).unwrap_err());
            assert!(error.starts_with("error[FX0803]: cannot read ") && error.contains(why), "{error}");
        }
        let (reader, mut writer) = std::io::pipe().unwrap();
        std::io::Write::write_all(&mut writer, &[1; 100]).unwrap();
        drop(writer);
        let error = read_bounded(File::from(std::os::fd::OwnedFd::from(reader)), 99).unwrap_err();
        assert!(error.to_string().contains("more than 99 bytes"), "{error}");
    }

    #[test]
    fn text_must_be_text() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t");
        std::fs::write(&path, b"\xff").unwrap();
        assert!(format!("{:#}", read_text(&path).unwrap_err()).contains("not UTF-8"));
        std::fs::write(&path, b"words").unwrap();
        assert_eq!((read_text(&path).unwrap().as_str(), read(&path).unwrap().len()), ("words", 5));
    }
}
