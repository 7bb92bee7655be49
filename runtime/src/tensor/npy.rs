//! numpy's .npy files, versions 1 to 3: own reader and writer.
//!
//! The header is a Python literal. It is read by a scanner for exactly the three keys numpy writes, in one pass,
//! with no nesting beyond the shape tuple and at most [`MAX_HEADER_BYTES`], so that a hostile header costs nothing.
//!
//! numpy has no names for bf16, the small floats and sub-byte integers. They are written as their bits: bf16 as
//! `<u2`, small floats and unsigned sub-byte types as `|u1`, signed sub-byte types as `|i1`; readers get ui16, ui8
//! and i8, which [`Tensor::reinterpret`] turns into the type wanted. `V2` and `V1`, which ml_dtypes writes, read as
//! bf16 and ui8. Big-endian and Fortran-ordered files are converted.

use fornax_types::Class;

use super::{ElementType, MAX_RANK, Tensor, TensorType, zeroed};
use crate::errors::{Result, RuntimeError};

/// Longest header read, bytes.
pub const MAX_HEADER_BYTES: usize = 10_000;

/// First bytes of every file.
pub(super) const MAGIC: &[u8] = b"\x93NUMPY";

fn bad(message: impl Into<String>) -> RuntimeError {
    RuntimeError::input("FX0827", message)
}

/// What the header says.
struct Header {
    element_type: ElementType,
    big_endian: bool,
    fortran_order: bool,
    shape: Vec<u64>,
}

/// All arrays of a file or stream, one after the other.
pub fn read_all(mut bytes: &[u8]) -> Result<Vec<Tensor>> {
    let mut tensors = Vec::new();
    while !bytes.is_empty() || tensors.is_empty() {
        let (tensor, used) = read(bytes)?;
        tensors.push(tensor);
        bytes = bytes.get(used..).unwrap_or_default();
    }
    Ok(tensors)
}

/// The array at the start of `bytes`, and how many bytes it takes.
pub fn read(bytes: &[u8]) -> Result<(Tensor, usize)> {
    let (text, data_at) = header_text(bytes)?;
    let header = parse_header(text)?;
    let ty = TensorType::new(header.element_type, header.shape.clone());
    let len = ty.bytes()?;
    let end = data_at.checked_add(len).ok_or_else(|| bad("the array is too large"))?;
    let data = bytes.get(data_at..end).ok_or_else(|| {
        bad(format!("{ty} takes {len} bytes, the file holds {}", bytes.len().saturating_sub(data_at)))
    })?;
    let mut data = data.to_vec();
    if header.big_endian {
        let word = ty.element_type.complex_part().storage_bytes();
        data.chunks_exact_mut(word).for_each(<[u8]>::reverse);
    }
    if header.fortran_order && header.shape.len() > 1 {
        data = to_row_major(&data, &header.shape, ty.element_type.storage_bytes())?;
    }
    Ok((Tensor::new(ty, data)?, end))
}

/// Bytes of the file of one array, by its header at the start of `bytes`.
pub(super) fn file_bytes(bytes: &[u8]) -> Result<usize> {
    let (text, data_at) = header_text(bytes)?;
    let header = parse_header(text)?;
    let len = TensorType::new(header.element_type, header.shape).bytes()?;
    data_at.checked_add(len).ok_or_else(|| bad("the array is too large"))
}

/// The header's text and the offset of the data behind it.
fn header_text(bytes: &[u8]) -> Result<(&str, usize)> {
    if !bytes.starts_with(MAGIC) {
        return Err(bad("not an .npy file: its first bytes are not `\\x93NUMPY`"));
    }
    let short = || bad("the file ends inside of its header");
    let major = *bytes.get(6).ok_or_else(short)?;
    let field = |range: std::ops::Range<usize>| bytes.get(range).ok_or_else(short);
    let (len, start) = match major {
        1 => (field(8..10)?.iter().rev().fold(0usize, |sum, b| sum << 8 | usize::from(*b)), 10),
        2 | 3 => (field(8..12)?.iter().rev().fold(0usize, |sum, b| sum << 8 | usize::from(*b)), 12),
        _ => return Err(bad(format!(".npy version {major} is not known"))),
    };
    if len > MAX_HEADER_BYTES {
        return Err(bad(format!("the header has {len} bytes; at most {MAX_HEADER_BYTES} are read")));
    }
    let text = bytes.get(start..start + len).ok_or_else(short)?;
    let text = std::str::from_utf8(text).map_err(|_| bad("the header is not text"))?;
    Ok((text, start + len))
}

