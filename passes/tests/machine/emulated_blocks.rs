//! Weights in blocks that warpgroups' products compute on their way into the ring, run in the emulator.

use fornax_graph::{ElementType, Graph};
use fornax_kernels::gemm_wgmma::schedule::WgmmaSchedule;
use fornax_kernels::gemv::schedule::GemvSchedule;
use fornax_passes::program::candidates::candidates;
use fornax_passes::{Options, fuse, plan};
use fornax_plan::KernelPlan;
use fornax_reference::{Limits, Scalar, Tensor, evaluate};
use fornax_targets::Target;

use super::{close, import, inputs, machine, main_function, planned};

const DEVICE: &str = "cuda:sm_90a";

/// How weights `[n, k]` lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Blocks of 32, two in a byte, a scale: Q4_0.
    Nibbles,
    /// Runs of 32 in blocks of 256, low and high halves of bytes, a scale and a least value each: Q4_K.
    Runs,
    /// Blocks of 32 signed bytes, a scale: Q8_0.
    Bytes,
    /// Runs of 16 in blocks of 256, a signed byte as scale: Q6_K.
    Sixteens,
    /// The same of four lower bits, a byte for two elements, and two upper ones, a byte for four: Q6_K as it is read.
    Repeated,
    /// E4M3, a scale an output.
    Eights,
    /// Groups of 32, a zero and a scale each: GPTQ.
    Groups,
    /// Groups of 128 bytes, whose scales lie along the outputs.
    Across,
}

impl Kind {
    /// Weights that a block has.
    fn block(self) -> u64 {
        match self {
            Kind::Nibbles | Kind::Bytes | Kind::Groups => 32,
            Kind::Runs | Kind::Sixteens | Kind::Repeated => 256,
            Kind::Eights => 8,
            Kind::Across => 128,
        }
    }

