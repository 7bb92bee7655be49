//! Several products of one domain in one kernel: the gates of an LSTM or GRU, gate and up projections.
//!
//! Every point of the domain has several sums. Each is made of one product or of more, which may have steps of their
//! own; the stores read sum i as `Node::Reduced(i)`. Products over the same steps share the reduction variables, and
//! with them what they read.
//!
//! Worked example: an LSTM of 256 units on [8, 128] is, for each of [8, 256] points, four sums (input, forget, cell and
//! output gate) of two products: x·W over 128 steps and h·U over 256. Gate g reads columns 256·g … 256·g + 255 of W and
//! of U.

use fornax_graph::ElementType;

use crate::expr::NodeId;
use crate::index::VarId;
use crate::kernel::Store;
use crate::precision::Precision;

/// What [`Body::Products`](crate::Body::Products) computes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Products {
    /// The variables of all products, each once.
    pub reduction: Vec<VarId>,
    /// The products that each sum adds up, one at least.
    pub sums: Vec<Vec<Product>>,
    /// Of all sums; every operand has it.
    pub accumulator: ElementType,
    pub precision: Precision,
    /// No loop runs it again and again: what it multiplies by comes from memory, not from the second-level cache.
    pub streamed: bool,
    pub stores: Vec<Store>,
}

/// Σ lhs·rhs over the reduction variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product {
    pub reduction: Vec<VarId>,
    pub lhs: NodeId,
    pub rhs: NodeId,
}

impl Products {
    /// All products, in the order of the sums.
    pub fn all(&self) -> impl Iterator<Item = &Product> {
        self.sums.iter().flatten()
    }

    /// Operands of all products.
    pub fn operands(&self) -> impl Iterator<Item = NodeId> {
        self.all().flat_map(|product| [product.lhs, product.rhs])
    }

    pub fn operands_mut(&mut self) -> impl Iterator<Item = &mut NodeId> {
        self.sums.iter_mut().flatten().flat_map(|product| [&mut product.lhs, &mut product.rhs])
    }

    /// The lists of variables that products are summed over, in the order of the sums, each once.
    pub fn spaces(&self) -> Vec<&[VarId]> {
        let mut spaces: Vec<&[VarId]> = Vec::new();
        for product in self.all() {
            if !spaces.contains(&product.reduction.as_slice()) {
                spaces.push(&product.reduction);
            }
        }
        spaces
    }
}
