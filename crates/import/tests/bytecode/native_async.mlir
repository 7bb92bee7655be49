module @jit_step attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["rows"=4]> {stablehlo.mesh = {axes = [{name = "rows", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32> {jax.result_info = "result[0]"}, tensor<32x2xf32> {jax.result_info = "result[1]"}) {
    %0:2 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"rows"}, {}]>] out_shardings=[<@mesh, [{"rows"}, {}]>, <@mesh, [{"rows"}, {}]>] manual_axes={"rows"} (%arg1: tensor<2x8xf32>) {
      %1 = "stablehlo.async_start"(%arg1) ({
      ^bb0(%arg2: tensor<2x8xf32>):
        %7 = "stablehlo.all_reduce"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
        ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
          %8 = stablehlo.add %arg3, %arg4 : tensor<f32>
          stablehlo.return %8 : tensor<f32>
        }) : (tensor<2x8xf32>) -> tensor<2x8xf32>
        stablehlo.return %7 : tensor<2x8xf32>
      }) : (tensor<2x8xf32>) -> !stablehlo.future<tensor<2x8xf32>>
      %2 = "stablehlo.async_start"(%arg1) ({
      ^bb0(%arg2: tensor<2x8xf32>):
        %7 = "stablehlo.all_to_all"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, split_count = 4 : i64, split_dimension = 1 : i64}> : (tensor<2x8xf32>) -> tensor<8x2xf32>
        stablehlo.return %7 : tensor<8x2xf32>
      }) : (tensor<2x8xf32>) -> !stablehlo.future<tensor<8x2xf32>>
      %3 = "stablehlo.async_done"(%1) : (!stablehlo.future<tensor<2x8xf32>>) -> tensor<2x8xf32>
      %4 = stablehlo.sine %arg1 : tensor<2x8xf32>
      %5 = stablehlo.add %3, %4 : tensor<2x8xf32>
      %6 = "stablehlo.async_done"(%2) : (!stablehlo.future<tensor<8x2xf32>>) -> tensor<8x2xf32>
      sdy.return %5, %6 : tensor<2x8xf32>, tensor<8x2xf32>
    } : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<32x2xf32>)
    return %0#0, %0#1 : tensor<8x8xf32>, tensor<32x2xf32>
  }
}
