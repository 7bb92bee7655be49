//! Elements of several buffers become one: as NCCL numbers types and operations.

use std::ffi::c_int;

use half::{bf16, f16};

/// Bytes of an element.
pub fn width(element: c_int) -> Option<usize> {
    [1, 1, 4, 4, 8, 8, 2, 4, 8, 2].get(usize::try_from(element).ok()?).copied()
}

fn fold<const N: usize, T: PartialOrd + Copy>(
    buffers: &[&[u8]],
    read: fn([u8; N]) -> T,
    write: fn(T) -> [u8; N],
    combine: impl Fn(T, T) -> T,
) -> Vec<u8> {
    let numbers = |bytes: &[u8]| -> Vec<T> {
        bytes.chunks_exact(N).map(|chunk| read(chunk.try_into().expect("N bytes"))).collect()
    };
    let mut all = buffers.iter().map(|bytes| numbers(bytes));
    let first = all.next().unwrap_or_default();
    let sum = all.fold(first, |sum, next| sum.iter().zip(next).map(|(a, b)| combine(*a, b)).collect());
    sum.into_iter().flat_map(write).collect()
}

/// What the library's operation makes of as many elements in each buffer.
pub fn combine(element: c_int, operation: c_int, buffers: &[&[u8]]) -> Option<Vec<u8>> {
    macro_rules! of {
        ($ty:ty, $add:expr, $multiply:expr) => {
            fold(buffers, <$ty>::from_le_bytes, <$ty>::to_le_bytes, |a: $ty, b: $ty| match operation {
                0 => $add(a, b),
                1 => $multiply(a, b),
                2 => {
                    if b > a {
                        b
                    } else {
                        a
                    }
                }
                _ => {
                    if b < a {
                        b
                    } else {
                        a
                    }
                }
            })
        };
    }
    (0..4).contains(&operation).then_some(())?;
    Some(match element {
        0 => of!(i8, i8::wrapping_add, i8::wrapping_mul),
        1 => of!(u8, u8::wrapping_add, u8::wrapping_mul),
        2 => of!(i32, i32::wrapping_add, i32::wrapping_mul),
        3 => of!(u32, u32::wrapping_add, u32::wrapping_mul),
        4 => of!(i64, i64::wrapping_add, i64::wrapping_mul),
        5 => of!(u64, u64::wrapping_add, u64::wrapping_mul),
        6 => of!(f16, |a, b| a + b, |a, b| a * b),
        7 => of!(f32, |a, b| a + b, |a, b| a * b),
        8 => of!(f64, |a, b| a + b, |a, b| a * b),
        9 => of!(bf16, |a, b| a + b, |a, b| a * b),
        _ => return None,
    })
}
