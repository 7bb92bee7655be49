//! The scalar library on this machine's CPU, within the bounds it states: against a table made with mpmath, against
//! Rust's f64 functions over the whole range of f32, and at the special values. `docs/understand/math.md` is written
//! from the same bounds.

use std::path::Path;

use fornax_emit::math;
use fornax_graph::ElementType::{self, F32, F64};
use fornax_kernels::loop_schedule::LoopSchedule;
use fornax_plan::{Binary, Body, KernelPlan, Store, Unary};
use fornax_targets::Backend;

use super::emit_plans::{Maker, Random};
use super::emit_run::{emitted, run};
use super::{compile, target};

/// Made by `data/math_table.py`, which says what a row is.
const TABLE: &str = include_str!("data/math_table.txt");

/// CPUs, and by how much they may exceed the bounds: the bounds hold for targets with fma.
const CPUS: [(&str, f64); 2] = [("x86-64-v3", 0.0), ("x86-64", 1.0)];

/// All functions of one argument, one output each.
fn unary_plan(element: ElementType, n: i64, schedule: LoopSchedule) -> KernelPlan {
    let mut m = Maker::default();
    let i = m.var(n);
    let input = m.input(element, n);
    let a = m.load_at(input, &[(i, 1)]);
    let offset = m.at(&[(i, 1)]);
    let mut stores = Vec::new();
    for row in math::UNARY {
        let value = m.exprs.unary(row.op, a);
        stores.push(Store { value, buffer: m.output(element, n), offset });
    }
    m.plan(vec![i], Body::Loop { stores }, schedule)
}

/// All functions of two arguments, one output each.
fn binary_plan(element: ElementType, n: i64, schedule: LoopSchedule) -> KernelPlan {
    let mut m = Maker::default();
    let i = m.var(n);
    let (a, b) = (m.input(element, n), m.input(element, n));
    let (a, b) = (m.load_at(a, &[(i, 1)]), m.load_at(b, &[(i, 1)]));
    let offset = m.at(&[(i, 1)]);
    let mut stores = Vec::new();
    for row in math::BINARY {
        let value = m.exprs.binary(row.op, a, b);
        stores.push(Store { value, buffer: m.output(element, n), offset });
    }
    m.plan(vec![i], Body::Loop { stores }, schedule)
}

/// A schedule for the CPU; an odd length leaves a rest that is done one by one.
fn vectors(element: ElementType) -> LoopSchedule {
    LoopSchedule { vector: if element == F32 { 8 } else { 4 }, threads: 1, items_per_thread: 64 }
}

fn encode(element: ElementType, values: impl Iterator<Item = f64>) -> Vec<u8> {
    if element == F32 {
        values.flat_map(|x| (x as f32).to_le_bytes()).collect()
    } else {
        values.flat_map(|x| x.to_le_bytes()).collect()
    }
}

fn decode(element: ElementType, bytes: &[u8]) -> Vec<f64> {
    if element == F32 {
        bytes.chunks_exact(4).map(|b| f64::from(f32::from_le_bytes(b.try_into().expect("four")))).collect()
    } else {
        bytes.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().expect("eight"))).collect()
    }
}

/// The distance of `got` from `want + tail/256 of want's last f64 place`, in last places of `want` in the element type.
/// What exceeds the range may be an infinity or, as in every rounding, the largest number if it is less than half a
/// place away.
fn ulps(element: ElementType, got: f64, want: f64, tail: f64) -> f64 {
    let (digits, least, largest) = if element == F32 { (23, -126, f64::from(f32::MAX)) } else { (52, -1022, f64::MAX) };
    if want.is_nan() || got.is_nan() {
        return if want.is_nan() && got.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if want == 0.0 || got == 0.0 && want.is_sign_negative() != got.is_sign_negative() {
        return if want == got && want.is_sign_negative() == got.is_sign_negative() { 0.0 } else { f64::INFINITY };
    }
    if got.is_infinite() {
        return if want.abs() >= largest && want.signum() == got.signum() { 0.0 } else { f64::INFINITY };
    }
    if want.is_infinite() {
        return f64::INFINITY;
    }
    // In two factors: the place of a subnormal f64 is no normal number.
    let place = exponent(want).max(least) - digits;
    let fine = exponent(want).max(-1022) - 52;
    let off = (got - want) * 2f64.powi(-place / 2) * 2f64.powi(-place - -place / 2);
    (off - tail / 256.0 * 2f64.powi(fine - place)).abs()
}

/// Exponent of a nonzero finite number.
fn exponent(x: f64) -> i32 {
    let (x, more) = if x.abs() < f64::MIN_POSITIVE { (x * 2f64.powi(54), -54) } else { (x, 0) };
    ((x.to_bits() >> 52) & 0x7FF) as i32 - 1023 + more
}

/// A line of the table: `second` is 0 for functions of one argument.
struct Row {
    function: &'static str,
    first: f64,
    second: f64,
    value: f64,
    tail: f64,
}

fn rows() -> Vec<Row> {
    let number = |text: &str| f64::from_bits(u64::from_str_radix(text, 16).expect("bits"));
    TABLE
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let fields: Vec<&'static str> = line.split_whitespace().collect();
            let (value, tail) = (fields[fields.len() - 2], fields[fields.len() - 1]);
            Row {
                function: fields[0],
                first: number(fields[1]),
                second: if fields.len() == 5 { number(fields[2]) } else { 0.0 },
                value: number(value),
                tail: tail.parse().expect("a number"),
            }
        })
        .collect()
}

