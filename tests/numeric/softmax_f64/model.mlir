module @jit_softmax attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x133xf64>) -> (tensor<6x133xf64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<6x133xf64>, tensor<f64>) -> tensor<6xf64>
    %cst_0 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %2 = stablehlo.maximum %1, %0 : tensor<6xf64>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<6xf64>) -> tensor<6x1xf64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<6x1xf64>) -> tensor<6x133xf64>
    %5 = stablehlo.subtract %arg0, %4 : tensor<6x133xf64>
    %6 = stablehlo.exponential %5 : tensor<6x133xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<6x133xf64>, tensor<f64>) -> tensor<6xf64>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<6xf64>) -> tensor<6x1xf64>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<6x1xf64>) -> tensor<6x133xf64>
    %10 = stablehlo.divide %6, %9 : tensor<6x133xf64>
    return %10 : tensor<6x133xf64>
  }
}
