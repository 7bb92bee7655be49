module {
  func.func public @main(%arg0: tensor<3x5x8xbf16>, %arg1: tensor<3x7x8xbf16>, %arg2: tensor<3x7x8xbf16>, %arg3: tensor<i32>) -> tensor<3x5x8xbf16> {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<3x5x8xbf16>, tensor<3x7x8xbf16>) -> tensor<3x5x7xf32>
    %cst = stablehlo.constant dense<0.353553385> : tensor<3x5x7xf32>
    %1 = stablehlo.multiply %0, %cst : tensor<3x5x7xf32>
    %2 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %3 = stablehlo.iota dim = 0 : tensor<5xi32>
    %4 = stablehlo.add %3, %2 : tensor<5xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<5xi32>) -> tensor<5x7xi32>
    %6 = stablehlo.iota dim = 1 : tensor<5x7xi32>
    %7 = stablehlo.compare LE, %6, %5 : (tensor<5x7xi32>, tensor<5x7xi32>) -> tensor<5x7xi1>
    %8 = stablehlo.broadcast_in_dim %7, dims = [1, 2] : (tensor<5x7xi1>) -> tensor<3x5x7xi1>
    %cst_0 = stablehlo.constant dense<-2.0E+38> : tensor<3x5x7xf32>
    %9 = stablehlo.select %8, %1, %cst_0 : tensor<3x5x7xi1>, tensor<3x5x7xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %10 = stablehlo.reduce(%9 init: %cst_1) applies stablehlo.maximum across dimensions = [2] : (tensor<3x5x7xf32>, tensor<f32>) -> tensor<3x5xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x7xf32>
    %12 = stablehlo.subtract %9, %11 : tensor<3x5x7xf32>
    %13 = stablehlo.exponential %12 : tensor<3x5x7xf32>
    %cst_2 = stablehlo.constant dense<0.0> : tensor<f32>
    %14 = stablehlo.reduce(%13 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<3x5x7xf32>, tensor<f32>) -> tensor<3x5xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x7xf32>
    %16 = stablehlo.divide %13, %15 : tensor<3x5x7xf32>
    %17 = stablehlo.convert %16 : (tensor<3x5x7xf32>) -> tensor<3x5x7xbf16>
    %18 = stablehlo.dot_general %17, %arg2, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x5x7xbf16>, tensor<3x7x8xbf16>) -> tensor<3x5x8xf32>
    %19 = stablehlo.convert %18 : (tensor<3x5x8xf32>) -> tensor<3x5x8xbf16>
    return %19 : tensor<3x5x8xbf16>
  }
}
