//! `cholesky` and `triangular_solve`, on complex numbers for every element type.

use crate::complex::Complex;
use crate::errors::EvalError;
use crate::interpreter::Call;
use crate::scalar::Scalar;
use crate::tensor::Tensor;

type Results = Result<Vec<Tensor>, EvalError>;

/// Row-major matrix.
struct Matrix {
    rows: usize,
    cols: usize,
    data: Vec<Complex>,
}

impl Matrix {
    fn zeros(rows: usize, cols: usize) -> Matrix {
        Matrix { rows, cols, data: vec![Complex::ZERO; rows * cols] }
    }

    /// Matrix number `which` of a batch of matrices.
    fn read(tensor: &Tensor, which: usize, rows: usize, cols: usize) -> Matrix {
        let base = which * rows * cols;
        Matrix { rows, cols, data: (0..rows * cols).map(|i| tensor.get(base + i).as_complex()).collect() }
    }

    fn write(&self, out: &mut Tensor, which: usize) {
        let (element, base) = (out.element(), which * self.data.len());
        for (i, &value) in self.data.iter().enumerate() {
            out.set(base + i, Scalar::Complex(value).convert(element));
        }
    }

    fn at(&self, i: usize, j: usize) -> Complex {
        self.data[i * self.cols + j]
    }

    fn set(&mut self, i: usize, j: usize, value: Complex) {
        self.data[i * self.cols + j] = value;
    }

    fn transposed(&self) -> Matrix {
        let mut out = Matrix::zeros(self.cols, self.rows);
        for i in 0..self.rows {
            for j in 0..self.cols {
                out.set(j, i, self.at(i, j));
            }
        }
        out
    }

    fn conjugated(mut self) -> Matrix {
        self.data.iter_mut().for_each(|z| *z = z.conj());
        self
    }
}

/// Rows and columns of the last two dimensions.
fn matrix_sizes(call: &Call, tensor: &Tensor) -> Result<(usize, usize), EvalError> {
    match tensor.shape()[..] {
        [.., rows, cols] => Ok((rows, cols)),
        _ => Err(call.malformed("a matrix was expected")),
    }
}

/// A = L·Lᴴ (`lower`) or A = Uᴴ·U, reading one triangle of A; NaN where A is not positive definite.
pub(crate) fn cholesky(call: &mut Call) -> Results {
    let operand = call.operand(0)?;
    let (n, cols) = matrix_sizes(call, &operand)?;
    call.check(n == cols, "a square matrix was expected")?;
    let lower = call.op.attrs.bool("lower").unwrap_or(false);
    let mut out = call.alloc(&operand.shape(), operand.element())?;
    let batch = operand.len().checked_div(n * n).unwrap_or(0);
    call.charge_work((batch * n * n) as u64 * n as u64)?;
    for which in 0..batch {
        let a = Matrix::read(&operand, which, n, n);
        let a = if lower { a } else { a.transposed().conjugated() };
        let l = lower_factor(&a);
        let result = if lower { l } else { l.transposed().conjugated() };
        result.write(&mut out, which);
    }
    Ok(vec![out])
}

fn lower_factor(a: &Matrix) -> Matrix {
    let n = a.rows;
    let mut l = Matrix::zeros(n, n);
    for j in 0..n {
        let dot = |l: &Matrix, i: usize| (0..j).fold(Complex::ZERO, |s, k| s + l.at(i, k) * l.at(j, k).conj());
        let pivot = a.at(j, j).re - dot(&l, j).re;
        // The root of a negative pivot is NaN.
        let root = pivot.sqrt();
        l.set(j, j, Complex::new(root, 0.0));
        for i in j + 1..n {
            let rest = a.at(i, j) - dot(&l, i);
            l.set(i, j, Complex::new(rest.re / root, rest.im / root));
        }
    }
    l
}

