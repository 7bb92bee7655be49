//! What a lane has of a product of 16 rows: which rows, which runs of neighbouring columns, and which lanes have the
//! rest of its rows.
//!
//! | | lanes of a row | rows of a lane | run | runs of a lane begin |
//! | --- | --- | --- | --- | --- |
//! | `mma.sync` | 4 neighbours | l / 4 and 8 more | 2 | at 2·(l mod 4), every 8 |
//! | MFMA | every 16th, 4 | l mod 16 | 16 bytes of elements | at run·(l / 16), every 4 runs |
//! | WMMA | every 16th, 2 | l mod 16 | 16 bytes of elements | at run·(l / 16), every 2 runs |
//!
//! Worked example, MFMA on f16: lane 37 has row 5 and columns 16 … 23, 48 … 55.

use crate::attention::schedule::AttentionSchedule;

use fornax_emit::emitter::Emitter;
use fornax_emit::text::Value;

/// The lanes of a fragment's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    wave: u32,
    /// Lanes of a row differ in these bits.
    pub masks: &'static [u32],
    /// Rows of a lane; its values take turns in them, a run each.
    pub slots: usize,
    /// Neighbouring columns of a lane.
    pub run: usize,
    /// Columns between the starts of a lane's runs.
    apart: i64,
}

const QUADS: Share = Share { wave: 32, masks: &[1, 2], slots: 2, run: 2, apart: 8 };

impl Share {
    pub fn of(schedule: &AttentionSchedule) -> Share {
        let Some(chunks) = &schedule.chunks else { return QUADS };
        let wave = chunks.atom.wave();
        let masks: &[u32] = if wave == 64 { &[16, 32] } else { &[16] };
        Share { wave, masks, slots: 1, run: chunks.run() as usize, apart: i64::from(chunks.step()) }
    }

    /// Masks of all lanes.
    pub fn wave_masks(&self) -> &'static [u32] {
        const ALL: &[u32] = &[32, 16, 8, 4, 2, 1];
        if self.wave == 64 { ALL } else { &ALL[1..] }
    }

    /// Of `values` of a lane, the starts of the runs of a slot, each with its distance in columns from the lane's first
    /// run.
    pub fn runs(&self, values: usize, slot: usize) -> impl Iterator<Item = (usize, i64)> + use<> {
        let Share { slots, run, apart, .. } = *self;
        (0..values / (run * slots)).map(move |at| ((at * slots + slot) * run, at as i64 * apart))
    }

    /// The values of a slot.
    pub fn places(&self, values: usize, slot: usize) -> Vec<usize> {
        self.runs(values, slot).flat_map(|(at, _)| at..at + self.run).collect()
    }

    /// Where the first run of a lane begins, as an index.
    pub fn run_start(&self, e: &mut Emitter<'_>, lane: Value) -> Value {
        let number = match self.slots {
            1 => e.code.shr_uk(lane, 4),
            _ => e.code.and_k(lane, 3),
        };
        let start = e.code.int_k("arith.muli", number, self.run as i64);
        e.code.resize_u(start, e.index)
    }

    /// The lane's first row.
    pub fn row(&self, e: &mut Emitter<'_>, lane: Value) -> Value {
        match self.slots {
            1 => e.code.and_k(lane, 15),
            _ => e.code.shr_uk(lane, 2),
        }
    }

    /// Rows between those of a lane, the next fragment's among them.
    pub fn row_distance(&self) -> i64 {
        16 / self.slots as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_mma_take_turns_in_two_rows() {
        assert_eq!(QUADS.places(8, 0), [0, 1, 4, 5]);
        assert_eq!(QUADS.places(8, 1), [2, 3, 6, 7]);
        assert_eq!(QUADS.runs(8, 1).collect::<Vec<_>>(), [(2, 0), (6, 8)]);
    }
}
