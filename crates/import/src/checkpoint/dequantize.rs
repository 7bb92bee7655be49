//! Blocks of quantised elements as ordinary ops on bytes: shifts, masks, conversions, products.
//!
//! A tensor of blocks is `[…, blocks, bytes]` of ui8 (`fornax_checkpoint::blocks::Kind::stored`); the result is
//! `[…, blocks * elements]` of f32. Layouts are those of llama.cpp's `ggml-quants.c`.

use fornax_checkpoint::blocks::Kind;
use fornax_types::ElementType;

use super::text::{Text, Value};

type Expand = fn(&mut Text, &Value) -> Value;

/// What a kind's blocks `[…, blocks, bytes]` hold, `[…, blocks, elements]` of f32; the elements may have several
/// dimensions.
const LAYOUTS: &[(&str, Expand)] = &[
    ("Q4_0", q4_0),
    ("Q4_1", q4_1),
    ("Q5_0", q5_0),
    ("Q5_1", q5_1),
    ("Q8_0", q8_0),
    ("Q4_K", q4_k),
    ("Q5_K", q5_k),
    ("Q6_K", q6_k),
    ("IQ4_NL", iq4_nl),
    ("IQ4_XS", iq4_xs),
    ("MXFP4", mxfp4),
];

/// Names of the kinds that can be computed with, plain ones apart.
pub fn known() -> Vec<&'static str> {
    LAYOUTS.iter().map(|row| row.0).collect()
}

/// Elements of a tensor in blocks, as f32; `None` where the kind's layout is not known.
pub fn dequantize(text: &mut Text, blocks: &Value, kind: &Kind) -> Option<Value> {
    let elements = expanded(text, blocks, kind)?;
    let (count, rows) = blocks.outer().split_last()?;
    let shape: Vec<u64> = rows.iter().copied().chain([count * kind.elements]).collect();
    Some(text.reshape(&elements, &shape))
}

/// The same with blocks apart, `[…, blocks, elements]`.
pub fn expanded(text: &mut Text, blocks: &Value, kind: &Kind) -> Option<Value> {
    let expand = LAYOUTS.iter().find(|row| row.0 == kind.name)?.1;
    Some(expand(text, blocks))
}

/// The shape of what all blocks have, one of `sizes` each.
fn of_blocks(blocks: &Value, sizes: &[u64]) -> Vec<u64> {
    blocks.outer().iter().chain(sizes).copied().collect()
}

/// `[…, blocks]` of f32: the f16 at bytes `at..at + 2`.
fn half(text: &mut Text, blocks: &Value, at: u64) -> Value {
    let bytes = text.slice_last(blocks, at, at + 2);
    let half = text.bitcast(&bytes, ElementType::F16);
    text.convert(&half, ElementType::F32)
}

/// Bits of bytes: `(byte >> shift) & mask`.
fn bits(text: &mut Text, bytes: &Value, shift: u64, mask: u64) -> Value {
    let shifted = match shift {
        0 => bytes.clone(),
        _ => text.binary_with("shift_right_logical", bytes, &shift.to_string()),
    };
    if shift + u64::from(mask.count_ones()) == 8 {
        shifted
    } else {
        text.binary_with("and", &shifted, &mask.to_string())
    }
}

/// Bits of bytes that several elements have in common, in a shape where these stand side by side: an element is shifted
/// by its number along each of some dimensions times so many bits.
fn shifted(text: &mut Text, bytes: &Value, (shape, along): (&[u64], &[(usize, u64)]), mask: u64) -> Value {
    let mut shift: Option<Value> = None;
    for &(dim, by) in along {
        let number = text.iota(shape, dim);
        let number = text.convert(&number, ElementType::Ui8);
        let own = text.binary_with("multiply", &number, &by.to_string());
        shift = Some(shift.map_or(own.clone(), |shift| text.binary("add", &shift, &own)));
    }
    let mut spread = text.spread(bytes, shape);
    if let Some(shift) = shift {
        spread = text.binary("shift_right_logical", &spread, &shift);
    }
    text.binary_with("and", &spread, &mask.to_string())
}

