//! The functions LLVM calls by itself, run at baseline x86-64 and compared with the standard library, bit for bit.
#![cfg(target_arch = "x86_64")]

use fornax_targets::Backend;

use super::cpu::{Loaded, load};
use super::kernels::cpu_kernel;
use super::{compile, target};

/// Elements of one test array.
const COUNT: usize = 4096;

/// (kernel name, operation on %x, %z, %w, element type in, element type out).
#[rustfmt::skip]
const KERNELS: &[(&str, &str, &str, &str)] = &[
    ("fma32", "math.fma %x, %z, %w : f32", "f32", "f32"), ("fma64", "math.fma %x, %z, %w : f64", "f64", "f64"),
    ("rem32", "arith.remf %x, %z : f32", "f32", "f32"), ("rem64", "arith.remf %x, %z : f64", "f64", "f64"),
    ("floor32", "math.floor %x : f32", "f32", "f32"), ("floor64", "math.floor %x : f64", "f64", "f64"),
    ("ceil32", "math.ceil %x : f32", "f32", "f32"), ("ceil64", "math.ceil %x : f64", "f64", "f64"),
    ("trunc32", "math.trunc %x : f32", "f32", "f32"), ("trunc64", "math.trunc %x : f64", "f64", "f64"),
    ("round32", "math.round %x : f32", "f32", "f32"), ("round64", "math.round %x : f64", "f64", "f64"),
    ("even32", "math.roundeven %x : f32", "f32", "f32"), ("even64", "math.roundeven %x : f64", "f64", "f64"),
    ("min16", "arith.minnumf %x, %z : f16", "f16", "f16"), ("max16", "arith.maxnumf %x, %z : f16", "f16", "f16"),
    ("f32_f16", "arith.truncf %x : f32 to f16", "f32", "f16"),
    ("f64_f16", "arith.truncf %x : f64 to f16", "f64", "f16"),
    ("f32_bf16", "arith.truncf %x : f32 to bf16", "f32", "bf16"),
    ("f64_bf16", "arith.truncf %x : f64 to bf16", "f64", "bf16"),
    ("f16_f32", "arith.extf %x : f16 to f32", "f16", "f32"),
];

fn image() -> Loaded {
    let target = target(Backend::Cpu, "x86-64");
    let mut kernels = Vec::new();
    for (name, operation, from, to) in KERNELS {
        let body = format!(
            "%x = llvm.load %a : !llvm.ptr -> {from}\n\
             %z = llvm.load %b : !llvm.ptr -> {from}\n\
             %w = llvm.load %c : !llvm.ptr -> {from}\n\
             %y = {operation}\nllvm.store %y, %d : {to}, !llvm.ptr"
        );
        kernels.push(compile(
            &target,
            name,
            cpu_kernel(name, COUNT, 1, &body, &[("a", from), ("b", from), ("c", from), ("d", to)]),
        ));
    }
    load(&target, &kernels)
}

fn run<T, U: Default + Clone>(loaded: &Loaded, kernel: &str, inputs: [&[T]; 3]) -> Vec<U> {
    assert!(inputs.iter().all(|input| input.len() == COUNT));
    let mut output = vec![U::default(); COUNT];
    let [a, b, c] = inputs.map(|input| input.as_ptr().cast_mut().cast());
    loaded.run(kernel, 0, &[a, b, c, output.as_mut_ptr().cast()]);
    output
}

/// A kernel and what it must equal.
type Reference<T> = (&'static str, fn(T, T, T) -> T);

/// A repeatable stream of bits.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Any double: special values, subnormals, few-bit mantissas, near one another, or all bits random.
    fn f64(&mut self) -> f64 {
        let bits = self.next();
        match bits % 6 {
            0 => [
                0.0,
                -0.0,
                1.0,
                -1.0,
                0.5,
                1.5,
                2.5,
                f64::INFINITY,
                f64::NEG_INFINITY,
                f64::NAN,
                f64::MIN_POSITIVE,
                f64::MAX,
                5e-324,
                65520.0,
                4503599627370495.5,
            ][(bits >> 8) as usize % 15],
            1 => f64::from_bits(self.next() & 0x800f_ffff_ffff_ffff),
            2 => f64::from_bits(self.next() & 0xffff_f000_0000_0000),
            3 => ((bits >> 40) as f64 - 8388608.0) / 256.0,
            4 => f64::from_bits(
                (self.next() & 0x807f_ffff_ffff_ffff) | 0x3f00_0000_0000_0000 | (bits & 0x00f0_0000_0000_0000),
            ),
            _ => f64::from_bits(self.next()),
        }
    }

    fn f32(&mut self) -> f32 {
        let bits = self.next();
        match bits % 4 {
            0 => f32::from_bits(self.next() as u32),
            1 => f32::from_bits(self.next() as u32 & 0x807f_ffff),
            2 => f32::from_bits((self.next() as u32 & 0x83ff_ffff) | 0x3c00_0000),
            _ => self.f64() as f32,
        }
    }
}

