module @jit_torch_style attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x4x5x8xf16>, %arg1: tensor<2x2x7x8xf16>, %arg2: tensor<2x2x7x8xf16>) -> (tensor<2x5x32xf16> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1, 3, 4] : (tensor<2x2x7x8xf16>) -> tensor<2x2x2x7x8xf16>
    %1 = stablehlo.reshape %0 : (tensor<2x2x2x7x8xf16>) -> tensor<2x4x7x8xf16>
    %2 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1, 3, 4] : (tensor<2x2x7x8xf16>) -> tensor<2x2x2x7x8xf16>
    %3 = stablehlo.reshape %2 : (tensor<2x2x2x7x8xf16>) -> tensor<2x4x7x8xf16>
    %4 = stablehlo.transpose %1, dims = [0, 1, 3, 2] : (tensor<2x4x7x8xf16>) -> tensor<2x4x8x7xf16>
    %5 = stablehlo.dot_general %arg0, %4, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x4x5x8xf16>, tensor<2x4x8x7xf16>) -> tensor<2x4x5x7xf16>
    %6 = stablehlo.convert %5 : (tensor<2x4x5x7xf16>) -> tensor<2x4x5x7xf32>
    %cst = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %7 = stablehlo.sqrt %cst : tensor<f32>
    %8 = stablehlo.convert %7 : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f32>) -> tensor<2x4x5x7xf32>
    %10 = stablehlo.divide %6, %9 : tensor<2x4x5x7xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+01> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x4x5x7xf32>
    %12 = stablehlo.divide %10, %11 : tensor<2x4x5x7xf32>
    %13 = stablehlo.tanh %12 : tensor<2x4x5x7xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+01> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x4x5x7xf32>
    %15 = stablehlo.multiply %14, %13 : tensor<2x4x5x7xf32>
    %16 = stablehlo.iota dim = 0 : tensor<7xi32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [1] : (tensor<7xi32>) -> tensor<1x7xi32>
    %18 = stablehlo.iota dim = 0 : tensor<5xi32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %c = stablehlo.constant dense<2> : tensor<i32>
    %20 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<5x1xi32>
    %21 = stablehlo.add %19, %20 : tensor<5x1xi32>
    %22 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<1x7xi32>) -> tensor<5x7xi32>
    %23 = stablehlo.broadcast_in_dim %21, dims = [0, 1] : (tensor<5x1xi32>) -> tensor<5x7xi32>
    %24 = stablehlo.compare GT, %22, %23, SIGNED : (tensor<5x7xi32>, tensor<5x7xi32>) -> tensor<5x7xi1>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %25 = call @_where(%24, %cst_2, %15) : (tensor<5x7xi1>, tensor<f32>, tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
    %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %26 = stablehlo.reduce(%25 init: %cst_3) applies stablehlo.maximum across dimensions = [3] : (tensor<2x4x5x7xf32>, tensor<f32>) -> tensor<2x4x5xf32>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2x4x5xf32>
    %28 = stablehlo.maximum %27, %26 : tensor<2x4x5xf32>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0, 1, 2] : (tensor<2x4x5xf32>) -> tensor<2x4x5x1xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0, 1, 2, 3] : (tensor<2x4x5x1xf32>) -> tensor<2x4x5x7xf32>
    %31 = stablehlo.subtract %25, %30 : tensor<2x4x5x7xf32>
    %32 = stablehlo.exponential %31 : tensor<2x4x5x7xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.reduce(%32 init: %cst_5) applies stablehlo.add across dimensions = [3] : (tensor<2x4x5x7xf32>, tensor<f32>) -> tensor<2x4x5xf32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [0, 1, 2] : (tensor<2x4x5xf32>) -> tensor<2x4x5x1xf32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0, 1, 2, 3] : (tensor<2x4x5x1xf32>) -> tensor<2x4x5x7xf32>
    %36 = stablehlo.divide %32, %35 : tensor<2x4x5x7xf32>
    %37 = stablehlo.convert %36 : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf16>
    %38 = stablehlo.dot_general %37, %3, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x4x5x7xf16>, tensor<2x4x7x8xf16>) -> tensor<2x4x5x8xf16>
    %39 = stablehlo.transpose %38, dims = [0, 2, 1, 3] : (tensor<2x4x5x8xf16>) -> tensor<2x5x4x8xf16>
    %40 = stablehlo.reshape %39 : (tensor<2x5x4x8xf16>) -> tensor<2x5x32xf16>
    return %40 : tensor<2x5x32xf16>
  }
  func.func private @_where(%arg0: tensor<5x7xi1>, %arg1: tensor<f32>, %arg2: tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<5x7xi1>) -> tensor<2x4x5x7xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x4x5x7xf32>
    %3 = stablehlo.select %1, %2, %arg2 : tensor<2x4x5x7xi1>, tensor<2x4x5x7xf32>
    return %3 : tensor<2x4x5x7xf32>
  }
}
