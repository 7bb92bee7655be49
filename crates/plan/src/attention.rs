//! Attention as one kernel body: softmax(score(query·key)) · value, and how a workgroup goes through it.
//!
//! For every point of the domain except the feature, and every column c: `score` over `Node::Reduced(0)` = Σ query·key in f32,
//! times `scale`. The weights are exp(score − max) rounded to `weight`; `Node::Reduced(1)`, which the stores read, is the sum of
//! weights times values over the sum of weights, in f32.
//!
//! `inside` is the score with the conditions of `bands` taken as true: what a tile of columns needs that lies wholly between
//! the bounds of its rows. Columns outside have the score `masked`, so tiles of them weigh nothing and can be left out,
//! unless a row has no score that is far above `masked`.
//!
//! Worked example: causal attention of 8 heads over 4096 positions, 128 features: domain (head 8, row 4096, feature 128), column <
//! 4096, depth < 128, one band `column < row + 1`, masked −2.4e38. Tiles of 64 rows × 64 columns: the workgroup of rows 640‥703
//! goes through 11 tiles of 64, and evaluates the condition in the last of them only.

use crate::attention_chunks::AttentionChunks;
use crate::expr::{Exprs, NodeId};
use crate::index::{IndexId, VarId};
use crate::kernel::Store;
use crate::precision::Precision;
use crate::substitute::Substitution;

/// Which side of the visible columns a bound is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Visible columns are at or above it.
    Low,
    /// Visible columns are below it.
    High,
}

/// A bound of the visible columns: an i64 node that does not depend on the column. Of the row variables it may depend on
/// the first alone, and then it never falls where the row goes up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Band {
    pub side: Side,
    pub bound: NodeId,
}

/// Columns that a point of a partial attention sees: `columns` from `start` on, as far as there are any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    pub start: IndexId,
    pub columns: i64,
}

/// The body of an attention kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attention {
    /// Domain variables that neither key nor value depends on, outermost first: query positions, heads that share keys.
    pub rows: Vec<VarId>,
    /// Domain variable along the features of the value.
    pub feature: VarId,
    /// Key positions, and what query and key are multiplied along.
    pub reduction: [VarId; 2],
    pub query: NodeId,
    pub key: NodeId,
    pub value: NodeId,
    /// f32, over `Node::Reduced(0)`.
    pub score: NodeId,
    pub inside: NodeId,
    pub bands: Vec<Band>,
    /// Bits of the f32 that a column outside a band has as `score`.
    pub masked: u32,
    /// Bits of the positive f32 that scores are multiplied by.
    pub scale: u32,
    /// Type that weights are rounded to before they meet the values.
    pub weight: fornax_graph::ElementType,
    /// How accurate products of f32 operands must be.
    pub precision: Precision,
    /// A row of which all scores are −inf gives 0, not NaN.
    pub empty_is_zero: bool,
    /// Set where a point sees only a part of the columns: then the stores read the sum of weights times values as `Reduced(1)`, the largest
    /// scaled score as `Reduced(2)` and the sum of weights as `Reduced(3)`; what does not depend on the feature is stored once.
    pub part: Option<Part>,
    pub stores: Vec<Store>,
}

impl Attention {
    pub fn column(&self) -> VarId {
        self.reduction[0]
    }

    pub fn depth(&self) -> VarId {
        self.reduction[1]
    }

    pub fn scale(&self) -> f32 {
        f32::from_bits(self.scale)
    }

    pub fn masked(&self) -> f32 {
        f32::from_bits(self.masked)
    }

    /// Nodes that the body names directly, stores aside.
    pub fn nodes(&self) -> Vec<NodeId> {
        let mut nodes = vec![self.query, self.key, self.value, self.score, self.inside];
        nodes.extend(self.bands.iter().map(|b| b.bound));
        nodes
    }

    /// Replaces every node by its substitute, stores aside.
    pub fn rewrite(&mut self, s: &mut Substitution<'_>) {
        for node in [&mut self.query, &mut self.key, &mut self.value, &mut self.score, &mut self.inside] {
            *node = s.node(*node);
        }
        for band in &mut self.bands {
            band.bound = s.node(band.bound);
        }
        if let Some(part) = &mut self.part {
            part.start = s.index(part.start);
        }
    }

    /// Number of rows that share the keys and values of one point of the other domain variables.
    pub fn row_count(&self, exprs: &Exprs) -> u64 {
        self.rows.iter().map(|&v| exprs.indices.extent(v).max(0) as u64).fold(1, u64::saturating_mul)
    }

