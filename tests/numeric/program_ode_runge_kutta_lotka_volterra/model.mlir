module @jit_run attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2xf32>, %arg1: tensor<4xf32>) -> (tensor<20x2xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<20x2xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:4 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %c, %iterArg_1 = %arg0, %iterArg_2 = %0) : tensor<4xf32>, tensor<i32>, tensor<2xf32>, tensor<20x2xf32>
    cond {
      %c_3 = stablehlo.constant dense<20> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg_0, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2:2 = func.call @closed_call(%iterArg, %iterArg_1) : (tensor<4xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
      %3 = func.call @dynamic_update_index_in_dim(%iterArg_2, %2#1, %iterArg_0) : (tensor<20x2xf32>, tensor<2xf32>, tensor<i32>) -> tensor<20x2xf32>
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.add %iterArg_0, %c_3 : tensor<i32>
      stablehlo.return %iterArg, %4, %2#0, %3 : tensor<4xf32>, tensor<i32>, tensor<2xf32>, tensor<20x2xf32>
    }
    return %1#3 : tensor<20x2xf32>
  }
  func.func private @closed_call(%arg0: tensor<4xf32>, %arg1: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %0 = stablehlo.slice %arg0 [0:1] : (tensor<4xf32>) -> tensor<1xf32>
    %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
    %2 = stablehlo.slice %arg1 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %3 = stablehlo.reshape %2 : (tensor<1xf32>) -> tensor<f32>
    %4 = stablehlo.multiply %1, %3 : tensor<f32>
    %5 = stablehlo.slice %arg0 [1:2] : (tensor<4xf32>) -> tensor<1xf32>
    %6 = stablehlo.reshape %5 : (tensor<1xf32>) -> tensor<f32>
    %7 = stablehlo.slice %arg1 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %8 = stablehlo.reshape %7 : (tensor<1xf32>) -> tensor<f32>
    %9 = stablehlo.multiply %6, %8 : tensor<f32>
    %10 = stablehlo.slice %arg1 [1:2] : (tensor<2xf32>) -> tensor<1xf32>
    %11 = stablehlo.reshape %10 : (tensor<1xf32>) -> tensor<f32>
    %12 = stablehlo.multiply %9, %11 : tensor<f32>
    %13 = stablehlo.subtract %4, %12 : tensor<f32>
    %14 = stablehlo.slice %arg0 [2:3] : (tensor<4xf32>) -> tensor<1xf32>
    %15 = stablehlo.reshape %14 : (tensor<1xf32>) -> tensor<f32>
    %16 = stablehlo.slice %arg1 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %17 = stablehlo.reshape %16 : (tensor<1xf32>) -> tensor<f32>
    %18 = stablehlo.multiply %15, %17 : tensor<f32>
    %19 = stablehlo.slice %arg1 [1:2] : (tensor<2xf32>) -> tensor<1xf32>
    %20 = stablehlo.reshape %19 : (tensor<1xf32>) -> tensor<f32>
    %21 = stablehlo.multiply %18, %20 : tensor<f32>
    %22 = stablehlo.slice %arg0 [3:4] : (tensor<4xf32>) -> tensor<1xf32>
    %23 = stablehlo.reshape %22 : (tensor<1xf32>) -> tensor<f32>
    %24 = stablehlo.slice %arg1 [1:2] : (tensor<2xf32>) -> tensor<1xf32>
    %25 = stablehlo.reshape %24 : (tensor<1xf32>) -> tensor<f32>
    %26 = stablehlo.multiply %23, %25 : tensor<f32>
    %27 = stablehlo.subtract %21, %26 : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %29 = stablehlo.broadcast_in_dim %27, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %30 = stablehlo.concatenate %28, %29, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    %cst = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %32 = stablehlo.multiply %31, %30 : tensor<2xf32>
    %33 = stablehlo.add %arg1, %32 : tensor<2xf32>
    %34 = stablehlo.slice %arg0 [0:1] : (tensor<4xf32>) -> tensor<1xf32>
    %35 = stablehlo.reshape %34 : (tensor<1xf32>) -> tensor<f32>
    %36 = stablehlo.slice %33 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %37 = stablehlo.reshape %36 : (tensor<1xf32>) -> tensor<f32>
    %38 = stablehlo.multiply %35, %37 : tensor<f32>
    %39 = stablehlo.slice %arg0 [1:2] : (tensor<4xf32>) -> tensor<1xf32>
    %40 = stablehlo.reshape %39 : (tensor<1xf32>) -> tensor<f32>
    %41 = stablehlo.slice %33 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %42 = stablehlo.reshape %41 : (tensor<1xf32>) -> tensor<f32>
    %43 = stablehlo.multiply %40, %42 : tensor<f32>
    %44 = stablehlo.slice %33 [1:2] : (tensor<2xf32>) -> tensor<1xf32>
    %45 = stablehlo.reshape %44 : (tensor<1xf32>) -> tensor<f32>
    %46 = stablehlo.multiply %43, %45 : tensor<f32>
    %47 = stablehlo.subtract %38, %46 : tensor<f32>
    %48 = stablehlo.slice %arg0 [2:3] : (tensor<4xf32>) -> tensor<1xf32>
    %49 = stablehlo.reshape %48 : (tensor<1xf32>) -> tensor<f32>
    %50 = stablehlo.slice %33 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %51 = stablehlo.reshape %50 : (tensor<1xf32>) -> tensor<f32>
    %52 = stablehlo.multiply %49, %51 : tensor<f32>
    %53 = stablehlo.slice %33 [1:2] : (tensor<2xf32>) -> tensor<1xf32>
    %54 = stablehlo.reshape %53 : (tensor<1xf32>) -> tensor<f32>
    %55 = stablehlo.multiply %52, %54 : tensor<f32>
    %56 = stablehlo.slice %arg0 [3:4] : (tensor<4xf32>) -> tensor<1xf32>
    %57 = stablehlo.reshape %56 : (tensor<1xf32>) -> tensor<f32>
    %58 = stablehlo.slice %33 [1:2] : (tensor<2xf32>) -> tensor<1xf32>
    %59 = stablehlo.reshape %58 : (tensor<1xf32>) -> tensor<f32>
    %60 = stablehlo.multiply %57, %59 : tensor<f32>
    %61 = stablehlo.subtract %55, %60 : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %47, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %63 = stablehlo.broadcast_in_dim %61, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %64 = stablehlo.concatenate %62, %63, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    %cst_0 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %66 = stablehlo.multiply %65, %64 : tensor<2xf32>
    %67 = stablehlo.add %arg1, %66 : tensor<2xf32>
    %68 = stablehlo.slice %arg0 [0:1] : (tensor<4xf32>) -> tensor<1xf32>
    %69 = stablehlo.reshape %68 : (tensor<1xf32>) -> tensor<f32>
    %70 = stablehlo.slice %67 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %71 = stablehlo.reshape %70 : (tensor<1xf32>) -> tensor<f32>
    %72 = stablehlo.multiply %69, %71 : tensor<f32>
    %73 = stablehlo.slice %arg0 [1:2] : (tensor<4xf32>) -> tensor<1xf32>
    %74 = stablehlo.reshape %73 : (tensor<1xf32>) -> tensor<f32>
    %75 = stablehlo.slice %67 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %76 = stablehlo.reshape %75 : (tensor<1xf32>) -> tensor<f32>
    %77 = stablehlo.multiply %74, %76 : tensor<f32>
    %78 = stablehlo.slice %67 [1:2] : (tensor<2xf32>) -> tensor<1xf32>
    %79 = stablehlo.reshape %78 : (tensor<1xf32>) -> tensor<f32>
    %80 = stablehlo.multiply %77, %79 : tensor<f32>
    %81 = stablehlo.subtract %72, %80 : tensor<f32>
    %82 = stablehlo.slice %arg0 [2:3] : (tensor<4xf32>) -> tensor<1xf32>
    %83 = stablehlo.reshape %82 : (tensor<1xf32>) -> tensor<f32>
    %84 = stablehlo.slice %67 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %85 = stablehlo.reshape %84 : (tensor<1xf32>) -> tensor<f32>
    %86 = stablehlo.multiply %83, %85 : tensor<f32>
    %87 = stablehlo.slice %67 [1:2] : (tensor<2xf32>) -> tensor<1xf32>
    %88 = stablehlo.reshape %87 : (tensor<1xf32>) -> tensor<f32>
    %89 = stablehlo.multiply %86, %88 : tensor<f32>
    %90 = stablehlo.slice %arg0 [3:4] : (tensor<4xf32>) -> tensor<1xf32>
    %91 = stablehlo.reshape %90 : (tensor<1xf32>) -> tensor<f32>
    %92 = stablehlo.slice %67 [1:2] : (tensor<2xf32>) -> tensor<1xf32>
    %93 = stablehlo.reshape %92 : (tensor<1xf32>) -> tensor<f32>
    %94 = stablehlo.multiply %91, %93 : tensor<f32>
    %95 = stablehlo.subtract %89, %94 : tensor<f32>
    %96 = stablehlo.broadcast_in_dim %81, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %97 = stablehlo.broadcast_in_dim %95, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %98 = stablehlo.concatenate %96, %97, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    %cst_1 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %100 = stablehlo.multiply %99, %98 : tensor<2xf32>
    %101 = stablehlo.add %arg1, %100 : tensor<2xf32>
    %102 = stablehlo.slice %arg0 [0:1] : (tensor<4xf32>) -> tensor<1xf32>
    %103 = stablehlo.reshape %102 : (tensor<1xf32>) -> tensor<f32>
    %104 = stablehlo.slice %101 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %105 = stablehlo.reshape %104 : (tensor<1xf32>) -> tensor<f32>
    %106 = stablehlo.multiply %103, %105 : tensor<f32>
    %107 = stablehlo.slice %arg0 [1:2] : (tensor<4xf32>) -> tensor<1xf32>
    %108 = stablehlo.reshape %107 : (tensor<1xf32>) -> tensor<f32>
    %109 = stablehlo.slice %101 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %110 = stablehlo.reshape %109 : (tensor<1xf32>) -> tensor<f32>
    %111 = stablehlo.multiply %108, %110 : tensor<f32>
    %112 = stablehlo.slice %101 [1:2] : (tensor<2xf32>) -> tensor<1xf32>
    %113 = stablehlo.reshape %112 : (tensor<1xf32>) -> tensor<f32>
    %114 = stablehlo.multiply %111, %113 : tensor<f32>
    %115 = stablehlo.subtract %106, %114 : tensor<f32>
    %116 = stablehlo.slice %arg0 [2:3] : (tensor<4xf32>) -> tensor<1xf32>
    %117 = stablehlo.reshape %116 : (tensor<1xf32>) -> tensor<f32>
    %118 = stablehlo.slice %101 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %119 = stablehlo.reshape %118 : (tensor<1xf32>) -> tensor<f32>
    %120 = stablehlo.multiply %117, %119 : tensor<f32>
    %121 = stablehlo.slice %101 [1:2] : (tensor<2xf32>) -> tensor<1xf32>
    %122 = stablehlo.reshape %121 : (tensor<1xf32>) -> tensor<f32>
    %123 = stablehlo.multiply %120, %122 : tensor<f32>
    %124 = stablehlo.slice %arg0 [3:4] : (tensor<4xf32>) -> tensor<1xf32>
    %125 = stablehlo.reshape %124 : (tensor<1xf32>) -> tensor<f32>
    %126 = stablehlo.slice %101 [1:2] : (tensor<2xf32>) -> tensor<1xf32>
    %127 = stablehlo.reshape %126 : (tensor<1xf32>) -> tensor<f32>
    %128 = stablehlo.multiply %125, %127 : tensor<f32>
    %129 = stablehlo.subtract %123, %128 : tensor<f32>
    %130 = stablehlo.broadcast_in_dim %115, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %131 = stablehlo.broadcast_in_dim %129, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %132 = stablehlo.concatenate %130, %131, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %133 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %134 = stablehlo.multiply %133, %64 : tensor<2xf32>
    %135 = stablehlo.add %30, %134 : tensor<2xf32>
    %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %136 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %137 = stablehlo.multiply %136, %98 : tensor<2xf32>
    %138 = stablehlo.add %135, %137 : tensor<2xf32>
    %139 = stablehlo.add %138, %132 : tensor<2xf32>
    %cst_4 = stablehlo.constant dense<0.0166666675> : tensor<f32>
    %140 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %141 = stablehlo.multiply %140, %139 : tensor<2xf32>
    %142 = stablehlo.add %arg1, %141 : tensor<2xf32>
    return %142, %142 : tensor<2xf32>, tensor<2xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<20x2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<i32>) -> tensor<20x2xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<2xf32>) -> tensor<1x2xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<20x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<20x2xf32>
    return %1 : tensor<20x2xf32>
  }
}