/// op(A)·X = B (`left_side`) or X·op(A) = B for triangular A.
pub(crate) fn triangular_solve(call: &mut Call) -> Results {
    let (a, b) = (call.operand(0)?, call.operand(1)?);
    let (n, cols) = matrix_sizes(call, &a)?;
    let (b_rows, b_cols) = matrix_sizes(call, &b)?;
    let flag = |name: &str| call.op.attrs.bool(name).unwrap_or(false);
    let (left, lower, unit) = (flag("left_side"), flag("lower"), flag("unit_diagonal"));
    let transpose = call.op.attrs.keyword("transpose_a").unwrap_or("NO_TRANSPOSE");
    call.check(n == cols && n == if left { b_rows } else { b_cols }, "sizes of the matrices differ")?;
    let mut out = call.alloc(&b.shape(), b.element())?;
    let batch = b.len().checked_div(b_rows * b_cols).unwrap_or(0);
    call.check(a.len() == batch * n * n || batch == 0, "batch dimensions differ")?;
    call.charge_work(b.len() as u64 * n as u64)?;
    for which in 0..batch {
        let mut matrix = triangle(Matrix::read(&a, which, n, n), lower, unit);
        let mut lower = lower;
        if transpose != "NO_TRANSPOSE" {
            matrix = matrix.transposed();
            lower = !lower;
        }
        if transpose == "ADJOINT" {
            matrix = matrix.conjugated();
        }
        let b = Matrix::read(&b, which, b_rows, b_cols);
        // X·A = B is Aᵀ·Xᵀ = Bᵀ.
        let x = if left {
            substitute(&matrix, lower, b)
        } else {
            substitute(&matrix.transposed(), !lower, b.transposed()).transposed()
        };
        x.write(&mut out, which);
    }
    Ok(vec![out])
}

fn triangle(mut a: Matrix, lower: bool, unit: bool) -> Matrix {
    for i in 0..a.rows {
        for j in 0..a.cols {
            if i == j && unit {
                a.set(i, j, Complex::ONE);
            } else if (j > i) == lower && i != j {
                a.set(i, j, Complex::ZERO);
            }
        }
    }
    a
}

/// Solves A·X = B in place of B.
fn substitute(a: &Matrix, lower: bool, mut b: Matrix) -> Matrix {
    let n = a.rows;
    for step in 0..n {
        let i = if lower { step } else { n - 1 - step };
        let known = if lower { 0..i } else { i + 1..n };
        for c in 0..b.cols {
            let sum = known.clone().fold(b.at(i, c), |s, k| s - a.at(i, k) * b.at(k, c));
            b.set(i, c, sum / a.at(i, i));
        }
    }
    b
}

#[cfg(test)]
mod tests {
    use crate::testing::*;
    use fornax_graph::{Attr, OpKind};

    #[test]
    fn factor() {
        let a = floats(&[2, 2], F64, &[4.0, f64::NAN, 2.0, 5.0]);
        let out = op(OpKind::Cholesky, &[("lower", Attr::Bool(true))], &[a], &[ty(&[2, 2], F64)]);
        assert_eq!(values(&out[0]), [2.0, 0.0, 1.0, 2.0]);
    }

    #[test]
    fn solves_from_both_sides() {
        let a = f32s(&[2, 2], &[2.0, 99.0, 1.0, 4.0]);
        let b = f32s(&[2, 1], &[2.0, 9.0]);
        let attrs = |left: bool, transpose: &str| {
            [
                ("left_side", Attr::Bool(left)),
                ("lower", Attr::Bool(true)),
                ("unit_diagonal", Attr::Bool(false)),
                ("transpose_a", keyword(transpose)),
            ]
        };
        let out = op(OpKind::TriangularSolve, &attrs(true, "NO_TRANSPOSE"), &[a.clone(), b], &[ty(&[2, 1], F32)]);
        assert_eq!(values(&out[0]), [1.0, 2.0]);
        let b = f32s(&[1, 2], &[4.0, 8.0]);
        let out = op(OpKind::TriangularSolve, &attrs(false, "NO_TRANSPOSE"), &[a.clone(), b], &[ty(&[1, 2], F32)]);
        assert_eq!(values(&out[0]), [1.0, 2.0]);
        let b = f32s(&[2, 1], &[4.0, 8.0]);
        let out = op(OpKind::TriangularSolve, &attrs(true, "TRANSPOSE"), &[a, b], &[ty(&[2, 1], F32)]);
        assert_eq!(values(&out[0]), [1.0, 2.0]);
    }
}
