module @jit_old attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x5x6x3xf32>, %arg1: tensor<3x3x3x4xf32>, %arg2: tensor<2xi32>) -> (tensor<2x5x6x3xf32> {jax.result_info = "result[0]"}, tensor<2x5x6x3xf32> {jax.result_info = "result[1]"}, tensor<2x5x3x4xf32> {jax.result_info = "result[2]"}, tensor<6x4xf32> {jax.result_info = "result[3]"}, tensor<2x5x6x3xf32> {jax.result_info = "result[4]"}, tensor<2x5x6x3xi1> {jax.result_info = "result[5]"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 2], pad = [[1, 1], [0, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x5x6x3xf32>, tensor<3x3x3x4xf32>) -> tensor<2x5x3x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.while(%iterArg = %c, %iterArg_5 = %0) : tensor<i32>, tensor<2x5x3x4xf32>
    cond {
      %c_6 = stablehlo.constant dense<3> : tensor<i32>
      %25 = stablehlo.compare LT, %iterArg, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %25 : tensor<i1>
    } do {
      %c_6 = stablehlo.constant dense<1> : tensor<i32>
      %25 = stablehlo.add %iterArg, %c_6 : tensor<i32>
      %26 = stablehlo.cosine %iterArg_5 : tensor<2x5x3x4xf32>
      stablehlo.return %25, %26 : tensor<i32>, tensor<2x5x3x4xf32>
    }
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %3 = stablehlo.compare LT, %arg2, %2, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %c_1 = stablehlo.constant dense<2> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %5 = stablehlo.add %arg2, %4 : tensor<2xi32>
    %6 = stablehlo.select %3, %5, %arg2 : tensor<2xi1>, tensor<2xi32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %8 = "stablehlo.gather"(%arg0, %7) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2, 3], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5, 6, 3>}> : (tensor<2x5x6x3xf32>, tensor<2x1xi32>) -> tensor<2x5x6x3xf32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %10 = stablehlo.compare LT, %arg2, %9, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %c_3 = stablehlo.constant dense<2> : tensor<i32>
    %11 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %12 = stablehlo.add %arg2, %11 : tensor<2xi32>
    %13 = stablehlo.select %10, %12, %arg2 : tensor<2xi1>, tensor<2xi32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x5x6x3xf32>
    %16 = "stablehlo.scatter"(%arg0, %14, %15) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2, 3], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %25 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %25 : tensor<f32>
    }) : (tensor<2x5x6x3xf32>, tensor<2x1xi32>, tensor<2x5x6x3xf32>) -> tensor<2x5x6x3xf32>
    %17 = stablehlo.slice %arg0 [0:1, 0:1, 0:6, 0:3] : (tensor<2x5x6x3xf32>) -> tensor<1x1x6x3xf32>
    %18 = stablehlo.reshape %17 : (tensor<1x1x6x3xf32>) -> tensor<6x3xf32>
    %19 = stablehlo.slice %arg1 [0:1, 0:1, 0:3, 0:4] : (tensor<3x3x3x4xf32>) -> tensor<1x1x3x4xf32>
    %20 = stablehlo.reshape %19 : (tensor<1x1x3x4xf32>) -> tensor<3x4xf32>
    %21 = stablehlo.dot_general %18, %20, contracting_dims = [1] x [0] : (tensor<6x3xf32>, tensor<3x4xf32>) -> tensor<6x4xf32>
    %22 = stablehlo.exponential %arg0 : tensor<2x5x6x3xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2x5x6x3xf32>
    %24 = stablehlo.compare GT, %arg0, %23, FLOAT : (tensor<2x5x6x3xf32>, tensor<2x5x6x3xf32>) -> tensor<2x5x6x3xi1>
    return %8, %16, %1#1, %21, %22, %24 : tensor<2x5x6x3xf32>, tensor<2x5x6x3xf32>, tensor<2x5x3x4xf32>, tensor<6x4xf32>, tensor<2x5x6x3xf32>, tensor<2x5x6x3xi1>
  }
}
