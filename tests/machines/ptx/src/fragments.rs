//! Fragments of matrix instructions: which element of A, B and D each register of each lane holds, and the multiply
//! itself.
//!
//! Input: an [`Mma`] and the warp's registers. Output: the registers of D. With g = lane / 4, t = lane mod 4 and e
//! elements in a 32-bit register (1 for tf32 and f64), register i holds, from its low bits up:
//!
//! | | row or column | step or column |
//! | --- | --- | --- |
//! | A, 16 rows | g + 8·(i mod 2) | t·e + 4e·(i div 2) … |
//! | A, 8 rows | g | t·e + 4e·i … |
//! | B | column g | t·e + 4e·i … |
//! | D | row g + 8·(i div 2) | column 2t + (i mod 2) |
//!
//! m8n8k4 of f16 has a layout of its own: four products, one for each quad pair. Products are exact, sums round in f32
//! (f64, i32) one after another from k = 0 up.
//!
//! Worked example: m16n8k16 bf16, lane 5 (g = 1, t = 1): register 3 of A holds `A[9][10]` and `A[9][11]`.

use half::{bf16, f16};

use crate::inst::{Element, Mma, Slot};
use crate::lanes::Lanes;

/// The number in an element's bits; integers as they are.
pub fn decode(element: Element, bits: u64) -> f64 {
    match element {
        Element::F16 => f64::from(f16::from_bits(bits as u16)),
        Element::Bf16 => f64::from(bf16::from_bits(bits as u16)),
        Element::Tf32 => f64::from(f32::from_bits(bits as u32 & 0xFFFF_E000)),
        Element::F32 => f64::from(f32::from_bits(bits as u32)),
        Element::F64 => f64::from_bits(bits),
        Element::E4m3 => eight_bits(bits as u8, 3, 7),
        Element::E5m2 => eight_bits(bits as u8, 2, 15),
        Element::S8 => f64::from(bits as u8 as i8),
        Element::U8 => f64::from(bits as u8),
        Element::S4 => f64::from(((bits as u8) << 4) as i8 >> 4),
        Element::U4 => f64::from(bits as u8 & 15),
        Element::S32 => f64::from(bits as u32 as i32),
    }
}

/// A float of 8 bits: e4m3 has no infinities and one NaN a sign, e5m2 is as IEEE.
fn eight_bits(bits: u8, mantissa: u32, bias: i32) -> f64 {
    let sign = if bits & 0x80 != 0 { -1.0 } else { 1.0 };
    let exponent = i32::from((bits & 0x7F) >> mantissa);
    let fraction = f64::from(bits & ((1 << mantissa) - 1));
    let unit = 2f64.powi(-(mantissa as i32));
    match (mantissa, exponent) {
        (3, 15) if bits & 7 == 7 => f64::NAN,
        (2, 31) => {
            if fraction == 0.0 {
                sign * f64::INFINITY
            } else {
                f64::NAN
            }
        }
        (_, 0) => sign * fraction * unit * 2f64.powi(1 - bias),
        _ => sign * (1.0 + fraction * unit) * 2f64.powi(exponent - bias),
    }
}

fn is_quad_pairs(mma: &Mma) -> bool {
    mma.shape == (8, 8, 4) && mma.a_type == Element::F16
}

/// Elements of a 32-bit register (f64: of a 64-bit one).
fn per_register(element: Element) -> u32 {
    32 / element.bits().min(32)
}

const SHAPES: &[(u32, u32, u32, u32)] = &[
    // (m, n, k, bits of an element of A)
    (16, 8, 16, 16),
    (16, 8, 8, 16),
    (16, 8, 8, 32),
    (16, 8, 4, 32),
    (16, 8, 32, 8),
    (16, 8, 16, 8),
    (8, 8, 16, 8),
    (16, 8, 64, 4),
    (16, 8, 32, 4),
    (8, 8, 32, 4),
    (8, 8, 4, 64),
    (16, 8, 4, 64),
    (16, 8, 8, 64),
    (16, 8, 16, 64),
    (8, 8, 4, 16),
];

/// Whether the shape exists for the types and the registers fit it.
pub fn check(mma: &Mma) -> Result<(), String> {
    let (m, n, k) = mma.shape;
    let bits = mma.a_type.bits();
    if !SHAPES.contains(&(m, n, k, bits)) || mma.b_type.bits() != bits {
        return Err(format!("there is no m{m}n{n}k{k} of these types"));
    }
    let quads = is_quad_pairs(mma);
    if !(quads || mma.a_row && mma.b_col) {
        return Err("only A by rows and B by columns is an instruction".into());
    }
    let register = bits.max(32);
    let split = if mma.a_split { 2 } else { 1 };
    let (a, b) = if quads { (2, 2) } else { (m * k * bits / 32 / register, n * k * bits / 32 / register) };
    let d = if quads { 256 / 32 } else { m * n / 32 };
    let d = if mma.d_type == Element::F16 { d / if mma.c_split { 1 } else { 2 } } else { d };
    let found = (mma.a.len() as u32, mma.b.len() as u32, mma.c.len() as u32);
    if found == (a * split, b * split, d) {
        Ok(())
    } else {
        Err(format!("registers of A, B, C: {found:?}, where {:?} belong to the shape", (a * split, b * split, d)))
    }
}

