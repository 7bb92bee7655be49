//! Rules of cholesky, triangular_solve and fft.

use fornax_types::ElementType;

use super::check::{Check, OPERAND, SHAPES, VALUE, Verdict, ensure, fits, sizes};
use super::shape::same;

/// The operand is a batch of square matrices.
fn square(check: &Check, i: usize) -> Verdict {
    let ty = check.operand(i)?;
    let n = ty.rank();
    let shape = sizes(ty);
    ensure(n >= 2 && fits(shape[n - 1], shape[n - 2]), SHAPES, || {
        format!("operand {i} must be a batch of square matrices, not {}", check.tensor_text(ty))
    })
}

pub fn cholesky(check: &Check) -> Verdict {
    square(check, 0)?;
    same(check)
}

pub fn triangular_solve(check: &Check) -> Verdict {
    square(check, 0)?;
    let (a, b) = (check.operand(0)?, check.operand(1)?);
    let rank = a.rank();
    check.ensure_rank(b, rank, "the right-hand side")?;
    check.ensure_same_element(a.element, b.element, "the operands")?;
    let (sa, sb) = (sizes(a), sizes(b));
    let left = check.op.attrs.bool("left_side").unwrap_or(true);
    let side = if left { rank - 2 } else { rank - 1 };
    let fitting = (0..rank - 2).all(|d| fits(sa[d], sb[d])) && fits(sa[rank - 1], sb[side]);
    ensure(fitting, SHAPES, || format!("{} and {} do not fit together", check.tensor_text(a), check.tensor_text(b)))?;
    ensure(check.op.attrs.keyword("transpose_a") != Some("TRANSPOSE_INVALID"), VALUE, || {
        "`transpose_a` must be NO_TRANSPOSE, TRANSPOSE or ADJOINT".into()
    })?;
    check.ensure_result(0, &sb, Some(b.element))
}

pub fn fft(check: &Check) -> Verdict {
    let operand = check.operand(0)?;
    let lengths = check.ints("fft_length")?;
    ensure((1..=3).contains(&lengths.len()) && lengths.len() <= operand.rank(), VALUE, || {
        format!("`fft_length` has {} entries: 1 to 3, and at most the operand's rank", lengths.len())
    })?;
    let kind = check.op.attrs.keyword("fft_type").unwrap_or("FFT");
    let complex =
        |e: ElementType| if e == ElementType::F64 { ElementType::ComplexF64 } else { ElementType::ComplexF32 };
    let (needs_complex, element) = match kind {
        "RFFT" => (false, complex(operand.element)),
        "IRFFT" => (true, operand.element.complex_part()),
        _ => (true, operand.element),
    };
    let right = if needs_complex {
        operand.element.is_complex()
    } else {
        matches!(operand.element, ElementType::F32 | ElementType::F64)
    };
    ensure(right, OPERAND, || format!("{kind} does not take {}", check.tensor_text(operand)))?;
    let mut shape = sizes(operand);
    let first = shape.len() - lengths.len();
    for (i, &length) in lengths.iter().enumerate() {
        let last = i + 1 == lengths.len();
        let wanted = if kind == "IRFFT" && last { length / 2 + 1 } else { length };
        ensure(fits(shape[first + i], Some(wanted)), SHAPES, || {
            format!("dimension {} must have size {wanted} for `fft_length` {length}", first + i)
        })?;
        shape[first + i] = Some(if kind == "RFFT" && last && length > 0 { length / 2 + 1 } else { length });
    }
    check.ensure_result(0, &shape, Some(element))
}
