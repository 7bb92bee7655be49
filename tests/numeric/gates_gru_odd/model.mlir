module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x1x37xf32>, %arg1: tensor<183xf32>, %arg2: tensor<183xf32>) -> (tensor<3x1x61xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 0 : tensor<6771xi32>
    %c = stablehlo.constant dense<7919> : tensor<i64>
    %1 = call @remainder(%0, %c) : (tensor<6771xi32>, tensor<i64>) -> tensor<6771xi32>
    %c_0 = stablehlo.constant dense<37> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6771xi32>
    %3 = stablehlo.multiply %1, %2 : tensor<6771xi32>
    %c_1 = stablehlo.constant dense<101> : tensor<i64>
    %4 = call @remainder(%3, %c_1) : (tensor<6771xi32>, tensor<i64>) -> tensor<6771xi32>
    %c_2 = stablehlo.constant dense<50> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<6771xi32>
    %6 = stablehlo.subtract %4, %5 : tensor<6771xi32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<6771xi32>
    %8 = stablehlo.add %6, %7 : tensor<6771xi32>
    %9 = stablehlo.convert %8 : (tensor<6771xi32>) -> tensor<6771xf32>
    %cst = stablehlo.constant dense<2.000000e-03> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6771xf32>
    %11 = stablehlo.multiply %9, %10 : tensor<6771xf32>
    %12 = stablehlo.reshape %11 : (tensor<6771xf32>) -> tensor<37x183xf32>
    %13 = stablehlo.iota dim = 0 : tensor<11163xi32>
    %c_4 = stablehlo.constant dense<7919> : tensor<i64>
    %14 = call @remainder_0(%13, %c_4) : (tensor<11163xi32>, tensor<i64>) -> tensor<11163xi32>
    %c_5 = stablehlo.constant dense<37> : tensor<i32>
    %15 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<11163xi32>
    %16 = stablehlo.multiply %14, %15 : tensor<11163xi32>
    %c_6 = stablehlo.constant dense<101> : tensor<i64>
    %17 = call @remainder_0(%16, %c_6) : (tensor<11163xi32>, tensor<i64>) -> tensor<11163xi32>
    %c_7 = stablehlo.constant dense<50> : tensor<i32>
    %18 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<11163xi32>
    %19 = stablehlo.subtract %17, %18 : tensor<11163xi32>
    %c_8 = stablehlo.constant dense<3> : tensor<i32>
    %20 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<11163xi32>
    %21 = stablehlo.add %19, %20 : tensor<11163xi32>
    %22 = stablehlo.convert %21 : (tensor<11163xi32>) -> tensor<11163xf32>
    %cst_9 = stablehlo.constant dense<2.000000e-03> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<11163xf32>
    %24 = stablehlo.multiply %22, %23 : tensor<11163xf32>
    %25 = stablehlo.reshape %24 : (tensor<11163xf32>) -> tensor<61x183xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<1x61xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<3x1x61xf32>
    %c_12 = stablehlo.constant dense<0> : tensor<i64>
    %28:8 = stablehlo.while(%iterArg = %arg0, %iterArg_13 = %12, %iterArg_14 = %arg1, %iterArg_15 = %25, %iterArg_16 = %arg2, %iterArg_17 = %c_12, %iterArg_18 = %26, %iterArg_19 = %27) : tensor<3x1x37xf32>, tensor<37x183xf32>, tensor<183xf32>, tensor<61x183xf32>, tensor<183xf32>, tensor<i64>, tensor<1x61xf32>, tensor<3x1x61xf32>
    cond {
      %c_20 = stablehlo.constant dense<3> : tensor<i64>
      %29 = stablehlo.compare LT, %iterArg_17, %c_20, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %29 : tensor<i1>
    } do {
      %29 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_17) : (tensor<3x1x37xf32>, tensor<i64>) -> tensor<1x37xf32>
      %30:2 = func.call @closed_call(%iterArg_13, %iterArg_14, %iterArg_15, %iterArg_16, %iterArg_18, %29) : (tensor<37x183xf32>, tensor<183xf32>, tensor<61x183xf32>, tensor<183xf32>, tensor<1x61xf32>, tensor<1x37xf32>) -> (tensor<1x61xf32>, tensor<1x61xf32>)
      %31 = func.call @dynamic_update_index_in_dim(%iterArg_19, %30#1, %iterArg_17) : (tensor<3x1x61xf32>, tensor<1x61xf32>, tensor<i64>) -> tensor<3x1x61xf32>
      %c_20 = stablehlo.constant dense<1> : tensor<i64>
      %32 = stablehlo.add %iterArg_17, %c_20 : tensor<i64>
      stablehlo.return %iterArg, %iterArg_13, %iterArg_14, %iterArg_15, %iterArg_16, %32, %30#0, %31 : tensor<3x1x37xf32>, tensor<37x183xf32>, tensor<183xf32>, tensor<61x183xf32>, tensor<183xf32>, tensor<i64>, tensor<1x61xf32>, tensor<3x1x61xf32>
    }
    return %28#7 : tensor<3x1x61xf32>
  }
  func.func private @remainder(%arg0: tensor<6771xi32>, %arg1: tensor<i64>) -> tensor<6771xi32> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<6771xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<6771xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<6771xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<6771xi32>, tensor<6771xi32>) -> tensor<6771xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<6771xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<6771xi32>, tensor<6771xi32>) -> tensor<6771xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<6771xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<6771xi1>, tensor<6771xi1>) -> tensor<6771xi1>
    %12 = stablehlo.and %11, %6 : tensor<6771xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<6771xi32>
    %14 = stablehlo.add %4, %13 : tensor<6771xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<6771xi1>, tensor<6771xi32>
    return %15 : tensor<6771xi32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @remainder_0(%arg0: tensor<11163xi32>, %arg1: tensor<i64>) -> tensor<11163xi32> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<11163xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<11163xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<11163xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<11163xi32>, tensor<11163xi32>) -> tensor<11163xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<11163xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<11163xi32>, tensor<11163xi32>) -> tensor<11163xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<11163xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<11163xi1>, tensor<11163xi1>) -> tensor<11163xi1>
    %12 = stablehlo.and %11, %6 : tensor<11163xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<11163xi32>
    %14 = stablehlo.add %4, %13 : tensor<11163xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<11163xi1>, tensor<11163xi32>
    return %15 : tensor<11163xi32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<3x1x37xf32>, %arg1: tensor<i64>) -> tensor<1x37xf32> {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 1, 37] : (tensor<3x1x37xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1x1x37xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x1x37xf32>) -> tensor<1x37xf32>
    return %1 : tensor<1x37xf32>
  }
  func.func private @closed_call(%arg0: tensor<37x183xf32>, %arg1: tensor<183xf32>, %arg2: tensor<61x183xf32>, %arg3: tensor<183xf32>, %arg4: tensor<1x61xf32>, %arg5: tensor<1x37xf32>) -> (tensor<1x61xf32>, tensor<1x61xf32>) {
    %0 = stablehlo.dot_general %arg5, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x37xf32>, tensor<37x183xf32>) -> tensor<1x183xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<183xf32>) -> tensor<1x183xf32>
    %2 = stablehlo.add %0, %1 : tensor<1x183xf32>
    %3 = stablehlo.slice %2 [0:1, 0:61] : (tensor<1x183xf32>) -> tensor<1x61xf32>
    %4 = stablehlo.slice %2 [0:1, 61:122] : (tensor<1x183xf32>) -> tensor<1x61xf32>
    %5 = stablehlo.slice %2 [0:1, 122:183] : (tensor<1x183xf32>) -> tensor<1x61xf32>
    %6 = stablehlo.dot_general %arg4, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x61xf32>, tensor<61x183xf32>) -> tensor<1x183xf32>
    %7 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<183xf32>) -> tensor<1x183xf32>
    %8 = stablehlo.add %6, %7 : tensor<1x183xf32>
    %9 = stablehlo.slice %8 [0:1, 0:61] : (tensor<1x183xf32>) -> tensor<1x61xf32>
    %10 = stablehlo.slice %8 [0:1, 61:122] : (tensor<1x183xf32>) -> tensor<1x61xf32>
    %11 = stablehlo.slice %8 [0:1, 122:183] : (tensor<1x183xf32>) -> tensor<1x61xf32>
    %12 = stablehlo.add %3, %9 : tensor<1x61xf32>
    %13 = stablehlo.negate %12 : tensor<1x61xf32>
    %14 = stablehlo.exponential %13 : tensor<1x61xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x61xf32>
    %16 = stablehlo.add %15, %14 : tensor<1x61xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1x61xf32>
    %18 = stablehlo.divide %17, %16 : tensor<1x61xf32>
    %19 = stablehlo.add %4, %10 : tensor<1x61xf32>
    %20 = stablehlo.negate %19 : tensor<1x61xf32>
    %21 = stablehlo.exponential %20 : tensor<1x61xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<1x61xf32>
    %23 = stablehlo.add %22, %21 : tensor<1x61xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<1x61xf32>
    %25 = stablehlo.divide %24, %23 : tensor<1x61xf32>
    %26 = stablehlo.multiply %18, %11 : tensor<1x61xf32>
    %27 = stablehlo.add %5, %26 : tensor<1x61xf32>
    %28 = stablehlo.tanh %27 : tensor<1x61xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<1x61xf32>
    %30 = stablehlo.subtract %29, %25 : tensor<1x61xf32>
    %31 = stablehlo.multiply %30, %28 : tensor<1x61xf32>
    %32 = stablehlo.multiply %25, %arg4 : tensor<1x61xf32>
    %33 = stablehlo.add %31, %32 : tensor<1x61xf32>
    return %33, %33 : tensor<1x61xf32>, tensor<1x61xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<3x1x61xf32>, %arg1: tensor<1x61xf32>, %arg2: tensor<i64>) -> tensor<3x1x61xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<1x61xf32>) -> tensor<1x1x61xf32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<3x1x61xf32>, tensor<1x1x61xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<3x1x61xf32>
    return %1 : tensor<3x1x61xf32>
  }
}
