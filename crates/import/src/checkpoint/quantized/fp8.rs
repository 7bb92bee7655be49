//! Floats of 8 bits (E4M3) with scales: `w = element · scale`.
//!
//! | tensor | |
//! | --- | --- |
//! | `X.weight` | `[out, in]` of F8_E4M3 |
//! | `X.weight_scale` or `X.weight_scale_inv` | one; `[out, 1]`; of blocks `[⌈out / rows⌉, ⌈in / columns⌉]` |
//!
//! `weight_scale_inv` is multiplied by as well (DeepSeek V3 calls it so). Where activations have 8 bits too
//! (`activations`), products are of the elements as they lie, and scales come behind them. Scales of blocks change
//! along the inputs: there a product is of floats, of what the 8 bits of both operands stand for.

use fornax_types::ElementType;

use super::super::function::Function;
use super::super::text::{Text, Value};
use super::activations;
use super::groups::block;
use super::settings::{ActivationScales, Fp8};
use super::{Operands, Wanted};
use crate::Diagnostic;

const SCALES: &[&str] = &[".weight_scale", ".weight_scale_inv"];

/// A matrix as it lies.
struct Stored8 {
    /// `[out, in]`.
    elements: Value,
    /// f32, of as many dimensions as the folder has.
    scale: Value,
    /// One scale for each output, not one for all.
    of_outputs: bool,
}

/// The operands of `x · wᵀ`; `None` where the matrix is not of such floats.
///
/// # Errors
/// FX1013, FX1014.
pub fn operands(
    f: &mut Function,
    settings: Fp8,
    (x, wanted): (&Value, Wanted),
) -> Result<Option<Operands>, Box<Diagnostic>> {
    let Some(matrix) = stored(f, settings, wanted)? else { return Ok(None) };
    // With few rows, too, so that a product reads fewer bytes of them beside those of the matrix.
    let x = f.as_operand(x);
    let Some(activations) = settings.activations else {
        let weights = floats(&mut f.text, settings, (matrix, wanted));
        return Ok(Some(Operands::Floats { x, weights }));
    };
    if let (ActivationScales::Inputs(inputs), _) | (_, Some([_, inputs])) = (activations.scales, settings.block) {
        let x = activations::rounded(&mut f.text, &x, inputs);
        let weights = floats(&mut f.text, settings, (matrix, wanted));
        return Ok(Some(Operands::Floats { x, weights }));
    }
    let quantized = activations::quantized(f, activations, (&x, wanted))?;
    let shape: &[u64] = if matrix.of_outputs { &[wanted.out] } else { &[] };
    let scale = f.text.reshape(&matrix.scale, shape);
    let scales = [quantized.scale, scale];
    Ok(Some(Operands::Scaled { x: quantized.elements, weights: matrix.elements, scales }))
}

/// The tensors of a matrix; `None` where it is not of such floats.
fn stored(f: &mut Function, settings: Fp8, wanted: Wanted) -> Result<Option<Stored8>, Box<Diagnostic>> {
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
    let scale = f.text.convert(&scale, ElementType::F32);
    Ok(Some(Stored8 { elements, scale, of_outputs }))
}

/// The matrix as f32 `[out, in]`.
fn floats(text: &mut Text, settings: Fp8, (matrix, wanted): (Stored8, Wanted)) -> Value {
    let (Stored8 { elements, scale, of_outputs }, Wanted { out, inputs, .. }) = (matrix, wanted);
    let Some([rows, columns]) = settings.block else {
        let elements = text.convert(&elements, ElementType::F32);
        let scale = match of_outputs {
            true => text.reshape(&scale, &[out]),
            false => text.reshape(&scale, &[]),
        };
        let scale = text.spread(&scale, &elements.shape.clone());
        return text.binary("multiply", &elements, &scale);
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
    text.reshape(&weights, &[out, inputs])
}
