module @jit_flax_layernorm attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x7x96xbf16>, %arg1: tensor<96xbf16>, %arg2: tensor<96xbf16>) -> (tensor<3x7x96xbf16> {jax.result_info = "result[0]"}, tensor<3x7xf32> {jax.result_info = "result[1]"}, tensor<3x7xf32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<3x7x96xbf16>) -> tensor<3x7x96xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<3x7x96xf32>, tensor<f32>) -> tensor<3x7xf32>
    %cst_0 = stablehlo.constant dense<9.600000e+01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x7xf32>
    %3 = stablehlo.divide %1, %2 : tensor<3x7xf32>
    %4 = stablehlo.multiply %0, %0 : tensor<3x7x96xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<3x7x96xf32>, tensor<f32>) -> tensor<3x7xf32>
    %cst_2 = stablehlo.constant dense<9.600000e+01> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3x7xf32>
    %7 = stablehlo.divide %5, %6 : tensor<3x7xf32>
    %8 = stablehlo.multiply %3, %3 : tensor<3x7xf32>
    %9 = stablehlo.subtract %7, %8 : tensor<3x7xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3x7xf32>
    %11 = stablehlo.maximum %10, %9 : tensor<3x7xf32>
    %12 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<3x7xf32>) -> tensor<3x7x1xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2] : (tensor<3x7x1xf32>) -> tensor<3x7x96xf32>
    %14 = stablehlo.subtract %0, %13 : tensor<3x7x96xf32>
    %cst_4 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<3x7xf32>
    %16 = stablehlo.add %11, %15 : tensor<3x7xf32>
    %17 = stablehlo.rsqrt %16 : tensor<3x7xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<3x7xf32>) -> tensor<3x7x1xf32>
    %19 = stablehlo.convert %arg1 : (tensor<96xbf16>) -> tensor<96xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [2] : (tensor<96xf32>) -> tensor<1x1x96xf32>
    %21 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2] : (tensor<3x7x1xf32>) -> tensor<3x7x96xf32>
    %22 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<1x1x96xf32>) -> tensor<3x7x96xf32>
    %23 = stablehlo.multiply %21, %22 : tensor<3x7x96xf32>
    %24 = stablehlo.multiply %14, %23 : tensor<3x7x96xf32>
    %25 = stablehlo.convert %arg2 : (tensor<96xbf16>) -> tensor<96xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [2] : (tensor<96xf32>) -> tensor<1x1x96xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<1x1x96xf32>) -> tensor<3x7x96xf32>
    %28 = stablehlo.add %24, %27 : tensor<3x7x96xf32>
    %29 = stablehlo.convert %28 : (tensor<3x7x96xf32>) -> tensor<3x7x96xbf16>
    return %29, %3, %11 : tensor<3x7x96xbf16>, tensor<3x7xf32>, tensor<3x7xf32>
  }
}
