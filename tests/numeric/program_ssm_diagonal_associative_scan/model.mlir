module @jit_run attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6xf32>, %arg1: tensor<6xf32>, %arg2: tensor<19x6xf32>) -> (tensor<19x6xf32> {jax.result_info = "result"}) {
    %0 = call @softplus(%arg0) : (tensor<6xf32>) -> tensor<6xf32>
    %1 = stablehlo.negate %0 : tensor<6xf32>
    %2 = stablehlo.exponential %1 : tensor<6xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<6xf32>) -> tensor<1x6xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<19x6xf32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<19x6xf32>
    %6 = stablehlo.multiply %5, %4 : tensor<19x6xf32>
    %7 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<6xf32>) -> tensor<1x6xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<19x6xf32>
    %9 = stablehlo.multiply %8, %arg2 : tensor<19x6xf32>
    %10 = stablehlo.slice %6 [0:18:2, 0:6] : (tensor<19x6xf32>) -> tensor<9x6xf32>
    %11 = stablehlo.slice %9 [0:18:2, 0:6] : (tensor<19x6xf32>) -> tensor<9x6xf32>
    %12 = stablehlo.slice %6 [1:19:2, 0:6] : (tensor<19x6xf32>) -> tensor<9x6xf32>
    %13 = stablehlo.slice %9 [1:19:2, 0:6] : (tensor<19x6xf32>) -> tensor<9x6xf32>
    %14 = stablehlo.multiply %10, %12 : tensor<9x6xf32>
    %15 = stablehlo.multiply %11, %12 : tensor<9x6xf32>
    %16 = stablehlo.add %15, %13 : tensor<9x6xf32>
    %17 = stablehlo.slice %14 [0:8:2, 0:6] : (tensor<9x6xf32>) -> tensor<4x6xf32>
    %18 = stablehlo.slice %16 [0:8:2, 0:6] : (tensor<9x6xf32>) -> tensor<4x6xf32>
    %19 = stablehlo.slice %14 [1:9:2, 0:6] : (tensor<9x6xf32>) -> tensor<4x6xf32>
    %20 = stablehlo.slice %16 [1:9:2, 0:6] : (tensor<9x6xf32>) -> tensor<4x6xf32>
    %21 = stablehlo.multiply %17, %19 : tensor<4x6xf32>
    %22 = stablehlo.multiply %18, %19 : tensor<4x6xf32>
    %23 = stablehlo.add %22, %20 : tensor<4x6xf32>
    %24 = stablehlo.slice %21 [0:3:2, 0:6] : (tensor<4x6xf32>) -> tensor<2x6xf32>
    %25 = stablehlo.slice %23 [0:3:2, 0:6] : (tensor<4x6xf32>) -> tensor<2x6xf32>
    %26 = stablehlo.slice %21 [1:4:2, 0:6] : (tensor<4x6xf32>) -> tensor<2x6xf32>
    %27 = stablehlo.slice %23 [1:4:2, 0:6] : (tensor<4x6xf32>) -> tensor<2x6xf32>
    %28 = stablehlo.multiply %24, %26 : tensor<2x6xf32>
    %29 = stablehlo.multiply %25, %26 : tensor<2x6xf32>
    %30 = stablehlo.add %29, %27 : tensor<2x6xf32>
    %31 = stablehlo.slice %28 [0:1:2, 0:6] : (tensor<2x6xf32>) -> tensor<1x6xf32>
    %32 = stablehlo.slice %30 [0:1:2, 0:6] : (tensor<2x6xf32>) -> tensor<1x6xf32>
    %33 = stablehlo.slice %28 [1:2:2, 0:6] : (tensor<2x6xf32>) -> tensor<1x6xf32>
    %34 = stablehlo.slice %30 [1:2:2, 0:6] : (tensor<2x6xf32>) -> tensor<1x6xf32>
    %35 = stablehlo.multiply %31, %33 : tensor<1x6xf32>
    %36 = stablehlo.multiply %32, %33 : tensor<1x6xf32>
    %37 = stablehlo.add %36, %34 : tensor<1x6xf32>
    %38 = stablehlo.slice %35 [0:0, 0:6] : (tensor<1x6xf32>) -> tensor<0x6xf32>
    %39 = stablehlo.slice %37 [0:0, 0:6] : (tensor<1x6xf32>) -> tensor<0x6xf32>
    %40 = stablehlo.slice %28 [2:2:2, 0:6] : (tensor<2x6xf32>) -> tensor<0x6xf32>
    %41 = stablehlo.slice %30 [2:2:2, 0:6] : (tensor<2x6xf32>) -> tensor<0x6xf32>
    %42 = stablehlo.multiply %38, %40 : tensor<0x6xf32>
    %43 = stablehlo.multiply %39, %40 : tensor<0x6xf32>
    %44 = stablehlo.add %43, %41 : tensor<0x6xf32>
    %45 = stablehlo.slice %28 [0:1, 0:6] : (tensor<2x6xf32>) -> tensor<1x6xf32>
    %46 = stablehlo.concatenate %45, %42, dim = 0 : (tensor<1x6xf32>, tensor<0x6xf32>) -> tensor<1x6xf32>
    %47 = stablehlo.slice %30 [0:1, 0:6] : (tensor<2x6xf32>) -> tensor<1x6xf32>
    %48 = stablehlo.concatenate %47, %44, dim = 0 : (tensor<1x6xf32>, tensor<0x6xf32>) -> tensor<1x6xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.pad %46, %cst_0, low = [0, 0], high = [1, 0], interior = [1, 0] : (tensor<1x6xf32>, tensor<f32>) -> tensor<2x6xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %50 = stablehlo.pad %35, %cst_1, low = [1, 0], high = [0, 0], interior = [1, 0] : (tensor<1x6xf32>, tensor<f32>) -> tensor<2x6xf32>
    %51 = stablehlo.add %49, %50 : tensor<2x6xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %52 = stablehlo.pad %48, %cst_2, low = [0, 0], high = [1, 0], interior = [1, 0] : (tensor<1x6xf32>, tensor<f32>) -> tensor<2x6xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %53 = stablehlo.pad %37, %cst_3, low = [1, 0], high = [0, 0], interior = [1, 0] : (tensor<1x6xf32>, tensor<f32>) -> tensor<2x6xf32>
    %54 = stablehlo.add %52, %53 : tensor<2x6xf32>
    %55 = stablehlo.slice %51 [0:1, 0:6] : (tensor<2x6xf32>) -> tensor<1x6xf32>
    %56 = stablehlo.slice %54 [0:1, 0:6] : (tensor<2x6xf32>) -> tensor<1x6xf32>
    %57 = stablehlo.slice %21 [2:4:2, 0:6] : (tensor<4x6xf32>) -> tensor<1x6xf32>
    %58 = stablehlo.slice %23 [2:4:2, 0:6] : (tensor<4x6xf32>) -> tensor<1x6xf32>
    %59 = stablehlo.multiply %55, %57 : tensor<1x6xf32>
    %60 = stablehlo.multiply %56, %57 : tensor<1x6xf32>
    %61 = stablehlo.add %60, %58 : tensor<1x6xf32>
    %62 = stablehlo.slice %21 [0:1, 0:6] : (tensor<4x6xf32>) -> tensor<1x6xf32>
    %63 = stablehlo.concatenate %62, %59, dim = 0 : (tensor<1x6xf32>, tensor<1x6xf32>) -> tensor<2x6xf32>
    %64 = stablehlo.slice %23 [0:1, 0:6] : (tensor<4x6xf32>) -> tensor<1x6xf32>
    %65 = stablehlo.concatenate %64, %61, dim = 0 : (tensor<1x6xf32>, tensor<1x6xf32>) -> tensor<2x6xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %66 = stablehlo.pad %63, %cst_4, low = [0, 0], high = [1, 0], interior = [1, 0] : (tensor<2x6xf32>, tensor<f32>) -> tensor<4x6xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %67 = stablehlo.pad %51, %cst_5, low = [1, 0], high = [0, 0], interior = [1, 0] : (tensor<2x6xf32>, tensor<f32>) -> tensor<4x6xf32>
    %68 = stablehlo.add %66, %67 : tensor<4x6xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %69 = stablehlo.pad %65, %cst_6, low = [0, 0], high = [1, 0], interior = [1, 0] : (tensor<2x6xf32>, tensor<f32>) -> tensor<4x6xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %70 = stablehlo.pad %54, %cst_7, low = [1, 0], high = [0, 0], interior = [1, 0] : (tensor<2x6xf32>, tensor<f32>) -> tensor<4x6xf32>
    %71 = stablehlo.add %69, %70 : tensor<4x6xf32>
    %72 = stablehlo.slice %14 [2:9:2, 0:6] : (tensor<9x6xf32>) -> tensor<4x6xf32>
    %73 = stablehlo.slice %16 [2:9:2, 0:6] : (tensor<9x6xf32>) -> tensor<4x6xf32>
    %74 = stablehlo.multiply %68, %72 : tensor<4x6xf32>
    %75 = stablehlo.multiply %71, %72 : tensor<4x6xf32>
    %76 = stablehlo.add %75, %73 : tensor<4x6xf32>
    %77 = stablehlo.slice %14 [0:1, 0:6] : (tensor<9x6xf32>) -> tensor<1x6xf32>
    %78 = stablehlo.concatenate %77, %74, dim = 0 : (tensor<1x6xf32>, tensor<4x6xf32>) -> tensor<5x6xf32>
    %79 = stablehlo.slice %16 [0:1, 0:6] : (tensor<9x6xf32>) -> tensor<1x6xf32>
    %80 = stablehlo.concatenate %79, %76, dim = 0 : (tensor<1x6xf32>, tensor<4x6xf32>) -> tensor<5x6xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %81 = stablehlo.pad %78, %cst_8, low = [0, 0], high = [0, 0], interior = [1, 0] : (tensor<5x6xf32>, tensor<f32>) -> tensor<9x6xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %82 = stablehlo.pad %68, %cst_9, low = [1, 0], high = [1, 0], interior = [1, 0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<9x6xf32>
    %83 = stablehlo.add %81, %82 : tensor<9x6xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %84 = stablehlo.pad %80, %cst_10, low = [0, 0], high = [0, 0], interior = [1, 0] : (tensor<5x6xf32>, tensor<f32>) -> tensor<9x6xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %85 = stablehlo.pad %71, %cst_11, low = [1, 0], high = [1, 0], interior = [1, 0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<9x6xf32>
    %86 = stablehlo.add %84, %85 : tensor<9x6xf32>
    %87 = stablehlo.slice %6 [2:19:2, 0:6] : (tensor<19x6xf32>) -> tensor<9x6xf32>
    %88 = stablehlo.slice %9 [2:19:2, 0:6] : (tensor<19x6xf32>) -> tensor<9x6xf32>
    %89 = stablehlo.multiply %83, %87 : tensor<9x6xf32>
    %90 = stablehlo.multiply %86, %87 : tensor<9x6xf32>
    %91 = stablehlo.add %90, %88 : tensor<9x6xf32>
    %92 = stablehlo.slice %6 [0:1, 0:6] : (tensor<19x6xf32>) -> tensor<1x6xf32>
    %93 = stablehlo.concatenate %92, %89, dim = 0 : (tensor<1x6xf32>, tensor<9x6xf32>) -> tensor<10x6xf32>
    %94 = stablehlo.slice %9 [0:1, 0:6] : (tensor<19x6xf32>) -> tensor<1x6xf32>
    %95 = stablehlo.concatenate %94, %91, dim = 0 : (tensor<1x6xf32>, tensor<9x6xf32>) -> tensor<10x6xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %96 = stablehlo.pad %93, %cst_12, low = [0, 0], high = [0, 0], interior = [1, 0] : (tensor<10x6xf32>, tensor<f32>) -> tensor<19x6xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %97 = stablehlo.pad %83, %cst_13, low = [1, 0], high = [1, 0], interior = [1, 0] : (tensor<9x6xf32>, tensor<f32>) -> tensor<19x6xf32>
    %98 = stablehlo.add %96, %97 : tensor<19x6xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %99 = stablehlo.pad %95, %cst_14, low = [0, 0], high = [0, 0], interior = [1, 0] : (tensor<10x6xf32>, tensor<f32>) -> tensor<19x6xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %100 = stablehlo.pad %86, %cst_15, low = [1, 0], high = [1, 0], interior = [1, 0] : (tensor<9x6xf32>, tensor<f32>) -> tensor<19x6xf32>
    %101 = stablehlo.add %99, %100 : tensor<19x6xf32>
    return %101 : tensor<19x6xf32>
  }
  func.func private @softplus(%arg0: tensor<6xf32>) -> tensor<6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<6xf32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %3 = stablehlo.subtract %arg0, %2 : tensor<6xf32>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %6 = stablehlo.add %arg0, %5 : tensor<6xf32>
    %7 = stablehlo.abs %3 : tensor<6xf32>
    %8 = stablehlo.negate %7 : tensor<6xf32>
    %9 = stablehlo.exponential %8 : tensor<6xf32>
    %10 = stablehlo.log_plus_one %9 : tensor<6xf32>
    %11 = stablehlo.add %1, %10 : tensor<6xf32>
    %12 = stablehlo.select %4, %6, %11 : tensor<6xi1>, tensor<6xf32>
    return %12 : tensor<6xf32>
  }
}
