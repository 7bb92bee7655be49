module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x37xui16>) -> (tensor<5xui16> {jax.result_info = "result[0]"}, tensor<37xui16> {jax.result_info = "result[1]"}, tensor<ui16> {jax.result_info = "result[2]"}, tensor<37xui16> {jax.result_info = "result[3]"}) {
    %c = stablehlo.constant dense<0> : tensor<ui16>
    %0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.add across dimensions = [1] : (tensor<5x37xui16>, tensor<ui16>) -> tensor<5xui16>
    %c_0 = stablehlo.constant dense<0> : tensor<ui16>
    %1 = stablehlo.reduce(%arg0 init: %c_0) applies stablehlo.maximum across dimensions = [0] : (tensor<5x37xui16>, tensor<ui16>) -> tensor<37xui16>
    %c_1 = stablehlo.constant dense<65535> : tensor<ui16>
    %2 = stablehlo.reduce(%arg0 init: %c_1) applies stablehlo.minimum across dimensions = [0, 1] : (tensor<5x37xui16>, tensor<ui16>) -> tensor<ui16>
    %c_2 = stablehlo.constant dense<0> : tensor<ui16>
    %3 = stablehlo.reduce(%arg0 init: %c_2) applies stablehlo.xor across dimensions = [0] : (tensor<5x37xui16>, tensor<ui16>) -> tensor<37xui16>
    return %0, %1, %2, %3 : tensor<5xui16>, tensor<37xui16>, tensor<ui16>, tensor<37xui16>
  }
}
