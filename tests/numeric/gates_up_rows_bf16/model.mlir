module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<7x96xbf16>) -> (tensor<7x136xbf16> {jax.result_info = "result[0]"}) {
    %0 = stablehlo.iota dim = 0 : tensor<13056xi32>
    %c = stablehlo.constant dense<7919> : tensor<i64>
    %1 = call @remainder(%0, %c) : (tensor<13056xi32>, tensor<i64>) -> tensor<13056xi32>
    %c_0 = stablehlo.constant dense<37> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<13056xi32>
    %3 = stablehlo.multiply %1, %2 : tensor<13056xi32>
    %c_1 = stablehlo.constant dense<101> : tensor<i64>
    %4 = call @remainder(%3, %c_1) : (tensor<13056xi32>, tensor<i64>) -> tensor<13056xi32>
    %c_2 = stablehlo.constant dense<50> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<13056xi32>
    %6 = stablehlo.subtract %4, %5 : tensor<13056xi32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<13056xi32>
    %8 = stablehlo.add %6, %7 : tensor<13056xi32>
    %9 = stablehlo.convert %8 : (tensor<13056xi32>) -> tensor<13056xf32>
    %cst = stablehlo.constant dense<2.000000e-03> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<13056xf32>
    %11 = stablehlo.multiply %9, %10 : tensor<13056xf32>
    %12 = stablehlo.convert %11 : (tensor<13056xf32>) -> tensor<13056xbf16>
    %13 = stablehlo.reshape %12 : (tensor<13056xbf16>) -> tensor<96x136xbf16>
    %14 = stablehlo.dot_general %arg0, %13, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<7x96xbf16>, tensor<96x136xbf16>) -> tensor<7x136xbf16>
    %15 = call @silu(%14) : (tensor<7x136xbf16>) -> tensor<7x136xbf16>
    %16 = stablehlo.iota dim = 0 : tensor<13056xi32>
    %c_4 = stablehlo.constant dense<7919> : tensor<i64>
    %17 = call @remainder(%16, %c_4) : (tensor<13056xi32>, tensor<i64>) -> tensor<13056xi32>
    %c_5 = stablehlo.constant dense<37> : tensor<i32>
    %18 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<13056xi32>
    %19 = stablehlo.multiply %17, %18 : tensor<13056xi32>
    %c_6 = stablehlo.constant dense<101> : tensor<i64>
    %20 = call @remainder(%19, %c_6) : (tensor<13056xi32>, tensor<i64>) -> tensor<13056xi32>
    %c_7 = stablehlo.constant dense<50> : tensor<i32>
    %21 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<13056xi32>
    %22 = stablehlo.subtract %20, %21 : tensor<13056xi32>
    %c_8 = stablehlo.constant dense<3> : tensor<i32>
    %23 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<13056xi32>
    %24 = stablehlo.add %22, %23 : tensor<13056xi32>
    %25 = stablehlo.convert %24 : (tensor<13056xi32>) -> tensor<13056xf32>
    %cst_9 = stablehlo.constant dense<2.000000e-03> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<13056xf32>
    %27 = stablehlo.multiply %25, %26 : tensor<13056xf32>
    %28 = stablehlo.convert %27 : (tensor<13056xf32>) -> tensor<13056xbf16>
    %29 = stablehlo.reshape %28 : (tensor<13056xbf16>) -> tensor<96x136xbf16>
    %30 = stablehlo.dot_general %arg0, %29, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<7x96xbf16>, tensor<96x136xbf16>) -> tensor<7x136xbf16>
    %31 = stablehlo.multiply %15, %30 : tensor<7x136xbf16>
    return %31 : tensor<7x136xbf16>
  }
  func.func private @remainder(%arg0: tensor<13056xi32>, %arg1: tensor<i64>) -> tensor<13056xi32> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<13056xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<13056xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<13056xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<13056xi32>, tensor<13056xi32>) -> tensor<13056xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<13056xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<13056xi32>, tensor<13056xi32>) -> tensor<13056xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<13056xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<13056xi1>, tensor<13056xi1>) -> tensor<13056xi1>
    %12 = stablehlo.and %11, %6 : tensor<13056xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<13056xi32>
    %14 = stablehlo.add %4, %13 : tensor<13056xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<13056xi1>, tensor<13056xi32>
    return %15 : tensor<13056xi32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @silu(%arg0: tensor<7x136xbf16>) -> tensor<7x136xbf16> {
    %0 = stablehlo.negate %arg0 : tensor<7x136xbf16>
    %1 = stablehlo.exponential %0 : tensor<7x136xbf16>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<7x136xbf16>
    %3 = stablehlo.add %2, %1 : tensor<7x136xbf16>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<7x136xbf16>
    %5 = stablehlo.divide %4, %3 : tensor<7x136xbf16>
    %6 = stablehlo.multiply %arg0, %5 : tensor<7x136xbf16>
    return %6 : tensor<7x136xbf16>
  }
}
