//! numpy's .npz files: a zip archive of .npy members, as `numpy.savez` writes it (stored, not compressed).
//!
//! Only the central directory is believed; each member's local header must agree with it in place and name.
//! Offsets and sizes are checked against the file before use, zip64 is understood, compression is refused.

use std::path::Path;
use std::sync::Arc;

use super::{Tensor, npy};
use crate::errors::{Result, RuntimeError};
use crate::mapping::Mapping;

/// Most members of an archive.
const MAX_MEMBERS: usize = 1 << 20;

fn bad(message: impl Into<String>) -> RuntimeError {
    RuntimeError::input("FX0828", message)
}

struct Member {
    /// Without `.npy`.
    name: String,
    start: usize,
    len: usize,
}

/// An open archive.
pub struct Npz {
    file: Arc<Mapping>,
    members: Vec<Member>,
}

impl Npz {
    /// Maps the file and reads its directory.
    pub fn open(path: &Path) -> Result<Npz> {
        let file = Arc::new(Mapping::open(path)?);
        let members = directory(file.bytes()).map_err(|e| e.context(path.display()))?;
        Ok(Npz { file, members })
    }

    /// Names of the arrays, in file order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.members.iter().map(|member| member.name.as_str())
    }

    /// One array.
    pub fn read(&self, name: &str) -> Result<Tensor> {
        let wanted = name.strip_suffix(".npy").unwrap_or(name);
        let member = self.members.iter().find(|member| member.name == wanted).ok_or_else(|| {
            let names: Vec<&str> = self.names().take(20).collect();
            RuntimeError::input("FX0830", format!("no array `{wanted}`; the file holds: {}", names.join(", ")))
        })?;
        self.member(member)
    }

    /// All arrays, in file order.
    pub fn read_all(&self) -> Result<Vec<Tensor>> {
        self.members.iter().map(|member| self.member(member)).collect()
    }

    fn member(&self, member: &Member) -> Result<Tensor> {
        let bytes = self.file.bytes().get(member.start..member.start + member.len).unwrap_or_default();
        npy::read(bytes).map(|read| read.0).map_err(|e| e.context(format_args!("array {}", member.name)))
    }
}

