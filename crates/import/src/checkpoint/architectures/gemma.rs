//! Gemma 1, 2 (caps, every other layer with a window, norms on both sides) and 3 (norms of queries and keys, two
//! rotations).
//!
//! Norms multiply by `1 + w`; GGUF files hold that sum. Embeddings are multiplied by the root of their width.

use super::super::decoder::{
    Activation, Decoder, HeadNorms, Norm, NormKind, NormPlaces, Pairs, Positions, Rotation, Scaling,
};
use super::super::names::{Naming, Renamed, Role};
use super::super::source::{Checkpoint, Key};
use super::rotation::number_of;
use super::{SIZE_MAX, WINDOW, layers_with_windows, shared};
use crate::Diagnostic;

/// Gemma 2 and 3 have four norms a layer.
pub const RENAMED: &[Renamed] = &[
    (Role::PostAttentionNorm, "blk.{}.post_attention_norm.weight", "model.layers.{}.post_attention_layernorm.weight"),
    (Role::FeedForwardNorm, "blk.{}.ffn_norm.weight", "model.layers.{}.pre_feedforward_layernorm.weight"),
];

const SCORE_CAP: Key = Key("attn_logit_softcapping", "attn_logit_softcapping");
const LOGIT_CAP: Key = Key("final_logit_softcapping", "final_logit_softcapping");
/// Products of queries and keys are divided by its root.
const SCORE_SIZE: Key = Key("attention.query_pre_attn_scalar", "query_pre_attn_scalar");
/// Of layers with a window.
const LOCAL_BASE: &[Key] = &[
    Key("rope.freq_base_swa", "rope_parameters.sliding_attention.rope_theta"),
    Key("rope.freq_base_swa", "rope_local_base_freq"),
];
const LOCAL_BASE_DEFAULT: f64 = 10_000.0;
/// Of layers that see everything.
const BASE: Key = Key("rope.freq_base", "rope_parameters.full_attention.rope_theta");
const FACTOR: Key = Key("rope.scaling.factor", "rope_parameters.full_attention.factor");
const SCALING: Key = Key("rope.scaling.type", "rope_parameters.full_attention.rope_type");
/// Of so many layers the last one sees everything, where nothing else is said.
const PATTERN: Key = Key("attention.sliding_window_pattern", "sliding_window_pattern");
const PATTERN_2: u64 = 2;
const PATTERN_3: u64 = 6;
/// Layers of Gemma 2 27B, whose scores are divided by the root of `width / heads`; GGUF does not say it.
const LAYERS_OF_27B: usize = 46;

pub fn describe(checkpoint: &Checkpoint) -> Result<Decoder, Box<Diagnostic>> {
    let decoder = shared(checkpoint, Pairs::Halves, Some(Activation::GeluTanh))?;
    let kind = match checkpoint.naming() {
        Naming::Gguf => NormKind::Rms,
        Naming::HuggingFace => NormKind::RmsFromOne,
    };
    Ok(Decoder { norm: Norm { kind, ..decoder.norm }, embedding_scale: Some((decoder.width as f64).sqrt()), ..decoder })
}

pub fn describe_2(checkpoint: &Checkpoint) -> Result<Decoder, Box<Diagnostic>> {
    let mut decoder = describe(checkpoint)?;
    decoder.norm_places = NormPlaces::Both;
    decoder.score_cap = checkpoint.number(SCORE_CAP).filter(|cap| *cap > 0.0);
    decoder.logit_cap = checkpoint.number(LOGIT_CAP).filter(|cap| *cap > 0.0);
    let is_27b = checkpoint.naming() == Naming::Gguf && decoder.layers.len() == LAYERS_OF_27B;
    let size = checkpoint.number(SCORE_SIZE).or(is_27b.then_some((decoder.width / decoder.heads) as f64));
    if let Some(size) = size.filter(|size| *size > 0.0) {
        decoder.score_scale = size.sqrt().recip();
    }
    alternate(checkpoint, &mut decoder, PATTERN_2, 0)?;
    Ok(decoder)
}

pub fn describe_3(checkpoint: &Checkpoint) -> Result<Decoder, Box<Diagnostic>> {
    let mut decoder = describe_2(checkpoint)?;
    decoder.head_norms = HeadNorms::Head;
    if let Positions::Rotary(rotations) = &mut decoder.positions
        && let [global] = rotations.as_mut_slice()
    {
        global.base = checkpoint.number(BASE).unwrap_or(global.base);
        if let Some(other) = checkpoint.text(SCALING).filter(|name| !["default", "linear", "none"].contains(name)) {
            return checkpoint.unsupported(SCALING, other, "default, linear");
        }
        if let Some(factor) = checkpoint.number(FACTOR) {
            global.scaling = Scaling::Linear(factor);
        }
        let base = number_of(checkpoint, LOCAL_BASE).unwrap_or(LOCAL_BASE_DEFAULT);
        let local = Rotation { base, scaling: Scaling::None, ..global.clone() };
        rotations.push(local);
    }
    alternate(checkpoint, &mut decoder, PATTERN_3, 1)?;
    Ok(decoder)
}

/// Layers with a window turn by rotation `local`; `pattern` layers repeat.
fn alternate(
    checkpoint: &Checkpoint,
    decoder: &mut Decoder,
    pattern: u64,
    local: usize,
) -> Result<(), Box<Diagnostic>> {
    let window = checkpoint.optional_count(WINDOW, SIZE_MAX)?;
    let pattern = checkpoint.optional_count(PATTERN, SIZE_MAX)?.unwrap_or(pattern) as usize;
    let usual = |layer: usize| !(layer + 1).is_multiple_of(pattern);
    let has_window = layers_with_windows(checkpoint, decoder.layers.len(), usual);
    for (layer, has_window) in decoder.layers.iter_mut().zip(has_window) {
        (layer.window, layer.rotation) = if has_window { (window, local) } else { (None, 0) };
    }
    Ok(())
}
