//! MPNet: BERT without kinds of tokens, whose scores also depend on how far apart two tokens are.

use super::super::names::{Renamed, Role};
use super::super::source::{Checkpoint, Key};
use super::{Encoder, Keys, SIZE_MAX, behind_padding, shared};
use crate::Diagnostic;

pub const RENAMED: &[Renamed] = &[
    (Role::TokenEmbedding, "", "embeddings.word_embeddings.weight"),
    (Role::Positions, "", "embeddings.position_embeddings.weight"),
    (Role::Query, "", "encoder.layer.{}.attention.attn.q.weight"),
    (Role::QueryBias, "", "encoder.layer.{}.attention.attn.q.bias"),
    (Role::Key, "", "encoder.layer.{}.attention.attn.k.weight"),
    (Role::KeyBias, "", "encoder.layer.{}.attention.attn.k.bias"),
    (Role::Value, "", "encoder.layer.{}.attention.attn.v.weight"),
    (Role::ValueBias, "", "encoder.layer.{}.attention.attn.v.bias"),
    (Role::AttentionOutput, "", "encoder.layer.{}.attention.attn.o.weight"),
    (Role::AttentionOutputBias, "", "encoder.layer.{}.attention.attn.o.bias"),
    (Role::AttentionSumNorm, "", "encoder.layer.{}.attention.LayerNorm.weight"),
    (Role::AttentionSumNormBias, "", "encoder.layer.{}.attention.LayerNorm.bias"),
    (Role::Up, "", "encoder.layer.{}.intermediate.dense.weight"),
    (Role::UpBias, "", "encoder.layer.{}.intermediate.dense.bias"),
    (Role::Down, "", "encoder.layer.{}.output.dense.weight"),
    (Role::DownBias, "", "encoder.layer.{}.output.dense.bias"),
];

const KEYS: Keys = Keys {
    layers: Key("", "num_hidden_layers"),
    width: Key("", "hidden_size"),
    heads: Key("", "num_attention_heads"),
    feed_forward: Key("", "intermediate_size"),
    activation: Key("", "hidden_act"),
};
const BUCKETS: Key = Key("", "relative_attention_num_buckets");

pub fn describe(checkpoint: &Checkpoint) -> Result<Encoder, Box<Diagnostic>> {
    let encoder = behind_padding(checkpoint, shared(checkpoint, &KEYS)?)?;
    match checkpoint.optional_count(BUCKETS, SIZE_MAX)? {
        None | Some(Encoder::BUCKETS) => Ok(Encoder { has_distances: true, ..encoder }),
        Some(other) => checkpoint.unsupported(BUCKETS, &other.to_string(), &Encoder::BUCKETS.to_string()),
    }
}
