module @jit_data_parallel attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["d"=8]> {stablehlo.mesh = {axes = [{name = "d", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<16x8xf32>, %arg1: tensor<16x4xf32>, %arg2: tensor<8x4xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<8x4xf32> {jax.result_info = "result[1]"}) {
    %0:2 = sdy.manual_computation(%arg0, %arg1, %arg2) in_shardings=[<@mesh, [{"d"}, {}]>, <@mesh, [{"d"}, {}]>, <@mesh, [{}, {}]>] out_shardings=[<@mesh, []>, <@mesh, [{}, {}]>] manual_axes={"d"} (%arg3: tensor<2x8xf32>, %arg4: tensor<2x4xf32>, %arg5: tensor<8x4xf32>) {
      %1 = stablehlo.dot_general %arg3, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
      %2 = stablehlo.subtract %1, %arg4 : tensor<2x4xf32>
      %3 = stablehlo.multiply %2, %2 : tensor<2x4xf32>
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
      %5 = stablehlo.multiply %4, %2 : tensor<2x4xf32>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<f32>
      %cst_1 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
      %7 = stablehlo.divide %6, %cst_1 : tensor<f32>
      %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %cst_3 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
      %8 = stablehlo.divide %cst_2, %cst_3 : tensor<f32>
      %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
      %10 = stablehlo.multiply %9, %5 : tensor<2x4xf32>
      %11 = stablehlo.dot_general %10, %arg3, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x4xf32>, tensor<2x8xf32>) -> tensor<4x8xf32>
      %12 = stablehlo.transpose %11, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
      %13 = "stablehlo.all_reduce"(%7) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
        %21 = stablehlo.add %arg6, %arg7 : tensor<f32>
        stablehlo.return %21 : tensor<f32>
      }) : (tensor<f32>) -> tensor<f32>
      %cst_4 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
      %14 = stablehlo.divide %13, %cst_4 : tensor<f32>
      %15 = "stablehlo.all_reduce"(%12) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
        %21 = stablehlo.add %arg6, %arg7 : tensor<f32>
        stablehlo.return %21 : tensor<f32>
      }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
      %cst_5 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
      %16 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
      %17 = stablehlo.divide %15, %16 : tensor<8x4xf32>
      %cst_6 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
      %18 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
      %19 = stablehlo.multiply %18, %17 : tensor<8x4xf32>
      %20 = stablehlo.subtract %arg5, %19 : tensor<8x4xf32>
      sdy.return %14, %20 : tensor<f32>, tensor<8x4xf32>
    } : (tensor<16x8xf32>, tensor<16x4xf32>, tensor<8x4xf32>) -> (tensor<f32>, tensor<8x4xf32>)
    return %0#0, %0#1 : tensor<f32>, tensor<8x4xf32>
  }
}
