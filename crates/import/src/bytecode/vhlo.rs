//! Attributes and types of VHLO, the versioned dialect of StableHLO's portable artifacts, as their StableHLO and
//! builtin forms.
//!
//! Codes are stable by VHLO's promise: a code that is known means the same in every version since 1.0.

use fornax_types::ElementType;

use super::builtin::{self, type_list};
use super::cursor::{Cursor, Result};
use super::hlo;
use super::quant;
use super::tables::Tables;
use super::value::{Ty, Value};

/// Types without parts that are no element types, by code.
const OTHERS: &[(u64, &str)] = &[(22, "!stablehlo.token"), (34, "tf32")];

pub fn ty<'a>(tables: &Tables<'a>, cursor: &mut Cursor<'a>) -> Result<Ty> {
    let code = cursor.varint()?;
    if let Some(element) = ElementType::with(|row| row.vhlo == Some(code)) {
        return Ok(Ty::of(element.spelling()));
    }
    if let Some((_, text)) = OTHERS.iter().find(|(c, _)| *c == code) {
        return Ok(Ty::of(*text));
    }
    match code {
        1 => Ok(Ty::of(format!("complex<{}>", tables.next_type(cursor)?.text))),
        8 => {
            let (inputs, results) = (type_list(tables, cursor)?, type_list(tables, cursor)?);
            Ok(Ty::of(format!("({inputs}) -> ({results})")))
        }
        20 => {
            let shape = cursor.svarints()?;
            Ok(Ty::ranked(&shape, &tables.next_type(cursor)?.text, None))
        }
        21 => {
            let encoding = tables.next_attribute(cursor)?;
            let encoding = tables.render(&encoding, cursor)?;
            let shape = cursor.svarints()?;
            Ok(Ty::ranked(&shape, &tables.next_type(cursor)?.text, Some(&encoding)))
        }
        23 => Ok(Ty::of(format!("tuple<{}>", type_list(tables, cursor)?))),
        24 => quant::per_tensor(tables, cursor),
        25 => Ok(Ty::of(format!("tensor<*x{}>", tables.next_type(cursor)?.text))),
        30 => quant::per_axis(tables, cursor),
        33 => Ok(Ty { none: true, ..Ty::of("none") }),
        42 => Ok(Ty::of(format!("!stablehlo.future<{}>", type_list(tables, cursor)?))),
        _ => Err(cursor.unsupported(format!("VHLO type {code}"))),
    }
}

pub fn attribute<'a>(tables: &Tables<'a>, cursor: &mut Cursor<'a>) -> Result<Value<'a>> {
    let code = cursor.varint()?;
    match code {
        1 => Ok(Value::Array(cursor.indices()?)),
        2 => Ok(Value::Bool(cursor.varint()? != 0)),
        3 => hlo::case(cursor, "stablehlo", hlo::DIRECTION),
        4 => hlo::case(cursor, "stablehlo", hlo::COMPARISON),
        5 => Ok(Value::Int(i128::from(cursor.varint()?), "i32".into())),
        6 => {
            let count = cursor.count()?;
            let pairs = (0..count).map(|_| Ok((tables.next_string(cursor)?, cursor.index()?)));
            Ok(Value::Dict(pairs.collect::<Result<_>>()?))
        }
        7 => hlo::case(cursor, "stablehlo", hlo::FFT),
        8 => builtin::float(tables, cursor),
        9 => builtin::integer(tables, cursor),
        10 => hlo::alias(cursor),
        11 => hlo::case(cursor, "stablehlo", hlo::PRECISION),
        12 => hlo::case(cursor, "stablehlo", hlo::ALGORITHM),
        13 => hlo::case(cursor, "stablehlo", hlo::DISTRIBUTION),
        14 => Ok(Value::Str(tables.file.string(cursor)?)),
        15 => {
            let ty = tables.next_type(cursor)?;
            Ok(Value::Dense(ty, cursor.blob()?))
        }
        16 => hlo::case(cursor, "stablehlo", hlo::TRANSPOSE),
        17 => Ok(Value::Type(tables.next_type(cursor)?)),
        18 => Ok(Value::Text(hlo::bounds(&cursor.svarints()?))),
        19 => hlo::case(cursor, "stablehlo", hlo::ACCURACY),
        20 => hlo::accuracy(tables, cursor),
        21..=25 => hlo::mesh(tables, cursor, code),
        _ => Err(cursor.unsupported(format!("VHLO attribute {code}"))),
    }
}
