//! Contractions by warpgroups: what is eligible, the tensor maps, and the shape of the tiles.
//!
//! Input: a collapsed contraction plan on a target with warpgroup multiply and bulk tensor copies. Output: a
//! [`WarpgroupSchedule`] and the plan's tensor maps, or `None`, and other programs do the work. Every operand must be one plain load
//! whose offset is linear in the loop variables: each variable becomes a dimension of a tensor map, contiguous first. The copy
//! engine wants strides and starts of 16 bytes; it gives zeros outside and clips what it writes, so extents may be anything.
//!
//! Worked example: [1000, 1032]·[1032, 520] bf16: A's map is [1032, 1000] with boxes of {64 steps, 128 rows}; B's [520, 1032] with boxes
//! of {64 columns, 64 steps}; the result's [520, 1000] with boxes {64, 64}. `[1000, 1030]` is refused: its rows start at 2060 bytes.

use fornax_graph::ElementType;
use fornax_plan::form::{ContractionForm, Operand};
use fornax_plan::warpgroup::BOX_ROW_BYTES;
use fornax_plan::{
    Atom, Cover, Exprs, IndexId, KernelPlan, Major, Precision, Schedule, StagedStore, Swizzle, TensorMap, TiledOperand,
    VarId, WarpgroupSchedule,
};
use fornax_targets::{Feature, Target};

use super::warpgroup_tiles::{self, Shape};

/// Dimensions of a tensor map, at most.
const DIMENSIONS_MAX: usize = 5;
/// Elements of a box along a dimension, at most.
const BOX_MAX: u32 = 256;
/// Bytes that strides and starts must be multiples of.
const COPY_ALIGNMENT: i64 = 16;
/// Rows that one instruction multiplies.
const INSTRUCTION_ROWS: u32 = 64;
/// Outputs of a box whose rows lie along the outputs.
const BOX_OUTPUTS: u32 = 64;
/// Columns that a consumer stages at a time, best first.
const STAGED_COLUMNS: &[u32] = &[128, 64];

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

/// A side of the product, seen as boxes.
#[derive(Clone, Debug)]
struct Side {
    operand: Operand,
    /// Variables of its outputs, outermost first.
    outputs: Vec<VarId>,
    major: Major,
    /// The contiguous variable: a step's or an output's.
    inner: VarId,
}

/// The schedule of a plan, with the plan's tensor maps set; `None` where the program does not apply.
pub fn choose(plan: &mut KernelPlan, target: &Target) -> Option<WarpgroupSchedule> {
    let (form, all) = all(plan, target)?;
    let best = all.into_iter().min_by_key(|candidate| candidate.cycles)?;
    Some(build(plan, &form, best, target))
}

/// All schedules of a plan, the cheapest by the model first: what a tuner may try.
pub fn candidates(plan: &KernelPlan, target: &Target) -> Vec<KernelPlan> {
    let Some((form, mut all)) = all(plan, target) else { return Vec::new() };
    all.sort_by_key(|candidate| candidate.cycles);
    let build = |candidate| {
        let mut plan = plan.clone();
        plan.schedule = Schedule::Warpgroup(build(&mut plan, &form, candidate, target));
        plan
    };
    all.into_iter().map(build).collect()
}

/// Every way to cut the product into tiles.
fn all(plan: &KernelPlan, target: &Target) -> Option<(ContractionForm, Vec<Candidate>)> {
    if !target.has(Feature::Wgmma) || !target.has(Feature::Tma) || !target.has(Feature::StMatrix) {
        return None;
    }
    let form = ContractionForm::of(plan)?;
    let element = multiplied(&form)?;
    let block = BOX_ROW_BYTES / element.storage_bytes().max(1) as u32;
    let step = contiguous_step(plan, &form, element)?;
    let rows = side(plan, &form.row_operand, &form.rows, step)?;
    let columns = side(plan, &form.column_operand, &form.columns, step)?;
    let sides = [(&rows, &columns), (&columns, &rows)].into_iter();
    let found = sides.flat_map(|(rows, columns)| shapes(plan, &form, rows, columns, step, block, target)).collect();
    Some((form, found))
}

/// The operands' element type, where there is an instruction for them.
fn multiplied(form: &ContractionForm) -> Option<ElementType> {
    let pair = (form.row_operand.element, form.column_operand.element, form.accumulator);
    let tf32 = (ElementType::F32, ElementType::F32, ElementType::F32);
    let known = PRODUCTS.contains(&pair) || pair == tf32 && form.precision == Precision::Tf32;
    known.then_some(pair.0)
}

