// 8-bit floats, summed in f32; chips without them go through f16 or f32.
func.func @main(%a: tensor<128x256xf8E4M3FN>, %b: tensor<256x512xf8E4M3FN>) -> tensor<128x512xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<128x256xf8E4M3FN>, tensor<256x512xf8E4M3FN>) -> tensor<128x512xf32>
  return %0 : tensor<128x512xf32>
}
