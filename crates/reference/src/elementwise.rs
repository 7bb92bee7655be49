//! Element-wise ops on tensors: [`ScalarOp`] is the op on one element, shared with regions (`region`).

use fornax_graph::{AttrMap, ElementType, OpKind};

use crate::binary::{self, Binary, Direction};
use crate::errors::EvalError;
use crate::float_format::FloatFormat;
use crate::interpreter::Call;
use crate::scalar::Scalar;
use crate::tensor::Tensor;
use crate::unary::{self, Unary};

#[derive(Clone, Copy)]
enum Rule {
    Unary(Unary),
    Binary(Binary),
    Compare {
        direction: Direction,
        total: bool,
    },
    Select,
    /// (maximum, minimum)
    Clamp(Binary, Binary),
    Convert,
    ReducePrecision {
        format: &'static FloatFormat,
        exponent_bits: u32,
        mantissa_bits: u32,
    },
}

/// An element-wise op bound to its element types.
#[derive(Clone, Copy)]
pub(crate) struct ScalarOp {
    rule: Rule,
    result: ElementType,
}

/// Whether every result element depends on one element of each operand only.
pub(crate) fn is_elementwise(kind: OpKind) -> bool {
    let special = [OpKind::Compare, OpKind::Select, OpKind::Clamp, OpKind::Convert, OpKind::ReducePrecision];
    special.contains(&kind) || unary::is_unary(kind) || binary::is_binary(kind)
}

impl ScalarOp {
    /// `None` when the op does not take the element types, or is not element-wise.
    pub fn bind(kind: OpKind, attrs: &AttrMap, operands: &[ElementType], result: ElementType) -> Option<ScalarOp> {
        let first = *operands.first()?;
        let rule = match kind {
            OpKind::Compare | OpKind::ChloBroadcastCompare => Rule::Compare {
                direction: Direction::parse(attrs.keyword("comparison_direction")?)?,
                total: attrs.keyword("compare_type") == Some("TOTALORDER"),
            },
            OpKind::Select => Rule::Select,
            OpKind::Clamp => Rule::Clamp(Binary::bind(OpKind::Maximum, first)?, Binary::bind(OpKind::Minimum, first)?),
            OpKind::Convert => Rule::Convert,
            OpKind::ReducePrecision => Rule::ReducePrecision {
                format: FloatFormat::of(first)?,
                exponent_bits: u32::try_from(attrs.int("exponent_bits")?).ok()?,
                mantissa_bits: u32::try_from(attrs.int("mantissa_bits")?).ok()?,
            },
            _ if unary::is_unary(kind) => Rule::Unary(Unary::bind(kind, first)?),
            _ => Rule::Binary(Binary::bind(kind, first)?),
        };
        Some(ScalarOp { rule, result })
    }

    /// The result element, rounded to its type; `None` when the values do not fit the op.
    pub fn apply(&self, args: &[Scalar]) -> Option<Scalar> {
        let value = match (self.rule, args) {
            (Rule::Unary(f), &[x]) => f.apply(x)?,
            (Rule::Binary(f), &[a, b]) => f.apply(a, b)?,
            (Rule::Compare { direction, total }, &[a, b]) => Scalar::Bool(binary::compare(direction, total, a, b)?),
            (Rule::Select, &[on, a, b]) => return Some(if on.as_bool() { a } else { b }),
            (Rule::Clamp(max, min), &[low, x, high]) => min.apply(max.apply(x, low)?, high)?,
            (Rule::Convert, &[x]) => return Some(x.convert(self.result)),
            (Rule::ReducePrecision { format, exponent_bits, mantissa_bits }, &[Scalar::Float(x)]) => {
                Scalar::Float(format.reduce(x, exponent_bits, mantissa_bits))
            }
            _ => return None,
        };
        Some(value.round_to(self.result))
    }

    /// Whether the op combines two real floats.
    pub fn is_float_binary(&self) -> bool {
        matches!(self.rule, Rule::Binary(Binary::Float(_)))
    }
}

/// Kernel of every element-wise op.
pub(crate) fn elementwise(call: &mut Call) -> Result<Vec<Tensor>, EvalError> {
    let operands: Vec<&Tensor> = call.operands.iter().map(|t| &**t).collect();
    Ok(vec![apply(call, call.op.kind, &operands)?])
}

/// `uniform_quantize` and `uniform_dequantize` on held values: the interpreter does the rounding, see `quantized`.
pub(crate) fn convert(call: &mut Call) -> Result<Vec<Tensor>, EvalError> {
    let operand = call.operand(0)?;
    Ok(vec![apply(call, OpKind::Convert, &[&*operand])?])
}

