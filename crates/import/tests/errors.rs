//! Error messages: code, line, column, caret, hint. Broken text of any kind ends in an error, never in a panic.

use fornax_import::{ImportOptions, import_bytes, import_text};

fn first_error(text: &str) -> fornax_import::Diagnostic {
    match import_text(text, "m.mlir", &ImportOptions::default()) {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(mut errors) => errors.remove(0),
    }
}

fn function(arguments: &str, body: &str) -> String {
    format!("func.func @f({arguments}) {{\n{body}\n  return\n}}\n")
}

#[test]
fn the_message_shows_place_line_and_caret() {
    let text = "module {\n  \
                func.func @f(%a: tensor<2xf32>) {\n    \
                %0 = stablehlo.ad %a, %a : tensor<2xf32>\n    \
                return\n  \
                }\n\
                }\n";
    assert_eq!(
        first_error(text).to_string(),
        "m.mlir:3:10: error[FX0102]: unknown op `stablehlo.ad`\n \
         3 |     %0 = stablehlo.ad %a, %a : tensor<2xf32>\n   \
         |          ^\n  = help: did you mean `stablehlo.add`?"
    );
}

#[test]
fn verifier_errors_show_the_line_and_the_framework_name() {
    let text = "func.func @f(%a: tensor<2xf32>, %b: tensor<3xf32>) {\n  \
                %0 = stablehlo.concatenate %a, %b, dim = 0 \
                    : (tensor<2xf32>, tensor<3xf32>) -> tensor<6xf32> loc(\"jit(f)/cat\")\n  \
                return\n\
                }\n";
    assert_eq!(
        first_error(text).to_string(),
        "m.mlir:2:8: error[FX0203]: `stablehlo.concatenate`: the result has type tensor<6xf32>, \
         but the operands give tensor<5xf32>\n \
         2 |   %0 = stablehlo.concatenate %a, %b, dim = 0 \
         : (tensor<2xf32>, tensor<3xf32>) -> tensor<6xf32> loc(\"jit(f)/cat\")\n   \
         |        ^\n  = note: from \"jit(f)/cat\""
    );
}

/// (arguments, body, code, line:column, part of the message)
const SYNTAX: &[(&str, &str, &str, &str, &str)] = &[
    ("", "  %0 = stablehlo.abs %x : tensor<f32>", "FX0104", "2:22", "`%x` is not defined"),
    ("%a: tensor<f32>", "  %0 = stablehlo.abs %a : tensor<2xf32>", "FX0109", "2:22", "has type tensor<f32>"),
    ("%a: tensor<f32>", "  %a = stablehlo.abs %a : tensor<f32>", "FX0110", "2:3", "already defined"),
    ("%a: tensor<f32>", "  %0:2 = stablehlo.abs %a : tensor<f32>", "FX0114", "2:3", "2 names for 1 results"),
    ("%a: tensor<f32>", "  %0 = stablehlo.abs %a, : tensor<f32>", "FX0101", "2:24", "expected `:`, found `,`"),
    ("%a: tensor<f23>", "", "FX0106", "1:25", "unknown element type `f23`"),
    ("%a: !x", "", "FX0111", "1:18", "type alias `!x`"),
    ("", "  %0 = stablehlo.constant dense<[1, 2]> : tensor<3xi32>", "FX0108", "2:38", "2 entries"),
    ("", "  %0 = stablehlo.constant dense<[1, 2.5]> : tensor<2xi32>", "FX0107", "2:37", "expected an integer"),
    ("", "  %0 = stablehlo.constant dense<300> : tensor<i8>", "FX0107", "2:33", "300 does not fit"),
    ("", "  %0 = stablehlo.constant dense<\"0x00XX\"> : tensor<i16>", "FX0107", "2:38", "hexadecimal"),
    ("", "  %0 = stablehlo.constant dense<\"0x0000\"> : tensor<3xi16>, ", "FX0101", "2:58", "found `,`"),
    ("", "  %0 = stablehlo.constant dense<\"0x000000\"> : tensor<3xi16>", "FX0108", "2:36", "3 bytes of data"),
    ("", "  %0 = stablehlo.constant dense_resource<w> : tensor<3xi16>", "FX0112", "2:42", "resource `w`"),
    ("", "  %0 = stablehlo.iota dim = 0 : (tensor<f32>", "FX0101", "3:3", "found `return`"),
    ("", "  arith.addi 1", "FX0102", "2:3", "arith.addi"),
    (
        "%a: tensor<2xf32>",
        "  %0 = stablehlo.compare LS, %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>",
        "FX0115",
        "2:26",
        "`LS` is not one of EQ",
    ),
    (
        "%a: tensor<2xf32>",
        "  %0 = stablehlo.gather %a : tensor<2xf32>",
        "FX0113",
        "2:8",
        "`stablehlo.gather` has no pretty form",
    ),
    (
        "%a: tensor<2x2xf32>",
        "  %0 = \"stablehlo.dot_general\"(%a, %a) \
         <{dot_dimension_numbers = #stablehlo.dot<lhs_contract_dimensions = [1]>}> \
         : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>",
        "FX0115",
        "2:81",
        "has no field `lhs_contract_dimensions`",
    ),
];

