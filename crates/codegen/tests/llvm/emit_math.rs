//! The scalar library against tables and Rust's f64 functions, within the bounds it states.

use fornax_codegen::emit::math;
use fornax_graph::ElementType;
use fornax_plan::{Binary, KernelPlan, LoopSchedule, Store, Unary};
use fornax_targets::Backend;

use super::emit_plans::{Maker, Random};
use super::emit_run::{compile_for, run};

use ElementType::{F32, F64};

/// Function, argument, value as f64 bits; a second argument for functions of two. Made with mpmath at 200 bits.
const TABLE: &str = include_str!("math_table.txt");

/// All functions of one argument, one output each.
fn unary_plan(element: ElementType, n: i64, lanes: u32) -> KernelPlan {
    let mut m = Maker::default();
    let i = m.var(n);
    let input = m.input(element, n);
    let a = m.load_at(input, &[(i, 1)]);
    let offset = m.at(&[(i, 1)]);
    let stores = math::UNARY
        .iter()
        .map(|row| Store { value: m.exprs.unary(row.op, a), buffer: m.output(element, n), offset })
        .collect();
    m.loop_plan(vec![i], stores, LoopSchedule { vector: lanes, threads: 1, items_per_thread: 64 })
}

fn binary_plan(op: Binary, element: ElementType, n: i64, lanes: u32) -> KernelPlan {
    let mut m = Maker::default();
    let i = m.var(n);
    let (a, b) = (m.input(element, n), m.input(element, n));
    let (a, b) = (m.load_at(a, &[(i, 1)]), m.load_at(b, &[(i, 1)]));
    let offset = m.at(&[(i, 1)]);
    let stores = vec![Store { value: m.exprs.binary(op, a, b), buffer: m.output(element, n), offset }];
    m.loop_plan(vec![i], stores, LoopSchedule { vector: lanes, threads: 1, items_per_thread: 64 })
}

fn f64s(bytes: &[u8]) -> Vec<f64> {
    bytes.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().expect("eight bytes"))).collect()
}

fn f32s(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().expect("four bytes"))).collect()
}

/// |got − want| in units of want's last place, in a format of `digits` mantissa bits and least exponent `least`.
fn ulps(got: f64, want: f64, digits: i32, least: i32) -> f64 {
    if got == want || got.is_nan() && want.is_nan() {
        return 0.0;
    }
    let exponent = want.abs().log2().floor().max(f64::from(least)) as i32;
    // In two factors: the unit of a subnormal f64 is no normal number.
    (got - want).abs() / 2f64.powi(exponent / 2) / 2f64.powi(exponent - exponent / 2 - digits)
}

#[test]
fn double_functions_match_the_table() {
    let rows: Vec<Vec<&str>> =
        TABLE.lines().filter(|l| !l.starts_with('#')).map(|l| l.split_whitespace().collect()).collect();
    let number = |text: &str| f64::from_bits(u64::from_str_radix(text, 16).expect("bits"));
    let arguments: Vec<f64> = rows.iter().map(|r| number(r[1])).collect();
    let bytes: Vec<u8> = arguments.iter().flat_map(|x| x.to_le_bytes()).collect();
    let n = arguments.len() as i64;
    for (cpu, extra) in [("x86-64-v3", 0.5), ("x86-64", 1.5)] {
        let Some(outputs) = run(&unary_plan(F64, n, 4), cpu, std::slice::from_ref(&bytes)) else { return };
        for (row, output) in math::UNARY.iter().zip(&outputs) {
            let mut seen = 0;
            for (at, got) in f64s(output).into_iter().enumerate().filter(|(at, _)| rows[*at][0] == row.op.name()) {
                let want = number(rows[at][2]);
                let off = ulps(got, want, 52, -1022);
                assert!(
                    off <= row.ulp_f64 + extra,
                    "{cpu}: {}({}) = {want}, got {got}: {off}",
                    row.op.name(),
                    arguments[at]
                );
                seen += 1;
            }
            assert!(seen > 20 || row.op == Unary::Sqrt, "{} has no rows", row.op.name());
        }
        for row in math::BINARY.iter().filter(|r| r.op != Binary::Remainder) {
            let mine: Vec<&Vec<&str>> = rows.iter().filter(|r| r[0] == row.op.name()).collect();
            assert!(!mine.is_empty());
            let column = |at: usize| mine.iter().flat_map(|r| number(r[at]).to_le_bytes()).collect::<Vec<u8>>();
            let plan = binary_plan(row.op, F64, mine.len() as i64, 4);
            let Some(outputs) = run(&plan, cpu, &[column(1), column(3)]) else { return };
            for (r, got) in mine.iter().zip(f64s(&outputs[0])) {
                let off = ulps(got, number(r[2]), 52, -1022);
                assert!(off <= row.ulp_f64 + extra, "{cpu}: {} {r:?}: got {got}, {off}", row.op.name());
            }
        }
    }
}

