//! What a kernel reads before the kernels that it depends on are over: weights, arguments, constants.
//!
//! A model:
//! ```mlir
//! func.func @main(%arg0: tensor<128x256xbf16>, %arg1: tensor<256x1024xbf16>) -> tensor<128x1024xbf16> {
//!   %0 = stablehlo.sine %arg0 : tensor<128x256xbf16>
//!   %1 = stablehlo.dot_general %0, %arg1, contracting_dims = [1] x [0] :
//!     (tensor<128x256xbf16>, tensor<256x1024xbf16>) -> tensor<128x1024xbf16>
//!   return %1 : tensor<128x1024xbf16>
//! }
//! ```
//! Before:
//! ```text
//! kernel loop_0_sine
//! kernel contraction_1_dot_general
//! @main: 2 inputs, 1 outputs, arena 65536 bytes (65536 without sharing)
//!   dispatch loop_0_sine grid 16 [input 0 +0 65536B, -> arena +0 65536B]
//!   dispatch contraction_1_dot_general grid 128 [input 1 +0 524288B, arena +0 65536B, -> output 0 +0 262144B]
//! ```
//! After:
//! ```text
//! kernel loop_0_sine
//! kernel contraction_1_dot_general
//! @main: 2 inputs, 1 outputs, arena 65536 bytes (65536 without sharing)
//!   dispatch loop_0_sine grid 16 [input 0 +0 65536B, -> arena +0 65536B]
//!   dispatch contraction_1_dot_general grid 128 [early input 1 +0 524288B, arena +0 65536B, -> output 0 +0 262144B]
//! ```
//!
//! Input: a planned program, all of whose kernels stay. Output: the same, with [`KernelPlan::early`].
//!
//! A kernel on a target with `griddepcontrol` is started once every workgroup of the kernels before it is, and waits
//! by itself until they are over. What no command of a function's calls writes it can read meanwhile: where all
//! launches of the kernel bind such memory, and its schedule knows what to do with it
//! ([`fornax_plan::schedule::Schedule::early`]).
//!
//! Worked example: 12 layers, 12 launches of a product of activations and weights: `early` is the weights' buffer.
//! Where one of the launches multiplies two activations, nothing is.
//!
//! Limits: a call's kernels alone; a launch waits for the call before. Kernels that look at a flag first wait at once.

use std::collections::{BTreeMap, HashSet};

use fornax_module::program::{Access, Binding, Command, Kernel, Program, Space};
use fornax_plan::{Access as PlanAccess, Body, Buffer, KernelPlan};
use fornax_targets::{Feature, Target};

use super::Planned;
use super::record::kernel_name;
use super::settled::is_settled;

/// Registers of a thread of a kernel that computes. Source: ptxas gives products by `mma` and attention in f32 80 to
/// 210.
const REGISTERS: u32 = 128;

/// Whether a kernel is started before those that it depends on are over.
///
/// Its workgroups then go where a multiprocessor is free first, as many as fit, instead of one each. To those that wait
/// for memory it is all one; those that compute must fill the device, or be one a multiprocessor anyway. One H100, us
/// of a call, before early starts, without this rule, with it: ViT-B/16 in tf32, whose attention has 48 workgroups and
/// 4 fit one multiprocessor, 736, 803, 672; ResNet50 in IEEE f32 496, 649, 491; a U-Net level in tf32 252, 329, 279.
pub fn starts(plan: &KernelPlan, target: &Target) -> bool {
    if !target.has(Feature::DependentLaunch) {
        return false;
    }
    let (grid, threads) = plan.launch();
    let groups = grid.iter().fold(1, |all: u64, &n| all.saturating_mul(n));
    let by_registers = target.registers_per_unit / (threads.max(1) * REGISTERS).max(1);
    let by_shared = target.shared_bytes_per_unit.checked_div(plan.dynamic_shared_bytes()).unwrap_or(u32::MAX);
    let fit = by_registers.min(by_shared).max(1);
    !plan.schedule.computes(plan) || fit == 1 || groups >= u64::from(fit) * u64::from(target.compute_units)
}

/// A launch of a kernel, and what of its buffers is there before it waits.
struct Bound {
    /// The block, and the command in it.
    place: (usize, usize),
    /// Memory that no command of a call writes.
    given: Vec<bool>,
    /// Such memory, or what is written before the kernel starts.
    there: Vec<bool>,
}

