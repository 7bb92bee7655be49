//! Tokens that a module's functions choose on the device, against those that are chosen of its logits here.

use std::path::Path;

use fornax_runtime::registry::open_device;
use fornax_runtime::session::{Module, ParameterFile, Session, SessionOptions};
use fornax_tests::fornax;
use fornax_text::{Choice, DeviceModel, Found, Model, Next, Sampling, Wanted};

/// Several blocks of tokens, the last one not whole.
const WORDS: usize = 700;
const WIDTH: usize = 8;

/// A Llama of one layer with random weights.
fn write_checkpoint(folder: &Path) {
    std::fs::create_dir(folder).unwrap();
    let config = format!(
        r#"{{"model_type": "llama", "hidden_size": {WIDTH}, "num_hidden_layers": 1, "num_attention_heads": 2,
        "intermediate_size": {WIDTH}, "vocab_size": {WORDS}, "max_position_embeddings": 64, "rms_norm_eps": 1e-5,
        "rope_theta": 10000.0, "hidden_act": "silu", "tie_word_embeddings": true}}"#
    );
    std::fs::write(folder.join("config.json"), config).unwrap();
    let layer = |name: &str| format!("model.layers.0.{name}");
    let mut shapes = vec![("model.embed_tokens".to_string(), vec![WORDS, WIDTH]), ("model.norm".into(), vec![WIDTH])];
    shapes.extend(["input_layernorm", "post_attention_layernorm"].map(|name| (layer(name), vec![WIDTH])));
    let matrices = ["q_proj", "k_proj", "v_proj", "o_proj"].map(|name| format!("self_attn.{name}"));
    let more = ["gate_proj", "up_proj", "down_proj"].map(|name| format!("mlp.{name}"));
    shapes.extend(matrices.iter().chain(&more).map(|name| (layer(name), vec![WIDTH, WIDTH])));
    let (mut header, mut bytes) = (serde_json::Map::new(), Vec::new());
    let mut random = 1u64;
    for (name, shape) in shapes {
        let start = bytes.len();
        for _ in 0..shape.iter().product() {
            // Constants: the 64-bit generator of Knuth's MMIX.
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            bytes.extend(((random >> 40) as f32 / (1 << 23) as f32 - 1.0).to_le_bytes());
        }
        let entry = serde_json::json!({"dtype": "F32", "shape": shape, "data_offsets": [start, bytes.len()]});
        header.insert(format!("{name}.weight"), entry);
    }
    let header = serde_json::Value::from(header).to_string();
    let file = [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &bytes].concat();
    std::fs::write(folder.join("model.safetensors"), file).unwrap();
}

fn model(folder: &Path, flags: &[&str]) -> DeviceModel {
    let usual = ["compile", "-q", "model", "--target=cpu:x86-64-v3", "--chunk=8", "--context=16", "-o", "m.fnx"];
    fornax(folder, &[&usual[..], flags].concat()).ok();
    let module = Module::open(&folder.join("m.fnx")).unwrap();
    let file = folder.join("model").display().to_string();
    let options = SessionOptions { parameters: vec![ParameterFile::parse(&file)], ..SessionOptions::default() };
    DeviceModel::new(Session::load(&module, &open_device("cpu").unwrap(), &options).unwrap()).unwrap()
}

/// Ways to choose, each with several numbers.
fn choices(text: &[u32]) -> Vec<Choice> {
    let warm = Sampling { temperature: 1.0, ..Sampling::default() };
    let ways = [
        Sampling::default(),
        Sampling { repetition_penalty: 5.0, ..Sampling::default() },
        warm.clone(),
        Sampling { temperature: 0.3, ..warm.clone() },
        Sampling { top_k: 1, ..warm.clone() },
        Sampling { top_k: 40, temperature: 9.0, ..warm.clone() },
        Sampling { top_k: WORDS + 1, ..warm.clone() },
        Sampling { top_p: 0.0, ..warm.clone() },
        Sampling { top_p: 0.7, ..warm.clone() },
        Sampling { min_p: 0.2, ..warm.clone() },
        Sampling { top_k: 300, top_p: 0.9, min_p: 0.01, repetition_penalty: 1.3, temperature: 2.0, seed: 0 },
    ];
    let numbers = [0.0f32, 0.1, 0.25, 0.5, 0.617, 0.75, 0.9, 0.999, 1.0 - f32::EPSILON / 2.0];
    let all = ways.iter().flat_map(|sampling| {
        let numbers = if sampling.temperature > 0.0 { &numbers[..] } else { &numbers[..1] };
        numbers.iter().map(|&uniform| Choice { sampling: sampling.clone(), uniform, seen: text.to_vec() })
    });
    all.collect()
}

/// That a token is the one that a choice takes of logits, or, where the number that decides lies at the end of a token,
/// its neighbour: sums are rounded otherwise.
fn check(choice: &Choice, logits: &[f32], found: &Found) {
    let at = |uniform: f32| Choice { uniform, ..choice.clone() }.token(&mut logits.to_vec()).unwrap();
    let near = |step: f32| Found::Token(at((choice.uniform + step).clamp(0.0, 1.0 - f32::EPSILON / 2.0)));
    assert!([-1e-6, 0.0, 1e-6].map(near).contains(found), "{found:?}, not {:?}: {choice:?}", near(0.0));
}

