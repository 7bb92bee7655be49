module @jit_reductions attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<10x12xf32>) -> (tensor<12xf32> {jax.result_info = "result[0]"}, tensor<f32> {jax.result_info = "result[1]"}, tensor<12xf32> {jax.result_info = "result[2]"}, tensor<f32> {jax.result_info = "result[3]"}, tensor<12xi32> {jax.result_info = "result[4]"}, tensor<12xi1> {jax.result_info = "result[5]"}, tensor<12xi1> {jax.result_info = "result[6]"}) {
    %0 = stablehlo.abs %arg0 : tensor<10x12xf32>
    %1 = stablehlo.log %0 : tensor<10x12xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}, {"y"}]> : tensor<10x12xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<10x12xf32>, tensor<f32>) -> tensor<12xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<10x12xf32>, tensor<f32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<1.200000e+02> : tensor<f32>
    %5 = stablehlo.divide %4, %cst_1 : tensor<f32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %6 = stablehlo.reduce(%2 init: %cst_2) applies stablehlo.maximum across dimensions = [0] : (tensor<10x12xf32>, tensor<f32>) -> tensor<12xf32>
    %cst_3 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %7 = stablehlo.reduce(%2 init: %cst_3) applies stablehlo.minimum across dimensions = [0, 1] : (tensor<10x12xf32>, tensor<f32>) -> tensor<f32>
    %8 = call @argmax(%2) : (tensor<10x12xf32>) -> tensor<12xi32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<10x12xf32>
    %10 = stablehlo.compare GT, %2, %9, FLOAT : (tensor<10x12xf32>, tensor<10x12xf32>) -> tensor<10x12xi1>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %11 = stablehlo.reduce(%10 init: %c) applies stablehlo.or across dimensions = [0] : (tensor<10x12xi1>, tensor<i1>) -> tensor<12xi1>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<10x12xf32>
    %13 = stablehlo.compare LT, %2, %12, FLOAT : (tensor<10x12xf32>, tensor<10x12xf32>) -> tensor<10x12xi1>
    %c_6 = stablehlo.constant dense<true> : tensor<i1>
    %14 = stablehlo.reduce(%13 init: %c_6) applies stablehlo.and across dimensions = [0] : (tensor<10x12xi1>, tensor<i1>) -> tensor<12xi1>
    return %3, %5, %6, %7, %8, %11, %14 : tensor<12xf32>, tensor<f32>, tensor<12xf32>, tensor<f32>, tensor<12xi32>, tensor<12xi1>, tensor<12xi1>
  }
  func.func private @argmax(%arg0: tensor<10x12xf32>) -> tensor<12xi32> {
    %0 = stablehlo.iota dim = 0 : tensor<10x12xi32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [0] : (tensor<10x12xf32>, tensor<10x12xi32>, tensor<f32>, tensor<i32>) -> (tensor<12xf32>, tensor<12xi32>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i32>
    }
    return %1#1 : tensor<12xi32>
  }
}
