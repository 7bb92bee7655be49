module @jit_scale_both attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x2x5x8xf16>, %arg1: tensor<1x2x7x8xf16>, %arg2: tensor<1x2x7x8xf16>) -> (tensor<1x2x5x8xf16> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<5.947270e-01> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<1x2x5x8xf16>
    %1 = stablehlo.multiply %arg0, %0 : tensor<1x2x5x8xf16>
    %cst_0 = stablehlo.constant dense<5.947270e-01> : tensor<f16>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<1x2x7x8xf16>
    %3 = stablehlo.multiply %arg1, %2 : tensor<1x2x7x8xf16>
    %4 = stablehlo.dot_general %1, %3, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<1x2x5x8xf16>, tensor<1x2x7x8xf16>) -> tensor<1x2x5x7xf16>
    %cst_1 = stablehlo.constant dense<0xFC00> : tensor<f16>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x5x7xf16>, tensor<f16>) -> tensor<1x2x5xf16>
    %cst_2 = stablehlo.constant dense<0xFC00> : tensor<f16>
    %6 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f16>) -> tensor<1x2x5xf16>
    %7 = stablehlo.maximum %6, %5 : tensor<1x2x5xf16>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<1x2x5xf16>) -> tensor<1x2x5x1xf16>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x2x5x1xf16>) -> tensor<1x2x5x7xf16>
    %10 = stablehlo.subtract %4, %9 : tensor<1x2x5x7xf16>
    %11 = stablehlo.exponential %10 : tensor<1x2x5x7xf16>
    %12 = stablehlo.convert %11 : (tensor<1x2x5x7xf16>) -> tensor<1x2x5x7xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst_3) applies stablehlo.add across dimensions = [3] : (tensor<1x2x5x7xf32>, tensor<f32>) -> tensor<1x2x5xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<1x2x5xf32>) -> tensor<1x2x5x1xf32>
    %15 = stablehlo.convert %14 : (tensor<1x2x5x1xf32>) -> tensor<1x2x5x1xf16>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2, 3] : (tensor<1x2x5x1xf16>) -> tensor<1x2x5x7xf16>
    %17 = stablehlo.divide %11, %16 : tensor<1x2x5x7xf16>
    %18 = stablehlo.dot_general %17, %arg2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<1x2x5x7xf16>, tensor<1x2x7x8xf16>) -> tensor<1x2x5x8xf16>
    return %18 : tensor<1x2x5x8xf16>
  }
}
