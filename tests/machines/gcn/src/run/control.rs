//! Where a wave goes on: branches, calls, barriers, waits, the end, mode registers.
//!
//! Worked example: `s_cbranch_execz` jumps where no lane is active; a branch on a mask of which a bit that decides was
//! never written is a fault.

use super::malformed;
use crate::environment::Environment;
use crate::errors::FaultKind;
use crate::inst::{Alu, Inst, Slot, Step, Trap};
use crate::waits::Counter;
use crate::wave::{State, Wave};

/// What a branch asks, as `imm[0]`.
pub const ALWAYS: i64 = 0;
pub const SCC0: i64 = 1;
pub const SCC1: i64 = 2;
pub const VCCZ: i64 = 3;
pub const VCCNZ: i64 = 4;
pub const EXECZ: i64 = 5;
pub const EXECNZ: i64 = 6;

pub fn branch(wave: &mut Wave, _: &mut Environment<'_>, inst: &Inst) -> Step {
    let undefined =
        |what: &str| Err(Trap::new(FaultKind::Uninitialised, format!("a branch on {what} that nothing wrote")));
    let taken = match inst.imm[0] {
        ALWAYS => true,
        SCC0 | SCC1 if !wave.scc_def => return undefined("an SCC"),
        SCC0 => !wave.scc,
        SCC1 => wave.scc,
        VCCZ | VCCNZ => {
            let (mask, known) = wave.vcc();
            if mask & known == 0 && known != u64::MAX {
                return undefined("bits of VCC");
            }
            (mask == 0) == (inst.imm[0] == VCCZ)
        }
        EXECZ => wave.exec == 0,
        _ => wave.exec != 0,
    };
    if taken {
        wave.jump = Some(inst.target);
    }
    Ok(())
}

/// `s_getpc_b64`.
pub fn get_pc(wave: &mut Wave, _: &mut Environment<'_>, inst: &Inst) -> Step {
    let Some(dst) = &inst.dst else { return malformed(inst) };
    wave.set_scalar(dst.slot, 2, inst.next, u64::MAX)
}

/// `s_setpc_b64`, `s_swappc_b64`, `s_call_b64`.
pub fn set_pc(wave: &mut Wave, _: &mut Environment<'_>, inst: &Inst) -> Step {
    let target = match inst.src.first() {
        Some(src) => {
            let (target, def) = wave.uniform(src);
            if def != u64::MAX {
                return Err(Trap::new(FaultKind::Uninitialised, "a jump to where nothing wrote"));
            }
            target
        }
        None => inst.target,
    };
    if let Some(dst) = &inst.dst {
        wave.set_scalar(dst.slot, 2, inst.next, u64::MAX)?;
    }
    wave.jump = Some(target);
    Ok(())
}

pub fn end(wave: &mut Wave, _: &mut Environment<'_>, _: &Inst) -> Step {
    wave.state = State::Ended;
    Ok(())
}

/// Instructions that change nothing here: `s_nop`, hints, cache control.
pub fn nothing(_: &mut Wave, _: &mut Environment<'_>, _: &Inst) -> Step {
    Ok(())
}

pub fn trap(_: &mut Wave, _: &mut Environment<'_>, _: &Inst) -> Step {
    Err(Trap::new(FaultKind::Illegal, "the kernel traps"))
}

pub fn unknown(_: &mut Wave, _: &mut Environment<'_>, inst: &Inst) -> Step {
    Err(Trap::new(FaultKind::Unknown, format!("an instruction that the emulator does not model: {}", inst.text)))
}

/// LDS writes that the wave has not waited for may happen behind the barrier.
fn late_writes(wave: &mut Wave, environment: &mut Environment<'_>) {
    let waits = &wave.waits;
    wave.lds_writes.retain(|&(mark, ..)| !waits.arrived(mark));
    for &(_, address, bytes) in wave.lds_writes.iter().chain(&wave.lds_loads) {
        environment.lds.late(wave.number, address, bytes);
    }
}

pub fn barrier(wave: &mut Wave, environment: &mut Environment<'_>, _: &Inst) -> Step {
    late_writes(wave, environment);
    wave.state = State::Barrier;
    Ok(())
}

