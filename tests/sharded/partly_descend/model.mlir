module @jit_descend attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %arg2: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<8x16xf32> {jax.result_info = "result[1][0]"}, tensor<16x4xf32> {jax.result_info = "result[1][1]"}) {
    %0:3 = sdy.manual_computation(%arg0, %arg1, %arg2) in_shardings=[<@mesh, [{"x", ?}, {?}]>, <@mesh, [{?}, {?}]>, <@mesh, [{?}, {?}]>] out_shardings=[<@mesh, []>, <@mesh, [{?}, {?}]>, <@mesh, [{?}, {?}]>] manual_axes={"x"} (%arg3: tensor<2x8xf32>, %arg4: tensor<8x16xf32>, %arg5: tensor<16x4xf32>) {
      %1 = stablehlo.dot_general %arg3, %arg4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x8xf32>, tensor<8x16xf32>) -> tensor<2x16xf32>
      %2 = sdy.sharding_constraint %1 <@mesh, [{?}, {?}]> : tensor<2x16xf32>
      %3 = func.call @relu(%2) : (tensor<2x16xf32>) -> tensor<2x16xf32>
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x16xf32>
      %5 = sdy.sharding_constraint %4 <@mesh, [{?}, {?}]> : tensor<2x16xf32>
      %6 = stablehlo.compare GT, %2, %5, FLOAT : (tensor<2x16xf32>, tensor<2x16xf32>) -> tensor<2x16xi1>
      %7 = stablehlo.dot_general %3, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x16xf32>, tensor<16x4xf32>) -> tensor<2x4xf32>
      %8 = sdy.sharding_constraint %7 <@mesh, [{?}, {?}]> : tensor<2x4xf32>
      %9 = stablehlo.multiply %8, %8 : tensor<2x4xf32>
      %10 = sdy.sharding_constraint %9 <@mesh, [{?}, {?}]> : tensor<2x4xf32>
      %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %11 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
      %12 = sdy.sharding_constraint %11 <@mesh, [{?}, {?}]> : tensor<2x4xf32>
      %13 = stablehlo.multiply %12, %8 : tensor<2x4xf32>
      %14 = sdy.sharding_constraint %13 <@mesh, [{?}, {?}]> : tensor<2x4xf32>
      %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %15 = stablehlo.reduce(%10 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<f32>
      %16 = sdy.sharding_constraint %15 <@mesh, []> : tensor<f32>
      %cst_2 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
      %17 = stablehlo.divide %16, %cst_2 : tensor<f32>
      %18 = sdy.sharding_constraint %17 <@mesh, []> : tensor<f32>
      %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %cst_4 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
      %19 = stablehlo.divide %cst_3, %cst_4 : tensor<f32>
      %20 = sdy.sharding_constraint %19 <@mesh, []> : tensor<f32>
      %21 = stablehlo.broadcast_in_dim %20, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
      %22 = sdy.sharding_constraint %21 <@mesh, [{?}, {?}]> : tensor<2x4xf32>
      %23 = stablehlo.multiply %22, %14 : tensor<2x4xf32>
      %24 = sdy.sharding_constraint %23 <@mesh, [{?}, {?}]> : tensor<2x4xf32>
      %25 = stablehlo.dot_general %24, %3, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x4xf32>, tensor<2x16xf32>) -> tensor<4x16xf32>
      %26 = sdy.sharding_constraint %25 <@mesh, [{?}, {?}]> : tensor<4x16xf32>
      %27 = stablehlo.transpose %26, dims = [1, 0] : (tensor<4x16xf32>) -> tensor<16x4xf32>
      %28 = sdy.sharding_constraint %27 <@mesh, [{?}, {?}]> : tensor<16x4xf32>
      %29 = stablehlo.dot_general %24, %arg5, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x4xf32>, tensor<16x4xf32>) -> tensor<2x16xf32>
      %30 = sdy.sharding_constraint %29 <@mesh, [{?}, {?}]> : tensor<2x16xf32>
      %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %31 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x16xf32>
      %32 = sdy.sharding_constraint %31 <@mesh, [{?}, {?}]> : tensor<2x16xf32>
      %33 = stablehlo.select %6, %30, %32 : tensor<2x16xi1>, tensor<2x16xf32>
      %34 = sdy.sharding_constraint %33 <@mesh, [{?}, {?}]> : tensor<2x16xf32>
      %35 = stablehlo.dot_general %34, %arg3, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x16xf32>, tensor<2x8xf32>) -> tensor<16x8xf32>
      %36 = sdy.sharding_constraint %35 <@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %37 = stablehlo.transpose %36, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
      %38 = sdy.sharding_constraint %37 <@mesh, [{?}, {?}]> : tensor<8x16xf32>
      %39 = "stablehlo.all_reduce"(%18) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
        %64 = stablehlo.add %arg6, %arg7 : tensor<f32>
        %65 = sdy.sharding_constraint %64 <@mesh, []> : tensor<f32>
        stablehlo.return %65 : tensor<f32>
      }) : (tensor<f32>) -> tensor<f32>
      %cst_6 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
      %40 = stablehlo.divide %39, %cst_6 : tensor<f32>
      %41 = sdy.sharding_constraint %40 <@mesh, []> : tensor<f32>
      %42 = "stablehlo.all_reduce"(%38) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
        %64 = stablehlo.add %arg6, %arg7 : tensor<f32>
        %65 = sdy.sharding_constraint %64 <@mesh, []> : tensor<f32>
        stablehlo.return %65 : tensor<f32>
      }) : (tensor<8x16xf32>) -> tensor<8x16xf32>
      %cst_7 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
      %43 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
      %44 = sdy.sharding_constraint %43 <@mesh, [{?}, {?}]> : tensor<8x16xf32>
      %45 = stablehlo.divide %42, %44 : tensor<8x16xf32>
      %46 = sdy.sharding_constraint %45 <@mesh, [{?}, {?}]> : tensor<8x16xf32>
      %cst_8 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
      %47 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
      %48 = sdy.sharding_constraint %47 <@mesh, [{?}, {?}]> : tensor<8x16xf32>
      %49 = stablehlo.multiply %48, %46 : tensor<8x16xf32>
      %50 = sdy.sharding_constraint %49 <@mesh, [{?}, {?}]> : tensor<8x16xf32>
      %51 = stablehlo.subtract %arg4, %50 : tensor<8x16xf32>
      %52 = sdy.sharding_constraint %51 <@mesh, [{?}, {?}]> : tensor<8x16xf32>
      %53 = "stablehlo.all_reduce"(%28) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
        %64 = stablehlo.add %arg6, %arg7 : tensor<f32>
        %65 = sdy.sharding_constraint %64 <@mesh, []> : tensor<f32>
        stablehlo.return %65 : tensor<f32>
      }) : (tensor<16x4xf32>) -> tensor<16x4xf32>
      %cst_9 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
      %54 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
      %55 = sdy.sharding_constraint %54 <@mesh, [{?}, {?}]> : tensor<16x4xf32>
      %56 = stablehlo.divide %53, %55 : tensor<16x4xf32>
      %57 = sdy.sharding_constraint %56 <@mesh, [{?}, {?}]> : tensor<16x4xf32>
      %cst_10 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
      %58 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
      %59 = sdy.sharding_constraint %58 <@mesh, [{?}, {?}]> : tensor<16x4xf32>
      %60 = stablehlo.multiply %59, %57 : tensor<16x4xf32>
      %61 = sdy.sharding_constraint %60 <@mesh, [{?}, {?}]> : tensor<16x4xf32>
      %62 = stablehlo.subtract %arg5, %61 : tensor<16x4xf32>
      %63 = sdy.sharding_constraint %62 <@mesh, [{?}, {?}]> : tensor<16x4xf32>
      sdy.return %41, %52, %63 : tensor<f32>, tensor<8x16xf32>, tensor<16x4xf32>
    } : (tensor<8x8xf32>, tensor<8x16xf32>, tensor<16x4xf32>) -> (tensor<f32>, tensor<8x16xf32>, tensor<16x4xf32>)
    return %0#0, %0#1, %0#2 : tensor<f32>, tensor<8x16xf32>, tensor<16x4xf32>
  }
  func.func private @relu(%arg0: tensor<2x16xf32>) -> tensor<2x16xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x16xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{?}, {?}]> : tensor<2x16xf32>
    %2 = stablehlo.maximum %arg0, %1 : tensor<2x16xf32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{?}, {?}]> : tensor<2x16xf32>
    return %3 : tensor<2x16xf32>
  }
}
