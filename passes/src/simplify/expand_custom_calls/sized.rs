//! Calls of LAPACK and its kin on matrices whose sides are known only at run time: Cholesky and LU factors, triangular systems.
//!
//! JAX names the shapes of results in further operands (`indices_of_shape_operands`); once the sizes are resolved they say nothing new.

use fornax_graph::{Attr, OpId, TensorType, ValueId};

use super::{Call, Rule, linear_algebra, read_if};
use crate::simplify::expand_linalg::sized;
use crate::simplify::ops::Ops;
use crate::simplify::rewrite::Rewriter;

/// Which of the factorisations a target is.
fn rule_of(target: &str) -> Option<Rule> {
    const RULES: &[(&[&str], Rule)] =
        &[(&["potrf", "Cholesky"], potrf), (&["getrf", "LuDecomposition"], getrf), (&["trsm"], trsm)];
    RULES.iter().find(|(parts, _)| parts.iter().any(|part| target.contains(part))).map(|&(_, rule)| rule)
}

/// What the call becomes; `None` while a size has no name, or where only static shapes are known.
pub fn expand(rw: &mut Rewriter, id: OpId, target: &str) -> Option<Vec<ValueId>> {
    let rule = rule_of(target)?;
    let mut call = read_if(rw.graph, id, sized::is_resolved)?;
    let shapes = match rw.graph.op(id).attrs.get("indices_of_shape_operands") {
        Some(Attr::Dense(constant)) => rw.graph.constant(*constant).ty.elements().unwrap_or(0) as usize,
        _ => 0,
    };
    call.operands.truncate(call.operands.len().checked_sub(shapes)?);
    call.results.first().filter(|ty| sized::is_sized(ty))?;
    rule(&Ops::new(rw), &call)
}

/// Operand `at` as `[B, M, N]`.
fn matrix(o: &Ops, call: &Call, at: usize) -> Option<ValueId> {
    let a = call.operand(at)?;
    let ty = o.ty(a);
    (ty.rank() >= 2 && ty.shape[..ty.rank() - 2].iter().all(|d| d.as_static().is_some())).then(|| sized::flat(o, a))
}

/// Values in the types of the results.
fn results(o: &Ops, call: &Call, values: &[ValueId]) -> Option<Vec<ValueId>> {
    let fit = |(&value, ty): (&ValueId, &TensorType)| {
        let value = o.convert(value, ty.element);
        o.with(|rw| rw.reshape(value, &ty.shape))
    };
    (values.len() == call.results.len()).then(|| values.iter().zip(&call.results).map(fit).collect())
}

/// (factor, info); the other triangle stays.
fn potrf(o: &Ops, call: &Call) -> Option<Vec<ValueId>> {
    let a = matrix(o, call, 0)?;
    let lower = call.is_lower().unwrap_or(true);
    let (factor, info) = sized::cholesky(o, if lower { a } else { o.adjoint(a) });
    let factor = if lower { factor } else { o.adjoint(factor) };
    results(o, call, &[sized::triangle(o, lower, factor, a), info])
}

/// (L and U, pivots from 1, info), or from XLA (L and U, pivots from 0, permutation).
fn getrf(o: &Ops, call: &Call) -> Option<Vec<ValueId>> {
    let a = matrix(o, call, 0)?;
    let steps = *call.results.get(1)?.shape.last()?;
    let made = sized::lu(o, a, steps);
    let of_xla = call.results.get(2)?.rank() == call.results[1].rank();
    if of_xla {
        return results(o, call, &[made.packed, made.pivots, made.permutation]);
    }
    results(o, call, &[made.packed, o.add(made.pivots, o.int(made.pivots, 1)), made.info])
}

/// (A, B) → X.
fn trsm(o: &Ops, call: &Call) -> Option<Vec<ValueId>> {
    let given = linear_algebra::given_of(call)?;
    results(o, call, &[sized::solve_given(o, matrix(o, call, 0)?, matrix(o, call, 1)?, given)])
}
