//! Sorts, prefix folds and segment folds.

use fornax_graph::ElementType::{F32, F64, I1, I32};
use fornax_kernels::scan::schedule::{ScanSchedule, ScanWay};
use fornax_kernels::scatter::schedule::SegmentSchedule;
use fornax_kernels::sort::schedule::SortSchedule;
use fornax_plan::Binary;

use super::emit_plans::Random;
use super::ordered_plans::{Direction, Runs, digits_of, keys, positions, radix, rows_of, scan, segment, sort};
use super::run::check;

#[test]
fn lines_are_sorted_stably() {
    let mut random = Random(31);
    for (at, (shape, to, keep, slots, items)) in [
        ((3, 37), 37, 37, 64, 4),
        ((9, 5), 5, 5, 64, 4),
        ((2, 100), 32, 32, 32, 2),
        ((2, 300), 128, 3, 256, 8),
        ((5, 2), 2, 2, 64, 1),
    ]
    .into_iter()
    .enumerate()
    {
        let plan = sort(F32, shape, Runs { from: 1, to, keep }, SortSchedule { threads: slots / items, items });
        check(&plan, "sm_80", &[keys(&mut random, shape, 1), positions(shape)], 0.0, at as u64);
    }
}

#[test]
fn sorted_runs_are_merged() {
    let mut random = Random(37);
    for (at, (shape, from, slots)) in
        [((2, 200), 64, 32), ((3, 77), 32, 32), ((1, 130), 128, 128)].into_iter().enumerate()
    {
        let runs = Runs { from, to: 2 * from, keep: 2 * from };
        let plan = sort(F32, shape, runs, SortSchedule { threads: slots / 4, items: 4 });
        check(&plan, "sm_80", &[keys(&mut random, shape, from), positions(shape)], 0.0, at as u64);
    }
}

#[test]
fn prefix_folds() {
    let mut random = Random(41);
    for reverse in [false, true] {
        for (lanes, items, threads, columns) in [(4, 2, 32, 1000), (4, 4, 64, 2100), (1, 8, 64, 777), (2, 1, 128, 600)]
        {
            for what in [(I32, Binary::Add), (F32, Binary::Maximum), (I1, Binary::Or), (F64, Binary::Minimum)] {
                let shared = ScanSchedule { way: ScanWay::Shared, lanes, items, threads };
                let plan = scan(what, (3, columns), Direction { along_rows: true, reverse }, shared);
                check(&plan, "sm_80", &[random.small(what.0, 3 * columns as usize)], 0.0, u64::from(threads));
            }
        }
        let own = ScanSchedule { way: ScanWay::Own, lanes: 4, items: 1, threads: 64 };
        check(
            &scan((F32, Binary::Add), (21, 400), Direction { along_rows: false, reverse }, own),
            "sm_80",
            &[random.small(F32, 8400)],
            300.0,
            1,
        );
    }
}

#[test]
fn prefix_folds_of_lines_side_by_side() {
    let mut random = Random(47);
    for reverse in [false, true] {
        for (lanes, items, threads, width, shape) in
            [(1, 4, 128, 32, (77, 64)), (1, 16, 64, 32, (128, 33)), (2, 3, 96, 16, (50, 70)), (4, 2, 8, 8, (21, 36))]
        {
            for what in [(I32, Binary::Add), (F32, Binary::Maximum), (I1, Binary::Or), (F64, Binary::Minimum)] {
                let way = ScanWay::Columns(width);
                let plan = scan(
                    what,
                    shape,
                    Direction { along_rows: false, reverse },
                    ScanSchedule { way, lanes, items, threads },
                );
                let input = random.small(what.0, (shape.0 * shape.1) as usize);
                check(&plan, "sm_80", &[input], 0.0, u64::from(threads));
            }
        }
    }
}

#[test]
fn segments() {
    let mut random = Random(43);
    for (at, (shape, general, lanes, share)) in
        [((20, 16, 300), false, 4, 1), ((33, 5, 100), true, 1, 1), ((9, 1, 700), false, 1, 32)].into_iter().enumerate()
    {
        let (rows, width, n) = shape;
        let inputs = [
            rows_of(&mut random, n, rows),
            random.small(F32, (n * width) as usize),
            random.small(F32, (rows * width) as usize),
        ];
        let plan = segment(shape, general, SegmentSchedule { lanes, share, threads: 64, items: 1 });
        check(&plan, "sm_80", &inputs, if general { 0.0 } else { 400.0 }, at as u64);
    }
}

#[test]
fn digits() {
    let mut random = Random(47);
    for (at, shape) in [(2, 1500, 512), (1, 77, 256), (1, 2049, 1024)].into_iter().enumerate() {
        let (keys, starts) = digits_of(&mut random, shape);
        let partners = random.small(F32, (shape.0 * shape.1) as usize);
        check(&radix(shape, false, 256), "sm_80", std::slice::from_ref(&keys), 0.0, at as u64);
        check(&radix(shape, true, 256), "sm_80", &[keys, starts, partners], 0.0, at as u64);
    }
}
