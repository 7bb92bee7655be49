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
use super::super::names::Role;
use super::super::text::{Text, Value};
use super::Wanted;
use super::groups::{Grouped, block, unpacked};
use super::matrices::Matrices;
use super::settings::Awq;
use crate::Diagnostic;

/// The matrix as f32 `[out, in]`; `None` where it is plain.
///
/// # Errors
/// FX1013, FX1014.
pub fn matrix(f: &mut Function, settings: Awq, wanted: Wanted) -> Result<Option<Value>, Box<Diagnostic>> {
    let Wanted { role, layer, out, inputs, .. } = wanted;
    matrices(f, settings, Matrices { role, layer, experts: None, out, inputs }, None)
}

/// The experts' matrices `[count, out, in]` of a layer as f32, or those with the numbers `picked`; `None` where they
/// are plain.
///
/// # Errors
/// FX1013, FX1014.
pub fn experts(
    f: &mut Function,
    settings: Awq,
    (role, layer): (Role, u64),
    ([count, out, inputs], picked): ([u64; 3], Option<&Value>),
) -> Result<Option<Value>, Box<Diagnostic>> {
    matrices(f, settings, Matrices { role, layer, experts: Some(count), out, inputs }, picked)
}

fn matrices(
    f: &mut Function,
    settings: Awq,
    of: Matrices,
    picked: Option<&Value>,
) -> Result<Option<Value>, Box<Diagnostic>> {
    let Matrices { role, out, inputs, .. } = of;
    let checkpoint = f.checkpoint();
    let Some((name, _)) = of.part(checkpoint, ".qweight")? else { return Ok(None) };
    let group = settings.group.size(inputs);
    let groups = inputs.div_ceil(group);
    if !out.is_multiple_of(8) || !block(inputs, group).is_multiple_of(2) {
        let what = format!(
            "tensor `{name}`: {inputs} inputs in groups of {group} and {out} outputs; multiples of 2 and 8 can be"
        );
        return Err(checkpoint.failed("FX1014", what));
    }
    let words = of.required(checkpoint, (".qweight", Some(ElementType::I32)), &[inputs, out / 8])?;
    let zeros = of.required(checkpoint, (".qzeros", Some(ElementType::I32)), &[groups, out / 8])?;
    let scales = of.required(checkpoint, (".scales", None), &[groups, out])?;
    let [words, zeros, scales] = [words, zeros, scales].map(|part| f.part(role, &part, of.outer() + 1));
    let text = &mut f.text;
    let elements = outputs(text, &words);
    let elements = text.transpose(&elements, &of.order(&[1, 0]));
    let zeros = outputs(text, &zeros);
    let grouped = Grouped { of, group, bits: 4, elements: &elements, scales: &scales, zeros: &zeros };
    Ok(Some(grouped.matrix(text, picked)))
}

/// `[rows, out]` of ui8 from `[rows, out / 8]` of words, behind other dimensions: the first four of a word are the even
/// outputs.
fn outputs(text: &mut Text, words: &Value) -> Value {
    let outer = words.outer().to_vec();
    let elements = unpacked(text, words, 4);
    let of = |last: &[u64]| -> Vec<u64> { outer.iter().chain(last).copied().collect() };
    let halves = text.reshape(&elements, &of(&[words.last(), 2, 4]));
    let count = outer.len();
    let order: Vec<usize> = (0..=count).chain([count + 2, count + 1]).collect();
    let pairs = text.transpose(&halves, &order);
    text.reshape(&pairs, &of(&[8 * words.last()]))
}
