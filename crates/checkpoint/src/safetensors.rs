//! safetensors: the header.
//!
//! Eight bytes of header length, a JSON object of names to `{dtype, shape, data_offsets}`, then the data. The header
//! has at most [`MAX_HEADER_BYTES`]; names are unique; the tensors cover the data without holes or overlap; each
//! one's size is that of its type.

use std::fmt;
use std::io::Read;
use std::ops::Range;

use fornax_types::ElementType;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

use crate::FileError;

/// Longest header read, bytes (the format's own limit).
pub const MAX_HEADER_BYTES: u64 = 100_000_000;

fn bad(message: impl Into<String>) -> FileError {
    FileError::broken_safetensors(message)
}

/// One tensor of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    /// `None` where the file's dtype is not one of ours.
    pub element: Option<ElementType>,
    /// dtype as the file spells it.
    pub dtype: String,
    pub shape: Vec<u64>,
    /// Bytes in the file.
    pub range: Range<u64>,
}

/// A header field; unknown keys are refused as the format's own reader does.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Info {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: (u64, u64),
}

enum Field {
    Tensor(Info),
    Metadata,
}

/// The header as a list: duplicate names are seen.
struct Fields(Vec<(String, Field)>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FieldsVisitor;
        impl<'de> Visitor<'de> for FieldsVisitor {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of tensors")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Vec::new();
                while let Some(name) = map.next_key::<String>()? {
                    let field = if name == "__metadata__" {
                        map.next_value::<serde::de::IgnoredAny>()?;
                        Field::Metadata
                    } else {
                        Field::Tensor(map.next_value()?)
                    };
                    fields.push((name, field));
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(FieldsVisitor)
    }
}

/// The tensors of a file of `file_bytes`, sorted by their place in it; `file` is read up to the end of its header.
///
/// # Errors
/// FX1003 for what is no safetensors file.
pub fn read(file: &mut impl Read, file_bytes: u64) -> Result<Vec<Entry>, FileError> {
    let unreadable = |error: std::io::Error| bad(error.to_string());
    if file_bytes < 8 {
        return Err(bad("not a safetensors file: shorter than eight bytes"));
    }
    let mut field = [0; 8];
    file.read_exact(&mut field).map_err(unreadable)?;
    let length = u64::from_le_bytes(field);
    if length > MAX_HEADER_BYTES {
        return Err(bad(format!("a header of {length} bytes; at most {MAX_HEADER_BYTES} are read")));
    }
    let data_at = 8 + length;
    if data_at > file_bytes {
        return Err(bad("the file ends inside of its header"));
    }
    let mut header = Vec::new();
    file.take(length).read_to_end(&mut header).map_err(unreadable)?;
    let fields: Fields = serde_json::from_slice(&header).map_err(|e| bad(format!("the header: {e}")))?;
    let mut out = Vec::new();
    for (name, field) in fields.0 {
        let Field::Tensor(info) = field else { continue };
        out.push(entry(name, info, data_at..file_bytes)?);
    }
    check_places(&mut out, data_at..file_bytes)?;
    Ok(out)
}

/// Sorts the tensors by place: unique names, no hole, no overlap.
fn check_places(out: &mut [Entry], data: Range<u64>) -> Result<(), FileError> {
    let mut names: Vec<&str> = out.iter().map(|entry| entry.name.as_str()).collect();
    names.sort_unstable();
    if let Some(twice) = names.windows(2).find(|pair| pair.first() == pair.last()) {
        return Err(bad(format!("two tensors named {}", twice.concat())));
    }
    out.sort_by_key(|entry| (entry.range.start, entry.range.end));
    let mut end = data.start;
    for entry in out.iter() {
        if entry.range.start != end {
            return Err(bad(format!("tensor {}: a hole or an overlap before it", entry.name)));
        }
        end = entry.range.end;
    }
    if end != data.end { Err(bad("bytes behind the last tensor")) } else { Ok(()) }
}

fn entry(name: String, info: Info, data: Range<u64>) -> Result<Entry, FileError> {
    let (start, end) = info.data_offsets;
    let shifted = |offset: u64| offset.checked_add(data.start);
    let (Some(start), Some(end)) = (shifted(start), shifted(end)) else {
        return Err(bad(format!("tensor {name}: offset out of range")));
    };
    if start > end || end > data.end {
        return Err(bad(format!("tensor {name} lies outside of the file")));
    }
    let element = ElementType::with(|row| row.safetensors == Some(&info.dtype));
    if let Some(element) = element {
        let size = |so_far: u64, &dim: &u64| so_far.checked_mul(dim);
        let wanted = info.shape.iter().try_fold(element.storage_bytes() as u64, size);
        if wanted != Some(end - start) {
            let wanted = wanted.map_or("more".to_string(), |bytes| bytes.to_string());
            let shape = format!("{}{:?}", info.dtype, info.shape);
            return Err(bad(format!("tensor {name}: {shape} takes {wanted} bytes, the file gives {}", end - start)));
        }
    }
    Ok(Entry { name, element, dtype: info.dtype, shape: info.shape, range: start..end })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(bytes: &[u8]) -> Result<Vec<Entry>, FileError> {
        read(&mut &bytes[..], bytes.len() as u64)
    }

    fn file(header: &str, data: usize) -> Vec<u8> {
        let mut out = (header.len() as u64).to_le_bytes().to_vec();
        out.extend(header.as_bytes());
        out.extend((0..data).map(|at| at as u8));
        out
    }

    #[test]
    fn a_good_file_reads() {
        let header = r#"{"__metadata__":{"format":"pt"},"b":{"dtype":"U8","shape":[2],"data_offsets":[4,6]},
            "a":{"dtype":"I16","shape":[2,1],"data_offsets":[0,4]},
            "c":{"dtype":"X9","shape":[2],"data_offsets":[6,7]}}"#;
        let found = entries(&file(header, 7)).unwrap();
        assert_eq!(found.iter().map(|e| e.name.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
        let at = (8 + header.len()) as u64;
        assert_eq!((found[1].element, found[1].range.clone()), (Some(ElementType::Ui8), at + 4..at + 6));
        assert_eq!(found[2].element, None);
    }

    #[test]
    fn broken_headers_are_refused() {
        for (header, data) in [
            (r#"{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,3]}}"#, 3),
            (r#"{"a":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}}"#, 3),
            (r#"{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}"#, 3),
            (r#"{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}"#, 1),
            (r#"{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,18446744073709551615]}}"#, 1),
            (r#"{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}"#, 0),
            (
                concat!(
                    r#"{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"#,
                    r#""a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}"#,
                ),
                2,
            ),
            ("[1]", 0),
            ("", 0),
        ] {
            assert_eq!(entries(&file(header, data)).unwrap_err().code, "FX1003", "{header}");
        }
        assert!(entries(&[255; 16]).is_err());
        assert!(entries(&[0; 3]).is_err());
    }
}
