//! Loops of known length whose kernels are small become one kernel each: a workgroup does all rounds of its problems
//! (`fornax_plan::fused_loop`).
//!
//! A model:
//! ```mlir
//! func.func @main(%arg0: tensor<32x16xf32>) -> tensor<32x16xf32> {
//!   %0 = stablehlo.constant dense<0> : tensor<i32>
//!   %1 = stablehlo.constant dense<7> : tensor<i32>
//!   %2:2 = stablehlo.while(%i = %0, %x = %arg0) : tensor<i32>, tensor<32x16xf32>
//!   cond {
//!     %3 = stablehlo.compare LT, %i, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
//!     stablehlo.return %3 : tensor<i1>
//!   } do {
//!     %3 = stablehlo.constant dense<1> : tensor<i32>
//!     %4 = stablehlo.add %i, %3 : tensor<i32>
//!     %5 = stablehlo.constant dense<0.0> : tensor<f32>
//!     %6 = stablehlo.reduce(%x init: %5) applies stablehlo.add across dimensions = [1] :
//!       (tensor<32x16xf32>, tensor<f32>) -> tensor<32xf32>
//!     %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<32xf32>) -> tensor<32x16xf32>
//!     %8 = stablehlo.subtract %x, %7 : tensor<32x16xf32>
//!     stablehlo.return %4, %8 : tensor<i32>, tensor<32x16xf32>
//!   }
//!   return %2#1 : tensor<32x16xf32>
//! }
//! ```
//! Before:
//! ```text
//! kernel row_0_reduce_subtract
//! @main: 1 inputs, 1 outputs, arena 2304 bytes (2052 without sharing)
//!   copy input 0 +0 2048B -> output 0 +0 2048B
//!   repeat 7 times {
//!     dispatch row_0_reduce_subtract grid 1 [output 0 +0 2048B, -> arena +0 2048B]
//!     copy arena +0 2048B -> output 0 +0 2048B
//!   }
//! ```
//! After:
//! ```text
//! kernel fused_1_7_rounds_of_reduce_subtract
//! @main: 1 inputs, 1 outputs, arena 2304 bytes (2052 without sharing)
//!   dispatch fused_1_7_rounds_of_reduce_subtract grid 32 [-> output 0 +0 2048B, -> arena +0 2048B, input 0 +0 2048B]
//! ```
//!
//! Input: the steps of a function, before intermediates have offsets. Output: the same steps, where a `Repeat` of
//! kernels, copies and further such loops may have become a launch, with the copies before it that fill its buffers.
//!
//! How: the kernels of a round are tried as parts for every number of problems that the carried values may hold side by
//! side (`fuse_loop_split`); a cost model compares the ways with each other and with a launch for every kernel. What
//! the rounds write lies apart for as long as the kernel runs, since workgroups are in different rounds.
//!
//! Worked example: LU factors of `[64, 32, 32]`, 32 rounds of 4 kernels and 3 copies: 224 launches become one of 64
//! workgroups.
//!
//! Limits: known sizes; no branches, loops of unknown length, sorts or scans inside.

use fornax_kernels::points::candidates::lanes as item_lanes;
use fornax_plan::Unscheduled;
use std::collections::{HashMap, HashSet};

use fornax_graph::{ElementType, ValueId};
use fornax_kernels::fused_loop::schedule::FusedLoopSchedule;
use fornax_plan::{Access, Body, Buffer, Exprs, KernelPlan, Node, Store, FusedLoop, LoopPart, LoopStep};
use fornax_targets::Target;

use super::arena::Interval;
use super::commands::Builder;
use super::sizes::Bytes;
use super::launch::{Copies, Launch, Rounds, Step};
use super::storage::{Key, Place, Source};
use super::fuse_loop_cost;
use super::fuse_loop_split::{Misfit, Shared, is_plain};
use crate::errors::PassError;
use crate::facts::ops::splat_bits;

