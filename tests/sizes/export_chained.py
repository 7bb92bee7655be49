"""Writes `chained`: a size that forty rounds of arithmetic make of two others, each round from all of the one before."""

import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent / "chained"
ROUNDS = 40
ROUND = """
    %thirds{k} = stablehlo.divide %s{k}, %three : tensor<i32>
    %more{k} = stablehlo.add %q{k}, %one : tensor<i32>
    %factor{k} = stablehlo.maximum %thirds{k}, %more{k} : tensor<i32>
    %product{k} = stablehlo.multiply %factor{k}, %s{k} : tensor<i32>
    %below{k} = stablehlo.remainder %product{k}, %bound : tensor<i32>
    %s{n} = stablehlo.add %below{k}, %one : tensor<i32>
    %rest{k} = stablehlo.remainder %s{k}, %seven : tensor<i32>
    %halves{k} = stablehlo.divide %q{k}, %two : tensor<i32>
    %q{n} = stablehlo.add %rest{k}, %halves{k} : tensor<i32>"""
MODEL = """func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<i32>) {{
    %one = stablehlo.constant dense<1> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %seven = stablehlo.constant dense<7> : tensor<i32>
    %bound = stablehlo.constant dense<89> : tensor<i32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %s0 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
    %q0 = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?xf32>) -> tensor<i32>{rounds}
    %shape = stablehlo.reshape %s{last} : (tensor<i32>) -> tensor<1xi32>
    %places = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
    %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
    %sums = stablehlo.dynamic_broadcast_in_dim %sum, %shape, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
    %result = stablehlo.add %places, %sums : tensor<?xf32>
    return %result, %q{last} : tensor<?xf32>, tensor<i32>
}}
"""


def main():
    rounds = "".join(ROUND.format(k=k, n=k + 1) for k in range(ROUNDS))
    HERE.mkdir(exist_ok=True)
    (HERE / "model.mlir").write_text(MODEL.format(rounds=rounds, last=ROUNDS))
    for n, m in ((1, 1), (2, 5), (33, 7), (100, 3)):
        s, q = n, m
        for _ in range(ROUNDS):
            s, q = max(s // 3, q + 1) * s % 89 + 1, s % 7 + q // 2
        x, y = np.arange(n, dtype=np.float32) / 4, np.zeros(m, np.float32)
        case = HERE / f"{n}_{m}"
        case.mkdir(exist_ok=True)
        for name, array in (("in_0", x), ("in_1", y), ("out_0", np.arange(s, dtype=np.float32) + x.sum()), ("out_1", np.int32(q))):
            np.save(case / f"{name}.npy", np.asarray(array))


main()
