//! CHLO ops become StableHLO: implicit broadcasts explicit, predicates comparisons, `top_k` a sort.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<4x3xf32>, %arg1: tensor<3xf32>) -> (tensor<4x3xf32>, tensor<4x3xi1>) {
//!   %0 = chlo.broadcast_add %arg0, %arg1 : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
//!   %1 = chlo.square %0 : tensor<4x3xf32> -> tensor<4x3xf32>
//!   %2 = chlo.is_inf %1 : tensor<4x3xf32> -> tensor<4x3xi1>
//!   return %1, %2 : tensor<4x3xf32>, tensor<4x3xi1>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<4x3xf32>, %arg1: tensor<3xf32>) -> (tensor<4x3xf32>, tensor<4x3xi1>) {
//!   %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<4x3xf32>
//!   %1 = stablehlo.add %arg0, %0 : tensor<4x3xf32>
//!   %2 = stablehlo.multiply %1, %1 : tensor<4x3xf32>
//!   %3 = stablehlo.abs %2 : tensor<4x3xf32>
//!   %cst = stablehlo.constant dense<0x7F800000> : tensor<4x3xf32>
//!   %4 = stablehlo.compare EQ, %3, %cst, FLOAT : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xi1>
//!   return %2, %4 : tensor<4x3xf32>, tensor<4x3xi1>
//! }
//! ```
//!
//! Limits: `chlo.scan` and `chlo.ragged_dot` are expanded by `expand_scan`. The elementary functions (erf, asin, sinh,
//! …) stay: the scalar library of the emitters knows them, `expand_complex` those of complex numbers.

use fornax_graph::{Attr, Class, Dim, ElementType, Graph, NewOp, OpId, OpKind, TensorType, Type, ValueId};
use fornax_reference::Scalar;

use super::Options;
use crate::rewrite::build::int;
use crate::rewrite::{Rewrite, Rewriter, sweep};
use crate::errors::PassError;

/// Broadcasting op → the op on operands of one shape.
const BROADCASTING: &[(OpKind, OpKind)] = &[
    (OpKind::ChloBroadcastAdd, OpKind::Add),
    (OpKind::ChloBroadcastAnd, OpKind::And),
    (OpKind::ChloBroadcastAtan2, OpKind::Atan2),
    (OpKind::ChloBroadcastCompare, OpKind::Compare),
    (OpKind::ChloBroadcastComplex, OpKind::Complex),
    (OpKind::ChloBroadcastDivide, OpKind::Divide),
    (OpKind::ChloBroadcastMaximum, OpKind::Maximum),
    (OpKind::ChloBroadcastMinimum, OpKind::Minimum),
    (OpKind::ChloBroadcastMultiply, OpKind::Multiply),
    (OpKind::ChloBroadcastNextAfter, OpKind::ChloNextAfter),
    (OpKind::ChloBroadcastOr, OpKind::Or),
    (OpKind::ChloBroadcastPolygamma, OpKind::ChloPolygamma),
    (OpKind::ChloBroadcastPower, OpKind::Power),
    (OpKind::ChloBroadcastRemainder, OpKind::Remainder),
    (OpKind::ChloBroadcastSelect, OpKind::Select),
    (OpKind::ChloBroadcastShiftLeft, OpKind::ShiftLeft),
    (OpKind::ChloBroadcastShiftRightArithmetic, OpKind::ShiftRightArithmetic),
    (OpKind::ChloBroadcastShiftRightLogical, OpKind::ShiftRightLogical),
    (OpKind::ChloBroadcastSubtract, OpKind::Subtract),
    (OpKind::ChloBroadcastXor, OpKind::Xor),
    (OpKind::ChloBroadcastZeta, OpKind::ChloZeta),
];

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    sweep(graph, &mut |rw, id| Ok(expand(rw, id).unwrap_or(Rewrite::Keep)))
}

