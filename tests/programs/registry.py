"""The table of programs: `@program` registers a function that returns (function to export, its arguments).

The name of the builder is the name of the program. Arguments are pytrees of numpy arrays, made from a seed of the name, so a
program is the same on every machine. `tolerance` is relative to max(1, |expected|) and widens the default of the element type where
a program amplifies rounding (say why next to it); `x64` traces with 64-bit types.
"""

import dataclasses
from typing import Callable

import numpy as np

TOLERANCE = {"float64": 1e-9, "float32": 2e-4, "float16": 2e-2, "bfloat16": 6e-2, "complex64": 2e-4, "complex128": 1e-9}


@dataclasses.dataclass
class Program:
    name: str
    topic: str
    build: Callable
    tolerance: float | None
    x64: bool


PROGRAMS: dict[str, Program] = {}


def program(build=None, *, name=None, tolerance=None, x64=False):
    """Registers a builder under its name, or under `name` where one builder makes several programs."""

    def register(builder):
        key = name or builder.__name__
        assert key not in PROGRAMS, key
        PROGRAMS[key] = Program(key, builder.__module__, builder, tolerance, x64)
        return builder

    return register(build) if build else register


def rng(seed):
    return np.random.default_rng(sum((at + 1) * byte for at, byte in enumerate(str(seed).encode())))


def normal(seed, *shape, scale=1.0, dtype=np.float32):
    return (rng(seed).standard_normal(shape) * scale).astype(dtype)


def uniform(seed, *shape, low=0.0, high=1.0, dtype=np.float32):
    return rng(seed).uniform(low, high, shape).astype(dtype)


def whole(seed, *shape, low=0, high=10, dtype=np.int32):
    return rng(seed).integers(low, high, shape).astype(dtype)


def dense(seed, inputs, outputs):
    """A weight matrix [inputs, outputs] that keeps the scale of what it multiplies, and a bias [outputs]."""
    return {"w": normal(seed + "/w", inputs, outputs, scale=inputs**-0.5), "b": normal(seed + "/b", outputs, scale=0.1)}
