//! DistilBERT: BERT without kinds of tokens, and with names of its own.

use super::super::names::{Renamed, Role};
use super::super::source::{Checkpoint, Key};
use super::{Encoder, Keys, shared};
use crate::Diagnostic;

pub const RENAMED: &[Renamed] = &[
    (Role::TokenEmbedding, "", "embeddings.word_embeddings.weight"),
    (Role::Positions, "", "embeddings.position_embeddings.weight"),
    (Role::Query, "", "transformer.layer.{}.attention.q_lin.weight"),
    (Role::QueryBias, "", "transformer.layer.{}.attention.q_lin.bias"),
    (Role::Key, "", "transformer.layer.{}.attention.k_lin.weight"),
    (Role::KeyBias, "", "transformer.layer.{}.attention.k_lin.bias"),
    (Role::Value, "", "transformer.layer.{}.attention.v_lin.weight"),
    (Role::ValueBias, "", "transformer.layer.{}.attention.v_lin.bias"),
    (Role::AttentionOutput, "", "transformer.layer.{}.attention.out_lin.weight"),
    (Role::AttentionOutputBias, "", "transformer.layer.{}.attention.out_lin.bias"),
    (Role::AttentionSumNorm, "", "transformer.layer.{}.sa_layer_norm.weight"),
    (Role::AttentionSumNormBias, "", "transformer.layer.{}.sa_layer_norm.bias"),
    (Role::Up, "", "transformer.layer.{}.ffn.lin1.weight"),
    (Role::UpBias, "", "transformer.layer.{}.ffn.lin1.bias"),
    (Role::Down, "", "transformer.layer.{}.ffn.lin2.weight"),
    (Role::DownBias, "", "transformer.layer.{}.ffn.lin2.bias"),
    (Role::LayerSumNorm, "", "transformer.layer.{}.output_layer_norm.weight"),
    (Role::LayerSumNormBias, "", "transformer.layer.{}.output_layer_norm.bias"),
];

const KEYS: Keys = Keys {
    layers: Key("", "n_layers"),
    width: Key("", "dim"),
    heads: Key("", "n_heads"),
    feed_forward: Key("", "hidden_dim"),
    activation: Key("", "activation"),
};

pub fn describe(checkpoint: &Checkpoint) -> Result<Encoder, Box<Diagnostic>> {
    shared(checkpoint, &KEYS)
}
