module @jit_divided attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x2x37x64xbf16>, %arg1: tensor<1x2x45x64xbf16>, %arg2: tensor<1x2x45x64xbf16>) -> (tensor<1x2x37x64xbf16> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<1.250000e-01> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<1x2x37x64xbf16>
    %1 = stablehlo.multiply %arg0, %0 : tensor<1x2x37x64xbf16>
    %2 = stablehlo.dot_general %1, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<1x2x37x64xbf16>, tensor<1x2x45x64xbf16>) -> tensor<1x2x37x45xbf16>
    %3 = stablehlo.convert %2 : (tensor<1x2x37x45xbf16>) -> tensor<1x2x37x45xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x37x45xf32>, tensor<f32>) -> tensor<1x2x37xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2] : (tensor<1x2x37xf32>) -> tensor<1x2x37x1xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2, 3] : (tensor<1x2x37x1xf32>) -> tensor<1x2x37x45xf32>
    %7 = stablehlo.subtract %3, %6 : tensor<1x2x37x45xf32>
    %8 = stablehlo.exponential %7 : tensor<1x2x37x45xf32>
    %9 = stablehlo.convert %8 : (tensor<1x2x37x45xf32>) -> tensor<1x2x37x45xbf16>
    %10 = stablehlo.dot_general %9, %arg2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<1x2x37x45xbf16>, tensor<1x2x45x64xbf16>) -> tensor<1x2x37x64xbf16>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%8 init: %cst_1) applies stablehlo.add across dimensions = [3] : (tensor<1x2x37x45xf32>, tensor<f32>) -> tensor<1x2x37xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<1x2x37xf32>) -> tensor<1x2x37x1xf32>
    %13 = stablehlo.convert %10 : (tensor<1x2x37x64xbf16>) -> tensor<1x2x37x64xf32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2, 3] : (tensor<1x2x37x1xf32>) -> tensor<1x2x37x64xf32>
    %15 = stablehlo.divide %13, %14 : tensor<1x2x37x64xf32>
    %16 = stablehlo.convert %15 : (tensor<1x2x37x64xf32>) -> tensor<1x2x37x64xbf16>
    return %16 : tensor<1x2x37x64xbf16>
  }
}
