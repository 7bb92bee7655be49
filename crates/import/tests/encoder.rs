//! Folders of encoders made by hand: their functions verify, and what is wrong is named.

mod folder;

use std::path::Path;

use fornax_import::checkpoint::{CheckpointOptions, to_text};
use fornax_import::import_text;

use folder::write;

const CONFIG: &str = r#"{"model_type": "bert", "hidden_size": 6, "num_hidden_layers": 1, "num_attention_heads": 3,
    "intermediate_size": 7, "max_position_embeddings": 50, "layer_norm_eps": 1e-12, "hidden_act": "gelu"}"#;
const MODULES: &str = r#"[{"path": "", "type": "sentence_transformers.models.Transformer"},
    {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}]"#;
const POOLING: &str = r#"{"pooling_mode_mean_tokens": true}"#;

/// Name, sizes of every bf16 tensor.
fn tensors() -> Vec<(String, Vec<u64>)> {
    let mut all = Vec::new();
    for (name, shape) in [
        ("embeddings.word_embeddings", vec![11, 6]),
        ("embeddings.position_embeddings", vec![50, 6]),
        ("embeddings.token_type_embeddings", vec![2, 6]),
        ("embeddings.LayerNorm", vec![6]),
        ("encoder.layer.0.attention.self.query", vec![6, 6]),
        ("encoder.layer.0.attention.self.key", vec![6, 6]),
        ("encoder.layer.0.attention.self.value", vec![6, 6]),
        ("encoder.layer.0.attention.output.dense", vec![6, 6]),
        ("encoder.layer.0.attention.output.LayerNorm", vec![6]),
        ("encoder.layer.0.intermediate.dense", vec![7, 6]),
        ("encoder.layer.0.output.dense", vec![6, 7]),
        ("encoder.layer.0.output.LayerNorm", vec![6]),
    ] {
        if !name.starts_with("embeddings") || name.ends_with("LayerNorm") {
            all.push((format!("{name}.bias"), vec![shape[0]]));
        }
        all.push((format!("{name}.weight"), shape));
    }
    all
}

fn text(folder: &Path, options: &CheckpointOptions) -> Result<String, String> {
    to_text(folder, options).map_err(|error| format!("{}: {}", error.code, error.message))
}

fn names(text: &str) -> Vec<String> {
    let graph = import_text(text, "checkpoint", &Default::default()).unwrap();
    graph.functions.iter().map(|function| function.name.clone()).collect()
}

#[test]
fn a_function_for_each_length_verifies() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), CONFIG, &tensors());
    let of = |options| names(&text(folder.path(), &options).unwrap());
    assert_eq!(of(CheckpointOptions::default()), ["encode_8", "encode_16", "encode_32", "encode_50"]);
    let short = CheckpointOptions { context: Some(9), ..CheckpointOptions::default() };
    assert_eq!(of(short), ["encode_8", "encode_9"]);
    std::fs::write(folder.path().join("sentence_bert_config.json"), r#"{"max_seq_length": 20}"#).unwrap();
    assert_eq!(of(CheckpointOptions::default()), ["encode_8", "encode_16", "encode_20"]);
    let long = CheckpointOptions { context: Some(40), ..CheckpointOptions::default() };
    assert_eq!(of(long), ["encode_8", "encode_16", "encode_32", "encode_40"]);
}

