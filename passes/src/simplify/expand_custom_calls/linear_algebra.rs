//! Factorisations by the names of LAPACK, cuSOLVER, hipSOLVER, cuBLAS, cuSPARSE and XLA.
//!
//! Results are as those libraries give them: pivots from 1 (XLA's `LuDecomposition` from 0), τ as in LAPACK, `info` 0
//! where all went well, eigenvalues ascending, singular values descending. Vectors may differ by sign or phase, as they
//! do between libraries.

use fornax_graph::{ElementType, OpKind, ValueId};
use fornax_reference::Scalar;

use super::{Call, Row, Rule, row};
use crate::simplify::expand_linalg::triangular::{Given, Transpose};
use crate::simplify::expand_linalg::{
    cholesky, eigen, flat, householder, jacobi, lu, positions, real_schur, singular, triangular, tridiagonal,
};
use crate::simplify::ops::Ops;

/// The target of each element type: s, d, c, z.
const fn lapack(names: [&'static str; 4], rule: Rule) -> [Row; 4] {
    [row(names[0], rule), row(names[1], rule), row(names[2], rule), row(names[3], rule)]
}

macro_rules! lapack_rows {
    ($($s:literal $d:literal $c:literal $z:literal => $rule:expr;)*; $($name:literal => $other:expr;)*) => {
        pub const ROWS: &[Row] = {
            const LAPACK: &[[Row; 4]] = &[$(lapack([$s, $d, $c, $z], $rule)),*];
            const OTHER: &[Row] = &[$(row($name, $other)),*];
            const COUNT: usize = LAPACK.len() * 4 + OTHER.len();
            const ALL: [Row; COUNT] = {
                let mut all = [const { row("", |_, _| None) }; COUNT];
                let mut at = 0;
                while at < COUNT {
                    let from = match at < LAPACK.len() * 4 {
                        true => &LAPACK[at / 4][at % 4],
                        false => &OTHER[at - LAPACK.len() * 4],
                    };
                    all[at] = row(from.target, from.rule);
                    at += 1;
                }
                all
            };
            &ALL
        };
    };
}

lapack_rows! {
    "lapack_spotrf_ffi" "lapack_dpotrf_ffi" "lapack_cpotrf_ffi" "lapack_zpotrf_ffi" => potrf;
    "lapack_sgetrf_ffi" "lapack_dgetrf_ffi" "lapack_cgetrf_ffi" "lapack_zgetrf_ffi" => getrf;
    "lapack_sgeqrf_ffi" "lapack_dgeqrf_ffi" "lapack_cgeqrf_ffi" "lapack_zgeqrf_ffi" => geqrf;
    "lapack_sgeqp3_ffi" "lapack_dgeqp3_ffi" "lapack_cgeqp3_ffi" "lapack_zgeqp3_ffi" => geqp3;
    "lapack_sorgqr_ffi" "lapack_dorgqr_ffi" "lapack_cungqr_ffi" "lapack_zungqr_ffi" => orgqr;
    "lapack_ssyevd_ffi" "lapack_dsyevd_ffi" "lapack_cheevd_ffi" "lapack_zheevd_ffi" => syevd;
    "lapack_sgesdd_ffi" "lapack_dgesdd_ffi" "lapack_cgesdd_ffi" "lapack_zgesdd_ffi" => gesdd;
    "lapack_sgesvd_ffi" "lapack_dgesvd_ffi" "lapack_cgesvd_ffi" "lapack_zgesvd_ffi" => gesdd;
    "lapack_strsm_ffi" "lapack_dtrsm_ffi" "lapack_ctrsm_ffi" "lapack_ztrsm_ffi" => trsm;
    "lapack_sgtsv_ffi" "lapack_dgtsv_ffi" "lapack_cgtsv_ffi" "lapack_zgtsv_ffi" => gtsv;
    "lapack_sgehrd_ffi" "lapack_dgehrd_ffi" "lapack_cgehrd_ffi" "lapack_zgehrd_ffi" => gehrd;
    "lapack_ssytrd_ffi" "lapack_dsytrd_ffi" "lapack_chetrd_ffi" "lapack_zhetrd_ffi" => sytrd;
    "lapack_sgeev_ffi" "lapack_dgeev_ffi" "lapack_cgeev_ffi" "lapack_zgeev_ffi" => geev;
    "lapack_sgees_ffi" "lapack_dgees_ffi" "lapack_cgees_ffi" "lapack_zgees_ffi" => gees;
    ;
    "cusolver_potrf_ffi" => potrf;
    "cusolver_getrf_ffi" => getrf;
    "cusolver_geqrf_ffi" => geqrf;
    "cusolver_orgqr_ffi" => orgqr;
    "cusolver_syevd_ffi" => syevd;
    "cusolver_gesvdj_ffi" => gesvdj;
    "cusolver_gesvd_ffi" => gesdd;
    "cusolver_gesvdp_ffi" => gesvdj;
    "cusolver_syrk_ffi" => syrk;
    "cusolver_sytrd_ffi" => sytrd;
    "cublas_getrf_batched_ffi" => getrf;
    "cublas_geqrf_batched_ffi" => geqrf;
    "cusparse_gtsv2_ffi" => gtsv;
    "cuhybrid_geqp3" => geqp3;
    "cuhybrid_eig_real" => geev;
    "cuhybrid_eig_comp" => geev;
    "cu_lu_pivots_to_permutation" => pivots_to_permutation;
    "cu_cholesky_update_ffi" => cholesky_update;
    "hipsolver_potrf_ffi" => potrf;
    "hipsolver_getrf_ffi" => getrf;
    "hipsolver_geqrf_ffi" => geqrf;
    "hipsolver_orgqr_ffi" => orgqr;
    "hipsolver_syevd_ffi" => syevd;
    "hipsolver_gesvd_ffi" => gesdd;
    "hipsolver_gesvdj_ffi" => gesvdj;
    "hipsolver_sytrd_ffi" => sytrd;
    "hipblas_getrf_batched_ffi" => getrf;
    "hipblas_geqrf_batched_ffi" => geqrf;
    "hipsparse_gtsv2_ffi" => gtsv;
    "hip_lu_pivots_to_permutation" => pivots_to_permutation;
    "lu_pivots_to_permutation" => pivots_to_permutation;
    "Cholesky" => potrf;
    "LuDecomposition" => lu_decomposition;
    "Qr" => geqrf;
    "ProductOfElementaryHouseholderReflectors" => orgqr;
    "Eigh" => eigh;
}

impl Call {
    /// Operand `at` as `[B, M, N]`.
    fn matrix(&self, o: &Ops, at: usize) -> Option<ValueId> {
        let a = self.operand(at)?;
        (o.shape(a).len() >= 2).then(|| flat(o, a))
    }

    /// Operand `at` as `[B, N]`.
    fn list(&self, o: &Ops, at: usize) -> Option<ValueId> {
        let a = self.operand(at)?;
        let shape = o.shape(a);
        let (&n, batch) = shape.split_last()?;
        Some(o.reshape(a, &[batch.iter().product(), n]))
    }

    /// Values in the types of the results, in order.
    fn results(&self, o: &Ops, values: &[ValueId]) -> Option<Vec<ValueId>> {
        if values.len() != self.results.len() {
            return None;
        }
        let fit = |(&value, ty): (&ValueId, &fornax_graph::TensorType)| {
            let value = o.convert(value, ty.element);
            let count = o.shape(value).iter().product::<i64>();
            (ty.elements()? == count).then(|| o.reshape(value, &ty.static_shape().unwrap_or_default()))
        };
        values.iter().zip(&self.results).map(fit).collect()
    }

    /// Whether the lower triangle is meant: `lower = true` or `uplo = 'L'`.
    pub fn is_lower(&self) -> Option<bool> {
        self.config.bool("lower").or_else(|| Some(self.letter("uplo")? == b'L'))
    }
}

fn no_info(o: &Ops, a: ValueId) -> ValueId {
    o.splat(&[o.shape(a)[0]], ElementType::I32, Scalar::Int(0))
}

/// (factor, info); the other triangle stays.
fn potrf(o: &Ops, call: &Call) -> Option<Vec<ValueId>> {
    let a = call.matrix(o, 0)?;
    let lower = call.is_lower().unwrap_or(true);
    let (factor, info) = cholesky::factor(o, if lower { a } else { o.adjoint(a) });
    let factor = if lower { factor } else { o.adjoint(factor) };
    let (r, c) = positions(o, &o.shape(a));
    let own = o.compare(if lower { "GE" } else { "LE" }, r, c);
    call.results(o, &[o.select(own, factor, a), info])
}

/// (L and U, pivots from 1, info).
fn getrf(o: &Ops, call: &Call) -> Option<Vec<ValueId>> {
    let made = lu::factor(o, call.matrix(o, 0)?);
    let pivots = o.add(made.pivots, o.int(made.pivots, 1));
    call.results(o, &[made.packed, pivots, made.info])
}

/// (L and U, pivots from 0, permutation).
fn lu_decomposition(o: &Ops, call: &Call) -> Option<Vec<ValueId>> {
    let made = lu::factor(o, call.matrix(o, 0)?);
    call.results(o, &[made.packed, made.pivots, made.permutation])
}

fn pivots_to_permutation(o: &Ops, call: &Call) -> Option<Vec<ValueId>> {
    let pivots = o.convert(call.list(o, 0)?, ElementType::I32);
    let m = *call.shape(0)?.last()?;
    call.results(o, &[lu::permutation(o, pivots, m)])
}

/// (R and reflections, τ).
fn geqrf(o: &Ops, call: &Call) -> Option<Vec<ValueId>> {
    let made = householder::qr(o, call.matrix(o, 0)?, false);
    call.results(o, &[made.packed, made.tau])
}

/// (matrix, columns so far) → (R and reflections, columns from 1, τ); all columns are free to move.
fn geqp3(o: &Ops, call: &Call) -> Option<Vec<ValueId>> {
    let made = householder::qr(o, call.matrix(o, 0)?, true);
    let columns = o.add(made.columns, o.int(made.columns, 1));
    call.results(o, &[made.packed, columns, made.tau])
}

/// (reflections, τ) → Q.
fn orgqr(o: &Ops, call: &Call) -> Option<Vec<ValueId>> {
    let columns = *call.shape(0)?.last()?;
    let (packed, tau) = (call.matrix(o, 0)?, call.list(o, 1)?);
    (o.shape(tau)[1] <= o.shape(packed)[2].min(o.shape(packed)[1])).then_some(())?;
    call.results(o, &[householder::product(o, packed, tau, columns)])
}

/// (vectors, values, info).
fn syevd(o: &Ops, call: &Call) -> Option<Vec<ValueId>> {
    let a = call.matrix(o, 0)?;
    let (values, vectors) = jacobi::eigenvalues(o, a, call.is_lower()?);
    call.results(o, &[vectors, values, no_info(o, a)])
}

/// (vectors, values); the configuration is "lower, sorted, …".
fn eigh(o: &Ops, call: &Call) -> Option<Vec<ValueId>> {
    let lower = call.text.split(',').next().is_none_or(|first| first.trim() != "0");
    let (values, vectors) = jacobi::eigenvalues(o, call.matrix(o, 0)?, lower);
    call.results(o, &[vectors, values])
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
    let a = call.matrix(o, 0)?;
    let (m, n) = (o.shape(a)[1], o.shape(a)[2]);
    let square = |at: usize, n: i64| Some(call.shape(at)?.iter().rev().take(2).all(|&size| size == n));
    let made = singular::svd(o, a, square(2, m)? && square(3, n)?);
    let v = if adjoint { o.adjoint(made.v) } else { made.v };
    // Where vectors are not wanted, results have any shape.
    let fits =
        |value: ValueId, at: usize| Some(o.shape(value).iter().product::<i64>() == call.results.get(at)?.elements()?);
    let wanted = |value: ValueId, at: usize| {
        let ty = call.results.get(at)?;
        Some(if fits(value, at)? { value } else { o.splat(&ty.static_shape()?, ty.element, Scalar::Float(0.0)) })
    };
    if call.config.bool("compute_uv") != Some(false) && call.letter("mode") != Some(b'N') {
        (fits(made.u, 2)? && fits(v, 3)?).then_some(())?;
    }
    call.results(o, &[a, made.values, wanted(made.u, 2)?, wanted(v, 3)?, no_info(o, a)])
}

/// Side, triangle, diagonal and transpose of a call of trsm.
pub fn given_of(call: &Call) -> Option<Given> {
    Some(Given {
        left: call.letter("side")? == b'L',
        lower: call.is_lower()?,
        unit: call.letter("diag")? == b'U',
        transpose: match call.letter("trans_x")? {
            b'T' => Transpose::Plain,
            b'C' => Transpose::Adjoint,
            _ => Transpose::No,
        },
    })
}

/// (A, B) → X.
fn trsm(o: &Ops, call: &Call) -> Option<Vec<ValueId>> {
    call.results(o, &[triangular::solve_given(o, call.matrix(o, 0)?, call.matrix(o, 1)?, given_of(call)?)])
}

/// (low, diagonal, high, B) → X, or (U's second superdiagonal, diagonal, superdiagonal, X, info).
fn gtsv(o: &Ops, call: &Call) -> Option<Vec<ValueId>> {
    let b = call.matrix(o, 3)?;
    let made = tridiagonal::solve(o, [call.list(o, 0)?, call.list(o, 1)?, call.list(o, 2)?], b);
    if call.results.len() == 1 {
        return call.results(o, &[made.x]);
    }
    call.results(o, &[made.second, made.diagonal, made.upper, made.x, no_info(o, b)])
}

/// (H and reflections, τ, info).
fn gehrd(o: &Ops, call: &Call) -> Option<Vec<ValueId>> {
    let a = call.matrix(o, 0)?;
    let n = o.shape(a)[1];
    let (low, high) = (call.config.int("low")?, call.config.int("high")?);
    (1 <= low && low <= high.max(1) && high <= n).then_some(())?;
    let (packed, tau) = householder::hessenberg(o, a, low - 1, high);
    call.results(o, &[packed, tau, no_info(o, a)])
}

/// (T and reflections, diagonal, off-diagonal, τ, info).
fn sytrd(o: &Ops, call: &Call) -> Option<Vec<ValueId>> {
    let a = call.matrix(o, 0)?;
    let made = tridiagonal::reduce(o, a, call.is_lower()?);
    call.results(o, &[made.packed, made.diagonal, made.off_diagonal, made.tau, no_info(o, a)])
}

/// (values, left, right, info); of real matrices the values are two lists.
fn geev(o: &Ops, call: &Call) -> Option<Vec<ValueId>> {
    let a = call.matrix(o, 0)?;
    let asked = |letter: &str, flag: &str| {
        call.config.bool(flag).unwrap_or_else(|| call.letter(letter) == Some(b'V'))
    };
    let made = eigen::eigen(o, a, asked("compute_left", "left"), asked("compute_right", "right"));
    let rest = [made.left, made.right, made.info];
    let values = if o.is_complex(a) { vec![made.values] } else { vec![o.real(made.values), o.imag(made.values)] };
    call.results(o, &[values, rest.to_vec()].concat())
}

/// (T, Z, values, how many were chosen, info); of a real matrix the values are two lists, real and imaginary parts.
fn gees(o: &Ops, call: &Call) -> Option<Vec<ValueId>> {
    let a = call.matrix(o, 0)?;
    if call.letter("sort") == Some(b'S') {
        return None;
    }
    if !o.is_complex(a) {
        let made = real_schur::real_schur(o, a);
        let results = [made.t, made.z, made.real, made.imaginary];
        let results = results.map(|value| jacobi::poisoned(o, value, made.poison));
        return call.results(o, &[results.to_vec(), vec![no_info(o, a), made.info]].concat());
    }
    let made = eigen::schur(o, a);
    let (r, c) = positions(o, &o.shape(a));
    let values = o.sum(o.select(o.compare("EQ", r, c), made.t, o.float(made.t, 0.0)), &[1]);
    let results = [made.t, made.z, values];
    let results = results.map(|value| jacobi::poisoned(o, value, made.poison));
    call.results(o, &[results.to_vec(), vec![no_info(o, a), made.info]].concat())
}

/// (A, C, α, β) → α·A·Aᵀ + β·C, or Aᵀ·A.
fn syrk(o: &Ops, call: &Call) -> Option<Vec<ValueId>> {
    let (a, c) = (call.matrix(o, 0)?, call.matrix(o, 1)?);
    let a = if call.config.bool("transpose")? { o.transposed(a) } else { a };
    let product = o.matmul(a, o.transposed(a));
    let by = |scalar: usize| Some(o.broadcast(o.reshape(call.operand(scalar)?, &[]), &[], &o.shape(c)));
    let sum = o.add(o.mul(product, by(2)?), o.mul(c, by(3)?));
    call.results(o, &[sum])
}

/// (R, w) → R' with R'ᵀ·R' = Rᵀ·R + w·wᵀ, and what is left of w: one row a step, by a rotation of w into it.
fn cholesky_update(o: &Ops, call: &Call) -> Option<Vec<ValueId>> {
    let (r, w) = (call.matrix(o, 0)?, call.list(o, 1)?);
    let (batch, n) = (o.shape(r)[0], o.shape(r)[1]);
    let row = [batch, 1, n];
    if batch * n == 0 {
        return call.results(o, &[r, w]);
    }
    let carried = o.counted(n, &[r, o.reshape(w, &row)], |o, i, carried| {
        let zero = o.index(0);
        let (own, w) = (o.slice_at(carried[0], &[zero, i, zero], &row), carried[1]);
        let head = |v: ValueId| o.slice_at(v, &[zero, zero, i], &[batch, 1, 1]);
        let (x, y) = (head(own), head(w));
        let large = o.binary(OpKind::Maximum, o.size(x), o.size(y));
        let some = o.compare("GT", large, o.float(large, 0.0));
        let safe = o.select(some, large, o.float(large, 1.0));
        let (x, y) = (o.div(x, safe), o.div(y, safe));
        let length = o.sqrt(o.add(o.mul(x, x), o.mul(y, y)));
        let length = o.select(some, length, o.float(length, 1.0));
        let c = o.spread(o.select(some, o.div(x, length), o.float(x, 1.0)), &row);
        let s = o.spread(o.select(some, o.div(y, length), o.float(y, 0.0)), &row);
        let made = o.add(o.mul(c, own), o.mul(s, w));
        vec![o.put_at(carried[0], made, &[zero, i, zero]), o.sub(o.mul(c, w), o.mul(s, own))]
    });
    call.results(o, &carried)
}
