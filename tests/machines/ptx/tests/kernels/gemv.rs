//! Contractions with few outputs on one side.

use fornax_graph::ElementType::{self, Bf16, F16, F32, F64, I8, I32, Ui8};
use fornax_kernels::gemv::candidates::candidates;
use fornax_kernels::gemv::interleave;
use fornax_kernels::gemv::schedule::GemvSchedule;
use fornax_kernels::scheduled::{Bound, Prepare};
use fornax_plan::Unscheduled;
use fornax_plan::{Access, Binary, Body, Buffer, Exprs, KernelPlan, Node, Precision, Product, Products, Store};
use fornax_targets::{Backend, resolve};

use super::emit_plans::{Maker, Random};
use super::ordered_plans::{GemvWay, gemv};
use super::run::check;

fn given(random: &mut Random, element: ElementType, (m, n, k): (i64, i64, i64)) -> [Vec<u8>; 2] {
    [m * k, n * k].map(|count| random.small(element, count as usize))
}

#[test]
fn long_operands_stream_by() {
    let mut random = Random(23);
    for (at, (types, shape, inside, numbers)) in [
        ((F32, F32), (3, 77, 101), true, [1, 2, 2, 2, 64]),
        ((F32, F32), (1, 5, 1000), true, [4, 1, 1, 1, 256]),
        ((Bf16, F32), (7, 33, 72), true, [8, 4, 2, 4, 32]),
        ((F16, F32), (2, 9, 64), true, [8, 8, 1, 32, 4]),
        ((F32, F32), (5, 130, 57), false, [2, 1, 8, 4, 32]),
        ((Bf16, F32), (8, 48, 130), false, [8, 2, 4, 2, 64]),
        ((I8, I32), (4, 64, 36), false, [16, 4, 2, 4, 32]),
        ((F64, F64), (1, 3, 500), false, [1, 2, 4, 1, 128]),
    ]
    .into_iter()
    .enumerate()
    {
        let inputs = given(&mut random, types.0, shape);
        check(&gemv(types, shape, GemvWay { inside, matrix: false, numbers }), "sm_80", &inputs, 400.0, at as u64);
    }
}

#[test]
fn matrix_instructions_read_memory_as_it_lies() {
    let mut random = Random(29);
    for (at, (element, shape, inside, numbers)) in [
        (Bf16, (8, 64, 96), true, [8, 2, 2, 1, 4]),
        (F16, (7, 50, 160), true, [8, 1, 1, 2, 2]),
        (Bf16, (3, 1, 64), true, [8, 1, 2, 1, 4]),
        (Bf16, (8, 128, 80), false, [8, 1, 2, 2, 2]),
        (F16, (5, 200, 48), false, [8, 1, 1, 1, 4]),
        (Bf16, (1, 8, 32), false, [8, 1, 4, 1, 4]),
        (F16, (8, 72, 64), false, [4, 1, 2, 2, 4]),
    ]
    .into_iter()
    .enumerate()
    {
        let inputs = given(&mut random, element, shape);
        check(
            &gemv((element, F32), shape, GemvWay { inside, matrix: true, numbers }),
            "sm_80",
            &inputs,
            400.0,
            at as u64,
        );
    }
}

/// What weights of blocks of 16 are made of, each with a scale and a minimum.
#[derive(Clone, Copy, Debug)]
enum Weights {
    /// Four lower bits and the minimum, times the scale.
    Low,
    /// The minimum less four upper bits times the scale.
    High,
    /// Signed bytes times the scale, and the minimum.
    Signed,
    /// Four lower bits less 8, times the scale.
    Centred,
    /// The number 3 more than four upper bits, less the minimum.
    Shifted,
}

