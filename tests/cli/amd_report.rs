//! What `inspect` says of kernels for AMD: registers by kind, LDS, scratch, occupancy, and with `--loops` the main loop.

use fornax_tests::fornax;
use serde_json::Value;

/// Chips with matrix instructions of four kinds: accumulators apart, in one file with the others, wave64 and wave32.
const CHIPS: &[&str] = &["gfx908", "gfx90a", "gfx942", "gfx1100"];

const PRODUCT: &str = "func.func @main(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>) -> tensor<512x512xf32> {\n  \
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf32>\n  \
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
        // llvm-mca 22 never comes to an end of some loops; the notes say so.
        let given_up =
            |note: &Value| note.as_str().unwrap().contains("llvm-mca") && note.as_str().unwrap().contains(chip);
        if main["cycles"].is_null() {
            assert!(json["notes"].as_array().unwrap().iter().any(given_up), "{json}");
            continue;
        }
        let share = main["matrix_share"].as_f64().unwrap();
        assert!(share > 0.05 && share <= 1.0, "{report}");
        assert!(main["cycles"].as_f64().unwrap() >= main["matrix_cycles"].as_f64().unwrap(), "{report}");
    }
    assert!(missing || text.contains("by LLVM's model"), "{text}");
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
