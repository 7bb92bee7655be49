//! What a checkpoint's model takes, before it is compiled: weights from the table of its tensors, caches from its
//! settings.

use std::path::Path;

use fornax_types::ElementType;

use super::source::Stored;
use super::{CheckpointOptions, caches, written};
use crate::Diagnostic;

/// Sizes of a model.
#[derive(Clone, Debug)]
pub struct CheckpointSizes {
    /// Tensors that it reads, as they lie in the files.
    tensors: Vec<Stored>,
    /// Bytes of each cache of a call; none of an encoder.
    pub caches: Vec<u64>,
    /// Tokens that the caches hold, in whole chunks.
    pub context: u64,
    /// Elements of a row of keys or values.
    pub width: u64,
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
    let (mut all, mut context, mut width) = (Vec::new(), 0, 0);
    if let Some(found) = &written.caches {
        let element = options.cache.unwrap_or(options.element);
        let bytes = |element: ElementType, shape: &[u64]| {
            shape.iter().fold(element.storage_bytes() as u64, |all, size| all.saturating_mul(*size))
        };
        all = vec![bytes(element, &found.shape); found.count as usize];
        let (rows, last) = (found.shape.split_last()).map_or((&[][..], 0), |(last, rows)| (rows, *last));
        if caches::has_scales(element) {
            all.extend(vec![bytes(ElementType::F32, rows); found.count as usize]);
        }
        (context, width) = (found.context, last);
    }
    Ok(CheckpointSizes { tensors: written.tensors, caches: all, context, width })
}
