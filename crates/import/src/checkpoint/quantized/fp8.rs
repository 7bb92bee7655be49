//! Floats of 8 bits (E4M3) with scales: `w = element · scale`.
//!
//! | tensor | |
//! | --- | --- |
//! | `X.weight` | `[out, in]` of F8_E4M3 |
//! | `X.weight_scale` or `X.weight_scale_inv` | one; `[out, 1]`; of blocks `[⌈out / rows⌉, ⌈in / columns⌉]` |
//!
//! `weight_scale_inv` is multiplied by as well (DeepSeek V3 calls it so). Scales of activations are not used: products
//! are of floats.

use fornax_types::ElementType;

use super::super::function::Function;
use super::super::text::Value;
use super::Wanted;
use super::groups::block;
use super::settings::Fp8;
use crate::Diagnostic;

const SCALES: &[&str] = &[".weight_scale", ".weight_scale_inv"];

/// The matrix as f32 `[out, in]`; `None` where it is not of such floats.
pub fn matrix(f: &mut Function, settings: Fp8, wanted: Wanted) -> Result<Option<Value>, Box<Diagnostic>> {
    let Wanted { role, layer, out, inputs, .. } = wanted;
    let checkpoint = f.checkpoint();
    let Some((name, stored)) = checkpoint.part(role, layer, ".weight") else { return Ok(None) };
    if stored.kind.element != Some(ElementType::F8E4M3FN) {
        return Ok(None);
    }
    if wanted.inputs_first {
        return Err(
            checkpoint.failed("FX1014", format!("tensor `{name}` has elements F8_E4M3 by inputs; known: by outputs"))
        );
    }
    checkpoint.check_shape(&name, &stored, &[out, inputs])?;
    let scale = SCALES.iter().find_map(|end| checkpoint.part(role, layer, end));
    let Some((scale_name, scale)) = scale else {
        let what = format!("tensor `{name}` has elements F8_E4M3, but there is no `weight_scale` beside it");
        return Err(checkpoint.failed("FX1013", what));
    };
    checkpoint.check_floats(&scale_name, &scale)?;
    let of_outputs = scale.shape == [out] || scale.shape == [out, 1];
    match settings.block {
        Some([rows, columns]) => {
            checkpoint.check_shape(&scale_name, &scale, &[out.div_ceil(rows), inputs.div_ceil(columns)])?;
        }
        None if of_outputs || scale.shape.iter().product::<u64>() == 1 => {}
        None => checkpoint.check_shape(&scale_name, &scale, &[out, 1])?,
    }
    let elements = f.part(role, &(name, stored), 0);
    let scale = f.part(role, &(scale_name, scale), 0);
    let text = &mut f.text;
    let scale = text.convert(&scale, ElementType::F32);
    let Some([rows, columns]) = settings.block else {
        let elements = text.convert(&elements, ElementType::F32);
        let scale = match of_outputs {
            true => text.reshape(&scale, &[out]),
            false => text.reshape(&scale, &[]),
        };
        let scale = text.spread(&scale, &elements.shape.clone());
        return Ok(Some(text.binary("multiply", &elements, &scale)));
    };
    // Scales of each output: few, so that a product reads them by rows.
    let cut = block(inputs, columns);
    let scale = text.transpose(&scale, &[1, 0]);
    let scale = text.repeat_last(&scale, rows, out);
    let scale = text.transpose(&scale, &[1, 0]);
    let scale = text.repeat_last(&scale, columns / cut, inputs / cut);
    let shape = [out, inputs / cut, cut];
    let elements = text.reshape(&elements, &shape);
    let elements = text.convert(&elements, ElementType::F32);
    let scale = text.spread(&scale, &shape);
    let weights = text.binary("multiply", &elements, &scale);
    Ok(Some(text.reshape(&weights, &[out, inputs])))
}
