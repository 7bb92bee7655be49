//! TOSA 1.0: one rule an op.
//!
//! Operands of elementwise ops have equal ranks; a size of 1 stretches. Shapes (`!tosa.shape`) are computed while the
//! file is read. Zero points that are known to be 0 cost nothing; others are taken off in 32-bit integers. Integer
//! results saturate where the specification says so. `nan_mode = IGNORE` prefers the number; without it a NaN wins.
//!
//! Worked example: `tosa.mul(%a: tensor<2x1xi8>, %b: tensor<1x3xi8>, shift 0) → tensor<2x3xi32>` is two conversions to
//! i32, two broadcasts and `multiply`.

mod elementwise;
mod indexing;
mod quantised;
mod regions;
mod resize;
mod shapes;
mod structure;
mod windows;

use fornax_graph::{Dim, Op, ValueId};

use super::build::Number;
use super::converter::{Converter, Result, Rule};

use elementwise as e;
use shapes as s;
use structure as t;
use windows as w;

#[rustfmt::skip]
pub const RULES: &[(&str, Rule)] = &[
    ("tosa.abs", e::unary), ("tosa.add", e::binary), ("tosa.arithmetic_right_shift", e::arithmetic_right_shift),
    ("tosa.bitwise_and", e::binary), ("tosa.bitwise_not", e::unary),
    ("tosa.bitwise_or", e::binary), ("tosa.bitwise_xor", e::binary),
    ("tosa.cast", e::cast), ("tosa.ceil", e::unary), ("tosa.clamp", e::clamp),
    ("tosa.clz", e::unary), ("tosa.cos", e::unary),
    ("tosa.equal", e::compare), ("tosa.erf", e::unary), ("tosa.exp", e::unary), ("tosa.floor", e::unary),
    ("tosa.greater", e::compare), ("tosa.greater_equal", e::compare),
    ("tosa.identity", e::identity), ("tosa.intdiv", e::binary),
    ("tosa.log", e::unary), ("tosa.logical_and", e::binary),
    ("tosa.logical_left_shift", e::binary), ("tosa.logical_not", e::unary),
    ("tosa.logical_or", e::binary), ("tosa.logical_right_shift", e::binary), ("tosa.logical_xor", e::binary),
    ("tosa.maximum", e::extreme), ("tosa.minimum", e::extreme), ("tosa.mul", e::mul),
    ("tosa.negate", e::negate), ("tosa.pow", e::binary),
    ("tosa.reciprocal", e::reciprocal), ("tosa.rsqrt", e::unary),
    ("tosa.select", e::select), ("tosa.sigmoid", e::unary),
    ("tosa.sin", e::unary), ("tosa.sub", e::binary), ("tosa.tanh", e::unary),
    ("tosa.argmax", t::argmax), ("tosa.concat", t::concat), ("tosa.const", t::constant),
    ("tosa.fft2d", t::fft2d), ("tosa.pad", t::pad),
    ("tosa.reduce_all", t::reduce), ("tosa.reduce_any", t::reduce),
    ("tosa.reduce_max", t::reduce), ("tosa.reduce_min", t::reduce),
    ("tosa.reduce_product", t::reduce), ("tosa.reduce_sum", t::reduce),
    ("tosa.reshape", t::reshape), ("tosa.reverse", t::reverse),
    ("tosa.rfft2d", t::rfft2d), ("tosa.slice", t::slice), ("tosa.tile", t::tile), ("tosa.transpose", t::transpose),
    ("tosa.avg_pool2d", w::avg_pool2d), ("tosa.conv2d", w::conv),
    ("tosa.conv3d", w::conv), ("tosa.depthwise_conv2d", w::depthwise),
    ("tosa.matmul", w::matmul), ("tosa.max_pool2d", w::max_pool2d), ("tosa.transpose_conv2d", w::transpose_conv2d),
    ("tosa.gather", indexing::gather), ("tosa.scatter", indexing::scatter),
    ("tosa.table", indexing::table), ("tosa.resize", resize::resize),
    ("tosa.apply_scale", quantised::apply_scale), ("tosa.rescale", quantised::rescale),
    ("tosa.cast_from_block_scaled", quantised::cast_from_block_scaled),
    ("tosa.matmul_t_block_scaled", quantised::matmul_t_block_scaled),
    ("tosa.cond_if", regions::cond_if), ("tosa.while_loop", regions::while_loop),
    ("tosa.variable_read", regions::variable_read), ("tosa.variable_write", regions::variable_write),
    ("tosa.add_shape", s::arithmetic), ("tosa.concat_shape", s::concat_shape),
    ("tosa.const_shape", s::const_shape), ("tosa.dim", s::dim),
    ("tosa.div_ceil_shape", s::arithmetic), ("tosa.div_floor_shape", s::arithmetic), ("tosa.exp2_shape", s::exponents),
    ("tosa.log2_ceil_shape", s::exponents), ("tosa.log2_floor_shape", s::exponents), ("tosa.max_shape", s::arithmetic),
    ("tosa.min_shape", s::arithmetic), ("tosa.mod_shape", s::arithmetic), ("tosa.mul_shape", s::arithmetic),
    ("tosa.slice_shape", s::slice_shape), ("tosa.sub_shape", s::arithmetic),
];

