module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x21xf64>, %arg1: tensor<5x47xf64>, %arg2: tensor<5x47xf64>, %arg3: tensor<188xf64>) -> (tensor<5x47xf64> {jax.result_info = "result[0]"}, tensor<5x47xf64> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.iota dim = 0 : tensor<3948xi32>
    %c = stablehlo.constant dense<7919> : tensor<i64>
    %1 = call @remainder(%0, %c) : (tensor<3948xi32>, tensor<i64>) -> tensor<3948xi32>
    %c_0 = stablehlo.constant dense<37> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3948xi32>
    %3 = stablehlo.multiply %1, %2 : tensor<3948xi32>
    %c_1 = stablehlo.constant dense<101> : tensor<i64>
    %4 = call @remainder(%3, %c_1) : (tensor<3948xi32>, tensor<i64>) -> tensor<3948xi32>
    %c_2 = stablehlo.constant dense<50> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3948xi32>
    %6 = stablehlo.subtract %4, %5 : tensor<3948xi32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<3948xi32>
    %8 = stablehlo.add %6, %7 : tensor<3948xi32>
    %9 = stablehlo.convert %8 : (tensor<3948xi32>) -> tensor<3948xf32>
    %cst = stablehlo.constant dense<2.000000e-03> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3948xf32>
    %11 = stablehlo.multiply %9, %10 : tensor<3948xf32>
    %12 = stablehlo.convert %11 : (tensor<3948xf32>) -> tensor<3948xf64>
    %13 = stablehlo.reshape %12 : (tensor<3948xf64>) -> tensor<21x188xf64>
    %14 = stablehlo.iota dim = 0 : tensor<8836xi32>
    %c_4 = stablehlo.constant dense<7919> : tensor<i64>
    %15 = call @remainder_0(%14, %c_4) : (tensor<8836xi32>, tensor<i64>) -> tensor<8836xi32>
    %c_5 = stablehlo.constant dense<37> : tensor<i32>
    %16 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<8836xi32>
    %17 = stablehlo.multiply %15, %16 : tensor<8836xi32>
    %c_6 = stablehlo.constant dense<101> : tensor<i64>
    %18 = call @remainder_0(%17, %c_6) : (tensor<8836xi32>, tensor<i64>) -> tensor<8836xi32>
    %c_7 = stablehlo.constant dense<50> : tensor<i32>
    %19 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<8836xi32>
    %20 = stablehlo.subtract %18, %19 : tensor<8836xi32>
    %c_8 = stablehlo.constant dense<3> : tensor<i32>
    %21 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<8836xi32>
    %22 = stablehlo.add %20, %21 : tensor<8836xi32>
    %23 = stablehlo.convert %22 : (tensor<8836xi32>) -> tensor<8836xf32>
    %cst_9 = stablehlo.constant dense<2.000000e-03> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8836xf32>
    %25 = stablehlo.multiply %23, %24 : tensor<8836xf32>
    %26 = stablehlo.convert %25 : (tensor<8836xf32>) -> tensor<8836xf64>
    %27 = stablehlo.reshape %26 : (tensor<8836xf64>) -> tensor<47x188xf64>
    %28 = stablehlo.dot_general %arg0, %13, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x21xf64>, tensor<21x188xf64>) -> tensor<5x188xf64>
    %29 = stablehlo.dot_general %arg1, %27, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x47xf64>, tensor<47x188xf64>) -> tensor<5x188xf64>
    %30 = stablehlo.add %28, %29 : tensor<5x188xf64>
    %31 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<188xf64>) -> tensor<1x188xf64>
    %32 = stablehlo.broadcast_in_dim %31, dims = [0, 1] : (tensor<1x188xf64>) -> tensor<5x188xf64>
    %33 = stablehlo.add %30, %32 : tensor<5x188xf64>
    %34 = stablehlo.slice %33 [0:5, 0:47] : (tensor<5x188xf64>) -> tensor<5x47xf64>
    %35 = stablehlo.slice %33 [0:5, 47:94] : (tensor<5x188xf64>) -> tensor<5x47xf64>
    %36 = stablehlo.slice %33 [0:5, 94:141] : (tensor<5x188xf64>) -> tensor<5x47xf64>
    %37 = stablehlo.slice %33 [0:5, 141:188] : (tensor<5x188xf64>) -> tensor<5x47xf64>
    %38 = stablehlo.negate %35 : tensor<5x47xf64>
    %39 = stablehlo.exponential %38 : tensor<5x47xf64>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %40 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f64>) -> tensor<5x47xf64>
    %41 = stablehlo.add %40, %39 : tensor<5x47xf64>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %42 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f64>) -> tensor<5x47xf64>
    %43 = stablehlo.divide %42, %41 : tensor<5x47xf64>
    %44 = stablehlo.multiply %43, %arg2 : tensor<5x47xf64>
    %45 = stablehlo.negate %34 : tensor<5x47xf64>
    %46 = stablehlo.exponential %45 : tensor<5x47xf64>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %47 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f64>) -> tensor<5x47xf64>
    %48 = stablehlo.add %47, %46 : tensor<5x47xf64>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %49 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f64>) -> tensor<5x47xf64>
    %50 = stablehlo.divide %49, %48 : tensor<5x47xf64>
    %51 = stablehlo.tanh %36 : tensor<5x47xf64>
    %52 = stablehlo.multiply %50, %51 : tensor<5x47xf64>
    %53 = stablehlo.add %44, %52 : tensor<5x47xf64>
    %54 = stablehlo.negate %37 : tensor<5x47xf64>
    %55 = stablehlo.exponential %54 : tensor<5x47xf64>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %56 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f64>) -> tensor<5x47xf64>
    %57 = stablehlo.add %56, %55 : tensor<5x47xf64>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %58 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f64>) -> tensor<5x47xf64>
    %59 = stablehlo.divide %58, %57 : tensor<5x47xf64>
    %60 = stablehlo.tanh %53 : tensor<5x47xf64>
    %61 = stablehlo.multiply %59, %60 : tensor<5x47xf64>
    return %61, %53 : tensor<5x47xf64>, tensor<5x47xf64>
  }
  func.func private @remainder(%arg0: tensor<3948xi32>, %arg1: tensor<i64>) -> tensor<3948xi32> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<3948xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<3948xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<3948xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<3948xi32>, tensor<3948xi32>) -> tensor<3948xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3948xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<3948xi32>, tensor<3948xi32>) -> tensor<3948xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<3948xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<3948xi1>, tensor<3948xi1>) -> tensor<3948xi1>
    %12 = stablehlo.and %11, %6 : tensor<3948xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<3948xi32>
    %14 = stablehlo.add %4, %13 : tensor<3948xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<3948xi1>, tensor<3948xi32>
    return %15 : tensor<3948xi32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @remainder_0(%arg0: tensor<8836xi32>, %arg1: tensor<i64>) -> tensor<8836xi32> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<8836xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<8836xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<8836xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<8836xi32>, tensor<8836xi32>) -> tensor<8836xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8836xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<8836xi32>, tensor<8836xi32>) -> tensor<8836xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<8836xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<8836xi1>, tensor<8836xi1>) -> tensor<8836xi1>
    %12 = stablehlo.and %11, %6 : tensor<8836xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<8836xi32>
    %14 = stablehlo.add %4, %13 : tensor<8836xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<8836xi1>, tensor<8836xi32>
    return %15 : tensor<8836xi32>
  }
}
