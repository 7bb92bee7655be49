//! `Body::Attention` on CPUs: rows in lanes, columns in blocks. See `lane_schedule`.
//!
//! A tile of rows goes through the columns that some row of it sees, block by block: `products` sums scores and results
//! in register tiles, `weights` keeps maximum and sum of every lane and makes weights of scores, `edges` turns queries
//! on the way in and results on the way out. Columns outside of bounds are left out as on GPUs (`ranges`): where the
//! constant of masked columns is finite, a tile with a row that no score lies far above it goes through the columns
//! before and after too.
//!
//! Worked example: causal, 512 rows and columns, tile of rows 64‥127, register tiles of 6 columns: groups 0‥21 of 86
//! are visible, 0‥10 of them wholly.

mod edges;
mod masks;
mod products;
mod weights;

use crate::attention::lane_schedule::AttentionLanes;
use crate::attention::lane_schedule::LanesScratch;
use fornax_plan::attention::Side;
use fornax_plan::{Attention, Body, Node, NodeId, VarId};

use fornax_emit::emitter::{Binding, Emitter};
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value};

const POINTER: Ty = Ty::scalar(Scalar::Ptr(0));
const F32_BYTES: i64 = 4;
/// Visible columns, those before, those after.
const PASSES: i64 = 3;
/// A row whose best score is this much above the constant, times log2 e and the scale, gives the constant no weight.
const FAR: f64 = 200.0;

type Emitted<T = ()> = Result<T, EmitError>;

/// One attention being emitted.
struct Lanes<'a> {
    a: &'a Attention,
    s: &'a AttentionLanes,
    scratch: LanesScratch,
    rows: i64,
    columns: i64,
    depth: i64,
    features: i64,
    /// Vectors of a tile.
    vectors: usize,
    /// Loads of the score that are transposed.
    transposed: Vec<NodeId>,
}

/// A tile of rows: the first, what divides it, and the bindings of its vectors.
struct Tile {
    start: Option<Value>,
    multiple: i64,
    offsets: Vec<i64>,
    vectors: Vec<Binding>,
}

/// What goes round the loop over blocks, a vector of rows each: the largest score, the sum of weights.
#[derive(Clone)]
struct State {
    maxima: Vec<Value>,
    sums: Vec<Value>,
}

impl State {
    fn flat(&self) -> Vec<Value> {
        [&self.maxima[..], &self.sums].concat()
    }

    fn of(&self, flat: &[Value]) -> State {
        let (maxima, sums) = flat.split_at(self.maxima.len());
        State { maxima: maxima.to_vec(), sums: sums[..self.sums.len()].to_vec() }
    }
}

/// Groups of columns that some row of a tile sees, and columns that all of its rows see.
#[derive(Clone, Copy)]
struct Visible {
    groups: (Value, Value),
    whole: Option<(Value, Value)>,
}

/// Columns of a block.
#[derive(Clone, Copy)]
struct Block {
    /// First group of columns, and the one after the last.
    groups: (Value, Value),
    first: Value,
    count: Value,
}

/// Emits the kernel.
pub fn emit(e: &mut Emitter<'_>, s: &AttentionLanes) -> Emitted {
    let plan = e.plan;
    let Body::Attention(a) = &plan.body else { return Err(e.malformed("not attention")) };
    let kernel = Lanes::new(e, a, s)?;
    let ty = e.index_ty();
    let group = e.abi.workgroup_id(&mut e.code, ty.scalar);
    let (low, high) = if plan.has_static_loops() {
        e.share_of_workgroup(group, i64::from(s.tiles), s.tiles_in_all(plan))
    } else {
        let mut total = e.code.int(ty, kernel.tiles_of_rows());
        for var in kernel.outer(e) {
            let extent = e.extent_value(var)?;
            total = e.code.mul_i(total, extent);
        }
        e.share_of_total(group, i64::from(s.tiles), total)
    };
    e.each((low, high), 1, &mut |e, number| {
        e.lanes = s.lanes;
        let done = kernel.tile(e, number);
        e.lanes = 1;
        done
    })
}

