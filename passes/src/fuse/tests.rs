//! What ends up in one kernel: groups and heroes of small graphs, and what is refused.

use fornax_graph::{Graph, OpKind};

use super::expand_attention::EXPANSION;
use super::{PASSES, SOURCES, expand_groups, fuse};
use crate::errors::PassError;

fn import(body: &str) -> Graph {
    fornax_import::import_text(body, "m.mlir", &Default::default()).unwrap_or_else(|e| panic!("{}", e[0]))
}

/// The fusion ops of `@main`: "hero(ops) -> number of results", and the other ops by name.
pub fn outline(text: &str) -> Vec<String> {
    let fused = fuse(&import(text)).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(fornax_graph::verify(&fused), [], "{}", fornax_graph::print(&fused));
    let main = fused.function("main").unwrap();
    let short = |kind: OpKind| kind.name().split('.').next_back().unwrap_or("").to_string();
    let quiet = [OpKind::FusionYield, OpKind::Constant, OpKind::FuncReturn];
    let mut lines = Vec::new();
    for &op in &fused.block(fused.entry(main).unwrap()).ops {
        let data = fused.op(op);
        if data.kind != OpKind::Fusion {
            if !quiet.contains(&data.kind) {
                lines.push(short(data.kind));
            }
            continue;
        }
        let block = fused.region(data.regions[0]).blocks[0];
        let ops = fused.block(block).ops.iter().map(|&o| fused.op(o).kind).filter(|k| !quiet.contains(k));
        let ops: Vec<String> = ops.map(short).collect();
        lines.push(format!("{}({}) -> {}", data.attrs.str("hero").unwrap(), ops.join(" "), data.results.len()));
    }
    lines
}

#[test]
fn every_pass_does_what_its_file_says() {
    assert_eq!(PASSES.len(), SOURCES.len());
    for (pass, source) in PASSES.iter().zip(SOURCES) {
        crate::example::check(pass.name, source, &|graph| (pass.run)(graph).unwrap_or_else(|e| panic!("{e}")));
    }
}

#[test]
fn a_product_takes_its_epilogue_and_stores_what_others_read() {
    let text = "func.func @main(%x: tensor<32x64xf32>, %w: tensor<64x48xf32>, %b: tensor<48xf32>, \
                    %v: tensor<48x8xf32>) -> (tensor<32x8xf32>, tensor<48x32xf32>) {
        %0 = stablehlo.dot %x, %w : (tensor<32x64xf32>, tensor<64x48xf32>) -> tensor<32x48xf32>
        %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<48xf32>) -> tensor<32x48xf32>
        %2 = stablehlo.add %0, %1 : tensor<32x48xf32>
        %3 = stablehlo.tanh %2 : tensor<32x48xf32>
        %4 = stablehlo.dot %3, %v : (tensor<32x48xf32>, tensor<48x8xf32>) -> tensor<32x8xf32>
        %5 = stablehlo.transpose %3, dims = [1, 0] : (tensor<32x48xf32>) -> tensor<48x32xf32>
        return %4, %5 : tensor<32x8xf32>, tensor<48x32xf32>
      }";
    // The transposed copy and the plain one are both written where the product is made.
    assert_eq!(outline(text), ["contraction(dot broadcast_in_dim add tanh transpose) -> 2", "contraction(dot) -> 1"]);
}

