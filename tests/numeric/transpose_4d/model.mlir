module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4x5x6xf32>) -> (tensor<3x6x4x5xf32> {jax.result_info = "result[0]"}, tensor<6x4x3x5xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.transpose %arg0, dims = [0, 3, 1, 2] : (tensor<3x4x5x6xf32>) -> tensor<3x6x4x5xf32>
    %1 = stablehlo.transpose %arg0, dims = [3, 1, 0, 2] : (tensor<3x4x5x6xf32>) -> tensor<6x4x3x5xf32>
    return %0, %1 : tensor<3x6x4x5xf32>, tensor<6x4x3x5xf32>
  }
}
