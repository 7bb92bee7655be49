//! LDS of one workgroup: bytes, which of them were written, and who touched them since the last barrier.
//!
//! Input: reads and writes of lanes. Output: values, or the fault: outside of the workgroup's LDS, or two waves at the
//! same bytes without a barrier between, one of them writing another value. A write that its wave has not waited for
//! when it reaches a barrier counts as one behind the barrier.
//!
//! Worked example: wave 0 writes byte 0 in epoch 3, wave 1 reads it in epoch 3: a race. In epoch 4, behind a barrier,
//! it is not.

use crate::errors::FaultKind;
use crate::inst::{Step, Trap};

/// Who touched a byte: epoch and wave. Zero: nobody.
type Stamp = u32;
const WAVE_BITS: u32 = 6;
const MANY: u32 = (1 << WAVE_BITS) - 1;
/// Marks of a stamp: the value is not defined; the access was atomic.
const UNDEFINED: u32 = 1 << 31;
const ATOMIC: u32 = 1 << 30;

pub struct Lds {
    pub bytes: Vec<u8>,
    writes: Vec<Stamp>,
    reads: Vec<Stamp>,
    pub epoch: u32,
    /// More than one wave: races can be.
    pub shared: bool,
}

/// Who accesses: wave and lane.
#[derive(Clone, Copy)]
pub struct Who {
    pub wave: u32,
    pub lane: u32,
}

impl Lds {
    pub fn new(bytes: usize) -> Lds {
        Lds { bytes: vec![0; bytes], writes: vec![0; bytes], reads: vec![0; bytes], epoch: 1, shared: false }
    }

    /// As before a launch, with a pattern that is a NaN.
    pub fn reset(&mut self, shared: bool) {
        self.bytes.fill(0xff);
        self.writes.fill(0);
        self.reads.fill(0);
        self.epoch = 1;
        self.shared = shared;
    }

    fn stamp(&self, wave: u32) -> Stamp {
        self.epoch << WAVE_BITS | (wave + 1)
    }

    fn range(&self, who: Who, address: u32, bytes: u32) -> Step<usize> {
        let inside = address.checked_add(bytes).is_some_and(|end| end as usize <= self.bytes.len());
        if inside {
            return Ok(address as usize);
        }
        let what = format!("{bytes} bytes of LDS, the workgroup has {}", self.bytes.len());
        Err(Trap::at(FaultKind::OutOfBounds, Some(who.lane), u64::from(address), what))
    }

    /// Whether another wave's stamp stands in this epoch.
    fn other(&self, stamp: Stamp, mine: Stamp) -> bool {
        stamp != 0
            && (stamp & !(UNDEFINED | ATOMIC)) >> WAVE_BITS == self.epoch
            && (stamp & !(UNDEFINED | ATOMIC)) != mine
    }

    fn race(who: Who, address: usize, what: &str, stamp: Stamp) -> Box<Trap> {
        let other = match stamp & MANY {
            MANY => "several waves".to_string(),
            wave => format!("wave {}", wave - 1),
        };
        let what = format!("{what} LDS that {other} touched without a barrier, or a wait before it, between");
        Trap::at(FaultKind::Race, Some(who.lane), address as u64, what)
    }

    /// Copies bytes out; whether all of them are defined.
    pub fn read(&mut self, who: Who, address: u32, out: &mut [u8], atomic: bool) -> Step<bool> {
        let at = self.range(who, address, out.len() as u32)?;
        let range = at..at + out.len();
        out.copy_from_slice(&self.bytes[range.clone()]);
        let mine = self.stamp(who.wave);
        let mut defined = true;
        for byte in range {
            let write = self.writes[byte];
            defined &= write != 0 && write & UNDEFINED == 0;
            if !self.shared {
                continue;
            }
            if self.other(write, mine) && !(atomic && write & ATOMIC != 0) {
                return Err(Lds::race(who, byte, "reads", write));
            }
            let read = self.reads[byte];
            if read != mine {
                self.reads[byte] = if self.other(read, mine) { self.epoch << WAVE_BITS | MANY } else { mine };
            }
        }
        Ok(defined)
    }

    /// Writes bytes; `defined` tells whether something wrote the values.
    pub fn write(&mut self, who: Who, address: u32, value: &[u8], defined: bool, atomic: bool) -> Step {
        let at = self.range(who, address, value.len() as u32)?;
        let mine = self.stamp(who.wave);
        let mark = mine | if defined { 0 } else { UNDEFINED } | if atomic { ATOMIC } else { 0 };
        for (byte, new) in (at..).zip(value) {
            if self.shared && self.bytes[byte] != *new {
                let (write, read) = (self.writes[byte], self.reads[byte]);
                if self.other(write, mine) && !(atomic && write & ATOMIC != 0) {
                    return Err(Lds::race(who, byte, "writes", write));
                }
                if self.other(read, mine) && !atomic {
                    return Err(Lds::race(who, byte, "writes", read));
                }
            }
            self.bytes[byte] = *new;
            self.writes[byte] = mark;
        }
        Ok(())
    }

    /// A write that is still under way when its wave reaches a barrier: it may happen behind it.
    pub fn late(&mut self, wave: u32, address: u32, bytes: u32) {
        let mine = self.stamp(wave);
        let later = (self.epoch + 1) << WAVE_BITS | (wave + 1);
        for byte in address as usize..(address + bytes) as usize {
            if let Some(stamp) = self.writes.get_mut(byte).filter(|stamp| **stamp & !(UNDEFINED | ATOMIC) == mine) {
                *stamp = later | *stamp & (UNDEFINED | ATOMIC);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Who = Who { wave: 0, lane: 0 };
    const B: Who = Who { wave: 1, lane: 0 };

    fn lds() -> Lds {
        let mut lds = Lds::new(16);
        lds.reset(true);
        lds
    }

    fn kind(step: Step<bool>) -> Option<FaultKind> {
        step.err().map(|trap| trap.kind)
    }

    #[test]
    fn races_are_seen_and_barriers_end_them() {
        let mut lds = lds();
        lds.write(A, 0, &[1; 4], true, false).unwrap();
        let mut out = [0; 4];
        assert!(lds.read(A, 0, &mut out, false).unwrap());
        assert_eq!(kind(lds.read(B, 0, &mut out, false)), Some(FaultKind::Race));
        lds.epoch += 1;
        assert!(lds.read(B, 0, &mut out, false).unwrap());
        assert_eq!(lds.write(A, 0, &[2; 4], true, false).unwrap_err().kind, FaultKind::Race);
        assert!(lds.write(A, 0, &[1; 4], true, false).is_ok(), "the same value harms nobody");
    }

    #[test]
    fn late_writes_and_bounds() {
        let mut lds = lds();
        lds.write(A, 8, &[1; 4], true, false).unwrap();
        lds.late(0, 8, 4);
        lds.epoch += 1;
        assert_eq!(kind(lds.read(B, 8, &mut [0; 4], false)), Some(FaultKind::Race));
        assert_eq!(kind(lds.read(B, 13, &mut [0; 4], false)), Some(FaultKind::OutOfBounds));
        assert!(!lds.read(B, 0, &mut [0; 4], false).unwrap(), "nothing wrote it");
    }
}
