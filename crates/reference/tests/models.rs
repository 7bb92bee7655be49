//! Whole models against the results their framework gave.
//!
//! `FORNAX_ZOO` names a folder of exported models, each `model.mlir`, `args.json` and `out_N.npy`; arguments follow the
//! exporter's rule. Without it the test says so and passes. BERT-base takes seconds in a release build.

use std::path::Path;
use std::time::Instant;

use fornax_graph::{ElementType, TensorType};
use fornax_import::{ImportOptions, import_text};
use fornax_reference::{Limits, Scalar, Tensor, evaluate};
use serde_json::Value as Json;

#[test]
fn exported_models() {
    let Some(zoo) = std::env::var_os("FORNAX_ZOO") else {
        println!("skipped: FORNAX_ZOO is not set");
        return;
    };
    let mut folders: Vec<_> = std::fs::read_dir(&zoo).expect("a folder").flatten().map(|e| e.path()).collect();
    folders.retain(|f| f.join("args.json").exists() && f.join("model.mlir").exists());
    folders.sort();
    let mut failures = Vec::new();
    for folder in folders {
        let start = Instant::now();
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match run(&folder) {
            Ok(worst) => println!("{name:40} {:6.2} s, largest error {worst:.1e}", start.elapsed().as_secs_f64()),
            Err(why) => failures.push(format!("{name}: {why}")),
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

fn text(json: &Json) -> &str {
    json.as_str().unwrap_or_default()
}

fn ty(json: &Json) -> Result<TensorType, String> {
    let element = ElementType::from_spelling(text(&json["dtype"])).ok_or("an unknown element type")?;
    let shape = json["shape"].as_array().ok_or("no shape")?;
    Ok(TensorType::new(&shape.iter().filter_map(|d| d.as_i64()).collect::<Vec<_>>(), element))
}

/// The exporter's rule: a hash of position and seed, or one value everywhere.
fn argument(json: &Json) -> Result<Tensor, String> {
    let ty = ty(json)?;
    let element = ty.element;
    let n = ty.elements().ok_or("no size")? as u32;
    let rule = &json["gen"];
    let number = |key: &str| rule[key].as_f64().unwrap_or(0.0);
    let seed = (number("seed") as u32).wrapping_mul(0x85EB_CA77).wrapping_add(0x1656_67B1);
    let hash = |i: u32| {
        let mut x = i.wrapping_mul(0x9E37_79B1).wrapping_add(seed);
        x = (x ^ x >> 16).wrapping_mul(0x7FEB_352D);
        x = (x ^ x >> 15).wrapping_mul(0x846C_A68B);
        x ^ x >> 16
    };
    let (low, high) = (number("lo"), number("hi"));
    let value = |i: u32| match text(&rule["rule"]) {
        "const" => Scalar::Float(number("value")),
        _ if element.is_integer() => Scalar::Float(low + f64::from(hash(i) % (high - low).max(1.0) as u32)),
        _ if element == ElementType::I1 => Scalar::Bool(hash(i) & 1 == 1),
        _ => {
            let unit = (hash(i) >> 8) as f32 * 2f32.powi(-24);
            Scalar::Float((low as f32 + (high as f32 - low as f32) * unit).into())
        }
    };
    let shape: Vec<usize> = ty.static_shape().unwrap_or_default().iter().map(|&d| d as usize).collect();
    Ok(Tensor::from_scalars(&shape, element, (0..n).map(|i| value(i).convert(element))))
}

/// Data of a .npy file of version 1 or 2.
fn npy(path: &Path) -> Result<Vec<u8>, String> {
    let bytes = std::fs::read(path).map_err(|e| e.to_string())?;
    let major = bytes.get(6).copied().unwrap_or(0);
    let size = |at: usize| usize::from(bytes.get(at).copied().unwrap_or(0));
    let (length, header) =
        if major == 1 { (size(8) | size(9) << 8, 10) } else { (size(8) | size(9) << 8 | size(10) << 16, 12) };
    bytes.get(header + length..).map(<[u8]>::to_vec).ok_or_else(|| "a short .npy file".into())
}

/// Largest error relative to the largest value of a result.
fn run(folder: &Path) -> Result<f64, String> {
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).map_err(|e| e.to_string());
    let manifest: Json = serde_json::from_str(&read("args.json")?).map_err(|e| e.to_string())?;
    let graph = import_text(&read("model.mlir")?, "model.mlir", &ImportOptions::default())
        .map_err(|e| format!("import: {:?}", e.first()))?;
    let list = |key: &str| manifest[key].as_array().cloned().unwrap_or_default();
    let inputs = list("args").iter().map(argument).collect::<Result<Vec<_>, _>>()?;
    let results = evaluate(&graph, text(&manifest["entry"]), &inputs, &Limits::default()).map_err(|e| e.to_string())?;
    let mut worst = 0f64;
    for (got, description) in results.iter().zip(&list("results")) {
        let Some(file) = description["file"].as_str() else { continue };
        let want = Tensor::new(ty(description)?, npy(&folder.join(file))?).map_err(|e| e.to_string())?;
        let pairs: Vec<_> =
            got.scalars().into_iter().zip(want.scalars()).map(|(g, w)| (g.as_f64(), w.as_f64())).collect();
        let largest = pairs.iter().map(|p| p.1.abs()).fold(1e-6, f64::max);
        let error = pairs
            .iter()
            .map(|(g, w)| (g - w).abs() / largest)
            .fold(0.0, |a, b| if b > a || b.is_nan() { b } else { a });
        let bound = if want.element() == ElementType::F32 { 1e-4 } else { 5e-2 };
        if got.ty != want.ty || error.is_nan() || error > bound {
            return Err(format!("an error of {error} relative to the largest value"));
        }
        worst = worst.max(error);
    }
    Ok(worst)
}
