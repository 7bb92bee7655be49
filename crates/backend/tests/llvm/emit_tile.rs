//! Reductions and contractions: odd extents, lanes on either side, several accumulators, masks.

use fornax_emit::blocks::tile_schedule::TileSchedule;
use fornax_graph::ElementType;
use fornax_plan::{Binary, Body, Combiner, Compare, KernelPlan, Node, Store, VarId};

use super::emit_plans::{Maker, Random, tile};
use super::emit_run::{check, compile_for_gpus, run};

use ElementType::{Bf16, F16, F32, F64, I1, I8, I32, I64, Ui8, Ui32};

/// Rows or columns of [rows, columns] folded by an op; the vector along the variable chosen.
fn fold(element: ElementType, op: Binary, (rows, columns): (i64, i64), over_rows: bool) -> (KernelPlan, VarId, VarId) {
    let mut m = Maker::default();
    let (i, j) = (m.var(rows), m.var(columns));
    let input = m.input(element, rows * columns);
    let (kept, folded) = if over_rows { (j, i) } else { (i, j) };
    let kept_extent = if over_rows { columns } else { rows };
    let output = m.output(element, kept_extent);
    let mut value = m.load_at(input, &[(i, columns), (j, 1)]);
    let narrow = matches!(element, F16 | Bf16);
    let accumulator = if narrow { F32 } else { element };
    value = m.exprs.convert(accumulator, value);
    let init = match op {
        Binary::Maximum if element == F32 => m.f32(f32::NEG_INFINITY),
        _ => m.constant(accumulator, 0),
    };
    let reduced = m.reduced(0, accumulator);
    let stored = m.exprs.convert(element, reduced);
    let offset = m.at(&[(kept, 1)]);
    let body = Body::Reduce {
        reduction: vec![folded],
        inputs: vec![value],
        inits: vec![init],
        combiner: Combiner::Simple(op),
        stores: vec![Store { buffer: output, offset, value: stored }],
    };
    (m.plan(vec![kept], body, tile(None, &[], 1)), kept, folded)
}

fn scheduled(plan: &KernelPlan, schedule: TileSchedule) -> KernelPlan {
    plan.with_schedule(schedule)
}

#[test]
fn rows_and_columns_of_many_types() {
    let mut random = Random(7);
    let cases = [
        (F32, Binary::Add),
        (F32, Binary::Maximum),
        (F64, Binary::Multiply),
        (Bf16, Binary::Add),
        (F16, Binary::Maximum),
        (I32, Binary::Minimum),
        (I64, Binary::Add),
        (Ui8, Binary::Maximum),
        (I8, Binary::Multiply),
        (Ui32, Binary::Xor),
        (I1, Binary::Or),
        (I1, Binary::And),
    ];
    for (element, op) in cases {
        for over_rows in [false, true] {
            for (rows, columns) in [(5, 103), (19, 8), (1, 3), (33, 1)] {
                let (plan, kept, folded) = fold(element, op, (rows, columns), over_rows);
                let inputs = [random.small(element, (rows * columns) as usize)];
                for vector in [None, Some((kept, 4)), Some((folded, 4)), Some((folded, 32))] {
                    let plan = scheduled(&plan, tile(vector, &[(kept, 2)], 3));
                    check(&plan, "x86-64-v3", &inputs, 40.0);
                }
            }
        }
    }
}

/// NaN goes through wherever it is, and +0 is above −0.
#[test]
fn extrema_of_special_values() {
    let rows: [[f32; 5]; 6] = [
        [1.0, f32::NAN, 2.0, 0.5, -1.0],
        [-f32::NAN, 3.0, f32::INFINITY, f32::NEG_INFINITY, 1.0],
        [-0.0, 0.0, -0.0, -1.0, -2.0],
        [-0.0, -0.0, -0.0, -0.0, -0.0],
        [f32::NEG_INFINITY; 5],
        [f32::INFINITY, f32::NEG_INFINITY, 1.0, 2.0, 3.0],
    ];
    let input: Vec<u8> = rows.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
    let (plan, _, folded) = fold(F32, Binary::Maximum, (6, 5), false);
    for vector in [None, Some((folded, 4))] {
        let plan = scheduled(&plan, tile(vector, &[], 2));
        let outputs = run(&plan, "x86-64-v3", std::slice::from_ref(&input));
        let found: Vec<f32> =
            outputs[0].chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        assert!(found[0].is_nan() && found[1].is_nan(), "{found:?}");
        let bits: Vec<u32> = found[2..].iter().map(|x| x.to_bits()).collect();
        assert_eq!(bits, [0.0, -0.0, f32::NEG_INFINITY, f32::INFINITY].map(f32::to_bits), "{found:?}");
    }
}

