module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x37xi8>) -> (tensor<5xi8> {jax.result_info = "result[0]"}, tensor<37xi8> {jax.result_info = "result[1]"}, tensor<i8> {jax.result_info = "result[2]"}, tensor<37xi8> {jax.result_info = "result[3]"}) {
    %c = stablehlo.constant dense<0> : tensor<i8>
    %0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.add across dimensions = [1] : (tensor<5x37xi8>, tensor<i8>) -> tensor<5xi8>
    %c_0 = stablehlo.constant dense<-128> : tensor<i8>
    %1 = stablehlo.reduce(%arg0 init: %c_0) applies stablehlo.maximum across dimensions = [0] : (tensor<5x37xi8>, tensor<i8>) -> tensor<37xi8>
    %c_1 = stablehlo.constant dense<127> : tensor<i8>
    %2 = stablehlo.reduce(%arg0 init: %c_1) applies stablehlo.minimum across dimensions = [0, 1] : (tensor<5x37xi8>, tensor<i8>) -> tensor<i8>
    %c_2 = stablehlo.constant dense<0> : tensor<i8>
    %3 = stablehlo.reduce(%arg0 init: %c_2) applies stablehlo.xor across dimensions = [0] : (tensor<5x37xi8>, tensor<i8>) -> tensor<37xi8>
    return %0, %1, %2, %3 : tensor<5xi8>, tensor<37xi8>, tensor<i8>, tensor<37xi8>
  }
}
