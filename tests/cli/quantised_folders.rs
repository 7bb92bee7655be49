//! Broken folders of quantised matrices, and settings that are not known: an error with its code, which names the
//! tensor or the setting. What good ones compute is the business of `checkpoints`.

use std::path::Path;

use fornax_tests::{fornax, root};
use serde_json::{Value, json};

/// A copy of a folder of `tests/checkpoints` that can be broken.
struct Folder {
    dir: tempfile::TempDir,
}

impl Folder {
    fn new(name: &str) -> Folder {
        let dir = tempfile::tempdir().unwrap();
        for file in ["config.json", "model.safetensors"] {
            std::fs::copy(root().join("tests/checkpoints").join(name).join(file), dir.path().join(file)).unwrap();
        }
        Folder { dir }
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Changes a setting of `quantization_config`.
    fn set(&self, key: &str, value: Value) {
        let path = self.path().join("config.json");
        let mut config: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        config["quantization_config"][key] = value;
        std::fs::write(&path, config.to_string()).unwrap();
    }

    /// Changes the header of the tensors, and their data.
    fn change(&self, change: impl FnOnce(&mut Value, &mut Vec<u8>)) {
        let path = self.path().join("model.safetensors");
        let bytes = std::fs::read(&path).unwrap();
        let length = u64::from_le_bytes(*bytes.first_chunk().unwrap()) as usize;
        let mut header: Value = serde_json::from_slice(&bytes[8..8 + length]).unwrap();
        let mut data = bytes[8 + length..].to_vec();
        change(&mut header, &mut data);
        let header = header.to_string();
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header.bytes());
        bytes.extend(data);
        std::fs::write(&path, bytes).unwrap();
    }

    /// Another name for a tensor.
    fn rename(&self, from: &str, to: &str) {
        self.change(|header, _| {
            let entry = header.as_object_mut().unwrap().remove(from).expect("the tensor");
            header[to] = entry;
        });
    }

    /// Another shape or type for a tensor.
    fn say(&self, name: &str, key: &str, value: Value) {
        self.change(|header, _| header[name][key] = value);
    }

    /// One number of a list of i32.
    fn put(&self, name: &str, at: usize, number: i32) {
        self.write(name, 4 * at, &number.to_le_bytes());
    }

    /// Bytes of a tensor, from `at` on.
    fn write(&self, name: &str, at: usize, bytes: &[u8]) {
        self.change(|header, data| {
            let from = header[name]["data_offsets"][0].as_u64().unwrap() as usize + at;
            data[from..from + bytes.len()].copy_from_slice(bytes);
        });
    }

    /// What is said when it is imported: the code, and a part of the message.
    fn fails(&self, code: &str, part: &str) {
        let run = fornax(self.path(), &["import", "--emit-mlir", "."]).fails(1, code);
        assert!(run.stderr.contains(part), "no `{part}` in: {}", run.stderr);
    }

    /// The model's text.
    fn text(&self, flags: &[&str]) -> String {
        fornax(self.path(), &[&["import", "--emit-mlir", "."], flags].concat()).ok().stdout
    }
}

