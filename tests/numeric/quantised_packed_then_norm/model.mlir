module @quantised_packed_then_norm {
  func.func public @main(%arg0: tensor<1x768xf32>, %arg1: tensor<384x24x16xui8>, %arg2: tensor<384x24xf16>) -> tensor<1x384xf32> {
    %0 = stablehlo.constant dense<15> : tensor<384x24x16xui8>
    %1 = stablehlo.and %arg1, %0 : tensor<384x24x16xui8>
    %2 = stablehlo.constant dense<4> : tensor<384x24x16xui8>
    %3 = stablehlo.shift_right_logical %arg1, %2 : tensor<384x24x16xui8>
    %4 = stablehlo.concatenate %1, %3, dim = 2 : (tensor<384x24x16xui8>, tensor<384x24x16xui8>) -> tensor<384x24x32xui8>
    %5 = stablehlo.convert %4 : (tensor<384x24x32xui8>) -> tensor<384x24x32xf32>
    %6 = stablehlo.constant dense<8.0> : tensor<384x24x32xf32>
    %7 = stablehlo.subtract %5, %6 : tensor<384x24x32xf32>
    %8 = stablehlo.convert %arg2 : (tensor<384x24xf16>) -> tensor<384x24xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<384x24xf32>) -> tensor<384x24x32xf32>
    %10 = stablehlo.multiply %7, %9 : tensor<384x24x32xf32>
    %11 = stablehlo.reshape %10 : (tensor<384x24x32xf32>) -> tensor<384x768xf32>
    %12 = stablehlo.dot_general %arg0, %11, contracting_dims = [1] x [1] : (tensor<1x768xf32>, tensor<384x768xf32>) -> tensor<1x384xf32>
    %13 = stablehlo.slice %arg0 [0:1, 0:384] : (tensor<1x768xf32>) -> tensor<1x384xf32>
    %14 = stablehlo.add %13, %12 : tensor<1x384xf32>
    %15 = stablehlo.multiply %14, %14 : tensor<1x384xf32>
    %16 = stablehlo.constant dense<0.0> : tensor<f32>
    %17 = stablehlo.reduce(%15 init: %16) applies stablehlo.add across dimensions = [1] : (tensor<1x384xf32>, tensor<f32>) -> tensor<1xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0] : (tensor<1xf32>) -> tensor<1x384xf32>
    %19 = stablehlo.constant dense<384.0> : tensor<1x384xf32>
    %20 = stablehlo.divide %18, %19 : tensor<1x384xf32>
    %21 = stablehlo.multiply %14, %20 : tensor<1x384xf32>
    return %21 : tensor<1x384xf32>
  }
}
