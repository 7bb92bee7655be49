module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<47x61xf32>, %arg1: tensor<47x35xf32>) -> (tensor<61x35xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<47x61xf32>) -> tensor<61x47xf32>
    %1 = stablehlo.dot_general %0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<61x47xf32>, tensor<47x35xf32>) -> tensor<61x35xf32>
    return %1 : tensor<61x35xf32>
  }
}
