module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<3x6x5x6xf32>, %arg1: tensor<5x6x3x3xf32>) -> (tensor<5x2x3xf32> {jax.result_info = "result[0]"}, tensor<3x5x5x6xf32> {jax.result_info = "result[1]"}, tensor<5x6x3x3xf32> {jax.result_info = "result[2]"}) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{}, {"x"}, {}, {}]> : tensor<3x6x5x6xf32>
    %1 = sdy.sharding_constraint %arg1 <@mesh, [{"y"}, {}, {}, {}]> : tensor<5x6x3x3xf32>
    %2 = stablehlo.convolution(%0, %1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<3x6x5x6xf32>, tensor<5x6x3x3xf32>) -> tensor<3x5x5x6xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %4 = "stablehlo.reduce_window"(%2, %3) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %17 = stablehlo.maximum %arg2, %arg3 : tensor<f32>
      stablehlo.return %17 : tensor<f32>
    }) : (tensor<3x5x5x6xf32>, tensor<f32>) -> tensor<3x5x2x3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<3x5x2x3xf32>, tensor<f32>) -> tensor<5x2x3xf32>
    %6 = call @standardize(%2) : (tensor<3x5x5x6xf32>) -> tensor<3x5x5x6xf32>
    %7 = sdy.sharding_constraint %arg0 <@mesh, [{}, {"x"}, {}, {}]> : tensor<3x6x5x6xf32>
    %8 = sdy.sharding_constraint %arg1 <@mesh, [{"y"}, {}, {}, {}]> : tensor<5x6x3x3xf32>
    %9 = stablehlo.convolution(%7, %8) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<3x6x5x6xf32>, tensor<5x6x3x3xf32>) -> tensor<3x5x5x6xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<5x2x3xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [1, 2, 3] : (tensor<5x2x3xf32>) -> tensor<3x5x2x3xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %12 = stablehlo.pad %9, %cst_2, low = [0, 0, 0, 0], high = [0, 0, 0, 0], interior = [0, 0, 0, 0] : (tensor<3x5x5x6xf32>, tensor<f32>) -> tensor<3x5x5x6xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = "stablehlo.select_and_scatter"(%12, %11, %cst_3) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %17 = stablehlo.compare GE, %arg2, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %17 : tensor<i1>
    }, {
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %17 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %17 : tensor<f32>
    }) : (tensor<3x5x5x6xf32>, tensor<3x5x2x3xf32>, tensor<f32>) -> tensor<3x5x5x6xf32>
    %14 = stablehlo.slice %13 [0:3, 0:5, 0:5, 0:6] : (tensor<3x5x5x6xf32>) -> tensor<3x5x5x6xf32>
    %15 = stablehlo.convolution(%7, %14) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<3x6x5x6xf32>, tensor<3x5x5x6xf32>) -> tensor<5x6x3x3xf32>
    %16 = sdy.sharding_constraint %15 <@mesh, [{"y"}, {}, {}, {}]> : tensor<5x6x3x3xf32>
    return %5, %6, %16 : tensor<5x2x3xf32>, tensor<3x5x5x6xf32>, tensor<5x6x3x3xf32>
  }
  func.func private @standardize(%arg0: tensor<3x5x5x6xf32>) -> tensor<3x5x5x6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<3x5x5x6xf32>, tensor<f32>) -> tensor<3x5x6xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 2, 3] : (tensor<3x5x6xf32>) -> tensor<3x1x5x6xf32>
    %cst_0 = stablehlo.constant dense<5.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x1x5x6xf32>
    %3 = stablehlo.divide %1, %2 : tensor<3x1x5x6xf32>
    %4 = chlo.square %arg0 : tensor<3x5x5x6xf32> -> tensor<3x5x5x6xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<3x5x5x6xf32>, tensor<f32>) -> tensor<3x5x6xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 2, 3] : (tensor<3x5x6xf32>) -> tensor<3x1x5x6xf32>
    %cst_2 = stablehlo.constant dense<5.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3x1x5x6xf32>
    %8 = stablehlo.divide %6, %7 : tensor<3x1x5x6xf32>
    %9 = chlo.square %3 : tensor<3x1x5x6xf32> -> tensor<3x1x5x6xf32>
    %10 = stablehlo.subtract %8, %9 : tensor<3x1x5x6xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %11 = call @clip(%10, %c) : (tensor<3x1x5x6xf32>, tensor<i32>) -> tensor<3x1x5x6xf32>
    %12 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2, 3] : (tensor<3x1x5x6xf32>) -> tensor<3x5x5x6xf32>
    %13 = stablehlo.subtract %arg0, %12 : tensor<3x5x5x6xf32>
    %cst_3 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3x1x5x6xf32>
    %15 = stablehlo.add %11, %14 : tensor<3x1x5x6xf32>
    %16 = stablehlo.rsqrt %15 : tensor<3x1x5x6xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2, 3] : (tensor<3x1x5x6xf32>) -> tensor<3x5x5x6xf32>
    %18 = stablehlo.multiply %13, %17 : tensor<3x5x5x6xf32>
    return %18 : tensor<3x5x5x6xf32>
  }
  func.func private @clip(%arg0: tensor<3x1x5x6xf32>, %arg1: tensor<i32>) -> tensor<3x1x5x6xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<3x1x5x6xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<3x1x5x6xf32>
    return %2 : tensor<3x1x5x6xf32>
  }
}
