module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x100xf32>) -> (tensor<4x7xf32> {jax.result_info = "result[0]"}, tensor<4x7xi32> {jax.result_info = "result[1]"}) {
    %values, %indices = chlo.top_k(%arg0, k = 7) : tensor<4x100xf32> -> (tensor<4x7xf32>, tensor<4x7xi32>)
    return %values, %indices : tensor<4x7xf32>, tensor<4x7xi32>
  }
}
