module @jit_logsumexp attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x2x5x8xbf16>, %arg1: tensor<1x2x7x8xbf16>, %arg2: tensor<1x2x7x8xbf16>) -> (tensor<1x2x5x8xbf16> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<1x2x5x8xbf16>, tensor<1x2x7x8xbf16>) -> tensor<1x2x5x7xbf16>
    %cst = stablehlo.constant dense<3.535160e-01> : tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<1x2x5x7xbf16>
    %2 = stablehlo.multiply %0, %1 : tensor<1x2x5x7xbf16>
    %cst_0 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x5x7xbf16>, tensor<bf16>) -> tensor<1x2x5xbf16>
    %cst_1 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<bf16>) -> tensor<1x2x5xbf16>
    %5 = stablehlo.maximum %4, %3 : tensor<1x2x5xbf16>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2] : (tensor<1x2x5xbf16>) -> tensor<1x2x5x1xbf16>
    %7 = stablehlo.is_finite %6 : (tensor<1x2x5x1xbf16>) -> tensor<1x2x5x1xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<bf16>) -> tensor<1x2x5x1xbf16>
    %9 = stablehlo.select %7, %6, %8 : tensor<1x2x5x1xi1>, tensor<1x2x5x1xbf16>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2, 3] : (tensor<1x2x5x1xbf16>) -> tensor<1x2x5x7xbf16>
    %11 = stablehlo.subtract %2, %10 : tensor<1x2x5x7xbf16>
    %12 = stablehlo.exponential %11 : tensor<1x2x5x7xbf16>
    %13 = stablehlo.convert %12 : (tensor<1x2x5x7xbf16>) -> tensor<1x2x5x7xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.reduce(%13 init: %cst_3) applies stablehlo.add across dimensions = [3] : (tensor<1x2x5x7xf32>, tensor<f32>) -> tensor<1x2x5xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<1x2x5xf32>) -> tensor<1x2x5x1xf32>
    %16 = stablehlo.convert %15 : (tensor<1x2x5x1xf32>) -> tensor<1x2x5x1xbf16>
    %17 = stablehlo.sign %16 : tensor<1x2x5x1xbf16>
    %18 = stablehlo.abs %16 : tensor<1x2x5x1xbf16>
    %19 = stablehlo.log %18 : tensor<1x2x5x1xbf16>
    %20 = stablehlo.add %19, %9 : tensor<1x2x5x1xbf16>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2, 3] : (tensor<1x2x5x1xbf16>) -> tensor<1x2x5x7xbf16>
    %22 = stablehlo.subtract %2, %21 : tensor<1x2x5x7xbf16>
    %23 = stablehlo.exponential %22 : tensor<1x2x5x7xbf16>
    %24 = stablehlo.dot_general %23, %arg2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<1x2x5x7xbf16>, tensor<1x2x7x8xbf16>) -> tensor<1x2x5x8xbf16>
    return %24 : tensor<1x2x5x8xbf16>
  }
}
