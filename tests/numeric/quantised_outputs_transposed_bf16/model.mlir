module @quantised_outputs_transposed_bf16 {
  func.func public @main(%arg0: tensor<1x96xf32>, %arg1: tensor<96x264xi8>, %arg2: tensor<264xf32>) -> tensor<1x264xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<96x264xi8>) -> tensor<96x264xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<264xf32>) -> tensor<96x264xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<96x264xf32>
    %3 = stablehlo.convert %arg0 : (tensor<1x96xf32>) -> tensor<1x96xbf16>
    %4 = stablehlo.convert %2 : (tensor<96x264xf32>) -> tensor<96x264xbf16>
    %5 = stablehlo.dot_general %3, %4, contracting_dims = [1] x [0] : (tensor<1x96xbf16>, tensor<96x264xbf16>) -> tensor<1x264xf32>
    return %5 : tensor<1x264xf32>
  }
}
