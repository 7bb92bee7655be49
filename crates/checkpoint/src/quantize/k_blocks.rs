//! Blocks of 256 elements in runs, whose scales are numbers of a few bits with one scale: Q4_K, Q5_K, Q6_K.

use fornax_types::ElementType;
use fornax_types::float::{decode_float, encode_float};

use super::search::{Affine, Steps, affine, nearest, symmetric};

const ELEMENTS: usize = 256;
/// Elements of a run of Q4_K and Q5_K, and runs of a block.
const RUN: usize = 32;
const RUNS: usize = 8;
/// Their scales and offsets have six bits.
const SIX_BITS: u8 = 63;
/// Elements of a run of Q6_K, and runs of a block.
const SHORT_RUN: usize = 16;
const SHORT_RUNS: usize = 16;
/// The largest magnitude of a scale of Q6_K.
const SIGNED: f32 = 128.0;

/// The f16 at bytes `at..at + 2`.
pub fn half(block: &[u8], at: usize) -> f32 {
    decode_float(ElementType::F16, number(block, at, u16::from_le_bytes).into()) as f32
}

/// The number at a byte.
pub fn number<T, const N: usize>(block: &[u8], at: usize, read: fn([u8; N]) -> T) -> T {
    read(block.get(at..).and_then(<[u8]>::first_chunk).copied().unwrap_or([0; N]))
}

pub fn put_half(number: f32, out: &mut Vec<u8>) {
    out.extend((encode_float(ElementType::F16, number.into()) as u16).to_le_bytes());
}

/// A number as f16 has it.
fn as_half(number: f32) -> f32 {
    decode_float(ElementType::F16, encode_float(ElementType::F16, number.into())) as f32
}

/// Scales and offsets of eight runs in 12 bytes: of the first four the six bits stand in bytes of their own, whose two
/// upper bits are those of the other four; their lower four bits are the last four bytes.
fn packed(scales: &[u8; RUNS], below: &[u8; RUNS]) -> [u8; 12] {
    let mut out = [0; 12];
    for run in 0..4 {
        out[run] = scales[run] | (scales[run + 4] >> 4) << 6;
        out[run + 4] = below[run] | (below[run + 4] >> 4) << 6;
        out[run + 8] = scales[run + 4] & 15 | (below[run + 4] & 15) << 4;
    }
    out
}

/// The scale and the offset of a run.
fn unpacked(block: &[u8], at: usize, run: usize) -> (f32, f32) {
    let byte = |n: usize| block.get(at + n).copied().unwrap_or(0);
    let (scale, below) = match run {
        0..4 => (byte(run) & SIX_BITS, byte(run + 4) & SIX_BITS),
        _ => {
            let low = byte(run + 4);
            (low & 15 | (byte(run - 4) >> 6) << 4, low >> 4 | (byte(run) >> 6) << 4)
        }
    };
    (scale.into(), below.into())
}

/// The beginning of a block, two scales and those of runs, and its elements.
fn runs(block: &[f32], steps: Steps, out: &mut Vec<u8>) -> [u8; ELEMENTS] {
    let mut found = [Affine::default(); RUNS];
    found.iter_mut().zip(block.chunks_exact(RUN)).for_each(|(to, run)| *to = affine(run, steps));
    let most = |of: fn(&Affine) -> f32| found.iter().map(of).fold(0.0, f32::max);
    let (most_scale, most_below) = (most(|run| run.scale), most(|run| run.below));
    let bits = |of: fn(&Affine) -> f32, most: f32| {
        let by = if most > 0.0 { f32::from(SIX_BITS) / most } else { 0.0 };
        found.map(|run| nearest(by * of(&run), 0, SIX_BITS.into()) as u8)
    };
    let (scales, below) = (bits(|run| run.scale, most_scale), bits(|run| run.below, most_below));
    let (scale, offset) = (most_scale / f32::from(SIX_BITS), most_below / f32::from(SIX_BITS));
    put_half(scale, out);
    put_half(offset, out);
    out.extend(packed(&scales, &below));
    let mut elements = [0; ELEMENTS];
    let (scale, offset) = (as_half(scale), as_half(offset));
    for (at, (to, run)) in elements.chunks_exact_mut(RUN).zip(block.chunks_exact(RUN)).enumerate() {
        let (own, low) = (scale * f32::from(scales[at]), offset * f32::from(below[at]));
        if own != 0.0 {
            to.iter_mut().zip(run).for_each(|(to, x)| *to = nearest((x + low) / own, 0, steps.most) as u8);
        }
    }
    elements
}

/// Of 64 elements the first 32 are low nibbles, the others high ones.
fn put_nibbles(elements: &[u8; ELEMENTS], out: &mut Vec<u8>) {
    for pair in elements.chunks_exact(2 * RUN) {
        let (low, high) = pair.split_at(RUN);
        out.extend(low.iter().zip(high).map(|(low, high)| (low & 15) | (high & 15) << 4));
    }
}

