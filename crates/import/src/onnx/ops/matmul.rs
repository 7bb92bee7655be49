//! Products of matrices.

use fornax_graph::views::DotDims;
use fornax_graph::{Dim, ElementType, OpKind, ValueId};

use super::{Row, one};
use crate::onnx::converter::{Converter, Result};
use crate::onnx::node::Node;

pub const ROWS: &[Row] = &[one("MatMul", matmul_node), one("Gemm", gemm), one("Einsum", einsum)];

fn matmul_node(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (a, b) = (node.input(0)?, node.input(1)?);
    let element = c.b.element(a);
    if element != c.b.element(b) {
        return Err(node.broken("operands of several types"));
    }
    matmul(c, node, a, b, element)
}

/// `numpy.matmul`: a vector is a matrix of one row or column, outer dimensions are stretched.
pub fn matmul(c: &mut Converter, node: &Node, a: ValueId, b: ValueId, to: ElementType) -> Result<ValueId> {
    let (left, right) = (c.b.shape(a), c.b.shape(b));
    if left.is_empty() || right.is_empty() {
        return Err(node.broken("a scalar is no matrix"));
    }
    let k = (left[left.len() - 1], right[if right.len() == 1 { 0 } else { right.len() - 2 }]);
    c.same(node, k.0, k.1)?;
    let (is_row, is_column) = (left.len() == 1, right.len() == 1);
    // One matrix on the right: rows of all batches are rows of one product.
    if right.len() <= 2 {
        let numbers = dot(vec![], vec![], vec![left.len() - 1], vec![0]);
        return Ok(c.b.dot(a, b, &numbers, to));
    }
    let a = if is_row { c.b.reshape(a, &[Dim::Static(1), left[0]]) } else { a };
    let (left, right) = (c.b.shape(a), c.b.shape(b));
    let outer = c.joint_shape(node, &left[..left.len() - 2], &right[..right.len() - 2])?;
    let whole = |shape: &[Dim]| -> Vec<Dim> { outer.iter().chain(&shape[shape.len() - 2..]).copied().collect() };
    let (x, y) = (c.stretch(a, &whole(&left)), c.stretch(b, &whole(&right)));
    let n = outer.len();
    let batch: Vec<usize> = (0..n).collect();
    let result = c.b.dot(x, y, &dot(batch.clone(), batch, vec![n + 1], vec![n]), to);
    debug_assert!(!is_column);
    if !is_row {
        return Ok(result);
    }
    let mut shape = c.b.shape(result);
    shape.remove(n);
    Ok(c.b.reshape(result, &shape))
}

pub fn dot(lhs_batch: Vec<usize>, rhs_batch: Vec<usize>, lhs: Vec<usize>, rhs: Vec<usize>) -> DotDims {
    DotDims { lhs_batch, rhs_batch, lhs_contract: lhs, rhs_contract: rhs }
}

/// `alpha · a · b + beta · c`.
pub fn gemm(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (a, b) = (node.input(0)?, node.input(1)?);
    let element = c.b.element(a);
    if c.b.rank(a) != 2 || c.b.rank(b) != 2 || c.b.element(b) != element {
        return Err(node.broken("two matrices of one type are expected"));
    }
    let (x, y) = (usize::from(!node.is_set("transA")), usize::from(node.is_set("transB")));
    let (k, l) = (c.b.shape(a)[x], c.b.shape(b)[y]);
    c.same(node, k, l)?;
    let mut result = c.b.dot(a, b, &dot(vec![], vec![], vec![x], vec![y]), element);
    let alpha = node.float_or("alpha", 1.0);
    if alpha != 1.0 {
        result = c.with_number(OpKind::Multiply, result, alpha);
    }
    let beta = node.float_or("beta", 1.0);
    let Some(mut more) = node.optional(2).filter(|_| beta != 0.0) else { return Ok(result) };
    if beta != 1.0 {
        more = c.with_number(OpKind::Multiply, more, beta);
    }
    c.binary(node, OpKind::Add, result, more)
}

/// Operands are made products of elements with names for dimensions, two at a time.
fn einsum(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let operands = node.tensors()?;
    let text: String = node.text_or("equation", "").chars().filter(|ch| !ch.is_whitespace()).collect();
    let (left, right) = match text.split_once("->") {
        Some((left, right)) => (left.to_string(), Some(right.to_string())),
        None => (text, None),
    };
    let terms: Vec<&str> = left.split(',').collect();
    if terms.len() != operands.len() {
        return Err(node.broken(format!("the equation has {} terms for {} inputs", terms.len(), operands.len())));
    }
    let mut parts = Vec::new();
    for (term, &operand) in terms.iter().zip(&operands) {
        parts.push(named(c, node, term, operand)?);
    }
    let all: Vec<char> = parts.iter().flat_map(|(names, _)| names.iter().copied()).collect();
    let outer: Vec<char> = {
        let mut outer: Vec<char> = all.iter().copied().filter(|ch| is_outer(*ch)).collect();
        outer.sort_unstable();
        outer.dedup();
        outer
    };
    let result: Vec<char> = match right {
        Some(right) => {
            let (before, after) = right.split_once("...").map_or((right.as_str(), ""), |(a, b)| (a, b));
            let dots = if right.contains("...") { outer } else { vec![] };
            before.chars().chain(dots).chain(after.chars()).collect()
        }
        None => {
            let mut once: Vec<char> = all
                .iter()
                .copied()
                .filter(|ch| !is_outer(*ch) && all.iter().filter(|o| *o == ch).count() == 1)
                .collect();
            once.sort_unstable();
            outer.into_iter().chain(once).collect()
        }
    };
    let Some((mut sum, rest)) = parts.split_first().map(|(first, rest)| (first.clone(), rest.to_vec())) else {
        return Err(node.broken("it has no input"));
    };
    for (at, part) in rest.iter().enumerate() {
        let later: Vec<char> = rest[at + 1..].iter().flat_map(|(names, _)| names.iter().copied()).collect();
        let needed = |ch: &char| result.contains(ch) || later.contains(ch);
        sum = multiplied(c, node, &sum, part, &needed)?;
    }
    let over: Vec<usize> = (0..sum.0.len()).filter(|&d| !result.contains(&sum.0[d])).collect();
    let reduced = super::reduce::reduced(c, sum.1, &over, "Sum", false);
    let names: Vec<char> = sum.0.iter().copied().filter(|ch| result.contains(ch)).collect();
    let order: Option<Vec<usize>> = result.iter().map(|ch| names.iter().position(|other| other == ch)).collect();
    match order {
        Some(order) if order.len() == names.len() => Ok(c.b.transpose(reduced, &order)),
        _ => Err(node.broken("the equation's result names what no term has")),
    }
}

