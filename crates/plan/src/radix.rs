//! Radix sorts: the two kernels of a pass over eight bits of the keys.
//!
//! A line of elements is cut into tiles. `Body::Count` counts, for every tile, the elements of each digit. Prefix sums
//! of these counts (digits outermost, tiles within) say where the elements of a digit and tile start, and
//! `Body::Distribute` moves every element there, those of one digit and tile in order.
//!
//! Worked example: digits [1, 0, 1, 0, 0, 1] in tiles of 3: counts [[1, 2], [2, 1]] (digit, tile); starts [[0, 1], [3,
//! 5]]; places [3, 0, 4, 1, 2, 5].

use crate::expr::NodeId;
use crate::index::VarId;
use crate::kernel::{Body, KernelPlan};

/// Bits of a digit, and digits.
pub const DIGIT_BITS: u32 = 8;
pub const DIGITS: i64 = 1 << DIGIT_BITS;

/// What both kernels of a pass read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digits {
    /// Place of an element in its line: a variable of the body's own.
    pub source: VarId,
    /// Elements of a tile.
    pub tile: i64,
    /// The digit of the element at `source`, i32 in 0 … 255.
    pub digit: NodeId,
    /// Variables of the digit and of the tile: of the domain of a count, a distribution's own.
    pub digit_var: VarId,
    pub tile_var: VarId,
}

impl Body {
    /// Nodes of a pass of a radix sort, without its stores; none of other bodies.
    pub fn radix_nodes(&self) -> Vec<NodeId> {
        match self {
            Body::Count { digits, .. } => vec![digits.digit],
            Body::Distribute { digits, operands, start, .. } => {
                operands.iter().copied().chain([digits.digit, *start]).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The same, to be rewritten.
    pub fn radix_nodes_mut(&mut self) -> Vec<&mut NodeId> {
        match self {
            Body::Count { digits, .. } => vec![&mut digits.digit],
            Body::Distribute { digits, operands, start, .. } => {
                operands.iter_mut().chain([&mut digits.digit, start]).collect()
            }
            _ => Vec::new(),
        }
    }

    pub fn digits(&self) -> Option<&Digits> {
        match self {
            Body::Count { digits, .. } | Body::Distribute { digits, .. } => Some(digits),
            _ => None,
        }
    }
}

impl KernelPlan {
    /// The domain variables of the lines of a pass of a radix sort.
    pub fn radix_lines(&self) -> Vec<VarId> {
        let own = match &self.body {
            Body::Count { digits, .. } => [digits.digit_var, digits.tile_var],
            Body::Distribute { along, .. } => [*along, *along],
            _ => return Vec::new(),
        };
        self.domain.iter().copied().filter(|v| !own.contains(v)).collect()
    }

    /// Workgroups: one a tile.
    pub fn radix_groups(&self) -> u64 {
        let Some(digits) = self.body.digits() else { return 1 };
        let extent = |v: VarId| self.exprs.indices.extent(v).max(0) as u64;
        let lines: u64 = self.radix_lines().into_iter().map(extent).product();
        lines * extent(digits.source).div_ceil(digits.tile.max(1) as u64)
    }
}
