//! Which schedules are tried for a kernel, in which order, and what each says: it would be this one, or why it cannot be.
//!
//! Input: a lowered plan and a target. `first` gives the first schedule of `TRIES` that the plan can have; that is the
//! choice. [`explain`] asks all of them, on request only: what was chosen, what else there was at which predicted cost, and
//! who refused for which reason.
//!
//! Worked example: a product of [4, 4096]·[4096, 4096] in f32 on sm_80: `skinny` takes it. `explain` says besides that
//! `warpgroup` refused (SCHED03: no such instructions) and that `matrix` refused (SCHED20: 4 rows are too few).

use fornax_module::remarks::{Tried, Why};
use fornax_plan::{Body, KernelPlan, Schedule};
use fornax_targets::Target;

use super::{
    attention, exchange, loop_schedule, matrix, ordered_schedule, panel, row_schedule, sized, skinny, stream,
    tile_schedule, warpgroup, window,
};
use crate::remarks::{Because, NO_COPIES, NO_MATRIX, NO_PANELS};

/// Candidates of one kind that `explain` names besides the best.
const OTHERS: usize = 3;

/// Why a plan cannot have a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    Row(Because),
    /// Of matrix instructions, in their own words.
    Matrix(String),
}

impl From<Because> for Refusal {
    fn from(because: Because) -> Refusal {
        Refusal::Row(because)
    }
}

/// One kind of schedule.
struct Try {
    name: &'static str,
    /// Whether kernels of this kind are tried at all.
    applies: fn(&KernelPlan) -> bool,
    /// The schedule, reductions folded in order where so asked; the plan may be put in another order for it.
    choose: fn(&mut KernelPlan, &Target, bool) -> Result<Schedule, Refusal>,
    /// Names of schedules of the kind with their predicted cycles, the best first.
    costs: fn(&KernelPlan, &Target) -> Vec<(String, u64)>,
}

fn none(_: &KernelPlan, _: &Target) -> Vec<(String, u64)> {
    Vec::new()
}

/// Whether all extents are known, and the body is not one that has a way of its own.
fn is_static(plan: &KernelPlan) -> bool {
    plan.has_static_loops() && !has_own(plan)
}

fn has_own(plan: &KernelPlan) -> bool {
    matches!(plan.body, Body::Attention(_) | Body::Team(_))
}

/// Every kind of schedule, in the order in which they are tried.
#[rustfmt::skip]
const TRIES: &[Try] = &[
    Try { name: "attention", costs: none, applies: |plan| matches!(plan.body, Body::Attention(_)),
        choose: |plan, target, _| Ok(attention::choose(plan, target)) },
    Try { name: "skinny", costs: skinny::costs, applies: is_static,
        choose: |plan, target, _| Ok(Schedule::Skinny(skinny::choose(plan, target)?)) },
    Try { name: "warpgroup", costs: warpgroup::costs, applies: |plan| !has_own(plan),
        choose: |plan, target, _| Ok(Schedule::Warpgroup(warpgroup::choose(plan, target)?)) },
    Try { name: "matrix", costs: matrix::costs,
        applies: |plan| !has_own(plan) && (!plan.has_static_loops() || matches!(plan.body, Body::Contraction { .. })),
        choose: |plan, target, _| {
            let choice = matrix::choose(plan, target).map_err(Refusal::Matrix)?;
            Ok(Schedule::Matrix(choice.schedule))
        } },
    Try { name: "exchange", costs: none, applies: |plan| is_static(plan) && matches!(plan.body, Body::Loop { .. }),
        choose: |plan, target, _| Ok(Schedule::Exchange(exchange::choose(plan, target)?)) },
    Try { name: "loop", costs: none, applies: |plan| is_static(plan) && matches!(plan.body, Body::Loop { .. }),
        choose: |plan, target, _| Ok(Schedule::Loop(loop_schedule::choose(plan, target))) },
    Try { name: "row", costs: none, applies: |plan| is_static(plan) && matches!(plan.body, Body::Reduce { .. }),
        choose: |plan, target, ordered| Ok(Schedule::Row(row_schedule::reduction(plan, target, ordered)?)) },
    Try { name: "row", costs: none, applies: |plan| is_static(plan) && matches!(plan.body, Body::Row { .. }),
        choose: |plan, target, _| Ok(Schedule::Row(row_schedule::choose(plan, target))) },
    Try { name: "window", costs: window::costs,
        applies: |plan| is_static(plan) && matches!(plan.body, Body::Reduce { .. } | Body::Contraction { .. }),
        choose: |plan, target, ordered| {
            let ordered = ordered && matches!(plan.body, Body::Reduce { .. });
            Ok(Schedule::Window(window::choose(plan, target, ordered)?))
        } },
    Try { name: "tile", costs: none, applies: |plan| is_static(plan) && matches!(plan.body, Body::Reduce { .. }),
        choose: |plan, target, ordered| Ok(Schedule::Tile(tile_schedule::reduction(plan, target, ordered))) },
    Try { name: "tile", costs: none, applies: |plan| is_static(plan) && matches!(plan.body, Body::Contraction { .. }),
        choose: |plan, target, _| Ok(Schedule::Tile(tile_schedule::contraction(plan, target))) },
    Try { name: "sort", costs: none, applies: |plan| is_static(plan) && matches!(plan.body, Body::Sort { .. }),
        choose: |plan, target, _| Ok(Schedule::Sort(ordered_schedule::sort(plan, target))) },
    Try { name: "scan", costs: none, applies: |plan| is_static(plan) && matches!(plan.body, Body::Scan { .. }),
        choose: |plan, target, _| Ok(Schedule::Scan(ordered_schedule::scan(plan, target))) },
    Try { name: "radix", costs: none,
        applies: |plan| is_static(plan) && matches!(plan.body, Body::Count { .. } | Body::Distribute { .. }),
        choose: |_, target, _| Ok(Schedule::Radix(ordered_schedule::radix(target))) },
    Try { name: "points", costs: none, applies: |plan| is_static(plan) && matches!(plan.body, Body::Update { .. }),
        choose: |plan, target, _| Ok(Schedule::Loop(loop_schedule::points(plan, target))) },
    Try { name: "segment", costs: none, applies: |plan| is_static(plan) && matches!(plan.body, Body::Segment { .. }),
        choose: |plan, target, _| Ok(Schedule::Segment(ordered_schedule::segment(plan, target))) },
    Try { name: "sized", costs: none, applies: |plan| !plan.has_static_loops() && !has_own(plan),
        choose: |plan, target, ordered| Ok(sized::choose(plan, target, ordered)) },
];

