module @quantised_repeated_many_rows {
  func.func public @main(%arg0: tensor<40x384xf32>, %arg1: tensor<72x3x1x2x2x16xui8>, %arg2: tensor<72x3x1x1x2x16xui8>, %arg3: tensor<72x3x2x2x2xf16>) -> tensor<40x72xf32> {
    %0 = stablehlo.iota dim = 2 : tensor<72x3x2x2x2x16xi32>
    %1 = stablehlo.convert %0 : (tensor<72x3x2x2x2x16xi32>) -> tensor<72x3x2x2x2x16xui8>
    %2 = stablehlo.constant dense<4> : tensor<72x3x2x2x2x16xui8>
    %3 = stablehlo.multiply %1, %2 : tensor<72x3x2x2x2x16xui8>
    %4 = stablehlo.iota dim = 3 : tensor<72x3x2x2x2x16xi32>
    %5 = stablehlo.convert %4 : (tensor<72x3x2x2x2x16xi32>) -> tensor<72x3x2x2x2x16xui8>
    %6 = stablehlo.constant dense<2> : tensor<72x3x2x2x2x16xui8>
    %7 = stablehlo.multiply %5, %6 : tensor<72x3x2x2x2x16xui8>
    %8 = stablehlo.add %3, %7 : tensor<72x3x2x2x2x16xui8>
    %9 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1, 2, 3, 4, 5] : (tensor<72x3x1x1x2x16xui8>) -> tensor<72x3x2x2x2x16xui8>
    %10 = stablehlo.shift_right_logical %9, %8 : tensor<72x3x2x2x2x16xui8>
    %11 = stablehlo.constant dense<3> : tensor<72x3x2x2x2x16xui8>
    %12 = stablehlo.and %10, %11 : tensor<72x3x2x2x2x16xui8>
    %13 = stablehlo.constant dense<4> : tensor<72x3x2x2x2x16xui8>
    %14 = stablehlo.shift_left %12, %13 : tensor<72x3x2x2x2x16xui8>
    %15 = stablehlo.iota dim = 2 : tensor<72x3x2x2x2x16xi32>
    %16 = stablehlo.convert %15 : (tensor<72x3x2x2x2x16xi32>) -> tensor<72x3x2x2x2x16xui8>
    %17 = stablehlo.constant dense<4> : tensor<72x3x2x2x2x16xui8>
    %18 = stablehlo.multiply %16, %17 : tensor<72x3x2x2x2x16xui8>
    %19 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1, 2, 3, 4, 5] : (tensor<72x3x1x2x2x16xui8>) -> tensor<72x3x2x2x2x16xui8>
    %20 = stablehlo.shift_right_logical %19, %18 : tensor<72x3x2x2x2x16xui8>
    %21 = stablehlo.constant dense<15> : tensor<72x3x2x2x2x16xui8>
    %22 = stablehlo.and %20, %21 : tensor<72x3x2x2x2x16xui8>
    %23 = stablehlo.or %22, %14 : tensor<72x3x2x2x2x16xui8>
    %24 = stablehlo.convert %23 : (tensor<72x3x2x2x2x16xui8>) -> tensor<72x3x2x2x2x16xf32>
    %25 = stablehlo.constant dense<32.0> : tensor<72x3x2x2x2x16xf32>
    %26 = stablehlo.subtract %24, %25 : tensor<72x3x2x2x2x16xf32>
    %27 = stablehlo.convert %arg3 : (tensor<72x3x2x2x2xf16>) -> tensor<72x3x2x2x2xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [0, 1, 2, 3, 4] : (tensor<72x3x2x2x2xf32>) -> tensor<72x3x2x2x2x16xf32>
    %29 = stablehlo.multiply %26, %28 : tensor<72x3x2x2x2x16xf32>
    %30 = stablehlo.convert %arg0 : (tensor<40x384xf32>) -> tensor<40x384xbf16>
    %31 = stablehlo.convert %30 : (tensor<40x384xbf16>) -> tensor<40x384xf32>
    %32 = stablehlo.reshape %29 : (tensor<72x3x2x2x2x16xf32>) -> tensor<72x384xf32>
    %33 = stablehlo.dot_general %31, %32, contracting_dims = [1] x [1] : (tensor<40x384xf32>, tensor<72x384xf32>) -> tensor<40x72xf32>
    return %33 : tensor<40x72xf32>
  }
}
