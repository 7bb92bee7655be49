module @parts_of_reals {
  func.func public @main(%arg0: tensor<7xf32>) -> (tensor<7xf32>, tensor<7xf32>) {
    %0 = "stablehlo.real"(%arg0) : (tensor<7xf32>) -> tensor<7xf32>
    %1 = "stablehlo.imag"(%arg0) : (tensor<7xf32>) -> tensor<7xf32>
    return %0, %1 : tensor<7xf32>, tensor<7xf32>
  }
}
