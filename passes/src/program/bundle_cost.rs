//! Which kernels may be parts of one bundle, and which had better not.
//!
//! Input: two launches that do not depend on one another. Output: yes, or no and why (`BNDL03`).
//!
//! A bundle has the registers and the shared memory of the part that needs most. Where all workgroups run at once that
//! costs nothing; else parts must be of one kind, which need about as many. Products by warpgroups have a workgroup a
//! multiprocessor: they go together where that takes fewer rounds than one after another.
//!
//! Worked example, H100: K and V of a decode step, [1, 2048]·[2048, 512] each, 64 workgroups of 128 threads: two of
//! them are 128 workgroups, of which the device holds 1056. A product of 20 us stays alone (BNDL04).

use fornax_kernels::access::loads;
use fornax_kernels::bundle::candidates::{fewer_threads, joining, predicted, side_by_side, smaller_clusters};
use fornax_plan::{Body, KernelPlan};
use fornax_targets::fitted::bundle::{LARGE_CYCLES, LARGE_PRODUCT_CYCLES, THREAD_REGISTERS};
use fornax_targets::{Backend, Target, unit_rates};

use super::storage::Key;
use crate::remarks::{
    Because, Decision, LAUNCH_BUFFERS, LAUNCH_CLUSTERS, LAUNCH_FULL, LAUNCH_GUARDS, LAUNCH_KINDS, LAUNCH_LARGE,
    LAUNCH_LONG, LAUNCH_OWN, LAUNCH_ROUNDS, LAUNCH_SIZED, LAUNCH_TENSOR_COPIES, LAUNCH_THREADS,
};

/// Launches of a bundle, at most: the code of all its parts is one kernel.
const LAUNCHES_MAX: usize = 64;
/// Nodes of all parts of a bundle, at most: about so many instructions a thread.
const NODES_MAX: usize = 4096;
/// Elements that a thread of one part reads one after another, more than a thread of another does, at most: what waits
/// for the other would wait for them too.
const THREAD_STEPS_MORE: f64 = 2048.0;
/// The family of products by warpgroups.
const WGMMA: &str = "wgmma";
/// Buffers of a bundle, at most: CUDA gives a kernel 4 KiB of parameters, 8 bytes each.
const BUFFERS_MAX: usize = 480;

/// A launch as a part.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub kernel: u32,
    pub guard: Option<Key>,
    threads: u32,
    cluster: u32,
    shared: u32,
    workgroups: u64,
    buffers: usize,
    nodes: usize,
    /// The first word of the schedule's name.
    kind: String,
    /// It has tensor maps.
    pub copies: bool,
    /// Predicted cycles of the device.
    pub cycles: f64,
    /// Elements that a thread reads one after another.
    steps: f64,
    /// Why it is none.
    refused: Option<Because>,
    /// The kernel with another schedule, by which it can join others.
    pub again: Option<Box<KernelPlan>>,
}

impl Candidate {
    pub fn of(plan: &KernelPlan, (kernel, guard): (u32, Option<Key>), target: &Target) -> Candidate {
        let (grid, threads) = plan.launch();
        let (copies, kind) = (!plan.tensor_maps.is_empty(), plan.way());
        let kind = kind.split(' ').next().unwrap_or_default().to_string();
        let cycles = cycles(plan, target);
        let largest = if copies { LARGE_PRODUCT_CYCLES } else { LARGE_CYCLES };
        let refused = if plan.is_sized() || plan.launch_formula().is_some() {
            Some(LAUNCH_SIZED.of([]))
        } else if copies && !(kind == WGMMA && matches!(plan.body, Body::Contraction { .. })) {
            Some(LAUNCH_TENSOR_COPIES.of([]))
        } else if matches!(plan.body, Body::FusedLoop(_) | Body::Bundle(_) | Body::Sort { .. } | Body::Attention(_)) {
            Some(LAUNCH_OWN.of([]))
        } else if cycles > largest {
            Some(LAUNCH_LARGE.of([cycles as i64, largest as i64]))
        } else {
            None
        };
        Candidate {
            kernel,
            guard,
            threads,
            cluster: plan.cluster(),
            shared: plan.dynamic_shared_bytes(),
            workgroups: all(grid),
            buffers: plan.buffers.len(),
            nodes: plan.reached().nodes.len(),
            kind,
            copies,
            cycles,
            steps: steps(plan),
            refused,
            again: None,
        }
    }

