//! Models of kernels that do not depend on one another: their bundles in the interpreter and, as text, in the emulator.

use fornax_passes::Planned;
use fornax_plan::Bundle;

use super::emulated_models::emulate;
use super::machine::compare::check_on;
use super::main_function;

/// One device of each kind that has bundles.
const DEVICES: &[&str] = &["cuda:sm_60", "cuda:sm_80", "cuda:sm_90a"];

/// (name, signature, body, launches of each bundle)
const MODELS: &[(&str, &str, &str, &[usize])] = &[
    (
        "elementwise of three shapes and types",
        "%a: tensor<513xf32>, %b: tensor<7x33xbf16>, %c: tensor<1xf64>) -> (tensor<513xf32>, tensor<7x33xbf16>, \
         tensor<1xf64>)",
        "%0 = stablehlo.sine %a : tensor<513xf32>
         %1 = stablehlo.multiply %b, %b : tensor<7x33xbf16>
         %2 = stablehlo.negate %c : tensor<1xf64>
         return %0, %1, %2 : tensor<513xf32>, tensor<7x33xbf16>, tensor<1xf64>",
        &[3],
    ),
    (
        "one kernel on three lists of buffers",
        "%a: tensor<1001xf16>, %b: tensor<1001xf16>, %c: tensor<1001xf16>) -> (tensor<1001xf16>, tensor<1001xf16>, \
         tensor<1001xf16>)",
        "%0 = stablehlo.add %a, %b : tensor<1001xf16>
         %1 = stablehlo.add %c, %b : tensor<1001xf16>
         %2 = stablehlo.add %c, %c : tensor<1001xf16>
         return %0, %1, %2 : tensor<1001xf16>, tensor<1001xf16>, tensor<1001xf16>",
        &[3],
    ),
    (
        "rows with shared memory of two lengths",
        "%a: tensor<5x2047xf32>, %b: tensor<3x1031xf32>) -> (tensor<5xf32>, tensor<3xf32>)",
        "%z = stablehlo.constant dense<0.0> : tensor<f32>
         %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<5x2047xf32>, \
         tensor<f32>) -> tensor<5xf32>
         %1 = stablehlo.reduce(%b init: %z) applies stablehlo.maximum across dimensions = [1] : \
         (tensor<3x1031xf32>, tensor<f32>) -> tensor<3xf32>
         return %0, %1 : tensor<5xf32>, tensor<3xf32>",
        &[2],
    ),
    (
        "q, k, v of one token, k and v of one shape",
        "%x: tensor<1x256xbf16>, %q: tensor<256x264xbf16>, %k: tensor<256x72xbf16>, %v: tensor<256x72xbf16>) -> \
         (tensor<1x264xbf16>, tensor<1x72xbf16>, tensor<1x72xbf16>)",
        "%0 = stablehlo.dot %x, %q : (tensor<1x256xbf16>, tensor<256x264xbf16>) -> tensor<1x264xbf16>
         %1 = stablehlo.dot %x, %k : (tensor<1x256xbf16>, tensor<256x72xbf16>) -> tensor<1x72xbf16>
         %2 = stablehlo.dot %x, %v : (tensor<1x256xbf16>, tensor<256x72xbf16>) -> tensor<1x72xbf16>
         return %0, %1, %2 : tensor<1x264xbf16>, tensor<1x72xbf16>, tensor<1x72xbf16>",
        &[2],
    ),
    (
        "two chains: each level is one launch, intermediates live at once",
        "%a: tensor<40x40xf32>, %b: tensor<40x40xf32>) -> (tensor<40x40xf32>, tensor<40x40xf32>)",
        "%0 = stablehlo.dot %a, %a : (tensor<40x40xf32>, tensor<40x40xf32>) -> tensor<40x40xf32>
         %1 = stablehlo.dot %0, %a : (tensor<40x40xf32>, tensor<40x40xf32>) -> tensor<40x40xf32>
         %2 = stablehlo.dot %b, %b : (tensor<40x40xf32>, tensor<40x40xf32>) -> tensor<40x40xf32>
         %3 = stablehlo.dot %2, %b : (tensor<40x40xf32>, tensor<40x40xf32>) -> tensor<40x40xf32>
         return %1, %3 : tensor<40x40xf32>, tensor<40x40xf32>",
        &[2, 2],
    ),
    (
        "a loop of unknown length: both kernels of a round look at its flag",
        "%a: tensor<f32>, %b: tensor<33xf32>, %c: tensor<9xf32>) -> (tensor<33xf32>, tensor<9xf32>)",
        "%m = stablehlo.constant dense<9.0> : tensor<f32>
         %0:3 = stablehlo.while(%x = %a, %y = %b, %w = %c) : tensor<f32>, tensor<33xf32>, tensor<9xf32>
         cond {
           %1 = stablehlo.compare LT, %x, %m : (tensor<f32>, tensor<f32>) -> tensor<i1>
           stablehlo.return %1 : tensor<i1>
         } do {
           %o = stablehlo.constant dense<4.5> : tensor<f32>
           %1 = stablehlo.add %x, %o : tensor<f32>
           %2 = stablehlo.sine %y : tensor<33xf32>
           %3 = stablehlo.cosine %w : tensor<9xf32>
           stablehlo.return %1, %2, %3 : tensor<f32>, tensor<33xf32>, tensor<9xf32>
         }
         return %0#1, %0#2 : tensor<33xf32>, tensor<9xf32>",
        &[3],
    ),
];

