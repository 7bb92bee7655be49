//! AWQ, for its GEMM kernels: whole numbers of 4 bits, eight outputs in a word of 32 bits.
//!
//! | tensor | |
//! | --- | --- |
//! | `X.qweight` | `[in, out / 8]` of I32 |
//! | `X.qzeros` | `[groups, out / 8]` of I32 |
//! | `X.scales` | `[groups, out]` of floats |
//!
//! From the lowest bits on a word has outputs 0, 2, 4, 6, 1, 3, 5, 7 of its eight.

use fornax_types::ElementType;

use super::super::function::Function;
use super::super::text::{Text, Value};
use super::Wanted;
use super::groups::{Grouped, block, unpacked};
use super::settings::Awq;
use crate::Diagnostic;

/// The matrix as f32 `[out, in]`; `None` where it is plain.
pub fn matrix(f: &mut Function, settings: Awq, wanted: Wanted) -> Result<Option<Value>, Box<Diagnostic>> {
    let Wanted { role, layer, out, inputs, .. } = wanted;
    let checkpoint = f.checkpoint();
    let Some((name, _)) = checkpoint.part(role, layer, ".qweight") else { return Ok(None) };
    let group = settings.group.size(inputs);
    let groups = inputs.div_ceil(group);
    if !out.is_multiple_of(8) || !block(inputs, group).is_multiple_of(2) {
        let what = format!(
            "tensor `{name}`: {inputs} inputs in groups of {group} and {out} outputs; multiples of 2 and 8 can be"
        );
        return Err(checkpoint.failed("FX1014", what));
    }
    let words = checkpoint.required_part((role, layer, ".qweight"), ElementType::I32, &[inputs, out / 8])?;
    let zeros = checkpoint.required_part((role, layer, ".qzeros"), ElementType::I32, &[groups, out / 8])?;
    let scales = checkpoint.required_floats((role, layer, ".scales"), &[groups, out])?;
    let [words, zeros, scales] = [words, zeros, scales].map(|part| f.part(role, &part, 1));
    let text = &mut f.text;
    let elements = outputs(text, &words);
    let elements = text.transpose(&elements, &[1, 0]);
    let zeros = outputs(text, &zeros);
    let grouped = Grouped { out, inputs, group, bits: 4, elements: &elements, scales: &scales, zeros: &zeros };
    Ok(Some(grouped.matrix(text)))
}

/// `[rows, out]` of ui8 from `[rows, out / 8]` of words: the first four of a word are the even outputs.
fn outputs(text: &mut Text, words: &Value) -> Value {
    let rows = words.shape.first().copied().unwrap_or(1);
    let elements = unpacked(text, words, 4);
    let halves = text.reshape(&elements, &[rows, words.last(), 2, 4]);
    let pairs = text.transpose(&halves, &[0, 1, 3, 2]);
    text.reshape(&pairs, &[rows, 8 * words.last()])
}
