//! Every node of the scalar DAG as operations on scalars or vectors.
//!
//! Input: a node whose operands are already written (see [`Emitter::eval`]). Output: its value in register form (see
//! `convert`). A node that does not depend on the lane stays a scalar and is broadcast where it meets a vector.
//!
//! Worked example: `add(multiply(x, 2), 1)` on bf16 lanes: x is decoded to f32 once, the product and the sum are f32
//! operations each followed by the rounding to bf16, and the store shifts the upper half out.

use fornax_graph::{Class, ElementType};
use fornax_plan::{Binary, Compare, Node, NodeId, Unary};
use fornax_targets::{Backend, Feature};

use crate::convert::truncate_to_odd;
use crate::emitter::{Emitter, Slot};
use crate::errors::EmitError;
use crate::text::{Code, Scalar, Value};
use crate::{bytes, integer, math, narrow};

/// What an operation does with an element type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Boolean,
    Signed,
    Unsigned,
    Float,
}

/// MLIR predicate of a comparison: floats, signed, unsigned integers; whether it is a total order.
struct CompareRow {
    op: Compare,
    float: &'static str,
    signed: &'static str,
    unsigned: &'static str,
    total: bool,
}

const fn compare_row(
    op: Compare,
    float: &'static str,
    signed: &'static str,
    unsigned: &'static str,
    total: bool,
) -> CompareRow {
    CompareRow { op, float, signed, unsigned, total }
}

const COMPARES: &[CompareRow] = &[
    compare_row(Compare::Eq, "oeq", "eq", "eq", false),
    compare_row(Compare::Ne, "une", "ne", "ne", false),
    compare_row(Compare::Lt, "olt", "slt", "ult", false),
    compare_row(Compare::Le, "ole", "sle", "ule", false),
    compare_row(Compare::Gt, "ogt", "sgt", "ugt", false),
    compare_row(Compare::Ge, "oge", "sge", "uge", false),
    compare_row(Compare::TotalEq, "oeq", "eq", "eq", true),
    compare_row(Compare::TotalNe, "une", "ne", "ne", true),
    compare_row(Compare::TotalLt, "olt", "slt", "ult", true),
    compare_row(Compare::TotalLe, "ole", "sle", "ule", true),
    compare_row(Compare::TotalGt, "ogt", "sgt", "ugt", true),
    compare_row(Compare::TotalGe, "oge", "sge", "uge", true),
];

