module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x2x5x5xf64>, %arg1: tensor<2x2x5x3xf64>) -> (tensor<2x2x5x3xf64> {jax.result_info = "result[0]"}, tensor<2x2x5x3xf64> {jax.result_info = "result[1]"}, tensor<2x2x5x3xf64> {jax.result_info = "result[2]"}, tensor<2x2x5x3xf64> {jax.result_info = "result[3]"}, tensor<2x2x5x3xf64> {jax.result_info = "result[4]"}, tensor<2x2x5x3xf64> {jax.result_info = "result[5]"}, tensor<2x2x5x3xf64> {jax.result_info = "result[6]"}, tensor<2x2x5x3xf64> {jax.result_info = "result[7]"}, tensor<2x2x3x5xf64> {jax.result_info = "result[8]"}, tensor<2x2x3x5xf64> {jax.result_info = "result[9]"}, tensor<2x2x3x5xf64> {jax.result_info = "result[10]"}, tensor<2x2x3x5xf64> {jax.result_info = "result[11]"}, tensor<2x2x3x5xf64> {jax.result_info = "result[12]"}, tensor<2x2x3x5xf64> {jax.result_info = "result[13]"}, tensor<2x2x3x5xf64> {jax.result_info = "result[14]"}, tensor<2x2x3x5xf64> {jax.result_info = "result[15]"}) {
    %0 = stablehlo.slice %arg0 [0:1, 0:2, 0:5, 0:5] : (tensor<2x2x5x5xf64>) -> tensor<1x2x5x5xf64>
    %1 = stablehlo.reshape %0 : (tensor<1x2x5x5xf64>) -> tensor<2x5x5xf64>
    %2 = stablehlo.slice %arg0 [1:2, 0:2, 0:5, 0:5] : (tensor<2x2x5x5xf64>) -> tensor<1x2x5x5xf64>
    %3 = stablehlo.reshape %2 : (tensor<1x2x5x5xf64>) -> tensor<2x5x5xf64>
    %4 = stablehlo.complex %1, %3 : tensor<2x5x5xcomplex<f64>>
    %5 = stablehlo.slice %arg1 [0:1, 0:2, 0:5, 0:3] : (tensor<2x2x5x3xf64>) -> tensor<1x2x5x3xf64>
    %6 = stablehlo.reshape %5 : (tensor<1x2x5x3xf64>) -> tensor<2x5x3xf64>
    %7 = stablehlo.slice %arg1 [1:2, 0:2, 0:5, 0:3] : (tensor<2x2x5x3xf64>) -> tensor<1x2x5x3xf64>
    %8 = stablehlo.reshape %7 : (tensor<1x2x5x3xf64>) -> tensor<2x5x3xf64>
    %9 = stablehlo.complex %6, %8 : tensor<2x5x3xcomplex<f64>>
    %10 = stablehlo.custom_call @lapack_ztrsm_ffi(%4, %9) {backend_config = "", mhlo.backend_config = {diag = 85 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=5, k=5, l=5, m=3, n=5, o=3}, custom>} : (tensor<2x5x5xcomplex<f64>>, tensor<2x5x3xcomplex<f64>>) -> tensor<2x5x3xcomplex<f64>>
    %11 = stablehlo.custom_call @lapack_ztrsm_ffi(%4, %9) {backend_config = "", mhlo.backend_config = {diag = 85 : ui8, side = 76 : ui8, trans_x = 67 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=5, k=5, l=5, m=3, n=5, o=3}, custom>} : (tensor<2x5x5xcomplex<f64>>, tensor<2x5x3xcomplex<f64>>) -> tensor<2x5x3xcomplex<f64>>
    %12 = stablehlo.custom_call @lapack_ztrsm_ffi(%4, %9) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=5, k=5, l=5, m=3, n=5, o=3}, custom>} : (tensor<2x5x5xcomplex<f64>>, tensor<2x5x3xcomplex<f64>>) -> tensor<2x5x3xcomplex<f64>>
    %13 = stablehlo.custom_call @lapack_ztrsm_ffi(%4, %9) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 67 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=5, k=5, l=5, m=3, n=5, o=3}, custom>} : (tensor<2x5x5xcomplex<f64>>, tensor<2x5x3xcomplex<f64>>) -> tensor<2x5x3xcomplex<f64>>
    %14 = stablehlo.custom_call @lapack_ztrsm_ffi(%4, %9) {backend_config = "", mhlo.backend_config = {diag = 85 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=5, k=5, l=5, m=3, n=5, o=3}, custom>} : (tensor<2x5x5xcomplex<f64>>, tensor<2x5x3xcomplex<f64>>) -> tensor<2x5x3xcomplex<f64>>
    %15 = stablehlo.custom_call @lapack_ztrsm_ffi(%4, %9) {backend_config = "", mhlo.backend_config = {diag = 85 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=5, k=5, l=5, m=3, n=5, o=3}, custom>} : (tensor<2x5x5xcomplex<f64>>, tensor<2x5x3xcomplex<f64>>) -> tensor<2x5x3xcomplex<f64>>
    %16 = stablehlo.custom_call @lapack_ztrsm_ffi(%4, %9) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=5, k=5, l=5, m=3, n=5, o=3}, custom>} : (tensor<2x5x5xcomplex<f64>>, tensor<2x5x3xcomplex<f64>>) -> tensor<2x5x3xcomplex<f64>>
    %17 = stablehlo.custom_call @lapack_ztrsm_ffi(%4, %9) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=5, k=5, l=5, m=3, n=5, o=3}, custom>} : (tensor<2x5x5xcomplex<f64>>, tensor<2x5x3xcomplex<f64>>) -> tensor<2x5x3xcomplex<f64>>
    %18 = stablehlo.transpose %9, dims = [0, 2, 1] : (tensor<2x5x3xcomplex<f64>>) -> tensor<2x3x5xcomplex<f64>>
    %19 = stablehlo.custom_call @lapack_ztrsm_ffi(%4, %18) {backend_config = "", mhlo.backend_config = {diag = 85 : ui8, side = 82 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=5, k=5, l=3, m=5, n=3, o=5}, custom>} : (tensor<2x5x5xcomplex<f64>>, tensor<2x3x5xcomplex<f64>>) -> tensor<2x3x5xcomplex<f64>>
    %20 = stablehlo.transpose %9, dims = [0, 2, 1] : (tensor<2x5x3xcomplex<f64>>) -> tensor<2x3x5xcomplex<f64>>
    %21 = stablehlo.custom_call @lapack_ztrsm_ffi(%4, %20) {backend_config = "", mhlo.backend_config = {diag = 85 : ui8, side = 82 : ui8, trans_x = 67 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=5, k=5, l=3, m=5, n=3, o=5}, custom>} : (tensor<2x5x5xcomplex<f64>>, tensor<2x3x5xcomplex<f64>>) -> tensor<2x3x5xcomplex<f64>>
    %22 = stablehlo.transpose %9, dims = [0, 2, 1] : (tensor<2x5x3xcomplex<f64>>) -> tensor<2x3x5xcomplex<f64>>
    %23 = stablehlo.custom_call @lapack_ztrsm_ffi(%4, %22) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 82 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=5, k=5, l=3, m=5, n=3, o=5}, custom>} : (tensor<2x5x5xcomplex<f64>>, tensor<2x3x5xcomplex<f64>>) -> tensor<2x3x5xcomplex<f64>>
    %24 = stablehlo.transpose %9, dims = [0, 2, 1] : (tensor<2x5x3xcomplex<f64>>) -> tensor<2x3x5xcomplex<f64>>
    %25 = stablehlo.custom_call @lapack_ztrsm_ffi(%4, %24) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 82 : ui8, trans_x = 67 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=5, k=5, l=3, m=5, n=3, o=5}, custom>} : (tensor<2x5x5xcomplex<f64>>, tensor<2x3x5xcomplex<f64>>) -> tensor<2x3x5xcomplex<f64>>
    %26 = stablehlo.transpose %9, dims = [0, 2, 1] : (tensor<2x5x3xcomplex<f64>>) -> tensor<2x3x5xcomplex<f64>>
    %27 = stablehlo.custom_call @lapack_ztrsm_ffi(%4, %26) {backend_config = "", mhlo.backend_config = {diag = 85 : ui8, side = 82 : ui8, trans_x = 78 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=5, k=5, l=3, m=5, n=3, o=5}, custom>} : (tensor<2x5x5xcomplex<f64>>, tensor<2x3x5xcomplex<f64>>) -> tensor<2x3x5xcomplex<f64>>
    %28 = stablehlo.transpose %9, dims = [0, 2, 1] : (tensor<2x5x3xcomplex<f64>>) -> tensor<2x3x5xcomplex<f64>>
    %29 = stablehlo.custom_call @lapack_ztrsm_ffi(%4, %28) {backend_config = "", mhlo.backend_config = {diag = 85 : ui8, side = 82 : ui8, trans_x = 84 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=5, k=5, l=3, m=5, n=3, o=5}, custom>} : (tensor<2x5x5xcomplex<f64>>, tensor<2x3x5xcomplex<f64>>) -> tensor<2x3x5xcomplex<f64>>
    %30 = stablehlo.transpose %9, dims = [0, 2, 1] : (tensor<2x5x3xcomplex<f64>>) -> tensor<2x3x5xcomplex<f64>>
    %31 = stablehlo.custom_call @lapack_ztrsm_ffi(%4, %30) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 82 : ui8, trans_x = 78 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=5, k=5, l=3, m=5, n=3, o=5}, custom>} : (tensor<2x5x5xcomplex<f64>>, tensor<2x3x5xcomplex<f64>>) -> tensor<2x3x5xcomplex<f64>>
    %32 = stablehlo.transpose %9, dims = [0, 2, 1] : (tensor<2x5x3xcomplex<f64>>) -> tensor<2x3x5xcomplex<f64>>
    %33 = stablehlo.custom_call @lapack_ztrsm_ffi(%4, %32) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 82 : ui8, trans_x = 84 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=5, k=5, l=3, m=5, n=3, o=5}, custom>} : (tensor<2x5x5xcomplex<f64>>, tensor<2x3x5xcomplex<f64>>) -> tensor<2x3x5xcomplex<f64>>
    %34 = stablehlo.real %10 : (tensor<2x5x3xcomplex<f64>>) -> tensor<2x5x3xf64>
    %35 = stablehlo.imag %10 : (tensor<2x5x3xcomplex<f64>>) -> tensor<2x5x3xf64>
    %36 = stablehlo.broadcast_in_dim %34, dims = [1, 2, 3] : (tensor<2x5x3xf64>) -> tensor<1x2x5x3xf64>
    %37 = stablehlo.broadcast_in_dim %35, dims = [1, 2, 3] : (tensor<2x5x3xf64>) -> tensor<1x2x5x3xf64>
    %38 = stablehlo.concatenate %36, %37, dim = 0 : (tensor<1x2x5x3xf64>, tensor<1x2x5x3xf64>) -> tensor<2x2x5x3xf64>
    %39 = stablehlo.real %11 : (tensor<2x5x3xcomplex<f64>>) -> tensor<2x5x3xf64>
    %40 = stablehlo.imag %11 : (tensor<2x5x3xcomplex<f64>>) -> tensor<2x5x3xf64>
    %41 = stablehlo.broadcast_in_dim %39, dims = [1, 2, 3] : (tensor<2x5x3xf64>) -> tensor<1x2x5x3xf64>
    %42 = stablehlo.broadcast_in_dim %40, dims = [1, 2, 3] : (tensor<2x5x3xf64>) -> tensor<1x2x5x3xf64>
    %43 = stablehlo.concatenate %41, %42, dim = 0 : (tensor<1x2x5x3xf64>, tensor<1x2x5x3xf64>) -> tensor<2x2x5x3xf64>
    %44 = stablehlo.real %12 : (tensor<2x5x3xcomplex<f64>>) -> tensor<2x5x3xf64>
    %45 = stablehlo.imag %12 : (tensor<2x5x3xcomplex<f64>>) -> tensor<2x5x3xf64>
    %46 = stablehlo.broadcast_in_dim %44, dims = [1, 2, 3] : (tensor<2x5x3xf64>) -> tensor<1x2x5x3xf64>
    %47 = stablehlo.broadcast_in_dim %45, dims = [1, 2, 3] : (tensor<2x5x3xf64>) -> tensor<1x2x5x3xf64>
    %48 = stablehlo.concatenate %46, %47, dim = 0 : (tensor<1x2x5x3xf64>, tensor<1x2x5x3xf64>) -> tensor<2x2x5x3xf64>
    %49 = stablehlo.real %13 : (tensor<2x5x3xcomplex<f64>>) -> tensor<2x5x3xf64>
    %50 = stablehlo.imag %13 : (tensor<2x5x3xcomplex<f64>>) -> tensor<2x5x3xf64>
    %51 = stablehlo.broadcast_in_dim %49, dims = [1, 2, 3] : (tensor<2x5x3xf64>) -> tensor<1x2x5x3xf64>
    %52 = stablehlo.broadcast_in_dim %50, dims = [1, 2, 3] : (tensor<2x5x3xf64>) -> tensor<1x2x5x3xf64>
    %53 = stablehlo.concatenate %51, %52, dim = 0 : (tensor<1x2x5x3xf64>, tensor<1x2x5x3xf64>) -> tensor<2x2x5x3xf64>
    %54 = stablehlo.real %14 : (tensor<2x5x3xcomplex<f64>>) -> tensor<2x5x3xf64>
    %55 = stablehlo.imag %14 : (tensor<2x5x3xcomplex<f64>>) -> tensor<2x5x3xf64>
    %56 = stablehlo.broadcast_in_dim %54, dims = [1, 2, 3] : (tensor<2x5x3xf64>) -> tensor<1x2x5x3xf64>
    %57 = stablehlo.broadcast_in_dim %55, dims = [1, 2, 3] : (tensor<2x5x3xf64>) -> tensor<1x2x5x3xf64>
    %58 = stablehlo.concatenate %56, %57, dim = 0 : (tensor<1x2x5x3xf64>, tensor<1x2x5x3xf64>) -> tensor<2x2x5x3xf64>
    %59 = stablehlo.real %15 : (tensor<2x5x3xcomplex<f64>>) -> tensor<2x5x3xf64>
    %60 = stablehlo.imag %15 : (tensor<2x5x3xcomplex<f64>>) -> tensor<2x5x3xf64>
    %61 = stablehlo.broadcast_in_dim %59, dims = [1, 2, 3] : (tensor<2x5x3xf64>) -> tensor<1x2x5x3xf64>
    %62 = stablehlo.broadcast_in_dim %60, dims = [1, 2, 3] : (tensor<2x5x3xf64>) -> tensor<1x2x5x3xf64>
    %63 = stablehlo.concatenate %61, %62, dim = 0 : (tensor<1x2x5x3xf64>, tensor<1x2x5x3xf64>) -> tensor<2x2x5x3xf64>
    %64 = stablehlo.real %16 : (tensor<2x5x3xcomplex<f64>>) -> tensor<2x5x3xf64>
    %65 = stablehlo.imag %16 : (tensor<2x5x3xcomplex<f64>>) -> tensor<2x5x3xf64>
    %66 = stablehlo.broadcast_in_dim %64, dims = [1, 2, 3] : (tensor<2x5x3xf64>) -> tensor<1x2x5x3xf64>
    %67 = stablehlo.broadcast_in_dim %65, dims = [1, 2, 3] : (tensor<2x5x3xf64>) -> tensor<1x2x5x3xf64>
    %68 = stablehlo.concatenate %66, %67, dim = 0 : (tensor<1x2x5x3xf64>, tensor<1x2x5x3xf64>) -> tensor<2x2x5x3xf64>
    %69 = stablehlo.real %17 : (tensor<2x5x3xcomplex<f64>>) -> tensor<2x5x3xf64>
    %70 = stablehlo.imag %17 : (tensor<2x5x3xcomplex<f64>>) -> tensor<2x5x3xf64>
    %71 = stablehlo.broadcast_in_dim %69, dims = [1, 2, 3] : (tensor<2x5x3xf64>) -> tensor<1x2x5x3xf64>
    %72 = stablehlo.broadcast_in_dim %70, dims = [1, 2, 3] : (tensor<2x5x3xf64>) -> tensor<1x2x5x3xf64>
    %73 = stablehlo.concatenate %71, %72, dim = 0 : (tensor<1x2x5x3xf64>, tensor<1x2x5x3xf64>) -> tensor<2x2x5x3xf64>
    %74 = stablehlo.real %19 : (tensor<2x3x5xcomplex<f64>>) -> tensor<2x3x5xf64>
    %75 = stablehlo.imag %19 : (tensor<2x3x5xcomplex<f64>>) -> tensor<2x3x5xf64>
    %76 = stablehlo.broadcast_in_dim %74, dims = [1, 2, 3] : (tensor<2x3x5xf64>) -> tensor<1x2x3x5xf64>
    %77 = stablehlo.broadcast_in_dim %75, dims = [1, 2, 3] : (tensor<2x3x5xf64>) -> tensor<1x2x3x5xf64>
    %78 = stablehlo.concatenate %76, %77, dim = 0 : (tensor<1x2x3x5xf64>, tensor<1x2x3x5xf64>) -> tensor<2x2x3x5xf64>
    %79 = stablehlo.real %21 : (tensor<2x3x5xcomplex<f64>>) -> tensor<2x3x5xf64>
    %80 = stablehlo.imag %21 : (tensor<2x3x5xcomplex<f64>>) -> tensor<2x3x5xf64>
    %81 = stablehlo.broadcast_in_dim %79, dims = [1, 2, 3] : (tensor<2x3x5xf64>) -> tensor<1x2x3x5xf64>
    %82 = stablehlo.broadcast_in_dim %80, dims = [1, 2, 3] : (tensor<2x3x5xf64>) -> tensor<1x2x3x5xf64>
    %83 = stablehlo.concatenate %81, %82, dim = 0 : (tensor<1x2x3x5xf64>, tensor<1x2x3x5xf64>) -> tensor<2x2x3x5xf64>
    %84 = stablehlo.real %23 : (tensor<2x3x5xcomplex<f64>>) -> tensor<2x3x5xf64>
    %85 = stablehlo.imag %23 : (tensor<2x3x5xcomplex<f64>>) -> tensor<2x3x5xf64>
    %86 = stablehlo.broadcast_in_dim %84, dims = [1, 2, 3] : (tensor<2x3x5xf64>) -> tensor<1x2x3x5xf64>
    %87 = stablehlo.broadcast_in_dim %85, dims = [1, 2, 3] : (tensor<2x3x5xf64>) -> tensor<1x2x3x5xf64>
    %88 = stablehlo.concatenate %86, %87, dim = 0 : (tensor<1x2x3x5xf64>, tensor<1x2x3x5xf64>) -> tensor<2x2x3x5xf64>
    %89 = stablehlo.real %25 : (tensor<2x3x5xcomplex<f64>>) -> tensor<2x3x5xf64>
    %90 = stablehlo.imag %25 : (tensor<2x3x5xcomplex<f64>>) -> tensor<2x3x5xf64>
    %91 = stablehlo.broadcast_in_dim %89, dims = [1, 2, 3] : (tensor<2x3x5xf64>) -> tensor<1x2x3x5xf64>
    %92 = stablehlo.broadcast_in_dim %90, dims = [1, 2, 3] : (tensor<2x3x5xf64>) -> tensor<1x2x3x5xf64>
    %93 = stablehlo.concatenate %91, %92, dim = 0 : (tensor<1x2x3x5xf64>, tensor<1x2x3x5xf64>) -> tensor<2x2x3x5xf64>
    %94 = stablehlo.real %27 : (tensor<2x3x5xcomplex<f64>>) -> tensor<2x3x5xf64>
    %95 = stablehlo.imag %27 : (tensor<2x3x5xcomplex<f64>>) -> tensor<2x3x5xf64>
    %96 = stablehlo.broadcast_in_dim %94, dims = [1, 2, 3] : (tensor<2x3x5xf64>) -> tensor<1x2x3x5xf64>
    %97 = stablehlo.broadcast_in_dim %95, dims = [1, 2, 3] : (tensor<2x3x5xf64>) -> tensor<1x2x3x5xf64>
    %98 = stablehlo.concatenate %96, %97, dim = 0 : (tensor<1x2x3x5xf64>, tensor<1x2x3x5xf64>) -> tensor<2x2x3x5xf64>
    %99 = stablehlo.real %29 : (tensor<2x3x5xcomplex<f64>>) -> tensor<2x3x5xf64>
    %100 = stablehlo.imag %29 : (tensor<2x3x5xcomplex<f64>>) -> tensor<2x3x5xf64>
    %101 = stablehlo.broadcast_in_dim %99, dims = [1, 2, 3] : (tensor<2x3x5xf64>) -> tensor<1x2x3x5xf64>
    %102 = stablehlo.broadcast_in_dim %100, dims = [1, 2, 3] : (tensor<2x3x5xf64>) -> tensor<1x2x3x5xf64>
    %103 = stablehlo.concatenate %101, %102, dim = 0 : (tensor<1x2x3x5xf64>, tensor<1x2x3x5xf64>) -> tensor<2x2x3x5xf64>
    %104 = stablehlo.real %31 : (tensor<2x3x5xcomplex<f64>>) -> tensor<2x3x5xf64>
    %105 = stablehlo.imag %31 : (tensor<2x3x5xcomplex<f64>>) -> tensor<2x3x5xf64>
    %106 = stablehlo.broadcast_in_dim %104, dims = [1, 2, 3] : (tensor<2x3x5xf64>) -> tensor<1x2x3x5xf64>
    %107 = stablehlo.broadcast_in_dim %105, dims = [1, 2, 3] : (tensor<2x3x5xf64>) -> tensor<1x2x3x5xf64>
    %108 = stablehlo.concatenate %106, %107, dim = 0 : (tensor<1x2x3x5xf64>, tensor<1x2x3x5xf64>) -> tensor<2x2x3x5xf64>
    %109 = stablehlo.real %33 : (tensor<2x3x5xcomplex<f64>>) -> tensor<2x3x5xf64>
    %110 = stablehlo.imag %33 : (tensor<2x3x5xcomplex<f64>>) -> tensor<2x3x5xf64>
    %111 = stablehlo.broadcast_in_dim %109, dims = [1, 2, 3] : (tensor<2x3x5xf64>) -> tensor<1x2x3x5xf64>
    %112 = stablehlo.broadcast_in_dim %110, dims = [1, 2, 3] : (tensor<2x3x5xf64>) -> tensor<1x2x3x5xf64>
    %113 = stablehlo.concatenate %111, %112, dim = 0 : (tensor<1x2x3x5xf64>, tensor<1x2x3x5xf64>) -> tensor<2x2x3x5xf64>
    return %38, %43, %48, %53, %58, %63, %68, %73, %78, %83, %88, %93, %98, %103, %108, %113 : tensor<2x2x5x3xf64>, tensor<2x2x5x3xf64>, tensor<2x2x5x3xf64>, tensor<2x2x5x3xf64>, tensor<2x2x5x3xf64>, tensor<2x2x5x3xf64>, tensor<2x2x5x3xf64>, tensor<2x2x5x3xf64>, tensor<2x2x3x5xf64>, tensor<2x2x3x5xf64>, tensor<2x2x3x5xf64>, tensor<2x2x3x5xf64>, tensor<2x2x3x5xf64>, tensor<2x2x3x5xf64>, tensor<2x2x3x5xf64>, tensor<2x2x3x5xf64>
  }
}
