func.func @main(%a0: tensor<2x4x3x2xf32>, %a1: tensor<1x4x5x2xi8>) -> (tensor<2x8x9x2xf32>, tensor<2x8x9x2xf32>, tensor<1x8x15x2xi8>, tensor<1x8x15x2xi32>, tensor<2x7x4x2xf32>, tensor<2x7x4x2xf32>, tensor<1x7x8x2xi8>, tensor<1x7x8x2xi32>) {
  %0 = "tosa.const_shape"() <{values = dense<[4, 2, 6, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
  %1 = "tosa.const_shape"() <{values = dense<[0, 0]> : tensor<2xindex>}> : () -> !tosa.shape<2>
  %2 = "tosa.const_shape"() <{values = dense<[2, 4]> : tensor<2xindex>}> : () -> !tosa.shape<2>
  %3 = "tosa.resize"(%a0, %0, %1, %2) <{mode = #tosa.resize_mode<NEAREST_NEIGHBOR>}> : (tensor<2x4x3x2xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<2x8x9x2xf32>
  %4 = "tosa.resize"(%a0, %0, %1, %2) <{mode = #tosa.resize_mode<BILINEAR>}> : (tensor<2x4x3x2xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<2x8x9x2xf32>
  %5 = "tosa.const_shape"() <{values = dense<[4, 2, 6, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
  %6 = "tosa.const_shape"() <{values = dense<[0, 0]> : tensor<2xindex>}> : () -> !tosa.shape<2>
  %7 = "tosa.const_shape"() <{values = dense<[2, 4]> : tensor<2xindex>}> : () -> !tosa.shape<2>
  %8 = "tosa.resize"(%a1, %5, %6, %7) <{mode = #tosa.resize_mode<NEAREST_NEIGHBOR>}> : (tensor<1x4x5x2xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x8x15x2xi8>
  %9 = "tosa.resize"(%a1, %5, %6, %7) <{mode = #tosa.resize_mode<BILINEAR>}> : (tensor<1x4x5x2xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x8x15x2xi32>
  %10 = "tosa.const_shape"() <{values = dense<[16, 9, 5, 3]> : tensor<4xindex>}> : () -> !tosa.shape<4>
  %11 = "tosa.const_shape"() <{values = dense<[-3, 1]> : tensor<2xindex>}> : () -> !tosa.shape<2>
  %12 = "tosa.const_shape"() <{values = dense<[3, 0]> : tensor<2xindex>}> : () -> !tosa.shape<2>
  %13 = "tosa.resize"(%a0, %10, %11, %12) <{mode = #tosa.resize_mode<NEAREST_NEIGHBOR>}> : (tensor<2x4x3x2xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<2x7x4x2xf32>
  %14 = "tosa.resize"(%a0, %10, %11, %12) <{mode = #tosa.resize_mode<BILINEAR>}> : (tensor<2x4x3x2xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<2x7x4x2xf32>
  %15 = "tosa.const_shape"() <{values = dense<[16, 9, 5, 3]> : tensor<4xindex>}> : () -> !tosa.shape<4>
  %16 = "tosa.const_shape"() <{values = dense<[-3, 1]> : tensor<2xindex>}> : () -> !tosa.shape<2>
  %17 = "tosa.const_shape"() <{values = dense<[3, 2]> : tensor<2xindex>}> : () -> !tosa.shape<2>
  %18 = "tosa.resize"(%a1, %15, %16, %17) <{mode = #tosa.resize_mode<NEAREST_NEIGHBOR>}> : (tensor<1x4x5x2xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x7x8x2xi8>
  %19 = "tosa.resize"(%a1, %15, %16, %17) <{mode = #tosa.resize_mode<BILINEAR>}> : (tensor<1x4x5x2xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x7x8x2xi32>
  return %3, %4, %8, %9, %13, %14, %18, %19 : tensor<2x8x9x2xf32>, tensor<2x8x9x2xf32>, tensor<1x8x15x2xi8>, tensor<1x8x15x2xi32>, tensor<2x7x4x2xf32>, tensor<2x7x4x2xf32>, tensor<1x7x8x2xi8>, tensor<1x7x8x2xi32>
}
