//! Quantised types of MLIR's `quant` dialect (QuantDialectBytecode.td).

use super::cursor::{Cursor, Result};
use super::tables::Tables;
use super::value::Ty;

/// Storage, expressed type and bounds of a quantised type.
struct Parts {
    signed: bool,
    storage: String,
    expressed: String,
    min: i64,
    max: i64,
}

impl Parts {
    fn text(&self, inside: &str) -> String {
        let storage =
            if self.signed { self.storage.clone() } else { format!("u{}", self.storage.trim_start_matches('u')) };
        format!("!quant.uniform<{storage}<{}:{}>:{}{inside}>", self.min, self.max, self.expressed)
    }
}

pub fn ty<'a>(tables: &Tables<'a>, cursor: &mut Cursor<'a>) -> Result<Ty> {
    const PER_TENSOR: u64 = 3;
    const PER_AXIS: u64 = 4;
    match cursor.varint()? {
        PER_TENSOR => per_tensor(tables, cursor),
        PER_AXIS => per_axis(tables, cursor),
        code => Err(cursor.unsupported(format!("quantised type {code}"))),
    }
}

/// flags, storage, expressed, scale, zero point, least and greatest stored value.
pub fn per_tensor<'a>(tables: &Tables<'a>, cursor: &mut Cursor<'a>) -> Result<Ty> {
    let signed = cursor.varint()? & 1 == 1;
    let (storage, expressed) = (tables.next_type(cursor)?.text.to_string(), tables.next_type(cursor)?.text.to_string());
    let scale = scale(cursor)?;
    let zero = cursor.svarint()?;
    let parts = Parts { signed, storage, expressed, min: cursor.svarint()?, max: cursor.svarint()? };
    Ok(Ty::of(parts.text(&format!(", {scale:?}:{zero}"))))
}

/// flags, storage, expressed, axis, least and greatest stored value, scales, zero points.
pub fn per_axis<'a>(tables: &Tables<'a>, cursor: &mut Cursor<'a>) -> Result<Ty> {
    let signed = cursor.varint()? & 1 == 1;
    let (storage, expressed) = (tables.next_type(cursor)?.text.to_string(), tables.next_type(cursor)?.text.to_string());
    let axis = cursor.varint()?;
    let parts = Parts { signed, storage, expressed, min: cursor.svarint()?, max: cursor.svarint()? };
    let count = cursor.count()?;
    let scales = (0..count).map(|_| scale(cursor)).collect::<Result<Vec<_>>>()?;
    let zeros = cursor.svarints()?;
    if scales.len() != zeros.len() {
        return Err(cursor.error(format!("{} scales and {} zero points", scales.len(), zeros.len())));
    }
    let pairs: Vec<String> = scales.iter().zip(&zeros).map(|(scale, zero)| format!("{scale:?}:{zero}")).collect();
    Ok(Ty::of(parts.text(&format!(":{axis}, {{{}}}", pairs.join(", ")))))
}

fn scale(cursor: &mut Cursor<'_>) -> Result<f64> {
    Ok(f64::from_bits(cursor.wide_int(64)? as u64))
}
