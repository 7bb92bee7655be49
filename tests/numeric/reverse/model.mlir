module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x7x9xf32>) -> (tensor<5x7x9xf32> {jax.result_info = "result[0]"}, tensor<5x7x9xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.reverse %arg0, dims = [0] : tensor<5x7x9xf32>
    %1 = stablehlo.reverse %arg0, dims = [1, 2] : tensor<5x7x9xf32>
    return %0, %1 : tensor<5x7x9xf32>, tensor<5x7x9xf32>
  }
}
