//! Caches in pages (`compile --cache-pages`): the texts of caches that each text has for itself, also where pages run
//! out and texts share what they begin with.

use std::path::Path;

use fornax_tests::{fornax, root};
use fornax_text::{DeviceModel, Found, Model, Sequence};
use serde_json::{Value, json};

use crate::checkpoints::{difference_with, model};
use crate::generate::compiled_with;
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
            for cache in ["int8", "f8"] {
                let found = to_whole_caches(&folder, cache);
                assert!(found <= TOLERANCE, "{} {cache}: {found:e}", folder.display());
            }
        }
    }
}

/// Of the largest logit: how much logits of 8-bit caches in pages differ from those of whole ones, which round alike.
fn to_whole_caches(folder: &Path, cache: &str) -> f32 {
    let cache = format!("--cache-type={cache}");
    let flags = ["--batch=2", "--context=64", "--chunk=5", &cache];
    let tokens: Vec<u32> = (0..44).map(|at| (at * 7 + 3) % 30).collect();
    let all = [&flags[..], &[&flags[..], &["--cache-pages=5"]].concat()].map(|flags| {
        let mut model = model(folder, flags);
        let mut text = Sequence::new(model.caches().expect("caches"));
        let mut rows = vec![text.feed(&mut model, &tokens[..30]).expect("logits")];
        rows.extend(steps(&mut model, &mut text, &tokens[30..]));
        rows.concat()
    });
    let most = all[0].iter().fold(0f32, |most, x| most.max(x.abs()));
    all[0].iter().zip(&all[1]).fold(0f32, |worst, (a, b)| worst.max((a - b).abs())) / most
}

#[test]
fn caches_of_8_bits_in_pages_are_those_without() {
    for (name, cache) in [("gemma3", "int8"), ("gpt2", "f8")] {
        let found = to_whole_caches(&checkpoint(name), cache);
        assert!(found <= TOLERANCE, "{name} {cache}: {found:e}");
    }
}

