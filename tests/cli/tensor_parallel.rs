//! Language models on several devices (`compile --tensor-parallel`): the same logits and texts as on one.

use std::path::Path;

use fornax_runtime::hal::OpenOptions;
use fornax_runtime::session::{Module, ParameterFile, SessionOptions};
use fornax_runtime::team;
use fornax_tests::{Run, fornax, root};
use fornax_text::{Demand, estimate_inference_memory};
use serde_json::{Value, json};

use crate::checkpoints::{CHUNK, difference_with};

/// Of the largest logit, in f32: devices add up in another order than one does.
const TOLERANCE: f32 = 1e-5;

/// Compiles a checkpoint of `tests/checkpoints` for so many devices, and compares its logits with transformers'.
fn check(name: &str, devices: u32, more: &[&str]) {
    let checkpoint = root().join("tests/checkpoints").join(name);
    let folder = if checkpoint.is_dir() { checkpoint.as_path() } else { checkpoint.parent().expect("a folder") };
    let own = [format!("--tensor-parallel={devices}"), format!("--chunk={CHUNK}"), "--compute-type=f32".to_string()];
    let flags: Vec<&str> = own.iter().map(String::as_str).chain(more.iter().copied()).collect();
    let found = difference_with(folder, &checkpoint, &flags);
    assert!(found <= TOLERANCE, "{name} on {devices} devices {more:?}: {found:e}");
}

#[test]
fn logits_are_those_of_one_device() {
    // Biases; two norms a part, windows and caps; experts; norms of whole vectors; one matrix for queries, keys and
    // values; matrices by inputs.
    for (name, devices) in [("qwen2", 2), ("gemma2", 2), ("mixtral", 2), ("olmo2", 2), ("phi3", 2), ("gpt2", 4)] {
        check(name, devices, &[]);
    }
    // Slots of a batch; caches with scales; a file of GGUF.
    check("llama3", 2, &["--batch=3"]);
    check("llama3/model.gguf", 2, &["--speculate=2"]);
}

#[test]
fn quantised_matrices_are_cut_too() {
    for name in ["llama_gptq_listed", "llama_awq", "qwen3_fp8_blocks", "qwen3_moe_blocks", "mixtral_fp8_static"] {
        check(name, 2, &[]);
    }
}

/// Half a minute: `cargo test -p fornax-tests --test cli -- --ignored`.
#[test]
#[ignore = "every checkpoint whose heads divide"]
fn every_architecture_runs_on_two_devices() {
    let odd = ["gemma", "qwen2_moe", "qwen3_moe"];
    for entry in std::fs::read_dir(root().join("tests/checkpoints")).expect("checkpoints") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name").to_string();
        if path.is_dir() && !odd.contains(&name.as_str()) {
            check(&name, 2, &[]);
            check(&name, 2, &["--batch=2"]);
            if path.join("model.gguf").exists() {
                check(&format!("{name}/model.gguf"), 2, &[]);
            }
        }
    }
}

