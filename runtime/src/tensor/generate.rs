//! `=iota` and `=random:SEED[:LO:HI]`: values from the element's index alone, the same on every device and machine.
//!
//! The rule of `random`, for element `i` (row-major; the index mod 2^32) with all arithmetic on `x` mod 2^32:
//!
//! ```text
//! x = i * 0x9E3779B1 + (SEED * 0x85EBCA77 + 0x165667B1)
//! x ^= x >> 16;  x *= 0x7FEB352D;  x ^= x >> 15;  x *= 0x846CA68B;  x ^= x >> 16
//! floats:   LO + (HI - LO) * (x >> 8) * 2^-24, each step in f32, then rounded to the type; LO = 0, HI = 1
//! integers: LO + x mod (HI - LO); LO = 0, HI = 256 or one more than the type's largest value
//! i1:       x & 1
//! complex:  the real parts with SEED, the imaginary parts with SEED + 1
//! ```

use std::sync::{Mutex, PoisonError};

use fornax_types::{Class, Scalar};

use super::{ElementType, Tensor, TensorType, zeroed};
use crate::errors::Result;
use crate::threads::{by_threads, cores};

/// Row-major index of each element, wrapped into the type.
pub fn iota(ty: TensorType) -> Result<Tensor> {
    fill(ty, |index, _| Scalar::Int(index as i128))
}

/// Seed and range of `random`.
pub struct Random {
    pub seed: u64,
    pub range: Option<(f64, f64)>,
}

/// See the rule above.
pub fn random(ty: TensorType, random: &Random) -> Result<Tensor> {
    let element = ty.element_type;
    let seed = random.seed as u32;
    let integers = integer_bounds(element, random.range);
    let (lo, hi) = random.range.map_or((0.0, 1.0), |(lo, hi)| (lo as f32, hi as f32));
    let float = |index: usize, seed: u32| {
        let unit = (hash(index as u32, seed) >> 8) as f32 * (1.0 / 16_777_216.0);
        f64::from(lo + (hi - lo) * unit)
    };
    fill(ty, |index, class| match class {
        Class::Boolean => Scalar::Int(i128::from(hash(index as u32, seed) & 1)),
        Class::SignedInteger | Class::UnsignedInteger | Class::Quantized => {
            Scalar::Int(integers.0 + i128::from(hash(index as u32, seed)) % integers.1)
        }
        Class::Float => Scalar::Float(float(index, seed)),
        Class::Complex => Scalar::Complex(float(index, seed), float(index, seed.wrapping_add(1))),
    })
}

/// Lower bound and extent of random integers.
fn integer_bounds(element: ElementType, range: Option<(f64, f64)>) -> (i128, i128) {
    let (lo, hi) = match range {
        Some((lo, hi)) => (lo as i128, hi as i128),
        None => {
            let bits = element.bits().min(9);
            let largest = if element.is_unsigned() { bits } else { bits - 1 };
            (0, 1i128 << largest.min(8))
        }
    };
    (lo, (hi - lo).max(1))
}

fn hash(index: u32, seed: u32) -> u32 {
    let offset = seed.wrapping_mul(0x85EB_CA77).wrapping_add(0x1656_67B1);
    let mut x = index.wrapping_mul(0x9E37_79B1).wrapping_add(offset);
    x ^= x >> 16;
    x = x.wrapping_mul(0x7FEB_352D);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846C_A68B);
    x ^ (x >> 16)
}

/// Elements that a thread makes at a time.
const PIECE: usize = 1 << 16;
/// Threads at most.
const THREADS: usize = 16;

/// A tensor of the values of its indices, which several threads find where there are many.
fn fill(ty: TensorType, value: impl Fn(usize, Class) -> Scalar + Sync) -> Result<Tensor> {
    let (all, class) = (ty.elements()?, ty.element_type.class());
    let mut bytes = zeroed(ty.bytes()?)?;
    let each = ty.element_type.storage_bytes();
    let pieces = Mutex::new(bytes.chunks_mut(PIECE * each).enumerate());
    by_threads(cores().min(THREADS).min(all.div_ceil(PIECE)), "fornax-fill", &|| -> Result<()> {
        let mut made = Vec::with_capacity(PIECE * each);
        loop {
            let Some((at, piece)) = pieces.lock().unwrap_or_else(PoisonError::into_inner).next() else { return Ok(()) };
            made.clear();
            let indices = at * PIECE..((at + 1) * PIECE).min(all);
            indices.for_each(|index| ty.element_type.encode(value(index, class), &mut made));
            piece.copy_from_slice(&made);
        }
    })?;
    Tensor::new(ty, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(tensor: &Tensor) -> Vec<f64> {
        let number = |scalar| match scalar {
            Scalar::Int(v) => v as f64,
            Scalar::Float(v) | Scalar::Complex(v, _) => v,
        };
        tensor.iter().map(number).collect()
    }

    #[test]
    fn the_rule_gives_these_numbers() {
        let ty = |element| TensorType::new(element, [4]);
        let plain = Random { seed: 7, range: None };
        let f32s = random(ty(ElementType::F32), &plain).unwrap();
        // Computed once by an independent implementation of the rule.
        assert_eq!(values(&f32s), EXPECTED_F32);
        let ranged = Random { seed: 7, range: Some((-1.0, 1.0)) };
        assert!(values(&random(ty(ElementType::Bf16), &ranged).unwrap()).iter().all(|v| (-1.0..=1.0).contains(v)));
        let ints = Random { seed: 3, range: Some((-5.0, 5.0)) };
        assert_eq!(values(&random(ty(ElementType::I32), &ints).unwrap()), EXPECTED_I32);
    }

    #[test]
    fn iota_wraps() {
        let tensor = iota(TensorType::new(ElementType::Ui8, [300])).unwrap();
        assert_eq!(tensor.bytes()[299], 43);
    }

    const EXPECTED_F32: [f64; 4] = [0.3281429409980774, 0.5916693210601807, 0.20331454277038574, 0.66103196144104];
    const EXPECTED_I32: [f64; 4] = [0.0, -5.0, 2.0, -2.0];
}
