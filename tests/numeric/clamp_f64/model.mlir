module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<36xf64>) -> (tensor<36xf64> {jax.result_info = "result[0]"}, tensor<36xi1> {jax.result_info = "result[1]"}, tensor<36xf64> {jax.result_info = "result[2]"}) {
    %cst = stablehlo.constant dense<-1.000000e+00> : tensor<f64>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<36xf64>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<36xf64>
    %2 = stablehlo.clamp %0, %arg0, %1 : tensor<36xf64>
    %3 = stablehlo.is_finite %arg0 : (tensor<36xf64>) -> tensor<36xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<36xf64>
    %5 = stablehlo.compare GT, %arg0, %4, FLOAT : (tensor<36xf64>, tensor<36xf64>) -> tensor<36xi1>
    %6 = stablehlo.negate %arg0 : tensor<36xf64>
    %7 = call @_where(%5, %arg0, %6) : (tensor<36xi1>, tensor<36xf64>, tensor<36xf64>) -> tensor<36xf64>
    return %2, %3, %7 : tensor<36xf64>, tensor<36xi1>, tensor<36xf64>
  }
  func.func private @_where(%arg0: tensor<36xi1>, %arg1: tensor<36xf64>, %arg2: tensor<36xf64>) -> tensor<36xf64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<36xi1>, tensor<36xf64>
    return %0 : tensor<36xf64>
  }
}