/// Of each format the tensors of one matrix, with what is said where they are not what they must be.
#[test]
fn broken_parts_are_named() {
    let gptq = "model.layers.1.mlp.up_proj";
    let part = |end: &str| format!("{gptq}.{end}");
    let broken = |name: &str, change: &dyn Fn(&Folder), code: &str, said: &str| {
        let folder = Folder::new(name);
        change(&folder);
        folder.fails(code, said);
    };
    for (name, end) in [
        ("llama_gptq_listed", "scales"),
        ("llama_gptq_listed", "qzeros"),
        ("llama_gptq_listed", "g_idx"),
        ("llama_awq", "qzeros"),
    ] {
        let missing = part(end);
        broken(name, &|folder| folder.rename(&missing, "other"), "FX1013", &format!("no tensor `{missing}`"));
        let said = format!("tensor `{missing}` is [");
        broken(
            name,
            &|folder| {
                folder.change(|header, _| {
                    let shape = &mut header[&missing]["shape"];
                    *shape = json!(shape.as_array().unwrap().iter().rev().chain([&json!(1)]).collect::<Vec<_>>());
                });
            },
            "FX1014",
            &said,
        );
    }
    let words = part("qweight");
    broken("llama_awq", &|folder| folder.say(&words, "dtype", json!("F32")), "FX1014", "elements F32; known: i32");
    broken("llama_awq", &|folder| folder.say(&part("scales"), "dtype", json!("I16")), "FX1014", "elements I16");
    let scale = "model.layers.0.self_attn.v_proj.weight_scale";
    broken("llama_fp8", &|folder| folder.rename(scale, "other"), "FX1013", "no `weight_scale`");
    broken("llama_fp8", &|folder| folder.say(scale, "shape", json!([4, 4])), "FX1014", "[16, 1] is wanted");
    let scale = "model.layers.0.self_attn.v_proj.input_scale";
    let name = "llama_w8a8_static";
    broken(name, &|folder| folder.rename(scale, "other"), "FX1013", "no `input_scale`");
    let two = json!({"dtype": "BF16", "shape": [2]});
    let two = |header: &mut Value, _: &mut Vec<u8>| {
        two.as_object().unwrap().iter().for_each(|(key, value)| header[scale][key] = value.clone());
    };
    broken(name, &|folder| folder.change(two), "FX1014", "[1] is wanted");
    broken(name, &|folder| folder.say(scale, "dtype", json!("I32")), "FX1014", "elements I32");
    // One tensor of all experts: no format has it with scales.
    let both = "model.layers.0.mlp.experts.gate_up_proj";
    let folder = Folder::new("olmoe");
    folder.set("quant_method", json!("fp8"));
    folder.change(|header, _| {
        let (from, to) = (&header[both]["data_offsets"][0], &header[both]["data_offsets"][1]);
        let (from, to) = (from.as_u64().unwrap(), to.as_u64().unwrap());
        let end = from + (to - from) / 4;
        header["rest"] = json!({"dtype": "F8_E4M3", "shape": [to - end], "data_offsets": [end, to]});
        (header[both]["dtype"], header[both]["data_offsets"][1]) = (json!("F8_E4M3"), json!(end));
    });
    folder.fails("FX1014", &format!("tensor `{both}` has elements F8_E4M3; known"));
    // Of an expert that is not the first.
    let expert = "model.layers.0.block_sparse_moe.experts.2.w1.weight_scale";
    broken("mixtral_fp8", &|folder| folder.rename(expert, "other"), "FX1013", &format!("no tensor `{expert}`"));
    broken("mixtral_fp8", &|folder| folder.say(expert, "shape", json!([1, 28])), "FX1014", "[28, 1] is wanted");
    let expert = "model.layers.1.block_sparse_moe.experts.3.w2";
    for (name, end, other) in
        [("mixtral_gptq", "scales", "I16"), ("mixtral_gptq", "qzeros", "F32"), ("mixtral_awq", "qweight", "F32")]
    {
        let part = format!("{expert}.{end}");
        broken(name, &|folder| folder.rename(&part, "other"), "FX1013", &format!("no tensor `{part}`"));
        broken(name, &|folder| folder.say(&part, "dtype", json!(other)), "FX1014", "different elements");
    }
    let blocks = "model.layers.0.self_attn.v_proj.weight_scale_inv";
    broken("qwen3_fp8_blocks", &|folder| folder.say(blocks, "shape", json!([2, 1])), "FX1014", "[1, 2] is wanted");
}

