//! Caches in pages (`compile --cache-pages`): the texts of caches that each text has for itself, also where pages run
//! out and texts share what they begin with.

use std::path::Path;

use fornax_tests::{fornax, root};
use fornax_text::{DeviceModel, Found, Model, Sequence};
use serde_json::{Value, json};

use crate::checkpoints::{difference_with, model};
use crate::generate::{Model as Written, compiled_with};
use crate::serve::Server;

/// Of the largest logit, in f32.
const TOLERANCE: f32 = 1e-5;

fn checkpoint(name: &str) -> std::path::PathBuf {
    root().join("tests/checkpoints").join(name)
}

#[test]
fn logits_are_those_of_transformers() {
    // Windows; scales; experts; positions that are learned; a module of two devices.
    for (name, flags, tolerance) in [
        ("gemma3", &["--batch=3", "--chunk=5"][..], TOLERANCE),
        ("llama3", &["--batch=2", "--chunk=32"], TOLERANCE),
        ("llama3", &["--batch=2", "--chunk=5", "--tensor-parallel=2"], TOLERANCE),
        ("gpt2", &["--batch=2", "--chunk=33"], TOLERANCE),
        ("qwen3", &["--batch=2", "--chunk=5", "--cache-type=int8"], 0.05),
    ] {
        let folder = checkpoint(name);
        let found = difference_with(&folder, &folder, &[flags, &["--cache-pages=4"]].concat());
        assert!(found <= tolerance, "{name} {flags:?}: {found:e}");
    }
}

/// Every checkpoint: `cargo test -p fornax-tests --test cli -- --ignored`.
#[test]
#[ignore = "every architecture"]
fn every_architecture_has_pages() {
    for entry in std::fs::read_dir(root().join("tests/checkpoints")).expect("checkpoints") {
        let folder = entry.expect("an entry").path();
        if folder.is_dir() {
            let flags = ["--batch=3", "--chunk=5", "--cache-pages=4"];
            let found = difference_with(&folder, &folder, &flags);
            assert!(found <= TOLERANCE, "{}: {found:e}", folder.display());
        }
    }
}

/// The logits of the last tokens of a text, each decoded, behind a prompt of `read` tokens.
fn steps(model: &mut DeviceModel, text: &mut Sequence<fornax_text::device_model::Slot>, tokens: &[u32]) -> Vec<Vec<f32>> {
    let mut all = Vec::new();
    for &token in tokens {
        assert!(text.make_room(model, 1));
        let found = model.decode(&mut [text.next(token, fornax_text::Wanted::Logits)]).remove(0);
        text.decoded(token);
        all.push(found.and_then(Found::logits).expect("logits"));
    }
    all
}

/// Prompts and texts that end before, at and behind the edge of a page, in pages that other texts had before.
#[test]
fn edges_of_pages_do_not_show() {
    let folder = checkpoint("llama3");
    let flags = ["--batch=2", "--context=96", "--chunk=8"];
    let mut plain = model(&folder, &flags);
    let mut paged = model(&folder, &[&flags[..], &["--cache-pages=5"]].concat());
    let tokens: Vec<u32> = (0..70).map(|at| (at * 7 + 3) % 40).collect();
    let mut other = Sequence::new(paged.caches().expect("caches"));
    for length in [1, 15, 31, 32, 33, 40, 63, 64, 65] {
        let mut both = Vec::new();
        for model in [&mut plain, &mut paged] {
            let mut text = Sequence::new(model.caches().expect("caches"));
            let first = text.feed(model, &tokens[..length]).expect("logits");
            both.push((first, steps(model, &mut text, &tokens[length..length + 4])));
        }
        assert!(both[0] == both[1], "behind {length} tokens");
        // Rows of another text lie where the next one's will.
        other.end(&mut paged);
        other.feed(&mut paged, &tokens[2..40]).expect("logits");
    }
    assert_eq!(paged.pages().map(|count| (count.all, count.held)), Some((5, 2)));
}

/// What whole chunks wrote is taken over while its text runs, and gives the same bits.
#[test]
fn texts_share_the_pages_that_they_begin_with() {
    let folder = checkpoint("qwen3");
    let mut model = model(&folder, &["--batch=3", "--context=96", "--chunk=16", "--cache-pages=7"]);
    let tokens: Vec<u32> = (0..80).map(|at| (at * 11 + 5) % 40).collect();
    let mut first = Sequence::new(model.caches().expect("caches"));
    assert_eq!(first.begin(&mut model, &tokens[..70]), 0);
    let wanted = first.feed(&mut model, &tokens[..70]).expect("logits");
    let behind = steps(&mut model, &mut first, &tokens[70..75]);
    let mut second = Sequence::new(model.caches().expect("caches"));
    assert_eq!(second.begin(&mut model, &tokens[..70]), 64);
    assert!(second.feed(&mut model, &tokens[64..70]).expect("logits") == wanted);
    assert_eq!(model.pages().map(|count| count.held), Some(4), "two pages are of both");
    assert!(steps(&mut model, &mut second, &tokens[70..75]) == behind);
    // Both have gone; what they began with is still there.
    first.end(&mut model);
    second.end(&mut model);
    assert_eq!(model.pages().map(|count| count.held), Some(0));
    let mut third = Sequence::new(model.caches().expect("caches"));
    assert_eq!(third.begin(&mut model, &tokens[..40]), 32);
    // Who takes all pages leaves nothing of it.
    third.end(&mut model);
    let mut all = [Sequence::new(model.caches().expect("caches")), Sequence::new(model.caches().expect("caches"))];
    assert!(all[0].make_room(&mut model, 96) && all[1].make_room(&mut model, 96));
    assert!(!third.make_room(&mut model, 33), "one page is free");
    let error = third.feed(&mut model, &tokens[..40]).err().expect("no page");
    assert_eq!(error.code(), "FX1114");
    all.iter_mut().for_each(|text| text.end(&mut model));
    assert_eq!(third.begin(&mut model, &tokens[..40]), 0);
}

