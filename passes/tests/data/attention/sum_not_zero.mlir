module @jit_eps_causal attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x2x5x8xbf16>, %arg1: tensor<1x2x7x8xbf16>, %arg2: tensor<1x2x7x8xbf16>) -> (tensor<1x2x5x8xbf16> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<true> : tensor<i1>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<1x1x5x7xi1>
    %1 = call @tril(%0) : (tensor<1x1x5x7xi1>) -> tensor<1x1x5x7xi1>
    %2 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<1x2x5x8xbf16>, tensor<1x2x7x8xbf16>) -> tensor<1x2x5x7xbf16>
    %cst = stablehlo.constant dense<3.535160e-01> : tensor<bf16>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<1x2x5x7xbf16>
    %4 = stablehlo.multiply %2, %3 : tensor<1x2x5x7xbf16>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %5 = call @_where(%1, %4, %cst_0) : (tensor<1x1x5x7xi1>, tensor<1x2x5x7xbf16>, tensor<f32>) -> tensor<1x2x5x7xbf16>
    %cst_1 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %6 = stablehlo.reduce(%5 init: %cst_1) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x5x7xbf16>, tensor<bf16>) -> tensor<1x2x5xbf16>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1, 2] : (tensor<1x2x5xbf16>) -> tensor<1x2x5x1xbf16>
    %8 = stablehlo.is_finite %7 : (tensor<1x2x5x1xbf16>) -> tensor<1x2x5x1xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %9 = call @_where_0(%8, %7, %c_2) : (tensor<1x2x5x1xi1>, tensor<1x2x5x1xbf16>, tensor<i32>) -> tensor<1x2x5x1xbf16>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2, 3] : (tensor<1x2x5x1xbf16>) -> tensor<1x2x5x7xbf16>
    %11 = stablehlo.subtract %5, %10 : tensor<1x2x5x7xbf16>
    %12 = stablehlo.exponential %11 : tensor<1x2x5x7xbf16>
    %13 = stablehlo.convert %12 : (tensor<1x2x5x7xbf16>) -> tensor<1x2x5x7xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.reduce(%13 init: %cst_3) applies stablehlo.add across dimensions = [3] : (tensor<1x2x5x7xf32>, tensor<f32>) -> tensor<1x2x5xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<1x2x5xf32>) -> tensor<1x2x5x1xf32>
    %16 = stablehlo.convert %15 : (tensor<1x2x5x1xf32>) -> tensor<1x2x5x1xbf16>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %17 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<bf16>) -> tensor<1x2x5x1xbf16>
    %18 = stablehlo.compare EQ, %16, %17, FLOAT : (tensor<1x2x5x1xbf16>, tensor<1x2x5x1xbf16>) -> tensor<1x2x5x1xi1>
    %19 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2, 3] : (tensor<1x2x5x1xbf16>) -> tensor<1x2x5x7xbf16>
    %20 = stablehlo.divide %12, %19 : tensor<1x2x5x7xbf16>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %21 = call @_where_1(%18, %c_5, %20) : (tensor<1x2x5x1xi1>, tensor<i32>, tensor<1x2x5x7xbf16>) -> tensor<1x2x5x7xbf16>
    %22 = stablehlo.dot_general %21, %arg2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<1x2x5x7xbf16>, tensor<1x2x7x8xbf16>) -> tensor<1x2x5x8xbf16>
    return %22 : tensor<1x2x5x8xbf16>
  }
  func.func private @tril(%arg0: tensor<1x1x5x7xi1>) -> tensor<1x1x5x7xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<5x7xi32>
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<5x7xi32>
    %2 = stablehlo.add %0, %1 : tensor<5x7xi32>
    %3 = stablehlo.iota dim = 1 : tensor<5x7xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<5x7xi32>, tensor<5x7xi32>) -> tensor<5x7xi1>
    %5 = stablehlo.broadcast_in_dim %4, dims = [2, 3] : (tensor<5x7xi1>) -> tensor<1x1x5x7xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %6 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<1x1x5x7xi1>
    %7 = stablehlo.select %5, %arg0, %6 : tensor<1x1x5x7xi1>, tensor<1x1x5x7xi1>
    return %7 : tensor<1x1x5x7xi1>
  }
  func.func private @_where(%arg0: tensor<1x1x5x7xi1>, %arg1: tensor<1x2x5x7xbf16>, %arg2: tensor<f32>) -> tensor<1x2x5x7xbf16> {
    %0 = stablehlo.convert %arg2 : (tensor<f32>) -> tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<1x1x5x7xi1>) -> tensor<1x2x5x7xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<bf16>) -> tensor<1x2x5x7xbf16>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<1x2x5x7xi1>, tensor<1x2x5x7xbf16>
    return %3 : tensor<1x2x5x7xbf16>
  }
  func.func private @_where_0(%arg0: tensor<1x2x5x1xi1>, %arg1: tensor<1x2x5x1xbf16>, %arg2: tensor<i32>) -> tensor<1x2x5x1xbf16> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<bf16>) -> tensor<1x2x5x1xbf16>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<1x2x5x1xi1>, tensor<1x2x5x1xbf16>
    return %2 : tensor<1x2x5x1xbf16>
  }
  func.func private @_where_1(%arg0: tensor<1x2x5x1xi1>, %arg1: tensor<i32>, %arg2: tensor<1x2x5x7xbf16>) -> tensor<1x2x5x7xbf16> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<1x2x5x1xi1>) -> tensor<1x2x5x7xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<bf16>) -> tensor<1x2x5x7xbf16>
    %3 = stablehlo.select %1, %2, %arg2 : tensor<1x2x5x7xi1>, tensor<1x2x5x7xbf16>
    return %3 : tensor<1x2x5x7xbf16>
  }
}
