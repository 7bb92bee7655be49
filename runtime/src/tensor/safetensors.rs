//! safetensors files over a mapped file. Tensors stay in the mapping until they are asked for.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use fornax_checkpoint::safetensors;

use super::{Tensor, TensorType};
use crate::errors::{Result, RuntimeError};
use crate::mapping::Mapping;

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

fn entries(bytes: &[u8]) -> Result<Vec<Entry>> {
    let found = safetensors::read(&mut &bytes[..], bytes.len() as u64).map_err(|error| bad(error.message))?;
    found.into_iter().map(entry).collect()
}

fn entry(found: safetensors::Entry) -> Result<Entry> {
    let place = |at: u64| usize::try_from(at).map_err(|_| bad(format!("tensor {}: offset out of range", found.name)));
    let range = place(found.range.start)?..place(found.range.end)?;
    let ty = found.element.map(|element_type| TensorType::new(element_type, found.shape));
    Ok(Entry { name: found.name, ty, dtype: found.dtype, range })
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
        let error = entries(&file(r#"{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}"#, 3)).unwrap_err();
        assert_eq!((error.code(), error.message()), ("FX0829", "bytes behind the last tensor"));
    }
}
