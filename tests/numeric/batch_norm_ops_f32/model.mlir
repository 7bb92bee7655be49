module @batch_norm_ops_f32 {
  func.func public @main(%arg0: tensor<3x5x7xf32>, %arg1: tensor<5xf32>, %arg2: tensor<5xf32>, %arg3: tensor<5xf32>, %arg4: tensor<5xf32>, %arg5: tensor<3x5x7xf32>) -> (tensor<3x5x7xf32>, tensor<3x5x7xf32>, tensor<5xf32>, tensor<5xf32>, tensor<3x5x7xf32>, tensor<5xf32>, tensor<5xf32>) {
    %0 = "stablehlo.batch_norm_inference"(%arg0, %arg1, %arg2, %arg3, %arg4) <{epsilon = 0.01 : f32, feature_index = 1 : i64}> : (tensor<3x5x7xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<3x5x7xf32>
    %1:3 = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg2) <{epsilon = 0.01 : f32, feature_index = 1 : i64}> : (tensor<3x5x7xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<3x5x7xf32>, tensor<5xf32>, tensor<5xf32>)
    %2:3 = "stablehlo.batch_norm_grad"(%arg0, %arg1, %arg3, %arg4, %arg5) <{epsilon = 0.01 : f32, feature_index = 1 : i64}> : (tensor<3x5x7xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<3x5x7xf32>) -> (tensor<3x5x7xf32>, tensor<5xf32>, tensor<5xf32>)
    return %0, %1#0, %1#1, %1#2, %2#0, %2#1, %2#2 : tensor<3x5x7xf32>, tensor<3x5x7xf32>, tensor<5xf32>, tensor<5xf32>, tensor<3x5x7xf32>, tensor<5xf32>, tensor<5xf32>
  }
}
