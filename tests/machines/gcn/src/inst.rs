//! An instruction as the emulator runs it: read once from the disassembler's text, then only numbers and function
//! pointers.
//!
//! Input: nothing, these are types. Worked example: `v_add_f32 v0, s1, -v2` has the destination v0, a scalar source 1,
//! a vector source 2 whose sign bit is turned (`xor`), and the row `v_add_f32` of the tables as its function.

use crate::environment::Environment;
use crate::errors::FaultKind;
use crate::text::Place;
use crate::value::{Lanes, Type, Wide};
use crate::waits::Counter;
use crate::wave::Wave;

/// What stops a wave: a fault, before the place is known.
#[derive(Debug)]
pub struct Trap {
    pub kind: FaultKind,
    pub lane: Option<u32>,
    pub address: Option<u64>,
    pub what: String,
}

impl Trap {
    pub fn new(kind: FaultKind, what: impl Into<String>) -> Box<Trap> {
        Box::new(Trap { kind, lane: None, address: None, what: what.into() })
    }

    pub fn lane(kind: FaultKind, lane: u32, what: impl Into<String>) -> Box<Trap> {
        Box::new(Trap { kind, lane: Some(lane), address: None, what: what.into() })
    }

    pub fn at(kind: FaultKind, lane: Option<u32>, address: u64, what: impl Into<String>) -> Box<Trap> {
        Box::new(Trap { kind, lane, address: Some(address), what: what.into() })
    }
}

pub type Step<T = ()> = Result<T, Box<Trap>>;
pub type Run = fn(&mut Wave, &mut Environment<'_>, &Inst) -> Step;

/// Where a source's bits stand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Slot {
    Vector(u16),
    Scalar(u16),
    Const(u64),
    /// Read: a fault; written: dropped.
    Nothing,
    /// SCC, apertures, …
    Special(Place),
}

/// Which part of a word an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Whole,
    Low,
    High,
    Byte(u8),
}

#[derive(Clone, Copy, Debug)]
pub struct Src {
    pub slot: Slot,
    pub ty: Type,
    /// Registers that it covers.
    pub words: u8,
    pub part: Part,
    pub sext: bool,
    pub neg: bool,
    pub abs: bool,
    /// Neither part nor sign is touched.
    pub plain: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct Dst {
    pub slot: Slot,
    pub ty: Type,
    pub words: u8,
    pub part: Part,
    /// What happens to the rest of the word when a part is written.
    pub rest: Rest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    Keep,
    Zero,
    Sign,
}

/// The arithmetic of a row.
#[derive(Clone, Copy)]
pub enum Alu {
    None,
    Narrow(fn(&[&Lanes; 3], &mut Lanes)),
    Wide(fn(&[&Wide; 3], &mut Wide)),
    /// Narrow operands, two results: the value and a lane mask.
    Compare(fn(&[&Lanes; 2]) -> u64),
    CompareWide(fn(&[&Wide; 2]) -> u64),
    Scalar(fn(ScalarIn) -> ScalarOut),
    Matrix(&'static crate::matrix::Shape),
    Access(crate::access::Access),
    Number(u32),
}

#[derive(Clone, Copy, Debug)]
pub struct ScalarIn {
    pub a: u64,
    pub b: u64,
    /// The third source, or the destination's old value.
    pub c: u64,
    pub scc: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct ScalarOut {
    pub d: u64,
    pub scc: Option<bool>,
}

/// How DPP moves lanes of the first source.
#[derive(Clone, Debug)]
pub struct Dpp {
    /// Source lane of each lane; 255 where there is none.
    pub from: [u8; 64],
    pub row_mask: u8,
    pub bank_mask: u8,
    /// Lanes without a source read 0 instead of keeping their result.
    pub zero: bool,
    /// Lanes that EXEC leaves out may be read.
    pub fetch_inactive: bool,
}

/// Registers of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct Touched {
    pub slot: Slot,
    pub count: u8,
    /// The counter by which the instruction writes them: it may write over what comes by the same counter before.
    pub by: Option<Counter>,
}

pub struct Inst {
    pub run: Run,
    pub alu: Alu,
    pub dst: Option<Dst>,
    /// A second result: the carry mask of `v_add_co`.
    pub dst2: Option<Dst>,
    pub src: Vec<Src>,
    /// Offsets, selectors, immediate values; what each means is the handler's affair.
    pub imm: [i64; 4],
    pub flags: u32,
    pub clamp: bool,
    /// Result times 2 to this power.
    pub omod: i8,
    pub dpp: Option<Box<Dpp>>,
    /// Address behind the instruction.
    pub next: u64,
    /// Where a branch goes.
    pub target: u64,
    /// Registers read or written, for the check of loads under way.
    pub touched: Vec<Touched>,
    /// The other half of a dual instruction.
    pub dual: Option<Box<Inst>>,
    pub text: String,
}
