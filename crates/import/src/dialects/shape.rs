//! StableHLO with sizes as torch-mlir prints it: `shape`, `tensor` and `arith` ops between StableHLO's, which compute
//! shape operands.
//!
//! Input: a graph in which they are unregistered ops. Output: one of StableHLO alone, sizes still `?`, for
//! `resolve_sizes`. `shape.shape_of` is a list of `get_dimension_size`; what `shape.assuming` holds stands in its
//! place.
//!
//! Worked example: `shape.broadcast(shape_of(%x: ?x4), [4])` is `[get_dimension_size %x, 0, 4]`: of two sizes the one
//! that is not 1. Two that are not known are taken to be equal, which the host checks (torch stretches ones that it
//! knows only).

use fornax_graph::{Attr, AttrMap, Dim, ElementType, Graph, NewOp, Op, OpKind, Type, ValueId};

use super::build::{Number, known};
use super::converter::{Converter, Result, Rule};

pub const RULES: &[(&str, Rule)] = &[
    ("shape.assuming", assuming),
    ("shape.broadcast", broadcast),
    ("shape.const_shape", const_shape),
    ("shape.cstr_broadcastable", holds),
    ("shape.cstr_eq", holds),
    ("shape.get_extent", extent),
    ("shape.num_elements", count),
    ("shape.shape_of", shape_of),
];

/// Dialects whose ops may stand among StableHLO's.
const DIALECTS: [&str; 4] = ["shape.", "tensor.", "arith.", "cf."];

/// Whether a graph of StableHLO holds ops of these dialects.
pub(crate) fn is_mixed(graph: &Graph) -> bool {
    graph.ops.iter().any(|op| op.kind == OpKind::Unregistered && DIALECTS.iter().any(|d| op.name.starts_with(d)))
}

impl Converter<'_> {
    /// A list of scalars as a tensor, which is known to be made of them.
    pub fn listed(&mut self, scalars: Vec<ValueId>) -> ValueId {
        let one = known(&[1]);
        let parts: Vec<ValueId> = scalars
            .iter()
            .map(|&a| {
                let wide = self.b.convert(a, ElementType::I64);
                self.b.reshape(wide, &one)
            })
            .collect();
        let value = match parts.is_empty() {
            true => self.zeros(&known(&[0]), ElementType::I64),
            false => self.b.concatenate(&parts, 0),
        };
        self.lists.insert(value, scalars);
        value
    }

    /// The scalars that an operand, a list, is made of.
    fn scalars(&mut self, op: &Op, index: usize) -> Result<Vec<ValueId>> {
        let list = self.operand(op, index)?;
        if let Some(scalars) = self.lists.get(&list) {
            return Ok(scalars.clone());
        }
        let raw = op.operands.get(index).copied();
        if let Some(numbers) = raw.and_then(|raw| self.known_ints(raw)) {
            return Ok(numbers.into_iter().map(|n| self.b.index_of(Dim::Static(n))).collect());
        }
        let [Dim::Static(n)] = self.b.shape(list)[..] else {
            return Err(self.unsupported(op, "a list of unknown length".into()));
        };
        let mut scalars = Vec::new();
        for at in 0..n {
            let part = self.b.slice_dim(list, 0, Dim::Static(at), Dim::Static(at + 1));
            scalars.push(self.b.reshape(part, &[]));
        }
        Ok(scalars)
    }

    /// The size of a dimension as a scalar: a number, a size that is known, or one that is read off the tensor.
    pub fn size_value(&mut self, a: ValueId, axis: usize) -> ValueId {
        match self.b.shape(a).get(axis) {
            Some(&size) if size != Dim::Symbolic(0) => self.b.index_of(size),
            _ => {
                let attrs = [("dimension", super::build::int(axis as i64))];
                let narrow = self.b.emit(OpKind::GetDimensionSize, &[a], (&[], ElementType::I32), &attrs);
                self.b.emit(OpKind::Convert, &[narrow], (&[], ElementType::I64), &[])
            }
        }
    }

    /// A StableHLO op as it is, its operands and types those of the graph that is made.
    pub fn copied(&mut self, op: &Op) -> Result<Vec<ValueId>> {
        let operands = self.operands(op)?;
        let types: Vec<Type> = op.results.iter().map(|&r| self.raw.ty(r).clone()).collect();
        let types = self.types(&types, op.location)?;
        let mut new = NewOp::new(op.kind, operands, types, self.b.location);
        new.attrs = op.attrs.clone();
        for &region in &op.regions {
            let copy = match self.raw.region(region).blocks.as_slice() {
                &[block] => {
                    let arguments = &self.raw.block(block).arguments;
                    let types: Vec<Type> = arguments.iter().map(|&a| self.raw.ty(a).clone()).collect();
                    let types = self.types(&types, op.location)?;
                    self.region(&types, |c, arguments| c.block(block, arguments))?
                }
                _ => return Err(self.malformed(op, "a region must have one block".into())),
            };
            new.regions.push(copy);
        }
        Ok(self.b.push(new))
    }

    /// The host checks that two sizes are equal.
    fn assert_equal(&mut self, a: ValueId, b: ValueId, what: &str) {
        let condition = self.b.compare("EQ", a, b);
        let mut attrs = AttrMap::default();
        attrs.set("call_target_name", Attr::String("shape_assertion".into()));
        attrs.set("error_message", Attr::String(format!("{what} needs two equal sizes, which are {{0}} and {{1}}")));
        attrs.set("has_side_effect", Attr::Bool(true));
        attrs.set("api_version", Attr::Int(2, Type::Scalar(ElementType::I32)));
        let mut call = NewOp::new(OpKind::CustomCall, vec![condition, a, b], Vec::new(), self.b.location);
        call.attrs = attrs;
        self.b.push(call);
    }
}

