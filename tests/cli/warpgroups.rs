//! What ptxas says of kernels on matrix instructions: no register spilled, no multiply serialised (its remarks C7510 to
//! C7519, C7602).

use std::path::Path;
use std::process::Command;

use fornax_tests::fornax;

use super::compile::ptxas;

const ARCH: &str = "sm_90a";

/// Architectures whose warps' instructions the models of [`several`] meet.
const ARCHES: &[&str] = &["sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"];

/// Rows (and columns), features of a head, causal or not.
const ATTENTIONS: &[(u64, u64, bool)] = &[
    (1024, 64, false),
    (4096, 64, false),
    (4096, 64, true),
    (4096, 40, false),
    (4096, 128, true),
    (1024, 192, false),
    (4096, 256, false),
    (4096, 256, true),
    (4096, 192, true),
];

/// Products in tf32 of which an operand lies along its outputs and goes through registers: `[m, k]·[k, n]`.
const SHORT_PRODUCTS: &[(u64, u64, u64, &str, &str, bool)] =
    &[(4096, 4096, 4096, "f32", "f32", false), (1024, 3072, 768, "f32", "f32", false)];

/// `[m, k]·[k, n]` or `[n, k]`, with operand and result types.
const PRODUCTS: &[(u64, u64, u64, &str, &str, bool)] = &[
    (4096, 4096, 4096, "bf16", "bf16", false),
    (4096, 4096, 4096, "f16", "f16", true),
    (8192, 8192, 8192, "bf16", "bf16", true),
    (6304, 768, 3072, "bf16", "bf16", false),
    (512, 4096, 1024, "bf16", "f32", false),
    (64, 2048, 8192, "bf16", "bf16", false),
    (16, 8192, 8192, "bf16", "bf16", false),
    (49, 2048, 1024, "f16", "f16", true),
    (264, 333, 136, "bf16", "f32", true),
    (4096, 4096, 4096, "f32", "f32", false),
    (4096, 4096, 4096, "i8", "i32", true),
];

fn product(&(m, n, k, from, to, transposed): &(u64, u64, u64, &str, &str, bool)) -> String {
    let (b, at) = if transposed { (format!("{n}x{k}"), 1) } else { (format!("{k}x{n}"), 0) };
    let (x, y, z) = (format!("tensor<{m}x{k}x{from}>"), format!("tensor<{b}x{from}>"), format!("tensor<{m}x{n}x{to}>"));
    format!(
        "func.func @main(%x: {x}, %y: {y}) -> {z} {{\n\
         %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [{at}] : ({x}, {y}) -> {z}\n return %0 : {z}\n}}\n"
    )
}

/// `softmax(q·kᵀ)·v` of 16 heads in bf16.
fn attention(&(rows, features, causal): &(u64, u64, bool)) -> String {
    let (t, s) = (format!("tensor<16x{rows}x{features}xbf16>"), format!("tensor<16x{rows}x{rows}xf32>"));
    let (n, truths) = (format!("tensor<16x{rows}xf32>"), format!("tensor<16x{rows}x{rows}xi1>"));
    let mask = format!(
        "%i = stablehlo.iota dim = 1 : tensor<16x{rows}x{rows}xi32>\n\
         %j = stablehlo.iota dim = 2 : tensor<16x{rows}x{rows}xi32>\n\
         %m = stablehlo.compare GE, %i, %j : (tensor<16x{rows}x{rows}xi32>, tensor<16x{rows}x{rows}xi32>) -> {truths}\n\
         %low = stablehlo.constant dense<0xFF800000> : {s}\n\
         %x = stablehlo.select %m, %s, %low : ({truths}, {s}, {s}) -> {s}\n"
    );
    let (mask, scores) = if causal { (mask, "%x") } else { (String::new(), "%s") };
    format!(
        "func.func @main(%q: {t}, %k: {t}, %v: {t}) -> {t} {{\n\
         %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] \
             : ({t}, {t}) -> {s}\n\
         {mask}%none = stablehlo.constant dense<0xFF800000> : tensor<f32>\n\
         %zero = stablehlo.constant dense<0.0> : tensor<f32>\n\
         %0 = stablehlo.reduce({scores} init: %none) applies stablehlo.maximum across dimensions = [2] \
             : ({s}, tensor<f32>) -> {n}\n\
         %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : ({n}) -> {s}\n%2 = stablehlo.subtract {scores}, %1 : {s}\n\
         %3 = stablehlo.exponential %2 : {s}\n\
         %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [2] \
             : ({s}, tensor<f32>) -> {n}\n\
         %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : ({n}) -> {s}\n%6 = stablehlo.divide %3, %5 : {s}\n\
         %7 = stablehlo.convert %6 : ({s}) -> tensor<16x{rows}x{rows}xbf16>\n\
         %8 = stablehlo.dot_general %7, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] \
             : (tensor<16x{rows}x{rows}xbf16>, {t}) -> {t}\n\
         return %8 : {t}\n}}\n"
    )
}

