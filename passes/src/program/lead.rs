//! A small kernel before a product of few rows is done by each of its workgroups (`fornax_plan::led`): a norm's launch
//! and its trip through memory go.
//!
//! A model:
//! ```mlir
//! func.func @main(%arg0: tensor<1x2048xf32>, %arg1: tensor<2048x512xf32>) -> tensor<1x512xf32> {
//!   %0 = stablehlo.constant dense<0.0> : tensor<f32>
//!   %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [1] :
//!     (tensor<1x2048xf32>, tensor<f32>) -> tensor<1xf32>
//!   %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<1xf32>) -> tensor<1x2048xf32>
//!   %3 = stablehlo.divide %arg0, %2 : tensor<1x2048xf32>
//!   %4 = stablehlo.dot %3, %arg1 : (tensor<1x2048xf32>, tensor<2048x512xf32>) -> tensor<1x512xf32>
//!   return %4 : tensor<1x512xf32>
//! }
//! ```
//! Before:
//! ```text
//! kernel row_0_reduce_divide
//! kernel contraction_1_dot
//! @main: 2 inputs, 1 outputs, arena 8192 bytes (8192 without sharing)
//!   dispatch row_0_reduce_divide grid 1 [input 0 +0 8192B, -> arena +0 8192B]
//!   dispatch contraction_1_dot grid 64 [input 1 +0 4194304B, arena +0 8192B, -> output 0 +0 2048B]
//! ```
//! After:
//! ```text
//! kernel led_2_reduce_divide_before_dot
//! @main: 2 inputs, 1 outputs, arena 0 bytes (0 without sharing)
//!   dispatch led_2_reduce_divide_before_dot grid 64 [input 0 +0 8192B, input 1 +0 4194304B, -> output 0 +0 2048B]
//! ```
//!
//! Input: the steps of a function, before intermediates have offsets. Output: the same steps, where a product may have
//! moved up to what makes its vector and become one launch with it.
//!
//! How: of each launch that may be a lead, the one that reads what it makes is asked: is it a GEMV or a bundle with
//! one, does nothing else read that, may it move up, does the lead have a schedule of one workgroup with as many
//! threads, and is what it reads little, times the workgroups.
//!
//! Worked example: a decode step of Llama 1B: the norm before gate and up reads 12 KiB and hands on 4 KiB; 128
//! workgroups do it again. It stores the residual too, by the first workgroup.
//!
//! Limits: CUDA; known sizes; see the reasons `LEAD01` to `LEAD07`.

use fornax_kernels::gemv::schedule::GemvSchedule;
use fornax_kernels::led::candidates::alone;
use fornax_kernels::led::schedule::LedSchedule;
use fornax_plan::{Access, Body, Buffer, Exprs, KernelPlan, Led, LedPart, LedPlace};
use fornax_targets::Backend;
use fornax_targets::fitted::lead::{AGAIN_BYTES, HANDED_BYTES};

use super::bundle::{Collected, Forming, Uses, copies_argument, meet, placed, takes_place, uses};
use super::launch::{Launch, Step};
use super::sizes::Bytes;
use super::storage::Key;
use crate::errors::PassError;
use crate::remarks::{Because, LEAD_AGAIN, LEAD_KIND, LEAD_LARGE, LEAD_ORDER, LEAD_READ, LEAD_WORKGROUPS};

/// Steps behind a lead among which its product is looked for.
const WINDOW: usize = 16;

/// Puts led kernels in the place of pairs of launches.
pub fn form(b: &mut Forming<'_, '_>, steps: Vec<Step>) -> Result<Vec<Step>, PassError> {
    if b.planner.target.backend != Backend::Cuda || !b.planner.has("lead") {
        return Ok(steps);
    }
    walk(b, steps)
}

