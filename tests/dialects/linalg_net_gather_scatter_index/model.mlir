#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0) -> (d0, 0)>
#map2 = affine_map<(d0) -> (d0)>
#map3 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<4x6xf32>, %arg1: tensor<4x3xi64>) -> (tensor<4x3xf32>, tensor<4x9xf32>, tensor<4x3xf32>, tensor<4x9xf32>) {
    %cst = arith.constant dense<0.000000e+00> : tensor<4x9xf32>
    %cst_0 = arith.constant 0.000000e+00 : f32
    %c0_i64 = arith.constant 0 : i64
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c6 = arith.constant 6 : index
    %0 = tensor.empty() : tensor<4x3xf32>
    %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<4x3xf32>) -> tensor<4x3xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<4x3xi64>) outs(%1 : tensor<4x3xf32>) {
    ^bb0(%in: i64, %out: f32):
      %13 = linalg.index 0 : index
      %14 = arith.index_cast %in : i64 to index
      %15 = arith.cmpi slt, %14, %c6 : index
      cf.assert %15, "index must be smaller than dim size"
      %16 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %16, "index must be larger or equal to 0"
      %extracted = tensor.extract %arg0[%13, %14] : tensor<4x6xf32>
      linalg.yield %extracted : f32
    } -> tensor<4x3xf32>
    %extracted_slice = tensor.extract_slice %arg0[0, 0] [4, 3] [1, 1] : tensor<4x6xf32> to tensor<4x3xf32>
    %3 = tensor.empty() : tensor<12x1xi64>
    %4 = linalg.fill ins(%c0_i64 : i64) outs(%3 : tensor<12x1xi64>) -> tensor<12x1xi64>
    %5 = tensor.empty() : tensor<12xf32>
    %6 = linalg.fill ins(%cst_0 : f32) outs(%5 : tensor<12xf32>) -> tensor<12xf32>
    %7:3 = linalg.generic {indexing_maps = [#map1, #map1, #map2], iterator_types = ["parallel"]} outs(%4, %4, %6 : tensor<12x1xi64>, tensor<12x1xi64>, tensor<12xf32>) {
    ^bb0(%out: i64, %out_3: i64, %out_4: f32):
      %13 = linalg.index 0 : index
      %14 = arith.remsi %13, %c3 : index
      %15 = arith.divsi %13, %c3 : index
      %16 = arith.remsi %15, %c4 : index
      %extracted = tensor.extract %arg1[%16, %14] : tensor<4x3xi64>
      %extracted_5 = tensor.extract %extracted_slice[%16, %14] : tensor<4x3xf32>
      %17 = arith.index_cast %16 : index to i64
      linalg.yield %17, %extracted, %extracted_5 : i64, i64, f32
    } -> (tensor<12x1xi64>, tensor<12x1xi64>, tensor<12xf32>)
    %8 = tensor.empty() : tensor<12x2xi64>
    %9 = linalg.fill ins(%c0_i64 : i64) outs(%8 : tensor<12x2xi64>) -> tensor<12x2xi64>
    %inserted_slice = tensor.insert_slice %7#0 into %9[0, 0] [12, 1] [1, 1] : tensor<12x1xi64> into tensor<12x2xi64>
    %inserted_slice_1 = tensor.insert_slice %7#1 into %inserted_slice[0, 1] [12, 1] [1, 1] : tensor<12x1xi64> into tensor<12x2xi64>
    %10 = tm_tensor.scatter {dimension_map = array<i64: 0, 1>} unique_indices(false) ins(%7#2, %inserted_slice_1 : tensor<12xf32>, tensor<12x2xi64>) outs(%cst : tensor<4x9xf32>) {
    ^bb0(%arg2: f32, %arg3: f32):
      tm_tensor.yield %arg2 : f32
    } -> tensor<4x9xf32>
    %extracted_slice_2 = tensor.extract_slice %arg1[0, 0] [1, 3] [1, 1] : tensor<4x3xi64> to tensor<1x3xi64>
    %collapsed = tensor.collapse_shape %extracted_slice_2 [[0, 1]] : tensor<1x3xi64> into tensor<3xi64>
    %11 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed : tensor<3xi64>) outs(%0 : tensor<4x3xf32>) {
    ^bb0(%in: i64, %out: f32):
      %13 = arith.index_cast %in : i64 to index
      %14 = linalg.index 0 : index
      %extracted = tensor.extract %arg0[%14, %13] : tensor<4x6xf32>
      linalg.yield %extracted : f32
    } -> tensor<4x3xf32>
    %12 = tm_tensor.scatter {dimension_map = array<i64: 0, 1>} unique_indices(false) ins(%7#2, %inserted_slice_1 : tensor<12xf32>, tensor<12x2xi64>) outs(%cst : tensor<4x9xf32>) {
    ^bb0(%arg2: f32, %arg3: f32):
      %13 = arith.addf %arg3, %arg2 : f32
      tm_tensor.yield %13 : f32
    } -> tensor<4x9xf32>
    return %2, %10, %11, %12 : tensor<4x3xf32>, tensor<4x9xf32>, tensor<4x3xf32>, tensor<4x9xf32>
  }
}
