module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<8x3x6x6xf32>, %arg1: tensor<4x3x3x3xf32>) -> (tensor<8x4x6x6xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}, {}]>}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x3x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<8x4x6x6xf32>
    %1 = call @relu(%0) : (tensor<8x4x6x6xf32>) -> tensor<8x4x6x6xf32>
    return %1 : tensor<8x4x6x6xf32>
  }
  func.func private @relu(%arg0: tensor<8x4x6x6xf32>) -> tensor<8x4x6x6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4x6x6xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<8x4x6x6xf32>
    return %1 : tensor<8x4x6x6xf32>
  }
}
