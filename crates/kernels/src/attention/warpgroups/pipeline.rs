//! The order of a warpgroup's products and exponentials over the tiles of a range.
//!
//! Two ways. *Behind*: the scores of a tile, and the product of the weights before with their values, are issued
//! together; the scores are waited for, and the weights of the tile are computed while the product runs. *Ahead*: the
//! scores of the tile after are issued too before a tile is weighed, so that the warpgroup never waits for scores;
//! there are two sets of score registers, which take turns in a loop of two tiles.
//!
//! Worked example, ahead, tiles 0‥4: products 0 and 1; weigh 0; {product 2, values 0; weigh 1} once, for an odd number;
//! {product 3, values 1; weigh 2} {product 4, values 2; weigh 3} as one turn of the loop; {values 3; weigh 4}; values
//! 4.

use super::Group;
use crate::attention::State;
use crate::attention::ranges::Ranges;
use fornax_emit::blocks::hopper::barrier::Cursor;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value};

/// Between two tiles: where the next keys and values are, the weights whose product with their values is to come, what
/// rows have so far.
struct Flight {
    key: Cursor,
    value: Cursor,
    packed: Vec<Value>,
    state: State,
}

/// Tiles that a warpgroup goes through.
#[derive(Clone, Copy)]
pub(super) struct TileRange {
    pub low: Value,
    /// Behind the last tile.
    pub high: Value,
    /// The last range of a block: the queries are given back after it.
    pub is_last: bool,
}

impl Flight {
    fn flat(&self) -> Vec<Value> {
        [&self.key.values()[..], &self.value.values(), &self.packed, &self.state.flat()].concat()
    }

    /// The same from values in the order of [`Flight::flat`], and what follows them.
    fn of(&self, e: &Emitter<'_>, flat: &[Value]) -> Result<(Flight, Vec<Value>), EmitError> {
        let lost = || e.malformed("a loop lost its values");
        let key = Cursor::of(flat).ok_or_else(lost)?;
        let value = flat.get(2..).and_then(Cursor::of).ok_or_else(lost)?;
        let packed = flat.get(4..4 + self.packed.len()).ok_or_else(lost)?.to_vec();
        let (from, n) = (4 + self.packed.len(), self.state.flat().len());
        let state = self.state.of(flat.get(from..from + n).ok_or_else(lost)?);
        Ok((Flight { key, value, packed, state }, flat[from + n..].to_vec()))
    }
}

