//! What computing threads need of memory, on its way through shared memory: parts of some blocks each.
//!
//! Memory answers so many requests a second, each of bytes of one row, and a request of 64 bytes is one as well as one
//! of 128 (`ASKED_RUN_BYTES`). A block of bytes is 64 bytes of a row, of halves of bytes 32. So a part has the rows of
//! several blocks, one behind the other.
//!
//! A part's barrier turns when the copies (`cp.async`) of all fetching threads have come; the warps that compute its
//! blocks give it back. They ask for nothing themselves: they fence each block that they wrote for the matrix unit, and
//! a fence waits for all that its thread has under way (`MEMBAR`, then `FENCE.VIEW.ASYNC`).
//!
//! ```text
//! a part: for each operand, run by run, a row of bytes for each output, some bytes longer than the run
//! ```
//!
//! Worked example, E4M3, 64 outputs: four blocks, 64 rows of 256 bytes, 320 from one to the next: two rows that eight
//! lanes read together lie in banks of their own.

use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::Value;
use fornax_plan::{Node, NodeId, VarId};
use fornax_targets::fitted::gemm_wgmma::{ASKED_BYTES, ASKED_BYTES_MAX, ASKED_PARTS, ASKED_RUN_BYTES};

use super::LANES;
use super::runs::{Computed, Digit, Kind, Length, RUNS_MAX, Run, Runs, TOGETHER};

/// Bytes that divide where the rows of a run begin: those of the longest copy.
const ROWS_ALIGNMENT: u32 = 16;

/// Operands that are computed, with their outputs of a tile.
pub type Needs = [Option<(Computed, u32)>; 2];

/// How a workgroup asks for what it computes of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asking {
    /// Blocks of a part.
    pub together: u32,
    pub parts: u32,
}

impl Asking {
    /// That of tiles of so many blocks, which `split` workgroups share; nothing where nothing is needed.
    ///
    /// Worked example: 64 blocks of E4M3, shared by two: four blocks together, 256 bytes of a row.
    pub fn of(needs: &Needs, blocks: u64, split: u64) -> Asking {
        if needs.iter().all(Option::is_none) {
            return Asking::default();
        }
        let each = blocks.div_ceil(split.max(1));
        let divides = |n: &u32| each.is_multiple_of(u64::from(*n)) && blocks.is_multiple_of(u64::from(*n));
        let run = |n: u32| needs.iter().flatten().map(|(computed, _)| computed.longest(n)).min().unwrap_or(0);
        let has_room = |n: &u32| *n == 1 || ASKED_PARTS[0] * part_bytes(needs, *n) <= ASKED_BYTES_MAX;
        let mut fit = TOGETHER.into_iter().filter(|n| divides(n) && has_room(n));
        let long = fit.clone().find(|&n| run(n) >= ASKED_RUN_BYTES);
        let together = long.or_else(|| fit.next_back()).unwrap_or(1);
        let parts = ASKED_BYTES.checked_div(part_bytes(needs, together)).unwrap_or(ASKED_PARTS[1]);
        let parts = parts.clamp(ASKED_PARTS[0], ASKED_PARTS[1]);
        Asking { together, parts: parts as u32 }
    }

    /// Stages at most. A team waits for its part behind a stage whose block before is multiplied: that one's part, and
    /// all before, have come. With more stages the part could be two rounds behind, where its barrier says the same.
    pub fn stages_max(self) -> u64 {
        u64::from(self.together * self.parts)
    }

    /// Bytes of all parts.
    pub fn bytes(self, needs: &Needs) -> u64 {
        u64::from(self.parts) * part_bytes(needs, self.together)
    }
}

impl Computed {
    /// Bytes of the longest run of so many blocks.
    fn longest(&self, together: u32) -> u32 {
        self.runs.iter().flatten().map(|run| run.of(together)).max().unwrap_or(0)
    }

    /// Bytes of so many outputs' rows in a part, run by run.
    fn part(&self, outputs: u32, together: u32) -> impl Iterator<Item = u32> + '_ {
        let bytes = move |run: &Length| (outputs * run.pitch(together)).next_multiple_of(ROWS_ALIGNMENT);
        self.runs.iter().flatten().map(bytes)
    }
}

