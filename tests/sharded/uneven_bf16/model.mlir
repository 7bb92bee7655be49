module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<4x22xbf16>, %arg1: tensor<22x6xbf16>) -> (tensor<6xbf16> {jax.result_info = "result"}) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{}, {"x"}]> : tensor<4x22xbf16>
    %1 = sdy.sharding_constraint %arg1 <@mesh, [{"x"}, {}]> : tensor<22x6xbf16>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x22xbf16>, tensor<22x6xbf16>) -> tensor<4x6xbf16>
    %3 = stablehlo.convert %2 : (tensor<4x6xbf16>) -> tensor<4x6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>
    %5 = stablehlo.convert %4 : (tensor<6xf32>) -> tensor<6xbf16>
    return %5 : tensor<6xbf16>
  }
}
