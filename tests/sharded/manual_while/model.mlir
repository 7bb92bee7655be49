module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["d"=8]> {stablehlo.mesh = {axes = [{name = "d", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<8x4xf32>) -> (tensor<8x4xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"d"}, {}]>] out_shardings=[<@mesh, [{"d"}, {}]>] manual_axes={"d"} (%arg1: tensor<1x4xf32>) {
      %1 = stablehlo.abs %arg1 : tensor<1x4xf32>
      %2 = stablehlo.while(%iterArg = %1) : tensor<1x4xf32>
      cond {
        %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
        %3 = stablehlo.reduce(%iterArg init: %cst) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<1x4xf32>, tensor<f32>) -> tensor<f32>
        %4 = "stablehlo.all_reduce"(%3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
        ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
          %6 = stablehlo.maximum %arg2, %arg3 : tensor<f32>
          stablehlo.return %6 : tensor<f32>
        }) : (tensor<f32>) -> tensor<f32>
        %cst_0 = stablehlo.constant dense<9.000000e+00> : tensor<f32>
        %5 = stablehlo.compare LT, %4, %cst_0, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %5 : tensor<i1>
      } do {
        %cst = stablehlo.constant dense<1.700000e+00> : tensor<f32>
        %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x4xf32>
        %4 = stablehlo.multiply %iterArg, %3 : tensor<1x4xf32>
        %c = stablehlo.constant dense<1> : tensor<ui32>
        %c_0 = stablehlo.constant dense<8> : tensor<ui32>
        %5 = stablehlo.partition_id : tensor<ui32>
        %6 = stablehlo.divide %5, %c : tensor<ui32>
        %7 = stablehlo.remainder %6, %c_0 : tensor<ui32>
        %8 = stablehlo.convert %7 : (tensor<ui32>) -> tensor<i32>
        %9 = stablehlo.convert %8 : (tensor<i32>) -> tensor<f32>
        %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<f32>) -> tensor<1x4xf32>
        %11 = stablehlo.add %4, %10 : tensor<1x4xf32>
        stablehlo.return %11 : tensor<1x4xf32>
      }
      sdy.return %2 : tensor<1x4xf32>
    } : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
}
