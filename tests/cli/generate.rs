//! `compile FOLDER` and `generate`: a checkpoint made here, against the same model written out in f64.

use std::fmt::Write;
use std::path::Path;

use fornax_tests::{Run, fornax};
use serde_json::Value;

/// A Llama of two layers: two heads share the keys of one, sizes are odd, the last matrix is its own.
const WIDTH: usize = 10;
const HEADS: usize = 4;
const KV_HEADS: usize = 2;
const HEAD: usize = 6;
const FEED_FORWARD: usize = 7;
const WORDS: usize = 23;
const LAYERS: usize = 2;
const EPSILON: f64 = 1e-5;
const ROTATION_BASE: f64 = 10_000.0;

fn config() -> String {
    format!(
        r#"{{"model_type": "llama", "hidden_size": {WIDTH}, "num_hidden_layers": {LAYERS},
        "num_attention_heads": {HEADS}, "num_key_value_heads": {KV_HEADS}, "head_dim": {HEAD},
        "intermediate_size": {FEED_FORWARD}, "max_position_embeddings": 64, "rms_norm_eps": {EPSILON},
        "rope_theta": {ROTATION_BASE}, "hidden_act": "silu", "tie_word_embeddings": false}}"#
    )
}

/// Numbers from -1 to 1 in eighths, which bf16 holds; the same each time.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> f64 {
        // Constants: the 64-bit generator of Knuth's MMIX.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 40) % 17) as f64 / 8.0 - 1.0
    }
}

/// A matrix `[rows, columns]`, or a vector of one row.
#[derive(Clone)]
struct Matrix {
    columns: usize,
    values: Vec<f64>,
}

