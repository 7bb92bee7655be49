module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x33xf16>, %arg1: tensor<3x129xf16>) -> (tensor<3x33xf16> {jax.result_info = "result[0]"}, tensor<3x33xf16> {jax.result_info = "result[1]"}, tensor<3x129xf16> {jax.result_info = "result[2]"}, tensor<3x129xf16> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<3x33xf16>
    %1 = stablehlo.convert %0 : (tensor<3x33xf16>) -> tensor<3x33xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<3x33xf32>, tensor<f32>) -> tensor<3xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
    %4 = stablehlo.convert %3 : (tensor<3x1xf32>) -> tensor<3x1xf16>
    %5 = stablehlo.sqrt %4 : tensor<3x1xf16>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<3x1xf16>) -> tensor<3x33xf16>
    %7 = stablehlo.divide %arg0, %6 : tensor<3x33xf16>
    %8 = stablehlo.abs %arg0 : tensor<3x33xf16>
    %cst_0 = stablehlo.constant dense<0xFC00> : tensor<f16>
    %9 = stablehlo.reduce(%8 init: %cst_0) applies stablehlo.maximum across dimensions = [1] : (tensor<3x33xf16>, tensor<f16>) -> tensor<3xf16>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<3xf16>) -> tensor<3x1xf16>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<3x1xf16>) -> tensor<3x33xf16>
    %12 = stablehlo.divide %arg0, %11 : tensor<3x33xf16>
    %13 = stablehlo.multiply %arg1, %arg1 : tensor<3x129xf16>
    %14 = stablehlo.convert %13 : (tensor<3x129xf16>) -> tensor<3x129xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<3x129xf32>, tensor<f32>) -> tensor<3xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
    %17 = stablehlo.convert %16 : (tensor<3x1xf32>) -> tensor<3x1xf16>
    %18 = stablehlo.sqrt %17 : tensor<3x1xf16>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1] : (tensor<3x1xf16>) -> tensor<3x129xf16>
    %20 = stablehlo.divide %arg1, %19 : tensor<3x129xf16>
    %21 = stablehlo.abs %arg1 : tensor<3x129xf16>
    %cst_2 = stablehlo.constant dense<0xFC00> : tensor<f16>
    %22 = stablehlo.reduce(%21 init: %cst_2) applies stablehlo.maximum across dimensions = [1] : (tensor<3x129xf16>, tensor<f16>) -> tensor<3xf16>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0] : (tensor<3xf16>) -> tensor<3x1xf16>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1] : (tensor<3x1xf16>) -> tensor<3x129xf16>
    %25 = stablehlo.divide %arg1, %24 : tensor<3x129xf16>
    return %7, %12, %20, %25 : tensor<3x33xf16>, tensor<3x33xf16>, tensor<3x129xf16>, tensor<3x129xf16>
  }
}
