module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x7x9xf32>) -> (tensor<5x9x7xf32> {jax.result_info = "result[0]"}, tensor<9x7x5xf32> {jax.result_info = "result[1]"}, tensor<7x5x9xf32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.transpose %arg0, dims = [0, 2, 1] : (tensor<5x7x9xf32>) -> tensor<5x9x7xf32>
    %1 = stablehlo.transpose %arg0, dims = [2, 1, 0] : (tensor<5x7x9xf32>) -> tensor<9x7x5xf32>
    %2 = stablehlo.transpose %arg0, dims = [1, 0, 2] : (tensor<5x7x9xf32>) -> tensor<7x5x9xf32>
    return %0, %1, %2 : tensor<5x9x7xf32>, tensor<9x7x5xf32>, tensor<7x5x9xf32>
  }
}
