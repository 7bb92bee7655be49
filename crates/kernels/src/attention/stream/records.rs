//! What warps that streamed have found, written to shared memory and added up: over the workgroup, then over the
//! cluster.
//!
//! A record has for each row its maximum, its sum of weights, and a sum of values a feature. Records are added up in
//! the order of their numbers: the same input gives the same bits. Two features of a row are one thread's; of a cluster
//! every workgroup takes a share.
//!
//! Worked example: 4 warps, 1 row, 128 features: 4 · 130 floats of sums, then 4 pairs (maximum, sum); 64 threads add
//! two features each, of the workgroup first, and in a cluster of 8, 8 threads a workgroup of the 8 workgroups'
//! records.

use super::{FEATURES, Stream};
use crate::attention::softmax::weight_against;
use crate::attention::{F32, I32, State};
use fornax_emit::emitter::{Emitter, Slot};
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value};

/// Where records begin.
struct Records {
    base: Value,
    /// Bytes from the base to the sums of values, and to the pairs of a maximum and a sum of weights.
    values: i64,
    sums: i64,
}

impl Stream<'_> {
    /// Bytes of the records of `warps` warps: per row and feature a sum; per row a maximum and a sum of weights.
    fn sums_at(&self) -> i64 {
        4 * i64::from(self.k.s.warps) * self.k.rows * self.pitch()
    }

    /// Elements from row to row of a record: two more than features, so that rows lie in different banks.
    fn pitch(&self) -> i64 {
        self.k.features + 2
    }

    /// Where the records of the whole workgroup begin.
    fn joined_at(&self) -> i64 {
        self.sums_at() + 8 * i64::from(self.k.s.warps) * self.k.rows
    }

    /// Where a row's sums are among those of a record: even rows first, which are adjacent in a warp's registers.
    fn place(&self, e: &mut Emitter<'_>, row: Value) -> Value {
        let (odd, half) = (e.code.and_k(row, 1), e.code.shr_uk(row, 1));
        let odd = e.code.int_k("arith.muli", odd, (self.k.rows + 1) / 2);
        e.code.add_i(odd, half)
    }

    fn put(&self, e: &mut Emitter<'_>, at: Value, values: &[Value]) {
        let value = e.code.assemble(values);
        let pointer = e.code.byte_offset(self.shared, at);
        let text = format!(
            "llvm.store {value}, {pointer} {{alignment = {} : i64}} : {}, {}",
            4 * values.len(),
            value.ty,
            pointer.ty
        );
        e.code.line(&text);
    }

    fn get(&self, e: &mut Emitter<'_>, base: Value, at: Value, lanes: u32) -> Vec<Value> {
        let ty = Ty::vector(Scalar::F32, lanes);
        let pointer = e.code.byte_offset(base, at);
        let text = format!("llvm.load {pointer} {{alignment = {} : i64}} : {} -> {ty}", 4 * lanes, pointer.ty);
        let all = e.code.effect(ty, &text);
        (0..lanes).map(|at| e.code.extract(all, at)).collect()
    }

    /// Writes this warp's record.
    pub(super) fn write(&self, e: &mut Emitter<'_>, state: &State) {
        let rows = self.k.rows;
        let own = e.code.int_k("arith.muli", self.warp, rows);
        let each = state.out.len() / self.halves();
        for half in 0..self.halves() {
            let mut sum = state.sums[half];
            for mask in [1, 2] {
                let other = e.abi.shuffle_xor(&mut e.code, sum, mask);
                sum = e.code.add_f(sum, other);
            }
            let row = e.code.add_ik(self.group, 8 * half as i64);
            let inside = e.code.cmp_ik("ult", row, rows);
            let first = e.code.cmp_ik("eq", self.quad, 0);
            let writes = e.code.and(inside, first);
            e.code.begin_if(writes, &[]);
            let at = e.code.add_i(own, row);
            let at = e.code.shl_k(at, 3);
            let at = e.code.add_ik(at, self.sums_at());
            self.put(e, at, &[state.maxima[half], sum]);
            e.code.end_if(&[]);
            let quad = e.code.shl_k(self.quad, 1);
            for next in 0..2usize {
                let row = e.code.add_ik(quad, 8 * half as i64 + next as i64);
                let inside = e.code.cmp_ik("ult", row, rows);
                e.code.begin_if(inside, &[]);
                let place = self.place(e, row);
                let at = e.code.add_i(own, place);
                let at = e.code.int_k("arith.muli", at, self.pitch());
                let feature = e.code.shl_k(self.group, 3);
                let at = e.code.add_i(at, feature);
                let at = e.code.shl_k(at, 2);
                for (word, four) in state.out[half * each..(half + 1) * each].chunks(4).enumerate() {
                    let (set, word) = (word as i64 / 4, word as i64 % 4);
                    let at = e.code.add_ik(at, 4 * (FEATURES * set + 2 * word));
                    self.put(e, at, &[four[next], four[next + 2]]);
                }
                e.code.end_if(&[]);
            }
        }
    }

    /// Records of a row (maximum, sum of weights) and of two of its features as one.
    fn joined(&self, e: &mut Emitter<'_>, records: &[(Vec<Value>, Vec<Value>)]) -> (Value, Value, [Value; 2]) {
        let low = e.code.float(F32, f64::NEG_INFINITY);
        let maximum = records.iter().fold(low, |m, (row, _)| e.code.binary("arith.maxnumf", m, row[0]));
        let zero = e.code.float(F32, 0.0);
        let (mut sum, mut values) = (zero, [zero; 2]);
        for (row, two) in records {
            let weight = weight_against(e, row[0], maximum, self.k.exponent());
            let part = e.code.mul_f(row[1], weight);
            sum = e.code.add_f(sum, part);
            for (value, &own) in values.iter_mut().zip(two) {
                let part = e.code.mul_f(own, weight);
                *value = e.code.add_f(*value, part);
            }
        }
        (maximum, sum, values)
    }

    /// Runs `body` with row and pair of features of each item of this thread, of `parts` workgroups that share the
    /// items.
    fn each_pair(
        &self,
        e: &mut Emitter<'_>,
        parts: i64,
        body: &mut dyn FnMut(&mut Emitter<'_>, Value, Value) -> Result<(), EmitError>,
    ) -> Result<(), EmitError> {
        let pairs = self.k.features / 2;
        let (items, threads) = (self.k.rows * pairs, 32 * i64::from(self.k.s.warps) * parts);
        let own = if parts == 1 {
            self.thread
        } else {
            let before = e.code.int_k("arith.muli", self.rank, threads / parts);
            e.code.add_i(before, self.thread)
        };
        for at in 0..(items + threads - 1) / threads {
            let item = e.code.add_ik(own, at * threads);
            let partial = (at + 1) * threads > items;
            if partial {
                let inside = e.code.cmp_ik("ult", item, items);
                e.code.begin_if(inside, &[]);
            }
            let (row, pair) = e.code.div_rem(item, pairs);
            let feature = e.code.shl_k(pair, 1);
            body(e, row, feature)?;
            if partial {
                e.code.end_if(&[]);
            }
        }
        Ok(())
    }

    /// Record `number`, for a row and two features.
    fn record(
        &self,
        e: &mut Emitter<'_>,
        records: &Records,
        number: i64,
        (row, feature): (Value, Value),
    ) -> (Vec<Value>, Vec<Value>) {
        let &Records { base, values, sums } = records;
        let at = e.code.add_ik(row, number * self.k.rows);
        let at = e.code.shl_k(at, 3);
        let at = e.code.add_ik(at, sums);
        let of_row = self.get(e, base, at, 2);
        let place = self.place(e, row);
        let at = e.code.add_ik(place, number * self.k.rows);
        let at = e.code.int_k("arith.muli", at, self.pitch());
        let at = e.code.add_i(at, feature);
        let at = e.code.shl_k(at, 2);
        let at = e.code.add_ik(at, values);
        (of_row, self.get(e, base, at, 2))
    }

    fn of_warps(&self, e: &mut Emitter<'_>, place: (Value, Value)) -> (Value, Value, [Value; 2]) {
        let at = Records { base: self.shared, values: 0, sums: self.sums_at() };
        let records: Vec<_> = (0..i64::from(self.k.s.warps)).map(|warp| self.record(e, &at, warp, place)).collect();
        self.joined(e, &records)
    }

    fn of_cluster(&self, e: &mut Emitter<'_>, place: (Value, Value)) -> (Value, Value, [Value; 2]) {
        let values = self.joined_at();
        let sums = values + 4 * self.k.rows * self.pitch();
        let records: Vec<_> = (0..i64::from(self.s.cluster))
            .map(|rank| {
                let rank = e.code.int(I32, rank);
                let text = format!("nvvm.mapa {}, {rank} : !llvm.ptr<3> -> !llvm.ptr<7>", self.shared);
                let there = e.code.pure(Ty::scalar(Scalar::Ptr(7)), text);
                self.record(e, &Records { base: there, values, sums }, 0, place)
            })
            .collect();
        self.joined(e, &records)
    }

    /// The record of the workgroup, from those of its warps.
    pub(super) fn add_up_warps(&self, e: &mut Emitter<'_>) -> Result<(), EmitError> {
        let values = self.joined_at();
        let sums = values + 4 * self.k.rows * self.pitch();
        self.each_pair(e, 1, &mut |e, row, feature| {
            let (maximum, sum, two) = self.of_warps(e, (row, feature));
            let place = self.place(e, row);
            let at = e.code.int_k("arith.muli", place, self.pitch());
            let at = e.code.add_i(at, feature);
            let at = e.code.shl_k(at, 2);
            let at = e.code.add_ik(at, values);
            self.put(e, at, &two);
            let first = e.code.cmp_ik("eq", feature, 0);
            e.code.begin_if(first, &[]);
            let at = e.code.shl_k(row, 3);
            let at = e.code.add_ik(at, sums);
            self.put(e, at, &[maximum, sum]);
            e.code.end_if(&[]);
            Ok(())
        })
    }

    /// What the plan stores, two features at a time.
    pub(super) fn results(&self, e: &mut Emitter<'_>) -> Result<(), EmitError> {
        self.each_pair(e, i64::from(self.s.cluster), &mut |e, row, feature| {
            let place = (row, feature);
            let (maximum, sum, values) =
                if self.s.cluster == 1 { self.of_warps(e, place) } else { self.of_cluster(e, place) };
            let row = e.code.resize_u(row, e.index);
            self.k.bind_row(e, row)?;
            let feature_index = e.code.resize_u(feature, e.index);
            if self.k.stores_rows {
                let first = e.code.cmp_ik("eq", feature, 0);
                e.code.begin_if(first, &[]);
                self.k.store_row(e, maximum, sum)?;
                e.code.end_if(&[]);
            }
            let mut pair = values;
            if self.k.a.part.is_none() {
                let inverse = self.k.inverse(e, sum);
                pair = values.map(|v| e.code.mul_f(v, inverse));
            }
            e.lanes = 2;
            e.bind_lanes(self.k.a.feature, Some(feature_index), 2, 0);
            let both = e.code.assemble(&pair);
            e.set_slot(Slot::Reduced(1), both);
            let done = self.k.store(e, both);
            e.lanes = 1;
            done
        })
    }
}