impl Matrix {
    fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.columns..][..self.columns]
    }

    /// `W·x`.
    fn times(&self, x: &[f64]) -> Vec<f64> {
        self.values.chunks_exact(self.columns).map(|row| dot(row, x)).collect()
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn shapes() -> Vec<(String, Vec<usize>)> {
    let (q, kv) = (HEADS * HEAD, KV_HEADS * HEAD);
    let mut all = vec![
        ("model.embed_tokens".to_string(), vec![WORDS, WIDTH]),
        ("model.norm".to_string(), vec![WIDTH]),
        ("lm_head".to_string(), vec![WORDS, WIDTH]),
    ];
    for layer in 0..LAYERS {
        for (name, shape) in [
            ("input_layernorm", vec![WIDTH]),
            ("post_attention_layernorm", vec![WIDTH]),
            ("self_attn.q_proj", vec![q, WIDTH]),
            ("self_attn.k_proj", vec![kv, WIDTH]),
            ("self_attn.v_proj", vec![kv, WIDTH]),
            ("self_attn.o_proj", vec![WIDTH, q]),
            ("mlp.gate_proj", vec![FEED_FORWARD, WIDTH]),
            ("mlp.up_proj", vec![FEED_FORWARD, WIDTH]),
            ("mlp.down_proj", vec![WIDTH, FEED_FORWARD]),
        ] {
            all.push((format!("model.layers.{layer}.{name}"), shape));
        }
    }
    all
}

pub struct Model(Vec<(String, Matrix)>);

impl Model {
    fn new() -> Model {
        let mut draw = Draw(7);
        let matrix = |(name, shape): (String, Vec<usize>)| {
            let values = (0..shape.iter().product()).map(|_| draw.next()).collect();
            (name, Matrix { columns: shape[shape.len() - 1], values })
        };
        Model(shapes().into_iter().map(matrix).collect())
    }

    /// config.json, model.safetensors in bf16, and a tokenizer of the words `w0`, `w1`, ….
    fn write(&self, folder: &Path) {
        std::fs::create_dir(folder).unwrap();
        std::fs::write(folder.join("config.json"), config()).unwrap();
        let (mut header, mut bytes) = (String::new(), Vec::new());
        for ((name, shape), (_, matrix)) in shapes().iter().zip(&self.0) {
            let start = bytes.len();
            // The upper half of an f32 is a bf16.
            bytes.extend(
                matrix.values.iter().flat_map(|&value| ((value as f32).to_bits() >> 16).to_le_bytes()[..2].to_vec()),
            );
            let (comma, end) = (if start > 0 { "," } else { "" }, bytes.len());
            write!(
                header,
                r#"{comma}"{name}.weight":{{"dtype":"BF16","shape":{shape:?},"data_offsets":[{start},{end}]}}"#
            )
            .unwrap();
        }
        let header = format!("{{{header}}}");
        let file = [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &bytes].concat();
        std::fs::write(folder.join("model.safetensors"), file).unwrap();
        let words: serde_json::Map<String, Value> = (0..WORDS).map(|word| (format!("w{word}"), word.into())).collect();
        let tokenizer = serde_json::json!({
            "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
            "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null, "decoder": null,
            "model": {"type": "WordLevel", "vocab": words, "unk_token": "w0"},
        });
        std::fs::write(folder.join("tokenizer.json"), tokenizer.to_string()).unwrap();
    }

    fn of(&self, name: &str) -> &Matrix {
        &self.0.iter().find(|(own, _)| own == name).unwrap().1
    }

    /// `x / rms(x) · weight`.
    fn norm(&self, name: &str, x: &[f64]) -> Vec<f64> {
        let scale = 1.0 / (dot(x, x) / x.len() as f64 + EPSILON).sqrt();
        x.iter().zip(&self.of(name).values).map(|(x, weight)| x * scale * weight).collect()
    }

    /// Logits behind the last token, every token computed again.
    fn logits(&self, tokens: &[usize]) -> Vec<f64> {
        let embedding = self.of("model.embed_tokens");
        let mut states: Vec<Vec<f64>> = tokens.iter().map(|&token| embedding.row(token).to_vec()).collect();
        for layer in 0..LAYERS {
            let of = |name: &str| format!("model.layers.{layer}.{name}");
            let normed: Vec<Vec<f64>> = states.iter().map(|x| self.norm(&of("input_layernorm"), x)).collect();
            let heads = |name: &str, rotated: bool| -> Vec<Vec<Vec<f64>>> {
                let token = |(position, x): (usize, &Vec<f64>)| {
                    let all = self.of(&of(name)).times(x);
                    let head = |head: &[f64]| if rotated { rotate(head, position) } else { head.to_vec() };
                    all.chunks_exact(HEAD).map(head).collect()
                };
                normed.iter().enumerate().map(token).collect()
            };
            let (q, k, v) =
                (heads("self_attn.q_proj", true), heads("self_attn.k_proj", true), heads("self_attn.v_proj", false));
            for (position, state) in states.iter_mut().enumerate() {
                let mut mixed = Vec::new();
                for (head, q) in q[position].iter().enumerate() {
                    let group = head / (HEADS / KV_HEADS);
                    let scores: Vec<f64> =
                        k[..=position].iter().map(|k| dot(q, &k[group]) / (HEAD as f64).sqrt()).collect();
                    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                    let weights: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
                    let total: f64 = weights.iter().sum();
                    mixed.extend((0..HEAD).map(|at| {
                        weights.iter().zip(&v).map(|(weight, v)| weight / total * v[group][at]).sum::<f64>()
                    }));
                }
                add(state, &self.of(&of("self_attn.o_proj")).times(&mixed));
                let x = self.norm(&of("post_attention_layernorm"), state);
                let (gate, up) = (self.of(&of("mlp.gate_proj")).times(&x), self.of(&of("mlp.up_proj")).times(&x));
                let inner: Vec<f64> = gate.iter().zip(up).map(|(gate, up)| gate / (1.0 + (-gate).exp()) * up).collect();
                add(state, &self.of(&of("mlp.down_proj")).times(&inner));
            }
        }
        self.of("lm_head").times(&self.norm("model.norm", &states[states.len() - 1]))
    }

    /// The likeliest tokens one by one; each leads by more than rounding in f32 could take away.
    pub fn greedy(&self, prompt: &[usize], count: usize) -> Vec<usize> {
        let mut tokens = prompt.to_vec();
        for _ in 0..count {
            let logits = self.logits(&tokens);
            let mut order: Vec<usize> = (0..WORDS).collect();
            order.sort_by(|&a, &b| logits[b].total_cmp(&logits[a]));
            assert!(logits[order[0]] - logits[order[1]] > 1e-3, "a tie: draw other weights");
            tokens.push(order[0]);
        }
        tokens.split_off(prompt.len())
    }
}

fn add(to: &mut [f64], what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to += what);
}