/// Applies element-wise op `kind` with the call's attributes. An operand of rank 0 is repeated.
pub(crate) fn apply(call: &Call, kind: OpKind, operands: &[&Tensor]) -> Result<Tensor, EvalError> {
    let elements: Vec<ElementType> = operands.iter().map(|t| t.element()).collect();
    let result = call.result_element(0)?;
    let Some(op) = ScalarOp::bind(kind, &call.op.attrs, &elements, result) else {
        return Err(call.unsupported(&format!("not defined on {}", elements[..].first().map_or("", |e| e.spelling()))));
    };
    let Some(widest) = operands.iter().max_by_key(|t| t.rank()) else {
        return Err(call.malformed("no operands"));
    };
    let shape = widest.shape();
    if operands.iter().any(|t| t.rank() != 0 && t.shape() != shape) {
        return Err(call.malformed("operand shapes differ"));
    }
    if let Some(fast) = apply_f32(&op, operands, &shape, result) {
        return Ok(fast);
    }
    let n = widest.len();
    let mut out = call.alloc(&shape, result)?;
    let mut args = vec![Scalar::Bool(false); operands.len()];
    for at in 0..n {
        for (arg, tensor) in args.iter_mut().zip(operands) {
            *arg = tensor.get(if tensor.rank() == 0 { 0 } else { at });
        }
        let value = op.apply(&args).ok_or_else(|| call.unsupported("not defined on this element type"))?;
        out.set(at, value);
    }
    Ok(out)
}

fn read_f32s(bytes: &[u8]) -> impl Iterator<Item = f32> + '_ {
    bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b))
}

/// The same results without going through [`Scalar`], for f32 → f32 functions of full-size operands.
fn apply_f32(op: &ScalarOp, operands: &[&Tensor], shape: &[usize], result: ElementType) -> Option<Tensor> {
    let full = |t: &&Tensor| t.element() == ElementType::F32 && t.rank() == shape.len();
    if result != ElementType::F32 || !operands.iter().all(full) {
        return None;
    }
    let values: Vec<u8> = match (op.rule, operands) {
        (Rule::Unary(Unary::Float(f)), [x]) => {
            read_f32s(&x.bytes).flat_map(|v| (f(f64::from(v)) as f32).to_le_bytes()).collect()
        }
        (Rule::Binary(Binary::Float(f)), [a, b]) => {
            let pairs = read_f32s(&a.bytes).zip(read_f32s(&b.bytes));
            pairs.flat_map(|(a, b)| (f(f64::from(a), f64::from(b)) as f32).to_le_bytes()).collect()
        }
        _ => return None,
    };
    Some(Tensor { ty: crate::tensor::tensor_type(shape, result), bytes: values })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::*;

    #[test]
    fn f32_and_general_paths_agree() {
        let (a, b) = ([1.5, -2.0, f64::NAN, 1e30], [0.25, 3.0, 1.0, 1e30]);
        for kind in [OpKind::Add, OpKind::Multiply, OpKind::Maximum, OpKind::Divide] {
            let fast = op(kind, &[], &[f32s(&[4], &a), f32s(&[4], &b)], &[ty(&[4], F32)]);
            let slow = ScalarOp::bind(kind, &AttrMap::default(), &[F32, F32], F32).unwrap();
            for (i, got) in fast[0].scalars().into_iter().enumerate() {
                let args = [Scalar::Float(a[i]).round_to(F32), Scalar::Float(b[i]).round_to(F32)];
                let want = slow.apply(&args).unwrap().as_f64();
                assert!(got.as_f64() == want || got.as_f64().is_nan() && want.is_nan());
            }
        }
    }

    #[test]
    fn select_and_clamp_repeat_scalars() {
        let out = op(
            OpKind::Clamp,
            &[],
            &[f32s(&[], &[0.0]), f32s(&[3], &[-1.0, 0.5, 7.0]), f32s(&[], &[1.0])],
            &[ty(&[3], F32)],
        );
        assert_eq!(values(&out[0]), [0.0, 0.5, 1.0]);
        let on = ints(&[], I1, &[1]);
        let out = op(OpKind::Select, &[], &[on, ints(&[2], I8, &[1, 2]), ints(&[2], I8, &[3, 4])], &[ty(&[2], I8)]);
        assert_eq!(out[0].ints(), [1, 2]);
    }

    #[test]
    fn bf16_rounds_after_every_op() {
        let one = floats(&[1], Bf16, &[1.0]);
        let small = floats(&[1], Bf16, &[1.0 / 512.0]);
        let out = op(OpKind::Add, &[], &[one, small], &[ty(&[1], Bf16)]);
        assert_eq!(values(&out[0]), [1.0]);
    }

    #[test]
    fn compare_and_convert() {
        let attrs = [("comparison_direction", keyword("GE")), ("compare_type", keyword("SIGNED"))];
        let out = op(OpKind::Compare, &attrs, &[ints(&[2], I8, &[-1, 3]), ints(&[2], I8, &[0, 3])], &[ty(&[2], I1)]);
        assert_eq!(out[0].bytes, [0, 1]);
        let out = op(OpKind::Convert, &[], &[f32s(&[3], &[-1.9, 300.0, f64::NAN])], &[ty(&[3], I8)]);
        assert_eq!(out[0].ints(), [-1, 127, 0]);
    }

    #[test]
    fn an_element_type_without_a_rule_is_refused_with_a_code() {
        let result = crate::testing::try_op(OpKind::Sine, &[], &[ints(&[1], I32, &[1])], &[ty(&[1], I32)], &[]);
        assert_eq!(result.unwrap_err().code(), "FX0381");
    }
}
