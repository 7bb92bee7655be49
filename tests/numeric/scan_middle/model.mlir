module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x33x6xf32>) -> (tensor<5x33x6xf32> {jax.result_info = "result"}) {
    %0 = call @cummin(%arg0) : (tensor<5x33x6xf32>) -> tensor<5x33x6xf32>
    return %0 : tensor<5x33x6xf32>
  }
  func.func private @cummin(%arg0: tensor<5x33x6xf32>) -> tensor<5x33x6xf32> {
    %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [32, 0], [0, 0]]> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 1, 33, 1>, window_strides = array<i64: 1, 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.minimum %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<5x33x6xf32>, tensor<f32>) -> tensor<5x33x6xf32>
    return %1 : tensor<5x33x6xf32>
  }
}
