//! Programs with transfers: expanded they give what the reference evaluator says of them as they are; what cannot run
//! has a code.

use fornax_graph::{Graph, OpKind};
use fornax_reference::{Limits, Scalar, Tensor, evaluate_devices};

use super::super::{Options, each_op, simplify};
use crate::errors::PassError;
use crate::example::{import, print, reimport};

/// `send` or `recv` of values of one type, on a channel with pairs.
fn half(name: &str, values: &[&str], token: &str, (channel, pairs): (u32, &str)) -> String {
    let types = vec!["tensor<3xf32>"; values.len().max(1)].join(", ");
    let (operands, types) = match name {
        "send" => (
            [values, &[token]].concat().join(", "),
            format!("({types}, !stablehlo.token) -> !stablehlo.token"),
        ),
        _ => (token.to_string(), format!("(!stablehlo.token) -> ({types}, !stablehlo.token)")),
    };
    let pairs = match pairs.matches('[').count() {
        0 => String::new(),
        _ => format!(", source_target_pairs = dense<{pairs}> : tensor<{}x2xi64>", pairs.matches('[').count() - 1),
    };
    format!(
        "\"stablehlo.{name}\"({operands}) <{{channel_handle = #stablehlo.channel_handle<handle = {channel}, type = 1>, \
         is_host_transfer = false{pairs}}}> : {types}"
    )
}

fn send(values: &[&str], token: &str, at: (u32, &str)) -> String {
    half("send", values, token, at)
}

/// Of one value.
fn recv(token: &str, at: (u32, &str)) -> String {
    half("recv", &[], token, at)
}

/// A module for so many partitions, from `%a` to one value.
fn module(devices: u32, body: &str, result: &str) -> String {
    format!(
        "module attributes {{mhlo.num_partitions = {devices} : i32}} {{
           func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {{
             %t = stablehlo.create_token : !stablehlo.token
             {body}
             return {result} : tensor<3xf32>
           }}
         }}"
    )
}

fn of_devices(graph: &Graph, devices: u32) -> Vec<Vec<f64>> {
    let input = |device: u32| {
        let values = (0..3).map(|at| Scalar::Float(f64::from(10 * device + at) - 7.5));
        vec![Tensor::from_scalars(&[3], fornax_graph::ElementType::F32, values)]
    };
    let inputs: Vec<Vec<Tensor>> = (0..devices).map(input).collect();
    let results = evaluate_devices(graph, "main", &inputs, &Limits::default());
    let results = results.unwrap_or_else(|error| panic!("{error}\n{}", print(graph)));
    results.iter().map(|one| one[0].scalars().into_iter().map(Scalar::as_f64).collect()).collect()
}