impl Group<'_> {
    /// The tiles of a range, if there are any.
    pub(super) fn range(
        &self,
        e: &mut Emitter<'_>,
        ranges: &Ranges,
        range: TileRange,
        (state, cursor): (State, Cursor),
    ) -> Result<(State, Cursor), EmitError> {
        let mut before = cursor.values().to_vec();
        before.extend(state.flat());
        let some = e.code.cmp_i("slt", range.low, range.high);
        let result_types: Vec<Ty> = before.iter().map(|v| v.ty).collect();
        let results = e.code.begin_if(some, &result_types);
        let flight = if self.bulk.ahead {
            self.ahead(e, ranges, range, &state, cursor)?
        } else {
            self.behind(e, ranges, range, &state, cursor)?
        };
        let (after, behind) = self.land(e, flight);
        let mut yields = behind.values().to_vec();
        yields.extend(after.flat());
        e.code.begin_else(&yields);
        if range.is_last {
            self.release_query(e);
        }
        e.code.end_if(&before);
        let cursor = Cursor::of(&results).ok_or_else(|| e.malformed("a branch lost its cursor"))?;
        Ok((state.of(&results[2..]), cursor))
    }

    /// The last product of weights with values.
    fn land(&self, e: &mut Emitter<'_>, flight: Flight) -> (State, Cursor) {
        let Flight { key, value, packed, mut state } = flight;
        self.values.wait_full(&mut e.code, value);
        let out = self.accumulate(e, &state.out, &packed, value.stage);
        (state.out, _) = self.wait(e, 0, out, Vec::new(), None);
        self.release(e, self.values, value.stage);
        (state, key)
    }

    /// Scores and weights of the first tile, and nothing else.
    fn first_alone(
        &self,
        e: &mut Emitter<'_>,
        ranges: &Ranges,
        low: Value,
        state: &State,
        cursor: Cursor,
    ) -> Result<(Flight, Vec<Value>), EmitError> {
        self.keys.wait_full(&mut e.code, cursor);
        let scores = self.products(e, cursor.stage);
        let (scores, _) = self.wait(e, 0, scores, Vec::new(), None);
        self.release(e, self.keys, cursor.stage);
        let (weights, factors, mut state) = self.weigh(e, ranges, low, scores.clone(), state)?;
        self.rescale(e, &mut state, &factors);
        let packed = self.pack(e, &weights);
        let key = self.keys.advance(&mut e.code, cursor);
        Ok((Flight { key, value: cursor, packed, state }, scores))
    }

    /// At least one tile, up to the weights of the last: scores of the first; of each further one while the product of
    /// the one before runs.
    fn behind(
        &self,
        e: &mut Emitter<'_>,
        ranges: &Ranges,
        TileRange { low, high, is_last }: TileRange,
        state: &State,
        cursor: Cursor,
    ) -> Result<Flight, EmitError> {
        let (flight, _) = self.first_alone(e, ranges, low, state, cursor)?;
        let (one, from) = (e.code.int(super::I32, 1), e.code.add_ik(low, 1));
        let open = e.code.begin_for(from, high, one, &flight.flat());
        let (inside, _) = flight.of(e, &open.carried)?;
        let next = self.overlapped(e, ranges, open.iv, inside)?;
        let results = e.code.end_for(open, &next.flat());
        if is_last {
            self.release_query(e);
        }
        Ok(flight.of(e, &results)?.0)
    }

    /// Scores and weights of a tile while the product of the weights before with their values runs.
    fn overlapped(
        &self,
        e: &mut Emitter<'_>,
        ranges: &Ranges,
        tile: Value,
        Flight { key, value, packed, state }: Flight,
    ) -> Result<Flight, EmitError> {
        self.keys.wait_full(&mut e.code, key);
        if self.bulk.turns {
            // Nobody waits for copies while it is its turn.
            self.values.wait_full(&mut e.code, value);
        }
        self.await_turn(e);
        let scores = self.products(e, key.stage);
        if !self.bulk.turns {
            self.values.wait_full(&mut e.code, value);
        }
        let out = self.accumulate(e, &state.out, &packed, value.stage);
        self.pass_turn(e);
        let (scores, _) = self.wait(e, 1, scores, Vec::new(), None);
        self.release(e, self.keys, key.stage);
        let (weights, factors, mut state) = self.weigh(e, ranges, tile, scores, &state)?;
        let turned = self.values.full(&mut e.code, value.stage);
        let (out, weights) = self.wait(e, 0, out, weights, Some((turned, value.parity)));
        self.release(e, self.values, value.stage);
        let packed = self.pack(e, &weights);
        state.out = out;
        self.rescale(e, &mut state, &factors);
        let ahead = self.keys.advance(&mut e.code, key);
        Ok(Flight { key: ahead, value: key, packed, state })
    }

    /// As [`Group::behind`], with the scores of the tile after issued before a tile is weighed.
    fn ahead(
        &self,
        e: &mut Emitter<'_>,
        ranges: &Ranges,
        TileRange { low, high, is_last }: TileRange,
        state: &State,
        cursor: Cursor,
    ) -> Result<Flight, EmitError> {
        let second = e.code.add_ik(low, 1);
        let more = e.code.cmp_i("slt", second, high);
        let (like, scores) = self.first_with_next(e, ranges, (low, more), state, cursor)?;
        // Tiles that are weighed while the scores of another are computed.
        let rest = e.code.sub_i(high, low);
        let rest = e.code.add_ik(rest, -2);
        let odd = e.code.and_k(rest, 1);
        let odd = e.code.cmp_ik("eq", odd, 1);
        let odd = e.code.and(odd, more);
        let both = [like.flat(), scores].concat();
        let types: Vec<Ty> = both.iter().map(|v| v.ty).collect();
        let results = e.code.begin_if(odd, &types);
        let (flight, scores) = like.of(e, &both)?;
        let (flight, scores) = self.with_next(e, ranges, second, flight, scores)?;
        e.code.begin_else(&[flight.flat(), scores].concat());
        e.code.end_if(&both);
        let step = e.code.resize_u(odd, Scalar::I32);
        let (from, to) = (e.code.add_i(second, step), e.code.add_ik(high, -1));
        let two = e.code.int(super::I32, 2);
        let open = e.code.begin_for(from, to, two, &results);
        let (flight, scores) = like.of(e, &open.carried)?;
        let (flight, scores) = self.with_next(e, ranges, open.iv, flight, scores)?;
        let next = e.code.add_ik(open.iv, 1);
        let (flight, scores) = self.with_next(e, ranges, next, flight, scores)?;
        let results = e.code.end_for(open, &[flight.flat(), scores].concat());
        if is_last {
            self.release_query(e);
        }
        let (flight, scores) = like.of(e, &results)?;
        let types: Vec<Ty> = flight.flat().iter().map(|v| v.ty).collect();
        let unchanged = flight.flat();
        let results = e.code.begin_if(more, &types);
        let flight = self.last_alone(e, ranges, to, flight, scores)?;
        e.code.begin_else(&flight.flat());
        e.code.end_if(&unchanged);
        Ok(like.of(e, &results)?.0)
    }

    /// The first tile; where there are `more`, with the scores of the second, which are returned.
    fn first_with_next(
        &self,
        e: &mut Emitter<'_>,
        ranges: &Ranges,
        (low, more): (Value, Value),
        state: &State,
        cursor: Cursor,
    ) -> Result<(Flight, Vec<Value>), EmitError> {
        let f32s = self.k.s.columns as usize / 2;
        let mut types = vec![super::I32; 4 + f32s / 2];
        types.extend(state.flat().iter().map(|v| v.ty));
        types.extend(vec![super::F32; f32s]);
        let results = e.code.begin_if(more, &types);
        self.keys.wait_full(&mut e.code, cursor);
        let scores = self.products(e, cursor.stage);
        let next = self.keys.advance(&mut e.code, cursor);
        self.keys.wait_full(&mut e.code, next);
        let ahead = self.products(e, next.stage);
        let (scores, _) = self.wait(e, 1, scores, Vec::new(), None);
        self.release(e, self.keys, cursor.stage);
        let (weights, factors, mut after) = self.weigh(e, ranges, low, scores, state)?;
        let turned = self.keys.full(&mut e.code, next.stage);
        let (ahead, weights) = self.wait(e, 0, ahead, weights, Some((turned, next.parity)));
        self.release(e, self.keys, next.stage);
        let packed = self.pack(e, &weights);
        self.rescale(e, &mut after, &factors);
        let key = self.keys.advance(&mut e.code, next);
        let flight = Flight { key, value: cursor, packed, state: after };
        e.code.begin_else(&[flight.flat(), ahead].concat());
        let (alone, scores) = self.first_alone(e, ranges, low, state, cursor)?;
        e.code.end_if(&[alone.flat(), scores].concat());
        flight.of(e, &results)
    }

    /// Weights of a tile whose scores are there, while the scores of the next and the product of the weights before
    /// with their values run.
    fn with_next(
        &self,
        e: &mut Emitter<'_>,
        ranges: &Ranges,
        tile: Value,
        Flight { key, value, packed, state }: Flight,
        scores: Vec<Value>,
    ) -> Result<(Flight, Vec<Value>), EmitError> {
        self.keys.wait_full(&mut e.code, key);
        let ahead = self.products(e, key.stage);
        self.values.wait_full(&mut e.code, value);
        let out = self.accumulate(e, &state.out, &packed, value.stage);
        let (weights, factors, mut state) = self.weigh(e, ranges, tile, scores, &state)?;
        let turned = self.values.full(&mut e.code, value.stage);
        let running = [ahead.as_slice(), &out].concat();
        let (mut ahead_out, weights) = self.wait(e, 0, running, weights, Some((turned, value.parity)));
        state.out = ahead_out.split_off(ahead.len());
        self.release(e, self.keys, key.stage);
        self.release(e, self.values, value.stage);
        let packed = self.pack(e, &weights);
        self.rescale(e, &mut state, &factors);
        let (key, value) = (self.keys.advance(&mut e.code, key), self.values.advance(&mut e.code, value));
        Ok((Flight { key, value, packed, state }, ahead_out))
    }

    /// Weights of the last tile, while the product of the weights before with their values runs.
    fn last_alone(
        &self,
        e: &mut Emitter<'_>,
        ranges: &Ranges,
        tile: Value,
        Flight { key, value, packed, state }: Flight,
        scores: Vec<Value>,
    ) -> Result<Flight, EmitError> {
        self.values.wait_full(&mut e.code, value);
        let out = self.accumulate(e, &state.out, &packed, value.stage);
        let (weights, factors, mut state) = self.weigh(e, ranges, tile, scores, &state)?;
        let turned = self.values.full(&mut e.code, value.stage);
        let (out, weights) = self.wait(e, 0, out, weights, Some((turned, value.parity)));
        self.release(e, self.values, value.stage);
        state.out = out;
        let packed = self.pack(e, &weights);
        self.rescale(e, &mut state, &factors);
        let value = self.values.advance(&mut e.code, value);
        Ok(Flight { key, value, packed, state })
    }

    /// Weights of a tile's products; factors of the result so far; the state with new maxima and sums.
    fn weigh(
        &self,
        e: &mut Emitter<'_>,
        ranges: &Ranges,
        tile: Value,
        products: Vec<Value>,
        state: &State,
    ) -> Result<(Vec<Value>, Vec<Value>, State), EmitError> {
        let first = self.k.first_column(e, tile);
        let whole = ranges.is_whole(e, tile);
        let scores = self.k.scores(e, first, whole, vec![products])?;
        let (weights, factors, state) = self.k.softmax(e, scores, state);
        Ok((weights.concat(), factors, state))
    }

    /// Brings the result so far down to the new maxima: where that is done lazily, only if some row of the warp has
    /// one.
    fn rescale(&self, e: &mut Emitter<'_>, state: &mut State, factors: &[Value]) {
        if !self.bulk.lazy {
            state.scale(e, factors);
            return;
        }
        let mut changed = e.code.bits(Ty::scalar(Scalar::I1), 0);
        for &factor in factors {
            let other = e.code.cmp_fk("une", factor, 1.0);
            changed = e.code.or(changed, other);
        }
        let all = e.code.int(super::I32, -1);
        let any = e.code.effect(Ty::scalar(Scalar::I1), &format!("nvvm.vote.sync any {all}, {changed} -> i1"));
        let types: Vec<Ty> = state.out.iter().map(|v| v.ty).collect();
        let results = e.code.begin_if(any, &types);
        let mut scaled = state.clone();
        scaled.scale(e, factors);
        e.code.begin_else(&scaled.out);
        e.code.end_if(&state.out);
        state.out = results;
    }
}
