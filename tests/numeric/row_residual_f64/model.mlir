module @jit_residual_layernorm attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<11x72xf64>, %arg1: tensor<11x72xf64>, %arg2: tensor<72xf64>, %arg3: tensor<72xf64>) -> (tensor<11x72xf64> {jax.result_info = "result[0]"}, tensor<11x72xf64> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<11x72xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<11x72xf64>, tensor<f64>) -> tensor<11xf64>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<11xf64>) -> tensor<11x1xf64>
    %cst_0 = stablehlo.constant dense<7.200000e+01> : tensor<f64>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<11x1xf64>
    %4 = stablehlo.divide %2, %3 : tensor<11x1xf64>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<11x1xf64>) -> tensor<11x72xf64>
    %6 = stablehlo.subtract %0, %5 : tensor<11x72xf64>
    %7 = stablehlo.multiply %6, %6 : tensor<11x72xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %8 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<11x72xf64>, tensor<f64>) -> tensor<11xf64>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<11xf64>) -> tensor<11x1xf64>
    %cst_2 = stablehlo.constant dense<7.200000e+01> : tensor<f64>
    %10 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<11x1xf64>
    %11 = stablehlo.divide %9, %10 : tensor<11x1xf64>
    %12 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<11x1xf64>) -> tensor<11x72xf64>
    %13 = stablehlo.subtract %0, %12 : tensor<11x72xf64>
    %cst_3 = stablehlo.constant dense<1.000000e-05> : tensor<f64>
    %14 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<11x1xf64>
    %15 = stablehlo.add %11, %14 : tensor<11x1xf64>
    %16 = stablehlo.rsqrt %15 : tensor<11x1xf64>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (tensor<11x1xf64>) -> tensor<11x72xf64>
    %18 = stablehlo.multiply %13, %17 : tensor<11x72xf64>
    %19 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<72xf64>) -> tensor<1x72xf64>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1] : (tensor<1x72xf64>) -> tensor<11x72xf64>
    %21 = stablehlo.multiply %18, %20 : tensor<11x72xf64>
    %22 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<72xf64>) -> tensor<1x72xf64>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1] : (tensor<1x72xf64>) -> tensor<11x72xf64>
    %24 = stablehlo.add %21, %23 : tensor<11x72xf64>
    return %0, %24 : tensor<11x72xf64>, tensor<11x72xf64>
  }
}
