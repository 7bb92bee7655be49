//! The architectures that are known, one row each: names in GGUF and in config.json, and what reads the settings.

mod experts;
mod gemma;
mod gpt2;
mod llama;
mod olmo;
mod phi;
mod qwen;
mod rotation;

use super::decoder::{Activation, Decoder, Layer, Layout, Norm, NormKind, NormPlaces, Pairs, QkNorm};
use super::names::{Naming, Renamed, Role};
use super::source::{Checkpoint, Key};
use crate::Diagnostic;

/// One architecture.
pub struct Architecture {
    /// `general.architecture` in GGUF.
    gguf: &'static [&'static str],
    /// `model_type` in config.json.
    hugging_face: &'static [&'static str],
    /// Tensors that it names in its own way.
    pub renamed: &'static [Renamed],
    /// What the settings say.
    ///
    /// # Errors
    /// FX1015 for settings that are missing or unknown.
    pub describe: fn(&Checkpoint) -> Result<Decoder, Box<Diagnostic>>,
}

impl Architecture {
    /// What new GGUF files call it.
    pub fn gguf_name(&self) -> &'static str {
        self.gguf.first().copied().unwrap_or_default()
    }
}

macro_rules! architectures {
    ($($gguf:tt $hugging_face:tt $describe:path, $renamed:expr;)*) => {
        const ARCHITECTURES: &[Architecture] = &[$(
            Architecture { gguf: &$gguf, hugging_face: &$hugging_face, describe: $describe, renamed: $renamed },
        )*];
    };
}

architectures! {
    ["llama"]  ["llama", "mistral"] llama::describe, &[];
    ["llama"]  ["mixtral"]          llama::describe, llama::MIXTRAL;
    ["qwen2"]  ["qwen2"]            qwen::describe, &[];
    ["qwen2moe"] ["qwen2_moe"]      qwen::describe_2_experts, &[];
    ["qwen3"]  ["qwen3"]            qwen::describe_3, &[];
    ["qwen3moe"] ["qwen3_moe"]      qwen::describe_3_experts, &[];
    ["gemma"]  ["gemma"]            gemma::describe, &[];
    ["gemma2"] ["gemma2"]           gemma::describe_2, gemma::RENAMED;
    ["gemma3"] ["gemma3_text"]      gemma::describe_3, gemma::RENAMED;
    ["phi3"]   ["phi3"]             phi::describe, phi::RENAMED;
    ["olmo2"]  ["olmo2"]            olmo::describe, olmo::RENAMED;
    ["olmoe"]  ["olmoe"]            olmo::describe_experts, &[];
    ["gpt2"]   ["gpt2"]             gpt2::describe, gpt2::RENAMED;
}

/// Layers at most, so that a hostile checkpoint asks for no endless text.
pub const LAYERS_MAX: u64 = 1024;
/// Any other size at most.
pub const SIZE_MAX: u64 = 1 << 24;

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
/// The same where a family has another key.
const HIDDEN_ACTIVATION: Key = Key("hidden_activation", "hidden_activation");
/// Tokens that a token of a layer with a window sees.
const WINDOW: Key = Key("attention.sliding_window", "sliding_window");
const LAYER_TYPES: Key = Key("layer_types", "layer_types");
pub const QUANTIZATION: Key = Key("quantization_config", "quantization_config");

/// The decoder that a checkpoint's settings describe.
///
/// # Errors
/// FX1015 for settings that are missing or unknown.
pub fn describe(checkpoint: &Checkpoint, architecture: &Architecture) -> Result<Decoder, Box<Diagnostic>> {
    let decoder = (architecture.describe)(checkpoint)?;
    let has_experts = decoder.layers.iter().any(|layer| layer.experts.is_some());
    match experts::count_key(checkpoint).filter(|_| !has_experts) {
        Some(key) => checkpoint.unsupported(key, "set", "none: this architecture has no experts here"),
        None => Ok(decoder),
    }
}

