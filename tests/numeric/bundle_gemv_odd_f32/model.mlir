module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x129xf32>, %arg1: tensor<129x67xf32>, %arg2: tensor<129x31xf32>, %arg3: tensor<129x31xf32>) -> (tensor<3x67xf32> {jax.result_info = "result[0]"}, tensor<3x31xf32> {jax.result_info = "result[1]"}, tensor<3x31xf32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x129xf32>, tensor<129x67xf32>) -> tensor<3x67xf32>
    %1 = stablehlo.dot_general %arg0, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x129xf32>, tensor<129x31xf32>) -> tensor<3x31xf32>
    %2 = stablehlo.dot_general %arg0, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x129xf32>, tensor<129x31xf32>) -> tensor<3x31xf32>
    return %0, %1, %2 : tensor<3x67xf32>, tensor<3x31xf32>, tensor<3x31xf32>
  }
}
