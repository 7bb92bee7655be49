//! `send` and `recv` between devices: programs of one function for all, and of a function a device.

use fornax_graph::Graph;
use fornax_import::{ImportOptions, import_text};
use fornax_reference::{EvalError, Limits, Scalar, Tensor, evaluate, evaluate_devices, evaluate_programs};

fn import(text: &str) -> Graph {
    import_text(text, "transfer.mlir", &ImportOptions::default()).unwrap_or_else(|e| panic!("{e:?}"))
}

fn tensor(values: &[i64]) -> Tensor {
    Tensor::from_scalars(&[2], fornax_graph::ElementType::I64, values.iter().map(|&v| Scalar::Int(v.into())))
}

fn attributes(channel: u32, pairs: &str) -> String {
    let rows = pairs.matches('[').count() - 1;
    format!(
        "<{{channel_handle = #stablehlo.channel_handle<handle = {channel}, type = 1>, is_host_transfer = false, \
         source_target_pairs = dense<{pairs}> : tensor<{rows}x2xi64>}}>"
    )
}

fn send(value: &str, token: &str, (channel, pairs): (u32, &str)) -> String {
    let attributes = attributes(channel, pairs);
    format!("\"stablehlo.send\"({value}, {token}) {attributes} : (tensor<2xi64>, !stablehlo.token) -> !stablehlo.token")
}

fn recv(token: &str, (channel, pairs): (u32, &str)) -> String {
    let attributes = attributes(channel, pairs);
    format!("\"stablehlo.recv\"({token}) {attributes} : (!stablehlo.token) -> (tensor<2xi64>, !stablehlo.token)")
}

/// One function for all partitions, from `%a` to one value.
fn module(devices: u32, body: &str, result: &str) -> Graph {
    import(&format!(
        "module attributes {{mhlo.num_partitions = {devices} : i32}} {{
           func.func @main(%a: tensor<2xi64>) -> tensor<2xi64> {{
             %t = stablehlo.create_token : !stablehlo.token
             {body}
             return {result} : tensor<2xi64>
           }}
         }}"
    ))
}

fn run(graph: &Graph, inputs: &[[i64; 2]]) -> Result<Vec<Vec<i64>>, EvalError> {
    let inputs: Vec<Vec<Tensor>> = inputs.iter().map(|values| vec![tensor(values)]).collect();
    let results = evaluate_devices(graph, "main", &inputs, &Limits::default())?;
    Ok(results.iter().map(|one| one[0].ints()).collect())
}

/// Each device adds what it receives to its own, and sends the sum on; the first of the chain receives zeros.
#[test]
fn a_chain_of_devices_sums_up() {
    let pairs = (1, "[[0, 1], [1, 2]]");
    let body = format!(
        "%x:2 = {}\n %y = stablehlo.add %x#0, %a : tensor<2xi64>\n %u = {}",
        recv("%t", pairs),
        send("%y", "%x#1", pairs)
    );
    let inputs = [[1, 2], [10, 20], [100, 200], [1000, 2000]];
    let results = run(&module(4, &body, "%y"), &inputs).unwrap();
    assert_eq!(results, [[1, 2], [11, 22], [111, 222], [1000, 2000]]);
}

/// What does not depend on a `recv` is done before it, also where the program says it later.
#[test]
fn a_ring_turns_in_both_orders() {
    let ring = (3, "[[0, 1], [1, 2], [2, 0]]");
    let first = format!("%u = {}\n %x:2 = {}", send("%a", "%t", ring), recv("%u", ring));
    let last = format!("%x:2 = {}\n %u = {}", recv("%t", ring), send("%a", "%t", ring));
    for body in [first, last] {
        let results = run(&module(3, &body, "%x#0"), &[[1, 2], [3, 4], [5, 6]]).unwrap();
        assert_eq!(results, [[5, 6], [1, 2], [3, 4]]);
    }
}

#[test]
fn devices_that_wait_for_each_other_end() {
    let ring = (3, "[[0, 1], [1, 0]]");
    let body = format!("%x:2 = {}\n %u = {}", recv("%t", ring), send("%x#0", "%x#1", ring));
    let error = run(&module(2, &body, "%x#0"), &[[1, 2], [3, 4]]).unwrap_err();
    assert!(error.code() == "FX0381" && error.to_string().contains("wait for each other"), "{error}");
    // Nobody sends.
    let error = run(&module(2, &format!("%x:2 = {}", recv("%t", ring)), "%x#0"), &[[1, 2], [3, 4]]).unwrap_err();
    assert_eq!(error.code(), "FX0381", "{error}");
    // One device has nobody to meet.
    let one = evaluate(
        &module(2, &format!("%u = {}", send("%a", "%t", ring)), "%a"),
        "main",
        &[tensor(&[1, 2])],
        &Limits::default(),
    );
    assert_eq!(one.unwrap_err().code(), "FX0381");
}

