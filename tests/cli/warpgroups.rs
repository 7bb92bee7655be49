//! What ptxas says of products by warpgroups: no register spilled, no multiply serialised (its remarks C7510 to C7519, C7602).

use std::path::Path;
use std::process::Command;

use fornax_tests::fornax;

use super::compile::ptxas;

const ARCH: &str = "sm_90a";

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

/// A 3×3 convolution of 14×14 images whose outputs are no multiple of a tile.
fn convolution(batch: u64) -> String {
    let (x, w) = (format!("tensor<{batch}x14x14x128xf16>"), "tensor<3x3x128x192xf16>");
    let z = format!("tensor<{batch}x7x7x192xf16>");
    format!(
        "func.func @main(%x: {x}, %w: {w}) -> {z} {{\n\
         %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {{stride = [2, 2], \
         pad = [[1, 0], [1, 0]]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({x}, {w}) -> {z}\n return %0 : {z}\n}}\n"
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
    for (at, text) in texts.iter().enumerate() {
        let (model, dump) = (folder.path().join(format!("{at}.mlir")), folder.path().join(format!("{at}")));
        std::fs::write(&model, text).unwrap();
        let arguments = [
            "compile",
            "--quiet",
            &format!("--target=cuda:{ARCH}"),
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
        assert_report(&tool, &image, text);
    }
}

fn assert_report(tool: &Path, image: &Path, text: &str) {
    let output =
        Command::new(tool).arg(format!("-arch={ARCH}")).arg("-v").arg(image).args(["-o", "/dev/null"]).output();
    let output = output.unwrap();
    let report = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{report}");
    assert!(!report.contains("(C75") && !report.contains("(C76"), "{text}\n{report}");
    let spilled =
        report.lines().filter(|l| l.contains("bytes spill stores")).any(|l| !l.contains(" 0 bytes spill stores"));
    assert!(!spilled, "{text}\n{report}");
}
