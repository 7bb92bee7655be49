module @jit_chain attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<64x3xf32>) -> (tensor<64x3xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.sine %arg0 : tensor<64x3xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<64x3xf32>
    %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %4 = stablehlo.multiply %arg0, %3 : tensor<64x3xf32>
    %5 = stablehlo.add %2, %4 : tensor<64x3xf32>
    %6 = stablehlo.sine %5 : tensor<64x3xf32>
    %cst_1 = stablehlo.constant dense<1.100000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %8 = stablehlo.multiply %6, %7 : tensor<64x3xf32>
    %cst_2 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %10 = stablehlo.multiply %5, %9 : tensor<64x3xf32>
    %11 = stablehlo.add %8, %10 : tensor<64x3xf32>
    %12 = stablehlo.sine %11 : tensor<64x3xf32>
    %cst_3 = stablehlo.constant dense<1.200000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %14 = stablehlo.multiply %12, %13 : tensor<64x3xf32>
    %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %16 = stablehlo.multiply %11, %15 : tensor<64x3xf32>
    %17 = stablehlo.add %14, %16 : tensor<64x3xf32>
    %18 = stablehlo.sine %17 : tensor<64x3xf32>
    %cst_5 = stablehlo.constant dense<1.300000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %20 = stablehlo.multiply %18, %19 : tensor<64x3xf32>
    %cst_6 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %22 = stablehlo.multiply %17, %21 : tensor<64x3xf32>
    %23 = stablehlo.add %20, %22 : tensor<64x3xf32>
    %24 = stablehlo.sine %23 : tensor<64x3xf32>
    %cst_7 = stablehlo.constant dense<1.400000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %26 = stablehlo.multiply %24, %25 : tensor<64x3xf32>
    %cst_8 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %28 = stablehlo.multiply %23, %27 : tensor<64x3xf32>
    %29 = stablehlo.add %26, %28 : tensor<64x3xf32>
    %30 = stablehlo.sine %29 : tensor<64x3xf32>
    %cst_9 = stablehlo.constant dense<1.500000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %32 = stablehlo.multiply %30, %31 : tensor<64x3xf32>
    %cst_10 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %34 = stablehlo.multiply %29, %33 : tensor<64x3xf32>
    %35 = stablehlo.add %32, %34 : tensor<64x3xf32>
    %36 = stablehlo.sine %35 : tensor<64x3xf32>
    %cst_11 = stablehlo.constant dense<1.600000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %38 = stablehlo.multiply %36, %37 : tensor<64x3xf32>
    %cst_12 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %40 = stablehlo.multiply %35, %39 : tensor<64x3xf32>
    %41 = stablehlo.add %38, %40 : tensor<64x3xf32>
    %42 = stablehlo.sine %41 : tensor<64x3xf32>
    %cst_13 = stablehlo.constant dense<1.700000e+00> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %44 = stablehlo.multiply %42, %43 : tensor<64x3xf32>
    %cst_14 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %46 = stablehlo.multiply %41, %45 : tensor<64x3xf32>
    %47 = stablehlo.add %44, %46 : tensor<64x3xf32>
    %48 = stablehlo.sine %47 : tensor<64x3xf32>
    %cst_15 = stablehlo.constant dense<1.800000e+00> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %50 = stablehlo.multiply %48, %49 : tensor<64x3xf32>
    %cst_16 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %52 = stablehlo.multiply %47, %51 : tensor<64x3xf32>
    %53 = stablehlo.add %50, %52 : tensor<64x3xf32>
    %54 = stablehlo.sine %53 : tensor<64x3xf32>
    %cst_17 = stablehlo.constant dense<1.900000e+00> : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %56 = stablehlo.multiply %54, %55 : tensor<64x3xf32>
    %cst_18 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %58 = stablehlo.multiply %53, %57 : tensor<64x3xf32>
    %59 = stablehlo.add %56, %58 : tensor<64x3xf32>
    %60 = stablehlo.sine %59 : tensor<64x3xf32>
    %cst_19 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %62 = stablehlo.multiply %60, %61 : tensor<64x3xf32>
    %cst_20 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %64 = stablehlo.multiply %59, %63 : tensor<64x3xf32>
    %65 = stablehlo.add %62, %64 : tensor<64x3xf32>
    %66 = stablehlo.sine %65 : tensor<64x3xf32>
    %cst_21 = stablehlo.constant dense<2.100000e+00> : tensor<f32>
    %67 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %68 = stablehlo.multiply %66, %67 : tensor<64x3xf32>
    %cst_22 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %70 = stablehlo.multiply %65, %69 : tensor<64x3xf32>
    %71 = stablehlo.add %68, %70 : tensor<64x3xf32>
    %72 = stablehlo.sine %71 : tensor<64x3xf32>
    %cst_23 = stablehlo.constant dense<2.200000e+00> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %74 = stablehlo.multiply %72, %73 : tensor<64x3xf32>
    %cst_24 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %75 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %76 = stablehlo.multiply %71, %75 : tensor<64x3xf32>
    %77 = stablehlo.add %74, %76 : tensor<64x3xf32>
    %78 = stablehlo.sine %77 : tensor<64x3xf32>
    %cst_25 = stablehlo.constant dense<2.300000e+00> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %80 = stablehlo.multiply %78, %79 : tensor<64x3xf32>
    %cst_26 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %82 = stablehlo.multiply %77, %81 : tensor<64x3xf32>
    %83 = stablehlo.add %80, %82 : tensor<64x3xf32>
    %84 = stablehlo.sine %83 : tensor<64x3xf32>
    %cst_27 = stablehlo.constant dense<2.400000e+00> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %86 = stablehlo.multiply %84, %85 : tensor<64x3xf32>
    %cst_28 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %87 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %88 = stablehlo.multiply %83, %87 : tensor<64x3xf32>
    %89 = stablehlo.add %86, %88 : tensor<64x3xf32>
    %90 = stablehlo.sine %89 : tensor<64x3xf32>
    %cst_29 = stablehlo.constant dense<2.500000e+00> : tensor<f32>
    %91 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %92 = stablehlo.multiply %90, %91 : tensor<64x3xf32>
    %cst_30 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %93 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %94 = stablehlo.multiply %89, %93 : tensor<64x3xf32>
    %95 = stablehlo.add %92, %94 : tensor<64x3xf32>
    %96 = stablehlo.sine %95 : tensor<64x3xf32>
    %cst_31 = stablehlo.constant dense<2.600000e+00> : tensor<f32>
    %97 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %98 = stablehlo.multiply %96, %97 : tensor<64x3xf32>
    %cst_32 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %100 = stablehlo.multiply %95, %99 : tensor<64x3xf32>
    %101 = stablehlo.add %98, %100 : tensor<64x3xf32>
    %102 = stablehlo.sine %101 : tensor<64x3xf32>
    %cst_33 = stablehlo.constant dense<2.700000e+00> : tensor<f32>
    %103 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %104 = stablehlo.multiply %102, %103 : tensor<64x3xf32>
    %cst_34 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %105 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %106 = stablehlo.multiply %101, %105 : tensor<64x3xf32>
    %107 = stablehlo.add %104, %106 : tensor<64x3xf32>
    %108 = stablehlo.sine %107 : tensor<64x3xf32>
    %cst_35 = stablehlo.constant dense<2.800000e+00> : tensor<f32>
    %109 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %110 = stablehlo.multiply %108, %109 : tensor<64x3xf32>
    %cst_36 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %111 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %112 = stablehlo.multiply %107, %111 : tensor<64x3xf32>
    %113 = stablehlo.add %110, %112 : tensor<64x3xf32>
    %114 = stablehlo.sine %113 : tensor<64x3xf32>
    %cst_37 = stablehlo.constant dense<2.900000e+00> : tensor<f32>
    %115 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %116 = stablehlo.multiply %114, %115 : tensor<64x3xf32>
    %cst_38 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %117 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<64x3xf32>
    %118 = stablehlo.multiply %113, %117 : tensor<64x3xf32>
    %119 = stablehlo.add %116, %118 : tensor<64x3xf32>
    return %119 : tensor<64x3xf32>
  }
}