fn same64(kernel: &str, inputs: [f64; 3], found: f64, wanted: f64) {
    assert!(
        found.to_bits() == wanted.to_bits() || found.is_nan() && wanted.is_nan(),
        "{kernel}{inputs:?} = {wanted:e}, got {found:e}"
    );
}

fn same32(kernel: &str, inputs: [f32; 3], found: f32, wanted: f32) {
    assert!(
        found.to_bits() == wanted.to_bits() || found.is_nan() && wanted.is_nan(),
        "{kernel}{inputs:?} = {wanted:e}, got {found:e}"
    );
}

#[test]
fn f64_functions_equal_the_standard_library() {
    let loaded = image();
    let mut random = Random(0x1234_5678_9abc_def1);
    for round in 0..40 {
        let a: Vec<f64> = (0..COUNT).map(|_| random.f64()).collect();
        let b: Vec<f64> = (0..COUNT).map(|_| random.f64()).collect();
        // Every other time the addend nearly cancels the product.
        let c: Vec<f64> = (0..COUNT)
            .map(|i| {
                if (i + round) % 2 == 0 {
                    random.f64()
                } else {
                    f64::from_bits((-a[i] * b[i]).to_bits().wrapping_add(i as u64 % 3))
                }
            })
            .collect();
        let inputs: [&[f64]; 3] = [&a, &b, &c];
        let functions: &[Reference<f64>] = &[
            ("fma64", f64::mul_add),
            ("rem64", |x, y, _| x % y),
            ("floor64", |x, _, _| x.floor()),
            ("ceil64", |x, _, _| x.ceil()),
            ("trunc64", |x, _, _| x.trunc()),
            ("round64", |x, _, _| x.round()),
            ("even64", |x, _, _| x.round_ties_even()),
        ];
        for (kernel, function) in functions {
            let found: Vec<f64> = run(&loaded, kernel, inputs);
            (0..COUNT).for_each(|i| same64(kernel, [a[i], b[i], c[i]], found[i], function(a[i], b[i], c[i])));
        }
        let halves: Vec<u16> = run(&loaded, "f64_f16", inputs);
        let bfloats: Vec<u16> = run(&loaded, "f64_bf16", inputs);
        for i in 0..COUNT {
            assert_half(a[i], half::f16::from_bits(halves[i]), half_of(a[i]));
            let (found, wanted) = (half::bf16::from_bits(bfloats[i]), bfloat_of(a[i]));
            assert!(found == wanted || found.is_nan() && wanted.is_nan(), "bf16({:e}) = {wanted}, got {found}", a[i]);
        }
    }
}