fn expand(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let kind = rw.kind(id);
    if let Some(&(_, plain)) = BROADCASTING.iter().find(|(from, _)| *from == kind) {
        return broadcasting(rw, id, plain);
    }
    match kind {
        OpKind::ChloConstant | OpKind::ChloTan => {
            rw.graph.op_mut(id).kind = if kind == OpKind::ChloTan { OpKind::Tan } else { OpKind::Constant };
            Some(Rewrite::Edited)
        }
        OpKind::ChloConstantLike => constant_like(rw, id),
        OpKind::ChloSquare => square(rw, id),
        OpKind::ChloConj => conjugate(rw, id),
        OpKind::ChloIsInf => {
            let x = rw.operand(id, 0)?;
            rw.sizes(x)?;
            let magnitude = rw.unary(OpKind::Abs, x);
            equals(rw, magnitude, f64::INFINITY)
        }
        OpKind::ChloIsPosInf => equals(rw, rw.operand(id, 0)?, f64::INFINITY),
        OpKind::ChloIsNegInf => equals(rw, rw.operand(id, 0)?, f64::NEG_INFINITY),
        OpKind::ChloMulhi => high_product(rw, id),
        OpKind::ChloNextAfter => next_after(rw, id),
        OpKind::ChloTopK => top_k(rw, id),
        _ => None,
    }
}

/// Both operands get the result's shape: dimensions by `broadcast_dimensions` for the operand of lower rank, else
/// aligned at the last dimension as in NumPy.
fn broadcasting(rw: &mut Rewriter, id: OpId, kind: OpKind) -> Option<Rewrite> {
    let op = rw.graph.op(id).clone();
    let result = rw.tensor(*op.results.first()?)?.clone();
    rw.sizes(*op.results.first()?)?;
    let given = op.attrs.ints("broadcast_dimensions");
    let ranks: Option<Vec<usize>> = op.operands.iter().map(|&v| rw.tensor(v).map(TensorType::rank)).collect();
    let lowest = ranks?.into_iter().min()?;
    let mut operands = Vec::with_capacity(op.operands.len());
    for &operand in &op.operands {
        let ty = rw.tensor(operand)?.clone();
        if ty.shape == result.shape {
            operands.push(operand);
            continue;
        }
        let aligned = result.rank().checked_sub(ty.rank())?;
        let to: Vec<usize> = match &given {
            Some(dims) if dims.len() == ty.rank() && ty.rank() == lowest => {
                dims.iter().map(|&d| usize::try_from(d)).collect::<Result<_, _>>().ok()?
            }
            _ => (aligned..result.rank()).collect(),
        };
        operands.push(rw.broadcast(operand, &to, &result.shape));
    }
    let mut new = NewOp::new(kind, operands, vec![Type::Tensor(result)], op.location);
    for (name, mnemonic) in [("comparison_direction", "comparison_direction"), ("compare_type", "comparison_type")] {
        if let Some(keyword) = op.attrs.keyword(name) {
            new.attrs.set(name, Attr::Enum(mnemonic.into(), keyword.into()));
        }
    }
    Some(Rewrite::Replace(rw.insert(new)))
}

fn constant_like(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let value = match rw.graph.op(id).attrs.get("value")? {
        Attr::Float(value, _) => Scalar::Float(*value),
        Attr::Int(value, _) => Scalar::Int(*value),
        Attr::Bool(value) => Scalar::Bool(*value),
        _ => return None,
    };
    let ty = rw.tensor(rw.result(id, 0)?)?.clone();
    rw.sizes(rw.result(id, 0)?)?;
    Some(Rewrite::with(rw.splat(&ty, value)))
}

