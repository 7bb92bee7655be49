//! Row pitches: values whose rows are no multiples of 16 bytes, between kernels for Hopper, as plans and as text in the
//! emulator. What lies between rows is NaN there, so that a reader of it is found.

use fornax_kernels::gemm_wgmma::schedule::WgmmaSchedule;
use fornax_passes::Planned;

use super::emulated_models::emulate;
use super::machine::compare::{check_on, import, planned};
use super::main_function;

const DEVICE: &str = "cuda:sm_90a";

/// Buffers of kernels with so many elements.
fn buffers_of(planned: &Planned, elements: i64) -> usize {
    planned.kernels.iter().flat_map(|kernel| &kernel.buffers).filter(|buffer| buffer.elements == elements).count()
}

/// Runs a model whose value `%h` has so many rows of a pitch; gives its program.
fn run(name: &str, text: &str, [rows, pitch]: [i64; 2]) -> Planned {
    let found = check_on(name, text, DEVICE);
    assert!(buffers_of(&found, rows * pitch) >= 2, "{name}: no {rows} rows of {pitch} elements:\n{}", found.describe());
    emulate(name, text, &[DEVICE]);
    found
}

/// `%h`, `[m, n]`, a product of `%x` and `%w`; `%y`, another product of it, with `%v`, whose layouts are
/// `h·v`, `h·vᵀ`, `hᵀ·v`, `hᵀ·vᵀ`. Between them `ops` make `%g` of `%h`.
fn model(element: &str, [m, n, k, p]: [u64; 4], [left, right]: [bool; 2], ops: &str) -> String {
    let (outputs, steps, at) = if left { (n, m, 0) } else { (m, n, 1) };
    let (v, of) = if right { (format!("{p}x{steps}"), 1) } else { (format!("{steps}x{p}"), 0) };
    let (x, w) = (format!("tensor<{m}x{k}x{element}>"), format!("tensor<{n}x{k}x{element}>"));
    let (h, v) = (format!("tensor<{m}x{n}x{element}>"), format!("tensor<{v}x{element}>"));
    let y = format!("tensor<{outputs}x{p}x{element}>");
    main_function(
        &format!("%x: {x}, %w: {w}, %v: {v}, %b: tensor<{n}x{element}>) -> {y}"),
        &format!(
            "%h = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : ({x}, {w}) -> {h}
             {ops}
             %y = stablehlo.dot_general %g, %v, contracting_dims = [{at}] x [{of}] : ({h}, {v}) -> {y}
             return %y : {y}"
        ),
    )
}

/// `%g` is `%h` itself.
fn plain(element: &str, sizes: [u64; 4], layout: [bool; 2]) -> String {
    model(element, sizes, layout, "").replace("dot_general %g", "dot_general %h")
}

fn by_warpgroups(planned: &Planned) -> usize {
    planned.kernels.iter().filter(|kernel| kernel.schedule_as::<WgmmaSchedule>().is_some()).count()
}

/// Kernels that copy an operand first: their only op is that.
fn copies(planned: &Planned, elements: i64) -> usize {
    let copies = planned.kernels.iter().filter(|kernel| kernel.summary == "copy");
    copies.filter(|kernel| kernel.buffers.iter().any(|buffer| buffer.elements == elements)).count()
}

#[test]
fn products_read_and_write_rows_of_a_pitch_in_every_layout() {
    for (element, pitch) in [("bf16", 272), ("f16", 272)] {
        for layout in [[false, false], [false, true], [true, false], [true, true]] {
            let name = format!("{element} {layout:?}");
            let found = run(&name, &plain(element, [160, 257, 64, 72], layout), [160, pitch]);
            // Rows of `v`, odd in one layout, are copied.
            assert_eq!(by_warpgroups(&found), 2, "{name}");
            assert_eq!(copies(&found, 160 * pitch), 0, "{name}: {}", found.describe());
        }
    }
}

/// `%g` is the softmax of `%h`, scaled so that its rounding changes little, less `%h`: no attention.
fn softmax(element: &str, [m, n]: [u64; 2]) -> String {
    let (h, f) = (format!("tensor<{m}x{n}x{element}>"), format!("tensor<{m}x{n}xf32>"));
    let row = format!("tensor<{m}xf32>");
    format!(
        "%f0 = stablehlo.convert %h : ({h}) -> {f}
         %scale = stablehlo.constant dense<0.02> : {f}
         %f = stablehlo.multiply %f0, %scale : {f}
         %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
         %zero = stablehlo.constant dense<0.0> : tensor<f32>
         %max = stablehlo.reduce(%f init: %low) applies stablehlo.maximum across dimensions = [1]
             : ({f}, tensor<f32>) -> {row}
         %m0 = stablehlo.broadcast_in_dim %max, dims = [0] : ({row}) -> {f}
         %d = stablehlo.subtract %f, %m0 : {f}
         %e = stablehlo.exponential %d : {f}
         %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1]
             : ({f}, tensor<f32>) -> {row}
         %s0 = stablehlo.broadcast_in_dim %sum, dims = [0] : ({row}) -> {f}
         %q = stablehlo.divide %e, %s0 : {f}
         %t = stablehlo.subtract %q, %f : {f}
         %g = stablehlo.convert %t : ({f}) -> {h}"
    )
}

