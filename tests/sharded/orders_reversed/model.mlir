module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2], device_ids=[0,1,3,2,6,7,5,4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x16xf32> {jax.result_info = "result[0]"}, tensor<16xf32> {jax.result_info = "result[1]"}, tensor<6x16xf32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.reverse %arg0, dims = [0] : tensor<8x16xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<8x16xf32>
    %3 = stablehlo.reverse %arg0, dims = [1] : tensor<8x16xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %5 = stablehlo.slice %arg0 [0:6, 0:16] : (tensor<8x16xf32>) -> tensor<6x16xf32>
    %6 = sdy.sharding_constraint %5 <@mesh, [{"x"}, {}]> : tensor<6x16xf32>
    %7 = stablehlo.reverse %6, dims = [0] : tensor<6x16xf32>
    return %2, %4, %7 : tensor<8x16xf32>, tensor<16xf32>, tensor<6x16xf32>
  }
}
