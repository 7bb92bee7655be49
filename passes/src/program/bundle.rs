//! Small kernels that do not depend on one another become one launch: horizontal fusion (`fornax_plan::bundle`).
//!
//! A model:
//! ```mlir
//! func.func @main(%arg0: tensor<8x100xf32>, %arg1: tensor<9x100xf32>) -> (tensor<8xf32>, tensor<9xf32>) {
//!   %0 = stablehlo.constant dense<0.0> : tensor<f32>
//!   %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [1] :
//!     (tensor<8x100xf32>, tensor<f32>) -> tensor<8xf32>
//!   %2 = stablehlo.reduce(%arg1 init: %0) applies stablehlo.add across dimensions = [1] :
//!     (tensor<9x100xf32>, tensor<f32>) -> tensor<9xf32>
//!   return %1, %2 : tensor<8xf32>, tensor<9xf32>
//! }
//! ```
//! Before:
//! ```text
//! kernel reduction_0_reduce
//! kernel reduction_1_reduce
//! @main: 2 inputs, 2 outputs, arena 0 bytes (0 without sharing)
//!   dispatch reduction_0_reduce grid 1 [input 0 +0 3200B, -> output 0 +0 32B]
//!   dispatch reduction_1_reduce grid 2 [input 1 +0 3600B, -> output 1 +0 36B]
//! ```
//! After:
//! ```text
//! kernel bundle_2_2_of_reduce
//! @main: 2 inputs, 2 outputs, arena 0 bytes (0 without sharing)
//!   dispatch bundle_2_2_of_reduce grid 3 [input 0 +0 3200B, -> output 0 +0 32B, input 1 +0 3600B, -> output 1 +0 36B]
//! ```
//!
//! Input: the steps of a function, before intermediates have offsets. Output: the same steps, where launches of one
//! block may have moved up to an earlier one and become one with it.
//!
//! How: from each launch on, the next ones are asked in order: may it move up to there (nothing between writes what it
//! reads or writes, or reads what it writes), and do `bundle_cost` want it. Intermediates that it writes live from
//! there on.
//!
//! Worked example: q, k, v of one token, three GEMVs of one x: one launch of all workgroups, and two launches of 0.8 us
//! each less. Twenty steps of an optimiser on tensors of one shape: one kernel, its buffers chosen by the workgroup.
//!
//! Limits: CUDA and ROCm; known sizes; nothing moves over loops, branches and checks of sizes. See `bundle_cost`.

use std::collections::HashSet;

use fornax_kernels::bundle::schedule::BundleSchedule;
use fornax_plan::{Access, Body, Buffer, Bundle, BundlePart, Exprs, KernelPlan, TensorMap};
use fornax_targets::Backend;

use super::bundle_cost::{Candidate, all_predicted, joins, settle};
use super::Planner;
use super::launch::{Copies, Launch, Step};
use super::sizes::Bytes;
use super::storage::{Key, Source, Storage};
use super::trace::Origin;
use crate::errors::PassError;
use crate::remarks::{Because, Decision};
use fornax_kernels::scheduled::Bound;

/// Steps behind a launch that may move up to it.
const WINDOW: usize = 96;
/// Bytes of intermediates that may live longer because launches move up, over others and to those next to them.
const KEPT_OVER_MAX: u64 = 4 << 20;
const KEPT_MAX: u64 = 32 << 20;
/// Names of kernels in a summary.
const NAMES_MAX: usize = 4;

/// Memory that a step uses.
pub(super) struct Use {
    pub(super) place: Key,
    pub(super) writes: bool,
    /// Of what it is seen as there; 0 where nobody asks.
    pub(super) bytes: u64,
}

pub(super) type Uses = Vec<Use>;

/// A step that is still there.
struct Item {
    step: Option<Step>,
    /// `None` for what nothing moves over.
    uses: Option<Uses>,
    candidate: Option<Candidate>,
}

