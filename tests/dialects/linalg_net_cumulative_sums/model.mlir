#map = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @main(%arg0: tensor<5x8xf32>) -> (tensor<5x8xf32>, tensor<5x8xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    %c4 = arith.constant 4 : index
    %0 = tensor.empty() : tensor<5x8xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<5x8xf32>) -> tensor<5x8xf32>
    %2 = tensor.empty() : tensor<5xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<5xf32>) -> tensor<5xf32>
    %4:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%arg0 : tensor<5x8xf32>) outs(%1, %3 : tensor<5x8xf32>, tensor<5xf32>) {
    ^bb0(%arg1: f32, %arg2: f32):
      %9 = arith.addf %arg1, %arg2 : f32
      tm_tensor.yield %9 : f32
    } -> tensor<5x8xf32>, tensor<5xf32>
    %5 = tensor.empty() : tensor<8xf32>
    %6 = linalg.fill ins(%cst : f32) outs(%5 : tensor<8xf32>) -> tensor<8xf32>
    %7:2 = tm_tensor.scan dimension(0) inclusive(true) ins(%arg0 : tensor<5x8xf32>) outs(%1, %6 : tensor<5x8xf32>, tensor<8xf32>) {
    ^bb0(%arg1: f32, %arg2: f32):
      %9 = arith.addf %arg1, %arg2 : f32
      tm_tensor.yield %9 : f32
    } -> tensor<5x8xf32>, tensor<8xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%7#0 : tensor<5x8xf32>) outs(%1 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %9 = linalg.index 0 : index
      %10 = linalg.index 1 : index
      %11 = arith.subi %c4, %9 : index
      %extracted = tensor.extract %7#0[%11, %10] : tensor<5x8xf32>
      linalg.yield %extracted : f32
    } -> tensor<5x8xf32>
    return %4#0, %8 : tensor<5x8xf32>, tensor<5x8xf32>
  }
}
