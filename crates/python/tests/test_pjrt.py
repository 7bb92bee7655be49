"""JAX on Fornax's devices, by the PJRT plugin: in a process of its own, for a process has one set of platforms."""

import os
import pathlib
import subprocess
import sys

import pytest

import fornax

jax = pytest.importorskip("jax")
if not pathlib.Path(fornax.__file__).with_name("libfornax_pjrt.so").exists():
    pytest.skip("the package has no plugin: cargo build -p fornax-pjrt", allow_module_level=True)

START = """
import warnings
import jax, jax.numpy as jnp, numpy as np
warnings.simplefilter("error")
"""


def run(code, platforms="fornax", **variables):
    """What a program prints."""
    environment = {**os.environ, "JAX_PLATFORMS": platforms, **variables}
    done = subprocess.run([sys.executable, "-c", START + code], env=environment, text=True, capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_plugin_takes_part_only_where_it_is_asked_for():
    assert run("print(jax.default_backend(), len(jax.devices()))") == "fornax 1\n"
    assert run("print([d.platform for d in jax.devices()])", platforms="cpu") == "['cpu']\n"
    code = "print(jax.devices()[0].platform, jax.devices('fornax')[0].platform)"
    assert run(code, platforms="cpu,fornax") == "cpu fornax\n"


def test_a_compiler_that_died_ends_no_program():
    """With SIGPIPE as programs in C have it."""
    run("""
import os, pathlib, signal, time
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
assert jax.jit(lambda x: x + 1.5)(1.0) == 2.5

def state(place):
    try:
        return (place / "stat").read_text().rsplit(")", 1)[1].split()[:2], (place / "cmdline").read_bytes()
    except OSError:
        return (None, None), b""

own = [place for place in pathlib.Path("/proc").glob("[0-9]*")
       if state(place)[0][1] == str(os.getpid()) and b"model-worker" in state(place)[1]]
assert own
for place in own:
    os.kill(int(place.name), signal.SIGKILL)
    while state(place)[0][0] not in ("Z", None):
        time.sleep(0.01)
assert jax.jit(lambda x: x * 2.5)(1.0) == 2.5
""", FORNAX_MODULE_CACHE="off")


def test_transformations_and_control_flow():
    run("""
x = jnp.linspace(-1, 1, 12).reshape(3, 4)
np.testing.assert_allclose(jax.grad(lambda x: jnp.sin(x).sum())(x), np.cos(x), rtol=1e-6)
np.testing.assert_allclose(jax.vmap(jnp.dot)(x, x), (np.asarray(x) ** 2).sum(1), rtol=1e-6)
total, sums = jax.lax.scan(lambda c, x: (c + x, c), 0.0, jnp.arange(5.0))
assert total == 10 and sums.tolist() == [0, 0, 1, 3, 6]
assert jax.lax.while_loop(lambda c: c < 100, lambda c: c * 2, 1) == 128
assert jax.lax.cond(x[0, 0] > 0, lambda: 1, lambda: 2) == 2
assert jax.jit(lambda x: (x, x, 3.0))(x)[1].shape == (3, 4)
""")


def test_random_numbers_are_those_of_every_platform():
    run("""
key = jax.random.key(7)
for draw in (jax.random.normal, jax.random.uniform, lambda key, shape: jax.random.permutation(key, 9)):
    ours = draw(key, (5,))
    with jax.default_device(jax.devices("cpu")[0]):
        theirs = draw(jax.device_put(key, jax.devices("cpu")[0]), (5,))
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)
""", platforms="fornax,cpu")


def test_element_types_go_there_and_back():
    run("""
import ml_dtypes
names = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
types = [np.dtype(name) for name in names]
types += [np.dtype(getattr(ml_dtypes, name)) for name in ("bfloat16", "int4", "uint4", "float8_e4m3fn", "float8_e5m2")]
for dtype in types:
    array = np.arange(6).reshape(2, 3).astype(dtype)
    there = jax.device_put(array)
    assert there.dtype == dtype, (there.dtype, dtype)
    assert (np.asarray(there) == array).all(), dtype
    turned = jax.jit(lambda x: x.T)(there)
    assert (np.asarray(turned) == array.T).all(), dtype
odd = np.arange(24.0).reshape(4, 6)[::-1, ::2].T
assert (np.asarray(jax.device_put(odd)) == odd).all()
""", JAX_ENABLE_X64="1")


def test_donation_takes_the_array_unless_somebody_reads_it():
    run("""
step = jax.jit(lambda x, y: x + y, donate_argnums=0)
x = jnp.ones(1000)
y = step(x, 2 * x)
assert x.is_deleted() and y[0] == 3
view = np.asarray(y)
z = step(y, y * 0 + 1)
assert view[0] == 3 and z[0] == 4
try:
    x + 1
except (RuntimeError, ValueError) as error:
    assert "deleted" in str(error)
else:
    raise AssertionError("a deleted array was used")
""")


def test_calls_return_before_they_are_done():
    run("""
x = jnp.ones((1200, 1200))
f = jax.jit(lambda x: x @ x @ x @ x / 1200**3)
f(x).block_until_ready()
y = f(x)
early = y.is_ready()
assert not early and float(y[0, 0]) == 1.0 and y.is_ready()
""")


def test_several_devices_share_the_process():
    run("""
devices = jax.devices()
assert len(devices) == 3
parts = [jax.device_put(jnp.arange(4.0) + at, device) for at, device in enumerate(devices)]
f = jax.jit(lambda x: x * 2)
for at, part in enumerate(parts):
    y = f(part)
    assert y.devices() == {devices[at]} and y.tolist() == [2.0 * (k + at) for k in range(4)]
moved = jax.device_put(parts[2], devices[0])
assert moved.devices() == {devices[0]} and moved.tolist() == parts[2].tolist()
""", FORNAX_PJRT_OPTIONS="device=cpu,num_devices=3")


def test_errors_have_code_place_and_help():
    code = "print(jax.jit(lambda x: x + 1)(1.0))"
    environment = {"FORNAX_PJRT_OPTIONS": "compiler=/nowhere/fornax"}
    with pytest.raises(AssertionError, match="FX0733"):
        run(code, **environment)


@pytest.mark.skipif(jax.__version_info__ < (0, 4, 36), reason="its jit takes no options of the compiler")
def test_options_of_the_compiler_are_checked():
    run("""
try:
    jax.jit(lambda x: x + 1, compiler_options={"f32_matmul": "tf33"})(1.0)
except RuntimeError as error:
    assert "INVALID_ARGUMENT" in str(error) and "[FX0801]" in str(error) and "did you mean tf32?" in str(error), error
else:
    raise AssertionError("a wrong option was taken")
""")


@pytest.mark.skipif(jax.__version_info__ < (0, 5, 0), reason="it calls LAPACK in an older form, or on its processor only")
def test_eigenvalues_are_lowered_as_for_processors():
    run("""
a = np.random.default_rng(0).standard_normal((5, 5)).astype(np.float32)
np.testing.assert_allclose(jnp.linalg.eigvalsh(a + a.T), np.linalg.eigvalsh(a + a.T), rtol=1e-4, atol=1e-5)
values = np.asarray(jnp.linalg.eigvals(a))
np.testing.assert_allclose(np.sort_complex(values), np.sort_complex(np.linalg.eigvals(a)), rtol=1e-4, atol=1e-5)
""")


def test_executables_travel():
    run("""
from jax.experimental import serialize_executable
x = jnp.arange(4.0)
compiled = jax.jit(lambda x: jnp.cos(x) + 1).lower(x).compile()
again = serialize_executable.deserialize_and_load(*serialize_executable.serialize(compiled))
assert (again(x) == compiled(x)).all()
assert compiled.memory_analysis().argument_size_in_bytes == 16
""")


def test_figures_of_memory():
    run("""
device = jax.devices()[0]
x = jnp.ones((1000, 1000)).block_until_ready()
with_x = device.memory_stats()["bytes_in_use"]
assert with_x >= 4_000_000
del x
# The queue's thread lets go of the call a moment after its event.
import time
time.sleep(0.2)
assert device.memory_stats()["bytes_in_use"] <= with_x - 4_000_000
figures = device.memory_stats()
assert 4_000_000 < figures["bytes_reservable_limit"] <= figures["bytes_limit"], figures
""")


def test_parts_of_a_processor_share_its_memory():
    code = """
figures = [device.memory_stats() for device in jax.devices()]
assert len(figures) == 4
assert sum(one["bytes_reservable_limit"] for one in figures) <= figures[0]["bytes_limit"], figures
"""
    run(code, FORNAX_PJRT_OPTIONS="device=cpu,num_devices=4")
