//! Attributes and types of the StableHLO and CHLO dialects in their own encodings, as `write_bytecode` leaves them.

use std::fmt::Write;

use super::builtin::type_list;
use super::cursor::{Cursor, Result};
use super::tables::Tables;
use super::value::{Ty, Value};

/// Cases of the enums, shared by StableHLO and VHLO: (mnemonic, cases by number).
pub const DIRECTION: (&str, &[&str]) = ("comparison_direction", &["EQ", "NE", "GE", "GT", "LE", "LT"]);
pub const COMPARISON: (&str, &[&str]) = ("comparison_type", &["NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"]);
pub const FFT: (&str, &[&str]) = ("fft_type", &["FFT", "IFFT", "RFFT", "IRFFT"]);
pub const PRECISION: (&str, &[&str]) = ("precision", &["DEFAULT", "HIGH", "HIGHEST"]);
pub const ALGORITHM: (&str, &[&str]) = ("rng_algorithm", &["DEFAULT", "THREE_FRY", "PHILOX"]);
pub const DISTRIBUTION: (&str, &[&str]) = ("rng_distribution", &["", "UNIFORM", "NORMAL"]);
pub const TRANSPOSE: (&str, &[&str]) = ("transpose", &["TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"]);
pub const ACCURACY: (&str, &[&str]) = ("result_accuracy_mode", &["DEFAULT", "HIGHEST", "TOLERANCE"]);

/// Fields of the structs, in the order of their encoding; names with a star are lists.
pub const DOT: &[&str] = &[
    "*lhs_batching_dimensions",
    "*rhs_batching_dimensions",
    "*lhs_contracting_dimensions",
    "*rhs_contracting_dimensions",
];
pub const GATHER: &[&str] = &[
    "*offset_dims",
    "*collapsed_slice_dims",
    "*operand_batching_dims",
    "*start_indices_batching_dims",
    "*start_index_map",
    "index_vector_dim",
];
pub const SCATTER: &[&str] = &[
    "*update_window_dims",
    "*inserted_window_dims",
    "*input_batching_dims",
    "*scatter_indices_batching_dims",
    "*scatter_dims_to_operand_dims",
    "index_vector_dim",
];

/// `#stablehlo<comparison_direction EQ>`
pub fn case<'a>(cursor: &mut Cursor<'a>, dialect: &str, (mnemonic, cases): (&str, &[&str])) -> Result<Value<'a>> {
    let at = cursor.index()?;
    match cases.get(at).filter(|c| !c.is_empty()) {
        Some(case) => Ok(Value::Text(format!("#{dialect}<{mnemonic} {case}>"))),
        None => Err(cursor.unsupported(format!("{mnemonic} {at}"))),
    }
}

/// Meshes, axes of them, and groups of devices along axes: VHLO's attributes from 21 on.
pub fn mesh<'a>(tables: &Tables<'a>, cursor: &mut Cursor<'a>, code: u64) -> Result<Value<'a>> {
    let next = |cursor: &mut Cursor<'a>| {
        let attribute = tables.next_attribute(cursor)?;
        tables.render(&attribute, cursor)
    };
    let maybe = |cursor: &mut Cursor<'a>, name: &str| -> Result<String> {
        match cursor.flagged()? {
            (at, true) => Ok(format!(", {name} = {}", tables.text(at, cursor)?)),
            _ => Ok(String::new()),
        }
    };
    let text = match code {
        21 => format!("({}){}", cursor.svarint()?, cursor.svarint()?),
        22 => format!("#stablehlo.axis_ref<name = {}{}>", next(cursor)?, maybe(cursor, "sub_axis_info")?),
        23 => format!("#stablehlo.replica_group_mesh_axes<mesh = {}, axes = {}>", next(cursor)?, next(cursor)?),
        24 => format!("#stablehlo.mesh_axis<name = {}, size = {}>", next(cursor)?, cursor.svarint()?),
        _ => format!("#stablehlo.mesh<axes = {}{}>", next(cursor)?, maybe(cursor, "device_ids")?),
    };
    Ok(Value::Text(text))
}

pub fn ty<'a>(tables: &Tables<'a>, cursor: &mut Cursor<'a>) -> Result<Ty> {
    match cursor.varint()? {
        0 => Ok(Ty::of("!stablehlo.token")),
        1 => Ok(Ty::of(format!("!stablehlo.future<{}>", type_list(tables, cursor)?))),
        code => Err(cursor.unsupported(format!("StableHLO type {code}"))),
    }
}

pub fn chlo_attribute<'a>(cursor: &mut Cursor<'a>) -> Result<Value<'a>> {
    match cursor.varint()? {
        0 => case(cursor, "chlo", DIRECTION),
        1 => case(cursor, "chlo", COMPARISON),
        code => Err(cursor.unsupported(format!("CHLO attribute {code}"))),
    }
}