/// Expanded, and simplified as a whole, it gives the same; the graph after expansion.
fn same(text: &str, devices: u32) -> Graph {
    let before = import(text);
    let wanted = of_devices(&before, devices);
    let mut graph = before.clone();
    assert!(super::run(&mut graph, &Options::default()).unwrap_or_else(|error| panic!("{error}\n{text}")));
    reimport(&graph);
    assert_eq!(of_devices(&graph, devices), wanted, "{}", print(&graph));
    assert!(!super::run(&mut graph, &Options::default()).unwrap(), "{}", print(&graph));
    let mut whole = before;
    simplify(&mut whole, &Options::default()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(of_devices(&whole, devices), wanted, "{}", print(&whole));
    graph
}

fn count(graph: &Graph, kind: OpKind) -> usize {
    let mut count = 0;
    each_op(graph, &mut |id| count += usize::from(graph.op(id).kind == kind));
    count
}

fn error(text: &str) -> PassError {
    match simplify(&mut import(text), &Options::default()) {
        Err(error) => error,
        Ok(_) => panic!("no error in\n{text}"),
    }
}

/// Pairs of a chain of devices.
fn chain(devices: u32) -> String {
    let pairs: Vec<String> = (1..devices).map(|to| format!("[{}, {to}]", to - 1)).collect();
    format!("[{}]", pairs.join(", "))
}

/// `x -> sine(x) + a`, received and sent on.
fn pipeline(devices: u32, pairs: &str, result: &str) -> String {
    let (receive, send) = (recv("%t", (1, pairs)), send(&["%y"], "%x#1", (1, pairs)));
    let body = format!("%x:2 = {receive}\n %s = stablehlo.sine %x#0 : tensor<3xf32>\n %y = stablehlo.add %s, %a : \
                        tensor<3xf32>\n %u = {send}");
    module(devices, &body, result)
}

#[test]
fn a_pipeline_computes_its_stage_once_a_level() {
    for devices in [2, 3, 5, 8] {
        for (result, stages) in [("%y", devices), ("%x#0", devices - 1)] {
            let graph = same(&pipeline(devices, &chain(devices), result), devices);
            let sines = (devices as usize - 1, stages as usize);
            assert_eq!((count(&graph, OpKind::CollectivePermute), count(&graph, OpKind::Sine)), sines);
        }
    }
}

#[test]
fn pairs_may_be_trees_apart_and_out_of_order() {
    // Two chains, one device alone.
    same(&pipeline(6, "[[4, 1], [2, 3], [1, 5]]", "%y"), 6);
    same(&pipeline(4, "[[3, 2], [2, 1], [1, 0]]", "%y"), 4);
    same(&pipeline(3, "[[2, 0]]", "%x#0"), 3);
}

#[test]
fn what_is_received_may_be_sent_on_as_it_is() {
    let pairs = chain(4);
    let body = format!("%x:2 = {}\n %u = {}", recv("%t", (1, &pairs)), send(&["%x#0"], "%x#1", (1, &pairs)));
    same(&module(4, &body, "%x#0"), 4);
    // Beside something else that is sent.
    let pair = half("recv", &["%a", "%a"], "%t", (1, &pairs));
    let body = format!("%x:3 = {pair}\n %u = {}\n %r = stablehlo.add %x#0, %x#1 : tensor<3xf32>",
        send(&["%x#1", "%a"], "%x#2", (1, &pairs)));
    same(&module(4, &body, "%r"), 4);
}

/// A ring: what is sent does not depend on what is received, whichever of both the program says first.
#[test]
fn a_ring_is_one_permute_in_both_orders() {
    let ring = (3, "[[0, 1], [1, 2], [2, 3], [3, 0]]");
    let first = format!("%u = {}\n %x:2 = {}", send(&["%a"], "%t", ring), recv("%u", ring));
    let last = format!("%x:2 = {}\n %c = stablehlo.cosine %x#0 : tensor<3xf32>\n %n = stablehlo.negate %a : \
                        tensor<3xf32>\n %u = {}", recv("%t", ring), send(&["%n"], "%t", ring));
    for (body, result) in [(first, "%x#0"), (last, "%c")] {
        let graph = same(&module(4, &body, result), 4);
        assert_eq!((count(&graph, OpKind::CollectivePermute), count(&graph, OpKind::If)), (1, 0));
    }
}

/// Two channels that go the same way, each sent from both; a third one back, whose stage reads what the first two make.
#[test]
fn channels_that_depend_on_one_another_are_expanded_together() {
    let (there, back) = ("[[0, 1], [1, 2]]", "[[2, 1], [1, 0]]");
    let body = format!(
        "%x:2 = {}
         %m:2 = {}
         %p = stablehlo.add %x#0, %a : tensor<3xf32>
         %q = stablehlo.multiply %p, %m#0 : tensor<3xf32>
         %r = stablehlo.subtract %a, %m#0 : tensor<3xf32>
         %u = {}
         %v = {}
         %g:2 = {}
         %h = stablehlo.add %g#0, %q : tensor<3xf32>
         %w = {}",
        recv("%t", (1, there)),
        recv("%x#1", (2, there)),
        send(&["%q"], "%m#1", (1, there)),
        send(&["%r"], "%u", (2, there)),
        recv("%v", (9, back)),
        send(&["%h"], "%g#1", (9, back)),
    );
    same(&module(3, &body, "%h"), 3);
    // A device that is reached by two ways, of unlike lengths.
    let (short, long) = ("[[0, 3]]", "[[0, 1], [1, 2], [2, 3]]");
    let body = format!(
        "%x:2 = {}
         %m:2 = {}
         %p = stablehlo.add %x#0, %m#0 : tensor<3xf32>
         %q = stablehlo.add %p, %a : tensor<3xf32>
         %u = {}
         %v = {}",
        recv("%t", (1, short)),
        recv("%t", (2, long)),
        send(&["%q"], "%x#1", (1, short)),
        send(&["%q"], "%m#1", (2, long)),
    );
    same(&module(4, &body, "%p"), 4);
}

/// Two stages of two devices, which sum within the stage: all meet at each level.
#[test]
fn a_stage_may_have_collectives_of_its_own_devices() {
    let pairs = "[[0, 2], [1, 3]]";
    let sum = |groups: &str| {
        format!(
            "%s = \"stablehlo.all_reduce\"(%x#0) <{{channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>, \
             replica_groups = dense<{groups}> : tensor<2x2xi64>, use_global_device_ids}}> ({{
             ^bb0(%p: tensor<f32>, %q: tensor<f32>):
               %r = stablehlo.add %p, %q : tensor<f32>
               stablehlo.return %r : tensor<f32>
             }}) : (tensor<3xf32>) -> tensor<3xf32>"
        )
    };
    let text = |groups: &str| {
        let body = format!("%x:2 = {}\n {}\n %y = stablehlo.add %s, %a : tensor<3xf32>\n %u = {}",
            recv("%t", (1, pairs)), sum(groups), send(&["%y"], "%x#1", (1, pairs)));
        module(4, &body, "%y")
    };
    let graph = same(&text("[[0, 1], [2, 3]]"), 4);
    assert_eq!((count(&graph, OpKind::AllReduce), count(&graph, OpKind::If)), (2, 0));
    // A sum over both stages waits for itself.
    let refused = error(&text("[[0, 2], [1, 3]]"));
    assert!(refused.code() == "FX0309" && refused.to_string().contains("collective"), "{refused}");
}

