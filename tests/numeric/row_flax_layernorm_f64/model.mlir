module @jit_flax_layernorm attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x7x96xf64>, %arg1: tensor<96xf64>, %arg2: tensor<96xf64>) -> (tensor<3x7x96xf64> {jax.result_info = "result[0]"}, tensor<3x7xf64> {jax.result_info = "result[1]"}, tensor<3x7xf64> {jax.result_info = "result[2]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<3x7x96xf64>, tensor<f64>) -> tensor<3x7xf64>
    %cst_0 = stablehlo.constant dense<9.600000e+01> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<3x7xf64>
    %2 = stablehlo.divide %0, %1 : tensor<3x7xf64>
    %3 = stablehlo.multiply %arg0, %arg0 : tensor<3x7x96xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %4 = stablehlo.reduce(%3 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<3x7x96xf64>, tensor<f64>) -> tensor<3x7xf64>
    %cst_2 = stablehlo.constant dense<9.600000e+01> : tensor<f64>
    %5 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<3x7xf64>
    %6 = stablehlo.divide %4, %5 : tensor<3x7xf64>
    %7 = stablehlo.multiply %2, %2 : tensor<3x7xf64>
    %8 = stablehlo.subtract %6, %7 : tensor<3x7xf64>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %9 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<3x7xf64>
    %10 = stablehlo.maximum %9, %8 : tensor<3x7xf64>
    %11 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<3x7xf64>) -> tensor<3x7x1xf64>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<3x7x1xf64>) -> tensor<3x7x96xf64>
    %13 = stablehlo.subtract %arg0, %12 : tensor<3x7x96xf64>
    %cst_4 = stablehlo.constant dense<9.9999999999999995E-7> : tensor<f64>
    %14 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f64>) -> tensor<3x7xf64>
    %15 = stablehlo.add %10, %14 : tensor<3x7xf64>
    %16 = stablehlo.rsqrt %15 : tensor<3x7xf64>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (tensor<3x7xf64>) -> tensor<3x7x1xf64>
    %18 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<96xf64>) -> tensor<1x1x96xf64>
    %19 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2] : (tensor<3x7x1xf64>) -> tensor<3x7x96xf64>
    %20 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2] : (tensor<1x1x96xf64>) -> tensor<3x7x96xf64>
    %21 = stablehlo.multiply %19, %20 : tensor<3x7x96xf64>
    %22 = stablehlo.multiply %13, %21 : tensor<3x7x96xf64>
    %23 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<96xf64>) -> tensor<1x1x96xf64>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1, 2] : (tensor<1x1x96xf64>) -> tensor<3x7x96xf64>
    %25 = stablehlo.add %22, %24 : tensor<3x7x96xf64>
    return %25, %2, %10 : tensor<3x7x96xf64>, tensor<3x7xf64>, tensor<3x7xf64>
  }
}
