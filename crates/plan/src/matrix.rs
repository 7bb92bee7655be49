//! Schedules of contractions on matrix instructions (`mma.sync`): the instruction, the tile of a workgroup, how warps share it.
//!
//! A workgroup computes `rows × columns` outputs of one batch, `steps` contraction steps at a time: both operands of a block of
//! steps pass through one stage of a ring in shared memory, from which warps read the fragments that the instruction wants.
//!
//! Worked example: [1000, 768]·[768, 768] bf16, tile 128 × 128 × 32, 2 × 2 warps, 4 stages: 8 × 6 workgroups of 128 threads,
//! 24 blocks; a stage is (128 + 128)·32·2 = 16,384 bytes, the ring 65,536.

use fornax_graph::ElementType;
use fornax_targets::Feature;

use crate::form::{self, ContractionForm};
use crate::kernel::KernelPlan;
use crate::precision::Precision;

/// A matrix instruction of a warp with how operands become its multiplicands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Atom {
    F16K16,
    Bf16K16,
    F16K8,
    Tf32,
    /// f32 operands as the sum of two tf32 values, three products.
    Tf32x3,
    F64K16,
    F64K8,
    F64,
    I8K32,
    I8K16,
}

/// What an atom is.
#[derive(Clone, Copy, Debug)]
pub struct AtomRow {
    pub atom: Atom,
    pub name: &'static str,
    pub feature: Feature,
    /// Element type staged in shared memory (for integers: or its unsigned form).
    pub element: ElementType,
    /// Rows, columns and steps of one instruction.
    pub shape: [u32; 3],
    /// Instructions for one product of fragments.
    pub products: u32,
}

const fn row(
    atom: Atom,
    name: &'static str,
    feature: Feature,
    element: ElementType,
    shape: [u32; 3],
    products: u32,
) -> AtomRow {
    AtomRow { atom, name, feature, element, shape, products }
}

/// All atoms; of those that serve the same operands the faster one first.
#[rustfmt::skip]
pub const ATOMS: &[AtomRow] = &[
    row(Atom::F16K16, "m16n8k16.f16", Feature::MmaF16, ElementType::F16, [16, 8, 16], 1),
    row(Atom::F16K8, "m16n8k8.f16", Feature::MmaF16K8, ElementType::F16, [16, 8, 8], 1),
    row(Atom::Bf16K16, "m16n8k16.bf16", Feature::MmaBf16, ElementType::Bf16, [16, 8, 16], 1),
    row(Atom::Tf32, "m16n8k8.tf32", Feature::MmaTf32, ElementType::F32, [16, 8, 8], 1),
    row(Atom::Tf32x3, "m16n8k8.tf32 x3", Feature::MmaTf32, ElementType::F32, [16, 8, 8], 3),
    row(Atom::F64K16, "m16n8k16.f64", Feature::MmaF64Wide, ElementType::F64, [16, 8, 16], 1),
    row(Atom::F64K8, "m16n8k8.f64", Feature::MmaF64Wide, ElementType::F64, [16, 8, 8], 1),
    row(Atom::F64, "m8n8k4.f64", Feature::MmaF64, ElementType::F64, [8, 8, 4], 1),
    row(Atom::I8K32, "m16n8k32.s8", Feature::MmaI8, ElementType::I8, [16, 8, 32], 1),
    row(Atom::I8K16, "m8n8k16.s8", Feature::MmaI8K16, ElementType::I8, [8, 8, 16], 1),
];

impl Atom {
    pub fn row(self) -> &'static AtomRow {
        ATOMS.iter().find(|r| r.atom == self).unwrap_or(&ATOMS[0])
    }

    /// Bytes of an element in shared memory.
    pub fn bytes(self) -> u32 {
        self.row().element.storage_bytes() as u32
    }

    /// The atoms that multiply a contraction's operands as exactly as its precision asks, best first. Split f32 products are as
    /// accurate as f32 arithmetic but for Inf, NaN and the ends of the range: see [`Atom::redoes`].
    pub fn serving(form: &ContractionForm) -> Vec<Atom> {
        let (a, b) = (form.row_operand.element, form.column_operand.element);
        let half =
            |e: ElementType| e == ElementType::F16 || e.is_small_float() && form::widens_exactly(e, ElementType::F16);
        let byte = |e: ElementType| matches!(e, ElementType::I8 | ElementType::Ui8);
        match form.accumulator {
            // Small floats are f16 values.
            ElementType::F32 if half(a) && half(b) => vec![Atom::F16K16, Atom::F16K8],
            ElementType::F32 if a == ElementType::Bf16 && b == a => vec![Atom::Bf16K16],
            // Eleven bits of mantissa and fewer are tf32 values.
            ElementType::F32 if a.is_narrow_float() && b.is_narrow_float() => vec![Atom::Tf32],
            ElementType::F32 if form.precision == Precision::Tf32 => vec![Atom::Tf32],
            ElementType::F32 => vec![Atom::Tf32x3],
            ElementType::F64 => vec![Atom::F64K16, Atom::F64K8, Atom::F64],
            ElementType::I32 if byte(a) && byte(b) => vec![Atom::I8K32, Atom::I8K16],
            _ => Vec::new(),
        }
    }
}

