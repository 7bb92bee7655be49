func.func @main(%x: tensor<3x40xf32>, %a: tensor<2x5x5xf32>) -> (tensor<7x3x16xf32>, tensor<2x5x5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c40 = arith.constant 40 : index
  %c7 = arith.constant 7 : index
  %zero = arith.constant 0.0 : f32
  %none = tensor.empty() : tensor<7x3x16xf32>
  %0 = scf.for %i = %c0 to %c7 step %c1 iter_args(%all = %none) -> (tensor<7x3x16xf32>) {
    %start = arith.muli %i, %c4 : index
    %end = arith.addi %start, %c16 : index
    %limit = arith.minsi %end, %c40 : index
    %size = arith.subi %limit, %start : index
    %rest = arith.subi %c16, %size : index
    %s = tensor.extract_slice %x[0, %start] [3, %size] [1, 1] : tensor<3x40xf32> to tensor<3x?xf32>
    %p = tensor.pad %s low[0, 0] high[0, %rest] {
    ^bb0(%r: index, %c: index):
      tensor.yield %zero : f32
    } : tensor<3x?xf32> to tensor<3x16xf32>
    %next = tensor.insert_slice %p into %all[%i, 0, 0] [1, 3, 16] [1, 1, 1] : tensor<3x16xf32> into tensor<7x3x16xf32>
    scf.yield %next : tensor<7x3x16xf32>
  }
  %1 = scf.for %i = %c0 to %c4 step %c1 iter_args(%m = %a) -> (tensor<2x5x5xf32>) {
    %row = arith.addi %i, %c1 : index
    %left = arith.subi %c4, %i : index
    %pivot = tensor.extract_slice %m[0, %i, %i] [2, 1, 1] [1, 1, 1] : tensor<2x5x5xf32> to tensor<2xf32>
    %top = tensor.extract_slice %m[0, %i, 0] [2, 1, 5] [1, 1, 1] : tensor<2x5x5xf32> to tensor<2x5xf32>
    %column = tensor.extract_slice %m[0, %row, %i] [2, %left, 1] [1, 1, 1] : tensor<2x5x5xf32> to tensor<2x?xf32>
    %below = tensor.extract_slice %m[0, %row, 0] [2, %left, 5] [1, 1, 1] : tensor<2x5x5xf32> to tensor<2x?x5xf32>
    %made = linalg.generic {indexing_maps = [affine_map<(b, r, c) -> (b)>, affine_map<(b, r, c) -> (b, c)>, affine_map<(b, r, c) -> (b, r)>, affine_map<(b, r, c) -> (b, r, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%pivot, %top, %column : tensor<2xf32>, tensor<2x5xf32>, tensor<2x?xf32>) outs(%below : tensor<2x?x5xf32>) {
    ^bb0(%p: f32, %t: f32, %c: f32, %o: f32):
      %f = arith.divf %c, %p : f32
      %g = arith.mulf %f, %t : f32
      %h = arith.subf %o, %g : f32
      linalg.yield %h : f32
    } -> tensor<2x?x5xf32>
    %next = tensor.insert_slice %made into %m[0, %row, 0] [2, %left, 5] [1, 1, 1] : tensor<2x?x5xf32> into tensor<2x5x5xf32>
    scf.yield %next : tensor<2x5x5xf32>
  }
  return %0, %1 : tensor<7x3x16xf32>, tensor<2x5x5xf32>
}
