//! MFMA, WMMA and dot products: chunks of both operands and a vector of sums in, the vector out.
//!
//! A chunk is the multiplicand of one to four instructions. Result r of a lane of an instruction with M rows and
//! columns lies in column lane mod M; its row depends on r and the lane's group, lane div M. Sources: AMD Instinct
//! MI100, MI200 and MI300 instruction set architecture, "Matrix Arithmetic Instructions"; RDNA3 and RDNA4 instruction
//! set architecture, "Wave Matrix Multiply Accumulate".
//!
//! Worked example, 32 × 32 × 8 f16: lane 37 is row 5 of A and column 5 of B, group 1; its result 6 is row 8·1 + 4·1 + 2
//! = 14, column 5.

use fornax_graph::ElementType;
use fornax_plan::MatrixAtom;
use fornax_plan::matrix::{Mfma, Wmma};

use super::CHUNK;
use crate::emitter::Emitter;
use crate::text::{Scalar, Ty, Value};

/// An instruction: intrinsic, and the type of a multiplicand.
struct Instruction {
    name: &'static str,
    operand: Ty,
}

const fn instruction(name: &'static str, scalar: Scalar, lanes: u32) -> Instruction {
    Instruction { name, operand: Ty { scalar, lanes } }
}

/// None for atoms of other instruction sets.
fn form(atom: MatrixAtom) -> Option<Instruction> {
    use Scalar::{Bf16, F16, F32, F64, I16, I32, I64};
    let (wide, kind) = match atom {
        MatrixAtom::Mfma16(kind) => (false, kind),
        MatrixAtom::Mfma32(kind) => (true, kind),
        MatrixAtom::Wmma3(Wmma::F16) => return Some(instruction("wmma.f32.16x16x16.f16", F16, 16)),
        MatrixAtom::Wmma3(Wmma::Bf16) => return Some(instruction("wmma.f32.16x16x16.bf16", I16, 16)),
        MatrixAtom::Wmma3(Wmma::I8) => return Some(instruction("wmma.i32.16x16x16.iu8", I32, 4)),
        MatrixAtom::Wmma4(Wmma::F16) => return Some(instruction("wmma.f32.16x16x16.f16", F16, 8)),
        MatrixAtom::Wmma4(Wmma::Bf16) => return Some(instruction("wmma.f32.16x16x16.bf16", I16, 8)),
        MatrixAtom::Wmma4(Wmma::I8) => return Some(instruction("wmma.i32.16x16x16.iu8", I32, 2)),
        MatrixAtom::Wmma4(Wmma::F8) => return Some(instruction("wmma.f32.16x16x16", I32, 2)),
        // Words: see `dot`.
        MatrixAtom::Dot64(_) | MatrixAtom::Dot32(_) => return Some(instruction("dot", I32, 1)),
        _ => return None,
    };
    Some(match (kind, wide) {
        (Mfma::F16, false) => instruction("mfma.f32.16x16x16f16", F16, 4),
        (Mfma::F16, true) => instruction("mfma.f32.32x32x8f16", F16, 4),
        (Mfma::F16Wide, false) => instruction("mfma.f32.16x16x32.f16", F16, 8),
        (Mfma::F16Wide, true) => instruction("mfma.f32.32x32x16.f16", F16, 8),
        (Mfma::Bf16, false) => instruction("mfma.f32.16x16x8bf16", I16, 2),
        (Mfma::Bf16, true) => instruction("mfma.f32.32x32x4bf16", I16, 2),
        (Mfma::Bf16K1, false) => instruction("mfma.f32.16x16x16bf16.1k", I16, 4),
        (Mfma::Bf16K1, true) => instruction("mfma.f32.32x32x8bf16.1k", I16, 4),
        (Mfma::Bf16Wide, false) => instruction("mfma.f32.16x16x32.bf16", Bf16, 8),
        (Mfma::Bf16Wide, true) => instruction("mfma.f32.32x32x16.bf16", Bf16, 8),
        (Mfma::F32, false) => instruction("mfma.f32.16x16x4f32", F32, 1),
        (Mfma::F32, true) => instruction("mfma.f32.32x32x2f32", F32, 1),
        (Mfma::Xf32, false) => instruction("mfma.f32.16x16x8.xf32", F32, 2),
        (Mfma::Xf32, true) => instruction("mfma.f32.32x32x4.xf32", F32, 2),
        (Mfma::F64, _) => instruction("mfma.f64.16x16x4f64", F64, 1),
        (Mfma::I8, false) => instruction("mfma.i32.16x16x16i8", I32, 1),
        (Mfma::I8, true) => instruction("mfma.i32.32x32x8i8", I32, 1),
        (Mfma::I8Wide, false) => instruction("mfma.i32.16x16x32.i8", I64, 1),
        (Mfma::I8Wide, true) => instruction("mfma.i32.32x32x16.i8", I64, 1),
        (Mfma::I8Wider, false) => instruction("mfma.i32.16x16x64.i8", I32, 4),
        (Mfma::I8Wider, true) => instruction("mfma.i32.32x32x32.i8", I32, 4),
        (Mfma::F8Fnuz | Mfma::F8, false) => instruction("mfma.f32.16x16x32", I64, 1),
        (Mfma::F8Fnuz | Mfma::F8, true) => instruction("mfma.f32.32x32x16", I64, 1),
        (Mfma::F8Wide, false) => instruction("mfma.scale.f32.16x16x128.f8f6f4", I32, 8),
        (Mfma::F8Wide, true) => instruction("mfma.scale.f32.32x32x64.f8f6f4", I32, 8),
    })
}

