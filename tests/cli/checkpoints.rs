//! Checkpoints of every architecture against what transformers computes with them (`tests/checkpoints/make.py`): the
//! prompt in chunks, then token by token, so that caches, windows and positions are all used. Each as a folder of
//! Hugging Face's, and as a GGUF file (`tests/checkpoints/to_gguf.py`). Quantised folders against the floats that they
//! stand for (`tests/checkpoints/make_quantised.py`).

use std::path::{Path, PathBuf};
use std::time::Duration;

use fornax_runtime::hal::OpenOptions;
use fornax_runtime::session::{Module, ParameterFile, SessionOptions};
use fornax_runtime::team::{self, Sessions};
use fornax_runtime::tensor::npy;
use fornax_tests::{fornax, root};
use fornax_text::device_model::Slot;
use fornax_text::{Decoder, DeviceModel, Found, Model, Sequence};

/// Tokens that go in as a prompt; the others come one by one. No multiple of the chunk.
const PROMPT: usize = 13;
pub const CHUNK: u32 = 5;
/// Of the largest logit, by the type of products' operands; of the halves 32 times what rounding to them is. Found
/// (x86-64): 4e-6, 0.085, 0.009. A mask, norm or position that is wrong shows as 0.1 and more in f32.
const TOLERANCES: &[(&str, f32)] = &[("f32", 1e-5), ("bf16", 32.0 / 256.0), ("f16", 32.0 / 2048.0)];

/// Of folders whose activations have 8 bits: a number that another order of sums puts on the other side of two floats
/// of E4M3 moves the logits by about this. What activations of floats give differs by more ([`FLOATS`]).
const NARROW: f32 = 0.012;
/// Those folders, with what logits of float activations differ by at least.
const FLOATS: [(&str, f32); 6] = [
    ("llama_w8a8", 0.03),
    ("llama_w8a8_static", 0.03),
    ("qwen3_fp8_blocks", 0.03),
    ("mixtral_fp8_static", 0.03),
    ("qwen3_moe_fp8_static", 0.03),
    ("qwen3_moe_w8a8", 0.03),
];

fn checkpoints() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("tests/checkpoints")).expect("checkpoints");
    let mut folders: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn array(path: &Path) -> Vec<u8> {
    npy::read(&std::fs::read(path).expect("an array")).expect("npy").0.bytes().to_vec()
}

/// Whether matrices of a folder are quantised.
fn is_quantised(folder: &Path) -> bool {
    std::fs::read_to_string(folder.join("config.json")).is_ok_and(|text| text.contains("quantization_config"))
}

/// Checkpoints that are computed in f32 alone: their routers have near ties, which halves decide another way.
const NEAR_TIES: &[&str] = &["olmoe", "qwen2_moe", "qwen3_moe", "qwen3_moe_blocks", "qwen3_moe_fp8", "qwen3_moe_gptq"];

/// A checkpoint, a folder or a file in it, on a processor.
pub fn model(checkpoint: &Path, flags: &[&str]) -> DeviceModel {
    let dir = tempfile::tempdir().expect("a folder");
    let name = checkpoint.display().to_string();
    let usual = ["compile", &name, "--target=cpu:native", "-o", "m.fnx"];
    fornax(dir.path(), &[&usual[..], flags].concat()).ok();
    let module = Module::open(&dir.path().join("m.fnx")).expect("a module");
    let options = SessionOptions { parameters: vec![ParameterFile::parse(&name)], ..SessionOptions::default() };
    let devices = format!("cpu:0-{}", module.manifest().devices() - 1);
    let devices = team::open(&devices, OpenOptions::default()).expect("processors");
    let sessions = Sessions::load(&module, devices, Duration::from_secs(60), &options).expect("sessions");
    DeviceModel::on_devices(sessions).expect("a model")
}

/// What transformers computes: tokens, and the logits behind each.
struct Wanted {
    tokens: Vec<u32>,
    logits: Vec<Vec<f32>>,
    largest: f32,
}

