//! How much memory a language model takes: the estimate against what the runtime takes then, the table of `check`, and
//! models that do not fit, refused with what would.

use std::path::Path;
use std::time::Duration;

use fornax_runtime::registry::open_device;
use fornax_runtime::session::{Module, ParameterFile, Session, SessionOptions};
use fornax_tests::{Run, fornax, fornax_with, link_double, root};
use fornax_text::{
    Choice, Demand, DeviceModel, Encode, Encoder, Found, Model, Next, Sampling, Several, Wanted,
    estimate_inference_memory,
};
use serde_json::Value;

fn checkpoint(name: &str) -> String {
    root().join("tests").join(name).display().to_string()
}

fn compiled(folder: &Path, checkpoint: &str, flags: &[&str]) {
    fornax(folder, &[&["compile", "-q", "--cuda-use-ptxas=false", checkpoint, "-o", "m.fnx"], flags].concat()).ok();
}

/// Each function of a language model once, with caches of so many texts.
fn run_model(session: Session, texts: usize) -> DeviceModel {
    let mut model = DeviceModel::new(session).unwrap();
    let mut caches: Vec<_> = (0..texts).map(|_| model.caches().unwrap()).collect();
    // All that can be asked for.
    let sampling = Sampling { temperature: 1.0, top_k: 5, top_p: 0.9, repetition_penalty: 1.1, ..Sampling::default() };
    let wanted = Wanted::Token(Choice { sampling, uniform: 0.5, seen: vec![1, 2, 3] });
    for cache in &mut caches {
        assert!(model.make_room(cache, 8), "no page");
        model.prefill(cache, 0, &[1, 2, 3], &wanted).unwrap();
    }
    for _ in 0..2 {
        let next = |caches| Next { caches, position: 3, token: 4, wanted: wanted.clone() };
        let mut batch: Vec<_> = caches.iter_mut().map(next).collect();
        model.decode(&mut batch).into_iter().for_each(|found| assert!(matches!(found.unwrap(), Found::Token(_))));
    }
    if model.ahead() > 0 {
        let several = Several { caches: &mut caches[0], position: 4, tokens: &[5, 6] };
        model.verify(&mut [several]).pop().unwrap().unwrap();
    }
    model
}

/// What the estimate says is what the pool of the processor's device holds once every function has run.
#[test]
fn the_estimate_is_what_the_runtime_takes() {
    let dir = tempfile::tempdir().unwrap();
    for (name, flags, texts) in [
        ("llama3", &["--context=16", "--chunk=4"][..], 1),
        ("llama3", &["--context=64", "--chunk=16"], 3),
        ("llama3", &["--context=32", "--batch=3", "--chunk=8"], 3),
        ("qwen3", &["--context=64", "--batch=2", "--chunk=8", "--cache-pages=7"], 5),
        // Two banks.
        ("gemma3", &["--context=64", "--batch=2", "--chunk=32", "--compute-type=bf16"], 4),
        ("llama3/model.gguf", &["--context=33", "--chunk=10", "--speculate=6"], 2),
        ("qwen3", &["--context=32", "--chunk=8", "--cache-type=int8"], 2),
        ("qwen3", &["--context=32", "--chunk=8", "--cache-type=f8", "--batch=2", "--speculate=2"], 2),
        ("qwen3", &["--context=64", "--batch=2", "--cache-pages=7", "--cache-type=int8", "--speculate=3"], 3),
        // Blocks that are prepared, experts that are stacked, words that are packed anew.
        ("qwen2_gptq", &["--context=32", "--chunk=8"], 1),
        ("mixtral", &["--context=32", "--chunk=16"], 2),
        ("qwen3_moe", &["--context=16", "--batch=2", "--chunk=4"], 2),
    ] {
        let file = checkpoint(&format!("checkpoints/{name}"));
        compiled(dir.path(), &file, &[&["--target=cpu:x86-64-v3"], flags].concat());
        let module = Module::open(&dir.path().join("m.fnx")).unwrap();
        let options = SessionOptions { parameters: vec![ParameterFile::parse(&file)], ..SessionOptions::default() };
        let device = open_device("cpu").unwrap();
        let ahead = flags.iter().any(|flag| flag.starts_with("--speculate"));
        let demand = Demand { texts: Some(texts), ahead, context: None };
        let estimate = estimate_inference_memory(&module, &device, &options, &demand).unwrap();
        assert_eq!(device.held_bytes(), 0, "an estimate takes nothing");
        let session = Session::load(&module, &device, &options).unwrap();
        assert_eq!(device.held_bytes(), estimate.weights + estimate.prepared, "{name} {flags:?}");
        let model = run_model(session, texts);
        assert_eq!(device.held_bytes(), estimate.total(), "{name} {flags:?} {estimate:?}");
        drop(model);
        // Another context: caches and nothing else; pages are as many.
        let half = Demand { texts: Some(texts), context: Some(estimate.context / 2), ahead };
        let half = estimate_inference_memory(&module, &device, &options, &half).unwrap();
        let is_paged = estimate.paging().is_some();
        assert_eq!((half.weights, half.arena), (estimate.weights, estimate.arena), "{name} {flags:?}");
        assert_eq!(half.cache < estimate.cache, !is_paged, "{name} {flags:?}");
    }
}

