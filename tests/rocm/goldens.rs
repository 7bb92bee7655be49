//! JAX-made goldens on devices of several chips.

use std::time::Duration;

use fornax_tests::goldens::{all_right, cases, chosen, golden};

use crate::{chips, folder, on_double};

/// What `make test` runs: one of each kind of kernel, both float types of matrix instructions, loops, library calls.
const SELECTION: &[&str] = &[
    "activations",
    "argmax",
    "attend_bias_bf16",
    "attend_causal_f16",
    "attend_decode_f32",
    "attend_head_80_bf16",
    "attention_f16",
    "attention_f32",
    "batch_norm",
    "bundle_adam_odd",
    "bundle_chains_f64",
    "bundle_gemv_bf16",
    "bundle_loop",
    "bundle_softmaxes",
    "concatenate",
    "conv_bf16",
    "conv_pool_f32",
    "convert_bf16",
    "convert_f32",
    "convert_i8",
    "counted_scan",
    "cumsum_i32",
    "data_loop",
    "dot_bf16_to_f32",
    "dot_i8_to_i32",
    "dot_words_f16",
    "dot_words_ui8",
    "dynamic_slice",
    "gather_rows",
    "gelu_mlp_bf16",
    "gelu_mlp_f32",
    "hyperbolic_f32",
    "integer_arithmetic_i32",
    "layernorm_f16",
    "layernorm_f32",
    "mlp_constants",
    "narrow_pairings",
    "pad",
    "power_f32",
    "random_bits_threefry2x32",
    "reduce_f64",
    "reduce_i64",
    "reverse",
    "row_log_softmax",
    "softmax_f32",
    "transpose_short_odd",
    "trigonometric_f32",
];

/// One run may take this long.
const LIMIT: Duration = Duration::from_secs(900);

#[test]
fn goldens_on_four_chips() {
    let chips = chips();
    let devices: Vec<String> = (0..chips.len()).map(|at| format!("rocm://{at}")).collect();
    let target = format!("--rocm-target={}", chips.join(","));
    all_right(&chosen(cases(&["tests/numeric"]), "FORNAX_ROCM", SELECTION), 1, |case| {
        let folder = folder();
        let run = |arguments: &[&str]| on_double(folder.path(), &chips, arguments, LIMIT);
        golden(case, folder.path(), &["--target-backends=rocm", &target], &devices, run)
    });
}
