//! Elements of several buffers in host memory become one buffer: first to last, element by element.
//!
//! Floats of 16 bits are combined in 32 and rounded once at the end.

use fornax_module::collective::Reducer;
use fornax_types::ElementType;
use half::{bf16, f16};

/// What a reducer does to two values of a type.
trait Number: Copy {
    fn reduce(self, other: Self, by: Reducer) -> Self;
}

macro_rules! integers {
    ($($of:ty),*) => {$(
        impl Number for $of {
            fn reduce(self, other: Self, by: Reducer) -> Self {
                match by {
                    Reducer::Add => self.wrapping_add(other),
                    Reducer::Multiply => self.wrapping_mul(other),
                    Reducer::Minimum => self.min(other),
                    Reducer::Maximum => self.max(other),
                    Reducer::And => self & other,
                    Reducer::Or => self | other,
                }
            }
        }
    )*};
}

integers!(i8, i16, i32, i64, u8, u16, u32, u64);

macro_rules! floats {
    ($($of:ty),*) => {$(
        impl Number for $of {
            /// Minimum and maximum of a NaN are NaN, and -0 lies below 0. Floats have no `and` and `or`: the compiler
            /// asks for none.
            fn reduce(self, other: Self, by: Reducer) -> Self {
                match by {
                    Reducer::Add => self + other,
                    Reducer::Multiply => self * other,
                    _ if self.is_nan() || other.is_nan() => <$of>::NAN,
                    Reducer::Minimum | Reducer::And if self < other || self == other && self.is_sign_negative() => self,
                    Reducer::Maximum | Reducer::Or if self > other || self == other && self.is_sign_positive() => self,
                    _ => other,
                }
            }
        }
    )*};
}

floats!(f32, f64);

/// Combines `bytes` at each of the sources into the target, in that order.
pub(super) fn combine(element: ElementType, by: Option<Reducer>, sources: &[u64], target: u64, bytes: u64) {
    let Some(by) = by else { return };
    let count = bytes as usize / element.storage_bytes();
    match element {
        ElementType::F32 => fold::<f32, f32>(sources, target, count, by, |x| x, |x| x),
        ElementType::F64 => fold::<f64, f64>(sources, target, count, by, |x| x, |x| x),
        ElementType::F16 => fold(sources, target, count, by, f16::to_f32, f16::from_f32),
        ElementType::Bf16 => fold(sources, target, count, by, bf16::to_f32, bf16::from_f32),
        ElementType::I8 => fold::<i8, i8>(sources, target, count, by, |x| x, |x| x),
        ElementType::I16 => fold::<i16, i16>(sources, target, count, by, |x| x, |x| x),
        ElementType::I32 => fold::<i32, i32>(sources, target, count, by, |x| x, |x| x),
        ElementType::I64 => fold::<i64, i64>(sources, target, count, by, |x| x, |x| x),
        ElementType::I1 | ElementType::Ui8 => fold::<u8, u8>(sources, target, count, by, |x| x, |x| x),
        ElementType::Ui16 => fold::<u16, u16>(sources, target, count, by, |x| x, |x| x),
        ElementType::Ui32 => fold::<u32, u32>(sources, target, count, by, |x| x, |x| x),
        ElementType::Ui64 => fold::<u64, u64>(sources, target, count, by, |x| x, |x| x),
        // `fornax_module::collective::combines` has no others.
        _ => {}
    }
}

/// Elements of a buffer that are combined before the next buffer's: few enough to stay in the nearest cache.
const AT_ONCE: usize = 2048;

fn fold<T: Copy, W: Number>(
    sources: &[u64],
    target: u64,
    count: usize,
    by: Reducer,
    widen: impl Fn(T) -> W,
    round: impl Fn(W) -> T,
) {
    let Some((&first, others)) = sources.split_first() else { return };
    // SAFETY: the device layer checked that `count` elements at each address lie inside of live blocks, aligned to 16
    // bytes and the target apart from the sources; everyone who owns one waits until all are through, so nobody writes
    // to a source, and nobody else touches these elements of the target.
    let of = |address: u64| unsafe { std::slice::from_raw_parts(address as *const T, count) };
    // SAFETY: as above.
    let target = unsafe { std::slice::from_raw_parts_mut(target as *mut T, count) };
    let (first, others): (&[T], Vec<&[T]>) = (of(first), others.iter().map(|&address| of(address)).collect());
    let mut sums: Vec<W> = Vec::with_capacity(AT_ONCE.min(count));
    for (at, out) in target.chunks_mut(AT_ONCE).enumerate() {
        let begin = at * AT_ONCE;
        sums.clear();
        sums.extend(first.iter().skip(begin).take(out.len()).map(|&x| widen(x)));
        for other in &others {
            let Some(next) = other.get(begin..begin + out.len()) else { continue };
            sums.iter_mut().zip(next).for_each(|(sum, &next)| *sum = sum.reduce(widen(next), by));
        }
        out.iter_mut().zip(&sums).for_each(|(out, &sum)| *out = round(sum));
    }
}
