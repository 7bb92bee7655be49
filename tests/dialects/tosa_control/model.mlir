module {
  tosa.variable @count = dense<[1, 2, 3]> : tensor<3xi32>
  func.func @main(%x: tensor<3xi32>, %c: tensor<i1>) -> (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) {
    %v = tosa.variable_read @count : tensor<3xi32>
    %s = tosa.add %v, %x : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    tosa.variable_write @count, %s : tensor<3xi32>
    %r = tosa.variable_read @count : tensor<3xi32>
    %b = "tosa.cond_if"(%c, %x, %r) ({
    ^bb0(%p: tensor<3xi32>, %q: tensor<3xi32>):
      %0 = tosa.sub %p, %q : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
      tosa.yield %0 : tensor<3xi32>
    }, {
    ^bb0(%p: tensor<3xi32>, %q: tensor<3xi32>):
      tosa.yield %p : tensor<3xi32>
    }) : (tensor<i1>, tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %limit = "tosa.const"() <{values = dense<100> : tensor<3xi32>}> : () -> tensor<3xi32>
    %w = "tosa.while_loop"(%x) ({
    ^bb0(%p: tensor<3xi32>):
      %0 = tosa.greater %limit, %p : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
      %1 = tosa.reduce_all %0 {axis = 0 : i32} : (tensor<3xi1>) -> tensor<1xi1>
      %n = tosa.const_shape {values = dense<> : tensor<0xindex>} : () -> !tosa.shape<0>
      %2 = tosa.reshape %1, %n : (tensor<1xi1>, !tosa.shape<0>) -> tensor<i1>
      tosa.yield %2 : tensor<i1>
    }, {
    ^bb0(%p: tensor<3xi32>):
      %0 = tosa.add %p, %p : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
      tosa.yield %0 : tensor<3xi32>
    }) : (tensor<3xi32>) -> tensor<3xi32>
    return %r, %b, %w : tensor<3xi32>, tensor<3xi32>, tensor<3xi32>
  }
}
