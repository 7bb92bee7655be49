//! `fornax quantize` and `fornax perplexity`: folders as GGUF files, matrices in fewer bits, what that loses.

use std::path::{Path, PathBuf};

use fornax_checkpoint::gguf::Gguf;
use fornax_runtime::registry::open_device;
use fornax_runtime::session::{Module, ParameterFile, Session, SessionOptions};
use fornax_tests::{fornax, root};
use fornax_text::{Decoder, DeviceModel, Vocabulary};
use serde_json::Value;

use crate::checkpoints::{CHUNK, difference};

fn checkpoint(name: &str) -> PathBuf {
    root().join("tests/checkpoints").join(name)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Tensors of a file of f32, by name.
fn tensors(path: &Path) -> Vec<(String, Vec<u64>, Vec<f32>)> {
    let (file, bytes) = (Gguf::open(path).unwrap(), std::fs::read(path).unwrap());
    let numbers = |range: &std::ops::Range<u64>| {
        let bytes = bytes[range.start as usize..range.end as usize].chunks_exact(4);
        bytes.map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
    };
    let mut all: Vec<_> =
        file.entries.iter().map(|entry| (entry.name.clone(), entry.shape.clone(), numbers(&entry.range))).collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}

/// A folder as a GGUF file is what `tests/checkpoints/to_gguf.py` makes of it by the `gguf` package.
#[test]
fn folders_become_the_files_that_llama_cpp_has() {
    let mut files = 0;
    for entry in std::fs::read_dir(root().join("tests/checkpoints")).unwrap() {
        let folder = entry.unwrap().path();
        let wanted = folder.join("model.gguf");
        // The second's file has blocks.
        if !wanted.exists() || ["yarn", "qwen3_moe_blocks"].iter().any(|name| folder.ends_with(name)) {
            continue;
        }
        files += 1;
        let dir = tempfile::tempdir().unwrap();
        let made = dir.path().join("made.gguf");
        fornax(dir.path(), &["quantize", text(&folder), "--type=f32", "-o", "made.gguf"]).ok();
        let name = folder.display();
        let (found, expected) = (tensors(&made), tensors(&wanted));
        let names = |all: &[(String, Vec<u64>, Vec<f32>)]| all.iter().map(|t| t.0.clone()).collect::<Vec<_>>();
        assert_eq!(names(&found), names(&expected), "{name}");
        for ((tensor, shape, numbers), (_, wanted_shape, wanted)) in found.iter().zip(&expected) {
            assert_eq!(shape, wanted_shape, "{name}: {tensor}");
            let near = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-6 * b.abs();
            assert!(numbers.iter().zip(wanted).all(near), "{name}: {tensor}");
        }
        let is_model = |key: &&String| !key.starts_with("tokenizer.") && !key.starts_with("general.");
        let (found, expected) = (Gguf::open(&made).unwrap(), Gguf::open(&wanted).unwrap());
        let keys: Vec<&String> = found.values.keys().chain(expected.values.keys()).filter(is_model).collect();
        for key in keys {
            assert_eq!(found.values.get(key), expected.values.get(key), "{name}: {key}");
        }
    }
    assert_eq!(files, 15);
}

#[test]
fn what_gguf_cannot_say_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let fails = |input: &Path, kind: &str, code: &str, part: &str| {
        let kind = format!("--type={kind}");
        let run = fornax(dir.path(), &["quantize", text(input), &kind, "-o", "made"]).fails(1, code);
        assert!(run.stderr.contains(part), "no `{part}` in: {}", run.stderr);
        assert!(!dir.path().join("made").exists());
    };
    // A scale of scores, and layers' bases, of their own.
    fails(&checkpoint("gemma2"), "q8_0", "FX1018", "GGUF has no keys");
    fails(&checkpoint("gemma3"), "q8_0", "FX1018", "GGUF has no keys");
    fails(&checkpoint("yarn"), "q8_0", "FX1018", "GGUF has no keys");
    fails(&checkpoint("llama_awq"), "q8_0", "FX1018", "quantised already");
    fails(&checkpoint("llama_awq"), "fp8", "FX1004", "quantised already");
    fails(&checkpoint("gpt2"), "fp8", "FX1004", "by inputs");
    fails(&checkpoint("llama3"), "q3_x", "FX0801", "known: q4_0, q4_1");
    fails(Path::new("nowhere"), "q4_0", "FX0801", "there is no nowhere");
    fails(&checkpoint("llama3/config.json"), "q4_0", "FX1001", "GGUF");
    // What is no number, in a file that is good otherwise.
    let mut bytes = std::fs::read(checkpoint("qwen3/model.gguf")).unwrap();
    let at = Gguf::open(&checkpoint("qwen3/model.gguf")).unwrap().entries[0].range.start as usize;
    bytes[at..at + 4].copy_from_slice(&f32::INFINITY.to_le_bytes());
    let broken = dir.path().join("broken.gguf");
    std::fs::write(&broken, bytes).unwrap();
    fails(&broken, "f16", "FX1004", "holds inf");
}

