//! Which tiles of columns a workgroup goes through.
//!
//! The bounds of the first and the last row give the tiles in which some row sees a column, and of those the tiles in
//! which every row sees all. Columns outside have one constant score; where that is −inf they weigh nothing, and are
//! left out. Where it is a finite number they weigh nothing against a score that is far above it. Where only bounds
//! mask, a row has such a score if it sees a column; a workgroup with a row that does not goes through all tiles. Where
//! something else masks too, every row says after the visible tiles whether it has such a score, and if a row has none,
//! the workgroup goes through the tiles that it left out as well.
//!
//! Worked example: causal, rows 640‥703, tiles of 64: tiles 0‥10, of which 0‥9 are whole; a padding row whose scores
//! are all −2.4e38 makes the workgroup go through tiles 11‥63 too, and gets the mean of all values, as the plain ops
//! give.

use fornax_plan::attention::Side;

use super::fragments::Query;
use super::tiles::at_byte;
use super::{I32, Kernel, State};
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value};

/// A row whose best score is this much above the constant, times log2 e and the scale, gives the constant no weight.
const FAR: f64 = 200.0;

/// Visible tiles, those before, those after.
pub const PASSES: i64 = 3;

/// Goes from one tile up to another.
pub type Range<'a> = &'a mut dyn FnMut(&mut Emitter<'_>, (Value, Value), State) -> Result<State, EmitError>;

/// Tile numbers, i32.
pub struct Ranges {
    /// Tiles in which some row sees a column.
    low: Value,
    high: Value,
    /// Tiles in which every row sees every column.
    whole_low: Value,
    whole_high: Value,
    /// All tiles of the workgroup.
    first: Value,
    end: Value,
    /// Every tile is whole.
    all_whole: bool,
}

impl Ranges {
    pub fn new(e: &mut Emitter<'_>, k: &Kernel<'_>) -> Result<Ranges, EmitError> {
        let width = i64::from(k.s.columns);
        let (from, to) = columns(e, k)?;
        let (zero, all) = (e.code.int(I32, 0), k.column_end().value(e, I32));
        let (mut low, mut high, mut whole_low, mut whole_high) = (zero, all, zero, all);
        let last = e.code.add_ik(k.first_row, i64::from(k.s.rows()) - 1);
        // At the first and the last row: the columns between which all is visible.
        let mut ends = [(zero, all); 2];
        for band in &k.a.bands {
            for (row, end) in [k.first_row, last].into_iter().zip(&mut ends) {
                k.bind_row(e, row)?;
                let bound = e.eval(band.bound)?;
                let bound = e.code.int_k("arith.maxsi", bound, 0);
                let most = k.column_end().value(e, bound.ty);
                let bound = e.code.binary("arith.minsi", bound, most);
                let bound = e.code.resize_u(bound, Scalar::I32);
                match band.side {
                    Side::High => end.1 = e.code.binary("arith.minsi", end.1, bound),
                    Side::Low => end.0 = e.code.binary("arith.maxsi", end.0, bound),
                }
            }
        }
        if !k.a.bands.is_empty() {
            let [first, last] = ends;
            low = e.code.binary("arith.minsi", first.0, last.0);
            high = e.code.binary("arith.maxsi", first.1, last.1);
            whole_low = e.code.binary("arith.maxsi", first.0, last.0);
            whole_high = e.code.binary("arith.minsi", first.1, last.1);
        }
        if k.a.masked().is_finite() && k.bounds_alone(e) {
            // A row that sees no column weighs all of them alike.
            let mut blind = e.code.bits(Ty::scalar(Scalar::I1), 0);
            for (begin, end) in ends {
                let none = e.code.cmp_i("sge", begin, end);
                blind = e.code.or(blind, none);
            }
            low = e.code.select(blind, zero, low);
            high = e.code.select(blind, all, high);
        }
        if k.a.part.is_some() {
            low = e.code.binary("arith.maxsi", low, from);
            high = e.code.binary("arith.minsi", high, to);
        }
        let up = |e: &mut Emitter<'_>, v: Value| {
            let v = e.code.add_ik(v, width - 1);
            e.code.int_k("arith.divui", v, width)
        };
        // What comes before the visible columns and what comes after have none in common.
        let high = if k.a.bands.is_empty() { high } else { e.code.binary("arith.maxsi", low, high) };
        let low_tile = e.code.int_k("arith.divui", low, width);
        let high_tile = up(e, high);
        Ok(Ranges {
            low: low_tile,
            high: high_tile,
            whole_low: up(e, whole_low),
            whole_high: e.code.int_k("arith.divui", whole_high, width),
            first: e.code.int_k("arith.divui", from, width),
            end: up(e, to),
            all_whole: k.a.bands.is_empty() && !k.has_column_tail(),
        })
    }

    /// Goes through the tiles; `range` goes from one tile up to another.
    pub fn run(&self, e: &mut Emitter<'_>, k: &Kernel<'_>, state: State, range: Range<'_>) -> Result<State, EmitError> {
        if !Ranges::needs_passes(e, k) {
            return range(e, self.visible(), state);
        }
        let (zero, one, passes) = (e.code.int(I32, 0), e.code.int(I32, 1), e.code.int(I32, PASSES));
        let mut inits = state.flat();
        inits.push(one);
        let open = e.code.begin_for(zero, passes, one, &inits);
        let (flag, carried) = (open.carried[inits.len() - 1], open.carried[..inits.len() - 1].to_vec());
        let tiles = self.of_pass(e, open.iv, flag);
        let after = range(e, tiles, state.of(&carried))?;
        let mut next = after.flat();
        next.push(some_row_is_low(e, k, &after));
        let results = e.code.end_for(open, &next);
        Ok(state.of(&results[..results.len() - 1]))
    }

    /// Whether rows may need tiles that no bound lets them see, which only their scores tell.
    pub fn needs_passes(e: &mut Emitter<'_>, k: &Kernel<'_>) -> bool {
        !k.a.bands.is_empty() && k.a.masked().is_finite() && !k.bounds_alone(e)
    }

    /// Tiles of a pass: the visible ones; where `flag` says that some row needs them, those before, those after.
    pub fn of_pass(&self, e: &mut Emitter<'_>, pass: Value, flag: Value) -> (Value, Value) {
        let (visible, before) = (e.code.cmp_ik("eq", pass, 0), e.code.cmp_ik("eq", pass, 1));
        let from = e.code.select(before, self.first, self.high);
        let from = e.code.select(visible, self.low, from);
        let to = e.code.select(before, self.low, self.end);
        let to = e.code.select(visible, self.high, to);
        let needed = e.code.cmp_ik("ne", flag, 0);
        (from, e.code.select(needed, to, from))
    }

    /// The visible tiles.
    pub fn visible(&self) -> (Value, Value) {
        (self.low, self.high)
    }

    /// All tiles.
    pub fn all(&self) -> (Value, Value) {
        (self.first, self.end)
    }

    /// Whether no bound and no end cuts a tile; `None` where that is so of all.
    pub fn is_whole(&self, e: &mut Emitter<'_>, tile: Value) -> Option<Value> {
        if self.all_whole {
            return None;
        }
        let after = e.code.cmp_i("sge", tile, self.whole_low);
        let before = e.code.cmp_i("slt", tile, self.whole_high);
        Some(e.code.and(after, before))
    }

    /// Tiles from `low` up to `high`, copied asynchronously.
    pub fn range(
        &self,
        e: &mut Emitter<'_>,
        k: &Kernel<'_>,
        query: &Query,
        (low, high): (Value, Value),
        state: State,
    ) -> Result<State, EmitError> {
        // Shared memory is free once every warp is here.
        e.abi.barrier(&mut e.code);
        let some = e.code.cmp_i("slt", low, high);
        e.code.begin_if(some, &[]);
        let first = k.first_column(e, low);
        k.key_tile().copy(e, k, first)?;
        e.code.end_if(&[]);
        let one = e.code.int(I32, 1);
        let open = e.code.begin_for(low, high, one, &state.flat());
        let inside = state.of(&open.carried);
        let whole = self.is_whole(e, open.iv);
        let next = k.step(e, query, (open.iv, high), whole, &inside)?;
        let results = e.code.end_for(open, &next.flat());
        e.code.line("nvvm.cp.async.wait.group 0");
        Ok(state.of(&results))
    }
}

