module @jit_history attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x160xf32>, %arg1: tensor<f32>) -> (tensor<4x160xf32> {jax.result_info = "result[0]"}, tensor<4x160xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.iota dim = 0 : tensor<25600xi32>
    %c = stablehlo.constant dense<7919> : tensor<i32>
    %1 = call @remainder(%0, %c) : (tensor<25600xi32>, tensor<i32>) -> tensor<25600xi32>
    %c_0 = stablehlo.constant dense<37> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<25600xi32>
    %3 = stablehlo.multiply %1, %2 : tensor<25600xi32>
    %c_1 = stablehlo.constant dense<101> : tensor<i32>
    %4 = call @remainder(%3, %c_1) : (tensor<25600xi32>, tensor<i32>) -> tensor<25600xi32>
    %c_2 = stablehlo.constant dense<50> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<25600xi32>
    %6 = stablehlo.subtract %4, %5 : tensor<25600xi32>
    %7 = stablehlo.convert %6 : (tensor<25600xi32>) -> tensor<25600xf32>
    %cst = stablehlo.constant dense<0.001953125> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<25600xf32>
    %9 = stablehlo.multiply %7, %8 : tensor<25600xf32>
    %10 = stablehlo.abs %arg1 : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<25600xf32>
    %12 = stablehlo.multiply %9, %11 : tensor<25600xf32>
    %13 = stablehlo.reshape %12 : (tensor<25600xf32>) -> tensor<160x160xf32>
    %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x160xf32>
    %15 = stablehlo.multiply %14, %arg0 : tensor<4x160xf32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %16:4 = stablehlo.while(%iterArg = %13, %iterArg_5 = %c_4, %iterArg_6 = %arg0, %iterArg_7 = %15) : tensor<160x160xf32>, tensor<i32>, tensor<4x160xf32>, tensor<4x160xf32>
    cond {
      %c_8 = stablehlo.constant dense<5> : tensor<i32>
      %17 = stablehlo.compare LT, %iterArg_5, %c_8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %17 : tensor<i1>
    } do {
      %17:2 = func.call @closed_call(%iterArg, %iterArg_6, %iterArg_7) : (tensor<160x160xf32>, tensor<4x160xf32>, tensor<4x160xf32>) -> (tensor<4x160xf32>, tensor<4x160xf32>)
      %c_8 = stablehlo.constant dense<1> : tensor<i32>
      %18 = stablehlo.add %iterArg_5, %c_8 : tensor<i32>
      stablehlo.return %iterArg, %18, %17#0, %17#1 : tensor<160x160xf32>, tensor<i32>, tensor<4x160xf32>, tensor<4x160xf32>
    }
    return %16#2, %16#3 : tensor<4x160xf32>, tensor<4x160xf32>
  }
  func.func private @remainder(%arg0: tensor<25600xi32>, %arg1: tensor<i32>) -> tensor<25600xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<25600xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<25600xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<25600xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<25600xi32>, tensor<25600xi32>) -> tensor<25600xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<25600xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<25600xi32>, tensor<25600xi32>) -> tensor<25600xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<25600xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<25600xi1>, tensor<25600xi1>) -> tensor<25600xi1>
    %12 = stablehlo.and %11, %6 : tensor<25600xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<25600xi32>
    %14 = stablehlo.add %4, %13 : tensor<25600xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<25600xi1>, tensor<25600xi32>
    return %15 : tensor<25600xi32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @closed_call(%arg0: tensor<160x160xf32>, %arg1: tensor<4x160xf32>, %arg2: tensor<4x160xf32>) -> (tensor<4x160xf32>, tensor<4x160xf32>) {
    %0 = stablehlo.dot_general %arg2, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x160xf32>, tensor<160x160xf32>) -> tensor<4x160xf32>
    %1 = stablehlo.add %0, %arg1 : tensor<4x160xf32>
    %2 = stablehlo.tanh %1 : tensor<4x160xf32>
    return %arg2, %2 : tensor<4x160xf32>, tensor<4x160xf32>
  }
}
