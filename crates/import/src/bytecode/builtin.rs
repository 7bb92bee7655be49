//! The builtin dialect's encodings (MLIR's BuiltinDialectBytecode.td): codes are the rows of its two lists; types from
//! 21 on are those that releases after LLVM 22 write.

use std::fmt::Write;

use fornax_types::ElementType;

use super::cursor::{Cursor, Result};
use super::tables::Tables;
use super::value::{Ty, Value, quoted};

pub fn ty<'a>(tables: &Tables<'a>, cursor: &mut Cursor<'a>) -> Result<Ty> {
    let code = cursor.varint()?;
    Ok(match code {
        0 => {
            let width = cursor.varint()?;
            let prefix =
                ["i", "si", "ui"].get((width & 3) as usize).ok_or_else(|| cursor.error("a bad integer type"))?;
            Ty::of(format!("{prefix}{}", width >> 2))
        }
        2 => {
            let (inputs, results) = (type_list(tables, cursor)?, type_list(tables, cursor)?);
            Ty::of(format!("({inputs}) -> ({results})"))
        }
        7 => Ty::of("f80"),
        8 => Ty::of("f128"),
        9 => Ty::of(format!("complex<{}>", tables.next_type(cursor)?.text)),
        12 => Ty::of("none"),
        13 => {
            let shape = cursor.svarints()?;
            Ty::ranked(&shape, &tables.next_type(cursor)?.text, None)
        }
        14 => {
            let encoding = tables.next_attribute(cursor)?;
            let encoding = tables.render(&encoding, cursor)?;
            let shape = cursor.svarints()?;
            Ty::ranked(&shape, &tables.next_type(cursor)?.text, Some(&encoding))
        }
        15 => Ty::of(format!("tuple<{}>", type_list(tables, cursor)?)),
        21 => Ty::of("tf32"),
        18 => Ty::of(format!("tensor<*x{}>", tables.next_type(cursor)?.text)),
        _ => match ElementType::with(|row| row.bytecode == Some(code)) {
            Some(element) => Ty::of(element.spelling()),
            None => return Err(cursor.unsupported(format!("builtin type {code}"))),
        },
    })
}

/// `a, b`
pub fn type_list<'a>(tables: &Tables<'a>, cursor: &mut Cursor<'a>) -> Result<String> {
    let mut out = String::new();
    for (n, at) in cursor.indices()?.into_iter().enumerate() {
        _ = write!(out, "{}{}", if n > 0 { ", " } else { "" }, tables.ty(at, cursor)?.text);
    }
    Ok(out)
}

pub fn attribute<'a>(tables: &Tables<'a>, cursor: &mut Cursor<'a>) -> Result<Value<'a>> {
    let code = cursor.varint()?;
    Ok(match code {
        0 => Value::Array(cursor.indices()?),
        1 => {
            let count = cursor.count()?;
            let pairs = (0..count).map(|_| Ok((tables.next_string(cursor)?, cursor.index()?)));
            Value::Dict(pairs.collect::<Result<_>>()?)
        }
        2 => Value::Str(tables.file.string(cursor)?),
        3 => {
            let text = tables.file.string(cursor)?;
            tables.next_type(cursor)?;
            Value::Str(text)
        }
        4 => Value::Symbol(tables.next_string(cursor)?),
        6 => Value::Type(tables.next_type(cursor)?),
        7 => Value::Unit,
        8 => integer(tables, cursor)?,
        9 => float(tables, cursor)?,
        10..=15 | 22 => location(tables, cursor, code)?,
        16 => {
            let ty = tables.next_type(cursor)?;
            // The handle: a number into the resources of the file.
            let at = cursor.index()?;
            let (_, data) =
                tables.file.resources.get(at).ok_or_else(|| cursor.error(format!("there is no resource {at}")))?;
            Value::Dense(ty, data)
        }
        17 => dense_array(tables, cursor)?,
        18 => {
            let ty = tables.next_type(cursor)?;
            Value::Dense(ty, cursor.blob()?)
        }
        _ => return Err(cursor.unsupported(format!("builtin attribute {code}"))),
    })
}

