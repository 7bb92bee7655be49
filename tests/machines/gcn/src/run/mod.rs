//! The handlers: what an instruction does to a wave. Each is a function that a decoded instruction points to.
//!
//! Input: wave, surroundings, instruction. Output: changed registers and memory, or a trap. Worked example: `v_add_f32`
//! is [`vector::narrow`] with the row of the tables; `s_cbranch_scc1` is [`control::branch`].

pub mod buffer;
pub mod carry;
pub mod control;
pub mod global;
pub mod lanes;
pub mod local;
pub mod mixed;
pub mod scalar;
pub mod vector;

use crate::errors::FaultKind;
use crate::inst::{Inst, Step, Trap};

/// What an instruction without the operands that its handler needs is: a gap in the decoder, reported rather than
/// guessed around.
pub fn malformed<T>(inst: &Inst) -> Step<T> {
    Err(Trap::new(FaultKind::Unknown, format!("operands that are not modelled: {}", inst.text)))
}
