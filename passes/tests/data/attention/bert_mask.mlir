module @jit_bert attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x5x12xbf16>, %arg1: tensor<2x5x12xbf16>, %arg2: tensor<2x5x12xbf16>, %arg3: tensor<2x5xi32>) -> (tensor<2x5x12xbf16> {jax.result_info = "result"}) {
    %0 = stablehlo.reshape %arg0 : (tensor<2x5x12xbf16>) -> tensor<2x5x2x6xbf16>
    %1 = stablehlo.transpose %0, dims = [0, 2, 1, 3] : (tensor<2x5x2x6xbf16>) -> tensor<2x2x5x6xbf16>
    %2 = stablehlo.reshape %arg1 : (tensor<2x5x12xbf16>) -> tensor<2x5x2x6xbf16>
    %3 = stablehlo.transpose %2, dims = [0, 2, 1, 3] : (tensor<2x5x2x6xbf16>) -> tensor<2x2x5x6xbf16>
    %4 = stablehlo.reshape %arg2 : (tensor<2x5x12xbf16>) -> tensor<2x5x2x6xbf16>
    %5 = stablehlo.transpose %4, dims = [0, 2, 1, 3] : (tensor<2x5x2x6xbf16>) -> tensor<2x2x5x6xbf16>
    %cst = stablehlo.constant dense<4.082030e-01> : tensor<bf16>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<2x2x5x6xbf16>
    %7 = stablehlo.multiply %1, %6 : tensor<2x2x5x6xbf16>
    %8 = stablehlo.dot_general %7, %3, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x2x5x6xbf16>, tensor<2x2x5x6xbf16>) -> tensor<2x2x5x5xbf16>
    %9 = stablehlo.convert %8 : (tensor<2x2x5x5xbf16>) -> tensor<2x2x5x5xf32>
    %10 = stablehlo.broadcast_in_dim %arg3, dims = [0, 3] : (tensor<2x5xi32>) -> tensor<2x1x1x5xi32>
    %11 = stablehlo.convert %10 : (tensor<2x1x1x5xi32>) -> tensor<2x1x1x5xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x1x1x5xf32>
    %13 = stablehlo.subtract %12, %11 : tensor<2x1x1x5xf32>
    %cst_1 = stablehlo.constant dense<-3.40282347E+38> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x1x1x5xf32>
    %15 = stablehlo.multiply %13, %14 : tensor<2x1x1x5xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2, 3] : (tensor<2x1x1x5xf32>) -> tensor<2x2x5x5xf32>
    %17 = stablehlo.add %9, %16 : tensor<2x2x5x5xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %18 = stablehlo.reduce(%17 init: %cst_2) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x5x5xf32>, tensor<f32>) -> tensor<2x2x5xf32>
    %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x2x5xf32>
    %20 = stablehlo.maximum %19, %18 : tensor<2x2x5xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<2x2x5xf32>) -> tensor<2x2x5x1xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2, 3] : (tensor<2x2x5x1xf32>) -> tensor<2x2x5x5xf32>
    %23 = stablehlo.subtract %17, %22 : tensor<2x2x5x5xf32>
    %24 = stablehlo.exponential %23 : tensor<2x2x5x5xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.reduce(%24 init: %cst_4) applies stablehlo.add across dimensions = [3] : (tensor<2x2x5x5xf32>, tensor<f32>) -> tensor<2x2x5xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1, 2] : (tensor<2x2x5xf32>) -> tensor<2x2x5x1xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2, 3] : (tensor<2x2x5x1xf32>) -> tensor<2x2x5x5xf32>
    %28 = stablehlo.divide %24, %27 : tensor<2x2x5x5xf32>
    %29 = stablehlo.convert %28 : (tensor<2x2x5x5xf32>) -> tensor<2x2x5x5xbf16>
    %30 = stablehlo.dot_general %29, %5, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x5x5xbf16>, tensor<2x2x5x6xbf16>) -> tensor<2x2x5x6xbf16>
    %31 = stablehlo.transpose %30, dims = [0, 2, 1, 3] : (tensor<2x2x5x6xbf16>) -> tensor<2x5x2x6xbf16>
    %32 = stablehlo.reshape %31 : (tensor<2x5x2x6xbf16>) -> tensor<2x5x12xbf16>
    return %32 : tensor<2x5x12xbf16>
  }
}
