//! TOSA's gather, scatter and table.

use fornax_graph::{Attr, AttrMap, Dim, ElementType, NewOp, Op, OpKind, Type, ValueId};

use super::elementwise::shift_rounded;
use crate::dialects::build::{Number, dims, int, numbers, tensor_of};
use crate::dialects::converter::{Converter, Result};

/// `[N, K, C]` and `[N, W]`, checked.
fn table_and_places(c: &mut Converter, op: &Op, places: usize) -> Result<(ValueId, ValueId)> {
    let (values, at) = (c.operand(op, 0)?, c.operand(op, places)?);
    let (v, i) = (c.b.shape(values), c.b.shape(at));
    if v.len() != 3 || i.len() != 2 || c.b.unify(v[0], i[0], &format!("`{}`", op.name)).is_none() {
        return Err(c.malformed(op, "values must be [N, K, C] and indices [N, W]".into()));
    }
    Ok((values, at))
}

/// `values[n, indices[n, w], c]`.
pub fn gather(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let (values, at) = table_and_places(c, op, 1)?;
    let (v, i) = (c.b.shape(values), c.b.shape(at));
    let one = Dim::Static(1);
    if v[0] == one {
        let rows = c.b.reshape(values, &v[1..]);
        let at = c.b.reshape(at, &[i[1], one]);
        let taken = c.b.gather(rows, at, &[0]);
        return Ok(vec![c.b.reshape(taken, &[one, i[1], v[2]])]);
    }
    let mut fields = AttrMap::default();
    for (name, list) in [
        ("offset_dims", vec![2]),
        ("collapsed_slice_dims", vec![1]),
        ("operand_batching_dims", vec![0]),
        ("start_indices_batching_dims", vec![0]),
        ("start_index_map", vec![1]),
    ] {
        fields.set(name, dims(&list));
    }
    fields.set("index_vector_dim", int(2));
    let attrs = [
        ("dimension_numbers", Attr::Struct("stablehlo.gather".into(), fields)),
        ("slice_sizes", Attr::of_dims(&[one, one, v[2]])),
        ("indices_are_sorted", Attr::Bool(false)),
    ];
    let element = c.b.element(values);
    Ok(vec![c.b.emit(OpKind::Gather, &[values, at], (&[v[0], i[1], v[2]], element), &attrs)])
}

/// `values[n, indices[n, w], c] = input[n, w, c]`; no place is written twice.
pub fn scatter(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let (values, at) = table_and_places(c, op, 1)?;
    let updates = c.operand(op, 2)?;
    let (shape, element) = (c.b.shape(values), c.b.element(values));
    let scalar = Type::tensor(&[], element);
    let region = c.b.region(&[scalar.clone(), scalar], |_, v| vec![v[1]]);
    let mut fields = AttrMap::default();
    for (name, list) in [
        ("update_window_dims", vec![2]),
        ("inserted_window_dims", vec![1]),
        ("input_batching_dims", vec![0]),
        ("scatter_indices_batching_dims", vec![0]),
        ("scatter_dims_to_operand_dims", vec![1]),
    ] {
        fields.set(name, dims(&list));
    }
    fields.set("index_vector_dim", int(2));
    let mut new =
        NewOp::new(OpKind::Scatter, vec![values, at, updates], vec![tensor_of(&shape, element)], c.b.location);
    new.attrs.set("scatter_dimension_numbers", Attr::Struct("stablehlo.scatter".into(), fields));
    new.attrs.set("indices_are_sorted", Attr::Bool(false));
    new.attrs.set("unique_indices", Attr::Bool(true));
    new.regions.push(region);
    Ok(c.b.push(new))
}

/// 256 entries: `table[x + 128]`. 513 entries: between `table[x >> 7]` and the next, by the low seven bits.
pub fn table(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let (a, entries) = (c.operand(op, 0)?, c.operand(op, 1)?);
    let (shape, wide) = (c.b.shape(a), ElementType::I32);
    let x = c.b.convert(a, wide);
    let look = |c: &mut Converter, entries: ValueId, at: ValueId| {
        let mut vectors = shape.clone();
        vectors.push(Dim::Static(1));
        let at = c.b.reshape(at, &vectors);
        c.b.gather(entries, at, &[0])
    };
    let number = |c: &mut Converter, n: i128| c.b.number_like(x, Number::Int(n));
    match (c.b.element(a), numbers(&c.b.shape(entries)).unwrap_or_default().as_slice()) {
        (ElementType::I8, [256]) => {
            let offset = number(c, 128);
            let at = c.b.binary(OpKind::Add, x, offset);
            Ok(vec![look(c, entries, at)])
        }
        (ElementType::I16, [513]) => {
            let (offset, seven, mask, one) = (number(c, 32768), number(c, 7), number(c, 127), number(c, 1));
            let up = c.b.binary(OpKind::Add, x, offset);
            let at = c.b.binary(OpKind::ShiftRightArithmetic, up, seven);
            let part = c.b.binary(OpKind::And, up, mask);
            let entries = c.b.convert(entries, wide);
            let base = look(c, entries, at);
            let behind = c.b.binary(OpKind::Add, at, one);
            let next = look(c, entries, behind);
            let slope = c.b.binary(OpKind::Subtract, next, base);
            let rise = c.b.binary(OpKind::Multiply, slope, part);
            let start = c.b.binary(OpKind::ShiftLeft, base, seven);
            let sum = c.b.binary(OpKind::Add, start, rise);
            // A result of 16 bits is rounded, one of 32 keeps the seven bits.
            let to = c.result_element(op, 0)?;
            let value = if to == wide { sum } else { shift_rounded(&mut c.b, sum, seven) };
            Ok(vec![c.b.convert(value, to)])
        }
        _ => Err(c.unsupported(op, "tables have 256 entries for i8 and 513 for i16".into())),
    }
}