/// [m, k]·[n, k]ᵀ, weights in blocks with a scale and a minimum each.
fn in_blocks(weights: Weights, (m, n, k): (i64, i64, i64), numbers: [u32; 5], staged: bool) -> KernelPlan {
    let [lanes, tile, depth, across, down] = numbers;
    let (blocks, mut maker) = (k / 16, Maker::default());
    let (i, j, block, lane) = (maker.var(m), maker.var(n), maker.var(blocks), maker.var(16));
    let (x, bytes) = (maker.input(F32, m * k), maker.input(Ui8, n * k));
    let (scales, minima) = (maker.input(F32, n * blocks), maker.input(F32, n * blocks));
    let output = maker.output(F32, m * n);
    let lhs = maker.load_at(x, &[(i, k), (block, 16), (lane, 1)]);
    let byte = maker.load_at(bytes, &[(j, k), (block, 16), (lane, 1)]);
    let [scale, minimum] = [scales, minima].map(|buffer| maker.load_at(buffer, &[(j, blocks), (block, 1)]));
    let exprs = &mut maker.exprs;
    let constant = |exprs: &mut fornax_plan::Exprs, element, bits| exprs.add(Node::Constant { element, bits });
    let rhs = match weights {
        Weights::Low => {
            let mask = constant(exprs, Ui8, 15);
            let low = exprs.binary(Binary::And, byte, mask);
            let low = exprs.convert(F32, low);
            let low = exprs.binary(Binary::Add, low, minimum);
            exprs.binary(Binary::Multiply, low, scale)
        }
        Weights::High => {
            let four = constant(exprs, Ui8, 4);
            let high = exprs.binary(Binary::ShiftRightLogical, byte, four);
            let high = exprs.convert(F32, high);
            let high = exprs.binary(Binary::Multiply, scale, high);
            exprs.binary(Binary::Subtract, minimum, high)
        }
        Weights::Signed => {
            let signed = exprs.add(Node::Bitcast { element: I8, a: byte });
            let signed = exprs.convert(F32, signed);
            let signed = exprs.binary(Binary::Multiply, signed, scale);
            exprs.binary(Binary::Add, minimum, signed)
        }
        Weights::Centred => {
            let mask = constant(exprs, Ui8, 15);
            let low = exprs.binary(Binary::And, byte, mask);
            let low = exprs.convert(F32, low);
            let eight = constant(exprs, F32, 8f32.to_bits().into());
            let low = exprs.binary(Binary::Subtract, low, eight);
            exprs.binary(Binary::Multiply, low, scale)
        }
        Weights::Shifted => {
            let four = constant(exprs, Ui8, 4);
            let high = exprs.binary(Binary::ShiftRightLogical, byte, four);
            let high = exprs.convert(F32, high);
            let three = constant(exprs, F32, 3f32.to_bits().into());
            let high = exprs.binary(Binary::Add, three, high);
            exprs.binary(Binary::Subtract, high, minimum)
        }
    };
    let value = maker.reduced(0, F32);
    let offset = maker.at(&[(i, n), (j, 1)]);
    let (reduction, stores) = (vec![block, lane], vec![Store { buffer: output, offset, value }]);
    let precision = Precision::Ieee;
    let body = Body::Contraction { reduction, lhs, rhs, accumulator: F32, precision, stores };
    let schedule = GemvSchedule {
        batch: Vec::new(),
        short: vec![i],
        long: vec![j],
        long_is_lhs: false,
        lanes,
        inside: true,
        tile,
        depth,
        across,
        down,
        cluster: 1,
        matrix: false,
        ahead: false,
        ring: 0,
        staged,
        quads: false,
    };
    maker.plan(vec![i, j], body, schedule)
}

