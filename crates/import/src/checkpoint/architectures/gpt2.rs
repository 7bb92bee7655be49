//! GPT-2: learned positions, norms that take the mean off, biases everywhere, no gate. Hugging Face's matrices are
//! `[in, out]`.

use super::super::decoder::{Activation, Decoder, Layer, Layout, Norm, NormKind, NormPlaces, QkNorm};
use super::super::names::{Naming, Renamed, Role};
use super::super::source::{Checkpoint, Key};
use super::{LAYERS_MAX, SIZE_MAX, activation};
use crate::Diagnostic;

pub const RENAMED: &[Renamed] = &[
    (Role::TokenEmbedding, "token_embd.weight", "transformer.wte.weight"),
    (Role::Positions, "position_embd.weight", "transformer.wpe.weight"),
    (Role::OutputNorm, "output_norm.weight", "transformer.ln_f.weight"),
    (Role::OutputNormBias, "output_norm.bias", "transformer.ln_f.bias"),
    (Role::AttentionNorm, "blk.{}.attn_norm.weight", "transformer.h.{}.ln_1.weight"),
    (Role::AttentionNormBias, "blk.{}.attn_norm.bias", "transformer.h.{}.ln_1.bias"),
    (Role::Qkv, "blk.{}.attn_qkv.weight", "transformer.h.{}.attn.c_attn.weight"),
    (Role::QkvBias, "blk.{}.attn_qkv.bias", "transformer.h.{}.attn.c_attn.bias"),
    (Role::AttentionOutput, "blk.{}.attn_output.weight", "transformer.h.{}.attn.c_proj.weight"),
    (Role::AttentionOutputBias, "blk.{}.attn_output.bias", "transformer.h.{}.attn.c_proj.bias"),
    (Role::FeedForwardNorm, "blk.{}.ffn_norm.weight", "transformer.h.{}.ln_2.weight"),
    (Role::FeedForwardNormBias, "blk.{}.ffn_norm.bias", "transformer.h.{}.ln_2.bias"),
    (Role::Up, "blk.{}.ffn_up.weight", "transformer.h.{}.mlp.c_fc.weight"),
    (Role::UpBias, "blk.{}.ffn_up.bias", "transformer.h.{}.mlp.c_fc.bias"),
    (Role::Down, "blk.{}.ffn_down.weight", "transformer.h.{}.mlp.c_proj.weight"),
    (Role::DownBias, "blk.{}.ffn_down.bias", "transformer.h.{}.mlp.c_proj.bias"),
];

const LAYERS: Key = Key("block_count", "n_layer");
const WIDTH: Key = Key("embedding_length", "n_embd");
const HEADS: Key = Key("attention.head_count", "n_head");
const FEED_FORWARD: Key = Key("feed_forward_length", "n_inner");
const CONTEXT: Key = Key("context_length", "n_positions");
const NORM_EPSILON: Key = Key("attention.layer_norm_epsilon", "layer_norm_epsilon");
const ACTIVATION: Key = Key("activation_function", "activation_function");
/// Settings that change what is computed, with the value that is known.
const USUAL: &[(Key, bool)] = &[
    (Key("scale_attn_weights", "scale_attn_weights"), true),
    (Key("scale_attn_by_inverse_layer_idx", "scale_attn_by_inverse_layer_idx"), false),
];
/// The feed-forward part's width is so many times the model's, where nothing is said.
const FEED_FORWARD_FACTOR: u64 = 4;
const NORM_EPSILON_DEFAULT: f64 = 1e-5;

pub fn describe(checkpoint: &Checkpoint) -> Result<Decoder, Box<Diagnostic>> {
    for &(key, usual) in USUAL {
        if let Some(other) = checkpoint.bool(key)?.filter(|value| *value != usual) {
            return checkpoint.unsupported(key, &other.to_string(), &usual.to_string());
        }
    }
    let width = checkpoint.count(WIDTH, SIZE_MAX)?;
    let heads = checkpoint.count(HEADS, SIZE_MAX)?;
    if !width.is_multiple_of(heads) {
        return checkpoint.unsupported(HEADS, &heads.to_string(), &format!("divisors of {width}"));
    }
    let head_width = width / heads;
    let feed_forward = checkpoint.optional_count(FEED_FORWARD, SIZE_MAX)?.unwrap_or(FEED_FORWARD_FACTOR * width);
    Ok(Decoder {
        layers: vec![Layer::default(); checkpoint.count(LAYERS, LAYERS_MAX)? as usize],
        width,
        heads,
        kv_heads: heads,
        head_width,
        feed_forward,
        vocabulary: checkpoint.rows_of(Role::TokenEmbedding)?,
        context: checkpoint.count(CONTEXT, SIZE_MAX)?,
        embedding_scale: None,
        norm: Norm {
            kind: NormKind::Mean,
            epsilon: checkpoint.positive(&[NORM_EPSILON])?.unwrap_or(NORM_EPSILON_DEFAULT),
        },
        norm_places: NormPlaces::Before,
        qk_norm: QkNorm::None,
        learned_positions: true,
        score_scale: (head_width as f64).sqrt().recip(),
        score_softcap: None,
        logit_softcap: None,
        activation: activation(checkpoint, ACTIVATION)?.unwrap_or(Activation::GeluTanh),
        has_gate: false,
        layout: Layout {
            fused_qkv: true,
            fused_gate_up: false,
            inputs_first: checkpoint.naming() == Naming::HuggingFace,
        },
    })
}
