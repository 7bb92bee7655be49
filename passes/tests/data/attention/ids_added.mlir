module @jit_added_of_ids attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x2x5x8xbf16>, %arg1: tensor<1x2x7x8xbf16>, %arg2: tensor<1x2x7x8xbf16>, %arg3: tensor<1x7xi32>) -> (tensor<1x2x5x8xbf16> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<1x7xi32>
    %1 = stablehlo.compare NE, %arg3, %0, SIGNED : (tensor<1x7xi32>, tensor<1x7xi32>) -> tensor<1x7xi1>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 3] : (tensor<1x7xi1>) -> tensor<1x1x1x7xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %3 = call @_where(%2, %cst, %cst_0) : (tensor<1x1x1x7xi1>, tensor<f32>, tensor<f32>) -> tensor<1x1x1x7xf32>
    %4 = stablehlo.convert %3 : (tensor<1x1x1x7xf32>) -> tensor<1x1x1x7xbf16>
    %5 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<1x2x5x8xbf16>, tensor<1x2x7x8xbf16>) -> tensor<1x2x5x7xbf16>
    %cst_1 = stablehlo.constant dense<3.535160e-01> : tensor<bf16>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<bf16>) -> tensor<1x2x5x7xbf16>
    %7 = stablehlo.multiply %5, %6 : tensor<1x2x5x7xbf16>
    %8 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2, 3] : (tensor<1x1x1x7xbf16>) -> tensor<1x2x5x7xbf16>
    %9 = stablehlo.add %7, %8 : tensor<1x2x5x7xbf16>
    %10 = stablehlo.convert %9 : (tensor<1x2x5x7xbf16>) -> tensor<1x2x5x7xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %11 = stablehlo.reduce(%10 init: %cst_2) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x5x7xf32>, tensor<f32>) -> tensor<1x2x5xf32>
    %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<1x2x5xf32>
    %13 = stablehlo.maximum %12, %11 : tensor<1x2x5xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<1x2x5xf32>) -> tensor<1x2x5x1xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2, 3] : (tensor<1x2x5x1xf32>) -> tensor<1x2x5x7xf32>
    %16 = stablehlo.subtract %10, %15 : tensor<1x2x5x7xf32>
    %17 = stablehlo.exponential %16 : tensor<1x2x5x7xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.reduce(%17 init: %cst_4) applies stablehlo.add across dimensions = [3] : (tensor<1x2x5x7xf32>, tensor<f32>) -> tensor<1x2x5xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2] : (tensor<1x2x5xf32>) -> tensor<1x2x5x1xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1, 2, 3] : (tensor<1x2x5x1xf32>) -> tensor<1x2x5x7xf32>
    %21 = stablehlo.divide %17, %20 : tensor<1x2x5x7xf32>
    %22 = stablehlo.convert %21 : (tensor<1x2x5x7xf32>) -> tensor<1x2x5x7xbf16>
    %23 = stablehlo.dot_general %22, %arg2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<1x2x5x7xbf16>, tensor<1x2x7x8xbf16>) -> tensor<1x2x5x8xbf16>
    return %23 : tensor<1x2x5x8xbf16>
  }
  func.func private @_where(%arg0: tensor<1x1x1x7xi1>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<1x1x1x7xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1x1x1x7xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<1x1x1x7xf32>
    %2 = stablehlo.select %arg0, %0, %1 : tensor<1x1x1x7xi1>, tensor<1x1x1x7xf32>
    return %2 : tensor<1x1x1x7xf32>
  }
}
