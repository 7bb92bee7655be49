//! The matrix instructions: fragments of both operands and of the accumulator in, accumulator out.
//!
//! Lane l of a 16 × 8 (8 × 8) accumulator holds, in pairs of neighbouring columns 2·(l mod 4), row l/4, then row
//! l/4 + 8. Multiplicands are registers of the pieces that `fragment` reads: for 16 rows, pieces (8 rows, first
//! steps), (next 8 rows, first steps), then the same for the second half of the steps.
//!
//! Quad pairs (`m8n8k4`) have fragments of their own: `quad_pairs`.
//!
//! f32 operands are rounded to tf32 (`Tf32`), or split into two tf32 values, of whose products the three larger are
//! added, smaller ones first (`Tf32x3`).

use fornax_graph::ElementType;
use fornax_plan::MatrixAtom;
use fornax_plan::matrix::Lanes;

use super::I32;
use super::mfma;
use super::quad_pairs;
use crate::blocks::dot::Dots;
use crate::emitter::Emitter;
use crate::text::{Scalar, Ty, Value, list};

const F32: Ty = Ty::scalar(Scalar::F32);

/// How an instruction is written.
struct Form {
    /// Type of a multiplicand register and of an accumulator element.
    operand: &'static str,
    accumulator: &'static str,
    shape: &'static str,
    /// Attributes besides the layouts and the shape.
    attributes: &'static str,
}

/// None for atoms whose instruction has no operation of the dialect, or is another machine's.
fn form(atom: MatrixAtom) -> Option<Form> {
    const TF32: &str = "multiplicandAPtxType = #nvvm.mma_type<tf32>, multiplicandBPtxType = #nvvm.mma_type<tf32>, ";
    Some(match atom {
        MatrixAtom::F16K16 => {
            Form { operand: "vector<2xf16>", accumulator: "f32", shape: "m = 16, n = 8, k = 16", attributes: "" }
        }
        MatrixAtom::F16K8 => {
            Form { operand: "vector<2xf16>", accumulator: "f32", shape: "m = 16, n = 8, k = 8", attributes: "" }
        }
        MatrixAtom::Bf16K16 => Form {
            operand: "i32",
            accumulator: "f32",
            shape: "m = 16, n = 8, k = 16",
            attributes: "multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, ",
        },
        MatrixAtom::Tf32 | MatrixAtom::Tf32x3 => {
            Form { operand: "i32", accumulator: "f32", shape: "m = 16, n = 8, k = 8", attributes: TF32 }
        }
        MatrixAtom::F64 => Form { operand: "f64", accumulator: "f64", shape: "m = 8, n = 8, k = 4", attributes: "" },
        MatrixAtom::I8K32 => {
            Form { operand: "i32", accumulator: "i32", shape: "m = 16, n = 8, k = 32", attributes: "" }
        }
        MatrixAtom::I8K16 => Form { operand: "i32", accumulator: "i32", shape: "m = 8, n = 8, k = 16", attributes: "" },
        MatrixAtom::F64K16
        | MatrixAtom::F64K8
        | MatrixAtom::F8K32
        | MatrixAtom::F16K4
        | MatrixAtom::Mfma16(_)
        | MatrixAtom::Mfma32(_)
        | MatrixAtom::Wmma3(_)
        | MatrixAtom::Wmma4(_)
        | MatrixAtom::Dot64(_)
        | MatrixAtom::Dot32(_) => return None,
    })
}

/// An atom with the operands it multiplies.
#[derive(Clone, Copy, Debug)]
pub struct Multiplier {
    pub atom: MatrixAtom,
    /// Element types of the row and the column operand (integers: signed or not).
    pub elements: [ElementType; 2],
}

/// A fragment ready to be multiplied: for split products the larger part, then the smaller.
pub type Parts = Vec<Vec<Value>>;

impl Multiplier {
    /// Registers of an accumulator fragment.
    pub fn registers(&self) -> usize {
        match self.atom.row().lanes {
            Lanes::Quads => (self.atom.row().shape[0] / 4) as usize,
            Lanes::Chunks { .. } => 1,
        }
    }

    /// What such a register holds.
    pub fn sum_ty(&self, accumulator: Scalar) -> Ty {
        match self.atom.row().lanes {
            Lanes::Quads => Ty::scalar(accumulator),
            Lanes::Chunks { .. } => Ty::vector(accumulator, mfma::results(self.atom)),
        }
    }

