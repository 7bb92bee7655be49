//! CPU products of few steps: asks for what a tile's epilogue reads and writes before its sums are made.
//!
//! A tile of few steps is done before the machine's own prefetching knows its rows, which lie far apart: an epilogue
//! that adds a residual would wait for memory once a row.
//!
//! Worked example, a convolution of 56² pixels, 64 to 256 channels, with a residual: tiles of 6 rows and 64 columns,
//! 768 cycles of multiply-adds. 24 lines of the residual and 24 of the result are asked for at their beginning.

use crate::access::{Step, step};
use crate::gemm_cpu::schedule::PanelSchedule;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_plan::{IndexId, Node, NodeId};
use fornax_targets::fitted::cpu::LINE_BYTES;

/// Bytes of a buffer from which it does not lie in the nearer caches.
const FAR_BYTES: i64 = 512 * 1024;
/// Vector multiply-adds of a tile up to which its epilogue counts, and what is asked for at its beginning is still
/// there at its end.
const PRODUCTS_MAX: i64 = 16 * 1024;

/// A buffer that the epilogue goes through.
struct Place {
    buffer: u32,
    offset: IndexId,
    /// Bytes of a vector.
    vector: i64,
}

/// What is asked for, a vector of a tile after another.
pub(super) struct Epilogue(Vec<Place>);

impl Epilogue {
    pub fn of(e: &Emitter<'_>, schedule: &PanelSchedule) -> Epilogue {
        let products = schedule.piece(e.plan).saturating_mul(schedule.height() * i64::from(schedule.vectors));
        let stores = e.plan.body.stores();
        let mut stack: Vec<NodeId> = stores.iter().map(|store| store.value).collect();
        let (mut nodes, mut found) = (Vec::new(), Vec::new());
        while let Some(node) = stack.pop().filter(|_| products <= PRODUCTS_MAX) {
            if nodes.contains(&node) {
                continue;
            }
            nodes.push(node);
            match *e.exprs.node(node) {
                Node::Load { buffer, offset, mask: None, .. } => found.push((buffer, offset)),
                Node::Load { .. } => {}
                _ => stack.extend(e.exprs.operands(node)),
            }
        }
        if !found.is_empty() {
            found.extend(stores.iter().map(|store| (store.buffer, store.offset)));
        }
        Epilogue(found.into_iter().filter_map(|(buffer, offset)| Place::of(e, schedule, buffer, offset)).collect())
    }

    /// Asks for the bound vector of each buffer.
    pub fn ask(&self, e: &mut Emitter<'_>) -> Result<(), EmitError> {
        for place in &self.0 {
            e.ask_for(place.buffer, place.offset, (0..place.vector).step_by(LINE_BYTES as usize))?;
        }
        Ok(())
    }
}

impl Place {
    /// The buffer, if it is large, and rows of the tile have rows of their own in it.
    fn of(e: &Emitter<'_>, schedule: &PanelSchedule, buffer: u32, offset: IndexId) -> Option<Place> {
        let row = e.plan.buffers.get(buffer as usize)?;
        let element = row.element.storage_bytes() as i64;
        let moves = |step| matches!(step, Step::By(_));
        let rows = schedule.row.is_some_and(|(var, _)| moves(step(e.exprs, offset, var)));
        let whole = step(e.exprs, offset, schedule.column).is_one();
        let far = row.elements.saturating_mul(element) >= FAR_BYTES;
        (rows && whole && far).then_some(Place { buffer, offset, vector: i64::from(schedule.lanes) * element })
    }
}
