//! The constants section: each constant that a kernel reads or a function returns, equal contents once.

use std::collections::HashMap;

use fornax_graph::{ConstId, Graph, Storage};

use super::{CONSTANT_ALIGNMENT, ConstantPlacement};

#[derive(Default)]
pub struct Pool {
    by_id: HashMap<ConstId, usize>,
    by_content: HashMap<(u64, [u8; 32]), usize>,
    placements: Vec<ConstantPlacement>,
    end: u64,
}

impl Pool {
    /// Offset of a constant in the section.
    pub fn place(&mut self, graph: &Graph, constant: ConstId) -> ConstantPlacement {
        if let Some(&at) = self.by_id.get(&constant) {
            return self.placements[at];
        }
        let data = graph.constant(constant);
        let hash = match &data.storage {
            Storage::Dense(bytes) => blake3::hash(bytes.bytes()),
            Storage::Splat(_) => blake3::hash(&data.to_bytes()),
        };
        let bytes = data.ty.bytes().unwrap_or(0);
        let key = (bytes, *hash.as_bytes());
        let at = match self.by_content.get(&key) {
            Some(&at) => at,
            None => {
                let offset = self.end.next_multiple_of(CONSTANT_ALIGNMENT);
                self.placements.push(ConstantPlacement { offset, bytes, constant });
                self.end = offset + bytes;
                self.by_content.insert(key, self.placements.len() - 1);
                self.placements.len() - 1
            }
        };
        self.by_id.insert(constant, at);
        self.placements[at]
    }

    /// All placements by offset, and the bytes of the section.
    pub fn finish(self) -> (Vec<ConstantPlacement>, u64) {
        (self.placements, self.end)
    }
}
