module @jit_adam attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<513xf32>, %arg1: tensor<513xf32>, %arg2: tensor<513xf32>, %arg3: tensor<513xf32>, %arg4: tensor<7x33xbf16>, %arg5: tensor<7x33xbf16>, %arg6: tensor<7x33xf32>, %arg7: tensor<7x33xf32>, %arg8: tensor<7x33xbf16>, %arg9: tensor<7x33xbf16>, %arg10: tensor<7x33xf32>, %arg11: tensor<7x33xf32>, %arg12: tensor<1xf32>, %arg13: tensor<1xf32>, %arg14: tensor<1xf32>, %arg15: tensor<1xf32>, %arg16: tensor<65x129xf32>, %arg17: tensor<65x129xf32>, %arg18: tensor<65x129xf32>, %arg19: tensor<65x129xf32>, %arg20: tensor<3x5x7xbf16>, %arg21: tensor<3x5x7xbf16>, %arg22: tensor<3x5x7xf32>, %arg23: tensor<3x5x7xf32>, %arg24: tensor<65x129xf32>, %arg25: tensor<65x129xf32>, %arg26: tensor<65x129xf32>, %arg27: tensor<65x129xf32>) -> (tensor<513xf32> {jax.result_info = "result[0]"}, tensor<513xf32> {jax.result_info = "result[1]"}, tensor<513xf32> {jax.result_info = "result[2]"}, tensor<7x33xbf16> {jax.result_info = "result[3]"}, tensor<7x33xf32> {jax.result_info = "result[4]"}, tensor<7x33xf32> {jax.result_info = "result[5]"}, tensor<7x33xbf16> {jax.result_info = "result[6]"}, tensor<7x33xf32> {jax.result_info = "result[7]"}, tensor<7x33xf32> {jax.result_info = "result[8]"}, tensor<1xf32> {jax.result_info = "result[9]"}, tensor<1xf32> {jax.result_info = "result[10]"}, tensor<1xf32> {jax.result_info = "result[11]"}, tensor<65x129xf32> {jax.result_info = "result[12]"}, tensor<65x129xf32> {jax.result_info = "result[13]"}, tensor<65x129xf32> {jax.result_info = "result[14]"}, tensor<3x5x7xbf16> {jax.result_info = "result[15]"}, tensor<3x5x7xf32> {jax.result_info = "result[16]"}, tensor<3x5x7xf32> {jax.result_info = "result[17]"}, tensor<65x129xf32> {jax.result_info = "result[18]"}, tensor<65x129xf32> {jax.result_info = "result[19]"}, tensor<65x129xf32> {jax.result_info = "result[20]"}) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<513xf32>
    %1 = stablehlo.multiply %0, %arg2 : tensor<513xf32>
    %cst_0 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<513xf32>
    %3 = stablehlo.multiply %2, %arg1 : tensor<513xf32>
    %4 = stablehlo.add %1, %3 : tensor<513xf32>
    %cst_1 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<513xf32>
    %6 = stablehlo.multiply %5, %arg3 : tensor<513xf32>
    %cst_2 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<513xf32>
    %8 = stablehlo.multiply %7, %arg1 : tensor<513xf32>
    %9 = stablehlo.multiply %8, %arg1 : tensor<513xf32>
    %10 = stablehlo.add %6, %9 : tensor<513xf32>
    %cst_3 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<513xf32>
    %12 = stablehlo.multiply %11, %4 : tensor<513xf32>
    %13 = stablehlo.sqrt %10 : tensor<513xf32>
    %cst_4 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<513xf32>
    %15 = stablehlo.add %13, %14 : tensor<513xf32>
    %16 = stablehlo.divide %12, %15 : tensor<513xf32>
    %17 = stablehlo.subtract %arg0, %16 : tensor<513xf32>
    %18 = stablehlo.convert %arg5 : (tensor<7x33xbf16>) -> tensor<7x33xf32>
    %cst_5 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<7x33xf32>
    %20 = stablehlo.multiply %19, %arg6 : tensor<7x33xf32>
    %cst_6 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<7x33xf32>
    %22 = stablehlo.multiply %21, %18 : tensor<7x33xf32>
    %23 = stablehlo.add %20, %22 : tensor<7x33xf32>
    %cst_7 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<7x33xf32>
    %25 = stablehlo.multiply %24, %arg7 : tensor<7x33xf32>
    %cst_8 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<7x33xf32>
    %27 = stablehlo.multiply %26, %18 : tensor<7x33xf32>
    %28 = stablehlo.multiply %27, %18 : tensor<7x33xf32>
    %29 = stablehlo.add %25, %28 : tensor<7x33xf32>
    %30 = stablehlo.convert %arg4 : (tensor<7x33xbf16>) -> tensor<7x33xf32>
    %cst_9 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<7x33xf32>
    %32 = stablehlo.multiply %31, %23 : tensor<7x33xf32>
    %33 = stablehlo.sqrt %29 : tensor<7x33xf32>
    %cst_10 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<7x33xf32>
    %35 = stablehlo.add %33, %34 : tensor<7x33xf32>
    %36 = stablehlo.divide %32, %35 : tensor<7x33xf32>
    %37 = stablehlo.subtract %30, %36 : tensor<7x33xf32>
    %38 = stablehlo.convert %37 : (tensor<7x33xf32>) -> tensor<7x33xbf16>
    %39 = stablehlo.convert %arg9 : (tensor<7x33xbf16>) -> tensor<7x33xf32>
    %cst_11 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<7x33xf32>
    %41 = stablehlo.multiply %40, %arg10 : tensor<7x33xf32>
    %cst_12 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<7x33xf32>
    %43 = stablehlo.multiply %42, %39 : tensor<7x33xf32>
    %44 = stablehlo.add %41, %43 : tensor<7x33xf32>
    %cst_13 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<7x33xf32>
    %46 = stablehlo.multiply %45, %arg11 : tensor<7x33xf32>
    %cst_14 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<7x33xf32>
    %48 = stablehlo.multiply %47, %39 : tensor<7x33xf32>
    %49 = stablehlo.multiply %48, %39 : tensor<7x33xf32>
    %50 = stablehlo.add %46, %49 : tensor<7x33xf32>
    %51 = stablehlo.convert %arg8 : (tensor<7x33xbf16>) -> tensor<7x33xf32>
    %cst_15 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<7x33xf32>
    %53 = stablehlo.multiply %52, %44 : tensor<7x33xf32>
    %54 = stablehlo.sqrt %50 : tensor<7x33xf32>
    %cst_16 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<7x33xf32>
    %56 = stablehlo.add %54, %55 : tensor<7x33xf32>
    %57 = stablehlo.divide %53, %56 : tensor<7x33xf32>
    %58 = stablehlo.subtract %51, %57 : tensor<7x33xf32>
    %59 = stablehlo.convert %58 : (tensor<7x33xf32>) -> tensor<7x33xbf16>
    %cst_17 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %61 = stablehlo.multiply %60, %arg14 : tensor<1xf32>
    %cst_18 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %63 = stablehlo.multiply %62, %arg13 : tensor<1xf32>
    %64 = stablehlo.add %61, %63 : tensor<1xf32>
    %cst_19 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %66 = stablehlo.multiply %65, %arg15 : tensor<1xf32>
    %cst_20 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %67 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %68 = stablehlo.multiply %67, %arg13 : tensor<1xf32>
    %69 = stablehlo.multiply %68, %arg13 : tensor<1xf32>
    %70 = stablehlo.add %66, %69 : tensor<1xf32>
    %cst_21 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %71 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %72 = stablehlo.multiply %71, %64 : tensor<1xf32>
    %73 = stablehlo.sqrt %70 : tensor<1xf32>
    %cst_22 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %75 = stablehlo.add %73, %74 : tensor<1xf32>
    %76 = stablehlo.divide %72, %75 : tensor<1xf32>
    %77 = stablehlo.subtract %arg12, %76 : tensor<1xf32>
    %cst_23 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %78 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<65x129xf32>
    %79 = stablehlo.multiply %78, %arg18 : tensor<65x129xf32>
    %cst_24 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %80 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<65x129xf32>
    %81 = stablehlo.multiply %80, %arg17 : tensor<65x129xf32>
    %82 = stablehlo.add %79, %81 : tensor<65x129xf32>
    %cst_25 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %83 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<65x129xf32>
    %84 = stablehlo.multiply %83, %arg19 : tensor<65x129xf32>
    %cst_26 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<65x129xf32>
    %86 = stablehlo.multiply %85, %arg17 : tensor<65x129xf32>
    %87 = stablehlo.multiply %86, %arg17 : tensor<65x129xf32>
    %88 = stablehlo.add %84, %87 : tensor<65x129xf32>
    %cst_27 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %89 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<65x129xf32>
    %90 = stablehlo.multiply %89, %82 : tensor<65x129xf32>
    %91 = stablehlo.sqrt %88 : tensor<65x129xf32>
    %cst_28 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %92 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<65x129xf32>
    %93 = stablehlo.add %91, %92 : tensor<65x129xf32>
    %94 = stablehlo.divide %90, %93 : tensor<65x129xf32>
    %95 = stablehlo.subtract %arg16, %94 : tensor<65x129xf32>
    %96 = stablehlo.convert %arg21 : (tensor<3x5x7xbf16>) -> tensor<3x5x7xf32>
    %cst_29 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %97 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<3x5x7xf32>
    %98 = stablehlo.multiply %97, %arg22 : tensor<3x5x7xf32>
    %cst_30 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<3x5x7xf32>
    %100 = stablehlo.multiply %99, %96 : tensor<3x5x7xf32>
    %101 = stablehlo.add %98, %100 : tensor<3x5x7xf32>
    %cst_31 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %102 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<3x5x7xf32>
    %103 = stablehlo.multiply %102, %arg23 : tensor<3x5x7xf32>
    %cst_32 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %104 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<3x5x7xf32>
    %105 = stablehlo.multiply %104, %96 : tensor<3x5x7xf32>
    %106 = stablehlo.multiply %105, %96 : tensor<3x5x7xf32>
    %107 = stablehlo.add %103, %106 : tensor<3x5x7xf32>
    %108 = stablehlo.convert %arg20 : (tensor<3x5x7xbf16>) -> tensor<3x5x7xf32>
    %cst_33 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %109 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<3x5x7xf32>
    %110 = stablehlo.multiply %109, %101 : tensor<3x5x7xf32>
    %111 = stablehlo.sqrt %107 : tensor<3x5x7xf32>
    %cst_34 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %112 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<3x5x7xf32>
    %113 = stablehlo.add %111, %112 : tensor<3x5x7xf32>
    %114 = stablehlo.divide %110, %113 : tensor<3x5x7xf32>
    %115 = stablehlo.subtract %108, %114 : tensor<3x5x7xf32>
    %116 = stablehlo.convert %115 : (tensor<3x5x7xf32>) -> tensor<3x5x7xbf16>
    %cst_35 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %117 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<65x129xf32>
    %118 = stablehlo.multiply %117, %arg26 : tensor<65x129xf32>
    %cst_36 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %119 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<65x129xf32>
    %120 = stablehlo.multiply %119, %arg25 : tensor<65x129xf32>
    %121 = stablehlo.add %118, %120 : tensor<65x129xf32>
    %cst_37 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %122 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<65x129xf32>
    %123 = stablehlo.multiply %122, %arg27 : tensor<65x129xf32>
    %cst_38 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %124 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<65x129xf32>
    %125 = stablehlo.multiply %124, %arg25 : tensor<65x129xf32>
    %126 = stablehlo.multiply %125, %arg25 : tensor<65x129xf32>
    %127 = stablehlo.add %123, %126 : tensor<65x129xf32>
    %cst_39 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %128 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<65x129xf32>
    %129 = stablehlo.multiply %128, %121 : tensor<65x129xf32>
    %130 = stablehlo.sqrt %127 : tensor<65x129xf32>
    %cst_40 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %131 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<65x129xf32>
    %132 = stablehlo.add %130, %131 : tensor<65x129xf32>
    %133 = stablehlo.divide %129, %132 : tensor<65x129xf32>
    %134 = stablehlo.subtract %arg24, %133 : tensor<65x129xf32>
    return %17, %4, %10, %38, %23, %29, %59, %44, %50, %77, %64, %70, %95, %82, %88, %116, %101, %107, %134, %121, %127 : tensor<513xf32>, tensor<513xf32>, tensor<513xf32>, tensor<7x33xbf16>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xbf16>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<65x129xf32>, tensor<65x129xf32>, tensor<65x129xf32>, tensor<3x5x7xbf16>, tensor<3x5x7xf32>, tensor<3x5x7xf32>, tensor<65x129xf32>, tensor<65x129xf32>, tensor<65x129xf32>
  }
}
