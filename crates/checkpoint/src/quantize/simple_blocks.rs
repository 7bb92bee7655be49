//! Blocks of 32 elements with one scale, perhaps an offset, both f16: Q4_0, Q4_1, Q5_0, Q5_1, Q8_0.
//!
//! Nibbles: of byte `j` the low one is element `j`, the high one element `j + 16`. Fifth bits: bit `j` of a word of 32.

use super::k_blocks::{half, number, put_half};

const ELEMENTS: usize = 32;

/// 1 over a number; 0 of 0.
fn inverse(number: f32) -> f32 {
    if number == 0.0 { 0.0 } else { 1.0 / number }
}

/// The element of the largest magnitude.
fn largest(block: &[f32]) -> f32 {
    block.iter().fold(0.0, |most: f32, &x| if x.abs() > most.abs() { x } else { most })
}

/// The smallest and the largest element.
fn ends(block: &[f32]) -> (f32, f32) {
    block.iter().fold((f32::MAX, f32::MIN), |(low, high), &x| (low.min(x), high.max(x)))
}

/// A number without its fraction, from 0 to `most`.
fn cut(x: f32, most: u8) -> u8 {
    (x as u8).min(most)
}

fn put_nibbles(elements: &[u8; ELEMENTS], out: &mut Vec<u8>) {
    let (low, high) = elements.split_at(ELEMENTS / 2);
    out.extend(low.iter().zip(high).map(|(low, high)| (low & 15) | (high & 15) << 4));
}

fn put_fifths(elements: &[u8; ELEMENTS], out: &mut Vec<u8>) {
    let bits = elements.iter().rev().fold(0u32, |bits, &element| bits << 1 | u32::from(element >> 4 & 1));
    out.extend(bits.to_le_bytes());
}

fn rounded(block: &[f32], element: impl Fn(f32) -> u8) -> [u8; ELEMENTS] {
    let mut elements = [0; ELEMENTS];
    elements.iter_mut().zip(block).for_each(|(to, &x)| *to = element(x));
    elements
}

pub fn write_q4_0(block: &[f32], out: &mut Vec<u8>) {
    let scale = largest(block) / -8.0;
    let by = inverse(scale);
    put_half(scale, out);
    put_nibbles(&rounded(block, |x| cut(x * by + 8.5, 15)), out);
}

pub fn write_q4_1(block: &[f32], out: &mut Vec<u8>) {
    let (low, high) = ends(block);
    let scale = (high - low) / 15.0;
    let by = inverse(scale);
    put_half(scale, out);
    put_half(low, out);
    put_nibbles(&rounded(block, |x| cut((x - low) * by + 0.5, 15)), out);
}

pub fn write_q5_0(block: &[f32], out: &mut Vec<u8>) {
    let scale = largest(block) / -16.0;
    let by = inverse(scale);
    let elements = rounded(block, |x| cut(x * by + 16.5, 31));
    put_half(scale, out);
    put_fifths(&elements, out);
    put_nibbles(&elements, out);
}

pub fn write_q5_1(block: &[f32], out: &mut Vec<u8>) {
    let (low, high) = ends(block);
    let scale = (high - low) / 31.0;
    let by = inverse(scale);
    let elements = rounded(block, |x| cut((x - low) * by + 0.5, 31));
    put_half(scale, out);
    put_half(low, out);
    put_fifths(&elements, out);
    put_nibbles(&elements, out);
}

pub fn write_q8_0(block: &[f32], out: &mut Vec<u8>) {
    let scale = largest(block).abs() / 127.0;
    let by = inverse(scale);
    put_half(scale, out);
    // Half away from 0, as C's roundf.
    out.extend(block.iter().map(|x| (x * by).round() as i8 as u8));
}

/// Elements of nibbles from byte `at` on, each with a fifth bit of a word.
fn nibbles(block: &[u8], at: usize, fifths: u32) -> impl Iterator<Item = f32> {
    let bytes = block.get(at..at + ELEMENTS / 2).unwrap_or_default();
    let all = bytes.iter().map(|byte| byte & 15).chain(bytes.iter().map(|byte| byte >> 4));
    all.enumerate().map(move |(at, low)| f32::from(low | ((fifths >> at & 1) as u8) << 4))
}

pub fn read_q4_0(block: &[u8], out: &mut Vec<f32>) {
    let scale = half(block, 0);
    out.extend(nibbles(block, 2, 0).map(|element| (element - 8.0) * scale));
}

pub fn read_q4_1(block: &[u8], out: &mut Vec<f32>) {
    let (scale, low) = (half(block, 0), half(block, 2));
    out.extend(nibbles(block, 4, 0).map(|element| element * scale + low));
}

pub fn read_q5_0(block: &[u8], out: &mut Vec<f32>) {
    let (scale, fifths) = (half(block, 0), number(block, 2, u32::from_le_bytes));
    out.extend(nibbles(block, 6, fifths).map(|element| (element - 16.0) * scale));
}

pub fn read_q5_1(block: &[u8], out: &mut Vec<f32>) {
    let (scale, low) = (half(block, 0), half(block, 2));
    let fifths = number(block, 4, u32::from_le_bytes);
    out.extend(nibbles(block, 8, fifths).map(|element| element * scale + low));
}

pub fn read_q8_0(block: &[u8], out: &mut Vec<f32>) {
    let scale = half(block, 0);
    out.extend(block.iter().skip(2).map(|&byte| f32::from(byte as i8) * scale));
}