/// `x·x`; of complex numbers `(re − im)·(re + im) + 2i·re·im`, which does not overflow where the result is finite.
fn square(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let z = rw.operand(id, 0)?;
    let ty = rw.tensor(z)?.clone();
    if !ty.element.is_complex() {
        return Some(Rewrite::with(rw.binary(OpKind::Multiply, z, z)));
    }
    rw.sizes(z)?;
    let [x, y] = parts(rw, z, &ty);
    let (size_x, size_y) = (rw.unary(OpKind::Abs, x), rw.unary(OpKind::Abs, y));
    let diagonal = rw.compare("EQ", size_x, size_y);
    let finite = rw.is_finite(x);
    let diagonal = rw.binary(OpKind::And, finite, diagonal);
    let (difference, sum) = (rw.binary(OpKind::Subtract, x, y), rw.binary(OpKind::Add, x, y));
    let product = rw.binary(OpKind::Multiply, difference, sum);
    let zero = rw.float_like(x, 0.0);
    let real = rw.select(diagonal, zero, product);
    let product = rw.binary(OpKind::Multiply, x, y);
    let two = rw.float_like(x, 2.0);
    let imaginary = rw.binary(OpKind::Multiply, two, product);
    Some(Rewrite::with(rw.emit(OpKind::Complex, &[real, imaginary], Type::Tensor(ty), &[])))
}

/// Real and imaginary part of a complex value of type `ty`.
fn parts(rw: &mut Rewriter, z: ValueId, ty: &TensorType) -> [ValueId; 2] {
    let part = Type::Tensor(ty.with_element(ty.element.complex_part()));
    [OpKind::Real, OpKind::Imag].map(|kind| rw.emit(kind, &[z], part.clone(), &[]))
}

fn conjugate(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let x = rw.operand(id, 0)?;
    let ty = rw.tensor(x)?.clone();
    if !ty.element.is_complex() {
        return Some(Rewrite::with(x));
    }
    let [real, imaginary] = parts(rw, x, &ty);
    let negated = rw.unary(OpKind::Negate, imaginary);
    Some(Rewrite::with(rw.emit(OpKind::Complex, &[real, negated], Type::Tensor(ty), &[])))
}

fn equals(rw: &mut Rewriter, x: ValueId, value: f64) -> Option<Rewrite> {
    rw.sizes(x)?;
    let value = rw.float_like(x, value);
    Some(Rewrite::with(rw.compare("EQ", x, value)))
}

/// The upper half of the product of two integers.
fn high_product(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let (a, b) = (rw.operand(id, 0)?, rw.operand(id, 1)?);
    rw.sizes(a)?;
    let element = rw.tensor(a)?.element;
    let wide = match (element, element.is_unsigned()) {
        (ElementType::Ui64, _) => {
            let high = high_product_of_words(rw, a, b);
            return Some(Rewrite::with(high));
        }
        (ElementType::I64, _) => return Some(Rewrite::with(high_product_signed(rw, a, b))),
        (_, true) => ElementType::Ui64,
        (_, false) => ElementType::I64,
    };
    let shift = if element.is_unsigned() { OpKind::ShiftRightLogical } else { OpKind::ShiftRightArithmetic };
    let (wide_a, wide_b) = (rw.convert(a, wide), rw.convert(b, wide));
    let product = rw.binary(OpKind::Multiply, wide_a, wide_b);
    let bits = rw.int_like(product, element.bits().into());
    let high = rw.binary(shift, product, bits);
    Some(Rewrite::with(rw.convert(high, element)))
}

/// Schoolbook product of 64-bit words in halves of 32 bits.
fn high_product_of_words(rw: &mut Rewriter, a: ValueId, b: ValueId) -> ValueId {
    let half = rw.int_like(a, 32);
    let mask = rw.int_like(a, 0xffff_ffff);
    let high = |rw: &mut Rewriter, v| rw.binary(OpKind::ShiftRightLogical, v, half);
    let low = |rw: &mut Rewriter, v| rw.binary(OpKind::And, v, mask);
    let (a_high, b_high) = (high(rw, a), high(rw, b));
    let (a_low, b_low) = (low(rw, a), low(rw, b));
    let low_product = rw.binary(OpKind::Multiply, a_low, b_low);
    let carry = high(rw, low_product);
    let cross = rw.binary(OpKind::Multiply, a_low, b_high);
    let first = rw.binary(OpKind::Add, cross, carry);
    let cross = rw.binary(OpKind::Multiply, a_high, b_low);
    let first_low = low(rw, first);
    let second = rw.binary(OpKind::Add, cross, first_low);
    let top = rw.binary(OpKind::Multiply, a_high, b_high);
    let first_carry = high(rw, first);
    let sum = rw.binary(OpKind::Add, top, first_carry);
    let second_carry = high(rw, second);
    rw.binary(OpKind::Add, sum, second_carry)
}

