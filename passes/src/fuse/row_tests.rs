//! Which reductions share a kernel, with what, and which do not.

use super::tests::outline;

const REDUCE: &str = "across dimensions = [1] : (tensor<64x1000xf32>, tensor<f32>) -> tensor<64xf32>";
const ROWS: &str = "dims = [0] : (tensor<64xf32>) -> tensor<64x1000xf32>";

fn function(results: &str, body: &str) -> String {
    format!(
        "func.func @main(%x: tensor<64x1000xf32>, %y: tensor<64x1000xf32>, %g: tensor<1000xf32>) -> ({results}) {{
        %n = stablehlo.constant dense<0xFF800000> : tensor<f32>
        %z = stablehlo.constant dense<0.0> : tensor<f32>
        {body} }}"
    )
}

fn softmax_of(x: &str) -> String {
    format!(
        "%m = stablehlo.reduce({x} init: %n) applies stablehlo.maximum {REDUCE}
        %mb = stablehlo.broadcast_in_dim %m, {ROWS}
        %d = stablehlo.subtract {x}, %mb : tensor<64x1000xf32>
        %e = stablehlo.exponential %d : tensor<64x1000xf32>
        %s = stablehlo.reduce(%e init: %z) applies stablehlo.add {REDUCE}
        %sb = stablehlo.broadcast_in_dim %s, {ROWS}
        %r = stablehlo.divide %e, %sb : tensor<64x1000xf32>\n"
    )
}

#[test]
fn softmax_is_one_kernel() {
    let text = function("tensor<64x1000xf32>", &format!("{} return %r : tensor<64x1000xf32>", softmax_of("%x")));
    assert_eq!(
        outline(&text),
        ["row(reduce broadcast_in_dim subtract exponential reduce broadcast_in_dim divide) -> 1"]
    );
}

#[test]
fn what_comes_before_and_behind_joins_and_is_stored_there() {
    let body = format!(
        "%t = stablehlo.add %x, %y : tensor<64x1000xf32>
        {}
        %gb = stablehlo.broadcast_in_dim %g, dims = [1] : (tensor<1000xf32>) -> tensor<64x1000xf32>
        %o = stablehlo.multiply %r, %gb : tensor<64x1000xf32>
        return %t, %o, %s : tensor<64x1000xf32>, tensor<64x1000xf32>, tensor<64xf32>",
        softmax_of("%t")
    );
    let text = function("tensor<64x1000xf32>, tensor<64x1000xf32>, tensor<64xf32>", &body);
    let ops =
        "add reduce broadcast_in_dim subtract exponential reduce broadcast_in_dim divide broadcast_in_dim multiply";
    assert_eq!(outline(&text), [format!("row({ops}) -> 3")]);
}

#[test]
fn values_of_a_row_are_computed_once_a_row() {
    // 1 / sqrt(Σ x²) is expensive and broadcast: neither stored nor computed for every element.
    let body = format!(
        "%q = stablehlo.multiply %x, %x : tensor<64x1000xf32>
        %s = stablehlo.reduce(%q init: %z) applies stablehlo.add {REDUCE}
        %k = stablehlo.reshape %s : (tensor<64xf32>) -> tensor<64x1xf32>
        %i = stablehlo.rsqrt %k : tensor<64x1xf32>
        %b = stablehlo.broadcast_in_dim %i, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x1000xf32>
        %r = stablehlo.multiply %x, %b : tensor<64x1000xf32>
        return %r, %i : tensor<64x1000xf32>, tensor<64x1xf32>"
    );
    let text = function("tensor<64x1000xf32>, tensor<64x1xf32>", &body);
    assert_eq!(outline(&text), ["row(multiply reduce reshape rsqrt broadcast_in_dim multiply) -> 2"]);
}

#[test]
fn a_chain_that_ends_in_a_row_result_is_one_kernel() {
    let body = format!(
        "{} %l = stablehlo.log %s : tensor<64xf32>
        %o = stablehlo.add %l, %m : tensor<64xf32>
        return %o : tensor<64xf32>",
        softmax_of("%x")
    );
    let text = function("tensor<64xf32>", &body);
    assert_eq!(outline(&text), ["row(reduce broadcast_in_dim subtract exponential reduce log add) -> 1"]);
}

#[test]
fn reductions_of_the_same_elements_share_a_kernel() {
    let body = format!(
        "%a = stablehlo.reduce(%x init: %z) applies stablehlo.add {REDUCE}
        %b = stablehlo.reduce(%x init: %n) applies stablehlo.maximum {REDUCE}
        return %a, %b : tensor<64xf32>, tensor<64xf32>"
    );
    assert_eq!(outline(&function("tensor<64xf32>, tensor<64xf32>", &body)), ["row(reduce reduce) -> 2"]);
}

#[test]
fn other_rows_stay_apart() {
    // A sum over the other dimension is no part of these rows.
    let body = format!(
        "{}
        %c = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] \
            : (tensor<64x1000xf32>, tensor<f32>) -> tensor<1000xf32>
        %cb = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<1000xf32>) -> tensor<64x1000xf32>
        %o = stablehlo.add %r, %cb : tensor<64x1000xf32>
        return %o : tensor<64x1000xf32>",
        softmax_of("%x")
    );
    let lines = outline(&function("tensor<64x1000xf32>", &body));
    assert_eq!(lines.len(), 2, "{lines:?}");
    let reductions: Vec<usize> =
        lines.iter().map(|l| l.split(['(', ' ', ')']).filter(|w| *w == "reduce").count()).collect();
    assert_eq!(reductions, [2, 1], "{lines:?}");
}

