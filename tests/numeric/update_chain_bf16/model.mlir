module @jit_chain attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x2x67x9xbf16>, %arg1: tensor<2x1x9xbf16>, %arg2: tensor<3xi64>) -> (tensor<3x2x67x9xbf16> {jax.result_info = "result[0]"}, tensor<2x67xbf16> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<2x1x9xbf16>) -> tensor<1x2x1x9xbf16>
    %cst = stablehlo.constant dense<1.500000e+00> : tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<1x2x1x9xbf16>
    %2 = stablehlo.multiply %0, %1 : tensor<1x2x1x9xbf16>
    %3 = stablehlo.slice %arg2 [0:1] : (tensor<3xi64>) -> tensor<1xi64>
    %4 = stablehlo.reshape %3 : (tensor<1xi64>) -> tensor<i64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %5 = stablehlo.compare LT, %c, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %c_2 = stablehlo.constant dense<3> : tensor<i64>
    %6 = stablehlo.add %c_1, %c_2 : tensor<i64>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %7 = stablehlo.select %5, %6, %c_3 : tensor<i1>, tensor<i64>
    %c_4 = stablehlo.constant dense<0> : tensor<i64>
    %c_5 = stablehlo.constant dense<0> : tensor<i64>
    %8 = stablehlo.compare LT, %c_4, %c_5, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_6 = stablehlo.constant dense<0> : tensor<i64>
    %c_7 = stablehlo.constant dense<2> : tensor<i64>
    %9 = stablehlo.add %c_6, %c_7 : tensor<i64>
    %c_8 = stablehlo.constant dense<0> : tensor<i64>
    %10 = stablehlo.select %8, %9, %c_8 : tensor<i1>, tensor<i64>
    %c_9 = stablehlo.constant dense<0> : tensor<i64>
    %11 = stablehlo.compare LT, %4, %c_9, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_10 = stablehlo.constant dense<67> : tensor<i64>
    %12 = stablehlo.add %4, %c_10 : tensor<i64>
    %13 = stablehlo.select %11, %12, %4 : tensor<i1>, tensor<i64>
    %c_11 = stablehlo.constant dense<0> : tensor<i64>
    %c_12 = stablehlo.constant dense<0> : tensor<i64>
    %14 = stablehlo.compare LT, %c_11, %c_12, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_13 = stablehlo.constant dense<0> : tensor<i64>
    %c_14 = stablehlo.constant dense<9> : tensor<i64>
    %15 = stablehlo.add %c_13, %c_14 : tensor<i64>
    %c_15 = stablehlo.constant dense<0> : tensor<i64>
    %16 = stablehlo.select %14, %15, %c_15 : tensor<i1>, tensor<i64>
    %17 = stablehlo.dynamic_update_slice %arg0, %2, %7, %10, %13, %16 : (tensor<3x2x67x9xbf16>, tensor<1x2x1x9xbf16>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<3x2x67x9xbf16>
    %18 = stablehlo.slice %17 [0:1, 0:2, 0:67, 0:9] : (tensor<3x2x67x9xbf16>) -> tensor<1x2x67x9xbf16>
    %19 = stablehlo.reshape %18 : (tensor<1x2x67x9xbf16>) -> tensor<2x67x9xbf16>
    %20 = stablehlo.reshape %arg1 : (tensor<2x1x9xbf16>) -> tensor<2x9xbf16>
    %21 = stablehlo.dot_general %19, %20, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x67x9xbf16>, tensor<2x9xbf16>) -> tensor<2x67xbf16>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %22 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<bf16>) -> tensor<2x67xbf16>
    %23 = stablehlo.add %22, %21 : tensor<2x67xbf16>
    %24 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<2x1x9xbf16>) -> tensor<1x2x1x9xbf16>
    %cst_17 = stablehlo.constant dense<2.500000e+00> : tensor<bf16>
    %25 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<bf16>) -> tensor<1x2x1x9xbf16>
    %26 = stablehlo.multiply %24, %25 : tensor<1x2x1x9xbf16>
    %27 = stablehlo.slice %arg2 [1:2] : (tensor<3xi64>) -> tensor<1xi64>
    %28 = stablehlo.reshape %27 : (tensor<1xi64>) -> tensor<i64>
    %c_18 = stablehlo.constant dense<1> : tensor<i64>
    %c_19 = stablehlo.constant dense<0> : tensor<i64>
    %29 = stablehlo.compare LT, %c_18, %c_19, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_20 = stablehlo.constant dense<1> : tensor<i64>
    %c_21 = stablehlo.constant dense<3> : tensor<i64>
    %30 = stablehlo.add %c_20, %c_21 : tensor<i64>
    %c_22 = stablehlo.constant dense<1> : tensor<i64>
    %31 = stablehlo.select %29, %30, %c_22 : tensor<i1>, tensor<i64>
    %c_23 = stablehlo.constant dense<0> : tensor<i64>
    %c_24 = stablehlo.constant dense<0> : tensor<i64>
    %32 = stablehlo.compare LT, %c_23, %c_24, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_25 = stablehlo.constant dense<0> : tensor<i64>
    %c_26 = stablehlo.constant dense<2> : tensor<i64>
    %33 = stablehlo.add %c_25, %c_26 : tensor<i64>
    %c_27 = stablehlo.constant dense<0> : tensor<i64>
    %34 = stablehlo.select %32, %33, %c_27 : tensor<i1>, tensor<i64>
    %c_28 = stablehlo.constant dense<0> : tensor<i64>
    %35 = stablehlo.compare LT, %28, %c_28, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_29 = stablehlo.constant dense<67> : tensor<i64>
    %36 = stablehlo.add %28, %c_29 : tensor<i64>
    %37 = stablehlo.select %35, %36, %28 : tensor<i1>, tensor<i64>
    %c_30 = stablehlo.constant dense<0> : tensor<i64>
    %c_31 = stablehlo.constant dense<0> : tensor<i64>
    %38 = stablehlo.compare LT, %c_30, %c_31, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_32 = stablehlo.constant dense<0> : tensor<i64>
    %c_33 = stablehlo.constant dense<9> : tensor<i64>
    %39 = stablehlo.add %c_32, %c_33 : tensor<i64>
    %c_34 = stablehlo.constant dense<0> : tensor<i64>
    %40 = stablehlo.select %38, %39, %c_34 : tensor<i1>, tensor<i64>
    %41 = stablehlo.dynamic_update_slice %17, %26, %31, %34, %37, %40 : (tensor<3x2x67x9xbf16>, tensor<1x2x1x9xbf16>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<3x2x67x9xbf16>
    %42 = stablehlo.slice %41 [1:2, 0:2, 0:67, 0:9] : (tensor<3x2x67x9xbf16>) -> tensor<1x2x67x9xbf16>
    %43 = stablehlo.reshape %42 : (tensor<1x2x67x9xbf16>) -> tensor<2x67x9xbf16>
    %44 = stablehlo.reshape %arg1 : (tensor<2x1x9xbf16>) -> tensor<2x9xbf16>
    %45 = stablehlo.dot_general %43, %44, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x67x9xbf16>, tensor<2x9xbf16>) -> tensor<2x67xbf16>
    %46 = stablehlo.add %23, %45 : tensor<2x67xbf16>
    %47 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<2x1x9xbf16>) -> tensor<1x2x1x9xbf16>
    %cst_35 = stablehlo.constant dense<3.500000e+00> : tensor<bf16>
    %48 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<bf16>) -> tensor<1x2x1x9xbf16>
    %49 = stablehlo.multiply %47, %48 : tensor<1x2x1x9xbf16>
    %50 = stablehlo.slice %arg2 [2:3] : (tensor<3xi64>) -> tensor<1xi64>
    %51 = stablehlo.reshape %50 : (tensor<1xi64>) -> tensor<i64>
    %c_36 = stablehlo.constant dense<2> : tensor<i64>
    %c_37 = stablehlo.constant dense<0> : tensor<i64>
    %52 = stablehlo.compare LT, %c_36, %c_37, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_38 = stablehlo.constant dense<2> : tensor<i64>
    %c_39 = stablehlo.constant dense<3> : tensor<i64>
    %53 = stablehlo.add %c_38, %c_39 : tensor<i64>
    %c_40 = stablehlo.constant dense<2> : tensor<i64>
    %54 = stablehlo.select %52, %53, %c_40 : tensor<i1>, tensor<i64>
    %c_41 = stablehlo.constant dense<0> : tensor<i64>
    %c_42 = stablehlo.constant dense<0> : tensor<i64>
    %55 = stablehlo.compare LT, %c_41, %c_42, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_43 = stablehlo.constant dense<0> : tensor<i64>
    %c_44 = stablehlo.constant dense<2> : tensor<i64>
    %56 = stablehlo.add %c_43, %c_44 : tensor<i64>
    %c_45 = stablehlo.constant dense<0> : tensor<i64>
    %57 = stablehlo.select %55, %56, %c_45 : tensor<i1>, tensor<i64>
    %c_46 = stablehlo.constant dense<0> : tensor<i64>
    %58 = stablehlo.compare LT, %51, %c_46, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_47 = stablehlo.constant dense<67> : tensor<i64>
    %59 = stablehlo.add %51, %c_47 : tensor<i64>
    %60 = stablehlo.select %58, %59, %51 : tensor<i1>, tensor<i64>
    %c_48 = stablehlo.constant dense<0> : tensor<i64>
    %c_49 = stablehlo.constant dense<0> : tensor<i64>
    %61 = stablehlo.compare LT, %c_48, %c_49, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_50 = stablehlo.constant dense<0> : tensor<i64>
    %c_51 = stablehlo.constant dense<9> : tensor<i64>
    %62 = stablehlo.add %c_50, %c_51 : tensor<i64>
    %c_52 = stablehlo.constant dense<0> : tensor<i64>
    %63 = stablehlo.select %61, %62, %c_52 : tensor<i1>, tensor<i64>
    %64 = stablehlo.dynamic_update_slice %41, %49, %54, %57, %60, %63 : (tensor<3x2x67x9xbf16>, tensor<1x2x1x9xbf16>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<3x2x67x9xbf16>
    %65 = stablehlo.slice %64 [2:3, 0:2, 0:67, 0:9] : (tensor<3x2x67x9xbf16>) -> tensor<1x2x67x9xbf16>
    %66 = stablehlo.reshape %65 : (tensor<1x2x67x9xbf16>) -> tensor<2x67x9xbf16>
    %67 = stablehlo.reshape %arg1 : (tensor<2x1x9xbf16>) -> tensor<2x9xbf16>
    %68 = stablehlo.dot_general %66, %67, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x67x9xbf16>, tensor<2x9xbf16>) -> tensor<2x67xbf16>
    %69 = stablehlo.add %46, %68 : tensor<2x67xbf16>
    return %64, %69 : tensor<3x2x67x9xbf16>, tensor<2x67xbf16>
  }
}
