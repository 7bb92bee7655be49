module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x11x10x3xf32>) -> (tensor<2x5x4x3xf32> {jax.result_info = "result"}) {
    %0 = call @_resize(%arg0) : (tensor<2x11x10x3xf32>) -> tensor<2x5x4x3xf32>
    return %0 : tensor<2x5x4x3xf32>
  }
  func.func private @_resize(%arg0: tensor<2x11x10x3xf32>) -> tensor<2x5x4x3xf32> {
    %cst = stablehlo.constant dense<2.200000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.maximum %cst, %cst_0 : tensor<f32>
    %1 = stablehlo.iota dim = 0 : tensor<5xf32>
    %cst_1 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %3 = stablehlo.add %1, %2 : tensor<5xf32>
    %cst_2 = stablehlo.constant dense<2.200000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %5 = stablehlo.multiply %3, %4 : tensor<5xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %7 = stablehlo.subtract %5, %6 : tensor<5xf32>
    %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %9 = stablehlo.subtract %7, %8 : tensor<5xf32>
    %10 = stablehlo.iota dim = 0 : tensor<11xf32>
    %11 = stablehlo.broadcast_in_dim %9, dims = [1] : (tensor<5xf32>) -> tensor<1x5xf32>
    %12 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<11xf32>) -> tensor<11x1xf32>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<1x5xf32>) -> tensor<11x5xf32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<11x1xf32>) -> tensor<11x5xf32>
    %15 = stablehlo.subtract %13, %14 : tensor<11x5xf32>
    %16 = stablehlo.abs %15 : tensor<11x5xf32>
    %17 = stablehlo.convert %0 : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [] : (tensor<f32>) -> tensor<11x5xf32>
    %19 = stablehlo.divide %16, %18 : tensor<11x5xf32>
    %cst_5 = stablehlo.constant dense<3.14159274> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<11x5xf32>
    %21 = stablehlo.multiply %20, %19 : tensor<11x5xf32>
    %22 = stablehlo.sine %21 : tensor<11x5xf32>
    %cst_6 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<11x5xf32>
    %24 = stablehlo.multiply %23, %22 : tensor<11x5xf32>
    %cst_7 = stablehlo.constant dense<3.14159274> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<11x5xf32>
    %26 = stablehlo.multiply %25, %19 : tensor<11x5xf32>
    %cst_8 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<11x5xf32>
    %28 = stablehlo.divide %26, %27 : tensor<11x5xf32>
    %29 = stablehlo.sine %28 : tensor<11x5xf32>
    %30 = stablehlo.multiply %24, %29 : tensor<11x5xf32>
    %cst_9 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<11x5xf32>
    %32 = stablehlo.compare GT, %19, %31, FLOAT : (tensor<11x5xf32>, tensor<11x5xf32>) -> tensor<11x5xi1>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<11x5xf32>
    %34 = stablehlo.compare NE, %19, %33, FLOAT : (tensor<11x5xf32>, tensor<11x5xf32>) -> tensor<11x5xi1>
    %35 = stablehlo.multiply %19, %19 : tensor<11x5xf32>
    %cst_11 = stablehlo.constant dense<9.86960411> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<11x5xf32>
    %37 = stablehlo.multiply %36, %35 : tensor<11x5xf32>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %38 = call @_where(%34, %37, %c) : (tensor<11x5xi1>, tensor<11x5xf32>, tensor<i32>) -> tensor<11x5xf32>
    %39 = stablehlo.divide %30, %38 : tensor<11x5xf32>
    %c_12 = stablehlo.constant dense<1> : tensor<i32>
    %40 = call @_where(%32, %39, %c_12) : (tensor<11x5xi1>, tensor<11x5xf32>, tensor<i32>) -> tensor<11x5xf32>
    %cst_13 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<11x5xf32>
    %42 = stablehlo.compare GT, %19, %41, FLOAT : (tensor<11x5xf32>, tensor<11x5xf32>) -> tensor<11x5xi1>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %43 = call @_where_0(%42, %cst_14, %40) : (tensor<11x5xi1>, tensor<f32>, tensor<11x5xf32>) -> tensor<11x5xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %44 = stablehlo.reduce(%43 init: %cst_15) applies stablehlo.add across dimensions = [0] : (tensor<11x5xf32>, tensor<f32>) -> tensor<5xf32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [1] : (tensor<5xf32>) -> tensor<1x5xf32>
    %46 = stablehlo.abs %45 : tensor<1x5xf32>
    %cst_16 = stablehlo.constant dense<1.1920929E-4> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<1x5xf32>
    %48 = stablehlo.compare GT, %46, %47, FLOAT : (tensor<1x5xf32>, tensor<1x5xf32>) -> tensor<1x5xi1>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<1x5xf32>
    %50 = stablehlo.compare NE, %45, %49, FLOAT : (tensor<1x5xf32>, tensor<1x5xf32>) -> tensor<1x5xi1>
    %c_18 = stablehlo.constant dense<1> : tensor<i32>
    %51 = call @_where_1(%50, %45, %c_18) : (tensor<1x5xi1>, tensor<1x5xf32>, tensor<i32>) -> tensor<1x5xf32>
    %52 = stablehlo.broadcast_in_dim %51, dims = [0, 1] : (tensor<1x5xf32>) -> tensor<11x5xf32>
    %53 = stablehlo.divide %43, %52 : tensor<11x5xf32>
    %c_19 = stablehlo.constant dense<0> : tensor<i32>
    %54 = call @_where_2(%48, %53, %c_19) : (tensor<1x5xi1>, tensor<11x5xf32>, tensor<i32>) -> tensor<11x5xf32>
    %cst_20 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %56 = stablehlo.compare GE, %9, %55, FLOAT : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
    %cst_21 = stablehlo.constant dense<1.050000e+01> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %58 = stablehlo.compare LE, %9, %57, FLOAT : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
    %59 = stablehlo.and %56, %58 : tensor<5xi1>
    %60 = stablehlo.broadcast_in_dim %59, dims = [1] : (tensor<5xi1>) -> tensor<1x5xi1>
    %c_22 = stablehlo.constant dense<0> : tensor<i32>
    %61 = call @_where_2(%60, %54, %c_22) : (tensor<1x5xi1>, tensor<11x5xf32>, tensor<i32>) -> tensor<11x5xf32>
    %cst_23 = stablehlo.constant dense<2.500000e+00> : tensor<f32>
    %cst_24 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %62 = stablehlo.maximum %cst_23, %cst_24 : tensor<f32>
    %63 = stablehlo.iota dim = 0 : tensor<4xf32>
    %cst_25 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %65 = stablehlo.add %63, %64 : tensor<4xf32>
    %cst_26 = stablehlo.constant dense<2.500000e+00> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %67 = stablehlo.multiply %65, %66 : tensor<4xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %69 = stablehlo.subtract %67, %68 : tensor<4xf32>
    %cst_28 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %71 = stablehlo.subtract %69, %70 : tensor<4xf32>
    %72 = stablehlo.iota dim = 0 : tensor<10xf32>
    %73 = stablehlo.broadcast_in_dim %71, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %74 = stablehlo.broadcast_in_dim %72, dims = [0] : (tensor<10xf32>) -> tensor<10x1xf32>
    %75 = stablehlo.broadcast_in_dim %73, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<10x4xf32>
    %76 = stablehlo.broadcast_in_dim %74, dims = [0, 1] : (tensor<10x1xf32>) -> tensor<10x4xf32>
    %77 = stablehlo.subtract %75, %76 : tensor<10x4xf32>
    %78 = stablehlo.abs %77 : tensor<10x4xf32>
    %79 = stablehlo.convert %62 : tensor<f32>
    %80 = stablehlo.broadcast_in_dim %79, dims = [] : (tensor<f32>) -> tensor<10x4xf32>
    %81 = stablehlo.divide %78, %80 : tensor<10x4xf32>
    %cst_29 = stablehlo.constant dense<3.14159274> : tensor<f32>
    %82 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<10x4xf32>
    %83 = stablehlo.multiply %82, %81 : tensor<10x4xf32>
    %84 = stablehlo.sine %83 : tensor<10x4xf32>
    %cst_30 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<10x4xf32>
    %86 = stablehlo.multiply %85, %84 : tensor<10x4xf32>
    %cst_31 = stablehlo.constant dense<3.14159274> : tensor<f32>
    %87 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<10x4xf32>
    %88 = stablehlo.multiply %87, %81 : tensor<10x4xf32>
    %cst_32 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %89 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<10x4xf32>
    %90 = stablehlo.divide %88, %89 : tensor<10x4xf32>
    %91 = stablehlo.sine %90 : tensor<10x4xf32>
    %92 = stablehlo.multiply %86, %91 : tensor<10x4xf32>
    %cst_33 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %93 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<10x4xf32>
    %94 = stablehlo.compare GT, %81, %93, FLOAT : (tensor<10x4xf32>, tensor<10x4xf32>) -> tensor<10x4xi1>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<10x4xf32>
    %96 = stablehlo.compare NE, %81, %95, FLOAT : (tensor<10x4xf32>, tensor<10x4xf32>) -> tensor<10x4xi1>
    %97 = stablehlo.multiply %81, %81 : tensor<10x4xf32>
    %cst_35 = stablehlo.constant dense<9.86960411> : tensor<f32>
    %98 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<10x4xf32>
    %99 = stablehlo.multiply %98, %97 : tensor<10x4xf32>
    %c_36 = stablehlo.constant dense<1> : tensor<i32>
    %100 = call @_where_3(%96, %99, %c_36) : (tensor<10x4xi1>, tensor<10x4xf32>, tensor<i32>) -> tensor<10x4xf32>
    %101 = stablehlo.divide %92, %100 : tensor<10x4xf32>
    %c_37 = stablehlo.constant dense<1> : tensor<i32>
    %102 = call @_where_3(%94, %101, %c_37) : (tensor<10x4xi1>, tensor<10x4xf32>, tensor<i32>) -> tensor<10x4xf32>
    %cst_38 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %103 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<10x4xf32>
    %104 = stablehlo.compare GT, %81, %103, FLOAT : (tensor<10x4xf32>, tensor<10x4xf32>) -> tensor<10x4xi1>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %105 = call @_where_4(%104, %cst_39, %102) : (tensor<10x4xi1>, tensor<f32>, tensor<10x4xf32>) -> tensor<10x4xf32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %106 = stablehlo.reduce(%105 init: %cst_40) applies stablehlo.add across dimensions = [0] : (tensor<10x4xf32>, tensor<f32>) -> tensor<4xf32>
    %107 = stablehlo.broadcast_in_dim %106, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %108 = stablehlo.abs %107 : tensor<1x4xf32>
    %cst_41 = stablehlo.constant dense<1.1920929E-4> : tensor<f32>
    %109 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<1x4xf32>
    %110 = stablehlo.compare GT, %108, %109, FLOAT : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xi1>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %111 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<1x4xf32>
    %112 = stablehlo.compare NE, %107, %111, FLOAT : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xi1>
    %c_43 = stablehlo.constant dense<1> : tensor<i32>
    %113 = call @_where_5(%112, %107, %c_43) : (tensor<1x4xi1>, tensor<1x4xf32>, tensor<i32>) -> tensor<1x4xf32>
    %114 = stablehlo.broadcast_in_dim %113, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<10x4xf32>
    %115 = stablehlo.divide %105, %114 : tensor<10x4xf32>
    %c_44 = stablehlo.constant dense<0> : tensor<i32>
    %116 = call @_where_6(%110, %115, %c_44) : (tensor<1x4xi1>, tensor<10x4xf32>, tensor<i32>) -> tensor<10x4xf32>
    %cst_45 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %117 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %118 = stablehlo.compare GE, %71, %117, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %cst_46 = stablehlo.constant dense<9.500000e+00> : tensor<f32>
    %119 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %120 = stablehlo.compare LE, %71, %119, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %121 = stablehlo.and %118, %120 : tensor<4xi1>
    %122 = stablehlo.broadcast_in_dim %121, dims = [1] : (tensor<4xi1>) -> tensor<1x4xi1>
    %c_47 = stablehlo.constant dense<0> : tensor<i32>
    %123 = call @_where_6(%122, %116, %c_47) : (tensor<1x4xi1>, tensor<10x4xf32>, tensor<i32>) -> tensor<10x4xf32>
    %124 = stablehlo.dot_general %123, %arg0, contracting_dims = [0] x [2], precision = [HIGHEST, HIGHEST] : (tensor<10x4xf32>, tensor<2x11x10x3xf32>) -> tensor<4x2x11x3xf32>
    %125 = stablehlo.dot_general %124, %61, contracting_dims = [2] x [0], precision = [HIGHEST, HIGHEST] : (tensor<4x2x11x3xf32>, tensor<11x5xf32>) -> tensor<4x2x3x5xf32>
    %126 = stablehlo.transpose %125, dims = [1, 3, 0, 2] : (tensor<4x2x3x5xf32>) -> tensor<2x5x4x3xf32>
    return %126 : tensor<2x5x4x3xf32>
  }
  func.func private @_where(%arg0: tensor<11x5xi1>, %arg1: tensor<11x5xf32>, %arg2: tensor<i32>) -> tensor<11x5xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<11x5xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<11x5xi1>, tensor<11x5xf32>
    return %2 : tensor<11x5xf32>
  }
  func.func private @_where_0(%arg0: tensor<11x5xi1>, %arg1: tensor<f32>, %arg2: tensor<11x5xf32>) -> tensor<11x5xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<11x5xf32>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<11x5xi1>, tensor<11x5xf32>
    return %2 : tensor<11x5xf32>
  }
  func.func private @_where_1(%arg0: tensor<1x5xi1>, %arg1: tensor<1x5xf32>, %arg2: tensor<i32>) -> tensor<1x5xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1x5xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<1x5xi1>, tensor<1x5xf32>
    return %2 : tensor<1x5xf32>
  }
  func.func private @_where_2(%arg0: tensor<1x5xi1>, %arg1: tensor<11x5xf32>, %arg2: tensor<i32>) -> tensor<11x5xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<1x5xi1>) -> tensor<11x5xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<11x5xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<11x5xi1>, tensor<11x5xf32>
    return %3 : tensor<11x5xf32>
  }
  func.func private @_where_3(%arg0: tensor<10x4xi1>, %arg1: tensor<10x4xf32>, %arg2: tensor<i32>) -> tensor<10x4xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<10x4xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<10x4xi1>, tensor<10x4xf32>
    return %2 : tensor<10x4xf32>
  }
  func.func private @_where_4(%arg0: tensor<10x4xi1>, %arg1: tensor<f32>, %arg2: tensor<10x4xf32>) -> tensor<10x4xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<10x4xf32>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<10x4xi1>, tensor<10x4xf32>
    return %2 : tensor<10x4xf32>
  }
  func.func private @_where_5(%arg0: tensor<1x4xi1>, %arg1: tensor<1x4xf32>, %arg2: tensor<i32>) -> tensor<1x4xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1x4xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<1x4xi1>, tensor<1x4xf32>
    return %2 : tensor<1x4xf32>
  }
  func.func private @_where_6(%arg0: tensor<1x4xi1>, %arg1: tensor<10x4xf32>, %arg2: tensor<i32>) -> tensor<10x4xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<1x4xi1>) -> tensor<10x4xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<10x4xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<10x4xi1>, tensor<10x4xf32>
    return %3 : tensor<10x4xf32>
  }
}
