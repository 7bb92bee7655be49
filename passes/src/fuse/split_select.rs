//! The first few elements of long sorted lines (`top_k`): only groups with the best maxima can hold them.
//!
//! Of groups of 256 neighbours, those whose best element is among the k best of all groups hold the k first elements, ties
//! included: whatever is in another group has k elements before it. One pass over the line finds the best of every group, two
//! small sorts the groups, in ascending order, and a last selection looks at their elements only.
//!
//! Worked example: the first 100 of 16,777,216 f32: 65,536 maxima, of which the first 100; 25,600 elements are left.

use fornax_graph::{Class, ElementType, Graph, OpId, OpKind, ValueId};

use super::insert::ints;
use super::split_reduce::Insert;
use crate::errors::PassError;
use crate::facts::ops::{shape, tensor};
use crate::facts::scalar::{body, mask};

/// Elements of a group.
const GROUP: i64 = 256;
/// Elements of a line from which groups pay, and how many of the groups must be left out.
const LINE_MIN: i64 = 32 * 1024;
const SHRINK: i64 = 4;

/// The order of a sort whose comparator compares one operand and nothing else.
struct Order {
    operand: usize,
    descending: bool,
}

/// What a selection from groups gives: the candidates, as operands of the same sort, and how many a line has.
pub(super) struct Candidates {
    pub operands: Vec<ValueId>,
    pub line: i64,
    /// The sorts of the maxima and of the groups.
    pub sorts: Vec<OpId>,
}

/// The candidates for the first `keep` elements of the lines of sort `op`, if groups pay.
pub(super) fn candidates(
    graph: &mut Graph,
    op: OpId,
    along: usize,
    keep: i64,
) -> Result<Option<Candidates>, PassError> {
    let data = graph.op(op).clone();
    let sizes = shape(graph, data.operands[0])?;
    let n = sizes[along];
    let groups = (n + GROUP - 1) / GROUP;
    let Some(order) = order(graph, op)? else { return Ok(None) };
    if along + 1 != sizes.len() || n < LINE_MIN || keep * SHRINK > groups || n > i64::from(i32::MAX) {
        return Ok(None);
    }
    let element = tensor(graph, data.operands[order.operand])?.element;
    let Some(key_element) = integer_of(element) else { return Ok(None) };
    let mut at = Insert { graph, before: op };
    let key = integer_key(&mut at, data.operands[order.operand], (&sizes, element), key_element);
    // Padding comes last in the order.
    let signed = key_element.class() == Class::SignedInteger;
    let most = if signed { mask(key_element) >> 1 } else { mask(key_element) };
    let least = if signed { most + 1 } else { 0 };
    let last = if order.descending { least } else { most };
    let high = groups * GROUP - n;
    let key = at.longer(key, (along, high), last, (&sizes, key_element));
    let mut grouped = sizes.clone();
    grouped[along] = groups;
    grouped.push(GROUP);
    let key = at.op(OpKind::Reshape, &[key], (&grouped, key_element));
    let maxima = &grouped[..=along];
    let best = extremum(&mut at, key, (last, order.descending), (&grouped, key_element));
    let numbers = at.counter(along, (maxima, ElementType::I32));
    let direction = if order.descending { "GT" } else { "LT" };
    let [first, chosen] = at.sort((best, numbers), direction, (maxima, key_element));
    let chosen_sort = at.graph.producer(first);
    let chosen = at.part(chosen, (along, 0, keep), (maxima, ElementType::I32));
    let mut kept = sizes.clone();
    kept[along] = keep;
    let [rows, _] = at.sort((chosen, chosen), "LT", (&kept, ElementType::I32));
    let rows_sort = at.graph.producer(rows);
    let mut operands = Vec::new();
    for &operand in &data.operands {
        let element = tensor(at.graph, operand)?.element;
        let whole = at.longer(operand, (along, high), worst(element, order.descending), (&sizes, element));
        let whole = at.op(OpKind::Reshape, &[whole], (&grouped, element));
        let few = at.rows(whole, rows, keep, (&grouped, element));
        let mut line = sizes.clone();
        line[along] = keep * GROUP;
        operands.push(at.op(OpKind::Reshape, &[few], (&line, element)));
    }
    let sorts = chosen_sort.into_iter().chain(rows_sort).collect();
    Ok(Some(Candidates { operands, line: keep * GROUP, sorts }))
}

