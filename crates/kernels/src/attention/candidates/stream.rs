//! Attention of a few rows: warps that stream keys and values to registers, in clusters where the target has them.
//!
//! Input: an attention of up to 16 rows for each head of keys (decoding, grouped heads). Output: the schedule. Where
//! heads alone do not fill the device, `split` cuts the columns in parts, which a second kernel combines. A unit takes
//! in some 25 bytes a cycle this way, so that all units must have the same share; clusters are placed unevenly (30 of
//! four workgroups on 132 units, 32 heads make two on some). For short columns of few heads a cluster of 8 workgroups
//! shares the columns of each, and nothing is left for a second kernel.
//!
//! Worked example: 32 heads of 1 row, 128 features on 132 units: workgroups of 8 warps, one a unit: 4 parts of each
//! head (48 heads: of 4 warps, 5 parts). 8 heads over 2048 columns: 8 clusters of 8 workgroups of 8 warps.

use crate::attention::schedule::{AttentionSchedule, AttentionStream};
use fornax_graph::ElementType;
use fornax_plan::{Atom, Attention, Body, Exprs, KernelPlan, Node, NodeId, VarId};
use fornax_targets::{Feature, Target};

/// Rows of a fragment.
const ROWS_MAX: u64 = 16;
/// Columns of a tile, and elements of a load.
const COLUMNS: u32 = 16;
const CHUNK: i64 = 8;
/// What four lanes load of a key at once, and eight of a value.
const DEPTH: i64 = 32;
const FEATURES: i64 = 64;
/// Elements of a vector, at most: keys and values of a tile lie in registers.
const ELEMENTS_MAX: i64 = 128;
/// Workgroups of a cluster that every device takes.
const CLUSTER_MAX: u32 = 8;
/// Columns from which the bytes take longer than a second launch: a cluster is for fewer. Copies by lanes are too:
/// beyond, tiles in shared memory, cut in parts, are read faster (measured).
const COLUMNS_MAX: i64 = 4096;
/// Warps of a workgroup, in clusters and without; warps that share a unit's memory; tiles of a warp on their way.
const CLUSTER_WARPS: u32 = 8;
const WARPS: u32 = 4;
pub(super) const WARPS_PER_UNIT: u32 = 8;
const STAGES_MAX: u32 = 6;
/// Of a warp whose tiles come by the copy engine: three take 0.2 to 0.4 µs longer (measured).
const BULK_STAGES: u32 = 2;
/// What part of the units more workgroups must keep busy, so that twice as many parts are combined for it.
const BUSIER: f64 = 0.05;
/// Bytes of an element of a key or value.
const NARROW_BYTES: u64 = 2;
/// Shared memory that the hardware keeps for itself, a workgroup.
const RESERVED: u32 = 1024;

/// The plan as a stream, if rows, operands and target allow it.
pub fn choose(plan: &KernelPlan, target: &Target) -> Option<KernelPlan> {
    let Body::Attention(a) = &plan.body else { return None };
    let short = plan.exprs.indices.extent(a.column()) <= COLUMNS_MAX;
    let batch = batch(plan, a);
    let few = u64::from(CLUSTER_MAX) * batch <= u64::from(target.compute_units.max(1)) / 2;
    if short && few && target.has(Feature::Cluster) {
        return build(plan, target, CLUSTER_WARPS, CLUSTER_MAX, false);
    }
    let parts = build(plan, target, bulk_warps(batch, u64::from(target.compute_units.max(1))), 1, true);
    parts.or_else(|| short.then(|| build(plan, target, WARPS, 1, false)).flatten())
}

/// Warps of a workgroup that has its keys and values by the copy engine. One that fills a unit leaves half as many
/// parts to combine, two a unit keep more of the units busy where heads are many or do not divide them well.
fn bulk_warps(heads: u64, units: u64) -> u32 {
    let heads = heads.max(1);
    let busy = |slots: u64| (heads * (slots / heads)) as f64 / slots as f64;
    if units / heads >= 2 && busy(units) + BUSIER >= busy(2 * units) { WARPS_PER_UNIT } else { WARPS }
}

