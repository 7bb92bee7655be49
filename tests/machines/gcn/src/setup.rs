//! The state in which a kernel starts: scalar registers, workitem numbers, the argument segment, the dispatch packet.
//!
//! Input: descriptor, launch, chip. Output: a wave ready to run. User registers come in a fixed order, those that the
//! descriptor asks for: private buffer (4), dispatch (2), queue (2), arguments (2), dispatch number (2), flat scratch
//! (2), private size (1), then preloaded arguments; behind them the workgroup's numbers.
//!
//! Worked example: a kernel with properties 8 (arguments) and rsrc2 0x84 starts with its arguments' address in `s[0:1]`
//! and its workgroup number in s2.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::Launch;
use crate::chip::Chip;
use crate::environment::{KERNARG, PACKET};
use crate::errors::{GcnError, Result};
use crate::object::KernelInfo;
use crate::run::buffer::scratch_resource;
use crate::text::FLAT_SCRATCH;
use crate::wave::{SHARED_BASE, Wave};

/// Bytes between the entries of a kernel with preloaded arguments: the first is for firmware that does not load them.
const PRELOADED_ENTRY: u64 = 256;
/// What a segment's end is rounded to; loads may read that far.
const SEGMENT: usize = 16;

pub struct Setup {
    pub waves: u32,
    lanes: u32,
    threads: u32,
    block: [u32; 3],
    entry: u64,
    rsrc1: u32,
    rsrc2: u32,
    properties: u16,
    preload: u16,
    scratch_bytes: u32,
    packed: bool,
    architected: bool,
    ttmp: bool,
}

/// Writes consecutive scalars.
struct Scalars<'a> {
    wave: &'a mut Wave,
    next: usize,
}

impl Scalars<'_> {
    fn push(&mut self, value: u32) {
        if let (Some(slot), Some(def)) = (self.wave.s.get_mut(self.next), self.wave.sdef.get_mut(self.next)) {
            (*slot, *def) = (value, u32::MAX);
        }
        self.next += 1;
    }

    fn pair(&mut self, value: u64) {
        self.push(value as u32);
        self.push((value >> 32) as u32);
    }
}

impl Setup {
    pub fn of(kernel: &KernelInfo, launch: &Launch, chip: &Chip) -> Setup {
        let threads: u32 = launch.block.iter().product();
        Setup {
            waves: threads.div_ceil(kernel.wave_size),
            lanes: kernel.wave_size,
            threads,
            block: launch.block,
            entry: kernel.entry + if kernel.preload & 0x7f != 0 { PRELOADED_ENTRY } else { 0 },
            rsrc1: kernel.rsrc1,
            rsrc2: kernel.rsrc2,
            properties: kernel.properties,
            preload: kernel.preload,
            scratch_bytes: kernel.scratch_bytes,
            packed: chip.packed_workitem,
            architected: chip.architected_scratch,
            ttmp: chip.ttmp_workgroup,
        }
    }

    /// Puts a wave to the start of the kernel.
    pub fn wave(&self, wave: &mut Wave, number: u32, group: [u32; 3], kernarg: &[AtomicU32]) {
        wave.reset(number, self.lanes);
        wave.pc = self.entry;
        // FLOAT_MODE: rounding and denormals.
        wave.mode = self.rsrc1 >> 12 & 0xff;
        let first = number * self.lanes;
        let count = (self.threads - first).min(self.lanes);
        wave.set_exec(if count == 64 { u64::MAX } else { (1 << count) - 1 });
        self.user(wave, kernarg);
        self.system(wave, group);
        self.workitems(wave, first);
    }

    fn user(&self, wave: &mut Wave, kernarg: &[AtomicU32]) {
        let wants = |bit: u32| self.properties >> bit & 1 == 1;
        let mut scalars = Scalars { wave, next: 0 };
        if wants(0) {
            scratch_resource().into_iter().for_each(|word| scalars.push(word));
        }
        for (bit, value) in [(1, PACKET), (2, 0), (3, KERNARG), (4, 0), (5, u64::from(self.scratch_bytes) << 32)] {
            if wants(bit) {
                scalars.pair(value);
            }
        }
        if wants(6) {
            scalars.push(self.scratch_bytes);
        }
        let (length, offset) = (usize::from(self.preload & 0x7f), usize::from(self.preload >> 7));
        for word in kernarg.iter().skip(offset).take(length) {
            scalars.push(word.load(Ordering::Relaxed));
        }
    }