/// `low | high << shift`.
fn joined(text: &mut Text, low: &Value, high: &Value, shift: u64) -> Value {
    let high = text.binary_with("shift_left", high, &shift.to_string());
    text.binary("or", low, &high)
}

/// `(elements - minus) * scale`, one scale for each run of the last dimension.
fn scaled(text: &mut Text, elements: &Value, minus: f64, scale: &Value) -> Value {
    let mut floats = text.convert(elements, ElementType::F32);
    if minus != 0.0 {
        let minus = text.float(minus, &floats.shape.clone());
        floats = text.binary("subtract", &floats, &minus);
    }
    let scale = text.spread(scale, &floats.shape.clone());
    text.binary("multiply", &floats, &scale)
}

/// `elements * scale + offset`, or `-` by `op`.
fn affine(text: &mut Text, elements: &Value, scale: &Value, (op, offset): (&str, &Value)) -> Value {
    let products = scaled(text, elements, 0.0, scale);
    let offset = text.spread(offset, &products.shape.clone());
    text.binary(op, &products, &offset)
}

/// d, 16 bytes of nibbles: the low ones are the first 16 elements.
fn q4_0(text: &mut Text, blocks: &Value) -> Value {
    let scale = half(text, blocks, 0);
    let elements = nibble_elements(text, blocks, 2);
    scaled(text, &elements, 8.0, &scale)
}

/// d, m, nibbles.
fn q4_1(text: &mut Text, blocks: &Value) -> Value {
    let (scale, offset) = (half(text, blocks, 0), half(text, blocks, 2));
    let elements = nibble_elements(text, blocks, 4);
    affine(text, &elements, &scale, ("add", &offset))
}

/// d, 32 fifth bits, nibbles.
fn q5_0(text: &mut Text, blocks: &Value) -> Value {
    let scale = half(text, blocks, 0);
    let elements = five_bits(text, blocks, 2);
    scaled(text, &elements, 16.0, &scale)
}

/// d, m, 32 fifth bits, nibbles.
fn q5_1(text: &mut Text, blocks: &Value) -> Value {
    let (scale, offset) = (half(text, blocks, 0), half(text, blocks, 2));
    let elements = five_bits(text, blocks, 4);
    affine(text, &elements, &scale, ("add", &offset))
}

/// d, 32 signed bytes.
fn q8_0(text: &mut Text, blocks: &Value) -> Value {
    let scale = half(text, blocks, 0);
    let bytes = text.slice_last(blocks, 2, 34);
    let elements = text.bitcast(&bytes, ElementType::I8);
    scaled(text, &elements, 0.0, &scale)
}

/// 32 elements of 16 bytes from `at` on, low nibbles first.
fn nibble_elements(text: &mut Text, blocks: &Value, at: u64) -> Value {
    let bytes = text.slice_last(blocks, at, at + 16);
    let (low, high) = text.nibbles(&bytes);
    text.concatenate_last(&[&low, &high])
}

/// 32 elements of five bits: bit i of the four bytes at `at` is the fifth of element i, nibbles follow.
fn five_bits(text: &mut Text, blocks: &Value, at: u64) -> Value {
    let low = nibble_elements(text, blocks, at + 4);
    let bytes = text.slice_last(blocks, at, at + 4);
    let of_bits: Vec<u64> = bytes.shape.iter().copied().chain([8]).collect();
    let bytes = text.spread(&bytes, &of_bits);
    let number = text.iota(&of_bits, of_bits.len() - 1);
    let number = text.convert(&number, ElementType::Ui8);
    let shifted = text.binary("shift_right_logical", &bytes, &number);
    let fifth = text.binary_with("and", &shifted, "1");
    let fifth = text.reshape(&fifth, &low.shape.clone());
    joined(text, &low, &fifth, 4)
}

