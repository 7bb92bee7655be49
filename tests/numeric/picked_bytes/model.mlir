module @picked_bytes {
  func.func public @main(%arg0: tensor<3x120xf32>, %arg1: tensor<6x45x5x24xui8>, %arg2: tensor<3x1xi32>, %arg3: tensor<6x45x5xf16>) -> tensor<3x45xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<6x45x5x24xui8>) -> tensor<6x45x5x24xf32>
    %1 = stablehlo.constant dense<8.0> : tensor<6x45x5x24xf32>
    %2 = stablehlo.subtract %0, %1 : tensor<6x45x5x24xf32>
    %3 = stablehlo.convert %arg3 : (tensor<6x45x5xf16>) -> tensor<6x45x5xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<6x45x5xf32>) -> tensor<6x45x5x24xf32>
    %5 = stablehlo.multiply %2, %4 : tensor<6x45x5x24xf32>
    %6 = "stablehlo.gather"(%5, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2, 3], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 45, 5, 24>}> : (tensor<6x45x5x24xf32>, tensor<3x1xi32>) -> tensor<3x45x5x24xf32>
    %7 = stablehlo.reshape %6 : (tensor<3x45x5x24xf32>) -> tensor<3x45x120xf32>
    %8 = stablehlo.dot_general %arg0, %7, batching_dims = [0] x [0], contracting_dims = [1] x [2] : (tensor<3x120xf32>, tensor<3x45x120xf32>) -> tensor<3x45xf32>
    return %8 : tensor<3x45xf32>
  }
}
