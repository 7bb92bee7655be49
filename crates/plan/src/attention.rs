//! Attention as one kernel body: softmax(score(query·key)) · value, and how a workgroup goes through it.
//!
//! For every point of the domain except the feature, and every column c: `score` over `Node::Reduced(0)` = Σ query·key
//! in f32, times `scale`. The weights are exp(score − max) rounded to `weight`; `Node::Reduced(1)`, which the stores
//! read, is the sum of weights times values over the sum of weights, in f32. A store may read the row's largest scaled
//! score as `Reduced(2)` and its sum of weights as `Reduced(3)` instead. Such a store is one a row, for who brings rows
//! of several attentions together (rounds of a ring, parts of the columns).
//!
//! `inside` is the score with the conditions of `bands` taken as true: what a tile of columns needs that lies wholly
//! between the bounds of its rows. Columns outside have the score `masked`, so tiles of them weigh nothing and can be
//! left out, unless a row has no score that is far above `masked`.
//!
//! Worked example: causal attention of 8 heads over 4096 positions, 128 features: domain (head 8, row 4096, feature
//! 128), column < 4096, depth < 128, one band `column < row + 1`, masked −2.4e38. Tiles of 64 rows × 64 columns: the
//! workgroup of rows 640‥703 goes through 11 tiles of 64, and evaluates the condition in the last of them only.

use crate::expr::{Exprs, Node, NodeId};
use crate::index::{IndexId, VarId};
use crate::kernel::Store;
use crate::precision::Precision;
use crate::substitute::Substitution;
use crate::walk::Reached;

/// Which side of the visible columns a bound is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Visible columns are at or above it.
    Low,
    /// Visible columns are below it.
    High,
}

/// A bound of the visible columns: an i64 node that does not depend on the column. Of the row variables it may depend
/// on the first alone, and then it never falls where the row goes up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Band {
    pub side: Side,
    pub bound: NodeId,
}

/// Columns that a point of a partial attention sees: `columns` from `start` on, as far as there are any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    pub start: IndexId,
    pub columns: i64,
}

/// The body of an attention kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attention {
    /// Domain variables that neither key nor value depends on, outermost first: query positions, heads that share keys.
    pub rows: Vec<VarId>,
    /// Domain variable along the features of the value.
    pub feature: VarId,
    /// Key positions, and what query and key are multiplied along.
    pub reduction: [VarId; 2],
    pub query: NodeId,
    pub key: NodeId,
    pub value: NodeId,
    /// f32, over `Node::Reduced(0)`.
    pub score: NodeId,
    pub inside: NodeId,
    pub bands: Vec<Band>,
    /// Bits of the f32 that a column outside a band has as `score`.
    pub masked: u32,
    /// Bits of the positive f32 that scores are multiplied by.
    pub scale: u32,
    /// Type that weights are rounded to before they meet the values.
    pub weight: fornax_graph::ElementType,
    /// How accurate products of f32 operands must be.
    pub precision: Precision,
    /// A row of which all scores are −inf gives 0, not NaN.
    pub empty_is_zero: bool,
    /// Set where a point sees only a part of the columns: then `Reduced(1)` is the sum of weights times values.
    pub part: Option<Part>,
    pub stores: Vec<Store>,
}

impl Attention {
    pub fn column(&self) -> VarId {
        self.reduction[0]
    }

    pub fn depth(&self) -> VarId {
        self.reduction[1]
    }

    pub fn scale(&self) -> f32 {
        f32::from_bits(self.scale)
    }

    pub fn masked(&self) -> f32 {
        f32::from_bits(self.masked)
    }

    /// Nodes that the body names directly, stores aside.
    pub fn nodes(&self) -> Vec<NodeId> {
        let mut nodes = vec![self.query, self.key, self.value, self.score, self.inside];
        nodes.extend(self.bands.iter().map(|b| b.bound));
        nodes
    }

    /// Replaces every node by its substitute, stores aside.
    pub fn rewrite(&mut self, s: &mut Substitution<'_>) {
        for node in [&mut self.query, &mut self.key, &mut self.value, &mut self.score, &mut self.inside] {
            *node = s.node(*node);
        }
        for band in &mut self.bands {
            band.bound = s.node(band.bound);
        }
        if let Some(part) = &mut self.part {
            part.start = s.index(part.start);
        }
    }

    /// Whether a store is one a row: of its largest score or its sum of weights.
    pub fn is_of_row(&self, exprs: &Exprs, store: &Store) -> bool {
        let reached = Reached::from(exprs, [store.value], &[]);
        reached.nodes.iter().any(|&node| matches!(exprs.node(node), Node::Reduced { index: 2 | 3, .. }))
    }

    /// Whether some store is one a row.
    pub fn stores_rows(&self, exprs: &Exprs) -> bool {
        self.stores.iter().any(|store| self.is_of_row(exprs, store))
    }

    /// Number of rows that share the keys and values of one point of the other domain variables.
    pub fn row_count(&self, exprs: &Exprs) -> u64 {
        self.rows.iter().map(|&v| exprs.indices.extent(v).max(0) as u64).fold(1, u64::saturating_mul)
    }

    /// Domain variables that are neither row nor feature, in domain order.
    pub fn batch(&self, domain: &[VarId]) -> Vec<VarId> {
        domain.iter().copied().filter(|v| *v != self.feature && !self.rows.contains(v)).collect()
    }
}
