module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x7xf32>, %arg1: tensor<3x33xf32>, %arg2: tensor<3x129xf32>, %arg3: tensor<3x1000xf32>, %arg4: tensor<3x1023xf32>) -> (tensor<3x7xf32> {jax.result_info = "result[0]"}, tensor<3x7xf32> {jax.result_info = "result[1]"}, tensor<3x33xf32> {jax.result_info = "result[2]"}, tensor<3x33xf32> {jax.result_info = "result[3]"}, tensor<3x129xf32> {jax.result_info = "result[4]"}, tensor<3x129xf32> {jax.result_info = "result[5]"}, tensor<3x1000xf32> {jax.result_info = "result[6]"}, tensor<3x1000xf32> {jax.result_info = "result[7]"}, tensor<3x1023xf32> {jax.result_info = "result[8]"}, tensor<3x1023xf32> {jax.result_info = "result[9]"}) {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<3x7xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<3x7xf32>, tensor<f32>) -> tensor<3xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
    %3 = stablehlo.sqrt %2 : tensor<3x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x7xf32>
    %5 = stablehlo.divide %arg0, %4 : tensor<3x7xf32>
    %6 = stablehlo.abs %arg0 : tensor<3x7xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_0) applies stablehlo.maximum across dimensions = [1] : (tensor<3x7xf32>, tensor<f32>) -> tensor<3xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x7xf32>
    %10 = stablehlo.divide %arg0, %9 : tensor<3x7xf32>
    %11 = stablehlo.multiply %arg1, %arg1 : tensor<3x33xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.reduce(%11 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<3x33xf32>, tensor<f32>) -> tensor<3xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
    %14 = stablehlo.sqrt %13 : tensor<3x1xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x33xf32>
    %16 = stablehlo.divide %arg1, %15 : tensor<3x33xf32>
    %17 = stablehlo.abs %arg1 : tensor<3x33xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %18 = stablehlo.reduce(%17 init: %cst_2) applies stablehlo.maximum across dimensions = [1] : (tensor<3x33xf32>, tensor<f32>) -> tensor<3xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x33xf32>
    %21 = stablehlo.divide %arg1, %20 : tensor<3x33xf32>
    %22 = stablehlo.multiply %arg2, %arg2 : tensor<3x129xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.reduce(%22 init: %cst_3) applies stablehlo.add across dimensions = [1] : (tensor<3x129xf32>, tensor<f32>) -> tensor<3xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
    %25 = stablehlo.sqrt %24 : tensor<3x1xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x129xf32>
    %27 = stablehlo.divide %arg2, %26 : tensor<3x129xf32>
    %28 = stablehlo.abs %arg2 : tensor<3x129xf32>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %29 = stablehlo.reduce(%28 init: %cst_4) applies stablehlo.maximum across dimensions = [1] : (tensor<3x129xf32>, tensor<f32>) -> tensor<3xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x129xf32>
    %32 = stablehlo.divide %arg2, %31 : tensor<3x129xf32>
    %33 = stablehlo.multiply %arg3, %arg3 : tensor<3x1000xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.reduce(%33 init: %cst_5) applies stablehlo.add across dimensions = [1] : (tensor<3x1000xf32>, tensor<f32>) -> tensor<3xf32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
    %36 = stablehlo.sqrt %35 : tensor<3x1xf32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x1000xf32>
    %38 = stablehlo.divide %arg3, %37 : tensor<3x1000xf32>
    %39 = stablehlo.abs %arg3 : tensor<3x1000xf32>
    %cst_6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %40 = stablehlo.reduce(%39 init: %cst_6) applies stablehlo.maximum across dimensions = [1] : (tensor<3x1000xf32>, tensor<f32>) -> tensor<3xf32>
    %41 = stablehlo.broadcast_in_dim %40, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
    %42 = stablehlo.broadcast_in_dim %41, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x1000xf32>
    %43 = stablehlo.divide %arg3, %42 : tensor<3x1000xf32>
    %44 = stablehlo.multiply %arg4, %arg4 : tensor<3x1023xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %45 = stablehlo.reduce(%44 init: %cst_7) applies stablehlo.add across dimensions = [1] : (tensor<3x1023xf32>, tensor<f32>) -> tensor<3xf32>
    %46 = stablehlo.broadcast_in_dim %45, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
    %47 = stablehlo.sqrt %46 : tensor<3x1xf32>
    %48 = stablehlo.broadcast_in_dim %47, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x1023xf32>
    %49 = stablehlo.divide %arg4, %48 : tensor<3x1023xf32>
    %50 = stablehlo.abs %arg4 : tensor<3x1023xf32>
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %51 = stablehlo.reduce(%50 init: %cst_8) applies stablehlo.maximum across dimensions = [1] : (tensor<3x1023xf32>, tensor<f32>) -> tensor<3xf32>
    %52 = stablehlo.broadcast_in_dim %51, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
    %53 = stablehlo.broadcast_in_dim %52, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x1023xf32>
    %54 = stablehlo.divide %arg4, %53 : tensor<3x1023xf32>
    return %5, %10, %16, %21, %27, %32, %38, %43, %49, %54 : tensor<3x7xf32>, tensor<3x7xf32>, tensor<3x33xf32>, tensor<3x33xf32>, tensor<3x129xf32>, tensor<3x129xf32>, tensor<3x1000xf32>, tensor<3x1000xf32>, tensor<3x1023xf32>, tensor<3x1023xf32>
  }
}
