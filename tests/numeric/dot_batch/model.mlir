module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4x9x16xf32>, %arg1: tensor<3x4x16x7xf32>) -> (tensor<3x4x9x7xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<3x4x9x16xf32>, tensor<3x4x16x7xf32>) -> tensor<3x4x9x7xf32>
    return %0 : tensor<3x4x9x7xf32>
  }
}
