//! Folds of reductions: sums, extrema, argmax and whatever a reduction's region computes.
//!
//! A simple combiner starts every accumulator from its identity and folds the initial value in once at the end; a
//! general one starts from the initial values, which are an identity by contract.
//!
//! Worked example: maximum of [1, 3, −2, 5] with initial value −∞ and 2 lanes: accumulators (−∞, −∞) → (1, 3) → (1, 5);
//! lanes together 5; with the initial value 5.

use fornax_graph::{Class, ElementType};
use fornax_plan::{Binary, Combiner, NodeId};

use super::fold::Fold;
use super::quick_extremum::Quick;
use crate::emitter::{Emitter, Slot};
use crate::errors::EmitError;
use crate::text::{Scalar, Ty, Value};

/// How inputs are folded.
pub fn fold<'a>(
    e: &Emitter<'_>,
    inputs: &'a [NodeId],
    inits: &'a [NodeId],
    combiner: &'a Combiner,
) -> Result<Box<dyn Fold + 'a>, EmitError> {
    if inputs.is_empty() || inputs.len() != inits.len() {
        return Err(e.malformed("a reduction needs as many initial values as inputs, at least one"));
    }
    match combiner {
        Combiner::Simple(op) if inputs.len() == 1 => {
            let element = e.exprs.element(inits[0]);
            let float = e.register_scalar(element)? == Scalar::F32;
            if matches!(op, Binary::Maximum | Binary::Minimum) && float && !e.abi.is_gpu() {
                return Ok(Box::new(ExtremumFold { op: *op, element, input: inputs[0], init: inits[0] }));
            }
            Ok(Box::new(SimpleFold { op: *op, element, input: inputs[0], init: inits[0] }))
        }
        Combiner::General(results) if results.len() == inputs.len() => {
            Ok(Box::new(GeneralFold { results, inputs, inits }))
        }
        _ => Err(e.malformed("the combiner does not fit the operands")),
    }
}

struct SimpleFold {
    op: Binary,
    element: ElementType,
    input: NodeId,
    init: NodeId,
}

impl Fold for SimpleFold {
    fn operands(&self) -> usize {
        1
    }

    fn is_symmetric(&self) -> bool {
        true
    }

    fn identity(&self, e: &mut Emitter<'_>) -> Result<Vec<Value>, EmitError> {
        let ty = Ty::scalar(e.register_scalar(self.element)?);
        let bits =
            identity_bits(self.op, self.element, ty.scalar).ok_or_else(|| e.undefined(self.op.name(), self.element))?;
        Ok(vec![e.code.bits(ty, bits)])
    }

    fn step(&self, e: &mut Emitter<'_>, running: &[Value]) -> Result<Vec<Value>, EmitError> {
        let value = e.eval(self.input)?;
        Ok(vec![e.combine(self.op, self.element, running[0], value)?])
    }

    fn merge(&self, e: &mut Emitter<'_>, a: &[Value], b: &[Value]) -> Result<Vec<Value>, EmitError> {
        Ok(vec![e.combine(self.op, self.element, a[0], b[0])?])
    }

    fn finish(&self, e: &mut Emitter<'_>, folded: &[Value]) -> Result<Vec<Value>, EmitError> {
        let init = e.eval(self.init)?;
        Ok(vec![e.combine(self.op, self.element, init, folded[0])?])
    }

    fn extremum_of(&self) -> Option<(Binary, NodeId)> {
        matches!(self.op, Binary::Maximum | Binary::Minimum).then_some((self.op, self.input))
    }
}

/// Bits, in register form, of the value that an operation leaves others unchanged with.
pub fn identity_bits(op: Binary, element: ElementType, scalar: Scalar) -> Option<u64> {
    let width = scalar.bits();
    let smallest = 1u64 << (width - 1);
    let float = |x: f64| if scalar == Scalar::F64 { x.to_bits() } else { u64::from((x as f32).to_bits()) };
    Some(match (element.class(), op) {
        (Class::Float, Binary::Add) => float(-0.0),
        (Class::Float, Binary::Multiply) => float(1.0),
        (Class::Float, Binary::Maximum) => float(f64::NEG_INFINITY),
        (Class::Float, Binary::Minimum) => float(f64::INFINITY),
        (Class::Float, _) => return None,
        (_, Binary::Add | Binary::Or | Binary::Xor) => 0,
        (_, Binary::Multiply) => 1,
        (_, Binary::And) => u64::MAX,
        (Class::SignedInteger, Binary::Maximum) => smallest,
        (Class::SignedInteger, Binary::Minimum) => !smallest,
        (_, Binary::Maximum) => 0,
        (_, Binary::Minimum) => u64::MAX,
        _ => return None,
    })
}

/// Maximum and minimum of f32 on CPUs, whose instructions neither put NaN through nor order zeros: floats as integers
/// of the same order, and with them the largest magnitude, which tells of a NaN. Each takes one operation from step
/// to step.
///
/// Worked example: −2 is 0xC0000000, key 0xBFFFFFFF, below that of −1, 0xC07FFFFF; −0 has key −1, below +0 with key 0.
pub struct ExtremumFold {
    op: Binary,
    element: ElementType,
    input: NodeId,
    init: NodeId,
}

