module @quantised_packed_f16 {
  func.func public @main(%arg0: tensor<2x1152xf32>, %arg1: tensor<96x36x16xui8>, %arg2: tensor<96x36xf16>, %arg3: tensor<96x36xf16>) -> tensor<2x96xf32> {
    %0 = stablehlo.constant dense<15> : tensor<96x36x16xui8>
    %1 = stablehlo.and %arg1, %0 : tensor<96x36x16xui8>
    %2 = stablehlo.constant dense<4> : tensor<96x36x16xui8>
    %3 = stablehlo.shift_right_logical %arg1, %2 : tensor<96x36x16xui8>
    %4 = stablehlo.concatenate %1, %3, dim = 2 : (tensor<96x36x16xui8>, tensor<96x36x16xui8>) -> tensor<96x36x32xui8>
    %5 = stablehlo.convert %4 : (tensor<96x36x32xui8>) -> tensor<96x36x32xf32>
    %6 = stablehlo.constant dense<8.0> : tensor<96x36x32xf32>
    %7 = stablehlo.subtract %5, %6 : tensor<96x36x32xf32>
    %8 = stablehlo.convert %arg2 : (tensor<96x36xf16>) -> tensor<96x36xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<96x36xf32>) -> tensor<96x36x32xf32>
    %10 = stablehlo.multiply %7, %9 : tensor<96x36x32xf32>
    %11 = stablehlo.convert %arg3 : (tensor<96x36xf16>) -> tensor<96x36xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<96x36xf32>) -> tensor<96x36x32xf32>
    %13 = stablehlo.add %10, %12 : tensor<96x36x32xf32>
    %14 = stablehlo.convert %arg0 : (tensor<2x1152xf32>) -> tensor<2x1152xf16>
    %15 = stablehlo.convert %14 : (tensor<2x1152xf16>) -> tensor<2x1152xf32>
    %16 = stablehlo.reshape %13 : (tensor<96x36x32xf32>) -> tensor<96x1152xf32>
    %17 = stablehlo.dot_general %15, %16, contracting_dims = [1] x [1] : (tensor<2x1152xf32>, tensor<96x1152xf32>) -> tensor<2x96xf32>
    return %17 : tensor<2x96xf32>
  }
}
