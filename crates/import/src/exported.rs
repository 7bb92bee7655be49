//! Files of `jax.export.Exported.serialize()`: a flatbuffer around the MLIR bytecode of the function.
//!
//! The bytes have no magic number. A file is one of these if its root is a table whose field for the module holds
//! bytecode. The schema (`serialization.fbs` of JAX) only ever adds fields, so their numbers hold for every version of
//! it. What JAX keeps besides the module (trees, shardings, the derivative) is not read.

use crate::bytecode;
use crate::diagnostic::Diagnostic;

/// Fields of the table `Exported`, by their number in the schema.
const FUNCTION_NAME: usize = 1;
const PLATFORMS: usize = 9;
const MODULE: usize = 13;
const CALLING_CONVENTION: usize = 14;

/// Calling conventions that are read: 9 is the oldest that JAX itself still reads, 10 the newest that it writes.
const CONVENTIONS: std::ops::RangeInclusive<u16> = 9..=10;

/// An exported function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported<'a> {
    /// The Python function's name.
    pub name: &'a str,
    /// Platforms that it was lowered for, such as `cpu`; several make the platform's number the first input.
    pub platforms: Vec<&'a str>,
    /// MLIR bytecode.
    pub module: &'a [u8],
    pub calling_convention: u16,
}

impl<'a> Exported<'a> {
    /// The parts of a file; nothing where the bytes are something else.
    pub fn read(bytes: &'a [u8]) -> Option<Exported<'a>> {
        let root = Table::at(bytes, offset(bytes, 0)?)?;
        let module = root.vector(MODULE)?;
        if !module.starts_with(bytecode::MAGIC) {
            return None;
        }
        Some(Exported {
            name: root.string(FUNCTION_NAME).unwrap_or(""),
            platforms: root.strings(PLATFORMS).unwrap_or_default(),
            module,
            calling_convention: root.short(CALLING_CONVENTION).unwrap_or(0),
        })
    }

    /// Refuses conventions of which nothing is known.
    ///
    /// # Errors
    /// FX0122 with the version that the file has.
    pub fn check(&self, file_name: &str) -> Result<(), Box<Diagnostic>> {
        let version = self.calling_convention;
        if CONVENTIONS.contains(&version) {
            return Ok(());
        }
        let (first, last) = (CONVENTIONS.start(), CONVENTIONS.end());
        let message = format!(
            "`{}` was exported by jax.export with calling convention {version}; {first} to {last} are read",
            self.name
        );
        let hint = format!(
            "export again with JAX_EXPORT_CALLING_CONVENTION_VERSION={last}, or give `exported.mlir_module()` as text"
        );
        Err(Box::new(Diagnostic::of_file("FX0122", file_name, message).hint(hint)))
    }
}

/// A table of a flatbuffer: where it begins and where the list of its fields does.
struct Table<'a> {
    bytes: &'a [u8],
    start: usize,
    fields: usize,
    fields_bytes: usize,
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at.checked_add(2)?)?.try_into().ok().map(u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at.checked_add(4)?)?.try_into().ok().map(u32::from_le_bytes)
}

/// The place that an offset at `at` names.
fn offset(bytes: &[u8], at: usize) -> Option<usize> {
    at.checked_add(u32_at(bytes, at)? as usize).filter(|place| *place > at && *place < bytes.len())
}

impl<'a> Table<'a> {
    fn at(bytes: &'a [u8], start: usize) -> Option<Table<'a>> {
        let back = i64::from(u32_at(bytes, start)? as i32);
        let fields = usize::try_from(i64::try_from(start).ok()? - back).ok()?;
        let fields_bytes = usize::from(u16_at(bytes, fields)?);
        (fields_bytes >= 4 && fields_bytes % 2 == 0).then_some(Table { bytes, start, fields, fields_bytes })
    }

    /// Where a field's value is.
    fn field(&self, number: usize) -> Option<usize> {
        let entry = 4 + 2 * number;
        let place = if entry < self.fields_bytes { u16_at(self.bytes, self.fields + entry)? } else { 0 };
        (place > 0).then_some(self.start + usize::from(place))
    }

    fn short(&self, number: usize) -> Option<u16> {
        u16_at(self.bytes, self.field(number)?)
    }

    /// A list of bytes.
    fn vector(&self, number: usize) -> Option<&'a [u8]> {
        bytes_at(self.bytes, offset(self.bytes, self.field(number)?)?)
    }

    fn string(&self, number: usize) -> Option<&'a str> {
        std::str::from_utf8(self.vector(number)?).ok()
    }

    fn strings(&self, number: usize) -> Option<Vec<&'a str>> {
        let list = offset(self.bytes, self.field(number)?)?;
        let count = u32_at(self.bytes, list)? as usize;
        // An offset each.
        if count > self.bytes.len() / 4 {
            return None;
        }
        let one = |n: usize| std::str::from_utf8(bytes_at(self.bytes, offset(self.bytes, list + 4 + 4 * n)?)?).ok();
        (0..count).map(one).collect()
    }
}

/// A length and as many bytes.
fn bytes_at(bytes: &[u8], at: usize) -> Option<&[u8]> {
    let start = at.checked_add(4)?;
    bytes.get(start..start.checked_add(u32_at(bytes, at)? as usize)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_bytes_are_not_exports() {
        for bytes in [&b""[..], b"ML\xefR", b"module {}", &[0; 64], &[0xff; 64], &[4, 0, 0, 0, 4, 0, 0, 0]] {
            assert_eq!(Exported::read(bytes), None);
        }
    }
}
