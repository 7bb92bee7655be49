//! CPU products whose column operand is packed: asks for the panels of the next column tiles while those of this
//! workgroup are used.
//!
//! All row tiles go by a panel before the next one is read, so a panel comes once from beyond the second-level cache,
//! and the first row tile would wait for it. Each row tile asks for its share of what comes next: a line in a few
//! steps.
//!
//! Worked example: a convolution of 14² pixels, 3 × 3, 256 to 256 channels, f32 on AVX-512: tiles of 14 rows and 32
//! columns, 14 row tiles, panels of 2304 steps of 128 bytes. Each row tile asks for 21,065 bytes of the next panel, 9.1
//! bytes a step.

use crate::gemm_cpu::schedule::PanelSchedule;
use fornax_emit::blocks::count::Count;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Value};
use fornax_plan::{IndexId, Node, NodeId, VarId};
use fornax_targets::fitted::cpu::LINE_BYTES;

/// Bytes of an operand from which it does not lie in the second-level cache from call to call.
const FAR_BYTES: i64 = 128 * 1024;
/// Bits behind the point of the bytes that a step asks for.
const FRACTION: i64 = 8;

/// The packed operand.
pub(super) struct NextPanel {
    buffer: u32,
    offset: IndexId,
    /// Bytes from a panel to the one in its place in the next column tiles.
    far: i64,
    /// Bytes that a row tile asks for, and bytes of a step of a panel.
    share: i64,
    width: i64,
    /// Bytes that a step asks for, times 2^`FRACTION`.
    step: i64,
    /// Steps in one of the variable that is cut.
    inner: i64,
}

impl NextPanel {
    /// The operand, if its panels lie in a line, step by step, and several row tiles go by each.
    pub fn of(
        e: &Emitter<'_>,
        schedule: &PanelSchedule,
        operand: NodeId,
        reduction: &[VarId],
        tiles: Count,
    ) -> Option<NextPanel> {
        let (Count::Known(tiles), Some((panel, _))) = (tiles, schedule.panel) else { return None };
        let load = match e.exprs.node(operand) {
            Node::Convert { a, .. } => *a,
            _ => operand,
        };
        let Node::Load { buffer, offset, element, mask: None } = *e.exprs.node(load) else { return None };
        let element = element.storage_bytes() as i64;
        let bytes = |var: VarId| e.exprs.indices.stride(offset, var)?.checked_mul(element);
        let (whole, width) = (bytes(panel)?, bytes(*reduction.last()?)?);
        let extents = reduction.iter().map(|&v| e.exprs.indices.extent(v));
        let steps = extents.clone().fold(1i64, i64::saturating_mul);
        let is_first = schedule.depth.is_none_or(|(var, _)| reduction.first() == Some(&var));
        let far = e.plan.buffers.get(buffer as usize)?.elements.saturating_mul(element) >= FAR_BYTES;
        if !(far && is_first && tiles > 1 && width.checked_mul(steps)? == whole) {
            return None;
        }
        Some(NextPanel {
            buffer,
            offset,
            far: whole.checked_mul(i64::from(schedule.column_tiles))?,
            share: (whole + tiles - 1) / tiles,
            width,
            step: ((width << FRACTION) + tiles - 1) / tiles,
            inner: extents.skip(1).product(),
        })
    }

    /// Bytes from the beginning of a panel to what row tile `number` asks for.
    pub fn start(&self, e: &mut Emitter<'_>, number: Value) -> Value {
        let number = e.code.resize_u(number, Scalar::I64);
        let before = e.code.int_k("arith.muli", number, self.share);
        e.code.add_ik(before, self.far)
    }

    /// The step `position` of a piece that starts at a value of the cut variable asks for its lines; the first vector
    /// of columns is bound.
    pub fn ask(
        &self,
        e: &mut Emitter<'_>,
        start: Value,
        piece: Option<Value>,
        position: Value,
    ) -> Result<(), EmitError> {
        let mut step = e.code.resize_u(position, Scalar::I64);
        if let Some(piece) = piece {
            let piece = e.code.resize_u(piece, Scalar::I64);
            let before = e.code.int_k("arith.muli", piece, self.inner);
            step = e.code.add_i(before, step);
        }
        let passed = e.code.int_k("arith.muli", step, self.width);
        let asked = e.code.int_k("arith.muli", step, self.step);
        let asked = e.code.shr_uk(asked, FRACTION);
        let ahead = e.code.sub_i(asked, passed);
        let ahead = e.code.add_i(start, ahead);
        e.ask_for_behind(
            (self.buffer, self.offset),
            ahead,
            (0..(self.step >> FRACTION).max(1)).step_by(LINE_BYTES as usize),
        )
    }
}
