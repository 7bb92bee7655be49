//! Reductions, places of extremes, running sums, softmax and its kin.

use fornax_graph::{Dim, ElementType, NewOp, OpKind, Type, ValueId};
use fornax_types::Scalar;

use super::{Row, one};
use crate::dialects::build::{dims, tensor_of};
use crate::onnx::converter::{Converter, Result};
use crate::onnx::node::Node;

pub const ROWS: &[Row] = &[
    one("ReduceSum", |c, n| reduce(c, n, "Sum")),
    one("ReduceMean", |c, n| reduce(c, n, "Mean")),
    one("ReduceMax", |c, n| reduce(c, n, "Max")),
    one("ReduceMin", |c, n| reduce(c, n, "Min")),
    one("ReduceProd", |c, n| reduce(c, n, "Prod")),
    one("ReduceL1", |c, n| reduce(c, n, "L1")),
    one("ReduceL2", |c, n| reduce(c, n, "L2")),
    one("ReduceSumSquare", |c, n| reduce(c, n, "SumSquare")),
    one("ReduceLogSum", |c, n| reduce(c, n, "LogSum")),
    one("ReduceLogSumExp", |c, n| reduce(c, n, "LogSumExp")),
    one("ArgMax", |c, n| extreme(c, n, "GT")),
    one("ArgMin", |c, n| extreme(c, n, "LT")),
    one("CumSum", |c, n| running(c, n, OpKind::Add)),
    one("CumProd", |c, n| running(c, n, OpKind::Multiply)),
    one("Softmax", |c, n| softmax_node(c, n, false)),
    one("LogSoftmax", |c, n| softmax_node(c, n, true)),
    one("Hardmax", hardmax),
];

/// The version from which the axes of a reduction are an input.
fn axes_since(name: &str) -> i64 {
    if name == "Sum" { 13 } else { 18 }
}

fn reduce(c: &mut Converter, node: &Node, name: &str) -> Result<ValueId> {
    let a = node.input(0)?;
    let rank = c.b.rank(a);
    let given = super::shape::axes(c, node, (axes_since(name), 1))?;
    let axes = match given {
        Some(list) if !list.is_empty() => node.axes_of(&list, rank)?,
        _ if node.is_set("noop_with_empty_axes") => vec![],
        _ => (0..rank).collect(),
    };
    let keep = node.int_or("keepdims", 1) != 0;
    let element = c.b.element(a);
    if element == ElementType::I1 {
        let bytes = c.b.convert(a, ElementType::Ui8);
        let result = reduced(c, bytes, &axes, name, keep);
        return Ok(c.b.convert(result, element));
    }
    Ok(reduced(c, a, &axes, name, keep))
}

/// A reduction over axes by the last part of its operator's name.
pub fn reduced(c: &mut Converter, a: ValueId, axes: &[usize], name: &str, keep: bool) -> ValueId {
    let element = c.b.element(a);
    let a = match name {
        "L1" if !element.is_unsigned() => c.b.unary(OpKind::Abs, a),
        "L2" | "SumSquare" => {
            let a = c.wide(a);
            c.multiply(a, a)
        }
        _ => a,
    };
    let result = match name {
        "Max" => folded(c, a, axes, OpKind::Maximum, lowest(element)),
        "Min" => folded(c, a, axes, OpKind::Minimum, highest(element)),
        "Prod" => folded(c, a, axes, OpKind::Multiply, Scalar::Int(1)),
        "Mean" => mean(c, a, axes),
        "LogSumExp" => log_sum_exp(c, a, axes),
        _ => folded(c, a, axes, OpKind::Add, Scalar::Int(0)),
    };
    let result = match name {
        "L2" => {
            let wide = if element.is_integer() { c.b.convert(result, ElementType::F64) } else { result };
            c.b.unary(OpKind::Sqrt, wide)
        }
        "LogSum" => c.b.unary(OpKind::Log, result),
        _ => result,
    };
    let result = c.b.convert(result, element);
    if keep { kept(c, result, axes) } else { result }
}

/// A reduced value with sizes of 1 for the axes that it lost.
pub fn kept(c: &mut Converter, result: ValueId, axes: &[usize]) -> ValueId {
    let mut shape = c.b.shape(result);
    for &axis in axes {
        shape.insert(axis.min(shape.len()), Dim::Static(1));
    }
    c.b.reshape(result, &shape)
}

fn folded(c: &mut Converter, a: ValueId, axes: &[usize], kind: OpKind, start: Scalar) -> ValueId {
    if axes.is_empty() {
        return a;
    }
    c.b.reduce(a, start, axes, kind)
}

/// What a maximum begins with.
pub fn lowest(element: ElementType) -> Scalar {
    match element.integer_range() {
        Some((low, _)) => Scalar::Int(low),
        None => Scalar::Float(f64::NEG_INFINITY),
    }
}

