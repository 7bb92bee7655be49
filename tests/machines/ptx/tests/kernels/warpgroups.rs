//! Products by warpgroups whose epilogues read a bias, a gate and a residual: every way that the schedule has, odd
//! extents, batches.

use fornax_emulate::{Kernel, Launch, Swizzle, TensorMap};
use fornax_graph::ElementType::{self, Bf16, F16, F32};
use fornax_kernels::gemm_wgmma::candidates::candidates;
use fornax_kernels::gemm_wgmma::pair;
use fornax_kernels::gemm_wgmma::schedule::WgmmaSchedule;
use fornax_plan::Unscheduled;
use fornax_plan::{Access, Binary, Body, KernelPlan, Node, Precision, Product, Products, Store, Unary};
use fornax_targets::{Backend, resolve};

use super::emit_plans::{Maker, Random};
use super::run::{buffers, compare, text};

const DEVICE: &str = "sm_90a";
/// tanh(a·b + bias) · gate + residual; b is [n, k].
fn product(element: ElementType, stored: ElementType, [batch, m, n, k]: [i64; 4]) -> KernelPlan {
    let mut p = Maker::default();
    let (q, i, j, s) = (p.var(batch), p.var(m), p.var(n), p.var(k));
    let (a, b) = (p.input(element, batch * m * k), p.input(element, batch * n * k));
    let (bias, gate) = (p.input(stored, n), p.input(stored, batch * m * n));
    let (residual, output) = (p.input(stored, batch * m * n), p.output(stored, batch * m * n));
    let lhs = p.load_at(a, &[(q, m * k), (i, k), (s, 1)]);
    let rhs = p.load_at(b, &[(q, n * k), (j, k), (s, 1)]);
    let (lhs, rhs) = (p.exprs.convert(F32, lhs), p.exprs.convert(F32, rhs));
    let place = [(q, m * n), (i, n), (j, 1)];
    let (bias, gate, residual) = (p.load_at(bias, &[(j, 1)]), p.load_at(gate, &place), p.load_at(residual, &place));
    let sum = p.reduced(0, F32);
    let sum = p.exprs.convert(stored, sum);
    let value = p.exprs.binary(Binary::Add, sum, bias);
    let value = p.exprs.unary(Unary::Tanh, value);
    let value = p.exprs.binary(Binary::Multiply, value, gate);
    let value = p.exprs.binary(Binary::Add, value, residual);
    let stores = vec![Store { buffer: output, offset: p.at(&place), value }];
    let precision = if element == F32 { Precision::Tf32 } else { Precision::Ieee };
    let body = Body::Contraction { reduction: vec![s], lhs, rhs, accumulator: F32, precision, stores };
    p.plan(vec![q, i, j], body, Unscheduled)
}

fn maps(plan: &KernelPlan) -> Vec<TensorMap> {
    let of = |map: &fornax_plan::TensorMap| TensorMap {
        buffer: map.buffer as usize,
        offset_bytes: map.offset_bytes as u64,
        element_bytes: map.element.storage_bytes() as u32,
        tf32: map.tf32,
        dims: map.dims.iter().map(|&d| d as u64).collect(),
        strides: map.strides.iter().map(|&s| s as u64).collect(),
        box_dims: map.box_dims.clone(),
        element_strides: map.element_strides.clone(),
        swizzle: Swizzle::B128,
        add_as: None,
        im2col: None,
    };
    plan.tensor_maps.iter().map(of).collect()
}

/// Runs a plan and compares it with the interpreter.
fn check(plan: &KernelPlan, inputs: &[Vec<u8>], ulps: f64, seed: u64) {
    let kernel = Kernel::parse(&text(plan, DEVICE)).unwrap_or_else(|error| panic!("{error}"));
    let ((grid, threads), dynamic_shared_bytes) = (plan.launch(), plan.dynamic_shared_bytes());
    let launch = Launch { grid, threads, seed, dynamic_shared_bytes, tensor_maps: maps(plan), ..Launch::default() };
    let mut got = buffers(plan, inputs);
    kernel.run(&launch, &mut got).unwrap_or_else(|error| panic!("{}: {error}", plan.way()));
    compare(plan, inputs, &got, ulps, &plan.way());
}

