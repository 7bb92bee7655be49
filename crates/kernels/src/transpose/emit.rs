//! Loops on GPUs whose loads and stores run along different variables: through a rectangle in shared memory.
//!
//! A workgroup has a rectangle of `height` elements along the loads' variable and `width` along the last one. First its
//! threads read the crossing loads in vectors along the loads' variable and write single elements to shared memory, one
//! row of `width` elements for each place along the loads' variable; after a barrier they evaluate and store vectors
//! along the last variable, and find the crossing loads' values in shared memory. Rows are padded to an odd number of
//! 4-byte banks, and neighbouring lanes are spread over both directions so that neither side has bank conflicts. In
//! rectangles that stick out at the edges loads are moved inside, and stores left out; the others have a path without
//! guards. Where one side of a rectangle is one run of memory, see `runs`.
//!
//! Worked example: transpose of [4096, 8192] f32, rectangle 64 × 64, lanes 4, 256 threads: a subgroup reads 8 vectors
//! (128 bytes) at 4 places along the last variable, and stores 8 vectors at 4 places along the other; rows of 65
//! elements. Of bf16 a thread reads two neighbouring places and writes pairs.

use crate::transpose::schedule::TransposeSchedule;
use fornax_graph::ElementType;
use fornax_plan::{IndexId, NodeId, Store, VarId};

use super::unaligned;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value};

/// Bytes of a cache line: what a subgroup asks of one line is one request.
const LINE_BYTES: i64 = 128;

pub(super) struct Exchange {
    pub(super) s: TransposeSchedule,
    pub(super) last: VarId,
    /// Crossing loads, with what holds them in shared memory.
    pub(super) loads: Vec<(NodeId, ElementType, Value, Scalar)>,
    /// Elements from one row in shared memory to the next.
    pub(super) pitch: i64,
    /// The rectangle may stick out at the end.
    pub(super) guarded: bool,
}

/// One thread's share of the rectangle: how the items are numbered.
struct Items {
    /// Vectors along the fast direction of which neighbouring lanes take as many.
    lanes: i64,
    /// Vectors along the fast direction, and places along the other one.
    fast: i64,
    slow: i64,
    count: i64,
}

/// Emits the body.
pub fn emit(e: &mut Emitter<'_>, stores: &[Store], s: TransposeSchedule) -> Result<(), EmitError> {
    let Some(&last) = e.plan.domain.last() else { return Err(e.malformed("a loop without variables")) };
    if s.phase > 1 {
        return unaligned::emit(e, stores, s);
    }
    check(e, last, &s)?;
    if s.rectangles(e.plan) == 0 {
        return Ok(());
    }
    let nodes = e.plan.crossing_loads(s.along);
    let narrow = nodes.iter().map(|&n| e.exprs.element(n).storage_bytes() as i64).min().unwrap_or(4).min(4);
    // An odd number of banks a row, whatever the width of an element.
    let banks = (i64::from(s.width) * narrow + 3) / 4;
    let pitch = if s.store_run > 1 { i64::from(s.width) } else { (banks | 1) * 4 / narrow };
    let mut loads = Vec::new();
    for node in nodes {
        let element = e.exprs.element(node);
        let memory = e.memory_scalar(element)?;
        let array = e.abi.shared_array(&mut e.code, memory, (i64::from(s.height) * pitch) as u64);
        loads.push((node, element, array, memory));
    }
    let mut exchange = Exchange { s, last, loads, pitch, guarded: false };
    if !exchange.has_runs(e) {
        return Err(e.unfit("a rectangle whose sides are not the runs that they should be"));
    }
    let (tall, wide) = exchange.bind_rectangle(e);
    match exchange.whole(e, tall, wide) {
        None => exchange.run(e, stores, (tall, wide)),
        Some(whole) => {
            e.code.begin_if(whole, &[]);
            exchange.run(e, stores, (tall, wide))?;
            e.code.begin_else(&[]);
            exchange.guarded = true;
            exchange.run(e, stores, (tall, wide))?;
            e.code.end_if(&[]);
            Ok(())
        }
    }
}

fn check(e: &Emitter<'_>, last: VarId, s: &TransposeSchedule) -> Result<(), EmitError> {
    let extent = |v: VarId| e.exprs.indices.extent(v);
    let divides = |n: u32, of: i64| n >= 1 && of % i64::from(n) == 0;
    let fits = divides(s.load_lanes, extent(s.along))
        && divides(s.load_lanes, i64::from(s.height))
        && divides(s.store_lanes, extent(last))
        && divides(s.store_lanes, i64::from(s.width))
        && s.along != last
        && e.plan.domain.contains(&s.along)
        && s.threads.is_power_of_two()
        && s.threads >= 32
        && s.threads <= e.target.max_threads_per_block;
    if fits && e.abi.is_gpu() { Ok(()) } else { Err(e.unfit("a rectangle that does not fit its loop")) }
}

