//! The architectures that are known, one row each: names in GGUF and in config.json, and what reads the settings.

mod llama;
mod qwen;

use super::decoder::{Decoder, Pairs, Rotation, Scaling};
use super::names::{Naming, Role};
use super::source::{Checkpoint, Key};
use crate::Diagnostic;

/// One architecture.
pub struct Architecture {
    /// `general.architecture` in GGUF.
    gguf: &'static str,
    /// `model_type` in config.json.
    hugging_face: &'static [&'static str],
    describe: fn(&Checkpoint) -> Result<Decoder, Box<Diagnostic>>,
}

const ARCHITECTURES: &[Architecture] = &[
    Architecture { gguf: "llama", hugging_face: &["llama", "mistral"], describe: llama::describe },
    Architecture { gguf: "qwen2", hugging_face: &["qwen2"], describe: qwen::describe },
    Architecture { gguf: "qwen3", hugging_face: &["qwen3"], describe: qwen::describe_with_head_norms },
];

/// Layers at most, so that a hostile checkpoint asks for no endless text.
const LAYERS_MAX: u64 = 1024;
/// Any other size at most.
const SIZE_MAX: u64 = 1 << 24;

const LAYERS: Key = Key("block_count", "num_hidden_layers");
const WIDTH: Key = Key("embedding_length", "hidden_size");
const HEADS: Key = Key("attention.head_count", "num_attention_heads");
const KV_HEADS: Key = Key("attention.head_count_kv", "num_key_value_heads");
const HEAD_WIDTH: Key = Key("attention.key_length", "head_dim");
const VALUE_WIDTH: Key = Key("attention.value_length", "v_head_dim");
const FEED_FORWARD: Key = Key("feed_forward_length", "intermediate_size");
const CONTEXT: Key = Key("context_length", "max_position_embeddings");
const NORM_EPSILON: Key = Key("attention.layer_norm_rms_epsilon", "rms_norm_eps");
const ACTIVATION: Key = Key("hidden_act", "hidden_act");
const QUANTIZATION: Key = Key("quantization_config", "quantization_config");
const ROTATION_WIDTH: Key = Key("rope.dimension_count", "rotary_dim");
const EXPERTS: Key = Key("expert_count", "num_local_experts");

/// What a checkpoint's model is.
///
/// # Errors
/// FX1012 for an architecture that no row has, FX1015 for settings that are missing or unknown.
pub fn describe(checkpoint: &Checkpoint) -> Result<Decoder, Box<Diagnostic>> {
    let name = checkpoint.architecture();
    let is_row = |row: &&Architecture| match checkpoint.naming() {
        Naming::Gguf => row.gguf == name,
        Naming::HuggingFace => row.hugging_face.contains(&name),
    };
    match ARCHITECTURES.iter().find(is_row) {
        Some(row) => (row.describe)(checkpoint),
        None => {
            let known = ARCHITECTURES.iter().flat_map(|row| match checkpoint.naming() {
                Naming::Gguf => std::slice::from_ref(&row.gguf),
                Naming::HuggingFace => row.hugging_face,
            });
            let known: Vec<&str> = known.copied().collect();
            Err(checkpoint.failed("FX1012", format!("architecture `{name}`; known: {}", known.join(", "))))
        }
    }
}

