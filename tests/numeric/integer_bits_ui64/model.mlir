module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<12x12xui64>, %arg1: tensor<12x12xui64>) -> (tensor<12x12xui64> {jax.result_info = "result[0]"}, tensor<12x12xui64> {jax.result_info = "result[1]"}, tensor<12x12xui64> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.and %arg0, %arg1 : tensor<12x12xui64>
    %1 = stablehlo.or %arg0, %arg1 : tensor<12x12xui64>
    %2 = stablehlo.xor %arg0, %arg1 : tensor<12x12xui64>
    return %0, %1, %2 : tensor<12x12xui64>, tensor<12x12xui64>, tensor<12x12xui64>
  }
}
