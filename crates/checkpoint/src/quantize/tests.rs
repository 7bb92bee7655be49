//! Errors of every kind of blocks, and bytes that were written by hand.

use super::*;

/// Numbers that look drawn: no pattern of a block's length.
fn numbers(count: usize) -> Vec<f32> {
    let mut state = 12345u64;
    (0..count)
        .map(|at| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let even = (state >> 40) as f32 / (1u64 << 24) as f32 - 0.5;
            // Blocks of different ranges and means.
            even * (1.0 + (at / 256) as f32) + 0.1 * (at / 512) as f32
        })
        .collect()
}

/// Root of the mean square of what elements are off by, of that of the elements.
fn error(name: &str, numbers: &[f32]) -> f64 {
    let coder = Coder::named(name).unwrap();
    let (mut bytes, mut back) = (Vec::new(), Vec::new());
    coder.write(numbers, &mut bytes);
    assert_eq!(bytes.len() as u64, numbers.len() as u64 / coder.kind.elements * coder.kind.bytes, "{name}");
    coder.read(&bytes, &mut back);
    assert_eq!(back.len(), numbers.len(), "{name}");
    let sum = |of: &dyn Fn(f32, f32) -> f32| {
        numbers.iter().zip(&back).map(|(&a, &b)| f64::from(of(a, b)).powi(2)).sum::<f64>()
    };
    (sum(&|a, b| a - b) / sum(&|a, _| a)).sqrt()
}

#[test]
fn errors_are_those_of_the_bits() {
    let numbers = numbers(4096);
    for (name, low, high) in [
        ("q4_0", 0.05, 0.11),
        ("q4_1", 0.03, 0.07),
        ("q5_0", 0.025, 0.055),
        ("q5_1", 0.015, 0.035),
        ("q8_0", 0.002, 0.006),
        ("q4_k", 0.03, 0.07),
        ("q5_k", 0.015, 0.035),
        ("q6_k", 0.01, 0.025),
    ] {
        let found = error(name, &numbers);
        assert!((low..high).contains(&found), "{name}: {found}");
    }
}

#[test]
fn what_blocks_can_say_comes_back() {
    for name in Coder::names() {
        let zeros = vec![0.0; 512];
        assert!(error(&name, &zeros).is_nan() || error(&name, &zeros) == 0.0);
        let same = vec![-1.5; 512];
        assert!(error(&name, &same) < 0.01, "{name}: {}", error(&name, &same));
        let small = vec![6e-3; 512];
        assert!(error(&name, &small) < 0.02, "{name}: {}", error(&name, &small));
    }
}

/// Packing by hand: a block that every kind can say without loss.
#[test]
fn bytes_lie_where_the_format_says() {
    let coder = |name| Coder::named(name).unwrap();
    let bytes = |name, numbers: &[f32]| {
        let mut out = Vec::new();
        coder(name).write(numbers, &mut out);
        out
    };
    // -8 to 7 twice: scale 1 (f16 0x3C00), the first nibble 0.
    let numbers: Vec<f32> = (0..32).map(|n| (n % 16) as f32 - 8.0).collect();
    let q4_0 = bytes("q4_0", &numbers);
    assert_eq!(q4_0[..4], [0x00, 0x3C, 0x00, 0x11]);
    assert_eq!(q4_0[17], 0xFF);
    // 0 to 31: scale 1, offset 0; fifth bits of the upper half.
    let numbers: Vec<f32> = (0..32).map(|n| n as f32).collect();
    let q5_1 = bytes("q5_1", &numbers);
    assert_eq!(q5_1[..10], [0x00, 0x3C, 0, 0, 0, 0, 0xFF, 0xFF, 0x00, 0x11]);
    // 127 as it is, the rest rounded half away from zero.
    let mut numbers = vec![0.5; 32];
    numbers[31] = -127.0;
    let q8_0 = bytes("q8_0", &numbers);
    assert_eq!((q8_0[2], q8_0[33] as i8), (1, -127));
}
