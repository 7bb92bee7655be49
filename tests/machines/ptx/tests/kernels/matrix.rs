//! Contractions on matrix instructions at odd shapes: every atom, every layout, padded and grouped windows, special
//! values.

use fornax_graph::ElementType::{self, Bf16, F8E4M3FN, F8E5M2, F16, F32, F64, I8, I32};
use fornax_kernels::gemm_mma::schedule::MmaSchedule;
use fornax_plan::Unscheduled;
use fornax_plan::{Body, KernelPlan, MatrixAtom, Node, Precision, Store, VarId};

use super::emit_plans::{Maker, Random};
use super::run::{check, compare, run_text, text};

/// Atom, element, its steps of a block, device.
const ATOMS: &[(MatrixAtom, ElementType, u32, &str)] = &[
    (MatrixAtom::F16K16, F16, 32, "sm_80"),
    (MatrixAtom::F16K8, F16, 32, "sm_75"),
    (MatrixAtom::F16K4, F16, 32, "sm_70"),
    (MatrixAtom::F8K32, F8E4M3FN, 64, "sm_89"),
    (MatrixAtom::F8K32, F8E5M2, 64, "sm_89"),
    (MatrixAtom::Bf16K16, Bf16, 64, "sm_86"),
    (MatrixAtom::Tf32x3, F32, 16, "sm_80"),
    (MatrixAtom::F64, F64, 16, "sm_80"),
    (MatrixAtom::I8K32, I8, 64, "sm_80"),
    (MatrixAtom::I8K16, I8, 64, "sm_75"),
];

fn accumulator(element: ElementType) -> ElementType {
    match element {
        F64 => F64,
        I8 => I32,
        _ => F32,
    }
}

/// A sum of products over `reduction`, stored at `place` of `output`.
struct Contraction<'a> {
    domain: Vec<VarId>,
    reduction: Vec<VarId>,
    lhs: fornax_plan::NodeId,
    rhs: fornax_plan::NodeId,
    output: u32,
    place: &'a [(VarId, i64)],
}

fn contraction(mut m: Maker, c: Contraction, element: ElementType) -> KernelPlan {
    let accumulator = accumulator(element);
    let (lhs, rhs) = (m.exprs.convert(accumulator, c.lhs), m.exprs.convert(accumulator, c.rhs));
    let value = m.reduced(0, accumulator);
    let offset = m.at(c.place);
    let stores = vec![Store { buffer: c.output, offset, value }];
    let precision = Precision::Ieee;
    let body = Body::Contraction { reduction: c.reduction, lhs, rhs, accumulator, precision, stores };
    m.plan(c.domain, body, Unscheduled)
}

/// [2, m, k]·[2, k, n], either operand transposed.
fn product(element: ElementType, (rows, columns, steps): (i64, i64, i64), transposed: [bool; 2]) -> KernelPlan {
    let mut m = Maker::default();
    let (b, i, j, p) = (m.var(2), m.var(rows), m.var(columns), m.var(steps));
    let (left, right) = (m.input(element, 2 * rows * steps), m.input(element, 2 * steps * columns));
    let output = m.output(accumulator(element), 2 * rows * columns);
    let of_rows = if transposed[0] { [(p, rows), (i, 1)] } else { [(i, steps), (p, 1)] };
    let of_columns = if transposed[1] { [(j, steps), (p, 1)] } else { [(p, columns), (j, 1)] };
    let lhs = m.load_at(left, &[(b, rows * steps), of_rows[0], of_rows[1]]);
    let rhs = m.load_at(right, &[(b, steps * columns), of_columns[0], of_columns[1]]);
    let place = [(b, rows * columns), (i, columns), (j, 1)];
    let (domain, reduction) = (vec![b, i, j], vec![p]);
    contraction(m, Contraction { domain, reduction, lhs, rhs, output, place: &place }, element)
}

/// A 3×3 convolution of [h, w, groups·f] by [3, 3, f, groups·o], padding 1.
fn window(element: ElementType, (h, w): (i64, i64), (groups, f, o): (i64, i64, i64)) -> KernelPlan {
    let mut m = Maker::default();
    let (y, x, g, c) = (m.var(h), m.var(w), m.var(groups), m.var(o));
    let (ky, kx, p) = (m.var(3), m.var(3), m.var(f));
    let (image, filter) = (m.input(element, h * w * groups * f), m.input(element, 9 * f * groups * o));
    let output = m.output(accumulator(element), h * w * groups * o);
    let mut mask = None;
    let mut index = Vec::new();
    for (at, k, size) in [(y, ky, h), (x, kx, w)] {
        let place = m.at(&[(at, 1), (k, 1)]);
        let place = m.exprs.indices.offset(place, -1);
        let inside = m.exprs.add(Node::InRange { index: place, low: 0, high: size });
        mask = Some(mask.map_or(inside, |other| m.exprs.binary(fornax_plan::Binary::And, other, inside)));
        index.push(place);
    }
    index.push(m.at(&[(g, f), (p, 1)]));
    let offset = m.exprs.indices.linearize(&index, &[h, w, groups * f]);
    let lhs = m.exprs.add(Node::Load { buffer: image, element, offset, mask });
    let zero = m.constant(element, 0);
    let lhs = mask.map_or(lhs, |mask| m.exprs.select(mask, lhs, zero));
    let row = groups * o;
    let rhs = m.load_at(filter, &[(ky, 3 * f * row), (kx, f * row), (p, row), (g, o), (c, 1)]);
    let place = [(y, w * row), (x, row), (g, o), (c, 1)];
    let (domain, reduction) = (vec![y, x, g, c], vec![ky, kx, p]);
    contraction(m, Contraction { domain, reduction, lhs, rhs, output, place: &place }, element)
}

