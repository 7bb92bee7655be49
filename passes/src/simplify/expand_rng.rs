//! Random bits become integer arithmetic: Threefry-2x32-20 and Philox-4x32-10, whose words are counted and arranged as
//! XLA does, so that the bits equal those of frameworks built on it. `DEFAULT` is Philox. `rng` draws from Philox too.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<2xui64>) -> (tensor<2xui64>, tensor<0xui32>) {
//!   %0, %1 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX
//!       : (tensor<2xui64>) -> (tensor<2xui64>, tensor<0xui32>)
//!   return %0, %1 : tensor<2xui64>, tensor<0xui32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<2xui64>) -> (tensor<2xui64>, tensor<0xui32>) {
//!   %0 = stablehlo.constant dense<0> : tensor<0xui32>
//!   return %arg0, %0 : tensor<2xui64>, tensor<0xui32>
//! }
//! ```
//!
//! A key and a counter give a block of two (Threefry) or four (Philox) words of 32 bits; narrower elements keep the low
//! bits of a word, 64-bit ones take two. `rng` has no state: its key is the number of the op among those of its kind,
//! so a run gives the same numbers as the one before, and an op in a loop the same numbers in each round. A state is
//! two or three words of 64 bits; twice as many of 32 bits are the same, low halves first. Their sign means nothing.
//! Limits: static shapes.

use fornax_graph::{ElementType, Graph, OpId, OpKind, TensorType, ValueId};
use fornax_reference::Scalar;

use super::ops::Ops;
use crate::rewrite::{Rewrite, Rewriter, sweep};
use super::Options;
use crate::errors::PassError;

const WORD: ElementType = ElementType::Ui32;
const WIDE: ElementType = ElementType::Ui64;

/// What a state may be.
const STATES: &str = "its state must be two words of 64 bits (Philox: two or three), or twice as many of 32 bits";

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    let mut drawn = 0;
    sweep(graph, &mut |rw, id| match rw.kind(id) {
        OpKind::RngBitGenerator => match generate(rw, id) {
            None if has_odd_state(rw, id) => Err(PassError::unsupported(rw.graph, id, STATES)),
            made => Ok(made.map_or(Rewrite::Keep, Rewrite::Replace)),
        },
        OpKind::Rng => {
            drawn += 1;
            Ok(draw(rw, id, drawn).map_or(Rewrite::Keep, Rewrite::with))
        }
        _ => Ok(Rewrite::Keep),
    })
}

/// Words of 64 bits in a state of `count` elements; `None` where there is a half too many.
fn state_words(element: ElementType, count: i64) -> Option<i64> {
    match element.storage_bytes() {
        8 => Some(count),
        4 if count % 2 == 0 => Some(count / 2),
        _ => None,
    }
}

/// Whether an algorithm takes a state.
fn is_state(algorithm: &str, words: i64) -> bool {
    matches!((algorithm, words), ("THREE_FRY", 2) | ("PHILOX" | "DEFAULT", 2 | 3))
}

/// Whether the size of a state is known and wrong.
fn has_odd_state(rw: &Rewriter, id: OpId) -> bool {
    let algorithm = rw.graph.op(id).attrs.keyword("rng_algorithm").unwrap_or("DEFAULT");
    let state = rw.operand(id, 0).and_then(|state| rw.tensor(state));
    let Some((element, shape)) = state.and_then(|ty| Some((ty.element, ty.static_shape()?))) else { return false };
    !matches!(shape[..], [count] if state_words(element, count).is_some_and(|words| is_state(algorithm, words)))
}