#[test]
fn syntax_errors() {
    for (arguments, body, code, place, part) in SYNTAX {
        let error = first_error(&function(arguments, body));
        let found = format!("{}:{}", error.line, error.column);
        assert_eq!((error.code, found.as_str()), (*code, *place), "{error}");
        assert!(error.message.contains(part), "{error}");
    }
}

/// (arguments, body, code, part of the message)
const VERIFY: &[(&str, &str, &str, &str)] = &[
    ("%a: tensor<2xi1>", "%0 = stablehlo.sine %a : tensor<2xi1>", "FX0202", "takes float, complex, quantized"),
    (
        "%a: tensor<2xf32>, %b: tensor<3xf32>",
        "%0 = stablehlo.add %a, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>",
        "FX0206",
        "operand 1 and the result must have the same shape",
    ),
    (
        "%a: tensor<2xf32>",
        "%0 = \"stablehlo.add\"(%a) : (tensor<2xf32>) -> tensor<2xf32>",
        "FX0201",
        "has 1 operands, 2 are needed",
    ),
    ("%a: tensor<2xf32>", "%0 = \"stablehlo.iota\"() : () -> tensor<2xf32>", "FX0204", "`iota_dimension` is missing"),
    ("", "%0 = stablehlo.iota dim = 3 : tensor<2xf32>", "FX0205", "`iota_dimension` = 3"),
    (
        "%a: tensor<4xf32>",
        "%0 = stablehlo.slice %a [2:5] : (tensor<4xf32>) -> tensor<3xf32>",
        "FX0205",
        "the range 2:5 does not lie in 0:4",
    ),
    (
        "%a: tensor<2x3xf32>",
        "%0 = stablehlo.transpose %a, dims = [0, 0] : (tensor<2x3xf32>) -> tensor<2x2xf32>",
        "FX0205",
        "names dimension 0 twice",
    ),
    (
        "%a: tensor<2x3xf32>",
        "%0 = stablehlo.reshape %a : (tensor<2x3xf32>) -> tensor<7xf32>",
        "FX0206",
        "same number of elements",
    ),
    (
        "%a: tensor<2x3xf32>",
        "%0 = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x4xf32>",
        "FX0206",
        "cannot become 4",
    ),
    (
        "%a: tensor<2x3xf32>, %b: tensor<4x5xf32>",
        "%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] \
         : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>",
        "FX0206",
        "has size 3, dimension 0 of the right has 4",
    ),
    (
        "%a: tensor<2x3xf16>, %b: tensor<3x5xi8>",
        "%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] \
         : (tensor<2x3xf16>, tensor<3x5xi8>) -> tensor<2x5xi32>",
        "FX0203",
        "the product of tensor<2x3xf16> and tensor<3x5xi8> is a float, the result tensor<2x5xi32> is not",
    ),
    (
        "%a: tensor<1x8x8x3xf32>, %k: tensor<3x3x4x4xf32>",
        "%0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], \
         window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} \
         : (tensor<1x8x8x3xf32>, tensor<3x3x4x4xf32>) -> tensor<1x6x6x4xf32>",
        "FX0206",
        "3 input features",
    ),
    (
        "%a: tensor<3xf32>, %z: tensor<f32>",
        "%0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] \
         : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>",
        "FX0203",
        "the operands give tensor<f32>",
    ),
    (
        "%p: tensor<i1>, %a: tensor<f32>",
        "%0 = \"stablehlo.if\"(%p) ({ stablehlo.return %a : tensor<f32> }, { stablehlo.return %p : tensor<i1> }) \
         : (tensor<i1>) -> tensor<f32>",
        "FX0207",
        "region 1 returns (tensor<i1>), (tensor<f32>) is needed",
    ),
    (
        "%p: tensor<i1>",
        "\"stablehlo.if\"(%p) ({ stablehlo.return }, { %0 = stablehlo.not %p : tensor<i1> }) : (tensor<i1>) -> ()",
        "FX0210",
        "must end with `stablehlo.return`",
    ),
    ("%a: tensor<f32>", "\"other.op\"(%a) : (tensor<f32>) -> ()", "FX0209", "`other.op`"),
    ("%a: tensor<f32>", "call @g(%a) : (tensor<f32>) -> ()", "FX0211", "there is no function `@g`; did you mean `@f`?"),
    ("%a: tensor<f32>", "call @f(%a) : (tensor<f32>) -> ()", "FX0213", "`@f` calls itself"),
    ("", "\"func.return\"() : () -> ()\n%0 = stablehlo.iota dim = 0 : tensor<2xf32>", "FX0210", "must be the last op"),
    (
        "%a: tensor<8x4xf32>, %i: tensor<2x1xi32>",
        "%0 = \"stablehlo.gather\"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], \
         collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>}> \
         : (tensor<8x4xf32>, tensor<2x1xi32>) -> tensor<2x5xf32>",
        "FX0205",
        "`slice_sizes` = 5 in dimension 1, which has size 4",
    ),
    (
        "%a: tensor<5000xf32>",
        r#"%0 = "fornax.sort_runs"(%a) <{runs = 2048 : i64, keep = 5 : i64}> ({
           ^bb0(%x: tensor<f32>, %y: tensor<f32>):
             %1 = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
             stablehlo.return %1 : tensor<i1>
           }) : (tensor<5000xf32>) -> tensor<5000xf32>"#,
        "FX0203",
        "the operands give tensor<15xf32>",
    ),
    (
        "%a: tensor<5000xf32>",
        r#"%0 = "fornax.merge_runs"(%a) <{sorted_runs = 2048 : i64, runs = 3000 : i64}> ({
           ^bb0(%x: tensor<f32>, %y: tensor<f32>):
             %1 = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
             stablehlo.return %1 : tensor<i1>
           }) : (tensor<5000xf32>) -> tensor<5000xf32>"#,
        "FX0205",
        "a multiple of `sorted_runs` = 2048",
    ),
    (
        "%a: tensor<5000xf32>",
        r#"%0 = "fornax.sort_runs"(%a) ({
           ^bb0(%x: tensor<f32>, %y: tensor<f32>):
             %1 = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
             stablehlo.return %1 : tensor<i1>
           }) : (tensor<5000xf32>) -> tensor<5000xf32>"#,
        "FX0204",
        "`runs` is missing",
    ),
    (
        "%a: tensor<5000xf32>",
        r#"%0 = "fornax.radix_count"(%a) <{digit_shift = 32 : i64, tile = 4096 : i64}> ({
           ^bb0(%x: tensor<f32>, %y: tensor<f32>):
             %1 = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
             stablehlo.return %1 : tensor<i1>
           }) : (tensor<5000xf32>) -> tensor<256x2xi32>"#,
        "FX0205",
        "`digit_shift` = 32",
    ),
    (
        "%a: tensor<5000xf32>, %s: tensor<256x3xi32>",
        r#"%0 = "fornax.radix_distribute"(%a, %s) <{digit_shift = 0 : i64, tile = 4096 : i64}> ({
           ^bb0(%x: tensor<f32>, %y: tensor<f32>):
             %1 = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
             stablehlo.return %1 : tensor<i1>
           }) : (tensor<5000xf32>, tensor<256x3xi32>) -> tensor<5000xf32>"#,
        "FX0202",
        "one a digit and tile",
    ),
    (
        "%a: tensor<9xf32>, %r: tensor<4xi32>, %u: tensor<5xf32>",
        concat!(
            r#"%0 = "fornax.sorted_scatter"(%a, %r, %u, %r) "#,
            "<{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], ",
            r#"scatter_dims_to_operand_dims = [0]>}> ({
           ^bb0(%x: tensor<f32>, %y: tensor<f32>):
             %1 = stablehlo.add %x, %y : tensor<f32>
             stablehlo.return %1 : tensor<f32>
           }) : (tensor<9xf32>, tensor<4xi32>, tensor<5xf32>, tensor<4xi32>) -> tensor<9xf32>"#,
        ),
        "FX0206",
        "not one row for each update",
    ),
    (
        "%a: tensor<2xf32>, %t: !stablehlo.token",
        r#"%0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
           source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>}>
           : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token"#,
        "FX0205",
        "a target appears twice",
    ),
    (
        "%t: !stablehlo.token",
        r#"%0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
           source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>}>
           : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)"#,
        "FX0205",
        "a source appears twice",
    ),
    (
        "%t: !stablehlo.token",
        r#"%0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>,
           is_host_transfer = true}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)"#,
        "FX0205",
        "must be 3 (HOST_TO_DEVICE)",
    ),
    (
        "%a: tensor<2xf32>, %t: !stablehlo.token",
        r#"%0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>}>
           : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token"#,
        "FX0205",
        "must be 1 (DEVICE_TO_DEVICE)",
    ),
    (
        "%a: tensor<2xf32>, %t: !stablehlo.token",
        r#"%0:2 = "stablehlo.recv"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}>
           : (tensor<2xf32>, !stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)"#,
        "FX0201",
        "2 operands, but it has one",
    ),
    (
        "%a: tensor<2xf32>, %t: !stablehlo.token",
        r#"%0:2 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}>
           : (tensor<2xf32>, !stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)"#,
        "FX0201",
        "2 results, but it has one",
    ),
    (
        "%a: tensor<2xf32>, %t: !stablehlo.token",
        r#"%0 = "stablehlo.send"(%t, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}>
           : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token"#,
        "FX0202",
        "the others tensors",
    ),
];

