//! Matrix instructions against a plain product: every shape of every chip, filled and read by the documented lane
//! layouts.
//!
//! Values are small integers that every type holds, so that each result is exact. Worked example: 16x16x16 of f16 on
//! gfx908 has four elements a lane; lane 17 holds row 1 of A at K = 4 … 7.

use super::{Bench, assemble, blank_program, texts};
use crate::chip::Chip;
use crate::decode::decode;
use crate::environment::Environment;
use crate::lds::Lds;
use crate::memory::{HostMemory, Region};
use crate::wave::Wave;

/// Name behind `v_mfma_`, rows, K, blocks, bits of an element, words of A or B and of the result.
type Row = (&'static str, usize, usize, usize, u32, usize, usize);

const FIRST: &[Row] = &[
    ("f32_32x32x2f32", 32, 2, 1, 32, 1, 16),
    ("f32_16x16x4f32", 16, 4, 1, 32, 1, 4),
    ("f32_32x32x1f32", 32, 1, 2, 32, 1, 32),
    ("f32_16x16x1f32", 16, 1, 4, 32, 1, 16),
    ("f32_4x4x1f32", 4, 1, 16, 32, 1, 4),
    ("f32_32x32x8f16", 32, 8, 1, 16, 2, 16),
    ("f32_16x16x16f16", 16, 16, 1, 16, 2, 4),
    ("f32_32x32x4f16", 32, 4, 2, 16, 2, 32),
    ("f32_16x16x4f16", 16, 4, 4, 16, 2, 16),
    ("f32_4x4x4f16", 4, 4, 16, 16, 2, 4),
    ("f32_32x32x4bf16", 32, 4, 1, 17, 1, 16),
    ("f32_16x16x8bf16", 16, 8, 1, 17, 1, 4),
    ("f32_32x32x2bf16", 32, 2, 2, 17, 1, 32),
    ("f32_16x16x2bf16", 16, 2, 4, 17, 1, 16),
    ("f32_4x4x2bf16", 4, 2, 16, 17, 1, 4),
    ("i32_32x32x8i8", 32, 8, 1, 8, 1, 16),
    ("i32_16x16x16i8", 16, 16, 1, 8, 1, 4),
    ("i32_32x32x4i8", 32, 4, 2, 8, 1, 32),
    ("i32_16x16x4i8", 16, 4, 4, 8, 1, 16),
    ("i32_4x4x4i8", 4, 4, 16, 8, 1, 4),
];

const SECOND: &[Row] = &[
    ("f32_32x32x8bf16_1k", 32, 8, 1, 17, 2, 16),
    ("f32_16x16x16bf16_1k", 16, 16, 1, 17, 2, 4),
    ("f32_32x32x4bf16_1k", 32, 4, 2, 17, 2, 32),
    ("f32_16x16x4bf16_1k", 16, 4, 4, 17, 2, 16),
    ("f32_4x4x4bf16_1k", 4, 4, 16, 17, 2, 4),
    ("f64_16x16x4f64", 16, 4, 1, 64, 2, 8),
    ("f64_4x4x4f64", 4, 4, 4, 64, 2, 2),
];

/// gfx942 and gfx950: f16 and bf16 alike, f64, f32, i8 of twice the depth.
const THIRD: &[Row] = &[
    ("f32_32x32x2_f32", 32, 2, 1, 32, 1, 16),
    ("f32_16x16x4_f32", 16, 4, 1, 32, 1, 4),
    ("f32_32x32x1_2b_f32", 32, 1, 2, 32, 1, 32),
    ("f32_4x4x1_16b_f32", 4, 1, 16, 32, 1, 4),
    ("f32_32x32x8_f16", 32, 8, 1, 16, 2, 16),
    ("f32_16x16x16_f16", 16, 16, 1, 16, 2, 4),
    ("f32_16x16x4_4b_f16", 16, 4, 4, 16, 2, 16),
    ("f32_32x32x8_bf16", 32, 8, 1, 17, 2, 16),
    ("f32_16x16x16_bf16", 16, 16, 1, 17, 2, 4),
    ("i32_32x32x16_i8", 32, 16, 1, 8, 2, 16),
    ("i32_16x16x32_i8", 16, 32, 1, 8, 2, 4),
    ("f64_16x16x4_f64", 16, 4, 1, 64, 2, 8),
    ("f64_4x4x4_4b_f64", 4, 4, 4, 64, 2, 2),
    ("f32_16x16x32_fp8_fp8", 16, 32, 1, 5, 2, 4),
    ("f32_32x32x16_fp8_fp8", 32, 16, 1, 5, 2, 16),
    ("f32_16x16x32_bf8_bf8", 16, 32, 1, 6, 2, 4),
];

const XF32: &[Row] = &[("f32_16x16x8_xf32", 16, 8, 1, 32, 2, 4), ("f32_32x32x4_xf32", 32, 4, 1, 32, 2, 16)];

const FOURTH: &[Row] = &[
    ("f32_16x16x32_f16", 16, 32, 1, 16, 4, 4),
    ("f32_32x32x16_f16", 32, 16, 1, 16, 4, 16),
    ("f32_16x16x32_bf16", 16, 32, 1, 17, 4, 4),
    ("f32_32x32x16_bf16", 32, 16, 1, 17, 4, 16),
    ("i32_16x16x64_i8", 16, 64, 1, 8, 4, 4),
    ("i32_32x32x32_i8", 32, 32, 1, 8, 4, 16),
    ("f32_16x16x128_f8f6f4", 16, 128, 1, 5, 8, 4),
    ("f32_32x32x64_f8f6f4", 32, 64, 1, 5, 8, 16),
];

/// Bits of a small integer. Kinds: 5 fp8, 6 bf8, 8 an integer, 16 f16, 17 bf16, 32 f32, 64 f64.
fn encode(value: i64, kind: u32, fnuz: bool) -> u64 {
    use crate::table::small::Small;
    let single = value as f32;
    match kind {
        5 => u64::from(Small::fp8(fnuz).nearest(single, true)),
        6 => u64::from(Small::bf8(fnuz).nearest(single, true)),
        8 => u64::from(value as i8 as u8),
        16 => u64::from(half::f16::from_f32(single).to_bits()),
        17 => u64::from(half::bf16::from_f32(single).to_bits()),
        64 => (value as f64).to_bits(),
        _ => u64::from(single.to_bits()),
    }
}

fn width(kind: u32) -> usize {
    match kind {
        5 | 6 | 8 => 8,
        16 | 17 => 16,
        kind => kind as usize,
    }
}

/// An integer from -3 to 3 for each place.
fn sample(seed: usize, block: usize, row: usize, k: usize) -> i64 {
    ((seed + 7 * block + 5 * row + 3 * k + row * k) % 7) as i64 - 3
}

fn put(wave: &mut Wave, first: usize, lane: usize, at: usize, kind: u32, bits: u64) {
    let width = width(kind);
    let words = if width == 64 { 2 } else { 1 };
    for word in 0..words {
        let register = first + (at * width / 32) + word;
        let shift = at * width % 32;
        let mask = if width >= 32 { u32::MAX } else { ((1u32 << width) - 1) << shift };
        let new = ((bits >> (32 * word)) as u32) << shift;
        wave.v[register][lane] = wave.v[register][lane] & !mask | new & mask;
        wave.vdef[register] |= 1 << lane;
    }
}

fn got(wave: &Wave, first: usize, lane: usize, r: usize, integer: bool, double: bool) -> i64 {
    if double {
        let bits = u64::from(wave.v[first + 2 * r][lane]) | u64::from(wave.v[first + 2 * r + 1][lane]) << 32;
        return f64::from_bits(bits) as i64;
    }
    let bits = wave.v[first + r][lane];
    if integer { i64::from(bits as i32) } else { f32::from_bits(bits) as i64 }
}

/// Where result `r` of a lane stands, restated from the documents.
fn place(m: usize, blocks: usize, double: bool, lane: usize, r: usize) -> (usize, usize, usize) {
    match (m, double) {
        (32, _) => (r / 16, (r % 16 / 4) * 8 + (lane / 32) * 4 + r % 4, lane % 32),
        (16, true) => (0, r * 4 + lane / 16, lane % 16),
        (16, false) => (r / 4, (lane / 16) * 4 + r % 4, lane % 16),
        (_, true) => (lane / 4 % blocks, lane / 16, lane % 4),
        _ => (lane / 4, r, lane % 4),
    }
}

const A: usize = 100;
const B: usize = 110;

fn one(chip: &Chip, row: &Row, text: &str, length: u64) -> Option<String> {
    let &(name, m, k, blocks, kind, _, words) = row;
    let inst = decode(text, 0, length, chip, 64);
    let program = blank_program(chip);
    let memory = HostMemory::new();
    let none = Region { base: 1, bytes: 0, words: &[], writable: false };
    let environment = Environment {
        chip,
        program: &program,
        memory: &memory,
        fixed: [none; 3],
        last: None,
        lds: Lds::new(0),
        scratch_bytes: 0,
    };
    let mut bench = Bench { wave: Wave::new(), environment };
    bench.wave.reset(0, 64);
    let wave = &mut bench.wave;
    wave.set_exec(u64::MAX);
    let each = m * k * blocks / 64;
    for lane in 0..64 {
        let (row, rest) = (lane % m, lane / m);
        let (block, group) = (rest % blocks, rest / blocks);
        for i in 0..each {
            let k = group * each + i;
            put(wave, A, lane, i, kind, encode(sample(1, block, row, k), kind, chip.fnuz));
            put(wave, B, lane, i, kind, encode(sample(4, block, row, k), kind, chip.fnuz));
        }
    }
    let (integer, double) = (name.starts_with("i32"), name.starts_with("f64"));
    let results = if double { words / 2 } else { words };
    for lane in 0..64 {
        for r in 0..results {
            let (block, row, column) = place(m, blocks, double, lane, r);
            let start = (block + row + 2 * column) as i64;
            let bits = if integer { start as u64 } else { encode(start, if double { 64 } else { 32 }, false) };
            put(wave, 0, lane, r, if double { 64 } else { 32 }, bits);
        }
    }
    if let Err(trap) = (inst.run)(&mut bench.wave, &mut bench.environment, &inst) {
        return Some(format!("{} {text}: {:?} {}", chip.name, trap.kind, trap.what));
    }
    for lane in 0..64 {
        for r in 0..results {
            let (block, row, column) = place(m, blocks, double, lane, r);
            let start = (block + row + 2 * column) as i64;
            let product: i64 = (0..k).map(|k| sample(1, block, row, k) * sample(4, block, column, k)).sum();
            let found = got(&bench.wave, 0, lane, r, integer, double);
            if found != start + product {
                return Some(format!(
                    "{} {text}: lane {lane} result {r}: expected {}, got {found}",
                    chip.name,
                    start + product
                ));
            }
        }
    }
    None
}

fn check(chip: &str, tables: &[&[Row]]) {
    let chip = Chip::of(chip).unwrap();
    let rows: Vec<&Row> = tables.iter().flat_map(|table| table.iter()).collect();
    let register = |first: usize, words: usize| match words {
        1 => format!("v{first}"),
        _ => format!("v[{first}:{}]", first + words - 1),
    };
    // gfx908 has its results in accumulators only.
    let result =
        |words: usize| if chip.name == "gfx908" { register(0, words).replace('v', "a") } else { register(0, words) };
    let line = |row: &&Row| {
        let (a, b, d) = (register(A, row.5), register(B, row.5), result(row.6));
        format!("v_mfma_{} {d}, {a}, {b}, {d}\n", row.0)
    };
    let source: String = rows.iter().map(line).collect();
    let Some(code) = assemble(&source, &chip.name, "") else { return };
    let texts = texts(&code, &chip, 64);
    assert_eq!(texts.len(), rows.len());
    let in_vectors = |text: &str| if chip.name == "gfx908" { text.replace("a[", "v[") } else { text.to_string() };
    let wrong: Vec<String> = rows
        .iter()
        .zip(&texts)
        .filter_map(|(row, (length, text))| one(&chip, row, &in_vectors(text), *length))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_shape_of_every_chip() {
    check("gfx908", &[FIRST]);
    check("gfx90a", &[FIRST, SECOND]);
    check("gfx942", &[THIRD, XF32]);
    check("gfx950", &[THIRD, FOURTH]);
}

#[test]
fn small_formats() {
    // 1.5 in four and six bits, times 2, K = 128 times.
    let rows = "
        v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[4:7], v[8:11], 0 cbsz:4 blgp:4 ; v4=0x33333333 v5=0x33333333 \
            v6=0x33333333 v7=0x33333333 v8=0x44444444 v9=0x44444444 v10=0x44444444 v11=0x44444444 -> v0=384.0 v3=384.0
        v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[4:9], v[10:15], 0 cbsz:2 blgp:3 \
            ; v4=0x0c30c30c v5=0xc30c30c3 v6=0x30c30c30 v7=0x0c30c30c v8=0xc30c30c3 v9=0x30c30c30 v10=0x10410410 \
            v11=0x04104104 v12=0x41041041 v13=0x10410410 v14=0x04104104 v15=0x41041041 -> v0=384.0
    ";
    super::check("gfx950", 64, rows);
}

/// Each operand has a format of its own: 1.5 times 1.5 (FNUZ: 2 times 2) for every step; formats changed over give
/// another sum.
#[test]
fn pairings_of_eight_bits() {
    let fnuz = "
        v_mfma_f32_16x16x32_fp8_bf8 v[0:3], v[4:5], v[6:7], 0 \
            ; v4=0x48484848 v5=0x48484848 v6=0x44444444 v7=0x44444444 -> v0=128.0 v3=128.0
        v_mfma_f32_16x16x32_bf8_fp8 v[0:3], v[4:5], v[6:7], 0 \
            ; v4=0x44444444 v5=0x44444444 v6=0x48484848 v7=0x48484848 -> v0=128.0 v3=128.0
        v_mfma_f32_32x32x16_fp8_bf8 v[0:15], v[16:17], v[18:19], 0 \
            ; v16=0x48484848 v17=0x48484848 v18=0x44444444 v19=0x44444444 -> v0=64.0 v15=64.0
        v_mfma_f32_32x32x16_bf8_fp8 v[0:15], v[16:17], v[18:19], 0 \
            ; v16=0x44444444 v17=0x44444444 v18=0x48484848 v19=0x48484848 -> v0=64.0 v15=64.0
    ";
    super::check("gfx942", 64, fnuz);
    let ocp = "
        v_mfma_f32_16x16x32_fp8_bf8 v[0:3], v[4:5], v[6:7], 0 \
            ; v4=0x3c3c3c3c v5=0x3c3c3c3c v6=0x3e3e3e3e v7=0x3e3e3e3e -> v0=72.0 v3=72.0
        v_mfma_f32_32x32x16_bf8_fp8 v[0:15], v[16:17], v[18:19], 0 \
            ; v16=0x3e3e3e3e v17=0x3e3e3e3e v18=0x3c3c3c3c v19=0x3c3c3c3c -> v0=36.0 v15=36.0
        v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], 0 blgp:1 \
            ; v4=0x3c3c3c3c v5=0x3c3c3c3c v6=0x3c3c3c3c v7=0x3c3c3c3c v8=0x3c3c3c3c v9=0x3c3c3c3c v10=0x3c3c3c3c \
            v11=0x3c3c3c3c v12=0x3e3e3e3e v13=0x3e3e3e3e v14=0x3e3e3e3e v15=0x3e3e3e3e v16=0x3e3e3e3e v17=0x3e3e3e3e \
            v18=0x3e3e3e3e v19=0x3e3e3e3e -> v0=288.0 v3=288.0
        v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], 0 cbsz:1 \
            ; v4=0x3e3e3e3e v5=0x3e3e3e3e v6=0x3e3e3e3e v7=0x3e3e3e3e v8=0x3e3e3e3e v9=0x3e3e3e3e v10=0x3e3e3e3e \
            v11=0x3e3e3e3e v12=0x3c3c3c3c v13=0x3c3c3c3c v14=0x3c3c3c3c v15=0x3c3c3c3c v16=0x3c3c3c3c v17=0x3c3c3c3c \
            v18=0x3c3c3c3c v19=0x3c3c3c3c -> v0=288.0 v3=288.0
    ";
    super::check("gfx950", 64, ocp);
    let wave = "
        v_wmma_f32_16x16x16_fp8_fp8 v[0:7], v[8:9], v[10:11], 0 \
            ; v8=0x3c3c3c3c v9=0x3c3c3c3c v10=0x3c3c3c3c v11=0x3c3c3c3c -> v0=36.0 v7=36.0
        v_wmma_f32_16x16x16_fp8_bf8 v[0:7], v[8:9], v[10:11], 0 \
            ; v8=0x3c3c3c3c v9=0x3c3c3c3c v10=0x3e3e3e3e v11=0x3e3e3e3e -> v0=36.0 v7=36.0
        v_wmma_f32_16x16x16_bf8_fp8 v[0:7], v[8:9], v[10:11], 0 \
            ; v8=0x3e3e3e3e v9=0x3e3e3e3e v10=0x3c3c3c3c v11=0x3c3c3c3c -> v0=36.0 v7=36.0
        v_wmma_f32_16x16x16_bf8_bf8 v[0:7], v[8:9], v[10:11], 0 \
            ; v8=0x3e3e3e3e v9=0x3e3e3e3e v10=0x3e3e3e3e v11=0x3e3e3e3e -> v0=36.0 v7=36.0
    ";
    super::check("gfx1200", 32, wave);
}

