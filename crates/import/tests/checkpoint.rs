//! Folders of checkpoints made by hand: both functions of the model verify, and what is wrong is named.

mod folder;

use fornax_import::checkpoint::{CheckpointOptions, to_text};
use fornax_import::import_text;

use folder::write;

const CONFIG: &str = r#"{"model_type": "qwen3", "hidden_size": 10, "num_hidden_layers": 2, "num_attention_heads": 3,
    "num_key_value_heads": 1, "head_dim": 6, "intermediate_size": 7, "max_position_embeddings": 50,
    "rms_norm_eps": 1e-6, "rope_theta": 10000.0, "hidden_act": "silu", "tie_word_embeddings": true}"#;

/// Name, sizes of every bf16 tensor.
fn tensors() -> Vec<(String, Vec<u64>)> {
    let mut all =
        vec![("model.embed_tokens.weight".to_string(), vec![11, 10]), ("model.norm.weight".to_string(), vec![10])];
    for layer in 0..2 {
        for (name, shape) in [
            ("input_layernorm", vec![10]),
            ("post_attention_layernorm", vec![10]),
            ("self_attn.q_proj", vec![18, 10]),
            ("self_attn.k_proj", vec![6, 10]),
            ("self_attn.v_proj", vec![6, 10]),
            ("self_attn.o_proj", vec![10, 18]),
            ("self_attn.q_norm", vec![6]),
            ("self_attn.k_norm", vec![6]),
            ("mlp.gate_proj", vec![7, 10]),
            ("mlp.up_proj", vec![7, 10]),
            ("mlp.down_proj", vec![10, 7]),
        ] {
            all.push((format!("model.layers.{layer}.{name}.weight"), shape));
        }
    }
    all
}

fn imported(config: &str, tensors: &[(String, Vec<u64>)], options: &CheckpointOptions) -> Result<String, String> {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), config, tensors);
    to_text(folder.path(), options).map_err(|error| format!("{}: {}", error.code, error.message))
}