/// A Llama of two layers, eight heads of four keys, 64 words: all that two and four devices divide.
fn write_checkpoint(folder: &Path) {
    const WIDTH: usize = 16;
    let config = json!({
        "model_type": "llama", "hidden_size": WIDTH, "num_hidden_layers": 2, "num_attention_heads": 8,
        "num_key_value_heads": 4, "head_dim": 4, "intermediate_size": 24, "max_position_embeddings": 64,
        "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "hidden_act": "silu", "tie_word_embeddings": true,
    });
    let mut shapes = vec![("model.embed_tokens".to_string(), [64, WIDTH]), ("model.norm".to_string(), [WIDTH, 1])];
    for layer in 0..2 {
        for (name, shape) in [
            ("input_layernorm", [WIDTH, 1]),
            ("post_attention_layernorm", [WIDTH, 1]),
            ("self_attn.q_proj", [32, WIDTH]),
            ("self_attn.k_proj", [16, WIDTH]),
            ("self_attn.v_proj", [16, WIDTH]),
            ("self_attn.o_proj", [WIDTH, 32]),
            ("mlp.gate_proj", [24, WIDTH]),
            ("mlp.up_proj", [24, WIDTH]),
            ("mlp.down_proj", [WIDTH, 24]),
        ] {
            shapes.push((format!("model.layers.{layer}.{name}"), shape));
        }
    }
    let (mut header, mut bytes, mut state) = (serde_json::Map::new(), Vec::new(), 3u64);
    for (name, shape) in shapes {
        let start = bytes.len();
        for _ in 0..shape[0] * shape[1] {
            // Constants: the 64-bit generator of Knuth's MMIX. Numbers from -1 to 1.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            bytes.extend((((state >> 40) % 65) as f32 / 32.0 - 1.0).to_le_bytes());
        }
        let shape: &[usize] = if shape[1] == 1 { &shape[..1] } else { &shape };
        let entry = json!({"dtype": "F32", "shape": shape, "data_offsets": [start, bytes.len()]});
        header.insert(format!("{name}.weight"), entry);
    }
    let header = Value::from(header).to_string();
    std::fs::create_dir(folder).expect("a folder");
    let file = [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &bytes].concat();
    std::fs::write(folder.join("model.safetensors"), file).expect("weights");
    std::fs::write(folder.join("config.json"), config.to_string()).expect("settings");
    let words: serde_json::Map<String, Value> = (0..64).map(|word| (format!("w{word}"), word.into())).collect();
    let tokenizer = json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
        "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null, "decoder": null,
        "model": {"type": "WordLevel", "vocab": words, "unk_token": "w0"},
    });
    std::fs::write(folder.join("tokenizer.json"), tokenizer.to_string()).expect("words");
}

/// The checkpoint, compiled for so many devices as `mN.fnx`.
fn compiled(folder: &Path, devices: u32, more: &[&str]) -> String {
    let (parallel, module) = (format!("--tensor-parallel={devices}"), format!("m{devices}.fnx"));
    let flags = ["compile", "-q", "--target=cpu:x86-64-v3", "model", "--context=48", "--chunk=8", &parallel];
    fornax(folder, &[&flags[..], &["-o", &module], more].concat()).ok();
    module
}

fn generate(folder: &Path, module: &str, flags: &[&str]) -> Run {
    let module = format!("--module={module}");
    let usual = ["generate", &module, "--parameters=model", "--raw", "--format=json", "--max-tokens=20"];
    fornax(folder, &[&usual[..], flags].concat())
}

fn ids(run: &Run) -> Vec<Value> {
    let line = |line: &str| serde_json::from_str::<Value>(line).expect("json")["ids"].clone();
    run.stdout.lines().map(line).collect()
}

#[test]
fn texts_are_those_of_one_device() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path();
    write_checkpoint(&dir.join("model"));
    let prompts = ["--prompt=w3 w17 w5 w22 w9 w63 w0 w1 w40 w33 w2", "--prompt=w7"];
    let drawn = ["--temperature=1.5", "--top-k=20", "--top-p=0.95", "--seed=3", "--repetition-penalty=1.2"];
    for (batch, prompts, counts) in [("--batch=1", &prompts[..1], &[2, 4][..]), ("--batch=2", &prompts[..], &[2])] {
        let one = compiled(dir, 1, &[batch]);
        let flags = [prompts, &drawn].concat();
        let (greedy, chosen) = (ids(&generate(dir, &one, prompts).ok()), ids(&generate(dir, &one, &flags).ok()));
        assert_ne!(greedy, chosen);
        for &devices in counts {
            let module = compiled(dir, devices, &[batch]);
            let parallel = format!("--tensor-parallel={devices}");
            let list = format!("--devices=cpu:0-{}", devices - 1);
            let found = generate(dir, &module, &[prompts, &[&parallel, &list]].concat()).ok();
            assert_eq!(ids(&found), greedy, "{devices} devices, {batch}");
            // Without a list: the first devices of the processor.
            assert_eq!(ids(&generate(dir, &module, &flags).ok()), chosen, "{devices} devices, {batch}");
        }
    }
    let text = "w3 w17 w5 w22 w9 w63 w0 w1 w40 w33 w2";
    std::fs::write(dir.join("text.txt"), text).expect("a text");
    let perplexity = |module: &str| {
        let module = format!("--module={module}");
        let run =
            fornax(dir, &["perplexity", &module, "--parameters=model", "--format=json", "--text-file=text.txt"]).ok();
        serde_json::from_str::<Value>(&run.stdout).expect("json")["perplexity"].as_f64().expect("a number")
    };
    let (one, two) = (perplexity("m1.fnx"), perplexity("m2.fnx"));
    assert!((one - two).abs() < 1e-4 * one, "{one} {two}");
}

