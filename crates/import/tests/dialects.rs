//! Generic text of linalg on tensors and TOSA: what becomes of it, and that broken text of any kind ends in an error.

use fornax_import::{ImportOptions, dialects, import_generic};

const LINALG: &str = r#"#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<3x5xf32>, tensor<5x7xf32>, tensor<2x9x8xf32>,
      tensor<2xi64>) -> (tensor<3x7xf32>, tensor<2x4x8xf32>), sym_name = "main"}> ({
  ^bb0(%a: tensor<3x5xf32>, %b: tensor<5x7xf32>, %x: tensor<2x9x8xf32>, %i: tensor<2xi64>):
    %0 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %1 = "tensor.splat"(%0) : (f32) -> tensor<3x7xf32>
    %2 = "linalg.generic"(%a, %b, %1)
        <{indexing_maps = [#map, #map1, #map2], iterator_types = [#linalg.iterator_type<parallel>,
        #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%p: f32, %q: f32, %acc: f32):
      %m = "arith.mulf"(%p, %q) : (f32, f32) -> f32
      %s = "arith.addf"(%acc, %m) : (f32, f32) -> f32
      "linalg.yield"(%s) : (f32) -> ()
    }) : (tensor<3x5xf32>, tensor<5x7xf32>, tensor<3x7xf32>) -> tensor<3x7xf32> loc("-":7:3)
    %w = "tensor.empty"() : () -> tensor<3xf32>
    %l = "arith.constant"() <{value = dense<0xFF800000> : tensor<2x4x8xf32>}> : () -> tensor<2x4x8xf32>
    %3 = "linalg.generic"(%x, %w, %l) <{indexing_maps = [affine_map<(n, o, c, k) -> (n, o * 2 + k, c)>,
        affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>],
        iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>,
        #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%p: f32, %u: f32, %acc: f32):
      %m = "arith.maximumf"(%p, %acc) : (f32, f32) -> f32
      "linalg.yield"(%m) : (f32) -> ()
    }) : (tensor<2x9x8xf32>, tensor<3xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
    "func.return"(%2, %3) : (tensor<3x7xf32>, tensor<2x4x8xf32>) -> ()
  }) : () -> ()
}) : () -> ()
"#;

const TOSA: &str = r#""builtin.module"() ({
  "func.func"() <{function_type = (tensor<2x6x5x3xf32>, tensor<4x3x2x3xf32>, tensor<4xf32>,
      tensor<2x3xi8>) -> (tensor<2x4x4x4xf32>, tensor<2x1xi32>), sym_name = "main"}> ({
  ^bb0(%x: tensor<2x6x5x3xf32>, %k: tensor<4x3x2x3xf32>, %b: tensor<4xf32>, %q: tensor<2x3xi8>):
    %z = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %0 = "tosa.conv2d"(%x, %k, %b, %z, %z)
        <{acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}>
        : (tensor<2x6x5x3xf32>, tensor<4x3x2x3xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x4x4x4xf32>
    %s = "tosa.const_shape"() <{values = dense<[2, 1]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %1 = "tosa.argmax"(%q) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<2x3xi8>) -> tensor<2xi32>
    %2 = "tosa.reshape"(%1, %s) : (tensor<2xi32>, !tosa.shape<2>) -> tensor<2x1xi32> loc("-":12:9)
    "func.return"(%0, %2) : (tensor<2x4x4x4xf32>, tensor<2x1xi32>) -> ()
  }) : () -> ()
}) : () -> ()
"#;

fn import(text: &str) -> Result<String, Vec<fornax_import::Diagnostic>> {
    import_generic(text, b"", "m.mlir", &ImportOptions::default()).map(|graph| fornax_graph::print(&graph))
}

fn code(text: &str) -> &'static str {
    import(text).err().and_then(|errors| errors.first().map(|e| e.code)).unwrap_or("accepted")
}

#[test]
fn loops_become_the_ops_they_are() {
    // Maps are written with d0, d1, …; names of their own are not known.
    let text = LINALG.replace("(n, o, c, k) -> (n, o * 2 + k, c)", "(d0, d1, d2, d3) -> (d0, d1 * 2 + d3, d2)");
    let made = import(&text).unwrap();
    assert!(made.contains("stablehlo.dot_general") && made.contains("reduce_window"), "{made}");
    assert!(!made.contains("stablehlo.while"), "{made}");
    assert_eq!(code(LINALG), "FX0132");
    let made = import(TOSA).unwrap();
    assert!(made.contains("stablehlo.convolution") && made.contains("stablehlo.reduce"), "{made}");
}

