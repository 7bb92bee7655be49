module @chlo_broadcast {
  func.func public @main(%arg0: tensor<3x1xf32>, %arg1: tensor<4xf32>, %arg2: tensor<3x1xi32>, %arg3: tensor<4xi32>, %arg4: tensor<2x1x4xi1>, %arg5: tensor<i1>, %arg6: tensor<3x1xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xcomplex<f32>>, tensor<3x4xi1>, tensor<3x4xi1>, tensor<3x4xi1>, tensor<3x4xi1>, tensor<3x4xi32>, tensor<3x4xi32>, tensor<3x4xi32>, tensor<3x4xi32>, tensor<3x4xi32>, tensor<3x4xi32>, tensor<3x4xi32>, tensor<3x4xi32>, tensor<3x4xi32>, tensor<3x4xi32>, tensor<3x4xi32>, tensor<3x4xi32>, tensor<2x1x4xi1>, tensor<2x1x4xi1>, tensor<2x1x4xi1>, tensor<2x3x4xf32>) {
    %0 = "chlo.broadcast_add"(%arg0, %arg1) : (tensor<3x1xf32>, tensor<4xf32>) -> tensor<3x4xf32>
    %1 = "chlo.broadcast_subtract"(%arg0, %arg1) : (tensor<3x1xf32>, tensor<4xf32>) -> tensor<3x4xf32>
    %2 = "chlo.broadcast_multiply"(%arg0, %arg1) : (tensor<3x1xf32>, tensor<4xf32>) -> tensor<3x4xf32>
    %3 = "chlo.broadcast_divide"(%arg0, %arg1) : (tensor<3x1xf32>, tensor<4xf32>) -> tensor<3x4xf32>
    %4 = "chlo.broadcast_maximum"(%arg0, %arg1) : (tensor<3x1xf32>, tensor<4xf32>) -> tensor<3x4xf32>
    %5 = "chlo.broadcast_minimum"(%arg0, %arg1) : (tensor<3x1xf32>, tensor<4xf32>) -> tensor<3x4xf32>
    %6 = "chlo.broadcast_power"(%arg0, %arg1) : (tensor<3x1xf32>, tensor<4xf32>) -> tensor<3x4xf32>
    %7 = "chlo.broadcast_remainder"(%arg0, %arg1) : (tensor<3x1xf32>, tensor<4xf32>) -> tensor<3x4xf32>
    %8 = "chlo.broadcast_atan2"(%arg0, %arg1) : (tensor<3x1xf32>, tensor<4xf32>) -> tensor<3x4xf32>
    %9 = "chlo.broadcast_zeta"(%arg1, %arg0) : (tensor<4xf32>, tensor<3x1xf32>) -> tensor<3x4xf32>
    %10 = "chlo.broadcast_next_after"(%arg0, %arg1) : (tensor<3x1xf32>, tensor<4xf32>) -> tensor<3x4xf32>
    %11 = "chlo.broadcast_polygamma"(%arg6, %arg1) : (tensor<3x1xf32>, tensor<4xf32>) -> tensor<3x4xf32>
    %12 = "chlo.broadcast_complex"(%arg0, %arg1) : (tensor<3x1xf32>, tensor<4xf32>) -> tensor<3x4xcomplex<f32>>
    %13 = "chlo.broadcast_compare"(%arg0, %arg1) <{comparison_direction = #chlo<comparison_direction EQ>}> : (tensor<3x1xf32>, tensor<4xf32>) -> tensor<3x4xi1>
    %14 = "chlo.broadcast_compare"(%arg0, %arg1) <{comparison_direction = #chlo<comparison_direction NE>}> : (tensor<3x1xf32>, tensor<4xf32>) -> tensor<3x4xi1>
    %15 = "chlo.broadcast_compare"(%arg0, %arg1) <{comparison_direction = #chlo<comparison_direction LT>}> : (tensor<3x1xf32>, tensor<4xf32>) -> tensor<3x4xi1>
    %16 = "chlo.broadcast_compare"(%arg0, %arg1) <{comparison_direction = #chlo<comparison_direction GE>}> : (tensor<3x1xf32>, tensor<4xf32>) -> tensor<3x4xi1>
    %17 = "chlo.broadcast_add"(%arg2, %arg3) : (tensor<3x1xi32>, tensor<4xi32>) -> tensor<3x4xi32>
    %18 = "chlo.broadcast_subtract"(%arg2, %arg3) : (tensor<3x1xi32>, tensor<4xi32>) -> tensor<3x4xi32>
    %19 = "chlo.broadcast_multiply"(%arg2, %arg3) : (tensor<3x1xi32>, tensor<4xi32>) -> tensor<3x4xi32>
    %20 = "chlo.broadcast_divide"(%arg2, %arg3) : (tensor<3x1xi32>, tensor<4xi32>) -> tensor<3x4xi32>
    %21 = "chlo.broadcast_remainder"(%arg2, %arg3) : (tensor<3x1xi32>, tensor<4xi32>) -> tensor<3x4xi32>
    %22 = "chlo.broadcast_maximum"(%arg2, %arg3) : (tensor<3x1xi32>, tensor<4xi32>) -> tensor<3x4xi32>
    %23 = "chlo.broadcast_and"(%arg2, %arg3) : (tensor<3x1xi32>, tensor<4xi32>) -> tensor<3x4xi32>
    %24 = "chlo.broadcast_or"(%arg2, %arg3) : (tensor<3x1xi32>, tensor<4xi32>) -> tensor<3x4xi32>
    %25 = "chlo.broadcast_xor"(%arg2, %arg3) : (tensor<3x1xi32>, tensor<4xi32>) -> tensor<3x4xi32>
    %26 = "chlo.broadcast_shift_left"(%arg2, %arg3) : (tensor<3x1xi32>, tensor<4xi32>) -> tensor<3x4xi32>
    %27 = "chlo.broadcast_shift_right_arithmetic"(%arg2, %arg3) : (tensor<3x1xi32>, tensor<4xi32>) -> tensor<3x4xi32>
    %28 = "chlo.broadcast_shift_right_logical"(%arg2, %arg3) : (tensor<3x1xi32>, tensor<4xi32>) -> tensor<3x4xi32>
    %29 = "chlo.broadcast_and"(%arg4, %arg5) : (tensor<2x1x4xi1>, tensor<i1>) -> tensor<2x1x4xi1>
    %30 = "chlo.broadcast_or"(%arg5, %arg4) : (tensor<i1>, tensor<2x1x4xi1>) -> tensor<2x1x4xi1>
    %31 = "chlo.broadcast_xor"(%arg4, %arg5) : (tensor<2x1x4xi1>, tensor<i1>) -> tensor<2x1x4xi1>
    %32 = "chlo.broadcast_select"(%arg4, %arg0, %arg1) : (tensor<2x1x4xi1>, tensor<3x1xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xcomplex<f32>>, tensor<3x4xi1>, tensor<3x4xi1>, tensor<3x4xi1>, tensor<3x4xi1>, tensor<3x4xi32>, tensor<3x4xi32>, tensor<3x4xi32>, tensor<3x4xi32>, tensor<3x4xi32>, tensor<3x4xi32>, tensor<3x4xi32>, tensor<3x4xi32>, tensor<3x4xi32>, tensor<3x4xi32>, tensor<3x4xi32>, tensor<3x4xi32>, tensor<2x1x4xi1>, tensor<2x1x4xi1>, tensor<2x1x4xi1>, tensor<2x3x4xf32>
  }
}
