//! `rng_bit_generator`: Threefry-2x32-20 and Philox-4x32-10, counting and arranging their words as XLA does, so that
//! the bits equal those of frameworks built on it. `DEFAULT` is Philox. `rng` draws from Philox with a key of its own.

use fornax_graph::{ElementType, OpKind};

use crate::errors::EvalError;
use crate::interpreter::Call;
use crate::scalar::{Scalar, round_float};
use crate::special;
use crate::tensor::{Indices, Tensor};

/// Low and high word.
fn words(x: u64) -> [u32; 2] {
    [x as u32, (x >> 32) as u32]
}

fn join(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

fn threefry(key: [u32; 2], counter: [u32; 2]) -> [u32; 2] {
    const ROTATIONS: [[u32; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];
    let keys = [key[0], key[1], key[0] ^ key[1] ^ 0x1BD1_1BDA];
    let [mut x, mut y] = [counter[0].wrapping_add(keys[0]), counter[1].wrapping_add(keys[1])];
    for round in 0..5usize {
        for rotation in ROTATIONS[round % 2] {
            x = x.wrapping_add(y);
            y = y.rotate_left(rotation) ^ x;
        }
        x = x.wrapping_add(keys[(round + 1) % 3]);
        y = y.wrapping_add(keys[(round + 2) % 3]).wrapping_add(round as u32 + 1);
    }
    [x, y]
}

fn philox(mut key: [u32; 2], mut counter: [u32; 4]) -> [u32; 4] {
    for _ in 0..10 {
        let [low0, high0] = words(0xD251_1F53 * u64::from(counter[0]));
        let [low1, high1] = words(0xCD9E_8D57 * u64::from(counter[2]));
        counter = [high1 ^ counter[1] ^ key[0], low1, high0 ^ counter[3] ^ key[1], low0];
        key = [key[0].wrapping_add(0x9E37_79B9), key[1].wrapping_add(0xBB67_AE85)];
    }
    counter
}

/// Threefry makes words in pairs: the first of each fills one half of an even dimension, the second the other.
/// Gives the words in row-major order and the number of counters used.
fn threefry_words(key: [u32; 2], start: u64, shape: &[usize]) -> (Vec<u64>, u64) {
    let even = shape.iter().position(|n| n % 2 == 0);
    let widest = (0..shape.len()).rev().max_by_key(|&d| shape[d]);
    let Some(split) = even.or(widest) else {
        return (vec![threefry(key, words(start))[0].into()], 1);
    };
    let half = shape[split].div_ceil(2);
    let inner: usize = shape[split + 1..].iter().product();
    let outer: usize = shape[..split].iter().product();
    let mut out = Vec::new();
    let mut walk = Indices::new(&[outer, shape[split], inner]);
    while let Some(&[o, s, i]) = walk.advance() {
        // Halves alternate: position 2h is the first word of counter h, 2h + 1 its second.
        let counter = (o * half + s / 2) * inner + i;
        out.push(threefry(key, words(start.wrapping_add(counter as u64)))[s % 2].into());
    }
    (out, (outer * half * inner) as u64)
}

/// Kernel of `rng_bit_generator`: (state) → (next state, bits).
pub(crate) fn rng_bit_generator(call: &mut Call) -> Result<Vec<Tensor>, EvalError> {
    let state = call.operand(0)?;
    let element = call.result_element(1)?;
    let mut out = call.alloc(&call.result_shape(1)?, element)?;
    let n = out.len();
    // Two elements of 32 bits are a word of 64, the low half first.
    let mut next: Vec<u64> =
        state.bytes.chunks_exact(8).filter_map(|w| Some(u64::from_le_bytes(w.try_into().ok()?))).collect();
    let width = element.storage_bytes();
    let is_whole = state.bytes.len() % 8 == 0 && matches!(state.element().storage_bytes(), 4 | 8);
    call.check(width <= 8 && is_whole, "a state of 64-bit words, or of their halves, and at most 64-bit results")?;
    let algorithm = call.op.attrs.keyword("rng_algorithm").unwrap_or("DEFAULT");
    let bits: Vec<u64> = match (algorithm, &mut next[..]) {
        ("THREE_FRY", [key, counter]) => {
            let (bits, used) = if width == 8 {
                let block = |i: usize| threefry(words(*key), words(counter.wrapping_add(i as u64)));
                ((0..n).map(block).map(|[x, y]| join(x, y)).collect(), n as u64)
            } else {
                threefry_words(words(*key), *counter, &out.shape())
            };
            *counter = counter.wrapping_add(used);
            bits
        }
        ("PHILOX" | "DEFAULT", [key, rest @ ..]) if matches!(rest.len(), 1 | 2) => {
            // A state of two has its key as high counter too, which does not advance.
            let high = rest.get(1).copied().unwrap_or(*key);
            let start = u128::from(rest[0]) | u128::from(high) << 64;
            let blocks = n.div_ceil(if width == 8 { 2 } else { 4 });
            let mut bits = Vec::new();
            for block in 0..blocks as u128 {
                let counter = start.wrapping_add(block);
                let ([a, b], [c, d]) = (words(counter as u64), words((counter >> 64) as u64));
                let [a, b, c, d] = philox(words(*key), [a, b, c, d]);
                match width {
                    8 => bits.extend([join(a, b), join(c, d)]),
                    _ => bits.extend([a, b, c, d].map(u64::from)),
                }
            }
            let end = start.wrapping_add(blocks as u128);
            rest.iter_mut().zip([end as u64, (end >> 64) as u64]).for_each(|(to, from)| *to = from);
            bits
        }
        _ => return Err(call.unsupported(&format!("algorithm {algorithm} with a state of {} words", state.len()))),
    };
    for (cell, word) in out.bytes.chunks_exact_mut(width).zip(bits) {
        cell.copy_from_slice(&word.to_le_bytes()[..width]);
    }
    // Types narrower than a byte keep their low bits.
    for at in 0..if element.bits() < 8 { n } else { 0 } {
        let value = out.get(at);
        out.set(at, value);
    }
    let mut after = (*state).clone();
    after.bytes = next.iter().flat_map(|w| w.to_le_bytes()).collect();
    Ok(vec![after, out])
}

/// Kernel of `rng`: (a, b, shape) → numbers. There is no state: the key is the op's number among those of its kind,
/// from 1, so the numbers are the same in every run.
pub(crate) fn rng(call: &mut Call) -> Result<Vec<Tensor>, EvalError> {
    let (a, b) = (call.operand(0)?.get(0), call.operand(1)?.get(0));
    let element = call.result_element(0)?;
    let key = words(number(call));
    let mut out = call.alloc(&call.result_shape(0)?, element)?;
    let normal = call.op.attrs.keyword("rng_distribution") == Some("NORMAL");
    let is_wide = !element.is_float() || element == ElementType::F64;
    let (work, digits) = if is_wide { (ElementType::F64, 53) } else { (ElementType::F32, 24) };
    let round = |x: f64| round_float(x, work);
    let unit = (-f64::from(digits)).exp2();
    let each = if is_wide { 2 } else { 4 };
    for at in 0..out.len() {
        let made = philox(key, counter(key, at / each));
        let bits = if is_wide { join(made[at % 2 * 2], made[at % 2 * 2 + 1]) } else { made[at % 4].into() };
        if !element.is_float() {
            let span = (b.as_int() - a.as_int()) as u64;
            let rest = if span == 0 { 0 } else { bits % span };
            out.set(at, Scalar::Int(a.as_int() + i128::from(rest)).convert(element));
            continue;
        }
        let count = (bits >> (if is_wide { 64 } else { 32 } - digits)) as f64;
        let (first, second) = (round(a.as_f64()), round(b.as_f64()));
        if normal {
            let deviate = round(special::erf_inv(count * 2.0 * unit + unit - 1.0));
            let deviate = round(deviate * round(std::f64::consts::SQRT_2));
            out.set(at, Scalar::Float(round(first + round(second * deviate))).convert(element));
            continue;
        }
        let value = round(first + round(round(second - first) * (count * unit)));
        let value = Scalar::Float(value).convert(element);
        // Rounding may have reached b.
        let inside = value.as_f64() < b.as_f64();
        out.set(at, if inside { value } else { a });
    }
    Ok(vec![out])
}

/// The counter of a block: it starts at 0, and the key is its high half.
fn counter(key: [u32; 2], block: usize) -> [u32; 4] {
    let [low, high] = words(block as u64);
    [low, high, key[0], key[1]]
}

/// Number of the op among the `rng` ops of the model.
fn number(call: &Call) -> u64 {
    let graph = call.interp.graph;
    let (mut count, mut own) = (0, 0);
    for function in &graph.functions {
        let Some(entry) = graph.entry(function) else { continue };
        graph.walk(entry, &mut |id| {
            let op = graph.op(id);
            count += u64::from(op.kind == OpKind::Rng);
            if std::ptr::eq(op, call.op) {
                own = count;
            }
        });
    }
    own
}

#[cfg(test)]
mod tests {
    use crate::testing::*;
    use fornax_graph::OpKind;

    /// Bits for state [42, 7], as XLA on CPU computes them.
    fn bits(algorithm: &str, shape: &[usize], element: fornax_graph::ElementType) -> (i64, Vec<u64>) {
        let state = ints(&[2], Ui64, &[42, 7]);
        let attrs = [("rng_algorithm", keyword(algorithm))];
        let out = op(OpKind::RngBitGenerator, &attrs, &[state], &[ty(&[2], Ui64), ty(shape, element)]);
        let bits = out[1].scalars().into_iter().map(|s| s.as_int() as u64).collect();
        (out[0].ints()[1] - 7, bits)
    }

    #[test]
    fn threefry_words_are_arranged_in_halves() {
        let (used, words) = bits("THREE_FRY", &[2, 3], Ui32);
        assert_eq!((used, &words[..4]), (3, &[0x9d838665, 0x1546f0b3, 0xfbb22ba6, 0xcceb7411][..]));
        let (used, words) = bits("THREE_FRY", &[3, 5], Ui32);
        assert_eq!((used, &words[4..6]), (9, &[0xfbb22ba6, 0x2193f28b][..]));
        let (used, words) = bits("THREE_FRY", &[5, 3], Ui32);
        assert_eq!((used, words[14]), (9, 0x6826c12f));
        assert_eq!(bits("THREE_FRY", &[], Ui32), (1, vec![0x9d838665]));
        assert_eq!(bits("THREE_FRY", &[2], Ui64), (2, vec![0xcceb74119d838665, 0x677f20061546f0b3]));
        assert_eq!(bits("THREE_FRY", &[2], Ui8), (1, vec![0x65, 0x11]));
    }

    #[test]
    fn philox_blocks() {
        let (used, words) = bits("PHILOX", &[5], Ui32);
        assert_eq!((used, words), (2, vec![0x559ee8e8, 0x3c8c395d, 0x3efdb4dc, 0xb9941942, 0x47265ece]));
        let (used, words) = bits("DEFAULT", &[3], Ui64);
        assert_eq!((used, words), (2, vec![0x3c8c395d559ee8e8, 0xb99419423efdb4dc, 0x1d2f191647265ece]));
    }
}
