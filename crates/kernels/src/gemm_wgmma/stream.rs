//! Stream-K: products whose tiles do not fill whole rounds of the device. Whole rounds of tiles go through all steps;
//! the steps of the tiles that are left are cut into parts, so that these fill the device too.
//!
//! Input: the plan of a contraction, a count of its first rows (or columns, whichever is cut) and a number of parts
//! that divides a step variable. Output: three kernels: the first rows as they are; the parts of the others, each to
//! its own place of a temporary; and their sum, in the order of the parts, with what follows. No atomics and no waiting
//! between workgroups: the same input gives the same bits.
//!
//! Products of so few tiles that they fill no round are cut along the steps whole (split-K): no first kernel.
//! Workgroups of a cluster share a tile too (`shapes::SPLITS`), but eight at most; a weight's gradient of a convolution
//! has as many steps as there are pixels. [64, 100352]·[100352, 256] bf16 on 132 units: 4 tiles, by 32 workgroups of
//! clusters 36 µs.
//!
//! Worked example: [1280, 4096]·[4096, 3584] bf16 on 132 units, tiles of 128 × 256: 140 tiles are two rounds. Of the
//! first 1152 rows they are 126, one round; the 14 tiles of the last 128 rows in 8 parts are 112, an eighth of a round.

use super::schedule::WgmmaSchedule;
use fornax_plan::Unscheduled;
use fornax_targets::fitted::gemm_wgmma::{CYCLES_MIN, SPLIT_CYCLES_MIN, SUM_BYTES_PER_CYCLE, SUM_CYCLES};
use std::collections::HashMap;

use fornax_plan::form::points;
use fornax_plan::substitute::Substitution;
use fornax_plan::{Access, Body, ContractionForm, KernelPlan, Store, VarId};
use fornax_targets::Target;

use super::candidates as warpgroup;
use crate::collapse::collapse;
use crate::parts;
use crate::refusal::{Because, STREAM_DEARER, STREAM_SHORT};
use crate::scheduled::{Bound, Prepare, Ready, Scheduled, drop_unused};

/// Rows and columns of tiles, in which the first part is counted.
const TILES: &[i64] = &[256, 192, 128];
/// Parts that the steps of the rest may be cut into, and steps of a part at least.
const PARTS: &[i64] = &[2, 3, 4, 6, 8, 12, 16];
/// The same where all of a product is cut.
const SPLIT_PARTS: &[i64] = &[2, 3, 4, 6, 7, 8, 12, 14, 16, 24, 28, 32, 48, 56, 64, 96, 128];
const PART_STEPS_MIN: i64 = 256;
/// Outputs a unit above which tiles are not few.
const SPLIT_OUTPUTS_MAX: i64 = 128 * 128;
/// Hundredths of the one kernel's cycles that three may take.
const GAIN: u64 = 92;
/// Ways that are offered to a tuner.
const WAYS: usize = 6;

/// How a product is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The variable whose first values make the first kernel, and how many these are; `None`: there is no first kernel.
    start: Option<(VarId, i64)>,
    parts: i64,
    cycles: u64,
}

impl Cut {
    fn name(&self, plan: &KernelPlan) -> String {
        let Some((var, first)) = self.start else { return format!("split parts {}", self.parts) };
        let side = if plan.domain.first() == Some(&var) { "rows" } else { "columns" };
        format!("stream {side} {first} parts {}", self.parts)
    }
}

/// Cuts a product that the model gave to warpgroups, where that is cheaper: the kernels that come first; the plan
/// becomes the sum. None of them has a schedule yet.
pub fn split(plan: &mut KernelPlan, bound: &mut Vec<Bound>, target: &Target, number: usize) -> Option<Vec<Prepare>> {
    plan.schedule_as::<WgmmaSchedule>()?;
    let whole = warpgroup::cycles(plan, target)?;
    let best = cuts(plan, target, whole).into_iter().next()?;
    (best.cycles * 100 < whole * GAIN).then(|| apply(plan, bound, &best, number)).flatten()
}

