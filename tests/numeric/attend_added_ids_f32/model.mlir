module @jit_added attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x2x37x64xf32>, %arg1: tensor<1x2x45x64xf32>, %arg2: tensor<1x2x45x64xf32>, %arg3: tensor<1x45xi32>) -> (tensor<1x2x37x64xf32> {jax.result_info = "result"}) {
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
    %cst_1 = stablehlo.constant dense<1.250000e-01> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<1x2x37x64xf32>
    %8 = stablehlo.multiply %arg0, %7 : tensor<1x2x37x64xf32>
    %9 = stablehlo.dot_general %8, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<1x2x37x64xf32>, tensor<1x2x45x64xf32>) -> tensor<1x2x37x45xf32>
    %10 = stablehlo.broadcast_in_dim %6, dims = [0, 3] : (tensor<1x45xf32>) -> tensor<1x1x1x45xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2, 3] : (tensor<1x1x1x45xf32>) -> tensor<1x2x37x45xf32>
    %12 = stablehlo.add %9, %11 : tensor<1x2x37x45xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst_2) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x37x45xf32>, tensor<f32>) -> tensor<1x2x37xf32>
    %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<1x2x37xf32>
    %15 = stablehlo.maximum %14, %13 : tensor<1x2x37xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<1x2x37xf32>) -> tensor<1x2x37x1xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2, 3] : (tensor<1x2x37x1xf32>) -> tensor<1x2x37x45xf32>
    %18 = stablehlo.subtract %12, %17 : tensor<1x2x37x45xf32>
    %19 = stablehlo.exponential %18 : tensor<1x2x37x45xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.reduce(%19 init: %cst_4) applies stablehlo.add across dimensions = [3] : (tensor<1x2x37x45xf32>, tensor<f32>) -> tensor<1x2x37xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<1x2x37xf32>) -> tensor<1x2x37x1xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2, 3] : (tensor<1x2x37x1xf32>) -> tensor<1x2x37x45xf32>
    %23 = stablehlo.divide %19, %22 : tensor<1x2x37x45xf32>
    %24 = stablehlo.dot_general %23, %arg2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<1x2x37x45xf32>, tensor<1x2x45x64xf32>) -> tensor<1x2x37x64xf32>
    return %24 : tensor<1x2x37x64xf32>
  }
}
