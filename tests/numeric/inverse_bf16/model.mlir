module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<71xbf16>) -> (tensor<71xbf16> {jax.result_info = "result[0]"}, tensor<71xbf16> {jax.result_info = "result[1]"}, tensor<71xbf16> {jax.result_info = "result[2]"}, tensor<71xbf16> {jax.result_info = "result[3]"}, tensor<71xbf16> {jax.result_info = "result[4]"}, tensor<71xbf16> {jax.result_info = "result[5]"}) {
    %0 = chlo.asin %arg0 : tensor<71xbf16> -> tensor<71xbf16>
    %1 = chlo.acos %arg0 : tensor<71xbf16> -> tensor<71xbf16>
    %2 = chlo.atan %arg0 : tensor<71xbf16> -> tensor<71xbf16>
    %3 = chlo.asinh %arg0 : tensor<71xbf16> -> tensor<71xbf16>
    %4 = chlo.acosh %arg0 : tensor<71xbf16> -> tensor<71xbf16>
    %5 = chlo.atanh %arg0 : tensor<71xbf16> -> tensor<71xbf16>
    return %0, %1, %2, %3, %4, %5 : tensor<71xbf16>, tensor<71xbf16>, tensor<71xbf16>, tensor<71xbf16>, tensor<71xbf16>, tensor<71xbf16>
  }
}
