module @jit_decode attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x2x3x24xbf16>, %arg1: tensor<3x2x77x24xbf16>, %arg2: tensor<3x2x77x24xbf16>, %arg3: tensor<3xi32>) -> (tensor<3x2x3x24xbf16> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 3 : tensor<3x1x1x77xi32>
    %1 = stablehlo.broadcast_in_dim %arg3, dims = [0] : (tensor<3xi32>) -> tensor<3x1x1x1xi32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<3x1x1x1xi32>) -> tensor<3x1x1x77xi32>
    %3 = stablehlo.compare LE, %0, %2, SIGNED : (tensor<3x1x1x77xi32>, tensor<3x1x1x77xi32>) -> tensor<3x1x1x77xi1>
    %4 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<3x2x3x24xbf16>, tensor<3x2x77x24xbf16>) -> tensor<3x2x3x77xf32>
    %cst = stablehlo.constant dense<0.204124153> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x2x3x77xf32>
    %6 = stablehlo.multiply %4, %5 : tensor<3x2x3x77xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %7 = call @_where(%3, %6, %cst_0) : (tensor<3x1x1x77xi1>, tensor<3x2x3x77xf32>, tensor<f32>) -> tensor<3x2x3x77xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.maximum across dimensions = [3] : (tensor<3x2x3x77xf32>, tensor<f32>) -> tensor<3x2x3xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3x2x3xf32>
    %10 = stablehlo.maximum %9, %8 : tensor<3x2x3xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2] : (tensor<3x2x3xf32>) -> tensor<3x2x3x1xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2, 3] : (tensor<3x2x3x1xf32>) -> tensor<3x2x3x77xf32>
    %13 = stablehlo.subtract %7, %12 : tensor<3x2x3x77xf32>
    %14 = stablehlo.exponential %13 : tensor<3x2x3x77xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_3) applies stablehlo.add across dimensions = [3] : (tensor<3x2x3x77xf32>, tensor<f32>) -> tensor<3x2x3xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<3x2x3xf32>) -> tensor<3x2x3x1xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2, 3] : (tensor<3x2x3x1xf32>) -> tensor<3x2x3x77xf32>
    %18 = stablehlo.divide %14, %17 : tensor<3x2x3x77xf32>
    %19 = stablehlo.convert %18 : (tensor<3x2x3x77xf32>) -> tensor<3x2x3x77xbf16>
    %20 = stablehlo.dot_general %19, %arg2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<3x2x3x77xbf16>, tensor<3x2x77x24xbf16>) -> tensor<3x2x3x24xbf16>
    return %20 : tensor<3x2x3x24xbf16>
  }
  func.func private @_where(%arg0: tensor<3x1x1x77xi1>, %arg1: tensor<3x2x3x77xf32>, %arg2: tensor<f32>) -> tensor<3x2x3x77xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<3x1x1x77xi1>) -> tensor<3x2x3x77xi1>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<3x2x3x77xf32>
    %2 = stablehlo.select %0, %arg1, %1 : tensor<3x2x3x77xi1>, tensor<3x2x3x77xf32>
    return %2 : tensor<3x2x3x77xf32>
  }
}
