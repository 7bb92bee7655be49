//! Which kernels compute what fusion grouped, while a program is planned: the remarks of fusion with the kernels'
//! names.
//!
//! Input: every two neighbouring ops with their fusion ops, then each launch with its fusion op. Output: [`Remarks`].
//! Nothing is kept where nobody asks.

use std::collections::{BTreeSet, HashMap};

use fornax_graph::{OpId, OpKind, ValueId};
use fornax_module::program::{Access, Command, Kernel, SizeExpr, Space};
use fornax_module::remarks::{Apart, Copied, Neighbours, Remarks, Schedules, Site, Why};
use fornax_plan::KernelPlan;
use fornax_targets::Target;

use super::launch::Copies;
use super::storage::Source;
use super::trace::Origin;
use super::{Planned, Planner};
use crate::errors::PassError;
use crate::facts::{donated, scalar};
use crate::remarks::{self, Because, Expanded, Pair};
use fornax_kernels::chooser;

/// What is known of kernels so far.
#[derive(Clone, Debug)]
pub(super) struct Noted {
    pairs: Vec<Pair>,
    /// Fusion ops whose ops are groups of their own on this target, and those.
    replaced: HashMap<OpId, Vec<OpId>>,
    /// Fusion ops that are one with others, and which.
    joined: HashMap<OpId, OpId>,
    /// Fusion op and kernel of each launch.
    kernels: BTreeSet<(OpId, u32)>,
    /// Copies of the function that is planned, and where from and to.
    copies: Vec<(Copied, Option<(Space, Space)>)>,
    /// Copies of the functions that are planned.
    settled: Vec<Copied>,
    /// Kernels that could be one launch and are not, and why.
    apart: Vec<(u32, u32, Because)>,
    /// The kernel that does the work of another.
    instead: HashMap<u32, u32>,
}

impl Noted {
    pub fn new(pairs: &[Pair], expanded: Expanded) -> Noted {
        let Expanded { replaced, joined, pairs: inner } = expanded;
        // Pairs within what was expanded are told anew.
        let outer = |pair: &&Pair| {
            let inside = |site: &remarks::Site| site.groups.iter().all(|group| replaced.contains_key(group));
            !(inside(&pair.producer) && inside(&pair.consumer) && pair.producer.groups == pair.consumer.groups)
                || pair.producer.groups.is_empty()
        };
        let pairs = pairs.iter().filter(outer).cloned().chain(inner).collect();
        Noted {
            pairs,
            replaced,
            joined,
            kernels: BTreeSet::new(),
            copies: Vec::new(),
            settled: Vec::new(),
            apart: Vec::new(),
            instead: HashMap::new(),
        }
    }

    /// A launch of a kernel for a fusion op.
    pub fn launched(&mut self, op: OpId, kernel: u32) {
        self.kernels.insert((op, kernel));
    }

    /// A kernel that does the work of another from now on, or besides it.
    pub fn took_over(&mut self, from: u32, to: u32) {
        self.instead.insert(from, to);
        let ops: Vec<OpId> = self.kernels.iter().filter(|(_, kernel)| *kernel == from).map(|(op, _)| *op).collect();
        self.kernels.extend(ops.into_iter().map(|op| (op, to)));
    }

    /// The remarks of a finished program; `number` gives the final number of a kernel that is launched.
    pub fn told(self, target: &Target, planned: &Planned, number: &dyn Fn(u32) -> Option<u32>) -> Remarks {
        let program = &planned.program;
        let mut names: HashMap<OpId, Vec<String>> = HashMap::new();
        for (op, kernel) in &self.kernels {
            if let Some(record) = number(*kernel).and_then(|at| program.kernels.get(at as usize)) {
                names.entry(*op).or_default().push(record.name.clone());
            }
        }
        let of = |group: &OpId| names.get(group).cloned().unwrap_or_default();
        let groups = |site: &remarks::Site| -> Vec<OpId> {
            let after = site.groups.iter().flat_map(|group| self.replaced.get(group).cloned().unwrap_or(vec![*group]));
            after.map(|group| self.joined.get(&group).copied().unwrap_or(group)).collect()
        };
        let is_one =
            |pair: &Pair| groups(&pair.producer).len() == 1 && groups(&pair.producer) == groups(&pair.consumer);
        let site = |site: remarks::Site| {
            let mut kernels: Vec<String> = Vec::new();
            groups(&site).iter().flat_map(of).for_each(|name| {
                if !kernels.contains(&name) {
                    kernels.push(name);
                }
            });
            Site { op: site.text, kernels }
        };
        let pairs = self.pairs.into_iter().map(|pair| Neighbours {
            refused: pair.refused.iter().filter(|_| !is_one(&pair)).map(why).collect(),
            producer: site(pair.producer),
            consumer: site(pair.consumer),
        });
        let pairs = pairs.collect();
        let kernels = program.kernels.iter().zip(&planned.kernels);
        let tried = |(record, plan): (&Kernel, &KernelPlan)| Schedules {
            kernel: record.name.clone(),
            tried: chooser::explain(plan, target),
        };
        let known = |kernel: u32| number(kernel).or_else(|| number(*self.instead.get(&kernel)?));
        let name = |kernel: u32| known(kernel).and_then(|at| program.kernels.get(at as usize)).map(|k| k.name.clone());
        let apart = self.apart.iter().filter_map(|(first, second, because)| {
            Some(Apart { first: name(*first)?, second: name(*second)?, why: why(because) })
        });
        let launches = apart.collect();
        let kernels = kernels.map(tried).collect();
        Remarks { target: target.spec(), kernels, pairs, copies: self.settled, launches }
    }
}