    /// The kernel as it would be launched.
    fn plan<'k>(&'k self, kernels: &'k [KernelPlan]) -> Option<&'k KernelPlan> {
        self.again.as_deref().or(kernels.get(self.kernel as usize))
    }

    /// The launch with another schedule of its kernel, by which it has the threads and clusters of others.
    pub fn joining(&self, group: &[Candidate], kernels: &[KernelPlan], target: &Target) -> Option<Candidate> {
        let first = group.first()?;
        let plan = self.plan(kernels)?;
        let known: Vec<&KernelPlan> = group.iter().map(|one| one.plan(kernels)).collect::<Option<_>>()?;
        if self.refused.or(first.refused).is_some() || (first.threads, first.cluster) == (self.threads, self.cluster) {
            return None;
        }
        let others = group.iter().map(|one| one.cycles).sum();
        let again = joining(plan, &known, others, target)?;
        let own = Candidate::of(&again, (self.kernel, self.guard), target);
        Some(Candidate { again: Some(Box::new(again)), ..own })
    }

    /// The launch with the cheapest schedule of each smaller cluster, and, where `joins` says that others join it as it
    /// is, of each smaller number of threads.
    pub fn narrower(&self, joins: bool, kernels: &[KernelPlan], target: &Target) -> Vec<Candidate> {
        let Some(plan) = kernels.get(self.kernel as usize).filter(|_| self.refused.is_none()) else {
            return Vec::new();
        };
        let mut narrower = smaller_clusters(plan, target);
        if joins {
            narrower.extend(fewer_threads(plan, target));
        }
        let other = |plan: KernelPlan| {
            let own = Candidate::of(&plan, (self.kernel, self.guard), target);
            Candidate { again: Some(Box::new(plan)), ..own }
        };
        narrower.into_iter().map(other).collect()
    }

    /// Predicted cycles of a workgroup: those that take longest go first.
    pub fn weight(&self) -> f64 {
        self.cycles / self.workgroups.max(1) as f64
    }
}

/// Cycles of one launch of a group by the models of their families; `None` where one has none.
pub fn all_predicted(group: &[Candidate], kernels: &[KernelPlan], target: &Target) -> Option<f64> {
    let plans: Vec<&KernelPlan> = group.iter().map(|one| one.plan(kernels)).collect::<Option<_>>()?;
    predicted(&plans, target)
}

/// Gives the launches of a group the schedules that are chosen for all of them at once, where there are such.
pub fn settle(group: &mut [Candidate], kernels: &[KernelPlan], target: &Target) {
    let plans: Option<Vec<&KernelPlan>> = group.iter().map(|one| one.plan(kernels)).collect();
    let Some(chosen) = plans.filter(|plans| plans.len() > 1).and_then(|plans| side_by_side(&plans, target)) else {
        return;
    };
    for (one, plan) in group.iter_mut().zip(chosen) {
        let own = Candidate::of(&plan, (one.kernel, one.guard), target);
        *one = Candidate { again: Some(Box::new(plan)), ..own };
    }
}

/// Whether a launch may join others.
pub fn joins(group: &[Candidate], next: &Candidate, target: &Target) -> Decision {
    match refusal(group, next, target) {
        Some(because) => Decision::No(because),
        None => Decision::Yes,
    }
}

