//! The largest or smallest element of a row of f16 or bf16, found before it is converted: two elements an instruction.
//!
//! Conversion to f32 is exact and keeps every order, so the maximum of the converted elements is the converted maximum.
//! Vectors past the end of a row are its last one read again, which changes no maximum: nothing is masked.
//!
//! Worked example, softmax of [16384, 4096] bf16, 128 threads a row: 4 vectors of 8 a thread, four words each: 3 · 4
//! maxima of words, then 2 and 1 until one word is left, whose halves are compared as f32: 16 instructions instead of
//! 31.

use fornax_graph::ElementType;
use fornax_plan::{Binary, Node, NodeId};
use fornax_targets::Feature;

use super::emit::Row;
use super::walk::{Walk, bind};
use fornax_emit::blocks::fold::Fold;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Value};

impl Row<'_> {
    /// This thread's extremum of a held row of 16-bit floats, in f32, where the target compares them in pairs and that
    /// is what the fold is.
    pub(super) fn narrow_extremum(
        &self,
        e: &mut Emitter<'_>,
        walk: &Walk,
        fold: &dyn Fold,
    ) -> Result<Option<Value>, EmitError> {
        let (Walk::Held(chunks), Some((op, input))) = (walk, fold.extremum_of()) else { return Ok(None) };
        let Some((node, narrow)) = narrow_load(e, input) else { return Ok(None) };
        let pairs = e.code.nan_extrema && e.target.has(Feature::CvtBf16) && self.lanes.is_multiple_of(2);
        if !self.across || !pairs || chunks.is_empty() || self.is_sized(e) {
            return Ok(None);
        }
        let mut best: Option<Value> = None;
        for chunk in chunks {
            bind(e, chunk)?;
            e.lanes = self.lanes;
            let value = e.eval(node)?;
            let Some(&(_, raw)) = e.patterns.get(&value.id).filter(|(_, raw)| raw.ty.lanes == self.lanes) else {
                return Ok(None);
            };
            let raw = e.code.bitcast(raw, narrow);
            best = Some(match best {
                None => raw,
                Some(before) => propagated(e, op, before, raw),
            });
        }
        let Some(mut best) = best else { return Ok(None) };
        while best.ty.lanes > 2 && best.ty.lanes.is_multiple_of(4) {
            let half = best.ty.lanes / 2;
            let (low, high) = (e.code.slice(best, 0, half), e.code.slice(best, half, half));
            best = propagated(e, op, low, high);
        }
        let memory = e.memory_scalar(e.exprs.element(node))?;
        let raw = e.code.bitcast(best, memory);
        let wide = e.decode(e.exprs.element(node), raw)?;
        e.lanes = 1;
        let mut folded = e.code.extract(wide, 0);
        for lane in 1..wide.ty.lanes {
            let next = e.code.extract(wide, lane);
            folded = e.combine(op, ElementType::F32, folded, next)?;
        }
        Ok(Some(folded))
    }
}

/// A load of 16-bit floats that is the input, or what the input converts.
fn narrow_load(e: &Emitter<'_>, input: NodeId) -> Option<(NodeId, Scalar)> {
    let node = match *e.exprs.node(input) {
        Node::Convert { element: ElementType::F32, a } => a,
        _ => input,
    };
    let narrow = match e.exprs.element(node) {
        ElementType::Bf16 => Scalar::Bf16,
        ElementType::F16 => Scalar::F16,
        _ => return None,
    };
    matches!(e.exprs.node(node), Node::Load { mask: None, .. }).then_some((node, narrow))
}

/// The larger or smaller of two, lane by lane; NaN stays.
fn propagated(e: &mut Emitter<'_>, op: Binary, a: Value, b: Value) -> Value {
    let name = if op == Binary::Maximum { "arith.maximumf" } else { "arith.minimumf" };
    e.code.binary(name, a, b)
}
