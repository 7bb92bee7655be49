//! How the next tokens are chosen of logits that stay on the device: functions of the module, of `slots` rows each.
//!
//! ```text
//! penalize(logits [slots, vocabulary] f32, seen [slots, words / 32] i32, penalties [slots] f32) -> logits
//! top_k(logits, counts [slots] i32)                                                             -> logits
//! top_p(logits, settings [2, slots] f32: temperatures, parts)                                   -> logits
//! draw(logits, settings [3, slots] f32: temperatures, least parts, numbers from 0 to 1)         -> tokens [slots] i32
//! ```
//!
//! The caller gives logits away, and calls only what is asked for. `draw` alone is the likeliest token where the
//! temperature and the number are 0; -1 says that no logit is a number.
//!
//! Nothing is sorted. A filter keeps all tokens whose logit is at least a threshold, which 32 steps of bisection find,
//! each a sum over the row. A draw looks for the block of tokens in which the sum of probabilities passes the number,
//! then for the token in it.
//!
//! Worked example of a draw: probabilities 0.1, 0.5, 0.1 and 0.3, the number 0.65, blocks of two. Blocks end at 0.6
//! and 1.0: the second. 0.05 is left; tokens of that block end at 0.1 and 0.4: the first of them, token 2.

use fornax_types::ElementType;

use super::function::Function;
use super::source::Checkpoint;
use super::text::{Text, Value};

/// Tokens of a block: about the square root of a vocabulary, so that neither search is long.
const BLOCK: u64 = 256;
/// Bits of a logit: steps of bisection.
const KEY_BITS: u64 = 32;
/// Bits of a word that says which tokens stand in a text.
const WORD_BITS: u64 = 32;

/// The functions' text.
pub fn functions(checkpoint: &Checkpoint, (slots, vocabulary): (u64, u64)) -> String {
    let shape = [slots, vocabulary];
    let begin = |names: &[(&str, ElementType, &[u64])], gives_logits: bool| {
        let mut f = Function::new(checkpoint, ElementType::F32, false);
        let output = gives_logits.then_some(0);
        let mut inputs = vec![f.input("logits", (ElementType::F32, &shape), output)];
        inputs.extend(names.iter().map(|(name, element, shape)| f.input(name, (*element, shape), None)));
        (f, inputs)
    };
    let words = [slots, vocabulary.div_ceil(WORD_BITS)];
    let of_slots = ("penalties", ElementType::F32, &[slots][..]);
    let mut text = String::new();
    let (mut f, inputs) = begin(&[("seen", ElementType::I32, &words), of_slots], true);
    if let [logits, seen, penalties] = inputs.as_slice() {
        let found = penalized(&mut f.text, logits, seen, penalties);
        text.push_str(&f.finish("penalize", &[("logits".to_string(), found)]));
    }
    let (mut f, inputs) = begin(&[("counts", ElementType::I32, &[slots])], true);
    if let [logits, counts] = inputs.as_slice() {
        let t = &mut f.text;
        let ones = t.splat("1", ElementType::I32, &shape);
        let found = filtered(t, logits, &ones, counts);
        text.push_str(&f.finish("top_k", &[("logits".to_string(), found)]));
    }
    let (mut f, inputs) = begin(&[("settings", ElementType::F32, &[2, slots])], true);
    if let [logits, settings] = inputs.as_slice() {
        let t = &mut f.text;
        let (temperatures, parts) = (setting(t, settings, 0), setting(t, settings, 1));
        let powers = powers(t, logits, &temperatures);
        let all = t.reduce_last("add", &powers);
        let wanted = t.binary("multiply", &all, &parts);
        let found = filtered(t, logits, &powers, &wanted);
        text.push_str(&f.finish("top_p", &[("logits".to_string(), found)]));
    }
    let (mut f, inputs) = begin(&[("settings", ElementType::F32, &[3, slots])], false);
    if let [logits, settings] = inputs.as_slice() {
        let found = drawn(&mut f.text, logits, settings);
        text.push_str(&f.finish("draw", &[("tokens".to_string(), found)]));
    }
    text
}

