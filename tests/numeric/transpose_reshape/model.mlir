module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x7x9xf32>) -> (tensor<7x45xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.transpose %arg0, dims = [1, 0, 2] : (tensor<5x7x9xf32>) -> tensor<7x5x9xf32>
    %1 = stablehlo.reshape %0 : (tensor<7x5x9xf32>) -> tensor<7x45xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7x45xf32>
    %3 = stablehlo.add %1, %2 : tensor<7x45xf32>
    return %3 : tensor<7x45xf32>
  }
}