/// Scans `{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }`.
fn parse_header(text: &str) -> Result<Header> {
    let mut scan = Scanner { rest: text.trim_start(), text };
    let (mut descr, mut fortran_order, mut shape) = (None, None, None);
    scan.expect('{')?;
    while !scan.accept('}') {
        let key = scan.string()?;
        scan.expect(':')?;
        match key {
            "descr" => {
                if scan.rest.starts_with(['[', '(', '{']) {
                    return Err(bad("structured arrays are not read"));
                }
                descr = Some(parse_descr(scan.string()?)?);
            }
            "fortran_order" => fortran_order = Some(scan.boolean()?),
            "shape" => shape = Some(scan.tuple()?),
            _ => return Err(scan.error()),
        }
        if !scan.accept(',') {
            scan.expect('}')?;
            break;
        }
    }
    if !scan.rest.is_empty() {
        return Err(scan.error());
    }
    match (descr, fortran_order, shape) {
        (Some((element_type, big_endian)), Some(fortran_order), Some(shape)) => {
            Ok(Header { element_type, big_endian, fortran_order, shape })
        }
        _ => Err(bad("the header lacks descr, fortran_order or shape")),
    }
}

struct Scanner<'a> {
    rest: &'a str,
    text: &'a str,
}

impl<'a> Scanner<'a> {
    fn error(&self) -> RuntimeError {
        bad("the header is not one that numpy writes").at(self.text, self.text.len() - self.rest.len())
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default().trim_start();
    }

    fn accept(&mut self, wanted: char) -> bool {
        let found = self.rest.starts_with(wanted);
        if found {
            self.skip(wanted.len_utf8());
        }
        found
    }

    fn expect(&mut self, wanted: char) -> Result<()> {
        if self.accept(wanted) { Ok(()) } else { Err(self.error()) }
    }

    fn string(&mut self) -> Result<&'a str> {
        let quote = self.rest.chars().next().filter(|c| "'\"".contains(*c)).ok_or_else(|| self.error())?;
        let body = self.rest.get(1..).unwrap_or_default();
        let end = body.find(quote).ok_or_else(|| self.error())?;
        let value = body.get(..end).unwrap_or_default();
        self.skip(end + 2);
        Ok(value)
    }

    fn boolean(&mut self) -> Result<bool> {
        for (word, value) in [("True", true), ("False", false)] {
            if self.rest.starts_with(word) {
                self.skip(word.len());
                return Ok(value);
            }
        }
        Err(self.error())
    }

    fn tuple(&mut self) -> Result<Vec<u64>> {
        let mut values = Vec::new();
        self.expect('(')?;
        while !self.accept(')') {
            let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
            let number = self.rest.get(..digits).and_then(|d| d.parse().ok()).ok_or_else(|| self.error())?;
            if values.len() == MAX_RANK {
                return Err(bad(format!("more than {MAX_RANK} dimensions")));
            }
            values.push(number);
            self.skip(digits);
            // Python 2 wrote long integers with an L.
            self.accept('L');
            if !self.accept(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(values)
    }
}

fn parse_descr(descr: &str) -> Result<(ElementType, bool)> {
    let (order, name) = match descr.strip_prefix(['<', '>', '|', '=']) {
        Some(name) => (descr.chars().next(), name),
        None => (None, descr),
    };
    let element = match name {
        // What ml_dtypes writes for floats of a byte.
        "V1" => Some(ElementType::Ui8),
        _ => ElementType::with(|row| row.npy == Some(name)),
    };
    let unknown = || {
        let message = format!("arrays of numpy type `{}` are not read", descr.chars().take(20).collect::<String>());
        bad(message).with_help("numbers and booleans are; convert with numpy's astype")
    };
    Ok((element.ok_or_else(unknown)?, order == Some('>')))
}

fn to_row_major(data: &[u8], shape: &[u64], width: usize) -> Result<Vec<u8>> {
    let mut out = zeroed(data.len())?;
    let mut index = vec![0u64; shape.len()];
    for element in out.chunks_exact_mut(width) {
        // Offset in column-major order.
        let mut offset = 0u64;
        for (at, dim) in index.iter().zip(shape).rev() {
            offset = offset * dim + at;
        }
        let from = offset as usize * width;
        element.copy_from_slice(data.get(from..from + width).unwrap_or_default());
        for (at, dim) in index.iter_mut().zip(shape).rev() {
            *at += 1;
            if *at < *dim {
                break;
            }
            *at = 0;
        }
    }
    Ok(out)
}

/// The numpy type a tensor is written as: integers as wide as the element where numpy has no name for it.
fn descr(ty: ElementType) -> &'static str {
    let own = ty.row().npy.filter(|_| ty != ElementType::Bf16);
    let class = if ty.is_float() { Class::UnsignedInteger } else { ty.class() };
    let integer = ElementType::with(|row| row.class == class && row.bits == 8 * ty.storage_bytes() as u32);
    own.or(integer.and_then(|integer| integer.row().npy)).unwrap_or("u1")
}

