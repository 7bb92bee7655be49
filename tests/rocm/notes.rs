//! What the metadata of code objects says, read by llvm-readelf, against what the module says of its kernels: where
//! arguments lie, threads of a workgroup, LDS, private memory; for chips of every kind.
//!
//! Skipped with a word where llvm-readelf is not installed. Worked example: a kernel of three buffers and a size that
//! is known at run time has arguments of 8 bytes at 0, 8, 16 and 24, and 32 bytes in all: nothing hidden behind them.

use std::path::{Path, PathBuf};
use std::process::Command;

use fornax_tests::{fornax, root};
use serde_json::Value;

/// A chip of each kind, and generic families.
const CHIPS: &[&str] = &[
    "gfx600",
    "gfx803",
    "gfx900",
    "gfx906",
    "gfx908",
    "gfx90a",
    "gfx942",
    "gfx950",
    "gfx1011",
    "gfx1030",
    "gfx1100",
    "gfx1200",
    "gfx1250",
    "gfx9-4-generic",
    "gfx11-generic",
];
/// Rows, products by every kind of instruction, attention, convolutions, scans; sizes that kernels take as arguments.
const MODELS: &[&str] =
    &["numeric/softmax_f32", "numeric/attend_bias_bf16", "numeric/conv_pool_f32", "numeric/cumsum_i32", "sizes/mlp"];
/// Bytes of an argument: an address, or a size.
const WORD: u64 = 8;

fn readelf() -> Option<PathBuf> {
    let prefix =
        std::env::var_os("MLIR_SYS_220_PREFIX").map_or_else(|| PathBuf::from("/usr/lib/llvm-22"), PathBuf::from);
    let path = prefix.join("bin/llvm-readelf");
    if path.exists() {
        return Some(path);
    }
    println!("skipped: no {} (package llvm-22)", path.display());
    None
}

/// A kernel of the notes.
#[derive(Default)]
struct Notes {
    name: String,
    /// Offset, size, kind.
    arguments: Vec<(u64, u64, String)>,
    workgroup: Vec<u64>,
    numbers: std::collections::BTreeMap<String, String>,
}

/// The kernels of what llvm-readelf prints: a list in YAML, two spaces a level.
fn read(text: &str) -> Vec<Notes> {
    let mut kernels: Vec<Notes> = Vec::new();
    let mut in_workgroup = false;
    for line in text.lines().skip_while(|line| !line.starts_with("amdhsa.kernels:")).skip(1) {
        let depth = line.len() - line.trim_start_matches([' ', '-']).len();
        if depth == 0 {
            break;
        }
        if line.starts_with("  - ") {
            kernels.push(Notes::default());
        }
        let kernel = kernels.last_mut().unwrap();
        let Some((key, value)) = line.trim_start_matches([' ', '-']).split_once(':') else {
            if in_workgroup {
                kernel.workgroup.push(line.trim_start_matches([' ', '-']).parse().unwrap());
            }
            continue;
        };
        in_workgroup = key == ".reqd_workgroup_size";
        let value = value.trim().trim_matches('\'');
        if depth == 4 {
            if key == ".name" {
                kernel.name = value.to_string();
            }
            kernel.numbers.insert(key.to_string(), value.to_string());
            continue;
        }
        // Keys of an argument stand in order: the dash is before the first, whichever that is.
        if line.trim_start().starts_with('-') {
            kernel.arguments.push(Default::default());
        }
        let argument = kernel.arguments.last_mut().unwrap();
        match key {
            ".offset" => argument.0 = value.parse().unwrap(),
            ".size" => argument.1 = value.parse().unwrap(),
            ".value_kind" => argument.2 = value.to_string(),
            _ => {}
        }
    }
    kernels
}

/// What of a kernel's notes is not as the module says.
fn differs(notes: &Notes, kernel: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut same = |what: &str, found: String, wanted: String| {
        if found != wanted {
            wrong.push(format!("{what} {found}, not {wanted}"));
        }
    };
    let bindings = kernel["bindings"].as_u64().unwrap() as usize;
    for (at, (offset, bytes, kind)) in notes.arguments.iter().enumerate() {
        let wanted = if at < bindings { "global_buffer" } else { "by_value" };
        same("argument", format!("{kind} {offset} {bytes}"), format!("{wanted} {} {WORD}", at as u64 * WORD));
    }
    same("arguments at least", (notes.arguments.len() >= bindings).to_string(), "true".into());
    let number = |key: &str| notes.numbers.get(key).cloned().unwrap_or_default();
    let text = |value: u64| value.to_string();
    same("bytes of arguments", number(".kernarg_segment_size"), text(notes.arguments.len() as u64 * WORD));
    same("alignment", number(".kernarg_segment_align"), text(WORD));
    let block: Vec<u64> = kernel["block"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
    same("workgroup", format!("{:?}", notes.workgroup), format!("{block:?}"));
    same("threads", number(".max_flat_workgroup_size"), text(block.iter().product()));
    // The rest of LDS is what a launch asks for.
    same("LDS", number(".group_segment_fixed_size"), text(kernel["static_shared_bytes"].as_u64().unwrap()));
    same("private memory", number(".private_segment_fixed_size"), text(0));
    same("dynamic stack", number(".uses_dynamic_stack"), "false".into());
    same("symbol", number(".symbol"), format!("{}.kd", notes.name));
    wrong
}

fn hsaco(folder: &Path, chip: &str) -> PathBuf {
    folder.join("dump").join(format!("rocm_{chip}")).join("6_image.hsaco")
}

#[test]
fn metadata_is_what_the_module_says() {
    let Some(readelf) = readelf() else { return };
    let (mut kernels_seen, mut sizes_seen) = (0, 0);
    for model in MODELS {
        let folder = tempfile::tempdir().unwrap();
        let source = root().join("tests").join(model).join("model.mlir").display().to_string();
        let targets = format!("--rocm-target={}", CHIPS.join(","));
        let flags =
            ["compile", "--quiet", "--target-backends=rocm", &targets, "--dump-ir-to=dump", &source, "-o", "m.fnx"];
        fornax(folder.path(), &flags).ok();
        let said = fornax(folder.path(), &["inspect", "--format=json", "m.fnx"]).ok().stdout;
        let said: Value = serde_json::from_str(&said).unwrap();
        let kernels = || said["programs"].as_array().unwrap().iter().flat_map(|p| p["kernels"].as_array().unwrap());
        for chip in CHIPS {
            let output = Command::new(&readelf).arg("--notes").arg(hsaco(folder.path(), chip)).output().unwrap();
            assert!(output.status.success(), "{model} {chip}");
            let all = read(&String::from_utf8_lossy(&output.stdout));
            assert!(!all.is_empty(), "{model} {chip}");
            for notes in &all {
                let on = |kernel: &&Value| {
                    kernel["amd"].as_array().unwrap().iter().any(|on| on["arch"] == *chip)
                        && kernel["name"] == notes.name.as_str()
                };
                let kernel = kernels().find(on).unwrap_or_else(|| panic!("{model} {chip}: no {}", notes.name));
                let wrong = differs(notes, kernel);
                assert!(wrong.is_empty(), "{model} {chip} {}: {wrong:?}", notes.name);
                kernels_seen += 1;
                sizes_seen += notes.arguments.len() as u64 - kernel["bindings"].as_u64().unwrap();
            }
        }
    }
    assert!(kernels_seen > 8 * CHIPS.len() && sizes_seen > 0, "{kernels_seen} kernels, {sizes_seen} sizes");
}
