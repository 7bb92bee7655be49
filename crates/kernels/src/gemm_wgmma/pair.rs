//! Two products of the same rows in one kernel: gate and up projections.
//!
//! Input: a `Body::Products` of two sums, one product each, whose left operand and steps are the same. Output: the
//! schedule of one product whose tile has columns of both: a stage holds so many columns of the one operand and as many
//! of the other, one instruction multiplies all, and the epilogue finds the second sum in the second half of its
//! registers. The rows are fetched once, and neither product is stored.
//!
//! Sums of 8-bit floats are added up in registers, both of them (`promote`): half as many columns a tile.
//!
//! Worked example: `silu(x·W)·(x·V)`, [1024, 2048] by [2048, 8192] bf16: tiles of 128 × 128 outputs, stages of 16 + 2 ·
//! 16 KiB, instructions of 256 columns: 512 tiles in four rounds.

use fornax_plan::form::points;
use fornax_plan::{Body, ContractionForm, KernelPlan, Product};
use fornax_targets::Target;

use super::candidates as wgmma;
use super::candidates::{Fetched, Side};
use super::maps::{self, Cut};
use super::schedule::{BOX_ROW_BYTES, Cover, ProductGroup, WgmmaSchedule};
use super::shapes::{self, Shape};
use crate::collapse::collapse;
use crate::refusal::{Because, NO_TENSOR_COPY, NO_TILE, NO_WGMMA, NO_WGMMA_TYPES, PRODUCTS_APART};

/// Sums of a pair.
const SUMS: u32 = 2;

/// What both products are made of.
struct Pair {
    form: ContractionForm,
    rows: Side,
    columns: [Side; 2],
    steps: Vec<Cover>,
    /// Blocks' sums that are added up in registers: those of 8-bit floats.
    products: Vec<ProductGroup>,
}

/// The cheapest schedule of two products, with the plan's tensor maps set, and its cycles by the model.
///
/// # Errors
/// Why there is none.
pub fn choose(plan: &mut KernelPlan, target: &Target) -> Result<(WgmmaSchedule, f64), Because> {
    let (pair, cuts) = cuts(plan, target)?;
    let cut = cuts.into_iter().next().ok_or_else(|| NO_TILE.of([]))?;
    let cycles = cut.cost.cycles as f64;
    let schedule = pair.build(plan, cut, target).ok_or_else(|| NO_TENSOR_COPY.of([]))?;
    Ok((schedule, cycles))
}

/// All schedules of such a plan with their cycles, the cheapest by the model first: what a tuner may try.
pub fn candidates(plan: &KernelPlan, target: &Target) -> Vec<(u64, KernelPlan)> {
    let Ok((pair, cuts)) = cuts(plan, target) else { return Vec::new() };
    let build = |cut: Cut| {
        let (mut plan, cycles) = (plan.clone(), cut.cost.cycles);
        let schedule = pair.build(&mut plan, cut, target)?;
        plan.set_schedule(schedule);
        Some((cycles, plan))
    };
    cuts.into_iter().filter_map(build).collect()
}

/// Every tile that both products can have, the cheapest first.
fn cuts(plan: &KernelPlan, target: &Target) -> Result<(Pair, Vec<Cut>), Because> {
    if !wgmma::is_known(target) {
        return Err(NO_WGMMA.of([]));
    }
    let pair = Pair::of(plan)?;
    let mut cuts: Vec<Cut> =
        shapes::SHAPES.iter().chain(shapes::PAIR_SHAPES).filter_map(|&whole| pair.cut(plan, whole, target)).collect();
    cuts.sort_by_key(|cut| cut.cost.cycles);
    Ok((pair, cuts))
}

/// Whether one kernel is predicted to take less than one for each product, whose rows may be fewer loops.
pub fn pays(plan: &KernelPlan, target: &Target) -> bool {
    let Body::Products(products) = &plan.body else { return false };
    let Ok((_, cycles)) = choose(&mut plan.clone(), target) else { return false };
    let Some(Product { reduction, lhs, rhs }) = products.all().next().cloned() else { return false };
    let (accumulator, precision, stores) = (products.accumulator, products.precision, products.stores.clone());
    let mut alone = plan.clone();
    alone.body = Body::Contraction { reduction, lhs, rhs, accumulator, precision, stores };
    collapse(&mut alone);
    wgmma::cycles(&alone, target).is_some_and(|alone| cycles < (alone * u64::from(SUMS)) as f64)
}

