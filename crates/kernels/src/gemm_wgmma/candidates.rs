//! Contractions by warpgroups: what is eligible, and the choice of sides, tiles and copies.
//!
//! Input: a collapsed contraction plan on a target with warpgroup multiply and bulk tensor copies. Output: a
//! [`WgmmaSchedule`] and the plan's tensor maps, or `None`, and other programs do the work. Operands are fetched
//! from where they lie (`sources::direct`) or, where that pays, from copies made before (for operands of two types in
//! one that holds both). The copy engine gives zeros outside and clips what it writes, so extents may be anything.
//!
//! Worked example: [1000, 1032]·[1032, 520] bf16: A's map is [1032, 1000] with boxes of {64 steps, 128 rows}; B's [520,
//! 1032] with boxes of {64 columns, 64 steps}; the result's [520, 1000] with boxes {64, 64}. `[1000, 1030]` starts its
//! rows at 2060 bytes: it is copied to rows of 1088 first.

use crate::access::{Load, loads};
use crate::family::Rival;
use crate::gemm_wgmma::schedule::BOX_ROW_BYTES;
use crate::gemm_wgmma::schedule::{Cover, ProductGroup, WgmmaSchedule};
use fornax_emit::blocks::hopper::wgmma::Major;
use fornax_emit::blocks::tile_schedule::TileSchedule;
use fornax_graph::ElementType;
use fornax_plan::form::{ContractionForm, Operand, points, widens_exactly};
use fornax_plan::walk::Reached;
use fornax_plan::{Access, Buffer, KernelPlan, Node, Precision, Store, VarId};
use fornax_targets::fitted::gemm_mma::{FED_FACTOR, TERMS_FACTOR};
use fornax_targets::{Feature, Target};

use super::expanded::{self, Needs};
use super::maps::{self, Cut};
use super::shapes::{self, Copied, Product};
use super::sources::{self, Copy, Source, TERM_EXPONENT};
use crate::refusal::{
    Because, COPY_DEARER, NO_PRODUCT, NO_TENSOR_COPY, NO_TILE, NO_WGMMA, NO_WGMMA_TYPES, SIZE_OF_ONE,
};

/// Dimensions of a tensor map, at most.
pub const DIMENSIONS_MAX: usize = 5;
/// Elements of a box along a dimension, at most.
pub const BOX_MAX: u32 = 256;
/// Outputs of a box of a staged store.
pub const BOX_OUTPUTS: u32 = 64;

/// Operand types that are multiplied with each other, and into what.
const PRODUCTS: &[(ElementType, ElementType, ElementType)] = &[
    (ElementType::Bf16, ElementType::Bf16, ElementType::F32),
    (ElementType::F16, ElementType::F16, ElementType::F32),
    (ElementType::F8E4M3FN, ElementType::F8E4M3FN, ElementType::F32),
    (ElementType::F8E4M3FN, ElementType::F8E5M2, ElementType::F32),
    (ElementType::F8E5M2, ElementType::F8E4M3FN, ElementType::F32),
    (ElementType::F8E5M2, ElementType::F8E5M2, ElementType::F32),
    (ElementType::I8, ElementType::I8, ElementType::I32),
    (ElementType::Ui8, ElementType::Ui8, ElementType::I32),
    (ElementType::I8, ElementType::Ui8, ElementType::I32),
    (ElementType::Ui8, ElementType::I8, ElementType::I32),
];

/// Products of terms, small ones first: those of two residuals (two of them only where asked for), of a residual and a
/// value, of values.
const RESIDUALS: &[(u32, u32)] = &[(1, 1)];
const ALL_RESIDUALS: &[(u32, u32)] = &[(2, 2), (1, 2), (2, 1), (1, 1)];
const MIXED: &[(u32, u32)] = &[(0, 2), (2, 0), (0, 1), (1, 0)];
const VALUES: &[(u32, u32)] = &[(0, 0)];

