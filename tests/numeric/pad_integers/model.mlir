module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<9xi16>) -> (tensor<20xi16> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<-1> : tensor<i16>
    %0 = stablehlo.pad %arg0, %c, low = [2], high = [1], interior = [1] : (tensor<9xi16>, tensor<i16>) -> tensor<20xi16>
    return %0 : tensor<20xi16>
  }
}
