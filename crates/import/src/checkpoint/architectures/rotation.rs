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
/// Rotations of a pair from which YaRN leaves it alone, and from which it does not divide all of it. Source: the paper.
const BETA_FAST_DEFAULT: f64 = 32.0;
const BETA_SLOW_DEFAULT: f64 = 1.0;
/// Length of a ramp that would have none, as transformers has it.
const RAMP_MIN: f64 = 0.001;
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

const BETA_FAST: &[Key] = &[
    Key("rope.scaling.yarn_beta_fast", "rope_scaling.beta_fast"),
    Key("rope.scaling.yarn_beta_fast", "rope_parameters.beta_fast"),
];
const BETA_SLOW: &[Key] = &[
    Key("rope.scaling.yarn_beta_slow", "rope_scaling.beta_slow"),
    Key("rope.scaling.yarn_beta_slow", "rope_parameters.beta_slow"),
];
/// Whether the ramp begins and ends at whole pairs.
const TRUNCATE: &[Key] = &[Key("", "rope_scaling.truncate"), Key("", "rope_parameters.truncate")];
const MSCALE: &[Key] = &[Key("", "rope_scaling.mscale"), Key("", "rope_parameters.mscale")];
const MSCALE_ALL: &[Key] = &[
    Key("rope.scaling.yarn_log_multiplier", "rope_scaling.mscale_all_dim"),
    Key("rope.scaling.yarn_log_multiplier", "rope_parameters.mscale_all_dim"),
];
/// How much of the ramp is taken: all, where llama.cpp is not told otherwise.
const RAMP_PART: Key = Key("rope.scaling.yarn_ext_factor", "");
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
    let base = checkpoint.positive(ROTATION_BASE)?.unwrap_or(ROTATION_BASE_DEFAULT);
    let has_tensor = checkpoint.holds(Role::RotationFactors, 0);
    let scaling = match has_tensor {
        true => Scaling::Factors(Factors::Tensor(Role::RotationFactors)),
        false => scaling(checkpoint, width, base)?,
    };
    let magnitude = match scaling {
        Scaling::Long { trained, .. } => long_magnitude(checkpoint, trained)?,
        Scaling::Yarn { factor, .. } => yarn_magnitude(checkpoint, factor)?,
        _ => 1.0,
    };
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

fn scaling(checkpoint: &Checkpoint, width: u64, base: f64) -> Result<Scaling, Box<Diagnostic>> {
    let pairs = width / 2;
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
        "yarn" => yarn(checkpoint, width, base),
        other => checkpoint.unsupported(key, other, "none, default, linear, llama3, longrope, yarn"),
    }
}

/// Pairs that rotate more than `beta_fast` times in the tokens of the first training stay, those that rotate less than
/// `beta_slow` times are divided by the factor.
fn yarn(checkpoint: &Checkpoint, width: u64, base: f64) -> Result<Scaling, Box<Diagnostic>> {
    if let Some(part) = checkpoint.number(RAMP_PART).filter(|&part| part != 1.0) {
        return checkpoint.unsupported(RAMP_PART, &part.to_string(), "1");
    }
    if base <= 1.0 {
        let key = ROTATION_BASE.iter().copied().find(|&key| checkpoint.has(key)).unwrap_or(ROTATION_BASE[0]);
        return checkpoint.unsupported(key, &base.to_string(), "numbers above 1, with yarn");
    }
    let trained = match checkpoint.positive(TRAINED)? {
        Some(trained) => trained,
        None if checkpoint.naming() == Naming::Gguf => checkpoint.required_positive(&[CONTEXT])?,
        None => checkpoint.required_positive(TRAINED)?,
    };
    let factor = match checkpoint.positive(FACTOR)? {
        Some(factor) => factor,
        None => checkpoint.required_positive(&[CONTEXT])? / trained,
    };
    let place =
        |rotations: f64| width as f64 * (trained / (rotations * 2.0 * std::f64::consts::PI)).ln() / (2.0 * base.ln());
    let mut low = place(checkpoint.positive(BETA_FAST)?.unwrap_or(BETA_FAST_DEFAULT));
    let mut high = place(checkpoint.positive(BETA_SLOW)?.unwrap_or(BETA_SLOW_DEFAULT));
    let truncate = TRUNCATE.iter().find(|&&key| checkpoint.has(key)).map(|&key| checkpoint.bool(key)).transpose()?;
    if truncate.flatten().unwrap_or(true) {
        (low, high) = (low.floor(), high.ceil());
    }
    let (low, mut high) = (low.max(0.0), high.min((width - 1) as f64));
    if low == high {
        high += RAMP_MIN;
    }
    Ok(Scaling::Yarn { factor, low, high })
}

/// `0.1 · ln(factor) + 1` where nothing is said. llama.cpp multiplies that by what the file says, transformers takes
/// that instead.
fn yarn_magnitude(checkpoint: &Checkpoint, factor: f64) -> Result<f64, Box<Diagnostic>> {
    let is_gguf = checkpoint.naming() == Naming::Gguf;
    let said = checkpoint.positive(MAGNITUDE)?;
    if let Some(said) = said.filter(|_| !is_gguf) {
        return Ok(said);
    }
    let scale = |by: f64| if factor <= 1.0 { 1.0 } else { 0.1 * by * factor.ln() + 1.0 };
    let number = |keys: &[Key]| keys.iter().find_map(|&key| checkpoint.number(key)).filter(|&number| number != 0.0);
    let usual = match (number(MSCALE).or(is_gguf.then_some(1.0)), number(MSCALE_ALL)) {
        (Some(scaled), Some(all)) => scale(scaled) / scale(all),
        _ => scale(1.0),
    };
    let magnitude = usual * said.unwrap_or(1.0);
    if (magnitude as f32).is_finite() && magnitude > 0.0 {
        return Ok(magnitude);
    }
    checkpoint.unsupported(MSCALE_ALL[0], &format!("such that heads are multiplied by {magnitude}"), "numbers above 0")
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
