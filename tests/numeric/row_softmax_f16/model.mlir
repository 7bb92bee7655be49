module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x7xf16>, %arg1: tensor<5x33xf16>, %arg2: tensor<5x129xf16>) -> (tensor<5x7xf16> {jax.result_info = "result[0]"}, tensor<5x33xf16> {jax.result_info = "result[1]"}, tensor<5x129xf16> {jax.result_info = "result[2]"}) {
    %cst = stablehlo.constant dense<0xFC00> : tensor<f16>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<5x7xf16>, tensor<f16>) -> tensor<5xf16>
    %cst_0 = stablehlo.constant dense<0xFC00> : tensor<f16>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<5xf16>
    %2 = stablehlo.maximum %1, %0 : tensor<5xf16>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<5xf16>) -> tensor<5x1xf16>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<5x1xf16>) -> tensor<5x7xf16>
    %5 = stablehlo.subtract %arg0, %4 : tensor<5x7xf16>
    %6 = stablehlo.exponential %5 : tensor<5x7xf16>
    %7 = stablehlo.convert %6 : (tensor<5x7xf16>) -> tensor<5x7xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<5x7xf32>, tensor<f32>) -> tensor<5xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %10 = stablehlo.convert %9 : (tensor<5x1xf32>) -> tensor<5x1xf16>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<5x1xf16>) -> tensor<5x7xf16>
    %12 = stablehlo.divide %6, %11 : tensor<5x7xf16>
    %cst_2 = stablehlo.constant dense<0xFC00> : tensor<f16>
    %13 = stablehlo.reduce(%arg1 init: %cst_2) applies stablehlo.maximum across dimensions = [1] : (tensor<5x33xf16>, tensor<f16>) -> tensor<5xf16>
    %cst_3 = stablehlo.constant dense<0xFC00> : tensor<f16>
    %14 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f16>) -> tensor<5xf16>
    %15 = stablehlo.maximum %14, %13 : tensor<5xf16>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0] : (tensor<5xf16>) -> tensor<5x1xf16>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (tensor<5x1xf16>) -> tensor<5x33xf16>
    %18 = stablehlo.subtract %arg1, %17 : tensor<5x33xf16>
    %19 = stablehlo.exponential %18 : tensor<5x33xf16>
    %20 = stablehlo.convert %19 : (tensor<5x33xf16>) -> tensor<5x33xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.reduce(%20 init: %cst_4) applies stablehlo.add across dimensions = [1] : (tensor<5x33xf32>, tensor<f32>) -> tensor<5xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %23 = stablehlo.convert %22 : (tensor<5x1xf32>) -> tensor<5x1xf16>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1] : (tensor<5x1xf16>) -> tensor<5x33xf16>
    %25 = stablehlo.divide %19, %24 : tensor<5x33xf16>
    %cst_5 = stablehlo.constant dense<0xFC00> : tensor<f16>
    %26 = stablehlo.reduce(%arg2 init: %cst_5) applies stablehlo.maximum across dimensions = [1] : (tensor<5x129xf16>, tensor<f16>) -> tensor<5xf16>
    %cst_6 = stablehlo.constant dense<0xFC00> : tensor<f16>
    %27 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f16>) -> tensor<5xf16>
    %28 = stablehlo.maximum %27, %26 : tensor<5xf16>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0] : (tensor<5xf16>) -> tensor<5x1xf16>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0, 1] : (tensor<5x1xf16>) -> tensor<5x129xf16>
    %31 = stablehlo.subtract %arg2, %30 : tensor<5x129xf16>
    %32 = stablehlo.exponential %31 : tensor<5x129xf16>
    %33 = stablehlo.convert %32 : (tensor<5x129xf16>) -> tensor<5x129xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.reduce(%33 init: %cst_7) applies stablehlo.add across dimensions = [1] : (tensor<5x129xf32>, tensor<f32>) -> tensor<5xf32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %36 = stablehlo.convert %35 : (tensor<5x1xf32>) -> tensor<5x1xf16>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0, 1] : (tensor<5x1xf16>) -> tensor<5x129xf16>
    %38 = stablehlo.divide %32, %37 : tensor<5x129xf16>
    return %12, %25, %38 : tensor<5x7xf16>, tensor<5x33xf16>, tensor<5x129xf16>
  }
}
