//! Attention kernels in the emulator against the plan interpreter: both emitters, odd sizes, masks, bounds, moved
//! heads.

use std::path::Path;

use fornax_emulate::{Buffer, Kernel, Launch, Swizzle, TensorMap};
use fornax_graph::ElementType;
use fornax_kernels::emit;
use fornax_passes::{Options, fuse, plan, simplify};
use fornax_plan::{Access, KernelPlan};
use fornax_targets::Target;

/// The attention kernel of a model for a device.
fn kernel(text: &str, device: &str) -> (KernelPlan, Target) {
    let mut graph = fornax_import::import_text(text, "model.mlir", &Default::default())
        .unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]));
    simplify::simplify(&mut graph, &simplify::Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let fused = fuse(&graph).unwrap_or_else(|e| panic!("{e}"));
    let target = Target::from_spec(device).unwrap();
    let planned = plan(&fused, &target, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let kernel = planned.kernels.iter().find(|k| k.body.hero() == "attention");
    (kernel.unwrap_or_else(|| panic!("no attention for {device} in\n{text}")).clone(), target)
}

/// About normal values; every fourth truth value false, lengths up to 7.
fn random(element: ElementType, n: usize, state: &mut u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..n {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let word = *state >> 33;
        let x = word as f32 / (1u64 << 30) as f32 - 1.0;
        match element {
            ElementType::F32 => bytes.extend((2.0 * x).to_le_bytes()),
            ElementType::Bf16 => bytes.extend(half::bf16::from_f32(2.0 * x).to_le_bytes()),
            ElementType::F16 => bytes.extend(half::f16::from_f32(2.0 * x).to_le_bytes()),
            ElementType::I1 => bytes.push(u8::from(!word.is_multiple_of(4))),
            other => bytes.extend(&(word % 8).to_le_bytes()[..other.storage_bytes()]),
        }
    }
    bytes
}

fn map(m: &fornax_plan::TensorMap) -> TensorMap {
    let swizzle = match m.swizzle {
        fornax_plan::Swizzle::None => Swizzle::None,
        fornax_plan::Swizzle::B32 => Swizzle::B32,
        fornax_plan::Swizzle::B64 => Swizzle::B64,
        fornax_plan::Swizzle::B128 => Swizzle::B128,
    };
    TensorMap {
        buffer: m.buffer as usize,
        offset_bytes: m.offset_bytes as u64,
        element_bytes: m.element.storage_bytes() as u32,
        tf32: m.tf32,
        dims: m.dims.iter().map(|&n| n as u64).collect(),
        strides: m.strides.iter().map(|&n| n as u64).collect(),
        box_dims: m.box_dims.clone(),
        element_strides: m.element_strides.clone(),
        swizzle,
        add_as: None,
        im2col: None,
    }
}

fn value(element: ElementType, bytes: &[u8]) -> f64 {
    match (element, bytes) {
        (ElementType::Bf16, &[a, b]) => f64::from(half::bf16::from_bits(u16::from_le_bytes([a, b]))),
        (ElementType::F16, &[a, b]) => f64::from(half::f16::from_bits(u16::from_le_bytes([a, b]))),
        (_, &[a, b, c, d]) => f64::from(f32::from_le_bytes([a, b, c, d])),
        _ => panic!("{element:?} of {} bytes", bytes.len()),
    }
}

/// Emits, emulates, compares.
fn check(name: &str, text: &str, device: &str) -> KernelPlan {
    let (plan, target) = kernel(text, device);
    check_plan(name, &plan, &target, device);
    plan
}

fn check_plan(name: &str, plan: &KernelPlan, target: &Target, device: &str) {
    check_spoiled(name, plan, target, device, None);
}

/// The same with an f32 of one input replaced: (buffer, element, value).
fn check_spoiled(name: &str, plan: &KernelPlan, target: &Target, device: &str, spoiled: Option<(usize, usize, f32)>) {
    let mut inputs = inputs(plan);
    if let Some((buffer, element, value)) = spoiled {
        inputs[buffer][4 * element..4 * element + 4].copy_from_slice(&value.to_le_bytes());
    }
    let wanted = interpreted(name, plan, &inputs);
    check_run(&Asked { name, plan, target, device }, &inputs, &wanted);
}

/// Every schedule of one plan. What is computed is the same, so it is interpreted once.
fn check_ways(name: &str, ways: &[KernelPlan], target: &Target, device: &str) {
    let (inputs, bare) = (inputs(&ways[0]), ways[0].unscheduled());
    let wanted = interpreted(name, &bare, &inputs);
    for plan in ways {
        assert_eq!(plan.unscheduled().canonical(), bare.canonical(), "{name}: {}", plan.way());
        let name = format!("{name} {}", plan.way());
        check_run(&Asked { name: &name, plan, target, device }, &inputs, &wanted);
    }
}

fn inputs(plan: &KernelPlan) -> Vec<Vec<u8>> {
    let mut state = 7;
    let bytes = |b: &fornax_plan::Buffer| match b.access {
        Access::Read | Access::Guard | Access::Overwritten => random(b.element, b.elements as usize, &mut state),
        Access::Write | Access::Update | Access::Announced => {
            vec![0; b.elements as usize * b.element.storage_bytes()]
        }
    };
    plan.buffers.iter().map(bytes).collect()
}

/// Every buffer as the interpreter leaves it.
fn interpreted(name: &str, plan: &KernelPlan, inputs: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut wanted = inputs.to_vec();
    fornax_plan::interpret::run(plan, &mut wanted).unwrap_or_else(|e| panic!("{name}: {e}"));
    wanted
}

/// A plan that is checked, and for what.
struct Asked<'a> {
    name: &'a str,
    plan: &'a KernelPlan,
    target: &'a Target,
    device: &'a str,
}

