module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x150xi1>) -> (tensor<4x150xi8> {jax.result_info = "result"}) {
    %0 = stablehlo.convert %arg0 : (tensor<4x150xi1>) -> tensor<4x150xi8>
    %1 = call @cummax(%0) : (tensor<4x150xi8>) -> tensor<4x150xi8>
    return %1 : tensor<4x150xi8>
  }
  func.func private @cummax(%arg0: tensor<4x150xi8>) -> tensor<4x150xi8> {
    %c = stablehlo.constant dense<-128> : tensor<i8>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i8>) -> tensor<i8>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [149, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 150>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<i8>, %arg2: tensor<i8>):
      %2 = stablehlo.maximum %arg1, %arg2 : tensor<i8>
      stablehlo.return %2 : tensor<i8>
    }) : (tensor<4x150xi8>, tensor<i8>) -> tensor<4x150xi8>
    return %1 : tensor<4x150xi8>
  }
}
