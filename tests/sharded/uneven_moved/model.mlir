module @jit_moved attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<10x9xf32>) -> (tensor<10x9xf32> {jax.result_info = "result[0]"}, tensor<10x9xf32> {jax.result_info = "result[1]"}, tensor<9xf32> {jax.result_info = "result[2]"}, tensor<10x9xf32> {jax.result_info = "result[3]"}, tensor<10x9xf32> {jax.result_info = "result[4]"}, tensor<10x9xf32> {jax.result_info = "result[5]"}) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {}]> : tensor<10x9xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}, {"x"}]> : tensor<10x9xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<10x9xf32>
    %3 = stablehlo.multiply %1, %2 : tensor<10x9xf32>
    %4 = sdy.sharding_constraint %0 <@mesh, [{"x", "y"}, {}]> : tensor<10x9xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<10x9xf32>
    %6 = stablehlo.add %4, %5 : tensor<10x9xf32>
    %7 = sdy.sharding_constraint %0 <@mesh, [{"y"}, {"x"}]> : tensor<10x9xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<10x9xf32>, tensor<f32>) -> tensor<9xf32>
    %9 = stablehlo.reverse %0, dims = [0] : tensor<10x9xf32>
    %10 = call @sort(%0) : (tensor<10x9xf32>) -> tensor<10x9xf32>
    %11 = call @cumsum(%0) : (tensor<10x9xf32>) -> tensor<10x9xf32>
    return %3, %6, %8, %9, %10, %11 : tensor<10x9xf32>, tensor<10x9xf32>, tensor<9xf32>, tensor<10x9xf32>, tensor<10x9xf32>, tensor<10x9xf32>
  }
  func.func private @sort(%arg0: tensor<10x9xf32>) -> tensor<10x9xf32> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.select %1, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %4 = stablehlo.select %3, %cst_1, %2 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.select %5, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %7 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %8 = stablehlo.select %7, %cst_4, %6 : tensor<i1>, tensor<f32>
      %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<10x9xf32>) -> tensor<10x9xf32>
    return %0 : tensor<10x9xf32>
  }
  func.func private @cumsum(%arg0: tensor<10x9xf32>) -> tensor<10x9xf32> {
    %0 = call @cumsum_0(%arg0) : (tensor<10x9xf32>) -> tensor<10x9xf32>
    return %0 : tensor<10x9xf32>
  }
  func.func private @cumsum_0(%arg0: tensor<10x9xf32>) -> tensor<10x9xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[9, 0], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 10, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<10x9xf32>, tensor<f32>) -> tensor<10x9xf32>
    return %1 : tensor<10x9xf32>
  }
}
