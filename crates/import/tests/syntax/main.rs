//! Every syntax form: the pretty form and the generic form of an op give the same graph, and what is printed reads
//! back.

mod forms;

use fornax_graph::{Attr, Graph, PrintOptions, print, print_with, same_graph};
use fornax_import::{ImportOptions, import_text};

use forms::FORMS;

fn import(text: &str) -> Graph {
    match import_text(text, "test.mlir", &ImportOptions::default()) {
        Ok(graph) => graph,
        Err(errors) => panic!("{}\n{text}", errors[0]),
    }
}

/// Imports, prints, imports again; both graphs must be equal.
fn round_trip(text: &str) -> Graph {
    let graph = import(text);
    let printed = print(&graph);
    if let Err(difference) = same_graph(&graph, &import(&printed)) {
        panic!("{difference}\n{printed}");
    }
    graph
}

fn function(arguments: &str, body: &str) -> String {
    format!("func.func @f({arguments}) {{\n  {body}\n  return\n}}\n")
}

#[test]
fn pretty_and_generic_forms_give_the_same_graph() {
    for (arguments, pretty, generic) in FORMS {
        let a = round_trip(&function(arguments, pretty));
        let b = round_trip(&function(arguments, generic));
        if let Err(difference) = same_graph(&a, &b) {
            panic!("{difference}\n{pretty}\n{generic}");
        }
    }
}

#[test]
fn the_printer_writes_the_pretty_form() {
    for (arguments, pretty, _) in FORMS {
        let text = print(&import(&function(arguments, pretty)));
        assert!(!text.contains("\"stablehlo.") && !text.contains("\"chlo."), "{text}");
    }
}

/// Ops that have the generic form only.
#[test]
fn generic_ops() {
    for (arguments, body) in [
        (
            "%p: tensor<i1>, %a: tensor<2xf32>",
            r#"%0 = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<2xf32>
  }, {
    %n = stablehlo.negate %a : tensor<2xf32>
    stablehlo.return %n : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<2xf32>"#,
        ),
        (
            "%i: tensor<i32>",
            r#""stablehlo.case"(%i) ({
    stablehlo.return
  }, {
    "stablehlo.return"() : () -> ()
  }) : (tensor<i32>) -> ()"#,
        ),
        (
            "%a: tensor<8x4xf32>, %i: tensor<2x1xi32>",
            concat!(
                r#"%0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], "#,
                "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, ",
                "indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> ",
                ": (tensor<8x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>",
            ),
        ),
        (
            "%a: tensor<8x4xf32>, %i: tensor<2x1xi32>, %u: tensor<2x4xf32>",
            concat!(
                r#"%0 = "stablehlo.scatter"(%a, %i, %u) "#,
                "<{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], ",
                "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, ",
                r#"unique_indices = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<8x4xf32>"#,
            ),
        ),
        (
            "%a: tensor<4x6xf32>, %z: tensor<f32>",
            concat!(
                r#"%0 = "stablehlo.reduce_window"(%a, %z) <{padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>, "#,
                r#"window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %m = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<2x4xf32>"#,
            ),
        ),
        (
            "%a: tensor<8xf32>",
            r#"%0 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = stablehlo.compare  LT, %x, %y,  TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<8xf32>) -> tensor<8xf32>"#,
        ),
        (
            "%a: tensor<8x2xf32>",
            concat!(
                r#"%0 = "stablehlo.all_gather"(%a) "#,
                "<{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, ",
                "replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ",
                ": (tensor<8x2xf32>) -> tensor<8x4xf32>",
            ),
        ),
        (
            "%a: tensor<8xf32>",
            concat!(
                r#"%0 = "stablehlo.collective_permute"(%a) "#,
                "<{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> ",
                ": (tensor<8xf32>) -> tensor<8xf32>",
            ),
        ),
        (
            "%a: tensor<3x3xf32>",
            concat!(
                r#"%0 = "stablehlo.triangular_solve"(%a, %a) <{left_side = true, "#,
                "lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> ",
                ": (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>",
            ),
        ),
        (
            "%a: tensor<4xf32>",
            r#"%0 = "fornax.fusion"(%a) ({
  ^bb0(%x: tensor<4xf32>):
    %s = stablehlo.sine %x : tensor<4xf32>
    fornax.yield %s : tensor<4xf32>
  }) {fornax.hero = "loop"} : (tensor<4xf32>) -> tensor<4xf32>"#,
        ),
        (
            "%a: tensor<5000xf32>",
            r#"%0 = "fornax.sort_runs"(%a) <{runs = 2048 : i64, keep = 5 : i64}> ({
           ^bb0(%x: tensor<f32>, %y: tensor<f32>):
             %1 = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
             stablehlo.return %1 : tensor<i1>
           }) : (tensor<5000xf32>) -> tensor<15xf32>"#,
        ),
        (
            "%a: tensor<5000xf32>, %s: tensor<256x2xi32>",
            r#"%0 = "fornax.radix_distribute"(%a, %s) <{digit_shift = 8 : i64, tile = 4096 : i64}> ({
           ^bb0(%x: tensor<f32>, %y: tensor<f32>):
             %1 = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
             stablehlo.return %1 : tensor<i1>
           }) : (tensor<5000xf32>, tensor<256x2xi32>) -> tensor<5000xf32>"#,
        ),
        (
            "%a: tensor<9xf32>, %r: tensor<5xi32>, %u: tensor<5xf32>",
            concat!(
                r#"%0 = "fornax.sorted_scatter"(%a, %r, %u, %r) "#,
                "<{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], ",
                r#"scatter_dims_to_operand_dims = [0]>}> ({
           ^bb0(%x: tensor<f32>, %y: tensor<f32>):
             %1 = stablehlo.add %x, %y : tensor<f32>
             stablehlo.return %1 : tensor<f32>
           }) : (tensor<9xf32>, tensor<5xi32>, tensor<5xf32>, tensor<5xi32>) -> tensor<9xf32>"#,
            ),
        ),
    ] {
        round_trip(&function(arguments, body));
    }
}

