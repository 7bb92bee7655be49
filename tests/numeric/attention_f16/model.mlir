module @jit_attention attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x11x16xf16>, %arg1: tensor<16x2x8xf16>, %arg2: tensor<16x2x8xf16>, %arg3: tensor<16x2x8xf16>, %arg4: tensor<2x8x16xf16>) -> (tensor<2x11x16xf16> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x2x8xf16>, tensor<2x11x16xf16>) -> tensor<2x8x2x11xf16>
    %1 = stablehlo.transpose %0, dims = [2, 0, 3, 1] : (tensor<2x8x2x11xf16>) -> tensor<2x2x11x8xf16>
    %2 = stablehlo.dot_general %arg2, %arg0, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x2x8xf16>, tensor<2x11x16xf16>) -> tensor<2x8x2x11xf16>
    %3 = stablehlo.transpose %2, dims = [2, 0, 3, 1] : (tensor<2x8x2x11xf16>) -> tensor<2x2x11x8xf16>
    %4 = stablehlo.dot_general %arg3, %arg0, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x2x8xf16>, tensor<2x11x16xf16>) -> tensor<2x8x2x11xf16>
    %5 = stablehlo.transpose %4, dims = [2, 0, 3, 1] : (tensor<2x8x2x11xf16>) -> tensor<2x2x11x8xf16>
    %6 = stablehlo.dot_general %1, %3, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x2x11x8xf16>, tensor<2x2x11x8xf16>) -> tensor<2x2x11x11xf16>
    %cst = stablehlo.constant dense<3.535160e-01> : tensor<f16>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<2x2x11x11xf16>
    %8 = stablehlo.multiply %6, %7 : tensor<2x2x11x11xf16>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %9 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<11x11xi1>
    %10 = call @tril(%9) : (tensor<11x11xi1>) -> tensor<11x11xi1>
    %cst_0 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %11 = call @_where(%10, %8, %cst_0) : (tensor<11x11xi1>, tensor<2x2x11x11xf16>, tensor<f64>) -> tensor<2x2x11x11xf16>
    %cst_1 = stablehlo.constant dense<0xFC00> : tensor<f16>
    %12 = stablehlo.reduce(%11 init: %cst_1) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x11x11xf16>, tensor<f16>) -> tensor<2x2x11xf16>
    %cst_2 = stablehlo.constant dense<0xFC00> : tensor<f16>
    %13 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f16>) -> tensor<2x2x11xf16>
    %14 = stablehlo.maximum %13, %12 : tensor<2x2x11xf16>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<2x2x11xf16>) -> tensor<2x2x11x1xf16>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2, 3] : (tensor<2x2x11x1xf16>) -> tensor<2x2x11x11xf16>
    %17 = stablehlo.subtract %11, %16 : tensor<2x2x11x11xf16>
    %18 = stablehlo.exponential %17 : tensor<2x2x11x11xf16>
    %19 = stablehlo.convert %18 : (tensor<2x2x11x11xf16>) -> tensor<2x2x11x11xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.reduce(%19 init: %cst_3) applies stablehlo.add across dimensions = [3] : (tensor<2x2x11x11xf32>, tensor<f32>) -> tensor<2x2x11xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<2x2x11xf32>) -> tensor<2x2x11x1xf32>
    %22 = stablehlo.convert %21 : (tensor<2x2x11x1xf32>) -> tensor<2x2x11x1xf16>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2, 3] : (tensor<2x2x11x1xf16>) -> tensor<2x2x11x11xf16>
    %24 = stablehlo.divide %18, %23 : tensor<2x2x11x11xf16>
    %25 = stablehlo.dot_general %24, %5, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x11x11xf16>, tensor<2x2x11x8xf16>) -> tensor<2x2x11x8xf16>
    %26 = stablehlo.dot_general %25, %arg4, contracting_dims = [3, 1] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<2x2x11x8xf16>, tensor<2x8x16xf16>) -> tensor<2x11x16xf16>
    return %26 : tensor<2x11x16xf16>
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
  func.func private @_where(%arg0: tensor<11x11xi1>, %arg1: tensor<2x2x11x11xf16>, %arg2: tensor<f64>) -> tensor<2x2x11x11xf16> {
    %0 = stablehlo.convert %arg2 : (tensor<f64>) -> tensor<f16>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<11x11xi1>) -> tensor<2x2x11x11xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f16>) -> tensor<2x2x11x11xf16>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<2x2x11x11xi1>, tensor<2x2x11x11xf16>
    return %3 : tensor<2x2x11x11xf16>
  }
}
