//! NumPy's broadcasting: shapes are aligned at their ends, sizes of 1 are stretched.

use fornax_graph::{Dim, ElementType, OpKind, ValueId};
use fornax_types::Scalar;

use crate::onnx::converter::{Converter, Result};
use crate::onnx::node::Node;

impl Converter<'_> {
    /// The shape that two shapes are stretched to.
    pub fn joint_shape(&mut self, node: &Node, a: &[Dim], b: &[Dim]) -> Result<Vec<Dim>> {
        let rank = a.len().max(b.len());
        let mut shape = Vec::new();
        for d in 0..rank {
            let at = |s: &[Dim]| (d + s.len()).checked_sub(rank).and_then(|d| s.get(d).copied());
            shape.push(match (at(a), at(b)) {
                (Some(Dim::Static(1)), Some(n))
                | (Some(n), Some(Dim::Static(1)))
                | (Some(n), None)
                | (None, Some(n)) => n,
                (Some(x), Some(y)) => {
                    let is_one = |dim: Dim| self.b.graph.dim_bounds(dim).1 <= 1;
                    match (is_one(x), is_one(y)) {
                        (true, false) => self.one(node, x, y)?,
                        (false, true) => self.one(node, y, x)?,
                        _ => self.same(node, x, y)?,
                    }
                }
                (None, None) => Dim::Static(1),
            });
        }
        Ok(shape)
    }

    /// `wide`, to which a size of run time is stretched that is at most 1: the host checks that it is 1.
    fn one(&mut self, node: &Node, small: Dim, wide: Dim) -> Result<Dim> {
        self.same(node, small, Dim::Static(1))?;
        Ok(wide)
    }

    /// A value stretched to a shape.
    pub fn stretch(&mut self, a: ValueId, shape: &[Dim]) -> ValueId {
        let rank = self.b.rank(a);
        let first = shape.len().saturating_sub(rank);
        let to: Vec<usize> = (first..first + rank).collect();
        self.b.broadcast(a, &to, shape)
    }

    /// Two values in one shape.
    pub fn together(&mut self, node: &Node, a: ValueId, b: ValueId) -> Result<(ValueId, ValueId)> {
        let (x, y) = (self.b.shape(a), self.b.shape(b));
        let shape = self.joint_shape(node, &x, &y)?;
        Ok((self.stretch(a, &shape), self.stretch(b, &shape)))
    }

    /// Several values in one shape.
    pub fn all_together(&mut self, node: &Node, values: &[ValueId]) -> Result<Vec<ValueId>> {
        let mut shape = Vec::new();
        for &value in values {
            let next = self.b.shape(value);
            shape = self.joint_shape(node, &shape, &next)?;
        }
        Ok(values.iter().map(|&value| self.stretch(value, &shape)).collect())
    }

    pub fn binary(&mut self, node: &Node, kind: OpKind, a: ValueId, b: ValueId) -> Result<ValueId> {
        if self.b.element(a) != self.b.element(b) {
            let what = format!("operands of {} and {}", self.b.element(a), self.b.element(b));
            return Err(node.broken(what));
        }
        let (a, b) = self.together(node, a, b)?;
        Ok(self.b.binary(kind, a, b))
    }

    /// A number in every element, of the type of `like`.
    pub fn number(&mut self, like: ValueId, number: f64) -> ValueId {
        self.b.number_like(like, Scalar::Float(number))
    }

    /// `kind(a, number)`.
    pub fn with_number(&mut self, kind: OpKind, a: ValueId, number: f64) -> ValueId {
        let number = self.number(a, number);
        self.b.binary(kind, a, number)
    }

    pub fn add(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.b.binary(OpKind::Add, a, b)
    }

    pub fn subtract(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.b.binary(OpKind::Subtract, a, b)
    }

    pub fn multiply(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.b.binary(OpKind::Multiply, a, b)
    }

    pub fn divide(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.b.binary(OpKind::Divide, a, b)
    }

    /// The type that sums of a narrow float are held in.
    pub fn wide(&mut self, a: ValueId) -> ValueId {
        let element = self.b.element(a);
        self.b.convert(a, if element.is_narrow_float() { ElementType::F32 } else { element })
    }
}
