module @random_states {
  func.func public @main(%arg0: tensor<2xui64>, %arg1: tensor<2xi64>, %arg2: tensor<4xui32>, %arg3: tensor<4xi32>) -> (tensor<2xui64>, tensor<3x7xui32>, tensor<2xi64>, tensor<3x7xui32>, tensor<4xui32>, tensor<3x7xui32>, tensor<4xi32>, tensor<3x7xui32>, tensor<2xui64>, tensor<3x7xui32>, tensor<2xi64>, tensor<3x7xui32>, tensor<4xui32>, tensor<3x7xui32>, tensor<4xi32>, tensor<3x7xui32>) {
    %0:2 = "stablehlo.rng_bit_generator"(%arg0) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x7xui32>)
    %1:2 = "stablehlo.rng_bit_generator"(%arg1) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<2xi64>) -> (tensor<2xi64>, tensor<3x7xui32>)
    %2:2 = "stablehlo.rng_bit_generator"(%arg2) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<4xui32>) -> (tensor<4xui32>, tensor<3x7xui32>)
    %3:2 = "stablehlo.rng_bit_generator"(%arg3) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<4xi32>) -> (tensor<4xi32>, tensor<3x7xui32>)
    %4:2 = "stablehlo.rng_bit_generator"(%arg0) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x7xui32>)
    %5:2 = "stablehlo.rng_bit_generator"(%arg1) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : (tensor<2xi64>) -> (tensor<2xi64>, tensor<3x7xui32>)
    %6:2 = "stablehlo.rng_bit_generator"(%arg2) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : (tensor<4xui32>) -> (tensor<4xui32>, tensor<3x7xui32>)
    %7:2 = "stablehlo.rng_bit_generator"(%arg3) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : (tensor<4xi32>) -> (tensor<4xi32>, tensor<3x7xui32>)
    return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1, %3#0, %3#1, %4#0, %4#1, %5#0, %5#1, %6#0, %6#1, %7#0, %7#1 : tensor<2xui64>, tensor<3x7xui32>, tensor<2xi64>, tensor<3x7xui32>, tensor<4xui32>, tensor<3x7xui32>, tensor<4xi32>, tensor<3x7xui32>, tensor<2xui64>, tensor<3x7xui32>, tensor<2xi64>, tensor<3x7xui32>, tensor<4xui32>, tensor<3x7xui32>, tensor<4xi32>, tensor<3x7xui32>
  }
}
