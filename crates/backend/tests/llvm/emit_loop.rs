//! Loop kernels.

use fornax_graph::ElementType;
use fornax_kernels::loop_schedule::LoopSchedule;
use fornax_plan::{Access, Binary, Body, Buffer, Exprs, KernelPlan, Node, NodeId, Store, Unary};

use super::emit_plans::Maker;
use super::emit_run::{compile_for_gpus, run};

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

fn constant(e: &mut Exprs, value: f32) -> NodeId {
    e.add(Node::Constant { element: ElementType::F32, bits: u64::from(value.to_bits()) })
}

/// sin(2x + 1) over `n` f32.
fn sine(n: i64, schedule: LoopSchedule) -> KernelPlan {
    let mut exprs = Exprs::default();
    let i = exprs.indices.add_var(n);
    let offset = exprs.indices.var(i);
    let x = exprs.add(Node::Load { buffer: 0, element: ElementType::F32, offset, mask: None });
    let (two, one) = (constant(&mut exprs, 2.0), constant(&mut exprs, 1.0));
    let doubled = exprs.binary(Binary::Multiply, x, two);
    let sum = exprs.binary(Binary::Add, doubled, one);
    let value = exprs.unary(Unary::Sine, sum);
    let buffer = |access| Buffer { element: ElementType::F32, elements: n, access };
    KernelPlan::new(
        exprs,
        vec![buffer(Access::Read), buffer(Access::Write)],
        vec![i],
        Body::Loop { stores: vec![Store { buffer: 1, offset, value }] },
        schedule,
        "multiply add sine".into(),
    )
}

#[test]
fn sine_of_an_odd_length() {
    let n = 40_003;
    let plan = sine(n, LoopSchedule { vector: 8, threads: 1, items_per_thread: 512 });
    let input: Vec<f32> = (0..n).map(|i| (i as f32 - 20_000.0) * 0.37e-2 * (1.0 + i as f32)).collect();
    let bytes: Vec<u8> = input.iter().flat_map(|x| x.to_le_bytes()).collect();
    for cpu in ["x86-64", "x86-64-v3"] {
        let outputs = run(&plan, cpu, std::slice::from_ref(&bytes));
        for (x, y) in input.iter().zip(floats(&outputs[0])) {
            let wanted = f64::from(2.0 * x + 1.0).sin();
            assert!((f64::from(y) - wanted).abs() < 1.3e-7, "{cpu}: sin(2*{x}+1) = {wanted}, got {y}");
        }
    }
}

#[test]
fn sine_on_gpus_loads_and_stores_sixteen_bytes() {
    let ptx = compile_for_gpus(&sine(15_999_999, LoopSchedule { vector: 4, threads: 256, items_per_thread: 2 }));
    assert!(ptx.contains("ld.global.nc.v4"), "{ptx}");
    assert!(ptx.contains("st.global.v4"), "{ptx}");
    assert!(!ptx.contains("call"), "{ptx}");
}

/// x[j] / d[i], or by a constant where there is one.
fn quotients(x: i64, d: i64, constant: Option<f32>) -> KernelPlan {
    let mut m = Maker::default();
    let (i, j) = (m.var(d), m.var(x));
    let (first, second) = (m.input(ElementType::F32, x), m.input(ElementType::F32, d));
    let y = m.output(ElementType::F32, x * d);
    let dividend = m.load_at(first, &[(j, 1)]);
    let loaded = m.load_at(second, &[(i, 1)]);
    let divisor = constant.map_or(loaded, |c| m.f32(c));
    let value = m.exprs.binary(Binary::Divide, dividend, divisor);
    let offset = m.at(&[(i, x), (j, 1)]);
    let schedule = LoopSchedule { vector: 16, threads: 1, items_per_thread: 3 };
    m.plan(vec![i, j], Body::Loop { stores: vec![Store { buffer: y, offset, value }] }, schedule)
}

#[test]
fn quotients_of_one_divisor_are_within_a_unit() {
    let special =
        [0.0f32, 1e-45, 1e-40, f32::MIN_POSITIVE, 1e-30, 0.3, 1.0, 3.0, 7.0, 1e30, 3e38, f32::INFINITY, f32::NAN];
    let divisors: Vec<f32> = special.iter().flat_map(|&x| [x, -x]).collect();
    let mut dividends = divisors.clone();
    dividends.extend((0..262).map(|i| (i as f32 * 0.731 - 80.0).exp2() * (1.0 + i as f32 * 1.7e-3)));
    let bytes = |values: &[f32]| values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let check = |plan: &KernelPlan, divisors: &[f32]| {
        let outputs = run(plan, "x86-64-v3", &[bytes(&dividends), bytes(divisors)]);
        let pairs = divisors.iter().flat_map(|&d| dividends.iter().map(move |&x| (x, d)));
        for ((x, d), got) in pairs.zip(floats(&outputs[0])) {
            let want = x / d;
            let near = got.to_bits().abs_diff(want.to_bits()) <= 1 && want.is_finite();
            let same = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
            assert!(same || near && got.is_finite(), "{x:e} / {d:e} is {want:e}, got {got:e}");
        }
    };
    check(&quotients(dividends.len() as i64, divisors.len() as i64, None), &divisors);
    for &d in &divisors {
        check(&quotients(dividends.len() as i64, 1, Some(d)), &[d]);
    }
}
