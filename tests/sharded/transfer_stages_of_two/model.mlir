module @transfers attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%x: tensor<3x8xf32>, %w: tensor<4x8x8xf32>) -> (tensor<4x3x8xf32>) {
    %out:1 = sdy.manual_computation(%x, %w) in_shardings=[<@mesh, [{}, {}]>, <@mesh, [{"x"}, {"y", ?}, {?}]>] out_shardings=[<@mesh, [{"x"}, {}, {}]>] manual_axes={"x"} (%a: tensor<3x8xf32>, %b: tensor<1x8x8xf32>) {
      %t = stablehlo.create_token : !stablehlo.token
      %p:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 2], [1, 3], [2, 4], [3, 5], [4, 6], [5, 7]]> : tensor<6x2xi64>}> : (!stablehlo.token) -> (tensor<3x8xf32>, !stablehlo.token)
      %m = stablehlo.reshape %b : (tensor<1x8x8xf32>) -> tensor<8x8xf32>
      %in = stablehlo.add %p#0, %a : tensor<3x8xf32>
      %product = stablehlo.dot_general %in, %m, contracting_dims = [1] x [0]
        : (tensor<3x8xf32>, tensor<8x8xf32>) -> tensor<3x8xf32>
      %y = stablehlo.tanh %product : tensor<3x8xf32>
      %u = "stablehlo.send"(%y, %p#1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 2], [1, 3], [2, 4], [3, 5], [4, 6], [5, 7]]> : tensor<6x2xi64>}> : (tensor<3x8xf32>, !stablehlo.token) -> !stablehlo.token
      %row = stablehlo.reshape %y : (tensor<3x8xf32>) -> tensor<1x3x8xf32>
      sdy.return %row : tensor<1x3x8xf32>
    } : (tensor<3x8xf32>, tensor<4x8x8xf32>) -> (tensor<4x3x8xf32>)
    return %out#0 : tensor<4x3x8xf32>
  }
}
