//! Several reductions of a row in one kernel: held, streamed, across rows, with rows and lanes that are left over.

use fornax_graph::ElementType::{self, Bf16, F16, F32};
use fornax_kernels::row::schedule::RowSchedule;
use fornax_plan::Unscheduled;
use fornax_plan::{Binary, Body, Combiner, KernelPlan, RowFold, Store, VarId};

use super::emit_plans::{Maker, Random, softmax};
use super::run::{buffers, check, run_text, text};

fn scheduled(
    plan: &KernelPlan,
    vector: (VarId, u32),
    (threads, chunks, rows): (u32, u32, u32),
    held: bool,
) -> KernelPlan {
    let schedule =
        RowSchedule { vector, threads, chunks, held, rows, adjacent: true, cluster: 1, ahead: 0, packed: false };
    plan.with_schedule(schedule)
}

#[test]
fn rows_held_and_streamed() {
    let mut random = Random(29);
    for element in [F32, Bf16] {
        let cases = [
            (5, 7, 1, (8, 1, 4), true),
            (3, 129, 1, (32, 5, 2), true),
            (3, 100, 4, (8, 4, 8), true),
            (2, 260, 4, (64, 2, 1), true),
            (3, 33, 1, (8, 2, 4), false),
            (2, 500, 4, (64, 1, 2), false),
            (9, 16, 2, (1, 8, 32), true),
        ];
        for (seed, (rows, length, lanes, shape, held)) in cases.into_iter().enumerate() {
            let (plan, _, row) = softmax(element, (rows, &[length]), true);
            let input = [random.small(element, (rows * length) as usize)];
            for device in ["sm_60", "sm_90"] {
                check(&scheduled(&plan, (row[0], lanes), shape, held), device, &input, 32.0, seed as u64);
            }
        }
    }
}

#[test]
fn columns_and_rows_of_two_variables() {
    let mut random = Random(31);
    let cases =
        [(24, 4, (8, 6, 8), true), (24, 4, (16, 2, 4), false), (13, 1, (4, 11, 8), true), (64, 2, (64, 1, 4), true)];
    for (seed, (rows, lanes, shape, held)) in cases.into_iter().enumerate() {
        let (plan, kept, _) = softmax(F32, (rows, &[6, 7]), false);
        let input = [random.small(F32, 42 * rows as usize)];
        check(&scheduled(&plan, (kept, lanes), shape, held), "sm_90", &input, 32.0, seed as u64);
    }
    let (plan, _, row) = softmax(F32, (3, &[6, 8]), true);
    check(&scheduled(&plan, (row[1], 4), (8, 2, 4), true), "sm_90", &[random.small(F32, 144)], 32.0, 1);
}

#[test]
fn a_held_row_is_read_and_written_once() {
    let mut random = Random(37);
    let (plan, _, row) = softmax(F32, (4, &[256]), true);
    let input = [random.small(F32, 1024)];
    let report = check(&scheduled(&plan, (row[0], 4), (32, 2, 4), true), "sm_90", &input, 32.0, 1);
    assert_eq!(report.traffic, [(4096, 0), (0, 4096), (0, 16)]);
}

#[test]
fn clusters_share_rows() {
    let mut random = Random(41);
    let cases = [(2, 1000, 4, (32, 4, 2)), (3, 1024, 4, (32, 2, 4)), (1, 2504, 8, (64, 2, 4)), (2, 130, 2, (32, 1, 8))];
    for element in [F32, Bf16] {
        for (seed, (rows, length, lanes, (threads, chunks, cluster))) in cases.into_iter().enumerate() {
            let (plan, _, row) = softmax(element, (rows, &[length]), true);
            let plan = scheduled(&plan, (row[0], lanes), (threads, chunks, 1), true);
            let Some(&one) = plan.schedule_as::<RowSchedule>() else { panic!("not a row") };
            let plan = plan.with_schedule(RowSchedule { cluster, ..one });
            let input = [random.small(element, (rows * length) as usize)];
            check(&plan, "sm_90", &input, 32.0, seed as u64);
        }
    }
}

#[test]
fn the_next_row_is_read_ahead() {
    let mut random = Random(43);
    let cases = [
        (7, 1000, 4, (64, 4), 1, 3),
        (5, 512, 8, (64, 1), 1, 2),
        (4, 2504, 8, (64, 5), 1, 4),
        (3, 130, 2, (32, 3), 1, 8),
    ];
    for element in [F32, Bf16] {
        for (seed, (rows, length, lanes, (threads, chunks), cluster, ahead)) in cases.into_iter().enumerate() {
            let (plan, _, row) = softmax(element, (rows, &[length]), true);
            let plan = scheduled(&plan, (row[0], lanes), (threads, chunks, 1), true);
            let Some(&one) = plan.schedule_as::<RowSchedule>() else { panic!("not a row") };
            let plan = plan.with_schedule(RowSchedule { ahead, cluster, ..one });
            let input = [random.small(element, (rows * length) as usize)];
            check(&plan, "sm_90", &input, 32.0, seed as u64);
        }
    }
}