/// Results that a lane of an instruction has.
pub fn results(atom: MatrixAtom) -> u32 {
    let [m, n, _] = atom.row().shape;
    m * n / atom.wave()
}

/// Rows between the groups of lanes, and the row of result `r` in group 0.
pub fn result_rows(atom: MatrixAtom) -> (i64, fn(i64) -> i64) {
    match atom {
        MatrixAtom::Mfma16(Mfma::F64) => (1, |r| 4 * r),
        MatrixAtom::Wmma3(_) => (1, |r| 2 * r),
        MatrixAtom::Wmma4(_) => (8, |r| r),
        MatrixAtom::Dot64(_) | MatrixAtom::Dot32(_) => (1, |r| r),
        _ => (4, |r| 8 * (r / 4) + r % 4),
    }
}

/// The multiplicands in what a lane has read, one for each instruction.
pub fn multiplicands(e: &mut Emitter<'_>, atom: MatrixAtom, chunks: &[Value]) -> Vec<Value> {
    let Some(Instruction { operand, .. }) = form(atom) else { return Vec::new() };
    let bits = operand.scalar.bits() * operand.lanes;
    let whole = joined(e, chunks);
    let count = whole.ty.scalar.bits() * whole.ty.lanes / bits;
    if count <= 1 {
        return vec![recast(e, whole, operand)];
    }
    // As many integers as instructions, each of which then is the multiplicand's type.
    let each = Ty::vector(Scalar::integer(bits), count);
    let words = recast(e, whole, each);
    (0..count)
        .map(|at| {
            let word = e.code.extract(words, at);
            recast(e, word, operand)
        })
        .collect()
}

/// All chunks as one vector.
fn joined(e: &mut Emitter<'_>, chunks: &[Value]) -> Value {
    match *chunks {
        [low, high] => {
            let ty = Ty::vector(CHUNK.scalar, 2 * CHUNK.lanes);
            e.code.pure(ty, format!("vector.shuffle {low}, {high} [0, 1, 2, 3, 4, 5, 6, 7] : {}, {}", low.ty, high.ty))
        }
        [one, ..] => one,
        [] => e.code.bits(CHUNK, 0),
    }
}

fn recast(e: &mut Emitter<'_>, value: Value, ty: Ty) -> Value {
    if value.ty == ty { value } else { e.code.pure(ty, format!("llvm.bitcast {value} : {} to {ty}", value.ty)) }
}

/// `sums + a·b`; integers are signed or not as `elements` say.
pub fn multiply(
    e: &mut Emitter<'_>,
    atom: MatrixAtom,
    elements: [ElementType; 2],
    (a, b): (Value, Value),
    sums: Value,
) -> Value {
    let Some(Instruction { name, .. }) = form(atom) else { return sums };
    let bit = Ty::scalar(Scalar::I1);
    let ty = sums.ty;
    let overloads = || format!(".v{}{}.v{}{}", sums.ty.lanes, kind(sums.ty), a.ty.lanes, kind(a.ty));
    let number = |e: &mut Emitter<'_>, n: usize| e.code.int(Ty::scalar(Scalar::I32), n as i64);
    let (operands, suffix) = match atom {
        MatrixAtom::Wmma3(Wmma::I8) | MatrixAtom::Wmma4(Wmma::I8) => {
            let [signed_a, signed_b] = elements.map(|element| e.code.bits(bit, u64::from(!element.is_unsigned())));
            (vec![signed_a, a, signed_b, b, sums, e.code.bits(bit, 0)], overloads())
        }
        MatrixAtom::Wmma3(_) | MatrixAtom::Wmma4(_) => {
            let formats = if atom == MatrixAtom::Wmma4(Wmma::F8) { eight_bit_names(elements) } else { String::new() };
            (vec![a, b, sums], formats + &overloads())
        }
        MatrixAtom::Mfma16(Mfma::F8Wide) | MatrixAtom::Mfma32(Mfma::F8Wide) => {
            // Formats of the operands; which byte of each scale, and scales: zeros are no scales.
            let [format_a, format_b] = elements.map(|element| number(e, eight_bit(element)));
            let zero = number(e, 0);
            (vec![a, b, sums, format_a, format_b, zero, zero, zero, zero], ".v8i32.v8i32".to_string())
        }
        MatrixAtom::Mfma16(kind) | MatrixAtom::Mfma32(kind) => {
            let formats =
                if matches!(kind, Mfma::F8 | Mfma::F8Fnuz) { eight_bit_names(elements) } else { String::new() };
            // No broadcast of blocks, no permutation of lanes.
            let zero = number(e, 0);
            (vec![a, b, sums, zero, zero, zero], formats)
        }
        _ => (vec![a, b, sums], String::new()),
    };
    e.code.intrinsic(&format!("llvm.amdgcn.{name}{suffix}"), &operands, ty)
}

/// The number of an f8 format: 0 where three bits are mantissa, 1 where two are.
fn eight_bit(element: ElementType) -> usize {
    usize::from(matches!(element, ElementType::F8E5M2 | ElementType::F8E5M2FNUZ))
}

/// How intrinsics name the formats of both operands.
fn eight_bit_names(elements: [ElementType; 2]) -> String {
    elements.map(|element| [".fp8", ".bf8"][eight_bit(element)]).concat()
}

/// How overloaded intrinsics spell an element.
fn kind(ty: Ty) -> String {
    let letter = if ty.scalar.is_float() { 'f' } else { 'i' };
    format!("{letter}{}", ty.scalar.bits())
}