/// Parts of a fused loop, at most: all are code of one kernel.
const PARTS_MAX: usize = 48;
/// Buffers of a fused loop, at most.
const BUFFERS_MAX: usize = 40;

/// A kernel or copy of a round; its numbers are those of the buffers.
enum Raw {
    Kernel(Box<KernelPlan>, Vec<u32>),
    Copy(u32, u32),
    /// Bits, and the bytes that repeat.
    Fill(u64, u64, u32),
}

/// What a loop does, before it is a fused loop.
#[derive(Default)]
struct Draft {
    raws: Vec<Raw>,
    /// The kernels whose work the fused loop does.
    kernels: Vec<u32>,
    steps: Vec<LoopStep>,
    keys: Vec<Key>,
    sources: Vec<Source>,
    /// Known once a kernel reads or writes the buffer.
    buffers: Vec<Option<Buffer>>,
    guard: Option<Source>,
}

/// Puts fused loops in the place of loops. `given` are the arguments that callers give away, which results lie in.
pub fn form(b: &mut Builder<'_, '_>, steps: Vec<Step>, given: &HashSet<ValueId>) -> Result<Vec<Step>, PassError> {
    if b.planner.options.plain_loops || !b.planner.has("fuse_loop") {
        return Ok(steps);
    }
    let mut uses = HashMap::new();
    count(b, &steps, &mut uses);
    walk(b, steps, (&uses, given))
}

type Known<'k> = (&'k HashMap<Key, usize>, &'k HashSet<ValueId>);

fn walk(b: &mut Builder<'_, '_>, steps: Vec<Step>, known: Known<'_>) -> Result<Vec<Step>, PassError> {
    let mut out: Vec<Step> = Vec::with_capacity(steps.len());
    for step in steps {
        let made = match step {
            Step::Repeat { count, body, rounds, written_out } => {
                if let Some((absorbed, launch)) = fused(b, &out, Loop { count, body: &body, rounds: &rounds }, known)? {
                    out.truncate(out.len() - absorbed);
                    Step::Launch(launch)
                } else {
                    Step::Repeat { count, body: walk(b, body, known)?, rounds, written_out }
                }
            }
            Step::If { predicate, then_steps, else_steps } => {
                Step::If { predicate, then_steps: walk(b, then_steps, known)?, else_steps: walk(b, else_steps, known)? }
            }
            Step::While { condition, predicate, body, guarded } => {
                Step::While { condition: walk(b, condition, known)?, predicate, body: walk(b, body, known)?, guarded }
            }
            other => other,
        };
        out.push(made);
    }
    Ok(out)
}

pub(super) fn key(b: &Builder<'_, '_>, source: Source) -> Key {
    b.storage.key(source)
}

/// How often steps name each place.
fn count(b: &Builder<'_, '_>, steps: &[Step], uses: &mut HashMap<Key, usize>) {
    for step in steps {
        let mut note = |source: Source| *uses.entry(key(b, source)).or_default() += 1;
        match step {
            Step::Launch(launch) => match launch.copies {
                Some(Copies { from, to, .. }) => [from, to].into_iter().for_each(note),
                None => launch.values.iter().filter(|v| v.1 != Access::Guard).for_each(|v| note(v.0)),
            },
            Step::Set { to, .. } => note(*to),
            Step::Copy(Copies { from, to, .. }) => [*from, *to].into_iter().for_each(note),
            Step::Plain(_) => {}
            Step::Collective { from, to, .. } => from.iter().copied().chain([*to]).for_each(note),
            Step::HostCall { from, to, .. } => from.iter().chain(to).copied().for_each(note),
            Step::DeviceId { to, .. } => note(*to),
            Step::Read { source, .. } => note(*source),
            Step::If { predicate, then_steps, else_steps } => {
                note(*predicate);
                count(b, then_steps, uses);
                count(b, else_steps, uses);
            }
            Step::While { condition, predicate, body, .. } => {
                note(*predicate);
                count(b, condition, uses);
                count(b, body, uses);
            }
            Step::Repeat { body, .. } => count(b, body, uses),
        }
    }
}

