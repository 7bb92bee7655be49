module @jit_jax_where_low attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x2x5x8xbf16>, %arg1: tensor<1x2x7x8xbf16>, %arg2: tensor<1x2x7x8xbf16>, %arg3: tensor<1x7xi1>) -> (tensor<1x2x5x8xbf16> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg3, dims = [0, 3] : (tensor<1x7xi1>) -> tensor<1x1x1x7xi1>
    %1 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<1x2x5x8xbf16>, tensor<1x2x7x8xbf16>) -> tensor<1x2x5x7xbf16>
    %cst = stablehlo.constant dense<3.535160e-01> : tensor<bf16>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<1x2x5x7xbf16>
    %3 = stablehlo.multiply %1, %2 : tensor<1x2x5x7xbf16>
    %cst_0 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %4 = call @_where(%0, %3, %cst_0) : (tensor<1x1x1x7xi1>, tensor<1x2x5x7xbf16>, tensor<f32>) -> tensor<1x2x5x7xbf16>
    %5 = stablehlo.broadcast_in_dim %arg3, dims = [0, 3] : (tensor<1x7xi1>) -> tensor<1x1x1x7xi1>
    %cst_1 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %6 = call @_where_0(%5, %4, %cst_1) : (tensor<1x1x1x7xi1>, tensor<1x2x5x7xbf16>, tensor<bf16>) -> tensor<1x2x5x7xbf16>
    %cst_2 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %7 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x5x7xbf16>, tensor<bf16>) -> tensor<1x2x5xbf16>
    %cst_3 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %8 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<bf16>) -> tensor<1x2x5xbf16>
    %9 = stablehlo.maximum %8, %7 : tensor<1x2x5xbf16>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<1x2x5xbf16>) -> tensor<1x2x5x1xbf16>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %11 = call @_where(%5, %4, %cst_4) : (tensor<1x1x1x7xi1>, tensor<1x2x5x7xbf16>, tensor<f32>) -> tensor<1x2x5x7xbf16>
    %12 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2, 3] : (tensor<1x2x5x1xbf16>) -> tensor<1x2x5x7xbf16>
    %13 = stablehlo.subtract %11, %12 : tensor<1x2x5x7xbf16>
    %14 = stablehlo.exponential %13 : tensor<1x2x5x7xbf16>
    %15 = stablehlo.convert %14 : (tensor<1x2x5x7xbf16>) -> tensor<1x2x5x7xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = call @_where_1(%5, %15, %cst_5) : (tensor<1x1x1x7xi1>, tensor<1x2x5x7xf32>, tensor<f32>) -> tensor<1x2x5x7xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.reduce(%16 init: %cst_6) applies stablehlo.add across dimensions = [3] : (tensor<1x2x5x7xf32>, tensor<f32>) -> tensor<1x2x5xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2] : (tensor<1x2x5xf32>) -> tensor<1x2x5x1xf32>
    %19 = stablehlo.convert %18 : (tensor<1x2x5x1xf32>) -> tensor<1x2x5x1xbf16>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1, 2, 3] : (tensor<1x2x5x1xbf16>) -> tensor<1x2x5x7xbf16>
    %21 = stablehlo.divide %14, %20 : tensor<1x2x5x7xbf16>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %22 = call @_where_2(%5, %21, %c) : (tensor<1x1x1x7xi1>, tensor<1x2x5x7xbf16>, tensor<i32>) -> tensor<1x2x5x7xbf16>
    %23 = stablehlo.dot_general %22, %arg2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<1x2x5x7xbf16>, tensor<1x2x7x8xbf16>) -> tensor<1x2x5x8xbf16>
    return %23 : tensor<1x2x5x8xbf16>
  }
  func.func private @_where(%arg0: tensor<1x1x1x7xi1>, %arg1: tensor<1x2x5x7xbf16>, %arg2: tensor<f32>) -> tensor<1x2x5x7xbf16> {
    %0 = stablehlo.convert %arg2 : (tensor<f32>) -> tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<1x1x1x7xi1>) -> tensor<1x2x5x7xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<bf16>) -> tensor<1x2x5x7xbf16>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<1x2x5x7xi1>, tensor<1x2x5x7xbf16>
    return %3 : tensor<1x2x5x7xbf16>
  }
  func.func private @_where_0(%arg0: tensor<1x1x1x7xi1>, %arg1: tensor<1x2x5x7xbf16>, %arg2: tensor<bf16>) -> tensor<1x2x5x7xbf16> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<1x1x1x7xi1>) -> tensor<1x2x5x7xi1>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<bf16>) -> tensor<1x2x5x7xbf16>
    %2 = stablehlo.select %0, %arg1, %1 : tensor<1x2x5x7xi1>, tensor<1x2x5x7xbf16>
    return %2 : tensor<1x2x5x7xbf16>
  }
  func.func private @_where_1(%arg0: tensor<1x1x1x7xi1>, %arg1: tensor<1x2x5x7xf32>, %arg2: tensor<f32>) -> tensor<1x2x5x7xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<1x1x1x7xi1>) -> tensor<1x2x5x7xi1>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<1x2x5x7xf32>
    %2 = stablehlo.select %0, %arg1, %1 : tensor<1x2x5x7xi1>, tensor<1x2x5x7xf32>
    return %2 : tensor<1x2x5x7xf32>
  }
  func.func private @_where_2(%arg0: tensor<1x1x1x7xi1>, %arg1: tensor<1x2x5x7xbf16>, %arg2: tensor<i32>) -> tensor<1x2x5x7xbf16> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<1x1x1x7xi1>) -> tensor<1x2x5x7xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<bf16>) -> tensor<1x2x5x7xbf16>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<1x2x5x7xi1>, tensor<1x2x5x7xbf16>
    return %3 : tensor<1x2x5x7xbf16>
  }
}