/// The order that a comparator of one total comparison of one operand says.
fn order(graph: &Graph, op: OpId) -> Result<Option<Order>, PassError> {
    let block = graph.block(body(graph, op)?);
    let [compare, end] = block.ops.as_slice() else { return Ok(None) };
    let (compare, end) = (graph.op(*compare), graph.op(*end));
    let arguments = &block.arguments;
    let operand = (0..arguments.len() / 2).find(|&i| compare.operands == arguments[2 * i..2 * i + 2]);
    let direction = compare.attrs.keyword("comparison_direction");
    let descending = match direction {
        Some("GT") => true,
        Some("LT") => false,
        _ => return Ok(None),
    };
    let (Some(operand), true) = (operand, compare.kind == OpKind::Compare && end.operands == compare.results) else {
        return Ok(None);
    };
    let element = tensor(graph, graph.op(op).operands[operand])?.element;
    let total = !element.is_float() || compare.attrs.keyword("compare_type") == Some("TOTALORDER");
    Ok(total.then_some(Order { operand, descending }))
}

/// The integer type whose order is that of the elements.
fn integer_of(element: ElementType) -> Option<ElementType> {
    Some(match element {
        ElementType::F64 => ElementType::I64,
        ElementType::F32 => ElementType::I32,
        ElementType::F16 | ElementType::Bf16 => ElementType::I16,
        _ if element.class() == Class::SignedInteger || element.is_unsigned() => element,
        _ => return None,
    })
}

/// Integers in the total order of the elements: the bits, with all but the sign inverted in negative floats.
fn integer_key(
    at: &mut Insert<'_>,
    value: ValueId,
    (sizes, element): (&[i64], ElementType),
    to: ElementType,
) -> ValueId {
    if element == to {
        return value;
    }
    let of = (sizes, to);
    let bits = at.op(OpKind::BitcastConvert, &[value], of);
    let width = at.number(i64::from(to.bits()) - 1, of);
    let sign = at.op(OpKind::ShiftRightArithmetic, &[bits, width], of);
    let magnitude = at.splat(mask(to) >> 1, of);
    let flipped = at.op(OpKind::And, &[sign, magnitude], of);
    at.op(OpKind::Xor, &[bits, flipped], of)
}

/// Bits of the element that comes last in the order.
fn worst(element: ElementType, descending: bool) -> u64 {
    let all = mask(element);
    match (element.is_float(), element.is_unsigned(), descending) {
        // NaN with all bits: negative first, positive last in the total order.
        (true, _, true) => all,
        (true, _, false) => all >> 1,
        (_, true, true) => 0,
        (_, true, false) => all,
        (_, false, true) => (all >> 1) + 1,
        (_, false, false) => all >> 1,
    }
}

/// The best element of every group.
fn extremum(
    at: &mut Insert<'_>,
    key: ValueId,
    (last, descending): (u64, bool),
    (grouped, element): (&[i64], ElementType),
) -> ValueId {
    use fornax_graph::{NewOp, Type};
    let init = at.splat(last, (&[], element));
    let location = at.graph.op(at.before).location;
    let scalar = Type::tensor(&[], element);
    let graph = &mut *at.graph;
    let region = graph.add_region();
    let block = graph.add_block(region, &[scalar.clone(), scalar.clone()]);
    let arguments = graph.block(block).arguments.clone();
    let kind = if descending { OpKind::Maximum } else { OpKind::Minimum };
    let combined = graph.push_op(block, NewOp::new(kind, arguments, vec![scalar], location));
    let combined = graph.op(combined).results.clone();
    graph.push_op(block, NewOp::new(OpKind::Return, combined, Vec::new(), location));
    let last = grouped.len() - 1;
    let ty = Type::tensor(&grouped[..last], element);
    let mut reduce =
        NewOp::new(OpKind::Reduce, vec![key, init], vec![ty], location).attr("dimensions", ints(vec![last as i64]));
    reduce.regions = vec![region];
    at.insert(reduce)
}
