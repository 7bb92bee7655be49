//! Lists of tensors whose length is known, and optional values.

use fornax_graph::{Dim, ElementType, ValueId};
use fornax_types::Scalar;

use super::control::inner;
use super::shape::{cut, joined};
use super::{Row, many, one};
use crate::onnx::converter::{Converter, Result};
use crate::onnx::node::{Item, Node};

pub const ROWS: &[Row] = &[
    many("Identity", |_, n| Ok(vec![n.item(0).clone()])),
    many("SequenceEmpty", |_, _| Ok(vec![Item::Sequence(Vec::new())])),
    many("SequenceConstruct", |_, n| Ok(vec![Item::Sequence(n.inputs.clone())])),
    many("SequenceInsert", insert),
    many("SequenceErase", erase),
    many("SequenceAt", at),
    one("SequenceLength", length),
    one("ConcatFromSequence", concat),
    many("SplitToSequence", split),
    many("SequenceMap", map),
    many("Optional", |_, n| Ok(vec![n.item(0).clone()])),
    one("OptionalHasElement", has_element),
    many("OptionalGetElement", get_element),
];

/// Elements of a list at most.
const ELEMENTS_MAX: i64 = 1 << 12;

fn list<'n>(node: &'n Node, at: usize) -> Result<&'n [Item]> {
    match node.item(at) {
        Item::Sequence(items) => Ok(items),
        _ => Err(node.broken(format!("input {at} is no sequence"))),
    }
}

/// A place in a list of `length`, which may be counted from its end.
fn place(c: &mut Converter, node: &Node, at: usize, length: usize) -> Result<usize> {
    let given = c.numbers(node, at)?.first().copied().unwrap_or(0);
    node.axis_of(given, length)
}

fn insert(c: &mut Converter, node: &Node) -> Result<Vec<Item>> {
    let mut items = list(node, 0)?.to_vec();
    let at = match node.optional(2) {
        Some(_) => place(c, node, 2, items.len() + 1)?,
        None => items.len(),
    };
    // Counted from the end, a place is one of the list before.
    let at = match c.numbers_if(node, 2)? {
        Some(list) if list.first().is_some_and(|&n| n < 0) => at.saturating_sub(1),
        _ => at,
    };
    if items.len() as i64 >= ELEMENTS_MAX {
        return Err(node.unsupported(format!("a sequence of more than {ELEMENTS_MAX} elements")));
    }
    items.insert(at, node.input(1)?.into());
    Ok(vec![Item::Sequence(items)])
}

fn erase(c: &mut Converter, node: &Node) -> Result<Vec<Item>> {
    let mut items = list(node, 0)?.to_vec();
    let at = match (node.optional(1), items.len()) {
        (_, 0) => return Err(node.broken("the sequence is empty")),
        (Some(_), n) => place(c, node, 1, n)?,
        (None, n) => n - 1,
    };
    items.remove(at);
    Ok(vec![Item::Sequence(items)])
}

fn at(c: &mut Converter, node: &Node) -> Result<Vec<Item>> {
    let items = list(node, 0)?;
    let at = place(c, node, 1, items.len())?;
    Ok(vec![items[at].clone()])
}

fn length(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let count = list(node, 0)?.len();
    Ok(c.b.splat(&[], ElementType::I64, Scalar::Int(count as i128)))
}

fn tensors(node: &Node, items: &[Item]) -> Result<Vec<ValueId>> {
    items
        .iter()
        .map(|item| match item {
            Item::Tensor(value) => Ok(*value),
            _ => Err(node.broken("a sequence of tensors is expected")),
        })
        .collect()
}

fn concat(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let values = tensors(node, list(node, 0)?)?;
    let rank = values.first().map_or(0, |&v| c.b.rank(v));
    let is_new = node.is_set("new_axis");
    let axis = node.axis_of(node.int_or("axis", 0), rank + usize::from(is_new))?;
    if is_new { c.stacked(node, &values, axis) } else { joined(c, node, &values, axis) }
}

fn split(c: &mut Converter, node: &Node) -> Result<Vec<Item>> {
    let a = node.input(0)?;
    let axis = node.axis_of(node.int_or("axis", 0), c.b.rank(a))?;
    let size = c.b.shape(a)[axis];
    let is_list = node.optional(1).is_some_and(|parts| c.b.rank(parts) == 1);
    let sizes = if is_list { listed(c, node, size)? } else { even(c, node, size)? };
    if sizes.len() as i64 > ELEMENTS_MAX {
        return Err(node.unsupported(format!("a sequence of more than {ELEMENTS_MAX} elements")));
    }
    let drops = node.optional(1).is_none() && node.int_or("keepdims", 1) == 0;
    let mut items = Vec::new();
    for part in cut(c, a, axis, &sizes) {
        let mut shape = c.b.shape(part);
        if drops {
            shape.remove(axis);
        }
        items.push(c.b.reshape(part, &shape).into());
    }
    Ok(vec![Item::Sequence(items)])
}

/// The sizes of parts that a list gives. Their sum is the size that is split: a check of the host where either is
/// known only at run time.
fn listed(c: &mut Converter, node: &Node, size: Dim) -> Result<Vec<Dim>> {
    let sizes = c.amounts(node, 1)?;
    c.not_negative(node, &sizes)?;
    let sum = sizes.iter().fold(Dim::Static(0), |sum, &part| c.b.plus(sum, part));
    c.same(node, sum, size)?;
    Ok(sizes)
}

/// Parts of one size, of which the last may be smaller. How many there are hangs on the size that is split.
fn even(c: &mut Converter, node: &Node, size: Dim) -> Result<Vec<Dim>> {
    let Some(size) = size.as_static() else {
        return Err(node.error("FX1025", "the size that is split must be known when the model is compiled"));
    };
    let each = c.numbers_if(node, 1)?.map_or(1, |list| list.first().copied().unwrap_or(0));
    if each < 1 {
        return Err(node.broken(format!("parts of {each} elements")));
    }
    let starts = (0..size).step_by(each as usize).take(ELEMENTS_MAX as usize + 1);
    Ok(starts.map(|at| Dim::Static(each.min(size - at))).collect())
}

/// The body on each element; inputs that are tensors are the same for all.
fn map(c: &mut Converter, node: &Node) -> Result<Vec<Item>> {
    let graph = node.graph("body")?;
    let count = list(node, 0)?.len();
    let mut results = vec![Vec::new(); graph.output.len()];
    for k in 0..count {
        let mut inputs = Vec::new();
        for item in &node.inputs {
            inputs.push(match item {
                Item::Sequence(items) => {
                    items.get(k).cloned().ok_or_else(|| node.broken("sequences of several lengths"))?
                }
                other => other.clone(),
            });
        }
        let items = inner(c, graph, &inputs)?;
        results.iter_mut().zip(items).for_each(|(list, item)| list.push(item));
    }
    Ok(results.into_iter().map(Item::Sequence).collect())
}

fn has_element(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let is_there = !matches!(node.item(0), Item::Nothing);
    Ok(c.b.splat(&[], ElementType::I1, Scalar::Int(is_there.into())))
}

fn get_element(_: &mut Converter, node: &Node) -> Result<Vec<Item>> {
    match node.item(0) {
        Item::Nothing => Err(node.broken("the optional value has no contents")),
        item => Ok(vec![item.clone()]),
    }
}