fn refusal(group: &[Candidate], next: &Candidate, target: &Target) -> Option<Because> {
    let first = group.first()?;
    if let Some(refused) = first.refused.or(next.refused) {
        return Some(refused);
    }
    if first.threads != next.threads {
        return Some(LAUNCH_THREADS.of([first.threads.into(), next.threads.into()]));
    }
    if first.cluster != next.cluster {
        return Some(LAUNCH_CLUSTERS.of([first.cluster.into(), next.cluster.into()]));
    }
    if first.guard != next.guard {
        return Some(LAUNCH_GUARDS.of([]));
    }
    if first.copies != next.copies {
        return Some(LAUNCH_TENSOR_COPIES.of([]));
    }
    if first.copies {
        let rounds = |workgroups: u64| workgroups.div_ceil(u64::from(target.compute_units.max(1)));
        let own = group.iter().map(|one| one.workgroups).fold(0, u64::saturating_add);
        let together = rounds(own.saturating_add(next.workgroups));
        if together >= rounds(own) + rounds(next.workgroups) {
            return Some(LAUNCH_ROUNDS.of([together as i64]));
        }
    }
    let far = |one: &&Candidate| !next.copies && (one.steps - next.steps).abs() > THREAD_STEPS_MORE;
    if let Some(one) = group.iter().find(far) {
        return Some(LAUNCH_LONG.of([one.steps as i64, next.steps as i64]));
    }
    let whole = || group.iter().chain([next]);
    let distinct = |of: &dyn Fn(&Candidate) -> usize| {
        let mut kernels: Vec<(u32, usize)> = whole().map(|one| (one.kernel, of(one))).collect();
        kernels.sort_unstable();
        kernels.dedup();
        kernels.iter().map(|kernel| kernel.1).sum::<usize>()
    };
    let nodes = distinct(&|one| one.nodes);
    if group.len() >= LAUNCHES_MAX || nodes > NODES_MAX {
        return Some(LAUNCH_FULL.of([group.len() as i64 + 1, nodes as i64]));
    }
    let buffers: usize = whole().map(|one| one.buffers).sum();
    if buffers > BUFFERS_MAX {
        return Some(LAUNCH_BUFFERS.of([buffers as i64, BUFFERS_MAX as i64]));
    }
    let shared = whole().map(|one| one.shared).max().unwrap_or(0);
    let (workgroups, held) =
        (whole().map(|one| one.workgroups).fold(0, u64::saturating_add), held((first.threads, shared), target));
    if workgroups > held && first.kind != next.kind {
        return Some(LAUNCH_KINDS.of([workgroups as i64, held as i64]));
    }
    None
}

/// Workgroups that a device holds at a time.
fn held((threads, shared): (u32, u32), target: &Target) -> u64 {
    let threads = threads.max(1);
    let by_registers = match target.backend {
        Backend::Cuda => target.registers_per_unit / THREAD_REGISTERS / threads,
        _ => u32::MAX,
    };
    let by_shared = target.shared_bytes_per_unit / shared.max(1);
    let of_unit = (target.max_threads_per_unit / threads).min(by_registers).min(by_shared).max(1);
    u64::from(of_unit) * u64::from(target.compute_units.max(1))
}

/// Workgroups of a grid.
fn all(grid: [u64; 3]) -> u64 {
    grid.into_iter().fold(1, u64::saturating_mul)
}

/// Elements that a plan reads, each as often as it is used.
fn elements(plan: &KernelPlan) -> f64 {
    let loads = loads(&plan.exprs, &plan.body.roots()).len().max(1) as f64;
    let points = plan.domain.iter().chain(plan.body.reduction());
    loads * points.map(|&v| plan.exprs.indices.extent(v).max(1) as f64).product::<f64>()
}

/// Elements that a thread reads, one after another.
fn steps(plan: &KernelPlan) -> f64 {
    let (grid, threads) = plan.launch();
    elements(plan) / (all(grid).max(1) as f64 * f64::from(threads.max(1)))
}

