module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x6xbf16>, %arg1: tensor<12x2x6xbf16>, %arg2: tensor<12xbf16>, %arg3: tensor<2x6x12xbf16>, %arg4: tensor<2x6xbf16>, %arg5: tensor<12x2x6xbf16>, %arg6: tensor<2x6xbf16>, %arg7: tensor<12x2x6xbf16>, %arg8: tensor<2x5x12xbf16>, %arg9: tensor<2x1x5x5xi1>) -> (tensor<2x5x12xbf16> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg8, %arg5, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x5x12xbf16>, tensor<12x2x6xbf16>) -> tensor<2x5x2x6xbf16>
    %1 = stablehlo.reshape %arg4 : (tensor<2x6xbf16>) -> tensor<1x1x2x6xbf16>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<1x1x2x6xbf16>) -> tensor<2x5x2x6xbf16>
    %3 = stablehlo.add %0, %2 : tensor<2x5x2x6xbf16>
    %4 = stablehlo.dot_general %arg8, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x5x12xbf16>, tensor<12x2x6xbf16>) -> tensor<2x5x2x6xbf16>
    %5 = stablehlo.reshape %arg0 : (tensor<2x6xbf16>) -> tensor<1x1x2x6xbf16>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2, 3] : (tensor<1x1x2x6xbf16>) -> tensor<2x5x2x6xbf16>
    %7 = stablehlo.add %4, %6 : tensor<2x5x2x6xbf16>
    %8 = stablehlo.dot_general %arg8, %arg7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x5x12xbf16>, tensor<12x2x6xbf16>) -> tensor<2x5x2x6xbf16>
    %9 = stablehlo.reshape %arg6 : (tensor<2x6xbf16>) -> tensor<1x1x2x6xbf16>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2, 3] : (tensor<1x1x2x6xbf16>) -> tensor<2x5x2x6xbf16>
    %11 = stablehlo.add %8, %10 : tensor<2x5x2x6xbf16>
    %cst = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %12 = stablehlo.sqrt %cst : tensor<f32>
    %13 = stablehlo.convert %12 : (tensor<f32>) -> tensor<bf16>
    %14 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<bf16>) -> tensor<2x5x2x6xbf16>
    %15 = stablehlo.divide %3, %14 : tensor<2x5x2x6xbf16>
    %16 = stablehlo.dot_general %15, %7, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x5x2x6xbf16>, tensor<2x5x2x6xbf16>) -> tensor<2x2x5x5xbf16>
    %cst_0 = stablehlo.constant dense<-3.389530e+38> : tensor<bf16>
    %17 = call @_where(%arg9, %16, %cst_0) : (tensor<2x1x5x5xi1>, tensor<2x2x5x5xbf16>, tensor<bf16>) -> tensor<2x2x5x5xbf16>
    %cst_1 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %18 = stablehlo.reduce(%17 init: %cst_1) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x5x5xbf16>, tensor<bf16>) -> tensor<2x2x5xbf16>
    %cst_2 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %19 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<bf16>) -> tensor<2x2x5xbf16>
    %20 = stablehlo.maximum %19, %18 : tensor<2x2x5xbf16>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<2x2x5xbf16>) -> tensor<2x2x5x1xbf16>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2, 3] : (tensor<2x2x5x1xbf16>) -> tensor<2x2x5x5xbf16>
    %23 = stablehlo.subtract %17, %22 : tensor<2x2x5x5xbf16>
    %24 = stablehlo.exponential %23 : tensor<2x2x5x5xbf16>
    %25 = stablehlo.convert %24 : (tensor<2x2x5x5xbf16>) -> tensor<2x2x5x5xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %26 = stablehlo.reduce(%25 init: %cst_3) applies stablehlo.add across dimensions = [3] : (tensor<2x2x5x5xf32>, tensor<f32>) -> tensor<2x2x5xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<2x2x5xf32>) -> tensor<2x2x5x1xf32>
    %28 = stablehlo.convert %27 : (tensor<2x2x5x1xf32>) -> tensor<2x2x5x1xbf16>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0, 1, 2, 3] : (tensor<2x2x5x1xbf16>) -> tensor<2x2x5x5xbf16>
    %30 = stablehlo.divide %24, %29 : tensor<2x2x5x5xbf16>
    %31 = stablehlo.dot_general %11, %30, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x5x2x6xbf16>, tensor<2x2x5x5xbf16>) -> tensor<2x2x6x5xbf16>
    %32 = stablehlo.transpose %31, dims = [0, 3, 1, 2] : (tensor<2x2x6x5xbf16>) -> tensor<2x5x2x6xbf16>
    %33 = stablehlo.dot_general %32, %arg3, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x5x2x6xbf16>, tensor<2x6x12xbf16>) -> tensor<2x5x12xbf16>
    %34 = stablehlo.reshape %arg2 : (tensor<12xbf16>) -> tensor<1x1x12xbf16>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0, 1, 2] : (tensor<1x1x12xbf16>) -> tensor<2x5x12xbf16>
    %36 = stablehlo.add %33, %35 : tensor<2x5x12xbf16>
    return %36 : tensor<2x5x12xbf16>
  }
  func.func private @_where(%arg0: tensor<2x1x5x5xi1>, %arg1: tensor<2x2x5x5xbf16>, %arg2: tensor<bf16>) -> tensor<2x2x5x5xbf16> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<2x1x5x5xi1>) -> tensor<2x2x5x5xi1>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<bf16>) -> tensor<2x2x5x5xbf16>
    %2 = stablehlo.select %0, %arg1, %1 : tensor<2x2x5x5xi1>, tensor<2x2x5x5xbf16>
    return %2 : tensor<2x2x5x5xbf16>
  }
}