/// What a checkpoint's model is; `others` are names that are known besides.
///
/// # Errors
/// FX1012 for an architecture that no row has.
pub fn find<'n>(
    checkpoint: &Checkpoint,
    others: impl Iterator<Item = &'n &'n str>,
) -> Result<&'static Architecture, Box<Diagnostic>> {
    let name = checkpoint.architecture();
    let names = |row: &Architecture| match checkpoint.naming() {
        Naming::Gguf => row.gguf,
        Naming::HuggingFace => row.hugging_face,
    };
    ARCHITECTURES.iter().find(|row| names(row).contains(&name)).ok_or_else(|| {
        let mut known: Vec<&str> = ARCHITECTURES.iter().flat_map(names).copied().chain(others.copied()).collect();
        known.dedup();
        checkpoint.failed("FX1012", format!("architecture `{name}`; known: {}", known.join(", ")))
    })
}

/// What the settings that most architectures share say; `pairs` is how GGUF orders a head for rotation, `known` the
/// activation where it does not depend on settings.
fn shared(checkpoint: &Checkpoint, pairs: Pairs, known: Option<Activation>) -> Result<Decoder, Box<Diagnostic>> {
    let key = if checkpoint.has(HIDDEN_ACTIVATION) { HIDDEN_ACTIVATION } else { ACTIVATION };
    let activation = match known {
        Some(known) => known,
        None => activation(checkpoint, key)?.unwrap_or(Activation::Silu),
    };
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
    let rotation = rotation::describe(checkpoint, head_width, pairs)?;
    let layer = Layer { window: None, rotation: Some(rotation), experts: None };
    Ok(Decoder {
        layers: vec![layer; checkpoint.count(LAYERS, LAYERS_MAX)? as usize],
        width,
        heads,
        kv_heads,
        head_width,
        feed_forward: checkpoint.count(FEED_FORWARD, SIZE_MAX)?,
        vocabulary: checkpoint.rows_of(Role::TokenEmbedding)?,
        context: checkpoint.count(CONTEXT, SIZE_MAX)?,
        embedding_scale: None,
        norm: Norm { kind: NormKind::Rms, epsilon: checkpoint.required(NORM_EPSILON)? },
        norm_places: NormPlaces::Before,
        qk_norm: QkNorm::None,
        learned_positions: false,
        score_scale: (head_width as f64).sqrt().recip(),
        score_softcap: None,
        logit_softcap: None,
        activation,
        has_gate: true,
        layout: Layout::default(),
    })
}

/// The activation that a setting names, if it is set.
///
/// # Errors
/// FX1015 for one that is not known.
pub fn activation(checkpoint: &Checkpoint, key: Key) -> Result<Option<Activation>, Box<Diagnostic>> {
    match checkpoint.text(key)? {
        None => Ok(None),
        Some("silu" | "swish") => Ok(Some(Activation::Silu)),
        Some("gelu_pytorch_tanh" | "gelu_new") => Ok(Some(Activation::GeluTanh)),
        Some("gelu") => Ok(Some(Activation::Gelu)),
        Some("relu") => Ok(Some(Activation::Relu)),
        Some(other) => checkpoint.unsupported(key, other, "silu, gelu_pytorch_tanh, gelu_new, gelu, relu"),
    }
}

/// All layers see a window, if the checkpoint has one.
fn window_everywhere(checkpoint: &Checkpoint, decoder: &mut Decoder) -> Result<(), Box<Diagnostic>> {
    let window = checkpoint.optional_count(WINDOW, SIZE_MAX)?;
    decoder.layers.iter_mut().for_each(|layer| layer.window = window);
    Ok(())
}

/// Which layers see a window: those that config.json lists so, or else those that `usual` says.
fn layers_with_windows(
    checkpoint: &Checkpoint,
    layers: usize,
    usual: impl Fn(usize) -> bool,
) -> Result<Vec<bool>, Box<Diagnostic>> {
    if !checkpoint.has(LAYER_TYPES) {
        return Ok((0..layers).map(usual).collect());
    }
    let types = checkpoint.texts(LAYER_TYPES).unwrap_or_default();
    if types.len() != layers {
        return checkpoint.unsupported(LAYER_TYPES, "another list", &format!("lists of {layers} texts"));
    }
    let kind = |ty: &&str| match *ty {
        "sliding_attention" => Ok(true),
        "full_attention" => Ok(false),
        other => checkpoint.unsupported(LAYER_TYPES, other, "sliding_attention, full_attention"),
    };
    types.iter().map(kind).collect()
}
