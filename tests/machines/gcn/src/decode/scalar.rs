//! Scalar instructions: arithmetic, branches, waits, loads.
//!
//! Worked example: `s_waitcnt vmcnt(1) lgkmcnt(0)` allows one load under way and no LDS or scalar one; what it does not
//! name it does not wait for.

use super::Decoder;
use super::operands::short;
use crate::chip::Family;
use crate::inst::{Alu, Run};
use crate::run::{control, scalar};
use crate::table::scalar::{ScalarRow, scalar as row};
use crate::text::{Place, number};
use crate::value::Type;

const BRANCHES: &[(&str, i64)] = &[
    ("s_branch", control::ALWAYS),
    ("s_cbranch_scc0", control::SCC0),
    ("s_cbranch_scc1", control::SCC1),
    ("s_cbranch_vccz", control::VCCZ),
    ("s_cbranch_vccnz", control::VCCNZ),
    ("s_cbranch_execz", control::EXECZ),
    ("s_cbranch_execnz", control::EXECNZ),
];

/// Hints and cache control: nothing that the emulator models changes.
const NOTHING: &[&str] = &[
    "s_nop",
    "s_sleep",
    "s_setprio",
    "s_clause",
    "s_delay_alu",
    "s_inst_prefetch",
    "s_set_inst_prefetch_distance",
    "s_wait_alu",
    "s_waitcnt_depctr",
    "s_wait_idle",
    "s_waitcnt_expcnt",
    "s_wait_expcnt",
    "s_wait_samplecnt",
    "s_wait_bvhcnt",
    "s_dcache_inv",
    "s_dcache_wb",
    "s_icache_inv",
    "s_gl1_inv",
    "s_sendmsg",
    "s_ttracedata",
    "s_ttracedata_imm",
    "s_version",
    "s_prefetch_inst",
    "s_prefetch_inst_pc_rel",
    "s_prefetch_data",
    "s_prefetch_data_pc_rel",
    "s_singleuse_vdst",
    "s_wakeup",
];

const SAVES: &[(&str, i64)] = &[
    ("and", 0),
    ("or", 1),
    ("xor", 2),
    ("andn2", 3),
    ("orn2", 4),
    ("nand", 5),
    ("nor", 6),
    ("xnor", 7),
    ("andn1", 8),
    ("orn1", 9),
];

fn ty(words: u8) -> Type {
    if words == 2 { Type::B64 } else { Type::B32 }
}