fn bundles(planned: &Planned) -> Vec<&Bundle> {
    planned.kernels.iter().filter_map(|plan| plan.body.bundle()).collect()
}

#[test]
fn bundles_give_what_their_kernels_give() {
    for &(name, signature, body, wanted) in MODELS {
        let text = main_function(signature, body);
        for device in DEVICES.iter().chain(&["rocm:gfx90a", "rocm:gfx942"]) {
            let planned = check_on(name, &text, device);
            let found: Vec<usize> = bundles(&planned).iter().map(|bundle| bundle.launches()).collect();
            assert!(found.iter().sum::<usize>() >= wanted.iter().sum::<usize>(), "{name} on {device}: {found:?}");
        }
        emulate(name, &text, DEVICES);
    }
}

/// On processors a launch costs little.
#[test]
fn processors_have_none() {
    for &(name, signature, body, _) in MODELS {
        assert!(bundles(&check_on(name, &main_function(signature, body), "cpu:x86-64-v3")).is_empty(), "{name}");
    }
}

/// Queries, keys and values of several rows, of which none fills the device: by warpgroups, each part with tensor maps
/// of its own.
#[test]
fn products_by_warpgroups_are_one_launch() {
    let device = "cuda:sm_90a";
    for (rows, element) in [(32, "bf16"), (70, "f16"), (64, "f8E4M3FN")] {
        let x = format!("tensor<{rows}x512x{element}>");
        let [q, k] = [512, 128].map(|n| format!("tensor<{n}x512x{element}>"));
        let [wide, narrow] = [512, 128].map(|n| format!("tensor<{rows}x{n}xf32>"));
        let product = |name: &str, weight: &str, of: &str, result: &str| {
            format!(
                "%{name} = stablehlo.dot_general %x, %{weight}, contracting_dims = [1] x [1] : ({x}, {of}) -> \
                 {result}\n"
            )
        };
        let products =
            [product("0", "q", &q, &wide), product("1", "k", &k, &narrow), product("2", "v", &k, &narrow)].concat();
        let body =
            format!("{products} %3 = stablehlo.negate %2 : {narrow}\n return %0, %1, %3 : {wide}, {narrow}, {narrow}");
        let signature = format!("%x: {x}, %q: {q}, %k: {k}, %v: {k}) -> ({wide}, {narrow}, {narrow})");
        let text = main_function(&signature, &body);
        let planned = check_on(element, &text, device);
        let maps = planned.kernels.iter().filter(|plan| plan.body.bundle().is_some_and(|b| b.launches() == 3));
        let maps: Vec<usize> = maps.map(|plan| plan.tensor_maps.len()).collect();
        assert!(maps.iter().any(|&maps| maps >= 6), "{element}: {maps:?}");
        emulate(element, &text, &[device]);
    }
}

/// A step of an optimiser on tensors that are given away: results lie in their places, as without bundles.
#[test]
fn results_lie_in_what_is_given_away() {
    let arguments = |n: usize| {
        let ty = if n == 2 { "tensor<77xf32>" } else { "tensor<65x33xf32>" };
        let given = format!("{{tf.aliasing_output = {n} : i32}}");
        (format!("%p{n}: {ty} {given}, %g{n}: {ty}"), format!("%r{n} = stablehlo.subtract %p{n}, %g{n} : {ty}"), ty)
    };
    let all: Vec<_> = (0..4).map(arguments).collect();
    let list = |of: &dyn Fn(usize) -> String| (0..4).map(of).collect::<Vec<_>>();
    let types = list(&|n| all[n].2.to_string()).join(", ");
    let body = list(&|n| all[n].1.clone()).join("\n");
    let results = list(&|n| format!("%r{n}")).join(", ");
    let signature = format!("{}) -> ({types})", list(&|n| all[n].0.clone()).join(", "));
    let text = main_function(&signature, &format!("{body}\nreturn {results} : {types}"));
    let planned = check_on("given", &text, "cuda:sm_90a");
    assert_eq!(planned.aliases.get("main").map(Vec::len), Some(4));
    assert_eq!(bundles(&planned).iter().map(|bundle| bundle.launches()).collect::<Vec<_>>(), [4]);
    emulate("given", &text, DEVICES);
}

