//! Sorts and prefix folds: CPU results against the interpreter, GPU kernels compiled.

use fornax_graph::ElementType::{Bf16, F32, F64, I1, I32};
use fornax_kernels::scan::schedule::{ScanSchedule, ScanWay};
use fornax_kernels::scatter::schedule::SegmentSchedule;
use fornax_kernels::sort::schedule::SortSchedule;
use fornax_plan::Binary;
use fornax_targets::Backend;

use super::emit_plans::Random;
use super::emit_run::{check, compile_for, compile_for_gpus};
use super::ordered_plans::{Direction, Runs, digits_of, keys, positions, radix, rows_of, scan, segment, sort};

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

#[test]
fn prefix_folds_of_rows_and_columns() {
    let mut random = Random(8);
    let shape = (13, 72);
    for reverse in [false, true] {
        for (along_rows, lanes) in [(true, 1), (false, 1), (false, 8)] {
            let own = ScanSchedule { way: ScanWay::Own, lanes, items: 2, threads: 1 };
            for what in [(I32, Binary::Add), (F32, Binary::Maximum), (I1, Binary::Or), (F64, Binary::Minimum)] {
                let plan = scan(what, shape, Direction { along_rows, reverse }, own);
                check(&plan, "x86-64-v3", &[random.small(what.0, 13 * 72)], 0.0);
            }
        }
        for (lanes, items, threads) in [(4, 2, 32), (1, 8, 64), (2, 1, 256)] {
            let shared = ScanSchedule { way: ScanWay::Shared, lanes, items, threads };
            let ptx = compile_for(
                &scan((F32, Binary::Add), (3, 1000), Direction { along_rows: true, reverse }, shared),
                Backend::Cuda,
                "sm_80",
            );
            let ptx = String::from_utf8_lossy(&ptx);
            assert!(ptx.contains("shfl.sync.bfly"), "{ptx}");
        }
        let own = ScanSchedule { way: ScanWay::Own, lanes: 4, items: 1, threads: 128 };
        compile_for_gpus(&scan((F32, Binary::Add), (100, 1000), Direction { along_rows: false, reverse }, own));
    }
}

#[test]
fn segments_are_folded_in_order() {
    let mut random = Random(9);
    for (shape, general, lanes) in [((20, 16, 300), false, 8), ((33, 5, 100), true, 1), ((7, 3, 40), false, 1)] {
        let (rows, width, n) = shape;
        let inputs = [
            rows_of(&mut random, n, rows),
            random.small(F32, (n * width) as usize),
            random.small(F32, (rows * width) as usize),
        ];
        let cpu = SegmentSchedule { lanes, share: 1, threads: 1, items: 3 };
        check(&segment(shape, general, cpu), "x86-64-v3", &inputs, if general { 0.0 } else { 200.0 });
        let gpu = SegmentSchedule { lanes: lanes.min(4), share: 1, threads: 128, items: 1 };
        compile_for_gpus(&segment(shape, general, gpu));
    }
    let shared = SegmentSchedule { lanes: 1, share: 32, threads: 128, items: 1 };
    let ptx = compile_for(&segment((20, 1, 500), false, shared), Backend::Cuda, "sm_80");
    assert!(String::from_utf8_lossy(&ptx).contains("shfl.sync.bfly"));
}

#[test]
fn digits_are_counted_and_distributed() {
    let mut random = Random(10);
    for shape in [(2, 1000, 256), (1, 77, 512)] {
        let (keys, starts) = digits_of(&mut random, shape);
        let partners = random.small(F32, (shape.0 * shape.1) as usize);
        check(&radix(shape, false, 1), "x86-64-v3", std::slice::from_ref(&keys), 0.0);
        check(&radix(shape, true, 1), "x86-64-v3", &[keys, starts, partners], 0.0);
        for moved in [false, true] {
            compile_for_gpus(&radix(shape, moved, 1));
            let ptx = compile_for(&radix(shape, moved, 256), Backend::Cuda, "sm_80");
            // Counting adds in shared memory, distributing votes.
            let wanted = if moved { "vote.sync.ballot" } else { ".shared.add.u32" };
            assert!(String::from_utf8_lossy(&ptx).contains(wanted), "{wanted}");
        }
    }
}
