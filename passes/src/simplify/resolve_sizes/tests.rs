//! Sizes of small functions: what becomes a symbol, a check, an expression, or an error.

use crate::example::{import, print, reimport};
use super::*;

fn resolved(text: &str) -> Graph {
    let mut graph = import(text);
    run(&mut graph, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    reimport(&graph);
    graph
}

fn failure(text: &str) -> PassError {
    run(&mut import(text), &Options::default()).unwrap_err()
}

#[test]
fn sizes_that_an_op_needs_equal_become_one_symbol_and_a_check() {
    let graph = resolved(
        "func.func @main(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>) -> tensor<?x4xf32> {
           %0 = stablehlo.add %a, %b : tensor<?x4xf32>
           return %0 : tensor<?x4xf32>
         }",
    );
    let text = print(&graph);
    assert_eq!(text.matches("#fornax.dims<arg0_0>").count(), 5, "{text}");
    assert!(graph.dim_checks.is_empty(), "the types say it: {text}");
}

#[test]
fn a_dimension_that_may_be_one_is_read_at_index_zero() {
    let graph = resolved(
        "func.func @main(%n: tensor<i64>, %a: tensor<?xf32>) -> tensor<?xf32> {
           %0 = stablehlo.reshape %n : (tensor<i64>) -> tensor<1xi64>
           %1 = stablehlo.dynamic_broadcast_in_dim %a, %0, dims = [0] : (tensor<?xf32>, tensor<1xi64>) -> tensor<?xf32>
           return %1 : tensor<?xf32>
         }",
    );
    let text = print(&graph);
    assert!(text.contains("stablehlo.gather") && text.contains("stablehlo.minimum"), "{text}");
    let run = |n: i128, size: usize| {
        let scalar = fornax_reference::Tensor::scalar(fornax_graph::ElementType::I64, fornax_reference::Scalar::Int(n));
        let values = (0..size).map(|i| fornax_reference::Scalar::Float(i as f64 + 1.0));
        let vector = fornax_reference::Tensor::from_scalars(&[size], fornax_graph::ElementType::F32, values);
        let results = fornax_reference::evaluate(&graph, "main", &[scalar, vector], &Default::default()).unwrap();
        (0..results[0].len()).map(|i| results[0].get(i).as_f64()).collect::<Vec<_>>()
    };
    assert_eq!(run(3, 1), [1.0, 1.0, 1.0]);
    assert_eq!(run(3, 3), [1.0, 2.0, 3.0]);
}

#[test]
fn assertions_name_and_bound_sizes() {
    let graph = resolved(
        "func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {
           %c = stablehlo.constant dense<2> : tensor<i32>
           %0 = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?xf32>) -> tensor<i32>
           %1 = stablehlo.compare GE, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
           stablehlo.custom_call @shape_assertion(%1, %0) {api_version = 2 : i32, has_side_effect = true,
             error_message = \"Expected b >= 2, found {0}. Obtained: 'b' = {0} from specification 'b'\"} \
                 : (tensor<i1>, tensor<i32>) -> ()
           %2 = stablehlo.maximum %0, %c : tensor<i32>
           %3 = stablehlo.reshape %2 : (tensor<i32>) -> tensor<1xi32>
           %4 = stablehlo.dynamic_iota %3, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
           return %4 : tensor<?xf32>
         }",
    );
    let text = print(&graph);
    assert!(text.contains("b: argument 0 axis 0, 2.."), "{text}");
    assert!(text.contains("stablehlo.iota dim = 0 : tensor<?xf32, #fornax.dims<b>>"), "{text}");
    assert!(!text.contains("shape_assertion") && graph.dim_checks[0].message.contains("found b"), "{text}");
}

