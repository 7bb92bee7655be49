module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x67x36xf32>) -> (tensor<3x67x36xf32> {jax.result_info = "result[0]"}, tensor<3x36x67xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<3x67x36xf32>, tensor<f32>) -> tensor<3x36xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x36xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<3x36xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 2] : (tensor<3x36xf32>) -> tensor<3x1x36xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<3x1x36xf32>) -> tensor<3x67x36xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<3x67x36xf32>
    %6 = stablehlo.exponential %5 : tensor<3x67x36xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<3x67x36xf32>, tensor<f32>) -> tensor<3x36xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 2] : (tensor<3x36xf32>) -> tensor<3x1x36xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<3x1x36xf32>) -> tensor<3x67x36xf32>
    %10 = stablehlo.divide %6, %9 : tensor<3x67x36xf32>
    %11 = stablehlo.transpose %arg0, dims = [0, 2, 1] : (tensor<3x67x36xf32>) -> tensor<3x36x67xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.reduce(%11 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<3x36x67xf32>, tensor<f32>) -> tensor<3x36xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<3x36xf32>) -> tensor<3x36x1xf32>
    %cst_3 = stablehlo.constant dense<6.700000e+01> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3x36x1xf32>
    %15 = stablehlo.divide %13, %14 : tensor<3x36x1xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<3x36x1xf32>) -> tensor<3x36x67xf32>
    %17 = stablehlo.subtract %11, %16 : tensor<3x36x67xf32>
    %18 = stablehlo.multiply %17, %17 : tensor<3x36x67xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.reduce(%18 init: %cst_4) applies stablehlo.add across dimensions = [2] : (tensor<3x36x67xf32>, tensor<f32>) -> tensor<3x36xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1] : (tensor<3x36xf32>) -> tensor<3x36x1xf32>
    %cst_5 = stablehlo.constant dense<6.700000e+01> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<3x36x1xf32>
    %22 = stablehlo.divide %20, %21 : tensor<3x36x1xf32>
    %23 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<3x36x1xf32>) -> tensor<3x36x67xf32>
    %24 = stablehlo.subtract %11, %23 : tensor<3x36x67xf32>
    %cst_6 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<3x36x1xf32>
    %26 = stablehlo.add %22, %25 : tensor<3x36x1xf32>
    %27 = stablehlo.rsqrt %26 : tensor<3x36x1xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [0, 1, 2] : (tensor<3x36x1xf32>) -> tensor<3x36x67xf32>
    %29 = stablehlo.multiply %24, %28 : tensor<3x36x67xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<3x36x67xf32>
    %31 = stablehlo.multiply %29, %30 : tensor<3x36x67xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<3x36x67xf32>
    %33 = stablehlo.add %31, %32 : tensor<3x36x67xf32>
    return %10, %33 : tensor<3x67x36xf32>, tensor<3x36x67xf32>
  }
}
