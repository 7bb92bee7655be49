//! Accesses by buffer resource: base, stride, number of records; what lies beyond the records reads as 0 and is not
//! stored.
//!
//! Worked example: a raw buffer of 100 bytes (stride 0): a dword at offset 96 is inside, one at 100 is not. A resource
//! that adds the lane's number and points into scratch is how gfx9 and gfx10 reach their stack.

use super::global::{Target, known, perform, scalar};
use super::malformed;
use crate::access::{Access, Kind};
use crate::environment::Environment;
use crate::errors::FaultKind;
use crate::inst::{Alu, Inst, Slot, Step, Trap};
use crate::value::Wide;
use crate::wave::Wave;

/// Bits of `flags`.
pub const OFFEN: u32 = 1;
pub const IDXEN: u32 = 2;

/// The base address of scratch resources.
pub const SCRATCH: u64 = 0x7c00_0000_0000;

/// The resource that a kernel gets for its stack: swizzled, lanes added.
pub fn scratch_resource() -> [u32; 4] {
    [SCRATCH as u32, (SCRATCH >> 32) as u32 | 1 << 31, u32::MAX, ADD_LANE]
}

const ADD_LANE: u32 = 1 << 23;

pub fn access(wave: &mut Wave, environment: &mut Environment<'_>, inst: &Inst) -> Step {
    let (Alu::Access(access), [address, _, resource, offset]) = (inst.alu, &inst.src[..]) else {
        return malformed(inst);
    };
    let Slot::Scalar(first) = resource.slot else { return malformed(inst) };
    let (low, high) = (wave.scalar(first, 2), wave.scalar(first + 2, 2));
    if low.1 & high.1 != u64::MAX {
        return Err(Trap::new(FaultKind::Uninitialised, "a buffer resource from scalar registers that nothing wrote"));
    }
    let (base, stride, records) = (low.0 & 0xffff_ffff_ffff, low.0 >> 48 & 0x3fff, high.0 & 0xffff_ffff);
    let uniform = scalar(wave, offset, "an offset")? & 0xffff_ffff;
    let mut lanes: Wide = [0; 64];
    if inst.flags & (OFFEN | IDXEN) != 0 {
        known(wave, wave.wide(address, &mut lanes), "an offset")?;
    }
    let (index, own) = match inst.flags & (OFFEN | IDXEN) {
        OFFEN => ([0; 64], lanes.map(|lane| lane & 0xffff_ffff)),
        IDXEN => (lanes.map(|lane| lane & 0xffff_ffff), [0; 64]),
        _ => (lanes.map(|lane| lane & 0xffff_ffff), lanes.map(|lane| lane >> 32)),
    };
    if (high.0 >> 32) as u32 & ADD_LANE != 0 && base >> 40 == SCRATCH >> 40 {
        let stack = uniform / u64::from(wave.lanes);
        let targets = own.map(|own| Target::Scratch((own.wrapping_add(stack).wrapping_add(inst.imm[0] as u64)) as u32));
        return perform(wave, environment, inst, access, &targets);
    }
    if low.0 >> 63 == 1 || (high.0 >> 32) as u32 & ADD_LANE != 0 {
        return Err(Trap::new(FaultKind::Unknown, "a swizzled buffer resource"));
    }
    let mut targets = [Target::Outside; 64];
    for (lane, target) in targets.iter_mut().enumerate() {
        let offset = own[lane] + inst.imm[0] as u64;
        let inside = if stride == 0 {
            offset + uniform + u64::from(access.bytes) <= records
        } else {
            index[lane] < records && offset < stride
        };
        if inside {
            *target = Target::Memory(base + uniform + index[lane] * stride + offset);
        }
    }
    partial(wave, access, &own, inst.imm[0] as u64 + uniform, if stride == 0 { records } else { u64::MAX })?;
    perform(wave, environment, inst, access, &targets)
}

/// Hardware checks each dword of a wide access to a raw buffer by itself; one that lies across the end is not modelled.
fn partial(wave: &Wave, access: Access, own: &Wide, more: u64, records: u64) -> Step {
    if access.bytes <= 4 || matches!(access.kind, Kind::Atomic(_)) {
        return Ok(());
    }
    for lane in super::global::active(wave) {
        let start = own[lane as usize] + more;
        if start < records && start + u64::from(access.bytes) > records && start + 4 <= records {
            return Err(Trap::at(
                FaultKind::OutOfBounds,
                Some(lane),
                start,
                format!("a buffer access across its end at {records}"),
            ));
        }
    }
    Ok(())
}
