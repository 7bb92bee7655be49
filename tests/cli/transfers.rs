//! `send` and `recv` between devices that share the processor, threads and processes, and programs that cannot run.

use std::path::Path;
use std::time::Duration;

use fornax_tests::{ONE_CPU, Run, fornax, fornax_with};

/// A run that hangs is ended.
const LIMIT: Duration = Duration::from_secs(60);

/// `send` or `recv` of a value of a type.
fn half(name: &str, operands: &str, ty: &str, (channel, pairs): (u32, &str)) -> String {
    let types = match name {
        "send" => format!("(tensor<{ty}>, !stablehlo.token) -> !stablehlo.token"),
        _ => format!("(!stablehlo.token) -> (tensor<{ty}>, !stablehlo.token)"),
    };
    let rows = pairs.matches('[').count() - 1;
    format!(
        "\"stablehlo.{name}\"({operands}) <{{channel_handle = #stablehlo.channel_handle<handle = {channel}, type = 1>, \
         is_host_transfer = false, source_target_pairs = dense<{pairs}> : tensor<{rows}x2xi64>}}> : {types}"
    )
}

/// A module for so many partitions: `%a` of a type to `result`.
fn module(devices: u32, ty: &str, body: &str, result: &str) -> String {
    format!(
        "module attributes {{mhlo.num_partitions = {devices} : i32}} {{
           func.func public @main(%a: tensor<{ty}>) -> tensor<{ty}> {{
             %t = stablehlo.create_token : !stablehlo.token
             {body}
             return {result} : tensor<{ty}>
           }}
         }}"
    )
}

/// Each device of a chain combines what it receives with its own, and sends that on.
pub fn chain(devices: u32, ty: &str, combine: &str) -> String {
    let pairs: Vec<String> = (1..devices).map(|to| format!("[{}, {to}]", to - 1)).collect();
    let at = (1, format!("[{}]", pairs.join(", ")));
    let at = (at.0, at.1.as_str());
    let body = format!(
        "%x:2 = {}\n %y = stablehlo.{combine} %x#0, %a : tensor<{ty}>\n %u = {}",
        half("recv", "%t", ty, at),
        half("send", "%y, %x#1", ty, at)
    );
    module(devices, ty, &body, "%y")
}

/// The same in a loop of so many rounds, whose value is that of the last one.
pub fn chain_in_a_loop(devices: u32, rounds: &str) -> String {
    let text = chain(devices, "4xf32", "add");
    let (head, rest) = text.split_once("%x:2").unwrap();
    let (body, tail) = rest.split_once("return").unwrap();
    let body = body.replace("%a ", "%v ").replace("(%t)", "(%k)");
    format!(
        "{head} %zero = stablehlo.constant dense<0> : tensor<i32>
         %one = stablehlo.constant dense<1> : tensor<i32>
         {rounds}
         %w:3 = stablehlo.while(%n = %zero, %v = %a, %k = %t) : tensor<i32>, tensor<4xf32>, !stablehlo.token cond {{
           %c = stablehlo.compare LT, %n, %last : (tensor<i32>, tensor<i32>) -> tensor<i1>
           stablehlo.return %c : tensor<i1>
         }} do {{
           %x:2{body}
           %m = stablehlo.add %n, %one : tensor<i32>
           stablehlo.return %m, %y, %u : tensor<i32>, tensor<4xf32>, !stablehlo.token
         }}
         return{}",
        tail.replace("%y", "%w#1")
    )
}

fn compile(folder: &Path, text: &str) -> Run {
    std::fs::write(folder.join("m.mlir"), text).unwrap();
    fornax_with(folder, &["compile", "--quiet", "--jobs=1", ONE_CPU, "m.mlir", "-o", "m.fnx"], &[], LIMIT)
}

/// Runs the module on inputs and expected outputs a device.
fn right(folder: &Path, devices: u32, ty: &str, values: &dyn Fn(u32) -> (String, String)) {
    for device in 0..devices {
        let (input, output) = values(device);
        for (name, text) in [("i", input), ("o", output)] {
            let write = [format!("--input={ty}={text}"), format!("--output=@{name}{device}.npy")];
            fornax(folder, &["run-module", "--module=copy.fnx", &write[0], &write[1]]).ok();
        }
    }
    let range = format!("--devices=cpu:0-{}", devices - 1);
    let flags = ["run-module", "--module=m.fnx", &range, "--input=@i{device}.npy", "--expected-output=@o{device}.npy"];
    fornax_with(folder, &flags, &[], LIMIT).ok();
}

/// A module that gives back what it gets, to write files of values.
fn copying(folder: &Path, ty: &str) {
    let text = format!("func.func public @main(%a: tensor<{ty}>) -> tensor<{ty}> {{ return %a : tensor<{ty}> }}");
    std::fs::write(folder.join("copy.mlir"), text).unwrap();
    fornax(folder, &["compile", "--quiet", "--jobs=1", ONE_CPU, "copy.mlir", "-o", "copy.fnx"]).ok();
}

