module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<9x70xf32>, %arg1: tensor<9x70xf32>) -> (tensor<9xf32> {jax.result_info = "result[0]"}, tensor<f32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.multiply %arg0, %arg1 : tensor<9x70xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<9x70xf32>
    %2 = stablehlo.add %0, %1 : tensor<9x70xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<9x70xf32>, tensor<f32>) -> tensor<9xf32>
    %4 = stablehlo.slice %arg1 [0:1, 0:70] : (tensor<9x70xf32>) -> tensor<1x70xf32>
    %5 = stablehlo.reshape %4 : (tensor<1x70xf32>) -> tensor<70xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [1] : (tensor<70xf32>) -> tensor<1x70xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<1x70xf32>) -> tensor<9x70xf32>
    %8 = stablehlo.subtract %arg0, %7 : tensor<9x70xf32>
    %9 = stablehlo.abs %8 : tensor<9x70xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %10 = stablehlo.reduce(%9 init: %cst_1) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<9x70xf32>, tensor<f32>) -> tensor<f32>
    return %3, %10 : tensor<9xf32>, tensor<f32>
  }
}
