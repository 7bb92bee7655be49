"builtin.module"() ({
  "func.func"() <{function_type = (tensor<5x8xf32>) -> (tensor<5x8xf32>, tensor<5x8xf32>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<5x8xf32>):
    %0 = "tosa.const_shape"() <{values = dense<[5, 8, 1]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %1 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %2 = "tosa.const_shape"() <{values = dense<0> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %3 = "tosa.const_shape"() <{values = dense<[0, 0, 1, 0, 0, 0]> : tensor<6xindex>}> : () -> !tosa.shape<6>
    %4 = "tosa.const_shape"() <{values = dense<[0, 0, 2, 0, 0, 0]> : tensor<6xindex>}> : () -> !tosa.shape<6>
    %5 = "tosa.const_shape"() <{values = dense<[0, 0, 4, 0, 0, 0]> : tensor<6xindex>}> : () -> !tosa.shape<6>
    %6 = "tosa.const_shape"() <{values = dense<[5, 8]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %7 = "tosa.const_shape"() <{values = dense<[1, 5, 8]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %8 = "tosa.reshape"(%arg0, %0) : (tensor<5x8xf32>, !tosa.shape<3>) -> tensor<5x8x1xf32>
    %9 = "tosa.pad"(%8, %3, %1) : (tensor<5x8x1xf32>, !tosa.shape<6>, tensor<1xf32>) -> tensor<5x9x1xf32>
    %10 = "tosa.slice"(%9, %2, %0) : (tensor<5x9x1xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<5x8x1xf32>
    %11 = "tosa.add"(%8, %10) : (tensor<5x8x1xf32>, tensor<5x8x1xf32>) -> tensor<5x8x1xf32>
    %12 = "tosa.pad"(%11, %4, %1) : (tensor<5x8x1xf32>, !tosa.shape<6>, tensor<1xf32>) -> tensor<5x10x1xf32>
    %13 = "tosa.slice"(%12, %2, %0) : (tensor<5x10x1xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<5x8x1xf32>
    %14 = "tosa.add"(%11, %13) : (tensor<5x8x1xf32>, tensor<5x8x1xf32>) -> tensor<5x8x1xf32>
    %15 = "tosa.pad"(%14, %5, %1) : (tensor<5x8x1xf32>, !tosa.shape<6>, tensor<1xf32>) -> tensor<5x12x1xf32>
    %16 = "tosa.slice"(%15, %2, %0) : (tensor<5x12x1xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<5x8x1xf32>
    %17 = "tosa.add"(%14, %16) : (tensor<5x8x1xf32>, tensor<5x8x1xf32>) -> tensor<5x8x1xf32>
    %18 = "tosa.reshape"(%17, %6) : (tensor<5x8x1xf32>, !tosa.shape<2>) -> tensor<5x8xf32>
    %19 = "tosa.reshape"(%arg0, %7) : (tensor<5x8xf32>, !tosa.shape<3>) -> tensor<1x5x8xf32>
    %20 = "tosa.pad"(%19, %3, %1) : (tensor<1x5x8xf32>, !tosa.shape<6>, tensor<1xf32>) -> tensor<1x6x8xf32>
    %21 = "tosa.slice"(%20, %2, %7) : (tensor<1x6x8xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x5x8xf32>
    %22 = "tosa.add"(%19, %21) : (tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
    %23 = "tosa.pad"(%22, %4, %1) : (tensor<1x5x8xf32>, !tosa.shape<6>, tensor<1xf32>) -> tensor<1x7x8xf32>
    %24 = "tosa.slice"(%23, %2, %7) : (tensor<1x7x8xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x5x8xf32>
    %25 = "tosa.add"(%22, %24) : (tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
    %26 = "tosa.pad"(%25, %5, %1) : (tensor<1x5x8xf32>, !tosa.shape<6>, tensor<1xf32>) -> tensor<1x9x8xf32>
    %27 = "tosa.slice"(%26, %2, %7) : (tensor<1x9x8xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x5x8xf32>
    %28 = "tosa.add"(%25, %27) : (tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
    %29 = "tosa.reshape"(%28, %6) : (tensor<1x5x8xf32>, !tosa.shape<2>) -> tensor<5x8xf32>
    %30 = "tosa.reverse"(%29) <{axis = 0 : i32}> : (tensor<5x8xf32>) -> tensor<5x8xf32>
    "func.return"(%18, %30) : (tensor<5x8xf32>, tensor<5x8xf32>) -> ()
  }) : () -> ()
}) : () -> ()
