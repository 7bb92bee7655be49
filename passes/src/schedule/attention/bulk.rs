//! Attention by warpgroups: where queries, keys and values are plain loads that tensor maps can describe.
//!
//! Every term of a load's offset is a dimension of its map: the innermost must have stride 1, the others strides of whole 16 bytes. A head
//! number divided by the heads that share keys is a coordinate like any other. Elements outside the map are zeros, which pads heads to
//! whole boxes of 64 and masks nothing: columns past the last are masked like those outside a bound.
//!
//! Worked example: k of [2, 4096, 8, 128] read at (b, c, h / 4, d): dimensions d < 128, c < 4096 (2048 bytes), h / 4 < 8 (256 bytes), b < 2;
//! boxes of 64 × 128 (columns), two a tile.

use fornax_graph::ElementType;
use fornax_plan::{
    Atom, AttentionBoxes, AttentionBulk, AttentionSchedule, Body, Exprs, IndexId, KernelPlan, Node, NodeId, Swizzle,
    TensorMap, VarId,
};
use fornax_targets::{Feature, Target};

/// Rows of a workgroup: two warpgroups.
const ROWS: u32 = 128;
/// Elements of a row of a box: 128 bytes.
const BOX: u32 = 64;
/// Rows below which tiles of warpgroups are mostly empty.
const ROWS_MIN: i64 = 48;
/// Dimensions of a tensor map, at most.
const DIMENSIONS_MAX: usize = 5;

/// The schedule by warpgroups, if target and plan have what it takes; adds the tensor maps to the plan.
pub fn choose(plan: &mut KernelPlan, target: &Target) -> Option<AttentionSchedule> {
    let needs = [Feature::Wgmma, Feature::Tma, Feature::SetMaxRegisters, Feature::Mbarrier];
    if !needs.into_iter().all(|f| target.has(f)) {
        return None;
    }
    let Body::Attention(a) = &plan.body else { return None };
    let row = *a.rows.first()?;
    let extent = |var| plan.exprs.indices.extent(var);
    if extent(row) < ROWS_MIN {
        return None;
    }
    let whole = |n: i64| (n as u32).div_ceil(BOX) * BOX;
    let (depth, features) = (whole(extent(a.depth())), whole(extent(a.feature)));
    // What is computed between the products needs registers too.
    let plain = matches!(plan.exprs.node(a.inside), Node::Reduced { .. });
    let columns = if plain && extent(a.column()) > 64 { 128 } else { 64 };
    let (query, key, value) = (a.query, a.key, a.value);
    let (column, inner, feature) = (a.column(), a.depth(), a.feature);
    let operands = [(query, row, inner, ROWS), (key, column, inner, columns), (value, column, feature, columns)];
    let mut maps = Vec::new();
    let mut boxes = Vec::new();
    for (node, outer, inner, rows) in operands {
        let (map, coordinates) = operand(&mut plan.exprs, node, (outer, inner), rows)?;
        boxes.push(AttentionBoxes { map: maps.len() as u32, coordinates });
        maps.push(map);
    }
    let [query, key, value]: [AttentionBoxes; 3] = boxes.try_into().ok()?;
    let bulk = AttentionBulk { stages: 2, depth, features, query, key, value };
    let mut schedule = AttentionSchedule { warps: ROWS / 16, row_tiles: 1, columns, bulk: Some(Box::new(bulk)) };
    for stages in [3, 2] {
        if let Some(bulk) = schedule.bulk.as_mut() {
            bulk.stages = stages;
        }
        if schedule.layout().is_some_and(|l| l.total <= target.shared_bytes_max) {
            plan.tensor_maps = maps;
            if let Body::Attention(a) = &mut plan.body {
                a.rows.truncate(1);
            }
            return Some(schedule);
        }
    }
    None
}

/// The tensor map of a load with boxes of 64 elements along `inner` and `rows` along `outer`, and the coordinates of a tile.
fn operand(
    exprs: &mut Exprs,
    node: NodeId,
    (outer, inner): (VarId, VarId),
    rows: u32,
) -> Option<(TensorMap, Vec<IndexId>)> {
    let Node::Load { buffer, element, offset, mask: None } = *exprs.node(node) else { return None };
    if !matches!(element, ElementType::F16 | ElementType::Bf16) {
        return None;
    }
    let linear = exprs.indices.linear(offset).clone();
    let bytes = |elements: i64| elements.checked_mul(2).filter(|b| *b >= 0 && *b % 16 == 0);
    let offset_bytes = bytes(linear.constant)?;
    let of = |var: VarId| linear.terms.iter().find(|t| exprs.indices.atom(t.0) == Atom::Var(var)).map(|t| t.1);
    if of(inner) != Some(1) {
        return None;
    }
    let (mut dims, mut strides) = (vec![exprs.indices.extent(inner), exprs.indices.extent(outer)], Vec::new());
    strides.push(bytes(of(outer)?).filter(|b| *b > 0)?);
    let mut coordinates = vec![exprs.indices.constant(0), exprs.indices.var(outer)];
    for &(atom, step) in &linear.terms {
        let (index, depends) = match exprs.indices.atom(atom) {
            Atom::Var(var) if var == inner || var == outer => continue,
            Atom::Var(var) => (exprs.indices.var(var), false),
            Atom::FloorDiv(x, m) => {
                let depends = exprs.index_varies(x, inner) || exprs.index_varies(x, outer);
                (exprs.indices.floor_div(x, m), depends)
            }
            Atom::Value { .. } | Atom::Size(_) | Atom::Product(..) | Atom::Quotient(..) => return None,
        };
        let (low, high) = exprs.indices.atom_range(atom);
        if depends || low < 0 {
            return None;
        }
        dims.push(high + 1);
        strides.push(bytes(step).filter(|b| *b > 0)?);
        coordinates.push(index);
    }
    if dims.len() > DIMENSIONS_MAX
        || dims.iter().any(|&n| n > i64::from(u32::MAX))
        || strides.iter().any(|&s| s >= 1 << 40)
    {
        return None;
    }
    let mut box_dims = vec![1; dims.len()];
    (box_dims[0], box_dims[1]) = (BOX, rows);
    let element_strides = vec![1; dims.len()];
    let map =
        TensorMap { buffer, element, offset_bytes, dims, strides, box_dims, element_strides, swizzle: Swizzle::B128 };
    Some((map, coordinates))
}
