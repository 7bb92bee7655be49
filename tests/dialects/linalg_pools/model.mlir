func.func @main(%x: tensor<2x3x9x8xf32>, %y: tensor<2x7x9x3xi32>) -> (tensor<2x3x4x3xf32>, tensor<2x3x7x6xf32>, tensor<2x3x4x3xi32>, tensor<2x7x4xi32>) {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.5 : f32
  %w = tensor.empty() : tensor<3x2xf32>
  %e0 = tensor.empty() : tensor<2x3x4x3xf32>
  %f0 = linalg.fill ins(%low : f32) outs(%e0 : tensor<2x3x4x3xf32>) -> tensor<2x3x4x3xf32>
  %0 = linalg.pooling_nchw_max {strides = dense<2> : tensor<2xi64>, dilations = dense<[1, 2]> : tensor<2xi64>} ins(%x, %w : tensor<2x3x9x8xf32>, tensor<3x2xf32>) outs(%f0 : tensor<2x3x4x3xf32>) -> tensor<2x3x4x3xf32>
  %w1 = tensor.empty() : tensor<3x3xf32>
  %e1 = tensor.empty() : tensor<2x3x7x6xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x3x7x6xf32>) -> tensor<2x3x7x6xf32>
  %1 = linalg.pooling_nchw_sum {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%x, %w1 : tensor<2x3x9x8xf32>, tensor<3x3xf32>) outs(%f1 : tensor<2x3x7x6xf32>) -> tensor<2x3x7x6xf32>
  %wi = tensor.empty() : tensor<3x3xi32>
  %start = arith.constant dense<100> : tensor<2x3x4x3xi32>
  %2 = linalg.pooling_nhwc_min_unsigned {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%y, %wi : tensor<2x7x9x3xi32>, tensor<3x3xi32>) outs(%start : tensor<2x3x4x3xi32>) -> tensor<2x3x4x3xi32>
  %few = tensor.empty() : tensor<3xi32>
  %none = arith.constant dense<0> : tensor<2x7x4xi32>
  // Windows of the middle dimension and sums of the last one at once.
  %3 = linalg.generic {indexing_maps = [affine_map<(n, h, o, k, c) -> (n, h, o * 2 + k, c)>, affine_map<(n, h, o, k, c) -> (k)>, affine_map<(n, h, o, k, c) -> (n, h, o)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%y, %few : tensor<2x7x9x3xi32>, tensor<3xi32>) outs(%none : tensor<2x7x4xi32>) {
  ^bb0(%in: i32, %u: i32, %acc: i32):
    %s = arith.addi %acc, %in : i32
    linalg.yield %s : i32
  } -> tensor<2x7x4xi32>
  return %0, %1, %2, %3 : tensor<2x3x4x3xf32>, tensor<2x3x7x6xf32>, tensor<2x3x4x3xi32>, tensor<2x7x4xi32>
}
