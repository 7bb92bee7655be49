module @jit_divided attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x2x37x64xf32>, %arg1: tensor<1x2x45x64xf32>, %arg2: tensor<1x2x45x64xf32>) -> (tensor<1x2x37x64xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<1.250000e-01> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x2x37x64xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<1x2x37x64xf32>
    %2 = stablehlo.dot_general %1, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<1x2x37x64xf32>, tensor<1x2x45x64xf32>) -> tensor<1x2x37x45xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x37x45xf32>, tensor<f32>) -> tensor<1x2x37xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<1x2x37xf32>) -> tensor<1x2x37x1xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2, 3] : (tensor<1x2x37x1xf32>) -> tensor<1x2x37x45xf32>
    %6 = stablehlo.subtract %2, %5 : tensor<1x2x37x45xf32>
    %7 = stablehlo.exponential %6 : tensor<1x2x37x45xf32>
    %8 = stablehlo.dot_general %7, %arg2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<1x2x37x45xf32>, tensor<1x2x45x64xf32>) -> tensor<1x2x37x64xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [3] : (tensor<1x2x37x45xf32>, tensor<f32>) -> tensor<1x2x37xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<1x2x37xf32>) -> tensor<1x2x37x1xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2, 3] : (tensor<1x2x37x1xf32>) -> tensor<1x2x37x64xf32>
    %12 = stablehlo.divide %8, %11 : tensor<1x2x37x64xf32>
    return %12 : tensor<1x2x37x64xf32>
  }
}
