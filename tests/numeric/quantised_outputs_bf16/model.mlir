module @quantised_outputs_bf16 {
  func.func public @main(%arg0: tensor<1x160xf32>, %arg1: tensor<200x160xi8>, %arg2: tensor<200xf32>) -> tensor<1x200xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<200x160xi8>) -> tensor<200x160xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [0] : (tensor<200xf32>) -> tensor<200x160xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<200x160xf32>
    %3 = stablehlo.convert %arg0 : (tensor<1x160xf32>) -> tensor<1x160xbf16>
    %4 = stablehlo.convert %2 : (tensor<200x160xf32>) -> tensor<200x160xbf16>
    %5 = stablehlo.dot_general %3, %4, contracting_dims = [1] x [1] : (tensor<1x160xbf16>, tensor<200x160xbf16>) -> tensor<1x200xf32>
    return %5 : tensor<1x200xf32>
  }
}
