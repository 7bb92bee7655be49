//! Functions with shorter forms for results of 16 bits, over every argument of 16 bits.

use fornax_graph::ElementType::{self, Bf16, F16, F32};
use fornax_kernels::loop_schedule::LoopSchedule;
use fornax_plan::{Binary, Body, KernelPlan, Store, Unary};

use super::emit_plans::{Maker, Random};
use super::run::{buffers, run_text, text};

const PATTERNS: i64 = 1 << 16;

/// A function of an argument in its own type, and of the same in f32, rounded.
fn plan(op: Unary, element: ElementType) -> KernelPlan {
    let mut m = Maker::default();
    let i = m.var(PATTERNS);
    let input = m.input(element, PATTERNS);
    let x = m.load_at(input, &[(i, 1)]);
    let narrow = m.exprs.unary(op, x);
    let wide = m.exprs.convert(F32, x);
    let wide = m.exprs.unary(op, wide);
    let wide = m.exprs.convert(element, wide);
    let offset = m.at(&[(i, 1)]);
    let stores =
        [narrow, wide].map(|value| Store { value, buffer: m.output(element, PATTERNS), offset }).into_iter().collect();
    let schedule = LoopSchedule { vector: 2, threads: 128, items_per_thread: 4 };
    m.plan(vec![i], Body::Loop { stores }, schedule)
}

/// Neighbours among the numbers of a format differ by 1.
fn order(bits: u16) -> i32 {
    let magnitude = i32::from(bits & 0x7FFF);
    if bits & 0x8000 == 0 { magnitude } else { -magnitude }
}

#[test]
fn results_are_the_rounded_ones_or_their_neighbours() {
    for (op, element, device, mark) in [
        (Unary::Tanh, Bf16, "sm_90", "tanh.approx.f32"),
        (Unary::Tanh, Bf16, "sm_70", ""),
        (Unary::Erf, Bf16, "sm_90", ""),
        (Unary::Erf, F16, "sm_90", ""),
        (Unary::Erf, F16, "sm_70", ""),
        (Unary::Tanh, F16, "sm_90", "rcp.approx.ftz.f32"),
        (Unary::Exponential, Bf16, "sm_90", "ex2.approx.ftz.f32"),
        (Unary::Exponential, F16, "sm_70", "ex2.approx.ftz.f32"),
        (Unary::Erfc, Bf16, "sm_90", "rcp.approx.ftz.f32"),
        (Unary::Erfc, F16, "sm_70", "rcp.approx.ftz.f32"),
        (Unary::Logistic, Bf16, "sm_70", "rcp.approx.ftz.f32"),
        (Unary::Logistic, F16, "sm_90", "rcp.approx.ftz.f32"),
    ] {
        let plan = plan(op, element);
        let mlir = text(&plan, device);
        assert!(mlir.contains(mark), "{device}: no {mark}");
        let input: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
        let inputs = [input];
        let (got, _) = run_text(&plan, &mlir, &inputs, 1).unwrap_or_else(|error| panic!("{error}"));
        let mut wanted: Vec<Vec<u8>> = buffers(&plan, &inputs).into_iter().map(|b| b.bytes).collect();
        fornax_plan::interpret::run(&plan, &mut wanted).unwrap_or_else(|error| panic!("{error}"));
        let infinity = if element == Bf16 { 0x7F80 } else { 0x7C00 };
        for output in [1, 2] {
            let pairs = got[output].bytes.chunks(2).zip(wanted[output].chunks(2));
            for (x, (g, w)) in pairs.enumerate() {
                let (g, w) = (u16::from_le_bytes([g[0], g[1]]), u16::from_le_bytes([w[0], w[1]]));
                let nan = [g, w].map(|bits| bits & 0x7FFF > infinity);
                let near = (order(g) - order(w)).abs() <= 1;
                // The sign of zero too.
                let zero = w & 0x7FFF != 0 || g == w;
                let what = format!("{op:?} of {x:#06x}, {element:?}, {device}: {g:#06x}, not {w:#06x}");
                assert!(nan == [true; 2] || nan == [false; 2] && near && zero, "{what}");
            }
        }
    }
}

/// Every value of 16 bits by another, and 1 by it.
fn quotients(element: ElementType) -> KernelPlan {
    let mut m = Maker::default();
    let i = m.var(PATTERNS);
    let (dividends, divisors) = (m.input(element, PATTERNS), m.input(element, PATTERNS));
    let (a, b) = (m.load_at(dividends, &[(i, 1)]), m.load_at(divisors, &[(i, 1)]));
    let one = m.constant(element, if element == Bf16 { 0x3F80 } else { 0x3C00 });
    let values = [m.exprs.binary(Binary::Divide, a, b), m.exprs.binary(Binary::Divide, one, b)];
    let offset = m.at(&[(i, 1)]);
    let stores = values.map(|value| Store { value, buffer: m.output(element, PATTERNS), offset }).into_iter().collect();
    let schedule = LoopSchedule { vector: 2, threads: 128, items_per_thread: 4 };
    m.plan(vec![i], Body::Loop { stores }, schedule)
}

#[test]
fn quotients_are_rounded_once() {
    let mut random = Random(53);
    for (element, infinity) in [(Bf16, 0x7F80), (F16, 0x7C00)] {
        let plan = quotients(element);
        let mlir = text(&plan, "sm_90");
        assert!(!mlir.contains("arith.divf"), "{element:?}");
        for _ in 0..8 {
            let all: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
            let mixed: Vec<u8> = (0..PATTERNS).flat_map(|_| (random.next() as u16).to_le_bytes()).collect();
            let inputs = [all, mixed];
            let (got, _) = run_text(&plan, &mlir, &inputs, 1).unwrap_or_else(|error| panic!("{error}"));
            let mut wanted: Vec<Vec<u8>> = buffers(&plan, &inputs).into_iter().map(|b| b.bytes).collect();
            fornax_plan::interpret::run(&plan, &mut wanted).unwrap_or_else(|error| panic!("{error}"));
            for output in [2, 3] {
                for (x, (g, w)) in got[output].bytes.chunks(2).zip(wanted[output].chunks(2)).enumerate() {
                    let (g, w) = (u16::from_le_bytes([g[0], g[1]]), u16::from_le_bytes([w[0], w[1]]));
                    let nan = [g, w].map(|bits| bits & 0x7FFF > infinity);
                    assert!(g == w || nan == [true; 2], "{element:?} {x}: {g:#06x}, not {w:#06x}");
                }
            }
        }
    }
}
