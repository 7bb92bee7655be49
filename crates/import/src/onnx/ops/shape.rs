//! Operators that move elements and change none.

use fornax_graph::{Dim, ElementType, OpKind, ValueId};
use fornax_types::Scalar;

use super::{Row, many, one};
use crate::onnx::converter::{Converter, Result};
use crate::onnx::node::{Item, Node};

pub const ROWS: &[Row] = &[
    one("Reshape", reshape),
    one("Flatten", flatten),
    one("Squeeze", squeeze),
    one("Unsqueeze", unsqueeze),
    one("Transpose", transpose),
    one("Expand", expand),
    one("Tile", tile),
    one("Concat", concat),
    many("Split", split),
    one("Slice", slice),
    one("Pad", pad),
    one("DepthToSpace", depth_to_space),
    one("SpaceToDepth", space_to_depth),
    one("Trilu", trilu),
    one("CenterCropPad", center_crop_pad),
];

/// Parts that one node makes at most.
const PARTS_MAX: i64 = 1 << 12;

fn reshape(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let wanted = match node.ints("shape").filter(|_| node.version < 5) {
        Some(list) => crate::dialects::build::known(list),
        None => c.amounts(node, 1)?,
    };
    let from = c.b.shape(a);
    let mut shape = Vec::new();
    for (d, &size) in wanted.iter().enumerate() {
        shape.push(match size {
            Dim::Static(0) if !node.is_set("allowzero") => {
                *from.get(d).ok_or_else(|| node.broken(format!("size {d} is to be that of an input without one")))?
            }
            other => other,
        });
    }
    reshaped(c, node, a, shape)
}

/// A value in a shape one of whose sizes may be -1: what the others leave.
pub fn reshaped(c: &mut Converter, node: &Node, a: ValueId, mut shape: Vec<Dim>) -> Result<ValueId> {
    let from = c.b.shape(a);
    let total = c.b.graph.dim_product(&from);
    let open: Vec<usize> = (0..shape.len()).filter(|&d| shape[d] == Dim::Static(-1)).collect();
    match open[..] {
        [] => {}
        [d] => {
            let rest: Vec<Dim> = (0..shape.len()).filter(|&e| e != d).map(|e| shape[e]).collect();
            let rest = c.b.graph.dim_product(&rest);
            shape[d] = match (total, rest) {
                (_, Dim::Static(0)) => return Err(node.broken("a size cannot be worked out beside sizes of 0")),
                _ => c.b.graph.dim_floor_div(total, rest),
            };
        }
        _ => return Err(node.broken("more than one size is -1")),
    }
    c.not_negative(node, &shape)?;
    let made = c.b.graph.dim_product(&shape);
    c.same(node, total, made)?;
    let shape: Vec<Dim> = shape.into_iter().map(|d| c.b.equal.canonical(&mut c.b.graph, d)).collect();
    Ok(c.b.reshape(a, &shape))
}

fn flatten(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let shape = c.b.shape(a);
    let axis = node.int_or("axis", 1);
    let axis = if axis == shape.len() as i64 { shape.len() } else { node.axis_of(axis, shape.len())? };
    let (rows, columns) = (c.b.graph.dim_product(&shape[..axis]), c.b.graph.dim_product(&shape[axis..]));
    Ok(c.b.reshape(a, &[rows, columns]))
}

/// Axes of an attribute before a version, of an input from then on.
pub fn axes(c: &mut Converter, node: &Node, (since, at): (i64, usize)) -> Result<Option<Vec<i64>>> {
    if node.version < since {
        return Ok(node.ints("axes").map(<[i64]>::to_vec));
    }
    c.numbers_if(node, at)
}

fn squeeze(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let mut shape = c.b.shape(a);
    let axes = match axes(c, node, (13, 1))? {
        Some(axes) => node.axes_of(&axes, shape.len())?,
        None => (0..shape.len()).filter(|&d| shape[d] == Dim::Static(1)).collect(),
    };
    for &axis in axes.iter().rev() {
        c.same(node, shape[axis], Dim::Static(1))?;
        shape.remove(axis);
    }
    Ok(c.b.reshape(a, &shape))
}

