//! Attention by warpgroups: where queries, keys and values are plain loads that tensor maps can describe.
//!
//! Every term of a load's offset is a dimension of its map: the innermost must have stride 1, the others strides of
//! whole 16 bytes. A head number divided by the heads that share keys is a coordinate like any other. Elements outside
//! the map are zeros, which pads heads to whole boxes of 64 and masks nothing: columns past the last are masked like
//! those outside a bound.
//!
//! Worked example: k of [2, 4096, 8, 128] read at (b, c, h / 4, d): dimensions d < 128, c < 4096 (2048 bytes), h / 4 <
//! 8 (256 bytes), b < 2; boxes of 64 × 128 (columns), two a tile.

use crate::attention::schedule::{AttentionBoxes, AttentionBulk, AttentionSchedule};
use fornax_graph::ElementType;
use fornax_plan::{Atom, Body, Exprs, IndexId, KernelPlan, Node, NodeId, Swizzle, TensorMap, VarId};
use fornax_targets::{Feature, Target};

/// Registers of a multiplying thread that are no scores, weights or results, about: with three warpgroups it has 160,
/// else 240.
const OTHER_REGISTERS: u32 = 32;
/// Elements of a row of a box: 128 bytes.
const BOX: u32 = 64;
/// Elements of a head up to which tiles of 128 columns fit the registers and shared memory, and of any head.
const FEATURES_WIDE: u32 = 128;
const FEATURES_MAX: u32 = 256;
/// Features above which results leave room for 48 columns only of scores with which something is computed.
const FEATURES_MANY: u32 = 192;
/// What a round of blocks takes, compared with one another.
const ROUND_OF_128: u64 = 42;
const ROUND_OF_192: u64 = 51;
/// The same where bounds cut blocks: more of a longer one is computed for nothing.
const CUT_ROUND_OF_192: u64 = 57;
/// Rows below which tiles of warpgroups are mostly empty.
const ROWS_MIN: i64 = 48;
/// Dimensions of a tensor map, at most.
const DIMENSIONS_MAX: usize = 5;

/// How warpgroups may share the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Way {
    /// Warpgroups that multiply, 64 rows each.
    groups: u32,
    columns: u32,
    ahead: bool,
    turns: bool,
    computed: u32,
    lazy: bool,
    resident: bool,
}

const fn way(groups: u32, columns: u32, ahead: bool, computed: u32) -> Way {
    Way { groups, columns, ahead, turns: false, computed, lazy: true, resident: true }
}

const fn in_turns(groups: u32, columns: u32) -> Way {
    Way { turns: true, ..way(groups, columns, false, 0) }
}

/// What a tuner may try.
const WAYS: &[Way] = &[
    way(2, 128, true, 0),
    way(2, 128, true, 8),
    way(2, 112, true, 0),
    way(2, 96, true, 0),
    way(2, 96, true, 8),
    way(3, 64, true, 0),
    way(3, 64, true, 8),
    way(3, 128, false, 0),
    way(2, 64, true, 0),
    way(2, 192, false, 8),
    way(2, 128, false, 0),
    Way { resident: false, ..way(2, 128, false, 0) },
    in_turns(2, 128),
    in_turns(2, 192),
    in_turns(2, 64),
];

/// The plan with the schedule by warpgroups, if target and plan have what it takes.
pub fn choose(plan: &KernelPlan, target: &Target) -> Option<KernelPlan> {
    let Body::Attention(a) = &plan.body else { return None };
    let extent = |var| plan.exprs.indices.extent(var);
    // What is computed between the products needs registers too; so do the results of many features.
    let plain = matches!(plan.exprs.node(a.inside), Node::Reduced { .. });
    let short = whole(extent(a.depth()).max(extent(a.feature))) <= FEATURES_WIDE;
    let columns = match whole(extent(a.feature)) {
        features if features > FEATURES_MANY && !plain => 48,
        _ if plain && short && extent(a.column()) > 64 => 128,
        _ => 64,
    };
    let narrow = columns == 128 && whole(extent(a.feature)) <= BOX;
    let groups = if narrow && three_pay(plan, target) { 3 } else { 2 };
    // One H200, 16 heads, 4096 rows, µs without and with turns: 256 features 379 and 346 (also for fewer registers),
    // 192 280 and 277, 128 216 and 227, 64 152 and 154, where bounds cut tiles 87 and 83.
    let many = whole(extent(a.feature)) > FEATURES_WIDE;
    let turns = many || narrow && groups == 2 && !a.bands.is_empty();
    build(plan, target, Way { turns, ..way(groups, columns, false, 0) })
}