    /// Pieces of rows that are multiplied together.
    pub fn units(&self) -> usize {
        match self.atom.row().lanes {
            Lanes::Quads => (self.atom.row().shape[0] / 8) as usize,
            Lanes::Chunks { .. } => 1,
        }
    }

    /// Whether every product of fragments is added to the sums in f32 arithmetic, which rounds, where the instruction
    /// truncates: of 8-bit floats to some 14 bits.
    pub fn adds_apart(&self) -> bool {
        matches!(self.atom, MatrixAtom::Tf32x3 | MatrixAtom::F8K32)
    }

    /// The multiplicand of registers as they were staged.
    pub fn prepare(&self, e: &mut Emitter<'_>, registers: &[Value]) -> Parts {
        match self.atom {
            MatrixAtom::F16K4 => vec![quad_pairs::multiplicands(e, registers)],
            _ if self.atom.row().lanes != Lanes::Quads => vec![mfma::multiplicands(e, self.atom, registers)],
            MatrixAtom::F16K16 | MatrixAtom::F16K8 => {
                let pair = Ty::vector(Scalar::F16, 2);
                let cast = |&r: &Value| e.code.pure(pair, format!("llvm.bitcast {r} : i32 to {pair}"));
                vec![registers.iter().map(cast).collect()]
            }
            MatrixAtom::Tf32 if self.elements.contains(&ElementType::F32) => {
                vec![registers.iter().map(|&r| round_to_tf32(e, r)).collect()]
            }
            MatrixAtom::Tf32x3 => {
                let parts: Vec<[Value; 2]> = registers.iter().map(|&r| split(e, r)).collect();
                vec![parts.iter().map(|p| p[0]).collect(), parts.iter().map(|p| p[1]).collect()]
            }
            _ => vec![registers.to_vec()],
        }
    }

    /// `sums + a·b`.
    pub fn multiply(&self, e: &mut Emitter<'_>, a: &Parts, b: &Parts, mut sums: Vec<Value>) -> Vec<Value> {
        match (a.as_slice(), b.as_slice()) {
            ([large_a, small_a], [large_b, small_b]) => {
                for (a, b) in [(small_a, large_b), (large_a, small_b), (large_a, large_b)] {
                    sums = self.instruction(e, a, b, &sums);
                }
                sums
            }
            ([a, ..], [b, ..]) => self.instruction(e, a, b, &sums),
            _ => sums,
        }
    }

    fn instruction(&self, e: &mut Emitter<'_>, a: &[Value], b: &[Value], sums: &[Value]) -> Vec<Value> {
        if self.atom == MatrixAtom::F16K4 {
            return sums.first().map(|&sums| quad_pairs::multiply(e, a, b, sums)).into_iter().collect();
        }
        if self.atom.dot().is_some() {
            let element = self.atom.row().element;
            let Some(dots) = Dots::of(e, [element; 2], accumulator_of(element)) else { return sums.to_vec() };
            let add = |sum, (&a, &b)| dots.add(e, a, b, sum);
            return sums.first().map(|&first| a.iter().zip(b).fold(first, add)).into_iter().collect();
        }
        if self.atom.row().lanes != Lanes::Quads {
            let multiply = |sums, (&a, &b)| mfma::multiply(e, self.atom, self.elements, (a, b), sums);
            return sums.first().map(|&first| a.iter().zip(b).fold(first, multiply)).into_iter().collect();
        }
        let Some(Form { operand, accumulator, shape, attributes }) = form(self.atom) else {
            let name = |element: ElementType| match element {
                _ if self.atom.bytes() == 8 => "f64",
                ElementType::F8E5M2 => "e5m2",
                _ => "e4m3",
            };
            return written_out(e, self.atom.row().shape, self.elements.map(name), [a, b, sums]);
        };
        let parts = vec![accumulator; sums.len()].join(", ");
        let ty = sums[0].ty;
        let integer = if accumulator == "i32" {
            let name = |element: ElementType| if element.is_unsigned() { "u8" } else { "s8" };
            format!(
                "multiplicandAPtxType = #nvvm.mma_type<{}>, multiplicandBPtxType = #nvvm.mma_type<{}>, \
                 intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>, ",
                name(self.elements[0]),
                name(self.elements[1])
            )
        } else {
            String::new()
        };
        let all = e.code.effect(
            ty,
            &format!(
                "nvvm.mma.sync A[{}] B[{}] C[{}] {{layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, \
                 {attributes}{integer}shape = #nvvm.shape<{shape}>}} : ({operand}, {operand}, {accumulator}) -> \
                 !llvm.struct<({parts})>",
                list(a),
                list(b),
                list(sums)
            ),
        );
        (0..sums.len())
            .map(|at| e.code.pure(ty, format!("llvm.extractvalue {all}[{at}] : !llvm.struct<({parts})>")))
            .collect()
    }
}

