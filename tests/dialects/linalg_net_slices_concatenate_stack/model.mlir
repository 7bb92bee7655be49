#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
module {
  func.func @main(%arg0: tensor<3x8xf32>, %arg1: tensor<3x8xf32>) -> (tensor<3x6xf32>, tensor<3x2x8xf32>, tensor<3x8xf32>, tensor<3x8xf32>, tensor<6x24xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    %c7 = arith.constant 7 : index
    %extracted_slice = tensor.extract_slice %arg0[0, 1] [3, 4] [1, 2] : tensor<3x8xf32> to tensor<3x4xf32>
    %extracted_slice_0 = tensor.extract_slice %arg1[0, 6] [3, 2] [1, 1] : tensor<3x8xf32> to tensor<3x2xf32>
    %concat = tensor.concat dim(1) %extracted_slice, %extracted_slice_0 : (tensor<3x4xf32>, tensor<3x2xf32>) -> tensor<3x6xf32>
    %concat_1 = tensor.concat dim(1) %arg0, %arg1 : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x16xf32>
    %expanded = tensor.expand_shape %concat_1 [[0], [1, 2]] output_shape [3, 2, 8] : tensor<3x16xf32> into tensor<3x2x8xf32>
    %extracted_slice_2 = tensor.extract_slice %arg0[0, 6] [3, 2] [1, 1] : tensor<3x8xf32> to tensor<3x2xf32>
    %cast = tensor.cast %extracted_slice_2 : tensor<3x2xf32> to tensor<3x?xf32>
    %extracted_slice_3 = tensor.extract_slice %arg0[0, 0] [3, 6] [1, 1] : tensor<3x8xf32> to tensor<3x6xf32>
    %cast_4 = tensor.cast %extracted_slice_3 : tensor<3x6xf32> to tensor<3x?xf32>
    %concat_5 = tensor.concat dim(1) %cast, %cast_4 : (tensor<3x?xf32>, tensor<3x?xf32>) -> tensor<3x8xf32>
    %0 = tensor.empty() : tensor<3x8xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<3x8xf32>) -> tensor<3x8xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<3x8xf32>) outs(%1 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %5 = linalg.index 0 : index
      %6 = linalg.index 1 : index
      %7 = arith.subi %c7, %6 : index
      %extracted = tensor.extract %arg0[%5, %7] : tensor<3x8xf32>
      linalg.yield %extracted : f32
    } -> tensor<3x8xf32>
    %3 = tensor.empty() : tensor<2x3x3x8xf32>
    %4 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<3x8xf32>) outs(%3 : tensor<2x3x3x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x3x3x8xf32>
    %collapsed = tensor.collapse_shape %4 [[0, 1], [2, 3]] : tensor<2x3x3x8xf32> into tensor<6x24xf32>
    return %concat, %expanded, %concat_5, %2, %collapsed : tensor<3x6xf32>, tensor<3x2x8xf32>, tensor<3x8xf32>, tensor<3x8xf32>, tensor<6x24xf32>
  }
}