/// Heads of keys and values.
fn batch(plan: &KernelPlan, a: &Attention) -> u64 {
    a.batch(&plan.domain).iter().map(|&v| plan.exprs.indices.extent(v).max(1) as u64).product()
}

/// What a tuner may try.
pub fn candidates(plan: &KernelPlan, target: &Target) -> Vec<KernelPlan> {
    let clusters: &[u32] = if target.has(Feature::Cluster) { &[8, 4, 2, 1] } else { &[1] };
    let ways = [4, 6, 8].into_iter().flat_map(|warps| clusters.iter().map(move |&c| (warps, c)));
    let ways = ways.flat_map(|(warps, cluster)| [false, true].map(|bulk| (warps, cluster, bulk)));
    ways.filter_map(|(warps, cluster, bulk)| build(plan, target, warps, cluster, bulk)).collect()
}

/// With `bulk`, keys and values come a row at a time by the copy engine.
fn build(plan: &KernelPlan, target: &Target, warps: u32, cluster: u32, bulk: bool) -> Option<KernelPlan> {
    let needs = [Feature::Tma, Feature::Mbarrier];
    if bulk && !needs.into_iter().all(|f| target.has(f)) {
        return None;
    }
    let Body::Attention(a) = &plan.body else { return None };
    let rows = a.row_count(&plan.exprs);
    let extent = |var| plan.exprs.indices.extent(var);
    let (depth, features) = (extent(a.depth()), extent(a.feature));
    let whole = depth % DEPTH == 0 && features % FEATURES == 0 && depth.max(features) <= ELEMENTS_MAX;
    let operands = [(a.query, a.depth()), (a.key, a.depth()), (a.value, a.feature)];
    let plain = operands.into_iter().all(|(node, inner)| is_chunked(&plan.exprs, node, inner));
    if rows > ROWS_MAX || rows == 0 || !whole || !plain || extent(a.column()) < i64::from(COLUMNS) {
        return None;
    }
    let column = NARROW_BYTES * (depth + features).max(0) as u64;
    let all = batch(plan, a).saturating_mul(extent(a.column()).max(0) as u64).saturating_mul(column);
    let mut stream = AttentionStream {
        cluster,
        stages: 2,
        rows: rows as u32,
        depth: depth as u32,
        features: features as u32,
        bulk,
        // What does not fit is not there at the next call either, and others' lines may stay.
        beyond_cache: bulk && target.l2_bytes > 0 && all > target.l2_bytes,
    };
    // Workgroups of a unit share its memory.
    let groups = (WARPS_PER_UNIT / warps).max(1);
    let each = (target.shared_bytes_max / groups).saturating_sub(RESERVED);
    stream.stages = (each / (warps * stream.tile_bytes(COLUMNS))).clamp(2, if bulk { BULK_STAGES } else { STAGES_MAX });
    let schedule = AttentionSchedule {
        warps,
        row_tiles: 1,
        columns: COLUMNS,
        bulk: None,
        stream: Some(stream),
        tiles: None,
        chunks: None,
    };
    if schedule.shared_bytes() > target.shared_bytes_max {
        return None;
    }
    Some(plan.with_schedule(schedule))
}

/// Whether elements along `inner` are contiguous, every eighth on 16 bytes.
fn is_chunked(exprs: &Exprs, node: NodeId, inner: VarId) -> bool {
    let Node::Load { element, offset, mask: None, .. } = *exprs.node(node) else { return false };
    if !matches!(element, ElementType::F16 | ElementType::Bf16) {
        return false;
    }
    let linear = exprs.indices.linear(offset);
    let own = |atom| matches!(exprs.indices.atom(atom), Atom::Var(var) if var == inner);
    exprs.indices.stride(offset, inner) == Some(1)
        && linear.constant % CHUNK == 0
        && linear.terms.iter().all(|&(atom, step)| own(atom) || step % CHUNK == 0)
}

#[cfg(test)]
mod tests {
    use super::bulk_warps;

    #[test]
    fn workgroups_fill_a_unit_where_heads_divide_the_units() {
        assert_eq!([8, 32, 40, 64].map(|heads| bulk_warps(heads, 132)), [8; 4]);
        assert_eq!([28, 48, 80, 256].map(|heads| bulk_warps(heads, 132)), [4; 4]);
    }
}