/// A schedule's name and, where its kind has a model, its predicted cycles.
type Candidate = (String, Option<u64>);

/// What is tried before and after those of [`TRIES`], with kernels of their own that run first.
struct Around {
    name: &'static str,
    applies: fn(&KernelPlan, &Target) -> bool,
    /// The name and, where there is a model, the cycles.
    says: fn(&mut KernelPlan, &Target) -> Result<Candidate, Because>,
}

fn is_product(plan: &KernelPlan) -> bool {
    matches!(plan.body, Body::Contraction { .. })
}

const AROUND: &[Around] = &[
    Around {
        name: "panel",
        applies: |plan, target| is_product(plan) && !target.is_gpu(),
        says: |plan, target| {
            panel::schedule(plan, target, &|_| false).ok_or_else(|| NO_PANELS.of([]))?;
            Ok((plan.way(), None))
        },
    },
    Around {
        name: "warpgroup after copies",
        applies: |plan, target| is_product(plan) && is_static(plan) && warpgroup::is_known(target),
        says: |plan, target| {
            let constants = vec![false; plan.buffers.len()];
            let prepared = warpgroup::prepare(plan, target, &constants).ok_or_else(|| NO_COPIES.of([]))?;
            plan.schedule = Schedule::Warpgroup(prepared.schedule);
            Ok((format!("{} after {} copies", plan.way(), prepared.copies.len()), None))
        },
    },
    Around {
        name: "stream",
        applies: |plan, target| is_product(plan) && is_static(plan) && warpgroup::cycles(plan, target).is_some(),
        says: |plan, target| stream::said(plan, target).map(|(name, cycles)| (name, Some(cycles))),
    },
];

/// Gives a plan the first schedule that it can have. A product that GPUs' matrix instructions refused notes why.
pub(super) fn first(plan: &mut KernelPlan, target: &Target, ordered: bool) {
    for row in TRIES {
        if !(row.applies)(plan) {
            continue;
        }
        match (row.choose)(plan, target, ordered) {
            Ok(schedule) => {
                plan.schedule = schedule;
                return;
            }
            Err(Refusal::Matrix(why)) if target.is_gpu() && matches!(plan.body, Body::Contraction { .. }) => {
                plan.note = why;
            }
            Err(_) => {}
        }
    }
}

