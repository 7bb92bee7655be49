//! Schedules by which a kernel can join others: with as many threads a workgroup, and as many workgroups a cluster.
//!
//! Input: a scheduled kernel, the threads and the cluster of the others, cycles that they take. Output: the kernel with
//! the same schedule as the first, or the cheapest such of its own family, if it takes no longer than the others and
//! itself one after another. The same is better than the model knows: workgroups then do as much each, side by side.
//! Where the family's model knows what kernels of one launch do to each other ([`Family::together`]), it chooses.
//!
//! Worked example, H100: K of a decode step, [1, 2048]·[2048, 512]: alone it takes clusters of 8 workgroups of 128
//! threads, so that all units work. With Q, which has 512 threads and no clusters, it takes that too. In a step of
//! Llama 1B on an H200, a norm, Q, K and V in the schedule of Q take 5.8 us, with the cheapest for K and V 13.2.

use std::collections::BTreeMap;

use fornax_plan::KernelPlan;
use fornax_targets::Target;
use fornax_targets::fitted::bundle::FOR_ROOM;

use crate::FAMILIES;
use crate::family::Family;

/// The kernel with a schedule of the threads and the cluster of others, which take `cycles`; only families with a cost
/// model are asked.
pub fn joining(plan: &KernelPlan, others: &[&KernelPlan], cycles: f64, target: &Target) -> Option<KernelPlan> {
    let first = *others.first()?;
    let (threads, cluster) = (first.launch().1, first.cluster());
    let family = family(plan)?;
    let copies = |plan: &KernelPlan| !plan.tensor_maps.is_empty();
    let fits =
        |other: &KernelPlan| (other.launch().1, other.cluster(), copies(other)) == (threads, cluster, copies(first));
    if let Some(together) = family.together.filter(|_| copies(first))
        && let (Some(without), Some(own)) = (together(others, target), together(&[plan], target))
    {
        let most = without + own;
        let all = (family.candidates?)(plan, target).into_iter().filter(fits);
        let takes = |other: &KernelPlan| together(&[others, &[other]].concat(), target).filter(|&takes| takes < most);
        return smallest(all.filter_map(|other| Some((takes(&other)?, other))).collect());
    }
    let costs = costs(family, plan, target);
    let cost = |way: &str| costs.iter().find(|(name, _)| name == way).map(|(_, cycles)| *cycles as f64);
    let most = cost(&plan.way())? + cycles;
    let same = family.named.and_then(|named| named(plan, target, &|way| way == first.way()));
    same.filter(fits).or_else(|| {
        let mut candidates = (family.candidates?)(plan, target).into_iter().filter(fits);
        candidates.find(|other| cost(&other.way()).is_some_and(|cycles| cycles <= most))
    })
}

/// The kernels of one launch with schedules that their family chooses for all at once, if it does.
pub fn side_by_side(plans: &[&KernelPlan], target: &Target) -> Option<Vec<KernelPlan>> {
    let choose = plans.first().and_then(|first| family(first)?.side_by_side)?;
    choose(plans, target)
}

/// Predicted cycles of kernels in one launch: what they do to each other counts where the family's model knows it.
pub fn predicted(plans: &[&KernelPlan], target: &Target) -> Option<f64> {
    let known = plans.first().and_then(|first| family(first)?.together);
    if let Some(takes) = known.and_then(|together| together(plans, target)) {
        return Some(takes);
    }
    plans.iter().map(|plan| alone(plan, target)).sum()
}

/// Predicted cycles of a kernel with the threads and the cluster that it has: of its schedule where its family has a
/// model and offers it, else of the cheapest such.
fn alone(plan: &KernelPlan, target: &Target) -> Option<f64> {
    let (family, way) = (family(plan)?, plan.way());
    let costs = costs(family, plan, target);
    let cost = |way: &str| costs.iter().find(|(name, _)| name == way).map(|(_, cycles)| *cycles as f64);
    let is_like = |other: &KernelPlan| (other.launch().1, other.cluster()) == (plan.launch().1, plan.cluster());
    cost(&way).or_else(|| {
        let like = (family.candidates?)(plan, target).into_iter().filter(is_like);
        like.filter_map(|other| cost(&other.way())).reduce(f64::min)
    })
}

