//! Quotients of f32 that are rounded to 16 bits at once: many dividends, one divisor, on GPUs (the last step of a
//! softmax).
//!
//! The quotient itself is not wanted, only what it rounds to, and both roundings never change an order. With l below
//! 1/d and h above it, |a/d| lies between |a|·l and |a|·h. Each is rounded to f32 and then to 16 bits; the quotient's
//! own result lies between the two. Where they are the same bits, that is it. Else (about one vector in 6,000) the
//! quotients of the vector are computed by division. Infinities, zeros, NaN and subnormal numbers need no care:
//! whatever goes wrong makes the two different, or both are right.
//!
//! Two multiplications, one conversion and half a comparison an element, where an exact quotient takes nine operations.
//!
//! Worked example: a = 1, d = 3, bf16: 0x3EAAAAAA and 0x3EAAAAAC both round to 0x3EAB. a = 257, d = 256: l and h are
//! neighbours of 2⁻⁸, the products 1.0039061 and 1.0039064 round to 0x3F80 and 0x3F81: by division 1.00390625, a tie,
//! which goes to the even 0x3F80.

use fornax_graph::ElementType;
use fornax_plan::{Binary, Node, NodeId};
use fornax_targets::{Backend, Feature};

use crate::emitter::Emitter;
use crate::errors::EmitError;
use crate::text::{Code, Scalar, Ty, Value};

impl Emitter<'_> {
    /// Dividend and divisor of a quotient of f32 that a node rounds to 16 bits, where the target rounds in pairs.
    pub fn narrow_division(&self, node: NodeId) -> Option<(NodeId, NodeId)> {
        let Node::Convert { element, a } = *self.exprs.node(node) else { return None };
        let feature = match element {
            ElementType::Bf16 => Feature::CvtBf16,
            ElementType::F16 => Feature::CvtF16,
            _ => return None,
        };
        let Node::Binary { op: Binary::Divide, a: dividend, b: divisor } = *self.exprs.node(a) else { return None };
        let pairs = self.target.backend == Backend::Cuda && self.target.has(Feature::CvtBf16);
        (pairs && self.target.has(feature) && self.exprs.element(a) == ElementType::F32).then_some((dividend, divisor))
    }

    /// Such a quotient, rounded, in register form.
    pub fn rounded_quotient(&mut self, element: ElementType, a: Value, d: Value) -> Result<Value, EmitError> {
        let narrow = if element == ElementType::Bf16 { Scalar::Bf16 } else { Scalar::F16 };
        let words = quotient_words(&mut self.code, a, d, narrow);
        let memory = self.memory_scalar(element)?;
        let raw = split_words(&mut self.code, words, Ty::vector(memory, a.ty.lanes));
        self.decode(element, raw)
    }
}

/// The quotients of an even number of lanes, rounded, two a word.
fn quotient_words(code: &mut Code, a: Value, d: Value, narrow: Scalar) -> Value {
    let one = code.float(d.ty, 1.0);
    let inverse = code.div_f(one, d);
    let bits = code.to_bits(inverse);
    let [low, high] = [-1, 1].map(|step| {
        let next = code.add_ik(bits, step);
        let factor = code.bitcast(next, Scalar::F32);
        let product = code.mul_f(a, factor);
        rounded_words(code, product, narrow)
    });
    let differ = code.xor(low, high);
    let mut doubt = code.extract(differ, 0);
    for word in 1..differ.ty.lanes {
        let next = code.extract(differ, word);
        doubt = code.or(doubt, next);
    }
    let sure = code.cmp_ik("eq", doubt, 0);
    let results = code.begin_if(sure, &[low.ty]);
    code.begin_else(&[low]);
    let quotient = code.div_f(a, d);
    let divided = rounded_words(code, quotient, narrow);
    code.end_if(&[divided]);
    results[0]
}

fn rounded_words(code: &mut Code, value: Value, narrow: Scalar) -> Value {
    let rounded = code.cast("arith.truncf", value, narrow);
    split_words(code, rounded, Ty::vector(Scalar::I32, value.ty.lanes / 2))
}

/// The same bits in lanes of another width.
fn split_words(code: &mut Code, value: Value, ty: Ty) -> Value {
    code.pure(ty, format!("llvm.bitcast {value} : {} to {ty}", value.ty))
}
