//! Ops of VHLO as ops of StableHLO: names without versions, attributes that VHLO keeps apart put together, defaults
//! left out.
//!
//! Worked example: `vhlo.dot_general_v2` has `lhs_batching_dimensions`, …, `lhs_precision_type`, …;
//! `stablehlo.dot_general` has `dot_dimension_numbers = #stablehlo.dot<…>` and, unless the types are VHLO's `none`,
//! `algorithm = #stablehlo.dot_algorithm<…>`.

use super::cursor::{Cursor, Result};
use super::hlo;
use super::tables::Tables;
use super::value::{Numbered, Value, integers, symbol};

/// Attributes that become one: (ops, name of the one, its StableHLO struct, names of the fields: `*` are lists).
const STRUCTS: &[(&[&str], &str, &str, &[&str])] = &[
    (&["dot_general"], "dot_dimension_numbers", "dot", hlo::DOT),
    (&["gather", "dynamic_gather"], "dimension_numbers", "gather", hlo::GATHER),
    (&["scatter"], "scatter_dimension_numbers", "scatter", hlo::SCATTER),
    (
        &["convolution", "dynamic_conv"],
        "dimension_numbers",
        "conv",
        &[
            "input_batch_dimension",
            "input_feature_dimension",
            "*input_spatial_dimensions",
            "kernel_input_feature_dimension",
            "kernel_output_feature_dimension",
            "*kernel_spatial_dimensions",
            "output_batch_dimension",
            "output_feature_dimension",
            "*output_spatial_dimensions",
        ],
    ),
];

/// Attributes that name functions by strings.
const SYMBOLS: &[(&str, &str)] = &[("call", "callee"), ("composite", "decomposition")];

/// The attributes of a dot algorithm: three types, three counts, a flag.
const ALGORITHM: [&str; 7] = [
    "lhs_precision_type",
    "rhs_precision_type",
    "accumulation_type",
    "lhs_component_count",
    "rhs_component_count",
    "num_primitive_operations",
    "allow_imprecise_accumulation",
];

/// `add_v1` → `add`
pub fn base_name(name: &str) -> &str {
    match name.rsplit_once("_v") {
        Some((base, digits)) if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => base,
        _ => name,
    }
}

/// The full name of a VHLO op in the graph.
pub fn full_name(name: &str, in_function: bool) -> String {
    match base_name(name) {
        "func" => "func.func".into(),
        "call" => "func.call".into(),
        "return" if in_function => "func.return".into(),
        base => format!("stablehlo.{base}"),
    }
}

/// (name, text of the value) of every attribute of the StableHLO op.
pub fn attributes<'a>(
    tables: &Tables<'a>,
    op: &str,
    items: &[Numbered<'a>],
    from: &Cursor<'a>,
) -> Result<Vec<(String, String)>> {
    let op = base_name(op);
    let mut left = items.to_vec();
    let mut out = Vec::new();
    for (_, name, kind, fields) in STRUCTS.iter().filter(|(ops, ..)| ops.contains(&op)) {
        out.push((name.to_string(), structure(tables, &mut left, kind, fields, from)?));
    }
    if op == "dot_general" {
        out.extend(dot_algorithm(tables, &mut left, from)?.map(|text| ("algorithm".to_string(), text)));
    }
    if matches!(op, "send" | "recv") {
        let handle = channel(tables, take(&mut left, "channel_id"), take(&mut left, "channel_type"), from)?;
        out.push(("channel_handle".into(), handle));
    }
    for (name, at) in left {
        let value = tables.attribute(at, from)?;
        if is_default(tables, op, name, &value, from)? {
            continue;
        }
        let text = match (&*value, name) {
            (Value::Str(target), _) if SYMBOLS.contains(&(op, name)) => symbol(target),
            (Value::Array(items), "called_computations") => symbols(tables, items, from)?,
            (Value::Int(..), "channel_id") => {
                out.push(("channel_handle".into(), channel(tables, Some(at), None, from)?));
                continue;
            }
            (Value::Bool(true), "use_global_device_ids" | "no_inline") => "unit".into(),
            _ => tables.render(&value, from)?,
        };
        out.push((name.to_string(), text));
    }
    Ok(out)
}

fn take(items: &mut Vec<(&str, usize)>, name: &str) -> Option<usize> {
    let at = items.iter().position(|(n, _)| *n == name)?;
    Some(items.remove(at).1)
}

fn structure<'a>(
    tables: &Tables<'a>,
    left: &mut Vec<Numbered<'a>>,
    kind: &str,
    fields: &[&str],
    from: &Cursor<'a>,
) -> Result<String> {
    let mut parts = Vec::new();
    for field in fields {
        let (name, list) = field.strip_prefix('*').map_or((*field, false), |name| (name, true));
        // Fields that came with a later version of the op are empty in the earlier ones.
        let Some(at) = take(left, name) else { continue };
        parts.push(match (&*tables.attribute(at, from)?, list) {
            (Value::Dense(ty, data), true) => match integers(ty, data) {
                Some(values) => format!("{name} = {values:?}"),
                None => return Err(from.error(format!("`{name}` is not a list of integers"))),
            },
            (Value::Int(value, _), false) => format!("{name} = {value}"),
            _ => {
                return Err(
                    from.error(format!("`{name}` is not {}", if list { "a list of integers" } else { "an integer" }))
                );
            }
        });
    }
    let raw = if kind == "conv" { "raw " } else { "" };
    Ok(format!("#stablehlo.{kind}<{raw}{}>", parts.join(", ")))
}

