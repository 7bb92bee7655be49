module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32>) -> (tensor<8x8xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
    %0 = stablehlo.abs %arg0 : tensor<8x8xf32>
    %1:2 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %0) : tensor<8x8xf32>, tensor<8x8xf32>
    cond {
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.reduce(%iterArg_0 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<f32>
      %cst_1 = stablehlo.constant dense<5.000000e+01> : tensor<f32>
      %3 = stablehlo.compare LT, %2, %cst_1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %cst = stablehlo.constant dense<1.500000e+00> : tensor<f32>
      %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
      %3 = stablehlo.multiply %iterArg_0, %2 : tensor<8x8xf32>
      %4 = stablehlo.abs %iterArg : tensor<8x8xf32>
      %5 = stablehlo.add %3, %4 : tensor<8x8xf32>
      stablehlo.return %iterArg, %5 : tensor<8x8xf32>, tensor<8x8xf32>
    }
    return %1#1 : tensor<8x8xf32>
  }
}
