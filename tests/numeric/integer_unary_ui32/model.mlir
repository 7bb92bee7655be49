module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<12xui32>) -> (tensor<12xui32> {jax.result_info = "result[0]"}, tensor<12xui32> {jax.result_info = "result[1]"}, tensor<12xui32> {jax.result_info = "result[2]"}, tensor<12xui32> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.not %arg0 : tensor<12xui32>
    %1 = stablehlo.popcnt %arg0 : tensor<12xui32>
    %2 = stablehlo.count_leading_zeros %arg0 : tensor<12xui32>
    %c = stablehlo.constant dense<0> : tensor<ui32>
    %3 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui32>) -> tensor<12xui32>
    %4 = stablehlo.compare EQ, %arg0, %3, UNSIGNED : (tensor<12xui32>, tensor<12xui32>) -> tensor<12xi1>
    %c_0 = stablehlo.constant dense<0> : tensor<ui32>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui32>) -> tensor<12xui32>
    %c_1 = stablehlo.constant dense<1> : tensor<ui32>
    %6 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<12xui32>
    %7 = stablehlo.select %4, %5, %6 : tensor<12xi1>, tensor<12xui32>
    return %0, %1, %2, %7 : tensor<12xui32>, tensor<12xui32>, tensor<12xui32>, tensor<12xui32>
  }
}