/// A loop of known length.
struct Loop<'l> {
    /// How often it goes round.
    count: u64,
    /// The steps of a round.
    body: &'l [Step],
    /// What is known of its rounds.
    rounds: &'l Rounds,
}

/// A loop as a launch, and how many of the steps before it are part of that.
fn fused(
    b: &mut Builder<'_, '_>,
    before: &[Step],
    repeated: Loop<'_>,
    (uses, given): Known<'_>,
) -> Result<Option<(usize, Launch)>, PassError> {
    let Loop { count, body, rounds } = repeated;
    let target = b.planner.target;
    let mut draft = Draft::default();
    let Some(inner) = draft.steps_of(b, body) else { return Ok(None) };
    let launches = draft.raws.len() as u64;
    let mut absorbed = 0;
    let mut first = Vec::new();
    for step in before.iter().rev() {
        let Some(Copies { from, to, .. }) = step.copied() else { break };
        let donated = matches!(from, Source::Value(v) if given.contains(&v));
        if donated || !draft.keys.contains(&key(b, to)) || !same_guard(draft.guard, step) {
            break;
        }
        let Some(at) = draft.copy(b, from, to) else { break };
        first.insert(0, LoopStep::Part(at));
        absorbed += 1;
    }
    let repeat = LoopStep::Repeat { count, steps: inner };
    draft.steps = first.into_iter().chain([repeat]).collect();
    // A buffer that only copies touch has the type of the one that it is copied to or from.
    let Some(buffers) = draft.typed() else { return Ok(None) };
    let alone = draft.own_buffers(uses);
    let plain = fuse_loop_cost::of_launches(&draft.raws_by_work(&buffers), &draft.steps, target);
    let mut best: Option<(f64, FusedLoop, FusedLoopSchedule, HashSet<u32>)> = None;
    for &problems in rounds.problems.iter().chain(&[1]) {
        let Some((fused, own)) = draft.split(&buffers, &alone, problems, target) else { continue };
        let schedule = fuse_loop_cost::schedule(&fused, target);
        let cost = fuse_loop_cost::of_fused(&fused, schedule, target);
        if best.as_ref().is_none_or(|found| cost < found.0) {
            best = Some((cost, fused, schedule, own));
        }
    }
    let Some((cost, fused, schedule, own)) = best else { return Ok(None) };
    if cost >= plain || launches == 0 {
        return Ok(None);
    }
    let launch = draft.launch(b, (fused, schedule, &own), rounds)?;
    Ok(Some((absorbed, launch)))
}

/// Whether this is the flag that lets a step run.
fn same_guard(guard: Option<Source>, step: &Step) -> bool {
    let Step::Launch(launch) = step else { return guard.is_none() };
    let own = launch.values.iter().find(|v| v.1 == Access::Guard).map(|v| v.0);
    guard == own
}

impl Draft {
    /// The number of a buffer.
    fn buffer(&mut self, b: &Builder<'_, '_>, source: Source) -> u32 {
        let key = key(b, source);
        if let Some(at) = self.keys.iter().position(|&k| k == key) {
            return at as u32;
        }
        self.keys.push(key);
        self.sources.push(source);
        self.buffers.push(None);
        self.keys.len() as u32 - 1
    }

    /// Adds a copy; `None` where it cannot be one of a fused loop.
    fn copy(&mut self, b: &Builder<'_, '_>, from: Source, to: Source) -> Option<u32> {
        let graph = b.planner.graph;
        let splat = match from {
            Source::Value(value) => splat_bits(graph, value).zip(graph.ty(value).as_tensor()),
            _ => None,
        };
        let raw = match splat {
            Some((bits, ty)) => Raw::Fill(bits, ty.element.storage_bytes() as u64, self.buffer(b, to)),
            None => Raw::Copy(self.buffer(b, from), self.buffer(b, to)),
        };
        self.raws.push(raw);
        (self.keys.len() <= BUFFERS_MAX).then(|| self.raws.len() as u32 - 1)
    }