/// WMMA: 16x16x16, f16 into f32.
fn wave_matrix(chip: &str, row_of: impl Fn(usize, usize) -> usize, first_k: impl Fn(usize) -> usize, each: usize) {
    let chip = Chip::of(chip).unwrap();
    let last = B + each / 2 - 1;
    let source = format!("v_wmma_f32_16x16x16_f16 v[0:7], v[{A}:{}], v[{B}:{last}], v[0:7]\n", A + each / 2 - 1);
    let Some(code) = assemble(&source, &chip.name, "") else { return };
    let (length, text) = texts(&code, &chip, 32).remove(0);
    let inst = decode(&text, 0, length, &chip, 32);
    let (program, memory) = (blank_program(&chip), HostMemory::new());
    let none = Region { base: 1, bytes: 0, words: &[], writable: false };
    let mut environment = Environment {
        chip: &chip,
        program: &program,
        memory: &memory,
        fixed: [none; 3],
        last: None,
        lds: Lds::new(0),
        scratch_bytes: 0,
    };
    let mut wave = Wave::new();
    wave.reset(0, 32);
    wave.set_exec(u64::MAX);
    for lane in 0..32 {
        for i in 0..each {
            put(&mut wave, A, lane, i, 16, encode(sample(1, 0, lane % 16, first_k(lane) + i), 16, false));
            put(&mut wave, B, lane, i, 16, encode(sample(4, 0, lane % 16, first_k(lane) + i), 16, false));
        }
        (0..8).for_each(|r| put(&mut wave, 0, lane, r, 32, encode(0, 32, false)));
    }
    (inst.run)(&mut wave, &mut environment, &inst).unwrap_or_else(|trap| panic!("{text}: {}", trap.what));
    for lane in 0..32 {
        for r in 0..8 {
            let product: i64 = (0..16).map(|k| sample(1, 0, row_of(lane, r), k) * sample(4, 0, lane % 16, k)).sum();
            assert_eq!(got(&wave, 0, lane, r, false, false), product, "{text}: lane {lane} result {r}");
        }
    }
    // A factor that differs between the halves of the wave is a mistake where both hold the whole of it.
    if each == 16 {
        put(&mut wave, A, 20, 0, 16, encode(9, 16, false));
        assert!((inst.run)(&mut wave, &mut environment, &inst).is_err());
    }
}

