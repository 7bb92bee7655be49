#id = affine_map<(i) -> (i)>
func.func @main(%x: tensor<9xf32>, %y: tensor<9xf32>, %n: tensor<9xi32>, %m: tensor<9xi32>) -> (tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi1>, tensor<9xi32>, tensor<9xf32>, tensor<9xi8>) {
  %ef = tensor.empty() : tensor<9xf32>
  %ei = tensor.empty() : tensor<9xi32>
  %eb = tensor.empty() : tensor<9xi1>
  %e8 = tensor.empty() : tensor<9xi8>
  %0:10 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id], iterator_types = ["parallel"]}
    ins(%x, %y, %n, %m : tensor<9xf32>, tensor<9xf32>, tensor<9xi32>, tensor<9xi32>)
    outs(%ef, %ef, %ef, %ei, %ei, %ei, %eb, %ei, %ef, %e8 : tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi1>, tensor<9xi32>, tensor<9xf32>, tensor<9xi8>) {
  ^bb0(%a: f32, %b: f32, %p: i32, %q: i32, %o0: f32, %o1: f32, %o2: f32, %o3: i32, %o4: i32, %o5: i32, %o6: i1, %o7: i32, %o8: f32, %o9: i8):
    %c = math.copysign %a, %b : f32
    %t = math.trunc %a : f32
    %d = arith.maxnumf %a, %b : f32
    %f = arith.floordivsi %p, %q : i32
    %g = arith.ceildivsi %p, %q : i32
    %h = arith.divui %p, %q : i32
    %u = arith.cmpf ult, %a, %b : f32
    %z = math.cttz %p : i32
    %w = arith.uitofp %p : i32 to f32
    %k = arith.trunci %p : i32 to i8
    linalg.yield %c, %t, %d, %f, %g, %h, %u, %z, %w, %k : f32, f32, f32, i32, i32, i32, i1, i32, f32, i8
  } -> (tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi1>, tensor<9xi32>, tensor<9xf32>, tensor<9xi8>)
  return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5, %0#6, %0#7, %0#8, %0#9 : tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi1>, tensor<9xi32>, tensor<9xf32>, tensor<9xi8>
}