#[test]
fn threads_share_rows_and_columns_on_gpus() {
    for element in [F32, Bf16, I1, F64] {
        for over_rows in [false, true] {
            let op = if element == I1 { Binary::Or } else { Binary::Add };
            let (plan, kept, folded) = fold(element, op, (100, 1000), over_rows);
            let lanes = if over_rows { (kept, 4) } else { (folded, 4) };
            for (reduce_threads, tile_threads) in [(1, 128), (8, 32), (32, 4), (256, 1), (1024, 1)] {
                for vector in [Some(lanes), None] {
                    let schedule =
                        TileSchedule { vector, unroll: vec![], reduce_threads, tile_threads, tiles_per_workgroup: 1 };
                    compile_for_gpus(&scheduled(&plan, schedule));
                }
            }
        }
    }
}

/// argmax over the columns of [rows, columns]: (value, index), first index on ties.
fn argmax(rows: i64, columns: i64) -> (KernelPlan, VarId, VarId) {
    let mut m = Maker::default();
    let (i, j) = (m.var(rows), m.var(columns));
    let input = m.input(F32, rows * columns);
    let (values, places) = (m.output(F32, rows), m.output(I32, rows));
    let value = m.load_at(input, &[(i, columns), (j, 1)]);
    let index = m.at(&[(j, 1)]);
    let place = m.exprs.add(Node::FromIndex { element: I32, index });
    let inits = vec![m.f32(f32::NEG_INFINITY), m.constant(I32, 0x7FFF_FFFF)];
    let running =
        [m.exprs.add(Node::Running { index: 0, element: F32 }), m.exprs.add(Node::Running { index: 1, element: I32 })];
    let incoming = [
        m.exprs.add(Node::Incoming { index: 0, element: F32 }),
        m.exprs.add(Node::Incoming { index: 1, element: I32 }),
    ];
    let greater = m.exprs.compare(Compare::Gt, running[0], incoming[0]);
    let equal = m.exprs.compare(Compare::Eq, running[0], incoming[0]);
    let best = m.exprs.select(greater, running[0], incoming[0]);
    let earlier = m.exprs.binary(Binary::Minimum, running[1], incoming[1]);
    let either = m.exprs.select(greater, running[1], incoming[1]);
    let where_ = m.exprs.select(equal, earlier, either);
    let (r0, r1) = (m.reduced(0, F32), m.reduced(1, I32));
    let offset = m.at(&[(i, 1)]);
    let stores = vec![Store { buffer: values, offset, value: r0 }, Store { buffer: places, offset, value: r1 }];
    let body = Body::Reduce {
        reduction: vec![j],
        inputs: vec![value, place],
        inits,
        combiner: Combiner::General(vec![best, where_]),
        stores,
    };
    (m.plan(vec![i], body, tile(None, &[], 1)), i, j)
}

#[test]
fn argmax_with_lanes_and_threads() {
    let (plan, i, j) = argmax(7, 61);
    let mut random = Random(3);
    // Few distinct values: ties.
    let input: Vec<u8> = (0..7 * 61).flat_map(|_| ((random.next() % 9) as f32).to_le_bytes()).collect();
    for vector in [None, Some((j, 8)), Some((i, 4)), Some((i, 8))] {
        for unroll in [&[][..], &[(i, 2)]] {
            check(&scheduled(&plan, tile(vector, unroll, 2)), "x86-64-v3", std::slice::from_ref(&input), 0.0);
        }
    }
    for (reduce_threads, tile_threads) in [(1, 64), (32, 2), (64, 1)] {
        let schedule =
            TileSchedule { vector: Some((j, 4)), unroll: vec![], reduce_threads, tile_threads, tiles_per_workgroup: 1 };
        compile_for_gpus(&scheduled(&plan, schedule));
    }
}