fn with(plan: &KernelPlan, atom: MatrixAtom, tile: (u32, u32, u32), warps: (u32, u32), stages: u32) -> KernelPlan {
    let ((rows, columns, steps), (down, across)) = (tile, warps);
    let schedule = MmaSchedule { atom, rows, columns, steps, down, across, stages, group: 2, ahead: false };
    assert!(schedule.is_consistent(), "{schedule:?}");
    plan.with_schedule(schedule)
}

/// The same with fragments read ahead.
fn ahead(plan: &KernelPlan) -> KernelPlan {
    let Some(&schedule) = plan.schedule_as::<MmaSchedule>() else { panic!("{:?}", plan.schedule) };
    plan.with_schedule(MmaSchedule { ahead: true, ..schedule })
}

fn inputs(plan: &KernelPlan, random: &mut Random) -> Vec<Vec<u8>> {
    let read = plan.buffers.iter().filter(|b| b.access == fornax_plan::Access::Read);
    read.map(|b| random.small(b.element, b.elements as usize)).collect()
}

#[test]
fn products_at_odd_shapes() {
    let mut random = Random(31);
    for (at, &(atom, element, steps, device)) in ATOMS.iter().enumerate() {
        for (shape, transposed) in
            [((33, 129, 7), [false, false]), ((17, 40, 72), [true, true]), ((65, 31, 67), [false, true])]
        {
            let plan = product(element, shape, transposed);
            let given = inputs(&plan, &mut random);
            for (tile, warps, stages) in [((64, 64, steps), (2, 2), 3), ((32, 64, steps), (2, 1), 2)] {
                let plan = with(&plan, atom, tile, warps, stages);
                check(&plan, device, &given, 400.0, at as u64);
                check(&ahead(&plan), device, &given, 400.0, at as u64);
            }
        }
    }
}

#[test]
fn windows_with_padding_and_groups() {
    let mut random = Random(37);
    for (at, &(atom, element, steps, device)) in ATOMS.iter().enumerate() {
        for (image, features) in [((5, 7), (2, 8, 16)), ((6, 5), (1, 3, 9))] {
            let plan = window(element, image, features);
            let given = inputs(&plan, &mut random);
            check(&with(&plan, atom, (32, 32, steps), (2, 1), 3), device, &given, 400.0, at as u64);
        }
    }
}

/// Infinities, NaN, values next to the maximum and subnormal ones come out as f32 arithmetic has them.
#[test]
fn split_products_keep_special_values() {
    let mut random = Random(41);
    let shape = (20, 24, 33);
    let plan = with(&product(F32, shape, [false, false]), MatrixAtom::Tf32x3, (32, 32, 16), (1, 2), 3);
    let values = |bytes: &[u8], scale: f32, special: &[(usize, f32)]| -> Vec<u8> {
        let number = |c: &[u8]| f32::from_le_bytes([c[0], c[1], c[2], c[3]]);
        let mut all: Vec<f32> = bytes.chunks(4).map(|c| number(c) * scale).collect();
        for &(at, value) in special {
            all[at] = value;
        }
        all.iter().flat_map(|v| v.to_le_bytes()).collect()
    };
    let given = inputs(&plan, &mut random);
    let infinite: &[(usize, f32)] = &[(3, f32::INFINITY), (70, f32::NAN), (100, f32::NEG_INFINITY), (40, 3.4e38)];
    let cases = [(1.0, 1.0, infinite), (1e-40, 1e35, &[][..]), (1e35, 1e-40, &[][..]), (1e-19, 1e-19, &[][..])];
    for (a, b, special) in cases {
        let given = [values(&given[0], a, special), values(&given[1], b, &[])];
        let (got, _) = run_text(&plan, &text(&plan, "sm_80"), &given, 5).unwrap_or_else(|error| panic!("{error}"));
        compare(&plan, &given, &got, 60.0, "split");
    }
}