#[test]
fn f32_functions_equal_the_standard_library() {
    let loaded = image();
    let mut random = Random(0x0fed_cba9_8765_4321);
    for round in 0..40 {
        let a: Vec<f32> = (0..COUNT).map(|_| random.f32()).collect();
        let b: Vec<f32> = (0..COUNT).map(|_| random.f32()).collect();
        let c: Vec<f32> = (0..COUNT)
            .map(|i| {
                if (i + round) % 2 == 0 {
                    random.f32()
                } else {
                    f32::from_bits((-a[i] * b[i]).to_bits().wrapping_add(i as u32 % 3))
                }
            })
            .collect();
        let inputs: [&[f32]; 3] = [&a, &b, &c];
        let functions: &[Reference<f32>] = &[
            ("fma32", f32::mul_add),
            ("rem32", |x, y, _| x % y),
            ("floor32", |x, _, _| x.floor()),
            ("ceil32", |x, _, _| x.ceil()),
            ("trunc32", |x, _, _| x.trunc()),
            ("round32", |x, _, _| x.round()),
            ("even32", |x, _, _| x.round_ties_even()),
        ];
        for (kernel, function) in functions {
            let found: Vec<f32> = run(&loaded, kernel, inputs);
            (0..COUNT).for_each(|i| same32(kernel, [a[i], b[i], c[i]], found[i], function(a[i], b[i], c[i])));
        }
        let halves: Vec<u16> = run(&loaded, "f32_f16", inputs);
        let bfloats: Vec<u16> = run(&loaded, "f32_bf16", inputs);
        for i in 0..COUNT {
            assert_half(f64::from(a[i]), half::f16::from_bits(halves[i]), half_of(f64::from(a[i])));
            let (found, wanted) = (half::bf16::from_bits(bfloats[i]), bfloat_of(f64::from(a[i])));
            assert!(found == wanted || found.is_nan() && wanted.is_nan(), "bf16({:e}) = {wanted}, got {found}", a[i]);
        }
    }
}

#[test]
fn every_half_extends_to_its_float() {
    let loaded = image();
    let all: Vec<u16> = (0..=u16::MAX).collect();
    for part in all.chunks(COUNT) {
        let found: Vec<f32> = run(&loaded, "f16_f32", [part, part, part]);
        for (bits, found) in part.iter().zip(found) {
            let wanted = exact_half(*bits);
            assert!(
                f64::from(found) == wanted && found.is_sign_negative() == (bits >> 15 == 1)
                    || found.is_nan() && wanted.is_nan(),
                "{bits:#x}: {found}"
            );
        }
    }
}

#[test]
fn a_nan_loses_in_half_extrema() {
    let loaded = image();
    let values: Vec<half::f16> = (0..COUNT).map(|i| half::f16::from_bits((i * 16) as u16)).collect();
    let reversed: Vec<half::f16> = values.iter().rev().copied().collect();
    let mins: Vec<half::f16> = run(&loaded, "min16", [&values, &reversed, &values]);
    let maxs: Vec<half::f16> = run(&loaded, "max16", [&values, &reversed, &values]);
    for (((x, y), min), max) in values.iter().zip(&reversed).zip(mins).zip(maxs) {
        let (x, y) = (f32::from(*x), f32::from(*y));
        assert!(f32::from(min) == x.min(y) || min.is_nan() && x.is_nan() && y.is_nan(), "min({x}, {y}) = {min}");
        assert!(f32::from(max) == x.max(y) || max.is_nan() && x.is_nan() && y.is_nan(), "max({x}, {y}) = {max}");
    }
}

fn assert_half(x: f64, found: half::f16, wanted: half::f16) {
    let equal = found.to_bits() == wanted.to_bits() || found.is_nan() && wanted.is_nan();
    assert!(equal, "f16({x:e}) = {wanted}, got {found}");
}

/// The value of a half, by definition.
fn exact_half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    match exponent {
        0 => sign * fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => sign * f64::INFINITY,
        31 => f64::NAN,
        _ => sign * (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
    }
}

/// Nearest-even rounding by definition: of the two neighbours the nearer, of equal ones the even; `bits` and `largest`
/// are the format's.
fn nearest(x: f64, low_exponent: i32, mantissa_bits: i32, overflow: f64) -> f64 {
    if x.is_nan() || x.is_infinite() || x == 0.0 {
        return x;
    }
    if x.abs() >= overflow {
        return f64::INFINITY.copysign(x);
    }
    // Both scalings are exact: powers of two, far from the ends of double's range for results that are not zero.
    let exponent = ((x.abs().to_bits() >> 52) as i32 - 1023).max(low_exponent);
    if exponent - mantissa_bits < -1000 || x.abs() < 2f64.powi(low_exponent - mantissa_bits - 1) {
        return 0f64.copysign(x);
    }
    let unit = 2f64.powi(exponent - mantissa_bits);
    ((x / unit).round_ties_even() * unit).copysign(x)
}

fn half_of(x: f64) -> half::f16 {
    half::f16::from_f64(nearest(x, -14, 10, 65520.0))
}

fn bfloat_of(x: f64) -> half::bf16 {
    half::bf16::from_f64(nearest(x, -126, 7, 2f64.powi(128) - 2f64.powi(119)))
}
