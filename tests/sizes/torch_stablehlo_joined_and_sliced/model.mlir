module {
  func.func @main(%arg0: tensor<?x4xf32>, %arg1: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?xf32>, tensor<?x2x4xf32>, tensor<?x7xf32>) {
    %c4_i64 = arith.constant 4 : i64
    %c-1_i64 = arith.constant -1 : i64
    %c1_i64 = arith.constant 1 : i64
    %c2_i64 = arith.constant 2 : i64
    %c0_i64 = arith.constant 0 : i64
    %c0 = arith.constant 0 : index
    %cst = arith.constant dense<2> : tensor<1xi64>
    %cst_0 = arith.constant dense<1> : tensor<2xi64>
    %cst_1 = arith.constant dense<1> : tensor<1xi64>
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<1xf64>
    %dim = tensor.dim %arg0, %c0 : tensor<?x4xf32>
    %0 = arith.index_cast %dim : index to i64
    %dim_3 = tensor.dim %arg1, %c0 : tensor<?x4xf32>
    %1 = arith.index_cast %dim_3 : index to i64
    %2 = stablehlo.convert %cst : (tensor<1xi64>) -> tensor<1xf32>
    %3 = stablehlo.reshape %2 : (tensor<1xf32>) -> tensor<f32>
    %4 = shape.shape_of %arg1 : tensor<?x4xf32> -> tensor<2xindex>
    %5 = stablehlo.dynamic_broadcast_in_dim %arg1, %4, dims = [0, 1] : (tensor<?x4xf32>, tensor<2xindex>) -> tensor<?x4xf32>
    %6 = stablehlo.dynamic_broadcast_in_dim %3, %4, dims = [] : (tensor<f32>, tensor<2xindex>) -> tensor<?x4xf32>
    %7 = stablehlo.multiply %5, %6 : tensor<?x4xf32>
    %8 = stablehlo.concatenate %arg0, %7, %arg0, dim = 0 : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    %dim_4 = tensor.dim %8, %c0 : tensor<?x4xf32>
    %9 = arith.index_cast %dim_4 : index to i64
    %10 = arith.subi %c0_i64, %9 : i64
    %11 = arith.maxsi %10, %c1_i64 : i64
    %12 = arith.minsi %9, %11 : i64
    %13 = arith.addi %9, %12 : i64
    %14 = arith.cmpi sge, %12, %c0_i64 : i64
    %15 = arith.select %14, %12, %13 : i64
    %16 = arith.maxsi %10, %c-1_i64 : i64
    %17 = arith.minsi %9, %16 : i64
    %18 = arith.addi %9, %17 : i64
    %19 = arith.cmpi sge, %17, %c0_i64 : i64
    %20 = arith.select %19, %17, %18 : i64
    %21 = arith.cmpi eq, %20, %c0_i64 : i64
    %22 = arith.select %21, %9, %20 : i64
    %from_elements = tensor.from_elements %15, %c0_i64 : tensor<2xi64>
    %from_elements_5 = tensor.from_elements %22, %c4_i64 : tensor<2xi64>
    %23 = stablehlo.real_dynamic_slice %8, %from_elements, %from_elements_5, %cst_0 : (tensor<?x4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x4xf32>
    %24 = arith.muli %0, %c2_i64 : i64
    %25 = arith.addi %1, %24 : i64
    %26 = arith.muli %25, %c4_i64 : i64
    %from_elements_6 = tensor.from_elements %26 : tensor<1xi64>
    %27 = stablehlo.dynamic_reshape %8, %from_elements_6 : (tensor<?x4xf32>, tensor<1xi64>) -> tensor<?xf32>
    %28 = stablehlo.convert %cst_1 : (tensor<1xi64>) -> tensor<1xf32>
    %29 = stablehlo.reshape %28 : (tensor<1xf32>) -> tensor<f32>
    %30 = shape.shape_of %arg0 : tensor<?x4xf32> -> tensor<2xindex>
    %31 = stablehlo.dynamic_broadcast_in_dim %arg0, %30, dims = [0, 1] : (tensor<?x4xf32>, tensor<2xindex>) -> tensor<?x4xf32>
    %32 = stablehlo.dynamic_broadcast_in_dim %29, %30, dims = [] : (tensor<f32>, tensor<2xindex>) -> tensor<?x4xf32>
    %33 = stablehlo.add %31, %32 : tensor<?x4xf32>
    %34 = stablehlo.concatenate %arg0, %33, dim = 1 : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x8xf32>
    %from_elements_7 = tensor.from_elements %0, %c2_i64, %c4_i64 : tensor<3xi64>
    %35 = stablehlo.dynamic_reshape %34, %from_elements_7 : (tensor<?x8xf32>, tensor<3xi64>) -> tensor<?x2x4xf32>
    %36 = stablehlo.convert %cst_2 : (tensor<1xf64>) -> tensor<1xf32>
    %37 = stablehlo.reshape %36 : (tensor<1xf32>) -> tensor<f32>
    %38 = stablehlo.pad %arg0, %37, low = [2, 1], high = [0, 2], interior = [0, 0] : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x7xf32>
    return %23, %27, %35, %38 : tensor<?x4xf32>, tensor<?xf32>, tensor<?x2x4xf32>, tensor<?x7xf32>
  }
}