/// Stored scales of activations that are missing, oddly shaped, or no numbers to divide by: of a matrix, of the first
/// expert and of another.
#[test]
fn stored_scales_are_checked() {
    let expert = |number: u32, end: &str| format!("model.layers.1.block_sparse_moe.experts.{number}.{end}");
    let (first, other) = (expert(0, "w3.input_scale"), expert(3, "w2.input_scale"));
    let dense = "model.layers.0.self_attn.v_proj.input_scale".to_string();
    let all = [("mixtral_fp8_static", &first), ("mixtral_fp8_static", &other), ("llama_w8a8_static", &dense)];
    for (name, scale) in all {
        for number in [0.0, -0.0, -0.5, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e-40] {
            let folder = Folder::new(name);
            folder.write(scale, 0, &number.to_le_bytes());
            folder.fails("FX1014", &format!("tensor `{scale}` is {number:?}"));
            // Floats have no use for it.
            folder.text(&["--activation-type=float"]);
        }
        let folder = Folder::new(name);
        folder.change(|header, _| {
            (header[scale]["dtype"], header[scale]["shape"]) = (json!("BF16"), json!([2]));
        });
        folder.fails("FX1014", &format!("tensor `{scale}` is [2]; ["));
    }
    let renamed = |scale: &str, said: &str| {
        let folder = Folder::new("mixtral_fp8_static");
        folder.rename(scale, "other");
        folder.fails("FX1013", said);
    };
    renamed(&first, &format!("tensor `{}` has activations with a scale", expert(0, "w3.weight")));
    renamed(&other, &format!("no tensor `{other}`"));
    for (scale, said) in [(first, "elements I32"), (other, "different elements")] {
        let folder = Folder::new("mixtral_fp8_static");
        folder.say(&scale, "dtype", json!("I32"));
        folder.fails("FX1014", said);
    }
    // The name that transformers writes.
    let folder = Folder::new("llama_w8a8_static");
    let name = dense.replace("input_scale", "activation_scale");
    folder.rename(&dense, &name);
    assert!(folder.text(&[]).contains(&name));
}

/// Gates and ups with the same stored scales share them, and one quantisation.
#[test]
fn equal_scales_of_experts_are_read_once() {
    let folder = Folder::new("qwen3_moe_fp8_static");
    let up = |layer: u32| format!("model.layers.{layer}.mlp.experts.*.up_proj.input_scale");
    let rounded = |text: &str| {
        let step = text.split("@decode").nth(1).expect("a step").to_string();
        step.matches("xf32>) -> tensor<3x20xf8E4M3FN>").count()
    };
    // Of the first layer, one scale is that of all experts: rows are rounded before experts are picked.
    let text = folder.text(&[]);
    assert!([0, 2].iter().all(|&layer| !text.contains(&up(layer))), "{text}");
    let before = rounded(&text);
    for layer in [0, 2] {
        let one = up(layer).replace('*', "31");
        folder.write(&one, 0, &[0x40, 0x3c]);
        let text = folder.text(&[]);
        assert!(text.contains(&up(layer)), "{text}");
    }
    assert!(rounded(&folder.text(&[])) > before);
}

/// Groups that are not there, or have not as many inputs as a group has.
#[test]
fn lists_of_groups_are_checked() {
    let name = "model.layers.0.self_attn.o_proj.g_idx";
    for (number, said) in [(2, "is of group 2; there are 2"), (-1, "is of group -1"), (i32::MAX, "is of group")] {
        let folder = Folder::new("llama_gptq_listed");
        folder.put(name, 5, number);
        folder.fails("FX1014", said);
    }
    let folder = Folder::new("llama_gptq_listed");
    (0..32).for_each(|at| folder.put(name, at, 0));
    folder.fails("FX1014", "group 0 has 32 inputs; 16 are wanted");
    // Of an expert; in another order it is put in its own, though `desc_act` is not set.
    let folder = Folder::new("mixtral_gptq");
    let name = "model.layers.0.block_sparse_moe.experts.1.w1.g_idx";
    let sorts = |folder: &Folder| folder.text(&[]).matches("\"stablehlo.sort\"").count();
    let before = sorts(&folder);
    [(0, 1), (8, 0)].iter().for_each(|&(at, group)| folder.put(name, at, group));
    assert!(sorts(&folder) > before);
    folder.put(name, 0, 4);
    folder.fails("FX1014", "is of group 4; there are 4");
    // A list that is in order needs no `desc_act`, and none at all then.
    let folder = Folder::new("qwen2_gptq");
    folder.put("model.layers.0.mlp.gate_proj.g_idx", 39, 0);
    folder.fails("FX1014", "group 0 has 9 inputs");
}