fn unsqueeze(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let mut shape = c.b.shape(a);
    let axes = axes(c, node, (13, 1))?.ok_or_else(|| node.broken("axes are missing"))?;
    for axis in node.axes_of(&axes, shape.len() + axes.len())? {
        shape.insert(axis, Dim::Static(1));
    }
    Ok(c.b.reshape(a, &shape))
}

fn transpose(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let rank = c.b.rank(a);
    let order = match node.ints("perm") {
        Some(list) if !list.is_empty() || rank == 0 => {
            let order = list.iter().map(|&d| node.axis_of(d, rank)).collect::<Result<Vec<usize>>>()?;
            node.axes_of(list, rank)?;
            if order.len() != rank {
                return Err(node.broken(format!("`perm` has {} numbers for {rank} dimensions", order.len())));
            }
            order
        }
        _ => (0..rank).rev().collect(),
    };
    Ok(c.b.transpose(a, &order))
}

fn expand(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let wanted = c.amounts(node, 1)?;
    let from = c.b.shape(a);
    let shape = c.joint_shape(node, &from, &wanted)?;
    c.not_negative(node, &shape)?;
    Ok(c.stretch(a, &shape))
}

fn tile(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let (repeats, from) = (c.amounts(node, 1)?, c.b.shape(a));
    if repeats.len() != from.len() {
        return Err(node.broken(format!("{} repeats for {} dimensions", repeats.len(), from.len())));
    }
    c.not_negative(node, &repeats)?;
    let (mut wide, mut places, mut shape) = (Vec::new(), Vec::new(), Vec::new());
    for (&times, &size) in repeats.iter().zip(&from) {
        places.push(wide.len() + 1);
        wide.extend([times, size]);
        shape.push(c.b.graph.dim_mul(times, size));
    }
    let all = c.b.broadcast(a, &places, &wide);
    Ok(c.b.reshape(all, &shape))
}

/// Joins values along an axis; their other sizes are equal.
pub fn joined(c: &mut Converter, node: &Node, values: &[ValueId], axis: usize) -> Result<ValueId> {
    let Some(&first) = values.first() else { return Err(node.broken("it has no input")) };
    let (shape, element) = (c.b.shape(first), c.b.element(first));
    for &value in values {
        let other = c.b.shape(value);
        if other.len() != shape.len() || c.b.element(value) != element {
            return Err(node.broken("inputs of several ranks or types"));
        }
        for d in (0..shape.len()).filter(|&d| d != axis) {
            c.same(node, shape[d], other[d])?;
        }
    }
    Ok(c.b.concatenate(values, axis))
}

fn concat(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let values = node.tensors()?;
    let rank = values.first().map_or(0, |&v| c.b.rank(v));
    let axis = node.int("axis").unwrap_or(if node.version < 4 { 1 } else { 0 });
    let axis = node.axis_of(axis, rank)?;
    joined(c, node, &values, axis)
}

fn split(c: &mut Converter, node: &Node) -> Result<Vec<Item>> {
    let a = node.input(0)?;
    let axis = node.axis_of(node.int_or("axis", 0), c.b.rank(a))?;
    let size = c.b.shape(a)[axis];
    let given = match node.ints("split").filter(|_| node.version < 13) {
        Some(list) => Some(crate::dialects::build::known(list)),
        None if node.version < 13 => None,
        None if node.optional(1).is_some() => Some(c.amounts(node, 1)?),
        None => None,
    };
    let parts = match given {
        Some(parts) => parts,
        None => {
            let count = node.int_or("num_outputs", node.outputs() as i64);
            if !(1..=PARTS_MAX).contains(&count) {
                return Err(node.broken(format!("a split into {count} parts")));
            }
            let each = c.b.graph.dim_ceil_div(size, Dim::Static(count));
            let before = c.b.scaled(each, count - 1, 0);
            let mut parts = vec![each; count as usize - 1];
            parts.push(c.b.minus(size, before));
            parts
        }
    };
    c.not_negative(node, &parts)?;
    let total = parts.iter().fold(Dim::Static(0), |sum, &n| c.b.graph.dim_add(sum, n));
    c.same(node, total, size)?;
    Ok(cut(c, a, axis, &parts).into_iter().map(Item::from).collect())
}

