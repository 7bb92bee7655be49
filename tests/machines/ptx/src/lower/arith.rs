//! arith, math, vector, and their counterparts in llvm: numbers in registers.

use super::{Builder, Value};
use crate::errors::Result;
use crate::inst::{Binary, Op, Predicate, Slot, Unary};
use crate::lanes::narrow;
use crate::text::{Line, inside, numbers};
use crate::types::{Scalar, Type, arrow, parse};

/// `(operation, what it does)`.
const BINARY: &[(&str, Binary)] = &[
    ("arith.addi", Binary::Add),
    ("arith.subi", Binary::Sub),
    ("arith.muli", Binary::Mul),
    ("arith.divui", Binary::DivU),
    ("arith.divsi", Binary::DivS),
    ("arith.remui", Binary::RemU),
    ("arith.remsi", Binary::RemS),
    ("arith.andi", Binary::And),
    ("arith.ori", Binary::Or),
    ("arith.xori", Binary::Xor),
    ("arith.shli", Binary::Shl),
    ("arith.shrui", Binary::ShrU),
    ("arith.shrsi", Binary::ShrS),
    ("arith.minui", Binary::MinU),
    ("arith.minsi", Binary::MinS),
    ("arith.maxui", Binary::MaxU),
    ("arith.maxsi", Binary::MaxS),
    ("arith.addf", Binary::AddF),
    ("arith.subf", Binary::SubF),
    ("arith.mulf", Binary::MulF),
    ("arith.divf", Binary::DivF),
    ("arith.remf", Binary::RemF),
    ("arith.minnumf", Binary::MinNum),
    ("arith.maxnumf", Binary::MaxNum),
    ("arith.minimumf", Binary::Minimum),
    ("arith.maximumf", Binary::Maximum),
    ("math.copysign", Binary::CopySign),
    ("llvm.add", Binary::Add),
    ("llvm.sub", Binary::Sub),
    ("llvm.mul", Binary::Mul),
    ("llvm.udiv", Binary::DivU),
    ("llvm.sdiv", Binary::DivS),
    ("llvm.urem", Binary::RemU),
    ("llvm.srem", Binary::RemS),
    ("llvm.and", Binary::And),
    ("llvm.or", Binary::Or),
    ("llvm.xor", Binary::Xor),
    ("llvm.shl", Binary::Shl),
    ("llvm.lshr", Binary::ShrU),
    ("llvm.ashr", Binary::ShrS),
    ("llvm.fadd", Binary::AddF),
    ("llvm.fsub", Binary::SubF),
    ("llvm.fmul", Binary::MulF),
    ("llvm.fdiv", Binary::DivF),
    ("llvm.intr.umin", Binary::MinU),
    ("llvm.intr.smin", Binary::MinS),
    ("llvm.intr.umax", Binary::MaxU),
    ("llvm.intr.smax", Binary::MaxS),
    ("llvm.intr.maxnum", Binary::MaxNum),
    ("llvm.intr.minnum", Binary::MinNum),
    ("llvm.intr.maximum", Binary::Maximum),
    ("llvm.intr.minimum", Binary::Minimum),
    ("llvm.intr.copysign", Binary::CopySign),
];

const UNARY: &[(&str, Unary)] = &[
    ("arith.negf", Unary::NegF),
    ("llvm.fneg", Unary::NegF),
    ("math.absf", Unary::AbsF),
    ("llvm.intr.fabs", Unary::AbsF),
    ("math.sqrt", Unary::Sqrt),
    ("llvm.intr.sqrt", Unary::Sqrt),
    ("math.floor", Unary::Floor),
    ("math.ceil", Unary::Ceil),
    ("math.trunc", Unary::Trunc),
    ("math.round", Unary::Round),
    ("math.roundeven", Unary::RoundEven),
    ("llvm.intr.floor", Unary::Floor),
    ("llvm.intr.ceil", Unary::Ceil),
    ("llvm.intr.trunc", Unary::Trunc),
    ("llvm.intr.roundeven", Unary::RoundEven),
    ("math.ctlz", Unary::CountLeadingZeros),
    ("math.cttz", Unary::CountTrailingZeros),
    ("math.ctpop", Unary::CountOnes),
    ("llvm.intr.ctlz", Unary::CountLeadingZeros),
    ("llvm.intr.cttz", Unary::CountTrailingZeros),
    ("llvm.intr.ctpop", Unary::CountOnes),
    ("llvm.intr.bitreverse", Unary::ReverseBits),
    ("llvm.intr.bswap", Unary::ReverseBytes),
];

