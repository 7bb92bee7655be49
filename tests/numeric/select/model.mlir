module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x6xi1>, %arg1: tensor<5x6xf32>, %arg2: tensor<5x6xf32>) -> (tensor<5x6xf32> {jax.result_info = "result[0]"}, tensor<5x6xf32> {jax.result_info = "result[1]"}) {
    %0 = call @_where(%arg0, %arg1, %arg2) : (tensor<5x6xi1>, tensor<5x6xf32>, tensor<5x6xf32>) -> tensor<5x6xf32>
    %1 = stablehlo.slice %arg0 [0:1, 0:1] : (tensor<5x6xi1>) -> tensor<1x1xi1>
    %2 = stablehlo.reshape %1 : (tensor<1x1xi1>) -> tensor<i1>
    %3 = call @_where_0(%2, %arg1, %arg2) : (tensor<i1>, tensor<5x6xf32>, tensor<5x6xf32>) -> tensor<5x6xf32>
    return %0, %3 : tensor<5x6xf32>, tensor<5x6xf32>
  }
  func.func private @_where(%arg0: tensor<5x6xi1>, %arg1: tensor<5x6xf32>, %arg2: tensor<5x6xf32>) -> tensor<5x6xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<5x6xi1>, tensor<5x6xf32>
    return %0 : tensor<5x6xf32>
  }
  func.func private @_where_0(%arg0: tensor<i1>, %arg1: tensor<5x6xf32>, %arg2: tensor<5x6xf32>) -> tensor<5x6xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<5x6xf32>
    return %0 : tensor<5x6xf32>
  }
}
