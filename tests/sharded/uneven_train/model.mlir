module @jit_train attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<7x10xf32>, %arg1: tensor<10x3xf32>, %arg2: tensor<9x7xf32>, %arg3: tensor<9x3xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<7x10xf32> {jax.result_info = "result[1]"}, tensor<10x3xf32> {jax.result_info = "result[2]"}) {
    %0 = sdy.sharding_constraint %arg2 <@mesh, [{"y"}, {}]> : tensor<9x7xf32>
    %1 = sdy.sharding_constraint %arg0 <@mesh, [{}, {"x"}]> : tensor<7x10xf32>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<9x7xf32>, tensor<7x10xf32>) -> tensor<9x10xf32>
    %3 = call @relu(%2) : (tensor<9x10xf32>) -> tensor<9x10xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<9x10xf32>
    %5 = stablehlo.compare GT, %2, %4, FLOAT : (tensor<9x10xf32>, tensor<9x10xf32>) -> tensor<9x10xi1>
    %6 = sdy.sharding_constraint %3 <@mesh, [{"y"}, {"x"}]> : tensor<9x10xf32>
    %7 = sdy.sharding_constraint %arg1 <@mesh, [{"x"}, {}]> : tensor<10x3xf32>
    %8 = stablehlo.dot_general %6, %7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<9x10xf32>, tensor<10x3xf32>) -> tensor<9x3xf32>
    %9 = stablehlo.subtract %8, %arg3 : tensor<9x3xf32>
    %10 = stablehlo.multiply %9, %9 : tensor<9x3xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<9x3xf32>
    %12 = stablehlo.multiply %11, %9 : tensor<9x3xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%10 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<9x3xf32>, tensor<f32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<2.700000e+01> : tensor<f32>
    %14 = stablehlo.divide %13, %cst_2 : tensor<f32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_4 = stablehlo.constant dense<2.700000e+01> : tensor<f32>
    %15 = stablehlo.divide %cst_3, %cst_4 : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<f32>) -> tensor<9x3xf32>
    %17 = stablehlo.multiply %16, %12 : tensor<9x3xf32>
    %18 = stablehlo.dot_general %17, %6, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<9x3xf32>, tensor<9x10xf32>) -> tensor<3x10xf32>
    %19 = stablehlo.transpose %18, dims = [1, 0] : (tensor<3x10xf32>) -> tensor<10x3xf32>
    %20 = stablehlo.dot_general %17, %7, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<9x3xf32>, tensor<10x3xf32>) -> tensor<9x10xf32>
    %21 = sdy.sharding_constraint %19 <@mesh, [{"x"}, {}]> : tensor<10x3xf32>
    %22 = sdy.sharding_constraint %20 <@mesh, [{"y"}, {"x"}]> : tensor<9x10xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<9x10xf32>
    %24 = stablehlo.select %5, %22, %23 : tensor<9x10xi1>, tensor<9x10xf32>
    %25 = stablehlo.dot_general %24, %0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<9x10xf32>, tensor<9x7xf32>) -> tensor<10x7xf32>
    %26 = stablehlo.transpose %25, dims = [1, 0] : (tensor<10x7xf32>) -> tensor<7x10xf32>
    %27 = sdy.sharding_constraint %26 <@mesh, [{}, {"x"}]> : tensor<7x10xf32>
    %cst_6 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<7x10xf32>
    %29 = stablehlo.multiply %28, %27 : tensor<7x10xf32>
    %30 = stablehlo.subtract %arg0, %29 : tensor<7x10xf32>
    %cst_7 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<10x3xf32>
    %32 = stablehlo.multiply %31, %21 : tensor<10x3xf32>
    %33 = stablehlo.subtract %arg1, %32 : tensor<10x3xf32>
    return %14, %30, %33 : tensor<f32>, tensor<7x10xf32>, tensor<10x3xf32>
  }
  func.func private @relu(%arg0: tensor<9x10xf32>) -> tensor<9x10xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<9x10xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<9x10xf32>
    return %1 : tensor<9x10xf32>
  }
}