fn walk(b: &mut Forming<'_, '_>, steps: Vec<Step>) -> Result<Vec<Step>, PassError> {
    let mut left: Vec<Option<Step>> = Vec::with_capacity(steps.len());
    for step in steps {
        left.push(Some(step.with_blocks(&mut |block| walk(b, block))?));
    }
    let mut used: Vec<Option<Uses>> = left.iter().flatten().map(|step| uses(b, step)).collect();
    let mut out = Vec::with_capacity(left.len());
    for at in 0..left.len() {
        let follower = follower(b, &left, &used, at).filter(|follower| !follower.begins_without);
        if let Some(Follower { then, plan, copies, .. }) = follower
            && let (Some(Step::Launch(lead)), Some(Step::Launch(product))) = (left[at].take(), left[then].take())
        {
            out.extend(copies.into_iter().filter_map(|copy| left[copy].take()));
            let step = Step::Launch(one(b, (lead, plan), product)?);
            used[at] = uses(b, &step);
            left[at] = Some(step);
        }
        out.extend(left[at].take());
    }
    Ok(out)
}

/// The launch that another may lead.
pub(super) struct Follower {
    pub(super) then: usize,
    /// The lead's plan, of one workgroup with as many threads.
    pub(super) plan: KernelPlan,
    /// What the lead makes for it alone.
    pub(super) handed: Vec<Key>,
    /// Copies of arguments into results between them, which go before both.
    pub(super) copies: Vec<usize>,
    /// The product begins without it, and reads it behind its first steps: it is not led (`announce`).
    pub(super) begins_without: bool,
}

/// The launch that the one at `at` may lead.
pub(super) fn follower(
    b: &mut Forming<'_, '_>,
    steps: &[Option<Step>],
    used: &[Option<Uses>],
    at: usize,
) -> Option<Follower> {
    let (Some(Step::Launch(lead)), Some(own)) = (&steps[at], &used[at]) else { return None };
    let plan = b.planner.planned.kernels.get(lead.kernel as usize)?;
    if !may_lead(plan, lead) {
        return None;
    }
    let made: Vec<Key> = own.iter().filter(|u| u.writes).map(|u| u.place).collect();
    let reads = |uses: &Uses| uses.iter().any(|u| !u.writes && made.contains(&u.place));
    let behind = steps.iter().zip(used).enumerate().skip(at + 1).filter(|(_, (step, _))| step.is_some());
    let mut between: Vec<&Uses> = Vec::new();
    let mut copies = Vec::new();
    for (then, (step, uses)) in behind.take(WINDOW) {
        let uses = uses.as_ref()?;
        if copies_argument(step, uses) && !between.iter().chain([&own]).any(|other| meet(other, uses, b.given)) {
            copies.push(then);
            continue;
        }
        if !reads(uses) {
            between.push(uses);
            continue;
        }
        let Some(Step::Launch(product)) = step else { return None };
        let others = used.iter().enumerate().filter(|(other, _)| *other != at && *other != then);
        let pair = Pair { lead, product, own, uses, made: &made };
        return match plan_of(b, &pair, &between, &others.filter_map(|(_, u)| u.as_ref()).collect::<Vec<_>>()) {
            Ok(Found { plan, handed, begins_without }) => {
                Some(Follower { then, plan, handed, copies, begins_without })
            }
            Err(because) => {
                b.planner.note_apart(lead.kernel, product.kernel, because);
                None
            }
        };
    }
    None
}

/// Whether a kernel is one that workgroups may do again, by what it is.
fn may_lead(plan: &KernelPlan, launch: &Launch) -> bool {
    matches!(plan.body, Body::Loop { .. } | Body::Reduce { .. } | Body::Row { .. })
        && launch.copies.is_none()
        && !plan.is_sized()
        && plan.guard().is_none()
        && plan.tensor_maps.is_empty()
        && plan.buffers.iter().all(|buffer| matches!(buffer.access, Access::Read | Access::Write))
}

/// Two launches that may become one.
struct Pair<'p> {
    lead: &'p Launch,
    product: &'p Launch,
    own: &'p Uses,
    uses: &'p Uses,
    /// What the lead writes.
    made: &'p [Key],
}

/// The lead's plan with one workgroup of as many threads, what it makes for the product alone, and whether that begins
/// without it.
struct Found {
    plan: KernelPlan,
    handed: Vec<Key>,
    begins_without: bool,
}