    /// Arguments and ops of weights whose names begin with `w`; the f32 matrix is `%{w}`.
    fn text(self, w: &str, n: u64, k: u64) -> (String, String) {
        let b = k / self.block();
        let f = format!("tensor<{n}x{k}xf32>");
        match self {
            Kind::Nibbles => {
                let (half, whole) = (format!("tensor<{n}x{b}x16xui8>"), format!("{n}x{b}x32"));
                let scale = format!("tensor<{n}x{b}xf16>");
                (
                    format!("%{w}q: {half}, %{w}d: {scale}"),
                    nibbles(w, &half, &format!("tensor<{whole}xui8>"), 2)
                        + &Scale { of: "ui8", minus: "8.0", element: "f16", dims: "0, 1" }.text(w, &whole, &scale)
                        + &format!("%{w} = stablehlo.reshape %{w}p : (tensor<{whole}xf32>) -> {f}\n"),
                )
            }
            Kind::Runs => {
                let half = format!("tensor<{n}x{b}x4x1x32xui8>");
                let (pairs, whole) = (format!("tensor<{n}x{b}x4x2x32xui8>"), format!("{n}x{b}x8x32"));
                let (own, d) = (format!("tensor<{n}x{b}x8xui8>"), format!("tensor<{n}x{b}xf16>"));
                let (of_runs, wide) = (format!("tensor<{n}x{b}x8xf32>"), format!("tensor<{whole}xf32>"));
                let number = |to: &str, from: &str| {
                    format!(
                        "%{w}{to}0 = stablehlo.convert %{w}{from} : ({own}) -> {of_runs}
                         %{w}{to}1 = stablehlo.convert %{w}d : ({d}) -> tensor<{n}x{b}xf32>
                         %{w}{to}2 = stablehlo.broadcast_in_dim %{w}{to}1, dims = [0, 1] :
                             (tensor<{n}x{b}xf32>) -> {of_runs}
                         %{w}{to}3 = stablehlo.multiply %{w}{to}0, %{w}{to}2 : {of_runs}
                         %{w}{to}4 = stablehlo.broadcast_in_dim %{w}{to}3, dims = [0, 1, 2] : ({of_runs}) -> {wide}\n"
                    )
                };
                (
                    format!("%{w}q: {half}, %{w}d: {d}, %{w}s: {own}, %{w}m: {own}"),
                    nibbles(w, &half, &pairs, 3)
                        + &number("a", "s")
                        + &number("b", "m")
                        + &format!(
                            "%{w}r = stablehlo.reshape %{w}c : ({pairs}) -> tensor<{whole}xui8>
                             %{w}f = stablehlo.convert %{w}r : (tensor<{whole}xui8>) -> {wide}
                             %{w}g = stablehlo.multiply %{w}f, %{w}a4 : {wide}
                             %{w}p = stablehlo.subtract %{w}g, %{w}b4 : {wide}
                             %{w} = stablehlo.reshape %{w}p : ({wide}) -> {f}\n"
                        ),
                )
            }
            Kind::Bytes => {
                let (whole, scale) = (format!("{n}x{b}x32"), format!("tensor<{n}x{b}xf16>"));
                (
                    format!("%{w}c: tensor<{whole}xi8>, %{w}d: {scale}"),
                    Scale { of: "i8", minus: "0.0", element: "f16", dims: "0, 1" }.text(w, &whole, &scale)
                        + &format!("%{w} = stablehlo.reshape %{w}p : (tensor<{whole}xf32>) -> {f}\n"),
                )
            }
            Kind::Across => {
                let (whole, scale) = (format!("{n}x{b}x128"), format!("tensor<{b}x{n}xf16>"));
                (
                    format!("%{w}c: tensor<{whole}xi8>, %{w}d: {scale}"),
                    Scale { of: "i8", minus: "0.0", element: "f16", dims: "1, 0" }.text(w, &whole, &scale)
                        + &format!("%{w} = stablehlo.reshape %{w}p : (tensor<{whole}xf32>) -> {f}\n"),
                )
            }
            Kind::Sixteens => {
                let (whole, scale) = (format!("{n}x{b}x16x16"), format!("tensor<{n}x{b}x16xi8>"));
                (
                    format!("%{w}c: tensor<{whole}xui8>, %{w}d: {scale}"),
                    Scale { of: "ui8", minus: "32.0", element: "i8", dims: "0, 1, 2" }.text(w, &whole, &scale)
                        + &format!("%{w} = stablehlo.reshape %{w}p : (tensor<{whole}xf32>) -> {f}\n"),
                )
            }
            Kind::Repeated => {
                let (whole, scale) = (format!("{n}x{b}x2x2x2x2x16"), format!("tensor<{n}x{b}x2x2x2x2xi8>"));
                let (low, high) =
                    (format!("tensor<{n}x{b}x2x1x2x2x16xui8>"), format!("tensor<{n}x{b}x2x1x1x2x16xui8>"));
                let bytes = format!("tensor<{whole}xui8>");
                (
                    format!("%{w}q: {low}, %{w}h: {high}, %{w}d: {scale}"),
                    format!(
                        "%{w}i = stablehlo.iota dim = 3 : {bytes}
                         %{w}j = stablehlo.iota dim = 4 : {bytes}
                         %{w}2 = stablehlo.constant dense<2> : {bytes}
                         %{w}3 = stablehlo.constant dense<3> : {bytes}
                         %{w}4 = stablehlo.constant dense<4> : {bytes}
                         %{w}15 = stablehlo.constant dense<15> : {bytes}
                         %{w}a = stablehlo.multiply %{w}i, %{w}4 : {bytes}
                         %{w}b = stablehlo.multiply %{w}j, %{w}2 : {bytes}
                         %{w}t = stablehlo.add %{w}a, %{w}b : {bytes}
                         %{w}q1 = stablehlo.broadcast_in_dim %{w}q, dims = [0, 1, 2, 3, 4, 5, 6] : ({low}) -> {bytes}
                         %{w}q2 = stablehlo.shift_right_logical %{w}q1, %{w}a : {bytes}
                         %{w}q3 = stablehlo.and %{w}q2, %{w}15 : {bytes}
                         %{w}h1 = stablehlo.broadcast_in_dim %{w}h, dims = [0, 1, 2, 3, 4, 5, 6] : ({high}) -> {bytes}
                         %{w}h2 = stablehlo.shift_right_logical %{w}h1, %{w}t : {bytes}
                         %{w}h3 = stablehlo.and %{w}h2, %{w}3 : {bytes}
                         %{w}h4 = stablehlo.shift_left %{w}h3, %{w}4 : {bytes}
                         %{w}c = stablehlo.or %{w}q3, %{w}h4 : {bytes}\n"
                    ) + &Scale { of: "ui8", minus: "32.0", element: "i8", dims: "0, 1, 2, 3, 4, 5" }
                        .text(w, &whole, &scale)
                        + &format!("%{w} = stablehlo.reshape %{w}p : (tensor<{whole}xf32>) -> {f}\n"),
                )
            }
            Kind::Eights => {
                let (whole, scale) = (format!("{n}x{k}"), format!("tensor<{n}xf32>"));
                (
                    format!("%{w}c: tensor<{whole}xf8E4M3FN>, %{w}d: {scale}"),
                    Scale { of: "f8E4M3FN", minus: "0.0", element: "f32", dims: "0" }.text(w, &whole, &scale)
                        + &format!("%{w} = stablehlo.reshape %{w}p : (tensor<{whole}xf32>) -> {f}\n"),
                )
            }
            Kind::Groups => {
                let (whole, each) = (format!("{n}x{b}x32"), format!("tensor<{n}x{b}xui8>"));
                let (scale, wide) = (format!("tensor<{n}x{b}xf32>"), format!("tensor<{whole}xf32>"));
                (
                    format!("%{w}c: tensor<{whole}xui8>, %{w}z: {each}, %{w}d: {scale}"),
                    format!(
                        "%{w}f = stablehlo.convert %{w}c : (tensor<{whole}xui8>) -> {wide}
                         %{w}y = stablehlo.convert %{w}z : ({each}) -> {scale}
                         %{w}x = stablehlo.broadcast_in_dim %{w}y, dims = [0, 1] : ({scale}) -> {wide}
                         %{w}g = stablehlo.subtract %{w}f, %{w}x : {wide}
                         %{w}e = stablehlo.broadcast_in_dim %{w}d, dims = [0, 1] : ({scale}) -> {wide}
                         %{w}p = stablehlo.multiply %{w}g, %{w}e : {wide}
                         %{w} = stablehlo.reshape %{w}p : ({wide}) -> {f}\n"
                    ),
                )
            }
        }
    }
}