/// The columns of the workgroup: all, or those of its part.
fn columns(e: &mut Emitter<'_>, k: &Kernel<'_>) -> Result<(Value, Value), EmitError> {
    let Some(part) = k.a.part else { return Ok((e.code.int(I32, 0), k.column_end().value(e, I32))) };
    let start = e.index(part.start)?;
    let start = e.index_scalar(start);
    let start = e.code.resize_u(start, Scalar::I32);
    let end = e.code.add_ik(start, part.columns);
    let most = k.column_end().value(e, I32);
    Ok((start, e.code.binary("arith.minsi", end, most)))
}

/// 1 in all lanes where some row of the warp has no score far above the constant of masked columns.
pub fn warp_flag(e: &mut Emitter<'_>, k: &Kernel<'_>, state: &State) -> Value {
    let masked = f64::from(k.a.masked());
    let mut low = e.code.bits(Ty::scalar(Scalar::I1), 0);
    for &maximum in &state.maxima {
        let above = e.code.add_k(maximum, -masked);
        let above = e.code.mul_k(above, k.exponent());
        let far = e.code.cmp_fk("ogt", above, FAR);
        let near = e.code.not(far);
        low = e.code.or(low, near);
    }
    let mut flag = e.code.resize_u(low, Scalar::I32);
    for &mask in k.share.wave_masks() {
        let other = e.abi.shuffle_xor(&mut e.code, flag, mask);
        flag = e.code.or(flag, other);
    }
    flag
}

