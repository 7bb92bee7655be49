module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x2x37x64xf16>, %arg1: tensor<1x2x37x64xf16>, %arg2: tensor<1x2x37x64xf16>) -> (tensor<1x2x37x64xf16> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 0 : tensor<37x37xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<37x37xi32>
    %2 = stablehlo.subtract %0, %1 : tensor<37x37xi32>
    %3 = stablehlo.iota dim = 1 : tensor<37x37xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<37x37xi32>, tensor<37x37xi32>) -> tensor<37x37xi1>
    %5 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<1x2x37x64xf16>, tensor<1x2x37x64xf16>) -> tensor<1x2x37x37xf32>
    %cst = stablehlo.constant dense<1.250000e-01> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x2x37x37xf32>
    %7 = stablehlo.multiply %5, %6 : tensor<1x2x37x37xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %8 = call @_where(%4, %7, %cst_0) : (tensor<37x37xi1>, tensor<1x2x37x37xf32>, tensor<f32>) -> tensor<1x2x37x37xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %9 = stablehlo.reduce(%8 init: %cst_1) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x37x37xf32>, tensor<f32>) -> tensor<1x2x37xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<1x2x37xf32>
    %11 = stablehlo.maximum %10, %9 : tensor<1x2x37xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<1x2x37xf32>) -> tensor<1x2x37x1xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2, 3] : (tensor<1x2x37x1xf32>) -> tensor<1x2x37x37xf32>
    %14 = stablehlo.subtract %8, %13 : tensor<1x2x37x37xf32>
    %15 = stablehlo.exponential %14 : tensor<1x2x37x37xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.reduce(%15 init: %cst_3) applies stablehlo.add across dimensions = [3] : (tensor<1x2x37x37xf32>, tensor<f32>) -> tensor<1x2x37xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2] : (tensor<1x2x37xf32>) -> tensor<1x2x37x1xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2, 3] : (tensor<1x2x37x1xf32>) -> tensor<1x2x37x37xf32>
    %19 = stablehlo.divide %15, %18 : tensor<1x2x37x37xf32>
    %20 = stablehlo.convert %19 : (tensor<1x2x37x37xf32>) -> tensor<1x2x37x37xf16>
    %21 = stablehlo.dot_general %20, %arg2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<1x2x37x37xf16>, tensor<1x2x37x64xf16>) -> tensor<1x2x37x64xf16>
    return %21 : tensor<1x2x37x64xf16>
  }
  func.func private @_where(%arg0: tensor<37x37xi1>, %arg1: tensor<1x2x37x37xf32>, %arg2: tensor<f32>) -> tensor<1x2x37x37xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<37x37xi1>) -> tensor<1x2x37x37xi1>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<1x2x37x37xf32>
    %2 = stablehlo.select %0, %arg1, %1 : tensor<1x2x37x37xi1>, tensor<1x2x37x37xf32>
    return %2 : tensor<1x2x37x37xf32>
  }
}
