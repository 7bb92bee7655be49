module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x3x60xf32>) -> (tensor<4x3x40xf32> {jax.result_info = "result[0]"}) {
    %0 = stablehlo.iota dim = 0 : tensor<19200xi32>
    %c = stablehlo.constant dense<7919> : tensor<i64>
    %1 = call @remainder(%0, %c) : (tensor<19200xi32>, tensor<i64>) -> tensor<19200xi32>
    %c_0 = stablehlo.constant dense<37> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<19200xi32>
    %3 = stablehlo.multiply %1, %2 : tensor<19200xi32>
    %c_1 = stablehlo.constant dense<101> : tensor<i64>
    %4 = call @remainder(%3, %c_1) : (tensor<19200xi32>, tensor<i64>) -> tensor<19200xi32>
    %c_2 = stablehlo.constant dense<50> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<19200xi32>
    %6 = stablehlo.subtract %4, %5 : tensor<19200xi32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<19200xi32>
    %8 = stablehlo.add %6, %7 : tensor<19200xi32>
    %9 = stablehlo.convert %8 : (tensor<19200xi32>) -> tensor<19200xf32>
    %cst = stablehlo.constant dense<2.000000e-03> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<19200xf32>
    %11 = stablehlo.multiply %9, %10 : tensor<19200xf32>
    %12 = stablehlo.reshape %11 : (tensor<19200xf32>) -> tensor<4x60x80xf32>
    %13 = stablehlo.dot_general %arg0, %12, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x3x60xf32>, tensor<4x60x80xf32>) -> tensor<4x3x80xf32>
    %14 = stablehlo.slice %13 [0:4, 0:3, 0:40] : (tensor<4x3x80xf32>) -> tensor<4x3x40xf32>
    %15 = stablehlo.negate %14 : tensor<4x3x40xf32>
    %16 = stablehlo.exponential %15 : tensor<4x3x40xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x3x40xf32>
    %18 = stablehlo.add %17, %16 : tensor<4x3x40xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4x3x40xf32>
    %20 = stablehlo.divide %19, %18 : tensor<4x3x40xf32>
    %21 = stablehlo.slice %13 [0:4, 0:3, 40:80] : (tensor<4x3x80xf32>) -> tensor<4x3x40xf32>
    %22 = stablehlo.multiply %20, %21 : tensor<4x3x40xf32>
    return %22 : tensor<4x3x40xf32>
  }
  func.func private @remainder(%arg0: tensor<19200xi32>, %arg1: tensor<i64>) -> tensor<19200xi32> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<19200xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<19200xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<19200xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<19200xi32>, tensor<19200xi32>) -> tensor<19200xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<19200xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<19200xi32>, tensor<19200xi32>) -> tensor<19200xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<19200xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<19200xi1>, tensor<19200xi1>) -> tensor<19200xi1>
    %12 = stablehlo.and %11, %6 : tensor<19200xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<19200xi32>
    %14 = stablehlo.add %4, %13 : tensor<19200xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<19200xi1>, tensor<19200xi32>
    return %15 : tensor<19200xi32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