    /// Domain variables that are neither row nor feature, in domain order.
    pub fn batch(&self, domain: &[VarId]) -> Vec<VarId> {
        domain.iter().copied().filter(|v| *v != self.feature && !self.rows.contains(v)).collect()
    }
}

/// An operand's boxes: the tensor map, and the coordinates of the first one of a tile, innermost first. Further boxes lie 64 elements on
/// along the innermost dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttentionBoxes {
    pub map: u32,
    pub coordinates: Vec<IndexId>,
}

/// What a workgroup needs to copy tiles in bulk and multiply by warpgroups: one more warpgroup starts the copies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttentionBulk {
    /// Tiles of keys, and of values, on their way or in use.
    pub stages: u32,
    /// The products of a tile's keys run while the tile before is weighed: twice the registers for scores.
    pub ahead: bool,
    /// Warpgroups issue their products in turns, so that one computes weights while the matrix unit works for another.
    pub turns: bool,
    /// One exponential in so many is computed by multiply-adds, where the unit for exponentials takes longer than the matrix units do; 0:
    /// none.
    pub computed: u32,
    /// Results so far are brought down to a new maximum only where it is far above the one that they are held against.
    pub lazy: bool,
    /// Workgroups that stay and take one block of rows after another; `None`: a workgroup a block.
    pub resident: Option<u32>,
    /// Elements of a row of queries and keys, and of values, in whole boxes of 64.
    pub depth: u32,
    pub features: u32,
    pub query: AttentionBoxes,
    pub key: AttentionBoxes,
    pub value: AttentionBoxes,
}

/// What a workgroup needs to stream keys and values of a few rows from memory to registers: tiles of 16 columns, which the warps of all
/// workgroups of a cluster take in turns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttentionStream {
    /// Workgroups of a cluster: all that share the rows.
    pub cluster: u32,
    /// Tiles of a warp on their way or in use.
    pub stages: u32,
    /// Rows, elements of a key and of a value.
    pub rows: u32,
    pub depth: u32,
    pub features: u32,
    /// A row of keys or values is one copy of the copy engine; else lanes copy 16 bytes each.
    pub bulk: bool,
    /// Such copies read more than the second-level cache holds: their lines leave it first, and the first copies are started before queries are loaded.
    pub beyond_cache: bool,
}

impl AttentionStream {
    /// Bytes from key to key and from value to value. Rows that come whole are spread over the banks: two keys that are read at once lie 64
    /// bytes apart (modulo 128), four values 32.
    pub fn pitches(&self) -> [u32; 2] {
        let (key, value) = (2 * self.depth, 2 * self.features);
        if !self.bulk {
            return [key, value];
        }
        [if key.is_multiple_of(128) { key + 64 } else { key }, value + 16]
    }

    /// Bytes of a tile's keys and values.
    pub fn tile_bytes(&self, columns: u32) -> u32 {
        columns * self.pitches().iter().sum::<u32>()
    }

    /// Barriers: one a tile of a warp.
    fn barrier_bytes(&self, warps: u32) -> u32 {
        if self.bulk { 8 * warps * self.stages } else { 0 }
    }
}

/// Tiles in dynamic shared memory, the queries among them: where vectors are long or f32, and queries would take too many registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttentionTiles {
    pub element_bytes: u32,
    /// Elements of a row of queries and keys, and of values.
    pub depth: u32,
    pub features: u32,
}

impl AttentionTiles {
    /// Bytes from row to row: whole fragments, and 16 bytes more, so that rows that are read at once lie in different banks.
    pub fn pitch(element_bytes: u32, elements: u32) -> u32 {
        // A fragment is 32 bytes of a row: 16 elements of 16 bits, 8 of f32.
        (elements * element_bytes).div_ceil(32) * 32 + 16
    }

    /// Bytes of tiles of `columns` keys and values and of `rows` queries, and a word a warp.
    fn bytes(&self, columns: u32, rows: u32, warps: u32) -> u32 {
        let (depth, features) =
            (Self::pitch(self.element_bytes, self.depth), Self::pitch(self.element_bytes, self.features));
        columns * (depth + features) + rows * depth + 4 * warps
    }
}

/// How a workgroup goes through rows and columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttentionSchedule {
    /// Warps that multiply, 16 · `row_tiles` rows each.
    pub warps: u32,
    /// Fragments of 16 rows a warp holds.
    pub row_tiles: u32,
    /// Columns of a tile of keys and values.
    pub columns: u32,
    /// Set where warpgroups multiply (then `row_tiles` is 1 and `warps` a multiple of 4).
    pub bulk: Option<Box<AttentionBulk>>,
    /// Set where warps share rows and take turns at the columns.
    pub stream: Option<AttentionStream>,
    /// Set where queries stay in shared memory.
    pub tiles: Option<AttentionTiles>,
    /// Set where MFMA or WMMA multiplies.
    pub chunks: Option<AttentionChunks>,
}

