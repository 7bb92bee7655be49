module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<9xf32>, %arg1: tensor<9xi64>, %arg2: tensor<9xbf16>, %arg3: tensor<9xi16>) -> (tensor<9xi32> {jax.result_info = "result[0]"}, tensor<9xf64> {jax.result_info = "result[1]"}, tensor<9xui16> {jax.result_info = "result[2]"}, tensor<9xf16> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<9xf32>) -> tensor<9xi32>
    %1 = stablehlo.bitcast_convert %arg1 : (tensor<9xi64>) -> tensor<9xf64>
    %2 = stablehlo.bitcast_convert %arg2 : (tensor<9xbf16>) -> tensor<9xui16>
    %3 = stablehlo.bitcast_convert %arg3 : (tensor<9xi16>) -> tensor<9xf16>
    return %0, %1, %2, %3 : tensor<9xi32>, tensor<9xf64>, tensor<9xui16>, tensor<9xf16>
  }
}
