module @picked_matrices_bf16 {
  func.func public @main(%arg0: tensor<2x128xf32>, %arg1: tensor<7x96x128xf32>, %arg2: tensor<2xi32>) -> tensor<2x96xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<7x96x128xf32>) -> tensor<7x96x128xbf16>
    %1 = stablehlo.convert %0 : (tensor<7x96x128xbf16>) -> tensor<7x96x128xf32>
    %2 = "stablehlo.gather"(%1, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 96, 128>}> : (tensor<7x96x128xf32>, tensor<2xi32>) -> tensor<2x96x128xf32>
    %3 = stablehlo.dot_general %arg0, %2, batching_dims = [0] x [0], contracting_dims = [1] x [2] : (tensor<2x128xf32>, tensor<2x96x128xf32>) -> tensor<2x96xf32>
    return %3 : tensor<2x96xf32>
  }
}