fn programs(text: &str, programs: &[(&str, &[Tensor])]) -> Result<Vec<Vec<Vec<i64>>>, EvalError> {
    let graph = import(text);
    let results = evaluate_programs(&graph, programs, &Limits::default())?;
    Ok(results.iter().map(|one| one.iter().map(Tensor::ints).collect()).collect())
}

/// A device that sends twice on one channel, and one that receives twice, in this order.
#[test]
fn a_channel_keeps_its_order() {
    let at = (1, "[[0, 1]]");
    let text = format!(
        "module attributes {{mhlo.num_partitions = 2 : i32}} {{
           func.func @gives(%a: tensor<2xi64>) -> tensor<2xi64> {{
             %t = stablehlo.create_token : !stablehlo.token
             %u = {}
             %b = stablehlo.add %a, %a : tensor<2xi64>
             %v = {}
             return %b : tensor<2xi64>
           }}
           func.func @takes() -> (tensor<2xi64>, tensor<2xi64>) {{
             %t = stablehlo.create_token : !stablehlo.token
             %x:2 = {}
             %y:2 = {}
             return %x#0, %y#0 : tensor<2xi64>, tensor<2xi64>
           }}
         }}",
        send("%a", "%t", at),
        send("%b", "%u", at),
        recv("%t", at),
        recv("%x#1", at)
    );
    let input = [tensor(&[3, 5])];
    let results = programs(&text, &[("gives", &input), ("takes", &[])]).unwrap();
    assert_eq!(results, [vec![vec![6, 10]], vec![vec![3, 5], vec![6, 10]]]);
    // Two that take, and none that gives.
    assert_eq!(programs(&text, &[("takes", &[]), ("takes", &[])]).unwrap_err().code(), "FX0381");
    assert_eq!(programs(&text, &[("gives", &input)]).unwrap_err().code(), "FX0384");
}

/// Four programs at once: two channels, whose devices do not see each other.
#[test]
fn channels_do_not_mix() {
    let half = |number: u32, pairs: &str| {
        format!(
            "func.func @gives{number}(%a: tensor<2xi64>) {{
               %t = stablehlo.create_token : !stablehlo.token
               %u = {}
               return
             }}
             func.func @takes{number}() -> tensor<2xi64> {{
               %t = stablehlo.create_token : !stablehlo.token
               %x:2 = {}
               return %x#0 : tensor<2xi64>
             }}",
            send("%a", "%t", (number, pairs)),
            recv("%t", (number, pairs))
        )
    };
    let text = format!(
        "module attributes {{mhlo.num_partitions = 4 : i32}} {{ {} {} }}",
        half(1, "[[0, 1]]"),
        half(2, "[[2, 3]]")
    );
    let (one, two) = ([tensor(&[1, 2])], [tensor(&[3, 4])]);
    let all: [(&str, &[Tensor]); 4] = [("gives1", &one), ("takes1", &[]), ("gives2", &two), ("takes2", &[])];
    let results = programs(&text, &all).unwrap();
    assert_eq!((&results[1], &results[3]), (&vec![vec![1, 2]], &vec![vec![3, 4]]));
    // On the wrong devices nothing is sent or received.
    let swapped: [(&str, &[Tensor]); 4] = [("gives2", &two), ("takes2", &[]), ("gives1", &one), ("takes1", &[])];
    let results = programs(&text, &swapped).unwrap();
    assert_eq!((&results[1], &results[3]), (&vec![vec![0, 0]], &vec![vec![0, 0]]));
}

#[test]
fn transfers_with_the_host_are_refused() {
    let text = "func.func @main(%a: tensor<2xi64>) -> tensor<2xi64> {
      %t = stablehlo.create_token : !stablehlo.token
      %u = \"stablehlo.send\"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>,
          is_host_transfer = true}> : (tensor<2xi64>, !stablehlo.token) -> !stablehlo.token
      return %a : tensor<2xi64>
    }";
    let error = run(&import(text), &[[1, 2]]).unwrap_err();
    assert!(error.code() == "FX0381" && error.to_string().contains("host"), "{error}");
}
