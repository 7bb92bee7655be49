//! The constants section: each constant that a kernel reads or a function returns, equal contents once.

use std::collections::HashMap;
use std::sync::Arc;

use fornax_graph::{ConstId, Graph, Storage};

use super::{CONSTANT_ALIGNMENT, ConstantBytes, ConstantPlacement};

#[derive(Default)]
pub struct Pool {
    by_id: HashMap<ConstId, u64>,
    by_content: HashMap<(u64, [u8; 32]), u64>,
    /// What passes made.
    made: Vec<Arc<[u8]>>,
    placements: Vec<ConstantPlacement>,
    end: u64,
}

impl Pool {
    /// Offset of a constant in the section.
    pub fn place(&mut self, graph: &Graph, constant: ConstId) -> u64 {
        if let Some(&offset) = self.by_id.get(&constant) {
            return offset;
        }
        let data = graph.constant(constant);
        let hash = match &data.storage {
            Storage::Dense(bytes) => blake3::hash(bytes.bytes()),
            Storage::Splat(_) => blake3::hash(&data.to_bytes()),
        };
        let bytes = data.ty.bytes().unwrap_or(0);
        let offset = self.place_bytes(bytes, hash, ConstantBytes::OfGraph(constant));
        self.by_id.insert(constant, offset);
        offset
    }

    /// The number of bytes that a pass made: they lie in the section once something names them.
    pub fn add(&mut self, bytes: Vec<u8>) -> usize {
        if let Some(known) = self.made.iter().position(|known| **known == *bytes) {
            return known;
        }
        self.made.push(bytes.into());
        self.made.len() - 1
    }

    /// Offset of what a pass made.
    pub fn place_made(&mut self, number: usize) -> u64 {
        let made = self.made[number].clone();
        self.place_bytes(made.len() as u64, blake3::hash(&made), ConstantBytes::Made(made))
    }

    fn place_bytes(&mut self, bytes: u64, hash: blake3::Hash, constant: ConstantBytes) -> u64 {
        let key = (bytes, *hash.as_bytes());
        if let Some(&offset) = self.by_content.get(&key) {
            return offset;
        }
        let offset = self.end.next_multiple_of(CONSTANT_ALIGNMENT);
        self.placements.push(ConstantPlacement { offset, bytes, constant });
        self.end = offset + bytes;
        self.by_content.insert(key, offset);
        offset
    }

    /// All placements by offset, and the bytes of the section.
    pub fn finish(self) -> (Vec<ConstantPlacement>, u64) {
        (self.placements, self.end)
    }
}
