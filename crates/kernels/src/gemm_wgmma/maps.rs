//! The schedule and the tensor maps of a contraction by warpgroups, once its tiles are chosen.
//!
//! Every variable that moves an operand is a dimension of its map: the contiguous one first, then those that a tile
//! covers from the last on, in the order in which rows of a box follow each other in shared memory, then all others
//! with boxes of one, then terms.
//!
//! Worked example: batch 8, A `[8, 1000, 1032]`, tiles of 128 rows, blocks of 64: dims [1032, 1000, 8], boxes {64, 128,
//! 1}, coordinates (step, row, batch) of the tile's and the block's first point.

use crate::gemm_wgmma::schedule::{
    BOX_ROW_BYTES, Cover, EpilogueLoad, ProductGroup, StagedStore, TiledOperand, WgmmaSchedule,
};
use fornax_emit::blocks::hopper::wgmma::Major;
use fornax_graph::ElementType;
use fornax_plan::form::{ContractionForm, DirectLoad, points};
use fornax_plan::walk::Reached;
use fornax_plan::{Access, IndexId, KernelPlan, MapPart, MapSize, Node, NodeId, Swizzle, TensorMap, VarId};
use fornax_targets::Target;

use super::candidates::{BOX_MAX, BOX_OUTPUTS, DIMENSIONS_MAX, Side};
use super::epilogue_loads;
use super::shapes::{self, Cost, Shape};
use super::sources::{self, COPY_ALIGNMENT, Dimension, Source};

/// Element types that an epilogue takes from boxes.
const LOAD_TYPES: [ElementType; 3] = [ElementType::Bf16, ElementType::F16, ElementType::F32];
/// Steps between the elements of a box, at most.
const STEP_MAX: u32 = 8;

/// One way to cut the product into tiles.
pub struct Cut {
    pub rows: Side,
    pub columns: Side,
    /// The form's columns are the tile's rows.
    pub swapped: bool,
    pub row_covers: Vec<Cover>,
    pub column_covers: Vec<Cover>,
    pub steps: Vec<Cover>,
    pub shape: Shape,
    pub split: u32,
    pub cost: Cost,
}

/// The schedule of a cut, with the plan's tensor maps set.
pub fn build(
    plan: &mut KernelPlan,
    form: &ContractionForm,
    cut: Cut,
    products: Vec<ProductGroup>,
    target: &Target,
) -> Option<WgmmaSchedule> {
    let mut maps = Vec::new();
    let row_operand = operand(plan, &cut.rows, &cut.row_covers, &cut.steps, &mut maps)?;
    let column_operand = operand(plan, &cut.columns, &cut.column_covers, &cut.steps, &mut maps)?;
    let in_terms = row_operand.terms > 1 || column_operand.terms > 1;
    let staged = if in_terms || cut.rows.needs_registers() { None } else { staged_store(plan, &cut, &mut maps) };
    let expands = [&cut.rows, &cut.columns].iter().any(|side| side.source.computed.is_some());
    let fetches = cut.split == 1 && !in_terms && !cut.rows.needs_registers() && !expands;
    let loads = if fetches { epilogue_loads(plan, &cut, &mut maps) } else { Vec::new() };
    let products = products.into_iter().map(|group| if cut.swapped { swapped(group) } else { group }).collect();
    let mut schedule = WgmmaSchedule {
        rows: cut.row_covers,
        columns: cut.column_covers,
        steps: cut.steps,
        batch: form.batch.clone(),
        row_operand,
        column_operand,
        second: None,
        products,
        stages: cut.cost.stages,
        consumers: cut.shape.consumers,
        group: shapes::GROUP,
        split: cut.split,
        clusters: 1,
        staged,
        loads,
        asking: cut.cost.asking,
        cost: cut.cost,
    };
    // What does not find room is loaded by threads.
    while !epilogue_loads::fit(&schedule) {
        schedule.loads.pop();
    }
    let tiles = schedule.tiles(&likely(plan).exprs.indices);
    let units = u64::from(target.compute_units.max(1));
    let most = if plan.has_static_loops() { tiles } else { schedule.tiles(&plan.exprs.indices) };
    schedule.clusters = if cut.split > 1 { tiles } else { most.min(units) } as u32;
    plan.note = note(&schedule, tiles, units);
    plan.tensor_maps = maps;
    Some(schedule)
}