#[test]
fn both_functions_verify() {
    let options = CheckpointOptions { context: Some(9), chunk: 4, ..CheckpointOptions::default() };
    let text = imported(CONFIG, &tensors(), &options).unwrap();
    let graph = import_text(&text, "checkpoint", &Default::default()).unwrap();
    let names: Vec<&str> = graph.functions.iter().map(|function| function.name.as_str()).collect();
    assert_eq!(names, ["prefill", "decode", "penalize", "top_k", "top_p", "draw"]);
    // Nine rows are three chunks of four.
    assert!(text.contains(r#"tensor<1x12x6xf32> {fornax.name = "values.1", tf.aliasing_output = 4 : i32}"#), "{text}");
    assert_eq!(text.matches(r#"fornax.parameter = "model.layers.1.self_attn.k_norm.weight""#).count(), 2);
}

/// The same with experts in the second layer: a tensor for each.
fn with_experts() -> (String, Vec<(String, Vec<u64>)>) {
    let config = CONFIG.replace("\"qwen3\"", "\"qwen3_moe\"").replace(
        "\"head_dim\"",
        "\"num_experts\": 5, \"num_experts_per_tok\": 2, \"moe_intermediate_size\": 4, \"mlp_only_layers\": [0], \
         \"norm_topk_prob\": true, \"head_dim\"",
    );
    let mut all = tensors();
    all.retain(|(name, _)| !name.starts_with("model.layers.1.mlp."));
    all.push(("model.layers.1.mlp.gate.weight".to_string(), vec![5, 10]));
    for expert in 0..5 {
        for (name, shape) in [("gate_proj", [4, 10]), ("up_proj", [4, 10]), ("down_proj", [10, 4])] {
            all.push((format!("model.layers.1.mlp.experts.{expert}.{name}.weight"), shape.to_vec()));
        }
    }
    (config, all)
}

#[test]
fn experts_are_one_parameter() {
    let (config, all) = with_experts();
    let text = imported(&config, &all, &CheckpointOptions::default()).unwrap();
    import_text(&text, "checkpoint", &Default::default()).unwrap();
    let wanted = r#"tensor<5x4x10xbf16> {fornax.parameter = "model.layers.1.mlp.experts.*.up_proj.weight"}"#;
    assert_eq!(text.matches(wanted).count(), 2, "{text}");
    // All of them in one tensor, gates and ups too.
    let mut stacked: Vec<_> = all.iter().filter(|(name, _)| !name.contains(".experts.")).cloned().collect();
    stacked.push(("model.layers.1.mlp.experts.gate_up_proj".to_string(), vec![5, 8, 10]));
    stacked.push(("model.layers.1.mlp.experts.down_proj".to_string(), vec![5, 10, 4]));
    let text = imported(&config, &stacked, &CheckpointOptions::default()).unwrap();
    assert!(text.contains(r#"tensor<5x8x10xbf16> {fornax.parameter = "model.layers.1.mlp.experts.gate_up_proj"}"#));
}

#[test]
fn what_is_wrong_with_experts_is_named() {
    let (config, all) = with_experts();
    let of = |config: &str, tensors: &[(String, Vec<u64>)]| {
        imported(config, tensors, &CheckpointOptions::default()).unwrap_err()
    };
    let without: Vec<_> = all.iter().filter(|(name, _)| !name.contains("experts.3.up")).cloned().collect();
    let mut other = all.clone();
    other.last_mut().unwrap().1 = vec![10, 5];
    let more = [&all[..], &[("model.layers.1.mlp.experts.5.up_proj.weight".to_string(), vec![4, 10])]].concat();
    for (error, wanted) in [
        (of(&config, &without), "FX1013: no tensor `model.layers.1.mlp.experts.3.up_proj.weight`"),
        (of(&config, &other), "FX1014: tensor `model.layers.1.mlp.experts.4.down_proj.weight` is [10, 5]"),
        (of(&config, &more), "FX1016: qwen3_moe has no place for model.layers.1.mlp.experts.5.up_proj.weight"),
        (of(&config.replace("per_tok\": 2", "per_tok\": 6"), &all), "FX1015: `num_experts_per_tok` is 6"),
        (of(&config.replace("per_tok\": 2", "per_tok\": 0"), &all), "FX1015: `num_experts_per_tok` is 0"),
        (of(&config.replace("experts\": 5", "experts\": 1e9"), &all), "FX1015: `num_experts` is 1000000000"),
        (of(&config.replace("[0]", "[\"a\"]"), &all), "FX1015: `mlp_only_layers` is no list of whole numbers"),
        (of(&config.replace("prob\": true", "prob\": 1"), &all), "FX1015: `norm_topk_prob` is neither"),
        (of(&config.replace("qwen3_moe", "qwen3"), &all), "FX1015: `num_experts` is set; known: none"),
    ] {
        assert!(error.starts_with(wanted), "{wanted}\n{error}");
    }
}

#[test]
fn what_is_wrong_with_yarn_is_named() {
    let of = |scaling: &str| {
        let config = CONFIG.replace("\"rope_theta\"", &format!("\"rope_scaling\": {{{scaling}}}, \"rope_theta\""));
        imported(&config, &tensors(), &CheckpointOptions::default())
    };
    let right = r#""type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16"#;
    of(right).unwrap();
    for (scaling, wanted) in [
        (r#""type": "yarn", "factor": 4.0"#.to_string(), "FX1015: no number `rope_scaling.original_max_position"),
        (right.replace("4.0", "0"), "FX1015: `rope_scaling.factor` is 0"),
        (right.replace("4.0", "\"a\""), "FX1015: `rope_scaling.factor` is no number"),
        (format!("{right}, \"beta_fast\": -1"), "FX1015: `rope_scaling.beta_fast` is -1"),
        (format!("{right}, \"truncate\": 1"), "FX1015: `rope_scaling.truncate` is neither"),
        (format!("{right}, \"attention_factor\": 0"), "FX1015: `rope_scaling.attention_factor` is 0"),
        (format!("{right}, \"mscale\": 1, \"mscale_all_dim\": -9"), "FX1015: `rope_scaling.mscale_all_dim` is"),
        (right.replace("yarn", "twine"), "FX1015: `rope_scaling.type` is twine; known: none, default, linear, llama3"),
    ] {
        let error = of(&scaling).unwrap_err();
        assert!(error.starts_with(wanted), "{wanted}\n{error}");
    }
    let config = CONFIG
        .replace("10000.0", "1.0")
        .replace("\"rope_theta\"", &format!("\"rope_scaling\": {{{right}}}, \"rope_theta\""));
    let error = imported(&config, &tensors(), &CheckpointOptions::default()).unwrap_err();
    assert!(error.starts_with("FX1015: `rope_theta` is 1"), "{error}");
}

#[test]
fn functions_of_several_texts_verify() {
    let options = CheckpointOptions { context: Some(9), chunk: 4, batch: 3, ..CheckpointOptions::default() };
    let text = imported(CONFIG, &tensors(), &options).unwrap();
    let graph = import_text(&text, "checkpoint", &Default::default()).unwrap();
    assert_eq!(graph.functions.len(), 6);
    let text = text.split("@penalize").next().unwrap();
    // Both take the caches of all texts, and give them back.
    let cache = r#"tensor<3x1x12x6xf32> {fornax.name = "values.1", tf.aliasing_output = 4 : i32}"#;
    assert_eq!(text.matches(cache).count(), 2, "{text}");
    for input in [
        r#"%arg1: tensor<3xi32> {fornax.name = "positions"}"#,
        r#"%arg3: tensor<i32> {fornax.name = "slot"}"#,
        r#"-> (tensor<3x"#,
    ] {
        assert_eq!(text.matches(input).count(), 1, "{input}: {text}");
    }
    for batch in [0, 1025] {
        let wrong = CheckpointOptions { batch, ..CheckpointOptions::default() };
        let error = imported(CONFIG, &tensors(), &wrong).unwrap_err();
        assert_eq!(error, format!("FX1017: {batch} texts a call; 1 to 1024 can be"));
    }
}

#[test]
fn what_is_wrong_is_named() {
    let of = |config: &str, tensors: &[(String, Vec<u64>)]| {
        imported(config, tensors, &CheckpointOptions::default()).unwrap_err()
    };
    let all = tensors();
    let mut other = all.clone();
    other[5].1 = vec![6, 11];
    let more = [&all[..], &[("model.layers.0.extra".to_string(), vec![2])]].concat();
    for (error, wanted) in [
        (
            of(&CONFIG.replace("qwen3", "qwen9"), &all),
            "FX1012: architecture `qwen9`; known: llama, mistral, mixtral, qwen2",
        ),
        (of(CONFIG, &all[..all.len() - 1]), "FX1013: no tensor `model.layers.1.mlp.down_proj.weight`"),
        (of(CONFIG, &other), "FX1014: tensor `model.layers.0.self_attn.k_proj.weight` is [6, 11]; [6, 10] is wanted"),
        (of(CONFIG, &more), "FX1016: qwen3 has no place for model.layers.0.extra"),
        (of(&CONFIG.replace("\"hidden_size\": 10", "\"hidden_size\": -1"), &all), "FX1015: `hidden_size` is -1"),
        (of(&CONFIG.replace("2,", "1e9,"), &all), "FX1015"),
        (of(&CONFIG.replace("silu", "mish"), &all), "FX1015: `hidden_act` is mish; known: silu"),
        (of("{", &all), "FX1011"),
    ] {
        assert!(error.starts_with(wanted), "{wanted}\n{error}");
    }
    let long = CheckpointOptions { context: Some(51), ..CheckpointOptions::default() };
    assert!(imported(CONFIG, &all, &long).unwrap_err().starts_with("FX1017: a context of 51"));
}