/// tanh(a·b) · (a·c) + residual; b and c are [n, k], or [k, n].
fn gated(element: ElementType, [m, n, k]: [i64; 3], transposed: bool) -> KernelPlan {
    let mut p = Maker::default();
    let (i, j, s) = (p.var(m), p.var(n), p.var(k));
    let (a, b, c) = (p.input(element, m * k), p.input(element, n * k), p.input(element, n * k));
    let (residual, output) = (p.input(element, m * n), p.output(element, m * n));
    let across = if transposed { [(j, k), (s, 1)] } else { [(s, n), (j, 1)] };
    let [lhs, left, right] = [p.load_at(a, &[(i, k), (s, 1)]), p.load_at(b, &across), p.load_at(c, &across)]
        .map(|x| p.exprs.convert(F32, x));
    let sums = [0, 1].map(|sum| p.reduced(sum, F32)).map(|sum| p.exprs.convert(element, sum));
    let gate = p.exprs.unary(Unary::Tanh, sums[0]);
    let value = p.exprs.binary(Binary::Multiply, gate, sums[1]);
    let place = [(i, n), (j, 1)];
    let residual = p.load_at(residual, &place);
    let value = p.exprs.binary(Binary::Add, value, residual);
    let stores = vec![Store { buffer: output, offset: p.at(&place), value }];
    let product = |rhs| vec![Product { reduction: vec![s], lhs, rhs }];
    let sums = vec![product(left), product(right)];
    let (reduction, precision) = (vec![s], Precision::Ieee);
    let products = Products { reduction, sums, accumulator: F32, precision, streamed: false, stores };
    p.plan(vec![i, j], Body::Products(Box::new(products)), Unscheduled)
}

#[test]
fn two_products_share_their_rows() {
    let target = resolve(Backend::Cuda, DEVICE).expect("a target").target;
    let mut random = Random(67);
    for (element, extents, transposed) in [(Bf16, [200, 264, 72], false), (F16, [129, 136, 136], true)] {
        let plan = gated(element, extents, transposed);
        let read = plan.buffers.iter().filter(|b| b.access == Access::Read);
        let inputs: Vec<Vec<u8>> = read.map(|b| random.small(b.element, b.elements as usize)).collect();
        let all = pair::candidates(&plan, &target);
        assert!(all.len() > 4, "{} schedules", all.len());
        for (seed, (_, plan)) in all.into_iter().step_by(3).enumerate() {
            check(&plan, &inputs, 4.0, seed as u64);
        }
    }
}

/// Tiles of 112 columns of each, no multiple of the 64 that leave through shared memory. The last tile reaches behind
/// the last column, and behind the last row.
#[test]
fn two_products_have_columns_that_are_no_power_of_two() {
    let target = resolve(Backend::Cuda, DEVICE).expect("a target").target;
    let mut random = Random(79);
    for (element, extents) in [(Bf16, [32, 232, 136]), (F16, [130, 112, 72])] {
        let plan = gated(element, extents, true);
        let read = plan.buffers.iter().filter(|b| b.access == Access::Read);
        let inputs: Vec<Vec<u8>> = read.map(|b| random.small(b.element, b.elements as usize)).collect();
        let all = pair::candidates(&plan, &target).into_iter().map(|(_, plan)| plan);
        let all: Vec<KernelPlan> = all.filter(|plan| plan.way().contains("x112x")).collect();
        assert_eq!(all.len(), 2, "tiles of 64 and of 128 rows");
        for (seed, plan) in all.iter().enumerate() {
            check(plan, &inputs, 4.0, seed as u64);
        }
    }
}

#[test]
fn epilogues_read_what_lies_like_the_result() {
    let target = resolve(Backend::Cuda, DEVICE).expect("a target").target;
    let mut random = Random(61);
    let mut read = 0;
    for (element, stored, extents) in [
        (Bf16, Bf16, [1, 136, 328, 72]),
        (Bf16, F32, [2, 70, 132, 72]),
        (F16, F16, [2, 129, 72, 136]),
        (F32, F32, [1, 72, 132, 68]),
        (Bf16, Bf16, [1, 66, 67, 64]),
    ] {
        let plan = product(element, stored, extents);
        let ulps = if stored == F32 { 256.0 } else { 4.0 };
        let mut inputs: Vec<Vec<u8>> = plan
            .buffers
            .iter()
            .filter(|b| b.access == Access::Read)
            .map(|b| random.small(b.element, b.elements as usize))
            .collect();
        // tf32 has 13 bits less than f32.
        for word in inputs[..2].iter_mut().filter(|_| element == F32).flat_map(|i| i.chunks_mut(4)) {
            (word[0], word[1]) = (0, word[1] & 0xE0);
        }
        for (seed, plan) in candidates(&plan, &target).into_iter().step_by(4).enumerate() {
            let Some(schedule) = plan.schedule_as::<WgmmaSchedule>() else { panic!("{:?}", plan.schedule) };
            read += schedule.loads.len();
            check(&plan, &inputs, ulps, seed as u64);
        }
    }
    assert!(read > 0, "no schedule fetches what its epilogue reads");
}

