module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x37xui8>) -> (tensor<5xui8> {jax.result_info = "result[0]"}, tensor<37xui8> {jax.result_info = "result[1]"}, tensor<ui8> {jax.result_info = "result[2]"}, tensor<37xui8> {jax.result_info = "result[3]"}) {
    %c = stablehlo.constant dense<0> : tensor<ui8>
    %0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.add across dimensions = [1] : (tensor<5x37xui8>, tensor<ui8>) -> tensor<5xui8>
    %c_0 = stablehlo.constant dense<0> : tensor<ui8>
    %1 = stablehlo.reduce(%arg0 init: %c_0) applies stablehlo.maximum across dimensions = [0] : (tensor<5x37xui8>, tensor<ui8>) -> tensor<37xui8>
    %c_1 = stablehlo.constant dense<255> : tensor<ui8>
    %2 = stablehlo.reduce(%arg0 init: %c_1) applies stablehlo.minimum across dimensions = [0, 1] : (tensor<5x37xui8>, tensor<ui8>) -> tensor<ui8>
    %c_2 = stablehlo.constant dense<0> : tensor<ui8>
    %3 = stablehlo.reduce(%arg0 init: %c_2) applies stablehlo.xor across dimensions = [0] : (tensor<5x37xui8>, tensor<ui8>) -> tensor<37xui8>
    return %0, %1, %2, %3 : tensor<5xui8>, tensor<37xui8>, tensor<ui8>, tensor<37xui8>
  }
}