/// Where bundles are put in the place of launches.
pub struct Forming<'f, 'a> {
    pub planner: &'f mut Planner<'a>,
    pub storage: &'f mut Storage,
    /// Arguments that callers give away, which results lie in.
    pub given: &'f HashSet<Key>,
}

impl Forming<'_, '_> {
    /// An intermediate is there from a step on, if not before.
    pub(super) fn live_from(&mut self, source: Source, clock: usize) {
        if let Key::Arena(n) = self.storage.key(source) {
            let interval = &mut self.storage.intervals[n];
            interval.first = interval.first.min(clock);
        }
    }
}

/// Puts bundles in the place of launches.
pub fn form(b: &mut Forming<'_, '_>, steps: Vec<Step>) -> Result<Vec<Step>, PassError> {
    if !matches!(b.planner.target.backend, Backend::Cuda | Backend::Rocm) || !b.planner.has("bundle") {
        return Ok(steps);
    }
    walk(b, steps)
}

fn walk(b: &mut Forming<'_, '_>, steps: Vec<Step>) -> Result<Vec<Step>, PassError> {
    let mut items = Vec::with_capacity(steps.len());
    for step in steps {
        let step = step.with_blocks(&mut |block| walk(b, block))?;
        let (uses, candidate) = (uses(b, &step), candidate(b, &step));
        items.push(Item { step: Some(step), uses, candidate });
    }
    let mut out = Vec::with_capacity(items.len());
    for at in 0..items.len() {
        let group = best_group(b, &items, at);
        let Some(step) = items[at].step.take() else { continue };
        out.extend(group.copies.into_iter().filter_map(|copy| items[copy].step.take()));
        let mut candidates = group.launches.into_iter();
        let first = candidates.next();
        let mut launches = Vec::with_capacity(group.members.len() + 1);
        for (member, candidate) in group.members.into_iter().zip(candidates) {
            if let Some(Step::Launch(launch)) = items[member].step.take() {
                launches.push((launch, candidate));
            }
        }
        out.push(match (step, first) {
            (Step::Launch(launch), Some(candidate)) if !launches.is_empty() => {
                launches.insert(0, (launch, candidate));
                Step::Launch(bundled(b, launches)?)
            }
            (other, _) => other,
        });
    }
    Ok(out)
}

/// Memory at a place, each round's where that differs.
fn places(storage: &Storage, at: Key, into: &mut Vec<Key>) {
    let Key::ByRound(number) = at else { return into.push(at) };
    let Some(known) = storage.by_round.get(number) else { return into.push(at) };
    for &(place, _) in &known.places {
        places(storage, Key::from(place), into);
    }
}

pub(super) fn uses(b: &Forming<'_, '_>, step: &Step) -> Option<Uses> {
    let mut found = Vec::new();
    let mut note = |source: Source, writes: bool, bytes: u64| {
        let mut at = Vec::new();
        places(b.storage, b.storage.key(source), &mut at);
        found.extend(at.into_iter().map(|place| Use { place, writes, bytes }));
    };
    match step {
        Step::Launch(launch) => {
            let plan = b.planner.planned.kernels.get(launch.kernel as usize);
            let size = |of: &Buffer| (of.elements.max(0) as u64).saturating_mul(of.element.storage_bytes() as u64);
            for (at, &(source, access)) in launch.values.iter().enumerate() {
                let bytes = plan.and_then(|plan| plan.buffers.get(at)).map_or(0, size);
                note(source, matches!(access, Access::Write | Access::Update | Access::Announced), bytes);
            }
        }
        Step::Copy(Copies { from, to, .. }) => {
            note(*from, false, 0);
            note(*to, true, 0);
        }
        Step::Set { to, .. } => note(*to, true, 0),
        _ => return None,
    }
    Some(found)
}