#[test]
fn what_does_not_fit_is_an_error_with_its_place() {
    let wrong = [
        ("tosa.argmax", "tosa.argmix", "FX0132"),
        ("axis = 1 : i32", "axis = 5 : i32", "FX0134"),
        ("axis = 1 : i32", "", "FX0101"),
        ("stride = array<i64: 1, 1>", "stride = array<i64: 1>", "FX0134"),
        ("tensor<2x1xi32> loc", "tensor<2x2xi32> loc", "FX0109"),
    ];
    for (from, to, expected) in wrong {
        assert_eq!(code(&TOSA.replace(from, to)), expected, "{from} → {to}");
    }
    let text = TOSA.replace("2x1xi32", "3x1xi32");
    let errors =
        import_generic(&text, &b"a line of a model\n".repeat(20), "m.mlir", &ImportOptions::default()).unwrap_err();
    assert_eq!((errors[0].line, errors[0].column), (12, 9), "{}", errors[0]);
}

#[test]
fn broken_text_ends_in_an_error() {
    let linalg = LINALG.replace("(n, o, c, k) -> (n, o * 2 + k, c)", "(d0, d1, d2, d3) -> (d0, d1 * 2 + d3, d2)");
    for text in [linalg.as_str(), TOSA] {
        for end in (0..text.len() - 4).step_by(7).filter(|&end| text.is_char_boundary(end)) {
            assert_ne!(code(&text[..end]), "accepted", "cut at {end}");
        }
        // Every number and every name changed: accepted or refused, but never a panic.
        for (at, found) in text.match_indices(|c: char| c.is_ascii_digit() || c == '%') {
            for new in ["9", "0", "-1", "%a", "99999999999", ""] {
                let mut changed = text.to_string();
                changed.replace_range(at..at + found.len(), new);
                let _ = code(&changed);
            }
        }
        for line in text.lines() {
            let _ = code(&text.replacen(line, "", 1));
        }
    }
}

#[test]
fn files_are_told_apart() {
    assert!(dialects::recognises(LINALG.as_bytes()) && dialects::recognises(TOSA.as_bytes()));
    assert!(dialects::recognises(b"  %0 = tosa.abs %x : tensor<2xf32>"));
    assert!(!dialects::recognises(b"%0 = stablehlo.abs %x : tensor<2xf32> // tensor.x"));
    assert!(!dialects::recognises(b"func.func @my_linalg.x() { return }"));
}

const SIZED: &str = r#"#map = affine_map<(d0, d1) -> (d0, d1)>
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<?x6xf32>, tensor<?x6xf32>) -> (tensor<?x6xf32>, tensor<?x2xf32>,
      tensor<?x3xf32>), sym_name = "main"}> ({
  ^bb0(%a: tensor<?x6xf32>, %b: tensor<?x6xf32>):
    %c0 = "arith.constant"() <{value = 0 : index}> : () -> index
    %c2 = "arith.constant"() <{value = 2 : index}> : () -> index
    %n = "tensor.dim"(%a, %c0) : (tensor<?x6xf32>, index) -> index
    %e = "tensor.empty"(%n) : (index) -> tensor<?x6xf32>
    %0 = "linalg.generic"(%a, %b, %e)
        <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>,
        #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%p: f32, %q: f32, %o: f32):
      %s = "arith.addf"(%p, %q) : (f32, f32) -> f32
      "linalg.yield"(%s) : (f32) -> ()
    }) : (tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
    %i = "arith.index_cast"(%n) : (index) -> i64
    %three = "arith.constant"() <{value = 3 : i64}> : () -> i64
    %m = "arith.muli"(%i, %three) : (i64, i64) -> i64
    %two = "arith.constant"() <{value = 2 : i64}> : () -> i64
    %shape = "tensor.from_elements"(%m, %two) : (i64, i64) -> tensor<2xi64>
    %1 = "tensor.reshape"(%0, %shape) : (tensor<?x6xf32>, tensor<2xi64>) -> tensor<?x2xf32>
    %h = "arith.floordivsi"(%n, %c2) : (index, index) -> index
    %2 = "tensor.extract_slice"(%a, %h) <{operandSegmentSizes = array<i32: 1, 0, 1, 0>,
        static_offsets = array<i64: 0, 1>, static_sizes = array<i64: -9223372036854775808, 3>,
        static_strides = array<i64: 1, 1>}> : (tensor<?x6xf32>, index) -> tensor<?x3xf32>
    "func.return"(%0, %1, %2) : (tensor<?x6xf32>, tensor<?x2xf32>, tensor<?x3xf32>) -> ()
  }) : () -> ()
}) : () -> ()
"#;