/// [m, k]·[k, n] (or [n, k] where `transposed`) plus a bias along n, through max(·, 0).
pub fn product(element: ElementType, (m, k, n): (i64, i64, i64), transposed: bool) -> (KernelPlan, [VarId; 3]) {
    let mut maker = Maker::default();
    let (i, j, p) = (maker.var(m), maker.var(n), maker.var(k));
    let (a, b) = (maker.input(element, m * k), maker.input(element, k * n));
    let bias = maker.input(element, n);
    let output = maker.output(element, m * n);
    let accumulator = if matches!(element, F16 | Bf16) { F32 } else { element };
    let lhs = maker.load_at(a, &[(i, k), (p, 1)]);
    let rhs = if transposed { maker.load_at(b, &[(j, k), (p, 1)]) } else { maker.load_at(b, &[(p, n), (j, 1)]) };
    let (lhs, rhs) = (maker.exprs.convert(accumulator, lhs), maker.exprs.convert(accumulator, rhs));
    let reduced = maker.reduced(0, accumulator);
    let value = maker.exprs.convert(element, reduced);
    let bias = maker.load_at(bias, &[(j, 1)]);
    let value = maker.exprs.binary(Binary::Add, value, bias);
    let zero = maker.constant(element, 0);
    let value = maker.exprs.binary(Binary::Maximum, value, zero);
    let offset = maker.at(&[(i, n), (j, 1)]);
    let stores = vec![Store { buffer: output, offset, value }];
    let body = Body::Contraction {
        reduction: vec![p],
        lhs,
        rhs,
        accumulator,
        precision: fornax_plan::Precision::Ieee,
        stores,
    };
    (maker.plan(vec![i, j], body, tile(None, &[], 1)), [i, j, p])
}

#[test]
fn products_of_odd_shapes() {
    let mut random = Random(11);
    for element in [F32, F64, Bf16, F16, I32, I8] {
        for shape in [(13, 17, 29), (4, 8, 16), (1, 5, 3), (7, 1, 40)] {
            for transposed in [false, true] {
                let (plan, [i, j, p]) = product(element, shape, transposed);
                let (m, k, n) = shape;
                let inputs = [(m * k), (k * n), n].map(|count| random.small(element, count as usize));
                let tiles = [
                    tile(Some((j, 8)), &[(i, 4), (j, 2)], 3),
                    tile(Some((p, 8)), &[(i, 2), (j, 3)], 1),
                    // Columns become lanes of what follows; fewer lanes than columns; no lanes.
                    tile(Some((p, 16)), &[(i, 2), (j, 8)], 1),
                    tile(Some((p, 4)), &[(j, 16)], 2),
                    tile(None, &[(i, 2), (j, 4)], 1),
                    tile(None, &[(i, 3)], 5),
                ];
                for schedule in tiles {
                    check(&scheduled(&plan, schedule), "x86-64-v3", &inputs, 60.0);
                }
            }
        }
    }
}

#[test]
fn products_on_gpus() {
    for element in [F32, F16, Bf16, I32, F64] {
        let (plan, [i, j, _]) = product(element, (130, 64, 96), false);
        for (reduce_threads, tile_threads) in [(1, 128), (4, 64)] {
            let schedule = TileSchedule {
                vector: Some((j, 4)),
                unroll: vec![(i, 8), (j, 2)],
                reduce_threads,
                tile_threads,
                tiles_per_workgroup: 1,
            };
            compile_for_gpus(&scheduled(&plan, schedule));
        }
    }
}

/// A 3×3 convolution of [h, w, f] by [3, 3, f, o], stride 2, padding 1.
pub fn convolution((h, w, f, o): (i64, i64, i64, i64)) -> (KernelPlan, [VarId; 6]) {
    let mut m = Maker::default();
    let (oh, ow) = ((h + 1) / 2, (w + 1) / 2);
    let (y, x, c) = (m.var(oh), m.var(ow), m.var(o));
    let (ky, kx, p) = (m.var(3), m.var(3), m.var(f));
    let (image, filter) = (m.input(F32, h * w * f), m.input(F32, 9 * f * o));
    let output = m.output(F32, oh * ow * o);
    let row = m.at(&[(y, 2), (ky, 1)]);
    let row = m.exprs.indices.offset(row, -1);
    let column = m.at(&[(x, 2), (kx, 1)]);
    let column = m.exprs.indices.offset(column, -1);
    let row_inside = m.exprs.add(Node::InRange { index: row, low: 0, high: h });
    let column_inside = m.exprs.add(Node::InRange { index: column, low: 0, high: w });
    let mask = m.exprs.binary(Binary::And, row_inside, column_inside);
    let channel = m.at(&[(p, 1)]);
    let offset = m.exprs.indices.linearize(&[row, column, channel], &[h, w, f]);
    let loaded = m.exprs.add(Node::Load { buffer: image, element: F32, offset, mask: Some(mask) });
    let zero = m.f32(0.0);
    let lhs = m.exprs.select(mask, loaded, zero);
    let rhs = m.load_at(filter, &[(ky, 3 * f * o), (kx, f * o), (p, o), (c, 1)]);
    let value = m.reduced(0, F32);
    let offset = m.at(&[(y, ow * o), (x, o), (c, 1)]);
    let stores = vec![Store { buffer: output, offset, value }];
    let body = Body::Contraction {
        reduction: vec![ky, kx, p],
        lhs,
        rhs,
        accumulator: F32,
        precision: fornax_plan::Precision::Ieee,
        stores,
    };
    (m.plan(vec![y, x, c], body, tile(None, &[], 1)), [y, x, c, ky, kx, p])
}

