module @quantised_i8_odd {
  func.func public @main(%arg0: tensor<3x120xf32>, %arg1: tensor<37x5x24xi8>, %arg2: tensor<37x5xf16>) -> tensor<3x37xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<37x5x24xi8>) -> tensor<37x5x24xf32>
    %1 = stablehlo.convert %arg2 : (tensor<37x5xf16>) -> tensor<37x5xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<37x5xf32>) -> tensor<37x5x24xf32>
    %3 = stablehlo.multiply %0, %2 : tensor<37x5x24xf32>
    %4 = stablehlo.reshape %3 : (tensor<37x5x24xf32>) -> tensor<37x120xf32>
    %5 = stablehlo.dot_general %arg0, %4, contracting_dims = [1] x [1] : (tensor<3x120xf32>, tensor<37x120xf32>) -> tensor<3x37xf32>
    return %5 : tensor<3x37xf32>
  }
}
