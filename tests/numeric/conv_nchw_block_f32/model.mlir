module @jit_image_block attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3x13x11xf32>, %arg1: tensor<16x3x3x3xf32>, %arg2: tensor<16xf32>, %arg3: tensor<16x16x3x3xf32>, %arg4: tensor<32x1x3x3xf32>, %arg5: tensor<32x5xf32>) -> (tensor<2x42x32xf32> {jax.result_info = "result[0]"}, tensor<2x5xf32> {jax.result_info = "result[1]"}, tensor<2x32x3x14xf32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 1], pad = [[1, 1], [0, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x13x11xf32>, tensor<16x3x3x3xf32>) -> tensor<2x16x7x11xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<16xf32>) -> tensor<1x16x1x1xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<1x16x1x1xf32>) -> tensor<2x16x7x11xf32>
    %3 = stablehlo.add %0, %2 : tensor<2x16x7x11xf32>
    %4 = call @relu(%3) : (tensor<2x16x7x11xf32>) -> tensor<2x16x7x11xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %5 = "stablehlo.reduce_window"(%4, %cst) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [0, 0], [1, 1], [0, 1]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 3, 2>, window_strides = array<i64: 1, 1, 2, 1>}> ({
    ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
      %37 = stablehlo.maximum %arg6, %arg7 : tensor<f32>
      stablehlo.return %37 : tensor<f32>
    }) : (tensor<2x16x7x11xf32>, tensor<f32>) -> tensor<2x16x4x11xf32>
    %6 = stablehlo.convolution(%5, %arg3) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x16x4x11xf32>, tensor<16x16x3x3xf32>) -> tensor<2x16x4x11xf32>
    %7 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<16xf32>) -> tensor<1x16x1x1xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2, 3] : (tensor<1x16x1x1xf32>) -> tensor<2x16x4x11xf32>
    %9 = stablehlo.multiply %6, %8 : tensor<2x16x4x11xf32>
    %10 = stablehlo.add %9, %5 : tensor<2x16x4x11xf32>
    %11 = call @silu(%10) : (tensor<2x16x4x11xf32>) -> tensor<2x16x4x11xf32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %12 = call @_pad(%5, %c) : (tensor<2x16x4x11xf32>, tensor<i64>) -> tensor<2x16x4x14xf32>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %13 = call @_pad_0(%11, %c_0) : (tensor<2x16x4x11xf32>, tensor<i64>) -> tensor<2x16x4x14xf32>
    %14 = stablehlo.concatenate %12, %13, dim = 1 : (tensor<2x16x4x14xf32>, tensor<2x16x4x14xf32>) -> tensor<2x32x4x14xf32>
    %15 = stablehlo.slice %14 [0:2, 0:32, 1:4, 0:14] : (tensor<2x32x4x14xf32>) -> tensor<2x32x3x14xf32>
    %16 = stablehlo.reshape %15 : (tensor<2x32x3x14xf32>) -> tensor<2x32x42xf32>
    %17 = stablehlo.transpose %16, dims = [0, 2, 1] : (tensor<2x32x42xf32>) -> tensor<2x42x32xf32>
    %18 = stablehlo.reshape %15 : (tensor<2x32x3x14xf32>) -> tensor<2x4x336xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.reduce(%18 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<2x4x336xf32>, tensor<f32>) -> tensor<2x4xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1] : (tensor<2x4xf32>) -> tensor<2x4x1xf32>
    %cst_2 = stablehlo.constant dense<3.360000e+02> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x4x1xf32>
    %22 = stablehlo.divide %20, %21 : tensor<2x4x1xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2] : (tensor<2x4x1xf32>) -> tensor<2x4x336xf32>
    %24 = stablehlo.subtract %18, %23 : tensor<2x4x336xf32>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %25 = call @_var(%18, %c_3) : (tensor<2x4x336xf32>, tensor<i64>) -> tensor<2x4x1xf32>
    %cst_4 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2x4x1xf32>
    %27 = stablehlo.add %25, %26 : tensor<2x4x1xf32>
    %28 = stablehlo.rsqrt %27 : tensor<2x4x1xf32>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0, 1, 2] : (tensor<2x4x1xf32>) -> tensor<2x4x336xf32>
    %30 = stablehlo.multiply %24, %29 : tensor<2x4x336xf32>
    %31 = stablehlo.reshape %30 : (tensor<2x4x336xf32>) -> tensor<2x32x3x14xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.reduce(%15 init: %cst_5) applies stablehlo.add across dimensions = [2, 3] : (tensor<2x32x3x14xf32>, tensor<f32>) -> tensor<2x32xf32>
    %cst_6 = stablehlo.constant dense<4.200000e+01> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %34 = stablehlo.divide %32, %33 : tensor<2x32xf32>
    %35 = stablehlo.dot_general %34, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x32xf32>, tensor<32x5xf32>) -> tensor<2x5xf32>
    %36 = stablehlo.convolution(%31, %arg4) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 32 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x32x3x14xf32>, tensor<32x1x3x3xf32>) -> tensor<2x32x3x14xf32>
    return %17, %35, %36 : tensor<2x42x32xf32>, tensor<2x5xf32>, tensor<2x32x3x14xf32>
  }
  func.func private @relu(%arg0: tensor<2x16x7x11xf32>) -> tensor<2x16x7x11xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x16x7x11xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x16x7x11xf32>
    return %1 : tensor<2x16x7x11xf32>
  }
  func.func private @silu(%arg0: tensor<2x16x4x11xf32>) -> tensor<2x16x4x11xf32> {
    %0 = stablehlo.negate %arg0 : tensor<2x16x4x11xf32>
    %1 = stablehlo.exponential %0 : tensor<2x16x4x11xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x16x4x11xf32>
    %3 = stablehlo.add %2, %1 : tensor<2x16x4x11xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x16x4x11xf32>
    %5 = stablehlo.divide %4, %3 : tensor<2x16x4x11xf32>
    %6 = stablehlo.multiply %arg0, %5 : tensor<2x16x4x11xf32>
    return %6 : tensor<2x16x4x11xf32>
  }
  func.func private @_pad(%arg0: tensor<2x16x4x11xf32>, %arg1: tensor<i64>) -> tensor<2x16x4x14xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [0, 0, 0, 2], high = [0, 0, 0, 1], interior = [0, 0, 0, 0] : (tensor<2x16x4x11xf32>, tensor<f32>) -> tensor<2x16x4x14xf32>
    return %1 : tensor<2x16x4x14xf32>
  }
  func.func private @_pad_0(%arg0: tensor<2x16x4x11xf32>, %arg1: tensor<i64>) -> tensor<2x16x4x14xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [0, 0, 0, 1], high = [0, 0, 0, 2], interior = [0, 0, 0, 0] : (tensor<2x16x4x11xf32>, tensor<f32>) -> tensor<2x16x4x14xf32>
    return %1 : tensor<2x16x4x14xf32>
  }
  func.func private @_var(%arg0: tensor<2x4x336xf32>, %arg1: tensor<i64>) -> tensor<2x4x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<2x4x336xf32>, tensor<f32>) -> tensor<2x4xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<2x4xf32>) -> tensor<2x4x1xf32>
    %cst_0 = stablehlo.constant dense<3.360000e+02> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x4x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<2x4x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<2x4x1xf32>) -> tensor<2x4x336xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<2x4x336xf32>
    %6 = chlo.square %5 : tensor<2x4x336xf32> -> tensor<2x4x336xf32>
    %7 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<3.360000e+02> : tensor<f32>
    %8 = stablehlo.subtract %cst_1, %7 : tensor<f32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<2x4x336xf32>, tensor<f32>) -> tensor<2x4xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<2x4xf32>) -> tensor<2x4x1xf32>
    %11 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f32>) -> tensor<2x4x1xf32>
    %12 = stablehlo.divide %10, %11 : tensor<2x4x1xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.compare GT, %8, %cst_3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_4 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %14 = call @_where(%13, %12, %cst_4) : (tensor<i1>, tensor<2x4x1xf32>, tensor<f64>) -> tensor<2x4x1xf32>
    return %14 : tensor<2x4x1xf32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<2x4x1xf32>, %arg2: tensor<f64>) -> tensor<2x4x1xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<f64>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x4x1xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<i1>, tensor<2x4x1xf32>
    return %2 : tensor<2x4x1xf32>
  }
}
