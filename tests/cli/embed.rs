//! Encoders: of each architecture against what transformers computes with it (`tests/encoders/make.py`), as a folder of
//! Hugging Face's and as a GGUF file; `embed` and `serve` over one of them.

use std::path::{Path, PathBuf};

use fornax_runtime::registry::open_device;
use fornax_runtime::session::{Module, ParameterFile, Session, SessionOptions};
use fornax_runtime::tensor::npy;
use fornax_tests::{Run, fornax, root};
use fornax_text::{Encode, Encoder};
use serde_json::{Value, json};

use crate::serve::Server;

/// Of the largest element, by the type of products' operands. Found (x86-64): 3e-7, 0.006, 6e-4.
const TOLERANCES: &[(&str, f32)] = &[("f32", 2e-6), ("bf16", 1.0 / 32.0), ("f16", 1.0 / 256.0)];
/// Encoders whose graphs have all that the others' have, and distances.
const ALL_TYPES: &[&str] = &["bert", "mpnet"];

fn encoders() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("tests/encoders")).expect("encoders");
    let mut folders: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn array(path: &Path) -> Vec<[u8; 4]> {
    let bytes = npy::read(&std::fs::read(path).expect("an array")).expect("npy").0.bytes().to_vec();
    bytes.chunks_exact(4).map(|b| b.try_into().expect("four bytes")).collect()
}

/// The largest difference of any element, as a part of the largest one; `wanted` is the file of the vectors.
fn difference(folder: &Path, (checkpoint, wanted): (&Path, &str), element: &str) -> f32 {
    let dir = tempfile::tempdir().expect("a folder");
    let name = checkpoint.display().to_string();
    let element = format!("--compute-type={element}");
    fornax(dir.path(), &["compile", &name, &element, "--context=40", "--target=cpu:native", "-o", "m.fnx"]).ok();
    let module = Module::open(&dir.path().join("m.fnx")).expect("a module");
    let options = SessionOptions { parameters: vec![ParameterFile::parse(&name)], ..SessionOptions::default() };
    let session = Session::load(&module, &open_device("cpu").expect("a processor"), &options).expect("a session");
    let mut encoder = Encoder::new(session).expect("an encoder");
    let tokens: Vec<u32> = array(&folder.join("tokens.npy")).into_iter().map(u32::from_le_bytes).collect();
    let vectors: Vec<f32> = array(&folder.join(wanted)).into_iter().map(f32::from_le_bytes).collect();
    let largest = vectors.iter().fold(0f32, |most, x| most.max(x.abs()));
    let counts = array(&folder.join("counts.npy"));
    assert_eq!((encoder.context(), vectors.len()), (40, counts.len() * encoder.width()));
    let mut worst = 0f32;
    for (count, wanted) in counts.into_iter().zip(vectors.chunks_exact(encoder.width())) {
        let count = u32::from_le_bytes(count) as usize;
        let found = encoder.encode(&tokens[..count]).expect("a vector");
        worst = found.iter().zip(wanted).fold(worst, |most, (a, b)| most.max((a - b).abs()));
    }
    worst / largest
}

fn has_all_types(folder: &Path) -> bool {
    ALL_TYPES.iter().any(|name| folder.ends_with(name))
}

fn tolerances(folder: &Path) -> &'static [(&'static str, f32)] {
    if has_all_types(folder) { TOLERANCES } else { &TOLERANCES[..1] }
}