impl Atom {
    /// Whether doubtful results must be computed again, in f32 arithmetic: a split makes NaN of Inf and of what rounds to it, and drops
    /// what is below the range of its parts.
    pub fn redoes(self, precision: Precision) -> bool {
        self == Atom::Tf32x3 && precision > Precision::Tf32x3
    }
}

/// For `Body::Contraction`: matrix instructions on tiles that pass through shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MatrixSchedule {
    pub atom: Atom,
    /// Outputs of a workgroup along the rows and columns of the form, and steps of a block.
    pub rows: u32,
    pub columns: u32,
    pub steps: u32,
    /// Warps along rows and columns.
    pub down: u32,
    pub across: u32,
    /// Blocks of steps in shared memory.
    pub stages: u32,
    /// Row tiles that are numbered side by side, so that workgroups that run together share operands in the cache.
    pub group: u32,
    /// Fragments of the next steps are read while the present ones are multiplied, past the end of a block too.
    pub ahead: bool,
}

/// Elements by which rows of accumulators in shared memory are spread over the banks.
pub const PADDING: u32 = 8;

impl MatrixSchedule {
    pub fn threads(&self) -> u32 {
        32 * self.down * self.across
    }

    /// Bytes of one stage.
    pub fn stage_bytes(&self) -> u32 {
        (self.rows + self.columns) * self.steps * self.atom.bytes()
    }

    /// Rows of accumulators that pass through shared memory together on their way out.
    pub fn slab_rows(&self) -> u32 {
        self.down * self.atom.row().shape[0]
    }

    /// Shared memory of a workgroup: the ring, and the slabs of results that use it afterwards.
    pub fn shared_bytes(&self, accumulator: ElementType) -> u32 {
        let slab = self.slab_rows() * (self.columns + PADDING) * accumulator.storage_bytes() as u32;
        (self.stages * self.stage_bytes()).max(slab)
    }

    /// Tiles along rows, columns and batch.
    pub fn tiles(&self, plan: &KernelPlan, form: &ContractionForm) -> [u64; 3] {
        let points = |vars: &[crate::VarId]| form::points(&plan.exprs, vars).max(0) as u64;
        [
            points(&form.rows).div_ceil(u64::from(self.rows)),
            points(&form.columns).div_ceil(u64::from(self.columns)),
            points(&form.batch),
        ]
    }

    /// Workgroups.
    pub fn workgroups(&self, plan: &KernelPlan) -> u64 {
        ContractionForm::of(plan)
            .map_or(1, |form| self.tiles(plan, &form).iter().copied().fold(1, u64::saturating_mul))
            .max(1)
    }

    /// Whether warps, fragments and copies divide the tile.
    pub fn is_consistent(&self) -> bool {
        let row = self.atom.row();
        let [m, _, k] = row.shape;
        let bytes = self.atom.bytes();
        // Fragments are read in pairs of 8 columns (fours where an instruction has 16 bytes of steps).
        let columns = if k * bytes >= 32 { 16 } else { 32 };
        let chunk = 16 / bytes;
        let chunks = |outputs: u32| outputs * self.steps / chunk;
        self.down > 0
            && self.across > 0
            && self.stages >= 2
            && self.group > 0
            && self.threads() <= 1024
            && self.rows.is_multiple_of(self.down * m.max(16))
            && self.columns.is_multiple_of(self.across * columns)
            && self.steps.is_multiple_of(k)
            && (self.steps * bytes).is_multiple_of(16)
            && (self.steps * bytes).is_power_of_two()
            && chunks(self.rows).is_multiple_of(self.threads())
            && chunks(self.columns).is_multiple_of(self.threads())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TILE: MatrixSchedule = MatrixSchedule {
        atom: Atom::Bf16K16,
        rows: 128,
        columns: 128,
        steps: 32,
        down: 2,
        across: 2,
        stages: 4,
        group: 8,
        ahead: false,
    };

    #[test]
    fn shared_memory_holds_ring_and_slabs() {
        assert_eq!(TILE.stage_bytes(), 16384);
        assert_eq!(TILE.shared_bytes(ElementType::F32), 65536);
        assert_eq!(MatrixSchedule { stages: 2, steps: 8, ..TILE }.shared_bytes(ElementType::F32), 32 * 136 * 4);
    }

    #[test]
    fn uneven_tiles_are_refused() {
        assert!(TILE.is_consistent());
        assert!(!MatrixSchedule { columns: 136, ..TILE }.is_consistent());
        assert!(!MatrixSchedule { steps: 24, ..TILE }.is_consistent());
        assert!(!MatrixSchedule { stages: 1, ..TILE }.is_consistent());
        for row in ATOMS {
            assert_eq!(row.atom.row().name, row.name);
        }
    }
}