/// The gradient of a 3 × 3 convolution's weights, padding 1: Σ over images and pixels of image[b, y + ky − 1, x + kx −
/// 1, c] · gradient[b, y, x, o].
fn weight_gradient([batch, height, width, channels, outputs]: [i64; 5]) -> KernelPlan {
    let mut p = Maker::default();
    let [ky, kx, c, o] = [3, 3, channels, outputs].map(|n| p.var(n));
    let [b, y, x] = [batch, height, width].map(|n| p.var(n));
    let pixels = batch * height * width;
    let (image, gradient) = (p.input(Bf16, pixels * channels), p.input(Bf16, pixels * outputs));
    let output = p.output(Bf16, 9 * channels * outputs);
    let (line, whole) = (width * channels, height * width * channels);
    let place = p.at(&[(b, whole), (y, line), (ky, line), (x, channels), (kx, channels), (c, 1)]);
    let place = p.exprs.indices.offset(place, -line - channels);
    let inside = [(y, ky, height), (x, kx, width)].map(|(at, tap, high)| {
        let index = p.at(&[(at, 1), (tap, 1)]);
        let index = p.exprs.indices.offset(index, -1);
        p.exprs.add(Node::InRange { index, low: 0, high })
    });
    let mask = p.exprs.binary(Binary::And, inside[0], inside[1]);
    let lhs = p.exprs.add(Node::Load { buffer: image, element: Bf16, offset: place, mask: Some(mask) });
    let zero = p.constant(Bf16, 0);
    let lhs = p.exprs.select(mask, lhs, zero);
    let strides = [(b, height * width * outputs), (y, width * outputs), (x, outputs), (o, 1)];
    let rhs = p.load_at(gradient, &strides);
    let (lhs, rhs) = (p.exprs.convert(F32, lhs), p.exprs.convert(F32, rhs));
    let sum = p.reduced(0, F32);
    let value = p.exprs.convert(Bf16, sum);
    let offset = p.at(&[(ky, 3 * channels * outputs), (kx, channels * outputs), (c, outputs), (o, 1)]);
    let stores = vec![Store { buffer: output, offset, value }];
    let reduction = vec![y, x, b];
    let body = Body::Contraction { reduction, lhs, rhs, accumulator: F32, precision: Precision::Ieee, stores };
    p.plan(vec![ky, kx, c, o], body, Unscheduled)
}

/// A block's steps are pixels of several images: two of 32 images, one of 64, whole rows of few.
#[test]
fn gradients_of_weights_take_steps_of_several_variables() {
    let target = resolve(Backend::Cuda, DEVICE).expect("a target").target;
    let mut random = Random(71);
    for (extents, blocks) in [([32, 2, 4, 64, 64], 4), ([3, 4, 6, 72, 64], 3), ([5, 3, 3, 64, 136], 9)] {
        let plan = weight_gradient(extents);
        let inputs: Vec<Vec<u8>> =
            plan.buffers[..2].iter().map(|b| random.small(b.element, b.elements as usize)).collect();
        let all = candidates(&plan, &target);
        assert!(all.len() > 4, "{} schedules", all.len());
        for (seed, plan) in all.into_iter().step_by(17).enumerate() {
            let Some(schedule) = plan.schedule_as::<WgmmaSchedule>() else { panic!("{:?}", plan.schedule) };
            assert_eq!(schedule.blocks(&plan.exprs.indices), blocks, "{extents:?}: {}", plan.way());
            check(&plan, &inputs, 4.0, seed as u64);
        }
    }
}

/// A persistent workgroup takes tile after tile: what its epilogue reads through the ring comes between their blocks.
#[test]
fn workgroups_take_several_tiles() {
    let mut target = resolve(Backend::Cuda, DEVICE).expect("a target").target;
    target.compute_units = 2;
    let mut random = Random(73);
    let plan = product(Bf16, Bf16, [1, 264, 200, 72]);
    let read = plan.buffers.iter().filter(|b| b.access == Access::Read);
    let inputs: Vec<Vec<u8>> = read.map(|b| random.small(b.element, b.elements as usize)).collect();
    let mut several = 0;
    for (seed, plan) in candidates(&plan, &target).into_iter().step_by(7).enumerate() {
        let Some(schedule) = plan.schedule_as::<WgmmaSchedule>() else { panic!("{:?}", plan.schedule) };
        several += usize::from(!schedule.loads.is_empty() && !schedule.has_one_tile(&plan));
        check(&plan, &inputs, 4.0, seed as u64);
    }
    assert!(several > 1, "{several} schedules read through the ring for several tiles");
}
