//! Linear algebra becomes products, slices and counted loops.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<1x1xf32>, %arg1: tensor<1x2xf32>) -> tensor<1x2xf32> {
//!   %0 = "stablehlo.triangular_solve"(%arg0, %arg1) {left_side = true, lower = true, unit_diagonal = true,
//!       transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<1x1xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
//!   return %0 : tensor<1x2xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<1x1xf32>, %arg1: tensor<1x2xf32>) -> tensor<1x2xf32> {
//!   %0 = stablehlo.reshape %arg1 : (tensor<1x2xf32>) -> tensor<1x1x2xf32>
//!   %1 = stablehlo.reshape %0 : (tensor<1x1x2xf32>) -> tensor<1x2xf32>
//!   return %1 : tensor<1x2xf32>
//! }
//! ```
//!
//! Batches become one dimension: `[…, M, N]` is `[B, M, N]` inside. Matrices of more than [`LEAF`] rows are halved:
//! then most of the work is products of matrices; what is left are loops of known length with one row or column a step.
//! `custom_calls` builds its factorisations (LU, QR, eigenvalues, singular values) from the same files. Real and
//! complex numbers take the same way: complex ones are expanded later. f16 and bf16 are computed in f32. Where a side
//! of the matrix is a size of run time, [`sized`] and [`sized_jacobi`] do it.

pub mod cholesky;
pub mod eigen;
pub mod householder;
pub mod jacobi;
pub mod lu;
pub mod real_schur;
pub mod singular;
pub mod sized;
pub mod sized_jacobi;
pub mod triangular;
pub mod tridiagonal;

#[cfg(test)]
mod tests;

use fornax_graph::{Dim, ElementType, Graph, OpId, OpKind, ValueId};

use super::Options;
use super::ops::Ops;
use crate::rewrite::{Rewrite, Rewriter, sweep};
use crate::errors::PassError;

/// Rows up to which a factorisation goes row by row.
pub const LEAF: i64 = 64;

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    sweep(graph, &mut |rw, id| match rw.kind(id) {
        OpKind::Cholesky => Ok(cholesky_op(rw, id).map_or(Rewrite::Keep, Rewrite::with)),
        OpKind::TriangularSolve => Ok(solve_op(rw, id).map_or(Rewrite::Keep, Rewrite::with)),
        _ => Ok(Rewrite::Keep),
    })
}

/// Where halves of `n` rows meet: whole leaves.
pub fn half(n: i64) -> i64 {
    (n / 2 + LEAF - 1) / LEAF * LEAF
}

/// `[…, M, N]` as `[B, M, N]`.
pub fn flat(o: &Ops, a: ValueId) -> ValueId {
    let shape = o.shape(a);
    let (batch, matrix) = shape.split_at(shape.len().saturating_sub(2));
    let sizes: Vec<i64> = [batch.iter().product()].iter().chain(matrix).copied().collect();
    o.reshape(a, &sizes)
}

/// The type that the arithmetic has.
fn working(element: ElementType) -> ElementType {
    match element {
        ElementType::F64 | ElementType::F32 | ElementType::ComplexF32 | ElementType::ComplexF64 => element,
        _ => ElementType::F32,
    }
}

/// Row and column numbers of `[B, M, N]`, `[M, N]` repeated.
pub fn positions(o: &Ops, shape: &[i64]) -> (ValueId, ValueId) {
    (o.iota(shape, 1), o.iota(shape, 2))
}

pub fn positions_to(o: &Ops, sizes: &[Dim]) -> (ValueId, ValueId) {
    (o.iota_to(sizes, 1), o.iota_to(sizes, 2))
}

/// A failed factor is all NaN, as XLA makes it.
fn cholesky_op(rw: &mut Rewriter, id: OpId) -> Option<ValueId> {
    let a = rw.operand(id, 0)?;
    let lower = rw.graph.op(id).attrs.bool("lower").unwrap_or(false);
    let ty = rw.tensor(a)?.clone();
    if sized::is_sized(&ty) {
        let o = &Ops::new(rw);
        let wide = o.convert(sized::flat(o, a), working(ty.element));
        let factor = sized::cholesky_or_nan(o, if lower { wide } else { o.adjoint(wide) });
        let factor = o.convert(if lower { factor } else { o.adjoint(factor) }, ty.element);
        return Some(o.with(|rw| rw.reshape(factor, &ty.shape)));
    }
    let shape = ty.static_shape().filter(|s| s.len() >= 2)?;
    let o = &Ops::new(rw);
    let wide = o.convert(flat(o, a), working(ty.element));
    let (factor, info) = cholesky::factor(o, if lower { wide } else { o.adjoint(wide) });
    let factor = if lower { factor } else { o.adjoint(factor) };
    let sizes = o.shape(factor);
    let good = o.broadcast(o.compare("EQ", info, o.int(info, 0)), &[0], &sizes);
    let factor = o.select(good, factor, o.float(factor, f64::NAN));
    Some(o.reshape(o.convert(factor, ty.element), &shape))
}

fn solve_op(rw: &mut Rewriter, id: OpId) -> Option<ValueId> {
    let (a, b) = (rw.operand(id, 0)?, rw.operand(id, 1)?);
    let attrs = &rw.graph.op(id).attrs;
    let given = triangular::Given {
        left: attrs.bool("left_side")?,
        lower: attrs.bool("lower")?,
        unit: attrs.bool("unit_diagonal")?,
        transpose: match attrs.keyword("transpose_a")? {
            "TRANSPOSE" => triangular::Transpose::Plain,
            "ADJOINT" => triangular::Transpose::Adjoint,
            _ => triangular::Transpose::No,
        },
    };
    let ty = rw.tensor(b)?.clone();
    if rw.tensor(a).is_some_and(sized::is_resolved)
        && (sized::is_sized(&ty) || rw.tensor(a).is_some_and(sized::is_sized))
    {
        let o = &Ops::new(rw);
        let wide = |v| o.convert(sized::flat(o, v), working(ty.element));
        let x = o.convert(sized::solve_given(o, wide(a), wide(b), given), ty.element);
        return Some(o.with(|rw| rw.reshape(x, &ty.shape)));
    }
    let shape = ty.static_shape().filter(|s| s.len() >= 2)?;
    rw.shape(a).filter(|s| s.len() == shape.len())?;
    let o = &Ops::new(rw);
    let wide = |v| o.convert(flat(o, v), working(ty.element));
    let x = triangular::solve_given(o, wide(a), wide(b), given);
    Some(o.reshape(o.convert(x, ty.element), &shape))
}
