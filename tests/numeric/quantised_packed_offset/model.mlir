module @quantised_packed_offset {
  func.func public @main(%arg0: tensor<1x512xf32>, %arg1: tensor<320x16x16xui8>, %arg2: tensor<320x16xf16>, %arg3: tensor<320x16xf16>) -> tensor<1x320xf32> {
    %0 = stablehlo.constant dense<15> : tensor<320x16x16xui8>
    %1 = stablehlo.and %arg1, %0 : tensor<320x16x16xui8>
    %2 = stablehlo.constant dense<4> : tensor<320x16x16xui8>
    %3 = stablehlo.shift_right_logical %arg1, %2 : tensor<320x16x16xui8>
    %4 = stablehlo.concatenate %1, %3, dim = 2 : (tensor<320x16x16xui8>, tensor<320x16x16xui8>) -> tensor<320x16x32xui8>
    %5 = stablehlo.convert %4 : (tensor<320x16x32xui8>) -> tensor<320x16x32xf32>
    %6 = stablehlo.convert %arg2 : (tensor<320x16xf16>) -> tensor<320x16xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<320x16xf32>) -> tensor<320x16x32xf32>
    %8 = stablehlo.multiply %5, %7 : tensor<320x16x32xf32>
    %9 = stablehlo.convert %arg3 : (tensor<320x16xf16>) -> tensor<320x16xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<320x16xf32>) -> tensor<320x16x32xf32>
    %11 = stablehlo.add %8, %10 : tensor<320x16x32xf32>
    %12 = stablehlo.reshape %11 : (tensor<320x16x32xf32>) -> tensor<320x512xf32>
    %13 = stablehlo.dot_general %arg0, %12, contracting_dims = [1] x [1] : (tensor<1x512xf32>, tensor<320x512xf32>) -> tensor<1x320xf32>
    return %13 : tensor<1x320xf32>
  }
}
