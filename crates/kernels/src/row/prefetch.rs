//! CPU: asks for the next row while this one is computed, so that it is near when its turn comes.
//!
//! The first pass over a row waits for memory where rows do not stay in the second-level cache: the machine's own
//! prefetching starts anew with every row, since between two of them come the passes that find the row near. The second
//! pass has nothing to wait for: it asks for the elements of the next row that lie where its own do, and for the places
//! of its own results, which the last pass writes.
//!
//! Worked example, softmax of [512, 1000] f32: while e^(x − max) of elements 64 … 127 is computed, four lines are asked
//! for at 4000 bytes behind them, and four of the result.

use fornax_plan::{IndexId, Node, VarId};

use super::emit::Row;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::index::IndexValue;
use fornax_targets::fitted::cpu::LINE_BYTES;

/// Bytes of a row that are asked for, at most: a part of a second-level cache.
const ROW_BYTES_MAX: i64 = 256 * 1024;

impl Row<'_> {
    /// What the pass asks for at the bound elements.
    pub(super) fn prefetch(&self, e: &mut Emitter<'_>, pass: usize) -> Result<(), EmitError> {
        if pass != 1 || e.abi.is_gpu() || !self.across || self.is_sized(e) {
            return Ok(());
        }
        let Some(&next) = e.plan.domain.iter().rev().find(|&&v| e.exprs.indices.extent(v) > 1) else { return Ok(()) };
        let roots = self.element_roots();
        for node in self.streams(e, &roots) {
            if let Node::Load { buffer, offset, mask: None, .. } = *e.exprs.node(node) {
                self.ask(e, buffer, offset, Some(next))?;
            }
        }
        for store in &self.elements {
            let holds = self.kept.iter().filter_map(|k| e.plan.body.stores().get(k.store?));
            if holds.into_iter().all(|held| held.buffer != store.buffer) {
                self.ask(e, store.buffer, store.offset, None)?;
            }
        }
        Ok(())
    }

    /// Asks for the lines of neighbouring elements: those bound, or where `next` is one more.
    fn ask(&self, e: &mut Emitter<'_>, buffer: u32, offset: IndexId, next: Option<VarId>) -> Result<(), EmitError> {
        let Some(row) = e.plan.buffers.get(buffer as usize) else { return Ok(()) };
        let memory = e.memory_scalar(row.element)?;
        let bytes = i64::from(memory.bits() / 8);
        let step = match next {
            Some(next) => e.exprs.indices.stride(offset, next),
            None => Some(0),
        };
        let length: i64 = self.row.iter().map(|&v| e.exprs.indices.extent(v)).product();
        let index = e.index(offset)?;
        let (Some(step), IndexValue::Affine { stride: 1, .. }) = (step, index) else { return Ok(()) };
        if length.saturating_mul(bytes) > ROW_BYTES_MAX || bytes == 0 {
            return Ok(());
        }
        let lines = (i64::from(self.lanes) * bytes + LINE_BYTES - 1) / LINE_BYTES;
        let places = (0..lines).map(|line| step.saturating_mul(bytes).saturating_add(line * LINE_BYTES));
        e.ask_for(buffer, offset, places)
    }
}
