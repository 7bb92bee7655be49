module @jit_layernorm attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<9x130xbf16>, %arg1: tensor<130xbf16>, %arg2: tensor<130xbf16>) -> (tensor<9x130xbf16> {jax.result_info = "result"}) {
    %0 = stablehlo.convert %arg0 : (tensor<9x130xbf16>) -> tensor<9x130xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<9x130xf32>, tensor<f32>) -> tensor<9xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<9xf32>) -> tensor<9x1xf32>
    %cst_0 = stablehlo.constant dense<1.300000e+02> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<9x1xf32>
    %4 = stablehlo.divide %2, %3 : tensor<9x1xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<9x1xf32>) -> tensor<9x130xf32>
    %6 = stablehlo.subtract %0, %5 : tensor<9x130xf32>
    %7 = stablehlo.multiply %6, %6 : tensor<9x130xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<9x130xf32>, tensor<f32>) -> tensor<9xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<9xf32>) -> tensor<9x1xf32>
    %cst_2 = stablehlo.constant dense<1.300000e+02> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<9x1xf32>
    %11 = stablehlo.divide %9, %10 : tensor<9x1xf32>
    %12 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<9x1xf32>) -> tensor<9x130xf32>
    %13 = stablehlo.subtract %0, %12 : tensor<9x130xf32>
    %cst_3 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<9x1xf32>
    %15 = stablehlo.add %11, %14 : tensor<9x1xf32>
    %16 = stablehlo.rsqrt %15 : tensor<9x1xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (tensor<9x1xf32>) -> tensor<9x130xf32>
    %18 = stablehlo.multiply %13, %17 : tensor<9x130xf32>
    %19 = stablehlo.convert %arg1 : (tensor<130xbf16>) -> tensor<130xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [1] : (tensor<130xf32>) -> tensor<1x130xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1] : (tensor<1x130xf32>) -> tensor<9x130xf32>
    %22 = stablehlo.multiply %18, %21 : tensor<9x130xf32>
    %23 = stablehlo.convert %arg2 : (tensor<130xbf16>) -> tensor<130xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [1] : (tensor<130xf32>) -> tensor<1x130xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0, 1] : (tensor<1x130xf32>) -> tensor<9x130xf32>
    %26 = stablehlo.add %22, %25 : tensor<9x130xf32>
    %27 = stablehlo.convert %26 : (tensor<9x130xf32>) -> tensor<9x130xbf16>
    return %27 : tensor<9x130xbf16>
  }
}
