func.func @main(%x: tensor<4x5x6xf32>, %i: tensor<2xi64>, %s: tensor<2x3x2xf32>) -> (tensor<2x3x2xf32>, tensor<4x5x6xf32>, tensor<4x5x6xf32>, tensor<5x7x9xf32>, tensor<3x4xi32>, tensor<20x2x3xf32>, tensor<4x9x6xf32>, tensor<3xf32>, tensor<4x5x6xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tensor.extract %i[%c0] : tensor<2xi64>
  %at = arith.index_cast %a : i64 to index
  %0 = tensor.extract_slice %x[1, %at, 1] [2, 3, 2] [1, 1, 2] : tensor<4x5x6xf32> to tensor<2x3x2xf32>
  %1 = tensor.insert_slice %s into %x[0, 1, 1] [2, 3, 2] [2, 1, 3] : tensor<2x3x2xf32> into tensor<4x5x6xf32>
  %2 = tensor.insert_slice %s into %x[1, %at, 4] [2, 3, 2] [1, 1, 1] : tensor<2x3x2xf32> into tensor<4x5x6xf32>
  %3 = tensor.pad %x low[0, 2, 1] high[1, 0, 2] {
  ^bb0(%p: index, %q: index, %r: index):
    %m = arith.muli %p, %r : index
    %n = arith.index_cast %m : index to i32
    %f = arith.sitofp %n : i32 to f32
    tensor.yield %f : f32
  } : tensor<4x5x6xf32> to tensor<5x7x9xf32>
  %4 = tensor.generate {
  ^bb0(%p: index, %q: index):
    %three = arith.constant 3 : index
    %d = arith.floordivsi %q, %three : index
    %m = arith.addi %p, %d : index
    %n = arith.index_cast %m : index to i32
    tensor.yield %n : i32
  } : tensor<3x4xi32>
  %5 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<4x5x6xf32> into tensor<20x6xf32>
  %6 = tensor.expand_shape %5 [[0], [1, 2]] output_shape [20, 2, 3] : tensor<20x6xf32> into tensor<20x2x3xf32>
  %part = tensor.extract_slice %x[0, 1, 0] [4, 4, 6] [1, 1, 1] : tensor<4x5x6xf32> to tensor<4x4x6xf32>
  %7 = tensor.concat dim(1) %part, %x : (tensor<4x4x6xf32>, tensor<4x5x6xf32>) -> tensor<4x9x6xf32>
  %e = tensor.extract %x[%c1, %c1, %at] : tensor<4x5x6xf32>
  %g = arith.addf %e, %e : f32
  %8 = tensor.from_elements %e, %g, %e : tensor<3xf32>
  %9 = tensor.insert %g into %x[%at, %c0, %c1] : tensor<4x5x6xf32>
  return %0, %1, %2, %3, %4, %6, %7, %8, %9 : tensor<2x3x2xf32>, tensor<4x5x6xf32>, tensor<4x5x6xf32>, tensor<5x7x9xf32>, tensor<3x4xi32>, tensor<20x2x3xf32>, tensor<4x9x6xf32>, tensor<3xf32>, tensor<4x5x6xf32>
}
