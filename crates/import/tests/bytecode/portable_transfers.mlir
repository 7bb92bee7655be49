module @transfers attributes {mhlo.num_partitions = 3 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x2xf32>, %arg1: tensor<3xi64>) -> (tensor<2x2xf32>, tensor<3xi64>) {
    %0 = stablehlo.create_token : !stablehlo.token
    %1:3 = "stablehlo.recv"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}> : (!stablehlo.token) -> (tensor<2x2xf32>, tensor<3xi64>, !stablehlo.token)
    %2 = stablehlo.add %1#0, %arg0 : tensor<2x2xf32>
    %3 = "stablehlo.send"(%2, %arg1, %1#2) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}> : (tensor<2x2xf32>, tensor<3xi64>, !stablehlo.token) -> !stablehlo.token
    return %2, %1#1 : tensor<2x2xf32>, tensor<3xi64>
  }
}
