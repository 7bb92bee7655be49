module @small_int_ui4 {
  func.func public @main(%a0: tensor<256xui4>, %a1: tensor<256xui4>) -> (tensor<256xui4>, tensor<256xui4>, tensor<256xui4>, tensor<256xui4>, tensor<256xui4>, tensor<256xui4>, tensor<256xui4>, tensor<256xui4>, tensor<256xui4>, tensor<256xui4>, tensor<256xui4>, tensor<256xui4>, tensor<256xui4>, tensor<256xui4>, tensor<256xui4>, tensor<256xui4>, tensor<256xui4>, tensor<256xui4>, tensor<256xi1>, tensor<256xi1>, tensor<256xi1>, tensor<256xi2>, tensor<256xui4>, tensor<256xi4>, tensor<256xui4>, tensor<256xui2>, tensor<256xui4>, tensor<256xi8>, tensor<256xui4>, tensor<256xui8>, tensor<256xui4>, tensor<256xi32>, tensor<256xui4>, tensor<256xui32>, tensor<256xui4>, tensor<256xi64>, tensor<256xui4>, tensor<256xf32>, tensor<256xui4>, tensor<16x16xi32>, tensor<16x16xui4>, tensor<16xui4>, tensor<16xui4>, tensor<16xui4>, tensor<256xui4>, tensor<256xui4>, tensor<128xui8>, tensor<128x2xui4>, tensor<32xui32>, tensor<32x8xui4>) {
    %0 = stablehlo.add %a0, %a1 : tensor<256xui4>
    %1 = stablehlo.subtract %a0, %a1 : tensor<256xui4>
    %2 = stablehlo.multiply %a0, %a1 : tensor<256xui4>
    %3 = stablehlo.divide %a0, %a1 : tensor<256xui4>
    %4 = stablehlo.remainder %a0, %a1 : tensor<256xui4>
    %5 = stablehlo.maximum %a0, %a1 : tensor<256xui4>
    %6 = stablehlo.minimum %a0, %a1 : tensor<256xui4>
    %7 = stablehlo.power %a0, %a1 : tensor<256xui4>
    %8 = stablehlo.and %a0, %a1 : tensor<256xui4>
    %9 = stablehlo.or %a0, %a1 : tensor<256xui4>
    %10 = stablehlo.xor %a0, %a1 : tensor<256xui4>
    %11 = stablehlo.shift_left %a0, %a1 : tensor<256xui4>
    %12 = stablehlo.shift_right_logical %a0, %a1 : tensor<256xui4>
    %13 = stablehlo.shift_right_arithmetic %a0, %a1 : tensor<256xui4>
    %14 = stablehlo.not %a0 : tensor<256xui4>
    %15 = stablehlo.negate %a0 : tensor<256xui4>
    %16 = stablehlo.popcnt %a0 : tensor<256xui4>
    %17 = stablehlo.count_leading_zeros %a0 : tensor<256xui4>
    %18 = stablehlo.compare EQ, %a0, %a1 : (tensor<256xui4>, tensor<256xui4>) -> tensor<256xi1>
    %19 = stablehlo.compare LT, %a0, %a1 : (tensor<256xui4>, tensor<256xui4>) -> tensor<256xi1>
    %20 = stablehlo.compare GE, %a0, %a1 : (tensor<256xui4>, tensor<256xui4>) -> tensor<256xi1>
    %21 = stablehlo.convert %a0 : (tensor<256xui4>) -> tensor<256xi2>
    %22 = stablehlo.convert %21 : (tensor<256xi2>) -> tensor<256xui4>
    %23 = stablehlo.convert %a0 : (tensor<256xui4>) -> tensor<256xi4>
    %24 = stablehlo.convert %23 : (tensor<256xi4>) -> tensor<256xui4>
    %25 = stablehlo.convert %a0 : (tensor<256xui4>) -> tensor<256xui2>
    %26 = stablehlo.convert %25 : (tensor<256xui2>) -> tensor<256xui4>
    %27 = stablehlo.convert %a0 : (tensor<256xui4>) -> tensor<256xi8>
    %28 = stablehlo.convert %27 : (tensor<256xi8>) -> tensor<256xui4>
    %29 = stablehlo.convert %a0 : (tensor<256xui4>) -> tensor<256xui8>
    %30 = stablehlo.convert %29 : (tensor<256xui8>) -> tensor<256xui4>
    %31 = stablehlo.convert %a0 : (tensor<256xui4>) -> tensor<256xi32>
    %32 = stablehlo.convert %31 : (tensor<256xi32>) -> tensor<256xui4>
    %33 = stablehlo.convert %a0 : (tensor<256xui4>) -> tensor<256xui32>
    %34 = stablehlo.convert %33 : (tensor<256xui32>) -> tensor<256xui4>
    %35 = stablehlo.convert %a0 : (tensor<256xui4>) -> tensor<256xi64>
    %36 = stablehlo.convert %35 : (tensor<256xi64>) -> tensor<256xui4>
    %37 = stablehlo.convert %a0 : (tensor<256xui4>) -> tensor<256xf32>
    %38 = stablehlo.constant dense<3.75> : tensor<256xf32>
    %39 = stablehlo.multiply %37, %38 : tensor<256xf32>
    %40 = stablehlo.convert %39 : (tensor<256xf32>) -> tensor<256xui4>
    %41 = stablehlo.reshape %a1 : (tensor<256xui4>) -> tensor<16x16xui4>
    %42 = stablehlo.dot_general %41, %41, contracting_dims = [1] x [0] : (tensor<16x16xui4>, tensor<16x16xui4>) -> tensor<16x16xi32>
    %43 = stablehlo.dot_general %41, %41, contracting_dims = [1] x [0] : (tensor<16x16xui4>, tensor<16x16xui4>) -> tensor<16x16xui4>
    %44 = stablehlo.constant dense<0> : tensor<ui4>
    %45 = stablehlo.reshape %a0 : (tensor<256xui4>) -> tensor<16x16xui4>
    %46 = stablehlo.reduce(%45 init: %44) applies stablehlo.add across dimensions = [1] : (tensor<16x16xui4>, tensor<ui4>) -> tensor<16xui4>
    %47 = stablehlo.constant dense<0> : tensor<ui4>
    %48 = stablehlo.reduce(%41 init: %47) applies stablehlo.maximum across dimensions = [0] : (tensor<16x16xui4>, tensor<ui4>) -> tensor<16xui4>
    %49 = stablehlo.constant dense<15> : tensor<ui4>
    %50 = stablehlo.reduce(%41 init: %49) applies stablehlo.minimum across dimensions = [0] : (tensor<16x16xui4>, tensor<ui4>) -> tensor<16xui4>
    %51 = "stablehlo.sort"(%a1) ({^bb0(%x: tensor<ui4>, %y: tensor<ui4>): %q = stablehlo.compare GT, %x, %y : (tensor<ui4>, tensor<ui4>) -> tensor<i1> stablehlo.return %q : tensor<i1>}) {dimension = 0 : i64} : (tensor<256xui4>) -> tensor<256xui4>
    %52 = stablehlo.iota dim = 0 : tensor<256xui4>
    %53 = stablehlo.reshape %a0 : (tensor<256xui4>) -> tensor<128x2xui4>
    %54 = stablehlo.bitcast_convert %53 : (tensor<128x2xui4>) -> tensor<128xui8>
    %55 = stablehlo.bitcast_convert %54 : (tensor<128xui8>) -> tensor<128x2xui4>
    %56 = stablehlo.reshape %a0 : (tensor<256xui4>) -> tensor<32x8xui4>
    %57 = stablehlo.bitcast_convert %56 : (tensor<32x8xui4>) -> tensor<32xui32>
    %58 = stablehlo.bitcast_convert %57 : (tensor<32xui32>) -> tensor<32x8xui4>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %40, %42, %43, %46, %48, %50, %51, %52, %54, %55, %57, %58 : tensor<256xui4>, tensor<256xui4>, tensor<256xui4>, tensor<256xui4>, tensor<256xui4>, tensor<256xui4>, tensor<256xui4>, tensor<256xui4>, tensor<256xui4>, tensor<256xui4>, tensor<256xui4>, tensor<256xui4>, tensor<256xui4>, tensor<256xui4>, tensor<256xui4>, tensor<256xui4>, tensor<256xui4>, tensor<256xui4>, tensor<256xi1>, tensor<256xi1>, tensor<256xi1>, tensor<256xi2>, tensor<256xui4>, tensor<256xi4>, tensor<256xui4>, tensor<256xui2>, tensor<256xui4>, tensor<256xi8>, tensor<256xui4>, tensor<256xui8>, tensor<256xui4>, tensor<256xi32>, tensor<256xui4>, tensor<256xui32>, tensor<256xui4>, tensor<256xi64>, tensor<256xui4>, tensor<256xf32>, tensor<256xui4>, tensor<16x16xi32>, tensor<16x16xui4>, tensor<16xui4>, tensor<16xui4>, tensor<16xui4>, tensor<256xui4>, tensor<256xui4>, tensor<128xui8>, tensor<128x2xui4>, tensor<32xui32>, tensor<32x8xui4>
  }
}
