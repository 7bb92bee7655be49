module @jit_attention attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x11x16xf64>, %arg1: tensor<16x2x8xf64>, %arg2: tensor<16x2x8xf64>, %arg3: tensor<16x2x8xf64>, %arg4: tensor<2x8x16xf64>) -> (tensor<2x11x16xf64> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x2x8xf64>, tensor<2x11x16xf64>) -> tensor<2x8x2x11xf64>
    %1 = stablehlo.transpose %0, dims = [2, 0, 3, 1] : (tensor<2x8x2x11xf64>) -> tensor<2x2x11x8xf64>
    %2 = stablehlo.dot_general %arg2, %arg0, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x2x8xf64>, tensor<2x11x16xf64>) -> tensor<2x8x2x11xf64>
    %3 = stablehlo.transpose %2, dims = [2, 0, 3, 1] : (tensor<2x8x2x11xf64>) -> tensor<2x2x11x8xf64>
    %4 = stablehlo.dot_general %arg3, %arg0, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x2x8xf64>, tensor<2x11x16xf64>) -> tensor<2x8x2x11xf64>
    %5 = stablehlo.transpose %4, dims = [2, 0, 3, 1] : (tensor<2x8x2x11xf64>) -> tensor<2x2x11x8xf64>
    %6 = stablehlo.dot_general %1, %3, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x2x11x8xf64>, tensor<2x2x11x8xf64>) -> tensor<2x2x11x11xf64>
    %cst = stablehlo.constant dense<0.35355339059327379> : tensor<f64>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2x2x11x11xf64>
    %8 = stablehlo.multiply %6, %7 : tensor<2x2x11x11xf64>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %9 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<11x11xi1>
    %10 = call @tril(%9) : (tensor<11x11xi1>) -> tensor<11x11xi1>
    %cst_0 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %11 = call @_where(%10, %8, %cst_0) : (tensor<11x11xi1>, tensor<2x2x11x11xf64>, tensor<f64>) -> tensor<2x2x11x11xf64>
    %cst_1 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %12 = stablehlo.reduce(%11 init: %cst_1) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x11x11xf64>, tensor<f64>) -> tensor<2x2x11xf64>
    %cst_2 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %13 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<2x2x11xf64>
    %14 = stablehlo.maximum %13, %12 : tensor<2x2x11xf64>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<2x2x11xf64>) -> tensor<2x2x11x1xf64>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2, 3] : (tensor<2x2x11x1xf64>) -> tensor<2x2x11x11xf64>
    %17 = stablehlo.subtract %11, %16 : tensor<2x2x11x11xf64>
    %18 = stablehlo.exponential %17 : tensor<2x2x11x11xf64>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %19 = stablehlo.reduce(%18 init: %cst_3) applies stablehlo.add across dimensions = [3] : (tensor<2x2x11x11xf64>, tensor<f64>) -> tensor<2x2x11xf64>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1, 2] : (tensor<2x2x11xf64>) -> tensor<2x2x11x1xf64>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2, 3] : (tensor<2x2x11x1xf64>) -> tensor<2x2x11x11xf64>
    %22 = stablehlo.divide %18, %21 : tensor<2x2x11x11xf64>
    %23 = stablehlo.dot_general %22, %5, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x11x11xf64>, tensor<2x2x11x8xf64>) -> tensor<2x2x11x8xf64>
    %24 = stablehlo.dot_general %23, %arg4, contracting_dims = [3, 1] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<2x2x11x8xf64>, tensor<2x8x16xf64>) -> tensor<2x11x16xf64>
    return %24 : tensor<2x11x16xf64>
  }
  func.func private @tril(%arg0: tensor<11x11xi1>) -> tensor<11x11xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<11x11xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<11x11xi64>
    %2 = stablehlo.add %0, %1 : tensor<11x11xi64>
    %3 = stablehlo.iota dim = 1 : tensor<11x11xi64>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<11x11xi64>, tensor<11x11xi64>) -> tensor<11x11xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<11x11xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<11x11xi1>, tensor<11x11xi1>
    return %6 : tensor<11x11xi1>
  }
  func.func private @_where(%arg0: tensor<11x11xi1>, %arg1: tensor<2x2x11x11xf64>, %arg2: tensor<f64>) -> tensor<2x2x11x11xf64> {
    %0 = stablehlo.convert %arg2 : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<11x11xi1>) -> tensor<2x2x11x11xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<2x2x11x11xf64>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<2x2x11x11xi1>, tensor<2x2x11x11xf64>
    return %3 : tensor<2x2x11x11xf64>
  }
}
