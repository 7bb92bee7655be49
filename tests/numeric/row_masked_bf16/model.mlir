module @jit_masked_softmax attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3x9x40xbf16>, %arg1: tensor<9x40xi1>) -> (tensor<2x3x9x40xbf16> {jax.result_info = "result"}) {
    %0 = stablehlo.convert %arg0 : (tensor<2x3x9x40xbf16>) -> tensor<2x3x9x40xf32>
    %cst = stablehlo.constant dense<1.250000e-01> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3x9x40xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<2x3x9x40xf32>
    %cst_0 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %3 = call @_where(%arg1, %2, %cst_0) : (tensor<9x40xi1>, tensor<2x3x9x40xf32>, tensor<f64>) -> tensor<2x3x9x40xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_1) applies stablehlo.maximum across dimensions = [3] : (tensor<2x3x9x40xf32>, tensor<f32>) -> tensor<2x3x9xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x3x9xf32>
    %6 = stablehlo.maximum %5, %4 : tensor<2x3x9xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1, 2] : (tensor<2x3x9xf32>) -> tensor<2x3x9x1xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2, 3] : (tensor<2x3x9x1xf32>) -> tensor<2x3x9x40xf32>
    %9 = stablehlo.subtract %3, %8 : tensor<2x3x9x40xf32>
    %10 = stablehlo.exponential %9 : tensor<2x3x9x40xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%10 init: %cst_3) applies stablehlo.add across dimensions = [3] : (tensor<2x3x9x40xf32>, tensor<f32>) -> tensor<2x3x9xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<2x3x9xf32>) -> tensor<2x3x9x1xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2, 3] : (tensor<2x3x9x1xf32>) -> tensor<2x3x9x40xf32>
    %14 = stablehlo.divide %10, %13 : tensor<2x3x9x40xf32>
    %15 = stablehlo.convert %14 : (tensor<2x3x9x40xf32>) -> tensor<2x3x9x40xbf16>
    return %15 : tensor<2x3x9x40xbf16>
  }
  func.func private @_where(%arg0: tensor<9x40xi1>, %arg1: tensor<2x3x9x40xf32>, %arg2: tensor<f64>) -> tensor<2x3x9x40xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<f64>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<9x40xi1>) -> tensor<2x3x9x40xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x3x9x40xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<2x3x9x40xi1>, tensor<2x3x9x40xf32>
    return %3 : tensor<2x3x9x40xf32>
  }
}
