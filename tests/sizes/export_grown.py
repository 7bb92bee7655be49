"""Writes the cases of `grown`, a model that is written by hand, by numpy."""

import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent / "grown"


def main():
    for n, rows, rounds in ((1, 1, 0), (5, 7, 5), (9, 1, 1), (40, 64, 2), (3, 33, 3)):
        random = np.random.default_rng(n)
        x, w = random.standard_normal(n).astype(np.float32), random.standard_normal((rows, 3)).astype(np.float32)
        y = x
        for _ in range(rounds):
            y = np.concatenate([y, -y])
        v, folds = w, 0
        while len(v) > 1:
            half = len(v) // 2
            below = np.pad(v[len(v) - half :], ((0, len(v) - 2 * half), (0, 0)))
            v, folds = v[: len(v) - half] + below, folds + 1
        total = np.float32(sum(x[: i + 1].sum(dtype=np.float64) for i in range(n)))
        case = HERE / ("%d_%d_%d" % (n, rows, rounds))
        case.mkdir(exist_ok=True)
        for number, array in enumerate((x, w, np.int32(rounds))):
            np.save(case / f"in_{number}.npy", np.asarray(array))
        for number, array in enumerate((y, v, total, np.int32(folds))):
            np.save(case / f"out_{number}.npy", np.asarray(array))


main()
