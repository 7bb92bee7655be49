module {
  func.func @main(%arg0: tensor<?x8xf32>) -> tensor<?x4xf32> {
    %cst = stablehlo.constant dense_resource<torch_tensor_4_torch.float32> : tensor<4xf32>
    %cst_0 = stablehlo.constant dense_resource<torch_tensor_4_16_torch.float32> : tensor<4x16xf32>
    %cst_1 = stablehlo.constant dense_resource<torch_tensor_16_torch.float32_2> : tensor<16xf32>
    %cst_2 = stablehlo.constant dense_resource<torch_tensor_16_torch.float32_1> : tensor<16xf32>
    %cst_3 = stablehlo.constant dense_resource<torch_tensor_16_torch.float32> : tensor<16xf32>
    %cst_4 = stablehlo.constant dense_resource<torch_tensor_16_8_torch.float32> : tensor<16x8xf32>
    %c0 = arith.constant 0 : index
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_6 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %cst_7 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %cst_8 = stablehlo.constant dense<-4.000000e+00> : tensor<f32>
    %cst_9 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %cst_10 = stablehlo.constant dense<-2.72614237E-10> : tensor<f32>
    %cst_11 = stablehlo.constant dense<2.77068146E-8> : tensor<f32>
    %cst_12 = stablehlo.constant dense<-2.10102394E-6> : tensor<f32>
    %cst_13 = stablehlo.constant dense<-5.69250624E-5> : tensor<f32>
    %cst_14 = stablehlo.constant dense<-7.34990637E-4> : tensor<f32>
    %cst_15 = stablehlo.constant dense<-2.954600e-03> : tensor<f32>
    %cst_16 = stablehlo.constant dense<-0.0160960332> : tensor<f32>
    %cst_17 = stablehlo.constant dense<-1.45660715E-5> : tensor<f32>
    %cst_18 = stablehlo.constant dense<-2.13374049E-4> : tensor<f32>
    %cst_19 = stablehlo.constant dense<-0.00168282702> : tensor<f32>
    %cst_20 = stablehlo.constant dense<-0.00737332925> : tensor<f32>
    %cst_21 = stablehlo.constant dense<-0.0142647391> : tensor<f32>
    %cst_22 = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %c1 = arith.constant 1 : index
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_25 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %cst_26 = arith.constant dense<1> : tensor<1xi64>
    %c16 = arith.constant 16 : index
    %cst_27 = arith.constant dense<16> : tensor<1xi64>
    %cst_28 = arith.constant dense<1.000000e-05> : tensor<1xf64>
    %0 = shape.const_shape [16] : tensor<1xindex>
    %c4 = arith.constant 4 : index
    %dim = tensor.dim %arg0, %c0 : tensor<?x8xf32>
    %1 = stablehlo.transpose %cst_4, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %2 = stablehlo.dot_general %arg0, %1, contracting_dims = [1] x [0] : (tensor<?x8xf32>, tensor<8x16xf32>) -> tensor<?x16xf32>
    %3 = stablehlo.convert %cst_26 : (tensor<1xi64>) -> tensor<1xf32>
    %4 = stablehlo.reshape %3 : (tensor<1xf32>) -> tensor<f32>
    %5 = shape.shape_of %2 : tensor<?x16xf32> -> tensor<2xindex>
    %6 = stablehlo.dynamic_broadcast_in_dim %2, %5, dims = [0, 1] : (tensor<?x16xf32>, tensor<2xindex>) -> tensor<?x16xf32>
    %7 = stablehlo.dynamic_broadcast_in_dim %4, %5, dims = [] : (tensor<f32>, tensor<2xindex>) -> tensor<?x16xf32>
    %8 = stablehlo.multiply %6, %7 : tensor<?x16xf32>
    %from_elements = tensor.from_elements %dim, %c16 : tensor<2xindex>
    %9 = stablehlo.dynamic_broadcast_in_dim %cst_3, %from_elements, dims = [1] : (tensor<16xf32>, tensor<2xindex>) -> tensor<?x16xf32>
    %10 = shape.shape_of %9 : tensor<?x16xf32> -> tensor<2xindex>
    %11 = stablehlo.dynamic_broadcast_in_dim %9, %10, dims = [0, 1] : (tensor<?x16xf32>, tensor<2xindex>) -> tensor<?x16xf32>
    %12 = stablehlo.dynamic_broadcast_in_dim %4, %10, dims = [] : (tensor<f32>, tensor<2xindex>) -> tensor<?x16xf32>
    %13 = stablehlo.multiply %11, %12 : tensor<?x16xf32>
    %14 = shape.shape_of %8 : tensor<?x16xf32> -> tensor<2xindex>
    %15 = shape.shape_of %13 : tensor<?x16xf32> -> tensor<2xindex>
    %16 = shape.cstr_broadcastable %14, %15 : tensor<2xindex>, tensor<2xindex>
    %17 = shape.assuming %16 -> (tensor<?x16xf32>) {
      %155 = shape.broadcast %14, %15 : tensor<2xindex>, tensor<2xindex> -> tensor<2xindex>
      %156 = stablehlo.dynamic_broadcast_in_dim %8, %155, dims = [0, 1] : (tensor<?x16xf32>, tensor<2xindex>) -> tensor<?x16xf32>
      %157 = stablehlo.dynamic_broadcast_in_dim %13, %155, dims = [0, 1] : (tensor<?x16xf32>, tensor<2xindex>) -> tensor<?x16xf32>
      %158 = stablehlo.add %156, %157 : tensor<?x16xf32>
      shape.assuming_yield %158 : tensor<?x16xf32>
    }
    %18 = shape.shape_of %17 : tensor<?x16xf32> -> tensor<2xindex>
    %19 = stablehlo.dynamic_broadcast_in_dim %cst_5, %18, dims = [] : (tensor<f32>, tensor<2xindex>) -> tensor<?x16xf32>
    %20 = stablehlo.dynamic_broadcast_in_dim %cst_6, %18, dims = [] : (tensor<f32>, tensor<2xindex>) -> tensor<?x16xf32>
    %21 = stablehlo.dynamic_broadcast_in_dim %cst_7, %18, dims = [] : (tensor<f32>, tensor<2xindex>) -> tensor<?x16xf32>
    %22 = stablehlo.multiply %17, %21 : tensor<?x16xf32>
    %23 = stablehlo.rsqrt %20 : tensor<?x16xf32>
    %24 = stablehlo.multiply %17, %23 : tensor<?x16xf32>
    %25 = shape.shape_of %24 : tensor<?x16xf32> -> tensor<2xindex>
    %26 = stablehlo.dynamic_broadcast_in_dim %cst_8, %25, dims = [] : (tensor<f32>, tensor<2xindex>) -> tensor<?x16xf32>
    %27 = stablehlo.dynamic_broadcast_in_dim %cst_9, %25, dims = [] : (tensor<f32>, tensor<2xindex>) -> tensor<?x16xf32>
    %28 = stablehlo.clamp %26, %24, %27 : tensor<?x16xf32>
    %29 = stablehlo.multiply %28, %28 : tensor<?x16xf32>
    %30 = shape.shape_of %29 : tensor<?x16xf32> -> tensor<2xindex>
    %31 = stablehlo.dynamic_broadcast_in_dim %cst_10, %30, dims = [] : (tensor<f32>, tensor<2xindex>) -> tensor<?x16xf32>
    %32 = stablehlo.multiply %31, %29 : tensor<?x16xf32>
    %33 = stablehlo.dynamic_broadcast_in_dim %cst_11, %30, dims = [] : (tensor<f32>, tensor<2xindex>) -> tensor<?x16xf32>
    %34 = stablehlo.add %32, %33 : tensor<?x16xf32>
    %35 = stablehlo.multiply %34, %29 : tensor<?x16xf32>
    %36 = stablehlo.dynamic_broadcast_in_dim %cst_12, %30, dims = [] : (tensor<f32>, tensor<2xindex>) -> tensor<?x16xf32>
    %37 = stablehlo.add %35, %36 : tensor<?x16xf32>
    %38 = stablehlo.multiply %37, %29 : tensor<?x16xf32>
    %39 = stablehlo.dynamic_broadcast_in_dim %cst_13, %30, dims = [] : (tensor<f32>, tensor<2xindex>) -> tensor<?x16xf32>
    %40 = stablehlo.add %38, %39 : tensor<?x16xf32>
    %41 = stablehlo.multiply %40, %29 : tensor<?x16xf32>
    %42 = stablehlo.dynamic_broadcast_in_dim %cst_14, %30, dims = [] : (tensor<f32>, tensor<2xindex>) -> tensor<?x16xf32>
    %43 = stablehlo.add %41, %42 : tensor<?x16xf32>
    %44 = stablehlo.multiply %43, %29 : tensor<?x16xf32>
    %45 = stablehlo.dynamic_broadcast_in_dim %cst_15, %30, dims = [] : (tensor<f32>, tensor<2xindex>) -> tensor<?x16xf32>
    %46 = stablehlo.add %44, %45 : tensor<?x16xf32>
    %47 = stablehlo.multiply %46, %29 : tensor<?x16xf32>
    %48 = stablehlo.dynamic_broadcast_in_dim %cst_16, %30, dims = [] : (tensor<f32>, tensor<2xindex>) -> tensor<?x16xf32>
    %49 = stablehlo.add %47, %48 : tensor<?x16xf32>
    %50 = stablehlo.dynamic_broadcast_in_dim %cst_17, %30, dims = [] : (tensor<f32>, tensor<2xindex>) -> tensor<?x16xf32>
    %51 = stablehlo.multiply %50, %29 : tensor<?x16xf32>
    %52 = stablehlo.dynamic_broadcast_in_dim %cst_18, %30, dims = [] : (tensor<f32>, tensor<2xindex>) -> tensor<?x16xf32>
    %53 = stablehlo.add %51, %52 : tensor<?x16xf32>
    %54 = stablehlo.multiply %53, %29 : tensor<?x16xf32>
    %55 = stablehlo.dynamic_broadcast_in_dim %cst_19, %30, dims = [] : (tensor<f32>, tensor<2xindex>) -> tensor<?x16xf32>
    %56 = stablehlo.add %54, %55 : tensor<?x16xf32>
    %57 = stablehlo.multiply %56, %29 : tensor<?x16xf32>
    %58 = stablehlo.dynamic_broadcast_in_dim %cst_20, %30, dims = [] : (tensor<f32>, tensor<2xindex>) -> tensor<?x16xf32>
    %59 = stablehlo.add %57, %58 : tensor<?x16xf32>
    %60 = stablehlo.multiply %59, %29 : tensor<?x16xf32>
    %61 = stablehlo.dynamic_broadcast_in_dim %cst_21, %30, dims = [] : (tensor<f32>, tensor<2xindex>) -> tensor<?x16xf32>
    %62 = stablehlo.add %60, %61 : tensor<?x16xf32>
    %63 = stablehlo.multiply %28, %49 : tensor<?x16xf32>
    %64 = stablehlo.divide %63, %62 : tensor<?x16xf32>
    %65 = shape.shape_of %28 : tensor<?x16xf32> -> tensor<2xindex>
    %66 = stablehlo.dynamic_broadcast_in_dim %cst_22, %65, dims = [] : (tensor<f32>, tensor<2xindex>) -> tensor<?x16xf32>
    %67 = stablehlo.dynamic_broadcast_in_dim %cst_5, %65, dims = [] : (tensor<f32>, tensor<2xindex>) -> tensor<?x16xf32>
    %68 = stablehlo.clamp %66, %64, %67 : tensor<?x16xf32>
    %69 = stablehlo.add %68, %19 : tensor<?x16xf32>
    %70 = stablehlo.multiply %69, %22 : tensor<?x16xf32>
    %71 = stablehlo.convert %70 : (tensor<?x16xf32>) -> tensor<?x16xf64>
    %72 = stablehlo.reduce(%71 init: %cst_23) applies stablehlo.add across dimensions = [1] : (tensor<?x16xf64>, tensor<f64>) -> tensor<?xf64>
    %dim_29 = tensor.dim %71, %c0 : tensor<?x16xf64>
    %from_elements_30 = tensor.from_elements %dim_29, %c1 : tensor<2xindex>
    %73 = stablehlo.dynamic_reshape %72, %from_elements_30 : (tensor<?xf64>, tensor<2xindex>) -> tensor<?x1xf64>
    %74 = stablehlo.convert %cst_27 : (tensor<1xi64>) -> tensor<1xf64>
    %75 = stablehlo.reshape %74 : (tensor<1xf64>) -> tensor<f64>
    %76 = shape.shape_of %73 : tensor<?x1xf64> -> tensor<2xindex>
    %77 = stablehlo.dynamic_broadcast_in_dim %73, %76, dims = [0, 1] : (tensor<?x1xf64>, tensor<2xindex>) -> tensor<?x1xf64>
    %78 = stablehlo.dynamic_broadcast_in_dim %75, %76, dims = [] : (tensor<f64>, tensor<2xindex>) -> tensor<?x1xf64>
    %79 = stablehlo.divide %77, %78 : tensor<?x1xf64>
    %80 = shape.shape_of %71 : tensor<?x16xf64> -> tensor<2xindex>
    %81 = shape.shape_of %79 : tensor<?x1xf64> -> tensor<2xindex>
    %82 = shape.cstr_broadcastable %80, %81 : tensor<2xindex>, tensor<2xindex>
    %83 = shape.assuming %82 -> (tensor<?x16xf64>) {
      %155 = shape.broadcast %80, %81 : tensor<2xindex>, tensor<2xindex> -> tensor<2xindex>
      %156 = stablehlo.dynamic_broadcast_in_dim %71, %155, dims = [0, 1] : (tensor<?x16xf64>, tensor<2xindex>) -> tensor<?x16xf64>
      %157 = stablehlo.dynamic_broadcast_in_dim %79, %155, dims = [0, 1] : (tensor<?x1xf64>, tensor<2xindex>) -> tensor<?x16xf64>
      %158 = stablehlo.subtract %156, %157 : tensor<?x16xf64>
      shape.assuming_yield %158 : tensor<?x16xf64>
    }
    %84 = shape.shape_of %83 : tensor<?x16xf64> -> tensor<2xindex>
    %85 = stablehlo.dynamic_broadcast_in_dim %83, %84, dims = [0, 1] : (tensor<?x16xf64>, tensor<2xindex>) -> tensor<?x16xf64>
    %86 = stablehlo.multiply %85, %85 : tensor<?x16xf64>
    %87 = stablehlo.reduce(%86 init: %cst_23) applies stablehlo.add across dimensions = [1] : (tensor<?x16xf64>, tensor<f64>) -> tensor<?xf64>
    %dim_31 = tensor.dim %86, %c0 : tensor<?x16xf64>
    %from_elements_32 = tensor.from_elements %dim_31, %c1 : tensor<2xindex>
    %88 = stablehlo.dynamic_reshape %87, %from_elements_32 : (tensor<?xf64>, tensor<2xindex>) -> tensor<?x1xf64>
    %89 = shape.shape_of %88 : tensor<?x1xf64> -> tensor<2xindex>
    %90 = stablehlo.dynamic_broadcast_in_dim %88, %89, dims = [0, 1] : (tensor<?x1xf64>, tensor<2xindex>) -> tensor<?x1xf64>
    %91 = stablehlo.dynamic_broadcast_in_dim %75, %89, dims = [] : (tensor<f64>, tensor<2xindex>) -> tensor<?x1xf64>
    %92 = stablehlo.divide %90, %91 : tensor<?x1xf64>
    %93 = stablehlo.convert %92 : (tensor<?x1xf64>) -> tensor<?x1xf32>
    %94 = stablehlo.reduce(%70 init: %cst_24) applies stablehlo.add across dimensions = [1] : (tensor<?x16xf32>, tensor<f32>) -> tensor<?xf32>
    %dim_33 = tensor.dim %70, %c0 : tensor<?x16xf32>
    %from_elements_34 = tensor.from_elements %dim_33, %c1 : tensor<2xindex>
    %95 = stablehlo.dynamic_reshape %94, %from_elements_34 : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x1xf32>
    %96 = stablehlo.convert %cst_27 : (tensor<1xi64>) -> tensor<1xf32>
    %97 = stablehlo.reshape %96 : (tensor<1xf32>) -> tensor<f32>
    %98 = shape.shape_of %95 : tensor<?x1xf32> -> tensor<2xindex>
    %99 = stablehlo.dynamic_broadcast_in_dim %95, %98, dims = [0, 1] : (tensor<?x1xf32>, tensor<2xindex>) -> tensor<?x1xf32>
    %100 = stablehlo.dynamic_broadcast_in_dim %97, %98, dims = [] : (tensor<f32>, tensor<2xindex>) -> tensor<?x1xf32>
    %101 = stablehlo.divide %99, %100 : tensor<?x1xf32>
    %102 = stablehlo.convert %cst_28 : (tensor<1xf64>) -> tensor<1xf32>
    %103 = stablehlo.reshape %102 : (tensor<1xf32>) -> tensor<f32>
    %104 = shape.shape_of %93 : tensor<?x1xf32> -> tensor<2xindex>
    %105 = stablehlo.dynamic_broadcast_in_dim %93, %104, dims = [0, 1] : (tensor<?x1xf32>, tensor<2xindex>) -> tensor<?x1xf32>
    %106 = stablehlo.dynamic_broadcast_in_dim %103, %104, dims = [] : (tensor<f32>, tensor<2xindex>) -> tensor<?x1xf32>
    %107 = stablehlo.add %105, %106 : tensor<?x1xf32>
    %108 = stablehlo.rsqrt %107 : tensor<?x1xf32>
    %109 = shape.shape_of %70 : tensor<?x16xf32> -> tensor<2xindex>
    %110 = shape.shape_of %101 : tensor<?x1xf32> -> tensor<2xindex>
    %111 = shape.cstr_broadcastable %109, %110 : tensor<2xindex>, tensor<2xindex>
    %112 = shape.assuming %111 -> (tensor<?x16xf32>) {
      %155 = shape.broadcast %109, %110 : tensor<2xindex>, tensor<2xindex> -> tensor<2xindex>
      %156 = stablehlo.dynamic_broadcast_in_dim %70, %155, dims = [0, 1] : (tensor<?x16xf32>, tensor<2xindex>) -> tensor<?x16xf32>
      %157 = stablehlo.dynamic_broadcast_in_dim %101, %155, dims = [0, 1] : (tensor<?x1xf32>, tensor<2xindex>) -> tensor<?x16xf32>
      %158 = stablehlo.subtract %156, %157 : tensor<?x16xf32>
      shape.assuming_yield %158 : tensor<?x16xf32>
    }
    %113 = shape.shape_of %112 : tensor<?x16xf32> -> tensor<2xindex>
    %114 = shape.shape_of %108 : tensor<?x1xf32> -> tensor<2xindex>
    %115 = shape.cstr_broadcastable %113, %114 : tensor<2xindex>, tensor<2xindex>
    %116 = shape.assuming %115 -> (tensor<?x16xf32>) {
      %155 = shape.broadcast %113, %114 : tensor<2xindex>, tensor<2xindex> -> tensor<2xindex>
      %156 = stablehlo.dynamic_broadcast_in_dim %112, %155, dims = [0, 1] : (tensor<?x16xf32>, tensor<2xindex>) -> tensor<?x16xf32>
      %157 = stablehlo.dynamic_broadcast_in_dim %108, %155, dims = [0, 1] : (tensor<?x1xf32>, tensor<2xindex>) -> tensor<?x16xf32>
      %158 = stablehlo.multiply %156, %157 : tensor<?x16xf32>
      shape.assuming_yield %158 : tensor<?x16xf32>
    }
    %117 = shape.shape_of %116 : tensor<?x16xf32> -> tensor<2xindex>
    %118 = shape.broadcast %117, %0 : tensor<2xindex>, tensor<1xindex> -> tensor<2xindex>
    %119 = stablehlo.dynamic_broadcast_in_dim %116, %118, dims = [0, 1] : (tensor<?x16xf32>, tensor<2xindex>) -> tensor<?x16xf32>
    %120 = stablehlo.dynamic_broadcast_in_dim %cst_2, %118, dims = [1] : (tensor<16xf32>, tensor<2xindex>) -> tensor<?x16xf32>
    %121 = stablehlo.multiply %119, %120 : tensor<?x16xf32>
    %122 = shape.shape_of %121 : tensor<?x16xf32> -> tensor<2xindex>
    %123 = shape.broadcast %122, %0 : tensor<2xindex>, tensor<1xindex> -> tensor<2xindex>
    %124 = stablehlo.dynamic_broadcast_in_dim %121, %123, dims = [0, 1] : (tensor<?x16xf32>, tensor<2xindex>) -> tensor<?x16xf32>
    %125 = stablehlo.dynamic_broadcast_in_dim %cst_1, %123, dims = [1] : (tensor<16xf32>, tensor<2xindex>) -> tensor<?x16xf32>
    %126 = stablehlo.add %124, %125 : tensor<?x16xf32>
    %127 = stablehlo.transpose %cst_0, dims = [1, 0] : (tensor<4x16xf32>) -> tensor<16x4xf32>
    %128 = stablehlo.dot_general %126, %127, contracting_dims = [1] x [0] : (tensor<?x16xf32>, tensor<16x4xf32>) -> tensor<?x4xf32>
    %129 = shape.shape_of %128 : tensor<?x4xf32> -> tensor<2xindex>
    %130 = stablehlo.dynamic_broadcast_in_dim %128, %129, dims = [0, 1] : (tensor<?x4xf32>, tensor<2xindex>) -> tensor<?x4xf32>
    %131 = stablehlo.dynamic_broadcast_in_dim %4, %129, dims = [] : (tensor<f32>, tensor<2xindex>) -> tensor<?x4xf32>
    %132 = stablehlo.multiply %130, %131 : tensor<?x4xf32>
    %from_elements_35 = tensor.from_elements %dim, %c4 : tensor<2xindex>
    %133 = stablehlo.dynamic_broadcast_in_dim %cst, %from_elements_35, dims = [1] : (tensor<4xf32>, tensor<2xindex>) -> tensor<?x4xf32>
    %134 = shape.shape_of %133 : tensor<?x4xf32> -> tensor<2xindex>
    %135 = stablehlo.dynamic_broadcast_in_dim %133, %134, dims = [0, 1] : (tensor<?x4xf32>, tensor<2xindex>) -> tensor<?x4xf32>
    %136 = stablehlo.dynamic_broadcast_in_dim %4, %134, dims = [] : (tensor<f32>, tensor<2xindex>) -> tensor<?x4xf32>
    %137 = stablehlo.multiply %135, %136 : tensor<?x4xf32>
    %138 = shape.shape_of %132 : tensor<?x4xf32> -> tensor<2xindex>
    %139 = shape.shape_of %137 : tensor<?x4xf32> -> tensor<2xindex>
    %140 = shape.cstr_broadcastable %138, %139 : tensor<2xindex>, tensor<2xindex>
    %141 = shape.assuming %140 -> (tensor<?x4xf32>) {
      %155 = shape.broadcast %138, %139 : tensor<2xindex>, tensor<2xindex> -> tensor<2xindex>
      %156 = stablehlo.dynamic_broadcast_in_dim %132, %155, dims = [0, 1] : (tensor<?x4xf32>, tensor<2xindex>) -> tensor<?x4xf32>
      %157 = stablehlo.dynamic_broadcast_in_dim %137, %155, dims = [0, 1] : (tensor<?x4xf32>, tensor<2xindex>) -> tensor<?x4xf32>
      %158 = stablehlo.add %156, %157 : tensor<?x4xf32>
      shape.assuming_yield %158 : tensor<?x4xf32>
    }
    %dim_36 = tensor.dim %141, %c0 : tensor<?x4xf32>
    %142 = stablehlo.reduce(%141 init: %cst_25) applies stablehlo.maximum across dimensions = [1] : (tensor<?x4xf32>, tensor<f32>) -> tensor<?xf32>
    %from_elements_37 = tensor.from_elements %dim_36, %c1 : tensor<2xindex>
    %143 = stablehlo.dynamic_reshape %142, %from_elements_37 : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x1xf32>
    %144 = shape.shape_of %141 : tensor<?x4xf32> -> tensor<2xindex>
    %145 = shape.shape_of %143 : tensor<?x1xf32> -> tensor<2xindex>
    %146 = shape.cstr_broadcastable %144, %145 : tensor<2xindex>, tensor<2xindex>
    %147 = shape.assuming %146 -> (tensor<?x4xf32>) {
      %155 = shape.broadcast %144, %145 : tensor<2xindex>, tensor<2xindex> -> tensor<2xindex>
      %156 = stablehlo.dynamic_broadcast_in_dim %141, %155, dims = [0, 1] : (tensor<?x4xf32>, tensor<2xindex>) -> tensor<?x4xf32>
      %157 = stablehlo.dynamic_broadcast_in_dim %143, %155, dims = [0, 1] : (tensor<?x1xf32>, tensor<2xindex>) -> tensor<?x4xf32>
      %158 = stablehlo.subtract %156, %157 : tensor<?x4xf32>
      shape.assuming_yield %158 : tensor<?x4xf32>
    }
    %148 = stablehlo.exponential %147 : tensor<?x4xf32>
    %149 = stablehlo.reduce(%148 init: %cst_24) applies stablehlo.add across dimensions = [1] : (tensor<?x4xf32>, tensor<f32>) -> tensor<?xf32>
    %dim_38 = tensor.dim %148, %c0 : tensor<?x4xf32>
    %from_elements_39 = tensor.from_elements %dim_38, %c1 : tensor<2xindex>
    %150 = stablehlo.dynamic_reshape %149, %from_elements_39 : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x1xf32>
    %151 = shape.shape_of %148 : tensor<?x4xf32> -> tensor<2xindex>
    %152 = shape.shape_of %150 : tensor<?x1xf32> -> tensor<2xindex>
    %153 = shape.cstr_broadcastable %151, %152 : tensor<2xindex>, tensor<2xindex>
    %154 = shape.assuming %153 -> (tensor<?x4xf32>) {
      %155 = shape.broadcast %151, %152 : tensor<2xindex>, tensor<2xindex> -> tensor<2xindex>
      %156 = stablehlo.dynamic_broadcast_in_dim %148, %155, dims = [0, 1] : (tensor<?x4xf32>, tensor<2xindex>) -> tensor<?x4xf32>
      %157 = stablehlo.dynamic_broadcast_in_dim %150, %155, dims = [0, 1] : (tensor<?x1xf32>, tensor<2xindex>) -> tensor<?x4xf32>
      %158 = stablehlo.divide %156, %157 : tensor<?x4xf32>
      shape.assuming_yield %158 : tensor<?x4xf32>
    }
    return %154 : tensor<?x4xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_4_torch.float32: "0x04000000D00EDA3CA0BD7C3E6495793E1CFF78BE",
      torch_tensor_4_16_torch.float32: "0x04000000E2617C3E40B5AEBD42EC73BE707DB2BCE01C143D7055CD3D687023BEDC5C473E70199ABC1CF4473E780D313E72FF2BBE224412BEB016383EB878E7BD24F76A3EE229003EE809633DC05971BC92BE643EDEF24A3E9CB92BBEC8E16FBE62BE333E50E0CD3D00CCAC3C70D130BD1E16493E509830BDA0D129BEA02D2B3DA6BE2E3E407E0D3ECE5633BE50B249BD10048E3C0CB214BEC008783EE8480E3E1CCD493EBC06EB3D749565BEE8CF12BD10C9A03CD20E3C3E30776B3E0022083B5CD7C5BDF6AA04BEBCFD6DBEA4417ABED09046BD72785BBEFA806ABE6468313E9A326F3E822541BE74011B3EA60A28BE0CC9963D28C60B3E00CDDEBC989A693D4059413D",
      torch_tensor_16_torch.float32_2: "0x0400000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_16_torch.float32_1: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F",
      torch_tensor_16_torch.float32: "0x0400000031AB123C53B92BBECA5D8ABEB9A14FBE0B71A93EF9A8AD3E9B78763EA724623E2BE08F3E546AA5BD74B6853EC237ABBE9EAF0B3E7FA4EF3C42FD56BE08C943BE",
      torch_tensor_16_8_torch.float32: "0x0400000072A1C13D37C09CBE7984763EEF42A93E4586ABBEFD4795BECD8EAB3EB0831E3E2FDB9E3EE70F993DA92390BCA0F06EBC23DB133E4416803DD6F24E3E4CA90D3D63EC5C3D226E933E9701853E2633B3BE95E49EBEB04F663ECA68233D847C46BCC86429BDF7CD873BA4F509BDFAB62E3E6A226C3E4847033D56DFE7BD4E641FBD29D52A3EE5511BBE38553D3E21BC8F3EA1CEE33B6F116EBE565D70BEBD0A35BDCBD48339899F603EE0B199BD5D2D9B3E181812BEF126733E78D8013EF7695F3ED346ACBDF32404BE6ECD7CBE270DA53E691002BE29D4AB3DE59D613C80FB1BBE18F04ABEDBEFA63DEA91663E14093EBD841C33BED9DECABD490F363EC1D0A8BD4A29A2BDE6B85DBEC5BBAFBD1025953EF2DC2FBE703A91BE0C1F023EA82A84BE369F24BD8C8F56BE80E8953E5DC259BE4DF906BEC21EA23E9D0D833E24DB96BE71DAA1BE9979703ECD5E5A3D2270723EDB01A1BE6F12863E5BB3B23D89569EBE5468BC3DEBB7AABE5C265FBE0FCC95BDFB65D6BDDD4C87BE3409EEBD2312923E2F8C4A3DE91172BDF54488BEAB1980BD9B78F4BC995A743D95CABABD7324F6BD6FDF353E213074BE274A66BEF7D49D3DEB4ED9BD85B88B3E7715D93DBF9848BCF98669BEF7FC20BD2E568C3EC6C498BEDC4F5B3E36AB47BE9616933EA5779D3E04376F3EA2A28B3C2E545FBE64ABF33DA1B0A6BEAF7F553D3FE7133EC794B1BE"
    }
  }
#-}
