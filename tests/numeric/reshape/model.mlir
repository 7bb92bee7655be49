module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x7x9xf32>) -> (tensor<35x9xf32> {jax.result_info = "result[0]"}, tensor<315xf32> {jax.result_info = "result[1]"}, tensor<1x5x1x63xf32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.reshape %arg0 : (tensor<5x7x9xf32>) -> tensor<35x9xf32>
    %1 = stablehlo.reshape %arg0 : (tensor<5x7x9xf32>) -> tensor<315xf32>
    %2 = stablehlo.reshape %arg0 : (tensor<5x7x9xf32>) -> tensor<1x5x1x63xf32>
    return %0, %1, %2 : tensor<35x9xf32>, tensor<315xf32>, tensor<1x5x1x63xf32>
  }
}
