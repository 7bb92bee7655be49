//! GGUF: the header.
//!
//! Magic, version, number of tensors, number of keys; the keys, each with a typed value; for each tensor its name,
//! sizes (innermost first), kind and offset; then, from the next multiple of the alignment on, the data.
//!
//! Limits: versions 2 and 3, little endian; [`MAX_HEADER_BYTES`]; arrays of arrays are refused, as llama.cpp does.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::{BufReader, Read};
use std::ops::Range;
use std::path::Path;

use crate::FileError;
use crate::blocks::Kind;

/// The bytes that every file begins with.
pub const MAGIC: [u8; 4] = *b"GGUF";
/// Longest header read, bytes. A vocabulary of 256,000 words with its merges takes 12 MB.
pub const MAX_HEADER_BYTES: u64 = 256 << 20;
/// Where the data begins, where no key says it: a multiple of this, bytes (the format's default).
pub(crate) const ALIGNMENT: u64 = 32;
/// The key that says it.
pub(crate) const ALIGNMENT_KEY: &str = "general.alignment";
/// Sizes of a tensor at most (`GGML_MAX_DIMS`).
const MAX_RANK: u32 = 4;

/// The value of a key. Numbers of every width are the widest of their class.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Bool(bool),
    String(String),
    Integers(Vec<i64>),
    Floats(Vec<f32>),
    Bools(Vec<bool>),
    Strings(Vec<String>),
}

/// One tensor of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    pub kind: &'static Kind,
    /// Sizes in elements, outermost first.
    pub shape: Vec<u64>,
    /// Bytes in the file.
    pub range: Range<u64>,
}

/// The header of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Gguf {
    pub values: BTreeMap<String, Value>,
    /// In the file's order.
    pub entries: Vec<Entry>,
}

fn bad(message: impl Into<String>) -> FileError {
    FileError::broken_gguf(message)
}

impl Gguf {
    /// Reads the header of a file.
    ///
    /// # Errors
    /// FX1001 and FX1002, each with the file's name.
    pub fn open(path: &Path) -> Result<Gguf, FileError> {
        let unreadable = |error: std::io::Error| bad(format!("{}: {error}", path.display()));
        let file = File::open(path).map_err(unreadable)?;
        let bytes = file.metadata().map_err(unreadable)?.len();
        Gguf::read(&mut BufReader::new(file), bytes).map_err(|error| error.context(path.display()))
    }

    /// Reads the header of a file of `file_bytes`.
    ///
    /// # Errors
    /// FX1001 for what is broken, FX1002 for other versions and kinds.
    pub fn read(file: &mut impl Read, file_bytes: u64) -> Result<Gguf, FileError> {
        let mut header = Header { file, at: 0, end: file_bytes.min(MAX_HEADER_BYTES), place: "the header".into() };
        if header.array::<4>()? != MAGIC {
            return Err(bad("not a GGUF file: it does not begin with `GGUF`"));
        }
        check_version(header.u32()?)?;
        let (tensors, keys) = (header.u64()?, header.u64()?);
        let values = header.values(keys)?;
        let alignment = match values.get(ALIGNMENT_KEY) {
            None => ALIGNMENT,
            Some(&Value::Unsigned(alignment)) if alignment.is_power_of_two() && alignment <= 1 << 30 => alignment,
            Some(other) => return Err(bad(format!("{ALIGNMENT_KEY} is {other:?}: it must be a power of two"))),
        };
        let mut entries = header.entries(tensors)?;
        let data_at = header.at.next_multiple_of(alignment);
        let mut names = HashSet::new();
        for entry in &mut entries {
            place(entry, (data_at, alignment), file_bytes)?;
            if !names.insert(entry.name.as_str()) {
                return Err(bad(format!("two tensors named {}", entry.name)));
            }
        }
        Ok(Gguf { values, entries })
    }

