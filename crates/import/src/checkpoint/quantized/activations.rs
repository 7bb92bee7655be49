//! Activations of 8 bits (W8A8): what a product multiplies becomes E4M3 with scales, as the folder says.
//!
//! `x = q · s`, with `q` of E4M3 and `s` one for a token (its largest magnitude / 448), one that the folder holds
//! ([`StoredScales`]), or one for some inputs of a token. Both operands of the product are then floats of 8 bits, and
//! its sums are multiplied by the scales of rows and outputs:
//!
//! ```text
//! s = max(max |x|, 448 · least) / 448        q = f8E4M3FN(clamp(x / s))
//! y = (q · wᵀ) · s · scale of the output
//! ```
//!
//! So do vLLM's kernels, and `transformers` with compressed-tensors, whose activations are of 16 bits: `x` is rounded
//! to the type of products' operands before.
//!
//! Worked example: a token `[1, -7]` has `s = 7 / 448 = 1/64`, `q = [64, -448]`.

use fornax_types::ElementType;

use super::super::function::Function;
use super::super::text::{Text, Value};
use super::Wanted;
use super::settings::{ActivationScales, Activations, Format};
use super::stored_scales::StoredScales;
use crate::Diagnostic;

/// The largest float of E4M3.
const MOST: f64 = 448.0;
/// The smallest scale: rows of zeros have it. Source: vLLM, `min_scaling_factor` in `csrc/quantization`.
const SCALE_MIN: f64 = 1.0 / (MOST * 512.0);

/// What products of a checkpoint's E4M3 matrices multiply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ActivationType {
    /// As the folder says.
    #[default]
    AsStored,
    /// E4M3, also where the folder says nothing of activations.
    F8,
    /// Floats of products' operands, whatever the folder says.
    Float,
}

/// Names of the types.
pub const ACTIVATION_TYPES: [(&str, ActivationType); 3] =
    [("as-stored", ActivationType::AsStored), ("f8", ActivationType::F8), ("float", ActivationType::Float)];

/// A format with the activations that are asked for; `None` where it has no matrices that such activations meet.
pub fn asked(format: Option<Format>, wanted: ActivationType) -> Option<Option<Format>> {
    match (format, wanted) {
        (_, ActivationType::AsStored) => Some(format),
        (Some(Format::Fp8(mut settings)), ActivationType::F8) => {
            let scales = match settings.block {
                Some([_, columns]) => ActivationScales::Inputs(columns),
                None => ActivationScales::Tokens,
            };
            settings.activations.get_or_insert(Activations { scales, most: None });
            Some(Some(Format::Fp8(settings)))
        }
        (_, ActivationType::F8) => None,
        (Some(Format::Fp8(settings)), ActivationType::Float) => {
            Some(Some(Format::Fp8(super::settings::Fp8 { activations: None, ..settings })))
        }
        (_, ActivationType::Float) => Some(format),
    }
}

/// Elements of E4M3, and what they are multiplied by: of each row, or one number.
#[derive(Clone)]
pub struct Quantized {
    pub elements: Value,
    pub scale: Value,
}

/// `x` `[rows, in]` of f32 with a scale for each row, or with the folder's.
///
/// # Errors
/// FX1013 and FX1014 where the folder's scale is missing, of another shape, or no number to divide by.
pub fn quantized(
    f: &mut Function,
    activations: Activations,
    (x, wanted): (&Value, Wanted),
) -> Result<Quantized, Box<Diagnostic>> {
    if activations.scales != ActivationScales::Stored {
        return Ok(by_row(&mut f.text, x, activations.most));
    }
    let scale = StoredScales::of(f, (wanted.role, wanted.layer), None)?.value(f);
    Ok(by_scale(&mut f.text, x, scale))
}

/// `x` `[…, in]` of f32 with a scale for each row `[…]`; magnitudes above `most` have no part in it.
pub fn by_row(t: &mut Text, x: &Value, most: Option<f64>) -> Quantized {
    let scale = scale(t, x, most);
    let elements = elements(t, x, &scale, most.is_some());
    Quantized { elements, scale }
}

/// `x` of f32 with scales that are known, of its first dimensions or one for all.
pub fn by_scale(t: &mut Text, x: &Value, scale: Value) -> Quantized {
    let elements = elements(t, x, &scale, true);
    Quantized { elements, scale }
}

/// `x` as floats that are what E4M3 holds of it, with a scale for so many inputs of each row.
pub fn rounded(t: &mut Text, x: &Value, inputs: u64) -> Value {
    let (rows, width) = (x.shape.first().copied().unwrap_or(1), x.last());
    let groups = width.div_ceil(inputs);
    let padded = t.padded_last(x, groups * inputs);
    let cut = t.reshape(&padded, &[rows, groups, inputs]);
    let Quantized { elements, scale } = by_row(t, &cut, None);
    let floats = t.convert(&elements, ElementType::F32);
    let scale = t.spread(&scale, &floats.shape.clone());
    let floats = t.binary("multiply", &floats, &scale);
    let floats = t.reshape(&floats, &[rows, groups * inputs]);
    t.slice_last(&floats, 0, width)
}

/// Scales of the last dimension; magnitudes above `most` have no part in them.
fn scale(t: &mut Text, x: &Value, most: Option<f64>) -> Value {
    let magnitudes = t.unary("abs", x);
    let mut largest = t.reduce_last("maximum", &magnitudes);
    if let Some(most) = most {
        let most = t.float(most, &largest.shape);
        largest = t.binary("minimum", &largest, &most);
    }
    let most = t.float(MOST, &largest.shape);
    let scale = t.binary("divide", &largest, &most);
    let least = t.float(SCALE_MIN, &scale.shape);
    t.binary("maximum", &scale, &least)
}

/// `x / scale` as E4M3. Beyond the largest float of E4M3 it would be NaN: only a scale of the row's own needs no
/// bounds.
fn elements(t: &mut Text, x: &Value, scale: &Value, is_bounded: bool) -> Value {
    let one = t.float(1.0, &scale.shape);
    let inverse = t.binary("divide", &one, scale);
    let inverse = t.spread(&inverse, &x.shape);
    let mut parts = t.binary("multiply", x, &inverse);
    if is_bounded {
        let (low, high) = (t.float(-MOST, &x.shape), t.float(MOST, &x.shape));
        parts = t.binary("maximum", &parts, &low);
        parts = t.binary("minimum", &parts, &high);
    }
    t.convert(&parts, ElementType::F8E4M3FN)
}

#[cfg(test)]
mod tests {
    use super::super::settings::Fp8;
    use super::*;

    #[test]
    fn what_is_asked_for_stands_above_what_is_stored() {
        let format = |block, activations| Some(Format::Fp8(Fp8 { block, activations }));
        let of = |scales| Some(Activations { scales, most: None });
        let (tokens, stored) = (of(ActivationScales::Tokens), of(ActivationScales::Stored));
        use ActivationType::{AsStored, F8, Float};
        for (have, wanted, found) in [
            (format(None, stored), AsStored, Some(format(None, stored))),
            (format(None, stored), F8, Some(format(None, stored))),
            (format(None, None), F8, Some(format(None, tokens))),
            (format(Some([16, 32]), None), F8, Some(format(Some([16, 32]), of(ActivationScales::Inputs(32))))),
            (format(None, tokens), Float, Some(format(None, None))),
            (None, Float, Some(None)),
            (None, F8, None),
        ] {
            assert_eq!(asked(have, wanted), found);
        }
    }
}
