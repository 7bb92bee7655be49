module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x33xf64>, %arg1: tensor<3x129xf64>) -> (tensor<3x33xf64> {jax.result_info = "result[0]"}, tensor<3x33xf64> {jax.result_info = "result[1]"}, tensor<3x129xf64> {jax.result_info = "result[2]"}, tensor<3x129xf64> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<3x33xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<3x33xf64>, tensor<f64>) -> tensor<3xf64>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<3xf64>) -> tensor<3x1xf64>
    %3 = stablehlo.sqrt %2 : tensor<3x1xf64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<3x1xf64>) -> tensor<3x33xf64>
    %5 = stablehlo.divide %arg0, %4 : tensor<3x33xf64>
    %6 = stablehlo.abs %arg0 : tensor<3x33xf64>
    %cst_0 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %7 = stablehlo.reduce(%6 init: %cst_0) applies stablehlo.maximum across dimensions = [1] : (tensor<3x33xf64>, tensor<f64>) -> tensor<3xf64>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<3xf64>) -> tensor<3x1xf64>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<3x1xf64>) -> tensor<3x33xf64>
    %10 = stablehlo.divide %arg0, %9 : tensor<3x33xf64>
    %11 = stablehlo.multiply %arg1, %arg1 : tensor<3x129xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %12 = stablehlo.reduce(%11 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<3x129xf64>, tensor<f64>) -> tensor<3xf64>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<3xf64>) -> tensor<3x1xf64>
    %14 = stablehlo.sqrt %13 : tensor<3x1xf64>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<3x1xf64>) -> tensor<3x129xf64>
    %16 = stablehlo.divide %arg1, %15 : tensor<3x129xf64>
    %17 = stablehlo.abs %arg1 : tensor<3x129xf64>
    %cst_2 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %18 = stablehlo.reduce(%17 init: %cst_2) applies stablehlo.maximum across dimensions = [1] : (tensor<3x129xf64>, tensor<f64>) -> tensor<3xf64>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0] : (tensor<3xf64>) -> tensor<3x1xf64>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1] : (tensor<3x1xf64>) -> tensor<3x129xf64>
    %21 = stablehlo.divide %arg1, %20 : tensor<3x129xf64>
    return %5, %10, %16, %21 : tensor<3x33xf64>, tensor<3x33xf64>, tensor<3x129xf64>, tensor<3x129xf64>
  }
}