#[test]
fn the_estimate_of_an_encoder_is_what_the_runtime_takes() {
    let dir = tempfile::tempdir().unwrap();
    let file = checkpoint("encoders/bert");
    compiled(dir.path(), &file, &["--target=cpu:x86-64-v3"]);
    let module = Module::open(&dir.path().join("m.fnx")).unwrap();
    let options = SessionOptions { parameters: vec![ParameterFile::parse(&file)], ..SessionOptions::default() };
    let device = open_device("cpu").unwrap();
    let estimate = estimate_inference_memory(&module, &device, &options, &Demand::default()).unwrap();
    let mut encoder = Encoder::new(Session::load(&module, &device, &options).unwrap()).unwrap();
    for tokens in 1..=encoder.context() {
        encoder.encode(&vec![1; tokens]).unwrap();
    }
    assert_eq!((device.held_bytes(), estimate.cache), (estimate.total(), 0), "{estimate:?}");
}

/// A run on a machine with a GPU of so many bytes, which a test double stands for.
#[track_caller]
fn with_gpu(folder: &Path, bytes: u64, arguments: &[&str]) -> Run {
    let (path, bytes) = (folder.display().to_string(), bytes.to_string());
    let variables = [
        ("LD_LIBRARY_PATH", path.as_str()),
        ("FORNAX_FAKE_CUDA_ARCH", "sm_80"),
        ("FORNAX_FAKE_CUDA_MEMORY", bytes.as_str()),
    ];
    fornax_with(folder, arguments, &variables, Duration::from_secs(60))
}

fn inference(run: &Run) -> Value {
    let report: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {run:?}"));
    report["devices"][0]["inference"].clone()
}

const ON_GPU: [&str; 4] = ["check", "m.fnx", "--device=cuda", "--format=json"];

#[test]
fn what_does_not_fit_is_refused_with_what_does() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    link_double(folder, "libfornax_fake_cuda.so", "libcuda.so.1");
    // With a tokenizer and words.
    crate::generate::compiled(folder);
    let compile = |flags: &[&str]| {
        compiled(folder, "model", &[&["--target=cuda:sm_80", "--target=cpu:x86-64-v3", "--chunk=4"], flags].concat());
    };
    compile(&["--context=64"]);
    let whole = inference(&with_gpu(folder, 1 << 30, &ON_GPU).ok());
    let number = |name: &str| whole[name].as_u64().unwrap();
    assert_eq!((number("texts"), number("context")), (1, 64));
    assert_eq!(
        number("total"),
        ["weights", "prepared", "caches", "arena", "buffers"].iter().map(|name| number(name)).sum::<u64>()
    );
    // Room for half of the caches.
    let free = number("total") - number("caches") / 2;
    let generate = ["generate", "--module=m.fnx", "--parameters=model", "--prompt=w1 w2", "--raw", "--device=cuda"];
    let refused = with_gpu(folder, free, &generate).fails(4, "FX1111");
    for part in ["for 1 text of 64 tokens do not fit", "caches", "what would fit", "--cache-type=bf16", "free"] {
        assert!(refused.stderr.contains(part), "no {part} in {}", refused.stderr);
    }
    // What it says does fit, and a chunk more does not.
    let said = |text: &str| -> u64 {
        let rest = text.split("--context=").nth(1).unwrap_or_else(|| panic!("no --context in {text}"));
        rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap()
    };
    let context = said(&refused.stderr);
    assert!((4..64).contains(&context), "{context}");
    compile(&[&format!("--context={context}")]);
    let found = with_gpu(folder, free, &ON_GPU).ok();
    assert!(inference(&found)["total"].as_u64().unwrap() <= free);
    compile(&[&format!("--context={}", context + 4)]);
    let found = with_gpu(folder, free, &ON_GPU).fails(4, "FX0706");
    assert!(inference(&found)["what_fits"][0].as_str().unwrap().contains(&format!("--context={context}")));
    // Every command that loads a language model.
    let parts = ["--module=m.fnx", "--parameters=model", "--device=cuda"];
    std::fs::write(folder.join("text.txt"), "w1 w2 w3").unwrap();
    for command in [&["chat"][..], &["perplexity", "--text-file=text.txt"], &["serve", "--port=0"]] {
        with_gpu(folder, free, &[command, &parts].concat()).fails(4, "FX1111");
    }
    // auto passes the GPU over, and says why.
    let run = with_gpu(folder, free, &[&generate[..5], &["--device=auto", "--max-tokens=2"]].concat()).ok();
    assert!(run.stderr.contains("--device=auto: cpu://") && run.stderr.contains("do not fit in the"), "{}", run.stderr);
}

