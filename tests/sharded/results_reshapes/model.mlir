module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<8x16xf32>) -> (tensor<16x4x2xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}, {}]>}, tensor<8x5xf32> {jax.result_info = "result[1]", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<8x19xf32> {jax.result_info = "result[2]", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.reshape %arg0 : (tensor<8x16xf32>) -> tensor<4x2x16xf32>
    %1 = stablehlo.transpose %0, dims = [2, 0, 1] : (tensor<4x2x16xf32>) -> tensor<16x4x2xf32>
    %2 = stablehlo.slice %arg0 [0:8, 0:1] : (tensor<8x16xf32>) -> tensor<8x1xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x5xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %4 = call @_pad(%arg0, %c) : (tensor<8x16xf32>, tensor<i32>) -> tensor<8x19xf32>
    return %1, %3, %4 : tensor<16x4x2xf32>, tensor<8x5xf32>, tensor<8x19xf32>
  }
  func.func private @_pad(%arg0: tensor<8x16xf32>, %arg1: tensor<i32>) -> tensor<8x19xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [0, 1], high = [0, 2], interior = [0, 0] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x19xf32>
    return %1 : tensor<8x19xf32>
  }
}
