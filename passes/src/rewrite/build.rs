//! Making ops during a sweep: one method an op, types worked out from the operands.

use fornax_graph::{Attr, AttrMap, Constant, Dim, ElementType, NewOp, OpKind, RegionId, TensorType, Type, ValueId};
use fornax_reference::Scalar;

use super::Rewriter;

/// A list of sizes or dimensions as an attribute.
pub fn ints(values: impl AsRef<[i64]>) -> Attr {
    Attr::DenseArray(ElementType::I64, values.as_ref().to_vec())
}

/// Dimension numbers as an attribute.
pub fn dims(values: &[usize]) -> Attr {
    ints(signed(values))
}

/// `3 : i64`.
pub fn int(value: i64) -> Attr {
    Attr::Int(value.into(), Type::Scalar(ElementType::I64))
}

pub fn signed(values: &[usize]) -> Vec<i64> {
    values.iter().map(|&d| d as i64).collect()
}

/// An element in host-edge storage.
pub fn element_bytes(element: ElementType, value: Scalar) -> Vec<u8> {
    let mut bytes = vec![0; element.storage_bytes()];
    value.convert(element).write(element, &mut bytes);
    bytes
}

impl Rewriter<'_> {
    /// Type of a value that is known to be a tensor; a rank-0 stand-in otherwise.
    fn like(&self, value: ValueId) -> TensorType {
        self.tensor(value).cloned().unwrap_or_else(|| TensorType::new(&[], ElementType::I1))
    }

    /// `a` through an elementwise op that keeps the type.
    pub fn unary(&mut self, kind: OpKind, a: ValueId) -> ValueId {
        let ty = self.graph.ty(a).clone();
        self.emit(kind, &[a], ty, &[])
    }

    /// Two values of one type through an elementwise op that keeps the type.
    pub fn binary(&mut self, kind: OpKind, a: ValueId, b: ValueId) -> ValueId {
        let ty = self.graph.ty(a).clone();
        self.emit(kind, &[a, b], ty, &[])
    }

    /// `direction` is `EQ`, `NE`, `LT`, `LE`, `GT` or `GE`; floats compare as IEEE says.
    pub fn compare(&mut self, direction: &str, a: ValueId, b: ValueId) -> ValueId {
        let ty = self.like(a);
        let compare_type = match ty.element {
            e if e.is_float() || e.is_complex() => "FLOAT",
            e if e.is_unsigned() || e == ElementType::I1 => "UNSIGNED",
            _ => "SIGNED",
        };
        let attrs = [
            ("comparison_direction", Attr::Enum("comparison_direction".into(), direction.into())),
            ("compare_type", Attr::Enum("comparison_type".into(), compare_type.into())),
        ];
        self.emit(OpKind::Compare, &[a, b], Type::Tensor(ty.with_element(ElementType::I1)), &attrs)
    }

    pub fn is_finite(&mut self, a: ValueId) -> ValueId {
        let ty = self.like(a).with_element(ElementType::I1);
        self.emit(OpKind::IsFinite, &[a], Type::Tensor(ty), &[])
    }

    pub fn select(&mut self, condition: ValueId, a: ValueId, b: ValueId) -> ValueId {
        let ty = self.graph.ty(a).clone();
        self.emit(OpKind::Select, &[condition, a, b], ty, &[])
    }

    /// The value itself when it has the element type already.
    pub fn convert(&mut self, a: ValueId, element: ElementType) -> ValueId {
        let ty = self.like(a);
        if ty.element == element {
            return a;
        }
        self.emit(OpKind::Convert, &[a], Type::Tensor(ty.with_element(element)), &[])
    }

    /// Same width reinterpretation, shape unchanged.
    pub fn bitcast(&mut self, a: ValueId, element: ElementType) -> ValueId {
        let ty = self.like(a).with_element(element);
        self.emit(OpKind::BitcastConvert, &[a], Type::Tensor(ty), &[])
    }

    /// A constant, every element `value`: where a size is known at run time only, a broadcast scalar.
    pub fn splat(&mut self, ty: &TensorType, value: Scalar) -> ValueId {
        let ty = TensorType { encoding: None, ..ty.clone() };
        if ty.static_shape().is_none() {
            let scalar = self.splat(&TensorType::new(&[], ty.element), value);
            return self.broadcast(scalar, &[], &ty.shape);
        }
        self.constant(Constant::splat(ty.clone(), element_bytes(ty.element, value)))
    }

    /// A float constant of the type of `like`.
    pub(crate) fn float_like(&mut self, like: ValueId, value: f64) -> ValueId {
        let ty = self.like(like);
        self.splat(&ty, Scalar::Float(value))
    }

    /// An integer constant of the type of `like`.
    pub(crate) fn int_like(&mut self, like: ValueId, value: i128) -> ValueId {
        let ty = self.like(like);
        self.splat(&ty, Scalar::Int(value))
    }

    pub fn constant(&mut self, constant: Constant) -> ValueId {
        let ty = Type::Tensor(constant.ty.clone());
        let id = self.graph.add_constant(constant);
        self.emit(OpKind::Constant, &[], ty, &[("value", Attr::Dense(id))])
    }

    /// `stablehlo.broadcast_in_dim` to `shape`: dimension `i` of `a` is dimension `to[i]` of the result.
    pub fn broadcast(&mut self, a: ValueId, to: &[usize], shape: &[Dim]) -> ValueId {
        let ty = TensorType { shape: shape.to_vec(), element: self.like(a).element, encoding: None };
        self.emit(OpKind::BroadcastInDim, &[a], Type::Tensor(ty), &[("broadcast_dimensions", dims(to))])
    }

    /// `a` in a shape of as many elements, of numbers or of sizes.
    pub fn reshape<D: Copy + Into<Dim>>(&mut self, a: ValueId, shape: &[D]) -> ValueId {
        let shape = shape.iter().map(|&d| d.into()).collect();
        let ty = TensorType { shape, element: self.like(a).element, encoding: None };
        if self.tensor(a) == Some(&ty) {
            return a;
        }
        self.emit(OpKind::Reshape, &[a], Type::Tensor(ty), &[])
    }

    /// Dimension `d` of the result is dimension `permutation[d]` of `a`.
    pub fn transpose(&mut self, a: ValueId, permutation: &[usize]) -> ValueId {
        let from = self.like(a);
        if permutation.iter().enumerate().all(|(at, &d)| at == d) {
            return a;
        }
        let shape = permutation.iter().filter_map(|&d| from.shape.get(d).copied()).collect();
        let ty = TensorType { shape, element: from.element, encoding: None };
        self.emit(OpKind::Transpose, &[a], Type::Tensor(ty), &[("permutation", dims(permutation))])
    }

    /// Elements `start, start + stride, …` below `limit` in each dimension.
    pub fn slice(&mut self, a: ValueId, start: &[i64], limit: &[i64], strides: &[i64]) -> ValueId {
        let limit: Vec<Dim> = limit.iter().map(|&n| Dim::Static(n)).collect();
        self.slice_to(a, start, &limit, strides)
    }

    /// [`Rewriter::slice`] with limits that may be known only at run time; those lie behind the start.
    pub(crate) fn slice_to(&mut self, a: ValueId, start: &[i64], limit: &[Dim], strides: &[i64]) -> ValueId {
        let mut shape = Vec::with_capacity(start.len());
        for ((&s, &l), &n) in start.iter().zip(limit).zip(strides) {
            shape.push(match l {
                Dim::Static(l) => Dim::Static(if l > s { (l - s - 1) / n.max(1) + 1 } else { 0 }),
                Dim::Symbolic(_) => {
                    let length = self.graph.dim_sub(l, Dim::Static(s));
                    let count = self.graph.dim_ceil_div(length, Dim::Static(n.max(1)));
                    self.graph.dim_max(count, Dim::Static(0))
                }
            });
        }
        let ty = TensorType { shape, element: self.like(a).element, encoding: None };
        let attrs =
            [("start_indices", ints(start)), ("limit_indices", Attr::of_dims(limit)), ("strides", ints(strides))];
        self.emit(OpKind::Slice, &[a], Type::Tensor(ty), &attrs)
    }

    pub fn iota(&mut self, ty: &TensorType, dimension: usize) -> ValueId {
        self.emit(OpKind::Iota, &[], Type::Tensor(ty.clone()), &[("iota_dimension", int(dimension as i64))])
    }

    /// Reduction of one tensor with a binary op, from `init` (rank 0).
    pub fn reduce(&mut self, a: ValueId, init: ValueId, over: &[usize], combine: OpKind) -> ValueId {
        let from = self.like(a);
        let location = self.location();
        let region = self.reducer(combine, from.element);
        let kept = from.shape.iter().enumerate().filter(|(d, _)| !over.contains(d)).map(|(_, &n)| n).collect();
        let ty = TensorType { shape: kept, element: from.element, encoding: None };
        let mut op = NewOp::new(OpKind::Reduce, vec![a, init], vec![Type::Tensor(ty)], location);
        op.attrs.set("dimensions", dims(over));
        op.regions.push(region);
        self.insert(op)[0]
    }

    /// A region `(a, b) → combine(a, b)` on scalars.
    pub fn reducer(&mut self, combine: OpKind, element: ElementType) -> RegionId {
        let scalar = Type::tensor(&[], element);
        let region = self.graph.add_region();
        let block = self.graph.add_block(region, &[scalar.clone(), scalar.clone()]);
        let arguments = self.graph.block(block).arguments.clone();
        let location = self.location();
        let combined = self.graph.push_op(block, NewOp::new(combine, arguments, vec![scalar], location));
        let operands = self.graph.op(combined).results.clone();
        self.graph.push_op(block, NewOp::new(OpKind::Return, operands, Vec::new(), location));
        region
    }

    /// `dot_general` with the given dimensions, in the order batch, free of `a`, free of `b`.
    pub fn dot(&mut self, a: ValueId, b: ValueId, numbers: &fornax_graph::views::DotDims, attrs: &AttrMap) -> ValueId {
        let (left, right) = (self.like(a), self.like(b));
        let shape = numbers.result(&left.shape, &right.shape);
        let ty = Type::Tensor(TensorType { shape, element: left.element, encoding: None });
        let mut op = NewOp::new(OpKind::DotGeneral, vec![a, b], vec![ty], self.location());
        op.attrs = attrs.clone();
        op.attrs.set("dot_dimension_numbers", numbers.attr());
        self.insert(op)[0]
    }
}
