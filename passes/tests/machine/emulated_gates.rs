//! Several products in a kernel, in the emulator: what is combined of them, and every way that a tuner may choose.

use super::emulated_models::{emulate, emulate_ways};
use super::{import, main_function, planned};

const DEVICES: &[&str] = &["cuda:sm_60", "cuda:sm_75", "cuda:sm_80", "cuda:sm_90a"];

/// Every device's choice, of which one at least has several products; and every way of two.
fn everywhere(name: &str, text: &str) {
    let graph = import(text);
    let heroes = |device: &str| {
        let kernels = planned(&graph, device).1.kernels;
        kernels.iter().map(|plan| plan.body.hero()).collect::<Vec<_>>()
    };
    assert!(heroes("cuda:sm_90a").contains(&"products"), "{name}: {:?}", heroes("cuda:sm_90a"));
    emulate(name, text, DEVICES);
    for device in ["cuda:sm_80", "cuda:sm_90a"] {
        emulate_ways(name, text, device);
    }
}

/// `act(x·W) * (x·V)`, the weights as [k, n] or [n, k].
fn gated(element: &str, (m, n, k): (u64, u64, u64), transposed: bool) -> String {
    let (w, contract) = if transposed { (format!("{n}x{k}"), 1) } else { (format!("{k}x{n}"), 0) };
    let [x, w, z] = [format!("{m}x{k}"), w, format!("{m}x{n}")].map(|shape| format!("tensor<{shape}x{element}>"));
    let dot = |weight: &str| {
        format!("stablehlo.dot_general %x, {weight}, contracting_dims = [1] x [{contract}] : ({x}, {w}) -> {z}")
    };
    let body = format!(
        "%0 = {}\n%1 = {}\n%2 = stablehlo.logistic %0 : {z}\n%3 = stablehlo.multiply %0, %2 : {z}\n\
         %4 = stablehlo.multiply %3, %1 : {z}\nreturn %4 : {z}",
        dot("%w"),
        dot("%v")
    );
    main_function(&format!("%x: {x}, %w: {w}, %v: {w}) -> {z}"), &body)
}

#[test]
fn gate_and_up_projections() {
    let types = [("f32", 61), ("bf16", 64), ("f16", 96), ("f64", 40)];
    for (element, k) in types {
        for (m, transposed) in [(1, false), (3, true), (8, false), (8, true)] {
            let name = format!("gate and up {element} {m} rows, transposed {transposed}");
            everywhere(&name, &gated(element, (m, 136, k), transposed));
        }
    }
}

/// One step of an LSTM: the new hidden state and cell. `apart`: a bias before the products are added.
fn lstm(element: &str, (m, k, n): (u64, u64, u64), apart: bool) -> String {
    let ty = |shape: String| format!("tensor<{shape}x{element}>");
    let (x, h, w, u) =
        (ty(format!("{m}x{k}")), ty(format!("{m}x{n}")), format!("{k}x{}", 4 * n), format!("{n}x{}", 4 * n));
    let (w, u, b, all) = (ty(w), ty(u), ty(format!("{}", 4 * n)), ty(format!("{m}x{}", 4 * n)));
    let first = if apart {
        format!("%3 = stablehlo.add %0, %2 : {all}\n%4 = stablehlo.add %3, %1 : {all}")
    } else {
        format!("%3 = stablehlo.add %0, %1 : {all}\n%4 = stablehlo.add %3, %2 : {all}")
    };
    let slice = |at: u64| format!("stablehlo.slice %4 [0:{m}, {}:{}] : ({all}) -> {h}", at * n, (at + 1) * n);
    let body = format!(
        "%0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : ({x}, {w}) -> {all}
         %1 = stablehlo.dot_general %h, %u, contracting_dims = [1] x [0] : ({h}, {u}) -> {all}
         %2 = stablehlo.broadcast_in_dim %b, dims = [1] : ({b}) -> {all}
         {first}
         %i0 = {}\n%f0 = {}\n%g0 = {}\n%o0 = {}
         %i = stablehlo.logistic %i0 : {h}
         %f = stablehlo.logistic %f0 : {h}
         %g = stablehlo.tanh %g0 : {h}
         %o = stablehlo.logistic %o0 : {h}
         %5 = stablehlo.multiply %f, %c : {h}
         %6 = stablehlo.multiply %i, %g : {h}
         %7 = stablehlo.add %5, %6 : {h}
         %8 = stablehlo.tanh %7 : {h}
         %9 = stablehlo.multiply %o, %8 : {h}
         return %9, %7 : {h}, {h}",
        slice(0),
        slice(1),
        slice(2),
        slice(3)
    );
    main_function(&format!("%x: {x}, %h: {h}, %c: {h}, %w: {w}, %u: {u}, %b: {b}) -> ({h}, {h})"), &body)
}

#[test]
fn gates_of_a_cell() {
    for (element, m) in [("f32", 1), ("f32", 3), ("f32", 8), ("f64", 2), ("f16", 8), ("bf16", 5)] {
        for apart in [false, true] {
            for (k, n) in [(40, 52), (48, 48)] {
                let name = format!("lstm {element} {m}x{k}x{n}, bias between {apart}");
                everywhere(&name, &lstm(element, (m, k, n), apart));
            }
        }
    }
}
