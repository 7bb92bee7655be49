module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x4x36xf32>, %arg1: tensor<224xf32>, %arg2: tensor<224xf32>) -> (tensor<4x4x56xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 0 : tensor<8064xi32>
    %c = stablehlo.constant dense<7919> : tensor<i64>
    %1 = call @remainder(%0, %c) : (tensor<8064xi32>, tensor<i64>) -> tensor<8064xi32>
    %c_0 = stablehlo.constant dense<37> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8064xi32>
    %3 = stablehlo.multiply %1, %2 : tensor<8064xi32>
    %c_1 = stablehlo.constant dense<101> : tensor<i64>
    %4 = call @remainder(%3, %c_1) : (tensor<8064xi32>, tensor<i64>) -> tensor<8064xi32>
    %c_2 = stablehlo.constant dense<50> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8064xi32>
    %6 = stablehlo.subtract %4, %5 : tensor<8064xi32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<8064xi32>
    %8 = stablehlo.add %6, %7 : tensor<8064xi32>
    %9 = stablehlo.convert %8 : (tensor<8064xi32>) -> tensor<8064xf32>
    %cst = stablehlo.constant dense<2.000000e-03> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8064xf32>
    %11 = stablehlo.multiply %9, %10 : tensor<8064xf32>
    %12 = stablehlo.reshape %11 : (tensor<8064xf32>) -> tensor<224x36xf32>
    %13 = stablehlo.iota dim = 0 : tensor<12544xi32>
    %c_4 = stablehlo.constant dense<7919> : tensor<i64>
    %14 = call @remainder_0(%13, %c_4) : (tensor<12544xi32>, tensor<i64>) -> tensor<12544xi32>
    %c_5 = stablehlo.constant dense<37> : tensor<i32>
    %15 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<12544xi32>
    %16 = stablehlo.multiply %14, %15 : tensor<12544xi32>
    %c_6 = stablehlo.constant dense<101> : tensor<i64>
    %17 = call @remainder_0(%16, %c_6) : (tensor<12544xi32>, tensor<i64>) -> tensor<12544xi32>
    %c_7 = stablehlo.constant dense<50> : tensor<i32>
    %18 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<12544xi32>
    %19 = stablehlo.subtract %17, %18 : tensor<12544xi32>
    %c_8 = stablehlo.constant dense<3> : tensor<i32>
    %20 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<12544xi32>
    %21 = stablehlo.add %19, %20 : tensor<12544xi32>
    %22 = stablehlo.convert %21 : (tensor<12544xi32>) -> tensor<12544xf32>
    %cst_9 = stablehlo.constant dense<2.000000e-03> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<12544xf32>
    %24 = stablehlo.multiply %22, %23 : tensor<12544xf32>
    %25 = stablehlo.reshape %24 : (tensor<12544xf32>) -> tensor<224x56xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<4x56xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<4x4x56xf32>
    %c_12 = stablehlo.constant dense<0> : tensor<i64>
    %28:9 = stablehlo.while(%iterArg = %arg0, %iterArg_13 = %12, %iterArg_14 = %arg1, %iterArg_15 = %25, %iterArg_16 = %arg2, %iterArg_17 = %c_12, %iterArg_18 = %26, %iterArg_19 = %26, %iterArg_20 = %27) : tensor<4x4x36xf32>, tensor<224x36xf32>, tensor<224xf32>, tensor<224x56xf32>, tensor<224xf32>, tensor<i64>, tensor<4x56xf32>, tensor<4x56xf32>, tensor<4x4x56xf32>
    cond {
      %c_21 = stablehlo.constant dense<4> : tensor<i64>
      %29 = stablehlo.compare LT, %iterArg_17, %c_21, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %29 : tensor<i1>
    } do {
      %29 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_17) : (tensor<4x4x36xf32>, tensor<i64>) -> tensor<4x36xf32>
      %30:3 = func.call @closed_call(%iterArg_13, %iterArg_14, %iterArg_15, %iterArg_16, %iterArg_18, %iterArg_19, %29) : (tensor<224x36xf32>, tensor<224xf32>, tensor<224x56xf32>, tensor<224xf32>, tensor<4x56xf32>, tensor<4x56xf32>, tensor<4x36xf32>) -> (tensor<4x56xf32>, tensor<4x56xf32>, tensor<4x56xf32>)
      %31 = func.call @dynamic_update_index_in_dim(%iterArg_20, %30#2, %iterArg_17) : (tensor<4x4x56xf32>, tensor<4x56xf32>, tensor<i64>) -> tensor<4x4x56xf32>
      %c_21 = stablehlo.constant dense<1> : tensor<i64>
      %32 = stablehlo.add %iterArg_17, %c_21 : tensor<i64>
      stablehlo.return %iterArg, %iterArg_13, %iterArg_14, %iterArg_15, %iterArg_16, %32, %30#0, %30#1, %31 : tensor<4x4x36xf32>, tensor<224x36xf32>, tensor<224xf32>, tensor<224x56xf32>, tensor<224xf32>, tensor<i64>, tensor<4x56xf32>, tensor<4x56xf32>, tensor<4x4x56xf32>
    }
    return %28#8 : tensor<4x4x56xf32>
  }
  func.func private @remainder(%arg0: tensor<8064xi32>, %arg1: tensor<i64>) -> tensor<8064xi32> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<8064xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<8064xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<8064xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<8064xi32>, tensor<8064xi32>) -> tensor<8064xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8064xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<8064xi32>, tensor<8064xi32>) -> tensor<8064xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<8064xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<8064xi1>, tensor<8064xi1>) -> tensor<8064xi1>
    %12 = stablehlo.and %11, %6 : tensor<8064xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<8064xi32>
    %14 = stablehlo.add %4, %13 : tensor<8064xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<8064xi1>, tensor<8064xi32>
    return %15 : tensor<8064xi32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @remainder_0(%arg0: tensor<12544xi32>, %arg1: tensor<i64>) -> tensor<12544xi32> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<12544xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<12544xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<12544xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<12544xi32>, tensor<12544xi32>) -> tensor<12544xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<12544xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<12544xi32>, tensor<12544xi32>) -> tensor<12544xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<12544xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<12544xi1>, tensor<12544xi1>) -> tensor<12544xi1>
    %12 = stablehlo.and %11, %6 : tensor<12544xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<12544xi32>
    %14 = stablehlo.add %4, %13 : tensor<12544xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<12544xi1>, tensor<12544xi32>
    return %15 : tensor<12544xi32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<4x4x36xf32>, %arg1: tensor<i64>) -> tensor<4x36xf32> {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 4, 36] : (tensor<4x4x36xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1x4x36xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x4x36xf32>) -> tensor<4x36xf32>
    return %1 : tensor<4x36xf32>
  }
  func.func private @closed_call(%arg0: tensor<224x36xf32>, %arg1: tensor<224xf32>, %arg2: tensor<224x56xf32>, %arg3: tensor<224xf32>, %arg4: tensor<4x56xf32>, %arg5: tensor<4x56xf32>, %arg6: tensor<4x36xf32>) -> (tensor<4x56xf32>, tensor<4x56xf32>, tensor<4x56xf32>) {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<224x36xf32>) -> tensor<36x224xf32>
    %1 = stablehlo.dot_general %arg6, %0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x36xf32>, tensor<36x224xf32>) -> tensor<4x224xf32>
    %2 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<224xf32>) -> tensor<1x224xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<1x224xf32>) -> tensor<4x224xf32>
    %4 = stablehlo.add %1, %3 : tensor<4x224xf32>
    %5 = stablehlo.transpose %arg2, dims = [1, 0] : (tensor<224x56xf32>) -> tensor<56x224xf32>
    %6 = stablehlo.dot_general %arg4, %5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x56xf32>, tensor<56x224xf32>) -> tensor<4x224xf32>
    %7 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<224xf32>) -> tensor<1x224xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x224xf32>) -> tensor<4x224xf32>
    %9 = stablehlo.add %6, %8 : tensor<4x224xf32>
    %10 = stablehlo.add %4, %9 : tensor<4x224xf32>
    %11 = stablehlo.slice %10 [0:4, 0:56] : (tensor<4x224xf32>) -> tensor<4x56xf32>
    %12 = stablehlo.slice %10 [0:4, 56:112] : (tensor<4x224xf32>) -> tensor<4x56xf32>
    %13 = stablehlo.slice %10 [0:4, 112:168] : (tensor<4x224xf32>) -> tensor<4x56xf32>
    %14 = stablehlo.slice %10 [0:4, 168:224] : (tensor<4x224xf32>) -> tensor<4x56xf32>
    %15 = stablehlo.negate %12 : tensor<4x56xf32>
    %16 = stablehlo.exponential %15 : tensor<4x56xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x56xf32>
    %18 = stablehlo.add %17, %16 : tensor<4x56xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x56xf32>
    %20 = stablehlo.divide %19, %18 : tensor<4x56xf32>
    %21 = stablehlo.multiply %20, %arg5 : tensor<4x56xf32>
    %22 = stablehlo.negate %11 : tensor<4x56xf32>
    %23 = stablehlo.exponential %22 : tensor<4x56xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x56xf32>
    %25 = stablehlo.add %24, %23 : tensor<4x56xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x56xf32>
    %27 = stablehlo.divide %26, %25 : tensor<4x56xf32>
    %28 = stablehlo.tanh %13 : tensor<4x56xf32>
    %29 = stablehlo.multiply %27, %28 : tensor<4x56xf32>
    %30 = stablehlo.add %21, %29 : tensor<4x56xf32>
    %31 = stablehlo.negate %14 : tensor<4x56xf32>
    %32 = stablehlo.exponential %31 : tensor<4x56xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x56xf32>
    %34 = stablehlo.add %33, %32 : tensor<4x56xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x56xf32>
    %36 = stablehlo.divide %35, %34 : tensor<4x56xf32>
    %37 = stablehlo.tanh %30 : tensor<4x56xf32>
    %38 = stablehlo.multiply %36, %37 : tensor<4x56xf32>
    return %38, %30, %38 : tensor<4x56xf32>, tensor<4x56xf32>, tensor<4x56xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<4x4x56xf32>, %arg1: tensor<4x56xf32>, %arg2: tensor<i64>) -> tensor<4x4x56xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<4x56xf32>) -> tensor<1x4x56xf32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<4x4x56xf32>, tensor<1x4x56xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<4x4x56xf32>
    return %1 : tensor<4x4x56xf32>
  }
}