/// Emits, emulates, compares with what is wanted.
fn check_run(asked: &Asked<'_>, inputs: &[Vec<u8>], wanted: &[Vec<u8>]) {
    let Asked { name, plan, target, device } = *asked;
    let mlir = emit(plan, "attention", target).unwrap_or_else(|e| panic!("{name}: {e}")).mlir;
    let emulated = Kernel::parse(&mlir).unwrap_or_else(|e| panic!("{name} on {device}: {e}\n{mlir}"));
    let (grid, threads) = plan.launch();
    let wide = matches!(&plan.body, fornax_plan::Body::Attention(a) if a.weight == ElementType::F32);
    let mut buffers: Vec<Buffer> = plan
        .buffers
        .iter()
        .zip(inputs)
        .map(|(b, bytes)| match b.access {
            Access::Read | Access::Guard | Access::Overwritten => Buffer::input(bytes.clone()),
            Access::Write | Access::Update | Access::Announced => Buffer::output(bytes.len()),
        })
        .collect();
    let launch = Launch {
        grid,
        threads,
        dynamic_shared_bytes: plan.dynamic_shared_bytes(),
        cluster: plan.cluster(),
        tensor_maps: plan.tensor_maps.iter().map(map).collect(),
        seed: 3,
        ..Launch::default()
    };
    let report = emulated.run(&launch, &mut buffers).unwrap_or_else(|e| panic!("{name} on {device}: {e}\n{mlir}"));
    for site in report.conflicting() {
        assert!(site.turns <= 2 * site.least, "{name} on {device}: {site:?}");
    }
    for (at, b) in plan.buffers.iter().enumerate().filter(|(_, b)| b.access == Access::Write) {
        let size = b.element.storage_bytes();
        let unit = match b.element {
            ElementType::F16 => 2e-3,
            ElementType::Bf16 => 1.2e-2,
            _ if wide => 8e-6,
            // Sums of a part, weights rounded against the maximum so far.
            _ => 4e-2,
        };
        for (index, (g, w)) in buffers[at].bytes.chunks(size).zip(wanted[at].chunks(size)).enumerate() {
            let (x, y) = (value(b.element, g), value(b.element, w));
            let near = x == y || (x - y).abs() <= unit * y.abs().max(0.5) || x.is_nan() && y.is_nan();
            assert!(near, "{name} on {device}: [{index}] is {x}, interpreted {y}\n{}", plan.print());
        }
    }
}

/// Sizes of an attention.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    heads: i64,
    /// Rows of the scores: queries.
    rows: i64,
    /// Columns of the scores: keys.
    columns: i64,
    /// Elements of a query and of a key.
    depth: i64,
    /// Elements of a value.
    features: i64,
}

impl Sizes {
    fn of(heads: i64, rows: i64, columns: i64, depth: i64, features: i64) -> Sizes {
        Sizes { heads, rows, columns, depth, features }
    }
}