#[test]
fn what_lanes_have_in_common_meets_their_sum() {
    let mut random = Random(37);
    for (at, (weights, shape, numbers, staged)) in [
        (Weights::Low, (1, 40, 192), [16, 4, 1, 1, 32], false),
        (Weights::Low, (1, 40, 192), [16, 4, 1, 1, 32], true),
        (Weights::High, (3, 33, 80), [16, 2, 2, 2, 16], false),
        (Weights::High, (3, 33, 80), [8, 2, 2, 2, 16], true),
        (Weights::Signed, (2, 17, 64), [16, 1, 1, 8, 4], false),
        (Weights::Signed, (2, 17, 64), [8, 1, 1, 8, 4], true),
        (Weights::Centred, (1, 19, 560), [16, 8, 1, 2, 16], true),
        (Weights::Centred, (5, 19, 48), [8, 2, 1, 4, 8], true),
        (Weights::Shifted, (1, 77, 1040), [16, 4, 2, 4, 32], true),
        (Weights::Shifted, (2, 7, 144), [16, 4, 1, 1, 32], false),
    ]
    .into_iter()
    .enumerate()
    {
        let (m, n, k) = shape;
        let counts = [(F32, m * k), (Ui8, n * k), (F32, n * k / 16), (F32, n * k / 16)];
        let inputs = counts.map(|(element, count)| random.small(element, count as usize));
        let plan = in_blocks(weights, shape, numbers, staged);
        let tolerance = if let Weights::Signed = weights { 20_000.0 } else { 2_000.0 };
        check(&plan, "sm_80", &inputs, tolerance, at as u64);
        // An element takes no product but its own.
        let [lanes, tile, depth, ..] = numbers.map(|number| number as usize);
        let products = super::run::text(&plan, "sm_80").matches("arith.mulf").count();
        assert!(products < lanes * tile * depth, "{weights:?}: {products} products");
    }
}

/// A gemv product whose outputs `cluster` workgroups share.
fn clustered(mut plan: KernelPlan, cluster: u32) -> KernelPlan {
    let gemv = plan.schedule_as::<GemvSchedule>().cloned();
    plan.set_schedule(GemvSchedule { cluster, ..gemv.expect("a GEMV") });
    plan
}

#[test]
fn workgroups_of_a_cluster_share_outputs() {
    let mut random = Random(31);
    for (at, (types, shape, (inside, matrix), numbers, cluster)) in [
        ((F32, F32), (3, 77, 101), (true, false), [1, 2, 2, 2, 64], 2),
        ((Bf16, F32), (1, 5, 1000), (true, false), [8, 1, 1, 1, 32], 8),
        ((Bf16, F32), (8, 48, 130), (false, false), [8, 2, 4, 2, 64], 4),
        ((F64, F64), (2, 3, 500), (false, false), [1, 2, 4, 1, 128], 8),
        ((I8, I32), (4, 64, 36), (false, false), [16, 4, 2, 4, 32], 2),
        ((Bf16, F32), (8, 64, 672), (true, true), [8, 2, 2, 1, 4], 4),
        ((F16, F32), (5, 200, 480), (false, true), [8, 1, 1, 1, 4], 8),
        ((F16, F32), (1, 72, 64), (false, true), [4, 1, 2, 2, 4], 2),
    ]
    .into_iter()
    .enumerate()
    {
        let inputs = given(&mut random, types.0, shape);
        let plan = clustered(gemv(types, shape, GemvWay { inside, matrix, numbers }), cluster);
        check(&plan, "sm_90", &inputs, 400.0, at as u64);
    }
}

#[test]
fn long_operands_come_through_a_ring() {
    let mut random = Random(37);
    for (at, (types, shape, numbers, [cluster, ring])) in [
        // As many groups as parts, fewer, more than are written one after another, blocks left over.
        ((Bf16, F32), (1, 128, 256), [8, 2, 1, 8, 32], [1, 4]),
        ((Bf16, F32), (1, 64, 128), [8, 2, 1, 8, 32], [1, 4]),
        ((F32, F32), (1, 64, 516), [4, 2, 1, 4, 8], [1, 2]),
        ((F16, F32), (3, 48, 900), [8, 2, 2, 2, 16], [1, 4]),
        ((Bf16, F32), (1, 128, 512), [8, 2, 1, 4, 32], [2, 4]),
    ]
    .into_iter()
    .enumerate()
    {
        let inputs = given(&mut random, types.0, shape);
        let mut plan = clustered(gemv(types, shape, GemvWay { inside: false, matrix: false, numbers }), cluster);
        let gemv = plan.schedule_as::<GemvSchedule>().cloned();
        plan.set_schedule(GemvSchedule { ring, ..gemv.expect("a GEMV") });
        // Up to a thousand products that cancel; one that is missing is some 10^5 units.
        check(&plan, "sm_90", &inputs, 4000.0, at as u64);
    }
}

