module @narrow_products {
  func.func public @main(%a0: tensor<33x201xf8E4M3FN>, %a1: tensor<41x201xf8E5M2>, %a2: tensor<33x201xf8E5M2>, %a3: tensor<201x41xf8E5M2>, %a4: tensor<33x201xf8E4M3FN>, %a5: tensor<41x201xf8E4M3FN>) -> (tensor<33x41xf32>, tensor<33x41xf32>, tensor<33x41xf32>) {
    %0 = stablehlo.dot_general %a0, %a1, contracting_dims = [1] x [1] : (tensor<33x201xf8E4M3FN>, tensor<41x201xf8E5M2>) -> tensor<33x41xf32>
    %1 = stablehlo.dot_general %a2, %a3, contracting_dims = [1] x [0] : (tensor<33x201xf8E5M2>, tensor<201x41xf8E5M2>) -> tensor<33x41xf32>
    %2 = stablehlo.dot_general %a4, %a5, contracting_dims = [1] x [1] : (tensor<33x201xf8E4M3FN>, tensor<41x201xf8E4M3FN>) -> tensor<33x41xf32>
    return %0, %1, %2 : tensor<33x41xf32>, tensor<33x41xf32>, tensor<33x41xf32>
  }
}
