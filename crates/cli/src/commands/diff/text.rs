//! The text that `fornax diff` prints.

use fornax_types::bytes_text;

use super::figures::{Call, KernelDiff, KernelSide, TargetDiff};
use super::runs::Runs;
use super::{Both, Report};
use crate::output::say;

/// Widths of the table, characters.
const LABEL: usize = 24;
const FIGURE: usize = 14;
/// Kernels that did not change are counted, not listed; of the others at most so many are listed.
const KERNELS_MAX: usize = 60;

pub fn print(report: &Report) {
    let files = &report.files;
    say!("a: {} ({}, by {})", files.a.file, bytes_text(files.a.bytes as u64), files.a.producer);
    say!("b: {} ({}, by {})", files.b.file, bytes_text(files.b.bytes as u64), files.b.producer);
    say!("signature: {}", if report.same_signature { "the same" } else { "different" });
    for function in &report.signature {
        let side = |text: &Option<String>| text.clone().unwrap_or_default();
        match function.change {
            "same" => say!("  = @{}{}", function.name, side(&function.a)),
            "changed" => {
                say!("  - @{}{}", function.name, side(&function.a));
                say!("  + @{}{}", function.name, side(&function.b));
            }
            "only in a" => say!("  - @{}{}", function.name, side(&function.a)),
            _ => say!("  + @{}{}", function.name, side(&function.b)),
        }
    }
    let weights = |side: &super::FileSide| side.constants_bytes.saturating_add(side.parameter_bytes);
    if weights(&files.a) != weights(&files.b) {
        say!("weights: a {}, b {}", bytes_text(weights(&files.a)), bytes_text(weights(&files.b)));
    }
    report.targets.iter().for_each(print_target);
    for (which, titles) in [("a", &report.other_targets.a), ("b", &report.other_targets.b)] {
        if !titles.is_empty() {
            say!("\nonly {which} has: {}", titles.join(", "));
        }
    }
    say!("");
    match (&report.run, &report.not_run) {
        (Some(run), _) => print_run(run),
        (None, why) => say!("not run: {}", why.as_deref().unwrap_or("nothing to run")),
    }
}

fn print_target(target: &TargetDiff) {
    let title = &target.title;
    let name = if title.a == title.b { title.a.clone() } else { format!("{} / {}", title.a, title.b) };
    for function in &target.functions {
        let sizes: Vec<String> = function.sizes.iter().map(|(name, n)| format!("{name}={n}")).collect();
        let sizes = if sizes.is_empty() { String::new() } else { format!(", {}", sizes.join(", ")) };
        say!("\n{name} @{}{sizes}", function.function);
        say!("  {:<LABEL$}{:>FIGURE$}{:>FIGURE$}{:>FIGURE$}", "", "a", "b", "b / a");
        let Both { a, b } = &function.call;
        let count = |call: &Call| format!("{}{}", call.launches, if call.at_least { "+" } else { "" });
        row("launches", count(a), count(b), Some((a.launches as f64, b.launches as f64)));
        bytes("bytes moved", a.bytes_moved, b.bytes_moved);
        if a.flops > 0 || b.flops > 0 {
            row("operations", si(a.flops), si(b.flops), Some((a.flops as f64, b.flops as f64)));
        }
        if let (Some(a), Some(b)) = (a.arena_bytes, b.arena_bytes) {
            bytes("arena", a, b);
        }
        if let (Some(x), Some(y)) = (a.least_us, b.least_us) {
            let label = format!("least time, {}", function.product.unwrap_or_default());
            row(&label, microseconds(x), microseconds(y), Some((x, y)));
        }
        bytes("image", target.image_bytes.a as u64, target.image_bytes.b as u64);
    }
    let changed: Vec<&KernelDiff> = target.kernels.iter().filter(|kernel| kernel.change != "same").collect();
    say!("  kernels: {} the same, {} not", target.kernels.len() - changed.len(), changed.len());
    for kernel in changed.iter().take(KERNELS_MAX) {
        print_kernel(kernel);
    }
    if changed.len() > KERNELS_MAX {
        say!("  … and {} more (all with --format=json)", changed.len() - KERNELS_MAX);
    }
}

fn print_kernel(kernel: &KernelDiff) {
    let mark = match kernel.change {
        "changed" => '~',
        "only in a" => '-',
        _ => '+',
    };
    say!("  {mark} {} ({})", kernel.summary, kernel.hero);
    match (&kernel.a, &kernel.b) {
        (Some(a), Some(b)) => changes(a, b).iter().for_each(|line| say!("      {line}")),
        (a, b) => a.iter().chain(b).filter(|side| !side.schedule.is_empty()).for_each(|s| say!("      {}", s.schedule)),
    }
}

/// What of a kernel changed, one line each.
fn changes(a: &KernelSide, b: &KernelSide) -> Vec<String> {
    let mut lines = Vec::new();
    if a.schedule != b.schedule {
        lines.push(format!("schedule: {} -> {}", a.schedule, b.schedule));
    }
    let figures = [
        ("threads", u64::from(a.threads), u64::from(b.threads)),
        ("registers", u64::from(a.registers), u64::from(b.registers)),
        ("spilled bytes", u64::from(a.spill_bytes), u64::from(b.spill_bytes)),
        ("shared bytes", u64::from(a.shared_bytes), u64::from(b.shared_bytes)),
        ("bytes", a.bytes, b.bytes),
        ("operations", a.flops, b.flops),
    ];
    let changed: Vec<String> =
        figures.iter().filter(|f| f.1 != f.2).map(|(name, x, y)| format!("{name}: {x} -> {y}")).collect();
    if !changed.is_empty() {
        lines.push(changed.join(", "));
    }
    lines
}

fn print_run(run: &Runs) {
    for function in &run.functions {
        say!("on {} @{}", run.device, function.function);
        say!("  {:<LABEL$}{:>FIGURE$}{:>FIGURE$}{:>FIGURE$}", "", "a", "b", "b / a");
        let Both { a, b } = function.call_ms;
        row("time of a call", microseconds(a * 1e3), microseconds(b * 1e3), Some((a, b)));
        if let Both { a: Some(a), b: Some(b) } = function.kernels_us {
            row("in kernels", microseconds(a), microseconds(b), Some((a, b)));
        }
        for (at, output) in function.outputs.iter().enumerate() {
            say!("  output {at}: {}", output.text);
        }
    }
}

fn row(label: &str, a: String, b: String, figures: Option<(f64, f64)>) {
    let ratio = figures.filter(|(a, _)| *a > 0.0).map_or(String::new(), |(a, b)| format!("{:.2}", b / a));
    say!("  {label:<LABEL$}{a:>FIGURE$}{b:>FIGURE$}{ratio:>FIGURE$}");
}

fn bytes(label: &str, a: u64, b: u64) {
    row(label, bytes_text(a), bytes_text(b), Some((a as f64, b as f64)));
}

fn si(count: u64) -> String {
    let (mut value, mut unit) = (count as f64, "");
    for next in ["k", "M", "G", "T", "P"] {
        if value < 1000.0 {
            break;
        }
        (value, unit) = (value / 1000.0, next);
    }
    if unit.is_empty() { format!("{count}") } else { format!("{value:.3} {unit}") }
}

fn microseconds(us: f64) -> String {
    match us {
        us if us < 1.0 => format!("{:.3} ns", us * 1e3),
        us if us < 1e3 => format!("{us:.3} us"),
        us => format!("{:.3} ms", us / 1e3),
    }
}
