module @rows_with_own_numbers {
  func.func public @main(%arg0: tensor<1x5x7xf32>, %arg1: tensor<7xi32>, %arg2: tensor<i32>) -> (tensor<1x5x7xi32>, tensor<7xi32>, tensor<7xi32>, tensor<1x5x7xi32>, tensor<1x5x7xi1>, tensor<1x5x7xf32>, tensor<1x5x7xf32>, tensor<f32>, tensor<1x7xf32>) {
    %0 = stablehlo.iota dim = 1 : tensor<1x5x7xi32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %2 = stablehlo.remainder %arg1, %1 : tensor<7xi32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [2] : (tensor<7xi32>) -> tensor<1x5x7xi32>
    %4 = stablehlo.compare EQ, %0, %3 : (tensor<1x5x7xi32>, tensor<1x5x7xi32>) -> tensor<1x5x7xi1>
    %5 = stablehlo.constant dense<0.0> : tensor<1x5x7xf32>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<1x5x7xi1>, tensor<1x5x7xf32>
    %7 = stablehlo.constant dense<0.0> : tensor<f32>
    %8 = stablehlo.reduce(%6 init: %7) applies stablehlo.add across dimensions = [1] : (tensor<1x5x7xf32>, tensor<f32>) -> tensor<1x7xf32>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<1x5x7xi32>, tensor<7xi32>, tensor<7xi32>, tensor<1x5x7xi32>, tensor<1x5x7xi1>, tensor<1x5x7xf32>, tensor<1x5x7xf32>, tensor<f32>, tensor<1x7xf32>
  }
}
