module @jit_any_visible attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x2x5x8xf32>, %arg1: tensor<1x2x7x8xf32>, %arg2: tensor<1x2x7x8xf32>, %arg3: tensor<1x7xi1>) -> (tensor<1x2x5x8xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg3, dims = [0, 3] : (tensor<1x7xi1>) -> tensor<1x1x1x7xi1>
    %1 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<1x2x5x8xf32>, tensor<1x2x7x8xf32>) -> tensor<1x2x5x7xf32>
    %cst = stablehlo.constant dense<0.353553385> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x2x5x7xf32>
    %3 = stablehlo.multiply %1, %2 : tensor<1x2x5x7xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %4 = call @_where(%0, %3, %cst_0) : (tensor<1x1x1x7xi1>, tensor<1x2x5x7xf32>, tensor<f32>) -> tensor<1x2x5x7xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x5x7xf32>, tensor<f32>) -> tensor<1x2x5xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<1x2x5xf32>
    %7 = stablehlo.maximum %6, %5 : tensor<1x2x5xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<1x2x5xf32>) -> tensor<1x2x5x1xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x2x5x1xf32>) -> tensor<1x2x5x7xf32>
    %10 = stablehlo.subtract %4, %9 : tensor<1x2x5x7xf32>
    %11 = stablehlo.exponential %10 : tensor<1x2x5x7xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.reduce(%11 init: %cst_3) applies stablehlo.add across dimensions = [3] : (tensor<1x2x5x7xf32>, tensor<f32>) -> tensor<1x2x5xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2] : (tensor<1x2x5xf32>) -> tensor<1x2x5x1xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2, 3] : (tensor<1x2x5x1xf32>) -> tensor<1x2x5x7xf32>
    %15 = stablehlo.divide %11, %14 : tensor<1x2x5x7xf32>
    %16 = stablehlo.broadcast_in_dim %arg3, dims = [0, 3] : (tensor<1x7xi1>) -> tensor<1x1x1x7xi1>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %17 = stablehlo.reduce(%16 init: %c) applies stablehlo.or across dimensions = [3] : (tensor<1x1x1x7xi1>, tensor<i1>) -> tensor<1x1x1xi1>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2] : (tensor<1x1x1xi1>) -> tensor<1x1x1x1xi1>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %19 = call @_where_0(%18, %15, %c_4) : (tensor<1x1x1x1xi1>, tensor<1x2x5x7xf32>, tensor<i32>) -> tensor<1x2x5x7xf32>
    %20 = stablehlo.dot_general %19, %arg2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<1x2x5x7xf32>, tensor<1x2x7x8xf32>) -> tensor<1x2x5x8xf32>
    return %20 : tensor<1x2x5x8xf32>
  }
  func.func private @_where(%arg0: tensor<1x1x1x7xi1>, %arg1: tensor<1x2x5x7xf32>, %arg2: tensor<f32>) -> tensor<1x2x5x7xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<1x1x1x7xi1>) -> tensor<1x2x5x7xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1x2x5x7xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<1x2x5x7xi1>, tensor<1x2x5x7xf32>
    return %3 : tensor<1x2x5x7xf32>
  }
  func.func private @_where_0(%arg0: tensor<1x1x1x1xi1>, %arg1: tensor<1x2x5x7xf32>, %arg2: tensor<i32>) -> tensor<1x2x5x7xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi1>) -> tensor<1x2x5x7xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1x2x5x7xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<1x2x5x7xi1>, tensor<1x2x5x7xf32>
    return %3 : tensor<1x2x5x7xf32>
  }
}
