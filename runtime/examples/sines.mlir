module @sines {
  func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %two = stablehlo.constant dense<2.0> : tensor<4xf32>
    %one = stablehlo.constant dense<1.0> : tensor<4xf32>
    %twice = stablehlo.multiply %x, %two : tensor<4xf32>
    %sum = stablehlo.add %twice, %one : tensor<4xf32>
    %y = stablehlo.sine %sum : tensor<4xf32>
    return %y : tensor<4xf32>
  }
}
