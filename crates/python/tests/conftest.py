"""What the tests share: small models as StableHLO, compiled once."""

import os
import sys

import numpy as np
import pytest

import fornax

SINES = """func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %y : tensor<4xf32>
  %1 = stablehlo.sine %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
"""

# Two outputs; the first lies in the donated first input.
UPDATE = """func.func @main(%cache: tensor<1024xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<1024xf32>)
    -> (tensor<1024xf32>, tensor<1024xf32>) {
  %0 = stablehlo.add %cache, %x : tensor<1024xf32>
  %1 = stablehlo.multiply %x, %x : tensor<1024xf32>
  return %0, %1 : tensor<1024xf32>, tensor<1024xf32>
}
"""

ROWS = """func.func @main(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = stablehlo.sine %x : tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
"""

# Large enough to be used where it lies, and unlike its transpose.
GRID = """func.func @main(%x: tensor<200x300xf32>) -> tensor<200x300xf32> {
  %0 = stablehlo.negate %x : tensor<200x300xf32>
  return %0 : tensor<200x300xf32>
}
"""


@pytest.fixture(scope="session")
def sines():
    return fornax.compile(SINES)


@pytest.fixture(scope="session")
def update():
    return fornax.compile(UPDATE)


@pytest.fixture(scope="session")
def rows():
    return fornax.compile(ROWS)


@pytest.fixture(scope="session")
def grid():
    return fornax.compile(GRID)


@pytest.fixture()
def ones():
    return np.ones(4, np.float32)


def pytest_configure(config):
    # A crash of the extension shows its stack.
    if "PYTHONFAULTHANDLER" not in os.environ:
        import faulthandler

        faulthandler.enable(sys.__stderr__)