/// What reads an argument besides the kernel that writes a result in its place stays apart from that kernel.
#[test]
fn another_reader_of_a_given_argument_stays_apart() {
    let text = main_function(
        "%p: tensor<64x33xf32> {tf.aliasing_output = 1 : i32}, %g: tensor<64x33xf32>, %h: tensor<64x33xf32>) -> \
         (tensor<33xf32>, tensor<64x33xf32>, tensor<64x33xf32>)",
        "%z = stablehlo.constant dense<0.0> : tensor<f32>
         %0 = stablehlo.reduce(%p init: %z) applies stablehlo.add across dimensions = [0] : (tensor<64x33xf32>, \
         tensor<f32>) -> tensor<33xf32>
         %1 = stablehlo.subtract %p, %g : tensor<64x33xf32>
         %2 = stablehlo.sine %h : tensor<64x33xf32>
         return %0, %1, %2 : tensor<33xf32>, tensor<64x33xf32>, tensor<64x33xf32>",
    );
    let planned = check_on("two readers", &text, "cuda:sm_90a");
    assert_eq!(planned.aliases.get("main").cloned().unwrap_or_default(), [(0, 1)]);
    assert_eq!(bundles(&planned).len(), 1);
    emulate("two readers", &text, DEVICES);
}

/// A cache that is read whole and then written by another kernel stays given away: the two are no bundle.
#[test]
fn a_reader_of_a_given_argument_comes_first() {
    let text = main_function(
        "%p: tensor<64x33xf32> {tf.aliasing_output = 0 : i32}, %g: tensor<64x33xf32>) -> (tensor<64x33xf32>, \
         tensor<33x64xf32>)",
        "%0 = stablehlo.transpose %p, dims = [1, 0] : (tensor<64x33xf32>) -> tensor<33x64xf32>
         %1 = stablehlo.sine %0 : tensor<33x64xf32>
         %2 = stablehlo.negate %g : tensor<64x33xf32>
         return %2, %1 : tensor<64x33xf32>, tensor<33x64xf32>",
    );
    check_on("read first", &text, "cuda:sm_90a");
    emulate("read first", &text, DEVICES);
}

/// A product reads its weights before it waits, and so each part of its bundle waits by itself: also the second of two
/// that read nothing so early.
#[test]
fn every_part_waits_for_the_kernels_before() {
    let text = main_function(
        "%x: tensor<1x256xbf16>, %w: tensor<256x2048xbf16>, %a: tensor<513xf32>, %b: tensor<7x33xf32>) -> \
         (tensor<1x2048xbf16>, tensor<513xf32>, tensor<33x7xf32>)",
        "%0 = stablehlo.dot %x, %w : (tensor<1x256xbf16>, tensor<256x2048xbf16>) -> tensor<1x2048xbf16>
         %1 = stablehlo.sine %a : tensor<513xf32>
         %2 = stablehlo.transpose %b, dims = [1, 0] : (tensor<7x33xf32>) -> tensor<33x7xf32>
         return %0, %1, %2 : tensor<1x2048xbf16>, tensor<513xf32>, tensor<33x7xf32>",
    );
    let planned = check_on("waits", &text, "cuda:sm_90a");
    let target = fornax_targets::Target::from_spec("cuda:sm_90a").expect("a target");
    let waits: Vec<(usize, usize)> = planned
        .kernels
        .iter()
        .filter(|plan| !plan.early.is_empty())
        .filter_map(|plan| Some((plan, plan.body.bundle()?)))
        .map(|(plan, bundle)| {
            let text = fornax_kernels::emit(plan, "k", &target).expect("a kernel").mlir;
            (bundle.parts.len(), text.matches("griddepcontrol.wait").count())
        })
        .collect();
    assert!(waits.iter().any(|(parts, _)| *parts >= 3), "three parts in a bundle with weights: {waits:?}");
    assert!(waits.iter().all(|(parts, waits)| parts == waits), "parts and waits: {waits:?}");
}
