//! Conversions that change nothing, that another conversion makes needless, or that take apart what was just put
//! together.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<4xbf16>, %arg1: tensor<4xi8>) -> (tensor<4xbf16>, tensor<4xf64>) {
//!   %0 = stablehlo.convert %arg0 : (tensor<4xbf16>) -> tensor<4xf32>
//!   %1 = stablehlo.convert %0 : (tensor<4xf32>) -> tensor<4xbf16>
//!   %2 = stablehlo.convert %arg1 : (tensor<4xi8>) -> tensor<4xi32>
//!   %3 = stablehlo.convert %2 : (tensor<4xi32>) -> tensor<4xf64>
//!   return %1, %3 : tensor<4xbf16>, tensor<4xf64>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<4xbf16>, %arg1: tensor<4xi8>) -> (tensor<4xbf16>, tensor<4xf64>) {
//!   %0 = stablehlo.convert %arg1 : (tensor<4xi8>) -> tensor<4xf64>
//!   return %arg0, %0 : tensor<4xbf16>, tensor<4xf64>
//! }
//! ```
//!
//! A chain A → B → C is A → C only when B holds every value of A, so that the first step is exact. From integer over
//! float to integer C must hold them too: a float that is too large becomes the largest integer, an integer wraps.

use fornax_graph::{Class, ElementType, Graph, OpId, OpKind};

use super::Options;
use crate::rewrite::{Rewrite, Rewriter, sweep};
use crate::errors::PassError;

/// Exponent and mantissa bits of the IEEE formats; the narrower formats lack infinities or zeros and are left alone.
const FLOATS: &[(ElementType, i64, i64)] =
    &[(ElementType::F16, 5, 10), (ElementType::Bf16, 8, 7), (ElementType::F32, 8, 23), (ElementType::F64, 11, 52)];

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    sweep(graph, &mut |rw, id| {
        let rewrite = match rw.kind(id) {
            OpKind::Convert => convert(rw, id),
            OpKind::BitcastConvert => bitcast(rw, id),
            OpKind::ReducePrecision => reduce_precision(rw, id),
            OpKind::Real => part(rw, id, 0),
            OpKind::Imag => part(rw, id, 1),
            OpKind::Complex => complex(rw, id),
            _ => None,
        };
        Ok(rewrite.unwrap_or(Rewrite::Keep))
    })
}

fn convert(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let x = rw.operand(id, 0)?;
    if rw.graph.ty(x) == rw.graph.ty(rw.result(id, 0)?) {
        return Some(Rewrite::with(x));
    }
    let inner = rw.made_by(x, OpKind::Convert)?;
    let source = rw.operand(inner, 0)?;
    let (from, over, to) = (rw.tensor(source)?.element, rw.tensor(x)?.element, rw.tensor(rw.result(id, 0)?)?.element);
    let wraps = from.is_integer() && over.is_float() && to.is_integer() && !holds(to, from);
    if wraps || !holds(over, from) {
        return None;
    }
    if rw.graph.ty(source) == rw.graph.ty(rw.result(id, 0)?) {
        return Some(Rewrite::with(source));
    }
    rw.graph.op_mut(id).operands = vec![source];
    Some(Rewrite::Edited)
}

/// Whether `wide` has every value of `narrow`.
fn holds(wide: ElementType, narrow: ElementType) -> bool {
    let float = |element| FLOATS.iter().find(|row| row.0 == element);
    let bits = i64::from(narrow.bits());
    match (narrow.class(), wide.class()) {
        (Class::Boolean, _) => !wide.is_quantized() && (wide.is_integer() || float(wide).is_some()),
        (Class::Float, Class::Float) => match (float(narrow), float(wide)) {
            (Some(n), Some(w)) => n.1 <= w.1 && n.2 <= w.2,
            _ => false,
        },
        (Class::SignedInteger, Class::SignedInteger) | (Class::UnsignedInteger, Class::UnsignedInteger) => {
            narrow.bits() <= wide.bits()
        }
        (Class::UnsignedInteger, Class::SignedInteger) => narrow.bits() < wide.bits(),
        // A significand of m + 1 bits; the exponent of f16 ends at 2^15, which ui8 and i8 do not reach.
        (Class::SignedInteger | Class::UnsignedInteger, Class::Float) => {
            float(wide).is_some_and(|w| bits <= w.2 + 1 && (w.1 > 5 || bits <= 11))
        }
        _ => false,
    }
}