/// Σ x, Σ x·y and the maximum of y, over rows of [rows, length], or over columns.
fn three_folds(element: ElementType, (rows, length): (i64, i64), along: bool) -> (KernelPlan, VarId, VarId) {
    let mut m = Maker::default();
    let (kept, row) = (m.var(rows), m.var(length));
    let (x, y) = (m.input(element, rows * length), m.input(element, rows * length));
    let outputs = [0; 3].map(|_| m.output(F32, rows));
    let terms = if along { [(kept, length), (row, 1)] } else { [(kept, 1), (row, rows)] };
    let [x, y] = [x, y].map(|buffer| m.load_at(buffer, &terms));
    let (x, y) = (m.exprs.convert(F32, x), m.exprs.convert(F32, y));
    let product = m.exprs.binary(Binary::Multiply, x, y);
    let (zero, lowest) = (m.f32(0.0), m.f32(f32::NEG_INFINITY));
    let fold = |op, input, init| RowFold { inputs: vec![input], inits: vec![init], combiner: Combiner::Simple(op) };
    let folds = vec![fold(Binary::Add, x, zero), fold(Binary::Add, product, zero), fold(Binary::Maximum, y, lowest)];
    let offset = m.at(&[(kept, 1)]);
    let store = |(index, buffer)| Store { buffer, offset, value: m.reduced(index, F32) };
    let stores = (0..).zip(outputs).map(store).collect();
    (m.plan(vec![kept], Body::Row { row: vec![row], folds, stores }, Unscheduled), kept, row)
}

/// Folds that do not read each other's results share a pass: held and streamed, along rows and across, with rows, lanes
/// and vectors that are left over.
#[test]
fn folds_that_do_not_wait_for_each_other() {
    let mut random = Random(59);
    let cases = [
        (16, 40, 8, (4, 2, 8), false, false),
        (24, 33, 8, (8, 3, 4), false, false),
        (13, 30, 1, (4, 8, 8), true, false),
        (8, 17, 4, (8, 3, 2), true, false),
        (3, 200, 4, (16, 2, 2), false, true),
        (5, 96, 8, (8, 2, 4), true, true),
    ];
    for element in [F32, Bf16] {
        for (seed, (rows, length, lanes, shape, held, along)) in cases.into_iter().enumerate() {
            let (plan, kept, row) = three_folds(element, (rows, length), along);
            let vector = (if along { row } else { kept }, lanes);
            let inputs = [0; 2].map(|_| random.small(element, (rows * length) as usize));
            check(&scheduled(&plan, vector, shape, held), "sm_90", &inputs, 32.0, seed as u64);
        }
    }
}

/// Rows that stay as they lie in memory: alone, by several threads, read ahead, in clusters; exponentials that the plan
/// needs in full and others.
#[test]
fn packed_rows() {
    let mut random = Random(53);
    let cases = [
        (5, 1000, 8, (32, 4, 2), 1, 0),
        (3, 2504, 8, (64, 5, 1), 1, 0),
        (4, 130, 2, (32, 3, 1), 1, 0),
        (7, 1024, 8, (64, 2, 1), 1, 3),
        (3, 2504, 8, (64, 3, 1), 2, 0),
        (2, 4096, 8, (32, 4, 1), 4, 0),
    ];
    for element in [Bf16, F16, F32] {
        for (seed, (rows, length, lanes, shape, cluster, ahead)) in cases.into_iter().enumerate() {
            let (plan, _, row) = softmax(element, (rows, &[length]), true);
            let plan = scheduled(&plan, (row[0], lanes), shape, true);
            let Some(&one) = plan.schedule_as::<RowSchedule>() else { panic!("not a row") };
            let plan = plan.with_schedule(RowSchedule { ahead, cluster, packed: true, ..one });
            let input = [random.small(element, (rows * length) as usize)];
            check(&plan, "sm_90", &input, 32.0, seed as u64);
        }
    }
}

