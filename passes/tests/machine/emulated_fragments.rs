//! Products in tf32 whose operand lies along its outputs and goes through registers: every way by warpgroups, run in
//! the emulator.
//!
//! Inputs have ten bits behind the point, as tf32 keeps: products are exact, and the reference need not round.

use fornax_kernels::gemm_wgmma::schedule::WgmmaSchedule;
use fornax_passes::program::candidates::candidates;
use fornax_passes::schedule::Options;
use fornax_passes::{fuse, simplify};
use fornax_plan::KernelPlan;
use fornax_plan::Precision;
use fornax_reference::{Limits, Tensor, evaluate};
use fornax_targets::Target;

use super::{close, import, inputs, machine, main_function};

/// Runs all ways by warpgroups; gives how many of them load fragments.
fn emulate(name: &str, text: &str) -> usize {
    let graph = import(text);
    let mut given = inputs(&graph);
    for tensor in &mut given {
        tensor.bytes.chunks_exact_mut(4).for_each(|word| (word[0], word[1]) = (0, word[1] & 0xE0));
    }
    let want = evaluate(&graph, "main", &given, &Limits::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
    let target = Target::from_spec("cuda:sm_90a").unwrap();
    let mut simplified = graph.clone();
    simplify::simplify(&mut simplified, &simplify::Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let fused = fuse(&simplified).unwrap_or_else(|e| panic!("{e}"));
    let options =
        Options { f32_matmul: Precision::Tf32, only: Some("wgmma".into()), ways: Some(64), ..Default::default() };
    let (planned, functions) = candidates(&fused, &target, &options).unwrap_or_else(|e| panic!("{e}"));
    for function in functions {
        let way = function.candidate.way;
        eprintln!("{name}: {way}");
        let got = machine::run_on(&fused, &planned, Some(&target), &function.candidate.function, (&given, &[]));
        for (bytes, want) in got.into_iter().zip(&want) {
            let got = Tensor::new(want.ty.clone(), bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
            close(&got, want, &format!("{name}: {way}"));
        }
    }
    let loads = |k: &&KernelPlan| k.schedule_as::<WgmmaSchedule>().is_some_and(WgmmaSchedule::rows_in_registers);
    planned.kernels.iter().filter(loads).count()
}

/// `max(a·b + bias, 0) + residual`, a [m, k] or [k, m], b [k, n] or [n, k], of which one lies along its outputs.
fn product([m, n, k]: [u64; 3], left: bool, transposed: bool) -> String {
    let (x, from) = if left { (format!("{k}x{m}"), 0) } else { (format!("{m}x{k}"), 1) };
    let (y, to) = if left { (format!("{n}x{k}"), 1) } else { (format!("{k}x{n}"), 0) };
    let (x, y, v) = (format!("tensor<{x}xf32>"), format!("tensor<{y}xf32>"), format!("tensor<{n}xf32>"));
    let z = format!("tensor<{m}x{n}xf32>");
    let r = if transposed { format!("tensor<{n}x{m}xf32>") } else { z.clone() };
    let last = if transposed {
        format!("%6 = stablehlo.transpose %5, dims = [1, 0] : ({z}) -> {r}\nreturn %6 : {r}")
    } else {
        format!("return %5 : {z}")
    };
    main_function(
        &format!("%x: {x}, %y: {y}, %b: {v}, %r: {z}) -> {r}"),
        &format!(
            "%0 = stablehlo.dot_general %x, %y, contracting_dims = [{from}] x [{to}] : ({x}, {y}) -> {z}
             %1 = stablehlo.broadcast_in_dim %b, dims = [1] : ({v}) -> {z}
             %2 = stablehlo.add %0, %1 : {z}
             %3 = stablehlo.constant dense<0.0> : {z}
             %4 = stablehlo.maximum %2, %3 : {z}
             %5 = stablehlo.add %4, %r : {z}
             {last}"
        ),
    )
}

#[test]
fn products_of_every_tile_and_tail() {
    for (shape, left) in [([72, 136, 100], false), ([65, 264, 36], false), ([132, 72, 72], true), ([68, 33, 260], true)]
    {
        for transposed in [false, true] {
            let name = format!("{shape:?} left {left} transposed {transposed}");
            assert!(emulate(&name, &product(shape, left, transposed)) >= 5, "{name}");
        }
    }
}

#[test]
fn few_tiles_are_shared_by_clusters() {
    assert!(emulate("clusters", &product([64, 128, 1032], false, false)) >= 5);
}

#[test]
fn batches_convolutions_and_other_results() {
    let (x, y, z) = ("tensor<2x40x64xf32>", "tensor<2x64x72xf32>", "tensor<2x40x72xf32>");
    let body = format!(
        "%0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1] : ({x}, {y}) -> {z}
         %1 = stablehlo.convert %0 : ({z}) -> tensor<2x40x72xbf16>
         return %1 : tensor<2x40x72xbf16>"
    );
    let batches = main_function(&format!("%x: {x}, %y: {y}) -> tensor<2x40x72xbf16>"), &body);
    assert!(emulate("batches", &batches) >= 5);
    let (x, w, z) = ("tensor<2x7x7x36xf32>", "tensor<3x3x36x64xf32>", "tensor<2x7x7x64xf32>");
    let body = format!(
        "%0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], \
             window = {{pad = [[1, 1], [1, 1]]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} \
             : ({x}, {w}) -> {z}\n\
         return %0 : {z}"
    );
    let text = main_function(&format!("%x: {x}, %w: {w}) -> {z}"), &body);
    assert!(emulate("convolution", &text) >= 5);
}
