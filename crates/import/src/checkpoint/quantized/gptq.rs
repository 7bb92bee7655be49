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
//! Where groups are listed, inputs are put in the order of their groups: those of `x` in every call, those of the
//! weights once, at load.

use std::io::Read;

use fornax_checkpoint::stacks;
use fornax_types::ElementType;

use super::super::function::Function;
use super::super::names::Role;
use super::super::source::{Checkpoint, Stored};
use super::super::text::{Text, Value};
use super::Wanted;
use super::groups::{Grouped, block, unpacked};
use super::matrices::Matrices;
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
    let order = order(f, settings, wanted)?;
    let parts = Parts::of(f, settings, of, &tensors);
    let text = &mut f.text;
    let (elements, x) = match order {
        None => (parts.elements(text), x.clone()),
        Some(order) => {
            let elements = unpacked(text, &parts.words, settings.bits);
            let transposed = text.transpose(&elements, &[0, 2, 1]);
            let rows = text.reshape(&transposed, &[inputs, out]);
            let rows = text.rows(&rows, &order);
            (text.transpose(&rows, &[1, 0]), text.columns(x, &order))
        }
    };
    let weights = parts.grouped(&elements).matrix(text, None);
    Ok(Some((x, weights)))
}

/// The experts' matrices `[count, out, in]` of a layer as f32, or those with the numbers `picked`; `None` where they
/// are plain.
///
/// # Errors
/// FX1013, FX1014, and FX1015 where groups do not follow each other: each expert would have an order of its own.
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
    check_in_order(checkpoint, settings, of)?;
    let parts = Parts::of(f, settings, of, &tensors);
    let elements = parts.elements(&mut f.text);
    Ok(Some(parts.grouped(&elements).matrix(&mut f.text, picked)))
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

    /// `[out, in]` of ui8, in the order of the words.
    fn elements(&self, text: &mut Text) -> Value {
        let elements = unpacked(text, &self.words, self.settings.bits);
        let transposed = text.transpose(&elements, &self.of.order(&[1, 0, 2]));
        text.reshape(&transposed, &self.of.shape(&[self.of.out, self.of.inputs]))
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

/// The inputs in the order of their groups; `None` where they are in it.
fn order(f: &mut Function, settings: Gptq, wanted: Wanted) -> Result<Option<Value>, Box<Diagnostic>> {
    let Wanted { role, layer, inputs, .. } = wanted;
    let checkpoint = f.checkpoint();
    if checkpoint.part(role, layer, ".g_idx").is_none() && !settings.listed {
        return Ok(None);
    }
    let (name, stored) = checkpoint.required_part((role, layer, ".g_idx"), ElementType::I32, &[inputs])?;
    let group = settings.group.size(inputs);
    let listed = group_numbers(checkpoint, &name, inputs)?;
    check_groups(checkpoint, &name, &listed, group)?;
    if !settings.listed && is_in_order(&listed, group) {
        return Ok(None);
    }
    let numbers = f.parameter(&name, &stored, None);
    Ok(Some(f.text.order(&numbers)))
}

/// Whether the inputs of each group follow those of the one before.
fn is_in_order(listed: &[u32], group: u64) -> bool {
    listed.iter().zip(0..).all(|(&number, at): (_, u64)| u64::from(number) == at / group)
}

/// # Errors
/// FX1015 where an expert's groups do not follow each other, FX1013 where they are not listed and should be, FX1014
/// where a list is none of groups.
fn check_in_order(checkpoint: &Checkpoint, settings: Gptq, of: Matrices) -> Result<(), Box<Diagnostic>> {
    let group = settings.group.size(of.inputs);
    let listed = of.part(checkpoint, ".g_idx")?.is_some();
    if group == of.inputs || !listed && !settings.listed {
        return Ok(());
    }
    let (stack, _) = of.required(checkpoint, (".g_idx", Some(ElementType::I32)), &[of.inputs])?;
    for expert in 0..of.experts.unwrap_or(1) {
        let name = stacks::part(&stack, expert);
        let numbers = group_numbers(checkpoint, &name, of.inputs)?;
        check_groups(checkpoint, &name, &numbers, group)?;
        if !is_in_order(&numbers, group) {
            let what = format!("tensor `{name}`: groups of inputs in another order (desc_act); of experts in theirs");
            return Err(checkpoint.failed("FX1015", what));
        }
    }
    Ok(())
}

/// The numbers of a list of groups. Negative ones come out of range.
fn group_numbers(checkpoint: &Checkpoint, name: &str, inputs: u64) -> Result<Vec<u32>, Box<Diagnostic>> {
    let mut bytes = Vec::new();
    checkpoint
        .data(name)?
        .take(inputs * 4)
        .read_to_end(&mut bytes)
        .map_err(|error| checkpoint.failed("FX1014", format!("tensor `{name}`: {error}")))?;
    let number = |bytes: &[u8]| u32::from_le_bytes(bytes.first_chunk().copied().unwrap_or([u8::MAX; 4]));
    Ok(bytes.chunks(4).map(number).collect())
}

/// # Errors
/// FX1014 where a group is not there, or has not as many inputs as it must.
fn check_groups(checkpoint: &Checkpoint, name: &str, listed: &[u32], group: u64) -> Result<(), Box<Diagnostic>> {
    let refuse = |what: String| Err(checkpoint.failed("FX1014", format!("tensor `{name}`: {what}")));
    let inputs = listed.len() as u64;
    let groups = inputs.div_ceil(group);
    let mut counts = vec![0u64; groups as usize];
    for (at, &number) in listed.iter().enumerate() {
        match counts.get_mut(number as usize) {
            Some(count) => *count += 1,
            None => return refuse(format!("input {at} is of group {}; there are {groups}", number.cast_signed())),
        }
    }
    for (number, count) in (0..).zip(counts) {
        let wanted = group.min(inputs - number * group);
        if count != wanted {
            return refuse(format!("group {number} has {count} inputs; {wanted} are wanted"));
        }
    }
    Ok(())
}
