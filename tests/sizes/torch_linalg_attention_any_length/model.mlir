#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
module {
  func.func @main(%arg0: tensor<2x?x8xf32>, %arg1: tensor<2x?x8xf32>, %arg2: tensor<2x?x8xf32>) -> tensor<2x?x8xf32> {
    %c1_i64 = arith.constant 1 : i64
    %c0_i64 = arith.constant 0 : i64
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2_i64 = arith.constant 2 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 4.000000e+00 : f32
    %dim = tensor.dim %arg0, %c1 : tensor<2x?x8xf32>
    %0 = arith.index_cast %dim : index to i64
    %dim_2 = tensor.dim %arg1, %c1 : tensor<2x?x8xf32>
    %1 = arith.index_cast %dim_2 : index to i64
    %2 = tensor.empty(%dim_2) : tensor<2x8x?xf32>
    %transposed = linalg.transpose ins(%arg1 : tensor<2x?x8xf32>) outs(%2 : tensor<2x8x?xf32>) permutation = [0, 2, 1] 
    %3 = arith.cmpi sge, %0, %c0_i64 : i64
    cf.assert %3, "unimplemented: dynamic negative broadcast sizes"
    %4 = tensor.empty(%dim) : tensor<2x?x8xf32>
    %5 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel"]} outs(%4 : tensor<2x?x8xf32>) {
    ^bb0(%out: f32):
      %48 = linalg.index 0 : index
      %49 = linalg.index 1 : index
      %50 = linalg.index 2 : index
      %51 = arith.cmpi eq, %dim, %c1 : index
      %52 = arith.select %51, %c0, %49 : index
      %extracted = tensor.extract %arg0[%48, %52, %50] : tensor<2x?x8xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x?x8xf32>
    %6 = arith.cmpi sge, %1, %c0_i64 : i64
    cf.assert %6, "unimplemented: dynamic negative broadcast sizes"
    %7 = tensor.empty(%dim_2) : tensor<2x8x?xf32>
    %8 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel"]} outs(%7 : tensor<2x8x?xf32>) {
    ^bb0(%out: f32):
      %48 = linalg.index 0 : index
      %49 = linalg.index 1 : index
      %50 = linalg.index 2 : index
      %51 = arith.cmpi eq, %dim_2, %c1 : index
      %52 = arith.select %51, %c0, %50 : index
      %extracted = tensor.extract %transposed[%48, %49, %52] : tensor<2x8x?xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x8x?xf32>
    %9 = tensor.empty(%dim, %dim_2) : tensor<2x?x?xf32>
    %10 = linalg.fill ins(%cst : f32) outs(%9 : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
    %11 = linalg.batch_matmul ins(%5, %8 : tensor<2x?x8xf32>, tensor<2x8x?xf32>) outs(%10 : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
    %12 = arith.muli %0, %c2_i64 : i64
    %13 = arith.cmpi slt, %0, %c0_i64 : i64
    %14 = arith.select %13, %c2_i64, %12 : i64
    %15 = arith.extui %13 : i1 to i64
    %16 = arith.muli %14, %1 : i64
    %17 = arith.addi %15, %c1_i64 : i64
    %18 = arith.cmpi slt, %1, %c0_i64 : i64
    %19 = arith.select %18, %14, %16 : i64
    %20 = arith.select %18, %17, %15 : i64
    %21 = arith.cmpi sle, %20, %c1_i64 : i64
    cf.assert %21, "must have at most one inferred (negative) dimension"
    %22 = arith.muli %12, %1 : i64
    %23 = arith.divsi %22, %19 : i64
    %24 = arith.select %13, %23, %0 : i64
    %25 = arith.select %18, %23, %1 : i64
    %from_elements = tensor.from_elements %c2_i64, %24, %25 : tensor<3xi64>
    %reshape = tensor.reshape %11(%from_elements) : (tensor<2x?x?xf32>, tensor<3xi64>) -> tensor<2x?x?xf32>
    %26 = arith.index_cast %24 : i64 to index
    %27 = arith.index_cast %25 : i64 to index
    %28 = tensor.empty(%26, %27) : tensor<2x?x?xf32>
    %29 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%reshape : tensor<2x?x?xf32>) outs(%28 : tensor<2x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %48 = arith.divf %in, %cst_1 : f32
      linalg.yield %48 : f32
    } -> tensor<2x?x?xf32>
    %30 = tensor.empty(%26) : tensor<2x?xi64>
    %31 = linalg.fill ins(%c0_i64 : i64) outs(%30 : tensor<2x?xi64>) -> tensor<2x?xi64>
    %32 = tensor.empty(%26) : tensor<2x?xf32>
    %33 = linalg.fill ins(%cst_0 : f32) outs(%32 : tensor<2x?xf32>) -> tensor<2x?xf32>
    %34:2 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%29 : tensor<2x?x?xf32>) outs(%33, %31 : tensor<2x?xf32>, tensor<2x?xi64>) {
    ^bb0(%in: f32, %out: f32, %out_4: i64):
      %48 = linalg.index 2 : index
      %49 = arith.index_cast %48 : index to i64
      %50 = arith.maximumf %in, %out : f32
      %51 = arith.cmpf ogt, %in, %out : f32
      %52 = arith.select %51, %49, %out_4 : i64
      linalg.yield %50, %52 : f32, i64
    } -> (tensor<2x?xf32>, tensor<2x?xi64>)
    %expanded = tensor.expand_shape %34#0 [[0], [1, 2]] output_shape [2, %26, 1] : tensor<2x?xf32> into tensor<2x?x1xf32>
    %35 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%29, %expanded : tensor<2x?x?xf32>, tensor<2x?x1xf32>) outs(%28 : tensor<2x?x?xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %48 = arith.subf %in, %in_4 : f32
      linalg.yield %48 : f32
    } -> tensor<2x?x?xf32>
    %36 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%35 : tensor<2x?x?xf32>) outs(%28 : tensor<2x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %48 = math.exp %in : f32
      linalg.yield %48 : f32
    } -> tensor<2x?x?xf32>
    %37 = tensor.empty(%26) : tensor<2x?x1xf32>
    %38 = linalg.fill ins(%cst : f32) outs(%37 : tensor<2x?x1xf32>) -> tensor<2x?x1xf32>
    %39 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%36 : tensor<2x?x?xf32>) outs(%38 : tensor<2x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %48 = arith.addf %in, %out : f32
      linalg.yield %48 : f32
    } -> tensor<2x?x1xf32>
    %40 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%36, %39 : tensor<2x?x?xf32>, tensor<2x?x1xf32>) outs(%28 : tensor<2x?x?xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %48 = arith.divf %in, %in_4 : f32
      linalg.yield %48 : f32
    } -> tensor<2x?x?xf32>
    cf.assert %3, "unimplemented: dynamic negative broadcast sizes"
    cf.assert %6, "unimplemented: dynamic negative broadcast sizes"
    %41 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel"]} outs(%9 : tensor<2x?x?xf32>) {
    ^bb0(%out: f32):
      %48 = linalg.index 0 : index
      %49 = linalg.index 1 : index
      %50 = linalg.index 2 : index
      %51 = arith.cmpi eq, %26, %c1 : index
      %52 = arith.select %51, %c0, %49 : index
      %53 = arith.cmpi eq, %27, %c1 : index
      %54 = arith.select %53, %c0, %50 : index
      %extracted = tensor.extract %40[%48, %52, %54] : tensor<2x?x?xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x?x?xf32>
    cf.assert %21, "must have at most one inferred (negative) dimension"
    %reshape_3 = tensor.reshape %41(%from_elements) : (tensor<2x?x?xf32>, tensor<3xi64>) -> tensor<2x?x?xf32>
    cf.assert %6, "unimplemented: dynamic negative broadcast sizes"
    %42 = tensor.empty(%dim_2) : tensor<2x?x8xf32>
    %43 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel"]} outs(%42 : tensor<2x?x8xf32>) {
    ^bb0(%out: f32):
      %48 = linalg.index 0 : index
      %49 = linalg.index 1 : index
      %50 = linalg.index 2 : index
      %dim_4 = tensor.dim %arg2, %c1 : tensor<2x?x8xf32>
      %51 = arith.cmpi eq, %dim_4, %c1 : index
      %52 = arith.select %51, %c0, %49 : index
      %extracted = tensor.extract %arg2[%48, %52, %50] : tensor<2x?x8xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x?x8xf32>
    %44 = arith.cmpi eq, %25, %1 : i64
    cf.assert %44, "mismatching contracting dimension"
    %45 = tensor.empty(%26) : tensor<2x?x8xf32>
    %46 = linalg.fill ins(%cst : f32) outs(%45 : tensor<2x?x8xf32>) -> tensor<2x?x8xf32>
    %47 = linalg.batch_matmul ins(%reshape_3, %43 : tensor<2x?x?xf32>, tensor<2x?x8xf32>) outs(%46 : tensor<2x?x8xf32>) -> tensor<2x?x8xf32>
    return %47 : tensor<2x?x8xf32>
  }
}
