//! `--schedule=NAME`: the user demands how kernels with a choice are scheduled; where that cannot be, an error says
//! what was tried.
//!
//! Input: a lowered group and the beginning of a way's name (`mma`, `wgmma 128x256`). Output: the best schedule
//! of such a name by the cost models, or what was tried. Kernels that have one way only are left alone.
//!
//! Worked example: `wgmma` on sm_80, which has no such instructions: `NoScheduleFound`, with the schedules that
//! exist.

use std::collections::BTreeMap;

use fornax_plan::{Body, ContractionForm, KernelPlan};
use fornax_targets::Target;

use crate::FAMILIES;
use crate::chooser::by_model;
use crate::gemm_mma::candidates as mma;
use crate::scheduled::{Ready, Scheduled, of_plan};
use crate::tile::candidates as tile;
use crate::tuning::{named, offered};

/// How the ways of products begin that are cut along their steps so that all units have equal work.
const STREAM: &str = "stream";

/// First words of the ways that can be demanded.
pub fn kinds() -> Vec<&'static str> {
    let families = FAMILIES.iter().filter(|family| family.demanded).map(|family| family.name);
    families.chain([STREAM]).collect()
}

/// There is no schedule of the demanded name.
#[derive(Clone, Debug)]
pub struct NoSchedule {
    /// What there is instead, or what keeps the demanded one out.
    pub tried: String,
    /// Those of the target.
    pub limits: String,
}

/// The schedule of a group whose way begins as demanded.
///
/// # Errors
/// Where a contraction or an attention has no such schedule: what was tried.
pub fn demanded(
    ready: Ready,
    target: &Target,
    demand: &str,
    is_constant: &dyn Fn(usize) -> bool,
) -> Result<Scheduled, NoSchedule> {
    let model = by_model(ready.clone(), target, is_constant);
    if !is_product(&ready.plan) || is_called(&model, &ready, demand) {
        return Ok(model);
    }
    if ready.plan.has_static_loops() {
        let of_name = named(demand).filter(|_| demand.contains(' '));
        if let Some(plan) = of_name.and_then(|named| named(&ready.plan, target, &|name| name.starts_with(demand))) {
            return Ok(of_plan(&ready, plan));
        }
        if let Some((_, scheduled)) = offered(&ready, target, usize::MAX, demand).into_iter().next() {
            return Ok(scheduled);
        }
        let mut plan = ready.plan.clone();
        if matches!(plan.body, Body::Contraction { .. }) && target.is_gpu() {
            let schedule = tile::contraction(&mut plan, target);
            plan.set_schedule(schedule);
            if plan.way().starts_with(demand) {
                return Ok(of_plan(&ready, plan));
            }
        }
    }
    Err(NoSchedule { tried: tried(&ready, &model, target, demand), limits: limits(target) })
}

/// Products and attention: what a demand is for. Other kernels keep the models' schedule.
fn is_product(plan: &KernelPlan) -> bool {
    matches!(plan.body, Body::Attention(_)) || ContractionForm::of(plan).is_some()
}

/// Whether the models chose as demanded: the kernel itself, or one before it that it was cut into (what is left then is
/// a sum).
fn is_called(model: &Scheduled, ready: &Ready, demand: &str) -> bool {
    let starts = |plan: &KernelPlan| plan.way().starts_with(demand);
    let cut = model.prepare.get(ready.prepare.len()..).unwrap_or_default();
    let main = || model.others.iter().chain([&model.plan]).all(starts) && is_product(&model.plan);
    cut.iter().any(|before| starts(&before.plan)) || main()
}

/// What there is instead, and what keeps the demanded schedule out where that is known.
fn tried(ready: &Ready, model: &Scheduled, target: &Target, demand: &str) -> String {
    if let Some(why) = out_of_limits(&ready.plan, target, demand) {
        return why;
    }
    if !ready.plan.has_static_loops() {
        return format!("sizes are known only at run time, for which there is `{}`", model.plan.way());
    }
    let mut families: BTreeMap<String, (usize, u32, u32)> = BTreeMap::new();
    for (name, scheduled) in offered(ready, target, usize::MAX, "") {
        let family = name.split(' ').next().unwrap_or_default().to_string();
        let (_, threads) = scheduled.plan.launch();
        let row = families.entry(family).or_default();
        *row = (row.0 + 1, row.1.max(threads), row.2.max(scheduled.plan.dynamic_shared_bytes()));
    }
    let mut parts: Vec<String> = families
        .iter()
        .map(|(family, (count, threads, bytes))| {
            format!("{count} of `{family}` (up to {threads} threads, {bytes} bytes of shared memory)")
        })
        .collect();
    parts.push(format!("the models' choice `{}`", model.plan.way()));
    let refusal = mma::choose(&ready.plan, target).err().filter(|_| target.is_gpu());
    let refusal = refusal.map_or(String::new(), |why| format!("; {why}"));
    format!("{}{refusal}", parts.join(", "))
}

/// A schedule of the demanded name that would be one on a larger device: what it takes.
fn out_of_limits(plan: &KernelPlan, target: &Target, demand: &str) -> Option<String> {
    let plan = mma::whatever_fits(plan, target, demand)?;
    let (_, threads) = plan.launch();
    let shared = plan.dynamic_shared_bytes();
    let least = if shared > target.shared_bytes_max {
        format!("{shared} bytes of shared memory, {} are there", target.shared_bytes_max)
    } else if threads > target.max_threads_per_block {
        format!("{threads} threads, {} are there", target.max_threads_per_block)
    } else {
        mma::refusal(&plan, target)?.to_string()
    };
    Some(format!("`{}` takes {least}", plan.way()))
}

fn limits(target: &Target) -> String {
    format!(
        "{} threads a workgroup, {} bytes of shared memory, {} registers a thread, {} lanes a subgroup",
        target.max_threads_per_block, target.shared_bytes_max, target.max_registers_per_thread, target.subgroup_size
    )
}
