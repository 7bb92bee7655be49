module @narrow_pairings {
  func.func public @main(%a0: tensor<33x70xf8E4M3FN>, %a1: tensor<33x70xf8E5M2>, %a2: tensor<70x29xf8E4M3FN>, %a3: tensor<70x29xf8E5M2>, %a4: tensor<33x70xf8E4M3FNUZ>, %a5: tensor<33x70xf8E5M2FNUZ>, %a6: tensor<70x29xf8E4M3FNUZ>, %a7: tensor<70x29xf8E5M2FNUZ>) -> (tensor<33x29xf32>, tensor<33x29xf32>, tensor<33x29xf32>, tensor<33x29xf32>, tensor<33x29xf32>, tensor<33x29xf32>, tensor<33x29xf32>, tensor<33x29xf32>, tensor<33x29xf32>, tensor<33x29xf32>, tensor<33x29xf32>, tensor<33x29xf32>) {
    %0 = stablehlo.dot_general %a0, %a2, contracting_dims = [1] x [0] : (tensor<33x70xf8E4M3FN>, tensor<70x29xf8E4M3FN>) -> tensor<33x29xf32>
    %1 = stablehlo.dot_general %a0, %a3, contracting_dims = [1] x [0] : (tensor<33x70xf8E4M3FN>, tensor<70x29xf8E5M2>) -> tensor<33x29xf32>
    %2 = stablehlo.dot_general %a1, %a2, contracting_dims = [1] x [0] : (tensor<33x70xf8E5M2>, tensor<70x29xf8E4M3FN>) -> tensor<33x29xf32>
    %3 = stablehlo.dot_general %a1, %a3, contracting_dims = [1] x [0] : (tensor<33x70xf8E5M2>, tensor<70x29xf8E5M2>) -> tensor<33x29xf32>
    %4 = stablehlo.convert %a0 : (tensor<33x70xf8E4M3FN>) -> tensor<33x70xf16>
    %5 = stablehlo.convert %a3 : (tensor<70x29xf8E5M2>) -> tensor<70x29xf16>
    %6 = stablehlo.dot_general %4, %5, contracting_dims = [1] x [0] : (tensor<33x70xf16>, tensor<70x29xf16>) -> tensor<33x29xf32>
    %7 = stablehlo.convert %a0 : (tensor<33x70xf8E4M3FN>) -> tensor<33x70xbf16>
    %8 = stablehlo.convert %a3 : (tensor<70x29xf8E5M2>) -> tensor<70x29xbf16>
    %9 = stablehlo.dot_general %7, %8, contracting_dims = [1] x [0] : (tensor<33x70xbf16>, tensor<70x29xbf16>) -> tensor<33x29xf32>
    %10 = stablehlo.dot_general %a4, %a6, contracting_dims = [1] x [0] : (tensor<33x70xf8E4M3FNUZ>, tensor<70x29xf8E4M3FNUZ>) -> tensor<33x29xf32>
    %11 = stablehlo.dot_general %a4, %a7, contracting_dims = [1] x [0] : (tensor<33x70xf8E4M3FNUZ>, tensor<70x29xf8E5M2FNUZ>) -> tensor<33x29xf32>
    %12 = stablehlo.dot_general %a5, %a6, contracting_dims = [1] x [0] : (tensor<33x70xf8E5M2FNUZ>, tensor<70x29xf8E4M3FNUZ>) -> tensor<33x29xf32>
    %13 = stablehlo.dot_general %a5, %a7, contracting_dims = [1] x [0] : (tensor<33x70xf8E5M2FNUZ>, tensor<70x29xf8E5M2FNUZ>) -> tensor<33x29xf32>
    %14 = stablehlo.convert %a4 : (tensor<33x70xf8E4M3FNUZ>) -> tensor<33x70xf16>
    %15 = stablehlo.convert %a7 : (tensor<70x29xf8E5M2FNUZ>) -> tensor<70x29xf16>
    %16 = stablehlo.dot_general %14, %15, contracting_dims = [1] x [0] : (tensor<33x70xf16>, tensor<70x29xf16>) -> tensor<33x29xf32>
    %17 = stablehlo.convert %a4 : (tensor<33x70xf8E4M3FNUZ>) -> tensor<33x70xbf16>
    %18 = stablehlo.convert %a7 : (tensor<70x29xf8E5M2FNUZ>) -> tensor<70x29xbf16>
    %19 = stablehlo.dot_general %17, %18, contracting_dims = [1] x [0] : (tensor<33x70xbf16>, tensor<70x29xbf16>) -> tensor<33x29xf32>
    return %0, %1, %2, %3, %6, %9, %10, %11, %12, %13, %16, %19 : tensor<33x29xf32>, tensor<33x29xf32>, tensor<33x29xf32>, tensor<33x29xf32>, tensor<33x29xf32>, tensor<33x29xf32>, tensor<33x29xf32>, tensor<33x29xf32>, tensor<33x29xf32>, tensor<33x29xf32>, tensor<33x29xf32>, tensor<33x29xf32>
  }
}
