"""JAX's callbacks to Python on Fornax's devices: in a process of its own, as in test_pjrt.py."""

import os
import pathlib
import subprocess
import sys

import pytest

import fornax

pytest.importorskip("jax")
if not pathlib.Path(fornax.__file__).with_name("libfornax_pjrt.so").exists():
    pytest.skip("the package has no plugin: cargo build -p fornax-pjrt", allow_module_level=True)

START = """
import gc, warnings
import jax, jax.numpy as jnp, numpy as np
from jax.experimental import io_callback
warnings.simplefilter("error")
f32 = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)
seen = []
def see(x):
    seen.append(np.asarray(x).tolist())
def twice(x):
    return np.asarray(x) * 2
"""


def run(code, **variables):
    """What a program prints."""
    environment = {**os.environ, "JAX_PLATFORMS": "fornax,cpu", **variables}
    done = subprocess.run([sys.executable, "-c", START + code], env=environment, text=True, capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_pure_callbacks_give_values():
    run("""
def call(x):
    return jax.pure_callback(twice, f32(*x.shape), x, vmap_method="sequential")
x = jnp.arange(6.0).reshape(2, 3)
assert (jax.jit(lambda x: jnp.sin(call(x + 1)) + x)(x) == jnp.sin((x + 1) * 2) + x).all()
assert (call(x) == 2 * x).all()
assert (jax.vmap(call)(x) == 2 * x).all()
wide = lambda x: jax.pure_callback(twice, f32(3), x, vmap_method="broadcast_all")
assert (jax.jit(jax.vmap(wide))(x) == 2 * x).all()
two = jax.jit(lambda x: jax.pure_callback(lambda x: (x[0], {"sum": x.sum()}), (f32(3), {"sum": f32()}), x))(x)
assert (two[0] == x[0]).all() and two[1]["sum"] == 15
none = jax.jit(lambda: jax.pure_callback(lambda: np.float32(4), f32()))
assert none() == 4
""")


def test_types_go_there_and_back():
    run("""
for name in "bool int8 uint16 int32 uint64 float16 bfloat16 float64 complex64 complex128 float8_e4m3fn int4".split():
    x = jnp.array([[0, 1, 2], [3, 1, 0]]).astype(name)
    if name.startswith("complex"):
        x = x * (1 - 2j)
    ty = jax.ShapeDtypeStruct(x.shape, x.dtype)
    kinds = []
    def same(x):
        kinds.append((x.dtype, x.shape))
        return x
    y = jax.jit(lambda x: jax.pure_callback(same, ty, x))(x)
    assert y.dtype == x.dtype and (np.asarray(y) == np.asarray(x)).all(), name
    assert kinds == [(x.dtype, x.shape)], (name, kinds)
empty = jax.jit(lambda x: jax.pure_callback(lambda x: x.T, f32(3, 0), x))(jnp.zeros((0, 3), jnp.float32))
assert empty.shape == (3, 0)
""", JAX_ENABLE_X64="1")


def test_control_flow_calls_as_often_as_it_runs():
    run("""
def body(c, x):
    io_callback(see, None, x, ordered=True)
    return c + x, jax.pure_callback(twice, f32(), c)
total, ys = jax.jit(lambda x: jax.lax.scan(body, 0.0, x))(jnp.arange(4.0))
jax.effects_barrier()
assert total == 6 and ys.tolist() == [0, 0, 2, 6] and seen == [0, 1, 2, 3], seen

seen.clear()
@jax.jit
def unread(n):
    jax.lax.fori_loop(0, 5, lambda i, c: (jax.debug.callback(see, i), c + 1)[1], 0)
    return n
unread(1)
jax.effects_barrier()
assert sorted(seen) == [0, 1, 2, 3, 4], seen

seen.clear()
def until(c):
    return jax.pure_callback(lambda c: np.asarray(c) < 50, jax.ShapeDtypeStruct((), bool), c)
def grow(c):
    io_callback(see, None, c, ordered=True)
    return c * 3
assert jax.jit(lambda c: jax.lax.while_loop(until, grow, c))(2.0) == 54
assert seen == [2, 6, 18], seen

seen.clear()
@jax.jit
def choose(p, x):
    jax.lax.cond(p, lambda: io_callback(see, None, x, ordered=True), lambda: None)
    return jax.lax.switch(jnp.int32(x), [lambda: 0.0, lambda: jax.pure_callback(twice, f32(), x), lambda: 1.0])
assert choose(True, 1.0) == 2 and choose(False, 1.0) == 2 and choose(True, 0.0) == 0
jax.effects_barrier()
assert seen == [1, 0], seen
""")


def test_gradients_pass_callbacks():
    run("""
@jax.custom_vjp
def sine(x):
    return jax.pure_callback(np.sin, f32(*x.shape), x)
sine.defvjp(lambda x: (sine(x), x), lambda x, g: (g * jax.pure_callback(np.cos, f32(*x.shape), x),))
x = jnp.linspace(0, 1, 5)
np.testing.assert_allclose(jax.jit(jax.grad(lambda x: sine(x).sum()))(x), np.cos(x), rtol=1e-6)
def loss(x):
    jax.debug.callback(see, x.sum())
    return (x ** 2).sum()
assert (jax.jit(jax.grad(loss))(x) == 2 * x).all()
jax.effects_barrier()
assert len(seen) == 1
""")


def test_prints_come_out():
    out = run("""
@jax.jit
def f(x):
    jax.debug.print("x is {}", x[0])
    jax.debug.print("and {y}", y=x.sum(), ordered=True)
    jax.debug.print("last", ordered=True)
    return x
f(jnp.arange(3))
jax.vmap(lambda x: jax.debug.print("row {}", x))(jnp.arange(2))
jax.effects_barrier()
""")
    assert sorted(out.split("\n")) == sorted(["x is 0", "and 3", "last", "row 0", "row 1", ""]), out
    assert out.index("and 3") < out.index("last")


def test_errors_of_callbacks_are_errors_of_the_call():
    run("""
def fail(x):
    raise ValueError("too large a number")
def refused(f, *args):
    try:
        jax.block_until_ready(f(*args))
        jax.effects_barrier()
    except jax.errors.JaxRuntimeError as error:
        # JAX keeps what failed.
        jax._src.dispatch.runtime_tokens.clear()
        return str(error)
    raise AssertionError("no error")
f = jax.jit(lambda x: jax.pure_callback(fail, f32(), x))
text = refused(f, 1.0)
assert "FX0744" in text and "ValueError: too large a number" in text, text
wrong = jax.jit(lambda x: jax.pure_callback(lambda x: np.zeros(3, np.float32), f32(2), x))
assert "Incorrect output shape for return value #0: Expected: (2,), Actual: (3,)" in refused(wrong, 1.0)
assert "Mismatched number of outputs" in refused(jax.jit(lambda x: jax.pure_callback(lambda x: (x, x), f32(), x)), 1.0)
assert jax.jit(lambda x: x + 1)(1.0) == 2
io = jax.jit(lambda x: io_callback(fail, None, x, ordered=True))
assert "too large" in refused(io, 1.0)
""")


NESTED = """
device = jax.devices("fornax")[0]
rows = jax.device_put(np.full((256, 256), 2, np.float32), device)
large = jax.jit(lambda x: rows @ rows + x)
small = jax.jit(lambda x: jnp.sqrt(x) + 1)
def compute(x):
    x = jax.device_put(x, device)
    return np.asarray(small(large(x)[0, 0]))
def outer(x):
    return jax.pure_callback(compute, f32(), x) * 2
"""


def test_callbacks_compute_on_the_device_of_their_call():
    """Small calls run on the caller's thread, large ones on the device's."""
    run(NESTED + """
assert jax.jit(outer)(0.0) == 66
assert (jax.jit(lambda x: outer(x) + rows @ rows)(0.0) == 1024 + 66).all()
total, ys = jax.jit(lambda x: jax.lax.scan(lambda c, x: (c + outer(x).sum(), rows @ rows), 0.0, x))(jnp.zeros(3))
assert total == 3 * 66 and (ys == 1024).all()

def fewer(n, x):
    return np.asarray(count(jax.device_put(n - 1, device), rows)[0]) if n > 0 else np.float32(0)
count = jax.jit(lambda n, x: (jax.pure_callback(fewer, f32(), n, x) + 1, x @ x))
count = count.lower(jax.device_put(np.int32(4), device), rows).compile()
assert count(jax.device_put(np.int32(4), device), rows)[0] == 5

seen.clear()
@jax.jit
def tell(x):
    io_callback(lambda x: see(small(jax.device_put(x, device))), None, x, ordered=True)
    return x @ x
for _ in range(3):
    tell(rows[:4, :4])
jax.effects_barrier()
assert len(seen) == 3
given = jax.device_put(np.ones(4, np.float32), device)
give = jax.jit(lambda x: x + 1, donate_argnums=0)
assert (jax.jit(lambda x: jax.pure_callback(lambda x: np.asarray(give(given)), f32(4), x))(given) == 2).all()
""")


def test_a_callback_that_waits_for_a_later_call_is_an_error():
    run(NESTED + """
import threading
begun = threading.Event()
def wait(x):
    begun.wait()
    return np.asarray(later["x"])[0, 0]
@jax.jit
def early(x):
    return jax.pure_callback(wait, f32(), x[0, 0]), x @ x
later = {}
# What is compiled reads `rows`, behind all calls.
large(1.0)
first = early(rows)
later["x"] = large(1.0)
begun.set()
try:
    jax.block_until_ready(first)
except jax.errors.JaxRuntimeError as error:
    assert "FX0745" in str(error), error
else:
    raise AssertionError("it came")
assert later["x"][0, 0] == 1025
""")


def test_programs_with_callbacks_do_not_travel():
    run("""
from jax.experimental import serialize_executable
compiled = jax.jit(lambda x: jax.pure_callback(twice, f32(), x)).lower(1.0).compile()
try:
    serialize_executable.serialize(compiled)
except (TypeError, jax.errors.JaxRuntimeError) as error:
    assert "FX0743" in str(error), error
else:
    raise AssertionError("it was serialized")
executable = compiled.runtime_executable()
try:
    executable.serialize()
except jax.errors.JaxRuntimeError as error:
    assert "FX0743" in str(error) and "UNIMPLEMENTED" in str(error), error
else:
    raise AssertionError("the plugin serialized it")
""")


def test_callbacks_live_as_long_as_their_programs():
    run("""
from fornax import _host_functions
def keep(k):
    return jax.jit(lambda x: jax.pure_callback(lambda x: x + np.float32(k), f32(), x))
functions = [keep(k) for k in range(3)]
for _ in range(3):
    assert [float(f(1.0)) for f in functions] == [1, 2, 3]
    gc.collect()
assert len(_host_functions._functions) == 3
del functions
jax.clear_caches()
gc.collect()
assert len(_host_functions._functions) == 0, dict(_host_functions._functions)
""")


def test_each_device_of_a_shard_map_calls():
    run("""
from jax.sharding import AxisType, PartitionSpec as P
mesh = jax.make_mesh((4,), ("i",), axis_types=(AxisType.Auto,))
@jax.jit
@jax.shard_map(mesh=mesh, in_specs=P("i"), out_specs=P("i"))
def f(x):
    return jax.pure_callback(twice, f32(*x.shape), x)
assert (f(jnp.arange(8.0)) == 2 * jnp.arange(8.0)).all()
cut = jax.device_put(jnp.arange(8.0), jax.NamedSharding(mesh, P("i")))
try:
    jax.jit(lambda x: jax.pure_callback(twice, f32(8), x))(cut)
except NotImplementedError as error:
    assert "shard_map" in str(error)
else:
    raise AssertionError("which device calls?")
""", FORNAX_PJRT_OPTIONS=",".join(filter(None, [os.environ.get("FORNAX_PJRT_OPTIONS"), "device=cpu,num_devices=4"])))
