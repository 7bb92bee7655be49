//! What two modules differ in without running: kernels, bytes, memory, predicted time, for each target that both have.
//!
//! Kernels are paired by what they compute: the n-th kernel of a family and a list of ops in a is the n-th such in b.
//! Predicted is the least time that a product's bandwidth and peaks allow (see `analysis::peaks`): a bound, no
//! measurement.
//!
//! Worked example: a has `add multiply`, `reduce`; b has `add multiply reduce`. The first two are only in a, the last
//! is only in b; bytes moved and launches say what that gave.

use std::collections::BTreeMap;

use anyhow::Result;
use fornax_module::Program;
use fornax_module::manifest::TargetEntry;
use fornax_module::program::{Function, Kernel};
use fornax_module::read::ParsedModule;
use serde::Serialize;

use super::Both;
use crate::args::DiffArgs;
use crate::commands::analysis::peaks::{DeviceRow, rows};
use crate::commands::analysis::sizes::Sizes;
use crate::commands::analysis::walk::{sample, walk};
use crate::failure::Failure;

/// A module's bytes that were parsed.
type Parsed<'a> = &'a ParsedModule<&'a [u8]>;

/// A target of both modules; where each has one only, these two.
#[derive(Serialize)]
pub struct TargetDiff {
    pub title: Both<String>,
    pub image_bytes: Both<usize>,
    pub kernels: Vec<KernelDiff>,
    pub functions: Vec<CallDiff>,
}

/// One kernel of either module.
#[derive(Debug, PartialEq, Serialize)]
pub struct KernelDiff {
    pub hero: String,
    pub summary: String,
    /// `same`, `changed`, `only in a`, `only in b`.
    pub change: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<KernelSide>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<KernelSide>,
}

/// What can change of a kernel while it computes the same.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KernelSide {
    pub name: String,
    pub schedule: String,
    pub threads: u32,
    /// Of a thread; 0 where nobody tells.
    pub registers: u32,
    pub spill_bytes: u32,
    pub shared_bytes: u32,
    /// Bytes that a launch must move; 0 = what its buffers hold.
    pub bytes: u64,
    pub flops: u64,
}

/// A call of a function that both modules have.
#[derive(Serialize)]
pub struct CallDiff {
    pub function: String,
    /// Sizes that the figures are for, where the function leaves some open.
    pub sizes: BTreeMap<String, u64>,
    /// The product that `least_us` is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub product: Option<&'static str>,
    pub call: Both<Call>,
}

/// Figures of a call, all launches together.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Call {
    pub launches: u64,
    /// Branches or loops of unknown length were counted once.
    pub at_least: bool,
    pub bytes_moved: u64,
    pub flops: u64,
    pub arena_bytes: Option<u64>,
    /// Least time on the product, microseconds; `None` where its rates are not known.
    pub least_us: Option<f64>,
}

/// The targets of both modules, and those that only one has.
///
/// # Errors
/// FX0801 where neither module has the target asked for.
pub fn targets(modules: Both<Parsed<'_>>, args: &DiffArgs) -> Result<(Vec<TargetDiff>, Both<Vec<String>>)> {
    let of = |module: Parsed<'_>| -> Vec<TargetEntry> {
        let wanted = |t: &&TargetEntry| args.target.as_deref().is_none_or(|name| t.arch == name || t.backend == name);
        module.manifest().targets.iter().filter(wanted).cloned().collect()
    };
    let found = Both { a: of(modules.a), b: of(modules.b) };
    if let (Some(name), true, true) = (&args.target, found.a.is_empty(), found.b.is_empty()) {
        return Err(Failure::usage(format!("neither module has the target {name}")).into());
    }
    let is_one = found.a.len() == 1 && found.b.len() == 1;
    let is_pair = |a: &TargetEntry, b: &TargetEntry| is_one || (a.backend == b.backend && a.arch == b.arch);
    let mut diffs = Vec::new();
    for a in &found.a {
        if let Some(b) = found.b.iter().find(|b| is_pair(a, b)) {
            diffs.extend(target(modules, Both { a, b }, args));
        }
    }
    let alone = |own: &[TargetEntry], paired: &dyn Fn(&TargetEntry) -> bool| -> Vec<String> {
        own.iter().filter(|t| !paired(t)).map(|t| t.title()).collect()
    };
    let others = Both {
        a: alone(&found.a, &|a| found.b.iter().any(|b| is_pair(a, b))),
        b: alone(&found.b, &|b| found.a.iter().any(|a| is_pair(a, b))),
    };
    Ok((diffs, others))
}

fn target(modules: Both<Parsed<'_>>, pair: Both<&TargetEntry>, args: &DiffArgs) -> Option<TargetDiff> {
    let a = modules.a.programs().get(pair.a.program as usize)?;
    let b = modules.b.programs().get(pair.b.program as usize)?;
    let bytes = |module: Parsed<'_>, target: &TargetEntry| {
        target.images.iter().filter_map(|image| module.image(image.section).ok()).map(<[u8]>::len).sum()
    };
    // Both are asked about one product: that of b, which is the newer as a rule.
    let device = rows(pair.b).into_iter().find(|row| pair.a.arch == pair.b.arch || rows(pair.a).contains(row));
    let shared = a.functions.iter().filter_map(|f| Some((f, b.functions.iter().find(|g| g.name == f.name)?)));
    let wanted = shared.filter(|(f, _)| {
        let is_public = modules.a.manifest().functions.iter().any(|s| s.name == f.name);
        is_public && args.function.as_deref().is_none_or(|name| f.name == name)
    });
    let functions = wanted.map(|(f, g)| {
        let given = &args.input_size;
        let call =
            Both { a: call(modules.a, a, f, given, device.as_ref()), b: call(modules.b, b, g, given, device.as_ref()) };
        let sizes = sample(f, signature(modules.a, &f.name), given).into_iter().collect();
        CallDiff { function: f.name.clone(), sizes, product: device.as_ref().map(|row| row.name), call }
    });
    Some(TargetDiff {
        title: Both { a: pair.a.title(), b: pair.b.title() },
        image_bytes: Both { a: bytes(modules.a, pair.a), b: bytes(modules.b, pair.b) },
        kernels: kernels(&a.kernels, &b.kernels),
        functions: functions.collect(),
    })
}

