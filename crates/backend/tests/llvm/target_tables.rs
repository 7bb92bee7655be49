//! The target tables know exactly the names LLVM knows.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use fornax_targets::amd::AMD_LLVM_CPUS;
use fornax_targets::cpu::{CPU_ARCHES, CpuIsa};
use fornax_targets::nvidia::NVIDIA_LLVM_CPUS;

/// The names `llc -mcpu=help` prints for an architecture; None without llc.
fn llvm_names(march: &str) -> Option<BTreeSet<String>> {
    let llc = super::search()
        .into_iter()
        .flat_map(|dir| ["llc", "llc-22"].map(|name| dir.join(name)))
        .find(|path| path.is_file());
    let Some(llc) = llc else {
        eprintln!("skipped: no llc");
        return None;
    };
    let output = Command::new(llc)
        .arg(format!("-march={march}"))
        .arg("-mcpu=help")
        .stdin(Stdio::null())
        .output()
        .expect("llc runs");
    let text = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    let cpus = text.split("Available features").next().unwrap_or("");
    Some(cpus.lines().filter_map(|line| Some(line.split_once(" - ")?.0.trim().to_string())).collect())
}

#[test]
fn nvidia_names_are_llvms() {
    let Some(known) = llvm_names("nvptx64") else { return };
    let known: BTreeSet<String> = known.into_iter().filter(|name| name.starts_with("sm_")).collect();
    let ours: BTreeSet<String> = NVIDIA_LLVM_CPUS.iter().map(|(name, _)| (*name).to_string()).collect();
    assert_eq!(ours, known);
}

#[test]
fn amd_names_are_llvms() {
    let Some(known) = llvm_names("amdgcn") else { return };
    let known: BTreeSet<String> = known.into_iter().filter(|name| name.starts_with("gfx")).collect();
    let ours: BTreeSet<String> = AMD_LLVM_CPUS.iter().map(|name| (*name).to_string()).collect();
    assert_eq!(ours, known);
}

#[test]
fn cpu_names_are_among_llvms() {
    for (isa, march) in [(CpuIsa::X86_64, "x86-64"), (CpuIsa::Aarch64, "aarch64")] {
        let Some(known) = llvm_names(march) else { return };
        for row in CPU_ARCHES.iter().filter(|row| row.isa == isa) {
            assert!(known.contains(row.llvm_cpu), "{}", row.llvm_cpu);
        }
    }
}
