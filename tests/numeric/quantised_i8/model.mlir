module @quantised_i8 {
  func.func public @main(%arg0: tensor<1x192xf32>, %arg1: tensor<96x6x32xi8>, %arg2: tensor<96x6xf16>) -> tensor<1x96xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<96x6x32xi8>) -> tensor<96x6x32xf32>
    %1 = stablehlo.convert %arg2 : (tensor<96x6xf16>) -> tensor<96x6xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<96x6xf32>) -> tensor<96x6x32xf32>
    %3 = stablehlo.multiply %0, %2 : tensor<96x6x32xf32>
    %4 = stablehlo.reshape %3 : (tensor<96x6x32xf32>) -> tensor<96x192xf32>
    %5 = stablehlo.dot_general %arg0, %4, contracting_dims = [1] x [1] : (tensor<1x192xf32>, tensor<96x192xf32>) -> tensor<1x96xf32>
    return %5 : tensor<1x96xf32>
  }
}
