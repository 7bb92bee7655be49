"""Writes the cases of `chosen`, a model that is written by hand, by numpy."""

import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent / "chosen"


def main():
    for n, taken, rows in ((1, True, 3), (9, True, 1), (40, False, 17), (130, True, 5)):
        random = np.random.default_rng(n)
        x, k = random.standard_normal(n).astype(np.float32), np.array([(n + 1) // 2, rows], np.int32)
        chosen = x[: (x > 0).sum()].sum(dtype=np.float32) if taken else np.float32(0)
        total = np.float32(3 * np.arange(rows).sum())
        case = HERE / ("%d_%d" % (n, rows))
        case.mkdir(exist_ok=True)
        for number, array in enumerate((x, np.array(taken), k)):
            np.save(case / f"in_{number}.npy", array)
        for number, array in enumerate((chosen, total, x[: 2 * k[0] - 1])):
            np.save(case / f"out_{number}.npy", np.asarray(array))


main()