impl Wanted {
    fn of(folder: &Path) -> Wanted {
        let number = |b: &[u8]| u32::from_le_bytes(b.try_into().expect("four bytes"));
        let tokens: Vec<u32> = array(&folder.join("tokens.npy")).chunks_exact(4).map(number).collect();
        let logits = array(&folder.join("logits.npy"));
        let all: Vec<f32> = logits.chunks_exact(4).map(|b| f32::from_bits(number(b))).collect();
        let largest = all.iter().fold(0f32, |most, x| most.max(x.abs()));
        let logits = all.chunks_exact(all.len() / tokens.len()).map(<[f32]>::to_vec).collect();
        Wanted { tokens, logits, largest }
    }

    /// The largest difference of logits behind so many tokens, as a part of the largest logit.
    fn difference(&self, found: &[f32], tokens: usize) -> f32 {
        let wanted = &self.logits[tokens - 1];
        assert_eq!(found.len(), wanted.len());
        assert!(found.iter().all(|x| x.is_finite()), "behind {tokens} tokens");
        found.iter().zip(wanted).fold(0f32, |most, (a, b)| most.max((a - b).abs())) / self.largest
    }
}

/// The largest difference of any logit, as a part of the largest logit; `checkpoint` is the folder or a file in it.
pub fn difference(folder: &Path, checkpoint: &Path, (element, chunk): (&str, u32)) -> f32 {
    difference_with(folder, checkpoint, &[&format!("--compute-type={element}"), &format!("--chunk={chunk}")])
}

/// The same for a module that is compiled with these flags.
pub fn difference_with(folder: &Path, checkpoint: &Path, flags: &[&str]) -> f32 {
    let model = model(checkpoint, flags);
    let wanted = Wanted::of(folder);
    let mut decoder = Decoder::new(model).expect("caches");
    let (mut fed, mut worst) = (0, 0f32);
    while fed < wanted.tokens.len() {
        let next = if fed == 0 { PROMPT } else { fed + 1 };
        let found = decoder.feed(&wanted.tokens[fed..next]).expect("logits");
        worst = worst.max(wanted.difference(&found, next));
        fed = next;
    }
    worst
}

/// Prompts of texts that run together: some have no whole chunk, some end with one.
const LENGTHS: [usize; 8] = [13, 1, 6, 10, 3, 8, 2, 12];

/// Texts of several lengths in as many slots, decoded together as long as each has tokens. The largest difference of
/// any logit, and the logits of the steps of one text.
fn together(model: &mut DeviceModel, wanted: &Wanted, slots: usize, watched: usize) -> (f32, Vec<Vec<f32>>) {
    let new = |model: &mut DeviceModel| Sequence::new(model.caches().expect("caches"));
    let mut texts: Vec<Sequence<Slot>> = (0..slots).map(|_| new(model)).collect();
    let (mut worst, mut seen) = (0f32, Vec::new());
    for (text, length) in texts.iter_mut().zip(LENGTHS) {
        let found = text.feed(model, &wanted.tokens[..length]).expect("logits");
        worst = worst.max(wanted.difference(&found, length));
    }
    loop {
        let mut places = Vec::new();
        let mut batch = Vec::new();
        for (at, text) in texts.iter_mut().enumerate() {
            if let Some(&token) = wanted.tokens.get(text.position()) {
                assert!(text.make_room(model, 1), "no page");
                places.push((at, token));
                batch.push(text.next(token, fornax_text::Wanted::Logits));
            }
        }
        if batch.is_empty() {
            return (worst, seen);
        }
        for ((at, token), found) in places.into_iter().zip(model.decode(&mut batch)) {
            let found = found.and_then(Found::logits).expect("logits");
            texts[at].decoded(token);
            worst = worst.max(wanted.difference(&found, texts[at].position()));
            if at == watched {
                seen.push(found);
            }
        }
    }
}

