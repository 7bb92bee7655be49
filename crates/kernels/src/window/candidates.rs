//! Schedules of windows that slide (depthwise convolutions, pooling) on GPUs: outputs and lanes of a thread, by a small
//! cost model.
//!
//! Lanes lie along the variable that loads and stores step by one along, if it is next to the window (channels last);
//! else single elements, neighbouring threads on neighbouring outputs of a row (channels first), and blocks along the
//! other pairs only.
//!
//! A thread reads every position of its block once, folds outputs × taps vectors, stores. A scheduler issues an
//! instruction a cycle when it has six warps, of which registers say how many fit; what is read comes from the caches
//! at some rate. The candidate with the fewest cycles for the whole domain wins, blocks that stick out at the end
//! counted in. The constants were fitted to 275 measurements of eight convolutions on an H200: what is chosen takes 4 %
//! longer than the best of them in the mean, 7 % at most.
//!
//! Worked example, H200, depthwise 3×3 of [32, 28, 28, 192] f16: 2 lanes, 4 × 4 outputs: 36 loads of 4 bytes and 288
//! multiply-adds a thread: 6.9 µs; 4 lanes and 7 × 3 outputs, with fewer loads and fewer threads, 8.1 µs.

use crate::window::schedule::WindowSchedule;
use fornax_plan::{Body, Combiner, KernelPlan, NodeId, Sliding, VarId, WindowPair};
use fornax_targets::Target;
use fornax_targets::fitted::window::{ALONE, CACHE_BYTES, LATENCY, SLACK};

use crate::access::{Step, loads, step, work};
use crate::refusal::{Because, IN_ORDER, NEEDS_GPU, NO_TILE, NO_WINDOW, STORES_APART};
use crate::sizing::{GPU_THREADS, dividing};

/// Outputs of a thread along a pair.
const COUNTS: &[u32] = &[1, 2, 3, 4, 7];
/// Lanes of a thread, at most.
const LANES_MAX: u64 = 8;
/// Pairs along which a thread has more than one output: the innermost ones.
const BLOCKED_PAIRS: usize = 2;
/// Vector steps that are written out, at most.
const STEPS_MAX: u64 = 256;
/// Registers that a thread may take; besides accumulators, filter and a row of the image.
const REGISTERS_MAX: f64 = 120.0;
const OTHER_REGISTERS: f64 = 24.0;
/// Instructions of a thread besides those of its elements, and of each element that is read besides its guard and its
/// lanes.
const OTHER_INSTRUCTIONS: f64 = 60.0;
const LOAD: f64 = 6.0;
/// Threads of a workgroup.
const THREADS: u32 = GPU_THREADS / 2;

/// The schedule of a plan whose windows slide, in which `ordered` reductions keep their order, and its cycles by the
/// model.
///
/// # Errors
/// Why there is none.
pub fn choose(plan: &mut KernelPlan, target: &Target, ordered: bool) -> Result<(WindowSchedule, f64), Because> {
    let shape = Shape::of(plan, target, ordered)?;
    let (cycles, schedule) = ranked(plan, target, &shape).into_iter().next().ok_or_else(|| NO_TILE.of([]))?;
    shape.order(plan);
    Ok((schedule, cycles))
}

/// Names of [`candidates`] with their cycles by the model.
pub fn costs(plan: &KernelPlan, target: &Target) -> Vec<(String, u64)> {
    let Ok(shape) = Shape::of(plan, target, plan.ordered) else { return Vec::new() };
    let named = |(cycles, schedule)| {
        let mut own = plan.with_schedule(schedule);
        shape.order(&mut own);
        (own.way(), cycles as u64)
    };
    ranked(plan, target, &shape).into_iter().map(named).collect()
}

/// Every schedule of a plan, the one that the model likes best first.
pub fn candidates(plan: &KernelPlan, target: &Target) -> Vec<KernelPlan> {
    let Ok(shape) = Shape::of(plan, target, plan.ordered) else { return Vec::new() };
    let with = |(_, schedule)| {
        let mut plan = plan.with_schedule(schedule);
        shape.order(&mut plan);
        plan
    };
    ranked(plan, target, &shape).into_iter().map(with).collect()
}

/// What schedules are chosen by.
struct Shape {
    pairs: Vec<WindowPair>,
    /// The variable that neighbouring elements lie along.
    inner: VarId,
    /// Lane counts to try; 1 where `inner` is one of the window's outputs.
    lanes: Vec<u64>,
    /// Steps of loops around the written-out taps.
    outer_steps: u64,
    /// Instructions of one lane of one element read, of one step, of one output; the same for the fixed operands of a
    /// tap.
    read: f64,
    fold: f64,
    store: f64,
    fixed: f64,
    accumulators: f64,
    masked: bool,
    /// Bytes of an element that is read.
    bytes: f64,
}

