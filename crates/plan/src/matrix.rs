//! Schedules of contractions on matrix instructions: the instruction, the tile of a workgroup, how warps share it.
//!
//! A workgroup computes `rows × columns` outputs of one batch, `steps` contraction steps at a time: both operands of a
//! block of steps pass through one stage of a ring in shared memory, from which warps read the fragments that the
//! instruction wants.
//!
//! Atoms are `mma.sync` of CUDA, MFMA of CDNA, WMMA of RDNA, and dot products of AMD's chips without these; one row of
//! [`ATOMS`] says all that differs.
//!
//! Worked example: [1000, 768]·[768, 768] bf16, tile 128 × 128 × 32, 2 × 2 warps, 4 stages: 8 × 6 workgroups of 128
//! threads, 24 blocks; a stage is (128 + 128)·32·2 = 16,384 bytes, the ring 65,536.

use fornax_graph::ElementType;
use fornax_targets::Feature;

use crate::form::{self, ContractionForm};
use crate::precision::Precision;

/// A matrix instruction of a warp with how operands become its multiplicands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Atom {
    F16K16,
    Bf16K16,
    F16K8,
    /// Four products of 8 × 8 × 4, one for each pair of quads, next to each other as one of 16 × 16.
    F16K4,
    /// f8E4M3FN and f8E5M2, either with either.
    F8K32,
    Tf32,
    /// f32 operands as the sum of two tf32 values, three products.
    Tf32x3,
    F64K16,
    F64K8,
    F64,
    I8K32,
    I8K16,
    /// MFMA with 16 rows and columns, and with 32.
    Mfma16(Mfma),
    Mfma32(Mfma),
    /// WMMA of RDNA3, and of RDNA4.
    Wmma3(Wmma),
    Wmma4(Wmma),
    /// Dot products of a lane, an output each, by waves of 64 and of 32.
    Dot64(Dot),
    Dot32(Dot),
}

/// Multiplicands of an MFMA instruction; the wider of two forms takes more steps at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mfma {
    F16,
    F16Wide,
    Bf16,
    /// The `_1k` forms.
    Bf16K1,
    Bf16Wide,
    F32,
    /// f32 of which 11 bits of mantissa are multiplied.
    Xf32,
    F64,
    I8,
    I8Wide,
    /// Four times the steps of the first form.
    I8Wider,
    /// f8E4M3FNUZ and f8E5M2FNUZ, in any pairing.
    F8Fnuz,
    /// f8E4M3FN and f8E5M2, in any pairing.
    F8,
    /// The instruction that takes scales, without any.
    F8Wide,
}

/// Multiplicands of a WMMA instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wmma {
    F16,
    Bf16,
    /// Signed or unsigned bytes.
    I8,
    /// f8E4M3FN and f8E5M2, in any pairing.
    F8,
}

/// Multiplicands of a dot product: a register of each operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dot {
    F16,
    /// Both signed; both unsigned.
    I8,
    Ui8,
}

/// Which lanes hold what of the operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lanes {
    /// `mma.sync`: four lanes share an output, one register of steps each.
    Quads,
    /// A lane holds `chunks` chunks of 16 bytes, steps of one output; `groups` lanes with different steps share an
    /// output (with the same steps where it is 1).
    Chunks { wave: u32, groups: u32, chunks: u32 },
}

/// What an atom is.
#[derive(Clone, Copy, Debug)]
pub struct AtomRow {
    pub atom: Atom,
    pub name: &'static str,
    pub feature: Feature,
    /// Element type staged in shared memory (for integers: or its unsigned form; for small floats: or the other one of
    /// its kind).
    pub element: ElementType,
    /// Rows, columns and steps of one instruction, or of those that multiply what lanes read at once.
    pub shape: [u32; 3],
    /// Instructions for one product of fragments, where they multiply the same steps.
    pub products: u32,
    pub lanes: Lanes,
}

const fn row(
    atom: Atom,
    name: &'static str,
    feature: Feature,
    element: ElementType,
    shape: [u32; 3],
    products: u32,
) -> AtomRow {
    AtomRow { atom, name, feature, element, shape, products, lanes: Lanes::Quads }
}

