//! Quantised matrices of Hugging Face's folders, as `quantization_config` says that they lie there.
//!
//! Each is a few tensors: elements, scales, perhaps zeros and groups. They are parameters of their stored bytes; what
//! a matrix is made of them is computed by ordinary ops. Whether one matrix is quantised is seen from its tensors:
//! folders keep some of them as floats.
//!
//! How to add a format: a variant of [`Format`] with its settings in `settings.rs`, and a file that reads its tensors.

mod activations;
mod awq;
mod expert_scales;
mod fp8;
mod gptq;
mod groups;
mod matrices;
mod order;
mod settings;
mod stored_scales;

pub use self::activations::{ACTIVATION_TYPES, ActivationType, asked};
pub use self::expert_scales::{Rows, Scales};
pub use self::order::{for_each, of_each};
pub use self::settings::{Format, describe};
use super::function::Function;
use super::names::Role;
use super::text::Value;
use crate::Diagnostic;

/// What elements of a quantised matrix may lie in, instead of `.weight`.
pub const ELEMENTS: &[&str] = &[".qweight"];

/// A matrix that is asked for: `[out, in]`.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    pub role: Role,
    pub layer: u64,
    pub out: u64,
    pub inputs: u64,
    /// Whether plain matrices of the layers are `[in, out]`.
    pub inputs_first: bool,
}

/// A product's operands: `x` may have its columns in another order.
pub enum Operands {
    /// `weights` are `[out, in]` of f32.
    Floats { x: Value, weights: Value },
    /// Both of E4M3. The product is multiplied by `scales`: that of rows, or of all, and that of outputs, or of all.
    Scaled { x: Value, weights: Value, scales: [Value; 2] },
}

/// The operands of `x · wᵀ` where `w` is quantised; `None` where it is plain.
///
/// # Errors
/// FX1013 and FX1014 for tensors that are missing, have another shape or elements that cannot be.
pub fn operands(f: &mut Function, x: &Value, wanted: Wanted) -> Result<Option<Operands>, Box<Diagnostic>> {
    let Some(format) = f.checkpoint().quantized() else { return Ok(None) };
    let floats = |(x, weights): (Value, Value)| Operands::Floats { x, weights };
    match format {
        Format::Fp8(settings) => fp8::operands(f, settings, (x, wanted)),
        Format::Gptq(settings) => Ok(gptq::operands(f, settings, (x, wanted))?.map(floats)),
        Format::Awq(settings) => Ok(awq::matrix(f, settings, wanted)?.map(|weights| floats((x.clone(), weights)))),
    }
}

/// The matrices of a layer's experts as f32, or those with the numbers `picked`, where they are quantised.
///
/// # Errors
/// As [`operands`].
pub fn experts(
    f: &mut Function,
    place: (Role, u64),
    (shape, picked): ([u64; 3], Option<&Value>),
) -> Result<Option<Value>, Box<Diagnostic>> {
    match f.checkpoint().quantized() {
        Some(Format::Fp8(settings)) => fp8::experts(f, settings, place, (shape, picked)),
        Some(Format::Gptq(settings)) => gptq::experts(f, settings, place, (shape, picked)),
        Some(Format::Awq(settings)) => awq::experts(f, settings, place, (shape, picked)),
        None => Ok(None),
    }
}

/// The order of the inputs of a layer's experts, `[count, in]` of i32, where their matrices have them in one of each;
/// `shape` is `[count, out, in]`.
///
/// # Errors
/// As [`operands`].
pub fn order_of_experts(
    f: &mut Function,
    place: (Role, u64),
    shape: [u64; 3],
) -> Result<Option<Value>, Box<Diagnostic>> {
    match f.checkpoint().quantized() {
        Some(Format::Gptq(settings)) => gptq::order_of_experts(f, settings, place, shape),
        Some(Format::Fp8(_) | Format::Awq(_)) | None => Ok(None),
    }
}

/// The matrices of a layer's experts as they lie, or those with the numbers `picked`, with their scales, where products
/// are of E4M3.
///
/// # Errors
/// As [`operands`].
pub fn narrow_experts(
    f: &mut Function,
    place: (Role, u64),
    which: ([u64; 3], Option<&Value>),
) -> Result<Option<(Value, Scales)>, Box<Diagnostic>> {
    match f.checkpoint().quantized() {
        Some(Format::Fp8(settings)) => expert_scales::matrices(f, settings, place, which),
        Some(Format::Gptq(_) | Format::Awq(_)) | None => Ok(None),
    }
}

/// What so many experts of a layer multiply, as their format holds it.
///
/// # Errors
/// As [`operands`].
pub fn of_experts(f: &mut Function, place: (Role, u64, u64), x: &Value) -> Result<Value, Box<Diagnostic>> {
    match f.checkpoint().quantized() {
        Some(Format::Fp8(settings)) => fp8::of_experts(f, settings, place, x),
        Some(Format::Gptq(_) | Format::Awq(_)) | None => Ok(x.clone()),
    }
}

/// The rows `[tokens, in]` that so many experts of a layer multiply, their gates and ups.
///
/// # Errors
/// As [`operands`].
pub fn rows_of_experts(f: &mut Function, (layer, count): (u64, u64), x: &Value) -> Result<Rows, Box<Diagnostic>> {
    let x = of_experts(f, (Role::ExpertGates, layer, count), x)?;
    let narrow = match f.checkpoint().quantized() {
        Some(Format::Fp8(settings)) => expert_scales::shared(f, settings, (layer, count), &x)?,
        Some(Format::Gptq(_) | Format::Awq(_)) | None => None,
    };
    Ok(Rows { x, narrow })
}
