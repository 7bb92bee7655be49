module @jit_residual_layernorm attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<11x72xf32>, %arg1: tensor<11x72xf32>, %arg2: tensor<72xf32>, %arg3: tensor<72xf32>) -> (tensor<11x72xf32> {jax.result_info = "result[0]"}, tensor<11x72xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<11x72xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<11x72xf32>, tensor<f32>) -> tensor<11xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<11xf32>) -> tensor<11x1xf32>
    %cst_0 = stablehlo.constant dense<7.200000e+01> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<11x1xf32>
    %4 = stablehlo.divide %2, %3 : tensor<11x1xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<11x1xf32>) -> tensor<11x72xf32>
    %6 = stablehlo.subtract %0, %5 : tensor<11x72xf32>
    %7 = stablehlo.multiply %6, %6 : tensor<11x72xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<11x72xf32>, tensor<f32>) -> tensor<11xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<11xf32>) -> tensor<11x1xf32>
    %cst_2 = stablehlo.constant dense<7.200000e+01> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<11x1xf32>
    %11 = stablehlo.divide %9, %10 : tensor<11x1xf32>
    %12 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<11x1xf32>) -> tensor<11x72xf32>
    %13 = stablehlo.subtract %0, %12 : tensor<11x72xf32>
    %cst_3 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<11x1xf32>
    %15 = stablehlo.add %11, %14 : tensor<11x1xf32>
    %16 = stablehlo.rsqrt %15 : tensor<11x1xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (tensor<11x1xf32>) -> tensor<11x72xf32>
    %18 = stablehlo.multiply %13, %17 : tensor<11x72xf32>
    %19 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<72xf32>) -> tensor<1x72xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1] : (tensor<1x72xf32>) -> tensor<11x72xf32>
    %21 = stablehlo.multiply %18, %20 : tensor<11x72xf32>
    %22 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<72xf32>) -> tensor<1x72xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1] : (tensor<1x72xf32>) -> tensor<11x72xf32>
    %24 = stablehlo.add %21, %23 : tensor<11x72xf32>
    return %0, %24 : tensor<11x72xf32>, tensor<11x72xf32>
  }
}