/// `s_barrier_signal -1`.
pub fn signal(wave: &mut Wave, environment: &mut Environment<'_>, _: &Inst) -> Step {
    late_writes(wave, environment);
    wave.signalled = true;
    Ok(())
}

/// `s_barrier_wait -1`.
pub fn wait_barrier(wave: &mut Wave, _: &mut Environment<'_>, _: &Inst) -> Step {
    if !wave.signalled {
        return Err(Trap::new(FaultKind::Illegal, "a wait at a barrier that the wave has not signalled"));
    }
    wave.signalled = false;
    wave.state = State::Barrier;
    Ok(())
}

/// `s_waitcnt` and its kin: `imm` holds how many may be left of each counter, -1 says nothing about it.
pub fn wait(wave: &mut Wave, _: &mut Environment<'_>, inst: &Inst) -> Step {
    for (counter, left) in [Counter::Load, Counter::Store, Counter::Lds, Counter::Scalar].into_iter().zip(inst.imm) {
        if let Ok(left) = u32::try_from(left) {
            wave.waits.wait(counter, left);
        }
    }
    if wave.waits.idle() {
        wave.lds_writes.clear();
        wave.lds_loads.clear();
    } else {
        let waits = &wave.waits;
        wave.lds_writes.retain(|&(mark, ..)| !waits.arrived(mark));
        wave.lds_loads.retain(|&(mark, ..)| !waits.arrived(mark));
    }
    Ok(())
}

/// Hardware registers, as `imm[0]`: 1 MODE, others read as 0. `imm[1]` is the first bit, `imm[2]` their number.
pub const MODE: i64 = 1;

fn field(inst: &Inst) -> (u32, u32) {
    let width = inst.imm[2].clamp(1, 32) as u32;
    (inst.imm[1].clamp(0, 31) as u32, ((1u64 << width) - 1) as u32)
}

pub fn get_register(wave: &mut Wave, _: &mut Environment<'_>, inst: &Inst) -> Step {
    let Some(dst) = &inst.dst else { return malformed(inst) };
    if inst.imm[0] != MODE {
        return Err(Trap::new(FaultKind::Unknown, "a hardware register that is not modelled"));
    }
    let (first, mask) = field(inst);
    wave.set_scalar(dst.slot, 1, u64::from(wave.mode >> first & mask), u64::MAX)
}

/// `s_setreg`: other registers than MODE may be written, nothing here depends on them.
pub fn set_register(wave: &mut Wave, _: &mut Environment<'_>, inst: &Inst) -> Step {
    let Some(src) = inst.src.first() else { return malformed(inst) };
    let (value, def) = wave.uniform(src);
    if def as u32 != u32::MAX {
        return Err(Trap::new(FaultKind::Uninitialised, "a hardware register from bits that nothing wrote"));
    }
    let (first, mask) = field(inst);
    if inst.imm[0] == MODE {
        wave.mode = wave.mode & !(mask << first) | (value as u32 & mask) << first;
        return check_rounding(wave);
    }
    Ok(())
}

/// `s_denorm_mode`, `s_round_mode`: four bits of MODE from bit `imm[1]`.
pub fn set_mode(wave: &mut Wave, _: &mut Environment<'_>, inst: &Inst) -> Step {
    let Alu::Number(value) = inst.alu else { return malformed(inst) };
    let first = inst.imm[1].clamp(0, 28) as u32;
    wave.mode = wave.mode & !(15 << first) | (value & 15) << first;
    check_rounding(wave)
}

fn check_rounding(wave: &Wave) -> Step {
    if wave.mode & 15 != 0 {
        return Err(Trap::new(FaultKind::Unknown, "a rounding mode other than to the nearest even"));
    }
    Ok(())
}

/// `s_memtime`, `s_memrealtime`: the clock counts instructions.
pub fn clock(wave: &mut Wave, environment: &mut Environment<'_>, inst: &Inst) -> Step {
    let Some(dst) = &inst.dst else { return malformed(inst) };
    wave.set_scalar(dst.slot, dst.words, wave.steps, u64::MAX)?;
    let mark = wave.waits.issue(environment.chip.scalars(), true);
    if let Slot::Scalar(first) = dst.slot {
        wave.smarks[first as usize..][..usize::from(dst.words)].fill(mark);
    }
    Ok(())
}
