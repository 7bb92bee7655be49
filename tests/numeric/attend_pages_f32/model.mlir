module @jit_decode attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x2x3x64xf32>, %arg1: tensor<7x2x8x64xf32>, %arg2: tensor<7x2x8x64xf32>, %arg3: tensor<3x5xi32>, %arg4: tensor<3xi32>) -> (tensor<3x2x3x64xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 3 : tensor<3x1x1x40xi32>
    %1 = stablehlo.broadcast_in_dim %arg4, dims = [0] : (tensor<3xi32>) -> tensor<3x1x1x1xi32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<3x1x1x1xi32>) -> tensor<3x1x1x40xi32>
    %3 = stablehlo.compare LE, %0, %2, SIGNED : (tensor<3x1x1x40xi32>, tensor<3x1x1x40xi32>) -> tensor<3x1x1x40xi1>
    %4 = call @_take(%arg1, %arg3) : (tensor<7x2x8x64xf32>, tensor<3x5xi32>) -> tensor<3x5x2x8x64xf32>
    %5 = stablehlo.transpose %4, dims = [0, 2, 1, 3, 4] : (tensor<3x5x2x8x64xf32>) -> tensor<3x2x5x8x64xf32>
    %6 = stablehlo.reshape %5 : (tensor<3x2x5x8x64xf32>) -> tensor<3x2x40x64xf32>
    %7 = call @_take(%arg2, %arg3) : (tensor<7x2x8x64xf32>, tensor<3x5xi32>) -> tensor<3x5x2x8x64xf32>
    %8 = stablehlo.transpose %7, dims = [0, 2, 1, 3, 4] : (tensor<3x5x2x8x64xf32>) -> tensor<3x2x5x8x64xf32>
    %9 = stablehlo.reshape %8 : (tensor<3x2x5x8x64xf32>) -> tensor<3x2x40x64xf32>
    %10 = stablehlo.dot_general %arg0, %6, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<3x2x3x64xf32>, tensor<3x2x40x64xf32>) -> tensor<3x2x3x40xf32>
    %cst = stablehlo.constant dense<1.250000e-01> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x2x3x40xf32>
    %12 = stablehlo.multiply %10, %11 : tensor<3x2x3x40xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %13 = call @_where(%3, %12, %cst_0) : (tensor<3x1x1x40xi1>, tensor<3x2x3x40xf32>, tensor<f32>) -> tensor<3x2x3x40xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %14 = stablehlo.reduce(%13 init: %cst_1) applies stablehlo.maximum across dimensions = [3] : (tensor<3x2x3x40xf32>, tensor<f32>) -> tensor<3x2x3xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3x2x3xf32>
    %16 = stablehlo.maximum %15, %14 : tensor<3x2x3xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2] : (tensor<3x2x3xf32>) -> tensor<3x2x3x1xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2, 3] : (tensor<3x2x3x1xf32>) -> tensor<3x2x3x40xf32>
    %19 = stablehlo.subtract %13, %18 : tensor<3x2x3x40xf32>
    %20 = stablehlo.exponential %19 : tensor<3x2x3x40xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.reduce(%20 init: %cst_3) applies stablehlo.add across dimensions = [3] : (tensor<3x2x3x40xf32>, tensor<f32>) -> tensor<3x2x3xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2] : (tensor<3x2x3xf32>) -> tensor<3x2x3x1xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2, 3] : (tensor<3x2x3x1xf32>) -> tensor<3x2x3x40xf32>
    %24 = stablehlo.divide %20, %23 : tensor<3x2x3x40xf32>
    %25 = stablehlo.dot_general %24, %9, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<3x2x3x40xf32>, tensor<3x2x40x64xf32>) -> tensor<3x2x3x64xf32>
    return %25 : tensor<3x2x3x64xf32>
  }
  func.func private @_take(%arg0: tensor<7x2x8x64xf32>, %arg1: tensor<3x5xi32>) -> tensor<3x5x2x8x64xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1] : (tensor<3x5xi32>) -> tensor<3x5x1xi32>
    %1 = "stablehlo.gather"(%arg0, %0) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3, 4], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2, 8, 64>}> : (tensor<7x2x8x64xf32>, tensor<3x5x1xi32>) -> tensor<3x5x2x8x64xf32>
    return %1 : tensor<3x5x2x8x64xf32>
  }
  func.func private @_where(%arg0: tensor<3x1x1x40xi1>, %arg1: tensor<3x2x3x40xf32>, %arg2: tensor<f32>) -> tensor<3x2x3x40xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<3x1x1x40xi1>) -> tensor<3x2x3x40xi1>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<3x2x3x40xf32>
    %2 = stablehlo.select %0, %arg1, %1 : tensor<3x2x3x40xi1>, tensor<3x2x3x40xf32>
    return %2 : tensor<3x2x3x40xf32>
  }
}
