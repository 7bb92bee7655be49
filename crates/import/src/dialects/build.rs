//! Making StableHLO ops while a foreign dialect is read: one method an op, result types worked out from the operands.
//!
//! Shapes are numbers throughout ([`Builder::shape`]); a method that is given what does not fit makes an op that the verifier
//! refuses, with the place of the op that was read. Nothing here fails.

use fornax_graph::scalar::encode_float;
use fornax_graph::{
    Attr, AttrMap, BlockId, Constant, Dim, ElementType, Graph, LocId, NewOp, OpKind, RegionId, TensorType, Type,
    ValueId,
};

/// A number on its way into a constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    Int(i128),
    Float(f64),
}

/// The graph that is made, and the place where ops go.
pub struct Builder {
    pub graph: Graph,
    pub block: BlockId,
    pub location: LocId,
}

pub fn ints(values: &[i64]) -> Attr {
    Attr::DenseArray(ElementType::I64, values.to_vec())
}

pub fn dims(values: &[usize]) -> Attr {
    ints(&values.iter().map(|&d| d as i64).collect::<Vec<_>>())
}

pub fn int(value: i64) -> Attr {
    Attr::Int(value.into(), Type::Scalar(ElementType::I64))
}

/// `n` ones.
pub fn ones(n: usize) -> Vec<i64> {
    vec![1; n]
}

/// An element in host-edge storage; 0 and 1 for booleans.
pub fn element_bytes(element: ElementType, number: Number) -> Vec<u8> {
    let part = element.complex_part();
    let bits: u128 = match (part.is_float(), number) {
        (true, Number::Float(value)) => encode_float(part, value).into(),
        (true, Number::Int(value)) => encode_float(part, value as f64).into(),
        (false, Number::Int(value)) if part == ElementType::I1 => u128::from(value != 0),
        (false, Number::Int(value)) => value as u128,
        (false, Number::Float(value)) => value as i128 as u128,
    };
    let mut bytes = bits.to_le_bytes()[..part.storage_bytes().min(16)].to_vec();
    bytes.resize(element.storage_bytes(), 0);
    bytes
}

impl Builder {
    pub fn tensor(&self, value: ValueId) -> TensorType {
        self.graph.ty(value).as_tensor().cloned().unwrap_or_else(|| TensorType::new(&[], ElementType::I1))
    }

    /// Sizes of a value; the importer lets only static shapes in.
    pub fn shape(&self, value: ValueId) -> Vec<i64> {
        self.tensor(value).shape.iter().map(|d| d.as_static().unwrap_or(0)).collect()
    }

    pub fn element(&self, value: ValueId) -> ElementType {
        self.tensor(value).element
    }

    pub fn rank(&self, value: ValueId) -> usize {
        self.tensor(value).rank()
    }

    pub fn push(&mut self, op: NewOp) -> Vec<ValueId> {
        let id = self.graph.push_op(self.block, op);
        self.graph.op(id).results.clone()
    }

    /// An op with one result of the given shape.
    pub fn emit(
        &mut self,
        kind: OpKind,
        operands: &[ValueId],
        (shape, element): (&[i64], ElementType),
        attrs: &[(&str, Attr)],
    ) -> ValueId {
        let mut op = NewOp::new(kind, operands.to_vec(), vec![Type::tensor(shape, element)], self.location);
        for (name, value) in attrs {
            op.attrs.set(name, value.clone());
        }
        self.push(op)[0]
    }

    pub fn unary(&mut self, kind: OpKind, a: ValueId) -> ValueId {
        let (shape, element) = (self.shape(a), self.element(a));
        self.emit(kind, &[a], (&shape, element), &[])
    }

    /// Arithmetic on sizes that are known is done here: shapes may hang on it.
    pub fn binary(&mut self, kind: OpKind, a: ValueId, b: ValueId) -> ValueId {
        if let (Some(x), Some(y)) = (self.known_index(a), self.known_index(b))
            && let Some(number) = index_arithmetic(kind, x, y)
        {
            return self.splat(&[], ElementType::I64, Number::Int(number.into()));
        }
        let (shape, element) = (self.shape(a), self.element(a));
        self.emit(kind, &[a, b], (&shape, element), &[])
    }