impl Items {
    /// `lanes`: adjacent vectors in a subgroup that meet no bank twice.
    fn new(vector: i64, fast_elements: i64, slow: i64, threads: i64, lanes: i64) -> Items {
        let fast = fast_elements / vector;
        let lanes = lanes.min(fast).max(1);
        let lanes = 1 << (63 - lanes.leading_zeros());
        Items { lanes, fast, slow, count: (fast * slow + threads - 1) / threads }
    }

    /// Whether some threads have one item less.
    fn partial(&self, s: &TransposeSchedule) -> bool {
        self.count * i64::from(s.threads) != self.fast * self.slow
    }

    /// Place of item `number` along the fast and the slow direction: within a block of 32 first along the fast one.
    fn place(&self, e: &mut Emitter<'_>, number: Value) -> (Value, Value) {
        let across = (32 / self.lanes).min(self.slow);
        if self.fast % self.lanes != 0 || self.slow % across != 0 {
            return (e.code.int_k("arith.remui", number, self.fast), e.code.int_k("arith.divui", number, self.fast));
        }
        let low = e.code.int_k("arith.remui", number, self.lanes);
        let rest = e.code.int_k("arith.divui", number, self.lanes);
        let slow_low = e.code.int_k("arith.remui", rest, across);
        let rest = e.code.int_k("arith.divui", rest, across);
        let blocks = self.fast / self.lanes;
        let high = e.code.int_k("arith.remui", rest, blocks);
        let slow_high = e.code.int_k("arith.divui", rest, blocks);
        let high = e.code.int_k("arith.muli", high, self.lanes);
        let slow_high = e.code.int_k("arith.muli", slow_high, across);
        (e.code.add_i(high, low), e.code.add_i(slow_high, slow_low))
    }
}

impl Exchange {
    fn run(&self, e: &mut Emitter<'_>, stores: &[Store], (tall, wide): (Value, Value)) -> Result<(), EmitError> {
        match self.s.load_run {
            0 | 1 => self.fill(e, tall, wide)?,
            _ => self.fill_run(e, wide)?,
        }
        e.abi.barrier(&mut e.code);
        match self.s.store_run {
            0 | 1 => self.store(e, stores, tall, wide),
            _ => self.store_run(e, tall),
        }
    }

    /// Whether the workgroup's rectangle lies inside; nothing to ask where rectangles divide both extents.
    fn whole(&self, e: &mut Emitter<'_>, tall: Value, wide: Value) -> Option<Value> {
        let sides = [(self.s.along, tall, self.s.height), (self.last, wide, self.s.width)];
        let mut all = None;
        for (var, start, step) in sides {
            let (extent, step) = (e.exprs.indices.extent(var), i64::from(step));
            if extent % step == 0 {
                continue;
            }
            let inside = e.code.cmp_ik("sle", start, extent - step);
            all = Some(match all {
                None => inside,
                Some(before) => e.code.and(before, inside),
            });
        }
        all
    }

    /// Binds the variables that have one value in the rectangle; returns the first places along the two others.
    fn bind_rectangle(&self, e: &mut Emitter<'_>) -> (Value, Value) {
        let index = e.index;
        let mut rest = e.abi.workgroup_id(&mut e.code, index);
        let zero = e.code.int(e.index_ty(), 0);
        let (mut tall, mut wide) = (zero, zero);
        let domain = e.plan.domain.clone();
        for (at, &var) in domain.iter().enumerate().rev() {
            let extent = e.exprs.indices.extent(var);
            let step = if var == self.s.along {
                i64::from(self.s.height)
            } else if var == self.last {
                i64::from(self.s.width)
            } else {
                1
            };
            let count = (extent + step - 1) / step;
            let number = if at == 0 { rest } else { e.next_digit(&mut rest, count) };
            let start = e.code.int_k("arith.muli", number, step);
            if var == self.s.along {
                tall = start;
            } else if var == self.last {
                wide = start;
            } else {
                e.bind(var, Some(start), 1, 0);
            }
        }
        (tall, wide)
    }