/// `%{w}c`, low halves of bytes `%{w}q` before high ones along a dimension.
fn nibbles(w: &str, half: &str, whole: &str, dim: usize) -> String {
    format!(
        "%{w}15 = stablehlo.constant dense<15> : {half}
         %{w}4 = stablehlo.constant dense<4> : {half}
         %{w}l = stablehlo.and %{w}q, %{w}15 : {half}
         %{w}h = stablehlo.shift_right_logical %{w}q, %{w}4 : {half}
         %{w}c = stablehlo.concatenate %{w}l, %{w}h, dim = {dim} : ({half}, {half}) -> {whole}\n"
    )
}

/// Numbers that a scale multiplies.
struct Scale {
    /// Their element type.
    of: &'static str,
    /// What is taken off them.
    minus: &'static str,
    /// The scale's element type.
    element: &'static str,
    /// The dimensions that the scale lies along.
    dims: &'static str,
}

impl Scale {
    /// `%{w}p = (%{w}c - minus) * %{w}d`.
    fn text(&self, w: &str, whole: &str, scale: &str) -> String {
        let Scale { of, minus, element, dims } = self;
        let (wide, narrow) = (format!("tensor<{whole}xf32>"), scale.replace(&format!("x{element}>"), "xf32>"));
        format!(
            "%{w}f = stablehlo.convert %{w}c : (tensor<{whole}x{of}>) -> {wide}
             %{w}n = stablehlo.constant dense<{minus}> : {wide}
             %{w}g = stablehlo.subtract %{w}f, %{w}n : {wide}
             %{w}s = stablehlo.convert %{w}d : ({scale}) -> {narrow}
             %{w}e = stablehlo.broadcast_in_dim %{w}s, dims = [{dims}] : ({narrow}) -> {wide}
             %{w}p = stablehlo.multiply %{w}g, %{w}e : {wide}\n"
        )
    }
}

