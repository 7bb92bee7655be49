//! Plans of updates in place.

use fornax_graph::ElementType::{self, I32};
use fornax_kernels::loop_schedule::LoopSchedule;
use fornax_plan::{Access, Binary, Body, Buffer, KernelPlan, Node, Store};

use super::emit_plans::Maker;

/// `there[at[i]]` combined with `given[i]` for `n` points, where `at[i]` lies in `0..size`; without `combine` their
/// sum, by a plain store.
pub fn update(element: ElementType, (n, size): (i64, i64), combine: Option<Binary>, s: LoopSchedule) -> KernelPlan {
    let mut m = Maker::default();
    let i = m.var(n);
    let (at, given) = (m.input(I32, n), m.input(element, n));
    m.buffers.push(Buffer { element, elements: size, access: Access::Update });
    let (place, value) = (m.load_at(at, &[(i, 1)]), m.load_at(given, &[(i, 1)]));
    let bound = |m: &mut Maker, bits: i64| m.constant(I32, bits as u32 as u64);
    let (least, most) = (bound(&mut m, -1), bound(&mut m, size));
    let clamped = m.exprs.binary(Binary::Maximum, place, least);
    let clamped = m.exprs.binary(Binary::Minimum, clamped, most);
    let offset = m.exprs.indices.value(clamped, -1, size);
    let condition = m.exprs.add(Node::InRange { index: offset, low: 0, high: size });
    let value = match combine {
        Some(_) => value,
        None => {
            let old = m.load(2, offset);
            m.exprs.binary(Binary::Add, old, value)
        }
    };
    let stores = vec![Store { buffer: 2, offset, value }];
    m.plan(vec![i], Body::Update { condition, combine, stores }, s)
}

/// Places for `n` points in `0..size`, some outside; all different where `unique`.
pub fn places(n: i64, size: i64, unique: bool) -> Vec<u8> {
    let place = |i: i64| if unique { (i * 7 + 3) % (size + 5) - 2 } else { (i * i * 31 + i) % (size + 3) - 1 };
    (0..n).flat_map(|i| (place(i) as i32).to_le_bytes()).collect()
}
