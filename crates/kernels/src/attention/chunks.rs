//! `Body::Attention` with MFMA and WMMA: keys × queries, then values × weights.
//!
//! Both products are transposed: scores are keys × queries, results features × queries. A lane then has scores of one
//! query and of a run of neighbouring keys, which rounded are what it must hold of the second product's column operand:
//! nothing is exchanged but where lanes hold all steps (WMMA of RDNA3: the two lanes of a query then tell each other
//! theirs). Maximum and sum of a row need one exchange or two; masks see runs of columns; results are runs of features.
//!
//! ```text
//! queries to registers; the first keys to shared memory
//! for every tile: all meet; fetch its values to registers; keys × queries; mask; softmax; write the values;
//!     all meet; fetch the next keys; values × weights; write the keys
//! ```
//!
//! Worked example: [4096, 128] bf16 of a head on gfx942: 32 workgroups of 4 warps × 32 rows; 64 tiles of 64 columns; in
//! each 64 + 64 instructions a warp, 32 reads of 16 bytes a lane for them.

use crate::attention::chunk_schedule::AttentionChunks;
use crate::attention::schedule::AttentionSchedule;
use fornax_plan::Body;
use fornax_targets::Feature;

use super::chunk_tiles;
use super::chunk_tiles::{Planes, Staging};
use super::ranges::Ranges;
use super::{F32, Kernel, State};
use fornax_emit::blocks::mma::mfma;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::order::{in_order, loads_first};
use fornax_emit::text::{Scalar, Ty, Value};

/// Waves that can share the 512 registers that a lane of a unit has from gfx90a on, by those that one needs, about.
const WAVES: &[(u32, u32)] = &[(100, 4), (172, 3), (240, 2)];
/// SIMDs of a unit that have them.
const SIMDS: u32 = 4;

/// Multiplicands of weights: by fragment, by step.
type Weights = Vec<Vec<Vec<Value>>>;

/// A workgroup's kernel.
struct Tiles<'a> {
    k: Kernel<'a>,
    c: AttentionChunks,
    keys: Staging,
    values: Staging,
    /// Multiplicands of the queries: by fragment, by step.
    queries: Vec<Vec<Vec<Value>>>,
}

/// Emits the kernel.
pub fn emit(e: &mut Emitter<'_>, schedule: &AttentionSchedule, c: AttentionChunks) -> Result<(), EmitError> {
    let plan = e.plan;
    let Body::Attention(a) = &plan.body else { return Err(e.malformed("not attention")) };
    if !e.target.has(c.atom.row().feature) || schedule.shared_bytes() > e.target.shared_bytes_max {
        return Err(e.unfit(format!("attention by {}", c.atom.row().name)));
    }
    if e.target.has(Feature::MfmaBf16K1) {
        // From gfx90a on a lane has one file of registers: LLVM is told how many waves are to share it.
        let needed = c.registers(schedule.row_tiles, schedule.columns, schedule.warps);
        let by_registers = WAVES.iter().find(|(most, _)| needed <= *most).map_or(1, |row| row.1);
        // Registers that a wave gives up for more of them than memory has room for would be spilled for nothing.
        let groups = e.target.shared_bytes_per_unit / schedule.shared_bytes().max(1);
        let waves = by_registers.min((groups * schedule.warps).div_ceil(SIMDS)).max(1);
        e.abi.attribute(&format!("rocdl.waves_per_eu = {waves} : i32"));
    }
    let wave = i64::from(c.atom.wave());
    let thread = e.abi.thread_id(&mut e.code);
    let place = |e: &mut Emitter<'_>, thread: Value| {
        [thread, e.code.and_k(thread, wave - 1), e.code.shr_uk(thread, i64::from(wave.ilog2()))]
    };
    let at = place(e, thread);
    let mut k = Kernel::new(e, a, schedule, at)?;
    k.shared = e.abi.dynamic_shared(&mut e.code);
    let index = e.index;
    let group = e.abi.workgroup_id(&mut e.code, index);
    k.start_block(e, group)?;
    let queries = chunk_tiles::queries(e, &k, c)?;
    let multiplicands = |steps: &Vec<Vec<Value>>| steps.iter().map(|q| mfma::multiplicands(e, c.atom, q)).collect();
    let queries = queries.iter().map(multiplicands).collect();
    let ranges = Ranges::new(e, &k)?;
    let (keys, values) = (Staging::keys(e, &k, c), Staging::values(e, &k, c));
    let mut tiles = Tiles { k, c, keys, values, queries };
    let start = tiles.start(e);
    let range = &mut |e: &mut Emitter<'_>, (low, high), state| tiles.range(e, &ranges, (low, high), state);
    let state = ranges.run(e, &tiles.k, start, range)?;
    // Where the lane is and what it stores is worked out again, so that the loop need not keep it.
    let thread = e.abi.thread_id_again(&mut e.code);
    let shared = tiles.k.shared;
    let at = place(e, thread);
    tiles.k = Kernel { shared, ..Kernel::new(e, a, schedule, at)? };
    tiles.k.start_block(e, group)?;
    tiles.finish(e, &state)
}

