//! `quantization_config` of config.json: which format, and its settings.
//!
//! Keys are those that `transformers` 5.24 reads (`utils/quantization_config.py`).

use serde_json::Value;

use super::super::source::{Checkpoint, Key};
use crate::Diagnostic;

/// How matrices are quantised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Format {
    Fp8(Fp8),
    Gptq(Gptq),
    Awq(Awq),
}

/// Floats of 8 bits (E4M3) with scales.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fp8 {
    /// Rows and columns that share a scale, where scales are of blocks.
    pub block: Option<[u64; 2]>,
    /// What they are multiplied by has 8 bits too (W8A8).
    pub activations: Option<Activations>,
}

/// Activations of E4M3.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Activations {
    pub scales: ActivationScales,
    /// Magnitudes above it have no part in scales (FBGEMM).
    pub most: Option<f64>,
}

/// What has a scale of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActivationScales {
    /// Each token.
    Tokens,
    /// Each product, of an expert each: the folder holds the scale.
    Stored,
    /// So many inputs of each token.
    Inputs(u64),
}

/// Whole numbers, several in a word of 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gptq {
    /// Of an element: 4 or 8.
    pub bits: u64,
    pub group: Group,
    /// Rows of a group need not lie side by side: a list says each one's.
    pub listed: bool,
    /// What zeros are more than the file has: 1 in the first version of the format.
    pub zeros_plus: u64,
}

/// Whole numbers of 4 bits, eight outputs in a word of 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Awq {
    pub group: Group,
}

/// Inputs that share a scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    All,
    Of(u64),
}

impl Group {
    /// Inputs of a group of a matrix with so many.
    pub fn size(self, inputs: u64) -> u64 {
        match self {
            Group::All => inputs,
            Group::Of(size) => size.min(inputs),
        }
    }
}

const CONFIG: Key = Key("", "quantization_config");
const METHOD: Key = Key("", "quantization_config.quant_method");
const BITS: Key = Key("", "quantization_config.bits");
const GROUP: Key = Key("", "quantization_config.group_size");
/// The same in files of AutoAWQ's own.
const AWQ_BITS: Key = Key("", "quantization_config.w_bit");
const AWQ_GROUP: Key = Key("", "quantization_config.q_group_size");
const VERSION: Key = Key("", "quantization_config.version");
const ZERO_POINT: Key = Key("", "quantization_config.zero_point");
const LISTED: Key = Key("", "quantization_config.desc_act");
const CHECKPOINT_FORMAT: Key = Key("", "quantization_config.checkpoint_format");
/// Settings of some modules that differ (GPTQModel).
const DYNAMIC: Key = Key("", "quantization_config.dynamic");
const FLOAT: Key = Key("", "quantization_config.fmt");
const SCHEME: Key = Key("", "quantization_config.activation_scheme");
const SCALE_MOST: Key = Key("", "quantization_config.activation_scale_ub");
const BLOCK: Key = Key("", "quantization_config.weight_block_size");
const GROUPS: Key = Key("", "quantization_config.config_groups");
/// Rows and columns of a block at most, and inputs of a group.
const SIZE_MAX: u64 = 1 << 24;

/// The format of a checkpoint's quantised matrices, if it has any.
///
/// # Errors
/// FX1015 for formats and settings that are not known.
pub fn describe(checkpoint: &Checkpoint) -> Result<Option<Format>, Box<Diagnostic>> {
    if !checkpoint.has(CONFIG) {
        return Ok(None);
    }
    let format = match checkpoint.text(METHOD)?.unwrap_or("missing") {
        "fp8" => fp8(checkpoint)?,
        "fbgemm_fp8" => fbgemm(checkpoint)?,
        "compressed-tensors" => compressed_tensors(checkpoint)?,
        "gptq" => gptq(checkpoint)?,
        "awq" => awq(checkpoint)?,
        other => return checkpoint.unsupported(METHOD, other, "fp8, fbgemm_fp8, compressed-tensors, gptq, awq"),
    };
    Ok(Some(format))
}