/// Bits keep their meaning over any chain of reinterpretations of one width.
fn bitcast(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let (x, result) = (rw.operand(id, 0)?, rw.result(id, 0)?);
    if rw.graph.ty(x) == rw.graph.ty(result) {
        return Some(Rewrite::with(x));
    }
    let source = rw.operand(rw.made_by(x, OpKind::BitcastConvert)?, 0)?;
    let bits = rw.tensor(x)?.element.bits();
    if rw.tensor(source)?.element.bits() != bits || rw.tensor(result)?.element.bits() != bits {
        return None;
    }
    if rw.graph.ty(source) == rw.graph.ty(result) {
        return Some(Rewrite::with(source));
    }
    rw.graph.op_mut(id).operands = vec![source];
    Some(Rewrite::Edited)
}

fn reduce_precision(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let x = rw.operand(id, 0)?;
    let attrs = &rw.graph.op(id).attrs;
    let element = rw.tensor(x)?.element;
    let row = FLOATS.iter().find(|row| row.0 == element)?;
    let enough = attrs.int("exponent_bits")? >= row.1 && attrs.int("mantissa_bits")? >= row.2;
    enough.then_some(Rewrite::with(x))
}

/// The real or imaginary part of `complex(re, im)`; a real number is its own real part, and its imaginary part is 0.
fn part(rw: &mut Rewriter, id: OpId, at: usize) -> Option<Rewrite> {
    let x = rw.operand(id, 0)?;
    match rw.made_by(x, OpKind::Complex) {
        Some(made) => rw.operand(made, at).map(Rewrite::with),
        None if !rw.tensor(x)?.element.is_float() => None,
        None if at == 0 => Some(Rewrite::with(x)),
        None => Some(Rewrite::with(rw.float_like(x, 0.0))),
    }
}

fn complex(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let real = rw.made_by(rw.operand(id, 0)?, OpKind::Real)?;
    let imaginary = rw.made_by(rw.operand(id, 1)?, OpKind::Imag)?;
    let (x, y) = (rw.operand(real, 0)?, rw.operand(imaginary, 0)?);
    (x == y).then_some(Rewrite::with(x))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fornax_reference::Scalar;

    #[test]
    fn integers_that_a_float_keeps_from_wrapping() {
        let left = |to: &str| {
            let text = format!(
                "func.func @main(%x: tensor<3xi32>) -> tensor<3x{to}> {{
                %0 = stablehlo.convert %x : (tensor<3xi32>) -> tensor<3xf64>
                %1 = stablehlo.convert %0 : (tensor<3xf64>) -> tensor<3x{to}>
                return %1 : tensor<3x{to}> }}"
            );
            let mut graph = fornax_import::import_text(&text, "m.mlir", &Default::default()).unwrap();
            run(&mut graph, &Options::default()).unwrap();
            super::super::erase_unused::run(&mut graph, &Options::default()).unwrap();
            super::super::count_ops(&graph)
        };
        // -3 is -2 in i2 (the lowest there is), not the 1 of its last two bits.
        assert_eq!((left("i2"), left("ui32"), left("i64")), (3, 3, 2));
    }

    #[test]
    fn parts_of_real_numbers() {
        for shape in ["4", "?"] {
            let text = format!(
                "func.func @main(%x: tensor<{shape}xf32>) -> (tensor<{shape}xf32>, tensor<{shape}xf32>) {{
                %0 = stablehlo.real %x : tensor<{shape}xf32>
                %1 = stablehlo.imag %x : tensor<{shape}xf32>
                return %0, %1 : tensor<{shape}xf32>, tensor<{shape}xf32> }}"
            );
            let mut graph = fornax_import::import_text(&text, "m.mlir", &Default::default()).unwrap();
            super::super::simplify(&mut graph, &Options::default()).unwrap();
            let input = [fornax_reference::Tensor::from_scalars(
                &[4],
                ElementType::F32,
                [1.0, f64::NAN, -0.0, f64::INFINITY].map(Scalar::Float),
            )];
            let out = fornax_reference::evaluate(&graph, "main", &input, &Default::default()).unwrap();
            assert_eq!((&out[0].bytes, &out[1].bytes), (&input[0].bytes, &vec![0; 16]), "{shape}");
            assert!(!crate::example::print(&graph).contains("stablehlo.imag"), "{shape}");
        }
    }

    #[test]
    fn exact_conversions() {
        use ElementType::*;
        for (narrow, wide) in [(Bf16, F32), (F16, F32), (F32, F64), (I8, F16), (Ui8, Bf16), (I16, F32), (I32, F64)] {
            assert!(holds(wide, narrow), "{narrow:?} in {wide:?}");
        }
        for (narrow, wide) in [(F16, Bf16), (Bf16, F16), (I16, F16), (I32, F32), (I64, F64), (I8, Ui16), (Ui8, I8)] {
            assert!(!holds(wide, narrow), "{narrow:?} in {wide:?}");
        }
    }
}
