//! Making StableHLO ops while a foreign dialect is read: one method an op, result types worked out from the operands.
//!
//! Sizes are numbers or entries of `Graph::dims` ([`Builder::shape`]); what is known of integer scalars is kept with
//! them (`sizes`). A method that is given what does not fit makes an op that the verifier refuses, with the place of
//! the op that was read. Nothing here fails.

use std::collections::HashMap;

use fornax_graph::{
    Attr, AttrMap, BlockId, Constant, Definition, Dim, ElementType, Equalities, Graph, LocId, NewOp, OpKind, RegionId,
    TensorType, Type, ValueId,
};
/// A number on its way into a constant.
pub use fornax_types::Scalar as Number;

/// The graph that is made, and the place where ops go.
#[derive(Clone)]
pub struct Builder {
    pub graph: Graph,
    pub block: BlockId,
    pub location: LocId,
    /// Integer scalars that are sizes, as far as they are not constants.
    pub sizes: HashMap<ValueId, Dim>,
    /// Sizes that were found equal; types, attributes and `sizes` have what stands for them.
    pub equal: Equalities,
    /// The block whose arguments have symbols.
    pub entry: Option<BlockId>,
}

/// Numbers as sizes.
pub fn known(shape: &[i64]) -> Vec<Dim> {
    shape.iter().map(|&n| Dim::Static(n)).collect()
}

/// Sizes as numbers, if all are.
pub fn numbers(shape: &[Dim]) -> Option<Vec<i64>> {
    shape.iter().map(|d| d.as_static()).collect()
}

/// `n` times a number.
pub fn times(n: usize, number: i64) -> Vec<Dim> {
    vec![Dim::Static(number); n]
}

pub fn tensor_of(shape: &[Dim], element: ElementType) -> Type {
    Type::Tensor(TensorType { shape: shape.to_vec(), element, encoding: None })
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
    let mut bytes = Vec::with_capacity(element.storage_bytes());
    element.encode(number, &mut bytes);
    bytes
}

impl Builder {
    pub fn new(graph: Graph) -> Builder {
        let (block, location) = (BlockId(0), LocId(0));
        Builder { graph, block, location, sizes: HashMap::new(), equal: Equalities::default(), entry: None }
    }

    /// The block that a value is defined in.
    pub fn home(&self, value: ValueId) -> Option<BlockId> {
        match self.graph.value(value).definition {
            Definition::Result { op, .. } => Some(self.graph.op(op).block),
            Definition::Argument { block, .. } => Some(block),
        }
    }

    pub fn tensor(&self, value: ValueId) -> TensorType {
        self.graph.ty(value).as_tensor().cloned().unwrap_or_else(|| TensorType::new(&[], ElementType::I1))
    }

    pub fn shape(&self, value: ValueId) -> Vec<Dim> {
        self.tensor(value).shape
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
        (shape, element): (&[Dim], ElementType),
        attrs: &[(&str, Attr)],
    ) -> ValueId {
        let mut op = NewOp::new(kind, operands.to_vec(), vec![tensor_of(shape, element)], self.location);
        for (name, value) in attrs {
            op.attrs.set(name, value.clone());
        }
        self.push(op)[0]
    }

    pub fn unary(&mut self, kind: OpKind, a: ValueId) -> ValueId {
        let (shape, element) = (self.shape(a), self.element(a));
        self.emit(kind, &[a], (&shape, element), &[])
    }

    /// Arithmetic on sizes is done here: shapes may hang on it.
    pub fn binary(&mut self, kind: OpKind, a: ValueId, b: ValueId) -> ValueId {
        let size = match (self.known_size(a), self.known_size(b)) {
            (Some(x), Some(y)) => self.size_arithmetic(kind, self.element(a), x, y),
            _ => None,
        };
        let element = self.element(a);
        self.sized(size, element, |b_| {
            let shape = b_.shape(a);
            b_.emit(kind, &[a, b], (&shape, element), &[])
        })
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
        let size = match (self.known_size(a), self.known_size(b)) {
            (Some(x), Some(y)) => self.graph.dim_compare(direction, x, y),
            _ => None,
        };
        self.sized(size, ElementType::I1, |b_| b_.emit(OpKind::Compare, &[a, b], (&shape, ElementType::I1), &attrs))
    }

