module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<5x7xi32> {jax.result_info = "result[0]"}, tensor<5x7xf32> {jax.result_info = "result[1]"}, tensor<300xui8> {jax.result_info = "result[2]"}, tensor<300xbf16> {jax.result_info = "result[3]"}, tensor<3xi64> {jax.result_info = "result[4]"}) {
    %0 = stablehlo.iota dim = 0 : tensor<5x7xi32>
    %1 = stablehlo.iota dim = 1 : tensor<5x7xf32>
    %2 = stablehlo.iota dim = 0 : tensor<300xui8>
    %3 = stablehlo.iota dim = 0 : tensor<300xbf16>
    %4 = stablehlo.iota dim = 0 : tensor<3xi64>
    return %0, %1, %2, %3, %4 : tensor<5x7xi32>, tensor<5x7xf32>, tensor<300xui8>, tensor<300xbf16>, tensor<3xi64>
  }
}
