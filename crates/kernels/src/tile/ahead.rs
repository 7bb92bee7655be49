//! CPU contractions: asks for the next tile's part of the long operand while this one's is multiplied.
//!
//! With few rows nothing of that operand is read twice, so that it comes from memory; the machine's own prefetching
//! gives up where narrow elements that are computed with take longer than their bytes, and at the end of a page.
//!
//! Worked example, [1, 576]·[49152, 576] of 8-bit elements with a scale for 32 of them, two cores: tiles of 4 rows, so
//! that 16 elements ask for the line 2304 bytes behind them: 2.2 ms without, 1.1 with.

use fornax_emit::blocks::fold::Fold;
use fornax_emit::blocks::product::ProductFold;
use fornax_emit::blocks::tile_schedule::TileSchedule;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::Value;
use fornax_plan::walk::Reached;
use fornax_plan::{IndexId, Node, NodeId, VarId};

use crate::sizing::SHORT_MAX;

/// Bytes of an operand from which it comes from memory: with all others of its model it is more than the caches hold.
const FAR_BYTES: i64 = 64 * 1024;
/// The same where many rows are multiplied by it, which may be as large and stay near.
const FAR_BYTES_OF_MANY: i64 = 1024 * 1024;
/// Bytes of what is asked for early, at most.
const TILE_BYTES_MAX: i64 = 256 * 1024;

/// A load of the long operand, and the bytes from an element to the same of the next tile.
struct Stream {
    buffer: u32,
    offset: IndexId,
    bytes: i64,
}

/// Sums of products that ask for what comes next.
pub(super) struct Ahead {
    product: ProductFold,
    streams: Vec<Stream>,
}

impl Ahead {
    pub fn of(e: &Emitter<'_>, product: ProductFold, schedule: &TileSchedule) -> Ahead {
        let inside = schedule.vector.map(|v| v.0).filter(|v| e.plan.body.reduction().contains(v));
        let long = |node: NodeId| -> Option<Vec<Stream>> {
            let outer = e.plan.domain.iter().copied().filter(|&v| e.exprs.indices.extent(v) > 1);
            let (moving, fixed): (Vec<VarId>, Vec<VarId>) = outer.partition(|&v| e.exprs.node_varies(node, v));
            let rows = fixed.iter().map(|&v| e.exprs.indices.extent(v)).fold(1, i64::saturating_mul);
            let far = if rows <= SHORT_MAX { FAR_BYTES } else { FAR_BYTES_OF_MANY };
            let (inner, [row]) = (inside?, moving.as_slice().try_into().ok().map(|v: [VarId; 1]| v)?);
            let reached = Reached::from(e.exprs, [node], &[]).nodes;
            let streams = reached.into_iter().filter_map(|node| stream(e, node, (inner, row), (schedule, far)));
            Some(streams.collect())
        };
        let streams = match e.abi.is_gpu() {
            true => Vec::new(),
            false => [product.lhs, product.rhs].into_iter().filter_map(long).flatten().collect(),
        };
        Ahead { product, streams }
    }
}

/// The stream of a load of at least `far` bytes along `inner`, rows of which are `row`.
fn stream(
    e: &Emitter<'_>,
    node: NodeId,
    (inner, row): (VarId, VarId),
    (s, far): (&TileSchedule, i64),
) -> Option<Stream> {
    let Node::Load { buffer, offset, mask: None, .. } = *e.exprs.node(node) else { return None };
    let memory = e.plan.buffers.get(buffer as usize)?;
    let element = memory.element.storage_bytes() as i64;
    let rows = e.exprs.indices.stride(offset, row)?.checked_mul(element)?;
    let bytes = rows.checked_mul(s.tile_extent(row) as i64)?;
    let is_far = memory.elements.saturating_mul(element) >= far && (1..=TILE_BYTES_MAX).contains(&bytes);
    (is_far && e.exprs.indices.stride(offset, inner) == Some(1)).then_some(Stream { buffer, offset, bytes })
}

impl Fold for Ahead {
    fn operands(&self) -> usize {
        self.product.operands()
    }

    fn is_symmetric(&self) -> bool {
        self.product.is_symmetric()
    }

    fn identity(&self, e: &mut Emitter<'_>) -> Result<Vec<Value>, EmitError> {
        self.product.identity(e)
    }

    fn step(&self, e: &mut Emitter<'_>, running: &[Value]) -> Result<Vec<Value>, EmitError> {
        for stream in &self.streams {
            e.ask_for(stream.buffer, stream.offset, [stream.bytes])?;
        }
        self.product.step(e, running)
    }

    fn merge(&self, e: &mut Emitter<'_>, a: &[Value], b: &[Value]) -> Result<Vec<Value>, EmitError> {
        self.product.merge(e, a, b)
    }

    fn finish(&self, e: &mut Emitter<'_>, folded: &[Value]) -> Result<Vec<Value>, EmitError> {
        self.product.finish(e, folded)
    }
}
