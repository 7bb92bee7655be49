module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x51xi32>) -> (tensor<6x51xi32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<2147483647> : tensor<i32>
    %0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.minimum across dimensions = [1] : (tensor<6x51xi32>, tensor<i32>) -> tensor<6xi32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<6x1xi32>) -> tensor<6x51xi32>
    %3 = stablehlo.subtract %arg0, %2 : tensor<6x51xi32>
    %c_0 = stablehlo.constant dense<-2147483648> : tensor<i32>
    %4 = stablehlo.reduce(%arg0 init: %c_0) applies stablehlo.maximum across dimensions = [1] : (tensor<6x51xi32>, tensor<i32>) -> tensor<6xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<6x1xi32>) -> tensor<6x51xi32>
    %7 = stablehlo.multiply %3, %6 : tensor<6x51xi32>
    return %7 : tensor<6x51xi32>
  }
}
