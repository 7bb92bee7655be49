//! Collectives as the model writes them and as `fornax.collective` compute the same on every device, bit for bit.

use fornax_graph::{ElementType, Graph};
use fornax_import::{ImportOptions, import_text};
use fornax_passes::simplify::{Options, simplify};
use fornax_reference::{Limits, Scalar, Tensor, evaluate_devices};

const DEVICES: usize = 4;
const CHANNEL: &str = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>";

fn import(text: &str) -> Graph {
    import_text(text, "collective.mlir", &ImportOptions::default()).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

/// Small whole numbers that differ from device to device, so that sums are exact in every type.
fn inputs(graph: &Graph) -> Vec<Vec<Tensor>> {
    let entry = graph.entry(graph.function("main").expect("main")).expect("a body");
    let types: Vec<_> =
        graph.block(entry).arguments.iter().map(|&v| graph.ty(v).as_tensor().expect("a tensor")).collect();
    let tensor = |device: usize, ty: &&fornax_graph::TensorType| {
        let shape: Vec<usize> = ty.static_shape().expect("static").iter().map(|&n| n as usize).collect();
        let count: usize = shape.iter().product();
        let value = |at: usize| match ty.element {
            ElementType::I1 => Scalar::Bool((at + device).is_multiple_of(3)),
            element if element.is_complex() => {
                Scalar::Complex(fornax_reference::Complex { re: (at % 5) as f64, im: device as f64 })
            }
            element if element.is_float() => Scalar::Float(((at * 3 + device * 5) % 7) as f64 - 2.0),
            _ => Scalar::Int(((at * 3 + device * 5) % 4) as i128),
        };
        Tensor::from_scalars(&shape, ty.element, (0..count).map(value))
    };
    (0..DEVICES).map(|device| types.iter().map(|ty| tensor(device, ty)).collect()).collect()
}

fn evaluate(graph: &Graph, inputs: &[Vec<Tensor>]) -> Vec<Vec<Tensor>> {
    evaluate_devices(graph, "main", inputs, &Limits::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// Compares a model with what `simplify` makes of it.
fn check(body: &str, from: &str, to: &str, (replicas, partitions): (usize, usize)) {
    let text = format!(
        "module attributes {{mhlo.num_replicas = {replicas} : i32, mhlo.num_partitions = {partitions} : i32}} {{
           func.func @main(%a: tensor<{from}>) -> tensor<{to}> {{
             {body}
             return %0 : tensor<{to}>
           }}
         }}"
    );
    let mut graph = import(&text);
    let inputs = inputs(&graph);
    let wanted = evaluate(&graph, &inputs);
    simplify(&mut graph, &Options::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let printed = fornax_graph::print(&graph);
    for kind in ["all_reduce", "all_gather", "reduce_scatter", "all_to_all", "collective_permute"] {
        assert!(!printed.contains(&format!("stablehlo.{kind}")), "{printed}");
    }
    // Complex values are pairs at the edges now.
    let bytes = |all: Vec<Vec<Tensor>>| all.into_iter().flatten().map(|t| t.bytes).collect::<Vec<_>>();
    let given: Vec<Vec<Tensor>> = match from.contains("complex") {
        false => inputs,
        true => inputs.iter().map(|one| one.iter().map(as_pairs).collect()).collect(),
    };
    assert_eq!(bytes(evaluate(&graph, &given)), bytes(wanted), "{text}\n{printed}");
}

fn as_pairs(tensor: &Tensor) -> Tensor {
    let mut ty = tensor.ty.with_element(tensor.ty.element.complex_part());
    ty.shape.push(fornax_graph::Dim::Static(2));
    Tensor::new(ty, tensor.bytes.clone()).expect("as many bytes")
}

fn groups(text: &str, rows: usize, columns: usize) -> String {
    format!("replica_groups = dense<{text}> : tensor<{rows}x{columns}xi64>")
}

fn region(op: &str, element: &str) -> String {
    format!(
        "({{ ^bb0(%x: tensor<{element}>, %y: tensor<{element}>):
              %s = stablehlo.{op} %x, %y : tensor<{element}>
              stablehlo.return %s : tensor<{element}> }})"
    )
}

