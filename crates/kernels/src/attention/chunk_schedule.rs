//! Attention by MFMA and WMMA: what lanes hold, and what a workgroup needs.
//!
//! Scores are computed as keys × queries, so that a lane holds scores of one query and of a run of neighbouring keys:
//! that is, rounded, the column operand of values × weights, which again leaves it results of one query and of a run of
//! features. Keys and features are numbered within an instruction's rows so that runs are 16 bytes of elements.
//!
//! Worked example: bf16, 128 features, 64 columns, `mfma 16x16x16`: a run is 8; lane 21 of a warp has query 5 and of
//! each 32 keys 8 … 15; a tile of keys is 16 planes of 1,040 bytes, one of values 8 of 2,112.

use fornax_plan::MatrixAtom as Atom;
use fornax_plan::matrix::Lanes;

/// Rows and columns of an instruction.
pub const FRAGMENT: u32 = 16;

/// Tiles of keys and values as planes of 16-byte chunks, multiplied by an atom whose lanes hold such chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttentionChunks {
    pub atom: Atom,
    /// Elements of queries and keys, and of values, in whole steps of the atom.
    pub depth: u32,
    pub features: u32,
}

impl AttentionChunks {
    pub fn new(atom: Atom, depth: u32, features: u32) -> AttentionChunks {
        let step = atom.row().shape[2];
        AttentionChunks { atom, depth: depth.next_multiple_of(step), features: features.next_multiple_of(step) }
    }

    /// Elements of a chunk.
    pub fn run(&self) -> u32 {
        16 / self.atom.bytes()
    }

    /// Elements along which lanes read at once; columns or features of a run of every lane.
    pub fn step(&self) -> u32 {
        self.atom.row().shape[2]
    }

    /// Results of a lane of an instruction.
    pub fn results(&self) -> u32 {
        FRAGMENT * FRAGMENT / self.atom.wave()
    }

    /// Groups of lanes that read different chunks of an output, and chunks that a lane reads at once.
    pub fn reading(&self) -> (u32, u32) {
        match self.atom.row().lanes {
            Lanes::Chunks { groups, chunks, .. } => (groups, chunks),
            Lanes::Quads => (1, 1),
        }
    }

    /// Bytes from plane to plane of keys: neighbouring planes, which neighbouring threads write, begin in other banks.
    pub fn key_plane(&self, columns: u32) -> u32 {
        16 * (columns + 1)
    }

    /// The same of values, of which neighbouring threads write neighbouring steps: those begin in other banks.
    pub fn value_plane(&self) -> u32 {
        16 * (self.features + self.features / self.step())
    }

    /// Bytes of a tile of keys, and of a tile of values.
    pub fn tile_bytes(&self, columns: u32) -> [u32; 2] {
        [self.depth / self.run() * self.key_plane(columns), columns / self.run() * self.value_plane()]
    }

    /// Registers of a lane, about: results, queries, scores, weights, and the tiles that are on their way.
    pub fn registers(&self, row_tiles: u32, columns: u32, warps: u32) -> u32 {
        const OTHER: u32 = 32;
        let wave = self.atom.wave();
        let (_, chunks) = self.reading();
        let each = |elements: u32| FRAGMENT * elements / wave;
        let query = self.depth / self.step() * chunks * 4;
        let weights = columns / self.step() * chunks * 4;
        let staged = columns * (self.depth + self.features) * self.atom.bytes() / (warps * wave * 4);
        row_tiles * (each(self.features) + query + each(columns) + weights) + staged + OTHER
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fornax_plan::matrix::{Mfma, Wmma};

    #[test]
    fn a_run_of_every_lane_is_a_step() {
        let atoms = [Mfma::F16, Mfma::F16Wide, Mfma::Bf16, Mfma::Bf16K1, Mfma::Bf16Wide, Mfma::F32, Mfma::Xf32];
        let wmma = [Atom::Wmma3(Wmma::F16), Atom::Wmma4(Wmma::Bf16)];
        for atom in atoms.map(Atom::Mfma16).into_iter().chain(wmma) {
            let c = AttentionChunks::new(atom, 80, 64);
            assert_eq!(c.run() * atom.wave() / FRAGMENT, c.step(), "{atom:?}");
            assert!(c.run().is_multiple_of(c.results()), "{atom:?}");
            assert!(c.depth.is_multiple_of(c.step()) && c.depth >= 80, "{atom:?}");
        }
    }
}