/// Bytes of a block's boxes of a side that do not exist, in so many tiles.
pub(super) fn absent(plan: &KernelPlan, (side, tiles): (&Side, u64), outputs: u32) -> u64 {
    if side.source.computed.is_some() {
        return 0;
    }
    shapes::absent(points(&plan.exprs, &side.outputs).max(1) as u64, tiles, outputs)
}

/// The plan as cost models see it: sizes known only at run time are likely ones.
pub fn likely(plan: &KernelPlan) -> KernelPlan {
    let mut likely = plan.clone();
    likely.exprs.indices = plan.exprs.indices.with_likely_extents(plan.likely_size());
    likely
}

fn swapped(group: ProductGroup) -> ProductGroup {
    ProductGroup { terms: group.terms.into_iter().map(|(a, b)| (b, a)).collect(), ..group }
}

fn note(schedule: &WgmmaSchedule, tiles: u64, units: u64) -> String {
    let (rows, columns, block) = (schedule.tile_rows(), schedule.tile_columns(), schedule.block());
    let groups = tiles * u64::from(schedule.split);
    let full = 100 * groups / (groups.div_ceil(units).max(1) * units);
    let split =
        if schedule.split > 1 { format!(", each shared by {} workgroups", schedule.split) } else { String::new() };
    let parts: usize = schedule.products.iter().map(|g| g.terms.len()).sum();
    let parts = match parts {
        0 => String::new(),
        _ if schedule.in_terms() => format!(", {parts} products of bf16 parts"),
        _ => format!(", sums of {block} steps added in f32"),
    };
    format!(
        "wgmma multiply, {tiles} tiles of {rows}x{columns}{split}, blocks of {block}, {} stages{parts}; waves \
         {full} % full",
        schedule.stages
    )
}

/// The boxes of a side along its dimensions, contiguous first, then in the order in which rows follow each other in
/// shared memory. `None` where a box cannot have them.
pub fn boxes(plan: &KernelPlan, side: &Side, covers: &[Cover], steps: &[Cover]) -> Option<Vec<(Dimension, u32, u32)>> {
    let (inner_box, across) = match side.major {
        Major::Steps => (steps.iter().find(|s| s.var == side.inner).map_or(1, |s| s.count), covers),
        Major::Outputs => (side.box_outputs(), steps),
    };
    let mut wanted = vec![(side.inner, inner_box)];
    wanted.extend(across.iter().rev().filter(|c| c.var != side.inner).map(|c| (c.var, c.count)));
    boxes_of(plan, &side.source, &wanted)
}

/// Dimensions of a source with the elements of their boxes and the steps between those; first the ones that the wanted
/// variables move.
fn boxes_of(plan: &KernelPlan, source: &Source, wanted: &[(VarId, u32)]) -> Option<Vec<(Dimension, u32, u32)>> {
    let mut found: Vec<(Dimension, u32, u32)> = Vec::new();
    for &(var, count) in wanted {
        match source.dimensions.iter().find(|d| d.coefficient(var).is_some()) {
            // Uncovered variables only move the box.
            Some(_) if count == 1 => {}
            Some(dimension) if found.iter().any(|f| f.0 == *dimension) => return None,
            Some(dimension) => {
                let step = u32::try_from(dimension.coefficient(var)?).ok().filter(|s| *s <= STEP_MAX)?;
                found.push((dimension.clone(), ((count - 1) * step + 1).next_multiple_of(step), step));
            }
            // A variable of one value has no stride; its box may still be larger.
            None if count == 1 => {}
            None => {
                let bytes = source.element.storage_bytes().max(1) as i64;
                let extent = plan.exprs.indices.extent(var);
                found.push((Dimension::along(var, extent, COPY_ALIGNMENT / bytes), count, 1));
            }
        }
    }
    for dimension in &source.dimensions {
        if !found.iter().any(|f| f.0 == *dimension) {
            found.push((dimension.clone(), 1, 1));
        }
    }
    let first = found.first()?.0.is_dense();
    let rank = found.len() + usize::from(source.terms > 1);
    (first && rank <= DIMENSIONS_MAX && found.iter().all(|f| f.1 <= BOX_MAX)).then_some(found)
}

