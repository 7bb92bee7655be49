module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x7x9xf32>, %arg1: tensor<i64>) -> (tensor<5x9xf32> {jax.result_info = "result"}) {
    %0 = call @dynamic_index_in_dim(%arg0, %arg1) : (tensor<5x7x9xf32>, tensor<i64>) -> tensor<5x9xf32>
    return %0 : tensor<5x9xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<5x7x9xf32>, %arg1: tensor<i64>) -> tensor<5x9xf32> {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.compare LT, %arg1, %c, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<7> : tensor<i64>
    %1 = stablehlo.add %arg1, %c_0 : tensor<i64>
    %2 = stablehlo.select %0, %1, %arg1 : tensor<i1>, tensor<i64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %3 = stablehlo.dynamic_slice %arg0, %c_1, %2, %c_2, sizes = [5, 1, 9] : (tensor<5x7x9xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<5x1x9xf32>
    %4 = stablehlo.reshape %3 : (tensor<5x1x9xf32>) -> tensor<5x9xf32>
    return %4 : tensor<5x9xf32>
  }
}
