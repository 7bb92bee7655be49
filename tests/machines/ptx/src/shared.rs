//! A workgroup's shared memory and who touched it: the detector of races, stale reads and missing proxy fences.
//!
//! Memory is watched in cells of the kernel's smallest access. A cell knows its last writer with the writer's clock,
//! when each warp read it last, and how many asynchronous copies read or write it right now. Every warp has a clock
//! that advances when it synchronises, and a vector of the clocks of others that it has synchronised with; an access is
//! ordered after an earlier one where the vector has reached the earlier one's clock. Barriers and mbarrier phases join
//! vectors. A second vector holds what a proxy fence has made visible to bulk copies and warpgroup multiplies.
//!
//! Worked example: warp 0 stores at clock 3; both warps meet at a barrier, warp 1's vector now says (3, …); its load is
//! ordered. Without the barrier its vector says (2, …): a race.

use crate::errors::Fault;

/// What went wrong, before it is known where.
pub type Raw = (Fault, String);
pub type Check<T> = std::result::Result<T, Raw>;

/// No writer yet.
const NOBODY: u16 = u16::MAX;
/// Stands for all lanes of a warp at once.
pub const ALL_LANES: u8 = 255;

#[derive(Clone, Copy, Debug)]
struct Cell {
    writer: u16,
    lane: u8,
    /// Written by an ordinary store, not by a bulk copy.
    generic: bool,
    /// An mbarrier lies here.
    barrier: bool,
    read_lane: u8,
    clock: u32,
    pending_writes: u16,
    pending_reads: u16,
}

const FRESH: Cell = Cell {
    writer: NOBODY,
    lane: 0,
    generic: false,
    barrier: false,
    read_lane: ALL_LANES,
    clock: 0,
    pending_writes: 0,
    pending_reads: 0,
};

/// When a warp read a cell last, 0 for never: at all, and by an ordinary load.
#[derive(Clone, Copy, Debug, Default)]
struct Read {
    clock: u32,
    generic: u32,
}

/// Who makes an access.
#[derive(Clone, Copy)]
pub struct Who<'v> {
    /// Number of the warp in its cluster.
    pub warp: usize,
    pub lane: u8,
    pub clock: u32,
    /// Clock at which the warp's lanes last synchronised among themselves.
    pub lane_sync: u32,
    /// Clocks that are ordered before.
    pub seen: &'v [u32],
    /// Clocks that asynchronous copies see too.
    pub proxied: &'v [u32],
}

#[derive(Debug)]
pub struct Shared {
    pub bytes: Vec<u8>,
    cells: Vec<Cell>,
    /// Each warp's last read of each cell.
    reads: Vec<Read>,
    warps: usize,
    shift: u32,
}

impl Shared {
    pub fn new(size: u32, granule: u32, warps: usize) -> Shared {
        let shift = granule.max(1).ilog2();
        let cells = (size >> shift) as usize + 1;
        Shared {
            bytes: vec![0xFB; size as usize],
            cells: vec![FRESH; cells],
            reads: vec![Read::default(); cells * warps],
            warps,
            shift,
        }
    }

    /// Cells of a range, checked against the size.
    fn range(&self, at: u32, bytes: u32) -> Check<std::ops::Range<usize>> {
        let end = u64::from(at) + u64::from(bytes);
        if end > self.bytes.len() as u64 {
            let size = self.bytes.len();
            return Err((Fault::OutOfBounds, format!("bytes {at} to {end} of {size} bytes of shared memory")));
        }
        Ok((at >> self.shift) as usize..(end.div_ceil(1 << self.shift)) as usize)
    }

    fn ordered(cell: &Cell, who: &Who, what: &str, at: u32) -> Check<()> {
        if cell.writer == NOBODY {
            return Ok(());
        }
        let writer = usize::from(cell.writer);
        let fine = if writer == who.warp {
            cell.clock < who.lane_sync || (cell.lane == who.lane && who.lane != ALL_LANES)
        } else {
            who.seen.get(writer).is_some_and(|&seen| seen >= cell.clock)
        };
        if fine {
            return Ok(());
        }
        let by = if writer < 1024 { format!("warp {writer} lane {}", cell.lane) } else { "a bulk copy".into() };
        Err((
            Fault::Race,
            format!("{what} shared byte {at}, which {by} wrote with nothing in between to order the two"),
        ))
    }