    fn system(&self, wave: &mut Wave, group: [u32; 3]) {
        let enabled = |bit: u32| self.rsrc2 >> bit & 1 == 1;
        let mut scalars = Scalars { wave, next: (self.rsrc2 >> 1 & 31) as usize };
        if self.ttmp {
            // ttmp9 and ttmp7.
            for (register, value) in [(117, group[0]), (115, group[1] | group[2] << 16)] {
                scalars.next = register;
                scalars.push(value);
            }
            return;
        }
        for (axis, number) in group.into_iter().enumerate() {
            if enabled(7 + axis as u32) {
                scalars.push(number);
            }
        }
        if enabled(10) {
            scalars.push(0);
        }
        if enabled(0) && !self.architected {
            scalars.push(0);
        }
        if self.architected {
            scalars.next = FLAT_SCRATCH as usize;
            scalars.pair(0);
        }
    }

    fn workitems(&self, wave: &mut Wave, first: u32) {
        let highest = (self.rsrc2 >> 11 & 3).min(2) as usize;
        for lane in 0..self.lanes {
            let flat = first + lane;
            let x = flat % self.block[0];
            let y = flat / self.block[0] % self.block[1];
            let z = flat / self.block[0] / self.block[1];
            let at = lane as usize;
            if self.packed {
                wave.v[0][at] = x | y << 10 | z << 20;
            } else {
                (wave.v[0][at], wave.v[1][at], wave.v[2][at]) = (x, y, z);
            }
        }
        let registers = if self.packed { 0 } else { highest };
        wave.vdef[..=registers].fill(wave.exec);
    }
}

/// The argument segment: explicit arguments as given, hidden ones filled in.
pub fn kernarg_segment(kernel: &KernelInfo, launch: &Launch, given: &[u8]) -> Result<Vec<u8>> {
    let explicit = kernel.arguments.iter().filter(|arg| !arg.kind.starts_with("hidden_"));
    let needed = explicit.map(|arg| arg.offset as usize + arg.size as usize).max().unwrap_or(0);
    if given.len() < needed {
        return Err(GcnError::Launch(format!("{} bytes of arguments, {} needs {needed}", given.len(), kernel.name)));
    }
    let mut segment = given.to_vec();
    segment.resize((kernel.kernarg_bytes as usize).max(given.len()).next_multiple_of(SEGMENT), 0);
    for arg in kernel.arguments.iter().filter(|arg| arg.kind.starts_with("hidden_")) {
        let axis = |prefix: &str| match arg.kind.strip_prefix(prefix) {
            Some("_x") => Some(0),
            Some("_y") => Some(1),
            Some("_z") => Some(2),
            _ => None,
        };
        let value = if let Some(axis) = axis("hidden_block_count") {
            u64::from(launch.grid[axis])
        } else if let Some(axis) = axis("hidden_group_size") {
            u64::from(launch.block[axis])
        } else {
            match arg.kind.as_str() {
                "hidden_grid_dims" => 3,
                "hidden_shared_base" => SHARED_BASE >> 32,
                "hidden_private_base" => crate::wave::PRIVATE_BASE >> 32,
                "hidden_dynamic_lds_size" => u64::from(launch.dynamic_lds),
                _ => 0,
            }
        };
        let range = arg.offset as usize..(arg.offset as usize + arg.size as usize);
        if let Some(bytes) = segment.get_mut(range) {
            let value = value.to_le_bytes();
            let count = bytes.len().min(8);
            bytes[..count].copy_from_slice(&value[..count]);
        }
    }
    Ok(segment)
}

/// The dispatch packet that `dispatch_ptr` points to.
pub fn packet(kernel: &KernelInfo, launch: &Launch) -> [u8; 64] {
    let mut packet = [0; 64];
    let mut put = |at: usize, bytes: &[u8]| packet[at..at + bytes.len()].copy_from_slice(bytes);
    for axis in 0..3 {
        put(4 + 2 * axis, &(launch.block[axis] as u16).to_le_bytes());
        put(12 + 4 * axis, &launch.grid[axis].wrapping_mul(launch.block[axis]).to_le_bytes());
    }
    put(24, &kernel.scratch_bytes.to_le_bytes());
    put(28, &(kernel.lds_bytes + launch.dynamic_lds).to_le_bytes());
    put(32, &kernel.descriptor.to_le_bytes());
    put(40, &KERNARG.to_le_bytes());
    packet
}
