module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3x1040xf32>, %arg1: tensor<1072x5xi8>) -> (tensor<2x1040x3xf32> {jax.result_info = "result[0]"}, tensor<5x1072xi8> {jax.result_info = "result[1]"}, tensor<3x1072xf32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.transpose %arg0, dims = [0, 2, 1] : (tensor<2x3x1040xf32>) -> tensor<2x1040x3xf32>
    %1 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<1072x5xi8>) -> tensor<5x1072xi8>
    %2 = stablehlo.slice %arg1 [0:1072, 0:3] : (tensor<1072x5xi8>) -> tensor<1072x3xi8>
    %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<1072x3xi8>) -> tensor<3x1072xi8>
    %4 = stablehlo.convert %3 : (tensor<3x1072xi8>) -> tensor<3x1072xf32>
    return %0, %1, %4 : tensor<2x1040x3xf32>, tensor<5x1072xi8>, tensor<3x1072xf32>
  }
}
