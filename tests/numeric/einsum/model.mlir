module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x5x7xf32>, %arg1: tensor<3x4x7xf32>) -> (tensor<3x4x5xf32> {jax.result_info = "result[0]"}, tensor<5x4xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.dot_general %arg1, %arg0, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<3x4x7xf32>, tensor<3x5x7xf32>) -> tensor<3x4x5xf32>
    %1 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0, 2] x [0, 2], precision = [DEFAULT, DEFAULT] : (tensor<3x5x7xf32>, tensor<3x4x7xf32>) -> tensor<5x4xf32>
    return %0, %1 : tensor<3x4x5xf32>, tensor<5x4xf32>
  }
}
