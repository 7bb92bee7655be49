//! Encoders of the BERT family: what they are apart from their weights, one row an architecture, and the functions that
//! a checkpoint of one becomes (`graph`).
//!
//! Text goes in as a whole, and one vector comes out. What gathers the vectors of tokens to one is no part of the
//! architecture: sentence-transformers says it in files of its own (`sentence`), GGUF in a key (`pooling`).

mod bert;
mod distilbert;
mod graph;
mod mpnet;
mod pooling;
mod sentence;

use std::path::Path;

use self::sentence::Sentence;
use super::architectures::{LAYERS_MAX, QUANTIZATION, SIZE_MAX, activation};
use super::decoder::{Activation, Norm, NormKind};
use super::names::{Naming, Renamed, Role};
use super::source::{Checkpoint, Key};
use super::{CONTEXT_DEFAULT, CheckpointOptions, Written};
use crate::Diagnostic;

/// An encoder. Each layer is `x = norm(x + attention(x))`, then `x = norm(x + feed_forward(x))`.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoder {
    pub layers: u64,
    /// Elements of a token's vector.
    pub width: u64,
    pub heads: u64,
    /// Elements between the two products of the feed-forward part.
    pub feed_forward: u64,
    pub vocabulary: u64,
    /// Kinds of tokens, where they have vectors: a text has the first.
    pub kinds: Option<u64>,
    /// Rows of the table of positions.
    pub positions: u64,
    /// The row of a text's first token.
    pub first_position: u64,
    pub norm: Norm,
    pub activation: Activation,
    /// Scores get a number by the distance of two tokens. Source: Raffel et al., arXiv 1910.10683.
    pub has_distances: bool,
}

impl Encoder {
    /// Numbers of each head by distance.
    const BUCKETS: u64 = 32;
    /// Distances from here on have the same.
    const FARTHEST: u64 = 128;
}

/// An architecture.
pub struct Kind {
    /// `general.architecture` in GGUF.
    gguf: &'static [&'static str],
    /// `model_type` in config.json.
    hugging_face: &'static [&'static str],
    renamed: &'static [Renamed],
    describe: fn(&Checkpoint) -> Result<Encoder, Box<Diagnostic>>,
}

const KINDS: &[Kind] = &[
    Kind { gguf: &["bert"], hugging_face: &["bert"], renamed: bert::RENAMED, describe: bert::describe },
    Kind {
        gguf: &[],
        hugging_face: &["roberta", "xlm-roberta", "camembert"],
        renamed: bert::RENAMED,
        describe: bert::describe_roberta,
    },
    Kind { gguf: &[], hugging_face: &["distilbert"], renamed: distilbert::RENAMED, describe: distilbert::describe },
    Kind { gguf: &[], hugging_face: &["mpnet"], renamed: mpnet::RENAMED, describe: mpnet::describe },
];

/// Parts of names of what encoders are trained with: vectors of texts need it not.
const HEADS: &[&str] = &["pooler.", "cls.predictions.", "cls.seq_relationship.", "lm_head.", "vocab_"];

impl Kind {
    fn names(&self, naming: Naming) -> &'static [&'static str] {
        match naming {
            Naming::Gguf => self.gguf,
            Naming::HuggingFace => self.hugging_face,
        }
    }
}

/// The architecture of a checkpoint, where it is an encoder.
pub fn find(checkpoint: &Checkpoint) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.names(checkpoint.naming()).contains(&checkpoint.architecture()))
}

/// Names of encoders.
pub fn known(naming: Naming) -> impl Iterator<Item = &'static &'static str> {
    KINDS.iter().flat_map(move |kind| kind.names(naming))
}

/// A checkpoint of an encoder as text: a function for each of a few lengths.
///
/// # Errors
/// FX1011 to FX1017.
pub(super) fn written(
    checkpoint: Checkpoint,
    kind: &Kind,
    path: &Path,
    options: &CheckpointOptions,
) -> Result<Written, Box<Diagnostic>> {
    let checkpoint = checkpoint.rename(kind.renamed);
    if options.devices != 1 {
        let what = format!("{} is an encoder: --tensor-parallel=1 would do", checkpoint.architecture());
        return Err(checkpoint.failed("FX1019", what));
    }
    let encoder = (kind.describe)(&checkpoint)?;
    let sentence = sentence::read(&checkpoint, path)?;
    let most = encoder.positions - encoder.first_position;
    let usual = sentence.longest.unwrap_or(CONTEXT_DEFAULT).min(most).min(CONTEXT_DEFAULT);
    let asked = options.context.unwrap_or(usual);
    let refuse = |what: String| Err(checkpoint.failed("FX1017", what));
    if asked == 0 || asked > most {
        return refuse(format!("a context of {asked}; the model was made for 1 to {most}"));
    }
    let mut functions = String::new();
    for tokens in lengths(asked) {
        functions.push_str(&graph::function(&checkpoint, &encoder, &sentence, (tokens, options.element))?);
    }
    checkpoint.check_all_used(HEADS)?;
    let text = format!("module @{} {{\n{functions}}}\n", checkpoint.architecture());
    Ok(Written { text, tensors: checkpoint.used(), caches: None })
}

