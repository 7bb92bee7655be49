//! The evaluator against the StableHLO project's own cases.
//!
//! `FORNAX_SHARED` names a folder with `conformance/cases.tar.xz` (`index.json`,
//! `<case>/{module.mlir,inN.bin,expN.bin}`); without it the test says so and passes. `FORNAX_CONFORMANCE_FILTER` picks
//! cases whose name contains it and lists what failed. Tolerances are those of `conformance/run.py`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use fornax_graph::{ElementType, TensorType};
use fornax_import::{ImportOptions, import_text};
use fornax_reference::{Limits, Scalar, Tensor, evaluate};
use serde_json::Value as Json;

/// Cases that must pass, a category.
const FLOORS: &[(&str, usize)] = &[
    ("interpret/control", 7),
    ("interpret/convert", 30),
    ("interpret/convolution", 5),
    ("interpret/data_movement", 27),
    ("interpret/dot", 5),
    ("interpret/dynamic_slice", 2),
    ("interpret/elementwise", 103),
    ("interpret/fft", 4),
    ("interpret/gather", 1),
    ("interpret/linalg", 12),
    ("interpret/reduce", 2),
    ("interpret/reduce_window", 1),
    ("interpret/shape", 5),
    ("interpret/sort", 2),
    ("interpret/transcendental", 20),
    ("math/math_accuracy", 27),
    ("quantized/convert", 6),
    ("quantized/convolution", 23),
    ("quantized/dot", 3),
    ("quantized/elementwise", 41),
    ("quantized/gather", 21),
    ("quantized/transcendental", 11),
    ("testdata/control", 8),
    ("testdata/convert", 16),
    ("testdata/convolution", 7),
    ("testdata/data_movement", 132),
    ("testdata/dot", 44),
    ("testdata/dynamic_slice", 29),
    ("testdata/elementwise", 189),
    ("testdata/fft", 4),
    ("testdata/gather", 9),
    ("testdata/linalg", 1),
    ("testdata/reduce", 66),
    ("testdata/reduce_window", 49),
    ("testdata/rng", 10),
    ("testdata/scatter", 510),
    ("testdata/sort", 17),
    ("testdata/transcendental", 82),
];

/// Relative and absolute tolerance of an element type.
const TOLERANCES: &[(ElementType, f64, f64)] = &[
    (ElementType::F64, 1e-9, 1e-12),
    (ElementType::F32, 1e-4, 1e-6),
    (ElementType::F16, 5e-3, 1e-3),
    (ElementType::Bf16, 3e-2, 1e-2),
    (ElementType::F8E5M2, 0.26, 0.13),
    (ElementType::F8E5M2FNUZ, 0.26, 0.13),
];

/// Categories whose sums may round in another order: their absolute tolerance grows with the largest value.
const ACCUMULATING: &[&str] = &[
    "dot",
    "convolution",
    "fft",
    "linalg",
    "reduce",
    "reduce_window",
    "batch_norm",
    "scatter",
    "control",
    "quantized",
];

#[test]
fn conformance_cases() {
    let Some(shared) = std::env::var_os("FORNAX_SHARED") else {
        println!("skipped: FORNAX_SHARED is not set");
        return;
    };
    let folder = unpacked(Path::new(&shared));
    let index = std::fs::read_to_string(folder.join("index.json")).expect("index.json");
    let index: Json = serde_json::from_str(&index).expect("index.json is JSON");
    let filter = std::env::var("FORNAX_CONFORMANCE_FILTER").unwrap_or_default();
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for case in index["cases"].as_array().expect("a list of cases") {
        let name = text(&case["name"]);
        if case["compile_only"].as_bool() == Some(true) || !name.contains(&filter) {
            continue;
        }
        let key = format!("{}/{}", text(&case["suite"]), text(&case["category"]));
        let (passed, all) = counts.entry(key).or_default();
        *all += 1;
        match run_case(&folder.join(name), case) {
            Ok(distance) => {
                *passed += 1;
                if distance > 3 {
                    println!("{distance:20} units in the last place: {name}");
                }
            }
            Err(why) => println!("FAIL {name}: {why}"),
        }
    }
    for (key, (passed, all)) in &counts {
        println!("{key:36} {passed:5} of {all:5}");
    }
    let total = counts.values().fold((0, 0), |t, c| (t.0 + c.0, t.1 + c.1));
    println!("{:36} {:5} of {:5}", "total", total.0, total.1);
    if filter.is_empty() {
        for (key, floor) in FLOORS {
            let passed = counts.get(*key).map_or(0, |c| c.0);
            assert!(passed >= *floor, "{key}: {passed} cases pass, at least {floor} did before");
        }
    }
}

/// The folder of cases, unpacked once.
fn unpacked(shared: &Path) -> PathBuf {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("conformance");
    if !out.join("index.json").exists() {
        std::fs::create_dir_all(&out).expect("a folder for the cases");
        let archive = shared.join("conformance/cases.tar.xz");
        let status = Command::new("tar").arg("xf").arg(&archive).arg("-C").arg(&out).status();
        assert!(status.is_ok_and(|s| s.success()), "cannot unpack {}", archive.display());
    }
    out
}

