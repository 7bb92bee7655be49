//! Loops whose loads and stores run along different variables: rectangles that pass through shared memory.
//!
//! Input: a `Body::Loop` whose stores step by one along the last domain variable and some of whose loads step by one along
//! another one. A workgroup reads its rectangle of those loads along their own variable, writes it to shared memory, and computes and
//! stores along the last variable: both sides move whole vectors of neighbours.
//!
//! Worked example, transpose of [4096, 8192] f32 to [8192, 4096]: domain i0 < 8192, i1 < 4096, load [8192·i1 + i0] along i0,
//! store [4096·i0 + i1]. Rectangles of 64 × 64, 4 lanes on both sides, 256 threads: each reads 4 vectors of 16 bytes and stores 4;
//! 128 · 64 workgroups.

use crate::expr::{Node, NodeId};
use crate::index::{Atom, IndexId, VarId};
use crate::kernel::{Body, KernelPlan};

/// For `Body::Loop` on GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExchangeSchedule {
    /// The variable that the crossing loads run along, and their lanes: a divisor of its extent.
    pub along: VarId,
    pub load_lanes: u32,
    /// Lanes of the stores: a divisor of the last variable's extent.
    pub store_lanes: u32,
    /// Elements of a rectangle along `along` and along the last variable; multiples of the lanes.
    pub height: u32,
    pub width: u32,
    pub threads: u32,
    /// Stored rows are shifted down to multiples of so many elements, and whole vectors are moved though no extent is a multiple of theirs;
    /// 1: nothing is shifted.
    pub phase: u32,
    /// Lanes of the loads, and of the stores, where that side's part of a rectangle is one run of memory: all of a short extent, of neighbouring rows. Vectors
    /// move it though they begin anywhere in rows; 1: row by row.
    pub load_run: u32,
    pub store_run: u32,
}

impl KernelPlan {
    /// Loads that run along `along` while everything is stored along the last domain variable; in ascending order.
    pub fn crossing_loads(&self, along: VarId) -> Vec<NodeId> {
        let Body::Loop { stores } = &self.body else { return Vec::new() };
        let Some(&last) = self.domain.last() else { return Vec::new() };
        let even = |offset: IndexId| {
            let terms = &self.exprs.indices.linear(offset).terms;
            !terms.iter().any(|t| !matches!(self.exprs.indices.atom(t.0), Atom::Var(_) | Atom::FloorDiv(..)))
        };
        let mut open: Vec<NodeId> = stores.iter().map(|s| s.value).collect();
        let mut seen = std::collections::BTreeSet::new();
        while let Some(node) = open.pop() {
            if seen.insert(node) {
                open.extend(self.exprs.operands(node));
            }
        }
        let crosses = |node: &NodeId| match self.exprs.node(*node) {
            Node::Load { offset, mask: None, .. } => {
                let indices = &self.exprs.indices;
                let across = indices.stride(*offset, last);
                let own = indices.stride(*offset, along) == Some(1);
                own && across.is_some_and(|s| s.abs() > 1) && even(*offset)
            }
            _ => false,
        };
        seen.into_iter().filter(crosses).collect()
    }

    /// Whether the loop's value is made of this load and of constants only: the same anywhere.
    pub fn is_made_of(&self, load: NodeId) -> bool {
        let Body::Loop { stores } = &self.body else { return false };
        let mut open: Vec<NodeId> = stores.iter().map(|s| s.value).collect();
        let mut seen = std::collections::BTreeSet::from([load]);
        while let Some(node) = open.pop() {
            if matches!(self.exprs.node(node), Node::Load { .. } | Node::FromIndex { .. } | Node::InRange { .. })
                && node != load
            {
                return false;
            }
            if seen.insert(node) {
                open.extend(self.exprs.operands(node));
            }
        }
        true
    }

    /// Rectangles: the product over the other variables of their extents and of the rectangles along the two.
    pub fn rectangles(&self, s: &ExchangeSchedule) -> u64 {
        let last = self.domain.last();
        let count = |v: &VarId| {
            let extent = self.exprs.indices.extent(*v).max(0) as u64;
            match (*v == s.along, Some(v) == last) {
                (true, _) => extent.div_ceil(u64::from(s.height.max(1))),
                (_, true) => (extent + u64::from(s.phase.max(1)) - 1).div_ceil(u64::from(s.width.max(1))),
                _ => extent,
            }
        };
        self.domain.iter().map(count).product()
    }
}
