//! TOSA's shapes: lists of numbers and of sizes of run time, worked out while the file is read.

use fornax_graph::{Attr, Dim, DimExpr, ElementType, Op, ValueId};

use super::{list, name};
use crate::dialects::build::{known, numbers};
use crate::dialects::converter::{Converter, Result};

/// A shape operand of `n` numbers.
pub fn shape(c: &Converter, op: &Op, index: usize, n: usize) -> Result<Vec<Dim>> {
    let values = any_shape(c, op, index)?;
    if values.len() == n {
        Ok(values)
    } else {
        Err(c.malformed(op, format!("operand {index} must be a shape of {n} numbers")))
    }
}

fn any_shape(c: &Converter, op: &Op, index: usize) -> Result<Vec<Dim>> {
    let raw = op.operands.get(index).copied();
    let known = raw.and_then(|raw| c.shapes.get(&raw).cloned().or_else(|| Some(known(&c.known_ints(raw)?))));
    known.ok_or_else(|| c.unsupported(op, format!("operand {index}, a shape that is not known when the model is read")))
}

/// Numbers of a shape operand.
pub fn numbers_of(c: &Converter, op: &Op, index: usize, n: usize) -> Result<Vec<i64>> {
    let sizes = shape(c, op, index, n)?;
    numbers(&sizes).ok_or_else(|| c.unsupported(op, format!("operand {index}, which must be numbers")))
}

/// Records the sizes; the value stands for them and is not used.
fn record(c: &mut Converter, op: &Op, values: Vec<Dim>) -> Result<Vec<ValueId>> {
    let value = list(c, &[values.len() as i64], &vec![0; values.len()], ElementType::I64);
    if let Some(&result) = op.results.first() {
        c.shapes.insert(result, values);
    }
    Ok(vec![value])
}

pub fn const_shape(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let values = match (op.attrs.get("values"), op.results.first()) {
        (Some(Attr::Dense(_)), Some(&result)) => c.known_ints(result),
        _ => None,
    };
    match values {
        Some(values) => record(c, op, known(&values)),
        None => Err(c.malformed(op, "`values` must be dense integers".into())),
    }
}

pub fn dim(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let a = c.operand(op, 0)?;
    let axis = c.dimension(op, "axis", c.b.rank(a))?;
    let size = c.b.shape(a)[axis];
    record(c, op, vec![size])
}

pub fn concat_shape(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let mut values = Vec::new();
    for index in 0..op.operands.len() {
        values.extend(any_shape(c, op, index)?);
    }
    record(c, op, values)
}

pub fn slice_shape(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let values = any_shape(c, op, 0)?;
    let (start, size) = (any_shape(c, op, 1)?, any_shape(c, op, 2)?);
    let range = match (start.as_slice(), size.as_slice()) {
        (&[Dim::Static(start)], &[Dim::Static(size)]) => usize::try_from(start).ok().zip(usize::try_from(size).ok()),
        _ => None,
    };
    match range.and_then(|(start, size)| values.get(start..start.checked_add(size)?).map(<[Dim]>::to_vec)) {
        Some(part) => record(c, op, part),
        None => Err(c.malformed(op, "the slice is outside the shape".into())),
    }
}

pub fn arithmetic(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let a = any_shape(c, op, 0)?;
    let b = shape(c, op, 1, a.len())?;
    let positive = b.iter().all(|&y| c.b.graph.dim_bounds(y).0 > 0);
    let one = |(&x, &y): (&Dim, &Dim)| match name(op) {
        "add_shape" => Some(DimExpr::Add(x, y)),
        "sub_shape" => Some(DimExpr::Sub(x, y)),
        "mul_shape" => Some(DimExpr::Mul(x, y)),
        "div_floor_shape" if positive => Some(DimExpr::FloorDiv(x, y)),
        "div_ceil_shape" if positive => Some(DimExpr::CeilDiv(x, y)),
        "mod_shape" if positive => Some(DimExpr::Mod(x, y)),
        "max_shape" => Some(DimExpr::Max(x, y)),
        "min_shape" => Some(DimExpr::Min(x, y)),
        _ => None,
    };
    let exprs: Option<Vec<DimExpr>> = a.iter().zip(&b).map(one).collect();
    let overflows = |expr: &DimExpr| match expr.operands() {
        (Dim::Static(x), Dim::Static(y)) => expr.apply(x, y).is_none(),
        _ => false,
    };
    match exprs.filter(|exprs| !exprs.iter().any(overflows)) {
        Some(exprs) => {
            let values = exprs.into_iter().map(|expr| c.b.graph.combine(expr)).collect();
            record(c, op, values)
        }
        None => Err(c.malformed(op, "the sizes have no such result".into())),
    }
}

pub fn exponents(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let a = any_shape(c, op, 0)?;
    let Some(a) = numbers(&a) else {
        return Err(c.unsupported(op, "powers and logarithms of sizes of run time".into()));
    };
    let one = |&x: &i64| match name(op) {
        "exp2_shape" => u32::try_from(x).ok().filter(|&x| x < 63).map(|x| 1i64 << x),
        "log2_floor_shape" => x.checked_ilog2().map(i64::from),
        _ => x.checked_ilog2().map(|n| i64::from(n) + i64::from(!(x as u64).is_power_of_two())),
    };
    match a.iter().map(one).collect::<Option<Vec<i64>>>() {
        Some(values) => record(c, op, known(&values)),
        None => Err(c.malformed(op, "the sizes have no such result".into())),
    }
}