fn shape_of(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let a = c.operand(op, 0)?;
    let sizes = (0..c.b.rank(a)).map(|axis| c.size_value(a, axis)).collect();
    Ok(vec![c.listed(sizes)])
}

fn const_shape(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let numbers: Option<Vec<i64>> = match op.attrs.get("shape") {
        Some(Attr::Dense(id)) => {
            let constant = c.raw.constant(*id);
            let bytes = constant.to_bytes();
            Some(bytes.chunks_exact(8).filter_map(|b| Some(i64::from_le_bytes(b.try_into().ok()?))).collect())
        }
        Some(other) => other.as_ints(),
        None => None,
    };
    let Some(numbers) = numbers else { return Err(c.malformed(op, "`shape` must be a list of numbers".into())) };
    let scalars = numbers.into_iter().map(|n| c.b.index_of(Dim::Static(n))).collect();
    Ok(vec![c.listed(scalars)])
}

/// Sizes aligned at the last; a shape that lacks a dimension has a one there.
fn broadcast(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let mut result: Vec<ValueId> = Vec::new();
    for index in 0..op.operands.len() {
        let mut next = c.scalars(op, index)?;
        let (short, long) =
            if next.len() < result.len() { (&mut next, result.len()) } else { (&mut result, next.len()) };
        while short.len() < long {
            short.insert(0, c.b.index_of(Dim::Static(1)));
        }
        if index == 0 {
            result = next;
            continue;
        }
        for (size, other) in result.iter_mut().zip(next) {
            *size = match (c.b.known_index(*size), c.b.known_index(other)) {
                _ if *size == other => other,
                (Some(1), _) => other,
                (_, Some(1)) => *size,
                (Some(_), Some(_)) => *size,
                (Some(_), None) | (None, None) => {
                    c.assert_equal(other, *size, "a broadcast");
                    *size
                }
                (None, Some(_)) => {
                    c.assert_equal(*size, other, "a broadcast");
                    other
                }
            };
        }
    }
    Ok(vec![c.listed(result)])
}

fn extent(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let scalars = c.scalars(op, 0)?;
    let at = op.operands.get(1).and_then(|&raw| c.known_number(raw)).and_then(|n| usize::try_from(n).ok());
    match at.and_then(|at| scalars.get(at)) {
        Some(&size) => Ok(vec![size]),
        None => Err(c.unsupported(op, "an extent at a place that is computed".into())),
    }
}

fn count(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let mut product = c.b.index_of(Dim::Static(1));
    for size in c.scalars(op, 0)? {
        product = c.b.binary(OpKind::Multiply, product, size);
    }
    Ok(vec![product])
}

/// What must hold is checked where sizes are worked out.
fn holds(c: &mut Converter, _: &Op) -> Result<Vec<ValueId>> {
    Ok(vec![c.b.splat(&[], ElementType::I1, Number::Int(1))])
}

fn assuming(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let block = c.region_block(op, 0)?;
    c.block(block, &[])
}