    pub fn select(&mut self, condition: ValueId, a: ValueId, b: ValueId) -> ValueId {
        let (shape, element) = (self.shape(a), self.element(a));
        let size = match (self.known_size(condition), self.known_size(a), self.known_size(b)) {
            (Some(Dim::Static(p)), ..) if shape.is_empty() => return if p != 0 { a } else { b },
            (Some(p), Some(x), Some(y)) => Some(self.graph.dim_select(p, x, y)),
            _ => None,
        };
        self.sized(size, element, |b_| b_.emit(OpKind::Select, &[condition, a, b], (&shape, element), &[]))
    }

    /// The value itself when it has the element type already.
    pub fn convert(&mut self, a: ValueId, element: ElementType) -> ValueId {
        if self.element(a) == element {
            return a;
        }
        let shape = self.shape(a);
        let size = self.known_size(a).filter(|_| element.is_integer());
        self.sized(size, element, |b| b.emit(OpKind::Convert, &[a], (&shape, element), &[]))
    }

    pub fn bitcast(&mut self, a: ValueId, element: ElementType) -> ValueId {
        if self.element(a) == element {
            return a;
        }
        let shape = self.shape(a);
        // A size is not negative: the other sign reads the same.
        let size = self.known_size(a).filter(|&size| element.is_integer() && self.graph.dim_bounds(size).0 >= 0);
        self.sized(size, element, |b| b.emit(OpKind::BitcastConvert, &[a], (&shape, element), &[]))
    }

    pub fn constant(&mut self, constant: Constant) -> ValueId {
        let ty = Type::Tensor(constant.ty.clone());
        let id = self.graph.add_constant(constant);
        let op = NewOp::new(OpKind::Constant, Vec::new(), vec![ty], self.location).attr("value", Attr::Dense(id));
        self.push(op)[0]
    }

    pub fn splat(&mut self, shape: &[Dim], element: ElementType, number: Number) -> ValueId {
        self.splat_of(shape, element, element_bytes(element, number))
    }