const MAGNITUDE: i64 = 0x7FFF_FFFF;
const INFINITY: i64 = 0x7F80_0000;

impl ExtremumFold {
    fn extremum(&self) -> &'static str {
        if self.op == Binary::Maximum { "arith.maxsi" } else { "arith.minsi" }
    }

    /// The key of float bits, and back.
    fn key(e: &mut Emitter<'_>, bits: Value) -> Value {
        let sign = e.code.shr_sk(bits, 31);
        let flip = e.code.and_k(sign, MAGNITUDE);
        e.code.xor(bits, flip)
    }

    /// A single value as accumulators.
    pub fn accumulators(e: &mut Emitter<'_>, value: Value) -> Vec<Value> {
        let bits = e.code.to_bits(value);
        vec![Self::key(e, bits), e.code.and_k(bits, MAGNITUDE)]
    }
}

impl Fold for ExtremumFold {
    fn operands(&self) -> usize {
        2
    }

    fn is_symmetric(&self) -> bool {
        true
    }

    fn identity(&self, e: &mut Emitter<'_>) -> Result<Vec<Value>, EmitError> {
        let ty = Ty::scalar(Scalar::I32);
        // −∞ has the key of its bits but for the sign, turned.
        let key = if self.op == Binary::Maximum { !INFINITY } else { INFINITY };
        Ok(vec![e.code.int(ty, key), e.code.int(ty, 0)])
    }

    fn step(&self, e: &mut Emitter<'_>, running: &[Value]) -> Result<Vec<Value>, EmitError> {
        let value = e.eval(self.input)?;
        let next = Self::accumulators(e, value);
        self.merge(e, running, &next)
    }

    fn merge(&self, e: &mut Emitter<'_>, a: &[Value], b: &[Value]) -> Result<Vec<Value>, EmitError> {
        Ok(vec![e.code.binary(self.extremum(), a[0], b[0]), e.code.binary("arith.maxsi", a[1], b[1])])
    }

    fn finish(&self, e: &mut Emitter<'_>, folded: &[Value]) -> Result<Vec<Value>, EmitError> {
        let bits = Self::key(e, folded[0]);
        let value = e.code.bitcast(bits, Scalar::F32);
        let nan = e.code.cmp_ik("sgt", folded[1], INFINITY);
        let value = e.code.select_k(nan, f64::NAN, value);
        let init = e.eval(self.init)?;
        Ok(vec![e.combine(self.op, self.element, init, value)?])
    }

    fn quick(&self) -> Option<Quick> {
        Some(Quick { op: self.op, input: self.input })
    }
}

struct GeneralFold<'a> {
    results: &'a [NodeId],
    inputs: &'a [NodeId],
    inits: &'a [NodeId],
}

impl GeneralFold<'_> {
    fn apply(&self, e: &mut Emitter<'_>, running: &[Value], incoming: &[Value]) -> Result<Vec<Value>, EmitError> {
        for (at, (&a, &b)) in running.iter().zip(incoming).enumerate() {
            e.set_slot(Slot::Running(at as u32), a);
            e.set_slot(Slot::Incoming(at as u32), b);
        }
        self.results.iter().map(|&node| e.eval(node)).collect()
    }
}

impl Fold for GeneralFold<'_> {
    fn operands(&self) -> usize {
        self.inputs.len()
    }

    fn is_symmetric(&self) -> bool {
        false
    }

    fn identity(&self, e: &mut Emitter<'_>) -> Result<Vec<Value>, EmitError> {
        self.inits.iter().map(|&node| e.eval(node)).collect()
    }

    fn step(&self, e: &mut Emitter<'_>, running: &[Value]) -> Result<Vec<Value>, EmitError> {
        let incoming = self.inputs.iter().map(|&node| e.eval(node)).collect::<Result<Vec<_>, _>>()?;
        self.apply(e, running, &incoming)
    }

    fn merge(&self, e: &mut Emitter<'_>, a: &[Value], b: &[Value]) -> Result<Vec<Value>, EmitError> {
        self.apply(e, a, b)
    }

    fn finish(&self, _: &mut Emitter<'_>, folded: &[Value]) -> Result<Vec<Value>, EmitError> {
        Ok(folded.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identities() {
        let bits = |op, element, scalar| identity_bits(op, element, scalar);
        assert_eq!(bits(Binary::Maximum, ElementType::I8, Scalar::I8), Some(0x80));
        assert_eq!(bits(Binary::Minimum, ElementType::I64, Scalar::I64), Some(i64::MAX as u64));
        assert_eq!(bits(Binary::Maximum, ElementType::Ui8, Scalar::I8), Some(0));
        assert_eq!(bits(Binary::Maximum, ElementType::Bf16, Scalar::F32), Some(0xFF80_0000));
        assert_eq!(bits(Binary::And, ElementType::F32, Scalar::F32), None);
    }
}