/// How one may lead the other, or why it does not.
fn plan_of(b: &Forming<'_, '_>, pair: &Pair<'_>, between: &[&Uses], others: &[&Uses]) -> Result<Found, Because> {
    let kernels = &b.planner.planned.kernels;
    let (Some(lead), Some(product)) =
        (kernels.get(pair.lead.kernel as usize), kernels.get(pair.product.kernel as usize))
    else {
        return Err(LEAD_KIND.of([]));
    };
    if !is_product(product) || pair.product.values.iter().any(|(_, access)| *access == Access::Guard) {
        return Err(LEAD_KIND.of([]));
    }
    let handed: Vec<Key> = pair.uses.iter().filter(|u| !u.writes).map(|u| u.place).collect();
    let handed: Vec<Key> = pair.made.iter().copied().filter(|key| handed.contains(key)).collect();
    let is_own = |key: &Key| match *key {
        Key::Arena(n) => {
            let interval = &b.storage.intervals[n];
            interval.first >= pair.lead.clock && interval.last <= pair.product.until
        }
        _ => false,
    };
    let elsewhere = others.iter().any(|uses| uses.iter().any(|u| handed.contains(&u.place)));
    if elsewhere || !handed.iter().all(is_own) {
        return Err(LEAD_READ.of([]));
    }
    let touches = |uses: &Uses| uses.iter().any(|u| u.writes && pair.own.iter().any(|o| o.place == u.place));
    let overwrites = pair.own.iter().any(|o| o.writes && pair.own.iter().any(|u| !u.writes && u.place == o.place));
    // What is given away is overwritten in place only by kernels that stand alone.
    let given = |uses: &Uses| uses.iter().any(|u| !u.writes && b.given.contains(&u.place));
    let takes = takes_place(pair.own, pair.uses, b.given) || given(pair.uses);
    if overwrites || touches(pair.uses) || takes || between.iter().any(|other| meet(other, pair.uses, b.given)) {
        return Err(LEAD_ORDER.of([]));
    }
    let key = |&at: &u32| pair.product.values.get(at as usize).map(|&(source, _)| b.storage.key(source));
    let begins: Option<Vec<Key>> = begins_with(product).iter().map(key).collect();
    let begins_without =
        begins.is_some_and(|keys| !keys.is_empty() && keys.iter().all(|key| is_beside(*key, pair, others)));
    let (grid, threads) = product.launch();
    let alone = || alone(lead, threads, b.planner.target).ok_or(LEAD_WORKGROUPS.of([threads.into()]));
    if begins_without {
        return Ok(Found { plan: alone()?, handed, begins_without });
    }
    let bytes = |key: &Key| pair.own.iter().filter(|u| u.writes && u.place == *key).map(|u| u.bytes).sum::<u64>();
    let handed_bytes: u64 = handed.iter().map(bytes).sum();
    if handed_bytes > HANDED_BYTES {
        return Err(LEAD_LARGE.of([handed_bytes as i64, HANDED_BYTES as i64]));
    }
    let workgroups = grid.iter().fold(1, |all: u64, &axis| all.saturating_mul(axis));
    let written: u64 = pair.own.iter().filter(|u| u.writes).map(|u| u.bytes).sum();
    let read = lead.bytes_moved().saturating_sub(written);
    if read.saturating_mul(workgroups) > AGAIN_BYTES {
        return Err(LEAD_AGAIN.of([workgroups as i64, read as i64]));
    }
    Ok(Found { plan: alone()?, handed, begins_without })
}

/// What a product multiplies by its weights, if it begins with that before it waits: in registers.
///
/// Where the row is staged, its workgroups meet before they begin, and the lead adds little to that. Source: queries,
/// keys and values of Llama 3.1 8B, one H200, 8 layers: Q4_0 led 0.515 ms, with the factor in a launch of its own
/// 0.523, Q4_K 0.567 and 0.578; E4M3 in a launch of its own 0.746.
fn begins_with(product: &KernelPlan) -> Vec<u32> {
    let is_staged = |plan: &KernelPlan| plan.schedule_as::<GemvSchedule>().is_some_and(|schedule| schedule.staged);
    let parts = product.body.bundle().map_or(&[][..], |bundle| &bundle.parts);
    if is_staged(product) || parts.iter().any(|part| is_staged(&part.plan)) {
        return Vec::new();
    }
    product.schedule.settled(product, &vec![true; product.buffers.len()])
}

