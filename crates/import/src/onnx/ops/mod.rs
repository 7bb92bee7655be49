//! The operators: one row each, grouped by theme.

mod activations;
mod broadcast;
mod cast;
mod elementwise;
mod index;
mod make;
mod matmul;
mod normalise;
mod reduce;
mod shape;

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
const TABLES: &[&[Row]] =
    &[activations::ROWS, cast::ROWS, elementwise::ROWS, index::ROWS, make::ROWS, matmul::ROWS, normalise::ROWS, reduce::ROWS, shape::ROWS];

/// The row of an operator.
pub fn find(domain: &str, name: &str) -> Option<&'static Row> {
    TABLES.iter().flat_map(|rows| rows.iter()).find(|row| row.name == name && row.domain == domain)
}

/// The known operator whose name is nearest.
pub fn nearest(name: &str) -> Option<&'static str> {
    fornax_graph::ops::nearest(name, TABLES.iter().flat_map(|rows| rows.iter().map(|row| row.name)))
}
