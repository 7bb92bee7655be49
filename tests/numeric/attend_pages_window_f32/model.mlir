module @jit_decode attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x2x4x64xf32>, %arg1: tensor<7x2x8x64xf32>, %arg2: tensor<7x2x8x64xf32>, %arg3: tensor<3x5xi32>, %arg4: tensor<3xi32>) -> (tensor<3x2x4x64xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 3 : tensor<3x1x1x40xi32>
    %1 = stablehlo.broadcast_in_dim %arg4, dims = [0] : (tensor<3xi32>) -> tensor<3x1x1x1xi32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<3x1x1x1xi32>) -> tensor<3x1x1x40xi32>
    %3 = stablehlo.compare LE, %0, %2, SIGNED : (tensor<3x1x1x40xi32>, tensor<3x1x1x40xi32>) -> tensor<3x1x1x40xi1>
    %4 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<3x1x1x1xi32>) -> tensor<3x1x1x40xi32>
    %5 = stablehlo.subtract %4, %0 : tensor<3x1x1x40xi32>
    %c = stablehlo.constant dense<11> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3x1x1x40xi32>
    %7 = stablehlo.compare LT, %5, %6, SIGNED : (tensor<3x1x1x40xi32>, tensor<3x1x1x40xi32>) -> tensor<3x1x1x40xi1>
    %8 = stablehlo.and %3, %7 : tensor<3x1x1x40xi1>
    %9 = call @_take(%arg1, %arg3) : (tensor<7x2x8x64xf32>, tensor<3x5xi32>) -> tensor<3x5x2x8x64xf32>
    %10 = stablehlo.transpose %9, dims = [0, 2, 1, 3, 4] : (tensor<3x5x2x8x64xf32>) -> tensor<3x2x5x8x64xf32>
    %11 = stablehlo.reshape %10 : (tensor<3x2x5x8x64xf32>) -> tensor<3x2x40x64xf32>
    %12 = call @_take(%arg2, %arg3) : (tensor<7x2x8x64xf32>, tensor<3x5xi32>) -> tensor<3x5x2x8x64xf32>
    %13 = stablehlo.transpose %12, dims = [0, 2, 1, 3, 4] : (tensor<3x5x2x8x64xf32>) -> tensor<3x2x5x8x64xf32>
    %14 = stablehlo.reshape %13 : (tensor<3x2x5x8x64xf32>) -> tensor<3x2x40x64xf32>
    %15 = stablehlo.dot_general %arg0, %11, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<3x2x4x64xf32>, tensor<3x2x40x64xf32>) -> tensor<3x2x4x40xf32>
    %cst = stablehlo.constant dense<1.250000e-01> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x2x4x40xf32>
    %17 = stablehlo.multiply %15, %16 : tensor<3x2x4x40xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %18 = call @_where(%8, %17, %cst_0) : (tensor<3x1x1x40xi1>, tensor<3x2x4x40xf32>, tensor<f32>) -> tensor<3x2x4x40xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %19 = stablehlo.reduce(%18 init: %cst_1) applies stablehlo.maximum across dimensions = [3] : (tensor<3x2x4x40xf32>, tensor<f32>) -> tensor<3x2x4xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3x2x4xf32>
    %21 = stablehlo.maximum %20, %19 : tensor<3x2x4xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2] : (tensor<3x2x4xf32>) -> tensor<3x2x4x1xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2, 3] : (tensor<3x2x4x1xf32>) -> tensor<3x2x4x40xf32>
    %24 = stablehlo.subtract %18, %23 : tensor<3x2x4x40xf32>
    %25 = stablehlo.exponential %24 : tensor<3x2x4x40xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %26 = stablehlo.reduce(%25 init: %cst_3) applies stablehlo.add across dimensions = [3] : (tensor<3x2x4x40xf32>, tensor<f32>) -> tensor<3x2x4xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<3x2x4xf32>) -> tensor<3x2x4x1xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [0, 1, 2, 3] : (tensor<3x2x4x1xf32>) -> tensor<3x2x4x40xf32>
    %29 = stablehlo.divide %25, %28 : tensor<3x2x4x40xf32>
    %30 = stablehlo.dot_general %29, %14, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<3x2x4x40xf32>, tensor<3x2x40x64xf32>) -> tensor<3x2x4x64xf32>
    return %30 : tensor<3x2x4x64xf32>
  }
  func.func private @_take(%arg0: tensor<7x2x8x64xf32>, %arg1: tensor<3x5xi32>) -> tensor<3x5x2x8x64xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1] : (tensor<3x5xi32>) -> tensor<3x5x1xi32>
    %1 = "stablehlo.gather"(%arg0, %0) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3, 4], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2, 8, 64>}> : (tensor<7x2x8x64xf32>, tensor<3x5x1xi32>) -> tensor<3x5x2x8x64xf32>
    return %1 : tensor<3x5x2x8x64xf32>
  }
  func.func private @_where(%arg0: tensor<3x1x1x40xi1>, %arg1: tensor<3x2x4x40xf32>, %arg2: tensor<f32>) -> tensor<3x2x4x40xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<3x1x1x40xi1>) -> tensor<3x2x4x40xi1>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<3x2x4x40xf32>
    %2 = stablehlo.select %0, %arg1, %1 : tensor<3x2x4x40xi1>, tensor<3x2x4x40xf32>
    return %2 : tensor<3x2x4x40xf32>
  }
}