/// The largest difference where three texts run together, compiled with a flag.
pub fn difference_together(folder: &Path, flag: &str) -> f32 {
    let mut model = model(folder, &["--batch=3", "--chunk=5", flag]);
    together(&mut model, &Wanted::of(folder), 3, 0).0
}

/// Differences by architecture, where texts of `slots` run together; a text alone, in any slot, gives the same bits.
fn check_batches(folders: &[PathBuf], slots: usize) {
    for folder in folders {
        let wanted = Wanted::of(folder);
        let mut model = model(folder, &[&format!("--batch={slots}"), &format!("--chunk={CHUNK}")]);
        let (worst, beside) = together(&mut model, &wanted, slots, 0);
        assert!(worst <= TOLERANCES[0].1, "{} with {slots} texts: {worst:e}", folder.display());
        // The others hold their slots, and nothing runs in them.
        for free in 0..slots {
            let held: Vec<Slot> = (0..free).map(|_| model.caches().expect("caches")).collect();
            let (_, alone) = together(&mut model, &wanted, 1, 0);
            assert!(alone == beside, "{}: slot {free} of {slots} gives other numbers", folder.display());
            drop(held);
        }
    }
}

#[test]
fn logits_are_those_of_transformers() {
    let mut wrong = Vec::new();
    let folders = checkpoints();
    let (mut files, in_f32) = (0, &TOLERANCES[..1]);
    // Halves take the same ways: every second folder by turns.
    let halves = [[TOLERANCES[0], TOLERANCES[1]], [TOLERANCES[0], TOLERANCES[2]]];
    let mut turns = [Some(&halves[0]), None, Some(&halves[1]), None].into_iter().cycle();
    for folder in &folders {
        let is_near = is_quantised(folder) || NEAR_TIES.iter().any(|name| folder.ends_with(name));
        let of_folder = if is_near { in_f32 } else { turns.next().flatten().map_or(in_f32, |both| &both[..]) };
        let file = folder.join("model.gguf");
        files += usize::from(file.exists());
        let file = file.exists().then_some((file.as_path(), in_f32));
        for (checkpoint, tolerances) in [(folder.as_path(), of_folder)].into_iter().chain(file) {
            let narrow = FLOATS.iter().any(|(name, _)| folder.ends_with(name));
            for &(element, tolerance) in tolerances {
                let tolerance = if narrow { NARROW } else { tolerance };
                let found = difference(folder, checkpoint, (element, CHUNK));
                if found.is_nan() || found > tolerance {
                    wrong.push(format!("{} in {element}: {found:e}, at most {tolerance:e}", checkpoint.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!((folders.len(), files), (36, 17), "checkpoints, and those that are GGUF files too");
}

/// What `--activation-type` says stands above the folder's settings: then logits are others.
#[test]
fn activations_of_floats_give_other_logits() {
    let chunk = format!("--chunk={CHUNK}");
    for (name, least) in FLOATS {
        let folder = root().join("tests/checkpoints").join(name);
        let found = difference_with(&folder, &folder, &[&chunk, "--activation-type=float"]);
        assert!(found > least && found < 2.0, "{name}: {found:e}");
    }
    // A folder that says nothing of activations, as floats and as E4M3.
    let folder = root().join("tests/checkpoints/llama_fp8");
    let of = |flag: &str| difference_with(&folder, &folder, &[&chunk, flag]);
    assert!(of("--activation-type=float") <= TOLERANCES[0].1);
    let narrow = of("--activation-type=f8");
    assert!(narrow > NARROW && narrow < 0.5, "{narrow:e}");
}

/// A prompt of 13 tokens in a chunk of 8, and one of 4, and one that is not full; then in pages beside other texts.
#[test]
fn long_chunks_give_the_same() {
    for name in ["gemma3", "qwen3_moe"] {
        let folder = root().join("tests/checkpoints").join(name);
        let flags = ["--chunk=4", "--long-chunk=8"];
        let found = difference_with(&folder, &folder, &flags);
        assert!(found <= TOLERANCES[0].1, "{name}: {found:e}");
    }
    let folder = root().join("tests/checkpoints/gemma3");
    let mut model = model(&folder, &["--batch=3", "--chunk=4", "--long-chunk=8", "--context=64", "--cache-pages=6"]);
    let (worst, _) = together(&mut model, &Wanted::of(&folder), 3, 0);
    assert!(worst <= TOLERANCES[0].1, "{worst:e}");
    for (flags, why) in
        [(["--chunk=4", "--long-chunk=6"], "a multiple of --chunk, 4"), (["--chunk=4", "--long-chunk=4"], "a multiple")]
    {
        let dir = tempfile::tempdir().expect("a folder");
        let name = folder.display().to_string();
        let failed = fornax(dir.path(), &[&["compile", &name, "-o", "m.fnx"][..], &flags].concat()).fails(1, "FX1017");
        assert!(failed.stderr.contains(why), "{}", failed.stderr);
    }
}

/// Of a long chunk, each expert multiplies the rows that go through it.
#[test]
fn rows_sorted_by_expert_give_the_same() {
    // Of the second, experts have their inputs in orders of their own.
    for name in ["qwen3_moe", "qwen3_moe_gptq"] {
        let folder = root().join("tests/checkpoints").join(name);
        let found = difference(&folder, &folder, ("f32", 64));
        assert!(found <= TOLERANCES[0].1, "{name}: {found:e}");
    }
}

/// Experts whose activations have 8 bits: all of them multiply a chunk of 16 tokens, or each its rows of one of 64.
/// (Chunks of 5 and steps, whose experts are picked, are `logits_are_those_of_transformers`.)
#[test]
fn experts_of_narrow_activations_give_the_same_every_way() {
    for (name, chunks) in
        [("mixtral_fp8_static", &[1, 3][..]), ("qwen3_moe_fp8_static", &[16, 64]), ("qwen3_moe_w8a8", &[16, 64])]
    {
        let folder = root().join("tests/checkpoints").join(name);
        for &chunk in chunks {
            let found = difference(&folder, &folder, ("f32", chunk));
            assert!(found <= NARROW, "{name} in chunks of {chunk}: {found:e}");
        }
        let found = difference_together(&folder, "--compute-type=f32");
        assert!(found <= NARROW, "{name}, three texts: {found:e}");
    }
}

#[test]
fn texts_that_run_together_are_those_that_run_alone() {
    // Norms of heads, two windows, two rotations.
    check_batches(&[root().join("tests/checkpoints/gemma3")], 3);
}

/// A minute: `cargo test -p fornax-tests --test cli -- --ignored`.
#[test]
#[ignore = "every architecture, by 1, 3 and 8 texts"]
fn texts_of_every_architecture_run_together() {
    for slots in [1, 3, 8] {
        check_batches(&checkpoints(), slots);
    }
}

/// What LLVM makes of kernels is the goldens' business, and that of every sixth: CUDA, AMD, OpenCL by turns.
#[test]
fn every_architecture_compiles_for_gpus() {
    let targets = ["cuda:sm_90a", "rocm:gfx942", "opencl"];
    for (at, folder) in checkpoints().into_iter().enumerate() {
        let dir = tempfile::tempdir().expect("a folder");
        let name = folder.display().to_string();
        for target in targets.map(|target| format!("--target={target}")) {
            fornax(dir.path(), &["compile", &name, &target, "--compile-to=emit", "-o", "m.mlir"]).ok();
        }
        if at % 6 == 0 {
            let target = format!("--target={}", targets[at / 6 % 3]);
            fornax(dir.path(), &["compile", &name, &target, "--cuda-use-ptxas=false", "-o", "m.fnx"]).ok();
        }
    }
}
