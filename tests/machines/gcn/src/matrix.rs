//! Matrix instructions: MFMA of the CDNA chips and WMMA of gfx11 and gfx12, with the lane layouts that are documented
//! for them.
//!
//! Input: a name (`v_mfma_f32_32x32x8f16`, `v_wmma_f32_16x16x16_bf16`), registers. Output: the product of each block
//! added to its third operand. All lanes take part, whatever EXEC says.
//!
//! MFMA of M rows, b blocks, e elements a lane: lane = row + M·(block + b·group), element i of it is K = e·group + i.
//! Results of 32 rows: register r holds row 8·(r div 4) + 4·(lane div 32) + r mod 4; of 16 rows: 4·(lane div 16) + r,
//! in f64 4·r + lane div 16; the column is lane mod M.
//!
//! Worked example: 32x32x8 of f16: lane 35 holds row 3 of A (column 3 of B) at K = 4 … 7, and results of column 3 in
//! rows 4 … 7, 12 … 15, …. Products of narrow types are exact; sums round in f32, K by K. Hardware's order inside of
//! one instruction is not documented.

use half::f16;

use crate::errors::FaultKind;
use crate::inst::{Inst, Slot, Src, Step, Trap};
use crate::table::small::Small;
use crate::value::{nearest_bf16, nearest_f16};
use crate::wave::Wave;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    F64,
    F32,
    Xf32,
    F16,
    Bf16,
    Fp8,
    Bf8,
    /// Six bits: two of exponent and three of mantissa, or three and two.
    Fp6,
    Bf6,
    /// Four bits: two of exponent, one of mantissa.
    Fp4,
    I8,
    U8,
    I4,
    U4,
    I32,
}

impl Element {
    fn named(name: &str) -> Option<Element> {
        Some(match name {
            "f64" => Element::F64,
            "f32" => Element::F32,
            "xf32" => Element::Xf32,
            "f16" => Element::F16,
            "bf16" | "bf16_1k" => Element::Bf16,
            "fp8" => Element::Fp8,
            "bf8" => Element::Bf8,
            "i8" => Element::I8,
            "iu8" => Element::U8,
            "iu4" => Element::U4,
            // Replaced by what the instruction says.
            "f8f6f4" => Element::Fp8,
            "i32" => Element::I32,
            _ => return None,
        })
    }

    pub fn bits(self) -> u32 {
        match self {
            Element::F64 => 64,
            Element::F32 | Element::Xf32 | Element::I32 => 32,
            Element::F16 | Element::Bf16 => 16,
            Element::Fp6 | Element::Bf6 => 6,
            Element::I4 | Element::U4 | Element::Fp4 => 4,
            _ => 8,
        }
    }

    fn is_integer(self) -> bool {
        matches!(self, Element::I8 | Element::U8 | Element::I4 | Element::U4)
    }

    /// The value of its bits; every type but f64 and i32 fits into f32, integers of 8 bits too.
    fn value(self, bits: u64, fnuz: bool) -> f64 {
        let word = bits as u32;
        match self {
            Element::F64 => f64::from_bits(bits),
            Element::F32 => f64::from(f32::from_bits(word)),
            Element::Xf32 => f64::from(f32::from_bits(nineteen(word))),
            Element::F16 => f16::from_bits(word as u16).to_f64(),
            Element::Bf16 => f64::from(f32::from_bits(word << 16)),
            Element::Fp8 => f64::from(Small::fp8(fnuz).value(word as u8)),
            Element::Bf8 => f64::from(Small::bf8(fnuz).value(word as u8)),
            Element::Fp6 => tiny(word, 2, 3),
            Element::Bf6 => tiny(word, 3, 2),
            Element::Fp4 => tiny(word, 2, 1),
            Element::I8 => f64::from(word as i8),
            Element::U8 => f64::from(word as u8),
            Element::I4 => f64::from((word << 28) as i32 >> 28),
            Element::U4 => f64::from(word & 15),
            Element::I32 => f64::from(word as i32),
        }
    }
}

/// A float of four or six bits; all are finite.
fn tiny(bits: u32, exponent: u32, mantissa: u32) -> f64 {
    let bias = (1 << (exponent - 1)) - 1;
    let (field, fraction) = (bits >> mantissa & ((1 << exponent) - 1), bits & ((1 << mantissa) - 1));
    let whole = if field == 0 { fraction } else { fraction | 1 << mantissa };
    let magnitude = f64::from(whole) * 2f64.powi(field.max(1) as i32 - bias - mantissa as i32);
    if bits >> (exponent + mantissa) & 1 == 1 { -magnitude } else { magnitude }
}