/// Sets [`KernelPlan::early`] of every kernel, and its fingerprint where there is anything. A kernel becomes
/// two where some of its launches may read what others may not.
pub fn note(planned: &mut Planned, target: &Target) {
    if !target.has(Feature::DependentLaunch) {
        return;
    }
    // Inputs whose memory outputs take.
    let lent: HashSet<u32> = planned.aliases.values().flatten().map(|&(input, _)| input).collect();
    let mut bound: BTreeMap<u32, Vec<Bound>> = BTreeMap::new();
    for (number, block) in planned.program.blocks.iter().enumerate() {
        for (at, command) in block.commands.iter().enumerate() {
            let Command::Dispatch { kernel, bindings, .. } = command else { continue };
            let launch = Bound::of(&planned.program, &lent, (number, at), bindings);
            bound.entry(*kernel).or_default().push(launch);
        }
    }
    for (kernel, launches) in bound {
        let Some(plan) = planned.kernels.get(kernel as usize) else { continue };
        let given = common(launches.iter().map(|launch| &launch.given));
        let with = |there: &[bool]| {
            let mut plan = plan.clone();
            note_early(&mut plan, (&given, there));
            plan
        };
        let most = most_common(&launches);
        let others = common(launches.iter().map(|launch| &launch.there).filter(|there| **there != most));
        let (early, late) = (with(&most), with(&others));
        if others.is_empty() || early.early == late.early {
            let plan = with(&common(launches.iter().map(|launch| &launch.there)));
            set(planned, kernel, plan);
            continue;
        }
        set(planned, kernel, early);
        let copy = add_like(planned, kernel, late);
        for Bound { place: (block, at), .. } in launches.iter().filter(|launch| launch.there != most) {
            if let Some(Command::Dispatch { kernel, .. }) = planned.program.blocks[*block].commands.get_mut(*at) {
                *kernel = copy;
            }
        }
    }
}

/// Gives a kernel its plan with what it reads early.
fn set(planned: &mut Planned, kernel: u32, plan: KernelPlan) {
    if !plan.early.is_empty()
        && let Some(fingerprint) = planned.fingerprints.get_mut(kernel as usize)
    {
        *fingerprint = super::fingerprint(&plan);
    }
    planned.kernels[kernel as usize] = plan;
}

/// Adds a kernel like another, of such a plan; its number.
fn add_like(planned: &mut Planned, kernel: u32, plan: KernelPlan) -> u32 {
    let number = planned.kernels.len() as u32;
    let name = free_name(&planned.program.kernels, (plan.body.hero(), &plan.summary));
    let like = planned.program.kernels[kernel as usize].clone();
    planned.program.kernels.push(Kernel { name, ..like });
    planned.fingerprints.push(super::fingerprint(&plan));
    planned.kernels.push(plan);
    number
}

/// A name for one more kernel. Numbers of those that are left go beyond their count, where others are launched no more.
fn free_name(kernels: &[Kernel], (hero, summary): (&str, &str)) -> String {
    let mut names = (kernels.len() as u32..).map(|number| kernel_name(hero, number, summary));
    names.find(|name| kernels.iter().all(|kernel| kernel.name != *name)).unwrap_or_default()
}

/// What is true of all; nothing of none.
fn common<'b>(all: impl Iterator<Item = &'b Vec<bool>>) -> Vec<bool> {
    let both = |a: Vec<bool>, b: Vec<bool>| a.into_iter().zip(b).map(|(a, b)| a && b).collect();
    all.cloned().reduce(both).unwrap_or_default()
}

/// What is there for most launches; of as many, for the first.
fn most_common(launches: &[Bound]) -> Vec<bool> {
    let count = |there: &Vec<bool>| launches.iter().filter(|launch| launch.there == *there).count();
    let all = launches.iter().map(|launch| &launch.there).rev();
    all.max_by_key(|there| count(there)).cloned().unwrap_or_default()
}