#[test]
fn a_padded_convolution() {
    let mut random = Random(5);
    for shape in [(9, 11, 3, 16), (5, 4, 7, 6)] {
        let (plan, [_, x, c, _, kx, p]) = convolution(shape);
        let (h, w, f, o) = shape;
        let inputs = [random.small(F32, (h * w * f) as usize), random.small(F32, (9 * f * o) as usize)];
        let tiles = [
            tile(Some((c, 8)), &[(x, 4), (c, 2)], 2),
            tile(Some((p, 4)), &[(x, 2)], 1),
            tile(Some((x, 4)), &[(c, 2)], 1),
            tile(Some((kx, 2)), &[], 1),
            tile(None, &[], 100),
        ];
        for schedule in tiles {
            check(&scheduled(&plan, schedule), "x86-64-v3", &inputs, 400.0);
            check(&scheduled(&plan, plan_tile(&plan)), "x86-64", &inputs, 400.0);
        }
        for reduce_threads in [1, 16] {
            let vector = Some((c, 4));
            let unroll = vec![(x, 4)];
            compile_for_gpus(&scheduled(
                &plan,
                TileSchedule { vector, unroll, reduce_threads, tile_threads: 32, tiles_per_workgroup: 1 },
            ));
        }
    }
}

fn plan_tile(plan: &KernelPlan) -> TileSchedule {
    plan.schedule_as::<TileSchedule>().cloned().unwrap_or_else(|| unreachable!("{:?}", plan.schedule))
}

#[test]
fn rectangles_pass_through_shared_memory_on_gpus() {
    for (element, transposed) in [(F32, false), (F32, true), (Bf16, false), (I32, true)] {
        let (plan, [i, j, _]) = product(element, (256, 64, 256), transposed);
        let schedule = TileSchedule {
            vector: Some((j, 4)),
            unroll: vec![(i, 8), (j, 2)],
            reduce_threads: 1,
            tile_threads: 128,
            tiles_per_workgroup: 1,
        };
        let ptx = compile_for_gpus(&scheduled(&plan, schedule.clone()));
        assert!(ptx.contains("ld.shared.v4") && ptx.contains("bar.sync"), "{element:?}: not staged");
        // 250 columns are no multiple of a rectangle's.
        let (plan, [i, j, _]) = product(element, (256, 64, 250), transposed);
        let schedule = TileSchedule { vector: Some((j, 4)), unroll: vec![(i, 8), (j, 2)], ..schedule };
        assert!(!compile_for_gpus(&scheduled(&plan, schedule)).contains("bar.sync"));
    }
    let (plan, [_, x, c, ..]) = convolution((64, 64, 16, 64));
    let vector = Some((c, 4));
    let unroll = vec![(x, 4), (c, 2)];
    let schedule = TileSchedule { vector, unroll, reduce_threads: 1, tile_threads: 64, tiles_per_workgroup: 1 };
    assert!(compile_for_gpus(&scheduled(&plan, schedule)).contains("ld.shared.v4"), "the convolution is not staged");
}

#[test]
fn empty_extents() {
    // A sum over nothing is its initial value; a result without elements is a kernel that does nothing.
    let (plan, kept, folded) = fold(F32, Binary::Add, (3, 0), false);
    for vector in [None, Some((folded, 8)), Some((kept, 2))] {
        check(&scheduled(&plan, tile(vector, &[], 1)), "x86-64-v3", &[Vec::new()], 0.0);
    }
    let (plan, kept, folded) = fold(F32, Binary::Add, (0, 5), false);
    for vector in [None, Some((folded, 4)), Some((kept, 4))] {
        check(&scheduled(&plan, tile(vector, &[], 1)), "x86-64-v3", &[Vec::new()], 0.0);
    }
}
