//! GEMV on processors: few rows by a long operand that is computed from bytes, as weights in blocks are.
//!
//! Input: a product or several of one domain, whose long operand has its lanes along the steps, and some numbers that
//! the lanes of a block have in common. A register tile is all rows by some columns; its sums are vectors of lanes. For
//! each block the lanes' products are added up first, then they meet the block's scale and offset (`affine`):
//! Σ x·(v·s + t) is s·Σ x·v + t·Σ x. Products of one sum with the same scale, such as those of a byte's two halves,
//! meet it together. `cpu_emit` writes it.
//!
//! Worked example: `x[1, 2048] · w[8192, 2048]`, w of 4 bits with a scale for 32, AVX2: 8 lanes, tiles of 4 columns. A
//! column's block is two loads of 8 bytes, widened to 32 bits, of which the lower and the upper halves are converted; 4
//! products; one more by the scale, which is computed ahead (`cpu_ahead`). 16 bytes take some 16 operations, where each
//! element by itself took 5 for 8.

use fornax_graph::ElementType;
use fornax_plan::schedule::{Launch, Names, Schedule};
use fornax_plan::{Body, ContractionForm, KernelPlan, NodeId, VarId};
use fornax_targets::Target;

use super::affine::{Affine, LANES_MIN, Worth};
use super::cpu_ahead::Ahead;
use super::products::{Space, Stages};
use super::schedule::points;
use crate::access::{lies_along, work};
use crate::refusal::{
    Because, MANY_OUTPUTS, NEEDS_CPU, NO_PRODUCT, NO_TILE, OPERAND_APART, OPERAND_PLAIN, PRODUCTS_APART, SHORT_COMPUTED,
};
use crate::sizing::{SHORT_MAX, cpu_items, dividing};

/// Columns of a tile, at most: each is a stream from memory.
const COLUMNS_MAX: u64 = 4;
/// Registers that sums leave to what is multiplied.
const OTHER_REGISTERS: u64 = 6;
/// Vectors of a block, at most: they are written out.
const VECTORS_MAX: u64 = 32;
/// Operations of an element of the short operand, at most: a load and a conversion. Each tile does them again.
const SHORT_WORK: u64 = 2;

/// For products on processors whose long operand is computed from bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CpuGemvSchedule {
    /// Domain variables that both operands move with.
    pub batch: Vec<VarId>,
    /// Domain variables of the short side: every tile has all of their points.
    pub short: Vec<VarId>,
    /// Domain variables of the long side, outermost first.
    pub long: Vec<VarId>,
    pub long_is_lhs: bool,
    /// Lanes along the last reduction variable, whose extent they divide.
    pub lanes: u32,
    /// Long outputs of a tile; divides their number.
    pub columns: u32,
    pub tiles_per_workgroup: u32,
}

impl CpuGemvSchedule {
    pub fn tiles(&self, plan: &KernelPlan) -> u64 {
        let columns = points(plan, &self.long) / u64::from(self.columns.max(1));
        points(plan, &self.batch).saturating_mul(columns)
    }

    /// The products of a plan, with what the lanes of a block have in common.
    pub(super) fn stages(&self, plan: &KernelPlan) -> Stages {
        let mut stages = Stages::of(plan, self.long_is_lhs);
        for space in stages.stages.iter_mut().flat_map(|stage| &mut stage.spaces) {
            let affine = |&long: &NodeId| Affine::of(&plan.exprs, long, space.inner, Worth::ON_CPU);
            space.affine = space.long.iter().map(affine).collect();
        }
        stages
    }
}

impl Schedule for CpuGemvSchedule {
    fn way(&self, _: &KernelPlan) -> String {
        let CpuGemvSchedule { lanes, columns, tiles_per_workgroup, .. } = self;
        format!("gemv lanes {lanes} columns {columns} tiles {tiles_per_workgroup}")
    }

    fn text(&self, names: &dyn Names) -> String {
        let list = |vars: &[VarId]| vars.iter().map(|&v| names.var(v)).collect::<Vec<_>>().join(", ");
        let (batch, short, long) = (list(&self.batch), list(&self.short), list(&self.long));
        let CpuGemvSchedule { lanes, columns, tiles_per_workgroup, .. } = self;
        let left = if self.long_is_lhs { "lhs" } else { "rhs" };
        format!(
            "gemv batch [{batch}] short [{short}] long {left} [{long}] lanes {lanes} columns {columns} tiles \
             {tiles_per_workgroup}"
        )
    }

