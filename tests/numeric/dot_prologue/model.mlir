module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<17x33xf32>, %arg1: tensor<33x20xf32>) -> (tensor<17x20xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<17x33xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<17x33xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<17x33xf32>
    %3 = stablehlo.add %1, %2 : tensor<17x33xf32>
    %4 = stablehlo.tanh %arg1 : tensor<33x20xf32>
    %5 = stablehlo.dot_general %3, %4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<17x33xf32>, tensor<33x20xf32>) -> tensor<17x20xf32>
    return %5 : tensor<17x20xf32>
  }
}
