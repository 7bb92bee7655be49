module @jit_run attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x64xf32>) -> (tensor<2x7x9xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.slice %arg0 [0:2, 0:16] : (tensor<2x64xf32>) -> tensor<2x16xf32>
    %1 = stablehlo.slice %arg0 [0:2, 8:24] : (tensor<2x64xf32>) -> tensor<2x16xf32>
    %2 = stablehlo.slice %arg0 [0:2, 16:32] : (tensor<2x64xf32>) -> tensor<2x16xf32>
    %3 = stablehlo.slice %arg0 [0:2, 24:40] : (tensor<2x64xf32>) -> tensor<2x16xf32>
    %4 = stablehlo.slice %arg0 [0:2, 32:48] : (tensor<2x64xf32>) -> tensor<2x16xf32>
    %5 = stablehlo.slice %arg0 [0:2, 40:56] : (tensor<2x64xf32>) -> tensor<2x16xf32>
    %6 = stablehlo.slice %arg0 [0:2, 48:64] : (tensor<2x64xf32>) -> tensor<2x16xf32>
    %7 = stablehlo.broadcast_in_dim %0, dims = [0, 2] : (tensor<2x16xf32>) -> tensor<2x1x16xf32>
    %8 = stablehlo.broadcast_in_dim %1, dims = [0, 2] : (tensor<2x16xf32>) -> tensor<2x1x16xf32>
    %9 = stablehlo.broadcast_in_dim %2, dims = [0, 2] : (tensor<2x16xf32>) -> tensor<2x1x16xf32>
    %10 = stablehlo.broadcast_in_dim %3, dims = [0, 2] : (tensor<2x16xf32>) -> tensor<2x1x16xf32>
    %11 = stablehlo.broadcast_in_dim %4, dims = [0, 2] : (tensor<2x16xf32>) -> tensor<2x1x16xf32>
    %12 = stablehlo.broadcast_in_dim %5, dims = [0, 2] : (tensor<2x16xf32>) -> tensor<2x1x16xf32>
    %13 = stablehlo.broadcast_in_dim %6, dims = [0, 2] : (tensor<2x16xf32>) -> tensor<2x1x16xf32>
    %14 = stablehlo.concatenate %7, %8, %9, %10, %11, %12, %13, dim = 1 : (tensor<2x1x16xf32>, tensor<2x1x16xf32>, tensor<2x1x16xf32>, tensor<2x1x16xf32>, tensor<2x1x16xf32>, tensor<2x1x16xf32>, tensor<2x1x16xf32>) -> tensor<2x7x16xf32>
    %15 = stablehlo.iota dim = 0 : tensor<16xf32>
    %cst = stablehlo.constant dense<6.28318548> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %17 = stablehlo.multiply %16, %15 : tensor<16xf32>
    %cst_0 = stablehlo.constant dense<1.500000e+01> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %19 = stablehlo.divide %17, %18 : tensor<16xf32>
    %20 = stablehlo.cosine %19 : tensor<16xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %22 = stablehlo.subtract %21, %20 : tensor<16xf32>
    %cst_2 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %24 = stablehlo.multiply %23, %22 : tensor<16xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<2x7x16xf32>
    %27 = stablehlo.multiply %14, %26 : tensor<2x7x16xf32>
    %28 = call @fft(%27) : (tensor<2x7x16xf32>) -> tensor<2x7x9xcomplex<f32>>
    %29 = stablehlo.abs %28 : (tensor<2x7x9xcomplex<f32>>) -> tensor<2x7x9xf32>
    %30 = stablehlo.log_plus_one %29 : tensor<2x7x9xf32>
    return %30 : tensor<2x7x9xf32>
  }
  func.func private @fft(%arg0: tensor<2x7x16xf32>) -> tensor<2x7x9xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [16] : (tensor<2x7x16xf32>) -> tensor<2x7x9xcomplex<f32>>
    return %0 : tensor<2x7x9xcomplex<f32>>
  }
}