/// Conversions: `A to B`.
const CASTS: &[(&str, Unary)] = &[
    ("arith.extui", Unary::Extend),
    ("arith.extsi", Unary::ExtendSigned),
    ("arith.trunci", Unary::Truncate),
    ("arith.extf", Unary::FloatToFloat),
    ("arith.truncf", Unary::FloatToFloat),
    ("arith.fptosi", Unary::FloatToSigned),
    ("arith.fptoui", Unary::FloatToUnsigned),
    ("arith.sitofp", Unary::SignedToFloat),
    ("arith.uitofp", Unary::UnsignedToFloat),
    ("arith.index_cast", Unary::ExtendSigned),
    ("arith.index_castui", Unary::Extend),
    ("llvm.zext", Unary::Extend),
    ("llvm.sext", Unary::ExtendSigned),
    ("llvm.trunc", Unary::Truncate),
    ("llvm.fpext", Unary::FloatToFloat),
    ("llvm.fptrunc", Unary::FloatToFloat),
    ("llvm.fptosi", Unary::FloatToSigned),
    ("llvm.fptoui", Unary::FloatToUnsigned),
    ("llvm.sitofp", Unary::SignedToFloat),
    ("llvm.uitofp", Unary::UnsignedToFloat),
];

pub fn look<T: Copy>(table: &[(&str, T)], name: &str) -> Option<T> {
    table.iter().find(|row| row.0 == name).map(|row| row.1)
}

pub fn integer_predicate(name: &str) -> Option<Predicate> {
    Some(match name {
        "eq" => Predicate::Eq,
        "ne" => Predicate::Ne,
        "slt" => Predicate::Slt,
        "sle" => Predicate::Sle,
        "sgt" => Predicate::Sgt,
        "sge" => Predicate::Sge,
        "ult" => Predicate::Ult,
        "ule" => Predicate::Ule,
        "ugt" => Predicate::Ugt,
        "uge" => Predicate::Uge,
        _ => return None,
    })
}

pub fn float_predicate(name: &str) -> Option<Predicate> {
    let (unordered, rest) = match name {
        "ord" => return Some(Predicate::Float([true, true, true, false])),
        "uno" => return Some(Predicate::Float([false, false, false, true])),
        _ => (name.starts_with('u'), name.get(1..)?),
    };
    let [l, e, g] = match rest {
        "lt" => [true, false, false],
        "le" => [true, true, false],
        "gt" => [false, false, true],
        "ge" => [false, true, true],
        "eq" => [false, true, false],
        "ne" => [true, false, true],
        _ => return None,
    };
    Some(Predicate::Float([l, e, g, unordered]))
}

/// Bits of a number's text in a type.
pub fn literal(text: &str, ty: Scalar) -> Option<u64> {
    let text = text.trim();
    match text {
        "true" => return Some(1),
        "false" => return Some(0),
        _ => {}
    }
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return u64::from_str_radix(hex, 16).ok().map(|bits| bits & ty.mask());
    }
    if ty.is_float() {
        return text.parse::<f64>().ok().map(|x| narrow(ty, x));
    }
    text.parse::<i128>().ok().map(|x| x as u64 & ty.mask())
}

impl Builder {
    /// Lowers an operation on numbers; false if it is none.
    pub(super) fn arith(&mut self, line: &Line) -> Result<bool> {
        let name = line.name.as_str();
        if let Some(op) = look(BINARY, name) {
            let [a, b] = self.operands_n(line)?;
            let ty = a.scalar(line)?;
            let to = self.result(line, a.ty.clone())?;
            self.push_binary(op, ty, to, a.slot, b.slot, a.n());
            return Ok(true);
        }
        if let Some(op) = look(UNARY, name) {
            let operands = self.operands(line)?;
            let a = operands.first().ok_or_else(|| line.error("no operand"))?.clone();
            let ty = a.scalar(line)?;
            let to = self.result(line, a.ty.clone())?;
            self.push_unary(op, (ty, ty), to, a.slot, a.n());
            return Ok(true);
        }
        if let Some(op) = look(CASTS, name) {
            self.cast(line, op)?;
            return Ok(true);
        }
        self.other_arith(line, name)
    }

    pub(super) fn push_binary(&mut self, op: Binary, ty: Scalar, to: Slot, a: Slot, b: Slot, n: u32) {
        self.push(Op::Binary { op, ty, to, a, b, n }, &[(a, n), (b, n)], &[(to, n)]);
    }