#[test]
fn what_is_wrong_is_named() {
    let of = |config: &str, tensors: &[(String, Vec<u64>)]| {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), config, tensors);
        text(folder.path(), &CheckpointOptions::default()).unwrap_err()
    };
    let all = tensors();
    let set = |key: &str, value: &str| CONFIG.replacen('{', &format!("{{\"{key}\": {value}, "), 1);
    let extra = [&all[..], &[("classifier.weight".to_string(), vec![2, 6])]].concat();
    let known = "llama, mistral, mixtral, qwen2";
    for (error, wanted) in [
        (of(&CONFIG.replace("\"bert\"", "\"albert\""), &all), format!("FX1012: architecture `albert`; known: {known}")),
        (of(CONFIG, &all[..all.len() - 1]), "FX1013: no tensor `encoder.layer.0.output.LayerNorm.weight`".into()),
        (of(&CONFIG.replace(": 50", ": 51"), &all), "FX1014: tensor `embeddings.position_embeddings.weight`".into()),
        (of(CONFIG, &extra), "FX1016: bert has no place for classifier.weight".into()),
        (
            of(&CONFIG.replace("_heads\": 3", "_heads\": 4"), &all),
            "FX1015: `num_attention_heads` is 4; known: div".into(),
        ),
        (of(&CONFIG.replace("gelu", "mish"), &all), "FX1015: `hidden_act` is mish; known: silu".into()),
        (of(&CONFIG.replace("1e-12", "-1"), &all), "FX1015: `layer_norm_eps` is -1".into()),
        (of(&CONFIG.replace(": 1,", ": 1e9,"), &all), "FX1015: `num_hidden_layers`".into()),
        (of(&set("position_embedding_type", "\"relative_key\""), &all), "FX1015: `position_embedding_type`".into()),
        (of(&set("is_decoder", "true"), &all), "FX1015: `is_decoder` is true".into()),
        (of(&set("quantization_config", "{}"), &all), "FX1015: `quantization_config`".into()),
        (
            of(&set("pad_token_id", "49").replace("\"bert\"", "\"roberta\""), &all),
            "FX1015: `pad_token_id` is 49".into(),
        ),
        (
            of(&set("pad_token_id", "-1").replace("\"bert\"", "\"roberta\""), &all),
            "FX1015: `pad_token_id` is -1".into(),
        ),
        (
            of(&set("relative_attention_num_buckets", "16").replace("\"bert\"", "\"mpnet\""), &all),
            "FX1015: `relative_attention_num_buckets` is 16; known: 32".into(),
        ),
    ] {
        assert!(error.starts_with(&wanted), "{wanted}\n{error}");
    }
    assert!(of(&CONFIG.replace("\"bert\"", "\"albert\""), &all).contains("distilbert, mpnet"));
}

#[test]
fn steps_behind_the_model_are_read() {
    let of = |modules: &str, pooling: &str| {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), CONFIG, &tensors());
        std::fs::create_dir(folder.path().join("1_Pooling")).unwrap();
        std::fs::write(folder.path().join("modules.json"), modules).unwrap();
        std::fs::write(folder.path().join("1_Pooling/config.json"), pooling).unwrap();
        text(folder.path(), &CheckpointOptions::default())
    };
    let with = |kind: &str| MODULES.replacen(']', &format!(", {{\"path\": \"2\", \"type\": \"x.{kind}\"}}]"), 1);
    let (plain, normal) = (of(MODULES, POOLING).unwrap(), of(&with("Normalize"), POOLING).unwrap());
    assert_eq!((plain.matches("stablehlo.sqrt").count(), normal.matches("stablehlo.sqrt").count()), (0, 4));
    for (result, wanted) in [
        (of(&with("Dense"), POOLING), "FX1015: modules.json: the steps are Transformer, Pooling, Dense"),
        (of("[]", POOLING), "FX1015: modules.json: the steps are "),
        (of("{}", POOLING), "FX1015: modules.json: no list"),
        (of("{", POOLING), "FX1011: "),
        (
            of(&MODULES.replacen("\"\"", "\"0\"", 1), POOLING),
            "FX1015: modules.json: the Transformer is not in the folder",
        ),
        (of(&MODULES.replace("1_P", "../1_P"), POOLING), "FX1015: modules.json: the Pooling is not below"),
        (of(&MODULES.replace("1_P", "2_P"), POOLING), "FX1011: there is no "),
        (of(MODULES, r#"{"pooling_mode_max_tokens": true}"#), "FX1015: "),
        (of(MODULES, "{"), "FX1011: "),
    ] {
        let error = result.unwrap_err();
        assert!(error.starts_with(wanted), "{wanted}\n{error}");
    }
}

#[test]
fn lengths_have_limits() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), CONFIG, &tensors());
    for context in [0, 51, u64::MAX] {
        let options = CheckpointOptions { context: Some(context), ..CheckpointOptions::default() };
        let error = text(folder.path(), &options).unwrap_err();
        assert!(error.starts_with("FX1017"), "{context}: {error}");
    }
}
