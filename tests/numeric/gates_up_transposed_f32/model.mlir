module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x101xf32>) -> (tensor<1x87xf32> {jax.result_info = "result[0]"}) {
    %0 = stablehlo.iota dim = 0 : tensor<8787xi32>
    %c = stablehlo.constant dense<7919> : tensor<i64>
    %1 = call @remainder(%0, %c) : (tensor<8787xi32>, tensor<i64>) -> tensor<8787xi32>
    %c_0 = stablehlo.constant dense<37> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8787xi32>
    %3 = stablehlo.multiply %1, %2 : tensor<8787xi32>
    %c_1 = stablehlo.constant dense<101> : tensor<i64>
    %4 = call @remainder(%3, %c_1) : (tensor<8787xi32>, tensor<i64>) -> tensor<8787xi32>
    %c_2 = stablehlo.constant dense<50> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8787xi32>
    %6 = stablehlo.subtract %4, %5 : tensor<8787xi32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<8787xi32>
    %8 = stablehlo.add %6, %7 : tensor<8787xi32>
    %9 = stablehlo.convert %8 : (tensor<8787xi32>) -> tensor<8787xf32>
    %cst = stablehlo.constant dense<2.000000e-03> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8787xf32>
    %11 = stablehlo.multiply %9, %10 : tensor<8787xf32>
    %12 = stablehlo.reshape %11 : (tensor<8787xf32>) -> tensor<87x101xf32>
    %13 = stablehlo.transpose %12, dims = [1, 0] : (tensor<87x101xf32>) -> tensor<101x87xf32>
    %14 = stablehlo.dot_general %arg0, %13, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x101xf32>, tensor<101x87xf32>) -> tensor<1x87xf32>
    %15 = stablehlo.multiply %14, %14 : tensor<1x87xf32>
    %16 = stablehlo.multiply %15, %14 : tensor<1x87xf32>
    %cst_4 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<1x87xf32>
    %18 = stablehlo.multiply %17, %16 : tensor<1x87xf32>
    %19 = stablehlo.add %14, %18 : tensor<1x87xf32>
    %cst_5 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<1x87xf32>
    %21 = stablehlo.multiply %20, %19 : tensor<1x87xf32>
    %22 = stablehlo.tanh %21 : tensor<1x87xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<1x87xf32>
    %24 = stablehlo.add %23, %22 : tensor<1x87xf32>
    %cst_7 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<1x87xf32>
    %26 = stablehlo.multiply %25, %24 : tensor<1x87xf32>
    %27 = stablehlo.multiply %14, %26 : tensor<1x87xf32>
    %28 = stablehlo.iota dim = 0 : tensor<8787xi32>
    %c_8 = stablehlo.constant dense<7919> : tensor<i64>
    %29 = call @remainder(%28, %c_8) : (tensor<8787xi32>, tensor<i64>) -> tensor<8787xi32>
    %c_9 = stablehlo.constant dense<37> : tensor<i32>
    %30 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<8787xi32>
    %31 = stablehlo.multiply %29, %30 : tensor<8787xi32>
    %c_10 = stablehlo.constant dense<101> : tensor<i64>
    %32 = call @remainder(%31, %c_10) : (tensor<8787xi32>, tensor<i64>) -> tensor<8787xi32>
    %c_11 = stablehlo.constant dense<50> : tensor<i32>
    %33 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<8787xi32>
    %34 = stablehlo.subtract %32, %33 : tensor<8787xi32>
    %c_12 = stablehlo.constant dense<3> : tensor<i32>
    %35 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<8787xi32>
    %36 = stablehlo.add %34, %35 : tensor<8787xi32>
    %37 = stablehlo.convert %36 : (tensor<8787xi32>) -> tensor<8787xf32>
    %cst_13 = stablehlo.constant dense<2.000000e-03> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<8787xf32>
    %39 = stablehlo.multiply %37, %38 : tensor<8787xf32>
    %40 = stablehlo.reshape %39 : (tensor<8787xf32>) -> tensor<87x101xf32>
    %41 = stablehlo.transpose %40, dims = [1, 0] : (tensor<87x101xf32>) -> tensor<101x87xf32>
    %42 = stablehlo.dot_general %arg0, %41, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x101xf32>, tensor<101x87xf32>) -> tensor<1x87xf32>
    %43 = stablehlo.multiply %27, %42 : tensor<1x87xf32>
    return %43 : tensor<1x87xf32>
  }
  func.func private @remainder(%arg0: tensor<8787xi32>, %arg1: tensor<i64>) -> tensor<8787xi32> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<8787xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<8787xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<8787xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<8787xi32>, tensor<8787xi32>) -> tensor<8787xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8787xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<8787xi32>, tensor<8787xi32>) -> tensor<8787xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<8787xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<8787xi1>, tensor<8787xi1>) -> tensor<8787xi1>
    %12 = stablehlo.and %11, %6 : tensor<8787xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<8787xi32>
    %14 = stablehlo.add %4, %13 : tensor<8787xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<8787xi1>, tensor<8787xi32>
    return %15 : tensor<8787xi32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
