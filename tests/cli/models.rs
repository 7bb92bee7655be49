//! Whole models: the trained classifier answers as JAX does, with its weights in the module and next to it.

use fornax_tests::{fornax, root};

#[test]
fn digits_on_the_cpu() {
    let data = root().join("tests/model/digits");
    let at = |name: &str| data.join(name).display().to_string();
    let folder = tempfile::tempdir().unwrap();
    let from = format!("--parameters-from={}", at("args.json"));
    fornax(folder.path(), &["compile", "--quiet", "--target=cpu", &from, &at("model.mlir"), "-o", "digits.fnx"]).ok();
    let parameters = format!("--parameters={}", at("weights.safetensors"));
    for digit in 0..10 {
        let input = format!("--input=@{}", at(&format!("digit_{digit}.npy")));
        let expected = format!("--expected-output=@{}", at(&format!("expected_{digit}.npy")));
        fornax(
            folder.path(),
            &["run-module", "--module=digits.fnx", "--function=predict", &parameters, &input, &expected],
        )
        .ok();
    }
    let image = format!("--input=@{}", at("digit_3.npy"));
    let other = format!("--expected-output=@{}", at("expected_4.npy"));
    fornax(folder.path(), &["run-module", "--module=digits.fnx", "--function=predict", &parameters, &image, &other])
        .fails(6, "FX08");
    fornax(folder.path(), &["run-module", "--module=digits.fnx", "--function=predict", &image]).fails(1, "FX07");
    let bench = fornax(
        folder.path(),
        &["bench", "--module=digits.fnx", "--function=predict", "--format=json", "--seconds=0.1", &parameters, &image],
    )
    .ok();
    let bench: serde_json::Value = serde_json::from_str(&bench.stdout).unwrap();
    assert!(bench["median_ms"].as_f64().unwrap() > 0.0);
    let kernels = ["bench", "--module=digits.fnx", "--function=predict", "--kernels", "--seconds=0"];
    let run = |more: &[&str]| fornax(folder.path(), &[&kernels[..], &[&parameters, &image], more].concat()).ok().stdout;
    let json: serde_json::Value = serde_json::from_str(&run(&["--format=json"])).unwrap();
    let rows = json["kernels"].as_array().unwrap();
    assert!(json["copy_tb_s"].as_f64().unwrap() > 0.0 && !rows.is_empty(), "{json}");
    let share: f64 = rows.iter().map(|row| row["share"].as_f64().unwrap()).sum();
    let number = |name: &str| json[name].as_f64().unwrap();
    assert!((share - number("launched_us") / number("call_us")).abs() < 1e-6, "{share}");
    let between = (number("call_us") - number("launched_us")) / number("launches");
    assert!(number("launches") >= rows.len() as f64 && (number("gap_us") - between).abs() < 1e-6, "{json}");
    assert!(rows.iter().any(|row| row["flops"].as_u64().unwrap() > 0), "{json}");
    let text = run(&[]);
    assert!(text.contains("possible") && text.contains(rows[0]["name"].as_str().unwrap()), "{text}");
}
