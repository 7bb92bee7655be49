module @quantised_ui8_offset {
  func.func public @main(%arg0: tensor<1x288xf32>, %arg1: tensor<512x9x32xui8>, %arg2: tensor<512x9xf16>, %arg3: tensor<512x9xf16>) -> tensor<1x512xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<512x9x32xui8>) -> tensor<512x9x32xf32>
    %1 = stablehlo.convert %arg2 : (tensor<512x9xf16>) -> tensor<512x9xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<512x9xf32>) -> tensor<512x9x32xf32>
    %3 = stablehlo.multiply %0, %2 : tensor<512x9x32xf32>
    %4 = stablehlo.convert %arg3 : (tensor<512x9xf16>) -> tensor<512x9xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<512x9xf32>) -> tensor<512x9x32xf32>
    %6 = stablehlo.add %3, %5 : tensor<512x9x32xf32>
    %7 = stablehlo.reshape %6 : (tensor<512x9x32xf32>) -> tensor<512x288xf32>
    %8 = stablehlo.dot_general %arg0, %7, contracting_dims = [1] x [1] : (tensor<1x288xf32>, tensor<512x288xf32>) -> tensor<1x512xf32>
    return %8 : tensor<1x512xf32>
  }
}
