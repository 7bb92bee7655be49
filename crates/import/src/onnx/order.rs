//! The nodes of a graph in an order in which every name is made before it is read.
//!
//! ONNX asks for such an order, ONNX Runtime does not: converters to f16 put their casts at the end, and such models
//! are about. Nodes that stand as they should stay as they stand.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::proto::{GraphProto, NodeProto};

/// Nodes that wait for each other stand as they are given: the first of them is an error to whoever reads it.
pub fn ordered(graph: &GraphProto) -> Vec<&NodeProto> {
    let nodes = &graph.node;
    let mut maker: HashMap<&str, usize> = HashMap::new();
    for (at, node) in nodes.iter().enumerate() {
        for name in node.output.iter().filter(|name| !name.is_empty()) {
            maker.entry(name).or_insert(at);
        }
    }
    let sources_of = |(at, node)| {
        let mut sources: Vec<usize> = names_read(node).iter().filter_map(|name| maker.get(name).copied()).collect();
        sources.sort_unstable();
        sources.dedup();
        sources.retain(|&source| source != at);
        sources
    };
    let sources: Vec<Vec<usize>> = nodes.iter().enumerate().map(sources_of).collect();
    let as_given = || nodes.iter().collect();
    if sources.iter().enumerate().all(|(at, sources)| sources.last().is_none_or(|&last| last < at)) {
        return as_given();
    }
    let mut readers = vec![Vec::new(); nodes.len()];
    let mut missing: Vec<usize> = sources.iter().map(Vec::len).collect();
    for (at, sources) in sources.iter().enumerate() {
        sources.iter().for_each(|&source| readers[source].push(at));
    }
    let mut ready: BinaryHeap<Reverse<usize>> = (0..nodes.len()).filter(|&at| missing[at] == 0).map(Reverse).collect();
    let mut order = Vec::with_capacity(nodes.len());
    while let Some(Reverse(at)) = ready.pop() {
        order.push(&nodes[at]);
        for &reader in &readers[at] {
            missing[reader] -= 1;
            if missing[reader] == 0 {
                ready.push(Reverse(reader));
            }
        }
    }
    if order.len() == nodes.len() { order } else { as_given() }
}

/// What a node reads, and what the graphs in its attributes do.
fn names_read(node: &NodeProto) -> Vec<&str> {
    let (mut names, mut open) = (Vec::new(), vec![node]);
    while let Some(node) = open.pop() {
        names.extend(node.input.iter().map(String::as_str));
        for graph in node.attribute.iter().filter_map(|attribute| attribute.g.as_ref()) {
            names.extend(graph.output.iter().map(|output| output.name.as_str()));
            open.extend(&graph.node);
        }
    }
    names
}
