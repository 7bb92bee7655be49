module @jit_run attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<19x16xf32>, %arg1: tensor<16x16xf32>, %arg2: tensor<16x48xf32>, %arg3: tensor<i32>) -> (tensor<10xi32> {jax.result_info = "result[0]"}, tensor<10x19xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<10x2x8xf32>
    %1 = stablehlo.iota dim = 0 : tensor<10xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<10xi32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<10x19xf32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %4:10 = stablehlo.while(%iterArg = %1, %iterArg_2 = %arg0, %iterArg_3 = %arg2, %iterArg_4 = %arg1, %iterArg_5 = %c_1, %iterArg_6 = %0, %iterArg_7 = %0, %iterArg_8 = %arg3, %iterArg_9 = %2, %iterArg_10 = %3) : tensor<10xi32>, tensor<19x16xf32>, tensor<16x48xf32>, tensor<16x16xf32>, tensor<i32>, tensor<10x2x8xf32>, tensor<10x2x8xf32>, tensor<i32>, tensor<10xi32>, tensor<10x19xf32>
    cond {
      %c_11 = stablehlo.constant dense<10> : tensor<i32>
      %5 = stablehlo.compare LT, %iterArg_5, %c_11, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %5 : tensor<i1>
    } do {
      %5 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_5) : (tensor<10xi32>, tensor<i32>) -> tensor<i32>
      %6:5 = func.call @closed_call(%iterArg_2, %iterArg_3, %iterArg_4, %iterArg_6, %iterArg_7, %iterArg_8, %5) : (tensor<19x16xf32>, tensor<16x48xf32>, tensor<16x16xf32>, tensor<10x2x8xf32>, tensor<10x2x8xf32>, tensor<i32>, tensor<i32>) -> (tensor<10x2x8xf32>, tensor<10x2x8xf32>, tensor<i32>, tensor<i32>, tensor<19xf32>)
      %7 = func.call @dynamic_update_index_in_dim(%iterArg_9, %6#3, %iterArg_5) : (tensor<10xi32>, tensor<i32>, tensor<i32>) -> tensor<10xi32>
      %8 = func.call @dynamic_update_index_in_dim_0(%iterArg_10, %6#4, %iterArg_5) : (tensor<10x19xf32>, tensor<19xf32>, tensor<i32>) -> tensor<10x19xf32>
      %c_11 = stablehlo.constant dense<1> : tensor<i32>
      %9 = stablehlo.add %iterArg_5, %c_11 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_2, %iterArg_3, %iterArg_4, %9, %6#0, %6#1, %6#2, %7, %8 : tensor<10xi32>, tensor<19x16xf32>, tensor<16x48xf32>, tensor<16x16xf32>, tensor<i32>, tensor<10x2x8xf32>, tensor<10x2x8xf32>, tensor<i32>, tensor<10xi32>, tensor<10x19xf32>
    }
    return %4#8, %4#9 : tensor<10xi32>, tensor<10x19xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<10xi32>, %arg1: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [1] : (tensor<10xi32>, tensor<i32>) -> tensor<1xi32>
    %1 = stablehlo.reshape %0 : (tensor<1xi32>) -> tensor<i32>
    return %1 : tensor<i32>
  }
  func.func private @closed_call(%arg0: tensor<19x16xf32>, %arg1: tensor<16x48xf32>, %arg2: tensor<16x16xf32>, %arg3: tensor<10x2x8xf32>, %arg4: tensor<10x2x8xf32>, %arg5: tensor<i32>, %arg6: tensor<i32>) -> (tensor<10x2x8xf32>, tensor<10x2x8xf32>, tensor<i32>, tensor<i32>, tensor<19xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare LT, %arg5, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<19> : tensor<i32>
    %1 = stablehlo.add %arg5, %c_0 : tensor<i32>
    %2 = stablehlo.select %0, %1, %arg5 : tensor<i1>, tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.compare LT, %c_1, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %c_4 = stablehlo.constant dense<16> : tensor<i32>
    %4 = stablehlo.add %c_3, %c_4 : tensor<i32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.select %3, %4, %c_5 : tensor<i1>, tensor<i32>
    %6 = stablehlo.dynamic_slice %arg0, %2, %5, sizes = [1, 16] : (tensor<19x16xf32>, tensor<i32>, tensor<i32>) -> tensor<1x16xf32>
    %7 = stablehlo.reshape %6 : (tensor<1x16xf32>) -> tensor<16xf32>
    %8 = stablehlo.dot_general %7, %arg1, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16xf32>, tensor<16x48xf32>) -> tensor<48xf32>
    %9 = stablehlo.slice %8 [0:16] : (tensor<48xf32>) -> tensor<16xf32>
    %10 = stablehlo.slice %8 [16:32] : (tensor<48xf32>) -> tensor<16xf32>
    %11 = stablehlo.slice %8 [32:48] : (tensor<48xf32>) -> tensor<16xf32>
    %12 = stablehlo.reshape %10 : (tensor<16xf32>) -> tensor<2x8xf32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %13 = stablehlo.compare LT, %arg6, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_7 = stablehlo.constant dense<10> : tensor<i32>
    %14 = stablehlo.add %arg6, %c_7 : tensor<i32>
    %15 = stablehlo.select %13, %14, %arg6 : tensor<i1>, tensor<i32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %17 = "stablehlo.scatter"(%arg3, %16, %12) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
      stablehlo.return %arg8 : tensor<f32>
    }) : (tensor<10x2x8xf32>, tensor<1xi32>, tensor<2x8xf32>) -> tensor<10x2x8xf32>
    %18 = stablehlo.reshape %11 : (tensor<16xf32>) -> tensor<2x8xf32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %19 = stablehlo.compare LT, %arg6, %c_8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_9 = stablehlo.constant dense<10> : tensor<i32>
    %20 = stablehlo.add %arg6, %c_9 : tensor<i32>
    %21 = stablehlo.select %19, %20, %arg6 : tensor<i1>, tensor<i32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %23 = "stablehlo.scatter"(%arg4, %22, %18) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
      stablehlo.return %arg8 : tensor<f32>
    }) : (tensor<10x2x8xf32>, tensor<1xi32>, tensor<2x8xf32>) -> tensor<10x2x8xf32>
    %24 = stablehlo.reshape %9 : (tensor<16xf32>) -> tensor<2x8xf32>
    %25 = stablehlo.dot_general %24, %17, batching_dims = [0] x [1], contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x8xf32>, tensor<10x2x8xf32>) -> tensor<2x10xf32>
    %cst = stablehlo.constant dense<0.353553385> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x10xf32>
    %27 = stablehlo.multiply %25, %26 : tensor<2x10xf32>
    %28 = stablehlo.iota dim = 0 : tensor<10xi32>
    %29 = stablehlo.broadcast_in_dim %arg6, dims = [] : (tensor<i32>) -> tensor<10xi32>
    %30 = stablehlo.compare LE, %28, %29, SIGNED : (tensor<10xi32>, tensor<10xi32>) -> tensor<10xi1>
    %cst_10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %31 = call @_where(%30, %27, %cst_10) : (tensor<10xi1>, tensor<2x10xf32>, tensor<f32>) -> tensor<2x10xf32>
    %cst_11 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %32 = stablehlo.reduce(%31 init: %cst_11) applies stablehlo.maximum across dimensions = [1] : (tensor<2x10xf32>, tensor<f32>) -> tensor<2xf32>
    %cst_12 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %34 = stablehlo.maximum %33, %32 : tensor<2xf32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0] : (tensor<2xf32>) -> tensor<2x1xf32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x10xf32>
    %37 = stablehlo.subtract %31, %36 : tensor<2x10xf32>
    %38 = stablehlo.exponential %37 : tensor<2x10xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %39 = stablehlo.reduce(%38 init: %cst_13) applies stablehlo.add across dimensions = [1] : (tensor<2x10xf32>, tensor<f32>) -> tensor<2xf32>
    %40 = stablehlo.broadcast_in_dim %39, dims = [0] : (tensor<2xf32>) -> tensor<2x1xf32>
    %41 = stablehlo.broadcast_in_dim %40, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x10xf32>
    %42 = stablehlo.divide %38, %41 : tensor<2x10xf32>
    %43 = stablehlo.dot_general %42, %23, batching_dims = [0] x [1], contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x10xf32>, tensor<10x2x8xf32>) -> tensor<2x8xf32>
    %44 = stablehlo.reshape %43 : (tensor<2x8xf32>) -> tensor<16xf32>
    %45 = stablehlo.dot_general %44, %arg2, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16xf32>, tensor<16x16xf32>) -> tensor<16xf32>
    %46 = stablehlo.add %7, %45 : tensor<16xf32>
    %47 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<19x16xf32>) -> tensor<16x19xf32>
    %48 = stablehlo.dot_general %46, %47, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16xf32>, tensor<16x19xf32>) -> tensor<19xf32>
    %49 = call @argmax(%48) : (tensor<19xf32>) -> tensor<i32>
    return %17, %23, %49, %arg5, %48 : tensor<10x2x8xf32>, tensor<10x2x8xf32>, tensor<i32>, tensor<i32>, tensor<19xf32>
  }
  func.func private @_where(%arg0: tensor<10xi1>, %arg1: tensor<2x10xf32>, %arg2: tensor<f32>) -> tensor<2x10xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<10xi1>) -> tensor<2x10xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x10xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<2x10xi1>, tensor<2x10xf32>
    return %3 : tensor<2x10xf32>
  }
  func.func private @argmax(%arg0: tensor<19xf32>) -> tensor<i32> {
    %0 = stablehlo.iota dim = 0 : tensor<19xi32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [0] : (tensor<19xf32>, tensor<19xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i32>
    }
    return %1#1 : tensor<i32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<10xi32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<10xi32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<10xi32>, tensor<1xi32>, tensor<i32>) -> tensor<10xi32>
    return %1 : tensor<10xi32>
  }
  func.func private @dynamic_update_index_in_dim_0(%arg0: tensor<10x19xf32>, %arg1: tensor<19xf32>, %arg2: tensor<i32>) -> tensor<10x19xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<19xf32>) -> tensor<1x19xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<10x19xf32>, tensor<1x19xf32>, tensor<i32>, tensor<i32>) -> tensor<10x19xf32>
    return %1 : tensor<10x19xf32>
  }
}
