//! Speculative decoding: the text is that of the model, whatever is guessed, and fewer calls make it.

use fornax_runtime::registry::open_device;
use fornax_runtime::session::{Module, ParameterFile, Session, SessionOptions};
use fornax_tests::{fornax, root};
use fornax_text::device_model::Slot;
use fornax_text::{
    Decoder, DeviceModel, Found, Guess, Guesser, Guesses, Lookup, Model, Next, Sampler, Sampling, Several, Start,
    Wanted,
};
use serde_json::{Value, json};

use crate::chat::{TEMPLATE, chat};
use crate::generate::compiled_with;
use crate::serve::Server;

/// Of the largest logit: what rounding in f32 leaves between one token a call and several.
const TOLERANCE: f32 = 1e-5;

/// A checkpoint on a processor, which can be so many tokens ahead.
fn model(name: &str, flags: &[&str]) -> DeviceModel {
    let dir = tempfile::tempdir().unwrap();
    let file = root().join("tests/checkpoints").join(name).display().to_string();
    let usual = ["compile", "-q", &file, "--target=cpu:x86-64-v3", "--chunk=8", "-o", "m.fnx"];
    fornax(dir.path(), &[&usual[..], flags].concat()).ok();
    let module = Module::open(&dir.path().join("m.fnx")).unwrap();
    let options = SessionOptions { parameters: vec![ParameterFile::parse(&file)], ..SessionOptions::default() };
    DeviceModel::new(Session::load(&module, &open_device("cpu").unwrap(), &options).unwrap()).unwrap()
}

/// What a call says of tokens behind five.
fn verified(model: &mut DeviceModel, caches: &mut Slot, tokens: &[u32]) -> Vec<Vec<f32>> {
    assert!(model.make_room(caches, 5 + tokens.len()));
    model.verify(&mut [Several { caches, position: 5, tokens }]).pop().unwrap().unwrap()
}

/// Logits behind each of several tokens are those of one token a call, and whatever else the call verifies.
fn check_rows(model: &mut DeviceModel, what: &str) {
    let prompt = [1, 5, 9, 2, 7];
    let tokens: Vec<u32> = (0..=model.ahead() as u32).map(|at| (at * 7 + 3) % 30).collect();
    let mut read = || {
        let mut caches = model.caches().unwrap();
        assert!(model.make_room(&mut caches, 5));
        model.prefill(&mut caches, 0, &prompt, &Wanted::Nothing).unwrap();
        caches
    };
    let (mut one, mut all, mut few) = (read(), read(), read());
    let rows = verified(model, &mut all, &tokens);
    let largest = rows.iter().flatten().fold(0f32, |most, x| most.max(x.abs()));
    assert_eq!(rows.len(), tokens.len());
    for (at, &token) in tokens.iter().enumerate() {
        assert!(model.make_room(&mut one, 6 + at));
        let next = Next { caches: &mut one, position: 5 + at, token, wanted: Wanted::Logits };
        let logits = model.decode(&mut [next]).pop().unwrap().unwrap().logits().unwrap();
        let worst = logits.iter().zip(&rows[at]).fold(0f32, |worst, (a, b)| worst.max((a - b).abs()));
        assert!(worst <= TOLERANCE * largest, "{what}: row {at} differs by {worst:e} of {largest:e}");
    }
    let rest = verified(model, &mut few, &tokens[..2]);
    assert_eq!(rest, rows[..2], "{what}: rows depend on those behind them");
}

/// A text of so many tokens, each chosen as `generate` does.
fn text(decoder: &mut Decoder, sampling: &Sampling, prompt: &[u32], guesser: &mut Guesser) -> (Vec<u32>, Guesses) {
    let mut ahead = guesser.ahead();
    decoder.rewind(0);
    let mut sampler = Sampler::new(sampling.clone());
    let mut all = prompt.to_vec();
    let mut choice = sampler.choice(&all);
    let mut found = decoder.feed_for(prompt, &Wanted::Token(choice.clone())).unwrap();
    while decoder.room() > 0 {
        all.push(match found {
            Found::Token(token) => token,
            other => choice.token(&mut other.logits().unwrap()).unwrap(),
        });
        choice = sampler.choice(&all);
        found = decoder.next((guesser, &mut ahead), (&all, 64), &Wanted::Token(choice.clone())).unwrap();
    }
    (all, ahead.count())
}