impl<'a> Lanes<'a> {
    fn new(e: &mut Emitter<'_>, a: &'a Attention, s: &'a AttentionLanes) -> Emitted<Lanes<'a>> {
        let extent = |v: VarId| e.exprs.indices.extent(v);
        let (rows, columns) = (extent(s.row), extent(a.column()));
        let (depth, features) = (extent(a.depth()), extent(a.feature));
        let counts = [s.lanes, s.vectors, s.columns, s.block, s.features, s.tiles];
        let fits = !e.abi.is_gpu()
            && counts.iter().all(|&n| n > 0)
            && s.block.is_multiple_of(s.columns)
            && [rows, depth, features].iter().all(|&n| n >= i64::from(s.lanes))
            && [s.row, a.column(), a.depth(), a.feature].iter().all(|&v| e.exprs.indices.run_extent(v).is_none())
            && a.part.is_none();
        let scratch = s.scratch(e.plan);
        if !fits || scratch.bytes > i64::from(e.target.shared_bytes_max) {
            return Err(e.unfit("a schedule of attention in lanes that no pass makes"));
        }
        let vectors = (scratch.width / i64::from(s.lanes)) as usize;
        Ok(Lanes { a, s, scratch, rows, columns, depth, features, vectors, transposed: s.transposed(e.plan) })
    }

    fn vector(&self) -> Ty {
        Ty::vector(Scalar::F32, self.s.lanes)
    }

    fn lanes(&self) -> i64 {
        i64::from(self.s.lanes)
    }

    /// log2(e) times the scale.
    fn exponent(&self) -> f64 {
        f64::from(self.a.scale()) * std::f64::consts::LOG2_E
    }

    /// The rows of one tile.
    fn tile(&self, e: &mut Emitter<'_>, number: Value) -> Emitted {
        let mut rest = number;
        let number = e.next_digit(&mut rest, self.tiles_of_rows());
        for var in self.outer(e).into_iter().rev() {
            let digit = match e.exprs.indices.run_extent(var) {
                None => {
                    let extent = e.exprs.indices.extent(var);
                    e.next_digit(&mut rest, extent)
                }
                Some(_) => {
                    let extent = e.extent_value(var)?;
                    e.next_digit_of(&mut rest, extent)
                }
            };
            e.bind(var, Some(digit), 1, 0);
        }
        let tile = self.rows_of(e, number);
        self.turn_queries(e, &tile)?;
        self.clear_results(e)?;
        let state = self.start(e);
        let state = self.passes(e, &tile, state)?;
        self.store(e, &tile, &state)
    }

    fn tiles_of_rows(&self) -> i64 {
        (self.rows + self.s.height() - 1) / self.s.height()
    }

    /// Variables that a tile has one value of.
    fn outer(&self, e: &Emitter<'_>) -> Vec<VarId> {
        e.plan.domain.iter().copied().filter(|&v| v != self.s.row && v != self.a.feature).collect()
    }

    fn rows_of(&self, e: &mut Emitter<'_>, number: Value) -> Tile {
        let (start, multiple, covered) =
            fornax_emit::blocks::tile_start::start_of(e, number, self.s.height(), self.rows, self.lanes());
        let last = covered - self.lanes();
        let offsets: Vec<i64> = (0..self.vectors as i64).map(|at| (at * self.lanes()).min(last)).collect();
        let mut vectors = Vec::with_capacity(offsets.len());
        for &offset in &offsets {
            e.bind_lanes(self.s.row, start, multiple, offset);
            vectors.extend(e.binding(self.s.row));
        }
        Tile { start, multiple, offsets, vectors }
    }

    fn start(&self, e: &mut Emitter<'_>) -> State {
        let (low, zero) = (e.code.float(self.vector(), f64::NEG_INFINITY), e.code.float(self.vector(), 0.0));
        State { maxima: vec![low; self.vectors], sums: vec![zero; self.vectors] }
    }

    /// Goes through the columns: the visible ones, and where a row needs them the others.
    fn passes(&self, e: &mut Emitter<'_>, tile: &Tile, state: State) -> Emitted<State> {
        let visible = self.visible(e, tile)?;
        if self.a.bands.is_empty() || !self.a.masked().is_finite() {
            return self.range(e, tile, visible.groups, visible.whole, state);
        }
        let ty = e.index_ty();
        let (zero, one, passes) = (e.code.int(ty, 0), e.code.int(ty, 1), e.code.int(ty, PASSES));
        let mut inits = state.flat();
        inits.push(one);
        let open = e.code.begin_for(zero, passes, one, &inits);
        let (flag, carried) = (open.carried[inits.len() - 1], open.carried[..inits.len() - 1].to_vec());
        let groups = self.of_pass(e, visible.groups, open.iv, flag);
        let after = self.range(e, tile, groups, visible.whole, state.of(&carried))?;
        let mut next = after.flat();
        next.push(self.some_row_is_low(e, &after));
        let results = e.code.end_for(open, &next);
        Ok(state.of(&results))
    }

    /// Groups of a pass: the visible ones; where `flag` says that some row needs them, those before, those after.
    fn of_pass(&self, e: &mut Emitter<'_>, (low, high): (Value, Value), pass: Value, flag: Value) -> (Value, Value) {
        let all = (self.columns + i64::from(self.s.columns) - 1) / i64::from(self.s.columns);
        let (first, end) = (e.code.int(pass.ty, 0), e.code.int(pass.ty, all));
        let (visible, before) = (e.code.cmp_ik("eq", pass, 0), e.code.cmp_ik("eq", pass, 1));
        let from = e.code.select(before, first, high);
        let from = e.code.select(visible, low, from);
        let to = e.code.select(before, low, end);
        let to = e.code.select(visible, high, to);
        let needed = e.code.cmp_ik("ne", flag, 0);
        (from, e.code.select(needed, to, from))
    }

    /// 1 where some row has no score far above the constant of masked columns.
    fn some_row_is_low(&self, e: &mut Emitter<'_>, state: &State) -> Value {
        let masked = f64::from(self.a.masked());
        let mut low = e.code.bits(Ty::scalar(Scalar::I1), 0);
        for &maximum in &state.maxima {
            let above = e.code.add_k(maximum, -masked);
            let above = e.code.mul_k(above, self.exponent());
            let far = e.code.cmp_fk("ogt", above, FAR);
            let near = e.code.not(far);
            let near = e.code.any(near);
            low = e.code.or(low, near);
        }
        e.code.resize_u(low, e.index)
    }

    /// What the bounds of the first and the last row leave of the columns.
    fn visible(&self, e: &mut Emitter<'_>, tile: &Tile) -> Emitted<Visible> {
        let (ty, width) = (e.index_ty(), i64::from(self.s.columns));
        let (zero, all) = (e.code.int(ty, 0), e.code.int(ty, self.columns));
        let up = |e: &mut Emitter<'_>, v: Value| {
            let v = e.code.add_ik(v, width - 1);
            e.code.int_k("arith.divui", v, width)
        };
        if self.a.bands.is_empty() {
            return Ok(Visible { groups: (zero, up(e, all)), whole: None });
        }
        let last = tile.offsets.last().map_or(0, |o| o + self.lanes() - 1);
        let mut ends = [(zero, all); 2];
        for band in &self.a.bands {
            for (row, end) in [0, last].into_iter().zip(&mut ends) {
                e.bind(self.s.row, tile.start, tile.multiple, row);
                let bound = e.eval(band.bound)?;
                let bound = e.code.int_k("arith.maxsi", bound, 0);
                let bound = e.code.int_k("arith.minsi", bound, self.columns);
                match band.side {
                    Side::High => end.1 = e.code.binary("arith.minsi", end.1, bound),
                    Side::Low => end.0 = e.code.binary("arith.maxsi", end.0, bound),
                }
            }
        }
        let [first, last] = ends;
        let low = e.code.binary("arith.minsi", first.0, last.0);
        let high = e.code.binary("arith.maxsi", first.1, last.1);
        let whole = (e.code.binary("arith.maxsi", first.0, last.0), e.code.binary("arith.minsi", first.1, last.1));
        let low = e.code.int_k("arith.divui", low, width);
        let high = up(e, high);
        // What comes before and what comes after have no group in common.
        let high = e.code.binary("arith.maxsi", low, high);
        Ok(Visible { groups: (low, high), whole: Some(whole) })
    }