/// Of signed words: the unsigned product less `b` where `a` is negative and `a` where `b` is.
fn high_product_signed(rw: &mut Rewriter, a: ValueId, b: ValueId) -> ValueId {
    let unsigned_a = rw.bitcast(a, ElementType::Ui64);
    let unsigned_b = rw.bitcast(b, ElementType::Ui64);
    let high = high_product_of_words(rw, unsigned_a, unsigned_b);
    let high = rw.bitcast(high, ElementType::I64);
    let zero = rw.int_like(a, 0);
    let less = |rw: &mut Rewriter, from, sign, other| {
        let negative = rw.compare("LT", sign, zero);
        let amount = rw.select(negative, other, zero);
        rw.binary(OpKind::Subtract, from, amount)
    };
    let high = less(rw, high, a, b);
    less(rw, high, b, a)
}

/// The neighbour of `x` towards `y`, by its bits: one more or one less in magnitude.
fn next_after(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let (x, y) = (rw.operand(id, 0)?, rw.operand(id, 1)?);
    let ty = rw.tensor(x)?.clone();
    rw.sizes(x)?;
    let bits = match ty.element {
        ElementType::F64 => ElementType::Ui64,
        ElementType::F32 => ElementType::Ui32,
        ElementType::F16 | ElementType::Bf16 => ElementType::Ui16,
        _ => return None,
    };
    let (x_bits, y_bits) = (rw.bitcast(x, bits), rw.bitcast(y, bits));
    let sign_bit = 1i128 << (ty.element.bits() - 1);
    let sign_mask = rw.int_like(x_bits, sign_bit);
    let magnitude_mask = rw.int_like(x_bits, sign_bit - 1);
    let (zero, one) = (rw.int_like(x_bits, 0), rw.int_like(x_bits, 1));
    let x_size = rw.binary(OpKind::And, x_bits, magnitude_mask);
    let y_size = rw.binary(OpKind::And, y_bits, magnitude_mask);
    let x_sign = rw.binary(OpKind::And, x_bits, sign_mask);
    let y_sign = rw.binary(OpKind::And, y_bits, sign_mask);
    let larger = rw.compare("GT", x_size, y_size);
    let across = rw.compare("NE", x_sign, y_sign);
    let inwards = rw.binary(OpKind::Or, larger, across);
    let smaller = rw.binary(OpKind::Subtract, x_bits, one);
    let greater = rw.binary(OpKind::Add, x_bits, one);
    let step = rw.select(inwards, smaller, greater);
    let smallest = rw.binary(OpKind::Or, y_sign, one);
    let x_is_zero = rw.compare("EQ", x_size, zero);
    let step = rw.select(x_is_zero, smallest, step);
    let equal = rw.compare("EQ", x, y);
    let step = rw.select(equal, y_bits, step);
    let value = rw.bitcast(step, ty.element);
    let (x_nan, y_nan) = (rw.compare("NE", x, x), rw.compare("NE", y, y));
    let any_nan = rw.binary(OpKind::Or, x_nan, y_nan);
    let nan = rw.float_like(x, f64::NAN);
    Some(Rewrite::with(rw.select(any_nan, nan, value)))
}

