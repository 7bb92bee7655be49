module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<71xf16>) -> (tensor<71xf16> {jax.result_info = "result[0]"}, tensor<71xf16> {jax.result_info = "result[1]"}, tensor<71xf16> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.tanh %arg0 : tensor<71xf16>
    %1 = chlo.sinh %arg0 : tensor<71xf16> -> tensor<71xf16>
    %2 = chlo.cosh %arg0 : tensor<71xf16> -> tensor<71xf16>
    return %0, %1, %2 : tensor<71xf16>, tensor<71xf16>, tensor<71xf16>
  }
}