    fn launch(&self, plan: &KernelPlan) -> Launch {
        ([self.tiles(plan).div_ceil(u64::from(self.tiles_per_workgroup.max(1))).max(1), 1, 1], 1)
    }

    fn points_per_thread(&self, _: &KernelPlan) -> u64 {
        u64::from(self.tiles_per_workgroup)
    }

    fn scratch_bytes(&self, plan: &KernelPlan) -> u32 {
        u32::try_from(Ahead::of(plan, self.columns, &self.stages(plan)).bytes).unwrap_or(u32::MAX)
    }
}

/// The schedule of a plan.
///
/// # Errors
/// Why it has none.
pub fn choose(plan: &KernelPlan, target: &Target) -> Result<CpuGemvSchedule, Because> {
    if target.is_gpu() {
        return Err(NEEDS_CPU.of([]));
    }
    let forms = ContractionForm::all(plan);
    let first = forms.first().ok_or_else(|| NO_PRODUCT.of([]))?;
    let rows_are_long = points(plan, &first.rows) > SHORT_MAX as u64;
    let (short, long) = if rows_are_long { (&first.columns, &first.rows) } else { (&first.rows, &first.columns) };
    let rows = points(plan, short);
    if rows > SHORT_MAX as u64 {
        return Err(MANY_OUTPUTS.of([rows as i64, SHORT_MAX]));
    }
    let alike = |form: &ContractionForm| {
        [&form.batch, &form.rows, &form.columns] == [&first.batch, &first.rows, &first.columns]
            && form.swapped == first.swapped
            && form.accumulator == ElementType::F32
    };
    if !forms.iter().all(alike) || rows == 0 || points(plan, long) == 0 {
        return Err(PRODUCTS_APART.of([]));
    }
    let width = (u64::from(target.vector_bytes) / ElementType::F32.storage_bytes() as u64).max(1);
    let mut schedule = CpuGemvSchedule {
        batch: first.batch.clone(),
        short: short.clone(),
        long: long.clone(),
        long_is_lhs: rows_are_long != first.swapped,
        lanes: 1,
        columns: 1,
        tiles_per_workgroup: 1,
    };
    let stages = schedule.stages(plan);
    let extent = |space: &Space| plan.exprs.indices.extent(space.inner).max(0) as u64;
    let lanes = stages.spaces().map(extent).fold(width, dividing);
    let few = |space: &Space| extent(space) <= VECTORS_MAX * lanes && extent(space) > 0;
    if lanes < u64::from(LANES_MIN) || !stages.spaces().all(few) {
        return Err(NO_TILE.of([]));
    }
    for space in stages.spaces() {
        check(plan, space)?;
    }
    let held = stages.stages.iter().map(|stage| stage.sums.len() as u64).max().unwrap_or(1).max(1);
    let registers = u64::from(target.max_registers_per_thread).saturating_sub(OTHER_REGISTERS);
    let columns = (registers / (held * rows)).clamp(1, COLUMNS_MAX);
    let columns = dividing(columns, points(plan, long));
    let steps: u64 = stages.spaces().map(|s| points(plan, &s.reduction) * s.terms.len() as u64).sum();
    schedule.lanes = lanes as u32;
    schedule.columns = columns as u32;
    schedule.tiles_per_workgroup = cpu_items(schedule.tiles(plan), steps * rows * columns);
    Ok(schedule)
}

/// Can a space's products be multiplied so?
fn check(plan: &KernelPlan, space: &Space) -> Result<(), Because> {
    let exprs = &plan.exprs;
    if space.affine.iter().any(Affine::is_plain) {
        return Err(OPERAND_PLAIN.of([]));
    }
    let sources = space.affine.iter().map(|affine| affine.source);
    if !sources.chain(space.short.iter().copied()).all(|node| lies_along(exprs, node, space.inner)) {
        return Err(OPERAND_APART.of([]));
    }
    let is_light = |&short: &NodeId| work(plan, &[short]) <= SHORT_WORK;
    if space.short.iter().all(is_light) { Ok(()) } else { Err(SHORT_COMPUTED.of([])) }
}

/// Whether the body is one that may have such a schedule.
pub(super) fn is_product(plan: &KernelPlan) -> bool {
    matches!(plan.body, Body::Contraction { .. } | Body::Products(_))
}
