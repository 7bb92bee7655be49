//! What long sorts, selections, prefix folds and scatters are split into.

use fornax_graph::{Graph, OpKind};

use crate::facts::parts::whole;
use crate::fuse::{Machines, fuse_for};

/// The parts of sorts with their attributes, and the other heroes, in order.
fn heroes(text: &str) -> Vec<String> {
    heroes_on(Machines::Any, text)
}

fn heroes_on(machines: Machines, text: &str) -> Vec<String> {
    let graph = fornax_import::import_text(text, "m.mlir", &Default::default()).unwrap_or_else(|e| panic!("{}", e[0]));
    let fused: Graph = fuse_for(&graph, machines).unwrap_or_else(|e| panic!("{e}"));
    let main = fused.function("main").expect("a main function");
    let mut found = Vec::new();
    let mut visit = |op| {
        let data = fused.op(op);
        let number = |name: &str| data.attrs.int(name).map(|n| format!(" {name} {n}"));
        let heroes = [OpKind::Sort, OpKind::Scatter, OpKind::Reduce, OpKind::ReduceWindow];
        if heroes.contains(&whole(data.kind)) {
            let name = data.kind.name().split('.').next_back().unwrap_or("");
            let numbers: String =
                ["sorted_runs", "runs", "keep", "digit_shift"].iter().filter_map(|n| number(n)).collect();
            found.push(format!("{name}{numbers}"));
        }
    };
    fused.walk(fused.entry(main).expect("a body"), &mut visit);
    found
}

fn sort(n: i64, direction: &str, order: &str) -> String {
    format!(
        "func.func @main(%x: tensor<1x{n}xf32>) -> tensor<1x{n}xf32> {{
           %0 = \"stablehlo.sort\"(%x) <{{dimension = 1 : i64, is_stable = true}}> ({{
           ^bb0(%a: tensor<f32>, %b: tensor<f32>):
             %1 = stablehlo.compare {direction}, %a, %b, {order} : (tensor<f32>, tensor<f32>) -> tensor<i1>
             stablehlo.return %1 : tensor<i1>
           }}) : (tensor<1x{n}xf32>) -> tensor<1x{n}xf32>
           return %0 : tensor<1x{n}xf32>
         }}"
    )
}

#[test]
fn sorts_are_merged_or_go_by_digits() {
    assert_eq!(heroes(&sort(2048, "LT", "TOTALORDER")), ["sort"]);
    let merged =
        ["sort_runs runs 2048", "merge_runs sorted_runs 2048 runs 4096", "merge_runs sorted_runs 4096 runs 8192"];
    assert_eq!(heroes(&sort(5003, "LT", "TOTALORDER")), merged);
    let digits = heroes(&sort(600_000, "GT", "TOTALORDER"));
    let passes: Vec<&String> = digits.iter().filter(|h| h.contains("digit_shift")).collect();
    assert_eq!(passes.len(), 8, "{digits:?}");
    assert_eq!(passes[6..], ["radix_count digit_shift 24", "radix_distribute digit_shift 24"]);
    // NaN makes this no total order.
    assert!(heroes(&sort(600_000, "LT", "FLOAT")).iter().all(|h| !h.contains("digit_shift")));
}

#[test]
fn cpus_go_by_digits_sooner() {
    let by_digits = |n: i64, order: &str| {
        heroes_on(Machines::Hosts, &sort(n, "LT", order)).iter().all(|h| !h.contains("sort") && !h.contains("runs"))
    };
    assert!(!by_digits(1023, "TOTALORDER") && by_digits(1024, "TOTALORDER") && by_digits(5003, "TOTALORDER"));
    assert!(!by_digits(5003, "FLOAT"));
}

/// Duplicates are merged: a comparator then reads a constant of the function.
#[test]
fn a_comparator_reads_constants_from_outside() {
    let text = "func.func @main(%x: tensor<600000xf32>) -> tensor<600000xf32> {
        %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
        %1 = \"stablehlo.sort\"(%x) <{dimension = 0 : i64, is_stable = true}> ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %2 = stablehlo.compare EQ, %a, %0, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %3 = stablehlo.select %2, %0, %a : tensor<i1>, tensor<f32>
          %4 = stablehlo.compare EQ, %b, %0, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %5 = stablehlo.select %4, %0, %b : tensor<i1>, tensor<f32>
          %6 = stablehlo.compare LT, %3, %5, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %6 : tensor<i1>
        }) : (tensor<600000xf32>) -> tensor<600000xf32>
        return %1 : tensor<600000xf32>
      }";
    let found = heroes(text);
    assert_eq!(found.iter().filter(|h| h.contains("digit_shift")).count(), 8, "{found:?}");
}

#[test]
fn few_elements_of_long_lines_are_looked_for_in_groups() {
    let text = "func.func @main(%x: tensor<1x60001xf32>) -> tensor<1x5xf32> {
        %0 = \"stablehlo.sort\"(%x) <{dimension = 1 : i64, is_stable = true}> ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %1 = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %1 : tensor<i1>
        }) : (tensor<1x60001xf32>) -> tensor<1x60001xf32>
        %2 = stablehlo.slice %0 [0:1, 0:5] : (tensor<1x60001xf32>) -> tensor<1x5xf32>
        return %2 : tensor<1x5xf32>
      }";
    assert_eq!(heroes(text), ["reduce", "sort", "sort", "sort_runs runs 1280"]);
}

