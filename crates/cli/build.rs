//! Link options of the optimised compiler binary. They change nothing of what it does.
//!
//! - `--build-id` says which build it is: the kernel store tells compilers apart by it (`generator.rs`).
//! - `--icf=all` keeps one of functions whose code is the same, 10 % of LLVM and MLIR. Both compare addresses of data,
//!   not of functions.
//! - `-z pack-relative-relocs` writes the addresses that the loader adjusts as bits. It needs glibc 2.36, as the C++
//!   library that LLVM is built for does.
//!
//! Linkers differ, so a small program is linked with the options first. Where that fails the binary is only larger, or
//! keeps no kernels.

use std::env;
use std::path::Path;
use std::process::{Command, Stdio};

const OPTIONS: &[&str] = &["-Wl,--build-id", "-Wl,--icf=all", "-Wl,-z,pack-relative-relocs"];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    let compiler = env::var_os("CARGO_FEATURE_COMPILER").is_some();
    if !compiler || !is("PROFILE", "release") || !is("CARGO_CFG_TARGET_OS", "linux") {
        return;
    }
    let Some(folder) = env::var_os("OUT_DIR") else { return };
    OPTIONS.iter().filter(|option| links(option, Path::new(&folder))).for_each(|option| {
        println!("cargo:rustc-link-arg-bins={option}");
    });
}

/// Whether the linker that cargo uses takes an option.
fn links(option: &str, folder: &Path) -> bool {
    let source = folder.join("links.rs");
    if std::fs::write(&source, "fn main() {}\n").is_err() {
        return false;
    }
    let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.arg(&source).arg("-o").arg(folder.join("links")).arg(format!("-Clink-arg={option}"));
    if let Ok(target) = env::var("TARGET") {
        rustc.arg(format!("--target={target}"));
    }
    if let Some(linker) = env::var_os("RUSTC_LINKER") {
        let mut argument = std::ffi::OsString::from("-Clinker=");
        argument.push(linker);
        rustc.arg(argument);
    }
    if let Ok(flags) = env::var("CARGO_ENCODED_RUSTFLAGS") {
        rustc.args(flags.split('\u{1f}').filter(|flag| !flag.is_empty()));
    }
    rustc.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}