/// 1 where that is so of some warp of the workgroup.
fn some_row_is_low(e: &mut Emitter<'_>, k: &Kernel<'_>, state: &State) -> Value {
    let flag = warp_flag(e, k, state);
    joined(e, k, flag)
}

/// The flags of all warps of a workgroup, joined; all threads meet.
pub fn joined(e: &mut Emitter<'_>, k: &Kernel<'_>, flag: Value) -> Value {
    // Tiles of chunks are done with here.
    let words = if k.s.chunks.is_some() { 0 } else { k.shared_bytes() - 4 * i64::from(k.s.warps) };
    let words = e.code.int(I32, words);
    e.abi.barrier(&mut e.code);
    write_flag(e, k, words, flag);
    e.abi.barrier(&mut e.code);
    any_flag(e, k, words)
}

/// Writes the warp's flag to its word of those that begin at byte `words`.
pub fn write_flag(e: &mut Emitter<'_>, k: &Kernel<'_>, words: Value, flag: Value) {
    let own = e.code.shl_k(k.warp, 2);
    let own = e.code.add_i(own, words);
    let own = at_byte(e, k.shared, own);
    let text = format!("llvm.store {flag}, {own} {{alignment = 4 : i64}} : i32, {}", own.ty);
    e.code.line(&text);
}

/// The flags of all warps, joined.
pub fn any_flag(e: &mut Emitter<'_>, k: &Kernel<'_>, words: Value) -> Value {
    let mut any = e.code.int(I32, 0);
    for warp in 0..i64::from(k.s.warps) {
        let at = e.code.add_ik(words, 4 * warp);
        let at = at_byte(e, k.shared, at);
        let text = format!("llvm.load {at} {{alignment = 4 : i64}} : {} -> i32", at.ty);
        let word = e.code.effect(I32, &text);
        any = e.code.or(any, word);
    }
    any
}
