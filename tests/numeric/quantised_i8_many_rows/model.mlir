module @quantised_i8_many_rows {
  func.func public @main(%arg0: tensor<17x128xf32>, %arg1: tensor<48x4x32xi8>, %arg2: tensor<48x4xf16>) -> tensor<17x48xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<48x4x32xi8>) -> tensor<48x4x32xf32>
    %1 = stablehlo.convert %arg2 : (tensor<48x4xf16>) -> tensor<48x4xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<48x4xf32>) -> tensor<48x4x32xf32>
    %3 = stablehlo.multiply %0, %2 : tensor<48x4x32xf32>
    %4 = stablehlo.reshape %3 : (tensor<48x4x32xf32>) -> tensor<48x128xf32>
    %5 = stablehlo.dot_general %arg0, %4, contracting_dims = [1] x [1] : (tensor<17x128xf32>, tensor<48x128xf32>) -> tensor<17x48xf32>
    return %5 : tensor<17x48xf32>
  }
}
