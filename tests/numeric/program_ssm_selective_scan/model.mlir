module @jit_run attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x4xf32>, %arg1: tensor<6x4xf32>, %arg2: tensor<6x4xf32>, %arg3: tensor<6xf32>, %arg4: tensor<6xf32>, %arg5: tensor<6x6xf32>, %arg6: tensor<11x2x6xf32>) -> (tensor<11x2x6xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x6x4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<11x2x6xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2:10 = stablehlo.while(%iterArg = %arg6, %iterArg_1 = %arg5, %iterArg_2 = %arg4, %iterArg_3 = %arg0, %iterArg_4 = %arg1, %iterArg_5 = %arg2, %iterArg_6 = %arg3, %iterArg_7 = %c, %iterArg_8 = %0, %iterArg_9 = %1) : tensor<11x2x6xf32>, tensor<6x6xf32>, tensor<6xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<6xf32>, tensor<i32>, tensor<2x6x4xf32>, tensor<11x2x6xf32>
    cond {
      %c_10 = stablehlo.constant dense<11> : tensor<i32>
      %3 = stablehlo.compare LT, %iterArg_7, %c_10, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %3 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_7) : (tensor<11x2x6xf32>, tensor<i32>) -> tensor<2x6xf32>
      %4:2 = func.call @closed_call(%iterArg_1, %iterArg_2, %iterArg_3, %iterArg_4, %iterArg_5, %iterArg_6, %iterArg_8, %3) : (tensor<6x6xf32>, tensor<6xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<6xf32>, tensor<2x6x4xf32>, tensor<2x6xf32>) -> (tensor<2x6x4xf32>, tensor<2x6xf32>)
      %5 = func.call @dynamic_update_index_in_dim(%iterArg_9, %4#1, %iterArg_7) : (tensor<11x2x6xf32>, tensor<2x6xf32>, tensor<i32>) -> tensor<11x2x6xf32>
      %c_10 = stablehlo.constant dense<1> : tensor<i32>
      %6 = stablehlo.add %iterArg_7, %c_10 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_1, %iterArg_2, %iterArg_3, %iterArg_4, %iterArg_5, %iterArg_6, %6, %4#0, %5 : tensor<11x2x6xf32>, tensor<6x6xf32>, tensor<6xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<6xf32>, tensor<i32>, tensor<2x6x4xf32>, tensor<11x2x6xf32>
    }
    return %2#9 : tensor<11x2x6xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<11x2x6xf32>, %arg1: tensor<i32>) -> tensor<2x6xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 2, 6] : (tensor<11x2x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x6xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x2x6xf32>) -> tensor<2x6xf32>
    return %1 : tensor<2x6xf32>
  }
  func.func private @closed_call(%arg0: tensor<6x6xf32>, %arg1: tensor<6xf32>, %arg2: tensor<6x4xf32>, %arg3: tensor<6x4xf32>, %arg4: tensor<6x4xf32>, %arg5: tensor<6xf32>, %arg6: tensor<2x6x4xf32>, %arg7: tensor<2x6xf32>) -> (tensor<2x6x4xf32>, tensor<2x6xf32>) {
    %0 = stablehlo.dot_general %arg7, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x6xf32>, tensor<6x6xf32>) -> tensor<2x6xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<6xf32>) -> tensor<1x6xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<2x6xf32>
    %3 = stablehlo.add %0, %2 : tensor<2x6xf32>
    %4 = call @softplus(%3) : (tensor<2x6xf32>) -> tensor<2x6xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %6 = stablehlo.negate %5 : tensor<2x6x1xf32>
    %7 = stablehlo.broadcast_in_dim %arg2, dims = [1, 2] : (tensor<6x4xf32>) -> tensor<1x6x4xf32>
    %8 = stablehlo.broadcast_in_dim %6, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x4xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<1x6x4xf32>) -> tensor<2x6x4xf32>
    %10 = stablehlo.multiply %8, %9 : tensor<2x6x4xf32>
    %11 = stablehlo.exponential %10 : tensor<2x6x4xf32>
    %12 = stablehlo.multiply %11, %arg6 : tensor<2x6x4xf32>
    %13 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %14 = stablehlo.dot_general %arg7, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x6xf32>, tensor<6x4xf32>) -> tensor<2x4xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 2] : (tensor<2x4xf32>) -> tensor<2x1x4xf32>
    %16 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x4xf32>
    %17 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<2x1x4xf32>) -> tensor<2x6x4xf32>
    %18 = stablehlo.multiply %16, %17 : tensor<2x6x4xf32>
    %19 = stablehlo.broadcast_in_dim %arg7, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x4xf32>
    %21 = stablehlo.multiply %18, %20 : tensor<2x6x4xf32>
    %22 = stablehlo.add %12, %21 : tensor<2x6x4xf32>
    %23 = stablehlo.dot_general %arg7, %arg4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x6xf32>, tensor<6x4xf32>) -> tensor<2x4xf32>
    %24 = stablehlo.dot_general %22, %23, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x4xf32>, tensor<2x4xf32>) -> tensor<2x6xf32>
    %25 = stablehlo.broadcast_in_dim %arg5, dims = [1] : (tensor<6xf32>) -> tensor<1x6xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<2x6xf32>
    %27 = stablehlo.multiply %26, %arg7 : tensor<2x6xf32>
    %28 = stablehlo.add %24, %27 : tensor<2x6xf32>
    return %22, %28 : tensor<2x6x4xf32>, tensor<2x6xf32>
  }
  func.func private @softplus(%arg0: tensor<2x6xf32>) -> tensor<2x6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x6xf32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
    %3 = stablehlo.subtract %arg0, %2 : tensor<2x6xf32>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xi1>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
    %6 = stablehlo.add %arg0, %5 : tensor<2x6xf32>
    %7 = stablehlo.abs %3 : tensor<2x6xf32>
    %8 = stablehlo.negate %7 : tensor<2x6xf32>
    %9 = stablehlo.exponential %8 : tensor<2x6xf32>
    %10 = stablehlo.log_plus_one %9 : tensor<2x6xf32>
    %11 = stablehlo.add %1, %10 : tensor<2x6xf32>
    %12 = stablehlo.select %4, %6, %11 : tensor<2x6xi1>, tensor<2x6xf32>
    return %12 : tensor<2x6xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<11x2x6xf32>, %arg1: tensor<2x6xf32>, %arg2: tensor<i32>) -> tensor<11x2x6xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<2x6xf32>) -> tensor<1x2x6xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<11x2x6xf32>, tensor<1x2x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<11x2x6xf32>
    return %1 : tensor<11x2x6xf32>
  }
}
