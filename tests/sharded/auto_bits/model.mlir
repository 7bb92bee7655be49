module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x16x4xui8> {jax.result_info = "result[0]"}, tensor<8x16xi32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<8x16xf32>) -> tensor<8x16x4xui8>
    %c = stablehlo.constant dense<3> : tensor<ui8>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui8>) -> tensor<8x16x4xui8>
    %2 = stablehlo.shift_right_logical %0, %1 : tensor<8x16x4xui8>
    %3 = stablehlo.bitcast_convert %arg0 : (tensor<8x16xf32>) -> tensor<8x16xi32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x16xi32>
    %5 = stablehlo.add %3, %4 : tensor<8x16xi32>
    return %2, %5 : tensor<8x16x4xui8>, tensor<8x16xi32>
  }
}