#[test]
fn a_cycle_is_broken_by_leaving_the_reduction_out() {
    // The product needs the sum, and the division needs both the product and the sum.
    let text = format!(
        "func.func @main(%x: tensor<64x1000xf32>, %w: tensor<64x64xf32>) -> tensor<64x1000xf32> {{
        %z = stablehlo.constant dense<0.0> : tensor<f32>
        %s = stablehlo.reduce(%x init: %z) applies stablehlo.add {REDUCE}
        %i = stablehlo.rsqrt %s : tensor<64xf32>
        %p = stablehlo.dot %i, %w : (tensor<64xf32>, tensor<64x64xf32>) -> tensor<64xf32>
        %pb = stablehlo.broadcast_in_dim %p, {ROWS}
        %b = stablehlo.broadcast_in_dim %i, {ROWS}
        %r = stablehlo.multiply %x, %b : tensor<64x1000xf32>
        %o = stablehlo.add %r, %pb : tensor<64x1000xf32>
        return %o : tensor<64x1000xf32>
      }}"
    );
    let lines = outline(&text);
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines.iter().all(|l| !l.starts_with("row(")), "{lines:?}");
}

#[test]
fn reductions_that_differ_in_a_dimension_of_one_are_two_kernels() {
    let text =
        "func.func @main(%x: tensor<2x1xf32>, %a: tensor<f32>, %b: tensor<f32>) -> (tensor<1xf32>, tensor<f32>) {
        %0 = stablehlo.reduce(%x init: %a) applies stablehlo.minimum across dimensions = [0, 1] \
            : (tensor<2x1xf32>, tensor<f32>) -> tensor<f32>
        %1 = stablehlo.reduce(%x init: %b) applies stablehlo.minimum across dimensions = [0] \
            : (tensor<2x1xf32>, tensor<f32>) -> tensor<1xf32>
        return %1, %0 : tensor<1xf32>, tensor<f32>
      }";
    assert_eq!(outline(text), ["reduction(reduce) -> 1", "reduction(reduce) -> 1"]);
}

/// A stored value that is read only through the reduction's elements has a kernel of its own.
#[test]
fn what_only_the_reduction_reads_is_stored_apart() {
    let text = "func.func @main(%x: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
      %z = stablehlo.constant dense<1.0> : tensor<f32>
      %y = stablehlo.multiply %x, %x : tensor<5xf32>
      %b = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<5xf32>) -> tensor<8x5xf32>
      %r = stablehlo.reduce(%b init: %z) applies stablehlo.multiply across dimensions = [0] \
          : (tensor<8x5xf32>, tensor<f32>) -> tensor<5xf32>
      return %r, %y : tensor<5xf32>, tensor<5xf32>
    }";
    assert_eq!(outline(text), ["loop(multiply) -> 1", "reduction(broadcast_in_dim reduce) -> 1"]);
    // One that is also read besides the result is at hand there.
    let text = text.replace("return %r,", "%s = stablehlo.add %r, %y : tensor<5xf32>\n return %s,");
    assert_eq!(outline(&text), ["reduction(multiply broadcast_in_dim reduce add) -> 2"]);
}

/// Two sums over the rows of [25088, 512], which are too few and too long for a kernel that holds them: of `first`, a
/// value of x or y, and of (y − m)·x.
fn long_columns(first: &str) -> Vec<String> {
    let ty = "tensor<25088x512xf32>";
    let reduce = format!("across dimensions = [0] : ({ty}, tensor<f32>) -> tensor<512xf32>");
    let narrow = "tensor<25088x512xbf16>";
    outline(&format!(
        "func.func @main(%x: {narrow}, %y: {narrow}, %w: {narrow}, %m: tensor<512xf32>)
             -> (tensor<512xf32>, tensor<512xf32>) {{
           %z = stablehlo.constant dense<0.0> : tensor<f32>
           %a = stablehlo.convert %x : ({narrow}) -> {ty}
           %b = stablehlo.convert %y : ({narrow}) -> {ty}
           %c = stablehlo.convert %w : ({narrow}) -> {ty}
           %mb = stablehlo.broadcast_in_dim %m, dims = [1] : (tensor<512xf32>) -> {ty}
           %d = stablehlo.subtract %b, %mb : {ty}
           %p = stablehlo.multiply %d, %a : {ty}
           %q = stablehlo.reduce(%p init: %z) applies stablehlo.add {reduce}
           %s = stablehlo.reduce({first} init: %z) applies stablehlo.add {reduce}
           return %s, %q : tensor<512xf32>, tensor<512xf32>
         }}"
    ))
}

#[test]
fn long_columns_that_read_the_same_are_one_kernel() {
    for first in ["%a", "%b", "%d"] {
        let kernels = long_columns(first);
        assert_eq!(kernels.len(), 1, "{kernels:?}");
        assert!(kernels[0].starts_with("row(") && kernels[0].ends_with("-> 2"), "{kernels:?}");
    }
    assert_eq!(long_columns("%c").len(), 2);
}
