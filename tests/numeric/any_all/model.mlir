module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x9xi1>) -> (tensor<9xi1> {jax.result_info = "result[0]"}, tensor<6xi1> {jax.result_info = "result[1]"}, tensor<i1> {jax.result_info = "result[2]"}, tensor<6xi64> {jax.result_info = "result[3]"}) {
    %c = stablehlo.constant dense<false> : tensor<i1>
    %0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.or across dimensions = [0] : (tensor<6x9xi1>, tensor<i1>) -> tensor<9xi1>
    %c_0 = stablehlo.constant dense<true> : tensor<i1>
    %1 = stablehlo.reduce(%arg0 init: %c_0) applies stablehlo.and across dimensions = [1] : (tensor<6x9xi1>, tensor<i1>) -> tensor<6xi1>
    %c_1 = stablehlo.constant dense<true> : tensor<i1>
    %2 = stablehlo.reduce(%arg0 init: %c_1) applies stablehlo.and across dimensions = [0, 1] : (tensor<6x9xi1>, tensor<i1>) -> tensor<i1>
    %3 = stablehlo.convert %arg0 : (tensor<6x9xi1>) -> tensor<6x9xi32>
    %4 = stablehlo.convert %3 : (tensor<6x9xi32>) -> tensor<6x9xi64>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %5 = stablehlo.reduce(%4 init: %c_2) applies stablehlo.add across dimensions = [1] : (tensor<6x9xi64>, tensor<i64>) -> tensor<6xi64>
    return %0, %1, %2, %5 : tensor<9xi1>, tensor<6xi1>, tensor<i1>, tensor<6xi64>
  }
}