/// The other multiplicands of WMMA: 1.5 times 2 as bf16; bytes signed or not by a bit an operand.
#[test]
fn wave_matrices_of_other_types() {
    let words = |first: usize, count: usize, bits: &str| -> String {
        (first..first + count).map(|at| format!(" v{at}={bits}")).collect()
    };
    let eleven = format!(
        "v_wmma_f32_16x16x16_bf16 v[0:7], v[8:15], v[16:23], 0 ;{} {} -> v0=48.0 v7=48.0
         v_wmma_i32_16x16x16_iu8 v[0:7], v[8:11], v[16:19], 0 neg_lo:[1,0,0] ;{} {} -> v0=-48 v7=-48
         v_wmma_i32_16x16x16_iu8 v[0:7], v[8:11], v[16:19], 0 ;{} {} -> v0=12240 v7=12240",
        words(8, 8, "0x3fc03fc0"),
        words(16, 8, "0x40004000"),
        words(8, 4, "0xffffffff"),
        words(16, 4, "0x03030303"),
        words(8, 4, "0xffffffff"),
        words(16, 4, "0x03030303"),
    );
    super::check("gfx1100", 32, &eleven);
    let twelve = format!(
        "v_wmma_f32_16x16x16_bf16 v[0:7], v[8:11], v[16:19], 0 ;{} {} -> v0=48.0 v7=48.0
         v_wmma_i32_16x16x16_iu8 v[0:7], v[8:9], v[16:17], 0 neg_lo:[0,1,0] ;{} {} -> v0=-48 v7=-48",
        words(8, 4, "0x3fc03fc0"),
        words(16, 4, "0x40004000"),
        words(8, 2, "0x03030303"),
        words(16, 2, "0xffffffff"),
    );
    super::check("gfx1200", 32, &twelve);
}

#[test]
fn wave_matrices() {
    wave_matrix("gfx1100", |lane, r| 2 * r + lane / 16, |_| 0, 16);
    wave_matrix("gfx1200", |lane, r| 8 * (lane / 16) + r, |lane| 8 * (lane / 16), 8);
}
