//! The schedule of attention on GPUs: how a workgroup goes through rows and columns.

use std::fmt::Write;

use fornax_plan::schedule::{Launch, Names, Schedule};
use fornax_plan::{Attention, Body, Exprs, IndexId, KernelPlan, LaunchFactor, LaunchFormula, VarId};

use super::chunk_schedule::AttentionChunks;
use super::stream::early;

/// An operand's boxes: the tensor map, and the coordinates of the first one of a tile, innermost first. Further boxes
/// lie 64 elements on along the innermost dimension.
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
    /// One exponential in so many is computed by multiply-adds, where the unit for exponentials takes longer than the
    /// matrix units do; 0: none.
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

/// What a workgroup needs to stream keys and values of a few rows from memory to registers: tiles of 16 columns, which
/// the warps of all workgroups of a cluster take in turns.
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
    /// Such copies read more than the second-level cache holds: their lines leave it first, and the first copies are
    /// started before queries are loaded.
    pub beyond_cache: bool,
}

impl AttentionStream {
    /// Bytes from key to key and from value to value. Rows that come whole are spread over the banks: two keys that are
    /// read at once lie 64 bytes apart (modulo 128), four values 32.
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

/// Tiles in dynamic shared memory, the queries among them: where vectors are long or f32, and queries would take too
/// many registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttentionTiles {
    pub element_bytes: u32,
    /// Elements of a row of queries and keys, and of values.
    pub depth: u32,
    pub features: u32,
}

impl AttentionTiles {
    /// Bytes from row to row: whole fragments, and 16 bytes more, so that rows that are read at once lie in different
    /// banks.
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

    /// Bytes of dynamic shared memory: tiles and barriers, or what warps stream and in its place, when that is done, a
    /// record of every warp and of the workgroup.
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

impl Schedule for AttentionSchedule {
    fn computes(&self, _: &KernelPlan) -> bool {
        true
    }

    fn way(&self, _: &KernelPlan) -> String {
        let mut name = format!("attention {}x{}", self.rows(), self.columns);
        if let Some(stream) = &self.stream {
            let _ = write!(name, " stream warps {} stages {} cluster {}", self.warps, stream.stages, stream.cluster);
            name.push_str(if stream.bulk { " rows" } else { "" });
        }
        if let Some(bulk) = self.bulk.as_deref() {
            let _ = write!(name, " bulk stages {}", bulk.stages);
            let marks = [
                (bulk.ahead, " ahead"),
                (bulk.turns, " turns"),
                (bulk.lazy, " lazy"),
                (bulk.resident.is_some(), " resident"),
            ];
            name.extend(marks.into_iter().filter(|m| m.0).map(|m| m.1));
            if bulk.computed > 0 {
                let _ = write!(name, " computed {}", bulk.computed);
            }
        }
        name
    }

    fn text(&self, names: &dyn Names) -> String {
        let (w, r, c) = (self.warps, self.row_tiles, self.columns);
        let kept = if self.tiles.is_some() { " queries in shared memory" } else { "" };
        let by = self.chunks.map_or(String::new(), |c| format!(" by {}", c.atom.row().name));
        let mut out = format!("attention warps {w} row_tiles {r} columns {c}{kept}{by}");
        if let Some(stream) = &self.stream {
            let _ = write!(
                out,
                "\n  stream cluster {} stages {} rows {}{}{}",
                stream.cluster,
                stream.stages,
                stream.rows,
                if stream.bulk { " copied by rows" } else { "" },
                if stream.beyond_cache { " beyond the cache" } else { "" }
            );
        }
        if let Some(b) = self.bulk.as_deref() {
            let boxes = |o: &AttentionBoxes| {
                let at: Vec<String> = o.coordinates.iter().map(|&c| names.index(c)).collect();
                format!("map {} [{}]", o.map, at.join(", "))
            };
            let (q, k, v) = (boxes(&b.query), boxes(&b.key), boxes(&b.value));
            let resident = b.resident.map_or("all".to_string(), |n| n.to_string());
            let _ = write!(
                out,
                "\n  bulk stages {} depth {} features {} ahead {} turns {} lazy {} computed {} workgroups {resident} \
                 query {q} key {k} value {v}",
                b.stages, b.depth, b.features, b.ahead, b.turns, b.lazy, b.computed
            );
        }
        out
    }

    fn launch(&self, plan: &KernelPlan) -> Launch {
        let groups = match &plan.body {
            Body::Attention(a) => self.workgroups(a, &plan.exprs, &plan.domain),
            _ => 1,
        };
        ([groups.max(1), 1, 1], self.threads())
    }

    fn launch_formula(&self, plan: &KernelPlan) -> Option<LaunchFormula> {
        let Body::Attention(a) = &plan.body else { return None };
        let rows = LaunchFactor::of(a.rows.clone(), u64::from(self.rows()));
        let batch = a.batch(&plan.domain).into_iter().map(|var| LaunchFactor::of(vec![var], 1));
        Some(LaunchFormula { factors: std::iter::once(rows).chain(batch).collect(), per_group: 1, most: None })
    }

    fn cluster(&self) -> u32 {
        AttentionSchedule::cluster(self)
    }

    /// What says where the first tiles of a stream lie, which are asked for so early; of copies by lanes, for which it
    /// was measured.
    fn early(&self, plan: &KernelPlan, given: &[bool]) -> Vec<u32> {
        match (&plan.body, &self.stream) {
            (Body::Attention(a), Some(stream)) if !stream.bulk => early::buffers(plan, a, given),
            _ => Vec::new(),
        }
    }

    fn dynamic_shared_bytes(&self, _: &KernelPlan) -> u32 {
        self.shared_bytes()
    }
}