#[test]
fn unknown_settings_list_what_is_known() {
    for (name, key, value, said) in [
        ("qwen2_gptq", "quant_method", json!("hqq"), "fp8, fbgemm_fp8, compressed-tensors, gptq, awq"),
        ("qwen2_gptq", "bits", json!(3), "known: 4, 8"),
        ("qwen2_gptq", "bits", json!("four"), "no number `quantization_config.bits`"),
        ("qwen2_gptq", "group_size", json!(0), "quantization_config.group_size"),
        ("qwen2_gptq", "checkpoint_format", json!("marlin"), "gptq, gptq_v2"),
        ("qwen2_gptq", "dynamic", json!({"-:.*down.*": {}}), "the same settings for all modules"),
        ("llama_awq", "version", json!("gemv"), "known: gemm"),
        ("llama_awq", "zero_point", json!(false), "known: true"),
        ("llama_awq", "bits", json!(8), "known: 4"),
        ("qwen3_fp8_blocks", "fmt", json!("e5m2"), "known: e4m3"),
        ("qwen3_fp8_blocks", "weight_block_size", json!([0, 32]), "whole numbers above 0"),
        ("llama_fp8", "config_groups", json!({}), "one group, or several"),
        ("llama_fp8", "config_groups", json!({"g": {"weights": {"num_bits": 4, "type": "int"}}}), "int of 4 bits in g"),
    ] {
        let folder = Folder::new(name);
        folder.set(key, value);
        folder.fails("FX1015", said);
    }
    let group = |activations: Value| {
        let weights = json!({"num_bits": 8, "type": "float", "strategy": "channel"});
        json!({"g": {"weights": weights, "input_activations": activations}})
    };
    let by = |strategy: &str, dynamic: bool| {
        let kind = "float";
        json!({"num_bits": 8, "type": kind, "strategy": strategy, "dynamic": dynamic})
    };
    for (activations, said) in [
        (
            json!({"num_bits": 8, "type": "int", "strategy": "token", "dynamic": true}),
            "activations of int of 8 bits in g",
        ),
        (json!({"num_bits": "8"}), "activations of ? of \"8\" bits in g"),
        (json!("token"), "activations of float of 8 bits"),
        (by("token", false), "activations by token, dynamic false in g"),
        (by("channel", true), "activations by channel"),
        (by("group", true), "tensor or group with group_size"),
    ] {
        let folder = Folder::new("llama_w8a8");
        folder.set("config_groups", group(activations));
        folder.fails("FX1015", said);
    }
    let folder = Folder::new("qwen3_fp8_blocks");
    folder.set("activation_scheme", json!("static"));
    folder.fails("FX1015", "known: dynamic with blocks");
    folder.set("activation_scheme", json!("often"));
    folder.fails("FX1015", "known: dynamic, static");
    let folder = Folder::new("llama_w8a8_static");
    let weights = json!({"num_bits": 8, "type": "float", "strategy": "block", "block_structure": [16, 32]});
    folder.set("quant_method", json!("compressed-tensors"));
    folder.set("config_groups", json!({"g": {"weights": weights, "input_activations": by("tensor", false)}}));
    folder.fails("FX1015", "activations of one stored scale and weights in blocks in g");
    let folder = Folder::new("llama_w8a8");
    folder.set("quant_method", json!("fbgemm_fp8"));
    folder.set("activation_scale_ub", json!(-1.0));
    folder.fails("FX1015", "numbers above 0");
    // Sizes that the format cannot pack.
    let folder = Folder::new("qwen2_gptq");
    folder.set("group_size", json!(7));
    folder.fails("FX1014", "in groups of 7");
    // Floats of 8 bits that nothing is said of.
    let folder = Folder::new("llama_fp8");
    folder.set("quant_method", json!("gptq"));
    folder.set("bits", json!(4));
    folder.set("group_size", json!(8));
    folder.fails("FX1014", "has elements F8_E4M3");
}

