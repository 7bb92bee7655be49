// Loops that change the size of what they carry: `y` doubles in each of `k` rounds (its type says how large it can get), the rows of
// `w` are folded in half until one is left (they only get fewer), and each round of the last loop sums one element more of `x`.
module @grown {
  func.func public @main(%x: tensor<?xf32, #stablehlo.bounds<160>>, %w: tensor<?x3xf32>, %k: tensor<i32>) -> (tensor<?xf32, #stablehlo.bounds<160>>, tensor<?x3xf32>, tensor<f32>, tensor<i32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %none = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %doubled:2 = stablehlo.while(%i = %none, %y = %x) : tensor<i32>, tensor<?xf32, #stablehlo.bounds<160>>
    cond {
      %more = stablehlo.compare LT, %i, %k : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %next = stablehlo.add %i, %one : tensor<i32>
      %minus = stablehlo.negate %y : tensor<?xf32, #stablehlo.bounds<160>>
      %both = stablehlo.concatenate %y, %minus, dim = 0 : (tensor<?xf32, #stablehlo.bounds<160>>, tensor<?xf32, #stablehlo.bounds<160>>) -> tensor<?xf32, #stablehlo.bounds<160>>
      stablehlo.return %next, %both : tensor<i32>, tensor<?xf32, #stablehlo.bounds<160>>
    }
    %folded:2 = stablehlo.while(%rounds = %none, %v = %w) : tensor<i32>, tensor<?x3xf32>
    cond {
      %rows = stablehlo.get_dimension_size %v, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
      %more = stablehlo.compare GT, %rows, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %next = stablehlo.add %rounds, %one : tensor<i32>
      %rows = stablehlo.get_dimension_size %v, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
      %half = stablehlo.divide %rows, %two : tensor<i32>
      %rest = stablehlo.subtract %rows, %half : tensor<i32>
      %odd = stablehlo.subtract %rest, %half : tensor<i32>
      %three = stablehlo.constant dense<3> : tensor<1xi32>
      %start = stablehlo.constant dense<0> : tensor<1xi32>
      %steps = stablehlo.constant dense<1> : tensor<2xi32>
      %zeros = stablehlo.constant dense<0> : tensor<2xi32>
      %n0 = stablehlo.reshape %rest : (tensor<i32>) -> tensor<1xi32>
      %n1 = stablehlo.reshape %rows : (tensor<i32>) -> tensor<1xi32>
      %n2 = stablehlo.reshape %odd : (tensor<i32>) -> tensor<1xi32>
      %middle = stablehlo.concatenate %n0, %three, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %end = stablehlo.concatenate %n1, %three, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %from = stablehlo.concatenate %n0, %start, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %high = stablehlo.concatenate %n2, %start, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %upper = stablehlo.real_dynamic_slice %v, %zeros, %middle, %steps : (tensor<?x3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x3xf32>
      %below = stablehlo.real_dynamic_slice %v, %from, %end, %steps : (tensor<?x3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x3xf32>
      %padded = stablehlo.dynamic_pad %below, %zero, %zeros, %high, %zeros : (tensor<?x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x3xf32>
      %sum = stablehlo.add %upper, %padded : tensor<?x3xf32>
      stablehlo.return %next, %sum : tensor<i32>, tensor<?x3xf32>
    }
    %length = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32, #stablehlo.bounds<160>>) -> tensor<i32>
    %summed:2 = stablehlo.while(%i = %none, %total = %zero) : tensor<i32>, tensor<f32>
    cond {
      %more = stablehlo.compare LT, %i, %length : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %next = stablehlo.add %i, %one : tensor<i32>
      %start = stablehlo.constant dense<0> : tensor<1xi32>
      %step = stablehlo.constant dense<1> : tensor<1xi32>
      %limit = stablehlo.reshape %next : (tensor<i32>) -> tensor<1xi32>
      %first = stablehlo.real_dynamic_slice %x, %start, %limit, %step : (tensor<?xf32, #stablehlo.bounds<160>>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32, #stablehlo.bounds<160>>
      %sum = stablehlo.reduce(%first init: %total) applies stablehlo.add across dimensions = [0] : (tensor<?xf32, #stablehlo.bounds<160>>, tensor<f32>) -> tensor<f32>
      stablehlo.return %next, %sum : tensor<i32>, tensor<f32>
    }
    return %doubled#1, %folded#1, %summed#1, %folded#0 : tensor<?xf32, #stablehlo.bounds<160>>, tensor<?x3xf32>, tensor<f32>, tensor<i32>
  }
}