#[test]
fn rounded_division_by_selection_is_floor() {
    let graph = resolved(
        "func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {
           %two = stablehlo.constant dense<2> : tensor<i32>
           %one = stablehlo.constant dense<1> : tensor<i32>
           %zero = stablehlo.constant dense<0> : tensor<i32>
           %n = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?xf32>) -> tensor<i32>
           %x = stablehlo.subtract %n, %two : tensor<i32>
           %q = stablehlo.divide %x, %two : tensor<i32>
           %r = stablehlo.remainder %x, %two : tensor<i32>
           %s = stablehlo.sign %x : tensor<i32>
           %t = stablehlo.sign %two : tensor<i32>
           %u = stablehlo.compare NE, %s, %t, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
           %v = stablehlo.compare NE, %r, %zero, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
           %w = stablehlo.and %u, %v : tensor<i1>
           %less = stablehlo.subtract %q, %one : tensor<i32>
           %f = stablehlo.select %w, %less, %q : tensor<i1>, tensor<i32>
           %g = stablehlo.add %f, %two : tensor<i32>
           %h = stablehlo.reshape %g : (tensor<i32>) -> tensor<1xi32>
           %i = stablehlo.dynamic_iota %h, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
           return %i : tensor<?xf32>
         }",
    );
    assert!(print(&graph).contains("#fornax.dims<arg0_0/2+1>"), "{}", print(&graph));
}

#[test]
fn loops_keep_sizes_and_slices_at_data_become_dynamic_slices() {
    let graph = resolved(
        "func.func @main(%x: tensor<?x?xf32>) -> tensor<1x?xf32> {
           %c0 = stablehlo.constant dense<0> : tensor<i32>
           %c1 = stablehlo.constant dense<1> : tensor<i32>
           %one = stablehlo.constant dense<1> : tensor<1xi32>
           %m = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
           %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
           %width = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
           %sizes = stablehlo.concatenate %one, %width, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
           %zero = stablehlo.constant dense<0.0> : tensor<f32>
           %start = stablehlo.dynamic_broadcast_in_dim %zero, %sizes, dims = [] \
               : (tensor<f32>, tensor<2xi32>) -> tensor<1x?xf32>
           %r:2 = stablehlo.while(%i = %c0, %acc = %start) : tensor<i32>, tensor<1x?xf32>
           cond {
             %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
             stablehlo.return %p : tensor<i1>
           } do {
             %at = stablehlo.reshape %i : (tensor<i32>) -> tensor<1xi32>
             %z = stablehlo.constant dense<0> : tensor<1xi32>
             %from = stablehlo.concatenate %at, %z, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
             %to = stablehlo.add %from, %sizes : tensor<2xi32>
             %by = stablehlo.constant dense<1> : tensor<2xi32>
             %row = stablehlo.real_dynamic_slice %x, %from, %to, %by \
                 : (tensor<?x?xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<1x?xf32>
             %sum = stablehlo.add %acc, %row : tensor<1x?xf32>
             %next = stablehlo.add %i, %c1 : tensor<i32>
             stablehlo.return %next, %sum : tensor<i32>, tensor<1x?xf32>
           }
           return %r#1 : tensor<1x?xf32>
         }",
    );
    let text = print(&graph);
    assert!(text.contains("stablehlo.dynamic_slice") && text.contains("#fornax.dims<1, arg0_1>"), "{text}");
}

#[test]
fn a_computed_size_is_read_from_its_scalar() {
    let graph = resolved(
        "func.func @main(%x: tensor<9xf32>, %k: tensor<2xi32>) -> tensor<?xf32> {
           %0 = stablehlo.slice %k [1:2] : (tensor<2xi32>) -> tensor<1xi32>
           %1 = stablehlo.add %0, %0 : tensor<1xi32>
           %2 = stablehlo.constant dense<0> : tensor<1xi32>
           %3 = stablehlo.constant dense<1> : tensor<1xi32>
           %4 = stablehlo.real_dynamic_slice %x, %2, %1, %3 \
               : (tensor<9xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
           return %4 : tensor<?xf32>
         }",
    );
    let text = print(&graph);
    assert!(text.contains("fornax.dim = \"n") && text.contains(": value, 0.."), "{text}");
    assert!(text.contains("limit_indices = #fornax.dims<2*n"), "{text}");
}

#[test]
fn what_can_never_fit_or_be_known_is_refused() {
    let never = failure(
        "func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {
           %0 = stablehlo.concatenate %a, %a, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
           %c = stablehlo.constant dense<1.0> : tensor<1xf32>
           %1 = stablehlo.concatenate %0, %c, dim = 0 : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
           %2 = stablehlo.add %0, %1 : tensor<?xf32>
           return %2 : tensor<?xf32>
         }",
    );
    assert_eq!(never.code(), "FX0305", "{never}");
    let unknown = failure(
        "func.func @main(%a: tensor<4xf32>) -> tensor<?xf32> {
           %0 = stablehlo.custom_call @mystery(%a) : (tensor<4xf32>) -> tensor<?x?xf32>
           %1 = stablehlo.reshape %0 : (tensor<?x?xf32>) -> tensor<?xf32>
           return %1 : tensor<?xf32>
         }",
    );
    assert_eq!(unknown.code(), "FX0306", "{unknown}");
}