/// The function in f64, where Rust has it.
fn reference(op: Unary) -> Option<fn(f64) -> f64> {
    Some(match op {
        Unary::Sqrt => f64::sqrt,
        Unary::Rsqrt => |x| 1.0 / x.sqrt(),
        Unary::Cbrt => f64::cbrt,
        Unary::Exponential => f64::exp,
        Unary::ExponentialMinusOne => f64::exp_m1,
        Unary::Log => f64::ln,
        Unary::LogPlusOne => f64::ln_1p,
        Unary::Logistic => |x| 1.0 / (1.0 + (-x).exp()),
        Unary::Sine => f64::sin,
        Unary::Cosine => f64::cos,
        Unary::Tan => f64::tan,
        Unary::Tanh => f64::tanh,
        Unary::Asin => f64::asin,
        Unary::Acos => f64::acos,
        Unary::Atan => f64::atan,
        Unary::Sinh => f64::sinh,
        Unary::Cosh => f64::cosh,
        Unary::Asinh => f64::asinh,
        Unary::Acosh => {
            |x| if x >= 1.0 { 2.0 * (((x - 1.0) / 2.0).sqrt() + ((x + 1.0) / 2.0).sqrt()).ln() } else { f64::NAN }
        }
        Unary::Atanh => |x| 0.5 * ((2.0 * x) / (1.0 - x)).ln_1p(),
        _ => return None,
    })
}

/// Every exponent with both signs, the usual ranges, and the special values.
fn sweep() -> Vec<f32> {
    let mut random = Random(9);
    let mut all =
        vec![0.0, -0.0, 1.0, -1.0, f32::INFINITY, -f32::INFINITY, f32::NAN, f32::MAX, f32::MIN, 1e-45, -1e-45];
    all.extend((0..256u32).flat_map(|e| {
        let mut bits = || (random.next() as u32) & 0x807F_FFFF | e << 23;
        [bits(), bits(), bits(), bits(), bits(), bits()].map(f32::from_bits)
    }));
    all.extend((0..3000).map(|_| random.unit() as f32));
    all.extend((0..3000).map(|_| (random.unit() * 20.0) as f32));
    all.extend((0..2000).map(|_| (random.unit() * 110.0) as f32));
    all.extend((0..2000).map(|_| 1.0 + (random.unit() * random.unit().powi(8)) as f32));
    all
}

#[test]
fn single_functions_match_rust() {
    let arguments = sweep();
    let bytes: Vec<u8> = arguments.iter().flat_map(|x| x.to_le_bytes()).collect();
    for (cpu, extra) in [("x86-64-v3", 0.0), ("x86-64", 1.0)] {
        let plan = unary_plan(F32, arguments.len() as i64, 8);
        let Some(outputs) = run(&plan, cpu, std::slice::from_ref(&bytes)) else { return };
        for (row, output) in math::UNARY.iter().zip(&outputs) {
            let Some(reference) = reference(row.op) else { continue };
            for (&x, y) in arguments.iter().zip(f32s(output)) {
                let want = reference(f64::from(x));
                let beyond = want.abs() > f64::from(f32::MAX) && (y.is_infinite() || y.abs() == f32::MAX);
                let off = if beyond { 0.0 } else { ulps(f64::from(y), want, 23, -126) };
                let name = row.op.name();
                assert!(off <= row.ulp_f32 + extra, "{cpu}: {name}({x:e}) = {want}, got {y}: {off}");
                assert!(want != 0.0 || want.is_sign_negative() == y.is_sign_negative(), "{cpu}: sign of {name}({x})");
            }
        }
    }
}

