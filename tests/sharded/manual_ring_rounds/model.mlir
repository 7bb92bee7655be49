module @jit_ring_rounds attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["d"=8]> {stablehlo.mesh = {axes = [{name = "d", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<32x4xf32>, %arg1: tensor<32x4xf32>, %arg2: tensor<32x4xf32>) -> (tensor<32x4xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0, %arg1, %arg2) in_shardings=[<@mesh, [{"d"}, {}]>, <@mesh, [{"d"}, {}]>, <@mesh, [{"d"}, {}]>] out_shardings=[<@mesh, [{"d"}, {}]>] manual_axes={"d"} (%arg3: tensor<4x4xf32>, %arg4: tensor<4x4xf32>, %arg5: tensor<4x4xf32>) {
      %c = stablehlo.constant dense<1> : tensor<ui32>
      %c_0 = stablehlo.constant dense<8> : tensor<ui32>
      %1 = stablehlo.partition_id : tensor<ui32>
      %2 = stablehlo.divide %1, %c : tensor<ui32>
      %3 = stablehlo.remainder %2, %c_0 : tensor<ui32>
      %4 = stablehlo.convert %3 : (tensor<ui32>) -> tensor<i32>
      %c_1 = stablehlo.constant dense<4> : tensor<i32>
      %5 = stablehlo.multiply %4, %c_1 : tensor<i32>
      %6 = stablehlo.iota dim = 0 : tensor<4xi32>
      %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
      %8 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<i32>) -> tensor<4x1xi32>
      %9 = stablehlo.add %8, %7 : tensor<4x1xi32>
      %c_2 = stablehlo.constant dense<4> : tensor<i32>
      %10 = stablehlo.multiply %4, %c_2 : tensor<i32>
      %11 = stablehlo.iota dim = 0 : tensor<4xi32>
      %12 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %13 = stablehlo.add %12, %11 : tensor<4xi32>
      %14 = stablehlo.broadcast_in_dim %13, dims = [1] : (tensor<4xi32>) -> tensor<1x4xi32>
      %15 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<4x1xi32>) -> tensor<4x4xi32>
      %16 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<1x4xi32>) -> tensor<4x4xi32>
      %17 = stablehlo.compare LT, %15, %16, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
      %18 = stablehlo.transpose %arg4, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %19 = stablehlo.dot_general %arg3, %18, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %cst = stablehlo.constant dense<-1.000000e+30> : tensor<f32>
      %20 = func.call @_where(%17, %cst, %19) : (tensor<4x4xi1>, tensor<f32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %21 = stablehlo.reduce(%20 init: %cst_3) applies stablehlo.maximum across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      %22 = stablehlo.broadcast_in_dim %21, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %24 = stablehlo.subtract %20, %23 : tensor<4x4xf32>
      %25 = stablehlo.exponential %24 : tensor<4x4xf32>
      %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %26 = stablehlo.reduce(%25 init: %cst_4) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      %27 = stablehlo.broadcast_in_dim %26, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %28 = stablehlo.broadcast_in_dim %27, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %29 = stablehlo.divide %25, %28 : tensor<4x4xf32>
      %30 = stablehlo.dot_general %29, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %31 = stablehlo.log %27 : tensor<4x1xf32>
      %32 = stablehlo.add %22, %31 : tensor<4x1xf32>
      %33 = "stablehlo.collective_permute"(%arg4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %34 = "stablehlo.collective_permute"(%arg5) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %c_5 = stablehlo.constant dense<1> : tensor<i32>
      %35 = stablehlo.subtract %4, %c_5 : tensor<i32>
      %c_6 = stablehlo.constant dense<8> : tensor<i32>
      %36 = func.call @remainder(%35, %c_6) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_7 = stablehlo.constant dense<4> : tensor<i32>
      %37 = stablehlo.multiply %4, %c_7 : tensor<i32>
      %38 = stablehlo.iota dim = 0 : tensor<4xi32>
      %39 = stablehlo.broadcast_in_dim %38, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
      %40 = stablehlo.broadcast_in_dim %37, dims = [] : (tensor<i32>) -> tensor<4x1xi32>
      %41 = stablehlo.add %40, %39 : tensor<4x1xi32>
      %c_8 = stablehlo.constant dense<4> : tensor<i32>
      %42 = stablehlo.multiply %36, %c_8 : tensor<i32>
      %43 = stablehlo.iota dim = 0 : tensor<4xi32>
      %44 = stablehlo.broadcast_in_dim %42, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %45 = stablehlo.add %44, %43 : tensor<4xi32>
      %46 = stablehlo.broadcast_in_dim %45, dims = [1] : (tensor<4xi32>) -> tensor<1x4xi32>
      %47 = stablehlo.broadcast_in_dim %41, dims = [0, 1] : (tensor<4x1xi32>) -> tensor<4x4xi32>
      %48 = stablehlo.broadcast_in_dim %46, dims = [0, 1] : (tensor<1x4xi32>) -> tensor<4x4xi32>
      %49 = stablehlo.compare LT, %47, %48, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
      %50 = stablehlo.transpose %33, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %51 = stablehlo.dot_general %arg3, %50, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %cst_9 = stablehlo.constant dense<-1.000000e+30> : tensor<f32>
      %52 = func.call @_where(%49, %cst_9, %51) : (tensor<4x4xi1>, tensor<f32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %cst_10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %53 = stablehlo.reduce(%52 init: %cst_10) applies stablehlo.maximum across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      %54 = stablehlo.broadcast_in_dim %53, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %55 = stablehlo.broadcast_in_dim %54, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %56 = stablehlo.subtract %52, %55 : tensor<4x4xf32>
      %57 = stablehlo.exponential %56 : tensor<4x4xf32>
      %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %58 = stablehlo.reduce(%57 init: %cst_11) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      %59 = stablehlo.broadcast_in_dim %58, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %60 = stablehlo.broadcast_in_dim %59, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %61 = stablehlo.divide %57, %60 : tensor<4x4xf32>
      %62 = stablehlo.dot_general %61, %34, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %63 = stablehlo.log %59 : tensor<4x1xf32>
      %64 = stablehlo.add %54, %63 : tensor<4x1xf32>
      %65 = stablehlo.maximum %32, %64 : tensor<4x1xf32>
      %66 = stablehlo.subtract %32, %64 : tensor<4x1xf32>
      %67 = stablehlo.compare NE, %66, %66, FLOAT : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xi1>
      %68 = stablehlo.add %32, %64 : tensor<4x1xf32>
      %69 = stablehlo.abs %66 : tensor<4x1xf32>
      %70 = stablehlo.negate %69 : tensor<4x1xf32>
      %71 = stablehlo.exponential %70 : tensor<4x1xf32>
      %72 = stablehlo.log_plus_one %71 : tensor<4x1xf32>
      %73 = stablehlo.add %65, %72 : tensor<4x1xf32>
      %74 = stablehlo.select %67, %68, %73 : tensor<4x1xi1>, tensor<4x1xf32>
      %75 = stablehlo.subtract %32, %74 : tensor<4x1xf32>
      %76 = stablehlo.exponential %75 : tensor<4x1xf32>
      %77 = stablehlo.broadcast_in_dim %76, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %78 = stablehlo.multiply %30, %77 : tensor<4x4xf32>
      %79 = stablehlo.subtract %64, %74 : tensor<4x1xf32>
      %80 = stablehlo.exponential %79 : tensor<4x1xf32>
      %81 = stablehlo.broadcast_in_dim %80, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %82 = stablehlo.multiply %62, %81 : tensor<4x4xf32>
      %83 = stablehlo.add %78, %82 : tensor<4x4xf32>
      %84 = "stablehlo.collective_permute"(%33) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %85 = "stablehlo.collective_permute"(%34) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %c_12 = stablehlo.constant dense<2> : tensor<i32>
      %86 = stablehlo.subtract %4, %c_12 : tensor<i32>
      %c_13 = stablehlo.constant dense<8> : tensor<i32>
      %87 = func.call @remainder(%86, %c_13) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_14 = stablehlo.constant dense<4> : tensor<i32>
      %88 = stablehlo.multiply %4, %c_14 : tensor<i32>
      %89 = stablehlo.iota dim = 0 : tensor<4xi32>
      %90 = stablehlo.broadcast_in_dim %89, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
      %91 = stablehlo.broadcast_in_dim %88, dims = [] : (tensor<i32>) -> tensor<4x1xi32>
      %92 = stablehlo.add %91, %90 : tensor<4x1xi32>
      %c_15 = stablehlo.constant dense<4> : tensor<i32>
      %93 = stablehlo.multiply %87, %c_15 : tensor<i32>
      %94 = stablehlo.iota dim = 0 : tensor<4xi32>
      %95 = stablehlo.broadcast_in_dim %93, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %96 = stablehlo.add %95, %94 : tensor<4xi32>
      %97 = stablehlo.broadcast_in_dim %96, dims = [1] : (tensor<4xi32>) -> tensor<1x4xi32>
      %98 = stablehlo.broadcast_in_dim %92, dims = [0, 1] : (tensor<4x1xi32>) -> tensor<4x4xi32>
      %99 = stablehlo.broadcast_in_dim %97, dims = [0, 1] : (tensor<1x4xi32>) -> tensor<4x4xi32>
      %100 = stablehlo.compare LT, %98, %99, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
      %101 = stablehlo.transpose %84, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %102 = stablehlo.dot_general %arg3, %101, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %cst_16 = stablehlo.constant dense<-1.000000e+30> : tensor<f32>
      %103 = func.call @_where(%100, %cst_16, %102) : (tensor<4x4xi1>, tensor<f32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %cst_17 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %104 = stablehlo.reduce(%103 init: %cst_17) applies stablehlo.maximum across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      %105 = stablehlo.broadcast_in_dim %104, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %106 = stablehlo.broadcast_in_dim %105, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %107 = stablehlo.subtract %103, %106 : tensor<4x4xf32>
      %108 = stablehlo.exponential %107 : tensor<4x4xf32>
      %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %109 = stablehlo.reduce(%108 init: %cst_18) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      %110 = stablehlo.broadcast_in_dim %109, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %111 = stablehlo.broadcast_in_dim %110, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %112 = stablehlo.divide %108, %111 : tensor<4x4xf32>
      %113 = stablehlo.dot_general %112, %85, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %114 = stablehlo.log %110 : tensor<4x1xf32>
      %115 = stablehlo.add %105, %114 : tensor<4x1xf32>
      %116 = stablehlo.maximum %74, %115 : tensor<4x1xf32>
      %117 = stablehlo.subtract %74, %115 : tensor<4x1xf32>
      %118 = stablehlo.compare NE, %117, %117, FLOAT : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xi1>
      %119 = stablehlo.add %74, %115 : tensor<4x1xf32>
      %120 = stablehlo.abs %117 : tensor<4x1xf32>
      %121 = stablehlo.negate %120 : tensor<4x1xf32>
      %122 = stablehlo.exponential %121 : tensor<4x1xf32>
      %123 = stablehlo.log_plus_one %122 : tensor<4x1xf32>
      %124 = stablehlo.add %116, %123 : tensor<4x1xf32>
      %125 = stablehlo.select %118, %119, %124 : tensor<4x1xi1>, tensor<4x1xf32>
      %126 = stablehlo.subtract %74, %125 : tensor<4x1xf32>
      %127 = stablehlo.exponential %126 : tensor<4x1xf32>
      %128 = stablehlo.broadcast_in_dim %127, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %129 = stablehlo.multiply %83, %128 : tensor<4x4xf32>
      %130 = stablehlo.subtract %115, %125 : tensor<4x1xf32>
      %131 = stablehlo.exponential %130 : tensor<4x1xf32>
      %132 = stablehlo.broadcast_in_dim %131, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %133 = stablehlo.multiply %113, %132 : tensor<4x4xf32>
      %134 = stablehlo.add %129, %133 : tensor<4x4xf32>
      %135 = "stablehlo.collective_permute"(%84) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %136 = "stablehlo.collective_permute"(%85) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %c_19 = stablehlo.constant dense<3> : tensor<i32>
      %137 = stablehlo.subtract %4, %c_19 : tensor<i32>
      %c_20 = stablehlo.constant dense<8> : tensor<i32>
      %138 = func.call @remainder(%137, %c_20) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_21 = stablehlo.constant dense<4> : tensor<i32>
      %139 = stablehlo.multiply %4, %c_21 : tensor<i32>
      %140 = stablehlo.iota dim = 0 : tensor<4xi32>
      %141 = stablehlo.broadcast_in_dim %140, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
      %142 = stablehlo.broadcast_in_dim %139, dims = [] : (tensor<i32>) -> tensor<4x1xi32>
      %143 = stablehlo.add %142, %141 : tensor<4x1xi32>
      %c_22 = stablehlo.constant dense<4> : tensor<i32>
      %144 = stablehlo.multiply %138, %c_22 : tensor<i32>
      %145 = stablehlo.iota dim = 0 : tensor<4xi32>
      %146 = stablehlo.broadcast_in_dim %144, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %147 = stablehlo.add %146, %145 : tensor<4xi32>
      %148 = stablehlo.broadcast_in_dim %147, dims = [1] : (tensor<4xi32>) -> tensor<1x4xi32>
      %149 = stablehlo.broadcast_in_dim %143, dims = [0, 1] : (tensor<4x1xi32>) -> tensor<4x4xi32>
      %150 = stablehlo.broadcast_in_dim %148, dims = [0, 1] : (tensor<1x4xi32>) -> tensor<4x4xi32>
      %151 = stablehlo.compare LT, %149, %150, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
      %152 = stablehlo.transpose %135, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %153 = stablehlo.dot_general %arg3, %152, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %cst_23 = stablehlo.constant dense<-1.000000e+30> : tensor<f32>
      %154 = func.call @_where(%151, %cst_23, %153) : (tensor<4x4xi1>, tensor<f32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %cst_24 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %155 = stablehlo.reduce(%154 init: %cst_24) applies stablehlo.maximum across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      %156 = stablehlo.broadcast_in_dim %155, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %157 = stablehlo.broadcast_in_dim %156, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %158 = stablehlo.subtract %154, %157 : tensor<4x4xf32>
      %159 = stablehlo.exponential %158 : tensor<4x4xf32>
      %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %160 = stablehlo.reduce(%159 init: %cst_25) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      %161 = stablehlo.broadcast_in_dim %160, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %162 = stablehlo.broadcast_in_dim %161, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %163 = stablehlo.divide %159, %162 : tensor<4x4xf32>
      %164 = stablehlo.dot_general %163, %136, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %165 = stablehlo.log %161 : tensor<4x1xf32>
      %166 = stablehlo.add %156, %165 : tensor<4x1xf32>
      %167 = stablehlo.maximum %125, %166 : tensor<4x1xf32>
      %168 = stablehlo.subtract %125, %166 : tensor<4x1xf32>
      %169 = stablehlo.compare NE, %168, %168, FLOAT : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xi1>
      %170 = stablehlo.add %125, %166 : tensor<4x1xf32>
      %171 = stablehlo.abs %168 : tensor<4x1xf32>
      %172 = stablehlo.negate %171 : tensor<4x1xf32>
      %173 = stablehlo.exponential %172 : tensor<4x1xf32>
      %174 = stablehlo.log_plus_one %173 : tensor<4x1xf32>
      %175 = stablehlo.add %167, %174 : tensor<4x1xf32>
      %176 = stablehlo.select %169, %170, %175 : tensor<4x1xi1>, tensor<4x1xf32>
      %177 = stablehlo.subtract %125, %176 : tensor<4x1xf32>
      %178 = stablehlo.exponential %177 : tensor<4x1xf32>
      %179 = stablehlo.broadcast_in_dim %178, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %180 = stablehlo.multiply %134, %179 : tensor<4x4xf32>
      %181 = stablehlo.subtract %166, %176 : tensor<4x1xf32>
      %182 = stablehlo.exponential %181 : tensor<4x1xf32>
      %183 = stablehlo.broadcast_in_dim %182, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %184 = stablehlo.multiply %164, %183 : tensor<4x4xf32>
      %185 = stablehlo.add %180, %184 : tensor<4x4xf32>
      %186 = "stablehlo.collective_permute"(%135) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %187 = "stablehlo.collective_permute"(%136) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %c_26 = stablehlo.constant dense<4> : tensor<i32>
      %188 = stablehlo.subtract %4, %c_26 : tensor<i32>
      %c_27 = stablehlo.constant dense<8> : tensor<i32>
      %189 = func.call @remainder(%188, %c_27) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_28 = stablehlo.constant dense<4> : tensor<i32>
      %190 = stablehlo.multiply %4, %c_28 : tensor<i32>
      %191 = stablehlo.iota dim = 0 : tensor<4xi32>
      %192 = stablehlo.broadcast_in_dim %191, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
      %193 = stablehlo.broadcast_in_dim %190, dims = [] : (tensor<i32>) -> tensor<4x1xi32>
      %194 = stablehlo.add %193, %192 : tensor<4x1xi32>
      %c_29 = stablehlo.constant dense<4> : tensor<i32>
      %195 = stablehlo.multiply %189, %c_29 : tensor<i32>
      %196 = stablehlo.iota dim = 0 : tensor<4xi32>
      %197 = stablehlo.broadcast_in_dim %195, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %198 = stablehlo.add %197, %196 : tensor<4xi32>
      %199 = stablehlo.broadcast_in_dim %198, dims = [1] : (tensor<4xi32>) -> tensor<1x4xi32>
      %200 = stablehlo.broadcast_in_dim %194, dims = [0, 1] : (tensor<4x1xi32>) -> tensor<4x4xi32>
      %201 = stablehlo.broadcast_in_dim %199, dims = [0, 1] : (tensor<1x4xi32>) -> tensor<4x4xi32>
      %202 = stablehlo.compare LT, %200, %201, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
      %203 = stablehlo.transpose %186, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %204 = stablehlo.dot_general %arg3, %203, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %cst_30 = stablehlo.constant dense<-1.000000e+30> : tensor<f32>
      %205 = func.call @_where(%202, %cst_30, %204) : (tensor<4x4xi1>, tensor<f32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %cst_31 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %206 = stablehlo.reduce(%205 init: %cst_31) applies stablehlo.maximum across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      %207 = stablehlo.broadcast_in_dim %206, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %208 = stablehlo.broadcast_in_dim %207, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %209 = stablehlo.subtract %205, %208 : tensor<4x4xf32>
      %210 = stablehlo.exponential %209 : tensor<4x4xf32>
      %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %211 = stablehlo.reduce(%210 init: %cst_32) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      %212 = stablehlo.broadcast_in_dim %211, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %213 = stablehlo.broadcast_in_dim %212, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %214 = stablehlo.divide %210, %213 : tensor<4x4xf32>
      %215 = stablehlo.dot_general %214, %187, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %216 = stablehlo.log %212 : tensor<4x1xf32>
      %217 = stablehlo.add %207, %216 : tensor<4x1xf32>
      %218 = stablehlo.maximum %176, %217 : tensor<4x1xf32>
      %219 = stablehlo.subtract %176, %217 : tensor<4x1xf32>
      %220 = stablehlo.compare NE, %219, %219, FLOAT : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xi1>
      %221 = stablehlo.add %176, %217 : tensor<4x1xf32>
      %222 = stablehlo.abs %219 : tensor<4x1xf32>
      %223 = stablehlo.negate %222 : tensor<4x1xf32>
      %224 = stablehlo.exponential %223 : tensor<4x1xf32>
      %225 = stablehlo.log_plus_one %224 : tensor<4x1xf32>
      %226 = stablehlo.add %218, %225 : tensor<4x1xf32>
      %227 = stablehlo.select %220, %221, %226 : tensor<4x1xi1>, tensor<4x1xf32>
      %228 = stablehlo.subtract %176, %227 : tensor<4x1xf32>
      %229 = stablehlo.exponential %228 : tensor<4x1xf32>
      %230 = stablehlo.broadcast_in_dim %229, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %231 = stablehlo.multiply %185, %230 : tensor<4x4xf32>
      %232 = stablehlo.subtract %217, %227 : tensor<4x1xf32>
      %233 = stablehlo.exponential %232 : tensor<4x1xf32>
      %234 = stablehlo.broadcast_in_dim %233, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %235 = stablehlo.multiply %215, %234 : tensor<4x4xf32>
      %236 = stablehlo.add %231, %235 : tensor<4x4xf32>
      %237 = "stablehlo.collective_permute"(%186) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %238 = "stablehlo.collective_permute"(%187) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %c_33 = stablehlo.constant dense<5> : tensor<i32>
      %239 = stablehlo.subtract %4, %c_33 : tensor<i32>
      %c_34 = stablehlo.constant dense<8> : tensor<i32>
      %240 = func.call @remainder(%239, %c_34) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_35 = stablehlo.constant dense<4> : tensor<i32>
      %241 = stablehlo.multiply %4, %c_35 : tensor<i32>
      %242 = stablehlo.iota dim = 0 : tensor<4xi32>
      %243 = stablehlo.broadcast_in_dim %242, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
      %244 = stablehlo.broadcast_in_dim %241, dims = [] : (tensor<i32>) -> tensor<4x1xi32>
      %245 = stablehlo.add %244, %243 : tensor<4x1xi32>
      %c_36 = stablehlo.constant dense<4> : tensor<i32>
      %246 = stablehlo.multiply %240, %c_36 : tensor<i32>
      %247 = stablehlo.iota dim = 0 : tensor<4xi32>
      %248 = stablehlo.broadcast_in_dim %246, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %249 = stablehlo.add %248, %247 : tensor<4xi32>
      %250 = stablehlo.broadcast_in_dim %249, dims = [1] : (tensor<4xi32>) -> tensor<1x4xi32>
      %251 = stablehlo.broadcast_in_dim %245, dims = [0, 1] : (tensor<4x1xi32>) -> tensor<4x4xi32>
      %252 = stablehlo.broadcast_in_dim %250, dims = [0, 1] : (tensor<1x4xi32>) -> tensor<4x4xi32>
      %253 = stablehlo.compare LT, %251, %252, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
      %254 = stablehlo.transpose %237, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %255 = stablehlo.dot_general %arg3, %254, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %cst_37 = stablehlo.constant dense<-1.000000e+30> : tensor<f32>
      %256 = func.call @_where(%253, %cst_37, %255) : (tensor<4x4xi1>, tensor<f32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %cst_38 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %257 = stablehlo.reduce(%256 init: %cst_38) applies stablehlo.maximum across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      %258 = stablehlo.broadcast_in_dim %257, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %259 = stablehlo.broadcast_in_dim %258, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %260 = stablehlo.subtract %256, %259 : tensor<4x4xf32>
      %261 = stablehlo.exponential %260 : tensor<4x4xf32>
      %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %262 = stablehlo.reduce(%261 init: %cst_39) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      %263 = stablehlo.broadcast_in_dim %262, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %264 = stablehlo.broadcast_in_dim %263, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %265 = stablehlo.divide %261, %264 : tensor<4x4xf32>
      %266 = stablehlo.dot_general %265, %238, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %267 = stablehlo.log %263 : tensor<4x1xf32>
      %268 = stablehlo.add %258, %267 : tensor<4x1xf32>
      %269 = stablehlo.maximum %227, %268 : tensor<4x1xf32>
      %270 = stablehlo.subtract %227, %268 : tensor<4x1xf32>
      %271 = stablehlo.compare NE, %270, %270, FLOAT : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xi1>
      %272 = stablehlo.add %227, %268 : tensor<4x1xf32>
      %273 = stablehlo.abs %270 : tensor<4x1xf32>
      %274 = stablehlo.negate %273 : tensor<4x1xf32>
      %275 = stablehlo.exponential %274 : tensor<4x1xf32>
      %276 = stablehlo.log_plus_one %275 : tensor<4x1xf32>
      %277 = stablehlo.add %269, %276 : tensor<4x1xf32>
      %278 = stablehlo.select %271, %272, %277 : tensor<4x1xi1>, tensor<4x1xf32>
      %279 = stablehlo.subtract %227, %278 : tensor<4x1xf32>
      %280 = stablehlo.exponential %279 : tensor<4x1xf32>
      %281 = stablehlo.broadcast_in_dim %280, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %282 = stablehlo.multiply %236, %281 : tensor<4x4xf32>
      %283 = stablehlo.subtract %268, %278 : tensor<4x1xf32>
      %284 = stablehlo.exponential %283 : tensor<4x1xf32>
      %285 = stablehlo.broadcast_in_dim %284, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %286 = stablehlo.multiply %266, %285 : tensor<4x4xf32>
      %287 = stablehlo.add %282, %286 : tensor<4x4xf32>
      %288 = "stablehlo.collective_permute"(%237) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %289 = "stablehlo.collective_permute"(%238) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %c_40 = stablehlo.constant dense<6> : tensor<i32>
      %290 = stablehlo.subtract %4, %c_40 : tensor<i32>
      %c_41 = stablehlo.constant dense<8> : tensor<i32>
      %291 = func.call @remainder(%290, %c_41) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_42 = stablehlo.constant dense<4> : tensor<i32>
      %292 = stablehlo.multiply %4, %c_42 : tensor<i32>
      %293 = stablehlo.iota dim = 0 : tensor<4xi32>
      %294 = stablehlo.broadcast_in_dim %293, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
      %295 = stablehlo.broadcast_in_dim %292, dims = [] : (tensor<i32>) -> tensor<4x1xi32>
      %296 = stablehlo.add %295, %294 : tensor<4x1xi32>
      %c_43 = stablehlo.constant dense<4> : tensor<i32>
      %297 = stablehlo.multiply %291, %c_43 : tensor<i32>
      %298 = stablehlo.iota dim = 0 : tensor<4xi32>
      %299 = stablehlo.broadcast_in_dim %297, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %300 = stablehlo.add %299, %298 : tensor<4xi32>
      %301 = stablehlo.broadcast_in_dim %300, dims = [1] : (tensor<4xi32>) -> tensor<1x4xi32>
      %302 = stablehlo.broadcast_in_dim %296, dims = [0, 1] : (tensor<4x1xi32>) -> tensor<4x4xi32>
      %303 = stablehlo.broadcast_in_dim %301, dims = [0, 1] : (tensor<1x4xi32>) -> tensor<4x4xi32>
      %304 = stablehlo.compare LT, %302, %303, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
      %305 = stablehlo.transpose %288, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %306 = stablehlo.dot_general %arg3, %305, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %cst_44 = stablehlo.constant dense<-1.000000e+30> : tensor<f32>
      %307 = func.call @_where(%304, %cst_44, %306) : (tensor<4x4xi1>, tensor<f32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %cst_45 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %308 = stablehlo.reduce(%307 init: %cst_45) applies stablehlo.maximum across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      %309 = stablehlo.broadcast_in_dim %308, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %310 = stablehlo.broadcast_in_dim %309, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %311 = stablehlo.subtract %307, %310 : tensor<4x4xf32>
      %312 = stablehlo.exponential %311 : tensor<4x4xf32>
      %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %313 = stablehlo.reduce(%312 init: %cst_46) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      %314 = stablehlo.broadcast_in_dim %313, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %315 = stablehlo.broadcast_in_dim %314, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %316 = stablehlo.divide %312, %315 : tensor<4x4xf32>
      %317 = stablehlo.dot_general %316, %289, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %318 = stablehlo.log %314 : tensor<4x1xf32>
      %319 = stablehlo.add %309, %318 : tensor<4x1xf32>
      %320 = stablehlo.maximum %278, %319 : tensor<4x1xf32>
      %321 = stablehlo.subtract %278, %319 : tensor<4x1xf32>
      %322 = stablehlo.compare NE, %321, %321, FLOAT : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xi1>
      %323 = stablehlo.add %278, %319 : tensor<4x1xf32>
      %324 = stablehlo.abs %321 : tensor<4x1xf32>
      %325 = stablehlo.negate %324 : tensor<4x1xf32>
      %326 = stablehlo.exponential %325 : tensor<4x1xf32>
      %327 = stablehlo.log_plus_one %326 : tensor<4x1xf32>
      %328 = stablehlo.add %320, %327 : tensor<4x1xf32>
      %329 = stablehlo.select %322, %323, %328 : tensor<4x1xi1>, tensor<4x1xf32>
      %330 = stablehlo.subtract %278, %329 : tensor<4x1xf32>
      %331 = stablehlo.exponential %330 : tensor<4x1xf32>
      %332 = stablehlo.broadcast_in_dim %331, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %333 = stablehlo.multiply %287, %332 : tensor<4x4xf32>
      %334 = stablehlo.subtract %319, %329 : tensor<4x1xf32>
      %335 = stablehlo.exponential %334 : tensor<4x1xf32>
      %336 = stablehlo.broadcast_in_dim %335, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %337 = stablehlo.multiply %317, %336 : tensor<4x4xf32>
      %338 = stablehlo.add %333, %337 : tensor<4x4xf32>
      %339 = "stablehlo.collective_permute"(%288) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %340 = "stablehlo.collective_permute"(%289) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %c_47 = stablehlo.constant dense<7> : tensor<i32>
      %341 = stablehlo.subtract %4, %c_47 : tensor<i32>
      %c_48 = stablehlo.constant dense<8> : tensor<i32>
      %342 = func.call @remainder(%341, %c_48) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_49 = stablehlo.constant dense<4> : tensor<i32>
      %343 = stablehlo.multiply %4, %c_49 : tensor<i32>
      %344 = stablehlo.iota dim = 0 : tensor<4xi32>
      %345 = stablehlo.broadcast_in_dim %344, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
      %346 = stablehlo.broadcast_in_dim %343, dims = [] : (tensor<i32>) -> tensor<4x1xi32>
      %347 = stablehlo.add %346, %345 : tensor<4x1xi32>
      %c_50 = stablehlo.constant dense<4> : tensor<i32>
      %348 = stablehlo.multiply %342, %c_50 : tensor<i32>
      %349 = stablehlo.iota dim = 0 : tensor<4xi32>
      %350 = stablehlo.broadcast_in_dim %348, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %351 = stablehlo.add %350, %349 : tensor<4xi32>
      %352 = stablehlo.broadcast_in_dim %351, dims = [1] : (tensor<4xi32>) -> tensor<1x4xi32>
      %353 = stablehlo.broadcast_in_dim %347, dims = [0, 1] : (tensor<4x1xi32>) -> tensor<4x4xi32>
      %354 = stablehlo.broadcast_in_dim %352, dims = [0, 1] : (tensor<1x4xi32>) -> tensor<4x4xi32>
      %355 = stablehlo.compare LT, %353, %354, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
      %356 = stablehlo.transpose %339, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %357 = stablehlo.dot_general %arg3, %356, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %cst_51 = stablehlo.constant dense<-1.000000e+30> : tensor<f32>
      %358 = func.call @_where(%355, %cst_51, %357) : (tensor<4x4xi1>, tensor<f32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %cst_52 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %359 = stablehlo.reduce(%358 init: %cst_52) applies stablehlo.maximum across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      %360 = stablehlo.broadcast_in_dim %359, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %361 = stablehlo.broadcast_in_dim %360, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %362 = stablehlo.subtract %358, %361 : tensor<4x4xf32>
      %363 = stablehlo.exponential %362 : tensor<4x4xf32>
      %cst_53 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %364 = stablehlo.reduce(%363 init: %cst_53) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
      %365 = stablehlo.broadcast_in_dim %364, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %366 = stablehlo.broadcast_in_dim %365, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %367 = stablehlo.divide %363, %366 : tensor<4x4xf32>
      %368 = stablehlo.dot_general %367, %340, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %369 = stablehlo.log %365 : tensor<4x1xf32>
      %370 = stablehlo.add %360, %369 : tensor<4x1xf32>
      %371 = stablehlo.maximum %329, %370 : tensor<4x1xf32>
      %372 = stablehlo.subtract %329, %370 : tensor<4x1xf32>
      %373 = stablehlo.compare NE, %372, %372, FLOAT : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xi1>
      %374 = stablehlo.add %329, %370 : tensor<4x1xf32>
      %375 = stablehlo.abs %372 : tensor<4x1xf32>
      %376 = stablehlo.negate %375 : tensor<4x1xf32>
      %377 = stablehlo.exponential %376 : tensor<4x1xf32>
      %378 = stablehlo.log_plus_one %377 : tensor<4x1xf32>
      %379 = stablehlo.add %371, %378 : tensor<4x1xf32>
      %380 = stablehlo.select %373, %374, %379 : tensor<4x1xi1>, tensor<4x1xf32>
      %381 = stablehlo.subtract %329, %380 : tensor<4x1xf32>
      %382 = stablehlo.exponential %381 : tensor<4x1xf32>
      %383 = stablehlo.broadcast_in_dim %382, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %384 = stablehlo.multiply %338, %383 : tensor<4x4xf32>
      %385 = stablehlo.subtract %370, %380 : tensor<4x1xf32>
      %386 = stablehlo.exponential %385 : tensor<4x1xf32>
      %387 = stablehlo.broadcast_in_dim %386, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %388 = stablehlo.multiply %368, %387 : tensor<4x4xf32>
      %389 = stablehlo.add %384, %388 : tensor<4x4xf32>
      sdy.return %389 : tensor<4x4xf32>
    } : (tensor<32x4xf32>, tensor<32x4xf32>, tensor<32x4xf32>) -> tensor<32x4xf32>
    return %0 : tensor<32x4xf32>
  }
  func.func private @_where(%arg0: tensor<4x4xi1>, %arg1: tensor<f32>, %arg2: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<4x4xi1>, tensor<4x4xf32>
    return %2 : tensor<4x4xf32>
  }
  func.func private @remainder(%arg0: tensor<i32>, %arg1: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where_0(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.remainder %arg0, %2 : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.compare NE, %3, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.compare LT, %3, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %7 = stablehlo.compare NE, %5, %6, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %8 = stablehlo.and %7, %4 : tensor<i1>
    %9 = stablehlo.add %3, %2 : tensor<i32>
    %10 = stablehlo.select %8, %9, %3 : tensor<i1>, tensor<i32>
    return %10 : tensor<i32>
  }
  func.func private @_where_0(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
