module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<71xf16>) -> (tensor<71xf16> {jax.result_info = "result[0]"}, tensor<71xf16> {jax.result_info = "result[1]"}, tensor<71xf16> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.exponential %arg0 : tensor<71xf16>
    %1 = stablehlo.exponential_minus_one %arg0 : tensor<71xf16>
    %2 = stablehlo.negate %arg0 : tensor<71xf16>
    %3 = stablehlo.exponential %2 : tensor<71xf16>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<71xf16>
    %5 = stablehlo.add %4, %3 : tensor<71xf16>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<71xf16>
    %7 = stablehlo.divide %6, %5 : tensor<71xf16>
    return %0, %1, %7 : tensor<71xf16>, tensor<71xf16>, tensor<71xf16>
  }
}
