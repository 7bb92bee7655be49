func.func @main(%a0: tensor<3x4x5xf32>, %a1: tensor<2x6x3xf32>, %a2: tensor<2x4xi32>, %a3: tensor<2x3xi32>, %a4: tensor<2x3x3xf32>, %a5: tensor<3x4xi1>) -> (tensor<4x6x9xf32>, tensor<2x3x2xf32>, tensor<6x4x15xf32>, tensor<3x4x5xf32>, tensor<5x3x4xf32>, tensor<3x4x15xf32>, tensor<5x12xf32>, tensor<2x4x3xf32>, tensor<2x6x3xf32>, tensor<3x4xi32>, tensor<4x5xi32>, tensor<3x1x5xf32>, tensor<3x1x5xf32>, tensor<3x1x5xf32>, tensor<2x1x3xf32>, tensor<2x6x1xf32>, tensor<3x1xi1>, tensor<1x4xi1>, tensor<3x4xi1>) {
  %0 = "tosa.const_shape"() <{values = dense<[1, 0, 0, 2, 3, 1]> : tensor<6xindex>}> : () -> !tosa.shape<6>
  %1 = "tosa.const"() <{values = dense<2.5> : tensor<1xf32>}> : () -> tensor<1xf32>
  %2 = "tosa.pad"(%a0, %0, %1) : (tensor<3x4x5xf32>, !tosa.shape<6>, tensor<1xf32>) -> tensor<4x6x9xf32>
  %3 = "tosa.const_shape"() <{values = dense<[1, 0, 2]> : tensor<3xindex>}> : () -> !tosa.shape<3>
  %4 = "tosa.const_shape"() <{values = dense<[2, 3, 2]> : tensor<3xindex>}> : () -> !tosa.shape<3>
  %5 = "tosa.slice"(%a0, %3, %4) : (tensor<3x4x5xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<2x3x2xf32>
  %6 = "tosa.const_shape"() <{values = dense<[2, 1, 3]> : tensor<3xindex>}> : () -> !tosa.shape<3>
  %7 = "tosa.tile"(%a0, %6) : (tensor<3x4x5xf32>, !tosa.shape<3>) -> tensor<6x4x15xf32>
  %8 = "tosa.reverse"(%a0) <{axis = 1 : i32}> : (tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
  %9 = "tosa.transpose"(%a0) <{perms = array<i32: 2, 0, 1>}> : (tensor<3x4x5xf32>) -> tensor<5x3x4xf32>
  %10 = "tosa.concat"(%a0, %a0, %a0) <{axis = 2 : i32}> : (tensor<3x4x5xf32>, tensor<3x4x5xf32>, tensor<3x4x5xf32>) -> tensor<3x4x15xf32>
  %11 = "tosa.const_shape"() <{values = dense<[5, 12]> : tensor<2xindex>}> : () -> !tosa.shape<2>
  %12 = "tosa.reshape"(%a0, %11) : (tensor<3x4x5xf32>, !tosa.shape<2>) -> tensor<5x12xf32>
  %13 = "tosa.gather"(%a1, %a2) : (tensor<2x6x3xf32>, tensor<2x4xi32>) -> tensor<2x4x3xf32>
  %14 = "tosa.scatter"(%a1, %a3, %a4) : (tensor<2x6x3xf32>, tensor<2x3xi32>, tensor<2x3x3xf32>) -> tensor<2x6x3xf32>
  %15 = "tosa.argmax"(%a0) <{axis = 2 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<3x4x5xf32>) -> tensor<3x4xi32>
  %16 = "tosa.argmax"(%a0) <{axis = 0 : i32, nan_mode = #tosa.nan_mode<IGNORE>}> : (tensor<3x4x5xf32>) -> tensor<4x5xi32>
  %17 = "tosa.reduce_max"(%a0) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<3x4x5xf32>) -> tensor<3x1x5xf32>
  %18 = "tosa.reduce_max"(%a0) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<IGNORE>}> : (tensor<3x4x5xf32>) -> tensor<3x1x5xf32>
  %19 = "tosa.reduce_min"(%a0) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<IGNORE>}> : (tensor<3x4x5xf32>) -> tensor<3x1x5xf32>
  %20 = "tosa.reduce_sum"(%a1) <{axis = 1 : i32}> : (tensor<2x6x3xf32>) -> tensor<2x1x3xf32>
  %21 = "tosa.reduce_product"(%a1) <{axis = 2 : i32}> : (tensor<2x6x3xf32>) -> tensor<2x6x1xf32>
  %22 = "tosa.reduce_all"(%a5) <{axis = 1 : i32}> : (tensor<3x4xi1>) -> tensor<3x1xi1>
  %23 = "tosa.reduce_any"(%a5) <{axis = 0 : i32}> : (tensor<3x4xi1>) -> tensor<1x4xi1>
  %24 = "tosa.logical_not"(%a5) : (tensor<3x4xi1>) -> tensor<3x4xi1>
  return %2, %5, %7, %8, %9, %10, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24 : tensor<4x6x9xf32>, tensor<2x3x2xf32>, tensor<6x4x15xf32>, tensor<3x4x5xf32>, tensor<5x3x4xf32>, tensor<3x4x15xf32>, tensor<5x12xf32>, tensor<2x4x3xf32>, tensor<2x6x3xf32>, tensor<3x4xi32>, tensor<4x5xi32>, tensor<3x1x5xf32>, tensor<3x1x5xf32>, tensor<3x1x5xf32>, tensor<2x1x3xf32>, tensor<2x6x1xf32>, tensor<3x1xi1>, tensor<1x4xi1>, tensor<3x4xi1>
}