/// A side of the product, seen as boxes.
#[derive(Clone, Debug)]
pub struct Side {
    pub source: Source,
    /// Variables of its outputs, outermost first.
    pub outputs: Vec<VarId>,
    pub major: Major,
    /// The contiguous variable: a step's or an output's.
    pub inner: VarId,
}

impl Side {
    /// Only as the rows of a tile, through registers: outputs of 32 bits lie along its rows.
    pub fn needs_registers(&self) -> bool {
        self.major == Major::Outputs && self.source.element.storage_bytes() == 4
    }

    /// Outputs of a box whose rows lie along the outputs.
    pub fn box_outputs(&self) -> u32 {
        BOX_ROW_BYTES / self.source.element.storage_bytes().max(1) as u32
    }
}

/// Schedules that are named with their cycles.
const COSTS_SHOWN: usize = 8;

/// A schedule, and the copies that run before it.
pub struct Prepared {
    pub schedule: WgmmaSchedule,
    pub copies: Vec<Copy>,
}

/// The schedule of a plan whose operands are fetched from where they lie, with the plan's tensor maps set, and its
/// cycles by the model.
///
/// # Errors
/// Why there is none.
pub fn choose(plan: &mut KernelPlan, target: &Target, rival: Rival<'_>) -> Result<(WgmmaSchedule, f64), Because> {
    let (form, all) = in_place(plan, target)?;
    let no_tile = || NO_TILE.of([]);
    let cut = all.into_iter().min_by_key(|cut| cut.cost.cycles).ok_or_else(no_tile)?;
    if cut.rows.needs_registers() && plan.has_static_loops() {
        // Warps' matrix instructions read such operands too.
        let product = weighed(plan, &form, cut.cost.cycles, 0).ok_or_else(no_tile)?;
        let fed = rival(plan, target).map(|cycles| cycles * FED_FACTOR);
        if !shapes::copies_pay(&product, fed, target) {
            return Err(COPY_DEARER.of([cut.cost.cycles as i64]));
        }
    }
    let (products, cycles) = (groups(&form), cut.cost.cycles as f64);
    let schedule = maps::build(plan, &form, cut, products, target).ok_or_else(|| NO_TENSOR_COPY.of([]))?;
    Ok((schedule, cycles))
}

/// Cycles of the cheapest schedule of such a plan.
pub fn cycles(plan: &KernelPlan, target: &Target) -> Option<u64> {
    in_place(plan, target).ok()?.1.iter().map(|cut| cut.cost.cycles).min()
}

/// All schedules of such a plan, the cheapest by the model first: what a tuner may try.
pub fn candidates(plan: &KernelPlan, target: &Target) -> Vec<KernelPlan> {
    let Ok((form, mut all)) = in_place(plan, target) else { return Vec::new() };
    all.sort_by_key(|cut| cut.cost.cycles);
    let build = |cut| {
        let mut plan = plan.clone();
        let schedule = maps::build(&mut plan, &form, cut, groups(&form), target)?;
        plan.set_schedule(schedule);
        Some(plan)
    };
    all.into_iter().filter_map(build).collect()
}

/// Names of the cheapest schedules of such a plan, with their cycles by the model.
pub fn costs(plan: &KernelPlan, target: &Target) -> Vec<(String, u64)> {
    let Ok((form, mut all)) = in_place(plan, target) else { return Vec::new() };
    all.sort_by_key(|cut| cut.cost.cycles);
    let named = |cut: Cut| {
        let (mut own, cycles) = (plan.clone(), cut.cost.cycles);
        let schedule = maps::build(&mut own, &form, cut, groups(&form), target)?;
        own.set_schedule(schedule);
        Some((own.way(), cycles))
    };
    all.into_iter().take(COSTS_SHOWN).filter_map(named).collect()
}

