//! `compile` shows what its passes do: their list, graphs before and after them, times, statistics, and one pass alone.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use fornax_tests::{Run, fornax, root};

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
