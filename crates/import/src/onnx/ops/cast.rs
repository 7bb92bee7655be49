//! Changes of the element type.

use fornax_graph::{ElementType, OpKind, ValueId};
use fornax_types::{FloatFormat, Specials};

use super::{Row, one};
use crate::onnx::converter::{Converter, Result};
use crate::onnx::data;
use crate::onnx::node::Node;

pub const ROWS: &[Row] = &[one("Cast", cast), one("CastLike", cast_like), one("BitCast", bit_cast)];

/// The element type that an attribute names.
pub fn named_element(node: &Node, name: &str) -> Result<Option<ElementType>> {
    let Some(code) = node.int(name) else { return Ok(None) };
    data::element_of(code).map(Some).map_err(|(code, what)| node.error(code, what))
}

fn cast(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let to = named_element(node, "to")?.ok_or_else(|| node.broken("attribute `to` is missing"))?;
    converted(c, node, a, to)
}

fn cast_like(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (a, like) = (node.input(0)?, node.input(1)?);
    let to = c.b.element(like);
    converted(c, node, a, to)
}

fn converted(c: &mut Converter, node: &Node, a: ValueId, to: ElementType) -> Result<ValueId> {
    let from = c.b.element(a);
    if from == to {
        return Ok(a);
    }
    if from.is_complex() != to.is_complex() {
        return Err(node.unsupported(format!("from {from} to {to}")));
    }
    if to == ElementType::I1 {
        let zero = c.number(a, 0.0);
        return Ok(c.b.compare("NE", a, zero));
    }
    let is_saturating = node.int_or("saturate", 1) != 0;
    let narrow = to.is_small_float() && to != ElementType::F8E8M0FNU && to != ElementType::F4E2M1FN;
    if to == ElementType::F8E8M0FNU {
        return exponents(c, node, a, is_saturating);
    }
    let a = if from == ElementType::I1 && to.is_float() { c.b.convert(a, ElementType::Ui8) } else { a };
    if narrow && is_saturating {
        return Ok(saturated(c, a, to));
    }
    if from.is_float() && to.is_integer() && to.bits() < 32 {
        // As a C cast does it: to a wide integer, whose low bits stay.
        let wide = c.b.convert(a, ElementType::I32);
        return Ok(c.b.convert(wide, to));
    }
    Ok(c.b.convert(a, to))
}

/// The largest number of a format.
pub fn largest(format: &FloatFormat) -> f64 {
    let all = format.magnitude_mask();
    format.decode(match format.specials {
        Specials::Ieee => format.top_exponent() - 1,
        Specials::NanAllOnes => all - 1,
        _ => all,
    })
}

/// Numbers beyond the largest become the largest; infinities too. What is no number stays so.
pub fn saturated(c: &mut Converter, a: ValueId, to: ElementType) -> ValueId {
    let from = c.b.element(a);
    let with = if from == ElementType::F64 || from.bits() > 32 { ElementType::F64 } else { ElementType::F32 };
    let a = c.b.convert(a, with);
    let Some(format) = to.format() else { return c.b.convert(a, to) };
    let largest = largest(format);
    let (low, high) = (c.number(a, -largest), c.number(a, largest));
    let below = c.b.compare("LT", a, low);
    let limited = c.b.select(below, low, a);
    let above = c.b.compare("GT", limited, high);
    let limited = c.b.select(above, high, limited);
    c.b.convert(limited, to)
}

/// Powers of two: `round_mode` says which neighbour is taken.
fn exponents(c: &mut Converter, node: &Node, a: ValueId, is_saturating: bool) -> Result<ValueId> {
    let a = c.b.convert(a, ElementType::F32);
    let bits = c.b.bitcast(a, ElementType::Ui32);
    let shift = c.number(bits, 23.0);
    let exponent = c.b.binary(OpKind::ShiftRightLogical, bits, shift);
    let exponent = c.with_number(OpKind::And, exponent, 255.0);
    let mantissa = c.with_number(OpKind::And, bits, f64::from(0x7f_ffff));
    let zero = c.number(bits, 0.0);
    let some = c.b.compare("NE", mantissa, zero);
    let up = match node.text_or("round_mode", "up") {
        "up" => some,
        "down" => c.b.binary(OpKind::And, some, some),
        "nearest" => {
            let half = c.number(bits, f64::from(0x40_0000));
            c.b.compare("GE", mantissa, half)
        }
        other => return Err(node.broken(format!("round_mode `{other}`; known: up, down, nearest"))),
    };
    let more = c.b.convert(up, ElementType::Ui32);
    let more = if node.text_or("round_mode", "up") == "down" { zero } else { more };
    let raised = c.add(exponent, more);
    let largest = if is_saturating { 254.0 } else { 255.0 };
    let raised = c.with_number(OpKind::Minimum, raised, largest);
    let nan = c.number(bits, 255.0);
    let is_special = c.b.compare("EQ", exponent, nan);
    let is_nan = c.b.compare("NE", a, a);
    let special = match is_saturating {
        true => {
            let top = c.number(bits, 254.0);
            c.b.select(is_nan, nan, top)
        }
        false => nan,
    };
    let all = c.b.select(is_special, special, raised);
    let narrow = c.b.convert(all, ElementType::Ui8);
    Ok(c.b.bitcast(narrow, ElementType::F8E8M0FNU))
}

fn bit_cast(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let a = node.input(0)?;
    let to = named_element(node, "to")?.ok_or_else(|| node.broken("attribute `to` is missing"))?;
    let from = c.b.element(a);
    if from == ElementType::I1 || to == ElementType::I1 {
        // A truth value is a byte.
        return match from.storage_bytes() == 1 && to.storage_bytes() == 1 && !from.is_sub_byte() && !to.is_sub_byte() {
            true if to == ElementType::I1 => converted(c, node, a, to),
            true => {
                let byte = c.b.convert(a, ElementType::Ui8);
                Ok(c.b.bitcast(byte, to))
            }
            false => Err(node.unsupported(format!("from {from} to {to}, which are not equally wide"))),
        };
    }
    if from.bits() != to.bits() {
        return Err(node.unsupported(format!("from {from} to {to}, which are not equally wide")));
    }
    Ok(c.b.bitcast(a, to))
}
