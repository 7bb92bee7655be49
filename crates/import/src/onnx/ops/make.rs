//! Operators that make tensors: constants, ranges, sizes.

use fornax_graph::{Constant, Dim, ElementType, OpKind, TensorType, ValueId};
use fornax_types::Scalar;

use super::cast::named_element;
use super::{Row, many, one};
use crate::onnx::converter::{Converter, Result};
use crate::onnx::node::{Item, Node};

pub const ROWS: &[Row] = &[
    one("Constant", constant),
    one("ConstantOfShape", constant_of_shape),
    one("Range", range),
    one("EyeLike", eye_like),
    one("Shape", shape),
    one("Size", size),
    many("Dropout", dropout),
];

fn constant(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let list = |c: &mut Converter, element: ElementType, n: usize, is_scalar: bool, bytes: Vec<u8>| {
        let shape = if is_scalar { vec![] } else { vec![n as i64] };
        c.b.constant(Constant::dense(TensorType::new(&shape, element), bytes))
    };
    for attribute in &node.proto.attribute {
        return match attribute.name.as_str() {
            "value" => {
                let Some(tensor) = &attribute.t else { return Err(node.broken("attribute `value` is no tensor")) };
                c.constant(tensor, &node.title)
            }
            "sparse_value" => match &attribute.sparse_tensor {
                Some(tensor) => c.sparse(tensor),
                None => Err(node.broken("attribute `sparse_value` is no sparse tensor")),
            },
            "value_float" => Ok(list(c, ElementType::F32, 1, true, attribute.f.to_le_bytes().to_vec())),
            "value_int" => Ok(list(c, ElementType::I64, 1, true, attribute.i.to_le_bytes().to_vec())),
            "value_floats" => {
                let bytes = attribute.floats.iter().flat_map(|x| x.to_le_bytes()).collect();
                Ok(list(c, ElementType::F32, attribute.floats.len(), false, bytes))
            }
            "value_ints" => Ok(c.vector(&attribute.ints)),
            "value_string" | "value_strings" => Err(node.unsupported("tensors of strings are not supported")),
            _ => continue,
        };
    }
    Err(node.broken("it has no value"))
}

fn constant_of_shape(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let sizes = c.amounts(node, 0)?;
    c.not_negative(node, &sizes)?;
    let Some(tensor) = node.tensor("value") else {
        return Ok(c.b.splat(&sizes, ElementType::F32, Scalar::Float(0.0)));
    };
    let value = c.constant(tensor, &node.title)?;
    let element = c.b.element(value);
    match c.b.splat_bytes(value) {
        Some(bytes) => Ok(c.b.splat_of(&sizes, element, bytes)),
        None => Err(node.broken("attribute `value` must have one element")),
    }
}

/// `start, start + step, …` before `limit`.
pub fn range(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let values = node.tensors()?;
    let [start, limit, step] = values[..] else { return Err(node.broken("three inputs are expected")) };
    if values.iter().any(|&v| c.b.tensor(v).elements().is_none_or(|n| n != 1)) {
        return Err(node.broken("scalars are expected"));
    }
    let element = c.b.element(start);
    let scalars: Vec<ValueId> = values.iter().map(|&v| c.b.reshape(v, &[])).collect();
    let count =
        if let (Some(a), Some(b), Some(s)) = (c.known_floats(start), c.known_floats(limit), c.known_floats(step)) {
            let count = ((b[0] - a[0]) / s[0]).ceil().max(0.0);
            if !count.is_finite() || count > f64::from(u32::MAX) {
                return Err(node.broken(format!("a range of {count} elements")));
            }
            Dim::Static(count as i64)
        } else if element.is_integer() {
            let (Some(by), Some(from), Some(to)) =
                (c.known_ints(step), c.known_sizes(scalars[0]), c.known_sizes(scalars[1]))
            else {
                return measured_range(c, node, &scalars);
            };
            let room = if by[0] > 0 { c.b.minus(to[0], from[0]) } else { c.b.minus(from[0], to[0]) };
            if by[0] == 0 {
                return Err(node.broken("the step is 0"));
            }
            let count = c.b.graph.dim_ceil_div(room, Dim::Static(by[0].saturating_abs()));
            c.b.graph.dim_max(count, Dim::Static(0))
        } else {
            return measured_range(c, node, &scalars);
        };
    Ok(counted_range(c, count, element, &scalars))
}

