//! Each op that has a pretty form, in that and in the generic form.

/// (arguments, pretty form, generic form)
pub const FORMS: &[(&str, &str, &str)] = &[
    (
        "%a: tensor<2xf32>",
        "%0 = stablehlo.abs %a : tensor<2xf32>",
        r#"%0 = "stablehlo.abs"(%a) : (tensor<2xf32>) -> tensor<2xf32>"#,
    ),
    ("", "%0 = arith.constant dense<24> : tensor<1xi64>", "%0 = stablehlo.constant dense<24> : tensor<1xi64>"),
    (
        "%a: tensor<2x?xf32>, %b: tensor<?x3xf32>",
        "%0 = stablehlo.add %a, %b : (tensor<2x?xf32>, tensor<?x3xf32>) -> tensor<2x3xf32>",
        r#"%0 = "stablehlo.add"(%a, %b) : (tensor<2x?xf32>, tensor<?x3xf32>) -> tensor<2x3xf32>"#,
    ),
    (
        "%a: tensor<2xf32>, %b: tensor<2xf32>",
        "%0 = stablehlo.complex %a, %b : tensor<2xcomplex<f32>>",
        r#"%0 = "stablehlo.complex"(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xcomplex<f32>>"#,
    ),
    (
        "%a: tensor<2xf32>, %b: tensor<2xf32>",
        "%0 = stablehlo.compare  LT, %a, %b,  TOTALORDER : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>",
        concat!(
            r#"%0 = "stablehlo.compare"(%a, %b) <{compare_type = #stablehlo<comparison_type TOTALORDER>, "#,
            "comparison_direction = #stablehlo<comparison_direction LT>}> ",
            ": (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>",
        ),
    ),
    (
        "%p: tensor<2xi1>, %a: tensor<2xf32>",
        "%0 = stablehlo.select %p, %a, %a : tensor<2xi1>, tensor<2xf32>",
        r#"%0 = "stablehlo.select"(%p, %a, %a) : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>"#,
    ),
    (
        "%m: tensor<f32>, %a: tensor<2xf32>",
        "%0 = stablehlo.clamp %m, %a, %m : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>",
        r#"%0 = "stablehlo.clamp"(%m, %a, %m) : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>"#,
    ),
    (
        "%a: tensor<2xf32>",
        "%0 = stablehlo.reduce_precision %a, format = e5m10 : tensor<2xf32>",
        concat!(
            r#"%0 = "stablehlo.reduce_precision"(%a) <{exponent_bits = 5 : i32, mantissa_bits = 10 : i32}> "#,
            ": (tensor<2xf32>) -> tensor<2xf32>",
        ),
    ),
    (
        "",
        "%0 = stablehlo.iota dim = 1 : tensor<2x3xi32>",
        r#"%0 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<2x3xi32>"#,
    ),
    (
        "%s: tensor<2xi32>",
        "%0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi32>) -> tensor<?x?xf32>",
        r#"%0 = "stablehlo.dynamic_iota"(%s) {iota_dimension = 0 : i64} : (tensor<2xi32>) -> tensor<?x?xf32>"#,
    ),
    (
        "%a: tensor<3xf32>",
        "%0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>",
        concat!(
            r#"%0 = "stablehlo.broadcast_in_dim"(%a) {broadcast_dimensions = dense<1> : tensor<1xi64>} "#,
            ": (tensor<3xf32>) -> tensor<2x3xf32>",
        ),
    ),
    (
        "%a: tensor<3xf32>",
        "%0 = stablehlo.broadcast %a, sizes = [2] : (tensor<3xf32>) -> tensor<2x3xf32>",
        r#"%0 = "stablehlo.broadcast"(%a) <{broadcast_sizes = array<i64: 2>}> : (tensor<3xf32>) -> tensor<2x3xf32>"#,
    ),
    (
        "%a: tensor<2x3xf32>",
        "%0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>",
        concat!(
            r#"%0 = "stablehlo.transpose"(%a) <{permutation = dense<[1, 0]> : tensor<2xi64>}> "#,
            ": (tensor<2x3xf32>) -> tensor<3x2xf32>",
        ),
    ),
    (
        "%a: tensor<2x3xf32>",
        "%0 = stablehlo.reverse %a, dims = [0, 1] : tensor<2x3xf32>",
        r#"%0 = "stablehlo.reverse"(%a) <{dimensions = array<i64: 0, 1>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>"#,
    ),
    (
        "%a: tensor<2x8xf32>",
        "%0 = stablehlo.slice %a [0:2, 1:8:3] : (tensor<2x8xf32>) -> tensor<2x3xf32>",
        concat!(
            r#"%0 = "stablehlo.slice"(%a) <{limit_indices = array<i64: 2, 8>, start_indices = array<i64: 0, 1>, "#,
            "strides = array<i64: 1, 3>}> : (tensor<2x8xf32>) -> tensor<2x3xf32>",
        ),
    ),
    (
        "%a: tensor<f32>",
        "%0 = stablehlo.slice %a [] : (tensor<f32>) -> tensor<f32>",
        concat!(
            r#"%0 = "stablehlo.slice"(%a) <{limit_indices = array<i64>, start_indices = array<i64>, "#,
            "strides = array<i64>}> : (tensor<f32>) -> tensor<f32>",
        ),
    ),
    (
        "%a: tensor<4x4xf32>, %i: tensor<i32>",
        "%0 = stablehlo.dynamic_slice %a, %i, %i, sizes = [1, 4] \
         : (tensor<4x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>",
        concat!(
            r#"%0 = "stablehlo.dynamic_slice"(%a, %i, %i) <{slice_sizes = array<i64: 1, 4>}> "#,
            ": (tensor<4x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>",
        ),
    ),
    (
        "%a: tensor<2xf32>, %z: tensor<f32>",
        "%0 = stablehlo.pad %a, %z, low = [1], high = [-1], interior = [2] \
         : (tensor<2xf32>, tensor<f32>) -> tensor<4xf32>",
        concat!(
            r#"%0 = "stablehlo.pad"(%a, %z) <{edge_padding_high = array<i64: -1>, edge_padding_low = array<i64: 1>, "#,
            "interior_padding = array<i64: 2>}> : (tensor<2xf32>, tensor<f32>) -> tensor<4xf32>",
        ),
    ),
    (
        "%a: tensor<2xf32>, %b: tensor<3xf32>",
        "%0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>",
        concat!(
            r#"%0 = "stablehlo.concatenate"(%a, %b) <{dimension = 0 : i64}> "#,
            ": (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>",
        ),
    ),
    (
        "%a: tensor<2x3xf32>",
        "%0 = stablehlo.get_dimension_size %a, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>",
        r#"%0 = "stablehlo.get_dimension_size"(%a) <{dimension = 1 : i64}> : (tensor<2x3xf32>) -> tensor<i32>"#,
    ),
    (
        "%a: tensor<4xf32>, %n: tensor<i32>",
        "%0 = stablehlo.set_dimension_size %a, %n, dim = 0 \
         : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<4>>",
        concat!(
            r#"%0 = "stablehlo.set_dimension_size"(%a, %n) <{dimension = 0 : i64}> "#,
            ": (tensor<4xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.type_extensions<bounds = [4]>>",
        ),
    ),
    (
        "%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>",
        "%0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], \
         precision = [DEFAULT, HIGHEST] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>",
        concat!(
            r#"%0 = "stablehlo.dot_general"(%a, %b) "#,
            "<{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], ",
            "rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, ",
            "precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> ",
            ": (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>",
        ),
    ),
    (
        "%a: tensor<3x4xf32>, %b: tensor<4x5xf32>",
        "%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, \
         rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, \
         rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> \
         : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>",
        concat!(
            r#"%0 = "stablehlo.dot_general"(%a, %b) "#,
            "<{algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, ",
            "rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, ",
            "rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>, ",
            "dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], ",
            "rhs_contracting_dimensions = [0]>}> : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>",
        ),
    ),
    (
        "%a: tensor<3x4xf32>, %b: tensor<4x5xf32>",
        "%0 = stablehlo.dot %a, %b, precision = [HIGH, HIGH] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>",
        concat!(
            r#"%0 = "stablehlo.dot"(%a, %b) {precision_config = [#stablehlo<precision HIGH>, "#,
            "#stablehlo<precision HIGH>]} : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>",
        ),
    ),
    (
        "%a: tensor<1x8x9x3xf32>, %k: tensor<3x3x3x4xf32>",
        "%0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], \
         window = {stride = [2, 1], pad = [[0, 1], [1, -1]], lhs_dilate = [1, 1], \
         rhs_dilate = [1, 2], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} \
         : (tensor<1x8x9x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x4x5x4xf32>",
        concat!(
            r#"%0 = "stablehlo.convolution"(%a, %k) "#,
            "<{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, ",
            "input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, ",
            "kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], ",
            "output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, ",
            "feature_group_count = 1 : i64, lhs_dilation = dense<1> : tensor<2xi64>, ",
            "padding = dense<[[0, 1], [1, -1]]> : tensor<2x2xi64>, rhs_dilation = array<i64: 1, 2>, ",
            "window_reversal = dense<[true, false]> : tensor<2xi1>, window_strides = array<i64: 2, 1>}> ",
            ": (tensor<1x8x9x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x4x5x4xf32>",
        ),
    ),
    (
        "%a: tensor<8xcomplex<f32>>",
        "%0 = stablehlo.fft %a, type = IRFFT, length = [14] : (tensor<8xcomplex<f32>>) -> tensor<14xf32>",
        concat!(
            r#"%0 = "stablehlo.fft"(%a) <{fft_length = array<i64: 14>, fft_type = #stablehlo<fft_type IRFFT>}> "#,
            ": (tensor<8xcomplex<f32>>) -> tensor<14xf32>",
        ),
    ),
    (
        "%a: tensor<2x2xf32>",
        "%0 = stablehlo.cholesky %a, lower = true : tensor<2x2xf32>",
        r#"%0 = "stablehlo.cholesky"(%a) <{lower = true}> : (tensor<2x2xf32>) -> tensor<2x2xf32>"#,
    ),
    (
        "%s: tensor<2xui64>",
        "%0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY \
         : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)",
        concat!(
            r#"%0:2 = "stablehlo.rng_bit_generator"(%s) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> "#,
            ": (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)",
        ),
    ),
    (
        "%a: tensor<f32>, %s: tensor<1xi64>",
        "%0 = stablehlo.rng %a, %a, %s, distribution = UNIFORM \
         : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<3xf32>",
        concat!(
            r#"%0 = "stablehlo.rng"(%a, %a, %s) <{rng_distribution = #stablehlo<rng_distribution UNIFORM>}> "#,
            ": (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<3xf32>",
        ),
    ),
    (
        "%a: tensor<2xf32>, %t: !stablehlo.token",
        "%0 = stablehlo.tuple %a, %t : tuple<tensor<2xf32>, !stablehlo.token>\n  \
         %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<2xf32>, !stablehlo.token>) -> tensor<2xf32>",
        "%0 = \"stablehlo.tuple\"(%a, %t) \
             : (tensor<2xf32>, !stablehlo.token) -> tuple<tensor<2xf32>, !stablehlo.token>\n  \
         %1 = \"stablehlo.get_tuple_element\"(%0) {index = 0 : i32} \
             : (tuple<tensor<2xf32>, !stablehlo.token>) -> tensor<2xf32>",
    ),
    (
        "%t: !stablehlo.token",
        "%0 = stablehlo.after_all %t, %t : !stablehlo.token\n  \
         %1 = stablehlo.after_all : !stablehlo.token\n  \
         %2 = stablehlo.create_token : !stablehlo.token",
        "%0 = \"stablehlo.after_all\"(%t, %t) : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token\n  \
         %1 = \"stablehlo.after_all\"() : () -> !stablehlo.token\n  \
         %2 = \"stablehlo.create_token\"() : () -> !stablehlo.token",
    ),
    (
        "%a: tensor<2xf32>, %b: tensor<3xi32>",
        "%0:2 = stablehlo.optimization_barrier %a, %b : tensor<2xf32>, tensor<3xi32>\n  \
         stablehlo.optimization_barrier ()\n  \
         %1 = stablehlo.abs %a : tensor<2xf32>",
        "%0:2 = \"stablehlo.optimization_barrier\"(%a, %b) \
             : (tensor<2xf32>, tensor<3xi32>) -> (tensor<2xf32>, tensor<3xi32>)\n  \
         \"stablehlo.optimization_barrier\"() : () -> ()\n  \
         %1 = \"stablehlo.abs\"(%a) : (tensor<2xf32>) -> tensor<2xf32>",
    ),
    (
        "%a: tensor<2xf32>",
        concat!(
            r#"%0:2 = stablehlo.custom_call @"my target"(%a) {api_version = 4 : i32, backend_config = {n = 3 : i64}, "#,
            "has_side_effect = true} : (tensor<2xf32>) -> (tensor<2xf32>, tensor<i32>)",
        ),
        concat!(
            r#"%0:2 = "stablehlo.custom_call"(%a) <{api_version = 4 : i32, "#,
            r#"backend_config = {n = 3 : i64}, call_target_name = "my target", has_side_effect = true}> "#,
            ": (tensor<2xf32>) -> (tensor<2xf32>, tensor<i32>)",
        ),
    ),
    (
        "",
        "%0 = stablehlo.replica_id : tensor<ui32>\n  %1 = stablehlo.partition_id : tensor<ui32>",
        "%0 = \"stablehlo.replica_id\"() : () -> tensor<ui32>\n  \
         %1 = \"stablehlo.partition_id\"() : () -> tensor<ui32>",
    ),
    (
        "%a: tensor<2x3xf32>",
        "%0 = stablehlo.unary_einsum %a, config = \"ab->a\" : (tensor<2x3xf32>) -> tensor<2xf32>",
        r#"%0 = "stablehlo.unary_einsum"(%a) <{einsum_config = "ab->a"}> : (tensor<2x3xf32>) -> tensor<2xf32>"#,
    ),
    (
        "%a: tensor<3x4xf32>, %z: tensor<f32>",
        "%0 = stablehlo.reduce(%a init: %z) applies stablehlo.maximum across dimensions = [1] \
         : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>",
        r#"%0 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %m = "stablehlo.maximum"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>"#,
    ),
    (
        "%a: tensor<3xf32>, %i: tensor<3xi32>, %z: tensor<f32>, %n: tensor<i32>",
        "%0:2 = stablehlo.reduce(%a init: %z), (%i init: %n) across dimensions = [0] \
             : (tensor<3xf32>, tensor<3xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
   reducer(%x: tensor<f32>, %y: tensor<f32>) (%j: tensor<i32>, %k: tensor<i32>)  {
    stablehlo.return %x, %k : tensor<f32>, tensor<i32>
  }",
        concat!(
            r#"%0:2 = "stablehlo.reduce"(%a, %i, %z, %n) ({
  ^bb0(%x: tensor<f32>, %j: tensor<i32>, %y: tensor<f32>, %k: tensor<i32>):
    "stablehlo.return"(%x, %k) : (tensor<f32>, tensor<i32>) -> ()
  }) {dimensions = dense<0> : tensor<1xi64>} "#,
            ": (tensor<3xf32>, tensor<3xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)",
        ),
    ),
    (
        "%n: tensor<i32>, %a: tensor<2xf32>",
        "%0:2 = stablehlo.while(%i = %n, %x = %a) : tensor<i32>, tensor<2xf32> attributes {mhlo.note = \"n\"}
   cond {
    %p = stablehlo.compare  LT, %i, %n,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return %i, %x : tensor<i32>, tensor<2xf32>
  }",
        concat!(
            r#"%0:2 = "stablehlo.while"(%n, %a) ({
  ^bb0(%i: tensor<i32>, %x: tensor<2xf32>):
    %p = "stablehlo.compare"(%i, %n) <{compare_type = #stablehlo<comparison_type SIGNED>, "#,
            "comparison_direction = #stablehlo<comparison_direction LT>}> ",
            r#": (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%p) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %x: tensor<2xf32>):
    "stablehlo.return"(%i, %x) : (tensor<i32>, tensor<2xf32>) -> ()
  }) {mhlo.note = "n"} : (tensor<i32>, tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>)"#,
        ),
    ),
    (
        "%a: tensor<3xf32>, %z: tensor<f32>",
        "%0:2 = chlo.scan(%a) inits (%z) dimension=0 {
  ^bb0(%x: tensor<f32>, %c: tensor<f32>):
    %s = stablehlo.add %x, %c : tensor<f32>
    stablehlo.return %s, %s : tensor<f32>, tensor<f32>
  } : (tensor<3xf32>, tensor<f32>) -> (tensor<3xf32>, tensor<f32>)",
        concat!(
            r#"%0:2 = "chlo.scan"(%a, %z) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, "#,
            r#"resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%x: tensor<f32>, %c: tensor<f32>):
    %s = stablehlo.add %x, %c : tensor<f32>
    stablehlo.return %s, %s : tensor<f32>, tensor<f32>
  }) : (tensor<3xf32>, tensor<f32>) -> (tensor<3xf32>, tensor<f32>)"#,
        ),
    ),
    (
        "%a: tensor<4x8xf32>",
        "%0:2 = chlo.top_k(%a, k = 3) : tensor<4x8xf32> -> (tensor<4x3xf32>, tensor<4x3xi32>)",
        r#"%v, %i = "chlo.top_k"(%a) <{k = 3 : i64}> : (tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x3xi32>)"#,
    ),
    (
        "%a: tensor<2xf32>",
        "%0 = chlo.erf %a : tensor<2xf32> -> tensor<2xf32>\n  \
         %1 = chlo.next_after %a, %0 : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>",
        "%0 = \"chlo.erf\"(%a) : (tensor<2xf32>) -> tensor<2xf32>\n  \
         %1 = \"chlo.next_after\"(%a, %0) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>",
    ),
    (
        "%a: tensor<2xcomplex<f32>>",
        "%0 = chlo._asin_acos_kernel %a : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>",
        r#"%0 = "chlo._asin_acos_kernel"(%a) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>"#,
    ),
    (
        "%a: tensor<2xf32>, %b: tensor<3x1xf32>",
        "%0 = chlo.broadcast_compare %a, %b {comparison_direction = #chlo<comparison_direction GE>} \
         : (tensor<2xf32>, tensor<3x1xf32>) -> tensor<3x2xi1>",
        concat!(
            r#"%0 = "chlo.broadcast_compare"(%a, %b) <{comparison_direction = #chlo<comparison_direction GE>}> "#,
            ": (tensor<2xf32>, tensor<3x1xf32>) -> tensor<3x2xi1>",
        ),
    ),
    (
        "%a: tensor<2xf32>",
        "%0 = stablehlo.exponential %a {result_accuracy = #stablehlo.result_accuracy<atol = 1.0e-5, ulps = 2, \
         mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2xf32>",
        concat!(
            r#"%0 = "stablehlo.exponential"(%a) <{result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, "#,
            "ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}> : (tensor<2xf32>) -> tensor<2xf32>",
        ),
    ),
    (
        "%a: tensor<2x!quant.uniform<i8:f32, 5.000000e-01:3>>",
        "%0 = stablehlo.uniform_dequantize %a : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2xf32>",
        concat!(
            r#"%0 = "stablehlo.uniform_dequantize"(%a) "#,
            ": (tensor<2x!quant.uniform<i8<-128:127>:f32, 0.5:3>>) -> tensor<2xf32>",
        ),
    ),
];