#[test]
fn a_window_as_long_as_a_size_is_a_reduce_window() {
    let graph = resolved(
        "func.func @main(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
           %z = stablehlo.constant dense<0.0> : tensor<f32>
           %one = stablehlo.constant dense<1> : tensor<1xi32>
           %zero = stablehlo.constant dense<0> : tensor<1xi32>
           %less = stablehlo.constant dense<-1> : tensor<i32>
           %ones = stablehlo.constant dense<1> : tensor<2xi32>
           %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
           %0 = stablehlo.add %n, %less : tensor<i32>
           %1 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
           %2 = stablehlo.concatenate %1, %zero, %zero, %zero, dim = 0 \
               : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
           %padding = stablehlo.reshape %2 : (tensor<4xi32>) -> tensor<2x2xi32>
           %3 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
           %window = stablehlo.concatenate %3, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
           %4 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %z, %window, %ones, %ones, %ones, %padding) \
               {called_computations = [@sum]} : (tensor<?x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, \
               tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x3xf32>
           return %4 : tensor<?x3xf32>
         }
         func.func @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
           %0 = stablehlo.add %a, %b : tensor<f32>
           return %0 : tensor<f32>
         }",
    );
    let text = print(&graph);
    assert!(text.contains("reduce_window") && !text.contains("custom_call") && !text.contains("@sum"), "{text}");
    assert!(text.contains("#fornax.dims<arg0_0, 1>") && text.contains("#fornax.dims<arg0_0-1, 0, 0, 0>"), "{text}");
    assert_eq!(graph.functions.len(), 1);
}

/// A loop of `n` rounds that makes `%next` of `%y`.
fn growing(ty: &str, body: &str) -> String {
    format!(
        "func.func @main(%x: {ty}, %n: tensor<i32>) -> {ty} {{
           %c = stablehlo.constant dense<0> : tensor<i32>
           %one = stablehlo.constant dense<1> : tensor<i32>
           %0:2 = stablehlo.while(%i = %c, %y = %x) : tensor<i32>, {ty}
           cond {{
             %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
             stablehlo.return %1 : tensor<i1>
           }} do {{
             %2 = stablehlo.add %i, %one : tensor<i32>
             {body}
             stablehlo.return %2, %next : tensor<i32>, {ty}
           }}
           return %0#1 : {ty}
         }}"
    )
}

const DOUBLED: &str = "%next = stablehlo.concatenate %y, %y, dim = 0 : (TYPE, TYPE) -> TYPE";

#[test]
fn a_size_that_a_loop_changes_is_carried() {
    let ty = "tensor<?xf32, #stablehlo.bounds<64>>";
    let graph = resolved(&growing(ty, &DOUBLED.replace("TYPE", ty)));
    let text = print(&graph);
    // What enters the loop, what a round sees, what it makes, and what is left.
    for part in [
        "stablehlo.while",
        "#fornax.dims<size1_0>",
        "#fornax.dims<size1_0_1>",
        "#fornax.dims<2*size1_0_1>",
        "#fornax.dims<size1_0_2>",
    ] {
        assert!(text.contains(part), "{part} not in {text}");
    }
    let carried = graph
        .block(graph.entry(&graph.functions[0]).unwrap())
        .ops
        .iter()
        .find(|&&op| graph.op(op).kind == OpKind::While);
    assert_eq!(graph.op(*carried.unwrap()).operands.len(), 3, "{text}");
    let checks: Vec<String> =
        graph.dim_checks.iter().map(|check| graph.dim_check_parts(check)[..3].join(" ")).collect();
    assert!(checks.contains(&"2*size1_0_1 <= 64".to_string()), "{checks:?}");
}

