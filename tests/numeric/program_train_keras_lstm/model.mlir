module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x24xf32>, %arg1: tensor<6x24xf32>, %arg2: tensor<24xf32>, %arg3: tensor<5x24xf32>, %arg4: tensor<6x24xf32>, %arg5: tensor<24xf32>, %arg6: tensor<12xf32>, %arg7: tensor<12xf32>, %arg8: tensor<12x4xf32>, %arg9: tensor<4xf32>, %arg10: tensor<2xui32>, %arg11: tensor<2xui32>, %arg12: tensor<4x9x5xf32>, %arg13: tensor<4xi32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<5x24xf32> {jax.result_info = "result[1][0]"}, tensor<6x24xf32> {jax.result_info = "result[1][1]"}, tensor<24xf32> {jax.result_info = "result[1][2]"}, tensor<5x24xf32> {jax.result_info = "result[1][3]"}, tensor<6x24xf32> {jax.result_info = "result[1][4]"}, tensor<24xf32> {jax.result_info = "result[1][5]"}, tensor<12xf32> {jax.result_info = "result[1][6]"}, tensor<12xf32> {jax.result_info = "result[1][7]"}, tensor<12x4xf32> {jax.result_info = "result[1][8]"}, tensor<4xf32> {jax.result_info = "result[1][9]"}, tensor<2xui32> {jax.result_info = "result[2][0]"}, tensor<2xui32> {jax.result_info = "result[2][1]"}) {
    %c = stablehlo.constant dense<4> : tensor<1xi32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %3 = stablehlo.slice %arg12 [0:4, 0:1, 0:5] : (tensor<4x9x5xf32>) -> tensor<4x1x5xf32>
    %4 = stablehlo.reshape %3 : (tensor<4x1x5xf32>) -> tensor<4x5xf32>
    %5 = stablehlo.transpose %arg12, dims = [1, 0, 2] : (tensor<4x9x5xf32>) -> tensor<9x4x5xf32>
    %6 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<24xf32>) -> tensor<1x24xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<9x4x6xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<9x4x6xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<9x4x6xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<9x4x6xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<9x4x6xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<9x4x6xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<9x4x6xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<9x4x6xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<9x4x6xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<9x4x6xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<9x4x6xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<9x4x6xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<9x4x6xf32>
    %c_15 = stablehlo.constant dense<0> : tensor<i32>
    %20:20 = stablehlo.while(%iterArg = %5, %iterArg_81 = %arg0, %iterArg_82 = %arg1, %iterArg_83 = %6, %iterArg_84 = %c_15, %iterArg_85 = %1, %iterArg_86 = %2, %iterArg_87 = %7, %iterArg_88 = %8, %iterArg_89 = %9, %iterArg_90 = %10, %iterArg_91 = %11, %iterArg_92 = %12, %iterArg_93 = %13, %iterArg_94 = %14, %iterArg_95 = %15, %iterArg_96 = %16, %iterArg_97 = %17, %iterArg_98 = %18, %iterArg_99 = %19) : tensor<9x4x5xf32>, tensor<5x24xf32>, tensor<6x24xf32>, tensor<1x24xf32>, tensor<i32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>
    cond {
      %c_100 = stablehlo.constant dense<9> : tensor<i32>
      %186 = stablehlo.compare LT, %iterArg_84, %c_100, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %186 : tensor<i1>
    } do {
      %186 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_84) : (tensor<9x4x5xf32>, tensor<i32>) -> tensor<4x5xf32>
      %187:15 = func.call @closed_call(%iterArg_81, %iterArg_82, %iterArg_83, %iterArg_85, %iterArg_86, %186) : (tensor<5x24xf32>, tensor<6x24xf32>, tensor<1x24xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x5xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>)
      %188 = func.call @dynamic_update_index_in_dim(%iterArg_87, %187#2, %iterArg_84) : (tensor<9x4x6xf32>, tensor<4x6xf32>, tensor<i32>) -> tensor<9x4x6xf32>
      %189 = func.call @dynamic_update_index_in_dim(%iterArg_88, %187#3, %iterArg_84) : (tensor<9x4x6xf32>, tensor<4x6xf32>, tensor<i32>) -> tensor<9x4x6xf32>
      %190 = func.call @dynamic_update_index_in_dim(%iterArg_89, %187#4, %iterArg_84) : (tensor<9x4x6xf32>, tensor<4x6xf32>, tensor<i32>) -> tensor<9x4x6xf32>
      %191 = func.call @dynamic_update_index_in_dim(%iterArg_90, %187#5, %iterArg_84) : (tensor<9x4x6xf32>, tensor<4x6xf32>, tensor<i32>) -> tensor<9x4x6xf32>
      %192 = func.call @dynamic_update_index_in_dim(%iterArg_91, %187#6, %iterArg_84) : (tensor<9x4x6xf32>, tensor<4x6xf32>, tensor<i32>) -> tensor<9x4x6xf32>
      %193 = func.call @dynamic_update_index_in_dim(%iterArg_92, %187#7, %iterArg_84) : (tensor<9x4x6xf32>, tensor<4x6xf32>, tensor<i32>) -> tensor<9x4x6xf32>
      %194 = func.call @dynamic_update_index_in_dim(%iterArg_93, %187#8, %iterArg_84) : (tensor<9x4x6xf32>, tensor<4x6xf32>, tensor<i32>) -> tensor<9x4x6xf32>
      %195 = func.call @dynamic_update_index_in_dim(%iterArg_94, %187#9, %iterArg_84) : (tensor<9x4x6xf32>, tensor<4x6xf32>, tensor<i32>) -> tensor<9x4x6xf32>
      %196 = func.call @dynamic_update_index_in_dim(%iterArg_95, %187#10, %iterArg_84) : (tensor<9x4x6xf32>, tensor<4x6xf32>, tensor<i32>) -> tensor<9x4x6xf32>
      %197 = func.call @dynamic_update_index_in_dim(%iterArg_96, %187#11, %iterArg_84) : (tensor<9x4x6xf32>, tensor<4x6xf32>, tensor<i32>) -> tensor<9x4x6xf32>
      %198 = func.call @dynamic_update_index_in_dim(%iterArg_97, %187#12, %iterArg_84) : (tensor<9x4x6xf32>, tensor<4x6xf32>, tensor<i32>) -> tensor<9x4x6xf32>
      %199 = func.call @dynamic_update_index_in_dim(%iterArg_98, %187#13, %iterArg_84) : (tensor<9x4x6xf32>, tensor<4x6xf32>, tensor<i32>) -> tensor<9x4x6xf32>
      %200 = func.call @dynamic_update_index_in_dim(%iterArg_99, %187#14, %iterArg_84) : (tensor<9x4x6xf32>, tensor<4x6xf32>, tensor<i32>) -> tensor<9x4x6xf32>
      %c_100 = stablehlo.constant dense<1> : tensor<i32>
      %201 = stablehlo.add %iterArg_84, %c_100 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_81, %iterArg_82, %iterArg_83, %201, %187#0, %187#1, %188, %189, %190, %191, %192, %193, %194, %195, %196, %197, %198, %199, %200 : tensor<9x4x5xf32>, tensor<5x24xf32>, tensor<6x24xf32>, tensor<1x24xf32>, tensor<i32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>
    }
    %21 = stablehlo.slice %20#7 [8:9, 0:4, 0:6] : (tensor<9x4x6xf32>) -> tensor<1x4x6xf32>
    %22 = stablehlo.reshape %21 : (tensor<1x4x6xf32>) -> tensor<4x6xf32>
    %23 = stablehlo.transpose %20#7, dims = [1, 0, 2] : (tensor<9x4x6xf32>) -> tensor<4x9x6xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %26 = stablehlo.slice %arg12 [0:4, 0:1, 0:5] : (tensor<4x9x5xf32>) -> tensor<4x1x5xf32>
    %27 = stablehlo.reshape %26 : (tensor<4x1x5xf32>) -> tensor<4x5xf32>
    %28 = stablehlo.transpose %arg12, dims = [1, 0, 2] : (tensor<4x9x5xf32>) -> tensor<9x4x5xf32>
    %29 = stablehlo.broadcast_in_dim %arg5, dims = [1] : (tensor<24xf32>) -> tensor<1x24xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<9x4x6xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<9x4x6xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<9x4x6xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<9x4x6xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<9x4x6xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<9x4x6xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<9x4x6xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<9x4x6xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<9x4x6xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<9x4x6xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<9x4x6xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<9x4x6xf32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<9x4x6xf32>
    %c_31 = stablehlo.constant dense<0> : tensor<i32>
    %43:20 = stablehlo.while(%iterArg = %28, %iterArg_81 = %arg3, %iterArg_82 = %arg4, %iterArg_83 = %29, %iterArg_84 = %c_31, %iterArg_85 = %24, %iterArg_86 = %25, %iterArg_87 = %30, %iterArg_88 = %31, %iterArg_89 = %32, %iterArg_90 = %33, %iterArg_91 = %34, %iterArg_92 = %35, %iterArg_93 = %36, %iterArg_94 = %37, %iterArg_95 = %38, %iterArg_96 = %39, %iterArg_97 = %40, %iterArg_98 = %41, %iterArg_99 = %42) : tensor<9x4x5xf32>, tensor<5x24xf32>, tensor<6x24xf32>, tensor<1x24xf32>, tensor<i32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>
    cond {
      %c_100 = stablehlo.constant dense<9> : tensor<i32>
      %186 = stablehlo.compare LT, %iterArg_84, %c_100, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %186 : tensor<i1>
    } do {
      %c_100 = stablehlo.constant dense<9> : tensor<i32>
      %186 = stablehlo.subtract %c_100, %iterArg_84 : tensor<i32>
      %c_101 = stablehlo.constant dense<1> : tensor<i32>
      %187 = stablehlo.subtract %186, %c_101 : tensor<i32>
      %188 = func.call @dynamic_index_in_dim(%iterArg, %187) : (tensor<9x4x5xf32>, tensor<i32>) -> tensor<4x5xf32>
      %189:15 = func.call @closed_call_0(%iterArg_81, %iterArg_82, %iterArg_83, %iterArg_85, %iterArg_86, %188) : (tensor<5x24xf32>, tensor<6x24xf32>, tensor<1x24xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x5xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>)
      %190 = func.call @dynamic_update_index_in_dim(%iterArg_87, %189#2, %187) : (tensor<9x4x6xf32>, tensor<4x6xf32>, tensor<i32>) -> tensor<9x4x6xf32>
      %191 = func.call @dynamic_update_index_in_dim(%iterArg_88, %189#3, %187) : (tensor<9x4x6xf32>, tensor<4x6xf32>, tensor<i32>) -> tensor<9x4x6xf32>
      %192 = func.call @dynamic_update_index_in_dim(%iterArg_89, %189#4, %187) : (tensor<9x4x6xf32>, tensor<4x6xf32>, tensor<i32>) -> tensor<9x4x6xf32>
      %193 = func.call @dynamic_update_index_in_dim(%iterArg_90, %189#5, %187) : (tensor<9x4x6xf32>, tensor<4x6xf32>, tensor<i32>) -> tensor<9x4x6xf32>
      %194 = func.call @dynamic_update_index_in_dim(%iterArg_91, %189#6, %187) : (tensor<9x4x6xf32>, tensor<4x6xf32>, tensor<i32>) -> tensor<9x4x6xf32>
      %195 = func.call @dynamic_update_index_in_dim(%iterArg_92, %189#7, %187) : (tensor<9x4x6xf32>, tensor<4x6xf32>, tensor<i32>) -> tensor<9x4x6xf32>
      %196 = func.call @dynamic_update_index_in_dim(%iterArg_93, %189#8, %187) : (tensor<9x4x6xf32>, tensor<4x6xf32>, tensor<i32>) -> tensor<9x4x6xf32>
      %197 = func.call @dynamic_update_index_in_dim(%iterArg_94, %189#9, %187) : (tensor<9x4x6xf32>, tensor<4x6xf32>, tensor<i32>) -> tensor<9x4x6xf32>
      %198 = func.call @dynamic_update_index_in_dim(%iterArg_95, %189#10, %187) : (tensor<9x4x6xf32>, tensor<4x6xf32>, tensor<i32>) -> tensor<9x4x6xf32>
      %199 = func.call @dynamic_update_index_in_dim(%iterArg_96, %189#11, %187) : (tensor<9x4x6xf32>, tensor<4x6xf32>, tensor<i32>) -> tensor<9x4x6xf32>
      %200 = func.call @dynamic_update_index_in_dim(%iterArg_97, %189#12, %187) : (tensor<9x4x6xf32>, tensor<4x6xf32>, tensor<i32>) -> tensor<9x4x6xf32>
      %201 = func.call @dynamic_update_index_in_dim(%iterArg_98, %189#13, %187) : (tensor<9x4x6xf32>, tensor<4x6xf32>, tensor<i32>) -> tensor<9x4x6xf32>
      %202 = func.call @dynamic_update_index_in_dim(%iterArg_99, %189#14, %187) : (tensor<9x4x6xf32>, tensor<4x6xf32>, tensor<i32>) -> tensor<9x4x6xf32>
      %c_102 = stablehlo.constant dense<1> : tensor<i32>
      %203 = stablehlo.add %iterArg_84, %c_102 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_81, %iterArg_82, %iterArg_83, %203, %189#0, %189#1, %190, %191, %192, %193, %194, %195, %196, %197, %198, %199, %200, %201, %202 : tensor<9x4x5xf32>, tensor<5x24xf32>, tensor<6x24xf32>, tensor<1x24xf32>, tensor<i32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>
    }
    %44 = call @_flip(%43#7) : (tensor<9x4x6xf32>) -> tensor<9x4x6xf32>
    %45 = stablehlo.slice %44 [8:9, 0:4, 0:6] : (tensor<9x4x6xf32>) -> tensor<1x4x6xf32>
    %46 = stablehlo.reshape %45 : (tensor<1x4x6xf32>) -> tensor<4x6xf32>
    %47 = stablehlo.transpose %44, dims = [1, 0, 2] : (tensor<9x4x6xf32>) -> tensor<4x9x6xf32>
    %48 = stablehlo.concatenate %22, %46, dim = 1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x12xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.reduce(%48 init: %cst_32) applies stablehlo.add across dimensions = [1] : (tensor<4x12xf32>, tensor<f32>) -> tensor<4xf32>
    %50 = stablehlo.broadcast_in_dim %49, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %cst_33 = stablehlo.constant dense<1.200000e+01> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<4x1xf32>
    %52 = stablehlo.divide %50, %51 : tensor<4x1xf32>
    %c_34 = stablehlo.constant dense<0> : tensor<i32>
    %53:5 = call @_var(%48, %c_34) : (tensor<4x12xf32>, tensor<i32>) -> (tensor<4x1xf32>, tensor<4x12xf32>, tensor<f32>, tensor<i1>, tensor<4x1xf32>)
    %54 = stablehlo.reshape %arg6 : (tensor<12xf32>) -> tensor<1x12xf32>
    %55 = stablehlo.reshape %arg7 : (tensor<12xf32>) -> tensor<1x12xf32>
    %cst_35 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<4x1xf32>
    %57 = stablehlo.add %53#0, %56 : tensor<4x1xf32>
    %58 = stablehlo.rsqrt %57 : tensor<4x1xf32>
    %59 = stablehlo.divide %58, %57 : tensor<4x1xf32>
    %cst_36 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<4x1xf32>
    %61 = stablehlo.multiply %60, %59 : tensor<4x1xf32>
    %62 = stablehlo.broadcast_in_dim %58, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x12xf32>
    %63 = stablehlo.broadcast_in_dim %54, dims = [0, 1] : (tensor<1x12xf32>) -> tensor<4x12xf32>
    %64 = stablehlo.multiply %62, %63 : tensor<4x12xf32>
    %65 = stablehlo.negate %52 : tensor<4x1xf32>
    %66 = stablehlo.broadcast_in_dim %65, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x12xf32>
    %67 = stablehlo.multiply %66, %64 : tensor<4x12xf32>
    %68 = stablehlo.broadcast_in_dim %55, dims = [0, 1] : (tensor<1x12xf32>) -> tensor<4x12xf32>
    %69 = stablehlo.add %67, %68 : tensor<4x12xf32>
    %70 = stablehlo.multiply %48, %64 : tensor<4x12xf32>
    %71 = stablehlo.add %70, %69 : tensor<4x12xf32>
    %72 = stablehlo.dot_general %71, %arg8, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x12xf32>, tensor<12x4xf32>) -> tensor<4x4xf32>
    %73 = stablehlo.broadcast_in_dim %arg9, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %74 = stablehlo.broadcast_in_dim %73, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<4x4xf32>
    %75 = stablehlo.add %72, %74 : tensor<4x4xf32>
    %76 = stablehlo.convert %arg13 : (tensor<4xi32>) -> tensor<4xf32>
    %77 = stablehlo.convert %76 : (tensor<4xf32>) -> tensor<4xi32>
    %78:3 = call @log_softmax(%75) : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x1xf32>)
    %79 = call @_one_hot(%77) : (tensor<4xi32>) -> tensor<4x4xf32>
    %80 = stablehlo.multiply %79, %78#0 : tensor<4x4xf32>
    %cst_37 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %81 = stablehlo.reduce(%80 init: %cst_37) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %82 = stablehlo.negate %81 : tensor<4xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %83 = stablehlo.reduce(%82 init: %cst_38) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %c_39 = stablehlo.constant dense<1> : tensor<i32>
    %84 = stablehlo.reduce(%c init: %c_39) applies stablehlo.multiply across dimensions = [0] : (tensor<1xi32>, tensor<i32>) -> tensor<i32>
    %85 = stablehlo.convert %84 : (tensor<i32>) -> tensor<f32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %86 = stablehlo.compare EQ, %85, %cst_40, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %c_41 = stablehlo.constant dense<1> : tensor<i32>
    %87 = call @_where_1(%86, %c_41, %85) : (tensor<i1>, tensor<i32>, tensor<f32>) -> tensor<f32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %88 = stablehlo.compare EQ, %85, %cst_42, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %89 = stablehlo.divide %83, %87 : tensor<f32>
    %c_43 = stablehlo.constant dense<0> : tensor<i32>
    %90:2 = call @_where_2(%88, %c_43, %89) : (tensor<i1>, tensor<i32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %91 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %92 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %93 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %94 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %cst_48 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %95 = call @_where_3(%88, %90#1, %cst_48) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %96 = stablehlo.divide %95, %87 : tensor<f32>
    %97 = stablehlo.broadcast_in_dim %96, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %98 = stablehlo.negate %97 : tensor<4xf32>
    %99 = stablehlo.broadcast_in_dim %98, dims = [0] : (tensor<4xf32>) -> tensor<4x4xf32>
    %100 = stablehlo.multiply %79, %99 : tensor<4x4xf32>
    %101 = call @log_softmax_4(%78#1, %78#2, %100) : (tensor<4x4xf32>, tensor<4x1xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %102 = stablehlo.reduce(%101 init: %cst_49) applies stablehlo.add across dimensions = [0] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %103 = stablehlo.reshape %102 : (tensor<4xf32>) -> tensor<1x4xf32>
    %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %104 = stablehlo.reduce(%103 init: %cst_50) applies stablehlo.add across dimensions = [0] : (tensor<1x4xf32>, tensor<f32>) -> tensor<4xf32>
    %105 = stablehlo.dot_general %101, %71, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %106 = stablehlo.transpose %105, dims = [1, 0] : (tensor<4x12xf32>) -> tensor<12x4xf32>
    %107 = stablehlo.dot_general %101, %arg8, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<12x4xf32>) -> tensor<4x12xf32>
    %108 = stablehlo.multiply %48, %107 : tensor<4x12xf32>
    %109 = stablehlo.multiply %107, %64 : tensor<4x12xf32>
    %cst_51 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %110 = stablehlo.reduce(%107 init: %cst_51) applies stablehlo.add across dimensions = [0] : (tensor<4x12xf32>, tensor<f32>) -> tensor<12xf32>
    %111 = stablehlo.reshape %110 : (tensor<12xf32>) -> tensor<1x12xf32>
    %112 = stablehlo.broadcast_in_dim %65, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x12xf32>
    %113 = stablehlo.multiply %112, %107 : tensor<4x12xf32>
    %114 = stablehlo.add %108, %113 : tensor<4x12xf32>
    %115 = stablehlo.multiply %107, %64 : tensor<4x12xf32>
    %cst_52 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %116 = stablehlo.reduce(%115 init: %cst_52) applies stablehlo.add across dimensions = [1] : (tensor<4x12xf32>, tensor<f32>) -> tensor<4xf32>
    %117 = stablehlo.reshape %116 : (tensor<4xf32>) -> tensor<4x1xf32>
    %118 = stablehlo.negate %117 : tensor<4x1xf32>
    %119 = stablehlo.broadcast_in_dim %58, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x12xf32>
    %120 = stablehlo.multiply %119, %114 : tensor<4x12xf32>
    %cst_53 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %121 = stablehlo.reduce(%120 init: %cst_53) applies stablehlo.add across dimensions = [0] : (tensor<4x12xf32>, tensor<f32>) -> tensor<12xf32>
    %122 = stablehlo.reshape %121 : (tensor<12xf32>) -> tensor<1x12xf32>
    %123 = stablehlo.broadcast_in_dim %54, dims = [0, 1] : (tensor<1x12xf32>) -> tensor<4x12xf32>
    %124 = stablehlo.multiply %114, %123 : tensor<4x12xf32>
    %cst_54 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %125 = stablehlo.reduce(%124 init: %cst_54) applies stablehlo.add across dimensions = [1] : (tensor<4x12xf32>, tensor<f32>) -> tensor<4xf32>
    %126 = stablehlo.reshape %125 : (tensor<4xf32>) -> tensor<4x1xf32>
    %127 = stablehlo.multiply %126, %61 : tensor<4x1xf32>
    %128 = stablehlo.reshape %111 : (tensor<1x12xf32>) -> tensor<12xf32>
    %129 = stablehlo.reshape %122 : (tensor<1x12xf32>) -> tensor<12xf32>
    %130 = call @_var_5(%53#1, %53#2, %53#3, %53#4, %127) : (tensor<4x12xf32>, tensor<f32>, tensor<i1>, tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x12xf32>
    %131 = stablehlo.add %109, %130 : tensor<4x12xf32>
    %cst_55 = stablehlo.constant dense<1.200000e+01> : tensor<f32>
    %132 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<4x1xf32>
    %133 = stablehlo.divide %118, %132 : tensor<4x1xf32>
    %cst_56 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %134 = stablehlo.reduce(%133 init: %cst_56) applies stablehlo.add across dimensions = [1] : (tensor<4x1xf32>, tensor<f32>) -> tensor<4xf32>
    %135 = stablehlo.broadcast_in_dim %134, dims = [0] : (tensor<4xf32>) -> tensor<4x12xf32>
    %136 = stablehlo.add %131, %135 : tensor<4x12xf32>
    %137 = stablehlo.slice %136 [0:4, 0:6] : (tensor<4x12xf32>) -> tensor<4x6xf32>
    %138 = stablehlo.slice %136 [0:4, 6:12] : (tensor<4x12xf32>) -> tensor<4x6xf32>
    %139 = stablehlo.broadcast_in_dim %138, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %cst_57 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %140 = stablehlo.pad %139, %cst_57, low = [8, 0, 0], high = [0, 0, 0], interior = [0, 0, 0] : (tensor<1x4x6xf32>, tensor<f32>) -> tensor<9x4x6xf32>
    %141 = call @_flip_7(%140) : (tensor<9x4x6xf32>) -> tensor<9x4x6xf32>
    %cst_58 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %142 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %cst_59 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %143 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %cst_60 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %144 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<5x24xf32>
    %cst_61 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %145 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %cst_62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %146 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %c_63 = stablehlo.constant dense<0> : tensor<i32>
    %147:21 = stablehlo.while(%iterArg = %141, %iterArg_81 = %28, %iterArg_82 = %43#8, %iterArg_83 = %43#9, %iterArg_84 = %43#10, %iterArg_85 = %43#11, %iterArg_86 = %43#12, %iterArg_87 = %43#13, %iterArg_88 = %43#14, %iterArg_89 = %43#15, %iterArg_90 = %43#16, %iterArg_91 = %43#17, %iterArg_92 = %43#18, %iterArg_93 = %43#19, %iterArg_94 = %arg4, %iterArg_95 = %c_63, %iterArg_96 = %144, %iterArg_97 = %145, %iterArg_98 = %146, %iterArg_99 = %142, %iterArg_100 = %143) : tensor<9x4x6xf32>, tensor<9x4x5xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<6x24xf32>, tensor<i32>, tensor<5x24xf32>, tensor<6x24xf32>, tensor<24xf32>, tensor<4x6xf32>, tensor<4x6xf32>
    cond {
      %c_101 = stablehlo.constant dense<9> : tensor<i32>
      %186 = stablehlo.compare LT, %iterArg_95, %c_101, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %186 : tensor<i1>
    } do {
      %186 = func.call @dynamic_index_in_dim_8(%iterArg, %iterArg_95) : (tensor<9x4x6xf32>, tensor<i32>) -> tensor<4x6xf32>
      %187 = func.call @dynamic_index_in_dim(%iterArg_81, %iterArg_95) : (tensor<9x4x5xf32>, tensor<i32>) -> tensor<4x5xf32>
      %188 = func.call @dynamic_index_in_dim_8(%iterArg_82, %iterArg_95) : (tensor<9x4x6xf32>, tensor<i32>) -> tensor<4x6xf32>
      %189 = func.call @dynamic_index_in_dim_8(%iterArg_83, %iterArg_95) : (tensor<9x4x6xf32>, tensor<i32>) -> tensor<4x6xf32>
      %190 = func.call @dynamic_index_in_dim_8(%iterArg_84, %iterArg_95) : (tensor<9x4x6xf32>, tensor<i32>) -> tensor<4x6xf32>
      %191 = func.call @dynamic_index_in_dim_8(%iterArg_85, %iterArg_95) : (tensor<9x4x6xf32>, tensor<i32>) -> tensor<4x6xf32>
      %192 = func.call @dynamic_index_in_dim_8(%iterArg_86, %iterArg_95) : (tensor<9x4x6xf32>, tensor<i32>) -> tensor<4x6xf32>
      %193 = func.call @dynamic_index_in_dim_8(%iterArg_87, %iterArg_95) : (tensor<9x4x6xf32>, tensor<i32>) -> tensor<4x6xf32>
      %194 = func.call @dynamic_index_in_dim_8(%iterArg_88, %iterArg_95) : (tensor<9x4x6xf32>, tensor<i32>) -> tensor<4x6xf32>
      %195 = func.call @dynamic_index_in_dim_8(%iterArg_89, %iterArg_95) : (tensor<9x4x6xf32>, tensor<i32>) -> tensor<4x6xf32>
      %196 = func.call @dynamic_index_in_dim_8(%iterArg_90, %iterArg_95) : (tensor<9x4x6xf32>, tensor<i32>) -> tensor<4x6xf32>
      %197 = func.call @dynamic_index_in_dim_8(%iterArg_91, %iterArg_95) : (tensor<9x4x6xf32>, tensor<i32>) -> tensor<4x6xf32>
      %198 = func.call @dynamic_index_in_dim_8(%iterArg_92, %iterArg_95) : (tensor<9x4x6xf32>, tensor<i32>) -> tensor<4x6xf32>
      %199 = func.call @dynamic_index_in_dim_8(%iterArg_93, %iterArg_95) : (tensor<9x4x6xf32>, tensor<i32>) -> tensor<4x6xf32>
      %200:5 = func.call @closed_call_9(%iterArg_94, %iterArg_96, %iterArg_97, %iterArg_98, %iterArg_99, %iterArg_100, %186, %187, %188, %189, %190, %191, %192, %193, %194, %195, %196, %197, %198, %199) : (tensor<6x24xf32>, tensor<5x24xf32>, tensor<6x24xf32>, tensor<24xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x5xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) -> (tensor<5x24xf32>, tensor<6x24xf32>, tensor<24xf32>, tensor<4x6xf32>, tensor<4x6xf32>)
      %c_101 = stablehlo.constant dense<1> : tensor<i32>
      %201 = stablehlo.add %iterArg_95, %c_101 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_81, %iterArg_82, %iterArg_83, %iterArg_84, %iterArg_85, %iterArg_86, %iterArg_87, %iterArg_88, %iterArg_89, %iterArg_90, %iterArg_91, %iterArg_92, %iterArg_93, %iterArg_94, %201, %200#0, %200#1, %200#2, %200#3, %200#4 : tensor<9x4x6xf32>, tensor<9x4x5xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<6x24xf32>, tensor<i32>, tensor<5x24xf32>, tensor<6x24xf32>, tensor<24xf32>, tensor<4x6xf32>, tensor<4x6xf32>
    }
    %148 = stablehlo.broadcast_in_dim %137, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %cst_64 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %149 = stablehlo.pad %148, %cst_64, low = [8, 0, 0], high = [0, 0, 0], interior = [0, 0, 0] : (tensor<1x4x6xf32>, tensor<f32>) -> tensor<9x4x6xf32>
    %cst_65 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %150 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %cst_66 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %151 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %cst_67 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %152 = stablehlo.broadcast_in_dim %cst_67, dims = [] : (tensor<f32>) -> tensor<5x24xf32>
    %cst_68 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %153 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %cst_69 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %154 = stablehlo.broadcast_in_dim %cst_69, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %c_70 = stablehlo.constant dense<0> : tensor<i32>
    %155:21 = stablehlo.while(%iterArg = %149, %iterArg_81 = %5, %iterArg_82 = %20#8, %iterArg_83 = %20#9, %iterArg_84 = %20#10, %iterArg_85 = %20#11, %iterArg_86 = %20#12, %iterArg_87 = %20#13, %iterArg_88 = %20#14, %iterArg_89 = %20#15, %iterArg_90 = %20#16, %iterArg_91 = %20#17, %iterArg_92 = %20#18, %iterArg_93 = %20#19, %iterArg_94 = %arg1, %iterArg_95 = %c_70, %iterArg_96 = %152, %iterArg_97 = %153, %iterArg_98 = %154, %iterArg_99 = %150, %iterArg_100 = %151) : tensor<9x4x6xf32>, tensor<9x4x5xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<6x24xf32>, tensor<i32>, tensor<5x24xf32>, tensor<6x24xf32>, tensor<24xf32>, tensor<4x6xf32>, tensor<4x6xf32>
    cond {
      %c_101 = stablehlo.constant dense<9> : tensor<i32>
      %186 = stablehlo.compare LT, %iterArg_95, %c_101, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %186 : tensor<i1>
    } do {
      %c_101 = stablehlo.constant dense<9> : tensor<i32>
      %186 = stablehlo.subtract %c_101, %iterArg_95 : tensor<i32>
      %c_102 = stablehlo.constant dense<1> : tensor<i32>
      %187 = stablehlo.subtract %186, %c_102 : tensor<i32>
      %188 = func.call @dynamic_index_in_dim_8(%iterArg, %187) : (tensor<9x4x6xf32>, tensor<i32>) -> tensor<4x6xf32>
      %189 = func.call @dynamic_index_in_dim(%iterArg_81, %187) : (tensor<9x4x5xf32>, tensor<i32>) -> tensor<4x5xf32>
      %190 = func.call @dynamic_index_in_dim_8(%iterArg_82, %187) : (tensor<9x4x6xf32>, tensor<i32>) -> tensor<4x6xf32>
      %191 = func.call @dynamic_index_in_dim_8(%iterArg_83, %187) : (tensor<9x4x6xf32>, tensor<i32>) -> tensor<4x6xf32>
      %192 = func.call @dynamic_index_in_dim_8(%iterArg_84, %187) : (tensor<9x4x6xf32>, tensor<i32>) -> tensor<4x6xf32>
      %193 = func.call @dynamic_index_in_dim_8(%iterArg_85, %187) : (tensor<9x4x6xf32>, tensor<i32>) -> tensor<4x6xf32>
      %194 = func.call @dynamic_index_in_dim_8(%iterArg_86, %187) : (tensor<9x4x6xf32>, tensor<i32>) -> tensor<4x6xf32>
      %195 = func.call @dynamic_index_in_dim_8(%iterArg_87, %187) : (tensor<9x4x6xf32>, tensor<i32>) -> tensor<4x6xf32>
      %196 = func.call @dynamic_index_in_dim_8(%iterArg_88, %187) : (tensor<9x4x6xf32>, tensor<i32>) -> tensor<4x6xf32>
      %197 = func.call @dynamic_index_in_dim_8(%iterArg_89, %187) : (tensor<9x4x6xf32>, tensor<i32>) -> tensor<4x6xf32>
      %198 = func.call @dynamic_index_in_dim_8(%iterArg_90, %187) : (tensor<9x4x6xf32>, tensor<i32>) -> tensor<4x6xf32>
      %199 = func.call @dynamic_index_in_dim_8(%iterArg_91, %187) : (tensor<9x4x6xf32>, tensor<i32>) -> tensor<4x6xf32>
      %200 = func.call @dynamic_index_in_dim_8(%iterArg_92, %187) : (tensor<9x4x6xf32>, tensor<i32>) -> tensor<4x6xf32>
      %201 = func.call @dynamic_index_in_dim_8(%iterArg_93, %187) : (tensor<9x4x6xf32>, tensor<i32>) -> tensor<4x6xf32>
      %202:5 = func.call @closed_call_10(%iterArg_94, %iterArg_96, %iterArg_97, %iterArg_98, %iterArg_99, %iterArg_100, %188, %189, %190, %191, %192, %193, %194, %195, %196, %197, %198, %199, %200, %201) : (tensor<6x24xf32>, tensor<5x24xf32>, tensor<6x24xf32>, tensor<24xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x5xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) -> (tensor<5x24xf32>, tensor<6x24xf32>, tensor<24xf32>, tensor<4x6xf32>, tensor<4x6xf32>)
      %c_103 = stablehlo.constant dense<1> : tensor<i32>
      %203 = stablehlo.add %iterArg_95, %c_103 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_81, %iterArg_82, %iterArg_83, %iterArg_84, %iterArg_85, %iterArg_86, %iterArg_87, %iterArg_88, %iterArg_89, %iterArg_90, %iterArg_91, %iterArg_92, %iterArg_93, %iterArg_94, %203, %202#0, %202#1, %202#2, %202#3, %202#4 : tensor<9x4x6xf32>, tensor<9x4x5xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<9x4x6xf32>, tensor<6x24xf32>, tensor<i32>, tensor<5x24xf32>, tensor<6x24xf32>, tensor<24xf32>, tensor<4x6xf32>, tensor<4x6xf32>
    }
    %cst_71 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %156 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f32>) -> tensor<5x24xf32>
    %157 = stablehlo.multiply %156, %155#16 : tensor<5x24xf32>
    %158 = stablehlo.subtract %arg0, %157 : tensor<5x24xf32>
    %cst_72 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %159 = stablehlo.broadcast_in_dim %cst_72, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %160 = stablehlo.multiply %159, %155#17 : tensor<6x24xf32>
    %161 = stablehlo.subtract %arg1, %160 : tensor<6x24xf32>
    %cst_73 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %162 = stablehlo.broadcast_in_dim %cst_73, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %163 = stablehlo.multiply %162, %155#18 : tensor<24xf32>
    %164 = stablehlo.subtract %arg2, %163 : tensor<24xf32>
    %cst_74 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %165 = stablehlo.broadcast_in_dim %cst_74, dims = [] : (tensor<f32>) -> tensor<5x24xf32>
    %166 = stablehlo.multiply %165, %147#16 : tensor<5x24xf32>
    %167 = stablehlo.subtract %arg3, %166 : tensor<5x24xf32>
    %cst_75 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %168 = stablehlo.broadcast_in_dim %cst_75, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %169 = stablehlo.multiply %168, %147#17 : tensor<6x24xf32>
    %170 = stablehlo.subtract %arg4, %169 : tensor<6x24xf32>
    %cst_76 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %171 = stablehlo.broadcast_in_dim %cst_76, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %172 = stablehlo.multiply %171, %147#18 : tensor<24xf32>
    %173 = stablehlo.subtract %arg5, %172 : tensor<24xf32>
    %cst_77 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %174 = stablehlo.broadcast_in_dim %cst_77, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %175 = stablehlo.multiply %174, %129 : tensor<12xf32>
    %176 = stablehlo.subtract %arg6, %175 : tensor<12xf32>
    %cst_78 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %177 = stablehlo.broadcast_in_dim %cst_78, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %178 = stablehlo.multiply %177, %128 : tensor<12xf32>
    %179 = stablehlo.subtract %arg7, %178 : tensor<12xf32>
    %cst_79 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %180 = stablehlo.broadcast_in_dim %cst_79, dims = [] : (tensor<f32>) -> tensor<12x4xf32>
    %181 = stablehlo.multiply %180, %106 : tensor<12x4xf32>
    %182 = stablehlo.subtract %arg8, %181 : tensor<12x4xf32>
    %cst_80 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %183 = stablehlo.broadcast_in_dim %cst_80, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %184 = stablehlo.multiply %183, %104 : tensor<4xf32>
    %185 = stablehlo.subtract %arg9, %184 : tensor<4xf32>
    return %90#0, %158, %161, %164, %167, %170, %173, %176, %179, %182, %185, %arg10, %arg11 : tensor<f32>, tensor<5x24xf32>, tensor<6x24xf32>, tensor<24xf32>, tensor<5x24xf32>, tensor<6x24xf32>, tensor<24xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12x4xf32>, tensor<4xf32>, tensor<2xui32>, tensor<2xui32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<9x4x5xf32>, %arg1: tensor<i32>) -> tensor<4x5xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 4, 5] : (tensor<9x4x5xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x5xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x4x5xf32>) -> tensor<4x5xf32>
    return %1 : tensor<4x5xf32>
  }
  func.func private @closed_call(%arg0: tensor<5x24xf32>, %arg1: tensor<6x24xf32>, %arg2: tensor<1x24xf32>, %arg3: tensor<4x6xf32>, %arg4: tensor<4x6xf32>, %arg5: tensor<4x5xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
    %0 = stablehlo.dot_general %arg5, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x5xf32>, tensor<5x24xf32>) -> tensor<4x24xf32>
    %1 = stablehlo.dot_general %arg3, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6xf32>, tensor<6x24xf32>) -> tensor<4x24xf32>
    %2 = stablehlo.add %0, %1 : tensor<4x24xf32>
    %3 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1] : (tensor<1x24xf32>) -> tensor<4x24xf32>
    %4 = stablehlo.add %2, %3 : tensor<4x24xf32>
    %5 = stablehlo.slice %4 [0:4, 0:6] : (tensor<4x24xf32>) -> tensor<4x6xf32>
    %6 = stablehlo.slice %4 [0:4, 6:12] : (tensor<4x24xf32>) -> tensor<4x6xf32>
    %7 = stablehlo.slice %4 [0:4, 12:18] : (tensor<4x24xf32>) -> tensor<4x6xf32>
    %8 = stablehlo.slice %4 [0:4, 18:24] : (tensor<4x24xf32>) -> tensor<4x6xf32>
    %9 = stablehlo.negate %5 : tensor<4x6xf32>
    %10 = stablehlo.exponential %9 : tensor<4x6xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %12 = stablehlo.add %11, %10 : tensor<4x6xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %14 = stablehlo.divide %13, %12 : tensor<4x6xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %16 = stablehlo.subtract %15, %14 : tensor<4x6xf32>
    %17 = stablehlo.multiply %14, %16 : tensor<4x6xf32>
    %18 = stablehlo.negate %6 : tensor<4x6xf32>
    %19 = stablehlo.exponential %18 : tensor<4x6xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %21 = stablehlo.add %20, %19 : tensor<4x6xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %23 = stablehlo.divide %22, %21 : tensor<4x6xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %25 = stablehlo.subtract %24, %23 : tensor<4x6xf32>
    %26 = stablehlo.multiply %23, %25 : tensor<4x6xf32>
    %27 = stablehlo.multiply %23, %arg4 : tensor<4x6xf32>
    %28 = stablehlo.tanh %7 : tensor<4x6xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %30 = stablehlo.subtract %29, %28 : tensor<4x6xf32>
    %31 = stablehlo.multiply %14, %28 : tensor<4x6xf32>
    %32 = stablehlo.add %27, %31 : tensor<4x6xf32>
    %33 = stablehlo.negate %8 : tensor<4x6xf32>
    %34 = stablehlo.exponential %33 : tensor<4x6xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %36 = stablehlo.add %35, %34 : tensor<4x6xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %38 = stablehlo.divide %37, %36 : tensor<4x6xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %40 = stablehlo.subtract %39, %38 : tensor<4x6xf32>
    %41 = stablehlo.multiply %38, %40 : tensor<4x6xf32>
    %42 = stablehlo.tanh %32 : tensor<4x6xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %44 = stablehlo.subtract %43, %42 : tensor<4x6xf32>
    %45 = stablehlo.multiply %38, %42 : tensor<4x6xf32>
    return %45, %32, %45, %arg3, %17, %26, %arg4, %23, %28, %30, %14, %41, %42, %44, %38 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<9x4x6xf32>, %arg1: tensor<4x6xf32>, %arg2: tensor<i32>) -> tensor<9x4x6xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<9x4x6xf32>, tensor<1x4x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<9x4x6xf32>
    return %1 : tensor<9x4x6xf32>
  }
  func.func private @closed_call_0(%arg0: tensor<5x24xf32>, %arg1: tensor<6x24xf32>, %arg2: tensor<1x24xf32>, %arg3: tensor<4x6xf32>, %arg4: tensor<4x6xf32>, %arg5: tensor<4x5xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
    %0 = stablehlo.dot_general %arg5, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x5xf32>, tensor<5x24xf32>) -> tensor<4x24xf32>
    %1 = stablehlo.dot_general %arg3, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6xf32>, tensor<6x24xf32>) -> tensor<4x24xf32>
    %2 = stablehlo.add %0, %1 : tensor<4x24xf32>
    %3 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1] : (tensor<1x24xf32>) -> tensor<4x24xf32>
    %4 = stablehlo.add %2, %3 : tensor<4x24xf32>
    %5 = stablehlo.slice %4 [0:4, 0:6] : (tensor<4x24xf32>) -> tensor<4x6xf32>
    %6 = stablehlo.slice %4 [0:4, 6:12] : (tensor<4x24xf32>) -> tensor<4x6xf32>
    %7 = stablehlo.slice %4 [0:4, 12:18] : (tensor<4x24xf32>) -> tensor<4x6xf32>
    %8 = stablehlo.slice %4 [0:4, 18:24] : (tensor<4x24xf32>) -> tensor<4x6xf32>
    %9 = stablehlo.negate %5 : tensor<4x6xf32>
    %10 = stablehlo.exponential %9 : tensor<4x6xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %12 = stablehlo.add %11, %10 : tensor<4x6xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %14 = stablehlo.divide %13, %12 : tensor<4x6xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %16 = stablehlo.subtract %15, %14 : tensor<4x6xf32>
    %17 = stablehlo.multiply %14, %16 : tensor<4x6xf32>
    %18 = stablehlo.negate %6 : tensor<4x6xf32>
    %19 = stablehlo.exponential %18 : tensor<4x6xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %21 = stablehlo.add %20, %19 : tensor<4x6xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %23 = stablehlo.divide %22, %21 : tensor<4x6xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %25 = stablehlo.subtract %24, %23 : tensor<4x6xf32>
    %26 = stablehlo.multiply %23, %25 : tensor<4x6xf32>
    %27 = stablehlo.multiply %23, %arg4 : tensor<4x6xf32>
    %28 = stablehlo.tanh %7 : tensor<4x6xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %30 = stablehlo.subtract %29, %28 : tensor<4x6xf32>
    %31 = stablehlo.multiply %14, %28 : tensor<4x6xf32>
    %32 = stablehlo.add %27, %31 : tensor<4x6xf32>
    %33 = stablehlo.negate %8 : tensor<4x6xf32>
    %34 = stablehlo.exponential %33 : tensor<4x6xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %36 = stablehlo.add %35, %34 : tensor<4x6xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %38 = stablehlo.divide %37, %36 : tensor<4x6xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %40 = stablehlo.subtract %39, %38 : tensor<4x6xf32>
    %41 = stablehlo.multiply %38, %40 : tensor<4x6xf32>
    %42 = stablehlo.tanh %32 : tensor<4x6xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %44 = stablehlo.subtract %43, %42 : tensor<4x6xf32>
    %45 = stablehlo.multiply %38, %42 : tensor<4x6xf32>
    return %45, %32, %45, %arg3, %17, %26, %arg4, %23, %28, %30, %14, %41, %42, %44, %38 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
  }
  func.func private @_flip(%arg0: tensor<9x4x6xf32>) -> tensor<9x4x6xf32> {
    %0 = stablehlo.reverse %arg0, dims = [0] : tensor<9x4x6xf32>
    return %0 : tensor<9x4x6xf32>
  }
  func.func private @_var(%arg0: tensor<4x12xf32>, %arg1: tensor<i32>) -> (tensor<4x1xf32>, tensor<4x12xf32>, tensor<f32>, tensor<i1>, tensor<4x1xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<4x12xf32>, tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %cst_0 = stablehlo.constant dense<1.200000e+01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<4x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x12xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<4x12xf32>
    %6 = chlo.square %5 : tensor<4x12xf32> -> tensor<4x12xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x12xf32>
    %8 = stablehlo.multiply %7, %5 : tensor<4x12xf32>
    %9 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<1.200000e+01> : tensor<f32>
    %10 = stablehlo.subtract %cst_2, %9 : tensor<f32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%6 init: %cst_3) applies stablehlo.add across dimensions = [1] : (tensor<4x12xf32>, tensor<f32>) -> tensor<4xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %13 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<4x1xf32>
    %14 = stablehlo.divide %12, %13 : tensor<4x1xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.compare GT, %10, %cst_4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_5 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %16:2 = call @_where(%15, %14, %cst_5) : (tensor<i1>, tensor<4x1xf32>, tensor<f32>) -> (tensor<4x1xf32>, tensor<4x1xf32>)
    return %16#0, %8, %10, %15, %16#1 : tensor<4x1xf32>, tensor<4x12xf32>, tensor<f32>, tensor<i1>, tensor<4x1xf32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<4x1xf32>, %arg2: tensor<f32>) -> (tensor<4x1xf32>, tensor<4x1xf32>) {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x1xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<i1>, tensor<4x1xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x1xf32>
    return %2, %3 : tensor<4x1xf32>, tensor<4x1xf32>
  }
  func.func private @log_softmax(%arg0: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<4xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<4x4xf32>
    %6 = stablehlo.exponential %5 : tensor<4x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %9 = stablehlo.log %8 : tensor<4x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<4x4xf32>
    return %11, %6, %8 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x1xf32>
  }
  func.func private @_one_hot(%arg0: tensor<4xi32>) -> tensor<4x4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %1 = stablehlo.iota dim = 1 : tensor<1x4xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<4x1xi32>) -> tensor<4x4xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x4xi32>) -> tensor<4x4xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
    %5 = stablehlo.convert %4 : (tensor<4x4xi1>) -> tensor<4x4xf32>
    return %5 : tensor<4x4xf32>
  }
  func.func private @_where_1(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<i1>, tensor<f32>
    return %1 : tensor<f32>
  }
  func.func private @_where_2(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<i1>, tensor<f32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    return %1, %cst : tensor<f32>, tensor<f32>
  }
  func.func private @_where_3(%arg0: tensor<i1>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<f32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.select %arg0, %cst, %arg2 : tensor<i1>, tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @log_softmax_4(%arg0: tensor<4x4xf32>, %arg1: tensor<4x1xf32>, %arg2: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = stablehlo.negate %arg2 : tensor<4x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.reshape %1 : (tensor<4xf32>) -> tensor<4x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<4x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<4x1xf32>, tensor<f32>) -> tensor<4xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<4xf32>) -> tensor<4x4xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<4x4xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<4x4xf32>
    return %7 : tensor<4x4xf32>
  }
  func.func private @_var_5(%arg0: tensor<4x12xf32>, %arg1: tensor<f32>, %arg2: tensor<i1>, %arg3: tensor<4x1xf32>, %arg4: tensor<4x1xf32>) -> tensor<4x12xf32> {
    %0 = call @_where_6(%arg2, %arg3, %arg4) : (tensor<i1>, tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<4x1xf32>
    %2 = stablehlo.divide %0, %1 : tensor<4x1xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<4x1xf32>, tensor<f32>) -> tensor<4xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<4xf32>) -> tensor<4x12xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<4x12xf32>
    %6 = stablehlo.negate %5 : tensor<4x12xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<4x12xf32>, tensor<f32>) -> tensor<4xf32>
    %8 = stablehlo.reshape %7 : (tensor<4xf32>) -> tensor<4x1xf32>
    %cst_1 = stablehlo.constant dense<1.200000e+01> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x1xf32>
    %10 = stablehlo.divide %8, %9 : tensor<4x1xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%10 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<4x1xf32>, tensor<f32>) -> tensor<4xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<4xf32>) -> tensor<4x12xf32>
    %13 = stablehlo.add %5, %12 : tensor<4x12xf32>
    return %13 : tensor<4x12xf32>
  }
  func.func private @_where_6(%arg0: tensor<i1>, %arg1: tensor<4x1xf32>, %arg2: tensor<4x1xf32>) -> tensor<4x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x1xf32>
    %1 = stablehlo.select %arg0, %arg2, %0 : tensor<i1>, tensor<4x1xf32>
    return %1 : tensor<4x1xf32>
  }
  func.func private @_flip_7(%arg0: tensor<9x4x6xf32>) -> tensor<9x4x6xf32> {
    %0 = stablehlo.reverse %arg0, dims = [0] : tensor<9x4x6xf32>
    return %0 : tensor<9x4x6xf32>
  }
  func.func private @dynamic_index_in_dim_8(%arg0: tensor<9x4x6xf32>, %arg1: tensor<i32>) -> tensor<4x6xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 4, 6] : (tensor<9x4x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x6xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x4x6xf32>) -> tensor<4x6xf32>
    return %1 : tensor<4x6xf32>
  }
  func.func private @closed_call_9(%arg0: tensor<6x24xf32>, %arg1: tensor<5x24xf32>, %arg2: tensor<6x24xf32>, %arg3: tensor<24xf32>, %arg4: tensor<4x6xf32>, %arg5: tensor<4x6xf32>, %arg6: tensor<4x6xf32>, %arg7: tensor<4x5xf32>, %arg8: tensor<4x6xf32>, %arg9: tensor<4x6xf32>, %arg10: tensor<4x6xf32>, %arg11: tensor<4x6xf32>, %arg12: tensor<4x6xf32>, %arg13: tensor<4x6xf32>, %arg14: tensor<4x6xf32>, %arg15: tensor<4x6xf32>, %arg16: tensor<4x6xf32>, %arg17: tensor<4x6xf32>, %arg18: tensor<4x6xf32>, %arg19: tensor<4x6xf32>) -> (tensor<5x24xf32>, tensor<6x24xf32>, tensor<24xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
    %0 = stablehlo.add %arg4, %arg6 : tensor<4x6xf32>
    %1 = stablehlo.multiply %arg19, %0 : tensor<4x6xf32>
    %2 = stablehlo.multiply %0, %arg17 : tensor<4x6xf32>
    %3 = stablehlo.multiply %1, %arg18 : tensor<4x6xf32>
    %4 = stablehlo.add %arg5, %3 : tensor<4x6xf32>
    %5 = stablehlo.multiply %3, %arg17 : tensor<4x6xf32>
    %6 = stablehlo.add %4, %5 : tensor<4x6xf32>
    %7 = stablehlo.multiply %2, %arg16 : tensor<4x6xf32>
    %8 = stablehlo.multiply %arg15, %6 : tensor<4x6xf32>
    %9 = stablehlo.multiply %6, %arg13 : tensor<4x6xf32>
    %10 = stablehlo.multiply %8, %arg14 : tensor<4x6xf32>
    %11 = stablehlo.multiply %10, %arg13 : tensor<4x6xf32>
    %12 = stablehlo.add %10, %11 : tensor<4x6xf32>
    %13 = stablehlo.multiply %arg12, %6 : tensor<4x6xf32>
    %14 = stablehlo.multiply %6, %arg11 : tensor<4x6xf32>
    %15 = stablehlo.multiply %14, %arg10 : tensor<4x6xf32>
    %16 = stablehlo.multiply %9, %arg9 : tensor<4x6xf32>
    %17 = stablehlo.concatenate %16, %15, %12, %7, dim = 1 : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x24xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.reduce(%17 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4x24xf32>, tensor<f32>) -> tensor<24xf32>
    %19 = stablehlo.reshape %18 : (tensor<24xf32>) -> tensor<1x24xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.reduce(%19 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<1x24xf32>, tensor<f32>) -> tensor<24xf32>
    %21 = stablehlo.add %arg3, %20 : tensor<24xf32>
    %22 = stablehlo.dot_general %17, %arg8, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x24xf32>, tensor<4x6xf32>) -> tensor<24x6xf32>
    %23 = stablehlo.transpose %22, dims = [1, 0] : (tensor<24x6xf32>) -> tensor<6x24xf32>
    %24 = stablehlo.add %arg2, %23 : tensor<6x24xf32>
    %25 = stablehlo.dot_general %17, %arg0, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x24xf32>, tensor<6x24xf32>) -> tensor<4x6xf32>
    %26 = stablehlo.dot_general %17, %arg7, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x24xf32>, tensor<4x5xf32>) -> tensor<24x5xf32>
    %27 = stablehlo.transpose %26, dims = [1, 0] : (tensor<24x5xf32>) -> tensor<5x24xf32>
    %28 = stablehlo.add %arg1, %27 : tensor<5x24xf32>
    return %28, %24, %21, %25, %13 : tensor<5x24xf32>, tensor<6x24xf32>, tensor<24xf32>, tensor<4x6xf32>, tensor<4x6xf32>
  }
  func.func private @closed_call_10(%arg0: tensor<6x24xf32>, %arg1: tensor<5x24xf32>, %arg2: tensor<6x24xf32>, %arg3: tensor<24xf32>, %arg4: tensor<4x6xf32>, %arg5: tensor<4x6xf32>, %arg6: tensor<4x6xf32>, %arg7: tensor<4x5xf32>, %arg8: tensor<4x6xf32>, %arg9: tensor<4x6xf32>, %arg10: tensor<4x6xf32>, %arg11: tensor<4x6xf32>, %arg12: tensor<4x6xf32>, %arg13: tensor<4x6xf32>, %arg14: tensor<4x6xf32>, %arg15: tensor<4x6xf32>, %arg16: tensor<4x6xf32>, %arg17: tensor<4x6xf32>, %arg18: tensor<4x6xf32>, %arg19: tensor<4x6xf32>) -> (tensor<5x24xf32>, tensor<6x24xf32>, tensor<24xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
    %0 = stablehlo.add %arg4, %arg6 : tensor<4x6xf32>
    %1 = stablehlo.multiply %arg19, %0 : tensor<4x6xf32>
    %2 = stablehlo.multiply %0, %arg17 : tensor<4x6xf32>
    %3 = stablehlo.multiply %1, %arg18 : tensor<4x6xf32>
    %4 = stablehlo.add %arg5, %3 : tensor<4x6xf32>
    %5 = stablehlo.multiply %3, %arg17 : tensor<4x6xf32>
    %6 = stablehlo.add %4, %5 : tensor<4x6xf32>
    %7 = stablehlo.multiply %2, %arg16 : tensor<4x6xf32>
    %8 = stablehlo.multiply %arg15, %6 : tensor<4x6xf32>
    %9 = stablehlo.multiply %6, %arg13 : tensor<4x6xf32>
    %10 = stablehlo.multiply %8, %arg14 : tensor<4x6xf32>
    %11 = stablehlo.multiply %10, %arg13 : tensor<4x6xf32>
    %12 = stablehlo.add %10, %11 : tensor<4x6xf32>
    %13 = stablehlo.multiply %arg12, %6 : tensor<4x6xf32>
    %14 = stablehlo.multiply %6, %arg11 : tensor<4x6xf32>
    %15 = stablehlo.multiply %14, %arg10 : tensor<4x6xf32>
    %16 = stablehlo.multiply %9, %arg9 : tensor<4x6xf32>
    %17 = stablehlo.concatenate %16, %15, %12, %7, dim = 1 : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x24xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.reduce(%17 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4x24xf32>, tensor<f32>) -> tensor<24xf32>
    %19 = stablehlo.reshape %18 : (tensor<24xf32>) -> tensor<1x24xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.reduce(%19 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<1x24xf32>, tensor<f32>) -> tensor<24xf32>
    %21 = stablehlo.add %arg3, %20 : tensor<24xf32>
    %22 = stablehlo.dot_general %17, %arg8, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x24xf32>, tensor<4x6xf32>) -> tensor<24x6xf32>
    %23 = stablehlo.transpose %22, dims = [1, 0] : (tensor<24x6xf32>) -> tensor<6x24xf32>
    %24 = stablehlo.add %arg2, %23 : tensor<6x24xf32>
    %25 = stablehlo.dot_general %17, %arg0, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x24xf32>, tensor<6x24xf32>) -> tensor<4x6xf32>
    %26 = stablehlo.dot_general %17, %arg7, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x24xf32>, tensor<4x5xf32>) -> tensor<24x5xf32>
    %27 = stablehlo.transpose %26, dims = [1, 0] : (tensor<24x5xf32>) -> tensor<5x24xf32>
    %28 = stablehlo.add %arg1, %27 : tensor<5x24xf32>
    return %28, %24, %21, %25, %13 : tensor<5x24xf32>, tensor<6x24xf32>, tensor<24xf32>, tensor<4x6xf32>, tensor<4x6xf32>
  }
}