#[test]
fn verifier_errors() {
    for (arguments, body, code, part) in VERIFY {
        let error = first_error(&function(arguments, body));
        assert_eq!(error.code, *code, "{error}");
        assert!(error.message.contains(part), "{error}");
        assert!(error.line >= 1, "{error}");
    }
}

#[test]
fn several_verifier_errors_are_reported_up_to_the_limit() {
    let body: Vec<String> = (0..50).map(|i| format!("%{i} = stablehlo.iota dim = 9 : tensor<2xf32>")).collect();
    let text = function("", &body.join("\n"));
    let errors = import_text(&text, "m", &ImportOptions::default()).unwrap_err();
    assert_eq!(errors.len(), 20);
    assert_eq!((errors[19].line, errors[19].column), (21, 7));
}

#[test]
fn files_that_are_not_mlir_text() {
    let options = ImportOptions::default();
    for (bytes, code, part) in [
        (&b""[..], "FX0103", "empty"),
        (b" \n\t// nothing\n", "FX0103", "neither a module nor a function"),
        (b"ML\xefR\x01\x02", "FX0121", "byte 5"),
        (b"\x7fELF\x02\x01\x01\x00\xff\xfe", "FX0103", "an ELF file"),
        (b"\x00\xff\xfe", "FX0103", "not UTF-8"),
        (b"PK\x03\x04", "FX0103", "a zip archive"),
        (b"hello world", "FX0101", "expected a module"),
        (b"modul {}", "FX0101", "found `modul`"),
        (b"module { module {} }", "FX0113", "one module"),
        (b"module {", "FX0116", "ends"),
    ] {
        let errors = import_bytes(bytes, "m", &options).unwrap_err();
        assert_eq!(errors[0].code, code, "{}", errors[0]);
        assert!(errors[0].message.contains(part), "{}", errors[0]);
    }
}

