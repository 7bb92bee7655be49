module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x1xbf16>, %arg1: tensor<5x7xbf16>, %arg2: tensor<5x33xbf16>, %arg3: tensor<5x129xbf16>, %arg4: tensor<5x1000xbf16>, %arg5: tensor<5x1023xbf16>) -> (tensor<5x1xbf16> {jax.result_info = "result[0]"}, tensor<5x7xbf16> {jax.result_info = "result[1]"}, tensor<5x33xbf16> {jax.result_info = "result[2]"}, tensor<5x129xbf16> {jax.result_info = "result[3]"}, tensor<5x1000xbf16> {jax.result_info = "result[4]"}, tensor<5x1023xbf16> {jax.result_info = "result[5]"}) {
    %cst = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<5x1xbf16>, tensor<bf16>) -> tensor<5xbf16>
    %cst_0 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<5xbf16>
    %2 = stablehlo.maximum %1, %0 : tensor<5xbf16>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<5xbf16>) -> tensor<5x1xbf16>
    %4 = stablehlo.subtract %arg0, %3 : tensor<5x1xbf16>
    %5 = stablehlo.exponential %4 : tensor<5x1xbf16>
    %6 = stablehlo.convert %5 : (tensor<5x1xbf16>) -> tensor<5x1xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<5x1xf32>, tensor<f32>) -> tensor<5xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %9 = stablehlo.convert %8 : (tensor<5x1xf32>) -> tensor<5x1xbf16>
    %10 = stablehlo.divide %5, %9 : tensor<5x1xbf16>
    %cst_2 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %11 = stablehlo.reduce(%arg1 init: %cst_2) applies stablehlo.maximum across dimensions = [1] : (tensor<5x7xbf16>, tensor<bf16>) -> tensor<5xbf16>
    %cst_3 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %12 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<bf16>) -> tensor<5xbf16>
    %13 = stablehlo.maximum %12, %11 : tensor<5xbf16>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<5xbf16>) -> tensor<5x1xbf16>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<5x1xbf16>) -> tensor<5x7xbf16>
    %16 = stablehlo.subtract %arg1, %15 : tensor<5x7xbf16>
    %17 = stablehlo.exponential %16 : tensor<5x7xbf16>
    %18 = stablehlo.convert %17 : (tensor<5x7xbf16>) -> tensor<5x7xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.reduce(%18 init: %cst_4) applies stablehlo.add across dimensions = [1] : (tensor<5x7xf32>, tensor<f32>) -> tensor<5xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %21 = stablehlo.convert %20 : (tensor<5x1xf32>) -> tensor<5x1xbf16>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1] : (tensor<5x1xbf16>) -> tensor<5x7xbf16>
    %23 = stablehlo.divide %17, %22 : tensor<5x7xbf16>
    %cst_5 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %24 = stablehlo.reduce(%arg2 init: %cst_5) applies stablehlo.maximum across dimensions = [1] : (tensor<5x33xbf16>, tensor<bf16>) -> tensor<5xbf16>
    %cst_6 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %25 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<bf16>) -> tensor<5xbf16>
    %26 = stablehlo.maximum %25, %24 : tensor<5xbf16>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0] : (tensor<5xbf16>) -> tensor<5x1xbf16>
    %28 = stablehlo.broadcast_in_dim %27, dims = [0, 1] : (tensor<5x1xbf16>) -> tensor<5x33xbf16>
    %29 = stablehlo.subtract %arg2, %28 : tensor<5x33xbf16>
    %30 = stablehlo.exponential %29 : tensor<5x33xbf16>
    %31 = stablehlo.convert %30 : (tensor<5x33xbf16>) -> tensor<5x33xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.reduce(%31 init: %cst_7) applies stablehlo.add across dimensions = [1] : (tensor<5x33xf32>, tensor<f32>) -> tensor<5xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %34 = stablehlo.convert %33 : (tensor<5x1xf32>) -> tensor<5x1xbf16>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0, 1] : (tensor<5x1xbf16>) -> tensor<5x33xbf16>
    %36 = stablehlo.divide %30, %35 : tensor<5x33xbf16>
    %cst_8 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %37 = stablehlo.reduce(%arg3 init: %cst_8) applies stablehlo.maximum across dimensions = [1] : (tensor<5x129xbf16>, tensor<bf16>) -> tensor<5xbf16>
    %cst_9 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %38 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<bf16>) -> tensor<5xbf16>
    %39 = stablehlo.maximum %38, %37 : tensor<5xbf16>
    %40 = stablehlo.broadcast_in_dim %39, dims = [0] : (tensor<5xbf16>) -> tensor<5x1xbf16>
    %41 = stablehlo.broadcast_in_dim %40, dims = [0, 1] : (tensor<5x1xbf16>) -> tensor<5x129xbf16>
    %42 = stablehlo.subtract %arg3, %41 : tensor<5x129xbf16>
    %43 = stablehlo.exponential %42 : tensor<5x129xbf16>
    %44 = stablehlo.convert %43 : (tensor<5x129xbf16>) -> tensor<5x129xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %45 = stablehlo.reduce(%44 init: %cst_10) applies stablehlo.add across dimensions = [1] : (tensor<5x129xf32>, tensor<f32>) -> tensor<5xf32>
    %46 = stablehlo.broadcast_in_dim %45, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %47 = stablehlo.convert %46 : (tensor<5x1xf32>) -> tensor<5x1xbf16>
    %48 = stablehlo.broadcast_in_dim %47, dims = [0, 1] : (tensor<5x1xbf16>) -> tensor<5x129xbf16>
    %49 = stablehlo.divide %43, %48 : tensor<5x129xbf16>
    %cst_11 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %50 = stablehlo.reduce(%arg4 init: %cst_11) applies stablehlo.maximum across dimensions = [1] : (tensor<5x1000xbf16>, tensor<bf16>) -> tensor<5xbf16>
    %cst_12 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %51 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<bf16>) -> tensor<5xbf16>
    %52 = stablehlo.maximum %51, %50 : tensor<5xbf16>
    %53 = stablehlo.broadcast_in_dim %52, dims = [0] : (tensor<5xbf16>) -> tensor<5x1xbf16>
    %54 = stablehlo.broadcast_in_dim %53, dims = [0, 1] : (tensor<5x1xbf16>) -> tensor<5x1000xbf16>
    %55 = stablehlo.subtract %arg4, %54 : tensor<5x1000xbf16>
    %56 = stablehlo.exponential %55 : tensor<5x1000xbf16>
    %57 = stablehlo.convert %56 : (tensor<5x1000xbf16>) -> tensor<5x1000xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %58 = stablehlo.reduce(%57 init: %cst_13) applies stablehlo.add across dimensions = [1] : (tensor<5x1000xf32>, tensor<f32>) -> tensor<5xf32>
    %59 = stablehlo.broadcast_in_dim %58, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %60 = stablehlo.convert %59 : (tensor<5x1xf32>) -> tensor<5x1xbf16>
    %61 = stablehlo.broadcast_in_dim %60, dims = [0, 1] : (tensor<5x1xbf16>) -> tensor<5x1000xbf16>
    %62 = stablehlo.divide %56, %61 : tensor<5x1000xbf16>
    %cst_14 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %63 = stablehlo.reduce(%arg5 init: %cst_14) applies stablehlo.maximum across dimensions = [1] : (tensor<5x1023xbf16>, tensor<bf16>) -> tensor<5xbf16>
    %cst_15 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %64 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<bf16>) -> tensor<5xbf16>
    %65 = stablehlo.maximum %64, %63 : tensor<5xbf16>
    %66 = stablehlo.broadcast_in_dim %65, dims = [0] : (tensor<5xbf16>) -> tensor<5x1xbf16>
    %67 = stablehlo.broadcast_in_dim %66, dims = [0, 1] : (tensor<5x1xbf16>) -> tensor<5x1023xbf16>
    %68 = stablehlo.subtract %arg5, %67 : tensor<5x1023xbf16>
    %69 = stablehlo.exponential %68 : tensor<5x1023xbf16>
    %70 = stablehlo.convert %69 : (tensor<5x1023xbf16>) -> tensor<5x1023xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %71 = stablehlo.reduce(%70 init: %cst_16) applies stablehlo.add across dimensions = [1] : (tensor<5x1023xf32>, tensor<f32>) -> tensor<5xf32>
    %72 = stablehlo.broadcast_in_dim %71, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %73 = stablehlo.convert %72 : (tensor<5x1xf32>) -> tensor<5x1xbf16>
    %74 = stablehlo.broadcast_in_dim %73, dims = [0, 1] : (tensor<5x1xbf16>) -> tensor<5x1023xbf16>
    %75 = stablehlo.divide %69, %74 : tensor<5x1023xbf16>
    return %10, %23, %36, %49, %62, %75 : tensor<5x1xbf16>, tensor<5x7xbf16>, tensor<5x33xbf16>, tensor<5x129xbf16>, tensor<5x1000xbf16>, tensor<5x1023xbf16>
  }
}
