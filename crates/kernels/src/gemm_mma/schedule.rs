//! The schedule of contractions on matrix instructions: the instruction, the tile of a workgroup, how warps share it,
//! the ring of stages in shared memory.

use fornax_graph::ElementType;
use fornax_plan::matrix::Lanes;
use fornax_plan::schedule::{Launch, Names, Schedule};
use fornax_plan::{Body, ContractionForm, KernelPlan, LaunchFactor, LaunchFormula, MatrixAtom, VarId, form};

/// For `Body::Contraction`: matrix instructions on tiles that pass through shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MmaSchedule {
    pub atom: MatrixAtom,
    /// Outputs of a workgroup along the rows and columns of the form, and steps of a block.
    pub rows: u32,
    pub columns: u32,
    pub steps: u32,
    /// Warps along rows and columns.
    pub down: u32,
    pub across: u32,
    /// Blocks of steps in shared memory.
    pub stages: u32,
    /// Row tiles that are numbered next to each other, so that workgroups that run together share operands in the
    /// cache.
    pub group: u32,
    /// Fragments of the next steps are read while the present ones are multiplied, past the end of a block too.
    pub ahead: bool,
}

/// Bytes between planes of chunks, of which a block has so many: threads that write neighbouring planes meet other
/// banks.
fn plane_padding(planes: u32) -> u32 {
    (128 / planes.max(1)).max(16)
}

/// Bytes from plane to plane of so many outputs: a chunk of nothing after every eight, so that threads that write
/// eighths meet other banks.
pub fn plane_bytes(outputs: u32, planes: u32) -> u32 {
    16 * (outputs + outputs / 8) + plane_padding(planes)
}

/// Elements by which rows of accumulators in shared memory are spread over the banks.
pub const PADDING: u32 = 8;

impl MmaSchedule {
    pub fn threads(&self) -> u32 {
        self.atom.wave() * self.down * self.across
    }

    /// Bytes of one stage.
    pub fn stage_bytes(&self) -> u32 {
        self.operand_bytes(self.rows) + self.operand_bytes(self.columns)
    }

    /// Bytes of a block of one operand. Chunks lie in planes, one for each 16 bytes of steps, whose starts are spread
    /// over the banks.
    pub fn operand_bytes(&self, outputs: u32) -> u32 {
        match self.atom.row().lanes {
            Lanes::Quads => outputs * self.steps * self.atom.bytes(),
            Lanes::Chunks { .. } => self.planes() * plane_bytes(outputs, self.planes()),
        }
    }

    /// Planes of chunks of a block.
    pub fn planes(&self) -> u32 {
        self.steps * self.atom.bytes() / 16
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
        let points = |vars: &[VarId]| form::points(&plan.exprs, vars).max(0) as u64;
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
        // Fragments are read in pairs of 8 columns (fours where an instruction has 16 bytes of steps), or as they are
        // multiplied.
        let columns = match row.lanes {
            Lanes::Quads if k * bytes >= 32 => 16,
            Lanes::Quads => 32,
            Lanes::Chunks { .. } => row.shape[1],
        };
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

impl Schedule for MmaSchedule {
    fn computes(&self, _: &KernelPlan) -> bool {
        true
    }

    fn way(&self, _: &KernelPlan) -> String {
        let ahead = if self.ahead { " ahead" } else { "" };
        format!(
            "mma {} {}x{}x{} warps {}x{} stages {} group {}{ahead}",
            self.atom.row().name,
            self.rows,
            self.columns,
            self.steps,
            self.down,
            self.across,
            self.stages,
            self.group
        )
    }

    fn text(&self, _: &dyn Names) -> String {
        format!(
            "mma {} tile {} x {} x {} warps {} x {} stages {} group {}{}",
            self.atom.row().name,
            self.rows,
            self.columns,
            self.steps,
            self.down,
            self.across,
            self.stages,
            self.group,
            if self.ahead { " ahead" } else { "" }
        )
    }

    fn launch(&self, plan: &KernelPlan) -> Launch {
        ([self.workgroups(plan), 1, 1], self.threads())
    }

    fn launch_formula(&self, plan: &KernelPlan) -> Option<LaunchFormula> {
        let form = ContractionForm::of(plan)?;
        let factor = |vars: Vec<VarId>, step: u32| LaunchFactor::of(vars, u64::from(step));
        let factors = vec![factor(form.rows, self.rows), factor(form.columns, self.columns), factor(form.batch, 1)];
        Some(LaunchFormula { factors, per_group: 1, most: None })
    }

    fn points_per_thread(&self, _: &KernelPlan) -> u64 {
        u64::from(self.rows) * u64::from(self.columns) / u64::from(self.threads().max(1))
    }

    fn dynamic_shared_bytes(&self, plan: &KernelPlan) -> u32 {
        match &plan.body {
            Body::Contraction { accumulator, .. } => self.shared_bytes(*accumulator),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TILE: MmaSchedule = MmaSchedule {
        atom: MatrixAtom::Bf16K16,
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
        assert_eq!(MmaSchedule { stages: 2, steps: 8, ..TILE }.shared_bytes(ElementType::F32), 32 * 136 * 4);
    }

    #[test]
    fn uneven_tiles_are_refused() {
        assert!(TILE.is_consistent());
        assert!(!MmaSchedule { columns: 136, ..TILE }.is_consistent());
        assert!(!MmaSchedule { steps: 24, ..TILE }.is_consistent());
        assert!(!MmaSchedule { stages: 1, ..TILE }.is_consistent());
        for row in fornax_plan::matrix::ATOMS {
            assert_eq!(row.atom.row().name, row.name);
        }
    }
}