    fn visible(cell: &Cell, who: &Who, at: u32) -> Check<()> {
        let writer = usize::from(cell.writer);
        if !cell.generic || cell.writer == NOBODY || who.proxied.get(writer).is_some_and(|&seen| seen >= cell.clock) {
            return Ok(());
        }
        Err((
            Fault::MissingFence,
            format!("an asynchronous access to shared byte {at}, stored by warp {writer} without a proxy fence since"),
        ))
    }

    /// An ordinary read.
    pub fn read(&mut self, at: u32, bytes: u32, who: &Who) -> Check<()> {
        for index in self.range(at, bytes)? {
            let byte = (index as u32) << self.shift;
            let cell = &mut self.cells[index];
            if cell.pending_writes > 0 {
                return Err((Fault::Race, format!("a read of shared byte {byte} while a copy into it is under way")));
            }
            if cell.barrier {
                return Err((
                    Fault::Barrier,
                    format!("an ordinary read of shared byte {byte}, where an mbarrier lies"),
                ));
            }
            if cell.writer == NOBODY {
                return Err((Fault::Uninitialised, format!("a read of shared byte {byte}, which nothing wrote")));
            }
            Self::ordered(cell, who, "a read of", byte)?;
            let read = &mut self.reads[index * self.warps + who.warp];
            let again = read.clock == who.clock && cell.read_lane != who.lane;
            cell.read_lane = if again { ALL_LANES } else { who.lane };
            *read = Read { clock: who.clock, generic: who.clock };
        }
        Ok(())
    }

    fn free_of_readers(&self, index: usize, who: &Who, byte: u32) -> Check<()> {
        let cell = &self.cells[index];
        let reads = &self.reads[index * self.warps..(index + 1) * self.warps];
        for (warp, &Read { clock, .. }) in reads.iter().enumerate() {
            let fine = if warp == who.warp {
                clock < who.lane_sync.max(1) || (cell.read_lane == who.lane && who.lane != ALL_LANES)
            } else {
                who.seen.get(warp).is_some_and(|&seen| seen >= clock)
            };
            if clock > 0 && !fine {
                return Err((
                    Fault::Race,
                    format!(
                        "a write to shared byte {byte}, which warp {warp} read with nothing in between to order the two"
                    ),
                ));
            }
        }
        Ok(())
    }

    /// An ordinary load may still be under way when the barrier behind it has turned: only a proxy fence, or its use,
    /// keeps a copy from overtaking it.
    fn read_out(&self, index: usize, who: &Who, byte: u32) -> Check<()> {
        let reads = &self.reads[index * self.warps..(index + 1) * self.warps];
        let over = |warp: usize, read: &Read| who.proxied.get(warp).is_some_and(|&seen| seen >= read.generic);
        match reads.iter().enumerate().find(|(warp, read)| read.generic > 0 && !over(*warp, read)) {
            None => Ok(()),
            Some((warp, _)) => Err((
                Fault::MissingFence,
                format!("a copy into shared byte {byte}, which warp {warp} read without a proxy fence since"),
            )),
        }
    }

    /// `same`: the bytes stay what they are, which two writers may do without an order.
    fn writable(&self, index: usize, who: &Who, byte: u32, same: bool) -> Check<()> {
        let cell = &self.cells[index];
        if cell.pending_writes > 0 || cell.pending_reads > 0 {
            let what = if cell.pending_writes > 0 { "a copy into it" } else { "an asynchronous read of it" };
            return Err((Fault::Race, format!("a write to shared byte {byte} while {what} is under way")));
        }
        if cell.barrier {
            return Err((Fault::Barrier, format!("an ordinary write to shared byte {byte}, where an mbarrier lies")));
        }
        if !same {
            Self::ordered(cell, who, "a write to", byte)?;
        }
        self.free_of_readers(index, who, byte)
    }