/// The kernel with the cheapest schedule of its kind of each smaller number of threads, without clusters.
///
/// Not of a larger one. Source: queries, keys and values of Llama 3.2 1B, of which the model says 12,755 cycles with
/// 128 threads and 12,016 with 256: a step takes 0.768 ms and 0.772, one H200.
pub fn fewer_threads(plan: &KernelPlan, target: &Target) -> Vec<KernelPlan> {
    let Some(candidates) = family(plan).and_then(|family| family.candidates) else { return Vec::new() };
    let (most, own) = (plan.launch().1, kind(&plan.way()));
    let mut known: Vec<u32> = Vec::new();
    let mut is_new = |other: &KernelPlan| {
        let threads = other.launch().1;
        let fits = threads < most && other.cluster() == 1 && other.tensor_maps.is_empty() && kind(&other.way()) == own;
        let is_new = fits && !known.contains(&threads);
        if is_new {
            known.push(threads);
        }
        is_new
    };
    candidates(plan, target).into_iter().filter(|other| is_new(other)).collect()
}

/// The kernel with schedules of smaller clusters that take about as long, where the family's model knows what kernels
/// of one launch do to each other: the cheapest of each number of threads and of workgroups. What fills the device
/// alone leaves no room for others.
pub fn smaller_clusters(plan: &KernelPlan, target: &Target) -> Vec<KernelPlan> {
    let Some(family) = family(plan).filter(|_| plan.cluster() > 1) else { return Vec::new() };
    let (Some(candidates), Some(together)) = (family.candidates, family.together) else { return Vec::new() };
    // The cheapest of as many threads a workgroup, workgroups a cluster, and workgroups.
    let mut known: BTreeMap<(u32, u32, u64), (f64, KernelPlan)> = BTreeMap::new();
    let mut least = f64::INFINITY;
    for other in candidates(plan, target).into_iter().filter(|other| other.cluster() < plan.cluster()) {
        let Some(takes) = together(&[&other], target) else { continue };
        let (grid, threads) = other.launch();
        least = takes.min(least);
        let own = known.entry((threads, other.cluster(), grid[0])).or_insert((f64::INFINITY, other.clone()));
        if takes < own.0 {
            *own = (takes, other);
        }
    }
    known.into_values().filter(|own| own.0 <= least * FOR_ROOM).map(|own| own.1).collect()
}

/// Of kernels that take about as many cycles as the best of them the one with the fewest workgroups.
fn smallest(mut all: Vec<(f64, KernelPlan)>) -> Option<KernelPlan> {
    let least = all.iter().map(|one| one.0).reduce(f64::min)?;
    all.retain(|one| one.0 <= least * FOR_ROOM);
    let order = |a: &(f64, KernelPlan), b: &(f64, KernelPlan)| {
        a.1.launch().0.cmp(&b.1.launch().0).then_with(|| a.0.total_cmp(&b.0))
    };
    all.into_iter().min_by(order).map(|one| one.1)
}

/// The words of a schedule's name, without its numbers: costs of one kind can be compared.
fn kind(way: &str) -> String {
    way.chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// The family of a kernel's schedule.
fn family(plan: &KernelPlan) -> Option<&'static Family> {
    let way = plan.way();
    FAMILIES.iter().find(|family| way.split(' ').next() == Some(family.name))
}

/// Names of a family's schedules for a kernel with their predicted cycles.
fn costs(family: &Family, plan: &KernelPlan, target: &Target) -> Vec<(String, u64)> {
    family.tries.iter().flat_map(|each| (each.costs)(plan, target)).collect()
}