/// Tokens of the shortest function. The time of a call grows with its tokens from 8 on: 2.1 ms for 8, 4.0 for 16, 7.8
/// for 32 (all-MiniLM-L6-v2, a processor with AVX-512).
const SHORTEST: u64 = 8;

/// Lengths of texts that get a function: each is twice the one before, so that less than half of a call is padding. The
/// last is the context.
fn lengths(longest: u64) -> Vec<u64> {
    let doubled = std::iter::successors(Some(SHORTEST), |length| length.checked_mul(2));
    doubled.take_while(|&length| length < longest).chain([longest]).collect()
}

/// Settings by what architectures call them.
struct Keys {
    layers: Key,
    width: Key,
    heads: Key,
    feed_forward: Key,
    activation: Key,
}

const CONTEXT: Key = Key("context_length", "max_position_embeddings");
const NORM_EPSILON: Key = Key("attention.layer_norm_epsilon", "layer_norm_eps");
const NORM_EPSILON_DEFAULT: f64 = 1e-12;
/// Tokens see only those before them.
const CAUSAL: Key = Key("attention.causal", "is_decoder");

/// What the settings that all share say.
fn shared(checkpoint: &Checkpoint, keys: &Keys) -> Result<Encoder, Box<Diagnostic>> {
    if checkpoint.has(QUANTIZATION) {
        return checkpoint.unsupported(QUANTIZATION, "set", "none: give a checkpoint in f32, f16 or bf16, or GGUF");
    }
    if checkpoint.bool(CAUSAL)? == Some(true) {
        return checkpoint.unsupported(CAUSAL, "true", "false");
    }
    let width = checkpoint.count(keys.width, SIZE_MAX)?;
    let heads = checkpoint.count(keys.heads, SIZE_MAX)?;
    if !width.is_multiple_of(heads) {
        return checkpoint.unsupported(keys.heads, &heads.to_string(), &format!("divisors of {width}"));
    }
    let has_kinds = checkpoint.holds(Role::TokenTypes, 0);
    let epsilon = checkpoint.positive(&[NORM_EPSILON])?.unwrap_or(NORM_EPSILON_DEFAULT);
    Ok(Encoder {
        layers: checkpoint.count(keys.layers, LAYERS_MAX)?,
        width,
        heads,
        feed_forward: checkpoint.count(keys.feed_forward, SIZE_MAX)?,
        vocabulary: checkpoint.rows_of(Role::TokenEmbedding)?,
        kinds: if has_kinds { Some(checkpoint.rows_of(Role::TokenTypes)?) } else { None },
        positions: checkpoint.count(CONTEXT, SIZE_MAX)?,
        first_position: 0,
        norm: Norm { kind: NormKind::Mean, epsilon },
        activation: activation(checkpoint, keys.activation)?.unwrap_or(Activation::Gelu),
        has_distances: false,
    })
}

/// RoBERTa and MPNet count positions from behind the number of the padding token.
fn behind_padding(checkpoint: &Checkpoint, encoder: Encoder) -> Result<Encoder, Box<Diagnostic>> {
    const PADDING: Key = Key("padding_token_id", "pad_token_id");
    let padding = checkpoint.number(PADDING).unwrap_or(1.0);
    let room = encoder.positions as f64 - 1.0;
    if padding.fract() != 0.0 || !(0.0..room).contains(&padding) {
        return checkpoint.unsupported(PADDING, &padding.to_string(), &format!("whole numbers from 0, below {room}"));
    }
    Ok(Encoder { first_position: padding as u64 + 1, ..encoder })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_double() {
        assert_eq!(lengths(64), [8, 16, 32, 64]);
        assert_eq!(lengths(17), [8, 16, 17]);
        assert_eq!(lengths(8), [8]);
        assert_eq!(lengths(7), [7]);
        assert_eq!(lengths(u64::MAX).len(), 62);
    }
}