/// Cycles of a product on warpgroups, whole or cut, whichever is cheaper.
pub fn cycles(plan: &KernelPlan, target: &Target) -> Option<u64> {
    let whole = warpgroup::cycles(plan, target)?;
    let cut = cuts(plan, target, whole).into_iter().next().map(|cut| cut.cycles);
    Some(cut.filter(|&cycles| cycles * 100 < whole * GAIN).unwrap_or(whole))
}

/// The best cut of a product that warpgroups take whole, with its cycles.
///
/// # Errors
/// Why it is not cut.
pub fn said(plan: &KernelPlan, target: &Target) -> Result<(String, u64), Because> {
    let whole = warpgroup::cycles(plan, target).unwrap_or_default();
    let best = cuts(plan, target, whole).into_iter().next().ok_or_else(|| STREAM_SHORT.of([whole as i64]))?;
    let pays = best.cycles * 100 < whole * GAIN;
    let dearer = || STREAM_DEARER.of([best.cycles as i64, whole as i64]);
    pays.then(|| (best.name(plan), best.cycles)).ok_or_else(dearer)
}

/// The ways for a tuner, the best by the model first; their last kernels have no schedules yet.
pub fn ways(ready: &Ready, target: &Target) -> Vec<(String, Scheduled)> {
    let Some(whole) = warpgroup::cycles(&ready.plan, target).filter(|_| ready.plan.has_static_loops()) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for cut in cuts(&ready.plan, target, whole).into_iter().take(WAYS) {
        let name = cut.name(&ready.plan);
        let Ready { mut plan, mut bound, mut prepare, .. } = ready.clone();
        let Some(before) = apply(&mut plan, &mut bound, &cut, prepare.len()) else { continue };
        prepare.extend(before);
        found.push((name, Scheduled { plan, others: Vec::new(), bound, prepare, ignored: None }));
    }
    found
}

/// Every cut that may pay, the cheapest first.
fn cuts(plan: &KernelPlan, target: &Target, whole: u64) -> Vec<Cut> {
    // What is computed in the ring was not measured in parts.
    if warpgroup::expands(plan) {
        return Vec::new();
    }
    let mut found = streams(plan, target, whole);
    found.extend(splits(plan, target, whole));
    found.sort_by_key(|c| c.cycles);
    found
}

/// The steps of all tiles in parts.
fn splits(plan: &KernelPlan, target: &Target, whole: u64) -> Vec<Cut> {
    let units = i64::from(target.compute_units.max(1));
    if whole < SPLIT_CYCLES_MIN || points(&plan.exprs, &plan.domain) > units * SPLIT_OUTPUTS_MAX {
        return Vec::new();
    }
    let steps = points(&plan.exprs, plan.body.reduction());
    let cut = |&parts: &i64| {
        let parts::Parts { partial, whole } = parts::cut(plan, parts)?;
        let cycles = warpgroup::cycles(&partial, target)?;
        let sum = SUM_CYCLES + whole.bytes_moved() / SUM_BYTES_PER_CYCLE;
        Some(Cut { start: None, parts, cycles: cycles + sum })
    };
    SPLIT_PARTS.iter().filter(|&&parts| steps / parts >= PART_STEPS_MIN).filter_map(cut).collect()
}

/// Whole rounds of tiles, and the steps of the others in parts.
fn streams(plan: &KernelPlan, target: &Target, whole: u64) -> Vec<Cut> {
    let Some(form) = ContractionForm::of(plan) else { return Vec::new() };
    let units = i64::from(target.compute_units.max(1));
    if whole < CYCLES_MIN || points(&plan.exprs, &form.batch) > 1 {
        return Vec::new();
    }
    let mut found: Vec<Cut> = Vec::new();
    for (cut, other) in [(&form.rows, &form.columns), (&form.columns, &form.rows)] {
        let [var] = cut[..] else { continue };
        let extent = plan.exprs.indices.extent(var);
        let across = points(&plan.exprs, other);
        for (&down, &wide) in TILES.iter().flat_map(|down| TILES.iter().map(move |wide| (down, wide))) {
            let each = (across + wide - 1) / wide;
            let rounds = (extent / down) * each / units;
            let first = rounds * units / each * down;
            if first == 0 || first >= extent || found.iter().any(|c| c.start == Some((var, first))) {
                continue;
            }
            let Some(start) = restricted(plan, var, 0, first).and_then(|p| warpgroup::cycles(&p, target)) else {
                continue;
            };
            let Some(rest) = restricted(plan, var, first, extent - first) else { continue };
            for &parts in PARTS {
                let steps = points(&plan.exprs, &form.steps);
                if steps / parts < PART_STEPS_MIN {
                    continue;
                }
                let Some(parts::Parts { partial, .. }) = parts::cut(&rest, parts) else { continue };
                let Some(cycles) = warpgroup::cycles(&partial, target) else { continue };
                let written =
                    partial.buffers.last().map_or(0, |b| b.elements as u64 * b.element.storage_bytes() as u64);
                let sum = SUM_CYCLES + written / SUM_BYTES_PER_CYCLE;
                found.push(Cut { start: Some((var, first)), parts, cycles: start + cycles + sum });
            }
        }
    }
    found
}