pub fn write_q4_k(block: &[f32], out: &mut Vec<u8>) {
    let elements = runs(block, Steps { most: 15, first: -1.0, tries: 20 }, out);
    put_nibbles(&elements, out);
}

pub fn write_q5_k(block: &[f32], out: &mut Vec<u8>) {
    let elements = runs(block, Steps { most: 31, first: -0.5, tries: 15 }, out);
    // Bit r of byte l: the fifth bit of element l of run r.
    let fifths = |at: usize| {
        let runs = elements.chunks_exact(RUN).enumerate();
        runs.fold(0, |bits, (run, elements)| bits | (elements.get(at).copied().unwrap_or(0) >> 4) << run)
    };
    out.extend((0..RUN).map(fifths));
    put_nibbles(&elements, out);
}

/// Elements of runs, each with a fifth bit where `fifths` is the place of their bytes.
fn read_runs(block: &[u8], (fifths, nibbles): (Option<usize>, usize), out: &mut Vec<f32>) {
    let (scale, offset) = (half(block, 0), half(block, 2));
    let byte = |at: usize| block.get(at).copied().unwrap_or(0);
    for run in 0..RUNS {
        let (own, low) = unpacked(block, 4, run);
        let (own, low) = (scale * own, offset * low);
        for at in 0..RUN {
            let pair = byte(nibbles + run / 2 * RUN + at);
            let element = if run % 2 == 0 { pair & 15 } else { pair >> 4 };
            let fifth = fifths.map_or(0, |from| byte(from + at) >> run & 1);
            out.push(own * f32::from(element | fifth << 4) - low);
        }
    }
}

pub fn read_q4_k(block: &[u8], out: &mut Vec<f32>) {
    read_runs(block, (None, 16), out);
}

pub fn read_q5_k(block: &[u8], out: &mut Vec<f32>) {
    read_runs(block, (Some(16), 48), out);
}

/// Runs of Q6_K whose largest scale is less are zeros.
const SMALLEST: f32 = 1e-15;
/// Elements go from minus this to one less than it.
const HALF_RANGE: i32 = 32;

pub fn write_q6_k(block: &[f32], out: &mut Vec<u8>) {
    let mut found = [0.0f32; SHORT_RUNS];
    found.iter_mut().zip(block.chunks_exact(SHORT_RUN)).for_each(|(to, run)| *to = symmetric(run, HALF_RANGE));
    let most = found.iter().fold(0.0, |most: f32, &scale| if scale.abs() > most.abs() { scale } else { most });
    let (mut elements, mut scales, mut scale) = ([0u8; ELEMENTS], [0i8; SHORT_RUNS], 0.0);
    if most.abs() >= SMALLEST {
        let by = -SIGNED / most;
        scale = 1.0 / by;
        scales = found.map(|own| nearest(by * own, i8::MIN.into(), i8::MAX.into()) as i8);
        for (at, (to, run)) in elements.chunks_exact_mut(SHORT_RUN).zip(block.chunks_exact(SHORT_RUN)).enumerate() {
            let own = as_half(scale) * f32::from(scales[at]);
            let element = |x: f32| if own == 0.0 { 0 } else { nearest(x / own, -HALF_RANGE, HALF_RANGE - 1) };
            to.iter_mut().zip(run).for_each(|(to, x)| *to = (element(*x) + HALF_RANGE) as u8);
        }
    }
    let halves = || elements.chunks_exact(ELEMENTS / 2);
    for half in halves() {
        let (low, high) = half.split_at(ELEMENTS / 4);
        out.extend(low.iter().zip(high).map(|(low, high)| (low & 15) | (high & 15) << 4));
    }
    for half in halves() {
        let upper = |at: usize| half.iter().skip(at).step_by(RUN).rev().fold(0, |bits, x| bits << 2 | x >> 4);
        out.extend((0..RUN).map(upper));
    }
    out.extend(scales.map(|scale| scale as u8));
    put_half(scale, out);
}

pub fn read_q6_k(block: &[u8], out: &mut Vec<f32>) {
    let scale = half(block, 208);
    let byte = |at: usize| block.get(at).copied().unwrap_or(0);
    for at in 0..ELEMENTS {
        // Two halves of 128: 64 bytes of nibbles and 32 of upper bits each.
        let (part, own) = (at / 128, at % 128);
        let pair = byte(part * 64 + own % 64);
        let low = if own < 64 { pair & 15 } else { pair >> 4 };
        let upper = byte(128 + part * 32 + own % RUN) >> (own / RUN * 2) & 3;
        let own = scale * f32::from(byte(192 + at / SHORT_RUN) as i8);
        out.push(own * (f32::from(low | upper << 4) - HALF_RANGE as f32));
    }
}
