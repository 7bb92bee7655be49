module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<8x16xf32>) -> (tensor<8x16xf32> {jax.result_info = "result[0]"}, tensor<16x8xf32> {jax.result_info = "result[1]"}, tensor<4x32xf32> {jax.result_info = "result[2]"}) {
    %0:3 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"y"}, {"x"}]>] manual_axes={"x", "y"} (%arg1: tensor<2x8xf32>) {
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
      %2 = stablehlo.multiply %arg1, %1 : tensor<2x8xf32>
      sdy.return %arg1, %arg1, %2 : tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>
    } : (tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<16x8xf32>, tensor<4x32xf32>)
    return %0#0, %0#1, %0#2 : tensor<8x16xf32>, tensor<16x8xf32>, tensor<4x32xf32>
  }
}
