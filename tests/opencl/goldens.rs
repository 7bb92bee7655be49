//! Goldens of tests/numeric and tests/dialects on the first OpenCL device, with the tolerances of the CPU.

use std::path::PathBuf;
use std::time::Duration;

use fornax_tests::fornax_with;
use fornax_tests::goldens::{all_right, cases, chosen, golden};

use crate::has_device;

/// What runs where nothing else is said: one of each kind of kernel.
const SELECTION: &[&str] = &[
    "activations",
    "argmax",
    "attention_f32",
    "concatenate",
    "conv_pool_f32",
    "convert_i8",
    "counted_scan",
    "cumsum_i32",
    "data_loop",
    "dot_bf16_to_f32",
    "dynamic_slice",
    "gather_rows",
    "gelu_mlp_f32",
    "integer_arithmetic_i32",
    "layernorm_f16",
    "linalg_convolutions",
    "pad",
    "power_f32",
    "reduce_f64",
    "softmax_f32",
    "transpose_short_odd",
    "trigonometric_f32",
];

/// One run may take this long.
const LIMIT: Duration = Duration::from_secs(300);

/// What runs with buffers too: the kinds of arguments and places.
const WITH_BUFFERS: &[&str] =
    &["counted_scan", "data_loop", "dot_bf16_to_f32", "dynamic_slice", "reduce_f64", "softmax_f32"];

/// As a device without shared virtual memory.
#[test]
fn goldens_with_buffers() {
    if !has_device() {
        return;
    }
    let cases = chosen(cases(&["tests/numeric", "tests/dialects"]), "FORNAX_OPENCL", WITH_BUFFERS);
    run_all(&cases, &[("FORNAX_OPENCL_MEMORY", "buffers")]);
}

#[test]
fn goldens_on_the_device() {
    if !has_device() {
        return;
    }
    let cases = chosen(cases(&["tests/numeric", "tests/dialects"]), "FORNAX_OPENCL", SELECTION);
    run_all(&cases, &[]);
}

fn run_all(cases: &[PathBuf], variables: &[(&str, &str)]) {
    all_right(cases, 1, |case| {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let run = |arguments: &[&str]| fornax_with(folder.path(), arguments, variables, LIMIT);
        golden(case, folder.path(), &["--target-backends=opencl"], &["opencl".to_string()], run)
    });
}
