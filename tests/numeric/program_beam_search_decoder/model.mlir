module @jit_run attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<24xf32>, %arg1: tensor<8x24xf32>, %arg2: tensor<6x24xf32>, %arg3: tensor<8xf32>, %arg4: tensor<8xf32>, %arg5: tensor<8xf32>, %arg6: tensor<11xf32>, %arg7: tensor<8x11xf32>, %arg8: tensor<11x6xf32>, %arg9: tensor<8xf32>) -> (tensor<4x8xi32> {jax.result_info = "result[0]"}, tensor<4xf32> {jax.result_info = "result[1]"}, tensor<i32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.broadcast_in_dim %arg9, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x8xi32>
    %2 = stablehlo.iota dim = 0 : tensor<4xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_1 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %5 = call @_where(%4, %cst, %cst_1) : (tensor<4xi1>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
    %c_2 = stablehlo.constant dense<false> : tensor<i1>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i1>) -> tensor<4xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %7:11 = stablehlo.while(%iterArg = %arg8, %iterArg_4 = %arg2, %iterArg_5 = %arg0, %iterArg_6 = %arg1, %iterArg_7 = %arg7, %iterArg_8 = %arg6, %iterArg_9 = %6, %iterArg_10 = %0, %iterArg_11 = %5, %iterArg_12 = %c_3, %iterArg_13 = %1) : tensor<11x6xf32>, tensor<6x24xf32>, tensor<24xf32>, tensor<8x24xf32>, tensor<8x11xf32>, tensor<11xf32>, tensor<4xi1>, tensor<4x8xf32>, tensor<4xf32>, tensor<i32>, tensor<4x8xi32>
    cond {
      %c_14 = stablehlo.constant dense<7> : tensor<i32>
      %8 = stablehlo.compare LT, %iterArg_12, %c_14, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_15 = stablehlo.constant dense<true> : tensor<i1>
      %9 = stablehlo.reduce(%iterArg_9 init: %c_15) applies stablehlo.and across dimensions = [0] : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
      %10 = stablehlo.not %9 : tensor<i1>
      %c_16 = stablehlo.constant dense<false> : tensor<i1>
      %11 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i1>) -> tensor<i1>
      %12 = stablehlo.compare NE, %8, %11, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %13 = stablehlo.convert %12 : tensor<i1>
      %14 = stablehlo.and %13, %10 : tensor<i1>
      stablehlo.return %14 : tensor<i1>
    } do {
      %8 = stablehlo.convert %iterArg_12 : tensor<i32>
      %c_14 = stablehlo.constant dense<0> : tensor<i32>
      %c_15 = stablehlo.constant dense<0> : tensor<i32>
      %9 = stablehlo.compare LT, %c_14, %c_15, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_16 = stablehlo.constant dense<0> : tensor<i32>
      %c_17 = stablehlo.constant dense<4> : tensor<i32>
      %10 = stablehlo.add %c_16, %c_17 : tensor<i32>
      %c_18 = stablehlo.constant dense<0> : tensor<i32>
      %11 = stablehlo.select %9, %10, %c_18 : tensor<i1>, tensor<i32>
      %c_19 = stablehlo.constant dense<0> : tensor<i32>
      %12 = stablehlo.compare LT, %8, %c_19, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_20 = stablehlo.constant dense<8> : tensor<i32>
      %13 = stablehlo.add %8, %c_20 : tensor<i32>
      %14 = stablehlo.select %12, %13, %8 : tensor<i1>, tensor<i32>
      %15 = stablehlo.dynamic_slice %iterArg_13, %11, %14, sizes = [4, 1] : (tensor<4x8xi32>, tensor<i32>, tensor<i32>) -> tensor<4x1xi32>
      %16 = stablehlo.reshape %15 : (tensor<4x1xi32>) -> tensor<4xi32>
      %c_21 = stablehlo.constant dense<0> : tensor<i32>
      %17 = stablehlo.broadcast_in_dim %c_21, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %18 = stablehlo.compare LT, %16, %17, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
      %c_22 = stablehlo.constant dense<11> : tensor<i32>
      %19 = stablehlo.broadcast_in_dim %c_22, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %20 = stablehlo.add %16, %19 : tensor<4xi32>
      %21 = stablehlo.select %18, %20, %16 : tensor<4xi1>, tensor<4xi32>
      %22 = stablehlo.broadcast_in_dim %21, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
      %23 = "stablehlo.gather"(%iterArg, %22) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 6>}> : (tensor<11x6xf32>, tensor<4x1xi32>) -> tensor<4x6xf32>
      %24 = stablehlo.dot_general %23, %iterArg_4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6xf32>, tensor<6x24xf32>) -> tensor<4x24xf32>
      %25 = stablehlo.broadcast_in_dim %iterArg_5, dims = [1] : (tensor<24xf32>) -> tensor<1x24xf32>
      %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1] : (tensor<1x24xf32>) -> tensor<4x24xf32>
      %27 = stablehlo.add %24, %26 : tensor<4x24xf32>
      %28 = stablehlo.dot_general %iterArg_10, %iterArg_6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x24xf32>) -> tensor<4x24xf32>
      %29 = stablehlo.slice %27 [0:4, 0:8] : (tensor<4x24xf32>) -> tensor<4x8xf32>
      %30 = stablehlo.slice %27 [0:4, 8:16] : (tensor<4x24xf32>) -> tensor<4x8xf32>
      %31 = stablehlo.slice %27 [0:4, 16:24] : (tensor<4x24xf32>) -> tensor<4x8xf32>
      %32 = stablehlo.slice %28 [0:4, 0:8] : (tensor<4x24xf32>) -> tensor<4x8xf32>
      %33 = stablehlo.slice %28 [0:4, 8:16] : (tensor<4x24xf32>) -> tensor<4x8xf32>
      %34 = stablehlo.slice %28 [0:4, 16:24] : (tensor<4x24xf32>) -> tensor<4x8xf32>
      %35 = stablehlo.add %30, %33 : tensor<4x8xf32>
      %36 = stablehlo.negate %35 : tensor<4x8xf32>
      %37 = stablehlo.exponential %36 : tensor<4x8xf32>
      %cst_23 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %38 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
      %39 = stablehlo.add %38, %37 : tensor<4x8xf32>
      %cst_24 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %40 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
      %41 = stablehlo.divide %40, %39 : tensor<4x8xf32>
      %cst_25 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %42 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
      %43 = stablehlo.subtract %42, %41 : tensor<4x8xf32>
      %44 = stablehlo.add %29, %32 : tensor<4x8xf32>
      %45 = stablehlo.negate %44 : tensor<4x8xf32>
      %46 = stablehlo.exponential %45 : tensor<4x8xf32>
      %cst_26 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %47 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
      %48 = stablehlo.add %47, %46 : tensor<4x8xf32>
      %cst_27 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %49 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
      %50 = stablehlo.divide %49, %48 : tensor<4x8xf32>
      %51 = stablehlo.multiply %50, %34 : tensor<4x8xf32>
      %52 = stablehlo.add %31, %51 : tensor<4x8xf32>
      %53 = stablehlo.tanh %52 : tensor<4x8xf32>
      %54 = stablehlo.multiply %43, %53 : tensor<4x8xf32>
      %55 = stablehlo.multiply %41, %iterArg_10 : tensor<4x8xf32>
      %56 = stablehlo.add %54, %55 : tensor<4x8xf32>
      %57 = stablehlo.dot_general %56, %iterArg_7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x11xf32>) -> tensor<4x11xf32>
      %58 = stablehlo.broadcast_in_dim %iterArg_8, dims = [1] : (tensor<11xf32>) -> tensor<1x11xf32>
      %59 = stablehlo.broadcast_in_dim %58, dims = [0, 1] : (tensor<1x11xf32>) -> tensor<4x11xf32>
      %60 = stablehlo.add %57, %59 : tensor<4x11xf32>
      %61 = func.call @log_softmax(%60) : (tensor<4x11xf32>) -> tensor<4x11xf32>
      %62 = stablehlo.broadcast_in_dim %iterArg_9, dims = [0] : (tensor<4xi1>) -> tensor<4x1xi1>
      %63 = stablehlo.iota dim = 0 : tensor<11xi32>
      %c_28 = stablehlo.constant dense<0> : tensor<i32>
      %64 = stablehlo.broadcast_in_dim %c_28, dims = [] : (tensor<i32>) -> tensor<11xi32>
      %65 = stablehlo.compare EQ, %63, %64, SIGNED : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi1>
      %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %cst_30 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %66 = func.call @_where_0(%65, %cst_29, %cst_30) : (tensor<11xi1>, tensor<f32>, tensor<f32>) -> tensor<11xf32>
      %67 = func.call @_where_1(%62, %66, %61) : (tensor<4x1xi1>, tensor<11xf32>, tensor<4x11xf32>) -> tensor<4x11xf32>
      %68 = stablehlo.broadcast_in_dim %iterArg_11, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %69 = stablehlo.convert %68 : tensor<4x1xf32>
      %70 = stablehlo.broadcast_in_dim %69, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x11xf32>
      %71 = stablehlo.add %70, %67 : tensor<4x11xf32>
      %72 = stablehlo.reshape %71 : (tensor<4x11xf32>) -> tensor<44xf32>
      %values, %indices = chlo.top_k(%72, k = 4) : tensor<44xf32> -> (tensor<4xf32>, tensor<4xi32>)
      %c_31 = stablehlo.constant dense<11> : tensor<i32>
      %73 = func.call @floor_divide(%indices, %c_31) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
      %c_32 = stablehlo.constant dense<11> : tensor<i32>
      %74 = func.call @remainder(%indices, %c_32) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
      %c_33 = stablehlo.constant dense<0> : tensor<i32>
      %75 = stablehlo.broadcast_in_dim %c_33, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %76 = stablehlo.compare LT, %73, %75, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
      %c_34 = stablehlo.constant dense<4> : tensor<i32>
      %77 = stablehlo.broadcast_in_dim %c_34, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %78 = stablehlo.add %73, %77 : tensor<4xi32>
      %79 = stablehlo.select %76, %78, %73 : tensor<4xi1>, tensor<4xi32>
      %80 = stablehlo.broadcast_in_dim %79, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
      %81 = "stablehlo.gather"(%iterArg_13, %80) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<4x8xi32>, tensor<4x1xi32>) -> tensor<4x8xi32>
      %c_35 = stablehlo.constant dense<1> : tensor<i32>
      %82 = stablehlo.add %iterArg_12, %c_35 : tensor<i32>
      %c_36 = stablehlo.constant dense<0> : tensor<i32>
      %83 = stablehlo.compare LT, %82, %c_36, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_37 = stablehlo.constant dense<8> : tensor<i32>
      %84 = stablehlo.add %82, %c_37 : tensor<i32>
      %85 = stablehlo.select %83, %84, %82 : tensor<i1>, tensor<i32>
      %86 = stablehlo.convert %85 : tensor<i32>
      %87 = stablehlo.broadcast_in_dim %86, dims = [] : (tensor<i32>) -> tensor<1xi32>
      %88 = "stablehlo.scatter"(%81, %87, %74) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1]>, unique_indices = true}> ({
      ^bb0(%arg10: tensor<i32>, %arg11: tensor<i32>):
        stablehlo.return %arg11 : tensor<i32>
      }) : (tensor<4x8xi32>, tensor<1xi32>, tensor<4xi32>) -> tensor<4x8xi32>
      %c_38 = stablehlo.constant dense<1> : tensor<i32>
      %89 = stablehlo.add %iterArg_12, %c_38 : tensor<i32>
      %c_39 = stablehlo.constant dense<0> : tensor<i32>
      %90 = stablehlo.broadcast_in_dim %c_39, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %91 = stablehlo.compare LT, %73, %90, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
      %c_40 = stablehlo.constant dense<4> : tensor<i32>
      %92 = stablehlo.broadcast_in_dim %c_40, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %93 = stablehlo.add %73, %92 : tensor<4xi32>
      %94 = stablehlo.select %91, %93, %73 : tensor<4xi1>, tensor<4xi32>
      %95 = stablehlo.broadcast_in_dim %94, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
      %96 = "stablehlo.gather"(%56, %95) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<4x8xf32>, tensor<4x1xi32>) -> tensor<4x8xf32>
      %c_41 = stablehlo.constant dense<0> : tensor<i32>
      %97 = stablehlo.broadcast_in_dim %c_41, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %98 = stablehlo.compare LT, %73, %97, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
      %c_42 = stablehlo.constant dense<4> : tensor<i32>
      %99 = stablehlo.broadcast_in_dim %c_42, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %100 = stablehlo.add %73, %99 : tensor<4xi32>
      %101 = stablehlo.select %98, %100, %73 : tensor<4xi1>, tensor<4xi32>
      %102 = stablehlo.broadcast_in_dim %101, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
      %103 = "stablehlo.gather"(%iterArg_9, %102) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<4xi1>, tensor<4x1xi32>) -> tensor<4xi1>
      %c_43 = stablehlo.constant dense<0> : tensor<i32>
      %104 = stablehlo.broadcast_in_dim %c_43, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %105 = stablehlo.compare EQ, %74, %104, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
      %106 = stablehlo.or %103, %105 : tensor<4xi1>
      stablehlo.return %iterArg, %iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %106, %96, %values, %89, %88 : tensor<11x6xf32>, tensor<6x24xf32>, tensor<24xf32>, tensor<8x24xf32>, tensor<8x11xf32>, tensor<11xf32>, tensor<4xi1>, tensor<4x8xf32>, tensor<4xf32>, tensor<i32>, tensor<4x8xi32>
    }
    return %7#10, %7#8, %7#9 : tensor<4x8xi32>, tensor<4xf32>, tensor<i32>
  }
  func.func private @_where(%arg0: tensor<4xi1>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.select %arg0, %0, %1 : tensor<4xi1>, tensor<4xf32>
    return %2 : tensor<4xf32>
  }
  func.func private @log_softmax(%arg0: tensor<4x11xf32>) -> tensor<4x11xf32> {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<4x11xf32>, tensor<f32>) -> tensor<4xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<4xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x11xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<4x11xf32>
    %6 = stablehlo.exponential %5 : tensor<4x11xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<4x11xf32>, tensor<f32>) -> tensor<4xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %9 = stablehlo.log %8 : tensor<4x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x11xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<4x11xf32>
    return %11 : tensor<4x11xf32>
  }
  func.func private @_where_0(%arg0: tensor<11xi1>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<11xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %2 = stablehlo.select %arg0, %0, %1 : tensor<11xi1>, tensor<11xf32>
    return %2 : tensor<11xf32>
  }
  func.func private @_where_1(%arg0: tensor<4x1xi1>, %arg1: tensor<11xf32>, %arg2: tensor<4x11xf32>) -> tensor<4x11xf32> {
    %0 = stablehlo.convert %arg1 : tensor<11xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<4x1xi1>) -> tensor<4x11xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<11xf32>) -> tensor<4x11xf32>
    %3 = stablehlo.select %1, %2, %arg2 : tensor<4x11xi1>, tensor<4x11xf32>
    return %3 : tensor<4x11xf32>
  }
  func.func private @floor_divide(%arg0: tensor<4xi32>, %arg1: tensor<i32>) -> tensor<4xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %2 = stablehlo.divide %arg0, %1 : tensor<4xi32>
    %3 = stablehlo.sign %arg0 : tensor<4xi32>
    %4 = stablehlo.sign %0 : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %6 = stablehlo.compare NE, %3, %5, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %7 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %8 = stablehlo.remainder %arg0, %7 : tensor<4xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %10 = stablehlo.compare NE, %8, %9, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %11 = stablehlo.and %6, %10 : tensor<4xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %13 = stablehlo.subtract %2, %12 : tensor<4xi32>
    %14 = call @_where_2(%11, %13, %2) : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    return %14 : tensor<4xi32>
  }
  func.func private @_where_2(%arg0: tensor<4xi1>, %arg1: tensor<4xi32>, %arg2: tensor<4xi32>) -> tensor<4xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<4xi1>, tensor<4xi32>
    return %0 : tensor<4xi32>
  }
  func.func private @remainder(%arg0: tensor<4xi32>, %arg1: tensor<i32>) -> tensor<4xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where_3(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<4xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<4xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    %12 = stablehlo.and %11, %6 : tensor<4xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %14 = stablehlo.add %4, %13 : tensor<4xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<4xi1>, tensor<4xi32>
    return %15 : tensor<4xi32>
  }
  func.func private @_where_3(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