#[test]
fn a_product_stores_its_activation_for_a_mean_and_others() {
    let text = |end: &str| {
        format!(
            "func.func @main(%x: tensor<32x64xf32>, %w: tensor<64x48xf32>, %b: tensor<48xf32>, \
                %v: tensor<48x48xf32>) -> (tensor<32x48xf32>, tensor<{end}xf32>) {{
            %zero = stablehlo.constant dense<0.0> : tensor<f32>
            %0 = stablehlo.dot %x, %w : (tensor<32x64xf32>, tensor<64x48xf32>) -> tensor<32x48xf32>
            %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<48xf32>) -> tensor<32x48xf32>
            %2 = stablehlo.add %0, %1 : tensor<32x48xf32>
            %3 = stablehlo.logistic %2 : tensor<32x48xf32>
            %4 = stablehlo.multiply %2, %3 : tensor<32x48xf32>
            %sum = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [0] \
                : (tensor<32x48xf32>, tensor<f32>) -> tensor<48xf32>
            %row = stablehlo.reshape %sum : (tensor<48xf32>) -> tensor<1x48xf32>
            %5 = stablehlo.dot %row, %v : (tensor<1x48xf32>, tensor<48x48xf32>) -> tensor<1x48xf32>
            %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<1x48xf32>) -> tensor<32x48xf32>
            %7 = stablehlo.multiply %4, %6 : tensor<32x48xf32>
            return %7, {} : tensor<32x48xf32>, tensor<{end}xf32>
          }}",
            if end == "48" { "%sum" } else { "%2" }
        )
    };
    // Two ops read the sum with the bias, but only their product is read by others.
    let product = "contraction(dot broadcast_in_dim add logistic multiply)";
    let rest = ["reduction(reduce) -> 1", "contraction(reshape dot) -> 1", "loop(broadcast_in_dim multiply) -> 1"];
    assert_eq!(outline(&text("48")), [&[&*format!("{product} -> 1")], &rest[..]].concat());
    // Where the sum is returned, it is what is stored.
    assert_eq!(outline(&text("32x48"))[0], "contraction(dot broadcast_in_dim add) -> 1");
}

#[test]
fn what_is_expensive_and_read_often_is_stored() {
    let text = "func.func @main(%x: tensor<512x512xf32>, %b: tensor<512xf32>) -> tensor<512x512xf32> {
        %0 = stablehlo.exponential %b : tensor<512xf32>
        %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<512xf32>) -> tensor<512x512xf32>
        %2 = stablehlo.negate %b : tensor<512xf32>
        %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<512xf32>) -> tensor<512x512xf32>
        %4 = stablehlo.multiply %x, %1 : tensor<512x512xf32>
        %5 = stablehlo.add %4, %3 : tensor<512x512xf32>
        return %5 : tensor<512x512xf32>
      }";
    assert_eq!(
        outline(text),
        ["loop(exponential) -> 1", "loop(broadcast_in_dim negate broadcast_in_dim multiply add) -> 1",]
    );
}

#[test]
fn moved_data_is_no_kernel_of_its_own() {
    let text = "func.func @main(%x: tensor<4x6xf32>, %i: tensor<i32>) -> (tensor<24xf32>, tensor<2x3xf32>) {
        %z = stablehlo.constant dense<0.0> : tensor<f32>
        %0 = stablehlo.reshape %x : (tensor<4x6xf32>) -> tensor<24xf32>
        %1 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
        %2 = stablehlo.pad %1, %z, low = [1, 0], high = [0, 0], interior = [0, 0] \
            : (tensor<6x4xf32>, tensor<f32>) -> tensor<7x4xf32>
        %3 = stablehlo.reverse %2, dims = [0] : tensor<7x4xf32>
        %4 = stablehlo.dynamic_slice %3, %i, %i, sizes = [2, 3] \
            : (tensor<7x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
        %5 = stablehlo.negate %4 : tensor<2x3xf32>
        return %0, %5 : tensor<24xf32>, tensor<2x3xf32>
      }";
    // The reshape of an argument is another name of its buffer.
    assert_eq!(outline(text), ["loop(transpose pad reverse dynamic_slice negate) -> 1", "reshape"]);
}

#[test]
fn groups_never_wait_for_each_other() {
    // a is read one to one by d and, through a reduction, by what d also reads: d must not make a.
    let text = "func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
        %z = stablehlo.constant dense<0.0> : tensor<f32>
        %a = stablehlo.dot %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
        %s = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] \
            : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
        %b = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<64xf32>) -> tensor<64x64xf32>
        %d = stablehlo.subtract %a, %b : tensor<64x64xf32>
        return %d : tensor<64x64xf32>
      }";
    assert_eq!(outline(text), ["contraction(dot) -> 1", "row(reduce broadcast_in_dim subtract) -> 1"]);
}

