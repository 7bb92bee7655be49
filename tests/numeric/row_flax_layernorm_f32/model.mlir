module @jit_flax_layernorm attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x7x96xf32>, %arg1: tensor<96xf32>, %arg2: tensor<96xf32>) -> (tensor<3x7x96xf32> {jax.result_info = "result[0]"}, tensor<3x7xf32> {jax.result_info = "result[1]"}, tensor<3x7xf32> {jax.result_info = "result[2]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<3x7x96xf32>, tensor<f32>) -> tensor<3x7xf32>
    %cst_0 = stablehlo.constant dense<9.600000e+01> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x7xf32>
    %2 = stablehlo.divide %0, %1 : tensor<3x7xf32>
    %3 = stablehlo.multiply %arg0, %arg0 : tensor<3x7x96xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<3x7x96xf32>, tensor<f32>) -> tensor<3x7xf32>
    %cst_2 = stablehlo.constant dense<9.600000e+01> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3x7xf32>
    %6 = stablehlo.divide %4, %5 : tensor<3x7xf32>
    %7 = stablehlo.multiply %2, %2 : tensor<3x7xf32>
    %8 = stablehlo.subtract %6, %7 : tensor<3x7xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3x7xf32>
    %10 = stablehlo.maximum %9, %8 : tensor<3x7xf32>
    %11 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<3x7xf32>) -> tensor<3x7x1xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<3x7x1xf32>) -> tensor<3x7x96xf32>
    %13 = stablehlo.subtract %arg0, %12 : tensor<3x7x96xf32>
    %cst_4 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<3x7xf32>
    %15 = stablehlo.add %10, %14 : tensor<3x7xf32>
    %16 = stablehlo.rsqrt %15 : tensor<3x7xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (tensor<3x7xf32>) -> tensor<3x7x1xf32>
    %18 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<96xf32>) -> tensor<1x1x96xf32>
    %19 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2] : (tensor<3x7x1xf32>) -> tensor<3x7x96xf32>
    %20 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2] : (tensor<1x1x96xf32>) -> tensor<3x7x96xf32>
    %21 = stablehlo.multiply %19, %20 : tensor<3x7x96xf32>
    %22 = stablehlo.multiply %13, %21 : tensor<3x7x96xf32>
    %23 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<96xf32>) -> tensor<1x1x96xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1, 2] : (tensor<1x1x96xf32>) -> tensor<3x7x96xf32>
    %25 = stablehlo.add %22, %24 : tensor<3x7x96xf32>
    return %25, %2, %10 : tensor<3x7x96xf32>, tensor<3x7xf32>, tensor<3x7xf32>
  }
}
