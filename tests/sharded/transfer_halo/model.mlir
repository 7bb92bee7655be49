module @transfers attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["d"=8]>
  func.func public @main(%x: tensor<32x3xf32>) -> (tensor<32x3xf32>) {
    %out:1 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"d"}, {}]>] out_shardings=[<@mesh, [{"d"}, {}]>] manual_axes={"d"} (%a: tensor<4x3xf32>) {
      %t = stablehlo.create_token : !stablehlo.token
      %half = stablehlo.constant dense<0.5> : tensor<4x3xf32>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %rounds = stablehlo.constant dense<6> : tensor<i32>
      %loop:2 = stablehlo.while(%n = %zero, %v = %a) : tensor<i32>, tensor<4x3xf32> cond {
        %more = stablehlo.compare LT, %n, %rounds : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      } do {
        %l:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (!stablehlo.token) -> (tensor<1x3xf32>, !stablehlo.token)
        %r:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 7], [1, 0], [2, 1], [3, 2], [4, 3], [5, 4], [6, 5], [7, 6]]> : tensor<8x2xi64>}> : (!stablehlo.token) -> (tensor<1x3xf32>, !stablehlo.token)
        %top = stablehlo.slice %v [0:1, 0:3] : (tensor<4x3xf32>) -> tensor<1x3xf32>
        %bottom = stablehlo.slice %v [3:4, 0:3] : (tensor<4x3xf32>) -> tensor<1x3xf32>
        %u = "stablehlo.send"(%bottom, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<1x3xf32>, !stablehlo.token) -> !stablehlo.token
        %w = "stablehlo.send"(%top, %t) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 7], [1, 0], [2, 1], [3, 2], [4, 3], [5, 4], [6, 5], [7, 6]]> : tensor<8x2xi64>}> : (tensor<1x3xf32>, !stablehlo.token) -> !stablehlo.token
        %all = stablehlo.concatenate %l#0, %v, %r#0, dim = 0
          : (tensor<1x3xf32>, tensor<4x3xf32>, tensor<1x3xf32>) -> tensor<6x3xf32>
        %above = stablehlo.slice %all [0:4, 0:3] : (tensor<6x3xf32>) -> tensor<4x3xf32>
        %below = stablehlo.slice %all [2:6, 0:3] : (tensor<6x3xf32>) -> tensor<4x3xf32>
        %sum = stablehlo.add %above, %below : tensor<4x3xf32>
        %mean = stablehlo.multiply %sum, %half : tensor<4x3xf32>
        %next = stablehlo.add %n, %one : tensor<i32>
        stablehlo.return %next, %mean : tensor<i32>, tensor<4x3xf32>
      }
      sdy.return %loop#1 : tensor<4x3xf32>
    } : (tensor<32x3xf32>) -> (tensor<32x3xf32>)
    return %out#0 : tensor<32x3xf32>
  }
}