#[test]
fn moves_along_every_dimension() {
    let pairs = groups("[[0, 2], [3, 1]]", 2, 2);
    for element in ["f32", "i8", "i1", "complex<f32>", "f8E4M3FN", "i4"] {
        for dim in 0..3 {
            let mut shape = [2, 4, 2];
            shape[dim] *= 2;
            let to = format!("{}x{}x{}x{element}", shape[0], shape[1], shape[2]);
            let from = format!("2x4x2x{element}");
            let gather = format!(
                "%0 = \"stablehlo.all_gather\"(%a) {{all_gather_dim = {dim} : i64, {pairs}, {CHANNEL}, \
                 use_global_device_ids}} : (tensor<{from}>) -> tensor<{to}>"
            );
            check(&gather, &from, &to, (1, 4));
            let split = (dim + 1) % 3;
            let mut shape = [2, 4, 2];
            shape[split] /= 2;
            shape[dim] *= 2;
            let to = format!("{}x{}x{}x{element}", shape[0], shape[1], shape[2]);
            let exchange = format!(
                "%0 = \"stablehlo.all_to_all\"(%a) {{split_dimension = {split} : i64, concat_dimension = {dim} : i64, \
                 split_count = 2 : i64, {pairs}}} : (tensor<{from}>) -> tensor<{to}>"
            );
            check(&exchange, &from, &to, (4, 1));
        }
        let from = format!("3x{element}");
        let permute = format!(
            "%0 = \"stablehlo.collective_permute\"(%a) {{source_target_pairs = dense<[[0, 1], [1, 0]]> : \
             tensor<2x2xi64>, {CHANNEL}}} : (tensor<{from}>) -> tensor<{from}>"
        );
        check(&permute, &from, &from, (2, 2));
        let broadcast = format!(
            "%0 = \"stablehlo.collective_broadcast\"(%a) {{{}}} : (tensor<{from}>) -> tensor<{from}>",
            groups("[[3, 1]]", 1, 2)
        );
        check(&broadcast, &from, &from, (4, 1));
    }
}

#[test]
fn reductions_of_every_type() {
    let all = groups("[[2, 0, 1, 3]]", 1, 4);
    for (op, elements) in [
        ("add", &["f32", "bf16", "f16", "f64", "i8", "ui16", "i64", "i1", "complex<f64>", "f8E5M2", "i4"][..]),
        ("multiply", &["f32", "i32", "complex<f32>", "i1"]),
        ("maximum", &["f32", "bf16", "ui8", "i64", "i1"]),
        ("minimum", &["f64", "i16"]),
        ("and", &["i1", "i32"]),
        ("or", &["i1", "ui64"]),
        ("xor", &["i32", "i1"]),
    ] {
        for element in elements {
            let region = region(op, element);
            for shape in ["", "5x", "8x3x"] {
                let ty = format!("{shape}{element}");
                let reduce =
                    format!("%0 = \"stablehlo.all_reduce\"(%a) {region} {{{all}}} : (tensor<{ty}>) -> tensor<{ty}>");
                check(&reduce, &ty, &ty, (4, 1));
            }
            for (dim, to) in [(0, "2x4x"), (1, "8x1x")] {
                let (from, to) = (format!("8x4x{element}"), format!("{to}{element}"));
                let scatter = format!(
                    "%0 = \"stablehlo.reduce_scatter\"(%a) {region} {{scatter_dimension = {dim} : i64, {all}}} \
                     : (tensor<{from}>) -> tensor<{to}>"
                );
                check(&scatter, &from, &to, (4, 1));
            }
        }
    }
}

/// The region is no single op; its types are wider than the operand's; groups have unlike sizes.
#[test]
fn other_forms() {
    let body = "%0 = \"stablehlo.all_reduce\"(%a) ({
        ^bb0(%x: tensor<f32>, %y: tensor<f32>):
          %m = stablehlo.multiply %x, %y : tensor<f32>
          %s = stablehlo.add %m, %x : tensor<f32>
          stablehlo.return %s : tensor<f32>
      }) {replica_groups = dense<[[3, 1, 0, 2]]> : tensor<1x4xi64>} : (tensor<4xf32>) -> tensor<4xf32>";
    check(body, "4xf32", "4xf32", (4, 1));
    let wide = format!(
        "%0 = \"stablehlo.all_reduce\"(%a) {} {{{}}} : (tensor<4xbf16>) -> tensor<4xf32>",
        region("add", "f32"),
        groups("[[0, 1, 2, 3]]", 1, 4)
    );
    check(&wide, "4xbf16", "4xf32", (4, 1));
    let ty = "tensor<4xi32>";
    let uneven = format!(
        "%0 = \"stablehlo.all_reduce\"(%a) {} {{{}, {CHANNEL}, use_global_device_ids}} : ({ty}) -> {ty}",
        region("add", "i32"),
        groups("[[0, 1, 2], [3, -1, -1]]", 2, 3)
    );
    check(&uneven, "4xi32", "4xi32", (2, 2));
    let several = format!(
        "%1:2 = \"stablehlo.all_reduce\"(%a, %a) {} {{{}}} : ({ty}, {ty}) -> ({ty}, {ty})
         %0 = stablehlo.subtract %1#0, %1#1 : {ty}",
        region("add", "i32"),
        groups("[[0, 1], [2, 3]]", 2, 2)
    );
    check(&several, "4xi32", "4xi32", (4, 1));
}