/// What becomes of a scatter that adds %u to %x at %i; sizes that are `?` are n of %x and m of %i and %u.
fn added(x: &str, i: &str, u: &str, numbers: &str) -> Vec<String> {
    let declared = [(x, "\"n: argument 0 axis 0, 0..\""), (i, "\"m: argument 1 axis 0, 0..\"")];
    let sizes: Vec<&str> = declared.iter().filter(|(ty, _)| ty.contains('?')).map(|(_, size)| *size).collect();
    let sizes = sizes.join(", ");
    heroes(&format!(
        "module attributes {{fornax.dims = [{sizes}]}} {{
         func.func @main(%x: {x}, %i: {i}, %u: {u}) -> {x} {{
           %0 = \"stablehlo.scatter\"(%x, %i, %u) \
               <{{scatter_dimension_numbers = #stablehlo.scatter<{numbers}, index_vector_dim = 1>}}> ({{
           ^bb0(%a: tensor<f32>, %b: tensor<f32>):
             %1 = stablehlo.add %a, %b : tensor<f32>
             stablehlo.return %1 : tensor<f32>
           }}) : ({x}, {i}, {u}) -> {x}
           return %0 : {x}
         }}
         }}"
    ))
}

#[test]
fn many_updates_are_sorted() {
    let numbers = "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]";
    let scatter =
        |n: i64| added("tensor<4000xf32>", &format!("tensor<{n}x1xi32>"), &format!("tensor<{n}xf32>"), numbers);
    assert_eq!(scatter(20), ["scatter"]);
    assert_eq!(scatter(2000), ["sort", "sorted_scatter"]);
}

#[test]
fn windows_and_batches_are_sorted() {
    let sorted = |heroes: Vec<String>| {
        heroes.iter().any(|h| h.starts_with("sort")) && heroes.last().is_some_and(|h| h == "sorted_scatter")
    };
    let windows = "update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0]";
    let (line, rows) = ("tensor<?x4xf32, #fornax.dims<n>>", "tensor<?x1xi32, #fornax.dims<m>>");
    assert!(sorted(added(line, rows, "tensor<?x3x4xf32, #fornax.dims<m>>", windows)));
    assert!(sorted(added("tensor<50000x4xf32>", "tensor<900x1xi32>", "tensor<900x3x4xf32>", windows)));
    // One long window: every element looks at it.
    assert_eq!(added(line, "tensor<1x1xi32>", "tensor<1x3000x4xf32>", windows), ["scatter"]);
    assert_eq!(added("tensor<50000x4xf32>", "tensor<1x1xi32>", "tensor<1x30000x4xf32>", windows), ["scatter"]);
}

#[test]
fn updates_of_unknown_number_are_sorted() {
    let numbers = "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]";
    let scatter = |batch: &str| {
        let dims = if batch == "?" { ", #fornax.dims<m>" } else { "" };
        let (i, u) = (format!("tensor<{batch}x1xi32{dims}>"), format!("tensor<{batch}x4xf32{dims}>"));
        added("tensor<?x4xf32, #fornax.dims<n>>", &i, &u, numbers)
    };
    let both = scatter("?");
    assert_eq!((both[0].as_str(), both.len()), ("sort_runs runs 64", 10), "{both:?}");
    assert_eq!(both[8..], ["merge_runs sorted_runs 1048576", "sorted_scatter"]);
    assert_eq!(scatter("9"), ["scatter"]);
    let known = scatter("5000");
    assert!(
        known.len() > 1 && known[0].starts_with("sort") && known.last().is_some_and(|h| h == "sorted_scatter"),
        "{known:?}"
    );
}

/// Sums along the columns of a matrix, from the top.
fn columns_summed(rows: i64, columns: i64) -> Vec<String> {
    heroes(&format!(
        "func.func @main(%x: tensor<{rows}x{columns}xf32>) -> tensor<{rows}x{columns}xf32> {{
           %z = stablehlo.constant dense<0.0> : tensor<f32>
           %0 = \"stablehlo.reduce_window\"(%x, %z) <{{window_dimensions = array<i64: {rows}, 1>,
             padding = dense<[[{}, 0], [0, 0]]> : tensor<2x2xi64>}}> ({{
           ^bb0(%a: tensor<f32>, %b: tensor<f32>):
             %1 = stablehlo.add %a, %b : tensor<f32>
             stablehlo.return %1 : tensor<f32>
           }}) : (tensor<{rows}x{columns}xf32>, tensor<f32>) -> tensor<{rows}x{columns}xf32>
           return %0 : tensor<{rows}x{columns}xf32>
         }}",
        rows - 1
    ))
}

#[test]
fn columns_are_cut_where_they_are_few() {
    assert_eq!(columns_summed(4096, 4096), ["reduce_window"]);
    assert_eq!(columns_summed(4096, 1000), ["reduce", "reduce_window", "reduce_window"]);
}