impl Shape {
    fn of(plan: &KernelPlan, target: &Target, ordered: bool) -> Result<Shape, Because> {
        if !target.is_gpu() {
            return Err(NEEDS_GPU.of([]));
        }
        let no_window = || NO_WINDOW.of([]);
        let Sliding { pairs, operands } = plan.window_pairs().ok_or_else(no_window)?;
        if !is_window(plan, &pairs, &operands) {
            return Err(no_window());
        }
        let reduction = plan.body.reduction();
        let is_tap = |v: &VarId| pairs.iter().any(|p| p.tap == *v);
        let extent = |v: VarId| plan.exprs.indices.extent(v).max(1) as u64;
        let outer: Vec<VarId> = reduction.iter().copied().filter(|v| !is_tap(v) && extent(*v) > 1).collect();
        // Loops around the taps change the order of folding; a pair that keeps the first of equals (the index of a
        // largest element) minds.
        let minds = ordered || matches!(&plan.body, Body::Reduce { combiner: Combiner::General(_), .. });
        if minds && !outer.is_empty() {
            return Err(IN_ORDER.of([]));
        }
        let read = loads(&plan.exprs, &operands);
        let ones = |var: &&VarId| {
            let even = |s: Step| s.is_one() || s == Step::Same;
            read.iter().any(|l| step(&plan.exprs, l.offset, **var).is_one())
                && plan.body.stores().iter().all(|s| even(step(&plan.exprs, s.offset, **var)))
        };
        // Outputs whose stride is above one are no neighbours where they are read, but where they are stored.
        let stored = |var: &&VarId| plan.body.stores().iter().all(|s| step(&plan.exprs, s.offset, **var).is_one());
        let inner = plan.domain.iter().find(ones).or_else(|| plan.domain.iter().find(stored));
        let inner = *inner.ok_or_else(|| STORES_APART.of([]))?;
        let slides = pairs.iter().any(|p| p.output == inner);
        let narrow = read.iter().map(|l| l.element.storage_bytes() as u64).min().unwrap_or(4).max(1);
        let most = if slides { 1 } else { (u64::from(target.vector_bytes) / narrow).clamp(1, LANES_MAX) };
        let widest = dividing(most, extent(inner));
        let lanes = (0..=widest.ilog2()).rev().map(|p| 1u64 << p).filter(|l| 4 * l >= widest).collect();
        let conversion = if narrow < 4 { 1.0 } else { 0.0 };
        let (fold, fixed, accumulators) = match &plan.body {
            Body::Reduce { inputs, combiner, .. } => (fold_work(plan, combiner), 0.0, inputs.len() as f64),
            _ => (1.0, 1.0 + conversion, 1.0),
        };
        let roots: Vec<NodeId> = plan.body.stores().iter().map(|s| s.value).collect();
        Ok(Shape {
            inner,
            lanes,
            outer_steps: outer.iter().map(|&v| extent(v)).product(),
            read: conversion + (work(plan, &operands) as f64 - 4.0).max(0.0),
            fold,
            store: work(plan, &roots) as f64,
            fixed,
            accumulators,
            masked: read.iter().any(|l| l.masked),
            bytes: narrow as f64,
            pairs,
        })
    }

    /// Neighbouring threads are neighbours along the innermost variable.
    fn order(&self, plan: &mut KernelPlan) {
        plan.domain.retain(|&v| v != self.inner);
        plan.domain.push(self.inner);
    }
}

/// Whether sharing elements pays: a contraction's windows overlap and each output has a filter of its own or one for
/// all (a product whose other operand has outputs of its own is better cut in tiles of both).
fn is_window(plan: &KernelPlan, pairs: &[WindowPair], sliding: &[NodeId]) -> bool {
    let Body::Contraction { lhs, rhs, .. } = &plan.body else { return true };
    let overlaps = |p: &WindowPair| p.stride.abs() <= p.dilation * (plan.exprs.indices.extent(p.tap) - 1);
    let varies = |node: NodeId, var: VarId| plan.exprs.node_varies(node, var);
    let of_sliding = |var: VarId| sliding.iter().any(|&node| varies(node, var));
    pairs.iter().any(overlaps) && plan.domain.iter().all(|&v| of_sliding(v) || !varies(*lhs, v) && !varies(*rhs, v))
}

/// Instructions of folding one element.
fn fold_work(plan: &KernelPlan, combiner: &Combiner) -> f64 {
    match combiner {
        Combiner::Simple(_) => 1.0,
        Combiner::General(nodes) => work(plan, nodes) as f64,
    }
}

