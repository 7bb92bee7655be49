//! Llama 2 and 3, and what has its shape: SmolLM, TinyLlama, Mistral with its sliding window, Mixtral with experts.

use super::super::decoder::{Decoder, Pairs};
use super::super::names::{Renamed, Role};
use super::super::source::Checkpoint;
use super::experts::{self, Usual};
use super::{shared, window_everywhere};
use crate::Diagnostic;

/// Mixtral calls an expert's three matrices by number. transformers 5 has other names once it has loaded them, which
/// the usual ones are.
pub const MIXTRAL: &[Renamed] = &[
    (Role::Router, "blk.{}.ffn_gate_inp.weight", "model.layers.{}.block_sparse_moe.gate.weight"),
    (Role::ExpertGates, "blk.{}.ffn_gate_exps.weight", "model.layers.{}.block_sparse_moe.experts.*.w1.weight"),
    (Role::ExpertUps, "blk.{}.ffn_up_exps.weight", "model.layers.{}.block_sparse_moe.experts.*.w3.weight"),
    (Role::ExpertDowns, "blk.{}.ffn_down_exps.weight", "model.layers.{}.block_sparse_moe.experts.*.w2.weight"),
];

/// The weights of a token's experts always add up to 1.
const EXPERTS: Usual = Usual { normed: [true, true], shared: false };

pub fn describe(checkpoint: &Checkpoint) -> Result<Decoder, Box<Diagnostic>> {
    let mut decoder = shared(checkpoint, Pairs::Neighbours, None)?;
    window_everywhere(checkpoint, &mut decoder)?;
    match experts::count_key(checkpoint) {
        Some(_) => experts::describe(checkpoint, decoder, &EXPERTS),
        None => Ok(decoder),
    }
}