    fn steps_of(&mut self, b: &Builder<'_, '_>, steps: &[Step]) -> Option<Vec<LoopStep>> {
        let mut made = Vec::with_capacity(steps.len());
        for step in steps {
            if self.raws.len() >= PARTS_MAX || self.keys.len() > BUFFERS_MAX {
                return None;
            }
            if let Some(Copies { from, to, .. }) = step.copied() {
                self.guarded(step)?;
                made.push(LoopStep::Part(self.copy(b, from, to)?));
                continue;
            }
            match step {
                Step::Launch(launch) => {
                    let plan = launch.plan.as_deref().filter(|plan| is_plain(plan))?;
                    self.guarded(step)?;
                    let mut numbers = Vec::with_capacity(plan.buffers.len());
                    for (&(source, _), buffer) in launch.values.iter().zip(&plan.buffers) {
                        let at = self.buffer(b, source);
                        self.agree(at, buffer)?;
                        numbers.push(at);
                    }
                    self.kernels.push(launch.kernel);
                    self.raws.push(Raw::Kernel(Box::new(plan.clone()), numbers));
                    made.push(LoopStep::Part(self.raws.len() as u32 - 1));
                }
                Step::Repeat { count, body, .. } => {
                    made.push(LoopStep::Repeat { count: *count, steps: self.steps_of(b, body)? });
                }
                _ => return None,
            }
        }
        Some(made)
    }

    /// All kernels of a fused loop run or none.
    fn guarded(&mut self, step: &Step) -> Option<()> {
        if self.raws.is_empty()
            && let Step::Launch(launch) = step
        {
            self.guard = launch.values.iter().find(|v| v.1 == Access::Guard).map(|v| v.0);
        }
        same_guard(self.guard, step).then_some(())
    }

    /// A kernel sees the buffer so.
    fn agree(&mut self, at: u32, seen: &Buffer) -> Option<()> {
        let own = &mut self.buffers[at as usize];
        match own {
            Some(own) => ((own.element, own.elements) == (seen.element, seen.elements)).then_some(()),
            None => {
                *own = Some(Buffer { access: Access::Read, ..seen.clone() });
                Some(())
            }
        }
    }

    /// Types of all buffers.
    fn typed(&mut self) -> Option<Vec<Buffer>> {
        // Chains of copies are short.
        for _ in 0..4 {
            for raw in &self.raws {
                if let Raw::Copy(from, to) = *raw {
                    let (a, b) = (self.buffers[from as usize].clone(), self.buffers[to as usize].clone());
                    match (a, b) {
                        (Some(a), None) => self.buffers[to as usize] = Some(a),
                        (None, Some(b)) => self.buffers[from as usize] = Some(b),
                        (Some(a), Some(b)) if (a.element, a.elements) != (b.element, b.elements) => return None,
                        _ => {}
                    }
                }
            }
        }
        let buffers = self.buffers.iter().cloned().collect::<Option<Vec<Buffer>>>()?;
        let fits = |raw: &Raw| match *raw {
            Raw::Fill(_, bytes, to) => buffers[to as usize].element.storage_bytes() as u64 == bytes,
            _ => true,
        };
        self.raws.iter().all(fits).then_some(buffers)
    }

    /// Buffers that nothing outside of the loop uses, and that are written as a whole before anything reads them.
    fn own_buffers(&self, uses: &HashMap<Key, usize>) -> HashSet<u32> {
        let mut inside = vec![0usize; self.keys.len()];
        for raw in &self.raws {
            match raw {
                Raw::Kernel(_, numbers) => numbers.iter().for_each(|&at| inside[at as usize] += 1),
                Raw::Copy(from, to) => [from, to].into_iter().for_each(|&at| inside[at as usize] += 1),
                // The constant is named there too, but is no buffer.
                Raw::Fill(_, _, to) => inside[*to as usize] += 1,
            }
        }
        let private = |at: usize| {
            let count = uses.get(&self.keys[at]).copied().unwrap_or(0);
            matches!(self.keys[at], Key::Arena(_)) && count == inside[at] && self.begins_whole(at as u32)
        };
        (0..self.keys.len()).filter(|&at| private(at)).map(|at| at as u32).collect()
    }

