func.func @main(%a: tensor<3x5x7xf32>, %b: tensor<3x7x4xf32>, %v: tensor<7xf32>, %c: tensor<3x5x4xf32>, %h: tensor<5x7xf16>, %q: tensor<7x4xf16>, %i: tensor<5x7xi8>, %j: tensor<7x4xi8>, %r: tensor<3x3xf32>)
    -> (tensor<3x5x4xf32>, tensor<4x3xf32>, tensor<f32>, tensor<5x4xf32>, tensor<5x4xi32>, tensor<7x3xf32>) {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.batch_matmul ins(%a, %b : tensor<3x5x7xf32>, tensor<3x7x4xf32>) outs(%c : tensor<3x5x4xf32>) -> tensor<3x5x4xf32>
  %e1 = tensor.empty() : tensor<4x3xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x3xf32>) -> tensor<4x3xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(n, j, k) -> (k)>, affine_map<(n, j, k) -> (n, k, j)>, affine_map<(n, j, k) -> (j, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v, %b : tensor<7xf32>, tensor<3x7x4xf32>) outs(%f1 : tensor<4x3xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %p, %acc : f32
    linalg.yield %s : f32
  } -> tensor<4x3xf32>
  %e2 = tensor.empty() : tensor<f32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<f32>) -> tensor<f32>
  %2 = linalg.dot ins(%v, %v : tensor<7xf32>, tensor<7xf32>) outs(%f2 : tensor<f32>) -> tensor<f32>
  %e3 = tensor.empty() : tensor<5x4xf32>
  %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<5x4xf32>) -> tensor<5x4xf32>
  %3 = linalg.matmul ins(%h, %q : tensor<5x7xf16>, tensor<7x4xf16>) outs(%f3 : tensor<5x4xf32>) -> tensor<5x4xf32>
  %izero = arith.constant 0 : i32
  %zi = arith.constant 5 : i32
  %zj = arith.constant -9 : i32
  %e4 = tensor.empty() : tensor<5x4xi32>
  %f4 = linalg.fill ins(%izero : i32) outs(%e4 : tensor<5x4xi32>) -> tensor<5x4xi32>
  %4 = linalg.quantized_matmul ins(%i, %j, %zi, %zj : tensor<5x7xi8>, tensor<7x4xi8>, i32, i32) outs(%f4 : tensor<5x4xi32>) -> tensor<5x4xi32>
  // A diagonal and a reversed order.
  %e5 = tensor.empty() : tensor<7x3xf32>
  %5 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, 4, i)>, affine_map<(i, j) -> (j, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a, %r : tensor<3x5x7xf32>, tensor<3x3xf32>) outs(%e5 : tensor<7x3xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %six = arith.constant 6 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %back = arith.subi %six, %i0 : index
    %z = tensor.extract %b[%i1, %back, %i1] : tensor<3x7x4xf32>
    %s = arith.subf %x, %y : f32
    %t = arith.addf %s, %z : f32
    linalg.yield %t : f32
  } -> tensor<7x3xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<3x5x4xf32>, tensor<4x3xf32>, tensor<f32>, tensor<5x4xf32>, tensor<5x4xi32>, tensor<7x3xf32>
}