fn highest(element: ElementType) -> Scalar {
    match element.integer_range() {
        // Literals of signed types may be unsigned: half of that range is the type's own.
        Some((low, _)) if low < 0 => Scalar::Int(-1 - low),
        Some((_, high)) => Scalar::Int(high),
        None => Scalar::Float(f64::INFINITY),
    }
}

/// The mean over axes, in f32 for narrow floats.
pub fn mean(c: &mut Converter, a: ValueId, axes: &[usize]) -> ValueId {
    let element = c.b.element(a);
    let wide = c.wide(a);
    let sum = folded(c, wide, axes, OpKind::Add, Scalar::Int(0));
    let shape = c.b.shape(a);
    let count: Vec<Dim> = axes.iter().filter_map(|&d| shape.get(d).copied()).collect();
    let count = c.b.graph.dim_product(&count);
    let count = count_like(c, count, sum);
    let mean = c.divide(sum, count);
    c.b.convert(mean, element)
}

/// A number of elements in every element of the type of `like`.
pub fn count_like(c: &mut Converter, count: Dim, like: ValueId) -> ValueId {
    match count {
        Dim::Static(n) => c.b.number_like(like, Scalar::Int(n.into())),
        size => {
            let (shape, element) = (c.b.shape(like), c.b.element(like));
            let scalar = c.b.index_of(size);
            let scalar = c.b.convert(scalar, element);
            c.stretch(scalar, &shape)
        }
    }
}

fn log_sum_exp(c: &mut Converter, a: ValueId, axes: &[usize]) -> ValueId {
    let element = c.b.element(a);
    let a = if element.is_integer() { c.b.convert(a, ElementType::F64) } else { c.wide(a) };
    let top = folded(c, a, axes, OpKind::Maximum, Scalar::Float(f64::NEG_INFINITY));
    // An infinite maximum is not subtracted: that would make NaN of all.
    let is_finite = c.b.emit(OpKind::IsFinite, &[top], (&c.b.shape(top), ElementType::I1), &[]);
    let zero = c.number(top, 0.0);
    let top = c.b.select(is_finite, top, zero);
    let spread = spread(c, top, a, axes);
    let less = c.subtract(a, spread);
    let powers = c.b.unary(OpKind::Exponential, less);
    let sum = folded(c, powers, axes, OpKind::Add, Scalar::Int(0));
    let log = c.b.unary(OpKind::Log, sum);
    c.add(log, top)
}

/// A value that lacks `axes` of `like`, once for each element of them.
pub fn spread(c: &mut Converter, a: ValueId, like: ValueId, axes: &[usize]) -> ValueId {
    let shape = c.b.shape(like);
    let to: Vec<usize> = (0..shape.len()).filter(|d| !axes.contains(d)).collect();
    c.b.broadcast(a, &to, &shape)
}

/// The place of the largest or smallest element of an axis.
fn extreme(c: &mut Converter, node: &Node, direction: &str) -> Result<ValueId> {
    let a = node.input(0)?;
    let axis = node.axis_of(node.int_or("axis", 0), c.b.rank(a))?;
    let result = place_of(c, a, axis, direction, node.is_set("select_last_index"));
    Ok(if node.int_or("keepdims", 1) != 0 { kept(c, result, &[axis]) } else { result })
}

/// The place of an extreme as i64: a reduction of elements with their numbers.
pub fn place_of(c: &mut Converter, a: ValueId, axis: usize, direction: &str, last: bool) -> ValueId {
    let (shape, element) = (c.b.shape(a), c.b.element(a));
    let numbers = c.b.iota(&shape, ElementType::I64, axis);
    let start = c.b.splat(&[], element, if direction == "GT" { lowest(element) } else { highest(element) });
    let none = c.b.splat(&[], ElementType::I64, Scalar::Int(if last { -1 } else { i64::MAX.into() }));
    let scalar = |e| Type::tensor(&[], e);
    let types = [scalar(element), scalar(ElementType::I64), scalar(element), scalar(ElementType::I64)];
    let region = c.b.region(&types, |b, at| {
        let better = b.compare(direction, at[0], at[2]);
        // What is no number is better than any.
        let nan = b.compare("NE", at[0], at[0]);
        let better = b.binary(OpKind::Or, better, nan);
        let same = b.compare("EQ", at[0], at[2]);
        let nearer = b.compare(if last { "GT" } else { "LT" }, at[1], at[3]);
        let tie = b.binary(OpKind::And, same, nearer);
        let mine = b.binary(OpKind::Or, better, tie);
        vec![b.select(mine, at[0], at[2]), b.select(mine, at[1], at[3])]
    });
    let rest: Vec<Dim> = (0..shape.len()).filter(|&d| d != axis).map(|d| shape[d]).collect();
    let types = vec![tensor_of(&rest, element), tensor_of(&rest, ElementType::I64)];
    let mut op = NewOp::new(OpKind::Reduce, vec![a, numbers, start, none], types, c.b.location);
    op.attrs.set("dimensions", dims(&[axis]));
    op.regions.push(region);
    c.b.push(op)[1]
}

