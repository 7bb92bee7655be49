//! Schedules by which a kernel can join others: with as many threads a workgroup, and as many workgroups a cluster.
//!
//! Input: a scheduled kernel, the threads and the cluster of the others, cycles that they take. Output: the kernel with
//! the same schedule as the first, or the cheapest such of its own family, if it takes no longer than the others and
//! itself one after another. The same is better than the model knows: workgroups then do as much each, side by side.
//!
//! Worked example, H100: K of a decode step, [1, 2048]·[2048, 512]: alone it takes clusters of 8 workgroups of 128
//! threads, so that all units work. With Q, which has 512 threads and no clusters, it takes that too. In a step of
//! Llama 1B on an H200, a norm, Q, K and V in the schedule of Q take 5.8 us, with the cheapest for K and V 13.2.

use fornax_plan::KernelPlan;
use fornax_targets::Target;

use crate::FAMILIES;

/// The kernel with a schedule of the threads and the cluster of the first of others; only families with a cost model
/// are asked.
pub fn joining(plan: &KernelPlan, first: &KernelPlan, others: f64, target: &Target) -> Option<KernelPlan> {
    let (threads, cluster) = (first.launch().1, first.cluster());
    let way = plan.way();
    let family = FAMILIES.iter().find(|family| way.split(' ').next() == Some(family.name))?;
    let costs: Vec<(String, u64)> = family.tries.iter().flat_map(|each| (each.costs)(plan, target)).collect();
    let cost = |way: &str| costs.iter().find(|(name, _)| name == way).map(|(_, cycles)| *cycles as f64);
    let most = cost(&way)? + others;
    let fits =
        |other: &KernelPlan| other.launch().1 == threads && other.cluster() == cluster && other.tensor_maps.is_empty();
    let same = family.named.and_then(|named| named(plan, target, &|way| way == first.way()));
    same.filter(fits).or_else(|| {
        let mut candidates = (family.candidates?)(plan, target).into_iter().filter(fits);
        candidates.find(|other| cost(&other.way()).is_some_and(|cycles| cycles <= most))
    })
}
