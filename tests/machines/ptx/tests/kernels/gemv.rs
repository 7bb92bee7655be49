//! Contractions with few outputs on one side.

use fornax_graph::ElementType::{self, Bf16, F16, F32, F64, I8, I32, Ui8};
use fornax_kernels::gemv::candidates::candidates;
use fornax_kernels::gemv::interleave;
use fornax_kernels::gemv::schedule::GemvSchedule;
use fornax_kernels::gemv::turns::side_by_side;
use fornax_kernels::scheduled::{Bound, Prepare};
use fornax_plan::Unscheduled;
use fornax_plan::{Access, Binary, Body, Buffer, Exprs, KernelPlan, Node, Precision, Product, Products, Store};
use fornax_targets::{Backend, resolve};

use super::emit_plans::{Maker, Random};
use super::ordered_plans::{GemvWay, gemv};
use super::run::{check, run_text, text};

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
        fixed: false,
        turns: 0,
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

/// Inputs of [`packed`]: x of quarters below 16, which are exact in fixed point.
fn given_packed(random: &mut Random, plan: &KernelPlan) -> Vec<Vec<u8>> {
    let mut quarters =
        |count: i64| -> Vec<f32> { (0..count).map(|_| ((random.next() % 127) as f32 - 63.0) / 4.0).collect() };
    let x = quarters(plan.buffers[0].elements);
    let bytes = match plan.buffers[0].element {
        Bf16 => x.iter().flat_map(|&x| half::bf16::from_f32(x).to_le_bytes()).collect(),
        _ => x.iter().flat_map(|&x| half::f16::from_f32(x).to_le_bytes()).collect(),
    };
    let others = plan.buffers[1..4].iter().map(|b| random.small(b.element, b.elements as usize));
    std::iter::once(bytes).chain(others.collect::<Vec<_>>()).collect()
}

/// x·Wᵀ of rows in 16-bit floats by blocks of two times `lanes` elements of four bits, two in a byte: `(q - 8) * d`, or
/// `q * d + m`. With `d` and `m` in f16; outputs in f32.
fn packed(element: ElementType, shape: (i64, i64, i64, i64), offset: bool) -> KernelPlan {
    packed_sums(&Packed { element, shape, offset, sums: 1 })
}

/// Products by blocks.
struct Packed {
    element: ElementType,
    /// Rows, outputs, blocks, and half of a block's elements.
    shape: (i64, i64, i64, i64),
    offset: bool,
    /// So many sums, which are added: a second one is by `m`.
    sums: usize,
}