fn why(because: &Because) -> Why {
    Why { code: because.reason.code.to_string(), text: because.text() }
}

impl Planner<'_> {
    /// Keeps that a value is copied, and why.
    pub(super) fn note_copy(&mut self, copies: &Copies, command: &Command) {
        let Some(noted) = &mut self.noted else { return };
        let (source, target) = match command {
            Command::Copy { source, target } => (source, target),
            // In a loop that the host runs ahead of, a kernel copies. One that only fills has no source.
            Command::Dispatch { bindings, .. } => match bindings.as_slice() {
                [source, target, ..] if target.access == Access::Write => (&source.span, &target.span),
                _ => return,
            },
            _ => return,
        };
        let bytes = match self.planned.program.exprs.get(target.length as usize) {
            Some(SizeExpr::Const(bytes)) => Some(*bytes),
            _ => None,
        };
        let value = match (copies.from, source.space) {
            (_, Space::Input(n)) => format!("input {n}"),
            (Source::Value(value), _) => self
                .graph
                .producer(value)
                .map_or_else(|| "a value that a loop carries".to_string(), |op| remarks::describe(self.graph, op)),
            _ => "an intermediate".to_string(),
        };
        let copied = Copied { value, bytes, why: why(&copies.why.of([])) };
        noted.copies.push((copied, Some((source.space, target.space))));
    }

    /// Keeps that products copy a value, because its rows may not lie otherwise.
    pub(super) fn note_rows(&mut self, value: ValueId, because: Because) {
        let Some(noted) = &mut self.noted else { return };
        let ty = self.graph.ty(value).as_tensor();
        let value = self.graph.producer(value).map_or_else(String::new, |op| remarks::describe(self.graph, op));
        let copied = Copied { value, bytes: ty.and_then(|ty| ty.bytes()), why: why(&because) };
        noted.settled.push(copied);
    }

    /// Keeps why two kernels that do not depend on one another are launched apart.
    pub(super) fn note_apart(&mut self, first: u32, second: u32, because: Because) {
        let Some(noted) = &mut self.noted else { return };
        if !noted.apart.contains(&(first, second, because)) {
            noted.apart.push((first, second, because));
        }
    }

    /// Keeps that a kernel of a fusion op writes the whole of a value of which it changes a slice.
    ///
    /// # Errors
    /// FX0901 for a fusion group without a region.
    pub(super) fn note_whole_writes(&mut self, fusion: OpId) -> Result<(), PassError> {
        let graph = self.graph;
        let Some(noted) = &mut self.noted else { return Ok(()) };
        let ops = &graph.block(scalar::body(graph, fusion)?).ops;
        // Of a chain in one kernel only the last result is written.
        let updated = ops.iter().filter(|&&op| graph.op(op).kind == OpKind::DynamicUpdateSlice);
        let updated: Vec<ValueId> = updated.map(|&op| graph.op(op).operands[0]).collect();
        for &op in ops {
            let data = graph.op(op);
            let is_slice = data.kind == OpKind::DynamicUpdateSlice && donated::is_small_update(graph, op);
            let result = data.results.first().filter(|v| !updated.contains(v));
            let ty = result.and_then(|&v| graph.ty(v).as_tensor()).filter(|_| is_slice);
            if let Some(bytes) = ty.and_then(|ty| ty.bytes()) {
                let value = remarks::describe(graph, op);
                let copied = Copied { value, bytes: Some(bytes), why: why(&remarks::WRITTEN_WHOLE.of([])) };
                noted.copies.push((copied, None));
            }
        }
        Ok(())
    }

    /// The function is planned: what is copied onto itself, since an output lies in an input, is no copy.
    pub(super) fn settle_copies(&mut self, function: &str) {
        let Some(noted) = &mut self.noted else { return };
        let aliases = self.planned.aliases.get(function).map(Vec::as_slice).unwrap_or_default();
        let stays = |spaces: Option<(Space, Space)>| match spaces {
            Some((Space::Input(input), Space::Output(output))) => !aliases.contains(&(input, output)),
            _ => true,
        };
        let copies = noted.copies.drain(..).filter(|(_, spaces)| stays(*spaces)).map(|(copied, _)| copied);
        noted.settled.extend(copies);
    }

    /// The kernel of a plan that is launched for `origin`, as [`Planner::kernel`]; keeps the two together.
    pub(super) fn kernel_for(&mut self, plan: KernelPlan, origin: Option<&Origin>) -> Result<u32, PassError> {
        let kernel = self.kernel(plan)?;
        if let (Some(noted), Some(origin)) = (&mut self.noted, origin) {
            noted.launched(origin.op, kernel);
        }
        Ok(kernel)
    }

    /// The kernel of a plan that does the work of others from now on.
    pub(super) fn kernel_instead(&mut self, plan: KernelPlan, others: &[u32]) -> Result<u32, PassError> {
        let kernel = self.kernel(plan)?;
        if let Some(noted) = &mut self.noted {
            others.iter().for_each(|&other| noted.took_over(other, kernel));
        }
        Ok(kernel)
    }
}
