//! Blocks of quantised elements, from floats and back: each kind's reference rounding, as `ggml-quants.c` has it.
//!
//! Scales are chosen and elements rounded in f32. The bytes of Q4_0 to Q8_0 are those of `quantize_row_*_ref` there;
//! those of Q4_K to Q6_K follow the same search and were not compared byte by byte.
//!
//! | kinds | how scales are chosen | elements are rounded |
//! | --- | --- | --- |
//! | Q8_0 | largest magnitude | half away from 0 |
//! | Q4_0, Q5_0 | the element of largest magnitude is the lowest number | half up |
//! | Q4_1, Q5_1 | smallest and largest element | half up |
//! | Q4_K, Q5_K | least squares of a few tries (`search`), then six bits for each run | half to even |
//! | Q6_K | the same, eight bits for each run | half to even |
//!
//! How to add a kind: a row here, its two functions, and its layout in the importer's `dequantize.rs`.

mod k_blocks;
mod search;
mod simple_blocks;

use crate::blocks::{KINDS, Kind};

/// Writes the bytes of one block of floats.
type Write = fn(&[f32], &mut Vec<u8>);
/// The floats of one block of bytes.
type Read = fn(&[u8], &mut Vec<f32>);

/// A kind of blocks that can be written.
#[derive(Clone, Copy, Debug)]
pub struct Coder {
    pub kind: &'static Kind,
    write: Write,
    read: Read,
}

const CODERS: &[(&str, Write, Read)] = &[
    ("Q4_0", simple_blocks::write_q4_0, simple_blocks::read_q4_0),
    ("Q4_1", simple_blocks::write_q4_1, simple_blocks::read_q4_1),
    ("Q5_0", simple_blocks::write_q5_0, simple_blocks::read_q5_0),
    ("Q5_1", simple_blocks::write_q5_1, simple_blocks::read_q5_1),
    ("Q8_0", simple_blocks::write_q8_0, simple_blocks::read_q8_0),
    ("Q4_K", k_blocks::write_q4_k, k_blocks::read_q4_k),
    ("Q5_K", k_blocks::write_q5_k, k_blocks::read_q5_k),
    ("Q6_K", k_blocks::write_q6_k, k_blocks::read_q6_k),
];

impl Coder {
    /// The coder of a kind, by its name in any case: `q4_k`.
    pub fn named(name: &str) -> Option<Coder> {
        let row = CODERS.iter().find(|row| row.0.eq_ignore_ascii_case(name))?;
        let kind = KINDS.iter().find(|kind| kind.name == row.0)?;
        Some(Coder { kind, write: row.1, read: row.2 })
    }

    /// Names of all kinds that can be written, as a command line has them.
    pub fn names() -> Vec<String> {
        CODERS.iter().map(|row| row.0.to_lowercase()).collect()
    }

    /// The bytes of whole blocks; what is left over of the last one is not written.
    pub fn write(&self, elements: &[f32], out: &mut Vec<u8>) {
        for block in elements.chunks_exact(self.kind.elements as usize) {
            (self.write)(block, out);
        }
    }

    /// The elements of whole blocks.
    pub fn read(&self, bytes: &[u8], out: &mut Vec<f32>) {
        for block in bytes.chunks_exact(self.kind.bytes as usize) {
            (self.read)(block, out);
        }
    }
}

#[cfg(test)]
mod tests;
