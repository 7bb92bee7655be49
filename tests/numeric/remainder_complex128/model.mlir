module @remainder_complex128 {
  func.func public @main(%arg0: tensor<60xcomplex<f64>>, %arg1: tensor<60xcomplex<f64>>) -> (tensor<60xcomplex<f64>>) {
    %0 = "stablehlo.remainder"(%arg0, %arg1) : (tensor<60xcomplex<f64>>, tensor<60xcomplex<f64>>) -> tensor<60xcomplex<f64>>
    return %0 : tensor<60xcomplex<f64>>
  }
}