#[test]
fn many_shifted_sums_stay_bounded() {
    let mut body = String::from(
        "func.func @main(%v0: tensor<256xf32>) -> tensor<256xf32> {\n\
         %z = stablehlo.constant dense<0.0> : tensor<f32>\n",
    );
    for i in 0..12 {
        let by = 1 << (i % 8);
        body.push_str(&format!(
            "%p{i} = stablehlo.pad %v{i}, %z, low = [{by}], high = [-{by}], interior = [0] \
                 : (tensor<256xf32>, tensor<f32>) -> tensor<256xf32>\n\
             %v{} = stablehlo.add %v{i}, %p{i} : tensor<256xf32>\n",
            i + 1
        ));
    }
    body.push_str("return %v12 : tensor<256xf32>\n}");
    let groups = outline(&body).len();
    assert!((2..=8).contains(&groups), "{groups} groups");
}

#[test]
fn wide_concatenations_become_trees() {
    let arguments: Vec<String> = (0..70).map(|i| format!("%a{i}: tensor<2xf32>")).collect();
    let names: Vec<String> = (0..70).map(|i| format!("%a{i}")).collect();
    let types = vec!["tensor<2xf32>"; 70].join(", ");
    let text = format!(
        "func.func @main({}) -> tensor<140xf32> {{
           %0 = stablehlo.concatenate {}, dim = 0 : ({types}) -> tensor<140xf32>
           return %0 : tensor<140xf32>
         }}",
        arguments.join(", "),
        names.join(", ")
    );
    let groups = outline(&text);
    assert_eq!(groups.len(), 2, "{groups:?}");
}

#[test]
fn what_has_no_kernel_is_refused_by_name_and_place() {
    let cases = [
        ("tensor<4xcomplex<f32>>", "stablehlo.negate", "FX0312"),
        ("tensor<?xf32>", "stablehlo.negate", "FX0313"),
        ("tensor<4xf32>", "stablehlo.custom_call @f", "FX0311"),
        ("tensor<70368744177664xf32>", "stablehlo.negate", "FX0314"),
    ];
    for (ty, op, code) in cases {
        let (operand, types) =
            if op.contains('@') { ("(%x)", format!("({ty}) -> {ty}")) } else { ("%x", ty.to_string()) };
        let text = format!(
            "func.func @main(%x: {ty}) -> {ty} {{\n  %0 = {op}{}{operand} : {types}\n  return %0 : {ty}\n}}",
            if operand == "%x" { " " } else { "" }
        );
        let error = fuse(&import(&text)).err().unwrap_or_else(|| panic!("{ty} {op} is fused"));
        assert_eq!(error.code(), code);
        let PassError::NoKernel { op: name, at, .. } = &error else { panic!("{error}") };
        assert_eq!((name.as_str(), at.as_str()), (op.split(' ').next().unwrap(), "m.mlir:2:8: "), "{error}");
    }
}

#[test]
fn an_open_size_hides_no_size_that_is_too_large() {
    let ty = "tensor<?x70368744177664xf32>";
    let text =
        format!("func.func @main(%x: {ty}) -> {ty} {{\n  %0 = stablehlo.negate %x : {ty}\n  return %0 : {ty}\n}}");
    let mut graph = import(&text);
    crate::simplify::simplify(&mut graph, &Default::default()).unwrap();
    assert_eq!(fuse(&graph).unwrap_err().code(), "FX0314");
}

