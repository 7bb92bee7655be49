//! `--schedule=NAME`: the user demands how kernels with a choice are scheduled; where that cannot be, an error says
//! what was tried.
//!
//! Input: a lowered group and the beginning of a way's name (`matrix`, `warpgroup 128x256`). Output: the best schedule
//! of such a name by the cost models, or FX0320. Kernels that have one way only are left alone.
//!
//! Worked example: `warpgroup` on sm_80, which has no such instructions: `NoScheduleFound`, with the schedules that
//! exist.

use std::collections::BTreeMap;

use fornax_graph::{Graph, OpId};
use fornax_plan::{Body, ContractionForm, KernelPlan, Schedule};
use fornax_targets::Target;

use super::tuning::{NAMED, of_plan, offered};
use super::{Ready, Scheduled, by_model, matrix, tile_schedule};
use crate::errors::{PassError, place};

/// First words of the ways that can be demanded, and what they are.
#[rustfmt::skip]
pub const FAMILIES: &[(&str, &str)] = &[
    ("warpgroup", "warpgroup matrix instructions fed by bulk copies (Hopper)"),
    ("matrix",    "matrix instructions of warps and waves, dot products"),
    ("skinny",    "products with few rows or columns"),
    ("stream",    "products cut along their steps so that all units have equal work"),
    ("window",    "products and reductions over windows"),
    ("attention", "one kernel for a whole attention"),
    ("tile",      "multiply-add without matrix instructions: every target has it"),
    ("panel",     "packed panels (processors)"),
];

/// The schedule of a group whose way begins as demanded.
///
/// # Errors
/// FX0320 where a contraction or an attention has no such schedule.
pub(super) fn demanded(
    graph: &Graph,
    fusion: OpId,
    ready: Ready,
    target: &Target,
    demand: &str,
    is_constant: &dyn Fn(usize) -> bool,
) -> Result<Scheduled, PassError> {
    let model = by_model(ready.clone(), target, is_constant);
    if !is_product(&ready.plan) || is_called(&model, &ready, demand) {
        return Ok(model);
    }
    if ready.plan.has_static_loops() {
        let named = NAMED.iter().find(|(start, _)| demand.starts_with(start));
        if let Some(plan) = named.and_then(|(_, named)| named(&ready.plan, target, &|name| name.starts_with(demand))) {
            return Ok(of_plan(&ready, plan));
        }
        if let Some((_, scheduled)) = offered(&ready, target, usize::MAX, demand).into_iter().next() {
            return Ok(scheduled);
        }
        let mut plan = ready.plan.clone();
        if matches!(plan.body, Body::Contraction { .. }) && target.is_gpu() {
            plan.schedule = Schedule::Tile(tile_schedule::contraction(&mut plan, target));
            if plan.way().starts_with(demand) {
                return Ok(of_plan(&ready, plan));
            }
        }
    }
    Err(PassError::NoSchedule {
        at: place(graph, graph.op(fusion).location),
        demand: demand.to_string(),
        target: target.spec(),
        tried: tried(&ready, &model, target, demand),
        limits: limits(target),
    })
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
    let refusal = matrix::choose(&ready.plan, target).err().filter(|_| target.is_gpu());
    let refusal = refusal.map_or(String::new(), |why| format!("; {why}"));
    format!("{}{refusal}", parts.join(", "))
}

/// A schedule of the demanded name that would be one on a larger device: what it takes.
fn out_of_limits(plan: &KernelPlan, target: &Target, demand: &str) -> Option<String> {
    let plan = matrix::whatever_fits(plan, target, demand)?;
    let (_, threads) = plan.launch();
    let shared = plan.dynamic_shared_bytes();
    let least = if shared > target.shared_bytes_max {
        format!("{shared} bytes of shared memory, {} are there", target.shared_bytes_max)
    } else if threads > target.max_threads_per_block {
        format!("{threads} threads, {} are there", target.max_threads_per_block)
    } else {
        matrix::refusal(&plan, target)?.to_string()
    };
    Some(format!("`{}` takes {least}", plan.way()))
}

fn limits(target: &Target) -> String {
    format!(
        "{} threads a workgroup, {} bytes of shared memory, {} registers a thread, {} lanes a subgroup",
        target.max_threads_per_block, target.shared_bytes_max, target.max_registers_per_thread, target.subgroup_size
    )
}

#[cfg(test)]
mod tests {
    use super::super::Options;
    use super::*;

    const PRODUCT: &str = "func.func @main(%x: tensor<512x512xbf16>, %w: tensor<512x512xbf16>) -> tensor<512x512xbf16> {
      %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<512x512xbf16>, tensor<512x512xbf16>) -> tensor<512x512xbf16>
      return %0 : tensor<512x512xbf16>
    }";

    fn planned(target: &str, demand: &str) -> Result<Vec<String>, PassError> {
        let graph = fornax_import::import_text(PRODUCT, "m.mlir", &Default::default()).unwrap();
        let fused = crate::fuse::fuse(&graph).unwrap();
        let schedule = Options { demand: Some(demand.into()), ..Options::default() };
        let options = crate::program::Options { schedule, ..Default::default() };
        let planned = crate::plan(&fused, &Target::from_spec(target).unwrap(), &options)?;
        Ok(planned.kernels.iter().map(KernelPlan::way).collect())
    }

    #[test]
    fn families_by_name() {
        for (target, demand) in [
            ("cuda:sm_90a", "warpgroup"),
            ("cuda:sm_90a", "matrix"),
            ("cuda:sm_90a", "tile"),
            ("cuda:sm_80", "matrix"),
            ("rocm:gfx942", "matrix"),
            ("rocm:gfx942", "tile"),
            ("cpu:x86-64-v3", "panel"),
        ] {
            let ways = planned(target, demand).unwrap_or_else(|e| panic!("{demand} on {target}: {e}"));
            assert!(ways.iter().any(|way| way.starts_with(demand)), "{demand} on {target}: {ways:?}");
        }
    }

    #[test]
    fn a_whole_name_is_that_way() {
        let ways = planned("cuda:sm_80", "matrix").unwrap();
        let way = ways.iter().find(|way| way.starts_with("matrix")).unwrap();
        assert!(planned("cuda:sm_80", way).unwrap().contains(way));
    }

    #[test]
    fn what_is_not_there_says_what_was_tried() {
        let error = planned("cuda:sm_80", "warpgroup").unwrap_err();
        assert_eq!(error.code(), "FX0320");
        let text = error.to_string();
        for part in
            ["m.mlir:2:", "NoScheduleFound", "`warpgroup`", "of `matrix` (up to", "101376 bytes", "--target=cpu"]
        {
            assert!(text.contains(part), "no {part} in {text}");
        }
    }

    #[test]
    fn a_schedule_above_the_limits_says_which() {
        let demand = "matrix m16n8k16.bf16 128x128x64 warps 2x4 stages 4";
        let text = planned("cuda:sm_80", demand).unwrap_err().to_string();
        assert!(text.contains("takes 131072 bytes of shared memory, 101376 are there"), "{text}");
        let ways = planned("cuda:sm_90a", demand).unwrap();
        assert!(matches!(ways.as_slice(), [way] if way.starts_with(demand)), "{ways:?}");
    }
}