/// f32 rounded to ten bits of mantissa.
fn nineteen(bits: u32) -> u32 {
    if bits & 0x7f80_0000 == 0x7f80_0000 {
        return bits;
    }
    bits.wrapping_add(0xfff + (bits >> 13 & 1)) & !0x1fff
}

/// Which generation's layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    Mfma,
    /// gfx11: both halves of a wave hold the whole of A and B.
    Wmma11,
    Wmma12,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub layout: Layout,
    pub m: usize,
    pub k: usize,
    pub a: Element,
    pub b: Element,
    pub out: Element,
}

impl Shape {
    /// `f32_32x32x8f16`, `f32_32x32x4_2b_f16`, `f32_16x16x32_fp8_bf8`: behind `v_mfma_` or `v_wmma_`.
    pub fn read(name: &str, layout: Layout) -> Option<Shape> {
        let (out, rest) = name.split_once('_')?;
        let end = rest.char_indices().find(|(_, c)| !c.is_ascii_digit() && *c != 'x').map(|(at, _)| at)?;
        // `16x16x8_xf32` ends its shape at the underscore; `32x32x2f32` at the letter.
        let sizes: Vec<usize> =
            rest[..end].trim_end_matches('x').split('x').map(|size| size.parse().ok()).collect::<Option<_>>()?;
        let [m, n, k] = sizes[..] else { return None };
        let mut types = rest[end..].trim_start_matches('_');
        if let Some((blocks, rest)) = types.split_once('_')
            && blocks.ends_with('b')
            && blocks.trim_end_matches('b').parse::<u32>().is_ok()
        {
            types = rest;
        }
        let (a, b) = match Element::named(types) {
            Some(both) => (both, both),
            None => {
                let (a, b) = types.split_once('_')?;
                (Element::named(a)?, Element::named(b)?)
            }
        };
        let out = Element::named(out)?;
        (m == n).then_some(Shape { layout, m, k, a, b, out })
    }

    /// `f8f6f4`: the formats of A and B stand in the instruction. Elements of different widths lie at different K,
    /// which is not modelled.
    pub fn with_formats(self, a: i64, b: i64) -> Option<Shape> {
        let format = |number: i64| {
            Some(
                *[Element::Fp8, Element::Bf8, Element::Fp6, Element::Bf6, Element::Fp4]
                    .get(usize::try_from(number).ok()?)?,
            )
        };
        let (a, b) = (format(a)?, format(b)?);
        (a.bits() == b.bits()).then_some(Shape { a, b, ..self })
    }

    /// Words of A or B in a lane, and blocks, from the words of the result; None where the shape does not fill the
    /// wave.
    pub fn blocks(&self, dst_words: usize, lanes: usize) -> Option<usize> {
        if self.layout != Layout::Mfma {
            return Some(1);
        }
        let results = dst_words * 32 / self.out.bits() as usize * lanes;
        let blocks = results / (self.m * self.m);
        (blocks > 0 && blocks * self.m * self.m == results && lanes.is_multiple_of(self.m * blocks)).then_some(blocks)
    }
}

/// Bits `at` (counted in elements) of a lane's registers.
fn element(wave: &Wave, src: &Src, lane: usize, at: usize, bits: u32) -> u64 {
    let word = |index: usize| match src.slot {
        Slot::Vector(first) => wave.v[first as usize + index][lane],
        _ => 0,
    };
    if bits == 64 {
        return u64::from(word(2 * at)) | u64::from(word(2 * at + 1)) << 32;
    }
    let first = at * bits as usize;
    let mask = (1u64 << bits) - 1;
    let across = first % 32 + bits as usize > 32;
    let above = if across { u64::from(word(first / 32 + 1)) << 32 } else { 0 };
    (u64::from(word(first / 32)) | above) >> (first % 32) & mask
}

/// Lanes in which every word of an operand is defined.
fn defined(wave: &Wave, src: &Src) -> u64 {
    match src.slot {
        Slot::Vector(first) => {
            (0..u16::from(src.words)).fold(u64::MAX, |all, word| all & wave.vdef[(first + word) as usize])
        }
        _ => u64::MAX,
    }
}