/// Bytes of a staged element.
const fn staged_bytes(element: ElementType) -> u32 {
    match element {
        ElementType::F64 => 8,
        ElementType::F32 => 4,
        ElementType::F16 | ElementType::Bf16 => 2,
        _ => 1,
    }
}

/// The row of quad pairs: a lane holds 8 steps of one output, which two instructions multiply, in all eight lanes whose
/// products share it.
const fn quad_pairs(atom: Atom, name: &'static str, feature: Feature, element: ElementType) -> AtomRow {
    let lanes = Lanes::Chunks { wave: 32, groups: 1, chunks: 1 };
    AtomRow { atom, name, feature, element, shape: [16, 16, 8], products: 1, lanes }
}

/// An MFMA row: `outputs` rows and columns, 64 / `outputs` lanes of 16 bytes each along the steps.
const fn mfma(atom: Atom, name: &'static str, feature: Feature, element: ElementType, outputs: u32) -> AtomRow {
    mfma_of(atom, name, feature, element, outputs, 1)
}

/// An MFMA row whose lanes hold so many times 16 bytes.
const fn mfma_of(
    atom: Atom,
    name: &'static str,
    feature: Feature,
    element: ElementType,
    outputs: u32,
    chunks: u32,
) -> AtomRow {
    let groups = 64 / outputs;
    let steps = groups * chunks * 16 / staged_bytes(element);
    let lanes = Lanes::Chunks { wave: 64, groups, chunks };
    AtomRow { atom, name, feature, element, shape: [outputs, outputs, steps], products: 1, lanes }
}

/// A WMMA row: lanes 16 to 31 hold the steps of lanes 0 to 15 again (`groups` 1), or the next ones.
const fn wmma(
    atom: Atom,
    name: &'static str,
    feature: Feature,
    element: ElementType,
    groups: u32,
    chunks: u32,
) -> AtomRow {
    let steps = groups * chunks * 16 / staged_bytes(element);
    let lanes = Lanes::Chunks { wave: 32, groups, chunks };
    AtomRow { atom, name, feature, element, shape: [16, 16, steps], products: 1, lanes }
}

/// A row of dot products: lanes are `shape` outputs, all of them read 16 bytes of steps of their row and of their
/// column. v_dot4 comes with v_dot2.
const fn dot(atom: Atom, name: &'static str, element: ElementType, [m, n]: [u32; 2]) -> AtomRow {
    let steps = 16 / staged_bytes(element);
    let lanes = Lanes::Chunks { wave: m * n, groups: 1, chunks: 1 };
    AtomRow { atom, name, feature: Feature::DotF16, element, shape: [m, n, steps], products: 1, lanes }
}

