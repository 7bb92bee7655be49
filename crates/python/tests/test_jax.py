"""Functions of JAX: trees, what is left out, sizes, types, results."""

import os
import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest

import fornax

jax = pytest.importorskip("jax")
jnp = jax.numpy


def predict(params, x, *, scale=1.0, unused=None):
    hidden = jnp.tanh(x @ params["in"]["w"] + params["in"]["b"])
    return {"logits": hidden @ params["out"] * scale, "hidden": (hidden, [x.sum()])}


@pytest.fixture(scope="module")
def arguments():
    random = np.random.default_rng(0)
    draw = lambda *shape: random.standard_normal(shape).astype(np.float32)  # noqa: E731
    return {"in": {"w": draw(4, 8), "b": draw(8)}, "out": draw(8, 2)}, draw(3, 4)


def same(ours, theirs):
    ours, shape = jax.tree_util.tree_flatten(ours)
    theirs, wanted = jax.tree_util.tree_flatten(theirs)
    assert shape == wanted
    for one, other in zip(ours, theirs):
        np.testing.assert_allclose(np.asarray(one, np.float32), np.asarray(other, np.float32), rtol=1e-5, atol=1e-5)


def test_trees(arguments):
    module = fornax.compile(jax.jit(predict), *arguments, scale=2.0)
    result = module(*arguments, scale=3.0)
    same(result, predict(*arguments, scale=3.0))
    assert isinstance(result["logits"], np.ndarray)
    for wrong in (arguments[:1], (arguments[1], arguments[0]), (*arguments, 1)):
        with pytest.raises(TypeError):
            module(*wrong, scale=3.0)
    with pytest.raises(fornax.InputError, match="FX0713"):
        module(arguments[0], arguments[1][:, :2], scale=1.0)


def test_a_file_knows_its_trees(arguments, tmp_path):
    module = fornax.compile(jax.jit(predict), *arguments, scale=2.0, unused=np.ones(3))
    module.save(tmp_path / "m.fnx")
    # On a machine without JAX.
    program = (
        "import sys, numpy as np, fornax; sys.modules['jax'] = None; "
        "m = fornax.load(sys.argv[1]); w = np.zeros((4, 8), np.float32); "
        "y = m({'in': {'w': w, 'b': w[0]}, 'out': w.T[:, :2].copy()}, w[:3, :4], scale=1.0, unused=w[0, :3]); "
        "assert y['logits'].shape == (3, 2) and type(y['hidden'][1]) is list, y"
    )
    subprocess.run([sys.executable, "-c", program, os.fspath(tmp_path / "m.fnx")], check=True)
    loaded = fornax.load(tmp_path / "m.fnx")
    same(loaded(*arguments, scale=3.0, unused=np.ones(3)), predict(*arguments, scale=3.0))
    with pytest.raises(TypeError, match="dictionary of b, w"):
        loaded({"in": {}, "out": 1}, 2, scale=3.0, unused=1)


def test_weights_apart(arguments):
    params, x = arguments
    flat = dict(zip(("arg0", "arg1", "arg2"), jax.tree_util.tree_leaves(params)))
    function = jax.jit(lambda params, x: predict(params, x)["logits"])
    module = fornax.compile(function, params, x, flags=["--parameter-args=0..3"], parameters=flat)
    same(module(x), predict(params, x)["logits"])


def test_arrays_of_jax(arguments):
    params, x = jax.tree_util.tree_map(jnp.asarray, arguments)
    module = fornax.compile(jax.jit(lambda params, x: predict(params, x)["logits"]), params, x)
    result = module(params, x)
    assert isinstance(result, jax.Array)
    same(result, predict(params, x)["logits"])


def test_arguments_that_are_not_used(arguments):
    module = fornax.compile(jax.jit(lambda a, b, c: (a + c, None)), 1.0, np.ones(5), 2.0)
    sums, nothing = module(np.float32(3), np.ones(5), np.float32(4))
    assert sums == 7 and nothing is None


class Pair(NamedTuple):
    left: object
    right: object


def test_trees_of_its_own():
    module = fornax.compile(jax.jit(lambda pair: Pair(pair.right, pair.left + 1)), Pair(1.0, 2.0))
    result = module(Pair(np.float32(5), np.float32(6)))
    assert isinstance(result, Pair) and result == (6, 6)


def test_symbolic_sizes():
    (batch,) = jax.export.symbolic_shape("batch")
    shape = jax.ShapeDtypeStruct((batch, 4), np.float32)
    function = jax.jit(lambda x: jnp.tanh(x).sum(axis=1))
    exported = jax.export.export(function)(shape)
    for module in (fornax.compile(exported), fornax.compile(function, shape)):
        for count in (1, 5):
            x = np.ones((count, 4), np.float32)
            np.testing.assert_allclose(module(x), np.tanh(x).sum(axis=1), rtol=1e-6)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "int8", "bool", "complex64"])
def test_types(dtype):
    x = jnp.array([[0, 1], [2, 3]]).astype(dtype)
    module = fornax.compile(jax.jit(lambda x: (x.T, x == x)), x)
    for given in (x, np.asarray(x)):
        turned, equal = module(given)
        assert type(turned) is type(equal) and turned.dtype == x.dtype
        assert (np.asarray(turned) == np.asarray(x).T).all() and np.asarray(equal).all()


def test_donated_arguments():
    step = jax.jit(lambda state, x: (state + x, x.sum()), donate_argnums=0)
    module = fornax.compile(step, np.zeros(3, np.float32), np.ones(3, np.float32))
    state = np.zeros(3, np.float32)
    for _ in range(2):
        new, total = module(state, np.ones(3, np.float32))
        assert (new == 1).all() and total == 3 and (state == 0).all()


def test_plain_functions_are_told():
    with pytest.raises(TypeError, match="jax.jit"):
        fornax.compile(lambda x: x, 1.0)


def test_linear_algebra():
    x = np.array([[4, 1], [1, 3]], np.float32)
    module = fornax.compile(jax.jit(jnp.linalg.cholesky), x)
    np.testing.assert_allclose(module(x), np.linalg.cholesky(x), rtol=1e-5)
