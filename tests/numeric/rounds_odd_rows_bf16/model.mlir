module @jit_odd attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<7x37xf32>, %arg1: tensor<f32>) -> (tensor<7x37xbf16> {jax.result_info = "result[0]"}, tensor<3x7x37xbf16> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.iota dim = 0 : tensor<4107xi32>
    %c = stablehlo.constant dense<7919> : tensor<i32>
    %1 = call @remainder(%0, %c) : (tensor<4107xi32>, tensor<i32>) -> tensor<4107xi32>
    %c_0 = stablehlo.constant dense<37> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<4107xi32>
    %3 = stablehlo.multiply %1, %2 : tensor<4107xi32>
    %c_1 = stablehlo.constant dense<101> : tensor<i32>
    %4 = call @remainder(%3, %c_1) : (tensor<4107xi32>, tensor<i32>) -> tensor<4107xi32>
    %c_2 = stablehlo.constant dense<50> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<4107xi32>
    %6 = stablehlo.subtract %4, %5 : tensor<4107xi32>
    %7 = stablehlo.convert %6 : (tensor<4107xi32>) -> tensor<4107xf32>
    %cst = stablehlo.constant dense<0.001953125> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4107xf32>
    %9 = stablehlo.multiply %7, %8 : tensor<4107xf32>
    %10 = stablehlo.abs %arg1 : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<4107xf32>
    %12 = stablehlo.multiply %9, %11 : tensor<4107xf32>
    %13 = stablehlo.reshape %12 : (tensor<4107xf32>) -> tensor<3x37x37xf32>
    %14 = stablehlo.convert %13 : (tensor<3x37x37xf32>) -> tensor<3x37x37xbf16>
    %15 = stablehlo.convert %arg0 : (tensor<7x37xf32>) -> tensor<7x37xbf16>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %16 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<bf16>) -> tensor<3x7x37xbf16>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %17:4 = stablehlo.while(%iterArg = %14, %iterArg_5 = %c_4, %iterArg_6 = %15, %iterArg_7 = %16) : tensor<3x37x37xbf16>, tensor<i32>, tensor<7x37xbf16>, tensor<3x7x37xbf16>
    cond {
      %c_8 = stablehlo.constant dense<3> : tensor<i32>
      %18 = stablehlo.compare LT, %iterArg_5, %c_8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %18 : tensor<i1>
    } do {
      %18 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_5) : (tensor<3x37x37xbf16>, tensor<i32>) -> tensor<37x37xbf16>
      %19:2 = func.call @closed_call(%iterArg_6, %18) : (tensor<7x37xbf16>, tensor<37x37xbf16>) -> (tensor<7x37xbf16>, tensor<7x37xbf16>)
      %20 = func.call @dynamic_update_index_in_dim(%iterArg_7, %19#1, %iterArg_5) : (tensor<3x7x37xbf16>, tensor<7x37xbf16>, tensor<i32>) -> tensor<3x7x37xbf16>
      %c_8 = stablehlo.constant dense<1> : tensor<i32>
      %21 = stablehlo.add %iterArg_5, %c_8 : tensor<i32>
      stablehlo.return %iterArg, %21, %19#0, %20 : tensor<3x37x37xbf16>, tensor<i32>, tensor<7x37xbf16>, tensor<3x7x37xbf16>
    }
    return %17#2, %17#3 : tensor<7x37xbf16>, tensor<3x7x37xbf16>
  }
  func.func private @remainder(%arg0: tensor<4107xi32>, %arg1: tensor<i32>) -> tensor<4107xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<4107xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<4107xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<4107xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<4107xi32>, tensor<4107xi32>) -> tensor<4107xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<4107xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<4107xi32>, tensor<4107xi32>) -> tensor<4107xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<4107xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<4107xi1>, tensor<4107xi1>) -> tensor<4107xi1>
    %12 = stablehlo.and %11, %6 : tensor<4107xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<4107xi32>
    %14 = stablehlo.add %4, %13 : tensor<4107xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<4107xi1>, tensor<4107xi32>
    return %15 : tensor<4107xi32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<3x37x37xbf16>, %arg1: tensor<i32>) -> tensor<37x37xbf16> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 37, 37] : (tensor<3x37x37xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x37x37xbf16>
    %1 = stablehlo.reshape %0 : (tensor<1x37x37xbf16>) -> tensor<37x37xbf16>
    return %1 : tensor<37x37xbf16>
  }
  func.func private @closed_call(%arg0: tensor<7x37xbf16>, %arg1: tensor<37x37xbf16>) -> (tensor<7x37xbf16>, tensor<7x37xbf16>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<7x37xbf16>, tensor<37x37xbf16>) -> tensor<7x37xbf16>
    %1 = stablehlo.convert %0 : (tensor<7x37xbf16>) -> tensor<7x37xf32>
    %2 = stablehlo.tanh %1 : tensor<7x37xf32>
    %3 = stablehlo.convert %2 : (tensor<7x37xf32>) -> tensor<7x37xbf16>
    return %3, %3 : tensor<7x37xbf16>, tensor<7x37xbf16>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<3x7x37xbf16>, %arg1: tensor<7x37xbf16>, %arg2: tensor<i32>) -> tensor<3x7x37xbf16> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<7x37xbf16>) -> tensor<1x7x37xbf16>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<3x7x37xbf16>, tensor<1x7x37xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x7x37xbf16>
    return %1 : tensor<3x7x37xbf16>
  }
}
