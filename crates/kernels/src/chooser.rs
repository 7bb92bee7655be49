//! Which schedules are tried for a kernel, in which order, and what each says: it would be this one, or why it cannot
//! be.
//!
//! Input: a lowered plan and a target. [`choose`] asks every family whose kind of body it is: each gives its best
//! schedule with the cycles that its model predicts, or a reason why it has none. The least cycles win. The models were
//! fitted apart from each other, so where two are closer than they err, the order of [`FAMILIES`] decides. [`explain`]
//! says all of it, on request: what was chosen, what else there was at which predicted cost, and who refused for which
//! reason.
//!
//! Worked example: a product of [4, 4096]·[4096, 4096] in f32 on sm_80: `gemv` predicts fewer cycles than `tile`.
//! `explain` says besides that `wgmma` refused (SCHED03: no such instructions) and that `mma` refused (SCHED20:
//! 4 rows are too few).

use fornax_module::remarks::{Tried, Why};
use fornax_plan::{Body, KernelPlan};
use fornax_targets::fitted::gemv::cached::LAUNCH;
use fornax_targets::fitted::traffic::{KERNEL, MODEL_ERROR};
use fornax_targets::{Backend, Target};

use crate::attention::candidates as attention;
use crate::collapse::collapse;
use crate::family::{Asked, Try, is_static};
use crate::gemm_cpu::candidates as panel;
use crate::gemm_mma::schedule::MmaSchedule;
use crate::gemm_mma::{candidates as mma, split as mma_parts};
use crate::gemm_wgmma::schedule::WgmmaSchedule;
use crate::gemm_wgmma::{candidates as wgmma, im2col, stream};
use crate::gemv::candidates as gemv;
use crate::gemv::interleave;
use crate::gemv::parts as gemv_parts;
use crate::gemv::schedule::GemvSchedule;
use crate::refusal::{Because, NO_COPIES, NO_MATRIX, NO_PANELS, Refusal};
use crate::row::stages;
use crate::scheduled::{Bound, Prepare, Ready, Scheduled, drop_unused};
use crate::tile::pack::operand_along_lanes;
use crate::traffic::memory_cycles;
use crate::{FAMILIES, classes, run_time};

/// Candidates of one kind that `explain` names besides the best.
const OTHERS: usize = 3;

/// A schedule's name and, where its kind has a model, its predicted cycles.
type Candidate = (String, Option<u64>);

/// What is tried before and after the families' tries, with kernels of their own that run first.
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
        name: "wgmma after copies",
        applies: |plan, target| is_product(plan) && is_static(plan) && wgmma::is_known(target),
        says: |plan, target| {
            let constants = vec![false; plan.buffers.len()];
            let prepared = wgmma::prepare(plan, target, &constants, &rival).ok_or_else(|| NO_COPIES.of([]))?;
            plan.set_schedule(prepared.schedule);
            Ok((format!("{} after {} copies", plan.way(), prepared.copies.len()), None))
        },
    },
    Around {
        name: "stream",
        applies: |plan, target| is_product(plan) && is_static(plan) && wgmma::cycles(plan, target).is_some(),
        says: |plan, target| stream::said(plan, target).map(|(name, cycles)| (name, Some(cycles))),
    },
];

/// Everything that is tried, in order.
fn tries() -> impl Iterator<Item = &'static Try> {
    FAMILIES.iter().flat_map(|family| family.tries).chain([&run_time::TRY])
}

/// What warpgroups must beat: the warps' own matrix instructions.
fn rival(plan: &KernelPlan, target: &Target) -> Option<f64> {
    mma::choose(plan, target).ok().map(|choice| choice.cost)
}

