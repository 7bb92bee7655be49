module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x2x1x64xbf16>, %arg1: tensor<1x2x301x64xbf16>, %arg2: tensor<1x2x301x64xbf16>, %arg3: tensor<1xi32>) -> (tensor<1x2x1x64xbf16> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 3 : tensor<1x1x1x301xi32>
    %1 = stablehlo.broadcast_in_dim %arg3, dims = [0] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<1x1x1x301xi32>
    %3 = stablehlo.compare LT, %0, %2, SIGNED : (tensor<1x1x1x301xi32>, tensor<1x1x1x301xi32>) -> tensor<1x1x1x301xi1>
    %4 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<1x2x1x64xbf16>, tensor<1x2x301x64xbf16>) -> tensor<1x2x1x301xf32>
    %cst = stablehlo.constant dense<1.250000e-01> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x2x1x301xf32>
    %6 = stablehlo.multiply %4, %5 : tensor<1x2x1x301xf32>
    %cst_0 = stablehlo.constant dense<-2.38197633E+38> : tensor<f32>
    %7 = call @_where(%3, %6, %cst_0) : (tensor<1x1x1x301xi1>, tensor<1x2x1x301xf32>, tensor<f32>) -> tensor<1x2x1x301xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x1x301xf32>, tensor<f32>) -> tensor<1x2x1xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<1x2x1xf32>
    %10 = stablehlo.maximum %9, %8 : tensor<1x2x1xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2] : (tensor<1x2x1xf32>) -> tensor<1x2x1x1xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2, 3] : (tensor<1x2x1x1xf32>) -> tensor<1x2x1x301xf32>
    %13 = stablehlo.subtract %7, %12 : tensor<1x2x1x301xf32>
    %14 = stablehlo.exponential %13 : tensor<1x2x1x301xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_3) applies stablehlo.add across dimensions = [3] : (tensor<1x2x1x301xf32>, tensor<f32>) -> tensor<1x2x1xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<1x2x1xf32>) -> tensor<1x2x1x1xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2, 3] : (tensor<1x2x1x1xf32>) -> tensor<1x2x1x301xf32>
    %18 = stablehlo.divide %14, %17 : tensor<1x2x1x301xf32>
    %19 = stablehlo.convert %18 : (tensor<1x2x1x301xf32>) -> tensor<1x2x1x301xbf16>
    %20 = stablehlo.dot_general %19, %arg2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<1x2x1x301xbf16>, tensor<1x2x301x64xbf16>) -> tensor<1x2x1x64xbf16>
    return %20 : tensor<1x2x1x64xbf16>
  }
  func.func private @_where(%arg0: tensor<1x1x1x301xi1>, %arg1: tensor<1x2x1x301xf32>, %arg2: tensor<f32>) -> tensor<1x2x1x301xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<1x1x1x301xi1>) -> tensor<1x2x1x301xi1>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<1x2x1x301xf32>
    %2 = stablehlo.select %0, %arg1, %1 : tensor<1x2x1x301xi1>, tensor<1x2x1x301xf32>
    return %2 : tensor<1x2x1x301xf32>
  }
}