#[test]
fn sizes_of_run_time_are_followed() {
    let made = import(SIZED).unwrap();
    // One size for both arguments, and what is computed from it.
    assert!(made.contains("\"arg0_0: argument 0 axis 0"), "{made}");
    assert_eq!(
        made.matches("tensor<?x6xf32, #fornax.dims<arg0_0>>, %arg1: tensor<?x6xf32, #fornax.dims<arg0_0>>").count(),
        1,
        "{made}"
    );
    assert!(made.contains("-> tensor<?x2xf32, #fornax.dims<3*arg0_0>>"), "{made}");
    assert!(made.contains("tensor<?x3xf32, #fornax.dims<arg0_0/2>>"), "{made}");
    // A size that differs whatever the inputs are.
    assert_eq!(code(&SIZED.replace("%e = \"tensor.empty\"(%n)", "%e = \"tensor.empty\"(%c2)")), "accepted");
    let longer = SIZED.replace(
        "%e = \"tensor.empty\"(%n)",
        "%l = \"arith.addi\"(%n, %c2) : (index, index) -> index\n    %e = \"tensor.empty\"(%l)",
    );
    assert_eq!(code(&longer), "FX0134");
}

#[test]
fn stablehlo_with_open_sizes_as_torch_mlir_prints_it() {
    let text = "func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  %d = tensor.dim %x, %c0 : tensor<?x4xf32>
  %i = arith.index_cast %d : index to i64
  %c4 = arith.constant 4 : i64
  %s = tensor.from_elements %i, %c4 : tensor<2xi64>
  %0 = stablehlo.dynamic_broadcast_in_dim %one, %s, dims = [1] : (tensor<4xf32>, tensor<2xi64>) -> tensor<?x4xf32>
  %1 = shape.shape_of %x : tensor<?x4xf32> -> tensor<2xindex>
  %2 = shape.shape_of %0 : tensor<?x4xf32> -> tensor<2xindex>
  %w = shape.cstr_broadcastable %1, %2 : tensor<2xindex>, tensor<2xindex>
  %3 = shape.assuming %w -> (tensor<?x4xf32>) {
    %4 = shape.broadcast %1, %2 : tensor<2xindex>, tensor<2xindex> -> tensor<2xindex>
    %5 = stablehlo.dynamic_broadcast_in_dim %x, %4, dims = [0, 1] \
        : (tensor<?x4xf32>, tensor<2xindex>) -> tensor<?x4xf32>
    %6 = stablehlo.add %5, %0 : tensor<?x4xf32>
    shape.assuming_yield %6 : tensor<?x4xf32>
  }
  return %3 : tensor<?x4xf32>
}
";
    let graph = fornax_import::import_text(text, "m.mlir", &ImportOptions::default()).unwrap();
    let made = fornax_graph::print(&graph);
    assert!(!made.contains("shape.") && !made.contains("arith.") && !made.contains("tensor."), "{made}");
    assert!(made.contains("stablehlo.get_dimension_size") && made.contains("@shape_assertion"), "{made}");
    let broken = text.replace("shape.broadcast", "shape.broadest");
    let errors = fornax_import::import_text(&broken, "m.mlir", &ImportOptions::default()).unwrap_err();
    assert_eq!((errors[0].code, errors[0].line), ("FX0102", 13));
}