#[test]
fn constants() {
    let graph = round_trip(&function(
        "",
        r#"%0 = stablehlo.constant dense<1.5> : tensor<4xf32>
  %1 = stablehlo.constant dense<[[1, -2], [0x7F, 4]]> : tensor<2x2xi8>
  %2 = stablehlo.constant dense<"0x0000803F000000C0"> : tensor<2xf32>
  %3 = stablehlo.constant dense<[(1.0, -2.0), (0x7F800000, 0.5)]> : tensor<2xcomplex<f32>>
  %4 = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
  %5 = stablehlo.constant dense<> : tensor<0x3xf32>
  %6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %7 = stablehlo.constant dense<[0.1, 1.0e+300, 4.9406564584124654E-324]> : tensor<3xf64>
  %8 = stablehlo.constant dense<[0.1, 65504.0, 0x7E00]> : tensor<3xf16>
  %9 = stablehlo.constant dense<[-8, 7]> : tensor<2xi4>
  %10 = stablehlo.constant dense<18446744073709551615> : tensor<ui64>
  %11 = stablehlo.constant dense<[0.5, 448.0]> : tensor<2xf8E4M3FN>
  %12 = stablehlo.constant {note = "n"} dense<(1.0, 2.0)> : tensor<3xcomplex<f64>>
  %13 = stablehlo.constant() <{value = dense<[1, 2]> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 2.0:15>>
  %14 = stablehlo.constant dense<"0x05"> : tensor<3xi1>
  %15 = stablehlo.constant dense<[[], []]> : tensor<2x0xf32>"#,
    ));
    let bytes = |i: usize| graph.constants[i].to_bytes();
    assert_eq!(bytes(0), 1.5f32.to_le_bytes().repeat(4));
    assert_eq!(bytes(1), [1, 254, 127, 4]);
    assert_eq!(bytes(2), [1.0f32.to_le_bytes(), (-2.0f32).to_le_bytes()].concat());
    assert_eq!(bytes(3)[8..12], f32::INFINITY.to_le_bytes());
    assert_eq!(bytes(4), [1, 0, 1]);
    assert_eq!(bytes(5).len(), 0);
    assert_eq!(bytes(6), f32::NEG_INFINITY.to_le_bytes());
    assert_eq!(bytes(7)[16..], 1u64.to_le_bytes());
    assert_eq!(bytes(8), [0x66, 0x2e, 0xff, 0x7b, 0x00, 0x7e]);
    assert_eq!(bytes(9), [0xf8, 7]);
    assert_eq!(bytes(10), [0xff; 8]);
    assert_eq!(bytes(11), [0x30, 0x7e]);
    assert_eq!(bytes(14), [1, 0, 1]);
}

#[test]
fn big_constants_print_as_hex_and_can_be_left_out() {
    let items: Vec<String> = (0..200).map(|i| format!("{i}")).collect();
    let text = function("", &format!("%0 = stablehlo.constant dense<[{}]> : tensor<200xi32>", items.join(", ")));
    let graph = round_trip(&text);
    assert!(print(&graph).contains("dense<\"0x00000000010000000200"));
    let options = PrintOptions { elide_above: Some(16), ..PrintOptions::default() };
    assert!(print_with(&graph, &options).contains("dense_resource<__elided__> : tensor<200xi32>"));
}

#[test]
fn resources() {
    let text = r#"
func.func @f() -> tensor<2xf32> {
  %0 = stablehlo.constant dense_resource<weights> : tensor<2xf32>
  return %0 : tensor<2xf32>
}
{-#
  dialect_resources: {
    builtin: {
      weights: "0x040000000000803F00000040"
    }
  }
#-}
"#;
    let graph = round_trip(text);
    assert_eq!(graph.constants[0].to_bytes(), [1.0f32.to_le_bytes(), 2.0f32.to_le_bytes()].concat());
}

#[test]
fn modules_functions_and_attributes() {
    let graph = round_trip(concat!(
        r#"
!vec = tensor<4xf32>
#shard = #sdy.sharding<@mesh, [{"x"}]>
module @"my model" attributes {mhlo.num_replicas = 1 : i32, jax.flag, "#,
        r#"list = [1, 2.5 : f32, 0.01 : f32, "s", @f, f32, unit]} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: !vec {jax.buffer_donor = true, sdy.sharding = #shard, tf.aliasing_output = 0 : i32}, "#,
        r#"%arg1: tensor<f32>) -> (!vec {jax.result_info = "result[\22a\22]"}, tensor<f32>) attributes "#,
        r#"{note = array<i64: 1, 2>} {
    %0 = call @helper(%arg0) {mhlo.backend = "x"} : (!vec) -> !vec
    %1 = func.call @outside(%0) : (!vec) -> !vec
    return %1, %arg1 : !vec, tensor<f32>
  }
  func.func private @helper(%arg0: !vec) -> !vec {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{}]> : !vec
    %1 = stablehlo.composite "acme.twice" %0 "#,
        r#"{composite_attributes = {n = 2 : i64}, decomposition = @inner, version = 1 : i32} : (!vec) -> !vec
    func.return %1 : !vec
  }
  func.func private @inner(%arg0: !vec) -> !vec {
    return %arg0 : !vec
  }
  func.func private @outside(!vec {x.y}) -> !vec
}
"#,
    ));
    assert_eq!(graph.name.as_deref(), Some("my model"));
    assert_eq!(graph.module_ops, ["sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>"]);
    assert_eq!(graph.functions.len(), 4);
    assert!(graph.functions[1].private && graph.functions[3].body.is_none());
    assert_eq!(graph.functions[0].result_attrs[0].str("jax.result_info"), Some("result[\"a\"]"));
    assert_eq!(graph.functions[0].argument_attrs[0].bool("jax.buffer_donor"), Some(true));
    assert_eq!(graph.attrs.get("jax.flag"), Some(&Attr::Unit));
    let Some(Attr::Array(list)) = graph.attrs.get("list") else { panic!("no list") };
    assert!(matches!(list[1], Attr::Float(2.5, _)));
    // Rounded to its type.
    assert!(matches!(list[2], Attr::Float(v, _) if v == f64::from(0.01f32)));
}

