module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<71xf32>) -> (tensor<71xf32> {jax.result_info = "result[0]"}, tensor<71xf32> {jax.result_info = "result[1]"}, tensor<71xf32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.sine %arg0 : tensor<71xf32>
    %1 = stablehlo.cosine %arg0 : tensor<71xf32>
    %2 = stablehlo.tan %arg0 : tensor<71xf32>
    return %0, %1, %2 : tensor<71xf32>, tensor<71xf32>, tensor<71xf32>
  }
}