/// A stage with a loop in it, a channel in a loop, and one in a branch that all devices take.
#[test]
fn transfers_in_loops_and_branches() {
    let pairs = chain(3);
    let stage = format!(
        "%x:2 = {}
         %s = stablehlo.sine %x#0 : tensor<3xf32>
         %y = stablehlo.add %s, %v : tensor<3xf32>
         %u = {}",
        recv("%k", (1, &pairs)),
        send(&["%y"], "%x#1", (1, &pairs))
    );
    let body = format!(
        "%zero = stablehlo.constant dense<0> : tensor<i32>
         %one = stablehlo.constant dense<1> : tensor<i32>
         %last = stablehlo.constant dense<4> : tensor<i32>
         %w:3 = stablehlo.while(%n = %zero, %v = %a, %k = %t) : tensor<i32>, tensor<3xf32>, !stablehlo.token cond {{
           %c = stablehlo.compare LT, %n, %last : (tensor<i32>, tensor<i32>) -> tensor<i1>
           stablehlo.return %c : tensor<i1>
         }} do {{
           {stage}
           %m = stablehlo.add %n, %one : tensor<i32>
           stablehlo.return %m, %y, %u : tensor<i32>, tensor<3xf32>, !stablehlo.token
         }}"
    );
    same(&module(3, &body, "%w#1"), 3);
    let inner = "%zero = stablehlo.constant dense<0> : tensor<i32>
         %one = stablehlo.constant dense<1> : tensor<i32>
         %last = stablehlo.constant dense<4> : tensor<i32>
         %w:2 = stablehlo.while(%n = %zero, %v = %x#0) : tensor<i32>, tensor<3xf32> cond {
           %c = stablehlo.compare LT, %n, %last : (tensor<i32>, tensor<i32>) -> tensor<i1>
           stablehlo.return %c : tensor<i1>
         } do {
           %m = stablehlo.add %n, %one : tensor<i32>
           %d = stablehlo.cosine %v : tensor<3xf32>
           %e = stablehlo.add %d, %a : tensor<3xf32>
           stablehlo.return %m, %e : tensor<i32>, tensor<3xf32>
         }";
    let body = format!("%x:2 = {}\n {inner}\n %u = {}", recv("%t", (1, &pairs)), send(&["%w#1"], "%x#1", (1, &pairs)));
    same(&module(3, &body, "%w#1"), 3);
    let body = format!(
        "%zero = stablehlo.constant dense<0.0> : tensor<f32>
         %c = stablehlo.compare EQ, %zero, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
         %r = \"stablehlo.if\"(%c) ({{
           %k = stablehlo.create_token : !stablehlo.token
           %v = stablehlo.negate %a : tensor<3xf32>
           {stage}
           stablehlo.return %y : tensor<3xf32>
         }}, {{
           stablehlo.return %a : tensor<3xf32>
         }}) : (tensor<i1>) -> tensor<3xf32>"
    );
    same(&module(3, &body, "%r"), 3);
}