/// Checks one function's rows against what a kernel gave.
fn check_rows(element: ElementType, cpu: &str, function: &str, bound: f64, rows: &[Row], outputs: &[f64]) {
    let mut seen = 0;
    for (row, &got) in rows.iter().zip(outputs).filter(|(row, _)| row.function == function) {
        let off = ulps(element, got, row.value, row.tail);
        assert!(
            off <= bound,
            "{cpu} {element:?}: {function}({:e}, {:e}) is {:e}, got {got:e}, {off} units off; the bound is {bound}",
            row.first,
            row.second,
            row.value
        );
        seen += 1;
    }
    assert!(seen >= 20, "{function} has {seen} rows");
}

#[test]
fn every_function_is_within_its_bound_of_the_table() {
    for (element, (cpu, more)) in [F32, F64].into_iter().flat_map(|e| CPUS.map(|cpu| (e, cpu))) {
        let single = |x: f64| f64::from(x as f32) == x;
        let rows: Vec<Row> =
            rows().into_iter().filter(|r| element == F64 || single(r.first) && single(r.second)).collect();
        let n = rows.len() as i64;
        let first = encode(element, rows.iter().map(|r| r.first));
        let second = encode(element, rows.iter().map(|r| r.second));
        let bound = |f32_bound: f64, f64_bound: f64| if element == F32 { f32_bound } else { f64_bound } + more;
        let outputs = run(&unary_plan(element, n, vectors(element)), cpu, std::slice::from_ref(&first));
        for (row, output) in math::UNARY.iter().zip(&outputs) {
            let bound = bound(row.ulp_f32, row.ulp_f64);
            check_rows(element, cpu, row.op.name(), bound, &rows, &decode(element, output));
        }
        let outputs = run(&binary_plan(element, n, vectors(element)), cpu, &[first, second]);
        for (row, output) in math::BINARY.iter().zip(&outputs).filter(|(row, _)| row.op != Binary::Remainder) {
            let bound = bound(row.ulp_f32, row.ulp_f64);
            check_rows(element, cpu, row.op.name(), bound, &rows, &decode(element, output));
        }
    }
}

/// A function in f64, exact enough for f32; the error functions, which Rust lacks, are left to the table.
fn unary_reference(op: Unary) -> Option<fn(f64) -> f64> {
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
        Unary::Acosh => |x| if x < 1.0 { f64::NAN } else { (x - 1.0 + ((x - 1.0) * (x + 1.0)).sqrt()).ln_1p() },
        Unary::Atanh => |x| (0.5 * (2.0 * x.abs() / (1.0 - x.abs())).ln_1p()).copysign(x),
        _ => return None,
    })
}

fn binary_reference(op: Binary) -> Option<fn(f64, f64) -> f64> {
    Some(match op {
        Binary::Power => f64::powf,
        Binary::Atan2 => f64::atan2,
        Binary::Remainder => |x, y| x % y,
        _ => return None,
    })
}

/// Numbers where functions change their formula, and the ends of the range.
const SPECIAL: [f64; 34] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    0.5,
    -0.5,
    2.0,
    -2.0,
    3.0,
    -3.0,
    2.5,
    -2.5,
    1e-45,
    -1e-45,
    f32::MIN_POSITIVE as f64,
    f32::MAX as f64,
    f32::MIN as f64,
    88.72,
    88.73,
    -103.9,
    -104.0,
    -87.4,
    89.41,
    -89.42,
    16_777_215.0,
    16_777_216.0,
    -16_777_215.0,
    1.000_000_119_209_289_6,
    0.999_999_940_395_355_2,
    1e30,
    -1e-30,
];

/// Special values, every exponent with both signs, and the ranges where the functions bend.
fn sweep() -> Vec<f64> {
    let mut random = Random(9);
    let mut all = SPECIAL.to_vec();
    for exponent in 0..=255u32 {
        for _ in 0..40 {
            let bits = (random.next() as u32) & 0x807F_FFFF | exponent << 23;
            all.push(f64::from(f32::from_bits(bits)));
        }
    }
    for (scale, count) in [(1.0, 20_000), (4.0, 10_000), (20.0, 20_000), (110.0, 20_000)] {
        all.extend((0..count).map(|_| f64::from((random.unit() * scale) as f32)));
    }
    all.extend((0..10_000).map(|_| f64::from(1.0 + (random.unit() * random.unit().powi(8)) as f32)));
    all
}