/// Sums or products up to each element.
fn running(c: &mut Converter, node: &Node, kind: OpKind) -> Result<ValueId> {
    let a = node.input(0)?;
    let axis = c.numbers(node, 1)?;
    let Some(&axis) = axis.first() else { return Err(node.broken("the axis is missing")) };
    let axis = node.axis_of(axis, c.b.rank(a))?;
    let (is_exclusive, is_reverse) = (node.is_set("exclusive"), node.is_set("reverse"));
    Ok(running_along(c, a, axis, kind, (is_exclusive, is_reverse)))
}

/// A window that ends at each element, as long as the dimension.
pub fn running_along(
    c: &mut Converter,
    a: ValueId,
    axis: usize,
    kind: OpKind,
    (is_exclusive, is_reverse): (bool, bool),
) -> ValueId {
    let shape = c.b.shape(a);
    let element = c.b.element(a);
    let size = shape[axis];
    let start = c.b.splat(
        &[],
        element,
        match kind {
            OpKind::Multiply => Scalar::Int(1),
            OpKind::Maximum => lowest(element),
            _ => Scalar::Int(0),
        },
    );
    let less = c.b.minus(size, Dim::Static(1));
    let region = c.b.reducer(kind, element);
    let mut window = crate::dialects::build::Window::unit(shape.len());
    window.size[axis] = size;
    let zero = Dim::Static(0);
    window.padding[axis] = if is_reverse { (zero, less) } else { (less, zero) };
    let all = c.b.reduce_window_to(a, start, region, &window, &shape);
    if !is_exclusive {
        return all;
    }
    // Moved by one, with the start in the first place.
    let (mut low, mut high) = (vec![zero; shape.len()], vec![zero; shape.len()]);
    let (one, minus) = (Dim::Static(1), Dim::Static(-1));
    (low[axis], high[axis]) = if is_reverse { (minus, one) } else { (one, minus) };
    c.b.pad(all, start, &low, &high, &vec![0; shape.len()])
}

fn softmax_node(c: &mut Converter, node: &Node, is_log: bool) -> Result<ValueId> {
    let a = node.input(0)?;
    flattened_before_13(c, node, (a, node.version), |c, a, axis| softmax(c, a, &[axis], is_log))
}

/// Softmax as the operator set of a number has it.
pub fn softmaxed(c: &mut Converter, node: &Node, a: ValueId, version: i64) -> Result<ValueId> {
    flattened_before_13(c, node, (a, version), |c, a, axis| softmax(c, a, &[axis], false))
}

/// Before version 13 the dimensions from the axis on count as one.
fn flattened_before_13(
    c: &mut Converter,
    node: &Node,
    (a, version): (ValueId, i64),
    rule: impl Fn(&mut Converter, ValueId, usize) -> ValueId,
) -> Result<ValueId> {
    let shape = c.b.shape(a);
    if version >= 13 {
        let axis = node.axis_of(node.int_or("axis", -1), shape.len())?;
        return Ok(rule(c, a, axis));
    }
    let axis = node.axis_of(node.int_or("axis", 1), shape.len().max(1))?;
    let (rows, columns) = (c.b.graph.dim_product(&shape[..axis]), c.b.graph.dim_product(&shape[axis..]));
    let flat = c.b.reshape(a, &[rows, columns]);
    let result = rule(c, flat, 1);
    Ok(c.b.reshape(result, &shape))
}

pub fn softmax(c: &mut Converter, a: ValueId, axes: &[usize], is_log: bool) -> ValueId {
    let top = c.b.reduce(a, Scalar::Float(f64::NEG_INFINITY), axes, OpKind::Maximum);
    let top = spread(c, top, a, axes);
    let less = c.subtract(a, top);
    let powers = c.b.unary(OpKind::Exponential, less);
    let sum = c.b.reduce(powers, Scalar::Int(0), axes, OpKind::Add);
    if is_log {
        let log = c.b.unary(OpKind::Log, sum);
        let log = spread(c, log, a, axes);
        return c.subtract(less, log);
    }
    let sum = spread(c, sum, a, axes);
    c.divide(powers, sum)
}

fn hardmax(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    flattened_before_13(c, node, (a, node.version), |c, a, axis| {
        let place = place_of(c, a, axis, "GT", false);
        let place = spread(c, place, a, &[axis]);
        let shape = c.b.shape(a);
        let numbers = c.b.iota(&shape, ElementType::I64, axis);
        let on = c.b.compare("EQ", numbers, place);
        let element = c.b.element(a);
        c.b.convert(on, element)
    })
}
