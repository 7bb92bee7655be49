module @jit_reciprocal attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x2x5x8xf16>, %arg1: tensor<1x2x7x8xf16>, %arg2: tensor<1x2x7x8xf16>) -> (tensor<1x2x5x8xf16> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<1x2x5x8xf16>, tensor<1x2x7x8xf16>) -> tensor<1x2x5x7xf16>
    %cst = stablehlo.constant dense<3.535160e-01> : tensor<f16>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<1x2x5x7xf16>
    %2 = stablehlo.multiply %0, %1 : tensor<1x2x5x7xf16>
    %cst_0 = stablehlo.constant dense<0xFC00> : tensor<f16>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x5x7xf16>, tensor<f16>) -> tensor<1x2x5xf16>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<1x2x5xf16>) -> tensor<1x2x5x1xf16>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2, 3] : (tensor<1x2x5x1xf16>) -> tensor<1x2x5x7xf16>
    %6 = stablehlo.subtract %2, %5 : tensor<1x2x5x7xf16>
    %7 = stablehlo.exponential %6 : tensor<1x2x5x7xf16>
    %8 = stablehlo.convert %7 : (tensor<1x2x5x7xf16>) -> tensor<1x2x5x7xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%8 init: %cst_1) applies stablehlo.add across dimensions = [3] : (tensor<1x2x5x7xf32>, tensor<f32>) -> tensor<1x2x5xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<1x2x5xf32>) -> tensor<1x2x5x1xf32>
    %11 = stablehlo.convert %10 : (tensor<1x2x5x1xf32>) -> tensor<1x2x5x1xf16>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %12 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f16>) -> tensor<1x2x5x1xf16>
    %13 = stablehlo.divide %12, %11 : tensor<1x2x5x1xf16>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2, 3] : (tensor<1x2x5x1xf16>) -> tensor<1x2x5x7xf16>
    %15 = stablehlo.multiply %7, %14 : tensor<1x2x5x7xf16>
    %16 = stablehlo.dot_general %15, %arg2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<1x2x5x7xf16>, tensor<1x2x7x8xf16>) -> tensor<1x2x5x8xf16>
    return %16 : tensor<1x2x5x8xf16>
  }
}