/// Cycles of the device for the bytes and the operations of a kernel, without its launch; of the matrix unit's for the
/// bytes alone.
fn cycles(plan: &KernelPlan, target: &Target) -> f64 {
    let Some(rates) = unit_rates(target) else { return f64::INFINITY };
    let memory = plan.bytes_moved() as f64 / f64::from(rates.memory_bytes.max(1));
    if !plan.tensor_maps.is_empty() {
        return memory / f64::from(target.compute_units.max(1));
    }
    // Every element that is read goes through the caches, or is an operation at least.
    let work = elements(plan) / f64::from(rates.scalar_f32.max(1));
    memory.max(work) / f64::from(target.compute_units.max(1))
}

#[cfg(test)]
mod tests {
    use crate::example::import;
    use crate::program::Options;
    use fornax_targets::Target;

    /// Threads of the launches of two products of a row of 4096 in bf16, of so many outputs each.
    fn threads(outputs: [u32; 2]) -> Vec<u32> {
        let (x, [y, z]) = ("tensor<1x4096xbf16>", outputs.map(|n| format!("tensor<1x{n}xbf16>")));
        let [v, w] = outputs.map(|n| format!("tensor<{n}x4096xbf16>"));
        let model = format!(
            "func.func @main(%x: {x}, %v: {v}, %w: {w}) -> ({y}, {z}) {{\n\
             %y = stablehlo.dot_general %x, %v, contracting_dims = [1] x [1] : ({x}, {v}) -> {y}\n\
             %z = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : ({x}, {w}) -> {z}\n\
             return %y, %z : {y}, {z}\n}}\n"
        );
        let graph = crate::fuse(&import(&model)).unwrap();
        let target = Target::from_spec("cuda:sm_90a").unwrap();
        let planned = crate::plan(&graph, &target, &Options::default()).unwrap();
        planned.kernels.iter().map(|plan| plan.launch().1).collect()
    }

    /// Queries, keys and values of so many texts of Llama 3.1 8B.
    #[test]
    fn clusters_are_smaller_where_others_fit_beside() {
        for texts in [32, 64, 128] {
            let x = format!("tensor<{texts}x4096xbf16>");
            let product = |name: usize, n: u32| {
                format!(
                    "%y{name} = stablehlo.dot_general %x, %w{name}, contracting_dims = [1] x [1] : ({x}, \
                     tensor<{n}x4096xbf16>) -> tensor<{texts}x{n}xbf16>\n"
                )
            };
            let outputs = [4096, 1024, 1024];
            let list = |of: &dyn Fn((usize, u32)) -> String| {
                outputs.into_iter().enumerate().map(of).collect::<Vec<_>>().join(", ")
            };
            let body: String = outputs.into_iter().enumerate().map(|(name, n)| product(name, n)).collect();
            let model = format!(
                "func.func @main(%x: {x}, {}) -> ({types}) {{\n{body}return %y0, %y1, %y2 : {types}\n}}\n",
                list(&|(name, n)| format!("%w{name}: tensor<{n}x4096xbf16>")),
                types = list(&|(_, n)| format!("tensor<{texts}x{n}xbf16>")),
            );
            let graph = crate::fuse(&import(&model)).unwrap();
            let target = Target::from_spec("cuda:sm_90a").unwrap();
            let planned = crate::plan(&graph, &target, &Options::default()).unwrap();
            let launches: Vec<_> =
                planned.kernels.iter().map(|plan| plan.body.bundle().map(|b| b.launches())).collect();
            assert_eq!(launches, [Some(3)], "{texts} texts");
            let plan = &planned.kernels[0];
            assert!(plan.cluster() == 1 && plan.launch().0[0] <= 132, "{texts} texts: {:?}", plan.launch());
        }
    }

    #[test]
    fn the_largest_part_may_have_fewer_threads_than_the_first() {
        let (alone, both) = (threads([512, 16]), threads([512, 4096]));
        assert!(alone[0] > both[0] && both.len() == 1, "{alone:?} {both:?}");
    }
}
