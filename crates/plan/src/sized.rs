//! Launches whose number of workgroups depends on sizes, and the schedule that takes any body with such sizes.
//!
//! Input: a plan. Output: the formula of its workgroups, which the host program evaluates for each call.
//!
//! Worked example: [b, 96] f32 collapsed to one variable of 96·b, vector 4, 256 threads, 2 items each: ⌈⌈96·b / 4⌉ / 512⌉.

use crate::form::ContractionForm;
use crate::index::{IndexId, VarId};
use crate::kernel::{Body, KernelPlan, Schedule};

/// For every body: work items are the points of [`KernelPlan::item_vars`], numbered row-major, lanes along the last; a thread
/// does what a point needs alone, one step after another. GPU threads take items at distance `threads`, a CPU workgroup a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizedSchedule {
    /// Lanes along the last item variable.
    pub lanes: u32,
    pub threads: u32,
    /// Items of a thread.
    pub items: u32,
}

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
    fn of(vars: Vec<VarId>, step: u64) -> LaunchFactor {
        LaunchFactor { vars, inner: None, step: step.max(1) }
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

    /// Variables of the work items of a [`SizedSchedule`]: the domain, without what a line is folded along; elements of lines for sorts.
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

    /// Items of a sized schedule, of the largest sizes.
    pub(crate) fn sized_items(&self, s: &SizedSchedule) -> u64 {
        let vars = self.item_vars();
        let extent = |v: &VarId| self.exprs.indices.extent(*v).max(0) as u64;
        let Some((last, outer)) = vars.split_last() else { return 1 };
        let outer = outer.iter().map(extent).fold(1, u64::saturating_mul);
        outer.saturating_mul(extent(last).div_ceil(u64::from(s.lanes.max(1))))
    }

    /// The formula of the workgroups; `None` where their number is that of [`KernelPlan::launch`] whatever the sizes.
    pub fn launch_formula(&self) -> Option<LaunchFormula> {
        if self.has_static_loops() {
            return None;
        }
        let each = |vars: &[VarId], last: u64| {
            let at =
                |(at, &var): (usize, &VarId)| LaunchFactor::of(vec![var], if at + 1 == vars.len() { last } else { 1 });
            vars.iter().enumerate().map(at).collect::<Vec<_>>()
        };
        match &self.schedule {
            Schedule::Sized(s) => {
                let factors = each(&self.item_vars(), u64::from(s.lanes.max(1)));
                Some(LaunchFormula {
                    factors,
                    per_group: u64::from(s.threads.max(1)) * u64::from(s.items.max(1)),
                    most: None,
                })
            }
            Schedule::Tile(s) => {
                let factor = |&var: &VarId| LaunchFactor::of(vec![var], self.tile_extent(s, var));
                let per_group = u64::from(s.tile_threads.max(1)) * u64::from(s.tiles_per_workgroup.max(1));
                Some(LaunchFormula { factors: self.domain.iter().map(factor).collect(), per_group, most: None })
            }
            Schedule::Row(s) => {
                let lanes = |var: VarId| if s.vector.0 == var { u64::from(s.vector.1.max(1)) } else { 1 };
                let factor = |&var: &VarId| LaunchFactor::of(vec![var], lanes(var));
                let factors = self.domain.iter().map(factor).collect();
                Some(LaunchFormula { factors, per_group: u64::from(s.rows.max(1)), most: None })
            }
            Schedule::Panel(s) => {
                let tiles = |n: i64, tiles: u32| n.max(1) as u64 * u64::from(tiles.max(1));
                let inner = s.row.map(|(var, height)| (var, u64::from(height.max(1))));
                let rows = LaunchFactor { vars: s.outer_rows.clone(), inner, step: tiles(1, s.row_tiles) };
                let columns = LaunchFactor::of(vec![s.column], tiles(s.width(), s.column_tiles));
                let batch = s.batch.iter().map(|&var| LaunchFactor::of(vec![var], 1));
                Some(LaunchFormula {
                    factors: [rows, columns].into_iter().chain(batch).collect(),
                    per_group: 1,
                    most: None,
                })
            }
            Schedule::AttentionLanes(s) => {
                let Body::Attention(a) = &self.body else { return None };
                let rows = LaunchFactor::of(vec![s.row], s.height().max(1) as u64);
                let outer = self.domain.iter().filter(|&&v| v != s.row && v != a.feature);
                let factors = std::iter::once(rows).chain(outer.map(|&v| LaunchFactor::of(vec![v], 1))).collect();
                Some(LaunchFormula { factors, per_group: u64::from(s.tiles.max(1)), most: None })
            }
            Schedule::Matrix(s) => {
                let form = ContractionForm::of(self)?;
                let factor = |vars: Vec<VarId>, step: u32| LaunchFactor::of(vars, u64::from(step));
                let factors = vec![factor(form.rows, s.rows), factor(form.columns, s.columns), factor(form.batch, 1)];
                Some(LaunchFormula { factors, per_group: 1, most: None })
            }
            Schedule::Attention(s) => {
                let Body::Attention(a) = &self.body else { return None };
                let rows = LaunchFactor::of(a.rows.clone(), u64::from(s.rows()));
                let batch = a.batch(&self.domain).into_iter().map(|var| LaunchFactor::of(vec![var], 1));
                Some(LaunchFormula { factors: std::iter::once(rows).chain(batch).collect(), per_group: 1, most: None })
            }
            Schedule::Warpgroup(s) => {
                let covers = s.rows.iter().chain(&s.columns).map(|c| (c.var, c.count));
                let all = covers.chain(s.batch.iter().map(|&var| (var, 1)));
                let factors = all.map(|(var, count)| LaunchFactor::of(vec![var], u64::from(count)));
                Some(LaunchFormula { factors: factors.collect(), per_group: 1, most: Some(s.workgroups()) })
            }
            _ => None,
        }
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
