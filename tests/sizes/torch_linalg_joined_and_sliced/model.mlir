#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<()[s0, s1] -> (s0 * 2 + s1)>
module {
  func.func @main(%arg0: tensor<?x4xf32>, %arg1: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?xf32>, tensor<?x2x4xf32>, tensor<?x7xf32>) {
    %c0 = arith.constant 0 : index
    %c-1 = arith.constant -1 : index
    %cst = arith.constant 2.000000e+00 : f32
    %c1_i64 = arith.constant 1 : i64
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant 0.000000e+00 : f32
    %dim = tensor.dim %arg1, %c0 : tensor<?x4xf32>
    %0 = tensor.empty(%dim) : tensor<?x4xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<?x4xf32>) outs(%0 : tensor<?x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %14 = arith.mulf %in, %cst : f32
      linalg.yield %14 : f32
    } -> tensor<?x4xf32>
    %concat = tensor.concat dim(0) %arg0, %1, %arg0 : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    %dim_2 = tensor.dim %arg0, %c0 : tensor<?x4xf32>
    %dim_3 = tensor.dim %1, %c0 : tensor<?x4xf32>
    %2 = affine.apply #map1()[%dim_2, %dim_3]
    %3 = arith.index_cast %2 : index to i64
    %4 = arith.minsi %3, %c1_i64 : i64
    %5 = arith.index_cast %4 : i64 to index
    %6 = arith.addi %2, %c-1 : index
    %7 = arith.cmpi slt, %6, %c0 : index
    %8 = arith.select %7, %c-1, %6 : index
    %9 = arith.minsi %8, %2 : index
    %10 = arith.subi %9, %5 : index
    %11 = arith.maxsi %10, %c0 : index
    %extracted_slice = tensor.extract_slice %concat[%5, 0] [%11, 4] [1, 1] : tensor<?x4xf32> to tensor<?x4xf32>
    %collapsed = tensor.collapse_shape %concat [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
    %12 = tensor.empty(%dim_2) : tensor<?x4xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<?x4xf32>) outs(%12 : tensor<?x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %14 = arith.addf %in, %cst_0 : f32
      linalg.yield %14 : f32
    } -> tensor<?x4xf32>
    %concat_4 = tensor.concat dim(1) %arg0, %13 : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x8xf32>
    %expanded = tensor.expand_shape %concat_4 [[0], [1, 2]] output_shape [%dim_2, 2, 4] : tensor<?x8xf32> into tensor<?x2x4xf32>
    %padded = tensor.pad %arg0 low[2, 1] high[0, 2] {
    ^bb0(%arg2: index, %arg3: index):
      tensor.yield %cst_1 : f32
    } : tensor<?x4xf32> to tensor<?x7xf32>
    return %extracted_slice, %collapsed, %expanded, %padded : tensor<?x4xf32>, tensor<?xf32>, tensor<?x2x4xf32>, tensor<?x7xf32>
  }
}
