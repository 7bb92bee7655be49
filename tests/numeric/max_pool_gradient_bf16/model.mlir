module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x9xbf16>) -> (tensor<8x9xbf16> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<bf16>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 1>}> ({
    ^bb0(%arg1: tensor<bf16>, %arg2: tensor<bf16>):
      %14 = stablehlo.maximum %arg1, %arg2 : tensor<bf16>
      stablehlo.return %14 : tensor<bf16>
    }) : (tensor<8x9xbf16>, tensor<bf16>) -> tensor<4x9xbf16>
    %2 = stablehlo.multiply %1, %1 : tensor<4x9xbf16>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<bf16>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<4x9xbf16>
    %4 = stablehlo.multiply %3, %1 : tensor<4x9xbf16>
    %5 = stablehlo.convert %2 : (tensor<4x9xbf16>) -> tensor<4x9xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x9xf32>, tensor<f32>) -> tensor<f32>
    %7 = stablehlo.convert %6 : (tensor<f32>) -> tensor<bf16>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x9xf32>
    %9 = stablehlo.convert %8 : (tensor<4x9xf32>) -> tensor<4x9xbf16>
    %10 = stablehlo.multiply %9, %4 : tensor<4x9xbf16>
    %cst_3 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %11 = stablehlo.pad %arg0, %cst_3, low = [0, 1], high = [0, 1], interior = [0, 0] : (tensor<8x9xbf16>, tensor<bf16>) -> tensor<8x11xbf16>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %12 = "stablehlo.select_and_scatter"(%11, %10, %cst_4) <{padding = dense<0> : tensor<2x2xi64>, window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 1>}> ({
    ^bb0(%arg1: tensor<bf16>, %arg2: tensor<bf16>):
      %14 = stablehlo.compare GE, %arg1, %arg2, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      stablehlo.return %14 : tensor<i1>
    }, {
    ^bb0(%arg1: tensor<bf16>, %arg2: tensor<bf16>):
      %14 = stablehlo.add %arg1, %arg2 : tensor<bf16>
      stablehlo.return %14 : tensor<bf16>
    }) : (tensor<8x11xbf16>, tensor<4x9xbf16>, tensor<bf16>) -> tensor<8x11xbf16>
    %13 = stablehlo.slice %12 [0:8, 1:10] : (tensor<8x11xbf16>) -> tensor<8x9xbf16>
    return %13 : tensor<8x9xbf16>
  }
}
