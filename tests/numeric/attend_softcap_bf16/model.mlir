module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x2x33x32xbf16>, %arg1: tensor<1x2x33x32xbf16>, %arg2: tensor<1x2x33x32xbf16>) -> (tensor<1x2x33x32xbf16> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 0 : tensor<33x33xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<33x33xi32>
    %2 = stablehlo.subtract %0, %1 : tensor<33x33xi32>
    %3 = stablehlo.iota dim = 1 : tensor<33x33xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<33x33xi32>, tensor<33x33xi32>) -> tensor<33x33xi1>
    %5 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<1x2x33x32xbf16>, tensor<1x2x33x32xbf16>) -> tensor<1x2x33x33xf32>
    %cst = stablehlo.constant dense<0.176776692> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x2x33x33xf32>
    %7 = stablehlo.multiply %5, %6 : tensor<1x2x33x33xf32>
    %cst_0 = stablehlo.constant dense<5.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1x2x33x33xf32>
    %9 = stablehlo.divide %7, %8 : tensor<1x2x33x33xf32>
    %10 = stablehlo.tanh %9 : tensor<1x2x33x33xf32>
    %cst_1 = stablehlo.constant dense<5.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<1x2x33x33xf32>
    %12 = stablehlo.multiply %10, %11 : tensor<1x2x33x33xf32>
    %cst_2 = stablehlo.constant dense<-2.38197633E+38> : tensor<f32>
    %13 = call @_where(%4, %12, %cst_2) : (tensor<33x33xi1>, tensor<1x2x33x33xf32>, tensor<f32>) -> tensor<1x2x33x33xf32>
    %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %14 = stablehlo.reduce(%13 init: %cst_3) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x33x33xf32>, tensor<f32>) -> tensor<1x2x33xf32>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<1x2x33xf32>
    %16 = stablehlo.maximum %15, %14 : tensor<1x2x33xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2] : (tensor<1x2x33xf32>) -> tensor<1x2x33x1xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2, 3] : (tensor<1x2x33x1xf32>) -> tensor<1x2x33x33xf32>
    %19 = stablehlo.subtract %13, %18 : tensor<1x2x33x33xf32>
    %20 = stablehlo.exponential %19 : tensor<1x2x33x33xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.reduce(%20 init: %cst_5) applies stablehlo.add across dimensions = [3] : (tensor<1x2x33x33xf32>, tensor<f32>) -> tensor<1x2x33xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2] : (tensor<1x2x33xf32>) -> tensor<1x2x33x1xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2, 3] : (tensor<1x2x33x1xf32>) -> tensor<1x2x33x33xf32>
    %24 = stablehlo.divide %20, %23 : tensor<1x2x33x33xf32>
    %25 = stablehlo.convert %24 : (tensor<1x2x33x33xf32>) -> tensor<1x2x33x33xbf16>
    %26 = stablehlo.dot_general %25, %arg2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<1x2x33x33xbf16>, tensor<1x2x33x32xbf16>) -> tensor<1x2x33x32xbf16>
    return %26 : tensor<1x2x33x32xbf16>
  }
  func.func private @_where(%arg0: tensor<33x33xi1>, %arg1: tensor<1x2x33x33xf32>, %arg2: tensor<f32>) -> tensor<1x2x33x33xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<33x33xi1>) -> tensor<1x2x33x33xi1>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<1x2x33x33xf32>
    %2 = stablehlo.select %0, %arg1, %1 : tensor<1x2x33x33xi1>, tensor<1x2x33x33xf32>
    return %2 : tensor<1x2x33x33xf32>
  }
}
