//! What `inspect` says of kernels for AMD: registers by kind, LDS, scratch, occupancy, and with `--loops` the main
//! loop.

use fornax_tests::fornax;
use serde_json::Value;

/// Chips with matrix instructions of four kinds: accumulators apart, in one file with the others, wave64 and wave32.
const CHIPS: &[&str] = &["gfx908", "gfx90a", "gfx942", "gfx1100"];

const PRODUCT: &str = "func.func @main(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>) -> tensor<512x512xf32> {\n  \
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] \
        : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf32>\n  \
    return %0 : tensor<512x512xf32>\n}\n";

#[test]
fn kernels_for_amd_are_reported_with_registers_occupancy_and_main_loop() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("p.mlir"), PRODUCT).unwrap();
    let target = format!("--rocm-target={}", CHIPS.join(","));
    fornax(folder.path(), &["compile", "--quiet", "--target-backends=rocm", &target, "p.mlir", "-o", "m.fnx"]).ok();
    let json = fornax(folder.path(), &["inspect", "--format=json", "--loops", "m.fnx"]).ok().stdout;
    let json: Value = serde_json::from_str(&json).unwrap();
    let missing = json["notes"].as_array().unwrap().iter().any(|note| note.as_str().unwrap().contains("not installed"));
    let text = fornax(folder.path(), &["inspect", "--loops", "m.fnx"]).ok().stdout;
    for (program, chip) in json["programs"].as_array().unwrap().iter().zip(CHIPS) {
        let kernels = program["kernels"].as_array().unwrap();
        let report = kernels.iter().map(|kernel| &kernel["amd"][0]);
        let report = report.max_by_key(|report| report["main_loop"]["matrix_instructions"].as_u64()).unwrap();
        let number = |key: &str| report[key].as_u64().unwrap_or_else(|| panic!("{chip} has no {key}: {report}"));
        assert_eq!(report["arch"], *chip);
        assert!(number("vgprs") > 16 && number("sgprs") > 4 && number("lds_bytes") > 4096, "{report}");
        assert_eq!((number("scratch_bytes"), number("vgpr_spills")), (0, 0), "{report}");
        let (waves, most) = (number("waves_per_simd"), number("waves_per_simd_max"));
        assert!((1..=most).contains(&waves) && number("workgroups_per_unit") >= 1, "{report}");
        assert_eq!(number("wave"), if *chip == "gfx1100" { 32 } else { 64 });
        assert_eq!(
            most,
            if *chip == "gfx1100" {
                16
            } else if *chip == "gfx908" {
                10
            } else {
                8
            }
        );
        assert_eq!(*chip == "gfx908", number("agprs") > 0 && number("agprs") >= 16, "{report}");
        assert!(text.contains(&format!("{chip}: {} VGPRs", number("vgprs"))), "{text}");
        if missing {
            continue;
        }
        let main = &report["main_loop"];
        assert!(main["matrix_instructions"].as_u64().unwrap() >= 4, "{report}");
        let share = main["matrix_share"].as_f64().unwrap();
        assert!(share > 0.05 && share <= 1.0, "{report}");
        assert!(main["cycles"].as_f64().unwrap() >= main["matrix_cycles"].as_f64().unwrap(), "{report}");
    }
    assert!(missing || text.contains("by LLVM's model"), "{text}");
}

/// Large products: what other compilers' loops take of the same chips (`tests/bench/amd_static.py`,
/// `docs/measured/amd.md`) is not exceeded.
#[test]
fn loops_of_large_products_are_mostly_multiplications() {
    let folder = tempfile::tempdir().unwrap();
    // Elements, sum, dimension of the columns that is summed, instructions for each multiplication at most.
    for (element, sum, summed, most) in [("bf16", "f32", 1, 1.69), ("f32", "f32", 0, 1.86), ("i8", "i32", 1, 1.92)] {
        let (a, c) = (format!("tensor<4096x4096x{element}>"), format!("tensor<4096x4096x{sum}>"));
        let text = format!(
            "func.func @main(%a: {a}, %b: {a}) -> {c} {{
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [{summed}] : ({a}, {a}) -> {c}
  return %0 : {c}\n}}\n"
        );
        std::fs::write(folder.path().join("p.mlir"), text).unwrap();
        let targets = "--rocm-target=gfx90a,gfx942";
        fornax(folder.path(), &["compile", "--quiet", "--target-backends=rocm", targets, "p.mlir", "-o", "m.fnx"]).ok();
        let json = fornax(folder.path(), &["inspect", "--format=json", "--loops", "m.fnx"]).ok().stdout;
        let json: Value = serde_json::from_str(&json).unwrap();
        for program in json["programs"].as_array().unwrap() {
            let reports = program["kernels"].as_array().unwrap().iter().map(|kernel| &kernel["amd"][0]);
            let report = reports.max_by_key(|report| report["main_loop"]["matrix_instructions"].as_u64()).unwrap();
            assert!(report["vgprs"].as_u64().unwrap() <= 116, "{report}");
            assert_eq!(report["scratch_bytes"], 0, "{report}");
            let main = &report["main_loop"];
            if let (Some(all), Some(matrix)) = (main["instructions"].as_f64(), main["matrix_instructions"].as_f64()) {
                assert!(all / matrix <= most, "{element}: {report}");
            }
        }
    }
}

