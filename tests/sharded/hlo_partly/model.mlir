module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x8xf32> {mhlo.sharding = "{devices=[4,1,2]<=[8] last_tile_dim_replicate}"}, %arg1: tensor<8x16xf32> {mhlo.sharding = "{devices=[1,2,4]<=[4,2]T(1,0) last_tile_dim_replicate}"}, %arg2: tensor<16x4xf32> {mhlo.sharding = "{devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}"}) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<8x16xf32> {jax.result_info = "result[1][0]"}, tensor<16x4xf32> {jax.result_info = "result[1][1]"}) {
    %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[4,1,2]<=[8] last_tile_dim_replicate}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<8x8xf32>) -> tensor<2x8xf32>
    %2 = stablehlo.custom_call @Sharding(%arg1) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{replicated}"} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %3 = stablehlo.custom_call @SPMDFullToShardShape(%2) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %4 = stablehlo.custom_call @Sharding(%arg2) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{replicated}"} : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %5 = stablehlo.custom_call @SPMDFullToShardShape(%4) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %6:3 = call @shmap_body(%1, %3, %5) : (tensor<2x8xf32>, tensor<8x16xf32>, tensor<16x4xf32>) -> (tensor<f32>, tensor<8x16xf32>, tensor<16x4xf32>)
    %7 = stablehlo.custom_call @Sharding(%6#0) {backend_config = "", mhlo.sharding = "{devices=[4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<f32>) -> tensor<f32>
    %8 = stablehlo.custom_call @SPMDShardToFullShape(%7) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<f32>) -> tensor<f32>
    %9 = stablehlo.custom_call @Sharding(%6#1) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %10 = stablehlo.custom_call @SPMDShardToFullShape(%9) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{replicated}"} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %11 = stablehlo.custom_call @Sharding(%6#2) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %12 = stablehlo.custom_call @SPMDShardToFullShape(%11) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{replicated}"} : (tensor<16x4xf32>) -> tensor<16x4xf32>
    return %8, %10, %12 : tensor<f32>, tensor<8x16xf32>, tensor<16x4xf32>
  }
  func.func private @shmap_body(%arg0: tensor<2x8xf32>, %arg1: tensor<8x16xf32>, %arg2: tensor<16x4xf32>) -> (tensor<f32> {jax.result_info = "[]"}, tensor<8x16xf32> {jax.result_info = "[None, None]"}, tensor<16x4xf32> {jax.result_info = "[None, None]"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x8xf32>, tensor<8x16xf32>) -> tensor<2x16xf32>
    %1 = stablehlo.custom_call @Sharding(%0) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<2x16xf32>) -> tensor<2x16xf32>
    %2 = call @relu(%1) : (tensor<2x16xf32>) -> tensor<2x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x16xf32>
    %4 = stablehlo.custom_call @Sharding(%3) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<2x16xf32>) -> tensor<2x16xf32>
    %5 = stablehlo.compare GT, %1, %4, FLOAT : (tensor<2x16xf32>, tensor<2x16xf32>) -> tensor<2x16xi1>
    %6 = stablehlo.dot_general %2, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x16xf32>, tensor<16x4xf32>) -> tensor<2x4xf32>
    %7 = stablehlo.custom_call @Sharding(%6) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %8 = stablehlo.multiply %7, %7 : tensor<2x4xf32>
    %9 = stablehlo.custom_call @Sharding(%8) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %11 = stablehlo.custom_call @Sharding(%10) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %12 = stablehlo.multiply %11, %7 : tensor<2x4xf32>
    %13 = stablehlo.custom_call @Sharding(%12) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.reduce(%9 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<f32>
    %15 = stablehlo.custom_call @Sharding(%14) {backend_config = "", mhlo.sharding = "{devices=[4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<f32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %16 = stablehlo.divide %15, %cst_2 : tensor<f32>
    %17 = stablehlo.custom_call @Sharding(%16) {backend_config = "", mhlo.sharding = "{devices=[4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<f32>) -> tensor<f32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_4 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %18 = stablehlo.divide %cst_3, %cst_4 : tensor<f32>
    %19 = stablehlo.custom_call @Sharding(%18) {backend_config = "", mhlo.sharding = "{devices=[4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<f32>) -> tensor<f32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %21 = stablehlo.custom_call @Sharding(%20) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %22 = stablehlo.multiply %21, %13 : tensor<2x4xf32>
    %23 = stablehlo.custom_call @Sharding(%22) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %24 = stablehlo.dot_general %23, %2, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x4xf32>, tensor<2x16xf32>) -> tensor<4x16xf32>
    %25 = stablehlo.custom_call @Sharding(%24) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<4x16xf32>) -> tensor<4x16xf32>
    %26 = stablehlo.transpose %25, dims = [1, 0] : (tensor<4x16xf32>) -> tensor<16x4xf32>
    %27 = stablehlo.custom_call @Sharding(%26) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %28 = stablehlo.dot_general %23, %arg2, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x4xf32>, tensor<16x4xf32>) -> tensor<2x16xf32>
    %29 = stablehlo.custom_call @Sharding(%28) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<2x16xf32>) -> tensor<2x16xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x16xf32>
    %31 = stablehlo.custom_call @Sharding(%30) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<2x16xf32>) -> tensor<2x16xf32>
    %32 = stablehlo.select %5, %29, %31 : tensor<2x16xi1>, tensor<2x16xf32>
    %33 = stablehlo.custom_call @Sharding(%32) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<2x16xf32>) -> tensor<2x16xf32>
    %34 = stablehlo.dot_general %33, %arg0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x16xf32>, tensor<2x8xf32>) -> tensor<16x8xf32>
    %35 = stablehlo.custom_call @Sharding(%34) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %36 = stablehlo.transpose %35, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %37 = stablehlo.custom_call @Sharding(%36) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %38 = "stablehlo.all_reduce"(%17) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %63 = stablehlo.add %arg3, %arg4 : tensor<f32>
      %64 = stablehlo.custom_call @Sharding(%63) {backend_config = "", mhlo.sharding = "{devices=[4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<f32>) -> tensor<f32>
      stablehlo.return %64 : tensor<f32>
    }) : (tensor<f32>) -> tensor<f32>
    %cst_6 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %39 = stablehlo.divide %38, %cst_6 : tensor<f32>
    %40 = stablehlo.custom_call @Sharding(%39) {backend_config = "", mhlo.sharding = "{devices=[4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<f32>) -> tensor<f32>
    %41 = "stablehlo.all_reduce"(%37) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %63 = stablehlo.add %arg3, %arg4 : tensor<f32>
      %64 = stablehlo.custom_call @Sharding(%63) {backend_config = "", mhlo.sharding = "{devices=[4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<f32>) -> tensor<f32>
      stablehlo.return %64 : tensor<f32>
    }) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %cst_7 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %43 = stablehlo.custom_call @Sharding(%42) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %44 = stablehlo.divide %41, %43 : tensor<8x16xf32>
    %45 = stablehlo.custom_call @Sharding(%44) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %cst_8 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %47 = stablehlo.custom_call @Sharding(%46) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %48 = stablehlo.multiply %47, %45 : tensor<8x16xf32>
    %49 = stablehlo.custom_call @Sharding(%48) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %50 = stablehlo.subtract %arg1, %49 : tensor<8x16xf32>
    %51 = stablehlo.custom_call @Sharding(%50) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %52 = "stablehlo.all_reduce"(%27) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %63 = stablehlo.add %arg3, %arg4 : tensor<f32>
      %64 = stablehlo.custom_call @Sharding(%63) {backend_config = "", mhlo.sharding = "{devices=[4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<f32>) -> tensor<f32>
      stablehlo.return %64 : tensor<f32>
    }) : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %cst_9 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %54 = stablehlo.custom_call @Sharding(%53) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %55 = stablehlo.divide %52, %54 : tensor<16x4xf32>
    %56 = stablehlo.custom_call @Sharding(%55) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %cst_10 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %58 = stablehlo.custom_call @Sharding(%57) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %59 = stablehlo.multiply %58, %56 : tensor<16x4xf32>
    %60 = stablehlo.custom_call @Sharding(%59) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %61 = stablehlo.subtract %arg2, %60 : tensor<16x4xf32>
    %62 = stablehlo.custom_call @Sharding(%61) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<16x4xf32>) -> tensor<16x4xf32>
    return %40, %51, %62 : tensor<f32>, tensor<8x16xf32>, tensor<16x4xf32>
  }
  func.func private @relu(%arg0: tensor<2x16xf32>) -> tensor<2x16xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x16xf32>
    %1 = stablehlo.custom_call @Sharding(%0) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<2x16xf32>) -> tensor<2x16xf32>
    %2 = stablehlo.maximum %arg0, %1 : tensor<2x16xf32>
    %3 = stablehlo.custom_call @Sharding(%2) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<2x16xf32>) -> tensor<2x16xf32>
    return %3 : tensor<2x16xf32>
  }
}
