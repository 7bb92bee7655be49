//! Launches whose number of workgroups depends on sizes.
//!
//! Input: a plan. Output: the formula of its workgroups, which the host program evaluates for each call.
//!
//! Worked example: [b, 96] f32 collapsed to one variable of 96·b, vector 4, 256 threads, 2 items each: ⌈⌈96·b / 4⌉ /
//! 512⌉.

use crate::index::{IndexId, VarId};
use crate::kernel::{Body, KernelPlan};

/// Calls in which a size lies in `min..=max`, and what it is likely to be then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Serves {
    pub size: IndexId,
    pub min: i64,
    pub max: i64,
    pub likely: i64,
}

/// What a size is taken for in cost models where nothing is known of it.
pub const LIKELY_SIZE: i64 = 1024;

/// ⌈Π extents of `vars` · ⌈extent of `inner` / its step⌉ / step⌉.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchFactor {
    pub vars: Vec<VarId>,
    pub inner: Option<(VarId, u64)>,
    pub step: u64,
}

impl LaunchFactor {
    pub fn of(vars: Vec<VarId>, step: u64) -> LaunchFactor {
        LaunchFactor { vars, inner: None, step: step.max(1) }
    }

    /// A factor for every variable, of which the last goes in steps.
    pub fn each(vars: &[VarId], last: u64) -> Vec<LaunchFactor> {
        let step = |at: usize| if at + 1 == vars.len() { last } else { 1 };
        vars.iter().enumerate().map(|(at, &var)| LaunchFactor::of(vec![var], step(at))).collect()
    }
}

/// Workgroups of a launch: ⌈Π factors / per_group⌉, and no more than `most`; with none there is no launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchFormula {
    pub factors: Vec<LaunchFactor>,
    pub per_group: u64,
    /// Workgroups of a persistent grid.
    pub most: Option<u64>,
}

impl KernelPlan {
    /// Does anything in the plan depend on sizes known only at run time?
    pub fn is_sized(&self) -> bool {
        !self.exprs.indices.sizes.is_empty()
    }

    /// What sizes are taken for in cost models.
    pub fn likely_size(&self) -> i64 {
        self.serves.map_or(LIKELY_SIZE, |serves| serves.likely)
    }

    /// Are all loops of the plan as long in every call?
    pub fn has_static_loops(&self) -> bool {
        let vars = self.domain.iter().chain(self.body.reduction()).chain(self.body.source());
        vars.into_iter().all(|&var| self.exprs.indices.run_extent(var).is_none())
    }

    /// Are all loops but the outermost of the domain as long in every call?
    pub fn loops_inside_are_static(&self) -> bool {
        let inside = self.domain.iter().skip(1).chain(self.body.reduction()).chain(self.body.source());
        inside.into_iter().all(|&var| self.exprs.indices.run_extent(var).is_none())
    }

    /// Variables of the work items of a schedule of points: the domain, without what a line is folded along; elements
    /// of lines for sorts.
    pub fn item_vars(&self) -> Vec<VarId> {
        let mut vars = match &self.body {
            Body::Scan { .. } | Body::Sort { .. } | Body::Distribute { .. } => self.line_vars(),
            _ => self.domain.clone(),
        };
        if let Body::Sort { source, .. } = &self.body {
            vars.push(*source);
        }
        vars
    }
}

impl Body {
    /// A variable of the body's own that its lines lie along.
    pub fn source(&self) -> Option<&VarId> {
        match self {
            Body::Sort { source, .. } => Some(source),
            Body::Segment { along, .. } => Some(along),
            Body::Count { digits, .. } | Body::Distribute { digits, .. } => Some(&digits.source),
            _ => None,
        }
    }
}