#[test]
fn without_tools_the_report_says_so() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("p.mlir"), PRODUCT).unwrap();
    fornax(folder.path(), &["compile", "--quiet", "--target=rocm:gfx906", "p.mlir", "-o", "m.fnx"]).ok();
    let plain = fornax(folder.path(), &["inspect", "m.fnx"]).ok().stdout;
    assert!(plain.contains("waves a SIMD") && !plain.contains("main loop"), "{plain}");
    let json: Value =
        serde_json::from_str(&fornax(folder.path(), &["inspect", "--format=json", "m.fnx"]).ok().stdout).unwrap();
    assert_eq!(json["notes"].as_array().unwrap().len(), 0);
    assert!(json["programs"][0]["kernels"][0]["amd"][0].get("main_loop").is_none());
}

/// Of long vectors local memory lets fewer waves run than registers would: no wave gives up registers for them.
#[test]
fn attention_of_long_vectors_spills_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (q, w, r) = ("tensor<16x512x192xbf16>", "tensor<16x512x512xf32>", "tensor<16x512xf32>");
    let text = format!(
        "func.func @main(%q: {q}, %k: {q}, %v: {q}) -> {q} {{
          %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
          %zero = stablehlo.constant dense<0.0> : tensor<f32>
          %0 = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : ({q}, {q}) -> {w}
          %1 = stablehlo.reduce(%0 init: %low) applies stablehlo.maximum across dimensions = [2] \
              : ({w}, tensor<f32>) -> {r}
          %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : ({r}) -> {w}
          %3 = stablehlo.subtract %0, %2 : {w}
          %4 = stablehlo.exponential %3 : {w}
          %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [2] \
              : ({w}, tensor<f32>) -> {r}
          %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : ({r}) -> {w}
          %7 = stablehlo.divide %4, %6 : {w}
          %8 = stablehlo.convert %7 : ({w}) -> tensor<16x512x512xbf16>
          %9 = stablehlo.dot_general %8, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] \
              : (tensor<16x512x512xbf16>, {q}) -> {q}
          return %9 : {q}
        }}"
    );
    std::fs::write(folder.path().join("a.mlir"), text).unwrap();
    let targets = "--rocm-target=gfx90a,gfx942";
    fornax(folder.path(), &["compile", "--quiet", "--target-backends=rocm", targets, "a.mlir", "-o", "m.fnx"]).ok();
    let json: Value =
        serde_json::from_str(&fornax(folder.path(), &["inspect", "--format=json", "m.fnx"]).ok().stdout).unwrap();
    let programs = json["programs"].as_array().unwrap();
    let kernels: Vec<&Value> = programs.iter().flat_map(|p| p["kernels"].as_array().unwrap()).collect();
    assert!(kernels.iter().all(|kernel| kernel["hero"] == "attention"), "{json}");
    for on in kernels.iter().flat_map(|kernel| kernel["amd"].as_array().unwrap()) {
        assert_eq!((on["scratch_bytes"].as_u64(), on["vgpr_spills"].as_u64()), (Some(0), Some(0)), "{on}");
    }
}

/// The oldest chips have no `ds_bpermute`: what lanes of a row tell each other passes through LDS.
#[test]
fn rows_are_combined_without_exchange_of_lanes() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["softmax_f32", "conv_pool_bf16", "cumsum_i32"] {
        let model = fornax_tests::root().join("tests/numeric").join(name).join("model.mlir").display().to_string();
        let targets = "--rocm-target=gfx600,gfx700,gfx801";
        fornax(folder.path(), &["compile", "--quiet", "--target-backends=rocm", targets, &model, "-o", "m.fnx"]).ok();
    }
}

/// Where LLVM's own order of instructions takes more registers than there are, another is taken that does not.
#[test]
fn products_of_unknown_rows_take_no_scratch() {
    let folder = tempfile::tempdir().unwrap();
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/model/probes/product_any_rows_bf16.mlir");
    fornax(
        folder.path(),
        &["compile", "--quiet", "--target=rocm:gfx1150", "--target=rocm:gfx1201", model, "-o", "m.fnx"],
    )
    .ok();
    let json = fornax(folder.path(), &["inspect", "--format=json", "m.fnx"]).ok().stdout;
    let json: Value = serde_json::from_str(&json).unwrap();
    for program in json["programs"].as_array().unwrap() {
        let kernels = program["kernels"].as_array().unwrap();
        assert!(kernels.len() >= 3, "{program}");
        for report in kernels.iter().map(|kernel| &kernel["amd"][0]) {
            let number = |key: &str| report[key].as_u64().unwrap();
            assert_eq!((number("vgpr_spills"), number("scratch_bytes")), (0, 0), "{report}");
        }
    }
}