/// The contraction variable that a block lies along: contiguous in the operands whose rows are steps; the longest where both lie along
/// their outputs.
fn contiguous_step(plan: &KernelPlan, form: &ContractionForm, element: ElementType) -> Option<VarId> {
    let indices = &plan.exprs.indices;
    let contiguous = |operand: &Operand, var: VarId| {
        operand.load.is_some_and(|l| indices.extent(var) > 1 && indices.stride(l.offset, var) == Some(1))
    };
    let of = |operand| form.steps.iter().copied().find(|&v| contiguous(operand, v));
    let (rows, columns) = (of(&form.row_operand), of(&form.column_operand));
    if element.storage_bytes() != 2 && (rows.is_none() || columns.is_none()) {
        return None;
    }
    match (rows, columns) {
        (Some(a), Some(b)) => (a == b).then_some(a),
        (one, other) => one.or(other).or_else(|| form.steps.iter().copied().max_by_key(|&v| indices.extent(v))),
    }
}

/// How an operand lies in memory; `None` where the copy engine cannot fetch it.
fn side(plan: &KernelPlan, operand: &Operand, outputs: &[VarId], step: VarId) -> Option<Side> {
    let load = operand.load.filter(|l| l.mask.is_none())?;
    let indices = &plan.exprs.indices;
    let strides = strides(&plan.exprs, load.offset)?;
    let bytes = operand.element.storage_bytes().max(1) as i64;
    if indices.linear(load.offset).constant * bytes % COPY_ALIGNMENT != 0 || strides.len() > DIMENSIONS_MAX {
        return None;
    }
    let inner = if indices.stride(load.offset, step) == Some(1) && indices.extent(step) > 1 {
        step
    } else {
        strides.iter().find(|(var, stride)| *stride == 1 && outputs.contains(var))?.0
    };
    let aligned =
        strides.iter().all(|&(var, stride)| var == inner || stride > 0 && stride * bytes % COPY_ALIGNMENT == 0);
    let major = if inner == step { Major::Steps } else { Major::Outputs };
    let fetched = aligned && (major == Major::Steps || bytes == 2);
    fetched.then(|| Side { operand: *operand, outputs: outputs.to_vec(), major, inner })
}

/// Variables of an offset with their strides, where it is linear; variables of one value are left out.
fn strides(exprs: &Exprs, offset: IndexId) -> Option<Vec<(VarId, i64)>> {
    let mut found = Vec::new();
    for &(atom, stride) in &exprs.indices.linear(offset).terms {
        match exprs.indices.atom(atom) {
            Atom::Var(var) => found.push((var, stride)),
            Atom::FloorDiv(..) | Atom::Value { .. } => return None,
        }
    }
    Some(found)
}

/// One way to cut the product into tiles.
struct Candidate {
    rows: Side,
    columns: Side,
    row_covers: Vec<Cover>,
    column_covers: Vec<Cover>,
    steps: Vec<Cover>,
    shape: Shape,
    stages: u32,
    cycles: u64,
}

/// All tile shapes that a pair of sides admits, with their cost.
fn shapes(
    plan: &KernelPlan,
    form: &ContractionForm,
    rows: &Side,
    columns: &Side,
    step: VarId,
    block: u32,
    target: &Target,
) -> Vec<Candidate> {
    let steps: Vec<Cover> = form
        .steps
        .iter()
        .filter(|&&v| v == step || plan.exprs.indices.extent(v) > 1)
        .map(|&var| Cover { var, count: if var == step { block } else { 1 } })
        .collect();
    let mut found = Vec::new();
    for &shape in warpgroup_tiles::SHAPES {
        let (Some(row_covers), Some(column_covers)) =
            (covers(plan, rows, shape.rows), covers(plan, columns, shape.columns))
        else {
            continue;
        };
        let product = warpgroup_tiles::Product {
            tiles: tiles(plan, &row_covers) * tiles(plan, &column_covers) * points(plan, &form.batch),
            blocks: tiles(plan, &steps),
            stage_bytes: u64::from(shape.rows + shape.columns) * u64::from(BOX_ROW_BYTES),
            element: rows.operand.element,
            stores_across: stores_along(plan, &columns.outputs),
        };
        let Some((stages, cycles)) = warpgroup_tiles::cost(shape, &product, target) else { continue };
        let (rows, columns, steps) = (rows.clone(), columns.clone(), steps.clone());
        found.push(Candidate { rows, columns, row_covers, column_covers, steps, shape, stages, cycles });
    }
    found
}