/// Guesses what is known to come, but for every fifth token.
struct Known(Vec<u32>);

impl Guess for Known {
    fn guess(&mut self, texts: &[Start]) -> fornax_runtime::Result<Vec<Vec<u32>>> {
        let wrong = |(at, token): (usize, &u32)| if at % 5 == 0 { (token + 1) % 30 } else { *token };
        let rest = |text: &Start| self.0.iter().enumerate().skip(text.text.len()).take(text.most).map(wrong).collect();
        Ok(texts.iter().map(rest).collect())
    }
}

#[test]
fn texts_are_those_without_guesses() {
    let repeated: Vec<u32> = (0..24).map(|at| [4, 11, 6, 23, 9][at % 5]).collect();
    let mut right = 0;
    for (name, flags) in [
        ("llama3", &["--speculate=3"][..]),
        ("gemma2", &["--speculate=7"]),
        ("mixtral", &["--speculate=3"]),
        ("gpt2", &["--speculate=3"]),
        ("llama3/model.gguf", &["--speculate=7"]),
        ("qwen2_gptq", &["--speculate=9"]),
        // Several texts a call, each with its caches or in pages.
        ("llama3", &["--speculate=3", "--batch=3"]),
        ("gemma3", &["--speculate=4", "--batch=2", "--cache-pages=4"]),
        ("qwen3_moe", &["--speculate=7", "--batch=2", "--cache-pages=6", "--context=40"]),
    ] {
        let mut model = model(name, flags);
        check_rows(&mut model, name);
        let ahead = model.ahead();
        let mut decoder = Decoder::new(model).unwrap();
        for prompt in [&repeated[..], &[7, 2, 19], &[1; 9]] {
            for sampling in [
                Sampling::default(),
                Sampling { temperature: 0.7, seed: 3, ..Sampling::default() },
                Sampling { temperature: 1.5, top_p: 0.9, seed: 4, ..Sampling::default() },
            ] {
                let (plain, none) = text(&mut decoder, &sampling, prompt, &mut Guesser::none());
                assert_eq!(none, Guesses::default());
                let known = Box::new(Known(plain.clone()));
                for guess in [Box::new(Lookup) as Box<dyn Guess>, known] {
                    let mut guesser = Guesser::new(guess, ahead);
                    let (found, count) = text(&mut decoder, &sampling, prompt, &mut guesser);
                    assert_eq!(found, plain, "{name}, {count:?}, {sampling:?}");
                    right += count.right;
                }
            }
        }
    }
    assert!(right > 500, "{right} guesses were right");
}

#[test]
fn commands_guess() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    let model = compiled_with(folder, &["--speculate=3"]);
    let wanted = model.greedy(&[3, 17, 5], 9);
    let generate = |flags: &[&str]| {
        let usual =
            ["generate", "--module=m.fnx", "--parameters=model", "--raw", "--prompt=w3 w17 w5", "--max-tokens=9"];
        fornax(folder, &[&usual[..], flags].concat())
    };
    let json = |flags: &[&str]| -> Value {
        serde_json::from_str(&generate(&[&["--format=json"], flags].concat()).ok().stdout).unwrap()
    };
    let plain = json(&[]);
    assert_eq!((&plain["ids"], plain["model_calls"].as_u64()), (&json!(wanted), Some(0)));
    // The same model guesses all that it says itself.
    let draft = ["--speculate=3", "--draft-module=m.fnx", "--draft-parameters=model"];
    let found = json(&draft);
    let counts = ["model_calls", "guessed_tokens", "accepted_tokens"].map(|name| found[name].as_u64().unwrap());
    assert_eq!((&found["ids"], counts), (&json!(wanted), [2, 6, 6]));
    let warm = ["--temperature=2", "--seed=5"];
    assert_eq!(json(&[&draft[..], &warm].concat())["ids"], json(&warm)["ids"]);
    assert_eq!(json(&["--speculate=2"])["text"], plain["text"]);
    let said = generate(&["--speculate=3"]).ok().stderr;
    assert!(said.contains("tokens guessed"), "{said}");
    generate(&["--speculate=4"]).fails(1, "FX1112");
    generate(&["--speculate=0"]).fails(1, "--speculate");
    generate(&["--draft-module=m.fnx"]).fails(1, "--speculate");
    // A conversation and a server.
    std::fs::write(folder.join("model/chat_template.jinja"), TEMPLATE).unwrap();
    let talk = |flags: &[&str]| chat(folder, flags, "w3 w17\nw5\n").ok().stdout;
    assert_eq!(talk(&["--speculate=3"]), talk(&[]));
    let server = Server::start(folder, &["--speculate=3"]);
    let body = json!({ "model": "m", "prompt": "w3 w17 w5", "max_tokens": 9, "temperature": 0 });
    let (status, reply) = server.post("/v1/completions", "", &body);
    let reply: Value = serde_json::from_str(&reply).unwrap();
    assert_eq!((status, &reply["choices"][0]["text"]), (200, &plain["text"]));
    assert_eq!(server.end("-TERM"), Some(0));
}

