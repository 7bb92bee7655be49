module @batch_norm_ops_f64 {
  func.func public @main(%arg0: tensor<4x3x6xf64>, %arg1: tensor<6xf64>, %arg2: tensor<6xf64>, %arg3: tensor<6xf64>, %arg4: tensor<6xf64>, %arg5: tensor<4x3x6xf64>) -> (tensor<4x3x6xf64>, tensor<4x3x6xf64>, tensor<6xf64>, tensor<6xf64>, tensor<4x3x6xf64>, tensor<6xf64>, tensor<6xf64>) {
    %0 = "stablehlo.batch_norm_inference"(%arg0, %arg1, %arg2, %arg3, %arg4) <{epsilon = 0.01 : f32, feature_index = 2 : i64}> : (tensor<4x3x6xf64>, tensor<6xf64>, tensor<6xf64>, tensor<6xf64>, tensor<6xf64>) -> tensor<4x3x6xf64>
    %1:3 = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg2) <{epsilon = 0.01 : f32, feature_index = 2 : i64}> : (tensor<4x3x6xf64>, tensor<6xf64>, tensor<6xf64>) -> (tensor<4x3x6xf64>, tensor<6xf64>, tensor<6xf64>)
    %2:3 = "stablehlo.batch_norm_grad"(%arg0, %arg1, %arg3, %arg4, %arg5) <{epsilon = 0.01 : f32, feature_index = 2 : i64}> : (tensor<4x3x6xf64>, tensor<6xf64>, tensor<6xf64>, tensor<6xf64>, tensor<4x3x6xf64>) -> (tensor<4x3x6xf64>, tensor<6xf64>, tensor<6xf64>)
    return %0, %1#0, %1#1, %1#2, %2#0, %2#1, %2#2 : tensor<4x3x6xf64>, tensor<4x3x6xf64>, tensor<6xf64>, tensor<6xf64>, tensor<4x3x6xf64>, tensor<6xf64>, tensor<6xf64>
  }
}
