module @jit_added attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x2x37x64xbf16>, %arg1: tensor<1x2x45x64xbf16>, %arg2: tensor<1x2x45x64xbf16>, %arg3: tensor<1x45xi32>) -> (tensor<1x2x37x64xbf16> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<1x45xi32>
    %1 = stablehlo.compare NE, %arg3, %0, SIGNED : (tensor<1x45xi32>, tensor<1x45xi32>) -> tensor<1x45xi1>
    %2 = stablehlo.convert %1 : (tensor<1x45xi1>) -> tensor<1x45xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x45xf32>
    %4 = stablehlo.subtract %3, %2 : tensor<1x45xf32>
    %cst_0 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1x45xf32>
    %6 = stablehlo.multiply %4, %5 : tensor<1x45xf32>
    %cst_1 = stablehlo.constant dense<1.250000e-01> : tensor<bf16>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<bf16>) -> tensor<1x2x37x64xbf16>
    %8 = stablehlo.multiply %arg0, %7 : tensor<1x2x37x64xbf16>
    %9 = stablehlo.dot_general %8, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<1x2x37x64xbf16>, tensor<1x2x45x64xbf16>) -> tensor<1x2x37x45xbf16>
    %10 = stablehlo.broadcast_in_dim %6, dims = [0, 3] : (tensor<1x45xf32>) -> tensor<1x1x1x45xf32>
    %11 = stablehlo.convert %10 : (tensor<1x1x1x45xf32>) -> tensor<1x1x1x45xbf16>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2, 3] : (tensor<1x1x1x45xbf16>) -> tensor<1x2x37x45xbf16>
    %13 = stablehlo.add %9, %12 : tensor<1x2x37x45xbf16>
    %cst_2 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %14 = stablehlo.reduce(%13 init: %cst_2) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x37x45xbf16>, tensor<bf16>) -> tensor<1x2x37xbf16>
    %cst_3 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %15 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<bf16>) -> tensor<1x2x37xbf16>
    %16 = stablehlo.maximum %15, %14 : tensor<1x2x37xbf16>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2] : (tensor<1x2x37xbf16>) -> tensor<1x2x37x1xbf16>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2, 3] : (tensor<1x2x37x1xbf16>) -> tensor<1x2x37x45xbf16>
    %19 = stablehlo.subtract %13, %18 : tensor<1x2x37x45xbf16>
    %20 = stablehlo.exponential %19 : tensor<1x2x37x45xbf16>
    %21 = stablehlo.convert %20 : (tensor<1x2x37x45xbf16>) -> tensor<1x2x37x45xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %22 = stablehlo.reduce(%21 init: %cst_4) applies stablehlo.add across dimensions = [3] : (tensor<1x2x37x45xf32>, tensor<f32>) -> tensor<1x2x37xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2] : (tensor<1x2x37xf32>) -> tensor<1x2x37x1xf32>
    %24 = stablehlo.convert %23 : (tensor<1x2x37x1xf32>) -> tensor<1x2x37x1xbf16>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0, 1, 2, 3] : (tensor<1x2x37x1xbf16>) -> tensor<1x2x37x45xbf16>
    %26 = stablehlo.divide %20, %25 : tensor<1x2x37x45xbf16>
    %27 = stablehlo.dot_general %26, %arg2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<1x2x37x45xbf16>, tensor<1x2x45x64xbf16>) -> tensor<1x2x37x64xbf16>
    return %27 : tensor<1x2x37x64xbf16>
  }
}