/// One head of attention as torch-mlir widens and scales it.
const WIDENED: &str = "func.func @main(%q: tensor<9x8xbf16>, %k: tensor<9x8xbf16>, %v: tensor<9x8xbf16>, \
                           %w: tensor<8x8xbf16>) -> tensor<9x8xbf16> {
        %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
        %zero = stablehlo.constant dense<0.0> : tensor<f32>
        %c = stablehlo.constant dense<0.5> : tensor<9x8xf32>
        %d = stablehlo.constant dense<0.25> : tensor<8x9xf32>
        %0 = stablehlo.convert %q : (tensor<9x8xbf16>) -> tensor<9x8xf32>
        %1 = stablehlo.multiply %0, %c : tensor<9x8xf32>
        %2 = stablehlo.convert %k : (tensor<9x8xbf16>) -> tensor<9x8xf32>
        %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<9x8xf32>) -> tensor<8x9xf32>
        %4 = stablehlo.multiply %3, %d : tensor<8x9xf32>
        %5 = stablehlo.dot_general %1, %4, contracting_dims = [1] x [0] \
            : (tensor<9x8xf32>, tensor<8x9xf32>) -> tensor<9x9xf32>
        %6 = stablehlo.reduce(%5 init: %low) applies stablehlo.maximum across dimensions = [1] \
            : (tensor<9x9xf32>, tensor<f32>) -> tensor<9xf32>
        %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<9xf32>) -> tensor<9x9xf32>
        %8 = stablehlo.subtract %5, %7 : tensor<9x9xf32>
        %9 = stablehlo.exponential %8 : tensor<9x9xf32>
        %10 = stablehlo.reduce(%9 init: %zero) applies stablehlo.add across dimensions = [1] \
            : (tensor<9x9xf32>, tensor<f32>) -> tensor<9xf32>
        %11 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<9xf32>) -> tensor<9x9xf32>
        %12 = stablehlo.divide %9, %11 : tensor<9x9xf32>
        %13 = stablehlo.convert %v : (tensor<9x8xbf16>) -> tensor<9x8xf32>
        %14 = stablehlo.dot_general %12, %13, contracting_dims = [1] x [0] \
            : (tensor<9x9xf32>, tensor<9x8xf32>) -> tensor<9x8xf32>
        %15 = stablehlo.convert %14 : (tensor<9x8xf32>) -> tensor<9x8xbf16>
        %16 = stablehlo.convert %15 : (tensor<9x8xbf16>) -> tensor<9x8xf32>
        %17 = stablehlo.convert %w : (tensor<8x8xbf16>) -> tensor<8x8xf32>
        %18 = stablehlo.dot_general %16, %17, contracting_dims = [1] x [0] \
            : (tensor<9x8xf32>, tensor<8x8xf32>) -> tensor<9x8xf32>
        %19 = stablehlo.convert %18 : (tensor<9x8xf32>) -> tensor<9x8xbf16>
        return %19 : tensor<9x8xbf16>
      }";

#[test]
fn factors_of_widened_queries_and_keys_go_behind_their_product() {
    let found = outline(WIDENED);
    assert_eq!(found.len(), 2, "{found:#?}");
    let attention = &found[0];
    assert!(
        attention.starts_with("attention(convert convert transpose dot_general multiply multiply reduce"),
        "{attention}"
    );
    assert!(attention.ends_with("dot_general convert) -> 1"), "{attention}");
}

#[test]
fn what_is_widened_for_a_product_is_stored_narrow() {
    let fused = fuse(&import(WIDENED)).unwrap_or_else(|e| panic!("{e}"));
    let text = fornax_graph::print(&fused);
    let stored = text.lines().filter(|line| line.contains("hero =")).map(|line| line.rsplit("->").next().unwrap());
    assert!(stored.clone().count() == 2 && stored.into_iter().all(|ty| ty.contains("bf16")), "{text}");
}

#[test]
fn an_image_is_stored_channels_last_before_a_window_reads_it() {
    let text = |kernel: i64, rows: i64| {
        let (pad, padded) = (kernel / 2, format!("tensor<2x{rows}x32x16xf32>"));
        format!(
            "func.func @main(%x: tensor<2x64x{rows}x32xf32>, %w: tensor<16x64x{kernel}x{kernel}xf32>) -> {padded} {{
               %0 = stablehlo.tanh %x : tensor<2x64x{rows}x32xf32>
               %1 = stablehlo.transpose %0, dims = [0, 2, 3, 1] \
                   : (tensor<2x64x{rows}x32xf32>) -> tensor<2x{rows}x32x64xf32>
               %2 = stablehlo.convolution(%1, %w) dim_numbers = [b, 0, 1, f]x[o, i, 0, 1]->[b, 0, 1, f], \
                   window = {{pad = [[{pad}, {pad}], [{pad}, {pad}]]}} \
                   {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} \
                   : (tensor<2x{rows}x32x64xf32>, tensor<16x64x{kernel}x{kernel}xf32>) -> {padded}
               return %2 : {padded}
             }}"
        )
    };
    assert_eq!(outline(&text(3, 32)), ["loop(tanh transpose) -> 1", "contraction(convolution) -> 1"]);
    // A product reads every element once for its tile; a small image costs less than a kernel.
    assert_eq!(outline(&text(1, 32)), ["loop(tanh) -> 1", "contraction(transpose convolution) -> 1"]);
    assert_eq!(outline(&text(3, 4)), ["loop(tanh) -> 1", "contraction(transpose convolution) -> 1"]);
}

