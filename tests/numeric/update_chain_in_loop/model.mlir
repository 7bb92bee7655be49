module @jit_loop attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x2x67x9xf32>, %arg1: tensor<2x1x9xf32>, %arg2: tensor<3xi32>) -> (tensor<3x2x67x9xf32> {jax.result_info = "result[0]"}, tensor<2x67xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x67xf32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %1:6 = stablehlo.while(%iterArg = %arg1, %iterArg_1 = %arg2, %iterArg_2 = %c_0, %iterArg_3 = %c, %iterArg_4 = %arg0, %iterArg_5 = %0) : tensor<2x1x9xf32>, tensor<3xi32>, tensor<i64>, tensor<i64>, tensor<3x2x67x9xf32>, tensor<2x67xf32>
    cond {
      %c_6 = stablehlo.constant dense<5> : tensor<i64>
      %2 = stablehlo.compare LT, %iterArg_2, %c_6, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2:3 = func.call @closed_call(%iterArg, %iterArg_1, %iterArg_3, %iterArg_4, %iterArg_5) : (tensor<2x1x9xf32>, tensor<3xi32>, tensor<i64>, tensor<3x2x67x9xf32>, tensor<2x67xf32>) -> (tensor<i64>, tensor<3x2x67x9xf32>, tensor<2x67xf32>)
      %c_6 = stablehlo.constant dense<1> : tensor<i64>
      %3 = stablehlo.add %iterArg_2, %c_6 : tensor<i64>
      stablehlo.return %iterArg, %iterArg_1, %3, %2#0, %2#1, %2#2 : tensor<2x1x9xf32>, tensor<3xi32>, tensor<i64>, tensor<i64>, tensor<3x2x67x9xf32>, tensor<2x67xf32>
    }
    return %1#4, %1#5 : tensor<3x2x67x9xf32>, tensor<2x67xf32>
  }
  func.func private @closed_call(%arg0: tensor<2x1x9xf32>, %arg1: tensor<3xi32>, %arg2: tensor<i64>, %arg3: tensor<3x2x67x9xf32>, %arg4: tensor<2x67xf32>) -> (tensor<i64>, tensor<3x2x67x9xf32>, tensor<2x67xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %0 = stablehlo.add %arg2, %c : tensor<i64>
    %c_0 = stablehlo.constant dense<1> : tensor<i64>
    %1 = stablehlo.add %arg2, %c_0 : tensor<i64>
    %2 = stablehlo.convert %1 : (tensor<i64>) -> tensor<f32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<2x1x9xf32>
    %4 = stablehlo.multiply %arg0, %3 : tensor<2x1x9xf32>
    %5 = stablehlo.convert %arg2 : (tensor<i64>) -> tensor<i32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %7 = stablehlo.add %arg1, %6 : tensor<3xi32>
    %8 = stablehlo.broadcast_in_dim %4, dims = [1, 2, 3] : (tensor<2x1x9xf32>) -> tensor<1x2x1x9xf32>
    %cst = stablehlo.constant dense<1.500000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x2x1x9xf32>
    %10 = stablehlo.multiply %8, %9 : tensor<1x2x1x9xf32>
    %11 = stablehlo.slice %7 [0:1] : (tensor<3xi32>) -> tensor<1xi32>
    %12 = stablehlo.reshape %11 : (tensor<1xi32>) -> tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %13 = stablehlo.compare LT, %c_1, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %c_4 = stablehlo.constant dense<3> : tensor<i32>
    %14 = stablehlo.add %c_3, %c_4 : tensor<i32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %15 = stablehlo.select %13, %14, %c_5 : tensor<i1>, tensor<i32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %16 = stablehlo.compare LT, %c_6, %c_7, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %c_9 = stablehlo.constant dense<2> : tensor<i32>
    %17 = stablehlo.add %c_8, %c_9 : tensor<i32>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %18 = stablehlo.select %16, %17, %c_10 : tensor<i1>, tensor<i32>
    %c_11 = stablehlo.constant dense<0> : tensor<i32>
    %19 = stablehlo.compare LT, %12, %c_11, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_12 = stablehlo.constant dense<67> : tensor<i32>
    %20 = stablehlo.add %12, %c_12 : tensor<i32>
    %21 = stablehlo.select %19, %20, %12 : tensor<i1>, tensor<i32>
    %c_13 = stablehlo.constant dense<0> : tensor<i32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %22 = stablehlo.compare LT, %c_13, %c_14, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_15 = stablehlo.constant dense<0> : tensor<i32>
    %c_16 = stablehlo.constant dense<9> : tensor<i32>
    %23 = stablehlo.add %c_15, %c_16 : tensor<i32>
    %c_17 = stablehlo.constant dense<0> : tensor<i32>
    %24 = stablehlo.select %22, %23, %c_17 : tensor<i1>, tensor<i32>
    %25 = stablehlo.dynamic_update_slice %arg3, %10, %15, %18, %21, %24 : (tensor<3x2x67x9xf32>, tensor<1x2x1x9xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x2x67x9xf32>
    %26 = stablehlo.slice %25 [0:1, 0:2, 0:67, 0:9] : (tensor<3x2x67x9xf32>) -> tensor<1x2x67x9xf32>
    %27 = stablehlo.reshape %26 : (tensor<1x2x67x9xf32>) -> tensor<2x67x9xf32>
    %28 = stablehlo.reshape %4 : (tensor<2x1x9xf32>) -> tensor<2x9xf32>
    %29 = stablehlo.dot_general %27, %28, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x67x9xf32>, tensor<2x9xf32>) -> tensor<2x67xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<2x67xf32>
    %31 = stablehlo.add %30, %29 : tensor<2x67xf32>
    %32 = stablehlo.broadcast_in_dim %4, dims = [1, 2, 3] : (tensor<2x1x9xf32>) -> tensor<1x2x1x9xf32>
    %cst_19 = stablehlo.constant dense<2.500000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<1x2x1x9xf32>
    %34 = stablehlo.multiply %32, %33 : tensor<1x2x1x9xf32>
    %35 = stablehlo.slice %7 [1:2] : (tensor<3xi32>) -> tensor<1xi32>
    %36 = stablehlo.reshape %35 : (tensor<1xi32>) -> tensor<i32>
    %c_20 = stablehlo.constant dense<1> : tensor<i32>
    %c_21 = stablehlo.constant dense<0> : tensor<i32>
    %37 = stablehlo.compare LT, %c_20, %c_21, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_22 = stablehlo.constant dense<1> : tensor<i32>
    %c_23 = stablehlo.constant dense<3> : tensor<i32>
    %38 = stablehlo.add %c_22, %c_23 : tensor<i32>
    %c_24 = stablehlo.constant dense<1> : tensor<i32>
    %39 = stablehlo.select %37, %38, %c_24 : tensor<i1>, tensor<i32>
    %c_25 = stablehlo.constant dense<0> : tensor<i32>
    %c_26 = stablehlo.constant dense<0> : tensor<i32>
    %40 = stablehlo.compare LT, %c_25, %c_26, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_27 = stablehlo.constant dense<0> : tensor<i32>
    %c_28 = stablehlo.constant dense<2> : tensor<i32>
    %41 = stablehlo.add %c_27, %c_28 : tensor<i32>
    %c_29 = stablehlo.constant dense<0> : tensor<i32>
    %42 = stablehlo.select %40, %41, %c_29 : tensor<i1>, tensor<i32>
    %c_30 = stablehlo.constant dense<0> : tensor<i32>
    %43 = stablehlo.compare LT, %36, %c_30, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_31 = stablehlo.constant dense<67> : tensor<i32>
    %44 = stablehlo.add %36, %c_31 : tensor<i32>
    %45 = stablehlo.select %43, %44, %36 : tensor<i1>, tensor<i32>
    %c_32 = stablehlo.constant dense<0> : tensor<i32>
    %c_33 = stablehlo.constant dense<0> : tensor<i32>
    %46 = stablehlo.compare LT, %c_32, %c_33, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_34 = stablehlo.constant dense<0> : tensor<i32>
    %c_35 = stablehlo.constant dense<9> : tensor<i32>
    %47 = stablehlo.add %c_34, %c_35 : tensor<i32>
    %c_36 = stablehlo.constant dense<0> : tensor<i32>
    %48 = stablehlo.select %46, %47, %c_36 : tensor<i1>, tensor<i32>
    %49 = stablehlo.dynamic_update_slice %25, %34, %39, %42, %45, %48 : (tensor<3x2x67x9xf32>, tensor<1x2x1x9xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x2x67x9xf32>
    %50 = stablehlo.slice %49 [1:2, 0:2, 0:67, 0:9] : (tensor<3x2x67x9xf32>) -> tensor<1x2x67x9xf32>
    %51 = stablehlo.reshape %50 : (tensor<1x2x67x9xf32>) -> tensor<2x67x9xf32>
    %52 = stablehlo.reshape %4 : (tensor<2x1x9xf32>) -> tensor<2x9xf32>
    %53 = stablehlo.dot_general %51, %52, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x67x9xf32>, tensor<2x9xf32>) -> tensor<2x67xf32>
    %54 = stablehlo.add %31, %53 : tensor<2x67xf32>
    %55 = stablehlo.broadcast_in_dim %4, dims = [1, 2, 3] : (tensor<2x1x9xf32>) -> tensor<1x2x1x9xf32>
    %cst_37 = stablehlo.constant dense<3.500000e+00> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<1x2x1x9xf32>
    %57 = stablehlo.multiply %55, %56 : tensor<1x2x1x9xf32>
    %58 = stablehlo.slice %7 [2:3] : (tensor<3xi32>) -> tensor<1xi32>
    %59 = stablehlo.reshape %58 : (tensor<1xi32>) -> tensor<i32>
    %c_38 = stablehlo.constant dense<2> : tensor<i32>
    %c_39 = stablehlo.constant dense<0> : tensor<i32>
    %60 = stablehlo.compare LT, %c_38, %c_39, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_40 = stablehlo.constant dense<2> : tensor<i32>
    %c_41 = stablehlo.constant dense<3> : tensor<i32>
    %61 = stablehlo.add %c_40, %c_41 : tensor<i32>
    %c_42 = stablehlo.constant dense<2> : tensor<i32>
    %62 = stablehlo.select %60, %61, %c_42 : tensor<i1>, tensor<i32>
    %c_43 = stablehlo.constant dense<0> : tensor<i32>
    %c_44 = stablehlo.constant dense<0> : tensor<i32>
    %63 = stablehlo.compare LT, %c_43, %c_44, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_45 = stablehlo.constant dense<0> : tensor<i32>
    %c_46 = stablehlo.constant dense<2> : tensor<i32>
    %64 = stablehlo.add %c_45, %c_46 : tensor<i32>
    %c_47 = stablehlo.constant dense<0> : tensor<i32>
    %65 = stablehlo.select %63, %64, %c_47 : tensor<i1>, tensor<i32>
    %c_48 = stablehlo.constant dense<0> : tensor<i32>
    %66 = stablehlo.compare LT, %59, %c_48, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_49 = stablehlo.constant dense<67> : tensor<i32>
    %67 = stablehlo.add %59, %c_49 : tensor<i32>
    %68 = stablehlo.select %66, %67, %59 : tensor<i1>, tensor<i32>
    %c_50 = stablehlo.constant dense<0> : tensor<i32>
    %c_51 = stablehlo.constant dense<0> : tensor<i32>
    %69 = stablehlo.compare LT, %c_50, %c_51, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_52 = stablehlo.constant dense<0> : tensor<i32>
    %c_53 = stablehlo.constant dense<9> : tensor<i32>
    %70 = stablehlo.add %c_52, %c_53 : tensor<i32>
    %c_54 = stablehlo.constant dense<0> : tensor<i32>
    %71 = stablehlo.select %69, %70, %c_54 : tensor<i1>, tensor<i32>
    %72 = stablehlo.dynamic_update_slice %49, %57, %62, %65, %68, %71 : (tensor<3x2x67x9xf32>, tensor<1x2x1x9xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x2x67x9xf32>
    %73 = stablehlo.slice %72 [2:3, 0:2, 0:67, 0:9] : (tensor<3x2x67x9xf32>) -> tensor<1x2x67x9xf32>
    %74 = stablehlo.reshape %73 : (tensor<1x2x67x9xf32>) -> tensor<2x67x9xf32>
    %75 = stablehlo.reshape %4 : (tensor<2x1x9xf32>) -> tensor<2x9xf32>
    %76 = stablehlo.dot_general %74, %75, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x67x9xf32>, tensor<2x9xf32>) -> tensor<2x67xf32>
    %77 = stablehlo.add %54, %76 : tensor<2x67xf32>
    %78 = stablehlo.add %arg4, %77 : tensor<2x67xf32>
    return %0, %72, %78 : tensor<i64>, tensor<3x2x67x9xf32>, tensor<2x67xf32>
  }
}
