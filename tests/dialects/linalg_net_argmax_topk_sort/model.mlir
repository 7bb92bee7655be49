#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
module {
  func.func @main(%arg0: tensor<6x9xf32>) -> (tensor<6xi64>, tensor<6x3xf32>, tensor<6x3xi64>, tensor<6x9xf32>, tensor<6x9xi64>) {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0xFF800000 : f32
    %0 = tensor.empty() : tensor<6xi64>
    %1 = linalg.fill ins(%c0_i64 : i64) outs(%0 : tensor<6xi64>) -> tensor<6xi64>
    %2 = tensor.empty() : tensor<6xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<6xf32>) -> tensor<6xf32>
    %4:2 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<6x9xf32>) outs(%3, %1 : tensor<6xf32>, tensor<6xi64>) {
    ^bb0(%in: f32, %out: f32, %out_1: i64):
      %11 = linalg.index 1 : index
      %12 = arith.index_cast %11 : index to i64
      %13 = arith.maximumf %in, %out : f32
      %14 = arith.cmpf ogt, %in, %out : f32
      %15 = arith.select %14, %12, %out_1 : i64
      linalg.yield %13, %15 : f32, i64
    } -> (tensor<6xf32>, tensor<6xi64>)
    %5 = tensor.empty() : tensor<6x9xi64>
    %6 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%5 : tensor<6x9xi64>) {
    ^bb0(%out: i64):
      %11 = linalg.index 1 : index
      %12 = arith.index_cast %11 : index to i64
      linalg.yield %12 : i64
    } -> tensor<6x9xi64>
    %7:2 = tm_tensor.sort dimension(1) outs(%arg0, %6 : tensor<6x9xf32>, tensor<6x9xi64>) {
    ^bb0(%arg1: f32, %arg2: f32, %arg3: i64, %arg4: i64):
      %11 = arith.cmpf oge, %arg1, %arg2 : f32
      tm_tensor.yield %11 : i1
    } -> tensor<6x9xf32>, tensor<6x9xi64>
    %extracted_slice = tensor.extract_slice %7#0[0, 0] [6, 3] [1, 1] : tensor<6x9xf32> to tensor<6x3xf32>
    %8:2 = tm_tensor.sort dimension(1) outs(%arg0, %6 : tensor<6x9xf32>, tensor<6x9xi64>) {
    ^bb0(%arg1: f32, %arg2: f32, %arg3: i64, %arg4: i64):
      %11 = arith.cmpf oge, %arg1, %arg2 : f32
      tm_tensor.yield %11 : i1
    } -> tensor<6x9xf32>, tensor<6x9xi64>
    %extracted_slice_0 = tensor.extract_slice %8#1[0, 0] [6, 3] [1, 1] : tensor<6x9xi64> to tensor<6x3xi64>
    %9:2 = tm_tensor.sort dimension(1) outs(%arg0, %6 : tensor<6x9xf32>, tensor<6x9xi64>) {
    ^bb0(%arg1: f32, %arg2: f32, %arg3: i64, %arg4: i64):
      %11 = arith.cmpf ole, %arg1, %arg2 : f32
      tm_tensor.yield %11 : i1
    } -> tensor<6x9xf32>, tensor<6x9xi64>
    %10:2 = tm_tensor.sort dimension(1) outs(%arg0, %6 : tensor<6x9xf32>, tensor<6x9xi64>) {
    ^bb0(%arg1: f32, %arg2: f32, %arg3: i64, %arg4: i64):
      %11 = arith.cmpf oge, %arg1, %arg2 : f32
      tm_tensor.yield %11 : i1
    } -> tensor<6x9xf32>, tensor<6x9xi64>
    return %4#1, %extracted_slice, %extracted_slice_0, %9#0, %10#1 : tensor<6xi64>, tensor<6x3xf32>, tensor<6x3xi64>, tensor<6x9xf32>, tensor<6x9xi64>
  }
}