/// Seconds in which [`many_functions_are_fused_in_linear_time`] ends: it takes one; tables of all values for every
/// function, a minute.
const MANY_FUNCTIONS_SECONDS: u64 = 20;

#[test]
fn many_functions_are_fused_in_linear_time() {
    let one = |n| format!("func.func @f{n}(%a: tensor<4xf32>) -> tensor<4xf32> {{ return %a : tensor<4xf32> }}\n");
    let text: String = (0..60_000).map(one).collect();
    let graph = import(&text);
    let began = std::time::Instant::now();
    let fused = fuse(&graph).unwrap();
    assert_eq!(fused.functions.len(), 60_000);
    assert!(began.elapsed().as_secs() < MANY_FUNCTIONS_SECONDS, "{:?}", began.elapsed());
}

/// Keeps remarks and hears of nothing else.
#[derive(Default)]
struct Remarks(Vec<crate::remarks::Pair>);

impl crate::observe::Observer for Remarks {
    fn listens(&self) -> bool {
        false
    }

    fn shows(&self, _: &str) -> bool {
        false
    }

    fn before(&mut self, _: &crate::observe::Run, _: &dyn crate::observe::Ir) {}

    fn after(&mut self, _: &crate::observe::Run, _: &dyn crate::observe::Ir, _: bool) {}

    fn took(&mut self, _: &crate::observe::Run, _: std::time::Duration) {}

    fn remarks(&mut self) -> Option<&mut Vec<crate::remarks::Pair>> {
        Some(&mut self.0)
    }
}

/// Codes by producer and consumer, and that asking changes nothing.
fn why(text: &str) -> Vec<(String, String, Vec<&'static str>)> {
    let graph = fornax_import::import_text(text, "m.mlir", &Default::default()).unwrap_or_else(|e| panic!("{}", e[0]));
    let mut remarks = Remarks::default();
    let fused = super::fuse_observed(&graph, super::Machines::Any, &mut remarks).unwrap();
    assert_eq!(fornax_graph::print(&fused), fornax_graph::print(&super::fuse(&graph).unwrap()));
    let word = |text: &str| text.split(' ').next().unwrap_or_default().trim_start_matches("stablehlo.").to_string();
    let codes = |pair: &crate::remarks::Pair| pair.refused.iter().map(|because| because.reason.code).collect();
    remarks.0.iter().map(|p| (word(&p.producer.text), word(&p.consumer.text), codes(p))).collect()
}

#[test]
fn neighbours_tell_why_they_are_apart() {
    let told =
        why("func.func @main(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>) -> (tensor<8x4xf32>, tensor<16x8xf32>) {
        %0 = stablehlo.exponential %x : tensor<8x16xf32>
        %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] \
            : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
        %2 = stablehlo.tanh %1 : tensor<8x4xf32>
        %3 = stablehlo.transpose %0, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
        return %2, %3 : tensor<8x4xf32>, tensor<16x8xf32>
      }");
    let expected = [
        ("exponential", "dot_general", vec!["FUSE09", "FUSE31"]),
        ("dot_general", "tanh", vec![]),
        ("exponential", "transpose", vec![]),
    ];
    for (maker, reader, codes) in expected {
        let found = told.iter().find(|row| row.0 == maker && row.1 == reader);
        assert!(found.is_some_and(|row| row.2 == codes), "{maker} -> {reader}: {told:?}");
    }
    assert_eq!(told.len(), 3, "{told:?}");
}

/// A gradient `[768, n]` that goes into an optimiser's step: the codes of why it is stored before.
fn gradient_apart(n: i64) -> Vec<&'static str> {
    let (w, g) = (format!("tensor<768x{n}xf32>"), format!("tensor<1024x{n}xf32>"));
    let told = why(&format!(
        "func.func @main(%x: tensor<1024x768xf32>, %g: {g}, %w: {w}, %m: {w}, %v: {w}) -> ({w}, {w}, {w}) {{
           %0 = stablehlo.dot_general %x, %g, contracting_dims = [0] x [0] : (tensor<1024x768xf32>, {g}) -> {w}
           %1 = stablehlo.add %m, %0 : {w}
           %2 = stablehlo.multiply %0, %0 : {w}
           %3 = stablehlo.add %v, %2 : {w}
           %4 = stablehlo.sqrt %3 : {w}
           %5 = stablehlo.divide %1, %4 : {w}
           %6 = stablehlo.subtract %w, %5 : {w}
           return %6, %1, %3 : {w}, {w}, {w}
         }}"
    ));
    told.into_iter().filter(|row| row.0 == "dot_general").flat_map(|row| row.2).collect()
}

