//! Loads, stores and atomics by address: global, flat, scratch; and what all accesses share.
//!
//! Input: an address a lane, data registers. Output: registers or memory; data of loads carry the mark of their
//! counter. Worked example: `global_load_dword v0, v1, s[0:1] offset:16` reads 4 bytes at `s[0:1] + v1 + 16` in each
//! active lane.

use super::malformed;
use super::vector::ZERO;
use crate::access::{Access, Kind, Place, Space};
use crate::environment::{Environment, atomic, load_word, store_word};
use crate::errors::FaultKind;
use crate::inst::{Alu, Dst, Inst, Part, Rest, Slot, Src, Step, Trap};
use crate::lds::Who;
use crate::text::M0;
use crate::value::{Lanes, Type, Wide};
use crate::waits::{Counter, Mark};
use crate::wave::{PRIVATE_BASE, SHARED_BASE, Wave};

/// Where one lane's access goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target {
    Memory(u64),
    Lds(u32),
    Scratch(u32),
    /// Loads give 0, stores are dropped: beyond the range of a buffer.
    Outside,
}

/// Lanes whose bits are all known, or a fault that names the first that are not.
pub fn known(wave: &Wave, def: u64, what: &str) -> Step {
    let unknown = !def & wave.exec;
    if unknown == 0 {
        return Ok(());
    }
    Err(Trap::lane(
        FaultKind::Uninitialised,
        unknown.trailing_zeros(),
        format!("{what} from a register that nothing wrote"),
    ))
}

/// A scalar address or offset.
pub fn scalar(wave: &Wave, src: &Src, what: &str) -> Step<u64> {
    match (src.slot, wave.uniform(src)) {
        (Slot::Nothing, _) => Ok(0),
        (_, (value, u64::MAX)) => Ok(value),
        _ => Err(Trap::new(FaultKind::Uninitialised, format!("{what} from a scalar register that nothing wrote"))),
    }
}

fn targets(wave: &Wave, inst: &Inst, access: Access) -> Step<[Target; 64]> {
    let [address, _, base, ..] = &inst.src[..] else { return malformed(inst) };
    let mut lanes: Wide = [0; 64];
    if address.slot != Slot::Nothing {
        let def = wave.wide(address, &mut lanes);
        known(wave, def, "an address")?;
    }
    let base = scalar(wave, base, "an address")?.wrapping_add(inst.imm[0] as u64);
    Ok(lanes.map(|lane| {
        let address = lane.wrapping_add(base);
        match (access.space, address & !0xffff_ffff) {
            (Space::Scratch, _) | (Space::Flat, PRIVATE_BASE) => Target::Scratch(address as u32),
            (Space::Flat, SHARED_BASE) => Target::Lds(address as u32),
            _ => Target::Memory(address),
        }
    }))
}

/// Global, flat and scratch accesses.
pub fn access(wave: &mut Wave, environment: &mut Environment<'_>, inst: &Inst) -> Step {
    let Alu::Access(access) = inst.alu else { return malformed(inst) };
    let targets = targets(wave, inst, access)?;
    perform(wave, environment, inst, access, &targets)
}

/// What all address spaces share behind the computation of addresses.
pub fn perform(
    wave: &mut Wave,
    environment: &mut Environment<'_>,
    inst: &Inst,
    access: Access,
    targets: &[Target; 64],
) -> Step {
    match access.kind {
        Kind::Load => load(wave, environment, inst, access, targets),
        Kind::Store => store(wave, environment, inst, access, targets),
        Kind::Atomic(_) => change(wave, environment, inst, access, targets),
        Kind::ToLds => to_lds(wave, environment, inst, access, targets),
    }
}

/// Counts a load of this space.
fn issue_load(wave: &mut Wave, space: Space) -> Mark {
    match space {
        Space::Flat => wave.waits.issue_flat(Counter::Lds),
        Space::Lds => wave.waits.issue(Counter::Lds, false),
        _ => wave.waits.issue(Counter::Load, false),
    }
}

pub fn issue_store(wave: &mut Wave, environment: &Environment<'_>, space: Space) -> Mark {
    match space {
        Space::Flat => {
            wave.waits.issue(environment.chip.stores(), false);
            wave.waits.issue(Counter::Lds, true)
        }
        Space::Lds => wave.waits.issue(Counter::Lds, false),
        _ => wave.waits.issue(environment.chip.stores(), false),
    }
}

pub fn active(wave: &Wave) -> impl Iterator<Item = u32> + use<> {
    let mut left = wave.exec;
    std::iter::from_fn(move || {
        let lane = left.trailing_zeros();
        left &= left.wrapping_sub(1);
        (lane < 64).then_some(lane)
    })
}

