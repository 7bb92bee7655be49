//! What is known of a chip stands in `targets/`: outside of it no constant counts cycles, latencies or bytes a cycle.

use crate::sources::{report, tracked};

const FOLDERS: &[&str] = &["crates/plan/src/", "crates/emit/src/", "crates/kernels/src/", "passes/src/"];

/// Words that only a figure of a chip is described with.
const WORDS: &[&str] = &["ycles ", "ycles.", "a cycle", "latency", "bandwidth", "nanosecond"];

/// Constants that say how a model is used, not what a chip does: file, name.
const ALLOWED: &[(&str, &str)] = &[
    ("crates/kernels/src/gemm_cpu/ahead.rs", "CYCLES_MIN"),
    ("crates/kernels/src/gemm_mma/candidates.rs", "COSTS_SHOWN"),
    ("crates/kernels/src/gemm_wgmma/candidates.rs", "COSTS_SHOWN"),
    ("crates/kernels/src/gemm_wgmma/shapes.rs", "STAGES_MIN"),
    ("crates/kernels/src/gemm_wgmma/stream.rs", "GAIN"),
    ("crates/kernels/src/tile/candidates.rs", "CPU_FOLD_VECTORS"),
];

#[test]
fn figures_of_chips_stand_in_targets() {
    let (mut wrong, mut seen) = (Vec::new(), 0);
    let files = tracked(&[".rs"]).into_iter().filter(|(name, _)| FOLDERS.iter().any(|folder| name.starts_with(folder)));
    for (name, text) in files {
        let (mut comment, mut is_declared) = (String::new(), false);
        for (at, line) in text.lines().enumerate() {
            if let Some(more) = line.strip_prefix("///") {
                if std::mem::take(&mut is_declared) {
                    comment.clear();
                }
                comment.push_str(more);
                continue;
            }
            let declared = line.trim_start_matches("pub ").strip_prefix("const ").and_then(|rest| rest.split_once(':'));
            let Some((constant, _)) = declared else {
                comment.clear();
                continue;
            };
            seen += 1;
            is_declared = true;
            let is_figure = WORDS.iter().any(|word| comment.contains(word));
            if is_figure && !ALLOWED.contains(&(name.as_str(), constant)) {
                wrong.push(format!("{name}:{}: {constant} says what a chip does: targets/src/fitted/", at + 1));
            }
        }
    }
    assert!(seen > 100, "found only {seen} constants");
    report(wrong);
}
