module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x1x3x2x1x2x2x3xf32>) -> (tensor<3x2x2x1x2x3x1x2xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.transpose %arg0, dims = [7, 0, 6, 1, 5, 2, 4, 3] : (tensor<2x1x3x2x1x2x2x3xf32>) -> tensor<3x2x2x1x2x3x1x2xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x2x2x1x2x3x1x2xf32>
    %2 = stablehlo.add %0, %1 : tensor<3x2x2x1x2x3x1x2xf32>
    return %2 : tensor<3x2x2x1x2x3x1x2xf32>
  }
}
