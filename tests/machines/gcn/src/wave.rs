//! One wave: its registers, what of them is defined, what is under way, and how operands are fetched and results
//! written.
//!
//! Definedness is kept with values: a bit a lane for vector registers, a mask of bits for scalar ones (lane masks are
//! made of them). It flows through arithmetic; a fault comes where an undefined value decides an address, a branch,
//! EXEC or what memory gets.
//!
//! Worked example: v1 was never written; `v_add_u32 v2, v1, v3` makes v2 undefined; a store of v2 is the fault.

use crate::errors::FaultKind;
use crate::inst::{Dpp, Dst, Inst, Part, Rest, Slot, Src, Step, Touched, Trap};
use crate::text::{EXEC, Place, SCALARS, VCC};
use crate::value::{Lanes, Type, Wide};
use crate::waits::{Mark, Waits};

/// Windows of the flat address space.
pub const SHARED_BASE: u64 = 0x0001_0000_0000_0000;
pub const PRIVATE_BASE: u64 = 0x0002_0000_0000_0000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Running,
    Barrier,
    Ended,
}

pub struct Wave {
    pub number: u32,
    pub lanes: u32,
    pub v: Vec<Lanes>,
    pub vdef: Vec<u64>,
    pub s: [u32; SCALARS],
    pub sdef: [u32; SCALARS],
    pub scc: bool,
    pub scc_def: bool,
    /// EXEC, spread: all ones in lanes that take part.
    pub active: Lanes,
    pub exec: u64,
    /// Where it goes on after a stretch.
    pub pc: u64,
    pub jump: Option<u64>,
    pub state: State,
    pub signalled: bool,
    pub steps: u64,
    pub waits: Waits,
    pub vmarks: Vec<Mark>,
    pub smarks: [Mark; SCALARS],
    /// LDS bytes that this wave wrote and has not waited for: mark, address, length.
    pub lds_writes: Vec<(Mark, u32, u32)>,
    /// LDS bytes that loads from memory will write: mark, address, length.
    pub lds_loads: Vec<(Mark, u32, u32)>,
    /// Per lane: bytes, and whether they were written.
    pub scratch: Vec<Vec<u8>>,
    pub scratch_def: Vec<Vec<bool>>,
    pub mode: u32,
}

impl Wave {
    pub fn new() -> Wave {
        Wave {
            number: 0,
            lanes: 64,
            v: vec![[0; 64]; 512],
            vdef: vec![0; 512],
            s: [0; SCALARS],
            sdef: [0; SCALARS],
            scc: false,
            scc_def: false,
            active: [0; 64],
            exec: 0,
            pc: 0,
            jump: None,
            state: State::Running,
            signalled: false,
            steps: 0,
            waits: Waits::default(),
            vmarks: vec![0; 512],
            smarks: [0; SCALARS],
            lds_writes: Vec::new(),
            lds_loads: Vec::new(),
            scratch: Vec::new(),
            scratch_def: Vec::new(),
            mode: 0,
        }
    }

    /// Back to the state before a launch; registers hold a pattern that is a NaN.
    pub fn reset(&mut self, number: u32, lanes: u32) {
        self.number = number;
        self.lanes = lanes;
        self.vdef.fill(0);
        self.s = [0xffff_dead; SCALARS];
        self.sdef = [0; SCALARS];
        (self.scc, self.scc_def) = (false, false);
        self.jump = None;
        self.state = State::Running;
        self.signalled = false;
        self.steps = 0;
        self.waits = Waits::default();
        self.vmarks.fill(0);
        self.smarks = [0; SCALARS];
        self.lds_writes.clear();
        self.lds_loads.clear();
        self.scratch.clear();
        self.scratch_def.clear();
    }

    /// All lanes of the wave.
    pub fn full(&self) -> u64 {
        if self.lanes == 64 { u64::MAX } else { (1 << self.lanes) - 1 }
    }

