module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x35x67xf32>, %arg1: tensor<67x3x35xf32>) -> (tensor<67x3x35xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.transpose %arg0, dims = [2, 0, 1] : (tensor<3x35x67xf32>) -> tensor<67x3x35xf32>
    %1 = stablehlo.add %0, %arg1 : tensor<67x3x35xf32>
    return %1 : tensor<67x3x35xf32>
  }
}