#[test]
fn a_chain_sums_up_on_two_four_and_eight_devices() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    // Types, odd shapes, one without elements; values that each type has exactly.
    let cases = [
        ("3x5xf32", "add", 15),
        ("f64", "add", 1),
        ("7xbf16", "add", 7),
        ("1x3x1xf16", "add", 3),
        ("5xi8", "add", 5),
        ("2x3xui16", "add", 6),
        ("9xi64", "add", 9),
        ("0x4xf32", "add", 0),
        ("3xi1", "xor", 3),
        ("2xcomplex<f32>", "add", 2),
    ];
    for (at, (ty, combine, elements)) in cases.into_iter().enumerate() {
        let devices = [2, 4, 8][at % 3];
        copying(dir, ty);
        compile(dir, &chain(devices, ty, combine)).ok();
        let number = |value: u32| match ty {
            "3xi1" => (value % 2).to_string(),
            _ if ty.contains("complex") => format!("({value},{value})"),
            _ => value.to_string(),
        };
        let list = |of: &dyn Fn(u32) -> u32| (0..elements).map(|at| number(of(at))).collect::<Vec<_>>().join(" ");
        right(dir, devices, ty, &|device| {
            let sum = |at: u32| (0..=device).map(|device| device + at % 3).sum();
            (list(&|at| device + at % 3), list(&sum))
        });
    }
}

/// Every round of the loop goes down the chain: after `n` rounds device `d` has the sum of paths.
#[test]
fn a_chain_in_a_loop_runs_round_after_round() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    copying(dir, "4xf32");
    for devices in [2, 4, 8] {
        compile(dir, &chain_in_a_loop(devices, "%last = stablehlo.constant dense<3> : tensor<i32>")).ok();
        let mut values: Vec<u32> = (0..devices).map(|device| device + 1).collect();
        for _ in 0..3 {
            for device in 1..values.len() {
                values[device] += values[device - 1];
            }
        }
        let text = |value: u32| vec![value.to_string(); 4].join(" ");
        right(dir, devices, "4xf32", &|device| (text(device + 1), text(values[device as usize])));
    }
}

/// `inspect` lists them as it lists collectives; the schedule shows that devices meet in twos.
#[test]
fn inspect_shows_what_is_sent() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    compile(dir, &chain(3, "16x4xf32", "add")).ok();
    let text = fornax(dir, &["inspect", "m.fnx"]).ok().stdout;
    assert!(text.contains("collective permute f32, 1 group(s) of 2: 256 bytes a device -> 256, 2 times"), "{text}");
    let text = fornax(dir, &["compile", "--quiet", ONE_CPU, "--compile-to=schedule", "m.mlir"]).ok().stdout;
    assert!(text.contains("permute f32 [[0, 1]]") && text.contains("permute f32 [[1, 2]]"), "{text}");
}

/// The loop of device 1 has one round less: device 0 waits for it, and is told.
#[test]
fn a_device_that_does_not_come_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let rounds = "%id = stablehlo.partition_id : tensor<ui32>
         %number = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
         %all = stablehlo.constant dense<3> : tensor<i32>
         %last = stablehlo.subtract %all, %number : tensor<i32>";
    compile(dir, &chain_in_a_loop(2, rounds)).ok();
    let flags = ["run-module", "--module=m.fnx", "--devices=cpu:0-1", "--input=4xf32=1", "--collective-timeout=2"];
    let error = fornax_with(dir, &flags, &[], LIMIT).fails(3, "FX0727").stderr;
    assert!(error.contains("device 1"), "{error}");
}

/// Halves that do not fit, cycles of devices, and what the verifier finds: a code and the line, never a panic or a
/// hang.
#[test]
fn broken_programs_have_a_code_and_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let (ty, pair) = ("2xf32", (1, "[[0, 1]]"));
    let send = |at| format!("%u = {}", half("send", "%a, %t", ty, at));
    let recv = |at| format!("%x:2 = {}", half("recv", "%t", ty, at));
    let both = format!("{}\n{}", send(pair), recv(pair));
    let ring = (1, "[[0, 1], [1, 0]]");
    let cases = [
        (send(pair), "FX0308"),
        (recv(pair), "FX0308"),
        (format!("{}\n{both}", send(pair).replace("%u", "%v")), "FX0308"),
        (format!("{}\n{}", send(pair), recv((2, pair.1))), "FX0308"),
        (format!("{}\n{}", send(pair), recv((1, "[[1, 0]]"))), "FX0308"),
        (both.replace("[[0, 1]]", "[[0, 7]]"), "FX0308"),
        (both.replace(", source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>", ""), "FX0308"),
        (format!("{}\n%u = {}", recv(ring), half("send", "%x#0, %x#1", ty, ring)), "FX0309"),
        (format!("{}\n{}", send((1, "[[0, 1], [1, 1]]")), recv((1, "[[0, 1], [1, 1]]"))), "FX0205"),
        (format!("{}\n{}", send((1, "[[0, 0], [0, 1]]")), recv((1, "[[0, 0], [0, 1]]"))), "FX0205"),
        (both.replace("[[0, 1]]", "[[0, -1]]"), "FX0205"),
        (both.replace("type = 1", "type = 2"), "FX0205"),
        (both.replace("is_host_transfer = false", "is_host_transfer = true"), "FX0205"),
        (both.replace("false", "true").replacen("type = 1", "type = 2", 1).replace("type = 1", "type = 3"), "FX0301"),
    ];
    for (body, code) in cases {
        let error = compile(dir, &module(2, ty, &body, "%a")).fails(1, code).stderr;
        assert!(error.contains("m.mlir:"), "{body}\n{error}");
    }
    // Alone, a device may send to itself what it does not wait for.
    let own = (1, "[[0, 0]]");
    compile(dir, &module(1, ty, &format!("{}\n{}", send(own), recv(own)), "%x#0")).ok();
    let run = ["run-module", "--module=m.fnx", "--input=2xf32=3 4", "--expected-output=2xf32=3 4"];
    fornax_with(dir, &run, &[], LIMIT).ok();
}
