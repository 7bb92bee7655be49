module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<24xf32>, %arg1: tensor<13x24xf32>, %arg2: tensor<5xf32>, %arg3: tensor<24x5xf32>, %arg4: tensor<i32>, %arg5: tensor<24xf32>, %arg6: tensor<13x24xf32>, %arg7: tensor<5xf32>, %arg8: tensor<24x5xf32>, %arg9: tensor<24xf32>, %arg10: tensor<13x24xf32>, %arg11: tensor<5xf32>, %arg12: tensor<24x5xf32>, %arg13: tensor<17x13xf32>, %arg14: tensor<17xi32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<24xf32> {jax.result_info = "result[1][0]['b']"}, tensor<13x24xf32> {jax.result_info = "result[1][0]['w']"}, tensor<5xf32> {jax.result_info = "result[1][1]['b']"}, tensor<24x5xf32> {jax.result_info = "result[1][1]['w']"}, tensor<i32> {jax.result_info = "result[2][0].count"}, tensor<24xf32> {jax.result_info = "result[2][0].mu[0]['b']"}, tensor<13x24xf32> {jax.result_info = "result[2][0].mu[0]['w']"}, tensor<5xf32> {jax.result_info = "result[2][0].mu[1]['b']"}, tensor<24x5xf32> {jax.result_info = "result[2][0].mu[1]['w']"}, tensor<24xf32> {jax.result_info = "result[2][0].nu[0]['b']"}, tensor<13x24xf32> {jax.result_info = "result[2][0].nu[0]['w']"}, tensor<5xf32> {jax.result_info = "result[2][0].nu[1]['b']"}, tensor<24x5xf32> {jax.result_info = "result[2][0].nu[1]['w']"}) {
    %0 = stablehlo.dot_general %arg13, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<17x13xf32>, tensor<13x24xf32>) -> tensor<17x24xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<24xf32>) -> tensor<1x24xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x24xf32>) -> tensor<17x24xf32>
    %3 = stablehlo.add %0, %2 : tensor<17x24xf32>
    %4 = call @relu(%3) : (tensor<17x24xf32>) -> tensor<17x24xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<17x24xf32>
    %6 = stablehlo.compare GT, %3, %5, FLOAT : (tensor<17x24xf32>, tensor<17x24xf32>) -> tensor<17x24xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<17x24xf32>
    %8 = stablehlo.dot_general %4, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<17x24xf32>, tensor<24x5xf32>) -> tensor<17x5xf32>
    %9 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<5xf32>) -> tensor<1x5xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<1x5xf32>) -> tensor<17x5xf32>
    %11 = stablehlo.add %8, %10 : tensor<17x5xf32>
    %12:3 = call @log_softmax(%11) : (tensor<17x5xf32>) -> (tensor<17x5xf32>, tensor<17x5xf32>, tensor<17x1xf32>)
    %13 = stablehlo.broadcast_in_dim %arg14, dims = [0] : (tensor<17xi32>) -> tensor<17x1xi32>
    %14:2 = call @take_along_axis(%12#0, %13) : (tensor<17x5xf32>, tensor<17x1xi32>) -> (tensor<17x1xf32>, tensor<17x1x1xi32>)
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14#0 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<17x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<1.700000e+01> : tensor<f32>
    %16 = stablehlo.divide %15, %cst_2 : tensor<f32>
    %17 = stablehlo.negate %16 : tensor<f32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %18 = stablehlo.negate %cst_3 : tensor<f32>
    %cst_4 = stablehlo.constant dense<1.700000e+01> : tensor<f32>
    %19 = stablehlo.divide %18, %cst_4 : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [] : (tensor<f32>) -> tensor<17x1xf32>
    %21 = call @take_along_axis_0(%14#1, %20) : (tensor<17x1x1xi32>, tensor<17x1xf32>) -> tensor<17x5xf32>
    %22 = call @log_softmax_1(%12#1, %12#2, %21) : (tensor<17x5xf32>, tensor<17x1xf32>, tensor<17x5xf32>) -> tensor<17x5xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.reduce(%22 init: %cst_5) applies stablehlo.add across dimensions = [0] : (tensor<17x5xf32>, tensor<f32>) -> tensor<5xf32>
    %24 = stablehlo.reshape %23 : (tensor<5xf32>) -> tensor<1x5xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.reduce(%24 init: %cst_6) applies stablehlo.add across dimensions = [0] : (tensor<1x5xf32>, tensor<f32>) -> tensor<5xf32>
    %26 = stablehlo.dot_general %22, %4, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<17x5xf32>, tensor<17x24xf32>) -> tensor<5x24xf32>
    %27 = stablehlo.transpose %26, dims = [1, 0] : (tensor<5x24xf32>) -> tensor<24x5xf32>
    %28 = stablehlo.dot_general %22, %arg3, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<17x5xf32>, tensor<24x5xf32>) -> tensor<17x24xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<17x24xf32>
    %30 = stablehlo.select %6, %28, %29 : tensor<17x24xi1>, tensor<17x24xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %31 = stablehlo.reduce(%30 init: %cst_8) applies stablehlo.add across dimensions = [0] : (tensor<17x24xf32>, tensor<f32>) -> tensor<24xf32>
    %32 = stablehlo.reshape %31 : (tensor<24xf32>) -> tensor<1x24xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.reduce(%32 init: %cst_9) applies stablehlo.add across dimensions = [0] : (tensor<1x24xf32>, tensor<f32>) -> tensor<24xf32>
    %34 = stablehlo.dot_general %30, %arg13, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<17x24xf32>, tensor<17x13xf32>) -> tensor<24x13xf32>
    %35 = stablehlo.transpose %34, dims = [1, 0] : (tensor<24x13xf32>) -> tensor<13x24xf32>
    %cst_10 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %37 = stablehlo.multiply %36, %33 : tensor<24xf32>
    %cst_11 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %39 = stablehlo.multiply %38, %arg5 : tensor<24xf32>
    %40 = stablehlo.add %37, %39 : tensor<24xf32>
    %cst_12 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<13x24xf32>
    %42 = stablehlo.multiply %41, %35 : tensor<13x24xf32>
    %cst_13 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<13x24xf32>
    %44 = stablehlo.multiply %43, %arg6 : tensor<13x24xf32>
    %45 = stablehlo.add %42, %44 : tensor<13x24xf32>
    %cst_14 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %47 = stablehlo.multiply %46, %25 : tensor<5xf32>
    %cst_15 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %48 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %49 = stablehlo.multiply %48, %arg7 : tensor<5xf32>
    %50 = stablehlo.add %47, %49 : tensor<5xf32>
    %cst_16 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<24x5xf32>
    %52 = stablehlo.multiply %51, %27 : tensor<24x5xf32>
    %cst_17 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<24x5xf32>
    %54 = stablehlo.multiply %53, %arg8 : tensor<24x5xf32>
    %55 = stablehlo.add %52, %54 : tensor<24x5xf32>
    %56 = stablehlo.multiply %33, %33 : tensor<24xf32>
    %cst_18 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %58 = stablehlo.multiply %57, %56 : tensor<24xf32>
    %cst_19 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %60 = stablehlo.multiply %59, %arg9 : tensor<24xf32>
    %61 = stablehlo.add %58, %60 : tensor<24xf32>
    %62 = stablehlo.multiply %35, %35 : tensor<13x24xf32>
    %cst_20 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<13x24xf32>
    %64 = stablehlo.multiply %63, %62 : tensor<13x24xf32>
    %cst_21 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<13x24xf32>
    %66 = stablehlo.multiply %65, %arg10 : tensor<13x24xf32>
    %67 = stablehlo.add %64, %66 : tensor<13x24xf32>
    %68 = stablehlo.multiply %25, %25 : tensor<5xf32>
    %cst_22 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %70 = stablehlo.multiply %69, %68 : tensor<5xf32>
    %cst_23 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %71 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %72 = stablehlo.multiply %71, %arg11 : tensor<5xf32>
    %73 = stablehlo.add %70, %72 : tensor<5xf32>
    %74 = stablehlo.multiply %27, %27 : tensor<24x5xf32>
    %cst_24 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %75 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<24x5xf32>
    %76 = stablehlo.multiply %75, %74 : tensor<24x5xf32>
    %cst_25 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<24x5xf32>
    %78 = stablehlo.multiply %77, %arg12 : tensor<24x5xf32>
    %79 = stablehlo.add %76, %78 : tensor<24x5xf32>
    %c = stablehlo.constant dense<2147483647> : tensor<i32>
    %80 = stablehlo.compare LT, %arg4, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_26 = stablehlo.constant dense<1> : tensor<i32>
    %81 = stablehlo.add %arg4, %c_26 : tensor<i32>
    %c_27 = stablehlo.constant dense<2147483647> : tensor<i32>
    %82 = call @_where(%80, %81, %c_27) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %83 = stablehlo.convert %82 : (tensor<i32>) -> tensor<f32>
    %cst_28 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %84 = stablehlo.convert %82 : (tensor<i32>) -> tensor<f32>
    %85 = stablehlo.power %cst_28, %84 : tensor<f32>
    %cst_29 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %86 = stablehlo.subtract %cst_29, %85 : tensor<f32>
    %87 = stablehlo.broadcast_in_dim %86, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %88 = stablehlo.divide %40, %87 : tensor<24xf32>
    %89 = stablehlo.broadcast_in_dim %86, dims = [] : (tensor<f32>) -> tensor<13x24xf32>
    %90 = stablehlo.divide %45, %89 : tensor<13x24xf32>
    %91 = stablehlo.broadcast_in_dim %86, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %92 = stablehlo.divide %50, %91 : tensor<5xf32>
    %93 = stablehlo.broadcast_in_dim %86, dims = [] : (tensor<f32>) -> tensor<24x5xf32>
    %94 = stablehlo.divide %55, %93 : tensor<24x5xf32>
    %95 = stablehlo.convert %82 : (tensor<i32>) -> tensor<f32>
    %cst_30 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %96 = stablehlo.convert %82 : (tensor<i32>) -> tensor<f32>
    %97 = stablehlo.power %cst_30, %96 : tensor<f32>
    %cst_31 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %98 = stablehlo.subtract %cst_31, %97 : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %98, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %100 = stablehlo.divide %61, %99 : tensor<24xf32>
    %101 = stablehlo.broadcast_in_dim %98, dims = [] : (tensor<f32>) -> tensor<13x24xf32>
    %102 = stablehlo.divide %67, %101 : tensor<13x24xf32>
    %103 = stablehlo.broadcast_in_dim %98, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %104 = stablehlo.divide %73, %103 : tensor<5xf32>
    %105 = stablehlo.broadcast_in_dim %98, dims = [] : (tensor<f32>) -> tensor<24x5xf32>
    %106 = stablehlo.divide %79, %105 : tensor<24x5xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %107 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %108 = stablehlo.add %100, %107 : tensor<24xf32>
    %109 = stablehlo.sqrt %108 : tensor<24xf32>
    %cst_33 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %110 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %111 = stablehlo.add %109, %110 : tensor<24xf32>
    %112 = stablehlo.divide %88, %111 : tensor<24xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %113 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<13x24xf32>
    %114 = stablehlo.add %102, %113 : tensor<13x24xf32>
    %115 = stablehlo.sqrt %114 : tensor<13x24xf32>
    %cst_35 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %116 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<13x24xf32>
    %117 = stablehlo.add %115, %116 : tensor<13x24xf32>
    %118 = stablehlo.divide %90, %117 : tensor<13x24xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %119 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %120 = stablehlo.add %104, %119 : tensor<5xf32>
    %121 = stablehlo.sqrt %120 : tensor<5xf32>
    %cst_37 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %122 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %123 = stablehlo.add %121, %122 : tensor<5xf32>
    %124 = stablehlo.divide %92, %123 : tensor<5xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %125 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<24x5xf32>
    %126 = stablehlo.add %106, %125 : tensor<24x5xf32>
    %127 = stablehlo.sqrt %126 : tensor<24x5xf32>
    %cst_39 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %128 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<24x5xf32>
    %129 = stablehlo.add %127, %128 : tensor<24x5xf32>
    %130 = stablehlo.divide %94, %129 : tensor<24x5xf32>
    %cst_40 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %131 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %132 = stablehlo.multiply %131, %112 : tensor<24xf32>
    %cst_41 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %133 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<13x24xf32>
    %134 = stablehlo.multiply %133, %118 : tensor<13x24xf32>
    %cst_42 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %135 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %136 = stablehlo.multiply %135, %124 : tensor<5xf32>
    %cst_43 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %137 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<24x5xf32>
    %138 = stablehlo.multiply %137, %130 : tensor<24x5xf32>
    %139 = stablehlo.add %arg0, %132 : tensor<24xf32>
    %140 = stablehlo.add %arg1, %134 : tensor<13x24xf32>
    %141 = stablehlo.add %arg2, %136 : tensor<5xf32>
    %142 = stablehlo.add %arg3, %138 : tensor<24x5xf32>
    return %17, %139, %140, %141, %142, %82, %40, %45, %50, %55, %61, %67, %73, %79 : tensor<f32>, tensor<24xf32>, tensor<13x24xf32>, tensor<5xf32>, tensor<24x5xf32>, tensor<i32>, tensor<24xf32>, tensor<13x24xf32>, tensor<5xf32>, tensor<24x5xf32>, tensor<24xf32>, tensor<13x24xf32>, tensor<5xf32>, tensor<24x5xf32>
  }
  func.func private @relu(%arg0: tensor<17x24xf32>) -> tensor<17x24xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<17x24xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<17x24xf32>
    return %1 : tensor<17x24xf32>
  }
  func.func private @log_softmax(%arg0: tensor<17x5xf32>) -> (tensor<17x5xf32>, tensor<17x5xf32>, tensor<17x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<17x5xf32>, tensor<f32>) -> tensor<17xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<17xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<17xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<17xf32>) -> tensor<17x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<17x1xf32>) -> tensor<17x5xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<17x5xf32>
    %6 = stablehlo.exponential %5 : tensor<17x5xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<17x5xf32>, tensor<f32>) -> tensor<17xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<17xf32>) -> tensor<17x1xf32>
    %9 = stablehlo.log %8 : tensor<17x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<17x1xf32>) -> tensor<17x5xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<17x5xf32>
    return %11, %6, %8 : tensor<17x5xf32>, tensor<17x5xf32>, tensor<17x1xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<17x5xf32>, %arg1: tensor<17x1xi32>) -> (tensor<17x1xf32>, tensor<17x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<17x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<17x1xi32>, tensor<17x1xi32>) -> tensor<17x1xi1>
    %c_0 = stablehlo.constant dense<5> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<17x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<17x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<17x1xi1>, tensor<17x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<17x1xi32>) -> tensor<17x1x1xi32>
    %c_1 = stablehlo.constant dense<4> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<17x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<17x1x1xi32>, tensor<17x1x1xi32>) -> tensor<17x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<17x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<17x1x1xi32>, tensor<17x1x1xi32>) -> tensor<17x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<17x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<17x1x1xi1>, tensor<i1>) -> tensor<17x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<17x5xf32>, tensor<17x1x1xi32>) -> tensor<17x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<17x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<17x1xi1>, tensor<17x1xf32>
    return %15, %5 : tensor<17x1xf32>, tensor<17x1x1xi32>
  }
  func.func private @take_along_axis_0(%arg0: tensor<17x1x1xi32>, %arg1: tensor<17x1xf32>) -> tensor<17x5xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<17x5xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<17x5xf32>, tensor<17x1x1xi32>, tensor<17x1xf32>) -> tensor<17x5xf32>
    return %1 : tensor<17x5xf32>
  }
  func.func private @log_softmax_1(%arg0: tensor<17x5xf32>, %arg1: tensor<17x1xf32>, %arg2: tensor<17x5xf32>) -> tensor<17x5xf32> {
    %0 = stablehlo.negate %arg2 : tensor<17x5xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<17x5xf32>, tensor<f32>) -> tensor<17xf32>
    %2 = stablehlo.reshape %1 : (tensor<17xf32>) -> tensor<17x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<17x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<17x1xf32>, tensor<f32>) -> tensor<17xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<17xf32>) -> tensor<17x5xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<17x5xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<17x5xf32>
    return %7 : tensor<17x5xf32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
