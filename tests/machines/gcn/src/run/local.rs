//! LDS instructions: one element or two, atomics.
//!
//! Worked example: `ds_write2_b32 v0, v1, v2 offset0:1 offset1:3` writes v1 at `v0 + 4` and v2 at `v0 + 12`.

use super::global::{Element, active, data, deliver, issue_store, known, operands, spread};
use super::malformed;
use super::vector::ZERO;
use crate::access::{Access, Kind};
use crate::environment::Environment;
use crate::errors::FaultKind;
use crate::inst::{Alu, Inst, Step, Trap};
use crate::lds::Who;
use crate::value::Lanes;
use crate::waits::Counter;
use crate::wave::Wave;

/// Reads of a wave: bytes that its own loads from memory have not brought yet are a fault.
pub fn read(
    wave: &Wave,
    environment: &mut Environment<'_>,
    lane: u32,
    address: u32,
    bytes: u32,
    out: &mut [u32; 4],
) -> Step<bool> {
    for &(mark, first, count) in &wave.lds_loads {
        if address < first + count && first < address.saturating_add(bytes) && !wave.waits.arrived(mark) {
            let what = "reads LDS bytes while a load into them is under way";
            return Err(Trap::at(FaultKind::MissingWait, Some(lane), u64::from(address), what));
        }
    }
    let mut stored = [0; 16];
    let stored = &mut stored[..bytes as usize];
    let known = environment.lds.read(Who { wave: wave.number, lane }, address, stored, false)?;
    spread(stored, out);
    Ok(known)
}

pub fn write(wave: &Wave, environment: &mut Environment<'_>, lane: u32, address: u32, element: &Element) -> Step {
    let mut stored = [0; 16];
    for (four, word) in stored.chunks_mut(4).zip(&element.value) {
        four.copy_from_slice(&word.to_le_bytes());
    }
    let who = Who { wave: wave.number, lane };
    environment.lds.write(who, address, &stored[..element.bytes as usize], element.def, false)
}

/// An atomic on LDS; the old value.
pub fn atomic(
    environment: &mut Environment<'_>,
    who: Who,
    address: u32,
    access: Access,
    value: u64,
    compare: u64,
) -> Step<u64> {
    let Kind::Atomic(operation) = access.kind else { return Ok(0) };
    let bytes = usize::from(access.bytes);
    if !(address as usize).is_multiple_of(bytes) {
        return Err(Trap::at(
            FaultKind::Misaligned,
            Some(who.lane),
            u64::from(address),
            "an atomic at an address between its words",
        ));
    }
    let mut stored = [0; 8];
    if !environment.lds.read(who, address, &mut stored[..bytes], true)? {
        return Err(Trap::at(
            FaultKind::Uninitialised,
            Some(who.lane),
            u64::from(address),
            "an atomic on LDS bytes that nothing wrote",
        ));
    }
    let old = u64::from_le_bytes(stored);
    let new = operation.apply(access.bytes, old, value, compare);
    environment.lds.write(who, address, &new.to_le_bytes()[..bytes], true, true)?;
    Ok(old)
}

/// Addresses of the lanes, without the offsets.
fn addresses(wave: &Wave, inst: &Inst) -> Step<Lanes> {
    let Some(src) = inst.src.first() else { return malformed(inst) };
    let mut space = ZERO;
    let (lanes, def) = wave.narrow(src, &mut space);
    known(wave, def, "an LDS address")?;
    Ok(*lanes)
}

pub fn access(wave: &mut Wave, environment: &mut Environment<'_>, inst: &Inst) -> Step {
    let Alu::Access(access) = inst.alu else { return malformed(inst) };
    let addresses = addresses(wave, inst)?;
    match access.kind {
        Kind::Load => load(wave, environment, inst, access, &addresses),
        Kind::Store => store(wave, environment, inst, access, &addresses),
        _ => change(wave, environment, inst, access, &addresses),
    }
}

fn load(wave: &mut Wave, environment: &mut Environment<'_>, inst: &Inst, access: Access, addresses: &Lanes) -> Step {
    let bytes = u32::from(access.bytes);
    let words = (bytes.div_ceil(4)) as usize;
    let mut values = [ZERO; 4];
    let mut def = u64::MAX;
    for element in 0..usize::from(access.count) {
        let offset = inst.imm[element] as u32;
        for lane in active(wave) {
            let mut out = [0; 4];
            let address = addresses[lane as usize].wrapping_add(offset);
            if !read(wave, environment, lane, address, bytes, &mut out)? {
                def &= !(1 << lane);
            }
            if access.signed {
                let unused = 32 - 8 * bytes;
                out[0] = ((out[0] << unused) as i32 >> unused) as u32;
            }
            for (value, word) in values[element * words..].iter_mut().zip(&out[..words]) {
                value[lane as usize] = *word;
            }
        }
    }
    let mark = wave.waits.issue(Counter::Lds, false);
    deliver(wave, inst, access, &mut values[..usize::from(access.words())], def, mark)
}

fn store(wave: &mut Wave, environment: &mut Environment<'_>, inst: &Inst, access: Access, addresses: &Lanes) -> Step {
    let mark = issue_store(wave, environment, access.space);
    for element in 0..usize::from(access.count) {
        let Some(src) = inst.src.get(1 + element) else { return malformed(inst) };
        let (values, def) = data(wave, src, access);
        let offset = inst.imm[element] as u32;
        for lane in active(wave) {
            let address = addresses[lane as usize].wrapping_add(offset);
            let value = values.map(|word| word[lane as usize]);
            let element = Element { bytes: u32::from(access.bytes), value, def: def >> lane & 1 == 1 };
            write(wave, environment, lane, address, &element)?;
            wave.lds_writes.push((mark, address, u32::from(access.bytes)));
        }
    }
    Ok(())
}

fn change(wave: &mut Wave, environment: &mut Environment<'_>, inst: &Inst, access: Access, addresses: &Lanes) -> Step {
    let Some(src) = inst.src.get(1) else { return malformed(inst) };
    let (first, mut def) = data(wave, src, access);
    let mut values = first;
    if let Some(src) = inst.src.get(2) {
        let (second, more) = data(wave, src, access);
        def &= more;
        let half = usize::from(access.bytes) / 4;
        // The new value first, what it is compared with behind it.
        let (new, compared) = if access.compare_first { (second, first) } else { (first, second) };
        values[..half].copy_from_slice(&new[..half]);
        values[half..2 * half].copy_from_slice(&compared[..half]);
    }
    known(wave, def, "the operand of an atomic")?;
    let mut old = [ZERO; 2];
    for lane in active(wave) {
        let (value, compare) = operands(access, &values, lane as usize);
        let address = addresses[lane as usize].wrapping_add(inst.imm[0] as u32);
        let before = atomic(environment, Who { wave: wave.number, lane }, address, access, value, compare)?;
        old[0][lane as usize] = before as u32;
        old[1][lane as usize] = (before >> 32) as u32;
    }
    let mark = wave.waits.issue(Counter::Lds, false);
    if inst.dst.is_none() {
        return Ok(());
    }
    deliver(wave, inst, access, &mut old[..usize::from(access.bytes) / 4], u64::MAX, mark)
}