pub fn integer<'a>(tables: &Tables<'a>, cursor: &mut Cursor<'a>) -> Result<Value<'a>> {
    let ty = tables.next_type(cursor)?.text;
    let digits = ty.trim_start_matches(|c: char| !c.is_ascii_digit());
    let bits = if &*ty == "index" {
        64
    } else {
        digits.parse().map_err(|_| cursor.error(format!("an integer of type {ty}")))?
    };
    let mut value = cursor.wide_int(bits)?;
    if bits == 1 {
        return Ok(Value::Bool(value != 0));
    }
    if ty.starts_with('u') && value < 0 && bits < 127 {
        value += 1i128 << bits;
    }
    Ok(Value::Int(value, ty))
}

pub fn float<'a>(tables: &Tables<'a>, cursor: &mut Cursor<'a>) -> Result<Value<'a>> {
    let ty = tables.next_type(cursor)?.text;
    let element = ElementType::from_spelling(&ty).filter(|e| e.is_float() && !e.is_small_float());
    let bits = element.ok_or_else(|| cursor.unsupported(format!("a number of type {ty} as an attribute")))?.bits();
    let value = cursor.wide_int(bits)? & ((1i128 << bits) - 1);
    Ok(Value::Text(format!("0x{value:0width$X} : {ty}", width = bits as usize / 4)))
}

/// `array<i64: 1, 2>`
fn dense_array<'a>(tables: &Tables<'a>, cursor: &mut Cursor<'a>) -> Result<Value<'a>> {
    let element = tables.next_type(cursor)?.text;
    let count = cursor.index()?;
    let data = cursor.blob()?;
    let width = match &*element {
        "i1" | "i8" => 1,
        "i16" => 2,
        "i32" => 4,
        "i64" => 8,
        _ => return Err(cursor.unsupported(format!("an array of {element}"))),
    };
    if count.checked_mul(width) != Some(data.len()) {
        return Err(cursor.error(format!("{count} elements of {element} in {} bytes", data.len())));
    }
    let items = data.chunks_exact(width).map(|chunk| {
        let mut wide = [if chunk[width - 1] & 0x80 != 0 { 0xff } else { 0 }; 8];
        wide[..width].copy_from_slice(chunk);
        match &*element {
            "i1" => (chunk[0] != 0).to_string(),
            _ => i64::from_le_bytes(wide).to_string(),
        }
    });
    let items: Vec<String> = items.collect();
    let text =
        if items.is_empty() { format!("array<{element}>") } else { format!("array<{element}: {}>", items.join(", ")) };
    Ok(Value::Text(text))
}

/// Call sites, files, fused, named and unknown places, as the inside of `loc(…)`.
fn location<'a>(tables: &Tables<'a>, cursor: &mut Cursor<'a>, code: u64) -> Result<Value<'a>> {
    const MAX_LENGTH: usize = 500;
    let place = |cursor: &mut Cursor<'a>| -> Result<String> {
        match &*tables.next_attribute(cursor)? {
            Value::Location(text) | Value::Text(text) => Ok(text.clone()),
            _ => Err(cursor.error("a location is wanted")),
        }
    };
    let text = match code {
        10 => format!("callsite({} at {})", place(cursor)?, place(cursor)?),
        11 => format!("{}:{}:{}", quoted(tables.next_string(cursor)?), cursor.varint()?, cursor.varint()?),
        12 | 13 => {
            let count = cursor.count()?;
            let places = (0..count).map(|_| place(cursor)).collect::<Result<Vec<_>>>()?;
            format!("fused[{}]", places.join(", "))
        }
        14 => {
            let name = quoted(tables.next_string(cursor)?);
            match place(cursor)?.as_str() {
                "unknown" => name,
                child => format!("{name}({child})"),
            }
        }
        15 => "unknown".to_string(),
        _ => {
            let name = quoted(tables.next_string(cursor)?);
            let (line, column) = match cursor.flagged() {
                Ok((line, _)) => (line, 0),
                Err(_) => (0, 0),
            };
            format!("{name}:{line}:{column}")
        }
    };
    Ok(Value::Location(if text.len() > MAX_LENGTH { "unknown".into() } else { text }))
}
