module @jit_causal_keras attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x2x5x8xf16>, %arg1: tensor<1x2x7x8xf16>, %arg2: tensor<1x2x7x8xf16>) -> (tensor<1x2x5x8xf16> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<true> : tensor<i1>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<1x1x5x7xi1>
    %1 = call @tril(%0) : (tensor<1x1x5x7xi1>) -> tensor<1x1x5x7xi1>
    %2 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<1x2x5x8xf16>, tensor<1x2x7x8xf16>) -> tensor<1x2x5x7xf16>
    %cst = stablehlo.constant dense<3.535160e-01> : tensor<f16>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<1x2x5x7xf16>
    %4 = stablehlo.multiply %2, %3 : tensor<1x2x5x7xf16>
    %cst_0 = stablehlo.constant dense<-3.000000e+04> : tensor<f32>
    %5 = call @_where(%1, %4, %cst_0) : (tensor<1x1x5x7xi1>, tensor<1x2x5x7xf16>, tensor<f32>) -> tensor<1x2x5x7xf16>
    %cst_1 = stablehlo.constant dense<0xFC00> : tensor<f16>
    %6 = stablehlo.reduce(%5 init: %cst_1) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x5x7xf16>, tensor<f16>) -> tensor<1x2x5xf16>
    %cst_2 = stablehlo.constant dense<0xFC00> : tensor<f16>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f16>) -> tensor<1x2x5xf16>
    %8 = stablehlo.maximum %7, %6 : tensor<1x2x5xf16>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x2x5xf16>) -> tensor<1x2x5x1xf16>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2, 3] : (tensor<1x2x5x1xf16>) -> tensor<1x2x5x7xf16>
    %11 = stablehlo.subtract %5, %10 : tensor<1x2x5x7xf16>
    %12 = stablehlo.exponential %11 : tensor<1x2x5x7xf16>
    %13 = stablehlo.convert %12 : (tensor<1x2x5x7xf16>) -> tensor<1x2x5x7xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.reduce(%13 init: %cst_3) applies stablehlo.add across dimensions = [3] : (tensor<1x2x5x7xf32>, tensor<f32>) -> tensor<1x2x5xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<1x2x5xf32>) -> tensor<1x2x5x1xf32>
    %16 = stablehlo.convert %15 : (tensor<1x2x5x1xf32>) -> tensor<1x2x5x1xf16>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2, 3] : (tensor<1x2x5x1xf16>) -> tensor<1x2x5x7xf16>
    %18 = stablehlo.divide %12, %17 : tensor<1x2x5x7xf16>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %19 = call @_where_0(%1, %18, %c_4) : (tensor<1x1x5x7xi1>, tensor<1x2x5x7xf16>, tensor<i32>) -> tensor<1x2x5x7xf16>
    %20 = stablehlo.dot_general %19, %arg2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<1x2x5x7xf16>, tensor<1x2x7x8xf16>) -> tensor<1x2x5x8xf16>
    return %20 : tensor<1x2x5x8xf16>
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
  func.func private @_where(%arg0: tensor<1x1x5x7xi1>, %arg1: tensor<1x2x5x7xf16>, %arg2: tensor<f32>) -> tensor<1x2x5x7xf16> {
    %0 = stablehlo.convert %arg2 : (tensor<f32>) -> tensor<f16>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<1x1x5x7xi1>) -> tensor<1x2x5x7xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f16>) -> tensor<1x2x5x7xf16>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<1x2x5x7xi1>, tensor<1x2x5x7xf16>
    return %3 : tensor<1x2x5x7xf16>
  }
  func.func private @_where_0(%arg0: tensor<1x1x5x7xi1>, %arg1: tensor<1x2x5x7xf16>, %arg2: tensor<i32>) -> tensor<1x2x5x7xf16> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f16>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<1x1x5x7xi1>) -> tensor<1x2x5x7xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f16>) -> tensor<1x2x5x7xf16>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<1x2x5x7xi1>, tensor<1x2x5x7xf16>
    return %3 : tensor<1x2x5x7xf16>
  }
}
