module @jit_many attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x5x6x3xf32>, %arg1: tensor<3x3x3x4xf32>, %arg2: tensor<2xi32>) -> (tensor<60xf32> {jax.result_info = "result[0]"}, tensor<2x5x6x3xf32> {jax.result_info = "result[1]"}, tensor<2x5x6x3xf32> {jax.result_info = "result[2]"}, tensor<60xf32> {jax.result_info = "result[3]"}, tensor<4xf32> {jax.result_info = "result[4]"}, tensor<6x4xf32> {jax.result_info = "result[5]"}, tensor<60xf32> {jax.result_info = "result[6]"}, tensor<6xcomplex<f32>> {jax.result_info = "result[7]"}, tensor<60xf32> {jax.result_info = "result[8]"}, tensor<2x2x3x3xf32> {jax.result_info = "result[9]"}, tensor<3xf32> {jax.result_info = "result[10][0]"}, tensor<3xi32> {jax.result_info = "result[10][1]"}, tensor<6x4xf32> {jax.result_info = "result[11]"}, tensor<2x5x6x3xf32> {jax.result_info = "result[12][0]"}, tensor<2xui8> {jax.result_info = "result[12][1]"}, tensor<2x5x6x3xbf16> {jax.result_info = "result[12][2]"}) {
    %c = stablehlo.constant dense<[true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false]> : tensor<60xi1>
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 2], pad = [[1, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x5x6x3xf32>, tensor<3x3x3x4xf32>) -> tensor<2x5x3x4xf32>
    %1 = stablehlo.reshape %0 : (tensor<2x5x3x4xf32>) -> tensor<120xf32>
    %2 = call @sort(%1) : (tensor<120xf32>) -> tensor<120xf32>
    %3 = stablehlo.slice %2 [0:120:2] : (tensor<120xf32>) -> tensor<60xf32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %5 = stablehlo.compare LT, %arg2, %4, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %c_1 = stablehlo.constant dense<2> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %7 = stablehlo.add %arg2, %6 : tensor<2xi32>
    %8 = stablehlo.select %5, %7, %arg2 : tensor<2xi1>, tensor<2xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %10 = "stablehlo.gather"(%arg0, %9) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2, 3], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 5, 6, 3>}> : (tensor<2x5x6x3xf32>, tensor<2x1xi32>) -> tensor<2x5x6x3xf32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %11 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %12 = stablehlo.compare LT, %arg2, %11, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %c_3 = stablehlo.constant dense<2> : tensor<i32>
    %13 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %14 = stablehlo.add %arg2, %13 : tensor<2xi32>
    %15 = stablehlo.select %12, %14, %arg2 : tensor<2xi1>, tensor<2xi32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x5x6x3xf32>
    %18 = "stablehlo.scatter"(%arg0, %16, %17) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2, 3], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %51 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %51 : tensor<f32>
    }) : (tensor<2x5x6x3xf32>, tensor<2x1xi32>, tensor<2x5x6x3xf32>) -> tensor<2x5x6x3xf32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %19:2 = stablehlo.while(%iterArg = %c_4, %iterArg_11 = %3) : tensor<i32>, tensor<60xf32>
    cond {
      %c_12 = stablehlo.constant dense<3> : tensor<i32>
      %51 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %51 : tensor<i1>
    } do {
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %51 = stablehlo.add %iterArg, %c_12 : tensor<i32>
      %52 = stablehlo.sine %iterArg_11 : tensor<60xf32>
      stablehlo.return %51, %52 : tensor<i32>, tensor<60xf32>
    }
    %c_5 = stablehlo.constant dense<3> : tensor<i32>
    %c_6 = stablehlo.constant dense<32> : tensor<i32>
    %20 = stablehlo.shift_right_logical %c_5, %c_6 : tensor<i32>
    %21 = stablehlo.convert %20 : (tensor<i32>) -> tensor<ui32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [] : (tensor<ui32>) -> tensor<1xui32>
    %c_7 = stablehlo.constant dense<-1> : tensor<i32>
    %23 = stablehlo.and %c_5, %c_7 : tensor<i32>
    %24 = stablehlo.convert %23 : (tensor<i32>) -> tensor<ui32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [] : (tensor<ui32>) -> tensor<1xui32>
    %26 = stablehlo.concatenate %22, %25, dim = 0 : (tensor<1xui32>, tensor<1xui32>) -> tensor<2xui32>
    %27 = call @_normal(%26) : (tensor<2xui32>) -> tensor<4xf32>
    %28 = stablehlo.slice %arg0 [0:1, 0:1, 0:6, 0:3] : (tensor<2x5x6x3xf32>) -> tensor<1x1x6x3xf32>
    %29 = stablehlo.reshape %28 : (tensor<1x1x6x3xf32>) -> tensor<6x3xf32>
    %30 = stablehlo.slice %arg1 [0:1, 0:1, 0:3, 0:4] : (tensor<3x3x3x4xf32>) -> tensor<1x1x3x4xf32>
    %31 = stablehlo.reshape %30 : (tensor<1x1x3x4xf32>) -> tensor<3x4xf32>
    %32 = stablehlo.dot_general %29, %31, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<6x3xf32>, tensor<3x4xf32>) -> tensor<6x4xf32>
    %c_8 = stablehlo.constant dense<2> : tensor<i32>
    %33 = stablehlo.compare GT, %19#0, %c_8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %34 = stablehlo.convert %33 : (tensor<i1>) -> tensor<i32>
    %35 = "stablehlo.case"(%34) ({
      %cst_11 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %51 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<60xf32>
      %52 = stablehlo.multiply %19#1, %51 : tensor<60xf32>
      stablehlo.return %52 : tensor<60xf32>
    }, {
      %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %51 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<60xf32>
      %52 = stablehlo.add %19#1, %51 : tensor<60xf32>
      stablehlo.return %52 : tensor<60xf32>
    }) : (tensor<i32>) -> tensor<60xf32>
    %36 = stablehlo.slice %3 [0:6] : (tensor<60xf32>) -> tensor<6xf32>
    %37 = stablehlo.convert %36 : (tensor<6xf32>) -> tensor<6xcomplex<f32>>
    %38 = call @fft(%37) : (tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %39 = call @_where(%c, %3, %c_9) : (tensor<60xi1>, tensor<60xf32>, tensor<i32>) -> tensor<60xf32>
    %cst_10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<f32>
    %41 = "stablehlo.reduce_window"(%arg0, %40) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %51 = stablehlo.maximum %arg3, %arg4 : tensor<f32>
      stablehlo.return %51 : tensor<f32>
    }) : (tensor<2x5x6x3xf32>, tensor<f32>) -> tensor<2x2x3x3xf32>
    %values, %indices = chlo.top_k(%3, k = 3) : tensor<60xf32> -> (tensor<3xf32>, tensor<3xi32>)
    %42 = stablehlo.slice %arg0 [0:1, 0:1, 0:6, 0:3] : (tensor<2x5x6x3xf32>) -> tensor<1x1x6x3xf32>
    %43 = stablehlo.reshape %42 : (tensor<1x1x6x3xf32>) -> tensor<6x3xf32>
    %44 = stablehlo.slice %arg1 [0:1, 0:1, 0:3, 0:4] : (tensor<3x3x3x4xf32>) -> tensor<1x1x3x4xf32>
    %45 = stablehlo.reshape %44 : (tensor<1x1x3x4xf32>) -> tensor<3x4xf32>
    %46 = stablehlo.dot_general %43, %45, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<6x3xf32>, tensor<3x4xf32>) -> tensor<6x4xf32>
    %47 = stablehlo.convert %arg0 : (tensor<2x5x6x3xf32>) -> tensor<2x5x6x3xf8E4M3FN>
    %48 = stablehlo.convert %47 : (tensor<2x5x6x3xf8E4M3FN>) -> tensor<2x5x6x3xf32>
    %49 = stablehlo.convert %arg2 : (tensor<2xi32>) -> tensor<2xui8>
    %50 = stablehlo.convert %arg0 : (tensor<2x5x6x3xf32>) -> tensor<2x5x6x3xbf16>
    return %3, %10, %18, %19#1, %27, %32, %35, %38, %39, %41, %values, %indices, %46, %48, %49, %50 : tensor<60xf32>, tensor<2x5x6x3xf32>, tensor<2x5x6x3xf32>, tensor<60xf32>, tensor<4xf32>, tensor<6x4xf32>, tensor<60xf32>, tensor<6xcomplex<f32>>, tensor<60xf32>, tensor<2x2x3x3xf32>, tensor<3xf32>, tensor<3xi32>, tensor<6x4xf32>, tensor<2x5x6x3xf32>, tensor<2xui8>, tensor<2x5x6x3xbf16>
  }
  func.func private @sort(%arg0: tensor<120xf32>) -> tensor<120xf32> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.select %1, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %4 = stablehlo.select %3, %cst_1, %2 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.select %5, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %7 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %8 = stablehlo.select %7, %cst_4, %6 : tensor<i1>, tensor<f32>
      %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<120xf32>) -> tensor<120xf32>
    return %0 : tensor<120xf32>
  }
  func.func private @_normal(%arg0: tensor<2xui32>) -> tensor<4xf32> {
    %0 = call @_normal_real(%arg0) : (tensor<2xui32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func private @_normal_real(%arg0: tensor<2xui32>) -> tensor<4xf32> {
    %cst = stablehlo.constant dense<-0.99999994> : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = call @_uniform(%arg0, %cst, %cst_0) : (tensor<2xui32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
    %1 = chlo.erf_inv %0 : tensor<4xf32> -> tensor<4xf32>
    %cst_1 = stablehlo.constant dense<1.41421354> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %3 = stablehlo.multiply %2, %1 : tensor<4xf32>
    return %3 : tensor<4xf32>
  }
  func.func private @_uniform(%arg0: tensor<2xui32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %2 = stablehlo.slice %arg0 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %3 = stablehlo.reshape %2 : (tensor<1xui32>) -> tensor<ui32>
    %4 = stablehlo.slice %arg0 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %5 = stablehlo.reshape %4 : (tensor<1xui32>) -> tensor<ui32>
    %6 = stablehlo.iota dim = 0 : tensor<4xui64>
    %c = stablehlo.constant dense<1> : tensor<ui64>
    %7 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<4xui64>
    %8 = stablehlo.multiply %7, %6 : tensor<4xui64>
    %c_0 = stablehlo.constant dense<32> : tensor<ui64>
    %9 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<4xui64>
    %10 = stablehlo.shift_right_logical %8, %9 : tensor<4xui64>
    %11 = stablehlo.convert %8 : (tensor<4xui64>) -> tensor<4xui32>
    %12 = stablehlo.convert %10 : (tensor<4xui64>) -> tensor<4xui32>
    %13:2 = call @threefry2x32(%3, %5, %12, %11) : (tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<4xui32>, tensor<4xui32>)
    %14 = stablehlo.xor %13#0, %13#1 : tensor<4xui32>
    %c_1 = stablehlo.constant dense<9> : tensor<ui32>
    %15 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<4xui32>
    %16 = stablehlo.shift_right_logical %14, %15 : tensor<4xui32>
    %c_2 = stablehlo.constant dense<1065353216> : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui32>) -> tensor<4xui32>
    %18 = stablehlo.or %16, %17 : tensor<4xui32>
    %19 = stablehlo.bitcast_convert %18 : (tensor<4xui32>) -> tensor<4xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %21 = stablehlo.subtract %19, %20 : tensor<4xf32>
    %22 = stablehlo.subtract %1, %0 : tensor<1xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0] : (tensor<1xf32>) -> tensor<4xf32>
    %24 = stablehlo.multiply %21, %23 : tensor<4xf32>
    %25 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<1xf32>) -> tensor<4xf32>
    %26 = stablehlo.add %24, %25 : tensor<4xf32>
    %27 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<1xf32>) -> tensor<4xf32>
    %28 = stablehlo.maximum %27, %26 : tensor<4xf32>
    return %28 : tensor<4xf32>
  }
  func.func private @threefry2x32(%arg0: tensor<ui32>, %arg1: tensor<ui32>, %arg2: tensor<4xui32>, %arg3: tensor<4xui32>) -> (tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
    %c_0 = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
    %0 = stablehlo.xor %arg0, %arg1 : tensor<ui32>
    %c_1 = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.xor %0, %c_1 : tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<4xui32>
    %3 = stablehlo.add %arg2, %2 : tensor<4xui32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<4xui32>
    %5 = stablehlo.add %arg3, %4 : tensor<4xui32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %6:9 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %c_2, %iterArg_5 = %3, %iterArg_6 = %5, %iterArg_7 = %arg1, %iterArg_8 = %1, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %c_0) : tensor<i32>, tensor<i32>, tensor<4xui32>, tensor<4xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    cond {
      %c_12 = stablehlo.constant dense<5> : tensor<i32>
      %7 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %7:8 = func.call @closed_call(%iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i32>, tensor<4xui32>, tensor<4xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<4xui32>, tensor<4xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %8 = stablehlo.add %iterArg, %c_12 : tensor<i32>
      stablehlo.return %8, %7#0, %7#1, %7#2, %7#3, %7#4, %7#5, %7#6, %7#7 : tensor<i32>, tensor<i32>, tensor<4xui32>, tensor<4xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    }
    return %6#2, %6#3 : tensor<4xui32>, tensor<4xui32>
  }
  func.func private @closed_call(%arg0: tensor<i32>, %arg1: tensor<4xui32>, %arg2: tensor<4xui32>, %arg3: tensor<ui32>, %arg4: tensor<ui32>, %arg5: tensor<ui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>) -> (tensor<i32>, tensor<4xui32>, tensor<4xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = stablehlo.slice %arg6 [0:1] : (tensor<4xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.add %arg1, %arg2 : tensor<4xui32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<4xui32>
    %5 = stablehlo.shift_left %arg2, %4 : tensor<4xui32>
    %c_0 = stablehlo.constant dense<32> : tensor<ui32>
    %6 = stablehlo.subtract %c_0, %2 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<4xui32>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<4xui32>
    %9 = stablehlo.or %5, %8 : tensor<4xui32>
    %10 = stablehlo.xor %3, %9 : tensor<4xui32>
    %11 = stablehlo.slice %arg6 [1:2] : (tensor<4xui32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.add %3, %10 : tensor<4xui32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<4xui32>
    %15 = stablehlo.shift_left %10, %14 : tensor<4xui32>
    %c_1 = stablehlo.constant dense<32> : tensor<ui32>
    %16 = stablehlo.subtract %c_1, %12 : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<ui32>) -> tensor<4xui32>
    %18 = stablehlo.shift_right_logical %10, %17 : tensor<4xui32>
    %19 = stablehlo.or %15, %18 : tensor<4xui32>
    %20 = stablehlo.xor %13, %19 : tensor<4xui32>
    %21 = stablehlo.slice %arg6 [2:3] : (tensor<4xui32>) -> tensor<1xui32>
    %22 = stablehlo.reshape %21 : (tensor<1xui32>) -> tensor<ui32>
    %23 = stablehlo.add %13, %20 : tensor<4xui32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<4xui32>
    %25 = stablehlo.shift_left %20, %24 : tensor<4xui32>
    %c_2 = stablehlo.constant dense<32> : tensor<ui32>
    %26 = stablehlo.subtract %c_2, %22 : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<ui32>) -> tensor<4xui32>
    %28 = stablehlo.shift_right_logical %20, %27 : tensor<4xui32>
    %29 = stablehlo.or %25, %28 : tensor<4xui32>
    %30 = stablehlo.xor %23, %29 : tensor<4xui32>
    %31 = stablehlo.slice %arg6 [3:4] : (tensor<4xui32>) -> tensor<1xui32>
    %32 = stablehlo.reshape %31 : (tensor<1xui32>) -> tensor<ui32>
    %33 = stablehlo.add %23, %30 : tensor<4xui32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<ui32>) -> tensor<4xui32>
    %35 = stablehlo.shift_left %30, %34 : tensor<4xui32>
    %c_3 = stablehlo.constant dense<32> : tensor<ui32>
    %36 = stablehlo.subtract %c_3, %32 : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<ui32>) -> tensor<4xui32>
    %38 = stablehlo.shift_right_logical %30, %37 : tensor<4xui32>
    %39 = stablehlo.or %35, %38 : tensor<4xui32>
    %40 = stablehlo.xor %33, %39 : tensor<4xui32>
    %41 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<ui32>) -> tensor<4xui32>
    %42 = stablehlo.add %33, %41 : tensor<4xui32>
    %43 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<ui32>) -> tensor<4xui32>
    %44 = stablehlo.add %40, %43 : tensor<4xui32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %45 = stablehlo.add %arg0, %c_4 : tensor<i32>
    %46 = stablehlo.convert %45 : (tensor<i32>) -> tensor<ui32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<ui32>) -> tensor<4xui32>
    %48 = stablehlo.add %44, %47 : tensor<4xui32>
    return %0, %42, %48, %arg4, %arg5, %arg3, %arg7, %arg6 : tensor<i32>, tensor<4xui32>, tensor<4xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
  }
  func.func private @fft(%arg0: tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = FFT, length = [6] : (tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
    return %0 : tensor<6xcomplex<f32>>
  }
  func.func private @_where(%arg0: tensor<60xi1>, %arg1: tensor<60xf32>, %arg2: tensor<i32>) -> tensor<60xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<60xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<60xi1>, tensor<60xf32>
    return %2 : tensor<60xf32>
  }
}