/// A factor: `values[block][row][k]`, and which rows are defined.
struct Factor {
    values: Vec<f64>,
    known: Vec<bool>,
    k: usize,
}

impl Factor {
    fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.k..][..self.k]
    }
}

/// Row (with block) and first K of a lane, and how many elements it holds.
fn place(shape: &Shape, lane: usize, blocks: usize, lanes: usize) -> (usize, usize, usize) {
    let (row, group) = (lane % shape.m, lane / shape.m);
    match shape.layout {
        Layout::Mfma => {
            let groups = lanes / (shape.m * blocks);
            let each = shape.k / groups.max(1);
            (group % blocks * shape.m + row, group / blocks * each, each)
        }
        Layout::Wmma11 => (row, 0, shape.k),
        Layout::Wmma12 => {
            let each = shape.k * shape.m / lanes;
            (row, group * each, each)
        }
    }
}

fn factor(wave: &Wave, src: &Src, shape: &Shape, ty: Element, blocks: usize, fnuz: bool) -> Step<Factor> {
    let lanes = wave.lanes as usize;
    let rows = shape.m * blocks;
    let mut factor = Factor { values: vec![0.0; rows * shape.k], known: vec![true; rows], k: shape.k };
    let def = defined(wave, src);
    for lane in 0..lanes {
        let (row, first, each) = place(shape, lane, blocks, lanes);
        factor.known[row] &= def >> lane & 1 == 1;
        for i in 0..each {
            let value = ty.value(element(wave, src, lane, i, ty.bits()), fnuz);
            let slot = &mut factor.values[row * shape.k + first + i];
            if shape.layout == Layout::Wmma11 && lane >= shape.m && value.to_bits() != slot.to_bits() {
                let what = "lanes 16 and up do not hold the same factor as lanes 0 to 15";
                return Err(Trap::lane(FaultKind::Illegal, lane as u32, what));
            }
            *slot = value;
        }
    }
    Ok(factor)
}

/// Block, row and column of result `r` of a lane.
fn result_place(shape: &Shape, lane: usize, r: usize, blocks: usize, lanes: usize) -> (usize, usize, usize) {
    let (column, group) = (lane % shape.m, lane / shape.m);
    match (shape.layout, shape.m) {
        (Layout::Wmma11, _) => (0, lanes / 16 * r + group, column),
        (Layout::Wmma12, _) => (0, 256 / lanes * group + r, column),
        (_, 32) => (r / 16, 8 * (r % 16 / 4) + 4 * group + r % 4, column),
        (_, 16) if shape.out == Element::F64 => (0, 4 * r + group, column),
        (_, 16) => (r / 4, 4 * group + r % 4, column),
        (_, _) if shape.out == Element::F64 => (group % blocks, group / blocks, column),
        _ => (group, r, column),
    }
}

/// One result: the sum of products.
fn sum(shape: &Shape, a: &[f64], b: &[f64], start: f64) -> f64 {
    match shape.out {
        Element::F64 => a.iter().zip(b).fold(start, |sum, (a, b)| a.mul_add(*b, sum)),
        Element::I32 => a.iter().zip(b).fold(start, |sum, (a, b)| sum + a * b),
        // Products of narrow types are exact in f64; the sum rounds to f32 at every step.
        _ => f64::from(a.iter().zip(b).fold(start as f32, |sum, (a, b)| (a * b + f64::from(sum)) as f32)),
    }
}

/// The bits of a result.
fn bits(shape: &Shape, value: f64, clamp: bool) -> u64 {
    match shape.out {
        Element::F64 => value.to_bits(),
        Element::I32 if clamp => u64::from(value.clamp(f64::from(i32::MIN), f64::from(i32::MAX)) as i32 as u32),
        Element::I32 => u64::from(value as i64 as u32),
        Element::F16 => nearest_f16(value).into(),
        Element::Bf16 => nearest_bf16(value).into(),
        _ => u64::from((value as f32).to_bits()),
    }
}

/// Where result `r` of a lane stands: word, shift. gfx11 keeps halves apart, one a word.
fn result_word(shape: &Shape, r: usize) -> (usize, u32) {
    match (shape.out.bits(), shape.layout) {
        (64, _) => (2 * r, 0),
        (16, Layout::Wmma12) => (r / 2, 16 * (r as u32 % 2)),
        _ => (r, 0),
    }
}