    /// Reads this thread's part of the crossing loads, all of it before anything is written.
    fn fill(&self, e: &mut Emitter<'_>, tall: Value, wide: Value) -> Result<(), EmitError> {
        let vector = i64::from(self.s.load_lanes);
        let (width, packed) = (i64::from(self.s.width), self.packed());
        let lanes = (32 / vector).max(4);
        let items = Items::new(vector, i64::from(self.s.height), width / packed, i64::from(self.s.threads), lanes);
        let thread = e.abi.thread_id(&mut e.code);
        let thread = e.code.resize_u(thread, e.index);
        e.lanes = self.s.load_lanes;
        let mut read = Vec::new();
        for c in 0..items.count {
            let number = e.code.add_ik(thread, c * i64::from(self.s.threads));
            let existing = if items.partial(&self.s) {
                let last = e.code.int(number.ty, items.fast * items.slow - 1);
                e.code.binary("arith.minui", number, last)
            } else {
                number
            };
            let (fast, slow) = items.place(e, existing);
            let mut start = e.code.int_k("arith.muli", fast, vector);
            let slow = e.code.int_k("arith.muli", slow, packed);
            if let (1, Some(&(node, element, ..))) = (vector * packed, self.loads.first()) {
                let (right, _) = self.inside(e, wide, slow, self.last, 1);
                e.bind(self.last, Some(right), 1, 0);
                e.bind(self.s.along, Some(tall), 1, 0);
                start = turned(e, start, (e.exprs.index_of(node), element), i64::from(self.s.height))?;
            }
            let (down, _) = self.inside(e, tall, start, self.s.along, vector);
            e.bind_lanes(self.s.along, Some(down), vector, 0);
            let mut values = vec![Vec::new(); self.loads.len()];
            for part in 0..packed {
                let place = e.code.add_ik(slow, part);
                let (right, _) = self.inside(e, wide, place, self.last, 1);
                e.bind(self.last, Some(right), 1, 0);
                for (&(node, element, ..), values) in self.loads.iter().zip(&mut values) {
                    let value = e.eval(node)?;
                    values.push(e.encode(element, value)?);
                }
            }
            read.push((number, start, slow, values));
        }
        for (number, start, slow, values) in read {
            let partial = items.partial(&self.s);
            if partial {
                let exists = e.code.cmp_ik("ult", number, items.fast * items.slow);
                e.code.begin_if(exists, &[]);
            }
            let row = e.code.int_k("arith.muli", start, self.pitch);
            let first = e.code.add_i(row, slow);
            for (&(_, _, array, memory), values) in self.loads.iter().zip(values) {
                for lane in 0..self.s.load_lanes {
                    let at = e.code.add_ik(first, i64::from(lane) * self.pitch);
                    let parts: Vec<Value> = values.iter().map(|&v| e.code.extract(v, lane)).collect();
                    let part = e.code.assemble(&parts);
                    self.write(e, (array, memory), at, part);
                }
            }
            if partial {
                e.code.end_if(&[]);
            }
        }
        Ok(())
    }

    /// Places along the last variable whose elements make one bank: a thread reads as many and writes them as one.
    fn packed(&self) -> i64 {
        let bytes = self.loads.iter().map(|l| i64::from(l.3.bits() / 8));
        let (least, most) = (bytes.clone().min().unwrap_or(4), bytes.max().unwrap_or(4));
        let packed = (4 / most).max(1);
        if least == most && i64::from(self.s.width) % packed == 0 && self.pitch % packed == 0 { packed } else { 1 }
    }

    /// A place along a variable, moved inside its extent, and whether it was inside; nothing to move where rectangles
    /// divide it.
    fn inside(
        &self,
        e: &mut Emitter<'_>,
        start: Value,
        offset: Value,
        var: VarId,
        lanes: i64,
    ) -> (Value, Option<Value>) {
        let extent = e.exprs.indices.extent(var);
        let step = i64::from(if var == self.last { self.s.width } else { self.s.height });
        let place = e.code.add_i(start, offset);
        if extent % step == 0 || !self.guarded {
            return (place, None);
        }
        let inside = e.code.cmp_ik("ult", place, extent);
        let end = e.code.int(place.ty, extent - lanes);
        (e.code.binary("arith.minui", place, end), Some(inside))
    }