/// Bytes of a part.
pub fn part_bytes(needs: &Needs, together: u32) -> u64 {
    let operands = needs.iter().flatten();
    operands.flat_map(|(computed, outputs)| computed.part(*outputs, together)).map(u64::from).sum()
}

/// What a load reads of a run, where its thread's first lane has one of the steps of its grain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Found {
    pub run: usize,
    kind: Kind,
    block: Digit,
    share: Digit,
    lanes: i64,
    /// The step of the grain, where the word of the run is to be told.
    at: i64,
}

impl Found {
    /// What a load reads under the present bindings, the first lane's step of its grain being `at`, if it is copied:
    /// others are read where they are used.
    ///
    /// # Errors
    /// Those of its mask.
    pub fn of(e: &mut Emitter<'_>, runs: &Runs, (at, load): (i64, NodeId)) -> Result<Option<Found>, EmitError> {
        let Node::Load { mask, .. } = *e.exprs.node(load) else { return Ok(None) };
        let Some(place) = runs.place(load) else { return Ok(None) };
        if let Some(mask) = mask {
            let mask = e.eval(mask)?;
            if e.code.constant_bits(mask).is_none_or(|bits| bits == 0) {
                return Ok(None);
            }
        }
        let lanes = place.lanes.get(at as usize / LANES as usize).copied();
        let lanes = lanes.ok_or_else(|| e.malformed("a step behind the grain"))?;
        let in_word = runs.runs.get(place.run).is_some_and(|run| run.in_words);
        let (run, kind, block, share, at) =
            (place.run, place.kind, place.block, place.share, if in_word { at } else { 0 });
        Ok(Some(Found { run, kind, block, share, lanes, at }))
    }
}

/// Where a thread is: a pointer to the part, the output's row, the block of the part, the thread of those that share it
/// (i32), and the thread's first step (index type).
#[derive(Clone, Copy)]
pub struct Here {
    pub part: Value,
    pub row: Value,
    pub block: Value,
    pub share: Value,
    pub first: Value,
    /// How many outputs the thread's one lies behind `row`.
    pub ahead: u32,
}

/// A copy of a row: which one it is (i32), of row `row` (i32), `ahead` rows further.
#[derive(Clone, Copy)]
pub struct Copied {
    pub row: Value,
    pub number: Value,
    pub ahead: u32,
}

/// An operand's place in the parts.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub computed: Computed,
    /// Bytes from the start of a part to the rows of each run.
    starts: [u32; RUNS_MAX],
    pub together: u32,
}

impl Asked {
    /// The operands' places, in the order of the needs.
    pub fn all(needs: &Needs, together: u32) -> Vec<Asked> {
        let mut start = 0;
        let mut all = Vec::new();
        for (computed, outputs) in needs.iter().flatten() {
            let mut starts = [0; RUNS_MAX];
            for (place, bytes) in starts.iter_mut().zip(computed.part(*outputs, together)) {
                *place = start;
                start += bytes;
            }
            all.push(Asked { computed: *computed, starts, together });
        }
        all
    }

    /// Bytes from the start of a part to the first row of a run, and from one row to the next.
    fn rows(&self, run: usize) -> (u32, u32) {
        let pitch = self.computed.runs.get(run).copied().flatten().map_or(0, |run| run.pitch(self.together));
        (self.starts.get(run).copied().unwrap_or(0), pitch)
    }

    /// Asks for a copy of a run for a part, to whose first step the operand's step is bound.
    ///
    /// # Errors
    /// Those of its place.
    pub fn ask(
        &self,
        e: &mut Emitter<'_>,
        (at, run): (usize, &Run),
        part: Value,
        copied: Copied,
    ) -> Result<(), EmitError> {
        let Copied { row, number, ahead } = copied;
        let Node::Load { offset, .. } = *e.exprs.node(run.load) else { return Err(e.malformed("a run of no load")) };
        let (start, pitch) = self.rows(at);
        let row = e.code.int_k("arith.muli", row, pitch.into());
        let bytes = e.code.int_k("arith.muli", number, run.copy.into());
        let there = e.code.add_i(row, bytes);
        let there = e.code.add_ik(there, (start + ahead * pitch).into());
        let there = e.code.byte_offset(part, there);
        let index = e.index(offset)?;
        let first = e.index_scalar(index);
        let first = e.code.add_ik(first, run.behind);
        let number = e.code.resize_u(number, e.index);
        let number = e.code.int_k("arith.muli", number, run.apart);
        let first = e.code.add_i(first, number);
        if run.in_words {
            e.copy_word((run.buffer, first), there)
        } else {
            e.copy_bytes((run.buffer, first), run.copy.into(), there)
        }
    }

