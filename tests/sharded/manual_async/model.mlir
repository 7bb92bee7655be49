module @jit_started attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<8x16xf32>, %arg1: tensor<16x8xf32>) -> (tensor<8x16xf32> {jax.result_info = "result[0]"}, tensor<8x16xf32> {jax.result_info = "result[1]"}, tensor<16x32xf32> {jax.result_info = "result[2]"}, tensor<16x8xf32> {jax.result_info = "result[3]"}) {
    %0:4 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{"y"}, {}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{"x"}, {"y"}]>, <@mesh, [{"y"}, {}]>, <@mesh, [{"x", "y"}, {}]>] manual_axes={"x", "y"} (%arg2: tensor<2x8xf32>, %arg3: tensor<8x8xf32>) {
      %1 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x8xf32>, tensor<8x8xf32>) -> tensor<2x8xf32>
      %2 = "stablehlo.async_start"(%1) ({
      ^bb0(%arg4: tensor<2x8xf32>):
        %13 = "stablehlo.all_reduce"(%arg4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
        ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
          %14 = stablehlo.add %arg5, %arg6 : tensor<f32>
          stablehlo.return %14 : tensor<f32>
        }) : (tensor<2x8xf32>) -> tensor<2x8xf32>
        stablehlo.return %13 : tensor<2x8xf32>
      }) : (tensor<2x8xf32>) -> !stablehlo.future<tensor<2x8xf32>>
      %3 = "stablehlo.async_start"(%arg2) ({
      ^bb0(%arg4: tensor<2x8xf32>):
        %13 = "stablehlo.collective_permute"(%arg4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 2], [2, 4], [4, 6], [6, 0], [1, 3], [3, 5], [5, 7], [7, 1]]> : tensor<8x2xi64>}> : (tensor<2x8xf32>) -> tensor<2x8xf32>
        stablehlo.return %13 : tensor<2x8xf32>
      }) : (tensor<2x8xf32>) -> !stablehlo.future<tensor<2x8xf32>>
      %4 = "stablehlo.async_start"(%arg3) ({
      ^bb0(%arg4: tensor<8x8xf32>):
        %13 = "stablehlo.all_gather"(%arg4) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> : (tensor<8x8xf32>) -> tensor<8x32xf32>
        stablehlo.return %13 : tensor<8x32xf32>
      }) : (tensor<8x8xf32>) -> !stablehlo.future<tensor<8x32xf32>>
      %5 = stablehlo.sine %1 : tensor<2x8xf32>
      %6 = stablehlo.concatenate %5, %5, %5, %5, dim = 0 : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<8x8xf32>
      %7 = "stablehlo.async_start"(%6) ({
      ^bb0(%arg4: tensor<8x8xf32>):
        %13 = "stablehlo.reduce_scatter"(%arg4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
        ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
          %14 = stablehlo.add %arg5, %arg6 : tensor<f32>
          stablehlo.return %14 : tensor<f32>
        }) : (tensor<8x8xf32>) -> tensor<2x8xf32>
        stablehlo.return %13 : tensor<2x8xf32>
      }) : (tensor<8x8xf32>) -> !stablehlo.future<tensor<2x8xf32>>
      %8 = "stablehlo.async_done"(%2) : (!stablehlo.future<tensor<2x8xf32>>) -> tensor<2x8xf32>
      %9 = stablehlo.add %8, %5 : tensor<2x8xf32>
      %10 = "stablehlo.async_done"(%3) : (!stablehlo.future<tensor<2x8xf32>>) -> tensor<2x8xf32>
      %11 = "stablehlo.async_done"(%4) : (!stablehlo.future<tensor<8x32xf32>>) -> tensor<8x32xf32>
      %12 = "stablehlo.async_done"(%7) : (!stablehlo.future<tensor<2x8xf32>>) -> tensor<2x8xf32>
      sdy.return %9, %10, %11, %12 : tensor<2x8xf32>, tensor<2x8xf32>, tensor<8x32xf32>, tensor<2x8xf32>
    } : (tensor<8x16xf32>, tensor<16x8xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<16x32xf32>, tensor<16x8xf32>)
    return %0#0, %0#1, %0#2, %0#3 : tensor<8x16xf32>, tensor<8x16xf32>, tensor<16x32xf32>, tensor<16x8xf32>
  }
}