/// Rotary positions of halves, as Hugging Face stores heads.
fn rotate(head: &[f64], position: usize) -> Vec<f64> {
    let half = head.len() / 2;
    let angle = |at: usize| position as f64 * ROTATION_BASE.powf(-2.0 * (at % half) as f64 / head.len() as f64);
    let other = |at: usize| if at < half { -head[at + half] } else { head[at - half] };
    (0..head.len()).map(|at| head[at] * angle(at).cos() + other(at) * angle(at).sin()).collect()
}

const PROMPT: &str = "w3 w17 w5 w22 w9 w1";
const PROMPT_IDS: [usize; 6] = [3, 17, 5, 22, 9, 1];

/// Compiles the model as `m.fnx`, for 16 tokens in chunks of 4.
pub fn compiled(folder: &Path) -> Model {
    compiled_for(folder, 1)
}

/// The same for several texts a call.
pub fn compiled_for(folder: &Path, batch: usize) -> Model {
    compiled_with(folder, &[&format!("--batch={batch}")])
}

/// The same with further flags.
pub fn compiled_with(folder: &Path, more: &[&str]) -> Model {
    let model = Model::new();
    model.write(&folder.join("model"));
    let flags = ["compile", "-q", "--target=cpu:x86-64-v3", "model", "--context=16", "--chunk=4", "-o", "m.fnx"];
    fornax(folder, &[&flags[..], more].concat()).ok();
    model
}

fn generate(folder: &Path, flags: &[&str]) -> Run {
    let all = ["generate", "--module=m.fnx", "--parameters=model", "--raw", "--format=json"];
    fornax(folder, &[&all, flags].concat())
}

fn answer(folder: &Path, flags: &[&str]) -> Value {
    let prompt = format!("--prompt={PROMPT}");
    serde_json::from_str(&generate(folder, &[&[prompt.as_str()], flags].concat()).ok().stdout).unwrap()
}

fn ids(answer: &Value) -> Vec<usize> {
    answer["ids"].as_array().unwrap().iter().map(|id| id.as_u64().unwrap() as usize).collect()
}

#[test]
fn text_of_a_folder_is_that_of_the_model() {
    let dir = tempfile::tempdir().unwrap();
    let model = compiled(dir.path());
    let wanted = model.greedy(&PROMPT_IDS, 10);
    let all = answer(dir.path(), &["--max-tokens=50"]);
    assert_eq!(all["prompt_ids"], serde_json::json!(PROMPT_IDS));
    // Sixteen rows hold the prompt and ten tokens; the one behind the last of them needs no row.
    assert_eq!((ids(&all).len(), &all["finish"]), (11, &Value::from("length")));
    assert_eq!(ids(&all)[..10], wanted);
    let words: Vec<String> = ids(&all).iter().map(|id| format!("w{id}")).collect();
    assert_eq!(all["text"], words.join(" "));
    assert_eq!(ids(&answer(dir.path(), &["--max-tokens=3"])), wanted[..3]);

    let end = format!("--stop={}", words[2]);
    let stopped = answer(dir.path(), &[&end]);
    assert_eq!(stopped["finish"], "stop");
    let text = stopped["text"].as_str().unwrap();
    assert!(words.join(" ").starts_with(text) && !text.contains(&words[2]), "{text:?} of {words:?}");
}

#[test]
fn a_seed_draws_the_same_text_again() {
    let dir = tempfile::tempdir().unwrap();
    compiled(dir.path());
    let draw = |seed: u32, flags: &[&str]| {
        let seed = format!("--seed={seed}");
        ids(&answer(dir.path(), &[&[seed.as_str(), "--temperature=8", "--max-tokens=8"], flags].concat()))
    };
    assert_eq!(draw(1, &[]), draw(1, &[]));
    assert!((2..8).any(|seed| draw(seed, &[]) != draw(1, &[])), "a temperature of 8 draws the same each time");
    let greedy = ids(&answer(dir.path(), &["--max-tokens=8"]));
    assert_eq!(draw(1, &["--top-k=1"]), greedy);
    assert_eq!(draw(1, &["--top-p=0"]), greedy);
    assert_eq!(draw(1, &["--min-p=1"]), greedy);
}