/// All atoms; of those that serve the same operands the faster one first.
#[rustfmt::skip]
pub const ATOMS: &[AtomRow] = &[
    row(Atom::F16K16, "m16n8k16.f16", Feature::MmaF16, ElementType::F16, [16, 8, 16], 1),
    row(Atom::F16K8, "m16n8k8.f16", Feature::MmaF16K8, ElementType::F16, [16, 8, 8], 1),
    quad_pairs(Atom::F16K4, "m8n8k4.f16", Feature::MmaF16M8N8K4, ElementType::F16),
    row(Atom::F8K32, "m16n8k32.f8", Feature::MmaFp8, ElementType::F8E4M3FN, [16, 8, 32], 1),
    row(Atom::Bf16K16, "m16n8k16.bf16", Feature::MmaBf16, ElementType::Bf16, [16, 8, 16], 1),
    row(Atom::Tf32, "m16n8k8.tf32", Feature::MmaTf32, ElementType::F32, [16, 8, 8], 1),
    row(Atom::Tf32x3, "m16n8k8.tf32 x3", Feature::MmaTf32, ElementType::F32, [16, 8, 8], 3),
    row(Atom::F64K16, "m16n8k16.f64", Feature::MmaF64Wide, ElementType::F64, [16, 8, 16], 1),
    row(Atom::F64K8, "m16n8k8.f64", Feature::MmaF64Wide, ElementType::F64, [16, 8, 8], 1),
    row(Atom::F64, "m8n8k4.f64", Feature::MmaF64, ElementType::F64, [8, 8, 4], 1),
    row(Atom::I8K32, "m16n8k32.s8", Feature::MmaI8, ElementType::I8, [16, 8, 32], 1),
    row(Atom::I8K16, "m8n8k16.s8", Feature::MmaI8K16, ElementType::I8, [8, 8, 16], 1),
    mfma(Atom::Mfma32(Mfma::F16Wide), "mfma 32x32x16 f16", Feature::MfmaWideK, ElementType::F16, 32),
    mfma(Atom::Mfma16(Mfma::F16Wide), "mfma 16x16x32 f16", Feature::MfmaWideK, ElementType::F16, 16),
    mfma(Atom::Mfma32(Mfma::F16), "mfma 32x32x8 f16", Feature::Mfma, ElementType::F16, 32),
    mfma(Atom::Mfma16(Mfma::F16), "mfma 16x16x16 f16", Feature::Mfma, ElementType::F16, 16),
    mfma(Atom::Mfma32(Mfma::Bf16Wide), "mfma 32x32x16 bf16", Feature::MfmaWideK, ElementType::Bf16, 32),
    mfma(Atom::Mfma16(Mfma::Bf16Wide), "mfma 16x16x32 bf16", Feature::MfmaWideK, ElementType::Bf16, 16),
    mfma(Atom::Mfma32(Mfma::Bf16K1), "mfma 32x32x8 bf16", Feature::MfmaBf16K1, ElementType::Bf16, 32),
    mfma(Atom::Mfma16(Mfma::Bf16K1), "mfma 16x16x16 bf16", Feature::MfmaBf16K1, ElementType::Bf16, 16),
    mfma(Atom::Mfma32(Mfma::Bf16), "mfma 32x32x4 bf16", Feature::Mfma, ElementType::Bf16, 32),
    mfma(Atom::Mfma16(Mfma::Bf16), "mfma 16x16x8 bf16", Feature::Mfma, ElementType::Bf16, 16),
    mfma(Atom::Mfma32(Mfma::Xf32), "mfma 32x32x4 xf32", Feature::MfmaXf32, ElementType::F32, 32),
    mfma(Atom::Mfma16(Mfma::Xf32), "mfma 16x16x8 xf32", Feature::MfmaXf32, ElementType::F32, 16),
    mfma(Atom::Mfma32(Mfma::F32), "mfma 32x32x2 f32", Feature::Mfma, ElementType::F32, 32),
    mfma(Atom::Mfma16(Mfma::F32), "mfma 16x16x4 f32", Feature::Mfma, ElementType::F32, 16),
    mfma(Atom::Mfma16(Mfma::F64), "mfma 16x16x4 f64", Feature::MfmaF64, ElementType::F64, 16),
    mfma(Atom::Mfma32(Mfma::I8Wider), "mfma 32x32x32 i8", Feature::MfmaWideK, ElementType::I8, 32),
    mfma(Atom::Mfma16(Mfma::I8Wider), "mfma 16x16x64 i8", Feature::MfmaWideK, ElementType::I8, 16),
    mfma(Atom::Mfma32(Mfma::I8Wide), "mfma 32x32x16 i8", Feature::MfmaI8Wide, ElementType::I8, 32),
    mfma(Atom::Mfma16(Mfma::I8Wide), "mfma 16x16x32 i8", Feature::MfmaI8Wide, ElementType::I8, 16),
    mfma(Atom::Mfma32(Mfma::I8), "mfma 32x32x8 i8", Feature::Mfma, ElementType::I8, 32),
    mfma(Atom::Mfma16(Mfma::I8), "mfma 16x16x16 i8", Feature::Mfma, ElementType::I8, 16),
    mfma(Atom::Mfma32(Mfma::F8Fnuz), "mfma 32x32x16 f8, FNUZ", Feature::MfmaFp8Fnuz, ElementType::F8E4M3FNUZ, 32),
    mfma(Atom::Mfma16(Mfma::F8Fnuz), "mfma 16x16x32 f8, FNUZ", Feature::MfmaFp8Fnuz, ElementType::F8E4M3FNUZ, 16),
    mfma_of(Atom::Mfma32(Mfma::F8Wide), "mfma 32x32x64 f8", Feature::MfmaFp8Ocp, ElementType::F8E4M3FN, 32, 2),
    mfma_of(Atom::Mfma16(Mfma::F8Wide), "mfma 16x16x128 f8", Feature::MfmaFp8Ocp, ElementType::F8E4M3FN, 16, 2),
    mfma(Atom::Mfma32(Mfma::F8), "mfma 32x32x16 f8", Feature::MfmaFp8Ocp, ElementType::F8E4M3FN, 32),
    mfma(Atom::Mfma16(Mfma::F8), "mfma 16x16x32 f8", Feature::MfmaFp8Ocp, ElementType::F8E4M3FN, 16),
    wmma(Atom::Wmma3(Wmma::F16), "wmma 16x16x16 f16", Feature::WmmaRdna3, ElementType::F16, 1, 2),
    wmma(Atom::Wmma3(Wmma::Bf16), "wmma 16x16x16 bf16", Feature::WmmaRdna3, ElementType::Bf16, 1, 2),
    wmma(Atom::Wmma3(Wmma::I8), "wmma 16x16x16 i8", Feature::WmmaRdna3, ElementType::I8, 1, 1),
    wmma(Atom::Wmma4(Wmma::F16), "wmma 16x16x16 f16, halves", Feature::WmmaRdna4, ElementType::F16, 2, 1),
    wmma(Atom::Wmma4(Wmma::Bf16), "wmma 16x16x16 bf16, halves", Feature::WmmaRdna4, ElementType::Bf16, 2, 1),
    wmma(Atom::Wmma4(Wmma::I8), "wmma 16x16x16 i8, halves", Feature::WmmaRdna4, ElementType::I8, 2, 1),
    wmma(Atom::Wmma4(Wmma::F8), "wmma 16x16x16 f8, halves", Feature::WmmaRdna4, ElementType::F8E4M3FN, 2, 1),
    dot(Atom::Dot64(Dot::F16), "dot2 8x8 f16", ElementType::F16, [8, 8]),
    dot(Atom::Dot64(Dot::I8), "dot4 8x8 i8", ElementType::I8, [8, 8]),
    dot(Atom::Dot64(Dot::Ui8), "dot4 8x8 ui8", ElementType::Ui8, [8, 8]),
    dot(Atom::Dot32(Dot::F16), "dot2 4x8 f16", ElementType::F16, [4, 8]),
    dot(Atom::Dot32(Dot::I8), "dot4 4x8 i8", ElementType::I8, [4, 8]),
    dot(Atom::Dot32(Dot::Ui8), "dot4 4x8 ui8", ElementType::Ui8, [4, 8]),
];

