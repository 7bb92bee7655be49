module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x90xf32>, %arg1: tensor<3x41xf32>) -> (tensor<3x107xf32> {jax.result_info = "result[0]"}, tensor<3x107xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.iota dim = 0 : tensor<9630xi32>
    %c = stablehlo.constant dense<7919> : tensor<i64>
    %1 = call @remainder(%0, %c) : (tensor<9630xi32>, tensor<i64>) -> tensor<9630xi32>
    %c_0 = stablehlo.constant dense<37> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<9630xi32>
    %3 = stablehlo.multiply %1, %2 : tensor<9630xi32>
    %c_1 = stablehlo.constant dense<101> : tensor<i64>
    %4 = call @remainder(%3, %c_1) : (tensor<9630xi32>, tensor<i64>) -> tensor<9630xi32>
    %c_2 = stablehlo.constant dense<50> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<9630xi32>
    %6 = stablehlo.subtract %4, %5 : tensor<9630xi32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<9630xi32>
    %8 = stablehlo.add %6, %7 : tensor<9630xi32>
    %9 = stablehlo.convert %8 : (tensor<9630xi32>) -> tensor<9630xf32>
    %cst = stablehlo.constant dense<2.000000e-03> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<9630xf32>
    %11 = stablehlo.multiply %9, %10 : tensor<9630xf32>
    %12 = stablehlo.reshape %11 : (tensor<9630xf32>) -> tensor<90x107xf32>
    %13 = stablehlo.dot_general %arg0, %12, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x90xf32>, tensor<90x107xf32>) -> tensor<3x107xf32>
    %14 = stablehlo.iota dim = 0 : tensor<4387xi32>
    %c_4 = stablehlo.constant dense<7919> : tensor<i64>
    %15 = call @remainder_0(%14, %c_4) : (tensor<4387xi32>, tensor<i64>) -> tensor<4387xi32>
    %c_5 = stablehlo.constant dense<37> : tensor<i32>
    %16 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<4387xi32>
    %17 = stablehlo.multiply %15, %16 : tensor<4387xi32>
    %c_6 = stablehlo.constant dense<101> : tensor<i64>
    %18 = call @remainder_0(%17, %c_6) : (tensor<4387xi32>, tensor<i64>) -> tensor<4387xi32>
    %c_7 = stablehlo.constant dense<50> : tensor<i32>
    %19 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<4387xi32>
    %20 = stablehlo.subtract %18, %19 : tensor<4387xi32>
    %c_8 = stablehlo.constant dense<3> : tensor<i32>
    %21 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<4387xi32>
    %22 = stablehlo.add %20, %21 : tensor<4387xi32>
    %23 = stablehlo.convert %22 : (tensor<4387xi32>) -> tensor<4387xf32>
    %cst_9 = stablehlo.constant dense<2.000000e-03> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4387xf32>
    %25 = stablehlo.multiply %23, %24 : tensor<4387xf32>
    %26 = stablehlo.reshape %25 : (tensor<4387xf32>) -> tensor<41x107xf32>
    %27 = stablehlo.dot_general %arg1, %26, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x41xf32>, tensor<41x107xf32>) -> tensor<3x107xf32>
    %28 = stablehlo.iota dim = 0 : tensor<9630xi32>
    %c_10 = stablehlo.constant dense<7919> : tensor<i64>
    %29 = call @remainder(%28, %c_10) : (tensor<9630xi32>, tensor<i64>) -> tensor<9630xi32>
    %c_11 = stablehlo.constant dense<37> : tensor<i32>
    %30 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<9630xi32>
    %31 = stablehlo.multiply %29, %30 : tensor<9630xi32>
    %c_12 = stablehlo.constant dense<101> : tensor<i64>
    %32 = call @remainder(%31, %c_12) : (tensor<9630xi32>, tensor<i64>) -> tensor<9630xi32>
    %c_13 = stablehlo.constant dense<50> : tensor<i32>
    %33 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<i32>) -> tensor<9630xi32>
    %34 = stablehlo.subtract %32, %33 : tensor<9630xi32>
    %c_14 = stablehlo.constant dense<7> : tensor<i32>
    %35 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<i32>) -> tensor<9630xi32>
    %36 = stablehlo.add %34, %35 : tensor<9630xi32>
    %37 = stablehlo.convert %36 : (tensor<9630xi32>) -> tensor<9630xf32>
    %cst_15 = stablehlo.constant dense<2.000000e-03> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<9630xf32>
    %39 = stablehlo.multiply %37, %38 : tensor<9630xf32>
    %40 = stablehlo.reshape %39 : (tensor<9630xf32>) -> tensor<90x107xf32>
    %41 = stablehlo.dot_general %arg0, %40, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x90xf32>, tensor<90x107xf32>) -> tensor<3x107xf32>
    %42 = stablehlo.tanh %27 : tensor<3x107xf32>
    %43 = stablehlo.multiply %13, %42 : tensor<3x107xf32>
    %44 = stablehlo.subtract %43, %41 : tensor<3x107xf32>
    return %44, %13 : tensor<3x107xf32>, tensor<3x107xf32>
  }
  func.func private @remainder(%arg0: tensor<9630xi32>, %arg1: tensor<i64>) -> tensor<9630xi32> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<9630xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<9630xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<9630xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<9630xi32>, tensor<9630xi32>) -> tensor<9630xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<9630xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<9630xi32>, tensor<9630xi32>) -> tensor<9630xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<9630xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<9630xi1>, tensor<9630xi1>) -> tensor<9630xi1>
    %12 = stablehlo.and %11, %6 : tensor<9630xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<9630xi32>
    %14 = stablehlo.add %4, %13 : tensor<9630xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<9630xi1>, tensor<9630xi32>
    return %15 : tensor<9630xi32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @remainder_0(%arg0: tensor<4387xi32>, %arg1: tensor<i64>) -> tensor<4387xi32> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<4387xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<4387xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<4387xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<4387xi32>, tensor<4387xi32>) -> tensor<4387xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<4387xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<4387xi32>, tensor<4387xi32>) -> tensor<4387xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<4387xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<4387xi1>, tensor<4387xi1>) -> tensor<4387xi1>
    %12 = stablehlo.and %11, %6 : tensor<4387xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<4387xi32>
    %14 = stablehlo.add %4, %13 : tensor<4387xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<4387xi1>, tensor<4387xi32>
    return %15 : tensor<4387xi32>
  }
}
