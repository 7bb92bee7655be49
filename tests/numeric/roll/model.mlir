module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x7x9xf32>) -> (tensor<5x7x9xf32> {jax.result_info = "result"}) {
    %0 = call @_roll_static(%arg0) : (tensor<5x7x9xf32>) -> tensor<5x7x9xf32>
    %1 = stablehlo.subtract %0, %arg0 : tensor<5x7x9xf32>
    return %1 : tensor<5x7x9xf32>
  }
  func.func private @_roll_static(%arg0: tensor<5x7x9xf32>) -> tensor<5x7x9xf32> {
    %0 = stablehlo.slice %arg0 [0:5, 4:7, 0:9] : (tensor<5x7x9xf32>) -> tensor<5x3x9xf32>
    %1 = stablehlo.slice %arg0 [0:5, 0:4, 0:9] : (tensor<5x7x9xf32>) -> tensor<5x4x9xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<5x3x9xf32>, tensor<5x4x9xf32>) -> tensor<5x7x9xf32>
    return %2 : tensor<5x7x9xf32>
  }
}