fn candidate(b: &Forming<'_, '_>, step: &Step) -> Option<Candidate> {
    let Step::Launch(launch) = step else { return None };
    let guard = launch.values.iter().find(|(_, access)| *access == Access::Guard);
    let guard = guard.map(|(source, _)| b.storage.key(*source));
    let plan = b.planner.planned.kernels.get(launch.kernel as usize).filter(|_| launch.copies.is_none())?;
    Some(Candidate::of(plan, (launch.kernel, guard), b.planner.target))
}

/// What may become one launch.
#[derive(Default)]
struct Group {
    /// The first, then those of `members`.
    launches: Vec<Candidate>,
    members: Vec<usize>,
    /// Copies of arguments into results that go before it, which a call does only where they are not given away.
    copies: Vec<usize>,
    /// Kernels that stay apart from the first, and why.
    apart: Vec<(u32, Because)>,
}

/// The steps that may become one with the one at `at`: by the schedule that it has, or by one of fewer threads or of a
/// smaller cluster where as many join and all take less.
///
/// Source: queries, keys and values of Llama 3.1 8B in bf16, whose keys have 512 threads alone: with 256 for all 8
/// layers take 1.147 ms on one H200, with 512 1.159.
fn best_group(b: &mut Forming<'_, '_>, items: &[Item], at: usize) -> Group {
    let Some(first) = items[at].candidate.clone().filter(|_| items[at].step.is_some()) else { return Group::default() };
    let mut best = group(b, items, (at, first.clone()));
    let (kernels, target) = (&b.planner.planned.kernels, b.planner.target);
    let mut takes = None;
    for other in first.narrower(!best.members.is_empty(), kernels, target) {
        let found = group(b, items, (at, other));
        // The models are asked last: they weigh every schedule of every launch.
        if found.members.is_empty() || found.members.len() < best.members.len() {
            continue;
        }
        // What joins besides counts where the model knows what it does to the others.
        let more = found.members.iter().filter(|member| first.copies && !best.members.contains(member));
        let apart = more.map(|&member| all_predicted(items[member].candidate.as_slice(), kernels, target)).sum();
        let known = *takes.get_or_insert_with(|| all_predicted(&best.launches, kernels, target));
        let all = [known, apart].into_iter().sum::<Option<f64>>();
        let found_takes = all_predicted(&found.launches, kernels, target);
        if found_takes.zip(all).is_some_and(|(found, all)| found < all) {
            (best, takes) = (found, Some(found_takes));
        }
    }
    settle(&mut best.launches, kernels, target);
    for &(kernel, because) in &best.apart {
        b.planner.note_apart(first.kernel, kernel, because);
    }
    best
}

/// The steps that may become one with the one at `at` and a schedule of it.
fn group(b: &Forming<'_, '_>, items: &[Item], (at, first): (usize, Candidate)) -> Group {
    let mut group = Group { launches: vec![first], ..Group::default() };
    let mut kept = 0;
    // What stays between the first and the one that is asked.
    let mut stays: Vec<&Uses> = Vec::new();
    let mut joined: Vec<&Uses> = items[at].uses.iter().collect();
    for (next, item) in items.iter().enumerate().skip(at + 1).take(WINDOW) {
        if item.step.is_none() {
            continue;
        }
        let Some(uses) = &item.uses else { break };
        let is_free = !stays.iter().chain(&joined).any(|other| meet(other, uses, b.given));
        if is_free && copies_argument(&item.step, uses) {
            group.copies.push(next);
            continue;
        }
        let longer = kept + kept_longer(b.storage, uses);
        let near = longer <= if stays.is_empty() { KEPT_MAX } else { KEPT_OVER_MAX };
        let Some(candidate) = item.candidate.as_ref().filter(|_| is_free && near) else {
            stays.push(uses);
            continue;
        };
        let target = b.planner.target;
        let joining = candidate.joining(&group.launches, &b.planner.planned.kernels, target);
        let candidate = joining.unwrap_or_else(|| candidate.clone());
        match joins(&group.launches, &candidate, target) {
            Decision::Yes => {
                group.launches.push(candidate);
                group.members.push(next);
                kept = longer;
                joined.push(uses);
            }
            Decision::No(because) => {
                group.apart.push((candidate.kernel, because));
                stays.push(uses);
            }
        }
    }
    let last = group.members.last().copied().unwrap_or(at);
    group.copies.retain(|&copy| copy < last);
    group
}

