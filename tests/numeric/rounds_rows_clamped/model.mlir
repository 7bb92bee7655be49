func.func @main(%x: tensor<3x160xf32>, %y0: tensor<5x3x160xf32>) -> (tensor<3x160xf32>, tensor<5x3x160xf32>) {
  %n0 = stablehlo.iota dim = 0 : tensor<128000xi32>
  %p = stablehlo.constant dense<37> : tensor<128000xi32>
  %q = stablehlo.constant dense<101> : tensor<128000xi32>
  %o = stablehlo.constant dense<50> : tensor<128000xi32>
  %t = stablehlo.constant dense<3.906250e-03> : tensor<128000xf32>
  %n1 = stablehlo.multiply %n0, %p : tensor<128000xi32>
  %n2 = stablehlo.remainder %n1, %q : tensor<128000xi32>
  %n3 = stablehlo.subtract %n2, %o : tensor<128000xi32>
  %n4 = stablehlo.convert %n3 : (tensor<128000xi32>) -> tensor<128000xf32>
  %n5 = stablehlo.multiply %n4, %t : tensor<128000xf32>
  %w = stablehlo.reshape %n5 : (tensor<128000xf32>) -> tensor<5x160x160xf32>
  %s = stablehlo.constant dense<0> : tensor<i32>
  %0:3 = stablehlo.while(%i = %s, %h = %x, %y = %y0) : tensor<i32>, tensor<3x160xf32>, tensor<5x3x160xf32>
  cond {
    %l = stablehlo.constant dense<5> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %l, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %z = stablehlo.constant dense<0> : tensor<i32>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %k = stablehlo.multiply %i, %two : tensor<i32>
    %a = stablehlo.dynamic_slice %w, %k, %z, %z, sizes = [1, 160, 160] :
      (tensor<5x160x160xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x160x160xf32>
    %m = stablehlo.reshape %a : (tensor<1x160x160xf32>) -> tensor<160x160xf32>
    %d = stablehlo.dot_general %h, %m, contracting_dims = [1] x [0] :
      (tensor<3x160xf32>, tensor<160x160xf32>) -> tensor<3x160xf32>
    %n = stablehlo.tanh %d : tensor<3x160xf32>
    %r = stablehlo.reshape %n : (tensor<3x160xf32>) -> tensor<1x3x160xf32>
    %u = stablehlo.dynamic_update_slice %y, %r, %k, %z, %z :
      (tensor<5x3x160xf32>, tensor<1x3x160xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<5x3x160xf32>
    %j = stablehlo.add %i, %c : tensor<i32>
    stablehlo.return %j, %n, %u : tensor<i32>, tensor<3x160xf32>, tensor<5x3x160xf32>
  }
  return %0#1, %0#2 : tensor<3x160xf32>, tensor<5x3x160xf32>
}