#[test]
fn the_table_of_a_module_and_of_a_checkpoint() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    link_double(folder, "libfornax_fake_cuda.so", "libcuda.so.1");
    let file = checkpoint("checkpoints/llama3");
    compiled(folder, &file, &["--target=cuda:sm_80", "--context=32", "--batch=2"]);
    let on_gpu = |flags: &[&str]| with_gpu(folder, 1 << 30, &[&["check", "--device=cuda"], flags].concat());
    let table = on_gpu(&["--module=m.fnx", "--context=64", "--batch=4"]).ok().stdout;
    for part in ["memory of 4 texts of 64 tokens", "weights", "prepared", "caches", "a text", "arena", "of 32 tokens"] {
        assert!(table.contains(part), "no {part} in {table}");
    }
    let json = |flags: &[&str]| inference(&on_gpu(&[&["--format=json"], flags].concat()).ok());
    let (module, before) = (json(&["--module=m.fnx"]), json(&[&file, "--context=32", "--batch=2"]));
    for same in ["texts", "context", "caches"] {
        assert_eq!(module[same], before[same], "{same}: {module} {before}");
    }
    // Blocks of memory and constants are what the module has more.
    let weights = |table: &Value| table["weights"].as_u64().unwrap();
    assert!((weights(&before)..weights(&before) + 64 * 256).contains(&weights(&module)), "{module} {before}");
    compiled(folder, &file, &["--target=cuda:sm_80", "--context=32", "--cache-type=int8"]);
    let narrow = [json(&["--module=m.fnx"]), json(&[&file, "--context=32", "--cache-type=int8"])];
    assert_eq!(narrow[0]["caches"], narrow[1]["caches"]);
    assert!(narrow[0]["caches"].as_u64() < before["caches"].as_u64().map(|two| two / 3), "{narrow:?}");
    assert!(before["arena"].is_null() && module["arena"].as_u64() > Some(0));
    let text = on_gpu(&[&file]).ok().stdout;
    assert!(text.contains("before it is compiled") && text.contains("after compiling"), "{text}");
    let small = with_gpu(folder, 36_000, &["check", &file, "--device=cuda", "--context=64"]).fails(4, "FX1111");
    assert!(small.stderr.contains("--context="), "{}", small.stderr);
    // On a processor weights stay where they lie.
    let here = fornax(folder, &["check", &file, "--device=cpu", "--format=json"]).ok();
    let here = inference(&here);
    assert_eq!((here["weights"].as_u64(), here["in_place"].as_u64()), (Some(0), before["weights"].as_u64()));
    fornax(folder, &["check", &file, "--context=100000", "--device=cpu"]).fails(1, "FX1017");
    fornax(folder, &["check", "m.fnx", "--context=0"]).fails(1, "--context");
    std::fs::write(
        folder.join("o.mlir"),
        "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %x : tensor<2xf32>\n}\n",
    )
    .unwrap();
    fornax(folder, &["compile", "-q", "--target=cpu", "o.mlir", "-o", "o.fnx"]).ok();
    fornax(folder, &["check", "o.fnx", "--context=8"]).fails(1, "FX1104");
    fornax(folder, &["check", "o.fnx"]).ok();
}
