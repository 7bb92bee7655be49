module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<6x10xf32>, %arg1: tensor<10x7xf32>) -> (tensor<6x7xf32> {jax.result_info = "result[0]"}, tensor<6x7xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x10xf32>
    %1 = stablehlo.divide %0, %arg0 : tensor<6x10xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{}, {"x"}]> : tensor<6x10xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<10x7xf32>
    %4 = stablehlo.divide %3, %arg1 : tensor<10x7xf32>
    %5 = sdy.sharding_constraint %4 <@mesh, [{"x"}, {}]> : tensor<10x7xf32>
    %6 = stablehlo.dot_general %2, %5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x10xf32>, tensor<10x7xf32>) -> tensor<6x7xf32>
    %7 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {"y"}]> : tensor<6x10xf32>
    %8 = sdy.sharding_constraint %arg1 <@mesh, [{"y"}, {"x"}]> : tensor<10x7xf32>
    %9 = stablehlo.dot_general %7, %8, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x10xf32>, tensor<10x7xf32>) -> tensor<6x7xf32>
    return %6, %9 : tensor<6x7xf32>, tensor<6x7xf32>
  }
}