#[test]
fn generic_module() {
    let generic = concat!(
        r#"
"builtin.module"() <{sym_name = "m"}> ({
  "func.func"() <{function_type = (tensor<2xf32>) -> tensor<2xf32>, sym_name = "main", sym_visibility = "public", "#,
        r#"arg_attrs = [{a.b = 1 : i64}]}> ({
  ^bb0(%arg0: tensor<2xf32>):
    %0 = "func.call"(%arg0) <{callee = @g}> : (tensor<2xf32>) -> tensor<2xf32>
    "func.return"(%0) : (tensor<2xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2xf32>) -> tensor<2xf32>, sym_name = "g", sym_visibility = "private"}> ({
  }) : () -> ()
}) {k = "v"} : () -> ()
"#,
    );
    let pretty = r#"
module @m attributes {k = "v"} {
  func.func @main(%arg0: tensor<2xf32> {a.b = 1}) -> tensor<2xf32> {
    %0 = call @g(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func private @g(tensor<2xf32>) -> tensor<2xf32>
}
"#;
    same_graph(&round_trip(generic), &round_trip(pretty)).unwrap();
}

#[test]
fn locations_are_kept() {
    let text = r#"
#loc = loc(unknown)
#loc1 = loc("x")
module {
  func.func @f(%arg0: tensor<2xf32> loc("x")) -> tensor<2xf32> {
    %0 = stablehlo.abs %arg0 : tensor<2xf32> loc(#loc4)
    %1 = stablehlo.negate %0 : tensor<2xf32> loc(#loc)
    return %1 : tensor<2xf32> loc(#loc)
  } loc(#loc)
} loc(#loc)
#loc2 = loc("model.py":10:4 to :18)
#loc3 = loc("layer"(#loc2))
#loc4 = loc("jit(f)/abs"(#loc3))
"#;
    let graph = round_trip(text);
    let block = graph.entry(&graph.functions[0]).unwrap();
    let ops = &graph.block(block).ops;
    let place = graph.locations.get(graph.op(ops[0]).location);
    assert_eq!((place.line, place.column), (6, 10));
    assert_eq!(place.name.as_deref(), Some(r#""jit(f)/abs"("layer"("model.py":10:4 to :18))"#));
    assert_eq!(graph.locations.get(graph.op(ops[1]).location).name, None);
    let options = PrintOptions { locations: true, ..PrintOptions::default() };
    let printed = print_with(&graph, &options);
    assert!(printed.contains(r#"loc("jit(f)/abs"("layer""#), "{printed}");
    same_graph(&graph, &import(&printed)).unwrap();
}

#[test]
fn types() {
    round_trip(concat!(
        r#"
func.func @f(%a: tensor<?x4xbf16, #stablehlo.bounds<8, ?>>, %b: tensor<2x!quant.uniform<u8<1:255>:f32:0, "#,
        "{0.1:1, 0.25}>>, %c: tensor<4x!quant.uniform<i8:f32:{0:2}, {0.5, 0.25}>>, %d: tuple<tensor<i1>, ",
        r#"tuple<>>, %e: tensor<0x1xindex>, %g: tensor<2xf4E2M1FN>, %h: !stablehlo.future<tensor<2xf32>>) {
  return
}
"#,
    ));
    assert!(import_text("func.func @f(%a: tensor<*xf32>) { return }", "t", &ImportOptions::default()).is_ok());
}
