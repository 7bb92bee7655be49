//! A counted loop of small kernels as one kernel: a workgroup does all rounds of the problems that it is given, with a
//! barrier between steps.
//!
//! Input: the kernels of a round as plans of their own ([`FusedLoop::parts`]) over the buffers of the whole, and the
//! order in which they run ([`FusedLoop::steps`]). The first variable of every part's domain is the problem's number:
//! what a part writes of a problem only parts of the same problem read, so that workgroups need not wait for each
//! other.
//!
//! Worked example: the factors of 64 matrices of 4 × 4, `[64, 4, 4]`, a column a round: 64 problems, 4 rounds of two
//! parts; 16 problems a workgroup of 256 threads, 4 workgroups, 8 barriers each.
//!
//! Limits: parts are loops, reductions, products, rows and updates of known sizes.

use crate::expr::Node;
use crate::index::VarId;
use crate::kernel::{Body, KernelPlan};

/// Registers of a thread besides the places of loads.
const HELD: u32 = 24;

/// The parts of a loop, and their order.
#[derive(Clone, Debug)]
pub struct FusedLoop {
    /// Kernels over the buffers of the whole; the first domain variable is the problem.
    pub parts: Vec<LoopPart>,
    pub steps: Vec<LoopStep>,
    /// Problems that are independent of each other.
    pub problems: i64,
}

#[derive(Clone, Debug)]
pub struct LoopPart {
    /// Without a schedule of its own.
    pub plan: KernelPlan,
    /// Lanes along its last variable, on CPUs.
    pub lanes: u32,
}

/// What is done, one after another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoopStep {
    Part(u32),
    Repeat { count: u64, steps: Vec<LoopStep> },
}

impl PartialEq for FusedLoop {
    fn eq(&self, other: &FusedLoop) -> bool {
        let text = |fused: &FusedLoop| {
            fused.parts.iter().map(|p| (p.plan.canonical(), p.plan.ordered, p.lanes)).collect::<Vec<_>>()
        };
        (self.problems, &self.steps) == (other.problems, &other.steps) && text(self) == text(other)
    }
}

impl Eq for FusedLoop {}

impl LoopPart {
    /// The variable that is the problem's number.
    pub fn problem(&self) -> Option<VarId> {
        self.plan.domain.first().copied()
    }

    /// Points of one problem.
    pub fn points(&self) -> u64 {
        let extent = |v: &VarId| self.plan.exprs.indices.extent(*v).max(0) as u64;
        self.plan.domain.iter().skip(1).map(extent).fold(1, u64::saturating_mul)
    }

    /// Steps of the folds of a point; 1 where there are none.
    pub fn folded(&self) -> u64 {
        let extent = |v: &VarId| self.plan.exprs.indices.extent(*v).max(0) as u64;
        self.plan.body.reduction().iter().map(extent).fold(1, u64::saturating_mul)
    }
}

impl FusedLoop {
    /// Registers (32 bits) of a thread whose places of loads stay in registers through all rounds: what ptxas 13 takes
    /// within some 30 % (estimated and taken: Jacobi rotations 230, 215; of singular values 102, 100; LU 82, 94; QR 54,
    /// 59; Cholesky 42, 40).
    pub fn held_registers(&self) -> u32 {
        let loads = |part: &LoopPart| {
            let reached = part.plan.reached().nodes;
            reached.iter().filter(|&&node| matches!(part.plan.exprs.node(node), Node::Load { .. })).count() as u32
        };
        HELD + 2 * self.parts.iter().map(loads).sum::<u32>()
    }

    /// Adds up `of` over all parts, as often as they run.
    pub fn total(&self, of: &dyn Fn(&LoopPart) -> u64) -> u64 {
        fn sum(fused: &FusedLoop, steps: &[LoopStep], of: &dyn Fn(&LoopPart) -> u64) -> u64 {
            let each = |step: &LoopStep| match step {
                LoopStep::Part(at) => fused.parts.get(*at as usize).map_or(0, of),
                LoopStep::Repeat { count, steps } => count.saturating_mul(sum(fused, steps, of)),
            };
            steps.iter().map(each).fold(0, u64::saturating_add)
        }
        sum(self, &self.steps, of)
    }

    /// The order as text: `3 * [0 1] 2`.
    pub fn order(&self) -> String {
        fn text(steps: &[LoopStep]) -> String {
            let each = |step: &LoopStep| match step {
                LoopStep::Part(at) => at.to_string(),
                LoopStep::Repeat { count, steps } => format!("{count} * [{}]", text(steps)),
            };
            steps.iter().map(each).collect::<Vec<_>>().join(" ")
        }
        text(&self.steps)
    }
}

impl Body {
    /// The fused loop, where the body is one.
    pub fn fused_loop(&self) -> Option<&FusedLoop> {
        if let Body::FusedLoop(fused) = self { Some(fused) } else { None }
    }
}
