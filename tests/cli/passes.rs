//! `compile` shows what its passes do: their list, graphs before and after them, times, statistics, and one pass alone.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use fornax_tests::{Run, fornax, root};

/// A golden with a loop whose number of rounds is known.
const LOOP: &str = "program_rnn_lstm_gradient";

fn model(name: &str) -> String {
    root().join("tests/numeric").join(name).join("model.mlir").display().to_string()
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// Compiles up to the fused graph.
fn fused(folder: &Path, name: &str, flags: &[&str]) -> Run {
    let model = model(name);
    let mut arguments = vec!["compile", model.as_str(), "--compile-to=fuse", "-o", "fused.mlir"];
    arguments.extend(flags);
    fornax(folder, &arguments).ok()
}

/// The names in `--print-passes`.
fn names(folder: &Path) -> Vec<String> {
    let listed = fornax(folder, &["compile", "--print-passes"]).ok();
    listed.stdout.lines().filter_map(|line| line.split_whitespace().nth(1).map(String::from)).collect()
}

#[test]
fn passes_are_listed_once() {
    let folder = folder();
    let names = names(folder.path());
    assert!(names.len() > 40, "{names:?}");
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    for name in ["fold_converts", "block_sort", "group", "expand_attention", "arena"] {
        assert!(names.contains(&name.to_string()), "{name}");
    }
}

#[test]
fn graphs_are_printed_before_and_after_passes() {
    let folder = folder();
    let one = fused(folder.path(), "softmax_f32", &["--print-ir-before=erase_unused", "--print-ir-after=group"]);
    assert!(one.stderr.contains("// -----// IR Dump Before erase_unused (simplify, round 1) //----- //"));
    assert!(one.stderr.contains("// -----// IR Dump After group (fuse, round 1) //----- //"));
    assert!(one.stderr.contains("fornax.fusion") && one.stderr.contains("stablehlo.exponential"));
    let heads = |run: &Run| run.stderr.lines().filter(|line| line.starts_with("// -----// IR Dump After")).count();
    let all = heads(&fused(folder.path(), "softmax_f32", &["--print-ir-after=all"]));
    let changed = heads(&fused(folder.path(), "softmax_f32", &["--print-ir-after-change"]));
    assert!(0 < changed && changed < all, "{changed} of {all} runs changed the graph");
    assert_eq!(heads(&fused(folder.path(), "softmax_f32", &[])), 0);
}

#[test]
fn times_and_statistics_are_tables_of_the_passes_that_ran() {
    let folder = folder();
    let run = fused(folder.path(), "gelu_mlp_f32", &["--time-passes", "--pass-statistics"]);
    let known = names(folder.path());
    let rows = |title: &str| -> Vec<String> {
        let table = run.stderr.lines().skip_while(|line| *line != title).skip(2);
        let rows = table.take_while(|line| line.contains(": ")).map(|line| line.rsplit(' ').next().unwrap_or_default());
        rows.map(String::from).collect()
    };
    for title in ["Pass times", "Pass statistics"] {
        let rows = rows(title);
        assert!(rows.len() > 10 && rows.iter().all(|name| known.contains(name)), "{title}: {rows:?}\n{}", run.stderr);
    }
    assert!(run.stderr.contains("all passes"));
}

/// Compiles up to the programs for two targets.
fn planned(folder: &Path, name: &str, flags: &[&str]) -> Run {
    let model = model(name);
    let mut arguments = vec!["compile", model.as_str(), "--compile-to=schedule", "-o", "programs.txt"];
    arguments.extend(["--cuda-target=sm_80", "--cpu-target=x86-64-v3"]);
    arguments.extend(flags);
    fornax(folder, &arguments).ok()
}

#[test]
fn programs_are_printed_before_and_after_passes() {
    let folder = folder();
    let programs = || std::fs::read_to_string(folder.path().join("programs.txt")).unwrap();
    planned(folder.path(), LOOP, &[]);
    let compiled = programs();
    let run = planned(folder.path(), LOOP, &["--print-ir-before=arena", "--print-ir-after=arena,unused"]);
    assert_eq!(programs(), compiled, "who watches changes nothing");
    let parts: Vec<(&str, &str)> = run.stderr.split("// -----// IR Dump ").filter_map(|p| p.split_once('\n')).collect();
    for target in ["cuda:sm_80", "cpu:x86-64-v3"] {
        let part = |when: &str| {
            let head = format!("{when} (program, {target}) //----- //");
            let part = parts.iter().find(|part| part.0 == head);
            part.unwrap_or_else(|| panic!("no {head}\n{}", run.stderr)).1
        };
        let arena = |text: &str| -> u64 {
            let line = text.lines().find_map(|line| line.split_once(", arena ")).unwrap();
            line.1.split(' ').next().unwrap().parse().unwrap()
        };
        let (before, after) = (part("Before arena"), part("After arena"));
        assert!(arena(after) < arena(before), "{target}:\n{before}\n{after}");
        // The last pass leaves what is compiled.
        let commands = |text: &str| text.split_once("\n@main").map(|t| t.1.lines().next().unwrap().to_string());
        assert!(compiled.contains(&commands(part("After unused")).unwrap()), "{target}");
    }
    assert_eq!(parts.iter().filter(|part| part.0.contains("(program, ")).count(), 6);
}

#[test]
fn attention_without_a_kernel_is_printed_for_its_target() {
    let folder = folder();
    let run = planned(folder.path(), "attend_head_9_5_f32", &["--print-ir-after=expand_attention"]);
    for target in ["cuda:sm_80", "cpu:x86-64-v3"] {
        let head = format!("// -----// IR Dump After expand_attention (fuse, {target}) //----- //");
        assert!(run.stderr.contains(&head), "{}", run.stderr);
    }
}

#[test]
fn passes_of_each_target_have_times_statistics_and_dumps() {
    let folder = folder();
    let flags = ["--time-passes", "--pass-statistics", "--dump-ir-to=d", "--dump-each-pass"];
    let run = planned(folder.path(), LOOP, &flags);
    let (times, statistics) = run.stderr.split_once("Pass statistics").unwrap();
    for name in names(folder.path()).iter().rev().take_while(|name| *name != "group") {
        let is_in = |text: &str| text.lines().any(|line| line.ends_with(&format!(": {name}")));
        assert!(is_in(statistics), "{name}\n{statistics}");
        assert_eq!(is_in(times), !["run_at_load", "flags", "share_copies"].contains(&name.as_str()), "{name}\n{times}");
    }
    for target in ["cuda_sm_80", "cpu_x86-64-v3"] {
        let files = std::fs::read_dir(folder.path().join("d").join(target).join("passes")).unwrap();
        let files: Vec<String> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        assert!(files.iter().any(|file| file.ends_with("_program_arena.txt")), "{target}: {files:?}");
    }
}

/// The dump before a pass, given to `--run-passes` with that pass alone, gives the dump after it.
#[test]
fn one_pass_runs_alone_on_a_dump() {
    let mut checked = 0;
    for name in [
        "softmax_f32",
        "gelu_mlp_f32",
        "attention_f32",
        "conv_pool_f32",
        "sort_5003",
        "scatter_add_many",
        "scatter_in_place_add",
    ] {
        let folder = folder();
        let model = model(name);
        let flags = ["compile", &model, "--compile-to=fuse", "-o", "x.mlir", "--dump-ir-to=d", "--dump-each-pass"];
        fornax(folder.path(), &flags).ok();
        let mut dumps: Vec<PathBuf> =
            std::fs::read_dir(folder.path().join("d/passes")).unwrap().map(|e| e.unwrap().path()).collect();
        dumps.sort();
        dumps.insert(0, folder.path().join("d/0_import.mlir"));
        for pair in dumps.windows(2) {
            let stem = pair[1].file_stem().unwrap().to_string_lossy().into_owned();
            let pass = stem.splitn(3, '_').nth(2).unwrap();
            let (before, only) = (pair[0].display().to_string(), format!("--run-passes={pass}"));
            let run = fornax(folder.path(), &["compile", &before, &only]).ok();
            assert_eq!(run.stdout, std::fs::read_to_string(&pair[1]).unwrap(), "{name}: {pass}");
            checked += 1;
        }
    }
    assert!(checked > 18, "only {checked} runs changed a graph");
}

#[test]
fn an_unknown_pass_is_refused_with_a_near_name() {
    let folder = folder();
    let model = model("softmax_f32");
    for flag in ["--run-passes=fold_convert", "--print-ir-after=fold_convert", "--print-ir-before=fold_convert"] {
        let run = fornax(folder.path(), &["compile", &model, flag]).fails(1, "FX0318");
        assert!(run.stderr.contains("did you mean fold_converts?"), "{}", run.stderr);
    }
    fornax(folder.path(), &["compile", &model, "--dump-each-pass"]).fails(1, "--dump-ir-to");
    let run = fornax(folder.path(), &["compile", &model, "--run-passes=arena"]).fails(1, "FX0318");
    assert!(run.stderr.contains("`arena` is a pass of program"), "{}", run.stderr);
}
