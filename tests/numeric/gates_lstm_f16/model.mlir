module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x48xf16>, %arg1: tensor<8x64xf16>, %arg2: tensor<8x64xf16>, %arg3: tensor<256xf16>) -> (tensor<8x64xf16> {jax.result_info = "result[0]"}, tensor<8x64xf16> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.iota dim = 0 : tensor<12288xi32>
    %c = stablehlo.constant dense<7919> : tensor<i64>
    %1 = call @remainder(%0, %c) : (tensor<12288xi32>, tensor<i64>) -> tensor<12288xi32>
    %c_0 = stablehlo.constant dense<37> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<12288xi32>
    %3 = stablehlo.multiply %1, %2 : tensor<12288xi32>
    %c_1 = stablehlo.constant dense<101> : tensor<i64>
    %4 = call @remainder(%3, %c_1) : (tensor<12288xi32>, tensor<i64>) -> tensor<12288xi32>
    %c_2 = stablehlo.constant dense<50> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<12288xi32>
    %6 = stablehlo.subtract %4, %5 : tensor<12288xi32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<12288xi32>
    %8 = stablehlo.add %6, %7 : tensor<12288xi32>
    %9 = stablehlo.convert %8 : (tensor<12288xi32>) -> tensor<12288xf32>
    %cst = stablehlo.constant dense<2.000000e-03> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12288xf32>
    %11 = stablehlo.multiply %9, %10 : tensor<12288xf32>
    %12 = stablehlo.convert %11 : (tensor<12288xf32>) -> tensor<12288xf16>
    %13 = stablehlo.reshape %12 : (tensor<12288xf16>) -> tensor<48x256xf16>
    %14 = stablehlo.iota dim = 0 : tensor<16384xi32>
    %c_4 = stablehlo.constant dense<7919> : tensor<i64>
    %15 = call @remainder_0(%14, %c_4) : (tensor<16384xi32>, tensor<i64>) -> tensor<16384xi32>
    %c_5 = stablehlo.constant dense<37> : tensor<i32>
    %16 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<16384xi32>
    %17 = stablehlo.multiply %15, %16 : tensor<16384xi32>
    %c_6 = stablehlo.constant dense<101> : tensor<i64>
    %18 = call @remainder_0(%17, %c_6) : (tensor<16384xi32>, tensor<i64>) -> tensor<16384xi32>
    %c_7 = stablehlo.constant dense<50> : tensor<i32>
    %19 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<16384xi32>
    %20 = stablehlo.subtract %18, %19 : tensor<16384xi32>
    %c_8 = stablehlo.constant dense<3> : tensor<i32>
    %21 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<16384xi32>
    %22 = stablehlo.add %20, %21 : tensor<16384xi32>
    %23 = stablehlo.convert %22 : (tensor<16384xi32>) -> tensor<16384xf32>
    %cst_9 = stablehlo.constant dense<2.000000e-03> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<16384xf32>
    %25 = stablehlo.multiply %23, %24 : tensor<16384xf32>
    %26 = stablehlo.convert %25 : (tensor<16384xf32>) -> tensor<16384xf16>
    %27 = stablehlo.reshape %26 : (tensor<16384xf16>) -> tensor<64x256xf16>
    %28 = stablehlo.dot_general %arg0, %13, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x48xf16>, tensor<48x256xf16>) -> tensor<8x256xf16>
    %29 = stablehlo.dot_general %arg1, %27, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64xf16>, tensor<64x256xf16>) -> tensor<8x256xf16>
    %30 = stablehlo.add %28, %29 : tensor<8x256xf16>
    %31 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<256xf16>) -> tensor<1x256xf16>
    %32 = stablehlo.broadcast_in_dim %31, dims = [0, 1] : (tensor<1x256xf16>) -> tensor<8x256xf16>
    %33 = stablehlo.add %30, %32 : tensor<8x256xf16>
    %34 = stablehlo.slice %33 [0:8, 0:64] : (tensor<8x256xf16>) -> tensor<8x64xf16>
    %35 = stablehlo.slice %33 [0:8, 64:128] : (tensor<8x256xf16>) -> tensor<8x64xf16>
    %36 = stablehlo.slice %33 [0:8, 128:192] : (tensor<8x256xf16>) -> tensor<8x64xf16>
    %37 = stablehlo.slice %33 [0:8, 192:256] : (tensor<8x256xf16>) -> tensor<8x64xf16>
    %38 = stablehlo.negate %35 : tensor<8x64xf16>
    %39 = stablehlo.exponential %38 : tensor<8x64xf16>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %40 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f16>) -> tensor<8x64xf16>
    %41 = stablehlo.add %40, %39 : tensor<8x64xf16>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %42 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f16>) -> tensor<8x64xf16>
    %43 = stablehlo.divide %42, %41 : tensor<8x64xf16>
    %44 = stablehlo.multiply %43, %arg2 : tensor<8x64xf16>
    %45 = stablehlo.negate %34 : tensor<8x64xf16>
    %46 = stablehlo.exponential %45 : tensor<8x64xf16>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %47 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f16>) -> tensor<8x64xf16>
    %48 = stablehlo.add %47, %46 : tensor<8x64xf16>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %49 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f16>) -> tensor<8x64xf16>
    %50 = stablehlo.divide %49, %48 : tensor<8x64xf16>
    %51 = stablehlo.tanh %36 : tensor<8x64xf16>
    %52 = stablehlo.multiply %50, %51 : tensor<8x64xf16>
    %53 = stablehlo.add %44, %52 : tensor<8x64xf16>
    %54 = stablehlo.negate %37 : tensor<8x64xf16>
    %55 = stablehlo.exponential %54 : tensor<8x64xf16>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %56 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f16>) -> tensor<8x64xf16>
    %57 = stablehlo.add %56, %55 : tensor<8x64xf16>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %58 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f16>) -> tensor<8x64xf16>
    %59 = stablehlo.divide %58, %57 : tensor<8x64xf16>
    %60 = stablehlo.tanh %53 : tensor<8x64xf16>
    %61 = stablehlo.multiply %59, %60 : tensor<8x64xf16>
    return %61, %53 : tensor<8x64xf16>, tensor<8x64xf16>
  }
  func.func private @remainder(%arg0: tensor<12288xi32>, %arg1: tensor<i64>) -> tensor<12288xi32> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<i32>
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
  func.func private @remainder_0(%arg0: tensor<16384xi32>, %arg1: tensor<i64>) -> tensor<16384xi32> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<i32>
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
}