/// Every way to cut a product whose operands are fetched from where they lie.
fn in_place(plan: &KernelPlan, target: &Target) -> Result<(ContractionForm, Vec<Cut>), Because> {
    if !is_known(target) {
        return Err(NO_WGMMA.of([]));
    }
    let form = ContractionForm::of(plan).ok_or_else(|| NO_PRODUCT.of([]))?;
    known(&form).ok_or_else(|| NO_WGMMA_TYPES.of([]))?;
    // A size that may only be 0 or 1 is neither left out nor cut.
    let indices = &plan.exprs.indices;
    let vars = || plan.domain.iter().chain(&form.steps);
    if vars().any(|&v| indices.run_extent(v).is_some() && indices.extent(v) < 2) {
        return Err(SIZE_OF_ONE.of([]));
    }
    let operands = [(&form.row_operand, &form.rows[..]), (&form.column_operand, &form.columns[..])];
    let [rows, columns] = fetched(plan, &form, operands).ok_or_else(|| NO_TENSOR_COPY.of([]))?;
    let likely = maps::likely(plan);
    let all = all_cuts(&likely, &form, [rows, columns], &groups(&form), target);
    let mut all = all.ok_or_else(|| NO_TILE.of([]))?;
    // A cluster's shares of a tile are laid out for one tile each.
    all.retain(|cut| cut.split == 1 || plan.has_static_loops());
    Ok((form, all))
}

/// Operands, with their outputs, where they lie; the last or the first of them may be computed instead.
pub(super) fn fetched<const N: usize>(
    plan: &KernelPlan,
    form: &ContractionForm,
    operands: [(&Operand, &[VarId]); N],
) -> Option<[Source; N]> {
    let direct = |operand: &Operand| sources::direct(plan, operand).filter(Source::is_aligned);
    let some = operands.iter().any(|(operand, _)| direct(operand).is_some());
    let source = |(operand, outputs): (&Operand, &[VarId])| {
        direct(operand).or_else(|| expanded::source(plan, form, (operand, outputs)).filter(|_| some))
    };
    let all: Vec<Source> = operands.into_iter().map(source).collect::<Option<_>>()?;
    all.try_into().ok()
}

/// The schedule of a plan whose operands must be copied first, where that pays; the plan gets the buffers of the
/// copies. `constants` tells of the plan's buffers which are the same in every call: copies of those alone are made
/// when the module is loaded.
pub fn prepare(plan: &mut KernelPlan, target: &Target, constants: &[bool], rival: Rival<'_>) -> Option<Prepared> {
    let form = form(plan, target)?;
    let own = known(&form).is_some();
    let common = if own { None } else { common(&form) };
    let split = !own && common.is_none();
    if split && !splits(&form) {
        return None;
    }
    let step = common_step(plan, &form)?;
    let (mut sources, mut copies, mut bytes) = (Vec::new(), Vec::new(), 0);
    let both = [(&form.row_operand, &form.rows), (&form.column_operand, &form.columns)];
    let mut direct = both.map(|(operand, outputs)| {
        sources::direct(plan, operand)
            .filter(|source| own || common == Some(source.element))
            .filter(|source| source.is_aligned() && side(source.clone(), outputs, step).is_some())
    });
    if let [Some(rows), Some(columns)] = &direct {
        let wide = |source: &Source, outputs| side(source.clone(), outputs, step).is_some_and(|s| s.needs_registers());
        if !wide(rows, &form.rows) || !wide(columns, &form.columns) {
            return None;
        }
        // One of them goes through registers, the other, the smaller one, is copied.
        let smaller = usize::from(points(&plan.exprs, &form.columns) < points(&plan.exprs, &form.rows));
        direct[smaller] = None;
    }
    for ((operand, outputs), direct) in both.into_iter().zip(direct) {
        if let Some(source) = direct {
            sources.push(source);
            continue;
        }
        let element = if own { Some(operand.element) } else { common };
        let order = order(plan, &form, operand, (outputs, step), element);
        let buffer = (plan.buffers.len() + copies.len()) as u32;
        let (source, copy) = sources::copied(plan, operand, &order, buffer, element)?;
        bytes += if is_constant(plan, operand, constants) { 0 } else { copy.bytes };
        sources.push(source);
        copies.push(copy);
    }
    let products = groups(&form);
    let [rows, columns] = <[Source; 2]>::try_from(sources).ok()?;
    let all = all_cuts(plan, &form, [rows, columns], &products, target)?;
    let cut = all.into_iter().min_by_key(|cut| cut.cost.cycles)?;
    // Products of terms err about as much as what they are weighed against. What threads multiply, because it is
    // cheaper than warps' instructions, is weighed against threads; so are convolutions, of which nothing was measured.
    let by_threads = split && (plan.schedule_as::<TileSchedule>().is_some() || form.steps.len() > 1);
    let fed = rival(plan, target).filter(|_| !by_threads);
    let fed = fed.map(|cycles| cycles * if split { TERMS_FACTOR } else { FED_FACTOR });
    // Who asks for bf16 parts by name gets them.
    let asked = split && form.precision == Precision::Bf16x9;
    let product = weighed(plan, &form, cut.cost.cycles, bytes)?;
    if !asked && !shapes::copies_pay(&product, fed, target) {
        return None;
    }
    for copy in &copies {
        let written = copy.plan.buffers.last()?;
        plan.buffers.push(Buffer { access: Access::Read, ..written.clone() });
    }
    let schedule = maps::build(plan, &form, cut, products, target)?;
    Some(Prepared { schedule, copies })
}