fn text(json: &Json) -> &str {
    json.as_str().unwrap_or_default()
}

fn tensor(folder: &Path, description: &Json) -> Result<Tensor, String> {
    let element = ElementType::from_spelling(text(&description["dtype"])).ok_or("an unknown element type")?;
    let shape = description["shape"].as_array().ok_or("no shape")?;
    let shape: Vec<i64> = shape.iter().filter_map(|d| d.as_i64()).collect();
    let bytes = std::fs::read(folder.join(text(&description["file"]))).map_err(|e| e.to_string())?;
    Tensor::new(TensorType::new(&shape, element), bytes).map_err(|e| e.to_string())
}

/// The largest distance of a result element from the expected one, in units in the last place.
fn run_case(folder: &Path, case: &Json) -> Result<u64, String> {
    let source = std::fs::read_to_string(folder.join("module.mlir")).map_err(|e| e.to_string())?;
    let graph = import_text(&source, "module.mlir", &ImportOptions::default())
        .map_err(|e| format!("import: {:?}", e.first()))?;
    let inputs = case["inputs"].as_array().map(Vec::as_slice).unwrap_or_default();
    let inputs = inputs.iter().map(|d| tensor(folder, d)).collect::<Result<Vec<_>, _>>()?;
    let results = evaluate(&graph, text(&case["function"]), &inputs, &Limits::default()).map_err(|e| e.to_string())?;
    let outputs = case["outputs"].as_array().map(Vec::as_slice).unwrap_or_default();
    if results.len() != outputs.len() {
        return Err(format!("{} results, {} wanted", results.len(), outputs.len()));
    }
    let mut distance = 0;
    for (got, description) in results.iter().zip(outputs) {
        let want = tensor(folder, description)?;
        compare(got, &want, &description["check"], text(&case["category"]))?;
        distance = distance.max(ulps(got, &want));
    }
    Ok(distance)
}

/// Distance of bit patterns, sign and magnitude; zero for types that are not IEEE floats of 16 bits or more.
fn ulps(got: &Tensor, want: &Tensor) -> u64 {
    let part = want.element().complex_part();
    let width = part.storage_bytes();
    if !part.is_float() || width == 1 {
        return 0;
    }
    let order = |bytes: &[u8]| {
        let mut word = [0; 8];
        word[..width].copy_from_slice(bytes);
        let bits = u64::from_le_bytes(word) as i64;
        let sign = 1i64 << (8 * width - 1);
        if bits & sign == 0 { bits } else { sign.wrapping_sub(bits) }
    };
    let is_nan = |bytes: &[u8]| {
        Tensor::new(TensorType::new(&[], part), bytes.to_vec()).is_ok_and(|t| t.get(0).as_f64().is_nan())
    };
    let cells = got.bytes.chunks_exact(width).zip(want.bytes.chunks_exact(width));
    cells.map(|(g, w)| if is_nan(g) && is_nan(w) { 0 } else { order(g).abs_diff(order(w)) }).max().unwrap_or(0)
}

fn compare(got: &Tensor, want: &Tensor, check: &Json, category: &str) -> Result<(), String> {
    if got.ty != want.ty {
        return Err(format!("a result of type {:?}, wanted {:?}", got.ty, want.ty));
    }
    let element = want.element();
    let (got, want) = (got.scalars(), want.scalars());
    if !element.is_float() && !element.is_complex() {
        return match got.iter().zip(&want).position(|(g, w)| g != w) {
            Some(at) => Err(format!("element {at} is {:?}, wanted {:?}", got[at], want[at])),
            None => Ok(()),
        };
    }
    let parts = |s: &Scalar| match s {
        Scalar::Complex(c) => (c.re, c.im),
        other => (other.as_f64(), 0.0),
    };
    let finite = |x: f64| if x.is_finite() { x.abs() } else { 0.0 };
    let magnitude = |w: (f64, f64)| finite(w.0) + finite(w.1);
    let row = TOLERANCES.iter().find(|row| row.0 == element.complex_part());
    let (mut relative, mut absolute) = row.map_or((0.13, 0.07), |row| (row.1, row.2));
    if ACCUMULATING.contains(&category) {
        let largest = want.iter().map(|w| magnitude(parts(w))).fold(0.0, f64::max);
        absolute = f64::max(absolute, relative * 0.05 * largest);
    }
    for key in ["tolerance", "atol"] {
        absolute = absolute.max(check[key].as_f64().unwrap_or(0.0));
    }
    if text(&check["kind"]) == "almost_eq" {
        absolute = absolute.max(1e-4);
    }
    relative = relative.max(check["rtol"].as_f64().unwrap_or(0.0));
    for (at, (g, w)) in got.iter().zip(&want).enumerate() {
        let (g, w) = (parts(g), parts(w));
        let bound = absolute + relative * magnitude(w);
        let near = |g: f64, w: f64| g == w || (g.is_nan() && w.is_nan()) || (g - w).abs() <= bound;
        if !near(g.0, w.0) || !near(g.1, w.1) {
            return Err(format!("element {at} is {g:?}, wanted {w:?}"));
        }
    }
    Ok(())
}