pub fn operand(
    plan: &mut KernelPlan,
    side: &Side,
    covers: &[Cover],
    steps: &[Cover],
    maps: &mut Vec<TensorMap>,
) -> Option<TiledOperand> {
    let boxes = boxes(plan, side, covers, steps)?;
    if side.source.computed.is_some() {
        let (element, computed) = (side.source.element, side.source.computed);
        return Some(TiledOperand {
            map: u32::MAX,
            coordinates: Vec::new(),
            major: side.major,
            element,
            terms: 1,
            computed,
        });
    }
    let coordinates = tensor_map(plan, &side.source, boxes, maps);
    let (map, element, terms) = (maps.len() as u32 - 1, side.source.element, side.source.terms);
    maps.last_mut()?.tf32 = element == ElementType::F32;
    Some(TiledOperand { map, coordinates, major: side.major, element, terms, computed: None })
}

/// Adds a map of a source with the given boxes; gives its coordinates.
fn tensor_map(
    plan: &mut KernelPlan,
    source: &Source,
    boxes: Vec<(Dimension, u32, u32)>,
    maps: &mut Vec<TensorMap>,
) -> Vec<IndexId> {
    let bytes = source.element.storage_bytes().max(1) as i64;
    let mut map = TensorMap {
        buffer: source.buffer,
        element: source.element,
        tf32: false,
        offset_bytes: source.constant * bytes,
        dims: boxes.iter().map(|b| b.0.extent).collect(),
        strides: boxes.iter().skip(1).map(|b| b.0.stride * bytes).collect(),
        box_dims: boxes.iter().map(|b| b.1).collect(),
        element_strides: boxes.iter().map(|b| b.2).collect(),
        swizzle: Swizzle::B128,
        sizes: Vec::new(),
    };
    for (at, (dimension, _, _)) in boxes.iter().enumerate() {
        call_sizes(plan, (at, dimension), bytes, &mut map);
    }
    if source.terms > 1 {
        map.dims.push(i64::from(source.terms));
        map.strides.push(source.term_stride * bytes);
        map.box_dims.push(1);
        map.element_strides.push(1);
    }
    maps.push(map);
    let indices = &mut plan.exprs.indices;
    let place = |(dimension, _, _): &(Dimension, u32, u32)| {
        let mut place = indices.constant(dimension.constant);
        for &(var, coefficient) in &dimension.place {
            let index = indices.var(var);
            let term = indices.scale(index, coefficient);
            place = indices.add(place, term);
        }
        place
    };
    boxes.iter().map(place).collect()
}

/// What a call gives of a dimension; the map has 1 and 16 bytes in its place.
fn call_sizes(plan: &mut KernelPlan, (at, dimension): (usize, &Dimension), bytes: i64, map: &mut TensorMap) {
    if let Some(value) = dimension.run_extent {
        map.dims[at] = 1;
        map.sizes.push(MapSize { part: MapPart::Extent(at), value });
    }
    if at > 0 && !dimension.by.is_empty() {
        let indices = &mut plan.exprs.indices;
        let stride = indices.constant(dimension.stride * bytes);
        let value = dimension.by.iter().fold(stride, |stride, &by| {
            let by = indices.atom_index(by);
            indices.multiply(stride, by)
        });
        map.strides[at - 1] = COPY_ALIGNMENT;
        map.sizes.push(MapSize { part: MapPart::Stride(at - 1), value });
    }
}