/// All schedules with their cycles, cheapest first; equal ones in the order of the tables.
fn ranked(plan: &KernelPlan, target: &Target, shape: &Shape) -> Vec<(f64, WindowSchedule)> {
    let mut blocks: Vec<Vec<u32>> = vec![Vec::new()];
    for (at, pair) in shape.pairs.iter().enumerate() {
        let extent = plan.exprs.indices.extent(pair.output).max(1) as u64;
        let single = at + BLOCKED_PAIRS < shape.pairs.len() || pair.output == shape.inner;
        let counts = COUNTS.iter().copied().filter(|&c| c == 1 || !single && u64::from(c) <= extent);
        let counts: Vec<u32> = counts.collect();
        blocks = blocks.iter().flat_map(|b| counts.iter().map(|&c| [b.as_slice(), &[c]].concat())).collect();
    }
    let mut found: Vec<(f64, WindowSchedule)> = Vec::new();
    for &lanes in &shape.lanes {
        for block in &blocks {
            let vector = (lanes > 1).then_some((shape.inner, lanes as u32));
            let pairs = shape.pairs.iter().copied().zip(block.iter().copied()).collect();
            let mut schedule = WindowSchedule { vector, pairs, threads: THREADS.min(target.max_threads_per_block) };
            let tiles = schedule.tile().tiles(plan);
            schedule.threads = schedule.threads.min(tiles.max(1).next_power_of_two().min(1024) as u32).max(1);
            found.extend(cycles(plan, target, shape, &schedule).map(|cost| (cost, schedule)));
        }
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found
}

/// Cycles of the kernel; `None` where it is too much to write out or to hold.
fn cycles(plan: &KernelPlan, target: &Target, shape: &Shape, s: &WindowSchedule) -> Option<f64> {
    let extent = |v: VarId| plan.exprs.indices.extent(v).max(1) as u64;
    let outputs: u64 = s.pairs.iter().map(|p| u64::from(p.1)).product();
    let taps: u64 = s.pairs.iter().map(|p| extent(p.0.tap)).product();
    if outputs * taps > STEPS_MAX {
        return None;
    }
    // Positions along a pair: as many different numbers as stride · output + dilation · tap takes.
    let along = |&(pair, count): &(WindowPair, u32)| {
        let mut places: Vec<i64> = (0..i64::from(count))
            .flat_map(|p| (0..extent(pair.tap) as i64).map(move |t| pair.stride * p + pair.dilation * t))
            .collect();
        places.sort_unstable();
        places.dedup();
        places.len() as f64
    };
    let places: Vec<f64> = s.pairs.iter().map(along).collect();
    let (positions, row) = (places.iter().product::<f64>(), places.last().copied().unwrap_or(1.0));
    let lanes = s.vector.map_or(1.0, |v| f64::from(v.1));
    let (outputs, taps) = (outputs as f64, taps as f64);
    let filter = if shape.fixed > 0.0 { taps * lanes } else { 0.0 };
    // Rows of outputs that one row of the image is folded into; those before are stored.
    let open = |&(pair, count): &(WindowPair, u32)| {
        let reach = (extent(pair.tap) as i64 - 1) * pair.dilation / pair.stride.abs().max(1) + 1;
        f64::from(count).min(reach as f64)
    };
    let held = s.pairs.last().map_or(1.0, |p| f64::from(p.1))
        * s.pairs.split_last().map_or(1.0, |(_, outer)| outer.iter().map(open).product());
    let registers = (held + 2.0 * row) * lanes * shape.accumulators + filter + OTHER_REGISTERS;
    if registers > REGISTERS_MAX && outputs * lanes > 4.0 {
        return None;
    }
    // Registers are given out eight at a time.
    let registers = (registers / 8.0).ceil() * 8.0;
    let guard = if shape.masked { 4.0 } else { 1.0 };
    let instructions = shape.outer_steps as f64
        * (positions * (LOAD + guard + lanes * shape.read)
            + taps * shape.fixed * lanes
            + outputs * taps * lanes * shape.fold)
        + outputs * (2.0 + lanes * shape.store)
        + OTHER_INSTRUCTIONS;
    let units = f64::from(target.compute_units.max(1));
    let warp = f64::from(target.subgroup_size.max(1));
    let tiles = s.tile().tiles(plan) as f64;
    let room = f64::from(target.registers_per_unit.max(1)) / registers;
    let resident = (room.min(f64::from(target.max_threads_per_unit)) / f64::from(s.threads)).floor().max(1.0);
    let groups = (tiles / f64::from(s.threads)).ceil() / units;
    // Warps of one of the four schedulers, filling after filling.
    let warps = |groups: f64| (groups * f64::from(s.threads) / warp / 4.0).max(ALONE);
    let (fillings, rest) = ((groups.ceil() / resident).floor(), groups.ceil() % resident);
    let issued = fillings * warps(resident) + if rest > 0.0 { warps(rest) } else { 0.0 };
    let read = tiles * shape.outer_steps as f64 * positions * lanes * shape.bytes / units / CACHE_BYTES;
    let started = (groups.ceil() / resident).ceil();
    let waiting = LATENCY * (0.25 * started + 0.75 * (groups / resident).max(1.0));
    Some((instructions * issued * SLACK).max(read) + waiting)
}
