//! What every model of the tests becomes on every kind of target, held as hashes in `tests/fingerprints/`.
//!
//! A change that only moves code leaves them as they are. One that alters kernels shows which: the failure names
//! target, model, kernel and what changed, `FORNAX_BLESS=1 cargo test -p fornax-compiler --test fingerprints` writes
//! them anew, and the commit's diff of `tests/fingerprints/` says what it altered.
//!
//! A file holds one target. First its schedules, each behind a short id made of its text. Then a line a model: the hash
//! of its program's records, and for each kernel its name, the hash of its MLIR and the id of its schedule.
//!
//! ```text
//! =k3f0a loop vector 4 threads 256 items 1
//! tests/numeric/add_f32: 0a1b2c3d4e | loop_0_add 5e6f7a8b9c k3f0a
//! ```

#[path = "fingerprints/models.rs"]
mod models;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use fornax_compiler::{
    CompileError, CompileOptions, CubinPolicy, Fingerprint, KernelFingerprint, ParameterSelection, PassReports, Phase,
    Precision, ScheduleOptions, Tools, Worker, fingerprint, shipped_tuning,
};
use fornax_targets::{Resolved, Target};
use models::Model;

/// Processors: models are fused for them alone.
const HOSTS: &[&str] = &["cpu:x86-64-v3", "cpu:x86-64-v4", "cpu:neoverse-v1"];
/// Devices: without matrix instructions, with mma.sync, with wgmma; with MFMA, with WMMA; without any.
const DEVICES: &[&str] = &["cuda:sm_60", "cuda:sm_80", "cuda:sm_90a", "rocm:gfx90a", "rocm:gfx1100", "opencl:spirv64"];

fn options(targets: &[&str], precision: Precision) -> CompileOptions {
    let resolved = |spec: &&str| Resolved {
        target: Target::from_spec(spec).unwrap(),
        product: None,
        notes: Vec::new(),
        fallback: false,
    };
    CompileOptions {
        targets: targets.iter().map(resolved).collect(),
        compile_to: Phase::Pack,
        dump_to: None,
        remarks: false,
        reports: PassReports::default(),
        run_passes: Vec::new(),
        parameters: ParameterSelection::None,
        weights: None,
        donate: None,
        onnx: Default::default(),
        schedule: ScheduleOptions {
            f32_matmul: precision,
            tuning: Some(Arc::new(shipped_tuning())),
            ..Default::default()
        },
        quick: false,
        cubin: CubinPolicy::Never,
        tools: Tools::default(),
        worker: Worker::InProcess,
        store: None,
        jobs: 1,
        reproducer_folder: std::env::temp_dir(),
    }
}

/// What a model became on one target: its program's hash (or the refusal's code) and its kernels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Entry {
    program: String,
    kernels: Vec<KernelFingerprint>,
}

/// The entries of one target, by model.
type Entries = BTreeMap<String, Entry>;

/// A model's entries, one a target.
fn entries(model: &Model, targets: &[&str]) -> Vec<Entry> {
    let made = fingerprint(model.text.as_bytes(), &model.name, &options(targets, model.precision))
        .unwrap_or_else(|error| panic!("{}: {}", model.name, error.message));
    let one = |made: Result<Fingerprint, CompileError>| match made {
        Err(error) => Entry { program: error.code, kernels: Vec::new() },
        Ok(print) => Entry { program: print.program, kernels: print.kernels },
    };
    made.into_iter().map(one).collect()
}

fn file_of(target: &str) -> PathBuf {
    models::root().join("tests/fingerprints").join(format!("{}.txt", target.replace(':', "_")))
}

/// Digits of a schedule's id: some hundred schedules a file, none of which may share an id (`print` checks it).
const ID_DIGITS: usize = 6;

fn id(schedule: &str) -> String {
    blake3::hash(schedule.as_bytes()).to_hex().chars().take(ID_DIGITS).collect()
}

fn print(target: &str, entries: &Entries) -> String {
    let mut text = format!("# {target}: written by FORNAX_BLESS=1, see crates/compiler/tests/fingerprints.rs\n");
    let mut schedules = BTreeMap::new();
    for kernel in entries.values().flat_map(|entry| &entry.kernels) {
        let other = schedules.insert(id(&kernel.schedule), &kernel.schedule);
        assert!(other.is_none_or(|other| *other == kernel.schedule), "two schedules of one id: {}", kernel.schedule);
    }
    schedules.iter().for_each(|(id, schedule)| text.push_str(&format!("={id} {schedule}\n")));
    for (model, entry) in entries {
        let _ = write!(text, "{model}: {}", entry.program);
        for kernel in &entry.kernels {
            let _ = write!(text, " | {} {} {}", kernel.name, kernel.mlir, id(&kernel.schedule));
        }
        text.push('\n');
    }
    text
}

fn parse(text: &str) -> Entries {
    let mut schedules = BTreeMap::new();
    let mut found = Entries::new();
    for line in text.lines() {
        if let Some((id, schedule)) = line.strip_prefix('=').and_then(|rest| rest.split_once(' ')) {
            schedules.insert(id, schedule);
        } else if let Some((model, rest)) = line.split_once(": ").filter(|_| !line.starts_with('#')) {
            let mut parts = rest.split(" | ");
            let program = parts.next().unwrap_or_default().to_string();
            let kernel = |part: &str| {
                let mut words = part.split(' ').map(String::from);
                let mut word = || words.next().unwrap_or_default();
                let (name, mlir, id) = (word(), word(), word());
                let schedule = schedules.get(id.as_str()).copied().unwrap_or_default().to_string();
                KernelFingerprint { name, mlir, schedule }
            };
            found.insert(model.to_string(), Entry { program, kernels: parts.map(kernel).collect() });
        }
    }
    found
}

