module @quantised_packed_twice {
  func.func public @main(%arg0: tensor<1x160xf32>, %arg1: tensor<96x5x16xui8>, %arg2: tensor<96x5x8xui8>) -> tensor<1x96xf32> {
    %0 = stablehlo.constant dense<4> : tensor<96x5x16xui8>
    %1 = stablehlo.shift_right_logical %arg1, %0 : tensor<96x5x16xui8>
    %2 = stablehlo.constant dense<15> : tensor<96x5x16xui8>
    %3 = stablehlo.and %arg1, %2 : tensor<96x5x16xui8>
    %4 = stablehlo.constant dense<15> : tensor<96x5x16xui8>
    %5 = stablehlo.and %1, %4 : tensor<96x5x16xui8>
    %6 = stablehlo.concatenate %3, %5, dim = 2 : (tensor<96x5x16xui8>, tensor<96x5x16xui8>) -> tensor<96x5x32xui8>
    %7 = stablehlo.constant dense<2> : tensor<96x5x8xui8>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<96x5x8xui8>
    %9 = stablehlo.constant dense<4> : tensor<96x5x8xui8>
    %10 = stablehlo.shift_right_logical %arg2, %9 : tensor<96x5x8xui8>
    %11 = stablehlo.constant dense<6> : tensor<96x5x8xui8>
    %12 = stablehlo.shift_right_logical %arg2, %11 : tensor<96x5x8xui8>
    %13 = stablehlo.constant dense<3> : tensor<96x5x8xui8>
    %14 = stablehlo.and %arg2, %13 : tensor<96x5x8xui8>
    %15 = stablehlo.constant dense<3> : tensor<96x5x8xui8>
    %16 = stablehlo.and %8, %15 : tensor<96x5x8xui8>
    %17 = stablehlo.constant dense<3> : tensor<96x5x8xui8>
    %18 = stablehlo.and %10, %17 : tensor<96x5x8xui8>
    %19 = stablehlo.constant dense<3> : tensor<96x5x8xui8>
    %20 = stablehlo.and %12, %19 : tensor<96x5x8xui8>
    %21 = stablehlo.concatenate %14, %16, %18, %20, dim = 2 : (tensor<96x5x8xui8>, tensor<96x5x8xui8>, tensor<96x5x8xui8>, tensor<96x5x8xui8>) -> tensor<96x5x32xui8>
    %22 = stablehlo.constant dense<16> : tensor<96x5x32xui8>
    %23 = stablehlo.multiply %21, %22 : tensor<96x5x32xui8>
    %24 = stablehlo.add %23, %6 : tensor<96x5x32xui8>
    %25 = stablehlo.convert %24 : (tensor<96x5x32xui8>) -> tensor<96x5x32xf32>
    %26 = stablehlo.reshape %25 : (tensor<96x5x32xf32>) -> tensor<96x160xf32>
    %27 = stablehlo.dot_general %arg0, %26, contracting_dims = [1] x [1] : (tensor<1x160xf32>, tensor<96x160xf32>) -> tensor<1x96xf32>
    return %27 : tensor<1x96xf32>
  }
}
