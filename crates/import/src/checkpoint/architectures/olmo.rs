//! OLMo 2: norms behind attention and feed-forward part instead of before, norms of all queries and of all keys.

use super::super::decoder::{Decoder, NormPlaces, Pairs, QkNorm};
use super::super::names::{Renamed, Role};
use super::super::source::Checkpoint;
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
