//! Global memory: the launch's buffers, who wrote each byte, how much was moved.
//!
//! An address is `(buffer + 1) · 2⁴⁰ + byte`, so that nothing reaches a neighbour by going too far. Bytes of buffers
//! that are written know the thread that did it; a second thread must be ordered after it (by a barrier, or, between
//! workgroups, by atomics).

use crate::errors::Fault;
use crate::launch::{Buffer, BufferKind};
use crate::shared::{ALL_LANES, Check, Who, word};

const SPAN: u32 = 40;
/// Written by an atomic.
const ATOMIC: u64 = u64::MAX;

/// Who wrote a byte: workgroup + 1, warp of its cluster, lane, clock.
fn stamp(workgroup: u64, who: &Who) -> u64 {
    ((workgroup + 1) << 44) | ((who.warp as u64) << 36) | (u64::from(who.lane) << 28) | u64::from(who.clock)
}

/// Who accesses global memory, and what its workgroup has synchronised with.
pub struct Thread<'v> {
    pub workgroup: u64,
    /// First workgroup of its cluster, and how many there are.
    pub cluster: (u64, u64),
    /// The workgroup has looked at an atomic or an ordered load.
    pub acquired: bool,
    pub who: Who<'v>,
}

#[derive(Debug)]
pub struct Global<'b> {
    pub buffers: &'b mut [Buffer],
    owners: Vec<Vec<u64>>,
    pub traffic: Vec<(u64, u64)>,
}

/// The address of a buffer.
pub fn base(buffer: usize) -> u64 {
    (buffer as u64 + 1) << SPAN
}

impl<'b> Global<'b> {
    pub fn new(buffers: &'b mut [Buffer]) -> Global<'b> {
        let owners = buffers.iter().map(|b| match b.kind {
            BufferKind::Input => Vec::new(),
            _ => vec![0; b.bytes.len()],
        });
        let owners = owners.collect();
        let traffic = vec![(0, 0); buffers.len()];
        Global { buffers, owners, traffic }
    }

    /// Buffer and offset of an access that lies inside.
    pub fn place(&self, address: u64, bytes: u64) -> Check<(usize, usize)> {
        let offset = address & ((1 << SPAN) - 1);
        let buffer = (address >> SPAN).checked_sub(1).map(|b| b as usize).filter(|b| *b < self.buffers.len());
        let Some(buffer) = buffer else {
            return Err((Fault::OutOfBounds, format!("address {address:#x} lies in no buffer")));
        };
        let size = self.buffers[buffer].bytes.len() as u64;
        if offset + bytes > size {
            let signed = if offset >= 1 << (SPAN - 1) { offset as i64 - (1 << SPAN) } else { offset as i64 };
            return Err((
                Fault::OutOfBounds,
                format!("{bytes} bytes from byte {signed} of buffer {buffer}, which has {size}"),
            ));
        }
        Ok((buffer, offset as usize))
    }

    fn ordered(&self, owner: u64, by: &Thread, what: &str, buffer: usize, at: usize) -> Check<()> {
        if owner == 0 || owner == ATOMIC {
            return Ok(());
        }
        let (workgroup, warp) = ((owner >> 44) - 1, ((owner >> 36) & 0xFF) as usize);
        let (lane, clock) = (((owner >> 28) & 0xFF) as u8, (owner & 0xFFF_FFFF) as u32);
        let who = &by.who;
        let fine = if (by.cluster.0..by.cluster.0 + by.cluster.1).contains(&workgroup) {
            match warp == who.warp {
                true => clock < who.lane_sync || (lane == who.lane && lane != ALL_LANES),
                false => who.seen.get(warp).is_some_and(|&seen| seen >= clock),
            }
        } else {
            by.acquired
        };
        if fine {
            return Ok(());
        }
        Err((
            Fault::Race,
            format!(
                "{what} byte {at} of buffer {buffer}, which workgroup {workgroup} warp {warp} lane {lane} wrote with \
                 nothing in between to order the two"
            ),
        ))
    }

    /// Checks a read and gives its place.
    pub fn read(&mut self, address: u64, bytes: u32, by: &Thread) -> Check<(usize, usize)> {
        let (buffer, at) = self.place(address, u64::from(bytes))?;
        self.traffic[buffer].0 += u64::from(bytes);
        if self.buffers[buffer].kind == BufferKind::Input {
            return Ok((buffer, at));
        }
        let unwritten = self.buffers[buffer].kind != BufferKind::InOut;
        let mut last = 0;
        for byte in at..at + bytes as usize {
            let owner = self.owners[buffer][byte];
            if owner == 0 && unwritten {
                return Err((
                    Fault::Uninitialised,
                    format!("a read of byte {byte} of buffer {buffer}, which nothing wrote"),
                ));
            }
            if owner != last {
                self.ordered(owner, by, "a read of", buffer, byte)?;
                last = owner;
            }
        }
        Ok((buffer, at))
    }

    /// Writes bytes; two writers of the same values need no order.
    pub fn write(&mut self, address: u64, bytes: &[u8], by: &Thread) -> Check<()> {
        let (buffer, at) = self.place(address, bytes.len() as u64)?;
        if self.buffers[buffer].kind == BufferKind::Input {
            return Err((Fault::Value, format!("a write to buffer {buffer}, which is an input")));
        }
        self.traffic[buffer].1 += bytes.len() as u64;
        let mine = stamp(by.workgroup, &by.who);
        let mut last = 0;
        for (byte, &new) in (at..).zip(bytes) {
            let owner = self.owners[buffer][byte];
            if owner != last && self.buffers[buffer].bytes[byte] != new {
                self.ordered(owner, by, "a write to", buffer, byte)?;
                last = owner;
            }
            self.owners[buffer][byte] = mine;
        }
        self.buffers[buffer].bytes[at..at + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    /// Checks an atomic and gives its place.
    pub fn atomic(&mut self, address: u64, bytes: u32) -> Check<(usize, usize)> {
        let (buffer, at) = self.place(address, u64::from(bytes))?;
        match self.buffers[buffer].kind {
            BufferKind::Input => {
                return Err((Fault::Value, format!("an atomic on buffer {buffer}, which is an input")));
            }
            BufferKind::InOut => {}
            _ if self.owners[buffer][at..at + bytes as usize].contains(&0) => {
                return Err((
                    Fault::Uninitialised,
                    format!("an atomic on byte {at} of buffer {buffer}, which nothing wrote"),
                ));
            }
            _ => {}
        }
        self.traffic[buffer].0 += u64::from(bytes);
        self.traffic[buffer].1 += u64::from(bytes);
        self.owners[buffer][at..at + bytes as usize].fill(ATOMIC);
        Ok((buffer, at))
    }

    pub fn get(&self, (buffer, at): (usize, usize), bytes: u32) -> u64 {
        word(&self.buffers[buffer].bytes[at..at + bytes as usize])
    }

    pub fn set(&mut self, (buffer, at): (usize, usize), bytes: u32, value: u64) {
        self.buffers[buffer].bytes[at..at + bytes as usize].copy_from_slice(&value.to_le_bytes()[..bytes as usize]);
    }

    /// Bytes of outputs that nothing wrote: `(buffer, how many, the first)`.
    pub fn unwritten(&self) -> Option<(usize, usize, usize)> {
        self.buffers.iter().zip(&self.owners).enumerate().find_map(|(at, (buffer, owners))| {
            if buffer.kind != BufferKind::Output {
                return None;
            }
            let first = owners.iter().position(|owner| *owner == 0)?;
            Some((at, owners.iter().filter(|owner| **owner == 0).count(), first))
        })
    }
}