/// The kernels of the first rows and of the parts of the others; the plan becomes the sum of these.
fn apply(plan: &mut KernelPlan, bound: &mut Vec<Bound>, cut: &Cut, number: usize) -> Option<Vec<Prepare>> {
    let Some((var, first)) = cut.start else { return whole_in_parts(plan, bound, cut.parts, number) };
    let extent = plan.exprs.indices.extent(var);
    let mut start = restricted(plan, var, 0, first)?;
    let rest = restricted(plan, var, first, extent - first)?;
    let parts::Parts { mut partial, whole } = parts::cut(&rest, cut.parts)?;
    share_results(&mut start);
    start.note = format!("{first} of {extent}, whole rounds of tiles");
    partial.note = format!("the other {} in {} parts", extent - first, cut.parts);
    let mut all = std::mem::take(bound);
    let first = Prepare { plan: start, bound: all.clone() };
    all.push(Bound::Prepared(number + 1));
    let mut parts = Prepare { plan: partial, bound: all.clone() };
    parts.bound = drop_unused(&mut parts.plan, parts.bound);
    *plan = whole;
    share_results(plan);
    *bound = drop_unused(plan, all);
    collapse(plan);
    Some(vec![first, parts])
}

/// The kernel of all parts; the plan becomes their sum.
fn whole_in_parts(plan: &mut KernelPlan, bound: &mut Vec<Bound>, count: i64, number: usize) -> Option<Vec<Prepare>> {
    let parts::Parts { mut partial, whole } = parts::cut(plan, count)?;
    partial.note = format!("the steps in {count} parts, for want of tiles");
    let mut all = std::mem::take(bound);
    all.push(Bound::Prepared(number));
    let mut parts = Prepare { plan: partial, bound: all.clone() };
    parts.bound = drop_unused(&mut parts.plan, parts.bound);
    *plan = whole;
    *bound = drop_unused(plan, all);
    collapse(plan);
    Some(vec![parts])
}

/// Another kernel writes the rest of the results.
fn share_results(plan: &mut KernelPlan) {
    for buffer in plan.buffers.iter_mut().filter(|b| b.access == Access::Write) {
        buffer.access = Access::Update;
    }
}

