module @remainder_complex64 {
  func.func public @main(%arg0: tensor<60xcomplex<f32>>, %arg1: tensor<60xcomplex<f32>>) -> (tensor<60xcomplex<f32>>) {
    %0 = "stablehlo.remainder"(%arg0, %arg1) : (tensor<60xcomplex<f32>>, tensor<60xcomplex<f32>>) -> tensor<60xcomplex<f32>>
    return %0 : tensor<60xcomplex<f32>>
  }
}
