module @quantised_packed_bf16 {
  func.func public @main(%arg0: tensor<1x512xf32>, %arg1: tensor<250x16x16xui8>, %arg2: tensor<250x16xf16>) -> tensor<1x250xf32> {
    %0 = stablehlo.constant dense<15> : tensor<250x16x16xui8>
    %1 = stablehlo.and %arg1, %0 : tensor<250x16x16xui8>
    %2 = stablehlo.constant dense<4> : tensor<250x16x16xui8>
    %3 = stablehlo.shift_right_logical %arg1, %2 : tensor<250x16x16xui8>
    %4 = stablehlo.concatenate %1, %3, dim = 2 : (tensor<250x16x16xui8>, tensor<250x16x16xui8>) -> tensor<250x16x32xui8>
    %5 = stablehlo.convert %4 : (tensor<250x16x32xui8>) -> tensor<250x16x32xf32>
    %6 = stablehlo.constant dense<8.0> : tensor<250x16x32xf32>
    %7 = stablehlo.subtract %5, %6 : tensor<250x16x32xf32>
    %8 = stablehlo.convert %arg2 : (tensor<250x16xf16>) -> tensor<250x16xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<250x16xf32>) -> tensor<250x16x32xf32>
    %10 = stablehlo.multiply %7, %9 : tensor<250x16x32xf32>
    %11 = stablehlo.convert %arg0 : (tensor<1x512xf32>) -> tensor<1x512xbf16>
    %12 = stablehlo.convert %11 : (tensor<1x512xbf16>) -> tensor<1x512xf32>
    %13 = stablehlo.reshape %10 : (tensor<250x16x32xf32>) -> tensor<250x512xf32>
    %14 = stablehlo.dot_general %12, %13, contracting_dims = [1] x [1] : (tensor<1x512xf32>, tensor<250x512xf32>) -> tensor<1x250xf32>
    return %14 : tensor<1x250xf32>
  }
}