    /// The text of a key.
    pub fn string(&self, key: &str) -> Option<&str> {
        match self.values.get(key)? {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The number of a key that counts something.
    pub fn count(&self, key: &str) -> Option<u64> {
        match *self.values.get(key)? {
            Value::Unsigned(count) => Some(count),
            Value::Signed(count) => u64::try_from(count).ok(),
            _ => None,
        }
    }

    /// The number of a key.
    pub fn number(&self, key: &str) -> Option<f64> {
        match *self.values.get(key)? {
            Value::Float(number) => Some(number),
            Value::Unsigned(number) => Some(number as f64),
            Value::Signed(number) => Some(number as f64),
            _ => None,
        }
    }

    /// Yes or no, of a key.
    pub fn bool(&self, key: &str) -> Option<bool> {
        match *self.values.get(key)? {
            Value::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The texts of a key.
    pub fn strings(&self, key: &str) -> Option<&[String]> {
        match self.values.get(key)? {
            Value::Strings(texts) => Some(texts),
            _ => None,
        }
    }

    /// The integers of a key.
    pub fn integers(&self, key: &str) -> Option<&[i64]> {
        match self.values.get(key)? {
            Value::Integers(numbers) => Some(numbers),
            _ => None,
        }
    }

    /// The floats of a key.
    pub fn floats(&self, key: &str) -> Option<&[f32]> {
        match self.values.get(key)? {
            Value::Floats(numbers) => Some(numbers),
            _ => None,
        }
    }
}

fn check_version(version: u32) -> Result<(), FileError> {
    match version {
        2 | 3 => Ok(()),
        other if matches!(other.swap_bytes(), 2 | 3) => Err(FileError::unknown_gguf("the file is big endian")),
        other => Err(FileError::unknown_gguf(format!("version {other} of GGUF"))),
    }
}

/// Turns a tensor's offset in the data into its place in the file.
fn place(entry: &mut Entry, (data_at, alignment): (u64, u64), file_bytes: u64) -> Result<(), FileError> {
    let (name, kind, offset) = (&entry.name, entry.kind, entry.range.start);
    let innermost = entry.shape.last().copied().unwrap_or(1);
    if !innermost.is_multiple_of(kind.elements) {
        let (each, kind) = (kind.elements, kind.name);
        return Err(bad(format!("tensor {name}: rows of {innermost} elements are no blocks of {each} as {kind} has")));
    }
    let elements = entry.shape.iter().try_fold(1u64, |so_far, &size| so_far.checked_mul(size));
    let bytes = elements.and_then(|elements| (elements / kind.elements).checked_mul(kind.bytes));
    let start = offset.checked_add(data_at).filter(|_| offset.is_multiple_of(alignment));
    let end = start.zip(bytes).and_then(|(start, bytes)| start.checked_add(bytes));
    match start.zip(end) {
        Some((start, end)) if end <= file_bytes => entry.range = start..end,
        _ => {
            let shape = format!("{} {:?} at {offset}", kind.name, entry.shape);
            return Err(bad(format!("tensor {name} ({shape}) does not lie in the file of {file_bytes} bytes")));
        }
    }
    Ok(())
}

/// A header on its way: how far it was read, and how far it may reach.
struct Header<'a, R> {
    file: &'a mut R,
    at: u64,
    end: u64,
    /// What is being read, for errors.
    place: String,
}

/// Types of values, by their numbers in files.
pub(crate) mod types {
    pub const U8: u32 = 0;
    pub const I8: u32 = 1;
    pub const U16: u32 = 2;
    pub const I16: u32 = 3;
    pub const U32: u32 = 4;
    pub const I32: u32 = 5;
    pub const F32: u32 = 6;
    pub const BOOL: u32 = 7;
    pub const STRING: u32 = 8;
    pub const ARRAY: u32 = 9;
    pub const U64: u32 = 10;
    pub const I64: u32 = 11;
    pub const F64: u32 = 12;
}

impl<R: Read> Header<'_, R> {
    /// Whether so many things of at least so many bytes can follow.
    fn check_count(&self, count: u64, least_bytes: u64) -> Result<(), FileError> {
        let left = self.end - self.at;
        match count.checked_mul(least_bytes) {
            Some(bytes) if bytes <= left => Ok(()),
            _ => Err(bad(format!("{}: {count} of them, where {left} bytes of the header are left", self.place))),
        }
    }

    fn bytes(&mut self, count: u64) -> Result<Vec<u8>, FileError> {
        self.check_count(count, 1)?;
        let mut bytes = Vec::new();
        let read = (&mut *self.file).take(count).read_to_end(&mut bytes);
        match read {
            Ok(read) if read as u64 == count => {
                self.at += count;
                Ok(bytes)
            }
            Ok(_) => Err(bad(format!("the file ends in {}", self.place))),
            Err(error) => Err(bad(format!("{}: {error}", self.place))),
        }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], FileError> {
        self.check_count(N as u64, 1)?;
        let mut bytes = [0; N];
        self.file.read_exact(&mut bytes).map_err(|error| bad(format!("{}: {error}", self.place)))?;
        self.at += N as u64;
        Ok(bytes)
    }

    fn u32(&mut self) -> Result<u32, FileError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn u64(&mut self) -> Result<u64, FileError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    fn string(&mut self) -> Result<String, FileError> {
        let length = self.u64()?;
        let bytes = self.bytes(length)?;
        String::from_utf8(bytes).map_err(|_| bad(format!("{}: not UTF-8", self.place)))
    }

    fn values(&mut self, keys: u64) -> Result<BTreeMap<String, Value>, FileError> {
        /// A key's length, its value's type and one byte of it.
        const LEAST_BYTES: u64 = 8 + 4 + 1;
        self.place = "the keys".into();
        self.check_count(keys, LEAST_BYTES)?;
        let mut values = BTreeMap::new();
        for _ in 0..keys {
            self.place = "a key".into();
            let key = self.string()?;
            self.place = format!("key {key}");
            let ty = self.u32()?;
            let value = self.value(ty)?;
            if values.insert(key, value).is_some() {
                return Err(bad(format!("{} stands twice", self.place)));
            }
        }
        Ok(values)
    }

    fn value(&mut self, ty: u32) -> Result<Value, FileError> {
        Ok(match ty {
            types::U8 => Value::Unsigned(u8::from_le_bytes(self.array()?).into()),
            types::U16 => Value::Unsigned(u16::from_le_bytes(self.array()?).into()),
            types::U32 => Value::Unsigned(self.u32()?.into()),
            types::U64 => Value::Unsigned(self.u64()?),
            types::I8 => Value::Signed(i8::from_le_bytes(self.array()?).into()),
            types::I16 => Value::Signed(i16::from_le_bytes(self.array()?).into()),
            types::I32 => Value::Signed(i32::from_le_bytes(self.array()?).into()),
            types::I64 => Value::Signed(i64::from_le_bytes(self.array()?)),
            types::F32 => Value::Float(f32::from_le_bytes(self.array()?).into()),
            types::F64 => Value::Float(f64::from_le_bytes(self.array()?)),
            types::BOOL => Value::Bool(self.array::<1>()? != [0]),
            types::STRING => Value::String(self.string()?),
            types::ARRAY => {
                let (of, count) = (self.u32()?, self.u64()?);
                self.values_of(of, count)?
            }
            other => return Err(bad(format!("{}: a value of type {other}", self.place))),
        })
    }

    fn values_of(&mut self, ty: u32, count: u64) -> Result<Value, FileError> {
        let integers = |header: &mut Self, bytes: u64, read: fn(&[u8]) -> i64| {
            let all = header.elements(count, bytes)?;
            Ok(Value::Integers(all.chunks_exact(bytes as usize).map(read).collect()))
        };
        match ty {
            types::U8 => integers(self, 1, |b| number(b, u8::from_le_bytes).into()),
            types::I8 => integers(self, 1, |b| number(b, i8::from_le_bytes).into()),
            types::U16 => integers(self, 2, |b| number(b, u16::from_le_bytes).into()),
            types::I16 => integers(self, 2, |b| number(b, i16::from_le_bytes).into()),
            types::U32 => integers(self, 4, |b| number(b, u32::from_le_bytes).into()),
            types::I32 => integers(self, 4, |b| number(b, i32::from_le_bytes).into()),
            types::U64 => integers(self, 8, |b| number(b, u64::from_le_bytes) as i64),
            types::I64 => integers(self, 8, |b| number(b, i64::from_le_bytes)),
            types::F32 => {
                let all = self.elements(count, 4)?;
                Ok(Value::Floats(all.chunks_exact(4).map(|b| number(b, f32::from_le_bytes)).collect()))
            }
            types::F64 => {
                let all = self.elements(count, 8)?;
                Ok(Value::Floats(all.chunks_exact(8).map(|b| number(b, f64::from_le_bytes) as f32).collect()))
            }
            types::BOOL => Ok(Value::Bools(self.elements(count, 1)?.iter().map(|&byte| byte != 0).collect())),
            types::STRING => {
                self.check_count(count, 8)?;
                Ok(Value::Strings((0..count).map(|_| self.string()).collect::<Result<_, _>>()?))
            }
            other => Err(bad(format!("{}: an array of type {other}", self.place))),
        }
    }

    fn elements(&mut self, count: u64, bytes: u64) -> Result<Vec<u8>, FileError> {
        self.check_count(count, bytes)?;
        self.bytes(count * bytes)
    }

    /// Tensors, their ranges being offsets in the data yet.
    fn entries(&mut self, tensors: u64) -> Result<Vec<Entry>, FileError> {
        /// A name's length, the number of sizes, the kind and the offset.
        const LEAST_BYTES: u64 = 8 + 4 + 4 + 8;
        self.place = "the tensors".into();
        self.check_count(tensors, LEAST_BYTES)?;
        let mut entries = Vec::new();
        for _ in 0..tensors {
            self.place = "a tensor".into();
            let name = self.string()?;
            self.place = format!("tensor {name}");
            let rank = self.u32()?;
            if rank > MAX_RANK {
                return Err(bad(format!("tensor {name}: {rank} sizes, at most {MAX_RANK}")));
            }
            let mut shape = (0..rank).map(|_| self.u64()).collect::<Result<Vec<u64>, _>>()?;
            shape.reverse();
            let code = self.u32()?;
            let unknown = || FileError::unknown_gguf(format!("tensor {name}: elements of kind {code}"));
            let kind = Kind::of_code(code).ok_or_else(unknown)?;
            let offset = self.u64()?;
            entries.push(Entry { name, kind, shape, range: offset..offset });
        }
        Ok(entries)
    }
}

/// A number of so many bytes; zero where there are fewer.
fn number<T, const N: usize>(bytes: &[u8], read: fn([u8; N]) -> T) -> T {
    read(bytes.first_chunk().copied().unwrap_or([0; N]))
}

#[cfg(test)]
#[path = "gguf_tests.rs"]
mod tests;
