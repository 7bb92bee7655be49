module @jit_backwards attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x160xf32>, %arg1: tensor<f32>) -> (tensor<3x160xf32> {jax.result_info = "result[0]"}, tensor<4x3x160xf32> {jax.result_info = "result[1][0]"}, tensor<4x3x160xf32> {jax.result_info = "result[1][1]"}) {
    %0 = stablehlo.iota dim = 0 : tensor<102400xi32>
    %c = stablehlo.constant dense<7919> : tensor<i32>
    %1 = call @remainder(%0, %c) : (tensor<102400xi32>, tensor<i32>) -> tensor<102400xi32>
    %c_0 = stablehlo.constant dense<37> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<102400xi32>
    %3 = stablehlo.multiply %1, %2 : tensor<102400xi32>
    %c_1 = stablehlo.constant dense<101> : tensor<i32>
    %4 = call @remainder(%3, %c_1) : (tensor<102400xi32>, tensor<i32>) -> tensor<102400xi32>
    %c_2 = stablehlo.constant dense<50> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<102400xi32>
    %6 = stablehlo.subtract %4, %5 : tensor<102400xi32>
    %7 = stablehlo.convert %6 : (tensor<102400xi32>) -> tensor<102400xf32>
    %cst = stablehlo.constant dense<0.001953125> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<102400xf32>
    %9 = stablehlo.multiply %7, %8 : tensor<102400xf32>
    %10 = stablehlo.abs %arg1 : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<102400xf32>
    %12 = stablehlo.multiply %9, %11 : tensor<102400xf32>
    %13 = stablehlo.reshape %12 : (tensor<102400xf32>) -> tensor<4x160x160xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x3x160xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x3x160xf32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %16:5 = stablehlo.while(%iterArg = %13, %iterArg_6 = %c_5, %iterArg_7 = %arg0, %iterArg_8 = %14, %iterArg_9 = %15) : tensor<4x160x160xf32>, tensor<i32>, tensor<3x160xf32>, tensor<4x3x160xf32>, tensor<4x3x160xf32>
    cond {
      %c_10 = stablehlo.constant dense<4> : tensor<i32>
      %17 = stablehlo.compare LT, %iterArg_6, %c_10, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %17 : tensor<i1>
    } do {
      %c_10 = stablehlo.constant dense<4> : tensor<i32>
      %17 = stablehlo.subtract %c_10, %iterArg_6 : tensor<i32>
      %c_11 = stablehlo.constant dense<1> : tensor<i32>
      %18 = stablehlo.subtract %17, %c_11 : tensor<i32>
      %19 = func.call @dynamic_index_in_dim(%iterArg, %18) : (tensor<4x160x160xf32>, tensor<i32>) -> tensor<160x160xf32>
      %20:3 = func.call @closed_call(%iterArg_7, %19) : (tensor<3x160xf32>, tensor<160x160xf32>) -> (tensor<3x160xf32>, tensor<3x160xf32>, tensor<3x160xf32>)
      %21 = func.call @dynamic_update_index_in_dim(%iterArg_8, %20#1, %18) : (tensor<4x3x160xf32>, tensor<3x160xf32>, tensor<i32>) -> tensor<4x3x160xf32>
      %22 = func.call @dynamic_update_index_in_dim(%iterArg_9, %20#2, %18) : (tensor<4x3x160xf32>, tensor<3x160xf32>, tensor<i32>) -> tensor<4x3x160xf32>
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %23 = stablehlo.add %iterArg_6, %c_12 : tensor<i32>
      stablehlo.return %iterArg, %23, %20#0, %21, %22 : tensor<4x160x160xf32>, tensor<i32>, tensor<3x160xf32>, tensor<4x3x160xf32>, tensor<4x3x160xf32>
    }
    return %16#2, %16#3, %16#4 : tensor<3x160xf32>, tensor<4x3x160xf32>, tensor<4x3x160xf32>
  }
  func.func private @remainder(%arg0: tensor<102400xi32>, %arg1: tensor<i32>) -> tensor<102400xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<102400xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<102400xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<102400xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<102400xi32>, tensor<102400xi32>) -> tensor<102400xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<102400xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<102400xi32>, tensor<102400xi32>) -> tensor<102400xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<102400xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<102400xi1>, tensor<102400xi1>) -> tensor<102400xi1>
    %12 = stablehlo.and %11, %6 : tensor<102400xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<102400xi32>
    %14 = stablehlo.add %4, %13 : tensor<102400xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<102400xi1>, tensor<102400xi32>
    return %15 : tensor<102400xi32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<4x160x160xf32>, %arg1: tensor<i32>) -> tensor<160x160xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 160, 160] : (tensor<4x160x160xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x160x160xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x160x160xf32>) -> tensor<160x160xf32>
    return %1 : tensor<160x160xf32>
  }
  func.func private @closed_call(%arg0: tensor<3x160xf32>, %arg1: tensor<160x160xf32>) -> (tensor<3x160xf32>, tensor<3x160xf32>, tensor<3x160xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x160xf32>, tensor<160x160xf32>) -> tensor<3x160xf32>
    %1 = stablehlo.tanh %0 : tensor<3x160xf32>
    %2 = stablehlo.add %1, %arg0 : tensor<3x160xf32>
    return %2, %2, %arg0 : tensor<3x160xf32>, tensor<3x160xf32>, tensor<3x160xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<4x3x160xf32>, %arg1: tensor<3x160xf32>, %arg2: tensor<i32>) -> tensor<4x3x160xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<3x160xf32>) -> tensor<1x3x160xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<4x3x160xf32>, tensor<1x3x160xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x3x160xf32>
    return %1 : tensor<4x3x160xf32>
  }
}