/// What tells whether a product of so many cycles, with so many bytes copied before, pays.
pub(super) fn weighed(plan: &KernelPlan, form: &ContractionForm, cycles: u64, copied: u64) -> Option<Copied> {
    let work = [&form.batch, &form.rows, &form.columns, &form.steps].map(|v| points(&plan.exprs, v).max(1) as u64);
    let pairs = work.iter().try_fold(1u64, |n, &p| n.checked_mul(p))?;
    let outputs = work[..3].iter().product::<u64>();
    let stored = |s: &Store| plan.buffers.get(s.buffer as usize).map_or(0, |b| b.element.storage_bytes() as u64);
    let results = outputs.saturating_mul(plan.body.stores().iter().map(stored).sum());
    let operands = plan.bytes_moved().saturating_sub(results);
    Some(Copied { cycles, copied, operands, results, pairs })
}

/// All that the operand loads is the same in every call.
fn is_constant(plan: &KernelPlan, operand: &Operand, constants: &[bool]) -> bool {
    let reached = Reached::from(&plan.exprs, [operand.narrow], &[]);
    reached.nodes.iter().all(|&node| match plan.exprs.node(node) {
        Node::Load { buffer, .. } => constants.get(*buffer as usize).copied().unwrap_or(false),
        _ => true,
    })
}

/// Whether warpgroups would compute an operand of a product.
pub fn expands(plan: &KernelPlan) -> bool {
    let Some(form) = ContractionForm::of(plan) else { return false };
    [(&form.row_operand, &form.rows), (&form.column_operand, &form.columns)]
        .into_iter()
        .any(|(operand, outputs)| expanded::source(plan, &form, (operand, outputs)).is_some())
}

fn form(plan: &KernelPlan, target: &Target) -> Option<ContractionForm> {
    is_known(target).then(|| ContractionForm::of(plan)).flatten()
}

/// Whether a target has such instructions.
pub fn is_known(target: &Target) -> bool {
    let has = |feature| target.has(feature);
    has(Feature::Wgmma) && has(Feature::Tma) && has(Feature::StMatrix) && has(Feature::SetMaxRegisters)
}