/// Four texts of 50 tokens, of two pages each, in three pages.
fn written(folder: &Path) -> (Written, Vec<Vec<usize>>) {
    let flags = ["--batch=4", "--cache-pages=3"];
    let model = compiled_with(folder, &flags);
    let base = ["compile", "-q", "--target=cpu:x86-64-v3", "model", "--context=64", "--chunk=8", "-o", "m.fnx"];
    fornax(folder, &[&base[..], &flags].concat()).ok();
    let prompts = (0..4).map(|at| (0..20).map(|token| (token * (at + 2) + at) % 23).collect()).collect();
    (model, prompts)
}

fn words(ids: &[usize]) -> String {
    ids.iter().map(|id| format!("w{id}")).collect::<Vec<String>>().join(" ")
}

#[test]
fn generated_texts_stop_and_go_on_where_pages_run_out() {
    let dir = tempfile::tempdir().expect("a folder");
    let (model, prompts) = written(dir.path());
    let lines: Vec<String> = prompts.iter().map(|prompt| format!("{:?}", words(prompt))).collect();
    std::fs::write(dir.path().join("prompts.jsonl"), lines.join("\n")).expect("a file");
    let flags = ["generate", "--module=m.fnx", "--parameters=model", "--raw", "--format=json", "--max-tokens=30"];
    let run = fornax(dir.path(), &[&flags[..], &["--prompt-file=prompts.jsonl"]].concat()).ok();
    let texts = run.stdout.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON")["text"].clone());
    let wanted: Vec<String> = prompts.iter().map(|prompt| words(&model.greedy(prompt, 30))).collect();
    assert_eq!(texts.collect::<Vec<_>>(), wanted);
}

#[test]
fn served_texts_are_those_of_the_model_where_pages_run_out() {
    let dir = tempfile::tempdir().expect("a folder");
    let (model, prompts) = written(dir.path());
    let server = Server::start(dir.path(), &["--max-sequences=6"]);
    let ask = |prompt: &[usize], more: Value| {
        let mut body = json!({ "model": "m", "prompt": words(prompt), "max_tokens": 30 });
        body.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        let (status, reply) = server.post("/v1/completions", "", &body);
        assert_eq!(status, 200, "{reply}");
        serde_json::from_str::<Value>(&reply).expect("JSON")["choices"][0]["text"].clone()
    };
    let warm = |seed: usize| json!({ "temperature": 2, "seed": seed });
    let alone: Vec<Value> = (0..4).map(|at| ask(&prompts[at], warm(at))).collect();
    std::thread::scope(|scope| {
        for (at, prompt) in prompts.iter().enumerate() {
            let (ask, wanted, alone) = (&ask, words(&model.greedy(prompt, 30)), &alone[at]);
            scope.spawn(move || {
                assert_eq!(ask(prompt, json!({ "temperature": 0 })), wanted);
                assert_eq!(ask(prompt, warm(at)), *alone);
            });
        }
    });
    // Pages are given back behind the last word.
    let is_over = |metrics: &String| metrics.contains("fornax_cache_pages_used 0");
    let metrics = (0..100).map(|_| server.get("/metrics")).find(is_over).expect("pages that nobody has");
    assert!(metrics.contains("fornax_cache_pages 3"), "{metrics}");
    assert!(!metrics.contains("fornax_preempted_total 0\n"), "nobody stopped: {metrics}");
    assert_eq!(server.end("-TERM"), Some(0));
}

#[test]
fn what_pages_cannot_be_is_said() {
    let dir = tempfile::tempdir().expect("a folder");
    let folder = checkpoint("llama3").display().to_string();
    let import = |flags: &[&str]| fornax(dir.path(), &[&["import", "--emit-mlir", &folder], flags].concat());
    for (flags, why) in [
        (&["--cache-pages=9"][..], "--batch"),
        (&["--cache-pages=2", "--batch=2", "--context=96"], "3, those of one text"),
        (&["--cache-pages=0", "--batch=2", "--context=32"], "1, those of one text"),
        (&["--cache-pages=99999999999", "--batch=2", "--context=32"], "524288"),
    ] {
        let error = import(flags).fails(1, "FX1017");
        assert!(error.stderr.contains(why), "{flags:?}: {}", error.stderr);
    }
    // The pool, and that of no text, whatever the batch.
    let text = import(&["--cache-pages=5", "--batch=2", "--context=96"]).ok().stdout;
    assert!(text.contains("6x") && text.contains("%table: tensor<2x3xi32>"), "{text}");
    let check = |flags: &[&str]| {
        let all = [&["check", folder.as_str(), "--device=cpu", "--context=96", "--format=json"], flags].concat();
        serde_json::from_str::<Value>(&fornax(dir.path(), &all).ok().stdout).expect("JSON")["devices"][0]["inference"]
            .clone()
    };
    let (paged, plain) = (check(&["--batch=2", "--cache-pages=5"]), check(&["--batch=2"]));
    assert_eq!(paged["pages"], json!([5, 32]));
    // Six pages of 32 tokens are as many tokens as two texts of 96.
    assert_eq!((&paged["caches"], plain["pages"].is_null()), (&plain["caches"], true));
}
