module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x5x5xf32>, %arg1: tensor<11xi32>, %arg2: tensor<11xi32>) -> (tensor<11x5xf32> {jax.result_info = "result[0]"}, tensor<11x5xf32> {jax.result_info = "result[1]"}, tensor<5x11xf32> {jax.result_info = "result[2]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi1>
    %c_0 = stablehlo.constant dense<5> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<11xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<11xi1>, tensor<11xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %6 = stablehlo.compare LT, %arg2, %5, SIGNED : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi1>
    %c_2 = stablehlo.constant dense<5> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %8 = stablehlo.add %arg2, %7 : tensor<11xi32>
    %9 = stablehlo.select %6, %8, %arg2 : tensor<11xi1>, tensor<11xi32>
    %10 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<11xi32>) -> tensor<11x1xi32>
    %11 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<11xi32>) -> tensor<11x1xi32>
    %12 = stablehlo.concatenate %10, %11, dim = 1 : (tensor<11x1xi32>, tensor<11x1xi32>) -> tensor<11x2xi32>
    %13 = "stablehlo.gather"(%arg0, %12) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 5>}> : (tensor<5x5x5xf32>, tensor<11x2xi32>) -> tensor<11x5xf32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %15 = stablehlo.compare LT, %arg1, %14, SIGNED : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi1>
    %c_4 = stablehlo.constant dense<5> : tensor<i32>
    %16 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %17 = stablehlo.add %arg1, %16 : tensor<11xi32>
    %18 = stablehlo.select %15, %17, %arg1 : tensor<11xi1>, tensor<11xi32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %19 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %20 = stablehlo.compare LT, %arg2, %19, SIGNED : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi1>
    %c_6 = stablehlo.constant dense<5> : tensor<i32>
    %21 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %22 = stablehlo.add %arg2, %21 : tensor<11xi32>
    %23 = stablehlo.select %20, %22, %arg2 : tensor<11xi1>, tensor<11xi32>
    %24 = stablehlo.broadcast_in_dim %18, dims = [0] : (tensor<11xi32>) -> tensor<11x1xi32>
    %25 = stablehlo.broadcast_in_dim %23, dims = [0] : (tensor<11xi32>) -> tensor<11x1xi32>
    %26 = stablehlo.concatenate %24, %25, dim = 1 : (tensor<11x1xi32>, tensor<11x1xi32>) -> tensor<11x2xi32>
    %27 = "stablehlo.gather"(%arg0, %26) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 2], start_index_map = [0, 2], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 5, 1>}> : (tensor<5x5x5xf32>, tensor<11x2xi32>) -> tensor<11x5xf32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %28 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %29 = stablehlo.compare LT, %arg1, %28, SIGNED : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi1>
    %c_8 = stablehlo.constant dense<5> : tensor<i32>
    %30 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %31 = stablehlo.add %arg1, %30 : tensor<11xi32>
    %32 = stablehlo.select %29, %31, %arg1 : tensor<11xi1>, tensor<11xi32>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %33 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %34 = stablehlo.compare LT, %arg2, %33, SIGNED : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi1>
    %c_10 = stablehlo.constant dense<5> : tensor<i32>
    %35 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %36 = stablehlo.add %arg2, %35 : tensor<11xi32>
    %37 = stablehlo.select %34, %36, %arg2 : tensor<11xi1>, tensor<11xi32>
    %38 = stablehlo.broadcast_in_dim %32, dims = [0] : (tensor<11xi32>) -> tensor<11x1xi32>
    %39 = stablehlo.broadcast_in_dim %37, dims = [0] : (tensor<11xi32>) -> tensor<11x1xi32>
    %40 = stablehlo.concatenate %38, %39, dim = 1 : (tensor<11x1xi32>, tensor<11x1xi32>) -> tensor<11x2xi32>
    %41 = "stablehlo.gather"(%arg0, %40) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1, 2], start_index_map = [1, 2], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 5, 1, 1>}> : (tensor<5x5x5xf32>, tensor<11x2xi32>) -> tensor<5x11xf32>
    return %13, %27, %41 : tensor<11x5xf32>, tensor<11x5xf32>, tensor<5x11xf32>
  }
}