    /// `direction` is `EQ`, `NE`, `LT`, `LE`, `GT` or `GE`.
    pub fn compare(&mut self, direction: &str, a: ValueId, b: ValueId) -> ValueId {
        let (shape, element) = (self.shape(a), self.element(a));
        let compare_type = match element {
            e if e.is_float() || e.is_complex() => "FLOAT",
            e if e.is_unsigned() || e == ElementType::I1 => "UNSIGNED",
            _ => "SIGNED",
        };
        let attrs = [
            ("comparison_direction", Attr::Enum("comparison_direction".into(), direction.into())),
            ("compare_type", Attr::Enum("comparison_type".into(), compare_type.into())),
        ];
        self.emit(OpKind::Compare, &[a, b], (&shape, ElementType::I1), &attrs)
    }

    pub fn select(&mut self, condition: ValueId, a: ValueId, b: ValueId) -> ValueId {
        let (shape, element) = (self.shape(a), self.element(a));
        self.emit(OpKind::Select, &[condition, a, b], (&shape, element), &[])
    }

    /// The value itself when it has the element type already.
    pub fn convert(&mut self, a: ValueId, element: ElementType) -> ValueId {
        if self.element(a) == element {
            return a;
        }
        let shape = self.shape(a);
        self.emit(OpKind::Convert, &[a], (&shape, element), &[])
    }

    pub fn bitcast(&mut self, a: ValueId, element: ElementType) -> ValueId {
        if self.element(a) == element {
            return a;
        }
        let shape = self.shape(a);
        self.emit(OpKind::BitcastConvert, &[a], (&shape, element), &[])
    }

    pub fn constant(&mut self, constant: Constant) -> ValueId {
        let ty = Type::Tensor(constant.ty.clone());
        let id = self.graph.add_constant(constant);
        let op = NewOp::new(OpKind::Constant, Vec::new(), vec![ty], self.location).attr("value", Attr::Dense(id));
        self.push(op)[0]
    }

    pub fn splat(&mut self, shape: &[i64], element: ElementType, number: Number) -> ValueId {
        self.constant(Constant::splat(TensorType::new(shape, element), element_bytes(element, number)))
    }

    /// A constant of the type of `like`.
    pub fn number_like(&mut self, like: ValueId, number: Number) -> ValueId {
        let (shape, element) = (self.shape(like), self.element(like));
        self.splat(&shape, element, number)
    }

    /// The element that a value repeats, if it is known to.
    pub fn splat_bytes(&self, value: ValueId) -> Option<Vec<u8>> {
        let mut value = value;
        loop {
            let op = self.graph.op(self.graph.producer(value)?);
            match op.kind {
                OpKind::Constant => match op.attrs.get("value") {
                    Some(Attr::Dense(id)) => return self.graph.constant(*id).splat_bytes().map(<[u8]>::to_vec),
                    _ => return None,
                },
                OpKind::BroadcastInDim | OpKind::Reshape | OpKind::Transpose | OpKind::Slice => {
                    value = *op.operands.first()?;
                }
                _ => return None,
            }
        }
    }

    /// The number of an i64 of rank 0, if it is known.
    pub fn known_index(&self, value: ValueId) -> Option<i64> {
        let ty = self.graph.ty(value).as_tensor()?;
        if ty.rank() != 0 || ty.element != ElementType::I64 {
            return None;
        }
        Some(i64::from_le_bytes(self.splat_bytes(value)?.try_into().ok()?))
    }

    /// Whether every element of a value is known to be zero.
    pub fn is_zero(&self, value: ValueId) -> bool {
        let element = self.element(value);
        let negative = element.is_float().then(|| element_bytes(element, Number::Float(-0.0)));
        self.splat_bytes(value).is_some_and(|b| b.iter().all(|&x| x == 0) || Some(b) == negative)
    }

    /// Dimension `i` of `a` is dimension `to[i]` of the result.
    pub fn broadcast(&mut self, a: ValueId, to: &[usize], shape: &[i64]) -> ValueId {
        if self.shape(a) == shape && to.iter().enumerate().all(|(i, &d)| i == d) {
            return a;
        }
        let element = self.element(a);
        self.emit(OpKind::BroadcastInDim, &[a], (shape, element), &[("broadcast_dimensions", dims(to))])
    }

    pub fn reshape(&mut self, a: ValueId, shape: &[i64]) -> ValueId {
        if self.shape(a) == shape {
            return a;
        }
        let element = self.element(a);
        self.emit(OpKind::Reshape, &[a], (shape, element), &[])
    }

