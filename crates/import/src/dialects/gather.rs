//! Reading a tensor at computed places, lane by lane: operands of structured ops whose maps are no projections, and
//! `tensor.extract` in a body.
//!
//! Worked example: `table[ids[i], j]` over loops `(i, j)` with `j` running over a whole dimension is one `gather` of
//! rows at `ids`, not one of single elements: an index that is a loop's own number, whole and used once, is left to the
//! slice.

use fornax_graph::{Dim, ElementType, Op, OpKind, ValueId};

use super::affine::{Affine, AffineOp};
use super::body::{Lane, Scope, union};
use super::build::{Number, ones, times};
use super::converter::{Converter, Result};

/// One index of a read.
#[derive(Clone, Debug)]
pub enum Place {
    /// The number of a loop.
    Loop(usize),
    Number(i64),
    Lane(Lane),
}

impl Converter<'_> {
    /// `tensor.extract %t[%i, %j]` in a body.
    pub fn extract_lane(&mut self, op: &Op, scope: &Scope) -> Result<Lane> {
        let Some((&tensor, indices)) = op.operands.split_first() else {
            return Err(self.malformed(op, "the tensor is missing".into()));
        };
        let tensor = match scope.env.get(&tensor) {
            Some(lane) if lane.dims.is_empty() => lane.value,
            Some(_) => return Err(self.unsupported(op, "a tensor that differs between iterations".into())),
            None => self.value(op, tensor)?,
        };
        let mut places = Vec::new();
        for (k, &index) in indices.iter().enumerate() {
            let along = self.loop_of(index).or_else(|| self.stretched_loop(index, tensor, k, scope));
            places.push(match (along, self.known_ints(index).as_deref()) {
                (Some(d), _) if d < scope.sizes.len() && scope.fixed.iter().all(|(e, _)| *e != d) => Place::Loop(d),
                (_, Some(&[number])) => Place::Number(number),
                _ => Place::Lane(self.lane(op, index, scope)?),
            });
        }
        self.read_at(op, tensor, &places, scope)
    }

    /// `select(size = 1, 0, i)`, as broadcasts of run time are written: where the loop has the size itself, that is i.
    fn stretched_loop(&self, index: ValueId, tensor: ValueId, dim: usize, scope: &Scope) -> Option<usize> {
        let defining = |raw: ValueId| self.raw.producer(raw).map(|id| self.raw.op(id));
        let select = defining(index).filter(|op| op.name == "arith.select")?;
        let &[condition, zero, number] = select.operands.as_slice() else { return None };
        let (compare, d) = (defining(condition).filter(|op| op.name == "arith.cmpi")?, self.loop_of(number)?);
        let &[size, one] = compare.operands.as_slice() else { return None };
        let known = |raw: ValueId| match scope.env.get(&raw) {
            Some(lane) => self.b.known_size(lane.value),
            None => self.known_size(raw),
        };
        let of = *self.b.shape(tensor).get(dim)?;
        let fitting = compare.attrs.int("predicate") == Some(0)
            && (known(zero), known(one), known(size)) == (Some(Dim::Static(0)), Some(Dim::Static(1)), Some(of))
            && scope.sizes.get(d) == Some(&of);
        fitting.then_some(d)
    }

    /// The elements of `tensor` at `places`, one a dimension.
    pub fn read_at(&mut self, op: &Op, tensor: ValueId, places: &[Place], scope: &Scope) -> Result<Lane> {
        let shape = self.b.shape(tensor);
        if shape.len() != places.len() {
            return Err(self.malformed(op, format!("{} indices into rank {}", places.len(), shape.len())));
        }
        let (tensor, places) = self.take_numbers(op, tensor, places)?;
        let shape = self.b.shape(tensor);
        let whole = |k: usize| match places[k] {
            Place::Loop(d) => {
                let once = places.iter().filter(|p| matches!(p, Place::Loop(e) if *e == d)).count() == 1;
                let apart = !places.iter().any(|p| matches!(p, Place::Lane(l) if l.dims.contains(&d)));
                (once && apart && scope.sizes.get(d) == shape.get(k)).then_some(d)
            }
            _ => None,
        };
        let kept: Vec<usize> = (0..places.len()).filter_map(whole).collect();
        let indexed: Vec<usize> = (0..places.len()).filter(|&k| whole(k).is_none()).collect();
        let mut lanes = Vec::new();
        for &k in &indexed {
            lanes.push(match &places[k] {
                Place::Loop(d) => self.index_lane(*d, scope),
                Place::Lane(lane) => lane.clone(),
                Place::Number(n) => {
                    Lane { value: self.b.splat(&[], ElementType::I64, Number::Int((*n).into())), dims: vec![] }
                }
            });
        }
        let mut dims = union(&lanes);
        let mut value = tensor;
        if !indexed.is_empty() {
            let vectors = self.index_vectors(&lanes, &dims, scope);
            value = self.b.gather(tensor, vectors, &indexed);
        }
        dims.extend(kept);
        Ok(self.ascending(value, &dims))
    }

    /// Slices out what is indexed by a number.
    fn take_numbers(&mut self, op: &Op, tensor: ValueId, places: &[Place]) -> Result<(ValueId, Vec<Place>)> {
        let shape = self.b.shape(tensor);
        let (mut start, mut limit) = (times(shape.len(), 0), shape.clone());
        for (k, place) in places.iter().enumerate() {
            if let Place::Number(n) = place {
                if *n < 0 || !self.b.at_most(Dim::Static(n.saturating_add(1)), shape[k], &format!("`{}`", op.name)) {
                    let size = self.b.graph.dim_text(shape[k]);
                    return Err(self.malformed(op, format!("index {n} is outside a dimension of {size}")));
                }
                (start[k], limit[k]) = (Dim::Static(*n), Dim::Static(*n + 1));
            }
        }
        let sliced = self.b.slice(tensor, &start, &limit, &ones(shape.len()));
        let is_number = |k: &usize| matches!(places[*k], Place::Number(_));
        let kept: Vec<Dim> = (0..shape.len()).filter(|k| !is_number(k)).map(|k| shape[k]).collect();
        let rest = (0..shape.len()).filter(|k| !is_number(k)).map(|k| places[k].clone()).collect();
        Ok((self.b.reshape(sliced, &kept), rest))
    }

    /// Index vectors in a new last dimension behind `dims`.
    fn index_vectors(&mut self, lanes: &[Lane], dims: &[usize], scope: &Scope) -> ValueId {
        let mut shape = scope.shape(dims);
        shape.push(Dim::Static(1));
        let mut parts = Vec::new();
        for lane in lanes {
            let spread = self.spread(lane, dims, scope);
            let wide = self.b.convert(spread, ElementType::I64);
            parts.push(self.b.reshape(wide, &shape));
        }
        self.b.concatenate(&parts, dims.len())
    }

    /// A tensor over the given loops in any order as a lane.
    pub fn ascending(&mut self, value: ValueId, dims: &[usize]) -> Lane {
        let mut order: Vec<usize> = (0..dims.len()).collect();
        order.sort_by_key(|&k| dims[k]);
        let value = self.b.transpose(value, &order);
        Lane { value, dims: order.into_iter().map(|k| dims[k]).collect() }
    }

    /// The value of an index expression, as a lane of i64.
    pub fn affine_lane(&mut self, expr: &Affine, scope: &Scope) -> Lane {
        match expr {
            Affine::Dim(d) => self.index_lane(*d, scope),
            Affine::Const(c) => {
                Lane { value: self.b.splat(&[], ElementType::I64, Number::Int((*c).into())), dims: Vec::new() }
            }
            Affine::Binary(op, x, y) => {
                let lanes = [self.affine_lane(x, scope), self.affine_lane(y, scope)];
                let dims = union(&lanes);
                let [x, y] = lanes.map(|l| self.spread(&l, &dims, scope));
                Lane { value: self.affine_op(*op, x, y), dims }
            }
        }
    }

    /// The value of an index expression of scalars.
    pub fn applied(&mut self, expr: &Affine, operands: &[ValueId]) -> ValueId {
        match expr {
            Affine::Dim(d) => operands[*d],
            Affine::Const(n) => self.b.index_of(Dim::Static(*n)),
            Affine::Binary(op, x, y) => {
                let (x, y) = (self.applied(x, operands), self.applied(y, operands));
                self.affine_op(*op, x, y)
            }
        }
    }

    fn affine_op(&mut self, op: AffineOp, x: ValueId, y: ValueId) -> ValueId {
        match op {
            AffineOp::Add => self.b.binary(OpKind::Add, x, y),
            AffineOp::Mul => self.b.binary(OpKind::Multiply, x, y),
            // Divisors and, in maps of structured ops and of sizes, dividends are not negative.
            AffineOp::FloorDiv => self.b.binary(OpKind::Divide, x, y),
            AffineOp::Mod => self.b.binary(OpKind::Remainder, x, y),
            AffineOp::CeilDiv => {
                let one = self.b.number_like(y, Number::Int(1));
                let less = self.b.binary(OpKind::Subtract, y, one);
                let sum = self.b.binary(OpKind::Add, x, less);
                self.b.binary(OpKind::Divide, sum, y)
            }
        }
    }
}
