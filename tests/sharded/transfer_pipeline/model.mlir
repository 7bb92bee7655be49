module @transfers attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["d"=8]>
  func.func public @main(%x: tensor<5x3x4xf32>, %w: tensor<8x4x4xf32>) -> (tensor<8x5x3x4xf32>) {
    %out:1 = sdy.manual_computation(%x, %w) in_shardings=[<@mesh, [{}, {}, {}]>, <@mesh, [{"d"}, {}, {}]>] out_shardings=[<@mesh, [{"d"}, {}, {}, {}]>] manual_axes={"d"} (%a: tensor<5x3x4xf32>, %b: tensor<1x4x4xf32>) {
      %t = stablehlo.create_token : !stablehlo.token
      %m = stablehlo.reshape %b : (tensor<1x4x4xf32>) -> tensor<4x4xf32>
      %id = stablehlo.partition_id : tensor<ui32>
      %none = stablehlo.constant dense<0> : tensor<ui32>
      %first = stablehlo.compare EQ, %id, %none : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
      %empty = stablehlo.constant dense<0.0> : tensor<1x5x3x4xf32>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %rounds = stablehlo.constant dense<5> : tensor<i32>
      %loop:3 = stablehlo.while(%n = %zero, %rows = %empty, %k = %t) : tensor<i32>, tensor<1x5x3x4xf32>, !stablehlo.token cond {
        %more = stablehlo.compare LT, %n, %rounds : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      } do {
        %came:2 = "stablehlo.recv"(%k) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7]]> : tensor<7x2xi64>}> : (!stablehlo.token) -> (tensor<3x4xf32>, !stablehlo.token)
        %batch = stablehlo.dynamic_slice %a, %n, %zero, %zero, sizes = [1, 3, 4]
          : (tensor<5x3x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x3x4xf32>
        %own = stablehlo.reshape %batch : (tensor<1x3x4xf32>) -> tensor<3x4xf32>
        %in = stablehlo.select %first, %own, %came#0 : tensor<i1>, tensor<3x4xf32>
        %product = stablehlo.dot_general %in, %m, contracting_dims = [1] x [0]
          : (tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<3x4xf32>
        %y = stablehlo.tanh %product : tensor<3x4xf32>
        %sent = "stablehlo.send"(%y, %came#1) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7]]> : tensor<7x2xi64>}> : (tensor<3x4xf32>, !stablehlo.token) -> !stablehlo.token
        %row = stablehlo.reshape %y : (tensor<3x4xf32>) -> tensor<1x1x3x4xf32>
        %more_rows = stablehlo.dynamic_update_slice %rows, %row, %zero, %n, %zero, %zero
          : (tensor<1x5x3x4xf32>, tensor<1x1x3x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
          -> tensor<1x5x3x4xf32>
        %next = stablehlo.add %n, %one : tensor<i32>
        stablehlo.return %next, %more_rows, %sent : tensor<i32>, tensor<1x5x3x4xf32>, !stablehlo.token
      }
      sdy.return %loop#1 : tensor<1x5x3x4xf32>
    } : (tensor<5x3x4xf32>, tensor<8x4x4xf32>) -> (tensor<8x5x3x4xf32>)
    return %out#0 : tensor<8x5x3x4xf32>
  }
}