fn points(plan: &KernelPlan, vars: &[VarId]) -> u64 {
    vars.iter().map(|&v| plan.exprs.indices.extent(v).max(1) as u64).product()
}

fn tiles(plan: &KernelPlan, covers: &[Cover]) -> u64 {
    covers.iter().map(|c| (plan.exprs.indices.extent(c.var).max(1) as u64).div_ceil(u64::from(c.count))).product()
}

/// The first store is contiguous along one of the variables.
fn stores_along(plan: &KernelPlan, vars: &[VarId]) -> bool {
    let first = plan.body.stores().first();
    first.is_some_and(|s| vars.iter().any(|&v| plan.exprs.indices.stride(s.offset, v) == Some(1)))
}

/// How `outputs` outputs of a side are spread over its variables: the spread that leaves the fewest of a tile's points outside, the longest
/// inner runs first. Sides whose rows are outputs have them along the contiguous variable.
fn covers(plan: &KernelPlan, side: &Side, outputs: u32) -> Option<Vec<Cover>> {
    let indices = &plan.exprs.indices;
    let vars: Vec<VarId> = side.outputs.iter().copied().filter(|&v| indices.extent(v) > 1).collect();
    let vars = if vars.is_empty() { side.outputs.first().copied().into_iter().collect() } else { vars };
    if side.major == Major::Outputs {
        let boxes = outputs.is_multiple_of(BOX_OUTPUTS);
        return boxes.then(|| {
            vars.iter().map(|&var| Cover { var, count: if var == side.inner { outputs } else { 1 } }).collect()
        });
    }
    let last = vars.len().checked_sub(1)?;
    let mut best: Option<(u64, Vec<Cover>)> = None;
    let mut inner = outputs;
    // The innermost variable takes a power of two (or all), the next ones what is left.
    while inner >= 1 && outputs.is_multiple_of(inner) {
        let mut rest = outputs / inner;
        let mut found = vec![Cover { var: vars[last], count: inner }];
        for (at, &var) in vars[..last].iter().enumerate().rev() {
            let most = (indices.extent(var).max(1) as u32).next_power_of_two().min(rest);
            let count = if at == 0 { rest } else { most };
            rest /= count.max(1);
            found.push(Cover { var, count });
        }
        found.reverse();
        let points = tiles(plan, &found);
        if rest == 1 && found.iter().all(|c| c.count <= BOX_MAX) && best.as_ref().is_none_or(|b| points < b.0) {
            best = Some((points, found));
        }
        if inner % 2 == 1 {
            break;
        }
        inner /= 2;
    }
    best.map(|b| b.1)
}

fn build(plan: &mut KernelPlan, form: &ContractionForm, best: Candidate, target: &Target) -> WarpgroupSchedule {
    let Candidate { rows, columns, row_covers, column_covers, steps, shape, stages, .. } = best;
    let mut maps = Vec::new();
    let row_operand = operand(plan, &rows, &row_covers, &steps, &mut maps);
    let column_operand = operand(plan, &columns, &column_covers, &steps, &mut maps);
    let staged = staged_store(plan, (&row_covers, &column_covers), shape, &mut maps);
    let batch = form.batch.clone();
    let mut schedule = WarpgroupSchedule {
        rows: row_covers,
        columns: column_covers,
        steps,
        batch,
        row_operand,
        column_operand,
        stages,
        consumers: shape.consumers,
        group: warpgroup_tiles::GROUP,
        split: 1,
        clusters: 1,
        staged,
    };
    let tiles = schedule.tiles(&plan.exprs.indices);
    schedule.clusters = tiles.min(u64::from(target.compute_units.max(1))) as u32;
    plan.tensor_maps = maps;
    schedule
}

