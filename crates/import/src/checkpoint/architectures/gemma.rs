//! Gemma 1, 2 (soft-capping, every other layer with a sliding window, pre- and post-norms) and 3 (QK-norm, a rotary
//! embedding of its own for layers with a window).
//!
//! Norms multiply by `1 + w`; GGUF files hold that sum. Embeddings are multiplied by the root of their width.

use super::super::decoder::{Activation, Decoder, Layer, Norm, NormKind, NormPlaces, Pairs, QkNorm, Rotation, Scaling};
use super::super::names::{Naming, Renamed, Role};
use super::super::source::{Checkpoint, Key};
use super::{SIZE_MAX, WINDOW, layers_with_windows, shared};
use crate::Diagnostic;

/// Gemma 2 and 3 have four norms a layer.
pub const RENAMED: &[Renamed] = &[
    (Role::PostAttentionNorm, "blk.{}.post_attention_norm.weight", "model.layers.{}.post_attention_layernorm.weight"),
    (Role::FeedForwardNorm, "blk.{}.ffn_norm.weight", "model.layers.{}.pre_feedforward_layernorm.weight"),
];

const SCORE_SOFTCAP: &[Key] = &[Key("attn_logit_softcapping", "attn_logit_softcapping")];
const LOGIT_SOFTCAP: &[Key] = &[Key("final_logit_softcapping", "final_logit_softcapping")];
/// Those of Gemma 2, and its window, which its first GGUF files do not say. Source: llama.cpp's defaults for gemma2.
const SCORE_SOFTCAP_2: f64 = 50.0;
const LOGIT_SOFTCAP_2: f64 = 30.0;
const WINDOW_2: u64 = 4096;
/// Products of queries and keys are divided by its root.
const SCORE_SIZE: &[Key] = &[Key("attention.query_pre_attn_scalar", "query_pre_attn_scalar")];
/// Of layers with a window.
const LOCAL_BASE: &[Key] = &[
    Key("rope.freq_base_swa", "rope_parameters.sliding_attention.rope_theta"),
    Key("rope.freq_base_swa", "rope_local_base_freq"),
];
const LOCAL_BASE_DEFAULT: f64 = 10_000.0;
/// Of layers that see everything.
const BASE: &[Key] = &[Key("rope.freq_base", "rope_parameters.full_attention.rope_theta")];
const FACTOR: &[Key] = &[Key("rope.scaling.factor", "rope_parameters.full_attention.factor")];
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
    let mut decoder = four_norms(checkpoint)?;
    let mut window = checkpoint.optional_count(WINDOW, SIZE_MAX)?;
    if checkpoint.naming() == Naming::Gguf {
        decoder.score_softcap.get_or_insert(SCORE_SOFTCAP_2);
        decoder.logit_softcap.get_or_insert(LOGIT_SOFTCAP_2);
        window.get_or_insert(WINDOW_2);
    }
    for layer in windowed(checkpoint, &mut decoder, PATTERN_2)? {
        layer.window = window;
    }
    Ok(decoder)
}

pub fn describe_3(checkpoint: &Checkpoint) -> Result<Decoder, Box<Diagnostic>> {
    let mut decoder = four_norms(checkpoint)?;
    decoder.qk_norm = QkNorm::Head;
    if let Some(other) = checkpoint.text(SCALING)?.filter(|name| !["default", "linear", "none"].contains(name)) {
        return checkpoint.unsupported(SCALING, other, "default, linear");
    }
    let (base, factor) = (checkpoint.positive(BASE)?, checkpoint.positive(FACTOR)?);
    for rotation in decoder.layers.iter_mut().filter_map(|layer| layer.rotation.as_mut()) {
        rotation.base = base.unwrap_or(rotation.base);
        rotation.scaling = factor.map_or(rotation.scaling.clone(), Scaling::Linear);
    }
    let window = checkpoint.optional_count(WINDOW, SIZE_MAX)?;
    let base = checkpoint.positive(LOCAL_BASE)?.unwrap_or(LOCAL_BASE_DEFAULT);
    for layer in windowed(checkpoint, &mut decoder, PATTERN_3)? {
        let rotation = layer.rotation.take().map(|global| Rotation { base, scaling: Scaling::None, ..global });
        *layer = Layer { window, rotation, experts: None };
    }
    Ok(decoder)
}

/// What Gemma 2 and 3 share.
fn four_norms(checkpoint: &Checkpoint) -> Result<Decoder, Box<Diagnostic>> {
    let decoder = describe(checkpoint)?;
    let is_27b = checkpoint.naming() == Naming::Gguf && decoder.layers.len() == LAYERS_OF_27B;
    let unsaid = if is_27b { decoder.width / decoder.heads } else { decoder.head_width };
    Ok(Decoder {
        norm_places: NormPlaces::Both,
        score_softcap: checkpoint.positive(SCORE_SOFTCAP)?,
        logit_softcap: checkpoint.positive(LOGIT_SOFTCAP)?,
        score_scale: checkpoint.positive(SCORE_SIZE)?.unwrap_or(unsaid as f64).sqrt().recip(),
        ..decoder
    })
}

/// The layers that see a window; of `pattern` layers the last one sees everything.
fn windowed<'a>(
    checkpoint: &Checkpoint,
    decoder: &'a mut Decoder,
    pattern: u64,
) -> Result<impl Iterator<Item = &'a mut Layer>, Box<Diagnostic>> {
    let pattern = if checkpoint.has(PATTERN) { checkpoint.count(PATTERN, SIZE_MAX)? } else { pattern };
    let usual = |layer: usize| !(layer as u64 + 1).is_multiple_of(pattern);
    let has_window = layers_with_windows(checkpoint, decoder.layers.len(), usual)?;
    Ok(decoder.layers.iter_mut().zip(has_window).filter(|(_, has_window)| *has_window).map(|(layer, _)| layer))
}
