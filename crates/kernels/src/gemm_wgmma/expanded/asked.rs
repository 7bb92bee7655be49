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
//! a part: for each operand rows of pieces, each some bytes longer than its run, then words
//! ```
//!
//! Worked example, E4M3, 64 outputs: four blocks, 64 rows of 256 bytes, 320 from one to the next: two rows that eight
//! lanes read together lie in banks of their own.

use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::Value;
use fornax_graph::ElementType;
use fornax_plan::{IndexId, Node, NodeId};
use fornax_targets::fitted::gemm_wgmma::{ASKED_BYTES, ASKED_PARTS, ASKED_RUN_BYTES};

use super::pieces::{Computed, Kind, Numbers, PIECE_BYTES, WORD_BYTES};

/// Blocks of a part.
const TOGETHER: [u32; 4] = [1, 2, 4, 8];
/// Bytes of all banks of shared memory.
const BANKS_BYTES: u32 = 128;

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
        let run = |n: u32| needs.iter().flatten().map(|(computed, _)| computed.run(n)).min().unwrap_or(0);
        let mut fit = TOGETHER.into_iter().filter(divides);
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
    /// Bytes of a row's pieces in so many blocks, and from one row to the next.
    fn run(&self, together: u32) -> u32 {
        together * self.sharers() * self.pieces * PIECE_BYTES
    }

    fn pitch(&self, together: u32) -> u32 {
        // Rows that eight lanes read together: as many as do not share one.
        let apart = (self.sharers() * PIECE_BYTES) % BANKS_BYTES;
        self.run(together).saturating_sub(apart).next_multiple_of(BANKS_BYTES) + apart
    }

    /// Bytes of so many outputs' pieces and words in a part.
    fn part(&self, outputs: u32, together: u32) -> [u32; 2] {
        let words = outputs * together * self.sharers() * self.words * WORD_BYTES;
        [outputs * self.pitch(together), words.next_multiple_of(PIECE_BYTES)]
    }
}

/// Bytes of a part.
pub fn part_bytes(needs: &Needs, together: u32) -> u64 {
    needs
        .iter()
        .flatten()
        .map(|(computed, outputs)| u64::from(computed.part(*outputs, together).iter().sum::<u32>()))
        .sum()
}

/// What a load reads: which of the pieces or words of a thread's steps.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    pub kind: Kind,
    pub number: u32,
    buffer: u32,
    element: ElementType,
    offset: IndexId,
}

impl Found {
    /// What a load reads under the present bindings, the first lane's step of its grain being `at`, if it is copied:
    /// others are read where they are used.
    ///
    /// # Errors
    /// Those of its place and its mask.
    pub fn of(e: &mut Emitter<'_>, numbers: &Numbers, (at, load): (i64, NodeId)) -> Result<Option<Found>, EmitError> {
        let Node::Load { buffer, element, offset, mask } = *e.exprs.node(load) else { return Ok(None) };
        let Some((kind, number)) = numbers.find(at, load) else { return Ok(None) };
        if let Some(mask) = mask {
            let mask = e.eval(mask)?;
            if e.code.constant_bits(mask).is_none_or(|bits| bits == 0) {
                return Ok(None);
            }
        }
        let is_copied = match kind {
            Kind::Piece => e.copies_lanes((buffer, offset))?,
            Kind::Word => e.copies_word((buffer, offset))?,
        };
        Ok(is_copied.then_some(Found { kind, number, buffer, element, offset }))
    }
}

/// An operand's place in the parts.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub computed: Computed,
    /// Bytes from the start of a part to the pieces and to the words.
    starts: [u32; 2],
    together: u32,
}

impl Asked {
    /// The operands' places, in the order of the needs.
    pub fn all(needs: &Needs, together: u32) -> Vec<Asked> {
        let mut start = 0;
        let mut all = Vec::new();
        for (computed, outputs) in needs.iter().flatten() {
            let [pieces, words] = computed.part(*outputs, together);
            all.push(Asked { computed: *computed, starts: [start, start + pieces], together });
            start += pieces + words;
        }
        all
    }

    /// Where a piece or a word lies: `part` a pointer to the part, of steps `share` (i32, of all of the part's blocks)
    /// of output `row` (i32) behind the first, `ahead` outputs further.
    fn place(&self, e: &mut Emitter<'_>, found: Found, (part, row, share): (Value, Value, Value), ahead: u32) -> Value {
        let (pitch, each, start, bytes) = match found.kind {
            Kind::Piece => {
                (self.computed.pitch(self.together), self.computed.pieces * PIECE_BYTES, self.starts[0], PIECE_BYTES)
            }
            Kind::Word => {
                let each = self.computed.words * WORD_BYTES;
                (self.together * self.computed.sharers() * each, each, self.starts[1], WORD_BYTES)
            }
        };
        let row = e.code.int_k("arith.muli", row, pitch.into());
        let share = e.code.int_k("arith.muli", share, each.into());
        let place = e.code.add_i(row, share);
        let place = e.code.add_ik(place, (start + ahead * pitch + found.number * bytes).into());
        e.code.byte_offset(part, place)
    }

    /// Asks for what a load reads.
    ///
    /// # Errors
    /// Those of its place.
    pub fn ask(
        &self,
        e: &mut Emitter<'_>,
        found: Found,
        at: (Value, Value, Value),
        ahead: u32,
    ) -> Result<(), EmitError> {
        let there = self.place(e, found, at, ahead);
        match found.kind {
            Kind::Piece => e.copy_lanes((found.buffer, found.offset), there),
            Kind::Word => e.copy_word((found.buffer, found.offset), there),
        }
    }

    /// What a load gives that was asked for and has come.
    ///
    /// # Errors
    /// Those of its place and its element.
    pub fn take(
        &self,
        e: &mut Emitter<'_>,
        found: Found,
        at: (Value, Value, Value),
        ahead: u32,
    ) -> Result<Value, EmitError> {
        let there = self.place(e, found, at, ahead);
        match found.kind {
            Kind::Piece => e.copied_lanes((found.buffer, found.element), there),
            Kind::Word => e.copied_word((found.buffer, found.offset), found.element, there),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fornax_plan::NodeId;

    #[test]
    fn rows_of_some_blocks_are_long_and_lie_in_banks_of_their_own() {
        let bytes = Computed { node: NodeId(0), grain: 16, pieces: 1, words: 0 };
        let halves = Computed { node: NodeId(0), grain: 32, pieces: 1, words: 1 };
        let (bytes, halves) = ([Some((bytes, 64)), None], [Some((halves, 64)), None]);
        assert_eq!(Asking::of(&bytes, 64, 2), Asking { together: 4, parts: 3 });
        assert_eq!(part_bytes(&bytes, 4), 64 * 320);
        assert_eq!(Asking::of(&halves, 64, 1).together, 8);
        assert_eq!(part_bytes(&halves, 8), 64 * (288 + 64));
        // Shares that are no multiples: three of 15 blocks, and 7 of 13 with one of 6.
        assert_eq!(Asking::of(&bytes, 45, 3).together, 1);
        assert_eq!(Asking::of(&bytes, 13, 2).together, 1);
        assert_eq!(Asking::of(&[None, None], 64, 1), Asking::default());
    }
}
