module @quantised_packed_odd {
  func.func public @main(%arg0: tensor<2x140xf32>, %arg1: tensor<131x7x10xui8>, %arg2: tensor<131x7xf16>) -> tensor<2x131xf32> {
    %0 = stablehlo.constant dense<15> : tensor<131x7x10xui8>
    %1 = stablehlo.and %arg1, %0 : tensor<131x7x10xui8>
    %2 = stablehlo.constant dense<4> : tensor<131x7x10xui8>
    %3 = stablehlo.shift_right_logical %arg1, %2 : tensor<131x7x10xui8>
    %4 = stablehlo.concatenate %1, %3, dim = 2 : (tensor<131x7x10xui8>, tensor<131x7x10xui8>) -> tensor<131x7x20xui8>
    %5 = stablehlo.convert %4 : (tensor<131x7x20xui8>) -> tensor<131x7x20xf32>
    %6 = stablehlo.constant dense<8.0> : tensor<131x7x20xf32>
    %7 = stablehlo.subtract %5, %6 : tensor<131x7x20xf32>
    %8 = stablehlo.convert %arg2 : (tensor<131x7xf16>) -> tensor<131x7xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<131x7xf32>) -> tensor<131x7x20xf32>
    %10 = stablehlo.multiply %7, %9 : tensor<131x7x20xf32>
    %11 = stablehlo.reshape %10 : (tensor<131x7x20xf32>) -> tensor<131x140xf32>
    %12 = stablehlo.dot_general %arg0, %11, contracting_dims = [1] x [1] : (tensor<2x140xf32>, tensor<131x140xf32>) -> tensor<2x131xf32>
    return %12 : tensor<2x131xf32>
  }
}