/// What changed of one model on one target, a line each.
fn changes(target: &str, model: &str, old: &Entry, new: &Entry) -> Vec<String> {
    let mut found = Vec::new();
    for kernel in &new.kernels {
        let (name, schedule) = (&kernel.name, &kernel.schedule);
        match old.kernels.iter().find(|other| other.name == *name) {
            None => found.push(format!("{target} {model} {name}: new, `{schedule}`")),
            Some(other) if other.schedule != *schedule => found
                .push(format!("{target} {model} {name}: schedule changed from `{}` to `{schedule}`", other.schedule)),
            Some(other) if other.mlir != kernel.mlir => {
                found.push(format!("{target} {model} {name}: other MLIR, same schedule `{schedule}`"));
            }
            Some(_) => (),
        }
    }
    let gone = old.kernels.iter().filter(|kernel| !new.kernels.iter().any(|other| other.name == kernel.name));
    found.extend(gone.map(|kernel| format!("{target} {model} {}: gone, was `{}`", kernel.name, kernel.schedule)));
    if found.is_empty() && old.program != new.program {
        found.push(format!("{target} {model}: same kernels, program {} was {}", new.program, old.program));
    }
    found
}

/// Rows of the lock for this target whose model did not get the row's schedule: the row is not covered.
fn rows_not_met(target: &str, entries: &Entries) -> Vec<String> {
    let (lock, arch) = (shipped_tuning(), target.split(':').nth(1).unwrap_or_default());
    let rows = lock.ways.iter().filter(|(key, _)| key.split(' ').next() == Some(arch));
    let missed = rows.filter(|(key, way)| {
        let entry = entries.get(&models::name_of_key(key));
        !entry.is_some_and(|entry| entry.kernels.iter().any(|kernel| kernel.schedule == **way))
    });
    missed.map(|(key, way)| format!("{target}: no kernel has the lock's schedule `{way}` of `{key}`")).collect()
}

/// Failures that are printed at most.
const SHOWN: usize = 60;

fn check(targets: &[&str]) {
    let models = models::all();
    assert!(models.len() > 600, "found only {} models", models.len());
    let (next, made) = (AtomicUsize::new(0), Mutex::new(vec![Entries::new(); targets.len()]));
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(model) = models.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let entries = entries(model, targets);
                    let mut made = made.lock().unwrap();
                    made.iter_mut().zip(entries).for_each(|(all, entry)| drop(all.insert(model.name.clone(), entry)));
                }
            });
        }
    });
    let made = made.into_inner().unwrap();
    let bless = std::env::var_os("FORNAX_BLESS").is_some();
    let mut wrong = Vec::new();
    for (target, new) in targets.iter().zip(&made) {
        wrong.extend(rows_not_met(target, new));
        let old = parse(&std::fs::read_to_string(file_of(target)).unwrap_or_default());
        for (name, entry) in new {
            match old.get(name) {
                None => wrong.push(format!("{target} {name}: a model without a fingerprint")),
                Some(known) => wrong.extend(changes(target, name, known, entry)),
            }
        }
        let gone = old.keys().filter(|name| !new.contains_key(name.as_str()));
        wrong.extend(gone.map(|name| format!("{target} {name}: a fingerprint without a model")));
        if bless {
            std::fs::write(file_of(target), print(target, new)).unwrap();
        }
    }
    if bless {
        wrong.iter().for_each(|line| println!("{line}"));
        return;
    }
    let shown = wrong.iter().take(SHOWN).cloned().collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{} fingerprints differ; FORNAX_BLESS=1 writes them anew\n{shown}", wrong.len());
}

#[test]
fn hosts() {
    check(HOSTS);
}

#[test]
fn devices() {
    check(DEVICES);
}

#[test]
fn changes_are_named() {
    let kernel = |name: &str, mlir: &str, schedule: &str| KernelFingerprint {
        name: name.into(),
        mlir: mlir.into(),
        schedule: schedule.into(),
    };
    let entry =
        |program: &str, kernels: &[KernelFingerprint]| Entry { program: program.into(), kernels: kernels.into() };
    let old =
        entry("aa", &[kernel("row", "11", "row vector 4"), kernel("gone", "22", "loop"), kernel("kept", "1", "x")]);
    let new =
        entry("bb", &[kernel("row", "33", "row vector 8"), kernel("added", "44", "tile"), kernel("kept", "2", "x")]);
    let expected = [
        "cpu softmax row: schedule changed from `row vector 4` to `row vector 8`",
        "cpu softmax added: new, `tile`",
        "cpu softmax kept: other MLIR, same schedule `x`",
        "cpu softmax gone: gone, was `loop`",
    ];
    assert_eq!(changes("cpu", "softmax", &old, &new), expected);
    let other = entry("cc", &old.kernels);
    assert_eq!(changes("cpu", "softmax", &old, &other), ["cpu softmax: same kernels, program cc was aa"]);
    let entries = Entries::from([("softmax".to_string(), old)]);
    assert_eq!(parse(&print("cpu", &entries)), entries);
}
