module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x2x40xf32>, %arg1: tensor<208xf32>) -> (tensor<4x2x52xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 0 : tensor<19136xi32>
    %c = stablehlo.constant dense<7919> : tensor<i64>
    %1 = call @remainder(%0, %c) : (tensor<19136xi32>, tensor<i64>) -> tensor<19136xi32>
    %c_0 = stablehlo.constant dense<37> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<19136xi32>
    %3 = stablehlo.multiply %1, %2 : tensor<19136xi32>
    %c_1 = stablehlo.constant dense<101> : tensor<i64>
    %4 = call @remainder(%3, %c_1) : (tensor<19136xi32>, tensor<i64>) -> tensor<19136xi32>
    %c_2 = stablehlo.constant dense<50> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<19136xi32>
    %6 = stablehlo.subtract %4, %5 : tensor<19136xi32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<19136xi32>
    %8 = stablehlo.add %6, %7 : tensor<19136xi32>
    %9 = stablehlo.convert %8 : (tensor<19136xi32>) -> tensor<19136xf32>
    %cst = stablehlo.constant dense<2.000000e-03> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<19136xf32>
    %11 = stablehlo.multiply %9, %10 : tensor<19136xf32>
    %12 = stablehlo.reshape %11 : (tensor<19136xf32>) -> tensor<92x208xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2x52xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4x2x52xf32>
    %c_6 = stablehlo.constant dense<0> : tensor<i64>
    %15:7 = stablehlo.while(%iterArg = %arg0, %iterArg_7 = %12, %iterArg_8 = %arg1, %iterArg_9 = %c_6, %iterArg_10 = %13, %iterArg_11 = %13, %iterArg_12 = %14) : tensor<4x2x40xf32>, tensor<92x208xf32>, tensor<208xf32>, tensor<i64>, tensor<2x52xf32>, tensor<2x52xf32>, tensor<4x2x52xf32>
    cond {
      %c_13 = stablehlo.constant dense<4> : tensor<i64>
      %16 = stablehlo.compare LT, %iterArg_9, %c_13, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %16 : tensor<i1>
    } do {
      %16 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_9) : (tensor<4x2x40xf32>, tensor<i64>) -> tensor<2x40xf32>
      %17:3 = func.call @closed_call(%iterArg_7, %iterArg_8, %iterArg_10, %iterArg_11, %16) : (tensor<92x208xf32>, tensor<208xf32>, tensor<2x52xf32>, tensor<2x52xf32>, tensor<2x40xf32>) -> (tensor<2x52xf32>, tensor<2x52xf32>, tensor<2x52xf32>)
      %18 = func.call @dynamic_update_index_in_dim(%iterArg_12, %17#2, %iterArg_9) : (tensor<4x2x52xf32>, tensor<2x52xf32>, tensor<i64>) -> tensor<4x2x52xf32>
      %c_13 = stablehlo.constant dense<1> : tensor<i64>
      %19 = stablehlo.add %iterArg_9, %c_13 : tensor<i64>
      stablehlo.return %iterArg, %iterArg_7, %iterArg_8, %19, %17#0, %17#1, %18 : tensor<4x2x40xf32>, tensor<92x208xf32>, tensor<208xf32>, tensor<i64>, tensor<2x52xf32>, tensor<2x52xf32>, tensor<4x2x52xf32>
    }
    return %15#6 : tensor<4x2x52xf32>
  }
  func.func private @remainder(%arg0: tensor<19136xi32>, %arg1: tensor<i64>) -> tensor<19136xi32> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<19136xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<19136xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<19136xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<19136xi32>, tensor<19136xi32>) -> tensor<19136xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<19136xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<19136xi32>, tensor<19136xi32>) -> tensor<19136xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<19136xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<19136xi1>, tensor<19136xi1>) -> tensor<19136xi1>
    %12 = stablehlo.and %11, %6 : tensor<19136xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<19136xi32>
    %14 = stablehlo.add %4, %13 : tensor<19136xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<19136xi1>, tensor<19136xi32>
    return %15 : tensor<19136xi32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<4x2x40xf32>, %arg1: tensor<i64>) -> tensor<2x40xf32> {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 2, 40] : (tensor<4x2x40xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1x2x40xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x2x40xf32>) -> tensor<2x40xf32>
    return %1 : tensor<2x40xf32>
  }
  func.func private @closed_call(%arg0: tensor<92x208xf32>, %arg1: tensor<208xf32>, %arg2: tensor<2x52xf32>, %arg3: tensor<2x52xf32>, %arg4: tensor<2x40xf32>) -> (tensor<2x52xf32>, tensor<2x52xf32>, tensor<2x52xf32>) {
    %0 = stablehlo.concatenate %arg4, %arg2, dim = 1 : (tensor<2x40xf32>, tensor<2x52xf32>) -> tensor<2x92xf32>
    %1 = stablehlo.dot_general %0, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x92xf32>, tensor<92x208xf32>) -> tensor<2x208xf32>
    %2 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<208xf32>) -> tensor<1x208xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<1x208xf32>) -> tensor<2x208xf32>
    %4 = stablehlo.add %1, %3 : tensor<2x208xf32>
    %5 = stablehlo.slice %4 [0:2, 0:52] : (tensor<2x208xf32>) -> tensor<2x52xf32>
    %6 = stablehlo.slice %4 [0:2, 52:104] : (tensor<2x208xf32>) -> tensor<2x52xf32>
    %7 = stablehlo.slice %4 [0:2, 104:156] : (tensor<2x208xf32>) -> tensor<2x52xf32>
    %8 = stablehlo.slice %4 [0:2, 156:208] : (tensor<2x208xf32>) -> tensor<2x52xf32>
    %9 = stablehlo.negate %6 : tensor<2x52xf32>
    %10 = stablehlo.exponential %9 : tensor<2x52xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x52xf32>
    %12 = stablehlo.add %11, %10 : tensor<2x52xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x52xf32>
    %14 = stablehlo.divide %13, %12 : tensor<2x52xf32>
    %15 = stablehlo.multiply %14, %arg3 : tensor<2x52xf32>
    %16 = stablehlo.negate %5 : tensor<2x52xf32>
    %17 = stablehlo.exponential %16 : tensor<2x52xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x52xf32>
    %19 = stablehlo.add %18, %17 : tensor<2x52xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x52xf32>
    %21 = stablehlo.divide %20, %19 : tensor<2x52xf32>
    %22 = stablehlo.tanh %7 : tensor<2x52xf32>
    %23 = stablehlo.multiply %21, %22 : tensor<2x52xf32>
    %24 = stablehlo.add %15, %23 : tensor<2x52xf32>
    %25 = stablehlo.negate %8 : tensor<2x52xf32>
    %26 = stablehlo.exponential %25 : tensor<2x52xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x52xf32>
    %28 = stablehlo.add %27, %26 : tensor<2x52xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2x52xf32>
    %30 = stablehlo.divide %29, %28 : tensor<2x52xf32>
    %31 = stablehlo.tanh %24 : tensor<2x52xf32>
    %32 = stablehlo.multiply %30, %31 : tensor<2x52xf32>
    return %32, %24, %32 : tensor<2x52xf32>, tensor<2x52xf32>, tensor<2x52xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<4x2x52xf32>, %arg1: tensor<2x52xf32>, %arg2: tensor<i64>) -> tensor<4x2x52xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<2x52xf32>) -> tensor<1x2x52xf32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<4x2x52xf32>, tensor<1x2x52xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<4x2x52xf32>
    return %1 : tensor<4x2x52xf32>
  }
}