    pub(super) fn push_unary(&mut self, op: Unary, (from, into): (Scalar, Scalar), to: Slot, a: Slot, n: u32) {
        self.push(Op::Unary { op, from, into, to, a, n }, &[(a, n)], &[(to, n)]);
    }

    fn cast(&mut self, line: &Line, op: Unary) -> Result<()> {
        let [a] = self.operands_n(line)?;
        let (_, to_text) = line.signature.split_once(" to ").ok_or_else(|| line.error("no target type"))?;
        let into_ty = parse(to_text)?;
        let (from, into) = (a.scalar(line)?, into_ty.element().ok_or_else(|| line.error("a struct"))?);
        // index casts go either way
        let op = if into.bits() < from.bits() && !from.is_float() && !into.is_float() { Unary::Truncate } else { op };
        let n = a.n();
        let to = self.result(line, into_ty)?;
        self.push_unary(op, (from, into), to, a.slot, n);
        Ok(())
    }

    fn other_arith(&mut self, line: &Line, name: &str) -> Result<bool> {
        match name {
            "arith.constant" | "llvm.mlir.constant" => self.constant_op(line)?,
            "llvm.mlir.zero" => {
                let ty = parse(&line.signature)?;
                let n = ty.slots();
                let to = self.result(line, ty)?;
                (to..to + n).for_each(|to| self.push_simple(Op::Const { to, bits: 0 }, &[], &[to]));
            }
            "llvm.mlir.undef" | "llvm.mlir.poison" | "ub.poison" => {
                let ty = parse(&line.signature)?;
                let n = ty.slots();
                let to = self.result(line, ty)?;
                self.push(Op::Nothing, &[], &[(to, n)]);
            }
            "arith.cmpi" | "arith.cmpf" | "llvm.icmp" | "llvm.fcmp" => self.comparison(line, name)?,
            "arith.select" | "llvm.select" => {
                let [c, a, b] = self.operands_n(line)?;
                let (n, each) = (a.n(), c.n() > 1);
                let to = self.result(line, a.ty.clone())?;
                let reads = [(c.slot, c.n()), (a.slot, n), (b.slot, n)];
                self.push(Op::Select { to, condition: c.slot, a: a.slot, b: b.slot, n, each }, &reads, &[(to, n)]);
            }
            "math.fma" | "llvm.intr.fma" | "llvm.intr.fmuladd" => {
                let [a, b, c] = self.operands_n(line)?;
                let (ty, n) = (a.scalar(line)?, a.n());
                let to = self.result(line, a.ty.clone())?;
                let reads = [(a.slot, n), (b.slot, n), (c.slot, n)];
                self.push(Op::Fma { ty, to, a: a.slot, b: b.slot, c: c.slot, n }, &reads, &[(to, n)]);
            }
            "llvm.call_intrinsic" => self.intrinsic(line)?,
            "llvm.bitcast" | "arith.bitcast" | "vector.bitcast" => {
                let [a] = self.operands_n(line)?;
                let (_, to) = line.signature.split_once(" to ").ok_or_else(|| line.error("no target type"))?;
                self.recast(line, &a, parse(to)?)?;
            }
            _ if name.starts_with("vector.") || name.starts_with("llvm.") => return self.vector(line, name),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The same bits in a type of other lanes.
    pub(super) fn recast(&mut self, line: &Line, a: &Value, ty: Type) -> Result<()> {
        let element = ty.element().ok_or_else(|| line.error("a struct"))?;
        let (from_bits, to_bits) = (a.scalar(line)?.bits(), element.bits());
        let (from_n, to_n) = (a.n(), ty.slots());
        if from_bits * from_n != to_bits * to_n {
            return Err(line.error("a cast between types of different widths"));
        }
        let to = self.result(line, ty)?;
        let op = Op::Recast { to, to_bits, to_n, a: a.slot, from_bits, from_n };
        self.push(op, &[(a.slot, from_n)], &[(to, to_n)]);
        Ok(())
    }

    fn constant_op(&mut self, line: &Line) -> Result<()> {
        let (text, ty) = match line.name.as_str() {
            "llvm.mlir.constant" => {
                let inner = inside(&line.body, '(').ok_or_else(|| line.error("no value"))?;
                (inner.split(" : ").next().unwrap_or(inner), line.signature.as_str())
            }
            _ => match line.attribute("value") {
                Some(value) => value.split_once(" : ").unwrap_or((value, line.signature.as_str())),
                None => (line.body.as_str(), line.signature.as_str()),
            },
        };
        let ty = if ty.is_empty() { Type::Scalar(Scalar::Int(1)) } else { parse(arrow(ty).1.unwrap_or(ty))? };
        let element = ty.element().ok_or_else(|| line.error("a struct"))?;
        let n = ty.slots();
        let items: Vec<&str> = match text.trim().strip_prefix("dense<").and_then(|t| t.strip_suffix('>')) {
            Some(list) if list.starts_with('[') => list.trim_matches(['[', ']']).split(',').collect(),
            Some(one) => vec![one],
            None => vec![text],
        };
        let to = self.result(line, ty)?;
        for at in 0..n {
            let item = if items.len() == 1 { items[0] } else { items.get(at as usize).copied().unwrap_or("") };
            let bits = literal(item, element).ok_or_else(|| line.error("a constant that is not understood"))?;
            self.push_simple(Op::Const { to: to + at, bits }, &[], &[to + at]);
        }
        Ok(())
    }

    fn comparison(&mut self, line: &Line, name: &str) -> Result<()> {
        let [a, b] = self.operands_n(line)?;
        let word = line.strings().first().map_or_else(|| line.first_word().to_string(), |s| s.to_string());
        let float = name == "arith.cmpf" || name == "llvm.fcmp";
        let found = if float { float_predicate(&word) } else { integer_predicate(&word) };
        let predicate = found.ok_or_else(|| line.error("an unknown predicate"))?;
        let (ty, n) = (a.scalar(line)?, a.n());
        let result = match a.ty {
            Type::Vector(n, _) => Type::Vector(n, Scalar::Int(1)),
            _ => Type::Scalar(Scalar::Int(1)),
        };
        let to = self.result(line, result)?;
        self.push(Op::Compare { predicate, ty, to, a: a.slot, b: b.slot, n }, &[(a.slot, n), (b.slot, n)], &[(to, n)]);
        Ok(())
    }

    fn intrinsic(&mut self, line: &Line) -> Result<()> {
        let name = line.strings().first().map(|s| s.to_string()).unwrap_or_default();
        let name = name.trim_start_matches("llvm.");
        let op = match name {
            "nvvm.e4m3x2.to.f16x2.rn" => return self.byte_pair(line, Unary::E4m3ToF16),
            "nvvm.e5m2x2.to.f16x2.rn" => return self.byte_pair(line, Unary::E5m2ToF16),
            "nvvm.prmt" => return self.permutation(line),
            _ if name.starts_with("fptosi.sat") => Unary::FloatToSignedSaturating,
            _ if name.starts_with("fptoui.sat") => Unary::FloatToUnsignedSaturating,
            _ if name.starts_with("nvvm.ex2.approx") => Unary::Exp2,
            _ if name.starts_with("nvvm.lg2.approx") => Unary::Log2,
            _ if name.starts_with("nvvm.rcp.approx") => Unary::Reciprocal,
            _ if name.starts_with("nvvm.rsqrt.approx") => Unary::RsqrtApprox,
            _ if name.starts_with("nvvm.sqrt.approx") => Unary::Sqrt,
            _ => return Err(line.error("an intrinsic that is not modelled")),
        };
        let [a] = self.operands_n(line)?;
        let ty = self.result_type(line)?;
        let (from, into, n) = (a.scalar(line)?, ty.element().ok_or_else(|| line.error("a struct"))?, a.n());
        let to = self.result(line, ty)?;
        self.push_unary(op, (from, into), to, a.slot, n);
        Ok(())
    }

    /// Four bytes of two words.
    pub(super) fn permutation(&mut self, line: &Line) -> Result<()> {
        let [a, b, selector] = self.operands_n(line)?;
        let to = self.result(line, Type::Scalar(Scalar::Int(32)))?;
        let op = Op::Permute { to, a: a.slot, b: b.slot, selector: selector.slot };
        self.push_simple(op, &[a.slot, b.slot, selector.slot], &[to]);
        Ok(())
    }

    /// Two small floats in an i16.
    fn byte_pair(&mut self, line: &Line, op: Unary) -> Result<()> {
        let [a] = self.operands_n(line)?;
        let ty = self.result_type(line)?;
        let bytes = self.scratch(2);
        let cut = Op::Recast { to: bytes, to_bits: 8, to_n: 2, a: a.slot, from_bits: 16, from_n: 1 };
        self.push(cut, &[(a.slot, 1)], &[(bytes, 2)]);
        let to = self.result(line, ty)?;
        self.push_unary(op, (Scalar::Int(8), Scalar::F16), to, bytes, 2);
        Ok(())
    }

    fn vector(&mut self, line: &Line, name: &str) -> Result<bool> {
        match name {
            "vector.broadcast" | "vector.splat" => {
                let [a] = self.operands_n(line)?;
                let ty = parse(line.signature.split_once(" to ").map_or(line.signature.as_str(), |s| s.1))?;
                let n = ty.slots();
                let to = self.result(line, ty)?;
                self.push(Op::Spread { to, a: a.slot, n }, &[(a.slot, 1)], &[(to, n)]);
            }
            "vector.from_elements" => {
                let parts = self.operands(line)?;
                let ty = parse(&line.signature).or_else(|_| self.result_type(line))?;
                let to = self.result(line, ty)?;
                let pairs: Vec<_> = parts.iter().enumerate().map(|(at, v)| (to + at as u32, v.slot, 1)).collect();
                self.push_moves(&pairs);
            }
            "vector.shuffle" | "llvm.shufflevector" => {
                let [a, b] = self.operands_n(line)?;
                let order = numbers(inside(&line.body, '[').unwrap_or(""));
                let Type::Vector(n, element) = a.ty else { return Err(line.error("vectors expected")) };
                let to = self.result(line, Type::Vector(order.len() as u32, element))?;
                let from = |at: i64| if (at as u32) < n { a.slot + at as u32 } else { b.slot + at as u32 - n };
                let pairs: Vec<_> = order.iter().enumerate().map(|(i, &at)| (to + i as u32, from(at), 1)).collect();
                self.push_moves(&pairs);
            }
            "vector.reduction" => {
                let [a] = self.operands_n(line)?;
                let ty = a.scalar(line)?;
                let kind = inside(&line.body, '<').unwrap_or("");
                let table = [
                    ("and", Binary::And),
                    ("or", Binary::Or),
                    ("xor", Binary::Xor),
                    ("add", if ty.is_float() { Binary::AddF } else { Binary::Add }),
                    ("mul", if ty.is_float() { Binary::MulF } else { Binary::Mul }),
                    ("maxnumf", Binary::MaxNum),
                    ("minnumf", Binary::MinNum),
                    ("maximumf", Binary::Maximum),
                    ("minimumf", Binary::Minimum),
                    ("maxui", Binary::MaxU),
                    ("maxsi", Binary::MaxS),
                    ("minui", Binary::MinU),
                    ("minsi", Binary::MinS),
                ];
                let op = look(&table, kind).ok_or_else(|| line.error("an unknown reduction"))?;
                let to = self.result(line, Type::Scalar(ty))?;
                self.push(Op::Fold { op, ty, to, a: a.slot, n: a.n() }, &[(a.slot, a.n())], &[(to, 1)]);
            }
            "llvm.extractelement" | "vector.extractelement" => {
                let [a, at] = self.operands_n(line)?;
                let (ty, n) = (a.scalar(line)?, a.n());
                let to = self.result(line, Type::Scalar(ty))?;
                let reads = [(a.slot, n), (at.slot, 1)];
                self.push(Op::Pick { to, a: a.slot, n, index: at.slot }, &reads, &[(to, 1)]);
            }
            "llvm.insertelement" => {
                // Pretty: value, vector[index]; generic: (vector, value, index).
                let [x, y, at] = self.operands_n(line)?;
                let (value, vector) = if line.text.contains("\"llvm.insertelement\"") { (y, x) } else { (x, y) };
                let n = vector.n();
                let to = self.result(line, vector.ty.clone())?;
                let op = Op::Place { to, a: vector.slot, n, index: at.slot, value: value.slot };
                self.push(op, &[(value.slot, 1)], &[(to, n)]);
            }
            "vector.insert" | "llvm.insertvalue" => {
                let [value, whole] = self.operands_n(line)?;
                let at = *self.path(line)?.first().ok_or_else(|| line.error("no position"))? as usize;
                let first: u32 = match &whole.ty {
                    Type::Struct(members) => members.iter().take(at).map(Type::slots).sum(),
                    _ => at as u32,
                };
                let to = self.result(line, whole.ty.clone())?;
                let n = whole.n();
                let (value_n, rest) = (value.n(), first + value.n());
                self.push_moves(&[
                    (to, whole.slot, first),
                    (to + first, value.slot, value_n),
                    (to + rest, whole.slot + rest, n.saturating_sub(rest)),
                ]);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}
