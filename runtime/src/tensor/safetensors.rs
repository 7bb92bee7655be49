//! safetensors files: own reader over a mapped file.
//!
//! Eight bytes of header length, a JSON object of names to `{dtype, shape, data_offsets}`, then the data. The header
//! has at most [`MAX_HEADER_BYTES`]; names are unique; the tensors cover the data without holes or overlap; each
//! one's size is that of its type. Tensors stay in the mapping until they are asked for.

use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

use super::{ElementType, Tensor, TensorType};
use crate::errors::{Result, RuntimeError};
use crate::mapping::Mapping;

/// Longest header read, bytes (the format's own limit).
pub const MAX_HEADER_BYTES: u64 = 100_000_000;

fn bad(message: impl Into<String>) -> RuntimeError {
    RuntimeError::input("FX0829", message)
}

/// One tensor of a file.
#[derive(Clone, Debug)]
pub struct Entry {
    pub name: String,
    /// `None` where the file's dtype is not one of ours; an error only if this tensor is used.
    pub ty: Option<TensorType>,
    /// dtype as the file spells it.
    pub dtype: String,
    /// Bytes in the file.
    pub range: Range<usize>,
}

/// An open file.
pub struct SafeTensors {
    file: Arc<Mapping>,
    entries: Vec<Entry>,
}

impl SafeTensors {
    /// Maps the file and checks its header.
    pub fn open(path: &Path) -> Result<SafeTensors> {
        let file = Arc::new(Mapping::open(path)?);
        let entries = entries(file.bytes()).map_err(|e| e.context(path.display()))?;
        Ok(SafeTensors { file, entries })
    }

    /// All tensors, sorted by their place in the file.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The mapped file, for use in place.
    pub fn mapping(&self) -> &Arc<Mapping> {
        &self.file
    }

    /// One tensor, copied.
    pub fn read(&self, name: &str) -> Result<Tensor> {
        let entry = self.entries.iter().find(|entry| entry.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.entries.iter().take(20).map(|entry| entry.name.as_str()).collect();
            RuntimeError::input("FX0830", format!("no tensor `{name}`; the file holds: {}", names.join(", ")))
        })?;
        let ty = entry.ty.clone().ok_or_else(|| bad(format!("{name} is of dtype {}", entry.dtype)))?;
        Tensor::new(ty, self.file.bytes().get(entry.range.clone()).unwrap_or_default().to_vec())
    }
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
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct FieldsVisitor;
        impl<'de> Visitor<'de> for FieldsVisitor {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of tensors")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Fields, A::Error> {
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

fn entries(bytes: &[u8]) -> Result<Vec<Entry>> {
    let length = bytes.first_chunk::<8>().map(|field| u64::from_le_bytes(*field));
    let length = length.ok_or_else(|| bad("not a safetensors file: shorter than eight bytes"))?;
    if length > MAX_HEADER_BYTES {
        return Err(bad(format!("a header of {length} bytes; at most {MAX_HEADER_BYTES} are read")));
    }
    let data_at = 8 + length as usize;
    let header = bytes.get(8..data_at).ok_or_else(|| bad("the file ends inside of its header"))?;
    let fields: Fields = serde_json::from_slice(header).map_err(|e| bad(format!("the header: {e}")))?;
    let mut out = Vec::new();
    for (name, field) in fields.0 {
        let Field::Tensor(info) = field else { continue };
        out.push(entry(name, info, data_at, bytes.len())?);
    }
    let mut names: Vec<&str> = out.iter().map(|entry| entry.name.as_str()).collect();
    names.sort_unstable();
    if let Some(twice) = names.windows(2).find(|pair| pair.first() == pair.last()) {
        return Err(bad(format!("two tensors named {}", twice.concat())));
    }
    out.sort_by_key(|entry| (entry.range.start, entry.range.end));
    let mut end = data_at;
    for entry in &out {
        if entry.range.start != end {
            return Err(bad(format!("tensor {}: a hole or an overlap before it", entry.name)));
        }
        end = entry.range.end;
    }
    if end != bytes.len() {
        return Err(bad("bytes behind the last tensor"));
    }
    Ok(out)
}

fn entry(name: String, info: Info, data_at: usize, file_len: usize) -> Result<Entry> {
    let (start, end) = info.data_offsets;
    let shifted = |offset: u64| usize::try_from(offset).ok().and_then(|offset| offset.checked_add(data_at));
    let (Some(start), Some(end)) = (shifted(start), shifted(end)) else {
        return Err(bad(format!("tensor {name}: offset out of range")));
    };
    if start > end || end > file_len {
        return Err(bad(format!("tensor {name} lies outside of the file")));
    }
    let element_type = ElementType::with(|row| row.safetensors == Some(&info.dtype));
    let ty = element_type.map(|element_type| TensorType::new(element_type, info.shape));
    if let Some(ty) = &ty {
        let wanted = ty.bytes()?;
        if wanted != end - start {
            return Err(bad(format!("tensor {name}: {ty} takes {wanted} bytes, the file gives {}", end - start)));
        }
    }
    Ok(Entry { name, ty, dtype: info.dtype, range: start..end })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, data: usize) -> Vec<u8> {
        let mut out = (header.len() as u64).to_le_bytes().to_vec();
        out.extend(header.as_bytes());
        out.extend((0..data).map(|at| at as u8));
        out
    }

    #[test]
    fn a_good_file_reads() {
        let header = r#"{"__metadata__":{"format":"pt"},"b":{"dtype":"U8","shape":[2],"data_offsets":[4,6]},
            "a":{"dtype":"I16","shape":[2,1],"data_offsets":[0,4]}}"#;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.safetensors");
        std::fs::write(&path, file(header, 6)).unwrap();
        let open = SafeTensors::open(&path).unwrap();
        assert_eq!(open.entries().iter().map(|e| e.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(open.read("b").unwrap().bytes(), [4, 5]);
        assert_eq!(open.read("c").unwrap_err().code(), "FX0830");
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
            assert!(entries(&file(header, data)).is_err(), "{header}");
        }
        assert!(entries(&[255; 16]).is_err());
        assert!(entries(&[0; 3]).is_err());
    }
}