/// Where things lie in the dynamic shared memory of a workgroup that copies in bulk, bytes from its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttentionLayout {
    /// Tiles of keys, one after another; queries lie at 0.
    pub keys: u32,
    pub key_bytes: u32,
    pub values: u32,
    pub value_bytes: u32,
    /// Two barriers of the queries (there, and done with), one for flags, then the rings of keys and values.
    pub barriers: u32,
    /// Words that warps tell each other: three rounds of one a warp.
    pub flags: u32,
    pub total: u32,
}

impl AttentionLayout {
    /// Barriers before those of the rings.
    pub const SINGLE_BARRIERS: u32 = 3;
}

impl AttentionSchedule {
    /// Rows of a workgroup.
    pub fn rows(&self) -> u32 {
        16 * self.row_tiles * if self.stream.is_some() { 1 } else { self.warps }
    }

    /// Workgroups of a cluster; 1 where there are none.
    pub fn cluster(&self) -> u32 {
        self.stream.as_ref().map_or(1, |s| s.cluster.max(1))
    }

    /// Bytes of dynamic shared memory: tiles and barriers, or what warps stream and in its place, when that is done, a record of every
    /// warp and of the workgroup.
    pub fn shared_bytes(&self) -> u32 {
        let streamed = |s: &AttentionStream| self.stream_barriers() + s.barrier_bytes(self.warps);
        if let Some(chunks) = &self.chunks {
            return chunks.tile_bytes(self.columns).iter().sum::<u32>().max(4 * self.warps);
        }
        if let Some(tiles) = &self.tiles {
            return tiles.bytes(self.columns, self.rows(), self.warps);
        }
        self.stream.as_ref().map_or(self.layout().map_or(0, |l| l.total), streamed)
    }

    /// Where the barriers of a stream lie: behind tiles and records, bytes.
    pub fn stream_barriers(&self) -> u32 {
        self.stream.as_ref().map_or(0, |s| {
            let joined = u32::from(s.cluster > 1);
            let records = 4 * (self.warps + joined) * s.rows * (s.features + 4);
            records.max(self.warps * s.stages * s.tile_bytes(self.columns))
        })
    }

    pub fn threads(&self) -> u32 {
        let wave = self.chunks.map_or(32, |c| c.atom.wave());
        wave * self.warps + if self.bulk.is_some() { 128 } else { 0 }
    }

    /// The dynamic shared memory; `None` where tiles are not copied in bulk.
    pub fn layout(&self) -> Option<AttentionLayout> {
        let bulk = self.bulk.as_deref()?;
        let (key_bytes, value_bytes) = (2 * self.columns * bulk.depth, 2 * self.columns * bulk.features);
        let keys = 2 * self.rows() * bulk.depth;
        let values = keys + bulk.stages * key_bytes;
        let barriers = values + bulk.stages * value_bytes;
        let flags = barriers + 8 * (AttentionLayout::SINGLE_BARRIERS + 4 * bulk.stages);
        let total = flags + 3 * 4 * self.warps;
        Some(AttentionLayout { keys, key_bytes, values, value_bytes, barriers, flags, total })
    }

    /// Workgroups along the rows.
    pub fn row_blocks(&self, attention: &Attention, exprs: &Exprs) -> u64 {
        attention.row_count(exprs).div_ceil(u64::from(self.rows())).max(1)
    }

    /// Registers of a multiplying thread for scores, weights and results.
    pub fn accumulators(&self) -> u32 {
        let Some(bulk) = self.bulk.as_deref() else { return 0 };
        let scores = self.columns / 2;
        scores * (1 + u32::from(bulk.ahead)) + self.columns / 4 + bulk.features / 2
    }

    /// Blocks of rows of all points of the other variables.
    pub fn blocks(&self, attention: &Attention, exprs: &Exprs, domain: &[VarId]) -> u64 {
        let batch = attention.batch(domain);
        let each = batch.iter().map(|&v| exprs.indices.extent(v).max(0) as u64);
        each.fold(self.row_blocks(attention, exprs), u64::saturating_mul)
    }

    /// Workgroups of the launch.
    pub fn workgroups(&self, attention: &Attention, exprs: &Exprs, domain: &[VarId]) -> u64 {
        let blocks = self.blocks(attention, exprs, domain);
        let resident = self.bulk.as_deref().and_then(|b| b.resident);
        resident.map_or(blocks, |n| blocks.min(u64::from(n))).saturating_mul(u64::from(self.cluster()))
    }
}
