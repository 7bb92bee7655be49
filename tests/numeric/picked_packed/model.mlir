module @picked_packed {
  func.func public @main(%arg0: tensor<2x192xf32>, %arg1: tensor<8x64x6x16xui8>, %arg2: tensor<2x1xi32>, %arg3: tensor<8x64x6xf16>) -> tensor<2x64xf32> {
    %0 = stablehlo.constant dense<15> : tensor<8x64x6x16xui8>
    %1 = stablehlo.and %arg1, %0 : tensor<8x64x6x16xui8>
    %2 = stablehlo.constant dense<4> : tensor<8x64x6x16xui8>
    %3 = stablehlo.shift_right_logical %arg1, %2 : tensor<8x64x6x16xui8>
    %4 = stablehlo.concatenate %1, %3, dim = 3 : (tensor<8x64x6x16xui8>, tensor<8x64x6x16xui8>) -> tensor<8x64x6x32xui8>
    %5 = stablehlo.convert %4 : (tensor<8x64x6x32xui8>) -> tensor<8x64x6x32xf32>
    %6 = stablehlo.constant dense<8.0> : tensor<8x64x6x32xf32>
    %7 = stablehlo.subtract %5, %6 : tensor<8x64x6x32xf32>
    %8 = stablehlo.convert %arg3 : (tensor<8x64x6xf16>) -> tensor<8x64x6xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<8x64x6xf32>) -> tensor<8x64x6x32xf32>
    %10 = stablehlo.multiply %7, %9 : tensor<8x64x6x32xf32>
    %11 = "stablehlo.gather"(%10, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2, 3], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 64, 6, 32>}> : (tensor<8x64x6x32xf32>, tensor<2x1xi32>) -> tensor<2x64x6x32xf32>
    %12 = stablehlo.reshape %11 : (tensor<2x64x6x32xf32>) -> tensor<2x64x192xf32>
    %13 = stablehlo.dot_general %arg0, %12, batching_dims = [0] x [0], contracting_dims = [1] x [2] : (tensor<2x192xf32>, tensor<2x64x192xf32>) -> tensor<2x64xf32>
    return %13 : tensor<2x64xf32>
  }
}