/// Dimensions of `...` have names of their own: characters from here on.
const OUTER: u32 = 0xE000;

fn is_outer(name: char) -> bool {
    name as u32 >= OUTER
}

type Named = (Vec<char>, ValueId);

/// A term's dimensions by name; one that stands twice is a diagonal.
fn named(c: &mut Converter, node: &Node, term: &str, mut value: ValueId) -> Result<Named> {
    let rank = c.b.rank(value);
    let mut names: Vec<char> = match term.split_once("...") {
        Some((before, after)) => {
            let dots = rank
                .checked_sub(before.chars().count() + after.chars().count())
                .ok_or_else(|| node.broken("a term has more names than its input dimensions"))?;
            // Counted from the end: `...` is aligned there.
            let dots = (0..dots).rev().filter_map(|d| char::from_u32(OUTER + 0x100 - d as u32));
            before.chars().chain(dots).chain(after.chars()).collect()
        }
        None => term.chars().collect(),
    };
    if names.len() != rank {
        return Err(node.broken(format!("a term has {} names for {rank} dimensions", names.len())));
    }
    let mut d = 0;
    while d < names.len() {
        let Some(first) = names[..d].iter().position(|ch| *ch == names[d]) else {
            d += 1;
            continue;
        };
        let shape = c.b.shape(value);
        c.same(node, shape[first], shape[d])?;
        let (rows, columns) = (c.b.iota(&shape, ElementType::I64, first), c.b.iota(&shape, ElementType::I64, d));
        let on = c.b.compare("EQ", rows, columns);
        let zero = c.number(value, 0.0);
        let kept = c.b.select(on, value, zero);
        value = super::reduce::reduced(c, kept, &[d], "Sum", false);
        names.remove(d);
    }
    Ok((names, value))
}

/// The product of two terms, summed over the names that nobody needs afterwards.
fn multiplied(c: &mut Converter, node: &Node, a: &Named, b: &Named, needed: &dyn Fn(&char) -> bool) -> Result<Named> {
    let alone = |(names, value): &Named, other: &[char], c: &mut Converter| -> Named {
        let over: Vec<usize> = (0..names.len()).filter(|&d| !needed(&names[d]) && !other.contains(&names[d])).collect();
        let left = names.iter().copied().filter(|ch| needed(ch) || other.contains(ch)).collect();
        (left, super::reduce::reduced(c, *value, &over, "Sum", false))
    };
    let (a, b) = (alone(a, &b.0, c), alone(b, &a.0, c));
    // A size of 1 of `...` is stretched to the other's.
    let (mut x, mut y) = (a.1, b.1);
    for (d, ch) in a.0.iter().enumerate() {
        let Some(e) = b.0.iter().position(|other| other == ch) else { continue };
        let (mut left, mut right) = (c.b.shape(x), c.b.shape(y));
        match (left[d], right[e]) {
            (Dim::Static(1), n) => {
                left[d] = n;
                x = c.stretch(x, &left);
            }
            (n, Dim::Static(1)) => {
                right[e] = n;
                y = c.stretch(y, &right);
            }
            (m, n) => {
                c.same(node, m, n)?;
            }
        }
    }
    let pairs: Vec<(usize, usize)> =
        a.0.iter().enumerate().filter_map(|(d, ch)| Some((d, b.0.iter().position(|other| other == ch)?))).collect();
    let (batch, summed): (Vec<_>, Vec<_>) = pairs.into_iter().partition(|(d, _)| needed(&a.0[*d]));
    let numbers = dot(
        batch.iter().map(|p| p.0).collect(),
        batch.iter().map(|p| p.1).collect(),
        summed.iter().map(|p| p.0).collect(),
        summed.iter().map(|p| p.1).collect(),
    );
    let mut names: Vec<char> = batch.iter().map(|p| a.0[p.0]).collect();
    names.extend(a.0.iter().filter(|ch| !b.0.contains(ch)));
    names.extend(b.0.iter().filter(|ch| !a.0.contains(ch)));
    let element = c.b.element(x);
    Ok((names, c.b.dot(x, y, &numbers, element)))
}
