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

use fornax_types::ElementType;

use super::super::function::Function;
use super::super::source::Checkpoint;
use super::super::text::{Text, Value};
use super::Wanted;
use super::groups::{Grouped, block, unpacked};
use super::settings::Gptq;
use crate::Diagnostic;

/// The operands of `x · wᵀ`, `x` and the matrix as f32; `None` where the matrix is plain.
pub fn operands(
    f: &mut Function,
    settings: Gptq,
    (x, wanted): (&Value, Wanted),
) -> Result<Option<(Value, Value)>, Box<Diagnostic>> {
    let Wanted { role, layer, out, inputs, .. } = wanted;
    let checkpoint = f.checkpoint();
    if checkpoint.part(role, layer, ".qweight").is_none() {
        return Ok(None);
    }
    let (bits, group) = (settings.bits, settings.group.size(inputs));
    let (each, groups) = (32 / bits, inputs.div_ceil(group));
    check_sizes(checkpoint, settings, wanted)?;
    let words = checkpoint.required_part((role, layer, ".qweight"), ElementType::I32, &[inputs / each, out])?;
    let zeros = checkpoint.required_part((role, layer, ".qzeros"), ElementType::I32, &[groups, out / each])?;
    let scales = checkpoint.required_floats((role, layer, ".scales"), &[groups, out])?;
    let order = order(f, settings, wanted)?;
    let [words, zeros, scales] = [words, zeros, scales].map(|part| f.part(role, &part, 1));
    let text = &mut f.text;
    let zeros = unpacked(text, &zeros, bits);
    let zeros = text.reshape(&zeros, &[groups, out]);
    let zeros = plus(text, &zeros, settings);
    let elements = unpacked(text, &words, bits);
    let (elements, x) = match order {
        None => {
            let transposed = text.transpose(&elements, &[1, 0, 2]);
            (text.reshape(&transposed, &[out, inputs]), x.clone())
        }
        Some(order) => {
            let transposed = text.transpose(&elements, &[0, 2, 1]);
            let rows = text.reshape(&transposed, &[inputs, out]);
            let rows = text.rows(&rows, &order);
            (text.transpose(&rows, &[1, 0]), text.columns(x, &order))
        }
    };
    let grouped = Grouped { out, inputs, group, bits, elements: &elements, scales: &scales, zeros: &zeros };
    let weights = grouped.matrix(text);
    Ok(Some((x, weights)))
}

fn check_sizes(checkpoint: &Checkpoint, settings: Gptq, wanted: Wanted) -> Result<(), Box<Diagnostic>> {
    let Wanted { role, layer, out, inputs, .. } = wanted;
    let (each, group) = (32 / settings.bits, settings.group.size(inputs));
    if inputs.is_multiple_of(each) && out.is_multiple_of(each) && block(inputs, group).is_multiple_of(2) {
        return Ok(());
    }
    let name = checkpoint.part(role, layer, ".qweight").map_or_else(String::new, |found| found.0);
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
    if !settings.listed && listed.iter().zip(0..).all(|(&number, at): (_, u64)| u64::from(number) == at / group) {
        return Ok(None);
    }
    let numbers = f.parameter(&name, &stored, None);
    Ok(Some(f.text.order(&numbers)))
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
