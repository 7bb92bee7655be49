module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["d"=8]> {stablehlo.mesh = {axes = [{name = "d", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<8x33xbf16>) -> (tensor<1x33xbf16> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"d"}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"d"} (%arg1: tensor<1x33xbf16>) {
      %1 = "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<bf16>, %arg3: tensor<bf16>):
        %2 = stablehlo.add %arg2, %arg3 : tensor<bf16>
        stablehlo.return %2 : tensor<bf16>
      }) : (tensor<1x33xbf16>) -> tensor<1x33xbf16>
      sdy.return %1 : tensor<1x33xbf16>
    } : (tensor<8x33xbf16>) -> tensor<1x33xbf16>
    return %0 : tensor<1x33xbf16>
  }
}