/// What every kind of schedule says of a kernel that has one, in the order in which they are tried.
pub fn explain(plan: &KernelPlan, target: &Target) -> Vec<Tried> {
    let chosen = plan.way();
    let mut told: Vec<Tried> = Vec::new();
    for row in TRIES.iter().filter(|row| (row.applies)(plan)) {
        let mut own = KernelPlan { tensor_maps: Vec::new(), ..plan.clone() };
        let costs = (row.costs)(&own, target);
        let of = |schedule: String, cycles: Option<u64>| {
            let is_chosen = schedule == chosen;
            Tried { schedule, chosen: is_chosen, cycles, refused: None }
        };
        let best = match (row.choose)(&mut own, target, plan.ordered) {
            Ok(schedule) => {
                own.schedule = schedule;
                own.way()
            }
            Err(refusal) => {
                told.push(Tried { refused: Some(why(&refusal)), ..of(row.name.to_string(), None) });
                continue;
            }
        };
        let cycles = costs.iter().find(|(name, _)| *name == best).map(|(_, cycles)| *cycles);
        let others = costs.iter().filter(|(name, _)| *name != best).take(OTHERS);
        let others: Vec<Tried> = others.map(|(name, cycles)| of(name.clone(), Some(*cycles))).collect();
        told.push(of(best, cycles));
        told.extend(others);
    }
    for row in AROUND.iter().filter(|row| (row.applies)(plan, target)) {
        let mut own = KernelPlan { tensor_maps: Vec::new(), ..plan.clone() };
        told.push(match (row.says)(&mut own, target) {
            Ok((schedule, cycles)) => Tried { chosen: schedule == chosen, schedule, cycles, refused: None },
            Err(because) => {
                let refused = Some(why(&because.into()));
                Tried { schedule: row.name.to_string(), chosen: false, cycles: None, refused }
            }
        });
    }
    if !told.iter().any(|tried| tried.chosen) {
        // Of a tuning lock, of a product in parts, of a loop.
        told.insert(0, Tried { schedule: chosen, chosen: true, cycles: None, refused: None });
    }
    told
}

fn why(refusal: &Refusal) -> Why {
    match refusal {
        Refusal::Row(because) => Why { code: because.reason.code.to_string(), text: because.text() },
        Refusal::Matrix(text) => Why { code: NO_MATRIX.code.to_string(), text: text.clone() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kernels of a product on a target: what each kind of schedule said.
    fn told(target: &str, rows: usize) -> Vec<Tried> {
        let text = format!(
            "func.func @main(%x: tensor<{rows}x512xbf16>, %w: tensor<512x512xbf16>) -> tensor<{rows}x512xbf16> {{
               %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
                 : (tensor<{rows}x512xbf16>, tensor<512x512xbf16>) -> tensor<{rows}x512xbf16>
               return %0 : tensor<{rows}x512xbf16>
             }}"
        );
        let graph =
            fornax_import::import_text(&text, "m.mlir", &Default::default()).unwrap_or_else(|e| panic!("{}", e[0]));
        let fused = crate::fuse::fuse(&graph).unwrap();
        let target = Target::from_spec(target).unwrap();
        let planned = crate::plan(&fused, &target, &Default::default()).unwrap();
        explain(planned.kernels.last().unwrap(), &target)
    }

    #[test]
    fn every_kind_of_schedule_says_what_it_would_be_or_why_not() {
        let told = told("cuda:sm_80", 512);
        let code = |name: &str| {
            let row = told.iter().find(|tried| tried.schedule == name);
            row.and_then(|tried| tried.refused.as_ref()).map(|why| why.code.clone())
        };
        assert_eq!([code("skinny"), code("warpgroup")], [Some("SCHED09".into()), Some("SCHED03".into())], "{told:?}");
        let matrix: Vec<&Tried> = told.iter().filter(|tried| tried.schedule.starts_with("matrix")).collect();
        assert!(matrix.len() > 1 && matrix[0].chosen && matrix.iter().all(|tried| tried.cycles > Some(0)), "{told:?}");
        assert!(matrix.windows(2).all(|pair| pair[0].cycles <= pair[1].cycles), "{told:?}");
        assert!(told.last().is_some_and(|tried| tried.schedule.starts_with("tile") && !tried.chosen), "{told:?}");
        assert_eq!(told.iter().filter(|tried| tried.chosen).count(), 1, "{told:?}");
    }

    #[test]
    fn few_rows_go_by_another_schedule() {
        let told = told("cuda:sm_80", 4);
        assert!(told[0].chosen && told[0].schedule.starts_with("skinny") && told[0].cycles.is_some(), "{told:?}");
        let matrix = told.iter().find(|tried| tried.schedule == "matrix").and_then(|tried| tried.refused.as_ref());
        assert!(matrix.is_some_and(|why| why.code == "SCHED20" && why.text.contains("too small")), "{told:?}");
    }
}