impl AtomRow {
    /// An operand of this type is staged and multiplied as it is: bytes, signed or not, of either kind of f8.
    pub fn stages(&self, element: ElementType) -> bool {
        element == self.element || self.element.bits() == 8 && element.bits() == 8
    }
}

impl Atom {
    pub fn row(self) -> &'static AtomRow {
        ATOMS.iter().find(|r| r.atom == self).unwrap_or(&ATOMS[0])
    }

    /// Bytes of an element in shared memory.
    pub fn bytes(self) -> u32 {
        self.row().element.storage_bytes() as u32
    }

    /// Lanes that carry out the instruction together.
    pub fn wave(self) -> u32 {
        match self.row().lanes {
            Lanes::Quads => 32,
            Lanes::Chunks { wave, .. } => wave,
        }
    }

    /// The dot product of an atom of these.
    pub fn dot(self) -> Option<Dot> {
        match self {
            Atom::Dot64(kind) | Atom::Dot32(kind) => Some(kind),
            _ => None,
        }
    }

    /// The atoms that multiply a contraction's operands as exactly as its precision asks, best first. Split f32
    /// products are as accurate as f32 arithmetic but for Inf, NaN and the ends of the range: see [`Atom::redoes`].
    pub fn serving(form: &ContractionForm) -> Vec<Atom> {
        use Atom::{Dot32, Dot64, Mfma16, Mfma32, Wmma3, Wmma4};
        let (a, b) = (form.row_operand.element, form.column_operand.element);
        let half =
            |e: ElementType| e == ElementType::F16 || e.is_small_float() && form::widens_exactly(e, ElementType::F16);
        let byte = |e: ElementType| matches!(e, ElementType::I8 | ElementType::Ui8);
        let fnuz = |e: ElementType| matches!(e, ElementType::F8E4M3FNUZ | ElementType::F8E5M2FNUZ);
        let ocp = |e: ElementType| matches!(e, ElementType::F8E4M3FN | ElementType::F8E5M2);
        let both = |kinds: &[Mfma]| kinds.iter().flat_map(|&kind| [Mfma16(kind), Mfma32(kind)]).collect::<Vec<_>>();
        let dots = |kind: Dot| vec![Dot64(kind), Dot32(kind)];
        match form.accumulator {
            // Small floats are f16 values; some chips multiply them as they are.
            ElementType::F32 if half(a) && half(b) => {
                let eight = match (fnuz(a) && fnuz(b), ocp(a) && ocp(b)) {
                    (true, _) => both(&[Mfma::F8Fnuz]),
                    (_, true) => [both(&[Mfma::F8Wide, Mfma::F8]), vec![Wmma4(Wmma::F8)]].concat(),
                    _ => Vec::new(),
                };
                let wmma = vec![Atom::F16K16, Atom::F16K8, Atom::F16K4, Wmma3(Wmma::F16), Wmma4(Wmma::F16)];
                // Their own products are summed with some 14 bits, until they are added to f32 sums.
                let short = form.precision.is_short() && ocp(a) && ocp(b);
                let own = if short { vec![Atom::F8K32] } else { Vec::new() };
                [own, eight, wmma, both(&[Mfma::F16Wide, Mfma::F16]), dots(Dot::F16)].concat()
            }
            ElementType::F32 if a == ElementType::Bf16 && b == a => {
                let wmma = vec![Atom::Bf16K16, Wmma3(Wmma::Bf16), Wmma4(Wmma::Bf16)];
                [wmma, both(&[Mfma::Bf16Wide, Mfma::Bf16K1, Mfma::Bf16])].concat()
            }
            // Eleven bits of mantissa and fewer are tf32 values.
            ElementType::F32 if a.is_narrow_float() && b.is_narrow_float() || form.precision.is_short() => {
                [vec![Atom::Tf32], both(&[Mfma::Xf32, Mfma::F32])].concat()
            }
            ElementType::F32 => [vec![Atom::Tf32x3], both(&[Mfma::F32])].concat(),
            ElementType::F64 => vec![Atom::F64K16, Atom::F64K8, Atom::F64, Mfma16(Mfma::F64)],
            ElementType::I32 if byte(a) && byte(b) => {
                let either = vec![Atom::I8K32, Atom::I8K16, Wmma3(Wmma::I8), Wmma4(Wmma::I8)];
                match (a, b) {
                    (ElementType::I8, ElementType::I8) => {
                        [either, both(&[Mfma::I8Wider, Mfma::I8Wide, Mfma::I8]), dots(Dot::I8)].concat()
                    }
                    (ElementType::Ui8, ElementType::Ui8) => [either, dots(Dot::Ui8)].concat(),
                    _ => either,
                }
            }
            ElementType::Ui32 if a == ElementType::Ui8 && b == a => dots(Dot::Ui8),
            _ => Vec::new(),
        }
    }
}

impl Atom {
    /// Whether doubtful results must be computed again, in f32 arithmetic: a split makes NaN of Inf and of what rounds
    /// to it, and drops what is below the range of its parts.
    pub fn redoes(self, precision: Precision) -> bool {
        self == Atom::Tf32x3 && precision > Precision::Tf32x3
    }
}
