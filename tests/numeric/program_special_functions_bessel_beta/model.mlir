module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<15xf32>) -> (tensor<15xf32> {jax.result_info = "result[0]"}, tensor<15xf32> {jax.result_info = "result[1]"}, tensor<15xf32> {jax.result_info = "result[2]"}, tensor<15xf32> {jax.result_info = "result[3]"}, tensor<15xf32> {jax.result_info = "result[4]"}, tensor<15xf32> {jax.result_info = "result[5]"}, tensor<15xf32> {jax.result_info = "result[6]"}) {
    %0 = stablehlo.abs %arg0 : tensor<15xf32>
    %1 = stablehlo.exponential %0 : tensor<15xf32>
    %2 = stablehlo.abs %arg0 : tensor<15xf32>
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %cst_1 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %6 = stablehlo.multiply %3, %2 : tensor<15xf32>
    %7 = stablehlo.subtract %6, %4 : tensor<15xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %11 = stablehlo.multiply %7, %8 : tensor<15xf32>
    %12 = stablehlo.subtract %11, %9 : tensor<15xf32>
    %cst_5 = stablehlo.constant dense<-1.30002498E-8> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %14 = stablehlo.add %12, %13 : tensor<15xf32>
    %15 = stablehlo.multiply %7, %14 : tensor<15xf32>
    %16 = stablehlo.subtract %15, %8 : tensor<15xf32>
    %cst_6 = stablehlo.constant dense<6.04699508E-8> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %18 = stablehlo.add %16, %17 : tensor<15xf32>
    %19 = stablehlo.multiply %7, %18 : tensor<15xf32>
    %20 = stablehlo.subtract %19, %14 : tensor<15xf32>
    %cst_7 = stablehlo.constant dense<-2.67079372E-7> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %22 = stablehlo.add %20, %21 : tensor<15xf32>
    %23 = stablehlo.multiply %7, %22 : tensor<15xf32>
    %24 = stablehlo.subtract %23, %18 : tensor<15xf32>
    %cst_8 = stablehlo.constant dense<1.11738757E-6> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %26 = stablehlo.add %24, %25 : tensor<15xf32>
    %27 = stablehlo.multiply %7, %26 : tensor<15xf32>
    %28 = stablehlo.subtract %27, %22 : tensor<15xf32>
    %cst_9 = stablehlo.constant dense<-4.41673819E-6> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %30 = stablehlo.add %28, %29 : tensor<15xf32>
    %31 = stablehlo.multiply %7, %30 : tensor<15xf32>
    %32 = stablehlo.subtract %31, %26 : tensor<15xf32>
    %cst_10 = stablehlo.constant dense<1.64484482E-5> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %34 = stablehlo.add %32, %33 : tensor<15xf32>
    %35 = stablehlo.multiply %7, %34 : tensor<15xf32>
    %36 = stablehlo.subtract %35, %30 : tensor<15xf32>
    %cst_11 = stablehlo.constant dense<-5.75419508E-5> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %38 = stablehlo.add %36, %37 : tensor<15xf32>
    %39 = stablehlo.multiply %7, %38 : tensor<15xf32>
    %40 = stablehlo.subtract %39, %34 : tensor<15xf32>
    %cst_12 = stablehlo.constant dense<1.88502891E-4> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %42 = stablehlo.add %40, %41 : tensor<15xf32>
    %43 = stablehlo.multiply %7, %42 : tensor<15xf32>
    %44 = stablehlo.subtract %43, %38 : tensor<15xf32>
    %cst_13 = stablehlo.constant dense<-5.76375576E-4> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %46 = stablehlo.add %44, %45 : tensor<15xf32>
    %47 = stablehlo.multiply %7, %46 : tensor<15xf32>
    %48 = stablehlo.subtract %47, %42 : tensor<15xf32>
    %cst_14 = stablehlo.constant dense<0.00163947558> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %50 = stablehlo.add %48, %49 : tensor<15xf32>
    %51 = stablehlo.multiply %7, %50 : tensor<15xf32>
    %52 = stablehlo.subtract %51, %46 : tensor<15xf32>
    %cst_15 = stablehlo.constant dense<-4.324310e-03> : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %54 = stablehlo.add %52, %53 : tensor<15xf32>
    %55 = stablehlo.multiply %7, %54 : tensor<15xf32>
    %56 = stablehlo.subtract %55, %50 : tensor<15xf32>
    %cst_16 = stablehlo.constant dense<0.0105464607> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %58 = stablehlo.add %56, %57 : tensor<15xf32>
    %59 = stablehlo.multiply %7, %58 : tensor<15xf32>
    %60 = stablehlo.subtract %59, %54 : tensor<15xf32>
    %cst_17 = stablehlo.constant dense<-0.0237374157> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %62 = stablehlo.add %60, %61 : tensor<15xf32>
    %63 = stablehlo.multiply %7, %62 : tensor<15xf32>
    %64 = stablehlo.subtract %63, %58 : tensor<15xf32>
    %cst_18 = stablehlo.constant dense<0.0493052825> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %66 = stablehlo.add %64, %65 : tensor<15xf32>
    %67 = stablehlo.multiply %7, %66 : tensor<15xf32>
    %68 = stablehlo.subtract %67, %62 : tensor<15xf32>
    %cst_19 = stablehlo.constant dense<-9.490110e-02> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %70 = stablehlo.add %68, %69 : tensor<15xf32>
    %71 = stablehlo.multiply %7, %70 : tensor<15xf32>
    %72 = stablehlo.subtract %71, %66 : tensor<15xf32>
    %cst_20 = stablehlo.constant dense<0.171620905> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %74 = stablehlo.add %72, %73 : tensor<15xf32>
    %75 = stablehlo.multiply %7, %74 : tensor<15xf32>
    %76 = stablehlo.subtract %75, %70 : tensor<15xf32>
    %cst_21 = stablehlo.constant dense<-0.304682672> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %78 = stablehlo.add %76, %77 : tensor<15xf32>
    %79 = stablehlo.multiply %7, %78 : tensor<15xf32>
    %80 = stablehlo.subtract %79, %74 : tensor<15xf32>
    %cst_22 = stablehlo.constant dense<0.676795303> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %82 = stablehlo.add %80, %81 : tensor<15xf32>
    %83 = stablehlo.subtract %82, %74 : tensor<15xf32>
    %cst_23 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %84 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %85 = stablehlo.multiply %84, %83 : tensor<15xf32>
    %86 = stablehlo.divide %5, %2 : tensor<15xf32>
    %87 = stablehlo.subtract %86, %4 : tensor<15xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %88 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %89 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %90 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %91 = stablehlo.multiply %87, %88 : tensor<15xf32>
    %92 = stablehlo.subtract %91, %89 : tensor<15xf32>
    %cst_27 = stablehlo.constant dense<3.39623196E-9> : tensor<f32>
    %93 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %94 = stablehlo.add %92, %93 : tensor<15xf32>
    %95 = stablehlo.multiply %87, %94 : tensor<15xf32>
    %96 = stablehlo.subtract %95, %88 : tensor<15xf32>
    %cst_28 = stablehlo.constant dense<2.26666899E-8> : tensor<f32>
    %97 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %98 = stablehlo.add %96, %97 : tensor<15xf32>
    %99 = stablehlo.multiply %87, %98 : tensor<15xf32>
    %100 = stablehlo.subtract %99, %94 : tensor<15xf32>
    %cst_29 = stablehlo.constant dense<2.04891862E-7> : tensor<f32>
    %101 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %102 = stablehlo.add %100, %101 : tensor<15xf32>
    %103 = stablehlo.multiply %87, %102 : tensor<15xf32>
    %104 = stablehlo.subtract %103, %98 : tensor<15xf32>
    %cst_30 = stablehlo.constant dense<2.89137051E-6> : tensor<f32>
    %105 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %106 = stablehlo.add %104, %105 : tensor<15xf32>
    %107 = stablehlo.multiply %87, %106 : tensor<15xf32>
    %108 = stablehlo.subtract %107, %102 : tensor<15xf32>
    %cst_31 = stablehlo.constant dense<6.88975852E-5> : tensor<f32>
    %109 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %110 = stablehlo.add %108, %109 : tensor<15xf32>
    %111 = stablehlo.multiply %87, %110 : tensor<15xf32>
    %112 = stablehlo.subtract %111, %106 : tensor<15xf32>
    %cst_32 = stablehlo.constant dense<0.00336911646> : tensor<f32>
    %113 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %114 = stablehlo.add %112, %113 : tensor<15xf32>
    %115 = stablehlo.multiply %87, %114 : tensor<15xf32>
    %116 = stablehlo.subtract %115, %110 : tensor<15xf32>
    %cst_33 = stablehlo.constant dense<0.804490387> : tensor<f32>
    %117 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %118 = stablehlo.add %116, %117 : tensor<15xf32>
    %119 = stablehlo.subtract %118, %110 : tensor<15xf32>
    %cst_34 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %120 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %121 = stablehlo.multiply %120, %119 : tensor<15xf32>
    %122 = stablehlo.sqrt %2 : tensor<15xf32>
    %123 = stablehlo.divide %121, %122 : tensor<15xf32>
    %cst_35 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %124 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %125 = stablehlo.compare LE, %2, %124, FLOAT : (tensor<15xf32>, tensor<15xf32>) -> tensor<15xi1>
    %126 = stablehlo.select %125, %85, %123 : tensor<15xi1>, tensor<15xf32>
    %127 = stablehlo.multiply %1, %126 : tensor<15xf32>
    %128 = stablehlo.abs %arg0 : tensor<15xf32>
    %cst_36 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %129 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %cst_37 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %130 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %cst_38 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %131 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %132 = stablehlo.multiply %129, %128 : tensor<15xf32>
    %133 = stablehlo.subtract %132, %130 : tensor<15xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %134 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %135 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %136 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %137 = stablehlo.multiply %133, %134 : tensor<15xf32>
    %138 = stablehlo.subtract %137, %135 : tensor<15xf32>
    %cst_42 = stablehlo.constant dense<-1.30002498E-8> : tensor<f32>
    %139 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %140 = stablehlo.add %138, %139 : tensor<15xf32>
    %141 = stablehlo.multiply %133, %140 : tensor<15xf32>
    %142 = stablehlo.subtract %141, %134 : tensor<15xf32>
    %cst_43 = stablehlo.constant dense<6.04699508E-8> : tensor<f32>
    %143 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %144 = stablehlo.add %142, %143 : tensor<15xf32>
    %145 = stablehlo.multiply %133, %144 : tensor<15xf32>
    %146 = stablehlo.subtract %145, %140 : tensor<15xf32>
    %cst_44 = stablehlo.constant dense<-2.67079372E-7> : tensor<f32>
    %147 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %148 = stablehlo.add %146, %147 : tensor<15xf32>
    %149 = stablehlo.multiply %133, %148 : tensor<15xf32>
    %150 = stablehlo.subtract %149, %144 : tensor<15xf32>
    %cst_45 = stablehlo.constant dense<1.11738757E-6> : tensor<f32>
    %151 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %152 = stablehlo.add %150, %151 : tensor<15xf32>
    %153 = stablehlo.multiply %133, %152 : tensor<15xf32>
    %154 = stablehlo.subtract %153, %148 : tensor<15xf32>
    %cst_46 = stablehlo.constant dense<-4.41673819E-6> : tensor<f32>
    %155 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %156 = stablehlo.add %154, %155 : tensor<15xf32>
    %157 = stablehlo.multiply %133, %156 : tensor<15xf32>
    %158 = stablehlo.subtract %157, %152 : tensor<15xf32>
    %cst_47 = stablehlo.constant dense<1.64484482E-5> : tensor<f32>
    %159 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %160 = stablehlo.add %158, %159 : tensor<15xf32>
    %161 = stablehlo.multiply %133, %160 : tensor<15xf32>
    %162 = stablehlo.subtract %161, %156 : tensor<15xf32>
    %cst_48 = stablehlo.constant dense<-5.75419508E-5> : tensor<f32>
    %163 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %164 = stablehlo.add %162, %163 : tensor<15xf32>
    %165 = stablehlo.multiply %133, %164 : tensor<15xf32>
    %166 = stablehlo.subtract %165, %160 : tensor<15xf32>
    %cst_49 = stablehlo.constant dense<1.88502891E-4> : tensor<f32>
    %167 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %168 = stablehlo.add %166, %167 : tensor<15xf32>
    %169 = stablehlo.multiply %133, %168 : tensor<15xf32>
    %170 = stablehlo.subtract %169, %164 : tensor<15xf32>
    %cst_50 = stablehlo.constant dense<-5.76375576E-4> : tensor<f32>
    %171 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %172 = stablehlo.add %170, %171 : tensor<15xf32>
    %173 = stablehlo.multiply %133, %172 : tensor<15xf32>
    %174 = stablehlo.subtract %173, %168 : tensor<15xf32>
    %cst_51 = stablehlo.constant dense<0.00163947558> : tensor<f32>
    %175 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %176 = stablehlo.add %174, %175 : tensor<15xf32>
    %177 = stablehlo.multiply %133, %176 : tensor<15xf32>
    %178 = stablehlo.subtract %177, %172 : tensor<15xf32>
    %cst_52 = stablehlo.constant dense<-4.324310e-03> : tensor<f32>
    %179 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %180 = stablehlo.add %178, %179 : tensor<15xf32>
    %181 = stablehlo.multiply %133, %180 : tensor<15xf32>
    %182 = stablehlo.subtract %181, %176 : tensor<15xf32>
    %cst_53 = stablehlo.constant dense<0.0105464607> : tensor<f32>
    %183 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %184 = stablehlo.add %182, %183 : tensor<15xf32>
    %185 = stablehlo.multiply %133, %184 : tensor<15xf32>
    %186 = stablehlo.subtract %185, %180 : tensor<15xf32>
    %cst_54 = stablehlo.constant dense<-0.0237374157> : tensor<f32>
    %187 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %188 = stablehlo.add %186, %187 : tensor<15xf32>
    %189 = stablehlo.multiply %133, %188 : tensor<15xf32>
    %190 = stablehlo.subtract %189, %184 : tensor<15xf32>
    %cst_55 = stablehlo.constant dense<0.0493052825> : tensor<f32>
    %191 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %192 = stablehlo.add %190, %191 : tensor<15xf32>
    %193 = stablehlo.multiply %133, %192 : tensor<15xf32>
    %194 = stablehlo.subtract %193, %188 : tensor<15xf32>
    %cst_56 = stablehlo.constant dense<-9.490110e-02> : tensor<f32>
    %195 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %196 = stablehlo.add %194, %195 : tensor<15xf32>
    %197 = stablehlo.multiply %133, %196 : tensor<15xf32>
    %198 = stablehlo.subtract %197, %192 : tensor<15xf32>
    %cst_57 = stablehlo.constant dense<0.171620905> : tensor<f32>
    %199 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %200 = stablehlo.add %198, %199 : tensor<15xf32>
    %201 = stablehlo.multiply %133, %200 : tensor<15xf32>
    %202 = stablehlo.subtract %201, %196 : tensor<15xf32>
    %cst_58 = stablehlo.constant dense<-0.304682672> : tensor<f32>
    %203 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %204 = stablehlo.add %202, %203 : tensor<15xf32>
    %205 = stablehlo.multiply %133, %204 : tensor<15xf32>
    %206 = stablehlo.subtract %205, %200 : tensor<15xf32>
    %cst_59 = stablehlo.constant dense<0.676795303> : tensor<f32>
    %207 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %208 = stablehlo.add %206, %207 : tensor<15xf32>
    %209 = stablehlo.subtract %208, %200 : tensor<15xf32>
    %cst_60 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %210 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %211 = stablehlo.multiply %210, %209 : tensor<15xf32>
    %212 = stablehlo.divide %131, %128 : tensor<15xf32>
    %213 = stablehlo.subtract %212, %130 : tensor<15xf32>
    %cst_61 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %214 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %cst_62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %215 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %cst_63 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %216 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %217 = stablehlo.multiply %213, %214 : tensor<15xf32>
    %218 = stablehlo.subtract %217, %215 : tensor<15xf32>
    %cst_64 = stablehlo.constant dense<3.39623196E-9> : tensor<f32>
    %219 = stablehlo.broadcast_in_dim %cst_64, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %220 = stablehlo.add %218, %219 : tensor<15xf32>
    %221 = stablehlo.multiply %213, %220 : tensor<15xf32>
    %222 = stablehlo.subtract %221, %214 : tensor<15xf32>
    %cst_65 = stablehlo.constant dense<2.26666899E-8> : tensor<f32>
    %223 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %224 = stablehlo.add %222, %223 : tensor<15xf32>
    %225 = stablehlo.multiply %213, %224 : tensor<15xf32>
    %226 = stablehlo.subtract %225, %220 : tensor<15xf32>
    %cst_66 = stablehlo.constant dense<2.04891862E-7> : tensor<f32>
    %227 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %228 = stablehlo.add %226, %227 : tensor<15xf32>
    %229 = stablehlo.multiply %213, %228 : tensor<15xf32>
    %230 = stablehlo.subtract %229, %224 : tensor<15xf32>
    %cst_67 = stablehlo.constant dense<2.89137051E-6> : tensor<f32>
    %231 = stablehlo.broadcast_in_dim %cst_67, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %232 = stablehlo.add %230, %231 : tensor<15xf32>
    %233 = stablehlo.multiply %213, %232 : tensor<15xf32>
    %234 = stablehlo.subtract %233, %228 : tensor<15xf32>
    %cst_68 = stablehlo.constant dense<6.88975852E-5> : tensor<f32>
    %235 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %236 = stablehlo.add %234, %235 : tensor<15xf32>
    %237 = stablehlo.multiply %213, %236 : tensor<15xf32>
    %238 = stablehlo.subtract %237, %232 : tensor<15xf32>
    %cst_69 = stablehlo.constant dense<0.00336911646> : tensor<f32>
    %239 = stablehlo.broadcast_in_dim %cst_69, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %240 = stablehlo.add %238, %239 : tensor<15xf32>
    %241 = stablehlo.multiply %213, %240 : tensor<15xf32>
    %242 = stablehlo.subtract %241, %236 : tensor<15xf32>
    %cst_70 = stablehlo.constant dense<0.804490387> : tensor<f32>
    %243 = stablehlo.broadcast_in_dim %cst_70, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %244 = stablehlo.add %242, %243 : tensor<15xf32>
    %245 = stablehlo.subtract %244, %236 : tensor<15xf32>
    %cst_71 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %246 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %247 = stablehlo.multiply %246, %245 : tensor<15xf32>
    %248 = stablehlo.sqrt %128 : tensor<15xf32>
    %249 = stablehlo.divide %247, %248 : tensor<15xf32>
    %cst_72 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %250 = stablehlo.broadcast_in_dim %cst_72, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %251 = stablehlo.compare LE, %128, %250, FLOAT : (tensor<15xf32>, tensor<15xf32>) -> tensor<15xi1>
    %252 = stablehlo.select %251, %211, %249 : tensor<15xi1>, tensor<15xf32>
    %253 = stablehlo.abs %arg0 : tensor<15xf32>
    %254 = stablehlo.exponential %253 : tensor<15xf32>
    %255 = chlo.bessel_i1e %arg0 : tensor<15xf32> -> tensor<15xf32>
    %256 = stablehlo.multiply %254, %255 : tensor<15xf32>
    %257 = chlo.bessel_i1e %arg0 : tensor<15xf32> -> tensor<15xf32>
    %cst_73 = stablehlo.constant dense<2.500000e+00> : tensor<f32>
    %258 = stablehlo.broadcast_in_dim %cst_73, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %259 = stablehlo.minimum %arg0, %258 : tensor<15xf32>
    %cst_74 = stablehlo.constant dense<2.500000e+00> : tensor<f32>
    %260 = stablehlo.broadcast_in_dim %cst_74, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %261 = stablehlo.maximum %arg0, %260 : tensor<15xf32>
    %262 = chlo.lgamma %259 : tensor<15xf32> -> tensor<15xf32>
    %263 = chlo.lgamma %261 : tensor<15xf32> -> tensor<15xf32>
    %264 = stablehlo.add %259, %261 : tensor<15xf32>
    %265 = chlo.lgamma %264 : tensor<15xf32> -> tensor<15xf32>
    %266 = stablehlo.subtract %263, %265 : tensor<15xf32>
    %267 = stablehlo.add %262, %266 : tensor<15xf32>
    %268 = chlo.lgamma %259 : tensor<15xf32> -> tensor<15xf32>
    %269 = stablehlo.divide %259, %261 : tensor<15xf32>
    %cst_75 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %270 = stablehlo.broadcast_in_dim %cst_75, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %271 = stablehlo.add %270, %269 : tensor<15xf32>
    %272 = stablehlo.divide %269, %271 : tensor<15xf32>
    %cst_76 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %273 = stablehlo.broadcast_in_dim %cst_76, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %274 = stablehlo.add %273, %269 : tensor<15xf32>
    %275 = stablehlo.divide %269, %274 : tensor<15xf32>
    %cst_77 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %276 = stablehlo.broadcast_in_dim %cst_77, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %277 = stablehlo.subtract %259, %276 : tensor<15xf32>
    %278 = stablehlo.add %261, %277 : tensor<15xf32>
    %279 = stablehlo.multiply %275, %275 : tensor<15xf32>
    %280 = stablehlo.add %275, %279 : tensor<15xf32>
    %cst_78 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %281 = stablehlo.broadcast_in_dim %cst_78, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %282 = stablehlo.add %281, %280 : tensor<15xf32>
    %283 = stablehlo.multiply %279, %282 : tensor<15xf32>
    %284 = stablehlo.add %275, %283 : tensor<15xf32>
    %cst_79 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %285 = stablehlo.broadcast_in_dim %cst_79, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %286 = stablehlo.add %285, %284 : tensor<15xf32>
    %287 = stablehlo.multiply %279, %286 : tensor<15xf32>
    %288 = stablehlo.add %275, %287 : tensor<15xf32>
    %cst_80 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %289 = stablehlo.broadcast_in_dim %cst_80, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %290 = stablehlo.add %289, %288 : tensor<15xf32>
    %291 = stablehlo.multiply %279, %290 : tensor<15xf32>
    %292 = stablehlo.add %275, %291 : tensor<15xf32>
    %cst_81 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %293 = stablehlo.broadcast_in_dim %cst_81, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %294 = stablehlo.add %293, %292 : tensor<15xf32>
    %295 = stablehlo.multiply %279, %294 : tensor<15xf32>
    %296 = stablehlo.add %275, %295 : tensor<15xf32>
    %cst_82 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %297 = stablehlo.broadcast_in_dim %cst_82, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %298 = stablehlo.add %297, %296 : tensor<15xf32>
    %cst_83 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %299 = stablehlo.broadcast_in_dim %cst_83, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %300 = stablehlo.divide %299, %261 : tensor<15xf32>
    %301 = stablehlo.multiply %300, %300 : tensor<15xf32>
    %cst_84 = stablehlo.constant dense<-0.00165322958> : tensor<f32>
    %302 = stablehlo.broadcast_in_dim %cst_84, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %303 = stablehlo.multiply %302, %298 : tensor<15xf32>
    %304 = stablehlo.multiply %303, %301 : tensor<15xf32>
    %cst_85 = stablehlo.constant dense<8.373080e-04> : tensor<f32>
    %305 = stablehlo.broadcast_in_dim %cst_85, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %306 = stablehlo.multiply %305, %294 : tensor<15xf32>
    %307 = stablehlo.add %304, %306 : tensor<15xf32>
    %308 = stablehlo.multiply %307, %301 : tensor<15xf32>
    %cst_86 = stablehlo.constant dense<-5.95202902E-4> : tensor<f32>
    %309 = stablehlo.broadcast_in_dim %cst_86, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %310 = stablehlo.multiply %309, %290 : tensor<15xf32>
    %311 = stablehlo.add %308, %310 : tensor<15xf32>
    %312 = stablehlo.multiply %311, %301 : tensor<15xf32>
    %cst_87 = stablehlo.constant dense<7.93650688E-4> : tensor<f32>
    %313 = stablehlo.broadcast_in_dim %cst_87, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %314 = stablehlo.multiply %313, %286 : tensor<15xf32>
    %315 = stablehlo.add %312, %314 : tensor<15xf32>
    %316 = stablehlo.multiply %315, %301 : tensor<15xf32>
    %cst_88 = stablehlo.constant dense<-0.00277777785> : tensor<f32>
    %317 = stablehlo.broadcast_in_dim %cst_88, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %318 = stablehlo.multiply %317, %282 : tensor<15xf32>
    %319 = stablehlo.add %316, %318 : tensor<15xf32>
    %320 = stablehlo.multiply %319, %301 : tensor<15xf32>
    %cst_89 = stablehlo.constant dense<0.0833333358> : tensor<f32>
    %321 = stablehlo.broadcast_in_dim %cst_89, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %322 = stablehlo.add %320, %321 : tensor<15xf32>
    %323 = stablehlo.divide %272, %261 : tensor<15xf32>
    %324 = stablehlo.multiply %322, %323 : tensor<15xf32>
    %325 = stablehlo.divide %259, %261 : tensor<15xf32>
    %326 = stablehlo.log_plus_one %325 : tensor<15xf32>
    %327 = stablehlo.multiply %278, %326 : tensor<15xf32>
    %328 = stablehlo.log %261 : tensor<15xf32>
    %cst_90 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %329 = stablehlo.broadcast_in_dim %cst_90, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %330 = stablehlo.subtract %328, %329 : tensor<15xf32>
    %331 = stablehlo.multiply %259, %330 : tensor<15xf32>
    %332 = stablehlo.compare LE, %327, %331, FLOAT : (tensor<15xf32>, tensor<15xf32>) -> tensor<15xi1>
    %333 = stablehlo.subtract %324, %331 : tensor<15xf32>
    %334 = stablehlo.subtract %333, %327 : tensor<15xf32>
    %335 = stablehlo.subtract %324, %327 : tensor<15xf32>
    %336 = stablehlo.subtract %335, %331 : tensor<15xf32>
    %337 = call @_where(%332, %334, %336) : (tensor<15xi1>, tensor<15xf32>, tensor<15xf32>) -> tensor<15xf32>
    %338 = stablehlo.add %268, %337 : tensor<15xf32>
    %cst_91 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %339 = stablehlo.broadcast_in_dim %cst_91, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %340 = stablehlo.compare LT, %261, %339, FLOAT : (tensor<15xf32>, tensor<15xf32>) -> tensor<15xi1>
    %341 = call @_where(%340, %267, %338) : (tensor<15xi1>, tensor<15xf32>, tensor<15xf32>) -> tensor<15xf32>
    %cst_92 = stablehlo.constant dense<9.000000e+00> : tensor<f32>
    %342 = stablehlo.broadcast_in_dim %cst_92, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %343 = stablehlo.divide %arg0, %342 : tensor<15xf32>
    %cst_93 = stablehlo.constant dense<1.500000e+00> : tensor<f32>
    %344 = stablehlo.broadcast_in_dim %cst_93, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %cst_94 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %345 = stablehlo.broadcast_in_dim %cst_94, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %346 = stablehlo.compare EQ, %arg0, %345, FLOAT : (tensor<15xf32>, tensor<15xf32>) -> tensor<15xi1>
    %cst_95 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %347 = stablehlo.broadcast_in_dim %cst_95, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %348 = stablehlo.compare EQ, %344, %347, FLOAT : (tensor<15xf32>, tensor<15xf32>) -> tensor<15xi1>
    %349 = stablehlo.or %346, %348 : tensor<15xi1>
    %cst_96 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %350 = stablehlo.broadcast_in_dim %cst_96, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %351 = stablehlo.compare EQ, %344, %350, FLOAT : (tensor<15xf32>, tensor<15xf32>) -> tensor<15xi1>
    %cst_97 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %352 = stablehlo.broadcast_in_dim %cst_97, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %353 = stablehlo.compare EQ, %arg0, %352, FLOAT : (tensor<15xf32>, tensor<15xf32>) -> tensor<15xi1>
    %354 = stablehlo.or %351, %353 : tensor<15xi1>
    %cst_98 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %355 = stablehlo.broadcast_in_dim %cst_98, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %356 = stablehlo.compare EQ, %343, %355, FLOAT : (tensor<15xf32>, tensor<15xf32>) -> tensor<15xi1>
    %cst_99 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %357 = stablehlo.broadcast_in_dim %cst_99, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %358 = stablehlo.compare EQ, %343, %357, FLOAT : (tensor<15xf32>, tensor<15xf32>) -> tensor<15xi1>
    %359 = stablehlo.not %356 : tensor<15xi1>
    %360 = stablehlo.not %358 : tensor<15xi1>
    %361 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<15xf32>, tensor<15xf32>) -> tensor<15xi1>
    %362 = stablehlo.compare NE, %344, %344, FLOAT : (tensor<15xf32>, tensor<15xf32>) -> tensor<15xi1>
    %363 = stablehlo.or %361, %362 : tensor<15xi1>
    %364 = stablehlo.compare NE, %343, %343, FLOAT : (tensor<15xf32>, tensor<15xf32>) -> tensor<15xi1>
    %365 = stablehlo.or %363, %364 : tensor<15xi1>
    %366 = stablehlo.and %354, %360 : tensor<15xi1>
    %367 = stablehlo.and %349, %356 : tensor<15xi1>
    %368 = stablehlo.or %366, %367 : tensor<15xi1>
    %369 = stablehlo.and %349, %359 : tensor<15xi1>
    %370 = stablehlo.and %354, %358 : tensor<15xi1>
    %371 = stablehlo.or %369, %370 : tensor<15xi1>
    %cst_100 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %372 = stablehlo.broadcast_in_dim %cst_100, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %373 = stablehlo.compare LT, %arg0, %372, FLOAT : (tensor<15xf32>, tensor<15xf32>) -> tensor<15xi1>
    %cst_101 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %374 = stablehlo.broadcast_in_dim %cst_101, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %375 = stablehlo.compare LT, %344, %374, FLOAT : (tensor<15xf32>, tensor<15xf32>) -> tensor<15xi1>
    %376 = stablehlo.or %373, %375 : tensor<15xi1>
    %cst_102 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %377 = stablehlo.broadcast_in_dim %cst_102, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %378 = stablehlo.compare LT, %343, %377, FLOAT : (tensor<15xf32>, tensor<15xf32>) -> tensor<15xi1>
    %379 = stablehlo.or %376, %378 : tensor<15xi1>
    %cst_103 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %380 = stablehlo.broadcast_in_dim %cst_103, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %381 = stablehlo.compare GT, %343, %380, FLOAT : (tensor<15xf32>, tensor<15xf32>) -> tensor<15xi1>
    %382 = stablehlo.or %379, %381 : tensor<15xi1>
    %383 = stablehlo.and %349, %354 : tensor<15xi1>
    %384 = stablehlo.or %383, %365 : tensor<15xi1>
    %385 = stablehlo.or %382, %384 : tensor<15xi1>
    %cst_104 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %386 = stablehlo.broadcast_in_dim %cst_104, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %387 = stablehlo.add %arg0, %386 : tensor<15xf32>
    %388 = stablehlo.add %arg0, %344 : tensor<15xf32>
    %cst_105 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %389 = stablehlo.broadcast_in_dim %cst_105, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %390 = stablehlo.add %388, %389 : tensor<15xf32>
    %391 = stablehlo.divide %387, %390 : tensor<15xf32>
    %392 = stablehlo.compare LT, %343, %391, FLOAT : (tensor<15xf32>, tensor<15xf32>) -> tensor<15xi1>
    %393 = stablehlo.select %392, %arg0, %344 : tensor<15xi1>, tensor<15xf32>
    %394 = stablehlo.select %392, %344, %arg0 : tensor<15xi1>, tensor<15xf32>
    %cst_106 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %395 = stablehlo.broadcast_in_dim %cst_106, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %396 = stablehlo.subtract %395, %343 : tensor<15xf32>
    %397 = stablehlo.select %392, %343, %396 : tensor<15xi1>, tensor<15xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %398 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<15xi32>
    %c_107 = stablehlo.constant dense<0> : tensor<i32>
    %399 = stablehlo.broadcast_in_dim %c_107, dims = [] : (tensor<i32>) -> tensor<15xi32>
    %400 = stablehlo.compare EQ, %398, %399, SIGNED : (tensor<15xi32>, tensor<15xi32>) -> tensor<15xi1>
    %cst_108 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %401 = stablehlo.broadcast_in_dim %cst_108, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %cst_109 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %402 = stablehlo.broadcast_in_dim %cst_109, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %403 = stablehlo.select %400, %401, %402 : tensor<15xi1>, tensor<15xf32>
    %404 = stablehlo.abs %403 : tensor<15xf32>
    %cst_110 = stablehlo.constant dense<5.96046448E-8> : tensor<f32>
    %405 = stablehlo.broadcast_in_dim %cst_110, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %406 = stablehlo.compare LT, %404, %405, FLOAT : (tensor<15xf32>, tensor<15xf32>) -> tensor<15xi1>
    %cst_111 = stablehlo.constant dense<5.96046448E-8> : tensor<f32>
    %407 = stablehlo.broadcast_in_dim %cst_111, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %408 = stablehlo.select %406, %407, %403 : tensor<15xi1>, tensor<15xf32>
    %cst_112 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %409 = stablehlo.broadcast_in_dim %cst_112, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %c_113 = stablehlo.constant dense<1> : tensor<i32>
    %c_114 = stablehlo.constant dense<true> : tensor<i1>
    %410:8 = stablehlo.while(%iterArg = %393, %iterArg_122 = %394, %iterArg_123 = %397, %iterArg_124 = %c_113, %iterArg_125 = %c_114, %iterArg_126 = %408, %iterArg_127 = %409, %iterArg_128 = %408) : tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<i32>, tensor<i1>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>
    cond {
      %c_129 = stablehlo.constant dense<200> : tensor<i32>
      %449 = stablehlo.compare LT, %iterArg_124, %c_129, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %450 = stablehlo.and %449, %iterArg_125 : tensor<i1>
      stablehlo.return %450 : tensor<i1>
    } do {
      %449 = stablehlo.broadcast_in_dim %iterArg_124, dims = [] : (tensor<i32>) -> tensor<15xi32>
      %c_129 = stablehlo.constant dense<2> : tensor<i32>
      %450 = stablehlo.broadcast_in_dim %c_129, dims = [] : (tensor<i32>) -> tensor<15xi32>
      %451 = func.call @remainder(%449, %450) : (tensor<15xi32>, tensor<15xi32>) -> tensor<15xi32>
      %c_130 = stablehlo.constant dense<0> : tensor<i32>
      %452 = stablehlo.broadcast_in_dim %c_130, dims = [] : (tensor<i32>) -> tensor<15xi32>
      %453 = stablehlo.compare EQ, %451, %452, SIGNED : (tensor<15xi32>, tensor<15xi32>) -> tensor<15xi1>
      %c_131 = stablehlo.constant dense<1> : tensor<i32>
      %454 = stablehlo.broadcast_in_dim %c_131, dims = [] : (tensor<i32>) -> tensor<15xi32>
      %455 = stablehlo.compare EQ, %449, %454, SIGNED : (tensor<15xi32>, tensor<15xi32>) -> tensor<15xi1>
      %c_132 = stablehlo.constant dense<1> : tensor<i32>
      %456 = stablehlo.broadcast_in_dim %c_132, dims = [] : (tensor<i32>) -> tensor<15xi32>
      %457 = stablehlo.subtract %449, %456 : tensor<15xi32>
      %c_133 = stablehlo.constant dense<2> : tensor<i32>
      %458 = stablehlo.broadcast_in_dim %c_133, dims = [] : (tensor<i32>) -> tensor<15xi32>
      %459 = func.call @floor_divide(%457, %458) : (tensor<15xi32>, tensor<15xi32>) -> tensor<15xi32>
      %c_134 = stablehlo.constant dense<0> : tensor<i32>
      %460 = stablehlo.broadcast_in_dim %c_134, dims = [] : (tensor<i32>) -> tensor<15xi32>
      %461 = stablehlo.compare EQ, %459, %460, SIGNED : (tensor<15xi32>, tensor<15xi32>) -> tensor<15xi1>
      %462 = stablehlo.convert %459 : (tensor<15xi32>) -> tensor<15xf32>
      %cst_135 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %463 = stablehlo.broadcast_in_dim %cst_135, dims = [] : (tensor<f32>) -> tensor<15xf32>
      %cst_136 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %464 = stablehlo.broadcast_in_dim %cst_136, dims = [] : (tensor<f32>) -> tensor<15xf32>
      %465 = stablehlo.add %iterArg, %iterArg_122 : tensor<15xf32>
      %466 = stablehlo.negate %465 : tensor<15xf32>
      %467 = stablehlo.multiply %466, %iterArg_123 : tensor<15xf32>
      %468 = stablehlo.add %iterArg, %463 : tensor<15xf32>
      %469 = stablehlo.divide %467, %468 : tensor<15xf32>
      %470 = stablehlo.add %iterArg, %462 : tensor<15xf32>
      %471 = stablehlo.negate %470 : tensor<15xf32>
      %472 = stablehlo.add %iterArg, %iterArg_122 : tensor<15xf32>
      %473 = stablehlo.add %472, %462 : tensor<15xf32>
      %474 = stablehlo.multiply %471, %473 : tensor<15xf32>
      %475 = stablehlo.multiply %474, %iterArg_123 : tensor<15xf32>
      %476 = stablehlo.multiply %464, %462 : tensor<15xf32>
      %477 = stablehlo.add %iterArg, %476 : tensor<15xf32>
      %478 = stablehlo.multiply %464, %462 : tensor<15xf32>
      %479 = stablehlo.add %iterArg, %478 : tensor<15xf32>
      %480 = stablehlo.add %479, %463 : tensor<15xf32>
      %481 = stablehlo.multiply %477, %480 : tensor<15xf32>
      %482 = stablehlo.divide %475, %481 : tensor<15xf32>
      %483 = stablehlo.select %461, %469, %482 : tensor<15xi1>, tensor<15xf32>
      %484 = stablehlo.subtract %iterArg_122, %462 : tensor<15xf32>
      %485 = stablehlo.multiply %462, %484 : tensor<15xf32>
      %486 = stablehlo.multiply %485, %iterArg_123 : tensor<15xf32>
      %487 = stablehlo.multiply %464, %462 : tensor<15xf32>
      %488 = stablehlo.add %iterArg, %487 : tensor<15xf32>
      %489 = stablehlo.subtract %488, %463 : tensor<15xf32>
      %490 = stablehlo.multiply %464, %462 : tensor<15xf32>
      %491 = stablehlo.add %iterArg, %490 : tensor<15xf32>
      %492 = stablehlo.multiply %489, %491 : tensor<15xf32>
      %493 = stablehlo.divide %486, %492 : tensor<15xf32>
      %cst_137 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %494 = stablehlo.broadcast_in_dim %cst_137, dims = [] : (tensor<f32>) -> tensor<15xf32>
      %495 = stablehlo.select %453, %483, %493 : tensor<15xi1>, tensor<15xf32>
      %496 = stablehlo.select %455, %494, %495 : tensor<15xi1>, tensor<15xf32>
      %497 = stablehlo.broadcast_in_dim %iterArg_124, dims = [] : (tensor<i32>) -> tensor<15xi32>
      %c_138 = stablehlo.constant dense<0> : tensor<i32>
      %498 = stablehlo.broadcast_in_dim %c_138, dims = [] : (tensor<i32>) -> tensor<15xi32>
      %499 = stablehlo.compare EQ, %497, %498, SIGNED : (tensor<15xi32>, tensor<15xi32>) -> tensor<15xi1>
      %cst_139 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %500 = stablehlo.broadcast_in_dim %cst_139, dims = [] : (tensor<f32>) -> tensor<15xf32>
      %cst_140 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %501 = stablehlo.broadcast_in_dim %cst_140, dims = [] : (tensor<f32>) -> tensor<15xf32>
      %502 = stablehlo.select %499, %500, %501 : tensor<15xi1>, tensor<15xf32>
      %503 = stablehlo.divide %496, %iterArg_126 : tensor<15xf32>
      %504 = stablehlo.add %502, %503 : tensor<15xf32>
      %cst_141 = stablehlo.constant dense<5.96046448E-8> : tensor<f32>
      %505 = stablehlo.broadcast_in_dim %cst_141, dims = [] : (tensor<f32>) -> tensor<15xf32>
      %506 = stablehlo.abs %504 : tensor<15xf32>
      %507 = stablehlo.compare LT, %506, %505, FLOAT : (tensor<15xf32>, tensor<15xf32>) -> tensor<15xi1>
      %508 = stablehlo.select %507, %505, %504 : tensor<15xi1>, tensor<15xf32>
      %509 = stablehlo.multiply %496, %iterArg_127 : tensor<15xf32>
      %510 = stablehlo.add %502, %509 : tensor<15xf32>
      %511 = stablehlo.abs %510 : tensor<15xf32>
      %512 = stablehlo.compare LT, %511, %505, FLOAT : (tensor<15xf32>, tensor<15xf32>) -> tensor<15xi1>
      %513 = stablehlo.select %512, %505, %510 : tensor<15xi1>, tensor<15xf32>
      %cst_142 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %514 = stablehlo.broadcast_in_dim %cst_142, dims = [] : (tensor<f32>) -> tensor<15xf32>
      %515 = stablehlo.divide %514, %513 : tensor<15xf32>
      %516 = stablehlo.multiply %508, %515 : tensor<15xf32>
      %517 = stablehlo.multiply %iterArg_128, %516 : tensor<15xf32>
      %c_143 = stablehlo.constant dense<1> : tensor<i32>
      %518 = stablehlo.add %iterArg_124, %c_143 : tensor<i32>
      %cst_144 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %519 = stablehlo.broadcast_in_dim %cst_144, dims = [] : (tensor<f32>) -> tensor<15xf32>
      %520 = stablehlo.subtract %516, %519 : tensor<15xf32>
      %521 = stablehlo.abs %520 : tensor<15xf32>
      %cst_145 = stablehlo.constant dense<5.96046448E-8> : tensor<f32>
      %522 = stablehlo.broadcast_in_dim %cst_145, dims = [] : (tensor<f32>) -> tensor<15xf32>
      %523 = stablehlo.compare GE, %521, %522, FLOAT : (tensor<15xf32>, tensor<15xf32>) -> tensor<15xi1>
      %c_146 = stablehlo.constant dense<false> : tensor<i1>
      %524 = stablehlo.reduce(%523 init: %c_146) applies stablehlo.or across dimensions = [0] : (tensor<15xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %iterArg, %iterArg_122, %iterArg_123, %518, %524, %508, %515, %517 : tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<i32>, tensor<i1>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>
    }
    %411 = chlo.lgamma %394 : tensor<15xf32> -> tensor<15xf32>
    %412 = stablehlo.add %393, %394 : tensor<15xf32>
    %413 = chlo.lgamma %412 : tensor<15xf32> -> tensor<15xf32>
    %414 = stablehlo.subtract %411, %413 : tensor<15xf32>
    %415 = chlo.lgamma %393 : tensor<15xf32> -> tensor<15xf32>
    %416 = stablehlo.add %415, %414 : tensor<15xf32>
    %cst_115 = stablehlo.constant dense<2.3509887E-38> : tensor<f32>
    %417 = stablehlo.broadcast_in_dim %cst_115, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %418 = stablehlo.compare LT, %393, %417, FLOAT : (tensor<15xf32>, tensor<15xf32>) -> tensor<15xi1>
    %419 = stablehlo.negate %397 : tensor<15xf32>
    %420 = stablehlo.log_plus_one %419 : tensor<15xf32>
    %421 = stablehlo.multiply %420, %394 : tensor<15xf32>
    %422 = stablehlo.subtract %421, %414 : tensor<15xf32>
    %423 = stablehlo.exponential %422 : tensor<15xf32>
    %424 = stablehlo.log %397 : tensor<15xf32>
    %425 = stablehlo.multiply %424, %393 : tensor<15xf32>
    %426 = stablehlo.negate %397 : tensor<15xf32>
    %427 = stablehlo.log_plus_one %426 : tensor<15xf32>
    %428 = stablehlo.multiply %427, %394 : tensor<15xf32>
    %429 = stablehlo.add %425, %428 : tensor<15xf32>
    %430 = stablehlo.subtract %429, %416 : tensor<15xf32>
    %431 = stablehlo.exponential %430 : tensor<15xf32>
    %432 = stablehlo.divide %431, %393 : tensor<15xf32>
    %433 = stablehlo.select %418, %423, %432 : tensor<15xi1>, tensor<15xf32>
    %434 = stablehlo.multiply %410#7, %433 : tensor<15xf32>
    %cst_116 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %435 = stablehlo.broadcast_in_dim %cst_116, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %436 = stablehlo.subtract %435, %434 : tensor<15xf32>
    %437 = stablehlo.select %392, %434, %436 : tensor<15xi1>, tensor<15xf32>
    %cst_117 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %438 = stablehlo.broadcast_in_dim %cst_117, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %439 = stablehlo.select %368, %438, %437 : tensor<15xi1>, tensor<15xf32>
    %cst_118 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %440 = stablehlo.broadcast_in_dim %cst_118, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %441 = stablehlo.select %371, %440, %439 : tensor<15xi1>, tensor<15xf32>
    %cst_119 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %442 = stablehlo.broadcast_in_dim %cst_119, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %443 = stablehlo.select %385, %442, %441 : tensor<15xi1>, tensor<15xf32>
    %cst_120 = stablehlo.constant dense<1.500000e+00> : tensor<f32>
    %444 = stablehlo.broadcast_in_dim %cst_120, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %445 = stablehlo.add %arg0, %444 : tensor<15xf32>
    %cst_121 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %446 = stablehlo.convert %cst_121 : tensor<f32>
    %447 = stablehlo.broadcast_in_dim %446, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %448 = chlo.zeta %445, %447 : tensor<15xf32>, tensor<15xf32> -> tensor<15xf32>
    return %127, %252, %256, %257, %341, %443, %448 : tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>
  }
  func.func private @_where(%arg0: tensor<15xi1>, %arg1: tensor<15xf32>, %arg2: tensor<15xf32>) -> tensor<15xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<15xi1>, tensor<15xf32>
    return %0 : tensor<15xf32>
  }
  func.func private @remainder(%arg0: tensor<15xi32>, %arg1: tensor<15xi32>) -> tensor<15xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<15xi32>
    %1 = stablehlo.compare EQ, %arg1, %0, SIGNED : (tensor<15xi32>, tensor<15xi32>) -> tensor<15xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<15xi32>
    %3 = call @_where_0(%1, %2, %arg1) : (tensor<15xi1>, tensor<15xi32>, tensor<15xi32>) -> tensor<15xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<15xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<15xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<15xi32>, tensor<15xi32>) -> tensor<15xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<15xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<15xi32>, tensor<15xi32>) -> tensor<15xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<15xi32>
    %10 = stablehlo.compare LT, %3, %9, SIGNED : (tensor<15xi32>, tensor<15xi32>) -> tensor<15xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<15xi1>, tensor<15xi1>) -> tensor<15xi1>
    %12 = stablehlo.and %11, %6 : tensor<15xi1>
    %13 = stablehlo.add %4, %3 : tensor<15xi32>
    %14 = stablehlo.select %12, %13, %4 : tensor<15xi1>, tensor<15xi32>
    return %14 : tensor<15xi32>
  }
  func.func private @_where_0(%arg0: tensor<15xi1>, %arg1: tensor<15xi32>, %arg2: tensor<15xi32>) -> tensor<15xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<15xi1>, tensor<15xi32>
    return %0 : tensor<15xi32>
  }
  func.func private @floor_divide(%arg0: tensor<15xi32>, %arg1: tensor<15xi32>) -> tensor<15xi32> {
    %0 = stablehlo.divide %arg0, %arg1 : tensor<15xi32>
    %1 = stablehlo.sign %arg0 : tensor<15xi32>
    %2 = stablehlo.sign %arg1 : tensor<15xi32>
    %3 = stablehlo.compare NE, %1, %2, SIGNED : (tensor<15xi32>, tensor<15xi32>) -> tensor<15xi1>
    %4 = stablehlo.remainder %arg0, %arg1 : tensor<15xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<15xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<15xi32>, tensor<15xi32>) -> tensor<15xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %7 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<15xi1>
    %8 = stablehlo.compare NE, %3, %7, UNSIGNED : (tensor<15xi1>, tensor<15xi1>) -> tensor<15xi1>
    %9 = stablehlo.convert %8 : tensor<15xi1>
    %c_1 = stablehlo.constant dense<false> : tensor<i1>
    %10 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i1>) -> tensor<15xi1>
    %11 = stablehlo.compare NE, %6, %10, UNSIGNED : (tensor<15xi1>, tensor<15xi1>) -> tensor<15xi1>
    %12 = stablehlo.convert %11 : tensor<15xi1>
    %13 = stablehlo.and %9, %12 : tensor<15xi1>
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<15xi32>
    %15 = stablehlo.subtract %0, %14 : tensor<15xi32>
    %16 = call @_where_1(%13, %15, %0) : (tensor<15xi1>, tensor<15xi32>, tensor<15xi32>) -> tensor<15xi32>
    return %16 : tensor<15xi32>
  }
  func.func private @_where_1(%arg0: tensor<15xi1>, %arg1: tensor<15xi32>, %arg2: tensor<15xi32>) -> tensor<15xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<15xi1>, tensor<15xi32>
    return %0 : tensor<15xi32>
  }
}