    /// Dimension `d` of the result is dimension `permutation[d]` of `a`.
    pub fn transpose(&mut self, a: ValueId, permutation: &[usize]) -> ValueId {
        if permutation.iter().enumerate().all(|(at, &d)| at == d) {
            return a;
        }
        let from = self.shape(a);
        let shape: Vec<i64> = permutation.iter().filter_map(|&d| from.get(d).copied()).collect();
        let element = self.element(a);
        self.emit(OpKind::Transpose, &[a], (&shape, element), &[("permutation", dims(permutation))])
    }

    /// Elements `start, start + stride, …` below `limit` in each dimension.
    pub fn slice(&mut self, a: ValueId, start: &[i64], limit: &[i64], strides: &[i64]) -> ValueId {
        let from = self.shape(a);
        if start.iter().all(|&s| s == 0) && limit == from && strides.iter().all(|&s| s == 1) {
            return a;
        }
        let count = |((&s, &l), &n): ((&i64, &i64), &i64)| {
            if l > s { l.saturating_sub(s).saturating_sub(1) / n.max(1) + 1 } else { 0 }
        };
        let shape: Vec<i64> = start.iter().zip(limit).zip(strides).map(count).collect();
        let attrs = [("start_indices", ints(start)), ("limit_indices", ints(limit)), ("strides", ints(strides))];
        let element = self.element(a);
        self.emit(OpKind::Slice, &[a], (&shape, element), &attrs)
    }

    /// A slice of one dimension.
    pub fn slice_dim(&mut self, a: ValueId, dim: usize, start: i64, limit: i64) -> ValueId {
        let mut limits = self.shape(a);
        let mut starts = vec![0; limits.len()];
        if let (Some(s), Some(l)) = (starts.get_mut(dim), limits.get_mut(dim)) {
            (*s, *l) = (start, limit);
        }
        let strides = ones(limits.len());
        self.slice(a, &starts, &limits, &strides)
    }

    pub fn dynamic_slice(&mut self, a: ValueId, starts: &[ValueId], sizes: &[i64]) -> ValueId {
        let mut operands = vec![a];
        operands.extend_from_slice(starts);
        let element = self.element(a);
        self.emit(OpKind::DynamicSlice, &operands, (sizes, element), &[("slice_sizes", ints(sizes))])
    }

    pub fn dynamic_update_slice(&mut self, a: ValueId, update: ValueId, starts: &[ValueId]) -> ValueId {
        let mut operands = vec![a, update];
        operands.extend_from_slice(starts);
        let (shape, element) = (self.shape(a), self.element(a));
        self.emit(OpKind::DynamicUpdateSlice, &operands, (&shape, element), &[])
    }

    /// `value` has rank 0; `interior` elements go between neighbours.
    pub fn pad(&mut self, a: ValueId, value: ValueId, low: &[i64], high: &[i64], interior: &[i64]) -> ValueId {
        if [low, high, interior].iter().all(|list| list.iter().all(|&n| n == 0)) {
            return a;
        }
        let from = self.shape(a);
        let around = low.iter().zip(high).map(|(l, h)| l.saturating_add(*h));
        let inside = from.iter().zip(interior).map(|(&n, &i)| n.saturating_add((n - 1).max(0).saturating_mul(i)));
        let shape: Vec<i64> = around.zip(inside).map(|(a, n)| n.saturating_add(a)).collect();
        let attrs =
            [("edge_padding_low", ints(low)), ("edge_padding_high", ints(high)), ("interior_padding", ints(interior))];
        let element = self.element(a);
        self.emit(OpKind::Pad, &[a, value], (&shape, element), &attrs)
    }

    pub fn concatenate(&mut self, parts: &[ValueId], dimension: usize) -> ValueId {
        let [first, rest @ ..] = parts else { return self.splat(&[0], ElementType::I1, Number::Int(0)) };
        if rest.is_empty() {
            return *first;
        }
        let mut shape = self.shape(*first);
        let lengths: Vec<i64> = parts.iter().map(|&p| self.shape(p).get(dimension).copied().unwrap_or(0)).collect();
        if let Some(size) = shape.get_mut(dimension) {
            *size = lengths.iter().fold(0i64, |sum, &n| sum.saturating_add(n));
        }
        let element = self.element(*first);
        self.emit(OpKind::Concatenate, parts, (&shape, element), &[("dimension", int(dimension as i64))])
    }

    pub fn iota(&mut self, shape: &[i64], element: ElementType, dimension: usize) -> ValueId {
        self.emit(OpKind::Iota, &[], (shape, element), &[("iota_dimension", int(dimension as i64))])
    }

