module @transfers attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["d"=8]>
  func.func public @main(%x: tensor<8x6xf32>, %w: tensor<8x1xi32>) -> (tensor<8x6xf32>, tensor<8x1xi32>) {
    %out:2 = sdy.manual_computation(%x, %w) in_shardings=[<@mesh, [{"d"}, {}]>, <@mesh, [{"d"}, {}]>] out_shardings=[<@mesh, [{"d"}, {}]>, <@mesh, [{"d"}, {}]>] manual_axes={"d"} (%a: tensor<1x6xf32>, %b: tensor<1x1xi32>) {
      %t = stablehlo.create_token : !stablehlo.token
      %p:3 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7]]> : tensor<7x2xi64>}> : (!stablehlo.token) -> (tensor<1x6xf32>, tensor<1x1xi32>, !stablehlo.token)
      %s = stablehlo.sine %p#0 : tensor<1x6xf32>
      %y = stablehlo.add %s, %a : tensor<1x6xf32>
      %c = stablehlo.add %p#1, %b : tensor<1x1xi32>
      %u = "stablehlo.send"(%y, %c, %p#2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7]]> : tensor<7x2xi64>}> : (tensor<1x6xf32>, tensor<1x1xi32>, !stablehlo.token) -> !stablehlo.token
      %q:2 = "stablehlo.recv"(%u) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[1, 0], [2, 1], [3, 2], [4, 3], [5, 4], [6, 5], [7, 6]]> : tensor<7x2xi64>}> : (!stablehlo.token) -> (tensor<1x6xf32>, !stablehlo.token)
      %h = stablehlo.multiply %q#0, %y : tensor<1x6xf32>
      %z = stablehlo.add %h, %a : tensor<1x6xf32>
      %v = "stablehlo.send"(%z, %q#1) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[1, 0], [2, 1], [3, 2], [4, 3], [5, 4], [6, 5], [7, 6]]> : tensor<7x2xi64>}> : (tensor<1x6xf32>, !stablehlo.token) -> !stablehlo.token
      sdy.return %z, %c : tensor<1x6xf32>, tensor<1x1xi32>
    } : (tensor<8x6xf32>, tensor<8x1xi32>) -> (tensor<8x6xf32>, tensor<8x1xi32>)
    return %out#0, %out#1 : tensor<8x6xf32>, tensor<8x1xi32>
  }
}
