module @jit_ints attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<7x99xi32>, %arg1: tensor<31x13xui8>, %arg2: tensor<3x3x3xi64>) -> (tensor<7xi64> {jax.result_info = "result[0]"}, tensor<13xui8> {jax.result_info = "result[1]"}, tensor<3x3x3xi64> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<7x99xi32>) -> tensor<7x99xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [1] : (tensor<7x99xi64>, tensor<i64>) -> tensor<7xi64>
    %c_0 = stablehlo.constant dense<0> : tensor<ui8>
    %2 = stablehlo.reduce(%arg1 init: %c_0) applies stablehlo.maximum across dimensions = [0] : (tensor<31x13xui8>, tensor<ui8>) -> tensor<13xui8>
    %c_1 = stablehlo.constant dense<3> : tensor<i64>
    %3 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i64>) -> tensor<3x3x3xi64>
    %4 = stablehlo.multiply %arg2, %3 : tensor<3x3x3xi64>
    %c_2 = stablehlo.constant dense<1> : tensor<i64>
    %5 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i64>) -> tensor<3x3x3xi64>
    %6 = stablehlo.subtract %4, %5 : tensor<3x3x3xi64>
    return %1, %2, %6 : tensor<7xi64>, tensor<13xui8>, tensor<3x3x3xi64>
  }
}