/// Bits of element `at` of an operand of a lane.
fn element_bits(registers: &[Lanes], slots: &[Slot], split: bool, element: Element, lane: usize, at: u32) -> u64 {
    if split {
        return registers[slots[at as usize] as usize][lane];
    }
    let each = per_register(element);
    let word = registers[slots[(at / each) as usize] as usize][lane];
    if element == Element::F64 {
        word
    } else {
        (word >> (element.bits() * (at % each))) & (u64::MAX >> (64 - element.bits()))
    }
}

/// Row and step of element `at` of A.
fn place_a(mma: &Mma, lane: u32, at: u32) -> (u32, u32) {
    let (group, thread) = (lane / 4, lane % 4);
    let each = per_register(mma.a_type);
    let (register, sub) = (at / each, at % each);
    if mma.shape.0 == 16 {
        (group + 8 * (register & 1), thread * each + sub + 4 * each * (register >> 1))
    } else {
        (group, thread * each + sub + 4 * each * register)
    }
}

/// Step and column of element `at` of B.
fn place_b(mma: &Mma, lane: u32, at: u32) -> (u32, u32) {
    let (group, thread) = (lane / 4, lane % 4);
    let each = per_register(mma.b_type);
    let (register, sub) = (at / each, at % each);
    (thread * each + sub + 4 * each * register, group)
}

/// Row and column of element `at` of D.
fn place_d(lane: u32, at: u32) -> (u32, u32) {
    (lane / 4 + 8 * (at >> 1), 2 * (lane % 4) + (at & 1))
}

/// Multiplies, writing the registers of D.
pub fn multiply(mma: &Mma, registers: &mut [Lanes]) {
    if is_quad_pairs(mma) {
        return quad_pairs(mma, registers);
    }
    match mma.d_type {
        Element::F64 => product(
            mma,
            registers,
            |x| x,
            |bits| decode(Element::F64, bits),
            |a, b, sum| a.mul_add(b, sum),
            f64::to_bits,
        ),
        Element::S32 => {
            let limit = |x: i64| if mma.saturate { x.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) } else { x };
            let old = |bits: u64| i64::from(bits as u32 as i32);
            product(mma, registers, |x| x as i64, old, |a, b, sum| sum + a * b, |x| u64::from(limit(x) as u32));
        }
        // Products of the narrow types are exact in f32.
        Element::F16 => {
            let old = |bits: u64| decode(Element::F16, bits) as f32;
            product(
                mma,
                registers,
                |x| x as f32,
                old,
                |a, b, sum| sum + a * b,
                |x| u64::from(f16::from_f32(x).to_bits()),
            );
        }
        _ => {
            let old = |bits: u64| f32::from_bits(bits as u32);
            product(mma, registers, |x| x as f32, old, |a, b, sum| sum + a * b, |x| u64::from(x.to_bits()));
        }
    }
}

/// The product in a type of sums: how an element, the former value, a step and a result become one another.
fn product<T: Copy + Default>(
    mma: &Mma,
    registers: &mut [Lanes],
    element: impl Fn(f64) -> T,
    old: impl Fn(u64) -> T,
    step: impl Fn(T, T, T) -> T,
    bits: impl Fn(T) -> u64,
) {
    let (m, n, k) = mma.shape;
    let (mut a, mut b) = ([[T::default(); 64]; 16], [[T::default(); 8]; 64]);
    for lane in 0..32u32 {
        for at in 0..m * k / 32 {
            let (row, step) = place_a(mma, lane, at);
            let bits = element_bits(registers, &mma.a, mma.a_split, mma.a_type, lane as usize, at);
            a[row as usize][step as usize] = element(decode(mma.a_type, bits));
        }
        for at in 0..n * k / 32 {
            let (step, column) = place_b(mma, lane, at);
            let bits = element_bits(registers, &mma.b, mma.a_split, mma.b_type, lane as usize, at);
            b[step as usize][column as usize] = element(decode(mma.b_type, bits));
        }
    }
    let packed = mma.d_type == Element::F16 && !mma.c_split;
    let mut d = [[T::default(); 8]; 16];
    for lane in 0..32u32 {
        for at in 0..m * n / 32 {
            let (row, column) = place_d(lane, at);
            let c = element_bits(registers, &mma.c, mma.c_split || !packed, mma.d_type, lane as usize, at);
            d[row as usize][column as usize] = old(c);
        }
    }
    for (row, sums) in d.iter_mut().enumerate().take(m as usize) {
        for (x, line) in a[row].iter().zip(&b).take(k as usize) {
            sums.iter_mut().zip(line).for_each(|(sum, y)| *sum = step(*x, *y, *sum));
        }
    }
    let mut out = [[0u64; 32]; 8];
    for lane in 0..32u32 {
        for at in 0..m * n / 32 {
            let (row, column) = place_d(lane, at);
            let bits = bits(d[row as usize][column as usize]);
            match packed {
                true => out[(at / 2) as usize][lane as usize] |= bits << (16 * (at % 2)),
                false => out[at as usize][lane as usize] = bits,
            }
        }
    }
    let to = mma.to as usize;
    registers[to..to + mma.c.len()].copy_from_slice(&out[..mma.c.len()]);
}

