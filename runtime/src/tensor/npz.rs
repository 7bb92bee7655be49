//! numpy's .npz files: a zip archive of .npy members, as `numpy.savez` (stored) and `numpy.savez_compressed` (deflate)
//! write it.
//!
//! Only the central directory is believed; each member's local header must agree with it in place and name.
//! Offsets and sizes are checked against the file before use, zip64 is understood, other compression is refused.
//! Every member's CRC-32 is checked when it is read.
//!
//! A member that says it is large costs memory only if it can be: no more than deflate can pack into its bytes, exactly
//! what the array in it takes by its own header, no more than is free. Members do not overlap, so each byte of the
//! file is unpacked once.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use miniz_oxide::inflate::{TINFLStatus, decompress_slice_iter_to_slice};

use super::{Tensor, npy, zeroed};
use crate::errors::{Result, RuntimeError};
use crate::mapping::Mapping;

/// Most members of an archive.
const MAX_MEMBERS: usize = 1 << 20;
/// Most bytes that deflate makes of one: 258 bytes of two bits.
const DEFLATE_RATIO: u64 = 1032;
/// Bytes in which the header of an array ends, if it is one.
const HEADER_BYTES: usize = npy::MAX_HEADER_BYTES + 12;

/// How a member is packed, by zip's number.
const STORED: u64 = 0;
const DEFLATED: u64 = 8;

fn bad(message: impl Into<String>) -> RuntimeError {
    RuntimeError::input("FX0828", message)
}

struct Member {
    /// Without `.npy`.
    name: String,
    /// In the file.
    packed: Range<usize>,
    deflated: bool,
    /// Bytes of the array's file.
    len: usize,
    crc: u32,
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
        let packed = self.file.bytes().get(member.packed.clone()).unwrap_or_default();
        let read = if member.deflated {
            unpack(packed, member.len).and_then(|bytes| checked(&bytes, member.crc))
        } else {
            checked(packed, member.crc)
        };
        read.map_err(|e| e.context(format_args!("array {}", member.name)))
    }
}

/// The array in a member's bytes, which must be those that the archive was made of.
fn checked(bytes: &[u8], crc: u32) -> Result<Tensor> {
    let found = crc32fast::hash(bytes);
    if found != crc {
        return Err(bad(format!("its CRC-32 is {found:08x}, the archive says {crc:08x}: the file is damaged")));
    }
    npy::read(bytes).map(|read| read.0)
}

/// Undoes deflate, for an array of `len` bytes with its header.
fn unpack(packed: &[u8], len: usize) -> Result<Vec<u8>> {
    if len as u64 > (packed.len() as u64).saturating_mul(DEFLATE_RATIO) {
        return Err(bad(format!("{} bytes cannot hold the {len} that the archive says", packed.len())));
    }
    let mut start = vec![0; len.min(HEADER_BYTES)];
    inflate(packed, &mut start)?;
    let wanted = npy::file_bytes(&start)?;
    if wanted != len {
        return Err(bad(format!("the archive says {len} bytes, the array takes {wanted}")));
    }
    let free = crate::drivers::free_memory();
    if len as u64 > free {
        return Err(bad(format!("it takes {len} bytes, more than the {free} that are free")));
    }
    let mut bytes = zeroed(len)?;
    if !inflate(packed, &mut bytes)? {
        return Err(bad(format!("it unpacks to more than the {len} bytes that the archive says")));
    }
    Ok(bytes)
}