#[test]
fn what_cannot_be_cut_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path();
    let refused = |name: &str, devices: u32, why: &str| {
        let checkpoint = root().join("tests").join(name).display().to_string();
        let parallel = format!("--tensor-parallel={devices}");
        let run = fornax(dir, &["compile", &checkpoint, "--target=cpu:x86-64-v3", &parallel, "-o", "no.fnx"]);
        let run = run.fails(1, "FX1019");
        assert!(run.stderr.contains(why), "{why}: {}", run.stderr);
    };
    refused("checkpoints/gemma", 2, "(heads of keys and values: 1); --tensor-parallel=1 would do");
    refused("checkpoints/llama3", 4, "(heads of keys and values: 2); --tensor-parallel=1, 2 would do");
    refused("checkpoints/qwen2_moe", 2, "(width of the shared expert: 13)");
    refused("checkpoints/gpt2", 0, "--tensor-parallel=1, 2, 4 would do");

    write_checkpoint(&dir.join("model"));
    let module = compiled(dir, 2, &[]);
    let prompt = "--prompt=w1";
    generate(dir, &module, &[prompt, "--tensor-parallel=4"]).fails(2, "FX0729");
    generate(dir, &module, &[prompt, "--devices=cpu:0-2"]).fails(2, "FX0729");
    generate(dir, &module, &[prompt, "--devices=cpu"]).fails(2, "FX0729");
    let one = compiled(dir, 1, &[]);
    generate(dir, &one, &[prompt, "--tensor-parallel=2"]).fails(2, "FX0729");
    let other = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %x : tensor<2xf32>\n}\n";
    std::fs::write(dir.join("other.mlir"), other).expect("a model");
    fornax(dir, &["compile", "other.mlir", "--tensor-parallel=2", "-o", "no.fnx"]).fails(1, "FX0801");
}

/// Each device takes its part of the weights and caches, and the estimate says so.
#[test]
fn devices_share_weights_and_caches() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path();
    write_checkpoint(&dir.join("model"));
    let estimate = |devices: u32| {
        let module = Module::open(&dir.join(compiled(dir, devices, &[]))).expect("a module");
        let parameters = vec![ParameterFile::parse(&dir.join("model").display().to_string())];
        let options = SessionOptions { parameters, ..SessionOptions::default() };
        let device = team::open("cpu", OpenOptions::default()).expect("a processor").remove(0);
        estimate_inference_memory(&module, &device, &options, &Demand::default()).expect("an estimate")
    };
    let [one, two, four] = [1, 2, 4].map(estimate);
    assert_eq!((one.cache / 2, one.cache / 4), (two.cache, four.cache));
    let weights = |found: &fornax_text::InferenceMemory| (found.weights + found.in_place) as f64;
    assert!(weights(&two) < 0.6 * weights(&one) && weights(&four) < 0.4 * weights(&one), "{one:?} {two:?} {four:?}");
}