/// The loads of the stores that the copy engine can fetch as tiles: a value an output, dense along the columns.
fn epilogue_loads(plan: &mut KernelPlan, cut: &Cut, maps: &mut Vec<TensorMap>) -> Vec<EpilogueLoad> {
    let Some(column) = cut.column_covers.last().filter(|c| c.count == cut.shape.columns).map(|c| c.var) else {
        return Vec::new();
    };
    // Pairs of columns never straddle the last one.
    if !plan.exprs.indices.is_multiple(column, 2) {
        return Vec::new();
    }
    let values: Vec<NodeId> = plan.body.stores().iter().map(|s| s.value).collect();
    let reached = Reached::from(&plan.exprs, values, &[]);
    let mut loads = Vec::new();
    for node in reached.nodes {
        let Node::Load { buffer, element, offset, mask: None } = *plan.exprs.node(node) else { continue };
        if !LOAD_TYPES.contains(&element) || plan.buffers.get(buffer as usize).is_none_or(|b| b.access != Access::Read)
        {
            continue;
        }
        let load = DirectLoad { buffer, offset, mask: None };
        let Some(source) = sources::loaded(plan, &load, element).filter(Source::is_aligned) else { continue };
        let all = plan.domain.iter().filter(|&&v| plan.exprs.indices.extent(v) > 1).count();
        let columns = BOX_ROW_BYTES / element.storage_bytes().max(1) as u32;
        let mut wanted = vec![(column, columns)];
        wanted.extend(cut.row_covers.iter().rev().filter(|c| c.count > 1).map(|c| (c.var, c.count)));
        if !cut.shape.columns.is_multiple_of(columns)
            || source.inner() != Some(column)
            || source.dimensions.len() != all
        {
            continue;
        }
        let Some(boxes) = boxes_of(plan, &source, &wanted) else { continue };
        let coordinates = tensor_map(plan, &source, boxes, maps);
        loads.push(EpilogueLoad { offset, element, map: maps.len() as u32 - 1, coordinates });
    }
    loads
}

/// The first store that can leave through shared memory.
fn staged_store(plan: &mut KernelPlan, cut: &Cut, maps: &mut Vec<TensorMap>) -> Option<StagedStore> {
    let shape = cut.shape;
    let staged_columns = shapes::staged_columns(shape, cut.split)?;
    let column = cut.column_covers.last().filter(|c| c.count == shape.columns)?.var;
    let mut share = shape.rows / shape.consumers;
    let mut wanted = vec![(column, BOX_OUTPUTS)];
    for cover in cut.row_covers.iter().rev() {
        let count = cover.count.min(share).max(1);
        // A consumer's rows are one box: it does not end inside of a stretch of a variable and go on in the next.
        if !share.is_multiple_of(count) || !cover.count.is_multiple_of(count) {
            return None;
        }
        share /= count;
        wanted.push((cover.var, count));
    }
    let stores = plan.body.stores().to_vec();
    let (at, source, boxes) = stores.iter().enumerate().find_map(|(at, store)| {
        let source = sources::stored(plan, store)?;
        let dense = source
            .dimensions
            .iter()
            .all(|d| if d.var() == Some(column) { d.is_dense() } else { d.stride > 0 && d.stride % 8 == 0 });
        let all = plan.domain.iter().filter(|&&v| plan.exprs.indices.extent(v) > 1).count();
        let sixteen = matches!(source.element, ElementType::Bf16 | ElementType::F16);
        let fits = sixteen && dense && source.constant % 8 == 0 && source.dimensions.len() == all;
        let boxes = boxes_of(plan, &source, &wanted).filter(|_| fits && share == 1)?;
        Some((at, source, boxes))
    })?;
    let coordinates = tensor_map(plan, &source, boxes, maps);
    Some(StagedStore { store: at as u32, map: maps.len() as u32 - 1, coordinates, columns: staged_columns })
}