/// Attentions of 16 bits, and of f32, by instructions of warps: rows, features, causal or not, element.
const WARP_ATTENTIONS: &[(u64, u64, bool, &str)] = &[
    (1024, 16, true, "bf16"),
    (1024, 32, false, "bf16"),
    (1024, 32, true, "bf16"),
    (1024, 64, true, "bf16"),
    (1024, 16, true, "f32"),
    (1024, 32, true, "f32"),
    (1024, 40, true, "f32"),
    (1024, 64, false, "f32"),
    (1024, 64, true, "f32"),
];

/// Eigenvalues and vectors of 8 symmetric matrices by rotations: 32 columns by 256 threads, 64 by 512 that read their
/// number anew.
fn eigenvalues(columns: u64) -> String {
    let (a, w) = (format!("tensor<8x{columns}x{columns}xf32>"), format!("tensor<8x{columns}xf32>"));
    format!(
        "func.func @main(%a: {a}) -> ({a}, {w}) {{\n\
         %0:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%a) \
             {{mhlo.backend_config = {{mode = 86 : ui8, uplo = 76 : ui8}}}} : ({a}) -> ({a}, {w}, tensor<8xi32>)\n \
         return %0#0, %0#1 : {a}, {w}\n}}\n"
    )
}

/// Softmax of rows, bf16, computed in f32.
fn softmax((rows, columns): (u64, u64)) -> String {
    let (t, f, n) = (
        format!("tensor<{rows}x{columns}xbf16>"),
        format!("tensor<{rows}x{columns}xf32>"),
        format!("tensor<{rows}xf32>"),
    );
    format!(
        "func.func @main(%a: {t}) -> {t} {{\n%x = stablehlo.convert %a : ({t}) -> {f}\n\
         %none = stablehlo.constant dense<0xFF800000> : tensor<f32>\n\
         %zero = stablehlo.constant dense<0.0> : tensor<f32>\n\
         %0 = stablehlo.reduce(%x init: %none) applies stablehlo.maximum across dimensions = [1] \
             : ({f}, tensor<f32>) -> {n}\n\
         %1 = stablehlo.broadcast_in_dim %0, dims = [0] : ({n}) -> {f}\n%2 = stablehlo.subtract %x, %1 : {f}\n\
         %3 = stablehlo.exponential %2 : {f}\n\
         %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] \
             : ({f}, tensor<f32>) -> {n}\n\
         %5 = stablehlo.broadcast_in_dim %4, dims = [0] : ({n}) -> {f}\n%6 = stablehlo.divide %3, %5 : {f}\n\
         %7 = stablehlo.convert %6 : ({f}) -> {t}\nreturn %7 : {t}\n}}\n"
    )
}

