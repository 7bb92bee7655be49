module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<31xf32>, %arg1: tensor<31xf32>, %arg2: tensor<31x31xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<31xf32> {jax.result_info = "result[1]"}, tensor<31xf32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<31xf32>, tensor<31xf32>) -> tensor<f32>
    %1 = stablehlo.dot_general %arg2, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<31x31xf32>, tensor<31xf32>) -> tensor<31xf32>
    %2 = stablehlo.dot_general %arg0, %arg2, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<31xf32>, tensor<31x31xf32>) -> tensor<31xf32>
    return %0, %1, %2 : tensor<f32>, tensor<31xf32>, tensor<31xf32>
  }
}