    pub fn set_exec(&mut self, mask: u64) {
        self.exec = mask & self.full();
        self.s[EXEC as usize] = self.exec as u32;
        self.s[EXEC as usize + 1] = (self.exec >> 32) as u32;
        self.sdef[EXEC as usize..][..2].fill(u32::MAX);
        for (lane, active) in self.active.iter_mut().enumerate() {
            *active = ((self.exec >> lane & 1) as u32).wrapping_neg();
        }
    }

    /// A scalar and which of its bits are defined.
    pub fn scalar(&self, first: u16, words: u8) -> (u64, u64) {
        let at = first as usize;
        let pair = |file: &[u32; SCALARS]| match words {
            1 => u64::from(file[at]),
            _ => u64::from(file[at]) | u64::from(file[at + 1]) << 32,
        };
        let known = pair(&self.sdef);
        (pair(&self.s), if words == 1 { known | 0xffff_ffff_0000_0000 } else { known })
    }

    /// Writes a scalar of one word or two.
    ///
    /// # Errors
    /// EXEC of bits that nothing wrote.
    pub fn set_scalar(&mut self, slot: Slot, words: u8, value: u64, def: u64) -> Step {
        let Slot::Scalar(first) = slot else { return Ok(()) };
        let at = first as usize;
        self.s[at] = value as u32;
        self.sdef[at] = def as u32;
        if words > 1 {
            self.s[at + 1] = (value >> 32) as u32;
            self.sdef[at + 1] = (def >> 32) as u32;
        }
        if first == EXEC || first == EXEC + 1 {
            let (mask, known) = self.scalar(EXEC, 2);
            let undefined = !known & self.full();
            if undefined != 0 {
                return Err(Trap::lane(
                    FaultKind::Uninitialised,
                    undefined.trailing_zeros(),
                    "EXEC from bits that nothing wrote",
                ));
            }
            self.set_exec(mask);
        }
        Ok(())
    }

    /// A lane mask operand: its bits and which are defined.
    pub fn mask(&self, src: &Src) -> (u64, u64) {
        match src.slot {
            Slot::Scalar(first) => self.scalar(first, if self.lanes == 64 { 2 } else { 1 }),
            Slot::Const(bits) => (bits, u64::MAX),
            _ => (0, u64::MAX),
        }
    }

    pub fn vcc(&self) -> (u64, u64) {
        let (mask, known) = self.scalar(VCC, if self.lanes == 64 { 2 } else { 1 });
        (mask & self.full(), known | !self.full())
    }

    /// Writes a lane mask: bits of inactive lanes are 0.
    pub fn set_mask(&mut self, slot: Slot, mask: u64, def: u64) -> Step {
        let words = if self.lanes == 64 { 2 } else { 1 };
        self.set_scalar(slot, words, mask & self.exec, def | !self.exec)
    }

    /// A uniform value that is not lane data.
    fn special(&self, place: Place) -> (u64, u64) {
        let all = u64::MAX;
        match place {
            Place::Scc => (u64::from(self.scc), if self.scc_def { all } else { 0 }),
            Place::Vccz => (u64::from(self.vcc().0 == 0), self.vcc().1),
            Place::Execz => (u64::from(self.exec == 0), all),
            Place::SharedBase => (SHARED_BASE, all),
            Place::PrivateBase => (PRIVATE_BASE, all),
            Place::SharedLimit => (SHARED_BASE | 0xffff_ffff, all),
            Place::PrivateLimit => (PRIVATE_BASE | 0xffff_ffff, all),
            _ => (0, 0),
        }
    }

    /// A source that is the same in all lanes: value and defined bits.
    pub fn uniform(&self, src: &Src) -> (u64, u64) {
        match src.slot {
            Slot::Scalar(first) => self.scalar(first, src.words),
            Slot::Const(bits) => (bits, u64::MAX),
            Slot::Special(place) if src.words == 1 => {
                let (value, def) = self.special(place);
                (if value > u64::from(u32::MAX) { value >> 32 } else { value }, def)
            }
            Slot::Special(place) => self.special(place),
            Slot::Vector(_) | Slot::Nothing => (0, u64::MAX),
        }
    }