#[test]
fn halves_that_do_not_fit_have_a_code() {
    let pairs = "[[0, 1]]";
    let (s, r) = (|at| send(&["%a"], "%t", at), |at| recv("%t", at));
    let two_values = half("recv", &["%a", "%a"], "%t", (1, pairs));
    let other_type = r((1, pairs)).replace("(tensor<3xf32>", "(tensor<4xf32>");
    let cases = [
        (format!("%u = {}", s((1, pairs))), "has no `recv`"),
        (format!("%x:2 = {}", r((1, pairs))), "has no `send`"),
        (format!("%u = {}\n %v = {}\n %x:2 = {}", s((1, pairs)), s((1, pairs)), r((1, pairs))), "second `send`"),
        (format!("%u = {}\n %x:2 = {}\n %y:2 = {}", s((1, pairs)), r((1, pairs)), r((1, pairs))), "second `recv`"),
        (format!("%u = {}\n %x:2 = {}", s((1, pairs)), r((2, pairs))), "has no `recv`"),
        (format!("%u = {}\n %x:3 = {two_values}", s((1, pairs))), "has 2 values"),
        (format!("%u = {}\n %x:2 = {other_type}", s((1, pairs))), "tensor<4xf32>"),
        (format!("%u = {}\n %x:2 = {}", s((1, pairs)), r((1, "[[1, 0]]"))), "other pairs"),
        (format!("%u = {}\n %x:2 = {}", s((1, "")), r((1, ""))), "write `source_target_pairs"),
        (format!("%u = {}\n %x:2 = {}", s((1, "[[0, 2]]")), r((1, "[[0, 2]]"))), "names 2"),
        // Channel 0 names replicas, of which there is one.
        (format!("%u = {}\n %x:2 = {}", s((0, pairs)), r((0, pairs))), "above 0"),
    ];
    for (body, wanted) in cases {
        let error = error(&module(2, &body, "%a"));
        let text = error.to_string();
        let is_placed = text.contains("example.mlir:");
        assert!(error.code() == "FX0308" && text.contains(wanted) && is_placed, "{wanted}: {text}");
    }
    // The pairs of one half are those of both.
    for (of_send, of_recv) in [(pairs, ""), ("", pairs)] {
        let body = format!("%u = {}\n %x:2 = {}", s((1, of_send)), r((1, of_recv)));
        let mut graph = import(&module(2, &body, "%x#0"));
        simplify(&mut graph, &Options::default()).unwrap();
        assert!(print(&graph).contains("groups = [array<i64: 0, 1>], kind = \"permute\""), "{}", print(&graph));
    }
}

#[test]
fn halves_in_different_blocks_have_a_code() {
    let at = (4, "[[0, 1]]");
    let body = format!(
        "%zero = stablehlo.constant dense<0.0> : tensor<f32>
         %c = stablehlo.compare EQ, %zero, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
         %r = \"stablehlo.if\"(%c) ({{
           %u = {}
           stablehlo.return %a : tensor<3xf32>
         }}, {{
           stablehlo.return %a : tensor<3xf32>
         }}) : (tensor<i1>) -> tensor<3xf32>
         %x:2 = {}",
        send(&["%a"], "%t", at),
        recv("%t", at)
    );
    let error = error(&module(2, &body, "%x#0"));
    assert!(error.code() == "FX0308" && error.to_string().contains("different blocks"), "{error}");
}