impl Decoder<'_> {
    pub fn scalar(&mut self) -> Option<()> {
        let name = self.name;
        if NOTHING.contains(&name) {
            self.inst.run = control::nothing;
            return Some(());
        }
        if let Some(&(_, kind)) = BRANCHES.iter().find(|row| row.0 == name) {
            return self.branch(kind);
        }
        if let Some(row) = row(name) {
            return self.scalar_row(row);
        }
        if let Some(rest) = name.strip_prefix("s_load_") {
            return self.load(rest);
        }
        if name.contains("_saveexec_") {
            return self.save();
        }
        if name.starts_with("s_wait") {
            return self.wait();
        }
        self.others()
    }

    fn simple(&mut self, run: Run) -> Option<()> {
        self.inst.run = run;
        Some(())
    }

    fn others(&mut self) -> Option<()> {
        match self.name {
            "s_endpgm" | "s_endpgm_saved" => self.simple(control::end),
            "s_trap" => self.simple(control::trap),
            "s_barrier" => self.simple(control::barrier),
            "s_barrier_signal" if self.text.rest == "-1" => self.simple(control::signal),
            "s_barrier_wait" if matches!(self.text.rest, "-1" | "0xffff" | "65535") => {
                self.simple(control::wait_barrier)
            }
            "s_getpc_b64" => {
                self.inst.dst = Some(self.destination(0, Type::B64)?);
                self.simple(control::get_pc)
            }
            "s_setpc_b64" => {
                let src = self.source(0, Type::B64)?;
                self.inst.src.push(src);
                self.simple(control::set_pc)
            }
            "s_swappc_b64" => {
                self.inst.dst = Some(self.destination(0, Type::B64)?);
                let src = self.source(1, Type::B64)?;
                self.inst.src.push(src);
                self.simple(control::set_pc)
            }
            "s_call_b64" => {
                self.inst.dst = Some(self.destination(0, Type::B64)?);
                self.inst.target = self.relative(1)?;
                self.simple(control::set_pc)
            }
            "s_memtime" | "s_memrealtime" => {
                self.inst.dst = Some(self.destination(0, Type::B64)?);
                self.simple(control::clock)
            }
            "s_denorm_mode" | "s_round_mode" => {
                self.inst.alu = Alu::Number(u32::try_from(number(self.text.rest)?).ok()?);
                self.inst.imm[1] = if self.name == "s_round_mode" { 0 } else { 4 };
                self.simple(control::set_mode)
            }
            "s_getreg_b32" | "s_setreg_b32" | "s_setreg_imm32_b32" => self.hardware(),
            _ => None,
        }
    }

    /// The address that operand `at` names in words behind this instruction.
    fn relative(&self, at: usize) -> Option<u64> {
        let words = i64::from(number(self.text.operands.get(at)?)? as i16);
        Some(self.inst.next.wrapping_add((4 * words) as u64))
    }

    fn branch(&mut self, kind: i64) -> Option<()> {
        self.inst.imm[0] = kind;
        self.inst.target = self.relative(0)?;
        if matches!(kind, control::VCCZ | control::VCCNZ) {
            self.inst.touched.push(crate::run::carry::IMPLICIT);
        }
        self.simple(control::branch)
    }

    fn scalar_row(&mut self, row: &'static ScalarRow) -> Option<()> {
        self.inst.alu = Alu::Scalar(row.f);
        self.inst.imm[0] = scalar::flow_number(row.flow);
        let first = usize::from(row.dst > 0);
        if row.dst > 0 {
            self.inst.dst = Some(self.destination(0, ty(row.dst))?);
        }
        if self.text.operands.len() != first + row.src.len()
            && !(row.reads_dst && self.text.operands.len() == first + row.src.len())
        {
            return None;
        }
        for (at, words) in row.src.iter().enumerate() {
            let is_last = at + 1 == row.src.len();
            let src = if row.short > 0 && is_last {
                crate::wave::constant(short(self.text.operands.get(first + at)?, row.short == 1)?, Type::B32)
            } else {
                self.source(first + at, self.scalar_type(*words))?
            };
            self.inst.src.push(src);
        }
        self.inst.flags =
            (u32::from(row.reads_scc) * scalar::READS_SCC) | (u32::from(row.reads_dst) * scalar::READS_DST);
        self.simple(scalar::alu)
    }

    /// Inline floats of instructions of halves are halves.
    fn scalar_type(&self, words: u8) -> Type {
        if words == 1 && self.name.ends_with("_f16") && !self.name.starts_with("s_cvt_f16") {
            Type::F16
        } else {
            ty(words)
        }
    }

    fn save(&mut self) -> Option<()> {
        let (operation, _) = self.name.strip_prefix("s_")?.split_once("_saveexec_")?;
        self.inst.imm[0] = SAVES.iter().find(|row| row.0 == operation)?.1;
        let words = if self.name.ends_with("b64") { 2 } else { 1 };
        self.inst.dst = Some(self.destination(0, ty(words))?);
        let src = self.source(1, ty(words))?;
        self.inst.src.push(src);
        self.simple(scalar::save_exec)
    }

    fn load(&mut self, rest: &str) -> Option<()> {
        let (bytes, signed) = match rest {
            "dword" | "b32" => (4, false),
            "dwordx2" | "b64" => (8, false),
            "b96" => (12, false),
            "dwordx4" | "b128" => (16, false),
            "dwordx8" | "b256" => (32, false),
            "dwordx16" | "b512" => (64, false),
            "u8" => (1, false),
            "i8" => (1, true),
            "u16" => (2, false),
            "i16" => (2, true),
            _ => return None,
        };
        self.inst.dst = Some(self.wide_destination(0)?);
        let base = self.source(1, Type::B64)?;
        self.inst.src.push(base);
        self.inst.imm = [0, bytes, i64::from(signed), 0];
        match self.operand(2)?.place {
            Place::Int(offset) => self.inst.imm[0] = offset,
            Place::Hex(offset) => self.inst.imm[0] = offset as i64,
            Place::Nothing => {}
            _ => {
                let offset = self.source(2, Type::B32)?;
                self.inst.src.push(offset);
            }
        }
        self.inst.imm[0] += self.text.number("offset").unwrap_or(0);
        (i64::from(self.inst.dst?.words) == bytes.div_euclid(4).max(1)).then_some(())?;
        self.simple(scalar::load)
    }

    /// Counters and how many may be left, in the order loads, stores, LDS, scalar loads.
    fn wait(&mut self) -> Option<()> {
        let mut left = [-1; 4];
        let late = self.chip.family == Family::Gfx12;
        let last = || number(self.text.operands.last()?);
        match self.name {
            "s_waitcnt" => self.counters(&mut left)?,
            "s_waitcnt_vscnt" | "s_wait_storecnt" => left[1] = last()?,
            "s_waitcnt_vmcnt" | "s_wait_loadcnt" => left[0] = last()?,
            "s_waitcnt_lgkmcnt" | "s_wait_dscnt" => left[2] = last()?,
            "s_wait_kmcnt" => left[3] = last()?,
            "s_wait_loadcnt_dscnt" => (left[0], left[2]) = (last()? >> 8 & 63, last()? & 63),
            "s_wait_storecnt_dscnt" => (left[1], left[2]) = (last()? >> 8 & 63, last()? & 63),
            _ => return None,
        }
        if !late && left[2] >= 0 {
            left[3] = left[2];
        }
        self.inst.imm = left;
        self.simple(control::wait)
    }

    fn counters(&self, left: &mut [i64; 4]) -> Option<()> {
        for part in self.text.rest.split_whitespace() {
            let (name, count) = part.trim_end_matches(')').split_once('(')?;
            let at = match name {
                "vmcnt" => 0,
                "lgkmcnt" => 2,
                "expcnt" => continue,
                _ => return None,
            };
            left[at] = number(count)?;
        }
        Some(())
    }

    /// `s_getreg_b32 s0, hwreg(HW_REG_MODE, 4, 2)`.
    fn hardware(&mut self) -> Option<()> {
        let at = usize::from(self.name == "s_getreg_b32");
        let text = self.text.operands.get(at)?.strip_prefix("hwreg(")?.strip_suffix(')')?;
        let mut parts = text.split(',').map(str::trim);
        self.inst.imm[0] = if parts.next()? == "HW_REG_MODE" { control::MODE } else { 0 };
        self.inst.imm[1] = parts.next().map_or(Some(0), number)?;
        self.inst.imm[2] = parts.next().map_or(Some(32), number)?;
        if at == 1 {
            self.inst.dst = Some(self.destination(0, Type::B32)?);
            return self.simple(control::get_register);
        }
        let src = self.source(1, Type::B32)?;
        self.inst.src.push(src);
        self.simple(control::set_register)
    }
}