/// The first `k` of a stable descending sort of the last dimension, with their positions.
fn top_k(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let x = rw.operand(id, 0)?;
    let ty = rw.tensor(x)?.clone();
    let sizes = rw.sizes(x)?;
    let last = ty.rank().checked_sub(1)?;
    let k = rw.graph.op(id).attrs.int("k").filter(|&k| k >= 0)?;
    let index = rw.tensor(rw.result(id, 1)?)?.element;
    let index_ty = ty.with_element(index);
    let positions = rw.iota(&index_ty, last);
    let scalars: Vec<Type> =
        [ty.element, ty.element, index, index].iter().map(|&element| Type::tensor(&[], element)).collect();
    let region = rw.graph.add_region();
    let block = rw.graph.add_block(region, &scalars);
    let arguments = rw.graph.block(block).arguments.clone();
    let compare_type = match ty.element.class() {
        Class::Float => "TOTALORDER",
        Class::SignedInteger => "SIGNED",
        _ => "UNSIGNED",
    };
    let location = rw.location();
    let greater =
        NewOp::new(OpKind::Compare, arguments[..2].to_vec(), vec![Type::tensor(&[], ElementType::I1)], location)
            .attr("comparison_direction", Attr::Enum("comparison_direction".into(), "GT".into()))
            .attr("compare_type", Attr::Enum("comparison_type".into(), compare_type.into()));
    let greater = rw.graph.push_op(block, greater);
    let outcome = rw.graph.op(greater).results.clone();
    rw.graph.push_op(block, NewOp::new(OpKind::Return, outcome, Vec::new(), location));
    let mut sort =
        NewOp::new(OpKind::Sort, vec![x, positions], vec![Type::Tensor(ty), Type::Tensor(index_ty)], location)
            .attr("dimension", int(last as i64))
            .attr("is_stable", Attr::Bool(true));
    sort.regions.push(region);
    let sorted = rw.insert(sort);
    let mut limit = sizes;
    limit[last] = Dim::Static(limit[last].as_static().map_or(k, |n| k.min(n)));
    let (start, strides) = (vec![0; limit.len()], vec![1; limit.len()]);
    let first = |rw: &mut Rewriter, value| rw.slice_to(value, &start, &limit, &strides);
    Some(Rewrite::Replace(sorted.into_iter().map(|value| first(rw, value)).collect()))
}

#[cfg(test)]
mod tests {
    use crate::example::{import, print, reimport};
    use super::*;

    #[test]
    fn broadcast_dimensions_place_the_operand_of_lower_rank() {
        let mut graph = import(
            "func.func @main(%a: tensor<4x3xf32>, %b: tensor<4xf32>) -> tensor<4x3xi1> {
               %0 = chlo.broadcast_compare %a, \
                   %b {broadcast_dimensions = array<i64: 0>, comparison_direction = #chlo<comparison_direction LT>} \
                   : (tensor<4x3xf32>, tensor<4xf32>) -> tensor<4x3xi1>
               return %0 : tensor<4x3xi1>
             }",
        );
        run(&mut graph, &Options::default()).unwrap();
        reimport(&graph);
        let text = print(&graph);
        assert!(text.contains("broadcast_in_dim %arg1, dims = [0]"), "{text}");
        assert!(text.contains("stablehlo.compare LT"), "{text}");
    }

    #[test]
    fn top_k_sorts_and_slices() {
        let mut graph = import(
            "func.func @main(%a: tensor<4x9xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>) {
               %0:2 = chlo.top_k(%a, k = 2) : tensor<4x9xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
               return %0#0, %0#1 : tensor<4x2xf32>, tensor<4x2xi32>
             }",
        );
        run(&mut graph, &Options::default()).unwrap();
        reimport(&graph);
        let text = print(&graph);
        assert!(text.contains("stablehlo.sort") && text.contains("TOTALORDER"), "{text}");
        assert_eq!(text.matches("[0:4, 0:2]").count(), 2, "{text}");
    }
}
