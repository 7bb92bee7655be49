module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<4x2x16xf32> {jax.result_info = "result[0]"}, tensor<128xf32> {jax.result_info = "result[1]"}, tensor<16x8xf32> {jax.result_info = "result[2]"}, tensor<4x4x2x4xf32> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.reshape %arg0 : (tensor<8x16xf32>) -> tensor<4x2x16xf32>
    %1 = stablehlo.reshape %arg0 : (tensor<8x16xf32>) -> tensor<128xf32>
    %2 = stablehlo.reshape %arg0 : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %3 = stablehlo.reshape %arg0 : (tensor<8x16xf32>) -> tensor<2x4x4x4xf32>
    %4 = stablehlo.transpose %3, dims = [3, 1, 0, 2] : (tensor<2x4x4x4xf32>) -> tensor<4x4x2x4xf32>
    return %0, %1, %2, %4 : tensor<4x2x16xf32>, tensor<128xf32>, tensor<16x8xf32>, tensor<4x4x2x4xf32>
  }
}
