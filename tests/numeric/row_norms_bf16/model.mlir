module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x7xbf16>, %arg1: tensor<3x33xbf16>, %arg2: tensor<3x129xbf16>, %arg3: tensor<3x1000xbf16>, %arg4: tensor<3x1023xbf16>) -> (tensor<3x7xbf16> {jax.result_info = "result[0]"}, tensor<3x7xbf16> {jax.result_info = "result[1]"}, tensor<3x33xbf16> {jax.result_info = "result[2]"}, tensor<3x33xbf16> {jax.result_info = "result[3]"}, tensor<3x129xbf16> {jax.result_info = "result[4]"}, tensor<3x129xbf16> {jax.result_info = "result[5]"}, tensor<3x1000xbf16> {jax.result_info = "result[6]"}, tensor<3x1000xbf16> {jax.result_info = "result[7]"}, tensor<3x1023xbf16> {jax.result_info = "result[8]"}, tensor<3x1023xbf16> {jax.result_info = "result[9]"}) {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<3x7xbf16>
    %1 = stablehlo.convert %0 : (tensor<3x7xbf16>) -> tensor<3x7xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<3x7xf32>, tensor<f32>) -> tensor<3xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
    %4 = stablehlo.convert %3 : (tensor<3x1xf32>) -> tensor<3x1xbf16>
    %5 = stablehlo.sqrt %4 : tensor<3x1xbf16>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<3x1xbf16>) -> tensor<3x7xbf16>
    %7 = stablehlo.divide %arg0, %6 : tensor<3x7xbf16>
    %8 = stablehlo.abs %arg0 : tensor<3x7xbf16>
    %cst_0 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %9 = stablehlo.reduce(%8 init: %cst_0) applies stablehlo.maximum across dimensions = [1] : (tensor<3x7xbf16>, tensor<bf16>) -> tensor<3xbf16>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<3xbf16>) -> tensor<3x1xbf16>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<3x1xbf16>) -> tensor<3x7xbf16>
    %12 = stablehlo.divide %arg0, %11 : tensor<3x7xbf16>
    %13 = stablehlo.multiply %arg1, %arg1 : tensor<3x33xbf16>
    %14 = stablehlo.convert %13 : (tensor<3x33xbf16>) -> tensor<3x33xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<3x33xf32>, tensor<f32>) -> tensor<3xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
    %17 = stablehlo.convert %16 : (tensor<3x1xf32>) -> tensor<3x1xbf16>
    %18 = stablehlo.sqrt %17 : tensor<3x1xbf16>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1] : (tensor<3x1xbf16>) -> tensor<3x33xbf16>
    %20 = stablehlo.divide %arg1, %19 : tensor<3x33xbf16>
    %21 = stablehlo.abs %arg1 : tensor<3x33xbf16>
    %cst_2 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %22 = stablehlo.reduce(%21 init: %cst_2) applies stablehlo.maximum across dimensions = [1] : (tensor<3x33xbf16>, tensor<bf16>) -> tensor<3xbf16>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0] : (tensor<3xbf16>) -> tensor<3x1xbf16>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1] : (tensor<3x1xbf16>) -> tensor<3x33xbf16>
    %25 = stablehlo.divide %arg1, %24 : tensor<3x33xbf16>
    %26 = stablehlo.multiply %arg2, %arg2 : tensor<3x129xbf16>
    %27 = stablehlo.convert %26 : (tensor<3x129xbf16>) -> tensor<3x129xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %28 = stablehlo.reduce(%27 init: %cst_3) applies stablehlo.add across dimensions = [1] : (tensor<3x129xf32>, tensor<f32>) -> tensor<3xf32>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
    %30 = stablehlo.convert %29 : (tensor<3x1xf32>) -> tensor<3x1xbf16>
    %31 = stablehlo.sqrt %30 : tensor<3x1xbf16>
    %32 = stablehlo.broadcast_in_dim %31, dims = [0, 1] : (tensor<3x1xbf16>) -> tensor<3x129xbf16>
    %33 = stablehlo.divide %arg2, %32 : tensor<3x129xbf16>
    %34 = stablehlo.abs %arg2 : tensor<3x129xbf16>
    %cst_4 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %35 = stablehlo.reduce(%34 init: %cst_4) applies stablehlo.maximum across dimensions = [1] : (tensor<3x129xbf16>, tensor<bf16>) -> tensor<3xbf16>
    %36 = stablehlo.broadcast_in_dim %35, dims = [0] : (tensor<3xbf16>) -> tensor<3x1xbf16>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0, 1] : (tensor<3x1xbf16>) -> tensor<3x129xbf16>
    %38 = stablehlo.divide %arg2, %37 : tensor<3x129xbf16>
    %39 = stablehlo.multiply %arg3, %arg3 : tensor<3x1000xbf16>
    %40 = stablehlo.convert %39 : (tensor<3x1000xbf16>) -> tensor<3x1000xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %41 = stablehlo.reduce(%40 init: %cst_5) applies stablehlo.add across dimensions = [1] : (tensor<3x1000xf32>, tensor<f32>) -> tensor<3xf32>
    %42 = stablehlo.broadcast_in_dim %41, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
    %43 = stablehlo.convert %42 : (tensor<3x1xf32>) -> tensor<3x1xbf16>
    %44 = stablehlo.sqrt %43 : tensor<3x1xbf16>
    %45 = stablehlo.broadcast_in_dim %44, dims = [0, 1] : (tensor<3x1xbf16>) -> tensor<3x1000xbf16>
    %46 = stablehlo.divide %arg3, %45 : tensor<3x1000xbf16>
    %47 = stablehlo.abs %arg3 : tensor<3x1000xbf16>
    %cst_6 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %48 = stablehlo.reduce(%47 init: %cst_6) applies stablehlo.maximum across dimensions = [1] : (tensor<3x1000xbf16>, tensor<bf16>) -> tensor<3xbf16>
    %49 = stablehlo.broadcast_in_dim %48, dims = [0] : (tensor<3xbf16>) -> tensor<3x1xbf16>
    %50 = stablehlo.broadcast_in_dim %49, dims = [0, 1] : (tensor<3x1xbf16>) -> tensor<3x1000xbf16>
    %51 = stablehlo.divide %arg3, %50 : tensor<3x1000xbf16>
    %52 = stablehlo.multiply %arg4, %arg4 : tensor<3x1023xbf16>
    %53 = stablehlo.convert %52 : (tensor<3x1023xbf16>) -> tensor<3x1023xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %54 = stablehlo.reduce(%53 init: %cst_7) applies stablehlo.add across dimensions = [1] : (tensor<3x1023xf32>, tensor<f32>) -> tensor<3xf32>
    %55 = stablehlo.broadcast_in_dim %54, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
    %56 = stablehlo.convert %55 : (tensor<3x1xf32>) -> tensor<3x1xbf16>
    %57 = stablehlo.sqrt %56 : tensor<3x1xbf16>
    %58 = stablehlo.broadcast_in_dim %57, dims = [0, 1] : (tensor<3x1xbf16>) -> tensor<3x1023xbf16>
    %59 = stablehlo.divide %arg4, %58 : tensor<3x1023xbf16>
    %60 = stablehlo.abs %arg4 : tensor<3x1023xbf16>
    %cst_8 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %61 = stablehlo.reduce(%60 init: %cst_8) applies stablehlo.maximum across dimensions = [1] : (tensor<3x1023xbf16>, tensor<bf16>) -> tensor<3xbf16>
    %62 = stablehlo.broadcast_in_dim %61, dims = [0] : (tensor<3xbf16>) -> tensor<3x1xbf16>
    %63 = stablehlo.broadcast_in_dim %62, dims = [0, 1] : (tensor<3x1xbf16>) -> tensor<3x1023xbf16>
    %64 = stablehlo.divide %arg4, %63 : tensor<3x1023xbf16>
    return %7, %12, %20, %25, %33, %38, %46, %51, %59, %64 : tensor<3x7xbf16>, tensor<3x7xbf16>, tensor<3x33xbf16>, tensor<3x33xbf16>, tensor<3x129xbf16>, tensor<3x129xbf16>, tensor<3x1000xbf16>, tensor<3x1000xbf16>, tensor<3x1023xbf16>, tensor<3x1023xbf16>
  }
}