/// The operands' types have an instruction, and one that is as accurate as asked for.
pub(super) fn known(form: &ContractionForm) -> Option<()> {
    let pair = (form.row_operand.element, form.column_operand.element, form.accumulator);
    let tf32 = (ElementType::F32, ElementType::F32, ElementType::F32);
    let fits = match PRODUCTS.contains(&pair) {
        true => form.precision.is_short() || !eight(&form.row_operand),
        false => form.precision.is_short() && pair == tf32,
    };
    fits.then_some(())
}

/// 8-bit floats: the matrix unit keeps their sums to some 14 bits.
fn eight(operand: &Operand) -> bool {
    operand.element.is_float() && operand.element.storage_bytes() == 1
}

/// A type of 16 bits that has an instruction and holds all values of both operands, one of which must be copied to it:
/// f8 by bf16, i8 by f16.
fn common(form: &ContractionForm) -> Option<ElementType> {
    let holds = |element: &ElementType| {
        [&form.row_operand, &form.column_operand].iter().all(|o| widens_exactly(o.element, *element))
    };
    let sixteen = [ElementType::Bf16, ElementType::F16].into_iter().find(holds);
    sixteen.filter(|_| form.accumulator == ElementType::F32)
}

/// f32 products that must keep their digits; either operand may be narrower.
fn splits(form: &ContractionForm) -> bool {
    form.accumulator == ElementType::F32 && !form.precision.is_short()
}

/// Products whose sums are added up in registers: of the terms of f32 values, and of 8-bit floats as they are.
pub(super) fn groups(form: &ContractionForm) -> Vec<ProductGroup> {
    let group =
        |terms: &[(u32, u32)], factors| ProductGroup { terms: terms.to_vec(), exponent: -TERM_EXPONENT * factors };
    if known(form).is_some() {
        // Whoever asks for imprecise sums gets the matrix unit's.
        let apart = eight(&form.row_operand) && form.precision != Precision::ShortSums;
        return if apart { vec![group(VALUES, 0)] } else { Vec::new() };
    }
    if common(form).is_some() {
        return Vec::new();
    }
    let residuals = if form.precision == Precision::Bf16x9 { ALL_RESIDUALS } else { RESIDUALS };
    vec![group(residuals, 2), group(MIXED, 1), group(VALUES, 0)]
}

/// The contraction variable that blocks lie along: contiguous in an operand, in the row operand where both have one as
/// long, else the longest. Weights [out, in, ky, kx] are contiguous along kx, of 3 elements; the image's channels win.
pub(super) fn common_step(plan: &KernelPlan, form: &ContractionForm) -> Option<VarId> {
    let indices = &plan.exprs.indices;
    let contiguous = |operand: &Operand, var: VarId| {
        operand.load.is_some_and(|l| indices.extent(var) > 1 && indices.stride(l.offset, var) == Some(1))
    };
    let of = |operand| form.steps.iter().copied().find(|&v| contiguous(operand, v));
    let found = [&form.column_operand, &form.row_operand].into_iter().filter_map(of);
    let longest = |vars: &mut dyn Iterator<Item = VarId>| vars.max_by_key(|&v| indices.extent(v));
    longest(&mut found.into_iter()).or_else(|| longest(&mut form.steps.iter().copied()))
}