/// The tensor map of an operand: the contiguous variable, the covered ones from the last on, then all others.
fn operand(
    plan: &mut KernelPlan,
    side: &Side,
    covers: &[Cover],
    steps: &[Cover],
    maps: &mut Vec<TensorMap>,
) -> TiledOperand {
    let load = side.operand.load;
    let (buffer, offset) = load.map_or((0, None), |l| (l.buffer, Some(l.offset)));
    let strides = offset.and_then(|o| strides(&plan.exprs, o)).unwrap_or_default();
    let constant = offset.map_or(0, |o| plan.exprs.indices.linear(o).constant);
    let inner_box = match side.major {
        Major::Steps => steps.iter().find(|s| s.var == side.inner).map_or(1, |s| s.count),
        Major::Outputs => BOX_OUTPUTS,
    };
    let across: Vec<Cover> = match side.major {
        Major::Steps => covers.to_vec(),
        Major::Outputs => steps.to_vec(),
    };
    let mut boxes = vec![(side.inner, inner_box)];
    boxes.extend(across.iter().rev().filter(|c| c.var != side.inner).map(|c| (c.var, c.count)));
    let element = side.operand.element;
    let coordinates = tensor_map(plan, (buffer, element), (&strides, constant), boxes, maps);
    TiledOperand { map: maps.len() as u32 - 1, coordinates, major: side.major, element }
}

/// Adds a map of a buffer with the given boxes first, and the other variables of the offset after them; gives its coordinates.
fn tensor_map(
    plan: &mut KernelPlan,
    (buffer, element): (u32, ElementType),
    (strides, constant): (&[(VarId, i64)], i64),
    mut boxes: Vec<(VarId, u32)>,
    maps: &mut Vec<TensorMap>,
) -> Vec<IndexId> {
    let bytes = element.storage_bytes().max(1) as i64;
    for &(var, _) in strides {
        if !boxes.iter().any(|b| b.0 == var) {
            boxes.push((var, 1));
        }
    }
    // A variable of one value has no stride; its box may still be larger.
    let stride_of = |var: VarId| strides.iter().find(|s| s.0 == var).map_or(COPY_ALIGNMENT, |s| s.1 * bytes);
    let map = TensorMap {
        buffer,
        element,
        offset_bytes: constant * bytes,
        dims: boxes.iter().map(|b| plan.exprs.indices.extent(b.0)).collect(),
        strides: boxes.iter().skip(1).map(|b| stride_of(b.0)).collect(),
        box_dims: boxes.iter().map(|b| b.1).collect(),
        element_strides: vec![1; boxes.len()],
        swizzle: Swizzle::B128,
    };
    maps.push(map);
    boxes.iter().map(|b| plan.exprs.indices.var(b.0)).collect()
}

/// The first store that can leave through shared memory.
fn staged_store(
    plan: &mut KernelPlan,
    (rows, columns): (&[Cover], &[Cover]),
    shape: Shape,
    maps: &mut Vec<TensorMap>,
) -> Option<StagedStore> {
    let staged_columns = *STAGED_COLUMNS.iter().find(|&&n| shape.columns.is_multiple_of(n))?;
    let column = columns.last().filter(|c| c.count == shape.columns)?.var;
    let stores = plan.body.stores().to_vec();
    let (at, store, strides) = stores.iter().enumerate().find_map(|(at, store)| {
        let element = plan.buffers.get(store.buffer as usize)?.element;
        let strides = strides(&plan.exprs, store.offset)?;
        let dense = strides.iter().all(|&(v, s)| if v == column { s == 1 } else { s > 0 && s % 8 == 0 });
        let all = plan.domain.iter().filter(|&&v| plan.exprs.indices.extent(v) > 1).count();
        let sixteen = matches!(element, ElementType::Bf16 | ElementType::F16);
        let starts = plan.exprs.indices.linear(store.offset).constant % 8 == 0;
        let even = plan.exprs.indices.extent(column) % 2 == 0;
        let fits = sixteen && dense && starts && even && strides.len() == all && strides.len() <= DIMENSIONS_MAX;
        fits.then_some((at, *store, strides))
    })?;
    let mut share = shape.rows / shape.consumers;
    let mut boxes = vec![(column, BOX_OUTPUTS)];
    for cover in rows.iter().rev() {
        let count = cover.count.min(share);
        share /= count.max(1);
        boxes.push((cover.var, count));
    }
    let element = plan.buffers.get(store.buffer as usize)?.element;
    let constant = plan.exprs.indices.linear(store.offset).constant;
    let coordinates = tensor_map(plan, (store.buffer, element), (&strides, constant), boxes, maps);
    let map = maps.len() as u32 - 1;
    (share == 1 && shape.rows.is_multiple_of(INSTRUCTION_ROWS)).then_some(StagedStore {
        store: at as u32,
        map,
        coordinates,
        columns: staged_columns,
    })
}
