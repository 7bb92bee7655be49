module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x5xf32>, %arg1: tensor<1x5xf32>, %arg2: tensor<7x5xf32>) -> (tensor<11x5xf32> {jax.result_info = "result[0]"}, tensor<11x5xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.concatenate %arg0, %arg1, %arg2, dim = 0 : (tensor<3x5xf32>, tensor<1x5xf32>, tensor<7x5xf32>) -> tensor<11x5xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7x5xf32>
    %2 = stablehlo.multiply %arg2, %1 : tensor<7x5xf32>
    %3 = stablehlo.negate %arg1 : tensor<1x5xf32>
    %4 = stablehlo.concatenate %2, %arg0, %3, dim = 0 : (tensor<7x5xf32>, tensor<3x5xf32>, tensor<1x5xf32>) -> tensor<11x5xf32>
    return %0, %4 : tensor<11x5xf32>, tensor<11x5xf32>
  }
}
