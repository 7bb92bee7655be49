module @jit_run attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x12x8xf32>, %arg1: tensor<8x4xf32>, %arg2: tensor<4x8x12xf32>, %arg3: tensor<21x8xf32>) -> (tensor<21x8xf32> {jax.result_info = "result[0]"}, tensor<4xi32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.dot_general %arg3, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<21x8xf32>, tensor<8x4xf32>) -> tensor<21x4xf32>
    %1 = call @argmax(%0) : (tensor<21x4xf32>) -> tensor<21xi32>
    %2 = call @argsort(%1) : (tensor<21xi32>) -> tensor<21xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %4 = call @clip(%1, %c_0) : (tensor<21xi32>, tensor<i32>) -> tensor<21xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<21xi32>
    %6 = stablehlo.compare LT, %4, %5, SIGNED : (tensor<21xi32>, tensor<21xi32>) -> tensor<21xi1>
    %c_2 = stablehlo.constant dense<4> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<21xi32>
    %8 = stablehlo.add %4, %7 : tensor<21xi32>
    %9 = stablehlo.select %6, %8, %4 : tensor<21xi1>, tensor<21xi32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<21xi32>) -> tensor<21x1xi32>
    %c_3 = stablehlo.constant dense<1> : tensor<i32>
    %11 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<21xi32>
    %12 = "stablehlo.scatter"(%3, %10, %11) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg4: tensor<i32>, %arg5: tensor<i32>):
      %59 = stablehlo.add %arg4, %arg5 : tensor<i32>
      stablehlo.return %59 : tensor<i32>
    }) : (tensor<4xi32>, tensor<21x1xi32>, tensor<21xi32>) -> tensor<4xi32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %13 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<21xi32>
    %14 = stablehlo.compare LT, %2, %13, SIGNED : (tensor<21xi32>, tensor<21xi32>) -> tensor<21xi1>
    %c_5 = stablehlo.constant dense<21> : tensor<i32>
    %15 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<21xi32>
    %16 = stablehlo.add %2, %15 : tensor<21xi32>
    %17 = stablehlo.select %14, %16, %2 : tensor<21xi1>, tensor<21xi32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0] : (tensor<21xi32>) -> tensor<21x1xi32>
    %19 = "stablehlo.gather"(%arg3, %18) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<21x8xf32>, tensor<21x1xi32>) -> tensor<21x8xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [1, 2] : (tensor<21x8xf32>) -> tensor<4x21x8xf32>
    %21 = stablehlo.iota dim = 1 : tensor<4x21x8xi32>
    %22 = call @cumsum(%12) : (tensor<4xi32>) -> tensor<4xi32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %23 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %24 = stablehlo.slice %23 [0:1] : (tensor<4xi32>) -> tensor<1xi32>
    %25 = stablehlo.slice %22 [0:3] : (tensor<4xi32>) -> tensor<3xi32>
    %26 = stablehlo.concatenate %24, %25, dim = 0 : (tensor<1xi32>, tensor<3xi32>) -> tensor<4xi32>
    %27 = stablehlo.broadcast_in_dim %22, dims = [0] : (tensor<4xi32>) -> tensor<4x21x8xi32>
    %28 = stablehlo.broadcast_in_dim %26, dims = [0] : (tensor<4xi32>) -> tensor<4x21x8xi32>
    %29 = stablehlo.compare LE, %28, %21, SIGNED : (tensor<4x21x8xi32>, tensor<4x21x8xi32>) -> tensor<4x21x8xi1>
    %30 = stablehlo.compare LT, %21, %27, SIGNED : (tensor<4x21x8xi32>, tensor<4x21x8xi32>) -> tensor<4x21x8xi1>
    %31 = stablehlo.and %29, %30 : tensor<4x21x8xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x21x8xf32>
    %33 = stablehlo.select %31, %20, %32 : tensor<4x21x8xi1>, tensor<4x21x8xf32>
    %34 = stablehlo.dot_general %33, %arg2, contracting_dims = [2, 0] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<4x21x8xf32>, tensor<4x8x12xf32>) -> tensor<21x12xf32>
    %35 = call @silu(%34) : (tensor<21x12xf32>) -> tensor<21x12xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<21x8xf32>
    %37 = stablehlo.broadcast_in_dim %35, dims = [1, 2] : (tensor<21x12xf32>) -> tensor<4x21x12xf32>
    %38 = stablehlo.iota dim = 1 : tensor<4x21x12xi32>
    %39 = call @cumsum(%12) : (tensor<4xi32>) -> tensor<4xi32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %40 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %41 = stablehlo.slice %40 [0:1] : (tensor<4xi32>) -> tensor<1xi32>
    %42 = stablehlo.slice %39 [0:3] : (tensor<4xi32>) -> tensor<3xi32>
    %43 = stablehlo.concatenate %41, %42, dim = 0 : (tensor<1xi32>, tensor<3xi32>) -> tensor<4xi32>
    %44 = stablehlo.broadcast_in_dim %39, dims = [0] : (tensor<4xi32>) -> tensor<4x21x12xi32>
    %45 = stablehlo.broadcast_in_dim %43, dims = [0] : (tensor<4xi32>) -> tensor<4x21x12xi32>
    %46 = stablehlo.compare LE, %45, %38, SIGNED : (tensor<4x21x12xi32>, tensor<4x21x12xi32>) -> tensor<4x21x12xi1>
    %47 = stablehlo.compare LT, %38, %44, SIGNED : (tensor<4x21x12xi32>, tensor<4x21x12xi32>) -> tensor<4x21x12xi1>
    %48 = stablehlo.and %46, %47 : tensor<4x21x12xi1>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4x21x12xf32>
    %50 = stablehlo.select %48, %37, %49 : tensor<4x21x12xi1>, tensor<4x21x12xf32>
    %51 = stablehlo.dot_general %50, %arg0, contracting_dims = [2, 0] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<4x21x12xf32>, tensor<4x12x8xf32>) -> tensor<21x8xf32>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %52 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<21xi32>
    %53 = stablehlo.compare LT, %2, %52, SIGNED : (tensor<21xi32>, tensor<21xi32>) -> tensor<21xi1>
    %c_11 = stablehlo.constant dense<21> : tensor<i32>
    %54 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<21xi32>
    %55 = stablehlo.add %2, %54 : tensor<21xi32>
    %56 = stablehlo.select %53, %55, %2 : tensor<21xi1>, tensor<21xi32>
    %57 = stablehlo.broadcast_in_dim %56, dims = [0] : (tensor<21xi32>) -> tensor<21x1xi32>
    %58 = "stablehlo.scatter"(%36, %57, %51) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      stablehlo.return %arg5 : tensor<f32>
    }) : (tensor<21x8xf32>, tensor<21x1xi32>, tensor<21x8xf32>) -> tensor<21x8xf32>
    return %58, %12 : tensor<21x8xf32>, tensor<4xi32>
  }
  func.func private @argmax(%arg0: tensor<21x4xf32>) -> tensor<21xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<21x4xi32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<21x4xf32>, tensor<21x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<21xf32>, tensor<21xi32>)
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
    return %1#1 : tensor<21xi32>
  }
  func.func private @argsort(%arg0: tensor<21xi32>) -> tensor<21xi32> {
    %0 = stablehlo.iota dim = 0 : tensor<21xi32>
    %1:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<i32>):
      %2 = stablehlo.compare LT, %arg1, %arg2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }) : (tensor<21xi32>, tensor<21xi32>) -> (tensor<21xi32>, tensor<21xi32>)
    return %1#1 : tensor<21xi32>
  }
  func.func private @clip(%arg0: tensor<21xi32>, %arg1: tensor<i32>) -> tensor<21xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<21xi32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<21xi32>
    return %2 : tensor<21xi32>
  }
  func.func private @cumsum(%arg0: tensor<4xi32>) -> tensor<4xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[3, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 4>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
    return %1 : tensor<4xi32>
  }
  func.func private @silu(%arg0: tensor<21x12xf32>) -> tensor<21x12xf32> {
    %0 = stablehlo.negate %arg0 : tensor<21x12xf32>
    %1 = stablehlo.exponential %0 : tensor<21x12xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<21x12xf32>
    %3 = stablehlo.add %2, %1 : tensor<21x12xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<21x12xf32>
    %5 = stablehlo.divide %4, %3 : tensor<21x12xf32>
    %6 = stablehlo.multiply %arg0, %5 : tensor<21x12xf32>
    return %6 : tensor<21x12xf32>
  }
}
