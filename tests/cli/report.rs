//! `fornax inspect --report`: one page that asks for nothing outside, and holds the figures that `inspect` and `bench`
//! print.

use std::path::Path;

use fornax_tests::{fornax, root};
use serde_json::Value;

/// Compiles a model of the tests to `m.fnx`.
pub fn compiled(folder: &Path, model: &str, targets: &[&str]) {
    let model = root().join("tests").join(model).display().to_string();
    let flags = ["compile", "--quiet", "--jobs=1", "--cuda-use-ptxas=false", &model, "-o", "m.fnx"];
    fornax(folder, &[&flags, targets].concat()).ok();
}

/// The page of `m.fnx` and the data in it.
pub fn page(folder: &Path, flags: &[&str]) -> (String, Value) {
    fornax(folder, &[&["inspect", "m.fnx", "--report=page.html"], flags].concat()).ok();
    let page = std::fs::read_to_string(folder.join("page.html")).unwrap();
    let (_, data) = page.split_once("id=\"data\">").unwrap();
    let data = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
    (page, data)
}

#[test]
fn the_page_is_whole_and_asks_for_nothing() {
    let folder = tempfile::tempdir().unwrap();
    compiled(folder.path(), "numeric/gelu_mlp_f32/model.mlir", &["--target=cpu", "--target=cuda:sm_90a"]);
    let (page, _) = page(folder.path(), &[]);
    assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
    assert!(page.contains("default-src 'none'"));
    // Names of namespaces are no addresses that a browser goes to.
    let page = page.replace("http://www.w3.org/2000/svg", "");
    for outside in
        ["http:", "https:", "//cdn", " src=", " href=", "@import", "url(", "fetch(", "XMLHttpRequest", "<link"]
    {
        assert!(!page.contains(outside), "{outside}");
    }
    let files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(files.len(), 2, "only the module and its page: {files:?}");
}

#[test]
fn the_page_holds_what_inspect_prints() {
    let folder = tempfile::tempdir().unwrap();
    compiled(folder.path(), "numeric/gelu_mlp_f32/model.mlir", &["--target=cpu:x86-64-v3", "--target=cuda:sm_90a"]);
    let (_, data) = page(folder.path(), &[]);
    let text = fornax(folder.path(), &["inspect", "m.fnx"]).ok().stdout;
    let programs = data["programs"].as_array().unwrap();
    assert_eq!(programs.len(), 2);
    for program in programs {
        for kernel in program["kernels"].as_array().unwrap() {
            assert!(text.contains(kernel["summary"].as_str().unwrap()), "{kernel}");
            assert!(text.contains(kernel["note"].as_str().unwrap()), "{kernel}");
            assert!(kernel["bytes"].as_u64().unwrap() > 0 && kernel["flops"].as_u64().unwrap() > 0, "{kernel}");
        }
        let main = &program["functions"][0];
        assert_eq!(main["inputs"][0], "9 × 24 f32");
        let walk = &main["walk"];
        assert_eq!(walk["steps"].as_array().unwrap().len(), program["kernels"].as_array().unwrap().len());
        // Every input is read, the output is written, one buffer lies in the arena between the two products.
        let edges = walk["edges"].as_array().unwrap();
        for input in 0..5 {
            assert!(edges.iter().any(|edge| edge["from"]["input"] == input), "input {input} of {edges:?}");
        }
        assert!(edges.iter().any(|edge| edge["to"]["output"] == 0), "{edges:?}");
        assert!(walk["values"].as_array().unwrap().iter().any(|value| value["arena"] == true), "{walk}");
    }
    let devices = |program: &Value| -> Vec<String> {
        let rows = program["devices"].as_array().unwrap().iter();
        rows.map(|row| row["name"].as_str().unwrap().to_string()).collect()
    };
    let cuda = programs.iter().find(|p| p["targets"][0]["title"].as_str().unwrap().contains("sm_90a")).unwrap();
    assert!(devices(cuda).contains(&"h200".to_string()), "{:?}", devices(cuda));
    let only = page(folder.path(), &["--target=cpu"]).1;
    assert_eq!(only["programs"].as_array().unwrap().len(), 1);
    fornax(folder.path(), &["inspect", "m.fnx", "--report=p.html", "--target=gfx90a"]).fails(1, "has no target gfx90a");
}

#[test]
fn times_are_measured_or_read() {
    let folder = tempfile::tempdir().unwrap();
    compiled(folder.path(), "numeric/gelu_mlp_f32/model.mlir", &["--target=cpu"]);
    let times = |data: &Value| -> Vec<f64> {
        // Of the two images, the one that this processor takes has been measured.
        let programs = data["programs"].as_array().unwrap();
        let ran: Vec<&Value> = programs.iter().filter(|program| !program["measured"].is_null()).collect();
        assert_eq!(ran.len(), 1, "{data}");
        let measured = &ran[0]["measured"];
        assert_eq!(measured["function"], "main");
        let kernels = measured["kernels"].as_object().unwrap();
        assert_eq!(kernels.len(), ran[0]["kernels"].as_array().unwrap().len());
        kernels.values().map(|time| time["us"].as_f64().unwrap()).collect()
    };
    let (_, data) = page(folder.path(), &["--measure", "--device=cpu"]);
    assert!(times(&data).iter().all(|us| *us > 0.0), "{data}");
    let inputs = ["9x24", "24x40", "40", "40x10", "10"].map(|dims| format!("--input={dims}xf32=random:1"));
    let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
    let flags =
        [&["bench", "--module=m.fnx", "--device=cpu", "--kernels", "--format=json"], inputs.as_slice()].concat();
    let bench = fornax(folder.path(), &flags).ok().stdout;
    std::fs::write(folder.path().join("bench.json"), &bench).unwrap();
    let (_, data) = page(folder.path(), &["--bench=bench.json"]);
    let bench: Value = serde_json::from_str(&bench).unwrap();
    let mut wanted: Vec<f64> =
        bench["kernels"].as_array().unwrap().iter().map(|k| k["launch_us"].as_f64().unwrap()).collect();
    let mut found = times(&data);
    wanted.sort_by(f64::total_cmp);
    found.sort_by(f64::total_cmp);
    assert_eq!(found, wanted);
    std::fs::write(folder.path().join("bench.json"), "{}").unwrap();
    fornax(folder.path(), &["inspect", "m.fnx", "--report=p.html", "--bench=bench.json"]).fails(1, "bench --kernels");
}

#[test]
fn sizes_can_be_given() {
    let folder = tempfile::tempdir().unwrap();
    compiled(folder.path(), "sizes/attention/model.mlir", &["--target=cpu"]);
    let (_, data) = page(folder.path(), &["--size=b=3"]);
    let main = &data["programs"][0]["functions"][0];
    assert_eq!(main["sizes"], serde_json::json!([["b", 3], ["s", 16]]));
    assert!(main["arena"]["text"].as_str().unwrap().contains("b*s*s"), "{}", main["arena"]);
    fornax(folder.path(), &["inspect", "m.fnx", "--report=p.html", "--size=rows=3"]).fails(1, "FX0801");
}
