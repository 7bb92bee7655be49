func.func @main(%a0: tensor<2x7x5x3xi8>, %a1: tensor<4x3x2x3xi8>, %a2: tensor<4xi32>, %a3: tensor<4xi32>, %a4: tensor<4xi8>, %a5: tensor<3x2x3x2xi8>, %a6: tensor<2x3x9xi8>, %a7: tensor<2x9x4xi8>) -> (tensor<2x4x6x4xi32>, tensor<2x4x6x4xi8>, tensor<2x7x5x3xi32>, tensor<2x6x5x6xi32>, tensor<2x3x4xi32>, tensor<2x4x3x3xi8>) {
  %0 = "tosa.const"() <{values = dense<11> : tensor<1xi8>}> : () -> tensor<1xi8>
  %1 = "tosa.const"() <{values = dense<-4> : tensor<1xi8>}> : () -> tensor<1xi8>
  %2 = "tosa.conv2d"(%a0, %a1, %a2, %0, %1) <{acc_type = i32, dilation = array<i64: 1, 2>, pad = array<i64: 1, 1, 2, 1>, stride = array<i64: 2, 1>}> : (tensor<2x7x5x3xi8>, tensor<4x3x2x3xi8>, tensor<4xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x4x6x4xi32>
  %3 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %4 = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %5 = "tosa.rescale"(%2, %a3, %a4, %3, %4) <{input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = #tosa.rounding_mode<DOUBLE_ROUND>, scale32 = true}> : (tensor<2x4x6x4xi32>, tensor<4xi32>, tensor<4xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x4x6x4xi8>
  %6 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %7 = "tosa.const"() <{values = dense<28> : tensor<1xi8>}> : () -> tensor<1xi8>
  %8 = "tosa.const"() <{values = dense<-128> : tensor<1xi8>}> : () -> tensor<1xi8>
  %9 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %10 = "tosa.rescale"(%a0, %6, %7, %8, %9) <{input_unsigned = true, output_unsigned = false, per_channel = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}> : (tensor<2x7x5x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x7x5x3xi32>
  %11 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %12 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %13 = "tosa.depthwise_conv2d"(%a0, %a5, %11, %0, %12) <{acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 1, 1, 0>, stride = array<i64: 1, 1>}> : (tensor<2x7x5x3xi8>, tensor<3x2x3x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x6x5x6xi32>
  %14 = "tosa.matmul"(%a6, %a7, %0, %1) : (tensor<2x3x9xi8>, tensor<2x9x4xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x3x4xi32>
  %15 = "tosa.const"() <{values = dense<-2> : tensor<1xi8>}> : () -> tensor<1xi8>
  %16 = "tosa.const"() <{values = dense<9> : tensor<1xi8>}> : () -> tensor<1xi8>
  %17 = "tosa.avg_pool2d"(%a0, %15, %16) <{acc_type = i32, kernel = array<i64: 3, 2>, pad = array<i64: 1, 1, 0, 1>, stride = array<i64: 2, 2>}> : (tensor<2x7x5x3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x4x3x3xi8>
  return %2, %5, %10, %13, %14, %17 : tensor<2x4x6x4xi32>, tensor<2x4x6x4xi8>, tensor<2x7x5x3xi32>, tensor<2x6x5x6xi32>, tensor<2x3x4xi32>, tensor<2x4x3x3xi8>
}