/// Reads `bytes` bytes of a lane; whether something wrote them.
#[inline(always)]
fn read(
    wave: &mut Wave,
    environment: &mut Environment<'_>,
    target: Target,
    lane: u32,
    bytes: u32,
    out: &mut [u32; 4],
) -> Step<bool> {
    match target {
        Target::Memory(address) => {
            let region = environment.region(address, u64::from(bytes), false, Some(lane))?;
            let at = address - region.base;
            for (word, out) in out.iter_mut().enumerate().take(bytes.div_ceil(4) as usize) {
                *out = load_word(region.words, at + 4 * word as u64);
            }
            if bytes < 4 {
                out[0] &= (1 << (8 * bytes)) - 1;
            }
            Ok(true)
        }
        Target::Lds(address) => super::local::read(wave, environment, lane, address, bytes, out),
        Target::Scratch(offset) => {
            let at = scratch(wave, environment, lane, offset, bytes)?;
            let stored = &wave.scratch[lane as usize][at..at + bytes as usize];
            spread(stored, out);
            Ok(wave.scratch_def[lane as usize][at..at + bytes as usize].iter().all(|known| *known))
        }
        Target::Outside => {
            *out = [0; 4];
            Ok(true)
        }
    }
}

/// Bytes into words.
pub fn spread(bytes: &[u8], out: &mut [u32; 4]) {
    for (word, four) in out.iter_mut().zip(bytes.chunks(4)) {
        *word = four.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
    }
}

fn scratch(wave: &mut Wave, environment: &Environment<'_>, lane: u32, offset: u32, bytes: u32) -> Step<usize> {
    let size = environment.scratch_bytes as usize;
    if wave.scratch.is_empty() {
        wave.scratch = vec![vec![0xff; size]; 64];
        wave.scratch_def = vec![vec![false; size]; 64];
    }
    let at = offset as usize;
    if at + bytes as usize > size {
        let what = format!("{bytes} bytes of scratch, a lane has {size}");
        return Err(Trap::at(FaultKind::OutOfBounds, Some(lane), u64::from(offset), what));
    }
    Ok(at)
}

/// What a lane stores: so many bytes of `value`, and whether anything wrote them.
pub struct Element {
    pub bytes: u32,
    pub value: [u32; 4],
    pub def: bool,
}

/// Writes an element of a lane.
fn write(wave: &mut Wave, environment: &mut Environment<'_>, target: Target, lane: u32, element: &Element) -> Step {
    let Element { bytes, value, def } = *element;
    match target {
        Target::Memory(address) => {
            if !def {
                return Err(Trap::at(
                    FaultKind::Uninitialised,
                    Some(lane),
                    address,
                    "stores a value that nothing wrote",
                ));
            }
            let region = environment.region(address, u64::from(bytes), true, Some(lane))?;
            let at = address - region.base;
            for (word, value) in value.iter().enumerate().take(bytes.div_ceil(4) as usize) {
                store_word(region.words, at + 4 * word as u64, *value, u64::from(bytes).min(4));
            }
            Ok(())
        }
        Target::Lds(address) => super::local::write(wave, environment, lane, address, element),
        Target::Scratch(offset) => {
            let at = scratch(wave, environment, lane, offset, bytes)?;
            for byte in 0..bytes as usize {
                wave.scratch[lane as usize][at + byte] = (value[byte / 4] >> (byte % 4 * 8)) as u8;
                wave.scratch_def[lane as usize][at + byte] = def;
            }
            Ok(())
        }
        Target::Outside => Ok(()),
    }
}

/// The destination of words that arrive by a counter.
pub fn deliver(wave: &mut Wave, inst: &Inst, access: Access, values: &mut [Lanes], def: u64, mark: Mark) -> Step {
    let Some(Slot::Vector(first)) = inst.dst.map(|dst| dst.slot) else { return malformed(inst) };
    let part = match access.place {
        Place::Whole => Part::Whole,
        Place::Low => Part::Low,
        Place::High => Part::High,
    };
    // gfx11's true halves: the register's name says which one.
    let part = match inst.dst.map(|dst| dst.part) {
        Some(half @ (Part::Low | Part::High)) => half,
        _ => part,
    };
    for (word, value) in values.iter_mut().enumerate() {
        let register = first + word as u16;
        let dst = Dst { slot: Slot::Vector(register), ty: Type::B32, words: 1, part, rest: Rest::Keep };
        wave.set_narrow(&dst, value, def, u64::MAX);
        wave.vmarks[register as usize] = mark;
    }
    Ok(())
}

fn load(
    wave: &mut Wave,
    environment: &mut Environment<'_>,
    inst: &Inst,
    access: Access,
    targets: &[Target; 64],
) -> Step {
    let bytes = u32::from(access.bytes);
    let mut values = [ZERO; 4];
    let mut def = 0;
    for lane in active(wave) {
        let mut out = [0; 4];
        let known = read(wave, environment, targets[lane as usize], lane, bytes, &mut out)?;
        def |= u64::from(known) << lane;
        if access.signed {
            let unused = 32 - 8 * bytes;
            out[0] = ((out[0] << unused) as i32 >> unused) as u32;
        }
        for (value, word) in values.iter_mut().zip(out) {
            value[lane as usize] = word;
        }
    }
    let mark = issue_load(wave, access.space);
    deliver(wave, inst, access, &mut values[..access.words() as usize], def, mark)
}

