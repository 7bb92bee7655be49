module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<71xf64>) -> (tensor<71xf64> {jax.result_info = "result[0]"}, tensor<71xf64> {jax.result_info = "result[1]"}, tensor<71xf64> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.exponential %arg0 : tensor<71xf64>
    %1 = stablehlo.exponential_minus_one %arg0 : tensor<71xf64>
    %2 = stablehlo.negate %arg0 : tensor<71xf64>
    %3 = stablehlo.exponential %2 : tensor<71xf64>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<71xf64>
    %5 = stablehlo.add %4, %3 : tensor<71xf64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<71xf64>
    %7 = stablehlo.divide %6, %5 : tensor<71xf64>
    return %0, %1, %7 : tensor<71xf64>, tensor<71xf64>, tensor<71xf64>
  }
}
