//! What a checkpoint's model takes, before it is compiled: weights from the table of its tensors, caches from its
//! settings.

use std::path::Path;

use fornax_types::ElementType;

use super::source::Stored;
use super::{CheckpointOptions, written};
use crate::Diagnostic;

/// Sizes of a model.
#[derive(Clone, Debug)]
pub struct CheckpointSizes {
    /// Tensors that it reads, as they lie in the files.
    tensors: Vec<Stored>,
    /// Bytes of each cache of one text; none of an encoder.
    pub caches: Vec<u64>,
    /// Tokens that the caches hold, in whole chunks.
    pub context: u64,
    pub chunk: u64,
}

impl CheckpointSizes {
    /// The weights: the type of those that are plain elements, the shape, and the bytes in the file.
    pub fn weights(&self) -> impl Iterator<Item = (Option<ElementType>, &[u64], u64)> {
        self.tensors.iter().map(|tensor| (tensor.kind.element, tensor.shape.as_slice(), tensor.bytes()))
    }
}

/// The sizes of a checkpoint's model. No data is read.
///
/// # Errors
/// Those of [`super::to_text`].
pub fn sizes(path: &Path, options: &CheckpointOptions) -> Result<CheckpointSizes, Box<Diagnostic>> {
    let written = written(path, options)?;
    let (mut caches, mut context, mut chunk) = (Vec::new(), 0, 0);
    if let Some(found) = &written.caches {
        let element = options.element.storage_bytes() as u64;
        let bytes = found.shape.iter().fold(element, |all, size| all.saturating_mul(*size));
        caches = vec![bytes; found.count as usize];
        (context, chunk) = (found.shape[1], found.chunk);
    }
    Ok(CheckpointSizes { tensors: written.tensors, caches, context, chunk })
}
