module @quantised_packed_many_rows {
  func.func public @main(%arg0: tensor<9x192xf32>, %arg1: tensor<64x6x16xui8>, %arg2: tensor<64x6xf16>) -> tensor<9x64xf32> {
    %0 = stablehlo.constant dense<15> : tensor<64x6x16xui8>
    %1 = stablehlo.and %arg1, %0 : tensor<64x6x16xui8>
    %2 = stablehlo.constant dense<4> : tensor<64x6x16xui8>
    %3 = stablehlo.shift_right_logical %arg1, %2 : tensor<64x6x16xui8>
    %4 = stablehlo.concatenate %1, %3, dim = 2 : (tensor<64x6x16xui8>, tensor<64x6x16xui8>) -> tensor<64x6x32xui8>
    %5 = stablehlo.convert %4 : (tensor<64x6x32xui8>) -> tensor<64x6x32xf32>
    %6 = stablehlo.constant dense<8.0> : tensor<64x6x32xf32>
    %7 = stablehlo.subtract %5, %6 : tensor<64x6x32xf32>
    %8 = stablehlo.convert %arg2 : (tensor<64x6xf16>) -> tensor<64x6xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<64x6xf32>) -> tensor<64x6x32xf32>
    %10 = stablehlo.multiply %7, %9 : tensor<64x6x32xf32>
    %11 = stablehlo.reshape %10 : (tensor<64x6x32xf32>) -> tensor<64x192xf32>
    %12 = stablehlo.dot_general %arg0, %11, contracting_dims = [1] x [1] : (tensor<9x192xf32>, tensor<64x192xf32>) -> tensor<9x64xf32>
    return %12 : tensor<9x64xf32>
  }
}