    /// 32 bits a lane, as the register holds them, and the lanes where they are defined.
    #[inline(always)]
    pub fn raw<'a>(&'a self, src: &Src, word: u16, space: &'a mut Lanes) -> (&'a Lanes, u64) {
        if let Slot::Vector(first) = src.slot {
            let at = (first + word) as usize;
            return (&self.v[at], self.vdef[at]);
        }
        let (value, def) = self.uniform(src);
        let shift = 32 * u32::from(word);
        *space = [(value >> shift) as u32; 64];
        let known = (def >> shift) as u32 == u32::MAX;
        (space, if known { u64::MAX } else { 0 })
    }

    /// A source of at most 32 bits with its part and signs.
    #[inline(always)]
    pub fn narrow<'a>(&'a self, src: &Src, space: &'a mut Lanes) -> (&'a Lanes, u64) {
        if src.plain {
            return self.raw(src, 0, space);
        }
        let mut other = [0; 64];
        let (raw, def) = self.raw(src, 0, &mut other);
        *space = *raw;
        shape(src, space);
        (space, def)
    }

    /// A source that may have 64 bits.
    pub fn wide(&self, src: &Src, space: &mut Wide) -> u64 {
        let mut low = [0; 64];
        if src.words == 1 {
            let (low, def) = self.narrow(src, &mut low);
            for (wide, low) in space.iter_mut().zip(low) {
                *wide = u64::from(*low);
            }
            return def;
        }
        let mut high = [0; 64];
        let (low, def) = self.raw(src, 0, &mut low);
        let (high, more) = self.raw(src, 1, &mut high);
        for ((wide, low), high) in space.iter_mut().zip(low).zip(high) {
            *wide = u64::from(*low) | u64::from(*high) << 32;
        }
        if src.abs {
            space.iter_mut().for_each(|bits| *bits &= !(1 << 63));
        }
        if src.neg {
            space.iter_mut().for_each(|bits| *bits ^= 1 << 63);
        }
        def & more
    }

    /// Writes one word of the active lanes in `lanes`.
    #[inline(always)]
    pub fn set_word(&mut self, register: u16, value: &Lanes, def: u64, lanes: u64) {
        let at = register as usize;
        let mask = self.exec & lanes;
        if lanes == u64::MAX {
            for ((old, new), active) in self.v[at].iter_mut().zip(value).zip(&self.active) {
                *old = (*old & !active) | (new & active);
            }
        } else {
            for (lane, (old, new)) in self.v[at].iter_mut().zip(value).enumerate() {
                if mask >> lane & 1 == 1 {
                    *old = *new;
                }
            }
        }
        self.vdef[at] = (self.vdef[at] & !mask) | (def & mask);
    }

    /// Writes a result of at most 32 bits.
    #[inline(always)]
    pub fn set_narrow(&mut self, dst: &Dst, value: &mut Lanes, def: u64, lanes: u64) {
        let Slot::Vector(register) = dst.slot else { return };
        if dst.part != Part::Whole {
            let old = &self.v[register as usize];
            place(dst, value, old);
        }
        self.set_word(register, value, def, lanes);
    }

    /// Lanes in which the low word of a source is defined.
    pub fn low_word(&self, src: &Src) -> u64 {
        match src.slot {
            Slot::Vector(first) => self.vdef[first as usize],
            _ if self.uniform(src).1 as u32 == u32::MAX => u64::MAX,
            _ => 0,
        }
    }

    pub fn set_wide(&mut self, dst: &Dst, value: &Wide, def: u64, lanes: u64) {
        self.set_wide_words(dst, value, [def; 2], lanes);
    }

    /// Writes 64 bits of which each word is defined in lanes of its own.
    pub fn set_wide_words(&mut self, dst: &Dst, value: &Wide, def: [u64; 2], lanes: u64) {
        let Slot::Vector(register) = dst.slot else { return };
        let mut low: Lanes = std::array::from_fn(|lane| value[lane] as u32);
        if dst.words == 1 {
            self.set_narrow(dst, &mut low, def[0] & def[1], lanes);
            return;
        }
        self.set_word(register, &low, def[0], lanes);
        let high: Lanes = std::array::from_fn(|lane| (value[lane] >> 32) as u32);
        self.set_word(register + 1, &high, def[1], lanes);
    }

    /// Moves lanes as DPP says: the lanes that take part, and whether the moved values are defined.
    #[expect(clippy::needless_range_loop, reason = "a lane indexes several arrays")]
    pub fn dpp(&self, dpp: &Dpp, value: &Lanes, def: u64, moved: &mut Lanes) -> (u64, u64) {
        let (mut lanes, mut known) = (0u64, 0u64);
        for lane in 0..self.lanes as usize {
            let from = dpp.from[lane] as usize;
            let valid = from < 64 && (dpp.fetch_inactive || self.exec >> from & 1 == 1);
            let enabled = dpp.row_mask >> (lane / 16) & 1 == 1 && dpp.bank_mask >> (lane % 16 / 4) & 1 == 1;
            if !enabled || !(valid || dpp.zero) {
                continue;
            }
            lanes |= 1 << lane;
            moved[lane] = if valid { value[from] } else { 0 };
            known |= (if valid { def >> from & 1 } else { 1 }) << lane;
        }
        (lanes, known)
    }

    /// Checks that no load into the instruction's registers is under way.
    pub fn check_waits(&self, inst: &Inst) -> Step {
        for &Touched { slot, count, by } in &inst.touched {
            let (first, marks, name) = match slot {
                Slot::Vector(first) => (first, &self.vmarks[..], 'v'),
                Slot::Scalar(first) => (first, &self.smarks[..], 's'),
                _ => continue,
            };
            for at in first as usize..first as usize + usize::from(count) {
                if marks.get(at).is_some_and(|&mark| !self.waits.arrived(mark) && !by.is_some_and(|by| by.counts(mark)))
                {
                    return Err(Trap::new(
                        FaultKind::MissingWait,
                        format!("register {name}{at} while a load into it is under way"),
                    ));
                }
            }
        }
        Ok(())
    }
}

