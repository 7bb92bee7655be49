module @donated {
  func.func public @main(%x: tensor<64xf32> {tf.aliasing_output = 0 : i32}, %y: tensor<64xf32>) -> (tensor<64xf32>, tensor<f32>) {
    %0 = stablehlo.add %x, %y : tensor<64xf32>
    %c = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
    return %0, %1 : tensor<64xf32>, tensor<f32>
  }
}
