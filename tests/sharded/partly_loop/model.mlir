module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {jax.result_info = "result[0]"}, tensor<3xf32> {jax.result_info = "result[1]"}) {
    %0:2 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{?}, {"y", ?}]>, <@mesh, [{?}, {?}]>] out_shardings=[<@mesh, [{?}, {"y", ?}]>, <@mesh, [{?}]>] manual_axes={"y"} (%arg2: tensor<8x4xf32>, %arg3: tensor<4x4xf32>) {
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %2 = sdy.sharding_constraint %1 <@mesh, [{?}]> : tensor<3xf32>
      %c = stablehlo.constant dense<0> : tensor<i32>
      %3:4 = stablehlo.while(%iterArg = %arg3, %iterArg_0 = %c, %iterArg_1 = %arg2, %iterArg_2 = %2) : tensor<4x4xf32>, tensor<i32>, tensor<8x4xf32>, tensor<3xf32>
      cond {
        %c_3 = stablehlo.constant dense<3> : tensor<i32>
        %7 = sdy.sharding_constraint %iterArg_0 <@mesh, []> : tensor<i32>
        %8 = sdy.sharding_constraint %c_3 <@mesh, []> : tensor<i32>
        %9 = stablehlo.compare LT, %7, %8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %9 : tensor<i1>
      } do {
        %7:2 = func.call @closed_call(%iterArg, %iterArg_1) : (tensor<4x4xf32>, tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<f32>)
        %8 = func.call @dynamic_update_index_in_dim(%iterArg_2, %7#1, %iterArg_0) : (tensor<3xf32>, tensor<f32>, tensor<i32>) -> tensor<3xf32>
        %c_3 = stablehlo.constant dense<1> : tensor<i32>
        %9 = sdy.sharding_constraint %iterArg_0 <@mesh, []> : tensor<i32>
        %10 = sdy.sharding_constraint %c_3 <@mesh, []> : tensor<i32>
        %11 = stablehlo.add %9, %10 : tensor<i32>
        %12 = sdy.sharding_constraint %11 <@mesh, []> : tensor<i32>
        stablehlo.return %iterArg, %12, %7#0, %8 : tensor<4x4xf32>, tensor<i32>, tensor<8x4xf32>, tensor<3xf32>
      }
      %4 = sdy.sharding_constraint %3#1 <@mesh, []> : tensor<i32>
      %5 = sdy.sharding_constraint %3#2 <@mesh, [{?}, {?}]> : tensor<8x4xf32>
      %6 = sdy.sharding_constraint %3#3 <@mesh, [{?}]> : tensor<3xf32>
      sdy.return %5, %6 : tensor<8x4xf32>, tensor<3xf32>
    } : (tensor<8x8xf32>, tensor<4x4xf32>) -> (tensor<8x8xf32>, tensor<3xf32>)
    return %0#0, %0#1 : tensor<8x8xf32>, tensor<3xf32>
  }
  func.func private @closed_call(%arg0: tensor<4x4xf32>, %arg1: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<f32>) {
    %0 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{?}, {?}]> : tensor<8x4xf32>
    %2 = stablehlo.sine %1 : tensor<8x4xf32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{?}, {?}]> : tensor<8x4xf32>
    %4 = "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %9 = stablehlo.add %arg2, %arg3 : tensor<f32>
      %10 = sdy.sharding_constraint %9 <@mesh, []> : tensor<f32>
      stablehlo.return %10 : tensor<f32>
    }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %5 = stablehlo.add %3, %4 : tensor<8x4xf32>
    %6 = sdy.sharding_constraint %5 <@mesh, [{?}, {?}]> : tensor<8x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%arg1 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
    %8 = sdy.sharding_constraint %7 <@mesh, []> : tensor<f32>
    return %6, %8 : tensor<8x4xf32>, tensor<f32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<3xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>) -> tensor<3xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{?}]> : tensor<1xf32>
    %2 = stablehlo.dynamic_update_slice %arg0, %1, %arg2 : (tensor<3xf32>, tensor<1xf32>, tensor<i32>) -> tensor<3xf32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{?}]> : tensor<3xf32>
    return %3 : tensor<3xf32>
  }
}