#[test]
fn what_cannot_be_made_is_said() {
    let dir = tempfile::tempdir().unwrap();
    compiled(dir.path());
    let long = format!("--prompt={}", "w1 ".repeat(17));
    generate(dir.path(), &[&long]).fails(1, "FX1105");
    generate(dir.path(), &["--prompt="]).fails(1, "FX1105");
    let other = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %x : tensor<2xf32>\n}\n";
    std::fs::write(dir.path().join("other.mlir"), other).unwrap();
    fornax(dir.path(), &["compile", "-q", "--target=cpu:x86-64-v3", "other.mlir", "-o", "m.fnx"]).ok();
    generate(dir.path(), &["--prompt=w1"]).fails(1, "FX1104");
    std::fs::remove_file(dir.path().join("model/tokenizer.json")).unwrap();
    generate(dir.path(), &["--prompt=w1"]).fails(1, "FX1101");
}

#[test]
fn several_prompts_are_answered_as_one_each() {
    let prompts = ["w3 w17 w5", "w7", "w1 w2 w3 w4", "w20 w7"];
    let lines = "\"w3 w17 w5\"\n{\"prompt\": \"w7\", \"id\": 1}\n\n\"w1 w2 w3 w4\"\n\"w20 w7\"\n";
    let flags: Vec<String> = prompts.iter().map(|prompt| format!("--prompt={prompt}")).collect();
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    for batch in [1, 3] {
        let dir = tempfile::tempdir().unwrap();
        let model = compiled_for(dir.path(), batch);
        std::fs::write(dir.path().join("prompts.jsonl"), lines).unwrap();
        let texts = |flags: &[&str]| -> Vec<Vec<usize>> {
            let run = generate(dir.path(), &[flags, &["--max-tokens=5"]].concat()).ok();
            run.stdout.lines().map(|line| ids(&serde_json::from_str(line).unwrap())).collect()
        };
        let of = |prompt: &str| prompt.split(' ').map(|word| word[1..].parse().unwrap()).collect::<Vec<usize>>();
        let wanted: Vec<Vec<usize>> = prompts.iter().map(|prompt| model.greedy(&of(prompt), 5)).collect();
        assert_eq!(texts(&flags), wanted, "{batch} texts a call");
        assert_eq!(texts(&["--prompt-file=prompts.jsonl"]), wanted, "{batch} texts a call");
        let long = format!("--prompt={}", "w1 ".repeat(17));
        let error = generate(dir.path(), &["--prompt=w1", &long]).fails(1, "FX1105");
        assert!(error.stderr.contains("prompt 1"), "{}", error.stderr);
        std::fs::write(dir.path().join("prompts.jsonl"), "\"w1\"\n[1]\n").unwrap();
        generate(dir.path(), &["--prompt-file=prompts.jsonl"]).fails(1, "line 2");
    }
}

#[test]
fn how_likely_tokens_were_is_that_of_the_model() {
    let dir = tempfile::tempdir().unwrap();
    let model = compiled(dir.path());
    let found = answer(dir.path(), &["--max-tokens=4", "--logprobs=2"]);
    let rows = found["logprobs"].as_array().unwrap();
    assert_eq!(rows.len(), 4);
    for (at, row) in rows.iter().enumerate() {
        let tokens: Vec<usize> = PROMPT_IDS.iter().copied().chain(ids(&found).into_iter().take(at)).collect();
        let logits = model.logits(&tokens);
        let sum = logits.iter().map(|logit| logit.exp()).sum::<f64>().ln();
        let wanted = logits[row["id"].as_u64().unwrap() as usize] - sum;
        assert!((row["logprob"].as_f64().unwrap() - wanted).abs() < 1e-3, "{row}, {wanted}");
        assert_eq!((&row["top"][0]["id"], row["top"].as_array().unwrap().len()), (&row["id"], 2));
        assert!(row["token"].as_str().unwrap().contains(&format!("w{}", row["id"])), "{row}");
    }
    let flags = ["generate", "--module=m.fnx", "--parameters=model", "--raw", "--prompt=w1", "--logprobs=1"];
    fornax(dir.path(), &flags).fails(1, "--format=json");
}