fn dot_algorithm<'a>(tables: &Tables<'a>, left: &mut Vec<Numbered<'a>>, from: &Cursor<'a>) -> Result<Option<String>> {
    let mut values = Vec::new();
    for name in ALGORITHM {
        let Some(at) = take(left, name) else { return Ok(None) };
        values.push(tables.attribute(at, from)?);
    }
    if matches!(&*values[0], Value::Type(ty) if ty.none) {
        return Ok(None);
    }
    let ty = |at: usize| match &*values[at] {
        Value::Type(ty) => Ok(ty.text.to_string()),
        _ => Err(from.error(format!("`{}` is not a type", ALGORITHM[at]))),
    };
    let count = |at: usize| match &*values[at] {
        Value::Int(value, _) => i64::try_from(*value).map_err(|_| from.error("a count is too large")),
        _ => Err(from.error(format!("`{}` is not a number", ALGORITHM[at]))),
    };
    let imprecise = matches!(&*values[6], Value::Bool(true));
    let (lhs, rhs, sum) = (ty(0)?, ty(1)?, ty(2)?);
    Ok(Some(hlo::algorithm_text([&lhs, &rhs, &sum], [count(3)?, count(4)?, count(5)?], imprecise)))
}

fn channel<'a>(tables: &Tables<'a>, id: Option<usize>, kind: Option<usize>, from: &Cursor<'a>) -> Result<String> {
    let number = |at: Option<usize>| match at.map(|at| tables.attribute(at, from)).transpose()?.as_deref() {
        Some(Value::Int(value, _)) => Ok(*value),
        None => Ok(0),
        _ => Err(from.error("a channel is not a number")),
    };
    Ok(format!("#stablehlo.channel_handle<handle = {}, type = {}>", number(id)?, number(kind)?))
}

fn symbols<'a>(tables: &Tables<'a>, items: &[usize], from: &Cursor<'a>) -> Result<String> {
    let names = items.iter().map(|&at| match &*tables.attribute(at, from)? {
        Value::Str(name) | Value::Symbol(name) => Ok(symbol(name)),
        _ => Err(from.error("a called computation is not named by a string")),
    });
    Ok(format!("[{}]", names.collect::<Result<Vec<_>>>()?.join(", ")))
}

/// VHLO writes every attribute; what is a default is left out, so that the graph equals that of the text.
fn is_default<'a>(tables: &Tables<'a>, op: &str, name: &str, value: &Value<'a>, from: &Cursor<'a>) -> Result<bool> {
    Ok(match (value, name) {
        (Value::Str(""), "sym_visibility" | "backend_config" | "infeed_config" | "outfeed_config") => true,
        (Value::Dict(items), "backend_config" | "composite_attributes") => items.is_empty(),
        (
            Value::Array(items),
            "arg_attrs"
            | "res_attrs"
            | "called_computations"
            | "operand_layouts"
            | "result_layouts"
            | "output_operand_aliases"
            | "result_tilings"
            | "layout",
        ) => items.is_empty(),
        (Value::Array(items), "precision_config") => {
            let texts = items.iter().map(|&at| tables.text(at, from)).collect::<Result<Vec<_>>>()?;
            texts.iter().all(|text| text.ends_with(" DEFAULT>"))
        }
        (
            Value::Bool(false),
            "has_side_effect"
            | "use_global_device_ids"
            | "has_dynamic_root"
            | "is_host_transfer"
            | "indices_are_sorted"
            | "unique_indices"
            | "no_inline",
        ) => true,
        (Value::Bool(false), "is_stable") => op == "sort",
        (Value::Int(1, _), "api_version") => true,
        (Value::Int(0, _), "channel_id") => true,
        (Value::Int(0, _), "version") => op == "composite",
        (Value::Text(text), "compare_type") => text.ends_with(" NOTYPE>"),
        (Value::Text(text), "result_accuracy") => {
            text.starts_with("#stablehlo.result_accuracy<atol = 0.0, rtol = 0.0, ulps = 0, ")
                && text.contains(" DEFAULT>")
        }
        (
            Value::Dense(ty, data),
            "known_expanding_dimensions" | "known_nonexpanding_dimensions" | "source_target_pairs",
        ) => data.is_empty() || ty.tensor.as_ref().is_some_and(|(shape, _)| shape.contains(&0)),
        (
            Value::Dense(ty, data),
            "window_strides" | "lhs_dilation" | "rhs_dilation" | "base_dilations" | "window_dilations",
        ) if integers(ty, data).is_some_and(|values| values.iter().all(|&v| v == 1)) => true,
        // The padding of a dynamic convolution is an operand; the attribute of its first version says nothing.
        (_, "padding") if op == "dynamic_conv" => true,
        (Value::Dense(_, data), "window_reversal" | "padding") => data.iter().all(|&b| b == 0),
        _ => false,
    })
}