/// Whether another launch writes a place, and what the lead reads: it is over when the lead has waited.
fn is_beside(key: Key, pair: &Pair<'_>, others: &[&Uses]) -> bool {
    let writes = |uses: &Uses, place: Key| uses.iter().any(|u| u.writes && u.place == place);
    let read = || pair.own.iter().filter(|u| !u.writes);
    others.iter().any(|uses| writes(uses, key) && read().any(|own| writes(uses, own.place)))
}

/// A product of few rows, or a bundle that has one.
fn is_product(plan: &KernelPlan) -> bool {
    match &plan.body {
        Body::Contraction { .. } | Body::Products(_) => plan.schedule_as::<GemvSchedule>().is_some(),
        Body::Bundle(bundle) => bundle.parts.iter().any(|part| is_product(&part.plan)),
        _ => false,
    }
}

/// The launch of both, at the place of the lead.
fn one(b: &mut Forming<'_, '_>, (lead, plan): (Launch, KernelPlan), then: Launch) -> Result<Launch, PassError> {
    let product = b.planner.planned.kernels.get(then.kernel as usize).cloned();
    let product = product.ok_or_else(|| PassError::broken("a launch of no kernel"))?;
    let keys = |launch: &Launch| launch.values.iter().map(|&(source, _)| b.storage.key(source)).collect::<Vec<_>>();
    let (lead_keys, then_keys) = (keys(&lead), keys(&then));
    let mut whole = Collected::default();
    let mut handed: Vec<(Key, Buffer)> = Vec::new();
    let mut lead_places = Vec::with_capacity(lead_keys.len());
    for ((key, value), buffer) in lead_keys.iter().zip(&lead.values).zip(&plan.buffers) {
        let is_handed = buffer.access == Access::Write && then_keys.contains(key);
        lead_places.push(if is_handed {
            if let Key::Arena(n) = *key {
                b.storage.intervals[n].bytes = Bytes::Fixed(0);
            }
            handed.push((*key, buffer.clone()));
            LedPlace::Handed(handed.len() as u32 - 1)
        } else {
            LedPlace::Whole(whole.buffer(*key, value.0, buffer))
        });
    }
    let mut then_places = Vec::with_capacity(then_keys.len());
    for ((key, value), buffer) in then_keys.iter().zip(&then.values).zip(&product.buffers) {
        b.live_from(value.0, lead.clock);
        let known = handed.iter().position(|(known, _)| known == key).map(|at| LedPlace::Handed(at as u32));
        then_places.push(known.unwrap_or_else(|| LedPlace::Whole(whole.buffer(*key, value.0, buffer))));
    }
    let own = |places: &[LedPlace]| {
        let number = |place: &LedPlace| if let LedPlace::Whole(at) = place { Some(*at) } else { None };
        places.iter().map(number).collect::<Vec<_>>()
    };
    let buffers = whole.buffers.len();
    let origins = |launch: &Launch, places: &[LedPlace]| {
        let all = launch.origin.iter().chain(&launch.bundled).cloned();
        all.map(|origin| placed(origin, &own(places), buffers)).collect::<Vec<_>>()
    };
    let mut bundled = origins(&lead, &lead_places);
    bundled.extend(origins(&then, &then_places));
    let summary = format!("{} before {}", plan.summary, product.summary);
    let schedule = LedSchedule { cluster: product.cluster() };
    let body = Body::Led(Box::new(Led {
        lead: LedPart { plan, places: lead_places },
        then: LedPart { plan: product, places: then_places },
        handed: handed.into_iter().map(|(_, buffer)| buffer).collect(),
    }));
    let plan = KernelPlan::new(Exprs::default(), whole.buffers, Vec::new(), body, schedule, summary);
    let ([x, y, z], _) = plan.launch();
    let grid = [b.planner.size(x), b.planner.size(y), b.planner.size(z)];
    let kernel = b.planner.kernel_instead(plan, &[lead.kernel, then.kernel])?;
    let until = lead.until.max(then.until);
    Ok(Launch { kernel, grid, values: whole.values, bundled, origin: None, plan: None, until, ..lead })
}
