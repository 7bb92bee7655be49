module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<8x3xi32>) -> (tensor<2x3xi32> {jax.result_info = "result[0]"}, tensor<8x3xi32> {jax.result_info = "result[1]"}, tensor<2x8x3xi32> {jax.result_info = "result[2]"}) {
    %0:3 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{}, {"x"}, {}]>] manual_axes={"x", "y"} (%arg1: tensor<2x3xi32>) {
      %1 = "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
        %5 = stablehlo.add %arg2, %arg3 : tensor<i32>
        stablehlo.return %5 : tensor<i32>
      }) : (tensor<2x3xi32>) -> tensor<2x3xi32>
      %2 = "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
        %5 = stablehlo.maximum %arg2, %arg3 : tensor<i32>
        stablehlo.return %5 : tensor<i32>
      }) : (tensor<2x3xi32>) -> tensor<2x3xi32>
      %3 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<2x3xi32>) -> tensor<1x2x3xi32>
      %4 = "stablehlo.all_gather"(%3) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<1x2x3xi32>) -> tensor<2x2x3xi32>
      sdy.return %1, %2, %4 : tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x2x3xi32>
    } : (tensor<8x3xi32>) -> (tensor<2x3xi32>, tensor<8x3xi32>, tensor<2x8x3xi32>)
    return %0#0, %0#1, %0#2 : tensor<2x3xi32>, tensor<8x3xi32>, tensor<2x8x3xi32>
  }
}
