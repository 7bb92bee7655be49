module @jit_image_block attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3x13x11xf16>, %arg1: tensor<16x3x3x3xf16>, %arg2: tensor<16xf16>, %arg3: tensor<16x16x3x3xf16>, %arg4: tensor<32x1x3x3xf16>, %arg5: tensor<32x5xf16>) -> (tensor<2x42x32xf16> {jax.result_info = "result[0]"}, tensor<2x5xf16> {jax.result_info = "result[1]"}, tensor<2x32x3x14xf16> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 1], pad = [[1, 1], [0, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x13x11xf16>, tensor<16x3x3x3xf16>) -> tensor<2x16x7x11xf16>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<16xf16>) -> tensor<1x16x1x1xf16>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<1x16x1x1xf16>) -> tensor<2x16x7x11xf16>
    %3 = stablehlo.add %0, %2 : tensor<2x16x7x11xf16>
    %4 = call @relu(%3) : (tensor<2x16x7x11xf16>) -> tensor<2x16x7x11xf16>
    %cst = stablehlo.constant dense<0xFC00> : tensor<f16>
    %5 = "stablehlo.reduce_window"(%4, %cst) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [0, 0], [1, 1], [0, 1]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 3, 2>, window_strides = array<i64: 1, 1, 2, 1>}> ({
    ^bb0(%arg6: tensor<f16>, %arg7: tensor<f16>):
      %41 = stablehlo.maximum %arg6, %arg7 : tensor<f16>
      stablehlo.return %41 : tensor<f16>
    }) : (tensor<2x16x7x11xf16>, tensor<f16>) -> tensor<2x16x4x11xf16>
    %6 = stablehlo.convolution(%5, %arg3) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x16x4x11xf16>, tensor<16x16x3x3xf16>) -> tensor<2x16x4x11xf16>
    %7 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<16xf16>) -> tensor<1x16x1x1xf16>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2, 3] : (tensor<1x16x1x1xf16>) -> tensor<2x16x4x11xf16>
    %9 = stablehlo.multiply %6, %8 : tensor<2x16x4x11xf16>
    %10 = stablehlo.add %9, %5 : tensor<2x16x4x11xf16>
    %11 = call @silu(%10) : (tensor<2x16x4x11xf16>) -> tensor<2x16x4x11xf16>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %12 = call @_pad(%5, %c) : (tensor<2x16x4x11xf16>, tensor<i64>) -> tensor<2x16x4x14xf16>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %13 = call @_pad_0(%11, %c_0) : (tensor<2x16x4x11xf16>, tensor<i64>) -> tensor<2x16x4x14xf16>
    %14 = stablehlo.concatenate %12, %13, dim = 1 : (tensor<2x16x4x14xf16>, tensor<2x16x4x14xf16>) -> tensor<2x32x4x14xf16>
    %15 = stablehlo.slice %14 [0:2, 0:32, 1:4, 0:14] : (tensor<2x32x4x14xf16>) -> tensor<2x32x3x14xf16>
    %16 = stablehlo.reshape %15 : (tensor<2x32x3x14xf16>) -> tensor<2x32x42xf16>
    %17 = stablehlo.transpose %16, dims = [0, 2, 1] : (tensor<2x32x42xf16>) -> tensor<2x42x32xf16>
    %18 = stablehlo.reshape %15 : (tensor<2x32x3x14xf16>) -> tensor<2x4x336xf16>
    %19 = stablehlo.convert %18 : (tensor<2x4x336xf16>) -> tensor<2x4x336xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.reduce(%19 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<2x4x336xf32>, tensor<f32>) -> tensor<2x4xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1] : (tensor<2x4xf32>) -> tensor<2x4x1xf32>
    %cst_2 = stablehlo.constant dense<3.360000e+02> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x4x1xf32>
    %23 = stablehlo.divide %21, %22 : tensor<2x4x1xf32>
    %24 = stablehlo.convert %23 : (tensor<2x4x1xf32>) -> tensor<2x4x1xf16>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0, 1, 2] : (tensor<2x4x1xf16>) -> tensor<2x4x336xf16>
    %26 = stablehlo.subtract %18, %25 : tensor<2x4x336xf16>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %27 = call @_var(%18, %c_3) : (tensor<2x4x336xf16>, tensor<i64>) -> tensor<2x4x1xf16>
    %cst_4 = stablehlo.constant dense<9.997550e-02> : tensor<f16>
    %28 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f16>) -> tensor<2x4x1xf16>
    %29 = stablehlo.add %27, %28 : tensor<2x4x1xf16>
    %30 = stablehlo.rsqrt %29 : tensor<2x4x1xf16>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2] : (tensor<2x4x1xf16>) -> tensor<2x4x336xf16>
    %32 = stablehlo.multiply %26, %31 : tensor<2x4x336xf16>
    %33 = stablehlo.reshape %32 : (tensor<2x4x336xf16>) -> tensor<2x32x3x14xf16>
    %34 = stablehlo.convert %15 : (tensor<2x32x3x14xf16>) -> tensor<2x32x3x14xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %35 = stablehlo.reduce(%34 init: %cst_5) applies stablehlo.add across dimensions = [2, 3] : (tensor<2x32x3x14xf32>, tensor<f32>) -> tensor<2x32xf32>
    %cst_6 = stablehlo.constant dense<4.200000e+01> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2x32xf32>
    %37 = stablehlo.divide %35, %36 : tensor<2x32xf32>
    %38 = stablehlo.convert %37 : (tensor<2x32xf32>) -> tensor<2x32xf16>
    %39 = stablehlo.dot_general %38, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x32xf16>, tensor<32x5xf16>) -> tensor<2x5xf16>
    %40 = stablehlo.convolution(%33, %arg4) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 32 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x32x3x14xf16>, tensor<32x1x3x3xf16>) -> tensor<2x32x3x14xf16>
    return %17, %39, %40 : tensor<2x42x32xf16>, tensor<2x5xf16>, tensor<2x32x3x14xf16>
  }
  func.func private @relu(%arg0: tensor<2x16x7x11xf16>) -> tensor<2x16x7x11xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<2x16x7x11xf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x16x7x11xf16>
    return %1 : tensor<2x16x7x11xf16>
  }
  func.func private @silu(%arg0: tensor<2x16x4x11xf16>) -> tensor<2x16x4x11xf16> {
    %0 = stablehlo.negate %arg0 : tensor<2x16x4x11xf16>
    %1 = stablehlo.exponential %0 : tensor<2x16x4x11xf16>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<2x16x4x11xf16>
    %3 = stablehlo.add %2, %1 : tensor<2x16x4x11xf16>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<2x16x4x11xf16>
    %5 = stablehlo.divide %4, %3 : tensor<2x16x4x11xf16>
    %6 = stablehlo.multiply %arg0, %5 : tensor<2x16x4x11xf16>
    return %6 : tensor<2x16x4x11xf16>
  }
  func.func private @_pad(%arg0: tensor<2x16x4x11xf16>, %arg1: tensor<i64>) -> tensor<2x16x4x14xf16> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<f16>
    %1 = stablehlo.pad %arg0, %0, low = [0, 0, 0, 2], high = [0, 0, 0, 1], interior = [0, 0, 0, 0] : (tensor<2x16x4x11xf16>, tensor<f16>) -> tensor<2x16x4x14xf16>
    return %1 : tensor<2x16x4x14xf16>
  }
  func.func private @_pad_0(%arg0: tensor<2x16x4x11xf16>, %arg1: tensor<i64>) -> tensor<2x16x4x14xf16> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<f16>
    %1 = stablehlo.pad %arg0, %0, low = [0, 0, 0, 1], high = [0, 0, 0, 2], interior = [0, 0, 0, 0] : (tensor<2x16x4x11xf16>, tensor<f16>) -> tensor<2x16x4x14xf16>
    return %1 : tensor<2x16x4x14xf16>
  }
  func.func private @_var(%arg0: tensor<2x4x336xf16>, %arg1: tensor<i64>) -> tensor<2x4x1xf16> {
    %0 = stablehlo.convert %arg0 : (tensor<2x4x336xf16>) -> tensor<2x4x336xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<2x4x336xf32>, tensor<f32>) -> tensor<2x4xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<2x4xf32>) -> tensor<2x4x1xf32>
    %cst_0 = stablehlo.constant dense<3.360000e+02> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x4x1xf32>
    %4 = stablehlo.divide %2, %3 : tensor<2x4x1xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2] : (tensor<2x4x1xf32>) -> tensor<2x4x336xf32>
    %6 = stablehlo.subtract %0, %5 : tensor<2x4x336xf32>
    %7 = chlo.square %6 : tensor<2x4x336xf32> -> tensor<2x4x336xf32>
    %8 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<3.360000e+02> : tensor<f32>
    %9 = stablehlo.subtract %cst_1, %8 : tensor<f32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%7 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<2x4x336xf32>, tensor<f32>) -> tensor<2x4xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<2x4xf32>) -> tensor<2x4x1xf32>
    %12 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<f32>) -> tensor<2x4x1xf32>
    %13 = stablehlo.divide %11, %12 : tensor<2x4x1xf32>
    %14 = stablehlo.convert %13 : (tensor<2x4x1xf32>) -> tensor<2x4x1xf16>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.compare GT, %9, %cst_3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_4 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %16 = call @_where(%15, %14, %cst_4) : (tensor<i1>, tensor<2x4x1xf16>, tensor<f64>) -> tensor<2x4x1xf16>
    return %16 : tensor<2x4x1xf16>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<2x4x1xf16>, %arg2: tensor<f64>) -> tensor<2x4x1xf16> {
    %0 = stablehlo.convert %arg2 : (tensor<f64>) -> tensor<f16>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f16>) -> tensor<2x4x1xf16>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<i1>, tensor<2x4x1xf16>
    return %2 : tensor<2x4x1xf16>
  }
}