/// A row of settings.
fn setting(t: &mut Text, settings: &Value, at: u64) -> Value {
    let row = t.slice_rows(settings, at, at + 1);
    t.reshape(&row, &[settings.last()])
}

/// Logits of tokens that stand in the text are divided where above 0, multiplied below. Token n is bit n % 32 of word
/// n / 32.
fn penalized(t: &mut Text, logits: &Value, seen: &Value, penalties: &Value) -> Value {
    let &[slots, vocabulary] = logits.shape.as_slice() else { return logits.clone() };
    let bits = [slots, seen.last(), WORD_BITS];
    let words = t.spread(seen, &bits);
    let places = t.iota(&bits, 2);
    let bits = t.binary("shift_right_logical", &words, &places);
    let bits = t.binary_with("and", &bits, "1");
    let bits = t.reshape(&bits, &[slots, seen.last() * WORD_BITS]);
    let bits = t.slice_last(&bits, 0, vocabulary);
    let none = t.splat("0", ElementType::I32, &logits.shape);
    let is_seen = t.compare("NE", &bits, &none);
    let penalties = t.spread(penalties, &logits.shape);
    let zero = t.float(0.0, &logits.shape);
    let is_above = t.compare("GT", logits, &zero);
    let less = t.binary("divide", logits, &penalties);
    let more = t.binary("multiply", logits, &penalties);
    let other = t.select(&is_above, &less, &more);
    t.select(&is_seen, &other, logits)
}

/// Logits, those that are no numbers as the least.
fn numbers(t: &mut Text, logits: &Value) -> Value {
    let least = t.float(f64::NEG_INFINITY, &logits.shape);
    let is_number = t.compare("EQ", logits, logits);
    t.select(&is_number, logits, &least)
}

/// Probabilities as parts of the likeliest token's. At a temperature of 0 others have none; no number where the largest
/// logit is not finite.
fn powers(t: &mut Text, logits: &Value, temperatures: &Value) -> Value {
    let logits = numbers(t, logits);
    let most = t.reduce_last("maximum", &logits);
    let most = t.spread(&most, &logits.shape);
    let below = t.binary("subtract", &logits, &most);
    let temperatures = t.spread(temperatures, &logits.shape);
    let scaled = t.binary("divide", &below, &temperatures);
    let power = t.unary("exponential", &scaled);
    let (zero, one) = (t.float(0.0, &logits.shape), t.float(1.0, &logits.shape));
    let is_most = t.compare("EQ", &below, &zero);
    t.select(&is_most, &one, &power)
}

/// Logits whose order is such that those from them on weigh at least `wanted` `[slots]` together; others are -∞. All
/// stay where they weigh less.
fn filtered(t: &mut Text, logits: &Value, weights: &Value, wanted: &Value) -> Value {
    let number = numbers(t, logits);
    let keys = keys(t, &number);
    let mut least = t.splat("-2147483648", ElementType::I32, &wanted.shape);
    let most = t.splat("2147483647", ElementType::I32, &wanted.shape);
    let found = t.repeat(KEY_BITS, &[least.clone(), most], |t, range| {
        let [low, high] = range else { return range.to_vec() };
        // Their mean without overflow.
        let both = t.binary("and", low, high);
        let one = t.binary("xor", low, high);
        let half = t.binary_with("shift_right_arithmetic", &one, "1");
        let middle = t.binary("add", &both, &half);
        let from = t.spread(&middle, &keys.shape);
        let is_kept = t.compare("GE", &keys, &from);
        let zero = if weights.element.is_integer() { "0" } else { "0.0" };
        let zero = t.splat(zero, weights.element, &keys.shape);
        let kept = t.select(&is_kept, weights, &zero);
        let sum = t.reduce_last("add", &kept);
        let is_enough = t.compare("GE", &sum, wanted);
        vec![t.select(&is_enough, &middle, low), t.select(&is_enough, high, &middle)]
    });
    if let Some(low) = found.into_iter().next() {
        least = low;
    }
    let from = t.spread(&least, &keys.shape);
    let is_kept = t.compare("GE", &keys, &from);
    let none = t.float(f64::NEG_INFINITY, &keys.shape);
    t.select(&is_kept, logits, &none)
}