#[test]
fn f32_functions_are_within_their_bounds_over_the_whole_range() {
    let arguments: Vec<f64> = sweep().iter().map(|&x| f64::from(x as f32)).collect();
    let bytes = encode(F32, arguments.iter().copied());
    for (cpu, more) in CPUS {
        let plan = unary_plan(F32, arguments.len() as i64, vectors(F32));
        let outputs = run(&plan, cpu, std::slice::from_ref(&bytes));
        for (row, output) in math::UNARY.iter().zip(&outputs) {
            let Some(reference) = unary_reference(row.op) else { continue };
            for (&x, got) in arguments.iter().zip(decode(F32, output)) {
                let want = reference(x);
                let off = ulps(F32, got, want, 0.0);
                let name = row.op.name();
                assert!(off <= row.ulp_f32 + more, "{cpu}: {name}({x:e}) is {want:e}, got {got:e}, {off} units off");
            }
        }
    }
}

#[test]
fn f32_functions_of_two_arguments_are_within_their_bounds() {
    let mut random = Random(4);
    let mut pairs: Vec<(f64, f64)> = SPECIAL.iter().flat_map(|&a| SPECIAL.iter().map(move |&b| (a, b))).collect();
    for _ in 0..60_000 {
        let any = f64::from(f32::from_bits(random.next() as u32));
        pairs.push((any, f64::from(f32::from_bits(random.next() as u32))));
        pairs.push(((random.unit() * 3.0).exp(), random.unit() * 40.0));
        pairs.push((any.abs(), random.unit() * 104.0 / any.abs().ln()));
        pairs.push((random.unit() * 20.0, (random.unit() * 30.0).round()));
    }
    let pairs: Vec<(f64, f64)> = pairs.iter().map(|&(a, b)| (f64::from(a as f32), f64::from(b as f32))).collect();
    let first = encode(F32, pairs.iter().map(|p| p.0));
    let second = encode(F32, pairs.iter().map(|p| p.1));
    for (cpu, more) in CPUS {
        let plan = binary_plan(F32, pairs.len() as i64, vectors(F32));
        let outputs = run(&plan, cpu, &[first.clone(), second.clone()]);
        for (row, output) in math::BINARY.iter().zip(&outputs) {
            let reference = binary_reference(row.op).expect("a reference for every function");
            let bound = if row.op == Binary::Remainder { 0.0 } else { row.ulp_f32 + more };
            for (&(a, b), got) in pairs.iter().zip(decode(F32, output)) {
                let want = reference(a, b);
                let off = ulps(F32, got, want, 0.0);
                let name = row.op.name();
                assert!(off <= bound, "{cpu}: {name}({a:e}, {b:e}) is {want:e}, got {got:e}, {off} units off");
            }
        }
    }
}

/// Results that are zero, infinite or undefined, in both types.
#[test]
fn special_values_are_right_in_both_types() {
    let inf = f64::INFINITY;
    let nan = f64::NAN;
    let error_functions: [(Unary, f64, f64); 14] = [
        (Unary::Erf, 0.0, 0.0),
        (Unary::Erf, -0.0, -0.0),
        (Unary::Erf, inf, 1.0),
        (Unary::Erf, -inf, -1.0),
        (Unary::Erf, nan, nan),
        (Unary::Erfc, inf, 0.0),
        (Unary::Erfc, -inf, 2.0),
        (Unary::Erfc, nan, nan),
        (Unary::ErfInv, 1.0, inf),
        (Unary::ErfInv, -1.0, -inf),
        (Unary::ErfInv, -0.0, -0.0),
        (Unary::ErfInv, 2.0, nan),
        (Unary::ErfInv, inf, nan),
        (Unary::ErfInv, nan, nan),
    ];
    for element in [F32, F64] {
        let plan = unary_plan(element, SPECIAL.len() as i64, vectors(element));
        let outputs = run(&plan, "x86-64-v3", &[encode(element, SPECIAL.into_iter())]);
        for (row, output) in math::UNARY.iter().zip(&outputs) {
            for (&x, got) in SPECIAL.iter().zip(decode(element, output)) {
                let x = if element == F32 { f64::from(x as f32) } else { x };
                let want = match unary_reference(row.op) {
                    Some(reference) => Some(reference(x)),
                    None => error_functions.iter().find(|c| c.0 == row.op && c.1.to_bits() == x.to_bits()).map(|c| c.2),
                };
                let Some(want) = want.filter(|w| *w == 0.0 || !w.is_finite()) else { continue };
                let off = ulps(element, got, want, 0.0);
                assert!(off == 0.0, "{element:?}: {}({x:e}) is {want}, got {got}", row.op.name());
            }
        }
    }
}