/// `x · wᵀ` as f32 `%{to}`, both of 16-bit floats.
fn product(to: &str, w: &str, half: &str, [m, n, k]: [u64; 3]) -> String {
    format!(
        "%{w}16 = stablehlo.convert %{w} : (tensor<{n}x{k}xf32>) -> tensor<{n}x{k}x{half}>
         %{to} = stablehlo.dot_general %x, %{w}16, contracting_dims = [1] x [1] :
             (tensor<{m}x{k}x{half}>, tensor<{n}x{k}x{half}>) -> tensor<{m}x{n}xf32>\n"
    )
}

/// `x · wᵀ + residual`.
pub fn one(kind: Kind, half: &str, [m, n, k]: [u64; 3]) -> String {
    let (arguments, weights) = kind.text("w", n, k);
    let z = format!("tensor<{m}x{n}xf32>");
    main_function(
        &format!("%x: tensor<{m}x{k}x{half}>, {arguments}, %r: {z}) -> {z}"),
        &format!("{weights}{}%1 = stablehlo.add %y, %r : {z}\nreturn %1 : {z}", product("y", "w", half, [m, n, k])),
    )
}

/// `silu(x · gᵀ) · (x · uᵀ)` as 16-bit floats.
fn gated(kind: Kind, half: &str, [m, n, k]: [u64; 3]) -> String {
    let ((gate, gates), (up, ups)) = (kind.text("g", n, k), kind.text("u", n, k));
    let (z, out) = (format!("tensor<{m}x{n}xf32>"), format!("tensor<{m}x{n}x{half}>"));
    main_function(
        &format!("%x: tensor<{m}x{k}x{half}>, {gate}, {up}) -> {out}"),
        &format!(
            "{gates}{ups}{}{}%1 = stablehlo.logistic %a : {z}
             %2 = stablehlo.multiply %a, %1 : {z}
             %3 = stablehlo.multiply %2, %b : {z}
             %4 = stablehlo.convert %3 : ({z}) -> {out}
             return %4 : {out}",
            product("a", "g", half, [m, n, k]),
            product("b", "u", half, [m, n, k])
        ),
    )
}

/// Inputs whose bytes have all their bits.
fn with_whole_bytes(graph: &Graph) -> Vec<Tensor> {
    let mut state = 7u64;
    let mut byte = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 56) as i128
    };
    let mut whole = |tensor: Tensor| {
        let shape: Vec<usize> = tensor.ty.static_shape().unwrap().iter().map(|&n| n as usize).collect();
        let count: usize = shape.iter().product();
        match tensor.ty.element {
            ElementType::Ui8 => Tensor::from_scalars(&shape, ElementType::Ui8, (0..count).map(|_| Scalar::Int(byte()))),
            ElementType::I8 => {
                Tensor::from_scalars(&shape, ElementType::I8, (0..count).map(|_| Scalar::Int(byte() - 128)))
            }
            _ => tensor,
        }
    };
    inputs(graph).into_iter().map(&mut whole).collect()
}