fn generate(rw: &mut Rewriter, id: OpId) -> Option<Vec<ValueId>> {
    let state = rw.operand(id, 0)?;
    let result = rw.tensor(rw.result(id, 1)?)?.clone();
    let given = rw.tensor(state)?.element;
    let is_halved = given.storage_bytes() == 4;
    let words = state_words(given, *rw.shape(state)?.first()?)?;
    let algorithm = rw.graph.op(id).attrs.keyword("rng_algorithm").unwrap_or("DEFAULT").to_string();
    let shape = result.static_shape()?;
    if rw.shape(state)?.len() != 1 || !is_state(&algorithm, words) || result.element.storage_bytes() > 8 {
        return None;
    }
    let o = &Ops::new(rw);
    if result.elements()? == 0 {
        return Some(vec![state, o.splat(&shape, result.element, Scalar::Int(0).convert(result.element))]);
    }
    let unsigned = if is_halved { WORD } else { WIDE };
    let cast =
        |v: ValueId, from: ElementType, to: ElementType| if from == to { v } else { o.with(|rw| rw.bitcast(v, to)) };
    let element = |at: i64| cast(o.reshape(o.part(state, 0, at, at + 1), &[]), given, unsigned);
    let word = |at: i64| if is_halved { join(o, element(2 * at), element(2 * at + 1)) } else { element(at) };
    let state_words: Vec<ValueId> = (0..words).map(word).collect();
    let is_wide = result.element.storage_bytes() == 8;
    let (bits, next) = if algorithm == "THREE_FRY" {
        threefry_bits(o, [state_words[0], state_words[1]], &shape, is_wide)
    } else {
        philox_bits(o, &state_words, &shape, is_wide)
    };
    let elements = |v: ValueId| if is_halved { halves(o, v).to_vec() } else { vec![v] };
    let listed: Vec<ValueId> = next.iter().flat_map(|&v| elements(v)).map(|v| o.reshape(v, &[1])).collect();
    let next = cast(o.concatenate(&listed, 0), unsigned, given);
    Some(vec![next, as_element(o, bits, result.element)])
}

/// The low bits of words as elements of the result.
fn as_element(o: &Ops, bits: ValueId, element: ElementType) -> ValueId {
    let unsigned = match (element.bits(), element.storage_bytes()) {
        (64, _) => WIDE,
        (32, _) => WORD,
        (16, _) => ElementType::Ui16,
        (8, _) => ElementType::Ui8,
        _ => return o.convert(bits, element),
    };
    let narrow = o.convert(bits, unsigned);
    if unsigned == element { narrow } else { o.with(|rw| rw.bitcast(narrow, element)) }
}

/// Low and high half of 64-bit words.
fn halves(o: &Ops, x: ValueId) -> [ValueId; 2] {
    let high = o.binary(OpKind::ShiftRightLogical, x, o.int(x, 32));
    [o.convert(x, WORD), o.convert(high, WORD)]
}

fn join(o: &Ops, low: ValueId, high: ValueId) -> ValueId {
    let high = o.convert(high, WIDE);
    o.or(o.convert(low, WIDE), o.binary(OpKind::ShiftLeft, high, o.int(high, 32)))
}

fn xor(o: &Ops, a: ValueId, b: ValueId) -> ValueId {
    o.binary(OpKind::Xor, a, b)
}

