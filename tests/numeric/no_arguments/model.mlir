module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<50xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 0 : tensor<50xf32>
    %1 = stablehlo.sine %0 : tensor<50xf32>
    return %1 : tensor<50xf32>
  }
}