#[test]
fn f64_powers_and_remainders_of_special_values_are_those_of_c() {
    let pairs: Vec<(f64, f64)> = SPECIAL.iter().flat_map(|&a| SPECIAL.iter().map(move |&b| (a, b))).collect();
    let inputs = [encode(F64, pairs.iter().map(|p| p.0)), encode(F64, pairs.iter().map(|p| p.1))];
    for (cpu, more) in CPUS {
        let outputs = run(&binary_plan(F64, pairs.len() as i64, vectors(F64)), cpu, &inputs);
        for (row, output) in math::BINARY.iter().zip(&outputs) {
            let reference = binary_reference(row.op).expect("a reference for every function");
            // The reference is rounded too.
            let bound = if row.op == Binary::Remainder { 0.0 } else { row.ulp_f64 + 0.6 + more };
            for (&(a, b), got) in pairs.iter().zip(decode(F64, output)) {
                let want = reference(a, b);
                let off = ulps(F64, got, want, 0.0);
                assert!(off <= bound, "{cpu}: {}({a:e}, {b:e}) is {want:e}, got {got:e}", row.op.name());
            }
        }
    }
}

#[test]
fn no_function_needs_another_library_on_gpus() {
    let scalars = LoopSchedule { vector: 1, threads: 64, items_per_thread: 1 };
    for element in [F32, F64] {
        for plan in [unary_plan(element, 1000, scalars), binary_plan(element, 1000, scalars)] {
            for name in ["sm_60", "sm_90"] {
                let target = target(Backend::Cuda, name);
                let binary = compile(&target, "kernel", emitted(&plan, "kernel", &target).mlir);
                let ptx = String::from_utf8_lossy(&binary.bytes);
                assert!(!ptx.contains(".extern") && !ptx.contains("call"), "{name} {element:?}: a call is left");
                // Products and sums stay apart unless an fma was asked for.
                assert!(!ptx.contains("\tmul.f") && !ptx.contains("\tadd.f"), "{name} {element:?}: an open rounding");
            }
            for name in ["gfx908", "gfx1100"] {
                let target = target(Backend::Rocm, name);
                let binary = compile(&target, "kernel", emitted(&plan, "kernel", &target).mlir);
                fornax_backend::link(&target, &[binary], &super::tools(), &Default::default())
                    .unwrap_or_else(|error| panic!("{name} {element:?}: {error}"));
            }
        }
    }
}

/// The page of bounds.
fn page() -> String {
    let mut page = String::from(
        "# Scalar functions\n\n\
         Generated from the tables of `crates/emit/src/math` by its tests (`FORNAX_BLESS=1` rewrites it).\n\n\
         Largest errors in units of the last place of the result, over all arguments, with subnormal numbers kept; \
         zeros, infinities and\n\
         NaN as IEEE 754 and C say. The bounds hold for targets with fma (all GPUs, x86-64-v3, NEON); x86-64 before v3 \
         may add one\n\
         unit. f16 and bf16 are computed in f32 and rounded. Nothing is called: no libm, libdevice or ocml.\n\n\
         On NVIDIA devices the exponential of f32 uses `ex2.approx`, which may add one unit, also to what is made of \
         it (logistic, tanh).\n\n\
         Results that are rounded to 16 bits at once, of that type or converted from f32: erf of f16 and bf16 within \
         0.54 units, tanh of bf16\n\
         by `tanh.approx` (NVIDIA, from sm_75 on) within 0.63; on NVIDIA devices exponential, logistic and erfc of \
         f16 and bf16 and tanh of f16 within 0.54.\nWhole powers up to 8 are products (`simplify`): squares \
         within 0.5 units, cubes 1.5.\n\n\
         | function | f32 | f64 |\n| --- | --- | --- |\n",
    );
    let rows = math::UNARY.iter().map(|r| (r.op.name(), r.ulp_f32, r.ulp_f64));
    for (name, single, double) in rows.chain(math::BINARY.iter().map(|r| (r.op.name(), r.ulp_f32, r.ulp_f64))) {
        page.push_str(&format!("| {name} | {single} | {double} |\n"));
    }
    page
}

#[test]
fn the_page_of_bounds_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/understand/math.md");
    let wanted = page();
    if std::env::var_os("FORNAX_BLESS").is_some() {
        std::fs::write(&path, &wanted).expect("docs/understand/math.md is writable");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == wanted, "docs/understand/math.md: run FORNAX_BLESS=1 cargo test -p fornax-codegen --test llvm");
}
