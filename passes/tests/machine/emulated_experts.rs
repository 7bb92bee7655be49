//! Products of 8-bit floats with matrices of picked experts and their scales, in the emulator; also gates and ups.

use super::emulated_models::{emulate, emulate_ways};
use super::{import, main_function, planned};

/// One device of each set of instructions for such products: none, `mma`, `wgmma`.
const DEVICES: &[&str] = &["cuda:sm_80", "cuda:sm_89", "cuda:sm_90a"];

/// `x · W[e]ᵀ · s[e]` of three of eight experts, `rows` for each (none: one row without a dimension of its own), or, of
/// gates, `silu(x · W[e]ᵀ · s[e]) · (y · V[e]ᵀ · t[e])`.
fn experts(rows: Option<u64>, [n, k]: [u64; 2], are_gates: bool) -> String {
    let row = rows.map_or(String::new(), |rows| format!("{rows}x"));
    let (x, z) = (format!("tensor<3x{row}{k}xf8E4M3FN>"), format!("tensor<3x{row}{n}xf32>"));
    let (all, own) = (format!("tensor<8x{n}x{k}xf8E4M3FN>"), format!("tensor<3x{n}x{k}xf8E4M3FN>"));
    let summed = if rows.is_some() { 2 } else { 1 };
    let kind = "f8E4M3FN";
    let algorithm = format!(
        "algorithm = <lhs_precision_type = {kind}, rhs_precision_type = {kind}, accumulation_type = f32, \
         lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, \
         allow_imprecise_accumulation = true>"
    );
    let gather = |dims: &str, sizes: &str| {
        format!(
            "<{{dimension_numbers = #stablehlo.gather<offset_dims = [{dims}], collapsed_slice_dims = [0], \
             start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, \
             slice_sizes = array<i64: 1{sizes}>}}>"
        )
    };
    let (matrices, scales) = (gather("1, 2", &format!(", {n}, {k}")), gather("", ""));
    let product = |to: &str, rows: &str, weights: &str, scale: &str| {
        format!(
            "%{to}0 = \"stablehlo.gather\"(%{weights}, %n) {matrices} : ({all}, tensor<3x1xi32>) -> {own}
             %{to}1 = \"stablehlo.gather\"(%{scale}, %n) {scales} : (tensor<8xf32>, tensor<3x1xi32>) -> tensor<3xf32>
             %{to}2 = stablehlo.dot_general %{rows}, %{to}0, batching_dims = [0] x [0], \
                 contracting_dims = [{summed}] x [2], {algorithm} : ({x}, {own}) -> {z}
             %{to}3 = stablehlo.broadcast_in_dim %{to}1, dims = [0] : (tensor<3xf32>) -> {z}
             %{to}4 = stablehlo.multiply %{to}2, %{to}3 : {z}\n"
        )
    };
    let first = product("g", "x", "w", "s");
    let rest = format!(
        "{}%0 = stablehlo.logistic %g4 : {z}
         %1 = stablehlo.multiply %g4, %0 : {z}
         %2 = stablehlo.multiply %1, %p4 : {z}
         return %2 : {z}",
        product("p", "y", "v", "t")
    );
    let alone = format!("return %g4 : {z}");
    let one = format!("%x: {x}, %w: {all}, %s: tensor<8xf32>, %n: tensor<3x1xi32>");
    let others = format!(", %y: {x}, %v: {all}, %t: tensor<8xf32>");
    match are_gates {
        true => main_function(&format!("{one}{others}) -> {z}"), &(first + &rest)),
        false => main_function(&format!("{one}) -> {z}"), &(first + &alone)),
    }
}

#[test]
fn picked_experts_multiply_8_bit_floats() {
    for rows in [None, Some(1), Some(3), Some(16), Some(40)] {
        for shape in [[24, 40], [72, 128], [9, 20]] {
            for are_gates in [false, true] {
                let name = format!("{rows:?} rows, {shape:?}, gates: {are_gates}");
                emulate(&name, &experts(rows, shape, are_gates), DEVICES);
            }
        }
    }
}

/// All schedules that the tuner may choose, of matrices where they lie.
#[test]
fn picked_experts_in_all_ways() {
    for (device, wanted) in [("cuda:sm_89", "mma m16n8k32.f8"), ("cuda:sm_90a", "mma m16n8k16.f16")] {
        let ways = emulate_ways("experts", &experts(Some(16), [72, 128], false), device);
        assert!(ways.iter().any(|way| way.starts_with(wanted)), "no {wanted} among {ways:?}");
    }
}

/// Longer sums go by `wgmma`, which fetches matrices from where a kernel has copied them.
#[test]
fn picked_experts_are_copied_for_wgmma() {
    let text = experts(Some(16), [256, 1024], false);
    let (_, planned) = planned(&import(&text), "cuda:sm_90a");
    let ways: Vec<String> = planned.kernels.iter().map(|kernel| kernel.way()).collect();
    assert!(ways.len() == 2 && ways[1].starts_with("wgmma"), "{ways:?}");
    emulate("copied", &text, &["cuda:sm_90a"]);
}