/// Dimensions of an operand's copy, outermost first: along its outputs inside where it is so already and may be, else
/// along the steps. The copy is of type `element`, or of terms.
fn order(
    plan: &KernelPlan,
    form: &ContractionForm,
    operand: &Operand,
    (outputs, step): (&[VarId], VarId),
    element: Option<ElementType>,
) -> Vec<VarId> {
    let exprs = &plan.exprs;
    let moves = |vars: &[VarId]| -> Vec<VarId> {
        vars.iter().copied().filter(|&v| exprs.node_varies(operand.narrow, v)).collect()
    };
    let last = |mut vars: Vec<VarId>, var: VarId| {
        vars.retain(|&v| v != var);
        vars.push(var);
        vars
    };
    let (batch, outputs, steps) = (moves(&form.batch), moves(outputs), last(moves(&form.steps), step));
    let loads = loads(exprs, &[operand.narrow]);
    let is_matrix = |l: &Load| form.steps.iter().any(|&s| exprs.index_varies(l.offset, s));
    let along = |l: &Load, v| exprs.indices.stride(l.offset, v) == Some(1) && is_matrix(l);
    let inner = outputs.iter().copied().find(|&v| exprs.indices.extent(v) > 1 && loads.iter().any(|l| along(l, v)));
    // Terms are of 16 bits.
    let sixteen = element.is_none_or(|e| e.storage_bytes() == 2);
    match inner.filter(|_| sixteen) {
        Some(inner) => [batch, steps, last(outputs, inner)].concat(),
        None => [batch, outputs, steps].concat(),
    }
}

/// A source as a side; `None` where its layout does not suit the instruction.
pub(super) fn side(source: Source, outputs: &[VarId], step: VarId) -> Option<Side> {
    let inner = source.inner()?;
    let major = if inner == step { Major::Steps } else { Major::Outputs };
    let sixteen = source.element.storage_bytes() == 2;
    let wide = source.element == ElementType::F32;
    let fits = major == Major::Steps || (sixteen || wide) && outputs.contains(&inner);
    fits.then(|| Side { source, outputs: outputs.to_vec(), major, inner })
}

/// Every way to cut the product into tiles.
fn all_cuts(
    plan: &KernelPlan,
    form: &ContractionForm,
    [rows, columns]: [Source; 2],
    products: &[ProductGroup],
    target: &Target,
) -> Option<Vec<Cut>> {
    let inner_step = |source: &Source| source.inner().filter(|inner| form.steps.contains(inner));
    let step = match (inner_step(&rows), inner_step(&columns)) {
        (Some(a), Some(b)) => (a == b).then_some(a)?,
        (one, other) => one.or(other).or_else(|| common_step(plan, form))?,
    };
    let block = BOX_ROW_BYTES / rows.element.storage_bytes().max(1) as u32;
    let moving = form.steps.iter().filter(|&&v| v == step || plan.exprs.indices.extent(v) > 1);
    let steps: Vec<Cover> = moving.map(|&var| Cover { var, count: if var == step { block } else { 1 } }).collect();
    let (rows, columns) = (side(rows, &form.rows, step)?, side(columns, &form.columns, step)?);
    let steps = spread_steps(plan, [&rows, &columns], steps);
    let straight = Sides { rows: &rows, columns: &columns, swapped: false };
    let swapped = Sides { rows: &columns, columns: &rows, swapped: true };
    Some([straight, swapped].into_iter().flat_map(|sides| cuts(plan, form, sides, &steps, products, target)).collect())
}

/// A block's steps over several variables where fewer blocks have them all: those of a convolution's gradient are
/// pixels and images, all of them apart in memory. 14 × 14 pixels of 32 images are 196 blocks of 64 images, half of
/// which do not exist, or 98 of two pixels of 32.
///
/// Only where neither operand is contiguous along a step. A step that does not exist is zero in both operands, so that
/// no NaN meets it: a variable that is a place of its own in both may end within a block, others are divided evenly.
fn spread_steps(plan: &KernelPlan, sides: [&Side; 2], steps: Vec<Cover>) -> Vec<Cover> {
    let block: u32 = steps.iter().map(|c| c.count).product();
    if sides.iter().any(|side| side.major == Major::Steps) || !plan.has_static_loops() {
        return steps;
    }
    let extent = |var: VarId| plan.exprs.indices.extent(var);
    let is_place = |side: &&Side, var| side.source.dimensions.iter().any(|d| d.var() == Some(var));
    let moves = |side: &&Side, var| side.source.dimensions.iter().any(|d| d.coefficient(var).is_some());
    let suits = |c: &Cover| {
        let even = extent(c.var) % i64::from(c.count) == 0 && sides.iter().all(|side| moves(side, c.var));
        c.count == 1 || even || sides.iter().all(|side| is_place(side, c.var))
    };
    let vars: Vec<VarId> = steps.iter().map(|c| c.var).collect();
    let mut all = Vec::new();
    spreads(&vars, block, &mut Vec::new(), &mut all);
    let fits = |covers: &Vec<Cover>| {
        covers.iter().all(suits) && sides.iter().all(|side| maps::boxes(plan, side, &[], covers).is_some())
    };
    let spread = all.into_iter().filter(fits).min_by_key(|covers| tiles(plan, covers));
    spread.filter(|covers| tiles(plan, covers) < tiles(plan, &steps)).unwrap_or(steps)
}

