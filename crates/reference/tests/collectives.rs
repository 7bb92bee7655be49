//! Collectives over several devices: the worked examples of StableHLO's specification, and devices that do not agree.

use fornax_graph::Graph;
use fornax_import::{ImportOptions, import_text};
use fornax_reference::{EvalError, Limits, Scalar, Tensor, evaluate, evaluate_devices};

fn import(text: &str) -> Graph {
    import_text(text, "collective.mlir", &ImportOptions::default()).unwrap_or_else(|e| panic!("{e:?}"))
}

/// A module for `replicas × partitions` devices; its function takes and returns one i64 tensor of the types given.
fn module((replicas, partitions): (u32, u32), (from, to): (&str, &str), op: &str) -> Graph {
    import(&format!(
        "module attributes {{mhlo.num_replicas = {replicas} : i32, mhlo.num_partitions = {partitions} : i32}} {{
           func.func @main(%a: tensor<{from}>) -> tensor<{to}> {{
             %0 = {op} : (tensor<{from}>) -> tensor<{to}>
             return %0 : tensor<{to}>
           }}
         }}"
    ))
}

const SUM: &str = "({
  ^bb0(%x: tensor<i64>, %y: tensor<i64>):
    %s = stablehlo.add %x, %y : tensor<i64>
    stablehlo.return %s : tensor<i64>
})";

fn run(graph: &Graph, inputs: &[&[i64]]) -> Result<Vec<Vec<i64>>, EvalError> {
    let entry = graph.entry(graph.function("main").expect("main")).expect("a body");
    let ty = graph.ty(graph.block(entry).arguments[0]).as_tensor().expect("a tensor").clone();
    let tensor = |values: &&[i64]| {
        let shape: Vec<usize> = ty.static_shape().expect("static").iter().map(|&n| n as usize).collect();
        vec![Tensor::from_scalars(&shape, ty.element, values.iter().map(|&v| Scalar::Int(v.into())))]
    };
    let inputs: Vec<Vec<Tensor>> = inputs.iter().map(tensor).collect();
    let results = evaluate_devices(graph, "main", &inputs, &Limits::default())?;
    Ok(results.iter().map(|one| one[0].ints()).collect())
}

#[test]
fn examples_of_the_specification() {
    let two = (2, 1);
    let gather = "\"stablehlo.all_gather\"(%a) {all_gather_dim = 1 : i64, \
                  replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}";
    let graph = module(two, ("2x2xi64", "2x4xi64"), gather);
    let wanted = [vec![1, 2, 5, 6, 3, 4, 7, 8], vec![1, 2, 5, 6, 3, 4, 7, 8]];
    assert_eq!(run(&graph, &[&[1, 2, 3, 4], &[5, 6, 7, 8]]).unwrap(), wanted);

    let reduce = format!("\"stablehlo.all_reduce\"(%a) {SUM} {{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}}");
    let graph = module(two, ("4xi64", "4xi64"), &reduce);
    let wanted = [vec![6, 8, 10, 12], vec![6, 8, 10, 12]];
    assert_eq!(run(&graph, &[&[1, 2, 3, 4], &[5, 6, 7, 8]]).unwrap(), wanted);

    let exchange = "\"stablehlo.all_to_all\"(%a) {split_dimension = 1 : i64, concat_dimension = 0 : i64, \
                    split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}";
    let graph = module(two, ("2x4xi64", "4x2xi64"), exchange);
    let wanted = [vec![1, 2, 5, 6, 9, 10, 13, 14], vec![3, 4, 7, 8, 11, 12, 15, 16]];
    let inputs: [&[i64]; 2] = [&[1, 2, 3, 4, 5, 6, 7, 8], &[9, 10, 11, 12, 13, 14, 15, 16]];
    assert_eq!(run(&graph, &inputs).unwrap(), wanted);

    let scatter = format!(
        "\"stablehlo.reduce_scatter\"(%a) {SUM} \
         {{scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}}"
    );
    let graph = module(two, ("2x4xi64", "2x2xi64"), &scatter);
    assert_eq!(run(&graph, &inputs).unwrap(), [vec![10, 12, 18, 20], vec![14, 16, 22, 24]]);

    let broadcast = "\"stablehlo.collective_broadcast\"(%a) {replica_groups = dense<[[2, 1]]> : tensor<1x2xi64>}";
    let graph = module((4, 1), ("1x2xi64", "1x2xi64"), broadcast);
    let wanted = [vec![0, 0], vec![5, 6], vec![5, 6], vec![0, 0]];
    assert_eq!(run(&graph, &[&[1, 2], &[3, 4], &[5, 6], &[7, 8]]).unwrap(), wanted);

    let permute = "\"stablehlo.collective_permute\"(%a) {source_target_pairs = dense<[[0, 1], [1, 2]]> : \
                   tensor<2x2xi64>}";
    let graph = module((3, 1), ("2x2xi64", "2x2xi64"), permute);
    let wanted = [vec![0, 0, 0, 0], vec![1, 2, 3, 4], vec![5, 6, 7, 8]];
    assert_eq!(run(&graph, &[&[1, 2, 3, 4], &[5, 6, 7, 8], &[9, 10, 11, 12]]).unwrap(), wanted);
}

