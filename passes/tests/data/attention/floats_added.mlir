module @jit_float_mask_added attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x2x5x8xbf16>, %arg1: tensor<1x2x7x8xbf16>, %arg2: tensor<1x2x7x8xbf16>, %arg3: tensor<1x7xbf16>) -> (tensor<1x2x5x8xbf16> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg3, dims = [0, 3] : (tensor<1x7xbf16>) -> tensor<1x1x1x7xbf16>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<1x1x1x7xbf16>
    %2 = stablehlo.subtract %1, %0 : tensor<1x1x1x7xbf16>
    %cst_0 = stablehlo.constant dense<-9.982440e+08> : tensor<bf16>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<1x1x1x7xbf16>
    %4 = stablehlo.multiply %2, %3 : tensor<1x1x1x7xbf16>
    %5 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<1x2x5x8xbf16>, tensor<1x2x7x8xbf16>) -> tensor<1x2x5x7xbf16>
    %cst_1 = stablehlo.constant dense<3.535160e-01> : tensor<bf16>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<bf16>) -> tensor<1x2x5x7xbf16>
    %7 = stablehlo.multiply %5, %6 : tensor<1x2x5x7xbf16>
    %8 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2, 3] : (tensor<1x1x1x7xbf16>) -> tensor<1x2x5x7xbf16>
    %9 = stablehlo.add %7, %8 : tensor<1x2x5x7xbf16>
    %cst_2 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %10 = stablehlo.reduce(%9 init: %cst_2) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x5x7xbf16>, tensor<bf16>) -> tensor<1x2x5xbf16>
    %cst_3 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %11 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<bf16>) -> tensor<1x2x5xbf16>
    %12 = stablehlo.maximum %11, %10 : tensor<1x2x5xbf16>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2] : (tensor<1x2x5xbf16>) -> tensor<1x2x5x1xbf16>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2, 3] : (tensor<1x2x5x1xbf16>) -> tensor<1x2x5x7xbf16>
    %15 = stablehlo.subtract %9, %14 : tensor<1x2x5x7xbf16>
    %16 = stablehlo.exponential %15 : tensor<1x2x5x7xbf16>
    %17 = stablehlo.convert %16 : (tensor<1x2x5x7xbf16>) -> tensor<1x2x5x7xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.reduce(%17 init: %cst_4) applies stablehlo.add across dimensions = [3] : (tensor<1x2x5x7xf32>, tensor<f32>) -> tensor<1x2x5xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2] : (tensor<1x2x5xf32>) -> tensor<1x2x5x1xf32>
    %20 = stablehlo.convert %19 : (tensor<1x2x5x1xf32>) -> tensor<1x2x5x1xbf16>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2, 3] : (tensor<1x2x5x1xbf16>) -> tensor<1x2x5x7xbf16>
    %22 = stablehlo.divide %16, %21 : tensor<1x2x5x7xbf16>
    %23 = stablehlo.dot_general %22, %arg2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<1x2x5x7xbf16>, tensor<1x2x7x8xbf16>) -> tensor<1x2x5x8xbf16>
    return %23 : tensor<1x2x5x8xbf16>
  }
}