/// Products of several types and sizes, convolutions of f32, attentions and long rows of 16 bits, each a function.
fn several() -> String {
    let products = [
        (1024, 1024, 1024, "f16", "f16", false),
        (128, 768, 768, "f32", "f32", false),
        (130, 777, 515, "f32", "f32", false),
        (512, 384, 256, "i8", "i32", false),
        (512, 512, 512, "f64", "f64", false),
    ];
    // Side, window, stride, channels.
    let windows = [(56, 1, 1, 64, 256), (14, 3, 1, 64, 96), (28, 1, 2, 256, 512), (7, 1, 1, 512, 2048)];
    let windows = windows.iter().map(|&(side, k, stride, from, to): &(u64, u64, u64, u64, u64)| {
        let (low, out) = (k / 2, (side + 2 * (k / 2) - k) / stride + 1);
        let (x, w) = (format!("tensor<1x{side}x{side}x{from}xf32>"), format!("tensor<{k}x{k}x{from}x{to}xf32>"));
        let z = format!("tensor<1x{out}x{out}x{to}xf32>");
        format!(
            "func.func @main(%x: {x}, %w: {w}) -> {z} {{\n\
             %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], \
                 window = {{stride = [{stride}, {stride}], pad = [[{low}, {low}], [{low}, {low}]]}} \
                 {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({x}, {w}) -> {z}\n \
             return %0 : {z}\n}}\n"
        )
    });
    let attentions = WARP_ATTENTIONS.iter().map(|&(rows, features, causal, element)| {
        let text = attention(&(rows, features, causal));
        text.replace("xbf16", &format!("x{element}"))
    });
    let rows = [(2048, 16384), (2048, 32768), (512, 65536)].into_iter().map(softmax);
    named(products.iter().map(product).chain(windows).chain(attentions).chain(rows))
}

/// One module of functions that are all called `main`.
fn named(functions: impl Iterator<Item = String>) -> String {
    let named =
        functions.enumerate().map(|(at, text)| text.replace("func.func @main", &format!("func.func public @f{at}")));
    format!("module {{\n{}}}\n", named.collect::<String>())
}

/// A 3×3 convolution of 14×14 images whose outputs are no multiple of a tile.
fn convolution(batch: u64) -> String {
    let (x, w) = (format!("tensor<{batch}x14x14x128xf16>"), "tensor<3x3x128x192xf16>");
    let z = format!("tensor<{batch}x7x7x192xf16>");
    format!(
        "func.func @main(%x: {x}, %w: {w}) -> {z} {{\n\
         %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], \
             window = {{stride = [2, 2], pad = [[1, 0], [1, 0]]}} \
             {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({x}, {w}) -> {z}\n \
         return %0 : {z}\n\
         }}\n"
    )
}

