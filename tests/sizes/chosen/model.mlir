// Sizes that a branch and a loop compute from what is outside of them: the elements above 0 are counted where `p` says so, and the
// first of them are summed; every round of the loop adds up as many numbers as `k` says, which also says how much of `x` is returned.
module @chosen {
  func.func public @main(%x: tensor<?xf32>, %p: tensor<i1>, %k: tensor<2xi32>) -> (tensor<f32>, tensor<f32>, tensor<?xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %none = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %chosen = "stablehlo.if"(%p) ({
      %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
      %shape = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
      %zeros = stablehlo.dynamic_broadcast_in_dim %zero, %shape, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
      %above = stablehlo.compare GT, %x, %zeros : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xi1>
      %ones = stablehlo.convert %above : (tensor<?xi1>) -> tensor<?xi32>
      %count = stablehlo.reduce(%ones init: %none) applies stablehlo.add across dimensions = [0] : (tensor<?xi32>, tensor<i32>) -> tensor<i32>
      %limit = stablehlo.reshape %count : (tensor<i32>) -> tensor<1xi32>
      %start = stablehlo.constant dense<0> : tensor<1xi32>
      %step = stablehlo.constant dense<1> : tensor<1xi32>
      %first = stablehlo.real_dynamic_slice %x, %start, %limit, %step : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
      %sum = stablehlo.reduce(%first init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
      stablehlo.return %sum : tensor<f32>
    }, {
      stablehlo.return %zero : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
    %loop:2 = stablehlo.while(%i = %none, %total = %zero) : tensor<i32>, tensor<f32>
    cond {
      %more = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %next = stablehlo.add %i, %one : tensor<i32>
      %second = stablehlo.slice %k [1:2] : (tensor<2xi32>) -> tensor<1xi32>
      %line = stablehlo.dynamic_iota %second, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
      %sum = stablehlo.reduce(%line init: %total) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
      stablehlo.return %next, %sum : tensor<i32>, tensor<f32>
    }
    %zeroth = stablehlo.slice %k [0:1] : (tensor<2xi32>) -> tensor<1xi32>
    %from = stablehlo.constant dense<0> : tensor<1xi32>
    %by = stablehlo.constant dense<1> : tensor<1xi32>
    %twice = stablehlo.add %zeroth, %zeroth : tensor<1xi32>
    %half = stablehlo.subtract %twice, %by : tensor<1xi32>
    %head = stablehlo.real_dynamic_slice %x, %from, %half, %by : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
    return %chosen, %loop#1, %head : tensor<f32>, tensor<f32>, tensor<?xf32>
  }
}