/// Parts of a value along an axis.
pub fn cut(c: &mut Converter, a: ValueId, axis: usize, parts: &[Dim]) -> Vec<ValueId> {
    let mut from = Dim::Static(0);
    let mut results = Vec::new();
    for &part in parts {
        let to = c.b.plus(from, part);
        results.push(c.b.slice_dim(a, axis, from, to));
        from = to;
    }
    results
}

fn slice(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let mut a = node.input(0)?;
    let is_old = node.version < 10;
    let list = |name: &str| node.ints(name).map(crate::dialects::build::known).unwrap_or_default();
    let (starts, ends) =
        if is_old { (list("starts"), list("ends")) } else { (c.amounts(node, 1)?, c.amounts(node, 2)?) };
    let axes = match axes(c, node, (10, 3))? {
        Some(axes) => axes,
        None => (0..starts.len() as i64).collect(),
    };
    let steps = match if is_old { None } else { c.numbers_if(node, 4)? } {
        Some(steps) => steps,
        None => vec![1; starts.len()],
    };
    if [ends.len(), axes.len(), steps.len()] != [starts.len(); 3] {
        return Err(node.broken("starts, ends, axes and steps have several lengths"));
    }
    node.axes_of(&axes, c.b.rank(a))?;
    for (k, &axis) in axes.iter().enumerate() {
        let axis = node.axis_of(axis, c.b.rank(a))?;
        let size = c.b.shape(a)[axis];
        let step = steps[k];
        if step == 0 {
            return Err(node.broken("a step is 0"));
        }
        let (mut start, mut end) = (bound(c, starts[k], size), bound(c, ends[k], size));
        if step < 0 {
            // From `start` down to above `end`: the same elements of the reversed dimension.
            let last = c.b.minus(size, Dim::Static(1));
            let start_at = c.b.graph.dim_min(start, last);
            start = c.b.minus(last, start_at);
            end = match ends[k] {
                Dim::Static(n) if n < 0 && size.as_static().is_none_or(|size| n < -size) => size,
                _ => {
                    let end_at = c.b.graph.dim_min(end, last);
                    c.b.minus(last, end_at)
                }
            };
            a = c.b.reverse(a, &[axis]);
        }
        end = c.b.graph.dim_max(end, start);
        let shape = c.b.shape(a);
        let (mut from, mut to) = (vec![Dim::Static(0); shape.len()], shape.clone());
        (from[axis], to[axis]) = (start, end);
        let mut by = vec![1; shape.len()];
        by[axis] = step.saturating_abs();
        a = c.b.slice(a, &from, &to, &by);
    }
    Ok(a)
}

/// A place in a dimension, negative ones counted from its end, within it.
fn bound(c: &mut Converter, at: Dim, size: Dim) -> Dim {
    let (low, high) = c.b.graph.dim_bounds(at);
    let at = if high < 0 {
        match (at, size) {
            (Dim::Static(n), _) if n < -(1 << 40) => Dim::Static(0),
            _ => c.b.plus(at, size),
        }
    } else if low >= 0 {
        at
    } else {
        let is_negative = c.b.graph.dim_compare("LT", at, Dim::Static(0)).unwrap_or(Dim::Static(0));
        let more = c.b.graph.dim_mul(is_negative, size);
        c.b.plus(at, more)
    };
    if matches!(at, Dim::Static(n) if n > 1 << 40) {
        return size;
    }
    let at = c.b.graph.dim_max(at, Dim::Static(0));
    c.b.graph.dim_min(at, size)
}