/// Gives a plan the cheapest schedule that it can have: the first in order, unless another is cheaper by more than the
/// models err. None takes fewer cycles than memory does: some models leave memory out. Who comes later must be cheaper
/// at its worst. A product that GPUs' matrix instructions refused notes why.
pub fn choose(plan: &mut KernelPlan, target: &Target, ordered: bool) {
    let least = memory_cycles(plan, target).unwrap_or(0.0);
    match best(plan, (target, ordered), least) {
        Ok((chosen, _)) => *plan = chosen,
        Err(refused) => plan.note = refused.unwrap_or_else(|| std::mem::take(&mut plan.note)),
    }
}

/// The plan with the schedule that [`choose`] gives it, and its cycles: `least` at least.
///
/// # Errors
/// The note where there is none.
fn best(
    plan: &KernelPlan,
    (target, ordered): (&Target, bool),
    least: f64,
) -> Result<(KernelPlan, Option<f64>), Option<String>> {
    let asked = Asked { target, ordered, rival: &rival };
    let rows: Vec<&Try> = tries().filter(|row| (row.applies)(plan)).collect();
    let mut best: Option<(KernelPlan, Option<f64>)> = None;
    let mut refused = None;
    // Elsewhere, and for sizes of run time, nothing was measured that two families could be weighed by.
    let weighs = target.backend == Backend::Cuda && plan.has_static_loops();
    for row in rows {
        let mut own = plan.clone();
        match (row.choose)(&mut own, &asked) {
            Ok(offer) => {
                let cycles = offer.cycles.map(|cycles| cycles.max(least));
                let at_worst = offer.cycles.map(|cycles| (cycles * offer.at_worst).max(least));
                if best.as_ref().is_none_or(|(_, best)| weighs && is_cheaper(at_worst, *best)) {
                    own.schedule = offer.schedule;
                    own.note = refused.clone().unwrap_or(own.note);
                    best = Some((own, cycles));
                }
            }
            Err(Refusal::Matrix(why)) if target.is_gpu() && is_product(plan) => refused = Some(why),
            Err(_) => {}
        }
    }
    best.ok_or(refused)
}

/// What a kernel of known sizes is predicted to take, its launch included, by the model of the family that it is given
/// to; where that has none, the least that another family's says. The others are no bound: they leave out what the
/// choice weighs ([`Offer::at_worst`](crate::family::Offer::at_worst)). Operands are in the second-level cache if they
/// fit, so that [`choose`]'s floor of memory holds for others only.
///
/// Gate and up, bf16, one H200. 1 × 4096 × 14336: 82228 cycles as two products by the least, 112716 by the model of the
/// GEMV, 112607 as one kernel. A step of Llama 3.1 8B as two, as one: 4.384 ms, 4.154. 32 rows: 89862 by the least,
/// that of warps' instructions, 109424 by that of warpgroups, 105843 as one: `docs/understand/kernels/gemm-wgmma.md`.
pub fn cycles(plan: &KernelPlan, target: &Target) -> f64 {
    if let Some(cycles) = gemv::cached(plan, target) {
        return LAUNCH + cycles;
    }
    let fits = plan.bytes_moved() <= target.l2_bytes;
    let least = if fits { 0.0 } else { memory_cycles(plan, target).unwrap_or(0.0) };
    if let Ok((_, Some(cycles))) = best(plan, (target, plan.ordered), least) {
        return LAUNCH + cycles;
    }
    let asked = Asked { target, ordered: plan.ordered, rival: &rival };
    let mut least: Option<f64> = None;
    for row in tries().filter(|row| (row.applies)(plan)) {
        let cycles = (row.choose)(&mut plan.clone(), &asked).ok().and_then(|offer| offer.cycles);
        least = least.into_iter().chain(cycles).reduce(f64::min);
    }
    LAUNCH + least.unwrap_or(0.0)
}

/// Whether a schedule is cheaper than another by more than the models err; without a model the order decides.
fn is_cheaper(cycles: Option<f64>, than: Option<f64>) -> bool {
    matches!((cycles, than), (Some(cycles), Some(than)) if KERNEL + cycles < (KERNEL + than) * (1.0 - MODEL_ERROR))
}