/// m8n8k4: lanes 4q … 4q+3 and 16+4q … 16+4q+3 make the q-th product.
fn quad_pairs(mma: &Mma, registers: &mut [Lanes]) {
    let packed = mma.d_type == Element::F16 && !mma.c_split;
    let mut out = vec![[0u64; 32]; mma.c.len()];
    for quad in 0..4u32 {
        let lanes: Vec<u32> = (0..4).map(|i| 4 * quad + i).chain((0..4).map(|i| 16 + 4 * quad + i)).collect();
        let (mut a, mut b) = ([[0.0; 4]; 8], [[0.0; 8]; 4]);
        for &lane in &lanes {
            let (within, high) = (lane % 4, if lane < 16 { 0 } else { 4 });
            for at in 0..4 {
                let bits = element_bits(registers, &mma.a, mma.a_split, Element::F16, lane as usize, at);
                let (row, step) = if mma.a_row { (within + high, at) } else { (at + high, within) };
                a[row as usize][step as usize] = decode(Element::F16, bits);
                let bits = element_bits(registers, &mma.b, mma.a_split, Element::F16, lane as usize, at);
                let (step, column) = if mma.b_col { (at, within + high) } else { (within, at + high) };
                b[step as usize][column as usize] = decode(Element::F16, bits);
            }
        }
        for &lane in &lanes {
            let high = if lane < 16 { 0 } else { 4 };
            for at in 0..8u32 {
                let (row, column) = if mma.d_type == Element::F16 {
                    (lane % 4 + high, at)
                } else {
                    ((lane & 1) + (at & 2) + high, (at & 4) + (lane & 2) + (at & 1))
                };
                let c = element_bits(registers, &mma.c, mma.c_split || !packed, mma.d_type, lane as usize, at);
                let mut sum = decode(mma.d_type, c) as f32;
                (0..4).for_each(|step| sum += (a[row as usize][step] * b[step][column as usize]) as f32);
                let half = mma.d_type == Element::F16;
                let bits = if half { u64::from(f16::from_f32(sum).to_bits()) } else { u64::from(sum.to_bits()) };
                match packed {
                    true => out[(at / 2) as usize][lane as usize] |= bits << (16 * (at % 2)),
                    false => out[at as usize][lane as usize] = bits,
                }
            }
        }
    }
    for (at, lanes) in out.into_iter().enumerate() {
        registers[mma.to as usize + at] = lanes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_bit_floats() {
        assert_eq!(decode(Element::E4m3, 0x7E), 448.0);
        assert!(decode(Element::E4m3, 0x7F).is_nan());
        assert_eq!(decode(Element::E4m3, 0x01), 2f64.powi(-9));
        assert_eq!(decode(Element::E5m2, 0x7B), 57344.0);
        assert_eq!(decode(Element::E5m2, 0xFC), f64::NEG_INFINITY);
    }

    #[test]
    fn an_identity_passes_the_other_operand() {
        // bf16 m16n8k16: A the identity, B[k][n] = k + n/16; D must be B.
        let mma = Mma {
            shape: (16, 8, 16),
            a_type: Element::Bf16,
            b_type: Element::Bf16,
            d_type: Element::F32,
            a_row: true,
            b_col: true,
            saturate: false,
            a: vec![0, 1, 2, 3],
            b: vec![4, 5],
            c: vec![6, 7, 8, 9],
            to: 10,
            a_split: false,
            c_split: false,
        };
        check(&mma).unwrap();
        let mut registers = vec![[0u64; 32]; 14];
        let pack = |x: f32| u64::from(bf16::from_f32(x).to_bits());
        for lane in 0..32u32 {
            for at in 0..8 {
                let (row, step) = place_a(&mma, lane, at);
                registers[(at / 2) as usize][lane as usize] |=
                    pack(if row == step { 1.0 } else { 0.0 }) << (16 * (at % 2));
            }
            for at in 0..4 {
                let (step, column) = place_b(&mma, lane, at);
                let x = step as f32 + column as f32 / 16.0;
                registers[4 + (at / 2) as usize][lane as usize] |= pack(x) << (16 * (at % 2));
            }
        }
        multiply(&mma, &mut registers);
        for lane in 0..32u32 {
            for at in 0..4 {
                let (row, column) = place_d(lane, at);
                let x = f32::from_bits(registers[10 + at as usize][lane as usize] as u32);
                assert_eq!(x, bf16::from_f32(row as f32 + column as f32 / 16.0).to_f32());
            }
        }
    }
}