/// Scales and minima of the eight runs of a K block, `[…, blocks, 8]` of ui8 each: six bits in 12 bytes.
fn six_bit_scales(text: &mut Text, blocks: &Value, at: u64) -> (Value, Value) {
    let first = text.slice_last(blocks, at, at + 4);
    let second = text.slice_last(blocks, at + 4, at + 8);
    let third = text.slice_last(blocks, at + 8, at + 12);
    let (low, high) = text.nibbles(&third);
    let mut both = |direct: &Value, low: &Value| {
        let early = bits(text, direct, 0, 63);
        let upper = bits(text, direct, 6, 3);
        let late = joined(text, low, &upper, 4);
        text.concatenate_last(&[&early, &late])
    };
    (both(&first, &low), both(&second, &high))
}

/// The eight runs of 32 elements of a K block with a scale and a minimum each: `d·scale·q - dmin·min`. The runs are the
/// dimensions of `elements` between blocks and elements.
fn k_runs(text: &mut Text, blocks: &Value, elements: &Value) -> Value {
    let (scale, least) = (half(text, blocks, 0), half(text, blocks, 2));
    let (scales, minima) = six_bit_scales(text, blocks, 4);
    let scales = scaled(text, &scales, 0.0, &scale);
    let minima = scaled(text, &minima, 0.0, &least);
    let runs = elements.outer().to_vec();
    let (scales, minima) = (text.reshape(&scales, &runs), text.reshape(&minima, &runs));
    affine(text, elements, &scales, ("subtract", &minima))
}

/// `[…, blocks, 4, 2, 32]` of nibbles: of each 32 bytes the low ones are a run, the high ones the next.
fn nibble_runs(text: &mut Text, blocks: &Value, at: u64) -> Value {
    let bytes = text.slice_last(blocks, at, at + 128);
    let bytes = text.reshape(&bytes, &of_blocks(blocks, &[4, 1, 32]));
    let (low, high) = text.nibbles(&bytes);
    text.concatenate(&[&low, &high], blocks.shape.len())
}

/// d, dmin, 12 bytes of scales, 128 of nibbles.
fn q4_k(text: &mut Text, blocks: &Value) -> Value {
    let elements = nibble_runs(text, blocks, 16);
    k_runs(text, blocks, &elements)
}

/// d, dmin, 12 bytes of scales, 32 of fifth bits (bit r of byte l: run r, element l), 128 of nibbles. Elements are
/// `[…, blocks, 4, 2, 32]`: of each 32 bytes the low nibbles are a run, the high ones the next.
fn q5_k(text: &mut Text, blocks: &Value) -> Value {
    let shape = of_blocks(blocks, &[4, 2, 32]);
    let pair = blocks.shape.len() - 1;
    let low = text.slice_last(blocks, 48, 176);
    let low = text.reshape(&low, &of_blocks(blocks, &[4, 1, 32]));
    let low = shifted(text, &low, (&shape, &[(pair + 1, 4)]), 15);
    let fifth = text.slice_last(blocks, 16, 48);
    let fifth = text.reshape(&fifth, &of_blocks(blocks, &[1, 1, 32]));
    let fifth = shifted(text, &fifth, (&shape, &[(pair, 2), (pair + 1, 1)]), 1);
    let elements = joined(text, &low, &fifth, 4);
    k_runs(text, blocks, &elements)
}

/// 128 bytes of low nibbles, 64 of upper bits, 16 signed scales, d. Elements are `[…, blocks, 2, 2, 2, 2, 16]`: in each
/// half of a block the low nibbles of 64 bytes, then the high ones; of 64 two parts of 32, which have two bits each of
/// the same upper bytes; of a part two runs with a scale.
fn q6_k(text: &mut Text, blocks: &Value) -> Value {
    let of_halves = |text: &mut Text, (from, to): (u64, u64), parts: u64| {
        let bytes = text.slice_last(blocks, from, to);
        text.reshape(&bytes, &of_blocks(blocks, &[2, 1, parts, 2, 16]))
    };
    let shape = of_blocks(blocks, &[2, 2, 2, 2, 16]);
    let nibble = blocks.shape.len();
    let low = of_halves(text, (0, 128), 2);
    let low = shifted(text, &low, (&shape, &[(nibble, 4)]), 15);
    let upper = of_halves(text, (128, 192), 1);
    let upper = shifted(text, &upper, (&shape, &[(nibble, 4), (nibble + 1, 2)]), 3);
    let elements = joined(text, &low, &upper, 4);
    let scales = text.slice_last(blocks, 192, 208);
    let scales = text.bitcast(&scales, ElementType::I8);
    let scale = half(text, blocks, 208);
    let scales = scaled(text, &scales, 0.0, &scale);
    let scales = text.reshape(&scales, elements.outer());
    scaled(text, &elements, 32.0, &scales)
}

