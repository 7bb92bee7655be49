//! Products and convolutions by warpgroups: kernels for a device with warpgroup multiply, run in the emulator.

use fornax_kernels::gemm_wgmma::schedule::WgmmaSchedule;
use fornax_reference::{Limits, Tensor, evaluate};
use fornax_targets::Target;

use super::{close, import, inputs, machine, main_function, planned};

const DEVICE: &str = "cuda:sm_90a";

/// Runs a model in the emulator; one of its kernels must be scheduled by warpgroups, with clusters and terms as said.
fn emulate(name: &str, text: &str, clustered: Option<bool>, terms: bool) {
    let graph = import(text);
    let inputs = inputs(&graph);
    run(name, &graph, &inputs, clustered, terms);
}

fn run(name: &str, graph: &fornax_graph::Graph, inputs: &[Tensor], clustered: Option<bool>, terms: bool) {
    let want = evaluate(graph, "main", inputs, &Limits::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
    let (fused, planned) = planned(graph, DEVICE);
    let target = Target::from_spec(DEVICE).unwrap();
    let found = planned.kernels.iter().find_map(|k| k.schedule_as::<WgmmaSchedule>());
    let schedule = found.unwrap_or_else(|| panic!("{name}: no kernel by warpgroups"));
    assert!(clustered.is_none_or(|c| c == (schedule.split > 1)), "{name}: shared by {}", schedule.split);
    assert_eq!(schedule.in_terms(), terms, "{name}");
    let got = machine::run_on(&fused, &planned, Some(&target), "main", (inputs, &[]));
    for (n, (bytes, want)) in got.into_iter().zip(&want).enumerate() {
        let got = Tensor::new(want.ty.clone(), bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        close(&got, want, &format!("{name}, result {n}"));
    }
}

/// `max(a·b + bias, 0) + residual` with operands as [m, k] or [k, m], [k, n] or [n, k].
fn product(element: &str, result: &str, [m, n, k]: [u64; 3], [left, right]: [bool; 2]) -> String {
    let (a, from) = if left { (format!("{k}x{m}"), 0) } else { (format!("{m}x{k}"), 1) };
    let (b, to) = if right { (format!("{n}x{k}"), 1) } else { (format!("{k}x{n}"), 0) };
    let (x, y) = (format!("tensor<{a}x{element}>"), format!("tensor<{b}x{element}>"));
    let (z, row) = (format!("tensor<{m}x{n}x{result}>"), format!("tensor<{n}x{result}>"));
    let zero = if result == "i32" { "0" } else { "0.0" };
    main_function(
        &format!("%x: {x}, %y: {y}, %b: {row}, %r: {z}) -> {z}"),
        &format!(
            "%0 = stablehlo.dot_general %x, %y, contracting_dims = [{from}] x [{to}] : ({x}, {y}) -> {z}
             %1 = stablehlo.broadcast_in_dim %b, dims = [1] : ({row}) -> {z}
             %2 = stablehlo.add %0, %1 : {z}
             %3 = stablehlo.constant dense<{zero}> : {z}
             %4 = stablehlo.maximum %2, %3 : {z}
             %5 = stablehlo.add %4, %r : {z}
             return %5 : {z}"
        ),
    )
}

#[test]
fn products_with_tails_in_every_layout() {
    for element in ["bf16", "f16"] {
        for layout in [[false, false], [false, true], [true, false], [true, true]] {
            for shape in [[136, 264, 72], [72, 200, 136]] {
                let name = format!("{element} {shape:?} {layout:?}");
                emulate(&name, &product(element, element, shape, layout), None, false);
            }
        }
    }
    emulate("odd columns", &product("bf16", "f32", [65, 33, 136], [false, true]), None, false);
    emulate("i8", &product("i8", "i32", [72, 136, 160], [false, true]), None, false);
    emulate("ui8", &product("ui8", "i32", [136, 72, 208], [false, true]), None, false);
}

/// `a·bᵀ` of two types of 8-bit floats, with a scale a row.
fn scaled([a, b, result]: [&str; 3], [m, n, k]: [u64; 3]) -> String {
    let (x, y) = (format!("tensor<{m}x{k}x{a}>"), format!("tensor<{n}x{k}x{b}>"));
    let (z, f, row) = (format!("tensor<{m}x{n}x{result}>"), format!("tensor<{m}x{n}xf32>"), format!("tensor<{m}xf32>"));
    main_function(
        &format!("%x: {x}, %y: {y}, %s: {row}) -> {z}"),
        &format!(
            "%0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [1] : ({x}, {y}) -> {f}
             %1 = stablehlo.broadcast_in_dim %s, dims = [0] : ({row}) -> {f}
             %2 = stablehlo.multiply %0, %1 : {f}
             %3 = stablehlo.convert %2 : ({f}) -> {z}
             return %3 : {z}"
        ),
    )
}

#[test]
fn products_of_8_bit_floats_are_summed_in_registers() {
    let (e4, e5) = ("f8E4M3FN", "f8E5M2");
    for types in [[e4, e4, "bf16"], [e4, e5, "f32"], [e5, e4, "f16"], [e5, e5, "f32"]] {
        emulate(&format!("{types:?}"), &scaled(types, [136, 72, 400]), None, false);
    }
    emulate("cluster", &scaled([e4, e4, "bf16"], [64, 128, 8192]), Some(true), false);
    let algorithm = format!(
        "algorithm = <lhs_precision_type = {e4}, rhs_precision_type = {e4}, accumulation_type = f32, \
         lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, \
         allow_imprecise_accumulation = true>"
    );
    let imprecise = scaled([e4, e4, "f32"], [136, 72, 400]).replace("[1] x [1]", &format!("[1] x [1], {algorithm}"));
    assert!(imprecise.contains("allow_imprecise"));
    emulate("imprecise", &imprecise, None, false);
}

/// `silu(s·x·Wᵀ) · (s·x·Vᵀ)` of 8-bit floats, with scales of rows and of each matrix's outputs.
fn scaled_gate([m, n, k]: [u64; 3]) -> String {
    let (x, w) = (format!("tensor<{m}x{k}xf8E4M3FN>"), format!("tensor<{n}x{k}xf8E4M3FN>"));
    let (z, f) = (format!("tensor<{m}x{n}xbf16>"), format!("tensor<{m}x{n}xf32>"));
    let (row, column) = (format!("tensor<{m}xf32>"), format!("tensor<{n}xf32>"));
    let product = |to: &str, weights: &str, scale: &str| {
        format!(
            "%{to}0 = stablehlo.dot_general %x, %{weights}, contracting_dims = [1] x [1] : ({x}, {w}) -> {f}
             %{to}1 = stablehlo.broadcast_in_dim %s, dims = [0] : ({row}) -> {f}
             %{to}2 = stablehlo.broadcast_in_dim %{scale}, dims = [1] : ({column}) -> {f}
             %{to}3 = stablehlo.multiply %{to}0, %{to}1 : {f}
             %{to}4 = stablehlo.multiply %{to}3, %{to}2 : {f}\n"
        )
    };
    main_function(
        &format!("%x: {x}, %w: {w}, %v: {w}, %s: {row}, %t: {column}, %u: {column}) -> {z}"),
        &format!(
            "{}{}%0 = stablehlo.logistic %g4 : {f}
             %1 = stablehlo.multiply %g4, %0 : {f}
             %2 = stablehlo.multiply %1, %p4 : {f}
             %3 = stablehlo.convert %2 : ({f}) -> {z}
             return %3 : {z}",
            product("g", "w", "t"),
            product("p", "v", "u")
        ),
    )
}

#[test]
fn two_products_of_8_bit_floats_share_a_kernel() {
    for shape in [[136, 200, 400], [72, 136, 144]] {
        let text = scaled_gate(shape);
        let kernels = planned(&import(&text), DEVICE).1.kernels;
        let pair = kernels.iter().find_map(|k| k.schedule_as::<WgmmaSchedule>()).filter(|pair| pair.second.is_some());
        let pair = pair.unwrap_or_else(|| panic!("{shape:?}: no kernel of two products"));
        assert!(kernels.len() == 1 && !pair.products.is_empty(), "{shape:?}");
        emulate(&format!("{shape:?}"), &text, Some(false), false);
    }
}

#[test]
fn few_tiles_are_shared_by_clusters() {
    emulate("cluster", &product("bf16", "bf16", [64, 128, 4096], [false, false]), Some(true), false);
    emulate("cluster, f32", &product("f16", "f32", [72, 72, 4104], [false, true]), Some(true), false);
}

#[test]
fn batches_in_any_place() {
    let (x, y) = ("tensor<3x72x2x64xbf16>", "tensor<2x3x64x136xbf16>");
    let z = "tensor<3x2x72x136xbf16>";
    let body = format!(
        "%0 = stablehlo.dot_general %x, %y, batching_dims = [0, 2] x [1, 0], contracting_dims = [3] x [2] \
             : ({x}, {y}) -> {z}\n\
         return %0 : {z}"
    );
    emulate("batches", &main_function(&format!("%x: {x}, %y: {y}) -> {z}"), &body), None, false);
}

fn convolution(element: &str, [batch, side, kernel, stride, from, to]: [u64; 6]) -> String {
    let (pad, out) = (kernel / 2, side.div_ceil(stride));
    let high = ((out - 1) * stride + kernel) as i64 - (side + pad) as i64;
    let x = format!("tensor<{batch}x{side}x{side}x{from}x{element}>");
    let w = format!("tensor<{kernel}x{kernel}x{from}x{to}x{element}>");
    let z = format!("tensor<{batch}x{out}x{out}x{to}x{element}>");
    main_function(
        &format!("%x: {x}, %w: {w}) -> {z}"),
        &format!(
            "%0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], \
                 window = {{stride = [{stride}, {stride}], pad = [[{pad}, {high}], [{pad}, {high}]]}} \
                 {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({x}, {w}) -> {z}\n\
             return %0 : {z}"
        ),
    )
}

#[test]
fn convolutions_are_products_of_boxes() {
    for element in ["f16", "bf16"] {
        emulate("3x3", &convolution(element, [2, 9, 3, 1, 64, 64]), None, false);
        emulate("1x1, stride 2", &convolution(element, [2, 14, 1, 2, 72, 64]), None, false);
        emulate("3x3, stride 2", &convolution(element, [3, 15, 3, 2, 64, 64]), None, false);
    }
}

/// A product of f32 operands that asks for bf16 parts: [m, k]·[n, k] or [k, m]·[k, n].
fn in_parts([m, n, k]: [usize; 3], transposed: bool) -> String {
    let (x, y) =
        if transposed { (format!("{k}x{m}"), format!("{k}x{n}")) } else { (format!("{m}x{k}"), format!("{n}x{k}")) };
    let at = if transposed { 0 } else { 1 };
    let (x, y, z) = (format!("tensor<{x}xf32>"), format!("tensor<{y}xf32>"), format!("tensor<{m}x{n}xf32>"));
    main_function(
        &format!("%x: {x}, %y: {y}) -> {z}"),
        &format!(
            "%0 = stablehlo.dot_general %x, %y, contracting_dims = [{at}] x [{at}], \
                 algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, \
                 lhs_component_count = 3, rhs_component_count = 3, num_primitive_operations = 9, \
                 allow_imprecise_accumulation = false> : ({x}, {y}) -> {z}\n\
             return %0 : {z}"
        ),
    )
}

#[test]
fn f32_products_in_parts_keep_their_digits() {
    emulate("parts", &in_parts([72, 136, 136], false), None, true);
    emulate("parts, transposed, odd", &in_parts([72, 136, 75], true), None, true);
}

#[test]
fn inf_nan_and_extreme_values_are_as_in_f32() {
    let [m, n, k] = [64, 72, 128];
    let graph = import(&in_parts([m, n, k], false));
    let mut inputs = inputs(&graph);
    let set = |tensor: &mut Tensor, row: usize, column: usize, value: f32| {
        let place = 4 * (row * k + column);
        tensor.bytes[place..place + 4].copy_from_slice(&value.to_le_bytes());
    };
    for (row, column, value) in [(3, 7, f32::INFINITY), (5, 9, f32::NAN), (20, 5, 3.3e38)] {
        set(&mut inputs[0], row, column, value);
    }
    set(&mut inputs[1], 11, 20, f32::NEG_INFINITY);
    run("not finite", &graph, &inputs, None, true);
    for column in 0..k {
        for row in 0..m {
            set(
                &mut inputs[0],
                row,
                column,
                if row < 32 { 1.1e-40 } else { 3.3e-38 } * (column as f32 - 50.0 + row as f32),
            );
        }
        for row in 0..n {
            set(&mut inputs[1], row, column, 1e30 * (1.0 + row as f32 / 7.0));
        }
    }
    run("subnormal", &graph, &inputs, None, true);
}
