module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3001xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<f32> {jax.result_info = "result[1]"}, tensor<40xf32> {jax.result_info = "result[2]"}, tensor<31xi32> {jax.result_info = "result[3]"}, tensor<5xf32> {jax.result_info = "result[4]"}) {
    %0 = call @median(%arg0) : (tensor<3001xf32>) -> tensor<f32>
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1 = call @quantile_0(%arg0, %cst) : (tensor<3001xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3001xf32>
    %cst_1 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %3 = stablehlo.reduce(%arg0 init: %cst_1) applies stablehlo.minimum across dimensions = [0] : (tensor<3001xf32>, tensor<f32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %4 = stablehlo.reduce(%arg0 init: %cst_2) applies stablehlo.maximum across dimensions = [0] : (tensor<3001xf32>, tensor<f32>) -> tensor<f32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %6 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %7 = stablehlo.concatenate %5, %6, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    %8 = call @_ptp(%7) : (tensor<2xf32>) -> tensor<f32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.compare EQ, %8, %cst_3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %10 = stablehlo.slice %7 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %11 = stablehlo.reshape %10 : (tensor<1xf32>) -> tensor<f32>
    %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %12 = stablehlo.subtract %11, %cst_4 : tensor<f32>
    %13 = stablehlo.slice %7 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %14 = stablehlo.reshape %13 : (tensor<1xf32>) -> tensor<f32>
    %15 = call @_where_1(%9, %12, %14) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %16 = call @_ptp(%7) : (tensor<2xf32>) -> tensor<f32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.compare EQ, %16, %cst_5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %18 = stablehlo.slice %7 [1:2] : (tensor<2xf32>) -> tensor<1xf32>
    %19 = stablehlo.reshape %18 : (tensor<1xf32>) -> tensor<f32>
    %cst_6 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %20 = stablehlo.add %19, %cst_6 : tensor<f32>
    %21 = stablehlo.slice %7 [1:2] : (tensor<2xf32>) -> tensor<1xf32>
    %22 = stablehlo.reshape %21 : (tensor<1xf32>) -> tensor<f32>
    %23 = call @_where_1(%17, %20, %22) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %24 = call @_linspace(%15, %23) : (tensor<f32>, tensor<f32>) -> tensor<41xf32>
    %25 = call @searchsorted(%24, %arg0) : (tensor<41xf32>, tensor<3001xf32>) -> tensor<3001xi32>
    %26 = stablehlo.slice %24 [40:41] : (tensor<41xf32>) -> tensor<1xf32>
    %27 = stablehlo.reshape %26 : (tensor<1xf32>) -> tensor<f32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [] : (tensor<f32>) -> tensor<3001xf32>
    %29 = stablehlo.compare EQ, %arg0, %28, FLOAT : (tensor<3001xf32>, tensor<3001xf32>) -> tensor<3001xi1>
    %c = stablehlo.constant dense<40> : tensor<i32>
    %30 = call @_where_3(%29, %c, %25) : (tensor<3001xi1>, tensor<i32>, tensor<3001xi32>) -> tensor<3001xi32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<41xf32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %32 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<3001xi32>
    %33 = stablehlo.compare LT, %30, %32, SIGNED : (tensor<3001xi32>, tensor<3001xi32>) -> tensor<3001xi1>
    %c_9 = stablehlo.constant dense<41> : tensor<i32>
    %34 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<3001xi32>
    %35 = stablehlo.add %30, %34 : tensor<3001xi32>
    %36 = stablehlo.select %33, %35, %30 : tensor<3001xi1>, tensor<3001xi32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0] : (tensor<3001xi32>) -> tensor<3001x1xi32>
    %38 = "stablehlo.scatter"(%31, %37, %2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %46 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %46 : tensor<f32>
    }) : (tensor<41xf32>, tensor<3001x1xi32>, tensor<3001xf32>) -> tensor<41xf32>
    %39 = stablehlo.slice %38 [1:41] : (tensor<41xf32>) -> tensor<40xf32>
    %40 = call @argsort(%arg0) : (tensor<3001xf32>) -> tensor<3001xi32>
    %41 = stablehlo.slice %40 [0:3001:97] : (tensor<3001xi32>) -> tensor<31xi32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<3001xf32>
    %43 = stablehlo.compare EQ, %arg0, %42, FLOAT : (tensor<3001xf32>, tensor<3001xf32>) -> tensor<3001xi1>
    %cst_11 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %44 = call @_where_4(%43, %cst_11, %arg0) : (tensor<3001xi1>, tensor<f32>, tensor<3001xf32>) -> tensor<3001xf32>
    %45 = stablehlo.slice %44 [0:5] : (tensor<3001xf32>) -> tensor<5xf32>
    return %0, %1, %39, %41, %45 : tensor<f32>, tensor<f32>, tensor<40xf32>, tensor<31xi32>, tensor<5xf32>
  }
  func.func private @median(%arg0: tensor<3001xf32>) -> tensor<f32> {
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %0 = call @quantile(%arg0, %cst) : (tensor<3001xf32>, tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @quantile(%arg0: tensor<3001xf32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<3001xf32>, tensor<3001xf32>) -> tensor<3001xi1>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.or across dimensions = [0] : (tensor<3001xi1>, tensor<i1>) -> tensor<i1>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %3 = call @_where(%2, %cst, %arg0) : (tensor<1xi1>, tensor<f32>, tensor<3001xf32>) -> tensor<3001xf32>
    %4 = "stablehlo.sort"(%3) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %23 = stablehlo.compare EQ, %arg2, %cst_10, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %24 = stablehlo.select %23, %cst_11, %arg2 : tensor<i1>, tensor<f32>
      %25 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_12 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %26 = stablehlo.select %25, %cst_12, %24 : tensor<i1>, tensor<f32>
      %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %27 = stablehlo.compare EQ, %arg3, %cst_13, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %28 = stablehlo.select %27, %cst_14, %arg3 : tensor<i1>, tensor<f32>
      %29 = stablehlo.compare NE, %arg3, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_15 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %30 = stablehlo.select %29, %cst_15, %28 : tensor<i1>, tensor<f32>
      %31 = stablehlo.compare LT, %26, %30, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %31 : tensor<i1>
    }) : (tensor<3001xf32>) -> tensor<3001xf32>
    %cst_0 = stablehlo.constant dense<3.001000e+03> : tensor<f32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %5 = stablehlo.subtract %cst_0, %cst_1 : tensor<f32>
    %6 = stablehlo.multiply %arg1, %5 : tensor<f32>
    %7 = stablehlo.floor %6 : tensor<f32>
    %8 = stablehlo.ceil %6 : tensor<f32>
    %9 = stablehlo.subtract %6, %7 : tensor<f32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %10 = stablehlo.subtract %cst_2, %9 : tensor<f32>
    %cst_3 = stablehlo.constant dense<3.001000e+03> : tensor<f32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %11 = stablehlo.subtract %cst_3, %cst_4 : tensor<f32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.clamp %cst_5, %7, %11 : tensor<f32>
    %cst_6 = stablehlo.constant dense<3.001000e+03> : tensor<f32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %13 = stablehlo.subtract %cst_6, %cst_7 : tensor<f32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.clamp %cst_8, %8, %13 : tensor<f32>
    %15 = stablehlo.convert %12 : (tensor<f32>) -> tensor<i32>
    %16 = stablehlo.convert %14 : (tensor<f32>) -> tensor<i32>
    %17 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %18 = "stablehlo.gather"(%4, %17) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0]>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<3001xf32>, tensor<1xi32>) -> tensor<f32>
    %19 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %20 = "stablehlo.gather"(%4, %19) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0]>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<3001xf32>, tensor<1xi32>) -> tensor<f32>
    %21 = stablehlo.add %18, %20 : tensor<f32>
    %cst_9 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %22 = stablehlo.multiply %21, %cst_9 : tensor<f32>
    return %22 : tensor<f32>
  }
  func.func private @_where(%arg0: tensor<1xi1>, %arg1: tensor<f32>, %arg2: tensor<3001xf32>) -> tensor<3001xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<1xi1>) -> tensor<3001xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<3001xf32>
    %3 = stablehlo.select %1, %2, %arg2 : tensor<3001xi1>, tensor<3001xf32>
    return %3 : tensor<3001xf32>
  }
  func.func private @quantile_0(%arg0: tensor<3001xf32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<3001xf32>, tensor<3001xf32>) -> tensor<3001xi1>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.or across dimensions = [0] : (tensor<3001xi1>, tensor<i1>) -> tensor<i1>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %3 = call @_where(%2, %cst, %arg0) : (tensor<1xi1>, tensor<f32>, tensor<3001xf32>) -> tensor<3001xf32>
    %4 = "stablehlo.sort"(%3) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %24 = stablehlo.compare EQ, %arg2, %cst_9, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %25 = stablehlo.select %24, %cst_10, %arg2 : tensor<i1>, tensor<f32>
      %26 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_11 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %27 = stablehlo.select %26, %cst_11, %25 : tensor<i1>, tensor<f32>
      %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %28 = stablehlo.compare EQ, %arg3, %cst_12, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %29 = stablehlo.select %28, %cst_13, %arg3 : tensor<i1>, tensor<f32>
      %30 = stablehlo.compare NE, %arg3, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_14 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %31 = stablehlo.select %30, %cst_14, %29 : tensor<i1>, tensor<f32>
      %32 = stablehlo.compare LT, %27, %31, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %32 : tensor<i1>
    }) : (tensor<3001xf32>) -> tensor<3001xf32>
    %cst_0 = stablehlo.constant dense<3.001000e+03> : tensor<f32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %5 = stablehlo.subtract %cst_0, %cst_1 : tensor<f32>
    %6 = stablehlo.multiply %arg1, %5 : tensor<f32>
    %7 = stablehlo.floor %6 : tensor<f32>
    %8 = stablehlo.ceil %6 : tensor<f32>
    %9 = stablehlo.subtract %6, %7 : tensor<f32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %10 = stablehlo.subtract %cst_2, %9 : tensor<f32>
    %cst_3 = stablehlo.constant dense<3.001000e+03> : tensor<f32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %11 = stablehlo.subtract %cst_3, %cst_4 : tensor<f32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.clamp %cst_5, %7, %11 : tensor<f32>
    %cst_6 = stablehlo.constant dense<3.001000e+03> : tensor<f32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %13 = stablehlo.subtract %cst_6, %cst_7 : tensor<f32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.clamp %cst_8, %8, %13 : tensor<f32>
    %15 = stablehlo.convert %12 : (tensor<f32>) -> tensor<i32>
    %16 = stablehlo.convert %14 : (tensor<f32>) -> tensor<i32>
    %17 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %18 = "stablehlo.gather"(%4, %17) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0]>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<3001xf32>, tensor<1xi32>) -> tensor<f32>
    %19 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %20 = "stablehlo.gather"(%4, %19) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0]>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<3001xf32>, tensor<1xi32>) -> tensor<f32>
    %21 = stablehlo.multiply %18, %10 : tensor<f32>
    %22 = stablehlo.multiply %20, %9 : tensor<f32>
    %23 = stablehlo.add %21, %22 : tensor<f32>
    return %23 : tensor<f32>
  }
  func.func private @_ptp(%arg0: tensor<2xf32>) -> tensor<f32> {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %1 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.minimum across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    %2 = stablehlo.subtract %0, %1 : tensor<f32>
    return %2 : tensor<f32>
  }
  func.func private @_where_1(%arg0: tensor<i1>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @_linspace(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<41xf32> {
    %0 = stablehlo.subtract %arg1, %arg0 : tensor<f32>
    %cst = stablehlo.constant dense<4.000000e+01> : tensor<f32>
    %1 = stablehlo.divide %0, %cst : tensor<f32>
    %2 = stablehlo.iota dim = 0 : tensor<40xf32>
    %cst_0 = stablehlo.constant dense<4.000000e+01> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %4 = stablehlo.divide %2, %3 : tensor<40xf32>
    %5 = stablehlo.reshape %arg0 : (tensor<f32>) -> tensor<1xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %7 = stablehlo.subtract %6, %4 : tensor<40xf32>
    %8 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<1xf32>) -> tensor<40xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<40xf32>
    %10 = stablehlo.reshape %arg1 : (tensor<f32>) -> tensor<1xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<1xf32>) -> tensor<40xf32>
    %12 = stablehlo.multiply %11, %4 : tensor<40xf32>
    %13 = stablehlo.add %9, %12 : tensor<40xf32>
    %14 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %15 = stablehlo.concatenate %13, %14, dim = 0 : (tensor<40xf32>, tensor<1xf32>) -> tensor<41xf32>
    return %15 : tensor<41xf32>
  }
  func.func private @searchsorted(%arg0: tensor<41xf32>, %arg1: tensor<3001xf32>) -> tensor<3001xi32> {
    %0 = call @_searchsorted_scan_impl(%arg0, %arg1) : (tensor<41xf32>, tensor<3001xf32>) -> tensor<3001xi32>
    return %0 : tensor<3001xi32>
  }
  func.func private @_searchsorted_scan_impl(%arg0: tensor<41xf32>, %arg1: tensor<3001xf32>) -> tensor<3001xi32> {
    %0 = call @_searchsorted_scan_impl_2(%arg0, %arg1) : (tensor<41xf32>, tensor<3001xf32>) -> tensor<3001xi32>
    return %0 : tensor<3001xi32>
  }
  func.func private @_searchsorted_scan_impl_2(%arg0: tensor<41xf32>, %arg1: tensor<3001xf32>) -> tensor<3001xi32> {
    %c = stablehlo.constant dense<0> : tensor<ui32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui32>) -> tensor<3001xui32>
    %c_0 = stablehlo.constant dense<41> : tensor<ui32>
    %1 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui32>) -> tensor<3001xui32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %2:5 = stablehlo.while(%iterArg = %arg0, %iterArg_2 = %arg1, %iterArg_3 = %c_1, %iterArg_4 = %0, %iterArg_5 = %1) : tensor<41xf32>, tensor<3001xf32>, tensor<i32>, tensor<3001xui32>, tensor<3001xui32>
    cond {
      %c_6 = stablehlo.constant dense<6> : tensor<i32>
      %4 = stablehlo.compare LT, %iterArg_3, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %4:2 = func.call @closed_call(%iterArg, %iterArg_2, %iterArg_4, %iterArg_5) : (tensor<41xf32>, tensor<3001xf32>, tensor<3001xui32>, tensor<3001xui32>) -> (tensor<3001xui32>, tensor<3001xui32>)
      %c_6 = stablehlo.constant dense<1> : tensor<i32>
      %5 = stablehlo.add %iterArg_3, %c_6 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_2, %5, %4#0, %4#1 : tensor<41xf32>, tensor<3001xf32>, tensor<i32>, tensor<3001xui32>, tensor<3001xui32>
    }
    %3 = stablehlo.convert %2#4 : (tensor<3001xui32>) -> tensor<3001xi32>
    return %3 : tensor<3001xi32>
  }
  func.func private @closed_call(%arg0: tensor<41xf32>, %arg1: tensor<3001xf32>, %arg2: tensor<3001xui32>, %arg3: tensor<3001xui32>) -> (tensor<3001xui32>, tensor<3001xui32>) {
    %0 = stablehlo.subtract %arg3, %arg2 : tensor<3001xui32>
    %c = stablehlo.constant dense<2> : tensor<i32>
    %1 = call @floor_divide(%0, %c) : (tensor<3001xui32>, tensor<i32>) -> tensor<3001xui32>
    %2 = stablehlo.add %arg2, %1 : tensor<3001xui32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<3001xui32>) -> tensor<3001x1xui32>
    %4 = "stablehlo.gather"(%arg0, %3) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<41xf32>, tensor<3001x1xui32>) -> tensor<3001x1xf32>
    %5 = stablehlo.reshape %4 : (tensor<3001x1xf32>) -> tensor<3001xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3001xf32>
    %7 = stablehlo.compare EQ, %arg1, %6, FLOAT : (tensor<3001xf32>, tensor<3001xf32>) -> tensor<3001xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3001xf32>
    %9 = stablehlo.select %7, %8, %arg1 : tensor<3001xi1>, tensor<3001xf32>
    %10 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<3001xf32>, tensor<3001xf32>) -> tensor<3001xi1>
    %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3001xf32>
    %12 = stablehlo.select %10, %11, %9 : tensor<3001xi1>, tensor<3001xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3001xf32>
    %14 = stablehlo.compare EQ, %5, %13, FLOAT : (tensor<3001xf32>, tensor<3001xf32>) -> tensor<3001xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3001xf32>
    %16 = stablehlo.select %14, %15, %5 : tensor<3001xi1>, tensor<3001xf32>
    %17 = stablehlo.compare NE, %5, %5, FLOAT : (tensor<3001xf32>, tensor<3001xf32>) -> tensor<3001xi1>
    %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<3001xf32>
    %19 = stablehlo.select %17, %18, %16 : tensor<3001xi1>, tensor<3001xf32>
    %20 = stablehlo.compare LT, %12, %19, TOTALORDER : (tensor<3001xf32>, tensor<3001xf32>) -> tensor<3001xi1>
    %21 = stablehlo.select %20, %arg2, %2 : tensor<3001xi1>, tensor<3001xui32>
    %22 = stablehlo.select %20, %2, %arg3 : tensor<3001xi1>, tensor<3001xui32>
    return %21, %22 : tensor<3001xui32>, tensor<3001xui32>
  }
  func.func private @floor_divide(%arg0: tensor<3001xui32>, %arg1: tensor<i32>) -> tensor<3001xui32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<ui32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<ui32>) -> tensor<3001xui32>
    %2 = stablehlo.divide %arg0, %1 : tensor<3001xui32>
    return %2 : tensor<3001xui32>
  }
  func.func private @_where_3(%arg0: tensor<3001xi1>, %arg1: tensor<i32>, %arg2: tensor<3001xi32>) -> tensor<3001xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<3001xi32>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<3001xi1>, tensor<3001xi32>
    return %2 : tensor<3001xi32>
  }
  func.func private @argsort(%arg0: tensor<3001xf32>) -> tensor<3001xi32> {
    %0 = stablehlo.iota dim = 0 : tensor<3001xi32>
    %1:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<i32>, %arg4: tensor<i32>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %3 = stablehlo.select %2, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %4 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %5 = stablehlo.select %4, %cst_1, %3 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %7 = stablehlo.select %6, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %8 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %9 = stablehlo.select %8, %cst_4, %7 : tensor<i1>, tensor<f32>
      %10 = stablehlo.compare LT, %5, %9, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    }) : (tensor<3001xf32>, tensor<3001xi32>) -> (tensor<3001xf32>, tensor<3001xi32>)
    return %1#1 : tensor<3001xi32>
  }
  func.func private @_where_4(%arg0: tensor<3001xi1>, %arg1: tensor<f32>, %arg2: tensor<3001xf32>) -> tensor<3001xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<3001xf32>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<3001xi1>, tensor<3001xf32>
    return %2 : tensor<3001xf32>
  }
}
