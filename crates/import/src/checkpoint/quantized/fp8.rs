//! Floats of 8 bits (E4M3) with scales: `w = element · scale`.
//!
//! | tensor | |
//! | --- | --- |
//! | `X.weight` | `[out, in]` of F8_E4M3 |
//! | `X.weight_scale` or `X.weight_scale_inv` | one; `[out, 1]`; of blocks `[⌈out / rows⌉, ⌈in / columns⌉]` |
//!
//! `weight_scale_inv` is multiplied by as well (DeepSeek V3 calls it so). Where activations have 8 bits too
//! (`activations`), products are of the elements as they lie, and scales come behind them. Scales of blocks change
//! along the inputs: there a product is of floats, of what the 8 bits of both operands stand for. Experts' tensors are
//! read as stacks, and their products are the same ([`expert_scales`](super::expert_scales)).

use fornax_checkpoint::stacks::is_stack;
use fornax_types::ElementType;

use super::super::function::Function;
use super::super::names::Role;
use super::super::source::{Checkpoint, Stored};
use super::super::text::{Text, Value};
use super::activations;
use super::groups::block;
use super::settings::{ActivationScales, Fp8};
use super::{Operands, Wanted};
use crate::Diagnostic;

const SCALES: &[&str] = &[".weight_scale", ".weight_scale_inv"];

