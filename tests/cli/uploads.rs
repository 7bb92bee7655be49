//! Long uploads to a GPU: by several threads from some size on (`drivers/cuda/spread.rs`), and whole.

use std::path::Path;
use std::time::Duration;

use fornax_tests::{fornax, fornax_with, link_double};

const LIMIT: Duration = Duration::from_secs(120);

/// An array of npy: 0, 1, 2, … as i32.
fn counting(count: u32) -> Vec<u8> {
    let mut header = format!("{{'descr': '<i4', 'fortran_order': False, 'shape': ({count},), }}");
    header += &" ".repeat((64 - (11 + header.len()) % 64) % 64);
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend((0..count).flat_map(u32::to_le_bytes));
    bytes
}

#[test]
fn what_several_threads_send_comes_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    link_double(path, "libfornax_fake_cuda.so", "libcuda.so.1");
    // Less than 8 MiB by one thread, and 44 MB by all.
    for count in [1_999_993, 11_000_007] {
        comes_whole(path, count);
    }
}

/// An argument of so many elements is the result.
fn comes_whole(path: &Path, count: u32) {
    let ty = format!("tensor<{count}xi32>");
    let text = format!("func.func @main(%x: {ty}) -> {ty} {{ return %x : {ty} }}");
    std::fs::write(path.join("m.mlir"), text).unwrap();
    let flags = ["compile", "--quiet", "--target=cuda:a100", "--cuda-use-ptxas=false", "m.mlir", "-o", "m.fnx"];
    fornax(path, &flags).ok();
    std::fs::write(path.join("x.npy"), counting(count)).unwrap();
    let flags = ["run-module", "--module=m.fnx", "--device=cuda", "--input=@x.npy", "--expected-output=@x.npy"];
    let library = path.display().to_string();
    let variables = [("LD_LIBRARY_PATH", library.as_str()), ("FORNAX_FAKE_ARCH", "sm_80")];
    let run = fornax_with(path, &flags, &variables, LIMIT).ok();
    assert!(run.stdout.contains("[SUCCESS]"), "{}", run.stdout);
}