/// The plan for `count` values of a domain variable from `first` on.
fn restricted(plan: &KernelPlan, var: VarId, first: i64, count: i64) -> Option<KernelPlan> {
    let Body::Contraction { reduction, lhs, rhs, accumulator, precision, stores } = &plan.body else { return None };
    let mut exprs = plan.exprs.clone();
    let inside = exprs.indices.add_var(count);
    let at = exprs.indices.var(inside);
    let map = HashMap::from([(var, exprs.indices.offset(at, first))]);
    let mut s = Substitution::new(&mut exprs, &map);
    let (lhs, rhs) = (s.node(*lhs), s.node(*rhs));
    let store = |store: &Store| Store { offset: s.index(store.offset), value: s.node(store.value), ..*store };
    let stores = stores.iter().map(store).collect();
    let (reduction, accumulator, precision) = (reduction.clone(), *accumulator, *precision);
    let body = Body::Contraction { reduction, lhs, rhs, accumulator, precision, stores };
    let domain = plan.domain.iter().map(|&v| if v == var { inside } else { v }).collect();
    let none = Unscheduled;
    Some(KernelPlan::new(exprs, plan.buffers.clone(), domain, body, none, plan.summary.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fornax_graph::ElementType;
    use fornax_plan::{Buffer, Exprs, Node, Precision};

    fn product([m, n, k]: [i64; 3], element: ElementType) -> KernelPlan {
        let mut x = Exprs::default();
        let [i, j, p] = [m, n, k].map(|extent| x.indices.add_var(extent));
        let [vi, vj, vp] = [i, j, p].map(|v| x.indices.var(v));
        let mut load = |buffer, index: [_; 2], shape: [i64; 2]| {
            let offset = x.indices.linearize(&index, &shape);
            let load = x.add(Node::Load { buffer, element, offset, mask: None });
            x.convert(ElementType::F32, load)
        };
        let (lhs, rhs) = (load(0, [vi, vp], [m, k]), load(1, [vp, vj], [k, n]));
        let value = x.add(Node::Reduced { index: 0, element: ElementType::F32 });
        let offset = x.indices.linearize(&[vi, vj], &[m, n]);
        let stores = vec![Store { buffer: 2, offset, value }];
        let (accumulator, precision) = (ElementType::F32, Precision::Ieee);
        let body = Body::Contraction { reduction: vec![p], lhs, rhs, accumulator, precision, stores };
        let buffer = |element, elements, access| Buffer { element, elements, access };
        let buffers = vec![
            buffer(element, m * k, Access::Read),
            buffer(element, k * n, Access::Read),
            buffer(ElementType::F32, m * n, Access::Write),
        ];
        let none = Unscheduled;
        KernelPlan::new(x, buffers, vec![i, j], body, none, "product".into())
    }

    fn run(plan: &KernelPlan, mut buffers: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        fornax_plan::interpret::run(plan, &mut buffers).expect("it runs");
        buffers
    }

    /// Small whole numbers: sums are exact in any order.
    #[test]
    fn the_three_kernels_make_the_product() {
        let plan = product([14, 6, 24], ElementType::F32);
        let numbers = |n: usize| (0..n).flat_map(|i| ((i * 7 % 11) as f32 - 5.0).to_le_bytes()).collect::<Vec<u8>>();
        let (a, b) = (numbers(14 * 24), numbers(24 * 6));
        let wanted = run(&plan, vec![a.clone(), b.clone(), vec![0; 336]]);
        for var in plan.domain.clone() {
            let (first, extent) = (plan.exprs.indices.extent(var) - 3, plan.exprs.indices.extent(var));
            let cut = Cut { start: Some((var, first)), parts: 4, cycles: 0 };
            let (mut sum, mut bound) = (plan.clone(), vec![Bound::Operand(0), Bound::Operand(1), Bound::Result(0)]);
            let before = apply(&mut sum, &mut bound, &cut, 0).expect("it is cut");
            assert_eq!(bound, [Bound::Result(0), Bound::Prepared(1)]);
            let started = run(&before[0].plan, vec![a.clone(), b.clone(), vec![0; 336]]).remove(2);
            let temporary = before[1].bytes() as usize;
            assert_eq!(temporary, 4 * 4 * 3 * (14 * 6 / extent as usize));
            let parts = run(&before[1].plan, vec![a.clone(), b.clone(), vec![0; temporary]]).remove(2);
            assert_eq!(run(&sum, vec![started, parts]).remove(0), wanted[2]);
        }
    }

    /// Two rounds of tiles, of which the second has twelve: the rest is cut. Whole rounds stay as they are.
    #[test]
    fn only_rounds_that_are_nearly_empty_are_cut() {
        let target = Target::from_spec("cuda:sm_90a").expect("a target");
        let cut = |extents| {
            let mut plan = product(extents, ElementType::Bf16);
            crate::chooser::choose(&mut plan, &target, false);
            let mut bound = vec![Bound::Operand(0), Bound::Operand(1), Bound::Result(0)];
            split(&mut plan, &mut bound, &target, 0).is_some()
        };
        for n in [2048, 4096, 8192] {
            assert!(!cut([n, n, n]), "{n}");
        }
        assert!(!cut([128, 768, 768]));
        assert!(cut([512, 4608, 16384]));
    }
}
