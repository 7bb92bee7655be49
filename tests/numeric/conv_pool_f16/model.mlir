module @jit_conv_pool attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x11x9x3xf16>, %arg1: tensor<3x3x3x8xf16>, %arg2: tensor<8xf16>, %arg3: tensor<3x3x8x12xf16>, %arg4: tensor<12xf16>, %arg5: tensor<12x5xf16>) -> (tensor<2x5xf16> {jax.result_info = "result"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x11x9x3xf16>, tensor<3x3x3x8xf16>) -> tensor<2x11x9x8xf16>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [3] : (tensor<8xf16>) -> tensor<1x1x1x8xf16>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf16>) -> tensor<2x11x9x8xf16>
    %3 = stablehlo.add %0, %2 : tensor<2x11x9x8xf16>
    %4 = call @relu(%3) : (tensor<2x11x9x8xf16>) -> tensor<2x11x9x8xf16>
    %cst = stablehlo.constant dense<0xFC00> : tensor<f16>
    %5 = "stablehlo.reduce_window"(%4, %cst) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg6: tensor<f16>, %arg7: tensor<f16>):
      %18 = stablehlo.maximum %arg6, %arg7 : tensor<f16>
      stablehlo.return %18 : tensor<f16>
    }) : (tensor<2x11x9x8xf16>, tensor<f16>) -> tensor<2x5x4x8xf16>
    %6 = stablehlo.convolution(%5, %arg3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x5x4x8xf16>, tensor<3x3x8x12xf16>) -> tensor<2x3x2x12xf16>
    %7 = stablehlo.broadcast_in_dim %arg4, dims = [3] : (tensor<12xf16>) -> tensor<1x1x1x12xf16>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2, 3] : (tensor<1x1x1x12xf16>) -> tensor<2x3x2x12xf16>
    %9 = stablehlo.add %6, %8 : tensor<2x3x2x12xf16>
    %10 = call @relu_0(%9) : (tensor<2x3x2x12xf16>) -> tensor<2x3x2x12xf16>
    %11 = stablehlo.convert %10 : (tensor<2x3x2x12xf16>) -> tensor<2x3x2x12xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.reduce(%11 init: %cst_0) applies stablehlo.add across dimensions = [1, 2] : (tensor<2x3x2x12xf32>, tensor<f32>) -> tensor<2x12xf32>
    %cst_1 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x12xf32>
    %14 = stablehlo.divide %12, %13 : tensor<2x12xf32>
    %15 = stablehlo.convert %14 : (tensor<2x12xf32>) -> tensor<2x12xf16>
    %16 = stablehlo.dot_general %15, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12xf16>, tensor<12x5xf16>) -> tensor<2x5xf16>
    %17 = call @log_softmax(%16) : (tensor<2x5xf16>) -> tensor<2x5xf16>
    return %17 : tensor<2x5xf16>
  }
  func.func private @relu(%arg0: tensor<2x11x9x8xf16>) -> tensor<2x11x9x8xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<2x11x9x8xf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x11x9x8xf16>
    return %1 : tensor<2x11x9x8xf16>
  }
  func.func private @relu_0(%arg0: tensor<2x3x2x12xf16>) -> tensor<2x3x2x12xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<2x3x2x12xf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x3x2x12xf16>
    return %1 : tensor<2x3x2x12xf16>
  }
  func.func private @log_softmax(%arg0: tensor<2x5xf16>) -> tensor<2x5xf16> {
    %cst = stablehlo.constant dense<0xFC00> : tensor<f16>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<2x5xf16>, tensor<f16>) -> tensor<2xf16>
    %cst_0 = stablehlo.constant dense<0xFC00> : tensor<f16>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<2xf16>
    %2 = stablehlo.maximum %1, %0 : tensor<2xf16>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xf16>) -> tensor<2x1xf16>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<2x1xf16>) -> tensor<2x5xf16>
    %5 = stablehlo.subtract %arg0, %4 : tensor<2x5xf16>
    %6 = stablehlo.exponential %5 : tensor<2x5xf16>
    %7 = stablehlo.convert %6 : (tensor<2x5xf16>) -> tensor<2x5xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<2x5xf32>, tensor<f32>) -> tensor<2xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<2xf32>) -> tensor<2x1xf32>
    %10 = stablehlo.convert %9 : (tensor<2x1xf32>) -> tensor<2x1xf16>
    %11 = stablehlo.log %10 : tensor<2x1xf16>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<2x1xf16>) -> tensor<2x5xf16>
    %13 = stablehlo.subtract %5, %12 : tensor<2x5xf16>
    return %13 : tensor<2x5xf16>
  }
}