/// What the settings that all architectures share say; `pairs` is how GGUF orders a head for rotation.
fn shared(checkpoint: &Checkpoint, pairs: Pairs) -> Result<Decoder, Box<Diagnostic>> {
    if checkpoint.has(QUANTIZATION) {
        return checkpoint.unsupported(QUANTIZATION, "set", "none: give a checkpoint in f32, f16 or bf16, or GGUF");
    }
    if checkpoint.number(EXPERTS).is_some_and(|experts| experts > 0.0) {
        return checkpoint.unsupported(EXPERTS, "set", "none: mixtures of experts are not read");
    }
    if let Some(other) = checkpoint.text(ACTIVATION).filter(|name| *name != "silu") {
        return checkpoint.unsupported(ACTIVATION, other, "silu");
    }
    let width = checkpoint.count(WIDTH, SIZE_MAX)?;
    let heads = checkpoint.count(HEADS, SIZE_MAX)?;
    let kv_heads = checkpoint.optional_count(KV_HEADS, SIZE_MAX)?.unwrap_or(heads);
    let head_width = checkpoint.optional_count(HEAD_WIDTH, SIZE_MAX)?.unwrap_or(width / heads).max(1);
    if !heads.is_multiple_of(kv_heads) {
        return checkpoint.unsupported(KV_HEADS, &kv_heads.to_string(), &format!("divisors of {heads} heads"));
    }
    if checkpoint.optional_count(VALUE_WIDTH, SIZE_MAX)?.is_some_and(|value| value != head_width) {
        return checkpoint.unsupported(VALUE_WIDTH, "not the width of keys", "that of keys");
    }
    let turned = checkpoint.optional_count(ROTATION_WIDTH, head_width)?.unwrap_or(head_width);
    let pairs = if checkpoint.naming() == Naming::Gguf { pairs } else { Pairs::Halves };
    let has_tensor = checkpoint.holds(Role::RotationFactors, 0);
    let scaling = if has_tensor { Scaling::Tensor } else { scaling(checkpoint)? };
    let base = number_of(checkpoint, ROTATION_BASE).unwrap_or(ROTATION_BASE_DEFAULT);
    Ok(Decoder {
        layers: checkpoint.count(LAYERS, LAYERS_MAX)?,
        width,
        heads,
        kv_heads,
        head_width,
        feed_forward: checkpoint.count(FEED_FORWARD, SIZE_MAX)?,
        vocabulary: checkpoint.rows_of(Role::TokenEmbedding)?,
        context: checkpoint.count(CONTEXT, SIZE_MAX)?,
        norm_epsilon: checkpoint.required(NORM_EPSILON)?,
        rotation: Rotation { base, width: turned, pairs, scaling },
        head_norms: false,
        window: None,
    })
}

/// Base of rotary positions: at the top of config.json until transformers 4, in `rope_parameters` since.
const ROTATION_BASE: &[Key] =
    &[Key("rope.freq_base", "rope_theta"), Key("rope.freq_base", "rope_parameters.rope_theta")];
/// Where nothing says it: Llama 2's.
const ROTATION_BASE_DEFAULT: f64 = 10_000.0;
const SCALING: &[Key] = &[
    Key("rope.scaling.type", "rope_scaling.rope_type"),
    Key("rope.scaling.type", "rope_scaling.type"),
    Key("rope.scaling.type", "rope_parameters.rope_type"),
];
const FACTOR: &[Key] =
    &[Key("rope.scaling.factor", "rope_scaling.factor"), Key("rope.scaling.factor", "rope_parameters.factor")];
const LOW: &[Key] = &[
    Key("rope.scaling.low_freq_factor", "rope_scaling.low_freq_factor"),
    Key("rope.scaling.low_freq_factor", "rope_parameters.low_freq_factor"),
];
const HIGH: &[Key] = &[
    Key("rope.scaling.high_freq_factor", "rope_scaling.high_freq_factor"),
    Key("rope.scaling.high_freq_factor", "rope_parameters.high_freq_factor"),
];
const TRAINED: &[Key] = &[
    Key("rope.scaling.original_context_length", "rope_scaling.original_max_position_embeddings"),
    Key("rope.scaling.original_context_length", "rope_parameters.original_max_position_embeddings"),
];

/// The first of several keys that the checkpoint has.
fn number_of(checkpoint: &Checkpoint, keys: &[Key]) -> Option<f64> {
    keys.iter().find_map(|&key| checkpoint.number(key))
}

fn scaling(checkpoint: &Checkpoint) -> Result<Scaling, Box<Diagnostic>> {
    let Some((key, name)) = SCALING.iter().find_map(|&key| Some((key, checkpoint.text(key)?))) else {
        return Ok(Scaling::None);
    };
    let part = |keys: &[Key]| match (number_of(checkpoint, keys), keys) {
        (Some(number), _) => Ok(number),
        (None, [first, ..]) => checkpoint.required(*first),
        (None, []) => Ok(1.0),
    };
    match name {
        "none" | "default" => Ok(Scaling::None),
        "linear" => Ok(Scaling::Linear(part(FACTOR)?)),
        "llama3" => {
            Ok(Scaling::Llama3 { factor: part(FACTOR)?, low: part(LOW)?, high: part(HIGH)?, trained: part(TRAINED)? })
        }
        other => checkpoint.unsupported(key, other, "none, default, linear, llama3"),
    }
}
