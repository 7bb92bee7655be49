//! Segmented folds: for every point the fold of the updates whose sorted key is the point's row.
//!
//! A thread finds where its segment starts by a binary search and where it ends by steps that double, then folds it in
//! order, several steps loaded ahead. Where points are few and segments long, the threads of a subgroup share a segment
//! and combine by lane exchange, always in the same order.
//!
//! Worked example: keys [0, 2, 2, 2, 5], row 2: the first key that is not below 2 is at 1, the first above at 4: the
//! fold of inputs 1, 2 and 3.

use fornax_graph::ElementType;
use fornax_plan::{Body, Combiner, NodeId, VarId};

use crate::emitter::{Emitter, Slot};
use crate::errors::EmitError;
use crate::text::Value;

/// Steps that are loaded before they are folded.
const AHEAD: i64 = 4;
/// Updates up to which sums of places and steps fit 31 bits; of a number that is known, since no place of an empty line
/// can be read.
const STEPPED_MAX: i64 = 1 << 29;

pub struct Segment<'a> {
    along: VarId,
    /// Updates.
    count: Value,
    key: NodeId,
    row: NodeId,
    inputs: &'a [NodeId],
    inits: &'a [NodeId],
    combiner: &'a Combiner,
    elements: Vec<ElementType>,
    lanes: u32,
    /// Threads that fold one segment.
    share: u32,
}

impl<'a> Segment<'a> {
    pub fn new(e: &mut Emitter<'a>, (lanes, share): (u32, u32)) -> Result<Segment<'a>, EmitError> {
        let plan = e.plan;
        let Body::Segment { along, key, row, inputs, inits, combiner, .. } = &plan.body else {
            return Err(e.malformed("not a segment fold"));
        };
        let elements = inits.iter().map(|&n| e.exprs.element(n)).collect();
        let count = e.extent_value(*along)?;
        Ok(Segment { along: *along, count, key: *key, row: *row, inputs, inits, combiner, elements, lanes, share })
    }
}

/// Folds the segment of the bound point, by this thread alone; sets the results.
pub fn fold(e: &mut Emitter<'_>) -> Result<(), EmitError> {
    let segment = Segment::new(e, (e.lanes, 1))?;
    let rank = e.code.int(e.index_ty(), 0);
    for (at, value) in (0..).zip(segment.folded(e, rank)?) {
        e.set_slot(Slot::Reduced(at), value);
    }
    Ok(())
}

impl Segment<'_> {
    pub fn point(
        &self,
        e: &mut Emitter<'_>,
        number: Value,
        rank: Value,
        writes: Option<Value>,
    ) -> Result<(), EmitError> {
        self.bind(e, number);
        let folded = self.folded(e, rank)?;
        if let Some(writes) = writes {
            e.code.begin_if(writes, &[]);
        }
        for (at, &value) in folded.iter().enumerate() {
            e.set_slot(Slot::Reduced(at as u32), value);
        }
        let stores = e.plan.body.stores();
        let values = stores.iter().map(|s| e.eval(s.value)).collect::<Result<Vec<_>, _>>()?;
        for (store, value) in stores.iter().zip(values) {
            e.store(store.buffer, store.offset, value)?;
        }
        if writes.is_some() {
            e.code.end_if(&[]);
        }
        Ok(())
    }

    /// The fold of the bound point's segment.
    fn folded(&self, e: &mut Emitter<'_>, rank: Value) -> Result<Vec<Value>, EmitError> {
        let zero = e.code.int(e.index_ty(), 0);
        let low = self.bound(e, (zero, self.count), "slt")?;
        let range = self.range_of_end(e, low)?;
        let high = self.bound(e, range, "sle")?;
        let folded = self.fold(e, (low, high), rank)?;
        self.exchange(e, folded)
    }

    /// Binds the domain variables to the digits of an item's number.
    fn bind(&self, e: &mut Emitter<'_>, number: Value) {
        let mut rest = number;
        let lanes = i64::from(self.lanes);
        let vars = e.plan.domain.clone();
        for (at, &var) in vars.iter().enumerate().rev() {
            let last = at + 1 == vars.len();
            let extent = e.exprs.indices.extent(var) / if last { lanes } else { 1 };
            let value = if at == 0 { rest } else { e.next_digit(&mut rest, extent) };
            if last {
                e.lanes = self.lanes;
                let base = e.code.int_k("arith.muli", value, lanes);
                e.bind_lanes(var, Some(base), lanes, 0);
            } else {
                e.bind(var, Some(value), 1, 0);
            }
        }
    }

    /// The first place of a range whose key does not compare with the row as `below` says.
    fn bound(&self, e: &mut Emitter<'_>, (low, high): (Value, Value), below: &str) -> Result<Value, EmitError> {
        let row = e.eval(self.row)?;
        let open = e.code.begin_while(&[low, high]);
        let more = e.code.cmp_i("slt", open.carried[0], open.carried[1]);
        let body = e.code.do_while(open, more);
        let sum = e.code.add_i(body.carried[0], body.carried[1]);
        let middle = e.code.shr_uk(sum, 1);
        e.bind(self.along, Some(middle), 1, 0);
        let key = e.eval(self.key)?;
        let is_below = e.code.cmp_i(below, key, row);
        let above = e.code.add_ik(middle, 1);
        let low = e.code.select(is_below, above, body.carried[0]);
        let high = e.code.select(is_below, body.carried[1], middle);
        Ok(e.code.end_for(body, &[low, high])[0])
    }

