module @quantised_outputs_transposed {
  func.func public @main(%arg0: tensor<2x96xf32>, %arg1: tensor<96x136xi8>, %arg2: tensor<136xf32>) -> tensor<2x136xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<96x136xi8>) -> tensor<96x136xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<136xf32>) -> tensor<96x136xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<96x136xf32>
    %3 = stablehlo.dot_general %arg0, %2, contracting_dims = [1] x [0] : (tensor<2x96xf32>, tensor<96x136xf32>) -> tensor<2x136xf32>
    return %3 : tensor<2x136xf32>
  }
}
