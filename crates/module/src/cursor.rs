//! Little-endian reading and writing of records. The reader never reads past its end and never allocates more
//! than the bytes it was given can fill.

use crate::errors::ModuleError;
use crate::limits::{LIMITS, within};

/// Appends little-endian fields to a buffer.
#[derive(Default)]
pub struct RecordWriter {
    pub bytes: Vec<u8>,
}

impl RecordWriter {
    pub fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }

    pub fn u32(&mut self, value: u32) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub fn u64(&mut self, value: u64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// A length of at most 2^32-1: the limits checked before encoding keep every length far below.
    pub fn count(&mut self, value: usize) {
        self.u32(u32::try_from(value).unwrap_or(u32::MAX));
    }

    /// Length, then UTF-8.
    pub fn string(&mut self, value: &str) {
        self.count(value.len());
        self.bytes.extend_from_slice(value.as_bytes());
    }

    /// Count, then the values.
    pub fn u32s(&mut self, values: &[u32]) {
        self.count(values.len());
        values.iter().for_each(|v| self.u32(*v));
    }

    /// A record: kind u16, flags u16, length u32, payload.
    pub fn record(&mut self, kind: u16, must_understand: bool, payload: impl FnOnce(&mut Self)) {
        self.bytes.extend_from_slice(&kind.to_le_bytes());
        self.bytes.extend_from_slice(&u16::from(must_understand).to_le_bytes());
        let at = self.bytes.len();
        self.u32(0);
        payload(self);
        let length = u32::try_from(self.bytes.len() - at - 4).unwrap_or(u32::MAX);
        if let Some(field) = self.bytes.get_mut(at..at + 4) {
            field.copy_from_slice(&length.to_le_bytes());
        }
    }
}

/// Takes fields from the front of a slice.
pub struct RecordReader<'a> {
    rest: &'a [u8],
    /// Bytes from the start of the section, for messages.
    offset: u64,
}

impl<'a> RecordReader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, offset: 0 }
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub fn error(&self, what: impl Into<String>) -> ModuleError {
        ModuleError::Records { offset: self.offset, what: what.into() }
    }

    /// Error unless everything was read.
    pub fn finish(&self) -> Result<(), ModuleError> {
        if self.is_empty() {
            Ok(())
        } else {
            Err(self.error(format!("{} bytes too many in the record", self.rest.len())))
        }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], ModuleError> {
        let Some((taken, rest)) = self.rest.split_at_checked(count) else {
            return Err(self.error(format!("{count} bytes expected, {} left", self.rest.len())));
        };
        self.rest = rest;
        self.offset = self.offset.saturating_add(count as u64);
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ModuleError> {
        let taken = self.take(N)?;
        taken.try_into().map_err(|_| self.error("field cut short"))
    }

    pub fn u8(&mut self) -> Result<u8, ModuleError> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    pub fn u16(&mut self) -> Result<u16, ModuleError> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub fn u32(&mut self) -> Result<u32, ModuleError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub fn u64(&mut self) -> Result<u64, ModuleError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// A byte that is 0 or 1.
    pub fn flag(&mut self) -> Result<bool, ModuleError> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(self.error(format!("{other} where 0 or 1 belongs"))),
        }
    }

    /// A count of things of at least `size` bytes each, which must fit into what is left.
    pub fn count(&mut self, what: &str, size: usize, limit: u64) -> Result<usize, ModuleError> {
        let count = self.u32()?;
        within(&format!("number of {what}"), count.into(), limit)?;
        let count = count as usize;
        if count.checked_mul(size).is_none_or(|bytes| bytes > self.rest.len()) {
            return Err(self.error(format!("{count} {what} do not fit into the record")));
        }
        Ok(count)
    }

    pub fn string(&mut self, what: &str) -> Result<String, ModuleError> {
        let count = self.count(&format!("bytes of the {what}"), 1, LIMITS.name_bytes)?;
        let bytes = self.take(count)?;
        let text = std::str::from_utf8(bytes).map_err(|_| self.error(format!("{what} is not UTF-8")))?;
        Ok(text.into())
    }

    pub fn u32s(&mut self, what: &str, limit: u64) -> Result<Vec<u32>, ModuleError> {
        let count = self.count(what, 4, limit)?;
        (0..count).map(|_| self.u32()).collect()
    }

    /// The next record: kind, must-understand flag, reader of its payload.
    pub fn record(&mut self) -> Result<(u16, bool, RecordReader<'a>), ModuleError> {
        let kind = self.u16()?;
        let must_understand = match self.u16()? {
            0 => false,
            1 => true,
            flags => return Err(self.error(format!("unknown record flags {flags:#x}"))),
        };
        let length = self.u32()? as usize;
        let offset = self.offset;
        let rest = self.take(length)?;
        Ok((kind, must_understand, RecordReader { rest, offset }))
    }
}