impl Bound {
    /// Of a command's bindings; `lent` are the inputs that outputs take the memory of.
    fn of(program: &Program, lent: &HashSet<u32>, (block, at): (usize, usize), bindings: &[Binding]) -> Bound {
        // What is made when the module is loaded is made by launches that no call waits for.
        let at_load = program.load == Some(block as u32);
        let is_lent = |space| matches!(space, Space::Input(input) if lent.contains(&input));
        let is_constant = |b: &Binding| b.access == Access::Read && !is_lent(b.span.space) && is_given(b, at_load);
        let given: Vec<bool> = bindings.iter().map(is_constant).collect();
        let commands = &program.blocks[block].commands;
        let is_there = |(b, given): (&Binding, &bool)| *given || is_settled(program, (commands, at), b);
        let there = bindings.iter().zip(&given).map(is_there).collect();
        Bound { place: (block, at), given, there }
    }
}

/// Memory that is full before the first command of a call, and that none of them writes.
fn is_given(binding: &Binding, at_load: bool) -> bool {
    match binding.span.space {
        Space::Constant | Space::Input(_) | Space::Parameter(_) => true,
        Space::Persistent => !at_load,
        Space::Arena | Space::Output(_) | Space::Frame(_) => false,
    }
}

/// Sets what a kernel reads early of its buffers, which are `constant`, or `there` when it starts, and what each part
/// of a bundle does.
fn note_early(plan: &mut KernelPlan, (constant, there): (&[bool], &[bool])) {
    if plan.guard().is_some() {
        return;
    }
    let is_read = |(buffer, &is): (&Buffer, &bool)| is && buffer.access == PlanAccess::Read;
    let [given, there] = [constant, there].map(|of| plan.buffers.iter().zip(of).map(is_read).collect::<Vec<_>>());
    plan.early = plan.schedule.early(plan, &given);
    if !plan.early.is_empty() {
        plan.early.extend(plan.schedule.settled(plan, &there));
        plan.early.sort_unstable();
        plan.early.dedup();
    }
    if let Body::Led(led) = &mut plan.body {
        let own = [&given, &there].map(|of| led.then.given(of));
        note_early(&mut led.then.plan, (&own[0], &own[1]));
    }
    if let Body::Bundle(bundle) = &mut plan.body {
        for part in &mut bundle.parts {
            let own = [&given, &there].map(|of| part.given(of));
            note_early(&mut part.plan, (&own[0], &own[1]));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::example::import;
    use crate::program::Options;
    use fornax_targets::Target;

    /// Name of a kernel, and whether it is started early.
    fn kernels(model: &str, target: &str) -> Vec<(String, bool)> {
        let graph = crate::fuse(&import(model)).unwrap();
        let target = Target::from_spec(target).unwrap();
        let planned = crate::plan(&graph, &target, &Options::default()).unwrap();
        planned.program.kernels.into_iter().map(|kernel| (kernel.name, kernel.awaits)).collect()
    }

    /// `sin(x)·w` in IEEE f32, which warps or threads multiply.
    fn product(rows: u32) -> String {
        format!(
            "func.func @main(%x: tensor<{rows}x96xf32>, %w: tensor<96x384xf32>) -> tensor<{rows}x384xf32> {{\n\
             %0 = stablehlo.sine %x : tensor<{rows}x96xf32>\n\
             %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] \
                 : (tensor<{rows}x96xf32>, tensor<96x384xf32>) -> tensor<{rows}x384xf32>\n\
             return %1 : tensor<{rows}x384xf32>\n}}\n"
        )
    }

    #[test]
    fn a_copy_has_a_name_of_its_own() {
        let of = |name: &str| super::Kernel { name: name.into(), ..super::Kernel::default() };
        let kernels = [of("loop_0_add"), of("loop_2_add"), of("loop_4_add")];
        assert_eq!(super::free_name(&kernels, ("loop", "add")), "loop_3_add");
        assert_eq!(super::free_name(&kernels[..2], ("loop", "add")), "loop_3_add");
        assert_eq!(super::free_name(&kernels[..1], ("loop", "add")), "loop_1_add");
    }

    #[test]
    fn few_rows_ask_for_what_no_kernel_writes() {
        let early = |rows: u32| {
            let (ty, row) = (format!("tensor<{rows}x1024xf32>"), "tensor<1024xf32>");
            let model = format!(
                "func.func @main(%x: {ty}, %w: {row}) -> {ty} {{\n\
                 %z = stablehlo.constant dense<0.0> : tensor<f32>\n\
                 %s = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] \
                     : ({ty}, tensor<f32>) -> tensor<{rows}xf32>\n\
                 %b = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<{rows}xf32>) -> {ty}\n\
                 %d = stablehlo.divide %x, %b : {ty}\n\
                 %v = stablehlo.broadcast_in_dim %w, dims = [1] : ({row}) -> {ty}\n\
                 %y = stablehlo.multiply %d, %v : {ty}\n\
                 return %y : {ty}\n}}\n"
            );
            let graph = crate::fuse(&import(&model)).unwrap();
            let target = Target::from_spec("cuda:sm_90a").unwrap();
            let planned = crate::plan(&graph, &target, &Options::default()).unwrap();
            planned.kernels[0].early.len()
        };
        assert_eq!([early(1), early(4096)], [2, 0]);
    }

    #[test]
    fn attention_asks_for_what_an_argument_lets_it_see() {
        let (q, k, s) = ("tensor<2x4x64xbf16>", "tensor<2x512x64xbf16>", "tensor<2x4x512xf32>");
        let rows = "tensor<2x4xf32>";
        let model = format!(
            "func.func @main(%q: {q}, %k: {k}, %v: {k}, %p: tensor<i32>) -> {q} {{\n\
             %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] \
                 : ({q}, {k}) -> {s}\n\
             %i = stablehlo.iota dim = 2 : tensor<2x4x512xi32>\n\
             %b = stablehlo.broadcast_in_dim %p, dims = [] : (tensor<i32>) -> tensor<2x4x512xi32>\n\
             %m = stablehlo.compare LE, %i, %b : (tensor<2x4x512xi32>, tensor<2x4x512xi32>) -> tensor<2x4x512xi1>\n\
             %l = stablehlo.constant dense<0xFF800000> : {s}\n\
             %x = stablehlo.select %m, %s, %l : tensor<2x4x512xi1>, {s}\n\
             %n = stablehlo.constant dense<0xFF800000> : tensor<f32>\n\
             %z = stablehlo.constant dense<0.0> : tensor<f32>\n\
             %t = stablehlo.reduce(%x init: %n) applies stablehlo.maximum across dimensions = [2] \
                 : ({s}, tensor<f32>) -> {rows}\n\
             %u = stablehlo.broadcast_in_dim %t, dims = [0, 1] : ({rows}) -> {s}\n\
             %d = stablehlo.subtract %x, %u : {s}\n\
             %e = stablehlo.exponential %d : {s}\n\
             %f = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [2] \
                 : ({s}, tensor<f32>) -> {rows}\n\
             %g = stablehlo.broadcast_in_dim %f, dims = [0, 1] : ({rows}) -> {s}\n\
             %w = stablehlo.divide %e, %g : {s}\n\
             %h = stablehlo.convert %w : ({s}) -> tensor<2x4x512xbf16>\n\
             %y = stablehlo.dot_general %h, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] \
                 : (tensor<2x4x512xbf16>, {k}) -> {q}\n\
             return %y : {q}\n}}\n"
        );
        let graph = crate::fuse(&import(&model)).unwrap();
        let target = Target::from_spec("cuda:sm_90a").unwrap();
        let planned = crate::plan(&graph, &target, &Options::default()).unwrap();
        let [plan] = &planned.kernels[..] else { panic!("{} kernels", planned.kernels.len()) };
        assert!(plan.way().contains("stream"), "{}", plan.way());
        let early: Vec<i64> = plan.early.iter().map(|&at| plan.buffers[at as usize].elements).collect();
        assert_eq!(early, [1], "the position alone");
    }

    #[test]
    fn what_computes_starts_early_where_it_fills_the_device() {
        let early = |rows| {
            let kernels = kernels(&product(rows), "cuda:sm_90a");
            kernels.into_iter().map(|kernel| kernel.1).collect::<Vec<_>>()
        };
        assert_eq!(early(784), [true, false], "few workgroups would share multiprocessors");
        assert!(early(100_352).iter().all(|starts| *starts), "they fill the device");
        let off = kernels(&product(784), "cuda:sm_90a,-early-start");
        assert!(off.iter().all(|kernel| !kernel.1), "nothing waits by itself");
    }
}