    /// An ordinary write of these bytes.
    pub fn write(&mut self, at: u32, bytes: &[u8], who: &Who) -> Check<()> {
        let range = self.range(at, bytes.len() as u32)?;
        let place = at as usize..at as usize + bytes.len();
        let same = self.bytes[place.clone()] == *bytes;
        for index in range {
            self.writable(index, who, (index as u32) << self.shift, same)?;
            self.stamp(index, who.warp, who.lane, who.clock, true);
        }
        self.bytes[place].copy_from_slice(bytes);
        Ok(())
    }

    fn stamp(&mut self, index: usize, writer: usize, lane: u8, clock: u32, generic: bool) {
        let cell = &mut self.cells[index];
        (cell.writer, cell.lane, cell.clock, cell.generic) = (writer as u16, lane, clock, generic);
        self.reads[index * self.warps..(index + 1) * self.warps].fill(Read::default());
    }

    /// An atomic: ordered by itself; what it writes anyone may read after synchronising.
    pub fn atomic(&mut self, at: u32, bytes: u32, who: &Who) -> Check<()> {
        for index in self.range(at, bytes)? {
            let cell = &self.cells[index];
            if cell.pending_writes > 0 {
                return Err((Fault::Race, format!("an atomic on shared byte {at} while a copy into it is under way")));
            }
            if cell.writer == NOBODY {
                return Err((Fault::Uninitialised, format!("an atomic on shared byte {at}, which nothing wrote")));
            }
            self.stamp(index, who.warp, ALL_LANES, who.clock, true);
        }
        Ok(())
    }

    /// A copy into the range begins: nothing may touch it until it ends. `proxied`: it is a bulk copy.
    pub fn begin_write(&mut self, at: u32, bytes: u32, who: &Who, proxied: bool) -> Check<()> {
        for index in self.range(at, bytes)? {
            let byte = (index as u32) << self.shift;
            self.writable(index, who, byte, false)?;
            if proxied {
                Self::visible(&self.cells[index], who, byte)?;
                self.read_out(index, who, byte)?;
            }
            self.cells[index].pending_writes += 1;
        }
        Ok(())
    }

    /// The copy has ended, and counts as a write by `writer` at `clock`.
    pub fn end_write(&mut self, at: u32, bytes: u32, writer: usize, lane: u8, clock: u32, generic: bool) -> Check<()> {
        for index in self.range(at, bytes)? {
            self.cells[index].pending_writes -= 1;
            self.stamp(index, writer, lane, clock, generic);
        }
        Ok(())
    }

    /// An asynchronous read of the range begins.
    pub fn begin_read(&mut self, at: u32, bytes: u32, who: &Who) -> Check<()> {
        for index in self.range(at, bytes)? {
            let byte = (index as u32) << self.shift;
            let cell = &self.cells[index];
            if cell.pending_writes > 0 {
                return Err((Fault::Race, format!("a read of shared byte {byte} while a copy into it is under way")));
            }
            if cell.writer == NOBODY {
                return Err((Fault::Uninitialised, format!("a read of shared byte {byte}, which nothing wrote")));
            }
            Self::ordered(cell, who, "a read of", byte)?;
            Self::visible(cell, who, byte)?;
            self.cells[index].pending_reads += 1;
        }
        Ok(())
    }

    /// The asynchronous read has ended, and counts as a read by `warp` at `clock`.
    pub fn end_read(&mut self, at: u32, bytes: u32, warp: usize, clock: u32) -> Check<()> {
        for index in self.range(at, bytes)? {
            let cell = &mut self.cells[index];
            cell.pending_reads -= 1;
            cell.read_lane = ALL_LANES;
            self.reads[index * self.warps + warp].clock = clock;
        }
        Ok(())
    }

    /// Marks or unmarks an mbarrier.
    pub fn barrier(&mut self, at: u32, is: bool) -> Check<()> {
        for index in self.range(at, 8)? {
            self.cells[index].barrier = is;
            if !is {
                self.cells[index].writer = NOBODY;
            }
        }
        Ok(())
    }

    pub fn get(&self, at: u32, bytes: u32) -> u64 {
        word(&self.bytes[at as usize..(at + bytes) as usize])
    }