    /// Whether the first part that names a buffer writes all of it.
    fn begins_whole(&self, buffer: u32) -> bool {
        let mut order = Vec::new();
        flatten(&self.steps, &mut order);
        for at in order {
            match &self.raws[at as usize] {
                Raw::Kernel(plan, numbers) => {
                    let named: Vec<Access> = numbers
                        .iter()
                        .zip(&plan.buffers)
                        .filter(|(n, _)| **n == buffer)
                        .map(|(_, b)| b.access)
                        .collect();
                    if !named.is_empty() {
                        return named.iter().all(|access| *access == Access::Write);
                    }
                }
                Raw::Copy(from, _) if *from == buffer => return false,
                Raw::Copy(_, to) | Raw::Fill(_, _, to) if *to == buffer => return true,
                _ => {}
            }
        }
        false
    }

    /// The fused loop of `problems`, and the buffers that each problem has for itself.
    fn split(
        &self,
        buffers: &[Buffer],
        alone: &HashSet<u32>,
        problems: i64,
        target: &Target,
    ) -> Option<(FusedLoop, HashSet<u32>)> {
        let mut written = HashSet::new();
        for raw in &self.raws {
            match raw {
                Raw::Kernel(plan, numbers) => {
                    written.extend(plan.body.stores().iter().map(|s| numbers[s.buffer as usize]))
                }
                Raw::Copy(_, to) | Raw::Fill(_, _, to) => {
                    written.insert(*to);
                }
            }
        }
        let mut shared = Shared { buffers: buffers.to_vec(), problems, own: HashSet::new(), written };
        if problems > 1 {
            shared.own =
                shared.written.iter().copied().filter(|&b| buffers[b as usize].elements % problems != 0).collect();
        }
        'again: loop {
            if !shared.own.is_subset(alone) {
                return None;
            }
            let mut parts = Vec::with_capacity(self.raws.len());
            for raw in &self.raws {
                let (plan, numbers) = match raw {
                    Raw::Kernel(plan, numbers) => (plan.as_ref().clone(), numbers.clone()),
                    Raw::Copy(from, to) => (copy(&buffers[*to as usize], None), vec![*from, *to]),
                    Raw::Fill(bits, _, to) => (copy(&buffers[*to as usize], Some(*bits)), vec![*to]),
                };
                match shared.part(&plan, &numbers, target) {
                    Ok(plan) => {
                        let lanes = if target.is_gpu() { 1 } else { item_lanes(&plan, target) };
                        parts.push(LoopPart { plan, lanes });
                    }
                    Err(Misfit(more)) => {
                        let before = shared.own.len();
                        shared.own.extend(more);
                        if shared.own.len() == before {
                            return None;
                        }
                        continue 'again;
                    }
                }
            }
            return Some((FusedLoop { parts, steps: self.steps.clone(), problems }, shared.own));
        }
    }

    /// What each part does in all, for the cost of launches.
    fn raws_by_work(&self, buffers: &[Buffer]) -> Vec<(u64, u64)> {
        let each = |raw: &Raw| match raw {
            Raw::Kernel(plan, _) => {
                let extent = |v: &fornax_plan::VarId| plan.exprs.indices.extent(*v).max(0) as u64;
                let points = plan.domain.iter().map(extent).fold(1, u64::saturating_mul);
                (points, plan.body.reduction().iter().map(extent).fold(1, u64::saturating_mul))
            }
            Raw::Copy(_, to) | Raw::Fill(_, _, to) => (buffers[*to as usize].elements.max(0) as u64, 1),
        };
        self.raws.iter().map(each).collect()
    }

    fn launch(
        &self,
        b: &mut Builder<'_, '_>,
        (fused, schedule, own): (FusedLoop, FusedLoopSchedule, &HashSet<u32>),
        rounds: &Rounds,
    ) -> Result<Launch, PassError> {
        let made = fused.parts.first().map(|part| part.plan.buffers.clone()).unwrap_or_default();
        let mut values = Vec::with_capacity(made.len());
        for (at, buffer) in made.iter().enumerate() {
            let mut source = self.sources[at];
            if own.contains(&(at as u32)) {
                let bytes = buffer.elements.max(0) as u64 * buffer.element.storage_bytes() as u64;
                source = b.storage.temporary(Bytes::Fixed(bytes));
                b.storage.intervals.push(Interval { bytes: Bytes::Fixed(bytes), first: rounds.from, last: rounds.to });
                b.storage.places.insert(source, Place::Arena(b.storage.intervals.len() - 1));
            } else if let Key::Arena(n) = self.keys[at] {
                let interval = &mut b.storage.intervals[n];
                (interval.first, interval.last) = (interval.first.min(rounds.from), interval.last.max(rounds.to));
            }
            values.push((source, buffer.access));
        }
        let summary = summary(&self.raws, &fused);
        let body = Body::FusedLoop(Box::new(fused));
        let mut plan = KernelPlan::new(Exprs::default(), made, Vec::new(), body, schedule, summary);
        if let Some(guard) = self.guard {
            plan.add_guard();
            values.push((guard, Access::Guard));
        }
        let ([x, y, z], _) = plan.launch();
        let grid = [b.planner.size(x), b.planner.size(y), b.planner.size(z)];
        let kernel = b.planner.kernel_instead(plan, &self.kernels)?;
        let (sizes, bundled, clock, until) = (Vec::new(), Vec::new(), rounds.from, rounds.to);
        Ok(Launch { kernel, grid, values, sizes, plan: None, copies: None, origin: None, bundled, clock, until })
    }
}

