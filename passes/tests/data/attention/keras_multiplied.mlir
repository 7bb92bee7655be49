module @jit_keras_mul attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x2x5x8xbf16>, %arg1: tensor<1x2x7x8xbf16>, %arg2: tensor<1x2x7x8xbf16>, %arg3: tensor<1x7xi1>) -> (tensor<1x2x5x8xbf16> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg3, dims = [0, 3] : (tensor<1x7xi1>) -> tensor<1x1x1x7xi1>
    %1 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<1x2x5x8xbf16>, tensor<1x2x7x8xbf16>) -> tensor<1x2x5x7xbf16>
    %cst = stablehlo.constant dense<3.535160e-01> : tensor<bf16>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<1x2x5x7xbf16>
    %3 = stablehlo.multiply %1, %2 : tensor<1x2x5x7xbf16>
    %cst_0 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %4 = call @_where(%0, %3, %cst_0) : (tensor<1x1x1x7xi1>, tensor<1x2x5x7xbf16>, tensor<f32>) -> tensor<1x2x5x7xbf16>
    %cst_1 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x5x7xbf16>, tensor<bf16>) -> tensor<1x2x5xbf16>
    %cst_2 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %6 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<bf16>) -> tensor<1x2x5xbf16>
    %7 = stablehlo.maximum %6, %5 : tensor<1x2x5xbf16>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<1x2x5xbf16>) -> tensor<1x2x5x1xbf16>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x2x5x1xbf16>) -> tensor<1x2x5x7xbf16>
    %10 = stablehlo.subtract %4, %9 : tensor<1x2x5x7xbf16>
    %11 = stablehlo.exponential %10 : tensor<1x2x5x7xbf16>
    %12 = stablehlo.convert %11 : (tensor<1x2x5x7xbf16>) -> tensor<1x2x5x7xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst_3) applies stablehlo.add across dimensions = [3] : (tensor<1x2x5x7xf32>, tensor<f32>) -> tensor<1x2x5xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<1x2x5xf32>) -> tensor<1x2x5x1xf32>
    %15 = stablehlo.convert %14 : (tensor<1x2x5x1xf32>) -> tensor<1x2x5x1xbf16>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2, 3] : (tensor<1x2x5x1xbf16>) -> tensor<1x2x5x7xbf16>
    %17 = stablehlo.divide %11, %16 : tensor<1x2x5x7xbf16>
    %18 = stablehlo.broadcast_in_dim %arg3, dims = [0, 3] : (tensor<1x7xi1>) -> tensor<1x1x1x7xi1>
    %19 = stablehlo.convert %18 : (tensor<1x1x1x7xi1>) -> tensor<1x1x1x7xbf16>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1, 2, 3] : (tensor<1x1x1x7xbf16>) -> tensor<1x2x5x7xbf16>
    %21 = stablehlo.multiply %17, %20 : tensor<1x2x5x7xbf16>
    %22 = stablehlo.dot_general %21, %arg2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<1x2x5x7xbf16>, tensor<1x2x7x8xbf16>) -> tensor<1x2x5x8xbf16>
    return %22 : tensor<1x2x5x8xbf16>
  }
  func.func private @_where(%arg0: tensor<1x1x1x7xi1>, %arg1: tensor<1x2x5x7xbf16>, %arg2: tensor<f32>) -> tensor<1x2x5x7xbf16> {
    %0 = stablehlo.convert %arg2 : (tensor<f32>) -> tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<1x1x1x7xi1>) -> tensor<1x2x5x7xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<bf16>) -> tensor<1x2x5x7xbf16>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<1x2x5x7xi1>, tensor<1x2x5x7xbf16>
    return %3 : tensor<1x2x5x7xbf16>
  }
}
