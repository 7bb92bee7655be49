module @softmax {
  func.func public @predict(%x: tensor<4x1000xf32>) -> tensor<4x1000xf32> {
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %max = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<4x1000xf32>, tensor<f32>) -> tensor<4xf32>
    %wide_max = stablehlo.broadcast_in_dim %max, dims = [0] : (tensor<4xf32>) -> tensor<4x1000xf32>
    %shifted = stablehlo.subtract %x, %wide_max : tensor<4x1000xf32>
    %exp = stablehlo.exponential %shifted : tensor<4x1000xf32>
    %sum = stablehlo.reduce(%exp init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x1000xf32>, tensor<f32>) -> tensor<4xf32>
    %wide_sum = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<4xf32>) -> tensor<4x1000xf32>
    %result = stablehlo.divide %exp, %wide_sum : tensor<4x1000xf32>
    return %result : tensor<4x1000xf32>
  }
}