/// Runs a model; the kernel of its products computes the weights, of both where it is a pair.
fn check(name: &str, text: &str, is_pair: bool) {
    let graph = import(text);
    let inputs = with_whole_bytes(&graph);
    let want = evaluate(&graph, "main", &inputs, &Limits::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
    let (fused, planned) = planned(&graph, DEVICE);
    let schedule = planned.kernels.iter().find_map(|kernel| kernel.schedule_as::<WgmmaSchedule>());
    let schedule = schedule.unwrap_or_else(|| panic!("{name}: no kernel by warpgroups"));
    assert!(schedule.expands() && schedule.second.is_some() == is_pair, "{name}: {:?}", schedule);
    let target = Target::from_spec(DEVICE).unwrap();
    let got = machine::run_on(&fused, &planned, Some(&target), "main", (&inputs, &[]));
    for (bytes, want) in got.into_iter().zip(&want) {
        let got = Tensor::new(want.ty.clone(), bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        close(&got, want, name);
    }
}

#[test]
fn weights_in_blocks_are_computed_on_their_way() {
    for (kind, half, [m, n, k]) in [
        (Kind::Nibbles, "bf16", [17, 130, 64]),
        (Kind::Nibbles, "f16", [120, 264, 192]),
        (Kind::Runs, "bf16", [33, 129, 256]),
        (Kind::Bytes, "bf16", [128, 128, 128]),
        (Kind::Sixteens, "f16", [65, 140, 256]),
        (Kind::Repeated, "bf16", [33, 136, 512]),
        (Kind::Eights, "bf16", [32, 200, 320]),
        (Kind::Groups, "bf16", [20, 136, 64]),
        // Parts of two and of four blocks, of half a span and of a span and a half.
        (Kind::Bytes, "bf16", [40, 128, 640]),
        (Kind::Runs, "bf16", [17, 128, 768]),
        (Kind::Groups, "bf16", [33, 128, 768]),
        (Kind::Across, "bf16", [33, 136, 512]),
        (Kind::Across, "f16", [65, 130, 384]),
    ] {
        check(&format!("{kind:?} {half} {m}x{n}x{k}"), &one(kind, half, [m, n, k]), false);
    }
}

#[test]
fn gate_and_up_in_blocks_share_a_kernel() {
    for (kind, half, [m, n, k]) in [
        (Kind::Nibbles, "bf16", [40, 200, 128]),
        (Kind::Runs, "f16", [33, 128, 256]),
        (Kind::Bytes, "bf16", [64, 256, 64]),
    ] {
        check(&format!("pair {kind:?} {half} {m}x{n}x{k}"), &gated(kind, half, [m, n, k]), true);
    }
}

/// Two products that are predicted to take longer in one kernel: each computes its own weights, none are stored.
#[test]
fn products_apart_compute_their_weights() {
    let planned = planned(&import(&gated(Kind::Nibbles, "bf16", [32, 14336, 4096])), DEVICE).1;
    let schedules: Vec<_> = planned.kernels.iter().map(|kernel| kernel.schedule_as::<WgmmaSchedule>()).collect();
    let expand = |schedule: &Option<&WgmmaSchedule>| schedule.is_some_and(|s| s.expands() && s.second.is_none());
    assert!(schedules.len() == 2 && schedules.iter().all(expand), "{schedules:?}");
}

/// Every tile that weights in blocks may have: teams of 32 to 128 threads, several tiles a workgroup, clusters, parts
/// of one to eight blocks.
#[test]
fn every_way_of_weights_in_blocks() {
    // Of so few multiprocessors that a workgroup has several tiles.
    let mut target = Target::from_spec(DEVICE).unwrap();
    target.compute_units = 2;
    for (kind, is_pair, shape) in [
        (Kind::Eights, true, [16, 224, 512]),
        (Kind::Runs, true, [128, 128, 512]),
        // Blocks that are fetched one by one, of tiles of 112 and 96 outputs: some threads have no row at last.
        (Kind::Eights, true, [16, 224, 192]),
        (Kind::Nibbles, true, [16, 224, 192]),
        (Kind::Nibbles, false, [70, 200, 1024]),
        (Kind::Eights, false, [24, 128, 192]),
        (Kind::Sixteens, false, [65, 140, 256]),
        (Kind::Across, false, [24, 128, 512]),
        // More rows than a tile has.
        (Kind::Nibbles, false, [136, 144, 64]),
    ] {
        let text = if is_pair { gated(kind, "bf16", shape) } else { one(kind, "bf16", shape) };
        let graph = import(&text);
        let inputs = with_whole_bytes(&graph);
        let want = evaluate(&graph, "main", &inputs, &Limits::default()).unwrap();
        let fused = fuse(&graph).unwrap();
        let (planned, functions) = candidates(&fused, &target, &Default::default()).unwrap();
        let mut ways = 0;
        for function in functions.iter().filter(|function| function.candidate.way.contains("expanded")) {
            let name = format!("{kind:?} {shape:?}: {}", function.candidate.way);
            eprintln!("{name}");
            let function = &function.candidate.function;
            let got = machine::run_on(&fused, &planned, Some(&target), function, (&inputs, &[])).remove(0);
            close(&Tensor::new(want[0].ty.clone(), got).unwrap(), &want[0], &name);
            ways += 1;
        }
        assert!(ways > 1, "{kind:?} {shape:?}: {ways} ways");
    }
}

/// Few tiles with many steps: a cluster shares each.
#[test]
fn a_cluster_shares_tiles_of_weights_in_blocks() {
    let text = one(Kind::Nibbles, "bf16", [32, 128, 4096]);
    let planned = planned(&import(&text), DEVICE).1;
    let schedule = planned.kernels.iter().find_map(|kernel| kernel.schedule_as::<WgmmaSchedule>());
    assert!(schedule.is_some_and(|schedule| schedule.expands() && schedule.split > 1), "{schedule:?}");
    check("shared", &text, false);
}

/// Where a target has no such kernel, or rows are many, weights are stored first; what a GEMV reads stays as it is.
#[test]
fn others_store_weights_first() {
    let names = |target: &str, shape: [u64; 3]| {
        let planned = planned(&import(&one(Kind::Nibbles, "bf16", shape)), target).1;
        let expands = |schedule: &WgmmaSchedule| schedule.expands();
        let some = planned.kernels.iter().any(|k| k.schedule_as::<WgmmaSchedule>().is_some_and(expands));
        (planned.kernels.len(), some)
    };
    assert_eq!(names("cuda:sm_90a", [128, 256, 256]), (1, true));
    assert_eq!(names("cuda:sm_80", [128, 256, 256]), (2, false));
    assert_eq!(names("rocm:gfx942", [128, 256, 256]), (2, false));
    assert_eq!(names("cuda:sm_90a", [512, 4096, 4096]), (1, true));
    assert_eq!(names("cuda:sm_90a", [513, 4096, 4096]), (2, false));
    // What takes a byte an element is made once, where it is known at load.
    let planned = planned(&import(&one(Kind::Bytes, "bf16", [129, 4096, 4096])), "cuda:sm_90a").1;
    assert_eq!(planned.kernels.len(), 2);
    assert!(!names("cuda:sm_90a", [1, 256, 256]).1);
    // Steps that are no whole blocks of the ring.
    assert!(!names("cuda:sm_90a", [128, 256, 32]).1);
}

/// A token's product with weights that are parameters: the scales of blocks are read of a copy, made when the module is
/// loaded, in which those of a thread's rows lie side by side.
#[test]
fn a_token_reads_the_scales_of_rows_side_by_side() {
    let target = Target::from_spec(DEVICE).unwrap();
    for (half, [n, k]) in [("bf16", [64, 1024]), ("f16", [128, 512]), ("bf16", [40, 512])] {
        let (arguments, weights) = Kind::Nibbles.text("w", n, k);
        let (x, y) = (format!("tensor<1x{k}x{half}>"), format!("tensor<1x{n}xf32>"));
        let wide = format!("tensor<1x{k}xf32>");
        let graph = import(&main_function(
            &format!("%x: {x}, {arguments}) -> {y}"),
            &format!(
                "{weights}%xf = stablehlo.convert %x : ({x}) -> {wide}
                 %y = stablehlo.dot_general %xf, %w, contracting_dims = [1] x [1] :
                     ({wide}, tensor<{n}x{k}xf32>) -> {y}
                 return %y : {y}"
            ),
        ));
        let inputs = with_whole_bytes(&graph);
        let want = evaluate(&graph, "main", &inputs, &Limits::default()).unwrap();
        let named = (1..inputs.len()).map(|at| (at, format!("w{at}"))).collect();
        let options = Options { parameters: [("main".to_string(), named)].into(), ..Options::default() };
        let fused = fuse(&graph).unwrap();
        let planned = plan(&fused, &target, &options).unwrap();
        assert!(planned.program.load.is_some(), "{n}x{k}: nothing is made at load");
        let reads = |plan: &KernelPlan| plan.schedule_as::<GemvSchedule>().is_some() && plan.print().contains(") / ");
        assert!(planned.kernels.iter().any(reads), "{n}x{k}: no rows side by side");
        let got = machine::run_on(&fused, &planned, Some(&target), "main", (&inputs[..1], &inputs[1..]));
        let got = Tensor::new(want[0].ty.clone(), got[0].clone()).unwrap();
        close(&got, &want[0], &format!("{half} {n}x{k}"));
    }
}
