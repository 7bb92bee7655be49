module {
  ml_program.global private mutable @seed(dense<41> : tensor<i64>) : tensor<i64>
  func.func @main(%x: tensor<3x4xf32>, %n: tensor<i64>) -> (tensor<3x4xf32>, tensor<i64>, tensor<3x4xf32>, tensor<3xf32>, tensor<i64>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %zero = arith.constant 0 : i64
    %two = arith.constant 2 : i64
    %old = ml_program.global_load @seed : tensor<i64>
    %o = tensor.extract %old[] : tensor<i64>
    %more = arith.addi %o, %two : i64
    %box = tensor.from_elements %more : tensor<i64>
    ml_program.global_store @seed = %box : tensor<i64>
    %new = ml_program.global_load @seed : tensor<i64>
    %k = tensor.extract %n[] : tensor<i64>
    %ok = arith.cmpi sge, %k, %zero : i64
    cf.assert %ok, "not negative"
    %even = arith.remsi %k, %two : i64
    %is = arith.cmpi eq, %even, %zero : i64
    %0 = scf.if %is -> (tensor<3x4xf32>) {
      %s = arith.addf %x, %x : tensor<3x4xf32>
      scf.yield %s : tensor<3x4xf32>
    } else {
      %s = arith.negf %x : tensor<3x4xf32>
      scf.yield %s : tensor<3x4xf32>
    }
    // Collatz: the steps to one.
    %1:2 = scf.while (%v = %k, %c = %zero) : (i64, i64) -> (i64, i64) {
      %one = arith.constant 1 : i64
      %go = arith.cmpi sgt, %v, %one : i64
      scf.condition(%go) %v, %c : i64, i64
    } do {
    ^bb0(%v: i64, %c: i64):
      %one = arith.constant 1 : i64
      %three = arith.constant 3 : i64
      %h = arith.divsi %v, %two : i64
      %t = arith.muli %v, %three : i64
      %u = arith.addi %t, %one : i64
      %r = arith.remsi %v, %two : i64
      %e = arith.cmpi eq, %r, %zero : i64
      %w = arith.select %e, %h, %u : i64
      %d = arith.addi %c, %one : i64
      scf.yield %w, %d : i64, i64
    }
    %steps = tensor.from_elements %1#1 : tensor<i64>
    %start = arith.constant dense<0.0> : tensor<3xf32>
    %2:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %start) -> (tensor<3x4xf32>, tensor<3xf32>) {
      %row = tensor.extract_slice %a[%i, 0] [1, 4] [1, 1] : tensor<3x4xf32> to tensor<4xf32>
      %twice = arith.addf %row, %row : tensor<4xf32>
      %in = tensor.insert_slice %twice into %a[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<3x4xf32>
      %first = tensor.extract %twice[%i] : tensor<4xf32>
      %list = tensor.insert %first into %b[%i] : tensor<3xf32>
      scf.yield %in, %list : tensor<3x4xf32>, tensor<3xf32>
    }
    return %0, %steps, %2#0, %2#1, %new : tensor<3x4xf32>, tensor<i64>, tensor<3x4xf32>, tensor<3xf32>, tensor<i64>
  }
}