#[test]
fn groups_of_each_mode_reduce_among_their_own() {
    let of = |attrs: &str| {
        let op = format!("\"stablehlo.all_reduce\"(%a) {SUM} {{{attrs}}}");
        run(&module((2, 2), ("1xi64", "1xi64"), &op), &[&[1], &[10], &[100], &[1000]]).unwrap().concat()
    };
    let channel = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>";
    let table = |text: &str, n: usize, m: usize| format!("replica_groups = dense<{text}> : tensor<{n}x{m}xi64>");
    assert_eq!(of(&table("[[0, 1]]", 1, 2)), [101, 1010, 101, 1010]);
    assert_eq!(of(&format!("{}, {channel}", table("[[0], [1]]", 2, 1))), [11, 11, 1100, 1100]);
    let global = format!("{}, {channel}, use_global_device_ids", table("[[0, 3], [1, 2]]", 2, 2));
    assert_eq!(of(&global), [1001, 110, 110, 1001]);
    let uneven = format!("{}, {channel}, use_global_device_ids", table("[[0, 1, 2], [3, -1, -1]]", 2, 3));
    assert_eq!(of(&uneven), [111, 111, 111, 1000]);
}

#[test]
fn every_device_knows_which_it_is() {
    let graph = import(
        "module attributes {mhlo.num_replicas = 2 : i32, mhlo.num_partitions = 2 : i32} {
           func.func @main(%a: tensor<1xi64>) -> (tensor<1xi64>) {
             %r = stablehlo.replica_id : tensor<ui32>
             %p = stablehlo.partition_id : tensor<ui32>
             %c = stablehlo.constant dense<10> : tensor<ui32>
             %0 = stablehlo.multiply %r, %c : tensor<ui32>
             %1 = stablehlo.add %0, %p : tensor<ui32>
             %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i64>
             %3 = stablehlo.reshape %2 : (tensor<i64>) -> tensor<1xi64>
             return %3 : tensor<1xi64>
           }
         }",
    );
    assert_eq!(run(&graph, &[&[0], &[0], &[0], &[0]]).unwrap().concat(), [0, 1, 10, 11]);
}

/// Device 0 takes another branch than device 1.
fn branches(then: &str, otherwise: &str) -> Graph {
    import(&format!(
        "module attributes {{mhlo.num_replicas = 2 : i32}} {{
           func.func @main(%a: tensor<1xi64>) -> tensor<1xi64> {{
             %r = stablehlo.replica_id : tensor<ui32>
             %c = stablehlo.constant dense<0> : tensor<ui32>
             %p = stablehlo.compare EQ, %r, %c : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
             %0 = \"stablehlo.if\"(%p) ({{ {then} }}, {{ {otherwise} }}) : (tensor<i1>) -> tensor<1xi64>
             return %0 : tensor<1xi64>
           }}
         }}"
    ))
}

#[test]
fn devices_that_wait_in_vain_end() {
    let reduce = |name: &str| {
        format!(
            "%{name} = \"stablehlo.all_reduce\"(%a) {SUM} {{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}} \
             : (tensor<1xi64>) -> tensor<1xi64>
             stablehlo.return %{name} : tensor<1xi64>"
        )
    };
    let none = "stablehlo.return %a : tensor<1xi64>";
    for (then, otherwise, why) in [
        (reduce("x"), none.to_string(), "a device that others wait for is done"),
        (reduce("x"), reduce("y"), "meet at different ops"),
    ] {
        let error = run(&branches(&then, &otherwise), &[&[1], &[2]]).unwrap_err();
        assert!(error.code() == "FX0381" && error.to_string().contains(why), "{error}");
    }
    // One device has nobody to combine with.
    let graph = branches(&reduce("x"), &reduce("y"));
    let input = Tensor::from_scalars(&[1], fornax_graph::ElementType::I64, [Scalar::Int(1)]);
    assert_eq!(evaluate(&graph, "main", &[input], &Limits::default()).unwrap_err().code(), "FX0381");
    assert_eq!(run(&graph, &[&[1]]).unwrap_err().code(), "FX0384");
}