/// `softmax(scale·q·k + masks)·v`; `score` makes `%x` of `%s` (f32).
fn attention(sizes: Sizes, element: &str, arguments: &str, score: &str) -> String {
    let Sizes { heads: h, rows: t, columns: s, depth: d, features: e } = sizes;
    let (f, rows) = (format!("tensor<{h}x{t}x{s}xf32>"), format!("tensor<{h}x{t}xf32>"));
    let (q, k, v) = (
        format!("tensor<{h}x{t}x{d}x{element}>"),
        format!("tensor<{h}x{s}x{d}x{element}>"),
        format!("tensor<{h}x{s}x{e}x{element}>"),
    );
    let (p, o) = (format!("tensor<{h}x{t}x{s}x{element}>"), format!("tensor<{h}x{t}x{e}x{element}>"));
    let convert = match element {
        "f32" => String::new(),
        _ => format!("%p = stablehlo.convert %w : ({f}) -> {p}"),
    };
    let weights = if element == "f32" { "%w" } else { "%p" };
    let score = score.replace("$f", &f).replace("$b", &f.replace("f32", "i1")).replace("$i", &f.replace("f32", "i32"));
    let arguments = arguments.replace("$f", &f).replace("$b", &f.replace("f32", "i1"));
    format!(
        "func.func @main(%q: {q}, %k: {k}, %v: {v}{arguments}) -> {o} {{
           %ninf = stablehlo.constant dense<0xFF800000> : tensor<f32>
           %zero = stablehlo.constant dense<0.0> : tensor<f32>
           %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] \
               : ({q}, {k}) -> {f}
           {score}
           %m = stablehlo.reduce(%x init: %ninf) applies stablehlo.maximum across dimensions = [2] \
               : ({f}, tensor<f32>) -> {rows}
           %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1] : ({rows}) -> {f}
           %d = stablehlo.subtract %x, %mb : {f}
           %e = stablehlo.exponential %d : {f}
           %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] \
               : ({f}, tensor<f32>) -> {rows}
           %tb = stablehlo.broadcast_in_dim %t, dims = [0, 1] : ({rows}) -> {f}
           %w = stablehlo.divide %e, %tb : {f}
           {convert}
           %o = stablehlo.dot_general {weights}, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] \
               : ({p}, {v}) -> {o}
           return %o : {o}
         }}"
    )
}

const PLAIN: &str = "%c = stablehlo.constant dense<0.25> : $f
  %x = stablehlo.multiply %s, %c : $f";

/// Columns up to the row's number less `back`.
fn causal(back: i64, masked: &str) -> String {
    format!(
        "%i = stablehlo.iota dim = 1 : $i
         %j = stablehlo.iota dim = 2 : $i
         %back = stablehlo.constant dense<{back}> : $i
         %r = stablehlo.subtract %i, %back : $i
         %c = stablehlo.compare GE, %r, %j : ($i, $i) -> $b
         %low = stablehlo.constant dense<{masked}> : $f
         %x = stablehlo.select %c, %s, %low : $b, $f"
    )
}

/// Columns up to the row's number and `times` the argument `%position`, which is 0 to 7; the sum may overflow.
fn at_position(times: i64, masked: &str) -> String {
    format!(
        "%i = stablehlo.iota dim = 1 : $i
         %j = stablehlo.iota dim = 2 : $i
         %times = stablehlo.constant dense<{times}> : tensor<i32>
         %first = stablehlo.multiply %position, %times : tensor<i32>
         %all = stablehlo.broadcast_in_dim %first, dims = [] : (tensor<i32>) -> $i
         %r = stablehlo.add %i, %all : $i
         %c = stablehlo.compare LE, %j, %r : ($i, $i) -> $b
         %low = stablehlo.constant dense<{masked}> : $f
         %x = stablehlo.select %c, %s, %low : $b, $f"
    )
}

/// The argument of [`at_position`].
const POSITION: &str = ", %position: tensor<i32>";

const DEVICES: &[&str] = &["cuda:sm_80", "cuda:sm_90a"];

