//! Which kernels compute what fusion grouped, while a program is planned: the remarks of fusion with the kernels'
//! names.
//!
//! Input: every two neighbouring ops with their fusion ops, then each launch with its fusion op. Output: [`Remarks`].
//! Nothing is kept where nobody asks.

use std::collections::{BTreeSet, HashMap};

use fornax_graph::OpId;
use fornax_module::program::Kernel;
use fornax_module::remarks::{Neighbours, Remarks, Schedules, Site, Why};
use fornax_plan::KernelPlan;
use fornax_targets::Target;

use super::trace::Origin;
use super::{Planned, Planner};
use crate::errors::PassError;
use crate::remarks::{self, Because, Expanded, Pair};
use fornax_kernels::chooser;

/// What is known of kernels so far.
#[derive(Clone, Debug)]
pub(super) struct Noted {
    pairs: Vec<Pair>,
    /// Fusion ops whose ops are groups of their own on this target, and those.
    replaced: HashMap<OpId, Vec<OpId>>,
    /// Fusion op and kernel of each launch.
    kernels: BTreeSet<(OpId, u32)>,
}

impl Noted {
    pub fn new(pairs: &[Pair], expanded: Expanded) -> Noted {
        let Expanded { replaced, pairs: inner } = expanded;
        // Pairs within what was expanded are told anew.
        let outer = |pair: &&Pair| {
            let inside = |site: &remarks::Site| site.groups.iter().all(|group| replaced.contains_key(group));
            !(inside(&pair.producer) && inside(&pair.consumer) && pair.producer.groups == pair.consumer.groups)
                || pair.producer.groups.is_empty()
        };
        let pairs = pairs.iter().filter(outer).cloned().chain(inner).collect();
        Noted { pairs, replaced, kernels: BTreeSet::new() }
    }

    /// A launch of a kernel for a fusion op.
    pub fn launched(&mut self, op: OpId, kernel: u32) {
        self.kernels.insert((op, kernel));
    }

    /// A kernel that does the work of another from now on, or besides it.
    pub fn took_over(&mut self, from: u32, to: u32) {
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
        let site = |site: remarks::Site| {
            let groups = site.groups.iter().flat_map(|group| self.replaced.get(group).cloned().unwrap_or(vec![*group]));
            let mut kernels: Vec<String> = Vec::new();
            groups.flat_map(|group| of(&group)).for_each(|name| {
                if !kernels.contains(&name) {
                    kernels.push(name);
                }
            });
            Site { op: site.text, kernels }
        };
        let pairs = self.pairs.into_iter().map(|pair| Neighbours {
            producer: site(pair.producer),
            consumer: site(pair.consumer),
            refused: pair.refused.iter().map(why).collect(),
        });
        let pairs = pairs.collect();
        let kernels = program.kernels.iter().zip(&planned.kernels);
        let tried = |(record, plan): (&Kernel, &KernelPlan)| Schedules {
            kernel: record.name.clone(),
            tried: chooser::explain(plan, target),
        };
        Remarks { target: target.spec(), kernels: kernels.map(tried).collect(), pairs }
    }
}

fn why(because: &Because) -> Why {
    Why { code: because.reason.code.to_string(), text: because.text() }
}

impl Planner<'_> {
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
