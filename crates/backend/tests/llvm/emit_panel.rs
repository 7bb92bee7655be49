//! Products and convolutions in panels on the CPU: every cut, copied rows, tiles that reach over an end.

use fornax_graph::ElementType::{Bf16, F16, F32, F64, I32};
use fornax_kernels::gemm_cpu::candidates;
use fornax_kernels::gemm_cpu::schedule::PanelSchedule;
use fornax_plan::{Access, KernelPlan, VarId};

use super::emit_plans::Random;
use super::emit_run::check;
use super::emit_tile::{convolution, product};

fn panel(row: Option<(VarId, u32)>, (column, lanes, vectors): (VarId, u32, u32)) -> PanelSchedule {
    PanelSchedule {
        batch: vec![],
        outer_rows: vec![],
        row,
        column,
        lanes,
        vectors,
        row_tiles: 1,
        column_tiles: 1,
        depth: None,
        panel: None,
        rows_are_lhs: true,
        copy_rows: false,
        lays_columns: false,
    }
}

fn scheduled(plan: &KernelPlan, schedule: PanelSchedule) -> KernelPlan {
    plan.with_schedule(schedule)
}

#[test]
fn products_of_odd_shapes() {
    let mut random = Random(29);
    for element in [F32, F64, Bf16, F16, I32] {
        for shape in [(13, 37, 29), (4, 8, 16), (1, 5, 8), (7, 1, 40)] {
            for transposed in [false, true] {
                let (m, k, n) = shape;
                let (plan, [i, j, p]) = product(element, shape, transposed);
                let row = |count| (m > 1).then_some((i, count));
                let inputs = [m * k, k * n, n].map(|count| random.small(element, count as usize));
                let whole = PanelSchedule { row_tiles: 2, column_tiles: 2, ..panel(row(4), (j, 8, 2)) };
                let cut = PanelSchedule { depth: Some((p, 16)), column_tiles: 3, ..panel(row(3), (j, 8, 1)) };
                let copied = PanelSchedule { copy_rows: true, depth: Some((p, 8)), ..whole.clone() };
                let at_once = PanelSchedule { copy_rows: true, row_tiles: 9, ..panel(row(5), (j, 4, 3)) };
                for schedule in [whole, cut, copied, at_once] {
                    check(&scheduled(&plan, schedule), "x86-64-v3", &inputs, 60.0);
                }
            }
        }
    }
}

/// Columns that are computed in scratch, whole and in pieces of the steps: last tiles that overlap, rows that are left.
#[test]
fn products_with_columns_in_scratch() {
    let mut random = Random(43);
    for element in [F32, Bf16, I32] {
        for (m, k, n) in [(13, 40, 29), (4, 8, 16), (5, 72, 8)] {
            let (plan, [i, j, p]) = product(element, (m, k, n), true);
            let inputs = [m * k, k * n, n].map(|count| random.small(element, count as usize));
            let laid = |tile| PanelSchedule { lays_columns: true, row_tiles: 3, ..panel(Some((i, 4)), tile) };
            let whole = PanelSchedule { column_tiles: 2, ..laid((j, 8, 2)) };
            let cut = PanelSchedule { depth: Some((p, 16)), column_tiles: 3, ..laid((j, 8, 1)) };
            let copied = PanelSchedule { copy_rows: true, ..laid((j, 4, 3)) };
            for schedule in [whole, cut, copied] {
                check(&scheduled(&plan, schedule), "x86-64-v3", &inputs, 60.0);
            }
        }
    }
}

/// Rows of an operand that is not packed and comes from afar: later ones are asked for, also where there are none.
#[test]
fn products_with_far_rows() {
    let mut random = Random(37);
    let (m, k, n) = (3, 131, 2051);
    let (plan, [i, j, _]) = product(F32, (m, k, n), false);
    let inputs = [m * k, k * n, n].map(|count| random.small(F32, count as usize));
    let schedule = panel(Some((i, 3)), (j, 8, 3));
    let target = fornax_targets::Target::from_spec("cpu:x86-64-v3").unwrap();
    let text = fornax_kernels::emit(&scheduled(&plan, schedule.clone()), "kernel", &target).unwrap().mlir;
    assert_eq!(text.matches("llvm.intr.prefetch").count(), 4, "a line a vector, and one for the tile's end: {text}");
    check(&scheduled(&plan, schedule), "x86-64-v3", &inputs, 400.0);
}

/// Columns that are packed: each row tile asks for its share of the next panels, whole and in pieces of the steps.
#[test]
fn products_with_packed_columns() {
    let mut random = Random(47);
    let target = fornax_targets::Target::from_spec("cpu:x86-64-v3").unwrap();
    // Columns fill their panels: in the last of others some stand twice, and random ones would differ.
    for (m, k, n) in [(30, 700, 96), (9, 2100, 48)] {
        let (mut plan, [_, _, p]) = product(F32, (m, k, n), false);
        let copy = candidates::schedule(&mut plan, &target, &|buffer| buffer == 1).unwrap();
        assert!(copy.is_some(), "{m} {k} {n}: not packed");
        let whole = plan.schedule_as::<PanelSchedule>().unwrap().clone();
        let read = plan.buffers.iter().filter(|buffer| buffer.access == Access::Read);
        let inputs: Vec<_> = read.map(|buffer| random.small(F32, buffer.elements as usize)).collect();
        let cut = PanelSchedule { depth: Some((p, 256)), ..whole.clone() };
        let blocks = PanelSchedule { row_tiles: 2, column_tiles: 2, ..cut.clone() };
        for schedule in [PanelSchedule { depth: None, ..whole }, cut, blocks] {
            let plan = scheduled(&plan, schedule);
            let text = fornax_kernels::emit(&plan, "kernel", &target).unwrap().mlir;
            assert!(text.contains("llvm.intr.prefetch"), "{text}");
            check(&plan, "x86-64-v3", &inputs, 400.0);
        }
    }
}

#[test]
fn padded_convolutions() {
    let mut random = Random(31);
    for (h, w, f, o) in [(9, 11, 3, 16), (5, 4, 19, 12)] {
        let (plan, [y, x, c, ky, kx, p]) = convolution((h, w, f, o));
        let inputs = [random.small(F32, (h * w * f) as usize), random.small(F32, (9 * f * o) as usize)];
        let base = PanelSchedule { outer_rows: vec![y], row_tiles: 4, ..panel(Some((x, 2)), (c, 4, 2)) };
        for depth in [None, Some((ky, 2)), Some((kx, 1)), Some((kx, 2)), Some((p, 8))] {
            for copy_rows in [false, true] {
                let schedule = PanelSchedule { depth, copy_rows, ..base.clone() };
                check(&scheduled(&plan, schedule), "x86-64-v3", &inputs, 400.0);
            }
        }
        // One value of a row variable a workgroup.
        let batched = PanelSchedule { batch: vec![y], outer_rows: vec![], ..base };
        check(&scheduled(&plan, batched), "x86-64", &inputs, 400.0);
    }
}