/// Takes the part of a word that a source names and applies its signs.
pub fn shape(src: &Src, lanes: &mut Lanes) {
    let (shift, bits) = match src.part {
        Part::Whole => (0, if src.ty.is_half() { 16 } else { 32 }),
        Part::Low => (0, 16),
        Part::High => (16, 16),
        Part::Byte(byte) => (8 * u32::from(byte), 8),
    };
    for lane in lanes.iter_mut() {
        let up = *lane << (32 - bits - shift);
        *lane = if src.sext { ((up as i32) >> (32 - bits)) as u32 } else { up >> (32 - bits) };
    }
    let sign = src.ty.sign() as u32;
    if src.abs {
        lanes.iter_mut().for_each(|lane| *lane &= !sign);
    }
    if src.neg {
        lanes.iter_mut().for_each(|lane| *lane ^= sign);
    }
}

/// Puts a result into the part of a word that the destination names.
fn place(dst: &Dst, value: &mut Lanes, old: &Lanes) {
    let (shift, bits) = match dst.part {
        Part::Whole => (0, 32),
        Part::Low => (0, 16),
        Part::High => (16, 16),
        Part::Byte(byte) => (8 * u32::from(byte), 8),
    };
    let mask = ((1u64 << bits) - 1) as u32;
    for (value, old) in value.iter_mut().zip(old) {
        let part = (*value & mask) << shift;
        *value = match dst.rest {
            Rest::Keep => part | (old & !(mask << shift)),
            Rest::Zero => part,
            Rest::Sign => ((part << (32 - bits - shift)) as i32 >> (32 - bits - shift)) as u32,
        };
    }
}

impl Default for Wave {
    fn default() -> Wave {
        Wave::new()
    }
}

/// A source that is a constant.
pub fn constant(bits: u64, ty: Type) -> Src {
    let words = ty.words();
    Src { slot: Slot::Const(bits), ty, words, part: Part::Whole, sext: false, neg: false, abs: false, plain: true }
}
