func.func @main(%x: tensor<2x9x8x6xf32>, %k: tensor<3x2x6x5xf32>, %d: tensor<2x3x6x2xf32>, %g: tensor<2x2x3x7x9xf32>, %w: tensor<2x4x3x3x2xf32>, %i: tensor<2x9x8x6xi8>, %j: tensor<3x2x6x5xi8>)
    -> (tensor<2x3x7x5xf32>, tensor<2x4x6x6x2xf32>, tensor<2x2x4x3x8xf32>, tensor<2x7x7x5xi32>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<2x3x7x5xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x3x7x5xf32>) -> tensor<2x3x7x5xf32>
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<[2, 1]> : tensor<2xi64>, dilations = dense<[2, 1]> : tensor<2xi64>} ins(%x, %k : tensor<2x9x8x6xf32>, tensor<3x2x6x5xf32>) outs(%f0 : tensor<2x3x7x5xf32>) -> tensor<2x3x7x5xf32>
  %one = arith.constant dense<1.0> : tensor<2x4x6x6x2xf32>
  %1 = linalg.depthwise_conv_2d_nhwc_hwcm {strides = dense<[2, 1]> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%x, %d : tensor<2x9x8x6xf32>, tensor<2x3x6x2xf32>) outs(%one : tensor<2x4x6x6x2xf32>) -> tensor<2x4x6x6x2xf32>
  %e2 = tensor.empty() : tensor<2x2x4x3x8xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x2x4x3x8xf32>) -> tensor<2x2x4x3x8xf32>
  %2 = linalg.conv_2d_ngchw_gfchw {strides = dense<[2, 1]> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%g, %w : tensor<2x2x3x7x9xf32>, tensor<2x4x3x3x2xf32>) outs(%f2 : tensor<2x2x4x3x8xf32>) -> tensor<2x2x4x3x8xf32>
  %zi = arith.constant 3 : i32
  %zk = arith.constant -2 : i32
  %start = arith.constant dense<7> : tensor<2x7x7x5xi32>
  %3 = linalg.conv_2d_nhwc_hwcf_q {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%i, %j, %zi, %zk : tensor<2x9x8x6xi8>, tensor<3x2x6x5xi8>, i32, i32) outs(%start : tensor<2x7x7x5xi32>) -> tensor<2x7x7x5xi32>
  return %0, %1, %2, %3 : tensor<2x3x7x5xf32>, tensor<2x4x6x6x2xf32>, tensor<2x2x4x3x8xf32>, tensor<2x7x7x5xi32>
}
