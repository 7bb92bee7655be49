func.func @main(%x: tensor<4x7x3xf32>, %n: tensor<4x7xi32>) -> (tensor<4x3xf32>, tensor<4x3xi64>, tensor<4xi32>, tensor<4xf32>, tensor<3xf32>, tensor<4xi32>, tensor<4xi1>, tensor<4x7x3xf32>) {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %i0 = arith.constant 0 : i64
  %e0 = tensor.empty() : tensor<4x3xf32>
  %f0 = linalg.fill ins(%low : f32) outs(%e0 : tensor<4x3xf32>) -> tensor<4x3xf32>
  %e1 = tensor.empty() : tensor<4x3xi64>
  %f1 = linalg.fill ins(%i0 : i64) outs(%e1 : tensor<4x3xi64>) -> tensor<4x3xi64>
  %0:2 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (i, k)>], iterator_types = ["parallel", "reduction", "parallel"]} ins(%x : tensor<4x7x3xf32>) outs(%f0, %f1 : tensor<4x3xf32>, tensor<4x3xi64>) {
  ^bb0(%in: f32, %best: f32, %at: i64):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i64
    %m = arith.maximumf %in, %best : f32
    %g = arith.cmpf ogt, %in, %best : f32
    %k = arith.select %g, %j, %at : i64
    linalg.yield %m, %k : f32, i64
  } -> (tensor<4x3xf32>, tensor<4x3xi64>)
  %start = arith.constant dense<[1, -5, 7, 100000]> : tensor<4xi32>
  %1 = linalg.reduce ins(%n : tensor<4x7xi32>) outs(%start : tensor<4xi32>) dimensions = [1] (%in: i32, %acc: i32) {
    %s = arith.maxsi %in, %acc : i32
    linalg.yield %s : i32
  }
  // The order matters here: a decaying sum, element after element.
  %e2 = tensor.empty() : tensor<4xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<4xf32>) -> tensor<4xf32>
  %half = arith.constant 0.5 : f32
  %2 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%x : tensor<4x7x3xf32>) outs(%f2 : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %d = arith.mulf %acc, %half : f32
    %k = linalg.index 2 : index
    %kk = arith.index_cast %k : index to i32
    %kf = arith.sitofp %kk : i32 to f32
    %p = arith.addf %in, %kf : f32
    %s = arith.addf %d, %p : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %e3 = tensor.empty() : tensor<3xf32>
  %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<3xf32>) -> tensor<3xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (k)>], iterator_types = ["reduction", "reduction", "parallel"]} ins(%x : tensor<4x7x3xf32>) outs(%f3 : tensor<3xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %sq = arith.mulf %in, %in : f32
    %s = arith.addf %sq, %acc : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  %e4 = tensor.empty() : tensor<4xi32>
  %ones = arith.constant dense<-1> : tensor<4xi32>
  %4 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%n : tensor<4x7xi32>) outs(%ones : tensor<4xi32>) {
  ^bb0(%in: i32, %acc: i32):
    %s = arith.minui %in, %acc : i32
    linalg.yield %s : i32
  } -> tensor<4xi32>
  %no = arith.constant dense<false> : tensor<4xi1>
  %limit = arith.constant 40 : i32
  %5 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%n : tensor<4x7xi32>) outs(%no : tensor<4xi1>) {
  ^bb0(%in: i32, %acc: i1):
    %t = arith.cmpi sgt, %in, %limit : i32
    %s = arith.ori %t, %acc : i1
    linalg.yield %s : i1
  } -> tensor<4xi1>
  %e6 = tensor.empty() : tensor<4x7x3xf32>
  %6 = linalg.softmax dimension(1) ins(%x : tensor<4x7x3xf32>) outs(%e6 : tensor<4x7x3xf32>) -> tensor<4x7x3xf32>
  return %0#0, %0#1, %1, %2, %3, %4, %5, %6 : tensor<4x3xf32>, tensor<4x3xi64>, tensor<4xi32>, tensor<4xf32>, tensor<3xf32>, tensor<4xi32>, tensor<4xi1>, tensor<4x7x3xf32>
}