fn pad(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let rank = c.b.rank(a);
    let is_old = node.version < 11;
    let name = if node.version < 2 { "paddings" } else { "pads" };
    let pads = match is_old {
        true => node.ints(name).map(crate::dialects::build::known).unwrap_or_default(),
        false => c.amounts(node, 1)?,
    };
    let axes = match if is_old { None } else { c.numbers_if(node, 3)? } {
        Some(axes) => axes.iter().map(|&axis| node.axis_of(axis, rank)).collect::<Result<Vec<_>>>()?,
        None => (0..rank).collect(),
    };
    if pads.len() != 2 * axes.len() {
        return Err(node.broken(format!("{} paddings for {} axes", pads.len(), axes.len())));
    }
    let (mut low, mut high) = (vec![Dim::Static(0); rank], vec![Dim::Static(0); rank]);
    for (k, &axis) in axes.iter().enumerate() {
        (low[axis], high[axis]) = (pads[k], pads[k + axes.len()]);
    }
    if node.text_or("mode", "constant") == "constant" {
        let value = match node.optional(2).filter(|_| !is_old) {
            Some(value) => c.b.reshape(value, &[]),
            None => {
                let element = c.b.element(a);
                c.scalar(element, if is_old { node.float_or("value", 0.0) } else { 0.0 })
            }
        };
        if c.b.element(value) != c.b.element(a) {
            return Err(node.broken("the value of padding has another type"));
        }
        let result = c.b.pad(a, value, &low, &high, &vec![0; rank]);
        let shape = c.b.shape(result);
        c.not_negative(node, &shape)?;
        return Ok(result);
    }
    let mut a = a;
    for d in 0..rank {
        a = mirrored(c, node, (a, d), (low[d], high[d]))?;
    }
    Ok(a)
}

/// Padding of one dimension by its own elements.
fn mirrored(c: &mut Converter, node: &Node, (a, axis): (ValueId, usize), (low, high): (Dim, Dim)) -> Result<ValueId> {
    if (low, high) == (Dim::Static(0), Dim::Static(0)) {
        return Ok(a);
    }
    let size = c.b.shape(a)[axis];
    let count = c.b.plus(size, low);
    let count = c.b.plus(count, high);
    c.not_negative(node, &[count])?;
    // Where each element of the result stands in the operand.
    let numbers = c.b.iota(&[count], ElementType::I64, 0);
    let (low, size) = (c.b.index_of(low), c.b.index_of(size));
    let low = c.stretch(low, &[count]);
    let size = c.stretch(size, &[count]);
    let at = c.subtract(numbers, low);
    let zero = c.number(at, 0.0);
    let one = c.number(at, 1.0);
    let last = c.subtract(size, one);
    let at = match node.text_or("mode", "constant") {
        "edge" => {
            let at = c.b.binary(OpKind::Maximum, at, zero);
            c.b.binary(OpKind::Minimum, at, last)
        }
        "wrap" => positive_rest(c, at, size),
        "reflect" => {
            let period = c.add(last, last);
            let period = c.b.binary(OpKind::Maximum, period, one);
            let at = positive_rest(c, at, period);
            let back = c.subtract(period, at);
            let at = c.b.binary(OpKind::Minimum, at, back);
            c.b.binary(OpKind::Minimum, at, last)
        }
        other => return Err(node.broken(format!("mode `{other}`; known: constant, edge, reflect, wrap"))),
    };
    Ok(take(c, a, at, axis))
}

fn positive_rest(c: &mut Converter, a: ValueId, by: ValueId) -> ValueId {
    let rest = c.b.binary(OpKind::Remainder, a, by);
    let moved = c.add(rest, by);
    c.b.binary(OpKind::Remainder, moved, by)
}

/// Slices of a value along an axis by their numbers, which are in range; those stand in the axis' place.
pub fn take(c: &mut Converter, a: ValueId, at: ValueId, axis: usize) -> ValueId {
    let (rank, places) = (c.b.rank(a), c.b.rank(at));
    let mut shape = c.b.shape(at);
    shape.push(Dim::Static(1));
    let at = c.b.reshape(at, &shape);
    let found = c.b.gather(a, at, &[axis]);
    // Places stand first; they go where the axis was.
    let order: Vec<usize> = (places..places + axis).chain(0..places).chain(places + axis..places + rank - 1).collect();
    c.b.transpose(found, &order)
}