#[test]
fn odd_sizes() {
    let sizes = [
        Sizes::of(1, 70, 130, 64, 64),
        Sizes::of(1, 129, 65, 72, 40),
        Sizes::of(1, 64, 33, 128, 128),
        Sizes::of(2, 50, 50, 16, 24),
    ];
    for (at, size) in sizes.into_iter().enumerate() {
        let element = if at.is_multiple_of(2) { "bf16" } else { "f16" };
        for device in DEVICES {
            check(&format!("{size:?}"), &attention(size, element, "", PLAIN), device);
        }
    }
}

#[test]
fn vectors_that_are_no_whole_chunks() {
    check("9 and 5", &attention(Sizes::of(2, 17, 19, 9, 5), "bf16", "", PLAIN), "cuda:sm_80");
    check("one row", &attention(Sizes::of(3, 1, 100, 32, 32), "bf16", "", PLAIN), "cuda:sm_80");
}

#[test]
fn long_vectors() {
    for (at, size) in [Sizes::of(1, 65, 70, 256, 256), Sizes::of(1, 130, 129, 192, 128), Sizes::of(1, 70, 40, 80, 200)]
        .into_iter()
        .enumerate()
    {
        let element = if at.is_multiple_of(2) { "bf16" } else { "f16" };
        for device in DEVICES {
            let plan = check(&format!("{size:?}"), &attention(size, element, "", PLAIN), device);
            let bulk = plan.print().contains("  bulk");
            assert_eq!(bulk, *device == "cuda:sm_90a", "{}", plan.print());
        }
    }
    check("causal", &attention(Sizes::of(1, 90, 90, 136, 136), "bf16", "", &causal(0, "-2.0e+38")), "cuda:sm_80");
}

#[test]
fn products_of_f32_are_split() {
    let device = "cuda:sm_80";
    for size in [
        Sizes::of(2, 70, 130, 64, 64),
        Sizes::of(1, 33, 65, 40, 24),
        Sizes::of(1, 17, 19, 9, 5),
        Sizes::of(1, 20, 40, 256, 128),
    ] {
        check(&format!("{size:?}"), &attention(size, "f32", "", PLAIN), device);
    }
    check("causal", &attention(Sizes::of(1, 80, 80, 32, 32), "f32", "", &causal(0, "-2.0e+38")), device);
    check("parts", &attention(Sizes::of(2, 1, 600, 64, 64), "f32", "", PLAIN), device);
    check("for sm_90a", &attention(Sizes::of(1, 64, 64, 64, 64), "f32", "", PLAIN), "cuda:sm_90a");
}

/// What a split gets wrong is computed again.
#[test]
fn inf_nan_and_extreme_values_are_as_in_f32() {
    let (plan, target) = kernel(&attention(Sizes::of(1, 20, 70, 24, 16), "f32", "", PLAIN), "cuda:sm_80");
    for value in [f32::INFINITY, f32::NAN, 3.0e38, -3.0e38, 1e-40] {
        for buffer in 0..3 {
            let name = format!("{value} in {buffer}");
            check_spoiled(&name, &plan, &target, "cuda:sm_80", Some((buffer, 37, value)));
        }
    }
}

/// The same that also returns of each row its largest score, or the logarithm of its sum, as rounds of a ring do.
fn with_rows(sizes: Sizes, element: &str, score: &str, more: &str) -> String {
    let Sizes { heads: h, rows: t, features: e, .. } = sizes;
    let (o, rows) = (format!("tensor<{h}x{t}x{e}x{element}>"), format!("tensor<{h}x{t}xf32>"));
    let text = attention(sizes, element, "", score);
    let text = text.replace(&format!("-> {o} {{"), &format!("-> ({o}, {rows}) {{"));
    let end = format!(
        "%l = stablehlo.log %t : {rows}
         %n = stablehlo.add %m, %l : {rows}
         return %o, {more} : {o}, {rows}"
    );
    text.replace(&format!("return %o : {o}"), &end)
}

