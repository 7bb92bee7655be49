//! One kernel of a loop as a part of a fused loop: its points sorted by problem.
//!
//! Input: a kernel plan over all problems at once, the buffers of the fused loop. Output: the plan over those buffers
//! whose first domain variable is the problem's number, where every access of what the fused loop writes stays with its
//! problem.
//!
//! How: a domain variable of n · problems values is split into the problem and the rest. An offset `size · problem +
//! rest`, with a rest that does not depend on the problem, is inside of the problem's part: accesses are in range for
//! the first problem and for the last. A rest (or a condition) that does depend on it, a gathered row, must have bounds
//! that say so. Buffers that have no part for every problem, a counter, are made once a problem where the loop alone
//! uses them ([`Shared::own`]).
//!
//! Worked example: 8 problems, store at i < 512 in 512 elements: 64·p + r with r < 64.

use fornax_plan::Unscheduled;
use std::collections::{HashMap, HashSet};

use fornax_plan::{Access, Buffer, IndexId, KernelPlan, Node, NodeId, Store, VarId};
use fornax_plan::{Body, Exprs};
use fornax_targets::Target;

/// What the parts of a fused loop share.
pub struct Shared {
    /// Elements of all problems; of buffers of `own`, those of one.
    pub buffers: Vec<Buffer>,
    pub problems: i64,
    /// Buffers that every problem has for itself.
    pub own: HashSet<u32>,
    /// Buffers that a part writes.
    pub written: HashSet<u32>,
}

/// Why a kernel is no part: it would be one if these buffers were made once a problem.
pub struct Misfit(pub Vec<u32>);

impl Shared {
    /// Elements of one problem.
    fn size(&self, buffer: u32) -> i64 {
        let elements = self.buffers[buffer as usize].elements;
        if self.own.contains(&buffer) { elements } else { elements / self.problems }
    }

    /// The buffers as the fused loop has them.
    pub fn made(&self) -> Vec<Buffer> {
        let each = |(at, b): (u32, &Buffer)| {
            let times = if self.own.contains(&at) { self.problems } else { 1 };
            let access = if self.written.contains(&at) { Access::Update } else { Access::Read };
            Buffer { elements: b.elements * times, access, ..b.clone() }
        };
        (0..).zip(&self.buffers).map(each).collect()
    }

    /// A kernel whose buffers are `to` of the fused loop as a part.
    pub fn part(&self, plan: &KernelPlan, to: &[u32], target: &Target) -> Result<KernelPlan, Misfit> {
        let stored: Vec<u32> = plan.body.stores().iter().map(|s| to[s.buffer as usize]).collect();
        let own = stored.iter().filter(|b| self.own.contains(b)).count();
        if own != 0 && own != stored.len() {
            return Err(Misfit(stored));
        }
        if own != 0 || self.problems == 1 {
            let misfit = self.misfit(&self.split(plan, to, (None, false), target));
            return misfit.map_or_else(|| Ok(self.split(plan, to, (None, true), target)), Err);
        }
        let mut found = Misfit(stored.clone());
        for &var in &plan.domain {
            if plan.exprs.indices.extent(var) % self.problems != 0 {
                continue;
            }
            match self.misfit(&self.split(plan, to, (Some(var), false), target)) {
                None => return Ok(self.split(plan, to, (Some(var), true), target)),
                Some(misfit) => found = misfit,
            }
        }
        // Without a part for every problem, or a reader of others' parts.
        if stored.iter().any(|&b| self.buffers[b as usize].elements % self.problems != 0) {
            return Err(Misfit(stored));
        }
        Err(found)
    }

    /// The plan with variable `var` split; where `moved`, every problem has its own of the buffers of `own`.
    fn split(
        &self,
        plan: &KernelPlan,
        to: &[u32],
        (var, moved): (Option<VarId>, bool),
        _target: &Target,
    ) -> KernelPlan {
        let mut part = plan.clone();
        let indices = &mut part.exprs.indices;
        let problem = indices.add_var(self.problems);
        let number = indices.var(problem);
        let mut map = HashMap::new();
        let mut domain = vec![problem];
        for &each in &plan.domain {
            if Some(each) != var {
                domain.push(each);
                continue;
            }
            let rest = indices.extent(each) / self.problems;
            let inside = indices.add_var(rest);
            if rest > 1 {
                domain.push(inside);
            }
            let (outer, inside) = (indices.scale(number, rest), indices.var(inside));
            map.insert(each, indices.add(outer, inside));
        }
        let moved: Vec<Option<IndexId>> = (0..self.buffers.len() as u32)
            .map(|b| (moved && self.own.contains(&b)).then(|| indices.scale(number, self.size(b))))
            .collect();
        part.domain = domain;
        part.substitute(&map, to, &moved);
        part.buffers = self.made();
        part.set_schedule(Unscheduled);
        part
    }

    /// What of a part, whose own buffers are not moved, leaves its problem. Own buffers hold the same for every
    /// problem, since what is written there follows from them and from what no part writes: reading them says nothing
    /// of the problem.
    fn misfit(&self, part: &KernelPlan) -> Option<Misfit> {
        let &problem = part.domain.first()?;
        if self.problems == 1 {
            return None;
        }
        let condition = if let Body::Update { condition, .. } = part.body { Some(condition) } else { None };
        let stays = |buffer: u32, offset: IndexId, mask: Option<NodeId>| {
            let mut exprs = part.exprs.clone();
            inside(&mut exprs, (problem, self.size(buffer)), offset, mask)
        };
        let leaves = |s: &Store| !self.own.contains(&s.buffer) && !stays(s.buffer, s.offset, condition);
        if part.body.stores().iter().any(leaves) {
            return Some(Misfit(part.body.stores().iter().map(|s| s.buffer).collect()));
        }
        let mut read = Vec::new();
        for node in part.reached().nodes {
            if let Node::Load { buffer, offset, mask, .. } = *part.exprs.node(node)
                && self.written.contains(&buffer)
                && !self.own.contains(&buffer)
                && !stays(buffer, offset, mask)
            {
                read.push(buffer);
            }
        }
        if read.is_empty() {
            return None;
        }
        Some(Misfit(read))
    }
}

/// Whether an offset lies among the `size` elements of the problem.
fn inside(exprs: &mut Exprs, (problem, size): (VarId, i64), offset: IndexId, mask: Option<NodeId>) -> bool {
    let number = exprs.indices.var(problem);
    let start = exprs.indices.scale(number, size);
    let rest = exprs.indices.sub(offset, start);
    if exprs.indices.depends_on(rest, problem) {
        return false;
    }
    let free = !exprs.index_varies(rest, problem) && mask.is_none_or(|mask| !exprs.node_varies(mask, problem));
    let (low, high) = exprs.indices.range(rest);
    free || low >= 0 && high < size
}

/// Whether a kernel can be a part at all.
pub fn is_plain(plan: &KernelPlan) -> bool {
    let body = match &plan.body {
        Body::Loop { .. } | Body::Contraction { .. } | Body::Reduce { .. } | Body::Row { .. } => true,
        // Without atomic instructions.
        Body::Update { combine, .. } => combine.is_none(),
        _ => false,
    };
    // Variables of panels are bound by their schedule.
    let panels = !plan.schedule.own_vars().is_empty();
    body && !panels && plan.tensor_maps.is_empty() && plan.serves.is_none() && !plan.is_in_place() && !plan.is_sized()
}
