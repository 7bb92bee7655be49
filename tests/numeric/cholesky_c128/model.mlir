module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3x7x7xf64>) -> (tensor<2x3x7x7xf64> {jax.result_info = "result[0]"}, tensor<2x3x7x7xf64> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.slice %arg0 [0:1, 0:3, 0:7, 0:7] : (tensor<2x3x7x7xf64>) -> tensor<1x3x7x7xf64>
    %1 = stablehlo.reshape %0 : (tensor<1x3x7x7xf64>) -> tensor<3x7x7xf64>
    %2 = stablehlo.slice %arg0 [1:2, 0:3, 0:7, 0:7] : (tensor<2x3x7x7xf64>) -> tensor<1x3x7x7xf64>
    %3 = stablehlo.reshape %2 : (tensor<1x3x7x7xf64>) -> tensor<3x7x7xf64>
    %4 = stablehlo.complex %1, %3 : tensor<3x7x7xcomplex<f64>>
    %5 = stablehlo.transpose %4, dims = [0, 2, 1] : (tensor<3x7x7xcomplex<f64>>) -> tensor<3x7x7xcomplex<f64>>
    %6 = stablehlo.real %5 : (tensor<3x7x7xcomplex<f64>>) -> tensor<3x7x7xf64>
    %7 = stablehlo.imag %5 : (tensor<3x7x7xcomplex<f64>>) -> tensor<3x7x7xf64>
    %8 = stablehlo.negate %7 : tensor<3x7x7xf64>
    %9 = stablehlo.complex %6, %8 : tensor<3x7x7xcomplex<f64>>
    %10 = stablehlo.dot_general %4, %9, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x7x7xcomplex<f64>>, tensor<3x7x7xcomplex<f64>>) -> tensor<3x7x7xcomplex<f64>>
    %11 = stablehlo.transpose %10, dims = [0, 2, 1] : (tensor<3x7x7xcomplex<f64>>) -> tensor<3x7x7xcomplex<f64>>
    %12 = stablehlo.real %11 : (tensor<3x7x7xcomplex<f64>>) -> tensor<3x7x7xf64>
    %13 = stablehlo.imag %11 : (tensor<3x7x7xcomplex<f64>>) -> tensor<3x7x7xf64>
    %14 = stablehlo.negate %13 : tensor<3x7x7xf64>
    %15 = stablehlo.complex %12, %14 : tensor<3x7x7xcomplex<f64>>
    %16 = stablehlo.add %10, %15 : tensor<3x7x7xcomplex<f64>>
    %cst = stablehlo.constant dense<(2.000000e+00,0.000000e+00)> : tensor<complex<f64>>
    %17 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f64>>) -> tensor<3x7x7xcomplex<f64>>
    %18 = stablehlo.divide %16, %17 : tensor<3x7x7xcomplex<f64>>
    %19:2 = stablehlo.custom_call @lapack_zpotrf_ffi(%18) {backend_config = "", mhlo.backend_config = {uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i]) {i=3, j=7, k=7, l=7, m=7}, custom>} : (tensor<3x7x7xcomplex<f64>>) -> (tensor<3x7x7xcomplex<f64>>, tensor<3xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %20 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %21 = stablehlo.compare EQ, %19#1, %20, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0] : (tensor<3xi1>) -> tensor<3x1x1xi1>
    %cst_0 = stablehlo.constant dense<(0x7FF8000000000000,0x7FF8000000000000)> : tensor<complex<f64>>
    %23 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f64>>) -> tensor<3x7x7xcomplex<f64>>
    %24 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2] : (tensor<3x1x1xi1>) -> tensor<3x7x7xi1>
    %25 = stablehlo.select %24, %19#0, %23 : tensor<3x7x7xi1>, tensor<3x7x7xcomplex<f64>>
    %26 = stablehlo.iota dim = 0 : tensor<7x7xi64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %27 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i64>) -> tensor<7x7xi64>
    %28 = stablehlo.add %26, %27 : tensor<7x7xi64>
    %29 = stablehlo.iota dim = 1 : tensor<7x7xi64>
    %30 = stablehlo.compare GE, %28, %29, SIGNED : (tensor<7x7xi64>, tensor<7x7xi64>) -> tensor<7x7xi1>
    %31 = stablehlo.broadcast_in_dim %30, dims = [1, 2] : (tensor<7x7xi1>) -> tensor<3x7x7xi1>
    %cst_2 = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f64>>
    %32 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<complex<f64>>) -> tensor<3x7x7xcomplex<f64>>
    %33 = stablehlo.select %31, %25, %32 : tensor<3x7x7xi1>, tensor<3x7x7xcomplex<f64>>
    %34 = stablehlo.transpose %4, dims = [0, 2, 1] : (tensor<3x7x7xcomplex<f64>>) -> tensor<3x7x7xcomplex<f64>>
    %35 = stablehlo.real %34 : (tensor<3x7x7xcomplex<f64>>) -> tensor<3x7x7xf64>
    %36 = stablehlo.imag %34 : (tensor<3x7x7xcomplex<f64>>) -> tensor<3x7x7xf64>
    %37 = stablehlo.negate %36 : tensor<3x7x7xf64>
    %38 = stablehlo.complex %35, %37 : tensor<3x7x7xcomplex<f64>>
    %39 = stablehlo.dot_general %4, %38, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x7x7xcomplex<f64>>, tensor<3x7x7xcomplex<f64>>) -> tensor<3x7x7xcomplex<f64>>
    %40 = call @cholesky(%39) : (tensor<3x7x7xcomplex<f64>>) -> tensor<3x7x7xcomplex<f64>>
    %41 = stablehlo.real %33 : (tensor<3x7x7xcomplex<f64>>) -> tensor<3x7x7xf64>
    %42 = stablehlo.imag %33 : (tensor<3x7x7xcomplex<f64>>) -> tensor<3x7x7xf64>
    %43 = stablehlo.broadcast_in_dim %41, dims = [1, 2, 3] : (tensor<3x7x7xf64>) -> tensor<1x3x7x7xf64>
    %44 = stablehlo.broadcast_in_dim %42, dims = [1, 2, 3] : (tensor<3x7x7xf64>) -> tensor<1x3x7x7xf64>
    %45 = stablehlo.concatenate %43, %44, dim = 0 : (tensor<1x3x7x7xf64>, tensor<1x3x7x7xf64>) -> tensor<2x3x7x7xf64>
    %46 = stablehlo.real %40 : (tensor<3x7x7xcomplex<f64>>) -> tensor<3x7x7xf64>
    %47 = stablehlo.imag %40 : (tensor<3x7x7xcomplex<f64>>) -> tensor<3x7x7xf64>
    %48 = stablehlo.broadcast_in_dim %46, dims = [1, 2, 3] : (tensor<3x7x7xf64>) -> tensor<1x3x7x7xf64>
    %49 = stablehlo.broadcast_in_dim %47, dims = [1, 2, 3] : (tensor<3x7x7xf64>) -> tensor<1x3x7x7xf64>
    %50 = stablehlo.concatenate %48, %49, dim = 0 : (tensor<1x3x7x7xf64>, tensor<1x3x7x7xf64>) -> tensor<2x3x7x7xf64>
    return %45, %50 : tensor<2x3x7x7xf64>, tensor<2x3x7x7xf64>
  }
  func.func private @cholesky(%arg0: tensor<3x7x7xcomplex<f64>>) -> tensor<3x7x7xcomplex<f64>> {
    %0 = stablehlo.transpose %arg0, dims = [0, 2, 1] : (tensor<3x7x7xcomplex<f64>>) -> tensor<3x7x7xcomplex<f64>>
    %1 = stablehlo.real %0 : (tensor<3x7x7xcomplex<f64>>) -> tensor<3x7x7xf64>
    %2 = stablehlo.imag %0 : (tensor<3x7x7xcomplex<f64>>) -> tensor<3x7x7xf64>
    %3 = stablehlo.negate %2 : tensor<3x7x7xf64>
    %4 = stablehlo.complex %1, %3 : tensor<3x7x7xcomplex<f64>>
    %5 = stablehlo.add %arg0, %4 : tensor<3x7x7xcomplex<f64>>
    %cst = stablehlo.constant dense<(2.000000e+00,0.000000e+00)> : tensor<complex<f64>>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f64>>) -> tensor<3x7x7xcomplex<f64>>
    %7 = stablehlo.divide %5, %6 : tensor<3x7x7xcomplex<f64>>
    %8:2 = stablehlo.custom_call @lapack_zpotrf_ffi(%7) {backend_config = "", mhlo.backend_config = {uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i]) {i=3, j=7, k=7, l=7, m=7}, custom>} : (tensor<3x7x7xcomplex<f64>>) -> (tensor<3x7x7xcomplex<f64>>, tensor<3xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %10 = stablehlo.compare EQ, %8#1, %9, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<3xi1>) -> tensor<3x1x1xi1>
    %cst_0 = stablehlo.constant dense<(0x7FF8000000000000,0x7FF8000000000000)> : tensor<complex<f64>>
    %12 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f64>>) -> tensor<3x7x7xcomplex<f64>>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<3x1x1xi1>) -> tensor<3x7x7xi1>
    %14 = stablehlo.select %13, %8#0, %12 : tensor<3x7x7xi1>, tensor<3x7x7xcomplex<f64>>
    %15 = stablehlo.iota dim = 0 : tensor<7x7xi64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %16 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i64>) -> tensor<7x7xi64>
    %17 = stablehlo.add %15, %16 : tensor<7x7xi64>
    %18 = stablehlo.iota dim = 1 : tensor<7x7xi64>
    %19 = stablehlo.compare GE, %17, %18, SIGNED : (tensor<7x7xi64>, tensor<7x7xi64>) -> tensor<7x7xi1>
    %20 = stablehlo.broadcast_in_dim %19, dims = [1, 2] : (tensor<7x7xi1>) -> tensor<3x7x7xi1>
    %cst_2 = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f64>>
    %21 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<complex<f64>>) -> tensor<3x7x7xcomplex<f64>>
    %22 = stablehlo.select %20, %14, %21 : tensor<3x7x7xi1>, tensor<3x7x7xcomplex<f64>>
    %23 = stablehlo.transpose %22, dims = [0, 2, 1] : (tensor<3x7x7xcomplex<f64>>) -> tensor<3x7x7xcomplex<f64>>
    %24 = stablehlo.real %23 : (tensor<3x7x7xcomplex<f64>>) -> tensor<3x7x7xf64>
    %25 = stablehlo.imag %23 : (tensor<3x7x7xcomplex<f64>>) -> tensor<3x7x7xf64>
    %26 = stablehlo.negate %25 : tensor<3x7x7xf64>
    %27 = stablehlo.complex %24, %26 : tensor<3x7x7xcomplex<f64>>
    return %27 : tensor<3x7x7xcomplex<f64>>
  }
}