/// Blocks are read back: of a file that was quantised nothing is quantised again.
#[test]
fn kinds_fit_the_rows() {
    let dir = tempfile::tempdir().unwrap();
    let run = |kind: &str, name: &str| {
        let kind = format!("--type={kind}");
        let input = checkpoint("phi4_mini");
        let run = fornax(dir.path(), &["quantize", text(&input), &kind, "-o", name, "--format=json"]).ok();
        serde_json::from_str::<Value>(&run.stdout).unwrap()
    };
    let kinds = |report: &Value| -> Vec<(String, String)> {
        let tensors = report["tensors"].as_array().unwrap().iter();
        let field = |tensor: &Value, key: &str| tensor[key].as_str().unwrap().to_string();
        tensors.map(|tensor| (field(tensor, "name"), field(tensor, "to"))).collect()
    };
    let kind_of = |report: &Value, name: &str| kinds(report).into_iter().find(|row| row.0 == name).unwrap().1;
    // Rows of 32 and of 28 elements.
    let report = run("q4_0", "4.gguf");
    assert_eq!(kind_of(&report, "blk.0.attn_qkv.weight"), "Q4_0");
    assert_eq!(kind_of(&report, "blk.0.ffn_down.weight"), "F16");
    assert_eq!(kind_of(&report, "blk.0.attn_norm.weight"), "F32");
    assert_eq!(kind_of(&report, "token_embd.weight"), "Q8_0", "the last matrix too");
    let more = run("q5_k", "5.gguf");
    assert_eq!(kind_of(&more, "blk.0.attn_qkv.weight"), "Q5_1");
    let loss = |report: &Value| report["relative_rms"].as_f64().unwrap();
    assert!(loss(&report) > loss(&more) && loss(&more) > 0.0 && loss(&report) < 0.1);
    let size = std::fs::metadata(dir.path().join("4.gguf")).unwrap().len();
    assert!(report["bytes"].as_u64().unwrap() < size && size < 40_000, "{size}");
    let again = fornax(dir.path(), &["quantize", "4.gguf", "--type=q4_0", "-o", "5.gguf"]).fails(1, "FX1004");
    assert!(again.stderr.contains("blocks Q"), "{}", again.stderr);
    // The same model to what 8 bits lose, which is what products of bf16 lose (`checkpoints`); a table this time.
    let input = checkpoint("phi4_mini");
    let table = fornax(dir.path(), &["quantize", text(&input), "--type=q8_0", "-o", "8.gguf"]).ok();
    assert!(table.stdout.contains("F32 > Q8_0") && table.stdout.contains("bits an element"), "{}", table.stdout);
    let off = difference(&input, &dir.path().join("8.gguf"), ("f32", CHUNK));
    assert!(off > 1e-6 && off < 0.25, "{off}");
}

#[test]
fn folders_of_fp8_are_read_again() {
    let dir = tempfile::tempdir().unwrap();
    let input = checkpoint("qwen3");
    let run = ["quantize", text(&input), "--type=fp8", "-o", "out", "--format=json"];
    let report: Value = serde_json::from_str(&fornax(dir.path(), &run).ok().stdout).unwrap();
    let of_layers = report["tensors"].as_array().unwrap().iter().filter(|tensor| tensor["to"] == "F8_E4M3");
    assert_eq!(of_layers.count(), 14);
    let loss = report["relative_rms"].as_f64().unwrap();
    assert!(loss > 0.01 && loss < 0.04, "{loss}");
    let off = difference(&input, &dir.path().join("out"), ("f32", CHUNK));
    assert!(off > 1e-4 && off < 0.2, "{off}");
    let config = std::fs::read_to_string(dir.path().join("out/config.json")).unwrap();
    assert!(config.contains("\"compressed-tensors\"") && config.contains("lm_head") == config.contains("embed_tokens"));
    // The words go along; a folder that holds something is left alone.
    assert!(dir.path().join("out/tokens.npy").exists());
    fornax(dir.path(), &run).fails(1, "FX0802");
    // Activations are what is asked for, of this kind alone.
    assert!(config.contains("\"input_activations\": null"), "{config}");
    let run = ["quantize", text(&input), "--type=fp8", "-o", "narrow", "--activation-type=f8"];
    fornax(dir.path(), &run).ok();
    let narrow = difference(&input, &dir.path().join("narrow"), ("f32", CHUNK));
    assert!(narrow > off / 4.0 && narrow < 0.3, "{narrow}");
    let flags = ["import", "--emit-mlir", "narrow"];
    assert!(fornax(dir.path(), &flags).ok().stdout.contains("xf8E4M3FN>, tensor<"));
    for (kind, other) in [("q8_0", "f8"), ("fp8", "f16"), ("fp8", "as-stored")] {
        let (kind, other) = (format!("--type={kind}"), format!("--activation-type={other}"));
        fornax(dir.path(), &["quantize", text(&input), &kind, &other, "-o", "more"]).fails(1, "FX0801");
    }
}