/// The op's name without its dialect.
fn name(op: &Op) -> &str {
    op.name.strip_prefix("tosa.").unwrap_or(&op.name)
}

fn ignores_nan(c: &Converter, op: &Op) -> bool {
    c.keyword(&op.attrs, "nan_mode") == "IGNORE"
}

/// The shape of an elementwise op's result: what its type leaves open is the size of those operands that do not
/// stretch.
fn stretched_shape(c: &mut Converter, op: &Op) -> Result<Vec<Dim>> {
    let mut shape = c.result_shape(op, 0)?;
    if shape.iter().all(|d| d.as_static().is_some()) {
        return Ok(shape);
    }
    let mut operands = c.operands(op)?;
    operands.retain(|&a| c.b.rank(a) == shape.len());
    for (d, size) in shape.iter_mut().enumerate() {
        let mut found = Some(*size).filter(|&n| n != Dim::Symbolic(0));
        for &a in &operands {
            let n = c.b.shape(a)[d];
            if n == Dim::Static(1) {
                continue;
            }
            found = match found {
                Some(known) => match c.b.unify(known, n, &format!("`{}`", op.name)) {
                    Some(one) => Some(one),
                    None => return Err(c.malformed(op, format!("its operands differ in dimension {d}"))),
                },
                None => Some(n),
            };
        }
        *size = found.unwrap_or(Dim::Static(1));
    }
    Ok(shape)
}

/// An operand in the shape of the result.
fn stretched(c: &mut Converter, op: &Op, index: usize) -> Result<ValueId> {
    let (a, shape) = (c.operand(op, index)?, stretched_shape(c, op)?);
    if c.b.rank(a) != shape.len() {
        return Err(c.malformed(op, "operands and result must have one rank".into()));
    }
    for (d, n) in c.b.shape(a).into_iter().enumerate() {
        if n.as_static().is_none() && c.b.unify(n, shape[d], &format!("`{}`", op.name)).is_none() {
            return Err(c.malformed(op, format!("operand {index} does not fit the result in dimension {d}")));
        }
    }
    let all: Vec<usize> = (0..shape.len()).collect();
    Ok(c.b.broadcast(a, &all, &shape))
}

/// A tensor of one element as rank 0.
fn scalar(c: &mut Converter, op: &Op, index: usize) -> Result<ValueId> {
    let a = c.operand(op, index)?;
    if c.b.tensor(a).elements() != Some(1) {
        return Err(c.malformed(op, format!("operand {index} must have one element")));
    }
    Ok(c.b.reshape(a, &[]))
}

/// One number, known while the file is read.
fn known(c: &Converter, op: &Op, index: usize) -> Option<i64> {
    match c.known_ints(*op.operands.get(index)?)?.as_slice() {
        [one] => Some(*one),
        _ => None,
    }
}

/// `a` with the zero point in operand `index` taken off: unchanged when that is 0, else in i32.
fn without_zero_point(c: &mut Converter, op: &Op, a: ValueId, index: usize) -> Result<ValueId> {
    if c.b.element(a).is_float() || op.operands.get(index).is_none() {
        return Ok(a);
    }
    let zero_point = scalar(c, op, index)?;
    if c.b.is_zero(zero_point) {
        return Ok(a);
    }
    let shape = c.b.shape(a);
    let wide = fornax_graph::ElementType::I32;
    let (a, zero_point) = (c.b.convert(a, wide), c.b.convert(zero_point, wide));
    let zero_point = c.b.broadcast(zero_point, &[], &shape);
    Ok(c.b.binary(fornax_graph::OpKind::Subtract, a, zero_point))
}

/// A list of integers as a constant.
fn list(c: &mut Converter, shape: &[i64], values: &[i64], element: fornax_graph::ElementType) -> ValueId {
    let bytes = values.iter().flat_map(|&v| super::build::element_bytes(element, Number::Int(v.into()))).collect();
    let ty = fornax_graph::TensorType::new(shape, element);
    c.b.constant(fornax_graph::Constant::dense(ty, bytes))
}

/// A list of floats as a constant.
fn floats(c: &mut Converter, shape: &[i64], values: &[f64], element: fornax_graph::ElementType) -> ValueId {
    let bytes = values.iter().flat_map(|&v| super::build::element_bytes(element, Number::Float(v))).collect();
    let ty = fornax_graph::TensorType::new(shape, element);
    c.b.constant(fornax_graph::Constant::dense(ty, bytes))
}
