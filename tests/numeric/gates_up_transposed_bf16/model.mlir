module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x128xbf16>) -> (tensor<5x88xbf16> {jax.result_info = "result[0]"}) {
    %0 = stablehlo.iota dim = 0 : tensor<11264xi32>
    %c = stablehlo.constant dense<7919> : tensor<i64>
    %1 = call @remainder(%0, %c) : (tensor<11264xi32>, tensor<i64>) -> tensor<11264xi32>
    %c_0 = stablehlo.constant dense<37> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<11264xi32>
    %3 = stablehlo.multiply %1, %2 : tensor<11264xi32>
    %c_1 = stablehlo.constant dense<101> : tensor<i64>
    %4 = call @remainder(%3, %c_1) : (tensor<11264xi32>, tensor<i64>) -> tensor<11264xi32>
    %c_2 = stablehlo.constant dense<50> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<11264xi32>
    %6 = stablehlo.subtract %4, %5 : tensor<11264xi32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<11264xi32>
    %8 = stablehlo.add %6, %7 : tensor<11264xi32>
    %9 = stablehlo.convert %8 : (tensor<11264xi32>) -> tensor<11264xf32>
    %cst = stablehlo.constant dense<2.000000e-03> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<11264xf32>
    %11 = stablehlo.multiply %9, %10 : tensor<11264xf32>
    %12 = stablehlo.convert %11 : (tensor<11264xf32>) -> tensor<11264xbf16>
    %13 = stablehlo.reshape %12 : (tensor<11264xbf16>) -> tensor<88x128xbf16>
    %14 = stablehlo.transpose %13, dims = [1, 0] : (tensor<88x128xbf16>) -> tensor<128x88xbf16>
    %15 = stablehlo.dot_general %arg0, %14, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x128xbf16>, tensor<128x88xbf16>) -> tensor<5x88xbf16>
    %16 = stablehlo.multiply %15, %15 : tensor<5x88xbf16>
    %17 = stablehlo.multiply %16, %15 : tensor<5x88xbf16>
    %cst_4 = stablehlo.constant dense<4.467770e-02> : tensor<bf16>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<bf16>) -> tensor<5x88xbf16>
    %19 = stablehlo.multiply %18, %17 : tensor<5x88xbf16>
    %20 = stablehlo.add %15, %19 : tensor<5x88xbf16>
    %cst_5 = stablehlo.constant dense<7.968750e-01> : tensor<bf16>
    %21 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<bf16>) -> tensor<5x88xbf16>
    %22 = stablehlo.multiply %21, %20 : tensor<5x88xbf16>
    %23 = stablehlo.tanh %22 : tensor<5x88xbf16>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %24 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<bf16>) -> tensor<5x88xbf16>
    %25 = stablehlo.add %24, %23 : tensor<5x88xbf16>
    %cst_7 = stablehlo.constant dense<5.000000e-01> : tensor<bf16>
    %26 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<bf16>) -> tensor<5x88xbf16>
    %27 = stablehlo.multiply %26, %25 : tensor<5x88xbf16>
    %28 = stablehlo.multiply %15, %27 : tensor<5x88xbf16>
    %29 = stablehlo.iota dim = 0 : tensor<11264xi32>
    %c_8 = stablehlo.constant dense<7919> : tensor<i64>
    %30 = call @remainder(%29, %c_8) : (tensor<11264xi32>, tensor<i64>) -> tensor<11264xi32>
    %c_9 = stablehlo.constant dense<37> : tensor<i32>
    %31 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<11264xi32>
    %32 = stablehlo.multiply %30, %31 : tensor<11264xi32>
    %c_10 = stablehlo.constant dense<101> : tensor<i64>
    %33 = call @remainder(%32, %c_10) : (tensor<11264xi32>, tensor<i64>) -> tensor<11264xi32>
    %c_11 = stablehlo.constant dense<50> : tensor<i32>
    %34 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<11264xi32>
    %35 = stablehlo.subtract %33, %34 : tensor<11264xi32>
    %c_12 = stablehlo.constant dense<3> : tensor<i32>
    %36 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<11264xi32>
    %37 = stablehlo.add %35, %36 : tensor<11264xi32>
    %38 = stablehlo.convert %37 : (tensor<11264xi32>) -> tensor<11264xf32>
    %cst_13 = stablehlo.constant dense<2.000000e-03> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<11264xf32>
    %40 = stablehlo.multiply %38, %39 : tensor<11264xf32>
    %41 = stablehlo.convert %40 : (tensor<11264xf32>) -> tensor<11264xbf16>
    %42 = stablehlo.reshape %41 : (tensor<11264xbf16>) -> tensor<88x128xbf16>
    %43 = stablehlo.transpose %42, dims = [1, 0] : (tensor<88x128xbf16>) -> tensor<128x88xbf16>
    %44 = stablehlo.dot_general %arg0, %43, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x128xbf16>, tensor<128x88xbf16>) -> tensor<5x88xbf16>
    %45 = stablehlo.multiply %28, %44 : tensor<5x88xbf16>
    return %45 : tensor<5x88xbf16>
  }
  func.func private @remainder(%arg0: tensor<11264xi32>, %arg1: tensor<i64>) -> tensor<11264xi32> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<11264xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<11264xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<11264xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<11264xi32>, tensor<11264xi32>) -> tensor<11264xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<11264xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<11264xi32>, tensor<11264xi32>) -> tensor<11264xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<11264xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<11264xi1>, tensor<11264xi1>) -> tensor<11264xi1>
    %12 = stablehlo.and %11, %6 : tensor<11264xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<11264xi32>
    %14 = stablehlo.add %4, %13 : tensor<11264xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<11264xi1>, tensor<11264xi32>
    return %15 : tensor<11264xi32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