#[test]
fn an_epilogue_that_is_memory_traffic_is_a_kernel_of_its_own() {
    let apart = gradient_apart(3072);
    assert!(apart.contains(&"FUSE44"), "{apart:?}");
    assert!(!gradient_apart(16).contains(&"FUSE44"), "a small one");
}

#[test]
fn what_makes_a_product_narrower_is_its_epilogue_where_rows_read_it() {
    let text = |rounded: &str, norm: &str| {
        format!(
            "func.func @main(%x: tensor<64x32xf32>, %w: tensor<32x96xf32>) -> tensor<64x96xf8E4M3FN> {{
               %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
               %0 = stablehlo.dot %x, %w : (tensor<64x32xf32>, tensor<32x96xf32>) -> tensor<64x96xf32>
               %1 = stablehlo.tanh %0 : tensor<64x96xf32>
               {norm}
               %3 = stablehlo.convert %2 : (tensor<64x96xf32>) -> tensor<64x96x{rounded}>
               %4 = stablehlo.convert %3 : (tensor<64x96x{rounded}>) -> tensor<64x96xf32>
               %5 = stablehlo.abs %4 : tensor<64x96xf32>
               %6 = stablehlo.reduce(%5 init: %low) applies stablehlo.maximum across dimensions = [1] \
                   : (tensor<64x96xf32>, tensor<f32>) -> tensor<64xf32>
               %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<64xf32>) -> tensor<64x96xf32>
               %8 = stablehlo.divide %4, %7 : tensor<64x96xf32>
               %9 = stablehlo.convert %8 : (tensor<64x96xf32>) -> tensor<64x96xf8E4M3FN>
               return %9 : tensor<64x96xf8E4M3FN>
             }}"
        )
    };
    let product = "%2 = stablehlo.multiply %0, %1 : tensor<64x96xf32>";
    let kernels = outline(&text("bf16", product));
    let rows = "row(convert abs reduce broadcast_in_dim divide convert) -> 1";
    assert_eq!(kernels, ["contraction(dot tanh multiply convert) -> 1", rows]);
    // Nothing becomes narrower, or by a norm of the same rows, which their kernel computes.
    assert_eq!(outline(&text("f32", product))[0], "contraction(dot) -> 1");
    let norm = "%a = stablehlo.reduce(%1 init: %low) applies stablehlo.maximum across dimensions = [1] \
                   : (tensor<64x96xf32>, tensor<f32>) -> tensor<64xf32>
               %b = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<64xf32>) -> tensor<64x96xf32>
               %2 = stablehlo.divide %1, %b : tensor<64x96xf32>";
    let kernels = outline(&text("bf16", norm));
    assert_eq!((kernels.len(), kernels[0].as_str()), (2, "contraction(dot) -> 1"), "{kernels:?}");
}

/// An attention of 5 rows and 7 columns whose weights, `%w`, and whose mask of columns, `%m`, a text goes on with.
fn masked_again(score: &str, after: &str) -> String {
    format!(
        "func.func @main(%q: tensor<5x8xf32>, %k: tensor<7x8xf32>, %v: tensor<7x8xf32>, %m: tensor<5x7xi1>, \
             %n: tensor<5x7xi1>, %b: tensor<5x7xf32>) -> tensor<5x8xf32> {{
           %low = stablehlo.constant dense<0xFF800000> : tensor<5x7xf32>
           %near = stablehlo.constant dense<-9.0> : tensor<5x7xf32>
           %none = stablehlo.constant dense<0.0> : tensor<5x7xf32>
           %ninf = stablehlo.constant dense<0xFF800000> : tensor<f32>
           %zero = stablehlo.constant dense<0.0> : tensor<f32>
           %s = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] \
               : (tensor<5x8xf32>, tensor<7x8xf32>) -> tensor<5x7xf32>
           {score}
           %t = stablehlo.reduce(%x init: %ninf) applies stablehlo.maximum across dimensions = [1] \
               : (tensor<5x7xf32>, tensor<f32>) -> tensor<5xf32>
           %u = stablehlo.broadcast_in_dim %t, dims = [0] : (tensor<5xf32>) -> tensor<5x7xf32>
           %d = stablehlo.subtract %x, %u : tensor<5x7xf32>
           %e = stablehlo.exponential %d : tensor<5x7xf32>
           %f = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] \
               : (tensor<5x7xf32>, tensor<f32>) -> tensor<5xf32>
           %g = stablehlo.broadcast_in_dim %f, dims = [0] : (tensor<5xf32>) -> tensor<5x7xf32>
           %w = stablehlo.divide %e, %g : tensor<5x7xf32>
           {after}
           %o = stablehlo.dot_general %p, %v, contracting_dims = [1] x [0] \
               : (tensor<5x7xf32>, tensor<7x8xf32>) -> tensor<5x8xf32>
           return %o : tensor<5x8xf32>
         }}"
    )
}

