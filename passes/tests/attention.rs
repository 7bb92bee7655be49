//! Attention as frameworks print it: one group, and the same numbers with the kernel and cut in plain groups.

mod machine;

use std::path::Path;

use machine::compare::{check_on, import};

/// File of `data/attention/`, and the bounds of visible columns that are found.
const FORMS: &[(&str, usize)] = &[
    ("jax", 0),
    ("jax_causal_grouped", 1),
    ("jax_mask_bias", 0),
    ("jax_causal_mask", 1),
    ("jax_lengths", 1),
    ("jax_window", 2),
    ("torch_softcap_repeat", 1),
    ("bert_mask", 0),
    ("flax_mask", 0),
    ("keras_causal", 1),
    ("torch_safe", 0),
    ("torch_causal", 1),
    ("any_visible", 0),
    ("chunk_at_position", 1),
    ("divided_after", 0),
    ("divided_after_wide", 0),
    ("finite_guard", 1),
    ("floats_added", 0),
    ("hf_added", 0),
    ("ids_added", 0),
    ("jax_where", 0),
    ("jax_where_both", 1),
    ("jax_where_causal", 1),
    ("keras_again", 1),
    ("keras_multiplied", 0),
    ("log_softmax", 0),
    ("logsumexp", 0),
    ("reciprocal", 0),
    ("scaled_both", 0),
    ("scaled_keys", 0),
    ("scaled_queries", 0),
    ("sum_not_zero", 1),
];

fn model(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/attention").join(format!("{name}.mlir"));
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn every_form_is_one_kernel_where_there_is_one() {
    for target in ["cuda:sm_80", "rocm:gfx90a"] {
        for &(name, bands) in FORMS {
            let planned = check_on(name, &model(name), target);
            let attention: Vec<_> = planned.kernels.iter().filter(|k| k.body.hero() == "attention").collect();
            assert_eq!(attention.len(), 1, "{name} on {target}");
            let text = attention[0].print();
            assert_eq!(text.matches("band column").count(), bands, "{name} on {target}\n{text}");
        }
    }
}

#[test]
fn targets_without_the_kernel_compute_the_plain_ops() {
    for target in ["cuda:sm_60", "rocm:gfx906"] {
        for &(name, _) in FORMS {
            let planned = check_on(name, &model(name), target);
            assert!(planned.kernels.iter().all(|k| k.body.hero() != "attention"), "{name} on {target}");
        }
    }
}

/// The same with rows in lanes: those of models that have enough, and few where bounds leave columns out.
#[test]
fn cpus_take_rows_in_lanes() {
    for &(name, bands) in FORMS {
        let planned = check_on(name, &model(name), "cpu:x86-64-v3");
        let taken = planned.kernels.iter().any(|k| k.body.hero() == "attention");
        assert_eq!(taken, name == "torch_safe" || bands > 0, "{name}");
    }
}

/// Rows of which nothing is visible: what the plain ops give, NaN or the mean of the values.
#[test]
fn rows_without_visible_columns_give_what_the_plain_ops_give() {
    for masked in ["0xFF800000", "-2.0e+38"] {
        let text = format!(
            "func.func @main(%q: tensor<2x5x8xbf16>, %k: tensor<2x7x8xbf16>, %v: tensor<2x7x8xbf16>) \
                 -> tensor<2x5x8xbf16> {{
               %low = stablehlo.constant dense<{masked}> : tensor<2x5x7xf32>
               %ninf = stablehlo.constant dense<0xFF800000> : tensor<f32>
               %zero = stablehlo.constant dense<0.0> : tensor<f32>
               %three = stablehlo.constant dense<3> : tensor<2x5x7xi32>
               %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] \
                   : (tensor<2x5x8xbf16>, tensor<2x7x8xbf16>) -> tensor<2x5x7xf32>
               %i = stablehlo.iota dim = 1 : tensor<2x5x7xi32>
               %j = stablehlo.iota dim = 2 : tensor<2x5x7xi32>
               %r = stablehlo.subtract %i, %three : tensor<2x5x7xi32>
               %c = stablehlo.compare GE, %r, %j : (tensor<2x5x7xi32>, tensor<2x5x7xi32>) -> tensor<2x5x7xi1>
               %x = stablehlo.select %c, %s, %low : tensor<2x5x7xi1>, tensor<2x5x7xf32>
               %m = stablehlo.reduce(%x init: %ninf) applies stablehlo.maximum across dimensions = [2] \
                   : (tensor<2x5x7xf32>, tensor<f32>) -> tensor<2x5xf32>
               %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x7xf32>
               %d = stablehlo.subtract %x, %mb : tensor<2x5x7xf32>
               %e = stablehlo.exponential %d : tensor<2x5x7xf32>
               %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] \
                   : (tensor<2x5x7xf32>, tensor<f32>) -> tensor<2x5xf32>
               %tb = stablehlo.broadcast_in_dim %t, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x7xf32>
               %w = stablehlo.divide %e, %tb : tensor<2x5x7xf32>
               %p = stablehlo.convert %w : (tensor<2x5x7xf32>) -> tensor<2x5x7xbf16>
               %o = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] \
                   : (tensor<2x5x7xbf16>, tensor<2x7x8xbf16>) -> tensor<2x5x8xbf16>
               return %o : tensor<2x5x8xbf16>
             }}"
        );
        let planned = check_on(masked, &text, "cuda:sm_90");
        assert_eq!(planned.kernels.len(), 1, "{masked}");
    }
}