#[test]
fn vectors_are_those_of_transformers() {
    let (mut wrong, folders, mut files) = (Vec::new(), encoders(), 0);
    for folder in &folders {
        let file = folder.join("model.gguf");
        let file = file.exists().then_some((file.as_path(), "plain.npy", &TOLERANCES[..1]));
        files += usize::from(file.is_some());
        for (checkpoint, wanted, tolerances) in
            [(folder.as_path(), "embeddings.npy", tolerances(folder))].into_iter().chain(file)
        {
            for &(element, tolerance) in tolerances {
                let found = difference(folder, (checkpoint, wanted), element);
                if found.is_nan() || found > tolerance {
                    wrong.push(format!("{} in {element}: {found:e}, at most {tolerance:e}", checkpoint.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!((folders.len(), files), (6, 2), "encoders, and those that are GGUF files too");
}

/// The encoder `bert_older`, whose vectors have lengths of their own, with words `w0`, `w1`, … and `w1` before and `w2`
/// behind a text; compiled as `m.fnx`, for 16 tokens.
fn compiled(folder: &Path) {
    let (from, to) = (root().join("tests/encoders/bert_older"), folder.join("model"));
    std::fs::create_dir_all(to.join("1_Pooling")).unwrap();
    for name in ["config.json", "model.safetensors", "modules.json", "1_Pooling/config.json"] {
        std::fs::copy(from.join(name), to.join(name)).unwrap();
    }
    let words: serde_json::Map<String, Value> = (0..37).map(|word| (format!("w{word}"), word.into())).collect();
    let special = |id: u32| json!({"id": format!("w{id}"), "ids": [id], "tokens": [format!("w{id}")]});
    let part = |id: &str| json!({"SpecialToken": {"id": id, "type_id": 0}});
    let text = json!({"Sequence": {"id": "A", "type_id": 0}});
    let tokenizer = json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
        "pre_tokenizer": {"type": "WhitespaceSplit"}, "decoder": null,
        "post_processor": {"type": "TemplateProcessing", "single": [part("w1"), text, part("w2")], "pair": [text],
                           "special_tokens": {"w1": special(1), "w2": special(2)}},
        "model": {"type": "WordLevel", "vocab": words, "unk_token": "w0"},
    });
    std::fs::write(to.join("tokenizer.json"), tokenizer.to_string()).unwrap();
    let flags = ["compile", "-q", "--target=cpu:x86-64-v3", "model", "--context=16", "-o", "m.fnx"];
    fornax(folder, &flags).ok();
}

fn embed(folder: &Path, flags: &[&str]) -> Run {
    fornax(folder, &[&["embed", "--module=m.fnx", "--parameters=model"], flags].concat())
}

fn vectors(answer: &Value) -> Vec<Vec<f64>> {
    let row = |row: &Value| row.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    answer.as_array().unwrap().iter().map(row).collect()
}

fn is_near(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5)
}

fn unit(vector: &[f64]) -> Vec<f64> {
    let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    vector.iter().map(|x| x / length).collect()
}

#[test]
fn texts_become_vectors() {
    let dir = tempfile::tempdir().unwrap();
    compiled(dir.path());
    let json = |flags: &[&str]| -> Value {
        serde_json::from_str(&embed(dir.path(), &[flags, &["--format=json"]].concat()).ok().stdout).unwrap()
    };
    let both = json(&["--text=w5 w6 w7", "--text="]);
    assert_eq!((&both["tokens"], &both["width"]), (&json!([5, 2]), &json!(20)));
    let found = vectors(&both["embeddings"]);
    assert!(found[0].len() == 20 && !is_near(&found[0], &found[1]));
    let normal = json(&["--text=w5 w6 w7", "--normalize"]);
    assert!(is_near(&vectors(&normal["embeddings"])[0], &unit(&found[0])));

    std::fs::write(dir.path().join("texts"), "w5 w6 w7\r\n\nw8\n").unwrap();
    let lines = embed(dir.path(), &["--text-file=texts"]).ok();
    let rows: Vec<Vec<f64>> =
        lines.stdout.lines().map(|line| line.split(' ').map(|x| x.parse().unwrap()).collect()).collect();
    assert_eq!(rows.len(), 3);
    assert!(is_near(&rows[0], &found[0]) && is_near(&rows[1], &found[1]));
    assert!(lines.stderr.contains("3 texts, 10 tokens"), "{}", lines.stderr);

    // Fourteen words and two tokens around them fit.
    let long = format!("--text={}", "w5 ".repeat(15));
    embed(dir.path(), &["--text=w5", &long]).fails(1, "FX1105");
    let cut = json(&[&long, "--truncate"]);
    assert_eq!(cut["tokens"], json!([16]));
    let fits = json(&[&format!("--text={}", "w5 ".repeat(14))]);
    assert!(is_near(&vectors(&cut["embeddings"])[0], &vectors(&fits["embeddings"])[0]));
}

#[test]
fn what_cannot_be_embedded_is_said() {
    let dir = tempfile::tempdir().unwrap();
    compiled(dir.path());
    fornax(dir.path(), &["generate", "--module=m.fnx", "--parameters=model", "--prompt=w5"]).fails(1, "FX1104");
    embed(dir.path(), &[]).fails(1, "--text");
    embed(dir.path(), &["--text-file=none"]).fails(1, "FX0803");
    let other = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %x : tensor<2xf32>\n}\n";
    std::fs::write(dir.path().join("other.mlir"), other).unwrap();
    fornax(dir.path(), &["compile", "-q", "--target=cpu:x86-64-v3", "other.mlir", "-o", "m.fnx"]).ok();
    embed(dir.path(), &["--text=w5"]).fails(1, "FX1109");
    // By one length a function may be called `encode` alone; this one divides by nothing.
    let nothing = "func.func @encode(%t: tensor<4xi32>, %c: tensor<i32>) -> tensor<2xf32> {\n  \
                   %z = stablehlo.constant dense<0.0> : tensor<2xf32>\n  \
                   %q = stablehlo.divide %z, %z : tensor<2xf32>\n  return %q : tensor<2xf32>\n}\n";
    std::fs::write(dir.path().join("other.mlir"), nothing).unwrap();
    fornax(dir.path(), &["compile", "-q", "--target=cpu:x86-64-v3", "other.mlir", "-o", "m.fnx"]).ok();
    let flags = ["embed", "--module=m.fnx", "--tokenizer=model", "--text=w5"];
    fornax(dir.path(), &flags).fails(1, "FX1110");
}

#[test]
fn served_vectors_are_those_of_embed() {
    let dir = tempfile::tempdir().unwrap();
    compiled(dir.path());
    let run = embed(dir.path(), &["--text=w5 w6 w7", "--text=w8", "--normalize", "--format=json"]).ok();
    let wanted = vectors(&serde_json::from_str::<Value>(&run.stdout).unwrap()["embeddings"]);
    let server = Server::start(dir.path(), &[]);
    let ask = |body: Value| {
        let (status, reply) = server.post("/v1/embeddings", "", &body);
        assert_eq!(status, 200, "{reply}");
        serde_json::from_str::<Value>(&reply).unwrap()
    };
    let reply = ask(json!({ "model": "m", "input": ["w5 w6 w7", "w8"] }));
    assert_eq!(reply["usage"], json!({ "prompt_tokens": 8, "total_tokens": 8 }));
    for (at, wanted) in wanted.iter().enumerate() {
        assert!(is_near(&vectors(&json!([reply["data"][at]["embedding"]]))[0], wanted));
    }
    let ids = ask(json!({ "model": "m", "input": [1, 5, 6, 7, 2], "dimensions": 20 }));
    assert_eq!(ids["data"][0]["embedding"], reply["data"][0]["embedding"]);
    let (status, _) = server.post("/v1/completions", "", &json!({ "model": "m", "prompt": "w5" }));
    assert_eq!(status, 400);
    assert_eq!(server.end("-TERM"), Some(0));
}

/// All that a family can be compiled for; the kernels are the goldens' business.
#[test]
fn every_encoder_compiles_for_gpus() {
    for folder in encoders().into_iter().filter(|folder| has_all_types(folder)) {
        let dir = tempfile::tempdir().expect("a folder");
        let name = folder.display().to_string();
        let flags = ["--target=cuda:sm_90a,rocm:gfx942,opencl", "--cuda-use-ptxas=false", "--context=8"];
        fornax(dir.path(), &[&["compile", &name, "-o", "m.fnx"], &flags[..]].concat()).ok();
    }
}
