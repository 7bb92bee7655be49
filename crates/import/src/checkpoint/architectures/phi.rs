//! Phi 3 and 4: queries, keys and values are one matrix, gate and up another; a part of each head may turn only.

use super::super::decoder::{Decoder, Layout, Pairs};
use super::super::names::{Renamed, Role};
use super::super::source::Checkpoint;
use super::{shared, window_everywhere};
use crate::Diagnostic;

pub const RENAMED: &[Renamed] = &[(Role::GateUp, "blk.{}.ffn_up.weight", "model.layers.{}.mlp.gate_up_proj.weight")];

pub fn describe(checkpoint: &Checkpoint) -> Result<Decoder, Box<Diagnostic>> {
    let mut decoder = shared(checkpoint, Pairs::Halves, None)?;
    decoder.layout = Layout { fused_qkv: true, fused_gate_up: true, inputs_first: false };
    window_everywhere(checkpoint, &mut decoder)?;
    Ok(decoder)
}
