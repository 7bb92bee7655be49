module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<10x12xf32>) -> (tensor<10x12xf32> {jax.result_info = "result[0]"}, tensor<10x12xf32> {jax.result_info = "result[1]"}) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {}]> : tensor<10x12xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<10x12xf32>, tensor<f32>) -> tensor<12xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %3 = stablehlo.maximum %2, %1 : tensor<12xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<12xf32>) -> tensor<1x12xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<1x12xf32>) -> tensor<10x12xf32>
    %6 = stablehlo.subtract %0, %5 : tensor<10x12xf32>
    %7 = stablehlo.exponential %6 : tensor<10x12xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<10x12xf32>, tensor<f32>) -> tensor<12xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [1] : (tensor<12xf32>) -> tensor<1x12xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<1x12xf32>) -> tensor<10x12xf32>
    %11 = stablehlo.divide %7, %10 : tensor<10x12xf32>
    %12 = sdy.sharding_constraint %arg0 <@mesh, [{}, {"x", "y"}]> : tensor<10x12xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst_2) applies stablehlo.maximum across dimensions = [1] : (tensor<10x12xf32>, tensor<f32>) -> tensor<10xf32>
    %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %15 = stablehlo.maximum %14, %13 : tensor<10xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0] : (tensor<10xf32>) -> tensor<10x1xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (tensor<10x1xf32>) -> tensor<10x12xf32>
    %18 = stablehlo.subtract %12, %17 : tensor<10x12xf32>
    %19 = stablehlo.exponential %18 : tensor<10x12xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.reduce(%19 init: %cst_4) applies stablehlo.add across dimensions = [1] : (tensor<10x12xf32>, tensor<f32>) -> tensor<10xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<10xf32>) -> tensor<10x1xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1] : (tensor<10x1xf32>) -> tensor<10x12xf32>
    %23 = stablehlo.divide %19, %22 : tensor<10x12xf32>
    return %11, %23 : tensor<10x12xf32>, tensor<10x12xf32>
  }
}
