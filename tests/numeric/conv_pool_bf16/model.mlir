module @jit_conv_pool attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x11x9x3xbf16>, %arg1: tensor<3x3x3x8xbf16>, %arg2: tensor<8xbf16>, %arg3: tensor<3x3x8x12xbf16>, %arg4: tensor<12xbf16>, %arg5: tensor<12x5xbf16>) -> (tensor<2x5xbf16> {jax.result_info = "result"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x11x9x3xbf16>, tensor<3x3x3x8xbf16>) -> tensor<2x11x9x8xbf16>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [3] : (tensor<8xbf16>) -> tensor<1x1x1x8xbf16>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xbf16>) -> tensor<2x11x9x8xbf16>
    %3 = stablehlo.add %0, %2 : tensor<2x11x9x8xbf16>
    %4 = call @relu(%3) : (tensor<2x11x9x8xbf16>) -> tensor<2x11x9x8xbf16>
    %cst = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %5 = "stablehlo.reduce_window"(%4, %cst) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg6: tensor<bf16>, %arg7: tensor<bf16>):
      %18 = stablehlo.maximum %arg6, %arg7 : tensor<bf16>
      stablehlo.return %18 : tensor<bf16>
    }) : (tensor<2x11x9x8xbf16>, tensor<bf16>) -> tensor<2x5x4x8xbf16>
    %6 = stablehlo.convolution(%5, %arg3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x5x4x8xbf16>, tensor<3x3x8x12xbf16>) -> tensor<2x3x2x12xbf16>
    %7 = stablehlo.broadcast_in_dim %arg4, dims = [3] : (tensor<12xbf16>) -> tensor<1x1x1x12xbf16>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2, 3] : (tensor<1x1x1x12xbf16>) -> tensor<2x3x2x12xbf16>
    %9 = stablehlo.add %6, %8 : tensor<2x3x2x12xbf16>
    %10 = call @relu_0(%9) : (tensor<2x3x2x12xbf16>) -> tensor<2x3x2x12xbf16>
    %11 = stablehlo.convert %10 : (tensor<2x3x2x12xbf16>) -> tensor<2x3x2x12xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.reduce(%11 init: %cst_0) applies stablehlo.add across dimensions = [1, 2] : (tensor<2x3x2x12xf32>, tensor<f32>) -> tensor<2x12xf32>
    %cst_1 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x12xf32>
    %14 = stablehlo.divide %12, %13 : tensor<2x12xf32>
    %15 = stablehlo.convert %14 : (tensor<2x12xf32>) -> tensor<2x12xbf16>
    %16 = stablehlo.dot_general %15, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12xbf16>, tensor<12x5xbf16>) -> tensor<2x5xbf16>
    %17 = call @log_softmax(%16) : (tensor<2x5xbf16>) -> tensor<2x5xbf16>
    return %17 : tensor<2x5xbf16>
  }
  func.func private @relu(%arg0: tensor<2x11x9x8xbf16>) -> tensor<2x11x9x8xbf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<2x11x9x8xbf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x11x9x8xbf16>
    return %1 : tensor<2x11x9x8xbf16>
  }
  func.func private @relu_0(%arg0: tensor<2x3x2x12xbf16>) -> tensor<2x3x2x12xbf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<2x3x2x12xbf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x3x2x12xbf16>
    return %1 : tensor<2x3x2x12xbf16>
  }
  func.func private @log_softmax(%arg0: tensor<2x5xbf16>) -> tensor<2x5xbf16> {
    %cst = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<2x5xbf16>, tensor<bf16>) -> tensor<2xbf16>
    %cst_0 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<2xbf16>
    %2 = stablehlo.maximum %1, %0 : tensor<2xbf16>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xbf16>) -> tensor<2x1xbf16>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<2x1xbf16>) -> tensor<2x5xbf16>
    %5 = stablehlo.subtract %arg0, %4 : tensor<2x5xbf16>
    %6 = stablehlo.exponential %5 : tensor<2x5xbf16>
    %7 = stablehlo.convert %6 : (tensor<2x5xbf16>) -> tensor<2x5xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<2x5xf32>, tensor<f32>) -> tensor<2xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<2xf32>) -> tensor<2x1xf32>
    %10 = stablehlo.convert %9 : (tensor<2x1xf32>) -> tensor<2x1xbf16>
    %11 = stablehlo.log %10 : tensor<2x1xbf16>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<2x1xbf16>) -> tensor<2x5xbf16>
    %13 = stablehlo.subtract %5, %12 : tensor<2x5xbf16>
    return %13 : tensor<2x5xbf16>
  }
}