    /// Evaluates and stores along the last variable.
    fn store(&self, e: &mut Emitter<'_>, stores: &[Store], tall: Value, wide: Value) -> Result<(), EmitError> {
        let vector = i64::from(self.s.store_lanes);
        let bytes = self.loads.iter().map(|l| i64::from(l.3.bits() / 8)).max().unwrap_or(4);
        let lanes = 32 / (vector * bytes / 4).clamp(1, 32);
        let items =
            Items::new(vector, i64::from(self.s.width), i64::from(self.s.height), i64::from(self.s.threads), lanes);
        let thread = e.abi.thread_id(&mut e.code);
        let thread = e.code.resize_u(thread, e.index);
        e.lanes = self.s.store_lanes;
        for c in 0..items.count {
            let number = e.code.add_ik(thread, c * i64::from(self.s.threads));
            let (fast, slow) = items.place(e, number);
            let mut start = e.code.int_k("arith.muli", fast, vector);
            let (down, valid_down) = self.inside(e, tall, slow, self.s.along, 1);
            if let (1, Some(store)) = (vector, stores.first()) {
                e.bind(self.s.along, Some(down), 1, 0);
                e.bind(self.last, Some(wide), 1, 0);
                let element = e.exprs.element(store.value);
                start = turned(e, start, (Some(store.offset), element), i64::from(self.s.width))?;
            }
            let (right, valid_right) = self.inside(e, wide, start, self.last, vector);
            let exists = items.partial(&self.s).then(|| e.code.cmp_ik("ult", number, items.fast * items.slow));
            let conditions: Vec<Value> = [valid_right, valid_down, exists].into_iter().flatten().collect();
            let condition = conditions.into_iter().reduce(|a, b| e.code.and(a, b));
            e.bind_lanes(self.last, Some(right), vector, 0);
            e.bind(self.s.along, Some(down), 1, 0);
            if let Some(condition) = condition {
                e.code.begin_if(condition, &[]);
            }
            let row = e.code.int_k("arith.muli", slow, self.pitch);
            let first = e.code.add_i(row, start);
            for &(node, element, array, memory) in &self.loads {
                let raw = self.read(e, array, memory, first);
                let value = e.decode(element, raw)?;
                e.provide(node, value);
            }
            let values = stores.iter().map(|s| e.eval(s.value)).collect::<Result<Vec<_>, _>>()?;
            for (store, value) in stores.iter().zip(values) {
                e.store(store.buffer, store.offset, value)?;
            }
            if condition.is_some() {
                e.code.end_if(&[]);
            }
        }
        Ok(())
    }

    /// Writes an element, or those of one bank, to shared memory.
    pub(super) fn write(&self, e: &mut Emitter<'_>, (array, memory): (Value, Scalar), at: Value, part: Value) {
        let pointer = pointer(e, array, memory, at);
        let bytes = i64::from(memory.bits() / 8) * i64::from(part.ty.lanes);
        let text = format!("llvm.store {part}, {pointer} {{alignment = {bytes} : i64}} : {}, {}", part.ty, pointer.ty);
        e.code.line(&text);
    }

    /// Neighbours in shared memory: whole banks where rows start at them, whole vectors of a run.
    pub(super) fn read(&self, e: &mut Emitter<'_>, array: Value, memory: Scalar, first: Value) -> Value {
        let ty = Ty::vector(memory, self.s.store_lanes.max(self.s.store_run));
        let bytes = i64::from(memory.bits() / 8);
        let whole = self.pitch * bytes % 4 == 0 && i64::from(self.s.store_lanes) * bytes % 4 == 0;
        let alignment = match () {
            () if self.s.store_run > 1 => i64::from(self.s.store_run) * bytes,
            () if whole => bytes.max(4),
            () => bytes,
        };
        let pointer = pointer(e, array, memory, first);
        e.code.effect(ty, &format!("llvm.load {pointer} {{alignment = {alignment} : i64}} : {} -> {ty}", pointer.ty))
    }
}

/// Of single elements, places along a row of the rectangle turned so that subgroups start where cache lines do:
/// `offset` is that of the row's first element, bound. A row of 64 f32 is then three requests instead of four.
fn turned(
    e: &mut Emitter<'_>,
    start: Value,
    (offset, element): (Option<IndexId>, ElementType),
    side: i64,
) -> Result<Value, EmitError> {
    let line = LINE_BYTES / element.storage_bytes().max(1) as i64;
    let Some(offset) = offset.filter(|_| side.count_ones() == 1 && side > line) else {
        return Ok(start);
    };
    let index = e.index(offset)?;
    let first = e.index_scalar(index);
    let skew = e.code.and_k(first, line - 1);
    let before = e.code.sub_i(start, skew);
    Ok(e.code.and_k(before, side - 1))
}

fn pointer(e: &mut Emitter<'_>, array: Value, memory: Scalar, at: Value) -> Value {
    e.code.pure(
        array.ty,
        format!("llvm.getelementptr inbounds {array}[{at}] : ({}, {}) -> {}, {memory}", array.ty, at.ty, array.ty),
    )
}