#[test]
fn a_size_that_a_loop_only_makes_smaller_has_the_first_one_for_a_bound() {
    let ty = "tensor<?xf32>";
    let half = "%m = stablehlo.get_dimension_size %y, dim = 0 : (TYPE) -> tensor<i32>
             %two = stablehlo.constant dense<2> : tensor<i32>
             %h = stablehlo.divide %m, %two : tensor<i32>
             %z = stablehlo.constant dense<0> : tensor<1xi32>
             %s = stablehlo.constant dense<1> : tensor<1xi32>
             %l = stablehlo.reshape %h : (tensor<i32>) -> tensor<1xi32>
             %next = stablehlo.real_dynamic_slice %y, %z, %l, %s \
                 : (TYPE, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> TYPE";
    let text = print(&resolved(&growing(ty, &half.replace("TYPE", ty))));
    assert!(text.contains("#fornax.dims<min(arg0_0, size1_0_1)>"), "{text}");
}

#[test]
fn a_size_that_a_loop_makes_larger_without_a_bound_is_refused() {
    let ty = "tensor<?xf32>";
    let error = failure(&growing(ty, &DOUBLED.replace("TYPE", ty)));
    assert_eq!(error.code(), "FX0305");
    let text = error.to_string();
    for part in ["example.mlir:4:", "value 1 with dimension 0", "nothing says how large", "#stablehlo.bounds<N>"] {
        assert!(text.contains(part), "{part} not in {text}");
    }
}

#[test]
fn a_size_computed_in_a_branch_is_computed_before_it() {
    let text = print(&resolved(
        "func.func @main(%p: tensor<i1>, %k: tensor<100xi32>) -> tensor<f32> {
           %c = stablehlo.constant dense<0.0> : tensor<f32>
           %z = stablehlo.constant dense<0> : tensor<i32>
           %0 = \"stablehlo.if\"(%p) ({
             %1 = stablehlo.reduce(%k init: %z) applies stablehlo.add across dimensions = [0] \
                 : (tensor<100xi32>, tensor<i32>) -> tensor<i32>
             %2 = stablehlo.add %1, %1 : tensor<i32>
             %3 = stablehlo.reshape %2 : (tensor<i32>) -> tensor<1xi32>
             %4 = stablehlo.dynamic_iota %3, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
             %5 = stablehlo.reduce(%4 init: %c) applies stablehlo.add across dimensions = [0] \
                 : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
             stablehlo.return %5 : tensor<f32>
           }, {
             stablehlo.return %c : tensor<f32>
           }) : (tensor<i1>) -> tensor<f32>
           return %0 : tensor<f32>
         }",
    ));
    // Not taken, it has no elements.
    let (before, inside) = text.split_once("stablehlo.if").unwrap();
    assert!(before.contains("stablehlo.select %arg0") && before.contains("fornax.dim = \"n"), "{text}");
    assert!(inside.contains("stablehlo.iota") && inside.contains("#fornax.dims<2*n"), "{text}");
}

/// What a loop computes from its state is read every round; without a bound there is no room for it.
#[test]
fn a_size_that_a_loop_computes_from_its_state() {
    let text = |ty: &str| {
        "func.func @main(%k: tensor<2xi32>) -> tensor<f32> {
           %c = stablehlo.constant dense<0.0> : tensor<f32>
           %t = stablehlo.constant dense<true> : tensor<i1>
           %r:2 = stablehlo.while(%p = %t, %s = %k) : tensor<i1>, tensor<2xi32>
           cond {
             stablehlo.return %p : tensor<i1>
           } do {
             %1 = stablehlo.slice %s [1:2] : (tensor<2xi32>) -> tensor<1xi32>
             %2 = stablehlo.dynamic_iota %1, dim = 0 : (tensor<1xi32>) -> TYPE
             %3 = stablehlo.reduce(%2 init: %c) applies stablehlo.add across dimensions = [0] \
                 : (TYPE, tensor<f32>) -> tensor<f32>
             %4 = stablehlo.compare LT, %3, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
             %5 = stablehlo.add %s, %s : tensor<2xi32>
             stablehlo.return %4, %5 : tensor<i1>, tensor<2xi32>
           }
           return %c : tensor<f32>
         }"
        .replace("TYPE", ty)
    };
    let error = failure(&text("tensor<?xf32>"));
    assert_eq!(error.code(), "FX0306", "{error}");
    assert!(error.to_string().contains("example.mlir:4:") && error.to_string().contains("bound"), "{error}");
    let graph = resolved(&text("tensor<?xf32, #stablehlo.bounds<100>>"));
    let bounded = |d: &fornax_graph::SymbolicDim| matches!(d.def, DimDef::Value { .. }) && (d.min, d.max) == (0, 100);
    assert!(graph.dims.iter().any(bounded), "{}", print(&graph));
}