impl Emitter<'_> {
    fn kind(&self, element: ElementType) -> Result<Kind, EmitError> {
        self.register_scalar(element)?;
        Ok(match element.class() {
            Class::Boolean => Kind::Boolean,
            Class::UnsignedInteger => Kind::Unsigned,
            Class::SignedInteger => Kind::Signed,
            _ => Kind::Float,
        })
    }

    /// Writes one node; its operands are memoised or written on the way.
    pub fn eval_node(&mut self, id: NodeId) -> Result<Value, EmitError> {
        let element = self.exprs.element(id);
        match self.exprs.node(id).clone() {
            Node::Constant { element, bits } => self.constant(element, bits),
            Node::Load { buffer, element, offset, mask } => {
                let mask = mask.map(|m| self.eval(m)).transpose()?;
                self.load(buffer, element, offset, mask)
            }
            Node::FromIndex { element, index } => self.index_value(element, index),
            Node::InRange { index, low, high } => self.in_range(index, low, high),
            Node::Unary { op, a } => {
                let operand = self.exprs.element(a);
                let a = self.eval(a)?;
                if self.loose.contains(&id) {
                    return Ok(math::exp_of_difference(&mut self.code, a));
                }
                if self.differences.contains(&id) {
                    return Ok(math::exp_below_one(&mut self.code, a));
                }
                self.unary(op, operand, a)
            }
            Node::Binary { op, a, b } => {
                let (a, b) = (self.eval(a)?, self.eval(b)?);
                self.binary(op, element, a, b)
            }
            Node::Compare { op, a, b } => {
                let operand = self.exprs.element(a);
                let (a, b) = (self.eval(a)?, self.eval(b)?);
                self.compare(op, operand, a, b)
            }
            Node::Select { condition, a, b } => {
                let (condition, a, b) = (self.eval(condition)?, self.eval(a)?, self.eval(b)?);
                Ok(self.code.select(condition, a, b))
            }
            Node::Convert { element, a } => {
                if let Some((dividend, divisor)) = self.narrow_division(id) {
                    let (x, d) = (self.eval(dividend)?, self.eval(divisor)?);
                    if x.ty.lanes.is_multiple_of(2) && shares_divisor(&self.code, x, d) {
                        return self.rounded_quotient(element, x, d);
                    }
                }
                let from = self.exprs.element(a);
                if let Some(value) = self.rounded_function(a, element)? {
                    return Ok(value);
                }
                let a = self.eval(a)?;
                self.convert(from, element, a)
            }
            Node::Bitcast { element, a } => {
                let from = self.exprs.element(a);
                let a = self.eval(a)?;
                self.bitcast_element(from, element, a)
            }
            Node::ReducePrecision { exponent, mantissa, a } => {
                if self.kind(element)? != Kind::Float {
                    return Err(self.undefined("reduce_precision", element));
                }
                let a = self.eval(a)?;
                if element.is_small_float() {
                    return Ok(self.reduce_small_precision(element, a, (exponent, mantissa)));
                }
                let raw = self.encode(element, a)?;
                let bits = self.code.to_bits(raw);
                let format = match element {
                    ElementType::F64 => (11, 52),
                    ElementType::F16 => (5, 10),
                    ElementType::Bf16 => (8, 7),
                    _ => (8, 23),
                };
                let reduced = reduce_precision(&mut self.code, bits, exponent, mantissa, format);
                let raw = self.code.bitcast(reduced, raw.ty.scalar);
                self.decode(element, raw)
            }
            Node::Reduced { index, .. } => self.read_slot(Slot::Reduced(index)),
            Node::Running { index, .. } => self.read_slot(Slot::Running(index)),
            Node::Incoming { index, .. } => self.read_slot(Slot::Incoming(index)),
        }
    }

    fn read_slot(&self, slot: Slot) -> Result<Value, EmitError> {
        self.slot(slot).ok_or_else(|| self.malformed(format!("{slot:?} has no value here")))
    }

    fn index_value(&mut self, element: ElementType, index: fornax_plan::IndexId) -> Result<Value, EmitError> {
        let scalar = self.register_scalar(element)?;
        match self.kind(element)? {
            Kind::Float => {
                let wide = self.index_as(index, self.index)?;
                let from = if wide.ty.scalar == Scalar::I32 { ElementType::I32 } else { ElementType::I64 };
                self.convert(from, element, wide)
            }
            Kind::Boolean => {
                let wide = self.index_as(index, self.index)?;
                Ok(self.code.cmp_ik("ne", wide, 0))
            }
            _ if narrow::is_sub_byte(element) => {
                let value = self.index_as(index, scalar)?;
                Ok(narrow::wrap(&mut self.code, element, value))
            }
            _ => self.index_as(index, scalar),
        }
    }

    /// Of a small float, in f32: a range that the format has anyway is not cut.
    fn reduce_small_precision(&mut self, element: ElementType, a: Value, (exponent, mantissa): (u32, u32)) -> Value {
        let own = element.signed_format().map_or(8, |f| f.exponent_bits);
        let exponent = if exponent < own { exponent } else { 8 };
        let bits = self.code.to_bits(a);
        let reduced = reduce_precision(&mut self.code, bits, exponent, mantissa, (8, 23));
        let reduced = self.code.bitcast(reduced, Scalar::F32);
        self.round_to(element, reduced)
    }

    fn unary(&mut self, op: Unary, element: ElementType, a: Value) -> Result<Value, EmitError> {
        let kind = self.kind(element)?;
        if narrow::is_sub_byte(element) {
            return self.unary_sub_byte(op, element, a);
        }
        self.unary_whole(kind, op, element, a)
    }

    /// In a byte, wrapped; bits are counted in the type's own width.
    fn unary_sub_byte(&mut self, op: Unary, element: ElementType, a: Value) -> Result<Value, EmitError> {
        let bits = i64::from(element.bits());
        let counts = matches!(op, Unary::PopulationCount | Unary::CountLeadingZeros);
        let a = if counts { self.code.and_k(a, (1 << bits) - 1) } else { a };
        let kind = self.kind(element)?;
        let result = self.unary_whole(kind, op, element, a)?;
        let result = if op == Unary::CountLeadingZeros { self.code.add_ik(result, bits - 8) } else { result };
        Ok(narrow::wrap(&mut self.code, element, result))
    }

    fn unary_whole(&mut self, kind: Kind, op: Unary, element: ElementType, a: Value) -> Result<Value, EmitError> {
        let code = &mut self.code;
        let result = match (kind, op) {
            (Kind::Float, _) => return self.unary_float(op, element, a),
            (Kind::Boolean, Unary::Not) => code.not(a),
            (Kind::Signed | Kind::Unsigned, Unary::Not) => code.not(a),
            (Kind::Signed | Kind::Unsigned, Unary::Negate) => {
                let zero = code.int(a.ty, 0);
                code.sub_i(zero, a)
            }
            (Kind::Signed, Unary::Abs) => integer::abs(code, a),
            (Kind::Unsigned, Unary::Abs) => a,
            (Kind::Signed, Unary::Sign) => integer::sign(code, a, false),
            (Kind::Unsigned, Unary::Sign) => integer::sign(code, a, true),
            (Kind::Signed | Kind::Unsigned, Unary::PopulationCount) => code.unary("math.ctpop", a),
            (Kind::Signed | Kind::Unsigned, Unary::CountLeadingZeros) => code.unary("math.ctlz", a),
            _ => return Err(self.undefined(op.name(), element)),
        };
        Ok(result)
    }

    fn unary_float(&mut self, op: Unary, element: ElementType, a: Value) -> Result<Value, EmitError> {
        let code = &mut self.code;
        // The first group is exact in the element type and needs no rounding.
        let exact = match op {
            Unary::Negate => Some(code.neg_f(a)),
            Unary::Abs => Some(code.abs_f(a)),
            Unary::Sign => {
                let zero = code.float(a.ty, 0.0);
                let one = code.float(a.ty, 1.0);
                let signed = code.copy_sign(one, a);
                let nonzero = code.cmp_f("one", a, zero);
                Some(code.select(nonzero, signed, a))
            }
            Unary::Floor => Some(code.floor(a)),
            Unary::Ceil => Some(code.ceil(a)),
            Unary::RoundNearestEven => Some(code.round_even(a)),
            Unary::RoundNearestAwayFromZero => Some(round_away(code, a)),
            Unary::IsFinite => {
                let magnitude = code.abs_f(a);
                Some(code.cmp_fk("olt", magnitude, f64::INFINITY))
            }
            _ => None,
        };
        if let Some(value) = exact {
            // A small float may lack the whole number next to a value, −0, or signs.
            let kept = match op {
                Unary::IsFinite | Unary::Abs => true,
                Unary::Negate | Unary::Sign => element.has_negation(),
                _ => false,
            };
            let packed = element == ElementType::Bf16 && self.target.has(Feature::PackedBf16);
            if packed
                && op == Unary::Negate
                && let Some(raw) = self.known_bf16(a)
            {
                // For packed arithmetic; else it is not used.
                let raw = self.code.int_k("arith.xori", raw, -0x8000);
                self.patterns.insert(value.id, (element, raw));
            }
            return Ok(if kept || !element.is_small_float() { value } else { self.round_to(element, value) });
        }
        let Some(row) = math::unary(op) else { return Err(self.undefined(op.name(), element)) };
        let called = math::device_library::unary(&mut self.code, op, a);
        let emit = math::rounded::of(&self.code, op, element).unwrap_or(row.emit);
        let value = called.unwrap_or_else(|| emit(&mut self.code, a));
        Ok(self.round_to(element, value))
    }

    /// The conversion of a function of f32 that has a shorter form for what is rounded at once.
    fn rounded_function(&mut self, function: NodeId, element: ElementType) -> Result<Option<Value>, EmitError> {
        let &Node::Unary { op, a } = self.exprs.node(function) else { return Ok(None) };
        let short = math::rounded::of(&self.code, op, element).filter(|_| !self.code.device_library);
        let Some(emit) = short.filter(|_| self.exprs.element(a) == ElementType::F32) else { return Ok(None) };
        let a = self.eval(a)?;
        let value = emit(&mut self.code, a);
        Ok(Some(self.round_to(element, value)))
    }

    fn binary(&mut self, op: Binary, element: ElementType, a: Value, b: Value) -> Result<Value, EmitError> {
        let kind = self.kind(element)?;
        if !narrow::is_sub_byte(element) {
            return self.binary_whole(kind, op, element, (a, b));
        }
        // In a byte, wrapped; shifts to the right see the type's own bits.
        let a = match op {
            Binary::ShiftRightLogical => self.code.and_k(a, (1 << element.bits()) - 1),
            Binary::ShiftRightArithmetic if element.is_unsigned() => {
                let high = self.code.shl_k(a, 8 - i64::from(element.bits()));
                self.code.shr_sk(high, 8 - i64::from(element.bits()))
            }
            _ => a,
        };
        let result = self.binary_whole(kind, op, element, (a, b))?;
        Ok(narrow::wrap(&mut self.code, element, result))
    }

    fn binary_whole(
        &mut self,
        kind: Kind,
        op: Binary,
        element: ElementType,
        (a, b): (Value, Value),
    ) -> Result<Value, EmitError> {
        let (is_cuda, is_gpu) = (self.target.backend == Backend::Cuda, self.target.is_gpu());
        let code = &mut self.code;
        let unsigned = kind == Kind::Unsigned;
        let result = match (kind, op) {
            (Kind::Float, _) => return self.binary_float(op, element, a, b),
            (Kind::Boolean, Binary::Add | Binary::Maximum | Binary::Or) => code.or(a, b),
            (Kind::Boolean, Binary::Multiply | Binary::Minimum | Binary::And) => code.and(a, b),
            (_, Binary::Xor) => code.xor(a, b),
            (Kind::Boolean, _) => return Err(self.undefined(op.name(), element)),
            (_, Binary::Add) => code.add_i(a, b),
            (_, Binary::Subtract) => code.sub_i(a, b),
            (_, Binary::Multiply) => code.mul_i(a, b),
            (_, Binary::Divide) => integer::divide(code, a, b, unsigned),
            (_, Binary::Remainder) => integer::remainder(code, a, b, unsigned),
            (_, Binary::Maximum) => code.binary(if unsigned { "arith.maxui" } else { "arith.maxsi" }, a, b),
            (_, Binary::Minimum) => code.binary(if unsigned { "arith.minui" } else { "arith.minsi" }, a, b),
            (_, Binary::Power) => integer::power(code, a, b, unsigned),
            (_, Binary::And) => code.and(a, b),
            (_, Binary::Or) => code.or(a, b),
            (_, Binary::ShiftLeft) => {
                let by = code.constant_bits(b).filter(|_| is_cuda && element == ElementType::Ui8);
                let shifted = by.and_then(|by| bytes::shifted_left(code, a, by as i64));
                shifted.unwrap_or_else(|| integer::shift_left(code, a, b))
            }
            (_, Binary::ShiftRightArithmetic) => integer::shift_right_arithmetic(code, a, b),
            (_, Binary::ShiftRightLogical) => {
                let is_byte = is_gpu && element == ElementType::Ui8;
                let shifted = if is_byte { bytes::shifted_right(code, a, b) } else { None };
                shifted.unwrap_or_else(|| integer::shift_right_logical(code, a, b))
            }
            (_, Binary::Atan2) => return Err(self.undefined(op.name(), element)),
        };
        Ok(result)
    }

    fn binary_float(&mut self, op: Binary, element: ElementType, a: Value, b: Value) -> Result<Value, EmitError> {
        let reach = element == ElementType::F8E8M0FNU && a.ty.scalar == Scalar::F32;
        if reach && !matches!(op, Binary::Maximum | Binary::Minimum) {
            // Products of powers of two leave the range of f32.
            let (a, b) = (self.code.cast("arith.extf", a, Scalar::F64), self.code.cast("arith.extf", b, Scalar::F64));
            let wide = self.binary_float(op, ElementType::F64, a, b)?;
            let odd = truncate_to_odd(&mut self.code, wide);
            return Ok(self.round_to(element, odd));
        }
        if element == ElementType::F32
            && let Some(moved) = self.bytes_moved(op, a, b)
        {
            return Ok(moved);
        }
        let packed = element == ElementType::F16 && self.target.has(Feature::PackedF16);
        if let Some(value) = packed.then(|| self.binary_half(op, a, b)).flatten() {
            return Ok(value);
        }
        let packed = element == ElementType::Bf16 && self.target.has(Feature::PackedBf16);
        if packed && let Some(raw) = self.binary_bf16(op, a, b) {
            return self.decode(element, raw);
        }
        let code = &mut self.code;
        let value = match op {
            Binary::Maximum => return Ok(code.maximum(a, b)),
            Binary::Minimum => return Ok(code.minimum(a, b)),
            Binary::Add => code.add_f(a, b),
            Binary::Subtract => code.sub_f(a, b),
            Binary::Multiply => code.mul_f(a, b),
            Binary::Divide if shares_divisor(code, a, b) => math::divided_by_one(code, a, b),
            Binary::Divide => math::rounded::divide(code, element, a, b).unwrap_or_else(|| code.div_f(a, b)),
            _ => match math::binary(op) {
                Some(row) => {
                    let lanes = a.ty.lanes.max(b.ty.lanes);
                    let (a, b) = (code.spread(a, lanes), code.spread(b, lanes));
                    math::device_library::binary(code, op, a, b).unwrap_or_else(|| (row.emit)(code, a, b))
                }
                None => return Err(self.undefined(op.name(), element)),
            },
        };
        Ok(self.round_to(element, value))
    }

    /// What f16 arithmetic gives at once, two lanes an instruction. LLVM finds most of it by itself from f32 that is
    /// rounded after every op, but not behind maxima and minima, which round nothing.
    fn binary_half(&mut self, op: Binary, a: Value, b: Value) -> Option<Value> {
        type Emit = fn(&mut Code, Value, Value) -> Value;
        let emit: Emit = match op {
            Binary::Add => Code::add_f,
            Binary::Subtract => Code::sub_f,
            Binary::Multiply => Code::mul_f,
            Binary::Maximum => Code::maximum,
            Binary::Minimum => Code::minimum,
            _ => return None,
        };
        let (a, b) = (self.code.cast("arith.truncf", a, Scalar::F16), self.code.cast("arith.truncf", b, Scalar::F16));
        let value = emit(&mut self.code, a, b);
        Some(self.code.cast("arith.extf", value, Scalar::F32))
    }

    /// What bf16 arithmetic gives at once, two lanes an instruction, where both operands are known as they lie in
    /// memory. f32 has bits enough that rounding to it before would change nothing.
    fn binary_bf16(&mut self, op: Binary, a: Value, b: Value) -> Option<Value> {
        let name = match op {
            Binary::Add => "arith.addf",
            Binary::Subtract => "arith.subf",
            Binary::Multiply => "arith.mulf",
            Binary::Maximum => "arith.maximumf",
            Binary::Minimum => "arith.minimumf",
            _ => return None,
        };
        let lanes = a.ty.lanes.max(b.ty.lanes);
        if !lanes.is_multiple_of(2) {
            return None;
        }
        let (a, b) = (self.known_bf16(a)?, self.known_bf16(b)?);
        let (a, b) = (self.code.spread(a, lanes), self.code.spread(b, lanes));
        let (a, b) = (self.code.bitcast(a, Scalar::Bf16), self.code.bitcast(b, Scalar::Bf16));
        let value = self.code.binary(name, a, b);
        Some(self.code.to_bits(value))
    }

    /// A bf16 value's bits (i16), where they are at hand.
    fn known_bf16(&mut self, value: Value) -> Option<Value> {
        match self.code.constant_bits(value) {
            Some(bits) => Some(self.code.bits(value.ty.with(Scalar::I16), bits >> 16)),
            None => self.patterns.get(&value.id).filter(|p| p.0 == ElementType::Bf16).map(|p| p.1),
        }
    }

    /// The combination of two reduction values, in the element type.
    pub fn combine(&mut self, op: Binary, element: ElementType, a: Value, b: Value) -> Result<Value, EmitError> {
        self.binary(op, element, a, b)
    }

    fn compare(&mut self, op: Compare, element: ElementType, a: Value, b: Value) -> Result<Value, EmitError> {
        let kind = self.kind(element)?;
        let row = COMPARES.iter().find(|r| r.op == op).ok_or_else(|| self.malformed("unknown comparison"))?;
        let code = &mut self.code;
        Ok(match kind {
            Kind::Float if row.total => {
                let (a, b) = (total_order_key(code, a), total_order_key(code, b));
                code.cmp_i(row.signed, a, b)
            }
            Kind::Float => code.cmp_f(row.float, a, b),
            Kind::Signed => code.cmp_i(row.signed, a, b),
            Kind::Boolean | Kind::Unsigned => code.cmp_i(row.unsigned, a, b),
        })
    }
}

