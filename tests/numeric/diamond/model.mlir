module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<9x12xf32>) -> (tensor<9x12xf32> {jax.result_info = "result[0]"}, tensor<9x12xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.exponential %arg0 : tensor<9x12xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<9x12xf32>, tensor<f32>) -> tensor<9xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<9xf32>) -> tensor<9x1xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<9x1xf32>) -> tensor<9x12xf32>
    %4 = stablehlo.multiply %3, %0 : tensor<9x12xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %5 = stablehlo.reduce(%0 init: %cst_0) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<9x12xf32>, tensor<f32>) -> tensor<f32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<9x12xf32>
    %7 = stablehlo.subtract %0, %6 : tensor<9x12xf32>
    return %4, %7 : tensor<9x12xf32>, tensor<9x12xf32>
  }
}
