// sin(2 x + 1) of 4000 x 4000 numbers.
func.func @main(%x: tensor<4000x4000xf32>) -> tensor<4000x4000xf32> {
  %two = stablehlo.constant dense<2.0> : tensor<4000x4000xf32>
  %one = stablehlo.constant dense<1.0> : tensor<4000x4000xf32>
  %0 = stablehlo.multiply %x, %two : tensor<4000x4000xf32>
  %1 = stablehlo.add %0, %one : tensor<4000x4000xf32>
  %2 = stablehlo.sine %1 : tensor<4000x4000xf32>
  return %2 : tensor<4000x4000xf32>
}