#[test]
fn what_nearly_is_an_attention_tells_why_it_is_none() {
    let hidden = "%x = stablehlo.select %m, %s, %low : tensor<5x7xi1>, tensor<5x7xf32>";
    let again = "%p = stablehlo.select %m, %w, %none : tensor<5x7xi1>, tensor<5x7xf32>";
    let other = "%p = stablehlo.select %n, %w, %none : tensor<5x7xi1>, tensor<5x7xf32>";
    let near = "%x = stablehlo.select %m, %s, %near : tensor<5x7xi1>, tensor<5x7xf32>";
    let biased = "%y = stablehlo.add %s, %b : tensor<5x7xf32>
        %x = stablehlo.select %m, %y, %low : tensor<5x7xi1>, tensor<5x7xf32>";
    let twice = "%y = stablehlo.select %n, %s, %low : tensor<5x7xi1>, tensor<5x7xf32>
        %x = stablehlo.select %m, %y, %low : tensor<5x7xi1>, tensor<5x7xf32>";
    let cases = [
        (hidden, again, None),
        (hidden, other, Some("FUSE35")),
        (near, again, Some("FUSE35")),
        (biased, again, Some("FUSE36")),
        (twice, again, Some("FUSE36")),
    ];
    for (score, after, code) in cases {
        let told = why(&masked_again(score, after));
        let codes = told.iter().filter(|row| row.1 == "dot_general").flat_map(|row| row.2.iter().copied());
        let codes: Vec<&str> = codes.filter(|code| ("FUSE33".."FUSE41").contains(code)).collect();
        assert_eq!(codes.first().copied(), code, "{score}\n{after}\n{told:?}");
    }
}

/// The size is the last of more values than the group has.
#[test]
fn an_attention_whose_size_the_host_reads_is_taken_apart() {
    let squares = |at: usize| format!("%c{} = stablehlo.multiply %c{at}, %c{at} : tensor<i64>\n", at + 1);
    let squares: String = (0..64).map(squares).collect();
    let wide = "tensor<?x7xf32, #fornax.dims<n>>";
    let text = format!(
        "module attributes {{fornax.dims = [\"n: value, 0..\"]}} {{
          func.func @main(%c0: tensor<i64>, %k: tensor<7x8xf32>, %v: tensor<7x8xf32>) \
              -> tensor<?x8xf32, #fornax.dims<n>> {{
            {squares}
            %size = stablehlo.add %c64, %c0 {{fornax.dim = \"n\"}} : tensor<i64>
            %ninf = stablehlo.constant dense<0xFF800000> : tensor<f32>
            %zero = stablehlo.constant dense<0.0> : tensor<f32>
            %q = stablehlo.iota dim = 0 : tensor<?x8xf32, #fornax.dims<n>>
            %s = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] \
                : (tensor<?x8xf32, #fornax.dims<n>>, tensor<7x8xf32>) -> {wide}
            %t = stablehlo.reduce(%s init: %ninf) applies stablehlo.maximum across dimensions = [1] \
                : ({wide}, tensor<f32>) -> tensor<?xf32, #fornax.dims<n>>
            %u = stablehlo.broadcast_in_dim %t, dims = [0] : (tensor<?xf32, #fornax.dims<n>>) -> {wide}
            %d = stablehlo.subtract %s, %u : {wide}
            %e = stablehlo.exponential %d : {wide}
            %f = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] \
                : ({wide}, tensor<f32>) -> tensor<?xf32, #fornax.dims<n>>
            %g = stablehlo.broadcast_in_dim %f, dims = [0] : (tensor<?xf32, #fornax.dims<n>>) -> {wide}
            %w = stablehlo.divide %e, %g : {wide}
            %o = stablehlo.dot_general %w, %v, contracting_dims = [1] x [0] \
                : ({wide}, tensor<7x8xf32>) -> tensor<?x8xf32, #fornax.dims<n>>
            return %o : tensor<?x8xf32, #fornax.dims<n>>
          }}
        }}"
    );
    let fused = fuse(&import(&text)).unwrap_or_else(|e| panic!("{e}"));
    let apart = expand_groups(&fused, &EXPANSION, &|_, _| false, None).unwrap_or_else(|e| panic!("{e}"));
    assert!(matches!(apart, std::borrow::Cow::Owned(_)), "no attention: {}", fornax_graph::print(&fused));
    assert_eq!(fornax_graph::verify(&apart), [], "{}", fornax_graph::print(&apart));
    assert!(fornax_graph::print(&apart).contains("fornax.dim = \"n\""));
}