/// What products of such elements are added up in.
fn accumulator_of(element: ElementType) -> ElementType {
    if element.is_float() { ElementType::F32 } else { ElementType::I32 }
}

/// An instruction that has no operation: PTX as text. Operands of a statement are numbered results, A, B; sums are tied
/// to the results.
pub fn written_out(
    e: &mut Emitter<'_>,
    [m, n, k]: [u32; 3],
    operands: [&str; 2],
    [a, b, sums]: [&[Value]; 3],
) -> Vec<Value> {
    let (count, ty) = (sums.len(), sums[0].ty);
    let group = |from: usize, count: usize| {
        let names: Vec<String> = (from..from + count).map(|at| format!("${at}")).collect();
        format!("{{{}}}", names.join(", "))
    };
    let (d, a_text, b_text) = (group(0, count), group(count, a.len()), group(count + a.len(), b.len()));
    let [of_a, of_b] = operands;
    let text = format!("mma.sync.aligned.m{m}n{n}k{k}.row.col.{ty}.{of_a}.{of_b}.{ty} {d}, {a_text}, {b_text}, {d};");
    let letter = |ty: Ty| match ty.scalar {
        Scalar::F64 => "d",
        Scalar::F32 => "f",
        _ => "r",
    };
    let mut constraints = vec![format!("={}", letter(ty)); count];
    constraints.extend(a.iter().chain(b).map(|v| letter(v.ty).to_string()));
    constraints.extend((0..count).map(|at| at.to_string()));
    let operands: Vec<Value> = a.iter().chain(b).chain(sums).copied().collect();
    let types: Vec<String> = operands.iter().map(|v| v.ty.to_string()).collect();
    let all_ty = format!("!llvm.struct<({})>", vec![ty.to_string(); count].join(", "));
    let all = e.code.pure(
        ty,
        format!(
            "llvm.inline_asm asm_dialect = att \"{text}\", \"{}\" {} : ({}) -> {all_ty}",
            constraints.join(","),
            list(&operands),
            types.join(", ")
        ),
    );
    (0..count).map(|at| e.code.pure(ty, format!("llvm.extractvalue {all}[{at}] : {all_ty}"))).collect()
}

/// Nearest tf32, ties away from zero.
fn round_to_tf32(e: &mut Emitter<'_>, register: Value) -> Value {
    let value = e.code.bitcast(register, Scalar::F32);
    let text =
        format!("llvm.inline_asm asm_dialect = att \"cvt.rna.tf32.f32 $0, $1;\", \"=r,f\" {value} : (f32) -> i32");
    e.code.pure(I32, text)
}

/// A value as the sum of two tf32 values: the nearest one and what is left. `8193·x` has lost the lower bits of x;
/// taking `8192·x` away again leaves x rounded to 11 bits. In float arithmetic NaN stays NaN, whose bits rounded as an
/// integer may become a zero, and what overflows (above 2¹¹⁴) becomes Inf or NaN, which is computed again.
fn split(e: &mut Emitter<'_>, register: Value) -> [Value; 2] {
    let whole = e.code.bitcast(register, Scalar::F32);
    let wide = e.code.mul_k(whole, 8193.0);
    let high = e.code.fma_k(whole, -8192.0, wide);
    let rest = e.code.sub_f(whole, high);
    let large = e.code.to_bits(high);
    debug_assert_eq!(rest.ty, F32);
    // The instruction reads the upper 19 bits: rounded beforehand.
    let small = e.code.to_bits(rest);
    [large, e.code.add_ik(small, 0x1000)]
}
