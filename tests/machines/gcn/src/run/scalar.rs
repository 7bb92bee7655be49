//! Scalar arithmetic, masks that save EXEC, scalar loads.
//!
//! Worked example: `s_and_saveexec_b64 s[0:1], vcc` puts EXEC into `s[0:1]` and `EXEC & vcc` into EXEC; SCC tells
//! whether a lane is left.

use super::malformed;
use crate::environment::{Environment, load_word};
use crate::errors::FaultKind;
use crate::inst::{Alu, Inst, ScalarIn, Slot, Step, Trap};
use crate::table::scalar::Flow;
use crate::wave::Wave;

/// How undefined bits flow, as `imm[0]` of a decoded instruction.
const FLOWS: [Flow; 9] =
    [Flow::All, Flow::Bits, Flow::And, Flow::AndNot, Flow::Or, Flow::OrNot, Flow::Left, Flow::Right, Flow::Field];

pub fn flow_number(flow: Flow) -> i64 {
    FLOWS.iter().position(|known| *known == flow).unwrap_or(0) as i64
}

/// Bits of `flags`.
pub const READS_SCC: u32 = 1;
/// The first source is the destination's old value, as `c`.
pub const READS_DST: u32 = 2;

/// Defined bits of a result; `all` says that every bit of the sources is, `wide` that the first has 64.
fn flown(flow: Flow, a: (u64, u64), b: (u64, u64), all: bool, wide: bool) -> u64 {
    let ((a, da), (b, db)) = (a, b);
    let whole = |known: bool| if known { u64::MAX } else { 0 };
    if matches!(flow, Flow::Left | Flow::Right | Flow::Field) && db as u32 != u32::MAX {
        return 0;
    }
    let by = b & if wide { 63 } else { 31 };
    match flow {
        Flow::All => whole(all),
        Flow::Bits => da & db,
        Flow::And => (da & db) | (da & !a) | (db & !b),
        Flow::AndNot => (da & db) | (da & !a) | (db & b),
        Flow::Or => (da & db) | (da & a) | (db & b),
        Flow::OrNot => (da & db) | (da & a) | (db & !b),
        Flow::Left => da << by | ((1 << by) - 1),
        Flow::Right => da >> by | !(u64::MAX >> by),
        Flow::Field => {
            let width = b >> 16 & 127;
            let field = if width >= 64 { u64::MAX } else { ((1 << width) - 1) << by };
            whole(da & field == field)
        }
    }
}

/// Rows of the scalar tables.
pub fn alu(wave: &mut Wave, _: &mut Environment<'_>, inst: &Inst) -> Step {
    let Alu::Scalar(f) = inst.alu else { return malformed(inst) };
    let mut values = [(0, u64::MAX); 3];
    for (value, src) in values.iter_mut().zip(&inst.src) {
        *value = wave.uniform(src);
    }
    let [a, b, mut c] = values;
    if let (READS_DST, Some(dst)) = (inst.flags & READS_DST, &inst.dst)
        && let Slot::Scalar(first) = dst.slot
    {
        c = wave.scalar(first, dst.words);
    }
    let scc_known = inst.flags & READS_SCC == 0 || wave.scc_def;
    let out = f(ScalarIn { a: a.0, b: b.0, c: c.0, scc: wave.scc });
    let widest = inst.dst.map_or(2, |dst| dst.words).max(inst.src.iter().map(|src| src.words).max().unwrap_or(1));
    let all = if widest == 1 { 0xffff_ffff } else { u64::MAX };
    let known = scc_known && (a.1 & b.1 & c.1) & all == all;
    let def = if scc_known {
        flown(
            FLOWS[inst.imm[0] as usize % FLOWS.len()],
            a,
            b,
            known,
            inst.src.first().is_some_and(|src| src.words == 2),
        )
    } else {
        0
    };
    if let Some(scc) = out.scc {
        // SCC of a mask is known where a known bit is set, or all are known.
        wave.scc_def = def & all == all || (inst.imm[0] != 0 && out.d & def != 0) || (inst.dst.is_none() && known);
        wave.scc = scc;
    }
    match &inst.dst {
        Some(dst) => wave.set_scalar(dst.slot, dst.words, out.d, def),
        None => Ok(()),
    }
}

/// `s_*_saveexec`: `imm[0]` the operation on source and EXEC.
pub fn save_exec(wave: &mut Wave, _: &mut Environment<'_>, inst: &Inst) -> Step {
    let ([src], Some(dst)) = (&inst.src[..], &inst.dst) else { return malformed(inst) };
    let (a, def) = wave.uniform(src);
    let (exec, full) = (wave.exec, wave.full());
    let (mask, needed) = match inst.imm[0] {
        0 => (a & exec, exec),
        1 => (a | exec, !exec),
        2 => (a ^ exec, u64::MAX),
        3 => (a & !exec, !exec),
        4 => (a | !exec, exec),
        5 => (!(a & exec), exec),
        6 => (!(a | exec), !exec),
        7 => (!(a ^ exec), u64::MAX),
        8 => (!a & exec, exec),
        _ => (!a | exec, !exec),
    };
    let unknown = !def & needed & full;
    if unknown != 0 {
        return Err(Trap::lane(
            FaultKind::Uninitialised,
            unknown.trailing_zeros(),
            "EXEC from bits that nothing wrote",
        ));
    }
    wave.set_scalar(dst.slot, dst.words, exec, u64::MAX)?;
    wave.set_exec(mask & full);
    wave.scc = wave.exec != 0;
    wave.scc_def = true;
    Ok(())
}

/// `s_load_*`, `s_buffer_load_*`: `imm[0]` the offset, `imm[1]` bytes (1, 2: `imm[2]` sign-extends), `flags` 1 for a
/// buffer.
pub fn load(wave: &mut Wave, environment: &mut Environment<'_>, inst: &Inst) -> Step {
    let (Some(base), Some(Slot::Scalar(first))) = (inst.src.first(), inst.dst.map(|dst| dst.slot)) else {
        return malformed(inst);
    };
    let (mut address, known) = wave.uniform(base);
    let (offset, known2) = inst.src.get(1).map_or((0, u64::MAX), |src| wave.uniform(src));
    if known & known2 != u64::MAX {
        return Err(Trap::new(FaultKind::Uninitialised, "an address from registers that nothing wrote"));
    }
    if inst.flags & 1 == 1 {
        address &= 0xffff_ffff_ffff;
    }
    let bytes = inst.imm[1] as u64;
    let mut address = address.wrapping_add(inst.imm[0] as u64).wrapping_add(offset & 0xffff_ffff);
    if bytes >= 4 {
        address &= !3;
    }
    let region = environment.region(address, bytes, false, None)?;
    let mark = wave.waits.issue(environment.chip.scalars(), true);
    for word in 0..bytes.div_ceil(4) {
        let mut value = load_word(region.words, address - region.base + 4 * word);
        if bytes < 4 {
            let unused = 32 - 8 * bytes as u32;
            value =
                if inst.imm[2] == 1 { ((value << unused) as i32 >> unused) as u32 } else { value << unused >> unused };
        }
        let slot = Slot::Scalar(first + word as u16);
        wave.set_scalar(slot, 1, u64::from(value), u64::MAX)?;
        wave.smarks[(first + word as u16) as usize] = mark;
    }
    Ok(())
}
