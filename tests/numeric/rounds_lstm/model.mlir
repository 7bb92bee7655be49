module @jit_lstm attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<9x3x48xf32>, %arg1: tensor<3x64xf32>, %arg2: tensor<f32>) -> (tensor<9x3x64xf32> {jax.result_info = "result[0]"}, tensor<3x64xf32> {jax.result_info = "result[1]"}, tensor<3x64xf32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.iota dim = 0 : tensor<12288xi32>
    %c = stablehlo.constant dense<7919> : tensor<i32>
    %1 = call @remainder(%0, %c) : (tensor<12288xi32>, tensor<i32>) -> tensor<12288xi32>
    %c_0 = stablehlo.constant dense<37> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<12288xi32>
    %3 = stablehlo.multiply %1, %2 : tensor<12288xi32>
    %c_1 = stablehlo.constant dense<101> : tensor<i32>
    %4 = call @remainder(%3, %c_1) : (tensor<12288xi32>, tensor<i32>) -> tensor<12288xi32>
    %c_2 = stablehlo.constant dense<50> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<12288xi32>
    %6 = stablehlo.subtract %4, %5 : tensor<12288xi32>
    %7 = stablehlo.convert %6 : (tensor<12288xi32>) -> tensor<12288xf32>
    %cst = stablehlo.constant dense<0.001953125> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12288xf32>
    %9 = stablehlo.multiply %7, %8 : tensor<12288xf32>
    %10 = stablehlo.abs %arg2 : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<12288xf32>
    %12 = stablehlo.multiply %9, %11 : tensor<12288xf32>
    %13 = stablehlo.reshape %12 : (tensor<12288xf32>) -> tensor<48x256xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %14 = stablehlo.add %arg2, %cst_3 : tensor<f32>
    %15 = stablehlo.iota dim = 0 : tensor<16384xi32>
    %c_4 = stablehlo.constant dense<7919> : tensor<i32>
    %16 = call @remainder_0(%15, %c_4) : (tensor<16384xi32>, tensor<i32>) -> tensor<16384xi32>
    %c_5 = stablehlo.constant dense<37> : tensor<i32>
    %17 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<16384xi32>
    %18 = stablehlo.multiply %16, %17 : tensor<16384xi32>
    %c_6 = stablehlo.constant dense<101> : tensor<i32>
    %19 = call @remainder_0(%18, %c_6) : (tensor<16384xi32>, tensor<i32>) -> tensor<16384xi32>
    %c_7 = stablehlo.constant dense<50> : tensor<i32>
    %20 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<16384xi32>
    %21 = stablehlo.subtract %19, %20 : tensor<16384xi32>
    %22 = stablehlo.convert %21 : (tensor<16384xi32>) -> tensor<16384xf32>
    %cst_8 = stablehlo.constant dense<0.001953125> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<16384xf32>
    %24 = stablehlo.multiply %22, %23 : tensor<16384xf32>
    %25 = stablehlo.abs %14 : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [] : (tensor<f32>) -> tensor<16384xf32>
    %27 = stablehlo.multiply %24, %26 : tensor<16384xf32>
    %28 = stablehlo.reshape %27 : (tensor<16384xf32>) -> tensor<64x256xf32>
    %cst_9 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<3x64xf32>
    %30 = stablehlo.multiply %arg1, %29 : tensor<3x64xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<9x3x64xf32>
    %c_11 = stablehlo.constant dense<0> : tensor<i32>
    %32:7 = stablehlo.while(%iterArg = %arg0, %iterArg_12 = %13, %iterArg_13 = %28, %iterArg_14 = %c_11, %iterArg_15 = %arg1, %iterArg_16 = %30, %iterArg_17 = %31) : tensor<9x3x48xf32>, tensor<48x256xf32>, tensor<64x256xf32>, tensor<i32>, tensor<3x64xf32>, tensor<3x64xf32>, tensor<9x3x64xf32>
    cond {
      %c_18 = stablehlo.constant dense<9> : tensor<i32>
      %33 = stablehlo.compare LT, %iterArg_14, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %33 : tensor<i1>
    } do {
      %33 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_14) : (tensor<9x3x48xf32>, tensor<i32>) -> tensor<3x48xf32>
      %34:3 = func.call @closed_call(%iterArg_12, %iterArg_13, %iterArg_15, %iterArg_16, %33) : (tensor<48x256xf32>, tensor<64x256xf32>, tensor<3x64xf32>, tensor<3x64xf32>, tensor<3x48xf32>) -> (tensor<3x64xf32>, tensor<3x64xf32>, tensor<3x64xf32>)
      %35 = func.call @dynamic_update_index_in_dim(%iterArg_17, %34#2, %iterArg_14) : (tensor<9x3x64xf32>, tensor<3x64xf32>, tensor<i32>) -> tensor<9x3x64xf32>
      %c_18 = stablehlo.constant dense<1> : tensor<i32>
      %36 = stablehlo.add %iterArg_14, %c_18 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_12, %iterArg_13, %36, %34#0, %34#1, %35 : tensor<9x3x48xf32>, tensor<48x256xf32>, tensor<64x256xf32>, tensor<i32>, tensor<3x64xf32>, tensor<3x64xf32>, tensor<9x3x64xf32>
    }
    return %32#6, %32#4, %32#5 : tensor<9x3x64xf32>, tensor<3x64xf32>, tensor<3x64xf32>
  }
  func.func private @remainder(%arg0: tensor<12288xi32>, %arg1: tensor<i32>) -> tensor<12288xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<12288xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<12288xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<12288xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<12288xi32>, tensor<12288xi32>) -> tensor<12288xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<12288xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<12288xi32>, tensor<12288xi32>) -> tensor<12288xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<12288xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<12288xi1>, tensor<12288xi1>) -> tensor<12288xi1>
    %12 = stablehlo.and %11, %6 : tensor<12288xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<12288xi32>
    %14 = stablehlo.add %4, %13 : tensor<12288xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<12288xi1>, tensor<12288xi32>
    return %15 : tensor<12288xi32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @remainder_0(%arg0: tensor<16384xi32>, %arg1: tensor<i32>) -> tensor<16384xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<16384xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<16384xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<16384xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<16384xi32>, tensor<16384xi32>) -> tensor<16384xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<16384xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<16384xi32>, tensor<16384xi32>) -> tensor<16384xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<16384xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<16384xi1>, tensor<16384xi1>) -> tensor<16384xi1>
    %12 = stablehlo.and %11, %6 : tensor<16384xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<16384xi32>
    %14 = stablehlo.add %4, %13 : tensor<16384xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<16384xi1>, tensor<16384xi32>
    return %15 : tensor<16384xi32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<9x3x48xf32>, %arg1: tensor<i32>) -> tensor<3x48xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 3, 48] : (tensor<9x3x48xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x3x48xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x3x48xf32>) -> tensor<3x48xf32>
    return %1 : tensor<3x48xf32>
  }
  func.func private @closed_call(%arg0: tensor<48x256xf32>, %arg1: tensor<64x256xf32>, %arg2: tensor<3x64xf32>, %arg3: tensor<3x64xf32>, %arg4: tensor<3x48xf32>) -> (tensor<3x64xf32>, tensor<3x64xf32>, tensor<3x64xf32>) {
    %0 = stablehlo.dot_general %arg4, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x48xf32>, tensor<48x256xf32>) -> tensor<3x256xf32>
    %1 = stablehlo.dot_general %arg2, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x64xf32>, tensor<64x256xf32>) -> tensor<3x256xf32>
    %2 = stablehlo.add %0, %1 : tensor<3x256xf32>
    %3 = stablehlo.slice %2 [0:3, 0:64] : (tensor<3x256xf32>) -> tensor<3x64xf32>
    %4 = stablehlo.slice %2 [0:3, 64:128] : (tensor<3x256xf32>) -> tensor<3x64xf32>
    %5 = stablehlo.slice %2 [0:3, 128:192] : (tensor<3x256xf32>) -> tensor<3x64xf32>
    %6 = stablehlo.slice %2 [0:3, 192:256] : (tensor<3x256xf32>) -> tensor<3x64xf32>
    %7 = stablehlo.negate %4 : tensor<3x64xf32>
    %8 = stablehlo.exponential %7 : tensor<3x64xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x64xf32>
    %10 = stablehlo.add %9, %8 : tensor<3x64xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x64xf32>
    %12 = stablehlo.divide %11, %10 : tensor<3x64xf32>
    %13 = stablehlo.multiply %12, %arg3 : tensor<3x64xf32>
    %14 = stablehlo.negate %3 : tensor<3x64xf32>
    %15 = stablehlo.exponential %14 : tensor<3x64xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3x64xf32>
    %17 = stablehlo.add %16, %15 : tensor<3x64xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3x64xf32>
    %19 = stablehlo.divide %18, %17 : tensor<3x64xf32>
    %20 = stablehlo.tanh %5 : tensor<3x64xf32>
    %21 = stablehlo.multiply %19, %20 : tensor<3x64xf32>
    %22 = stablehlo.add %13, %21 : tensor<3x64xf32>
    %23 = stablehlo.negate %6 : tensor<3x64xf32>
    %24 = stablehlo.exponential %23 : tensor<3x64xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3x64xf32>
    %26 = stablehlo.add %25, %24 : tensor<3x64xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<3x64xf32>
    %28 = stablehlo.divide %27, %26 : tensor<3x64xf32>
    %29 = stablehlo.tanh %22 : tensor<3x64xf32>
    %30 = stablehlo.multiply %28, %29 : tensor<3x64xf32>
    return %30, %22, %30 : tensor<3x64xf32>, tensor<3x64xf32>, tensor<3x64xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<9x3x64xf32>, %arg1: tensor<3x64xf32>, %arg2: tensor<i32>) -> tensor<9x3x64xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<3x64xf32>) -> tensor<1x3x64xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<9x3x64xf32>, tensor<1x3x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<9x3x64xf32>
    return %1 : tensor<9x3x64xf32>
  }
}