/// A written group may have a concatenation that no pass has split: its parts have sizes that are new.
#[test]
fn sizes_that_an_expanded_group_adds_come_with_it() {
    let names = ["%p"; 33].join(", ");
    let types = ["tensor<?x7xf32, #fornax.dims<b>>"; 33].join(", ");
    let wide = "tensor<?x7xf32, #fornax.dims<33*b>>";
    let (long, rows) = ("tensor<?x8xf32, #fornax.dims<33*b>>", "tensor<?xf32, #fornax.dims<33*b>>");
    let text = format!(
        "module attributes {{fornax.dims = [\"b: argument 0 axis 0, 1..\"]}} {{
          func.func @main(%p0: tensor<?x7xf32, #fornax.dims<b>>, %q0: {long}, %k0: tensor<7x8xf32>, \
              %v0: tensor<7x8xf32>) -> {long} {{
            %0 = \"fornax.fusion\"(%p0, %q0, %k0, %v0) ({{
            ^bb0(%p: tensor<?x7xf32, #fornax.dims<b>>, %q: {long}, %k: tensor<7x8xf32>, %v: tensor<7x8xf32>):
              %ninf = stablehlo.constant dense<0xFF800000> : tensor<f32>
              %zero = stablehlo.constant dense<0.0> : tensor<f32>
              %bias = stablehlo.concatenate {names}, dim = 0 : ({types}) -> {wide}
              %dot = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : ({long}, tensor<7x8xf32>) -> {wide}
              %s = stablehlo.add %dot, %bias : {wide}
              %t = stablehlo.reduce(%s init: %ninf) applies stablehlo.maximum across dimensions = [1] \
                  : ({wide}, tensor<f32>) -> {rows}
              %u = stablehlo.broadcast_in_dim %t, dims = [0] : ({rows}) -> {wide}
              %d = stablehlo.subtract %s, %u : {wide}
              %e = stablehlo.exponential %d : {wide}
              %f = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] \
                  : ({wide}, tensor<f32>) -> {rows}
              %g = stablehlo.broadcast_in_dim %f, dims = [0] : ({rows}) -> {wide}
              %w = stablehlo.divide %e, %g : {wide}
              %o = stablehlo.dot_general %w, %v, contracting_dims = [1] x [0] : ({wide}, tensor<7x8xf32>) -> {long}
              fornax.yield %o : {long}
            }}) {{hero = \"attention\"}} : (tensor<?x7xf32, #fornax.dims<b>>, {long}, tensor<7x8xf32>, \
                tensor<7x8xf32>) -> {long}
            return %0 : {long}
          }}
        }}"
    );
    let graph = import(&text);
    let apart = expand_groups(&graph, &EXPANSION, &|_, _| false, None).unwrap_or_else(|e| panic!("{e}"));
    assert!(matches!(apart, std::borrow::Cow::Owned(_)), "no attention: {}", fornax_graph::print(&graph));
    assert_eq!(fornax_graph::verify(&apart), [], "{}", fornax_graph::print(&apart));
    let text = fornax_graph::print(&apart);
    assert!(text.contains("#fornax.dims<32*b>"), "{text}");
}
