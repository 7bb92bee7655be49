module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x8xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
    %0 = stablehlo.slice %arg0 [0:8, 2:6] : (tensor<8x8xf32>) -> tensor<8x4xf32>
    %1 = stablehlo.slice %arg0 [0:8, 0:4] : (tensor<8x8xf32>) -> tensor<8x4xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
    %3 = stablehlo.reverse %2, dims = [0] : tensor<8x8xf32>
    return %3 : tensor<8x8xf32>
  }
}
