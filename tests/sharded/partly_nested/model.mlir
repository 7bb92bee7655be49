module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x4xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"x", ?}, {?}]>, <@mesh, [{"x", ?}, {?}]>] out_shardings=[<@mesh, [{"x", ?}, {?}]>] manual_axes={"x"} (%arg2: tensor<2x8xf32>, %arg3: tensor<2x8xf32>) {
      %1 = sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, []>] manual_axes={"y"} () {
        %c = stablehlo.constant dense<2> : tensor<ui32>
        %c_0 = stablehlo.constant dense<4> : tensor<ui32>
        %13 = stablehlo.partition_id : tensor<ui32>
        %14 = stablehlo.divide %13, %c : tensor<ui32>
        %15 = stablehlo.remainder %14, %c_0 : tensor<ui32>
        %16 = stablehlo.convert %15 : (tensor<ui32>) -> tensor<i32>
        sdy.return %16 : tensor<i32>
      } : () -> tensor<i32>
      %2 = stablehlo.convert %1 : (tensor<i32>) -> tensor<f32>
      %3 = sdy.sharding_constraint %2 <@mesh, []> : tensor<f32>
      %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
      %5 = sdy.sharding_constraint %4 <@mesh, [{?}, {?}]> : tensor<2x8xf32>
      %6 = stablehlo.multiply %arg2, %5 : tensor<2x8xf32>
      %7 = sdy.sharding_constraint %6 <@mesh, [{?}, {?}]> : tensor<2x8xf32>
      %8 = sdy.manual_computation(%7) in_shardings=[<@mesh, [{?}, {"y", ?}]>] out_shardings=[<@mesh, [{?}, {?}]>] manual_axes={"y"} (%arg4: tensor<2x4xf32>) {
        %13 = "stablehlo.all_reduce"(%arg4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
        ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
          %16 = stablehlo.add %arg5, %arg6 : tensor<f32>
          stablehlo.return %16 : tensor<f32>
        }) : (tensor<2x4xf32>) -> tensor<2x4xf32>
        %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
        %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
        %15 = stablehlo.multiply %13, %14 : tensor<2x4xf32>
        sdy.return %15 : tensor<2x4xf32>
      } : (tensor<2x8xf32>) -> tensor<2x4xf32>
      %9 = stablehlo.slice %arg3 [0:2, 0:4] : (tensor<2x8xf32>) -> tensor<2x4xf32>
      %10 = sdy.sharding_constraint %9 <@mesh, [{?}, {?}]> : tensor<2x4xf32>
      %11 = stablehlo.add %8, %10 : tensor<2x4xf32>
      %12 = sdy.sharding_constraint %11 <@mesh, [{?}, {?}]> : tensor<2x4xf32>
      sdy.return %12 : tensor<2x4xf32>
    } : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
}
