module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x7xf64>, %arg1: tensor<5x33xf64>, %arg2: tensor<5x129xf64>) -> (tensor<5x7xf64> {jax.result_info = "result[0]"}, tensor<5x33xf64> {jax.result_info = "result[1]"}, tensor<5x129xf64> {jax.result_info = "result[2]"}) {
    %cst = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<5x7xf64>, tensor<f64>) -> tensor<5xf64>
    %cst_0 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %2 = stablehlo.maximum %1, %0 : tensor<5xf64>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<5xf64>) -> tensor<5x1xf64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<5x1xf64>) -> tensor<5x7xf64>
    %5 = stablehlo.subtract %arg0, %4 : tensor<5x7xf64>
    %6 = stablehlo.exponential %5 : tensor<5x7xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<5x7xf64>, tensor<f64>) -> tensor<5xf64>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<5xf64>) -> tensor<5x1xf64>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<5x1xf64>) -> tensor<5x7xf64>
    %10 = stablehlo.divide %6, %9 : tensor<5x7xf64>
    %cst_2 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %11 = stablehlo.reduce(%arg1 init: %cst_2) applies stablehlo.maximum across dimensions = [1] : (tensor<5x33xf64>, tensor<f64>) -> tensor<5xf64>
    %cst_3 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %12 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %13 = stablehlo.maximum %12, %11 : tensor<5xf64>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<5xf64>) -> tensor<5x1xf64>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<5x1xf64>) -> tensor<5x33xf64>
    %16 = stablehlo.subtract %arg1, %15 : tensor<5x33xf64>
    %17 = stablehlo.exponential %16 : tensor<5x33xf64>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %18 = stablehlo.reduce(%17 init: %cst_4) applies stablehlo.add across dimensions = [1] : (tensor<5x33xf64>, tensor<f64>) -> tensor<5xf64>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0] : (tensor<5xf64>) -> tensor<5x1xf64>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1] : (tensor<5x1xf64>) -> tensor<5x33xf64>
    %21 = stablehlo.divide %17, %20 : tensor<5x33xf64>
    %cst_5 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %22 = stablehlo.reduce(%arg2 init: %cst_5) applies stablehlo.maximum across dimensions = [1] : (tensor<5x129xf64>, tensor<f64>) -> tensor<5xf64>
    %cst_6 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %23 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %24 = stablehlo.maximum %23, %22 : tensor<5xf64>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0] : (tensor<5xf64>) -> tensor<5x1xf64>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1] : (tensor<5x1xf64>) -> tensor<5x129xf64>
    %27 = stablehlo.subtract %arg2, %26 : tensor<5x129xf64>
    %28 = stablehlo.exponential %27 : tensor<5x129xf64>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %29 = stablehlo.reduce(%28 init: %cst_7) applies stablehlo.add across dimensions = [1] : (tensor<5x129xf64>, tensor<f64>) -> tensor<5xf64>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0] : (tensor<5xf64>) -> tensor<5x1xf64>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1] : (tensor<5x1xf64>) -> tensor<5x129xf64>
    %32 = stablehlo.divide %28, %31 : tensor<5x129xf64>
    return %10, %21, %32 : tensor<5x7xf64>, tensor<5x33xf64>, tensor<5x129xf64>
  }
}
