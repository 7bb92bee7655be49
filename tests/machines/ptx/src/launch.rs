//! What a launch takes and gives: buffers, tensor maps, sizes; the report.

use std::collections::BTreeMap;

use crate::errors::{EmulateError, Fault, Result};
use crate::inst::Element;

/// What a kernel may do with a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferKind {
    /// Read only.
    Input,
    /// Written in full; read only where this launch wrote.
    Output,
    /// Both.
    InOut,
    /// Written before it is read; need not be written in full.
    Scratch,
}

/// A kernel's buffer.
#[derive(Clone, Debug)]
pub struct Buffer {
    pub bytes: Vec<u8>,
    pub kind: BufferKind,
}

impl Buffer {
    pub fn input(bytes: Vec<u8>) -> Buffer {
        Buffer { bytes, kind: BufferKind::Input }
    }

    /// An output of that many bytes, filled with a pattern that no result should be.
    pub fn output(bytes: usize) -> Buffer {
        Buffer { bytes: vec![0xFB; bytes], kind: BufferKind::Output }
    }

    pub fn in_out(bytes: Vec<u8>) -> Buffer {
        Buffer { bytes, kind: BufferKind::InOut }
    }

    pub fn scratch(bytes: usize) -> Buffer {
        Buffer { bytes: vec![0xFB; bytes], kind: BufferKind::Scratch }
    }
}

/// How a bulk copy permutes 16-byte units of its rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Swizzle {
    #[default]
    None,
    B32,
    B64,
    B128,
}

impl Swizzle {
    /// Bits of the row number that are mixed in.
    pub fn mask(self) -> u32 {
        match self {
            Swizzle::None => 0,
            Swizzle::B32 => 1,
            Swizzle::B64 => 3,
            Swizzle::B128 => 7,
        }
    }

    /// Bytes of a row, where it is limited.
    pub fn span(self) -> Option<u32> {
        (self != Swizzle::None).then(|| 16 * (self.mask() + 1))
    }

    /// Where the byte at an address really lies.
    pub fn apply(self, address: u32) -> u32 {
        address ^ (((address >> 7) & self.mask()) << 4)
    }
}

/// A descriptor for bulk tensor copies; dimensions from the innermost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorMap {
    /// Position among the buffers of the launch.
    pub buffer: usize,
    pub offset_bytes: u64,
    pub element_bytes: u32,
    /// Rounds f32 to tf32 on the way, to nearest, ties to even.
    pub tf32: bool,
    pub dims: Vec<u64>,
    /// Bytes, of dimensions 1 and on.
    pub strides: Vec<u64>,
    pub box_dims: Vec<u32>,
    pub element_strides: Vec<u32>,
    pub swizzle: Swizzle,
    /// Element type of reductions.
    pub add_as: Option<Element>,
    /// im2col: box corners of the spatial dimensions, pixels and channels of a column.
    pub im2col: Option<Im2col>,
}

/// The im2col mode of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Im2col {
    pub lower: Vec<i32>,
    pub upper: Vec<i32>,
    pub channels: u32,
    pub pixels: u32,
}

/// One launch.
#[derive(Clone, Debug, Default)]
pub struct Launch {
    pub grid: [u64; 3],
    /// Threads of a workgroup; 0 takes what the kernel's text says.
    pub threads: u32,
    pub dynamic_shared_bytes: u32,
    /// Workgroups of a cluster; 0 takes what the kernel's text says.
    pub cluster: u32,
    pub tensor_maps: Vec<TensorMap>,
    /// Bits of the parameters that are numbers, in order.
    pub scalars: Vec<u64>,
    /// Decides the order of warps and the delays of copies.
    pub seed: u64,
    /// Most operations of warps; 0 for a default of 10⁹.
    pub max_steps: u64,
}

/// What one place in the text did with memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Site {
    pub line: u32,
    /// Shared memory, else global.
    pub shared: bool,
    pub accesses: u64,
    /// Turns of the shared memory's banks, or 32-byte sectors of global memory.
    pub turns: u64,
    /// The fewest that the same bytes could take.
    pub least: u64,
}

/// What a launch did.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Bytes read from and written to each buffer.
    pub traffic: Vec<(u64, u64)>,
    /// Operations by name, counted once a warp.
    pub counts: BTreeMap<String, u64>,
    pub sites: Vec<Site>,
    /// Operations of all warps.
    pub steps: u64,
    /// Bytes of shared memory of a workgroup.
    pub shared_bytes: u32,
}

impl Report {
    /// Turns of shared memory beyond the fewest possible.
    pub fn bank_conflicts(&self) -> u64 {
        self.sites.iter().filter(|s| s.shared).map(|s| s.turns.saturating_sub(s.least)).sum()
    }

    /// Places with bank conflicts.
    pub fn conflicting(&self) -> Vec<Site> {
        self.sites.iter().filter(|s| s.shared && s.turns > s.least).copied().collect()
    }

    /// How often operations ran whose name begins like that.
    pub fn count(&self, prefix: &str) -> u64 {
        self.counts.iter().filter(|(name, _)| name.starts_with(prefix)).map(|(_, n)| n).sum()
    }
}

impl TensorMap {
    /// Whether hardware takes the map.
    pub fn check(&self, buffers: &[Buffer]) -> Result<()> {
        let rank = self.dims.len();
        let bad = |why: &str| {
            let what = format!("a tensor map of {rank} dimensions: {why}");
            Err(EmulateError::Result { fault: Fault::Descriptor, what })
        };
        let element = u64::from(self.element_bytes);
        if !(1..=5).contains(&rank)
            || self.strides.len() + 1 != rank
            || self.box_dims.len() != rank
            || self.element_strides.len() != rank
        {
            return bad("lists that do not fit the rank");
        }
        if ![1, 2, 4, 8].contains(&element) || !self.offset_bytes.is_multiple_of(16) {
            return bad("element size or offset");
        }
        if self.strides.iter().any(|s| s % 16 != 0 || *s >= 1 << 40) {
            return bad("a stride that is no multiple of 16 bytes");
        }
        if self.dims.iter().any(|d| *d == 0 || *d > 1 << 32) || self.box_dims.iter().any(|b| *b == 0 || *b > 256) {
            return bad("a dimension or box size out of range");
        }
        let row = u64::from(self.box_dims[0].div_ceil(self.element_strides[0].max(1))) * element;
        if row % 16 != 0 || self.swizzle.span().is_some_and(|span| row > u64::from(span)) {
            return bad("a box row that is no multiple of 16 bytes or longer than the swizzle");
        }
        let Some(buffer) = buffers.get(self.buffer) else { return bad("no such buffer") };
        let far: u64 = self.dims.iter().skip(1).zip(&self.strides).map(|(d, s)| (d - 1) * s).sum();
        if self.offset_bytes + far + self.dims[0] * element > buffer.bytes.len() as u64 {
            return bad("it reaches beyond its buffer");
        }
        Ok(())
    }

    /// Elements of a box in each dimension.
    pub(crate) fn box_elements(&self) -> Vec<u32> {
        self.box_dims.iter().zip(&self.element_strides).map(|(b, s)| b.div_ceil((*s).max(1))).collect()
    }

    /// Bytes that a copy of one box brings.
    pub fn box_bytes(&self) -> u32 {
        match &self.im2col {
            Some(im2col) => im2col.channels * im2col.pixels * self.element_bytes,
            None => self.box_elements().iter().product::<u32>() * self.element_bytes,
        }
    }
}