/// The schedules that the cost models choose.
pub fn by_model(ready: Ready, target: &Target, is_constant: &dyn Fn(usize) -> bool) -> Scheduled {
    let Ready { mut plan, mut bound, mut prepare, ordered, is_beside } = ready;
    if !plan.has_static_loops() {
        let mut others = classes::split(&plan, target);
        match others.pop() {
            Some(main) => plan = main,
            None if in_panels(&mut plan, &mut bound, target, is_constant, &mut prepare).is_none() => {
                along_lanes(&mut plan, &mut bound, target, is_constant, &mut prepare);
                choose(&mut plan, target, ordered);
            }
            None => {}
        }
        return Scheduled { plan, others, bound, prepare, ignored: None };
    }
    let (kernels, few) = (prepare.len(), !ordered);
    prepare.extend(gemv_parts::split(&mut plan, &mut bound, target, prepare.len()));
    if in_panels(&mut plan, &mut bound, target, is_constant, &mut prepare).is_none() {
        along_lanes(&mut plan, &mut bound, target, is_constant, &mut prepare);
        choose(&mut plan, target, ordered);
        let copies = copied_operands(&mut plan, &mut bound, target, is_constant, prepare.len());
        prepare.extend(copies);
        let by_warps = plan.schedule_as::<MmaSchedule>().is_some();
        let number = prepare.len();
        let rows = by_warps.then(|| im2col::split(&mut plan, &mut bound, target, number, &rival)).flatten();
        if let Some(before) = rows {
            prepare.push(with_schedule(before, target));
            choose(&mut plan, target, false);
        }
        if let Some(before) = mma_parts::split(&mut plan, &mut bound, target, prepare.len()) {
            prepare.push(before);
            choose(&mut plan, target, true);
        }
        if let Some(before) = stream::split(&mut plan, &mut bound, target, prepare.len()) {
            prepare.extend(before.into_iter().map(|before| with_schedule(before, target)));
            choose(&mut plan, target, false);
        }
        if let Some(before) = attention::split(&mut plan, &mut bound, target, prepare.len()) {
            prepare.push(before);
            choose(&mut plan, target, false);
        }
        // What was cut already is whole, and so is what does not run alone.
        let is_filled = is_beside && plan.schedule_as::<GemvSchedule>().is_some();
        if few && prepare.len() == kernels && !is_filled {
            prepare.extend(stages::split(&mut plan, &mut bound, target, prepare.len(), choose));
        }
        let is_same = |bound: &[Bound], buffer: u32| is_same(bound, buffer, is_constant);
        for mut before in interleave::copies(&mut plan, &mut bound, prepare.len(), &is_same) {
            collapse(&mut before.plan);
            prepare.push(with_schedule(before, target));
        }
    }
    Scheduled { plan, others: Vec::new(), bound, prepare, ignored: None }
}

/// CPU: a product in panels, where it can be one, after the kernel that packs an operand.
fn in_panels(
    plan: &mut KernelPlan,
    bound: &mut [Bound],
    target: &Target,
    is_constant: &dyn Fn(usize) -> bool,
    prepare: &mut Vec<Prepare>,
) -> Option<()> {
    let packed = panel::schedule(plan, target, &|buffer| is_same(bound, buffer, is_constant))?;
    prepare.extend(packed.map(|packed| copy_of(packed, bound, target, prepare.len())));
    Some(())
}

/// CPU: a contraction whose lanes lie along a copy of an operand, where it has none otherwise.
fn along_lanes(
    plan: &mut KernelPlan,
    bound: &mut [Bound],
    target: &Target,
    is_constant: &dyn Fn(usize) -> bool,
    prepare: &mut Vec<Prepare>,
) {
    let copied = operand_along_lanes(plan, target, &|buffer| is_same(bound, buffer, is_constant));
    prepare.extend(copied.map(|copied| copy_of(copied, bound, target, prepare.len())));
}

