//! Offsets of intermediates in the arena: values whose lives do not overlap may share bytes.
//!
//! Largest first, each at the lowest offset where it fits among those that live at the same time.
//!
//! Worked example: a (0..2, 400 B), b (1..3, 300 B), c (2..4, 100 B) in commands: a at 0, b at 512, c at 1024: c begins
//! with the command that reads a last, so they may not share.

use super::ARENA_ALIGNMENT;

/// A value in need of a place: it is written by command `first` and read by command `last` at the latest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    pub bytes: u64,
    pub first: usize,
    pub last: usize,
}

/// Offsets, one an interval, and the arena's size.
pub fn place(intervals: &[Interval]) -> (Vec<u64>, u64) {
    let mut order: Vec<usize> = (0..intervals.len()).collect();
    order.sort_by_key(|&i| (std::cmp::Reverse(intervals[i].bytes), intervals[i].first, i));
    let mut offsets = vec![0u64; intervals.len()];
    let mut placed: Vec<usize> = Vec::new();
    let mut size = 0;
    for i in order {
        let interval = intervals[i];
        let mut taken: Vec<(u64, u64)> = placed
            .iter()
            .filter(|&&p| intervals[p].first <= interval.last && interval.first <= intervals[p].last)
            .map(|&p| (offsets[p], offsets[p] + intervals[p].bytes))
            .collect();
        taken.sort_unstable();
        let mut at = 0u64;
        for (start, end) in taken {
            if at + interval.bytes <= start {
                break;
            }
            at = at.max(end.next_multiple_of(ARENA_ALIGNMENT));
        }
        offsets[i] = at;
        size = size.max(at + interval.bytes);
        placed.push(i);
    }
    (offsets, size.next_multiple_of(ARENA_ALIGNMENT))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(bytes: u64, first: usize, last: usize) -> Interval {
        Interval { bytes, first, last }
    }

    #[test]
    fn overlapping_lives_are_apart() {
        let (offsets, size) = place(&[interval(400, 0, 2), interval(300, 1, 3), interval(100, 2, 4)]);
        assert_eq!(offsets, [0, 512, 1024]);
        assert_eq!(size, 1280);
    }

    #[test]
    fn a_chain_takes_two_buffers() {
        let chain: Vec<Interval> = (0..10).map(|i| interval(1000, i, i + 1)).collect();
        let (offsets, size) = place(&chain);
        assert_eq!(size, 2048);
        for pair in offsets.windows(2) {
            assert_ne!(pair[0], pair[1]);
        }
    }

    #[test]
    fn no_intermediates_no_arena() {
        assert_eq!(place(&[]), (vec![], 0));
    }
}