#[test]
fn the_last_matrix_is_narrowed_where_it_is_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let input = checkpoint("qwen3");
    let run = ["quantize", text(&input), "--type=fp8", "--last-matrix", "-o", "out", "--format=json"];
    let report: Value = serde_json::from_str(&fornax(dir.path(), &run).ok().stdout).unwrap();
    let to = |name: &str| {
        let mut tensors = report["tensors"].as_array().unwrap().iter();
        tensors.find(|tensor| tensor["name"] == name).unwrap()["to"].clone()
    };
    assert_eq!((to("lm_head.weight"), to("model.embed_tokens.weight")), ("F8_E4M3".into(), "F32".into()));
    let off = difference(&input, &dir.path().join("out"), ("f32", CHUNK));
    assert!(off > 1e-4 && off < 0.25, "{off}");
    // An embedding that is the last matrix stays; other kinds have a rule of their own.
    let gemma = checkpoint("gemma2");
    let tied = ["quantize", text(&gemma), "--type=fp8", "--last-matrix", "-o", "tied"];
    assert!(fornax(dir.path(), &tied).fails(1, "FX1004").stderr.contains("no last matrix of its own"));
    fornax(dir.path(), &["quantize", text(&input), "--type=q8_0", "--last-matrix", "-o", "q8"]).fails(1, "FX0801");
}

/// Of a text by the module, and by both checkpoints: what the logits say.
#[test]
fn perplexity_is_that_of_the_logits() {
    let dir = tempfile::tempdir().unwrap();
    let file = checkpoint("qwen3").join("model.gguf");
    // The file's words know no letters.
    std::fs::write(dir.path().join("text"), "<s></s><s>").unwrap();
    let flags = ["quantize", text(&file), "--type=f32", "-o", "made.gguf", "--text-file=text", "--format=json"];
    let report: Value = serde_json::from_str(&fornax(dir.path(), &flags).ok().stdout).unwrap();
    let found = &report["perplexity"];
    fornax(dir.path(), &["compile", text(&file), "--target=cpu:native", "-o", "m.fnx"]).ok();
    let parameters = format!("--parameters={}", file.display());
    let flags = ["perplexity", "--module=m.fnx", &parameters, "--text-file=text", "--format=json"];
    let own: Value = serde_json::from_str(&fornax(dir.path(), &flags).ok().stdout).unwrap();
    assert_eq!((&found["before"], &found["after"]), (&own["perplexity"], &own["perplexity"]));
    let module = Module::open(&dir.path().join("m.fnx")).unwrap();
    let parameters = vec![ParameterFile::parse(text(&file))];
    let options = SessionOptions { parameters, ..SessionOptions::default() };
    let session = Session::load(&module, &open_device("cpu").unwrap(), &options).unwrap();
    let mut decoder = Decoder::new(DeviceModel::new(session).unwrap()).unwrap();
    let tokens = Vocabulary::open(&file).unwrap().encode("<s></s><s>").unwrap();
    assert!(tokens.len() >= 3, "{tokens:?}");
    let mut loss = 0.0;
    for pair in tokens.windows(2) {
        let logits: Vec<f64> = decoder.feed(&pair[..1]).unwrap().into_iter().map(f64::from).collect();
        let sum: f64 = logits.iter().map(|logit| logit.exp()).sum();
        loss -= (logits[pair[1] as usize].exp() / sum).ln();
    }
    let compared = tokens.len() - 1;
    assert_eq!(own["tokens"], compared);
    let wanted = (loss / compared as f64).exp();
    assert!((own["perplexity"].as_f64().unwrap() / wanted - 1.0).abs() < 1e-4, "{own} {wanted}");
    let short = fornax(dir.path(), &[&flags[..], &["--max-tokens=1"]].concat()).fails(1, "FX0801");
    assert!(short.stderr.contains("fewer than two tokens"), "{}", short.stderr);
}