/// Weights of a packed softmax that are small, subnormal or zero, of equal, infinite and undefined elements: each
/// within a unit of what is exact.
#[test]
fn packed_exponentials_keep_small_and_special_values() {
    let (rows, length) = (6, 256);
    let (plan, _, row) = softmax(Bf16, (rows, &[length]), true);
    let plan = scheduled(&plan, (row[0], 8), (32, 1, 1), true);
    let Some(&one) = plan.schedule_as::<RowSchedule>() else { panic!("not a row") };
    let plan = plan.with_schedule(RowSchedule { packed: true, ..one });
    let mlir = text(&plan, "sm_90");
    assert!(
        mlir.contains("llvm.nvvm.ex2.approx.ftz") && !mlir.contains("fma.rn.sat"),
        "the short exponential is not used"
    );
    let mut bytes = Vec::new();
    for r in 0..rows {
        for at in 0..length {
            let value = match r {
                0 => -0.75 * at as f64,
                1 => 3e4 - 2.0 * at as f64,
                2 if at % 3 == 0 => f64::NEG_INFINITY,
                2 => 0.01 * at as f64,
                3 => f64::NEG_INFINITY,
                4 if at == 7 => f64::INFINITY,
                4 => 1.0,
                _ if at == 9 => f64::NAN,
                _ => at as f64,
            };
            bytes.extend(half::bf16::from_f64(value).to_le_bytes());
        }
    }
    let inputs = [bytes];
    let (got, _) = run_text(&plan, &mlir, &inputs, 3).unwrap_or_else(|error| panic!("{error}"));
    let mut wanted: Vec<Vec<u8>> = buffers(&plan, &inputs).into_iter().map(|b| b.bytes).collect();
    fornax_plan::interpret::run(&plan, &mut wanted).unwrap_or_else(|error| panic!("{error}"));
    let value = |b: &[u8]| half::bf16::from_le_bytes([b[0], b[1]]).to_f64();
    for (at, (g, w)) in got[1].bytes.chunks(2).zip(wanted[1].chunks(2)).enumerate() {
        let (x, y) = (value(g), value(w));
        let unit = y.abs() * 2f64.powi(-7) + 2f64.powi(-133);
        assert!(x == y || x.is_nan() && y.is_nan() || (x - y).abs() <= unit, "{at}: got {x:e}, interpreted {y:e}");
        assert!(!(y > 2f64.powi(-132) && x == 0.0), "{at}: {y:e} became 0");
    }
}

/// Every element of x [rows, length] divided by its row's largest, in f32, as 16-bit floats.
fn shares_of_largest(from: ElementType, to: ElementType, (rows, length): (i64, i64)) -> (KernelPlan, VarId) {
    let mut m = Maker::default();
    let (kept, row) = (m.var(rows), m.var(length));
    let (x, y) = (m.input(from, rows * length), m.output(to, rows * length));
    let terms = [(kept, length), (row, 1)];
    let f32 = ElementType::F32;
    let value = m.load_at(x, &terms);
    let value = m.exprs.convert(f32, value);
    let lowest = m.f32(f32::NEG_INFINITY);
    let maximum = m.reduced(0, f32);
    let share = m.exprs.binary(Binary::Divide, value, maximum);
    let share = m.exprs.convert(to, share);
    let offset = m.at(&terms);
    let body = Body::Row {
        row: vec![row],
        folds: vec![RowFold { inputs: vec![value], inits: vec![lowest], combiner: Combiner::Simple(Binary::Maximum) }],
        stores: vec![Store { buffer: y, offset, value: share }],
    };
    let none = Unscheduled;
    (m.plan(vec![kept], body, none), row)
}

/// Quotients that are rounded to 16 bits are bit for bit those of a division that is rounded afterwards: ties,
/// infinities, NaN, zeros, subnormal numbers, divisors without a finite reciprocal.
#[test]
fn narrow_quotients_are_exact() {
    let mut random = Random(47);
    let special =
        [0.0, -0.0, 1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1e-40, -3e-39, f32::MIN_POSITIVE, -f32::MAX];
    // The largest of each row: what all are divided by.
    let largest = [3.0, 256.0, 65504.0, 1e-41, 2e38, f32::INFINITY, 0.0, f32::NAN, 7e-5];
    let length = 96;
    for to in [Bf16, F16] {
        for from in [F32, Bf16, F16] {
            let mut bytes = Vec::new();
            for &top in &largest {
                for at in 0..length {
                    let exact = if at % 2 == 0 { 256.0 } else { 2048.0 };
                    let value = match at {
                        0 => top,
                        1..11 => special[at - 1].min(top),
                        // Multiples of the divisor that lie between two 16-bit floats.
                        11..50 => top * (exact + at as f32) / exact / 4.0,
                        _ => top * (random.next() % 4096) as f32 / 4100.0,
                    };
                    bytes.extend(match from {
                        F32 => value.to_le_bytes().to_vec(),
                        Bf16 => half::bf16::from_f32(value).to_le_bytes().to_vec(),
                        _ => half::f16::from_f32(value).to_le_bytes().to_vec(),
                    });
                }
            }
            let (plan, row) = shares_of_largest(from, to, (largest.len() as i64, length as i64));
            for (lanes, shape) in [(8, (4, 3, 1)), (2, (32, 2, 1)), (1, (32, 3, 2))] {
                for device in ["sm_80", "sm_90"] {
                    check(&scheduled(&plan, (row, lanes), shape, true), device, &[bytes.clone()], 0.0, 1);
                }
            }
        }
    }
}
