module @small_int_ui2 {
  func.func public @main(%a0: tensor<16xui2>, %a1: tensor<16xui2>) -> (tensor<16xui2>, tensor<16xui2>, tensor<16xui2>, tensor<16xui2>, tensor<16xui2>, tensor<16xui2>, tensor<16xui2>, tensor<16xui2>, tensor<16xui2>, tensor<16xui2>, tensor<16xui2>, tensor<16xui2>, tensor<16xui2>, tensor<16xui2>, tensor<16xui2>, tensor<16xui2>, tensor<16xui2>, tensor<16xui2>, tensor<16xi1>, tensor<16xi1>, tensor<16xi1>, tensor<16xi2>, tensor<16xui2>, tensor<16xi4>, tensor<16xui2>, tensor<16xui4>, tensor<16xui2>, tensor<16xi8>, tensor<16xui2>, tensor<16xui8>, tensor<16xui2>, tensor<16xi32>, tensor<16xui2>, tensor<16xui32>, tensor<16xui2>, tensor<16xi64>, tensor<16xui2>, tensor<16xf32>, tensor<16xui2>, tensor<4x4xi32>, tensor<4x4xui2>, tensor<4xui2>, tensor<4xui2>, tensor<4xui2>, tensor<16xui2>, tensor<16xui2>, tensor<4xui8>, tensor<4x4xui2>, tensor<1xui32>, tensor<1x16xui2>) {
    %0 = stablehlo.add %a0, %a1 : tensor<16xui2>
    %1 = stablehlo.subtract %a0, %a1 : tensor<16xui2>
    %2 = stablehlo.multiply %a0, %a1 : tensor<16xui2>
    %3 = stablehlo.divide %a0, %a1 : tensor<16xui2>
    %4 = stablehlo.remainder %a0, %a1 : tensor<16xui2>
    %5 = stablehlo.maximum %a0, %a1 : tensor<16xui2>
    %6 = stablehlo.minimum %a0, %a1 : tensor<16xui2>
    %7 = stablehlo.power %a0, %a1 : tensor<16xui2>
    %8 = stablehlo.and %a0, %a1 : tensor<16xui2>
    %9 = stablehlo.or %a0, %a1 : tensor<16xui2>
    %10 = stablehlo.xor %a0, %a1 : tensor<16xui2>
    %11 = stablehlo.shift_left %a0, %a1 : tensor<16xui2>
    %12 = stablehlo.shift_right_logical %a0, %a1 : tensor<16xui2>
    %13 = stablehlo.shift_right_arithmetic %a0, %a1 : tensor<16xui2>
    %14 = stablehlo.not %a0 : tensor<16xui2>
    %15 = stablehlo.negate %a0 : tensor<16xui2>
    %16 = stablehlo.popcnt %a0 : tensor<16xui2>
    %17 = stablehlo.count_leading_zeros %a0 : tensor<16xui2>
    %18 = stablehlo.compare EQ, %a0, %a1 : (tensor<16xui2>, tensor<16xui2>) -> tensor<16xi1>
    %19 = stablehlo.compare LT, %a0, %a1 : (tensor<16xui2>, tensor<16xui2>) -> tensor<16xi1>
    %20 = stablehlo.compare GE, %a0, %a1 : (tensor<16xui2>, tensor<16xui2>) -> tensor<16xi1>
    %21 = stablehlo.convert %a0 : (tensor<16xui2>) -> tensor<16xi2>
    %22 = stablehlo.convert %21 : (tensor<16xi2>) -> tensor<16xui2>
    %23 = stablehlo.convert %a0 : (tensor<16xui2>) -> tensor<16xi4>
    %24 = stablehlo.convert %23 : (tensor<16xi4>) -> tensor<16xui2>
    %25 = stablehlo.convert %a0 : (tensor<16xui2>) -> tensor<16xui4>
    %26 = stablehlo.convert %25 : (tensor<16xui4>) -> tensor<16xui2>
    %27 = stablehlo.convert %a0 : (tensor<16xui2>) -> tensor<16xi8>
    %28 = stablehlo.convert %27 : (tensor<16xi8>) -> tensor<16xui2>
    %29 = stablehlo.convert %a0 : (tensor<16xui2>) -> tensor<16xui8>
    %30 = stablehlo.convert %29 : (tensor<16xui8>) -> tensor<16xui2>
    %31 = stablehlo.convert %a0 : (tensor<16xui2>) -> tensor<16xi32>
    %32 = stablehlo.convert %31 : (tensor<16xi32>) -> tensor<16xui2>
    %33 = stablehlo.convert %a0 : (tensor<16xui2>) -> tensor<16xui32>
    %34 = stablehlo.convert %33 : (tensor<16xui32>) -> tensor<16xui2>
    %35 = stablehlo.convert %a0 : (tensor<16xui2>) -> tensor<16xi64>
    %36 = stablehlo.convert %35 : (tensor<16xi64>) -> tensor<16xui2>
    %37 = stablehlo.convert %a0 : (tensor<16xui2>) -> tensor<16xf32>
    %38 = stablehlo.constant dense<3.75> : tensor<16xf32>
    %39 = stablehlo.multiply %37, %38 : tensor<16xf32>
    %40 = stablehlo.convert %39 : (tensor<16xf32>) -> tensor<16xui2>
    %41 = stablehlo.reshape %a1 : (tensor<16xui2>) -> tensor<4x4xui2>
    %42 = stablehlo.dot_general %41, %41, contracting_dims = [1] x [0] : (tensor<4x4xui2>, tensor<4x4xui2>) -> tensor<4x4xi32>
    %43 = stablehlo.dot_general %41, %41, contracting_dims = [1] x [0] : (tensor<4x4xui2>, tensor<4x4xui2>) -> tensor<4x4xui2>
    %44 = stablehlo.constant dense<0> : tensor<ui2>
    %45 = stablehlo.reshape %a0 : (tensor<16xui2>) -> tensor<4x4xui2>
    %46 = stablehlo.reduce(%45 init: %44) applies stablehlo.add across dimensions = [1] : (tensor<4x4xui2>, tensor<ui2>) -> tensor<4xui2>
    %47 = stablehlo.constant dense<0> : tensor<ui2>
    %48 = stablehlo.reduce(%41 init: %47) applies stablehlo.maximum across dimensions = [0] : (tensor<4x4xui2>, tensor<ui2>) -> tensor<4xui2>
    %49 = stablehlo.constant dense<3> : tensor<ui2>
    %50 = stablehlo.reduce(%41 init: %49) applies stablehlo.minimum across dimensions = [0] : (tensor<4x4xui2>, tensor<ui2>) -> tensor<4xui2>
    %51 = "stablehlo.sort"(%a1) ({^bb0(%x: tensor<ui2>, %y: tensor<ui2>): %q = stablehlo.compare GT, %x, %y : (tensor<ui2>, tensor<ui2>) -> tensor<i1> stablehlo.return %q : tensor<i1>}) {dimension = 0 : i64} : (tensor<16xui2>) -> tensor<16xui2>
    %52 = stablehlo.iota dim = 0 : tensor<16xui2>
    %53 = stablehlo.reshape %a0 : (tensor<16xui2>) -> tensor<4x4xui2>
    %54 = stablehlo.bitcast_convert %53 : (tensor<4x4xui2>) -> tensor<4xui8>
    %55 = stablehlo.bitcast_convert %54 : (tensor<4xui8>) -> tensor<4x4xui2>
    %56 = stablehlo.reshape %a0 : (tensor<16xui2>) -> tensor<1x16xui2>
    %57 = stablehlo.bitcast_convert %56 : (tensor<1x16xui2>) -> tensor<1xui32>
    %58 = stablehlo.bitcast_convert %57 : (tensor<1xui32>) -> tensor<1x16xui2>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %40, %42, %43, %46, %48, %50, %51, %52, %54, %55, %57, %58 : tensor<16xui2>, tensor<16xui2>, tensor<16xui2>, tensor<16xui2>, tensor<16xui2>, tensor<16xui2>, tensor<16xui2>, tensor<16xui2>, tensor<16xui2>, tensor<16xui2>, tensor<16xui2>, tensor<16xui2>, tensor<16xui2>, tensor<16xui2>, tensor<16xui2>, tensor<16xui2>, tensor<16xui2>, tensor<16xui2>, tensor<16xi1>, tensor<16xi1>, tensor<16xi1>, tensor<16xi2>, tensor<16xui2>, tensor<16xi4>, tensor<16xui2>, tensor<16xui4>, tensor<16xui2>, tensor<16xi8>, tensor<16xui2>, tensor<16xui8>, tensor<16xui2>, tensor<16xi32>, tensor<16xui2>, tensor<16xui32>, tensor<16xui2>, tensor<16xi64>, tensor<16xui2>, tensor<16xf32>, tensor<16xui2>, tensor<4x4xi32>, tensor<4x4xui2>, tensor<4xui2>, tensor<4xui2>, tensor<4xui2>, tensor<16xui2>, tensor<16xui2>, tensor<4xui8>, tensor<4x4xui2>, tensor<1xui32>, tensor<1x16xui2>
  }
}
