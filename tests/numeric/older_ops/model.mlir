module @older_ops {
  func.func public @main(%arg0: tensor<3x4x5xf32>, %arg1: tensor<3x5x2xf32>, %arg2: tensor<4x5x6xf32>, %arg3: tensor<3x2xi32>) -> (tensor<3x4x2xf32>, tensor<2x3xf32>, tensor<5x3xf32>, tensor<2x1x3x5x2xf32>, tensor<4x3x2x6xf32>, tensor<3x2x5xf32>, tensor<3x4x5xf32>) {
    %0 = "stablehlo.einsum"(%arg0, %arg1) <{einsum_config = "bij,bjk->bik"}> : (tensor<3x4x5xf32>, tensor<3x5x2xf32>) -> tensor<3x4x2xf32>
    %1 = "stablehlo.einsum"(%arg0, %arg1) <{einsum_config = "bij,bjk->kb"}> : (tensor<3x4x5xf32>, tensor<3x5x2xf32>) -> tensor<2x3xf32>
    %2 = "stablehlo.unary_einsum"(%arg0) <{einsum_config = "bij->jb"}> : (tensor<3x4x5xf32>) -> tensor<5x3xf32>
    %3 = "stablehlo.broadcast"(%arg1) <{broadcast_sizes = array<i64: 2, 1>}> : (tensor<3x5x2xf32>) -> tensor<2x1x3x5x2xf32>
    %4 = "stablehlo.torch_index_select"(%arg2, %arg3) <{batch_dims = 0 : i64, dim = 1 : i64}> : (tensor<4x5x6xf32>, tensor<3x2xi32>) -> tensor<4x3x2x6xf32>
    %5 = "stablehlo.torch_index_select"(%arg0, %arg3) <{batch_dims = 1 : i64, dim = 1 : i64}> : (tensor<3x4x5xf32>, tensor<3x2xi32>) -> tensor<3x2x5xf32>
    %6 = "stablehlo.logistic"(%arg0) : (tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
    return %0, %1, %2, %3, %4, %5, %6 : tensor<3x4x2xf32>, tensor<2x3xf32>, tensor<5x3xf32>, tensor<2x1x3x5x2xf32>, tensor<4x3x2x6xf32>, tensor<3x2x5xf32>, tensor<3x4x5xf32>
  }
}
