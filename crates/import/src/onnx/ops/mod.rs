//! The operators: one row each, grouped by theme.

mod activations;
mod attention;
mod broadcast;
mod cast;
mod classical;
mod contrib;
mod contrib_attention;
mod contrib_fused;
mod contrib_quantised;
mod control;
mod conv;
mod elementwise;
mod features;
mod grid;
mod index;
mod loss;
mod make;
mod matmul;
mod normalise;
mod pool;
mod quantise;
mod recurrent;
mod reduce;
mod regions;
mod resize;
mod rotary;
mod sequence;
mod shape;
mod signal;
mod suppression;
mod training;
mod trees;
mod unique;
mod window;

use super::converter::{Converter, Result};
use super::node::{Item, Node};
use fornax_graph::ValueId;

/// What a node becomes.
#[derive(Clone, Copy)]
pub enum Rule {
    /// One tensor.
    One(fn(&mut Converter, &Node) -> Result<ValueId>),
    /// All of its outputs.
    Many(fn(&mut Converter, &Node) -> Result<Vec<Item>>),
}

/// An operator.
pub struct Row {
    /// Empty for the default one.
    pub domain: &'static str,
    pub name: &'static str,
    pub rule: Rule,
}

/// An operator of the default domain with one output.
const fn one(name: &'static str, rule: fn(&mut Converter, &Node) -> Result<ValueId>) -> Row {
    Row { domain: "", name, rule: Rule::One(rule) }
}

/// An operator of the default domain with several outputs.
const fn many(name: &'static str, rule: fn(&mut Converter, &Node) -> Result<Vec<Item>>) -> Row {
    Row { domain: "", name, rule: Rule::Many(rule) }
}

/// Every row.
const TABLES: &[&[Row]] = &[
    activations::ROWS,
    attention::ROWS,
    cast::ROWS,
    classical::ROWS,
    contrib::ROWS,
    contrib_attention::ROWS,
    contrib_fused::ROWS,
    contrib_quantised::ROWS,
    control::ROWS,
    conv::ROWS,
    elementwise::ROWS,
    features::ROWS,
    grid::ROWS,
    index::ROWS,
    loss::ROWS,
    make::ROWS,
    matmul::ROWS,
    normalise::ROWS,
    pool::ROWS,
    quantise::ROWS,
    recurrent::ROWS,
    reduce::ROWS,
    regions::ROWS,
    resize::ROWS,
    rotary::ROWS,
    sequence::ROWS,
    shape::ROWS,
    signal::ROWS,
    suppression::ROWS,
    training::ROWS,
    trees::ROWS,
    unique::ROWS,
];

/// The row of an operator.
pub fn find(domain: &str, name: &str) -> Option<&'static Row> {
    TABLES.iter().flat_map(|rows| rows.iter()).find(|row| row.name == name && row.domain == domain)
}

/// The known operator whose name is nearest.
pub fn nearest(name: &str) -> Option<&'static str> {
    fornax_graph::ops::nearest(name, TABLES.iter().flat_map(|rows| rows.iter().map(|row| row.name)))
}