/// Is a buffer the same in every call?
fn is_same(bound: &[Bound], buffer: u32, is_constant: &dyn Fn(usize) -> bool) -> bool {
    matches!(bound.get(buffer as usize), Some(Bound::Operand(n)) if is_constant(*n))
}

/// The kernel that copies what a buffer stood for, which from now on stands for the copy.
fn copy_of((buffer, copy): (u32, KernelPlan), bound: &mut [Bound], target: &Target, number: usize) -> Prepare {
    let packed = Bound::Prepared(number);
    let source = std::mem::replace(&mut bound[buffer as usize], packed);
    let mut copy = Prepare { plan: copy, bound: vec![source, packed] };
    collapse(&mut copy.plan);
    with_schedule(copy, target)
}

/// A product that no better program took gets the warpgroups' where copies of its operands, made before, pay: those
/// copies.
fn copied_operands(
    plan: &mut KernelPlan,
    bound: &mut Vec<Bound>,
    target: &Target,
    is_constant: &dyn Fn(usize) -> bool,
    number: usize,
) -> Vec<Prepare> {
    if plan.schedule_as::<GemvSchedule>().is_some() || plan.schedule_as::<WgmmaSchedule>().is_some() {
        return Vec::new();
    }
    let constant = |b: &Bound| matches!(b, Bound::Operand(n) if is_constant(*n));
    let constants: Vec<bool> = bound.iter().map(constant).collect();
    let Some(wgmma::Prepared { schedule, copies }) = wgmma::prepare(plan, target, &constants, &rival) else {
        return Vec::new();
    };
    plan.set_schedule(schedule);
    let sources = bound.clone();
    let mut made = Vec::with_capacity(copies.len());
    for (at, copy) in copies.into_iter().enumerate() {
        let written = Bound::Prepared(number + at);
        let mut plan = copy.plan;
        let mut buffers = sources.clone();
        buffers.resize(plan.buffers.len() - 1, written);
        buffers.push(written);
        let kept = drop_unused(&mut plan, buffers);
        collapse(&mut plan);
        choose(&mut plan, target, false);
        made.push(Prepare { plan, bound: kept });
        bound.push(written);
    }
    made
}

/// A kernel that runs before another one, with its schedule.
fn with_schedule(mut before: Prepare, target: &Target) -> Prepare {
    choose(&mut before.plan, target, false);
    before
}

/// Ways to cut a product along its steps, the best by the model first (stream-K).
pub fn streams(ready: &Ready, target: &Target) -> Vec<(String, Scheduled)> {
    let new = ready.prepare.len();
    let mut ways = stream::ways(ready, target);
    for (_, scheduled) in &mut ways {
        scheduled.prepare.iter_mut().skip(new).for_each(|before| choose(&mut before.plan, target, false));
        choose(&mut scheduled.plan, target, false);
    }
    ways
}

/// What every kind of schedule says of a kernel that has one, in the order in which they are tried.
pub fn explain(plan: &KernelPlan, target: &Target) -> Vec<Tried> {
    let chosen = plan.way();
    let mut told: Vec<Tried> = Vec::new();
    let asked = Asked { target, ordered: plan.ordered, rival: &rival };
    for row in tries().filter(|row| (row.applies)(plan)) {
        let mut own = KernelPlan { tensor_maps: Vec::new(), ..plan.clone() };
        let costs = (row.costs)(&own, target);
        let of = |schedule: String, cycles: Option<u64>| {
            let is_chosen = schedule == chosen;
            Tried { schedule, chosen: is_chosen, cycles, refused: None }
        };
        let (best, cycles) = match (row.choose)(&mut own, &asked) {
            Ok(offer) => {
                own.schedule = offer.schedule;
                (own.way(), offer.cycles.map(|cycles| cycles as u64))
            }
            Err(refusal) => {
                told.push(Tried { refused: Some(why(&refusal)), ..of(row.name.to_string(), None) });
                continue;
            }
        };
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