fn depth_to_space(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let block = Dim::Static(node.int_or("blocksize", 0).max(1));
    let [n, depth, h, w] = c.b.shape(a)[..] else { return Err(node.broken("four dimensions are expected")) };
    let square = c.b.graph.dim_mul(block, block);
    let rest = c.b.graph.dim_floor_div(depth, square);
    let (wide, order): (Vec<Dim>, [usize; 6]) = match node.text_or("mode", "DCR") {
        "DCR" => (vec![n, block, block, rest, h, w], [0, 3, 4, 1, 5, 2]),
        "CRD" => (vec![n, rest, block, block, h, w], [0, 1, 4, 2, 5, 3]),
        other => return Err(node.broken(format!("mode `{other}`; known: DCR, CRD"))),
    };
    let parts = reshaped(c, node, a, wide)?;
    let parts = c.b.transpose(parts, &order);
    let (high, wide) = (c.b.graph.dim_mul(h, block), c.b.graph.dim_mul(w, block));
    reshaped(c, node, parts, vec![n, rest, high, wide])
}

fn space_to_depth(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let block = Dim::Static(node.int_or("blocksize", 0).max(1));
    let [n, depth, h, w] = c.b.shape(a)[..] else { return Err(node.broken("four dimensions are expected")) };
    let (rows, columns) = (c.b.graph.dim_floor_div(h, block), c.b.graph.dim_floor_div(w, block));
    let square = c.b.graph.dim_mul(block, block);
    let all = c.b.graph.dim_mul(depth, square);
    let parts = reshaped(c, node, a, vec![n, depth, rows, block, columns, block])?;
    let parts = match node.text_or("mode", "DCR") {
        "DCR" => c.b.transpose(parts, &[0, 3, 5, 1, 2, 4]),
        "CRD" => c.b.transpose(parts, &[0, 1, 3, 5, 2, 4]),
        other => return Err(node.broken(format!("mode `{other}`; known: DCR, CRD"))),
    };
    reshaped(c, node, parts, vec![n, all, rows, columns])
}

/// Elements on one side of a diagonal; `k` may be data.
fn trilu(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let shape = c.b.shape(a);
    let Some(rows) = shape.len().checked_sub(2) else { return Err(node.broken("matrices are expected")) };
    let (row, column) = (c.b.iota(&shape, ElementType::I64, rows), c.b.iota(&shape, ElementType::I64, rows + 1));
    let moved = match node.optional(1) {
        Some(k) => {
            let k = c.b.reshape(k, &[]);
            let k = c.stretch(k, &shape);
            c.add(row, k)
        }
        None => row,
    };
    let inside = c.b.compare(if node.int_or("upper", 1) != 0 { "GE" } else { "LE" }, column, moved);
    let zero = c.b.number_like(a, Scalar::Int(0));
    Ok(c.b.select(inside, a, zero))
}

/// Cuts or pads with zeros on both sides.
fn center_crop_pad(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let mut a = node.input(0)?;
    let rank = c.b.rank(a);
    let wanted = c.numbers(node, 1)?;
    let axes = match node.ints("axes") {
        Some(list) => list.iter().map(|&axis| node.axis_of(axis, rank)).collect::<Result<Vec<_>>>()?,
        None => (0..rank).collect(),
    };
    if axes.len() != wanted.len() {
        return Err(node.broken("sizes and axes have several lengths"));
    }
    for (&axis, &to) in axes.iter().zip(&wanted) {
        let Some(from) = c.b.shape(a)[axis].as_static() else {
            return Err(node.error("FX1025", "a size that is cut must be known when the model is compiled"));
        };
        if to < 0 {
            return Err(node.broken("a size is negative"));
        }
        if from > to {
            let start = (from - to) / 2;
            a = c.b.slice_dim(a, axis, Dim::Static(start), Dim::Static(start + to));
        } else {
            let element = c.b.element(a);
            let zero = c.b.splat(&[], element, Scalar::Int(0));
            let (mut low, mut high) = (vec![Dim::Static(0); rank], vec![Dim::Static(0); rank]);
            low[axis] = Dim::Static((to - from) / 2);
            high[axis] = Dim::Static(to - from - (to - from) / 2);
            a = c.b.pad(a, zero, &low, &high, &vec![0; rank]);
        }
    }
    Ok(a)
}