    pub fn reverse(&mut self, a: ValueId, over: &[usize]) -> ValueId {
        let (shape, element) = (self.shape(a), self.element(a));
        self.emit(OpKind::Reverse, &[a], (&shape, element), &[("dimensions", dims(over))])
    }

    /// A region of one block; what `fill` returns is what the region gives back.
    pub fn region(
        &mut self,
        arguments: &[Type],
        fill: impl FnOnce(&mut Builder, &[ValueId]) -> Vec<ValueId>,
    ) -> RegionId {
        let region = self.graph.add_region();
        let block = self.graph.add_block(region, arguments);
        let outer = std::mem::replace(&mut self.block, block);
        let arguments = self.graph.block(block).arguments.clone();
        let results = fill(self, &arguments);
        self.push(NewOp::new(OpKind::Return, results, Vec::new(), self.location));
        self.block = outer;
        region
    }

    /// A region `(a, b) → combine(a, b)` on scalars.
    pub fn reducer(&mut self, combine: OpKind, element: ElementType) -> RegionId {
        let scalar = Type::tensor(&[], element);
        self.region(&[scalar.clone(), scalar], |b, arguments| vec![b.binary(combine, arguments[0], arguments[1])])
    }

    /// Reduces over dimensions with a region on scalars; `init` has rank 0.
    pub fn reduce_with(&mut self, a: ValueId, init: ValueId, over: &[usize], region: RegionId) -> ValueId {
        let from = self.shape(a);
        let kept: Vec<i64> = from.iter().enumerate().filter(|(d, _)| !over.contains(d)).map(|(_, &n)| n).collect();
        let ty = Type::tensor(&kept, self.element(a));
        let mut op = NewOp::new(OpKind::Reduce, vec![a, init], vec![ty], self.location).attr("dimensions", dims(over));
        op.regions.push(region);
        self.push(op)[0]
    }

    pub fn reduce(&mut self, a: ValueId, init: Number, over: &[usize], combine: OpKind) -> ValueId {
        let element = self.element(a);
        let init = self.splat(&[], element, init);
        let region = self.reducer(combine, element);
        self.reduce_with(a, init, over, region)
    }

    /// Windows over every dimension of `a`.
    pub fn reduce_window(&mut self, a: ValueId, init: ValueId, region: RegionId, window: &Window) -> ValueId {
        let from = self.shape(a);
        let shape: Vec<i64> = (0..from.len()).map(|d| window.positions(d, from[d])).collect();
        let mut op =
            NewOp::new(OpKind::ReduceWindow, vec![a, init], vec![Type::tensor(&shape, self.element(a))], self.location);
        op.attrs.set("window_dimensions", ints(&window.size));
        op.attrs.set("window_strides", ints(&window.strides));
        op.attrs.set("base_dilations", ints(&ones(from.len())));
        op.attrs.set("window_dilations", ints(&window.dilations));
        op.attrs.set("padding", ints(&window.padding.iter().flat_map(|&(l, h)| [l, h]).collect::<Vec<_>>()));
        op.regions.push(region);
        self.push(op)[0]
    }

    /// Products summed over `contract`; the result is batch, free of `a`, free of `b`.
    pub fn dot(&mut self, a: ValueId, b: ValueId, numbers: &fornax_graph::views::DotDims, to: ElementType) -> ValueId {
        let (left, right) = (self.shape(a), self.shape(b));
        let free = |shape: &[i64], taken: [&[usize]; 2]| -> Vec<i64> {
            let kept = |d: &usize| !taken.iter().any(|t| t.contains(d));
            (0..shape.len()).filter(kept).map(|d| shape[d]).collect()
        };
        let mut shape: Vec<i64> = numbers.lhs_batch.iter().filter_map(|&d| left.get(d).copied()).collect();
        shape.extend(free(&left, [&numbers.lhs_batch, &numbers.lhs_contract]));
        shape.extend(free(&right, [&numbers.rhs_batch, &numbers.rhs_contract]));
        let mut fields = AttrMap::default();
        for (name, list) in [
            ("lhs_batching_dimensions", &numbers.lhs_batch),
            ("rhs_batching_dimensions", &numbers.rhs_batch),
            ("lhs_contracting_dimensions", &numbers.lhs_contract),
            ("rhs_contracting_dimensions", &numbers.rhs_contract),
        ] {
            fields.set(name, dims(list));
        }
        let attr = Attr::Struct("stablehlo.dot".into(), fields);
        self.emit(OpKind::DotGeneral, &[a, b], (&shape, to), &[("dot_dimension_numbers", attr)])
    }