    /// Goes through groups of columns, block by block.
    fn range(
        &self,
        e: &mut Emitter<'_>,
        tile: &Tile,
        (low, high): (Value, Value),
        whole: Option<(Value, Value)>,
        state: State,
    ) -> Emitted<State> {
        let step = i64::from(self.s.block / self.s.columns);
        let by = e.code.int(low.ty, step);
        let open = e.code.begin_for(low, high, by, &state.flat());
        let end = e.code.add_ik(open.iv, step);
        let end = e.code.binary("arith.minsi", end, high);
        let first = e.code.int_k("arith.muli", open.iv, i64::from(self.s.columns));
        let after = e.code.int_k("arith.muli", end, i64::from(self.s.columns));
        let after = e.code.int_k("arith.minsi", after, self.columns);
        let block = Block { groups: (open.iv, end), first, count: e.code.sub_i(after, first) };
        let before = state.of(&open.carried);
        self.copy(e, block)?;
        self.turn_masks(e, tile, block)?;
        let low = e.code.float(self.vector(), f64::NEG_INFINITY);
        let largest = self.scores(e, tile, block, whole, vec![low; self.vectors])?;
        let (next, factors) = self.weights(e, block, &before, &largest);
        self.results(e, block, &factors)?;
        let results = e.code.end_for(open, &next.flat());
        Ok(state.of(&results))
    }

