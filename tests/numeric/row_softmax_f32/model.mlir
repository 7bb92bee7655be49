module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x1xf32>, %arg1: tensor<5x7xf32>, %arg2: tensor<5x33xf32>, %arg3: tensor<5x129xf32>, %arg4: tensor<5x1000xf32>, %arg5: tensor<5x1023xf32>) -> (tensor<5x1xf32> {jax.result_info = "result[0]"}, tensor<5x7xf32> {jax.result_info = "result[1]"}, tensor<5x33xf32> {jax.result_info = "result[2]"}, tensor<5x129xf32> {jax.result_info = "result[3]"}, tensor<5x1000xf32> {jax.result_info = "result[4]"}, tensor<5x1023xf32> {jax.result_info = "result[5]"}) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<5x1xf32>, tensor<f32>) -> tensor<5xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<5xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %4 = stablehlo.subtract %arg0, %3 : tensor<5x1xf32>
    %5 = stablehlo.exponential %4 : tensor<5x1xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<5x1xf32>, tensor<f32>) -> tensor<5xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %8 = stablehlo.divide %5, %7 : tensor<5x1xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %9 = stablehlo.reduce(%arg1 init: %cst_2) applies stablehlo.maximum across dimensions = [1] : (tensor<5x7xf32>, tensor<f32>) -> tensor<5xf32>
    %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %11 = stablehlo.maximum %10, %9 : tensor<5xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x7xf32>
    %14 = stablehlo.subtract %arg1, %13 : tensor<5x7xf32>
    %15 = stablehlo.exponential %14 : tensor<5x7xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.reduce(%15 init: %cst_4) applies stablehlo.add across dimensions = [1] : (tensor<5x7xf32>, tensor<f32>) -> tensor<5xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x7xf32>
    %19 = stablehlo.divide %15, %18 : tensor<5x7xf32>
    %cst_5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %20 = stablehlo.reduce(%arg2 init: %cst_5) applies stablehlo.maximum across dimensions = [1] : (tensor<5x33xf32>, tensor<f32>) -> tensor<5xf32>
    %cst_6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %22 = stablehlo.maximum %21, %20 : tensor<5xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x33xf32>
    %25 = stablehlo.subtract %arg2, %24 : tensor<5x33xf32>
    %26 = stablehlo.exponential %25 : tensor<5x33xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %27 = stablehlo.reduce(%26 init: %cst_7) applies stablehlo.add across dimensions = [1] : (tensor<5x33xf32>, tensor<f32>) -> tensor<5xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x33xf32>
    %30 = stablehlo.divide %26, %29 : tensor<5x33xf32>
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %31 = stablehlo.reduce(%arg3 init: %cst_8) applies stablehlo.maximum across dimensions = [1] : (tensor<5x129xf32>, tensor<f32>) -> tensor<5xf32>
    %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %33 = stablehlo.maximum %32, %31 : tensor<5xf32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x129xf32>
    %36 = stablehlo.subtract %arg3, %35 : tensor<5x129xf32>
    %37 = stablehlo.exponential %36 : tensor<5x129xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %38 = stablehlo.reduce(%37 init: %cst_10) applies stablehlo.add across dimensions = [1] : (tensor<5x129xf32>, tensor<f32>) -> tensor<5xf32>
    %39 = stablehlo.broadcast_in_dim %38, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %40 = stablehlo.broadcast_in_dim %39, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x129xf32>
    %41 = stablehlo.divide %37, %40 : tensor<5x129xf32>
    %cst_11 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %42 = stablehlo.reduce(%arg4 init: %cst_11) applies stablehlo.maximum across dimensions = [1] : (tensor<5x1000xf32>, tensor<f32>) -> tensor<5xf32>
    %cst_12 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %44 = stablehlo.maximum %43, %42 : tensor<5xf32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %46 = stablehlo.broadcast_in_dim %45, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x1000xf32>
    %47 = stablehlo.subtract %arg4, %46 : tensor<5x1000xf32>
    %48 = stablehlo.exponential %47 : tensor<5x1000xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.reduce(%48 init: %cst_13) applies stablehlo.add across dimensions = [1] : (tensor<5x1000xf32>, tensor<f32>) -> tensor<5xf32>
    %50 = stablehlo.broadcast_in_dim %49, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %51 = stablehlo.broadcast_in_dim %50, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x1000xf32>
    %52 = stablehlo.divide %48, %51 : tensor<5x1000xf32>
    %cst_14 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %53 = stablehlo.reduce(%arg5 init: %cst_14) applies stablehlo.maximum across dimensions = [1] : (tensor<5x1023xf32>, tensor<f32>) -> tensor<5xf32>
    %cst_15 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %55 = stablehlo.maximum %54, %53 : tensor<5xf32>
    %56 = stablehlo.broadcast_in_dim %55, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %57 = stablehlo.broadcast_in_dim %56, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x1023xf32>
    %58 = stablehlo.subtract %arg5, %57 : tensor<5x1023xf32>
    %59 = stablehlo.exponential %58 : tensor<5x1023xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %60 = stablehlo.reduce(%59 init: %cst_16) applies stablehlo.add across dimensions = [1] : (tensor<5x1023xf32>, tensor<f32>) -> tensor<5xf32>
    %61 = stablehlo.broadcast_in_dim %60, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %62 = stablehlo.broadcast_in_dim %61, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x1023xf32>
    %63 = stablehlo.divide %59, %62 : tensor<5x1023xf32>
    return %8, %19, %30, %41, %52, %63 : tensor<5x1xf32>, tensor<5x7xf32>, tensor<5x33xf32>, tensor<5x129xf32>, tensor<5x1000xf32>, tensor<5x1023xf32>
  }
}
