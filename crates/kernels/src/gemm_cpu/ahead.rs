//! CPU products whose column operand is not packed: asks for the columns of a later step while one is computed.
//!
//! Such an operand lies row by row, a step further is often another page, and the machine's own prefetching ends with a
//! page.
//!
//! Worked example, [17, 4096]·[4096, 1000] f32: tiles of 9 rows and 48 columns, 13 cycles a step: four lines of the row
//! 30 steps ahead, 120,000 bytes.

use crate::gemm_cpu::schedule::PanelSchedule;
use fornax_plan::{IndexId, Node, NodeId, VarId};
use fornax_targets::fitted::cpu::{LINE_BYTES, LINE_CYCLES};

use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;

/// Bytes of an operand from which it comes from beyond the second-level cache, and from one of its rows to the next.
const FAR_BYTES: i64 = 1024 * 1024;
const ROW_BYTES: i64 = 512;
/// Cycles of a step below which nothing is asked for early.
const CYCLES_MIN: i64 = 8;

/// The column operand, if it is one that has to be asked for.
pub(super) struct Ahead {
    buffer: u32,
    offset: IndexId,
    /// Bytes from an element to the same of the step that is asked for.
    bytes: i64,
    /// Bytes of a vector.
    vector: i64,
}

impl Ahead {
    pub fn of(e: &Emitter<'_>, schedule: &PanelSchedule, operand: NodeId, reduction: &[VarId]) -> Option<Ahead> {
        let Node::Load { buffer, offset, mask: None, .. } = *e.exprs.node(operand) else { return None };
        let row = e.plan.buffers.get(buffer as usize)?;
        let element = row.element.storage_bytes() as i64;
        let step = e.exprs.indices.stride(offset, *reduction.last()?)?.checked_mul(element)?;
        let whole = e.exprs.indices.stride(offset, schedule.column) == Some(1);
        let far = row.elements.saturating_mul(element) >= FAR_BYTES && step >= ROW_BYTES;
        if schedule.panel.is_some() || !whole || !far {
            return None;
        }
        let cycles = (schedule.height() * i64::from(schedule.vectors) / 2).max(CYCLES_MIN);
        let bytes = step.checked_mul(LINE_CYCLES / cycles)?;
        Some(Ahead { buffer, offset, bytes, vector: i64::from(schedule.lanes) * element })
    }

    /// Asks for what lies as many steps behind the bound vector; the last vector of a tile may end in a line of its
    /// own.
    pub fn ask(ahead: Option<&Ahead>, e: &mut Emitter<'_>, last: bool) -> Result<(), EmitError> {
        let Some(ahead) = ahead else { return Ok(()) };
        let starts = (0..ahead.vector).step_by(LINE_BYTES as usize);
        let places = starts.chain(last.then_some(ahead.vector - 1)).map(|at| ahead.bytes + at);
        e.ask_for(ahead.buffer, ahead.offset, places)
    }
}