fn packed_sums(of: &Packed) -> KernelPlan {
    let &Packed { element, shape: (rows, outputs, blocks, lanes), offset, sums: count } = of;
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
    let mut sums = vec![Vec::new(); count];
    for (half, number) in (0..).zip(numbers) {
        let at = x.indices.offset(own, half * lanes);
        let short = x.add(Node::Load { buffer: 0, element, offset: at, mask: None });
        let lhs = x.convert(F32, short);
        let number = x.convert(F32, number);
        let less = if offset { number } else { x.binary(Binary::Subtract, number, eight) };
        for (products, by) in sums.iter_mut().zip([scale, least]) {
            let scaled = x.binary(Binary::Multiply, less, by);
            let rhs = if offset { x.binary(Binary::Add, scaled, least) } else { scaled };
            products.push(Product { reduction: vec![b, l], lhs, rhs });
        }
    }
    let mut value = x.add(Node::Reduced { index: 0, element: F32 });
    for index in 1..count as u32 {
        let other = x.add(Node::Reduced { index, element: F32 });
        value = x.binary(Binary::Add, value, other);
    }
    let offset = x.indices.linearize(&[vi, vj], &[rows, outputs]);
    let (precision, stores) = (Precision::Ieee, vec![Store { buffer: 4, offset, value }]);
    let reduction = vec![b, l];
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
        let inputs = given_packed(&mut random, &plan);
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

/// The candidates of a plan whose workgroups do tiles in turn.
fn in_turn(plan: &KernelPlan) -> Vec<KernelPlan> {
    let target = resolve(Backend::Cuda, "sm_90").unwrap().target;
    let has_turns = |plan: &KernelPlan| plan.schedule_as::<GemvSchedule>().is_some_and(|s| s.turns > 0);
    candidates(plan, &target).into_iter().filter(has_turns).collect()
}

/// Workgroups that do tiles in turn, x in fixed point: turns that a loop does and that are left behind it, tiles that
/// there are not, one sum and two.
#[test]
fn tiles_in_turn_are_multiplied_by_x_in_registers() {
    let mut random = Random(53);
    for (at, (element, shape, (offset, sums))) in [
        (Bf16, (1, 100, 32, 16), (false, 1)),
        (F16, (1, 66, 16, 16), (true, 1)),
        (Bf16, (1, 50, 32, 16), (true, 2)),
        (F16, (1, 37, 16, 16), (false, 2)),
        // Threads that are no power of two.
        (Bf16, (1, 48, 48, 16), (false, 1)),
    ]
    .into_iter()
    .enumerate()
    {
        let plan = packed_sums(&Packed { element, shape, offset, sums });
        let inputs = given_packed(&mut random, &plan);
        let mut ways = 0;
        for candidate in in_turn(&plan) {
            let Some(schedule) = candidate.schedule_as::<GemvSchedule>().cloned() else { continue };
            for turns in [1, 2, 3, 5, 6] {
                let mut plan = candidate.clone();
                plan.set_schedule(GemvSchedule { turns, ..schedule.clone() });
                check(&plan, "sm_90", &inputs, 4000.0, at as u64);
                ways += 1;
            }
        }
        assert!(ways >= 5, "{element:?} {shape:?}");
    }
}

/// Values of a vector whose elements differ by orders of magnitude: what is small beside the largest of its block is
/// rounded, by no more than 2⁻¹⁵ of that.
#[test]
fn x_in_fixed_point_is_as_exact_as_its_largest_element() {
    let target = resolve(Backend::Cuda, "sm_90").unwrap().target;
    let schedule = |plan: &KernelPlan| plan.schedule_as::<GemvSchedule>().cloned().expect("a GEMV");
    let is_fixed = |plan: &KernelPlan| schedule(plan).fixed && schedule(plan).threads() <= 256;
    let floats =
        |bytes: &[u8]| -> Vec<f32> { bytes.chunks(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect() };
    let f16 = |bytes: &[u8]| half::f16::from_le_bytes([bytes[0], bytes[1]]).to_f32();
    let mut random = Random(59);
    // What has an offset has x in fixed point in shared memory, too.
    for offset in [false, true] {
        let plan = packed(Bf16, (1, 32, 32, 16), offset);
        let mut inputs = given_packed(&mut random, &plan);
        let mut x: Vec<f32> = (0..1024).map(|at| ((at * 37 % 101) as f32 - 50.0) * 0.013).collect();
        for at in (0..1024).step_by(96) {
            x[at] *= 300.0;
        }
        // A block of nothing, and one that is next to it.
        x[256..288].fill(0.0);
        x[288..320].iter_mut().for_each(|x| *x *= 2f32.powi(-120));
        inputs[0] = x.iter().flat_map(|&x| half::bf16::from_f32(x).to_le_bytes()).collect();
        let wanted = floats(&results(&plan, &inputs));
        let largest = |values: &[f32]| f64::from(values.iter().fold(0f32, |a, x| a.max(x.abs())));
        let halves: Vec<f32> = [2, 3].iter().flat_map(|&at: &usize| inputs[at].chunks(2)).map(f16).collect();
        // Numbers of 4 bits by a scale, and an offset.
        let weight = 16.0 * largest(&halves);
        let most: f64 = x.chunks(32).map(|block| 32.0 * largest(block) * weight * 2f64.powi(-15)).sum();
        let all: Vec<KernelPlan> = candidates(&plan, &target).into_iter().filter(is_fixed).collect();
        assert!(all.iter().any(|plan| schedule(plan).turns > 0));
        assert_eq!(all.iter().any(|plan| schedule(plan).staged), offset);
        for candidate in &all {
            let (got, _) = run_text(candidate, &text(candidate, "sm_90"), &inputs, 0).expect("runs");
            for (got, &wanted) in floats(&got[4].bytes).into_iter().zip(&wanted) {
                assert!(f64::from((got - wanted).abs()) <= most, "{}: {got}, {wanted}, {most}", candidate.way());
            }
        }
        // What is not a number makes all outputs none.
        inputs[0][2 * 700..2 * 701].copy_from_slice(&0x7fc0u16.to_le_bytes());
        for candidate in &all {
            check(candidate, "sm_90", &inputs, 0.0, 0);
        }
    }
}

/// Queries, keys and values: alone queries have two turns, with the others three.
#[test]
fn kernels_of_one_launch_share_the_device() {
    let target = resolve(Backend::Cuda, "h200").unwrap().target;
    let of = |outputs| {
        let plan = packed(Bf16, (1, outputs, 128, 16), false);
        let is_meant = |plan: &KernelPlan| plan.schedule_as::<GemvSchedule>().is_some_and(|s| s.turns > 0);
        candidates(&plan, &target).into_iter().find(is_meant).expect("turns")
    };
    let plans = [of(4096), of(1024), of(1024)];
    let turns = |plan: &KernelPlan| plan.schedule_as::<GemvSchedule>().map_or(0, |s| s.turns);
    assert_eq!(plans.iter().map(turns).collect::<Vec<_>>(), [2, 1, 1]);
    let all: Vec<&KernelPlan> = plans.iter().collect();
    let chosen = side_by_side(&all, &target).expect("turns for all");
    assert_eq!(chosen.iter().map(turns).collect::<Vec<_>>(), [3, 3, 3]);
    let workgroups: u64 = chosen.iter().map(|plan| plan.launch().0[0]).sum();
    assert!(workgroups <= u64::from(target.compute_units), "{workgroups}");
    // One that has no turns keeps all as they are.
    let other = packed(Bf16, (1, 64, 8, 16), false);
    let other = candidates(&other, &target).into_iter().find(|plan| turns(plan) == 0).expect("another");
    assert!(side_by_side(&[all[0], &other], &target).is_none());
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
        let given = given_packed(&mut random, &plan);
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
