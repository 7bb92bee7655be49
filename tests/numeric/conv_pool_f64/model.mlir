module @jit_conv_pool attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x11x9x3xf64>, %arg1: tensor<3x3x3x8xf64>, %arg2: tensor<8xf64>, %arg3: tensor<3x3x8x12xf64>, %arg4: tensor<12xf64>, %arg5: tensor<12x5xf64>) -> (tensor<2x5xf64> {jax.result_info = "result"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x11x9x3xf64>, tensor<3x3x3x8xf64>) -> tensor<2x11x9x8xf64>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [3] : (tensor<8xf64>) -> tensor<1x1x1x8xf64>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf64>) -> tensor<2x11x9x8xf64>
    %3 = stablehlo.add %0, %2 : tensor<2x11x9x8xf64>
    %4 = call @relu(%3) : (tensor<2x11x9x8xf64>) -> tensor<2x11x9x8xf64>
    %cst = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %5 = "stablehlo.reduce_window"(%4, %cst) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg6: tensor<f64>, %arg7: tensor<f64>):
      %16 = stablehlo.maximum %arg6, %arg7 : tensor<f64>
      stablehlo.return %16 : tensor<f64>
    }) : (tensor<2x11x9x8xf64>, tensor<f64>) -> tensor<2x5x4x8xf64>
    %6 = stablehlo.convolution(%5, %arg3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x5x4x8xf64>, tensor<3x3x8x12xf64>) -> tensor<2x3x2x12xf64>
    %7 = stablehlo.broadcast_in_dim %arg4, dims = [3] : (tensor<12xf64>) -> tensor<1x1x1x12xf64>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2, 3] : (tensor<1x1x1x12xf64>) -> tensor<2x3x2x12xf64>
    %9 = stablehlo.add %6, %8 : tensor<2x3x2x12xf64>
    %10 = call @relu_0(%9) : (tensor<2x3x2x12xf64>) -> tensor<2x3x2x12xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %11 = stablehlo.reduce(%10 init: %cst_0) applies stablehlo.add across dimensions = [1, 2] : (tensor<2x3x2x12xf64>, tensor<f64>) -> tensor<2x12xf64>
    %cst_1 = stablehlo.constant dense<6.000000e+00> : tensor<f64>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<2x12xf64>
    %13 = stablehlo.divide %11, %12 : tensor<2x12xf64>
    %14 = stablehlo.dot_general %13, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12xf64>, tensor<12x5xf64>) -> tensor<2x5xf64>
    %15 = call @log_softmax(%14) : (tensor<2x5xf64>) -> tensor<2x5xf64>
    return %15 : tensor<2x5xf64>
  }
  func.func private @relu(%arg0: tensor<2x11x9x8xf64>) -> tensor<2x11x9x8xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2x11x9x8xf64>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x11x9x8xf64>
    return %1 : tensor<2x11x9x8xf64>
  }
  func.func private @relu_0(%arg0: tensor<2x3x2x12xf64>) -> tensor<2x3x2x12xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2x3x2x12xf64>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x3x2x12xf64>
    return %1 : tensor<2x3x2x12xf64>
  }
  func.func private @log_softmax(%arg0: tensor<2x5xf64>) -> tensor<2x5xf64> {
    %cst = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<2x5xf64>, tensor<f64>) -> tensor<2xf64>
    %cst_0 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %2 = stablehlo.maximum %1, %0 : tensor<2xf64>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xf64>) -> tensor<2x1xf64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<2x1xf64>) -> tensor<2x5xf64>
    %5 = stablehlo.subtract %arg0, %4 : tensor<2x5xf64>
    %6 = stablehlo.exponential %5 : tensor<2x5xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<2x5xf64>, tensor<f64>) -> tensor<2xf64>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<2xf64>) -> tensor<2x1xf64>
    %9 = stablehlo.log %8 : tensor<2x1xf64>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<2x1xf64>) -> tensor<2x5xf64>
    %11 = stablehlo.subtract %5, %10 : tensor<2x5xf64>
    return %11 : tensor<2x5xf64>
  }
}
