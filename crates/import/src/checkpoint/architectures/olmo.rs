//! OLMo 2: norms behind attention and feed-forward part instead of before, norms of all queries and of all keys. OLMoE:
//! those norms, the others as usual, and experts.

use super::super::decoder::{Decoder, NormPlaces, Pairs, QkNorm};
use super::super::names::{Renamed, Role};
use super::super::source::{Checkpoint, Key};
use super::experts::{self, Usual};
use super::shared;
use crate::Diagnostic;

pub const RENAMED: &[Renamed] = &[(
    Role::PostAttentionNorm,
    "blk.{}.post_attention_norm.weight",
    "model.layers.{}.post_attention_layernorm.weight",
)];

pub fn describe(checkpoint: &Checkpoint) -> Result<Decoder, Box<Diagnostic>> {
    let decoder = shared(checkpoint, Pairs::Halves, None)?;
    Ok(Decoder { norm_places: NormPlaces::After, qk_norm: QkNorm::Whole, ..decoder })
}

/// What queries, keys and values are cut to.
const CLIP: Key = Key("attention.clamp_kqv", "clip_qkv");

pub fn describe_experts(checkpoint: &Checkpoint) -> Result<Decoder, Box<Diagnostic>> {
    if checkpoint.has(CLIP) && checkpoint.number(CLIP) != Some(0.0) {
        return checkpoint.unsupported(CLIP, "set", "none, 0");
    }
    let decoder = Decoder { qk_norm: QkNorm::Whole, ..shared(checkpoint, Pairs::Halves, None)? };
    experts::describe(checkpoint, decoder, &Usual { normed: [false, false], shared: false })
}
