module @quantised_packed_rows_bf16 {
  func.func public @main(%arg0: tensor<3x320xf32>, %arg1: tensor<72x20x8xui8>, %arg2: tensor<72x20xf16>, %arg3: tensor<72x20xf16>) -> tensor<3x72xf32> {
    %0 = stablehlo.constant dense<15> : tensor<72x20x8xui8>
    %1 = stablehlo.and %arg1, %0 : tensor<72x20x8xui8>
    %2 = stablehlo.constant dense<4> : tensor<72x20x8xui8>
    %3 = stablehlo.shift_right_logical %arg1, %2 : tensor<72x20x8xui8>
    %4 = stablehlo.concatenate %1, %3, dim = 2 : (tensor<72x20x8xui8>, tensor<72x20x8xui8>) -> tensor<72x20x16xui8>
    %5 = stablehlo.convert %4 : (tensor<72x20x16xui8>) -> tensor<72x20x16xf32>
    %6 = stablehlo.convert %arg2 : (tensor<72x20xf16>) -> tensor<72x20xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<72x20xf32>) -> tensor<72x20x16xf32>
    %8 = stablehlo.multiply %5, %7 : tensor<72x20x16xf32>
    %9 = stablehlo.convert %arg3 : (tensor<72x20xf16>) -> tensor<72x20xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<72x20xf32>) -> tensor<72x20x16xf32>
    %11 = stablehlo.add %8, %10 : tensor<72x20x16xf32>
    %12 = stablehlo.convert %arg0 : (tensor<3x320xf32>) -> tensor<3x320xbf16>
    %13 = stablehlo.convert %12 : (tensor<3x320xbf16>) -> tensor<3x320xf32>
    %14 = stablehlo.reshape %11 : (tensor<72x20x16xf32>) -> tensor<72x320xf32>
    %15 = stablehlo.dot_general %13, %14, contracting_dims = [1] x [1] : (tensor<3x320xf32>, tensor<72x320xf32>) -> tensor<3x72xf32>
    return %15 : tensor<3x72xf32>
  }
}