/// What is written of activations, in a folder's words.
#[test]
fn activations_are_what_settings_say() {
    let narrow = "f8E4M3FN>, tensor<48x40xf8E4M3FN>) -> tensor<";
    let folder = Folder::new("llama_fp8");
    assert!(!folder.text(&[]).contains(narrow), "weights alone");
    let asked = folder.text(&["--activation-type=f8"]);
    assert!(asked.contains(narrow) && !asked.contains("dense<5.000000e+00>"));
    // FBGEMM: magnitudes up to a number have a part in the scale.
    folder.set("quant_method", json!("fbgemm_fp8"));
    folder.set("activation_scale_ub", json!(5.0));
    let bounded = folder.text(&[]);
    assert!(bounded.contains(narrow) && bounded.matches("stablehlo.minimum").count() > 0, "{bounded}");
    assert!(!folder.text(&["--activation-type=float"]).contains(narrow));
    // Of experts: three of 32, each by its row.
    let folder = Folder::new("qwen3_moe_w8a8");
    let of_experts = "tensor<3x20xf8E4M3FN>, tensor<3x9x20xf8E4M3FN>) -> tensor<3x9xf32>";
    let tokens = folder.text(&[]);
    assert!(tokens.contains(of_experts) && !tokens.contains("dense<5.000000e+00>"), "{tokens}");
    folder.set("quant_method", json!("fbgemm_fp8"));
    folder.set("activation_scale_ub", json!(5.0));
    let bounded = folder.text(&[]);
    assert!(bounded.contains(of_experts) && bounded.contains("dense<5.000000e+00>"), "{bounded}");
    assert!(!folder.text(&["--activation-type=float"]).contains(of_experts));
    // Scales of blocks change along the inputs: both operands stand for floats.
    let folder = Folder::new("qwen3_fp8_blocks");
    let blocks = folder.text(&[]);
    assert!(!blocks.contains(narrow) && blocks.contains("-> tensor<32x2x32xf8E4M3FN>"), "{blocks}");
    // Other formats have no such activations.
    let folder = Folder::new("llama_awq");
    let run = fornax(folder.path(), &["import", "--emit-mlir", ".", "--activation-type=f8"]).fails(1, "FX1017");
    assert!(run.stderr.contains("matrices of E4M3"), "{}", run.stderr);
    let run = fornax(folder.path(), &["import", "--emit-mlir", ".", "--activation-type=int8"]).fails(1, "FX0801");
    assert!(run.stderr.contains("known: as-stored, f8, float"), "{}", run.stderr);
}

/// What a step reads of the gate's matrix, 48 outputs of 40 inputs: the bytes of the file, or as many.
#[test]
fn steps_read_what_is_stored() {
    let dir = tempfile::tempdir().unwrap();
    let fp8 = "parameter \"model.layers.1.mlp.gate_proj.weight\" +0 1920B";
    for (name, target, read) in [
        ("llama_fp8", "cpu:x86-64-v3", fp8),
        ("llama_fp8", "cuda:sm_90a", fp8),
        ("qwen3_fp8_blocks", "cuda:sm_90a", fp8),
        ("llama_awq", "cuda:sm_90a", " 960B"),
        ("qwen2_gptq", "cuda:sm_90a", " 960B"),
        ("llama_gptq_listed", "cuda:sm_90a", " 960B"),
        ("llama_gptq_bytes", "cuda:sm_90a", " 1920B"),
        ("llama_awq", "cpu:x86-64-v3", " 960B"),
    ] {
        let folder = root().join("tests/checkpoints").join(name).display().to_string();
        let target = format!("--target={target}");
        let text = fornax(dir.path(), &["compile", &folder, &target, "--compile-to=schedule"]).ok().stdout;
        let step = text.split("\n@decode:").nth(1).expect("a step");
        let step = step.split("\n@").next().and_then(|step| step.split("\nload:").next()).unwrap();
        assert!(step.contains(read), "{name} {target}: no `{read}` in {step}");
        // Of floats it would be 7680: what the folder of one has as floats, in both layers.
        let floats = if name == "llama_fp8" { 2 } else { 0 };
        assert_eq!(step.matches(" 7680B").count(), floats, "{name} {target}: {step}");
    }
}
