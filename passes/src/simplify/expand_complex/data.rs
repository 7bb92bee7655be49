//! Complex ops that are no functions of numbers: constants, conversions, comparisons, products of matrices.

use fornax_graph::{Attr, Constant, Op, OpKind, Storage, TensorType, Type, ValueId};

use super::{Number, Pair, edges, part_tensor, same_op};
use crate::rewrite::Rewriter;

/// The value of an op of one result; `None` when it is none of these.
pub fn expand(rw: &mut Rewriter, op: &Op, operands: &[Number]) -> Option<Number> {
    let result = rw.tensor(*op.results.first()?)?.clone();
    let pair = |at: usize| operands.get(at).and_then(|number| number.complex());
    Some(match op.kind {
        OpKind::Constant => Number::Complex(constant(rw, op)?),
        OpKind::Iota => {
            let real = same_op(rw, op, Vec::new())?;
            Number::Complex([real, rw.float_like(real, 0.0)])
        }
        OpKind::Complex => match operands {
            &[Number::Real(re), Number::Real(im)] => Number::Complex([re, im]),
            _ => return None,
        },
        OpKind::Real => Number::Real(pair(0)?[0]),
        OpKind::GetDimensionSize => Number::Real(same_op(rw, op, vec![pair(0)?[0]])?),
        OpKind::Imag => Number::Real(pair(0)?[1]),
        OpKind::Convert => convert(rw, *operands.first()?, &result),
        OpKind::BitcastConvert => Number::Complex(bitcast(rw, *operands.first()?, &result)?),
        OpKind::Compare => Number::Real(compare(rw, op.attrs.keyword("comparison_direction")?, pair(0)?, pair(1)?)?),
        OpKind::Maximum => Number::Complex(larger(rw, "LT", pair(0)?, pair(1)?)?),
        OpKind::Minimum => Number::Complex(larger(rw, "GT", pair(0)?, pair(1)?)?),
        OpKind::DotGeneral | OpKind::Convolution => Number::Complex(product(rw, op, operands)?),
        _ => return None,
    })
}

/// Every second part of the elements.
fn constant(rw: &mut Rewriter, op: &Op) -> Option<Pair> {
    let Some(Attr::Dense(id)) = op.attrs.get("value") else { return None };
    let constant = rw.graph.constant(*id).clone();
    let ty = part_tensor(&constant.ty);
    let width = ty.element.storage_bytes();
    let halves: [Constant; 2] = match &constant.storage {
        Storage::Splat(element) => {
            let (re, im) = element.split_at_checked(width)?;
            [re, im].map(|part| Constant::splat(ty.clone(), part.to_vec()))
        }
        Storage::Dense(data) => [0, 1].map(|part| {
            let chunks = data.bytes().chunks_exact(width).skip(part).step_by(2);
            Constant::dense(ty.clone(), chunks.flatten().copied().collect())
        }),
    };
    Some(halves.map(|half| rw.constant(half)))
}

/// A complex number loses its imaginary part on the way to a real type, a real one gets 0.
fn convert(rw: &mut Rewriter, operand: Number, result: &TensorType) -> Number {
    let part = result.element.complex_part();
    match operand {
        Number::Complex(parts) if result.element.is_complex() => {
            Number::Complex(parts.map(|value| rw.convert(value, part)))
        }
        Number::Complex([re, _]) => Number::Real(rw.convert(re, part)),
        Number::Real(value) => {
            let re = rw.convert(value, part);
            Number::Complex([re, rw.float_like(re, 0.0)])
        }
    }
}

/// As real tensors of interleaved parts, whose bits are those of the complex numbers.
fn bitcast(rw: &mut Rewriter, operand: Number, result: &TensorType) -> Option<Pair> {
    let from = operand.complex()?;
    if rw.tensor(from[0])?.element == result.element.complex_part() {
        return Some(from);
    }
    let bits = edges::interleaved(rw, operand);
    let cast = rw.emit(OpKind::BitcastConvert, &[bits], Type::Tensor(edges::interleaved_type(result)), &[]);
    Some(edges::deinterleaved(rw, cast, result))
}

/// By real, then by imaginary part; NaN is unordered.
fn compare(rw: &mut Rewriter, direction: &str, a: Pair, b: Pair) -> Option<ValueId> {
    let imaginary = rw.compare(direction, a[1], b[1]);
    let (real, join) = match direction {
        "EQ" => ("EQ", OpKind::And),
        "NE" => ("NE", OpKind::Or),
        "LT" | "LE" => ("LT", OpKind::Select),
        "GT" | "GE" => ("GT", OpKind::Select),
        _ => return None,
    };
    let real = rw.compare(real, a[0], b[0]);
    if join != OpKind::Select {
        return Some(rw.binary(join, real, imaginary));
    }
    let equal = rw.compare("EQ", a[0], b[0]);
    Some(rw.select(equal, imaginary, real))
}

/// `b` where `a` compares so with it, else `a`.
fn larger(rw: &mut Rewriter, direction: &str, a: Pair, b: Pair) -> Option<Pair> {
    let second = compare(rw, direction, a, b)?;
    Some([rw.select(second, b[0], a[0]), rw.select(second, b[1], a[1])])
}

/// `(a + bi)·(c + di) = (ac − bd) + (ad + bc)i` for bilinear ops.
fn product(rw: &mut Rewriter, op: &Op, operands: &[Number]) -> Option<Pair> {
    let &[left, right] = operands else { return None };
    let mut times = |a, b| same_op(rw, op, vec![a, b]);
    match (left, right) {
        (Number::Complex([a, b]), Number::Complex([c, d])) => {
            let (ac, bd) = (times(a, c)?, times(b, d)?);
            let (ad, bc) = (times(a, d)?, times(b, c)?);
            Some([rw.binary(OpKind::Subtract, ac, bd), rw.binary(OpKind::Add, ad, bc)])
        }
        (Number::Complex([a, b]), Number::Real(c)) => Some([times(a, c)?, times(b, c)?]),
        (Number::Real(a), Number::Complex([c, d])) => Some([times(a, c)?, times(a, d)?]),
        (Number::Real(_), Number::Real(_)) => None,
    }
}
