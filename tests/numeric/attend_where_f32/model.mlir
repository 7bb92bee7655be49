module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x2x37x64xf32>, %arg1: tensor<1x2x45x64xf32>, %arg2: tensor<1x2x45x64xf32>, %arg3: tensor<1x45xi32>) -> (tensor<1x2x37x64xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<1.250000e-01> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x2x37x64xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<1x2x37x64xf32>
    %2 = stablehlo.dot_general %1, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<1x2x37x64xf32>, tensor<1x2x45x64xf32>) -> tensor<1x2x37x45xf32>
    %3 = stablehlo.iota dim = 0 : tensor<37x45xi32>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<37x45xi32>
    %5 = stablehlo.subtract %3, %4 : tensor<37x45xi32>
    %6 = stablehlo.iota dim = 1 : tensor<37x45xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<37x45xi32>, tensor<37x45xi32>) -> tensor<37x45xi1>
    %8 = stablehlo.broadcast_in_dim %arg3, dims = [0, 3] : (tensor<1x45xi32>) -> tensor<1x1x1x45xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<1x1x1x45xi32>
    %10 = stablehlo.compare NE, %8, %9, SIGNED : (tensor<1x1x1x45xi32>, tensor<1x1x1x45xi32>) -> tensor<1x1x1x45xi1>
    %11 = stablehlo.broadcast_in_dim %7, dims = [2, 3] : (tensor<37x45xi1>) -> tensor<1x1x37x45xi1>
    %12 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2, 3] : (tensor<1x1x1x45xi1>) -> tensor<1x1x37x45xi1>
    %13 = stablehlo.and %11, %12 : tensor<1x1x37x45xi1>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %14 = call @_where(%13, %2, %cst_1) : (tensor<1x1x37x45xi1>, tensor<1x2x37x45xf32>, tensor<f32>) -> tensor<1x2x37x45xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_2) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x37x45xf32>, tensor<f32>) -> tensor<1x2x37xf32>
    %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<1x2x37xf32>
    %17 = stablehlo.maximum %16, %15 : tensor<1x2x37xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2] : (tensor<1x2x37xf32>) -> tensor<1x2x37x1xf32>
    %cst_4 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %19 = call @_where_0(%13, %2, %cst_4) : (tensor<1x1x37x45xi1>, tensor<1x2x37x45xf32>, tensor<f64>) -> tensor<1x2x37x45xf32>
    %20 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2, 3] : (tensor<1x2x37x1xf32>) -> tensor<1x2x37x45xf32>
    %21 = stablehlo.subtract %19, %20 : tensor<1x2x37x45xf32>
    %22 = stablehlo.exponential %21 : tensor<1x2x37x45xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = call @_where(%13, %22, %cst_5) : (tensor<1x1x37x45xi1>, tensor<1x2x37x45xf32>, tensor<f32>) -> tensor<1x2x37x45xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.reduce(%23 init: %cst_6) applies stablehlo.add across dimensions = [3] : (tensor<1x2x37x45xf32>, tensor<f32>) -> tensor<1x2x37xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0, 1, 2] : (tensor<1x2x37xf32>) -> tensor<1x2x37x1xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1, 2, 3] : (tensor<1x2x37x1xf32>) -> tensor<1x2x37x45xf32>
    %27 = stablehlo.divide %22, %26 : tensor<1x2x37x45xf32>
    %c_7 = stablehlo.constant dense<0> : tensor<i64>
    %28 = call @_where_1(%13, %27, %c_7) : (tensor<1x1x37x45xi1>, tensor<1x2x37x45xf32>, tensor<i64>) -> tensor<1x2x37x45xf32>
    %29 = stablehlo.dot_general %28, %arg2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<1x2x37x45xf32>, tensor<1x2x45x64xf32>) -> tensor<1x2x37x64xf32>
    return %29 : tensor<1x2x37x64xf32>
  }
  func.func private @_where(%arg0: tensor<1x1x37x45xi1>, %arg1: tensor<1x2x37x45xf32>, %arg2: tensor<f32>) -> tensor<1x2x37x45xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<1x1x37x45xi1>) -> tensor<1x2x37x45xi1>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<1x2x37x45xf32>
    %2 = stablehlo.select %0, %arg1, %1 : tensor<1x2x37x45xi1>, tensor<1x2x37x45xf32>
    return %2 : tensor<1x2x37x45xf32>
  }
  func.func private @_where_0(%arg0: tensor<1x1x37x45xi1>, %arg1: tensor<1x2x37x45xf32>, %arg2: tensor<f64>) -> tensor<1x2x37x45xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<f64>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<1x1x37x45xi1>) -> tensor<1x2x37x45xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1x2x37x45xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<1x2x37x45xi1>, tensor<1x2x37x45xf32>
    return %3 : tensor<1x2x37x45xf32>
  }
  func.func private @_where_1(%arg0: tensor<1x1x37x45xi1>, %arg1: tensor<1x2x37x45xf32>, %arg2: tensor<i64>) -> tensor<1x2x37x45xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<i64>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<1x1x37x45xi1>) -> tensor<1x2x37x45xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1x2x37x45xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<1x2x37x45xi1>, tensor<1x2x37x45xf32>
    return %3 : tensor<1x2x37x45xf32>
  }
}
