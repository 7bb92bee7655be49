//! GPTQ: whole numbers, several inputs in a word of 32 bits, the first in the lowest bits.
//!
//! | tensor | with `n = 32 / bits` |
//! | --- | --- |
//! | `X.qweight` | `[in / n, out]` of I32: inputs `n·r` to `n·r + n - 1` of an output |
//! | `X.qzeros` | `[groups, out / n]` of I32, one less than zeros are in the first version of the format |
//! | `X.scales` | `[groups, out]` of floats |
//! | `X.g_idx` | `[in]` of I32: each input's group; without `desc_act` `i / group_size`, and not needed |
//!
//! Zeros have `bits` bits: the one that is added does not carry (AutoGPTQ's `qlinear_cuda` masks the sum).
//!
//! Where groups are listed, inputs are put in the order of their groups ([`order`](super::order)).

use fornax_types::ElementType;

use super::super::function::Function;
use super::super::names::Role;
use super::super::source::{Checkpoint, Stored};
use super::super::text::{Text, Value};
use super::Wanted;
use super::groups::{Grouped, block, unpacked};
use super::matrices::Matrices;
use super::order::{order, ordered};
use super::settings::Gptq;
use crate::Diagnostic;

/// The operands of `x · wᵀ`, `x` and the matrix as f32; `None` where the matrix is plain.
pub fn operands(
    f: &mut Function,
    settings: Gptq,
    (x, wanted): (&Value, Wanted),
) -> Result<Option<(Value, Value)>, Box<Diagnostic>> {
    let Wanted { role, layer, out, inputs, .. } = wanted;
    let of = Matrices { role, layer, experts: None, out, inputs };
    let checkpoint = f.checkpoint();
    if of.part(checkpoint, ".qweight")?.is_none() {
        return Ok(None);
    }
    let tensors = tensors(checkpoint, settings, of)?;
    let order = order(f, settings, of)?;
    let parts = Parts::of(f, settings, of, &tensors);
    let text = &mut f.text;
    let elements = parts.elements(text, order.as_ref());
    let x = order.map_or_else(|| x.clone(), |order| text.columns(x, &order));
    let weights = parts.grouped(&elements).matrix(text, None);
    Ok(Some((x, weights)))
}

/// The experts' matrices `[count, out, in]` of a layer as f32, or those with the numbers `picked`; `None` where they
/// are plain.
///
/// # Errors
/// FX1013, FX1014.
pub fn experts(
    f: &mut Function,
    settings: Gptq,
    (role, layer): (Role, u64),
    ([count, out, inputs], picked): ([u64; 3], Option<&Value>),
) -> Result<Option<Value>, Box<Diagnostic>> {
    let of = Matrices { role, layer, experts: Some(count), out, inputs };
    let checkpoint = f.checkpoint();
    if of.part(checkpoint, ".qweight")?.is_none() {
        return Ok(None);
    }
    let tensors = tensors(checkpoint, settings, of)?;
    let order = order(f, settings, of)?;
    let parts = Parts::of(f, settings, of, &tensors);
    let elements = parts.elements(&mut f.text, order.as_ref());
    Ok(Some(parts.grouped(&elements).matrix(&mut f.text, picked)))
}

/// The order of the inputs of a layer's experts `[count, in]`; `None` where they are in it, or plain.
///
/// # Errors
/// FX1013, FX1014.
pub fn order_of_experts(
    f: &mut Function,
    settings: Gptq,
    (role, layer): (Role, u64),
    [count, out, inputs]: [u64; 3],
) -> Result<Option<Value>, Box<Diagnostic>> {
    let of = Matrices { role, layer, experts: Some(count), out, inputs };
    if of.part(f.checkpoint(), ".qweight")?.is_none() {
        return Ok(None);
    }
    order(f, settings, of)
}

/// Words, zeros and scales of a matrix or of experts.
struct Parts {
    of: Matrices,
    settings: Gptq,
    words: Value,
    zeros: Value,
    scales: Value,
}

/// The tensors of [`Parts`].
fn tensors(checkpoint: &Checkpoint, settings: Gptq, of: Matrices) -> Result<[(String, Stored); 3], Box<Diagnostic>> {
    let Matrices { out, inputs, .. } = of;
    let (each, groups) = (32 / settings.bits, inputs.div_ceil(settings.group.size(inputs)));
    check_sizes(checkpoint, settings, of)?;
    let words = Some(ElementType::I32);
    Ok([
        of.required(checkpoint, (".qweight", words), &[inputs / each, out])?,
        of.required(checkpoint, (".qzeros", words), &[groups, out / each])?,
        of.required(checkpoint, (".scales", None), &[groups, out])?,
    ])
}

impl Parts {
    fn of(f: &mut Function, settings: Gptq, of: Matrices, tensors: &[(String, Stored); 3]) -> Parts {
        let [words, zeros, scales] = tensors.each_ref().map(|part| f.part(of.role, part, of.outer() + 1));
        let text = &mut f.text;
        let groups = of.inputs.div_ceil(settings.group.size(of.inputs));
        let zeros = unpacked(text, &zeros, settings.bits);
        let zeros = text.reshape(&zeros, &of.shape(&[groups, of.out]));
        let zeros = plus(text, &zeros, settings);
        Parts { of, settings, words, zeros, scales }
    }

    /// `[out, in]` of ui8, with inputs in an order (`None`: that of the words).
    fn elements(&self, text: &mut Text, order: Option<&Value>) -> Value {
        let elements = unpacked(text, &self.words, self.settings.bits);
        let Some(order) = order else {
            let transposed = text.transpose(&elements, &self.of.order(&[1, 0, 2]));
            return text.reshape(&transposed, &self.of.shape(&[self.of.out, self.of.inputs]));
        };
        let transposed = text.transpose(&elements, &self.of.order(&[0, 2, 1]));
        let rows = text.reshape(&transposed, &self.of.shape(&[self.of.inputs, self.of.out]));
        ordered(text, self.of, &rows, order)
    }

    fn grouped<'a>(&'a self, elements: &'a Value) -> Grouped<'a> {
        let (of, group) = (self.of, self.settings.group.size(self.of.inputs));
        Grouped { of, group, bits: self.settings.bits, elements, scales: &self.scales, zeros: &self.zeros }
    }
}

fn check_sizes(checkpoint: &Checkpoint, settings: Gptq, of: Matrices) -> Result<(), Box<Diagnostic>> {
    let Matrices { out, inputs, .. } = of;
    let (each, group) = (32 / settings.bits, settings.group.size(inputs));
    if inputs.is_multiple_of(each) && out.is_multiple_of(each) && block(inputs, group).is_multiple_of(2) {
        return Ok(());
    }
    let name = of.name(checkpoint, ".qweight");
    let what =
        format!("tensor `{name}`: {inputs} inputs in groups of {group} and {out} outputs; multiples of {each} can be");
    Err(checkpoint.failed("FX1014", what))
}

/// What zeros are, of what the file has.
fn plus(text: &mut Text, zeros: &Value, settings: Gptq) -> Value {
    if settings.zeros_plus == 0 {
        return zeros.clone();
    }
    let sum = text.binary_with("add", zeros, &settings.zeros_plus.to_string());
    if settings.bits == 8 { sum } else { text.binary_with("and", &sum, "15") }
}