/// Whether a step copies an argument into a result.
pub(super) fn copies_argument(step: &Option<Step>, uses: &Uses) -> bool {
    let outside = |own: &Use| matches!(own.place, Key::Input(_) | Key::Output(_));
    matches!(step, Some(Step::Copy(_))) && uses.iter().all(outside)
}

/// Whether two steps must keep their order.
pub(super) fn meet(before: &Uses, after: &Uses, given: &HashSet<Key>) -> bool {
    let same = |one: &Use, other: &Use| one.place == other.place && (one.writes || other.writes);
    before.iter().any(|one| after.iter().any(|other| same(one, other)))
        || takes_place(before, after, given)
        || takes_place(after, before, given)
}

/// Whether `writer` may write a result in the place of an argument that is given away and that `reader` reads: it makes
/// a result of that size, and the reader does not, or both read the argument.
pub(super) fn takes_place(reader: &Uses, writer: &Uses, given: &HashSet<Key>) -> bool {
    let results =
        |uses: &Uses, bytes| uses.iter().any(|u| u.writes && u.bytes == bytes && matches!(u.place, Key::Output(_)));
    let reads = |uses: &Uses, place| uses.iter().any(|u| !u.writes && u.place == place);
    reader.iter().filter(|u| !u.writes && given.contains(&u.place)).any(|u| {
        results(writer, u.bytes) && (!results(reader, u.bytes) || reads(writer, u.place))
    })
}

/// Bytes of intermediates that a step writes.
fn kept_longer(storage: &Storage, uses: &Uses) -> u64 {
    let bytes = |of: &Use| match of.place {
        Key::Arena(n) if of.writes => match storage.intervals[n].bytes {
            Bytes::Fixed(bytes) => bytes,
            // More than any that may.
            Bytes::Formula(_) => KEPT_MAX + 1,
        },
        _ => 0,
    };
    uses.iter().map(bytes).fold(0, u64::saturating_add)
}

/// Buffers of a bundle as they are collected.
#[derive(Default)]
pub(super) struct Collected {
    pub(super) values: Vec<(Source, Access)>,
    pub(super) buffers: Vec<Buffer>,
    keys: Vec<Key>,
}

impl Collected {
    /// The number of a buffer: an equal one, where both are only read.
    pub(super) fn buffer(&mut self, at: Key, source: Source, buffer: &Buffer) -> u32 {
        let same = |(known, own): (&Key, &Buffer)| *known == at && own == buffer && buffer.access == Access::Read;
        if let Some(found) = self.keys.iter().zip(&self.buffers).position(same) {
            return found as u32;
        }
        self.keys.push(at);
        self.values.push((source, buffer.access));
        self.buffers.push(buffer.clone());
        self.buffers.len() as u32 - 1
    }
}

