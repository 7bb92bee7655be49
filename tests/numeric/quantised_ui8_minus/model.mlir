module @quantised_ui8_minus {
  func.func public @main(%arg0: tensor<8x48xf32>, %arg1: tensor<64x3x16xui8>, %arg2: tensor<64x3xf16>) -> tensor<8x64xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<64x3x16xui8>) -> tensor<64x3x16xf32>
    %1 = stablehlo.constant dense<128.0> : tensor<64x3x16xf32>
    %2 = stablehlo.subtract %0, %1 : tensor<64x3x16xf32>
    %3 = stablehlo.convert %arg2 : (tensor<64x3xf16>) -> tensor<64x3xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<64x3xf32>) -> tensor<64x3x16xf32>
    %5 = stablehlo.multiply %2, %4 : tensor<64x3x16xf32>
    %6 = stablehlo.reshape %5 : (tensor<64x3x16xf32>) -> tensor<64x48xf32>
    %7 = stablehlo.dot_general %arg0, %6, contracting_dims = [1] x [1] : (tensor<8x48xf32>, tensor<64x48xf32>) -> tensor<8x64xf32>
    return %7 : tensor<8x64xf32>
  }
}
