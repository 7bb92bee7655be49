module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x2x33x32xbf16>, %arg1: tensor<1x2x33x32xbf16>, %arg2: tensor<1x2x33x32xbf16>) -> (tensor<1x2x33x32xbf16> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 0 : tensor<33x33xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<33x33xi32>
    %2 = stablehlo.subtract %0, %1 : tensor<33x33xi32>
    %3 = stablehlo.iota dim = 1 : tensor<33x33xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<33x33xi32>, tensor<33x33xi32>) -> tensor<33x33xi1>
    %5 = stablehlo.iota dim = 0 : tensor<33x33xi32>
    %c_0 = stablehlo.constant dense<7> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<33x33xi32>
    %7 = stablehlo.subtract %5, %6 : tensor<33x33xi32>
    %8 = stablehlo.iota dim = 1 : tensor<33x33xi32>
    %9 = stablehlo.compare GE, %7, %8, SIGNED : (tensor<33x33xi32>, tensor<33x33xi32>) -> tensor<33x33xi1>
    %10 = stablehlo.not %9 : tensor<33x33xi1>
    %11 = stablehlo.and %4, %10 : tensor<33x33xi1>
    %12 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<1x2x33x32xbf16>, tensor<1x2x33x32xbf16>) -> tensor<1x2x33x33xf32>
    %cst = stablehlo.constant dense<0.176776692> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x2x33x33xf32>
    %14 = stablehlo.multiply %12, %13 : tensor<1x2x33x33xf32>
    %cst_1 = stablehlo.constant dense<-2.38197633E+38> : tensor<f32>
    %15 = call @_where(%11, %14, %cst_1) : (tensor<33x33xi1>, tensor<1x2x33x33xf32>, tensor<f32>) -> tensor<1x2x33x33xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %16 = stablehlo.reduce(%15 init: %cst_2) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x33x33xf32>, tensor<f32>) -> tensor<1x2x33xf32>
    %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<1x2x33xf32>
    %18 = stablehlo.maximum %17, %16 : tensor<1x2x33xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2] : (tensor<1x2x33xf32>) -> tensor<1x2x33x1xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1, 2, 3] : (tensor<1x2x33x1xf32>) -> tensor<1x2x33x33xf32>
    %21 = stablehlo.subtract %15, %20 : tensor<1x2x33x33xf32>
    %22 = stablehlo.exponential %21 : tensor<1x2x33x33xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.reduce(%22 init: %cst_4) applies stablehlo.add across dimensions = [3] : (tensor<1x2x33x33xf32>, tensor<f32>) -> tensor<1x2x33xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1, 2] : (tensor<1x2x33xf32>) -> tensor<1x2x33x1xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0, 1, 2, 3] : (tensor<1x2x33x1xf32>) -> tensor<1x2x33x33xf32>
    %26 = stablehlo.divide %22, %25 : tensor<1x2x33x33xf32>
    %27 = stablehlo.convert %26 : (tensor<1x2x33x33xf32>) -> tensor<1x2x33x33xbf16>
    %28 = stablehlo.dot_general %27, %arg2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<1x2x33x33xbf16>, tensor<1x2x33x32xbf16>) -> tensor<1x2x33x32xbf16>
    return %28 : tensor<1x2x33x32xbf16>
  }
  func.func private @_where(%arg0: tensor<33x33xi1>, %arg1: tensor<1x2x33x33xf32>, %arg2: tensor<f32>) -> tensor<1x2x33x33xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<33x33xi1>) -> tensor<1x2x33x33xi1>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<1x2x33x33xf32>
    %2 = stablehlo.select %0, %arg1, %1 : tensor<1x2x33x33xi1>, tensor<1x2x33x33xf32>
    return %2 : tensor<1x2x33x33xf32>
  }
}