fn signature<'a>(module: Parsed<'a>, name: &str) -> Option<&'a fornax_module::manifest::FunctionSignature> {
    module.manifest().functions.iter().find(|s| s.name == name)
}

/// The launches of a call, each with its bytes and least time.
fn call(
    module: Parsed<'_>,
    program: &Program,
    function: &Function,
    given: &[(String, u64)],
    device: Option<&DeviceRow>,
) -> Call {
    let signature = signature(module, &function.name);
    let sizes = Sizes::new(program, function, &sample(function, signature, given));
    let steps = walk(program, function.body, signature, &sizes);
    let mut call = Call { arena_bytes: sizes.of(function.arena_bytes), ..Call::default() };
    let mut least = device.map(|_| 0.0);
    for step in &steps.steps {
        let Some(kernel) = step.kernel.and_then(|id| program.kernels.get(id as usize)) else { continue };
        // An empty grid is not launched: of kernels for several ranges of sizes, one runs.
        if step.grid.is_some_and(|grid| grid.iter().any(|side| sizes.of(*side) == Some(0))) {
            continue;
        }
        let bound: u64 = step.bound.iter().filter_map(|length| sizes.of(*length)).sum();
        let bytes = if kernel.bytes > 0 { kernel.bytes } else { bound };
        call.launches += step.times;
        call.at_least |= step.conditional;
        call.bytes_moved = call.bytes_moved.saturating_add(bytes.saturating_mul(step.times));
        call.flops = call.flops.saturating_add(kernel.flops.saturating_mul(step.times));
        let us = device.and_then(|row| row.least_us(bytes, kernel.flops, &kernel.arithmetic));
        least = least.zip(us).map(|(sum, us)| sum + us * step.times as f64);
    }
    call.at_least |= steps.omitted > 0;
    call.least_us = least.filter(|_| call.launches > 0);
    call
}

/// Pairs kernels by what they compute.
fn kernels(a: &[Kernel], b: &[Kernel]) -> Vec<KernelDiff> {
    let mut left: BTreeMap<(&str, &str), Vec<&Kernel>> = BTreeMap::new();
    b.iter().rev().for_each(|kernel| left.entry((&kernel.hero, &kernel.summary)).or_default().push(kernel));
    let mut found = Vec::new();
    for kernel in a {
        let other = left.get_mut(&(kernel.hero.as_str(), kernel.summary.as_str())).and_then(Vec::pop);
        found.push(pair(Some(kernel), other));
    }
    // In b's order.
    for kernel in b {
        let new = left.get_mut(&(kernel.hero.as_str(), kernel.summary.as_str()));
        if let Some(at) = new.as_ref().and_then(|list| list.iter().position(|other| std::ptr::eq(*other, kernel))) {
            new.map(|list| list.remove(at));
            found.push(pair(None, Some(kernel)));
        }
    }
    found.into_iter().flatten().collect()
}

fn pair(a: Option<&Kernel>, b: Option<&Kernel>) -> Option<KernelDiff> {
    let either = a.or(b)?;
    let (ours, theirs) = (a.map(side), b.map(side));
    let change = match (&ours, &theirs) {
        (Some(_), None) => "only in a",
        (None, _) => "only in b",
        // A name holds the kernel's place among all, which a kernel before it changes.
        (Some(x), Some(y)) if KernelSide { name: y.name.clone(), ..x.clone() } == *y => "same",
        _ => "changed",
    };
    Some(KernelDiff { hero: either.hero.clone(), summary: either.summary.clone(), change, a: ours, b: theirs })
}

fn side(kernel: &Kernel) -> KernelSide {
    KernelSide {
        name: kernel.name.clone(),
        schedule: kernel.note.clone(),
        threads: kernel.block.iter().product(),
        registers: kernel.registers,
        spill_bytes: kernel.spill_bytes,
        shared_bytes: kernel.static_shared_bytes.saturating_add(kernel.dynamic_shared_bytes),
        bytes: kernel.bytes,
        flops: kernel.flops,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(name: &str, summary: &str, note: &str) -> Kernel {
        Kernel {
            name: name.into(),
            hero: "loop".into(),
            summary: summary.into(),
            note: note.into(),
            ..Kernel::default()
        }
    }

    #[test]
    fn kernels_are_paired_by_what_they_compute() {
        let a = [kernel("k0", "add", "loop 1"), kernel("k1", "exp", ""), kernel("k2", "add", "loop 4")];
        let b = [kernel("k0", "tanh", ""), kernel("k1", "add", "loop 1"), kernel("k2", "add", "loop 8")];
        let found: Vec<(String, &str)> = kernels(&a, &b).into_iter().map(|k| (k.summary, k.change)).collect();
        let wanted = [("add", "same"), ("exp", "only in a"), ("add", "changed"), ("tanh", "only in b")];
        assert_eq!(found, wanted.map(|(summary, change)| (summary.to_string(), change)));
    }
}
