module @jit_loss attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x9x8x3xf32>) -> (tensor<2x9x8x3xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [1, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %27 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
      stablehlo.return %27 : tensor<f32>
    }) : (tensor<2x9x8x3xf32>, tensor<f32>) -> tensor<2x5x4x3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<f32>
    %3 = "stablehlo.reduce_window"(%arg0, %2) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 1, 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %27 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %27 : tensor<f32>
    }) : (tensor<2x9x8x3xf32>, tensor<f32>) -> tensor<2x8x7x3xf32>
    %cst_1 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x8x7x3xf32>
    %5 = stablehlo.divide %3, %4 : tensor<2x8x7x3xf32>
    %6 = stablehlo.multiply %1, %1 : tensor<2x5x4x3xf32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x5x4x3xf32>
    %8 = stablehlo.multiply %7, %1 : tensor<2x5x4x3xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%6 init: %cst_3) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x5x4x3xf32>, tensor<f32>) -> tensor<f32>
    %10 = stablehlo.sine %5 : tensor<2x8x7x3xf32>
    %11 = stablehlo.cosine %5 : tensor<2x8x7x3xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.reduce(%10 init: %cst_4) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x8x7x3xf32>, tensor<f32>) -> tensor<f32>
    %13 = stablehlo.add %9, %12 : tensor<f32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x8x7x3xf32>
    %15 = stablehlo.multiply %14, %11 : tensor<2x8x7x3xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2x5x4x3xf32>
    %17 = stablehlo.multiply %16, %8 : tensor<2x5x4x3xf32>
    %cst_7 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<2x8x7x3xf32>
    %19 = stablehlo.divide %15, %18 : tensor<2x8x7x3xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.pad %19, %cst_8, low = [0, 1, 1, 0], high = [0, 1, 1, 0], interior = [0, 0, 0, 0] : (tensor<2x8x7x3xf32>, tensor<f32>) -> tensor<2x10x9x3xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<f32>
    %22 = "stablehlo.reduce_window"(%20, %21) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 1, 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %27 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %27 : tensor<f32>
    }) : (tensor<2x10x9x3xf32>, tensor<f32>) -> tensor<2x9x8x3xf32>
    %cst_10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %23 = stablehlo.pad %arg0, %cst_10, low = [0, 1, 0, 0], high = [0, 1, 1, 0], interior = [0, 0, 0, 0] : (tensor<2x9x8x3xf32>, tensor<f32>) -> tensor<2x11x9x3xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = "stablehlo.select_and_scatter"(%23, %17, %cst_11) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %27 = stablehlo.compare GE, %arg1, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %27 : tensor<i1>
    }, {
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %27 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %27 : tensor<f32>
    }) : (tensor<2x11x9x3xf32>, tensor<2x5x4x3xf32>, tensor<f32>) -> tensor<2x11x9x3xf32>
    %25 = stablehlo.slice %24 [0:2, 1:10, 0:8, 0:3] : (tensor<2x11x9x3xf32>) -> tensor<2x9x8x3xf32>
    %26 = stablehlo.add %22, %25 : tensor<2x9x8x3xf32>
    return %26 : tensor<2x9x8x3xf32>
  }
}