#[test]
fn tokens_are_those_that_are_chosen_here() {
    let dir = tempfile::tempdir().unwrap();
    write_checkpoint(&dir.path().join("model"));
    let mut model = model(dir.path(), &[]);
    let text = [5, 699, 31, 32, 5, 256];
    let mut caches = model.caches().unwrap();
    let logits = model.prefill(&mut caches, 0, &text, &Wanted::Logits).unwrap().logits().unwrap();
    let mut different = std::collections::BTreeSet::new();
    for choice in choices(&text) {
        let found = model.prefill(&mut caches, 0, &text, &Wanted::Token(choice.clone())).unwrap();
        check(&choice, &logits, &found);
        if let Found::Token(token) = found {
            different.insert(token);
        }
    }
    assert!(different.len() > 15 && different.last() > Some(&512), "{different:?}");
}

/// Texts of a call choose in ways of their own, and some do not choose.
#[test]
fn texts_of_a_call_choose_each_in_its_way() {
    let dir = tempfile::tempdir().unwrap();
    write_checkpoint(&dir.path().join("model"));
    let mut model = model(dir.path(), &["--batch=3"]);
    let texts: [&[u32]; 3] = [&[1, 2, 3], &[600, 4], &[77, 8]];
    let mut caches: Vec<_> = texts.iter().map(|_| model.caches().unwrap()).collect();
    for (caches, text) in caches.iter_mut().zip(&texts) {
        model.prefill(caches, 0, &text[..text.len() - 1], &Wanted::Nothing).unwrap();
    }
    let mut step = |wanted: [Wanted; 3]| {
        let all = caches.iter_mut().zip(&texts).zip(wanted);
        let next = all.map(|((caches, text), wanted)| Next {
            caches,
            position: text.len() - 1,
            token: text[text.len() - 1],
            wanted,
        });
        let found: Vec<_> = model.decode(&mut next.collect::<Vec<_>>());
        found.into_iter().map(|found| found.unwrap()).collect::<Vec<Found>>()
    };
    let logits: Vec<Vec<f32>> =
        step([const { Wanted::Logits }; 3]).into_iter().map(|found| found.logits().unwrap()).collect();
    let all = choices(&[1, 2, 3]);
    for at in 0..all.len() {
        let own = [&all[at], &all[(at * 7 + 3) % all.len()]];
        let found = step([Wanted::Token(own[0].clone()), Wanted::Nothing, Wanted::Token(own[1].clone())]);
        check(own[0], &logits[0], &found[0]);
        check(own[1], &logits[2], &found[2]);
        assert_eq!(found[1], Found::Nothing);
    }
    // Who wants logits gets them; the others choose of theirs.
    let found = step([Wanted::Logits, Wanted::Nothing, Wanted::Token(Choice::likeliest())]);
    assert_eq!(found, [Found::Logits(logits[0].clone()), Found::Nothing, Found::Logits(logits[2].clone())]);
}

/// Steps that are queued behind each other choose what steps choose that are waited for.
#[test]
fn queued_steps_are_those_that_are_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    write_checkpoint(&dir.path().join("model"));
    let mut model = model(dir.path(), &[]);
    let text = [5, 699, 31];
    let sampling = Sampling { temperature: 1.0, top_k: 300, ..Sampling::default() };
    let choice =
        |at: u16| Choice { sampling: sampling.clone(), uniform: f32::from(at * 37 % 100) / 100.0, seen: Vec::new() };
    let token = |found: Found| if let Found::Token(token) = found { token } else { panic!("{found:?}") };
    let read = |model: &mut DeviceModel| {
        let mut caches = model.caches().unwrap();
        let first = model.prefill(&mut caches, 0, &text, &Wanted::Token(choice(0))).unwrap();
        (caches, token(first))
    };
    let (mut one, first) = read(&mut model);
    let mut waited = vec![first];
    for at in 1..8 {
        let (position, last) = (text.len() + at - 1, waited[at - 1]);
        let next = Next { caches: &mut one, position, token: last, wanted: Wanted::Token(choice(at as u16)) };
        waited.push(token(model.decode(&mut [next]).remove(0).unwrap()));
    }
    let (mut other, again) = read(&mut model);
    for at in 1..8 {
        let last = (at == 1).then_some(again);
        model.start(&mut other, text.len() + at - 1, last, &choice(at as u16)).unwrap();
    }
    let queued: Vec<u32> = (1..8).map(|_| model.finish().unwrap()).collect();
    assert_eq!(queued, waited[1..]);
    assert!(queued.windows(2).any(|pair| pair[0] != pair[1]), "{queued:?}");
    assert_eq!(model.finish().unwrap_err().code(), "FX1104");
    model.forget();
    assert_eq!(model.start(&mut other, 3, None, &choice(0)).unwrap_err().code(), "FX1104");
}
