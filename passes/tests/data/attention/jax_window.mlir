module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x5x4x8xbf16>, %arg1: tensor<2x7x4x8xbf16>, %arg2: tensor<2x7x4x8xbf16>) -> (tensor<2x5x4x8xbf16> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
    %c_0 = stablehlo.constant dense<[0, 1, 2, 3, 4, 5, 6]> : tensor<7xi32>
    %0 = stablehlo.reshape %arg0 : (tensor<2x5x4x8xbf16>) -> tensor<2x5x4x1x8xbf16>
    %1 = stablehlo.dot_general %0, %arg1, batching_dims = [0, 2] x [0, 2], contracting_dims = [4] x [3], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x5x4x1x8xbf16>, tensor<2x7x4x8xbf16>) -> tensor<2x4x5x1x7xf32>
    %cst = stablehlo.constant dense<0.353553385> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x4x5x1x7xf32>
    %3 = stablehlo.multiply %1, %2 : tensor<2x4x5x1x7xf32>
    %c_1 = stablehlo.constant dense<true> : tensor<i1>
    %4 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i1>) -> tensor<2x4x5x7xi1>
    %c_2 = stablehlo.constant dense<true> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i1>) -> tensor<5x7xi1>
    %6 = call @tril(%5) : (tensor<5x7xi1>) -> tensor<5x7xi1>
    %7 = stablehlo.broadcast_in_dim %6, dims = [2, 3] : (tensor<5x7xi1>) -> tensor<1x1x5x7xi1>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2, 3] : (tensor<1x1x5x7xi1>) -> tensor<2x4x5x7xi1>
    %9 = stablehlo.and %4, %8 : tensor<2x4x5x7xi1>
    %10 = stablehlo.broadcast_in_dim %c, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %11 = stablehlo.broadcast_in_dim %c_0, dims = [1] : (tensor<7xi32>) -> tensor<1x7xi32>
    %c_3 = stablehlo.constant dense<2> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<1x7xi32>
    %13 = stablehlo.add %11, %12 : tensor<1x7xi32>
    %14 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<5x1xi32>) -> tensor<5x7xi32>
    %15 = stablehlo.broadcast_in_dim %13, dims = [0, 1] : (tensor<1x7xi32>) -> tensor<5x7xi32>
    %16 = stablehlo.compare LE, %14, %15, SIGNED : (tensor<5x7xi32>, tensor<5x7xi32>) -> tensor<5x7xi1>
    %17 = stablehlo.broadcast_in_dim %c, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %18 = stablehlo.broadcast_in_dim %c_0, dims = [1] : (tensor<7xi32>) -> tensor<1x7xi32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %19 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<1x7xi32>
    %20 = stablehlo.subtract %18, %19 : tensor<1x7xi32>
    %21 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<5x1xi32>) -> tensor<5x7xi32>
    %22 = stablehlo.broadcast_in_dim %20, dims = [0, 1] : (tensor<1x7xi32>) -> tensor<5x7xi32>
    %23 = stablehlo.compare GE, %21, %22, SIGNED : (tensor<5x7xi32>, tensor<5x7xi32>) -> tensor<5x7xi1>
    %24 = stablehlo.and %23, %16 : tensor<5x7xi1>
    %25 = stablehlo.broadcast_in_dim %24, dims = [2, 3] : (tensor<5x7xi1>) -> tensor<1x1x5x7xi1>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1, 2, 3] : (tensor<1x1x5x7xi1>) -> tensor<2x4x5x7xi1>
    %27 = stablehlo.and %9, %26 : tensor<2x4x5x7xi1>
    %cst_5 = stablehlo.constant dense<-2.38197633E+38> : tensor<f32>
    %28 = call @_where(%27, %3, %cst_5) : (tensor<2x4x5x7xi1>, tensor<2x4x5x1x7xf32>, tensor<f32>) -> tensor<1x2x4x5x7xf32>
    %cst_6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %29 = stablehlo.reduce(%28 init: %cst_6) applies stablehlo.maximum across dimensions = [4] : (tensor<1x2x4x5x7xf32>, tensor<f32>) -> tensor<1x2x4x5xf32>
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<1x2x4x5xf32>
    %31 = stablehlo.maximum %30, %29 : tensor<1x2x4x5xf32>
    %32 = stablehlo.broadcast_in_dim %31, dims = [0, 1, 2, 3] : (tensor<1x2x4x5xf32>) -> tensor<1x2x4x5x1xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [0, 1, 2, 3, 4] : (tensor<1x2x4x5x1xf32>) -> tensor<1x2x4x5x7xf32>
    %34 = stablehlo.subtract %28, %33 : tensor<1x2x4x5x7xf32>
    %35 = stablehlo.exponential %34 : tensor<1x2x4x5x7xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.reduce(%35 init: %cst_8) applies stablehlo.add across dimensions = [4] : (tensor<1x2x4x5x7xf32>, tensor<f32>) -> tensor<1x2x4x5xf32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0, 1, 2, 3] : (tensor<1x2x4x5xf32>) -> tensor<1x2x4x5x1xf32>
    %38 = stablehlo.broadcast_in_dim %37, dims = [0, 1, 2, 3, 4] : (tensor<1x2x4x5x1xf32>) -> tensor<1x2x4x5x7xf32>
    %39 = stablehlo.divide %35, %38 : tensor<1x2x4x5x7xf32>
    %40 = stablehlo.convert %39 : (tensor<1x2x4x5x7xf32>) -> tensor<1x2x4x5x7xbf16>
    %41 = stablehlo.dot_general %arg2, %40, batching_dims = [0, 2] x [1, 2], contracting_dims = [1] x [4], precision = [DEFAULT, DEFAULT] : (tensor<2x7x4x8xbf16>, tensor<1x2x4x5x7xbf16>) -> tensor<2x4x8x1x5xbf16>
    %42 = stablehlo.transpose %41, dims = [3, 0, 4, 1, 2] : (tensor<2x4x8x1x5xbf16>) -> tensor<1x2x5x4x8xbf16>
    %43 = stablehlo.transpose %42, dims = [1, 2, 3, 0, 4] : (tensor<1x2x5x4x8xbf16>) -> tensor<2x5x4x1x8xbf16>
    %44 = stablehlo.reshape %43 : (tensor<2x5x4x1x8xbf16>) -> tensor<2x5x4x8xbf16>
    return %44 : tensor<2x5x4x8xbf16>
  }
  func.func private @tril(%arg0: tensor<5x7xi1>) -> tensor<5x7xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<5x7xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<5x7xi32>
    %2 = stablehlo.add %0, %1 : tensor<5x7xi32>
    %3 = stablehlo.iota dim = 1 : tensor<5x7xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<5x7xi32>, tensor<5x7xi32>) -> tensor<5x7xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<5x7xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<5x7xi1>, tensor<5x7xi1>
    return %6 : tensor<5x7xi1>
  }
  func.func private @_where(%arg0: tensor<2x4x5x7xi1>, %arg1: tensor<2x4x5x1x7xf32>, %arg2: tensor<f32>) -> tensor<1x2x4x5x7xf32> {
    %0 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<2x4x5x7xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2, 3, 4] : (tensor<2x4x5x7xi1>) -> tensor<1x2x4x5x7xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [1, 2, 3, 4] : (tensor<2x4x5x7xf32>) -> tensor<1x2x4x5x7xf32>
    %3 = stablehlo.transpose %arg1, dims = [3, 0, 1, 2, 4] : (tensor<2x4x5x1x7xf32>) -> tensor<1x2x4x5x7xf32>
    %4 = stablehlo.select %1, %3, %2 : tensor<1x2x4x5x7xi1>, tensor<1x2x4x5x7xf32>
    return %4 : tensor<1x2x4x5x7xf32>
  }
}