const SAMPLE: &str = concat!(
    r#"
#loc = loc("a\22b":1:2)
!t = tensor<2x?xf32, #stablehlo.bounds<?, 5>>
module @m attributes {a.b = [1, {c = "é"}], d = array<i1: true>} {
  func.func public @main(%arg0: tensor<4x3xf32> {x.y = #sdy.s<@m, [{}]>} loc("x"), %arg1: tensor<f32>) "#,
    r#"-> (tensor<4xf32> {r}) {
    %cst = stablehlo.constant dense<"0x0000803F0000004000004040"> : tensor<3xf32> loc(#loc)
    %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [1] "#,
    r#": (tensor<4x3xf32>, tensor<f32>) -> tensor<4xf32>
    %1:2 = stablehlo.while(%i = %0, %j = %arg1) : tensor<4xf32>, tensor<f32>
     cond {
      %c = stablehlo.compare LT, %j, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      stablehlo.return %i, %j : tensor<4xf32>, tensor<f32>
    }
    %2 = stablehlo.constant dense_resource<w> : tensor<2xi8>
    return %1#0 : tensor<4xf32>
  }
}
{-# dialect_resources: { builtin: { w: "0x040000000102" } } #-}
"#,
);

#[test]
fn a_text_cut_at_any_byte_gives_an_error_or_a_graph() {
    let options = ImportOptions::default();
    import_text(SAMPLE, "m", &options).unwrap();
    for end in 0..SAMPLE.len() {
        if let Err(errors) = import_bytes(&SAMPLE.as_bytes()[..end], "m", &options) {
            assert!(errors[0].code.starts_with("FX"), "{}", errors[0]);
        }
    }
}

#[test]
fn a_text_with_any_byte_replaced_gives_an_error_or_a_graph() {
    let options = ImportOptions::default();
    for at in 0..SAMPLE.len() {
        for byte in *b"<>\"%#!{}()[]-0x\xff\0" {
            let mut bytes = SAMPLE.as_bytes().to_vec();
            bytes[at] = byte;
            if let Err(errors) = import_bytes(&bytes, "m", &options) {
                assert!(!errors[0].to_string().is_empty());
            }
        }
    }
}

#[test]
fn deep_nesting_is_refused() {
    let n = 4000;
    for text in [
        format!("func.func @f(%a: {}tensor<f32>{}) {{ return }}", "tuple<".repeat(n), ">".repeat(n)),
        format!("module attributes {{a = {}{}}} {{}}", "[".repeat(n), "]".repeat(n)),
        format!("func.func @f() {{ {}{} }}", "\"x.y\"() ({ ".repeat(n), "}) : () -> ()".repeat(n)),
        format!("func.func @f(%a: {}", "(".repeat(n)),
        format!("module attributes {{a = {}", "#stablehlo.dot<a = ".repeat(n)),
    ] {
        assert_eq!(first_error(&text).code, "FX0105");
    }
}

/// Forty lines that double a type or an attribute each would be 2⁴⁰ parts; locations that do are cut.
#[test]
fn aliases_that_double_are_refused() {
    for (mark, first, use_of) in [('!', "tuple<i1, i1>", "tuple<!aN, !aN>"), ('#', "[1, 1]", "[#aN, #aN]")] {
        let mut text = format!("{mark}a0 = {first}\n");
        for n in 1..40 {
            text += &format!("{mark}a{n} = {}\n", use_of.replace('N', &(n - 1).to_string()));
        }
        text += "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }\n";
        let error = first_error(&text);
        assert_eq!((error.code, error.line), ("FX0117", 17), "{error}");
        assert!(error.hint.is_some(), "{error}");
    }
    let mut text = "#l0 = loc()\n".to_string();
    for n in 1..16 {
        text += &format!("#l{n} = loc({})\n", format!("#l{}", n - 1).repeat(10));
    }
    text += "func.func @f(%a: tensor<f32>) { %0 = stablehlo.abs %a : tensor<f32> loc(#l15)\n return }\n";
    import_text(&text, "m.mlir", &ImportOptions::default()).unwrap();
}