/// x·Wᵀ of rows in 16-bit floats by blocks of two times `lanes` elements of four bits, two in a byte: `(q - 8) * d`, or
/// `q * d + m`. With `d` and `m` in f16; outputs in f32.
fn packed(element: ElementType, (rows, outputs, blocks, lanes): (i64, i64, i64, i64), offset: bool) -> KernelPlan {
    let mut x = Exprs::default();
    let [i, j, b, l] = [rows, outputs, blocks, lanes].map(|extent| x.indices.add_var(extent));
    let [vi, vj, vb, vl] = [i, j, b, l].map(|v| x.indices.var(v));
    let own = x.indices.linearize(&[vi, vb, vl], &[rows, blocks, 2 * lanes]);
    let byte = x.indices.linearize(&[vj, vb, vl], &[outputs, blocks, lanes]);
    let of_block = x.indices.linearize(&[vj, vb], &[outputs, blocks]);
    let mut load = |buffer, element, offset| x.add(Node::Load { buffer, element, offset, mask: None });
    let (bytes, scale, least) = (load(1, Ui8, byte), load(2, F16, of_block), load(3, F16, of_block));
    let [mask, four] = [15, 4].map(|bits| x.add(Node::Constant { element: Ui8, bits }));
    let eight = x.add(Node::Constant { element: F32, bits: 8f32.to_bits().into() });
    let (scale, least) = (x.convert(F32, scale), x.convert(F32, least));
    let numbers = [x.binary(Binary::And, bytes, mask), x.binary(Binary::ShiftRightLogical, bytes, four)];
    let mut products = Vec::new();
    for (half, number) in (0..).zip(numbers) {
        let at = x.indices.offset(own, half * lanes);
        let short = x.add(Node::Load { buffer: 0, element, offset: at, mask: None });
        let lhs = x.convert(F32, short);
        let number = x.convert(F32, number);
        let less = if offset { number } else { x.binary(Binary::Subtract, number, eight) };
        let scaled = x.binary(Binary::Multiply, less, scale);
        let rhs = if offset { x.binary(Binary::Add, scaled, least) } else { scaled };
        products.push(Product { reduction: vec![b, l], lhs, rhs });
    }
    let value = x.add(Node::Reduced { index: 0, element: F32 });
    let offset = x.indices.linearize(&[vi, vj], &[rows, outputs]);
    let (precision, stores) = (Precision::Ieee, vec![Store { buffer: 4, offset, value }]);
    let (reduction, sums) = (vec![b, l], vec![products]);
    let body = Products { reduction, sums, accumulator: F32, precision, streamed: false, stores };
    let buffer = |element, elements, access| Buffer { element, elements, access };
    let buffers = vec![
        buffer(element, rows * blocks * 2 * lanes, Access::Read),
        buffer(Ui8, outputs * blocks * lanes, Access::Read),
        buffer(F16, outputs * blocks, Access::Read),
        buffer(F16, outputs * blocks, Access::Read),
        buffer(F32, rows * outputs, Access::Write),
    ];
    let domain = [(i, rows), (j, outputs)].into_iter().filter(|d| d.1 > 1).map(|d| d.0).collect();
    KernelPlan::new(x, buffers, domain, Body::Products(Box::new(body)), Unscheduled, "packed".into())
}

#[test]
fn quads_multiply_blocks_by_matrix_instructions() {
    let mut random = Random(31);
    let target = resolve(Backend::Cuda, "sm_90").unwrap().target;
    for (at, (element, shape, offset)) in [
        (Bf16, (1, 50, 8, 16), false),
        (Bf16, (1, 16, 20, 16), true),
        (F16, (2, 33, 12, 8), true),
        (Bf16, (3, 24, 4, 16), false),
        // Several rounds: the next one is on its way while one is multiplied.
        (Bf16, (1, 18, 64, 16), true),
        (F16, (2, 20, 96, 8), false),
    ]
    .into_iter()
    .enumerate()
    {
        let plan = packed(element, shape, offset);
        let inputs: Vec<Vec<u8>> =
            plan.buffers[..4].iter().map(|b| random.small(b.element, b.elements as usize)).collect();
        let mut ways = 0;
        for candidate in candidates(&plan, &target) {
            let is_short = candidate.schedule_as::<GemvSchedule>().is_some_and(|s| s.quads && s.threads() <= 256);
            if is_short {
                check(&candidate, "sm_90", &inputs, 4000.0, at as u64);
                ways += 1;
            }
        }
        assert!(ways >= 2, "{element:?} {shape:?}");
    }
    // What x is in f32 has too many bits.
    let wide = packed(F32, (1, 50, 8, 16), false);
    let is_by_quads = |plan: &KernelPlan| plan.schedule_as::<GemvSchedule>().is_some_and(|s| s.quads);
    assert!(!candidates(&wide, &target).iter().any(is_by_quads));
}

