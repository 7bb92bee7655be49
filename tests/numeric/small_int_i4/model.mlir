module @small_int_i4 {
  func.func public @main(%a0: tensor<256xi4>, %a1: tensor<256xi4>) -> (tensor<256xi4>, tensor<256xi4>, tensor<256xi4>, tensor<256xi4>, tensor<256xi4>, tensor<256xi4>, tensor<256xi4>, tensor<256xi4>, tensor<256xi4>, tensor<256xi4>, tensor<256xi4>, tensor<256xi4>, tensor<256xi4>, tensor<256xi4>, tensor<256xi4>, tensor<256xi4>, tensor<256xi4>, tensor<256xi4>, tensor<256xi4>, tensor<256xi4>, tensor<256xi1>, tensor<256xi1>, tensor<256xi1>, tensor<256xi2>, tensor<256xi4>, tensor<256xui2>, tensor<256xi4>, tensor<256xui4>, tensor<256xi4>, tensor<256xi8>, tensor<256xi4>, tensor<256xui8>, tensor<256xi4>, tensor<256xi32>, tensor<256xi4>, tensor<256xui32>, tensor<256xi4>, tensor<256xi64>, tensor<256xi4>, tensor<256xf32>, tensor<256xi4>, tensor<16x16xi32>, tensor<16x16xi4>, tensor<16xi4>, tensor<16xi4>, tensor<16xi4>, tensor<256xi4>, tensor<256xi4>, tensor<128xui8>, tensor<128x2xi4>, tensor<32xui32>, tensor<32x8xi4>) {
    %0 = stablehlo.add %a0, %a1 : tensor<256xi4>
    %1 = stablehlo.subtract %a0, %a1 : tensor<256xi4>
    %2 = stablehlo.multiply %a0, %a1 : tensor<256xi4>
    %3 = stablehlo.divide %a0, %a1 : tensor<256xi4>
    %4 = stablehlo.remainder %a0, %a1 : tensor<256xi4>
    %5 = stablehlo.maximum %a0, %a1 : tensor<256xi4>
    %6 = stablehlo.minimum %a0, %a1 : tensor<256xi4>
    %7 = stablehlo.power %a0, %a1 : tensor<256xi4>
    %8 = stablehlo.and %a0, %a1 : tensor<256xi4>
    %9 = stablehlo.or %a0, %a1 : tensor<256xi4>
    %10 = stablehlo.xor %a0, %a1 : tensor<256xi4>
    %11 = stablehlo.shift_left %a0, %a1 : tensor<256xi4>
    %12 = stablehlo.shift_right_logical %a0, %a1 : tensor<256xi4>
    %13 = stablehlo.shift_right_arithmetic %a0, %a1 : tensor<256xi4>
    %14 = stablehlo.not %a0 : tensor<256xi4>
    %15 = stablehlo.negate %a0 : tensor<256xi4>
    %16 = stablehlo.popcnt %a0 : tensor<256xi4>
    %17 = stablehlo.count_leading_zeros %a0 : tensor<256xi4>
    %18 = stablehlo.abs %a0 : tensor<256xi4>
    %19 = stablehlo.sign %a0 : tensor<256xi4>
    %20 = stablehlo.compare EQ, %a0, %a1 : (tensor<256xi4>, tensor<256xi4>) -> tensor<256xi1>
    %21 = stablehlo.compare LT, %a0, %a1 : (tensor<256xi4>, tensor<256xi4>) -> tensor<256xi1>
    %22 = stablehlo.compare GE, %a0, %a1 : (tensor<256xi4>, tensor<256xi4>) -> tensor<256xi1>
    %23 = stablehlo.convert %a0 : (tensor<256xi4>) -> tensor<256xi2>
    %24 = stablehlo.convert %23 : (tensor<256xi2>) -> tensor<256xi4>
    %25 = stablehlo.convert %a0 : (tensor<256xi4>) -> tensor<256xui2>
    %26 = stablehlo.convert %25 : (tensor<256xui2>) -> tensor<256xi4>
    %27 = stablehlo.convert %a0 : (tensor<256xi4>) -> tensor<256xui4>
    %28 = stablehlo.convert %27 : (tensor<256xui4>) -> tensor<256xi4>
    %29 = stablehlo.convert %a0 : (tensor<256xi4>) -> tensor<256xi8>
    %30 = stablehlo.convert %29 : (tensor<256xi8>) -> tensor<256xi4>
    %31 = stablehlo.convert %a0 : (tensor<256xi4>) -> tensor<256xui8>
    %32 = stablehlo.convert %31 : (tensor<256xui8>) -> tensor<256xi4>
    %33 = stablehlo.convert %a0 : (tensor<256xi4>) -> tensor<256xi32>
    %34 = stablehlo.convert %33 : (tensor<256xi32>) -> tensor<256xi4>
    %35 = stablehlo.convert %a0 : (tensor<256xi4>) -> tensor<256xui32>
    %36 = stablehlo.convert %35 : (tensor<256xui32>) -> tensor<256xi4>
    %37 = stablehlo.convert %a0 : (tensor<256xi4>) -> tensor<256xi64>
    %38 = stablehlo.convert %37 : (tensor<256xi64>) -> tensor<256xi4>
    %39 = stablehlo.convert %a0 : (tensor<256xi4>) -> tensor<256xf32>
    %40 = stablehlo.constant dense<3.75> : tensor<256xf32>
    %41 = stablehlo.multiply %39, %40 : tensor<256xf32>
    %42 = stablehlo.convert %41 : (tensor<256xf32>) -> tensor<256xi4>
    %43 = stablehlo.reshape %a1 : (tensor<256xi4>) -> tensor<16x16xi4>
    %44 = stablehlo.dot_general %43, %43, contracting_dims = [1] x [0] : (tensor<16x16xi4>, tensor<16x16xi4>) -> tensor<16x16xi32>
    %45 = stablehlo.dot_general %43, %43, contracting_dims = [1] x [0] : (tensor<16x16xi4>, tensor<16x16xi4>) -> tensor<16x16xi4>
    %46 = stablehlo.constant dense<0> : tensor<i4>
    %47 = stablehlo.reshape %a0 : (tensor<256xi4>) -> tensor<16x16xi4>
    %48 = stablehlo.reduce(%47 init: %46) applies stablehlo.add across dimensions = [1] : (tensor<16x16xi4>, tensor<i4>) -> tensor<16xi4>
    %49 = stablehlo.constant dense<-8> : tensor<i4>
    %50 = stablehlo.reduce(%43 init: %49) applies stablehlo.maximum across dimensions = [0] : (tensor<16x16xi4>, tensor<i4>) -> tensor<16xi4>
    %51 = stablehlo.constant dense<7> : tensor<i4>
    %52 = stablehlo.reduce(%43 init: %51) applies stablehlo.minimum across dimensions = [0] : (tensor<16x16xi4>, tensor<i4>) -> tensor<16xi4>
    %53 = "stablehlo.sort"(%a1) ({^bb0(%x: tensor<i4>, %y: tensor<i4>): %q = stablehlo.compare GT, %x, %y : (tensor<i4>, tensor<i4>) -> tensor<i1> stablehlo.return %q : tensor<i1>}) {dimension = 0 : i64} : (tensor<256xi4>) -> tensor<256xi4>
    %54 = stablehlo.iota dim = 0 : tensor<256xi4>
    %55 = stablehlo.reshape %a0 : (tensor<256xi4>) -> tensor<128x2xi4>
    %56 = stablehlo.bitcast_convert %55 : (tensor<128x2xi4>) -> tensor<128xui8>
    %57 = stablehlo.bitcast_convert %56 : (tensor<128xui8>) -> tensor<128x2xi4>
    %58 = stablehlo.reshape %a0 : (tensor<256xi4>) -> tensor<32x8xi4>
    %59 = stablehlo.bitcast_convert %58 : (tensor<32x8xi4>) -> tensor<32xui32>
    %60 = stablehlo.bitcast_convert %59 : (tensor<32xui32>) -> tensor<32x8xi4>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %42, %44, %45, %48, %50, %52, %53, %54, %56, %57, %59, %60 : tensor<256xi4>, tensor<256xi4>, tensor<256xi4>, tensor<256xi4>, tensor<256xi4>, tensor<256xi4>, tensor<256xi4>, tensor<256xi4>, tensor<256xi4>, tensor<256xi4>, tensor<256xi4>, tensor<256xi4>, tensor<256xi4>, tensor<256xi4>, tensor<256xi4>, tensor<256xi4>, tensor<256xi4>, tensor<256xi4>, tensor<256xi4>, tensor<256xi4>, tensor<256xi1>, tensor<256xi1>, tensor<256xi1>, tensor<256xi2>, tensor<256xi4>, tensor<256xui2>, tensor<256xi4>, tensor<256xui4>, tensor<256xi4>, tensor<256xi8>, tensor<256xi4>, tensor<256xui8>, tensor<256xi4>, tensor<256xi32>, tensor<256xi4>, tensor<256xui32>, tensor<256xi4>, tensor<256xi64>, tensor<256xi4>, tensor<256xf32>, tensor<256xi4>, tensor<16x16xi32>, tensor<16x16xi4>, tensor<16xi4>, tensor<16xi4>, tensor<16xi4>, tensor<256xi4>, tensor<256xi4>, tensor<128xui8>, tensor<128x2xi4>, tensor<32xui32>, tensor<32x8xi4>
  }
}
