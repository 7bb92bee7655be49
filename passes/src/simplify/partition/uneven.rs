//! Parts of a dimension that its devices do not divide: each is as long as the first one, and what the last ones have
//! too much is filling. Nothing may depend on it.
//!
//! Worked example: 10 elements on 4 devices are parts of 3, 3, 3 and 1 with two that fill up. Ops that keep the
//! dimension compute on the filling as on the rest. A sum over it reads zeros there, a maximum what it begins with, so
//! that devices with more filling add nothing. Ops that need all of a dimension get it gathered, without the filling.

use fornax_graph::{Constant, Dim, ElementType, OpKind, TensorType, Type, ValueId};
use fornax_reference::Scalar;

use super::Pass;
use crate::rewrite::Rewriter;
use crate::rewrite::build::ints;

impl Pass {
    /// A whole dimension with filling behind it, `to` elements long.
    pub(super) fn filled(&self, rw: &mut Rewriter, value: ValueId, dim: usize, to: i64) -> ValueId {
        let Some(mut ty) = rw.tensor(value).cloned() else { return value };
        let more = to - ty.shape[dim].as_static().unwrap_or(to);
        if more <= 0 {
            return value;
        }
        ty.shape[dim] = Dim::Static(to);
        let mut high = vec![0; ty.rank()];
        let low = ints(&high);
        high[dim] = more;
        let zero = nothing(rw, ty.element);
        let attrs = [("edge_padding_low", low.clone()), ("edge_padding_high", ints(&high)), ("interior_padding", low)];
        rw.emit(OpKind::Pad, &[value, zero], Type::Tensor(ty), &attrs)
    }

    /// A whole dimension without its filling.
    pub(super) fn unfilled(&self, rw: &mut Rewriter, value: ValueId, dim: usize, size: i64) -> ValueId {
        let Some(mut limits) = rw.shape(value) else { return value };
        limits[dim] = size;
        rw.slice(value, &vec![0; limits.len()], &limits, &vec![1; limits.len()])
    }

    /// A part whose filling along a dimension is `fill`, a scalar; zeros without one.
    pub(super) fn neutral(
        &self,
        rw: &mut Rewriter,
        value: ValueId,
        (dim, axes, whole): (usize, &[usize], &TensorType),
        fill: Option<ValueId>,
    ) -> ValueId {
        let (Some(ty), Some(size)) = (rw.tensor(value).cloned(), whole.shape[dim].as_static()) else { return value };
        if self.machine.divides(whole.shape[dim], axes) {
            return value;
        }
        let own = ty.shape[dim].as_static().unwrap_or(1);
        let line = TensorType::new(&[own], ElementType::Ui32);
        let start = self.start(rw, axes, own);
        let start = rw.broadcast(start, &[], &line.shape);
        let place = rw.iota(&line, 0);
        let place = rw.binary(OpKind::Add, place, start);
        let end = rw.splat(&line, Scalar::Int(size.into()));
        let is_own = rw.compare("LT", place, end);
        let is_own = rw.broadcast(is_own, &[dim], &ty.shape);
        let fill = fill.unwrap_or_else(|| nothing(rw, ty.element));
        let fill = rw.broadcast(fill, &[], &ty.shape);
        rw.select(is_own, value, fill)
    }
}

/// Zero, a scalar.
pub(super) fn nothing(rw: &mut Rewriter, element: ElementType) -> ValueId {
    let ty = TensorType::new(&[], element);
    let bytes = vec![0; element.storage_bytes()];
    rw.constant(Constant::splat(ty, bytes))
}