    /// One element everywhere.
    pub fn splat_of(&mut self, shape: &[Dim], element: ElementType, bytes: Vec<u8>) -> ValueId {
        match numbers(shape) {
            Some(shape) => self.constant(Constant::splat(TensorType::new(&shape, element), bytes)),
            None => {
                let one = self.constant(Constant::splat(TensorType::new(&[], element), bytes));
                self.broadcast(one, &[], shape)
            }
        }
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

    /// Whether every element of a value is known to be zero.
    pub fn is_zero(&self, value: ValueId) -> bool {
        let element = self.element(value);
        let negative = element.is_float().then(|| element_bytes(element, Number::Float(-0.0)));
        self.splat_bytes(value).is_some_and(|b| b.iter().all(|&x| x == 0) || Some(b) == negative)
    }

    /// Dimension `i` of `a` is dimension `to[i]` of the result.
    pub fn broadcast(&mut self, a: ValueId, to: &[usize], shape: &[Dim]) -> ValueId {
        if self.shape(a) == shape && to.iter().enumerate().all(|(i, &d)| i == d) {
            return a;
        }
        let element = self.element(a);
        self.emit(OpKind::BroadcastInDim, &[a], (shape, element), &[("broadcast_dimensions", dims(to))])
    }

    pub fn reshape(&mut self, a: ValueId, shape: &[Dim]) -> ValueId {
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
        let shape: Vec<Dim> = permutation.iter().filter_map(|&d| from.get(d).copied()).collect();
        let element = self.element(a);
        self.emit(OpKind::Transpose, &[a], (&shape, element), &[("permutation", dims(permutation))])
    }

    /// Elements `start, start + stride, …` below `limit` in each dimension.
    pub fn slice(&mut self, a: ValueId, start: &[Dim], limit: &[Dim], strides: &[i64]) -> ValueId {
        let shape: Vec<Dim> = start.iter().zip(limit).zip(strides).map(|((&s, &l), &n)| self.steps(s, l, n)).collect();
        self.slice_of(a, start, limit, strides, &shape)
    }

    /// A slice whose numbers of elements are known by another way.
    pub fn slice_of(&mut self, a: ValueId, start: &[Dim], limit: &[Dim], strides: &[i64], shape: &[Dim]) -> ValueId {
        let from = self.shape(a);
        if start.iter().all(|&s| s == Dim::Static(0)) && shape == from && strides.iter().all(|&s| s == 1) {
            return a;
        }
        let attrs = [
            ("start_indices", Attr::of_dims(start)),
            ("limit_indices", Attr::of_dims(limit)),
            ("strides", ints(strides)),
        ];
        let element = self.element(a);
        self.emit(OpKind::Slice, &[a], (shape, element), &attrs)
    }

    /// Steps from `start` that stay below `limit`.
    fn steps(&mut self, start: Dim, limit: Dim, step: i64) -> Dim {
        let room = self.graph.dim_sub(limit, start);
        let count = self.graph.dim_ceil_div(room, Dim::Static(step.max(1)));
        self.graph.dim_max(count, Dim::Static(0))
    }

    /// A slice of one dimension.
    pub fn slice_dim(&mut self, a: ValueId, dim: usize, start: Dim, limit: Dim) -> ValueId {
        let mut limits = self.shape(a);
        let mut starts = times(limits.len(), 0);
        if let (Some(s), Some(l)) = (starts.get_mut(dim), limits.get_mut(dim)) {
            (*s, *l) = (start, limit);
        }
        let strides = ones(limits.len());
        self.slice(a, &starts, &limits, &strides)
    }

    pub fn dynamic_slice(&mut self, a: ValueId, starts: &[ValueId], sizes: &[Dim]) -> ValueId {
        let mut operands = vec![a];
        operands.extend_from_slice(starts);
        let element = self.element(a);
        self.emit(OpKind::DynamicSlice, &operands, (sizes, element), &[("slice_sizes", Attr::of_dims(sizes))])
    }

    pub fn dynamic_update_slice(&mut self, a: ValueId, update: ValueId, starts: &[ValueId]) -> ValueId {
        let mut operands = vec![a, update];
        operands.extend_from_slice(starts);
        let (shape, element) = (self.shape(a), self.element(a));
        self.emit(OpKind::DynamicUpdateSlice, &operands, (&shape, element), &[])
    }

    /// `value` has rank 0; `interior` elements go between neighbours.
    pub fn pad(&mut self, a: ValueId, value: ValueId, low: &[Dim], high: &[Dim], interior: &[i64]) -> ValueId {
        let none = |list: &[Dim]| list.iter().all(|&n| n == Dim::Static(0));
        if none(low) && none(high) && interior.iter().all(|&n| n == 0) {
            return a;
        }
        let mut shape = self.shape(a);
        for (d, size) in shape.iter_mut().enumerate() {
            let inside = self.reach(*size, interior[d].saturating_add(1));
            let around = self.graph.dim_add(low[d], high[d]);
            *size = self.graph.dim_add(inside, around);
        }
        let attrs = [
            ("edge_padding_low", Attr::of_dims(low)),
            ("edge_padding_high", Attr::of_dims(high)),
            ("interior_padding", ints(interior)),
        ];
        let element = self.element(a);
        self.emit(OpKind::Pad, &[a, value], (&shape, element), &attrs)
    }

    pub fn concatenate(&mut self, parts: &[ValueId], dimension: usize) -> ValueId {
        let [first, rest @ ..] = parts else { return self.splat(&[Dim::Static(0)], ElementType::I1, Number::Int(0)) };
        if rest.is_empty() {
            return *first;
        }
        let mut shape = self.shape(*first);
        let lengths: Vec<Dim> = parts.iter().filter_map(|&p| self.shape(p).get(dimension).copied()).collect();
        if let Some(size) = shape.get_mut(dimension) {
            *size = lengths.iter().fold(Dim::Static(0), |sum, &n| self.graph.dim_add(sum, n));
        }
        let element = self.element(*first);
        self.emit(OpKind::Concatenate, parts, (&shape, element), &[("dimension", int(dimension as i64))])
    }

    pub fn iota(&mut self, shape: &[Dim], element: ElementType, dimension: usize) -> ValueId {
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
        let kept: Vec<Dim> = from.iter().enumerate().filter(|(d, _)| !over.contains(d)).map(|(_, &n)| n).collect();
        let ty = tensor_of(&kept, self.element(a));
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
        let shape: Vec<Dim> = (0..from.len()).map(|d| self.positions(window, d, from[d])).collect();
        self.reduce_window_to(a, init, region, window, &shape)
    }

    /// Windows whose numbers of places are known by another way.
    pub fn reduce_window_to(
        &mut self,
        a: ValueId,
        init: ValueId,
        region: RegionId,
        window: &Window,
        shape: &[Dim],
    ) -> ValueId {
        let mut op =
            NewOp::new(OpKind::ReduceWindow, vec![a, init], vec![tensor_of(shape, self.element(a))], self.location);
        op.attrs.set("window_dimensions", Attr::of_dims(&window.size));
        op.attrs.set("window_strides", ints(&window.strides));
        op.attrs.set("base_dilations", ints(&ones(shape.len())));
        op.attrs.set("window_dilations", ints(&window.dilations));
        op.attrs.set("padding", Attr::of_dims(&window.padding.iter().flat_map(|&(l, h)| [l, h]).collect::<Vec<_>>()));
        op.regions.push(region);
        self.push(op)[0]
    }

    /// Places of the window along a dimension of `n` elements.
    pub fn positions(&mut self, window: &Window, d: usize, n: Dim) -> Dim {
        let (low, high) = window.padding[d];
        let reach = self.reach(window.size[d], window.dilations[d]);
        let padded = self.graph.dim_add(low, high);
        let padded = self.graph.dim_add(n, padded);
        let room = self.graph.dim_sub(padded, reach);
        let steps = self.graph.dim_floor_div(room, Dim::Static(window.strides[d].max(1)));
        let count = self.graph.dim_add(steps, Dim::Static(1));
        self.graph.dim_max(count, Dim::Static(0))
    }

    /// Products summed over `contract`; the result is batch, free of `a`, free of `b`.
    pub fn dot(&mut self, a: ValueId, b: ValueId, numbers: &fornax_graph::views::DotDims, to: ElementType) -> ValueId {
        let shape = numbers.result(&self.shape(a), &self.shape(b));
        self.emit(OpKind::DotGeneral, &[a, b], (&shape, to), &[("dot_dimension_numbers", numbers.attr())])
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
        let sizes: Vec<Dim> =
            (0..from.len()).map(|d| if indexed.contains(&d) { Dim::Static(1) } else { from[d] }).collect();
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
        let attrs = [
            ("dimension_numbers", numbers),
            ("slice_sizes", Attr::of_dims(&sizes)),
            ("indices_are_sorted", Attr::Bool(false)),
        ];
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

/// A window for [`Builder::reduce_window`], one entry a dimension.
#[derive(Clone, Debug)]
pub struct Window {
    pub size: Vec<Dim>,
    pub strides: Vec<i64>,
    pub dilations: Vec<i64>,
    pub padding: Vec<(Dim, Dim)>,
}

impl Window {
    /// A window of one element.
    pub fn unit(rank: usize) -> Window {
        let none = (Dim::Static(0), Dim::Static(0));
        Window { size: times(rank, 1), strides: ones(rank), dilations: ones(rank), padding: vec![none; rank] }
    }
}

/// A type as it stands in the graph: scalars are tensors of rank 0, `index` is i64; `None` for what has no such form.
pub fn tensor_type(ty: &Type) -> Option<TensorType> {
    let fix = |element| if element == ElementType::Index { ElementType::I64 } else { element };
    match ty {
        Type::Tensor(t) if t.static_shape().is_some() => {
            Some(TensorType { shape: t.shape.clone(), element: fix(t.element), encoding: None })
        }
        Type::Scalar(element) => Some(TensorType::new(&[], fix(*element))),
        _ => None,
    }
}