/// A range whose length the host reads.
fn measured_range(c: &mut Converter, node: &Node, scalars: &[ValueId]) -> Result<ValueId> {
    if c.b.block != c.b.entry.unwrap_or(c.b.block) {
        return Err(node.error("FX1025", "the length of the range is computed inside a loop or a branch"));
    }
    let [start, limit, step] = scalars else { return Err(node.broken("three inputs are expected")) };
    let element = c.b.element(*start);
    let wide: Vec<ValueId> = [*limit, *start, *step].iter().map(|&v| c.b.convert(v, ElementType::F64)).collect();
    let room = c.subtract(wide[0], wide[1]);
    let count = c.divide(room, wide[2]);
    let count = c.b.unary(OpKind::Ceil, count);
    let count = c.with_number(OpKind::Maximum, count, 0.0);
    let count = c.b.convert(count, ElementType::I64);
    let size = c.b.graph.value_dim(count, &format!("n{}", count.0), (0, i64::MAX));
    c.b.sizes.insert(count, size);
    Ok(counted_range(c, size, element, scalars))
}

fn counted_range(c: &mut Converter, count: Dim, element: ElementType, scalars: &[ValueId]) -> ValueId {
    let numbers = c.b.iota(&[count], element, 0);
    let (start, step) = (c.stretch(scalars[0], &[count]), c.stretch(scalars[2], &[count]));
    let scaled = c.multiply(numbers, step);
    c.add(scaled, start)
}

fn eye_like(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let shape = c.b.shape(a);
    if shape.len() != 2 {
        return Err(node.broken("a matrix is expected"));
    }
    let element = named_element(node, "dtype")?.unwrap_or(c.b.element(a));
    let (rows, columns) = (c.b.iota(&shape, ElementType::I64, 0), c.b.iota(&shape, ElementType::I64, 1));
    let moved = c.with_number(OpKind::Add, rows, node.int_or("k", 0) as f64);
    let on = c.b.compare("EQ", moved, columns);
    Ok(c.b.convert(on, element))
}

fn shape(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let shape = c.b.shape(a);
    let rank = shape.len() as i64;
    let place = |at: i64| if at < 0 { at.saturating_add(rank).max(0) } else { at.min(rank) };
    let (start, end) = (place(node.int_or("start", 0)), place(node.int_or("end", rank)));
    let part = shape.get(start as usize..end.max(start) as usize).unwrap_or_default().to_vec();
    Ok(c.sizes_vector(&part))
}

fn size(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let shape = c.b.shape(a);
    let elements = c.b.graph.dim_product(&shape);
    Ok(c.b.index_of(elements))
}

/// Nothing is dropped but in training.
fn dropout(c: &mut Converter, node: &Node) -> Result<Vec<Item>> {
    let a = node.input(0)?;
    if node.optional(2).is_some() {
        let is_training = c.numbers(node, 2)?.first() != Some(&0);
        let ratio =
            if node.optional(1).is_some() { c.float_numbers(node, 1)?.first().copied().unwrap_or(0.5) } else { 0.5 };
        if is_training && ratio != 0.0 {
            return Err(node.unsupported("training mode"));
        }
    }
    let shape = c.b.shape(a);
    let element = if node.version < 10 { c.b.element(a) } else { ElementType::I1 };
    let mut results = vec![a.into()];
    if node.wants(1) {
        results.push(c.b.splat(&shape, element, Scalar::Int(1)).into());
    }
    Ok(results)
}
