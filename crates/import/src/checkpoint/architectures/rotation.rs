//! Settings of the rotary embedding: base, scaling, factors.

use super::super::decoder::{Factors, Pairs, Rotation, Scaling};
use super::super::names::{Naming, Role};
use super::super::source::{Checkpoint, Key};
use super::{CONTEXT, SIZE_MAX};
use crate::Diagnostic;

const ROTATION_WIDTH: Key = Key("rope.dimension_count", "rotary_dim");
/// The part of a head that rotates.
const ROTATION_PART: &[Key] = &[
    Key("partial_rotary_factor", "rope_parameters.partial_rotary_factor"),
    Key("partial_rotary_factor", "partial_rotary_factor"),
];
/// At the top of config.json until transformers 4, in `rope_parameters` since.
const ROTATION_BASE: &[Key] =
    &[Key("rope.freq_base", "rope_parameters.rope_theta"), Key("rope.freq_base", "rope_theta")];
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
    Key("rope.scaling.original_context_length", "original_max_position_embeddings"),
];

const SHORT_FACTORS: &[Key] = &[Key("", "rope_scaling.short_factor"), Key("", "rope_parameters.short_factor")];
const LONG_FACTORS: &[Key] = &[Key("", "rope_scaling.long_factor"), Key("", "rope_parameters.long_factor")];
const MAGNITUDE: &[Key] = &[
    Key("rope.scaling.attn_factor", "rope_scaling.attention_factor"),
    Key("rope.scaling.attn_factor", "rope_parameters.attention_factor"),
];

/// The rotary embedding of heads of `head_width` elements; `pairs` is how GGUF orders a head.
///
/// # Errors
/// FX1015 for settings that are missing or unknown.
pub fn describe(checkpoint: &Checkpoint, head_width: u64, pairs: Pairs) -> Result<Rotation, Box<Diagnostic>> {
    let part = checkpoint.positive(ROTATION_PART)?.map(|part| (part * head_width as f64) as u64);
    let width = checkpoint.optional_count(ROTATION_WIDTH, head_width)?.or(part).unwrap_or(head_width);
    if width % 2 != 0 || width == 0 || width > head_width {
        return checkpoint.unsupported(ROTATION_WIDTH, &width.to_string(), "even numbers up to the width of a head");
    }
    let pairs = if checkpoint.naming() == Naming::Gguf { pairs } else { Pairs::Halves };
    let has_tensor = checkpoint.holds(Role::RotationFactors, 0);
    let scaling = match has_tensor {
        true => Scaling::Factors(Factors::Tensor(Role::RotationFactors)),
        false => scaling(checkpoint, width / 2)?,
    };
    let magnitude = match scaling {
        Scaling::Long { trained, .. } => long_magnitude(checkpoint, trained)?,
        _ => 1.0,
    };
    let base = checkpoint.positive(ROTATION_BASE)?.unwrap_or(ROTATION_BASE_DEFAULT);
    Ok(Rotation { base, magnitude, width, pairs, scaling })
}

/// What long rope multiplies by: `√(1 + ln(context / trained) / ln(trained))` where nothing is said.
fn long_magnitude(checkpoint: &Checkpoint, trained: u64) -> Result<f64, Box<Diagnostic>> {
    if let Some(said) = checkpoint.positive(MAGNITUDE)? {
        return Ok(said);
    }
    let (context, trained) = (checkpoint.count(CONTEXT, SIZE_MAX)? as f64, trained as f64);
    Ok(if context <= trained { 1.0 } else { (1.0 + (context / trained).ln() / trained.ln()).sqrt() })
}

/// A list of factors, one a pair.
fn factors(checkpoint: &Checkpoint, keys: &[Key], (role, pairs): (Role, u64)) -> Result<Factors, Box<Diagnostic>> {
    if checkpoint.naming() == Naming::Gguf {
        return Ok(Factors::Tensor(role));
    }
    let wanted = format!("lists of {pairs} numbers above 0");
    let above_0 = |&number: &f64| (number as f32).is_finite() && number as f32 > 0.0;
    match keys.iter().find_map(|&key| Some((key, checkpoint.numbers(key)?))) {
        Some((_, numbers)) if numbers.len() as u64 == pairs && numbers.iter().all(above_0) => {
            Ok(Factors::Numbers(numbers))
        }
        Some((key, _)) => checkpoint.unsupported(key, "another list", &wanted),
        None => checkpoint.unsupported(keys[0], "missing", &wanted),
    }
}

fn scaling(checkpoint: &Checkpoint, pairs: u64) -> Result<Scaling, Box<Diagnostic>> {
    if checkpoint.holds(Role::LongFactors, 0) {
        return long(checkpoint, pairs);
    }
    let Some(&key) = SCALING.iter().find(|&&key| checkpoint.has(key)) else { return Ok(Scaling::None) };
    let name = checkpoint.text(key)?.unwrap_or("none");
    let part = |keys: &[Key]| checkpoint.required_positive(keys);
    match name {
        "none" | "default" => Ok(Scaling::None),
        "linear" => Ok(Scaling::Linear(part(FACTOR)?)),
        "llama3" => {
            Ok(Scaling::Llama3 { factor: part(FACTOR)?, low: part(LOW)?, high: part(HIGH)?, trained: part(TRAINED)? })
        }
        "longrope" | "su" => long(checkpoint, pairs),
        other => checkpoint.unsupported(key, other, "none, default, linear, llama3, longrope"),
    }
}

fn long(checkpoint: &Checkpoint, pairs: u64) -> Result<Scaling, Box<Diagnostic>> {
    let trained = checkpoint.required_positive(TRAINED)?;
    // `long_magnitude` divides by its logarithm.
    if trained < 2.0 || trained.fract() != 0.0 {
        return checkpoint.unsupported(TRAINED[0], &trained.to_string(), "whole numbers from 2");
    }
    Ok(Scaling::Long {
        short: factors(checkpoint, SHORT_FACTORS, (Role::ShortFactors, pairs))?,
        long: factors(checkpoint, LONG_FACTORS, (Role::LongFactors, pairs))?,
        trained: trained as u64,
    })
}