/// By every emitter: tiles, warpgroups, streams; of rows that see nothing too.
#[test]
fn largest_scores_and_sums_are_stored_a_row() {
    let blind = [causal(3, "0xFF800000"), causal(3, "-2.0e+38")];
    for (at, (size, score)) in [
        (Sizes::of(2, 70, 130, 64, 64), PLAIN),
        (Sizes::of(1, 129, 65, 72, 40), PLAIN),
        (Sizes::of(1, 90, 90, 64, 64), blind[0].as_str()),
        (Sizes::of(1, 90, 90, 128, 128), blind[1].as_str()),
        (Sizes::of(2, 3, 600, 64, 64), PLAIN),
        (Sizes::of(1, 17, 19, 9, 5), blind[1].as_str()),
    ]
    .into_iter()
    .enumerate()
    {
        for (more, stores, device) in [("%n", 3, "cuda:sm_80"), ("%n", 3, "cuda:sm_90a"), ("%m", 2, "cuda:sm_90a")] {
            let element = ["bf16", "f16", "bf16", "bf16", "f16", "f32"][at];
            let plan = check(&format!("{size:?}"), &with_rows(size, element, score, more), device);
            let text = plan.print();
            assert_eq!(plan.body.stores().len(), stores, "{text}");
            assert!(!text.contains("lazy true") && !text.contains("part of"), "{text}");
        }
    }
}

#[test]
fn few_rows_go_through_columns_in_parts() {
    let plan = check("parts", &attention(Sizes::of(2, 1, 600, 64, 64), "bf16", "", PLAIN), "cuda:sm_80");
    assert!(plan.print().contains("part of 128 columns"), "{}", plan.print());
    check(
        "parts, causal",
        &attention(Sizes::of(1, 3, 700, 32, 32), "f16", "", &causal(-400, "0xFF800000")),
        "cuda:sm_80",
    );
}

/// Also where warpgroups would have a block or two.
#[test]
fn a_chunk_of_a_prompt_goes_through_columns_in_parts() {
    for device in DEVICES {
        for (rows, columns, score) in [(70, 1000, PLAIN), (96, 1020, &causal(-400, "0xFF800000"))] {
            let name = format!("{rows} rows, {columns} columns");
            let plan = check(&name, &attention(Sizes::of(1, rows, columns, 64, 64), "bf16", "", score), device);
            assert!(plan.print().contains("part of 256 columns"), "{name}: {}", plan.print());
        }
        let short = check("short", &attention(Sizes::of(1, 70, 448, 64, 64), "bf16", "", PLAIN), device);
        assert!(!short.print().contains("part of"), "{}", short.print());
    }
    check("f32", &attention(Sizes::of(1, 66, 300, 24, 40), "f32", "", PLAIN), "cuda:sm_90a");
}

#[test]
fn few_rows_are_streamed() {
    for (at, (sizes, score)) in [
        (Sizes::of(2, 1, 600, 64, 64), PLAIN.to_string()),
        (Sizes::of(1, 8, 130, 32, 128), PLAIN.to_string()),
        (Sizes::of(1, 13, 205, 96, 64), causal(-150, "0xFF800000")),
        (Sizes::of(2, 3, 90, 64, 64), causal(10, "-2.0e+38")),
    ]
    .into_iter()
    .enumerate()
    {
        let element = if at.is_multiple_of(2) { "bf16" } else { "f16" };
        for device in DEVICES {
            let plan = check(&format!("stream {sizes:?}"), &attention(sizes, element, "", &score), device);
            assert!(plan.print().contains("  stream cluster"), "{}", plan.print());
        }
    }
}

#[test]
fn ways_of_streams() {
    let device = "cuda:sm_90a";
    let (plan, target) = kernel(&attention(Sizes::of(2, 2, 333, 64, 64), "bf16", "", PLAIN), device);
    // A cache that holds keys and values, and one that does not.
    for (l2_bytes, beyond) in [(target.l2_bytes, false), (100_000, true)] {
        let target = Target { l2_bytes, ..target.clone() };
        let ways = fornax_kernels::attention::candidates::candidates(&plan, &target);
        assert!(ways.len() >= 8, "{}", ways.len());
        assert_eq!(ways.iter().any(|way| way.print().contains("copied by rows beyond the cache")), beyond);
        check_ways("streams", &ways, &target, device);
    }
}

/// Every way that a tuner may try, with more blocks than workgroups stay, an odd and an even number of tiles, one tile.
#[test]
fn ways_of_warpgroups() {
    let device = "cuda:sm_90a";
    for (sizes, arguments, score) in [
        (Sizes::of(2, 140, 300, 64, 64), "", PLAIN.to_string()),
        (Sizes::of(1, 200, 200, 64, 64), "", causal(0, "0xFF800000")),
        (Sizes::of(2, 129, 60, 40, 40), "", causal(30, "-2.0e+38")),
        (Sizes::of(1, 140, 330, 64, 64), POSITION, at_position(30, "0xFF800000")),
    ] {
        let (plan, target) = kernel(&attention(sizes, "bf16", arguments, &score), device);
        let few = Target { compute_units: 2, ..target };
        let ways = fornax_kernels::attention::candidates::candidates(&plan, &few);
        assert!(ways.len() >= 5, "{sizes:?}: {}", ways.len());
        check_ways(&format!("{sizes:?}"), &ways, &few, device);
    }
}

