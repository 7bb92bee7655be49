module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5xi32>, %arg1: tensor<3x2xi32>) -> (tensor<5x4xui8> {jax.result_info = "result[0]"}, tensor<3xi64> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<5xi32>) -> tensor<5x4xui8>
    %1 = stablehlo.bitcast_convert %arg1 : (tensor<3x2xi32>) -> tensor<3xi64>
    return %0, %1 : tensor<5x4xui8>, tensor<3xi64>
  }
}
