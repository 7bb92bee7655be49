//! Tokens chosen by a module's functions, so that logits stay on the device:
//!
//! ```text
//! penalize(logits [slots, vocabulary] f32, seen [slots, words / 32] i32, penalties [slots] f32) -> logits
//! top_k(logits, counts [slots] i32)                                                             -> logits
//! top_p(logits, settings [2, slots] f32: temperatures, parts)                                   -> logits
//! draw(logits, settings [3, slots] f32: temperatures, least parts, numbers from 0 to 1)         -> tokens [slots] i32
//! ```
//!
//! They compute what [`Choice::token`] does. Each is called only where a text asks for it, in this order; rows whose
//! text does not ask get settings that change nothing.

use fornax_module::manifest::{FunctionSignature, Manifest};
use fornax_runtime::{ElementType, TensorType};

use crate::sampler::{Choice, Sampling};
use crate::signature::types;

/// Names of the functions, in the order of their calls.
pub const PENALIZE: &str = "penalize";
pub const TOP_K: &str = "top_k";
pub const TOP_P: &str = "top_p";
pub const DRAW: &str = "draw";
/// Bits of a word of `seen`.
const WORD_BITS: usize = 32;

/// Whether a module chooses tokens of `slots` rows of logits.
pub fn is_in(manifest: &Manifest, (slots, vocabulary): (usize, usize)) -> bool {
    let ty = |element, shape: &[usize]| {
        TensorType::new(element, shape.iter().map(|&size| size as u64).collect::<Vec<u64>>())
    };
    let (float, int) = (ElementType::F32, ElementType::I32);
    let logits = ty(float, &[slots, vocabulary]);
    let of_slots = ty(float, &[slots]);
    let words = ty(int, &[slots, vocabulary.div_ceil(WORD_BITS)]);
    let is = |name: &str, further: &[TensorType], output: &TensorType| {
        let types = |f: &FunctionSignature| Some((types(&f.inputs, name).ok()?, types(&f.outputs, name).ok()?));
        let found = manifest.functions.iter().find(|function| function.name == name).and_then(types);
        let inputs: Vec<TensorType> = std::iter::once(&logits).chain(further).cloned().collect();
        found == Some((inputs, vec![output.clone()]))
    };
    is(PENALIZE, &[words, of_slots], &logits)
        && is(TOP_K, &[ty(int, &[slots])], &logits)
        && is(TOP_P, &[ty(float, &[2, slots])], &logits)
        && is(DRAW, &[ty(float, &[3, slots])], &ty(int, &[slots]))
}

/// A call of a function, with what follows the logits.
pub struct Step {
    pub function: &'static str,
    pub inputs: Vec<Input>,
}

/// Elements and shape.
pub enum Input {
    Floats(Vec<f32>, Vec<u64>),
    Integers(Vec<i32>, Vec<u64>),
}

/// The calls that choose a token for each row that has a choice.
pub fn steps(choices: &[Option<&Choice>], vocabulary: usize) -> Vec<Step> {
    let slots = choices.len() as u64;
    let of_rows = |ask: &dyn Fn(&Choice) -> f32, none: f32| -> Vec<f32> {
        choices.iter().map(|choice| choice.map_or(none, ask)).collect()
    };
    let asks = |ask: &dyn Fn(&Sampling) -> bool| choices.iter().flatten().any(|choice| ask(&choice.sampling));
    let mut steps = Vec::new();
    if asks(&|sampling| sampling.repetition_penalty != 1.0) {
        let words = vocabulary.div_ceil(WORD_BITS);
        let bits = choices.iter().flat_map(|choice| bits(choice.map_or(&[], |choice| &choice.seen), words)).collect();
        let penalties = of_rows(&|choice| choice.sampling.repetition_penalty, 1.0);
        let inputs = vec![Input::Integers(bits, vec![slots, words as u64]), Input::Floats(penalties, vec![slots])];
        steps.push(Step { function: PENALIZE, inputs });
    }
    let is_warm = |sampling: &Sampling| sampling.temperature > 0.0;
    if asks(&|sampling| is_warm(sampling) && sampling.top_k > 0) {
        // More than there are: all stay.
        let count = |choice: &&Choice| i32::try_from(choice.sampling.top_k).ok().filter(|&count| count > 0);
        let counts = choices.iter().map(|choice| choice.as_ref().and_then(count).unwrap_or(i32::MAX)).collect();
        steps.push(Step { function: TOP_K, inputs: vec![Input::Integers(counts, vec![slots])] });
    }
    let temperatures = of_rows(&|choice| choice.sampling.temperature, 0.0);
    if asks(&|sampling| is_warm(sampling) && sampling.top_p < 1.0) {
        // The likeliest token always stays. No sum reaches what is infinite: all stay.
        let part = |choice: &Choice| match choice.sampling.top_p {
            part if part < 1.0 => part.max(f32::MIN_POSITIVE),
            _ => f32::INFINITY,
        };
        let settings = [temperatures.clone(), of_rows(&part, f32::INFINITY)].concat();
        steps.push(Step { function: TOP_P, inputs: vec![Input::Floats(settings, vec![2, slots])] });
    }
    let least = of_rows(&|choice| if is_warm(&choice.sampling) { choice.sampling.min_p } else { 0.0 }, 0.0);
    let numbers = of_rows(&|choice| choice.uniform, 0.0);
    let settings = [temperatures, least, numbers].concat();
    steps.push(Step { function: DRAW, inputs: vec![Input::Floats(settings, vec![3, slots])] });
    steps
}

/// Bit n % 32 of word n / 32 says whether token n is there.
fn bits(tokens: &[u32], words: usize) -> Vec<i32> {
    let mut bits = vec![0i32; words];
    for &token in tokens {
        if let Some(word) = bits.get_mut(token as usize / WORD_BITS) {
            *word |= 1 << (token as usize % WORD_BITS);
        }
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(all: &[Option<Sampling>]) -> Vec<&'static str> {
        let choices: Vec<Option<Choice>> =
            all.iter().map(|s| s.clone().map(|sampling| Choice { sampling, ..Choice::likeliest() })).collect();
        steps(&choices.iter().map(Option::as_ref).collect::<Vec<_>>(), 70).iter().map(|step| step.function).collect()
    }

    #[test]
    fn only_what_is_asked_for_is_called() {
        let cold = Sampling { top_k: 3, top_p: 0.5, ..Sampling::default() };
        let warm = Sampling { temperature: 1.0, ..cold.clone() };
        assert_eq!(called(&[Some(cold.clone()), None]), [DRAW]);
        assert_eq!(called(&[Some(cold), Some(warm.clone())]), [TOP_K, TOP_P, DRAW]);
        let all = Sampling { repetition_penalty: 1.1, top_k: 0, ..warm };
        assert_eq!(called(&[None, Some(all)]), [PENALIZE, TOP_P, DRAW]);
    }

    #[test]
    fn tokens_are_bits() {
        assert_eq!(bits(&[0, 33, 31, 33, 99], 3), [i32::MIN + 1, 2, 0]);
    }
}
