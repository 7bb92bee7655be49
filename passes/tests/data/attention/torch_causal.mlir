module @jit_causal attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x2x9x32xbf16>, %arg1: tensor<1x2x9x32xbf16>, %arg2: tensor<1x2x9x32xbf16>) -> (tensor<1x2x9x32xbf16> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<4.199220e-01> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<1x2x9x9xbf16>
    %1 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<1x2x9x32xbf16>, tensor<1x2x9x32xbf16>) -> tensor<1x2x9x9xbf16>
    %2 = stablehlo.multiply %1, %0 : tensor<1x2x9x9xbf16>
    %4 = stablehlo.multiply %2, %0 : tensor<1x2x9x9xbf16>
    %30 = stablehlo.iota dim = 2 : tensor<1x1x9x9xi64>
    %31 = stablehlo.iota dim = 3 : tensor<1x1x9x9xi64>
    %32 = stablehlo.subtract %31, %30 : tensor<1x1x9x9xi64>
    %c_8 = stablehlo.constant dense<0> : tensor<1x1x9x9xi64>
    %33 = stablehlo.compare LE, %32, %c_8, SIGNED : (tensor<1x1x9x9xi64>, tensor<1x1x9x9xi64>) -> tensor<1x1x9x9xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %cst_2 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %5 = call @_where(%33, %cst_1, %cst_2) : (tensor<1x1x9x9xi1>, tensor<f64>, tensor<f64>) -> tensor<1x1x9x9xf64>
    %6 = stablehlo.convert %5 : (tensor<1x1x9x9xf64>) -> tensor<1x1x9x9xbf16>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1, 2, 3] : (tensor<1x1x9x9xbf16>) -> tensor<1x2x9x9xbf16>
    %8 = stablehlo.add %4, %7 : tensor<1x2x9x9xbf16>
    %cst_3 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %9 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<bf16>) -> tensor<1x2x9x9xbf16>
    %10 = stablehlo.compare EQ, %8, %9, FLOAT : (tensor<1x2x9x9xbf16>, tensor<1x2x9x9xbf16>) -> tensor<1x2x9x9xi1>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %11 = stablehlo.reduce(%10 init: %c) applies stablehlo.and across dimensions = [3] : (tensor<1x2x9x9xi1>, tensor<i1>) -> tensor<1x2x9xi1>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<1x2x9xi1>) -> tensor<1x2x9x1xi1>
    %cst_4 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %13 = stablehlo.reduce(%8 init: %cst_4) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x9x9xbf16>, tensor<bf16>) -> tensor<1x2x9xbf16>
    %cst_5 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %14 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<bf16>) -> tensor<1x2x9xbf16>
    %15 = stablehlo.maximum %14, %13 : tensor<1x2x9xbf16>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<1x2x9xbf16>) -> tensor<1x2x9x1xbf16>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2, 3] : (tensor<1x2x9x1xbf16>) -> tensor<1x2x9x9xbf16>
    %18 = stablehlo.subtract %8, %17 : tensor<1x2x9x9xbf16>
    %19 = stablehlo.exponential %18 : tensor<1x2x9x9xbf16>
    %20 = stablehlo.convert %19 : (tensor<1x2x9x9xbf16>) -> tensor<1x2x9x9xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.reduce(%20 init: %cst_6) applies stablehlo.add across dimensions = [3] : (tensor<1x2x9x9xf32>, tensor<f32>) -> tensor<1x2x9xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2] : (tensor<1x2x9xf32>) -> tensor<1x2x9x1xf32>
    %23 = stablehlo.convert %22 : (tensor<1x2x9x1xf32>) -> tensor<1x2x9x1xbf16>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1, 2, 3] : (tensor<1x2x9x1xbf16>) -> tensor<1x2x9x9xbf16>
    %25 = stablehlo.divide %19, %24 : tensor<1x2x9x9xbf16>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %26 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<bf16>) -> tensor<1x2x9x9xbf16>
    %27 = call @_where_0(%12, %26, %25) : (tensor<1x2x9x1xi1>, tensor<1x2x9x9xbf16>, tensor<1x2x9x9xbf16>) -> tensor<1x2x9x9xbf16>
    %28 = stablehlo.dot_general %27, %arg2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<1x2x9x9xbf16>, tensor<1x2x9x32xbf16>) -> tensor<1x2x9x32xbf16>
    return %28 : tensor<1x2x9x32xbf16>
  }
  func.func private @_where(%arg0: tensor<1x1x9x9xi1>, %arg1: tensor<f64>, %arg2: tensor<f64>) -> tensor<1x1x9x9xf64> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f64>) -> tensor<1x1x9x9xf64>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f64>) -> tensor<1x1x9x9xf64>
    %2 = stablehlo.select %arg0, %0, %1 : tensor<1x1x9x9xi1>, tensor<1x1x9x9xf64>
    return %2 : tensor<1x1x9x9xf64>
  }
  func.func private @_where_0(%arg0: tensor<1x2x9x1xi1>, %arg1: tensor<1x2x9x9xbf16>, %arg2: tensor<1x2x9x9xbf16>) -> tensor<1x2x9x9xbf16> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<1x2x9x1xi1>) -> tensor<1x2x9x9xi1>
    %1 = stablehlo.select %0, %arg1, %arg2 : tensor<1x2x9x9xi1>, tensor<1x2x9x9xbf16>
    return %1 : tensor<1x2x9x9xbf16>
  }
}