/// Twenty rounds of Threefry-2x32 on ui32 tensors of one shape.
pub fn threefry(o: &Ops, key: [ValueId; 2], counter: [ValueId; 2]) -> [ValueId; 2] {
    const ROTATIONS: [[i64; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];
    let parity = o.int(key[0], 0x1BD1_1BDA);
    let keys = [key[0], key[1], xor(o, xor(o, key[0], key[1]), parity)];
    let mut x = o.add(counter[0], keys[0]);
    let mut y = o.add(counter[1], keys[1]);
    for round in 0..5 {
        for by in ROTATIONS[round % 2] {
            x = o.add(x, y);
            let left = o.binary(OpKind::ShiftLeft, y, o.int(y, by));
            let right = o.binary(OpKind::ShiftRightLogical, y, o.int(y, 32 - by));
            y = xor(o, o.or(left, right), x);
        }
        x = o.add(x, keys[(round + 1) % 3]);
        y = o.add(o.add(y, keys[(round + 2) % 3]), o.int(y, round as i64 + 1));
    }
    [x, y]
}

/// 0, 1, … in row-major order, ui64.
fn counted(o: &Ops, shape: &[i64]) -> ValueId {
    let count = shape.iter().product();
    let list = o.with(|rw| rw.iota(&TensorType::new(&[count], WIDE), 0));
    o.reshape(list, shape)
}

/// Bits and the next state. Words of 32 bits come in pairs: the first of each at even places of a dimension, the second
/// at odd ones.
fn threefry_bits(o: &Ops, [key, counter]: [ValueId; 2], shape: &[i64], is_wide: bool) -> (ValueId, Vec<ValueId>) {
    let block = |shape: &[i64]| {
        let fill = |v: ValueId| o.broadcast(v, &[], shape);
        let at = o.add(fill(counter), counted(o, shape));
        let keys = halves(o, key).map(fill);
        threefry(o, keys, halves(o, at))
    };
    let advanced = |by: i64| vec![key, o.add(counter, o.int(counter, by))];
    if is_wide {
        let [x, y] = block(shape);
        return (join(o, x, y), advanced(shape.iter().product()));
    }
    let even = shape.iter().position(|n| n % 2 == 0);
    let widest = (0..shape.len()).rev().max_by_key(|&d| shape[d]);
    let Some(split) = even.or(widest) else { return (block(shape)[0], advanced(1)) };
    let half = (shape[split] + 1) / 2;
    let (outer, inner): (i64, i64) = (shape[..split].iter().product(), shape[split + 1..].iter().product());
    let pair = block(&[outer, half, 1, inner]);
    let woven = o.reshape(o.concatenate(&pair, 2), &[outer, 2 * half, inner]);
    let kept = o.part(woven, 1, 0, shape[split]);
    (o.reshape(kept, shape), advanced(outer * half * inner))
}

/// The two halves of the product of words with a constant.
fn product(o: &Ops, a: ValueId, by: i64) -> [ValueId; 2] {
    let a = o.convert(a, WIDE);
    halves(o, o.mul(a, o.int(a, by)))
}

/// Ten rounds of Philox-4x32.
fn philox(o: &Ops, mut key: [ValueId; 2], mut counter: [ValueId; 4]) -> [ValueId; 4] {
    for _ in 0..10 {
        let [low_0, high_0] = product(o, counter[0], 0xD251_1F53);
        let [low_1, high_1] = product(o, counter[2], 0xCD9E_8D57);
        counter =
            [xor(o, xor(o, high_1, counter[1]), key[0]), low_1, xor(o, xor(o, high_0, counter[3]), key[1]), low_0];
        key = [o.add(key[0], o.int(key[0], 0x9E37_79B9)), o.add(key[1], o.int(key[1], 0xBB67_AE85))];
    }
    counter
}

/// `low + by` and `high` plus the carry.
fn sum(o: &Ops, low: ValueId, high: ValueId, by: ValueId) -> [ValueId; 2] {
    let total = o.add(low, by);
    let carry = o.convert(o.compare("LT", total, by), WIDE);
    [total, o.add(high, carry)]
}

/// Bits and the next state. A state of two words has its key as high counter too, which does not advance.
fn philox_bits(o: &Ops, state: &[ValueId], shape: &[i64], is_wide: bool) -> (ValueId, Vec<ValueId>) {
    let (key, low) = (state[0], state[1]);
    let high = state.get(2).copied().unwrap_or(key);
    let count: i64 = shape.iter().product();
    let each = if is_wide { 2 } else { 4 };
    let blocks = (count + each - 1) / each;
    let all = [blocks, 1];
    let fill = |v: ValueId| o.broadcast(v, &[], &all);
    let at = sum(o, fill(low), fill(high), counted(o, &all));
    let ([a, b], [c, d]) = (halves(o, at[0]), halves(o, at[1]));
    let made = philox(o, halves(o, key).map(fill), [a, b, c, d]);
    let parts = if is_wide { vec![join(o, made[0], made[1]), join(o, made[2], made[3])] } else { made.to_vec() };
    let list = o.reshape(o.concatenate(&parts, 1), &[blocks * each]);
    let bits = o.reshape(o.part(list, 0, 0, count), shape);
    let end = sum(o, low, high, o.int(low, blocks));
    (bits, if state.len() == 3 { vec![key, end[0], end[1]] } else { vec![key, end[0]] })
}

/// Numbers of a distribution: UNIFORM in [a, b), NORMAL with mean a and deviation b.
fn draw(rw: &mut Rewriter, id: OpId, number: i64) -> Option<ValueId> {
    let (a, b) = (rw.operand(id, 0)?, rw.operand(id, 1)?);
    let ty = rw.tensor(rw.result(id, 0)?)?.clone();
    let shape = ty.static_shape()?;
    let normal = rw.graph.op(id).attrs.keyword("rng_distribution") == Some("NORMAL");
    let o = &Ops::new(rw);
    if ty.elements()? == 0 {
        return Some(o.splat(&shape, ty.element, Scalar::zero(ty.element)));
    }
    let word = |value: i64| o.splat(&[], WIDE, Scalar::Int(value.into()));
    let is_float = ty.element.is_float();
    let is_wide = !is_float || ty.element == ElementType::F64;
    let (bits, _) = philox_bits(o, &[word(number), word(0)], &shape, is_wide);
    let fill = |v: ValueId, element: ElementType| o.broadcast(o.convert(v, element), &[], &shape);
    if !is_float {
        let (low, high) = (fill(a, ElementType::I64), fill(b, ElementType::I64));
        let span = o.sub(high, low);
        let span = o.with(|rw| rw.bitcast(span, WIDE));
        let rest = o.binary(OpKind::Remainder, bits, span);
        let value = o.add(low, o.with(|rw| rw.bitcast(rest, ElementType::I64)));
        return Some(o.convert(value, ty.element));
    }
    let (work, digits) = if is_wide { (ElementType::F64, 53) } else { (ElementType::F32, 24) };
    let drop = if is_wide { 64 - digits } else { 32 - digits };
    let number = o.convert(o.binary(OpKind::ShiftRightLogical, bits, o.int(bits, drop)), work);
    let (first, second) = (fill(a, work), fill(b, work));
    let unit = (-(digits as f64)).exp2();
    let value = if normal {
        // Between −1 and 1, neither of them: (2k + 1) / 2ᵈ − 1.
        let odd = o.add(o.mul(number, o.float(number, 2.0 * unit)), o.float(number, unit));
        let centred = o.sub(odd, o.float(number, 1.0));
        let deviate = o.emit(OpKind::ChloErfInv, &[centred], TensorType::new(&shape, work), &[]);
        let deviate = o.mul(deviate, o.float(number, std::f64::consts::SQRT_2));
        o.add(first, o.mul(second, deviate))
    } else {
        let share = o.mul(number, o.float(number, unit));
        o.add(first, o.mul(o.sub(second, first), share))
    };
    let value = o.convert(value, ty.element);
    if normal {
        return Some(value);
    }
    // Rounding may have reached b.
    let (low, high) = (fill(a, ty.element), fill(b, ty.element));
    Some(o.select(o.compare("LT", value, high), value, low))
}

#[cfg(test)]
mod tests {
    use crate::example::{import, print, reimport};
    use super::*;
    use fornax_reference::{Tensor, evaluate};

    /// The expansion gives the bits and the state of the reference.
    #[test]
    fn bits_of_all_widths() {
        let state = [[42u64, 7], [u64::MAX - 3, u64::MAX - 1]];
        for (algorithm, words) in [("THREE_FRY", 2), ("PHILOX", 2), ("PHILOX", 3), ("DEFAULT", 2)] {
            for (shape, ty) in [
                ("7x", "ui32"),
                ("2x3x", "ui32"),
                ("5x3x", "i8"),
                ("3x5x", "ui16"),
                ("", "ui32"),
                ("5x", "ui64"),
                ("2x2x", "i64"),
                ("6x", "f32"),
            ] {
                let text = format!(
                    "func.func @main(%s: tensor<{words}xui64>) -> (tensor<{words}xui64>, tensor<{shape}{ty}>) {{
                       %0, %1 = stablehlo.rng_bit_generator %s, algorithm = {algorithm} \
                           : (tensor<{words}xui64>) -> (tensor<{words}xui64>, tensor<{shape}{ty}>)
                       return %0, %1 : tensor<{words}xui64>, tensor<{shape}{ty}>
                     }}"
                );
                for key in state {
                    let values = [key[0], key[1], u64::MAX].into_iter().take(words).map(|v| Scalar::Int(v.into()));
                    let input = [Tensor::from_scalars(&[words], WIDE, values)];
                    let mut graph = import(&text);
                    let wanted = evaluate(&graph, "main", &input, &Default::default()).unwrap();
                    assert!(run(&mut graph, &Options::default()).unwrap());
                    reimport(&graph);
                    assert!(!print(&graph).contains("rng_bit_generator"), "{text}");
                    let found = evaluate(&graph, "main", &input, &Default::default()).unwrap();
                    assert!(wanted.iter().zip(&found).all(|(w, f)| w.bytes == f.bytes), "{text}");
                }
            }
        }
    }

    /// Signed and halved states give the bits of the unsigned 64-bit one, and the same next state.
    #[test]
    fn states_of_every_type() {
        for (algorithm, words) in [("THREE_FRY", 2), ("PHILOX", 2), ("PHILOX", 3), ("DEFAULT", 2)] {
            let mut wanted = None;
            for (scale, ty) in [(1, "ui64"), (1, "i64"), (2, "ui32"), (2, "i32")] {
                let count = scale * words;
                let text = format!(
                    "func.func @main(%s: tensor<{count}x{ty}>) -> (tensor<{count}x{ty}>, tensor<5xui32>) {{
                       %0, %1 = stablehlo.rng_bit_generator %s, algorithm = {algorithm} \
                           : (tensor<{count}x{ty}>) -> (tensor<{count}x{ty}>, tensor<5xui32>)
                       return %0, %1 : tensor<{count}x{ty}>, tensor<5xui32>
                     }}"
                );
                let mut graph = import(&text);
                let element = ElementType::from_spelling(ty).unwrap();
                let mut input = Tensor::from_scalars(&[count], element, vec![Scalar::Int(0); count]);
                let key = [0xFFFF_FFFF_8000_0001u64, u64::MAX - 1, u64::MAX];
                input.bytes = key.iter().take(words).flat_map(|w| w.to_le_bytes()).collect();
                let before = evaluate(&graph, "main", &[input.clone()], &Default::default()).unwrap();
                assert!(run(&mut graph, &Options::default()).unwrap());
                reimport(&graph);
                assert!(!print(&graph).contains("rng_bit_generator"), "{text}");
                let after = evaluate(&graph, "main", &[input], &Default::default()).unwrap();
                let wanted = wanted.get_or_insert([before[0].bytes.clone(), before[1].bytes.clone()]);
                for found in [&before, &after] {
                    assert!(found.iter().zip(wanted.iter()).all(|(f, w)| f.bytes == *w), "{text}");
                }
            }
        }
    }

    #[test]
    fn numbers_lie_in_their_bounds() {
        for (ty, low, high, distribution) in [
            ("f32", "1.0", "3.0", "UNIFORM"),
            ("f64", "0.0", "1.0", "NORMAL"),
            ("i32", "-3", "9", "UNIFORM"),
            ("bf16", "0.0", "1.0", "UNIFORM"),
        ] {
            let text = format!(
                "func.func @main() -> tensor<4001x{ty}> {{
                   %a = stablehlo.constant dense<{low}> : tensor<{ty}>
                   %b = stablehlo.constant dense<{high}> : tensor<{ty}>
                   %s = stablehlo.constant dense<4001> : tensor<1xi64>
                   %0 = stablehlo.rng %a, %b, %s, distribution = {distribution} \
                       : (tensor<{ty}>, tensor<{ty}>, tensor<1xi64>) -> tensor<4001x{ty}>
                   return %0 : tensor<4001x{ty}>
                 }}"
            );
            let mut graph = import(&text);
            let wanted = evaluate(&graph, "main", &[], &Default::default()).unwrap();
            assert!(run(&mut graph, &Options::default()).unwrap());
            reimport(&graph);
            let found = evaluate(&graph, "main", &[], &Default::default()).unwrap();
            let near = |(a, b): (&Scalar, &Scalar)| (a.as_f64() - b.as_f64()).abs() <= 1e-6 * a.as_f64().abs().max(1.0);
            assert!(wanted[0].scalars().iter().zip(&found[0].scalars()).all(near), "{ty} {distribution}");
            let is_int = ty == "i32";
            let values: Vec<f64> =
                found[0].scalars().iter().map(|s| if is_int { s.as_int() as f64 } else { s.as_f64() }).collect();
            let mean = values.iter().sum::<f64>() / 4001.0;
            let spread = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 4001.0;
            let (low, high): (f64, f64) = (low.parse().unwrap(), high.parse().unwrap());
            let (middle, width) = match (distribution, is_int) {
                ("NORMAL", _) => (low, high),
                (_, true) => ((low + high - 1.0) / 2.0, ((high - low).powi(2) - 1.0) / 12.0),
                _ => ((low + high) / 2.0, (high - low).powi(2) / 12.0),
            };
            assert!(
                (mean - middle).abs() < 0.1 * width.sqrt() && (spread / width - 1.0).abs() < 0.1,
                "{ty} {mean} {spread}"
            );
            if distribution == "UNIFORM" {
                assert!(values.iter().all(|&v| low <= v && v < high), "{ty}");
            }
        }
    }
}
