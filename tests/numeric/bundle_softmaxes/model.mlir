module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<9x777xf32>, %arg1: tensor<5x1031xf64>, %arg2: tensor<17x64xbf16>) -> (tensor<9x777xf32> {jax.result_info = "result[0]"}, tensor<5x1031xf64> {jax.result_info = "result[1]"}, tensor<17x64xbf16> {jax.result_info = "result[2]"}) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<9x777xf32>, tensor<f32>) -> tensor<9xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<9xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<9xf32>) -> tensor<9x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<9x1xf32>) -> tensor<9x777xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<9x777xf32>
    %6 = stablehlo.exponential %5 : tensor<9x777xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<9x777xf32>, tensor<f32>) -> tensor<9xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<9xf32>) -> tensor<9x1xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<9x1xf32>) -> tensor<9x777xf32>
    %10 = stablehlo.divide %6, %9 : tensor<9x777xf32>
    %cst_2 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %11 = stablehlo.reduce(%arg1 init: %cst_2) applies stablehlo.maximum across dimensions = [1] : (tensor<5x1031xf64>, tensor<f64>) -> tensor<5xf64>
    %cst_3 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %12 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %13 = stablehlo.maximum %12, %11 : tensor<5xf64>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<5xf64>) -> tensor<5x1xf64>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<5x1xf64>) -> tensor<5x1031xf64>
    %16 = stablehlo.subtract %arg1, %15 : tensor<5x1031xf64>
    %17 = stablehlo.exponential %16 : tensor<5x1031xf64>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %18 = stablehlo.reduce(%17 init: %cst_4) applies stablehlo.add across dimensions = [1] : (tensor<5x1031xf64>, tensor<f64>) -> tensor<5xf64>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0] : (tensor<5xf64>) -> tensor<5x1xf64>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1] : (tensor<5x1xf64>) -> tensor<5x1031xf64>
    %21 = stablehlo.divide %17, %20 : tensor<5x1031xf64>
    %cst_5 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %22 = stablehlo.reduce(%arg2 init: %cst_5) applies stablehlo.maximum across dimensions = [1] : (tensor<17x64xbf16>, tensor<bf16>) -> tensor<17xbf16>
    %cst_6 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %23 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<bf16>) -> tensor<17xbf16>
    %24 = stablehlo.maximum %23, %22 : tensor<17xbf16>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0] : (tensor<17xbf16>) -> tensor<17x1xbf16>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1] : (tensor<17x1xbf16>) -> tensor<17x64xbf16>
    %27 = stablehlo.subtract %arg2, %26 : tensor<17x64xbf16>
    %28 = stablehlo.exponential %27 : tensor<17x64xbf16>
    %29 = stablehlo.convert %28 : (tensor<17x64xbf16>) -> tensor<17x64xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.reduce(%29 init: %cst_7) applies stablehlo.add across dimensions = [1] : (tensor<17x64xf32>, tensor<f32>) -> tensor<17xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0] : (tensor<17xf32>) -> tensor<17x1xf32>
    %32 = stablehlo.convert %31 : (tensor<17x1xf32>) -> tensor<17x1xbf16>
    %33 = stablehlo.broadcast_in_dim %32, dims = [0, 1] : (tensor<17x1xbf16>) -> tensor<17x64xbf16>
    %34 = stablehlo.divide %28, %33 : tensor<17x64xbf16>
    return %10, %21, %34 : tensor<9x777xf32>, tensor<5x1031xf64>, tensor<17x64xbf16>
  }
}