/// Scales and least values of a thread's rows lie side by side in copies: it has them by one load.
#[test]
fn rows_have_their_scales_side_by_side() {
    let mut random = Random(43);
    let target = resolve(Backend::Cuda, "sm_90").unwrap().target;
    for (at, (element, shape, offset)) in [
        (Bf16, (1, 64, 8, 16), false),
        (F16, (2, 128, 16, 16), true),
        // Several rounds, and rows that no tile divides.
        (Bf16, (1, 40, 64, 16), true),
    ]
    .into_iter()
    .enumerate()
    {
        let plan = packed(element, shape, offset);
        let given: Vec<Vec<u8>> =
            plan.buffers[..4].iter().map(|b| random.small(b.element, b.elements as usize)).collect();
        let wanted = results(&plan, &given);
        let mut ways = 0;
        for mut candidate in candidates(&plan, &target) {
            if candidate.schedule_as::<GemvSchedule>().is_none_or(|s| !s.quads || s.threads() > 256) {
                continue;
            }
            let mut bound: Vec<Bound> = (0..4).map(Bound::Operand).chain([Bound::Result(0)]).collect();
            let copies = interleave::copies(&mut candidate, &mut bound, 0, &|_, _| true);
            // Scales and least values of eight rows are more than a load has.
            let is_high = candidate.schedule_as::<GemvSchedule>().is_some_and(|s| s.tile == 8);
            assert_eq!(copies.len(), if offset && is_high { 2 } else { 1 });
            let made: Vec<Vec<u8>> = copies.iter().map(|copy| copied(copy, &given)).collect();
            let read = |bound: &Bound| match *bound {
                Bound::Operand(n) => Some(given[n].clone()),
                Bound::Prepared(n) => Some(made[n].clone()),
                Bound::Result(_) => None,
            };
            let inputs: Vec<Vec<u8>> = bound.iter().filter_map(read).collect();
            assert_eq!(results(&candidate, &inputs), wanted);
            check(&candidate, "sm_90", &inputs, 4000.0, at as u64);
            ways += 1;
        }
        assert!(ways >= 2, "{element:?} {shape:?}");
    }
    // What each call makes anew is read as it lies.
    let mut plan = candidates(&packed(Bf16, (1, 64, 8, 16), false), &target).swap_remove(0);
    let mut bound: Vec<Bound> = (0..4).map(Bound::Operand).chain([Bound::Result(0)]).collect();
    assert!(interleave::copies(&mut plan, &mut bound, 0, &|_, _| false).is_empty());
}

/// What a kernel that runs before another one writes.
fn copied(copy: &Prepare, given: &[Vec<u8>]) -> Vec<u8> {
    let source = |bound: &Bound| match *bound {
        Bound::Operand(n) => Some(given[n].clone()),
        _ => None,
    };
    results(&copy.plan, &copy.bound.iter().filter_map(source).collect::<Vec<_>>())
}

/// The bytes of the last buffer that the interpreter writes.
fn results(plan: &KernelPlan, inputs: &[Vec<u8>]) -> Vec<u8> {
    let mut inputs = inputs.iter();
    let bytes = |b: &Buffer| match b.access {
        Access::Write => vec![0; b.elements as usize * b.element.storage_bytes()],
        _ => inputs.next().expect("an input a buffer").clone(),
    };
    let mut buffers: Vec<Vec<u8>> = plan.buffers.iter().map(bytes).collect();
    fornax_plan::interpret::run(plan, &mut buffers).expect("it runs");
    let last = plan.buffers.iter().rposition(|b| b.access == Access::Write).expect("a result");
    buffers.swap_remove(last)
}