/// A matrix as it lies, or those of several experts.
pub struct Stored8 {
    /// `[out, in]`, behind the number of the expert.
    pub elements: Value,
    /// f32, of as many dimensions as the folder has.
    pub scale: Value,
    /// One scale for each output, not one for all.
    pub of_outputs: bool,
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
        let weights = floats(&mut f.text, settings, matrix);
        return Ok(Some(Operands::Floats { x, weights }));
    };
    if let (ActivationScales::Inputs(inputs), _) | (_, Some([_, inputs])) = (activations.scales, settings.block) {
        let x = activations::rounded(&mut f.text, &x, inputs);
        let weights = floats(&mut f.text, settings, matrix);
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
        return Err(without_scale(checkpoint, &name));
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

/// The experts' matrices `[count, out, in]` of a layer as f32, or those with the numbers `picked`; `None` where they
/// are not of such floats.
///
/// # Errors
/// FX1013, FX1014.
pub fn experts(
    f: &mut Function,
    settings: Fp8,
    place: (Role, u64),
    which: ([u64; 3], Option<&Value>),
) -> Result<Option<Value>, Box<Diagnostic>> {
    let matrices = stored_experts(f, settings, place, which)?;
    Ok(matrices.map(|matrices| floats(&mut f.text, settings, matrices)))
}

/// The same as they lie.
///
/// # Errors
/// FX1013, FX1014.
pub fn stored_experts(
    f: &mut Function,
    settings: Fp8,
    (role, layer): (Role, u64),
    (shape, picked): ([u64; 3], Option<&Value>),
) -> Result<Option<Stored8>, Box<Diagnostic>> {
    let [count, out, inputs] = shape;
    let checkpoint = f.checkpoint();
    let Some((name, stored)) = stack(checkpoint, (role, layer), count)? else { return Ok(None) };
    checkpoint.check_shape(&name, &stored, &shape)?;
    let mut scale = None;
    for end in SCALES {
        scale = scale.or(checkpoint.stacked_part((role, layer, end), count)?);
    }
    let Some((scale_name, scale)) = scale else { return Err(without_scale(checkpoint, &name)) };
    checkpoint.check_floats(&scale_name, &scale)?;
    let of_outputs = scale.shape == [count, out] || scale.shape == [count, out, 1];
    match settings.block {
        Some([rows, columns]) => {
            let blocks = [count, out.div_ceil(rows), inputs.div_ceil(columns)];
            checkpoint.check_shape(&scale_name, &scale, &blocks)?;
        }
        None if of_outputs || scale.shape.iter().product::<u64>() == count => {}
        None => checkpoint.check_shape(&scale_name, &scale, &[count, out, 1])?,
    }
    let mut elements = f.part(role, &(name, stored), 1);
    let scale = f.part(role, &(scale_name, scale), 1);
    let t = &mut f.text;
    let mut scale = t.convert(&scale, ElementType::F32);
    if let Some(numbers) = picked {
        elements = t.rows(&elements, numbers);
        scale = t.rows(&scale, numbers);
    }
    Ok(Some(Stored8 { elements, scale, of_outputs }))
}

/// What experts multiply `[…, in]`, as operands hold it, where the experts' matrices are of such floats and activations
/// are too; where scales change along the inputs, as far as activations of 8 bits hold it.
///
/// # Errors
/// FX1013, FX1014.
pub fn of_experts(
    f: &mut Function,
    settings: Fp8,
    (role, layer, count): (Role, u64, u64),
    x: &Value,
) -> Result<Value, Box<Diagnostic>> {
    let Some(activations) = settings.activations else { return Ok(x.clone()) };
    if stack(f.checkpoint(), (role, layer), count)?.is_none() {
        return Ok(x.clone());
    }
    let x = f.as_operand(x);
    let inputs = match (activations.scales, settings.block) {
        (ActivationScales::Inputs(inputs), _) | (_, Some([_, inputs])) => inputs,
        (ActivationScales::Tokens | ActivationScales::Stored, None) => return Ok(x),
    };
    let rows: u64 = x.outer().iter().product();
    let flat = f.text.reshape(&x, &[rows, x.last()]);
    let flat = activations::rounded(&mut f.text, &flat, inputs);
    Ok(f.text.reshape(&flat, &x.shape))
}

/// The stack of experts' elements, a tensor of each, where they are floats of 8 bits.
pub fn stack(
    checkpoint: &Checkpoint,
    (role, layer): (Role, u64),
    count: u64,
) -> Result<Option<(String, Stored)>, Box<Diagnostic>> {
    let found = checkpoint.stacked_part((role, layer, ".weight"), count)?;
    let is_meant =
        |(name, stored): &(String, Stored)| is_stack(name) && stored.kind.element == Some(ElementType::F8E4M3FN);
    Ok(found.filter(is_meant))
}

fn without_scale(checkpoint: &Checkpoint, name: &str) -> Box<Diagnostic> {
    let what = format!("tensor `{name}` has elements F8_E4M3, but there is no `weight_scale` beside it");
    checkpoint.failed("FX1013", what)
}

/// A matrix `[out, in]` as f32, or several.
fn floats(text: &mut Text, settings: Fp8, matrix: Stored8) -> Value {
    let Stored8 { elements, scale, of_outputs } = matrix;
    let (outer, inputs) = (elements.outer().to_vec(), elements.last());
    let (out, several) = outer.split_last().map_or((1, &[][..]), |(out, several)| (*out, several));
    let Some([rows, columns]) = settings.block else {
        let elements = text.convert(&elements, ElementType::F32);
        let scale = text.reshape(&scale, if of_outputs { &outer } else { several });
        let scale = text.spread(&scale, &elements.shape.clone());
        return text.binary("multiply", &elements, &scale);
    };
    // Scales of each output: few, so that a product reads them by rows.
    let cut = block(inputs, columns);
    let mut order: Vec<usize> = (0..=outer.len()).collect();
    order.swap(outer.len() - 1, outer.len());
    let scale = text.transpose(&scale, &order);
    let scale = text.repeat_last(&scale, rows, out);
    let scale = text.transpose(&scale, &order);
    let scale = text.repeat_last(&scale, columns / cut, inputs / cut);
    let shape: Vec<u64> = outer.iter().copied().chain([inputs / cut, cut]).collect();
    let whole = elements.shape.clone();
    let elements = text.reshape(&elements, &shape);
    let elements = text.convert(&elements, ElementType::F32);
    let scale = text.spread(&scale, &shape);
    let weights = text.binary("multiply", &elements, &scale);
    text.reshape(&weights, &whole)
}