/// Integers in the order of floats: the bits, with all but the sign inverted in negative ones.
fn keys(t: &mut Text, floats: &Value) -> Value {
    let bits = t.bitcast(floats, ElementType::I32);
    let sign = t.binary_with("shift_right_arithmetic", &bits, "31");
    let inverted = t.binary_with("and", &sign, "2147483647");
    t.binary("xor", &bits, &inverted)
}

/// The token of each row in which the sum of what is kept passes its number.
fn drawn(t: &mut Text, logits: &Value, settings: &Value) -> Value {
    let slots = settings.last();
    let temperatures = setting(t, settings, 0);
    let powers = powers(t, logits, &temperatures);
    let least = setting(t, settings, 1);
    let least = t.spread(&least, &powers.shape);
    let is_kept = t.compare("GE", &powers, &least);
    let zero = t.float(0.0, &powers.shape);
    let kept = t.select(&is_kept, &powers, &zero);
    let blocks = kept.last().div_ceil(BLOCK);
    let kept = t.padded_last(&kept, blocks * BLOCK);
    let kept = t.reshape(&kept, &[slots, blocks, BLOCK]);
    let sums = t.reduce_last("add", &kept);
    let ends = t.prefix_sums(&sums);
    let all = t.slice_last(&ends, blocks - 1, blocks);
    let all = t.reshape(&all, &[slots]);
    let number = setting(t, settings, 2);
    let number = t.binary("multiply", &all, &number);
    let block = first_past(t, &sums, &ends, &number);
    let before = sum_before(t, &sums, &block);
    let left = t.binary("subtract", &number, &before);
    // The block of each row.
    let rows = t.reshape(&kept, &[slots * blocks, BLOCK]);
    let row = t.iota(&[slots], 0);
    let row = t.binary_with("multiply", &row, &blocks.to_string());
    let row = t.binary("add", &row, &block);
    let kept = t.rows(&rows, &row);
    let ends = t.prefix_sums(&kept);
    let at = first_past(t, &kept, &ends, &left);
    let start = t.binary_with("multiply", &block, &BLOCK.to_string());
    t.binary("add", &start, &at)
}

/// The first place of each row `[slots, places]` that weighs something and whose sum is above a number; the last that
/// weighs something where rounding left none; -1 where nothing does.
fn first_past(t: &mut Text, weights: &Value, ends: &Value, numbers: &Value) -> Value {
    let shape = weights.shape.clone();
    let (zero, places) = (t.float(0.0, &shape), t.iota(&shape, 1));
    let has_weight = t.compare("GT", weights, &zero);
    let numbers = t.spread(numbers, &shape);
    let is_past = t.compare("GT", ends, &numbers);
    let is_past = t.binary("and", &has_weight, &is_past);
    let far = shape.last().copied().unwrap_or(1).to_string();
    let none = t.splat(&far, ElementType::I32, &shape);
    let first = t.select(&is_past, &places, &none);
    let first = t.reduce_last("minimum", &first);
    let none = t.splat("-1", ElementType::I32, &shape);
    let last = t.select(&has_weight, &places, &none);
    let last = t.reduce_last("maximum", &last);
    let none = t.splat(&far, ElementType::I32, &first.shape.clone());
    let is_found = t.compare("LT", &first, &none);
    t.select(&is_found, &first, &last)
}

/// What the places of each row before its own weigh together.
fn sum_before(t: &mut Text, weights: &Value, places: &Value) -> Value {
    let own = t.spread(places, &weights.shape);
    let all = t.iota(&weights.shape, 1);
    let is_before = t.compare("LT", &all, &own);
    let zero = t.float(0.0, &weights.shape);
    let before = t.select(&is_before, weights, &zero);
    t.reduce_last("add", &before)
}
