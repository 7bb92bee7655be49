module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<10x12xf32>) -> (tensor<10x12xf32> {jax.result_info = "result"}) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {}]> : tensor<10x12xf32>
    %1 = stablehlo.while(%iterArg = %0) : tensor<10x12xf32>
    cond {
      %2 = stablehlo.multiply %iterArg, %iterArg : tensor<10x12xf32>
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<10x12xf32>, tensor<f32>) -> tensor<f32>
      %cst_0 = stablehlo.constant dense<9.000000e+01> : tensor<f32>
      %4 = stablehlo.compare LT, %3, %cst_0, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %cst = stablehlo.constant dense<1.500000e+00> : tensor<f32>
      %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<10x12xf32>
      %3 = stablehlo.multiply %iterArg, %2 : tensor<10x12xf32>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %4 = stablehlo.reduce(%iterArg init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<10x12xf32>, tensor<f32>) -> tensor<12xf32>
      %cst_1 = stablehlo.constant dense<1.000000e+01> : tensor<f32>
      %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %6 = stablehlo.divide %4, %5 : tensor<12xf32>
      %7 = stablehlo.broadcast_in_dim %6, dims = [1] : (tensor<12xf32>) -> tensor<1x12xf32>
      %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x12xf32>) -> tensor<10x12xf32>
      %9 = stablehlo.add %3, %8 : tensor<10x12xf32>
      stablehlo.return %9 : tensor<10x12xf32>
    }
    return %1 : tensor<10x12xf32>
  }
}
