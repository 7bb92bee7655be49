module @jit_widened attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3x37x64xf16>, %arg1: tensor<2x3x37x64xf16>, %arg2: tensor<2x3x37x64xf16>, %arg3: tensor<37x37xi1>) -> (tensor<2x37x16xf16> {jax.result_info = "result"}) {
    %0 = stablehlo.convert %arg1 : (tensor<2x3x37x64xf16>) -> tensor<2x3x37x64xf32>
    %1 = stablehlo.transpose %0, dims = [0, 1, 3, 2] : (tensor<2x3x37x64xf32>) -> tensor<2x3x64x37xf32>
    %cst = stablehlo.constant dense<0.353553385> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3x64x37xf32>
    %3 = stablehlo.multiply %1, %2 : tensor<2x3x64x37xf32>
    %4 = stablehlo.reshape %3 : (tensor<2x3x64x37xf32>) -> tensor<6x64x37xf32>
    %5 = stablehlo.convert %arg0 : (tensor<2x3x37x64xf16>) -> tensor<2x3x37x64xf32>
    %cst_0 = stablehlo.constant dense<0.353553385> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x3x37x64xf32>
    %7 = stablehlo.multiply %5, %6 : tensor<2x3x37x64xf32>
    %8 = stablehlo.reshape %7 : (tensor<2x3x37x64xf32>) -> tensor<6x37x64xf32>
    %9 = stablehlo.dot_general %8, %4, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x37x64xf32>, tensor<6x64x37xf32>) -> tensor<6x37x37xf32>
    %10 = stablehlo.reshape %9 : (tensor<6x37x37xf32>) -> tensor<2x3x37x37xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %cst_2 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %11 = call @_where(%arg3, %cst_1, %cst_2) : (tensor<37x37xi1>, tensor<f64>, tensor<f64>) -> tensor<37x37xf64>
    %12 = stablehlo.convert %11 : (tensor<37x37xf64>) -> tensor<37x37xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [2, 3] : (tensor<37x37xf32>) -> tensor<1x1x37x37xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2, 3] : (tensor<1x1x37x37xf32>) -> tensor<2x3x37x37xf32>
    %15 = stablehlo.add %10, %14 : tensor<2x3x37x37xf32>
    %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x3x37x37xf32>
    %17 = stablehlo.compare EQ, %15, %16, FLOAT : (tensor<2x3x37x37xf32>, tensor<2x3x37x37xf32>) -> tensor<2x3x37x37xi1>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %18 = stablehlo.reduce(%17 init: %c) applies stablehlo.and across dimensions = [3] : (tensor<2x3x37x37xi1>, tensor<i1>) -> tensor<2x3x37xi1>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2] : (tensor<2x3x37xi1>) -> tensor<2x3x37x1xi1>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %20 = stablehlo.reduce(%15 init: %cst_4) applies stablehlo.maximum across dimensions = [3] : (tensor<2x3x37x37xf32>, tensor<f32>) -> tensor<2x3x37xf32>
    %cst_5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x3x37xf32>
    %22 = stablehlo.maximum %21, %20 : tensor<2x3x37xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2] : (tensor<2x3x37xf32>) -> tensor<2x3x37x1xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1, 2, 3] : (tensor<2x3x37x1xf32>) -> tensor<2x3x37x37xf32>
    %25 = stablehlo.subtract %15, %24 : tensor<2x3x37x37xf32>
    %26 = stablehlo.exponential %25 : tensor<2x3x37x37xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %27 = stablehlo.reduce(%26 init: %cst_6) applies stablehlo.add across dimensions = [3] : (tensor<2x3x37x37xf32>, tensor<f32>) -> tensor<2x3x37xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [0, 1, 2] : (tensor<2x3x37xf32>) -> tensor<2x3x37x1xf32>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0, 1, 2, 3] : (tensor<2x3x37x1xf32>) -> tensor<2x3x37x37xf32>
    %30 = stablehlo.divide %26, %29 : tensor<2x3x37x37xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %31 = call @_where_0(%19, %cst_7, %30) : (tensor<2x3x37x1xi1>, tensor<f64>, tensor<2x3x37x37xf32>) -> tensor<2x3x37x37xf32>
    %32 = stablehlo.reshape %31 : (tensor<2x3x37x37xf32>) -> tensor<6x37x37xf32>
    %33 = stablehlo.convert %arg2 : (tensor<2x3x37x64xf16>) -> tensor<2x3x37x64xf32>
    %34 = stablehlo.reshape %33 : (tensor<2x3x37x64xf32>) -> tensor<6x37x64xf32>
    %35 = stablehlo.dot_general %32, %34, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x37x37xf32>, tensor<6x37x64xf32>) -> tensor<6x37x64xf32>
    %36 = stablehlo.reshape %35 : (tensor<6x37x64xf32>) -> tensor<2x3x37x64xf32>
    %37 = stablehlo.convert %36 : (tensor<2x3x37x64xf32>) -> tensor<2x3x37x64xf16>
    %38 = stablehlo.transpose %37, dims = [0, 2, 1, 3] : (tensor<2x3x37x64xf16>) -> tensor<2x37x3x64xf16>
    %39 = stablehlo.reshape %38 : (tensor<2x37x3x64xf16>) -> tensor<2x37x192xf16>
    %40 = stablehlo.convert %39 : (tensor<2x37x192xf16>) -> tensor<2x37x192xf32>
    %cst_8 = stablehlo.constant dense<2.500000e-01> : tensor<f16>
    %41 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f16>) -> tensor<2x3x37x64xf16>
    %42 = stablehlo.multiply %arg2, %41 : tensor<2x3x37x64xf16>
    %43 = stablehlo.reshape %42 : (tensor<2x3x37x64xf16>) -> tensor<2x7104xf16>
    %44 = stablehlo.slice %43 [0:1, 0:3072] : (tensor<2x7104xf16>) -> tensor<1x3072xf16>
    %45 = stablehlo.reshape %44 : (tensor<1x3072xf16>) -> tensor<3072xf16>
    %46 = stablehlo.reshape %45 : (tensor<3072xf16>) -> tensor<192x16xf16>
    %47 = stablehlo.convert %46 : (tensor<192x16xf16>) -> tensor<192x16xf32>
    %48 = stablehlo.dot_general %40, %47, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x37x192xf32>, tensor<192x16xf32>) -> tensor<2x37x16xf32>
    %49 = stablehlo.tanh %48 : tensor<2x37x16xf32>
    %50 = stablehlo.convert %49 : (tensor<2x37x16xf32>) -> tensor<2x37x16xf16>
    return %50 : tensor<2x37x16xf16>
  }
  func.func private @_where(%arg0: tensor<37x37xi1>, %arg1: tensor<f64>, %arg2: tensor<f64>) -> tensor<37x37xf64> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f64>) -> tensor<37x37xf64>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f64>) -> tensor<37x37xf64>
    %2 = stablehlo.select %arg0, %0, %1 : tensor<37x37xi1>, tensor<37x37xf64>
    return %2 : tensor<37x37xf64>
  }
  func.func private @_where_0(%arg0: tensor<2x3x37x1xi1>, %arg1: tensor<f64>, %arg2: tensor<2x3x37x37xf32>) -> tensor<2x3x37x37xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<f64>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<2x3x37x1xi1>) -> tensor<2x3x37x37xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x3x37x37xf32>
    %3 = stablehlo.select %1, %2, %arg2 : tensor<2x3x37x37xi1>, tensor<2x3x37x37xf32>
    return %3 : tensor<2x3x37x37xf32>
  }
}
