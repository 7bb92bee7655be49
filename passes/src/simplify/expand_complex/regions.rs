//! Ops with regions: each complex operand, block argument and result becomes two real ones, real parts first.

use fornax_graph::{BlockId, Definition, Graph, NewOp, Op, OpId, OpKind, RegionId, Type, ValueId};

use super::{Number, Parts, part_type};
use crate::simplify::each_op;
use crate::rewrite::Rewriter;

/// Ops that take any number of operands, each with its own arguments of the regions.
pub const VARIADIC: &[OpKind] = &[
    OpKind::Reduce,
    OpKind::ReduceWindow,
    OpKind::Scatter,
    OpKind::Sort,
    OpKind::While,
    OpKind::If,
    OpKind::Case,
];

/// Gives the blocks of variadic ops real arguments. A comparator has its arguments by operand, `(a₀, b₀, a₁, b₁, …)`,
/// other regions have all of one side before those of the other.
pub fn split_arguments(graph: &mut Graph, parts: &mut Parts) {
    let mut blocks = Vec::new();
    each_op(graph, &mut |id| {
        let op = graph.op(id);
        let adjacent = if op.kind == OpKind::Sort { 2 } else { 1 };
        let inner = op.regions.iter().flat_map(|&region| &graph.region(region).blocks);
        blocks.extend(inner.map(|&block| (block, adjacent)));
    });
    for (block, adjacent) in blocks {
        split_block(graph, block, adjacent, parts);
    }
}

fn split_block(graph: &mut Graph, block: BlockId, adjacent: usize, parts: &mut Parts) {
    let is_complex = |graph: &Graph, value: &ValueId| super::mentions_complex(graph.ty(*value));
    if !graph.block(block).arguments.iter().any(|value| is_complex(graph, value)) {
        return;
    }
    let old = std::mem::take(&mut graph.blocks[block.index()].arguments);
    for group in old.chunks(adjacent) {
        if !group.iter().all(|value| is_complex(graph, value)) {
            for &value in group {
                let arguments = &mut graph.blocks[block.index()].arguments;
                let index = arguments.len() as u32;
                arguments.push(value);
                graph.values[value.index()].definition = Definition::Argument { block, index };
            }
            continue;
        }
        let mut add = || -> Vec<ValueId> {
            group.iter().map(|&value| graph.add_argument(block, part_type(graph.ty(value)))).collect()
        };
        let (real, imaginary) = (add(), add());
        for ((&value, re), im) in group.iter().zip(real).zip(imaginary) {
            parts.set(value, [re, im]);
        }
    }
}

/// All values, complex ones as two.
pub fn flattened(numbers: &[Number]) -> Vec<ValueId> {
    let mut flat = Vec::with_capacity(2 * numbers.len());
    for number in numbers {
        match *number {
            Number::Real(value) => flat.push(value),
            Number::Complex(parts) => flat.extend(parts),
        }
    }
    flat
}

/// The op on more operands.
pub fn expand(rw: &mut Rewriter, op: &Op, operands: &[Number]) -> Option<Vec<Number>> {
    let is_complex = |&result: &ValueId| super::mentions_complex(rw.graph.ty(result));
    let complex: Vec<bool> = op.results.iter().map(is_complex).collect();
    let mut types = Vec::new();
    for (&result, &complex) in op.results.iter().zip(&complex) {
        types.extend(std::iter::repeat_n(part_type(rw.graph.ty(result)), if complex { 2 } else { 1 }));
    }
    let flat = flattened(operands);
    let made = match sums(rw, op, &flat, &types) {
        Some(made) => made,
        None => {
            let mut new = NewOp::new(op.kind, flat, types, op.location);
            new.attrs = op.attrs.clone();
            new.regions = op.regions.clone();
            rw.insert(new)
        }
    };
    let mut made = made.into_iter();
    let number = |complex| {
        let first = made.next()?;
        Some(if complex { Number::Complex([first, made.next()?]) } else { Number::Real(first) })
    };
    complex.into_iter().map(number).collect()
}

/// A reduction that only adds as one op for each operand, the form that the later phases know best.
fn sums(rw: &mut Rewriter, op: &Op, flat: &[ValueId], types: &[Type]) -> Option<Vec<ValueId>> {
    let &region = op.regions.first()?;
    if !matches!(op.kind, OpKind::Reduce | OpKind::ReduceWindow) || !adds_each(rw.graph, region, types.len()) {
        return None;
    }
    let (inputs, initial) = flat.split_at_checked(types.len())?;
    let mut sums = Vec::with_capacity(types.len());
    for ((&input, &init), ty) in inputs.iter().zip(initial).zip(types) {
        let mut new = NewOp::new(op.kind, vec![input, init], vec![ty.clone()], op.location);
        new.attrs = op.attrs.clone();
        new.regions = vec![rw.reducer(OpKind::Add, ty.as_tensor()?.element)];
        sums.extend(rw.insert(new));
    }
    Some(sums)
}

/// Whether the region returns `aᵢ + bᵢ` for each of its `count` pairs of arguments.
fn adds_each(graph: &Graph, region: RegionId, count: usize) -> bool {
    let [block] = graph.region(region).blocks[..] else { return false };
    let block = graph.block(block);
    let Some((&terminator, body)) = block.ops.split_last() else { return false };
    let adds = |at: usize, value: ValueId| {
        let arguments = [block.arguments.get(at).copied(), block.arguments.get(at + count).copied()];
        let is_sum = |id: OpId| {
            let op = graph.op(id);
            op.kind == OpKind::Add && op.operands.iter().copied().map(Some).eq(arguments)
        };
        graph.producer(value).is_some_and(is_sum)
    };
    let returned = &graph.op(terminator).operands;
    body.len() == count && returned.len() == count && returned.iter().enumerate().all(|(at, &value)| adds(at, value))
}