    pub fn set(&mut self, at: u32, bytes: u32, value: u64) {
        let at = at as usize;
        self.bytes[at..at + bytes as usize].copy_from_slice(&value.to_le_bytes()[..bytes as usize]);
    }
}

/// The number in up to eight bytes, little end first.
pub fn word(bytes: &[u8]) -> u64 {
    // Lengths that are known are one load; any other is a call of memcpy.
    match *bytes {
        [a] => a.into(),
        [a, b] => u16::from_le_bytes([a, b]).into(),
        [a, b, c, d] => u32::from_le_bytes([a, b, c, d]).into(),
        [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => {
            let mut word = [0u8; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(word)
        }
    }
}

/// Turns that the banks need for one access of a warp, and the fewest for its width: 128 bytes a turn.
pub fn bank_turns(addresses: &[u32], bytes: u32) -> (u64, u64) {
    let phase = (128 / bytes.clamp(4, 128)) as usize;
    let (mut turns, mut least) = (0, 0);
    for chunk in addresses.chunks(phase) {
        // Words of each bank: the first, and the others.
        let (mut first, mut used) = ([u32::MAX; 32], [0u8; 32]);
        let mut others: Vec<u32> = Vec::new();
        let mut distinct = 0u64;
        for &address in chunk {
            for word in (address >> 2)..=((address + bytes - 1) >> 2) {
                let bank = (word % 32) as usize;
                if used[bank] == 0 {
                    first[bank] = word;
                } else if first[bank] == word || others.contains(&word) {
                    continue;
                } else {
                    others.push(word);
                }
                used[bank] += 1;
                distinct += 1;
            }
        }
        turns += u64::from(used.iter().max().copied().unwrap_or(0).max(1));
        least += distinct.div_ceil(32).max(1);
    }
    (turns, least)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn who(warp: usize, seen: &'static [u32]) -> Who<'static> {
        Who { warp, lane: 0, clock: 2, lane_sync: 2, seen, proxied: &[] }
    }

    #[test]
    fn order_decides() {
        let mut shared = Shared::new(64, 4, 2);
        assert_eq!(shared.read(0, 4, &who(0, &[2, 0])).unwrap_err().0, Fault::Uninitialised);
        shared.write(0, &[1; 4], &who(0, &[2, 0])).unwrap();
        assert_eq!(shared.read(0, 4, &who(1, &[1, 2])).unwrap_err().0, Fault::Race);
        shared.read(0, 4, &who(1, &[2, 2])).unwrap();
        assert_eq!(shared.write(0, &[2; 4], &who(0, &[2, 1])).unwrap_err().0, Fault::Race);
        shared.write(0, &[1; 4], &who(0, &[2, 2])).unwrap();
        assert_eq!(shared.write(62, &[1; 4], &who(0, &[2, 2])).unwrap_err().0, Fault::OutOfBounds);
        assert_eq!(shared.begin_read(0, 4, &who(1, &[2, 2])).unwrap_err().0, Fault::MissingFence);
    }

    #[test]
    fn a_copy_waits_for_ordinary_reads() {
        let mut shared = Shared::new(64, 4, 2);
        let producer = |proxied: &'static [u32]| Who { proxied, ..who(0, &[2, 2]) };
        shared.begin_write(0, 4, &producer(&[2, 0]), true).unwrap();
        shared.end_write(0, 4, 0, 0, 2, false).unwrap();
        shared.read(0, 4, &who(1, &[2, 2])).unwrap();
        // The warps have met, the reader had no fence.
        assert_eq!(shared.begin_write(0, 4, &producer(&[2, 1]), true).unwrap_err().0, Fault::MissingFence);
        shared.begin_write(0, 4, &producer(&[2, 2]), true).unwrap();
    }

    #[test]
    fn banks() {
        let rows: Vec<u32> = (0..32).map(|lane| lane * 128).collect();
        assert_eq!(bank_turns(&rows, 4), (32, 1));
        let dense: Vec<u32> = (0..32).map(|lane| lane * 16).collect();
        assert_eq!(bank_turns(&dense, 16), (4, 4));
        assert_eq!(bank_turns(&[0; 32], 4), (1, 1));
    }
}