/// The operands as the instruction takes them.
struct Sides<'a> {
    rows: &'a Side,
    columns: &'a Side,
    /// The rows are the product's columns.
    swapped: bool,
}

/// All tile shapes that a pair of sides admits, with their cost.
fn cuts(
    plan: &KernelPlan,
    form: &ContractionForm,
    Sides { rows, columns, swapped }: Sides<'_>,
    steps: &[Cover],
    products: &[ProductGroup],
    target: &Target,
) -> Vec<Cut> {
    let mut found = Vec::new();
    if columns.needs_registers() {
        return found;
    }
    for &shape in shapes::SHAPES {
        let (Some(row_covers), Some(column_covers)) =
            (covers(plan, rows, steps, shape.rows), covers(plan, columns, steps, shape.columns))
        else {
            continue;
        };
        let sides = [(rows, shape.rows), (columns, shape.columns)];
        let Some(fetched) = Fetched::of(plan, form, &sides) else { continue };
        let Fetched { bytes: fetched, expanded, needs } = fetched;
        let terms = u64::from(rows.source.terms);
        let both = [tiles(plan, &row_covers), tiles(plan, &column_covers)];
        let product = Product {
            tiles: both[0] * both[1] * points(&plan.exprs, &form.batch).max(1) as u64,
            blocks: tiles(plan, steps),
            stage_bytes: u64::from(shape.rows + shape.columns) * u64::from(BOX_ROW_BYTES) * terms,
            fetched: fetched * terms,
            expanded,
            needs,
            is_plain: steps.len() == 1,
            absent: maps::absent(plan, (rows, both[0]), shape.rows)
                + maps::absent(plan, (columns, both[1]), shape.columns),
            bytes: plan.bytes_moved(),
            again: shapes::read_again((bytes(plan, form, rows), both[0]), (bytes(plan, form, columns), both[1])),
            element: rows.source.element,
            products: products.iter().map(|g| g.terms.len() as u64).sum(),
            in_terms: terms > 1,
            stored_columns: shape.columns,
            stores_across: stores_along(plan, &columns.outputs),
        };
        for &split in shapes::SPLITS {
            let Some(cost) = shapes::cost(shape, split, &product, target) else { continue };
            found.push(Cut {
                rows: rows.clone(),
                columns: columns.clone(),
                swapped,
                row_covers: row_covers.clone(),
                column_covers: column_covers.clone(),
                steps: steps.to_vec(),
                shape,
                split,
                cost,
            });
        }
    }
    found
}

/// What of a block comes from memory.
pub(super) struct Fetched {
    pub bytes: u64,
    /// Elements that are computed of some of these.
    pub expanded: u64,
    /// What these are computed of.
    pub needs: Needs,
}