#[test]
fn the_error_functions_of_f32_match_the_table() {
    let rows = TABLE.lines().filter(|l| l.starts_with("erf"));
    let rows: Vec<(&str, f32, f64)> = rows
        .map(|l| {
            let fields: Vec<&str> = l.split_whitespace().collect();
            let number = |text: &str| f64::from_bits(u64::from_str_radix(text, 16).expect("bits"));
            (fields[0], number(fields[1]) as f32, number(fields[2]))
        })
        .collect();
    let bytes: Vec<u8> = rows.iter().flat_map(|r| r.1.to_le_bytes()).collect();
    let Some(outputs) = run(&unary_plan(F32, rows.len() as i64, 8), "x86-64-v3", &[bytes]) else { return };
    for (row, output) in math::UNARY.iter().zip(&outputs) {
        for ((name, x, want), y) in rows.iter().zip(f32s(output)) {
            // The argument was rounded to f32: the table's value is near, not exact.
            let tolerance = 1e-6 * want.abs().max(1e-3) * (1.0 + f64::from(x * x));
            assert!(
                *name != row.op.name()
                    || *name == "erf_inv" && x.abs() > 0.99
                    || (f64::from(y) - want).abs() <= tolerance,
                "{name}({x}) = {want}, got {y}"
            );
        }
    }
}

#[test]
fn powers_and_angles_of_special_values_are_those_of_c() {
    let special = [
        0.0f32,
        -0.0,
        1.0,
        -1.0,
        2.0,
        -2.0,
        0.5,
        -0.5,
        3.0,
        -3.0,
        2.5,
        f32::INFINITY,
        -f32::INFINITY,
        f32::NAN,
        1e30,
        -1e-30,
    ];
    let pairs: Vec<(f32, f32)> = special.iter().flat_map(|&a| special.iter().map(move |&b| (a, b))).collect();
    let first: Vec<u8> = pairs.iter().flat_map(|p| p.0.to_le_bytes()).collect();
    let second: Vec<u8> = pairs.iter().flat_map(|p| p.1.to_le_bytes()).collect();
    type Reference = fn(f64, f64) -> f64;
    let functions: [(Binary, Reference); 3] =
        [(Binary::Power, f64::powf), (Binary::Atan2, f64::atan2), (Binary::Remainder, |a, b| a % b)];
    for (op, reference) in functions {
        let plan = binary_plan(op, F32, pairs.len() as i64, 8);
        let Some(outputs) = run(&plan, "x86-64-v3", &[first.clone(), second.clone()]) else { return };
        for (&(a, b), y) in pairs.iter().zip(f32s(&outputs[0])) {
            let want = reference(f64::from(a), f64::from(b)) as f32;
            let near = (y - want).abs() <= 2e-7 * want.abs();
            let same_zero = want != 0.0 || want.is_sign_negative() == y.is_sign_negative();
            assert!(
                (near || y == want || y.is_nan() && want.is_nan()) && same_zero,
                "{}({a}, {b}) = {want}, got {y}",
                op.name()
            );
        }
    }
}

#[test]
fn the_library_needs_no_other_on_gpus() {
    for element in [F32, F64] {
        let unary = math::UNARY.iter().map(|row| {
            let mut m = Maker::default();
            let i = m.var(1000);
            let input = m.input(element, 1000);
            let a = m.load_at(input, &[(i, 1)]);
            let offset = m.at(&[(i, 1)]);
            let stores = vec![Store { value: m.exprs.unary(row.op, a), buffer: m.output(element, 1000), offset }];
            m.loop_plan(vec![i], stores, LoopSchedule { vector: 1, threads: 128, items_per_thread: 1 })
        });
        let binary = math::BINARY.iter().map(|row| binary_plan(row.op, element, 1000, 1));
        for plan in unary.chain(binary) {
            let ptx = String::from_utf8_lossy(&compile_for(&plan, Backend::Cuda, "sm_80")).into_owned();
            assert!(!ptx.contains("call"), "a call is left: {ptx}");
            assert!(!ptx.contains(".approx"), "an approximation is left: {ptx}");
            compile_for(&plan, Backend::Rocm, "gfx908");
        }
    }
}
