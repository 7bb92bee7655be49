"builtin.module"() ({
  "func.func"() <{function_type = (tensor<2x3x8x8xf32>) -> (tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>, tensor<2x3x2x4xf32>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<2x3x8x8xf32>):
    %0 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %1 = "tosa.const_shape"() <{values = dense<[0, 0, 1, 0, 1, 0, 0, 0]> : tensor<8xindex>}> : () -> !tosa.shape<8>
    %2 = "tosa.transpose"(%arg0) <{perms = array<i32: 0, 2, 3, 1>}> : (tensor<2x3x8x8xf32>) -> tensor<2x8x8x3xf32>
    %3 = "tosa.max_pool2d"(%2) <{kernel = array<i64: 3, 3>, nan_mode = #tosa.nan_mode<PROPAGATE>, pad = array<i64: 1, 0, 1, 0>, stride = array<i64: 2, 2>}> : (tensor<2x8x8x3xf32>) -> tensor<2x4x4x3xf32>
    %4 = "tosa.transpose"(%3) <{perms = array<i32: 0, 3, 1, 2>}> : (tensor<2x4x4x3xf32>) -> tensor<2x3x4x4xf32>
    %5 = "tosa.pad"(%2, %1, %0) : (tensor<2x8x8x3xf32>, !tosa.shape<8>, tensor<1xf32>) -> tensor<2x9x9x3xf32>
    %6 = "tosa.avg_pool2d"(%5, %0, %0) <{acc_type = f32, kernel = array<i64: 3, 3>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>}> : (tensor<2x9x9x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x4x4x3xf32>
    %7 = "tosa.transpose"(%6) <{perms = array<i32: 0, 3, 1, 2>}> : (tensor<2x4x4x3xf32>) -> tensor<2x3x4x4xf32>
    %8 = "tosa.avg_pool2d"(%2, %0, %0) <{acc_type = f32, kernel = array<i64: 4, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 4, 2>}> : (tensor<2x8x8x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x2x4x3xf32>
    %9 = "tosa.transpose"(%8) <{perms = array<i32: 0, 3, 1, 2>}> : (tensor<2x2x4x3xf32>) -> tensor<2x3x2x4xf32>
    "func.return"(%4, %7, %9) : (tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>, tensor<2x3x2x4xf32>) -> ()
  }) : () -> ()
}) : () -> ()