fn flatten(steps: &[LoopStep], into: &mut Vec<u32>) {
    for step in steps {
        match step {
            LoopStep::Part(at) => into.push(*at),
            LoopStep::Repeat { steps, .. } => flatten(steps, into),
        }
    }
}

/// Buffer 1 := buffer 0, or buffer 0 := these bits.
fn copy(like: &Buffer, bits: Option<u64>) -> KernelPlan {
    let (element, elements): (ElementType, i64) = (like.element, like.elements);
    let mut exprs = Exprs::default();
    let var = exprs.indices.add_var(elements);
    let offset = exprs.indices.var(var);
    let buffer = |access| Buffer { element, elements, access };
    let (value, buffers) = match bits {
        Some(bits) => (exprs.add(Node::Constant { element, bits }), vec![buffer(Access::Write)]),
        None => {
            let value = exprs.add(Node::Load { buffer: 0, element, offset, mask: None });
            (value, vec![buffer(Access::Read), buffer(Access::Write)])
        }
    };
    let store = Store { buffer: buffers.len() as u32 - 1, offset, value };
    let schedule = Unscheduled;
    KernelPlan::new(exprs, buffers, vec![var], Body::Loop { stores: vec![store] }, schedule, "copy".to_string())
}

/// Rounds and kernels, for people: `64 rounds of subtract, divide`.
fn summary(raws: &[Raw], fused: &FusedLoop) -> String {
    let count =
        fused.steps.iter().find_map(|s| if let LoopStep::Repeat { count, .. } = s { Some(*count) } else { None });
    let mut names: Vec<&str> = Vec::new();
    for raw in raws {
        if let Raw::Kernel(plan, _) = raw
            && !names.contains(&plan.summary.as_str())
        {
            names.push(&plan.summary);
        }
    }
    names.truncate(4);
    format!("{} rounds of {}", count.unwrap_or(0), names.join(", "))
}
