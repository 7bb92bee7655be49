module @chlo_rest {
  func.func public @main(%arg0: tensor<7xcomplex<f32>>, %arg1: tensor<7xf32>, %arg2: tensor<7xf32>, %arg3: tensor<7xf32>) -> (tensor<7xcomplex<f32>>, tensor<7xcomplex<f32>>, tensor<7xi1>, tensor<7xi1>, tensor<7xi1>, tensor<7xf32>, tensor<7xf32>, tensor<2x2xf32>, tensor<7xf32>, tensor<7xf32>) {
    %0 = "chlo.conj"(%arg0) : (tensor<7xcomplex<f32>>) -> tensor<7xcomplex<f32>>
    %1 = "chlo.square"(%arg0) : (tensor<7xcomplex<f32>>) -> tensor<7xcomplex<f32>>
    %2 = "chlo.is_inf"(%arg1) : (tensor<7xf32>) -> tensor<7xi1>
    %3 = "chlo.is_pos_inf"(%arg1) : (tensor<7xf32>) -> tensor<7xi1>
    %4 = "chlo.is_neg_inf"(%arg1) : (tensor<7xf32>) -> tensor<7xi1>
    %5 = "chlo.polygamma"(%arg2, %arg3) : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %6 = "chlo.constant_like"(%arg3) <{value = 2.5 : f32}> : (tensor<7xf32>) -> tensor<7xf32>
    %7 = "chlo.constant"() <{value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>}> : () -> tensor<2x2xf32>
    %8 = chlo._asin_acos_kernel %arg0 : tensor<7xcomplex<f32>> -> tensor<7xcomplex<f32>>
    %9 = stablehlo.real %arg0 : (tensor<7xcomplex<f32>>) -> tensor<7xf32>
    %10 = stablehlo.real %8 : (tensor<7xcomplex<f32>>) -> tensor<7xf32>
    %11 = stablehlo.atan2 %9, %10 : tensor<7xf32>
    %12 = stablehlo.imag %8 : (tensor<7xcomplex<f32>>) -> tensor<7xf32>
    return %0, %1, %2, %3, %4, %5, %6, %7, %11, %12 : tensor<7xcomplex<f32>>, tensor<7xcomplex<f32>>, tensor<7xi1>, tensor<7xi1>, tensor<7xi1>, tensor<7xf32>, tensor<7xf32>, tensor<2x2xf32>, tensor<7xf32>, tensor<7xf32>
  }
}
