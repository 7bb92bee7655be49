//! Rectangles of which one side is a short extent, whole: that side's part of memory is one run of neighbouring rows.
//!
//! Rows of three elements have no vectors, but what a workgroup takes of them lies densely: its vectors begin anywhere
//! in rows. Loaded, their elements go to the places that they have in the rectangle, by quotient and remainder of the
//! short extent. To be stored, the rectangle lies in shared memory as the result does in memory, and is read as such.
//!
//! Worked example, [8388608, 3] f32 to [3, 8388608]: 1024 rows are 3072 elements, 3 vectors for each of 256 threads.
//! The vector of the elements 4‥7 holds row 1, columns 1 and 2, and row 2, columns 0 and 1.

use super::emit::Exchange;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::Value;

impl Exchange {
    /// Whether the runs that the schedule asks for are ones.
    pub(super) fn has_runs(&self, e: &Emitter<'_>) -> bool {
        let (s, extent) = (self.s, |v| e.exprs.indices.extent(v));
        if s.load_run <= 1 && s.store_run <= 1 {
            return true;
        }
        let (&[(node, ..)], Some(store)) = (self.loads.as_slice(), e.plan.body.stores().first()) else { return false };
        let (tall, wide) = (i64::from(s.height), i64::from(s.width));
        let whole = |run: u32, extents: i64| tall * wide % i64::from(run) == 0 && extents % i64::from(run) == 0;
        let extents = extent(s.along) * extent(self.last);
        let apart = e.exprs.index_of(node).and_then(|offset| e.exprs.indices.stride(offset, self.last));
        let across = e.exprs.indices.stride(store.offset, s.along);
        let loads = s.load_run <= 1
            || s.load_lanes == 1 && tall == extent(s.along) && apart == Some(tall) && whole(s.load_run, extents);
        let stores = s.store_run <= 1
            || s.store_lanes == 1 && wide == extent(self.last) && across == Some(wide) && whole(s.store_run, extents);
        loads && stores && e.plan.body.stores().len() == 1 && e.plan.is_made_of(node)
    }

    /// Reads the operand's run, all of this thread's vectors before anything is written.
    pub(super) fn fill_run(&self, e: &mut Emitter<'_>, wide: Value) -> Result<(), EmitError> {
        let (run, short) = (i64::from(self.s.load_run), i64::from(self.s.height));
        let Some(&(node, element, array, memory)) = self.loads.first() else { return Ok(()) };
        let vectors = short * i64::from(self.s.width) / run;
        e.lanes = self.s.load_run;
        e.bind(self.last, Some(wide), i64::from(self.s.width), 0);
        let mut read = Vec::new();
        for c in 0..self.run_items(vectors) {
            let (number, exists) = self.run_item(e, c, vectors);
            let first = e.code.int_k("arith.muli", number, run);
            let inside = self.run_inside(e, (self.last, wide, short), first, run);
            e.bind_lanes(self.s.along, Some(inside), run, 0);
            let value = e.eval(node)?;
            read.push((first, exists, e.encode(element, value)?));
        }
        for (first, exists, value) in read {
            if let Some(exists) = exists {
                e.code.begin_if(exists, &[]);
            }
            for lane in 0..self.s.load_run {
                let place = e.code.add_ik(first, i64::from(lane));
                let (row, column) =
                    (e.code.int_k("arith.remui", place, short), e.code.int_k("arith.divui", place, short));
                let row = e.code.int_k("arith.muli", row, self.pitch);
                let at = e.code.add_i(row, column);
                let part = e.code.extract(value, lane);
                self.write(e, (array, memory), at, part);
            }
            if exists.is_some() {
                e.code.end_if(&[]);
            }
        }
        Ok(())
    }

    /// Evaluates and stores the result's run.
    pub(super) fn store_run(&self, e: &mut Emitter<'_>, tall: Value) -> Result<(), EmitError> {
        let (run, short) = (i64::from(self.s.store_run), i64::from(self.s.width));
        let (Some(&(node, element, array, memory)), Some(store)) = (self.loads.first(), e.plan.body.stores().first())
        else {
            return Ok(());
        };
        let (offset, buffer, value) = (store.offset, store.buffer, store.value);
        let vectors = short * i64::from(self.s.height) / run;
        e.lanes = self.s.store_run;
        e.bind(self.s.along, Some(tall), i64::from(self.s.height), 0);
        for c in 0..self.run_items(vectors) {
            let (number, mut exists) = self.run_item(e, c, vectors);
            let first = e.code.int_k("arith.muli", number, run);
            if self.guarded {
                let inside = self.run_inside(e, (self.s.along, tall, short), first, run);
                let own = e.code.cmp_i("eq", inside, first);
                exists = Some(exists.map_or(own, |exists| e.code.and(exists, own)));
            }
            if let Some(exists) = exists {
                e.code.begin_if(exists, &[]);
            }
            e.bind_lanes(self.last, Some(first), run, 0);
            let raw = self.read(e, array, memory, first);
            let loaded = e.decode(element, raw)?;
            e.provide(node, loaded);
            let value = e.eval(value)?;
            e.store(buffer, offset, value)?;
            if exists.is_some() {
                e.code.end_if(&[]);
            }
        }
        Ok(())
    }

    /// Vectors of a thread.
    fn run_items(&self, vectors: i64) -> i64 {
        (vectors + i64::from(self.s.threads) - 1) / i64::from(self.s.threads)
    }

    /// The number of this thread's vector `c`, and whether there is one; where not, the last one's.
    fn run_item(&self, e: &mut Emitter<'_>, c: i64, vectors: i64) -> (Value, Option<Value>) {
        let threads = i64::from(self.s.threads);
        let thread = e.abi.thread_id(&mut e.code);
        let thread = e.code.resize_u(thread, e.index);
        let number = e.code.add_ik(thread, c * threads);
        if (c + 1) * threads <= vectors {
            return (number, None);
        }
        let exists = e.code.cmp_ik("ult", number, vectors);
        let last = e.code.int(number.ty, vectors - 1);
        (e.code.binary("arith.minui", number, last), Some(exists))
    }

    /// The run's vector at `first`, or the last that lies inside where the rectangle sticks out along `var`, at
    /// `start`.
    fn run_inside(
        &self,
        e: &mut Emitter<'_>,
        (var, start, short): (fornax_plan::VarId, Value, i64),
        first: Value,
        run: i64,
    ) -> Value {
        let extent = e.exprs.indices.extent(var);
        if !self.guarded {
            return first;
        }
        let start = e.code.int_k("arith.muli", start, short);
        let end = e.code.int(first.ty, extent * short - run);
        let most = e.code.sub_i(end, start);
        e.code.binary("arith.minui", first, most)
    }
}