    /// Between which places a segment that starts at `low` ends: steps of 1, 2, 4, … from there, since most segments
    /// are short.
    fn range_of_end(&self, e: &mut Emitter<'_>, low: Value) -> Result<(Value, Value), EmitError> {
        let (count, extent) = (self.count, e.exprs.indices.extent(self.along));
        let sized = e.exprs.indices.run_extent(self.along).is_some();
        if sized || !(1..=STEPPED_MAX).contains(&extent) {
            return Ok((low, count));
        }
        let row = e.eval(self.row)?;
        let one = e.code.int(low.ty, 1);
        let open = e.code.begin_while(&[one]);
        let place = e.code.add_i(low, open.carried[0]);
        let place = e.code.add_ik(place, -1);
        let last = e.code.int(low.ty, extent - 1);
        let inside = e.code.cmp_i("sle", place, last);
        let place = e.code.binary("arith.minsi", place, last);
        e.bind(self.along, Some(place), 1, 0);
        let key = e.eval(self.key)?;
        let belongs = e.code.cmp_i("sle", key, row);
        let more = e.code.and(inside, belongs);
        let body = e.code.do_while(open, more);
        let next = e.code.shl_k(body.carried[0], 1);
        let step = e.code.end_for(body, &[next])[0];
        let half = e.code.shr_uk(step, 1);
        let from = e.code.add_i(low, half);
        let to = e.code.add_i(low, step);
        let to = e.code.add_ik(to, -1);
        Ok((from, e.code.binary("arith.minsi", to, count)))
    }

    fn fold(&self, e: &mut Emitter<'_>, (low, high): (Value, Value), rank: Value) -> Result<Vec<Value>, EmitError> {
        let share = i64::from(self.share);
        let index = e.index_ty();
        let mut sums = Vec::new();
        for &init in self.inits {
            let value = e.eval(init)?;
            sums.push(e.code.spread(value, self.lanes));
        }
        let start = e.code.add_i(low, rank);
        let left = e.code.sub_i(high, start);
        let left = e.code.add_ik(left, share - 1);
        let zero = e.code.int(index, 0);
        let left = e.code.binary("arith.maxsi", left, zero);
        let count = e.code.int_k("arith.divui", left, share);
        let ahead = if e.abi.is_gpu() { AHEAD } else { 1 };
        let whole = e.code.int_k("arith.divui", count, ahead);
        let whole = e.code.int_k("arith.muli", whole, ahead);
        let rounds: &[_] = if ahead == 1 { &[(zero, count, 1)] } else { &[(zero, whole, ahead), (whole, count, 1)] };
        for &(low, high, step) in rounds {
            let by = e.code.int(index, step);
            let open = e.code.begin_for(low, high, by, &sums);
            let place = e.code.int_k("arith.muli", open.iv, share);
            let place = e.code.add_i(start, place);
            let next = self.steps(e, (place, step), open.carried.clone())?;
            sums = e.code.end_for(open, &next);
        }
        Ok(sums)
    }

    fn steps(
        &self,
        e: &mut Emitter<'_>,
        (place, count): (Value, i64),
        mut sums: Vec<Value>,
    ) -> Result<Vec<Value>, EmitError> {
        let mut loaded = Vec::new();
        for at in 0..count {
            let place = e.code.add_ik(place, at * i64::from(self.share));
            e.bind(self.along, Some(place), 1, 0);
            let mut values = Vec::new();
            for &input in self.inputs {
                let value = e.eval(input)?;
                values.push(e.code.spread(value, self.lanes));
            }
            loaded.push(values);
        }
        for values in loaded {
            sums = self.combine(e, &sums, &values)?;
        }
        Ok(sums)
    }

    fn combine(&self, e: &mut Emitter<'_>, running: &[Value], incoming: &[Value]) -> Result<Vec<Value>, EmitError> {
        match self.combiner {
            Combiner::Simple(op) => {
                let mut sums = Vec::new();
                for ((&a, &b), &element) in running.iter().zip(incoming).zip(&self.elements) {
                    sums.push(e.combine(*op, element, a, b)?);
                }
                Ok(sums)
            }
            Combiner::General(results) => {
                for (at, (&a, &b)) in running.iter().zip(incoming).enumerate() {
                    e.set_slot(Slot::Running(at as u32), a);
                    e.set_slot(Slot::Incoming(at as u32), b);
                }
                let mut values = Vec::new();
                for &node in results {
                    let value = e.eval(node)?;
                    values.push(e.code.spread(value, self.lanes));
                }
                Ok(values)
            }
        }
    }

    /// Combines the sums of the threads that share a segment; all have the result.
    fn exchange(&self, e: &mut Emitter<'_>, mut sums: Vec<Value>) -> Result<Vec<Value>, EmitError> {
        let mut mask = 1;
        while mask < self.share {
            let mut others = Vec::new();
            for &sum in &sums {
                let lanes: Vec<Value> = (0..sum.ty.lanes)
                    .map(|lane| {
                        let scalar = e.code.extract(sum, lane);
                        e.abi.shuffle_xor(&mut e.code, scalar, mask)
                    })
                    .collect();
                others.push(e.code.assemble(&lanes));
            }
            sums = self.combine(e, &sums, &others)?;
            mask *= 2;
        }
        Ok(sums)
    }
}