/// Bits of `flags`: signs of the operands (integers of WMMA), of f64 factors; the high halves of gfx11's f16 results.
pub const SIGNED_A: u32 = 1;
pub const SIGNED_B: u32 = 2;
pub const NEG_A: u32 = 4;
pub const NEG_B: u32 = 8;
pub const NEG_C: u32 = 16;
pub const HIGH: u32 = 32;

fn with_sign(ty: Element, signed: bool) -> Element {
    match (ty, signed) {
        (Element::U8, true) => Element::I8,
        (Element::U4, true) => Element::I4,
        _ => ty,
    }
}

/// Runs a matrix instruction. Sources: A, B, C.
#[expect(clippy::needless_range_loop, reason = "a lane indexes several arrays")]
pub fn run(wave: &mut Wave, environment: &mut crate::environment::Environment<'_>, inst: &Inst) -> Step {
    let (crate::inst::Alu::Matrix(shape), [a, b, c], Some(dst)) = (&inst.alu, &inst.src[..], &inst.dst) else {
        return crate::run::malformed(inst);
    };
    let (lanes, fnuz, flags) = (wave.lanes as usize, environment.chip.fnuz, inst.flags);
    let Some(blocks) = shape.blocks(usize::from(dst.words), lanes) else { return crate::run::malformed(inst) };
    let ty = |ty: Element, signed: u32| with_sign(ty, flags & signed != 0);
    let left = factor(wave, a, shape, ty(shape.a, SIGNED_A), blocks, fnuz)?;
    let right = factor(wave, b, shape, ty(shape.b, SIGNED_B), blocks, fnuz)?;
    let sign = if (flags & NEG_A != 0) != (flags & NEG_B != 0) { -1.0 } else { 1.0 };
    let high = if flags & HIGH != 0 { 16 } else { 0 };
    let known_c = defined(wave, c);
    let results =
        usize::from(dst.words) * 32 / if shape.layout == Layout::Wmma11 { 32 } else { shape.out.bits() as usize };
    let mut words = vec![[0u32; 64]; usize::from(dst.words)];
    let mut def = vec![u64::MAX; usize::from(dst.words)];
    let mut turned = Vec::new();
    for lane in 0..lanes {
        for r in 0..results {
            let (block, row, column) = result_place(shape, lane, r, blocks, lanes);
            let (word, shift) = result_word(shape, r);
            let start = start(wave, c, shape, lane, word, shift + high);
            let (row, column) = (block * shape.m + row, block * shape.m + column);
            let mut factors = left.row(row);
            if sign < 0.0 {
                turned.clear();
                turned.extend(factors.iter().map(|value| -value));
                factors = &turned;
            }
            let start = if flags & NEG_C != 0 { -start } else { start };
            let value = bits(shape, sum(shape, factors, right.row(column), start), inst.clamp);
            words[word][lane] |= (value as u32) << (shift + high);
            if shape.out == Element::F64 {
                words[word + 1][lane] = (value >> 32) as u32;
            }
            if !(left.known[row] && right.known[column] && known_c >> lane & 1 == 1) {
                def[word] &= !(1 << lane);
                if shape.out == Element::F64 {
                    def[word + 1] &= !(1 << lane);
                }
            }
        }
    }
    let Slot::Vector(first) = dst.slot else { return crate::run::malformed(inst) };
    let keeps = shape.layout == Layout::Wmma11 && shape.out.bits() == 16;
    for (at, (word, def)) in words.iter().zip(def).enumerate() {
        let register = first as usize + at;
        let kept = if keeps { 0xffff << (16 - high) } else { 0 };
        for (old, new) in wave.v[register].iter_mut().zip(word) {
            *old = *old & kept | new;
        }
        wave.vdef[register] = def;
    }
    Ok(())
}

/// The addend of a result.
fn start(wave: &Wave, src: &Src, shape: &Shape, lane: usize, word: usize, shift: u32) -> f64 {
    let bits = match src.slot {
        Slot::Vector(first) => {
            let low = u64::from(wave.v[first as usize + word][lane] >> shift);
            match shape.out.bits() {
                64 => low | u64::from(wave.v[first as usize + word + 1][lane]) << 32,
                16 => low & 0xffff,
                _ => low,
            }
        }
        Slot::Const(bits) => bits,
        _ => 0,
    };
    shape.out.value(bits, false)
}

/// Whether sums of this shape are integers; then an inline constant is one.
pub fn integer(shape: &Shape) -> bool {
    shape.a.is_integer()
}