/// Appends the tensor as version 1.0, header padded to 64 bytes as numpy does.
pub fn write(tensor: &Tensor, out: &mut Vec<u8>) {
    let name = descr(tensor.element_type());
    let order = if name.ends_with('1') { '|' } else { '<' };
    let dims: Vec<String> = tensor.shape().iter().map(u64::to_string).collect();
    let comma = if dims.len() == 1 { "," } else { "" };
    let shape = format!("({}{comma})", dims.join(", "));
    let mut header = format!("{{'descr': '{order}{name}', 'fortran_order': False, 'shape': {shape}, }}");
    while !(MAGIC.len() + 4 + header.len() + 1).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    out.extend(MAGIC);
    out.extend([1, 0]);
    // At most 32 dimensions of 20 digits: far below 64 KiB.
    out.extend((header.len() as u16).to_le_bytes());
    out.extend(header.as_bytes());
    out.extend(tensor.bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::Scalar;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend([1, 0]);
        out.extend((header.len() as u16).to_le_bytes());
        out.extend(header.as_bytes());
        out.extend(data);
        out
    }

    #[test]
    fn several_arrays_follow_each_other() {
        let mut bytes = Vec::new();
        for text in ["2xf32", "3x1xi64"] {
            write(&Tensor::zeros(TensorType::parse(text).unwrap()).unwrap(), &mut bytes);
        }
        let types: Vec<String> = read_all(&bytes).unwrap().iter().map(|t| t.ty().to_string()).collect();
        assert_eq!(types, ["2xf32", "3x1xi64"]);
        assert_eq!(bytes.len() % 8, 0);
    }

    #[test]
    fn big_endian_and_fortran_order_are_converted() {
        let header = "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }\n";
        // Column-major 1 4 | 2 5 | 3 6.
        let tensor = read(&file(header, &[0, 1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6])).unwrap().0;
        let values: Vec<Scalar> = tensor.iter().collect();
        assert_eq!(values, [1, 2, 3, 4, 5, 6].map(Scalar::Int));
    }

    #[test]
    fn hostile_headers_are_refused_at_once() {
        let nested = format!("{{'descr': {}, 'fortran_order': False, 'shape': (), }}", "[".repeat(60));
        for header in [
            nested.as_str(),
            "{'descr': '|O', 'fortran_order': False, 'shape': (2,), }",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }",
            "{'descr': '<f4', 'fortran_order': False, }",
            "{'descr': '<f4'",
            "",
        ] {
            assert!(read(&file(header, &[])).is_err(), "{header}");
        }
        assert_eq!(read_all(b"").unwrap_err().code(), "FX0827");
        let mut long = MAGIC.to_vec();
        long.extend([2, 0, 0xff, 0xff, 0xff, 0xff]);
        assert!(read(&long).unwrap_err().message().contains("at most"));
    }
}
