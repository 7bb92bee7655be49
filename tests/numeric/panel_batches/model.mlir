module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3x41x17xf32>, %arg1: tensor<2x3x35x17xf32>) -> (tensor<2x3x41x35xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x3x41x17xf32>, tensor<2x3x35x17xf32>) -> tensor<2x3x41x35xf32>
    return %0 : tensor<2x3x41x35xf32>
  }
}
