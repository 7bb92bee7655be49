//! Calls of LAPACK and its kin on matrices whose sides are known only at run time: Cholesky, LU and QR factors,
//! triangular systems, eigenvalues of Hermitian matrices, singular values.
//!
//! JAX names the shapes of results in further operands (`indices_of_shape_operands`); once the sizes are resolved they
//! say nothing new.

use fornax_graph::{Attr, ElementType, OpId, TensorType, ValueId};
use fornax_reference::Scalar;

use super::{Call, Rule, linear_algebra, read_if};
use crate::simplify::expand_linalg::{householder, lu, sized, sized_jacobi};
use crate::simplify::ops::Ops;
use crate::rewrite::Rewriter;

/// Which of the factorisations a target is: the first row of which it holds a part.
fn rule_of(target: &str) -> Option<Rule> {
    const RULES: &[(&[&str], Rule)] = &[
        (&["potrf", "Cholesky"], potrf),
        (&["getrf", "LuDecomposition"], getrf),
        (&["trsm"], trsm),
        (&["geqrf", "Qr"], geqrf),
        (&["orgqr", "ungqr", "ProductOfElementaryHouseholderReflectors"], orgqr),
        (&["syevd", "heevd"], syevd),
        (&["Eigh"], eigh),
        (&["gesvdj", "gesvdp"], gesvdj),
        (&["gesdd", "gesvd"], gesdd),
        (&["lu_pivots_to_permutation"], pivots_to_permutation),
    ];
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
    rule(&Ops::new(rw), &call)
}

/// Operand `at` as `[B, M, N]`.
fn matrix(o: &Ops, call: &Call, at: usize) -> Option<ValueId> {
    let a = call.operand(at)?;
    let ty = o.ty(a);
    (ty.rank() >= 2 && ty.shape[..ty.rank() - 2].iter().all(|d| d.as_static().is_some())).then(|| sized::flat(o, a))
}

/// Operand `at` as `[B, N]`.
fn list(o: &Ops, call: &Call, at: usize) -> Option<ValueId> {
    let a = call.operand(at)?;
    let sizes = o.sizes(a);
    let (&n, batch) = sizes.split_last()?;
    let count: i64 = batch.iter().map(|d| d.as_static()).product::<Option<i64>>()?;
    Some(o.reshape_to(a, &[count.into(), n]))
}

fn no_info(o: &Ops, a: ValueId) -> ValueId {
    o.splat_to(&o.sizes(a)[..1], ElementType::I32, Scalar::Int(0))
}

/// Values in the types of the results.
fn results(o: &Ops, call: &Call, values: &[ValueId]) -> Option<Vec<ValueId>> {
    results_of(o, &call.results, values)
}

fn results_of(o: &Ops, types: &[TensorType], values: &[ValueId]) -> Option<Vec<ValueId>> {
    let fit = |(&value, ty): (&ValueId, &TensorType)| {
        let value = o.convert(value, ty.element);
        o.reshape_to(value, &ty.shape)
    };
    (values.len() == types.len()).then(|| values.iter().zip(types).map(fit).collect())
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

/// (R and reflections, τ).
fn geqrf(o: &Ops, call: &Call) -> Option<Vec<ValueId>> {
    let made = householder::qr(o, matrix(o, call, 0)?, false);
    results(o, call, &[made.packed, made.tau])
}

/// (reflections, τ) → Q.
fn orgqr(o: &Ops, call: &Call) -> Option<Vec<ValueId>> {
    let columns = *call.results.first()?.shape.last()?;
    results(o, call, &[householder::product(o, matrix(o, call, 0)?, list(o, call, 1)?, columns)])
}

/// (vectors, values, info).
fn syevd(o: &Ops, call: &Call) -> Option<Vec<ValueId>> {
    let a = matrix(o, call, 0)?;
    let (values, vectors) = sized_jacobi::eigenvalues(o, a, call.is_lower()?);
    results(o, call, &[vectors, values, no_info(o, a)])
}

/// (vectors, values).
fn eigh(o: &Ops, call: &Call) -> Option<Vec<ValueId>> {
    let lower = call.text.split(',').next().is_none_or(|first| first.trim() != "0");
    let (values, vectors) = sized_jacobi::eigenvalues(o, matrix(o, call, 0)?, lower);
    results(o, call, &[vectors, values])
}

/// (overwritten matrix, values, U, Vᴴ, info).
fn gesdd(o: &Ops, call: &Call) -> Option<Vec<ValueId>> {
    decompose(o, call, true)
}

/// (overwritten matrix, values, U, V, info).
fn gesvdj(o: &Ops, call: &Call) -> Option<Vec<ValueId>> {
    decompose(o, call, false)
}

fn decompose(o: &Ops, call: &Call, adjoint: bool) -> Option<Vec<ValueId>> {
    let a = matrix(o, call, 0)?;
    let made = sized_jacobi::svd(o, a);
    let k = *call.results.get(1)?.shape.last()?;
    let values = o.first_to(made.values, 1, k);
    if call.config.bool("compute_uv") == Some(false) || call.letter("mode") == Some(b'N') {
        // Results that are not wanted have any shape.
        let unwanted = |at: usize| {
            let ty = call.results.get(at)?;
            Some(o.with(|rw| rw.splat(ty, Scalar::zero(ty.element))))
        };
        let mut all = results_of(o, &call.results[..2], &[a, values])?;
        all.extend([unwanted(2)?, unwanted(3)?]);
        all.extend(results_of(o, call.results.get(4..)?, &[no_info(o, a)])?);
        return Some(all);
    }
    let (u, v) = (&call.results.get(2)?.shape, &call.results.get(3)?.shape);
    let columns = if adjoint { v.len().checked_sub(2)? } else { v.len().checked_sub(1)? };
    let u = sized_jacobi::left_vectors(o, &made, *u.last()?);
    let v = o.first_to(made.v, 2, v[columns]);
    let v = if adjoint { o.adjoint(v) } else { v };
    results(o, call, &[a, values, u, v, no_info(o, a)])
}

/// Pivots `[…, K]` from 0 → permutation `[…, M]`; the batch may be of unknown size too.
fn pivots_to_permutation(o: &Ops, call: &Call) -> Option<Vec<ValueId>> {
    let pivots = o.convert(call.operand(0)?, ElementType::I32);
    Some(vec![o.convert(lu::permutation_to(o, pivots, &call.results.first()?.shape), call.results[0].element)])
}
