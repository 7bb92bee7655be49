module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<71xbf16>) -> (tensor<71xbf16> {jax.result_info = "result[0]"}, tensor<71xbf16> {jax.result_info = "result[1]"}, tensor<71xbf16> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.sqrt %arg0 : tensor<71xbf16>
    %1 = stablehlo.rsqrt %arg0 : tensor<71xbf16>
    %2 = stablehlo.cbrt %arg0 : tensor<71xbf16>
    return %0, %1, %2 : tensor<71xbf16>, tensor<71xbf16>, tensor<71xbf16>
  }
}
