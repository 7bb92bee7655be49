module @jit_decode attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x2x4x24xf32>, %arg1: tensor<3x2x77x24xf32>, %arg2: tensor<3x2x77x24xf32>, %arg3: tensor<3xi32>) -> (tensor<3x2x4x24xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 3 : tensor<3x1x1x77xi32>
    %1 = stablehlo.broadcast_in_dim %arg3, dims = [0] : (tensor<3xi32>) -> tensor<3x1x1x1xi32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<3x1x1x1xi32>) -> tensor<3x1x1x77xi32>
    %3 = stablehlo.compare LE, %0, %2, SIGNED : (tensor<3x1x1x77xi32>, tensor<3x1x1x77xi32>) -> tensor<3x1x1x77xi1>
    %4 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<3x1x1x1xi32>) -> tensor<3x1x1x77xi32>
    %5 = stablehlo.subtract %4, %0 : tensor<3x1x1x77xi32>
    %c = stablehlo.constant dense<20> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3x1x1x77xi32>
    %7 = stablehlo.compare LT, %5, %6, SIGNED : (tensor<3x1x1x77xi32>, tensor<3x1x1x77xi32>) -> tensor<3x1x1x77xi1>
    %8 = stablehlo.and %3, %7 : tensor<3x1x1x77xi1>
    %9 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<3x2x4x24xf32>, tensor<3x2x77x24xf32>) -> tensor<3x2x4x77xf32>
    %cst = stablehlo.constant dense<0.204124153> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x2x4x77xf32>
    %11 = stablehlo.multiply %9, %10 : tensor<3x2x4x77xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %12 = call @_where(%8, %11, %cst_0) : (tensor<3x1x1x77xi1>, tensor<3x2x4x77xf32>, tensor<f32>) -> tensor<3x2x4x77xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst_1) applies stablehlo.maximum across dimensions = [3] : (tensor<3x2x4x77xf32>, tensor<f32>) -> tensor<3x2x4xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3x2x4xf32>
    %15 = stablehlo.maximum %14, %13 : tensor<3x2x4xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<3x2x4xf32>) -> tensor<3x2x4x1xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2, 3] : (tensor<3x2x4x1xf32>) -> tensor<3x2x4x77xf32>
    %18 = stablehlo.subtract %12, %17 : tensor<3x2x4x77xf32>
    %19 = stablehlo.exponential %18 : tensor<3x2x4x77xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.reduce(%19 init: %cst_3) applies stablehlo.add across dimensions = [3] : (tensor<3x2x4x77xf32>, tensor<f32>) -> tensor<3x2x4xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<3x2x4xf32>) -> tensor<3x2x4x1xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2, 3] : (tensor<3x2x4x1xf32>) -> tensor<3x2x4x77xf32>
    %23 = stablehlo.divide %19, %22 : tensor<3x2x4x77xf32>
    %24 = stablehlo.dot_general %23, %arg2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<3x2x4x77xf32>, tensor<3x2x77x24xf32>) -> tensor<3x2x4x24xf32>
    return %24 : tensor<3x2x4x24xf32>
  }
  func.func private @_where(%arg0: tensor<3x1x1x77xi1>, %arg1: tensor<3x2x4x77xf32>, %arg2: tensor<f32>) -> tensor<3x2x4x77xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<3x1x1x77xi1>) -> tensor<3x2x4x77xi1>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<3x2x4x77xf32>
    %2 = stablehlo.select %0, %arg1, %1 : tensor<3x2x4x77xi1>, tensor<3x2x4x77xf32>
    return %2 : tensor<3x2x4x77xf32>
  }
}
