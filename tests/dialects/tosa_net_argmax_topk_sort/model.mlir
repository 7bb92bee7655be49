"builtin.module"() ({
  "func.func"() <{function_type = (tensor<6x9xf32>) -> (tensor<6xi64>, tensor<6x3xf32>, tensor<6x3xi64>, tensor<6x9xf32>, tensor<6x9xi64>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<6x9xf32>):
    %0 = "tosa.const_shape"() <{values = dense<[6, 9, 1]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %1 = "tosa.const"() <{values = dense<0xFF800000> : tensor<6x9x1xf32>}> : () -> tensor<6x9x1xf32>
    %2 = "tosa.const"() <{values = dense<0> : tensor<6x9x1xi8>}> : () -> tensor<6x9x1xi8>
    %3 = "tosa.const"() <{values = dense<1> : tensor<6x9x1xi8>}> : () -> tensor<6x9x1xi8>
    %4 = "tosa.const"() <{values = dense<1> : tensor<6x1x1xi8>}> : () -> tensor<6x1x1xi8>
    %5 = "tosa.const"() <{values = dense<0> : tensor<6x9x1xi32>}> : () -> tensor<6x9x1xi32>
    %6 = "tosa.const"() <{values = dense<1> : tensor<6x1xi32>}> : () -> tensor<6x1xi32>
    %7 = "tosa.const_shape"() <{values = dense<[6, 1]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %8 = "tosa.const_shape"() <{values = dense<[6, 1, 1]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %9 = "tosa.const_shape"() <{values = dense<[6, 9]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %10 = "tosa.const_shape"() <{values = dense<[6, 3]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %11 = "tosa.const_shape"() <{values = dense<0> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %12 = "tosa.const"() <{values = dense<0x7F800000> : tensor<6x9x1xf32>}> : () -> tensor<6x9x1xf32>
    %13 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %14 = "tosa.const"() <{values = dense<true> : tensor<6x9x1xi1>}> : () -> tensor<6x9x1xi1>
    %15 = "tosa.argmax"(%arg0) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9xf32>) -> tensor<6xi64>
    %16 = "tosa.reshape"(%arg0, %0) : (tensor<6x9xf32>, !tosa.shape<3>) -> tensor<6x9x1xf32>
    %17 = "tosa.equal"(%16, %16) : (tensor<6x9x1xf32>, tensor<6x9x1xf32>) -> tensor<6x9x1xi1>
    %18 = "tosa.logical_not"(%17) : (tensor<6x9x1xi1>) -> tensor<6x9x1xi1>
    %19 = "tosa.logical_and"(%17, %14) : (tensor<6x9x1xi1>, tensor<6x9x1xi1>) -> tensor<6x9x1xi1>
    %20 = "tosa.logical_and"(%18, %14) : (tensor<6x9x1xi1>, tensor<6x9x1xi1>) -> tensor<6x9x1xi1>
    %21 = "tosa.select"(%19, %3, %2) : (tensor<6x9x1xi1>, tensor<6x9x1xi8>, tensor<6x9x1xi8>) -> tensor<6x9x1xi8>
    %22 = "tosa.argmax"(%21) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xi8>) -> tensor<6x1xi32>
    %23 = "tosa.select"(%20, %3, %2) : (tensor<6x9x1xi1>, tensor<6x9x1xi8>, tensor<6x9x1xi8>) -> tensor<6x9x1xi8>
    %24 = "tosa.argmax"(%23) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xi8>) -> tensor<6x1xi32>
    %25 = "tosa.gather"(%23, %24) : (tensor<6x9x1xi8>, tensor<6x1xi32>) -> tensor<6x1x1xi8>
    %26 = "tosa.reshape"(%25, %7) : (tensor<6x1x1xi8>, !tosa.shape<2>) -> tensor<6x1xi8>
    %27 = "tosa.cast"(%26) : (tensor<6x1xi8>) -> tensor<6x1xi32>
    %28 = "tosa.equal"(%27, %6) : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %29 = "tosa.select"(%19, %16, %1) : (tensor<6x9x1xi1>, tensor<6x9x1xf32>, tensor<6x9x1xf32>) -> tensor<6x9x1xf32>
    %30 = "tosa.argmax"(%29) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xf32>) -> tensor<6x1xi32>
    %31 = "tosa.gather"(%21, %30) : (tensor<6x9x1xi8>, tensor<6x1xi32>) -> tensor<6x1x1xi8>
    %32 = "tosa.reshape"(%31, %7) : (tensor<6x1x1xi8>, !tosa.shape<2>) -> tensor<6x1xi8>
    %33 = "tosa.cast"(%32) : (tensor<6x1xi8>) -> tensor<6x1xi32>
    %34 = "tosa.equal"(%33, %6) : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %35 = "tosa.select"(%34, %30, %22) : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
    %36 = "tosa.select"(%28, %24, %35) : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
    %37 = "tosa.gather"(%16, %36) : (tensor<6x9x1xf32>, tensor<6x1xi32>) -> tensor<6x1x1xf32>
    %38 = "tosa.scatter"(%2, %36, %4) : (tensor<6x9x1xi8>, tensor<6x1xi32>, tensor<6x1x1xi8>) -> tensor<6x9x1xi8>
    %39 = "tosa.cast"(%38) : (tensor<6x9x1xi8>) -> tensor<6x9x1xi32>
    %40 = "tosa.equal"(%39, %5) : (tensor<6x9x1xi32>, tensor<6x9x1xi32>) -> tensor<6x9x1xi1>
    %41 = "tosa.logical_and"(%40, %17) : (tensor<6x9x1xi1>, tensor<6x9x1xi1>) -> tensor<6x9x1xi1>
    %42 = "tosa.logical_and"(%40, %18) : (tensor<6x9x1xi1>, tensor<6x9x1xi1>) -> tensor<6x9x1xi1>
    %43 = "tosa.select"(%41, %3, %2) : (tensor<6x9x1xi1>, tensor<6x9x1xi8>, tensor<6x9x1xi8>) -> tensor<6x9x1xi8>
    %44 = "tosa.argmax"(%43) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xi8>) -> tensor<6x1xi32>
    %45 = "tosa.select"(%42, %3, %2) : (tensor<6x9x1xi1>, tensor<6x9x1xi8>, tensor<6x9x1xi8>) -> tensor<6x9x1xi8>
    %46 = "tosa.argmax"(%45) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xi8>) -> tensor<6x1xi32>
    %47 = "tosa.gather"(%45, %46) : (tensor<6x9x1xi8>, tensor<6x1xi32>) -> tensor<6x1x1xi8>
    %48 = "tosa.reshape"(%47, %7) : (tensor<6x1x1xi8>, !tosa.shape<2>) -> tensor<6x1xi8>
    %49 = "tosa.cast"(%48) : (tensor<6x1xi8>) -> tensor<6x1xi32>
    %50 = "tosa.equal"(%49, %6) : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %51 = "tosa.select"(%41, %16, %1) : (tensor<6x9x1xi1>, tensor<6x9x1xf32>, tensor<6x9x1xf32>) -> tensor<6x9x1xf32>
    %52 = "tosa.argmax"(%51) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xf32>) -> tensor<6x1xi32>
    %53 = "tosa.gather"(%43, %52) : (tensor<6x9x1xi8>, tensor<6x1xi32>) -> tensor<6x1x1xi8>
    %54 = "tosa.reshape"(%53, %7) : (tensor<6x1x1xi8>, !tosa.shape<2>) -> tensor<6x1xi8>
    %55 = "tosa.cast"(%54) : (tensor<6x1xi8>) -> tensor<6x1xi32>
    %56 = "tosa.equal"(%55, %6) : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %57 = "tosa.select"(%56, %52, %44) : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
    %58 = "tosa.select"(%50, %46, %57) : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
    %59 = "tosa.gather"(%16, %58) : (tensor<6x9x1xf32>, tensor<6x1xi32>) -> tensor<6x1x1xf32>
    %60 = "tosa.scatter"(%38, %58, %4) : (tensor<6x9x1xi8>, tensor<6x1xi32>, tensor<6x1x1xi8>) -> tensor<6x9x1xi8>
    %61 = "tosa.cast"(%60) : (tensor<6x9x1xi8>) -> tensor<6x9x1xi32>
    %62 = "tosa.equal"(%61, %5) : (tensor<6x9x1xi32>, tensor<6x9x1xi32>) -> tensor<6x9x1xi1>
    %63 = "tosa.logical_and"(%62, %17) : (tensor<6x9x1xi1>, tensor<6x9x1xi1>) -> tensor<6x9x1xi1>
    %64 = "tosa.logical_and"(%62, %18) : (tensor<6x9x1xi1>, tensor<6x9x1xi1>) -> tensor<6x9x1xi1>
    %65 = "tosa.select"(%63, %3, %2) : (tensor<6x9x1xi1>, tensor<6x9x1xi8>, tensor<6x9x1xi8>) -> tensor<6x9x1xi8>
    %66 = "tosa.argmax"(%65) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xi8>) -> tensor<6x1xi32>
    %67 = "tosa.select"(%64, %3, %2) : (tensor<6x9x1xi1>, tensor<6x9x1xi8>, tensor<6x9x1xi8>) -> tensor<6x9x1xi8>
    %68 = "tosa.argmax"(%67) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xi8>) -> tensor<6x1xi32>
    %69 = "tosa.gather"(%67, %68) : (tensor<6x9x1xi8>, tensor<6x1xi32>) -> tensor<6x1x1xi8>
    %70 = "tosa.reshape"(%69, %7) : (tensor<6x1x1xi8>, !tosa.shape<2>) -> tensor<6x1xi8>
    %71 = "tosa.cast"(%70) : (tensor<6x1xi8>) -> tensor<6x1xi32>
    %72 = "tosa.equal"(%71, %6) : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %73 = "tosa.select"(%63, %16, %1) : (tensor<6x9x1xi1>, tensor<6x9x1xf32>, tensor<6x9x1xf32>) -> tensor<6x9x1xf32>
    %74 = "tosa.argmax"(%73) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xf32>) -> tensor<6x1xi32>
    %75 = "tosa.gather"(%65, %74) : (tensor<6x9x1xi8>, tensor<6x1xi32>) -> tensor<6x1x1xi8>
    %76 = "tosa.reshape"(%75, %7) : (tensor<6x1x1xi8>, !tosa.shape<2>) -> tensor<6x1xi8>
    %77 = "tosa.cast"(%76) : (tensor<6x1xi8>) -> tensor<6x1xi32>
    %78 = "tosa.equal"(%77, %6) : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %79 = "tosa.select"(%78, %74, %66) : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
    %80 = "tosa.select"(%72, %68, %79) : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
    %81 = "tosa.gather"(%16, %80) : (tensor<6x9x1xf32>, tensor<6x1xi32>) -> tensor<6x1x1xf32>
    %82 = "tosa.scatter"(%60, %80, %4) : (tensor<6x9x1xi8>, tensor<6x1xi32>, tensor<6x1x1xi8>) -> tensor<6x9x1xi8>
    %83 = "tosa.cast"(%82) : (tensor<6x9x1xi8>) -> tensor<6x9x1xi32>
    %84 = "tosa.equal"(%83, %5) : (tensor<6x9x1xi32>, tensor<6x9x1xi32>) -> tensor<6x9x1xi1>
    %85 = "tosa.logical_and"(%84, %17) : (tensor<6x9x1xi1>, tensor<6x9x1xi1>) -> tensor<6x9x1xi1>
    %86 = "tosa.logical_and"(%84, %18) : (tensor<6x9x1xi1>, tensor<6x9x1xi1>) -> tensor<6x9x1xi1>
    %87 = "tosa.select"(%85, %3, %2) : (tensor<6x9x1xi1>, tensor<6x9x1xi8>, tensor<6x9x1xi8>) -> tensor<6x9x1xi8>
    %88 = "tosa.argmax"(%87) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xi8>) -> tensor<6x1xi32>
    %89 = "tosa.select"(%86, %3, %2) : (tensor<6x9x1xi1>, tensor<6x9x1xi8>, tensor<6x9x1xi8>) -> tensor<6x9x1xi8>
    %90 = "tosa.argmax"(%89) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xi8>) -> tensor<6x1xi32>
    %91 = "tosa.gather"(%89, %90) : (tensor<6x9x1xi8>, tensor<6x1xi32>) -> tensor<6x1x1xi8>
    %92 = "tosa.reshape"(%91, %7) : (tensor<6x1x1xi8>, !tosa.shape<2>) -> tensor<6x1xi8>
    %93 = "tosa.cast"(%92) : (tensor<6x1xi8>) -> tensor<6x1xi32>
    %94 = "tosa.equal"(%93, %6) : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %95 = "tosa.select"(%85, %16, %1) : (tensor<6x9x1xi1>, tensor<6x9x1xf32>, tensor<6x9x1xf32>) -> tensor<6x9x1xf32>
    %96 = "tosa.argmax"(%95) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xf32>) -> tensor<6x1xi32>
    %97 = "tosa.gather"(%87, %96) : (tensor<6x9x1xi8>, tensor<6x1xi32>) -> tensor<6x1x1xi8>
    %98 = "tosa.reshape"(%97, %7) : (tensor<6x1x1xi8>, !tosa.shape<2>) -> tensor<6x1xi8>
    %99 = "tosa.cast"(%98) : (tensor<6x1xi8>) -> tensor<6x1xi32>
    %100 = "tosa.equal"(%99, %6) : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %101 = "tosa.select"(%100, %96, %88) : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
    %102 = "tosa.select"(%94, %90, %101) : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
    %103 = "tosa.gather"(%16, %102) : (tensor<6x9x1xf32>, tensor<6x1xi32>) -> tensor<6x1x1xf32>
    %104 = "tosa.scatter"(%82, %102, %4) : (tensor<6x9x1xi8>, tensor<6x1xi32>, tensor<6x1x1xi8>) -> tensor<6x9x1xi8>
    %105 = "tosa.cast"(%104) : (tensor<6x9x1xi8>) -> tensor<6x9x1xi32>
    %106 = "tosa.equal"(%105, %5) : (tensor<6x9x1xi32>, tensor<6x9x1xi32>) -> tensor<6x9x1xi1>
    %107 = "tosa.logical_and"(%106, %17) : (tensor<6x9x1xi1>, tensor<6x9x1xi1>) -> tensor<6x9x1xi1>
    %108 = "tosa.logical_and"(%106, %18) : (tensor<6x9x1xi1>, tensor<6x9x1xi1>) -> tensor<6x9x1xi1>
    %109 = "tosa.select"(%107, %3, %2) : (tensor<6x9x1xi1>, tensor<6x9x1xi8>, tensor<6x9x1xi8>) -> tensor<6x9x1xi8>
    %110 = "tosa.argmax"(%109) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xi8>) -> tensor<6x1xi32>
    %111 = "tosa.select"(%108, %3, %2) : (tensor<6x9x1xi1>, tensor<6x9x1xi8>, tensor<6x9x1xi8>) -> tensor<6x9x1xi8>
    %112 = "tosa.argmax"(%111) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xi8>) -> tensor<6x1xi32>
    %113 = "tosa.gather"(%111, %112) : (tensor<6x9x1xi8>, tensor<6x1xi32>) -> tensor<6x1x1xi8>
    %114 = "tosa.reshape"(%113, %7) : (tensor<6x1x1xi8>, !tosa.shape<2>) -> tensor<6x1xi8>
    %115 = "tosa.cast"(%114) : (tensor<6x1xi8>) -> tensor<6x1xi32>
    %116 = "tosa.equal"(%115, %6) : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %117 = "tosa.select"(%107, %16, %1) : (tensor<6x9x1xi1>, tensor<6x9x1xf32>, tensor<6x9x1xf32>) -> tensor<6x9x1xf32>
    %118 = "tosa.argmax"(%117) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xf32>) -> tensor<6x1xi32>
    %119 = "tosa.gather"(%109, %118) : (tensor<6x9x1xi8>, tensor<6x1xi32>) -> tensor<6x1x1xi8>
    %120 = "tosa.reshape"(%119, %7) : (tensor<6x1x1xi8>, !tosa.shape<2>) -> tensor<6x1xi8>
    %121 = "tosa.cast"(%120) : (tensor<6x1xi8>) -> tensor<6x1xi32>
    %122 = "tosa.equal"(%121, %6) : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %123 = "tosa.select"(%122, %118, %110) : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
    %124 = "tosa.select"(%116, %112, %123) : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
    %125 = "tosa.gather"(%16, %124) : (tensor<6x9x1xf32>, tensor<6x1xi32>) -> tensor<6x1x1xf32>
    %126 = "tosa.scatter"(%104, %124, %4) : (tensor<6x9x1xi8>, tensor<6x1xi32>, tensor<6x1x1xi8>) -> tensor<6x9x1xi8>
    %127 = "tosa.cast"(%126) : (tensor<6x9x1xi8>) -> tensor<6x9x1xi32>
    %128 = "tosa.equal"(%127, %5) : (tensor<6x9x1xi32>, tensor<6x9x1xi32>) -> tensor<6x9x1xi1>
    %129 = "tosa.logical_and"(%128, %17) : (tensor<6x9x1xi1>, tensor<6x9x1xi1>) -> tensor<6x9x1xi1>
    %130 = "tosa.logical_and"(%128, %18) : (tensor<6x9x1xi1>, tensor<6x9x1xi1>) -> tensor<6x9x1xi1>
    %131 = "tosa.select"(%129, %3, %2) : (tensor<6x9x1xi1>, tensor<6x9x1xi8>, tensor<6x9x1xi8>) -> tensor<6x9x1xi8>
    %132 = "tosa.argmax"(%131) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xi8>) -> tensor<6x1xi32>
    %133 = "tosa.select"(%130, %3, %2) : (tensor<6x9x1xi1>, tensor<6x9x1xi8>, tensor<6x9x1xi8>) -> tensor<6x9x1xi8>
    %134 = "tosa.argmax"(%133) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xi8>) -> tensor<6x1xi32>
    %135 = "tosa.gather"(%133, %134) : (tensor<6x9x1xi8>, tensor<6x1xi32>) -> tensor<6x1x1xi8>
    %136 = "tosa.reshape"(%135, %7) : (tensor<6x1x1xi8>, !tosa.shape<2>) -> tensor<6x1xi8>
    %137 = "tosa.cast"(%136) : (tensor<6x1xi8>) -> tensor<6x1xi32>
    %138 = "tosa.equal"(%137, %6) : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %139 = "tosa.select"(%129, %16, %1) : (tensor<6x9x1xi1>, tensor<6x9x1xf32>, tensor<6x9x1xf32>) -> tensor<6x9x1xf32>
    %140 = "tosa.argmax"(%139) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xf32>) -> tensor<6x1xi32>
    %141 = "tosa.gather"(%131, %140) : (tensor<6x9x1xi8>, tensor<6x1xi32>) -> tensor<6x1x1xi8>
    %142 = "tosa.reshape"(%141, %7) : (tensor<6x1x1xi8>, !tosa.shape<2>) -> tensor<6x1xi8>
    %143 = "tosa.cast"(%142) : (tensor<6x1xi8>) -> tensor<6x1xi32>
    %144 = "tosa.equal"(%143, %6) : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %145 = "tosa.select"(%144, %140, %132) : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
    %146 = "tosa.select"(%138, %134, %145) : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
    %147 = "tosa.gather"(%16, %146) : (tensor<6x9x1xf32>, tensor<6x1xi32>) -> tensor<6x1x1xf32>
    %148 = "tosa.scatter"(%126, %146, %4) : (tensor<6x9x1xi8>, tensor<6x1xi32>, tensor<6x1x1xi8>) -> tensor<6x9x1xi8>
    %149 = "tosa.cast"(%148) : (tensor<6x9x1xi8>) -> tensor<6x9x1xi32>
    %150 = "tosa.equal"(%149, %5) : (tensor<6x9x1xi32>, tensor<6x9x1xi32>) -> tensor<6x9x1xi1>
    %151 = "tosa.logical_and"(%150, %17) : (tensor<6x9x1xi1>, tensor<6x9x1xi1>) -> tensor<6x9x1xi1>
    %152 = "tosa.logical_and"(%150, %18) : (tensor<6x9x1xi1>, tensor<6x9x1xi1>) -> tensor<6x9x1xi1>
    %153 = "tosa.select"(%151, %3, %2) : (tensor<6x9x1xi1>, tensor<6x9x1xi8>, tensor<6x9x1xi8>) -> tensor<6x9x1xi8>
    %154 = "tosa.argmax"(%153) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xi8>) -> tensor<6x1xi32>
    %155 = "tosa.select"(%152, %3, %2) : (tensor<6x9x1xi1>, tensor<6x9x1xi8>, tensor<6x9x1xi8>) -> tensor<6x9x1xi8>
    %156 = "tosa.argmax"(%155) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xi8>) -> tensor<6x1xi32>
    %157 = "tosa.gather"(%155, %156) : (tensor<6x9x1xi8>, tensor<6x1xi32>) -> tensor<6x1x1xi8>
    %158 = "tosa.reshape"(%157, %7) : (tensor<6x1x1xi8>, !tosa.shape<2>) -> tensor<6x1xi8>
    %159 = "tosa.cast"(%158) : (tensor<6x1xi8>) -> tensor<6x1xi32>
    %160 = "tosa.equal"(%159, %6) : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %161 = "tosa.select"(%151, %16, %1) : (tensor<6x9x1xi1>, tensor<6x9x1xf32>, tensor<6x9x1xf32>) -> tensor<6x9x1xf32>
    %162 = "tosa.argmax"(%161) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xf32>) -> tensor<6x1xi32>
    %163 = "tosa.gather"(%153, %162) : (tensor<6x9x1xi8>, tensor<6x1xi32>) -> tensor<6x1x1xi8>
    %164 = "tosa.reshape"(%163, %7) : (tensor<6x1x1xi8>, !tosa.shape<2>) -> tensor<6x1xi8>
    %165 = "tosa.cast"(%164) : (tensor<6x1xi8>) -> tensor<6x1xi32>
    %166 = "tosa.equal"(%165, %6) : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %167 = "tosa.select"(%166, %162, %154) : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
    %168 = "tosa.select"(%160, %156, %167) : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
    %169 = "tosa.gather"(%16, %168) : (tensor<6x9x1xf32>, tensor<6x1xi32>) -> tensor<6x1x1xf32>
    %170 = "tosa.scatter"(%148, %168, %4) : (tensor<6x9x1xi8>, tensor<6x1xi32>, tensor<6x1x1xi8>) -> tensor<6x9x1xi8>
    %171 = "tosa.cast"(%170) : (tensor<6x9x1xi8>) -> tensor<6x9x1xi32>
    %172 = "tosa.equal"(%171, %5) : (tensor<6x9x1xi32>, tensor<6x9x1xi32>) -> tensor<6x9x1xi1>
    %173 = "tosa.logical_and"(%172, %17) : (tensor<6x9x1xi1>, tensor<6x9x1xi1>) -> tensor<6x9x1xi1>
    %174 = "tosa.logical_and"(%172, %18) : (tensor<6x9x1xi1>, tensor<6x9x1xi1>) -> tensor<6x9x1xi1>
    %175 = "tosa.select"(%173, %3, %2) : (tensor<6x9x1xi1>, tensor<6x9x1xi8>, tensor<6x9x1xi8>) -> tensor<6x9x1xi8>
    %176 = "tosa.argmax"(%175) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xi8>) -> tensor<6x1xi32>
    %177 = "tosa.select"(%174, %3, %2) : (tensor<6x9x1xi1>, tensor<6x9x1xi8>, tensor<6x9x1xi8>) -> tensor<6x9x1xi8>
    %178 = "tosa.argmax"(%177) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xi8>) -> tensor<6x1xi32>
    %179 = "tosa.gather"(%177, %178) : (tensor<6x9x1xi8>, tensor<6x1xi32>) -> tensor<6x1x1xi8>
    %180 = "tosa.reshape"(%179, %7) : (tensor<6x1x1xi8>, !tosa.shape<2>) -> tensor<6x1xi8>
    %181 = "tosa.cast"(%180) : (tensor<6x1xi8>) -> tensor<6x1xi32>
    %182 = "tosa.equal"(%181, %6) : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %183 = "tosa.select"(%173, %16, %1) : (tensor<6x9x1xi1>, tensor<6x9x1xf32>, tensor<6x9x1xf32>) -> tensor<6x9x1xf32>
    %184 = "tosa.argmax"(%183) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xf32>) -> tensor<6x1xi32>
    %185 = "tosa.gather"(%175, %184) : (tensor<6x9x1xi8>, tensor<6x1xi32>) -> tensor<6x1x1xi8>
    %186 = "tosa.reshape"(%185, %7) : (tensor<6x1x1xi8>, !tosa.shape<2>) -> tensor<6x1xi8>
    %187 = "tosa.cast"(%186) : (tensor<6x1xi8>) -> tensor<6x1xi32>
    %188 = "tosa.equal"(%187, %6) : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %189 = "tosa.select"(%188, %184, %176) : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
    %190 = "tosa.select"(%182, %178, %189) : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
    %191 = "tosa.gather"(%16, %190) : (tensor<6x9x1xf32>, tensor<6x1xi32>) -> tensor<6x1x1xf32>
    %192 = "tosa.scatter"(%170, %190, %4) : (tensor<6x9x1xi8>, tensor<6x1xi32>, tensor<6x1x1xi8>) -> tensor<6x9x1xi8>
    %193 = "tosa.cast"(%192) : (tensor<6x9x1xi8>) -> tensor<6x9x1xi32>
    %194 = "tosa.equal"(%193, %5) : (tensor<6x9x1xi32>, tensor<6x9x1xi32>) -> tensor<6x9x1xi1>
    %195 = "tosa.logical_and"(%194, %17) : (tensor<6x9x1xi1>, tensor<6x9x1xi1>) -> tensor<6x9x1xi1>
    %196 = "tosa.logical_and"(%194, %18) : (tensor<6x9x1xi1>, tensor<6x9x1xi1>) -> tensor<6x9x1xi1>
    %197 = "tosa.select"(%195, %3, %2) : (tensor<6x9x1xi1>, tensor<6x9x1xi8>, tensor<6x9x1xi8>) -> tensor<6x9x1xi8>
    %198 = "tosa.argmax"(%197) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xi8>) -> tensor<6x1xi32>
    %199 = "tosa.select"(%196, %3, %2) : (tensor<6x9x1xi1>, tensor<6x9x1xi8>, tensor<6x9x1xi8>) -> tensor<6x9x1xi8>
    %200 = "tosa.argmax"(%199) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xi8>) -> tensor<6x1xi32>
    %201 = "tosa.gather"(%199, %200) : (tensor<6x9x1xi8>, tensor<6x1xi32>) -> tensor<6x1x1xi8>
    %202 = "tosa.reshape"(%201, %7) : (tensor<6x1x1xi8>, !tosa.shape<2>) -> tensor<6x1xi8>
    %203 = "tosa.cast"(%202) : (tensor<6x1xi8>) -> tensor<6x1xi32>
    %204 = "tosa.equal"(%203, %6) : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %205 = "tosa.select"(%195, %16, %1) : (tensor<6x9x1xi1>, tensor<6x9x1xf32>, tensor<6x9x1xf32>) -> tensor<6x9x1xf32>
    %206 = "tosa.argmax"(%205) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xf32>) -> tensor<6x1xi32>
    %207 = "tosa.gather"(%197, %206) : (tensor<6x9x1xi8>, tensor<6x1xi32>) -> tensor<6x1x1xi8>
    %208 = "tosa.reshape"(%207, %7) : (tensor<6x1x1xi8>, !tosa.shape<2>) -> tensor<6x1xi8>
    %209 = "tosa.cast"(%208) : (tensor<6x1xi8>) -> tensor<6x1xi32>
    %210 = "tosa.equal"(%209, %6) : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %211 = "tosa.select"(%210, %206, %198) : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
    %212 = "tosa.select"(%204, %200, %211) : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
    %213 = "tosa.gather"(%16, %212) : (tensor<6x9x1xf32>, tensor<6x1xi32>) -> tensor<6x1x1xf32>
    %214 = "tosa.concat"(%37, %59, %81, %103, %125, %147, %169, %191, %213) <{axis = 1 : i32}> : (tensor<6x1x1xf32>, tensor<6x1x1xf32>, tensor<6x1x1xf32>, tensor<6x1x1xf32>, tensor<6x1x1xf32>, tensor<6x1x1xf32>, tensor<6x1x1xf32>, tensor<6x1x1xf32>, tensor<6x1x1xf32>) -> tensor<6x9x1xf32>
    %215 = "tosa.reshape"(%214, %9) : (tensor<6x9x1xf32>, !tosa.shape<2>) -> tensor<6x9xf32>
    %216 = "tosa.slice"(%215, %11, %10) : (tensor<6x9xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<6x3xf32>
    %217 = "tosa.reshape"(%36, %8) : (tensor<6x1xi32>, !tosa.shape<3>) -> tensor<6x1x1xi32>
    %218 = "tosa.reshape"(%58, %8) : (tensor<6x1xi32>, !tosa.shape<3>) -> tensor<6x1x1xi32>
    %219 = "tosa.reshape"(%80, %8) : (tensor<6x1xi32>, !tosa.shape<3>) -> tensor<6x1x1xi32>
    %220 = "tosa.reshape"(%102, %8) : (tensor<6x1xi32>, !tosa.shape<3>) -> tensor<6x1x1xi32>
    %221 = "tosa.reshape"(%124, %8) : (tensor<6x1xi32>, !tosa.shape<3>) -> tensor<6x1x1xi32>
    %222 = "tosa.reshape"(%146, %8) : (tensor<6x1xi32>, !tosa.shape<3>) -> tensor<6x1x1xi32>
    %223 = "tosa.reshape"(%168, %8) : (tensor<6x1xi32>, !tosa.shape<3>) -> tensor<6x1x1xi32>
    %224 = "tosa.reshape"(%190, %8) : (tensor<6x1xi32>, !tosa.shape<3>) -> tensor<6x1x1xi32>
    %225 = "tosa.reshape"(%212, %8) : (tensor<6x1xi32>, !tosa.shape<3>) -> tensor<6x1x1xi32>
    %226 = "tosa.concat"(%217, %218, %219, %220, %221, %222, %223, %224, %225) <{axis = 1 : i32}> : (tensor<6x1x1xi32>, tensor<6x1x1xi32>, tensor<6x1x1xi32>, tensor<6x1x1xi32>, tensor<6x1x1xi32>, tensor<6x1x1xi32>, tensor<6x1x1xi32>, tensor<6x1x1xi32>, tensor<6x1x1xi32>) -> tensor<6x9x1xi32>
    %227 = "tosa.reshape"(%226, %9) : (tensor<6x9x1xi32>, !tosa.shape<2>) -> tensor<6x9xi32>
    %228 = "tosa.cast"(%227) : (tensor<6x9xi32>) -> tensor<6x9xi64>
    %229 = "tosa.slice"(%228, %11, %10) : (tensor<6x9xi64>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<6x3xi64>
    %230 = "tosa.gather"(%21, %22) : (tensor<6x9x1xi8>, tensor<6x1xi32>) -> tensor<6x1x1xi8>
    %231 = "tosa.reshape"(%230, %7) : (tensor<6x1x1xi8>, !tosa.shape<2>) -> tensor<6x1xi8>
    %232 = "tosa.cast"(%231) : (tensor<6x1xi8>) -> tensor<6x1xi32>
    %233 = "tosa.equal"(%232, %6) : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %234 = "tosa.select"(%19, %16, %12) : (tensor<6x9x1xi1>, tensor<6x9x1xf32>, tensor<6x9x1xf32>) -> tensor<6x9x1xf32>
    %235 = "tosa.negate"(%234, %13, %13) : (tensor<6x9x1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<6x9x1xf32>
    %236 = "tosa.argmax"(%235) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xf32>) -> tensor<6x1xi32>
    %237 = "tosa.gather"(%21, %236) : (tensor<6x9x1xi8>, tensor<6x1xi32>) -> tensor<6x1x1xi8>
    %238 = "tosa.reshape"(%237, %7) : (tensor<6x1x1xi8>, !tosa.shape<2>) -> tensor<6x1xi8>
    %239 = "tosa.cast"(%238) : (tensor<6x1xi8>) -> tensor<6x1xi32>
    %240 = "tosa.equal"(%239, %6) : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %241 = "tosa.select"(%240, %236, %22) : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
    %242 = "tosa.select"(%233, %241, %24) : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
    %243 = "tosa.gather"(%16, %242) : (tensor<6x9x1xf32>, tensor<6x1xi32>) -> tensor<6x1x1xf32>
    %244 = "tosa.scatter"(%2, %242, %4) : (tensor<6x9x1xi8>, tensor<6x1xi32>, tensor<6x1x1xi8>) -> tensor<6x9x1xi8>
    %245 = "tosa.cast"(%244) : (tensor<6x9x1xi8>) -> tensor<6x9x1xi32>
    %246 = "tosa.equal"(%245, %5) : (tensor<6x9x1xi32>, tensor<6x9x1xi32>) -> tensor<6x9x1xi1>
    %247 = "tosa.logical_and"(%246, %17) : (tensor<6x9x1xi1>, tensor<6x9x1xi1>) -> tensor<6x9x1xi1>
    %248 = "tosa.logical_and"(%246, %18) : (tensor<6x9x1xi1>, tensor<6x9x1xi1>) -> tensor<6x9x1xi1>
    %249 = "tosa.select"(%247, %3, %2) : (tensor<6x9x1xi1>, tensor<6x9x1xi8>, tensor<6x9x1xi8>) -> tensor<6x9x1xi8>
    %250 = "tosa.argmax"(%249) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xi8>) -> tensor<6x1xi32>
    %251 = "tosa.gather"(%249, %250) : (tensor<6x9x1xi8>, tensor<6x1xi32>) -> tensor<6x1x1xi8>
    %252 = "tosa.reshape"(%251, %7) : (tensor<6x1x1xi8>, !tosa.shape<2>) -> tensor<6x1xi8>
    %253 = "tosa.cast"(%252) : (tensor<6x1xi8>) -> tensor<6x1xi32>
    %254 = "tosa.equal"(%253, %6) : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %255 = "tosa.select"(%248, %3, %2) : (tensor<6x9x1xi1>, tensor<6x9x1xi8>, tensor<6x9x1xi8>) -> tensor<6x9x1xi8>
    %256 = "tosa.argmax"(%255) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xi8>) -> tensor<6x1xi32>
    %257 = "tosa.select"(%247, %16, %12) : (tensor<6x9x1xi1>, tensor<6x9x1xf32>, tensor<6x9x1xf32>) -> tensor<6x9x1xf32>
    %258 = "tosa.negate"(%257, %13, %13) : (tensor<6x9x1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<6x9x1xf32>
    %259 = "tosa.argmax"(%258) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xf32>) -> tensor<6x1xi32>
    %260 = "tosa.gather"(%249, %259) : (tensor<6x9x1xi8>, tensor<6x1xi32>) -> tensor<6x1x1xi8>
    %261 = "tosa.reshape"(%260, %7) : (tensor<6x1x1xi8>, !tosa.shape<2>) -> tensor<6x1xi8>
    %262 = "tosa.cast"(%261) : (tensor<6x1xi8>) -> tensor<6x1xi32>
    %263 = "tosa.equal"(%262, %6) : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %264 = "tosa.select"(%263, %259, %250) : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
    %265 = "tosa.select"(%254, %264, %256) : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
    %266 = "tosa.gather"(%16, %265) : (tensor<6x9x1xf32>, tensor<6x1xi32>) -> tensor<6x1x1xf32>
    %267 = "tosa.scatter"(%244, %265, %4) : (tensor<6x9x1xi8>, tensor<6x1xi32>, tensor<6x1x1xi8>) -> tensor<6x9x1xi8>
    %268 = "tosa.cast"(%267) : (tensor<6x9x1xi8>) -> tensor<6x9x1xi32>
    %269 = "tosa.equal"(%268, %5) : (tensor<6x9x1xi32>, tensor<6x9x1xi32>) -> tensor<6x9x1xi1>
    %270 = "tosa.logical_and"(%269, %17) : (tensor<6x9x1xi1>, tensor<6x9x1xi1>) -> tensor<6x9x1xi1>
    %271 = "tosa.logical_and"(%269, %18) : (tensor<6x9x1xi1>, tensor<6x9x1xi1>) -> tensor<6x9x1xi1>
    %272 = "tosa.select"(%270, %3, %2) : (tensor<6x9x1xi1>, tensor<6x9x1xi8>, tensor<6x9x1xi8>) -> tensor<6x9x1xi8>
    %273 = "tosa.argmax"(%272) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xi8>) -> tensor<6x1xi32>
    %274 = "tosa.gather"(%272, %273) : (tensor<6x9x1xi8>, tensor<6x1xi32>) -> tensor<6x1x1xi8>
    %275 = "tosa.reshape"(%274, %7) : (tensor<6x1x1xi8>, !tosa.shape<2>) -> tensor<6x1xi8>
    %276 = "tosa.cast"(%275) : (tensor<6x1xi8>) -> tensor<6x1xi32>
    %277 = "tosa.equal"(%276, %6) : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %278 = "tosa.select"(%271, %3, %2) : (tensor<6x9x1xi1>, tensor<6x9x1xi8>, tensor<6x9x1xi8>) -> tensor<6x9x1xi8>
    %279 = "tosa.argmax"(%278) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xi8>) -> tensor<6x1xi32>
    %280 = "tosa.select"(%270, %16, %12) : (tensor<6x9x1xi1>, tensor<6x9x1xf32>, tensor<6x9x1xf32>) -> tensor<6x9x1xf32>
    %281 = "tosa.negate"(%280, %13, %13) : (tensor<6x9x1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<6x9x1xf32>
    %282 = "tosa.argmax"(%281) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xf32>) -> tensor<6x1xi32>
    %283 = "tosa.gather"(%272, %282) : (tensor<6x9x1xi8>, tensor<6x1xi32>) -> tensor<6x1x1xi8>
    %284 = "tosa.reshape"(%283, %7) : (tensor<6x1x1xi8>, !tosa.shape<2>) -> tensor<6x1xi8>
    %285 = "tosa.cast"(%284) : (tensor<6x1xi8>) -> tensor<6x1xi32>
    %286 = "tosa.equal"(%285, %6) : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %287 = "tosa.select"(%286, %282, %273) : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
    %288 = "tosa.select"(%277, %287, %279) : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
    %289 = "tosa.gather"(%16, %288) : (tensor<6x9x1xf32>, tensor<6x1xi32>) -> tensor<6x1x1xf32>
    %290 = "tosa.scatter"(%267, %288, %4) : (tensor<6x9x1xi8>, tensor<6x1xi32>, tensor<6x1x1xi8>) -> tensor<6x9x1xi8>
    %291 = "tosa.cast"(%290) : (tensor<6x9x1xi8>) -> tensor<6x9x1xi32>
    %292 = "tosa.equal"(%291, %5) : (tensor<6x9x1xi32>, tensor<6x9x1xi32>) -> tensor<6x9x1xi1>
    %293 = "tosa.logical_and"(%292, %17) : (tensor<6x9x1xi1>, tensor<6x9x1xi1>) -> tensor<6x9x1xi1>
    %294 = "tosa.logical_and"(%292, %18) : (tensor<6x9x1xi1>, tensor<6x9x1xi1>) -> tensor<6x9x1xi1>
    %295 = "tosa.select"(%293, %3, %2) : (tensor<6x9x1xi1>, tensor<6x9x1xi8>, tensor<6x9x1xi8>) -> tensor<6x9x1xi8>
    %296 = "tosa.argmax"(%295) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xi8>) -> tensor<6x1xi32>
    %297 = "tosa.gather"(%295, %296) : (tensor<6x9x1xi8>, tensor<6x1xi32>) -> tensor<6x1x1xi8>
    %298 = "tosa.reshape"(%297, %7) : (tensor<6x1x1xi8>, !tosa.shape<2>) -> tensor<6x1xi8>
    %299 = "tosa.cast"(%298) : (tensor<6x1xi8>) -> tensor<6x1xi32>
    %300 = "tosa.equal"(%299, %6) : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %301 = "tosa.select"(%294, %3, %2) : (tensor<6x9x1xi1>, tensor<6x9x1xi8>, tensor<6x9x1xi8>) -> tensor<6x9x1xi8>
    %302 = "tosa.argmax"(%301) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xi8>) -> tensor<6x1xi32>
    %303 = "tosa.select"(%293, %16, %12) : (tensor<6x9x1xi1>, tensor<6x9x1xf32>, tensor<6x9x1xf32>) -> tensor<6x9x1xf32>
    %304 = "tosa.negate"(%303, %13, %13) : (tensor<6x9x1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<6x9x1xf32>
    %305 = "tosa.argmax"(%304) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xf32>) -> tensor<6x1xi32>
    %306 = "tosa.gather"(%295, %305) : (tensor<6x9x1xi8>, tensor<6x1xi32>) -> tensor<6x1x1xi8>
    %307 = "tosa.reshape"(%306, %7) : (tensor<6x1x1xi8>, !tosa.shape<2>) -> tensor<6x1xi8>
    %308 = "tosa.cast"(%307) : (tensor<6x1xi8>) -> tensor<6x1xi32>
    %309 = "tosa.equal"(%308, %6) : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %310 = "tosa.select"(%309, %305, %296) : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
    %311 = "tosa.select"(%300, %310, %302) : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
    %312 = "tosa.gather"(%16, %311) : (tensor<6x9x1xf32>, tensor<6x1xi32>) -> tensor<6x1x1xf32>
    %313 = "tosa.scatter"(%290, %311, %4) : (tensor<6x9x1xi8>, tensor<6x1xi32>, tensor<6x1x1xi8>) -> tensor<6x9x1xi8>
    %314 = "tosa.cast"(%313) : (tensor<6x9x1xi8>) -> tensor<6x9x1xi32>
    %315 = "tosa.equal"(%314, %5) : (tensor<6x9x1xi32>, tensor<6x9x1xi32>) -> tensor<6x9x1xi1>
    %316 = "tosa.logical_and"(%315, %17) : (tensor<6x9x1xi1>, tensor<6x9x1xi1>) -> tensor<6x9x1xi1>
    %317 = "tosa.logical_and"(%315, %18) : (tensor<6x9x1xi1>, tensor<6x9x1xi1>) -> tensor<6x9x1xi1>
    %318 = "tosa.select"(%316, %3, %2) : (tensor<6x9x1xi1>, tensor<6x9x1xi8>, tensor<6x9x1xi8>) -> tensor<6x9x1xi8>
    %319 = "tosa.argmax"(%318) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xi8>) -> tensor<6x1xi32>
    %320 = "tosa.gather"(%318, %319) : (tensor<6x9x1xi8>, tensor<6x1xi32>) -> tensor<6x1x1xi8>
    %321 = "tosa.reshape"(%320, %7) : (tensor<6x1x1xi8>, !tosa.shape<2>) -> tensor<6x1xi8>
    %322 = "tosa.cast"(%321) : (tensor<6x1xi8>) -> tensor<6x1xi32>
    %323 = "tosa.equal"(%322, %6) : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %324 = "tosa.select"(%317, %3, %2) : (tensor<6x9x1xi1>, tensor<6x9x1xi8>, tensor<6x9x1xi8>) -> tensor<6x9x1xi8>
    %325 = "tosa.argmax"(%324) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xi8>) -> tensor<6x1xi32>
    %326 = "tosa.select"(%316, %16, %12) : (tensor<6x9x1xi1>, tensor<6x9x1xf32>, tensor<6x9x1xf32>) -> tensor<6x9x1xf32>
    %327 = "tosa.negate"(%326, %13, %13) : (tensor<6x9x1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<6x9x1xf32>
    %328 = "tosa.argmax"(%327) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xf32>) -> tensor<6x1xi32>
    %329 = "tosa.gather"(%318, %328) : (tensor<6x9x1xi8>, tensor<6x1xi32>) -> tensor<6x1x1xi8>
    %330 = "tosa.reshape"(%329, %7) : (tensor<6x1x1xi8>, !tosa.shape<2>) -> tensor<6x1xi8>
    %331 = "tosa.cast"(%330) : (tensor<6x1xi8>) -> tensor<6x1xi32>
    %332 = "tosa.equal"(%331, %6) : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %333 = "tosa.select"(%332, %328, %319) : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
    %334 = "tosa.select"(%323, %333, %325) : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
    %335 = "tosa.gather"(%16, %334) : (tensor<6x9x1xf32>, tensor<6x1xi32>) -> tensor<6x1x1xf32>
    %336 = "tosa.scatter"(%313, %334, %4) : (tensor<6x9x1xi8>, tensor<6x1xi32>, tensor<6x1x1xi8>) -> tensor<6x9x1xi8>
    %337 = "tosa.cast"(%336) : (tensor<6x9x1xi8>) -> tensor<6x9x1xi32>
    %338 = "tosa.equal"(%337, %5) : (tensor<6x9x1xi32>, tensor<6x9x1xi32>) -> tensor<6x9x1xi1>
    %339 = "tosa.logical_and"(%338, %17) : (tensor<6x9x1xi1>, tensor<6x9x1xi1>) -> tensor<6x9x1xi1>
    %340 = "tosa.logical_and"(%338, %18) : (tensor<6x9x1xi1>, tensor<6x9x1xi1>) -> tensor<6x9x1xi1>
    %341 = "tosa.select"(%339, %3, %2) : (tensor<6x9x1xi1>, tensor<6x9x1xi8>, tensor<6x9x1xi8>) -> tensor<6x9x1xi8>
    %342 = "tosa.argmax"(%341) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xi8>) -> tensor<6x1xi32>
    %343 = "tosa.gather"(%341, %342) : (tensor<6x9x1xi8>, tensor<6x1xi32>) -> tensor<6x1x1xi8>
    %344 = "tosa.reshape"(%343, %7) : (tensor<6x1x1xi8>, !tosa.shape<2>) -> tensor<6x1xi8>
    %345 = "tosa.cast"(%344) : (tensor<6x1xi8>) -> tensor<6x1xi32>
    %346 = "tosa.equal"(%345, %6) : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %347 = "tosa.select"(%340, %3, %2) : (tensor<6x9x1xi1>, tensor<6x9x1xi8>, tensor<6x9x1xi8>) -> tensor<6x9x1xi8>
    %348 = "tosa.argmax"(%347) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xi8>) -> tensor<6x1xi32>
    %349 = "tosa.select"(%339, %16, %12) : (tensor<6x9x1xi1>, tensor<6x9x1xf32>, tensor<6x9x1xf32>) -> tensor<6x9x1xf32>
    %350 = "tosa.negate"(%349, %13, %13) : (tensor<6x9x1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<6x9x1xf32>
    %351 = "tosa.argmax"(%350) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xf32>) -> tensor<6x1xi32>
    %352 = "tosa.gather"(%341, %351) : (tensor<6x9x1xi8>, tensor<6x1xi32>) -> tensor<6x1x1xi8>
    %353 = "tosa.reshape"(%352, %7) : (tensor<6x1x1xi8>, !tosa.shape<2>) -> tensor<6x1xi8>
    %354 = "tosa.cast"(%353) : (tensor<6x1xi8>) -> tensor<6x1xi32>
    %355 = "tosa.equal"(%354, %6) : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %356 = "tosa.select"(%355, %351, %342) : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
    %357 = "tosa.select"(%346, %356, %348) : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
    %358 = "tosa.gather"(%16, %357) : (tensor<6x9x1xf32>, tensor<6x1xi32>) -> tensor<6x1x1xf32>
    %359 = "tosa.scatter"(%336, %357, %4) : (tensor<6x9x1xi8>, tensor<6x1xi32>, tensor<6x1x1xi8>) -> tensor<6x9x1xi8>
    %360 = "tosa.cast"(%359) : (tensor<6x9x1xi8>) -> tensor<6x9x1xi32>
    %361 = "tosa.equal"(%360, %5) : (tensor<6x9x1xi32>, tensor<6x9x1xi32>) -> tensor<6x9x1xi1>
    %362 = "tosa.logical_and"(%361, %17) : (tensor<6x9x1xi1>, tensor<6x9x1xi1>) -> tensor<6x9x1xi1>
    %363 = "tosa.logical_and"(%361, %18) : (tensor<6x9x1xi1>, tensor<6x9x1xi1>) -> tensor<6x9x1xi1>
    %364 = "tosa.select"(%362, %3, %2) : (tensor<6x9x1xi1>, tensor<6x9x1xi8>, tensor<6x9x1xi8>) -> tensor<6x9x1xi8>
    %365 = "tosa.argmax"(%364) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xi8>) -> tensor<6x1xi32>
    %366 = "tosa.gather"(%364, %365) : (tensor<6x9x1xi8>, tensor<6x1xi32>) -> tensor<6x1x1xi8>
    %367 = "tosa.reshape"(%366, %7) : (tensor<6x1x1xi8>, !tosa.shape<2>) -> tensor<6x1xi8>
    %368 = "tosa.cast"(%367) : (tensor<6x1xi8>) -> tensor<6x1xi32>
    %369 = "tosa.equal"(%368, %6) : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %370 = "tosa.select"(%363, %3, %2) : (tensor<6x9x1xi1>, tensor<6x9x1xi8>, tensor<6x9x1xi8>) -> tensor<6x9x1xi8>
    %371 = "tosa.argmax"(%370) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xi8>) -> tensor<6x1xi32>
    %372 = "tosa.select"(%362, %16, %12) : (tensor<6x9x1xi1>, tensor<6x9x1xf32>, tensor<6x9x1xf32>) -> tensor<6x9x1xf32>
    %373 = "tosa.negate"(%372, %13, %13) : (tensor<6x9x1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<6x9x1xf32>
    %374 = "tosa.argmax"(%373) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xf32>) -> tensor<6x1xi32>
    %375 = "tosa.gather"(%364, %374) : (tensor<6x9x1xi8>, tensor<6x1xi32>) -> tensor<6x1x1xi8>
    %376 = "tosa.reshape"(%375, %7) : (tensor<6x1x1xi8>, !tosa.shape<2>) -> tensor<6x1xi8>
    %377 = "tosa.cast"(%376) : (tensor<6x1xi8>) -> tensor<6x1xi32>
    %378 = "tosa.equal"(%377, %6) : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %379 = "tosa.select"(%378, %374, %365) : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
    %380 = "tosa.select"(%369, %379, %371) : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
    %381 = "tosa.gather"(%16, %380) : (tensor<6x9x1xf32>, tensor<6x1xi32>) -> tensor<6x1x1xf32>
    %382 = "tosa.scatter"(%359, %380, %4) : (tensor<6x9x1xi8>, tensor<6x1xi32>, tensor<6x1x1xi8>) -> tensor<6x9x1xi8>
    %383 = "tosa.cast"(%382) : (tensor<6x9x1xi8>) -> tensor<6x9x1xi32>
    %384 = "tosa.equal"(%383, %5) : (tensor<6x9x1xi32>, tensor<6x9x1xi32>) -> tensor<6x9x1xi1>
    %385 = "tosa.logical_and"(%384, %17) : (tensor<6x9x1xi1>, tensor<6x9x1xi1>) -> tensor<6x9x1xi1>
    %386 = "tosa.logical_and"(%384, %18) : (tensor<6x9x1xi1>, tensor<6x9x1xi1>) -> tensor<6x9x1xi1>
    %387 = "tosa.select"(%385, %3, %2) : (tensor<6x9x1xi1>, tensor<6x9x1xi8>, tensor<6x9x1xi8>) -> tensor<6x9x1xi8>
    %388 = "tosa.argmax"(%387) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xi8>) -> tensor<6x1xi32>
    %389 = "tosa.gather"(%387, %388) : (tensor<6x9x1xi8>, tensor<6x1xi32>) -> tensor<6x1x1xi8>
    %390 = "tosa.reshape"(%389, %7) : (tensor<6x1x1xi8>, !tosa.shape<2>) -> tensor<6x1xi8>
    %391 = "tosa.cast"(%390) : (tensor<6x1xi8>) -> tensor<6x1xi32>
    %392 = "tosa.equal"(%391, %6) : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %393 = "tosa.select"(%386, %3, %2) : (tensor<6x9x1xi1>, tensor<6x9x1xi8>, tensor<6x9x1xi8>) -> tensor<6x9x1xi8>
    %394 = "tosa.argmax"(%393) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xi8>) -> tensor<6x1xi32>
    %395 = "tosa.select"(%385, %16, %12) : (tensor<6x9x1xi1>, tensor<6x9x1xf32>, tensor<6x9x1xf32>) -> tensor<6x9x1xf32>
    %396 = "tosa.negate"(%395, %13, %13) : (tensor<6x9x1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<6x9x1xf32>
    %397 = "tosa.argmax"(%396) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xf32>) -> tensor<6x1xi32>
    %398 = "tosa.gather"(%387, %397) : (tensor<6x9x1xi8>, tensor<6x1xi32>) -> tensor<6x1x1xi8>
    %399 = "tosa.reshape"(%398, %7) : (tensor<6x1x1xi8>, !tosa.shape<2>) -> tensor<6x1xi8>
    %400 = "tosa.cast"(%399) : (tensor<6x1xi8>) -> tensor<6x1xi32>
    %401 = "tosa.equal"(%400, %6) : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %402 = "tosa.select"(%401, %397, %388) : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
    %403 = "tosa.select"(%392, %402, %394) : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
    %404 = "tosa.gather"(%16, %403) : (tensor<6x9x1xf32>, tensor<6x1xi32>) -> tensor<6x1x1xf32>
    %405 = "tosa.scatter"(%382, %403, %4) : (tensor<6x9x1xi8>, tensor<6x1xi32>, tensor<6x1x1xi8>) -> tensor<6x9x1xi8>
    %406 = "tosa.cast"(%405) : (tensor<6x9x1xi8>) -> tensor<6x9x1xi32>
    %407 = "tosa.equal"(%406, %5) : (tensor<6x9x1xi32>, tensor<6x9x1xi32>) -> tensor<6x9x1xi1>
    %408 = "tosa.logical_and"(%407, %17) : (tensor<6x9x1xi1>, tensor<6x9x1xi1>) -> tensor<6x9x1xi1>
    %409 = "tosa.logical_and"(%407, %18) : (tensor<6x9x1xi1>, tensor<6x9x1xi1>) -> tensor<6x9x1xi1>
    %410 = "tosa.select"(%408, %3, %2) : (tensor<6x9x1xi1>, tensor<6x9x1xi8>, tensor<6x9x1xi8>) -> tensor<6x9x1xi8>
    %411 = "tosa.argmax"(%410) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xi8>) -> tensor<6x1xi32>
    %412 = "tosa.gather"(%410, %411) : (tensor<6x9x1xi8>, tensor<6x1xi32>) -> tensor<6x1x1xi8>
    %413 = "tosa.reshape"(%412, %7) : (tensor<6x1x1xi8>, !tosa.shape<2>) -> tensor<6x1xi8>
    %414 = "tosa.cast"(%413) : (tensor<6x1xi8>) -> tensor<6x1xi32>
    %415 = "tosa.equal"(%414, %6) : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %416 = "tosa.select"(%409, %3, %2) : (tensor<6x9x1xi1>, tensor<6x9x1xi8>, tensor<6x9x1xi8>) -> tensor<6x9x1xi8>
    %417 = "tosa.argmax"(%416) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xi8>) -> tensor<6x1xi32>
    %418 = "tosa.select"(%408, %16, %12) : (tensor<6x9x1xi1>, tensor<6x9x1xf32>, tensor<6x9x1xf32>) -> tensor<6x9x1xf32>
    %419 = "tosa.negate"(%418, %13, %13) : (tensor<6x9x1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<6x9x1xf32>
    %420 = "tosa.argmax"(%419) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<6x9x1xf32>) -> tensor<6x1xi32>
    %421 = "tosa.gather"(%410, %420) : (tensor<6x9x1xi8>, tensor<6x1xi32>) -> tensor<6x1x1xi8>
    %422 = "tosa.reshape"(%421, %7) : (tensor<6x1x1xi8>, !tosa.shape<2>) -> tensor<6x1xi8>
    %423 = "tosa.cast"(%422) : (tensor<6x1xi8>) -> tensor<6x1xi32>
    %424 = "tosa.equal"(%423, %6) : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %425 = "tosa.select"(%424, %420, %411) : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
    %426 = "tosa.select"(%415, %425, %417) : (tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
    %427 = "tosa.gather"(%16, %426) : (tensor<6x9x1xf32>, tensor<6x1xi32>) -> tensor<6x1x1xf32>
    %428 = "tosa.concat"(%243, %266, %289, %312, %335, %358, %381, %404, %427) <{axis = 1 : i32}> : (tensor<6x1x1xf32>, tensor<6x1x1xf32>, tensor<6x1x1xf32>, tensor<6x1x1xf32>, tensor<6x1x1xf32>, tensor<6x1x1xf32>, tensor<6x1x1xf32>, tensor<6x1x1xf32>, tensor<6x1x1xf32>) -> tensor<6x9x1xf32>
    %429 = "tosa.reshape"(%428, %9) : (tensor<6x9x1xf32>, !tosa.shape<2>) -> tensor<6x9xf32>
    "func.return"(%15, %216, %229, %429, %228) : (tensor<6xi64>, tensor<6x3xf32>, tensor<6x3xi64>, tensor<6x9xf32>, tensor<6x9xi64>) -> ()
  }) : () -> ()
}) : () -> ()