    /// What a load of a run gives.
    ///
    /// # Errors
    /// Those of its place and its element.
    pub fn take(
        &self,
        e: &mut Emitter<'_>,
        (load, step): (NodeId, VarId),
        (found, run): (Found, &Run),
        here: Here,
    ) -> Result<Value, EmitError> {
        let Node::Load { element, .. } = *e.exprs.node(load) else { return Err(e.malformed("a run of no load")) };
        let (start, pitch) = self.rows(found.run);
        let row = e.code.int_k("arith.muli", here.row, pitch.into());
        let place = e.code.add_ik(row, (start + here.ahead * pitch).into());
        let slot = i64::from(run.slot);
        let block = digit(e, here.block, found.block, slot);
        let share = digit(e, here.share, found.share, slot);
        let place = e.code.add_i(place, block);
        let place = e.code.add_i(place, share);
        let place = e.code.add_ik(place, found.lanes * slot);
        let there = e.code.byte_offset(here.part, place);
        match found.kind {
            Kind::Bytes => e.copied_lanes((run.buffer, element), there),
            Kind::Element if run.in_words => {
                let at = scalar(e, (load, step), here.first, found.at)?;
                e.copied_in_word((run.buffer, element), at, there)
            }
            Kind::Element => e.copied_element(element, there),
        }
    }
}

/// A digit's value for a number (i32), by so many bytes.
fn digit(e: &mut Emitter<'_>, of: Value, digit: Digit, bytes: i64) -> Value {
    let over = if digit.over == 0 { of } else { e.code.shr_uk(of, digit.over.into()) };
    let below = e.code.and_k(over, (1 << digit.bits) - 1);
    e.code.int_k("arith.muli", below, digit.by * bytes)
}

/// The place of an element at a step `at` behind a thread's first one, where all lanes have it in common.
fn scalar(e: &mut Emitter<'_>, (load, step): (NodeId, VarId), first: Value, at: i64) -> Result<Value, EmitError> {
    let Node::Load { offset, .. } = *e.exprs.node(load) else { return Err(e.malformed("a run of no load")) };
    let (lanes, bound) = (e.lanes, e.binding(step));
    e.lanes = 1;
    e.bind(step, Some(first), LANES.into(), at);
    let index = e.index(offset)?;
    let place = e.index_scalar(index);
    e.lanes = lanes;
    if let Some(bound) = bound {
        e.rebind(step, bound);
    }
    Ok(place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fornax_plan::NodeId;

    /// Runs of so many bytes in a block, of which the threads of an output read so many at once.
    fn computed(grain: u32, lengths: &[(u32, u32)]) -> Computed {
        let mut runs = [None; RUNS_MAX];
        for (run, &(bytes, at_once)) in runs.iter_mut().zip(lengths) {
            *run = Some(Length { bytes: TOGETHER.map(|n| n * bytes), at_once });
        }
        Computed { node: NodeId(0), grain, runs }
    }

    #[test]
    fn rows_of_some_blocks_are_long_and_lie_in_banks_of_their_own() {
        let bytes = [Some((computed(16, &[(64, 64)]), 64)), None];
        let halves = [Some((computed(32, &[(32, 32), (4, 0)]), 64)), None];
        assert_eq!(Asking::of(&bytes, 64, 2), Asking { together: 4, parts: 3 });
        assert_eq!(part_bytes(&bytes, 4), 64 * 320);
        assert_eq!(Asking::of(&halves, 64, 1).together, 8);
        assert_eq!(part_bytes(&halves, 8), 64 * (288 + 32));
        // Shares that are no multiples: three of 15 blocks, and 7 of 13 with one of 6.
        assert_eq!(Asking::of(&bytes, 45, 3).together, 1);
        assert_eq!(Asking::of(&bytes, 13, 2).together, 1);
        assert_eq!(Asking::of(&[None, None], 64, 1), Asking::default());
    }
}
