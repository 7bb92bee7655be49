//! Plans to run: sums of rows and columns, products of matrices, a transposed sum.

use fornax_emit::blocks::tile_schedule::TileSchedule;
use fornax_graph::ElementType;
use fornax_plan::{Binary, Body, Combiner, KernelPlan, Schedule, Store, VarId};

use super::emit_plans::{Maker, tile};

use ElementType::{Bf16, F16, F32};

pub fn scheduled(plan: &KernelPlan, schedule: TileSchedule) -> KernelPlan {
    plan.with_schedule(schedule)
}

/// A GPU tile schedule.
pub fn threads(
    vector: Option<(VarId, u32)>,
    unroll: &[(VarId, u32)],
    (reduce_threads, tile_threads): (u32, u32),
) -> TileSchedule {
    TileSchedule { vector, unroll: unroll.to_vec(), reduce_threads, tile_threads, tiles_per_workgroup: 1 }
}

/// out[i, j] = a[j, i] + b[i, j].
pub fn transposed_sum(element: ElementType, (rows, columns): (i64, i64), schedule: impl Schedule) -> KernelPlan {
    let mut m = Maker::default();
    let (i, j) = (m.var(rows), m.var(columns));
    let (a, b) = (m.input(element, rows * columns), m.input(element, rows * columns));
    let output = m.output(element, rows * columns);
    let a = m.load_at(a, &[(j, rows), (i, 1)]);
    let b = m.load_at(b, &[(i, columns), (j, 1)]);
    let value = m.exprs.binary(Binary::Add, a, b);
    let offset = m.at(&[(i, columns), (j, 1)]);
    m.plan(vec![i, j], Body::Loop { stores: vec![Store { buffer: output, offset, value }] }, schedule)
}

/// The transpose of [columns, rows] to [rows, columns].
pub fn transposed(element: ElementType, (rows, columns): (i64, i64), schedule: impl Schedule) -> KernelPlan {
    let mut m = Maker::default();
    let (i, j) = (m.var(rows), m.var(columns));
    let input = m.input(element, rows * columns);
    let output = m.output(element, rows * columns);
    let value = m.load_at(input, &[(j, rows), (i, 1)]);
    let offset = m.at(&[(i, columns), (j, 1)]);
    m.plan(vec![i, j], Body::Loop { stores: vec![Store { buffer: output, offset, value }] }, schedule)
}

/// Rows or columns of [rows, columns] folded by an op; the plan, the kept variable, the folded one.
pub fn fold(
    element: ElementType,
    op: Binary,
    (rows, columns): (i64, i64),
    over_rows: bool,
) -> (KernelPlan, VarId, VarId) {
    let mut m = Maker::default();
    let (i, j) = (m.var(rows), m.var(columns));
    let input = m.input(element, rows * columns);
    let (kept, folded) = if over_rows { (j, i) } else { (i, j) };
    let output = m.output(element, if over_rows { columns } else { rows });
    let mut value = m.load_at(input, &[(i, columns), (j, 1)]);
    let accumulator = if matches!(element, F16 | Bf16) { F32 } else { element };
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

/// [m, k]·[k, n] (or [n, k] where `transposed`) plus a bias along n, through max(·, 0); the variables of m, n, k.
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