impl Pair {
    fn of(plan: &KernelPlan) -> Result<Pair, Because> {
        let apart = || PRODUCTS_APART.of([]);
        let Body::Products(products) = &plan.body else { return Err(apart()) };
        let forms = ContractionForm::all(plan);
        let ([first, second], true) = (forms.as_slice(), plan.has_static_loops()) else {
            return Err(apart());
        };
        let alike = products.sums.len() == SUMS as usize
            && first.row_operand.node == second.row_operand.node
            && (&first.rows, &first.columns, &first.steps) == (&second.rows, &second.columns, &second.steps);
        if !alike {
            return Err(apart());
        }
        for form in [first, second] {
            wgmma::known(form).ok_or_else(|| NO_WGMMA_TYPES.of([]))?;
        }
        let operands = [
            (&first.row_operand, &first.rows[..]),
            (&first.column_operand, &first.columns[..]),
            (&second.column_operand, &second.columns[..]),
        ];
        let [rows, left, right] = wgmma::fetched(plan, first, operands).ok_or_else(|| NO_TENSOR_COPY.of([]))?;
        if rows.computed.is_some() || left.computed.is_some() != right.computed.is_some() {
            return Err(NO_TENSOR_COPY.of([]));
        }
        let step = wgmma::common_step(plan, first).ok_or_else(apart)?;
        let side = |source, outputs| {
            wgmma::side(source, outputs, step).filter(|s| !s.needs_registers()).ok_or_else(|| NO_TENSOR_COPY.of([]))
        };
        let rows = side(rows, &first.rows)?;
        let columns = [side(left, &first.columns)?, side(right, &first.columns)?];
        if columns[0].major != columns[1].major {
            return Err(NO_TENSOR_COPY.of([]));
        }
        let block = BOX_ROW_BYTES / rows.source.element.storage_bytes().max(1) as u32;
        let moves = first.steps.iter().filter(|&&v| v == step || plan.exprs.indices.extent(v) > 1);
        let steps = moves.map(|&var| Cover { var, count: if var == step { block } else { 1 } }).collect();
        let products = wgmma::groups(first);
        Ok(Pair { form: first.clone(), rows, columns, steps, products })
    }

    /// The schedule of a cut, with the plan's tensor maps set.
    fn build(&self, plan: &mut KernelPlan, cut: Cut, target: &Target) -> Option<WgmmaSchedule> {
        let covers = cut.column_covers.clone();
        let mut schedule = maps::build(plan, &self.form, cut, self.products.clone(), target)?;
        let mut all = std::mem::take(&mut plan.tensor_maps);
        let second = maps::operand(plan, &self.columns[1], &covers, &self.steps, &mut all);
        plan.tensor_maps = all;
        schedule.second = Some(second?);
        Some(schedule)
    }

    /// The tile of half the columns of a shape.
    fn cut(&self, plan: &KernelPlan, whole: Shape, target: &Target) -> Option<Cut> {
        let shape = Shape { columns: whole.columns / SUMS, ..whole };
        let row_covers = wgmma::covers(plan, &self.rows, &self.steps, shape.rows)?;
        let [column_covers, second] =
            self.columns.each_ref().map(|side| wgmma::covers(plan, side, &self.steps, shape.columns));
        let column_covers = column_covers.filter(|covers| second.as_ref() == Some(covers))?;
        let both = [wgmma::tiles(plan, &row_covers), wgmma::tiles(plan, &column_covers)];
        let [left, right] = self.columns.each_ref();
        let sides = [(&self.rows, shape.rows), (left, shape.columns), (right, shape.columns)];
        let Fetched { bytes: fetched, expanded, needs } = Fetched::of(plan, &self.form, &sides)?;
        let bytes = |side| wgmma::bytes(plan, &self.form, side);
        let columns = self.columns.iter().map(bytes).sum();
        let product = shapes::Product {
            tiles: both[0] * both[1] * points(&plan.exprs, &self.form.batch).max(1) as u64,
            blocks: wgmma::tiles(plan, &self.steps),
            stage_bytes: u64::from(whole.rows + whole.columns) * u64::from(BOX_ROW_BYTES),
            fetched,
            expanded,
            needs,
            is_plain: self.steps.len() == 1,
            absent: maps::absent(plan, (&self.rows, both[0]), shape.rows)
                + u64::from(SUMS) * maps::absent(plan, (left, both[1]), shape.columns),
            bytes: plan.bytes_moved(),
            again: shapes::read_again((bytes(&self.rows), both[0]), (columns, both[1])),
            element: self.rows.source.element,
            products: self.products.len() as u64,
            in_terms: false,
            stored_columns: shape.columns,
            stores_across: wgmma::stores_along(plan, &self.columns[0].outputs),
        };
        let cost = shapes::cost(whole, 1, &product, target)?;
        let (rows, columns, steps) = (self.rows.clone(), self.columns[0].clone(), self.steps.clone());
        Some(Cut { rows, columns, swapped: false, row_covers, column_covers, steps, shape, split: 1, cost })
    }
}