/// The 16 values of IQ4_NL and IQ4_XS (`kvalues_iq4nl`).
const IQ4_VALUES: [i8; 16] = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];
/// The 16 values of E2M1, which MXFP4 has, twice as large: whole numbers.
const E2M1_DOUBLED: [i8; 16] = [0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12];

/// Numbers of a table for four-bit elements.
fn looked_up(text: &mut Text, elements: &Value, table: &[i8; 16]) -> Value {
    let count = elements.shape.iter().product();
    let flat = text.reshape(elements, &[count]);
    let flat = text.convert(&flat, ElementType::I32);
    let table = text.bytes(table);
    let found = text.rows(&table, &flat);
    text.reshape(&found, &elements.shape.clone())
}

/// d, nibbles that name values.
fn iq4_nl(text: &mut Text, blocks: &Value) -> Value {
    let scale = half(text, blocks, 0);
    let elements = nibble_elements(text, blocks, 2);
    let values = looked_up(text, &elements, &IQ4_VALUES);
    scaled(text, &values, 0.0, &scale)
}

/// d, two bytes of upper and four of lower scale bits, eight runs of 16 bytes of nibbles that name values.
fn iq4_xs(text: &mut Text, blocks: &Value) -> Value {
    let upper = text.slice_last(blocks, 2, 4);
    let upper: Vec<Value> = [0, 2, 4, 6].iter().map(|&shift| bits(text, &upper, shift, 3)).collect();
    let upper: Vec<Value> = upper.iter().map(|bits| text.reshape(bits, &of_blocks(blocks, &[2, 1]))).collect();
    let upper = text.concatenate_last(&upper.iter().collect::<Vec<_>>());
    let upper = text.reshape(&upper, &of_blocks(blocks, &[8]));
    let lower = text.slice_last(blocks, 4, 8);
    let (even, odd) = text.nibbles(&lower);
    let even = text.reshape(&even, &of_blocks(blocks, &[4, 1]));
    let odd = text.reshape(&odd, &of_blocks(blocks, &[4, 1]));
    let lower = text.concatenate_last(&[&even, &odd]);
    let lower = text.reshape(&lower, &of_blocks(blocks, &[8]));
    let scales = joined(text, &lower, &upper, 4);
    let scale = half(text, blocks, 0);
    let scales = scaled(text, &scales, 32.0, &scale);
    let bytes = text.slice_last(blocks, 8, 136);
    let bytes = text.reshape(&bytes, &of_blocks(blocks, &[8, 16]));
    let (low, high) = text.nibbles(&bytes);
    let elements = text.concatenate_last(&[&low, &high]);
    let values = looked_up(text, &elements, &IQ4_VALUES);
    scaled(text, &values, 0.0, &scales)
}

/// An exponent (E8M0), nibbles of E2M1.
fn mxfp4(text: &mut Text, blocks: &Value) -> Value {
    let exponent = text.slice_last(blocks, 0, 1);
    let exponent = text.bitcast(&exponent, ElementType::F8E8M0FNU);
    let exponent = text.convert(&exponent, ElementType::F32);
    let scale = text.reshape(&exponent, blocks.outer());
    let scale = text.binary_with("multiply", &scale, "0.5");
    let elements = nibble_elements(text, blocks, 1);
    let values = looked_up(text, &elements, &E2M1_DOUBLED);
    scaled(text, &values, 0.0, &scale)
}