/// The logits of the last tokens of a text, each decoded, behind a prompt of `read` tokens.
fn steps(
    model: &mut DeviceModel,
    text: &mut Sequence<fornax_text::device_model::Slot>,
    tokens: &[u32],
) -> Vec<Vec<f32>> {
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
    let flags = ["--batch=2", "--context=64", "--chunk=8"];
    let mut plain = model(&folder, &flags);
    let mut paged = model(&folder, &[&flags[..], &["--cache-pages=5"]].concat());
    let tokens: Vec<u32> = (0..70).map(|at| (at * 7 + 3) % 30).collect();
    let mut other = Sequence::new(paged.caches().expect("caches"));
    for length in [1, 15, 29, 31, 32, 33, 48, 60] {
        let mut both = Vec::new();
        for model in [&mut plain, &mut paged] {
            let mut text = Sequence::new(model.caches().expect("caches"));
            let first = text.feed(model, &tokens[..length]).expect("logits");
            both.push((first, steps(model, &mut text, &tokens[length..length + 4])));
        }
        let (one, two) = (&both[0], &both[1]);
        let pairs = one.0.iter().zip(&two.0).chain(one.1.iter().flatten().zip(two.1.iter().flatten()));
        let most = one.0.iter().fold(0f32, |most, x| most.max(x.abs()));
        let worst = pairs.fold(0f32, |worst, (a, b)| worst.max((a - b).abs())) / most;
        assert!(worst <= TOLERANCE, "behind {length} tokens: {worst:e}");
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
    let mut model = model(&folder, &["--batch=3", "--context=64", "--chunk=16", "--cache-pages=5"]);
    let tokens: Vec<u32> = (0..60).map(|at| (at * 11 + 5) % 30).collect();
    let mut first = Sequence::new(model.caches().expect("caches"));
    assert_eq!(first.begin(&mut model, &tokens[..50]), 0);
    let wanted = first.feed(&mut model, &tokens[..50]).expect("logits");
    let behind = steps(&mut model, &mut first, &tokens[50..55]);
    let mut second = Sequence::new(model.caches().expect("caches"));
    assert_eq!(second.begin(&mut model, &tokens[..50]), 32);
    assert!(second.feed(&mut model, &tokens[32..50]).expect("logits") == wanted);
    assert_eq!(model.pages().map(|count| count.held), Some(3), "a page is of both");
    assert!(steps(&mut model, &mut second, &tokens[50..55]) == behind);
    // Both have gone; what they began with is still there.
    first.end(&mut model);
    second.end(&mut model);
    assert_eq!(model.pages().map(|count| count.held), Some(0));
    let mut third = Sequence::new(model.caches().expect("caches"));
    assert_eq!(third.begin(&mut model, &tokens[..40]), 32);
    third.end(&mut model);
    // Others take all pages but one.
    let mut all = [Sequence::new(model.caches().expect("caches")), Sequence::new(model.caches().expect("caches"))];
    assert!(all[0].make_room(&mut model, 64) && all[1].make_room(&mut model, 64));
    let Err(error) = third.feed(&mut model, &tokens[..40]) else { panic!("there is no page") };
    assert!(error.code() == "FX1114" && error.message().contains("5 of 5"), "{error}");
    all.iter_mut().for_each(|text| text.end(&mut model));
    assert!(third.feed(&mut model, &tokens[third.position()..50]).expect("logits") == wanted);
}

/// A module with six pages, and one with whole caches, for four texts of 120 tokens, of four pages each; of 8 bits.
fn written(folder: &Path) -> Vec<String> {
    compiled_with(folder, &[]);
    let config = folder.join("model/config.json");
    let text = std::fs::read_to_string(&config).expect("settings");
    let longer = text.replace("\"max_position_embeddings\": 64", "\"max_position_embeddings\": 160");
    assert_ne!(text, longer);
    std::fs::write(&config, longer).expect("a file");
    let sizes = ["--context=160", "--chunk=8", "--batch=4", "--cache-type=int8"];
    let base = [&["compile", "-q", "--target=cpu:x86-64-v3", "model"], &sizes[..], &["-o"]].concat();
    fornax(folder, &[&base[..], &["m.fnx", "--cache-pages=6"]].concat()).ok();
    fornax(folder, &[&base[..], &["plain.fnx"]].concat()).ok();
    let prompt = |at: usize| (0..20).map(|token| format!("w{}", (token * (at + 2) + at) % 23)).collect::<Vec<_>>();
    (0..4).map(|at| prompt(at).join(" ")).collect()
}

/// The texts behind some prompts, 100 words each.
fn generated(folder: &Path, module: &str, prompts: &[String]) -> Vec<Value> {
    let lines: Vec<String> = prompts.iter().map(|prompt| format!("{prompt:?}")).collect();
    std::fs::write(folder.join("prompts.jsonl"), lines.join("\n")).expect("a file");
    let flags = ["generate", module, "--parameters=model", "--raw", "--format=json", "--max-tokens=100"];
    let run = fornax(folder, &[&flags[..], &["--prompt-file=prompts.jsonl"]].concat()).ok();
    run.stdout.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON")["text"].clone()).collect()
}

#[test]
fn texts_stop_and_go_on_where_pages_run_out() {
    let dir = tempfile::tempdir().expect("a folder");
    let prompts = written(dir.path());
    let wanted = generated(dir.path(), "--module=plain.fnx", &prompts);
    assert_eq!(generated(dir.path(), "--module=m.fnx", &prompts), wanted);
    let server = Server::start(dir.path(), &["--max-sequences=6"]);
    let ask = |prompt: &str, more: Value| {
        let mut body = json!({ "model": "m", "prompt": prompt, "max_tokens": 100 });
        body.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        let (status, reply) = server.post("/v1/completions", "", &body);
        assert_eq!(status, 200, "{reply}");
        serde_json::from_str::<Value>(&reply).expect("JSON")["choices"][0]["text"].clone()
    };
    let warm = |seed: usize| json!({ "temperature": 2, "seed": seed });
    let alone: Vec<Value> = (0..4).map(|at| ask(&prompts[at], warm(at))).collect();
    assert!(server.get("/metrics").contains("fornax_preempted_total 0"), "a lone text has all pages");
    std::thread::scope(|scope| {
        for (at, prompt) in prompts.iter().enumerate() {
            let (ask, wanted, alone) = (&ask, &wanted[at], &alone[at]);
            scope.spawn(move || {
                assert_eq!(ask(prompt, json!({ "temperature": 0 })), *wanted);
                assert_eq!(ask(prompt, warm(at)), *alone);
            });
        }
    });
    // Pages are given back behind the last word.
    let is_over = |metrics: &String| metrics.contains("fornax_cache_pages_used 0");
    let metrics = (0..100).map(|_| server.get("/metrics")).find(is_over).expect("pages that nobody has");
    assert!(metrics.contains("fornax_cache_pages 6"), "{metrics}");
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
        (&["--cache-pages=1", "--batch=2", "--context=64"], "2, those of one text"),
        (&["--cache-pages=0", "--batch=2", "--context=32"], "1, those of one text"),
        (&["--cache-pages=99999999999", "--batch=2", "--context=32"], "524288"),
    ] {
        let error = import(flags).fails(1, "FX1017");
        assert!(error.stderr.contains(why), "{flags:?}: {}", error.stderr);
    }
    // The pool, and that of no text, whatever the batch.
    let text = import(&["--cache-pages=5", "--batch=2", "--context=64"]).ok().stdout;
    assert!(text.contains("tensor<6x") && text.contains("tensor<2x2xi32>"), "{text}");
    let check = |flags: &[&str]| {
        let all = [&["check", folder.as_str(), "--device=cpu", "--context=64", "--format=json"], flags].concat();
        serde_json::from_str::<Value>(&fornax(dir.path(), &all).ok().stdout).expect("JSON")["devices"][0]["inference"]
            .clone()
    };
    let (paged, plain) = (check(&["--batch=2", "--cache-pages=5"]), check(&["--batch=3"]));
    assert_eq!(paged["pages"], json!([5, 32]));
    // Six pages of 32 tokens are as many tokens as three texts of 64.
    assert_eq!((&paged["caches"], plain["pages"].is_null()), (&plain["caches"], true));
}