#[test]
fn ptxas_neither_spills_nor_serialises() {
    let Some(tool) = ptxas() else {
        println!("skipped: no ptxas (FORNAX_PTXAS)");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut texts: Vec<String> = PRODUCTS.iter().map(product).collect();
    texts.extend([convolution(1), convolution(32)]);
    texts.extend(ATTENTIONS.iter().map(attention));
    let texts = texts.into_iter().map(|text| (text, "ieee"));
    let short = SHORT_PRODUCTS.iter().map(|p| (product(p), "tf32"));
    for (at, (text, precision)) in texts.chain(short).enumerate() {
        let text = &text;
        let (model, dump) = (folder.path().join(format!("{at}.mlir")), folder.path().join(format!("{at}")));
        std::fs::write(&model, text).unwrap();
        let arguments = [
            "compile",
            "--quiet",
            &format!("--target=cuda:{ARCH}"),
            &format!("--f32-matmul={precision}"),
            "--cuda-use-ptxas=false",
            &format!("--dump-ir-to={}", dump.display()),
            "-o",
            "m.fnx",
            &model.display().to_string(),
        ];
        fornax(folder.path(), &arguments).ok();
        let image = dump.join(format!("cuda_{ARCH}/6_image.ptx"));
        let ptx = std::fs::read_to_string(&image).unwrap();
        assert!(ptx.contains("wgmma.mma_async"), "no warpgroup multiply for\n{text}");
        assert_report(&tool, (ARCH, &image), text, "");
    }
}

#[test]
fn kernels_of_warps_spill_nowhere() {
    spill_nowhere(&several(), "");
}

/// The kernels around the loops are not held to it: ptxas 13.5 leaves one that transposes 48 registers on sm_120 of its
/// own accord, which spills 8 bytes.
#[test]
fn loops_as_one_kernel_spill_nowhere() {
    spill_nowhere(&named([32, 64].map(eigenvalues).into_iter()), "fused_");
}

/// A product and a sort whose sizes are known only at run time.
#[test]
fn kernels_of_sizes_spill_nowhere() {
    let (a, b, c, k, n) = ("tensor<?x?xf32>", "tensor<?x?xf32>", "tensor<?x?xf32>", "tensor<?xf32>", "tensor<?xi32>");
    let text = format!(
        "func.func @main(%a: {a}, %b: {b}, %k: {k}, %n: {n}) -> ({c}, {k}, {n}) {{\n\
         %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : ({a}, {b}) -> {c}\n\
         %1:2 = \"stablehlo.sort\"(%k, %n) <{{dimension = 0 : i64, is_stable = true}}> ({{\n\
         ^bb0(%x: tensor<f32>, %y: tensor<f32>, %p: tensor<i32>, %q: tensor<i32>):\n\
         %less = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>\n\
         stablehlo.return %less : tensor<i1>\n}}) : ({k}, {n}) -> ({k}, {n})\n\
         return %0, %1#0, %1#1 : {c}, {k}, {n}\n}}\n"
    );
    spill_nowhere(&text, "");
}

/// No kernel whose name begins so spills, on any architecture that ptxas knows.
fn spill_nowhere(text: &str, kernels: &str) {
    let Some(tool) = ptxas() else {
        println!("skipped: no ptxas (FORNAX_PTXAS)");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("several.mlir");
    std::fs::write(&model, text).unwrap();
    for arch in ARCHES {
        let help = Command::new(&tool).arg("--help").output().unwrap();
        if !String::from_utf8_lossy(&help.stdout).contains(&format!("'{arch}'")) {
            println!("skipped: this ptxas does not know {arch}");
            continue;
        }
        let dump = folder.path().join(arch);
        let target = format!("--target=cuda:{arch}");
        let dumped = format!("--dump-ir-to={}", dump.display());
        let model = model.display().to_string();
        let arguments = ["compile", "--quiet", &target, "--cuda-use-ptxas=false", &dumped, "-o", "m.fnx", &model];
        fornax(folder.path(), &arguments).ok();
        for image in std::fs::read_dir(&dump).unwrap().map(|entry| entry.unwrap().path().join("6_image.ptx")) {
            let of = image.parent().and_then(|p| p.file_name()).unwrap().to_string_lossy().into_owned();
            let Some(of) = of.strip_prefix("cuda_") else { continue };
            assert_report(&tool, (of, &image), of, kernels);
        }
    }
}

/// ptxas takes the text, serialises no warpgroup's products, and spills nothing in kernels whose name begins so.
fn assert_report(tool: &Path, (arch, image): (&str, &Path), text: &str, kernels: &str) {
    let output =
        Command::new(tool).arg(format!("-arch={arch}")).arg("-v").arg(image).args(["-o", "/dev/null"]).output();
    let output = output.unwrap();
    let report = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{report}");
    assert!(!report.contains("(C75") && !report.contains("(C76"), "{text}\n{report}");
    let kernel_and_lines = report.split("Function properties for ").skip(1);
    let (mut seen, mut spilled) = (false, false);
    for lines in kernel_and_lines.filter(|lines| lines.starts_with(kernels)) {
        seen = true;
        spilled |= !lines.lines().any(|line| line.contains(" 0 bytes spill stores"));
    }
    assert!(seen, "no kernel {kernels}\n{report}");
    assert!(!spilled, "{text}\n{report}");
}
