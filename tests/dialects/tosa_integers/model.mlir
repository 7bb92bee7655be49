func.func @main(%a0: tensor<4x1xi32>, %a1: tensor<1x3xi32>, %a2: tensor<4x1xi32>, %a3: tensor<2x5xi8>, %a4: tensor<2x5xi8>, %a5: tensor<256xi8>, %a6: tensor<3x4xi16>, %a7: tensor<513xi16>, %a8: tensor<9xf32>) -> (tensor<4x3xi32>, tensor<4x1xi32>, tensor<4x1xi32>, tensor<4x1xi32>, tensor<4x1xi32>, tensor<4x3xi32>, tensor<4x3xi32>, tensor<4x3xi32>, tensor<4x1xi32>, tensor<1x3xi32>, tensor<4x3xi32>, tensor<2x5xi32>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<3x4xi32>, tensor<9xi8>, tensor<2x5xf32>) {
  %0 = "tosa.intdiv"(%a0, %a1) : (tensor<4x1xi32>, tensor<1x3xi32>) -> tensor<4x3xi32>
  %1 = "tosa.arithmetic_right_shift"(%a0, %a2) <{round = true}> : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi32>
  %2 = "tosa.arithmetic_right_shift"(%a0, %a2) <{round = false}> : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi32>
  %3 = "tosa.logical_right_shift"(%a0, %a2) : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi32>
  %4 = "tosa.logical_left_shift"(%a0, %a2) : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi32>
  %5 = "tosa.bitwise_and"(%a0, %a1) : (tensor<4x1xi32>, tensor<1x3xi32>) -> tensor<4x3xi32>
  %6 = "tosa.bitwise_or"(%a0, %a1) : (tensor<4x1xi32>, tensor<1x3xi32>) -> tensor<4x3xi32>
  %7 = "tosa.bitwise_xor"(%a0, %a1) : (tensor<4x1xi32>, tensor<1x3xi32>) -> tensor<4x3xi32>
  %8 = "tosa.bitwise_not"(%a0) : (tensor<4x1xi32>) -> tensor<4x1xi32>
  %9 = "tosa.clz"(%a1) : (tensor<1x3xi32>) -> tensor<1x3xi32>
  %10 = "tosa.const"() <{values = dense<5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %11 = "tosa.mul"(%a0, %a1, %10) : (tensor<4x1xi32>, tensor<1x3xi32>, tensor<1xi8>) -> tensor<4x3xi32>
  %12 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %13 = "tosa.mul"(%a3, %a4, %12) : (tensor<2x5xi8>, tensor<2x5xi8>, tensor<1xi8>) -> tensor<2x5xi32>
  %14 = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %15 = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %16 = "tosa.negate"(%a3, %14, %15) : (tensor<2x5xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x5xi8>
  %17 = "tosa.table"(%a3, %a5) : (tensor<2x5xi8>, tensor<256xi8>) -> tensor<2x5xi8>
  %18 = "tosa.table"(%a6, %a7) : (tensor<3x4xi16>, tensor<513xi16>) -> tensor<3x4xi32>
  %19 = "tosa.cast"(%a8) : (tensor<9xf32>) -> tensor<9xi8>
  %20 = "tosa.cast"(%a3) : (tensor<2x5xi8>) -> tensor<2x5xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %11, %13, %16, %17, %18, %19, %20 : tensor<4x3xi32>, tensor<4x1xi32>, tensor<4x1xi32>, tensor<4x1xi32>, tensor<4x1xi32>, tensor<4x3xi32>, tensor<4x3xi32>, tensor<4x3xi32>, tensor<4x1xi32>, tensor<1x3xi32>, tensor<4x3xi32>, tensor<2x5xi32>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<3x4xi32>, tensor<9xi8>, tensor<2x5xf32>
}