    /// Binds the rows to a vector of the tile.
    fn use_vector(&self, e: &mut Emitter<'_>, tile: &Tile, vector: usize) {
        e.rebind(self.s.row, tile.vectors[vector]);
    }

    // Scratch ---------------------------------------------------------------------------------------------------------

    /// A pointer to element `at` of those from byte `start` of scratch on.
    fn place(&self, e: &mut Emitter<'_>, start: i64, at: Value) -> Value {
        let bytes = e.code.int_k("arith.muli", at, F32_BYTES);
        let bytes = e.code.add_ik(bytes, start);
        e.code.pure(
            POINTER,
            format!("llvm.getelementptr inbounds %scratch[{bytes}] : (!llvm.ptr, {}) -> !llvm.ptr, i8", bytes.ty),
        )
    }

    /// Vector `vector` of row `row` of a matrix of the tile's width at byte `start`.
    fn vector_place(&self, e: &mut Emitter<'_>, start: i64, row: Value, vector: usize) -> Value {
        let at = e.code.int_k("arith.muli", row, self.scratch.width);
        self.place(e, start + F32_BYTES * self.lanes() * vector as i64, at)
    }

    fn load_vector(&self, e: &mut Emitter<'_>, start: i64, row: Value, vector: usize) -> Value {
        let pointer = self.vector_place(e, start, row, vector);
        let (ty, alignment) = (self.vector(), F32_BYTES * self.lanes());
        e.code.effect(ty, &format!("llvm.load {pointer} {{alignment = {alignment} : i64}} : !llvm.ptr -> {ty}"))
    }

    fn store_vector(&self, e: &mut Emitter<'_>, start: i64, row: Value, vector: usize, value: Value) {
        let pointer = self.vector_place(e, start, row, vector);
        let (value, alignment) = (e.code.spread(value, self.s.lanes), F32_BYTES * self.lanes());
        e.code.line(&format!(
            "llvm.store {value}, {pointer} {{alignment = {alignment} : i64}} : {}, !llvm.ptr",
            value.ty
        ));
    }

    /// Is the score the product as it is?
    fn is_product(&self, e: &Emitter<'_>, node: NodeId) -> bool {
        matches!(e.exprs.node(node), Node::Reduced { .. })
    }
}