/// Whether blocks of 192 rows by three warpgroups, of which a round takes longer, are that much fewer rounds than
/// blocks of 128. One H200, 16 heads of 64 features, 4096 rows: 3 rounds 154 µs, 4 rounds of 128 rows 168; causal 91
/// and 87, of 16384 rows 1114 and 1269.
fn three_pay(plan: &KernelPlan, target: &Target) -> bool {
    let Body::Attention(a) = &plan.body else { return false };
    let extent = |var: &VarId| plan.exprs.indices.extent(*var).max(1) as u64;
    let heads = a.batch(&plan.domain).iter().map(extent).fold(1, u64::saturating_mul);
    let rows = a.rows.first().map_or(1, extent);
    let rounds = |each: u64| rows.div_ceil(each).saturating_mul(heads).div_ceil(u64::from(target.compute_units.max(1)));
    let longer = if a.bands.is_empty() { ROUND_OF_192 } else { CUT_ROUND_OF_192 };
    rounds(192).saturating_mul(longer) < rounds(128).saturating_mul(ROUND_OF_128)
}

/// All schedules by warpgroups.
pub fn candidates(plan: &KernelPlan, target: &Target) -> Vec<KernelPlan> {
    WAYS.iter().filter_map(|&way| build(plan, target, way)).collect()
}

/// Elements in whole boxes.
fn whole(n: i64) -> u32 {
    (n as u32).div_ceil(BOX) * BOX
}

/// The plan by one way, with the tensor maps.
fn build(plan: &KernelPlan, target: &Target, way: Way) -> Option<KernelPlan> {
    let needs = [Feature::Wgmma, Feature::Tma, Feature::SetMaxRegisters, Feature::Mbarrier];
    let Body::Attention(a) = &plan.body else { return None };
    if !needs.into_iter().all(|f| target.has(f)) || a.part.is_some() {
        return None;
    }
    let row = *a.rows.first()?;
    let stores_rows = a.stores_rows(&plan.exprs);
    let extent = |var| plan.exprs.indices.extent(var);
    if extent(row) < ROWS_MIN {
        return None;
    }
    let (depth, features) = (whole(extent(a.depth())), whole(extent(a.feature)));
    if depth.max(features) > FEATURES_MAX {
        return None;
    }
    let rows = 64 * way.groups;
    let (query, key, value) = (a.query, a.key, a.value);
    let (column, inner, feature) = (a.column(), a.depth(), a.feature);
    let operands =
        [(query, row, inner, rows), (key, column, inner, way.columns), (value, column, feature, way.columns)];
    let mut plan = plan.clone();
    let mut maps = Vec::new();
    let mut boxes = Vec::new();
    for (node, outer, inner, rows) in operands {
        let (map, coordinates) = operand(&mut plan.exprs, node, (outer, inner), rows)?;
        boxes.push(AttentionBoxes { map: maps.len() as u32, coordinates });
        maps.push(map);
    }
    let [query, key, value]: [AttentionBoxes; 3] = boxes.try_into().ok()?;
    plan.tensor_maps = maps;
    if let Body::Attention(a) = &mut plan.body {
        a.rows.truncate(1);
    }
    let bulk = AttentionBulk {
        stages: 2,
        depth,
        features,
        ahead: way.ahead,
        turns: way.turns,
        computed: way.computed,
        // Rows that are stored are against their largest score.
        lazy: way.lazy && !stores_rows,
        resident: None,
        query,
        key,
        value,
    };
    let mut schedule = AttentionSchedule {
        warps: rows / 16,
        row_tiles: 1,
        columns: way.columns,
        bulk: Some(Box::new(bulk)),
        stream: None,
        tiles: None,
        chunks: None,
    };
    let registers = if way.groups > 2 { 160 } else { 240 };
    if schedule.accumulators() + OTHER_REGISTERS > registers {
        return None;
    }
    let Body::Attention(a) = &plan.body else { return None };
    let units = u64::from(target.compute_units.max(1));
    let many = schedule.blocks(a, &plan.exprs, &plan.domain) > units;
    for stages in [3, 2] {
        if let Some(bulk) = schedule.bulk.as_mut() {
            bulk.stages = stages;
            bulk.resident = (way.resident && many).then_some(units as u32);
        }
        if schedule.layout().is_some_and(|l| l.total <= target.shared_bytes_max) {
            plan.set_schedule(schedule);
            return Some(plan);
        }
    }
    None
}

/// The tensor map of a load with boxes of 64 elements along `inner` and `rows` along `outer`, and the coordinates of a
/// tile.
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
    let map = TensorMap {
        buffer,
        element,
        tf32: false,
        offset_bytes,
        dims,
        strides,
        box_dims,
        element_strides,
        swizzle: Swizzle::B128,
        sizes: Vec::new(),
    };
    Some((map, coordinates))
}