pub fn attribute<'a>(tables: &Tables<'a>, cursor: &mut Cursor<'a>) -> Result<Value<'a>> {
    let code = cursor.varint()?;
    match code {
        1 => Ok(Value::Text(format!(
            "#stablehlo.channel_handle<handle = {}, type = {}>",
            cursor.svarint()?,
            cursor.svarint()?
        ))),
        2 => case(cursor, "stablehlo", DIRECTION),
        3 => case(cursor, "stablehlo", COMPARISON),
        4 => convolution(cursor),
        5 => fields(cursor, "dot", DOT),
        6 => case(cursor, "stablehlo", FFT),
        7 => fields(cursor, "gather", GATHER),
        8 => case(cursor, "stablehlo", PRECISION),
        9 => case(cursor, "stablehlo", ALGORITHM),
        10 => case(cursor, "stablehlo", DISTRIBUTION),
        11 => fields(cursor, "scatter", SCATTER),
        12 => case(cursor, "stablehlo", TRANSPOSE),
        13 => Ok(Value::Text(bounds(&cursor.svarints()?))),
        14 => alias(cursor),
        15 => algorithm(tables, cursor),
        16 => case(cursor, "stablehlo", ACCURACY),
        17 => accuracy(tables, cursor),
        _ => Err(cursor.unsupported(format!("StableHLO attribute {code}"))),
    }
}

/// `#stablehlo.bounds<?, 5>`
pub fn bounds(sizes: &[i64]) -> String {
    let sizes: Vec<String> = sizes.iter().map(|&n| if n < 0 { "?".to_string() } else { n.to_string() }).collect();
    format!("#stablehlo.bounds<{}>", sizes.join(", "))
}

/// `#stablehlo.NAME<a = [1], b = 2>`; names with a star are lists.
fn fields<'a>(cursor: &mut Cursor<'a>, name: &str, names: &[&str]) -> Result<Value<'a>> {
    let mut parts = Vec::new();
    for field in names {
        match field.strip_prefix('*') {
            Some(field) => parts.push(format!("{field} = {:?}", cursor.svarints()?)),
            None => parts.push(format!("{field} = {}", cursor.svarint()?)),
        }
    }
    Ok(Value::Text(format!("#stablehlo.{name}<{}>", parts.join(", "))))
}

fn convolution<'a>(cursor: &mut Cursor<'a>) -> Result<Value<'a>> {
    let mut text = String::from("#stablehlo.conv<raw ");
    for (n, (part, names)) in [
        ("input", ["batch", "feature"]),
        ("kernel", ["input_feature", "output_feature"]),
        ("output", ["batch", "feature"]),
    ]
    .iter()
    .enumerate()
    {
        for name in names {
            _ = write!(
                text,
                "{}{part}_{name}_dimension = {}",
                if n > 0 || name == &names[1] { ", " } else { "" },
                cursor.svarint()?
            );
        }
        _ = write!(text, ", {part}_spatial_dimensions = {:?}", cursor.svarints()?);
    }
    text.push('>');
    Ok(Value::Text(text))
}

/// `#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>`
pub fn alias<'a>(cursor: &mut Cursor<'a>) -> Result<Value<'a>> {
    fields(cursor, "output_operand_alias", &["*output_tuple_indices", "operand_index", "*operand_tuple_indices"])
}

fn algorithm<'a>(tables: &Tables<'a>, cursor: &mut Cursor<'a>) -> Result<Value<'a>> {
    let types = (0..3).map(|_| tables.next_type(cursor)).collect::<Result<Vec<_>>>()?;
    let counts = (0..3).map(|_| cursor.svarint()).collect::<Result<Vec<_>>>()?;
    let imprecise = cursor.byte()? != 0;
    let (types, counts): (Vec<&str>, Vec<i64>) = (types.iter().map(|t| &*t.text).collect(), counts);
    match (types.as_slice(), counts.as_slice()) {
        (&[lhs, rhs, sum], &[l, r, n]) => Ok(Value::Text(algorithm_text([lhs, rhs, sum], [l, r, n], imprecise))),
        _ => Err(cursor.error("a dot algorithm has three types and three counts")),
    }
}

/// The attribute of dot_general, from its types (lhs, rhs, sum) and counts (components of lhs and rhs, products).
pub fn algorithm_text(types: [&str; 3], counts: [i64; 3], imprecise: bool) -> String {
    format!(
        "#stablehlo.dot_algorithm<lhs_precision_type = {}, rhs_precision_type = {}, accumulation_type = {}, \
         lhs_component_count = {}, rhs_component_count = {}, num_primitive_operations = {}, \
         allow_imprecise_accumulation = {imprecise}>",
        types[0], types[1], types[2], counts[0], counts[1], counts[2]
    )
}

/// atol, rtol, ulps, mode.
pub fn accuracy<'a>(tables: &Tables<'a>, cursor: &mut Cursor<'a>) -> Result<Value<'a>> {
    let (atol, rtol) = (f64::from_bits(cursor.wide_int(64)? as u64), f64::from_bits(cursor.wide_int(64)? as u64));
    let ulps = cursor.svarint()?;
    let mode = tables.next_attribute(cursor)?;
    let mode = tables.render(&mode, cursor)?;
    Ok(Value::Text(format!(
        "#stablehlo.result_accuracy<atol = {atol:?}, rtol = {rtol:?}, ulps = {ulps}, mode = {mode}>"
    )))
}
