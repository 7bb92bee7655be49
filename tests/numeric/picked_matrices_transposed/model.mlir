module @picked_matrices_transposed {
  func.func public @main(%arg0: tensor<3x72xf32>, %arg1: tensor<3x72x64xf32>, %arg2: tensor<3x1xi32>) -> tensor<3x64xf32> {
    %0 = "stablehlo.gather"(%arg1, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 72, 64>}> : (tensor<3x72x64xf32>, tensor<3x1xi32>) -> tensor<3x72x64xf32>
    %1 = stablehlo.dot_general %arg0, %0, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<3x72xf32>, tensor<3x72x64xf32>) -> tensor<3x64xf32>
    return %1 : tensor<3x64xf32>
  }
}
