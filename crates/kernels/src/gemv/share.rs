//! What threads of a subgroup that share outputs do with their sums: each adds up a part of them for all.
//!
//! One sum of an output: every thread gets the total by exchanges with neighbours, and the first writes it. Several: in
//! each exchange a thread gives half of its sums away and adds what it gets to the other half, so that n sums of t
//! threads take n/2 + n/4 + … exchanges instead of n·log t, and every thread writes n/t of them.
//!
//! Worked example: 4 sums of 8 rows × 2 columns in 8 threads: 32 + 16 + 8 exchanges, not 192; a thread writes 8 sums.

use fornax_plan::Binary;

use super::emit::Gemv;
use super::finish::Entry;
use super::schedule::QUAD_THREADS;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::Value;

/// What a thread holds after the exchange.
pub(super) struct Shares {
    pub values: Vec<Value>,
    /// Number of the first value among the thread's sums; `None`: 0.
    first: Option<Value>,
    /// Partial sums that an output still has, and which of them this is.
    pub parts: i64,
    pub part: Value,
    /// Whether this thread writes its values; `None` where every thread does.
    pub writes: Option<Value>,
}

impl Gemv<'_> {
    /// Adds up the sums of the threads of a subgroup that share outputs.
    pub(super) fn exchange(&self, e: &mut Emitter<'_>, sums: Vec<Value>, down: Value) -> Result<Shares, EmitError> {
        let s = self.schedule;
        let subgroup = e.abi.subgroup;
        // Neighbours down the contraction are `distance` lanes apart.
        let distance = if s.inside { 1 } else { s.across };
        let neighbours = if s.quads { QUAD_THREADS } else { subgroup / distance };
        let together = s.down.min(neighbours);
        if !e.abi.shuffles || !s.threads().is_multiple_of(subgroup) || together == 1 {
            return Ok(Shares { values: sums, first: None, parts: i64::from(s.down), part: down, writes: None });
        }
        let parts = i64::from(s.down / together);
        if self.stages.places.len() > 1 {
            return self.divide(e, sums, (down, together, distance));
        }
        let mut values = sums;
        let mut mask = 1;
        while mask < together {
            let moved: Vec<Value> = values.iter().map(|&v| self.exchange_lanes(e, v, mask * distance)).collect();
            for (value, other) in values.iter_mut().zip(moved) {
                *value = e.combine(Binary::Add, self.element, *value, other)?;
            }
            mask *= 2;
        }
        let part = e.code.int_k("arith.divui", down, i64::from(together));
        let first = e.code.int_k("arith.remui", down, i64::from(together));
        let writes = e.code.cmp_ik("eq", first, 0);
        Ok(Shares { values, first: None, parts, part, writes: Some(writes) })
    }

    /// The same where each thread ends with its share of the sums.
    fn divide(
        &self,
        e: &mut Emitter<'_>,
        sums: Vec<Value>,
        (down, together, distance): (Value, u32, u32),
    ) -> Result<Shares, EmitError> {
        let part = e.code.int_k("arith.divui", down, i64::from(together));
        let own = e.code.int_k("arith.remui", down, i64::from(together));
        let mut values: Vec<Value> = scalars(e, &sums);
        let mut first = e.code.int(own.ty, 0);
        let mut writes: Option<Value> = None;
        let mut mask = together;
        while mask > 1 {
            mask /= 2;
            let bit = e.code.int_k("arith.divui", own, i64::from(mask));
            let bit = e.code.int_k("arith.remui", bit, 2);
            let half = values.len() / 2;
            if values.len() % 2 == 1 {
                // What cannot be halved both add up, and the first of them writes it.
                for value in &mut values {
                    let other = e.abi.shuffle_xor(&mut e.code, *value, mask * distance);
                    *value = e.combine(Binary::Add, self.element, *value, other)?;
                }
                let leads = e.code.cmp_ik("eq", bit, 0);
                writes = Some(writes.map_or(leads, |so_far| e.code.and(so_far, leads)));
                continue;
            }
            let upper = e.code.cmp_ik("eq", bit, 1);
            let mut kept = Vec::with_capacity(half);
            for at in 0..half {
                let (low, high) = (values[at], values[half + at]);
                let (keep, give) = (e.code.select(upper, high, low), e.code.select(upper, low, high));
                let other = e.abi.shuffle_xor(&mut e.code, give, mask * distance);
                kept.push(e.combine(Binary::Add, self.element, keep, other)?);
            }
            values = kept;
            let skipped = e.code.int_k("arith.muli", bit, half as i64);
            first = e.code.add_i(first, skipped);
        }
        let parts = i64::from(self.schedule.down / together);
        Ok(Shares { values, first: Some(first), parts, part, writes })
    }

    fn exchange_lanes(&self, e: &mut Emitter<'_>, value: Value, mask: u32) -> Value {
        let lanes: Vec<Value> = (0..value.ty.lanes)
            .map(|lane| {
                let scalar = e.code.extract(value, lane);
                e.abi.shuffle_xor(&mut e.code, scalar, mask)
            })
            .collect();
        e.code.assemble(&lanes)
    }

    /// Where the thread's sums of a stage go, whose first is number `first_sum`: shared memory is
    /// `[parts][sums][short outputs][long outputs]`.
    pub(super) fn entries(
        &self,
        e: &mut Emitter<'_>,
        shares: &Shares,
        (across, first_sum): (Value, usize),
    ) -> Vec<Entry> {
        let width = self.schedule.width() as i64;
        let each = self.schedule.turn_width() as i64 / i64::from(self.schedule.across);
        let row = e.code.int_k("arith.muli", shares.part, self.stages.places.len() as i64 * self.rows * width);
        let column = e.code.int_k("arith.muli", across, each);
        let base = e.code.add_i(row, column);
        let values = scalars(e, &shares.values);
        let Some(first) = shares.first else {
            let before = first_sum as i64 * self.rows * width;
            let place = |at: i64| before + at / each * width + at % each;
            return (0..).zip(values).map(|(at, value)| Entry { base, offset: place(at), value }).collect();
        };
        let mut entries = Vec::with_capacity(values.len());
        for (at, value) in (0i64..).zip(values) {
            let number = e.code.add_ik(first, at);
            let (row, column) = e.code.div_rem(number, each);
            let row = e.code.int_k("arith.muli", row, width);
            let base = e.code.add_i(base, row);
            let base = e.code.add_i(base, column);
            entries.push(Entry { base, offset: first_sum as i64 * self.rows * width, value });
        }
        entries
    }
}

/// The elements of some values.
fn scalars(e: &mut Emitter<'_>, values: &[Value]) -> Vec<Value> {
    let lanes = values.iter().flat_map(|&value| (0..value.ty.lanes).map(move |lane| (value, lane)));
    lanes.map(|(value, lane)| e.code.extract(value, lane)).collect()
}
