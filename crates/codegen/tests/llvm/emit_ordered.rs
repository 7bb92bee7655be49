//! Sorts and prefix folds: CPU results against the interpreter, GPU kernels compiled.

use fornax_graph::ElementType::{self, Bf16, F32, F64, I1, I32};
use fornax_plan::{Binary, Body, Compare, KernelPlan, Node, ScanSchedule, Schedule, SortSchedule, Store};

use super::emit_plans::{Maker, Random};
use super::emit_run::{check, compile_for, compile_for_gpus};
use fornax_targets::Backend;

/// How a sort is cut.
#[derive(Clone, Copy)]
struct Runs {
    from: i64,
    to: i64,
    keep: i64,
}

/// Lines of `n` keys with their i32 partners, descending.
fn sort(key: ElementType, (lines, n): (i64, i64), runs: Runs, schedule: SortSchedule) -> KernelPlan {
    let mut m = Maker::default();
    let kept = n / runs.to * runs.keep + runs.keep.min(n % runs.to);
    let (line, along, source) = (m.var(lines), m.var(kept), m.var(n));
    let (keys, partners) = (m.input(key, lines * n), m.input(I32, lines * n));
    let outputs = [m.output(key, lines * kept), m.output(I32, lines * kept)];
    let operands = vec![m.load_at(keys, &[(line, n), (source, 1)]), m.load_at(partners, &[(line, n), (source, 1)])];
    let first = m.exprs.add(Node::Running { index: 0, element: key });
    let second = m.exprs.add(Node::Incoming { index: 0, element: key });
    let before = m.exprs.compare(Compare::TotalGt, first, second);
    let offset = m.at(&[(line, kept), (along, 1)]);
    let store = |m: &mut Maker, (at, buffer): (usize, u32)| {
        let value = m.reduced(at as u32, if at == 0 { key } else { I32 });
        Store { buffer, offset, value }
    };
    let stores = outputs.into_iter().enumerate().map(|o| store(&mut m, o)).collect();
    let Runs { from, to, keep } = runs;
    let body = Body::Sort { along, source, operands, before, from, to, keep, stores };
    m.plan(vec![line, along], body, Schedule::Sort(schedule))
}

/// Few different keys, so that stability shows; runs of `run` are sorted.
fn keys(random: &mut Random, (lines, n): (i64, i64), run: i64) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..lines {
        let mut line: Vec<f32> = (0..n).map(|_| (random.next() % 11) as f32 - 5.0).collect();
        for run in line.chunks_mut(run as usize) {
            run.sort_by(|a, b| b.total_cmp(a));
        }
        bytes.extend(line.iter().flat_map(|x| x.to_le_bytes()));
    }
    bytes
}

fn positions((lines, n): (i64, i64)) -> Vec<u8> {
    (0..lines * n).flat_map(|i| (i as i32).to_le_bytes()).collect()
}

#[test]
fn lines_are_sorted_stably() {
    let mut random = Random(5);
    for (shape, to, keep, slots) in
        [((3, 37), 37, 37, 64), ((9, 5), 5, 5, 64), ((2, 100), 32, 32, 32), ((2, 100), 32, 3, 64), ((1, 2), 2, 2, 2)]
    {
        let runs = Runs { from: 1, to, keep };
        let plan = sort(F32, shape, runs, SortSchedule { threads: 1, items: slots });
        check(&plan, "x86-64-v3", &[keys(&mut random, shape, 1), positions(shape)], 0.0);
        let items = slots.min(4).min((to.min(shape.1) as u32).next_power_of_two());
        let plan = sort(F32, shape, runs, SortSchedule { threads: slots / items, items });
        assert!(compile_for_gpus(&plan).contains("bar.sync"));
    }
}

#[test]
fn sorted_runs_are_merged() {
    let mut random = Random(6);
    for (shape, from, slots) in [((2, 200), 64, 32), ((3, 77), 32, 32), ((1, 130), 128, 128)] {
        let runs = Runs { from, to: 2 * from, keep: 2 * from };
        let plan = sort(F32, shape, runs, SortSchedule { threads: 1, items: slots });
        check(&plan, "x86-64-v3", &[keys(&mut random, shape, from), positions(shape)], 0.0);
        let plan = sort(F32, shape, runs, SortSchedule { threads: slots / 4, items: 4 });
        assert!(compile_for_gpus(&plan).contains("bar.sync"));
    }
}

#[test]
fn other_types_are_sorted() {
    let mut random = Random(7);
    for key in [Bf16, F64, I32] {
        let (shape, runs) = ((4, 50), Runs { from: 1, to: 50, keep: 50 });
        let plan = sort(key, shape, runs, SortSchedule { threads: 1, items: 64 });
        let inputs = [random.small(key, 200), positions(shape)];
        check(&plan, "x86-64-v3", &inputs, 0.0);
        compile_for_gpus(&sort(key, shape, runs, SortSchedule { threads: 16, items: 4 }));
    }
}

/// out[i, j] = 2 · fold of x[i, j'] along the first or second variable.
fn scan(
    (element, combiner): (ElementType, Binary),
    (rows, columns): (i64, i64),
    (along_rows, reverse): (bool, bool),
    schedule: ScanSchedule,
) -> KernelPlan {
    let mut m = Maker::default();
    let (i, j) = (m.var(rows), m.var(columns));
    let (input, output) = (m.input(element, rows * columns), m.output(element, rows * columns));
    let input = m.load_at(input, &[(i, columns), (j, 1)]);
    let folded = m.reduced(0, element);
    let value = if element == I1 { folded } else { m.exprs.binary(Binary::Add, folded, folded) };
    let offset = m.at(&[(i, columns), (j, 1)]);
    let along = if along_rows { j } else { i };
    let body = Body::Scan { along, reverse, input, combiner, stores: vec![Store { buffer: output, offset, value }] };
    m.plan(vec![i, j], body, Schedule::Scan(schedule))
}

#[test]
fn prefix_folds_of_rows_and_columns() {
    let mut random = Random(8);
    let shape = (13, 72);
    for reverse in [false, true] {
        for (along_rows, lanes) in [(true, 1), (false, 1), (false, 8)] {
            let own = ScanSchedule { shared: false, lanes, items: 2, threads: 1 };
            for what in [(I32, Binary::Add), (F32, Binary::Maximum), (I1, Binary::Or), (F64, Binary::Minimum)] {
                let plan = scan(what, shape, (along_rows, reverse), own);
                check(&plan, "x86-64-v3", &[random.small(what.0, 13 * 72)], 0.0);
            }
        }
        for (lanes, items, threads) in [(4, 2, 32), (1, 8, 64), (2, 1, 256)] {
            let shared = ScanSchedule { shared: true, lanes, items, threads };
            let ptx =
                compile_for(&scan((F32, Binary::Add), (3, 1000), (true, reverse), shared), Backend::Cuda, "sm_80");
            let ptx = String::from_utf8_lossy(&ptx);
            assert!(ptx.contains("shfl.sync.bfly"), "{ptx}");
        }
        let own = ScanSchedule { shared: false, lanes: 4, items: 1, threads: 128 };
        compile_for_gpus(&scan((F32, Binary::Add), (100, 1000), (false, reverse), own));
    }
}