/// Texts of three prompts, greedy and drawn: one after the other without guesses; together with guesses, by lookup and
/// by a draft; the same from a server.
#[test]
fn texts_together_are_those_without_guesses() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    compiled_with(folder, &["--speculate=3", "--batch=2", "--cache-pages=2"]);
    fornax(folder, &["compile", "-q", "--target=cpu:x86-64-v3", "model", "--context=16", "-o", "small.fnx"]).ok();
    let prompts = ["w3 w17 w5", "w4 w4 w4 w4", "w9 w2"];
    let generate = |flags: &[&str]| -> Vec<Value> {
        let asked = prompts.map(|prompt| format!("--prompt={prompt}"));
        let usual = ["generate", "--parameters=model", "--raw", "--max-tokens=9", "--format=json"];
        let asked: Vec<&str> = usual.into_iter().chain(asked.iter().map(String::as_str)).collect();
        let run = fornax(folder, &[&asked, flags].concat()).ok();
        run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let ids = |all: &[Value]| all.iter().map(|one| one["ids"].clone()).collect::<Vec<_>>();
    let draft = ["--draft-module=small.fnx", "--draft-parameters=model"];
    for warm in [&["--temperature=0"][..], &["--temperature=2", "--seed=5"]] {
        let plain = generate(&[&["--module=small.fnx"], warm].concat());
        let flags = [&["--module=m.fnx", "--speculate=3"], warm].concat();
        assert_eq!(ids(&generate(&flags)), ids(&plain));
        let found = generate(&[&flags, &draft[..]].concat());
        assert_eq!(ids(&found), ids(&plain));
        let right: u64 = found.iter().map(|one| one["accepted_tokens"].as_u64().unwrap()).sum();
        assert!(right > 0, "{found:?}");
        for more in [&[][..], &draft] {
            let server = Server::start(folder, &[&["--speculate=3", "--max-sequences=3"], more].concat());
            std::thread::scope(|scope| {
                for (prompt, plain) in prompts.iter().zip(&plain) {
                    let (warmth, server) = (if warm.len() > 1 { 2 } else { 0 }, &server);
                    scope.spawn(move || {
                        let sampling = json!({ "max_tokens": 9, "temperature": warmth, "seed": 5 });
                        let mut body = json!({ "model": "m", "prompt": prompt });
                        body.as_object_mut().unwrap().extend(sampling.as_object().unwrap().clone());
                        let (status, reply) = server.post("/v1/completions", "", &body);
                        let reply: Value = serde_json::from_str(&reply).unwrap();
                        assert_eq!((status, &reply["choices"][0]["text"]), (200, &plain["text"]));
                    });
                }
            });
            let metrics = server.get("/metrics");
            assert!(more.is_empty() || !metrics.contains("fornax_accepted_tokens_total 0\n"), "{metrics}");
            assert_eq!(server.end("-TERM"), Some(0));
        }
    }
}

#[test]
fn what_cannot_be_compiled_ahead_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let file = root().join("tests/checkpoints/llama3").display().to_string();
    for flags in [&["--speculate=65"][..], &["--speculate=16", "--context=16"], &["--speculate=2", "--batch=0"]] {
        fornax(dir.path(), &[&["compile", "-q", &file, "-o", "m.fnx"], flags].concat()).fails(1, "FX1017");
    }
}
