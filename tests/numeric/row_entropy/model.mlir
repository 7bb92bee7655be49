module @jit_entropy attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x200xf32>) -> (tensor<6xf32> {jax.result_info = "result[0]"}, tensor<6x200xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<6x200xf32>, tensor<f32>) -> tensor<6xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<6xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x200xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<6x200xf32>
    %6 = stablehlo.exponential %5 : tensor<6x200xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<6x200xf32>, tensor<f32>) -> tensor<6xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x200xf32>
    %10 = stablehlo.divide %6, %9 : tensor<6x200xf32>
    %cst_2 = stablehlo.constant dense<9.99999971E-10> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6x200xf32>
    %12 = stablehlo.add %10, %11 : tensor<6x200xf32>
    %13 = stablehlo.log %12 : tensor<6x200xf32>
    %14 = stablehlo.multiply %10, %13 : tensor<6x200xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_3) applies stablehlo.add across dimensions = [1] : (tensor<6x200xf32>, tensor<f32>) -> tensor<6xf32>
    %16 = stablehlo.negate %15 : tensor<6xf32>
    return %16, %10 : tensor<6xf32>, tensor<6x200xf32>
  }
}
