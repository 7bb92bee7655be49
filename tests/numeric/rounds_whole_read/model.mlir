module @jit_read_whole attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x160xf32>, %arg1: tensor<f32>) -> (tensor<2x160xf32> {jax.result_info = "result[0]"}, tensor<3x2x160xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.iota dim = 0 : tensor<76800xi32>
    %c = stablehlo.constant dense<7919> : tensor<i32>
    %1 = call @remainder(%0, %c) : (tensor<76800xi32>, tensor<i32>) -> tensor<76800xi32>
    %c_0 = stablehlo.constant dense<37> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<76800xi32>
    %3 = stablehlo.multiply %1, %2 : tensor<76800xi32>
    %c_1 = stablehlo.constant dense<101> : tensor<i32>
    %4 = call @remainder(%3, %c_1) : (tensor<76800xi32>, tensor<i32>) -> tensor<76800xi32>
    %c_2 = stablehlo.constant dense<50> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<76800xi32>
    %6 = stablehlo.subtract %4, %5 : tensor<76800xi32>
    %7 = stablehlo.convert %6 : (tensor<76800xi32>) -> tensor<76800xf32>
    %cst = stablehlo.constant dense<0.001953125> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<76800xf32>
    %9 = stablehlo.multiply %7, %8 : tensor<76800xf32>
    %10 = stablehlo.abs %arg1 : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<76800xf32>
    %12 = stablehlo.multiply %9, %11 : tensor<76800xf32>
    %13 = stablehlo.reshape %12 : (tensor<76800xf32>) -> tensor<3x160x160xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3x2x160xf32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %15:5 = stablehlo.while(%iterArg = %13, %iterArg_6 = %c_5, %iterArg_7 = %c_4, %iterArg_8 = %arg0, %iterArg_9 = %14) : tensor<3x160x160xf32>, tensor<i32>, tensor<i32>, tensor<2x160xf32>, tensor<3x2x160xf32>
    cond {
      %c_10 = stablehlo.constant dense<3> : tensor<i32>
      %16 = stablehlo.compare LT, %iterArg_6, %c_10, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %16 : tensor<i1>
    } do {
      %16:3 = func.call @closed_call(%iterArg, %iterArg_7, %iterArg_8, %iterArg_9) : (tensor<3x160x160xf32>, tensor<i32>, tensor<2x160xf32>, tensor<3x2x160xf32>) -> (tensor<i32>, tensor<2x160xf32>, tensor<3x2x160xf32>)
      %c_10 = stablehlo.constant dense<1> : tensor<i32>
      %17 = stablehlo.add %iterArg_6, %c_10 : tensor<i32>
      stablehlo.return %iterArg, %17, %16#0, %16#1, %16#2 : tensor<3x160x160xf32>, tensor<i32>, tensor<i32>, tensor<2x160xf32>, tensor<3x2x160xf32>
    }
    return %15#3, %15#4 : tensor<2x160xf32>, tensor<3x2x160xf32>
  }
  func.func private @remainder(%arg0: tensor<76800xi32>, %arg1: tensor<i32>) -> tensor<76800xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<76800xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<76800xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<76800xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<76800xi32>, tensor<76800xi32>) -> tensor<76800xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<76800xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<76800xi32>, tensor<76800xi32>) -> tensor<76800xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<76800xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<76800xi1>, tensor<76800xi1>) -> tensor<76800xi1>
    %12 = stablehlo.and %11, %6 : tensor<76800xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<76800xi32>
    %14 = stablehlo.add %4, %13 : tensor<76800xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<76800xi1>, tensor<76800xi32>
    return %15 : tensor<76800xi32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @closed_call(%arg0: tensor<3x160x160xf32>, %arg1: tensor<i32>, %arg2: tensor<2x160xf32>, %arg3: tensor<3x2x160xf32>) -> (tensor<i32>, tensor<2x160xf32>, tensor<3x2x160xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg1, %c : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare LT, %arg1, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %2 = stablehlo.convert %arg1 : tensor<i32>
    %c_1 = stablehlo.constant dense<3> : tensor<i32>
    %3 = stablehlo.add %2, %c_1 : tensor<i32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<i1>, tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.dynamic_slice %arg0, %4, %c_2, %c_3, sizes = [1, 160, 160] : (tensor<3x160x160xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x160x160xf32>
    %6 = stablehlo.reshape %5 : (tensor<1x160x160xf32>) -> tensor<160x160xf32>
    %7 = stablehlo.dot_general %arg2, %6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x160xf32>, tensor<160x160xf32>) -> tensor<2x160xf32>
    %8 = stablehlo.tanh %7 : tensor<2x160xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%arg3 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<3x2x160xf32>, tensor<f32>) -> tensor<2x160xf32>
    %cst_4 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2x160xf32>
    %11 = stablehlo.multiply %9, %10 : tensor<2x160xf32>
    %12 = stablehlo.add %8, %11 : tensor<2x160xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [1, 2] : (tensor<2x160xf32>) -> tensor<1x2x160xf32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %14 = stablehlo.compare LT, %arg1, %c_5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %15 = stablehlo.convert %arg1 : tensor<i32>
    %c_6 = stablehlo.constant dense<3> : tensor<i32>
    %16 = stablehlo.add %15, %c_6 : tensor<i32>
    %17 = stablehlo.select %14, %16, %arg1 : tensor<i1>, tensor<i32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %18 = stablehlo.dynamic_update_slice %arg3, %13, %17, %c_7, %c_8 : (tensor<3x2x160xf32>, tensor<1x2x160xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x2x160xf32>
    return %0, %12, %18 : tensor<i32>, tensor<2x160xf32>, tensor<3x2x160xf32>
  }
}