/// A signed integer that orders like the IEEE total order: −NaN < −Inf < … < −0 < +0 < … < +Inf < +NaN.
fn total_order_key(code: &mut Code, a: Value) -> Value {
    let bits = code.to_bits(a);
    let width = i64::from(bits.ty.scalar.bits());
    let sign = code.shr_sk(bits, width - 1);
    let flip = code.shr_uk(sign, 1);
    code.xor(bits, flip)
}

/// Nearest integer, ties away from zero.
fn round_away(code: &mut Code, a: Value) -> Value {
    let whole = code.trunc(a);
    let rest = code.sub_f(a, whole);
    let rest = code.abs_f(rest);
    let half = code.cmp_fk("oge", rest, 0.5);
    let one = code.float(a.ty, 1.0);
    let step = code.copy_sign(one, a);
    let away = code.add_f(whole, step);
    code.select(half, away, whole)
}

/// Rounds the encoding of a float to `mantissa` bits (nearest even) and clamps it to the range of `exponent` bits; what
/// is below its normal range becomes a zero of the same sign, what is above an infinity. `format` is the encoding's own
/// (exponent, mantissa). NaN becomes an infinity where no mantissa bit is left for it.
fn reduce_precision(code: &mut Code, bits: Value, exponent: u32, mantissa: u32, format: (u32, u32)) -> Value {
    let (full_exponent, full_mantissa) = format;
    let field = ((1i64 << full_exponent) - 1) << full_mantissa;
    let sign = code.and_k(bits, 1i64 << (full_exponent + full_mantissa));
    let mut value = bits;
    if mantissa < full_mantissa {
        let drop = i64::from(full_mantissa - mantissa);
        let unit = code.shr_uk(value, drop);
        let unit = code.and_k(unit, 1);
        let bias = code.add_ik(unit, (1 << (drop - 1)) - 1);
        let sum = code.add_i(value, bias);
        value = code.and_k(sum, !((1i64 << drop) - 1));
    }
    if exponent < full_exponent {
        let bias = (1i64 << (full_exponent - 1)) - 1;
        let reduced = (1i64 << (exponent.max(1) - 1)) - 1;
        let present = code.and_k(value, field);
        let overflow = code.cmp_ik("ugt", present, (bias + reduced) << full_mantissa);
        let underflow = code.cmp_ik("ule", present, (bias - reduced) << full_mantissa);
        let infinity = code.or_k(sign, field);
        value = code.select(overflow, infinity, value);
        value = code.select(underflow, sign, value);
    }
    let magnitude = code.and_k(bits, !(1i64 << (full_exponent + full_mantissa)));
    let special = code.cmp_ik("uge", magnitude, field);
    let kept = if mantissa == 0 { code.or_k(sign, field) } else { bits };
    code.select(special, kept, value)
}

/// Many dividends and one divisor of f32, where multiply-adds are cheaper; a power of two is no division.
fn shares_divisor(code: &Code, a: Value, b: Value) -> bool {
    let power_of_two = code.constant_bits(b).is_some_and(|bits| bits & 0x7F_FFFF == 0);
    let cheaper = code.max_by_select || code.has_fma && !code.spelled_out;
    cheaper && a.ty.is_vector() && !b.ty.is_vector() && b.ty.scalar == Scalar::F32 && !power_of_two
}
