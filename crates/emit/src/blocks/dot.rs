//! Dot products of words on AMD: two f16 or four bytes of each side, multiplied and added to a sum of 32 bits in one
//! instruction.
//!
//! `v_dot2_f32_f16` takes f32 subnormals for zeros, whatever the mode says (LLVM, `performFMACombine`), which changes
//! nothing here: products of f16, and so their sums, are multiples of 2⁻⁴⁸. `v_dot2_f32_bf16`, whose sums may be
//! subnormal, is not used for that reason. Sums of bytes wrap.
//!
//! Source: AMD Vega 7 nm, RDNA2 and RDNA3 instruction set architecture, "VOP3P instructions".
//!
//! Worked example: 8 f16 of a row and of a vector are four words each; four instructions add their products to one sum.

use fornax_graph::ElementType;
use fornax_targets::Feature;

use crate::emitter::Emitter;
use crate::text::{Scalar, Ty, Value};

const WORD: Ty = Ty::scalar(Scalar::I32);

/// A dot product of words by the element types of its sides.
#[derive(Clone, Copy, Debug)]
pub struct Dots {
    elements: [ElementType; 2],
}

impl Dots {
    /// The target's dot product of these elements into sums of this type, if it has one.
    pub fn of(e: &Emitter<'_>, elements: [ElementType; 2], accumulator: ElementType) -> Option<Dots> {
        use ElementType::{F16, F32, I8, I32, Ui8, Ui32};
        let has = match (elements, accumulator) {
            ([F16, F16], F32) => e.target.has(Feature::DotF16),
            // NVIDIA's are other instructions.
            ([I8, I8], I32) | ([Ui8, Ui8], I32 | Ui32) => e.target.has(Feature::DotF16) && e.target.has(Feature::DotI8),
            ([I8, Ui8] | [Ui8, I8], I32) => e.target.has(Feature::DotI8Mixed),
            _ => false,
        };
        has.then_some(Dots { elements })
    }

    /// Elements of a word.
    pub fn each(&self) -> u32 {
        32 / self.elements[0].bits()
    }

    /// The words of a vector of elements as they are in memory, a multiple of [`Dots::each`].
    pub fn words(&self, e: &mut Emitter<'_>, value: Value) -> Vec<Value> {
        let count = value.ty.lanes * value.ty.scalar.bits() / 32;
        let ty = Ty::vector(Scalar::I32, count);
        let words = e.code.pure(ty, format!("llvm.bitcast {value} : {} to {ty}", value.ty));
        (0..count).map(|at| e.code.extract(words, at)).collect()
    }

    /// `sum + a·b`.
    pub fn add(&self, e: &mut Emitter<'_>, a: Value, b: Value, sum: Value) -> Value {
        let bit = |e: &mut Emitter<'_>, is: bool| e.code.bits(Ty::scalar(Scalar::I1), u64::from(is));
        let clamp = bit(e, false);
        if self.elements[0] == ElementType::F16 {
            let pair = Ty::vector(Scalar::F16, 2);
            let [a, b] = [a, b].map(|word| e.code.pure(pair, format!("llvm.bitcast {word} : {WORD} to {pair}")));
            return e.code.intrinsic("llvm.amdgcn.fdot2", &[a, b, sum, clamp], sum.ty);
        }
        let signed = self.elements.map(|element| !element.is_unsigned());
        let (name, operands) = match signed {
            [false, false] => ("udot4", vec![a, b, sum, clamp]),
            [true, true] if !e.target.has(Feature::DotI8Mixed) => ("sdot4", vec![a, b, sum, clamp]),
            [left, right] => ("sudot4", vec![bit(e, left), a, bit(e, right), b, sum, clamp]),
        };
        e.code.intrinsic(&format!("llvm.amdgcn.{name}"), &operands, sum.ty)
    }
}