impl Fetched {
    /// Of so many outputs of each side; `None` where a side that is computed has no such tiles.
    pub(super) fn of(plan: &KernelPlan, form: &ContractionForm, sides: &[(&Side, u32)]) -> Option<Fetched> {
        let mut found = Fetched { bytes: 0, expanded: 0, needs: [None; 2] };
        for &(side, outputs) in sides {
            let block = u64::from(outputs) * u64::from(BOX_ROW_BYTES);
            let Some(computed) = side.source.computed else {
                found.bytes += block;
                continue;
            };
            let need = found.needs.iter_mut().find(|need| need.is_none())?;
            *need = Some((computed, outputs));
            let each = side.source.element.storage_bytes().max(1) as u64;
            let all = elements(plan, form, side).saturating_mul(each).max(1);
            found.bytes += (block as f64 * bytes(plan, form, side) as f64 / all as f64) as u64;
            found.expanded += block / each;
        }
        Some(found)
    }
}

fn elements(plan: &KernelPlan, form: &ContractionForm, side: &Side) -> u64 {
    let elements = [&form.batch, &side.outputs, &form.steps].map(|vars| points(&plan.exprs, vars).max(1) as u64);
    elements.into_iter().fold(1, u64::saturating_mul)
}

/// Bytes of a side. Windows that overlap count once: a product moves no more than all its bytes.
pub(super) fn bytes(plan: &KernelPlan, form: &ContractionForm, side: &Side) -> u64 {
    if let Some(computed) = side.source.computed {
        return expanded::bytes(plan, computed.node);
    }
    elements(plan, form, side).saturating_mul(side.source.element.storage_bytes().max(1) as u64).min(plan.bytes_moved())
}

pub(super) fn tiles(plan: &KernelPlan, covers: &[Cover]) -> u64 {
    covers.iter().map(|c| (plan.exprs.indices.extent(c.var).max(1) as u64).div_ceil(u64::from(c.count))).product()
}

/// The first store is contiguous along one of the variables.
pub(super) fn stores_along(plan: &KernelPlan, vars: &[VarId]) -> bool {
    let first = plan.body.stores().first();
    first.is_some_and(|s| vars.iter().any(|&v| plan.exprs.indices.stride(s.offset, v) == Some(1)))
}

/// How `outputs` outputs of a side are spread over its variables: the spread with the fewest tiles, of those the one
/// with the longest inner runs. Sides whose rows are outputs have them along the contiguous variable.
pub(super) fn covers(plan: &KernelPlan, side: &Side, steps: &[Cover], outputs: u32) -> Option<Vec<Cover>> {
    let indices = &plan.exprs.indices;
    let vars: Vec<VarId> = side.outputs.iter().copied().filter(|&v| indices.extent(v) > 1).collect();
    let vars = if vars.is_empty() { side.outputs.first().copied().into_iter().collect() } else { vars };
    let fits = |covers: &Vec<Cover>| maps::boxes(plan, side, covers, steps).is_some();
    if side.major == Major::Outputs {
        let along = |&var| Cover { var, count: if var == side.inner { outputs } else { 1 } };
        return outputs
            .is_multiple_of(BOX_OUTPUTS.max(side.box_outputs()))
            .then(|| vars.iter().map(along).collect())
            .filter(fits);
    }
    let mut all = Vec::new();
    spreads(&vars, outputs, &mut Vec::new(), &mut all);
    all.into_iter().filter(fits).min_by_key(|covers| {
        let runs: Vec<u32> = covers.iter().rev().map(|c| u32::MAX - c.count).collect();
        (tiles(plan, covers), runs)
    })
}

/// All ways to write `outputs` as a product over the variables, each factor no more than a box has room for.
fn spreads(vars: &[VarId], outputs: u32, chosen: &mut Vec<Cover>, all: &mut Vec<Vec<Cover>>) {
    let Some((&var, rest)) = vars.split_first() else {
        if outputs == 1 {
            all.push(chosen.clone());
        }
        return;
    };
    for count in (1..=outputs.min(BOX_MAX)).filter(|c| outputs.is_multiple_of(*c)) {
        chosen.push(Cover { var, count });
        spreads(rest, outputs / count, chosen, all);
        chosen.pop();
    }
}
