module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<32x4xf32>) -> (tensor<8x4x4xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x", "y"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}, {}]>] manual_axes={"x", "y"} (%arg1: tensor<4x4xf32>) {
      %1 = stablehlo.broadcast_in_dim %arg1, dims = [0, 2] : (tensor<4x4xf32>) -> tensor<4x1x4xf32>
      %2 = "stablehlo.all_gather"(%1) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<4x1x4xf32>) -> tensor<4x2x4xf32>
      %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 3] : (tensor<4x2x4xf32>) -> tensor<4x2x1x4xf32>
      %4 = "stablehlo.all_to_all"(%3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 2 : i64, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, split_count = 4 : i64, split_dimension = 0 : i64}> : (tensor<4x2x1x4xf32>) -> tensor<1x2x4x4xf32>
      %5 = stablehlo.reshape %4 : (tensor<1x2x4x4xf32>) -> tensor<2x4x4xf32>
      sdy.return %5 : tensor<2x4x4xf32>
    } : (tensor<32x4xf32>) -> tensor<8x4x4xf32>
    return %0 : tensor<8x4x4xf32>
  }
}
