module @jit_residual_layernorm attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<11x72xbf16>, %arg1: tensor<11x72xbf16>, %arg2: tensor<72xbf16>, %arg3: tensor<72xbf16>) -> (tensor<11x72xbf16> {jax.result_info = "result[0]"}, tensor<11x72xbf16> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<11x72xbf16>
    %1 = stablehlo.convert %0 : (tensor<11x72xbf16>) -> tensor<11x72xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<11x72xf32>, tensor<f32>) -> tensor<11xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<11xf32>) -> tensor<11x1xf32>
    %cst_0 = stablehlo.constant dense<7.200000e+01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<11x1xf32>
    %5 = stablehlo.divide %3, %4 : tensor<11x1xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<11x1xf32>) -> tensor<11x72xf32>
    %7 = stablehlo.subtract %1, %6 : tensor<11x72xf32>
    %8 = stablehlo.multiply %7, %7 : tensor<11x72xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%8 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<11x72xf32>, tensor<f32>) -> tensor<11xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<11xf32>) -> tensor<11x1xf32>
    %cst_2 = stablehlo.constant dense<7.200000e+01> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<11x1xf32>
    %12 = stablehlo.divide %10, %11 : tensor<11x1xf32>
    %13 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<11x1xf32>) -> tensor<11x72xf32>
    %14 = stablehlo.subtract %1, %13 : tensor<11x72xf32>
    %cst_3 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<11x1xf32>
    %16 = stablehlo.add %12, %15 : tensor<11x1xf32>
    %17 = stablehlo.rsqrt %16 : tensor<11x1xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<11x1xf32>) -> tensor<11x72xf32>
    %19 = stablehlo.multiply %14, %18 : tensor<11x72xf32>
    %20 = stablehlo.convert %arg2 : (tensor<72xbf16>) -> tensor<72xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [1] : (tensor<72xf32>) -> tensor<1x72xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1] : (tensor<1x72xf32>) -> tensor<11x72xf32>
    %23 = stablehlo.multiply %19, %22 : tensor<11x72xf32>
    %24 = stablehlo.convert %arg3 : (tensor<72xbf16>) -> tensor<72xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [1] : (tensor<72xf32>) -> tensor<1x72xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1] : (tensor<1x72xf32>) -> tensor<11x72xf32>
    %27 = stablehlo.add %23, %26 : tensor<11x72xf32>
    %28 = stablehlo.convert %27 : (tensor<11x72xf32>) -> tensor<11x72xbf16>
    return %0, %28 : tensor<11x72xbf16>, tensor<11x72xbf16>
  }
}
