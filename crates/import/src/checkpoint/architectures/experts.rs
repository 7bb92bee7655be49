//! Settings of mixtures of experts.

use super::super::decoder::{Decoder, Experts};
use super::super::names::{Naming, Role};
use super::super::source::{Checkpoint, Key};
use super::SIZE_MAX;
use crate::Diagnostic;

/// transformers has two names for it.
const COUNT: &[Key] = &[Key("expert_count", "num_local_experts"), Key("expert_count", "num_experts")];
const USED: Key = Key("expert_used_count", "num_experts_per_tok");
const WIDTH: Key = Key("expert_feed_forward_length", "moe_intermediate_size");
const SHARED_WIDTH: Key = Key("expert_shared_feed_forward_length", "shared_expert_intermediate_size");
const NORMED: Key = Key("expert_weights_norm", "norm_topk_prob");
/// What llama.cpp calls the function of the scores: 0 where the architecture says it, 1 for softmax.
const GATING: Key = Key("expert_gating_func", "");
/// What the experts' weights are multiplied by; 0 stands for 1.
const SCALE: Key = Key("expert_weights_scale", "");
/// Every so many layers have experts.
const STEP: Key = Key("", "decoder_sparse_step");
/// Layers that have none.
const PLAIN_LAYERS: Key = Key("", "mlp_only_layers");
/// Experts of a layer at most.
const COUNT_MAX: u64 = 4096;

/// What an architecture says where settings do not.
pub struct Usual {
    /// In a folder of Hugging Face's, and in GGUF.
    pub normed: [bool; 2],
    /// Every token goes through one more expert.
    pub shared: bool,
}

/// The setting that says how many experts there are, if there are any.
pub fn count_key(checkpoint: &Checkpoint) -> Option<Key> {
    COUNT.iter().copied().find(|&key| checkpoint.has(key) && checkpoint.number(key) != Some(0.0))
}

/// Gives layers the experts that the settings name.
///
/// # Errors
/// FX1015 for settings that are missing or unknown.
pub fn describe(checkpoint: &Checkpoint, mut decoder: Decoder, usual: &Usual) -> Result<Decoder, Box<Diagnostic>> {
    let count = checkpoint.count(count_key(checkpoint).unwrap_or(COUNT[0]), COUNT_MAX)?;
    let used = checkpoint.count(USED, count)?;
    let width = checkpoint.optional_count(WIDTH, SIZE_MAX)?.unwrap_or(decoder.feed_forward);
    let is_gguf = checkpoint.naming() == Naming::Gguf;
    let normed = checkpoint.bool(NORMED)?.unwrap_or(usual.normed[usize::from(is_gguf)]);
    let shared = if usual.shared { Some(shared_width(checkpoint)?) } else { None };
    if let Some(gating) = checkpoint.number(GATING).filter(|gating| ![0.0, 1.0].contains(gating)) {
        return checkpoint.unsupported(GATING, &gating.to_string(), "0, 1 (softmax)");
    }
    if let Some(scale) = checkpoint.number(SCALE).filter(|scale| ![0.0, 1.0].contains(scale)) {
        return checkpoint.unsupported(SCALE, &scale.to_string(), "0, 1");
    }
    let experts = Experts { count, used, width, normed, shared };
    let layers = decoder.layers.len() as u64;
    let step = checkpoint.optional_count(STEP, layers)?.unwrap_or(1);
    let plain = plain_layers(checkpoint)?;
    for (at, layer) in (0u64..).zip(&mut decoder.layers) {
        // GGUF has no key for it.
        let has = if is_gguf { checkpoint.holds(Role::Router, at) } else { (at + 1) % step == 0 };
        layer.experts = Some(experts).filter(|_| has && !plain.contains(&at));
    }
    Ok(decoder)
}

fn shared_width(checkpoint: &Checkpoint) -> Result<u64, Box<Diagnostic>> {
    match checkpoint.optional_count(SHARED_WIDTH, SIZE_MAX)? {
        Some(width) => Ok(width),
        // Old files of llama.cpp say it by the tensor alone.
        None => checkpoint.rows_of(Role::SharedGate),
    }
}

fn plain_layers(checkpoint: &Checkpoint) -> Result<Vec<u64>, Box<Diagnostic>> {
    if !checkpoint.has(PLAIN_LAYERS) {
        return Ok(Vec::new());
    }
    let whole = |number: f64| (number >= 0.0 && number.fract() == 0.0).then_some(number as u64);
    match checkpoint.numbers(PLAIN_LAYERS).and_then(|numbers| numbers.into_iter().map(whole).collect()) {
        Some(layers) => Ok(layers),
        None => checkpoint.unsupported(PLAIN_LAYERS, "no list of whole numbers", "lists of layers"),
    }
}