    /// Slices of `a` at the index vectors in the last dimension of `at`, one index a dimension of `indexed` (which the
    /// slices lack); the result is `at`'s other dimensions, then those of `a` that are left.
    pub fn gather(&mut self, a: ValueId, at: ValueId, indexed: &[usize]) -> ValueId {
        let (from, mut shape) = (self.shape(a), self.shape(at));
        let vector = shape.len().saturating_sub(1);
        shape.truncate(vector);
        let kept: Vec<usize> = (0..from.len()).filter(|d| !indexed.contains(d)).collect();
        let offsets: Vec<usize> = (0..kept.len()).map(|k| vector + k).collect();
        shape.extend(kept.iter().map(|&d| from[d]));
        let sizes: Vec<i64> = (0..from.len()).map(|d| if indexed.contains(&d) { 1 } else { from[d] }).collect();
        let mut collapsed = indexed.to_vec();
        collapsed.sort_unstable();
        let mut fields = AttrMap::default();
        for (name, list) in [
            ("offset_dims", &offsets),
            ("collapsed_slice_dims", &collapsed),
            ("operand_batching_dims", &Vec::new()),
            ("start_indices_batching_dims", &Vec::new()),
            ("start_index_map", &indexed.to_vec()),
        ] {
            fields.set(name, dims(list));
        }
        fields.set("index_vector_dim", int(vector as i64));
        let numbers = Attr::Struct("stablehlo.gather".into(), fields);
        let attrs =
            [("dimension_numbers", numbers), ("slice_sizes", ints(&sizes)), ("indices_are_sorted", Attr::Bool(false))];
        let element = self.element(a);
        self.emit(OpKind::Gather, &[a, at], (&shape, element), &attrs)
    }

    /// A loop: `condition` and `body` get the state, in regions that see all values outside.
    pub fn while_loop(&mut self, state: &[ValueId], condition: RegionId, body: RegionId) -> Vec<ValueId> {
        let types = state.iter().map(|&v| self.graph.ty(v).clone()).collect();
        let mut op = NewOp::new(OpKind::While, state.to_vec(), types, self.location);
        op.regions = vec![condition, body];
        self.push(op)
    }
}

fn index_arithmetic(kind: OpKind, x: i64, y: i64) -> Option<i64> {
    match kind {
        OpKind::Add => x.checked_add(y),
        OpKind::Subtract => x.checked_sub(y),
        OpKind::Multiply => x.checked_mul(y),
        OpKind::Divide => x.checked_div(y),
        OpKind::Remainder => x.checked_rem(y),
        OpKind::Maximum => Some(x.max(y)),
        OpKind::Minimum => Some(x.min(y)),
        _ => None,
    }
}

/// A window for [`Builder::reduce_window`], one entry a dimension.
#[derive(Clone, Debug)]
pub struct Window {
    pub size: Vec<i64>,
    pub strides: Vec<i64>,
    pub dilations: Vec<i64>,
    pub padding: Vec<(i64, i64)>,
}

impl Window {
    /// A window of one element.
    pub fn unit(rank: usize) -> Window {
        Window { size: ones(rank), strides: ones(rank), dilations: ones(rank), padding: vec![(0, 0); rank] }
    }

    /// Places of the window along a dimension of `n` elements.
    pub fn positions(&self, d: usize, n: i64) -> i64 {
        let (low, high) = self.padding[d];
        let reach = (self.size[d] - 1).saturating_mul(self.dilations[d]).saturating_add(1);
        let room = n.saturating_add(low).saturating_add(high).saturating_sub(reach);
        if room < 0 { 0 } else { room / self.strides[d].max(1) + 1 }
    }
}

/// A type as it stands in the graph: scalars are tensors of rank 0, `index` is i64; `None` for what has no such form.
pub fn tensor_type(ty: &Type) -> Option<TensorType> {
    let fix = |element| if element == ElementType::Index { ElementType::I64 } else { element };
    match ty {
        Type::Tensor(t) if t.shape.iter().all(|d| matches!(d, Dim::Static(_))) => {
            Some(TensorType { shape: t.shape.clone(), element: fix(t.element), encoding: None })
        }
        Type::Scalar(element) => Some(TensorType::new(&[], fix(*element))),
        _ => None,
    }
}