fn fp8(checkpoint: &Checkpoint) -> Result<Format, Box<Diagnostic>> {
    match checkpoint.text(FLOAT)? {
        None | Some("e4m3") => {}
        Some(other) => return checkpoint.unsupported(FLOAT, other, "e4m3"),
    }
    let block = block(checkpoint, BLOCK, checkpoint.setting(BLOCK))?;
    let scales = match (checkpoint.text(SCHEME)?, block) {
        (Some("dynamic"), Some([_, columns])) => Some(ActivationScales::Inputs(columns)),
        (Some("dynamic"), None) => Some(ActivationScales::Tokens),
        (Some("static"), None) => Some(ActivationScales::Stored),
        (Some("static"), Some(_)) => {
            return checkpoint.unsupported(SCHEME, "static with blocks", "dynamic with blocks");
        }
        (Some(other), _) => return checkpoint.unsupported(SCHEME, other, "dynamic, static"),
        (None, _) => None,
    };
    let activations = scales.map(|scales| Activations { scales, most: None });
    Ok(Format::Fp8(Fp8 { block, activations }))
}

/// A scale for each token, of magnitudes up to a number.
fn fbgemm(checkpoint: &Checkpoint) -> Result<Format, Box<Diagnostic>> {
    let most = checkpoint.positive(&[SCALE_MOST])?;
    let activations = Some(Activations { scales: ActivationScales::Tokens, most });
    Ok(Format::Fp8(Fp8 { block: None, activations }))
}

/// Rows and columns of a block, which `key` says.
fn block(checkpoint: &Checkpoint, key: Key, value: Option<&Value>) -> Result<Option<[u64; 2]>, Box<Diagnostic>> {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(None) };
    let sizes: Option<Vec<u64>> = value.as_array().and_then(|sizes| sizes.iter().map(Value::as_u64).collect());
    match sizes.as_deref() {
        Some(&[rows, columns]) if [rows, columns].iter().all(|size| (1..=SIZE_MAX).contains(size)) => {
            Ok(Some([rows, columns]))
        }
        _ => checkpoint.unsupported(key, &value.to_string(), "lists of two whole numbers above 0"),
    }
}

/// Groups of modules, each with what its weights are. All must be the same floats of 8 bits.
fn compressed_tensors(checkpoint: &Checkpoint) -> Result<Format, Box<Diagnostic>> {
    let mut found: Option<Format> = None;
    for (name, group) in checkpoint.entries(GROUPS) {
        let weights = group.get("weights");
        let setting = |key: &str| weights.and_then(|weights| weights.get(key));
        let (bits, kind) = (setting("num_bits"), setting("type").and_then(|kind| kind.as_str()));
        if bits.and_then(|bits| bits.as_u64()) != Some(8) || kind != Some("float") {
            let bits = bits.map_or("?".to_string(), |bits| bits.to_string());
            let what = format!("of {} of {bits} bits in {name}", kind.unwrap_or("?"));
            return checkpoint.unsupported(GROUPS, &what, "weights of float of 8 bits");
        }
        let block = block(checkpoint, GROUPS, setting("block_structure"))?;
        let activations = activations(checkpoint, name, group.get("input_activations"))?;
        if block.is_some() && activations.is_some_and(|said| said.scales == ActivationScales::Stored) {
            let what = format!("activations of one stored scale and weights in blocks in {name}");
            return checkpoint.unsupported(GROUPS, &what, "blocks with dynamic activations");
        }
        let format = Format::Fp8(Fp8 { block, activations });
        if found.is_some_and(|found| found != format) {
            return checkpoint.unsupported(
                GROUPS,
                "several that differ",
                "the same weights and activations in all groups",
            );
        }
        found = Some(format);
    }
    match found {
        Some(format) => Ok(format),
        None => checkpoint.unsupported(GROUPS, "empty", "one group, or several"),
    }
}