#[test]
fn other_kernels_keep_to_the_rows() {
    let sizes @ [m, n, _, _] = [160, 257, 64, 72];
    let h = format!("tensor<{m}x{n}xbf16>");
    let row = format!("tensor<{n}xbf16>");
    let bias = format!(
        "%b0 = stablehlo.broadcast_in_dim %b, dims = [1] : ({row}) -> {h}
         %g = stablehlo.add %h, %b0 : {h}"
    );
    // An epilogue whose value differs from column to column.
    let found = run("bias", &model("bf16", sizes, [false, false], &bias), [m as i64, 272]);
    assert_eq!(by_warpgroups(&found), 2, "{}", found.describe());
    for layout in [[false, false], [true, true]] {
        run("softmax", &model("bf16", sizes, layout, &softmax("bf16", [m, n])), [m as i64, 272]);
    }
    // Stored by an elementwise kernel that also reads what another reads.
    let both = format!(
        "%z = stablehlo.constant dense<0.0> : tensor<bf16>
         %c = stablehlo.reduce(%h init: %z) applies stablehlo.maximum across dimensions = [0]
             : ({h}, tensor<bf16>) -> {row}
         %c0 = stablehlo.broadcast_in_dim %c, dims = [1] : ({row}) -> {h}
         %t = stablehlo.subtract %h, %c0 : {h}
         %g = stablehlo.tanh %t : {h}"
    );
    run("columns", &model("bf16", sizes, [false, true], &both), [m as i64, 272]);
}

#[test]
fn other_names_of_a_value_have_its_pitch() {
    let text = main_function(
        "%x: tensor<4x40x64xbf16>, %w: tensor<257x64xbf16>, %v: tensor<257x72xbf16>, %u: tensor<4x40x72xbf16>) \
         -> (tensor<160x72xbf16>, tensor<4x257x72xbf16>)",
        "%h = stablehlo.dot_general %x, %w, contracting_dims = [2] x [1]
             : (tensor<4x40x64xbf16>, tensor<257x64xbf16>) -> tensor<4x40x257xbf16>
         %g = stablehlo.reshape %h : (tensor<4x40x257xbf16>) -> tensor<160x257xbf16>
         %y = stablehlo.dot_general %g, %v, contracting_dims = [1] x [0]
             : (tensor<160x257xbf16>, tensor<257x72xbf16>) -> tensor<160x72xbf16>
         %t = stablehlo.dot_general %h, %u, batching_dims = [0] x [0], contracting_dims = [1] x [1]
             : (tensor<4x40x257xbf16>, tensor<4x40x72xbf16>) -> tensor<4x257x72xbf16>
         return %y, %t : tensor<160x72xbf16>, tensor<4x257x72xbf16>",
    );
    let found = run("names", &text, [160, 272]);
    assert_eq!(copies(&found, 160 * 272), 0, "{}", found.describe());
}

#[test]
fn values_that_others_know_have_no_pitch() {
    let known = |text: &str, device: &str, [rows, pitch]: [i64; 2]| {
        let (_, found) = planned(&import(text), device);
        assert!(buffers_of(&found, rows * pitch) >= 2, "{}", found.describe());
    };
    let layout = [false, false];
    let returned = plain("bf16", [136, 257, 64, 72], layout)
        .replace("-> tensor<136x72xbf16> {", "-> (tensor<136x72xbf16>, tensor<136x257xbf16>) {")
        .replace("return %y : tensor<136x72xbf16>", "return %y, %h : tensor<136x72xbf16>, tensor<136x257xbf16>");
    assert!(returned.contains("return %y, %h") && returned.contains("-> (tensor"));
    known(&returned, DEVICE, [136, 257]);
    // Rows that suit tensor copies, too small a value, another device.
    known(&plain("bf16", [136, 272, 64, 72], layout), DEVICE, [136, 272]);
    known(&plain("bf16", [24, 257, 64, 72], layout), DEVICE, [24, 257]);
    known(&plain("bf16", [136, 257, 64, 72], layout), "cuda:sm_80", [136, 257]);
}
