//! Prefix folds of lines that are adjacent (cumulative sums of columns): every element is read once and written
//! once.
//!
//! A workgroup has as many neighbouring lines, or vectors of them, as an access covers, from one end to the other. Its
//! threads stand in rows: those of a row have a line each, the rows stretches of the same lines. In a round each thread
//! loads its stretch, all of it before anything is folded, the rows exchange the folds of their stretches through
//! shared memory, in two arrays by turns so that a round has one barrier, and what the rounds before gave is carried
//! along.
//!
//! Worked example: columns of [4096, 16384] f32, 256 threads, 32 next to each other, 16 loads: 512 workgroups of 32
//! columns; 8 rows of threads take 16 elements each, 128 of a column in a round, 32 rounds; an access is 128 bytes.

use crate::scan::schedule::ScanSchedule;

use super::emit::Scan;
use fornax_emit::blocks::shared::{read_shared, write_shared};
use fornax_emit::emitter::{Binding, Emitter};
use fornax_emit::errors::EmitError;
use fornax_emit::text::Value;

/// A thread's place: its number in its row, the number of its row, both as indices, and how many rows there are.
struct Place {
    column: Value,
    row: Value,
    thread: Value,
    rows: i64,
    width: i64,
}

impl Scan<'_> {
    /// Emits the body.
    pub(super) fn columns(&self, e: &mut Emitter<'_>, s: &ScanSchedule, width: u32) -> Result<(), EmitError> {
        if width == 0 || !s.threads.is_multiple_of(width) || self.line_vars.is_empty() || !e.abi.is_gpu() {
            return Err(e.unfit(format!("{} threads in rows of {width}", s.threads)));
        }
        let index = e.index_ty();
        let thread = e.abi.thread_id(&mut e.code);
        let thread = e.code.resize_u(thread, index.scalar);
        let width = i64::from(width);
        let (row, column) = e.code.div_rem(thread, width);
        let place = Place { column, row, thread, rows: i64::from(s.threads) / width, width };
        let stores = self.bind_lines(e, s, &place);
        let round = place.rows * i64::from(s.items);
        let rounds = (self.extent + round - 1) / round;
        let identity = e.code.spread(self.identity, s.lanes);
        let memory = fornax_emit::blocks::shared::memory(self.identity.ty.scalar);
        let totals = e.abi.shared_array(&mut e.code, memory, 2 * u64::from(s.threads) * u64::from(s.lanes));
        let (zero, one, high) = (e.code.int(index, 0), e.code.int(index, 1), e.code.int(index, rounds));
        let open = e.code.begin_for(zero, high, one, &[identity]);
        let (number, carry) = (open.iv, open.carried[0]);
        let first = e.code.int_k("arith.muli", number, round);
        let own = e.code.int_k("arith.muli", place.row, i64::from(s.items));
        let first = e.code.add_i(first, own);
        let (points, folded) = self.fold_stretch(e, s, first, round)?;
        let total = folded.last().copied().unwrap_or(identity);
        let (before, all) = self.exchange_rows(e, total, identity, (&place, totals, number))?;
        let before = self.combine(e, carry, before)?;
        if let Some(stores) = stores {
            e.code.begin_if(stores, &[]);
        }
        for ((inside, binding), value) in points.into_iter().zip(folded) {
            let value = self.combine(e, before, value)?;
            self.store_at(e, (inside, binding), value)?;
        }
        if stores.is_some() {
            e.code.end_if(&[]);
        }
        let carry = self.combine(e, carry, all)?;
        e.code.end_for(open, &[carry]);
        Ok(())
    }

    /// Binds the lines of this thread; whether it stores them, where some threads of the last workgroup have none of
    /// their own (they read the last ones).
    fn bind_lines(&self, e: &mut Emitter<'_>, s: &ScanSchedule, place: &Place) -> Option<Value> {
        let index = e.index;
        let mut rest = e.abi.workgroup_id(&mut e.code, index);
        let items = s.lines_in_columns(e.plan).1 as i64;
        let group = e.next_digit(&mut rest, (items + place.width - 1) / place.width);
        let own = e.code.int_k("arith.muli", group, place.width);
        let own = e.code.add_i(own, place.column);
        let partial = items % place.width != 0;
        let stores = partial.then(|| e.code.cmp_ik("ult", own, items));
        let own = if partial { e.code.int_k("arith.minui", own, items - 1) } else { own };
        let (last, outer) = self.line_vars.split_last()?;
        for (at, &var) in outer.iter().enumerate().rev() {
            let extent = e.exprs.indices.extent(var);
            let value = if at == 0 { rest } else { e.next_digit(&mut rest, extent) };
            e.bind(var, Some(value), 1, 0);
        }
        e.lanes = s.lanes;
        let lanes = i64::from(s.lanes);
        let base = e.code.int_k("arith.muli", own, lanes);
        e.bind_lanes(*last, Some(base), lanes, 0);
        stores
    }

    /// Loads this thread's stretch, which begins at `first` in the order of the scan, and folds it. Gives where each
    /// load is (and whether it is in the line at all), and the running results.
    #[allow(clippy::type_complexity)]
    fn fold_stretch(
        &self,
        e: &mut Emitter<'_>,
        s: &ScanSchedule,
        first: Value,
        round: i64,
    ) -> Result<(Vec<(Option<Value>, Binding)>, Vec<Value>), EmitError> {
        let whole = self.extent % round == 0;
        let (mut points, mut loaded) = (Vec::new(), Vec::new());
        for at in 0..i64::from(s.items) {
            let place = e.code.add_ik(first, at);
            let inside = (!whole).then(|| e.code.cmp_ik("ult", place, self.extent));
            let last = e.code.int(place.ty, self.extent - 1);
            let place = if whole { place } else { e.code.binary("arith.minsi", place, last) };
            let place = if self.reverse { e.code.sub_i(last, place) } else { place };
            e.bind(self.along, Some(place), 1, 0);
            let Some(binding) = e.binding(self.along) else { return Err(e.malformed("an unbound variable")) };
            let value = e.eval(self.input)?;
            points.push((inside, binding));
            loaded.push(e.code.spread(value, s.lanes));
        }
        let identity = e.code.spread(self.identity, s.lanes);
        let mut folded: Vec<Value> = Vec::new();
        for (&(inside, _), mut value) in points.iter().zip(loaded) {
            if let Some(inside) = inside {
                value = e.code.select(inside, value, identity);
            }
            let next = match folded.last() {
                None => value,
                Some(&sum) => self.combine(e, sum, value)?,
            };
            folded.push(next);
        }
        Ok((points, folded))
    }

    /// The fold of what the rows of threads before this one have, and of what all have.
    fn exchange_rows(
        &self,
        e: &mut Emitter<'_>,
        total: Value,
        identity: Value,
        (place, totals, round): (&Place, Value, Value),
    ) -> Result<(Value, Value), EmitError> {
        if place.rows == 1 {
            return Ok((identity, total));
        }
        let turn = e.code.and_k(round, 1);
        let base = e.code.int_k("arith.muli", turn, place.rows * place.width);
        let slot = e.code.add_i(base, place.thread);
        write_shared(e, &[totals], slot, &[total]);
        e.abi.barrier(&mut e.code);
        let slot = e.code.add_i(base, place.column);
        let (mut lower, mut sum) = (identity, identity);
        for at in 0..place.rows {
            let slot = e.code.add_ik(slot, at * place.width);
            let other = read_shared(e, &[totals], slot, &[total])[0];
            let is_lower = e.code.cmp_ik("ugt", place.row, at);
            let with = self.combine(e, lower, other)?;
            lower = e.code.select(is_lower, with, lower);
            sum = self.combine(e, sum, other)?;
        }
        Ok((lower, sum))
    }
}
