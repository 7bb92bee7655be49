module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xf32>) -> (tensor<6x12xf32> {jax.result_info = "result[0]"}, tensor<6x4xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.reshape %arg0 : (tensor<3x4xf32>) -> tensor<1x3x1x4xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2, 3] : (tensor<1x3x1x4xf32>) -> tensor<2x3x3x4xf32>
    %2 = stablehlo.reshape %1 : (tensor<2x3x3x4xf32>) -> tensor<6x12xf32>
    %3 = stablehlo.broadcast_in_dim %arg0, dims = [0, 2] : (tensor<3x4xf32>) -> tensor<3x2x4xf32>
    %4 = stablehlo.reshape %3 : (tensor<3x2x4xf32>) -> tensor<6x4xf32>
    return %2, %4 : tensor<6x12xf32>, tensor<6x4xf32>
  }
}
