//! Reading numbers, strings and nested sections from bytes; every read is checked.
//!
//! A *varint* has 1 to 9 bytes: the number of zero bits below the lowest one bit of the first byte is the number of
//! bytes that follow. Worked example: `0x0d` = `0000110·1` is 6 in one byte; `0x02 0x01` = `…·10` is (0x0102 >> 2) = 64
//! in two.

use crate::diagnostic::Diagnostic;

pub type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// A position in a part of the file.
#[derive(Clone, Copy)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    pos: usize,
    /// Where `bytes` begin in the file, for messages.
    base: usize,
    file: &'a str,
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8], file: &'a str) -> Cursor<'a> {
        Cursor { bytes, pos: 0, base: 0, file }
    }

    /// FX0121 at the cursor.
    pub fn error(&self, message: impl std::fmt::Display) -> Box<Diagnostic> {
        let message = format!("byte {}: {message}", self.base + self.pos);
        Box::new(Diagnostic::of_file("FX0121", self.file, message).hint("export or copy the file again"))
    }

    /// FX0122 at the cursor.
    pub fn unsupported(&self, message: impl std::fmt::Display) -> Box<Diagnostic> {
        let message = format!("byte {}: {message}", self.base + self.pos);
        let hint = "export StableHLO text, or a portable artifact of an older version";
        Box::new(Diagnostic::of_file("FX0122", self.file, message).hint(hint))
    }

    pub fn at_end(&self) -> bool {
        self.pos >= self.bytes.len()
    }

    /// What is left, in bytes.
    pub fn left(&self) -> usize {
        self.bytes.len().saturating_sub(self.pos)
    }

    pub fn byte(&mut self) -> Result<u8> {
        let Some(&byte) = self.bytes.get(self.pos) else { return Err(self.error("the data end here")) };
        self.pos += 1;
        Ok(byte)
    }

    pub fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let end = self.pos.checked_add(count);
        let Some(part) = end.and_then(|end| self.bytes.get(self.pos..end)) else {
            return Err(self.error(format!("{count} bytes are wanted, {} are left", self.left())));
        };
        self.pos += count;
        Ok(part)
    }

    /// A cursor over the next `count` bytes, which are passed.
    pub fn part(&mut self, count: usize) -> Result<Cursor<'a>> {
        let base = self.base + self.pos;
        Ok(Cursor { bytes: self.take(count)?, pos: 0, base, file: self.file })
    }

    pub fn varint(&mut self) -> Result<u64> {
        let first = self.byte()?;
        if first & 1 == 1 {
            return Ok(u64::from(first >> 1));
        }
        let more = first.trailing_zeros() as usize;
        let mut wide = [0u8; 8];
        if more >= 8 {
            wide.copy_from_slice(self.take(8)?);
            return Ok(u64::from_le_bytes(wide));
        }
        wide[0] = first;
        wide[1..=more].copy_from_slice(self.take(more)?);
        Ok(u64::from_le_bytes(wide) >> (more + 1))
    }

    pub fn svarint(&mut self) -> Result<i64> {
        let value = self.varint()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// (value >> 1, lowest bit)
    pub fn flagged(&mut self) -> Result<(usize, bool)> {
        let value = self.varint()?;
        Ok((self.narrow(value >> 1)?, value & 1 == 1))
    }

    pub fn index(&mut self) -> Result<usize> {
        let value = self.varint()?;
        self.narrow(value)
    }

    fn narrow(&self, value: u64) -> Result<usize> {
        usize::try_from(value).map_err(|_| self.error(format!("{value} is too large")))
    }

    /// A count of things of at least one byte each.
    pub fn count(&mut self) -> Result<usize> {
        let count = self.index()?;
        if count > self.left() {
            return Err(self.error(format!("{count} elements cannot be in {} bytes", self.left())));
        }
        Ok(count)
    }

    pub fn svarints(&mut self) -> Result<Vec<i64>> {
        let count = self.count()?;
        (0..count).map(|_| self.svarint()).collect()
    }

    pub fn indices(&mut self) -> Result<Vec<usize>> {
        let count = self.count()?;
        (0..count).map(|_| self.index()).collect()
    }

    pub fn blob(&mut self) -> Result<&'a [u8]> {
        let count = self.index()?;
        self.take(count)
    }

    /// Bytes up to a zero, which is passed.
    pub fn until_zero(&mut self) -> Result<&'a [u8]> {
        let rest = self.bytes.get(self.pos..).unwrap_or(&[]);
        let Some(length) = rest.iter().position(|&b| b == 0) else { return Err(self.error("a string is not closed")) };
        self.pos += length + 1;
        Ok(&rest[..length])
    }

    /// An integer of a known width: a byte up to 8 bits, a signed varint up to 64, else a count of words and signed
    /// varints.
    pub fn wide_int(&mut self, bits: u32) -> Result<i128> {
        match bits {
            0..=8 => Ok(i128::from(self.byte()? as i8)),
            9..=64 => Ok(i128::from(self.svarint()?)),
            _ => {
                let words = self.svarints()?;
                match words.as_slice() {
                    [low] => Ok(i128::from(*low)),
                    [low, high] => Ok(i128::from(*high) << 64 | i128::from(*low as u64)),
                    _ => Err(self.unsupported(format!("an integer of {bits} bits"))),
                }
            }
        }
    }

    /// (section number, its bytes)
    pub fn section(&mut self) -> Result<(u8, Cursor<'a>)> {
        let head = self.byte()?;
        let length = self.index()?;
        if head & 0x80 != 0 {
            let alignment = self.index()?;
            if !alignment.is_power_of_two() {
                return Err(self.error(format!("alignment {alignment} is not a power of two")));
            }
            while !(self.base + self.pos).is_multiple_of(alignment) {
                self.byte()?;
            }
        }
        Ok((head & 0x7f, self.part(length)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_of_every_length() {
        for (bytes, value) in [
            (&[0x0d][..], 6),
            (&[0x02, 0x01], 64),
            (&[0x04, 0x00, 0x01], 0x2000),
            (&[0x80, 1, 0, 0, 0, 0, 0, 0], 1),
            (&[0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], u64::MAX),
        ] {
            assert_eq!(Cursor::new(bytes, "f").varint().unwrap(), value, "{bytes:x?}");
            assert!(Cursor::new(&bytes[..bytes.len() - 1], "f").varint().is_err());
        }
        assert_eq!(Cursor::new(&[0x07], "f").svarint().unwrap(), -2);
        assert_eq!(Cursor::new(&[0x07], "f").flagged().unwrap(), (1, true));
    }

    #[test]
    fn counts_are_bounded_by_what_is_left() {
        assert!(Cursor::new(&[0xff, 0, 0], "f").count().is_err());
        assert!(Cursor::new(&[0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1], "f").blob().is_err());
    }
}