/// Fills `out`; whether the packed bytes end with it.
fn inflate(packed: &[u8], out: &mut [u8]) -> Result<bool> {
    match decompress_slice_iter_to_slice(out, std::iter::once(packed), false, true) {
        Ok(len) if len == out.len() => Ok(true),
        Ok(len) => Err(bad(format!("it unpacks to {len} bytes, fewer than the archive says"))),
        Err(TINFLStatus::HasMoreOutput) => Ok(false),
        Err(_) => Err(bad("its packed bytes are damaged")),
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
        let crc = number(bytes, at + 16, 4)? as u32;
        let name_len = number(bytes, at + 28, 2)? as usize;
        let extra_len = number(bytes, at + 30, 2)? as usize;
        let comment_len = number(bytes, at + 32, 2)? as usize;
        let name = bytes.get(at + 46..at + 46 + name_len).ok_or_else(|| bad("the file is cut off"))?;
        let name = std::str::from_utf8(name).map_err(|_| bad("a member's name is not UTF-8"))?;
        if flags & 1 != 0 {
            return Err(bad(format!("member {name} is encrypted")));
        }
        if !matches!(method, STORED | DEFLATED) {
            let what = "only stored and deflated members are read";
            return Err(bad(format!("member {name} is compressed by zip's method {method}; {what}")));
        }
        let mut sizes = [number(bytes, at + 24, 4)?, number(bytes, at + 20, 4)?, number(bytes, at + 42, 4)?];
        let extra = bytes.get(at + 46 + name_len..at + 46 + name_len + extra_len).unwrap_or_default();
        wide_sizes(extra, &mut sizes)?;
        let [len, stored, local] = sizes.map(|size| size as usize);
        if method == STORED && len != stored {
            return Err(bad(format!("member {name}: two sizes that disagree")));
        }
        let start = data_start(bytes, local, name)?;
        let end = start.checked_add(stored).filter(|end| *end <= bytes.len());
        let end = end.ok_or_else(|| bad(format!("member {name} lies outside of the file")))?;
        let name = name.strip_suffix(".npy").unwrap_or(name).to_string();
        if members.iter().any(|member| member.name == name) {
            return Err(bad(format!("two members named {name}")));
        }
        members.push(Member { name, packed: start..end, deflated: method == DEFLATED, len, crc });
        at += 46 + name_len + extra_len + comment_len;
    }
    let mut places: Vec<&Member> = members.iter().collect();
    places.sort_unstable_by_key(|member| member.packed.start);
    for pair in places.windows(2) {
        if let [first, second] = pair
            && first.packed.end > second.packed.start
        {
            return Err(bad(format!("members {} and {} overlap", first.name, second.name)));
        }
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

    /// A zip archive, as numpy.savez writes it without zip64; `pack` gives a member's bytes in the file.
    fn archive(members: &[(&str, Vec<u8>)], method: u16, pack: fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
        let (mut out, mut directory) = (Vec::new(), Vec::new());
        for (name, data) in members {
            let (offset, packed, crc) = (out.len() as u32, pack(data), crc32fast::hash(data).to_le_bytes());
            let sizes = [packed.len(), data.len()].map(|size| (size as u32).to_le_bytes()).concat();
            let name_len = (name.len() as u16).to_le_bytes();
            let common = [&[0, 0][..], &method.to_le_bytes(), &[0; 4], &crc, &sizes, &name_len, &[0, 0]].concat();
            out.extend([b"PK\x03\x04", &[20, 0][..], &common, name.as_bytes(), &packed].concat());
            directory.extend([b"PK\x01\x02", &[20, 0, 20, 0][..], &common, &[0; 10]].concat());
            directory.extend([&offset.to_le_bytes(), name.as_bytes()].concat());
        }
        let (at, count) = (out.len() as u32, (members.len() as u16).to_le_bytes());
        let size = (directory.len() as u32).to_le_bytes();
        out.extend(&directory);
        out.extend([b"PK\x05\x06", &[0; 4][..], &count, &count, &size, &at.to_le_bytes(), &[0, 0]].concat());
        out
    }

    fn stored(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
        archive(members, 0, <[u8]>::to_vec)
    }

    fn deflate(bytes: &[u8]) -> Vec<u8> {
        miniz_oxide::deflate::compress_to_vec(bytes, 6)
    }

    fn deflated(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
        archive(members, 8, deflate)
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
    fn stored_and_deflated_members_read_and_others_are_refused() {
        let members = [("a.npy", array("2xf32")), ("b.npy", array("i8")), ("c.npy", array("300x100xf64"))];
        for bytes in [stored(&members), deflated(&members)] {
            let npz = open(&bytes).unwrap();
            assert_eq!(npz.names().collect::<Vec<_>>(), ["a", "b", "c"]);
            assert_eq!(npz.read("b").unwrap().ty().to_string(), "i8");
            assert_eq!(npz.read_all().unwrap()[2].ty().to_string(), "300x100xf64");
            assert_eq!(npz.read("d").unwrap_err().code(), "FX0830");
        }
        let other = archive(&members, 12, <[u8]>::to_vec);
        assert!(open(&other).err().unwrap().message().contains("method 12"));
        assert!(open(b"nothing").is_err());
    }

    #[test]
    fn every_changed_bit_of_a_member_is_found() {
        let members = [("a.npy", array("5x3xf32"))];
        for bytes in [stored(&members), deflated(&members)] {
            let packed = open(&bytes).unwrap().members[0].packed.clone();
            for bit in packed.start * 8..packed.end * 8 {
                let mut changed = bytes.clone();
                changed[bit / 8] ^= 1 << (bit % 8);
                // Bits behind the end of the packed stream mean nothing.
                if let Ok(tensor) = open(&changed).unwrap().read("a") {
                    assert_eq!(tensor.bytes(), [0; 60], "bit {bit}");
                    assert!(bit >= packed.end * 8 - 8, "bit {bit}");
                }
            }
        }
    }

    #[test]
    fn archives_that_unpack_to_more_than_they_say_are_refused_before_memory_is_taken() {
        // A small array, then zeros without end.
        let padded = |zeros: usize| [array("2xf32"), vec![0; zeros]].concat();
        let error = |bytes: &[u8]| open(bytes).unwrap().read("a").unwrap_err().message().to_string();
        assert!(error(&deflated(&[("a.npy", padded(1 << 22))])).contains("the array takes 136"));
        // The directory says another size: less than there is, more than can be.
        let size_at = |bytes: &[u8]| bytes.windows(4).position(|w| w == b"PK\x01\x02").unwrap() + 24;
        for (size, what) in [(136u32, "more than the 136 bytes"), (u32::MAX - 1, "cannot hold")] {
            let mut bytes = deflated(&[("a.npy", padded(100))]);
            let at = size_at(&bytes);
            bytes[at..at + 4].copy_from_slice(&size.to_le_bytes());
            assert!(error(&bytes).contains(what), "{}", error(&bytes));
        }
        // Two names for the same bytes.
        let mut bytes = stored(&[("a.npy", array("2xf32")), ("a.npz", array("2xf32"))]);
        let second = bytes.windows(4).rposition(|w| w == b"PK\x01\x02").unwrap();
        bytes[second + 42..second + 46].fill(0);
        bytes[second + 46..second + 51].copy_from_slice(b"a.npy");
        assert!(open(&bytes).is_err());
    }

    #[test]
    fn no_truncation_or_changed_byte_panics() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.npz");
        for bytes in [stored(&[("a.npy", array("2xf32"))]), deflated(&[("a.npy", array("2xf32"))])] {
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
}
