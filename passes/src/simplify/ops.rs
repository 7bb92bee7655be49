//! Ops on tensors by short names, for expansions that are long: linear algebra, random bits, windows. Shapes are
//! numbers; functions that end in `_to` take sizes of run time as well.
//!
//! `Ops` borrows the [`Rewriter`] of a sweep, so that calls nest as formulas do: `o.sub(b, o.mul(row, x))`. Types come
//! from the operands; a scalar constant is made in the type of another value. Loops take closures that make the ops of
//! their body from the values carried; a body may read any value made before the loop.
//!
//! Worked example, 5! in a `tensor<i32>`: `o.counted(5, &[one], |o, i, c| vec![o.mul(c[0], o.add(i, one))])`.

use std::cell::RefCell;

use fornax_graph::views::DotDims;
use fornax_graph::{Attr, AttrMap, BlockId, Dim, ElementType, NewOp, OpKind, RegionId, TensorType, Type, ValueId};
use fornax_reference::Scalar;

use crate::rewrite::Rewriter;
use crate::rewrite::build::{dims, int, ints};

/// A tensor type with sizes known or not.
fn sized(sizes: &[Dim], element: ElementType) -> TensorType {
    TensorType { shape: sizes.to_vec(), element, encoding: None }
}

fn known(shape: &[i64]) -> Vec<Dim> {
    shape.iter().map(|&size| Dim::Static(size)).collect()
}

/// Makes ops before the current one of a sweep.
pub struct Ops<'r, 'g> {
    rw: RefCell<&'r mut Rewriter<'g>>,
}

impl<'r, 'g> Ops<'r, 'g> {
    pub fn new(rw: &'r mut Rewriter<'g>) -> Ops<'r, 'g> {
        Ops { rw: RefCell::new(rw) }
    }

