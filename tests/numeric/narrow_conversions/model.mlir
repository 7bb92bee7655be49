module @narrow_conversions {
  func.func public @main(%a0: tensor<ui16>, %a1: tensor<256xui32>) -> (tensor<8x256xui32>, tensor<8x256xui32>, tensor<8x256xui32>, tensor<8x256xui32>, tensor<8x256xui32>, tensor<8x256xui32>, tensor<8x256xui32>, tensor<8x256xui32>, tensor<8x256xui32>, tensor<8x256xui32>, tensor<8x256xui32>) {
    %0 = stablehlo.iota dim = 0 : tensor<65536xui16>
    %1 = stablehlo.broadcast_in_dim %a0, dims = [] : (tensor<ui16>) -> tensor<65536xui16>
    %2 = stablehlo.xor %0, %1 : tensor<65536xui16>
    %3 = stablehlo.bitcast_convert %2 : (tensor<65536xui16>) -> tensor<65536xf16>
    %4 = stablehlo.bitcast_convert %2 : (tensor<65536xui16>) -> tensor<65536xbf16>
    %5 = stablehlo.convert %2 : (tensor<65536xui16>) -> tensor<65536xui32>
    %6 = stablehlo.constant dense<16> : tensor<65536xui32>
    %7 = stablehlo.shift_left %5, %6 : tensor<65536xui32>
    %8 = stablehlo.constant dense<1> : tensor<65536xui32>
    %9 = stablehlo.or %7, %8 : tensor<65536xui32>
    %10 = stablehlo.bitcast_convert %9 : (tensor<65536xui32>) -> tensor<65536xf32>
    %11 = stablehlo.constant dense<32768> : tensor<65536xui32>
    %12 = stablehlo.or %7, %11 : tensor<65536xui32>
    %13 = stablehlo.bitcast_convert %12 : (tensor<65536xui32>) -> tensor<65536xf32>
    %14 = stablehlo.constant dense<65535> : tensor<65536xui32>
    %15 = stablehlo.or %7, %14 : tensor<65536xui32>
    %16 = stablehlo.bitcast_convert %15 : (tensor<65536xui32>) -> tensor<65536xf32>
    %17 = stablehlo.convert %2 : (tensor<65536xui16>) -> tensor<65536xui64>
    %18 = stablehlo.constant dense<48> : tensor<65536xui64>
    %19 = stablehlo.shift_left %17, %18 : tensor<65536xui64>
    %20 = stablehlo.constant dense<1> : tensor<65536xui64>
    %21 = stablehlo.or %19, %20 : tensor<65536xui64>
    %22 = stablehlo.bitcast_convert %21 : (tensor<65536xui64>) -> tensor<65536xf64>
    %23 = stablehlo.constant dense<140737488355328> : tensor<65536xui64>
    %24 = stablehlo.or %19, %23 : tensor<65536xui64>
    %25 = stablehlo.bitcast_convert %24 : (tensor<65536xui64>) -> tensor<65536xf64>
    %26 = stablehlo.constant dense<140737488355327> : tensor<65536xui64>
    %27 = stablehlo.or %19, %26 : tensor<65536xui64>
    %28 = stablehlo.bitcast_convert %27 : (tensor<65536xui64>) -> tensor<65536xf64>
    %29 = stablehlo.broadcast_in_dim %a1, dims = [1] : (tensor<256xui32>) -> tensor<256x256xui32>
    %30 = stablehlo.constant dense<0> : tensor<ui32>
    %31 = stablehlo.compare NE, %3, %3 : (tensor<65536xf16>, tensor<65536xf16>) -> tensor<65536xi1>
    %32 = stablehlo.constant dense<1.0> : tensor<65536xf16>
    %33 = stablehlo.select %31, %32, %3 : (tensor<65536xi1>, tensor<65536xf16>, tensor<65536xf16>) -> tensor<65536xf16>
    %34 = stablehlo.compare NE, %4, %4 : (tensor<65536xbf16>, tensor<65536xbf16>) -> tensor<65536xi1>
    %35 = stablehlo.constant dense<1.0> : tensor<65536xbf16>
    %36 = stablehlo.select %34, %35, %4 : (tensor<65536xi1>, tensor<65536xbf16>, tensor<65536xbf16>) -> tensor<65536xbf16>
    %37 = stablehlo.compare NE, %10, %10 : (tensor<65536xf32>, tensor<65536xf32>) -> tensor<65536xi1>
    %38 = stablehlo.constant dense<1.0> : tensor<65536xf32>
    %39 = stablehlo.select %37, %38, %10 : (tensor<65536xi1>, tensor<65536xf32>, tensor<65536xf32>) -> tensor<65536xf32>
    %40 = stablehlo.compare NE, %13, %13 : (tensor<65536xf32>, tensor<65536xf32>) -> tensor<65536xi1>
    %41 = stablehlo.constant dense<1.0> : tensor<65536xf32>
    %42 = stablehlo.select %40, %41, %13 : (tensor<65536xi1>, tensor<65536xf32>, tensor<65536xf32>) -> tensor<65536xf32>
    %43 = stablehlo.compare NE, %16, %16 : (tensor<65536xf32>, tensor<65536xf32>) -> tensor<65536xi1>
    %44 = stablehlo.constant dense<1.0> : tensor<65536xf32>
    %45 = stablehlo.select %43, %44, %16 : (tensor<65536xi1>, tensor<65536xf32>, tensor<65536xf32>) -> tensor<65536xf32>
    %46 = stablehlo.compare NE, %22, %22 : (tensor<65536xf64>, tensor<65536xf64>) -> tensor<65536xi1>
    %47 = stablehlo.constant dense<1.0> : tensor<65536xf64>
    %48 = stablehlo.select %46, %47, %22 : (tensor<65536xi1>, tensor<65536xf64>, tensor<65536xf64>) -> tensor<65536xf64>
    %49 = stablehlo.compare NE, %25, %25 : (tensor<65536xf64>, tensor<65536xf64>) -> tensor<65536xi1>
    %50 = stablehlo.constant dense<1.0> : tensor<65536xf64>
    %51 = stablehlo.select %49, %50, %25 : (tensor<65536xi1>, tensor<65536xf64>, tensor<65536xf64>) -> tensor<65536xf64>
    %52 = stablehlo.compare NE, %28, %28 : (tensor<65536xf64>, tensor<65536xf64>) -> tensor<65536xi1>
    %53 = stablehlo.constant dense<1.0> : tensor<65536xf64>
    %54 = stablehlo.select %52, %53, %28 : (tensor<65536xi1>, tensor<65536xf64>, tensor<65536xf64>) -> tensor<65536xf64>
    %55 = stablehlo.convert %3 : (tensor<65536xf16>) -> tensor<65536xf8E4M3FN>
    %56 = stablehlo.compare NE, %55, %55 : (tensor<65536xf8E4M3FN>, tensor<65536xf8E4M3FN>) -> tensor<65536xi1>
    %57 = stablehlo.bitcast_convert %55 : (tensor<65536xf8E4M3FN>) -> tensor<65536xui8>
    %58 = stablehlo.constant dense<127> : tensor<65536xui8>
    %59 = stablehlo.select %56, %58, %57 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %60 = stablehlo.convert %59 : (tensor<65536xui8>) -> tensor<65536xui32>
    %61 = stablehlo.reshape %60 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %62 = stablehlo.multiply %61, %29 : tensor<256x256xui32>
    %63 = stablehlo.reduce(%62 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %64 = stablehlo.convert %4 : (tensor<65536xbf16>) -> tensor<65536xf8E4M3FN>
    %65 = stablehlo.compare NE, %64, %64 : (tensor<65536xf8E4M3FN>, tensor<65536xf8E4M3FN>) -> tensor<65536xi1>
    %66 = stablehlo.bitcast_convert %64 : (tensor<65536xf8E4M3FN>) -> tensor<65536xui8>
    %67 = stablehlo.constant dense<127> : tensor<65536xui8>
    %68 = stablehlo.select %65, %67, %66 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %69 = stablehlo.convert %68 : (tensor<65536xui8>) -> tensor<65536xui32>
    %70 = stablehlo.reshape %69 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %71 = stablehlo.multiply %70, %29 : tensor<256x256xui32>
    %72 = stablehlo.reduce(%71 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %73 = stablehlo.convert %10 : (tensor<65536xf32>) -> tensor<65536xf8E4M3FN>
    %74 = stablehlo.compare NE, %73, %73 : (tensor<65536xf8E4M3FN>, tensor<65536xf8E4M3FN>) -> tensor<65536xi1>
    %75 = stablehlo.bitcast_convert %73 : (tensor<65536xf8E4M3FN>) -> tensor<65536xui8>
    %76 = stablehlo.constant dense<127> : tensor<65536xui8>
    %77 = stablehlo.select %74, %76, %75 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %78 = stablehlo.convert %77 : (tensor<65536xui8>) -> tensor<65536xui32>
    %79 = stablehlo.reshape %78 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %80 = stablehlo.multiply %79, %29 : tensor<256x256xui32>
    %81 = stablehlo.reduce(%80 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %82 = stablehlo.convert %13 : (tensor<65536xf32>) -> tensor<65536xf8E4M3FN>
    %83 = stablehlo.compare NE, %82, %82 : (tensor<65536xf8E4M3FN>, tensor<65536xf8E4M3FN>) -> tensor<65536xi1>
    %84 = stablehlo.bitcast_convert %82 : (tensor<65536xf8E4M3FN>) -> tensor<65536xui8>
    %85 = stablehlo.constant dense<127> : tensor<65536xui8>
    %86 = stablehlo.select %83, %85, %84 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %87 = stablehlo.convert %86 : (tensor<65536xui8>) -> tensor<65536xui32>
    %88 = stablehlo.reshape %87 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %89 = stablehlo.multiply %88, %29 : tensor<256x256xui32>
    %90 = stablehlo.reduce(%89 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %91 = stablehlo.convert %16 : (tensor<65536xf32>) -> tensor<65536xf8E4M3FN>
    %92 = stablehlo.compare NE, %91, %91 : (tensor<65536xf8E4M3FN>, tensor<65536xf8E4M3FN>) -> tensor<65536xi1>
    %93 = stablehlo.bitcast_convert %91 : (tensor<65536xf8E4M3FN>) -> tensor<65536xui8>
    %94 = stablehlo.constant dense<127> : tensor<65536xui8>
    %95 = stablehlo.select %92, %94, %93 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %96 = stablehlo.convert %95 : (tensor<65536xui8>) -> tensor<65536xui32>
    %97 = stablehlo.reshape %96 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %98 = stablehlo.multiply %97, %29 : tensor<256x256xui32>
    %99 = stablehlo.reduce(%98 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %100 = stablehlo.convert %22 : (tensor<65536xf64>) -> tensor<65536xf8E4M3FN>
    %101 = stablehlo.compare NE, %100, %100 : (tensor<65536xf8E4M3FN>, tensor<65536xf8E4M3FN>) -> tensor<65536xi1>
    %102 = stablehlo.bitcast_convert %100 : (tensor<65536xf8E4M3FN>) -> tensor<65536xui8>
    %103 = stablehlo.constant dense<127> : tensor<65536xui8>
    %104 = stablehlo.select %101, %103, %102 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %105 = stablehlo.convert %104 : (tensor<65536xui8>) -> tensor<65536xui32>
    %106 = stablehlo.reshape %105 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %107 = stablehlo.multiply %106, %29 : tensor<256x256xui32>
    %108 = stablehlo.reduce(%107 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %109 = stablehlo.convert %25 : (tensor<65536xf64>) -> tensor<65536xf8E4M3FN>
    %110 = stablehlo.compare NE, %109, %109 : (tensor<65536xf8E4M3FN>, tensor<65536xf8E4M3FN>) -> tensor<65536xi1>
    %111 = stablehlo.bitcast_convert %109 : (tensor<65536xf8E4M3FN>) -> tensor<65536xui8>
    %112 = stablehlo.constant dense<127> : tensor<65536xui8>
    %113 = stablehlo.select %110, %112, %111 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %114 = stablehlo.convert %113 : (tensor<65536xui8>) -> tensor<65536xui32>
    %115 = stablehlo.reshape %114 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %116 = stablehlo.multiply %115, %29 : tensor<256x256xui32>
    %117 = stablehlo.reduce(%116 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %118 = stablehlo.convert %28 : (tensor<65536xf64>) -> tensor<65536xf8E4M3FN>
    %119 = stablehlo.compare NE, %118, %118 : (tensor<65536xf8E4M3FN>, tensor<65536xf8E4M3FN>) -> tensor<65536xi1>
    %120 = stablehlo.bitcast_convert %118 : (tensor<65536xf8E4M3FN>) -> tensor<65536xui8>
    %121 = stablehlo.constant dense<127> : tensor<65536xui8>
    %122 = stablehlo.select %119, %121, %120 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %123 = stablehlo.convert %122 : (tensor<65536xui8>) -> tensor<65536xui32>
    %124 = stablehlo.reshape %123 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %125 = stablehlo.multiply %124, %29 : tensor<256x256xui32>
    %126 = stablehlo.reduce(%125 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %127 = stablehlo.reshape %63 : (tensor<256xui32>) -> tensor<1x256xui32>
    %128 = stablehlo.reshape %72 : (tensor<256xui32>) -> tensor<1x256xui32>
    %129 = stablehlo.reshape %81 : (tensor<256xui32>) -> tensor<1x256xui32>
    %130 = stablehlo.reshape %90 : (tensor<256xui32>) -> tensor<1x256xui32>
    %131 = stablehlo.reshape %99 : (tensor<256xui32>) -> tensor<1x256xui32>
    %132 = stablehlo.reshape %108 : (tensor<256xui32>) -> tensor<1x256xui32>
    %133 = stablehlo.reshape %117 : (tensor<256xui32>) -> tensor<1x256xui32>
    %134 = stablehlo.reshape %126 : (tensor<256xui32>) -> tensor<1x256xui32>
    %135 = stablehlo.concatenate %127, %128, %129, %130, %131, %132, %133, %134, dim = 0 : (tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>) -> tensor<8x256xui32>
    %136 = stablehlo.convert %3 : (tensor<65536xf16>) -> tensor<65536xf8E5M2>
    %137 = stablehlo.compare NE, %136, %136 : (tensor<65536xf8E5M2>, tensor<65536xf8E5M2>) -> tensor<65536xi1>
    %138 = stablehlo.bitcast_convert %136 : (tensor<65536xf8E5M2>) -> tensor<65536xui8>
    %139 = stablehlo.constant dense<126> : tensor<65536xui8>
    %140 = stablehlo.select %137, %139, %138 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %141 = stablehlo.convert %140 : (tensor<65536xui8>) -> tensor<65536xui32>
    %142 = stablehlo.reshape %141 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %143 = stablehlo.multiply %142, %29 : tensor<256x256xui32>
    %144 = stablehlo.reduce(%143 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %145 = stablehlo.convert %4 : (tensor<65536xbf16>) -> tensor<65536xf8E5M2>
    %146 = stablehlo.compare NE, %145, %145 : (tensor<65536xf8E5M2>, tensor<65536xf8E5M2>) -> tensor<65536xi1>
    %147 = stablehlo.bitcast_convert %145 : (tensor<65536xf8E5M2>) -> tensor<65536xui8>
    %148 = stablehlo.constant dense<126> : tensor<65536xui8>
    %149 = stablehlo.select %146, %148, %147 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %150 = stablehlo.convert %149 : (tensor<65536xui8>) -> tensor<65536xui32>
    %151 = stablehlo.reshape %150 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %152 = stablehlo.multiply %151, %29 : tensor<256x256xui32>
    %153 = stablehlo.reduce(%152 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %154 = stablehlo.convert %10 : (tensor<65536xf32>) -> tensor<65536xf8E5M2>
    %155 = stablehlo.compare NE, %154, %154 : (tensor<65536xf8E5M2>, tensor<65536xf8E5M2>) -> tensor<65536xi1>
    %156 = stablehlo.bitcast_convert %154 : (tensor<65536xf8E5M2>) -> tensor<65536xui8>
    %157 = stablehlo.constant dense<126> : tensor<65536xui8>
    %158 = stablehlo.select %155, %157, %156 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %159 = stablehlo.convert %158 : (tensor<65536xui8>) -> tensor<65536xui32>
    %160 = stablehlo.reshape %159 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %161 = stablehlo.multiply %160, %29 : tensor<256x256xui32>
    %162 = stablehlo.reduce(%161 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %163 = stablehlo.convert %13 : (tensor<65536xf32>) -> tensor<65536xf8E5M2>
    %164 = stablehlo.compare NE, %163, %163 : (tensor<65536xf8E5M2>, tensor<65536xf8E5M2>) -> tensor<65536xi1>
    %165 = stablehlo.bitcast_convert %163 : (tensor<65536xf8E5M2>) -> tensor<65536xui8>
    %166 = stablehlo.constant dense<126> : tensor<65536xui8>
    %167 = stablehlo.select %164, %166, %165 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %168 = stablehlo.convert %167 : (tensor<65536xui8>) -> tensor<65536xui32>
    %169 = stablehlo.reshape %168 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %170 = stablehlo.multiply %169, %29 : tensor<256x256xui32>
    %171 = stablehlo.reduce(%170 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %172 = stablehlo.convert %16 : (tensor<65536xf32>) -> tensor<65536xf8E5M2>
    %173 = stablehlo.compare NE, %172, %172 : (tensor<65536xf8E5M2>, tensor<65536xf8E5M2>) -> tensor<65536xi1>
    %174 = stablehlo.bitcast_convert %172 : (tensor<65536xf8E5M2>) -> tensor<65536xui8>
    %175 = stablehlo.constant dense<126> : tensor<65536xui8>
    %176 = stablehlo.select %173, %175, %174 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %177 = stablehlo.convert %176 : (tensor<65536xui8>) -> tensor<65536xui32>
    %178 = stablehlo.reshape %177 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %179 = stablehlo.multiply %178, %29 : tensor<256x256xui32>
    %180 = stablehlo.reduce(%179 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %181 = stablehlo.convert %22 : (tensor<65536xf64>) -> tensor<65536xf8E5M2>
    %182 = stablehlo.compare NE, %181, %181 : (tensor<65536xf8E5M2>, tensor<65536xf8E5M2>) -> tensor<65536xi1>
    %183 = stablehlo.bitcast_convert %181 : (tensor<65536xf8E5M2>) -> tensor<65536xui8>
    %184 = stablehlo.constant dense<126> : tensor<65536xui8>
    %185 = stablehlo.select %182, %184, %183 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %186 = stablehlo.convert %185 : (tensor<65536xui8>) -> tensor<65536xui32>
    %187 = stablehlo.reshape %186 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %188 = stablehlo.multiply %187, %29 : tensor<256x256xui32>
    %189 = stablehlo.reduce(%188 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %190 = stablehlo.convert %25 : (tensor<65536xf64>) -> tensor<65536xf8E5M2>
    %191 = stablehlo.compare NE, %190, %190 : (tensor<65536xf8E5M2>, tensor<65536xf8E5M2>) -> tensor<65536xi1>
    %192 = stablehlo.bitcast_convert %190 : (tensor<65536xf8E5M2>) -> tensor<65536xui8>
    %193 = stablehlo.constant dense<126> : tensor<65536xui8>
    %194 = stablehlo.select %191, %193, %192 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %195 = stablehlo.convert %194 : (tensor<65536xui8>) -> tensor<65536xui32>
    %196 = stablehlo.reshape %195 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %197 = stablehlo.multiply %196, %29 : tensor<256x256xui32>
    %198 = stablehlo.reduce(%197 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %199 = stablehlo.convert %28 : (tensor<65536xf64>) -> tensor<65536xf8E5M2>
    %200 = stablehlo.compare NE, %199, %199 : (tensor<65536xf8E5M2>, tensor<65536xf8E5M2>) -> tensor<65536xi1>
    %201 = stablehlo.bitcast_convert %199 : (tensor<65536xf8E5M2>) -> tensor<65536xui8>
    %202 = stablehlo.constant dense<126> : tensor<65536xui8>
    %203 = stablehlo.select %200, %202, %201 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %204 = stablehlo.convert %203 : (tensor<65536xui8>) -> tensor<65536xui32>
    %205 = stablehlo.reshape %204 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %206 = stablehlo.multiply %205, %29 : tensor<256x256xui32>
    %207 = stablehlo.reduce(%206 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %208 = stablehlo.reshape %144 : (tensor<256xui32>) -> tensor<1x256xui32>
    %209 = stablehlo.reshape %153 : (tensor<256xui32>) -> tensor<1x256xui32>
    %210 = stablehlo.reshape %162 : (tensor<256xui32>) -> tensor<1x256xui32>
    %211 = stablehlo.reshape %171 : (tensor<256xui32>) -> tensor<1x256xui32>
    %212 = stablehlo.reshape %180 : (tensor<256xui32>) -> tensor<1x256xui32>
    %213 = stablehlo.reshape %189 : (tensor<256xui32>) -> tensor<1x256xui32>
    %214 = stablehlo.reshape %198 : (tensor<256xui32>) -> tensor<1x256xui32>
    %215 = stablehlo.reshape %207 : (tensor<256xui32>) -> tensor<1x256xui32>
    %216 = stablehlo.concatenate %208, %209, %210, %211, %212, %213, %214, %215, dim = 0 : (tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>) -> tensor<8x256xui32>
    %217 = stablehlo.convert %3 : (tensor<65536xf16>) -> tensor<65536xf8E4M3FNUZ>
    %218 = stablehlo.compare NE, %217, %217 : (tensor<65536xf8E4M3FNUZ>, tensor<65536xf8E4M3FNUZ>) -> tensor<65536xi1>
    %219 = stablehlo.bitcast_convert %217 : (tensor<65536xf8E4M3FNUZ>) -> tensor<65536xui8>
    %220 = stablehlo.constant dense<128> : tensor<65536xui8>
    %221 = stablehlo.select %218, %220, %219 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %222 = stablehlo.convert %221 : (tensor<65536xui8>) -> tensor<65536xui32>
    %223 = stablehlo.reshape %222 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %224 = stablehlo.multiply %223, %29 : tensor<256x256xui32>
    %225 = stablehlo.reduce(%224 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %226 = stablehlo.convert %4 : (tensor<65536xbf16>) -> tensor<65536xf8E4M3FNUZ>
    %227 = stablehlo.compare NE, %226, %226 : (tensor<65536xf8E4M3FNUZ>, tensor<65536xf8E4M3FNUZ>) -> tensor<65536xi1>
    %228 = stablehlo.bitcast_convert %226 : (tensor<65536xf8E4M3FNUZ>) -> tensor<65536xui8>
    %229 = stablehlo.constant dense<128> : tensor<65536xui8>
    %230 = stablehlo.select %227, %229, %228 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %231 = stablehlo.convert %230 : (tensor<65536xui8>) -> tensor<65536xui32>
    %232 = stablehlo.reshape %231 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %233 = stablehlo.multiply %232, %29 : tensor<256x256xui32>
    %234 = stablehlo.reduce(%233 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %235 = stablehlo.convert %10 : (tensor<65536xf32>) -> tensor<65536xf8E4M3FNUZ>
    %236 = stablehlo.compare NE, %235, %235 : (tensor<65536xf8E4M3FNUZ>, tensor<65536xf8E4M3FNUZ>) -> tensor<65536xi1>
    %237 = stablehlo.bitcast_convert %235 : (tensor<65536xf8E4M3FNUZ>) -> tensor<65536xui8>
    %238 = stablehlo.constant dense<128> : tensor<65536xui8>
    %239 = stablehlo.select %236, %238, %237 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %240 = stablehlo.convert %239 : (tensor<65536xui8>) -> tensor<65536xui32>
    %241 = stablehlo.reshape %240 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %242 = stablehlo.multiply %241, %29 : tensor<256x256xui32>
    %243 = stablehlo.reduce(%242 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %244 = stablehlo.convert %13 : (tensor<65536xf32>) -> tensor<65536xf8E4M3FNUZ>
    %245 = stablehlo.compare NE, %244, %244 : (tensor<65536xf8E4M3FNUZ>, tensor<65536xf8E4M3FNUZ>) -> tensor<65536xi1>
    %246 = stablehlo.bitcast_convert %244 : (tensor<65536xf8E4M3FNUZ>) -> tensor<65536xui8>
    %247 = stablehlo.constant dense<128> : tensor<65536xui8>
    %248 = stablehlo.select %245, %247, %246 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %249 = stablehlo.convert %248 : (tensor<65536xui8>) -> tensor<65536xui32>
    %250 = stablehlo.reshape %249 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %251 = stablehlo.multiply %250, %29 : tensor<256x256xui32>
    %252 = stablehlo.reduce(%251 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %253 = stablehlo.convert %16 : (tensor<65536xf32>) -> tensor<65536xf8E4M3FNUZ>
    %254 = stablehlo.compare NE, %253, %253 : (tensor<65536xf8E4M3FNUZ>, tensor<65536xf8E4M3FNUZ>) -> tensor<65536xi1>
    %255 = stablehlo.bitcast_convert %253 : (tensor<65536xf8E4M3FNUZ>) -> tensor<65536xui8>
    %256 = stablehlo.constant dense<128> : tensor<65536xui8>
    %257 = stablehlo.select %254, %256, %255 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %258 = stablehlo.convert %257 : (tensor<65536xui8>) -> tensor<65536xui32>
    %259 = stablehlo.reshape %258 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %260 = stablehlo.multiply %259, %29 : tensor<256x256xui32>
    %261 = stablehlo.reduce(%260 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %262 = stablehlo.convert %22 : (tensor<65536xf64>) -> tensor<65536xf8E4M3FNUZ>
    %263 = stablehlo.compare NE, %262, %262 : (tensor<65536xf8E4M3FNUZ>, tensor<65536xf8E4M3FNUZ>) -> tensor<65536xi1>
    %264 = stablehlo.bitcast_convert %262 : (tensor<65536xf8E4M3FNUZ>) -> tensor<65536xui8>
    %265 = stablehlo.constant dense<128> : tensor<65536xui8>
    %266 = stablehlo.select %263, %265, %264 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %267 = stablehlo.convert %266 : (tensor<65536xui8>) -> tensor<65536xui32>
    %268 = stablehlo.reshape %267 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %269 = stablehlo.multiply %268, %29 : tensor<256x256xui32>
    %270 = stablehlo.reduce(%269 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %271 = stablehlo.convert %25 : (tensor<65536xf64>) -> tensor<65536xf8E4M3FNUZ>
    %272 = stablehlo.compare NE, %271, %271 : (tensor<65536xf8E4M3FNUZ>, tensor<65536xf8E4M3FNUZ>) -> tensor<65536xi1>
    %273 = stablehlo.bitcast_convert %271 : (tensor<65536xf8E4M3FNUZ>) -> tensor<65536xui8>
    %274 = stablehlo.constant dense<128> : tensor<65536xui8>
    %275 = stablehlo.select %272, %274, %273 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %276 = stablehlo.convert %275 : (tensor<65536xui8>) -> tensor<65536xui32>
    %277 = stablehlo.reshape %276 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %278 = stablehlo.multiply %277, %29 : tensor<256x256xui32>
    %279 = stablehlo.reduce(%278 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %280 = stablehlo.convert %28 : (tensor<65536xf64>) -> tensor<65536xf8E4M3FNUZ>
    %281 = stablehlo.compare NE, %280, %280 : (tensor<65536xf8E4M3FNUZ>, tensor<65536xf8E4M3FNUZ>) -> tensor<65536xi1>
    %282 = stablehlo.bitcast_convert %280 : (tensor<65536xf8E4M3FNUZ>) -> tensor<65536xui8>
    %283 = stablehlo.constant dense<128> : tensor<65536xui8>
    %284 = stablehlo.select %281, %283, %282 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %285 = stablehlo.convert %284 : (tensor<65536xui8>) -> tensor<65536xui32>
    %286 = stablehlo.reshape %285 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %287 = stablehlo.multiply %286, %29 : tensor<256x256xui32>
    %288 = stablehlo.reduce(%287 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %289 = stablehlo.reshape %225 : (tensor<256xui32>) -> tensor<1x256xui32>
    %290 = stablehlo.reshape %234 : (tensor<256xui32>) -> tensor<1x256xui32>
    %291 = stablehlo.reshape %243 : (tensor<256xui32>) -> tensor<1x256xui32>
    %292 = stablehlo.reshape %252 : (tensor<256xui32>) -> tensor<1x256xui32>
    %293 = stablehlo.reshape %261 : (tensor<256xui32>) -> tensor<1x256xui32>
    %294 = stablehlo.reshape %270 : (tensor<256xui32>) -> tensor<1x256xui32>
    %295 = stablehlo.reshape %279 : (tensor<256xui32>) -> tensor<1x256xui32>
    %296 = stablehlo.reshape %288 : (tensor<256xui32>) -> tensor<1x256xui32>
    %297 = stablehlo.concatenate %289, %290, %291, %292, %293, %294, %295, %296, dim = 0 : (tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>) -> tensor<8x256xui32>
    %298 = stablehlo.convert %3 : (tensor<65536xf16>) -> tensor<65536xf8E5M2FNUZ>
    %299 = stablehlo.compare NE, %298, %298 : (tensor<65536xf8E5M2FNUZ>, tensor<65536xf8E5M2FNUZ>) -> tensor<65536xi1>
    %300 = stablehlo.bitcast_convert %298 : (tensor<65536xf8E5M2FNUZ>) -> tensor<65536xui8>
    %301 = stablehlo.constant dense<128> : tensor<65536xui8>
    %302 = stablehlo.select %299, %301, %300 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %303 = stablehlo.convert %302 : (tensor<65536xui8>) -> tensor<65536xui32>
    %304 = stablehlo.reshape %303 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %305 = stablehlo.multiply %304, %29 : tensor<256x256xui32>
    %306 = stablehlo.reduce(%305 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %307 = stablehlo.convert %4 : (tensor<65536xbf16>) -> tensor<65536xf8E5M2FNUZ>
    %308 = stablehlo.compare NE, %307, %307 : (tensor<65536xf8E5M2FNUZ>, tensor<65536xf8E5M2FNUZ>) -> tensor<65536xi1>
    %309 = stablehlo.bitcast_convert %307 : (tensor<65536xf8E5M2FNUZ>) -> tensor<65536xui8>
    %310 = stablehlo.constant dense<128> : tensor<65536xui8>
    %311 = stablehlo.select %308, %310, %309 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %312 = stablehlo.convert %311 : (tensor<65536xui8>) -> tensor<65536xui32>
    %313 = stablehlo.reshape %312 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %314 = stablehlo.multiply %313, %29 : tensor<256x256xui32>
    %315 = stablehlo.reduce(%314 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %316 = stablehlo.convert %10 : (tensor<65536xf32>) -> tensor<65536xf8E5M2FNUZ>
    %317 = stablehlo.compare NE, %316, %316 : (tensor<65536xf8E5M2FNUZ>, tensor<65536xf8E5M2FNUZ>) -> tensor<65536xi1>
    %318 = stablehlo.bitcast_convert %316 : (tensor<65536xf8E5M2FNUZ>) -> tensor<65536xui8>
    %319 = stablehlo.constant dense<128> : tensor<65536xui8>
    %320 = stablehlo.select %317, %319, %318 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %321 = stablehlo.convert %320 : (tensor<65536xui8>) -> tensor<65536xui32>
    %322 = stablehlo.reshape %321 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %323 = stablehlo.multiply %322, %29 : tensor<256x256xui32>
    %324 = stablehlo.reduce(%323 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %325 = stablehlo.convert %13 : (tensor<65536xf32>) -> tensor<65536xf8E5M2FNUZ>
    %326 = stablehlo.compare NE, %325, %325 : (tensor<65536xf8E5M2FNUZ>, tensor<65536xf8E5M2FNUZ>) -> tensor<65536xi1>
    %327 = stablehlo.bitcast_convert %325 : (tensor<65536xf8E5M2FNUZ>) -> tensor<65536xui8>
    %328 = stablehlo.constant dense<128> : tensor<65536xui8>
    %329 = stablehlo.select %326, %328, %327 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %330 = stablehlo.convert %329 : (tensor<65536xui8>) -> tensor<65536xui32>
    %331 = stablehlo.reshape %330 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %332 = stablehlo.multiply %331, %29 : tensor<256x256xui32>
    %333 = stablehlo.reduce(%332 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %334 = stablehlo.convert %16 : (tensor<65536xf32>) -> tensor<65536xf8E5M2FNUZ>
    %335 = stablehlo.compare NE, %334, %334 : (tensor<65536xf8E5M2FNUZ>, tensor<65536xf8E5M2FNUZ>) -> tensor<65536xi1>
    %336 = stablehlo.bitcast_convert %334 : (tensor<65536xf8E5M2FNUZ>) -> tensor<65536xui8>
    %337 = stablehlo.constant dense<128> : tensor<65536xui8>
    %338 = stablehlo.select %335, %337, %336 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %339 = stablehlo.convert %338 : (tensor<65536xui8>) -> tensor<65536xui32>
    %340 = stablehlo.reshape %339 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %341 = stablehlo.multiply %340, %29 : tensor<256x256xui32>
    %342 = stablehlo.reduce(%341 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %343 = stablehlo.convert %22 : (tensor<65536xf64>) -> tensor<65536xf8E5M2FNUZ>
    %344 = stablehlo.compare NE, %343, %343 : (tensor<65536xf8E5M2FNUZ>, tensor<65536xf8E5M2FNUZ>) -> tensor<65536xi1>
    %345 = stablehlo.bitcast_convert %343 : (tensor<65536xf8E5M2FNUZ>) -> tensor<65536xui8>
    %346 = stablehlo.constant dense<128> : tensor<65536xui8>
    %347 = stablehlo.select %344, %346, %345 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %348 = stablehlo.convert %347 : (tensor<65536xui8>) -> tensor<65536xui32>
    %349 = stablehlo.reshape %348 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %350 = stablehlo.multiply %349, %29 : tensor<256x256xui32>
    %351 = stablehlo.reduce(%350 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %352 = stablehlo.convert %25 : (tensor<65536xf64>) -> tensor<65536xf8E5M2FNUZ>
    %353 = stablehlo.compare NE, %352, %352 : (tensor<65536xf8E5M2FNUZ>, tensor<65536xf8E5M2FNUZ>) -> tensor<65536xi1>
    %354 = stablehlo.bitcast_convert %352 : (tensor<65536xf8E5M2FNUZ>) -> tensor<65536xui8>
    %355 = stablehlo.constant dense<128> : tensor<65536xui8>
    %356 = stablehlo.select %353, %355, %354 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %357 = stablehlo.convert %356 : (tensor<65536xui8>) -> tensor<65536xui32>
    %358 = stablehlo.reshape %357 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %359 = stablehlo.multiply %358, %29 : tensor<256x256xui32>
    %360 = stablehlo.reduce(%359 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %361 = stablehlo.convert %28 : (tensor<65536xf64>) -> tensor<65536xf8E5M2FNUZ>
    %362 = stablehlo.compare NE, %361, %361 : (tensor<65536xf8E5M2FNUZ>, tensor<65536xf8E5M2FNUZ>) -> tensor<65536xi1>
    %363 = stablehlo.bitcast_convert %361 : (tensor<65536xf8E5M2FNUZ>) -> tensor<65536xui8>
    %364 = stablehlo.constant dense<128> : tensor<65536xui8>
    %365 = stablehlo.select %362, %364, %363 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %366 = stablehlo.convert %365 : (tensor<65536xui8>) -> tensor<65536xui32>
    %367 = stablehlo.reshape %366 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %368 = stablehlo.multiply %367, %29 : tensor<256x256xui32>
    %369 = stablehlo.reduce(%368 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %370 = stablehlo.reshape %306 : (tensor<256xui32>) -> tensor<1x256xui32>
    %371 = stablehlo.reshape %315 : (tensor<256xui32>) -> tensor<1x256xui32>
    %372 = stablehlo.reshape %324 : (tensor<256xui32>) -> tensor<1x256xui32>
    %373 = stablehlo.reshape %333 : (tensor<256xui32>) -> tensor<1x256xui32>
    %374 = stablehlo.reshape %342 : (tensor<256xui32>) -> tensor<1x256xui32>
    %375 = stablehlo.reshape %351 : (tensor<256xui32>) -> tensor<1x256xui32>
    %376 = stablehlo.reshape %360 : (tensor<256xui32>) -> tensor<1x256xui32>
    %377 = stablehlo.reshape %369 : (tensor<256xui32>) -> tensor<1x256xui32>
    %378 = stablehlo.concatenate %370, %371, %372, %373, %374, %375, %376, %377, dim = 0 : (tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>) -> tensor<8x256xui32>
    %379 = stablehlo.convert %3 : (tensor<65536xf16>) -> tensor<65536xf8E4M3B11FNUZ>
    %380 = stablehlo.compare NE, %379, %379 : (tensor<65536xf8E4M3B11FNUZ>, tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xi1>
    %381 = stablehlo.bitcast_convert %379 : (tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xui8>
    %382 = stablehlo.constant dense<128> : tensor<65536xui8>
    %383 = stablehlo.select %380, %382, %381 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %384 = stablehlo.convert %383 : (tensor<65536xui8>) -> tensor<65536xui32>
    %385 = stablehlo.reshape %384 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %386 = stablehlo.multiply %385, %29 : tensor<256x256xui32>
    %387 = stablehlo.reduce(%386 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %388 = stablehlo.convert %4 : (tensor<65536xbf16>) -> tensor<65536xf8E4M3B11FNUZ>
    %389 = stablehlo.compare NE, %388, %388 : (tensor<65536xf8E4M3B11FNUZ>, tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xi1>
    %390 = stablehlo.bitcast_convert %388 : (tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xui8>
    %391 = stablehlo.constant dense<128> : tensor<65536xui8>
    %392 = stablehlo.select %389, %391, %390 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %393 = stablehlo.convert %392 : (tensor<65536xui8>) -> tensor<65536xui32>
    %394 = stablehlo.reshape %393 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %395 = stablehlo.multiply %394, %29 : tensor<256x256xui32>
    %396 = stablehlo.reduce(%395 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %397 = stablehlo.convert %10 : (tensor<65536xf32>) -> tensor<65536xf8E4M3B11FNUZ>
    %398 = stablehlo.compare NE, %397, %397 : (tensor<65536xf8E4M3B11FNUZ>, tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xi1>
    %399 = stablehlo.bitcast_convert %397 : (tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xui8>
    %400 = stablehlo.constant dense<128> : tensor<65536xui8>
    %401 = stablehlo.select %398, %400, %399 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %402 = stablehlo.convert %401 : (tensor<65536xui8>) -> tensor<65536xui32>
    %403 = stablehlo.reshape %402 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %404 = stablehlo.multiply %403, %29 : tensor<256x256xui32>
    %405 = stablehlo.reduce(%404 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %406 = stablehlo.convert %13 : (tensor<65536xf32>) -> tensor<65536xf8E4M3B11FNUZ>
    %407 = stablehlo.compare NE, %406, %406 : (tensor<65536xf8E4M3B11FNUZ>, tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xi1>
    %408 = stablehlo.bitcast_convert %406 : (tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xui8>
    %409 = stablehlo.constant dense<128> : tensor<65536xui8>
    %410 = stablehlo.select %407, %409, %408 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %411 = stablehlo.convert %410 : (tensor<65536xui8>) -> tensor<65536xui32>
    %412 = stablehlo.reshape %411 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %413 = stablehlo.multiply %412, %29 : tensor<256x256xui32>
    %414 = stablehlo.reduce(%413 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %415 = stablehlo.convert %16 : (tensor<65536xf32>) -> tensor<65536xf8E4M3B11FNUZ>
    %416 = stablehlo.compare NE, %415, %415 : (tensor<65536xf8E4M3B11FNUZ>, tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xi1>
    %417 = stablehlo.bitcast_convert %415 : (tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xui8>
    %418 = stablehlo.constant dense<128> : tensor<65536xui8>
    %419 = stablehlo.select %416, %418, %417 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %420 = stablehlo.convert %419 : (tensor<65536xui8>) -> tensor<65536xui32>
    %421 = stablehlo.reshape %420 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %422 = stablehlo.multiply %421, %29 : tensor<256x256xui32>
    %423 = stablehlo.reduce(%422 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %424 = stablehlo.convert %22 : (tensor<65536xf64>) -> tensor<65536xf8E4M3B11FNUZ>
    %425 = stablehlo.compare NE, %424, %424 : (tensor<65536xf8E4M3B11FNUZ>, tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xi1>
    %426 = stablehlo.bitcast_convert %424 : (tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xui8>
    %427 = stablehlo.constant dense<128> : tensor<65536xui8>
    %428 = stablehlo.select %425, %427, %426 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %429 = stablehlo.convert %428 : (tensor<65536xui8>) -> tensor<65536xui32>
    %430 = stablehlo.reshape %429 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %431 = stablehlo.multiply %430, %29 : tensor<256x256xui32>
    %432 = stablehlo.reduce(%431 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %433 = stablehlo.convert %25 : (tensor<65536xf64>) -> tensor<65536xf8E4M3B11FNUZ>
    %434 = stablehlo.compare NE, %433, %433 : (tensor<65536xf8E4M3B11FNUZ>, tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xi1>
    %435 = stablehlo.bitcast_convert %433 : (tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xui8>
    %436 = stablehlo.constant dense<128> : tensor<65536xui8>
    %437 = stablehlo.select %434, %436, %435 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %438 = stablehlo.convert %437 : (tensor<65536xui8>) -> tensor<65536xui32>
    %439 = stablehlo.reshape %438 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %440 = stablehlo.multiply %439, %29 : tensor<256x256xui32>
    %441 = stablehlo.reduce(%440 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %442 = stablehlo.convert %28 : (tensor<65536xf64>) -> tensor<65536xf8E4M3B11FNUZ>
    %443 = stablehlo.compare NE, %442, %442 : (tensor<65536xf8E4M3B11FNUZ>, tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xi1>
    %444 = stablehlo.bitcast_convert %442 : (tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xui8>
    %445 = stablehlo.constant dense<128> : tensor<65536xui8>
    %446 = stablehlo.select %443, %445, %444 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %447 = stablehlo.convert %446 : (tensor<65536xui8>) -> tensor<65536xui32>
    %448 = stablehlo.reshape %447 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %449 = stablehlo.multiply %448, %29 : tensor<256x256xui32>
    %450 = stablehlo.reduce(%449 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %451 = stablehlo.reshape %387 : (tensor<256xui32>) -> tensor<1x256xui32>
    %452 = stablehlo.reshape %396 : (tensor<256xui32>) -> tensor<1x256xui32>
    %453 = stablehlo.reshape %405 : (tensor<256xui32>) -> tensor<1x256xui32>
    %454 = stablehlo.reshape %414 : (tensor<256xui32>) -> tensor<1x256xui32>
    %455 = stablehlo.reshape %423 : (tensor<256xui32>) -> tensor<1x256xui32>
    %456 = stablehlo.reshape %432 : (tensor<256xui32>) -> tensor<1x256xui32>
    %457 = stablehlo.reshape %441 : (tensor<256xui32>) -> tensor<1x256xui32>
    %458 = stablehlo.reshape %450 : (tensor<256xui32>) -> tensor<1x256xui32>
    %459 = stablehlo.concatenate %451, %452, %453, %454, %455, %456, %457, %458, dim = 0 : (tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>) -> tensor<8x256xui32>
    %460 = stablehlo.convert %3 : (tensor<65536xf16>) -> tensor<65536xf8E4M3>
    %461 = stablehlo.compare NE, %460, %460 : (tensor<65536xf8E4M3>, tensor<65536xf8E4M3>) -> tensor<65536xi1>
    %462 = stablehlo.bitcast_convert %460 : (tensor<65536xf8E4M3>) -> tensor<65536xui8>
    %463 = stablehlo.constant dense<124> : tensor<65536xui8>
    %464 = stablehlo.select %461, %463, %462 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %465 = stablehlo.convert %464 : (tensor<65536xui8>) -> tensor<65536xui32>
    %466 = stablehlo.reshape %465 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %467 = stablehlo.multiply %466, %29 : tensor<256x256xui32>
    %468 = stablehlo.reduce(%467 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %469 = stablehlo.convert %4 : (tensor<65536xbf16>) -> tensor<65536xf8E4M3>
    %470 = stablehlo.compare NE, %469, %469 : (tensor<65536xf8E4M3>, tensor<65536xf8E4M3>) -> tensor<65536xi1>
    %471 = stablehlo.bitcast_convert %469 : (tensor<65536xf8E4M3>) -> tensor<65536xui8>
    %472 = stablehlo.constant dense<124> : tensor<65536xui8>
    %473 = stablehlo.select %470, %472, %471 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %474 = stablehlo.convert %473 : (tensor<65536xui8>) -> tensor<65536xui32>
    %475 = stablehlo.reshape %474 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %476 = stablehlo.multiply %475, %29 : tensor<256x256xui32>
    %477 = stablehlo.reduce(%476 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %478 = stablehlo.convert %10 : (tensor<65536xf32>) -> tensor<65536xf8E4M3>
    %479 = stablehlo.compare NE, %478, %478 : (tensor<65536xf8E4M3>, tensor<65536xf8E4M3>) -> tensor<65536xi1>
    %480 = stablehlo.bitcast_convert %478 : (tensor<65536xf8E4M3>) -> tensor<65536xui8>
    %481 = stablehlo.constant dense<124> : tensor<65536xui8>
    %482 = stablehlo.select %479, %481, %480 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %483 = stablehlo.convert %482 : (tensor<65536xui8>) -> tensor<65536xui32>
    %484 = stablehlo.reshape %483 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %485 = stablehlo.multiply %484, %29 : tensor<256x256xui32>
    %486 = stablehlo.reduce(%485 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %487 = stablehlo.convert %13 : (tensor<65536xf32>) -> tensor<65536xf8E4M3>
    %488 = stablehlo.compare NE, %487, %487 : (tensor<65536xf8E4M3>, tensor<65536xf8E4M3>) -> tensor<65536xi1>
    %489 = stablehlo.bitcast_convert %487 : (tensor<65536xf8E4M3>) -> tensor<65536xui8>
    %490 = stablehlo.constant dense<124> : tensor<65536xui8>
    %491 = stablehlo.select %488, %490, %489 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %492 = stablehlo.convert %491 : (tensor<65536xui8>) -> tensor<65536xui32>
    %493 = stablehlo.reshape %492 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %494 = stablehlo.multiply %493, %29 : tensor<256x256xui32>
    %495 = stablehlo.reduce(%494 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %496 = stablehlo.convert %16 : (tensor<65536xf32>) -> tensor<65536xf8E4M3>
    %497 = stablehlo.compare NE, %496, %496 : (tensor<65536xf8E4M3>, tensor<65536xf8E4M3>) -> tensor<65536xi1>
    %498 = stablehlo.bitcast_convert %496 : (tensor<65536xf8E4M3>) -> tensor<65536xui8>
    %499 = stablehlo.constant dense<124> : tensor<65536xui8>
    %500 = stablehlo.select %497, %499, %498 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %501 = stablehlo.convert %500 : (tensor<65536xui8>) -> tensor<65536xui32>
    %502 = stablehlo.reshape %501 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %503 = stablehlo.multiply %502, %29 : tensor<256x256xui32>
    %504 = stablehlo.reduce(%503 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %505 = stablehlo.convert %22 : (tensor<65536xf64>) -> tensor<65536xf8E4M3>
    %506 = stablehlo.compare NE, %505, %505 : (tensor<65536xf8E4M3>, tensor<65536xf8E4M3>) -> tensor<65536xi1>
    %507 = stablehlo.bitcast_convert %505 : (tensor<65536xf8E4M3>) -> tensor<65536xui8>
    %508 = stablehlo.constant dense<124> : tensor<65536xui8>
    %509 = stablehlo.select %506, %508, %507 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %510 = stablehlo.convert %509 : (tensor<65536xui8>) -> tensor<65536xui32>
    %511 = stablehlo.reshape %510 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %512 = stablehlo.multiply %511, %29 : tensor<256x256xui32>
    %513 = stablehlo.reduce(%512 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %514 = stablehlo.convert %25 : (tensor<65536xf64>) -> tensor<65536xf8E4M3>
    %515 = stablehlo.compare NE, %514, %514 : (tensor<65536xf8E4M3>, tensor<65536xf8E4M3>) -> tensor<65536xi1>
    %516 = stablehlo.bitcast_convert %514 : (tensor<65536xf8E4M3>) -> tensor<65536xui8>
    %517 = stablehlo.constant dense<124> : tensor<65536xui8>
    %518 = stablehlo.select %515, %517, %516 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %519 = stablehlo.convert %518 : (tensor<65536xui8>) -> tensor<65536xui32>
    %520 = stablehlo.reshape %519 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %521 = stablehlo.multiply %520, %29 : tensor<256x256xui32>
    %522 = stablehlo.reduce(%521 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %523 = stablehlo.convert %28 : (tensor<65536xf64>) -> tensor<65536xf8E4M3>
    %524 = stablehlo.compare NE, %523, %523 : (tensor<65536xf8E4M3>, tensor<65536xf8E4M3>) -> tensor<65536xi1>
    %525 = stablehlo.bitcast_convert %523 : (tensor<65536xf8E4M3>) -> tensor<65536xui8>
    %526 = stablehlo.constant dense<124> : tensor<65536xui8>
    %527 = stablehlo.select %524, %526, %525 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %528 = stablehlo.convert %527 : (tensor<65536xui8>) -> tensor<65536xui32>
    %529 = stablehlo.reshape %528 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %530 = stablehlo.multiply %529, %29 : tensor<256x256xui32>
    %531 = stablehlo.reduce(%530 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %532 = stablehlo.reshape %468 : (tensor<256xui32>) -> tensor<1x256xui32>
    %533 = stablehlo.reshape %477 : (tensor<256xui32>) -> tensor<1x256xui32>
    %534 = stablehlo.reshape %486 : (tensor<256xui32>) -> tensor<1x256xui32>
    %535 = stablehlo.reshape %495 : (tensor<256xui32>) -> tensor<1x256xui32>
    %536 = stablehlo.reshape %504 : (tensor<256xui32>) -> tensor<1x256xui32>
    %537 = stablehlo.reshape %513 : (tensor<256xui32>) -> tensor<1x256xui32>
    %538 = stablehlo.reshape %522 : (tensor<256xui32>) -> tensor<1x256xui32>
    %539 = stablehlo.reshape %531 : (tensor<256xui32>) -> tensor<1x256xui32>
    %540 = stablehlo.concatenate %532, %533, %534, %535, %536, %537, %538, %539, dim = 0 : (tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>) -> tensor<8x256xui32>
    %541 = stablehlo.convert %3 : (tensor<65536xf16>) -> tensor<65536xf8E3M4>
    %542 = stablehlo.compare NE, %541, %541 : (tensor<65536xf8E3M4>, tensor<65536xf8E3M4>) -> tensor<65536xi1>
    %543 = stablehlo.bitcast_convert %541 : (tensor<65536xf8E3M4>) -> tensor<65536xui8>
    %544 = stablehlo.constant dense<120> : tensor<65536xui8>
    %545 = stablehlo.select %542, %544, %543 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %546 = stablehlo.convert %545 : (tensor<65536xui8>) -> tensor<65536xui32>
    %547 = stablehlo.reshape %546 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %548 = stablehlo.multiply %547, %29 : tensor<256x256xui32>
    %549 = stablehlo.reduce(%548 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %550 = stablehlo.convert %4 : (tensor<65536xbf16>) -> tensor<65536xf8E3M4>
    %551 = stablehlo.compare NE, %550, %550 : (tensor<65536xf8E3M4>, tensor<65536xf8E3M4>) -> tensor<65536xi1>
    %552 = stablehlo.bitcast_convert %550 : (tensor<65536xf8E3M4>) -> tensor<65536xui8>
    %553 = stablehlo.constant dense<120> : tensor<65536xui8>
    %554 = stablehlo.select %551, %553, %552 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %555 = stablehlo.convert %554 : (tensor<65536xui8>) -> tensor<65536xui32>
    %556 = stablehlo.reshape %555 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %557 = stablehlo.multiply %556, %29 : tensor<256x256xui32>
    %558 = stablehlo.reduce(%557 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %559 = stablehlo.convert %10 : (tensor<65536xf32>) -> tensor<65536xf8E3M4>
    %560 = stablehlo.compare NE, %559, %559 : (tensor<65536xf8E3M4>, tensor<65536xf8E3M4>) -> tensor<65536xi1>
    %561 = stablehlo.bitcast_convert %559 : (tensor<65536xf8E3M4>) -> tensor<65536xui8>
    %562 = stablehlo.constant dense<120> : tensor<65536xui8>
    %563 = stablehlo.select %560, %562, %561 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %564 = stablehlo.convert %563 : (tensor<65536xui8>) -> tensor<65536xui32>
    %565 = stablehlo.reshape %564 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %566 = stablehlo.multiply %565, %29 : tensor<256x256xui32>
    %567 = stablehlo.reduce(%566 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %568 = stablehlo.convert %13 : (tensor<65536xf32>) -> tensor<65536xf8E3M4>
    %569 = stablehlo.compare NE, %568, %568 : (tensor<65536xf8E3M4>, tensor<65536xf8E3M4>) -> tensor<65536xi1>
    %570 = stablehlo.bitcast_convert %568 : (tensor<65536xf8E3M4>) -> tensor<65536xui8>
    %571 = stablehlo.constant dense<120> : tensor<65536xui8>
    %572 = stablehlo.select %569, %571, %570 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %573 = stablehlo.convert %572 : (tensor<65536xui8>) -> tensor<65536xui32>
    %574 = stablehlo.reshape %573 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %575 = stablehlo.multiply %574, %29 : tensor<256x256xui32>
    %576 = stablehlo.reduce(%575 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %577 = stablehlo.convert %16 : (tensor<65536xf32>) -> tensor<65536xf8E3M4>
    %578 = stablehlo.compare NE, %577, %577 : (tensor<65536xf8E3M4>, tensor<65536xf8E3M4>) -> tensor<65536xi1>
    %579 = stablehlo.bitcast_convert %577 : (tensor<65536xf8E3M4>) -> tensor<65536xui8>
    %580 = stablehlo.constant dense<120> : tensor<65536xui8>
    %581 = stablehlo.select %578, %580, %579 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %582 = stablehlo.convert %581 : (tensor<65536xui8>) -> tensor<65536xui32>
    %583 = stablehlo.reshape %582 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %584 = stablehlo.multiply %583, %29 : tensor<256x256xui32>
    %585 = stablehlo.reduce(%584 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %586 = stablehlo.convert %22 : (tensor<65536xf64>) -> tensor<65536xf8E3M4>
    %587 = stablehlo.compare NE, %586, %586 : (tensor<65536xf8E3M4>, tensor<65536xf8E3M4>) -> tensor<65536xi1>
    %588 = stablehlo.bitcast_convert %586 : (tensor<65536xf8E3M4>) -> tensor<65536xui8>
    %589 = stablehlo.constant dense<120> : tensor<65536xui8>
    %590 = stablehlo.select %587, %589, %588 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %591 = stablehlo.convert %590 : (tensor<65536xui8>) -> tensor<65536xui32>
    %592 = stablehlo.reshape %591 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %593 = stablehlo.multiply %592, %29 : tensor<256x256xui32>
    %594 = stablehlo.reduce(%593 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %595 = stablehlo.convert %25 : (tensor<65536xf64>) -> tensor<65536xf8E3M4>
    %596 = stablehlo.compare NE, %595, %595 : (tensor<65536xf8E3M4>, tensor<65536xf8E3M4>) -> tensor<65536xi1>
    %597 = stablehlo.bitcast_convert %595 : (tensor<65536xf8E3M4>) -> tensor<65536xui8>
    %598 = stablehlo.constant dense<120> : tensor<65536xui8>
    %599 = stablehlo.select %596, %598, %597 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %600 = stablehlo.convert %599 : (tensor<65536xui8>) -> tensor<65536xui32>
    %601 = stablehlo.reshape %600 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %602 = stablehlo.multiply %601, %29 : tensor<256x256xui32>
    %603 = stablehlo.reduce(%602 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %604 = stablehlo.convert %28 : (tensor<65536xf64>) -> tensor<65536xf8E3M4>
    %605 = stablehlo.compare NE, %604, %604 : (tensor<65536xf8E3M4>, tensor<65536xf8E3M4>) -> tensor<65536xi1>
    %606 = stablehlo.bitcast_convert %604 : (tensor<65536xf8E3M4>) -> tensor<65536xui8>
    %607 = stablehlo.constant dense<120> : tensor<65536xui8>
    %608 = stablehlo.select %605, %607, %606 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %609 = stablehlo.convert %608 : (tensor<65536xui8>) -> tensor<65536xui32>
    %610 = stablehlo.reshape %609 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %611 = stablehlo.multiply %610, %29 : tensor<256x256xui32>
    %612 = stablehlo.reduce(%611 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %613 = stablehlo.reshape %549 : (tensor<256xui32>) -> tensor<1x256xui32>
    %614 = stablehlo.reshape %558 : (tensor<256xui32>) -> tensor<1x256xui32>
    %615 = stablehlo.reshape %567 : (tensor<256xui32>) -> tensor<1x256xui32>
    %616 = stablehlo.reshape %576 : (tensor<256xui32>) -> tensor<1x256xui32>
    %617 = stablehlo.reshape %585 : (tensor<256xui32>) -> tensor<1x256xui32>
    %618 = stablehlo.reshape %594 : (tensor<256xui32>) -> tensor<1x256xui32>
    %619 = stablehlo.reshape %603 : (tensor<256xui32>) -> tensor<1x256xui32>
    %620 = stablehlo.reshape %612 : (tensor<256xui32>) -> tensor<1x256xui32>
    %621 = stablehlo.concatenate %613, %614, %615, %616, %617, %618, %619, %620, dim = 0 : (tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>) -> tensor<8x256xui32>
    %622 = stablehlo.convert %3 : (tensor<65536xf16>) -> tensor<65536xf8E8M0FNU>
    %623 = stablehlo.compare NE, %622, %622 : (tensor<65536xf8E8M0FNU>, tensor<65536xf8E8M0FNU>) -> tensor<65536xi1>
    %624 = stablehlo.bitcast_convert %622 : (tensor<65536xf8E8M0FNU>) -> tensor<65536xui8>
    %625 = stablehlo.constant dense<255> : tensor<65536xui8>
    %626 = stablehlo.select %623, %625, %624 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %627 = stablehlo.convert %626 : (tensor<65536xui8>) -> tensor<65536xui32>
    %628 = stablehlo.reshape %627 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %629 = stablehlo.multiply %628, %29 : tensor<256x256xui32>
    %630 = stablehlo.reduce(%629 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %631 = stablehlo.convert %4 : (tensor<65536xbf16>) -> tensor<65536xf8E8M0FNU>
    %632 = stablehlo.compare NE, %631, %631 : (tensor<65536xf8E8M0FNU>, tensor<65536xf8E8M0FNU>) -> tensor<65536xi1>
    %633 = stablehlo.bitcast_convert %631 : (tensor<65536xf8E8M0FNU>) -> tensor<65536xui8>
    %634 = stablehlo.constant dense<255> : tensor<65536xui8>
    %635 = stablehlo.select %632, %634, %633 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %636 = stablehlo.convert %635 : (tensor<65536xui8>) -> tensor<65536xui32>
    %637 = stablehlo.reshape %636 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %638 = stablehlo.multiply %637, %29 : tensor<256x256xui32>
    %639 = stablehlo.reduce(%638 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %640 = stablehlo.convert %10 : (tensor<65536xf32>) -> tensor<65536xf8E8M0FNU>
    %641 = stablehlo.compare NE, %640, %640 : (tensor<65536xf8E8M0FNU>, tensor<65536xf8E8M0FNU>) -> tensor<65536xi1>
    %642 = stablehlo.bitcast_convert %640 : (tensor<65536xf8E8M0FNU>) -> tensor<65536xui8>
    %643 = stablehlo.constant dense<255> : tensor<65536xui8>
    %644 = stablehlo.select %641, %643, %642 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %645 = stablehlo.convert %644 : (tensor<65536xui8>) -> tensor<65536xui32>
    %646 = stablehlo.reshape %645 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %647 = stablehlo.multiply %646, %29 : tensor<256x256xui32>
    %648 = stablehlo.reduce(%647 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %649 = stablehlo.convert %13 : (tensor<65536xf32>) -> tensor<65536xf8E8M0FNU>
    %650 = stablehlo.compare NE, %649, %649 : (tensor<65536xf8E8M0FNU>, tensor<65536xf8E8M0FNU>) -> tensor<65536xi1>
    %651 = stablehlo.bitcast_convert %649 : (tensor<65536xf8E8M0FNU>) -> tensor<65536xui8>
    %652 = stablehlo.constant dense<255> : tensor<65536xui8>
    %653 = stablehlo.select %650, %652, %651 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %654 = stablehlo.convert %653 : (tensor<65536xui8>) -> tensor<65536xui32>
    %655 = stablehlo.reshape %654 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %656 = stablehlo.multiply %655, %29 : tensor<256x256xui32>
    %657 = stablehlo.reduce(%656 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %658 = stablehlo.convert %16 : (tensor<65536xf32>) -> tensor<65536xf8E8M0FNU>
    %659 = stablehlo.compare NE, %658, %658 : (tensor<65536xf8E8M0FNU>, tensor<65536xf8E8M0FNU>) -> tensor<65536xi1>
    %660 = stablehlo.bitcast_convert %658 : (tensor<65536xf8E8M0FNU>) -> tensor<65536xui8>
    %661 = stablehlo.constant dense<255> : tensor<65536xui8>
    %662 = stablehlo.select %659, %661, %660 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %663 = stablehlo.convert %662 : (tensor<65536xui8>) -> tensor<65536xui32>
    %664 = stablehlo.reshape %663 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %665 = stablehlo.multiply %664, %29 : tensor<256x256xui32>
    %666 = stablehlo.reduce(%665 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %667 = stablehlo.convert %22 : (tensor<65536xf64>) -> tensor<65536xf8E8M0FNU>
    %668 = stablehlo.compare NE, %667, %667 : (tensor<65536xf8E8M0FNU>, tensor<65536xf8E8M0FNU>) -> tensor<65536xi1>
    %669 = stablehlo.bitcast_convert %667 : (tensor<65536xf8E8M0FNU>) -> tensor<65536xui8>
    %670 = stablehlo.constant dense<255> : tensor<65536xui8>
    %671 = stablehlo.select %668, %670, %669 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %672 = stablehlo.convert %671 : (tensor<65536xui8>) -> tensor<65536xui32>
    %673 = stablehlo.reshape %672 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %674 = stablehlo.multiply %673, %29 : tensor<256x256xui32>
    %675 = stablehlo.reduce(%674 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %676 = stablehlo.convert %25 : (tensor<65536xf64>) -> tensor<65536xf8E8M0FNU>
    %677 = stablehlo.compare NE, %676, %676 : (tensor<65536xf8E8M0FNU>, tensor<65536xf8E8M0FNU>) -> tensor<65536xi1>
    %678 = stablehlo.bitcast_convert %676 : (tensor<65536xf8E8M0FNU>) -> tensor<65536xui8>
    %679 = stablehlo.constant dense<255> : tensor<65536xui8>
    %680 = stablehlo.select %677, %679, %678 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %681 = stablehlo.convert %680 : (tensor<65536xui8>) -> tensor<65536xui32>
    %682 = stablehlo.reshape %681 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %683 = stablehlo.multiply %682, %29 : tensor<256x256xui32>
    %684 = stablehlo.reduce(%683 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %685 = stablehlo.convert %28 : (tensor<65536xf64>) -> tensor<65536xf8E8M0FNU>
    %686 = stablehlo.compare NE, %685, %685 : (tensor<65536xf8E8M0FNU>, tensor<65536xf8E8M0FNU>) -> tensor<65536xi1>
    %687 = stablehlo.bitcast_convert %685 : (tensor<65536xf8E8M0FNU>) -> tensor<65536xui8>
    %688 = stablehlo.constant dense<255> : tensor<65536xui8>
    %689 = stablehlo.select %686, %688, %687 : (tensor<65536xi1>, tensor<65536xui8>, tensor<65536xui8>) -> tensor<65536xui8>
    %690 = stablehlo.convert %689 : (tensor<65536xui8>) -> tensor<65536xui32>
    %691 = stablehlo.reshape %690 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %692 = stablehlo.multiply %691, %29 : tensor<256x256xui32>
    %693 = stablehlo.reduce(%692 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %694 = stablehlo.reshape %630 : (tensor<256xui32>) -> tensor<1x256xui32>
    %695 = stablehlo.reshape %639 : (tensor<256xui32>) -> tensor<1x256xui32>
    %696 = stablehlo.reshape %648 : (tensor<256xui32>) -> tensor<1x256xui32>
    %697 = stablehlo.reshape %657 : (tensor<256xui32>) -> tensor<1x256xui32>
    %698 = stablehlo.reshape %666 : (tensor<256xui32>) -> tensor<1x256xui32>
    %699 = stablehlo.reshape %675 : (tensor<256xui32>) -> tensor<1x256xui32>
    %700 = stablehlo.reshape %684 : (tensor<256xui32>) -> tensor<1x256xui32>
    %701 = stablehlo.reshape %693 : (tensor<256xui32>) -> tensor<1x256xui32>
    %702 = stablehlo.concatenate %694, %695, %696, %697, %698, %699, %700, %701, dim = 0 : (tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>) -> tensor<8x256xui32>
    %703 = stablehlo.convert %33 : (tensor<65536xf16>) -> tensor<65536xf6E2M3FN>
    %704 = stablehlo.convert %703 : (tensor<65536xf6E2M3FN>) -> tensor<65536xf32>
    %705 = stablehlo.bitcast_convert %704 : (tensor<65536xf32>) -> tensor<65536xui32>
    %706 = stablehlo.reshape %705 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %707 = stablehlo.multiply %706, %29 : tensor<256x256xui32>
    %708 = stablehlo.reduce(%707 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %709 = stablehlo.convert %36 : (tensor<65536xbf16>) -> tensor<65536xf6E2M3FN>
    %710 = stablehlo.convert %709 : (tensor<65536xf6E2M3FN>) -> tensor<65536xf32>
    %711 = stablehlo.bitcast_convert %710 : (tensor<65536xf32>) -> tensor<65536xui32>
    %712 = stablehlo.reshape %711 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %713 = stablehlo.multiply %712, %29 : tensor<256x256xui32>
    %714 = stablehlo.reduce(%713 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %715 = stablehlo.convert %39 : (tensor<65536xf32>) -> tensor<65536xf6E2M3FN>
    %716 = stablehlo.convert %715 : (tensor<65536xf6E2M3FN>) -> tensor<65536xf32>
    %717 = stablehlo.bitcast_convert %716 : (tensor<65536xf32>) -> tensor<65536xui32>
    %718 = stablehlo.reshape %717 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %719 = stablehlo.multiply %718, %29 : tensor<256x256xui32>
    %720 = stablehlo.reduce(%719 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %721 = stablehlo.convert %42 : (tensor<65536xf32>) -> tensor<65536xf6E2M3FN>
    %722 = stablehlo.convert %721 : (tensor<65536xf6E2M3FN>) -> tensor<65536xf32>
    %723 = stablehlo.bitcast_convert %722 : (tensor<65536xf32>) -> tensor<65536xui32>
    %724 = stablehlo.reshape %723 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %725 = stablehlo.multiply %724, %29 : tensor<256x256xui32>
    %726 = stablehlo.reduce(%725 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %727 = stablehlo.convert %45 : (tensor<65536xf32>) -> tensor<65536xf6E2M3FN>
    %728 = stablehlo.convert %727 : (tensor<65536xf6E2M3FN>) -> tensor<65536xf32>
    %729 = stablehlo.bitcast_convert %728 : (tensor<65536xf32>) -> tensor<65536xui32>
    %730 = stablehlo.reshape %729 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %731 = stablehlo.multiply %730, %29 : tensor<256x256xui32>
    %732 = stablehlo.reduce(%731 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %733 = stablehlo.convert %48 : (tensor<65536xf64>) -> tensor<65536xf6E2M3FN>
    %734 = stablehlo.convert %733 : (tensor<65536xf6E2M3FN>) -> tensor<65536xf32>
    %735 = stablehlo.bitcast_convert %734 : (tensor<65536xf32>) -> tensor<65536xui32>
    %736 = stablehlo.reshape %735 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %737 = stablehlo.multiply %736, %29 : tensor<256x256xui32>
    %738 = stablehlo.reduce(%737 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %739 = stablehlo.convert %51 : (tensor<65536xf64>) -> tensor<65536xf6E2M3FN>
    %740 = stablehlo.convert %739 : (tensor<65536xf6E2M3FN>) -> tensor<65536xf32>
    %741 = stablehlo.bitcast_convert %740 : (tensor<65536xf32>) -> tensor<65536xui32>
    %742 = stablehlo.reshape %741 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %743 = stablehlo.multiply %742, %29 : tensor<256x256xui32>
    %744 = stablehlo.reduce(%743 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %745 = stablehlo.convert %54 : (tensor<65536xf64>) -> tensor<65536xf6E2M3FN>
    %746 = stablehlo.convert %745 : (tensor<65536xf6E2M3FN>) -> tensor<65536xf32>
    %747 = stablehlo.bitcast_convert %746 : (tensor<65536xf32>) -> tensor<65536xui32>
    %748 = stablehlo.reshape %747 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %749 = stablehlo.multiply %748, %29 : tensor<256x256xui32>
    %750 = stablehlo.reduce(%749 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %751 = stablehlo.reshape %708 : (tensor<256xui32>) -> tensor<1x256xui32>
    %752 = stablehlo.reshape %714 : (tensor<256xui32>) -> tensor<1x256xui32>
    %753 = stablehlo.reshape %720 : (tensor<256xui32>) -> tensor<1x256xui32>
    %754 = stablehlo.reshape %726 : (tensor<256xui32>) -> tensor<1x256xui32>
    %755 = stablehlo.reshape %732 : (tensor<256xui32>) -> tensor<1x256xui32>
    %756 = stablehlo.reshape %738 : (tensor<256xui32>) -> tensor<1x256xui32>
    %757 = stablehlo.reshape %744 : (tensor<256xui32>) -> tensor<1x256xui32>
    %758 = stablehlo.reshape %750 : (tensor<256xui32>) -> tensor<1x256xui32>
    %759 = stablehlo.concatenate %751, %752, %753, %754, %755, %756, %757, %758, dim = 0 : (tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>) -> tensor<8x256xui32>
    %760 = stablehlo.convert %33 : (tensor<65536xf16>) -> tensor<65536xf6E3M2FN>
    %761 = stablehlo.convert %760 : (tensor<65536xf6E3M2FN>) -> tensor<65536xf32>
    %762 = stablehlo.bitcast_convert %761 : (tensor<65536xf32>) -> tensor<65536xui32>
    %763 = stablehlo.reshape %762 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %764 = stablehlo.multiply %763, %29 : tensor<256x256xui32>
    %765 = stablehlo.reduce(%764 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %766 = stablehlo.convert %36 : (tensor<65536xbf16>) -> tensor<65536xf6E3M2FN>
    %767 = stablehlo.convert %766 : (tensor<65536xf6E3M2FN>) -> tensor<65536xf32>
    %768 = stablehlo.bitcast_convert %767 : (tensor<65536xf32>) -> tensor<65536xui32>
    %769 = stablehlo.reshape %768 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %770 = stablehlo.multiply %769, %29 : tensor<256x256xui32>
    %771 = stablehlo.reduce(%770 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %772 = stablehlo.convert %39 : (tensor<65536xf32>) -> tensor<65536xf6E3M2FN>
    %773 = stablehlo.convert %772 : (tensor<65536xf6E3M2FN>) -> tensor<65536xf32>
    %774 = stablehlo.bitcast_convert %773 : (tensor<65536xf32>) -> tensor<65536xui32>
    %775 = stablehlo.reshape %774 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %776 = stablehlo.multiply %775, %29 : tensor<256x256xui32>
    %777 = stablehlo.reduce(%776 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %778 = stablehlo.convert %42 : (tensor<65536xf32>) -> tensor<65536xf6E3M2FN>
    %779 = stablehlo.convert %778 : (tensor<65536xf6E3M2FN>) -> tensor<65536xf32>
    %780 = stablehlo.bitcast_convert %779 : (tensor<65536xf32>) -> tensor<65536xui32>
    %781 = stablehlo.reshape %780 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %782 = stablehlo.multiply %781, %29 : tensor<256x256xui32>
    %783 = stablehlo.reduce(%782 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %784 = stablehlo.convert %45 : (tensor<65536xf32>) -> tensor<65536xf6E3M2FN>
    %785 = stablehlo.convert %784 : (tensor<65536xf6E3M2FN>) -> tensor<65536xf32>
    %786 = stablehlo.bitcast_convert %785 : (tensor<65536xf32>) -> tensor<65536xui32>
    %787 = stablehlo.reshape %786 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %788 = stablehlo.multiply %787, %29 : tensor<256x256xui32>
    %789 = stablehlo.reduce(%788 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %790 = stablehlo.convert %48 : (tensor<65536xf64>) -> tensor<65536xf6E3M2FN>
    %791 = stablehlo.convert %790 : (tensor<65536xf6E3M2FN>) -> tensor<65536xf32>
    %792 = stablehlo.bitcast_convert %791 : (tensor<65536xf32>) -> tensor<65536xui32>
    %793 = stablehlo.reshape %792 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %794 = stablehlo.multiply %793, %29 : tensor<256x256xui32>
    %795 = stablehlo.reduce(%794 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %796 = stablehlo.convert %51 : (tensor<65536xf64>) -> tensor<65536xf6E3M2FN>
    %797 = stablehlo.convert %796 : (tensor<65536xf6E3M2FN>) -> tensor<65536xf32>
    %798 = stablehlo.bitcast_convert %797 : (tensor<65536xf32>) -> tensor<65536xui32>
    %799 = stablehlo.reshape %798 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %800 = stablehlo.multiply %799, %29 : tensor<256x256xui32>
    %801 = stablehlo.reduce(%800 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %802 = stablehlo.convert %54 : (tensor<65536xf64>) -> tensor<65536xf6E3M2FN>
    %803 = stablehlo.convert %802 : (tensor<65536xf6E3M2FN>) -> tensor<65536xf32>
    %804 = stablehlo.bitcast_convert %803 : (tensor<65536xf32>) -> tensor<65536xui32>
    %805 = stablehlo.reshape %804 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %806 = stablehlo.multiply %805, %29 : tensor<256x256xui32>
    %807 = stablehlo.reduce(%806 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %808 = stablehlo.reshape %765 : (tensor<256xui32>) -> tensor<1x256xui32>
    %809 = stablehlo.reshape %771 : (tensor<256xui32>) -> tensor<1x256xui32>
    %810 = stablehlo.reshape %777 : (tensor<256xui32>) -> tensor<1x256xui32>
    %811 = stablehlo.reshape %783 : (tensor<256xui32>) -> tensor<1x256xui32>
    %812 = stablehlo.reshape %789 : (tensor<256xui32>) -> tensor<1x256xui32>
    %813 = stablehlo.reshape %795 : (tensor<256xui32>) -> tensor<1x256xui32>
    %814 = stablehlo.reshape %801 : (tensor<256xui32>) -> tensor<1x256xui32>
    %815 = stablehlo.reshape %807 : (tensor<256xui32>) -> tensor<1x256xui32>
    %816 = stablehlo.concatenate %808, %809, %810, %811, %812, %813, %814, %815, dim = 0 : (tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>) -> tensor<8x256xui32>
    %817 = stablehlo.convert %33 : (tensor<65536xf16>) -> tensor<65536xf4E2M1FN>
    %818 = stablehlo.bitcast_convert %817 : (tensor<65536xf4E2M1FN>) -> tensor<65536xui4>
    %819 = stablehlo.convert %818 : (tensor<65536xui4>) -> tensor<65536xui8>
    %820 = stablehlo.convert %819 : (tensor<65536xui8>) -> tensor<65536xui32>
    %821 = stablehlo.reshape %820 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %822 = stablehlo.multiply %821, %29 : tensor<256x256xui32>
    %823 = stablehlo.reduce(%822 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %824 = stablehlo.convert %36 : (tensor<65536xbf16>) -> tensor<65536xf4E2M1FN>
    %825 = stablehlo.bitcast_convert %824 : (tensor<65536xf4E2M1FN>) -> tensor<65536xui4>
    %826 = stablehlo.convert %825 : (tensor<65536xui4>) -> tensor<65536xui8>
    %827 = stablehlo.convert %826 : (tensor<65536xui8>) -> tensor<65536xui32>
    %828 = stablehlo.reshape %827 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %829 = stablehlo.multiply %828, %29 : tensor<256x256xui32>
    %830 = stablehlo.reduce(%829 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %831 = stablehlo.convert %39 : (tensor<65536xf32>) -> tensor<65536xf4E2M1FN>
    %832 = stablehlo.bitcast_convert %831 : (tensor<65536xf4E2M1FN>) -> tensor<65536xui4>
    %833 = stablehlo.convert %832 : (tensor<65536xui4>) -> tensor<65536xui8>
    %834 = stablehlo.convert %833 : (tensor<65536xui8>) -> tensor<65536xui32>
    %835 = stablehlo.reshape %834 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %836 = stablehlo.multiply %835, %29 : tensor<256x256xui32>
    %837 = stablehlo.reduce(%836 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %838 = stablehlo.convert %42 : (tensor<65536xf32>) -> tensor<65536xf4E2M1FN>
    %839 = stablehlo.bitcast_convert %838 : (tensor<65536xf4E2M1FN>) -> tensor<65536xui4>
    %840 = stablehlo.convert %839 : (tensor<65536xui4>) -> tensor<65536xui8>
    %841 = stablehlo.convert %840 : (tensor<65536xui8>) -> tensor<65536xui32>
    %842 = stablehlo.reshape %841 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %843 = stablehlo.multiply %842, %29 : tensor<256x256xui32>
    %844 = stablehlo.reduce(%843 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %845 = stablehlo.convert %45 : (tensor<65536xf32>) -> tensor<65536xf4E2M1FN>
    %846 = stablehlo.bitcast_convert %845 : (tensor<65536xf4E2M1FN>) -> tensor<65536xui4>
    %847 = stablehlo.convert %846 : (tensor<65536xui4>) -> tensor<65536xui8>
    %848 = stablehlo.convert %847 : (tensor<65536xui8>) -> tensor<65536xui32>
    %849 = stablehlo.reshape %848 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %850 = stablehlo.multiply %849, %29 : tensor<256x256xui32>
    %851 = stablehlo.reduce(%850 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %852 = stablehlo.convert %48 : (tensor<65536xf64>) -> tensor<65536xf4E2M1FN>
    %853 = stablehlo.bitcast_convert %852 : (tensor<65536xf4E2M1FN>) -> tensor<65536xui4>
    %854 = stablehlo.convert %853 : (tensor<65536xui4>) -> tensor<65536xui8>
    %855 = stablehlo.convert %854 : (tensor<65536xui8>) -> tensor<65536xui32>
    %856 = stablehlo.reshape %855 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %857 = stablehlo.multiply %856, %29 : tensor<256x256xui32>
    %858 = stablehlo.reduce(%857 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %859 = stablehlo.convert %51 : (tensor<65536xf64>) -> tensor<65536xf4E2M1FN>
    %860 = stablehlo.bitcast_convert %859 : (tensor<65536xf4E2M1FN>) -> tensor<65536xui4>
    %861 = stablehlo.convert %860 : (tensor<65536xui4>) -> tensor<65536xui8>
    %862 = stablehlo.convert %861 : (tensor<65536xui8>) -> tensor<65536xui32>
    %863 = stablehlo.reshape %862 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %864 = stablehlo.multiply %863, %29 : tensor<256x256xui32>
    %865 = stablehlo.reduce(%864 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %866 = stablehlo.convert %54 : (tensor<65536xf64>) -> tensor<65536xf4E2M1FN>
    %867 = stablehlo.bitcast_convert %866 : (tensor<65536xf4E2M1FN>) -> tensor<65536xui4>
    %868 = stablehlo.convert %867 : (tensor<65536xui4>) -> tensor<65536xui8>
    %869 = stablehlo.convert %868 : (tensor<65536xui8>) -> tensor<65536xui32>
    %870 = stablehlo.reshape %869 : (tensor<65536xui32>) -> tensor<256x256xui32>
    %871 = stablehlo.multiply %870, %29 : tensor<256x256xui32>
    %872 = stablehlo.reduce(%871 init: %30) applies stablehlo.add across dimensions = [1] : (tensor<256x256xui32>, tensor<ui32>) -> tensor<256xui32>
    %873 = stablehlo.reshape %823 : (tensor<256xui32>) -> tensor<1x256xui32>
    %874 = stablehlo.reshape %830 : (tensor<256xui32>) -> tensor<1x256xui32>
    %875 = stablehlo.reshape %837 : (tensor<256xui32>) -> tensor<1x256xui32>
    %876 = stablehlo.reshape %844 : (tensor<256xui32>) -> tensor<1x256xui32>
    %877 = stablehlo.reshape %851 : (tensor<256xui32>) -> tensor<1x256xui32>
    %878 = stablehlo.reshape %858 : (tensor<256xui32>) -> tensor<1x256xui32>
    %879 = stablehlo.reshape %865 : (tensor<256xui32>) -> tensor<1x256xui32>
    %880 = stablehlo.reshape %872 : (tensor<256xui32>) -> tensor<1x256xui32>
    %881 = stablehlo.concatenate %873, %874, %875, %876, %877, %878, %879, %880, dim = 0 : (tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>, tensor<1x256xui32>) -> tensor<8x256xui32>
    return %135, %216, %297, %378, %459, %540, %621, %702, %759, %816, %881 : tensor<8x256xui32>, tensor<8x256xui32>, tensor<8x256xui32>, tensor<8x256xui32>, tensor<8x256xui32>, tensor<8x256xui32>, tensor<8x256xui32>, tensor<8x256xui32>, tensor<8x256xui32>, tensor<8x256xui32>, tensor<8x256xui32>
  }
}
