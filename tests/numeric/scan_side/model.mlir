module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<133x2119xi8>) -> (tensor<133x2119xi8> {jax.result_info = "result"}) {
    %0 = call @cumsum(%arg0) : (tensor<133x2119xi8>) -> tensor<133x2119xi8>
    return %0 : tensor<133x2119xi8>
  }
  func.func private @cumsum(%arg0: tensor<133x2119xi8>) -> tensor<133x2119xi8> {
    %c = stablehlo.constant dense<0> : tensor<i8>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i8>) -> tensor<i8>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 132], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 133, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<i8>, %arg2: tensor<i8>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i8>
      stablehlo.return %2 : tensor<i8>
    }) : (tensor<133x2119xi8>, tensor<i8>) -> tensor<133x2119xi8>
    return %1 : tensor<133x2119xi8>
  }
}
