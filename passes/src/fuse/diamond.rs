//! Elementwise ops that part and meet again: what follows from one value though several of them read it.
//!
//! Worked example: SiLU behind a convolution, `y = c + b`, `y · logistic(y)`. Two ops read y, and nothing outside of
//! the three does: the product follows from the convolution as y does, and its kernel stores the product alone.

use std::collections::{BTreeSet, HashMap};

use fornax_graph::{Graph, OpId, ValueId};

use super::cost::Facts;
use super::extents::shape;
use crate::errors::PassError;
use crate::facts::ops::{Class, row};

/// Ops between a value and where its readers meet, at most: a GELU by tanh has eight.
const OPS_MAX: usize = 16;

/// By value: the ops that read it.
pub type Readers = HashMap<ValueId, Vec<OpId>>;

/// The value that follows from a hero from which alone an elementwise op and what it reads by elementwise ops come, if
/// nothing else reads what lies between.
pub fn source(graph: &Graph, op: OpId, facts: &Facts, readers: &Readers) -> Result<Option<ValueId>, PassError> {
    let result = graph.op(op).results[0];
    let (mut inside, mut sources) = (BTreeSet::from([op]), BTreeSet::new());
    let mut values = graph.op(op).operands.clone();
    while let Some(value) = values.pop() {
        if facts.hero.contains_key(&value) {
            sources.insert(value);
            continue;
        }
        let is_new = |maker: &OpId| is_elementwise(graph, *maker) && !inside.contains(maker);
        let Some(maker) = graph.producer(value).filter(is_new) else { continue };
        inside.insert(maker);
        values.extend(&graph.op(maker).operands);
        if inside.len() > OPS_MAX {
            return Ok(None);
        }
    }
    let &[source] = sources.iter().collect::<Vec<_>>().as_slice() else { return Ok(None) };
    let made = inside.iter().filter(|&&at| at != op).flat_map(|&at| graph.op(at).results.iter());
    for &value in made.chain([source]) {
        let only = readers.get(&value).is_some_and(|all| all.iter().all(|reader| inside.contains(reader)));
        if !only || facts.returned[value.index()] {
            return Ok(None);
        }
    }
    Ok((shape(graph, *source)? == shape(graph, result)?).then_some(*source))
}

fn is_elementwise(graph: &Graph, op: OpId) -> bool {
    row(graph.op(op).kind).is_some_and(|row| row.class == Class::Elementwise)
}