impl Tiles<'_> {
    /// Accumulators of an instruction.
    fn sums(&self) -> Ty {
        Ty::vector(Scalar::F32, self.c.results())
    }

    fn fragments(&self) -> usize {
        self.k.s.row_tiles as usize
    }

    fn start(&self, e: &mut Emitter<'_>) -> State {
        let (low, zero) = (e.code.float(F32, f64::NEG_INFINITY), e.code.float(F32, 0.0));
        let none = e.code.bits(self.sums(), 0);
        let fragments = self.fragments();
        let out = vec![none; fragments * self.c.features as usize / 16];
        State { maxima: vec![low; fragments], sums: vec![zero; fragments], out, doubt: Vec::new() }
    }

    /// Goes through the tiles from `low` up to `high`.
    fn range(
        &self,
        e: &mut Emitter<'_>,
        ranges: &Ranges,
        (low, high): (Value, Value),
        state: State,
    ) -> Result<State, EmitError> {
        let k = &self.k;
        // Shared memory is free once every warp is here.
        e.abi.barrier(&mut e.code);
        let some = e.code.cmp_i("slt", low, high);
        e.code.begin_if(some, &[]);
        let first = k.first_column(e, low);
        let fetched = self.keys.fetch(e, k, first)?;
        self.keys.write(e, k, &fetched);
        e.code.end_if(&[]);
        let (one, last) = (e.code.int(low.ty, 1), e.code.add_ik(high, -1));
        let open = e.code.begin_for(low, high, one, &state.flat());
        let inside = state.of(&open.carried);
        let whole = ranges.is_whole(e, open.iv);
        let first = k.first_column(e, open.iv);
        e.abi.barrier(&mut e.code);
        let values = self.values.fetch(e, k, first)?;
        loads_first(e);
        let (weights, mut after) = self.weights(e, first, whole, &inside)?;
        in_order(e);
        self.values.write(e, k, &values);
        e.abi.barrier(&mut e.code);
        // Past the end the last tile is staged again, which nobody reads.
        let next = e.code.add_ik(open.iv, 1);
        let next = e.code.binary("arith.minsi", next, last);
        let next = k.first_column(e, next);
        let keys = self.keys.fetch(e, k, next)?;
        loads_first(e);
        self.accumulate(e, &weights, &mut after.out);
        in_order(e);
        self.keys.write(e, k, &keys);
        let results = e.code.end_for(open, &after.flat());
        Ok(state.of(&results))
    }

    /// Weights of a staged tile of keys, rounded, by fragment and step; the state with new maxima, sums, and results
    /// brought to them.
    fn weights(
        &self,
        e: &mut Emitter<'_>,
        first: Value,
        whole: Option<Value>,
        state: &State,
    ) -> Result<(Weights, State), EmitError> {
        let products = self.products(e);
        let scores = self.k.scores(e, first, whole, products)?;
        let (weights, factors, mut state) = self.k.softmax(e, scores, state);
        let each = state.out.len() / factors.len();
        for (out, &factor) in state.out.chunks_mut(each).zip(&factors) {
            for sums in out {
                let factor = e.code.spread(factor, sums.ty.lanes);
                *sums = e.code.mul_f(*sums, factor);
            }
        }
        let run = self.c.run() as usize;
        let operands = |all: Vec<Value>| all.chunks(run).map(|run| self.operand(e, run)).collect();
        Ok((weights.into_iter().map(operands).collect(), state))
    }

    /// Keys × queries: by fragment, in runs.
    fn products(&self, e: &mut Emitter<'_>) -> Vec<Vec<Value>> {
        let none = e.code.bits(self.sums(), 0);
        let tiles = self.k.s.columns as usize / 16;
        let mut sums = vec![vec![none; tiles]; self.fragments()];
        let planes = Planes::keys(self.c, self.k.s.columns);
        for step in 0..self.c.depth / self.c.step() {
            for tile in 0..tiles {
                let keys = planes.read(e, &self.k, tile as i64, step.into());
                let keys = mfma::multiplicands(e, self.c.atom, &keys);
                for (sums, queries) in sums.iter_mut().zip(&self.queries) {
                    self.multiply(e, &keys, &queries[step as usize], &mut sums[tile]);
                }
            }
        }
        sums.iter().map(|tiles| self.in_runs(e, tiles)).collect()
    }

    /// Adds values × weights to the results.
    fn accumulate(&self, e: &mut Emitter<'_>, weights: &Weights, out: &mut [Value]) {
        let planes = Planes::values(self.c, self.k.s.columns);
        let each = out.len() / self.fragments();
        for step in 0..self.k.s.columns / self.c.step() {
            for tile in 0..each {
                let values = planes.read(e, &self.k, tile as i64, step.into());
                let values = mfma::multiplicands(e, self.c.atom, &values);
                for (fragment, weights) in weights.iter().enumerate() {
                    self.multiply(e, &values, &weights[step as usize], &mut out[fragment * each + tile]);
                }
            }
        }
    }

    fn multiply(&self, e: &mut Emitter<'_>, a: &[Value], b: &[Value], sums: &mut Value) {
        let elements = [self.k.a.weight; 2];
        for (&a, &b) in a.iter().zip(b) {
            *sums = mfma::multiply(e, self.c.atom, elements, (a, b), *sums);
        }
    }

    /// A lane's results of neighbouring instructions as runs of neighbours.
    fn in_runs(&self, e: &mut Emitter<'_>, tiles: &[Value]) -> Vec<Value> {
        let results = self.c.results();
        tiles
            .iter()
            .flat_map(|&tile| (0..results).map(move |at| (tile, at)))
            .map(|(t, at)| e.code.extract(t, at))
            .collect()
    }

    /// A run of weights as the multiplicands of its step.
    fn operand(&self, e: &mut Emitter<'_>, run: &[Value]) -> Vec<Value> {
        let chunk = self.rounded(e, run);
        let own = chunk_tiles::words(e, chunk);
        if self.c.reading().0 > 1 {
            return mfma::multiplicands(e, self.c.atom, &[own]);
        }
        // Both lanes of a query hold all steps: first those of the lower one.
        let upper = e.code.shr_uk(self.k.lane, 4);
        let upper = e.code.cmp_ik("ne", upper, 0);
        let (mut low, mut high) = (Vec::new(), Vec::new());
        for word in 0..4 {
            let own = e.code.extract(own, word);
            let other = e.abi.shuffle_xor(&mut e.code, own, 16);
            low.push(e.code.select(upper, other, own));
            high.push(e.code.select(upper, own, other));
        }
        let both = [e.code.assemble(&low), e.code.assemble(&high)];
        mfma::multiplicands(e, self.c.atom, &both)
    }

    /// A run of weights in the type that they are multiplied in. Weights are positive, or NaN of which the sum of the
    /// row tells.
    fn rounded(&self, e: &mut Emitter<'_>, run: &[Value]) -> Value {
        use fornax_graph::ElementType::{Bf16, F16};
        let all = e.code.assemble(run);
        match self.k.a.weight {
            F16 => e.code.cast("arith.truncf", all, Scalar::F16),
            Bf16 if e.target.has(Feature::CvtBf16) => e.code.cast("arith.truncf", all, Scalar::Bf16),
            Bf16 => {
                let bits = e.code.to_bits(all);
                let odd = e.code.shr_uk(bits, 16);
                let odd = e.code.and_k(odd, 1);
                let half = e.code.add_ik(bits, 0x7FFF);
                let sum = e.code.add_i(half, odd);
                let high = e.code.shr_uk(sum, 16);
                e.code.resize_u(high, Scalar::I16)
            }
            _ => all,
        }
    }

    /// Divides by the sums of weights and stores; a part stores what it has.
    fn finish(&self, e: &mut Emitter<'_>, state: &State) -> Result<(), EmitError> {
        let k = &self.k;
        let each = state.out.len() / self.fragments();
        let whole = k.a.part.is_none();
        // Whoever stores, all lanes multiply: LLVM would move instructions of a last tile behind the condition.
        let done: Vec<Value> = state.out.iter().map(|&sums| pinned(e, sums)).collect();
        for (slot, out) in done.chunks(each).enumerate() {
            let mut sum = state.sums[slot];
            for &mask in k.share.masks {
                let other = e.abi.shuffle_xor(&mut e.code, sum, mask);
                sum = e.code.add_f(sum, other);
            }
            let mut results = self.in_runs(e, out);
            if whole {
                let inverse = k.inverse(e, sum);
                for result in &mut results {
                    *result = e.code.mul_f(*result, inverse);
                }
            }
            let row = k.row(e, slot);
            let inside = k.has_row_tail().then(|| k.row_end().is_above(e, "ult", row));
            if let Some(inside) = inside {
                e.code.begin_if(inside, &[]);
            }
            k.use_row(e, slot);
            if k.stores_rows {
                k.store_sums(e, state.maxima[slot], sum)?;
            }
            for (at, run) in results.chunks(k.share.run).enumerate() {
                self.store_run(e, (at as u32 * self.c.step()).into(), run)?;
            }
            if inside.is_some() {
                e.code.end_if(&[]);
            }
        }
        Ok(())
    }

    /// Stores this lane's run of the features from `first` on, as wide as they allow.
    fn store_run(&self, e: &mut Emitter<'_>, first: i64, run: &[Value]) -> Result<(), EmitError> {
        let k = &self.k;
        let mut width = run.len();
        while !(k.features as usize).is_multiple_of(width) {
            width /= 2;
        }
        let all_there = first + i64::from(self.c.step()) <= k.features;
        for (at, part) in run.chunks(width).enumerate() {
            let offset = first + (at * width) as i64;
            if !all_there {
                let inside = e.code.cmp_ik("slt", k.run_start, k.features - offset);
                e.code.begin_if(inside, &[]);
            }
            if width > 1 {
                e.lanes = width as u32;
                e.bind_lanes(k.a.feature, Some(k.run_start), run.len() as i64, offset);
            } else {
                e.bind(k.a.feature, Some(k.run_start), run.len() as i64, offset);
            }
            let part = e.code.assemble(part);
            let done = k.store(e, part);
            e.lanes = 1;
            done?;
            if !all_there {
                e.code.end_if(&[]);
            }
        }
        Ok(())
    }
}

/// The value, computed before what follows.
fn pinned(e: &mut Emitter<'_>, value: Value) -> Value {
    let ty = value.ty;
    e.code.effect(
        ty,
        &format!("llvm.inline_asm has_side_effects asm_dialect = att \"\", \"=v,0\" {value} : ({ty}) -> {ty}"),
    )
}