/// Little-endian number of `width` bytes at `at`.
fn number(bytes: &[u8], at: usize, width: usize) -> Result<u64> {
    let end = at.checked_add(width).ok_or_else(|| bad("an offset is out of range"))?;
    let field = bytes.get(at..end).ok_or_else(|| bad("the file is cut off"))?;
    Ok(field.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
}

fn directory(bytes: &[u8]) -> Result<Vec<Member>> {
    let (count, mut at) = end_record(bytes)?;
    let mut members: Vec<Member> = Vec::new();
    for _ in 0..count {
        if number(bytes, at, 4)? != 0x0201_4b50 {
            return Err(bad("the archive's directory is broken"));
        }
        let (flags, method) = (number(bytes, at + 8, 2)?, number(bytes, at + 10, 2)?);
        let name_len = number(bytes, at + 28, 2)? as usize;
        let extra_len = number(bytes, at + 30, 2)? as usize;
        let comment_len = number(bytes, at + 32, 2)? as usize;
        let name = bytes.get(at + 46..at + 46 + name_len).ok_or_else(|| bad("the file is cut off"))?;
        let name = std::str::from_utf8(name).map_err(|_| bad("a member's name is not UTF-8"))?;
        if method != 0 || flags & 1 != 0 {
            return Err(bad(format!("member {name} is compressed or encrypted; only stored members are read")));
        }
        let mut sizes = [number(bytes, at + 24, 4)?, number(bytes, at + 20, 4)?, number(bytes, at + 42, 4)?];
        let extra = bytes.get(at + 46 + name_len..at + 46 + name_len + extra_len).unwrap_or_default();
        wide_sizes(extra, &mut sizes)?;
        let [len, stored, local] = sizes.map(|size| size as usize);
        if len != stored {
            return Err(bad(format!("member {name}: two sizes that disagree")));
        }
        let start = data_start(bytes, local, name)?;
        if start.checked_add(len).is_none_or(|end| end > bytes.len()) {
            return Err(bad(format!("member {name} lies outside of the file")));
        }
        let name = name.strip_suffix(".npy").unwrap_or(name).to_string();
        if members.iter().any(|member| member.name == name) {
            return Err(bad(format!("two members named {name}")));
        }
        members.push(Member { name, start, len });
        at += 46 + name_len + extra_len + comment_len;
    }
    Ok(members)
}

/// Number of members and offset of the directory.
fn end_record(bytes: &[u8]) -> Result<(usize, usize)> {
    let last = bytes.len().checked_sub(22).ok_or_else(|| bad("not a zip archive: too short"))?;
    let first = last.saturating_sub(65_535);
    let at = (first..=last).rev().find(|at| bytes.get(*at..*at + 4) == Some(b"PK\x05\x06"));
    let at = at.ok_or_else(|| bad("not a zip archive: no directory at its end"))?;
    let mut count = number(bytes, at + 10, 2)?;
    let mut offset = number(bytes, at + 16, 4)?;
    if count == 0xffff || offset == 0xffff_ffff {
        let locator = at.checked_sub(20).ok_or_else(|| bad("the zip64 locator is missing"))?;
        if number(bytes, locator, 4)? != 0x0706_4b50 {
            return Err(bad("the zip64 locator is missing"));
        }
        let wide = number(bytes, locator + 8, 8)? as usize;
        if number(bytes, wide, 4)? != 0x0606_4b50 {
            return Err(bad("the zip64 end record is missing"));
        }
        count = number(bytes, wide.saturating_add(32), 8)?;
        offset = number(bytes, wide.saturating_add(48), 8)?;
    }
    if count as usize > MAX_MEMBERS || offset as usize > bytes.len() {
        return Err(bad("the archive's directory lies outside of the file"));
    }
    Ok((count as usize, offset as usize))
}

/// Replaces sizes of all ones by the zip64 extra field's, in their order.
fn wide_sizes(extra: &[u8], sizes: &mut [u64; 3]) -> Result<()> {
    let mut at = 0;
    while at + 4 <= extra.len() {
        let (id, len) = (number(extra, at, 2)?, number(extra, at + 2, 2)? as usize);
        if id == 1 {
            let mut field = at + 4;
            for size in sizes.iter_mut().filter(|size| **size == 0xffff_ffff) {
                *size = number(extra, field, 8)?;
                field += 8;
            }
        }
        at += 4 + len;
    }
    Ok(())
}

/// Where a member's bytes start: behind its local header.
fn data_start(bytes: &[u8], local: usize, name: &str) -> Result<usize> {
    if local > bytes.len() || number(bytes, local, 4)? != 0x0403_4b50 {
        return Err(bad(format!("member {name}: no local header where the directory points")));
    }
    let name_len = number(bytes, local + 26, 2)? as usize;
    let extra_len = number(bytes, local + 28, 2)? as usize;
    if bytes.get(local + 30..local + 30 + name_len) != Some(name.as_bytes()) {
        return Err(bad(format!("member {name}: its local header has another name")));
    }
    Ok(local + 30 + name_len + extra_len)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::TensorType;

    /// A stored zip archive, as numpy.savez writes it without zip64.
    fn archive(members: &[(&str, Vec<u8>)], method: u16) -> Vec<u8> {
        let (mut out, mut directory) = (Vec::new(), Vec::new());
        for (name, data) in members {
            let offset = out.len() as u32;
            let size = (data.len() as u32).to_le_bytes();
            let name_len = (name.len() as u16).to_le_bytes();
            let common = [&[0, 0][..], &method.to_le_bytes(), &[0; 8], &size, &size, &name_len, &[0, 0]].concat();
            out.extend([b"PK\x03\x04", &[20, 0][..], &common, name.as_bytes(), data].concat());
            directory.extend([b"PK\x01\x02", &[20, 0, 20, 0][..], &common, &[0; 10]].concat());
            directory.extend([&offset.to_le_bytes(), name.as_bytes()].concat());
        }
        let (at, count) = (out.len() as u32, (members.len() as u16).to_le_bytes());
        let size = (directory.len() as u32).to_le_bytes();
        out.extend(&directory);
        out.extend([b"PK\x05\x06", &[0; 4][..], &count, &count, &size, &at.to_le_bytes(), &[0, 0]].concat());
        out
    }

    fn open(bytes: &[u8]) -> Result<Npz> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.npz");
        std::fs::write(&path, bytes).unwrap();
        Npz::open(&path)
    }

    fn array(text: &str) -> Vec<u8> {
        let mut out = Vec::new();
        npy::write(&Tensor::zeros(TensorType::parse(text).unwrap()).unwrap(), &mut out);
        out
    }

    #[test]
    fn stored_members_read_and_others_are_refused() {
        let bytes = archive(&[("a.npy", array("2xf32")), ("b.npy", array("i8"))], 0);
        let npz = open(&bytes).unwrap();
        assert_eq!(npz.names().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(npz.read("b").unwrap().ty().to_string(), "i8");
        assert_eq!(npz.read("c").unwrap_err().code(), "FX0830");
        let compressed = archive(&[("a.npy", array("2xf32"))], 8);
        assert!(open(&compressed).err().unwrap().message().contains("compressed"));
        assert!(open(b"nothing").is_err());
    }

    #[test]
    fn no_truncation_or_changed_byte_panics() {
        let bytes = archive(&[("a.npy", array("2xf32"))], 0);
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.npz");
        for at in 0..bytes.len() {
            for changed in [bytes[..at].to_vec(), [&bytes[..at], &[0xff], &bytes[at + 1..]].concat()] {
                std::fs::write(&path, changed).unwrap();
                if let Ok(npz) = Npz::open(&path) {
                    let _ = npz.read_all();
                }
            }
        }
    }
}
