module @jit_keras attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x2x37x64xf16>, %arg1: tensor<1x2x45x64xf16>, %arg2: tensor<1x2x45x64xf16>, %arg3: tensor<1x45xi32>) -> (tensor<1x2x37x64xf16> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 0 : tensor<37x45xi32>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<37x45xi32>
    %2 = stablehlo.subtract %0, %1 : tensor<37x45xi32>
    %3 = stablehlo.iota dim = 1 : tensor<37x45xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<37x45xi32>, tensor<37x45xi32>) -> tensor<37x45xi1>
    %5 = stablehlo.broadcast_in_dim %arg3, dims = [0, 3] : (tensor<1x45xi32>) -> tensor<1x1x1x45xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<1x1x1x45xi32>
    %7 = stablehlo.compare NE, %5, %6, SIGNED : (tensor<1x1x1x45xi32>, tensor<1x1x1x45xi32>) -> tensor<1x1x1x45xi1>
    %8 = stablehlo.broadcast_in_dim %4, dims = [2, 3] : (tensor<37x45xi1>) -> tensor<1x1x37x45xi1>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2, 3] : (tensor<1x1x1x45xi1>) -> tensor<1x1x37x45xi1>
    %10 = stablehlo.and %8, %9 : tensor<1x1x37x45xi1>
    %cst = stablehlo.constant dense<1.250000e-01> : tensor<f16>
    %11 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<1x2x37x64xf16>
    %12 = stablehlo.multiply %arg0, %11 : tensor<1x2x37x64xf16>
    %13 = stablehlo.dot_general %12, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<1x2x37x64xf16>, tensor<1x2x45x64xf16>) -> tensor<1x2x37x45xf16>
    %cst_1 = stablehlo.constant dense<-3.000000e+04> : tensor<f16>
    %14 = call @_where(%10, %13, %cst_1) : (tensor<1x1x37x45xi1>, tensor<1x2x37x45xf16>, tensor<f16>) -> tensor<1x2x37x45xf16>
    %15 = stablehlo.iota dim = 0 : tensor<37x45xi32>
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %16 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<37x45xi32>
    %17 = stablehlo.subtract %15, %16 : tensor<37x45xi32>
    %18 = stablehlo.iota dim = 1 : tensor<37x45xi32>
    %19 = stablehlo.compare GE, %17, %18, SIGNED : (tensor<37x45xi32>, tensor<37x45xi32>) -> tensor<37x45xi1>
    %20 = stablehlo.broadcast_in_dim %arg3, dims = [0, 3] : (tensor<1x45xi32>) -> tensor<1x1x1x45xi32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %21 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<1x1x1x45xi32>
    %22 = stablehlo.compare NE, %20, %21, SIGNED : (tensor<1x1x1x45xi32>, tensor<1x1x1x45xi32>) -> tensor<1x1x1x45xi1>
    %23 = stablehlo.broadcast_in_dim %19, dims = [2, 3] : (tensor<37x45xi1>) -> tensor<1x1x37x45xi1>
    %24 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2, 3] : (tensor<1x1x1x45xi1>) -> tensor<1x1x37x45xi1>
    %25 = stablehlo.and %23, %24 : tensor<1x1x37x45xi1>
    %cst_4 = stablehlo.constant dense<0xFC00> : tensor<f16>
    %26 = stablehlo.reduce(%14 init: %cst_4) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x37x45xf16>, tensor<f16>) -> tensor<1x2x37xf16>
    %cst_5 = stablehlo.constant dense<0xFC00> : tensor<f16>
    %27 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f16>) -> tensor<1x2x37xf16>
    %28 = stablehlo.maximum %27, %26 : tensor<1x2x37xf16>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0, 1, 2] : (tensor<1x2x37xf16>) -> tensor<1x2x37x1xf16>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0, 1, 2, 3] : (tensor<1x2x37x1xf16>) -> tensor<1x2x37x45xf16>
    %31 = stablehlo.subtract %14, %30 : tensor<1x2x37x45xf16>
    %32 = stablehlo.exponential %31 : tensor<1x2x37x45xf16>
    %33 = stablehlo.convert %32 : (tensor<1x2x37x45xf16>) -> tensor<1x2x37x45xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.reduce(%33 init: %cst_6) applies stablehlo.add across dimensions = [3] : (tensor<1x2x37x45xf32>, tensor<f32>) -> tensor<1x2x37xf32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0, 1, 2] : (tensor<1x2x37xf32>) -> tensor<1x2x37x1xf32>
    %36 = stablehlo.convert %35 : (tensor<1x2x37x1xf32>) -> tensor<1x2x37x1xf16>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0, 1, 2, 3] : (tensor<1x2x37x1xf16>) -> tensor<1x2x37x45xf16>
    %38 = stablehlo.divide %32, %37 : tensor<1x2x37x45xf16>
    %c_7 = stablehlo.constant dense<0> : tensor<i64>
    %39 = call @_where_0(%25, %38, %c_7) : (tensor<1x1x37x45xi1>, tensor<1x2x37x45xf16>, tensor<i64>) -> tensor<1x2x37x45xf16>
    %40 = stablehlo.dot_general %39, %arg2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<1x2x37x45xf16>, tensor<1x2x45x64xf16>) -> tensor<1x2x37x64xf16>
    return %40 : tensor<1x2x37x64xf16>
  }
  func.func private @_where(%arg0: tensor<1x1x37x45xi1>, %arg1: tensor<1x2x37x45xf16>, %arg2: tensor<f16>) -> tensor<1x2x37x45xf16> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<1x1x37x45xi1>) -> tensor<1x2x37x45xi1>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f16>) -> tensor<1x2x37x45xf16>
    %2 = stablehlo.select %0, %arg1, %1 : tensor<1x2x37x45xi1>, tensor<1x2x37x45xf16>
    return %2 : tensor<1x2x37x45xf16>
  }
  func.func private @_where_0(%arg0: tensor<1x1x37x45xi1>, %arg1: tensor<1x2x37x45xf16>, %arg2: tensor<i64>) -> tensor<1x2x37x45xf16> {
    %0 = stablehlo.convert %arg2 : (tensor<i64>) -> tensor<f16>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<1x1x37x45xi1>) -> tensor<1x2x37x45xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f16>) -> tensor<1x2x37x45xf16>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<1x2x37x45xi1>, tensor<1x2x37x45xf16>
    return %3 : tensor<1x2x37x45xf16>
  }
}