    /// Runs `f` on the rewriter.
    pub fn with<T>(&self, f: impl FnOnce(&mut Rewriter<'g>) -> T) -> T {
        f(&mut self.rw.borrow_mut())
    }

    pub fn ty(&self, v: ValueId) -> TensorType {
        self.with(|rw| rw.tensor(v).cloned()).unwrap_or_else(|| TensorType::new(&[], ElementType::I1))
    }

    /// Sizes; empty for what is no tensor of static shape, which callers have checked.
    pub fn shape(&self, v: ValueId) -> Vec<i64> {
        self.ty(v).static_shape().unwrap_or_default()
    }

    /// Sizes, known or not.
    pub fn sizes(&self, v: ValueId) -> Vec<Dim> {
        self.ty(v).shape
    }

    pub fn element(&self, v: ValueId) -> ElementType {
        self.ty(v).element
    }

    pub fn is_complex(&self, v: ValueId) -> bool {
        self.element(v).is_complex()
    }

    /// An op of one result.
    pub fn emit(&self, kind: OpKind, operands: &[ValueId], ty: TensorType, attrs: &[(&str, Attr)]) -> ValueId {
        self.with(|rw| rw.emit(kind, operands, Type::Tensor(ty), attrs))
    }

    pub fn unary(&self, kind: OpKind, a: ValueId) -> ValueId {
        self.with(|rw| rw.unary(kind, a))
    }

    pub fn binary(&self, kind: OpKind, a: ValueId, b: ValueId) -> ValueId {
        self.with(|rw| rw.binary(kind, a, b))
    }

    pub fn add(&self, a: ValueId, b: ValueId) -> ValueId {
        self.binary(OpKind::Add, a, b)
    }

    pub fn sub(&self, a: ValueId, b: ValueId) -> ValueId {
        self.binary(OpKind::Subtract, a, b)
    }

    pub fn mul(&self, a: ValueId, b: ValueId) -> ValueId {
        self.binary(OpKind::Multiply, a, b)
    }

    pub fn div(&self, a: ValueId, b: ValueId) -> ValueId {
        self.binary(OpKind::Divide, a, b)
    }

    pub fn and(&self, a: ValueId, b: ValueId) -> ValueId {
        self.binary(OpKind::And, a, b)
    }

    pub fn or(&self, a: ValueId, b: ValueId) -> ValueId {
        self.binary(OpKind::Or, a, b)
    }

    pub fn neg(&self, a: ValueId) -> ValueId {
        self.unary(OpKind::Negate, a)
    }

    pub fn sqrt(&self, a: ValueId) -> ValueId {
        self.unary(OpKind::Sqrt, a)
    }

    /// `EQ`, `NE`, `LT`, `LE`, `GT`, `GE`.
    pub fn compare(&self, direction: &str, a: ValueId, b: ValueId) -> ValueId {
        self.with(|rw| rw.compare(direction, a, b))
    }

    pub fn select(&self, condition: ValueId, a: ValueId, b: ValueId) -> ValueId {
        self.with(|rw| rw.select(condition, a, b))
    }

    pub fn convert(&self, a: ValueId, element: ElementType) -> ValueId {
        self.with(|rw| rw.convert(a, element))
    }

    /// Every element `value`.
    pub fn splat(&self, shape: &[i64], element: ElementType, value: Scalar) -> ValueId {
        self.with(|rw| rw.splat(&TensorType::new(shape, element), value))
    }

    pub fn splat_to(&self, sizes: &[Dim], element: ElementType, value: Scalar) -> ValueId {
        self.with(|rw| rw.splat(&sized(sizes, element), value))
    }

    /// A number in the type of `like`.
    pub fn float(&self, like: ValueId, value: f64) -> ValueId {
        let ty = self.ty(like);
        self.with(|rw| rw.splat(&ty, Scalar::Float(value)))
    }

    /// An integer in the type of `like`.
    pub fn int(&self, like: ValueId, value: i64) -> ValueId {
        self.with(|rw| rw.int_like(like, value.into()))
    }

    /// A rank-0 i32.
    pub fn index(&self, value: i64) -> ValueId {
        self.splat(&[], ElementType::I32, Scalar::Int(value.into()))
    }

    /// 0, 1, … along a dimension, i32.
    pub fn iota(&self, shape: &[i64], dimension: usize) -> ValueId {
        self.iota_to(&known(shape), dimension)
    }

    pub fn iota_to(&self, sizes: &[Dim], dimension: usize) -> ValueId {
        self.with(|rw| rw.iota(&sized(sizes, ElementType::I32), dimension))
    }

    /// A size as a rank-0 i32.
    pub fn size_of(&self, size: Dim) -> ValueId {
        match size {
            Dim::Static(number) => self.index(number),
            size => {
                let long = self.splat_to(&[size], ElementType::I32, Scalar::Int(0));
                let scalar = TensorType::new(&[], ElementType::I32);
                self.emit(OpKind::GetDimensionSize, &[long], scalar, &[("dimension", int(0))])
            }
        }
    }

    /// The smaller size.
    pub fn least(&self, a: Dim, b: Dim) -> Dim {
        self.with(|rw| rw.graph.dim_min(a, b))
    }

    /// Dimension `i` of `a` becomes dimension `to[i]`.
    pub fn broadcast(&self, a: ValueId, to: &[usize], shape: &[i64]) -> ValueId {
        self.broadcast_to(a, to, &known(shape))
    }

    pub fn broadcast_to(&self, a: ValueId, to: &[usize], sizes: &[Dim]) -> ValueId {
        if self.ty(a) == sized(sizes, self.element(a)) {
            return a;
        }
        self.with(|rw| rw.broadcast(a, to, sizes))
    }

    /// Of the same rank: dimensions of size 1 are repeated. A scalar fills the shape.
    pub fn spread(&self, a: ValueId, shape: &[i64]) -> ValueId {
        self.spread_to(a, &known(shape))
    }

    pub fn spread_to(&self, a: ValueId, sizes: &[Dim]) -> ValueId {
        let rank = self.ty(a).rank();
        self.broadcast_to(a, &(0..rank).collect::<Vec<_>>(), sizes)
    }

    pub fn reshape(&self, a: ValueId, shape: &[i64]) -> ValueId {
        self.with(|rw| rw.reshape(a, shape))
    }

    pub fn reshape_to(&self, a: ValueId, sizes: &[Dim]) -> ValueId {
        self.with(|rw| rw.reshape(a, sizes))
    }

    pub fn transpose(&self, a: ValueId, permutation: &[usize]) -> ValueId {
        self.with(|rw| rw.transpose(a, permutation))
    }

    /// Positions `low..high` of a dimension.
    pub fn part(&self, a: ValueId, dimension: usize, low: i64, high: i64) -> ValueId {
        let shape = self.shape(a);
        if low == 0 && shape.get(dimension) == Some(&high) {
            return a;
        }
        let bound = |of: i64, other: &dyn Fn(i64) -> i64| -> Vec<i64> {
            shape.iter().enumerate().map(|(d, &n)| if d == dimension { of } else { other(n) }).collect()
        };
        let (start, limit) = (bound(low, &|_| 0), bound(high, &|n| n));
        self.with(|rw| rw.slice(a, &start, &limit, &vec![1; shape.len()]))
    }

    /// The first elements of a dimension, as many as `size`.
    pub fn first_to(&self, a: ValueId, dimension: usize, size: Dim) -> ValueId {
        let mut limit = self.sizes(a);
        if limit.get(dimension).is_none_or(|&whole| whole == size) {
            return a;
        }
        limit[dimension] = size;
        let ones = vec![1; limit.len()];
        let attrs = [
            ("start_indices", ints(vec![0; limit.len()])),
            ("limit_indices", Attr::of_dims(&limit)),
            ("strides", ints(&ones)),
        ];
        self.emit(OpKind::Slice, &[a], sized(&limit, self.element(a)), &attrs)
    }

    pub fn reverse(&self, a: ValueId, over: &[usize]) -> ValueId {
        self.emit(OpKind::Reverse, &[a], self.ty(a), &[("dimensions", dims(over))])
    }

    pub fn concatenate(&self, parts: &[ValueId], dimension: usize) -> ValueId {
        let mut ty = self.ty(parts[0]);
        let sizes: Vec<Dim> = parts.iter().map(|&p| self.sizes(p)[dimension]).collect();
        ty.shape[dimension] =
            sizes.into_iter().fold(Dim::Static(0), |sum, size| self.with(|rw| rw.graph.dim_add(sum, size)));
        match parts {
            &[only] => only,
            _ => self.emit(OpKind::Concatenate, parts, ty, &[("dimension", int(dimension as i64))]),
        }
    }

    /// The part of shape `sizes` at positions known at run time (rank-0 i32).
    pub fn slice_at(&self, a: ValueId, starts: &[ValueId], sizes: &[i64]) -> ValueId {
        self.slice_at_to(a, starts, &known(sizes))
    }

    pub fn slice_at_to(&self, a: ValueId, starts: &[ValueId], sizes: &[Dim]) -> ValueId {
        let ty = sized(sizes, self.element(a));
        let operands: Vec<ValueId> = [a].into_iter().chain(starts.iter().copied()).collect();
        self.emit(OpKind::DynamicSlice, &operands, ty, &[("slice_sizes", Attr::of_dims(sizes))])
    }

    /// `a` with `update` at positions known at run time.
    pub fn put_at(&self, a: ValueId, update: ValueId, starts: &[ValueId]) -> ValueId {
        let operands: Vec<ValueId> = [a, update].into_iter().chain(starts.iter().copied()).collect();
        self.emit(OpKind::DynamicUpdateSlice, &operands, self.ty(a), &[])
    }

    /// Low and high padding and what goes between elements; `fill` has rank 0.
    pub fn pad(&self, a: ValueId, fill: ValueId, [low, high, interior]: [&[i64]; 3]) -> ValueId {
        let size = |d: usize, n: i64| low[d] + high[d] + n + interior[d] * (n - 1).max(0);
        let shape: Vec<i64> = self.shape(a).iter().enumerate().map(|(d, &n)| size(d, n)).collect();
        let attrs =
            [("edge_padding_low", ints(low)), ("edge_padding_high", ints(high)), ("interior_padding", ints(interior))];
        self.emit(OpKind::Pad, &[a, fill], TensorType::new(&shape, self.element(a)), &attrs)
    }

    /// Sums over dimensions.
    pub fn sum(&self, a: ValueId, over: &[usize]) -> ValueId {
        let zero = self.splat(&[], self.element(a), Scalar::zero(self.element(a)));
        self.with(|rw| rw.reduce(a, zero, over, OpKind::Add))
    }

    /// Sums over one dimension, which stays with size 1.
    pub fn sum_keep(&self, a: ValueId, over: usize) -> ValueId {
        let mut sizes = self.sizes(a);
        sizes[over] = Dim::Static(1);
        let sum = self.sum(a, &[over]);
        self.reshape_to(sum, &sizes)
    }

    /// The extreme element over dimensions, from `init` (rank 0).
    pub fn reduce(&self, kind: OpKind, a: ValueId, init: ValueId, over: &[usize]) -> ValueId {
        self.with(|rw| rw.reduce(a, init, over, kind))
    }

    /// `[B, M, K]·[B, K, N] → [B, M, N]`.
    pub fn matmul(&self, a: ValueId, b: ValueId) -> ValueId {
        let numbers = DotDims { lhs_batch: vec![0], rhs_batch: vec![0], lhs_contract: vec![2], rhs_contract: vec![1] };
        self.with(|rw| rw.dot(a, b, &numbers, &AttrMap::default()))
    }

    /// The last two of three dimensions swapped.
    pub fn transposed(&self, a: ValueId) -> ValueId {
        self.transpose(a, &[0, 2, 1])
    }

    /// Conjugate transpose of `[B, M, N]`.
    pub fn adjoint(&self, a: ValueId) -> ValueId {
        let transposed = self.transposed(a);
        self.conj(transposed)
    }

    pub fn real(&self, z: ValueId) -> ValueId {
        let ty = self.ty(z);
        if !ty.element.is_complex() {
            return z;
        }
        self.emit(OpKind::Real, &[z], ty.with_element(ty.element.complex_part()), &[])
    }

    /// The imaginary part, zero of real numbers.
    pub fn imag(&self, z: ValueId) -> ValueId {
        let ty = self.ty(z);
        if !ty.element.is_complex() {
            return self.float(z, 0.0);
        }
        self.emit(OpKind::Imag, &[z], ty.with_element(ty.element.complex_part()), &[])
    }

    /// `re + i·im` as `element`, which may be real: `im` is dropped then.
    pub fn number(&self, re: ValueId, im: Option<ValueId>, element: ElementType) -> ValueId {
        if !element.is_complex() {
            return re;
        }
        let im = im.unwrap_or_else(|| self.float(re, 0.0));
        self.emit(OpKind::Complex, &[re, im], self.ty(re).with_element(element), &[])
    }

    pub fn conj(&self, z: ValueId) -> ValueId {
        if !self.is_complex(z) {
            return z;
        }
        let (re, im) = (self.real(z), self.imag(z));
        self.number(re, Some(self.neg(im)), self.element(z))
    }

    /// `|re|² + |im|²`, real.
    pub fn square(&self, z: ValueId) -> ValueId {
        let re = self.real(z);
        let square = self.mul(re, re);
        if !self.is_complex(z) {
            return square;
        }
        let im = self.imag(z);
        self.add(square, self.mul(im, im))
    }

    /// `|re| + |im|`, real.
    pub fn size(&self, z: ValueId) -> ValueId {
        let re = self.unary(OpKind::Abs, self.real(z));
        if !self.is_complex(z) {
            return re;
        }
        self.add(re, self.unary(OpKind::Abs, self.imag(z)))
    }

    /// `z` times a real of the same shape.
    pub fn scale(&self, z: ValueId, by: ValueId) -> ValueId {
        if !self.is_complex(z) {
            return self.mul(z, by);
        }
        let (re, im) = (self.real(z), self.imag(z));
        self.number(self.mul(re, by), Some(self.mul(im, by)), self.element(z))
    }

    /// Rows of `[B, M, N]` by number, `rows: [B, K] i32 → [B, K, N]`.
    pub fn rows(&self, a: ValueId, rows: ValueId) -> ValueId {
        let (sizes, count) = (self.sizes(a), self.sizes(rows)[1]);
        let one = Dim::Static(1);
        let mut numbers = AttrMap::default();
        numbers.set("offset_dims", dims(&[2]));
        numbers.set("collapsed_slice_dims", dims(&[1]));
        numbers.set("operand_batching_dims", dims(&[0]));
        numbers.set("start_indices_batching_dims", dims(&[0]));
        numbers.set("start_index_map", dims(&[1]));
        numbers.set("index_vector_dim", int(2));
        let attrs = [
            ("dimension_numbers", Attr::Struct("stablehlo.gather".into(), numbers)),
            ("slice_sizes", Attr::of_dims(&[one, one, sizes[2]])),
            ("indices_are_sorted", Attr::Bool(false)),
        ];
        self.emit(OpKind::Gather, &[a, rows], sized(&[sizes[0], count, sizes[2]], self.element(a)), &attrs)
    }

    /// Elements of a dimension by number, the same for all others: `at: [K] i32`.
    pub fn taken(&self, a: ValueId, at: ValueId, dimension: usize) -> ValueId {
        let mut sizes = self.sizes(a);
        let others: Vec<usize> = (0..sizes.len()).filter(|&d| d != dimension).collect();
        let mut numbers = AttrMap::default();
        numbers.set("offset_dims", dims(&others));
        numbers.set("collapsed_slice_dims", dims(&[dimension]));
        numbers.set("start_index_map", dims(&[dimension]));
        numbers.set("index_vector_dim", int(1));
        sizes[dimension] = Dim::Static(1);
        let attrs = [
            ("dimension_numbers", Attr::Struct("stablehlo.gather".into(), numbers)),
            ("slice_sizes", Attr::of_dims(&sizes)),
            ("indices_are_sorted", Attr::Bool(false)),
        ];
        sizes[dimension] = self.sizes(at)[0];
        self.emit(OpKind::Gather, &[a, at], sized(&sizes, self.element(a)), &attrs)
    }

    /// A region whose block has arguments of these types and the ops that `f` makes; `f` gives what it returns.
    pub fn region(&self, arguments: &[Type], f: impl FnOnce(&Self, &[ValueId]) -> Vec<ValueId>) -> RegionId {
        let (region, block) = self.with(|rw| {
            let region = rw.graph.add_region();
            let block = rw.graph.add_block(region, arguments);
            rw.enter(block);
            (region, block)
        });
        let values = self.with(|rw| rw.graph.block(block).arguments.clone());
        let returned = f(self, &values);
        self.with(|rw| {
            let location = rw.location();
            rw.insert(NewOp::new(OpKind::Return, returned, Vec::new(), location));
            rw.leave();
        });
        region
    }

    /// Carries values while a condition on them holds.
    pub fn repeat_while(
        &self,
        carried: &[ValueId],
        condition: impl FnOnce(&Self, &[ValueId]) -> ValueId,
        body: impl FnOnce(&Self, &[ValueId]) -> Vec<ValueId>,
    ) -> Vec<ValueId> {
        let types: Vec<Type> = carried.iter().map(|&v| self.with(|rw| rw.graph.ty(v).clone())).collect();
        let condition = self.region(&types, |o, values| vec![condition(o, values)]);
        let body = self.region(&types, body);
        self.with(|rw| {
            let mut op = NewOp::new(OpKind::While, carried.to_vec(), types, rw.location());
            op.regions = vec![condition, body];
            rw.insert(op)
        })
    }

    /// `body` for i = 0, 1, … below `count`; i is a rank-0 i32.
    pub fn counted(
        &self,
        count: i64,
        carried: &[ValueId],
        body: impl FnOnce(&Self, ValueId, &[ValueId]) -> Vec<ValueId>,
    ) -> Vec<ValueId> {
        self.counted_below(|o| o.index(count), carried, body)
    }

    pub fn counted_to(
        &self,
        count: Dim,
        carried: &[ValueId],
        body: impl FnOnce(&Self, ValueId, &[ValueId]) -> Vec<ValueId>,
    ) -> Vec<ValueId> {
        match count {
            Dim::Static(count) => self.counted(count, carried, body),
            size => {
                let count = self.size_of(size);
                self.counted_below(|_| count, carried, body)
            }
        }
    }

    /// [`Ops::counted`] up to a rank-0 i32 that `count` gives in the condition.
    pub fn counted_below(
        &self,
        count: impl FnOnce(&Self) -> ValueId,
        carried: &[ValueId],
        body: impl FnOnce(&Self, ValueId, &[ValueId]) -> Vec<ValueId>,
    ) -> Vec<ValueId> {
        let with_counter: Vec<ValueId> = [self.index(0)].into_iter().chain(carried.iter().copied()).collect();
        let below = |o: &Self, values: &[ValueId]| o.compare("LT", values[0], count(o));
        let mut made = self.repeat_while(&with_counter, below, |o, values| {
            let mut next = vec![o.add(values[0], o.index(1))];
            next.extend(body(o, values[0], &values[1..]));
            next
        });
        made.remove(0);
        made
    }

    /// Several tensors reduced together over one dimension; `combine` gets the values of both sides.
    pub fn reduce_together(
        &self,
        values: &[ValueId],
        inits: &[ValueId],
        over: usize,
        combine: impl FnOnce(&Self, &[ValueId], &[ValueId]) -> Vec<ValueId>,
    ) -> Vec<ValueId> {
        let scalars: Vec<Type> = values.iter().map(|&v| Type::tensor(&[], self.element(v))).collect();
        let arguments = [scalars.clone(), scalars].concat();
        let region = self.region(&arguments, |o, all| {
            let (left, right) = all.split_at(values.len());
            combine(o, left, right)
        });
        let result = |&v: &ValueId| {
            let mut ty = self.ty(v);
            ty.shape.remove(over);
            Type::Tensor(ty)
        };
        let types = values.iter().map(result).collect();
        self.with(|rw| {
            let mut op = NewOp::new(OpKind::Reduce, [values, inits].concat(), types, rw.location());
            op.attrs.set("dimensions", dims(&[over]));
            op.regions.push(region);
            rw.insert(op)
        })
    }

    /// Position of the largest element of `[B, N]`, the first of equals: `[B] i32`. NaN counts as infinite; -inf is not
    /// there.
    pub fn argmax(&self, a: ValueId) -> ValueId {
        let shape = self.shape(a);
        let a = self.select(self.compare("EQ", a, a), a, self.float(a, f64::INFINITY));
        let lowest = self.splat(&[], self.element(a), Scalar::Float(f64::NEG_INFINITY));
        let last = self.index(shape[1]);
        let found = self.reduce_together(&[a, self.iota(&shape, 1)], &[lowest, last], 1, |o, l, r| {
            let greater = o.compare("GT", l[0], r[0]);
            let earlier = o.and(o.compare("EQ", l[0], r[0]), o.compare("LT", l[1], r[1]));
            let left = o.or(greater, earlier);
            vec![o.select(left, l[0], r[0]), o.select(left, l[1], r[1])]
        });
        found[1]
    }
}

impl Ops<'_, '_> {
    /// `[B, N]` in stable order by `direction` (LT, GT), and where each came from (i32).
    pub fn sort_pairs(&self, values: ValueId, direction: &str) -> [ValueId; 2] {
        let ty = self.ty(values);
        let order = self.iota_to(&self.sizes(values), 1);
        let scalar = |element| Type::tensor(&[], element);
        let arguments = [ty.element, ty.element, ElementType::I32, ElementType::I32].map(scalar);
        let region = self.region(&arguments, |o, v| vec![o.compare(direction, v[0], v[1])]);
        let sorted = self.with(|rw| {
            let types = vec![Type::Tensor(ty.clone()), Type::Tensor(ty.with_element(ElementType::I32))];
            let mut op = NewOp::new(OpKind::Sort, vec![values, order], types, rw.location())
                .attr("dimension", int(1))
                .attr("is_stable", Attr::Bool(true));
            op.regions.push(region);
            rw.insert(op)
        });
        [sorted[0], sorted[1]]
    }
}

impl Rewriter<'_> {
    /// New ops go to the end of `block` until [`Rewriter::leave`].
    pub fn enter(&mut self, block: BlockId) {
        self.blocks.push(block);
    }

    pub fn leave(&mut self) {
        self.blocks.pop();
    }
}