/// The launch of several, at the place of the first.
fn bundled(b: &mut Forming<'_, '_>, mut launches: Vec<(Launch, Candidate)>) -> Result<Launch, PassError> {
    let clock = launches.iter().map(|(launch, _)| launch.clock).min().unwrap_or(0);
    let until = launches.iter().map(|(launch, _)| launch.until).max().unwrap_or(0);
    // What takes longest begins first.
    launches.sort_by(|a, b| b.1.weight().total_cmp(&a.1.weight()));
    let mut collected = Collected::default();
    let mut parts: Vec<(u32, BundlePart)> = Vec::new();
    let mut origins = Vec::new();
    let (mut guard, mut maps) = (None, Vec::new());
    for (launch, candidate) in &launches {
        let plan = candidate.again.as_deref().or(b.planner.planned.kernels.get(launch.kernel as usize));
        let mut plan = plan.cloned().ok_or_else(|| PassError::broken("a launch of no kernel"))?;
        let mut own = Vec::with_capacity(plan.buffers.len());
        for (&(source, access), buffer) in launch.values.iter().zip(&plan.buffers) {
            let at = b.storage.key(source);
            b.live_from(source, clock);
            if access == Access::Guard {
                guard = Some(source);
            } else {
                own.push(collected.buffer(at, source, buffer));
            }
        }
        plan.buffers.truncate(own.len());
        let places = || own.iter().copied().map(Some).collect::<Vec<_>>();
        origins.extend(launch.origin.as_ref().map(|origin| (origin.clone(), places())));
        let first_map = maps.len() as u32;
        for map in &plan.tensor_maps {
            let buffer = own.get(map.buffer as usize).copied();
            let buffer = buffer.ok_or_else(|| PassError::broken("a tensor map of no buffer"))?;
            maps.push(TensorMap { buffer, ..map.clone() });
        }
        let shares = |(kernel, part): &&mut (u32, BundlePart)| {
            *kernel == launch.kernel && part.plan.tensor_maps.is_empty()
        };
        match parts.iter_mut().find(shares) {
            Some((_, part)) => part.launches.push(own),
            None => parts.push((launch.kernel, BundlePart { plan, launches: vec![own], first_map })),
        }
    }
    let kernels: Vec<u32> = launches.iter().map(|(launch, _)| launch.kernel).collect();
    let summary = summary(parts.iter().map(|(_, part)| part), launches.len());
    let parts: Vec<BundlePart> = parts.into_iter().map(|(_, part)| part).collect();
    let (threads, cluster) = parts.first().map_or((1, 1), |part| (part.plan.launch().1, part.plan.cluster()));
    let Collected { mut values, buffers, .. } = collected;
    let bundled = origins.into_iter().map(|(origin, own)| placed(origin, &own, buffers.len())).collect();
    let body = Body::Bundle(Box::new(Bundle { parts }));
    let schedule = BundleSchedule { threads, cluster };
    let mut plan = KernelPlan::new(Exprs::default(), buffers, Vec::new(), body, schedule, summary);
    plan.tensor_maps = maps;
    if let Some(guard) = guard {
        plan.add_guard();
        values.push((guard, Access::Guard));
    }
    let ([x, y, z], _) = plan.launch();
    let grid = [b.planner.size(x), b.planner.size(y), b.planner.size(z)];
    let kernel = b.planner.kernel_instead(plan, &kernels)?;
    let (sizes, plan, origin) = (Vec::new(), None, None);
    Ok(Launch { kernel, grid, values, sizes, plan, copies: None, origin, bundled, clock, until })
}

/// What the buffers of the bundle are of a part's op; nothing is known of the others.
pub(super) fn placed(origin: Origin, own: &[Option<u32>], buffers: usize) -> Origin {
    let mut bound = vec![Bound::Prepared(0); buffers];
    for (at, of) in own.iter().zip(&origin.bound) {
        if let Some(known) = at.and_then(|at| bound.get_mut(at as usize)) {
            *known = *of;
        }
    }
    Origin { bound, ..origin }
}

/// Kernels and their number, for people: `3 of dot_general, reduce_divide`.
fn summary<'p>(parts: impl Iterator<Item = &'p BundlePart>, launches: usize) -> String {
    let mut names: Vec<&str> = Vec::new();
    for part in parts {
        if !names.contains(&part.plan.summary.as_str()) {
            names.push(&part.plan.summary);
        }
    }
    names.truncate(NAMES_MAX);
    format!("{launches} of {}", names.join(", "))
}