/// Rows of a loop that reads `size` elements from `start` on, both computed from the counter, and pads them to 16.
fn frames(rounds: &str, size: &str) -> String {
    format!(
        r#""builtin.module"() ({{
  "func.func"() <{{function_type = (tensor<64xf32>, index) -> tensor<16xf32>, sym_name = "main"}}> ({{
  ^bb0(%x: tensor<64xf32>, %n: index):
    %c0 = "arith.constant"() <{{value = 0 : index}}> : () -> index
    %c1 = "arith.constant"() <{{value = 1 : index}}> : () -> index
    %c4 = "arith.constant"() <{{value = 4 : index}}> : () -> index
    %c16 = "arith.constant"() <{{value = 16 : index}}> : () -> index
    %c64 = "arith.constant"() <{{value = 64 : index}}> : () -> index
    %rounds = "arith.constant"() <{{value = 13 : index}}> : () -> index
    %zero = "arith.constant"() <{{value = 0.000000e+00 : f32}}> : () -> f32
    %none = "tensor.empty"() : () -> tensor<16xf32>
    %r = "scf.for"(%c0, {rounds}, %c1, %none) ({{
    ^bb0(%i: index, %sum: tensor<16xf32>):
      %start = "arith.muli"(%i, %c4) : (index, index) -> index
      %end = "arith.addi"(%start, %c16) : (index, index) -> index
      %limit = "arith.minsi"(%end, %c64) : (index, index) -> index
      %own = "arith.subi"(%limit, %start) : (index, index) -> index
      %odd = "arith.subi"(%c16, %i) : (index, index) -> index
      %s = "tensor.extract_slice"(%x, %start, {size})
          <{{operandSegmentSizes = array<i32: 1, 1, 1, 0>, static_offsets = array<i64: -9223372036854775808>,
          static_sizes = array<i64: -9223372036854775808>, static_strides = array<i64: 1>}}>
          : (tensor<64xf32>, index, index) -> tensor<?xf32>
      %rest = "arith.subi"(%c16, {size}) : (index, index) -> index
      %p = "tensor.pad"(%s, %rest) <{{operandSegmentSizes = array<i32: 1, 0, 1>,
          static_high = array<i64: -9223372036854775808>, static_low = array<i64: 0>}}> ({{
      ^bb0(%at: index):
        "tensor.yield"(%zero) : (f32) -> ()
      }}) : (tensor<?xf32>, index) -> tensor<16xf32>
      "scf.yield"(%p) : (tensor<16xf32>) -> ()
    }}) : (index, index, index, tensor<16xf32>) -> tensor<16xf32>
    "func.return"(%r) : (tensor<16xf32>) -> ()
  }}) : () -> ()
}}) : () -> ()
"#
    )
}

#[test]
fn sizes_in_counted_loops_are_numbers() {
    // The same in every round: one loop. Other ones in each: the rounds one after the other.
    let same = import(&frames("%rounds", "%own")).unwrap();
    assert!(same.contains("stablehlo.while") && same.contains("sizes = [16]"), "{same}");
    let others = import(&frames("%rounds", "%odd")).unwrap();
    assert!(!others.contains("stablehlo.while"), "{others}");
    assert!((4..=16).all(|n| others.contains(&format!("-> tensor<{n}xf32>"))), "{others}");
    // Nobody knows how often.
    assert_eq!(code(&frames("%n", "%odd")), "FX0132");
}

/// `depth` loops of `rounds` rounds within one another; the innermost reads as many elements as `size` says: `%i0` is
/// its counter.
fn nested(depth: usize, rounds: i64, size: &str) -> String {
    let flat = frames("%rounds", size).replace("%i,", "%i0,").replace("%i:", "%i0:");
    let (head, rest) = flat.split_once("    %r = ").unwrap();
    let (inner, tail) = rest.split_once("    \"func.return\"(%r)").unwrap();
    let head = head.replace("value = 13 : index", &format!("value = {rounds} : index"));
    // The size depends on all counters.
    let largest = |level: usize| {
        format!("      %m{level} = \"arith.maxsi\"(%m{}, %i{level}) : (index, index) -> index\n", level - 1)
    };
    let of_all: String = (1..depth).map(largest).collect();
    let inner = inner.replace(
        "      %start",
        &format!("      %m0 = \"arith.maxsi\"(%i0, %i0) : (index, index) -> index\n{of_all}      %start"),
    );
    let mut text = format!("    %r0 = {}", inner.replace("(%c16, %i)", &format!("(%c16, %m{})", depth - 1)));
    for level in 1..depth {
        text = format!(
            r#"    %r{level} = "scf.for"(%c0, %rounds, %c1, %none) ({{
    ^bb0(%i{level}: index, %s{level}: tensor<16xf32>):
{text}      "scf.yield"(%r{inner}) : (tensor<16xf32>) -> ()
    }}) : (index, index, index, tensor<16xf32>) -> tensor<16xf32>
"#,
            inner = level - 1
        );
    }
    format!("{head}{text}    \"func.return\"(%r{}){tail}", depth - 1)
}

#[test]
fn nested_loops_that_are_written_out_have_a_bound() {
    for depth in 1..=2 {
        assert!(import(&nested(depth, 13, "%odd")).is_ok(), "{depth} loops of 13 rounds");
    }
    // Rounds multiply, and so do attempts at loops that stay loops.
    for (depth, rounds, size) in [(4, 13, "%odd"), (24, 13, "%odd")] {
        assert_eq!(code(&nested(depth, rounds, size)), "FX0132", "{depth} loops of {rounds} rounds");
    }
}
