//! BERT; RoBERTa, XLM-RoBERTa and CamemBERT, which count positions from another row.

use super::super::names::{Renamed, Role};
use super::super::source::{Checkpoint, Key};
use super::{Encoder, Keys, behind_padding, shared};
use crate::Diagnostic;

pub const RENAMED: &[Renamed] = &[
    (Role::TokenEmbedding, "token_embd.weight", "embeddings.word_embeddings.weight"),
    (Role::Positions, "position_embd.weight", "embeddings.position_embeddings.weight"),
    (Role::Query, "blk.{}.attn_q.weight", "encoder.layer.{}.attention.self.query.weight"),
    (Role::QueryBias, "blk.{}.attn_q.bias", "encoder.layer.{}.attention.self.query.bias"),
    (Role::Key, "blk.{}.attn_k.weight", "encoder.layer.{}.attention.self.key.weight"),
    (Role::KeyBias, "blk.{}.attn_k.bias", "encoder.layer.{}.attention.self.key.bias"),
    (Role::Value, "blk.{}.attn_v.weight", "encoder.layer.{}.attention.self.value.weight"),
    (Role::ValueBias, "blk.{}.attn_v.bias", "encoder.layer.{}.attention.self.value.bias"),
    (Role::AttentionOutput, "blk.{}.attn_output.weight", "encoder.layer.{}.attention.output.dense.weight"),
    (Role::AttentionOutputBias, "blk.{}.attn_output.bias", "encoder.layer.{}.attention.output.dense.bias"),
    (Role::Up, "blk.{}.ffn_up.weight", "encoder.layer.{}.intermediate.dense.weight"),
    (Role::UpBias, "blk.{}.ffn_up.bias", "encoder.layer.{}.intermediate.dense.bias"),
    (Role::Down, "blk.{}.ffn_down.weight", "encoder.layer.{}.output.dense.weight"),
    (Role::DownBias, "blk.{}.ffn_down.bias", "encoder.layer.{}.output.dense.bias"),
];

const KEYS: Keys = Keys {
    layers: Key("block_count", "num_hidden_layers"),
    width: Key("embedding_length", "hidden_size"),
    heads: Key("attention.head_count", "num_attention_heads"),
    feed_forward: Key("feed_forward_length", "intermediate_size"),
    activation: Key("hidden_act", "hidden_act"),
};
const POSITIONS: Key = Key("position_embedding_type", "position_embedding_type");

pub fn describe(checkpoint: &Checkpoint) -> Result<Encoder, Box<Diagnostic>> {
    match checkpoint.text(POSITIONS)? {
        None | Some("absolute") => shared(checkpoint, &KEYS),
        Some(other) => checkpoint.unsupported(POSITIONS, other, "absolute"),
    }
}

pub fn describe_roberta(checkpoint: &Checkpoint) -> Result<Encoder, Box<Diagnostic>> {
    behind_padding(checkpoint, describe(checkpoint)?)
}