/// The data of a store: words, which lanes are defined, with the half that a name asks for.
pub fn data(wave: &Wave, src: &Src, access: Access) -> ([Lanes; 4], u64) {
    let mut values = [ZERO; 4];
    let mut def = u64::MAX;
    for (word, value) in values.iter_mut().enumerate().take(usize::from(src.words.min(4))) {
        let mut space = ZERO;
        let (lanes, known) = wave.raw(src, word as u16, &mut space);
        *value = *lanes;
        def &= known;
    }
    if access.place == Place::High || src.part == Part::High {
        values[0].iter_mut().for_each(|lane| *lane >>= 16);
    }
    (values, def)
}

fn store(
    wave: &mut Wave,
    environment: &mut Environment<'_>,
    inst: &Inst,
    access: Access,
    targets: &[Target; 64],
) -> Step {
    let Some(src) = inst.src.get(1) else { return malformed(inst) };
    let (values, def) = data(wave, src, access);
    for lane in active(wave) {
        let value = values.map(|word| word[lane as usize]);
        let known = def >> lane & 1 == 1;
        let element = Element { bytes: u32::from(access.bytes), value, def: known };
        write(wave, environment, targets[lane as usize], lane, &element)?;
    }
    issue_store(wave, environment, access.space);
    Ok(())
}

/// The operands of an atomic in a lane: value, and what it is compared with.
pub fn operands(access: Access, values: &[Lanes; 4], lane: usize) -> (u64, u64) {
    if access.bytes == 8 {
        let of = |low: usize| u64::from(values[low][lane]) | u64::from(values[low + 1][lane]) << 32;
        return (of(0), of(2));
    }
    (u64::from(values[0][lane]), u64::from(values[1][lane]))
}

fn change(
    wave: &mut Wave,
    environment: &mut Environment<'_>,
    inst: &Inst,
    access: Access,
    targets: &[Target; 64],
) -> Step {
    let (Some(src), Kind::Atomic(operation)) = (inst.src.get(1), access.kind) else { return malformed(inst) };
    let (values, def) = data(wave, src, access);
    known(wave, def, "the operand of an atomic")?;
    let mut old = [ZERO; 2];
    for lane in active(wave) {
        let (value, compare) = operands(access, &values, lane as usize);
        let before = match targets[lane as usize] {
            Target::Memory(address) => {
                if !address.is_multiple_of(u64::from(access.bytes)) {
                    return Err(Trap::at(
                        FaultKind::Misaligned,
                        Some(lane),
                        address,
                        "an atomic at an address between its words",
                    ));
                }
                let region = environment.region(address, u64::from(access.bytes), true, Some(lane))?;
                atomic(region.words, address - region.base, access.bytes, operation, value, compare).unwrap_or(0)
            }
            Target::Lds(address) => {
                super::local::atomic(environment, Who { wave: wave.number, lane }, address, access, value, compare)?
            }
            Target::Outside => 0,
            Target::Scratch(offset) => {
                return Err(Trap::at(FaultKind::Illegal, Some(lane), u64::from(offset), "an atomic on scratch"));
            }
        };
        old[0][lane as usize] = before as u32;
        old[1][lane as usize] = (before >> 32) as u32;
    }
    if inst.dst.is_none() {
        issue_store(wave, environment, access.space);
        return Ok(());
    }
    let mark = issue_load(wave, access.space);
    deliver(wave, inst, access, &mut old[..usize::from(access.bytes) / 4], u64::MAX, mark)
}

/// Loads that put their data into LDS: at M0 and the lane's place in the wave.
fn to_lds(
    wave: &mut Wave,
    environment: &mut Environment<'_>,
    inst: &Inst,
    access: Access,
    targets: &[Target; 64],
) -> Step {
    let (base, def) = wave.scalar(M0, 1);
    if def != u64::MAX {
        return Err(Trap::new(FaultKind::Uninitialised, "an LDS address from an M0 that nothing wrote"));
    }
    let bytes = u32::from(access.bytes);
    let stride = bytes.max(4);
    let mark = wave.waits.issue(Counter::Load, false);
    for lane in active(wave) {
        let mut out = [0; 4];
        read(wave, environment, targets[lane as usize], lane, bytes, &mut out)?;
        let address = (base as u32 & 0x3_ffff).wrapping_add(inst.imm[0] as u32).wrapping_add(lane * stride);
        let stored: Vec<u8> = out.iter().flat_map(|word| word.to_le_bytes()).take(stride as usize).collect();
        environment.lds.write(Who { wave: wave.number, lane }, address, &stored, true, false)?;
        wave.lds_loads.push((mark, address, stride));
    }
    Ok(())
}
