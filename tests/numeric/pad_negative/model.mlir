module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x5xf32>) -> (tensor<7x10xf32> {jax.result_info = "result[0]"}, tensor<4x3xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [-1, 3], high = [2, -2], interior = [0, 1] : (tensor<6x5xf32>, tensor<f32>) -> tensor<7x10xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.pad %arg0, %cst_0, low = [-1, 0], high = [-1, -2], interior = [0, 0] : (tensor<6x5xf32>, tensor<f32>) -> tensor<4x3xf32>
    return %0, %1 : tensor<7x10xf32>, tensor<4x3xf32>
  }
}