/// What a group of modules says of its activations.
fn activations(
    checkpoint: &Checkpoint,
    name: &str,
    said: Option<&Value>,
) -> Result<Option<Activations>, Box<Diagnostic>> {
    let Some(said) = said.filter(|said| !said.is_null()) else { return Ok(None) };
    let text = |key: &str| said.get(key).and_then(Value::as_str).unwrap_or("?");
    let shown = |key: &str| said.get(key).map_or("?".to_string(), Value::to_string);
    if shown("num_bits") != "8" || text("type") != "float" {
        let what = format!("activations of {} of {} bits in {name}", text("type"), shown("num_bits"));
        return checkpoint.unsupported(GROUPS, &what, "activations of float of 8 bits");
    }
    let group = said.get("group_size").and_then(Value::as_u64).filter(|size| (1..=SIZE_MAX).contains(size));
    let scales = match (text("strategy"), said.get("dynamic").and_then(Value::as_bool), group) {
        // One for all tokens of a call would make a text depend on others in it.
        ("token" | "tensor", Some(true), _) => ActivationScales::Tokens,
        ("tensor", Some(false) | None, _) => ActivationScales::Stored,
        ("group", Some(true), Some(size)) => ActivationScales::Inputs(size),
        (strategy, ..) => {
            let what = format!("activations by {strategy}, dynamic {} in {name}", shown("dynamic"));
            let known = "by token, tensor or group with group_size, dynamic; by tensor, not dynamic";
            return checkpoint.unsupported(GROUPS, &what, known);
        }
    };
    Ok(Some(Activations { scales, most: None }))
}

fn gptq(checkpoint: &Checkpoint) -> Result<Format, Box<Diagnostic>> {
    let bits = checkpoint.count(BITS, 32)?;
    if !matches!(bits, 4 | 8) {
        return checkpoint.unsupported(BITS, &bits.to_string(), "4, 8");
    }
    if !checkpoint.entries(DYNAMIC).is_empty() {
        return checkpoint.unsupported(DYNAMIC, "set", "the same settings for all modules");
    }
    let zeros_plus = match checkpoint.text(CHECKPOINT_FORMAT)? {
        None | Some("gptq") => 1,
        Some("gptq_v2") => 0,
        Some(other) => return checkpoint.unsupported(CHECKPOINT_FORMAT, other, "gptq, gptq_v2"),
    };
    let listed = checkpoint.bool(LISTED)?.unwrap_or(false);
    Ok(Format::Gptq(Gptq { bits, group: group(checkpoint, GROUP)?, listed, zeros_plus }))
}

fn awq(checkpoint: &Checkpoint) -> Result<Format, Box<Diagnostic>> {
    let (bits_key, group_key) = (either(checkpoint, BITS, AWQ_BITS), either(checkpoint, GROUP, AWQ_GROUP));
    let bits = checkpoint.count(bits_key, 32)?;
    if bits != 4 {
        return checkpoint.unsupported(bits_key, &bits.to_string(), "4");
    }
    match checkpoint.text(VERSION)? {
        None => {}
        Some(version) if version.eq_ignore_ascii_case("gemm") => {}
        Some(other) => return checkpoint.unsupported(VERSION, other, "gemm"),
    }
    if checkpoint.bool(ZERO_POINT)? == Some(false) {
        return checkpoint.unsupported(ZERO_POINT, "false", "true");
    }
    Ok(Format::Awq(Awq { group: group(checkpoint, group_key)? }))
}

/// The first of two keys that the checkpoint has.
fn either(checkpoint: &Checkpoint, usual: Key, other: Key) -> Key {
    if checkpoint.has(usual) || !checkpoint.has(other) { usual } else { other }
}

fn group(checkpoint: &Checkpoint, key: Key) -> Result<Group, Box<Diagnostic>> {
    if checkpoint.number(key) == Some(-1.0) {
        return Ok(Group::All);
    }
    checkpoint.count(key, SIZE_MAX).map(Group::Of)
}