#[test]
fn cycles_of_waiting_devices_have_a_code() {
    let refused = |text: &str, wanted: &[&str]| {
        let error = error(text);
        let message = error.to_string();
        assert!(error.code() == "FX0309" && wanted.iter().all(|part| message.contains(part)), "{message}");
    };
    let ring = "[[0, 1], [1, 2], [2, 0]]";
    refused(&pipeline(3, ring, "%y"), &["device 1 waits for device 0 on channel 1", "device 0 waits for device 2"]);
    refused(&pipeline(2, "[[1, 1]]", "%y"), &["device 1 waits for device 1"]);
    // The token alone says that what is received comes first.
    let body = format!("%x:2 = {}\n %u = {}", recv("%t", (5, ring)), send(&["%a"], "%x#1", (5, ring)));
    refused(&module(3, &body, "%x#0"), &["on channel 5"]);
    // Through two channels.
    let body = format!(
        "%x:2 = {}\n %m:2 = {}\n %u = {}\n %v = {}",
        recv("%t", (1, "[[0, 1]]")),
        recv("%t", (2, "[[1, 0]]")),
        send(&["%m#0"], "%t", (1, "[[0, 1]]")),
        send(&["%x#0"], "%t", (2, "[[1, 0]]")),
    );
    refused(&module(2, &body, "%x#0"), &["on channel 1", "on channel 2"]);
}

/// No device would wait for ever, but no one order of levels does for both channels.
#[test]
fn channels_whose_pairs_make_a_cycle_together_are_refused() {
    let body = format!(
        "%x:2 = {}\n %m:2 = {}\n %u = {}\n %v = {}",
        recv("%t", (1, "[[0, 1], [2, 3]]")),
        recv("%t", (2, "[[1, 2], [3, 0]]")),
        send(&["%m#0"], "%t", (1, "[[0, 1], [2, 3]]")),
        send(&["%x#0"], "%t", (2, "[[1, 2], [3, 0]]")),
    );
    // All four wait in a cycle.
    assert_eq!(error(&module(4, &body, "%x#0")).code(), "FX0309");
    // Each channel's value crosses to the other one on its way, and ends.
    let body = format!(
        "%x:2 = {}\n %m:2 = {}\n %s = stablehlo.add %x#0, %m#0 : tensor<3xf32>\n %u = {}\n %v = {}",
        recv("%t", (1, "[[0, 1]]")),
        recv("%t", (2, "[[1, 2], [2, 0]]")),
        send(&["%m#0"], "%t", (1, "[[0, 1]]")),
        send(&["%x#0"], "%t", (2, "[[1, 2], [2, 0]]")),
    );
    let refused = error(&module(3, &body, "%s"));
    assert!(refused.code() == "FX0301" && refused.to_string().contains("channels 1, 2"), "{refused}");
}

#[test]
fn transfers_with_the_host_say_what_to_do() {
    let host = |name: &str, kind: u32| {
        let types = match name {
            "send" => "(tensor<3xf32>, !stablehlo.token) -> !stablehlo.token",
            _ => "(!stablehlo.token) -> (tensor<3xf32>, !stablehlo.token)",
        };
        let (results, operands) = if name == "send" { ("%u", "%a, %t") } else { ("%x:2", "%t") };
        format!(
            "{results} = \"stablehlo.{name}\"({operands}) <{{channel_handle = #stablehlo.channel_handle<handle = 1, \
             type = {kind}>, is_host_transfer = true}}> : {types}"
        )
    };
    let infeed = "%x:2 = \"stablehlo.infeed\"(%t) <{infeed_config = \"\"}> : (!stablehlo.token) -> \
                  (tensor<3xf32>, !stablehlo.token)";
    let outfeed = "%u = \"stablehlo.outfeed\"(%a, %t) <{outfeed_config = \"\"}> : (tensor<3xf32>, !stablehlo.token) \
                   -> !stablehlo.token";
    for (body, wanted) in [
        (host("send", 2), "results of the function"),
        (host("recv", 3), "arguments of the function"),
        (infeed.to_string(), "arguments of the function"),
        (outfeed.to_string(), "results of the function"),
    ] {
        let error = error(&module(1, &body, "%a"));
        assert!(error.code() == "FX0301" && error.to_string().contains(wanted), "{error}");
    }
}