/// Rounds of a ring: values divided by their sum, with the logarithm of it; divided after; the maximum and the sum of
/// each, that a user brings together. Of rows that see nothing too.
#[test]
fn rounds_of_a_ring_are_one_kernel_each() {
    let (f, t, rows) = ("tensor<2x5x7xf32>", "tensor<2x5x7xi1>", "tensor<2x5xf32>");
    let (q, k, wide) = ("tensor<2x5x8xbf16>", "tensor<2x7x8xbf16>", "tensor<2x5x8xf32>");
    let masked = |low: &str| {
        format!(
            "%low = stablehlo.constant dense<{low}> : {f}
             %i = stablehlo.iota dim = 1 : tensor<2x5x7xi32>
             %j = stablehlo.iota dim = 2 : tensor<2x5x7xi32>
             %c = stablehlo.compare GT, %i, %j : (tensor<2x5x7xi32>, tensor<2x5x7xi32>) -> {t}
             %x = stablehlo.select %c, %y, %low : {t}, {f}"
        )
    };
    let before = format!(
        "%w = stablehlo.divide %e, %tb : {f}
         %p = stablehlo.convert %w : ({f}) -> tensor<2x5x7xbf16>
         %g = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] \
             : (tensor<2x5x7xbf16>, {k}) -> {q}
         %o = stablehlo.reshape %g : ({q}) -> {q}"
    );
    let after = format!(
        "%p = stablehlo.convert %e : ({f}) -> tensor<2x5x7xbf16>
         %g = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] \
             : (tensor<2x5x7xbf16>, {k}) -> {wide}
         %to = stablehlo.broadcast_in_dim %t, dims = [0, 1] : ({rows}) -> {wide}
         %h = stablehlo.divide %g, %to : {wide}
         %o = stablehlo.convert %h : ({wide}) -> {q}"
    );
    let plain = format!("%x = stablehlo.add %y, %y : {f}");
    for (score, mixed) in [
        (plain.clone(), &before),
        (plain, &after),
        (masked("0xFF800000"), &before),
        (masked("-3.40282347E+38"), &before),
        (masked("-1.0e+30"), &after),
    ] {
        for (rest, ends) in [("%n", rows.to_string()), ("%m, %t", format!("{rows}, {rows}"))] {
            let text = format!(
                "func.func @main(%q: {q}, %k: {k}, %v: {k}) -> ({q}, {ends}) {{
                   %ninf = stablehlo.constant dense<0xFF800000> : tensor<f32>
                   %zero = stablehlo.constant dense<0.0> : tensor<f32>
                   %scale = stablehlo.constant dense<0.3> : {f}
                   %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] \
                       : ({q}, {k}) -> {f}
                   %y = stablehlo.multiply %s, %scale : {f}
                   {score}
                   %m = stablehlo.reduce(%x init: %ninf) applies stablehlo.maximum across dimensions = [2] \
                       : ({f}, tensor<f32>) -> {rows}
                   %m1 = stablehlo.reshape %m : ({rows}) -> tensor<2x5x1xf32>
                   %mb = stablehlo.broadcast_in_dim %m1, dims = [0, 1, 2] : (tensor<2x5x1xf32>) -> {f}
                   %d = stablehlo.subtract %x, %mb : {f}
                   %e = stablehlo.exponential %d : {f}
                   %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] \
                       : ({f}, tensor<f32>) -> {rows}
                   %tb = stablehlo.broadcast_in_dim %t, dims = [0, 1] : ({rows}) -> {f}
                   {mixed}
                   %l = stablehlo.log %t : {rows}
                   %n1 = stablehlo.reshape %l : ({rows}) -> tensor<2x5x1xf32>
                   %n2 = stablehlo.add %m1, %n1 : tensor<2x5x1xf32>
                   %n = stablehlo.reshape %n2 : (tensor<2x5x1xf32>) -> {rows}
                   return %o, {rest} : {q}, {ends}
                 }}"
            );
            for target in ["cuda:sm_90a", "rocm:gfx90a"] {
                let planned = check_on(rest, &text, target);
                let attention = planned.kernels.iter().filter(|k| k.body.hero() == "attention").count();
                assert_eq!(attention, 1, "{target}\n{text}");
            }
            check_on(rest, &text, "cpu:x86-64-v3");
        }
    }
}

/// What lies between the products may not be wanted elsewhere.
#[test]
fn weights_that_are_also_returned_are_stored() {
    let text = model("jax").replace(
        "-> (tensor<2x5x4x8xbf16> {jax.result_info = \"result\"})",
        "-> (tensor<2x5x4x8xbf16>, tensor<1x2x4x5x7xbf16>)",
    );
    let text = text
        .replace("return %21 : tensor<2x5x4x8xbf16>", "return %21, %17 : tensor<2x5x4x8xbf16>, tensor<1x2x4x5x7xbf16>");
    import(&text);
    let planned = check_on("weights returned", &text, "cuda:sm_80");
    assert!(planned.kernels.iter().all(|k| k.body.hero() != "attention"));
}