/// Attention of so many rows of two heads over eight pages that a table names.
fn attention(rows: usize) -> String {
    let scores = format!("2x{rows}x256x");
    let gather = "dimension_numbers = #stablehlo.gather<offset_dims = [1, 2, 3], collapsed_slice_dims = [0], \
                  start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, \
                  slice_sizes = array<i64: 1, 2, 32, 64>";
    let block = |name: &str, pool: &str| {
        format!(
            "    %{name}0 = \"stablehlo.gather\"({pool}, %table) <{{{gather}}}> :
                     (tensor<9x2x32x64xbf16>, tensor<8x1xi32>) -> tensor<8x2x32x64xbf16>
                 %{name}1 = stablehlo.transpose %{name}0, dims = [1, 0, 2, 3] :
                     (tensor<8x2x32x64xbf16>) -> tensor<2x8x32x64xbf16>
                 %{name} = stablehlo.reshape %{name}1 : (tensor<2x8x32x64xbf16>) -> tensor<2x256x64xbf16>\n"
        )
    };
    format!(
        "func.func @main(%q: tensor<2x{rows}x64xbf16>, %keys: tensor<9x2x32x64xbf16>,
                         %values: tensor<9x2x32x64xbf16>, %table: tensor<8x1xi32>) -> tensor<2x{rows}x64xbf16> {{
{}{}     %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
         %zero = stablehlo.constant dense<0.0> : tensor<f32>
         %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] :
             (tensor<2x{rows}x64xbf16>, tensor<2x256x64xbf16>) -> tensor<{scores}f32>
         %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [2] :
             (tensor<{scores}f32>, tensor<f32>) -> tensor<2x{rows}xf32>
         %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1] : (tensor<2x{rows}xf32>) -> tensor<{scores}f32>
         %d = stablehlo.subtract %s, %mb : tensor<{scores}f32>
         %e = stablehlo.exponential %d : tensor<{scores}f32>
         %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] :
             (tensor<{scores}f32>, tensor<f32>) -> tensor<2x{rows}xf32>
         %tb = stablehlo.broadcast_in_dim %t, dims = [0, 1] : (tensor<2x{rows}xf32>) -> tensor<{scores}f32>
         %w = stablehlo.divide %e, %tb : tensor<{scores}f32>
         %wb = stablehlo.convert %w : (tensor<{scores}f32>) -> tensor<{scores}bf16>
         %r = stablehlo.dot_general %wb, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] :
             (tensor<{scores}bf16>, tensor<2x256x64xbf16>) -> tensor<2x{rows}x64xbf16>
         return %r : tensor<2x{rows}x64xbf16>
       }}\n",
        block("k", "%keys"),
        block("v", "%values"),
    )
}

/// Few rows read pages where they lie; for many a copy lies as the copy engine takes it.
#[test]
fn few_rows_read_pages_and_many_a_copy() {
    let dir = tempfile::tempdir().expect("a folder");
    for (rows, way, reads_pages) in [(4, " stream ", true), (128, " bulk ", false)] {
        std::fs::write(dir.path().join("m.mlir"), attention(rows)).expect("a file");
        let flags = ["compile", "-q", "--target=cuda:sm_90a", "--cuda-use-ptxas=false", "m.mlir", "-o", "m.fnx"];
        fornax(dir.path(), &flags).ok();
        let text = fornax(dir.path(), &["inspect", "m.fnx"]).ok().stdout;
        let line = text.lines().find(|line| line.contains(" attention ")).expect("attention");
        assert!(text.contains(way) && line.contains("gather") == reads_pages, "{rows} rows: {text}");
    }
}
