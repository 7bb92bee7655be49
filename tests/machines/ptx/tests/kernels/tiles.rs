//! Reductions and contractions by threads, with and without shared memory.

use fornax_graph::ElementType::{Bf16, F16, F32, F64, I1, I32};
use fornax_plan::Binary;

use super::emit_plans::Random;
use super::run::check;
use super::samples::{fold, product, scheduled, threads};

#[test]
fn threads_share_rows_and_columns() {
    let mut random = Random(7);
    for (seed, element) in [F32, Bf16, I1, F64].into_iter().enumerate() {
        for over_rows in [false, true] {
            let op = if element == I1 { Binary::Or } else { Binary::Add };
            for (rows, columns) in [(10, 1000), (33, 129), (1, 7), (129, 1)] {
                let (plan, kept, folded) = fold(element, op, (rows, columns), over_rows);
                let given = [random.small(element, (rows * columns) as usize)];
                let lanes = if over_rows { (kept, 4) } else { (folded, 4) };
                for share in [(1, 128), (8, 32), (32, 4), (256, 1), (1024, 1)] {
                    for vector in [Some(lanes), None] {
                        let plan = scheduled(&plan, threads(vector, &[], share));
                        check(&plan, "sm_80", &given, 1000.0, seed as u64);
                    }
                }
            }
        }
    }
}

#[test]
fn products_of_odd_shapes() {
    let mut random = Random(11);
    for element in [F32, F16, Bf16, I32, F64] {
        for (m, k, n) in [(33, 17, 29), (1, 129, 7)] {
            let (plan, [i, j, _]) = product(element, (m, k, n), false);
            let given = [m * k, k * n, n].map(|count| random.small(element, count as usize));
            for share in [(1, 128), (4, 64)] {
                let plan = scheduled(&plan, threads(Some((j, 4)), &[(i, 8), (j, 2)], share));
                check(&plan, "sm_90", &given, 200.0, 3);
            }
        }
    }
}

#[test]
fn rectangles_pass_through_shared_memory() {
    let mut random = Random(19);
    for (seed, (element, transposed)) in [(F32, false), (F32, true), (Bf16, false), (I32, true)].into_iter().enumerate()
    {
        let (m, k, n) = (64, 48, 128);
        let (plan, [i, j, _]) = product(element, (m, k, n), transposed);
        let given = [m * k, k * n, n].map(|count| random.small(element, count as usize));
        let plan = scheduled(&plan, threads(Some((j, 4)), &[(i, 8), (j, 2)], (1, 128)));
        let report = check(&plan, "sm_80", &given, 300.0, seed as u64);
        assert!(report.count("nvvm.barrier0") > 0, "{element:?}: not staged: {:?}", report.counts);
    }
}