#[test]
fn bounds_leave_tiles_out_and_bring_them_back() {
    for device in DEVICES {
        let sizes = Sizes::of(1, 150, 150, 32, 32);
        check("causal", &attention(sizes, "bf16", "", &causal(0, "0xFF800000")), device);
        check("causal, finite", &attention(sizes, "bf16", "", &causal(0, "-2.0e+38")), device);
        check("later rows only", &attention(sizes, "bf16", "", &causal(70, "-2.0e+38")), device);
        check("later rows only, NaN", &attention(sizes, "bf16", "", &causal(70, "0xFF800000")), device);
    }
}

/// A chunk of a prompt in a cache: an argument says where it stands, also so that sums overflow.
#[test]
fn rows_stand_where_an_argument_says() {
    for device in DEVICES {
        // Of finite masks a part's largest score is not compared: a row that sees nothing there has none.
        for (rows, columns, times, masked) in [
            (150, 250, 0, "0xFF800000"),
            (150, 250, 17, "-2.0e+38"),
            (150, 250, 306_783_378, "0xFF800000"),
            (150, 250, -40, "-2.0e+38"),
            (96, 1020, 90, "0xFF800000"),
            (96, 1020, 306_783_378, "0xFF800000"),
        ] {
            let (name, sizes) = (format!("{rows} rows, {times} times"), Sizes::of(1, rows, columns, 64, 64));
            let plan = check(&name, &attention(sizes, "bf16", POSITION, &at_position(times, masked)), device);
            assert!(plan.print().contains("band column < "), "{name}: {}", plan.print());
        }
    }
}

#[test]
fn masks_and_biases_are_loaded() {
    let masked = "%low = stablehlo.constant dense<-2.0e+38> : $f
        %y = stablehlo.add %s, %bias : $f
        %x = stablehlo.select %mask, %y, %low : $b, $f";
    for device in DEVICES {
        for sizes in [Sizes::of(1, 64, 128, 32, 32), Sizes::of(2, 51, 67, 32, 32)] {
            check("mask and bias", &attention(sizes, "bf16", ", %bias: $f, %mask: $b", masked), device);
        }
    }
}

#[test]
fn forms_of_frameworks() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/attention");
    let mut names: Vec<_> = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
    names.sort();
    assert!(names.len() >= 10);
    for path in names {
        let text = std::fs::read_to_string(&path).unwrap();
        check(&path.file_name().unwrap().to_string_lossy(), &text, "cuda:sm_80");
    }
}

/// 37 rows, of which the first sees nothing, and 45 columns.
#[test]
fn masks_after_the_softmax_and_by_formulas() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/numeric");
    for form in ["where", "where_keras", "added_ids", "divided_after"] {
        for element in ["f32", "bf16"] {
            let name = format!("attend_{form}_{element}");
            let text = std::fs::read_to_string(folder.join(&name).join("model.mlir")).unwrap();
            for device in DEVICES {
                check(&name, &text, device);
            }
        }
    }
}

/// Low numbers that are added by a formula: a row of which all columns have them weighs them by their scores, or all
/// alike.
#[test]
fn rows_that_added_formulas_hide() {
    for device in DEVICES {
        for (element, low) in [("f16", "-1.0e+09"), ("bf16", "-3.0e+38"), ("f32", "-1.0e+04"), ("f16", "-3.0e+38")] {
            let added = format!(
                "{}
                 %none = stablehlo.constant dense<0.0> : $f
                 %mask = stablehlo.select %c, %none, %low : $b, $f
                 %x = stablehlo.add %s, %mask : $f",
                causal(30, low).rsplit_once('\n').map_or("", |(before, _)| before)
            );
            let sizes = Sizes::of(2, 67, 83, 32, 32);
            let plan = check(&format!("{low} added, {element}"), &attention(sizes, element, "", &added), device);
            assert_eq!(plan.buffers.len(), 4, "the mask is computed where it is added");
        }
    }
}
